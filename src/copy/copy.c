/* copy.c - records of an index into one archive (see copy.h).
 *
 * What to copy is sorted by archive and offset (index/extsort.h).  Workers
 * take stretches off that order, read and check them; the caller's thread
 * writes their results in the same order.  How many bytes may be on the way
 * is bounded, so a slow stretch only holds up what comes after it.
 *
 * A record is copied if its members inflate, their checksums hold, and a
 * record of the right format comes out.  One without members of its own is
 * compressed afresh (cfs_store_member).  The index is made of what is seen on
 * the way (copyindex.h); when that is not all, of the finished file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "copy.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/hash.h"
#include "base/log.h"
#include "codec/gzip.h"
#include "copyfile.h"
#include "copyindex.h"
#include "build/extsort.h"
#include "record/parse.h"

/*
 * A hole between two records is read with them where that saves a request, out
 * of an allowance: each byte wanted adds some part of one, so that no copy
 * reads more than that part too much, and ALLOWED_FIRST.  What a request costs
 * is its latency by how many are made at a time: so the part is three tenths
 * with 64 at a time, more with fewer, and never more than a whole one.  A hole
 * may be an eighth of the allowance: the small ones, which save as many
 * requests for fewer bytes, come first.
 */
#define ALLOWED_PERCENT_MIN 30u
#define ALLOWED_PERCENT_MAX 100u
#define ALLOWED_PERCENT (ALLOWED_PERCENT_MIN * 64)	/* by requests */
#define HOLE_MAX ((uint64_t)64 << 10)
#define HOLE_SHARE 8u
#define ALLOWED_FIRST (HOLE_MAX * HOLE_SHARE)
#define ALLOWED_MAX (2 * ALLOWED_FIRST)
/* A stretch, unless one record alone is larger. */
#define STRETCH_BYTES ((uint64_t)1 << 20)
#define STRETCH_ITEMS 4096u
/* Bytes of stretches read and not yet written. */
#define AHEAD_BYTES ((uint64_t)64 << 20)
#define SORT_BYTES ((size_t)64 << 20)
#define NAME_MAX_BYTES 4096u
#define TELL_MS 100
/* In the index and while sorting, on disk, for one record; and for all. */
#define ROOM_RECORD 128u
#define ROOM_MORE ((uint64_t)1 << 20)
/* Lines about records that are left out; the report counts them all. */
#define TOLD_MAX 100u

struct item {
	uint64_t offset, length, inner_offset, inner_length;
};

/* Neighbours in one archive, and what has come of them. */
struct stretch {
	struct stretch *next;		/* in order of writing */
	char *archive;
	struct item *items;
	size_t n, room;
	uint64_t from, to;		/* bytes of the archive */
	/* Set by the worker, then `done` under the lock: */
	struct cfs_buf out;
	size_t *ends;			/* of the records written, in out */
	uint64_t written, damaged;
	struct cfs_copyindex_found found;
	int rc;
	struct cfs_error error;
	bool done;			/* guarded by lock */
};

struct cfs_copy {
	struct cfs_copy_opts opts;
	struct cfs_extsort *sort;
	struct cfs_buf key;
	uint64_t items, bytes, other;	/* added; of the other format */
	uint64_t sum;			/* of all that was added, in any order */
	struct cfs_copyfile *file;
	struct cfs_copyfile_mark mark;	/* where an earlier run came to */
	struct cfs_copyindex *ix;	/* NULL: made of the finished file */
	uint64_t at;			/* bytes given to file */
	bool has_first;			/* the file's own first record */
	struct stat old;		/* what force would replace */
	bool has_old;
	atomic_uint told;		/* of what is left out */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct stretch *head, **tail;	/* being read; guarded by lock */
	uint64_t ahead;			/* bytes of these; guarded by lock */
	bool is_ended, stop;		/* guarded by lock */
	int plan_rc;			/* guarded by lock */
	struct cfs_error plan_error;	/* guarded by lock */
	/* The item after the last stretch; guarded by lock. */
	bool has_item;
	struct item item, last;
	struct cfs_buf item_archive, last_archive;
	struct cfs_buf gone;		/* the last archive that is not there;
					 * guarded by lock */
	uint64_t planned;		/* guarded by lock */
	uint64_t allowed;		/* bytes of holes; guarded by lock */
	struct cfs_cancel cancel;
	atomic_bool stopped;
	uint64_t done_bytes, done_items;
	struct cfs_copy_report report;
};

/* ---- adding ----------------------------------------------------------- */

static void put_be64(struct cfs_buf *b, uint64_t v)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		cfs_buf_addc(b, (uint8_t)(v >> shift));
}

static uint64_t get_be64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

int cfs_copy_add(struct cfs_copy *c, const struct cfs_capture *cap,
		 struct cfs_error *err)
{
	bool is_arc = cap->kind == CFS_KIND_ARC;
	uint8_t value[16];
	struct cfs_slice v = cfs_slice_of(value, sizeof(value));
	int rc;

