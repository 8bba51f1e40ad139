/* union_merge.c - the iterators of a union: one iterator in each member, put in
 * order by key.
 *
 * A state has a `floor`, the current key, and a head in each member.  A head
 * that is placed stands on its member's first entry whose key is >= its own
 * `low` (> low if it has passed that), or is at the end.  So it need not move
 * for any key from low to that of its entry, forward or back.  The next key of
 * the union is the least one under the heads.  If only one member has it, and
 * that member orders the captures of a key by time, the union's entry is the
 * one under that head.  Otherwise all captures of the key are listed and
 * sorted, and each is shown by a second iterator of its member; the heads then
 * stand behind the key, or before it if the list came from the cache
 * (union_group.c).
 *
 * A head that meets a block which cannot be read makes the move fail.  If the
 * caller steps over that hole, the state forgives it: the move is made again,
 * and that head passes the hole.  Groups that were made so are kept apart.
 *
 * Going to a position touches only its member; the others are placed when the
 * next entry is asked for.
 *
 * States are taken from a pool that belongs to the union.  Some of them keep
 * their blocks there: the next request is mostly near the last one, and then
 * few heads must move.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "union_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Most states in the pool; others are freed. */
#define POOL_MAX 64u
/* A list with room for more is freed once it is sorted. */
#define LIST_KEPT 1024u
/* Longer lists are cached for all iterators. */
#define GROUP_MIN 64u
#define TURNS_PER_QUESTION 64u
/* Bytes of a floor: a caller may seek a text that is longer than a key. */
#define KEY_ROOM (4 * (size_t)CFS_KEY_MAX)

struct member_head {
	struct cfs_iter *it;		/* NULL until it is needed */
	bool is_placed, is_at_end, has_passed;
	bool forgives;			/* holes up to `forgiven` */
	cfs_pos forgiven;
	struct cfs_buf low;
};

/* A listed capture of the current key. */
struct merge_item {
	struct cfs_union_place place;
	uint64_t archive;		/* hash of its name and place */
	uint64_t offset, inner_offset;
};

enum mode {
	NOWHERE,
	AT_POSITION,	/* set by cfs_index_at: heads may stand anywhere */
	UNDER_HEAD,	/* only one member has the floor's key */
	IN_LIST,
};

struct cfs_union_state {
	struct cfs_iter_state base;
	struct cfs_union *u;
	struct cfs_union_state *next;	/* list of the pool */
	struct member_head heads[CFS_UNION_MAX];
	struct cfs_iter *shown[CFS_UNION_MAX];	/* NULL until needed */
	struct cfs_buf floor;
	bool has_floor;
	/* Where the last move began: at an entry, or, if that is CFS_POS_NONE,
	 * with a search for a key. */
	cfs_pos from;
	struct cfs_buf sought;
	cfs_pos hole;			/* that the last move met first */
	bool forgives;			/* a head does */
	enum mode mode;
	unsigned member;		/* the entry's */
	struct cfs_iter *current;	/* stands on the entry */
	struct merge_item *list;		/* only while a key is listed */
	size_t n_list, room;
	/* The key's captures in order, or a stretch of many: in `own` or in the
	 * pinned group. */
	const struct cfs_union_place *v;
	size_t n, at;
	bool is_partial;		/* another stretch follows */
	bool is_single;			/* there is one: its time is not
					 * known */
	bool heads_wait;		/* heads may stand on the key, or
					 * before it */
	struct cfs_lru_ref *group;	/* NULL: v is `own` */
	struct cfs_union_place own[GROUP_MIN];
	struct cfs_union_batch batch;	/* scratch */
};

/* ---- iterators and states ---- */

static struct cfs_iter *iter_new(struct cfs_error *err)
{
	struct cfs_iter *it = malloc(sizeof(*it));

	if (it == NULL)
		cfs_error_nomem(err);
	else
		cfs_iter_init(it);
	return it;
}

