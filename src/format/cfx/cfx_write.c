/* cfx_write.c - writes a crawlfs index (layout: format/cfx/cfx_format.h).
 *
 * Leaves go to the file as they fill.  Blocks of the upper levels wait in
 * memory until the leaves are done: some 12 bytes for each thousand captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_write.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "cfx_damage.h"
#include "cfx_format.h"
#include "cfx_joindata.h"
#include "cfx_notes_write.h"
#include "cfx_value.h"

/* Bytes of upper levels for some ten billion captures. */
#define UPPER_MAX ((size_t)1 << 30)
/* A block being filled. */
struct fill {
	uint8_t bytes[CFS_CFX_BLOCK_BYTES];
	size_t used;		/* bytes of head and entries */
	size_t shared;		/* bytes that the last key shares; 0 before a
				 * restart */
	unsigned n;
	uint16_t restarts[CFS_CFX_BLOCK_BYTES / 16];
};

/* A level above the leaves. */
struct upper {
	struct fill fill;
	struct cfs_buf done;	/* completed blocks */
	struct cfs_buf last;	/* the last separator */
	uint32_t n_blocks;	/* number of completed blocks */
	uint32_t n_entries, first_child;
};

struct cfs_cfx_writer {
	struct cfs_cfx_params p;
	struct cfs_symbol_encoder *encoder;
	struct cfs_cfx_header head;
	uint64_t file_off;
	struct fill leaf;
	uint32_t n_leaves;
	struct cfs_buf last_key, last_restart;	/* the last: of the leaf */
	struct upper *upper[CFS_CFX_LEVELS_MAX];	/* [0] is not used */
	struct fill refs;
	uint8_t codes[CFS_CFX_CODES_MAX];
	struct cfs_cfx_value_writer values;
	struct cfs_cfx_notes_writer notes;
	struct cfs_cfx_joindata_writer lists[CFS_CFX_JOINDATA_LISTS];
};

/* ---- writing bytes ---- */

static int put_in_memory(struct cfs_buf *to, const void *p, size_t n,
			 uint64_t off, struct cfs_error *err)
{
	size_t end = (size_t)off + n;

	if (off > to->max || n > to->max - (size_t)off)
		return cfs_error_set(err, CFS_ELIMIT, "index is too large to "
				     "be kept in memory");
	if (end > to->n) {
		if (cfs_buf_reserve(to, end - to->n) != CFS_OK)
			return cfs_error_nomem(err);
		memset(to->p + to->n, 0, end - to->n);
		to->n = end;
	}
	memcpy(to->p + off, p, n);
	return CFS_OK;
}

static int put_at(struct cfs_cfx_writer *w, const void *p, size_t n,
		  uint64_t off, struct cfs_error *err)
{
	size_t done;

	if (w->p.memory != NULL)
		return put_in_memory(w->p.memory, p, n, off, err);
	done = cfs_write_at(w->p.fd, p, n, off);
	if (done < n)
		return cfs_error_at(err, CFS_EIO, w->p.name, off + done,
				    "cannot write: %s", strerror(errno));
	return CFS_OK;
}

static int cfx_write_put(struct cfs_cfx_writer *w, const void *p, size_t n,
			 struct cfs_error *err)
{
	int rc = put_at(w, p, n, w->file_off, err);

	if (rc == CFS_OK)
		w->file_off += n;
	return rc;
}

/* ---- blocks ---- */

static void fill_start(struct fill *f)
{
	memset(f->bytes, 0, sizeof(f->bytes));
	f->used = CFS_CFX_BLOCK_HEAD;
	f->n = 0;
}

static unsigned n_restarts(unsigned n)
{
	return (n + CFS_CFX_RESTART - 1) / CFS_CFX_RESTART;
}

/* True if there is room for an entry of n bytes and a restart offset. */
static bool fill_fits(const struct fill *f, size_t n)
{
	return f->n < UINT16_MAX &&
	       f->used + n + 2 * n_restarts(f->n + 1) <= CFS_CFX_BLOCK_BYTES;
}

/* Opens entry number f->n; the caller then appends its bytes. */
static void fill_begin(struct fill *f)
{
	if (f->n % CFS_CFX_RESTART == 0) {
		f->restarts[f->n / CFS_CFX_RESTART] = (uint16_t)f->used;
		f->shared = 0;
	}
	f->n++;
}

