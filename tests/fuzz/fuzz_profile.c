/* fuzz_profile.c - files of profiles, commands and answers with credentials, of
 * any bytes.  The first byte says which.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "net/keys.h"

#define NOW INT64_C(1700000000)

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

static void must_borrow(struct cfs_slice s, struct cfs_slice from)
{
	must(s.n == 0 || (s.p >= from.p && s.p + s.n <= from.p + from.n));
}

static void profile(struct cfs_slice in)
{
	struct cfs_slice v;
	struct cfs_ini it;
	size_t n = 0;

	cfs_ini_init(&it, in);
	while (cfs_ini_next(&it)) {
		must_borrow(it.section, in);
		must_borrow(it.parent, in);
		must_borrow(it.name, in);
		must_borrow(it.value, in);
		must(it.name.n > 0 || it.value.n == 0);
		must(++n <= in.n);
	}
	if (cfs_ini_find(in, "services", "a", "s3", "endpoint_url", &v))
		must(cfs_ini_has_section(in, "services", "a"));
	if (cfs_ini_find(in, "", "default", "", "region", &v))
		must(cfs_ini_has_section(in, "", "default"));
}

static void command(struct cfs_slice in)
{
	struct cfs_error err = CFS_ERROR_INIT;
	size_t n = 0, bytes = 0;
	char **argv;

	if (cfs_keys_split(&argv, in, &err) != CFS_OK) {
		must(err.text[0] != '\0' && argv == NULL);
		return;
	}
	for (; argv[n] != NULL; n++)
		bytes += strlen(argv[n]);
	must(n > 0 && n <= CFS_KEYS_ARGUMENTS_MAX && bytes <= in.n);
	free(argv);
}

/* They are part of headers. */
static void must_be_words(const struct cfs_keys *k)
{
	const char *const words[] = { k->id, k->secret, k->token };

	must(k->id != NULL && k->secret != NULL);
	must(k->ends == 0 || k->ends > NOW);
	for (size_t i = 0; i < 3; i++)
		for (const char *p = words[i]; p != NULL && *p != '\0'; p++)
			must(*p > ' ' && *p < 0x7f);
}

static void keys(struct cfs_slice in, bool is_xml)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_keys k;
	int rc = is_xml ? cfs_keys_from_xml(&k, in, NOW, &err) :
			  cfs_keys_from_json(&k, in, "Token", NOW, &err);

	if (rc == CFS_OK)
		must_be_words(&k);
	else
		must(k.id == NULL && k.secret == NULL && err.text[0] != '\0');
	cfs_keys_release(&k);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice in;

	if (size == 0)
		return 0;
	in = cfs_slice_of(data + 1, size - 1);
	switch (data[0] % 4) {
	case 0: profile(in); break;
	case 1: command(in); break;
	case 2: keys(in, false); break;
	default: keys(in, true);
	}
	return 0;
}
