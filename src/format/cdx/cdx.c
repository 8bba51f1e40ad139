/* cdx.c - an index of sorted lines: what plain CDX files and ZipNum share.
 *
 * A block is text of whole lines.  The lines that are captures are its entries;
 * others are counted as skipped, and the first one found is reported; walks may
 * tell each of them (cfs_index_lost).  Slots count entries, so a position is
 * valid as long as the file is unchanged.
 *
 * Adjacent lines that name the same record (cdx_is_same()) are one capture, the
 * first of them, as in an index that is built from the lines
 * (join/entries.c).  Its repeats have slots, but iterators step over
 * them.  A search need not, since it ends at the first entry of a key.
 *
 * An archive is known by two numbers, one for its folder and one for its base
 * name, because crawls have few folders, and names that repeat.
 *
 * Limits: CFS_SLOTS_MAX entries a block, NAMES_MAX bytes of names.
 * Elsewhere: lines (cdx_line.c), keys (surt.c), places of blocks (cdx_file.c,
 * zipnum.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/mime.h"
#include "index/conditions.h"
#include "index/surt_ports.h"
#include "url/surt.h"

/* A crawl has some 100,000 names of 60 bytes. */
#define NAMES_MAX ((size_t)64 << 20)
/* Blocks that a search may step through because lines of a cluster.idx are out
 * of order; more than that is damage. */
#define LATE_BLOCKS_MAX 8u

/* ---- blocks ---- */

static void cdx_block_free(void *obj)
{
	struct cfs_cdx_block *b = obj;

	if (b == NULL)
		return;
	cfs_buf_release(&b->keys);
	free(b->v);
	free(b->lost);
	free(b->where);
	free(b->text);
	free(b);
}

/* The offset of a byte of the text in its file, or of the member it is from. */
static uint64_t cdx_file_off(const struct cfs_cdx_text_in *in, size_t off)
{
	return in->where_off + (in->is_plain ? off - in->from : 0);
}

/* A block whose lines are looked at. */
struct block_parsing {
	struct cfs_cdx *x;
	struct cfs_cdx_block *b;
	const struct cfs_cdx_text_in *in;
	size_t room, lost_room;
	uint32_t line;			/* lines so far */
	uint32_t slot;			/* of the last entry that is no
					 * repeat; lines from */
	uint32_t pending;		/* on may be beside the next one */
	struct cfs_cdx_line last;	/* of the last entry */
	struct cfs_error *err;
};

/* Keeps a line that is left out; logs the reason for the first one.  Beyond
 * CFS_SLOTS_MAX, it counts only. */
static int cdx_skip_line(struct block_parsing *p, size_t off, const char *why)
{
	const struct cfs_cdx_text_in *in = p->in;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_cdx_block *b = p->b;
	int rc;

	atomic_fetch_add_explicit(&p->x->base.skipped, 1, memory_order_relaxed);
	if (!atomic_exchange(&p->x->reported, true)) {
		cfs_error_at(&e, CFS_EFORMAT, in->where, cdx_file_off(in, off),
			     "%s; lines like this are left out", why);
		cfs_log_error(CFS_LOG_WARNING, &e);
	}
	if (b->where == NULL && (b->where = strdup(in->where)) == NULL)
		return CFS_ENOMEM;
	rc = cfs_array_reserve((void **)&b->lost, &p->lost_room,
			       (size_t)b->n_lost + 1, sizeof(*b->lost),
			       CFS_SLOTS_MAX);
	if (rc == CFS_OK)
		b->lost[b->n_lost++] = (struct cfs_cdx_lost){
			cdx_file_off(in, off), in->is_plain ? 0 : p->line,
			p->slot, (uint32_t)off, why };
	return rc == CFS_ELIMIT ? CFS_OK : rc;
}

/* The key of a line, as bytes that do not move: one with escapes is decoded
 * into b->keys, which has room for it. */