static void fill_append(struct fill *f, const void *p, size_t n)
{
	assert(f->used + n <= CFS_CFX_BLOCK_BYTES);
	if (n > 0)
		memcpy(f->bytes + f->used, p, n);
	f->used += n;
}

/* Appends the key of an entry: how many bytes it shares, and its rest. */
static void fill_key(struct fill *f, size_t shared, const uint8_t *rest,
		     size_t n)
{
	size_t step = shared + CFS_CFX_SHARED_SAME - f->shared;
	uint8_t *p = f->bytes + f->used + 1;

	if (step >= CFS_CFX_SHARED_FOLLOWS) {	/* also if it is negative */
		step = CFS_CFX_SHARED_FOLLOWS;
		p += cfs_varint_put(p, shared);
	}
	step <<= CFS_CFX_REST_BITS;
	if (n >= CFS_CFX_REST_FOLLOWS) {
		step |= CFS_CFX_REST_FOLLOWS;
		p += cfs_varint_put(p, n - CFS_CFX_REST_FOLLOWS);
	} else {
		step |= n;
	}
	f->bytes[f->used] = (uint8_t)step;
	f->used = (size_t)(p - f->bytes);
	f->shared = shared;
	fill_append(f, rest, n);
}

/* Completes the block; returns its stored bytes. */
static size_t fill_end(struct fill *f, unsigned level, uint32_t number,
		       uint32_t first_child, bool is_last)
{
	unsigned r = level == CFS_CFX_LEVEL_REFS ? 0 : n_restarts(f->n);
	size_t end = is_last ? f->used + 2 * r : CFS_CFX_BLOCK_BYTES;

	f->bytes[8] = (uint8_t)level;
	cfs_le16_put(f->bytes + 10, (uint16_t)f->n);
	cfs_le32_put(f->bytes + 12, first_child);
	for (unsigned i = 0; i < r; i++)
		cfs_le16_put(f->bytes + end - 2 * (r - i), f->restarts[i]);
	cfs_le64_put(f->bytes, cfs_hash64(cfs_slice_of(f->bytes + 8, end - 8),
					  cfs_cfx_seed(level, number)));
	return end;
}

/* ---- upper levels ---- */

static struct upper *upper_new(void)
{
	struct upper *u = calloc(1, sizeof(*u));

	if (u != NULL) {
		cfs_buf_init(&u->done, UPPER_MAX);
		cfs_buf_init(&u->last, CFS_KEY_MAX);
		fill_start(&u->fill);
	}
	return u;
}

static void upper_free(struct upper *u)
{
	if (u == NULL)
		return;
	cfs_buf_release(&u->done);
	cfs_buf_release(&u->last);
	free(u);
}

/* Appends a separator; false if the block is full. */
static bool upper_append(struct upper *u, struct cfs_slice sep)
{
	struct fill *f = &u->fill;
	size_t shared = 0;

	if (f->n % CFS_CFX_RESTART != 0)
		shared = cfs_slice_common(sep, cfs_buf_slice(&u->last));
	if (!fill_fits(f, sep.n - shared + 2 * CFS_VARINT_MAX))
		return false;
	fill_begin(f);
	fill_key(f, shared, sep.p + shared, sep.n - shared);
	cfs_buf_reset(&u->last);
	cfs_buf_add(&u->last, sep);
	u->n_entries++;
	return true;
}

static void upper_close_block(struct upper *u, unsigned level, bool is_last)
{
	size_t n = fill_end(&u->fill, level, u->n_blocks, u->first_child,
			    is_last);

	cfs_buf_append(&u->done, u->fill.bytes, n);
	u->n_blocks++;
	u->first_child = u->n_entries;
	fill_start(&u->fill);
}

/* Adds sep, where a block of level `level` - 1 begins, to the level above, and
 * if that begins a block with it, to the next one, and so on. */
