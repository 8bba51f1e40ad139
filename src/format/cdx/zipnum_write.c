/* zipnum_write.c - writes a ZipNum cluster: sorted lines in gzip members of
 * shards, and cluster.idx.
 *
 * Spec: doc/formats.md, "ZipNum clusters".
 *
 *     cdx-NNNNN.gz   gzip members of 3,000 lines each, the last one of fewer
 *     cluster.idx    key SP time TAB shard TAB offset TAB length TAB number LF,
 *                    of each member's first line; numbers from 1
 *     cluster.loc    shard TAB path LF
 *
 * Threads compress several members at a time; their number has no effect on the
 * bytes.  Limits: a member ends early once it has MEMBER_BYTES.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zipnum_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clamp.h"
#include "base/fileio.h"
#include "base/pool.h"
#include "codec/gzip.h"

/* 3,000 lines with usual URLs take 1 MB; readers inflate a member whole. */
#define MEMBER_BYTES ((size_t)8 << 20)
#define LINE_ROOM ((size_t)256 << 10)
/* Members in memory, each with its compressed bytes. */
#define BATCH_MAX 16u
#define INDEX_BUFFER ((size_t)1 << 20)
#define SHARD_NAME_BYTES 32u

struct member {
	struct cfs_buf first;		/* key and time of the first line */
	struct cfs_buf text, gz;
	unsigned lines;
};

struct output {
	struct cfs_replacement file;
	uint64_t bytes;			/* so far */
};

struct cfs_zipnum_writer {
	struct cfs_zipnum_opts opts;
	char *path;			/* of cluster.idx */
	struct member batch[BATCH_MAX];
	unsigned n_batch, at;		/* members in use; index of the one
					 * being filled */
	struct output *shards;
	size_t n_shards, room;
	uint64_t members, expected;	/* members written; members expected */
	struct output index, loc;
	struct cfs_buf lines;		/* of cluster.idx or cluster.loc, not
					 * written yet */
	uint64_t bytes;
};

/* ---- files ---- */

/* FOLDER/name, malloced. */
static char *beside(const struct cfs_zipnum_writer *w, const char *name)
{
	const char *slash = strrchr(w->path, '/');
	char *out = NULL;

	if (asprintf(&out, "%.*s%s", slash == NULL ? 0 :
		     (int)(slash + 1 - w->path), w->path, name) < 0)
		return NULL;
	return out;
}

static int open_output(struct cfs_zipnum_writer *w, const char *name,
		       struct output *out, struct cfs_error *err)
{
	char *path = beside(w, name);
	int rc = path == NULL ? cfs_error_nomem(err) :
		 cfs_replacement_open(&out->file, path, w->opts.mode, err);

	out->bytes = 0;
	free(path);
	return rc;
}

static int zipnum_write_put(struct cfs_zipnum_writer *w, struct output *out,
			    struct cfs_slice s, struct cfs_error *err)
{
	size_t done = cfs_write_at(out->file.fd, s.p, s.n, out->bytes);

	out->bytes += done;
	w->bytes += done;
	return done == s.n ? CFS_OK :
	       cfs_error_at(err, CFS_EIO, out->file.path, out->bytes,
			    "cannot write: %s", strerror(errno));
}

static void shard_name(char name[SHARD_NAME_BYTES], size_t number)
{
	snprintf(name, SHARD_NAME_BYTES, "cdx-%05zu.gz", number);
}

