/* fuzz_s3answer.c - S3's XML answers of any bytes: to uploads, lists of
 * objects, credentials, errors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "net/keys.h"
#include "net/s3_answer.h"
#include "net/s3.h"

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* The texts go into requests and to terminals. */
static void must_be_plain(const char *s, char lowest, size_t max)
{
	must(strlen(s) < max);
	for (; *s != '\0'; s++)
		must(*s >= lowest && *s < 0x7f);
}

static int each(void *arg, const struct cfs_s3_object *o)
{
	must(arg != NULL && o->key.n > 0 && o->bytes <= INT64_MAX);
	return CFS_OK;
}

/* The same bytes as a list of objects, and as credentials. */
static void read_others(struct cfs_slice s)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_keys keys;
	struct cfs_buf next;

	cfs_buf_init(&next, 4096);
	if (cfs_s3_list_parse(s, each, &next, &next, &err) != CFS_OK)
		must(err.code < 0 && err.code != CFS_ENOMEM);
	cfs_buf_release(&next);
	if (cfs_keys_from_xml(&keys, s, 0, NULL) == CFS_OK)
		must(keys.id != NULL && keys.secret != NULL);
	cfs_keys_release(&keys);
}

FUZZ_TARGET(data, size)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_s3_answer a, e;
	char again[CFS_S3_ETAG_BYTES];

	read_others(cfs_slice_of(data, size));
	cfs_s3_answer_error(&e, cfs_slice_of(data, size));
	must(e.part == NULL);
	must_be_plain(e.code, ' ', sizeof(e.code));
	must_be_plain(e.message, ' ', sizeof(e.message));
	must_be_plain(e.region, ' ', sizeof(e.region));
	if (cfs_s3_answer_parse(&a, cfs_slice_of(data, size), &err) != CFS_OK) {
		must(err.code < 0 && err.code != CFS_ENOMEM);
		must(err.text[0] != '\0' && a.part == NULL);
		return 0;
	}
	/* a good document is read in the same way */
	must(a.kind != CFS_S3_ERROR || (strcmp(a.code, e.code) == 0 &&
					strcmp(a.message, e.message) == 0));
	must_be_plain(a.code, ' ', sizeof(a.code));
	must_be_plain(a.message, ' ', sizeof(a.message));
	must_be_plain(a.upload_id, '!', sizeof(a.upload_id));
	must((a.kind == CFS_S3_INITIATED) == (a.upload_id[0] != '\0'));
	must(a.n_parts <= CFS_S3_PAGE_MAX && a.next <= CFS_S3_PARTS_MAX);
	for (size_t i = 0; i < a.n_parts; i++) {
		must(a.part[i].number >= 1 &&
		     a.part[i].number <= CFS_S3_PARTS_MAX);
		must(cfs_s3_etag(cfs_slice_str(a.part[i].etag), again) &&
		     strcmp(again, a.part[i].etag) == 0);
	}
	cfs_s3_answer_release(&a);
	return 0;
}
