/* union.c - opens a union of indexes, and passes all calls but the moves of
 * iterators to the member concerned.
 *
 * Spans, positions and places of notes are the members' own, with the member's
 * number added: in file[3] of a span, in the top bits of a position's block, in
 * the top byte of a note's block.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "union_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memo.h"
#include "surt_ports.h"

#define NOTES_SHIFT 56
#define NOTES_MASK ((UINT64_C(1) << NOTES_SHIFT) - 1)
/* Share of the block cache for each pooled state that keeps its blocks: it may
 * pin a block or two of each member. */
#define BYTES_PER_WARM ((size_t)1 << 20)
#define WARM_MAX 8u
/* The block cache divided by this bounds the cache of groups; the minimum holds
 * the largest group. */
#define GROUPS_PART 2u
#define GROUPS_MIN ((size_t)32 << 20)

/* ---- calls to members ---- */

static struct cfs_index *union_member_of(struct cfs_index *ix,
					 const struct cfs_span *loc)
{
	struct cfs_union *u = (struct cfs_union *)ix;

	return loc->file[3] < u->n ? u->members[loc->file[3]] : NULL;
}

/* True for a revisit whose body may be another one in the union than in its own
 * index.  That of body size 0 refers to a capture that is not in its own index,
 * and one of what was not modified may refer to the capture before it: either
 * may be in another member.  Without a head, a revisit may be one of these. */
static bool may_have_other_body(const struct cfs_capture *cap)
{
	return cap->kind == CFS_KIND_REVISIT &&
	       (cap->body_bytes == 0 || cap->status == 304 ||
		cap->status == 0);
}

/* Sizes of views made by other code are dropped, too. */
static void fit_sizes(const struct cfs_union *u, const struct cfs_index *ix,
		      struct cfs_capture *cap)
{
	if (may_have_other_body(cap)) {
		cap->body_is_exact = false;
		cap->views.known = 0;
	}
	if (ix->view_version != u->base.view_version)
		cap->views.known = 0;
}

static int union_capture(struct cfs_iter *it, struct cfs_capture *out,
			 struct cfs_error *err)
{
	const struct cfs_union *u = (const struct cfs_union *)it->ix;
	unsigned i;
	struct cfs_iter *inner = cfs_union_inner(it, &i);
	int rc;

	*out = (struct cfs_capture){ .mime = CFS_SLICE_EMPTY,
				     .url = CFS_SLICE_EMPTY,
				     .digest = CFS_SLICE_EMPTY,
				     .related = CFS_SLICE_EMPTY };
	if (inner == NULL)
		return cfs_error_set(err, CFS_ENOTFOUND, "no entry");
	rc = cfs_index_capture(inner, out, err);
	if (rc != CFS_OK)
		return rc;
	fit_sizes(u, inner->ix, out);
	out->loc.file[3] = out->text.loc.file[3] = out->meta.loc.file[3] = i;
	out->notes.block |= (uint64_t)i << NOTES_SHIFT;
	return CFS_OK;
}

static bool union_lost(struct cfs_iter *it, unsigned i, struct cfs_error *out)
{
	unsigned member;
	struct cfs_iter *inner = cfs_union_inner(it, &member);

	return inner != NULL && cfs_index_lost(inner, i, out);
}

static int union_notes(struct cfs_index *ix, const struct cfs_notes_at *at,
		       struct cfs_buf *out, struct cfs_ctx ctx)
{
	struct cfs_union *u = (struct cfs_union *)ix;
	uint64_t i = at->block >> NOTES_SHIFT;
	struct cfs_notes_at inner = *at;

	inner.block &= NOTES_MASK;
	if (i >= u->n || u->members[i]->ops->notes == NULL)
		return cfs_error_set(ctx.err, CFS_EFORMAT, "no notes are there");
	return u->members[i]->ops->notes(u->members[i], &inner, out, ctx);
}

