/* union_test.c - unions of made-up indexes, beside a sorted list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <pthread.h>

#include "base/sync.h"
#include "index/union.h"
#include "rng.h"

/* ---- an index in memory ---- */

#define SLOTS 7u		/* entries in a block */
#define KEY_BYTES 24u

struct entry {
	char key[KEY_BYTES];
	int64_t time;
	unsigned archive;
	uint64_t offset;
};

struct fake {
	struct cfs_index base;
	struct entry *v;
	size_t n;
	size_t bad;		/* reading that entry fails; SIZE_MAX: none */
};

/* Seeks of remote fakes wait here until so many have begun. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t all;
	unsigned wanted, begun;
	bool gave_up;
} meeting = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void meet(void)
{
	pthread_mutex_lock(&meeting.lock);
	if (++meeting.begun >= meeting.wanted)
		pthread_cond_broadcast(&meeting.all);
	while (meeting.begun < meeting.wanted && !meeting.gave_up)
		meeting.gave_up = cfs_cond_wait_ms(&meeting.all, &meeting.lock,
						   60000);
	pthread_mutex_unlock(&meeting.lock);
}

static int stand(struct cfs_iter *it, size_t i, struct cfs_error *err)
{
	struct fake *f = (struct fake *)it->ix;

	if (i >= f->n)
		return CFS_END;
	if (i == f->bad)
		return cfs_error_set(err, CFS_EIO, "cannot read");
	it->pos = cfs_pos_make((uint32_t)(i / SLOTS), i % SLOTS);
	it->key = cfs_slice_str(f->v[i].key);
	return CFS_OK;
}

static size_t number_of(cfs_pos pos)
{
	return (size_t)cfs_pos_block(pos) * SLOTS + cfs_pos_slot(pos);
}

static int fake_seek(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	const struct fake *f = (const struct fake *)ix;
	size_t i = 0;

	if (!ix->src->is_local && meeting.wanted > 0)
		meet();
	while (i < f->n && cfs_slice_cmp(cfs_slice_str(f->v[i].key), key) < 0)
		i++;
	return stand(it, i, ctx.err);
}

static int fake_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		   struct cfs_ctx ctx)
{
	(void)ix;
	return cfs_pos_slot(pos) < SLOTS &&
	       stand(it, number_of(pos), ctx.err) == CFS_OK ? CFS_OK :
	       CFS_ENOTFOUND;
}

static int fake_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	return stand(it, number_of(it->pos) + 1, ctx.err);
}

static uint16_t status_of(const struct entry *e)
{
	static const uint16_t some[] = { 200, 304, 0 };

	return some[e->offset / 3 % 3];
}

static int fake_capture(struct cfs_iter *it, struct cfs_capture *out,
			struct cfs_error *err)
{
	const struct fake *f = (const struct fake *)it->ix;
	const struct entry *e = &f->v[number_of(it->pos)];

	(void)err;
	*out = (struct cfs_capture){ .time = e->time, .kind = CFS_KIND_REVISIT,
				     .mime = CFS_SLICE_EMPTY,
				     .url = CFS_SLICE_EMPTY,
				     .views.known = CFS_VIEW_BYTES_PAIR,
				     .body_is_exact = true,
				     .status = status_of(e),
				     .body_bytes = e->offset % 3,
				     .loc.file = { e->archive },
				     .loc.offset = e->offset };
	return CFS_OK;
}

static int fake_name(struct cfs_index *ix, const struct cfs_span *loc,
		     struct cfs_buf *out, struct cfs_error *err)
{
	(void)ix;
	(void)err;
	return cfs_buf_addf(out, "a%u", (unsigned)loc->file[0]);
}

static int fake_split(struct cfs_index *ix, struct cfs_slice key,
		      struct cfs_path *out)
{
	(void)ix;
	(void)key;
	(void)out;
	return CFS_ENOTFOUND;
}

static int other_split(struct cfs_index *ix, struct cfs_slice key,
		       struct cfs_path *out)
{
	return fake_split(ix, key, out);
}

static void fake_close(struct cfs_index *ix)
{
	struct fake *f = (struct fake *)ix;

	cfs_source_close(ix->src);
	free(f->v);
	free(f);
}

static const struct cfs_index_ops fake_ops = {
	.seek = fake_seek, .at = fake_at, .next = fake_next,
	.capture = fake_capture, .archive_name = fake_name,
	.split = fake_split, .close = fake_close,
};
static const struct cfs_index_ops other_ops = {
	.seek = fake_seek, .at = fake_at, .next = fake_next,
	.capture = fake_capture, .archive_name = fake_name,
	.split = other_split, .close = fake_close,
};

static struct fake *fake_new(size_t n, bool by_time)
{
	struct fake *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->base = (struct cfs_index){ .ops = &fake_ops, .by_time = by_time };
	assert_int_equal(cfs_source_open_memory(&f->base.src, CFS_SLICE_EMPTY,
						"fake", NULL), CFS_OK);
	f->v = calloc(n + 1, sizeof(*f->v));
	assert_non_null(f->v);
	f->n = n;
	f->bad = SIZE_MAX;
	return f;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->key,
		      ((const struct entry *)b)->key);
}

static int by_key_and_time(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;
	int c = by_key(a, b);

	return c != 0 ? c : (a->time > b->time) - (a->time < b->time);
}

/* n entries of `keys` keys, few times; of `places` places in archives. */
static struct fake *fake_make(uint64_t *rng, size_t n, unsigned keys,
			      unsigned places, bool by_time)
{
	struct fake *f = fake_new(n, by_time);

	for (size_t i = 0; i < n; i++) {
		snprintf(f->v[i].key, KEY_BYTES, "k%06u",
			 (unsigned)rng_below(rng, keys));
		f->v[i].time = (int64_t)rng_below(rng, 4);
		f->v[i].archive = (unsigned)rng_below(rng, 2);
		f->v[i].offset = rng_below(rng, places);
	}
	qsort(f->v, n, sizeof(*f->v), by_time ? by_key_and_time : by_key);
	return f;
}