static int cfx_write_add_separator(struct cfs_cfx_writer *w, unsigned level,
				   struct cfs_slice sep, struct cfs_error *err)
{
	for (; level < CFS_CFX_LEVELS_MAX; level++) {
		struct upper *u = w->upper[level];

		if (u == NULL) {
			u = w->upper[level] = upper_new();
			if (u == NULL)
				return cfs_error_nomem(err);
			upper_append(u, CFS_SLICE_EMPTY);
		}
		if (upper_append(u, sep))
			return CFS_OK;
		upper_close_block(u, level, false);
		upper_append(u, sep);
		if (u->done.failed != CFS_OK || u->last.failed != CFS_OK)
			return cfs_error_nomem(err);
	}
	return cfs_error_set(err, CFS_ELIMIT, "index would be too deep");
}

static int write_uppers(struct cfs_cfx_writer *w, struct cfs_error *err)
{
	int rc = CFS_OK;

	for (unsigned i = 1; i < CFS_CFX_LEVELS_MAX && rc == CFS_OK; i++) {
		struct cfs_cfx_level *l = &w->head.levels[i];
		struct upper *u = w->upper[i];
		size_t full;

		if (u == NULL)
			break;
		full = u->done.n;
		upper_close_block(u, i, true);
		if (u->done.failed != CFS_OK)
			return cfs_error_set(err, u->done.failed,
					     "out of memory");
		*l = (struct cfs_cfx_level){ w->file_off, u->n_blocks,
					 (uint32_t)(u->done.n - full) };
		w->head.n_levels = i + 1;
		rc = cfx_write_put(w, u->done.p, u->done.n, err);
	}
	return rc;
}

/* ---- leaves ---- */

static int write_leaf(struct cfs_cfx_writer *w, bool is_last,
		      struct cfs_error *err)
{
	size_t n = fill_end(&w->leaf, 0, w->n_leaves, 0, is_last);

	w->head.levels[0].last_bytes = (uint32_t)n;
	w->n_leaves++;
	return cfx_write_put(w, w->leaf.bytes, n, err);
}

/* Ends the leaf and begins the next one before `key`. */
static int cfx_write_next_leaf(struct cfs_cfx_writer *w, struct cfs_slice key,
			       struct cfs_error *err)
{
	size_t sep_n = cfs_slice_common(key, cfs_buf_slice(&w->last_key)) + 1;
	int rc;

	if (w->n_leaves == UINT32_MAX - 1)
		return cfs_error_set(err, CFS_ELIMIT, "too many blocks");
	rc = write_leaf(w, false, err);
	if (rc != CFS_OK)
		return rc;
	fill_start(&w->leaf);
	cfs_buf_reset(&w->last_restart);
	return cfx_write_add_separator(w, 1, cfs_slice_sub(key, 0, sep_n), err);
}

/* Encodes the part of the key not shared with the last one, or at a restart
 * with the last restart's; returns its size. */
static size_t code_key(struct cfs_cfx_writer *w, struct cfs_slice key,
		       size_t *shared)
{
	if (w->leaf.n % CFS_CFX_RESTART != 0)
		*shared = cfs_slice_common(key, cfs_buf_slice(&w->last_key));
	else
		*shared = cfs_slice_common(cfs_slice_sub(key, 0,
						CFS_CFX_RESTART_SHARED_MAX),
					   cfs_buf_slice(&w->last_restart));
	return cfs_symbols_encode(w->encoder, cfs_slice_from(key, *shared),
				  w->codes);
}

static int keep_key(struct cfs_cfx_writer *w, struct cfs_slice key)
{
	if (w->leaf.n % CFS_CFX_RESTART == 1 || CFS_CFX_RESTART == 1) {
		cfs_buf_reset(&w->last_restart);
		cfs_buf_add(&w->last_restart, key);
	}
	cfs_buf_reset(&w->last_key);
	cfs_buf_add(&w->last_key, key);
	return w->last_key.failed != CFS_OK ? w->last_key.failed :
					      w->last_restart.failed;
}

/* Must readers find the size of a view?  Not of a page that consists of the
 * crawl's own text and metadata (CFS_KIND_ANNEX). */
static bool needs_size(const struct cfs_cfx_writer *w,
		       const struct cfs_capture *e, unsigned slot)
{
	const struct cfs_companion *own = cfs_capture_companion(e, slot);

	if (own != NULL && own->kind != CFS_COMPANION_NONE)
		return own->bytes == CFS_COMPANION_BYTES_UNKNOWN;
	/* so that it is seen whether any capture has a hash */
	if (e->kind == CFS_KIND_ANNEX)
		return slot == CFS_SLOT_SIMHASH;
	return !cfs_view_bytes_are_known(&e->views, slot) ||
	       w->p.view_version == 0;
}