static int union_damage(struct cfs_index *ix, cfs_index_damaged *emit,
			void *arg, struct cfs_ctx ctx)
{
	struct cfs_union *u = (struct cfs_union *)ix;
	int rc = CFS_OK;

	for (unsigned i = 0; i < u->n && rc == CFS_OK; i++)
		rc = cfs_index_damage(u->members[i], emit, arg, ctx);
	return rc;
}

static int union_archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			      struct cfs_buf *out, struct cfs_error *err)
{
	const struct cfs_union *u = (const struct cfs_union *)ix;
	struct cfs_index *member = union_member_of(ix, loc);

	if (member == NULL)
		return cfs_error_at(err, CFS_EFORMAT, ix->src->name, 0,
				    "archive number is wrong");
	if (u->tags[loc->file[3]] != 0)
		cfs_buf_addc(out, u->tags[loc->file[3]]);
	return cfs_index_archive_name(member, loc, out, err);
}

struct cfs_index *cfs_union_index(const struct cfs_index *ix, unsigned i)
{
	const struct cfs_union *u = (const struct cfs_union *)ix;

	return i < u->n ? u->members[i] : NULL;
}

uint32_t cfs_union_archives(const struct cfs_index *ix, unsigned i)
{
	const struct cfs_union *u = (const struct cfs_union *)ix;

	return i < u->n ? u->members[i]->archives : 0;
}

int cfs_union_hash_archive(struct cfs_union *u, unsigned member,
			   const struct cfs_span *loc, uint64_t *out,
			   struct cfs_error *err)
{
	CFS_BUF(name, CFS_URL_MAX + CFS_KEY_MAX);
	int rc;

	cfs_buf_adds(&name, u->places[member]);
	cfs_buf_addc(&name, '/');
	rc = cfs_index_archive_name(u->members[member], loc, &name, err);
	*out = cfs_hash64(cfs_buf_slice(&name), 0);
	return rc;
}

/* ---- keys: all members have the same form ---- */

static int union_split(struct cfs_index *ix, struct cfs_slice key,
		       struct cfs_path *out)
{
	return cfs_index_split(((struct cfs_union *)ix)->members[0], key, out);
}

/* The ranges of SURT keys depend on the ports that the union has. */
static int union_ranges(struct cfs_index *ix, const struct cfs_path *path,
			enum cfs_below below, struct cfs_ranges *out)
{
	struct cfs_union *u = (struct cfs_union *)ix;

	return u->ports != NULL ?
	       cfs_surt_index_ranges(ix, u->ports, path, below, out) :
	       cfs_index_ranges(u->members[0], path, below, out);
}

static int union_find_ref(struct cfs_index *ix, struct cfs_slice ref,
			  cfs_pos *out, size_t max, size_t *n,
			  struct cfs_ctx ctx)
{
	const struct cfs_union *u = (const struct cfs_union *)ix;
	int rc = CFS_OK;

	for (unsigned i = 0; i < u->n && rc == CFS_OK && *n < max; i++) {
		size_t found;

		rc = cfs_index_find_ref(u->members[i], ref, out + *n, max - *n,
					&found, ctx);
		for (size_t k = 0; rc == CFS_OK && k < found; k++, ++*n)
			out[*n] = cfs_union_pos(i, out[*n]);
	}
	return rc;
}

static void union_stats(struct cfs_index *ix, struct cfs_index_stats *out)
{
	const struct cfs_union *u = (const struct cfs_union *)ix;

	for (unsigned i = 0; i < u->n; i++) {
		struct cfs_index_stats one;

		cfs_index_get_stats(u->members[i], &one);
		out->blocks += one.blocks;
		out->skipped += one.skipped;
		out->block_reads += one.block_reads;
	}
}

static void union_extent(struct cfs_index *ix, struct cfs_index_extent *out)
{
	const struct cfs_union *u = (const struct cfs_union *)ix;

	*out = (struct cfs_index_extent){ .blocks = 0 };
	for (unsigned i = 0; i < u->n; i++) {
		struct cfs_index_extent one;

		cfs_index_get_extent(u->members[i], &one);
		out->blocks += one.blocks;
		out->bytes += one.bytes;
		out->is_remote |= one.is_remote;
	}
}

