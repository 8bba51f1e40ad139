/* framing.c - reads the fields of a request, and finds where its frame is not
 * sound: two readers of such a request would see two requests.
 *
 * Spec: RFC 9112, 2.2, 3.2, 5.1, 5.2 and 6.1 to 6.3.  Bare LF as the end of a
 * line is refused, too, where the library tells (2.2 leaves it open).
 *
 * libmicrohttpd before 1.0 takes a lone CR for the end of a line, and does not
 * see what follows a NUL.  It keeps all lines of a header one behind the other
 * and writes NULs over their ends, so each must begin two bytes behind the end
 * of the one before.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#ifdef HAVE_MICROHTTPD
#include <microhttpd.h>
#include <string.h>

#include "base/ascii.h"
#include "server_internal.h"

/* The bytes behind the last field: its end, and an empty line. */
#define END_BYTES 4u
/* The most bytes between the end of a field's name and its value. */
#define APART_MAX ((ptrdiff_t)32 << 10)

static const struct field_row {
	const char *name;
	bool is_list;		/* several of them are one list */
} field_rows[CFS_FIELD_COUNT] = {
	[CFS_FIELD_HOST] = { "Host", false },
	[CFS_FIELD_RANGE] = { "Range", false },
	[CFS_FIELD_IF_RANGE] = { "If-Range", false },
	[CFS_FIELD_IF_MATCH] = { "If-Match", true },
	[CFS_FIELD_IF_NONE_MATCH] = { "If-None-Match", true },
	[CFS_FIELD_IF_MODIFIED_SINCE] = { "If-Modified-Since", false },
	[CFS_FIELD_IF_UNMODIFIED_SINCE] = { "If-Unmodified-Since", false },
	[CFS_FIELD_DEPTH] = { "Depth", false },
	[CFS_FIELD_FETCH_SITE] = { "Sec-Fetch-Site", false },
	[CFS_FIELD_FETCH_MODE] = { "Sec-Fetch-Mode", false },
	[CFS_FIELD_FETCH_DEST] = { "Sec-Fetch-Dest", false },
	[CFS_FIELD_ORIGIN] = { "Origin", false },
	[CFS_FIELD_CONTENT_TYPE] = { "Content-Type", false },
	[CFS_FIELD_MCP_VERSION] = { "MCP-Protocol-Version", false },
	[CFS_FIELD_ACCEPT] = { "Accept", true },
	[CFS_FIELD_ACCEPT_ENCODING] = { "Accept-Encoding", true },
	[CFS_FIELD_ACCEPT_DATETIME] = { "Accept-Datetime", false },
};

struct field_reader {
	struct cfs_slice *fields;
	struct cfs_buf *lists;
	const char *at;		/* where the last line ended; NULL: the library
				 * has looked at that itself */
	unsigned hosts, lengths, codings;
	bool is_sound;
};

static bool is_field_name(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!cfs_is_alnum(s.p[i]) &&
		    strchr("!#$%&'*+-.^_`|~", s.p[i]) == NULL)
			return false;
	return s.n > 0;
}

static bool has_controls(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] == 127)
			return true;
	return false;
}

/* Are the ends of the line before `name`, and of the name itself, where they
 * would be if nothing was left out? */
static bool follows(const struct field_reader *r, struct cfs_slice name,
		    struct cfs_slice value)
{
	const uint8_t *end = name.p + name.n;

	if ((const uint8_t *)r->at + 2 != name.p || value.p <= end ||
	    value.p - end > APART_MAX || *end++ != '\0')
		return false;
	while (end < value.p && (*end == ' ' || *end == '\t'))
		end++;
	return end == value.p;
}

/* A second field that is no list has no meaning: both count as not sent. */
static void note_field(struct field_reader *r, unsigned i,
		       struct cfs_slice value)
{
	struct cfs_slice *to = &r->fields[i];
	struct cfs_slice first = *to;
	size_t before = r->lists->n;

	if (first.p == NULL || !field_rows[i].is_list) {
		*to = first.p == NULL ? value : CFS_SLICE_EMPTY;
		return;
	}
	cfs_buf_add(r->lists, first);
	cfs_buf_addc(r->lists, ',');
	cfs_buf_add(r->lists, value);
	*to = cfs_slice_from(cfs_buf_slice(r->lists), before);
}

static enum MHD_Result on_field(void *arg, enum MHD_ValueKind kind,
				const char *key, size_t key_n,
				const char *text, size_t text_n)
{
	struct field_reader *r = arg;
	struct cfs_slice name = cfs_slice_of(key, key_n);
	struct cfs_slice value = cfs_slice_of(text != NULL ? text : "", text_n);

	(void)kind;
	if (!is_field_name(name) || has_controls(value) ||
	    (r->at != NULL && !follows(r, name, value)))
		r->is_sound = false;
	if (r->at != NULL)
		r->at = text + text_n;
	value = cfs_slice_trim(value);
	r->hosts += cfs_slice_eq_nocase(name, CFS_SLICE_LIT("Host"));
	r->lengths += cfs_slice_eq_nocase(name,
					  CFS_SLICE_LIT("Content-Length"));
	if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("Transfer-Encoding"))) {
		r->codings++;
		if (!cfs_slice_eq_nocase(value, CFS_SLICE_LIT("chunked")))
			r->is_sound = false;
	}
	for (unsigned i = 0; i < CFS_FIELD_COUNT; i++)
		if (cfs_slice_eq_nocase(name,
					cfs_slice_str(field_rows[i].name)))
			note_field(r, i, value);
	return r->is_sound ? MHD_YES : MHD_NO;
}

bool cfs_framing_read(struct MHD_Connection *connection, const char *version,
		      struct cfs_slice target, const char *sent,
		      struct cfs_slice *fields, struct cfs_buf *lists)
{
	static const char nothing[END_BYTES];
	struct field_reader r = { .fields = fields, .lists = lists,
				  .is_sound = true };
	bool is_old = MHD_get_version()[0] == '0';

	if (is_old)
		r.at = version + strlen(version);
	for (unsigned i = 0; i < CFS_FIELD_COUNT; i++)
		fields[i] = (struct cfs_slice){ .p = NULL };
	/* nothing lies between the target and the version but a blank */
	if (has_controls(target) ||
	    cfs_slice_find_any(target, 0, " \t") < target.n ||
	    (is_old && version != sent + target.n + 1))
		r.is_sound = false;
	MHD_get_connection_values_n(connection, MHD_HEADER_KIND, on_field, &r);
	for (unsigned i = 0; i < CFS_FIELD_COUNT; i++)
		if (fields[i].p == NULL)
			fields[i] = CFS_SLICE_EMPTY;
	if (r.is_sound && r.at != NULL)
		r.is_sound = memcmp(r.at, nothing, END_BYTES) == 0;
	return r.is_sound && r.hosts <= 1 && r.lengths <= 1 &&
	       r.codings <= 1 && r.lengths + r.codings <= 1 &&
	       (r.codings == 0 || strcmp(version, "HTTP/1.0") != 0) &&
	       lists->failed == CFS_OK;
}

#endif