/* Counts the sizes that readers must find; that of a body that is absent is
 * known. */
static void count_unsized(struct cfs_cfx_writer *w,
			  const struct cfs_capture *e)
{
	uint64_t *n = w->head.unsized.captures;

	w->head.absent += cfs_capture_is_absent(e);
	w->head.cut += cfs_capture_is_cut(e) && !cfs_capture_is_absent(e);
	n[0] += !e->body_is_exact && !cfs_capture_is_absent(e);
	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS; slot++)
		n[1 + slot] += needs_size(w, e, slot);
}

static bool has_archive(const struct cfs_cfx_writer *w,
			const struct cfs_companion *s)
{
	return s->kind == CFS_COMPANION_NONE ||
	       s->loc.file[0] < w->p.n_archives;
}

int cfs_cfx_writer_add(struct cfs_cfx_writer *w, struct cfs_slice key,
		       const struct cfs_capture *e, struct cfs_slice notes,
		       cfs_pos *pos, struct cfs_error *err)
{
	struct cfs_capture with_notes;
	size_t value_n, codes_n, shared;
	struct fill *f = &w->leaf;
	int rc = CFS_OK;

	/* Entries of other indexes and parts may contain anything. */
	if (key.n > CFS_KEY_MAX || e->url.n > CFS_URL_MAX ||
	    e->loc.file[0] >= w->p.n_archives ||
	    !has_archive(w, &e->text) || !has_archive(w, &e->meta) ||
	    e->loc.offset > w->p.offset_max || notes.n > CFS_NOTES_MAX)
		return cfs_error_set(err, CFS_EFORMAT, "what is joined is "
				     "damaged: an entry that cannot be");
	if (notes.n > 0) {
		with_notes = *e;
		e = &with_notes;
		rc = cfs_cfx_notes_put(&w->notes, notes, &with_notes.notes,
				       err);
	}
	if (rc != CFS_OK)
		return rc;
	value_n = cfs_cfx_value_encode(&w->values, key, e);
	if (value_n == 0)
		return cfs_error_nomem(err);
	codes_n = code_key(w, key, &shared);
	if (!fill_fits(f, codes_n + value_n + 2 * CFS_VARINT_MAX)) {
		rc = cfx_write_next_leaf(w, key, err);
		if (rc != CFS_OK)
			return rc;
		codes_n = code_key(w, key, &shared);
	}
	*pos = cfs_pos_make(w->n_leaves, f->n);
	fill_begin(f);
	fill_key(f, shared, w->codes, codes_n);
	fill_append(f, w->values.value, value_n);
	w->head.captures++;
	w->head.has_languages |= e->languages.n > 0;
	w->head.has_digests |= e->digest.n > 0;
	count_unsized(w, e);
	return keep_key(w, key);
}

/* ---- references ---- */

static int write_refs(struct cfs_cfx_writer *w, bool is_last,
		      struct cfs_error *err)
{
	struct cfs_cfx_level *l = &w->head.refs;
	size_t n = fill_end(&w->refs, CFS_CFX_LEVEL_REFS, l->n, 0, is_last);
	int rc;

	if (l->n++ == 0)
		l->file_off = w->file_off;
	l->last_bytes = (uint32_t)n;
	rc = cfx_write_put(w, w->refs.bytes, n, err);
	fill_start(&w->refs);
	return rc;
}

/* Ends the leaves before the first block of another kind is written. */
static int end_leaves(struct cfs_cfx_writer *w, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (w->head.levels[0].file_off != 0)
		return CFS_OK;
	if (w->leaf.n > 0) {
		rc = write_leaf(w, true, err);
		w->head.n_levels = 1;
	}
	w->head.levels[0].n = w->n_leaves;
	w->head.levels[0].file_off = CFS_CFX_HEADER_BYTES;
	return rc == CFS_OK ? write_uppers(w, err) : rc;
}

int cfs_cfx_writer_ref(struct cfs_cfx_writer *w, uint64_t hash, cfs_pos pos,
		       struct cfs_error *err)
{
	uint8_t rec[16];
	int rc = end_leaves(w, err);
	size_t n = cfs_cfx_ref_bytes(w->n_leaves);

