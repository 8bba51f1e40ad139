/* disk.c - the folder of segments: finds and appends records, makes room.
 *
 * One segment is open for appending, locked by flock(2); a process that ends,
 * for whatever reason, leaves it to the next.  Before a segment is opened for
 * appending, room is made for all it may grow to: so the bound always holds,
 * and appending does not depend on what other processes do.
 *
 * A segment is truncated before it is deleted: processes that still have it
 * open then occupy no space, and their reads end short, which is a miss.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "disk_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clamp.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/trust.h"

/* A segment takes at most this part of the bound: so much is lost when one
 * is deleted. */
#define PARTS 64u
#define TARGET_MAX (UINT32_C(256) << 20)
/* How often the folder is listed for segments of other processes. */
#define REFRESH_MS 300
/* Nothing is written for this long after a failure to write. */
#define RETRY_MS 30000
/* How often the use of a segment is noted (as its mtime). */
#define TOUCH_S 60
/* Sanity limit: segments beyond it are ignored. */
#define SEGMENTS_MAX 65536u

/* ---- the list of segments --------------------------------------------- */

static bool is_segment_name(const char *name)
{
	size_t n = strlen(name);

	if (n != CFS_SEG_NAME_BYTES - 1 || name[16] != '-' ||
	    strcmp(name + 25, ".seg") != 0)
		return false;
	for (size_t i = 0; i < 25; i++)
		if (i != 16 && strchr("0123456789abcdef", name[i]) == NULL)
			return false;
	return true;
}

static struct cfs_segment *find_name_locked(struct cfs_disk *d,
					    const char *name)
{
	struct cfs_segment *s = d->segs;

	while (s != NULL && strcmp(s->name, name) != 0)
		s = s->next;
	return s;
}

static void disk_add_locked(struct cfs_disk *d, struct cfs_segment *s)
{
	s->next = d->segs;
	d->segs = s;
	d->generation++;
}

void cfs_disk_kill_locked(struct cfs_disk *d, struct cfs_segment *s)
{
	struct cfs_segment **p = &d->segs;

	while (*p != s)
		p = &(*p)->next;
	*p = s->next;
	s->next = d->dead;
	d->dead = s;
	free(s->tail);
	s->tail = NULL;
	s->n = 0;
	s->tail_cap = 0;
	cfs_segment_kill(s);
}

/* Adds a segment that this process does not have yet. */
static void add_found_locked(struct cfs_disk *d, const char *name)
{
	int fd = openat(d->dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
					 O_NOFOLLOW);
	struct cfs_segment *s;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return;
	}
	if (cfs_segment_open(&s, fd, name, false, NULL) != CFS_OK)
		return;
	s->is_seen = true;
	disk_add_locked(d, s);
}

void cfs_disk_list_locked(struct cfs_disk *d)
{
	DIR *dir = cfs_list_folder(d->dir_fd);
	const struct dirent *e;
	unsigned n = 0;

	d->listed_ms = cfs_monotonic_ms();
	if (dir == NULL)
		return;
	for (struct cfs_segment *s = d->segs; s != NULL; s = s->next)
		s->is_seen = false;
	while ((e = readdir(dir)) != NULL && n < SEGMENTS_MAX) {
		struct cfs_segment *s;
		bool more = false;

		if (!is_segment_name(e->d_name))
			continue;
		n++;
		s = find_name_locked(d, e->d_name);
		if (s == NULL) {
			add_found_locked(d, e->d_name);
			continue;
		}
		s->is_seen = true;
		if (!s->is_mine &&
		    cfs_segment_catch_up(s, &more, NULL) == CFS_EFORMAT)
			s->is_seen = false;	/* treat it as deleted */
		d->generation += more;
	}
	closedir(dir);
	for (struct cfs_segment *s = d->segs, *next; s != NULL; s = next) {
		next = s->next;
		if (!s->is_seen && s != d->active)
			cfs_disk_kill_locked(d, s);
	}
}

uint64_t cfs_disk_refresh(struct cfs_disk *d)
{
	uint64_t g;

	pthread_mutex_lock(&d->lock);
	if (cfs_monotonic_ms() - d->listed_ms >= REFRESH_MS)
		cfs_disk_list_locked(d);
	g = d->generation;
	pthread_mutex_unlock(&d->lock);
	return g;
}

/* ---- opening ---------------------------------------------------------- */

static void warn(struct cfs_disk *d, const char *what, const char *why)
{
	if (!d->warned)
		cfs_log(CFS_LOG_WARNING, "%s: %s: %s: less is kept for later",
			d->dir, what, why);
	d->warned = true;
}