/* Cuts the largest member; the keys of the others are likely to be similar. */
static int union_cut(struct cfs_index *ix, uint64_t k, uint64_t n,
		     struct cfs_buf *key, struct cfs_ctx ctx)
{
	const struct cfs_union *u = (const struct cfs_union *)ix;
	unsigned largest = 0;

	for (unsigned i = 1; i < u->n; i++)
		if (u->members[i]->src->size > u->members[largest]->src->size)
			largest = i;
	return cfs_index_cut(u->members[largest], k, n, key, ctx);
}

static void union_close(struct cfs_index *ix)
{
	struct cfs_union *u = (struct cfs_union *)ix;

	cfs_union_askers_release(&u->askers);
	cfs_union_pool_release(u);
	for (unsigned i = 0; i < u->n; i++) {
		cfs_index_close(u->members[i]);
		free(u->places[i]);
	}
	cfs_lru_free(u->groups);
	cfs_memo_free(u->ports);
	cfs_source_close(ix->src);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

static const struct cfs_index_ops union_ops = {
	.seek = cfs_union_seek_op,
	.at = cfs_union_at_op,
	.next = cfs_union_next_op,
	.skip = cfs_union_skip_op,
	.capture = union_capture,
	.lost = union_lost,
	.notes = union_notes,
	.damage = union_damage,
	.archive_name = union_archive_name,
	.split = union_split,
	.ranges = union_ranges,
	.find_ref = union_find_ref,
	.cut = union_cut,
	.extent = union_extent,
	.stats = union_stats,
	.close = union_close,
};

/* ---- opening ---- */

static const char *key_form(const struct cfs_index *ix)
{
	if (ix->strips_www)
		return "SURT";
	return ix->by_time ? "crawlfs" : "trivio";
}

static const char *name_of(const struct cfs_union_member *m)
{
	return m->name != NULL ? m->name : m->ix->src->name;
}

static int union_check_member(const struct cfs_union_member *one,
			      const struct cfs_union_member *m,
			      struct cfs_error *err)
{
	const struct cfs_index *first = one->ix, *ix = m->ix;

	if (ix->ops->split != first->ops->split)
		return cfs_error_at(
			err, CFS_EUNSUPPORTED, name_of(m), 0,
			"has %s keys, and '%.80s' has %s keys: convert them with"
			" 'crawlfs index -o ALL.cfx A B...'",
			key_form(ix), name_of(one), key_form(first));
	if (ix->blocks > CFS_UNION_BLOCKS_MAX)
		return cfs_error_at(err, CFS_ELIMIT, ix->src->name, 0,
			"has more than %u blocks: too large for a union",
			CFS_UNION_BLOCKS_MAX);
	return CFS_OK;
}

/* Sets what is known of all members together.  has_all_refs stays false: an
 * index has references to what its own revisits refer to, not to what those of
 * other members do.  Sizes made by other code count as missing. */
static void sum_up(struct cfs_union *u, uint32_t view_version)
{
	struct cfs_index *b = &u->base;
	bool all_captures = true;

	b->has_status = b->is_ordered = b->unsized.is_known = true;
	b->has_languages = true;
	b->strips_www = u->members[0]->strips_www;
	b->keeps_host_case = u->members[0]->keeps_host_case;
	b->by_time = b->is_merged = true;
	b->view_version = view_version;
	for (unsigned i = 0; i < u->n; i++) {
		const struct cfs_index *m = u->members[i];
		bool is_other = m->view_version != view_version;

		b->has_status &= m->has_status;
		b->has_languages &= m->has_languages;
		b->has_digests &= m->has_digests;
		b->is_ordered &= m->is_ordered;
		b->captures += m->captures;
		b->absent += m->absent;
		b->cut += m->cut;
		all_captures &= m->captures > 0;
		b->unsized.is_known &= m->unsized.is_known;
		for (unsigned k = 0; k < CFS_INDEX_SIZES; k++)
			b->unsized.captures[k] += is_other && k > 0 ?
				m->captures : m->unsized.captures[k];
	}
	if (!all_captures)
		b->captures = 0;
}

/* Makes the union's source, with its name and the members' size; it is never
 * read. */
static int open_name(struct cfs_union *u, struct cfs_error *err)
{
	CFS_BUF(name, CFS_UNION_MAX * (size_t)CFS_URL_MAX);
	uint64_t bytes = 0;
	int rc;

	for (unsigned i = 0; i < u->n; i++) {
		if (i > 0)
			cfs_buf_addc(&name, ',');
		cfs_buf_adds(&name, u->members[i]->src->name);
		bytes += u->members[i]->src->size;
	}
	rc = cfs_source_open_memory(&u->base.src, CFS_SLICE_EMPTY,
				    cfs_buf_str(&name), err);
	if (rc == CFS_OK)
		atomic_store(&u->base.src->size, bytes);
	return rc;
}

static int union_open_members(struct cfs_union *u,
			      const struct cfs_union_member *v,
			      uint32_t view_version, size_t groups_bytes,
			      struct cfs_error *err)
{
	unsigned remote = 0;
	int rc = CFS_OK;

	for (unsigned i = 0; i < u->n && rc == CFS_OK; i++) {
		rc = union_check_member(&v[0], &v[i], err);
		u->tags[i] = v[i].place_tag;
		u->places[i] = strdup(v[i].place);
		if (u->places[i] == NULL)
			rc = cfs_error_nomem(err);
		remote += !u->members[i]->src->is_local;
	}
	if (rc == CFS_OK && u->members[0]->strips_www) {
		u->ports = cfs_surt_ports_memo_new();
		if (u->ports == NULL)
			rc = cfs_error_nomem(err);
	}
	u->groups = cfs_union_groups_new(groups_bytes);
	u->base.caches[0] = u->groups;
	if (rc == CFS_OK && u->groups == NULL)
		rc = cfs_error_nomem(err);
	cfs_union_askers_init(&u->askers, remote > 0 ? remote - 1 : 0);
	u->ops = union_ops;
	u->ops.url_key = u->members[0]->ops->url_key;
	u->ops.key_url = u->members[0]->ops->key_url;
	u->base.ops = &u->ops;
	u->base.format = "union";
	sum_up(u, view_version);
	return rc == CFS_OK ? open_name(u, err) : rc;
}

int cfs_union_open(struct cfs_index **out, const struct cfs_union_member *v,
		   size_t n, uint32_t view_version, size_t block_cache_bytes,
		   struct cfs_error *err)
{
	struct cfs_union *u = calloc(1, sizeof(*u));
	size_t warm = block_cache_bytes / (n > 0 ? n : 1) / BYTES_PER_WARM;
	size_t groups;
	int rc = CFS_OK;

	*out = NULL;
	assert(n > 1);
	if (u == NULL)
		rc = cfs_error_nomem(err);
	else if (n > CFS_UNION_MAX)
		rc = cfs_error_set(
			err, CFS_ELIMIT,
			"%zu indexes are more than "
			"the %u that can be one tree: give the folder "
			"of the archives, or make one index of them "
			"with 'crawlfs index'",
			n, CFS_UNION_MAX);
	if (rc != CFS_OK) {
		for (size_t i = 0; i < n; i++)
			cfs_index_close(v[i].ix);
		free(u);
		return rc;
	}
	pthread_mutex_init(&u->lock, NULL);
	u->warm_max = warm < WARM_MAX ? (unsigned)warm : WARM_MAX;
	u->n = (unsigned)n;
	for (unsigned i = 0; i < u->n; i++)
		u->members[i] = v[i].ix;
	groups = block_cache_bytes / GROUPS_PART;
	rc = union_open_members(u, v, view_version,
				groups > GROUPS_MIN ? groups : GROUPS_MIN, err);
	if (rc != CFS_OK) {
		union_close(&u->base);
		return rc;
	}
	*out = &u->base;
	return CFS_OK;
}
