/* fields.c - the table of the fields of a row.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fields.h"

#include "base/nearest.h"

#define RECORD CFS_EXPORT_OF_RECORD
#define BODY (CFS_EXPORT_OF_RECORD | CFS_EXPORT_OF_BODY)

const struct cfs_export_field_row cfs_export_fields[CFS_EXPORT_FIELDS] = {
	[CFS_EXPORT_URL] = { "url", CFS_EXPORT_TEXTUAL, 0, true,
		"the URL that was fetched" },
	[CFS_EXPORT_SURT] = { "surt", CFS_EXPORT_TEXTUAL, 0, true,
		"its sort-friendly form, the key of CDX files" },
	[CFS_EXPORT_HOST] = { "host", CFS_EXPORT_TEXTUAL, 0, true,
		"the host of the URL, in lower case" },
	[CFS_EXPORT_DOMAIN] = { "domain", CFS_EXPORT_TEXTUAL, 0, true,
		"its registered domain: example.co.uk" },
	[CFS_EXPORT_TIMESTAMP] = { "timestamp", CFS_EXPORT_TEXTUAL, 0, true,
		"when it was fetched: 2024-02-29T12:34:56Z" },
	[CFS_EXPORT_RECORD_TYPE] = { "record_type", CFS_EXPORT_TEXTUAL, 0,
		true, "the type of the record: response, revisit, arc" },
	[CFS_EXPORT_RECORD_ID] = { "record_id", CFS_EXPORT_TEXTUAL, RECORD,
		true, "the identifier of a WARC record" },
	[CFS_EXPORT_REVISIT_OF] = { "revisit_of", CFS_EXPORT_JSON, RECORD,
		true, "the capture that a revisit refers to" },
	[CFS_EXPORT_IP] = { "ip", CFS_EXPORT_TEXTUAL, RECORD, true,
		"the address of the server" },
	[CFS_EXPORT_STATUS] = { "status", CFS_EXPORT_NUMBER, 0, true,
		"the HTTP status" },
	[CFS_EXPORT_REDIRECT] = { "redirect", CFS_EXPORT_TEXTUAL, RECORD, true,
		"the URL that a redirect leads to" },
	[CFS_EXPORT_MIME] = { "mime", CFS_EXPORT_TEXTUAL, 0, true,
		"the type that the server declared" },
	[CFS_EXPORT_MIME_DETECTED] = { "mime_detected", CFS_EXPORT_TEXTUAL,
		RECORD, true, "the type that the crawler found" },
	[CFS_EXPORT_CHARSET] = { "charset", CFS_EXPORT_TEXTUAL, BODY, true,
		"the charset of a text, declared or detected" },
	[CFS_EXPORT_HTML_LANG] = { "html_lang", CFS_EXPORT_TEXTUAL, BODY, false,
		"the language that the page declares" },
	[CFS_EXPORT_LANGUAGES] = { "languages", CFS_EXPORT_WORDS, 0, true,
		"languages of the text, as ISO 639-3 codes" },
	[CFS_EXPORT_LANGUAGE_SCORE] = { "language_score", CFS_EXPORT_PERCENT,
		BODY, false, "the part of the text in the first of these" },
	[CFS_EXPORT_DIGEST] = { "digest", CFS_EXPORT_TEXTUAL, RECORD, true,
		"the digest of the payload: sha1:BASE32" },
	[CFS_EXPORT_ARCHIVE] = { "archive", CFS_EXPORT_TEXTUAL, 0, true,
		"the name of the archive" },
	[CFS_EXPORT_OFFSET] = { "offset", CFS_EXPORT_NUMBER, 0, true,
		"where the record begins in it" },
	[CFS_EXPORT_LENGTH] = { "length", CFS_EXPORT_NUMBER, 0, true,
		"the bytes of the record there" },
	[CFS_EXPORT_PATH] = { "path", CFS_EXPORT_TEXTUAL, 0, false,
		"the path of the page in the tree" },
	[CFS_EXPORT_CANONICAL] = { "canonical", CFS_EXPORT_TEXTUAL, BODY, false,
		"the URL that the page says is its own" },
	[CFS_EXPORT_TITLE] = { "title", CFS_EXPORT_TEXTUAL, BODY, true,
		"the title of the page" },
	[CFS_EXPORT_AUTHOR] = { "author", CFS_EXPORT_TEXTUAL, BODY, false,
		"the author that the page names" },
	[CFS_EXPORT_PUBLISHED] = { "published", CFS_EXPORT_TEXTUAL, BODY, false,
		"when it was published, as the page has it" },
	[CFS_EXPORT_DESCRIPTION] = { "description", CFS_EXPORT_TEXTUAL, BODY,
		false, "the description that the page has" },
	[CFS_EXPORT_ROBOTS] = { "robots", CFS_EXPORT_JSON, BODY, false,
		"what server and page say of their use" },
	[CFS_EXPORT_TEXT] = { "text", CFS_EXPORT_TEXTUAL, BODY, true,
		"the text of the page, as in its .txt" },
	[CFS_EXPORT_MARKDOWN] = { "markdown", CFS_EXPORT_TEXTUAL, BODY, false,
		"the main content of the page, as in its .md" },
	[CFS_EXPORT_MAIN] = { "main", CFS_EXPORT_TEXTUAL, BODY, false,
		"the same as plain text, as in its .main.txt" },
	[CFS_EXPORT_HTML] = { "html", CFS_EXPORT_TEXTUAL, BODY, false,
		"the page as it was served, in UTF-8" },
	[CFS_EXPORT_BODY] = { "body", CFS_EXPORT_BYTES, BODY, false,
		"the bytes of the page, in base64" },
	[CFS_EXPORT_HEADERS] = { "headers", CFS_EXPORT_PAIRS, RECORD, false,
		"the HTTP fields, an array of pairs" },
	[CFS_EXPORT_LINKS] = { "links", CFS_EXPORT_JSON, BODY, false,
		"the links of the page, as in its .meta" },
	[CFS_EXPORT_META] = { "meta", CFS_EXPORT_JSON, BODY, false,
		"the whole .meta" },
	[CFS_EXPORT_REQUEST] = { "request", CFS_EXPORT_TEXTUAL, RECORD, false,
		"the request as it was sent" },
	[CFS_EXPORT_SIMHASH] = { "simhash", CFS_EXPORT_SIGNED, BODY, false,
		"a hash of the main content that near copies have alike" },
	[CFS_EXPORT_CLUSTER] = { "cluster", CFS_EXPORT_SIGNED, 0, false,
		"the simhash of the first capture with similar main content" },
	[CFS_EXPORT_TRUNCATED] = { "truncated", CFS_EXPORT_TEXTUAL, RECORD,
		false, "why the record is incomplete" },
	[CFS_EXPORT_SELECTION] = { "selection", CFS_EXPORT_JSON, 0, false,
		"the columns that a selection has besides, an object" },
	[CFS_EXPORT_ERROR] = { "error", CFS_EXPORT_TEXTUAL, 0, true,
		"why the record could not be read" },
	[CFS_EXPORT_RECORD] = { NULL, CFS_EXPORT_BYTES, RECORD, false,
		"the whole record" },
	[CFS_EXPORT_LANGUAGES_FOUND] = { NULL, CFS_EXPORT_WORDS, BODY, false,
		"the languages are found in the text if need be" },
};

cfs_export_set cfs_export_default_fields(void)
{
	cfs_export_set set = 0;

	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		if (cfs_export_fields[f].is_default)
			set |= CFS_EXPORT_BIT(f);
	return set | CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES_FOUND);
}

bool cfs_export_field_find(struct cfs_slice name, unsigned *out)
{
	for (*out = 0; *out < CFS_EXPORT_FIELDS; ++*out)
		if (cfs_export_fields[*out].name != NULL &&
		    cfs_slice_eq(name,
				 cfs_slice_str(cfs_export_fields[*out].name)))
			return true;
	return false;
}

static int refuse_field(struct cfs_slice name, struct cfs_error *err)
{
	struct cfs_nearest near = CFS_NEAREST(name);
	int n = (int)(name.n < 80 ? name.n : 80);

	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		if (cfs_export_fields[f].name != NULL)
			cfs_nearest_try(&near, cfs_export_fields[f].name);
	if (near.word == NULL)
		return cfs_error_set(err, CFS_EUSAGE, "unknown field '%.*s'", n,
				     (const char *)name.p);
	return cfs_error_set(err, CFS_EUSAGE,
			     "unknown field '%.*s' (did you mean '%s'?)", n,
			     (const char *)name.p, near.word);
}

int cfs_export_fields_parse(const char *list, cfs_export_set *out,
			    struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(list);

	*out = CFS_EXPORT_BIT(CFS_EXPORT_ERROR);
	if (rest.n == 0)
		return cfs_error_set(err, CFS_EUSAGE, "no field is named");
	while (rest.n > 0) {
		struct cfs_slice name = cfs_slice_split(&rest, ',');
		unsigned field;

		if (!cfs_export_field_find(name, &field))
			return refuse_field(name, err);
		*out |= CFS_EXPORT_BIT(field);
		if (field == CFS_EXPORT_LANGUAGES)
			*out |= CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES_FOUND);
	}
	return CFS_OK;
}

unsigned cfs_export_demands(cfs_export_set set,
			    const struct cfs_conditions *conditions)
{
	/* archives do not say which language a page is in */
	if (conditions->languages.n > 0)
		set |= CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES_FOUND);
	return cfs_export_made_of(set);
}

unsigned cfs_export_made_of(cfs_export_set set)
{
	unsigned made_of = 0;

	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		if (set & CFS_EXPORT_BIT(f))
			made_of |= cfs_export_fields[f].made_of;
	return made_of;
}
