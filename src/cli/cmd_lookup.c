/* cmd_lookup.c - crawlfs lookup: prints captures, one CDXJ line each.
 *
 * Format: doc/formats.md, "CDXJ lines":
 *     surt SP timestamp14 SP {"url": ..., "mime": ..., "status": ...,
 *     "length": ..., "offset": ..., "filename": ...} LF
 * All values are strings; non-ASCII is \uXXXX; a byte of a URL that is not
 * UTF-8 is percent-escaped, which means the same URL to a server.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>

#include "base/timestamp.h"
#include "base/utf8.h"
#include "commands.h"
#include "output.h"
#include "sources.h"
#include "url/surt.h"

#define LINE_MAX_BYTES (16u * CFS_KEY_MAX)	/* every byte \uXXXX, twice */
#define STOPPED 2

/* ---- lines -------------------------------------------------------------- */

static void add_unit(struct cfs_buf *out, uint32_t u)
{
	cfs_buf_addf(out, "\\u%04x", u);
}

static void add_json_string(struct cfs_buf *out, struct cfs_slice s)
{
	cfs_buf_addc(out, '"');
	while (s.n > 0) {
		uint32_t cp = 0;
		size_t n = cfs_utf8_decode(s, &cp);

		if (n == 0) {
			cfs_buf_addf(out, "%%%02X", s.p[0]);
			n = 1;
		} else if (cp == '"' || cp == '\\') {
			cfs_buf_addc(out, '\\');
			cfs_buf_addc(out, (uint8_t)cp);
		} else if (cp >= 0x20 && cp < 0x7f) {
			cfs_buf_addc(out, (uint8_t)cp);
		} else if (cp < 0x10000) {
			add_unit(out, cp);
		} else {
			add_unit(out, 0xd7c0 + (cp >> 10));
			add_unit(out, 0xdc00 | (cp & 0x3ff));
		}
		s = cfs_slice_from(s, n);
	}
	cfs_buf_addc(out, '"');
}

/* As the field's other tools write it; "-" for what has none. */
static int add_surt(struct cfs_buf *out, struct cfs_slice url)
{
	int rc = cfs_surt_encode(url, out);

	return rc == CFS_ENOTFOUND ? cfs_buf_addc(out, '-') : rc;
}

/* Appends the line of a capture. */
static int add_line(struct cfs_slice url, const struct cfs_capture *cap,
		    struct cfs_slice archive_name, struct cfs_buf *out)
{
	char when[CFS_TIME_14_BYTES];
	struct cfs_slice mime = cap->mime;
	int rc;

	if (cap->kind == CFS_KIND_REVISIT)
		mime = CFS_SLICE_LIT("warc/revisit");
	else if (mime.n == 0)
		mime = CFS_SLICE_LIT("unk");
	cfs_time_format_14(cap->time, when);
	rc = add_surt(out, url);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_addf(out, " %s {\"url\": ", when);
	add_json_string(out, url);
	cfs_buf_adds(out, ", \"mime\": ");
	add_json_string(out, mime);
	if (cap->status != 0)
		cfs_buf_addf(out, ", \"status\": \"%u\"", cap->status);
	cfs_buf_addf(out, ", \"length\": \"%" PRIu64 "\", \"offset\": \"%" PRIu64
		     "\", \"filename\": ", cap->loc.length, cap->loc.offset);
	add_json_string(out, archive_name);
	cfs_buf_adds(out, "}\n");
	return out->failed;
}

/* ---- the command -------------------------------------------------------- */

struct lookup {
	struct cfs_index *index;	/* of the crawl */
	struct cfs_error *err;
	uint64_t limit, found;		/* limit 0: none */
	struct cfs_buf url, archive, line;
};

static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct lookup *l = arg;
	int rc;

	cfs_buf_reset(&l->url);
	cfs_buf_reset(&l->archive);
	cfs_buf_reset(&l->line);
	rc = cfs_index_key_url(l->index, it->key, cap, &l->url);
	if (rc == CFS_OK)
		rc = cfs_index_archive_name(l->index, &cap->loc, &l->archive,
					    l->err);
	if (rc == CFS_OK)
		rc = add_line(cfs_buf_slice(&l->url), cap,
			      cfs_buf_slice(&l->archive), &l->line);
	if (rc != CFS_OK)
		return rc;
	if (!cfs_out_bytes(cfs_buf_slice(&l->line)))
		return STOPPED;
	return ++l->found == l->limit ? STOPPED : CFS_OK;
}

static int look_up(void *arg, const struct cfs_target *t,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct lookup *l = arg;
	int rc;

	l->index = t->crawl->index;
	l->err = err;
	l->found = 0;
	rc = cfs_target_each(t, on_capture, l, cancel, err);
	if (rc == STOPPED)
		rc = CFS_OK;
	if (rc == CFS_OK && l->found == 0 && cfs_out_ok())
		rc = cfs_error_set(err, CFS_ENOTFOUND,
				   "'%s' is not in the index", t->text);
	return rc;
}

static int run(struct cfs_options *o)
{
	struct lookup l = { .limit = o->limit };
	int status;

	cfs_buf_init(&l.url, 4 * CFS_KEY_MAX);
	cfs_buf_init(&l.archive, 1 << 16);
	cfs_buf_init(&l.line, LINE_MAX_BYTES);
	status = cfs_cli_each_target(o, look_up, &l);
	cfs_buf_release(&l.url);
	cfs_buf_release(&l.archive);
	cfs_buf_release(&l.line);
	return status;
}

const struct cfs_command cfs_cmd_lookup = {
	.name = "lookup",
	.by = CFS_BY_LOOKUP,
	.summary = "list the captures of a URL or below a prefix",
	.usage =
	"crawlfs lookup SOURCE URL|PREFIX|TREEPATH...\n\n"
	"Lists captures in index order, one CDXJ line each: the SURT key, the\n"
	"time (UTC), and where the record is.",
	.example =
	"  crawlfs lookup crawl.cfx org.gnu.www/software --limit=10\n",
	.operands = { "SOURCE", "URL or PREFIX" },
	.run = run,
};