static int open_dir(const struct cfs_disk *d)
{
	return open(d->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Opens the folder; makes it if there is none, or if it was deleted. */
static int make_dir(struct cfs_disk *d, struct cfs_error *err)
{
	struct stat st;
	int fd;

	if (d->dir_fd >= 0 && fstat(d->dir_fd, &st) == 0 && st.st_nlink > 0)
		return CFS_OK;
	fd = cfs_make_folders(d->dir, cfs_trust_mode(0700)) == 0 ?
		     open_dir(d) : -1;
	if (fd < 0)
		return cfs_error_at(err, CFS_EIO, d->dir, 0,
				    "cannot open it: %s", strerror(errno));
	pthread_mutex_lock(&d->lock);
	if (d->dir_fd >= 0)
		close(d->dir_fd);
	d->dir_fd = fd;
	pthread_mutex_unlock(&d->lock);
	return CFS_OK;
}

/* Makes the folder, and warns if nothing can be written to it.  The caller
 * holds write_lock. */
static void get_ready(struct cfs_disk *d)
{
	struct cfs_error err = CFS_ERROR_INIT;

	if (d->is_ready || d->max_bytes == 0)
		return;
	d->is_ready = true;
	if (d->max_bytes < CFS_DISK_BYTES_MIN) {
		warn(d, "cache_size", "is less than 1M");
		d->max_bytes = 0;
	} else if (make_dir(d, &err) != CFS_OK) {
		warn(d, "cannot write to the cache", err.text);
	} else if (faccessat(d->dir_fd, ".", W_OK, 0) != 0) {
		warn(d, "cannot write to the cache", strerror(errno));
		d->max_bytes = 0;
	}
}

void cfs_disk_get_ready(struct cfs_disk *d)
{
	if (d->is_ready)
		return;		/* without waiting for a write */
	pthread_mutex_lock(&d->write_lock);
	get_ready(d);
	pthread_mutex_unlock(&d->write_lock);
}

int cfs_disk_open(struct cfs_disk **out, const char *dir, uint64_t max_bytes,
		  struct cfs_error *err)
{
	struct cfs_disk *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (d == NULL || asprintf(&d->dir, "%s/blocks", dir) < 0) {
		free(d);
		return cfs_error_nomem(err);
	}
	d->max_bytes = max_bytes;
	d->target = (uint32_t)cfs_clamp_u64(max_bytes / PARTS,
					    CFS_SEG_BYTES_MIN, TARGET_MAX);
	pthread_mutex_init(&d->write_lock, NULL);
	pthread_mutex_init(&d->lock, NULL);
	d->dir_fd = open_dir(d);
	pthread_mutex_lock(&d->lock);
	cfs_disk_list_locked(d);
	pthread_mutex_unlock(&d->lock);
	*out = d;
	return CFS_OK;
}

static void free_list(struct cfs_segment *s)
{
	while (s != NULL) {
		struct cfs_segment *next = s->next;

		cfs_segment_free(s);
		s = next;
	}
}

void cfs_disk_close(struct cfs_disk *d)
{
	if (d == NULL)
		return;
	free_list(d->segs);
	free_list(d->dead);
	if (d->dir_fd >= 0)
		close(d->dir_fd);
	pthread_mutex_destroy(&d->lock);
	pthread_mutex_destroy(&d->write_lock);
	free(d->dir);
	free(d);
}

/* ---- finding and reading ---------------------------------------------- */

struct found_segment {
	struct cfs_disk_record *v;
	size_t n, cap;
};

static int add_found(void *arg, struct cfs_segment *s,
		     const struct cfs_cache_entry *e)
{
	struct found_segment *f = arg;

	if (cfs_array_reserve((void **)&f->v, &f->cap, f->n + 1, sizeof(*f->v),
			      SIZE_MAX) != CFS_OK)
		return CFS_ENOMEM;
	f->v[f->n++] = (struct cfs_disk_record){ s, *e };
	return CFS_OK;
}

static int newer_first(const void *va, const void *vb)
{
	const struct cfs_disk_record *a = va, *b = vb;
	int c = a->seg == b->seg ? 0 : strcmp(b->seg->name, a->seg->name);

	if (c != 0)
		return c;
	return a->e.pos < b->e.pos ? 1 : -1;
}

/* Pins all sealed segments, for a search without the lock; searches
 * the others. */
static int collect_locked(struct cfs_disk *d, const struct cfs_cache_id *id,
			  struct found_segment *f, struct cfs_segment ***sealed,
			  size_t *n_sealed)
{
	size_t n = 0;
	int rc = CFS_OK;

	*n_sealed = 0;
	for (const struct cfs_segment *s = d->segs; s != NULL; s = s->next)
		n++;
	*sealed = malloc((n + 1) * sizeof(**sealed));
	if (*sealed == NULL)
		return CFS_ENOMEM;
	for (struct cfs_segment *s = d->segs; s != NULL && rc == CFS_OK;
	     s = s->next) {
		if (!s->is_sealed)
			rc = cfs_segment_find(s, id, add_found, f);
		else if (cfs_segment_pin(s))
			(*sealed)[(*n_sealed)++] = s;
	}
	return rc;
}

int cfs_disk_find(struct cfs_disk *d, const struct cfs_cache_id *id,
		  struct cfs_disk_record **out, size_t *n)
{
	struct found_segment f = { NULL, 0, 0 };
	struct cfs_segment **sealed = NULL;
	size_t n_sealed = 0;
	int rc;

	*out = NULL;
	*n = 0;
	pthread_mutex_lock(&d->lock);
	rc = collect_locked(d, id, &f, &sealed, &n_sealed);
	pthread_mutex_unlock(&d->lock);
	for (size_t i = 0; i < n_sealed; i++) {
		if (rc != CFS_ENOMEM)
			rc = cfs_segment_find(sealed[i], id, add_found, &f);
		cfs_segment_unpin(sealed[i]);
	}
	free(sealed);
	if (rc == CFS_ENOMEM) {
		free(f.v);
		return rc;
	}
	if (f.n > 1)
		qsort(f.v, f.n, sizeof(*f.v), newer_first);
	*out = f.v;
	*n = f.n;
	return CFS_OK;
}

static void touch(struct cfs_segment *s)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	if (s->touched_s != 0 && t.tv_sec - s->touched_s < TOUCH_S)
		return;
	s->touched_s = t.tv_sec > 0 ? t.tv_sec : 1;
	futimens(s->fd, NULL);	/* if not permitted, it will look older */
}

/* Reads a record's data: all of it, checked, or n bytes from
 * `skip`, unchecked. */
static int read_record(const struct cfs_disk_record *r, bool is_whole,
		       uint32_t skip, void *buf, size_t n)
{
	int rc;

	if (!cfs_segment_pin(r->seg))
		return CFS_ENOTFOUND;
	rc = is_whole ? cfs_segment_read(r->seg, &r->e, buf) :
	     cfs_segment_read_part(r->seg, &r->e, skip, buf, n);
	if (rc == CFS_OK)
		touch(r->seg);
	cfs_segment_unpin(r->seg);
	return rc;
}

int cfs_disk_read(const struct cfs_disk_record *r, void *buf)
{
	return read_record(r, true, 0, buf, r->e.n);
}

int cfs_disk_read_part(const struct cfs_disk_record *r, uint32_t skip,
		       void *buf, size_t n)
{
	return read_record(r, false, skip, buf, n);
}

void cfs_disk_forget(struct cfs_disk *d, const struct cfs_disk_record *r)
{
	struct cfs_segment *s = r->seg;

	pthread_mutex_lock(&d->lock);
	if (!s->is_dead) {
		if (s->n_bad < CFS_SEG_BAD_MAX) {
			s->bad[s->n_bad] = r->e.pos;
			s->n_bad++;
		} else if (s != d->active) {
			cfs_disk_kill_locked(d, s);
		}
		d->generation++;
	}
	pthread_mutex_unlock(&d->lock);
}

int cfs_disk_meta(struct cfs_disk *d, struct cfs_slice url,
		  struct cfs_buf *storage, struct cfs_cache_meta *out)
{
	struct cfs_cache_id id;
	struct cfs_disk_record *v;
	size_t n;
	int rc;

	cfs_cache_id_of_url(url, &id);
	rc = cfs_disk_find(d, &id, &v, &n);
	while (rc == CFS_OK) {
		struct cfs_disk_record *best = NULL;

		for (size_t i = 0; i < n; i++)
			if (v[i].seg != NULL &&
			    v[i].e.kind == CFS_CACHE_META &&
			    (best == NULL || v[i].e.off > best->e.off))
				best = &v[i];
		if (best == NULL) {
			rc = CFS_ENOTFOUND;
			break;
		}
		cfs_buf_reset(storage);
		rc = cfs_buf_reserve(storage, best->e.n);
		if (rc != CFS_OK)
			break;
		if (cfs_disk_read(best, storage->p) == CFS_OK) {
			storage->n = best->e.n;
			if (cfs_cache_meta_parse(cfs_buf_slice(storage), out) ==
			    CFS_OK && cfs_slice_eq(out->url, url)) {
				out->learnt_ns = best->e.off;
				break;
			}
		}
		cfs_disk_forget(d, best);
		best->seg = NULL;
	}
	free(v);
	return rc;
}

/* ---- making room ------------------------------------------------------ */

int cfs_disk_own(struct cfs_disk *d, const char *name, struct stat *st)
{
	int fd = openat(d->dir_fd, name, O_RDWR | O_CLOEXEC | O_NONBLOCK |
					 O_NOFOLLOW);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, st) == 0 &&
	    st->st_nlink > 0)
		return fd;
	close(fd);
	return -1;
}