/* ---- the model: a sorted list ---- */

struct item {
	const struct entry *e;
	unsigned member;
	cfs_pos pos;
	unsigned place;
};

struct model {
	struct item *v;
	size_t n;
};

static int in_order(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;
	int c = strcmp(a->e->key, b->e->key);

	if (c != 0)
		return c;
	if (a->e->time != b->e->time)
		return a->e->time < b->e->time ? -1 : 1;
	return (a->pos > b->pos) - (a->pos < b->pos);
}

/* Does an earlier member list it, too? */
static bool is_listed(struct fake *const *v, const unsigned *places,
		      unsigned member, const struct entry *e)
{
	for (unsigned m = 0; m < member; m++)
		for (size_t i = 0; places[m] == places[member] && i < v[m]->n;
		     i++)
			if (strcmp(v[m]->v[i].key, e->key) == 0 &&
			    v[m]->v[i].archive == e->archive &&
			    v[m]->v[i].offset == e->offset)
				return true;
	return false;
}

static void model_make(struct model *m, struct fake *const *v,
		       const unsigned *places, unsigned n)
{
	size_t all = 0;

	for (unsigned i = 0; i < n; i++)
		all += v[i]->n;
	m->v = calloc(all + 1, sizeof(*m->v));
	assert_non_null(m->v);
	m->n = 0;
	for (unsigned i = 0; i < n; i++)
		for (size_t k = 0; k < v[i]->n; k++)
			if (!is_listed(v, places, i, &v[i]->v[k]))
				m->v[m->n++] = (struct item){
					.e = &v[i]->v[k], .member = i,
					.pos = (cfs_pos)i << 43 | cfs_pos_make(
						(uint32_t)(k / SLOTS),
						k % SLOTS) };
	qsort(m->v, m->n, sizeof(*m->v), in_order);
}

static size_t model_seek(const struct model *m, const char *key)
{
	size_t i = 0;

	while (i < m->n && strcmp(m->v[i].e->key, key) < 0)
		i++;
	return i;
}

/* ---- random moves ---- */

struct shape {
	const char *name;
	unsigned members, entries, keys, places, folders;
	bool by_time, is_mixed;
} shapes[] = {
	{ "two, distinct",       2,  60, 400, 1000000, 2, true, false },
	{ "shared keys",         5,  60,  20, 1000000, 5, true, false },
	{ "not by time",         3,  60,  20, 1000000, 3, false, false },
	{ "both kinds",          4,  60,  20, 1000000, 2, true, true },
	{ "listed twice",        4,  40,  15, 3,       1, true, true },
	{ "in two folders",      4,  40,  15, 3,       2, true, false },
	{ "31 members",         31,  30,  40, 1000000, 31, true, true },
	{ "31 of one key",      31,  10,   1, 50,      1, true, true },
	{ "empty ones",         12,   1,   6, 1000000, 3, true, true },
};

