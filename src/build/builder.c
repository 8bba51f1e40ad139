/* builder.c - captures in any order to a sorted index file (builder.h).
 *
 * Captures go through an external sort (extsort.c) under the key of the
 * index.  For a crawlfs index the sorted value is
 *
 *      8  time, signed, made unsigned by turning its sign, big-endian
 *      4  archive, big-endian
 *      8  offset, big-endian
 *      1  flags (enum value_flag)
 *      1  kind
 *      1  scheme
 *         varints: status, length, body size, inner offset, inner length
 *         varint and bytes: MIME type; URL
 *      8  hash of the record id (in a revisit or WET record, of the id it
 *         refers to)
 *      8  hash of the digest; both little-endian, if flagged
 *         varints: sizes of the metadata and text views, if flagged
 *
 * so that equal keys come in the order of time, archive and offset.  For a
 * PB-tree it is the tree's own 32 bytes.
 *
 * A text or metadata record has the time 0, before all captures; then the
 * same, and
 *      1  enum cfs_side_kind
 *      8  time, little-endian
 *      8  hash of its capture's place, 0 if not known
 * Where there are such, the entries of a key are held together and joined
 * (join.c); of a key with more than GROUP_MAX that many at a time.
 *
 * References: hashes that revisits ask for set bits in a Bloom filter while
 * captures are added.  When positions are known, the captures that may be
 * meant go through a second, much smaller sort together with what is asked
 * for; what meets there is written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "index/cfx_format.h"
#include "cfx_write.h"
#include "extsort.h"
#include "join.h"
#include "index/pbtree.h"
#include "pbtree_write.h"
#include "codec/symbols.h"
#include "url/urlkey.h"
#include "url/pbtree_key.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)
/* Entries between two calls of opts.merged. */
#define MERGED_EVERY 16384u
/* The filter's bits: 8 MiB, of which a crawl without revisits touches none. */
#define BLOOM_BITS ((uint64_t)1 << 26)
/* Captures kept for one hash: an empty body has one digest all over a crawl. */
#define REFS_OF_ONE_MAX 256u
/* Bytes of keys that symbols are made from: of a feeder's first run, of each
 * later one, and of all together in the end. */
#define SAMPLE_FIRST ((size_t)256 << 10)
#define SAMPLE_LATER ((size_t)64 << 10)
#define SAMPLE_FEEDER ((size_t)1 << 20)
#define SAMPLE_TOTAL ((size_t)320 << 10)
/* Neighbouring keys of a sample: so that they share as in the index. */
#define SAMPLE_STRETCH 64u
#define PBTREE_BLOCK_BYTES 65536u

/* Entries of one key, and their bytes, that are joined at a time. */
#define GROUP_MAX 65536u
#define GROUP_BYTES ((size_t)32 << 20)

enum value_flag { VALUE_EXACT = 1, VALUE_ID = 2, VALUE_DIGEST = 4,
		  VALUE_VIEWS = 8, VALUE_TEXT = 16, VALUE_META = 32,
		  VALUE_WET = 64 };
#define VALUE_SIDE (VALUE_TEXT | VALUE_META)

struct feeder {
	struct cfs_buf key, value, url;		/* scratch */
	struct cfs_builder_counts counts;
	uint64_t offset_max;
	struct cfs_buf sample;			/* for cfs_symbols_train */
	uint64_t sampled, sample_of;		/* keys in it; keys seen */
};

struct span {
	_Atomic int64_t first, last;
};

struct cfs_builder {
	struct cfs_builder_opts opts;
	char *path, *dir, *tmp_path;
	int fd;
	struct feeder *feeders;
	struct cfs_extsort *sort, *refs;
	struct span *times;			/* of each archive's captures */
	_Atomic uint64_t *bloom;
	atomic_bool revisits, joins;
	/* finish: */
	struct cfs_symbols symbols;
	int64_t *first_times;
	uint64_t merged, total;
};

/* ---- the file ---- */

static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Mode 0666 less the umask, as any file a program writes. */
static int make_tmp(struct cfs_builder *b, struct cfs_error *err)
{
	size_t n = strlen(b->dir) + 64;
	char *p = malloc(n);

	if (p == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(p, n, "%s/.crawlfs-%ld-%u.tmp", b->dir,
			 (long)getpid(), i);
		b->fd = open(p, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (b->fd >= 0) {
			b->tmp_path = p;
			return CFS_OK;
		}
		if (errno != EEXIST)
			break;
	}
	free(p);
	return cfs_error_at(err, errno == EACCES ? CFS_EACCESS : CFS_EIO,
			    b->path, 0, "cannot write: %s", strerror(errno));
}

static void drop_tmp(struct cfs_builder *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
	if (b->tmp_path != NULL)
		unlink(b->tmp_path);
	free(b->tmp_path);
	b->tmp_path = NULL;
}

static void sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);	/* the file itself is safe already */
	close(fd);
}

