/* verify_report.c - reads and writes the report, from which a killed run is
 * resumed.
 *
 *     {"crawlfs_verify":4,"command":"..."}         the first line
 *     {"archive":...}                              findings of a part, and then
 *     {"done":"x.warc.gz","from":0,"to":N,...}     the part, with its counts
 *     {"archive":...,"kind":"unread",...}          archives that were refused
 *     {"end":true,...}                             the last line of all
 *
 * A run resumes after the last "done" line: what follows, perhaps half a line,
 * is cut off; not if the first line has another version or command, or the last
 * one says that all archives were read.  Beside the
 * report lies REPORT.ids until the run has ended: the words of verify_ids.c, in
 * a sequence of chunks, integers little-endian:
 *
 *      0  8   the part's id (cfs_verify_part_id)
 *      8  8   n
 *     16  8n  words
 *
 * and the "done" lines say how much of it is valid.  A part whose archive has
 * changed gets another id: the old lines are dropped when the run ends, the old
 * chunks skipped.  "state" in a "done" line identifies an archive's state on
 * its server, whose size and time are not part of the id (verify.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "codec/json.h"

#define READ_BYTES ((size_t)256 << 10)
#define DONE_MAX ((size_t)1 << 32)
#define CHUNK_HEAD 16u
/* It changes whenever lines or words of older reports mean something else. */
#define REPORT_VERSION 4

static const struct cfs_slice first_name = { (const uint8_t *)
	"{\"crawlfs_verify\":", 18 };
static const struct cfs_slice done_name = { (const uint8_t *)"{\"done\":", 8 };
static const struct cfs_slice end_name = { (const uint8_t *)"{\"end\":", 7 };

#define CHECK(name) name "/matched", name "/differed", name "/absent", \
		    name "/unknown"
/* The counts of a tally, as paths in a line. */
static const char *const tally_names[CFS_VERIFY_FIGURES] = {
	"records", "bytes", "damage", "listed_twice", "unlisted", "bodies_cut",
	"unread", CHECK("checksum"), CHECK("length"), CHECK("block"),
	CHECK("payload"), CHECK("index"), CHECK("package")
};

/* A part verified by an earlier run. */
struct done {
	uint64_t id;
	uint64_t name;		/* hash of the archive's name */
	uint64_t state;		/* of the archive on its server, or 0 */
	uint64_t from, to;
	uint64_t at, mark, end;	/* offsets of its lines, of the last one, and of
				 * their end */
	bool is_used;		/* also counted in this run */
};

struct cfs_verify_report {
	const struct cfs_verify_opts *opts;
	char *ids_path;			/* owned; NULL: not named yet */
	int fd, ids_fd;			/* fd -1: there is no report */
	bool is_new;			/* this run created the file */
	uint64_t at, ids_at;		/* where the next byte goes */
	uint64_t marked, ids_marked;	/* how much a resumed run keeps */
	struct done *done;		/* parts of earlier runs, by id */
	size_t n, room;
	const struct done **named;	/* the same, by name */
	bool has_states;		/* one of them has a state */
	struct cfs_buf unread;		/* lines about archives that cannot be
					 * read now */
};

/* ---- files --------------------------------------------------------------- */

static int write_failed(const char *path, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, path, 0, "cannot write: %s",
			    strerror(errno));
}

static int put(int fd, const char *path, struct cfs_slice s, uint64_t *at,
	       struct cfs_error *err)
{
	if (fd < 0)
		return CFS_OK;
	if (cfs_write_at(fd, s.p, s.n, *at) != s.n)
		return write_failed(path, err);
	*at += s.n;
	return CFS_OK;
}

static const char *ids_name(const struct cfs_verify_report *r)
{
	return r->ids_path != NULL ? r->ids_path : "a temporary file";
}

static int put_line(struct cfs_verify_report *r, struct cfs_buf *b,
		    struct cfs_error *err)
{
	int rc;