bool cfs_disk_delete_owned(struct cfs_disk *d, int fd, const char *name)
{
	bool ok = unlinkat(d->dir_fd, name, 0) == 0;

	if (ok && ftruncate(fd, 0) != 0)
		ok = false;	/* space is freed when all have closed it */
	close(fd);
	return ok;
}

/* How many bytes a segment counts for.  *age: mtime in ns; INT64_MAX:
 * in use. */
static uint64_t weigh(struct cfs_disk *d, const struct cfs_segment *s,
		      int64_t *age)
{
	uint64_t bytes = d->target;
	struct stat st;
	int fd;

	*age = INT64_MAX;
	if (s->is_mine)
		return bytes;
	fd = cfs_disk_own(d, s->name, &st);
	if (fd >= 0) {
		bytes = (uint64_t)st.st_size;
		*age = (int64_t)st.st_mtim.tv_sec * 1000000000 +
		       st.st_mtim.tv_nsec;
		close(fd);
	} else if (fstat(s->fd, &st) == 0 && (uint64_t)st.st_size > bytes) {
		bytes = (uint64_t)st.st_size;
	}
	return bytes;
}

/* Deletes segments until there is room for the active one to become full, or
 * for a full one if there is none yet.  The caller also holds the folder's
 * lock. */
static int make_room_locked(struct cfs_disk *d)
{
	for (;;) {
		struct cfs_segment *oldest = NULL;
		uint64_t total = d->active == NULL ? d->target : 0;
		int64_t best = INT64_MAX;
		struct stat st;
		int fd;

		for (struct cfs_segment *s = d->segs; s != NULL; s = s->next) {
			int64_t age;

			total += weigh(d, s, &age);
			if (age < best) {
				best = age;
				oldest = s;
			}
		}
		if (total <= d->max_bytes)
			return CFS_OK;
		if (oldest == NULL)
			return CFS_ELIMIT;
		fd = cfs_disk_own(d, oldest->name, &st);
		if (fd >= 0 && !cfs_disk_delete_owned(d, fd, oldest->name))
			return CFS_EIO;
		cfs_disk_kill_locked(d, oldest);
	}
}