static int publish(struct cfs_builder *b, struct cfs_error *err)
{
	if (fsync(b->fd) != 0)
		return cfs_error_at(err, CFS_EIO, b->path, 0,
				    "cannot write: %s", strerror(errno));
	if (rename(b->tmp_path, b->path) != 0)
		return cfs_error_at(err, CFS_EIO, b->path, 0,
				    "cannot rename: %s", strerror(errno));
	free(b->tmp_path);
	b->tmp_path = NULL;
	sync_dir(b->dir);
	return CFS_OK;
}

/* ---- samples ---- */

static void sample_key(struct feeder *f, struct cfs_slice key, size_t shared)
{
	struct cfs_slice rest = cfs_slice_from(key, shared);

	cfs_buf_le16(&f->sample, (uint16_t)rest.n);
	cfs_buf_add(&f->sample, rest);
	f->sampled++;
}

/* Keys of a stretch, cut as the writer cuts them. */
static void sample_stretch(struct feeder *f, const struct cfs_pairs *pairs,
			   size_t from, size_t to, size_t limit)
{
	struct cfs_slice before = CFS_SLICE_EMPTY;

	for (size_t i = from; i < to && f->sample.n < limit; i++) {
		struct cfs_slice key, value;
		size_t shared;

		cfs_pairs_get(pairs, i, &key, &value);
		shared = (i - from) % CFX_RESTART == 0 ? 0 :
			 cfs_slice_common(key, before);
		sample_key(f, key, shared);
		before = key;
	}
}

/* Called with every run that has been sorted. */
static void sample_run(void *arg, unsigned feeder,
		       const struct cfs_pairs *pairs)
{
	struct cfs_builder *b = arg;
	struct feeder *f = &b->feeders[feeder];
	size_t n = pairs->n, stretches, each, take, limit;
	bool first = f->sample_of == 0;

	f->sample_of += n;
	if (f->sample.n + SAMPLE_LATER > SAMPLE_FEEDER)
		return;
	limit = f->sample.n + (first ? SAMPLE_FIRST : SAMPLE_LATER);
	/* a key's rest has some 40 bytes */
	stretches = (limit - f->sample.n) / (40 * SAMPLE_STRETCH);
	each = n / stretches;
	take = each < SAMPLE_STRETCH ? each : SAMPLE_STRETCH;
	if (n <= stretches * SAMPLE_STRETCH) {
		stretches = 1;
		take = each = n;
	}
	for (size_t i = 0; i < stretches; i++)
		sample_stretch(f, pairs, i * each, i * each + take, limit);
}

/* Every k-th string of every feeder's sample, so that all fit. */
static void thin_samples(const struct cfs_builder *b, struct cfs_buf *out,
			 uint64_t *taken, uint64_t *of)
{
	size_t bytes = 0, every, i = 0;

	for (unsigned t = 0; t < b->opts.threads; t++) {
		bytes += b->feeders[t].sample.n;
		*of += b->feeders[t].sample_of;
	}
	every = bytes / SAMPLE_TOTAL + 1;
	for (unsigned t = 0; t < b->opts.threads; t++) {
		struct cfs_cursor c = {
			cfs_buf_slice(&b->feeders[t].sample), false };

		while (c.rest.n > 0 && !c.bad) {
			uint16_t n = cfs_cursor_le16(&c);
			struct cfs_slice s = cfs_cursor_take(&c, n);

			if (i++ % every != 0)
				continue;
			cfs_buf_le16(out, n);
			cfs_buf_add(out, s);
			++*taken;
		}
	}
}

static int train(struct cfs_builder *b, struct cfs_error *err)
{
	struct cfs_buf sample;
	uint64_t taken = 0, of = 0, scale;
	int rc;

	cfs_buf_init(&sample, SIZE_MAX);
	thin_samples(b, &sample, &taken, &of);
	scale = taken > 0 ? of / taken : 1;
	rc = sample.failed;
	if (rc == CFS_OK)
		rc = cfs_symbols_train(cfs_buf_slice(&sample),
				       scale < 1 ? 1 : scale > 4 ? 4 :
				       (unsigned)scale, &b->symbols);
	cfs_buf_release(&sample);
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "out of memory");
}

/* ---- the filter ---- */

static void bloom_set(struct cfs_builder *b, uint64_t hash)
{
	uint64_t i = hash % BLOOM_BITS, j = (hash >> 32) % BLOOM_BITS;

	atomic_fetch_or_explicit(&b->bloom[i / 64], (uint64_t)1 << i % 64,
				 memory_order_relaxed);
	atomic_fetch_or_explicit(&b->bloom[j / 64], (uint64_t)1 << j % 64,
				 memory_order_relaxed);
}

static bool bloom_has(const struct cfs_builder *b, uint64_t hash)
{
	uint64_t i = hash % BLOOM_BITS, j = (hash >> 32) % BLOOM_BITS;

	return (b->bloom[i / 64] >> i % 64 & 1) &&
	       (b->bloom[j / 64] >> j % 64 & 1);
}

