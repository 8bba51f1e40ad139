/* zipnum.c - a ZipNum cluster as an index.
 *
 * Spec: doc/formats.md, "ZipNum clusters".  cluster.idx has one line a gzip member of the
 * shards, in their order:
 *
 *     key SP time TAB shard TAB offset TAB length [TAB number] LF
 *
 * It is read and searched by stretches (stretch.h), never whole.  A block is
 * one member; its number is where its line is: the stretch in the upper 19
 * bits, the line in it in the lower 13.  (The number in the line, if there is
 * one, is not relied upon.)
 *
 * The entries of a key may begin in the member before the one whose line has
 * that key, so a search goes to the last line whose key is less.
 *
 * A damaged line keeps its place, as a block that cannot be read, so that what
 * it stands for is not taken to be missing.  The few whose keys are out of
 * order keep theirs too, with the key of the next line that is in order: a
 * search then finds the line before, and steps on into the block.  A search
 * for a key that such a line claims to have fails, because it may be the line
 * and not its key that is in the wrong place.
 *
 * Limits: STRETCHES_MAX stretches (32 GiB of cluster.idx), MEMBER_MAX bytes a
 * member, TEXT_MAX inflated.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zipnum.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "ahead.h"
#include "base/array.h"
#include "base/fileio.h"
#include "cdx.h"
#include "codec/gzip.h"
#include "net/location.h"
#include "net/open.h"
#include "search.h"
#include "stretch.h"

#define LINE_BITS 13u
#define LINES_MAX (1u << LINE_BITS)	/* a line has eight bytes at least */
#define STRETCHES_MAX (1u << (32 - LINE_BITS))
/* A member of 3,000 lines has 200 KB, or some megabytes of long URLs. */
#define MEMBER_MAX (64u << 20)
#define TEXT_MAX ((size_t)256 << 20)
#define SHARDS_MAX 128u			/* open at a time */
#define SHARD_COST ((size_t)1 << 20)	/* of a cache of SHARDS_MAX such */
/* Small members that follow each other are asked for in pieces of so much. */
#define JOIN_MAX (256u << 10)
#define LOC_MAX (16u << 20)		/* bytes of a .loc file */
#define PATH_BYTES_MAX 16384u

/* Lines of a stretch that may be out of order: one in so many. */
#define STRAY_PART 8u

/* A line out of order: the key that it has, and its number. */
struct stray {
	struct cfs_slice key;
	uint32_t number;
};

/* A stretch of cluster.idx.  A damaged line has no shard, and its offset in
 * cluster.idx in place of that in a shard. */
struct lines {
	uint32_t n;
	struct cfs_cluster_line *v;	/* keys ascending */
	uint32_t n_good;		/* that are not damaged */
	uint32_t n_strays;
	struct stray *strays;
	uint8_t *text;			/* malloced */
};

/* Greater than all keys: of lines that no good one follows. */
static const struct cfs_slice key_max = { (const uint8_t *)"\xff\xff\xff", 3 };

struct zipnum {
	struct cfs_cdx x;
	uint32_t stretches;
	struct cfs_search *search;
	struct cfs_lru *lines;		/* of struct lines, by stretch */
	struct cfs_lru *shards;		/* of struct cfs_source, by name */
	struct cfs_ahead ahead;
	struct cfs_opener opener;
	char *location;			/* of cluster.idx */
	char *folder;			/* of its shards; ends in '/' or is "" */
	pthread_mutex_t loc_lock;
	bool loc_read;			/* guarded by loc_lock */
	uint8_t *loc;			/* the .loc file; guarded by loc_lock */
	size_t loc_n;			/* guarded by loc_lock */
};

/* ---- cluster.idx ---- */

static void lines_free(void *obj)
{
	struct lines *l = obj;

	if (l == NULL)
		return;
	free(l->strays);
	free(l->v);
	free(l->text);
	free(l);
}

static bool is_damaged(const struct cfs_cluster_line *line)
{
	return line->shard.n == 0;
}

static int add_line(struct zipnum *z, struct lines *l, size_t *room,
		    struct cfs_slice text, uint64_t off, struct cfs_error *err)
{
	struct cfs_cluster_line line;
	int rc;