/* Most bytes that one put may append: metadata and data. */
#define PUT_MAX (CFS_SEG_DATA_MAX + CFS_SEG_RECORD_BYTES + \
		 CFS_SEG_ENTRY_BYTES + 8 + CFS_SEG_META_HEAD + \
		 CFS_SEG_VALIDATOR_MAX + CFS_SEG_URL_MAX)

static bool disk_has_room(const struct cfs_disk *d, const struct cfs_segment *s)
{
	return s->n + 2 < CFS_SEG_ENTRIES_MAX &&
	       cfs_segment_bytes_with(s, PUT_MAX) <= d->target;
}

/* Locks and returns a segment that another process has left unsealed; seals
 * those that are full. */
static struct cfs_segment *adopt_locked(struct cfs_disk *d)
{
	for (struct cfs_segment *s = d->segs, *next; s != NULL; s = next) {
		struct stat st;
		bool more;
		int fd, rc;

		next = s->next;
		if (s->is_sealed || s->is_mine)
			continue;
		fd = cfs_disk_own(d, s->name, &st);
		if (fd < 0)
			continue;
		rc = dup3(fd, s->fd, O_CLOEXEC) < 0 ? CFS_EIO :
		     cfs_segment_catch_up(s, &more, NULL);
		if (rc != CFS_OK || s->is_sealed) {
			flock(fd, LOCK_UN);
			close(fd);
			if (rc == CFS_EFORMAT)
				cfs_disk_kill_locked(d, s);
			continue;
		}
		close(fd);
		if (disk_has_room(d, s))
			return s;
		cfs_segment_seal(s, NULL);
		flock(s->fd, LOCK_UN);
	}
	return NULL;
}

