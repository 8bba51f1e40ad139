/* s3_upload.c - uploads a local file as an S3 object, in parts.
 *
 * The journal (base/journal.h) is lines of text:
 *
 *     crawlfs-upload 1 URLHASH BYTES PARTBYTES UPLOADID
 *     NUMBER MD5 ETAG CHECK			one for each part that was sent
 *
 * URLHASH (XXH64 of the object's URL, which is also the seed of the checks) is
 * 16 hex digits.  Other lines are ignored: the parts are sent again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/journal.h"
#include "base/pool.h"
#include "hosts.h"
#include "http_settings.h"
#include "open_location.h"
#include "keys.h"
#include "s3_call.h"

#define FIRST_MAX_BYTES 2048u
#define MARK "crawlfs-upload 1 "	/* marks a journal as ours */
#define JOURNAL_MAX ((size_t)4 << 20)	/* 10,000 parts take about 2 MB */
#define PROGRESS_MS 200
/* Assembling 10,000 parts may take minutes. */
#define COMPLETE_MS 300000u
#define MARK_LINE_BYTES (sizeof(CFS_S3_MARK_FIELD ": ") + CFS_S3_MARK_BYTES)
#define URL_MAX_BYTES (4 * CFS_LOCATION_MAX + 2 * CFS_S3_ID_BYTES * 3)

struct upload_part {
	bool is_done;
	char md5[CFS_S3_MD5_HEX];
	char etag[CFS_S3_ETAG_BYTES];
};

struct upload {
	const struct cfs_s3_upload_opts *opts;
	struct cfs_buf url;		/* as it is requested */
	struct cfs_slice bucket;	/* borrowed from opts */
	uint64_t url_hash;
	int fd;
	struct cfs_journal journal;
	uint64_t journal_bytes;		/* whole lines, when it was read */
	uint64_t bytes, part_bytes;
	unsigned n_parts;
	struct upload_part *part;
	char id[CFS_S3_ID_BYTES];
	struct cfs_s3_call call;	/* for all requests but parts */
	struct cfs_s3_call *calls;	/* one a thread */
	uint64_t resumed;		/* bytes sent by an earlier run */
	_Atomic uint64_t sent;
};

static uint64_t part_length(const struct upload *u, unsigned i)
{
	uint64_t off = (uint64_t)i * u->part_bytes;

	return u->bytes - off < u->part_bytes ? u->bytes - off : u->part_bytes;
}

static int s3_upload_io_error(const char *path, const char *what,
			      struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, path, 0, "%s: %s", what,
			    strerror(errno));
}

/* ---- where ------------------------------------------------------------- */

static int make_url(struct cfs_buf *out, const char *url, struct cfs_error *err)
{
	const struct cfs_http_settings *s;
	struct cfs_location loc;
	int rc = cfs_location_parse(&loc, url, err);

	if (rc != CFS_OK)
		return rc;
	if (loc.scheme != CFS_LOC_S3 || loc.path.n < 2)
		return cfs_error_set(
			err, CFS_EFORMAT,
			"'%.80s' is not of the form s3://BUCKET/KEY", url);
	rc = cfs_keys_ready(err);
	if (rc != CFS_OK)
		return rc;
	s = cfs_http_settings_get(err);
	if (s == NULL)
		return CFS_EFORMAT;
	if (s->s3.keys.id == NULL && s->s3.endpoint == NULL)
		rc = cfs_error_set(err, CFS_EACCESS, "no credentials for S3");
	else
		cfs_s3_url(&s->s3, &loc, out);
	cfs_http_settings_put();
	if (rc == CFS_OK && (cfs_buf_addc(out, 0), out->failed != CFS_OK))
		rc = cfs_error_set(err, out->failed, "'%.80s' is too long",
				   url);
	if (rc == CFS_OK)
		out->n--;
	return rc;
}