	cfs_buf_addc(b, '\n');
	rc = b->failed != CFS_OK ? cfs_error_nomem(err) :
	     put(r->fd, r->opts->report, cfs_buf_slice(b), &r->at, err);
	cfs_buf_release(b);
	return rc;
}

static int cut_off(struct cfs_verify_report *r, struct cfs_error *err)
{
	r->at = r->marked;
	r->ids_at = r->ids_marked;
	if (r->fd >= 0 && ftruncate(r->fd, (off_t)r->at) != 0)
		return write_failed(r->opts->report, err);
	if (ftruncate(r->ids_fd, (off_t)r->ids_at) != 0)
		return write_failed(ids_name(r), err);
	return CFS_OK;
}

/* ---- writing lines ------------------------------------------------------- */

static void begin_line(struct cfs_buf *b, struct cfs_json *j)
{
	cfs_buf_init(b, CFS_VERIFY_LINE_MAX);
	*j = (struct cfs_json){ .out = b, .compact = true };
	cfs_json_open(j, '{');
}

static void put_tally(struct cfs_json *j, const struct cfs_verify_tally *t)
{
	for (size_t i = 0; i < CFS_VERIFY_FIGURES; i++) {
		struct cfs_slice name = cfs_slice_str(tally_names[i]);
		struct cfs_slice check = cfs_slice_split(&name, '/');

		if (i < CFS_VERIFY_TOTALS) {
			cfs_json_put_int(j, tally_names[i],
					 (int64_t)t->figures[i]);
			continue;
		}
		if ((i - CFS_VERIFY_TOTALS) % 4 == 0) {
			cfs_json_key(j, check);
			cfs_json_open(j, '{');
		}
		cfs_json_put_int(j, (const char *)name.p,
				 (int64_t)t->figures[i]);
		if ((i - CFS_VERIFY_TOTALS) % 4 == 3)
			cfs_json_close(j, '}');
	}
}

/* The first line of reports of this command and version, without its line end.
 * The caller releases b. */
static void make_first(const struct cfs_verify_report *r, struct cfs_buf *b)
{
	struct cfs_json j;

	begin_line(b, &j);
	cfs_json_put_int(&j, "crawlfs_verify", REPORT_VERSION);
	cfs_json_put_str(&j, "command", cfs_slice_str(r->opts->command));
	cfs_json_close(&j, '}');
}

static int write_first(struct cfs_verify_report *r, struct cfs_error *err)
{
	struct cfs_buf b;
	int rc;

	make_first(r, &b);
	rc = put_line(r, &b, err);
	r->marked = r->at;
	return rc;
}

/* ---- reading lines ------------------------------------------------------- */

static uint64_t number(struct cfs_slice s)
{
	uint64_t v = 0;

	(void)cfs_slice_parse_u64(s, UINT64_MAX, &v);
	return v;
}

static uint64_t hex_number(struct cfs_slice s)
{
	char text[17] = "";

	memcpy(text, s.p, s.n < 16 ? s.n : 16);
	return strtoull(text, NULL, 16);
}

static void read_tally(struct cfs_slice line, struct cfs_verify_tally *t)
{
	struct cfs_slice v[CFS_JSON_PICKS_MAX];

	*t = (struct cfs_verify_tally){ 0 };
	for (size_t i = 0; i < CFS_VERIFY_FIGURES; i += CFS_JSON_PICKS_MAX) {
		size_t n = CFS_VERIFY_FIGURES - i;

		if (n > CFS_JSON_PICKS_MAX)
			n = CFS_JSON_PICKS_MAX;
		if (!cfs_json_pick(line, tally_names + i, n, v))
			return;
		for (size_t k = 0; k < n; k++)
			t->figures[i + k] = number(v[k]);
	}
}

