/* cmd_lookup.c - crawlfs lookup: prints captures, one CDXJ line each.
 *
 * Format: doc/formats.md, "CDXJ lines":
 *     surt SP timestamp14 SP {"url": ..., "mime": ..., "status": ...,
 *     "digest": ..., "path": ..., "path_meta": ..., "path_txt": ...,
 *     "length": ..., "offset": ..., "filename": ..., "languages": ...} LF
 * and with --near "distance": ... at its end.
 * All values are strings; non-ASCII is \uXXXX; a byte that is not UTF-8 is
 * percent-escaped in a URL, which is the same URL to a server, and \udcXX in a
 * path, as in Python.  With --json a line is a row of an export, in ASCII.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "commands.h"
#include "crawl/cdx_row.h"
#include "crawl/choices.h"
#include "crawl/content.h"
#include "crawl/page.h"
#include "export/entry_row.h"
#include "export/export.h"
#include "format/cdx/cdx_line_write.h"
#include "index/similar.h"
#include "index/dates.h"
#include "index/language_codes.h"
#include "output.h"
#include "record/digest.h"
#include "source_args.h"

#define LINE_MAX_BYTES (64u * CFS_KEY_MAX)	/* texts of one capture, each
						 * byte as \uXXXX */
#define STOPPED 2
#define LINES_TABLE 2		/* of --format */
#define TYPE_COLUMNS 16		/* of a table: most types fit */

/* The views whose paths are printed, with their members. */
static const struct {
	enum cfs_view view;
	const char *key;
} path_keys[] = {
	{ CFS_VIEW_RAW, "path" },
	{ CFS_VIEW_META, "path_meta" },
	{ CFS_VIEW_TEXT, "path_txt" },
};
#define PATHS (sizeof(path_keys) / sizeof(path_keys[0]))
#define PATH_VIEWS CFS_VIEWS_DEFAULT

struct lookup {
	struct cfs_crawl *crawl;
	const struct cfs_target *target;
	struct cfs_ctx ctx;
	bool is_json, is_table;
	uint64_t limit, found;		/* limit 0: none */
	bool records_fail;
	struct cfs_paths *paths;
	/* The texts of one capture. */
	struct cfs_cdx_row row;
	struct cfs_languages languages;
	struct cfs_buf path[PATHS];
	struct cfs_buf line;
	/* For --json: the fields of a row, whether the user named them, and
	 * how many paths an object has. */
	cfs_export_set fields;
	bool are_named, has_errors;
	size_t n_paths;
	struct cfs_entry *entry;
	struct cfs_export_row fields_row;
	struct cfs_entry_row held;
	struct cfs_buf object;
	/* for --closest and --near: */
	bool by_distance;
	int64_t closest;
	const char *near_url;	/* NULL: --closest */
	unsigned near_bits;
	uint64_t near_hash;	/* of that URL's main content */
	bool has_hash;		/* it is known */
	int64_t near_time;	/* of the capture that it is of */
	unsigned bits;		/* in which that of the current capture differs
				 * from it */
	struct near_times *near;
	size_t n, room;
};

/* ---- lines -------------------------------------------------------------- */

/* Finds the digest of a capture, with its label.  If the index has none and a
 * single page was asked for, takes the record's; once a record cannot be read,
 * no other is tried, because its server may be down. */
static void find_digest(struct lookup *l, const struct cfs_iter *it,
			const struct cfs_capture *cap)
{
	const struct cfs_node node = { .type = CFS_NODE_FILE, .pos = it->pos,
				       .view = CFS_VIEW_RAW };
	struct cfs_stored *stored = NULL;
	struct cfs_buf *out = &l->row.digest;

	cfs_buf_reset(out);
	if (cap->digest.n > 0) {
		cfs_digest_add(out, cap->digest);
	} else if (l->target->kind != CFS_TARGET_PREFIX &&
		   l->target->kind != CFS_TARGET_BEGIN && !l->target->below &&
		   !l->records_fail) {
		l->records_fail = cfs_content_record(l->crawl, &node, &stored,
					CFS_CTX(l->ctx.cancel, NULL)) != CFS_OK;
		if (!l->records_fail)
			cfs_record_add_digest(cfs_stored_record(stored),
					      CFS_PAGES_STAY, out);
	}
	cfs_stored_put(stored);
	cfs_cdx_row_set_digest(&l->row);
}