/* Makes a request for the object's URL with a query, followed by the upload's
 * id if there is one. */
static int call(const struct upload *u, struct cfs_s3_call *c,
		const char *method, const char *query, struct cfs_ctx ctx)
{
	CFS_BUF(url, URL_MAX_BYTES);

	cfs_buf_add(&url, cfs_buf_slice(&u->url));
	cfs_buf_adds(&url, query);
	cfs_percent_encode(cfs_slice_str(u->id), CFS_UNRESERVED, &url);
	c->method = method;
	c->url = cfs_buf_str(&url);
	c->bucket = u->bucket;
	return url.failed == CFS_OK ? cfs_s3_call(c, ctx) :
	       cfs_error_set(ctx.err, url.failed, "URL is too long");
}

/* The same without a body. */
static int call_bare(struct upload *u, const char *method, const char *query,
		     struct cfs_error *err)
{
	u->call.n = 0;
	u->call.text = CFS_SLICE_EMPTY;
	return call(u, &u->call, method, query, CFS_CTX(u->opts->cancel, err));
}

/* The header with the mark of the object, in `line`; NULL: it gets none. */
static const char *mark_of(const struct upload *u, char line[MARK_LINE_BYTES])
{
	if (u->opts->mark == NULL)
		return NULL;
	snprintf(line, MARK_LINE_BYTES, CFS_S3_MARK_FIELD ": %s",
		 u->opts->mark);
	return line;
}

/* ---- the journal ------------------------------------------------------- */

static int s3_upload_append_part(struct upload *u, unsigned i,
				 struct cfs_error *err)
{
	const struct upload_part *p = &u->part[i];
	char words[CFS_JOURNAL_WORDS_MAX];

	snprintf(words, sizeof(words), "%u %s %s", i + 1, p->md5, p->etag);
	return cfs_journal_add(&u->journal, words, err);
}

static int begin_journal(struct upload *u, struct cfs_error *err)
{
	char first[FIRST_MAX_BYTES];

	snprintf(first, sizeof(first), MARK "%016" PRIx64 " %" PRIu64
		 " %" PRIu64 " %s\n", u->url_hash, u->bytes, u->part_bytes,
		 u->id);
	return cfs_journal_begin(&u->journal, u->url_hash, first, err);
}

static bool s3_upload_take_word(struct cfs_slice *line, const char *wanted)
{
	return cfs_slice_eq(cfs_slice_split(line, ' '), cfs_slice_str(wanted));
}

static void take_part_line(struct upload *u, struct cfs_slice text)
{
	struct cfs_slice md5;
	struct upload_part *p;
	uint64_t number;

	if (cfs_slice_parse_u64(cfs_slice_split(&text, ' '), u->n_parts,
				&number) != CFS_OK || number == 0)
		return;
	p = &u->part[number - 1];
	md5 = cfs_slice_split(&text, ' ');
	if (md5.n != sizeof(p->md5) - 1 || !cfs_s3_etag(text, p->etag))
		return;
	memcpy(p->md5, md5.p, md5.n);
	p->md5[md5.n] = '\0';
}

/* Parses the first line; with `id_only` that for any file of this object.
 * False if the journal is for something else. */
static bool take_first_line(struct upload *u, struct cfs_slice line,
			    bool id_only)
{
	char hash[17], bytes[24], part[24];
	bool is_same;

	snprintf(hash, sizeof(hash), "%016" PRIx64, u->url_hash);
	snprintf(bytes, sizeof(bytes), "%" PRIu64, u->bytes);
	snprintf(part, sizeof(part), "%" PRIu64, u->part_bytes);
	if (!s3_upload_take_word(&line,
				 "crawlfs-upload") || !s3_upload_take_word(&line, "1") ||
	    !s3_upload_take_word(&line, hash))
		return false;
	is_same = s3_upload_take_word(&line, bytes);
	is_same = s3_upload_take_word(&line, part) && is_same;
	return (is_same || id_only) && cfs_s3_id(line, u->id);
}