	if (text.n == 0 || (text.n == 1 && text.p[0] == '\r'))
		return CFS_OK;
	if (cfs_cluster_parse(text, &line) != CFS_OK ||
	    line.key.n > CFS_KEY_MAX) {
		atomic_fetch_add_explicit(&z->x.skipped, 1,
					  memory_order_relaxed);
		if (l->n > 0 && is_damaged(&l->v[l->n - 1]))
			return CFS_OK;		/* one place for all of them */
		line = (struct cfs_cluster_line){ .key = CFS_SLICE_EMPTY,
			.shard = CFS_SLICE_EMPTY, .offset = off };
	}
	rc = cfs_array_reserve((void **)&l->v, room, (size_t)l->n + 1,
			       sizeof(*l->v), LINES_MAX);
	if (rc != CFS_OK)
		return rc == CFS_ENOMEM ? cfs_error_nomem(err) :
		       cfs_error_at(err, rc, z->x.base.src->name, off,
				    "lines are too short");
	l->v[l->n++] = line;
	l->n_good += !is_damaged(&line);
	return CFS_OK;
}

/* The first good line whose key is less than that of one before it; n if there
 * is none. */
static uint32_t first_disorder(const struct lines *l)
{
	const struct cfs_slice *last = NULL;

	for (uint32_t i = 0; i < l->n; i++) {
		if (is_damaged(&l->v[i]))
			continue;
		if (last != NULL && cfs_slice_cmp(*last, l->v[i].key) > 0)
			return i;
		last = &l->v[i].key;
	}
	return l->n;
}

/* Marks the most lines that are in order among themselves, in `kept`.  ends[k]
 * is the line with the least key that ends a row of k + 1, before[i] the one
 * before line i in its row. */
static void mark_order(const struct lines *l, bool *kept, uint32_t *ends,
		       uint32_t *before)
{
	uint32_t n = 0, at;

	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t lo = 0, hi = n;

		kept[i] = false;
		if (is_damaged(&l->v[i]))
			continue;
		while (lo < hi) {	/* the first whose key is greater */
			uint32_t mid = lo + (hi - lo) / 2;

			if (cfs_slice_cmp(l->v[ends[mid]].key,
					  l->v[i].key) > 0)
				hi = mid;
			else
				lo = mid + 1;
		}
		before[i] = lo > 0 ? ends[lo - 1] : UINT32_MAX;
		ends[lo] = i;
		n += lo == n;
	}
	for (at = n > 0 ? ends[n - 1] : UINT32_MAX; at != UINT32_MAX;
	     at = before[at])
		kept[at] = true;
}

/* Takes the lines that are out of order for strays. */
static int find_strays(struct zipnum *z, struct lines *l, uint64_t off,
		       struct cfs_error *err)
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
		if (is_damaged(&l->v[i]) || kept[i])
			continue;
		if (n < l->n / STRAY_PART + 1)
			l->strays[n] = (struct stray){ l->v[i].key, i };
		n++;
		l->v[i].key.n = 0;	/* set_keys finds another */
	}
	l->n_strays = n;
	free(room);
	free(kept);
	if (n > l->n / STRAY_PART + 1)
		return cfs_error_at(err, CFS_EFORMAT, z->x.base.src->name, off,
				    "lines are not in order");
	atomic_fetch_add_explicit(&z->x.skipped, n, memory_order_relaxed);
	return CFS_OK;
}

/* Gives lines without a key of use that of the next which has one. */
static void set_keys(struct lines *l)
{
	struct cfs_slice next = key_max;

	for (uint32_t i = l->n; i-- > 0;)
		if (l->v[i].key.n == 0)
			l->v[i].key = next;
		else
			next = l->v[i].key;
}

static int put_in_order(struct zipnum *z, struct lines *l,
			const struct cfs_stretch *s, struct cfs_error *err)
{
	uint32_t at = first_disorder(l);
	int rc = CFS_OK;

	if (at < l->n)
		rc = find_strays(z, l, s->file_off + (uint64_t)
				 (l->v[at].key.p - (s->bytes + s->from)), err);
	if (rc == CFS_OK)
		set_keys(l);
	return rc;
}

