/* counts.c - counts the captures of a range of keys (see counts.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "base/timestamp.h"
#include "index/conditions.h"

/* Those of a thread's ranges: a few hundred ranges, a few dozen edges each. */
#define EDGES_MAX ((size_t)1 << 22)

struct cfs_counts *cfs_counts_new(size_t top,
				  const struct cfs_suffixes *suffixes)
{
	struct cfs_counts *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->top_hosts.max = c->top_domains.max = c->largest.max = top;
	c->suffixes = suffixes;
	cfs_buf_init(&c->key, CFS_KEY_MAX);
	return c;
}

void cfs_counts_free(struct cfs_counts *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n_edges; i++)
		free(c->edges[i].name);
	free(c->edges);
	free(c->open);
	cfs_tally_release(&c->types);
	cfs_tally_release(&c->languages);
	cfs_top_release(&c->top_hosts);
	cfs_top_release(&c->top_domains);
	cfs_top_release(&c->largest);
	cfs_buf_release(&c->key);
	free(c);
}

static void count_add(struct cfs_count *to, const struct cfs_count *from)
{
	to->captures = cfs_sum(to->captures, from->captures);
	to->pages = cfs_sum(to->pages, from->pages);
	to->bytes = cfs_sum(to->bytes, from->bytes);
}

/* ---- hosts and domains --------------------------------------------------- */

static int offer_place(struct cfs_top *top, struct cfs_slice name,
		       const struct cfs_count *n)
{
	const struct cfs_top_item item = { .value = n->captures,
		.pages = n->pages, .bytes = n->bytes, .text = name };

	return cfs_top_offer(top, &item);
}

/* All captures of a place were counted. */
static int finish_place(struct cfs_counts *c, struct cfs_slice name,
			const struct cfs_counts_place *p)
{
	int rc = CFS_OK;

	c->hosts += p->is_host;
	c->domains += p->is_domain;
	if (p->is_host)
		rc = offer_place(&c->top_hosts, name, &p->host);
	if (rc == CFS_OK && p->is_domain)
		rc = offer_place(&c->top_domains, name, &p->domain);
	return rc;
}

static int add_edge(struct cfs_counts *c, struct cfs_slice name,
		    const struct cfs_counts_place *p)
{
	struct cfs_counts_edge edge = { .place = *p };

	if (cfs_array_reserve((void **)&c->edges, &c->edges_room,
			      c->n_edges + 1, sizeof(*c->edges), EDGES_MAX) !=
	    CFS_OK)
		return CFS_ENOMEM;
	edge.name = malloc(name.n + 1);
	if (edge.name == NULL)
		return CFS_ENOMEM;
	memcpy(edge.name, name.p, name.n);
	c->edges[c->n_edges++] = edge;
	return CFS_OK;
}

/* Closes the open places that have more than n bytes. */
static int close_places(struct cfs_counts *c, size_t n)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && c->n_open > 0 && c->open[c->n_open - 1].n > n) {
		const struct cfs_counts_place *p = &c->open[--c->n_open];
		struct cfs_slice name = cfs_slice_of(c->key.p, p->n);

		rc = cfs_slice_starts(c->from, name) ||
				     cfs_slice_starts(c->to, name) ?
			     add_edge(c, name, p) :
			     finish_place(c, name, p);
	}
	return rc;
}

/* Sets *at to the open place of n bytes, which is opened if it is not. */
static int counts_open_place(struct cfs_counts *c, size_t n, size_t *at)
{
	size_t i = c->n_open;

	while (i > 0 && c->open[i - 1].n > n)
		i--;
	if (i > 0 && c->open[i - 1].n == n) {
		*at = i - 1;
		return CFS_OK;
	}
	if (cfs_array_reserve((void **)&c->open, &c->open_room, c->n_open + 1,
			      sizeof(*c->open), CFS_KEY_MAX + 1) != CFS_OK)
		return CFS_ENOMEM;
	memmove(c->open + i + 1, c->open + i,
		(c->n_open - i) * sizeof(*c->open));
	c->open[i] = (struct cfs_counts_place){ .n = n };
	c->n_open++;
	*at = i;
	return CFS_OK;
}

/* The number of bytes of the first labels of a key. */
static size_t labels_end(const struct cfs_counts *c, struct cfs_slice key,
			 unsigned labels)
{
	const struct cfs_slice *last = &c->path.comp[labels - 1];

	return (size_t)(last->p + last->n - key.p);
}

/* The first label of what is not http, https or ftp is the scheme; the number
 * of such labels. */
static unsigned scheme_labels(const struct cfs_path *path)
{
	const struct cfs_slice *first = &path->comp[0];

	return path->host_n > 1 && first->n > 0 &&
	       first->p[first->n - 1] == ':';
}