static void iter_free(struct cfs_iter *it)
{
	if (it != NULL)
		cfs_iter_release(it);
	free(it);
}

/* Moves `to` to where `from` stands.  Keys lie in the iterator's own buffer or
 * in its block. */
static void iter_copy(struct cfs_iter *to, const struct cfs_iter *from)
{
	cfs_iter_release(to);
	to->ix = from->ix;
	to->pos = from->pos;
	to->key = from->key;
	to->value = from->value;
	to->hole = from->hole;
	to->block_off = from->block_off;
	to->key_n = from->key_n;
	if (from->block_ref != NULL)
		to->block_ref = cfs_lru_hold(from->block_ref);
	if (from->key.p == from->key_buf) {
		memcpy(to->key_buf, from->key_buf, from->key.n);
		to->key.p = to->key_buf;
	}
}

static void state_free(struct cfs_union_state *s)
{
	for (unsigned i = 0; i < s->u->n; i++) {
		iter_free(s->heads[i].it);
		cfs_buf_release(&s->heads[i].low);
		iter_free(s->shown[i]);
	}
	cfs_buf_release(&s->floor);
	cfs_buf_release(&s->sought);
	cfs_lru_put(s->group);
	free(s->list);
	free(s);
}

/* Releases the blocks of a state. */
static void state_cool(struct cfs_union_state *s)
{
	for (unsigned i = 0; i < s->u->n; i++) {
		if (s->heads[i].it != NULL)
			cfs_iter_release(s->heads[i].it);
		if (s->shown[i] != NULL)
			cfs_iter_release(s->shown[i]);
		s->heads[i].is_placed = s->heads[i].forgives = false;
	}
	s->has_floor = s->forgives = false;
}

/* Releases the list of a key. */
static void list_drop(struct cfs_union_state *s)
{
	cfs_lru_put(s->group);
	s->group = NULL;
	s->n = s->n_list = 0;
	s->is_partial = s->is_single = false;
	if (s->room <= LIST_KEPT)
		return;
	free(s->list);
	s->list = NULL;
	s->room = 0;
}

/* Returns a state to the pool. */
static void state_put(struct cfs_iter_state *state)
{
	struct cfs_union_state *s = (struct cfs_union_state *)state;
	struct cfs_union *u = s->u;

	s->mode = NOWHERE;
	s->current = NULL;
	list_drop(s);
	pthread_mutex_lock(&u->lock);
	if (u->pooled >= u->warm_max || s->forgives) {
		pthread_mutex_unlock(&u->lock);
		state_cool(s);
		pthread_mutex_lock(&u->lock);
	}
	if (u->pooled < POOL_MAX) {
		s->next = u->pool;
		u->pool = s;
		u->pooled++;
		s = NULL;
	}
	pthread_mutex_unlock(&u->lock);
	if (s != NULL)
		state_free(s);
}

void cfs_union_pool_release(struct cfs_union *u)
{
	while (u->pool != NULL) {
		struct cfs_union_state *s = u->pool;

		u->pool = s->next;
		state_free(s);
	}
}

static struct cfs_union_state *state_new(struct cfs_union *u)
{
	struct cfs_union_state *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->base.put = state_put;
	s->u = u;
	cfs_buf_init(&s->floor, KEY_ROOM);
	cfs_buf_init(&s->sought, KEY_ROOM);
	for (unsigned i = 0; i < u->n; i++)
		cfs_buf_init(&s->heads[i].low, KEY_ROOM);
	return s;
}

/* The state of an iterator, which it keeps until it is released. */
static struct cfs_union_state *union_merge_state_of(struct cfs_union *u,
						    struct cfs_iter *it,
						    struct cfs_error *err)
{
	struct cfs_union_state *s = (struct cfs_union_state *)it->state;

	if (s != NULL)
		return s;
	pthread_mutex_lock(&u->lock);
	s = u->pool;
	if (s != NULL) {
		u->pool = s->next;
		u->pooled--;
	}
	pthread_mutex_unlock(&u->lock);
	if (s == NULL)
		s = state_new(u);
	if (s == NULL)
		cfs_error_nomem(err);
	else
		it->state = &s->base;
	return s;
}