/* Reads the journal. u->id stays empty if there is no upload to resume. */
static int read_journal(struct upload *u, bool id_only, struct cfs_error *err)
{
	struct cfs_slice rest, words;
	CFS_BUF(text, JOURNAL_MAX);
	int rc, line = CFS_OK;

	rc = cfs_journal_read(u->opts->journal, &text, err);
	rest = cfs_buf_slice(&text);
	if (rc == CFS_OK && cfs_slice_find(rest, '\n') >= 0 &&
	    take_first_line(u, cfs_slice_split(&rest, '\n'), id_only) &&
	    !id_only)
		while ((line = cfs_journal_next(&rest, u->url_hash, &words)) !=
		       CFS_END)
			if (line == CFS_OK)
				take_part_line(u, words);
	u->journal_bytes = text.n - rest.n;
	return rc;
}

/* ---- what is there ----------------------------------------------------- */

int cfs_s3_object_find(const char *url, struct cfs_ctx ctx)
{
	struct cfs_source *src = NULL;
	CFS_BUF(asked, 4 * CFS_LOCATION_MAX);
	int rc;

	rc = make_url(&asked, url, ctx.err);	/* checks for credentials */
	if (rc == CFS_OK)
		rc = cfs_location_open(&src, url, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, ctx);
	cfs_source_close(src);
	return rc;
}

/* The ETag that S3 gives to an object made of the parts: the MD5 of their MD5s,
 * and their number. */
static int composite(const struct upload *u, char out[64],
		     struct cfs_error *err)
{
	char md5[CFS_S3_MD5_HEX];
	CFS_BUF(all, (size_t)CFS_S3_PARTS_MAX * CFS_S3_MD5_BYTES);

	for (unsigned i = 0; i < u->n_parts; i++) {
		uint8_t raw[CFS_S3_MD5_BYTES];

		cfs_s3_md5_decode(u->part[i].md5, raw);
		cfs_buf_append(&all, raw, sizeof(raw));
	}
	cfs_s3_hash_text(cfs_buf_slice(&all), md5, NULL);
	snprintf(out, 64, "%s-%u", md5, u->n_parts);
	if (u->n_parts == 1)
		memcpy(out, u->part[0].md5, CFS_S3_MD5_HEX);
	return all.failed == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

/* Does the ETag of an object of the same size show that it is this file?
 * Hashes the parts. */
static int compare_etag(struct upload *u, const char *etag, bool *is_same,
			struct cfs_error *err)
{
	char want[64], have[CFS_S3_ETAG_BYTES];
	int rc = CFS_OK;

	for (unsigned i = 0; i < u->n_parts && rc == CFS_OK; i++)
		rc = cfs_s3_hash(u->fd, i * u->part_bytes, part_length(u, i),
				 u->part[i].md5, NULL,
				 CFS_CTX(u->opts->cancel, err));
	if (rc == CFS_OK)
		rc = composite(u, want, err);
	*is_same = rc == CFS_OK && cfs_s3_etag(cfs_slice_str(etag), have) &&
		   strcmp(have, want) == 0;
	return rc;
}

/* Compares the object with the file.  CFS_OK if it exists and has the same
 * bytes; CFS_ENOTFOUND if it does not exist, or may be replaced. */
static int s3_upload_check_taken(struct upload *u, struct cfs_error *err)
{
	char v[CFS_VALIDATOR_BYTES] = "";
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	int rc = cfs_location_open(&src, u->opts->url, &e);
	bool is_same = false;
	uint64_t size = 0;
	const char *blank;

	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, CFS_CTX(u->opts->cancel, &e));
	if (rc == CFS_OK) {
		size = src->size;
		cfs_source_validator(src, v);
	}
	cfs_source_close(src);
	/* S3 also answers like this if the object is missing and the caller may
	 * not list the bucket. */
	if (rc == CFS_EACCESS && u->opts->force)
		return CFS_ENOTFOUND;
	if (rc != CFS_OK)
		return cfs_error_at(rc == CFS_ENOTFOUND ? NULL : err, rc,
				    e.where, e.offset, "%s", e.text);
	blank = strchr(v, ' ');
	if (size == u->bytes && blank != NULL)
		rc = compare_etag(u, blank + 1, &is_same, err);
	if (rc != CFS_OK || is_same)
		return rc;
	if (u->opts->force)
		return CFS_ENOTFOUND;
	return cfs_error_set(err, CFS_EIO,
			     "'%.180s' exists (--force replaces it)",
			     u->opts->url);
}

