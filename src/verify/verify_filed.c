/* verify_filed.c - reads a finished report, and writes it as CSV or as JSON in
 * the terms of PREMIS.
 *
 * CSV has a row for each finding, and behind those of an archive one for the
 * archive.  The JSON has an event for each archive.
 *
 * Spec: RFC 4180; PREMIS Data Dictionary 3.0, Event and Agent.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "config.h"

#define VALUE_MAX ((size_t)1 << 20)
/* Findings that are kept until their archive is known, if nobody takes them:
 * one for each archive that a server refused. */
#define HELD_MAX ((size_t)64 << 20)
#define FLUSH_BYTES ((size_t)256 << 10)
#define CSV_HEAD "archive,outcome,records,bytes,findings,kind,offset,length," \
		 "url,expected,found,verified\r\n"

/* A finding of the archive that is reported next. */
struct filed_finding {
	struct cfs_slice archive, kind, url, expected, found;
	struct cfs_slice offset, length;	/* numbers, as written */
};

struct filed_taker {
	/* 0, or a failure that ends the reading. */
	cfs_verified_fn *archive;
	int (*finding)(void *arg, const struct filed_finding *f); /* or NULL */
	void *arg;
};

/* ---- reading ------------------------------------------------------------- */

enum { F_ARCHIVE, F_KIND, F_URL, F_EXPECTED, F_FOUND, F_OFFSET, F_LENGTH,
       F_DONE, F_RECORDS, F_BYTES, F_DAMAGE, F_COUNT };

static const char *const names[F_COUNT] = {
	"archive", "kind", "url", "expected", "found", "offset", "length",
	"done", "records", "bytes", "damage"
};

struct filed {
	const struct filed_taker *taker;
	struct cfs_verified now;	/* the archive that is being read */
	struct cfs_buf name;		/* its name */
	struct cfs_buf held;		/* lines of findings of what is
					 * reported next */
	struct cfs_buf text[F_OFFSET];	/* the strings of a finding */
	bool has_end;
};

static struct cfs_slice decoded(struct cfs_buf *out, struct cfs_slice written)
{
	struct cfs_json_text t = { written, true };

	cfs_buf_reset(out);
	cfs_json_add_text(out, t);
	return cfs_buf_slice(out);
}

static int end_archive(struct filed *f)
{
	int rc = CFS_OK;

	f->now.archive = cfs_buf_slice(&f->name);
	if (f->now.archive.n > 0)
		rc = f->taker->archive(f->taker->arg, &f->now);
	cfs_buf_reset(&f->name);
	f->now = (struct cfs_verified){ .time = f->now.time };
	return rc;
}

static int take_finding(struct filed *f, const struct cfs_slice v[F_COUNT])
{
	struct filed_finding one = {
		.offset = v[F_OFFSET], .length = v[F_LENGTH] };
	struct cfs_slice *const strings[F_OFFSET] = {
		&one.archive, &one.kind, &one.url, &one.expected, &one.found };
	int rc;

	for (unsigned i = 0; i < F_OFFSET; i++)
		*strings[i] = decoded(&f->text[i], v[i]);
	if (cfs_slice_eq(one.kind, CFS_SLICE_LIT("archive")))
		f->now.is_missing = true;
	f->now.is_unread = f->name.n == 0 && cfs_slice_eq(one.kind,
						CFS_SLICE_LIT("unread"));
	rc = f->taker->finding == NULL ? CFS_OK :
	     f->taker->finding(f->taker->arg, &one);
	if (rc != CFS_OK || !f->now.is_unread)
		return rc;
	cfs_buf_add(&f->name, one.archive);	/* no other line is about it */
	return end_archive(f);
}

static void add_number(uint64_t *sum, struct cfs_slice written)
{
	uint64_t n = 0;

	if (cfs_slice_parse_u64(written, INT64_MAX, &n) == CFS_OK)
		*sum += n;
}