	if (is_arc != (c->opts.format == CFS_ARCHIVE_ARC)) {
		c->other++;
		return CFS_OK;
	}
	cfs_buf_reset(&c->key);
	rc = cfs_index_archive_name(c->opts.index, &cap->loc, &c->key, err);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_addc(&c->key, 0);
	put_be64(&c->key, cap->loc.offset);
	put_be64(&c->key, cap->loc.inner_offset);
	if (c->key.failed != CFS_OK)
		return cfs_error_set(err, c->key.failed,
				     "name of an archive is too long");
	cfs_le64_put(value, cap->loc.length);
	cfs_le64_put(value + 8, cap->loc.inner_length);
	c->items++;
	c->bytes += cap->loc.length;
	c->sum += cfs_hash64(v, cfs_hash64(cfs_buf_slice(&c->key), 0));
	return cfs_extsort_add(c->sort, 0, cfs_buf_slice(&c->key), v, err);
}

/* ---- planning (all under the lock) ------------------------------------ */

/* The next item that is not the one before it again. */
static int next_item(struct cfs_copy *c)
{
	struct cfs_slice key, value;
	int rc;

	do {
		rc = cfs_extsort_next(c->sort, &key, &value, &c->plan_error);
		if (rc != CFS_OK)
			return rc;
		c->item = (struct item){
			.offset = get_be64(key.p + key.n - 16),
			.inner_offset = get_be64(key.p + key.n - 8),
			.length = cfs_le64_get(value.p),
			.inner_length = cfs_le64_get(value.p + 8),
		};
		cfs_buf_reset(&c->item_archive);
		cfs_buf_append(&c->item_archive, key.p, key.n - 16);
		if (c->item_archive.failed != CFS_OK)
			return cfs_error_set(&c->plan_error, CFS_ENOMEM,
					     "out of memory");
	} while (c->planned > 0 &&
		 memcmp(&c->item, &c->last, sizeof(c->item)) == 0 &&
		 cfs_slice_eq(cfs_buf_slice(&c->item_archive),
			      cfs_buf_slice(&c->last_archive)));
	c->last = c->item;
	cfs_buf_reset(&c->last_archive);
	cfs_buf_add(&c->last_archive, cfs_buf_slice(&c->item_archive));
	c->planned++;
	return c->last_archive.failed == CFS_OK ? CFS_OK :
	       cfs_error_set(&c->plan_error, CFS_ENOMEM, "out of memory");
}

static void free_stretch(struct stretch *s)
{
	if (s == NULL)
		return;
	cfs_buf_release(&s->out);
	cfs_copyindex_found_release(&s->found);
	free(s->ends);
	free(s->items);
	free(s->archive);
	free(s);
}

static uint64_t hole_max(const struct cfs_copy *c)
{
	uint64_t n = c->allowed / HOLE_SHARE;

	return n < HOLE_MAX ? n : HOLE_MAX;
}

static bool fits(const struct stretch *s, const struct cfs_copy *c)
{
	const struct item *i = &c->item;

	return strcmp(s->archive, (const char *)c->item_archive.p) == 0 &&
	       s->n < STRETCH_ITEMS && s->items[0].inner_length == 0 &&
	       i->inner_length == 0 && i->length <= STRETCH_BYTES &&
	       i->offset >= s->to && i->offset - s->to <= hole_max(c) &&
	       i->offset + i->length - s->from <= STRETCH_BYTES;
}

static bool append_item(struct stretch *s, const struct item *i)
{
	if (s->n == s->room) {
		size_t room = s->room ? s->room * 2 : 16;
		struct item *more = reallocarray(s->items, room, sizeof(*more));

		if (more == NULL)
			return false;
		s->items = more;
		s->room = room;
	}
	s->items[s->n++] = *i;
	s->to = i->length > UINT64_MAX - i->offset ? UINT64_MAX :
						     i->offset + i->length;
	return true;
}

/* Settles what the item costs and adds: it goes behind those of s. */
static void pay(struct cfs_copy *c, const struct stretch *s)
{
	uint64_t more = c->item.length < STRETCH_BYTES ? c->item.length :
							 STRETCH_BYTES;

	unsigned percent = ALLOWED_PERCENT / c->opts.parallel;

	if (percent < ALLOWED_PERCENT_MIN)
		percent = ALLOWED_PERCENT_MIN;
	if (percent > ALLOWED_PERCENT_MAX)
		percent = ALLOWED_PERCENT_MAX;
	if (s->n > 0)
		c->allowed -= c->item.offset - s->to;
	c->allowed += more * percent / 100;
	if (c->allowed > ALLOWED_MAX)
		c->allowed = ALLOWED_MAX;
}

/* NULL at the end and after a failure (c->plan_rc). */
static struct stretch *plan_stretch(struct cfs_copy *c)
{
	struct stretch *s;
	bool ok = true;