struct cfs_iter *cfs_union_inner(const struct cfs_iter *it, unsigned *member)
{
	const struct cfs_union_state *s =
		(const struct cfs_union_state *)it->state;

	*member = s != NULL ? s->member : 0;
	return s != NULL && s->mode != NOWHERE ? s->current : NULL;
}

/* ---- heads ---- */

static bool is_on(const struct member_head *h, struct cfs_slice key)
{
	return h->is_placed && !h->is_at_end && cfs_slice_eq(h->it->key, key);
}

/* True if a head must move in order to be placed for `key`. */
static bool must_move(const struct member_head *h, struct cfs_slice key)
{
	int c = h->is_placed ? cfs_slice_cmp(key, cfs_buf_slice(&h->low)) : -1;

	if (c <= 0)
		return c < 0 || h->has_passed;
	return !h->is_at_end && cfs_slice_cmp(h->it->key, key) < 0;
}

/* Makes the floor the low of a head. */
static int raise_low(struct cfs_union_state *s, struct member_head *h,
		     bool has_passed, struct cfs_error *err)
{
	h->has_passed = has_passed;
	cfs_buf_reset(&h->low);
	if (cfs_buf_add(&h->low, cfs_buf_slice(&s->floor)) == CFS_OK)
		return CFS_OK;
	cfs_buf_release(&h->low);
	h->is_placed = false;
	return cfs_error_nomem(err);
}

/* Makes the key the floor.  The key may lie in an iterator that moves later. */
static int set_floor(struct cfs_union_state *s, struct cfs_slice key,
		     struct cfs_error *err)
{
	cfs_buf_reset(&s->floor);
	cfs_buf_add(&s->floor, key);
	s->has_floor = s->floor.failed == CFS_OK;
	if (s->has_floor)
		return CFS_OK;
	cfs_buf_release(&s->floor);
	for (unsigned i = 0; i < s->u->n; i++)
		s->heads[i].is_placed = false;
	return cfs_error_nomem(err);
}

/* Takes the result of a head's move.  0 or a failure. */
static int head_moved(struct cfs_union_state *s, unsigned i, int rc,
		      struct cfs_ctx ctx)
{
	struct member_head *h = &s->heads[i];