/* ---- what has been sent ------------------------------------------------ */

/* Compares a part that the server has with the file's bytes. */
static int check_part(struct upload *u, unsigned i, const char *etag,
		      struct cfs_error *err)
{
	struct upload_part *p = &u->part[i];
	bool is_noted = strcmp(p->etag, etag) == 0;
	char md5[CFS_S3_MD5_HEX];
	int rc = cfs_s3_hash(u->fd, i * u->part_bytes, part_length(u, i), md5,
			     NULL, CFS_CTX(u->opts->cancel, err));

	if (rc != CFS_OK)
		return rc;
	p->is_done = (is_noted && strcmp(p->md5, md5) == 0) ||
		     strcmp(etag, md5) == 0;
	if (!p->is_done)
		return CFS_OK;
	memcpy(p->md5, md5, sizeof(md5));
	snprintf(p->etag, sizeof(p->etag), "%s", etag);
	u->resumed += part_length(u, i);
	return CFS_OK;
}

static int check_page(struct upload *u, const struct cfs_s3_answer *a,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	for (size_t k = 0; k < a->n_parts && rc == CFS_OK; k++) {
		unsigned i = a->part[k].number - 1;

		if (i < u->n_parts && !u->part[i].is_done &&
		    a->part[k].bytes == part_length(u, i))
			rc = check_part(u, i, a->part[k].etag, err);
	}
	return rc;
}

/* For servers that cannot list parts: believes the journal.  The parts are
 * checked when the object is assembled. */
static int trust_journal(struct upload *u, struct cfs_error *err)
{
	int rc = CFS_OK;

	for (unsigned i = 0; i < u->n_parts && rc == CFS_OK; i++)
		if (u->part[i].etag[0] != '\0') {
			char etag[CFS_S3_ETAG_BYTES];

			memcpy(etag, u->part[i].etag, sizeof(etag));
			rc = check_part(u, i, etag, err);
		}
	return rc;
}

static int s3_upload_list_parts(struct upload *u, struct cfs_error *err)
{
	struct cfs_s3_answer *a = &u->call.answer;
	struct cfs_error e = CFS_ERROR_INIT;
	char query[64] = "?uploadId=";
	unsigned after = 0;
	int rc;

	do {
		if (after > 0)	/* signed queries must be sorted */
			snprintf(query, sizeof(query),
				 "?part-number-marker=%u&uploadId=", after);
		rc = call_bare(u, "GET", query, &e);
		if (rc == CFS_EUNSUPPORTED)
			return trust_journal(u, err);
		if (rc == CFS_OK && a->kind != CFS_S3_PARTS)
			rc = cfs_error_set(&e, CFS_EFORMAT,
					   "the server's answer "
					   "is not a list of parts");
		if (rc == CFS_OK && a->is_truncated && a->next <= after)
			rc = cfs_error_set(&e, CFS_EFORMAT,
					   "the server's list of "
					   "parts does not advance");
		if (rc == CFS_OK)
			rc = check_page(u, a, &e);
		after = a->next;
	} while (rc == CFS_OK && a->is_truncated);
	return rc == CFS_OK ? rc :
			      cfs_error_set(rc == CFS_ENOTFOUND ? NULL : err,
					    rc, "%s", e.text);
}