static struct cfs_slice cdx_key_of(struct cfs_cdx_block *b,
				   const struct cfs_cdx_line *line)
{
	size_t from = b->keys.n;

	if (!line->key.escaped)
		return line->key.s;
	cfs_json_add_text(&b->keys, line->key);
	return cfs_slice_of(b->keys.p + from, b->keys.n - from);
}

/* Finds which lines behind the last entry are beside a new one instead: from
 * the first on that has more in common with its key. */
static void choose_sides(struct block_parsing *p, const struct cfs_cdx_entry *e)
{
	struct cfs_slice all = cfs_slice_of(p->in->p, p->in->from + p->in->n);
	struct cfs_cdx_block *b = p->b;
	bool is_next = false;

	for (; p->pending < b->n_lost; p->pending++) {
		struct cfs_cdx_lost *l = &b->lost[p->pending];
		struct cfs_slice text = cfs_slice_from(all, l->at);

		is_next = is_next || b->n == 0 ||
			  cfs_slice_common(text, e->key) >
			  cfs_slice_common(text, b->v[p->slot].key);
		if (is_next)
			l->slot = b->n;
	}
	p->slot = b->n;
}

static int cdx_add_entry(struct block_parsing *p, struct cfs_cdx_entry entry)
{
	struct cfs_cdx_block *b = p->b;
	int rc = cfs_array_reserve((void **)&b->v, &p->room, (size_t)b->n + 1,
				   sizeof(*b->v), CFS_SLOTS_MAX);

	if (rc == CFS_ELIMIT)
		return cfs_error_at(p->err, rc, p->in->where,
				    cdx_file_off(p->in, entry.off),
				    "more than %u lines in a block",
				    CFS_SLOTS_MAX);
	if (rc == CFS_OK && !entry.is_repeat)
		choose_sides(p, &entry);
	if (rc == CFS_OK)
		b->v[b->n++] = entry;
	return rc;
}

/* Checks an escaped name, which must be decoded for that. */
static int check_name(const struct cfs_cdx_line *line, const char **why)
{
	CFS_BUF(buf, CFS_CDX_NAME_MAX);
	int rc = CFS_OK;

	if (cfs_cdx_name(line, &buf).n == 0) {
		rc = buf.failed == CFS_ENOMEM ? CFS_ENOMEM : CFS_EFORMAT;
		*why = "the archive's name is not usable";
	}
	return rc;
}

static bool is_same_name(const struct cfs_cdx_line *a,
			 const struct cfs_cdx_line *b)
{
	CFS_BUF(b_buf, CFS_CDX_NAME_MAX);
	CFS_BUF(a_buf, CFS_CDX_NAME_MAX);
	struct cfs_slice name;

	name = cfs_cdx_name(a, &a_buf);
	return name.n > 0 && cfs_slice_eq(name, cfs_cdx_name(b, &b_buf));
}

/* True if two lines with equal keys name the same record. */
static bool cdx_is_same(const struct cfs_cdx_line *a,
			const struct cfs_cdx_line *b)
{
	return a->offset == b->offset && a->time == b->time &&
	       a->length == b->length && is_same_name(a, b);
}

/* The same for two lines as text, whose keys may differ. */
static bool is_same_text(const struct cfs_cdx *x, struct cfs_slice a_key,
			 struct cfs_slice a_text, const struct cfs_iter *it)
{
	struct cfs_cdx_line a, b;

	if (!cfs_slice_eq(a_key, it->key))
		return false;
	return cfs_slice_eq(a_text, it->value) ||
	       (cfs_cdx_parse(a_text, &x->legend, &a, NULL) == CFS_OK &&
		cfs_cdx_parse(it->value, &x->legend, &b, NULL) == CFS_OK &&
		cdx_is_same(&a, &b));
}

/* Notes where a text is in its line; false if that has no room. */
static bool note_text(const struct cfs_json_text *t, const uint8_t *line,
		      uint16_t *at, uint8_t *n)
{
	*at = *n = 0;
	if (t->s.n == 0)
		return true;
	if (t->escaped || t->s.n > UINT8_MAX || t->s.p - line > UINT16_MAX)
		return false;
	*at = (uint16_t)(t->s.p - line);
	*n = (uint8_t)t->s.n;
	return true;
}

