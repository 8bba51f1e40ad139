/* error_report.c - describes what has failed, for the table of failures.
 *
 * What has failed is described when a failure is new, from what is in memory: a
 * server that does not answer is not asked for names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "error_report.h"

#include <stdio.h>
#include <time.h>

#include "base/hash.h"
#include "base/log.h"
#include "codec/json.h"
#include "control.h"
#include "crawl/companions.h"
#include "crawl/tree.h"
#include "failures.h"
#include "index/hits.h"
#include "net/location.h"
#include "record/archives.h"
#include "records.h"

/* ---- what has failed --------------------------------------------------- */

static bool always(void *arg)
{
	(void)arg;
	return true;
}

/* A cancel token that fails every request to a server at once; NULL for a local
 * crawl, which may be read. */
static const struct cfs_cancel *without_server(const struct cfs_crawl *c)
{
	static const struct cfs_cancel now = { .asked = always };

	return c->cache != NULL ? &now : NULL;
}

/* Appends the path of a folder of a search, as far as it is in memory. */
static void add_search_path(struct cfs_fs *fs, uint64_t ino,
			    struct cfs_buf *out)
{
	struct cfs_search_hits pin;
	struct cfs_crawl *c;
	struct cfs_node n;

	if (!cfs_ino_search(ino, &n))
		return;
	c = fs->crawls[n.source];
	cfs_buf_adds(out, "/search/");
	(void)cfs_searches_next(fs->searches, &n.search, out);
	if (n.hit == CFS_INO_SEARCH_TOP || n.source >= fs->n_crawls)
		return;
	if (fs->n_crawls > 1)
		cfs_buf_addf(out, "/%s", fs->names[n.source]);
	if (n.depth == 0 ||
	    !cfs_searches_peek(fs->searches, n.search, n.source, &pin))
		return;
	n.pos = cfs_hits_index_pos(pin.ix, n.hit);
	cfs_buf_addc(out, '/');
	(void)cfs_tree_path(c, &n, out, CFS_CTX(without_server(c), NULL));
	cfs_lru_put(pin.ref);
}

static void add_control_path(struct cfs_fs *fs, uint64_t ino,
			     struct cfs_buf *out)
{
	const struct cfs_control_file *f = cfs_control_file_of(ino);

	if (ino == CFS_INO_ROOT)
		return;
	cfs_buf_adds(out, ".crawlfs");
	if (f != NULL)
		cfs_buf_addf(out, "/%s", f->name);
	else if (cfs_records_is_dir(ino) || cfs_records_is_file(ino))
		cfs_records_path(fs, ino, out);
	else
		add_search_path(fs, ino, out);
}

/* Appends the path of ino below the mount point; nothing if it is not known. */
static void error_report_add_path(struct cfs_fs *fs, uint64_t ino,
				  struct cfs_buf *out)
{
	struct cfs_crawl *c;
	struct cfs_node n;
	size_t begin;

	if (!cfs_fs_node(fs, ino, &n)) {
		add_control_path(fs, ino, out);
		return;
	}
	c = fs->crawls[n.source];
	if (n.view == CFS_VIEW_URL)
		n.view = CFS_VIEW_RAW;
	if (fs->n_crawls > 1)
		cfs_buf_adds(out, fs->names[n.source]);
	begin = out->n;
	if (begin > 0)
		cfs_buf_addc(out, '/');
	if (cfs_tree_path(c, &n, out,
			  CFS_CTX(without_server(c), NULL)) != CFS_OK ||
	    out->n == begin + 1)
		out->n = begin;
}

/* Adds the archive's name without what must not be shown (queries of URLs). */
static void put_archive(struct cfs_json *j, struct cfs_slice name)
{
	CFS_BUF(shown, CFS_URL_MAX + 4);

	cfs_location_show(&shown, name);
	cfs_json_put_str(j, "archive", cfs_buf_slice(&shown));
}

