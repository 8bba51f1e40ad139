/* cmd_lookup.c - crawlfs lookup: prints captures, one CDXJ line each.
 *
 * Format: doc/formats.md, "CDXJ lines":
 *     surt SP timestamp14 SP {"url": ..., "mime": ..., "status": ...,
 *     "digest": ..., "path": ..., "length": ..., "offset": ...,
 *     "filename": ...} LF
 * All values are strings; non-ASCII is \uXXXX; a byte that is not UTF-8 is
 * percent-escaped in a URL, which is the same URL to a server, and \udcXX in a
 * path, as in Python.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "commands.h"
#include "crawl/content.h"
#include "crawl/page.h"
#include "format/cdx/cdx_line_write.h"
#include "net/location.h"
#include "output.h"
#include "record/archives.h"
#include "record/digest.h"
#include "source_args.h"
#include "url/surt.h"

#define LINE_MAX_BYTES (32u * CFS_KEY_MAX)	/* three texts, each byte as
						 * \uXXXX */
#define STOPPED 2

/* ---- lines -------------------------------------------------------------- */

/* As other tools write it; "-" for a URL without SURT. */
static int add_surt(struct cfs_buf *out, struct cfs_slice url)
{
	int rc = cfs_surt_encode(url, out);

	return rc == CFS_ENOTFOUND ? cfs_buf_addc(out, '-') : rc;
}

struct lookup {
	struct cfs_crawl *crawl;
	const struct cfs_target *target;
	struct cfs_ctx ctx;
	uint64_t limit, found;		/* limit 0: none */
	bool records_fail;
	struct cfs_buf url, archive, digest, path, line;
	/* for --closest: */
	bool by_distance;
	int64_t closest;
	struct near_times *near;
	size_t n, room;
};

/* Finds the digest of a capture as CDX files have it: SHA-1 without its label.
 * If the index has none and a single page was asked for, takes the record's;
 * once a record cannot be read no other is tried, because its server may be
 * down. */
static void find_digest(struct lookup *l, const struct cfs_node *node,
			const struct cfs_capture *cap)
{
	static const struct cfs_slice sha1 = CFS_SLICE_LIT("sha1:");
	struct cfs_stored *stored = NULL;
	struct cfs_buf *out = &l->digest;
	struct cfs_slice d = cap->digest;

	cfs_buf_reset(out);
	if (d.n == 0 && l->target->kind != CFS_TARGET_PREFIX &&
	    l->target->kind != CFS_TARGET_BEGIN && !l->target->below &&
	    !l->records_fail) {
		const struct cfs_record *rec;

		l->records_fail = cfs_content_record(l->crawl, node, &stored,
					CFS_CTX(l->ctx.cancel, NULL)) != CFS_OK;
		if (l->records_fail)
			return;
		rec = cfs_stored_record(stored);
		d = cfs_record_warc_field(rec, "WARC-Payload-Digest");
		if (d.n == 0 && !rec->is_cut)
			cfs_digest_add_sha1(out, rec->stored_body);
	}
	if (d.n > 0)
		cfs_digest_add(out, d);
	cfs_stored_put(stored);
	if (cfs_slice_starts(cfs_buf_slice(out), sha1)) {
		memmove(out->p, out->p + sha1.n, out->n - sha1.n);
		out->n -= sha1.n;
	}
}

/* Appends the line of a capture; all its texts have been found. */
static int cmd_lookup_add_line(struct lookup *l, const struct cfs_capture *cap)
{
	char when[CFS_TIME_14_BYTES];
	struct cfs_slice mime = cap->mime;
	struct cfs_buf *out = &l->line;
	int rc;

	if (cap->kind == CFS_KIND_REVISIT)
		mime = CFS_SLICE_LIT("warc/revisit");
	else if (mime.n == 0)
		mime = CFS_SLICE_LIT("unk");
	cfs_time_format_14(cap->time, when);
	rc = add_surt(out, cfs_buf_slice(&l->url));
	if (rc != CFS_OK)
		return rc;
	cfs_buf_addf(out, " %s {\"url\": ", when);
	cfs_json_add_ascii(out, cfs_buf_slice(&l->url), CFS_JSON_ODD_PERCENT);
	cfs_buf_adds(out, ", \"mime\": ");
	cfs_json_add_ascii(out, mime, CFS_JSON_ODD_PERCENT);
	if (cap->status != 0)
		cfs_buf_addf(out, ", \"status\": \"%u\"", cap->status);
	cfs_cdx_add_field(out, "digest", cfs_buf_slice(&l->digest));
	cfs_buf_adds(out, ", \"path\": ");
	cfs_json_add_ascii(out, cfs_buf_slice(&l->path), CFS_JSON_ODD_SURROGATE);
	cfs_buf_addf(out,
		     ", \"length\": \"%" PRIu64 "\", \"offset\": \"%" PRIu64
		     "\", \"filename\": ",
		     cap->loc.length, cap->loc.offset);
	cfs_json_add_ascii(out, cfs_buf_slice(&l->archive),
			   CFS_JSON_ODD_PERCENT);
	cfs_buf_adds(out, "}\n");
	return out->failed;
}

/* ---- nearest first ------------------------------------------------------ */

/* Most captures of one page that are sorted. */
#define NEAR_MAX ((size_t)1 << 20)

struct near_times {
	uint64_t distance;		/* seconds */
	size_t number;
	bool is_good;
	char *line;
};

static int by_distance(const void *a, const void *b)
{
	const struct near_times *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->is_good != y->is_good)
		return x->is_good ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Keeps the line for sorting: the first one will be the capture that NAME#@DATE
 * means (crawl/page.h). */