	while (cfs_index_is_at_hole(h->it, rc) && h->forgives &&
	       h->it->hole <= h->forgiven) {
		cfs_error_clear(ctx.err);
		rc = cfs_index_skip(h->it, ctx);
	}
	if (s->hole == CFS_POS_NONE && cfs_index_is_at_hole(h->it, rc))
		s->hole = cfs_union_pos(i, h->it->hole);
	h->is_at_end = rc == CFS_END;
	h->is_placed = rc == CFS_OK || rc == CFS_END;
	if (rc == CFS_OK && cfs_slice_cmp(h->it->key,
					  cfs_buf_slice(&s->floor)) < 0) {
		h->is_placed = false;
		return cfs_error_at(ctx.err, CFS_EFORMAT,
				    s->u->members[i]->src->name, 0,
				    "index block %u is out of order",
				    cfs_pos_block(h->it->pos));
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* Moves the heads in `wanted` (bits) to the floor. */
static int seek_heads(struct cfs_union_state *s, uint32_t wanted,
		      struct cfs_ctx ctx)
{
	struct cfs_union_batch *b = &s->batch;
	unsigned of[CFS_UNION_MAX];
	int rc = CFS_OK;

	b->n = 0;
	b->key = cfs_buf_slice(&s->floor);
	b->cancel = ctx.cancel;
	for (unsigned i = 0; i < s->u->n; i++) {
		struct member_head *h = &s->heads[i];

		if ((wanted >> i & 1) == 0)
			continue;
		h->is_placed = false;
		if (h->it == NULL && (h->it = iter_new(ctx.err)) == NULL)
			return CFS_ENOMEM;
		of[b->n] = i;
		b->v[b->n++] = (struct cfs_union_seek){
			.ix = s->u->members[i], .it = h->it };
	}
	cfs_union_ask(&s->u->askers, b);
	for (unsigned k = 0; k < b->n; k++) {
		struct cfs_ctx own = CFS_CTX(ctx.cancel, &b->v[k].error);
		int one = head_moved(s, of[k], b->v[k].rc, own);

		if (one == CFS_OK)
			one = raise_low(s, &s->heads[of[k]], false, own.err);
		cfs_error_pass(ctx.err, own.err, one);
		rc = rc == CFS_OK ? one : rc;
	}
	return rc;
}

/* Makes the key the floor, and places all heads but those in `not` (bits). */
static int place(struct cfs_union_state *s, struct cfs_slice key, uint32_t not,
		 struct cfs_ctx ctx)
{
	bool is_floor = s->has_floor &&
			cfs_slice_eq(key, cfs_buf_slice(&s->floor));
	uint32_t wanted = 0;
	int rc;

	for (unsigned i = 0; i < s->u->n; i++) {
		struct member_head *h = &s->heads[i];

		if (must_move(h, key))
			wanted |= UINT32_C(1) << i;
		if (not >> i & 1)
			h->is_placed = false;
	}
	rc = is_floor ? CFS_OK : set_floor(s, key, ctx.err);
	wanted &= ~not;
	return rc == CFS_OK && wanted != 0 ? seek_heads(s, wanted, ctx) : rc;
}

/* Moves a head to the next entry. */
static int step_head(struct cfs_union_state *s, unsigned i, struct cfs_ctx ctx)
{
	struct member_head *h = &s->heads[i];
	int rc = raise_low(s, h, true, ctx.err);

	return rc == CFS_OK ? head_moved(s, i, cfs_index_next(h->it, ctx),
					 ctx) : rc;
}

/* ---- captures of one key ---- */

static int in_order(const void *va, const void *vb)
{
	return cfs_union_in_order(&((const struct merge_item *)va)->place,
				  &((const struct merge_item *)vb)->place);
}

static int compare_place(const struct merge_item *a, const struct merge_item *b)
{
	if (a->archive != b->archive)
		return a->archive < b->archive ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->inner_offset > b->inner_offset) -
	       (a->inner_offset < b->inner_offset);
}

static int union_merge_by_place(const void *va, const void *vb)
{
	const struct merge_item *a = va, *b = vb;
	int c = compare_place(a, b);

	if (c != 0)
		return c;
	return a->place.pos > b->place.pos ? 1 : -1;
}

/* Keeps, of a record that several members list, only the first one's entry. */
static void union_merge_drop_repeats(struct cfs_union_state *s)
{
	size_t to = 0, from;

	qsort(s->list, s->n_list, sizeof(*s->list), union_merge_by_place);
	for (size_t i = from = 0; i < s->n_list; i++) {
		if (compare_place(&s->list[i], &s->list[from]) != 0)
			from = i;
		if (s->list[i].place.pos >> CFS_UNION_POS_BITS ==
		    s->list[from].place.pos >> CFS_UNION_POS_BITS)
			s->list[to++] = s->list[i];
		/* `from` may have been moved or overwritten, but the place is
		 * still the same */
	}
	s->n_list = to;
}

/* Reads what decides on the place of a capture in the order.  A damaged capture
 * has a place too: decoding it later reports the damage. */
static int union_merge_look(struct cfs_union *u, unsigned member,
			    struct cfs_iter *it, struct cfs_capture *cap,
			    uint64_t *archive, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_index_capture(it, cap, &e);

	if (rc == CFS_OK)
		rc = cfs_union_hash_archive(u, member, &cap->loc, archive, &e);
	if (rc != CFS_EFORMAT)
		return cfs_error_pass(err, &e, rc);
	*cap = (struct cfs_capture){ .loc.offset = it->pos };
	*archive = member;
	return CFS_OK;
}

/* Adds the capture under `it` to the list if it comes behind `after`. */
static int list_add(struct cfs_union_state *s, unsigned member,
		    struct cfs_iter *it, const struct cfs_union_place *after,
		    struct cfs_error *err)
{
	const size_t max = CFS_UNION_GROUP_MAX;
	struct merge_item item = { .place.pos =
					   cfs_union_pos(member, it->pos) };
	struct cfs_capture cap;
	int rc = union_merge_look(s->u, member, it, &cap, &item.archive, err);