	if (!c->has_item)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s != NULL) {
		s->archive = strdup((const char *)c->item_archive.p);
		s->from = c->item.offset;
		cfs_buf_init(&s->out, SIZE_MAX / 2);
		cfs_copyindex_found_init(&s->found);
	}
	ok = s != NULL && s->archive != NULL;
	while (ok && c->has_item && (s->n == 0 || fits(s, c))) {
		pay(c, s);
		ok = append_item(s, &c->item);
		c->plan_rc = ok ? next_item(c) : CFS_ENOMEM;
		c->has_item = c->plan_rc == CFS_OK;
	}
	if (c->plan_rc == CFS_END)
		c->plan_rc = CFS_OK;
	if (!ok)
		c->plan_rc = cfs_error_set(&c->plan_error, CFS_ENOMEM,
					   "out of memory");
	if (c->plan_rc != CFS_OK) {
		free_stretch(s);
		c->has_item = false;
		return NULL;
	}
	return s;
}

/* The next stretch to read, once there is room for it. */
static struct stretch *take_stretch(struct cfs_copy *c)
{
	struct stretch *s = NULL;

	pthread_mutex_lock(&c->lock);
	while (!c->stop && c->has_item && c->ahead >= AHEAD_BYTES)
		pthread_cond_wait(&c->changed, &c->lock);
	if (!c->stop)
		s = plan_stretch(c);
	if (s != NULL) {
		*c->tail = s;
		c->tail = &s->next;
		c->ahead += s->to - s->from;
	} else {
		c->is_ended = true;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return s;
}

/* ---- reading ---------------------------------------------------------- */

/* Does a record of the right format come out of these members? */
static int check_members(const struct cfs_copy *c, struct cfs_slice in,
			 struct cfs_buf *out, struct cfs_error *err)
{
	struct cfs_slice plain;
	int rc;

	cfs_buf_reset(out);
	rc = cfs_gz_members(in, out, &c->cancel, err);
	if (rc != CFS_OK)
		return rc;
	plain = cfs_buf_slice(out);
	if (!cfs_record_is_start(plain))
		return cfs_error_set(err, CFS_EFORMAT, "no record begins here");
	if (cfs_slice_starts(plain, CFS_SLICE_LIT("WARC/")) !=
	    (c->opts.format == CFS_ARCHIVE_WARC))
		return cfs_error_set(err, CFS_EFORMAT,
				     "is a record of the other archive format");
	return CFS_OK;
}

/* What ends the copy rather than be left out: another day it may be read. */
static bool is_fatal(const struct cfs_copy *c, int rc)
{
	switch (rc) {
	case CFS_EFORMAT:
	case CFS_ELIMIT:
	case CFS_ENOTFOUND:
	case CFS_EACCESS:
	case CFS_EUNSUPPORTED:
		return false;
	case CFS_ENOMEM:
	case CFS_EINTR:
	case CFS_EUSAGE:
		return true;
	default:
		return !c->opts.keep_going;
	}
}

/* Is nothing to be asked of the archive again?  note: so it is. */
static bool is_gone(struct cfs_copy *c, const char *archive, bool note)
{
	bool yes;

	pthread_mutex_lock(&c->lock);
	yes = c->gone.n > 0 &&
	      cfs_slice_eq(cfs_buf_slice(&c->gone), cfs_slice_str(archive));
	if (note && !yes) {
		cfs_buf_reset(&c->gone);
		cfs_buf_adds(&c->gone, archive);
	}
	pthread_mutex_unlock(&c->lock);
	return yes;
}

static void tell_loss(struct cfs_copy *c, const struct stretch *s, size_t n,
		      const struct cfs_error *e)
{
	unsigned before = atomic_fetch_add(&c->told, 1);

	if (before == TOLD_MAX)
		cfs_log(CFS_LOG_WARNING, "more is left out: it is only counted");
	if (before >= TOLD_MAX)
		return;
	cfs_log_error(CFS_LOG_WARNING, e);
	if (e->code == CFS_ENOTFOUND)
		cfs_log(CFS_LOG_WARNING, "%s: all of its records are left out",
			s->archive);
	else if (n > 1)
		cfs_log(CFS_LOG_WARNING, "%s: %zu records are left out",
			s->archive, n);
}

/* Logs the loss of n records, or fails the stretch. */
static int lose(struct cfs_copy *c, struct stretch *s, uint64_t offset,
		size_t n, int rc, struct cfs_error *e)
{
	if (is_fatal(c, rc)) {
		s->rc = rc;
		s->error = *e;
		return rc;
	}
	cfs_error_where(e, s->archive, offset);
	if (rc != CFS_ENOTFOUND || !is_gone(c, s->archive, true))
		tell_loss(c, s, n, e);
	s->damaged += n;
	return CFS_OK;
}

/* The bytes of a record to the stretch's; `in` is what the archive has there,
 * n 0: not read. */
static int take_item(const struct cfs_copy *c, struct stretch *s,
		     const struct item *i, struct cfs_slice in,
		     struct cfs_error *err)
{
	struct cfs_span loc = { .offset = i->offset, .length = i->length,
		.inner_offset = i->inner_offset,
		.inner_length = i->inner_length };
	int rc = CFS_OK;