static int keep_line(struct lookup *l, const struct cfs_capture *cap)
{
	int rc = cfs_array_reserve((void **)&l->near, &l->room, l->n + 1,
				   sizeof(*l->near), NEAR_MAX);
	struct near_times *to;

	if (rc == CFS_ELIMIT)
		return cfs_error_set(l->ctx.err, rc,
				     "more than %zu captures: "
				     "narrow them by --from and --to",
				     NEAR_MAX);
	if (rc != CFS_OK)
		return cfs_error_nomem(l->ctx.err);
	to = &l->near[l->n];
	*to = (struct near_times){
			     cfs_dates_distance(cap->time, l->closest), l->n,
			     cfs_capture_is_good(cap),
			     strdup(cfs_buf_str(&l->line)) };
	if (to->line == NULL)
		return cfs_error_nomem(l->ctx.err);
	l->n++;
	l->found++;
	return CFS_OK;
}

static void print_near(struct lookup *l, bool is_good)
{
	if (l->n > 1)
		qsort(l->near, l->n, sizeof(*l->near), by_distance);
	for (size_t i = 0; i < l->n; i++) {
		if (is_good && (l->limit == 0 || i < l->limit))
			cfs_out_bytes(cfs_slice_str(l->near[i].line));
		free(l->near[i].line);
	}
	l->n = 0;
}

/* ---- the command -------------------------------------------------------- */

/* Finds the archive's name in the form that may be shown. */
static int name_archive(struct lookup *l, const struct cfs_capture *cap)
{
	struct cfs_buf name;
	int rc;

	cfs_buf_init(&name, l->archive.max);
	rc = cfs_index_archive_name(l->crawl->index, &cap->loc, &name,
				    l->ctx.err);
	if (rc == CFS_OK)
		cfs_location_show(&l->archive,
				  cfs_archive_plain(cfs_buf_slice(&name)));
	cfs_buf_release(&name);
	return rc;
}

static int cmd_lookup_on_capture(void *arg, const struct cfs_iter *it,
				 const struct cfs_capture *cap)
{
	struct lookup *l = arg;
	struct cfs_node node = { .type = CFS_NODE_FILE, .pos = it->pos,
				 .view = CFS_VIEW_RAW };
	int rc;

	cfs_buf_reset(&l->url);
	cfs_buf_reset(&l->archive);
	cfs_buf_reset(&l->path);
	cfs_buf_reset(&l->line);
	rc = cfs_index_key_url(l->crawl->index, it->key, cap, &l->url);
	if (rc == CFS_OK)
		rc = name_archive(l, cap);
	if (rc == CFS_OK)
		rc = cfs_tree_path(l->crawl, &node, &l->path, l->ctx);
	if (rc == CFS_OK) {
		find_digest(l, &node, cap);
		rc = cmd_lookup_add_line(l, cap);
	}
	if (rc != CFS_OK)
		return rc;
	if (l->by_distance)
		return keep_line(l, cap);
	if (!cfs_out_bytes(cfs_buf_slice(&l->line)))
		return STOPPED;
	return ++l->found == l->limit ? STOPPED : CFS_OK;
}

static int look_up(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	struct lookup *l = arg;
	int rc;

	l->crawl = t->crawl;
	l->target = t;
	l->ctx = ctx;
	l->found = 0;
	if (l->by_distance && (t->kind == CFS_TARGET_PREFIX || t->below ||
			       t->kind == CFS_TARGET_BEGIN))
		return cfs_error_set(ctx.err, CFS_EUSAGE, "'%s' is not one URL: "
				     "--closest has no meaning", t->text);
	rc = cfs_target_each(t, cmd_lookup_on_capture, l, ctx);
	print_near(l, rc == CFS_OK);
	if (rc == STOPPED)
		rc = CFS_OK;
	if (rc == CFS_OK && l->found == 0 && cfs_out_ok())
		rc = cfs_error_set(ctx.err, CFS_ENOTFOUND,
				   "'%s' is not in the "
				   "index%s",
				   t->text, cfs_crawl_time_suffix(l->crawl));
	return rc;
}

static int cmd_lookup_run(struct cfs_options *o)
{
	struct lookup l = { .limit = o->limit,
			    .by_distance = o->closest != NULL };
	int64_t end;
	int status;

	if (l.by_distance &&
	    cfs_time_parse_span(cfs_slice_str(o->closest), &l.closest,
				&end) != CFS_OK)
		return cfs_cli_usage(o->command, "option '--closest': '%.100s' "
				     "is " CFS_DATES_REFUSAL, o->closest);
	cfs_buf_init(&l.url, 4 * CFS_KEY_MAX);
	cfs_buf_init(&l.archive, 1 << 16);
	cfs_buf_init(&l.digest, 1 << 16);
	cfs_buf_init(&l.path, 4 * CFS_KEY_MAX);
	cfs_buf_init(&l.line, LINE_MAX_BYTES);
	status = cfs_cli_each_target(o, look_up, &l);
	cfs_buf_release(&l.url);
	cfs_buf_release(&l.archive);
	cfs_buf_release(&l.digest);
	cfs_buf_release(&l.path);
	cfs_buf_release(&l.line);
	free(l.near);
	return status;
}

const struct cfs_command cfs_cmd_lookup = {
	.name = "lookup",
	.by = CFS_BY_LOOKUP,
	.summary = "list the captures of a URL or below a prefix",
	.usage =
	"crawlfs lookup SOURCE URL|PREFIX|TREEPATH...\n\n"
	"Lists captures in index order, one CDXJ line each: the SURT key, the\n"
	"time (UTC), where the record is, and its path in the tree.",
	.example =
	"  crawlfs lookup crawl.cfx org.gnu.www/software --limit=10\n",
	.operands = { "SOURCE", "URL or PREFIX" },
	.run = cmd_lookup_run,
};