/* Appends `, "key": ` and the path, for all paths. */
static void add_paths(struct lookup *l)
{
	for (size_t i = 0; i < PATHS && l->path[i].n > 0; i++) {
		cfs_buf_adds(&l->line, ", \"");
		cfs_buf_adds(&l->line, path_keys[i].key);
		cfs_buf_adds(&l->line, "\": ");
		cfs_json_add_ascii(&l->line, cfs_buf_slice(&l->path[i]),
				   CFS_JSON_ODD_SURROGATE);
	}
}

static void add_fields(struct lookup *l, const enum cfs_cdx_key *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cfs_cdx_add_field(&l->line, cfs_cdx_names[keys[i]],
				  l->row.v[keys[i]]);
}

/* Appends the line of a capture; all its texts have been found. */
static void add_cdxj(struct lookup *l, const struct cfs_capture *cap)
{
	static const enum cfs_cdx_key keys[] = {
		CFS_CDX_URL, CFS_CDX_MIME, CFS_CDX_STATUS, CFS_CDX_DIGEST,
		CFS_CDX_LENGTH, CFS_CDX_OFFSET, CFS_CDX_FILENAME,
		CFS_CDX_LANGUAGES };
	char when[CFS_TIME_14_BYTES];
	struct cfs_buf *out = &l->line;

	cfs_buf_add(out, l->row.v[CFS_CDX_URLKEY]);
	cfs_buf_addc(out, ' ');
	cfs_buf_adds(out, cfs_time_format_cdx(cap->time, when));
	cfs_buf_adds(out, " {");
	add_fields(l, keys, 4);
	add_paths(l);
	add_fields(l, keys + 4, 4);
	if (l->near_url != NULL)
		cfs_buf_addf(out, ", \"distance\": \"%u\"", l->bits);
	cfs_buf_adds(out, "}\n");
}

/* Appends a text of a table, or "-", and blanks up to the next one. */
static void add_column(struct cfs_buf *out, struct cfs_slice text, size_t width)
{
	size_t end = out->n + width;

	cfs_text_escape(out, text.n > 0 ? text : CFS_SLICE_LIT("-"));
	do {
		cfs_buf_addc(out, ' ');
	} while (out->failed == CFS_OK && out->n <= end);
}

/* Appends the row of a capture, for people. */
static void add_table(struct lookup *l, const struct cfs_capture *cap)
{
	char when[CFS_TIME_ISO_BYTES] = "";

	if (cap->time != 0)
		cfs_time_format_iso(cap->time, when);
	add_column(&l->line, cfs_slice_str(when), sizeof(when) - 1);
	add_column(&l->line, l->row.v[CFS_CDX_STATUS], 3);
	add_column(&l->line, l->row.v[CFS_CDX_MIME], TYPE_COLUMNS);
	cfs_text_escape(&l->line, l->row.v[CFS_CDX_URL]);
	cfs_buf_addc(&l->line, '\n');
}

/* ---- objects ------------------------------------------------------------ */

/* The members of an object for which no fields are named: an index has them. */
#define INDEX_FIELDS \
	(CFS_EXPORT_OF_URL | CFS_EXPORT_BIT(CFS_EXPORT_TIMESTAMP) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_RECORD_TYPE) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_STATUS) | CFS_EXPORT_BIT(CFS_EXPORT_MIME) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_DIGEST) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_ARCHIVE) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_OFFSET) | CFS_EXPORT_BIT(CFS_EXPORT_LENGTH))

/* Fills the row of a capture.  If no fields are named, no record is read but
 * for the digest of a page (find_digest). */
static int fill_row(struct lookup *l, const struct cfs_iter *it,
		    const struct cfs_capture *cap)
{
	struct cfs_export_row *r = &l->fields_row;
	cfs_export_set set = l->fields;
	int rc = cfs_entry_load(l->crawl, it->pos, l->entry, l->ctx);

	cfs_export_row_reset(r);
	if (!l->are_named && cap->digest.n == 0)
		set &= ~CFS_EXPORT_BIT(CFS_EXPORT_DIGEST);
	if (rc == CFS_OK)
		rc = cfs_entry_row_fill(r, set, l->crawl, l->entry, &l->held,
					l->ctx);
	if (l->are_named)
		return rc;
	if (l->row.digest.n > 0)
		cfs_export_row_set(r, CFS_EXPORT_DIGEST,
				   cfs_buf_slice(&l->row.digest));
	if (cap->loc.length == 0)
		cfs_export_row_set_number(r, CFS_EXPORT_LENGTH, 0);
	return rc;
}