/* Takes the findings that were held until their archive is known. */
static int take_held(struct filed *f)
{
	struct cfs_slice rest = cfs_buf_slice(&f->held), v[F_COUNT];
	int rc = CFS_OK;

	while (rc == CFS_OK && rest.n > 0) {
		struct cfs_slice line = cfs_slice_split(&rest, '\n');

		if (cfs_json_pick(line, names, F_COUNT, v))
			rc = take_finding(f, v);
	}
	cfs_buf_reset(&f->held);
	return rc;
}

/* Adds a stretch of an archive that was verified, with what was found there. */
static int take_done(struct filed *f, const struct cfs_slice v[F_COUNT])
{
	CFS_BUF(name, VALUE_MAX);
	int rc = CFS_OK;

	decoded(&name, v[F_DONE]);
	if (!cfs_slice_eq(cfs_buf_slice(&name), cfs_buf_slice(&f->name))) {
		rc = end_archive(f);
		cfs_buf_add(&f->name, cfs_buf_slice(&name));
	}
	if (rc == CFS_OK)
		rc = take_held(f);
	add_number(&f->now.records, v[F_RECORDS]);
	add_number(&f->now.bytes, v[F_BYTES]);
	add_number(&f->now.damage, v[F_DAMAGE]);
	return rc;
}

static int take_line(struct filed *f, struct cfs_slice line)
{
	struct cfs_slice v[F_COUNT];
	int rc;

	if (cfs_slice_starts(line, CFS_SLICE_LIT("{\"end\":"))) {
		f->has_end = true;
		rc = end_archive(f);		/* unread ones follow */
		return rc == CFS_OK ? take_held(f) : rc;
	}
	if (!cfs_json_pick(line, names, F_COUNT, v))
		return CFS_OK;
	if (v[F_DONE].n > 0)
		return take_done(f, v);
	if (v[F_KIND].n == 0)
		return CFS_OK;
	/* only these are about an archive as a whole */
	if (f->taker->finding == NULL &&
	    !cfs_slice_eq(v[F_KIND], CFS_SLICE_LIT("archive")) &&
	    !cfs_slice_eq(v[F_KIND], CFS_SLICE_LIT("unread")))
		return CFS_OK;
	cfs_buf_add(&f->held, line);
	return cfs_buf_addc(&f->held, '\n');
}

static int read_lines(struct filed *f, struct cfs_verify_lines *l,
		      struct cfs_ctx ctx)
{
	static const struct cfs_slice first =
		CFS_SLICE_LIT("{\"crawlfs_verify\":");
	struct cfs_slice line;
	int rc = CFS_OK;

	while (rc == CFS_OK && !f->has_end) {
		uint64_t at = l->at;

		rc = cfs_verify_lines_next(l, &line, ctx.err);
		if (rc != CFS_OK)
			break;
		if (cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		else if (at > 0)
			rc = take_line(f, line);
		else if (!cfs_slice_starts(line, first))
			rc = cfs_error_at(ctx.err, CFS_EUSAGE, l->path, 0,
					  "is no report of crawlfs verify");
	}
	return rc != CFS_END ? rc :
	       cfs_error_at(ctx.err, CFS_EUSAGE, l->path, 0, "the run has "
			    "not ended: the same command resumes it");
}

/* Reads a report that is finished, in the order of the archives.  0; codes of
 * cfs_verify_read_report and of the taker. */
static int read_report(const char *report, const struct filed_taker *t,
		       struct cfs_ctx ctx)
{
	/* a FIFO would make it wait */
	int fd = open(report, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct filed f = { .taker = t };
	struct cfs_verify_lines lines;
	struct stat st;
	int rc;

	if (fd < 0)
		return cfs_error_at(ctx.err, errno == ENOENT ? CFS_ENOTFOUND :
				    CFS_EIO, report, 0, "%s", strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return cfs_error_at(ctx.err, CFS_EUSAGE, report, 0, "is no "
				    "file");
	}
	f.now.time = st.st_mtime;
	cfs_buf_init(&f.name, VALUE_MAX);
	cfs_buf_init(&f.held, t->finding == NULL ? HELD_MAX : SIZE_MAX / 2);
	for (unsigned i = 0; i < F_OFFSET; i++)
		cfs_buf_init(&f.text[i], VALUE_MAX);
	cfs_verify_lines_init(&lines, fd, report);
	rc = read_lines(&f, &lines, ctx);
	cfs_buf_release(&lines.text);
	if (rc == CFS_ENOMEM || rc == CFS_ELIMIT)
		rc = cfs_error_at(ctx.err, rc, report, 0, "has too many "
				  "findings of one archive for the memory");
	for (unsigned i = 0; i < F_OFFSET; i++)
		cfs_buf_release(&f.text[i]);
	cfs_buf_release(&f.name);
	cfs_buf_release(&f.held);
	close(fd);
	return rc;
}

int cfs_verify_read_report(const char *report, cfs_verified_fn *fn, void *arg,
			   struct cfs_ctx ctx)
{
	const struct filed_taker taker = { fn, NULL, arg };