static struct cfs_cdx_entry cdx_make_entry(const struct cfs_cdx_line *line,
				       struct cfs_slice key,
				       struct cfs_slice text, size_t off)
{
	struct cfs_cdx_entry e = { .key = key, .off = (uint32_t)off,
				   .n = (uint32_t)text.n & 0x3fffffff,
				   .status = line->status };
	bool is_plain = note_text(&line->mime, text.p, &e.mime_at, &e.mime_n);

	is_plain &= note_text(&line->languages, text.p, &e.languages_at,
			      &e.languages_n);
	e.has_odd_traits = !is_plain;
	return e;
}

static int cdx_add_line(struct block_parsing *p, struct cfs_slice text)
{
	size_t off = (size_t)(text.p - p->in->p);
	struct cfs_cdx_block *b = p->b;
	struct cfs_cdx_line line;
	struct cfs_cdx_entry entry;
	const char *why = "";
	struct cfs_slice key;
	int rc = cfs_cdx_parse(text, &p->x->legend, &line, &why);

	p->line++;
	if (rc == CFS_OK && line.key.s.n > CFS_KEY_MAX) {
		rc = CFS_EFORMAT;
		why = "the key is too long";
	}
	if (rc == CFS_OK && line.name.escaped)
		rc = check_name(&line, &why);
	if (rc == CFS_EFORMAT)
		return cdx_skip_line(p, off, why);
	if (rc != CFS_OK)
		return rc == CFS_END ? CFS_OK : rc;
	key = cdx_key_of(b, &line);
	if (b->n > 0 && cfs_slice_cmp(b->v[b->n - 1].key, key) > 0)
		return cfs_error_at(p->err, CFS_EFORMAT, p->in->where,
				    cdx_file_off(p->in,
						 off), "lines are not in order"
				    " (LC_ALL=C sort): convert the file with"
				    " 'crawlfs index'");
	entry = cdx_make_entry(&line, key, text, off);
	entry.is_repeat = b->n > 0 && cfs_slice_eq(b->v[b->n - 1].key, key) &&
			  cdx_is_same(&p->last, &line);
	p->last = line;
	return cdx_add_entry(p, entry);
}

/* Finds the entries of a block. */
static int block_parse(struct cfs_cdx *x, const struct cfs_cdx_text_in *in,
		       struct cfs_cdx_block *b, size_t *bytes,
		       struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_of(in->p + in->from, in->n), line;
	struct block_parsing p = { .x = x, .b = b, .in = in, .err = err };
	int rc = CFS_OK;

	b->text = in->p;
	cfs_buf_init(&b->keys, in->n);
	if (cfs_slice_find(rest, '\\') >= 0 &&
	    x->legend.n == 0)		/* so that keys do not move */
		rc = cfs_buf_reserve(&b->keys, in->n);
	while (rc == CFS_OK && cfs_line_take(&rest, &line))
		rc = cdx_add_line(&p, line);
	if (rc == CFS_OK && in->has_long_line)
		rc = cdx_skip_line(&p, in->from + in->n, CFS_CDX_LONG_LINE);
	if (rc == CFS_OK && b->n == 0 && b->n_lost > 0)
		rc = cfs_error_at(err, CFS_EFORMAT, in->where, b->lost[0].off,
				  "no line of a block is a capture");
	*bytes = sizeof(*b) + in->from + in->n + p.room * sizeof(*b->v) +
		 p.lost_room * sizeof(*b->lost) + b->keys.cap;
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) : rc;
}