	if (in.n > 0 && cfs_gz_is_start(in))
		cfs_buf_add(&s->out, in);
	else
		rc = cfs_store_member(c->opts.store, cfs_slice_str(s->archive),
				      &loc, &s->out, &c->cancel, err);
	if (s->out.failed != CFS_OK)
		rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
	if (rc == CFS_OK)
		s->ends[s->written++] = s->out.n;
	return rc;
}

static struct cfs_slice item_bytes(const struct stretch *s, size_t i,
				   const uint8_t *raw)
{
	const struct item *it = &s->items[i];

	return raw == NULL ? CFS_SLICE_EMPTY :
	       cfs_slice_of(raw + (it->offset - s->from), (size_t)it->length);
}

/* Is what was taken records, and nothing else?  Notes what an index keeps. */
static int look(const struct cfs_copy *c, struct stretch *s,
		struct cfs_error *err)
{
	struct cfs_copyindex_stretch x = {
		.name = c->opts.output, .bytes = cfs_buf_slice(&s->out),
		.ends = s->ends, .n = s->written, .format = c->opts.format,
		.max_record_bytes = c->opts.max_record_bytes,
		.cancel = &c->cancel };

	return cfs_copyindex_look(&s->found, &x, err);
}

/* All records of a stretch at once.  False: one of them is wrong. */
static bool take_all(const struct cfs_copy *c, struct stretch *s,
		     const uint8_t *raw)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < s->n; i++)
		rc = take_item(c, s, &s->items[i], item_bytes(s, i, raw), &e);
	if (rc == CFS_OK)
		rc = look(c, s, &e);
	if (rc == CFS_OK)
		return true;
	s->out.n = 0;
	s->written = 0;
	return false;
}

/* Record by record: what is wrong is left out. */
static void take_each(struct cfs_copy *c, struct stretch *s,
		      const uint8_t *raw, struct cfs_buf *plain)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	for (size_t i = 0; i < s->n; i++) {
		size_t before = s->out.n;
		uint64_t written = s->written;

		cfs_error_clear(&e);
		rc = take_item(c, s, &s->items[i], item_bytes(s, i, raw), &e);
		if (rc == CFS_OK)
			rc = check_members(c, cfs_slice_from(
					cfs_buf_slice(&s->out), before),
					plain, &e);
		if (rc == CFS_OK)
			continue;
		if (s->out.failed == CFS_OK)
			s->out.n = before;
		s->written = written;
		if (lose(c, s, s->items[i].offset, 1, rc, &e) != CFS_OK)
			return;
	}
	cfs_error_clear(&e);
	rc = s->written > 0 ? look(c, s, &e) : CFS_OK;
	s->found.is_odd = s->found.is_odd || rc == CFS_EFORMAT;
	if (rc == CFS_ENOMEM || rc == CFS_EINTR) {
		s->rc = rc;
		s->error = e;
	}
}

/* Would the copy take the place of what it is made of? */
static int guard_archive(const struct cfs_copy *c, const struct stretch *s,
			 struct cfs_error *err)
{
	struct cfs_source *src;
	struct stat st;
	int rc = CFS_OK;

	if (!c->has_old ||
	    cfs_store_source(c->opts.store, cfs_slice_str(s->archive), &src,
			     &c->cancel, NULL) != CFS_OK)
		return CFS_OK;
	if (src->is_local && stat(src->name, &st) == 0 &&
	    st.st_dev == c->old.st_dev && st.st_ino == c->old.st_ino)
		rc = cfs_error_set(err, CFS_EUSAGE, "'%s' is an archive that is "
				   "copied from", c->opts.output);
	cfs_source_close(src);
	return rc;
}

static void read_stretch(struct cfs_copy *c, struct stretch *s,
			 struct cfs_buf *plain)
{
	struct cfs_error e = CFS_ERROR_INIT;
	size_t n = s->to - s->from <= STRETCH_BYTES ?
		   (size_t)(s->to - s->from) : 0;
	uint8_t *raw = NULL;
	int rc = guard_archive(c, s, &e);

	if (is_gone(c, s->archive, false)) {
		s->damaged = s->n;
		return;
	}
	s->ends = calloc(s->n, sizeof(*s->ends));
	if (s->ends == NULL && rc == CFS_OK)
		rc = cfs_error_set(&e, CFS_ENOMEM, "out of memory");
	if (rc == CFS_OK && s->items[0].inner_length == 0 && n > 0) {
		raw = malloc(n);
		rc = raw == NULL ? cfs_error_set(&e, CFS_ENOMEM, "out of memory")
		     : cfs_store_read(c->opts.store, cfs_slice_str(s->archive),
				      s->from, raw, n, &c->cancel, &e);
	}
	if (rc == CFS_ENOTFOUND || rc == CFS_EACCESS ||
	    (rc != CFS_OK && is_fatal(c, rc))) {
		lose(c, s, s->from, s->n, rc, &e);
		goto out;
	}
	if (rc != CFS_OK) {	/* one of them is wrong: which? */
		free(raw);
		raw = NULL;
	}
	if (rc != CFS_OK || !take_all(c, s, raw))
		take_each(c, s, raw, plain);
out:
	free(raw);
}