	if (rc == CFS_OK && w->refs.used + n > CFS_CFX_BLOCK_BYTES)
		rc = write_refs(w, false, err);
	if (rc != CFS_OK)
		return rc;
	cfs_le64_put(rec, hash);
	cfs_le64_put(rec + CFS_CFX_REF_HASH_BYTES, pos);
	fill_append(&w->refs, rec, n);
	w->refs.n++;
	w->head.n_refs++;
	return CFS_OK;
}

int cfs_cfx_writer_joindata(struct cfs_cfx_writer *w,
			enum cfs_cfx_joindata_of which, struct cfs_slice item,
			struct cfs_error *err)
{
	return cfs_cfx_joindata_put(&w->lists[which], item, err);
}

bool cfs_cfx_writer_begins_block(const struct cfs_cfx_writer *w,
				 enum cfs_cfx_joindata_of which, size_t n)
{
	return cfs_cfx_joindata_begins_block(&w->lists[which], n);
}

/* ---- tables and header ---- */

/* Writes a section of n items, and empties b for the next one. */
static int put_section(struct cfs_cfx_writer *w, enum cfs_cfx_section which,
		       struct cfs_buf *b, uint64_t n, struct cfs_error *err)
{
	int rc;

	if (b->failed != CFS_OK)
		return cfs_error_set(err, b->failed, "out of memory");
	w->head.sections[which] = (struct cfs_cfx_section_at){
		w->file_off, b->n, cfs_hash64(cfs_buf_slice(b), which + 1u), n
	};
	rc = cfx_write_put(w, b->p, b->n, err);
	cfs_buf_reset(b);
	return rc;
}

static void encode_archives(struct cfs_cfx_writer *w, struct cfs_buf *b)
{
	for (uint32_t i = 0; i < w->p.n_archives; i++) {
		const struct cfs_builder_archive *a = &w->p.archives[i];

		cfs_buf_le64(b, a->size);
		cfs_buf_le64(b, (uint64_t)a->mtime);
		cfs_buf_le64(b, (uint64_t)w->p.clocks[i].start);
		cfs_buf_le32(b, w->p.clocks[i].slope);
		cfs_buf_append(b, a->name, strlen(a->name) + 1);
	}
}

static int cfx_write_write_tables(struct cfs_cfx_writer *w,
				  struct cfs_error *err)
{
	CFS_BUF(b, SIZE_MAX);
	uint64_t n;
	int rc;

	cfs_symbols_write(w->p.symbols, &b);
	rc = put_section(w, CFS_CFX_SYMBOLS, &b, w->p.symbols->n, err);
	encode_archives(w, &b);
	if (rc == CFS_OK)
		rc = put_section(w, CFS_CFX_ARCHIVES, &b, w->p.n_archives, err);
	cfs_cfx_value_writer_mimes(&w->values, &b, &n);
	if (rc == CFS_OK)
		rc = put_section(w, CFS_CFX_MIMES, &b, n, err);
	cfs_cfx_value_writer_classes(&w->values, &b, &n);
	if (rc == CFS_OK)
		rc = put_section(w, CFS_CFX_CLASSES, &b, n, err);
	return rc;
}

static int put_next(void *arg, const void *p, size_t n, struct cfs_error *err)
{
	return cfx_write_put(arg, p, n, err);
}

static int write_notes(struct cfs_cfx_writer *w, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (w->notes.text.n > 0)	/* true if any notes were added */
		rc = cfs_cfx_notes_finish(&w->notes, w->file_off, put_next, w,
					  &w->head.notes_off, err);
	w->head.n_notes = w->notes.n;
	return rc;
}

static int write_joindata(struct cfs_cfx_writer *w, struct cfs_error *err)
{
	int rc = CFS_OK;

	w->head.has_joins = w->p.keeps_joins;
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS && rc == CFS_OK; i++) {
		uint64_t from = w->file_off;

		rc = cfs_cfx_joindata_finish(&w->lists[i], put_next, w, err);
		w->head.lists[i] = (struct cfs_cfx_joindata_at){
			from, w->file_off - from };
	}
	return rc;
}