static void check_here(struct cfs_iter *it, const struct item *want)
{
	struct cfs_capture cap;
	struct cfs_buf name;

	assert_true(it->pos == want->pos);
	assert_true(cfs_slice_eq(it->key, cfs_slice_str(want->e->key)));
	assert_int_equal(cfs_index_capture(it, &cap, NULL), CFS_OK);
	assert_true(cap.time == want->e->time);
	assert_true(cap.loc.offset == want->e->offset);
	assert_int_equal(cap.loc.file[3], want->member);
	/* a revisit without a body may have one in another member, and one of
	 * what was not modified another one */
	assert_int_equal(cap.body_is_exact, want->e->offset % 3 != 0 &&
			 status_of(want->e) == 200);
	cfs_buf_init(&name, 64);
	assert_int_equal(cfs_index_archive_name(it->ix, &cap.loc, &name, NULL),
			 CFS_OK);
	assert_int_equal(name.p[name.n - 1], '0' + want->e->archive);
	cfs_buf_release(&name);
}

/* One of several moves; *at is where the model stands then. */
static void move(struct cfs_index *ix, struct cfs_iter *it,
		 const struct model *m, size_t *at, uint64_t *rng,
		 unsigned keys)
{
	char key[KEY_BYTES];
	int rc;

	switch (rng_below(rng, 6)) {
	case 0:
		snprintf(key, sizeof(key), "k%06u%s",
			 (unsigned)rng_below(rng, keys),
			 rng_below(rng, 3) == 0 ? "x" : "");
		*at = model_seek(m, key);
		rc = cfs_index_seek(ix, cfs_slice_str(key), it,
				    CFS_CTX(NULL, NULL));
		break;
	case 1:
		if (m->n == 0)
			return;
		*at = (size_t)rng_below(rng, m->n);
		rc = cfs_index_at(ix, m->v[*at].pos, it, CFS_CTX(NULL, NULL));
		break;
	default:
		if (*at >= m->n)
			return;
		++*at;
		rc = cfs_index_next(it, CFS_CTX(NULL, NULL));
	}
	assert_int_equal(rc, *at < m->n ? CFS_OK : CFS_END);
	if (rc == CFS_OK)
		check_here(it, &m->v[*at]);
}

/* Holds M1, M2. */
static void shape_case(void **state)
{
	const struct shape *s = *state;
	struct cfs_union_member v[CFS_UNION_MAX];
	struct fake *fakes[CFS_UNION_MAX];
	unsigned places[CFS_UNION_MAX];
	static const char *const names[] = { "/p", "/q", "/r", "/s", "/t" };
	struct cfs_iter *it = malloc(2 * sizeof(*it));
	uint64_t rng = 7 + s->members;
	struct cfs_index *ix;
	struct model m;

	assert_non_null(it);
	for (unsigned round = 0; round < 8; round++) {
		size_t at[2];

		for (unsigned i = 0; i < s->members; i++) {
			bool by_time = s->by_time &&
				       (!s->is_mixed || rng_below(&rng, 2));

			places[i] = i % s->folders % COUNT(names);
			fakes[i] = fake_make(&rng, s->entries == 1 ?
				rng_below(&rng, 2) : s->entries, s->keys,
				s->places, by_time);
			v[i] = (struct cfs_union_member){
				&fakes[i]->base, names[places[i]],
				(uint8_t)(1 + places[i]), NULL };
		}
		model_make(&m, fakes, places, s->members);
		assert_int_equal(cfs_union_open(&ix, v, s->members, 0,
				round % 2 ? SIZE_MAX / 2 : 0, NULL), CFS_OK);
		for (unsigned k = 0; k < 2; k++) {
			cfs_iter_init(&it[k]);
			at[k] = m.n;
		}
		for (unsigned turn = 0; turn < 3000; turn++) {
			unsigned k = (unsigned)rng_below(&rng, 2);

			move(ix, &it[k], &m, &at[k], &rng, s->keys);
			if (rng_below(&rng, 20) == 0) {
				cfs_iter_release(&it[k]);
				at[k] = m.n;
			}
		}
		for (unsigned k = 0; k < 2; k++)
			cfs_iter_release(&it[k]);
		cfs_index_close(ix);
		free(m.v);
	}
	free(it);
}

