/* builder_archives.c - the archives of an index being built.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_archives.h"

#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "net/location.h"

/* The captures known of one archive: the lowest and the highest offset, and
 * the times there.  Offsets are read without the lock, to see whether it is
 * needed. */
struct cfs_builder_known {
	_Atomic uint64_t low, high;
	int64_t low_time, high_time;	/* by cfs_builder_archives.lock */
	_Atomic uint64_t skipped[CFS_SKIPPED_KINDS];
};

/* Archive names are stored in a file that others open, so they must stay below
 * its folder. */
static int check_names(const struct cfs_builder_opts *o, struct cfs_error *err)
{
	for (uint32_t i = 0; i < o->n_archives; i++) {
		const char *name = o->archives[i].name;

		if (!cfs_name_stays_below(cfs_slice_str(name)))
			return cfs_error_set(err, CFS_EUSAGE,
					     "archive name '%s'"
					     " does not lie below the index",
					     name);
	}
	return CFS_OK;
}

mode_t cfs_builder_archives_mode(const struct cfs_builder_archive *v,
				 uint32_t n, const char *home)
{
	bool has_query = home != NULL &&
			 cfs_location_has_query(cfs_slice_str(home));

	for (uint32_t i = 0; i < n && !has_query; i++)
		has_query = cfs_location_has_query(cfs_slice_str(v[i].name));
	return has_query ? 0600 : 0666;
}

static int builder_archives_by_name(const void *a, const void *b, void *arg)
{
	const struct cfs_builder_archive *v = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = strcmp(v[x].name, v[y].name);

	return c != 0 ? c : (x > y) - (x < y);
}

/* Is row b, of the same archive, the newer state?  A row with a size is newer
 * than one without. */
static bool says_more(const struct cfs_builder_archive *a,
		      const struct cfs_builder_archive *b)
{
	if ((a->size > 0) != (b->size > 0))
		return b->size > 0;
	if (a->mtime != b->mtime)
		return b->mtime > a->mtime;
	return a->mtime_nsec != b->mtime_nsec ? b->mtime_nsec > a->mtime_nsec :
						b->size > a->size;
}

/* The captures of an archive that two indexes have skipped: parts have read
 * different ones. */
static uint64_t both_skipped(const struct cfs_builder_opts *o, uint64_t a,
			     uint64_t b)
{
	if (o->are_parts)
		return a + b;
	return a > b ? a : b;
}

/* Adds archive i of opts: as a new one, or into the last one if it has the same
 * name. */
static void builder_archives_add(struct cfs_builder_archives *a,
				 const struct cfs_builder_opts *o, uint32_t i)
{
	const struct cfs_builder_archive *from = &o->archives[i];
	bool is_first = a->n == 0 ||
			strcmp(a->v[a->n - 1].name, from->name) != 0;
	uint32_t k = is_first ? a->n : a->n - 1;
	struct cfs_builder_archive *to = &a->v[k];

	if (from->is_elsewhere)
		return;
	a->n = k + 1;
	a->ranks[i] = k;
	if (is_first) {
		*to = *from;
	} else {
		uint64_t skipped[CFS_SKIPPED_KINDS];

		for (unsigned j = 0; j < CFS_SKIPPED_KINDS; j++)
			skipped[j] = both_skipped(o, from->skipped[j],
						  to->skipped[j]);
		/* The row of a scanned archive comes first, and is the current
		 * state. */
		if (!a->at_hand[k] && says_more(to, from))
			*to = *from;
		else if (to->damage.n == 0)
			to->damage = from->damage;
		memcpy(to->skipped, skipped, sizeof(skipped));
	}
	if (a->origins != NULL && (is_first || i < o->n_at_hand))
		a->origins[k] = o->origins[i];
	a->at_hand[k] |= i < o->n_at_hand || from->is_indexed;
}

int cfs_builder_archives_init(struct cfs_builder_archives *a,
			      const struct cfs_builder_opts *o,
			      struct cfs_error *err)
{
	uint32_t n = o->n_archives,
		 *order = calloc((size_t)n + 1, sizeof(*order));
	int rc;