static void *work(void *arg)
{
	struct cfs_copy *c = arg;
	struct cfs_buf plain;
	struct stretch *s;
	uint64_t max = c->opts.max_record_bytes ? c->opts.max_record_bytes :
						  CFS_RECORD_MAX_DEFAULT;

	cfs_buf_init(&plain, max > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)max);
	while ((s = take_stretch(c)) != NULL) {
		read_stretch(c, s, &plain);
		if (plain.cap > 16 * STRETCH_BYTES) {	/* of a giant */
			cfs_buf_release(&plain);
		}
		pthread_mutex_lock(&c->lock);
		s->done = true;
		pthread_cond_broadcast(&c->changed);
		pthread_mutex_unlock(&c->lock);
	}
	cfs_buf_release(&plain);
	return NULL;
}

/* ---- the output's own first record ------------------------------------ */

static void utc_of(int64_t t, struct tm *out)
{
	time_t seconds = (time_t)t;

	if (gmtime_r(&seconds, out) == NULL)
		memset(out, 0, sizeof(*out));
}

/* A name that may hold anything, as part of a line. */
static void add_one_line(struct cfs_buf *b, const char *s)
{
	for (; *s != '\0'; s++)
		cfs_buf_addc(b, (unsigned char)*s < ' ' || *s == 0x7f ? '_' :
			     (uint8_t)*s);
}

static void make_warcinfo(const struct cfs_copy *c, const char *name,
			  uint64_t id, struct cfs_buf *out)
{
	uint64_t more = cfs_hash64(cfs_slice_of(&id, sizeof(id)), 1);
	struct cfs_buf body;
	struct tm t;

	cfs_buf_init(&body, 1 << 16);
	cfs_buf_adds(&body, "software: crawlfs " PACKAGE_VERSION "\r\n"
		     "format: WARC File Format 1.0\r\n"
		     "description: records copied from ");
	add_one_line(&body, c->opts.described);
	cfs_buf_adds(&body, "\r\n");
	utc_of(c->opts.time, &t);
	cfs_buf_addf(out, "WARC/1.0\r\nWARC-Type: warcinfo\r\n"
		"WARC-Record-ID: <urn:uuid:%08" PRIx32 "-%04x-4%03x-%04x-%012"
		PRIx64 ">\r\n"
		"WARC-Date: %04d-%02d-%02dT%02d:%02d:%02dZ\r\n"
		"WARC-Filename: %s\r\n"
		"Content-Type: application/warc-fields\r\n"
		"Content-Length: %zu\r\n\r\n",
		(uint32_t)(id >> 32), (unsigned)(id >> 16 & 0xffff),
		(unsigned)(id & 0xfff), (unsigned)(more >> 48 & 0x3fff) | 0x8000u,
		more & UINT64_C(0xffffffffffff),
		t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
		t.tm_sec, name, body.n);
	cfs_buf_add(out, cfs_buf_slice(&body));
	cfs_buf_adds(out, "\r\n\r\n");
	if (body.failed != CFS_OK)
		out->failed = body.failed;
	cfs_buf_release(&body);
}

/* Heritrix's field lists, as everybody writes them. */
static void make_filedesc(const struct cfs_copy *c, const char *name, bool arc2,
			  struct cfs_buf *out)
{
	struct cfs_buf body;
	char date[32];
	struct tm t;

	cfs_buf_init(&body, 1 << 12);
	cfs_buf_adds(&body, arc2 ?
		"2 0 crawlfs\nURL IP-address Archive-date Content-type Result-code "
		"Checksum Location Offset Filename Archive-length\n" :
		"1 0 crawlfs\nURL IP-address Archive-date Content-type "
		"Archive-length\n");
	utc_of(c->opts.time, &t);
	snprintf(date, sizeof(date), "%04d%02d%02d%02d%02d%02d",
		 t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
		 t.tm_sec);
	cfs_buf_addf(out, "filedesc://%s 0.0.0.0 %s text/plain ", name, date);
	if (arc2)
		cfs_buf_addf(out, "200 - - 0 %s ", name);
	cfs_buf_addf(out, "%zu\n", body.n);
	cfs_buf_add(out, cfs_buf_slice(&body));
	cfs_buf_addc(out, '\n');
	if (body.failed != CFS_OK)
		out->failed = body.failed;
	cfs_buf_release(&body);
}

static int add_first(struct cfs_copy *c, bool arc2, struct cfs_error *err)
{
	char path[PATH_MAX], *name;
	struct cfs_buf plain, member;
	uint64_t id = cfs_hash64(cfs_slice_str(c->opts.output),
				 c->sum ^ (uint64_t)c->opts.time);
	int rc;

	snprintf(path, sizeof(path), "%s", c->opts.output);
	name = basename(path);
	for (char *p = name; *p != '\0'; p++)	/* it stands in a line of text */
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			*p = '_';
	cfs_buf_init(&plain, 1 << 17);
	cfs_buf_init(&member, 1 << 18);
	if (c->opts.format == CFS_ARCHIVE_WARC)
		make_warcinfo(c, name, id, &plain);
	else
		make_filedesc(c, name, arc2, &plain);
	rc = plain.failed != CFS_OK ?
	     cfs_error_set(err, plain.failed, "out of memory") :
	     cfs_gz_compress(cfs_buf_slice(&plain), &member, err);
	c->at += member.n;
	if (rc == CFS_OK)
		rc = cfs_copyfile_add(c->file, cfs_buf_slice(&member), 0, 0, err);
	c->has_first = rc == CFS_OK;
	cfs_buf_release(&plain);
	cfs_buf_release(&member);
	return rc;
}