static int create_locked(struct cfs_disk *d, struct cfs_segment **out,
			 struct cfs_error *err)
{
	uint64_t t = cfs_segment_now_ns();
	char name[CFS_SEG_NAME_BYTES];
	uint32_t r;
	int fd, rc;

	r = (uint32_t)cfs_hash64(cfs_slice_of(&t, sizeof(t)),
				 (uint64_t)getpid() ^ (uintptr_t)d);
	snprintf(name, sizeof(name), "%016" PRIx64 "-%08" PRIx32 ".seg", t, r);
	fd = openat(d->dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		    cfs_trust_mode(0600));
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
		rc = cfs_error_at(err, CFS_EIO, d->dir, 0,
				  "cannot make '%s': %s", name,
				  strerror(errno));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	rc = cfs_segment_open(out, fd, name, true, err);
	if (rc != CFS_OK) {
		unlinkat(d->dir_fd, name, 0);
		return rc;
	}
	disk_add_locked(d, *out);
	return CFS_OK;
}

void cfs_disk_sweep_locked(struct cfs_disk *d)
{
	DIR *dir = cfs_list_folder(d->dir_fd);
	const struct dirent *e;

	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL) {
		struct stat st;
		int fd;

		if (!is_segment_name(e->d_name) ||
		    find_name_locked(d, e->d_name) != NULL)
			continue;
		fd = cfs_disk_own(d, e->d_name, &st);
		if (fd >= 0)
			cfs_disk_delete_owned(d, fd, e->d_name);
	}
	closedir(dir);
}

int cfs_disk_lock_folder(struct cfs_disk *d, struct cfs_error *err)
{
	int fd = openat(d->dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC |
					   O_NOFOLLOW, cfs_trust_mode(0600));
	int rc;

	if (fd < 0) {
		cfs_error_at(err, CFS_EIO, d->dir, 0, "cannot make 'lock': %s",
			     strerror(errno));
		return -1;
	}
	do {
		rc = flock(fd, LOCK_EX);
	} while (rc != 0 && errno == EINTR);
	if (rc == 0)
		return fd;
	cfs_error_at(err, CFS_EIO, d->dir, 0, "cannot lock: %s",
		     strerror(errno));
	close(fd);
	return -1;
}

/* Opens a segment to append to: one left by another process, or a new one. */
static int activate(struct cfs_disk *d, struct cfs_error *err)
{
	int rc = make_dir(d, err);
	int lock_fd = rc == CFS_OK ? cfs_disk_lock_folder(d, err) : -1;

	if (lock_fd < 0)
		return CFS_EIO;
	pthread_mutex_lock(&d->lock);
	cfs_disk_list_locked(d);
	cfs_disk_sweep_locked(d);
	d->active = adopt_locked(d);
	rc = make_room_locked(d);
	if (rc == CFS_OK && d->active == NULL)
		rc = create_locked(d, &d->active, err);
	if (rc == CFS_OK && d->active != NULL) {
		d->active->is_mine = true;
	} else if (d->active != NULL) {
		flock(d->active->fd, LOCK_UN);
		d->active = NULL;
	}
	pthread_mutex_unlock(&d->lock);
	close(lock_fd);
	if (rc == CFS_ELIMIT)
		cfs_error_at(err, rc, d->dir, 0,
			     "other processes use all of the cache's size");
	return rc;
}

/* ---- appending -------------------------------------------------------- */

/* Leaves the active segment, if there is one, to other processes. */
static void leave_active_locked(struct cfs_disk *d)
{
	if (d->active == NULL)
		return;
	d->active->is_mine = false;
	flock(d->active->fd, LOCK_UN);
	d->active = NULL;
}

static int seal_active(struct cfs_disk *d, struct cfs_error *err)
{
	int rc;

	pthread_mutex_lock(&d->lock);
	rc = cfs_segment_seal(d->active, err);
	leave_active_locked(d);
	pthread_mutex_unlock(&d->lock);
	return rc;
}

static int disk_append(struct cfs_disk *d, const struct cfs_cache_id *id,
		       uint64_t off, enum cfs_cache_kind kind,
		       struct cfs_slice data, struct cfs_disk_record *out,
		       struct cfs_error *err)
{
	int rc = cfs_segment_append(d->active, id, off, kind, data, &out->e,
				    err);