static int s3_upload_begin(struct upload *u, struct cfs_error *err)
{
	char mark[MARK_LINE_BYTES];
	int rc;

	memset(u->part, 0, u->n_parts * sizeof(*u->part));
	u->id[0] = '\0';
	u->call.header = mark_of(u, mark);
	rc = call_bare(u, "POST", "?uploads=", err);
	u->call.header = NULL;
	if (rc == CFS_OK && u->call.answer.kind != CFS_S3_INITIATED)
		rc = cfs_error_set(err, CFS_EFORMAT,
				   "the server does not start an upload");
	if (rc != CFS_OK)
		return rc;
	memcpy(u->id, u->call.answer.upload_id, sizeof(u->id));
	return begin_journal(u, err);
}

/* Resumes the upload in the journal if the server still has it, or begins a
 * new one. */
static int begin_or_resume(struct upload *u, struct cfs_error *err)
{
	int rc = read_journal(u, false, err);

	if (rc == CFS_OK && u->id[0] != '\0') {
		rc = s3_upload_list_parts(u, err);
		if (rc == CFS_OK)
			rc = cfs_journal_keep(&u->journal, u->url_hash,
					      u->journal_bytes, err);
		if (rc != CFS_ENOTFOUND)
			return rc;
		u->resumed = 0;
		rc = CFS_OK;
	} else if (rc == CFS_OK) {
		/* The journal is for another file of that object: the server
		 * need not keep that upload. */
		rc = read_journal(u, true, err);
		if (rc == CFS_OK && u->id[0] != '\0')
			(void)call_bare(u, "DELETE", "?uploadId=", NULL);
	}
	return rc == CFS_OK ? s3_upload_begin(u, err) : rc;
}

/* ---- sending ----------------------------------------------------------- */

static int send_part(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	struct upload *u = arg;
	struct cfs_s3_call *c = &u->calls[thread];
	struct upload_part *p = &u->part[i];
	char query[64];
	int rc;

	if (p->is_done)
		return CFS_OK;
	snprintf(query, sizeof(query), "?partNumber=%zu&uploadId=", i + 1);
	c->fd = u->fd;
	c->off = i * u->part_bytes;
	c->n = part_length(u, i);
	c->sent = &u->sent;
	rc = call(u, c, "PUT", query, ctx);
	if (rc == CFS_OK && c->etag[0] == '\0')
		rc = cfs_error_set(ctx.err, CFS_EFORMAT,
				   "the server's answer has no ETag");
	if (rc != CFS_OK)
		return rc;
	memcpy(p->md5, c->md5, sizeof(c->md5));
	memcpy(p->etag, c->etag, sizeof(c->etag));
	p->is_done = true;
	return s3_upload_append_part(u, (unsigned)i, ctx.err);
}

static void s3_upload_show(void *arg)
{
	const struct upload *u = arg;

	if (u->opts->progress != NULL)
		u->opts->progress(u->opts->arg, u->resumed +
				  atomic_load(&u->sent), u->bytes);
}

static int send_parts(struct upload *u, struct cfs_error *err)
{
	unsigned most = u->opts->parallel > 0 ? u->opts->parallel : 1;
	struct cfs_pool_calls calls = { .threads = most, .n = u->n_parts,
		.one = send_part, .arg = u, .show = s3_upload_show,
		.every_ms = PROGRESS_MS };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (most > CFS_S3_UPLOAD_PARALLEL_MAX)
		calls.threads = CFS_S3_UPLOAD_PARALLEL_MAX;
	u->calls = calloc(calls.threads, sizeof(*u->calls));
	if (u->calls == NULL)
		return cfs_error_nomem(err);
	rc = cfs_pool_each(&calls, CFS_CTX(u->opts->cancel, &e));
	for (unsigned i = 0; i < calls.threads; i++)
		cfs_s3_call_release(&u->calls[i]);
	free(u->calls);
	if (rc == CFS_OK)
		return CFS_OK;
	return cfs_error_set(err, rc, "%s", cfs_cancelled(u->opts->cancel) ?
			     "interrupted" : e.text);
}

