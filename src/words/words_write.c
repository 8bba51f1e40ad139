/* words_write.c - writes a list of words (words_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "postings.h"
#include "word_split.h"

/* Bytes of the file that is written, or of the dictionary, held back. */
#define COPY_BYTES ((size_t)1 << 18)

struct cfs_words_writer {
	int fd, dict_fd;
	const char *name;
	uint64_t at, dict_at;		/* where the two files end */
	struct cfs_words_header head;
	uint64_t part;			/* number of the next part */
	struct cfs_buf stream;		/* the part of a stream so far */
	struct cfs_buf block;		/* the block of the dictionary */
	struct cfs_buf top;
	uint64_t block_words;
	uint64_t top_postings;		/* bytes before the last block */
	uint64_t block_postings;	/* bytes before this block */
	uint8_t first[CFS_WORD_MAX];	/* of the block */
	uint8_t word[CFS_WORD_MAX];	/* whose list is written */
	uint8_t last[CFS_WORD_MAX];	/* the one before in the dictionary */
	size_t first_n, word_n, last_n;
	struct cfs_postings_out out;
	struct cfs_buf list;		/* ... that is not in the stream yet */
	uint64_t list_bytes;		/* ... that is */
	uint32_t docs;			/* of the word */
};

int cfs_words_writer_new(struct cfs_words_writer **out, int fd,
			 const char *name, const char *tmp_dir,
			 struct cfs_error *err)
{
	struct cfs_words_writer *w = calloc(1, sizeof(*w));

	*out = NULL;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->fd = fd;
	w->name = name;
	w->at = CFS_WORDS_HEADER_BYTES;
	w->head.sections[CFS_WORDS_POSTINGS].file_off = w->at;
	cfs_buf_init(&w->stream, CFS_WORDS_PART_BYTES);
	cfs_buf_init(&w->block, 2 * CFS_WORDS_BLOCK_MAX);
	cfs_buf_init(&w->top, SIZE_MAX);
	cfs_buf_init(&w->list, SIZE_MAX);
	w->dict_fd = cfs_temp_file(tmp_dir);
	if (w->dict_fd < 0) {
		cfs_words_writer_free(w);
		return cfs_error_set(err, CFS_EIO,
				     "no temporary file in '%s': %s", tmp_dir,
				     strerror(errno));
	}
	*out = w;
	return CFS_OK;
}

void cfs_words_writer_free(struct cfs_words_writer *w)
{
	if (w == NULL)
		return;
	if (w->dict_fd >= 0)
		close(w->dict_fd);
	cfs_buf_release(&w->stream);
	cfs_buf_release(&w->block);
	cfs_buf_release(&w->top);
	cfs_buf_release(&w->list);
	free(w);
}

/* ---- the file ---- */

/* Writes bytes at an offset, of the file or of that which has the
 * dictionary. */
static int write_at(struct cfs_words_writer *w, int fd, struct cfs_slice s,
		    uint64_t off, struct cfs_error *err)
{
	size_t done = cfs_write_at(fd, s.p, s.n, off);

	if (done == s.n)
		return CFS_OK;
	return cfs_error_at(err, CFS_EIO, w->name, off + done,
			    "cannot be written: %s", strerror(errno));
}

static int append(struct cfs_words_writer *w, struct cfs_slice s,
		  struct cfs_error *err)
{
	int rc = write_at(w, w->fd, s, w->at, err);

	w->at += s.n;
	return rc;
}

static int failed(const struct cfs_buf *b, struct cfs_error *err)
{
	return b->failed == CFS_OK ? CFS_OK :
	       cfs_error_set(err, b->failed, "no memory for the words");
}

/* ---- streams and sections ---- */

static int put_part(struct cfs_words_writer *w, enum cfs_words_section section,
		    struct cfs_error *err)
{
	uint8_t sum[CFS_WORDS_SUM_BYTES];
	struct cfs_slice s = cfs_buf_slice(&w->stream);
	int rc;

	if (s.n == 0)
		return CFS_OK;
	cfs_le64_put(sum, cfs_hash64(s, cfs_words_seed(section, w->part++)));
	rc = append(w, cfs_slice_of(sum, sizeof(sum)), err);
	if (rc == CFS_OK)
		rc = append(w, s, err);
	w->head.sections[section].bytes += s.n;
	cfs_buf_reset(&w->stream);
	return rc;
}

static int put_stream(struct cfs_words_writer *w,
		      enum cfs_words_section section, struct cfs_slice s,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && s.n > 0) {
		struct cfs_slice now = cfs_slice_sub(
			s, 0, CFS_WORDS_PART_BYTES - w->stream.n);

		cfs_buf_add(&w->stream, now);
		rc = failed(&w->stream, err);
		if (rc == CFS_OK && w->stream.n == CFS_WORDS_PART_BYTES)
			rc = put_part(w, section, err);
		s = cfs_slice_from(s, now.n);
	}
	return rc;
}