static int cdx_block_load(void *arg, struct cfs_lru_key key, void **obj,
			  size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct cfs_cdx_text_in in = { .where_off = 0 };
	struct cfs_cdx *x = arg;
	struct cfs_cdx_block *b = calloc(1, sizeof(*b));
	int rc;

	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	atomic_fetch_add_explicit(&x->base.block_reads, 1,
				  memory_order_relaxed);
	rc = x->layout->read(x, (uint32_t)key.a, &in, ctx);
	if (rc == CFS_OK)
		rc = block_parse(x, &in, b, obj_bytes, ctx.err);
	else
		free(in.p);
	if (rc != CFS_OK) {
		cdx_block_free(b);
		return rc;
	}
	*obj = b;
	return CFS_OK;
}

int cfs_cdx_get(struct cfs_cdx *x, uint32_t number, struct cfs_lru_ref **ref,
		struct cfs_cdx_block **b, struct cfs_ctx ctx)
{
	int rc = cfs_lru_get(x->blocks, CFS_LRU_KEY(number, 0), cdx_block_load,
			     x, ref, ctx);

	*b = rc == CFS_OK ? cfs_lru_obj(*ref) : NULL;
	return rc;
}

/* The first of entries lo .. hi-1 whose key is >= key; hi if none is. */
static uint32_t cdx_lower_bound(const struct cfs_cdx_block *b, uint32_t lo,
				uint32_t hi, struct cfs_slice key)
{
	CFS_LOWER_BOUND(lo, hi, i, cfs_slice_cmp(b->v[i].key, key) < 0);
	return lo;
}

/* ---- where the iterator stands ---- */

/* Takes the result of a move to a block: one that is damaged is the hole. */
static int cdx_moved(struct cfs_iter *it, uint32_t number, int rc)
{
	if ((rc == CFS_EFORMAT || rc == CFS_ELIMIT) &&
	    number != CFS_CDX_NO_BLOCK)
		it->hole = cfs_pos_make(number, 0);
	return rc;
}

static void cdx_it_slot(struct cfs_iter *it, const struct cfs_cdx_block *b,
			uint32_t number, uint32_t slot)
{
	const struct cfs_cdx_entry *e = &b->v[slot];

	it->pos = cfs_pos_make(number, slot);
	it->key = e->key;
	it->value = cfs_slice_of(b->text + e->off, e->n);
}

/* Moves the iterator to a slot of the block that `ref` pins; takes the pin
 * over. */
static void cdx_it_set(struct cfs_iter *it, struct cfs_lru_ref *ref,
		       uint32_t number, uint32_t slot)
{
	cfs_lru_put(it->block_ref);
	it->block_ref = ref;
	cdx_it_slot(it, cfs_lru_obj(ref), number, slot);
}

/* Moves to the first entry of the blocks after `number`. */
static int first_after(struct cfs_cdx *x, uint32_t number, struct cfs_iter *it,
		       struct cfs_ctx ctx)
{
	struct cfs_lru_ref *ref;
	struct cfs_cdx_block *b;
	int rc;

	for (;;) {
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		rc = x->layout->following(x, number, &number, ctx);
		if (rc == CFS_OK)
			rc = cfs_cdx_get(x, number, &ref, &b, ctx);
		if (rc != CFS_OK)
			return cdx_moved(it, number, rc);
		if (b->n > 0)
			break;
		cfs_lru_put(ref);
	}
	cdx_it_set(it, ref, number, 0);
	return CFS_OK;
}

/* Fails if the first entry of a block, where the iterator stands, is less than
 * the key. */
static int check_order(struct cfs_iter *it, struct cfs_slice key,
		       struct cfs_error *err)
{
	uint32_t number = cfs_pos_block(it->pos);

	if (cfs_slice_cmp(it->key, key) >= 0)
		return CFS_OK;
	return cdx_moved(it, number,
			 cfs_error_at(err, CFS_EFORMAT, it->ix->src->name, 0,
				      "block %" PRIu32 " is not in order",
				      number));
}

