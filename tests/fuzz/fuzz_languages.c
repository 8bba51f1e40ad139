/* fuzz_languages.c - any bytes as a document: its languages are like codes, and
 * the same whether its text was made before or not; so are the hints.
 *
 * The first byte chooses the Content-Type; the bytes up to the first line end
 * are the Content-Language.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "index/language_codes.h"
#include "view/doc.h"
#include "view/languages.h"

static void must(bool yes)
{
	if (!yes)
		abort();
}

/* Taken as a list that somebody else made, they are the same. */
static void check_codes(const struct cfs_languages *l)
{
	struct cfs_languages again;

	must(memchr(l->text, '\0', sizeof(l->text)) != NULL);
	cfs_languages_take(&again, cfs_languages_list(l));
	must(strcmp(again.text, l->text) == 0);
}

static void check_hints(const struct cfs_view_input *in,
			const struct cfs_doc *doc)
{
	struct cfs_language_hints h;
	struct cfs_slice tags;
	unsigned n = 0;

	must(cfs_language_hints_find(in, doc, &h, NULL) == CFS_OK);
	must(memchr(h.tags, '\0', sizeof(h.tags)) != NULL);
	tags = cfs_slice_str(h.tags);
	for (; tags.n > 0; n++) {
		struct cfs_slice tag = cfs_slice_split(&tags, ',');

		must(tag.n >= 2 && tag.n <= CFS_LANGUAGE_HINT_BYTES);
	}
	must(n == h.n && n <= CFS_LANGUAGE_HINTS_MAX);
}

FUZZ_TARGET(data, size)
{
	static const char *const types[] = {
		"text/html", "text/html; charset=utf-8", "text/plain",
		"text/html; charset=gbk", "application/rss+xml",
		"text/html; charset=utf-16", "text/plain; charset=utf-8",
	};
	struct cfs_slice rest = cfs_slice_of(size > 0 ? data :
					     (const uint8_t *)"", size);
	struct cfs_field fields[2] = {
		{ CFS_SLICE_LIT("Content-Type"),
		  cfs_slice_str(types[size > 0 ? data[0] % 7u : 0]) },
		{ CFS_SLICE_LIT("Content-Language"), CFS_SLICE_EMPTY } };
	struct cfs_record r = { .format = CFS_ARCHIVE_WARC,
				.type = CFS_RECORD_RESPONSE, .has_http = true,
				.http = { fields, 2 } };
	struct cfs_view_input in = { .record = &r };
	struct cfs_languages alone, beside;
	struct cfs_slice text;
	struct cfs_doc doc;
	struct cfs_buf out;

	rest = cfs_slice_from(rest, 1);
	fields[1].value = cfs_slice_split(&rest, '\n');
	r.body = r.stored_body = rest;
	cfs_doc_find(&in, &doc);
	cfs_buf_init(&out, (size_t)1 << 28);
	must(cfs_text_of_doc(&doc, &out, NULL, CFS_CTX(NULL, NULL)) == CFS_OK);
	text = cfs_buf_slice(&out);
	must(cfs_languages_find(&in, &doc, NULL, &alone,
				CFS_CTX(NULL, NULL)) == CFS_OK);
	must(cfs_languages_find(&in, &doc, &text, &beside,
				CFS_CTX(NULL, NULL)) == CFS_OK);
	must(strcmp(alone.text, beside.text) == 0);
	check_codes(&alone);
	cfs_languages_take(&alone, text);
	check_codes(&alone);
	check_hints(&in, &doc);
	cfs_buf_release(&out);
	return 0;
}