	return read_report(report, &taker, ctx);
}

/* ---- writing ------------------------------------------------------------- */

struct filing {
	struct cfs_replacement file;
	uint64_t at;
	struct cfs_buf out;
	struct cfs_json json;
	bool has_event;			/* one is open, with its findings */
	uint64_t events;
	struct cfs_error *err;
};

static int flush_filing(struct filing *w, bool is_end)
{
	int rc = w->out.failed;

	if (rc != CFS_OK || (!is_end && w->out.n < FLUSH_BYTES))
		return rc == CFS_OK ? CFS_OK : cfs_error_nomem(w->err);
	if (cfs_write_at(w->file.fd, w->out.p, w->out.n, w->at) != w->out.n)
		return cfs_error_at(w->err, CFS_EIO, w->file.path, 0,
				    "cannot write: %s", strerror(errno));
	w->at += w->out.n;
	cfs_buf_reset(&w->out);
	return CFS_OK;
}

/* Appends a value, and the comma before it unless it is the first. */
static void add_cell(struct cfs_buf *out, bool is_first, struct cfs_slice v)
{
	cfs_buf_adds(out, is_first ? "" : ",");
	if (cfs_slice_find_any(v, 0, ",\"\r\n") == v.n) {
		cfs_buf_add(out, v);
		return;
	}
	cfs_buf_addc(out, '"');
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '"')
			cfs_buf_addc(out, '"');
		cfs_buf_addc(out, v.p[i]);
	}
	cfs_buf_addc(out, '"');
}

static const char *outcome_of(const struct cfs_verified *v)
{
	if (v->is_unread)
		return "unread";
	if (v->is_missing)
		return "missing";
	return v->damage > 0 ? "fail" : "pass";
}

static int csv_finding(void *arg, const struct filed_finding *f)
{
	struct filing *w = arg;
	const struct cfs_slice cells[] = { f->kind, f->offset, f->length,
					   f->url, f->expected, f->found };

	add_cell(&w->out, true, f->archive);
	cfs_buf_adds(&w->out, ",finding,,,");
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		add_cell(&w->out, false, cells[i]);
	cfs_buf_adds(&w->out, ",\r\n");
	return flush_filing(w, false);
}

static int csv_archive(void *arg, const struct cfs_verified *v)
{
	char time[CFS_TIME_ISO_BYTES];
	struct filing *w = arg;

	add_cell(&w->out, true, v->archive);
	cfs_buf_addf(&w->out, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64
		     ",,,,,,,%s\r\n", outcome_of(v), v->records, v->bytes,
		     v->damage, cfs_time_format_iso(v->time, time));
	return flush_filing(w, false);
}

static void put_text(struct filing *w, const char *key, struct cfs_slice v)
{
	cfs_json_put_ascii(&w->json, key, v, CFS_JSON_ODD_REPLACED);
}

/* Begins the event of the next archive, with its findings. */
static void begin_event(struct filing *w)
{
	if (w->has_event)
		return;
	w->has_event = true;
	cfs_json_begin(&w->json, NULL, '{');
	cfs_json_begin(&w->json, "eventIdentifier", '{');
	put_text(w, "eventIdentifierType", CFS_SLICE_LIT("local"));
	cfs_json_put_int(&w->json, "eventIdentifierValue",
			 (int64_t)++w->events);
	cfs_json_close(&w->json, '}');
	put_text(w, "eventType", CFS_SLICE_LIT("fixity check"));
	cfs_json_begin(&w->json, "eventOutcomeDetail", '[');
}