	pthread_mutex_init(&a->lock, NULL);
	a->ranks = calloc((size_t)n + 1, sizeof(*a->ranks));
	a->v = calloc((size_t)n + 1, sizeof(*a->v));
	a->at_hand = calloc((size_t)n + 1, sizeof(*a->at_hand));
	a->known = calloc((size_t)n + 1, sizeof(*a->known));
	if (o->origins != NULL)
		a->origins = calloc((size_t)n + 1, sizeof(*a->origins));
	if (order == NULL || a->ranks == NULL || a->v == NULL ||
	    a->at_hand == NULL || a->known == NULL ||
	    (o->origins != NULL && a->origins == NULL))
		rc = cfs_error_nomem(err);
	else
		rc = check_names(o, err);
	for (uint32_t i = 0; rc == CFS_OK && i < n; i++) {
		order[i] = i;
		atomic_init(&a->known[i].low, UINT64_MAX);
		atomic_init(&a->known[i].high, 0);
	}
	if (rc == CFS_OK && n > 1)
		qsort_r(order, n, sizeof(*order), builder_archives_by_name,
			(void *)(uintptr_t)o->archives);
	for (uint32_t i = 0; rc == CFS_OK && i < n; i++)
		builder_archives_add(a, o, order[i]);
	free(order);
	return rc;
}

void cfs_builder_archives_release(struct cfs_builder_archives *a)
{
	free(a->ranks);
	free(a->v);
	free(a->origins);
	free(a->at_hand);
	free(a->known);
	pthread_mutex_destroy(&a->lock);
	*a = (struct cfs_builder_archives){ .n = 0 };
}

/* The earliest or the latest of several captures at one offset counts: the
 * result does not depend on the order of calls. */
static void widen_locked(struct cfs_builder_known *s, uint64_t offset,
			 int64_t t)
{
	if (offset < s->low || (offset == s->low && t < s->low_time)) {
		s->low = offset;
		s->low_time = t;
	}
	if (offset > s->high || (offset == s->high && t > s->high_time)) {
		s->high = offset;
		s->high_time = t;
	}
}

void cfs_builder_archives_widen(struct cfs_builder_archives *a, uint32_t n,
				uint64_t offset, int64_t t)
{
	struct cfs_builder_known *s = &a->known[n];

	if (offset > atomic_load_explicit(&s->low, memory_order_relaxed) &&
	    offset < atomic_load_explicit(&s->high, memory_order_relaxed))
		return;
	pthread_mutex_lock(&a->lock);
	widen_locked(s, offset, t);
	pthread_mutex_unlock(&a->lock);
}

void cfs_builder_archives_skip(struct cfs_builder_archives *a, uint32_t n,
			       enum cfs_skipped_kind kind)
{
	atomic_fetch_add_explicit(&a->known[n].skipped[kind], 1,
				  memory_order_relaxed);
}

/* The line through the first and the last capture.  Where it would fall, or is
 * too steep, times count from the first one. */
static struct cfs_cfx_clock clock_of(const struct cfs_builder_known *s)
{
	struct cfs_cfx_clock c = { s->low_time, 0 };
	uint64_t from = s->low >> 8, to = s->high >> 8;
	uint64_t seconds = (uint64_t)s->high_time - (uint64_t)s->low_time;
	uint64_t slope;

	if (s->high_time <= s->low_time || to == from || seconds >> 32 != 0)
		return c;
	slope = (seconds << 24) / (to - from);
	if (slope > UINT32_MAX)
		return c;
	c.slope = (uint32_t)slope;
	c.start = (int64_t)(2 * (uint64_t)s->low_time -
			    cfs_cfx_clock_at(&c, s->low));
	return c;
}

int cfs_builder_archives_clocks(const struct cfs_builder_archives *a,
				struct cfs_cfx_clock **out)
{
	*out = calloc((size_t)a->n + 1, sizeof(**out));
	if (*out == NULL)
		return CFS_ENOMEM;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->known[i].low <= a->known[i].high)
			(*out)[i] = clock_of(&a->known[i]);
	return CFS_OK;
}

void cfs_builder_archives_count(struct cfs_builder_archives *a,
				struct cfs_builder_counts *c)
{
	/* Runs at least once: a PB-tree names no archives. */
	for (uint32_t i = 0; i == 0 || i < a->n; i++)
		for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++) {
			uint64_t n = a->known[i].skipped[k];

			if (n > a->v[i].skipped[k])
				a->v[i].skipped[k] = n;
			c->skipped[k] += a->v[i].skipped[k];
		}
}