/* Adds the archive and the offset of the record that the file is made of.
 * Returns a hash of the archive, or 0. */
static uint64_t put_record(struct cfs_json *j, struct cfs_fs *fs, uint64_t ino)
{
	uint64_t archive = 0;
	struct cfs_entry *e;
	struct cfs_crawl *c;
	struct cfs_span loc;
	struct cfs_companion comp;
	struct cfs_node n;

	if (!cfs_fs_node(fs, ino, &n) || n.type != CFS_NODE_FILE)
		return 0;
	c = fs->crawls[n.source];
	e = cfs_entry_new(NULL);
	if (e != NULL && cfs_entry_read(c, n.pos, e,
					CFS_CTX(without_server(c), NULL)) ==
			 CFS_OK) {
		loc = cfs_companion_of(&e->cap, n.view, &comp) ? comp.loc :
							    e->cap.loc;
		cfs_buf_reset(&e->archive);
		if (cfs_index_archive_name(c->index, &loc, &e->archive, NULL) ==
		    CFS_OK) {
			put_archive(j, cfs_archive_plain(
						cfs_buf_slice(&e->archive)));
			cfs_json_put_int(j, "offset", (int64_t)loc.offset);
			archive = cfs_hash64(cfs_buf_slice(&e->archive),
					     n.source) | 1;
		}
	}
	cfs_entry_free(e);
	return archive;
}

/* All failures of an archive have one cause; so have all of a server that does
 * not answer. */
static uint64_t cause_of(int code, const struct cfs_error *err,
			 uint64_t archive)
{
	struct cfs_slice where = cfs_slice_str(err->where);
	uint64_t seed = (uint64_t)(unsigned)-code;
	struct cfs_location loc;

	if ((code == CFS_EIO || code == CFS_ETIMEOUT) &&
	    cfs_location_parse(&loc, err->where, NULL) == CFS_OK)
		return cfs_hash64(loc.host, cfs_hash64(loc.port, 0));
	if (where.n > 0)	/* of a revisit perhaps its
				 * original's archive */
		return cfs_hash64(where, seed);
	return archive != 0 ? archive + seed :
			      cfs_hash64(cfs_slice_str(err->text), seed);
}

/* Writes the members that say what has failed, and a line for the log.  Returns
 * the failure's cause. */
static uint64_t error_report_describe(struct cfs_fs *fs, uint64_t ino,
				      const char *name, int code,
				      const struct cfs_error *err,
				      struct cfs_buf *members,
				      char line[CFS_FAILURE_LOG_LINE])
{
	struct cfs_json j = { .out = members, .compact = true, .depth = 1 };
	struct cfs_error all = *err;
	uint64_t archive = 0;
	CFS_BUF(path, 4 * CFS_KEY_MAX);

	error_report_add_path(fs, ino, &path);
	if (name != NULL && path.n > 0)
		cfs_buf_addc(&path, '/');
	if (name != NULL)
		cfs_buf_adds(&path, name);
	cfs_json_put_str(&j, "file", cfs_buf_slice(&path));
	if (name == NULL)
		archive = put_record(&j, fs, ino);
	cfs_json_put_str(&j, "error", cfs_slice_str(cfs_code_name(code)));
	if (all.code == CFS_OK)
		cfs_error_set(&all, code, "%s", cfs_code_name(code));
	cfs_error_where(&all, cfs_buf_str(&path), 0);
	cfs_error_line(&all, line, CFS_FAILURE_LOG_LINE);
	cfs_json_put_str(&j, "cause", cfs_slice_str(line));
	return cause_of(code, err, archive);
}

/* ---- reports --------------------------------------------------------- */