/* Searches the block that the iterator holds: true if the answer is in it. */
static bool cdx_seek_here(struct cfs_slice key, struct cfs_iter *it)
{
	const struct cfs_cdx_block *b;
	uint32_t slot, from, to, step = 1;

	if (it->block_ref == NULL)
		return false;
	b = cfs_lru_obj(it->block_ref);
	from = cfs_pos_slot(it->pos);
	if (cfs_slice_cmp(b->v[0].key, key) >= 0 ||
	    cfs_slice_cmp(b->v[b->n - 1].key, key) < 0)
		return false;	/* it may begin in the block before */
	to = from;
	if (cfs_slice_cmp(it->key, key) < 0) {
		/* gallop: the next wanted entry is seldom far */
		for (to = b->n; step < b->n - from; step *= 2) {
			if (cfs_slice_cmp(b->v[from + step].key, key) >= 0) {
				to = from + step;
				break;
			}
		}
	} else {
		from = 0;
	}
	slot = cdx_lower_bound(b, from, to, key);
	cdx_it_slot(it, b, cfs_pos_block(it->pos), slot);
	return true;
}

/* Finds the key in the blocks after `number`.  Normally it is the first entry
 * there; if lines are out of order, a few blocks may begin with lesser keys. */
static int seek_after(struct cfs_cdx *x, uint32_t number, struct cfs_slice key,
		      struct cfs_iter *it, struct cfs_ctx ctx)
{
	int rc = first_after(x, number, it, ctx);

	for (unsigned i = 0; rc == CFS_OK && i < LATE_BLOCKS_MAX; i++) {
		const struct cfs_cdx_block *b = cfs_lru_obj(it->block_ref);
		uint32_t slot;

		if (cfs_slice_cmp(it->key, key) >= 0)
			return CFS_OK;
		slot = cdx_lower_bound(b, 0, b->n, key);
		number = cfs_pos_block(it->pos);
		if (slot < b->n) {
			cdx_it_slot(it, b, number, slot);
			return CFS_OK;
		}
		rc = first_after(x, number, it, ctx);
	}
	return rc == CFS_OK ? check_order(it, key, ctx.err) : rc;
}

static int cdx_seek(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, struct cfs_ctx ctx)
{
	struct cfs_cdx *x = (struct cfs_cdx *)ix;
	struct cfs_lru_ref *ref;
	struct cfs_cdx_block *b;
	uint32_t number, slot;
	int rc;

	if (cdx_seek_here(key, it))
		return CFS_OK;
	rc = x->layout->find(x, key, &number, ctx);
	if (rc == CFS_OK)
		rc = cfs_cdx_get(x, number, &ref, &b, ctx);
	if (rc == CFS_ENOTFOUND)	/* a file without a block */
		rc = CFS_END;
	if (rc != CFS_OK)
		return cdx_moved(it, number, rc);
	slot = cdx_lower_bound(b, 0, b->n, key);
	if (slot < b->n) {
		cdx_it_set(it, ref, number, slot);
		return CFS_OK;
	}
	cfs_lru_put(ref);
	return seek_after(x, number, key, it, ctx);
}

static int cdx_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		  struct cfs_ctx ctx)
{
	struct cfs_cdx *x = (struct cfs_cdx *)ix;
	uint32_t number = cfs_pos_block(pos), slot = cfs_pos_slot(pos);
	struct cfs_lru_ref *ref;
	struct cfs_cdx_block *b;
	int rc;

	if (pos >> 48 != 0)
		return CFS_ENOTFOUND;
	if (it->block_ref == NULL || cfs_pos_block(it->pos) != number) {
		rc = cfs_cdx_get(x, number, &ref, &b, ctx);
		if (rc != CFS_OK)
			return cdx_moved(it, number, rc);
		cfs_lru_put(it->block_ref);
		it->block_ref = ref;
	}
	b = cfs_lru_obj(it->block_ref);
	if (slot >= b->n)
		return CFS_ENOTFOUND;
	cdx_it_slot(it, b, number, slot);
	return CFS_OK;
}

/* Moves to the next entry of the block that is not a repeat.  False, without
 * moving, if there is none. */