static int premis_finding(void *arg, const struct filed_finding *f)
{
	struct filing *w = arg;

	begin_event(w);
	cfs_json_begin(&w->json, NULL, '{');
	put_text(w, "kind", f->kind);
	put_text(w, "archive", f->archive);
	cfs_json_key(&w->json, CFS_SLICE_LIT("offset"));
	cfs_buf_add(&w->out, f->offset);
	put_text(w, "url", f->url);
	put_text(w, "expected", f->expected);
	put_text(w, "found", f->found);
	cfs_json_close(&w->json, '}');
	return flush_filing(w, false);
}

static int premis_archive(void *arg, const struct cfs_verified *v)
{
	char time[CFS_TIME_ISO_BYTES];
	struct filing *w = arg;

	begin_event(w);
	w->has_event = false;
	cfs_json_close(&w->json, ']');
	put_text(w, "eventDateTime",
		 cfs_slice_str(cfs_time_format_iso(v->time, time)));
	put_text(w, "eventOutcome", cfs_slice_str(outcome_of(v)));
	cfs_json_put_int(&w->json, "records", (int64_t)v->records);
	cfs_json_begin(&w->json, "linkingObjectIdentifier", '{');
	put_text(w, "linkingObjectIdentifierType", CFS_SLICE_LIT("file"));
	put_text(w, "linkingObjectIdentifierValue", v->archive);
	cfs_json_put_int(&w->json, "size", (int64_t)v->bytes);
	cfs_json_close(&w->json, '}');
	cfs_json_close(&w->json, '}');
	return flush_filing(w, false);
}

static void begin_premis(struct filing *w)
{
	cfs_json_begin(&w->json, NULL, '{');
	cfs_json_begin(&w->json, "premis", '{');
	put_text(w, "version", CFS_SLICE_LIT("3.0"));
	cfs_json_begin(&w->json, "agent", '{');
	put_text(w, "agentType", CFS_SLICE_LIT("software"));
	put_text(w, "agentName", CFS_SLICE_LIT("crawlfs verify"));
	put_text(w, "agentVersion", CFS_SLICE_LIT(PACKAGE_VERSION));
	cfs_json_close(&w->json, '}');
	cfs_json_begin(&w->json, "event", '[');
}

static void end_premis(struct filing *w)
{
	cfs_json_close(&w->json, ']');
	cfs_json_close(&w->json, '}');
	cfs_json_close(&w->json, '}');
	cfs_buf_addc(&w->out, '\n');
}

enum cfs_verify_form cfs_verify_form_of(const char *path)
{
	struct cfs_slice s = cfs_slice_str(path);

	if (cfs_slice_ends(s, CFS_SLICE_LIT(".csv")))
		return CFS_FILED_CSV;
	return cfs_slice_ends(s, CFS_SLICE_LIT(".premis.json")) ?
	       CFS_FILED_PREMIS : CFS_FILED_LINES;
}

int cfs_verify_file(const char *from, const char *path,
		    enum cfs_verify_form form, struct cfs_error *err)
{
	bool is_csv = form == CFS_FILED_CSV;
	struct filing w = { .err = err };
	struct filed_taker taker = { csv_archive, csv_finding, &w };
	int rc = cfs_replacement_open(&w.file, path, 0666, err);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&w.out, FLUSH_BYTES + 8 * VALUE_MAX);
	w.json = (struct cfs_json){ .out = &w.out };
	if (is_csv) {
		cfs_buf_adds(&w.out, CSV_HEAD);
	} else {
		taker = (struct filed_taker){ premis_archive, premis_finding,
					      &w };
		begin_premis(&w);
	}
	rc = read_report(from, &taker, CFS_CTX(NULL, err));
	if (rc == CFS_OK && !is_csv)
		end_premis(&w);
	if (rc == CFS_OK)
		rc = flush_filing(&w, true);
	cfs_buf_release(&w.out);
	if (rc == CFS_OK)
		return cfs_replacement_commit(&w.file, err);
	cfs_replacement_drop(&w.file);
	return rc;
}