/* ---- adding ---- */

static void put_be(struct cfs_buf *b, uint64_t v, unsigned bytes)
{
	uint8_t t[8];

	for (unsigned i = 0; i < bytes; i++)
		t[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
	cfs_buf_append(b, t, bytes);
}

static uint64_t hash_of(struct feeder *f, const char *what,
			struct cfs_slice s)
{
	struct cfs_buf *b = &f->url;	/* free at this time */

	cfs_buf_reset(b);
	cfs_buf_adds(b, what);
	cfs_buf_add(b, s);
	return cfs_hash64(cfs_buf_slice(b), 0);
}

/* Appends the hash and, for a revisit, asks for it. */
static void put_hash(struct cfs_builder *b, struct feeder *f, const char *what,
		     struct cfs_slice s, bool ask)
{
	uint64_t h;

	if (s.n == 0)
		return;
	h = hash_of(f, what, s);
	cfs_buf_le64(&f->value, h);
	if (ask) {
		bloom_set(b, h);
		atomic_store_explicit(&b->revisits, true, memory_order_relaxed);
	}
}

/* The URL if the key does not make it byte for byte. */
static struct cfs_slice url_to_keep(struct feeder *f, struct cfs_slice url,
				    uint8_t scheme)
{
	cfs_buf_reset(&f->url);
	if (cfs_urlkey_url(cfs_buf_slice(&f->key), scheme, &f->url) == CFS_OK &&
	    cfs_slice_eq(cfs_buf_slice(&f->url), url))
		return CFS_SLICE_EMPTY;
	return url;
}

/* A text of another record, which may be here: it counts by that one's id,
 * and gives its own up. */
static bool is_wet(const struct cfs_builder_capture *c)
{
	return c->kind == CFS_KIND_CONVERSION && c->refers_to.n > 0;
}

static void encode_value(struct cfs_builder *b, struct feeder *f,
			 const struct cfs_builder_capture *c, uint8_t scheme)
{
	struct cfs_slice id = c->kind == CFS_KIND_REVISIT || is_wet(c) ?
			      c->refers_to : c->record_id;
	struct cfs_slice mime = cfs_slice_sub(c->mime, 0, CFX_MIME_MAX);
	struct cfs_slice url = url_to_keep(f, c->url, scheme);
	struct cfs_buf *v = &f->value;
	bool ask = c->kind == CFS_KIND_REVISIT;

	put_be(v, (uint64_t)c->time ^ (uint64_t)1 << 63, 8);
	put_be(v, c->archive, 4);
	put_be(v, c->offset, 8);
	cfs_buf_addc(v, (uint8_t)((c->body_is_exact ? VALUE_EXACT : 0) |
				  (id.n ? VALUE_ID : 0) |
				  (c->digest.n ? VALUE_DIGEST : 0) |
				  (c->has_view_bytes ? VALUE_VIEWS : 0) |
				  (is_wet(c) ? VALUE_WET : 0)));
	cfs_buf_addc(v, (uint8_t)c->kind);
	cfs_buf_addc(v, scheme);
	cfs_buf_varint(v, c->status);
	cfs_buf_varint(v, c->length);
	cfs_buf_varint(v, c->body_is_exact ? c->body_bytes : 0);
	cfs_buf_varint(v, c->inner_length ? c->inner_offset : 0);
	cfs_buf_varint(v, c->inner_length);
	cfs_buf_varint(v, mime.n);
	cfs_buf_add(v, mime);
	cfs_buf_varint(v, url.n);
	cfs_buf_add(v, url);
	put_hash(b, f, "id:", id, ask);
	put_hash(b, f, "digest:", c->digest, ask);
	if (c->has_view_bytes) {
		cfs_buf_varint(v, c->meta_bytes);
		cfs_buf_varint(v, c->text_bytes);
	}
	if (is_wet(c))
		atomic_store_explicit(&b->joins, true, memory_order_relaxed);
}

static void encode_side(struct cfs_builder *b, struct feeder *f,
			const struct cfs_builder_side *s, uint8_t scheme)
{
	struct cfs_slice url = url_to_keep(f, s->url, scheme);
	struct cfs_buf *v = &f->value;

	put_be(v, 0, 8);
	put_be(v, s->archive, 4);
	put_be(v, s->offset, 8);
	cfs_buf_addc(v, (uint8_t)((s->is_meta ? VALUE_META : VALUE_TEXT) |
				  (s->refers_to.n ? VALUE_ID : 0)));
	cfs_buf_addc(v, CFS_KIND_SIDE);
	cfs_buf_addc(v, scheme);
	cfs_buf_varint(v, s->status);
	cfs_buf_varint(v, s->length);
	cfs_buf_varint(v, s->bytes);
	cfs_buf_varint(v, s->inner_offset);
	cfs_buf_varint(v, s->inner_length);
	cfs_buf_varint(v, 0);
	cfs_buf_varint(v, url.n);
	cfs_buf_add(v, url);
	put_hash(b, f, "id:", s->refers_to, false);
	cfs_buf_addc(v, (uint8_t)s->container);
	cfs_buf_le64(v, (uint64_t)s->time);
	cfs_buf_le64(v, s->has_place ? cfs_join_place(s->place_archive,
						      s->place_offset) : 0);
	atomic_store_explicit(&b->joins, true, memory_order_relaxed);
}

/* Widens the span of an archive's times. */
static void note_time(struct span *s, int64_t t)
{
	int64_t old = atomic_load_explicit(&s->first, memory_order_relaxed);

	while (t < old && !atomic_compare_exchange_weak_explicit(
			&s->first, &old, t, memory_order_relaxed,
			memory_order_relaxed))
		;
	old = atomic_load_explicit(&s->last, memory_order_relaxed);
	while (t > old && !atomic_compare_exchange_weak_explicit(
			&s->last, &old, t, memory_order_relaxed,
			memory_order_relaxed))
		;
}

static void count_skipped(struct feeder *f, struct cfs_slice url)
{
	struct cfs_url u;

	switch (cfs_url_parse(url, &u)) {
	case CFS_ENOTFOUND:
		f->counts.skipped_scheme++;
		break;
	case CFS_EFORMAT:
		f->counts.skipped_nul++;
		break;
	case CFS_ELIMIT:
		f->counts.skipped_long++;
		break;
	default:
		f->counts.skipped_deep++;
	}
}

/* Key and value of a PB-tree entry.  CFS_ENOTFOUND: it has no place. */
static int prepare_pbtree(struct feeder *f,
			  const struct cfs_builder_capture *c)
{
	struct cfs_pbtree_value v = {
		.segment = c->pb_segment, .date_ms = c->pb_date_ms,
		.partition = c->pb_partition, .offset = c->offset,
		.length = c->length > UINT32_MAX ? UINT32_MAX :
						   (uint32_t)c->length,
	};
	uint8_t bytes[CFS_PBTREE_VALUE_BYTES];
	int rc = cfs_pbtree_url_key(c->url, &f->key);

	if (rc != CFS_OK)
		return rc;
	cfs_pbtree_value_encode(&v, bytes);
	return cfs_buf_append(&f->value, bytes, sizeof(bytes));
}

static int prepare_cfx(struct cfs_builder *b, struct feeder *f,
		       const struct cfs_builder_capture *c)
{
	struct cfs_url u;
	int rc = cfs_urlkey_encode(c->url, &f->key);

	if (rc != CFS_OK)
		return rc;
	cfs_url_parse(c->url, &u);
	encode_value(b, f, c, (uint8_t)u.scheme);
	note_time(&b->times[c->archive], c->time);
	if (c->offset > f->offset_max)
		f->offset_max = c->offset;
	return f->value.failed;
}

/* Into the sort, once it is prepared; rc and url: how that went for what. */
static int add_prepared(struct cfs_builder *b, unsigned feeder, int rc,
			struct cfs_slice url, struct cfs_error *err)
{
	struct feeder *f = &b->feeders[feeder];

	if (f->key.failed == CFS_ENOMEM || f->value.failed != CFS_OK)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	if (rc != CFS_OK) {
		count_skipped(f, url);
		return CFS_OK;
	}
	return cfs_extsort_add(b->sort, feeder, cfs_buf_slice(&f->key),
			       cfs_buf_slice(&f->value), err);
}

int cfs_builder_add(struct cfs_builder *b, unsigned feeder,
		    const struct cfs_builder_capture *cap,
		    struct cfs_error *err)
{
	struct feeder *f = &b->feeders[feeder];
	int rc;

	assert(feeder < b->opts.threads);
	assert(cap->archive < b->opts.n_archives ||
	       b->opts.format == CFS_INDEX_PBTREE);
	cfs_buf_reset(&f->key);
	cfs_buf_reset(&f->value);
	rc = b->opts.format == CFS_INDEX_PBTREE ? prepare_pbtree(f, cap) :
						  prepare_cfx(b, f, cap);
	return add_prepared(b, feeder, rc, cap->url, err);
}

int cfs_builder_add_side(struct cfs_builder *b, unsigned feeder,
			 const struct cfs_builder_side *side,
			 struct cfs_error *err)
{
	struct feeder *f = &b->feeders[feeder];
	struct cfs_url u;
	int rc;

	assert(feeder < b->opts.threads && side->archive < b->opts.n_archives);
	assert(b->opts.format == CFS_INDEX_CFX);
	cfs_buf_reset(&f->key);
	cfs_buf_reset(&f->value);
	rc = cfs_urlkey_encode(side->url, &f->key);
	if (rc == CFS_OK) {
		cfs_url_parse(side->url, &u);
		encode_side(b, f, side, (uint8_t)u.scheme);
		note_time(&b->times[side->archive], side->time);
		if (side->offset > f->offset_max)
			f->offset_max = side->offset;
	}
	return add_prepared(b, feeder, rc, side->url, err);
}

/* ---- merging ---- */

static uint64_t take_be(struct cfs_cursor *c, unsigned bytes)
{
	struct cfs_slice s = cfs_cursor_take(c, bytes);
	uint64_t v = 0;

	for (size_t i = 0; i < s.n; i++)
		v = v << 8 | s.p[i];
	return v;
}

static enum cfs_join_what what_of(uint8_t flags)
{
	if (flags & VALUE_SIDE)
		return flags & VALUE_META ? CFS_JOIN_META : CFS_JOIN_TEXT;
	return flags & VALUE_WET ? CFS_JOIN_CONVERSION : CFS_JOIN_PAGE;
}

/* Decodes a sorted value; hashes are 0 where there is none.  *item is zeroed
 * but for the key. */
static bool decode_value(struct cfs_slice value, struct cfs_join_item *item)
{
	struct cfs_cursor c = { value, false };
	struct cfs_cfx_entry *e = &item->e;
	uint8_t flags;

	e->time = (int64_t)(take_be(&c, 8) ^ (uint64_t)1 << 63);
	e->archive = (uint32_t)take_be(&c, 4);
	e->offset = take_be(&c, 8);
	flags = cfs_cursor_u8(&c);
	e->body_is_exact = flags & VALUE_EXACT;
	e->kind = (enum cfs_kind)cfs_cursor_u8(&c);
	e->scheme = cfs_cursor_u8(&c);
	e->status = (uint16_t)cfs_cursor_varint(&c);
	e->length = cfs_cursor_varint(&c);
	e->body_bytes = cfs_cursor_varint(&c);
	e->inner_offset = cfs_cursor_varint(&c);
	e->inner_length = cfs_cursor_varint(&c);
	e->mime = cfs_cursor_take(&c, cfs_cursor_varint(&c));
	e->url = cfs_cursor_take(&c, cfs_cursor_varint(&c));
	item->what = what_of(flags);
	item->ref[0] = flags & VALUE_ID ? cfs_cursor_le64(&c) : 0;
	item->ref[1] = flags & VALUE_DIGEST ? cfs_cursor_le64(&c) : 0;
	item->id = e->kind == CFS_KIND_REVISIT ? 0 : item->ref[0];
	if (item->what != CFS_JOIN_PAGE)
		item->ref[0] = 0;
	e->has_view_bytes = flags & VALUE_VIEWS;
	if (flags & VALUE_VIEWS) {
		e->meta_bytes = cfs_cursor_varint(&c);
		e->text_bytes = cfs_cursor_varint(&c);
	}
	if (flags & VALUE_SIDE) {
		item->container = (enum cfs_side_kind)cfs_cursor_u8(&c);
		e->time = (int64_t)cfs_cursor_le64(&c);
		item->place = cfs_cursor_le64(&c);
	}
	return !c.bad && c.rest.n == 0;
}

/* Into the second sort: under the hash, what is asked for (a zero byte)
 * before the captures (a one and the position). */
static int add_refs(struct cfs_builder *b, const struct cfs_cfx_entry *e,
		    const uint64_t hash[2], cfs_pos pos, struct cfs_error *err)
{
	bool asks = e->kind == CFS_KIND_REVISIT;
	uint8_t key[8], value[9] = { asks ? 0 : 1 };
	int rc = CFS_OK;

	for (unsigned i = 0; i < 8 && !asks; i++)
		value[1 + i] = (uint8_t)(pos >> (56 - 8 * i));
	for (unsigned i = 0; i < 2 && rc == CFS_OK; i++) {
		if (hash[i] == 0 || (!asks && !bloom_has(b, hash[i])))
			continue;
		for (unsigned j = 0; j < 8; j++)
			key[j] = (uint8_t)(hash[i] >> (56 - 8 * j));
		rc = cfs_extsort_add(b->refs, 0,
				     cfs_slice_of(key, sizeof(key)),
				     cfs_slice_of(value, asks ? 1 : 9), err);
	}
	return rc;
}

static int write_refs(struct cfs_builder *b, struct cfs_cfx_writer *w,
		      struct cfs_error *err)
{
	struct cfs_slice key, value;
	uint64_t hash = 0, now;
	unsigned written = 0;
	bool asked = false;
	int rc = cfs_extsort_merge(b->refs, err);

	while (rc == CFS_OK) {
		struct cfs_cursor c;

		rc = cfs_extsort_next(b->refs, &key, &value, err);
		if (rc != CFS_OK)
			break;
		c = (struct cfs_cursor){ key, false };
		now = take_be(&c, 8);
		if (now != hash) {
			asked = false;
			written = 0;
		}
		hash = now;
		c = (struct cfs_cursor){ value, false };
		if (cfs_cursor_u8(&c) == 0)
			asked = true;
		else if (asked && written++ < REFS_OF_ONE_MAX)
			rc = cfs_cfx_writer_ref(w, hash, take_be(&c, 8), err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

static void tell_merged(struct cfs_builder *b)
{
	if (++b->merged % MERGED_EVERY == 0 || b->merged == b->total)
		if (b->opts.merged != NULL)
			b->opts.merged(b->opts.arg, b->merged, b->total);
}

static int bad_temporary(struct cfs_builder *b, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, b->opts.tmp_dir, 0,
			    "temporary file is damaged");
}

static int write_entry(struct cfs_builder *b, struct cfs_cfx_writer *w,
		       struct cfs_join_item *item, struct cfs_error *err)
{
	struct cfs_cfx_entry *e = &item->e;
	cfs_pos pos;
	int rc;

	if (e->text.kind != CFS_SIDE_NONE && e->meta.kind != CFS_SIDE_NONE)
		e->has_view_bytes = false;	/* of no use */
	rc = cfs_cfx_writer_add(w, e, &pos, err);
	if (rc == CFS_OK && atomic_load(&b->revisits))
		rc = add_refs(b, e, item->ref, pos, err);
	return rc;
}

/* ---- entries of one key ---- */

struct group {
	struct cfs_buf key, values, spans;	/* spans: le32 lengths */
	struct cfs_join_counts counts;
	size_t n;
};

static void group_init(struct group *g)
{
	*g = (struct group){ .n = 0 };
	cfs_buf_init(&g->key, CFS_KEY_MAX);
	cfs_buf_init(&g->values, GROUP_BYTES);
	cfs_buf_init(&g->spans, 4 * GROUP_MAX);
}

static void group_release(struct group *g)
{
	cfs_buf_release(&g->key);
	cfs_buf_release(&g->values);
	cfs_buf_release(&g->spans);
}

static bool group_takes(const struct group *g, struct cfs_slice key,
			struct cfs_slice value)
{
	return g->n == 0 || (g->n < GROUP_MAX &&
			     value.n <= GROUP_BYTES - g->values.n &&
			     cfs_slice_eq(key, cfs_buf_slice(&g->key)));
}

static int group_add(struct group *g, struct cfs_slice key,
		     struct cfs_slice value)
{
	if (g->n++ == 0) {
		cfs_buf_reset(&g->key);
		cfs_buf_add(&g->key, key);
	}
	cfs_buf_add(&g->values, value);
	cfs_buf_le32(&g->spans, (uint32_t)value.n);
	return g->key.failed != CFS_OK ? g->key.failed :
	       g->values.failed != CFS_OK ? g->values.failed : g->spans.failed;
}

static int in_index_order(const void *a, const void *b)
{
	const struct cfs_cfx_entry *x = &((const struct cfs_join_item *)a)->e;
	const struct cfs_cfx_entry *y = &((const struct cfs_join_item *)b)->e;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->archive != y->archive)
		return x->archive < y->archive ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->inner_offset != y->inner_offset)
		return x->inner_offset < y->inner_offset ? -1 : 1;
	return x->text.loc.inner_offset < y->text.loc.inner_offset ? -1 :
	       x->text.loc.inner_offset > y->text.loc.inner_offset;
}

static int join_group(struct cfs_builder *b, struct group *g,
		      struct cfs_join_item *items, struct cfs_error *err)
{
	struct cfs_cursor v = { cfs_buf_slice(&g->values), false };
	struct cfs_cursor n = { cfs_buf_slice(&g->spans), false };
	bool joins = false;
	int rc;

	for (size_t i = 0; i < g->n; i++) {
		items[i].e.key = cfs_buf_slice(&g->key);
		if (!decode_value(cfs_cursor_take(&v, cfs_cursor_le32(&n)),
				  &items[i]))
			return bad_temporary(b, err);
		joins |= items[i].what != CFS_JOIN_PAGE;
	}
	if (!joins)
		return CFS_OK;
	rc = cfs_join(items, g->n, b->opts.origins, &g->counts);
	if (rc != CFS_OK)
		return cfs_error_set(err, rc, "out of memory");
	if (g->n > 1)
		qsort(items, g->n, sizeof(*items), in_index_order);
	return CFS_OK;
}

static int write_group(struct cfs_builder *b, struct cfs_cfx_writer *w,
		       struct group *g, struct cfs_error *err)
{
	struct cfs_join_item one = { .is_gone = false }, *items = &one;
	int rc;

	if (g->n == 0)
		return CFS_OK;
	if (g->n > 1)
		items = calloc(g->n, sizeof(*items));
	if (items == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	rc = join_group(b, g, items, err);
	for (size_t i = 0; i < g->n && rc == CFS_OK; i++) {
		if (!items[i].is_gone)
			rc = write_entry(b, w, &items[i], err);
		tell_merged(b);
	}
	if (items != &one)
		free(items);
	g->n = 0;
	cfs_buf_reset(&g->values);
	cfs_buf_reset(&g->spans);
	return rc;
}

/* The merge where something wants to be joined. */
static int merge_joining(struct cfs_builder *b, struct cfs_cfx_writer *w,
			 struct cfs_builder_counts *counts,
			 struct cfs_error *err)
{
	struct cfs_slice key, value;
	struct group g;
	int rc;

	group_init(&g);
	while ((rc = cfs_extsort_next(b->sort, &key, &value, err)) == CFS_OK) {
		if (!group_takes(&g, key, value))
			rc = write_group(b, w, &g, err);
		if (rc == CFS_OK && group_add(&g, key, value) != CFS_OK)
			rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
		if (rc != CFS_OK)
			break;
	}
	if (rc == CFS_END)
		rc = write_group(b, w, &g, err);
	counts->texts = g.counts.texts;
	counts->metas = g.counts.metas;
	counts->text_pages = g.counts.text_pages;
	counts->meta_pages = g.counts.meta_pages;
	counts->unclear = g.counts.unclear;
	group_release(&g);
	return rc == CFS_OK ? CFS_END : rc;
}

static int merge_plain(struct cfs_builder *b, struct cfs_cfx_writer *w,
		       struct cfs_error *err)
{
	struct cfs_slice value;
	int rc = CFS_OK;

	while (rc == CFS_OK) {
		struct cfs_join_item item = { .is_gone = false };

		rc = cfs_extsort_next(b->sort, &item.e.key, &value, err);
		if (rc != CFS_OK)
			break;
		if (!decode_value(value, &item))
			return bad_temporary(b, err);
		rc = write_entry(b, w, &item, err);
		tell_merged(b);
	}
	return rc;
}

static int merge_cfx(struct cfs_builder *b, struct cfs_cfx_writer *w,
		     struct cfs_builder_counts *counts, struct cfs_error *err)
{
	int rc = atomic_load(&b->joins) ? merge_joining(b, w, counts, err) :
					  merge_plain(b, w, err);

	if (rc == CFS_END)
		rc = atomic_load(&b->revisits) ? write_refs(b, w, err) : CFS_OK;
	return rc;
}

/* First times for the writer, and the longest span. */
static int settle_times(struct cfs_builder *b, uint64_t *span,
			struct cfs_error *err)
{
	*span = 0;
	b->first_times = calloc(b->opts.n_archives + 1u,
				sizeof(*b->first_times));
	if (b->first_times == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < b->opts.n_archives; i++) {
		int64_t first = b->times[i].first, last = b->times[i].last;
		uint64_t n = (uint64_t)last - (uint64_t)first;

		if (first > last)
			continue;	/* no capture: stays 0 */
		b->first_times[i] = first;
		if (n > *span)
			*span = n;
	}
	return CFS_OK;
}

static int finish_cfx(struct cfs_builder *b, struct cfs_builder_counts *counts,
		      struct cfs_error *err)
{
	struct cfs_cfx_params p = {
		.fd = b->fd, .name = b->path, .symbols = &b->symbols,
		.archives = b->opts.archives, .n_archives = b->opts.n_archives,
		.view_code = b->opts.view_code,
	};
	struct cfs_cfx_writer *w = NULL;
	int rc = train(b, err);

	for (unsigned i = 0; i < b->opts.threads; i++)
		if (b->feeders[i].offset_max > p.offset_max)
			p.offset_max = b->feeders[i].offset_max;
	if (rc == CFS_OK)
		rc = settle_times(b, &p.time_max, err);
	p.first_times = b->first_times;
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_new(&w, &p, err);
	if (rc == CFS_OK)
		rc = merge_cfx(b, w, counts, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_finish(w, counts, err);
	cfs_cfx_writer_free(w);
	return rc;
}

static int finish_pbtree(struct cfs_builder *b,
			 struct cfs_builder_counts *counts,
			 struct cfs_error *err)
{
	struct cfs_pbtree_writer *w = NULL;
	struct cfs_slice key, value;
	int rc = cfs_pbtree_writer_new(&w, b->fd, PBTREE_BLOCK_BYTES,
				       CFS_PBTREE_VALUE_BYTES,
				       b->opts.tmp_dir, err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(b->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		rc = cfs_pbtree_writer_add(w, key, value, err);
		counts->captures++;
		tell_merged(b);
	}
	if (rc == CFS_END)
		rc = cfs_pbtree_writer_finish(w, &counts->file_bytes, err);
	cfs_pbtree_writer_free(w);
	return rc;
}

int cfs_builder_finish(struct cfs_builder *b, struct cfs_builder_counts *out,
		       struct cfs_error *err)
{
	int rc;

	*out = (struct cfs_builder_counts){ 0 };
	for (unsigned i = 0; i < b->opts.threads; i++) {
		const struct cfs_builder_counts *c = &b->feeders[i].counts;

		out->skipped_scheme += c->skipped_scheme;
		out->skipped_long += c->skipped_long;
		out->skipped_deep += c->skipped_deep;
		out->skipped_nul += c->skipped_nul;
	}
	b->total = cfs_extsort_count(b->sort);
	rc = cfs_extsort_merge(b->sort, err);
	if (rc == CFS_OK && b->opts.is_late)
		rc = make_tmp(b, err);
	if (rc == CFS_OK)
		rc = b->opts.format == CFS_INDEX_PBTREE ?
			finish_pbtree(b, out, err) : finish_cfx(b, out, err);
	if (rc == CFS_OK)
		rc = publish(b, err);
	if (rc != CFS_OK) {
		drop_tmp(b);
		cfs_error_where(err, b->path, 0);
	}
	return rc;
}

/* ---- new and free ---- */

/* Names go into a file that others open: they must stay below its folder. */
static int check_names(const struct cfs_builder_opts *o, struct cfs_error *err)
{
	for (uint32_t i = 0; i < o->n_archives; i++) {
		const char *name = o->archives[i].name;

		if (!cfx_name_is_safe(name))
			return cfs_error_set(err, CFS_EUSAGE, "archive name '%s'"
					     " does not lie below the index",
					     name);
	}
	return CFS_OK;
}

static int new_feeders(struct cfs_builder *b, struct cfs_error *err)
{
	b->feeders = calloc(b->opts.threads, sizeof(*b->feeders));
	if (b->feeders == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (unsigned i = 0; i < b->opts.threads; i++) {
		struct feeder *f = &b->feeders[i];

		cfs_buf_init(&f->key, CFS_KEY_MAX + 64);
		cfs_buf_init(&f->value, CFS_EXTSORT_ITEM_MAX);
		cfs_buf_init(&f->url, SIZE_MAX);
		cfs_buf_init(&f->sample, 2 * SAMPLE_FEEDER);
	}
	return CFS_OK;
}

static int new_cfx(struct cfs_builder *b, size_t memory, struct cfs_error *err)
{
	struct cfs_extsort_opts refs = {
		.memory_bytes = memory / 8, .feeders = 1,
		.tmp_dir = b->opts.tmp_dir, .cancel = b->opts.cancel,
	};
	int rc = check_names(&b->opts, err);

	if (rc != CFS_OK)
		return rc;
	b->times = calloc(b->opts.n_archives + 1u, sizeof(*b->times));
	b->bloom = calloc(BLOOM_BITS / 64, sizeof(*b->bloom));
	if (b->times == NULL || b->bloom == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < b->opts.n_archives; i++) {
		atomic_init(&b->times[i].first, INT64_MAX);
		atomic_init(&b->times[i].last, INT64_MIN);
	}
	return cfs_extsort_new(&b->refs, &refs, err);
}

int cfs_builder_new(struct cfs_builder **out,
		    const struct cfs_builder_opts *opts, struct cfs_error *err)
{
	struct cfs_builder *b = calloc(1, sizeof(*b));
	size_t memory = opts->memory_bytes ? opts->memory_bytes : MEMORY_DEFAULT;
	struct cfs_extsort_opts so;
	int rc;

	*out = NULL;
	if (b == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	b->opts = *opts;
	b->fd = -1;
	if (b->opts.threads == 0)
		b->opts.threads = 1;
	b->path = strdup(opts->path);
	b->dir = dir_of(opts->path);
	rc = b->path == NULL || b->dir == NULL ?
		cfs_error_set(err, CFS_ENOMEM, "out of memory") : CFS_OK;
	if (b->opts.tmp_dir == NULL)
		b->opts.tmp_dir = b->dir;
	so = (struct cfs_extsort_opts){
		.memory_bytes = memory - memory / 8,
		.feeders = b->opts.threads, .tmp_dir = b->opts.tmp_dir,
		.cancel = b->opts.cancel, .arg = b,
		.sorted = opts->format == CFS_INDEX_CFX ? sample_run : NULL,
	};
	if (rc == CFS_OK)
		rc = new_feeders(b, err);
	if (rc == CFS_OK && opts->format == CFS_INDEX_CFX)
		rc = new_cfx(b, memory, err);
	if (rc == CFS_OK)
		rc = cfs_extsort_new(&b->sort, &so, err);
	if (rc == CFS_OK && !opts->is_late)
		rc = make_tmp(b, err);
	if (rc != CFS_OK) {
		cfs_builder_free(b);
		return rc;
	}
	*out = b;
	return CFS_OK;
}

void cfs_builder_free(struct cfs_builder *b)
{
	if (b == NULL)
		return;
	drop_tmp(b);
	for (unsigned i = 0; b->feeders != NULL && i < b->opts.threads; i++) {
		cfs_buf_release(&b->feeders[i].key);
		cfs_buf_release(&b->feeders[i].value);
		cfs_buf_release(&b->feeders[i].url);
		cfs_buf_release(&b->feeders[i].sample);
	}
	free(b->feeders);
	cfs_extsort_free(b->sort);
	cfs_extsort_free(b->refs);
	free(b->times);
	free((void *)(uintptr_t)b->bloom);
	free(b->first_times);
	free(b->path);
	free(b->dir);
	free(b);
}