/* Appends the row as an object, with the paths at its end: a byte in them that
 * is not UTF-8 is kept apart as programs in Python do. */
static int add_object(struct lookup *l, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	const struct cfs_export_opts opts = { .fields = l->fields &
		~CFS_EXPORT_BIT(CFS_EXPORT_PATH) };
	struct cfs_json j = { .out = &l->line, .compact = true };
	int rc = fill_row(l, it, cap);

	cfs_buf_reset(&l->object);
	if (rc == CFS_OK)
		rc = cfs_row_put_json(&l->fields_row, &opts, &l->object,
				      l->ctx);
	if (rc == CFS_OK)
		rc = cfs_view_made_in(&l->object, l->ctx.err);
	l->has_errors |= (l->fields_row.has &
			  CFS_EXPORT_BIT(CFS_EXPORT_ERROR)) != 0;
	cfs_entry_row_release(&l->held);
	if (rc != CFS_OK)
		return rc;
	l->object.n -= 2;	/* the bracket and the line end */
	cfs_json_add_escaped(&l->line, cfs_buf_slice(&l->object));
	j.first = l->object.n == 1;
	for (size_t i = 0; i < l->n_paths && l->path[i].n > 0; i++)
		cfs_json_put_ascii(&j, path_keys[i].key,
				   cfs_buf_slice(&l->path[i]),
				   CFS_JSON_ODD_SURROGATE);
	if (l->near_url != NULL)
		cfs_json_put_int(&j, "distance", l->bits);
	cfs_buf_adds(&l->line, "}\n");
	return CFS_OK;
}

/* ---- nearest first ------------------------------------------------------ */

/* Most captures of one page that are sorted. */
#define NEAR_MAX ((size_t)1 << 20)

