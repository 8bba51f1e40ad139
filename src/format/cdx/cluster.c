/* cluster.c - reads lines of a cluster.idx and puts them in order.
 *
 * A damaged line keeps its place, as a block that cannot be read, so that the
 * captures it stands for are not taken to be missing.  The few lines whose keys
 * are out of order ("strays") keep theirs too, with the key of the next line
 * that is in order: a search then finds the line before, and steps on into the
 * block.  A search for a key that a stray claims to have fails, because perhaps
 * the line is in the wrong place, and not the key.
 */
#include "zipnum_internal.h"

#include <stdlib.h>

#include "base/array.h"
#include "stretch.h"
#include "url/path.h"

/* At most one in so many lines of a stretch may be out of order. */
#define STRAY_PART 8u

/* Greater than all keys: the key of lines that no good line follows. */
static const struct cfs_slice key_max = { (const uint8_t *)"\xff\xff\xff", 3 };

void cfs_cluster_free(void *obj)
{
	struct cfs_cluster_lines *l = obj;

	if (l == NULL)
		return;
	free(l->strays);
	free(l->v);
	free(l->text);
	free(l);
}

bool cfs_cluster_is_damaged(const struct cfs_cluster_line *line)
{
	return line->shard.n == 0;
}

bool cfs_cluster_has_key(const struct cfs_cluster_line *line)
{
	return line->key.p != key_max.p;
}

static int cluster_add_line(struct cfs_cluster_lines *l, size_t *room,
			    struct cfs_slice text, const char *where,
			    uint64_t off, struct cfs_error *err)
{
	struct cfs_cluster_line line;
	int rc;

	if (text.n == 0 || (text.n == 1 && text.p[0] == '\r'))
		return CFS_OK;
	if (cfs_cluster_parse(text, &line) != CFS_OK ||
	    line.key.n > CFS_KEY_MAX) {
		l->skipped++;
		if (l->n > 0 && cfs_cluster_is_damaged(&l->v[l->n - 1]))
			return CFS_OK;		/* one place for the group */
		line = (struct cfs_cluster_line){ .key = CFS_SLICE_EMPTY,
			.shard = CFS_SLICE_EMPTY, .offset = off };
	}
	rc = cfs_array_reserve((void **)&l->v, room, (size_t)l->n + 1,
			       sizeof(*l->v), CFS_CLUSTER_LINES_MAX);
	if (rc != CFS_OK)
		return rc == CFS_ENOMEM ? cfs_error_nomem(err) :
		       cfs_error_at(err, rc, where, off, "lines are too short");
	l->v[l->n++] = line;
	l->n_good += !cfs_cluster_is_damaged(&line);
	return CFS_OK;
}

/* The first good line whose key is less than that of the good line before it;
 * n if there is none. */
static uint32_t first_disorder(const struct cfs_cluster_lines *l)
{
	const struct cfs_slice *last = NULL;

	for (uint32_t i = 0; i < l->n; i++) {
		if (cfs_cluster_is_damaged(&l->v[i]))
			continue;
		if (last != NULL && cfs_slice_cmp(*last, l->v[i].key) > 0)
			return i;
		last = &l->v[i].key;
	}
	return l->n;
}

/* Marks in `kept` a longest subsequence of lines in order.  ends[k] is the line
 * with the least key at which a row of k + 1 lines ends, before[i] the line
 * before line i in its row. */
static void mark_order(const struct cfs_cluster_lines *l, bool *kept,
		       uint32_t *ends, uint32_t *before)
{
	uint32_t n = 0, at;

	for (uint32_t i = 0; i < l->n; i++) {
		struct cfs_slice key = l->v[i].key;
		uint32_t row = 0;	/* first one with a greater key */

		kept[i] = false;
		if (cfs_cluster_is_damaged(&l->v[i]))
			continue;
		CFS_LOWER_BOUND(row, n, k,
				cfs_slice_cmp(l->v[ends[k]].key, key) <= 0);
		before[i] = row > 0 ? ends[row - 1] : UINT32_MAX;
		ends[row] = i;
		n += row == n;
	}
	for (at = n > 0 ? ends[n - 1] : UINT32_MAX; at != UINT32_MAX;
	     at = before[at])
		kept[at] = true;
}

