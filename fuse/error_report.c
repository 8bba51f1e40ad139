/* error_report.c - a table of failures, by what failed and how, in the order of
 * their last occurrence.
 *
 * What has failed is described when a failure is new, from what is in memory: a
 * server that does not answer is not asked for names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "error_report.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log_limiter.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/sync.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "control.h"
#include "crawl/companions.h"
#include "crawl/tree.h"
#include "net/location.h"
#include "record/archives.h"
#include "records.h"

#define HEADS 1024u

/* Failures are numbered by their places in the table, plus 1; 0 is none. */
struct logged_failure {
	uint64_t of;		/* hash of what failed */
	uint64_t how;		/* hash of what failed and how */
	uint64_t cause;		/* what the log groups failures by */
	int64_t first, last;	/* Unix seconds */
	uint64_t count;
	int code;
	unsigned older, newer;	/* neighbours in the order of last occurrence */
	unsigned next;		/* next with the same hash of what failed */
	char *members;		/* members of its JSON line: ,"file":... */
	char *line;		/* its line for the log */
};

struct cfs_error_report {
	pthread_mutex_t lock;
	struct logged_failure
		v[CFS_ERRORS_MAX];		/* guarded by lock, as all */
	unsigned heads[HEADS];			/* fields down to is_new */
	unsigned n, oldest, newest, unused;
	size_t bytes;
	struct cfs_log_limiter *gather;
	pthread_t thread;		/* logs counts of causes gone quiet */
	pthread_cond_t change;
	bool has_thread, is_ending;
	bool is_idle;			/* the thread waits for a failure */
	bool is_new;			/* one came while the thread worked */
};

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

static void add_control_path(struct cfs_fs *fs, uint64_t ino,
			     struct cfs_buf *out)
{
	if (ino == CFS_INO_ROOT)
		return;
	cfs_buf_adds(out, ".crawlfs");
	for (unsigned i = 0; i < CFS_CONTROL_FILES; i++) {
		uint64_t file = cfs_control_files[i].ino;

		if (ino != file && (!cfs_control_is_snapshot(ino) ||
				    (ino & 0xff) != file))
			continue;
		cfs_buf_addc(out, '/');
		cfs_buf_adds(out, cfs_control_files[i].name);
		return;
	}
	if (cfs_records_is_dir(ino) || cfs_records_is_file(ino))
		cfs_records_path(fs, ino, out);
}

/* Appends the path of ino below the mount point; nothing if it is not known. */
static void add_path(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out)
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
	struct cfs_buf shown;

	cfs_buf_init(&shown, CFS_URL_MAX + 4);
	cfs_location_show(&shown, name);
	cfs_json_put_str(j, "archive", cfs_buf_slice(&shown));
	cfs_buf_release(&shown);
}

/* Adds the archive and the offset of the record that the file is made of.
 * Returns a hash of the archive, or 0. */