/* Opens the places of a key whose host is another one than the last. */
static int change_host(struct cfs_counts *c, struct cfs_slice key)
{
	unsigned scheme = scheme_labels(&c->path), labels;
	size_t domain_n;
	int rc;

	c->host_n = labels_end(c, key, c->path.host_n);
	labels = cfs_suffixes_domain(c->suffixes, c->path.comp + scheme,
				     c->path.host_n - scheme);
	domain_n = labels_end(c, key, labels + scheme);
	rc = counts_open_place(c, domain_n, &c->domain_at);
	if (rc == CFS_OK)
		rc = counts_open_place(c, c->host_n, &c->host_at);
	if (rc != CFS_OK)
		return rc;
	c->open[c->domain_at].is_domain = true;
	c->open[c->host_at].is_host = true;
	return CFS_OK;
}

/* ---- keys ---------------------------------------------------------------- */

/* Is another key another page?  In a PB-tree, keys have the scheme at their
 * end. */
static bool is_new_page(struct cfs_counts *c, const struct cfs_index *ix)
{
	uint64_t hash = 1;

	if (ix->is_ordered || ix->strips_www)
		return true;
	for (unsigned i = 0; i < c->path.n; i++)
		hash = cfs_hash_fast(c->path.comp[i], hash);
	if (c->has_page && hash == c->page)
		return false;
	c->has_page = true;
	c->page = hash;
	return true;
}

/* Turns to a key that is not the last one. */
static int counts_turn(struct cfs_counts *c, struct cfs_index *ix,
		       struct cfs_slice key)
{
	bool has_host = c->n_open > 0, is_same;
	int rc = CFS_OK;

	c->is_shown = cfs_index_split(ix, key, &c->path) == CFS_OK;
	if (!c->is_shown)
		return CFS_OK;		/* c->key stays that of the places */
	is_same = has_host && labels_end(c, key, c->path.host_n) == c->host_n &&
		  memcmp(c->key.p, key.p, c->host_n) == 0;
	if (!is_same) {
		rc = close_places(c, cfs_slice_common(
			cfs_slice_of(c->key.p, c->host_n), key));
		if (rc == CFS_OK)
			rc = change_host(c, key);
	}
	cfs_buf_reset(&c->key);
	cfs_buf_add(&c->key, key);
	if (rc != CFS_OK || c->key.failed != CFS_OK)
		return CFS_ENOMEM;
	if (is_new_page(c, ix)) {
		c->all.pages++;
		c->open[c->host_at].host.pages++;
		c->open[c->domain_at].domain.pages++;
	}
	return CFS_OK;
}

/* ---- captures ------------------------------------------------------------ */

static void count_time(struct cfs_counts *c, const struct cfs_count *one,
		       int64_t time)
{
	int year = 0, month = 1, day;

	if (time != 0) {
		cfs_time_to_date(time, &year, &month, &day);
		if (c->first == 0 || time < c->first)
			c->first = time;
		if (c->last == 0 || time > c->last)
			c->last = time;
	}
	if (year < 0 || year >= (int)CFS_COUNTS_YEARS)
		year = 0;
	count_add(&c->by_year[year], one);
	if (year >= 1990 && year < 1990 + (int)CFS_COUNTS_MONTHS / 12)
		count_add(&c->by_month[(year - 1990) * 12 + month - 1], one);
}

static int count_type(struct cfs_counts *c, const struct cfs_count *one,
		      const struct cfs_traits *traits)
{
	struct cfs_slice type = cfs_slice_sub(cfs_traits_type(traits), 0,
					      CFS_TALLY_TEXT_MAX);
	uint8_t lower[CFS_TALLY_TEXT_MAX];

	for (size_t i = 0; i < type.n; i++)
		lower[i] = cfs_ascii_lower(type.p[i]);
	type = type.n > 0 ? cfs_slice_of(lower, type.n) : CFS_SUMMARY_UNKNOWN;
	return cfs_tally_add(&c->types, type, 1, one->bytes);
}

static int count_language(struct cfs_counts *c, const struct cfs_count *one,
			  const struct cfs_traits *traits)
{
	struct cfs_slice rest = traits->languages;
	struct cfs_slice first = cfs_slice_split(&rest, ',');

	return cfs_tally_add(&c->languages, first.n > 0 ? first :
			     CFS_SUMMARY_UNKNOWN, 1, one->bytes);
}

static int count_capture(struct cfs_counts *c, const struct cfs_iter *it,
			 const struct cfs_capture *cap)
{
	const struct cfs_count one = { .captures = 1,
				       .bytes = cap->loc.length };
	const struct cfs_top_item record = { .value = cap->loc.length,
		.rank = it->pos, .text = it->key };
	const struct cfs_traits traits = cfs_traits_of(cap);
	uint16_t status = cfs_traits_status(&traits);
	int rc;

	count_add(&c->all, &one);
	count_add(&c->open[c->host_at].host, &one);
	count_add(&c->open[c->domain_at].domain, &one);
	count_add(&c->by_status[status < CFS_COUNTS_STATUSES ? status : 0],
		  &one);
	count_time(c, &one, cap->time);
	c->without_bytes += one.bytes == 0;
	if (cap->body_is_exact) {
		c->bodies++;
		c->body_bytes = cfs_sum(c->body_bytes, cap->body_bytes);
	}
	rc = count_type(c, &one, &traits);
	if (rc == CFS_OK)
		rc = count_language(c, &one, &traits);
	if (rc == CFS_OK && one.bytes > 0)
		rc = cfs_top_offer(&c->largest, &record);
	return rc;
}