static int flush_lines(struct cfs_zipnum_writer *w, struct output *to,
		       size_t above, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (w->lines.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (w->lines.n > above) {
		rc = zipnum_write_put(w, to, cfs_buf_slice(&w->lines), err);
		cfs_buf_reset(&w->lines);
	}
	return rc;
}

/* ---- shards ---- */

/* Does the next member to write begin a shard? */
static bool begins_shard(const struct cfs_zipnum_writer *w)
{
	uint64_t number;

	if (w->n_shards == 0 || w->opts.shards == 0)
		return w->n_shards == 0 || w->shards[w->n_shards - 1].bytes >=
					   CFS_ZIPNUM_SHARD_BYTES;
	if (w->n_shards == w->opts.shards)
		return false;
	number = w->members * w->opts.shards / w->expected;
	return number >= w->n_shards;
}

static int end_shard(struct cfs_zipnum_writer *w, struct cfs_error *err)
{
	return w->n_shards == 0 ? CFS_OK :
	       cfs_replacement_close(&w->shards[w->n_shards - 1].file, err);
}

static int begin_shard(struct cfs_zipnum_writer *w, struct cfs_error *err)
{
	char name[SHARD_NAME_BYTES];
	int rc = end_shard(w, err);

	if (rc == CFS_OK)
		rc = cfs_array_reserve((void **)&w->shards, &w->room,
				       w->n_shards + 1, sizeof(*w->shards),
				       CFS_ZIPNUM_SHARDS_MAX);
	if (rc == CFS_ELIMIT)
		return cfs_error_set(err, rc, "more than %u shards",
				     CFS_ZIPNUM_SHARDS_MAX);
	if (rc != CFS_OK)
		return rc == CFS_ENOMEM ? cfs_error_nomem(err) : rc;
	shard_name(name, w->n_shards);
	rc = open_output(w, name, &w->shards[w->n_shards], err);
	w->n_shards += rc == CFS_OK;
	return rc;
}

static int write_member(struct cfs_zipnum_writer *w, struct member *m,
			struct cfs_error *err)
{
	char name[SHARD_NAME_BYTES];
	struct output *shard;
	int rc = CFS_OK;

	if (begins_shard(w))
		rc = begin_shard(w, err);
	if (rc != CFS_OK)
		return rc;
	shard = &w->shards[w->n_shards - 1];
	shard_name(name, w->n_shards - 1);
	cfs_buf_add(&w->lines, cfs_buf_slice(&m->first));
	cfs_buf_addf(&w->lines, "\t%s\t%" PRIu64 "\t%zu\t%" PRIu64 "\n", name,
		     shard->bytes, m->gz.n, ++w->members);
	rc = zipnum_write_put(w, shard, cfs_buf_slice(&m->gz), err);
	return rc == CFS_OK ? flush_lines(w, &w->index, INDEX_BUFFER, err) : rc;
}

/* ---- members ---- */

static int compress(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	struct cfs_zipnum_writer *w = arg;
	struct member *m = &w->batch[i];

	(void)thread, (void)ctx;
	if (m->lines == 0 || cfs_gz_compress(cfs_buf_slice(&m->text), &m->gz,
					     NULL) == CFS_OK)
		return CFS_OK;
	return cfs_error_nomem(ctx.err);
}

/* Compresses and writes the members in memory. */
static int flush_batch(struct cfs_zipnum_writer *w, struct cfs_error *err)
{
	const struct cfs_pool_calls calls = { .threads = w->n_batch,
		.n = w->n_batch, .one = compress, .arg = w };
	int rc = cfs_pool_each(&calls, CFS_CTX(w->opts.cancel, err));

	for (unsigned i = 0; i < w->n_batch; i++) {
		struct member *m = &w->batch[i];

		if (rc == CFS_OK && m->lines > 0)
			rc = write_member(w, m, err);
		cfs_buf_reset(&m->first);
		cfs_buf_reset(&m->text);
		cfs_buf_reset(&m->gz);
		m->lines = 0;
	}
	w->at = 0;
	return rc;
}

int cfs_zipnum_writer_add(struct cfs_zipnum_writer *w, struct cfs_slice key,
			  struct cfs_slice line, struct cfs_error *err)
{
	struct member *m = &w->batch[w->at];

	if (m->lines == CFS_ZIPNUM_LINES || m->text.n >= MEMBER_BYTES) {
		if (++w->at == w->n_batch) {
			int rc = flush_batch(w, err);

			if (rc != CFS_OK)
				return rc;
		}
		m = &w->batch[w->at];
	}
	if (m->lines++ == 0)
		cfs_buf_add(&m->first, key);
	cfs_buf_add(&m->text, line);
	return m->first.failed != CFS_OK || m->text.failed != CFS_OK ?
	       cfs_error_nomem(err) : CFS_OK;
}

/* ---- the end ---- */

static int write_loc(struct cfs_zipnum_writer *w, struct cfs_error *err)
{
	char name[SHARD_NAME_BYTES];
	int rc = open_output(w, "cluster.loc", &w->loc, err);

	for (size_t i = 0; rc == CFS_OK && i < w->n_shards; i++) {
		shard_name(name, i);
		cfs_buf_addf(&w->lines, "%s\t%s\n", name, name);
	}
	if (rc == CFS_OK)
		rc = flush_lines(w, &w->loc, 0, err);
	return rc == CFS_OK ? cfs_replacement_close(&w->loc.file, err) : rc;
}

/* Removes the remaining shards of a larger cluster that was replaced. */
static void remove_more_shards(struct cfs_zipnum_writer *w)
{
	char name[SHARD_NAME_BYTES];
	bool is_any = true;

	for (size_t i = w->n_shards; is_any; i++) {
		char *path;

		shard_name(name, i);
		path = beside(w, name);
		is_any = path != NULL && unlink(path) == 0;
		free(path);
	}
}

/* From here to the rename of cluster.idx readers find no cluster, rather than
 * one with another's shards. */
static int put_in_place(struct cfs_zipnum_writer *w, struct cfs_error *err)
{
	bool was_here = unlink(w->path) == 0;
	int rc = CFS_OK;

	if (!was_here && errno != ENOENT)
		return cfs_error_at(err, CFS_EIO, w->path, 0,
				    "cannot remove: %s", strerror(errno));
	cfs_sync_folder_of(w->path);
	for (size_t i = 0; rc == CFS_OK && i < w->n_shards; i++)
		rc = cfs_replacement_commit(&w->shards[i].file, err);
	if (rc == CFS_OK && was_here)
		remove_more_shards(w);
	if (rc == CFS_OK)
		rc = cfs_replacement_commit(&w->loc.file, err);
	return rc == CFS_OK ? cfs_replacement_commit(&w->index.file, err) : rc;
}

int cfs_zipnum_writer_finish(struct cfs_zipnum_writer *w, uint64_t *bytes,
			     struct cfs_error *err)
{
	int rc = flush_batch(w, err);

	if (rc == CFS_OK)
		rc = end_shard(w, err);
	if (rc == CFS_OK)
		rc = flush_lines(w, &w->index, 0, err);
	if (rc == CFS_OK)
		rc = cfs_replacement_close(&w->index.file, err);
	if (rc == CFS_OK)
		rc = write_loc(w, err);
	if (rc == CFS_OK && cfs_cancelled(w->opts.cancel))
		rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	if (rc == CFS_OK)
		rc = put_in_place(w, err);
	*bytes = w->bytes;
	return rc;
}

/* ---- new and free ---- */

int cfs_zipnum_writer_new(struct cfs_zipnum_writer **out,
			  const struct cfs_zipnum_opts *opts,
			  struct cfs_error *err)
{
	struct cfs_zipnum_writer *w = calloc(1, sizeof(*w));
	int rc;

	*out = NULL;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->opts = *opts;
	w->path = strdup(opts->index);
	w->index.file.fd = w->loc.file.fd = -1;
	w->n_batch = (unsigned)cfs_clamp_u64(opts->threads, 1, BATCH_MAX);
	w->expected = (opts->lines + CFS_ZIPNUM_LINES - 1) / CFS_ZIPNUM_LINES;
	if (w->expected == 0)
		w->expected = 1;
	if (w->opts.shards > w->expected)
		w->opts.shards = (unsigned)w->expected;
	for (unsigned i = 0; i < w->n_batch; i++) {
		cfs_buf_init(&w->batch[i].first, LINE_ROOM);
		cfs_buf_init(&w->batch[i].text, MEMBER_BYTES + LINE_ROOM);
		cfs_buf_init(&w->batch[i].gz, SIZE_MAX);
	}
	cfs_buf_init(&w->lines, SIZE_MAX);
	rc = w->path == NULL ? cfs_error_nomem(err) :
	     open_output(w, "cluster.idx", &w->index, err);
	if (rc != CFS_OK) {
		cfs_zipnum_writer_free(w);
		return rc;
	}
	*out = w;
	return CFS_OK;
}

void cfs_zipnum_writer_free(struct cfs_zipnum_writer *w)
{
	if (w == NULL)
		return;
	for (unsigned i = 0; i < w->n_batch; i++) {
		cfs_buf_release(&w->batch[i].first);
		cfs_buf_release(&w->batch[i].text);
		cfs_buf_release(&w->batch[i].gz);
	}
	for (size_t i = 0; i < w->n_shards; i++)
		cfs_replacement_drop(&w->shards[i].file);
	cfs_replacement_drop(&w->index.file);
	cfs_replacement_drop(&w->loc.file);
	cfs_buf_release(&w->lines);
	free(w->shards);
	free(w->path);
	free(w);
}