static uint64_t put_record(struct cfs_json *j, struct cfs_fs *fs, uint64_t ino)
{
	uint64_t archive = 0;
	struct cfs_entry *e;
	struct cfs_crawl *c;
	struct cfs_span loc;
	struct cfs_companion side;
	struct cfs_node n;

	if (!cfs_fs_node(fs, ino, &n) || n.type != CFS_NODE_FILE)
		return 0;
	c = fs->crawls[n.source];
	e = cfs_entry_new(NULL);
	if (e != NULL && cfs_entry_read(c, n.pos, e,
					CFS_CTX(without_server(c), NULL)) ==
			 CFS_OK) {
		loc = cfs_companion_of(&e->cap, n.view, &side) ? side.loc :
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
static uint64_t describe(struct cfs_fs *fs, uint64_t ino, const char *name,
		     int code, const struct cfs_error *err,
		     struct cfs_buf *members, char line[CFS_LOG_LIMITER_LINE])
{
	struct cfs_json j = { .out = members, .compact = true, .depth = 1 };
	struct cfs_error all = *err;
	uint64_t archive = 0;
	struct cfs_buf path;

	cfs_buf_init(&path, 4 * CFS_KEY_MAX);
	add_path(fs, ino, &path);
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
	cfs_error_line(&all, line, CFS_LOG_LIMITER_LINE);
	cfs_json_put_str(&j, "cause", cfs_slice_str(line));
	cfs_buf_release(&path);
	return cause_of(code, err, archive);
}

/* ---- the table --------------------------------------------------------- */

static unsigned *head_of(struct cfs_error_report *e, uint64_t of)
{
	return &e->heads[of % HEADS];
}

static void take_out_locked(struct cfs_error_report *e, unsigned i)
{
	struct logged_failure *f = &e->v[i - 1];

	*(f->older != 0 ? &e->v[f->older - 1].newer : &e->oldest) = f->newer;
	*(f->newer != 0 ? &e->v[f->newer - 1].older : &e->newest) = f->older;
}

static void add_newest_locked(struct cfs_error_report *e, unsigned i)
{
	struct logged_failure *f = &e->v[i - 1];

	f->older = e->newest;
	f->newer = 0;
	*(e->newest != 0 ? &e->v[e->newest - 1].newer : &e->oldest) = i;
	e->newest = i;
}

static size_t bytes_of(const struct logged_failure *f)
{
	return strlen(f->members) + strlen(f->line);
}

static void drop_oldest_locked(struct cfs_error_report *e)
{
	unsigned i = e->oldest, *p;
	struct logged_failure *f = &e->v[i - 1];

	take_out_locked(e, i);
	for (p = head_of(e, f->of); *p != i; p = &e->v[*p - 1].next)
		continue;
	*p = f->next;
	e->bytes -= bytes_of(f);
	e->n--;
	free(f->members);
	free(f->line);
	*f = (struct logged_failure){ .next = e->unused };
	e->unused = i;
}

/* how 0: finds the latest failure with that code. */
static unsigned find_locked(struct cfs_error_report *e, uint64_t of,
			    uint64_t how, int code)
{
	unsigned best = 0;
	int64_t latest = INT64_MIN;

	for (unsigned i = *head_of(e, of); i != 0; i = e->v[i - 1].next) {
		const struct logged_failure *f = &e->v[i - 1];

		if (f->of == of && (how != 0 ? f->how == how :
				    f->code == code && f->last > latest)) {
			best = i;
			latest = f->last;
		}
	}
	return best;
}

static void count_locked(struct cfs_error_report *e, unsigned i)
{
	e->v[i - 1].count++;
	e->v[i - 1].last = time(NULL);
	take_out_locked(e, i);
	add_newest_locked(e, i);
}

/* Counts a known failure once more and copies its line for the log. */
static bool count_again(struct cfs_error_report *e, uint64_t of, uint64_t how,
			int code, uint64_t *cause,
			char line[CFS_LOG_LIMITER_LINE])
{
	unsigned i;

	pthread_mutex_lock(&e->lock);
	i = find_locked(e, of, how, code);
	if (i != 0) {
		count_locked(e, i);
		*cause = e->v[i - 1].cause;
		memcpy(line, e->v[i - 1].line, strlen(e->v[i - 1].line) + 1);
	}
	pthread_mutex_unlock(&e->lock);
	return i != 0;
}

static void insert_locked(struct cfs_error_report *e,
			  const struct logged_failure *f)
{
	unsigned i;

	while (e->oldest != 0 && (e->n == CFS_ERRORS_MAX ||
			e->bytes + bytes_of(f) > CFS_ERRORS_BYTES_MAX))
		drop_oldest_locked(e);
	i = e->unused != 0 ? e->unused : e->n + 1;
	e->unused = e->v[i - 1].next;
	e->n++;
	e->v[i - 1] = *f;
	e->v[i - 1].next = *head_of(e, f->of);
	*head_of(e, f->of) = i;
	add_newest_locked(e, i);
	e->bytes += bytes_of(f);
}

/* Takes over f's strings. */
static void insert(struct cfs_error_report *e, struct logged_failure *f)
{
	unsigned i;

	pthread_mutex_lock(&e->lock);
	/* another thread may have inserted it */
	i = find_locked(e, f->of, f->how, f->code);
	if (i != 0) {
		count_locked(e, i);
	} else if (f->members != NULL && f->line != NULL) {
		insert_locked(e, f);
		f->members = f->line = NULL;
	}
	pthread_mutex_unlock(&e->lock);
	free(f->members);
	free(f->line);
}

/* ---- the log ----------------------------------------------------------- */

static void *settle(void *arg)
{
	struct cfs_error_report *e = arg;
	int64_t due_ms;

	pthread_mutex_lock(&e->lock);
	while (!e->is_ending) {
		e->is_idle = e->is_new = false;
		pthread_mutex_unlock(&e->lock);
		due_ms = cfs_log_limiter_settle(e->gather, cfs_monotonic_ms());
		pthread_mutex_lock(&e->lock);
		if (e->is_ending || (due_ms == INT64_MAX && e->is_new))
			continue;
		e->is_idle = due_ms == INT64_MAX;
		if (e->is_idle)
			pthread_cond_wait(&e->change, &e->lock);
		else
			cfs_cond_wait_until(&e->change, &e->lock, due_ms);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

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
			   cfs_monotonic_ms() - CFS_LOG_LIMITER_QUIET_MS);
}

static void log_failure(struct cfs_error_report *e, uint64_t cause, int code,
			const char *line, const struct cfs_error *err)
{
	cfs_log_limiter_note(e->gather, cause,
			     code == CFS_ETIMEOUT ? CFS_EIO : code, line,
			     is_logged(err), cfs_monotonic_ms());
	pthread_mutex_lock(&e->lock);
	if (!e->has_thread)
		e->has_thread = cfs_thread_start(&e->thread, settle, e);
	e->is_new = true;
	if (e->is_idle)
		pthread_cond_signal(&e->change);
	pthread_mutex_unlock(&e->lock);
}

/* ---- all of it --------------------------------------------------------- */

static uint64_t hash_of_error(const struct cfs_error *err, uint64_t seed)
{
	uint64_t h = cfs_hash64(cfs_slice_str(err->where), seed);

	h = cfs_hash64(cfs_slice_str(err->text), h + err->offset);
	return h != 0 ? h : 1;
}

void cfs_error_report_note(struct cfs_fs *fs, uint64_t ino, const char *name,
			   int code, const struct cfs_error *err)
{
	struct logged_failure f = { .count = 1,
				    .code = code,
				    .first = time(NULL) };
	struct cfs_error_report *e = fs->errors;
	char line[CFS_LOG_LIMITER_LINE];
	struct cfs_buf members;

	f.last = f.first;
	f.of = cfs_hash64(name != NULL ? cfs_slice_str(name) : CFS_SLICE_EMPTY,
			  ino);
	f.how = err->code == CFS_OK ? 0 : hash_of_error(err, f.of);
	if (!count_again(e, f.of, f.how, code, &f.cause, line)) {
		cfs_buf_init(&members, CFS_ERRORS_BYTES_MAX / 4);
		f.cause = describe(fs, ino, name, code, err, &members, line);
		f.members = strdup(cfs_buf_str(&members));
		f.line = strdup(line);
		cfs_buf_release(&members);
		if (f.how == 0)
			f.how = hash_of_error(err, f.of);
		insert(e, &f);
	}
	log_failure(e, f.cause, code, line, err);
}

struct found_cause {
	struct cfs_error_report *e;
	int64_t at;
	unsigned source;
};

static void note_found(void *arg, const struct cfs_index_damage *d)
{
	const struct found_cause *in = arg;
	struct logged_failure f = { .first = in->at, .last = in->at,
			     .count = d->count, .code = CFS_EFORMAT };
	struct cfs_error err = CFS_ERROR_INIT;
	char line[CFS_LOG_LIMITER_LINE], archive[sizeof(err.where)];
	struct cfs_buf members;
	struct cfs_json j = { .out = &members, .compact = true, .depth = 1 };

	cfs_error_set(&err, CFS_EFORMAT, "%.*s", (int)d->what.n,
		      (const char *)d->what.p);
	snprintf(archive, sizeof(archive), "%.*s", (int)d->archive.n,
		 (const char *)d->archive.p);
	cfs_error_where(&err, archive, d->offset);
	cfs_error_line(&err, line, sizeof(line));
	cfs_buf_init(&members, CFS_ERRORS_BYTES_MAX / 4);
	cfs_json_put_str(&j, "found", CFS_SLICE_LIT("index"));
	put_archive(&j, d->archive);
	cfs_json_put_int(&j, "offset", (int64_t)d->offset);
	cfs_json_put_str(&j, "error",
			 cfs_slice_str(cfs_code_name(CFS_EFORMAT)));
	cfs_json_put_str(&j, "cause", cfs_slice_str(line));
	f.members = strdup(cfs_buf_str(&members));
	f.line = strdup(line);
	cfs_buf_release(&members);
	f.of = cfs_hash64(d->archive, in->source);
	f.how = hash_of_error(&err, f.of);
	insert(in->e, &f);
}

void cfs_error_report_note_index(struct cfs_fs *fs, unsigned i)
{
	const struct cfs_crawl *c = fs->crawls[i];
	struct found_cause in = { fs->errors, c->mtime, i };

	cfs_index_damage(c->index, note_found, &in, CFS_CTX(NULL, NULL));
}

static void put_time(struct cfs_json *j, const char *key, int64_t at)
{
	char text[CFS_TIME_ISO_BYTES];

	cfs_json_put_str(j, key, cfs_slice_str(cfs_time_format_iso(at, text)));
}

int cfs_error_report_text(struct cfs_error_report *e, struct cfs_buf *out)
{
	pthread_mutex_lock(&e->lock);
	for (unsigned i = e->oldest; i != 0; i = e->v[i - 1].newer) {
		struct cfs_json j = { .out = out, .compact = true };

		cfs_json_open(&j, '{');
		put_time(&j, "time", e->v[i - 1].last);
		put_time(&j, "first", e->v[i - 1].first);
		cfs_json_put_int(&j, "count", (int64_t)e->v[i - 1].count);
		cfs_buf_adds(out, e->v[i - 1].members);
		cfs_json_close(&j, '}');
		cfs_buf_addc(out, '\n');
	}
	pthread_mutex_unlock(&e->lock);
	return out->failed;
}

struct cfs_error_report *cfs_error_report_new(void)
{
	struct cfs_error_report *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	pthread_mutex_init(&e->lock, NULL);
	cfs_cond_init(&e->change);
	e->gather = cfs_log_limiter_new();
	if (e->gather == NULL) {
		cfs_error_report_free(e);
		return NULL;
	}
	return e;
}

void cfs_error_report_free(struct cfs_error_report *e)
{
	if (e == NULL)
		return;
	pthread_mutex_lock(&e->lock);
	e->is_ending = true;
	pthread_cond_signal(&e->change);
	pthread_mutex_unlock(&e->lock);
	if (e->has_thread)
		pthread_join(e->thread, NULL);
	cfs_log_limiter_free(e->gather);
	for (unsigned i = 0; i < CFS_ERRORS_MAX; i++) {
		free(e->v[i].members);
		free(e->v[i].line);
	}
	pthread_cond_destroy(&e->change);
	pthread_mutex_destroy(&e->lock);
	free(e);
}