	if (rc != CFS_OK)
		return rc;
	item.place.time = cap.time;
	item.offset = cap.loc.offset;
	item.inner_offset = cap.loc.inner_offset;
	if (after != NULL && cfs_union_in_order(&item.place, after) <= 0)
		return CFS_OK;
	if (s->n_list == 2 * max) {
		qsort(s->list, s->n_list, sizeof(item), in_order);
		s->n_list = max;
		s->is_partial = true;
	}
	rc = cfs_array_reserve((void **)&s->list, &s->room, s->n_list + 1,
			       sizeof(item), 2 * max);
	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	s->list[s->n_list++] = item;
	return CFS_OK;
}

/* Lists the captures of the floor's key in one member, whose head stands on the
 * first of them, and moves the head behind them.  is_alone: no other member has
 * any. */
static int list_member(struct cfs_union_state *s, unsigned i, bool is_alone,
		       const struct cfs_union_place *after, uint64_t *total,
		       struct cfs_ctx ctx)
{
	struct cfs_slice key = cfs_buf_slice(&s->floor);
	struct member_head *h = &s->heads[i];
	int rc;

	if (s->shown[i] == NULL && (s->shown[i] = iter_new(ctx.err)) == NULL)
		return CFS_ENOMEM;
	iter_copy(s->shown[i], h->it);
	rc = step_head(s, i, ctx);
	++*total;
	if (rc == CFS_OK && is_alone && after == NULL && !is_on(h, key)) {
		s->list[s->n_list++] = (struct merge_item){
			/* room was made */
			.place.pos = cfs_union_pos(i, s->shown[i]->pos)
		};
		return CFS_OK;
	}
	if (rc == CFS_OK)
		rc = list_add(s, i, s->shown[i], after, ctx.err);
	while (rc == CFS_OK && is_on(h, key)) {
		if (++*total % TURNS_PER_QUESTION == 0 &&
		    cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		rc = list_add(s, i, h->it, after, ctx.err);
		if (rc == CFS_OK)
			rc = step_head(s, i, ctx);
	}
	return rc;
}

/* The heads that stand on the floor's key. */
static uint32_t on_floor(const struct cfs_union_state *s)
{
	uint32_t out = 0;

	for (unsigned i = 0; i < s->u->n; i++)
		if (is_on(&s->heads[i], cfs_buf_slice(&s->floor)))
			out |= UINT32_C(1) << i;
	return out;
}

/* Shows capture s->at of the list. */
static int union_merge_show(struct cfs_union_state *s, struct cfs_ctx ctx)
{
	cfs_pos pos = s->v[s->at].pos;
	unsigned i = (unsigned)(pos >> CFS_UNION_POS_BITS);

	if (s->shown[i] == NULL && (s->shown[i] = iter_new(ctx.err)) == NULL)
		return CFS_ENOMEM;
	s->mode = IN_LIST;
	s->member = i;
	s->current = s->shown[i];
	pos &= CFS_UNION_POS_MASK;
	return s->current->pos == pos ? CFS_OK :
	       cfs_index_at(s->u->members[i], pos, s->current, ctx);
}

/* Lists the captures of the floor's key from the heads in `members` (bits),
 * which stand on it, and moves these behind it.  `after`: only captures behind
 * that one; NULL: all. */
static int list_key(struct cfs_union_state *s, uint32_t members,
		    const struct cfs_union_place *after, struct cfs_ctx ctx)
{
	bool is_alone = (members & (members - 1)) == 0;
	const size_t max = CFS_UNION_GROUP_MAX;
	uint64_t total = 0;
	int rc = cfs_array_reserve((void **)&s->list, &s->room, 16,
				   sizeof(*s->list), 2 * max);

	if (rc != CFS_OK)
		return cfs_error_nomem(ctx.err);
	for (unsigned i = 0; i < s->u->n && rc == CFS_OK; i++)
		if (members >> i & 1)
			rc = list_member(s, i, is_alone, after, &total, ctx);
	if (rc != CFS_OK)
		return rc;
	if (!is_alone && total <= max)
		union_merge_drop_repeats(s);
	if (s->n_list > 1)
		qsort(s->list, s->n_list, sizeof(*s->list), in_order);
	if (s->n_list > max) {
		s->n_list = max;
		s->is_partial = true;
	}
	s->is_single = total == 1;
	return CFS_OK;
}

/* Makes the list s->v: in `own`, or as a cached group. */
static int take_list(struct cfs_union_state *s,
		     const struct cfs_union_place *after, struct cfs_error *err)
{
	struct cfs_union_group *g = NULL;
	struct cfs_union_place *v = s->own;
	int rc = CFS_OK;

	s->n = s->n_list;
	if (s->n > GROUP_MIN) {
		g = cfs_union_group_new(s->n, s->is_partial);
		if (g == NULL)
			return cfs_error_nomem(err);
		v = g->v;
	}
	for (size_t i = 0; i < s->n; i++)
		v[i] = s->list[i].place;
	s->v = v;
	if (g != NULL)
		rc = cfs_union_group_keep(
			s->u, cfs_union_group_key(cfs_buf_slice(&s->floor),
						  after, s->forgives),
			g, &s->group, err);
	if (rc == CFS_OK && g != NULL)
		s->v = ((const struct cfs_union_group *)
			cfs_lru_obj(s->group))->v;
	return rc;
}

/*
 * Gets the captures of the floor's key in order.  `after`: those behind that
 * one, the last of another stretch.  members: bits of the heads that stand on
 * the key; 0: they have to be placed first.
 */
static int take_key(struct cfs_union_state *s, uint32_t members,
		    const struct cfs_union_place *after, struct cfs_ctx ctx)
{
	const struct cfs_union_group *g;
	int rc = CFS_OK;

	list_drop(s);
	s->at = 0;
	s->group = cfs_union_group_find(
		s->u, cfs_union_group_key(cfs_buf_slice(&s->floor), after,
					  s->forgives));
	s->heads_wait = s->group != NULL;
	if (s->group != NULL) {
		g = cfs_lru_obj(s->group);
		s->v = g->v;
		s->n = g->n;
		s->is_partial = g->is_partial;
		return CFS_OK;
	}
	if (members == 0)
		rc = place(s, cfs_buf_slice(&s->floor), 0, ctx);
	if (rc == CFS_OK)
		rc = list_key(s, members != 0 ? members : on_floor(s), after,
			      ctx);
	return rc == CFS_OK ? take_list(s, after, ctx.err) : rc;
}

/* Gets the stretch behind the current one. */
static int take_further(struct cfs_union_state *s, struct cfs_ctx ctx)
{
	struct cfs_union_place last = s->v[s->n - 1];

	return take_key(s, 0, &last, ctx);
}

/* ---- the next key ---- */

/* Moves to the first capture of the least key under the heads, which are all
 * placed. */
static int union_merge_settle(struct cfs_union_state *s, struct cfs_ctx ctx)
{
	const struct cfs_iter *least = NULL;
	uint32_t members = 0;
	unsigned first = 0;
	int rc;

	for (unsigned i = 0; i < s->u->n; i++) {
		const struct member_head *h = &s->heads[i];
		int c;

		if (h->is_at_end)
			continue;
		c = least == NULL ? -1 : cfs_slice_cmp(h->it->key, least->key);
		if (c < 0) {
			least = h->it;
			first = i;
			members = 0;
		}
		if (c <= 0)
			members |= UINT32_C(1) << i;
	}
	if (least == NULL)
		return CFS_END;
	rc = set_floor(s, least->key, ctx.err);
	if (rc != CFS_OK)
		return rc;
	s->mode = UNDER_HEAD;
	s->member = first;
	s->current = s->heads[first].it;
	if ((members & (members - 1)) == 0 && s->u->members[first]->by_time)
		return CFS_OK;
	rc = take_key(s, members, NULL, ctx);
	return rc == CFS_OK ? union_merge_show(s, ctx) : rc;
}

/* Moves on from the entry under the head of s->member. */
static int next_under_head(struct cfs_union_state *s, struct cfs_ctx ctx)
{
	int rc = step_head(s, s->member, ctx);

	if (rc != CFS_OK)
		return rc;
	return is_on(&s->heads[s->member], cfs_buf_slice(&s->floor)) ?
	       CFS_OK : union_merge_settle(s, ctx);
}

/* Moves to the first capture behind the floor's key, on which heads may
 * stand. */
static int pass_key(struct cfs_union_state *s, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (s->heads_wait) {
		/* the least key that is greater */
		if (cfs_buf_addc(&s->floor, 0) != CFS_OK) {
			s->has_floor = false;
			return cfs_error_nomem(ctx.err);
		}
		rc = place(s, cfs_buf_slice(&s->floor), 0, ctx);
	}
	return rc == CFS_OK ? union_merge_settle(s, ctx) : rc;
}

/* Shows capture `at` of the list, or what follows the last one. */
static int show_or_pass(struct cfs_union_state *s, size_t at,
			struct cfs_ctx ctx)
{
	int rc;