int cfs_counts_add(struct cfs_counts *c, const struct cfs_iter *it,
		   const struct cfs_capture *cap)
{
	int rc = CFS_OK;

	if (!c->is_shown || !cfs_slice_eq(it->key, cfs_buf_slice(&c->key)))
		rc = counts_turn(c, it->ix, it->key);
	return rc == CFS_OK && c->is_shown ? count_capture(c, it, cap) : rc;
}

/* ---- ranges -------------------------------------------------------------- */

void cfs_counts_begin(struct cfs_counts *c, struct cfs_slice from,
		      struct cfs_slice to)
{
	c->from = from;
	c->to = to;
	c->is_shown = c->has_page = false;
	c->n_open = 0;
	c->host_n = 0;
	cfs_buf_reset(&c->key);
}

/* Closes all places, also one of no bytes. */
int cfs_counts_end(struct cfs_counts *c)
{
	int rc = close_places(c, 0);

	if (rc == CFS_OK && c->n_open > 0)
		rc = add_edge(c, CFS_SLICE_EMPTY, &c->open[0]);
	c->n_open = 0;
	return rc;
}

static int merge_edges(struct cfs_counts *c, struct cfs_counts *from)
{
	if (cfs_array_reserve((void **)&c->edges, &c->edges_room,
			      c->n_edges + from->n_edges, sizeof(*c->edges),
			      EDGES_MAX) != CFS_OK)
		return CFS_ENOMEM;
	if (from->n_edges > 0)
		memcpy(c->edges + c->n_edges, from->edges,
		       from->n_edges * sizeof(*c->edges));
	c->n_edges += from->n_edges;
	from->n_edges = 0;
	return CFS_OK;
}

static void merge_times(struct cfs_counts *c, const struct cfs_counts *from)
{
	if (c->first == 0 || (from->first != 0 && from->first < c->first))
		c->first = from->first;
	if (c->last == 0 || (from->last != 0 && from->last > c->last))
		c->last = from->last;
}

int cfs_counts_merge(struct cfs_counts *c, struct cfs_counts *from)
{
	int rc;

	count_add(&c->all, &from->all);
	c->hosts += from->hosts;
	c->domains += from->domains;
	c->without_bytes += from->without_bytes;
	c->bodies += from->bodies;
	c->body_bytes = cfs_sum(c->body_bytes, from->body_bytes);
	merge_times(c, from);
	for (unsigned i = 0; i < CFS_COUNTS_STATUSES; i++)
		count_add(&c->by_status[i], &from->by_status[i]);
	for (unsigned i = 0; i < CFS_COUNTS_YEARS; i++)
		count_add(&c->by_year[i], &from->by_year[i]);
	for (unsigned i = 0; i < CFS_COUNTS_MONTHS; i++)
		count_add(&c->by_month[i], &from->by_month[i]);
	rc = cfs_tally_merge(&c->types, &from->types);
	if (rc == CFS_OK)
		rc = cfs_tally_merge(&c->languages, &from->languages);
	if (rc == CFS_OK)
		rc = cfs_top_merge(&c->top_hosts, &from->top_hosts);
	if (rc == CFS_OK)
		rc = cfs_top_merge(&c->top_domains, &from->top_domains);
	if (rc == CFS_OK)
		rc = cfs_top_merge(&c->largest, &from->largest);
	return rc == CFS_OK ? merge_edges(c, from) : rc;
}

static struct cfs_slice edge_name(const struct cfs_counts_edge *e)
{
	return cfs_slice_of(e->name, e->place.n);
}

static int edges_by_name(const void *a, const void *b)
{
	return cfs_slice_cmp(edge_name(a), edge_name(b));
}

int cfs_counts_settle(struct cfs_counts *c)
{
	int rc = CFS_OK;

	if (c->n_edges > 0)
		qsort(c->edges, c->n_edges, sizeof(*c->edges), edges_by_name);
	for (size_t i = 0, next; rc == CFS_OK && i < c->n_edges; i = next) {
		struct cfs_slice name = edge_name(&c->edges[i]);
		struct cfs_counts_place *p = &c->edges[i].place;

		for (next = i + 1; next < c->n_edges &&
		     cfs_slice_eq(edge_name(&c->edges[next]), name); next++) {
			const struct cfs_counts_place *q =
				&c->edges[next].place;

			p->is_host |= q->is_host;
			p->is_domain |= q->is_domain;
			count_add(&p->host, &q->host);
			count_add(&p->domain, &q->domain);
		}
		rc = finish_place(c, name, p);
	}
	return rc;
}