/* True if the fetching code has just logged that this server fails. */
static bool is_logged(const struct cfs_error *err)
{
	struct cfs_slice url = cfs_slice_str(err->where);
	struct cfs_location loc;
	char server[sizeof(err->where)];

	if (cfs_location_parse(&loc, err->where, NULL) != CFS_OK)
		return false;
	url.n -= loc.path.n;
	snprintf(server, sizeof(server), "%.*s", (int)url.n,
		 (const char *)url.p);
	return cfs_log_has(server,
			   cfs_monotonic_ms() - CFS_FAILURE_LOG_QUIET_MS);
}

static uint64_t hash_of_error(const struct cfs_error *err, uint64_t seed)
{
	uint64_t h = cfs_hash64(cfs_slice_str(err->where), seed);

	h = cfs_hash64(cfs_slice_str(err->text), h + err->offset);
	return h != 0 ? h : 1;
}

void cfs_error_report_note(struct cfs_fs *fs, uint64_t ino, const char *name,
			   int code, const struct cfs_error *err)
{
	struct cfs_failure f = { .of = cfs_failures_key(ino, name), .count = 1,
				 .code = code, .first = time(NULL) };
	bool was_logged = is_logged(err);
	char line[CFS_FAILURE_LOG_LINE];
	CFS_BUF(members, CFS_FAILURE_TEXT_MAX);

	f.how = err->code == CFS_OK ? 0 : hash_of_error(err, f.of);
	if (cfs_failures_count(fs->failures, f.of, f.how, code, was_logged))
		return;
	f.cause = error_report_describe(fs, ino, name, code, err, &members,
					line);
	f.members = cfs_buf_str(&members);
	f.line = line;
	f.last = f.first;
	if (f.how == 0)
		f.how = hash_of_error(err, f.of);
	cfs_failures_note(fs->failures, &f, was_logged);
}

struct found_cause {
	struct cfs_failures *to;
	struct cfs_damage_sum *sum;
	int64_t at;
	unsigned source;
};

static void note_found(void *arg, const struct cfs_index_damage *d)
{
	const struct found_cause *in = arg;
	struct cfs_failure f = { .first = in->at, .last = in->at,
				 .count = d->count, .code = CFS_EFORMAT };
	struct cfs_error err = CFS_ERROR_INIT;
	char line[CFS_FAILURE_LOG_LINE], archive[sizeof(err.where)];
	CFS_BUF(members, CFS_FAILURE_TEXT_MAX);
	struct cfs_json j = { .out = &members, .compact = true, .depth = 1 };

	cfs_damage_sum_add(in->sum, d);
	cfs_error_set(&err, CFS_EFORMAT, "%.*s", (int)d->what.n,
		      (const char *)d->what.p);
	snprintf(archive, sizeof(archive), "%.*s", (int)d->archive.n,
		 (const char *)d->archive.p);
	cfs_error_where(&err, archive, d->offset);
	cfs_error_line(&err, line, sizeof(line));
	cfs_json_put_str(&j, "found", CFS_SLICE_LIT("index"));
	put_archive(&j, d->archive);
	cfs_json_put_int(&j, "offset", (int64_t)d->offset);
	cfs_json_put_str(&j, "error",
			 cfs_slice_str(cfs_code_name(CFS_EFORMAT)));
	cfs_json_put_str(&j, "cause", cfs_slice_str(line));
	f.members = cfs_buf_str(&members);
	f.line = line;
	f.of = cfs_hash64(d->archive, in->source);
	f.how = hash_of_error(&err, f.of);
	cfs_failures_list(in->to, &f);
}

void cfs_error_report_note_index(struct cfs_fs *fs, unsigned i,
				 struct cfs_damage_sum *sum)
{
	const struct cfs_crawl *c = fs->crawls[i];
	struct found_cause in = { fs->failures, sum, c->mtime, i };
	struct cfs_error err = CFS_ERROR_INIT;

	if (cfs_index_damage(c->index, note_found, &in, CFS_CTX(NULL, &err)) !=
	    CFS_OK)
		cfs_log_error(CFS_LOG_WARNING, &err);
}
