/* builder_damage.c - keeps each archive's first damaged places, and their
 * number.
 *
 * Of an archive, an index that is read has either all damage or none; but of
 * the lists that name it, each index may have others, and these add up.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/cfx/cfx_damage.h"

#define WHAT_BYTES 160u

struct damage_place {
	uint64_t offset;
	char what[WHAT_BYTES];
};

struct damaged {
	uint64_t all;
	unsigned n;
	struct damage_place v[CFS_CFX_DAMAGE_PLACES];	/* sorted by offset */
};

struct cfs_damages {
	pthread_mutex_t lock;
	uint32_t n;
	struct damaged **v;		/* by archive, or NULL; guarded by
					 * lock */
	struct damaged **lists;		/* likewise, of lists */
};

struct cfs_damages *cfs_damages_new(uint32_t n_archives)
{
	struct cfs_damages *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	pthread_mutex_init(&d->lock, NULL);
	d->n = n_archives;
	d->v = calloc((size_t)n_archives + 1, sizeof(*d->v));
	d->lists = calloc((size_t)n_archives + 1, sizeof(*d->lists));
	if (d->v != NULL && d->lists != NULL)
		return d;
	cfs_damages_free(d);
	return NULL;
}

void cfs_damages_free(struct cfs_damages *d)
{
	if (d == NULL)
		return;
	for (uint32_t i = 0; d->v != NULL && d->lists != NULL && i < d->n;
	     i++) {
		free(d->v[i]);
		free(d->lists[i]);
	}
	free(d->v);
	free(d->lists);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static bool builder_damage_is_before(const struct damage_place *a,
				     const struct damage_place *b)
{
	return a->offset != b->offset ? a->offset < b->offset :
					strcmp(a->what, b->what) < 0;
}

static void insert(struct damaged *x, const struct damage_place *p)
{
	unsigned i = x->n;

	x->all++;
	if (x->n == CFS_CFX_DAMAGE_PLACES &&
	    !builder_damage_is_before(p, &x->v[x->n - 1]))
		return;
	if (x->n < CFS_CFX_DAMAGE_PLACES)
		x->n++;
	else
		i--;
	for (; i > 0 && builder_damage_is_before(p, &x->v[i - 1]); i--)
		x->v[i] = x->v[i - 1];
	x->v[i] = *p;
}

static bool is_told(const struct damaged *x, const struct damage_place *p)
{
	for (unsigned i = 0; i < x->n; i++)
		if (x->v[i].offset == p->offset &&
		    strcmp(x->v[i].what, p->what) == 0)
			return true;
	return false;
}

int cfs_damages_add(struct cfs_damages *d, uint32_t n, uint64_t offset,
		    const char *what)
{
	bool is_of_list = offset == CFS_DAMAGE_OF_LIST;
	struct damaged **x = is_of_list ? &d->lists[n] : &d->v[n];
	struct damage_place p = { .offset = offset };
	int rc = CFS_OK;

	snprintf(p.what, sizeof(p.what), "%.*s", (int)sizeof(p.what) - 1, what);
	pthread_mutex_lock(&d->lock);
	if (*x == NULL)
		*x = calloc(1, sizeof(**x));
	if (*x == NULL)
		rc = CFS_ENOMEM;
	else if (!is_of_list || !is_told(*x, &p))
		insert(*x, &p);
	pthread_mutex_unlock(&d->lock);
	return rc;
}

void cfs_damages_add_more(struct cfs_damages *d, uint32_t n, uint64_t more)
{
	pthread_mutex_lock(&d->lock);
	if (d->lists[n] != NULL)
		d->lists[n]->all += more;
	pthread_mutex_unlock(&d->lock);
}

/* Takes a report apart: what is of the archive, and of lists. */
static void split_report(struct cfs_slice report, struct damaged *own,
			 struct damaged *lists)
{
	struct cfs_cursor c = { report, false };
	uint64_t all = cfs_cursor_varint(&c), n = cfs_cursor_varint(&c);
	struct damaged *x = own;

	for (uint64_t i = 0; i < n && !c.bad; i++) {
		struct damage_place p = { .offset = cfs_cursor_varint(&c) };
		struct cfs_slice what = cfs_cursor_text(&c);

		snprintf(p.what, sizeof(p.what), "%.*s", (int)what.n,
			 (const char *)what.p);
		x = p.offset == CFS_DAMAGE_OF_LIST ? lists : own;
		insert(x, &p);
	}
	x->all += all - n;	/* they are behind the last one */
}

int cfs_damages_learn(struct cfs_damages *d, uint32_t n,
		      struct cfs_slice report)
{
	struct damaged own = { .n = 0 }, lists = { .n = 0 };
	int rc = CFS_OK;

	split_report(report, &own, &lists);
	for (unsigned i = 0; rc == CFS_OK && i < lists.n; i++)
		rc = cfs_damages_add(d, n, CFS_DAMAGE_OF_LIST, lists.v[i].what);
	if (rc == CFS_OK)
		cfs_damages_add_more(d, n, lists.all - lists.n);
	return rc;
}

/* Appends the report of archive i: its added damage, else the report that
 * another index has of it, with the damage of lists; nothing if it is not
 * damaged.  Codes as cfs_buf_add. */
static int put_report(const struct cfs_damages *d,
		      const struct cfs_builder_archives *a, uint32_t i,
		      struct cfs_buf *out)
{
	const struct damaged *x = d->v[i], *lists = d->lists[i];
	struct damaged both = { .n = 0 }, none = { .n = 0 };

	if (x == NULL && lists == NULL)
		return a->v[i].damage.n > 0 ? cfs_buf_add(out, a->v[i].damage) :
					      out->failed;
	if (lists != NULL) {
		if (x != NULL)
			both = *x;
		else if (a->v[i].damage.n > 0)
			split_report(a->v[i].damage, &both, &none);
		for (unsigned k = 0; k < lists->n; k++)
			insert(&both, &lists->v[k]);
		both.all += lists->all - lists->n;
		x = &both;
	}
	cfs_buf_varint(out, x->all);
	cfs_buf_varint(out, x->n);
	for (unsigned k = 0; k < x->n; k++) {
		cfs_buf_varint(out, x->v[k].offset);
		cfs_buf_text(out, cfs_slice_str(x->v[k].what));
	}
	return out->failed;
}

/* The number of places that a report lists. */
static uint64_t listed(struct cfs_slice report)
{
	struct cfs_cursor c = { report, false };

	cfs_cursor_varint(&c);
	return cfs_cursor_varint(&c);
}

int cfs_damages_table(const struct cfs_damages *d,
		      const struct cfs_builder_archives *a, bool is_part,
		      struct cfs_buf *out)
{
	uint64_t places = 0, bytes = 0;
	struct cfs_slice text;
	bool is_full = false;
	CFS_BUF(report, CFS_CFX_DAMAGE_BYTES);

	for (uint32_t i = 0; i < a->n && !is_full && report.failed == CFS_OK;
	     i++) {
		cfs_buf_reset(&report);
		put_report(d, a, i, &report);
		text = cfs_buf_slice(&report);
		if (text.n == 0)
			continue;
		places += listed(text);
		bytes += text.n;
		is_full = places > CFS_CFX_DAMAGE_ALL ||
			  bytes > CFS_CFX_DAMAGE_BYTES;
		if (is_full && !is_part)
			break;
		cfs_buf_varint(out, i);
		cfs_buf_text(out, text);
	}
	if (report.failed != CFS_OK)
		out->failed = report.failed;
	return out->failed;
}
