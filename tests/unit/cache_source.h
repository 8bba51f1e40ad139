/* cache_source.h - an object somewhere far away, for tests of the cache.
 *
 * Its bytes are a function of place and version; requests are counted, can be
 * slow, can fail, and run on threads of their own where they are started.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_CACHE_SOURCE_H
#define CFS_TESTS_CACHE_SOURCE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache/cache.h"
#include "cache/state.h"

/* The server's side; outlives the sources. */
struct far {
	uint64_t size;
	atomic_uint version;
	atomic_uint delay_us;
	atomic_bool down;		/* every request fails */
	atomic_bool is_held;		/* no request is answered meanwhile */
	atomic_uint fail_next;		/* so many do */
	_Atomic uint64_t requests, bytes;
	atomic_uint now, most;		/* at the same time */
	bool no_validator, no_start;
	bool can_pin;			/* another state is an error then */
};

struct far_source {
	struct cfs_source base;
	struct far *far;
	atomic_bool is_abandoned;	/* reads that are held end */
	_Atomic uint64_t pinned;	/* 0, or 1 more than the version of the
					 * first answer, or of far_pin */
};

static inline uint8_t far_byte(uint64_t off, unsigned version)
{
	uint64_t x = off * 0x9E3779B97F4A7C15u + version * 0xD1B54A32D192ED03u;

	return (uint8_t)((x >> 56) ^ (x >> 29));
}

static inline bool far_same(const void *buf, uint64_t off, size_t n,
			    unsigned version)
{
	const uint8_t *p = buf;

	for (size_t i = 0; i < n; i++)
		if (p[i] != far_byte(off + i, version))
			return false;
	return true;
}

/* The version this source gives: the first answer settles it, of however many
 * that come at once. */
static inline unsigned far_settle(struct far_source *s)
{
	uint64_t was = 0, want = (uint64_t)s->far->version + 1;

	if (atomic_compare_exchange_strong(&s->pinned, &was, want))
		was = want;
	return (unsigned)(was - 1);
}

/* Until so many requests have come. */
static inline void far_await(const struct far *f, uint64_t requests)
{
	while (f->requests < requests)
		usleep(1000);
}

static inline int far_answer(struct far_source *s, void *buf, size_t n,
			     uint64_t off, size_t *got, struct cfs_error *err)
{
	struct far *f = s->far;
	unsigned now = atomic_fetch_add(&f->now, 1) + 1, most = f->most;
	unsigned version;
	bool fails = f->down;
	uint8_t *p = buf;

	while (now > most && !atomic_compare_exchange_weak(&f->most, &most, now))
		;
	atomic_fetch_add(&f->requests, 1);
	while (f->is_held && !s->is_abandoned)
		usleep(1000);
	if (f->delay_us > 0)
		usleep(f->delay_us);
	if (f->fail_next > 0) {
		atomic_fetch_sub(&f->fail_next, 1);
		fails = true;
	}
	atomic_fetch_sub(&f->now, 1);
	if (s->is_abandoned)
		return CFS_EINTR;
	if (fails)
		return cfs_error_at(err, CFS_EIO, s->base.name, off,
				    "server is down");
	version = far_settle(s);
	if (f->can_pin && version != f->version)
		return cfs_error_at(err, CFS_ECHANGED, s->base.name, off,
				    "changed on the server");
	s->base.size = f->size;
	n = off >= f->size ? 0 : n < f->size - off ? n : (size_t)(f->size - off);
	for (size_t i = 0; i < n; i++)
		p[i] = far_byte(off + i, version);
	atomic_fetch_add(&f->bytes, n);
	*got = n;
	return CFS_OK;
}

static int far_read_at(struct cfs_source *src, void *buf, size_t n,
		       uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	*got = 0;
	return far_answer((struct far_source *)src, buf, n, off, got, ctx.err);
}

struct far_job {
	struct far_source *s;
	uint64_t off;
	size_t n;
	cfs_source_done *done;
	void *arg;
};

static void *far_run(void *p)
{
	struct far_job *j = p;
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t *buf = malloc(j->n + 1);
	size_t got = 0;
	int rc = far_answer(j->s, buf, j->n, j->off, &got, &err);

	j->done(j->arg, rc, cfs_slice_of(buf, got), &err);
	free(buf);
	free(j);
	return NULL;
}

static int far_start(struct cfs_source *src, uint64_t off, size_t n,
		     cfs_source_done *done, void *arg, _Atomic uint64_t *came,
		     struct cfs_error *err)
{
	struct far_job *j = malloc(sizeof(*j));
	pthread_attr_t attr;
	pthread_t t;

	(void)came;
	(void)err;
	*j = (struct far_job){ (struct far_source *)src, off, n, done, arg };
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&t, &attr, far_run, j) != 0)
		far_run(j);
	pthread_attr_destroy(&attr);
	return CFS_OK;
}

static int far_find_size(struct cfs_source *src, struct cfs_ctx ctx)
{
	uint8_t b;
	size_t got;

	return far_answer((struct far_source *)src, &b, 1, 0, &got, ctx.err);
}

static void far_abandon(struct cfs_source *src)
{
	((struct far_source *)src)->is_abandoned = true;
}

static void far_close(struct cfs_source *src)
{
	free(src);
}

static inline bool far_validator(struct cfs_source *src,
				 char out[CFS_VALIDATOR_BYTES])
{
	struct far_source *s = (struct far_source *)src;
	uint64_t pinned = s->pinned;

	if (pinned == 0 || s->far->no_validator)
		return false;
	snprintf(out, CFS_VALIDATOR_BYTES, "\"v%u\"", (unsigned)(pinned - 1));
	return true;
}

/* The state that is wanted: "v" and the version. */
static int far_pin(struct cfs_source *src, const char *validator,
		   struct cfs_error *err)
{
	struct far_source *s = (struct far_source *)src;

	(void)err;
	s->pinned = strtoul(validator + 2, NULL, 10) + 1;
	src->size = s->far->size;
	return CFS_OK;
}

static inline struct cfs_source *far_open(struct far *f)
{
	static const struct cfs_source_ops with = {
		.read_at = far_read_at, .close = far_close,
		.start = far_start, .find_size = far_find_size,
		.abandon = far_abandon,
		.validator = far_validator,
	}, pins = {
		.read_at = far_read_at, .close = far_close,
		.start = far_start, .find_size = far_find_size,
		.abandon = far_abandon,
		.validator = far_validator, .pin = far_pin,
	}, without = {
		.read_at = far_read_at, .close = far_close,
		.find_size = far_find_size, .validator = far_validator,
	};
	struct far_source *s = calloc(1, sizeof(*s));

	s->far = f;
	cfs_source_init(&s->base, f->no_start ? &without : f->can_pin ? &pins : &with,
			CFS_SIZE_UNKNOWN, "far", NULL);
	return &s->base;
}

#endif