struct near_times {
	uint64_t distance;		/* seconds, or bits */
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

/* Keeps the line for sorting: with --closest the first one will be the capture
 * that NAME#@DATE means (crawl/page.h). */
static int keep_line(struct lookup *l, const struct cfs_capture *cap)
{
	int rc = cfs_array_reserve((void **)&l->near, &l->room, l->n + 1,
				   sizeof(*l->near), NEAR_MAX);
	struct near_times *to;

	if (rc == CFS_ELIMIT)
		return cfs_error_set(l->ctx.err, rc,
				     "more than %zu captures: "
				     "narrow them by --from and --to, or by a "
				     "PREFIX",
				     NEAR_MAX);
	if (rc != CFS_OK)
		return cfs_error_nomem(l->ctx.err);
	to = &l->near[l->n];
	*to = (struct near_times){
			     l->near_url != NULL ? l->bits :
			     cfs_dates_distance(cap->time, l->closest), l->n,
			     l->near_url == NULL && cfs_capture_is_good(cap),
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

/* Damage beside a page may hide captures of it: then its paths are unknown. */
static int find_paths(struct lookup *l, const struct cfs_iter *it)
{
	int rc = cfs_paths_find(l->paths, it);

	for (size_t i = 0; i < PATHS; i++)
		cfs_buf_reset(&l->path[i]);
	if (rc == CFS_EFORMAT) {
		cfs_error_clear(l->ctx.err);
		return CFS_OK;
	}
	for (size_t i = 0; i < PATHS && rc == CFS_OK; i++) {
		rc = cfs_paths_add(l->paths, path_keys[i].view, &l->path[i]);
	}
	return rc;
}

/* Makes l->line. */
static int make_line(struct lookup *l, const struct cfs_iter *it,
		     const struct cfs_capture *cap)
{
	int rc = cfs_cdx_row_fill(&l->row, l->crawl, NULL, it, cap,
				  l->ctx.err);

	if (rc == CFS_OK)
		rc = find_paths(l, it);
	if (rc != CFS_OK)
		return rc;
	find_digest(l, it, cap);
	cfs_languages_take(&l->languages, cap->languages);
	l->row.v[CFS_CDX_LANGUAGES] = cfs_languages_list(&l->languages);
	cfs_buf_reset(&l->line);
	if (l->is_table)
		add_table(l, cap);
	else if (!l->is_json)
		add_cdxj(l, cap);
	else if ((rc = add_object(l, it, cap)) != CFS_OK)
		return rc;
	return l->line.failed;
}

static int cmd_lookup_on_capture(void *arg, const struct cfs_iter *it,
				 const struct cfs_capture *cap)
{
	struct lookup *l = arg;
	uint64_t hash;
	int rc;

	if (l->near_url != NULL) {
		if (!cfs_view_bytes_simhash(&cap->views, &hash))
			return CFS_OK;
		l->bits = cfs_similar_distance(hash, l->near_hash);
		if (l->bits > l->near_bits)
			return CFS_OK;
	}
	rc = make_line(l, it, cap);
	if (rc != CFS_OK)
		return rc;
	if (l->by_distance)
		return keep_line(l, cap);
	if (!cfs_out_bytes(cfs_buf_slice(&l->line)))
		return STOPPED;
	return ++l->found == l->limit ? STOPPED : CFS_OK;
}

/* As cfs_target_fn: takes the hash of the last capture that has one. */
static int take_hash(void *arg, const struct cfs_iter *it,
		     const struct cfs_capture *cap)
{
	struct lookup *l = arg;
	uint64_t hash;

	(void)it;
	if (cfs_view_bytes_simhash(&cap->views, &hash) &&
	    (!l->has_hash || cap->time >= l->near_time)) {
		l->has_hash = true;
		l->near_time = cap->time;
		l->near_hash = hash;
	}
	return CFS_OK;
}

/* Finds the hash of the capture that is shown for the URL of --near; if that
 * has none, as a revisit of another index, of the last one that has. */
static int find_near(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	struct lookup *l = arg;
	struct cfs_node node;
	int rc = cfs_target_file(t, &node, ctx);

	if (rc == CFS_OK)
		rc = cfs_entry_load(t->crawl, node.pos, l->entry, ctx);
	if (rc == CFS_OK)
		l->has_hash = cfs_view_bytes_simhash(&l->entry->cap.views,
						     &l->near_hash);
	if (rc == CFS_OK && !l->has_hash)
		rc = cfs_target_each(t, NULL, take_hash, l, ctx);
	if (rc == CFS_OK && !l->has_hash)
		rc = cfs_error_set(ctx.err, CFS_EUNSUPPORTED,
				   "--near: the index has no hash of the main "
				   "content of '%s': 'crawlfs index --simhash' "
				   "keeps them, of pages with letters", t->text);
	return rc;
}

/* Finds what lines and rows need of the whole crawl. */
static int look_into_crawl(struct lookup *l, struct cfs_crawl *crawl,
			   struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (l->near_url != NULL)
		rc = cfs_target_with(crawl, l->near_url, find_near, l, ctx);
	if (rc == CFS_OK && crawl->clusters == NULL &&
	    (l->fields & CFS_EXPORT_BIT(CFS_EXPORT_CLUSTER)) != 0)
		rc = cfs_clusters_find(crawl, l->near_bits,
				       CFS_CRAWL_MEM_DEFAULT / 4, ctx);
	return rc;
}

static int look_up(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	struct lookup *l = arg;
	size_t n_holes;
	int rc;

	if (l->crawl == NULL)
		cfs_cli_warn_of_damage(t->crawl);
	l->crawl = t->crawl;
	l->target = t;
	l->ctx = ctx;
	l->found = 0;
	if (l->by_distance && l->near_url == NULL &&
	    (t->kind == CFS_TARGET_PREFIX || t->below ||
	     t->kind == CFS_TARGET_BEGIN))
		return cfs_error_set(ctx.err, CFS_EUSAGE, "'%s' is not one URL: "
				     "--closest has no meaning", t->text);
	n_holes = cfs_holes_count(&t->crawl->holes);
	l->entry = cfs_entry_new(ctx.err);
	if (l->entry == NULL)
		return CFS_ENOMEM;
	l->paths = NULL;
	rc = look_into_crawl(l, t->crawl, ctx);
	if (rc == CFS_OK)
		rc = cfs_paths_begin(&l->paths, t->crawl, PATH_VIEWS, ctx);
	if (rc == CFS_OK)
		rc = cfs_target_each(t, &t->crawl->holes, cmd_lookup_on_capture,
				     l, ctx);
	cfs_paths_end(l->paths);
	cfs_entry_free(l->entry);
	print_near(l, rc == CFS_OK);
	if (rc == STOPPED)
		rc = CFS_OK;
	if (rc == CFS_OK && l->found == 0 &&
	    cfs_holes_count(&t->crawl->holes) > n_holes)
		return cfs_error_set(ctx.err, CFS_EFORMAT, "whether '%s' is in "
				     "the index cannot be read", t->text);
	if (rc == CFS_OK && l->found == 0 && cfs_out_ok()) {
		cfs_choices_log(t, ctx.cancel);
		rc = cfs_error_set(ctx.err, CFS_ENOTFOUND,
				   "'%s' is not in the "
				   "index%s",
				   t->text, cfs_crawl_pick_suffix(l->crawl));
	}
	return rc;
}

static int lookup_begin(struct lookup *l, const struct cfs_options *o)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int64_t end;

	if (o->closest != NULL && o->near_url != NULL)
		return cfs_cli_usage(o->command, "--closest and --near exclude "
				     "each other");
	if (o->closest != NULL &&
	    cfs_time_parse_span(cfs_slice_str(o->closest), &l->closest,
				&end) != CFS_OK)
		return cfs_cli_usage(o->command, "option '--closest': '%.100s' "
				     "is " CFS_DATES_REFUSAL, o->closest);
	if (l->are_named &&
	    cfs_export_fields_parse(o->fields, &l->fields, &e) != CFS_OK)
		return cfs_cli_usage(o->command, "option '--fields': %s",
				     e.text);
	l->n_paths = PATHS;
	if (l->are_named)
		l->n_paths = (l->fields & CFS_EXPORT_BIT(CFS_EXPORT_PATH)) != 0;
	cfs_export_row_init(&l->fields_row);
	cfs_buf_init(&l->object, CFS_VIEW_MAX_BYTES);
	cfs_cdx_row_init(&l->row);
	for (size_t i = 0; i < PATHS; i++)
		cfs_buf_init(&l->path[i], 4 * CFS_KEY_MAX);
	cfs_buf_init(&l->line, l->are_named ? CFS_VIEW_MAX_BYTES :
					      LINE_MAX_BYTES);
	return CFS_EXIT_OK;
}

static void lookup_release(struct lookup *l)
{
	cfs_export_row_release(&l->fields_row);
	cfs_buf_release(&l->object);
	cfs_cdx_row_release(&l->row);
	for (size_t i = 0; i < PATHS; i++)
		cfs_buf_release(&l->path[i]);
	cfs_buf_release(&l->line);
	free(l->near);
}

static int cmd_lookup_run(struct cfs_options *o)
{
	struct lookup l = { .limit = o->limit, .fields = INDEX_FIELDS,
			    .are_named = o->fields != NULL,
			    .is_json = o->is_json || o->fields != NULL,
			    .by_distance = o->closest != NULL ||
					   o->near_url != NULL,
			    .near_url = o->near_url,
			    .near_bits = o->near_bits };
	int status = lookup_begin(&l, o);

	l.is_table = !l.is_json && (o->lines == LINES_TABLE ||
				    (o->lines == 0 && isatty(STDOUT_FILENO)));
	if (status != CFS_EXIT_OK)
		return status;
	status = cfs_cli_each_target(o, look_up, &l);
	lookup_release(&l);
	if (status == CFS_EXIT_OK && l.has_errors) {
		cfs_cli_error("captures with an error are in the list");
		status = CFS_EXIT_FAILURE;
	}
	return status;
}

const struct cfs_command cfs_cmd_lookup = {
	.name = "lookup",
	.by = CFS_BY_LOOKUP,
	.summary = "list the captures of a URL or below a prefix",
	.usage =
	"crawlfs lookup SOURCE [URL|PREFIX|TREEPATH...]\n\n"
	"Lists captures in index order (without a target, all of them), one CDXJ line\n"
	"each: the SURT key, the time (UTC), where the record is, and the paths in the\n"
	"tree of the page, its metadata and its text.",
	.example =
	"  crawlfs lookup crawl.cfx org.gnu.www/software --limit=10\n",
	.operands = { "SOURCE" },
	.run = cmd_lookup_run,
};