/* Notes the part of a "done" line at `mark`; its lines begin at `at`. */
static int take_done(struct cfs_verify_report *r, struct cfs_slice line,
		     uint64_t at, uint64_t mark)
{
	static const char *const paths[] = { "id", "from", "to", "ids",
					     "done", "state" };
	CFS_BUF(name, CFS_VERIFY_LINE_MAX);
	struct cfs_slice v[6];

	if (!cfs_json_pick(line, paths, 6, v))
		return CFS_OK;
	cfs_json_add_text(&name, (struct cfs_json_text){ v[4], true });
	if (name.failed != CFS_OK ||
	    cfs_array_reserve((void **)&r->done, &r->room, r->n + 1,
			      sizeof(*r->done), DONE_MAX) != CFS_OK)
		return CFS_ENOMEM;
	r->marked = mark + line.n + 1;
	r->ids_marked = number(v[3]);
	r->done[r->n++] = (struct done){
		.id = hex_number(v[0]), .state = hex_number(v[5]),
		.name = cfs_hash64(cfs_buf_slice(&name), 0),
		.from = number(v[1]), .to = number(v[2]),
		.at = at, .mark = mark, .end = r->marked };
	r->has_states |= r->done[r->n - 1].state != 0;
	return CFS_OK;
}

struct earlier {
	bool is_other;		/* of another command or version */
	bool is_ended;
	bool is_foreign;
	uint64_t part_at;	/* where the lines of the next part begin */
};

static int take_line(struct cfs_verify_report *r, struct earlier *l,
		     struct cfs_slice line, uint64_t at)
{
	struct cfs_verify_tally all;
	struct cfs_buf own;

	if (at == 0) {
		make_first(r, &own);
		l->is_foreign = !cfs_slice_starts(line, first_name);
		l->is_other = !cfs_slice_eq(line, cfs_buf_slice(&own));
		cfs_buf_release(&own);
		r->marked = l->part_at = line.n + 1;
	} else if (cfs_slice_starts(line, done_name)) {
		int rc = take_done(r, line, l->part_at, at);

		l->part_at = at + line.n + 1;
		return rc;
	} else if (cfs_slice_starts(line, end_name)) {
		read_tally(line, &all);
		l->is_ended = all.unread == 0;
	}
	return CFS_OK;
}

static int take_lines(struct cfs_verify_report *r, struct earlier *l,
		      struct cfs_error *err)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_verify_lines lines;
	struct cfs_slice line;
	uint64_t at = 0;
	int rc = CFS_OK;

	cfs_verify_lines_init(&lines, r->fd, r->opts->report);
	while (rc == CFS_OK && !l->is_foreign) {
		rc = cfs_verify_lines_next(&lines, &line, &own);
		if (rc == CFS_OK)
			rc = take_line(r, l, line, at);
		at = lines.at;
	}
	if (rc == CFS_EUSAGE)	/* of a line that is too long */
		l->is_foreign = true;
	else if (rc == CFS_END && at == 0)
		/* a run was killed while it wrote the first line */
		l->is_foreign = !cfs_slice_starts(first_name,
						  cfs_slice_sub(line, 0,
								first_name.n));
	cfs_buf_release(&lines.text);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	return rc == CFS_EIO ? cfs_error_pass(err, &own, rc) : CFS_OK;
}