/* Ends a stream; then sections begin here. */
static int end_stream(struct cfs_words_writer *w,
		      enum cfs_words_section section, struct cfs_error *err)
{
	struct cfs_words_section_at *at = &w->head.sections[section];
	int rc = put_part(w, section, err);

	at->file_bytes = w->at - at->file_off;
	w->part = 0;
	return rc;
}

static int put_section(struct cfs_words_writer *w,
		       enum cfs_words_section section, struct cfs_slice s,
		       struct cfs_error *err)
{
	w->head.sections[section] = (struct cfs_words_section_at){
		w->at, s.n, s.n, cfs_hash64(s, cfs_words_seed(section, 0)) };
	return append(w, s, err);
}

/* ---- the dictionary ---- */

static int end_block(struct cfs_words_writer *w, struct cfs_error *err)
{
	struct cfs_slice s = cfs_buf_slice(&w->block);
	uint8_t sum[CFS_WORDS_SUM_BYTES];
	int rc;

	if (s.n == 0)
		return CFS_OK;
	cfs_buf_varint(&w->top, w->first_n);
	cfs_buf_append(&w->top, w->first, w->first_n);
	cfs_buf_varint(&w->top, s.n + sizeof(sum));
	cfs_buf_varint(&w->top, w->block_words);
	cfs_buf_varint(&w->top, w->block_postings - w->top_postings);
	w->top_postings = w->block_postings;
	cfs_le64_put(sum, cfs_hash64(s, cfs_words_seed(CFS_WORDS_DICTIONARY,
						       w->head.blocks++)));
	rc = failed(&w->top, err);
	if (rc == CFS_OK)
		rc = write_at(w, w->dict_fd, cfs_slice_of(sum, sizeof(sum)),
			      w->dict_at, err);
	if (rc == CFS_OK)
		rc = write_at(w, w->dict_fd, s, w->dict_at + sizeof(sum), err);
	w->dict_at += sizeof(sum) + s.n;
	w->block_words = 0;
	cfs_buf_reset(&w->block);
	return rc;
}

static void put_nibbles(struct cfs_buf *b, size_t shared, size_t rest)
{
	size_t high = shared < 15 ? shared : 15;
	size_t low = rest < 15 ? rest : 15;

	cfs_buf_addc(b, (uint8_t)(high << 4 | low));
	if (high == 15)
		cfs_buf_varint(b, shared - 15);
	if (low == 15)
		cfs_buf_varint(b, rest - 15);
}

/* Puts the word, whose list has so many bytes, into the dictionary. */
static int put_entry(struct cfs_words_writer *w, uint64_t list_bytes,
		     struct cfs_error *err)
{
	size_t shared = 0;

	if (w->block.n == 0) {
		memcpy(w->first, w->word, w->word_n);
		w->first_n = w->word_n;
		w->last_n = 0;
		w->block_postings = w->head.sections[CFS_WORDS_POSTINGS].bytes +
				    w->stream.n - w->list_bytes;
	}
	while (shared < w->last_n && shared < w->word_n &&
	       w->last[shared] == w->word[shared])
		shared++;
	put_nibbles(&w->block, shared, w->word_n - shared);
	cfs_buf_append(&w->block, w->word + shared, w->word_n - shared);
	cfs_buf_varint(&w->block, w->docs);
	cfs_buf_varint(&w->block, list_bytes);
	if (list_bytes <= CFS_WORDS_INLINE)
		cfs_buf_add(&w->block, cfs_buf_slice(&w->list));
	memcpy(w->last, w->word, w->word_n);
	w->last_n = w->word_n;
	w->block_words++;
	w->head.words++;
	w->head.postings += w->docs;
	if (w->block.failed == CFS_OK && w->block.n >= CFS_WORDS_BLOCK_BYTES)
		return end_block(w, err);
	return failed(&w->block, err);
}

/* Moves what is there of the list to the postings. */
static int spill_list(struct cfs_words_writer *w, struct cfs_error *err)
{
	int rc = failed(&w->list, err);

	if (rc == CFS_OK)
		rc = put_stream(w, CFS_WORDS_POSTINGS, cfs_buf_slice(&w->list),
				err);
	w->list_bytes += w->list.n;
	cfs_buf_reset(&w->list);
	return rc;
}

static int end_word(struct cfs_words_writer *w, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (w->docs == 0)
		return CFS_OK;
	cfs_postings_end(&w->out);
	if (w->list_bytes + w->list.n > CFS_WORDS_INLINE)
		rc = spill_list(w, err);
	if (rc == CFS_OK)
		rc = failed(&w->list, err);
	if (rc == CFS_OK)
		rc = put_entry(w, w->list_bytes + w->list.n, err);
	w->docs = 0;
	return rc;
}

int cfs_words_writer_word(struct cfs_words_writer *w, struct cfs_slice word,
			  struct cfs_error *err)
{
	int rc = end_word(w, err);

	memcpy(w->word, word.p, word.n);
	w->word_n = word.n;
	cfs_buf_reset(&w->list);
	w->list_bytes = 0;
	cfs_postings_begin(&w->out, &w->list);
	return rc;
}