static int s3_upload_complete(struct upload *u, struct cfs_error *err)
{
	CFS_BUF(text, JOURNAL_MAX);
	int rc;

	cfs_buf_adds(&text, "<CompleteMultipartUpload>");
	for (unsigned i = 0; i < u->n_parts; i++)
		cfs_buf_addf(&text, "<Part><PartNumber>%u</PartNumber>"
			     "<ETag>\"%s\"</ETag></Part>", i + 1,
			     u->part[i].etag);
	cfs_buf_adds(&text, "</CompleteMultipartUpload>");
	u->call.n = 0;
	u->call.text = cfs_buf_slice(&text);
	u->call.wait_ms = COMPLETE_MS;
	rc = text.failed != CFS_OK ? cfs_error_nomem(err) :
	     call(u, &u->call, "POST", "?uploadId=",
		  CFS_CTX(u->opts->cancel, err));
	u->call.wait_ms = 0;
	u->call.text = CFS_SLICE_EMPTY;
	return rc == CFS_OK && u->call.answer.kind != CFS_S3_COMPLETED ?
		       cfs_error_set(
			       err, CFS_EFORMAT,
			       "the server does not say that the object is there") :
		       rc;
}

/* True if the server lacks parts, whatever it said before. */
static bool has_lost_parts(const struct upload *u)
{
	return strcmp(u->call.code, "InvalidPart") == 0 ||
	       strcmp(u->call.code, "NoSuchUpload") == 0;
}

static int send_in_parts(struct upload *u, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	rc = cfs_journal_open(&u->journal, u->opts->journal, MARK, 0600,
			      u->opts->journal, err);
	if (rc != CFS_OK)
		return rc;
	rc = begin_or_resume(u, err);
	if (rc == CFS_OK)
		rc = send_parts(u, err);
	if (rc == CFS_ENOTFOUND)	/* the next upload starts over */
		cfs_file_untake(u->opts->journal, MARK);
	if (rc != CFS_OK)
		return rc;
	rc = s3_upload_complete(u, &e);
	cfs_absent_forget();
	/* An earlier try may have succeeded, and its answer been lost. */
	if (rc != CFS_OK && has_lost_parts(u)) {
		cfs_file_untake(u->opts->journal, MARK);
		if (s3_upload_check_taken(u, NULL) == CFS_OK)
			rc = CFS_OK;
	}
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "%s", e.text);
}

static int send_whole(struct upload *u, struct cfs_error *err)
{
	char mark[MARK_LINE_BYTES];
	int rc;

	u->call.fd = u->fd;
	u->call.off = 0;
	u->call.n = u->bytes;
	u->call.header = mark_of(u, mark);
	rc = call(u, &u->call, "PUT", "", CFS_CTX(u->opts->cancel, err));
	u->call.header = NULL;
	cfs_absent_forget();
	return rc;
}

/* ---- the whole --------------------------------------------------------- */

static int s3_upload_open_file(struct upload *u, struct cfs_error *err)
{
	const uint64_t mib = UINT64_C(1) << 20;
	struct stat st;

	u->fd = open(u->opts->path, O_RDONLY | O_CLOEXEC);
	if (u->fd < 0 || fstat(u->fd, &st) != 0)
		return s3_upload_io_error(u->opts->path, "cannot open", err);
	u->bytes = (uint64_t)st.st_size;
	if (u->bytes > CFS_S3_OBJECT_MAX)
		return cfs_error_at(err, CFS_ELIMIT, u->opts->path, 0,
				    "is larger than an object of S3 can be");
	u->part_bytes = (u->bytes / CFS_S3_PARTS_MAX + mib) / mib * mib;
	if (u->part_bytes < CFS_S3_PART_BYTES)
		u->part_bytes = CFS_S3_PART_BYTES;
	u->n_parts = (unsigned)((u->bytes + u->part_bytes - 1) / u->part_bytes);
	u->part = calloc(u->n_parts, sizeof(*u->part));
	return u->part != NULL ? CFS_OK :
	       cfs_error_nomem(err);
}