static bool next_here(struct cfs_iter *it)
{
	const struct cfs_cdx_block *b = cfs_lru_obj(it->block_ref);
	uint32_t slot = cfs_pos_slot(it->pos) + 1;

	while (slot < b->n && b->v[slot].is_repeat)
		slot++;
	if (slot >= b->n)
		return false;
	cdx_it_slot(it, b, cfs_pos_block(it->pos), slot);
	return true;
}

/* Moves to the first entry of the following blocks.  *is_repeat: it names the
 * same record as the last entry of the block before. */
static int cdx_next_block(struct cfs_iter *it, bool *is_repeat,
			  struct cfs_ctx ctx)
{
	struct cfs_cdx *x = (struct cfs_cdx *)it->ix;
	struct cfs_lru_ref *held = cfs_lru_hold(it->block_ref);
	const struct cfs_cdx_block *b = cfs_lru_obj(held);
	const struct cfs_cdx_entry *last = &b->v[b->n - 1];
	int rc = first_after(x, cfs_pos_block(it->pos), it, ctx);

	if (rc == CFS_OK)
		rc = check_order(it, last->key, ctx.err);
	if (rc == CFS_OK) {
		x->layout->hint(x, cfs_pos_block(it->pos));
		*is_repeat = is_same_text(x, last->key,
				cfs_slice_of(b->text + last->off, last->n), it);
	}
	cfs_lru_put(held);
	return rc;
}

static int cdx_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	bool is_repeat = true;
	int rc = CFS_OK;

	while (rc == CFS_OK && is_repeat && !next_here(it))
		rc = cdx_next_block(it, &is_repeat, ctx);
	return rc;
}

static int cdx_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	return first_after((struct cfs_cdx *)it->ix, cfs_pos_block(hole), it,
			   ctx);
}

/* ---- entries ---- */

enum cfs_kind cfs_cdx_kind(const struct cfs_cdx_line *line,
			   struct cfs_slice name)
{
	static const struct cfs_slice arc = { (const uint8_t *)".arc", 4 };
	static const struct cfs_slice arc_gz = { (const uint8_t *)".arc.gz",
						 7 };

	if (cfs_slice_eq(line->mime.s, CFS_SLICE_LIT("warc/revisit")))
		return CFS_KIND_REVISIT;
	return cfs_slice_ends(name, arc) || cfs_slice_ends(name, arc_gz) ?
		       CFS_KIND_ARC : CFS_KIND_RESPONSE;
}

/* Sets the numbers of an archive's folder and base name. */
static int cdx_locate(struct cfs_cdx *x, struct cfs_slice name,
		      struct cfs_span *loc, struct cfs_error *err)
{
	size_t n = (size_t)(cfs_slice_rfind(name, '/') + 1);
	uint32_t folder = 0, base = 0;
	int rc = cfs_strtab_add(x->names, cfs_slice_sub(name, 0, n), &folder);

	if (rc == CFS_OK)
		rc = cfs_strtab_add(x->names, cfs_slice_from(name, n), &base);
	if (rc != CFS_OK)
		return cfs_error_set(err, rc, "names of archives need too much"
				     " memory");
	loc->file[0] = folder;
	loc->file[1] = base;
	return CFS_OK;
}

/* The URL of a line; if it has escapes, decoded into the iterator's buffer. */
static struct cfs_slice cdx_url_of(const struct cfs_cdx_line *line,
				   struct cfs_iter *it)
{
	struct cfs_slice out = CFS_SLICE_EMPTY;
	CFS_BUF(buf, sizeof(it->url_buf));

	if (line->url.s.n > 6 * CFS_URL_MAX)
		return out;
	if (!line->url.escaped)
		return line->url.s.n <= CFS_URL_MAX ? line->url.s : out;
	if (cfs_json_add_text(&buf, line->url) == CFS_OK) {
		it->url_n = buf.n;
		memcpy(it->url_buf, buf.p, buf.n);
		out = cfs_slice_of(it->url_buf, buf.n);
	}
	return out;
}

