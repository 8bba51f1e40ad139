/* cmd_collections.c - crawlfs collections: lists the crawls that have names.
 *
 * The list is kept as CACHE/collinfo.json and requested again after a day, as
 * its server asks clients to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fileio.h"
#include "base/timestamp.h"
#include "base/trust.h"
#include "commands.h"
#include "output.h"
#include "signals.h"
#include "net/collections.h"
#include "net/open_location.h"

#define KEPT_S 86400
/* Time-out of one read, unless --timeout is given: the user is waiting, and
 * there may be an older list. */
#define ASK_MS 8000u
#define READ_BYTES 65536u	/* the list has about 30,000 bytes */
#define LIST_MAX (CFS_COLLINFO_MAX + READ_BYTES)

static int cmd_collections_read_all(const char *location, struct cfs_buf *out,
				    struct cfs_ctx ctx)
{
	struct cfs_source *src;
	size_t got = READ_BYTES;
	int rc = cfs_location_open(&src, location, ctx.err);

	if (rc != CFS_OK)
		return rc;
	while (rc == CFS_OK && got == READ_BYTES) {
		rc = cfs_buf_reserve(out, READ_BYTES);
		if (rc != CFS_OK) {
			cfs_error_at(ctx.err, rc, location, out->n,
				     rc == CFS_ENOMEM ? "out of memory" :
				     "the list of collections is too long");
			break;
		}
		rc = cfs_source_read_some(src, out->p + out->n, READ_BYTES,
					  out->n, &got, ctx);
		out->n += rc == CFS_OK ? got : 0;
	}
	cfs_source_close(src);
	return rc;
}

static bool kept_path(char *out, size_t out_bytes, const char *dir)
{
	char cache[PATH_MAX];
	int n;

	dir = cfs_crawl_cache_dir(dir, cache);
	if (dir == NULL)
		return false;
	mkdir(dir, 0700);
	n = snprintf(out, out_bytes, "%s/" CFS_COLLINFO_NAME, dir);
	return n > 0 && (size_t)n < out_bytes;
}

/* True if the text can be parsed as a list; only then is it kept. */
static bool cmd_collections_is_list(struct cfs_slice text)
{
	struct cfs_collection *v;
	size_t n;
	bool yes = cfs_collections_parse(text, &v, &n, NULL) == CFS_OK && n > 0;

	free(v);
	return yes;
}

/* Reads the kept list, if there is one.  *is_fresh: it is recent enough. */
static bool cmd_collections_read_kept(const char *path, struct cfs_buf *out,
				      bool *is_fresh)
{
	struct stat st;

	if (stat(path, &st) != 0 ||
	    cmd_collections_read_all(path, out, CFS_CTX(NULL, NULL)) !=
		    CFS_OK ||
	    !cmd_collections_is_list(cfs_buf_slice(out))) {
		cfs_buf_reset(out);
		return false;
	}
	*is_fresh = time(NULL) - st.st_mtime < KEPT_S;
	return true;
}

/* Reads the list at `location`, a file or a URL. */
static int read_given(const char *location, struct cfs_buf *out,
		      struct cfs_error *err)
{
	return cmd_collections_read_all(location, out,
					CFS_CTX(cfs_cli_catch_signals(), err));
}

/* Reads the kept list if it is recent, else the server's, else the kept one
 * however old.  CFS_END if there is none; the reason has been reported. */
static int read_usual(const char *cache_dir, struct cfs_buf *out,
		      struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	char path[PATH_MAX];
	CFS_BUF(fresh, LIST_MAX);
	bool may_keep = kept_path(path, sizeof(path), cache_dir);
	bool is_fresh = false, is_kept = may_keep &&
					 cmd_collections_read_kept(path, out,
								   &is_fresh);
	int rc;

	if (is_fresh)
		return CFS_OK;
	rc = read_given(CFS_COLLINFO_URL, &fresh, &e);
	if (rc == CFS_OK && !cmd_collections_is_list(cfs_buf_slice(&fresh)))
		rc = cfs_error_at(&e, CFS_EFORMAT, CFS_COLLINFO_URL, 0,
				  "is not a list of collections");
	if (rc == CFS_OK) {
		cfs_buf_reset(out);
		rc = cfs_buf_add(out, cfs_buf_slice(&fresh));
		/* not being able to keep the list is no failure */
		if (may_keep)
			cfs_file_replace(path, cfs_buf_slice(&fresh),
					 cfs_trust_mode(0600), NULL);
	} else if (rc == CFS_EINTR || rc == CFS_ENOMEM) {
		cfs_error_pass(err, &e, rc);
	} else {
		cfs_cli_error("warning: %s: %s; showing the list %s", e.where,
			      e.text, is_kept ? "kept before" :
						"known without the server");
		rc = is_kept ? CFS_OK : CFS_END;
	}
	return rc;
}