static int write_damage(struct cfs_cfx_writer *w, struct cfs_error *err)
{
	struct cfs_slice table = w->p.damage;

	if (table.n == 0)
		return CFS_OK;
	w->head.damage = (struct cfs_cfx_damage_at){
		w->file_off, table.n, cfs_hash64(table, CFS_CFX_DAMAGE_SEED) };
	return cfx_write_put(w, table.p, table.n, err);
}

int cfs_cfx_writer_finish(struct cfs_cfx_writer *w,
			  const uint64_t skipped[CFS_SKIPPED_KINDS],
			  uint64_t *captures, uint64_t *file_bytes,
			  struct cfs_error *err)
{
	struct cfs_cfx_header *h = &w->head;
	uint8_t header[CFS_CFX_HEADER_BYTES];
	int rc = end_leaves(w, err);

	if (rc == CFS_OK && w->refs.n > 0)
		rc = write_refs(w, true, err);
	if (rc == CFS_OK)
		rc = cfx_write_write_tables(w, err);
	if (rc == CFS_OK)
		rc = write_notes(w, err);
	if (rc == CFS_OK)
		rc = write_joindata(w, err);
	if (rc == CFS_OK)
		rc = write_damage(w, err);
	if (rc != CFS_OK)
		return rc;
	h->file_bytes = w->file_off;
	memcpy(h->skipped, skipped, sizeof(h->skipped));
	cfs_cfx_header_encode(h, header);
	*captures = h->captures;
	*file_bytes = h->file_bytes;
	return put_at(w, header, sizeof(header), 0, err);
}

void cfs_cfx_writer_bodies(const struct cfs_cfx_writer *w, uint64_t *absent,
			   uint64_t *cut)
{
	*absent = w->head.absent;
	*cut = w->head.cut;
}

int cfs_cfx_writer_new(struct cfs_cfx_writer **out,
		       const struct cfs_cfx_params *params,
		       struct cfs_error *err)
{
	struct cfs_cfx_writer *w = calloc(1, sizeof(*w));

	*out = NULL;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->p = *params;
	w->file_off = CFS_CFX_HEADER_BYTES;
	w->head.restart = CFS_CFX_RESTART;
	w->head.archive_bits = cfs_cfx_bits(params->n_archives > 0 ?
					    params->n_archives - 1 : 0);
	w->head.offset_bits = cfs_cfx_bits(params->offset_max);
	w->head.view_version = params->view_version;
	w->head.has_languages = params->has_languages;
	w->head.part = params->part;
	w->head.part_seal = params->part_seal;
	if (params->home != NULL) {
		assert(strlen(params->home) <= CFS_CFX_HOME_MAX);
		memcpy(w->head.home, params->home, strlen(params->home));
	}
	cfs_cfx_notes_writer_init(&w->notes, params->tmp_dir);
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++)
		cfs_cfx_joindata_writer_init(&w->lists[i], i, params->tmp_dir);
	cfs_buf_init(&w->last_key, CFS_KEY_MAX);
	cfs_buf_init(&w->last_restart, CFS_KEY_MAX);
	fill_start(&w->leaf);
	fill_start(&w->refs);
	w->encoder = cfs_symbol_encoder_new(params->symbols);
	w->values.encoder = w->encoder;
	w->values.clocks = params->clocks;
	w->values.archive_bits = w->head.archive_bits;
	w->values.offset_bits = w->head.offset_bits;
	if (cfs_cfx_value_writer_init(&w->values) != CFS_OK ||
	    w->encoder == NULL) {
		cfs_cfx_writer_free(w);
		return cfs_error_nomem(err);
	}
	*out = w;
	return CFS_OK;
}

void cfs_cfx_writer_free(struct cfs_cfx_writer *w)
{
	if (w == NULL)
		return;
	for (unsigned i = 0; i < CFS_CFX_LEVELS_MAX; i++)
		upper_free(w->upper[i]);
	cfs_symbol_encoder_free(w->encoder);
	cfs_buf_release(&w->last_key);
	cfs_buf_release(&w->last_restart);
	cfs_cfx_value_writer_release(&w->values);
	cfs_cfx_notes_writer_release(&w->notes);
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++)
		cfs_cfx_joindata_writer_release(&w->lists[i]);
	free(w);
}