	out->seg = d->active;
	if (rc != CFS_OK)
		return rc;
	pthread_mutex_lock(&d->lock);
	rc = cfs_segment_add(d->active, &out->e);
	pthread_mutex_unlock(&d->lock);
	return rc;
}

static int append_meta(struct cfs_disk *d, const struct cfs_cache_meta *meta,
		       struct cfs_error *err)
{
	struct cfs_disk_record r;
	struct cfs_cache_id id;
	CFS_BUF(b, CFS_SEG_DATA_MAX);
	int rc = cfs_cache_meta_encode(meta, &b);

	cfs_cache_id_of_url(meta->url, &id);
	if (rc == CFS_OK)
		rc = disk_append(d, &id, meta->learnt_ns, CFS_CACHE_META,
				 cfs_buf_slice(&b), &r, err);
	return rc;
}

/* Has another process truncated or deleted the segment? */
static bool active_is_lost(struct cfs_disk *d)
{
	struct stat st;

	return fstat(d->active->fd, &st) != 0 || st.st_nlink == 0 ||
	       (uint64_t)st.st_size + 8 < d->active->end;
}

/* Makes sure that a segment is active and has room for one put. */
static int ready_active(struct cfs_disk *d, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (d->active != NULL && active_is_lost(d)) {
		pthread_mutex_lock(&d->lock);
		cfs_disk_kill_locked(d, d->active);
		d->active = NULL;
		pthread_mutex_unlock(&d->lock);
	}
	if (d->active != NULL && !disk_has_room(d, d->active))
		rc = seal_active(d, err);
	if (rc == CFS_OK && d->active == NULL)
		rc = activate(d, err);
	return rc;
}

/* False if nothing is written, at all or for now.  The caller holds
 * write_lock. */
static bool may_write(struct cfs_disk *d)
{
	get_ready(d);
	if (d->max_bytes == 0 ||
	    (d->retry_ms != 0 && cfs_monotonic_ms() < d->retry_ms))
		return false;
	d->retry_ms = 0;
	return true;
}

/* Notes how writing ended, and returns that. */
static int note_write(struct cfs_disk *d, int rc, const struct cfs_error *err)
{
	if (rc == CFS_OK)
		return rc;
	d->retry_ms = cfs_monotonic_ms() + RETRY_MS;
	warn(d, "cannot write to the cache",
	     err->text[0] != '\0' ? err->text : cfs_code_name(rc));
	return rc;
}

static int disk_put(struct cfs_disk *d, const struct cfs_cache_meta *meta,
		    struct cfs_segment **meta_seg,
		    const struct cfs_cache_id *id, uint64_t off,
		    struct cfs_slice data, struct cfs_disk_record *out,
		    struct cfs_error *err)
{
	int rc = ready_active(d, err);

	if (rc == CFS_OK && *meta_seg != d->active) {
		rc = append_meta(d, meta, err);
		if (rc == CFS_OK)
			*meta_seg = d->active;
	}
	if (rc != CFS_OK || id == NULL)
		return rc;
	return disk_append(d, id, off, CFS_CACHE_DATA, data, out, err);
}

int cfs_disk_put(struct cfs_disk *d, const struct cfs_cache_meta *meta,
		 struct cfs_segment **meta_seg, const struct cfs_cache_id *id,
		 uint64_t off, struct cfs_slice data,
		 struct cfs_disk_record *out)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = CFS_ELIMIT;

	pthread_mutex_lock(&d->write_lock);
	if (may_write(d))
		rc = note_write(d, disk_put(d, meta, meta_seg, id, off, data,
					    out, &err), &err);
	pthread_mutex_unlock(&d->write_lock);
	return rc;
}

int cfs_disk_put_sizes(struct cfs_disk *d, const struct cfs_cache_id *id,
		       uint64_t found_ns, struct cfs_slice sizes)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_disk_record r;
	int rc = CFS_ELIMIT;

	pthread_mutex_lock(&d->write_lock);
	if (may_write(d)) {
		bool was_active = d->active != NULL;

		rc = ready_active(d, &err);
		if (rc == CFS_OK)
			rc = disk_append(d, id, found_ns, CFS_CACHE_SIZES,
					 sizes, &r, &err);
		rc = note_write(d, rc, &err);
		pthread_mutex_lock(&d->lock);
		if (!was_active)
			leave_active_locked(d);
		pthread_mutex_unlock(&d->lock);
	}
	pthread_mutex_unlock(&d->write_lock);
	return rc;
}
