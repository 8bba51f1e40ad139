/* merge.c - merges crawlfs indexes, entry by entry.
 *
 * Entries of one key come in the order of time, as in any index, then in that
 * of the inputs.  A copy of an entry that has just been written, the same
 * record at the same place, is left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "builder_revisits.h"
#include "builder_sample.h"
#include "cfx_write.h"
#include "index/cfx_format.h"
#include "merge_input.h"

#define NAMES_MAX ((size_t)1 << 30)
#define MEMORY_DEFAULT ((size_t)256 << 20)
#define MERGED_EVERY 16384u
/* Records of one key and second that a repeated one is looked for among. */
#define RECENT_MAX 64u
/* Too many captures were picked: nothing is written yet. */
#define AGAIN 2

/* Of the captures in an archive. */
struct times {
	int64_t first, last;
};

struct merge {
	const struct cfs_merge_opts *opts;
	struct cfs_merge_reader *v;
	struct cfs_merge_reader **heap;		/* least first */
	size_t n_heap;
	struct cfs_strtab *names;
	struct cfs_builder_archive *archives;
	struct times *times;			/* by archive */
	uint32_t room;
	int64_t *first_times;
	uint64_t offset_max;
	uint32_t view_code;		/* that is kept; 0: none */
	struct cfs_builder_sample sample;
	struct cfs_extsort_opts sort;
	struct cfs_extsort *refs;		/* hash and new position */
	struct cfs_cfx_writer *w;
	struct cfs_buf key, notes;		/* of the last entry; scratch */
	struct cfs_span recent[RECENT_MAX];	/* of key, at recent_time */
	unsigned n_recent;
	int64_t recent_time;
	uint64_t revisits;			/* written without sizes */
	cfs_pos pos;				/* of the entry last written */
	uint64_t done, total;
	struct cfs_merge_counts counts;
};

/* ---- steps of both passes ---- */