/* ---- more captures of a key than are held ---- */

static void many_of_one_key(void **state)
{
	enum { EACH = CFS_UNION_GROUP_MAX + 1000 };
	struct cfs_union_member v[2];
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_capture cap;
	struct cfs_index *ix;
	int64_t last = -1;
	cfs_pos middle = 0;
	size_t n = 0;
	int rc;

	(void)state;
	assert_non_null(it);
	for (unsigned i = 0; i < 2; i++) {
		struct fake *f = fake_new(EACH, false);

		for (size_t k = 0; k < EACH; k++) {
			snprintf(f->v[k].key, KEY_BYTES, "key");
			f->v[k].time = (int64_t)(EACH - k) * 2 + i;
			f->v[k].offset = k;
		}
		v[i] = (struct cfs_union_member){ &f->base, "/p", 0, NULL };
	}
	assert_int_equal(cfs_union_open(&ix, v, 2, 0, 0, NULL), CFS_OK);
	cfs_iter_init(it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; n++) {
		assert_int_equal(cfs_index_capture(it, &cap, NULL), CFS_OK);
		assert_true(cap.time == last + 1 || last < 0);
		last = cap.time;
		if (n == CFS_UNION_GROUP_MAX + 5)
			middle = it->pos;
		rc = cfs_index_next(it, CFS_CTX(NULL, NULL));
	}
	assert_int_equal(rc, CFS_END);
	assert_int_equal(n, 2 * EACH);
	/* and from a position in it */
	assert_int_equal(cfs_index_at(ix, middle, it,
				      CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_index_capture(it, &cap, NULL), CFS_OK);
	last = cap.time;
	assert_int_equal(cfs_index_next(it, CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_index_capture(it, &cap, NULL), CFS_OK);
	assert_true(cap.time == last + 1);
	cfs_iter_release(it);
	cfs_index_close(ix);
	free(it);
}

/* ---- members that fail ---- */

/* Holds M5. */
static void failing_member(void **state)
{
	uint64_t rng = 3;
	struct fake *good = fake_make(&rng, 50, 30, 1000000, true);
	struct fake *bad = fake_make(&rng, 50, 30, 1000000, true);
	struct cfs_union_member v[2] = { { &good->base, "/p", 0, NULL },
					 { &bad->base, "/q", 0, NULL } };
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix;
	char last[KEY_BYTES] = "";
	const char *gone;
	unsigned seen = 0;
	int rc;

	(void)state;
	assert_non_null(it);
	for (bad->bad = 20; by_key(&bad->v[bad->bad - 1],
				   &bad->v[bad->bad]) == 0; bad->bad++)
		continue;
	gone = bad->v[bad->bad].key;
	assert_int_equal(cfs_union_open(&ix, v, 2, 0, SIZE_MAX / 2, NULL),
			 CFS_OK);
	cfs_iter_init(it);
	/* never past what could not be read */
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, CFS_CTX(NULL, &err));
	for (; rc == CFS_OK; seen++) {
		snprintf(last, sizeof(last), "%.*s", (int)it->key.n,
			 (const char *)it->key.p);
		rc = cfs_index_next(it, CFS_CTX(NULL, &err));
	}
	assert_int_equal(rc, CFS_EIO);
	assert_string_equal(err.text, "cannot read");
	assert_true(seen > 20);
	assert_true(strcmp(last, gone) < 0);
	/* a seek to it fails, one behind it does not; nor does a position */
	assert_int_equal(cfs_index_seek(ix, cfs_slice_str(gone), it,
					CFS_CTX(NULL, NULL)), CFS_EIO);
	assert_int_equal(cfs_index_seek(ix, cfs_slice_str("k000029"), it,
					CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_index_at(ix, 0, it, CFS_CTX(NULL, NULL)), CFS_OK);
	/* once it can be read, all is there */
	bad->bad = SIZE_MAX;
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, CFS_CTX(NULL, NULL));
	for (seen = 0; rc == CFS_OK; seen++)
		rc = cfs_index_next(it, CFS_CTX(NULL, NULL));
	assert_int_equal(seen, 100);
	cfs_iter_release(it);
	cfs_index_close(ix);
	free(it);
}

/* ---- side by side ---- */

/* Holds M6. */
static void remote_members(void **state)
{
	uint64_t rng = 5;
	struct cfs_union_member v[12];
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_index *ix;

	(void)state;
	assert_non_null(it);
	for (unsigned i = 0; i < COUNT(v); i++) {
		struct fake *f = fake_make(&rng, 20, 10, 1000000, true);

		f->base.src->is_local = false;
		v[i] = (struct cfs_union_member){ &f->base, "/p", 0, NULL };
	}
	assert_int_equal(cfs_union_open(&ix, v, COUNT(v), 0, 0, NULL), CFS_OK);
	cfs_cond_init(&meeting.all);
	cfs_iter_init(it);
	/* no seek returns before all have begun */
	for (unsigned i = 0; i < 3; i++) {
		meeting.wanted = COUNT(v);
		meeting.begun = 0;
		assert_int_equal(cfs_index_seek(ix, CFS_SLICE_LIT("k000003"),
						it,
						CFS_CTX(NULL, NULL)), CFS_OK);
		assert_false(meeting.gave_up);
		assert_int_equal(meeting.begun, COUNT(v));
		cfs_iter_release(it);
	}
	meeting.wanted = 0;
	cfs_index_close(ix);
	pthread_cond_destroy(&meeting.all);
	free(it);
}

/* ---- what is refused ---- */

static struct fake *sized(uint64_t blocks, const struct cfs_index_ops *ops)
{
	struct fake *f = fake_new(1, true);

	f->base.ops = ops;
	f->base.blocks = blocks;
	return f;
}

static void refused(void **state)
{
	struct cfs_union_member v[CFS_UNION_MAX + 1];
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix;
	struct cfs_iter *it;

	(void)state;
	for (unsigned i = 0; i < COUNT(v); i++)
		v[i] = (struct cfs_union_member){ &sized(1, &fake_ops)->base,
						  "/p", 0, NULL };
	assert_int_equal(cfs_union_open(&ix, v, COUNT(v), 0, 0, &err),
			 CFS_ELIMIT);
	assert_non_null(strstr(err.text, "crawlfs index"));
	cfs_error_clear(&err);
	v[0].ix = &sized(1, &fake_ops)->base;
	v[1].ix = &sized(1, &other_ops)->base;
	assert_int_equal(cfs_union_open(&ix, v, 2, 0, 0, &err),
			 CFS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "crawlfs index -o"));
	cfs_error_clear(&err);
	v[0].ix = &sized(1, &fake_ops)->base;
	v[1].ix = &sized(CFS_UNION_BLOCKS_MAX + 1, &fake_ops)->base;
	assert_int_equal(cfs_union_open(&ix, v, 2, 0, 0, &err), CFS_ELIMIT);
	assert_non_null(strstr(err.text, "blocks"));
	v[0].ix = &sized(1, &fake_ops)->base;
	v[1].ix = &sized(CFS_UNION_BLOCKS_MAX, &fake_ops)->base;
	assert_int_equal(cfs_union_open(&ix, v, 2, 0, 0, NULL), CFS_OK);
	it = malloc(sizeof(*it));
	assert_non_null(it);
	cfs_iter_init(it);
	assert_int_equal(cfs_index_at(ix, (cfs_pos)2 << 43, it,
				      CFS_CTX(NULL, NULL)),
			 CFS_ENOTFOUND);
	free(it);
	cfs_index_close(ix);
}

/* A union has what all its members have. */
static void traits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct fake *f[2] = { fake_new(1, true), fake_new(1, true) };
		struct cfs_union_member v[2];
		struct cfs_index *ix;

		for (unsigned k = 0; k < 2; k++) {
			f[k]->base.is_ordered = (i >> k & 1) != 0;
			f[k]->base.has_status = (i >> k & 1) != 0;
			v[k] = (struct cfs_union_member){ &f[k]->base, "/p",
							  0, NULL };
		}
		assert_int_equal(cfs_union_open(&ix, v, 2, 0, 0, NULL),
				 CFS_OK);
		assert_int_equal(ix->is_ordered, i == 3);
		assert_int_equal(ix->has_status, i == 3);
		cfs_index_close(ix);
	}
}

UNIT_PROGRAM
{
	UNIT_ROWS(shapes, shape_case);
	UNIT_TEST(many_of_one_key);
	UNIT_TEST(failing_member);
	UNIT_TEST(remote_members);
	UNIT_TEST(refused);
	UNIT_TEST(traits);
	return unit_run("union");
}