static const char *or_dash(const char *date)
{
	return date[0] != '\0' ? date : "-";
}

static void print_one(const struct cfs_collection *c)
{
	cfs_out_f("%-20s  %-10.10s  %-10.10s  ", c->id, or_dash(c->from),
		  or_dash(c->to));
	cfs_out_text(cfs_slice_str(c->title[0] ? c->title :
				   "known without the server"));
	cfs_out_f("\n");
}

/* The members `from` and `to`, where they are known. */
static void put_day(struct cfs_json *j, const char *key, const char *date)
{
	int64_t time;

	if (cfs_time_parse_iso(cfs_slice_str(date), &time) == CFS_OK)
		cfs_json_put_time(j, key, time);
}

static void put_one(struct cfs_json *j, const struct cfs_collection *c)
{
	cfs_json_item(j);
	cfs_json_open(j, '{');
	cfs_json_put_ascii(j, "name", cfs_slice_str(c->id),
			   CFS_JSON_ODD_REPLACED);
	put_day(j, "from", c->from);
	put_day(j, "to", c->to);
	if (c->title[0] != '\0')
		cfs_json_put_ascii(j, "title", cfs_slice_str(c->title),
				   CFS_JSON_ODD_REPLACED);
	cfs_json_close(j, '}');
}

static int print_list(const struct cfs_collection *v, size_t n, bool is_json,
		      struct cfs_error *err)
{
	static const struct cfs_collection pbtree = {
		.id = "url-index.1356128792", .from = "2012-01-27",
		.to = "2012-06-21", .title = "2012 by its PB-tree",
	};
	struct cfs_out_document d;

	if (!is_json) {
		for (size_t i = 0; i < n; i++)
			print_one(&v[i]);
		print_one(&pbtree);
		return CFS_OK;
	}
	cfs_out_document_begin(&d);
	cfs_json_key(&d.j, CFS_SLICE_LIT("collections"));
	cfs_json_open(&d.j, '[');
	for (size_t i = 0; i < n; i++)
		put_one(&d.j, &v[i]);
	put_one(&d.j, &pbtree);
	cfs_json_close(&d.j, ']');
	return cfs_out_document_end(&d, CFS_OK, err);
}

static int cmd_collections_list(const struct cfs_options *o,
				struct cfs_error *err)
{
	const char *location = o->collinfo;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_collection *v = NULL;
	CFS_BUF(text, LIST_MAX);
	size_t n;
	int rc = location != NULL ? read_given(location, &text, err) :
		 read_usual(o->crawl.cache_dir, &text, err);

	if (rc == CFS_END)
		rc = cfs_collections_built_in(&v, &n, err);
	else if (rc == CFS_OK)
		rc = cfs_collections_parse(cfs_buf_slice(&text), &v, &n, &e);
	if (e.code != CFS_OK)
		cfs_error_at(err, rc, location != NULL ? location :
			     CFS_COLLINFO_NAME, e.offset, "%s", e.text);
	if (rc == CFS_OK)
		rc = print_list(v, n, o->is_json, err);
	free(v);
	return rc;
}

static int cmd_collections_run(struct cfs_options *o)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc;

	if (o->http.timeout_ms == 0)
		o->http.timeout_ms = ASK_MS;
	rc = cfs_http_configure(&o->http, &err);
	if (rc == CFS_OK)
		rc = cmd_collections_list(o, &err);
	return cfs_cli_end(rc, &err);
}

const struct cfs_command cfs_cmd_collections = {
	.name = "collections",
	.by = CFS_BY_COLLECTIONS,
	.summary = "list Common Crawl's crawls by their names",
	.usage =
		"crawlfs collections [OPTION...]\n\n"
		"Lists the crawls that can be given to the other commands by name: name,\n"
		"first and last day, title.  The list is asked for once a day; without the\n"
		"network the one asked for before is shown, or one that is built in.",
	.example = "  crawlfs collections\n"
		   "  crawlfs mount CC-MAIN-2024-10 /mnt\n",
	.takes_none = true,
	.run = cmd_collections_run,
};