static int lines_load(void *arg, struct cfs_lru_key key, void **obj,
		      size_t *obj_bytes, const struct cfs_cancel *cancel,
		      struct cfs_error *err)
{
	struct zipnum *z = arg;
	struct lines *l = calloc(1, sizeof(*l));
	struct cfs_slice rest, line;
	struct cfs_stretch s;
	size_t room = 0;
	int rc;

	if (l == NULL)
		return cfs_error_nomem(err);
	rc = cfs_stretch_read(z->x.base.src, key.a, &s, cancel, err);
	l->text = s.bytes;
	rest = rc == CFS_OK ? cfs_slice_of(s.bytes + s.from, s.n) :
			      CFS_SLICE_EMPTY;
	while (rc == CFS_OK && cfs_line_take(&rest, &line))
		rc = add_line(z, l, &room, line, s.file_off + (uint64_t)
			      (line.p - (s.bytes + s.from)), err);
	if (rc == CFS_OK && s.cut)	/* and one that is far too long */
		rc = add_line(z, l, &room, CFS_SLICE_LIT("?"),
			      s.file_off + s.n, err);
	if (rc == CFS_OK)
		rc = put_in_order(z, l, &s, err);
	if (rc != CFS_OK) {
		lines_free(l);
		return rc;
	}
	*obj = l;
	*obj_bytes = sizeof(*l) + s.from + s.n + room * sizeof(*l->v) +
		     l->n_strays * sizeof(*l->strays);
	return CFS_OK;
}

static int get_lines(struct zipnum *z, uint32_t stretch,
		     struct cfs_lru_ref **ref, const struct lines **out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc = cfs_lru_get(z->lines, CFS_LRU_KEY(stretch, 0),
			     lines_load, z, ref, cancel, err);

	*out = rc == CFS_OK ? cfs_lru_obj(*ref) : NULL;
	return rc;
}

static int first_key(void *arg, uint32_t stretch, struct cfs_buf *key,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_lru_ref *ref;
	const struct lines *l;
	int rc = get_lines(arg, stretch, &ref, &l, cancel, err);

	if (rc != CFS_OK)
		return rc;
	if (l->n_good == 0)
		rc = CFS_END;
	else
		cfs_buf_add(key, l->v[0].key);
	cfs_lru_put(ref);
	return rc;
}

/* Might a line that is out of order have what is looked for?  Not if its key
 * is greater, or that of line `at` is between them. */
static int check_strays(const struct zipnum *z, const struct lines *l,
			uint32_t at, struct cfs_slice key,
			struct cfs_error *err)
{
	for (uint32_t i = 0; i < l->n_strays; i++) {
		const struct stray *s = &l->strays[i];

		if (cfs_slice_cmp(s->key, key) > 0 ||
		    cfs_slice_cmp(l->v[at].key, s->key) > 0 ||
		    cfs_slice_cmp(l->v[at].key, key) >= 0)
			continue;
		return cfs_error_at(err, CFS_EFORMAT, z->x.base.src->name, 0,
			"line of '%.*s' is out of order",
			(int)(s->key.n < 60 ? s->key.n : 60),
			(const char *)s->key.p);
	}
	return CFS_OK;
}