static int advance(struct merge *m, struct cfs_merge_reader *r,
		   struct cfs_error *err)
{
	if (++m->done % MERGED_EVERY == 0) {
		if (cfs_cancelled(m->opts->cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		if (m->opts->merged != NULL)
			m->opts->merged(m->opts->arg, m->done, m->total);
	}
	return cfs_merge_reader_next(r, m->opts->cancel, err);
}

static bool is_picked(const struct merge *m, const struct cfs_merge_reader *r)
{
	return cfs_pick_takes_entry(m->opts->pick, r->it.key, &r->cap);
}

/* ---- the first pass: what the index will need ---- */

static int widen(struct merge *m, const struct cfs_capture *c,
		 struct cfs_error *err)
{
	uint32_t n = cfs_strtab_count(m->names), a = (uint32_t)c->loc.file[0];

	if (n > m->room) {
		uint32_t room = n < UINT32_MAX / 4 ? 2 * n : n;
		struct times *v = reallocarray(m->times, room, sizeof(*v));

		if (v == NULL)
			return cfs_error_nomem(err);
		for (m->times = v; m->room < room; m->room++)
			v[m->room] = (struct times){ INT64_MAX, INT64_MIN };
	}
	if (c->time < m->times[a].first)
		m->times[a].first = c->time;
	if (c->time > m->times[a].last)
		m->times[a].last = c->time;
	if (c->loc.offset > m->offset_max)
		m->offset_max = c->loc.offset;
	return CFS_OK;
}

static int look_through(struct merge *m, struct cfs_merge_reader *r,
			struct cfs_error *err)
{
	int rc = cfs_merge_reader_first(r, m->opts->cancel, err);

	while (rc == CFS_OK) {
		if (is_picked(m, r)) {
			rc = cfs_merge_reader_renumber(r, m->names, err);
			if (rc == CFS_OK)
				rc = widen(m, &r->cap, err);
			cfs_builder_sample_take(&m->sample, r->it.key);
		}
		if (rc == CFS_OK)
			rc = advance(m, r, err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* The code of the view sizes that are kept, and the home of all archives. */
static int look_at_heads(struct merge *m, const char **home,
			 struct cfs_error *err)
{
	bool is_mixed = false;

	*home = m->v[0].ix->home;
	for (size_t i = 0; i < m->opts->n_inputs; i++) {
		const struct cfs_index *ix = m->v[i].ix;

		m->total += 2 * ix->captures;
		m->counts.bytes += ix->src->size;
		if (ix->view_code != 0 && m->view_code == 0)
			m->view_code = ix->view_code;
		is_mixed |= ix->view_code != 0 && ix->view_code != m->view_code;
		if ((ix->home == NULL) != (*home == NULL) ||
		    (ix->home != NULL && strcmp(ix->home, *home) != 0))
			return cfs_error_set(err, CFS_EUSAGE,
				"'%s' and '%s' have archives in different "
				"places, which one index cannot name",
				m->opts->inputs[0].location,
				m->opts->inputs[i].location);
	}
	if (is_mixed)
		m->view_code = 0;
	return CFS_OK;
}

/* ---- the second pass ---- */

/* Does a stand before b? */
static bool is_before(const struct cfs_merge_reader *a,
		      const struct cfs_merge_reader *b)
{
	int c = cfs_slice_cmp(a->it.key, b->it.key);

	if (c != 0)
		return c < 0;
	return a->cap.time != b->cap.time ? a->cap.time < b->cap.time : a < b;
}

static void sift_down(struct merge *m, size_t i)
{
	struct cfs_merge_reader *r = m->heap[i];

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= m->n_heap)
			break;
		if (k + 1 < m->n_heap && is_before(m->heap[k + 1], m->heap[k]))
			k++;
		if (!is_before(m->heap[k], r))
			break;
		m->heap[i] = m->heap[k];
		i = k;
	}
	m->heap[i] = r;
}

static bool is_same_place(const struct cfs_span *a, const struct cfs_span *b)
{
	return a->file[0] == b->file[0] && a->offset == b->offset &&
	       a->inner_offset == b->inner_offset;
}

/* Has this record been written already?  It is noted if not. */
static int is_repeated(struct merge *m, const struct cfs_merge_reader *r,
		       bool *yes, struct cfs_error *err)
{
	*yes = false;
	if (!cfs_slice_eq(cfs_buf_slice(&m->key), r->it.key) ||
	    m->recent_time != r->cap.time) {
		cfs_buf_reset(&m->key);
		if (cfs_buf_add(&m->key, r->it.key) != CFS_OK)
			return cfs_error_nomem(err);
		m->recent_time = r->cap.time;
		m->n_recent = 0;
	}
	for (unsigned i = 0; i < m->n_recent && !*yes; i++)
		*yes = is_same_place(&m->recent[i], &r->cap.loc);
	if (!*yes && m->n_recent < RECENT_MAX)
		m->recent[m->n_recent++] = r->cap.loc;
	return CFS_OK;
}

static int add_ref(void *arg, struct cfs_slice hash, struct cfs_error *err)
{
	struct merge *m = arg;
	uint8_t value[8];

	cfs_be64_put(value, m->pos);
	return cfs_extsort_add(m->refs, 0, hash,
			       cfs_slice_of(value, sizeof(value)), err);
}

/* What a revisit refers to may not have been picked; and it may be in another
 * index, where a revisit of the same digest refers to it. */
static bool are_revisits_new(const struct merge *m)
{
	return m->opts->pick != NULL || m->opts->n_inputs > 1;
}

static int write_entry(struct merge *m, struct cfs_merge_reader *r,
		       struct cfs_error *err)
{
	bool yes;
	int rc = cfs_merge_reader_renumber(r, m->names, err);

	if (rc == CFS_OK)
		rc = is_repeated(m, r, &yes, err);
	if (rc != CFS_OK)
		return rc;
	m->counts.repeated += yes;
	if (yes)
		return CFS_OK;
	if (r->cap.kind == CFS_KIND_REVISIT && are_revisits_new(m)) {
		r->cap.body_is_exact = r->cap.has_view_bytes = false;
		m->revisits++;
	}
	if (m->view_code == 0)
		r->cap.has_view_bytes = false;
	cfs_buf_reset(&m->notes);
	rc = cfs_index_notes(r->ix, &r->cap, &m->notes, m->opts->cancel, err);
	r->cap.notes.bytes = 0;
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_add(m->w, r->it.key, &r->cap,
					cfs_buf_slice(&m->notes), &m->pos, err);
	return rc == CFS_OK ? cfs_merge_reader_refs(r, add_ref, m, err) : rc;
}

/* The first of each input, least first. */
static int fill_heap(struct merge *m, struct cfs_error *err)
{
	for (size_t i = 0; i < m->opts->n_inputs; i++) {
		int rc = cfs_merge_reader_first(&m->v[i], m->opts->cancel, err);

		if (rc == CFS_OK)
			m->heap[m->n_heap++] = &m->v[i];
		else if (rc != CFS_END)
			return rc;
	}
	for (size_t i = m->n_heap / 2; i-- > 0;)
		sift_down(m, i);
	return CFS_OK;
}

static int write_entries(struct merge *m, struct cfs_error *err)
{
	int rc = fill_heap(m, err);

	while (rc == CFS_OK && m->n_heap > 0) {
		struct cfs_merge_reader *r = m->heap[0];

		if (is_picked(m, r))
			rc = write_entry(m, r, err);
		else
			m->counts.not_picked++;
		if (rc == CFS_OK)
			rc = advance(m, r, err);
		if (rc == CFS_END) {
			m->heap[0] = m->heap[--m->n_heap];
			rc = CFS_OK;
		}
		if (m->n_heap > 0)
			sift_down(m, 0);
	}
	return rc;
}

static int write_refs(struct merge *m, struct cfs_error *err)
{
	struct cfs_slice key, value;
	uint64_t hash = 0;
	unsigned n = 0;
	int rc = cfs_extsort_merge(m->refs, err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(m->refs, &key, &value, err);
		if (rc != CFS_OK)
			break;
		n = cfs_be64_get(key.p) == hash ? n + 1 : 0;
		hash = cfs_be64_get(key.p);
		if (n < CFS_REFS_OF_ONE_MAX)
			rc = cfs_cfx_writer_ref(m->w, hash,
						cfs_be64_get(value.p), err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- the whole ---- */

static int list_archives(struct merge *m, uint64_t *longest,
			 struct cfs_error *err)
{
	uint32_t n = cfs_strtab_count(m->names);

	m->archives = calloc((size_t)n + 1, sizeof(*m->archives));
	m->first_times = calloc((size_t)n + 1, sizeof(*m->first_times));
	if (m->archives == NULL || m->first_times == NULL)
		return cfs_error_nomem(err);
	*longest = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct times t = i < m->room ? m->times[i] :
				 (struct times){ INT64_MAX, INT64_MIN };
		uint64_t span = (uint64_t)t.last - (uint64_t)t.first;

		m->archives[i].name =
			(const char *)cfs_strtab_get(m->names, i).p;
		if (!cfs_name_stays_below(cfs_slice_str(m->archives[i].name)))
			return cfs_error_set(err, CFS_EFORMAT, "archive name "
				"'%.200s' does not lie below the index",
				m->archives[i].name);
		if (t.first > t.last)
			continue;	/* it has texts and metadata only */
		m->first_times[i] = t.first;
		if (span > *longest)
			*longest = span;
	}
	return CFS_OK;
}

static int write_index(struct merge *m, const char *home,
		       struct cfs_replacement *file, struct cfs_error *err)
{
	struct cfs_symbols symbols;
	struct cfs_builder_opts o = {
		.threads = m->opts->threads, .sizer = m->opts->sizer,
		.base = m->opts->base, .cancel = m->opts->cancel,
		.n_at_hand = cfs_strtab_count(m->names) };
	struct cfs_cfx_params p = {
		.fd = file->fd, .name = m->opts->path, .symbols = &symbols,
		.offset_max = m->offset_max, .view_code = m->view_code,
		.tmp_dir = m->opts->tmp_dir, .home = home };
	int rc = list_archives(m, &p.time_max, err);

	if (rc != CFS_OK)
		return rc;
	if (cfs_builder_sample_train(&m->sample, 1, &symbols) != CFS_OK)
		return cfs_error_nomem(err);
	p.archives = m->archives;
	p.n_archives = o.n_at_hand;
	p.first_times = m->first_times;
	rc = cfs_cfx_writer_new(&m->w, &p, err);
	if (rc == CFS_OK)
		rc = write_entries(m, err);
	if (rc == CFS_OK)
		rc = write_refs(m, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_finish(m->w, &m->counts.built, err);
	cfs_cfx_writer_free(m->w);
	if (rc == CFS_OK && m->revisits > 0 && m->opts->sizer != NULL &&
	    home == NULL)
		rc = cfs_builder_revisits_write(&o, file, &p, &m->counts.built,
						err);
	return rc;
}

static int run(struct merge *m, struct cfs_error *err)
{
	struct cfs_replacement file = { .fd = -1 };
	const char *home = NULL;
	int rc = cfs_extsort_new(&m->refs, &m->sort, err);

	for (size_t i = 0; rc == CFS_OK && i < m->opts->n_inputs; i++)
		rc = cfs_merge_reader_open(&m->v[i], &m->opts->inputs[i],
					   &m->sort, m->opts->cancel, err);
	if (rc == CFS_OK)
		rc = look_at_heads(m, &home, err);
	for (size_t i = 0; rc == CFS_OK && i < m->opts->n_inputs; i++)
		rc = look_through(m, &m->v[i], err);
	if (rc == CFS_OK && cfs_pick_settle(m->opts->pick))
		return AGAIN;
	if (rc == CFS_OK && cfs_strtab_count(m->names) == 0)
		rc = cfs_error_set(err, CFS_ENOTFOUND, "no page to index in "
				   "%zu indexes", m->opts->n_inputs);
	if (rc == CFS_OK)
		rc = cfs_replacement_open(&file, m->opts->path, 0666, err);
	if (rc == CFS_OK)
		rc = write_index(m, home, &file, err);
	if (rc == CFS_OK)
		return cfs_replacement_commit(&file, err);
	cfs_replacement_drop(&file);
	return rc;
}

static int merge_once(const struct cfs_merge_opts *opts,
		      struct cfs_merge_counts *out, struct cfs_error *err)
{
	size_t memory = opts->memory_bytes ? opts->memory_bytes :
					     MEMORY_DEFAULT;
	struct merge m = {
		.opts = opts, .sort = {
			.memory_bytes = memory / (opts->n_inputs + 1),
			.feeders = 1, .tmp_dir = opts->tmp_dir,
			.cancel = opts->cancel } };
	int rc;

	*out = (struct cfs_merge_counts){ .bytes = 0 };
	if (opts->n_inputs == 0 || opts->n_inputs > CFS_MERGE_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "at most %u indexes can "
				     "be merged at once", CFS_MERGE_MAX);
	cfs_buf_init(&m.key, CFS_KEY_MAX);
	cfs_buf_init(&m.notes, CFS_NOTES_MAX);
	cfs_builder_sample_init(&m.sample);
	m.v = calloc(opts->n_inputs, sizeof(*m.v));
	m.heap = calloc(opts->n_inputs, sizeof(*m.heap));
	m.names = cfs_strtab_new(NAMES_MAX);
	rc = m.v == NULL || m.heap == NULL || m.names == NULL ?
		cfs_error_nomem(err) : run(&m, err);
	*out = m.counts;
	for (size_t i = 0; m.v != NULL && i < opts->n_inputs; i++)
		cfs_merge_reader_close(&m.v[i]);
	cfs_extsort_free(m.refs);
	cfs_builder_sample_release(&m.sample);
	cfs_strtab_free(m.names);
	cfs_buf_release(&m.key);
	cfs_buf_release(&m.notes);
	free(m.v);
	free(m.heap);
	free(m.archives);
	free(m.times);
	free(m.first_times);
	return rc;
}

int cfs_merge_indexes(const struct cfs_merge_opts *opts,
		      struct cfs_merge_counts *out, struct cfs_error *err)
{
	int rc = merge_once(opts, out, err);

	return rc == AGAIN ? merge_once(opts, out, err) : rc;
}