int cfs_words_writer_posting(struct cfs_words_writer *w, uint32_t doc,
			     uint32_t frequency, struct cfs_error *err)
{
	cfs_postings_add(&w->out, doc, frequency);
	w->docs++;
	if (w->list.n < COPY_BYTES)
		return CFS_OK;
	return spill_list(w, err);
}

/* ---- the end ---- */

/* Copies the dictionary to the file. */
static int copy_dictionary(struct cfs_words_writer *w, struct cfs_error *err)
{
	struct cfs_words_section_at *at =
		&w->head.sections[CFS_WORDS_DICTIONARY];
	int rc = CFS_OK;

	*at = (struct cfs_words_section_at){
		w->at, w->dict_at,
		w->dict_at - w->head.blocks * CFS_WORDS_SUM_BYTES, 0 };
	cfs_buf_reset(&w->list);
	if (cfs_buf_reserve(&w->list, COPY_BYTES) != CFS_OK)
		return cfs_error_nomem(err);
	for (uint64_t off = 0; rc == CFS_OK && off < w->dict_at;) {
		size_t n = COPY_BYTES;

		if (n > w->dict_at - off)
			n = (size_t)(w->dict_at - off);
		if (cfs_read_at(w->dict_fd, w->list.p, n, off) != n)
			return cfs_error_set(err, CFS_EIO, "cannot read the "
					     "temporary file of '%s'", w->name);
		rc = append(w, cfs_slice_of(w->list.p, n), err);
		off += n;
	}
	return rc;
}

static int put_docs(struct cfs_words_writer *w, enum cfs_words_section section,
		    const uint32_t *docs, size_t n, struct cfs_error *err)
{
	int rc;

	cfs_buf_reset(&w->list);
	cfs_postings_begin(&w->out, &w->list);
	for (size_t i = 0; i < n; i++)
		cfs_postings_add(&w->out, docs[i], 1);
	cfs_postings_end(&w->out);
	rc = failed(&w->list, err);
	return rc != CFS_OK ? rc :
	       put_section(w, section, cfs_buf_slice(&w->list), err);
}

static int put_leaves(struct cfs_words_writer *w,
		      const struct cfs_words_docs *docs, struct cfs_error *err)
{
	int rc;

	cfs_buf_reset(&w->list);
	for (uint32_t i = 0; i < docs->n_leaves; i++)
		cfs_buf_le16(&w->list, docs->leaves[i]);
	rc = failed(&w->list, err);
	return rc != CFS_OK ? rc :
	       put_section(w, CFS_WORDS_LEAVES, cfs_buf_slice(&w->list), err);
}

static int put_lengths(struct cfs_words_writer *w,
		       const struct cfs_words_docs *docs, struct cfs_error *err)
{
	int rc;

	for (uint32_t i = 0; i < docs->n; i++)
		w->head.length_sum += cfs_words_length(docs->lengths[i]);
	w->head.sections[CFS_WORDS_LENGTHS].file_off = w->at;
	rc = put_stream(w, CFS_WORDS_LENGTHS,
			cfs_slice_of(docs->lengths, docs->n), err);
	if (rc == CFS_OK)
		rc = end_stream(w, CFS_WORDS_LENGTHS, err);
	return rc;
}

static int put_header(struct cfs_words_writer *w, struct cfs_error *err)
{
	uint8_t p[CFS_WORDS_HEADER_BYTES];

	cfs_words_header_encode(&w->head, p);
	return write_at(w, w->fd, cfs_slice_of(p, sizeof(p)), 0, err);
}

int cfs_words_writer_finish(struct cfs_words_writer *w,
			    const struct cfs_words_docs *docs,
			    uint64_t *file_bytes, struct cfs_error *err)
{
	int rc = end_word(w, err);

	w->head.rules = CFS_WORDS_VERSION;
	w->head.view_version = docs->view_version;
	w->head.tie = docs->tie;
	w->head.docs = docs->n;
	w->head.unread = docs->n_unread;
	w->head.longs = docs->n_longs;
	if (rc == CFS_OK)
		rc = end_block(w, err);
	if (rc == CFS_OK)
		rc = end_stream(w, CFS_WORDS_POSTINGS, err);
	if (rc == CFS_OK)
		rc = copy_dictionary(w, err);
	if (rc == CFS_OK)
		rc = put_lengths(w, docs, err);
	if (rc == CFS_OK)
		rc = put_leaves(w, docs, err);
	if (rc == CFS_OK)
		rc = put_docs(w, CFS_WORDS_UNREAD, docs->unread,
			      docs->n_unread, err);
	if (rc == CFS_OK)
		rc = put_docs(w, CFS_WORDS_LONG, docs->longs, docs->n_longs,
			      err);
	if (rc == CFS_OK)
		rc = put_section(w, CFS_WORDS_TOP, cfs_buf_slice(&w->top), err);
	*file_bytes = w->head.file_bytes = w->at;
	if (rc == CFS_OK)
		rc = put_header(w, err);
	return rc;
}