static int s3_upload_init(struct upload *u,
			  const struct cfs_s3_upload_opts *opts,
			  struct cfs_error *err)
{
	struct cfs_location loc;
	int rc;

	u->opts = opts;
	u->fd = u->call.fd = -1;
	cfs_buf_init(&u->url, 4 * CFS_LOCATION_MAX);
	rc = make_url(&u->url, opts->url, err);
	if (rc == CFS_OK)
		u->url_hash = cfs_hash64(cfs_buf_slice(&u->url), 0);
	if (rc == CFS_OK && cfs_location_parse(&loc, opts->url, NULL) == CFS_OK)
		u->bucket = loc.host;
	return rc;
}

static void s3_upload_release(struct upload *u)
{
	if (u->fd >= 0)
		close(u->fd);
	cfs_journal_close(&u->journal);
	cfs_s3_call_release(&u->call);
	cfs_buf_release(&u->url);
	free(u->part);
}

int cfs_s3_upload(const struct cfs_s3_upload_opts *opts, struct cfs_error *err)
{
	struct upload u = { .fd = -1 };
	int rc = s3_upload_init(&u, opts, err);

	if (rc == CFS_OK)
		rc = s3_upload_open_file(&u, err);
	if (rc == CFS_OK) {
		rc = s3_upload_check_taken(&u, err);
		if (rc == CFS_ENOTFOUND) {
			memset(u.part, 0, u.n_parts * sizeof(*u.part));
			rc = u.n_parts > 1 ? send_in_parts(&u, err) :
					     send_whole(&u, err);
		}
	}
	if (rc == CFS_OK)
		cfs_file_untake(opts->journal, MARK);
	else
		cfs_error_where(err, opts->url, 0);
	s3_upload_release(&u);
	return rc;
}

int cfs_s3_upload_abort(const char *url, const char *journal,
			struct cfs_ctx ctx)
{
	struct cfs_s3_upload_opts opts = { .url = url, .journal = journal,
					   .cancel = ctx.cancel };
	struct upload u = { .fd = -1 };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = s3_upload_init(&u, &opts, ctx.err);

	if (rc == CFS_OK)
		rc = read_journal(&u, true, ctx.err);
	if (rc == CFS_OK && u.id[0] == '\0')
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK) {
		rc = call_bare(&u, "DELETE", "?uploadId=", &e);
		if (rc == CFS_ENOTFOUND)	/* completed or
						 * abandoned already */
			rc = CFS_OK;
		if (rc == CFS_OK)
			cfs_file_untake(journal, MARK);
		else
			cfs_error_set(ctx.err, rc, "%s", e.text);
	}
	if (rc != CFS_OK && rc != CFS_ENOTFOUND)
		cfs_error_where(ctx.err, url, 0);
	s3_upload_release(&u);
	return rc;
}

int cfs_s3_object_mark(const char *url, char mark[CFS_S3_MARK_BYTES],
		       struct cfs_ctx ctx)
{
	struct cfs_s3_upload_opts opts = { .url = url, .cancel = ctx.cancel };
	struct upload u = { .fd = -1 };
	int rc = s3_upload_init(&u, &opts, ctx.err);

	if (rc == CFS_OK)
		rc = call_bare(&u, "HEAD", "", ctx.err);
	snprintf(mark, CFS_S3_MARK_BYTES, "%s", u.call.head.mark);
	s3_upload_release(&u);
	return rc;
}