	s->at = at;
	rc = at == s->n && s->is_partial ? take_further(s, ctx) : CFS_OK;
	if (rc != CFS_OK)
		return rc;
	return s->at < s->n ? union_merge_show(s, ctx) : pass_key(s, ctx);
}

/* Lists the captures of the current entry's key, and moves on from that
 * entry. */
static int relist(struct cfs_union_state *s, struct cfs_ctx ctx)
{
	struct cfs_union_place here = {
		.pos = cfs_union_pos(s->member, s->current->pos) };
	struct cfs_capture cap;
	uint64_t archive;
	int rc = union_merge_look(s->u, s->member, s->current, &cap, &archive,
				  ctx.err);

	here.time = cap.time;
	if (rc == CFS_OK)
		rc = take_key(s, 0, NULL, ctx);
	while (rc == CFS_OK && s->is_partial &&
	       cfs_union_in_order(&s->v[s->n - 1], &here) <= 0)
		rc = take_further(s, ctx);
	if (rc != CFS_OK)
		return rc;
	if (s->is_single)
		s->at = s->n;
	CFS_LOWER_BOUND(s->at, s->n, i,
			cfs_union_in_order(&s->v[i], &here) <= 0);
	return show_or_pass(s, s->at, ctx);
}

/* Moves on from an entry that was reached by its position. */
static int next_from_position(struct cfs_union_state *s, struct cfs_ctx ctx)
{
	unsigned i = s->member;
	uint32_t own = UINT32_C(1) << i;
	struct cfs_iter *it = s->shown[i];
	struct member_head *h = &s->heads[i];
	int rc = place(s, it->key, own, ctx);

	if (rc != CFS_OK)
		return rc;
	if ((on_floor(s) & ~own) != 0 || !s->u->members[i]->by_time)
		return relist(s, ctx);
	s->shown[i] = h->it;
	h->it = s->current = it;
	h->is_placed = true;
	h->is_at_end = false;
	s->mode = UNDER_HEAD;
	return next_under_head(s, ctx);
}

/* ---- the moves of an iterator ---- */

static int settled(struct cfs_iter *it, struct cfs_union_state *s, int rc,
		   struct cfs_error *err)
{
	if (rc != CFS_OK) {
		s->mode = NOWHERE;
		it->hole = s->hole;
		return rc;
	}
	if (cfs_pos_block(s->current->pos) >= CFS_UNION_BLOCKS_MAX)
		return cfs_error_at(err, CFS_ELIMIT,
				    s->u->members[s->member]->src->name, 0,
				    "too many blocks for a union");
	it->pos = cfs_union_pos(s->member, s->current->pos);
	it->key = s->current->key;
	it->value = s->current->value;
	return CFS_OK;
}

/* Moves to the first capture from the key that is sought on. */
static int union_merge_seek(struct cfs_union_state *s, struct cfs_iter *it,
			    struct cfs_ctx ctx)
{
	int rc;