/* ---- writing ---------------------------------------------------------- */

static void tell(const struct cfs_copy *c)
{
	struct cfs_indexer_progress p = {
		.bytes_done = c->done_bytes, .bytes_total = c->bytes,
		.captures = c->report.records };

	if (p.bytes_done > p.bytes_total)
		p.bytes_done = p.bytes_total;
	if (c->opts.progress != NULL)
		c->opts.progress(c->opts.arg, &p);
}

/* Waits for the first stretch in order; NULL when all is written. */
static struct stretch *wait_for_head(struct cfs_copy *c)
{
	struct stretch *s;
	struct timespec t;

	pthread_mutex_lock(&c->lock);
	while ((c->head == NULL && !c->is_ended) ||
	       (c->head != NULL && !c->head->done)) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += TELL_MS * 1000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_sec++;
			t.tv_nsec -= 1000000000;
		}
		pthread_cond_timedwait(&c->changed, &c->lock, &t);
		pthread_mutex_unlock(&c->lock);
		tell(c);
		pthread_mutex_lock(&c->lock);
	}
	s = c->head;
	if (s != NULL) {
		c->head = s->next;
		if (c->head == NULL)
			c->tail = &c->head;
		c->ahead -= s->to - s->from;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return s;
}

/* Tells the index what was found; one odd stretch, and it knows too little. */
static int index_stretch(struct cfs_copy *c, const struct stretch *s,
			 struct cfs_error *err)
{
	if (s->found.is_odd) {
		cfs_copyindex_free(c->ix);
		c->ix = NULL;
	}
	return c->ix == NULL ? CFS_OK :
	       cfs_copyindex_add(c->ix, &s->found, c->at, err);
}

static int write_stretch(struct cfs_copy *c, const struct stretch *s,
			 struct cfs_error *err)
{
	int rc = CFS_OK;