static int by_id(const void *a, const void *b)
{
	const struct done *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_name(const void *a, const void *b)
{
	const struct done *x = *(const struct done *const *)a;
	const struct done *y = *(const struct done *const *)b;

	return x->name < y->name ? -1 : x->name > y->name;
}

static void forget(struct cfs_verify_report *r)
{
	r->n = 0;
	r->has_states = false;
	r->marked = r->ids_marked = 0;
}

/* ---- opening ------------------------------------------------------------- */

/* CFS_EUSAGE if it is not a file, or another run has it open. */
static int open_report(struct cfs_verify_report *r, struct cfs_error *err)
{
	const char *path = r->opts->report;
	struct stat st;

	r->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	r->is_new = r->fd >= 0;
	if (r->fd < 0)
		r->fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (r->fd < 0)
		return cfs_error_at(err, CFS_EIO, path, 0, "cannot open: %s",
				    strerror(errno));
	if (fstat(r->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return cfs_error_at(err, CFS_EUSAGE, path, 0,
				    "is not a file: a report cannot be kept "
				    "there");
	if (flock(r->fd, LOCK_EX | LOCK_NB) != 0)
		return cfs_error_at(err, CFS_EUSAGE, path, 0,
				    "another crawlfs verify writes it");
	return CFS_OK;
}

/* Opens REPORT.ids; a new report requires that it is new, too. */
static int open_ids(struct cfs_verify_report *r, struct cfs_error *err)
{
	struct stat ids;
	int rc;

	if (asprintf(&r->ids_path, "%s.ids", r->opts->report) < 0) {
		r->ids_path = NULL;
		return cfs_error_nomem(err);
	}
	rc = cfs_file_take(&r->ids_fd, r->ids_path, NULL, 0666, err);
	if (rc != CFS_OK || !r->is_new || fstat(r->ids_fd, &ids) != 0 ||
	    ids.st_size == 0)
		return rc;
	close(r->ids_fd);
	r->ids_fd = -1;
	return cfs_error_at(err, CFS_EIO, r->ids_path, 0, "is in the way: no "
			    "report says that crawlfs has made it");
}

static int sort_done(struct cfs_verify_report *r, struct cfs_error *err)
{
	if (r->n == 0)
		return CFS_OK;
	r->named = calloc(r->n, sizeof(*r->named));
	if (r->named == NULL)
		return cfs_error_nomem(err);
	qsort(r->done, r->n, sizeof(*r->done), by_id);
	for (size_t i = 0; i < r->n; i++)
		r->named[i] = &r->done[i];
	qsort(r->named, r->n, sizeof(*r->named), by_name);
	return CFS_OK;
}

/* Decides what to keep of the report of an earlier run. */
static int take_up(struct cfs_verify_report *r, struct cfs_error *err)
{
	struct earlier l = { .part_at = 0 };
	struct stat st;
	int rc = take_lines(r, &l, err);

	if (rc != CFS_OK)
		return rc;
	if (l.is_foreign)
		return cfs_error_at(err, CFS_EUSAGE, r->opts->report, 0,
				    "is no report of crawlfs verify: it is "
				    "left as it is");
	rc = open_ids(r, err);
	if (rc != CFS_OK)
		return rc;
	if (l.is_other && !l.is_ended)
		cfs_log(CFS_LOG_WARNING, "%s: is the report of another "
			"command, or version: it begins afresh", r->opts->report);
	if (l.is_other || l.is_ended)
		forget(r);
	if (fstat(r->ids_fd, &st) != 0 ||
	    (uint64_t)st.st_size < r->ids_marked) {
		cfs_log(CFS_LOG_WARNING, "%s: is missing or cut off: the "
			"verification begins afresh", r->ids_path);
		forget(r);
	}
	return sort_done(r, err);
}

int cfs_verify_report_open(struct cfs_verify_report **out,
			   const struct cfs_verify_opts *opts,
			   struct cfs_error *err)
{
	struct cfs_verify_report *r = calloc(1, sizeof(*r));
	int rc = CFS_OK;

	*out = r;
	if (r == NULL)
		return cfs_error_nomem(err);
	r->opts = opts;
	r->fd = r->ids_fd = -1;
	cfs_buf_init(&r->unread, SIZE_MAX / 2);
	if (opts->report == NULL) {
		r->ids_fd = cfs_temp_file(opts->tmp_dir);
		return r->ids_fd < 0 ? write_failed(opts->tmp_dir, err) :
				       CFS_OK;
	}
	rc = open_report(r, err);
	if (rc == CFS_OK)
		rc = take_up(r, err);
	if (rc == CFS_OK)
		rc = cut_off(r, err);
	return rc == CFS_OK && r->marked == 0 ?
		       write_first(r, err) :
		       rc;
}

void cfs_verify_report_free(struct cfs_verify_report *r)
{
	if (r == NULL)
		return;
	if (r->is_new && r->marked == 0) {	/* nothing could be written */
		unlink(r->opts->report);
		if (r->ids_fd >= 0)
			unlink(r->ids_path);
	}
	if (r->fd >= 0)
		close(r->fd);
	if (r->ids_fd >= 0)
		close(r->ids_fd);
	cfs_buf_release(&r->unread);
	free(r->ids_path);
	free(r->done);
	free(r->named);
	free(r);
}

/* ---- during the run ------------------------------------------------------ */

static struct done *find(const struct cfs_verify_report *r, uint64_t id)
{
	size_t at = 0;

	CFS_LOWER_BOUND(at, r->n, i, r->done[i].id < id);
	return at < r->n && r->done[at].id == id ? &r->done[at] : NULL;
}

bool cfs_verify_report_use(struct cfs_verify_report *r, uint64_t id,
			   uint64_t *to, struct cfs_verify_tally *tally)
{
	struct done *d = find(r, id);
	size_t n;
	char *line;

	if (d == NULL || d->is_used)
		return false;
	n = (size_t)(d->end - d->mark);
	line = malloc(n);
	if (line == NULL || cfs_read_at(r->fd, line, n, d->mark) != n) {
		free(line);
		return false;		/* verify it again */
	}
	read_tally(cfs_slice_of(line, n - 1), tally);
	free(line);
	d->is_used = true;
	*to = d->to;
	return true;
}

/* The first part of that archive in r->named; *n: how many there are. */
static const struct done *const *parts_of(const struct cfs_verify_report *r,
					  const char *name, size_t *n)
{
	uint64_t hash = cfs_hash64(cfs_slice_str(name), 0);
	size_t at = 0;

	CFS_LOWER_BOUND(at, r->n, i, r->named[i]->name < hash);
	for (*n = 0; at + *n < r->n && r->named[at + *n]->name == hash;)
		++*n;
	return r->named + at;
}

bool cfs_verify_report_had(const struct cfs_verify_report *r, const char *name,
			   uint64_t id)
{
	size_t n;
	const struct done *const *d = parts_of(r, name, &n);

	for (size_t i = 0; i < n; i++)
		if (d[i]->from == 0)
			return find(r, id) == NULL;
	return false;
}

enum cfs_verify_earlier cfs_verify_report_state(
	const struct cfs_verify_report *r, const char *name, uint64_t state)
{
	enum cfs_verify_earlier out = CFS_VERIFY_NOT_READ;
	size_t n;
	const struct done *const *d = parts_of(r, name, &n);

	for (size_t i = 0; i < n; i++) {
		if (d[i]->state == 0)
			continue;
		if (d[i]->state != state)
			return CFS_VERIFY_CHANGED;
		out = CFS_VERIFY_UNCHANGED;
	}
	return out;
}

bool cfs_verify_report_has_states(const struct cfs_verify_report *r)
{
	return r->has_states;
}

int cfs_verify_report_add(struct cfs_verify_report *r,
			  struct cfs_verify_part *p, struct cfs_error *err)
{
	uint8_t head[CHUNK_HEAD];
	int rc = put(r->fd, r->opts->report, cfs_buf_slice(&p->lines), &r->at,
		     err);

	cfs_verify_log_findings(p);
	if (rc == CFS_OK && p->ids.n > 0) {
		cfs_le64_put(head, p->id);
		cfs_le64_put(head + 8, p->ids.n / 8);
		rc = put(r->ids_fd, ids_name(r), cfs_slice_of(head,
							      sizeof(head)),
			 &r->ids_at, err);
		if (rc == CFS_OK)
			rc = put(r->ids_fd, ids_name(r), cfs_buf_slice(&p->ids),
				 &r->ids_at, err);
	}
	cfs_buf_reset(&p->lines);
	cfs_buf_reset(&p->ids);
	return rc;
}

int cfs_verify_report_mark(struct cfs_verify_report *r,
			   const struct cfs_verify_part *p,
			   struct cfs_error *err)
{
	struct cfs_slice name = cfs_slice_str(p->unit->name);
	struct cfs_buf b;
	struct cfs_json j;
	int rc;

	if (r->fd < 0)
		return CFS_OK;
	begin_line(&b, &j);
	cfs_json_put_str(&j, "done", name);
	cfs_json_put_int(&j, "from", (int64_t)p->at.from);
	cfs_json_put_int(&j, "to", (int64_t)p->at.to);
	cfs_json_key(&j, CFS_SLICE_LIT("id"));
	cfs_buf_addf(&b, "\"%016" PRIx64 "\"", p->id);
	cfs_json_key(&j, CFS_SLICE_LIT("place"));
	cfs_buf_addf(&b, "\"%016" PRIx64 "\"", cfs_hash64(name, p->at.from));
	if (p->state != 0) {
		cfs_json_key(&j, CFS_SLICE_LIT("state"));
		cfs_buf_addf(&b, "\"%016" PRIx64 "\"", p->state);
	}
	cfs_json_put_int(&j, "ids", (int64_t)r->ids_at);
	put_tally(&j, &p->tally);
	cfs_json_close(&j, '}');
	rc = put_line(r, &b, err);
	r->marked = r->at;
	r->ids_marked = r->ids_at;
	return rc;
}

int cfs_verify_report_unread(struct cfs_verify_report *r,
			     struct cfs_verify_part *p, struct cfs_error *err)
{
	int rc = cut_off(r, err);	/* lines of this part are void */

	if (rc == CFS_OK && !p->unit->is_unread) {
		cfs_verify_log_findings(p);
		cfs_buf_add(&r->unread, cfs_buf_slice(&p->lines));
		rc = r->unread.failed;
	}
	p->unit->is_unread = true;
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) : rc;
}

/* ---- the end of the run -------------------------------------------------- */

/* Adds the hashes of a chunk to the sort. */
static int sort_chunk(struct cfs_verify_report *r, struct cfs_verify_ids *ids,
		      uint64_t at, uint64_t n, uint8_t *buf,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && n > 0) {
		size_t some = n < READ_BYTES / 8 ? (size_t)n : READ_BYTES / 8;

		if (cfs_read_at(r->ids_fd, buf, 8 * some, at) != 8 * some)
			return cfs_error_at(err, CFS_EIO, ids_name(r), at,
					    "cannot read");
		for (size_t i = 0; i < some && rc == CFS_OK; i++)
			rc = cfs_verify_ids_add(ids, buf + 8 * i, err);
		at += 8 * some;
		n -= some;
	}
	return rc;
}

/* True if the chunk is of a part that this run read, or counted. */
static bool is_ours(const struct cfs_verify_report *r, uint64_t id)
{
	const struct done *d = find(r, id);

	return d == NULL || d->is_used;
}

static int sort_ids(struct cfs_verify_report *r, struct cfs_verify_ids *ids,
		    struct cfs_error *err)
{
	uint8_t head[CHUNK_HEAD], *buf = malloc(READ_BYTES);
	uint64_t at = 0, n;
	int rc = buf != NULL ? CFS_OK : cfs_error_nomem(err);

	while (rc == CFS_OK && r->ids_at - at >= CHUNK_HEAD) {
		if (cfs_read_at(r->ids_fd, head, CHUNK_HEAD, at) != CHUNK_HEAD)
			rc = cfs_error_at(err, CFS_EIO, ids_name(r), at,
					  "cannot read");
		at += CHUNK_HEAD;
		n = rc == CFS_OK ? cfs_le64_get(head + 8) : 0;
		if (n > (r->ids_at - at) / 8)
			break;		/* it was modified by somebody else */
		if (rc == CFS_OK && is_ours(r, cfs_le64_get(head)))
			rc = sort_chunk(r, ids, at, n, buf, err);
		at += 8 * n;
	}
	free(buf);
	return rc;
}

/* Counts the records whose id an earlier record has, and the revisits without
 * their original, unless only some records were read. */
static int count_ids(struct cfs_verify_report *r,
		     struct cfs_verify_result *result, struct cfs_error *err)
{
	struct cfs_verify_ids *ids = NULL;
	int rc = cfs_verify_ids_new(&ids, r->opts, err);

	if (rc == CFS_OK)
		rc = sort_ids(r, ids, err);
	if (rc == CFS_OK)
		rc = cfs_verify_ids_count(ids, result, err);
	if (r->opts->only_added)
		result->absent = 0;
	cfs_verify_ids_free(ids);
	return rc;
}

static int by_place(const void *a, const void *b)
{
	const struct done *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int copy_bytes(int from, uint64_t at, uint64_t end, int to,
		      uint64_t *to_at)
{
	uint8_t buf[4096];

	while (at < end) {
		size_t n = end - at < sizeof(buf) ? (size_t)(end - at) :
						      sizeof(buf);

		if (cfs_read_at(from, buf, n, at) != n ||
		    cfs_write_at(to, buf, n, *to_at) != n)
			return CFS_EIO;
		at += n;
		*to_at += n;
	}
	return CFS_OK;
}

/* Drops lines of parts that are not of this run: a new file without them
 * replaces the report. */
static int drop_stale(struct cfs_verify_report *r, struct cfs_error *err)
{
	struct cfs_replacement file;
	uint64_t at = 0, kept = 0;
	bool any = false;
	int rc, fd;

	for (size_t i = 0; i < r->n; i++)
		any |= !r->done[i].is_used;
	if (r->fd < 0 || !any)
		return CFS_OK;
	rc = cfs_replacement_open(&file, r->opts->report, 0666, err);
	if (rc != CFS_OK)
		return rc;
	qsort(r->done, r->n, sizeof(*r->done), by_place);
	for (size_t i = 0; i < r->n && rc == CFS_OK; i++) {
		if (r->done[i].is_used)
			continue;
		rc = copy_bytes(r->fd, at, r->done[i].at, file.fd, &kept);
		at = r->done[i].end;
	}
	if (rc == CFS_OK)
		rc = copy_bytes(r->fd, at, r->at, file.fd, &kept);
	if (rc != CFS_OK) {
		write_failed(r->opts->report, err);
		cfs_replacement_drop(&file);
		return rc;
	}
	fd = dup(file.fd);
	rc = cfs_replacement_commit(&file, err);
	if (rc == CFS_OK && fd >= 0) {
		close(r->fd);
		r->fd = fd;
		r->at = kept;
	} else if (fd >= 0) {
		close(fd);
	}
	return rc;
}

static int write_end(struct cfs_verify_report *r,
		     const struct cfs_verify_result *result,
		     struct cfs_error *err)
{
	struct cfs_buf b;
	struct cfs_json j;
	int rc;

	if (r->fd < 0)
		return CFS_OK;
	begin_line(&b, &j);
	cfs_json_put_true(&j, "end");
	cfs_json_put_int(&j, "archives", (int64_t)result->archives);
	put_tally(&j, &result->sum);
	cfs_json_put_int(&j, "repeated", (int64_t)result->repeated);
	cfs_json_close(&j, '}');
	rc = put_line(r, &b, err);
	if (rc == CFS_OK && fdatasync(r->fd) != 0)
		rc = write_failed(r->opts->report, err);
	return rc;
}

int cfs_verify_report_finish(struct cfs_verify_report *r,
			     struct cfs_verify_result *result,
			     struct cfs_error *err)
{
	int rc = count_ids(r, result, err);

	if (rc == CFS_OK)
		rc = drop_stale(r, err);
	if (rc == CFS_OK)
		rc = put(r->fd, r->opts->report, cfs_buf_slice(&r->unread),
			 &r->at, err);
	if (rc == CFS_OK)
		rc = write_end(r, result, err);
	if (rc == CFS_OK && r->ids_path != NULL && result->sum.unread == 0)
		unlink(r->ids_path);
	return rc;
}