	s->from = s->hole = CFS_POS_NONE;
	rc = place(s, cfs_buf_slice(&s->sought), 0, ctx);
	if (rc == CFS_OK)
		rc = union_merge_settle(s, ctx);
	return settled(it, s, rc, ctx.err);
}

int cfs_union_seek_op(struct cfs_index *ix, struct cfs_slice key,
		      struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_union_state *s = union_merge_state_of((struct cfs_union *)ix,
							 it, ctx.err);

	if (s == NULL)
		return CFS_ENOMEM;
	cfs_buf_reset(&s->sought);
	if (cfs_buf_add(&s->sought, key) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	if (s->forgives)	/* the key may lie in what is dropped */
		state_cool(s);
	return union_merge_seek(s, it, ctx);
}

int cfs_union_at_op(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		    struct cfs_ctx ctx)
{
	struct cfs_union_state *s = union_merge_state_of((struct cfs_union *)ix,
							 it, ctx.err);
	unsigned i = (unsigned)(pos >> CFS_UNION_POS_BITS);
	int rc;

	if (s == NULL)
		return CFS_ENOMEM;
	if (pos >> 48 != 0 || i >= s->u->n)
		return CFS_ENOTFOUND;
	if (s->shown[i] == NULL && (s->shown[i] = iter_new(ctx.err)) == NULL)
		return CFS_ENOMEM;
	rc = cfs_index_at(s->u->members[i], pos & CFS_UNION_POS_MASK,
			  s->shown[i], ctx);
	s->hole = CFS_POS_NONE;
	s->mode = AT_POSITION;
	s->member = i;
	s->current = s->shown[i];
	return settled(it, s, rc, ctx.err);
}

int cfs_union_next_op(struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_union_state *s = (struct cfs_union_state *)it->state;
	int rc = CFS_END;

	if (s == NULL)
		return CFS_END;
	s->from = it->pos;
	s->hole = CFS_POS_NONE;
	if (s->mode == AT_POSITION)
		rc = next_from_position(s, ctx);
	else if (s->mode == UNDER_HEAD)
		rc = next_under_head(s, ctx);
	else if (s->mode == IN_LIST)
		rc = show_or_pass(s, s->at + 1, ctx);
	return settled(it, s, rc, ctx.err);
}

/* Forgives the hole, and makes the move that met it again. */
int cfs_union_skip_op(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	struct cfs_union_state *s = (struct cfs_union_state *)it->state;
	unsigned i = (unsigned)(hole >> CFS_UNION_POS_BITS);
	struct member_head *h = s != NULL ? &s->heads[i] : NULL;
	int rc;

	if (h == NULL)
		return CFS_END;
	hole &= CFS_UNION_POS_MASK;
	if (h->forgives && hole <= h->forgiven)
		return cfs_error_set(ctx.err, CFS_EFORMAT, "cannot be read");
	h->forgives = s->forgives = true;
	h->forgiven = hole;
	if (s->from == CFS_POS_NONE)
		return union_merge_seek(s, it, ctx);
	rc = cfs_union_at_op(it->ix, s->from, it, ctx);
	return rc == CFS_OK ? cfs_union_next_op(it, ctx) : rc;
}