	if (s->rc != CFS_OK) {
		if (err != NULL && err->code == CFS_OK)
			*err = s->error;
		return s->rc;
	}
	if (cfs_cancelled(c->opts.cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	if (s->written > 0 && !c->has_first)
		rc = add_first(c, s->found.is_arc2, err);
	if (rc == CFS_OK)
		rc = index_stretch(c, s, err);
	if (rc == CFS_OK)
		rc = cfs_copyfile_add(c->file, cfs_buf_slice(&s->out), s->n,
				      s->written, err);
	if (rc != CFS_OK)
		return rc;
	c->at += s->out.n;
	for (size_t i = 0; i < s->n; i++)
		c->done_bytes += s->items[i].length;
	c->done_items += s->n;
	c->report.records += s->written;
	return CFS_OK;
}

static int write_all(struct cfs_copy *c, struct cfs_error *err)
{
	struct stretch *s;
	int rc = CFS_OK;

	while (rc == CFS_OK && (s = wait_for_head(c)) != NULL) {
		rc = write_stretch(c, s, err);
		free_stretch(s);
		tell(c);
	}
	return rc;
}

static bool should_stop(void *arg)
{
	struct cfs_copy *c = arg;

	return atomic_load_explicit(&c->stopped, memory_order_relaxed) ||
	       cfs_cancelled(c->opts.cancel);
}

static int run_threads(struct cfs_copy *c, struct cfs_error *err)
{
	pthread_t t[CFS_COPY_PARALLEL_MAX];
	unsigned n = 0;
	int rc;

	while (n < c->opts.parallel && pthread_create(&t[n], NULL, work, c) == 0)
		n++;
	rc = n > 0 ? write_all(c, err) :
	     cfs_error_set(err, CFS_ENOMEM, "cannot start a thread");
	atomic_store(&c->stopped, true);
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	while (c->head != NULL) {
		struct stretch *s = c->head;

		c->head = s->next;
		free_stretch(s);
	}
	if (rc == CFS_OK && c->plan_rc != CFS_OK) {
		rc = c->plan_rc;
		if (err != NULL && err->code == CFS_OK)
			*err = c->plan_error;
	}
	return rc;
}

/* ---- the index beside it, so that it can be mounted at once ------------ */

static int index_path(const struct cfs_copy *c, char path[PATH_MAX],
		      struct cfs_error *err)
{
	return snprintf(path, PATH_MAX, "%s.cfx", c->opts.output) < PATH_MAX ?
	       CFS_OK : cfs_error_set(err, CFS_EUSAGE,
				      "'%s' is too long a name",
				      c->opts.output);
}

static void on_merged(void *arg, uint64_t done, uint64_t total)
{
	const struct cfs_copy *c = arg;
	struct cfs_indexer_progress p = {
		.bytes_done = c->bytes, .bytes_total = c->bytes,
		.captures = c->report.records,
		.merged = done, .merge_total = total };

	if (c->opts.progress != NULL)
		c->opts.progress(c->opts.arg, &p);
}

/* Begun with the first record: of what an earlier run has written nothing is
 * known but its bytes. */
static int begin_index(struct cfs_copy *c, struct cfs_error *err)
{
	struct cfs_copyindex_opts xo = {
		.archive = c->opts.output, .cancel = c->opts.cancel,
		.merged = on_merged, .arg = c };
	char path[PATH_MAX];
	int rc = index_path(c, path, err);

	xo.path = path;
	if (rc == CFS_OK && c->mark.items == 0)
		rc = cfs_copyindex_new(&c->ix, &xo, err);
	return rc;
}

/* By reading the whole copy. */
static int index_file(struct cfs_copy *c, const char *path,
		      struct cfs_error *err)
{
	struct cfs_indexer_report report = { .files = 0 };
	struct cfs_indexer_opts io = {
		.inputs = &c->opts.output, .n_inputs = 1, .output = path,
		.format = CFS_INDEX_CFX,
		.max_record_bytes = c->opts.max_record_bytes,
		.cancel = c->opts.cancel, .progress = c->opts.progress,
		.arg = c->opts.arg,
	};
	int rc = cfs_indexer_run(&io, &report, err);

	c->report.bytes = report.input_bytes;
	return rc;
}

static int make_index(struct cfs_copy *c, struct cfs_error *err)
{
	char path[PATH_MAX];
	int rc = index_path(c, path, err);

	if (rc == CFS_OK)
		rc = c->ix == NULL ? index_file(c, path, err) :
		     cfs_copyindex_finish(c->ix, &c->report.bytes, err);
	return rc;
}

/* ---- the whole -------------------------------------------------------- */

static int check_work(const struct cfs_copy *c, struct cfs_error *err)
{
	bool to_warc = c->opts.format == CFS_ARCHIVE_WARC;

	if (c->items == 0 && c->other == 0)
		return cfs_error_set(err, CFS_ENOTFOUND,
				     "there is nothing to copy");
	if (c->items == 0)
		return cfs_error_set(err, CFS_EUNSUPPORTED,
			"all %" PRIu64 " records are %s: copy them to a name ending in %s",
			c->other, to_warc ? "ARC" : "WARC",
			to_warc ? ".arc.gz" : ".warc.gz");
	if (c->other > 0 && !c->opts.skip_other)
		return cfs_error_set(err, CFS_EUNSUPPORTED,
			"%" PRIu64 " records are %s and %" PRIu64 " are %s: one archive cannot hold both (--skip-other leaves out those that do not fit its name)",
			c->items, to_warc ? "WARC" : "ARC", c->other,
			to_warc ? "ARC" : "WARC");
	return CFS_OK;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Neither the copy nor its index may take the place of what was opened; the
 * archives are seen to when they are read. */
static int guard_source(struct cfs_copy *c, struct cfs_error *err)
{
	char path[PATH_MAX];
	int rc = index_path(c, path, err);

	c->has_old = stat(c->opts.output, &c->old) == 0;
	if (rc != CFS_OK || c->opts.source == NULL)
		return rc;
	return is_same_file(c->opts.source, c->opts.output) ||
	       is_same_file(c->opts.source, path) ?
	       cfs_error_set(err, CFS_EUSAGE, "'%s' would be replaced, which is "
			     "copied from", c->opts.source) : CFS_OK;
}

/* Is there room for what is still to be written?  Another process may take it
 * later: so this is to spare hours, not to be relied on. */
static int check_room(struct cfs_copy *c, struct cfs_error *err)
{
	uint64_t items = c->items - (c->mark.items < c->items ? c->mark.items :
				     c->items);
	uint64_t need = c->bytes - (c->mark.bytes < c->bytes ? c->mark.bytes :
				    c->bytes);
	char path[PATH_MAX], text[200];
	const char *dir;
	struct statvfs v;
	double has;

	need += items * ROOM_RECORD + ROOM_MORE;
	snprintf(path, sizeof(path), "%s", c->opts.output);
	dir = dirname(path);
	if (statvfs(dir, &v) != 0 || v.f_blocks == 0)
		return CFS_OK;
	has = (double)v.f_bavail * (double)v.f_frsize;
	if (has >= (double)need)
		return CFS_OK;
	snprintf(text, sizeof(text), "'%.100s' has room for %.1f MB, the copy "
		 "needs %.1f MB", dir, has / 1e6, (double)need / 1e6);
	if (c->opts.must_have_room) {
		c->report.has_no_room = true;
		return cfs_error_set(err, CFS_EIO, "%s", text);
	}
	cfs_log(CFS_LOG_WARNING, "%s", text);
	return CFS_OK;
}

/* Goes past what an earlier run has done. */
static int skip_done(struct cfs_copy *c)
{
	int rc = next_item(c);

	for (uint64_t i = 0; i < c->mark.items && rc == CFS_OK; i++) {
		c->done_bytes += c->item.length;
		rc = cfs_cancelled(c->opts.cancel) ? CFS_EINTR : next_item(c);
	}
	c->done_items = c->mark.items;
	c->report.records = c->report.resumed = c->mark.written;
	c->has_first = c->mark.bytes > 0;
	c->at = c->mark.bytes;
	c->has_item = rc == CFS_OK;
	return rc == CFS_END ? CFS_OK : rc;
}

static int copy_records(struct cfs_copy *c, struct cfs_error *err)
{
	int rc = cfs_extsort_merge(c->sort, err);

	if (rc == CFS_OK) {
		rc = skip_done(c);
		if (rc != CFS_OK)
			return cfs_error_set(err, rc, "%s", c->plan_error.text[0] ?
					     c->plan_error.text : "interrupted");
		rc = run_threads(c, err);
	}
	c->report.damaged = c->done_items - c->report.records;
	if (rc == CFS_EUSAGE) {		/* it will not do better another day */
		cfs_copyfile_forget(c->file);
		c->report.records = 0;
	}
	if (rc != CFS_OK)
		return rc;
	if (c->report.records == 0) {
		cfs_copyfile_forget(c->file);
		return cfs_error_set(err, CFS_ENOTFOUND,
			"none of %" PRIu64 " records could be read", c->done_items);
	}
	return cfs_copyfile_finish(c->file, err);
}

/* What another command line may not go on with. */
static uint64_t fingerprint(const struct cfs_copy *c)
{
	uint64_t parts[5] = { c->sum, c->items, (uint64_t)c->opts.format,
			      c->other, c->opts.keep_going };

	return cfs_hash64(cfs_slice_of(parts, sizeof(parts)), 0);
}

int cfs_copy_run(struct cfs_copy *c, struct cfs_copy_report *report,
		 struct cfs_error *err)
{
	struct cfs_copyfile_opts fo = {
		.path = c->opts.output, .force = c->opts.force,
		.cancel = c->opts.cancel };
	struct timespec from, to;
	bool is_whole = false;
	int rc = check_work(c, err);

	clock_gettime(CLOCK_MONOTONIC, &from);
	fo.fingerprint = fingerprint(c);
	if (rc == CFS_OK)
		rc = guard_source(c, err);
	if (rc == CFS_OK)
		rc = cfs_copyfile_open(&c->file, &fo, &c->mark, &is_whole, err);
	if (rc == CFS_OK && !is_whole)
		rc = check_room(c, err);
	if (rc == CFS_OK && !is_whole)
		rc = begin_index(c, err);
	if (rc == CFS_OK && !is_whole)
		rc = copy_records(c, err);
	if (rc == CFS_OK && is_whole) {
		c->report.records = c->report.resumed = c->mark.written;
		c->report.damaged = c->mark.items - c->mark.written;
	}
	if (rc == CFS_OK)
		rc = make_index(c, err);
	if (rc == CFS_OK && c->opts.deliver != NULL)
		rc = c->opts.deliver(c->opts.deliver_arg, err);
	if (rc == CFS_OK)
		cfs_copyfile_forget(c->file);
	clock_gettime(CLOCK_MONOTONIC, &to);
	c->report.other = c->other;
	c->report.seconds = (double)(to.tv_sec - from.tv_sec) +
			    (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	*report = c->report;
	cfs_copyfile_close(c->file);
	c->file = NULL;
	cfs_copyindex_free(c->ix);
	c->ix = NULL;
	return rc;
}

int cfs_copy_new(struct cfs_copy **out, const struct cfs_copy_opts *opts,
		 struct cfs_error *err)
{
	struct cfs_copy *c = calloc(1, sizeof(*c));
	char path[PATH_MAX];
	struct cfs_extsort_opts so = { .memory_bytes = SORT_BYTES,
		.feeders = 1, .cancel = opts->cancel };
	pthread_condattr_t attr;
	int rc;

	*out = NULL;
	if (c == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	c->opts = *opts;
	if (c->opts.parallel == 0 || c->opts.parallel > CFS_COPY_PARALLEL_MAX)
		c->opts.parallel = opts->parallel ? CFS_COPY_PARALLEL_MAX : 1;
	c->cancel = (struct cfs_cancel){ .asked = should_stop, .arg = c };
	c->allowed = ALLOWED_FIRST;
	c->tail = &c->head;
	cfs_buf_init(&c->key, NAME_MAX_BYTES);
	cfs_buf_init(&c->item_archive, NAME_MAX_BYTES);
	cfs_buf_init(&c->last_archive, NAME_MAX_BYTES);
	cfs_buf_init(&c->gone, NAME_MAX_BYTES);
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	snprintf(path, sizeof(path), "%s", opts->output);
	so.tmp_dir = dirname(path);
	rc = cfs_extsort_new(&c->sort, &so, err);
	if (rc != CFS_OK) {
		cfs_copy_free(c);
		return rc;
	}
	*out = c;
	return CFS_OK;
}

void cfs_copy_free(struct cfs_copy *c)
{
	if (c == NULL)
		return;
	cfs_copyfile_close(c->file);
	cfs_copyindex_free(c->ix);
	cfs_extsort_free(c->sort);
	cfs_buf_release(&c->key);
	cfs_buf_release(&c->item_archive);
	cfs_buf_release(&c->last_archive);
	cfs_buf_release(&c->gone);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