/* The type of a line; if it has escapes, decoded into the iterator's buffer for
 * keys, which are in the block here. */
static struct cfs_slice cdx_mime_of(const struct cfs_cdx_line *line,
				    struct cfs_iter *it)
{
	struct cfs_slice out = line->mime.s;
	struct cfs_buf buf;

	if (!line->mime.escaped || out.n > sizeof(it->key_buf))
		return out;
	cfs_buf_init(&buf, sizeof(it->key_buf));
	if (cfs_json_add_text(&buf, line->mime) == CFS_OK) {
		memcpy(it->key_buf, buf.p, buf.n);
		out = cfs_mime_type(cfs_slice_of(it->key_buf, buf.n));
	}
	cfs_buf_release(&buf);
	return out;
}

static uint8_t scheme_of(struct cfs_slice url)
{
	return (uint8_t)cfs_url_take_scheme(&url);
}

static int cdx_capture(struct cfs_iter *it, struct cfs_capture *out,
		       struct cfs_error *err)
{
	struct cfs_cdx *x = (struct cfs_cdx *)it->ix;
	struct cfs_cdx_line line;
	CFS_BUF(buf, CFS_CDX_NAME_MAX);
	struct cfs_slice name;
	const char *why = "there is no entry";
	int rc = CFS_EFORMAT;

	*out = (struct cfs_capture){ .mime = CFS_SLICE_EMPTY,
				     .url = CFS_SLICE_EMPTY,
				     .languages = CFS_SLICE_EMPTY,
				     .digest = CFS_SLICE_EMPTY };
	if (it->block_ref != NULL)
		rc = cfs_cdx_parse(it->value, &x->legend, &line, &why);
	if (rc != CFS_OK)
		return cfs_error_at(err, CFS_EFORMAT, x->base.src->name, 0,
				    "%s", why);
	name = cfs_cdx_name(&line, &buf);
	out->kind = cfs_cdx_kind(&line, name);
	out->time = line.time;
	out->status = line.status;
	if (out->kind != CFS_KIND_REVISIT)
		out->mime = cdx_mime_of(&line, it);
	if (!line.digest.escaped)
		out->digest = line.digest.s;
	if (!line.languages.escaped)
		out->languages = line.languages.s;
	out->url = cdx_url_of(&line, it);
	out->scheme = scheme_of(out->url);
	out->loc.offset = line.offset;
	out->loc.length = line.length;
	return name.n > 0 ? cdx_locate(x, name, &out->loc, err) :
	       cfs_error_nomem(err);
}

/* The entry's text is not parsed: the block has what is asked for. */
static int cdx_traits(struct cfs_iter *it, struct cfs_traits *out)
{
	const struct cfs_cdx_block *b =
		it->block_ref != NULL ? cfs_lru_obj(it->block_ref) : NULL;
	const struct cfs_cdx_entry *e =
		b != NULL ? &b->v[cfs_pos_slot(it->pos)] : NULL;

	if (e == NULL || e->has_odd_traits)
		return CFS_EUNSUPPORTED;
	*out = (struct cfs_traits){
		.kind = CFS_KIND_RESPONSE, .status = e->status,
		.mime = cfs_slice_sub(it->value, e->mime_at, e->mime_n),
		.languages = cfs_slice_sub(it->value, e->languages_at,
					   e->languages_n) };
	if (cfs_slice_eq(out->mime, CFS_SLICE_LIT("warc/revisit"))) {
		out->kind = CFS_KIND_REVISIT;
		out->mime = CFS_SLICE_EMPTY;
	}
	return CFS_OK;
}