/* Makes strays of the lines that are out of order. */
static int find_strays(struct cfs_cluster_lines *l, const char *where,
		       uint64_t off, struct cfs_error *err)
{
	uint32_t *room = malloc(2 * (size_t)l->n * sizeof(*room));
	bool *kept = malloc(l->n * sizeof(*kept));
	uint32_t n = 0;

	l->strays = malloc((l->n / STRAY_PART + 1) * sizeof(*l->strays));
	if (room == NULL || kept == NULL || l->strays == NULL) {
		free(room);
		free(kept);
		return cfs_error_nomem(err);
	}
	mark_order(l, kept, room, room + l->n);
	for (uint32_t i = 0; i < l->n; i++) {
		if (cfs_cluster_is_damaged(&l->v[i]) || kept[i])
			continue;
		if (n < l->n / STRAY_PART + 1)
			l->strays[n] =
				(struct cfs_cluster_stray){ l->v[i].key, i };
		n++;
		l->v[i].key.n = 0;	/* set_keys gives it another */
	}
	l->n_strays = n;
	free(room);
	free(kept);
	if (n > l->n / STRAY_PART + 1)
		return cfs_error_at(err, CFS_EFORMAT, where, off,
				    "lines are not in order");
	l->skipped += n;
	return CFS_OK;
}

/* Gives lines without a usable key that of the next line which has one. */
static void set_keys(struct cfs_cluster_lines *l)
{
	struct cfs_slice next = key_max;

	for (uint32_t i = l->n; i-- > 0;)
		if (l->v[i].key.n == 0)
			l->v[i].key = next;
		else
			next = l->v[i].key;
}

static int put_in_order(struct cfs_cluster_lines *l,
			const struct cfs_stretch *s, const char *where,
			struct cfs_error *err)
{
	uint32_t at = first_disorder(l);
	int rc = CFS_OK;

	if (at < l->n)
		rc = find_strays(l, where, s->file_off + (uint64_t)
				 (l->v[at].key.p - (s->bytes + s->from)), err);
	if (rc == CFS_OK)
		set_keys(l);
	return rc;
}

/* If a length reaches into the next member of the shard, it is wrong, or the
 * offset of that is: what lies before it is to be read first. */
static void bound_lengths(struct cfs_cluster_lines *l)
{
	for (uint32_t i = 0; i + 1 < l->n; i++) {
		struct cfs_cluster_line *line = &l->v[i], *next = line + 1;

		if (cfs_cluster_is_damaged(line) ||
		    !cfs_slice_eq(line->shard, next->shard) ||
		    next->offset <= line->offset ||
		    line->length <= next->offset - line->offset)
			continue;
		line->stated = line->length;
		line->length = next->offset - line->offset;
	}
}

int cfs_cluster_load(struct cfs_source *src, uint64_t number,
		     struct cfs_cluster_lines **out, size_t *bytes,
		     struct cfs_ctx ctx)
{
	struct cfs_cluster_lines *l = calloc(1, sizeof(*l));
	const char *where = src->name;
	struct cfs_slice rest, line;
	struct cfs_stretch s;
	size_t room = 0;
	int rc;

	if (l == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_stretch_read(src, number, &s, ctx);
	l->text = s.bytes;
	rest = rc == CFS_OK ? cfs_slice_of(s.bytes + s.from, s.n) :
			      CFS_SLICE_EMPTY;
	while (rc == CFS_OK && cfs_line_take(&rest, &line))
		rc = cluster_add_line(l, &room, line, where,
				      s.file_off +
					      (uint64_t)(line.p -
							 (s.bytes + s.from)),
				      ctx.err);
	if (rc == CFS_OK && s.cut)	/* an overlong line: damaged */
		rc = cluster_add_line(l, &room, CFS_SLICE_LIT("?"), where,
				      s.file_off + s.n, ctx.err);
	if (rc == CFS_OK)
		rc = put_in_order(l, &s, where, ctx.err);
	if (rc != CFS_OK) {
		cfs_cluster_free(l);
		return rc;
	}
	bound_lengths(l);
	*out = l;
	*bytes = sizeof(*l) + s.from + s.n + room * sizeof(*l->v) +
		 l->n_strays * sizeof(*l->strays);
	return CFS_OK;
}

uint32_t cfs_cluster_find(const struct cfs_cluster_lines *l,
			  struct cfs_slice key)
{
	uint32_t at = 0;

	CFS_LOWER_BOUND(at, l->n, i, cfs_slice_cmp(l->v[i].key, key) < 0);
	return at - (at > 0);
}

int cfs_cluster_check_strays(const struct cfs_cluster_lines *l, uint32_t at,
			     struct cfs_slice key, const char *where,
			     struct cfs_error *err)
{
	for (uint32_t i = 0; i < l->n_strays; i++) {
		const struct cfs_cluster_stray *s = &l->strays[i];

		if (cfs_slice_cmp(s->key, key) > 0 ||
		    cfs_slice_cmp(l->v[at].key, s->key) > 0 ||
		    cfs_slice_cmp(l->v[at].key, key) >= 0)
			continue;
		return cfs_error_at(err, CFS_EFORMAT, where, 0,
			"line of '%.*s' is out of order",
			(int)(s->key.n < 60 ? s->key.n : 60),
			(const char *)s->key.p);
	}
	return CFS_OK;
}
