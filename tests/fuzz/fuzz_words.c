/* fuzz_words.c - any bytes as a list of words.
 *
 * The checksums are made good first, so that what lies behind them is reached.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fuzz.h"
#include "words/words.h"

#define STEPS_MAX 2000
#define PART_FILE (CFS_WORDS_PART_BYTES + CFS_WORDS_SUM_BYTES)

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void mend_at(uint8_t *p, uint64_t off, uint64_t n,
		    enum cfs_words_section section, uint64_t number)
{
	cfs_le64_put(p + off, cfs_hash64(cfs_slice_of(
		p + off + CFS_WORDS_SUM_BYTES, n - CFS_WORDS_SUM_BYTES),
		cfs_words_seed(section, number)));
}

/* The blocks of the dictionary, as the top list has them. */
static void mend_blocks(uint8_t *p, const struct cfs_words_header *h)
{
	const struct cfs_words_section_at *top = &h->sections[CFS_WORDS_TOP];
	struct cfs_cursor c = { cfs_slice_of(p + top->file_off, top->bytes),
				false };
	uint64_t off = h->sections[CFS_WORDS_DICTIONARY].file_off;
	uint64_t end = off + h->sections[CFS_WORDS_DICTIONARY].file_bytes;

	for (uint64_t i = 0; i < h->blocks && !c.bad; i++) {
		uint64_t n;

		cfs_cursor_take(&c, cfs_cursor_varint(&c));
		n = cfs_cursor_varint(&c);
		cfs_cursor_varint(&c);
		cfs_cursor_varint(&c);
		if (n <= CFS_WORDS_SUM_BYTES || n > end - off)
			break;
		mend_at(p, off, n, CFS_WORDS_DICTIONARY, i);
		off += n;
	}
}

static void mend(uint8_t *p, size_t size)
{
	struct cfs_words_header h;

	memcpy(p, CFS_WORDS_MAGIC, CFS_WORDS_MAGIC_BYTES);
	cfs_le32_put(p + 8, CFS_WORDS_FORMAT_VERSION);
	cfs_le64_put(p + 24, size);
	cfs_words_header_decode(p, &h);
	for (unsigned i = 0; i < CFS_WORDS_SECTIONS; i++) {
		struct cfs_words_section_at *s = &h.sections[i];
		uint64_t n = 0;

		if (s->file_off > size || s->file_off < CFS_WORDS_HEADER_BYTES ||
		    s->file_bytes > size - s->file_off ||
		    s->bytes > s->file_bytes)
			return;
		if (i >= CFS_WORDS_LEAVES)
			cfs_le64_put(p + CFS_WORDS_OFF_SECTIONS +
				     i * CFS_WORDS_SECTION_BYTES + 24,
				     cfs_hash64(cfs_slice_of(p + s->file_off,
							     s->bytes),
						cfs_words_seed(i, 0)));
		else if (i != CFS_WORDS_DICTIONARY)
			for (uint64_t at = 0; at < s->file_bytes; at += n) {
				n = s->file_bytes - at;
				if (n > PART_FILE)
					n = PART_FILE;
				if (n <= CFS_WORDS_SUM_BYTES)
					break;
				mend_at(p, s->file_off + at, n, i,
					at / PART_FILE);
			}
	}
	mend_blocks(p, &h);
	cfs_le64_put(p + CFS_WORDS_OFF_CHECKSUM,
		     cfs_hash64(cfs_slice_of(p, CFS_WORDS_OFF_CHECKSUM), 0));
}

static void check_hits(const struct cfs_hits *hits, uint64_t docs)
{
	for (size_t i = 0; i < hits->n; i++)
		must(hits->v[i] < docs &&
		     (i == 0 || hits->v[i] > hits->v[i - 1]));
}

/* Each word of a walk is found, unless the dictionary is out of order. */
static void walk(struct cfs_words *w, bool is_whole)
{
	uint64_t docs = cfs_words_info(w)->docs;
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_hits list = { 0 }, f = { 0 };
	struct cfs_words_walk *at;
	struct cfs_slice word;
	uint32_t n;
	int rc = cfs_words_walk_begin(&at, w, CFS_SLICE_EMPTY, ctx.err);

	for (int i = 0; i < STEPS_MAX && (rc == CFS_OK || rc == CFS_EFORMAT);
	     i++) {
		rc = cfs_words_next(at, &word, &n, ctx);
		if (rc != CFS_OK)
			continue;
		must(word.n > 0 && word.n <= CFS_WORD_MAX && n <= docs);
		rc = cfs_words_postings(at, &list, &f, ctx);
		must(rc == CFS_OK || (rc == CFS_EFORMAT && !is_whole));
		if (rc == CFS_OK)
			must(list.n == n && f.n == n);
		check_hits(&list, docs);
	}
	must(rc == CFS_OK || rc == CFS_END || (rc == CFS_EFORMAT && !is_whole));
	cfs_words_walk_end(at);
	cfs_hits_release(&list);
	cfs_hits_release(&f);
}

static void ask(struct cfs_words *w, struct cfs_slice typed)
{
	uint64_t docs = cfs_words_info(w)->docs;
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_hits hits = { 0 };
	struct cfs_word_query *q;
	struct cfs_buf near;
	double *scores;
	bool surely;

	cfs_buf_init(&near, 4096);
	if (cfs_word_query_parse(&q, typed, NULL) == CFS_OK) {
		must(cfs_words_find(w, q, &hits, &surely, ctx) == CFS_OK);
		check_hits(&hits, docs);
		scores = malloc((hits.n + 1) * sizeof(*scores));
		must(cfs_words_score(w, q, &hits, scores, ctx) == CFS_OK);
		for (size_t i = 0; i < hits.n; i++)
			must(scores[i] >= 0);
		free(scores);
		cfs_word_query_free(q);
	}
	must(cfs_words_part(w, typed, &hits, ctx) == CFS_OK);
	check_hits(&hits, docs);
	must(cfs_words_docs_of(w, CFS_WORDS_UNREAD, &hits, ctx.err) == CFS_OK);
	check_hits(&hits, docs);
	must(cfs_words_near(w, typed, 3, &near, ctx) == CFS_OK);
	cfs_buf_release(&near);
	cfs_hits_release(&hits);
}

FUZZ_TARGET(data, size)
{
	struct cfs_source *src;
	struct cfs_words *w;
	uint8_t *p;
	int rc;

	if (size < CFS_WORDS_HEADER_BYTES)
		return 0;
	p = malloc(size);
	if (p == NULL)
		return 0;
	memcpy(p, data, size);
	mend(p, size);
	rc = cfs_source_open_memory(&src, cfs_slice_of(p, size), "fuzz", NULL);
	if (rc == CFS_OK &&
	    cfs_words_open(&w, src, NULL, CFS_CTX(NULL, NULL)) == CFS_OK) {
		bool is_whole = cfs_words_check(w, CFS_CTX(NULL, NULL)) ==
				CFS_OK;

		walk(w, is_whole);
		ask(w, CFS_SLICE_LIT("a"));
		ask(w, CFS_SLICE_LIT("\xe4\xba\xac"));
		if (cfs_words_info(w)->docs > 0)
			must(cfs_words_doc(w, cfs_words_pos(w, 0)) == 0);
		cfs_words_close(w);
	}
	free(p);
	return 0;
}