static bool cdx_lost(struct cfs_iter *it, unsigned i, struct cfs_error *out)
{
	const struct cfs_cdx_block *b =
		it->block_ref != NULL ? cfs_lru_obj(it->block_ref) : NULL;
	uint32_t slot = cfs_pos_slot(it->pos), at = 0;
	const struct cfs_cdx_lost *l;

	if (b == NULL || b->n_lost == 0)
		return false;
	CFS_LOWER_BOUND(at, b->n_lost, k, b->lost[k].slot < slot);
	if (i >= b->n_lost - at || b->lost[at + i].slot != slot)
		return false;
	l = &b->lost[at + i];
	cfs_cdx_bad_line(out, b->where, l->off, l->line, l->why);
	return true;
}

static int cdx_archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			    struct cfs_buf *out, struct cfs_error *err)
{
	struct cfs_cdx *x = (struct cfs_cdx *)ix;
	uint32_t n = cfs_strtab_count(x->names);

	if (loc->file[0] >= n || loc->file[1] >= n)
		return cfs_error_at(err, CFS_EFORMAT, ix->src->name, 0,
				    "archive number is wrong");
	cfs_buf_add(out, cfs_strtab_get(x->names, (uint32_t)loc->file[0]));
	if (cfs_buf_add(out, cfs_strtab_get(x->names,
					    (uint32_t)loc->file[1])) != CFS_OK)
		return cfs_error_set(err, out->failed,
				     "name does not fit in memory");
	return CFS_OK;
}

/* ---- keys ---- */

static int cdx_split(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_path *out)
{
	(void)ix;
	return cfs_surt_split(key, out);
}

static int cdx_key_url(struct cfs_slice key, enum cfs_scheme scheme,
		       struct cfs_buf *out)
{
	(void)scheme;
	return cfs_surt_url(key, out);
}

static int cdx_ranges(struct cfs_index *ix, const struct cfs_path *path,
		      enum cfs_below below, struct cfs_ranges *out)
{
	return cfs_surt_index_ranges(ix, ((struct cfs_cdx *)ix)->ports, path,
				     below, out);
}

/* ---- the rest ---- */

static int cdx_cut(struct cfs_index *ix, uint64_t k, uint64_t n,
		   struct cfs_buf *key, struct cfs_ctx ctx)
{
	struct cfs_cdx *x = (struct cfs_cdx *)ix;

	return x->layout->cut == NULL ? CFS_END :
	       x->layout->cut(x, k, n, key, ctx);
}

static const struct cfs_index_ops cdx_ops = {
	.seek = cdx_seek,
	.at = cdx_at,
	.next = cdx_next,
	.skip = cdx_skip,
	.capture = cdx_capture,
	.traits = cdx_traits,
	.lost = cdx_lost,
	.archive_name = cdx_archive_name,
	.split = cdx_split,
	.ranges = cdx_ranges,
	.url_key = cfs_surt_encode,
	.key_url = cdx_key_url,
	.find_ref = NULL,		/* lines do not name records */
	.cut = cdx_cut,
	.close = cfs_cdx_close,
};

int cfs_cdx_init(struct cfs_cdx *x, struct cfs_source *src, const char *format,
		 const struct cfs_cdx_layout *layout, size_t cache_bytes,
		 struct cfs_error *err)
{
	x->base = (struct cfs_index){ .ops = &cdx_ops, .src = src,
				      .format = format, .has_status = true,
				      .strips_www = true };
	x->layout = layout;
	x->blocks = cfs_lru_new(cache_bytes, cdx_block_free);
	x->base.caches[0] = x->blocks;
	x->names = cfs_strtab_new(NAMES_MAX);
	x->ports = cfs_surt_ports_memo_new();
	if (x->blocks == NULL || x->names == NULL || x->ports == NULL)
		return cfs_error_nomem(err);
	return CFS_OK;
}

void cfs_cdx_close(struct cfs_index *ix)
{
	struct cfs_cdx *x = (struct cfs_cdx *)ix;

	x->layout->close(x);
	cfs_lru_free(x->blocks);
	cfs_strtab_free(x->names);
	cfs_memo_free(x->ports);
	cfs_source_close(x->base.src);
	free(x);
}