static int zipnum_find(struct cfs_cdx *x, struct cfs_slice key, uint32_t *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct zipnum *z = (struct zipnum *)x;
	struct cfs_lru_ref *ref;
	const struct lines *l;
	uint32_t stretch = 0, lo = 0, hi;
	int rc = CFS_OK;

	if (key.n > 0)
		rc = cfs_search_find(z->search, key, first_key, z, &stretch,
				     cancel, err);
	if (rc == CFS_OK)
		rc = get_lines(z, stretch, &ref, &l, cancel, err);
	if (rc != CFS_OK)
		return rc;
	for (hi = l->n; lo < hi;) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (cfs_slice_cmp(l->v[mid].key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	lo -= lo > 0;
	*out = stretch << LINE_BITS | lo;
	hi = l->n;
	if (hi > 0)
		rc = check_strays(z, l, lo, key, err);
	cfs_lru_put(ref);
	if (rc != CFS_OK)
		return rc;
	if (hi == 0)		/* stretch 0 has no line: where do they begin? */
		return x->layout->following(x, *out, out, cancel, err);
	return CFS_OK;
}

static int zipnum_following(struct cfs_cdx *x, uint32_t number, uint32_t *out,
			    const struct cfs_cancel *cancel,
			    struct cfs_error *err)
{
	struct zipnum *z = (struct zipnum *)x;
	uint32_t stretch = number >> LINE_BITS;
	uint32_t line = (number & (LINES_MAX - 1)) + 1;

	for (; stretch < z->stretches; stretch++, line = 0) {
		struct cfs_lru_ref *ref;
		const struct lines *l;
		uint32_t n;
		int rc;

		if (cfs_cancelled(cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = get_lines(z, stretch, &ref, &l, cancel, err);
		if (rc != CFS_OK)
			return rc;
		n = l->n;
		cfs_lru_put(ref);
		if (line < n) {
			*out = stretch << LINE_BITS | line;
			return CFS_OK;
		}
	}
	return CFS_END;
}

/* ---- shards ---- */

/* Reads the .loc file, which is cluster.idx's name with another ending.  It
 * need not exist. */
static int read_loc(struct zipnum *z, const struct cfs_cancel *cancel,
		    struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	struct cfs_slice name = cfs_slice_str(z->location);
	ptrdiff_t point = cfs_slice_rfind(name, '.');
	struct cfs_buf path;
	int rc;

	if (z->loc_read)
		return CFS_OK;
	cfs_buf_init(&path, PATH_BYTES_MAX);
	if (point > cfs_slice_rfind(name, '/'))
		name.n = (size_t)point;
	cfs_buf_add(&path, name);
	cfs_buf_adds(&path, ".loc");
	rc = z->opener.open(z->opener.arg, cfs_buf_str(&path), &src, cancel,
			    &e);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, cancel, &e);
	if (rc == CFS_OK && src->size > LOC_MAX)
		rc = cfs_error_at(&e, CFS_ELIMIT, src->name, 0, "is too large");
	if (rc == CFS_OK) {
		z->loc_n = (size_t)src->size;
		z->loc = malloc(z->loc_n + 1);
		rc = z->loc == NULL ? cfs_error_nomem(&e) :
		     cfs_source_read(src, z->loc, z->loc_n, 0, cancel, &e);
	}
	cfs_source_close(src);
	cfs_buf_release(&path);
	z->loc_read = rc == CFS_OK || rc == CFS_ENOTFOUND;
	if (z->loc_read)
		return CFS_OK;
	free(z->loc);
	z->loc = NULL;
	return cfs_error_copy(err, &e);
}

/* A remote file is opened without a request: asks whether it is there. */
static int make_sure(struct cfs_source **src, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	int rc = CFS_OK;

	if ((*src)->size == CFS_SIZE_UNKNOWN)
		rc = cfs_source_find_size(*src, cancel, err);
	if (rc != CFS_OK) {
		cfs_source_close(*src);
		*src = NULL;
	}
	return rc;
}

/* Opens a name below the folder of cluster.idx. */
static int open_beside(struct zipnum *z, struct cfs_slice name, bool sure,
		       struct cfs_source **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	struct cfs_buf path;
	int rc;

	if (!cfs_name_stays_below(name))
		return cfs_error_at(err, CFS_ENOTFOUND, z->location, 0,
				    "shard '%.*s' is not below its folder",
				    (int)(name.n < 80 ? name.n : 80),
				    (const char *)name.p);
	cfs_buf_init(&path, PATH_BYTES_MAX);
	cfs_location_join(&path, z->folder, name);
	rc = path.failed != CFS_OK ?
	     cfs_error_set(err, path.failed, "name of a shard is too long") :
	     z->opener.open(z->opener.arg, cfs_buf_str(&path), out, cancel,
			    err);
	cfs_buf_release(&path);
	return rc == CFS_OK && sure ? make_sure(out, cancel, err) : rc;
}

/* The places that .loc gives for a shard, one after the other. */
static int open_by_loc(struct zipnum *z, struct cfs_slice shard,
		       struct cfs_source **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	struct cfs_slice rest, line;
	int rc;

	pthread_mutex_lock(&z->loc_lock);
	rc = read_loc(z, cancel, err);
	rest = cfs_slice_of(z->loc, z->loc != NULL ? z->loc_n : 0);
	pthread_mutex_unlock(&z->loc_lock);	/* it stays as it is now */
	if (rc != CFS_OK)
		return rc;
	rc = CFS_ENOTFOUND;
	while (rc == CFS_ENOTFOUND && cfs_line_take(&rest, &line)) {
		ptrdiff_t tab = cfs_slice_find(line, '\t');

		line = cfs_slice_trim(line);
		if (tab < 0 ||
		    !cfs_slice_eq(cfs_slice_sub(line, 0, (size_t)tab), shard))
			continue;
		line = cfs_slice_from(line, (size_t)tab + 1);
		while (rc == CFS_ENOTFOUND && line.n > 0) {
			tab = cfs_slice_find(line, '\t');
			rc = open_beside(z, cfs_slice_sub(line, 0, tab < 0 ?
					 line.n : (size_t)tab), true, out,
					 cancel, NULL);
			line = tab < 0 ? CFS_SLICE_EMPTY :
			       cfs_slice_from(line, (size_t)tab + 1);
		}
	}
	return rc;
}

static void shard_free(void *obj)
{
	cfs_source_close(obj);
}

struct shard_request {
	struct zipnum *z;
	struct cfs_slice name;
};

/* A name of a file, as Common Crawl has them: it will be one. */
static bool is_file_name(struct cfs_slice shard)
{
	return cfs_slice_ends(shard, CFS_SLICE_LIT(".gz"));
}

static int shard_load(void *arg, struct cfs_lru_key key, void **obj,
		      size_t *obj_bytes, const struct cfs_cancel *cancel,
		      struct cfs_error *err)
{
	struct shard_request *q = arg;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	int rc = open_beside(q->z, q->name, !is_file_name(q->name), &src,
			     cancel, &e);

	(void)key;
	if (rc == CFS_ENOTFOUND) {
		rc = open_by_loc(q->z, q->name, &src, cancel, err);
		if (rc == CFS_ENOTFOUND) {
			/* not "no such entry": the index is not whole */
			cfs_error_at(err, CFS_EFORMAT, e.where, 0, "%s",
				     e.text);
			rc = CFS_EFORMAT;
		}
	} else if (rc != CFS_OK) {
		cfs_error_copy(err, &e);
	}
	if (rc == CFS_OK)
		src->must_exist = true;	/* cluster.idx says so */
	*obj = src;
	*obj_bytes = SHARD_COST;
	return rc;
}

/* Reads and inflates a member. */
static int read_member(struct cfs_source *src,
		       const struct cfs_cluster_line *line,
		       struct cfs_cdx_text_in *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_buf text;
	uint8_t *in;
	int rc;

	snprintf(out->where, sizeof(out->where), "%s", src->name);
	out->where_off = line->offset;
	if (line->length > MEMBER_MAX)
		return cfs_error_at(err, CFS_ELIMIT, src->name, line->offset,
				    "block of %" PRIu64 " bytes", line->length);
	in = malloc((size_t)line->length);
	if (in == NULL)
		return cfs_error_nomem(err);
	rc = cfs_source_read(src, in, (size_t)line->length, line->offset,
			     cancel, err);
	if (rc == CFS_OK) {
		cfs_buf_init(&text, TEXT_MAX);
		rc = cfs_gz_members(cfs_slice_of(in, (size_t)line->length),
				    &text, cancel, err);
		cfs_error_where(err, src->name, line->offset);
		out->p = text.p;	/* the caller's, also on failure */
		out->n = text.n;
	}
	free(in);
	return rc;
}

/* The line of a block; its slices borrow from *ref. */
static int line_of(struct zipnum *z, uint32_t number, struct cfs_lru_ref **ref,
		   struct cfs_cluster_line *out,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	uint32_t stretch = number >> LINE_BITS, i = number & (LINES_MAX - 1);
	const struct lines *l;
	int rc;

	if (stretch >= z->stretches)
		return CFS_ENOTFOUND;
	rc = get_lines(z, stretch, ref, &l, cancel, err);
	if (rc != CFS_OK)
		return rc;
	if (i >= l->n) {
		cfs_lru_put(*ref);
		return CFS_ENOTFOUND;
	}
	*out = l->v[i];
	return CFS_OK;
}

/* A shard that can be had without a request, or NULL. */
static struct cfs_lru_ref *shard_at_hand(struct zipnum *z,
					 struct cfs_slice name)
{
	struct shard_request q = { z, name };
	struct cfs_lru_ref *ref = cfs_lru_peek(z->shards, CFS_LRU_NAME(name));

	if (ref == NULL && is_file_name(name) &&
	    cfs_lru_get(z->shards, CFS_LRU_NAME(name), shard_load, &q, &ref, NULL,
			NULL) != CFS_OK)
		return NULL;
	return ref;
}

/* Lines that are one piece of a shard, from l->v[i] on; returns the number of
 * the first one after them. */
static uint32_t prefetch_piece(struct zipnum *z, const struct lines *l,
			       uint32_t i, uint32_t end)
{
	const struct cfs_cluster_line *first = &l->v[i];
	uint64_t n = first->length;
	struct cfs_lru_ref *shard;

	for (i++; i < end && n < JOIN_MAX &&
	     l->v[i].offset == first->offset + n &&
	     l->v[i].length <= JOIN_MAX - n &&
	     cfs_slice_eq(l->v[i].shard, first->shard); i++)
		n += l->v[i].length;
	shard = shard_at_hand(z, first->shard);
	if (shard != NULL && n <= MEMBER_MAX)
		cfs_source_prefetch(cfs_lru_obj(shard), first->offset,
				    (size_t)n);
	cfs_lru_put(shard);
	return i;
}

/* A hint at the n blocks from `number` on.  Where their lines are not known
 * yet, these are what is wanted. */
static void prefetch_blocks(struct zipnum *z, uint32_t number, unsigned n)
{
	uint32_t stretch = number >> LINE_BITS, i = number & (LINES_MAX - 1);

	for (; n > 0 && stretch < z->stretches; stretch++, i = 0) {
		struct cfs_lru_ref *ref = cfs_lru_peek(z->lines,
				CFS_LRU_KEY(stretch, 0));
		const struct lines *l;
		uint32_t end;

		if (ref == NULL) {
			cfs_source_prefetch(z->x.base.src, (uint64_t)stretch *
					    CFS_STRETCH_BYTES,
					    CFS_STRETCH_READ_BYTES);
			return;
		}
		l = cfs_lru_obj(ref);
		end = i < l->n && n < l->n - i ? i + n : l->n;
		n -= i < end ? end - i : 0;
		while (i < end)
			i = prefetch_piece(z, l, i, end);
		cfs_lru_put(ref);
	}
}

/* The block after `number` as its line is numbered, if this is the last line
 * of its stretch, too. */
static uint32_t number_after(const struct lines *l, uint32_t number)
{
	return (number & (LINES_MAX - 1)) + 1 < l->n ? number + 1 :
	       ((number >> LINE_BITS) + 1) << LINE_BITS;
}

/* A listing goes from block to block. */
static void members_ahead(struct zipnum *z, uint32_t number,
			  const struct lines *l, const struct cfs_source *shard)
{
	uint32_t next = number_after(l, number);
	unsigned n = shard->is_local ? 0 :
		     cfs_ahead_blocks(&z->ahead, number, next);

	if (n > 0)
		prefetch_blocks(z, next, n);
}

static int zipnum_read(struct cfs_cdx *x, uint32_t number,
		       struct cfs_cdx_text_in *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct zipnum *z = (struct zipnum *)x;
	struct cfs_cluster_line line;
	struct cfs_lru_ref *ref, *shard;
	struct shard_request q = { z, CFS_SLICE_EMPTY };
	int rc = line_of(z, number, &ref, &line, cancel, err);

	if (rc != CFS_OK)
		return rc;
	if (is_damaged(&line)) {
		cfs_lru_put(ref);
		return cfs_error_at(err, CFS_EFORMAT, x->base.src->name,
				    line.offset, "not a line of a cluster.idx: "
				    "captures between its neighbours cannot be "
				    "read");
	}
	q.name = line.shard;
	rc = cfs_lru_get(z->shards, CFS_LRU_NAME(line.shard), shard_load, &q,
			 &shard, cancel, err);
	if (rc == CFS_OK) {
		members_ahead(z, number, cfs_lru_obj(ref), cfs_lru_obj(shard));
		rc = read_member(cfs_lru_obj(shard), &line, out, cancel, err);
		cfs_lru_put(shard);
	}
	cfs_lru_put(ref);
	return rc;
}

static void zipnum_hint(struct cfs_cdx *x, uint32_t number)
{
	if (!x->base.src->is_local)
		prefetch_blocks((struct zipnum *)x, number + 1, 1);
}

static uint64_t zipnum_blocks(struct cfs_cdx *x)
{
	(void)x;
	return 0;		/* not known without reading all lines */
}

static void zipnum_close(struct cfs_cdx *x)
{
	struct zipnum *z = (struct zipnum *)x;

	cfs_lru_free(z->lines);
	cfs_lru_free(z->shards);
	cfs_search_free(z->search);
	pthread_mutex_destroy(&z->loc_lock);
	free(z->loc);
	free(z->location);
	free(z->folder);
}

static const struct cfs_cdx_layout zipnum_layout = {
	.find = zipnum_find, .following = zipnum_following,
	.read = zipnum_read, .hint = zipnum_hint, .blocks = zipnum_blocks,
	.close = zipnum_close,
};

/* ---- opening ---- */

static int open_any(void *arg, const char *location, struct cfs_source **out,
		    const struct cfs_cancel *cancel, struct cfs_error *err)
{
	(void)arg;
	(void)cancel;
	return cfs_location_open(out, location, err);
}

static int open_cluster(struct zipnum *z, const struct cfs_index_opts *opts,
			struct cfs_error *err)
{
	struct cfs_source *src = z->x.base.src;
	uint64_t n;
	int rc = cfs_source_find_size(src, opts->cancel, err);

	if (rc != CFS_OK)
		return rc;
	n = cfs_stretch_count(src->size);
	if (n > STRETCHES_MAX)
		return cfs_error_at(err, CFS_ELIMIT, src->name, 0,
				    "is too large for a cluster.idx");
	z->stretches = (uint32_t)n;
	z->opener = (struct cfs_opener){ open_any, NULL };
	if (opts->opener != NULL)
		z->opener = *opts->opener;
	z->location = strdup(opts->location != NULL ? opts->location :
						      src->name);
	z->search = cfs_search_new(z->stretches);
	/* a quarter of the blocks' memory: most of a large cluster.idx */
	z->lines = cfs_lru_new(opts->block_cache_bytes / 4, lines_free);
	z->shards = cfs_lru_new(SHARDS_MAX * SHARD_COST, shard_free);
	if (z->location != NULL) {
		struct cfs_slice folder = cfs_slice_str(z->location);

		folder.n = (size_t)(cfs_slice_rfind(folder, '/') + 1);
		if (cfs_location_is_url(z->location))
			folder = cfs_location_folder(z->location);
		z->folder = strndup((const char *)folder.p, folder.n);
	}
	if (z->folder == NULL || z->search == NULL || z->lines == NULL ||
	    z->shards == NULL)
		return cfs_error_nomem(err);
	return CFS_OK;
}

int cfs_zipnum_open(struct cfs_index **out, struct cfs_source *src,
		    const struct cfs_index_opts *opts, struct cfs_error *err)
{
	struct zipnum *z = calloc(1, sizeof(*z));
	int rc;

	*out = NULL;
	if (z == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(err);
	}
	pthread_mutex_init(&z->loc_lock, NULL);
	rc = cfs_cdx_init(&z->x, src, "ZipNum", &zipnum_layout,
			  opts->block_cache_bytes / 4 * 3, err);
	if (rc == CFS_OK)
		rc = open_cluster(z, opts, err);
	if (rc != CFS_OK) {
		cfs_cdx_close(&z->x.base);
		return rc;
	}
	*out = &z->x.base;
	return CFS_OK;
}
