/* fuzz_convert.c - whatever an ARC file holds, what it is converted to is a
 * WARC record of the same content, and its fields hold nothing but text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_folder.h"

#include "base/utf8.h"
#include "copy/copy_internal.h"
#include "record/digest.h"
#include "record/parse.h"

/* Lines of text with CR LF, and a blank line at the end. */
static void check_head(struct cfs_slice head)
{
	must(cfs_slice_ends(head, CFS_SLICE_LIT("\r\n\r\n")));
	must(cfs_utf8_is_valid(head));
	for (size_t i = 0; i < head.n; i++) {
		if (head.p[i] == '\r')
			must(head.p[i + 1] == '\n');
		else if (head.p[i] == '\n')
			must(head.p[i - 1] == '\r');
		else
			must(head.p[i] >= ' ' && head.p[i] != 0x7f);
	}
}

/* The parsed record must be what was written: its length is exact and its
 * digest right.  Then the block is compared with the ARC record's. */
static void check_record(struct cfs_slice plain, const struct cfs_record *arc)
{
	struct cfs_buf found;
	struct cfs_record r;
	uint64_t used;
	struct cfs_slice block;

	must(cfs_record_parse(&r, plain, CFS_PARSE_HEAD_ONLY, NULL, &used,
			      NULL) == CFS_OK);
	must(used == plain.n && r.format == CFS_ARCHIVE_WARC);
	must(r.type == CFS_RECORD_RESPONSE || r.type == CFS_RECORD_RESOURCE);
	check_head(r.head);
	must(plain.n == r.head.n + r.declared_bytes + 4);
	block = cfs_slice_sub(plain, r.head.n, (size_t)r.declared_bytes);
	must(cfs_slice_eq(block, arc->block));
	cfs_buf_init(&found, 1000);
	must(cfs_digest_check(cfs_record_warc_field(&r, "WARC-Block-Digest"),
			      block, CFS_PAGES_STAY, &found) ==
	     CFS_DIGEST_SAME);
	cfs_buf_release(&found);
	must(r.has_http == arc->has_http);
	must(!arc->has_http || r.status == arc->status);
	cfs_record_release(&r);
}

static void convert(struct cfs_store *store, const struct cfs_span *span)
{
	const struct cfs_copy_opts opts = { .store = store,
		.format = CFS_ARCHIVE_WARC, .coding = CFS_CODING_GZIP,
		.convert = true };
	const struct cfs_copy_item item = { .span = *span, .is_arc = true };
	struct cfs_copy_reader r;
	struct cfs_copy_stretch *s = cfs_copy_stretch_new("x.arc");
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_stored *stored;
	struct cfs_buf plain;
	int rc;

	must(s != NULL);
	cfs_copy_reader_init(&r, &opts, NULL);
	rc = cfs_copy_convert(&r, s, &item, &err);
	must(rc <= 0 && (rc != CFS_OK || s->out.n > 0));
	if (rc == CFS_OK) {
		cfs_buf_init(&plain, SIZE_MAX / 2);
		must(cfs_members_inflate(cfs_buf_slice(&s->out), NULL, &plain,
					 CFS_CTX(NULL, NULL)) == CFS_OK);
		must(cfs_store_get(store, cfs_slice_str("x.arc"), span, &stored,
				   CFS_CTX(NULL, NULL)) == CFS_OK);
		check_record(cfs_buf_slice(&plain), cfs_stored_record(stored));
		cfs_stored_put(stored);
		cfs_buf_release(&plain);
	}
	cfs_copy_reader_release(&r);
	cfs_copy_stretch_free(s);
}

FUZZ_TARGET(data, size)
{
	const char *base = fuzz_path("");
	struct cfs_store_opts so = { .bases = &base, .n_bases = 1 };
	struct cfs_span span = { .length = size };
	struct cfs_store *store;

	if (size == 0)
		return 0;
	fuzz_write("x.arc", data, size);
	must(cfs_store_new(&store, &so, NULL) == CFS_OK);
	convert(store, &span);
	cfs_store_free(store);
	return 0;
}
