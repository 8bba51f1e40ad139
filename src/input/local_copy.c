/* local_copy.c - copies what is fetched of remote files to temporary files.
 *
 * One file is fetched at a time, as a stream (source/stream.c), because each
 * stream takes some megabytes.  Another file's stream is closed first, and
 * opened again when it is needed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "local_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fileio.h"
#include "net/location.h"
#include "net/open_location.h"

/* Short reads, because a stream fetches the first ones by themselves, and then
 * again in blocks. */
#define CHUNK_BYTES ((size_t)16 << 10)
#define FILES_MAX ((size_t)1 << 24)
#define GAP_MAX ((uint64_t)1 << 20)	/* most bytes fetched to reach a read */

struct spool_file {
	char *location;
	char *name;		/* for messages: without a password */
	int fd;			/* -1: not created yet, or it cannot be
				 * written */
	uint64_t have;		/* bytes in fd, from the file's start */
	uint64_t size;
	int64_t mtime;
	char validator[CFS_VALIDATOR_BYTES];	/* empty: not known */
};

struct cfs_local_copy {
	const char *dir;
	struct spool_file **v;
	size_t n, cap;
	struct cfs_source *live;	/* the current stream, or NULL */
	struct spool_file *live_file;
	uint8_t *chunk;			/* CHUNK_BYTES */
};

struct spooled {
	struct cfs_source base;
	struct cfs_local_copy *spool;
	struct spool_file *file;
};

struct cfs_local_copy *cfs_local_copy_new(const char *dir)
{
	struct cfs_local_copy *s = calloc(1, sizeof(*s));

	if (s == NULL || (s->chunk = malloc(CHUNK_BYTES)) == NULL) {
		free(s);
		return NULL;
	}
	s->dir = dir;
	return s;
}

static void file_free(struct spool_file *f)
{
	if (f == NULL)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->location);
	free(f->name);
	free(f);
}

void cfs_local_copy_free(struct cfs_local_copy *s)
{
	if (s == NULL)
		return;
	cfs_source_close(s->live);
	for (size_t i = 0; i < s->n; i++)
		file_free(s->v[i]);
	free(s->v);
	free(s->chunk);
	free(s);
}

/* ---- fetching ----------------------------------------------------------- */

/* Makes the file's stream the current one. */
static int go_live(struct cfs_local_copy *s, struct spool_file *f,
		   struct cfs_ctx ctx)
{
	struct cfs_source *src;
	int rc;

	if (s->live != NULL && s->live_file == f)
		return CFS_OK;
	cfs_source_close(s->live);
	s->live = NULL;
	rc = cfs_location_open(&src, f->location, ctx.err);
	if (rc != CFS_OK)
		return rc;
	if (f->validator[0] != '\0')
		rc = cfs_source_pin(src, f->validator, ctx.err);
	if (rc != CFS_OK) {
		cfs_source_close(src);
		return rc;
	}
	s->live_file = f;
	return cfs_source_open_stream(&s->live, src, ctx);
}

/* Stops copying a file: the disk is full. */
static void local_copy_give_up(struct spool_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->have = UINT64_MAX;
}

static bool is_given_up(const struct spool_file *f)
{
	return f->have == UINT64_MAX;
}

/* Fetches and copies what is missing before `to`. */
static int fetch_up_to(struct cfs_local_copy *s, struct spool_file *f,
		       uint64_t to, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (f->fd < 0)
		f->fd = cfs_temp_file(s->dir);
	if (f->fd < 0)
		local_copy_give_up(f);
	while (rc == CFS_OK && !is_given_up(f) && f->have < to) {
		uint64_t left = f->size - f->have;
		size_t n = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;

		rc = go_live(s, f, ctx);
		if (rc == CFS_OK)
			rc = cfs_source_read(s->live, s->chunk, n, f->have,
					     ctx);
		if (rc != CFS_OK)
			break;
		if (cfs_write_at(f->fd, s->chunk, n, f->have) == n)
			f->have += n;
		else
			local_copy_give_up(f);
	}
	if (f->have == f->size && s->live_file == f) {
		cfs_source_close(s->live);
		s->live = NULL;
	}
	return rc;
}

/* ---- the source --------------------------------------------------------- */

static int spooled_read_at(struct cfs_source *src, void *buf, size_t n,
			   uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct cfs_local_copy *s = ((struct spooled *)src)->spool;
	struct spool_file *f = ((struct spooled *)src)->file;
	uint64_t left = off < f->size ? f->size - off : 0;
	int rc = CFS_OK;

	*got = 0;
	if (n > left)
		n = (size_t)left;
	if (n == 0)
		return CFS_OK;
	/* Do not fetch a large gap to reach a read far ahead. */
	if (!is_given_up(f) && off <= f->have + GAP_MAX)
		rc = fetch_up_to(s, f, off + n, ctx);
	if (rc != CFS_OK)
		return rc;
	if (is_given_up(f) || off + n > f->have) {
		rc = go_live(s, f, ctx);
		return rc != CFS_OK ? rc :
		       cfs_source_read_some(s->live, buf, n, off, got, ctx);
	}
	*got = cfs_read_at(f->fd, buf, n, off);
	if (*got == n)
		return CFS_OK;
	rc = cfs_error_at(ctx.err, CFS_EIO, f->name, off + *got,
			  "cannot read its temporary file: %s",
			  errno != 0 ? strerror(errno) : "it is cut off");
	*got = 0;
	return rc;
}

static void spooled_close(struct cfs_source *src)
{
	free(src);
}

static bool spooled_validator(struct cfs_source *src,
			      char out[CFS_VALIDATOR_BYTES])
{
	const struct spool_file *f = ((struct spooled *)src)->file;

	memcpy(out, f->validator, CFS_VALIDATOR_BYTES);
	return out[0] != '\0';
}

static const struct cfs_source_ops spooled_ops = {
	.read_at = spooled_read_at, .close = spooled_close,
	.validator = spooled_validator,
};

/* Adds a file and requests its size and state.  The current stream is kept,
 * because a file is opened long before it is read.  *out is owned by the
 * copy. */
static int local_copy_add_file(struct cfs_local_copy *s, const char *location,
			       struct spool_file **out, struct cfs_ctx ctx)
{
	struct cfs_source *src = NULL;
	struct spool_file *f = calloc(1, sizeof(*f));
	int rc;

	if (f == NULL)
		return cfs_error_nomem(ctx.err);
	f->fd = -1;
	rc = cfs_location_open(&src, location, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, ctx);
	if (rc != CFS_OK)
		goto out;
	f->size = src->size;
	f->mtime = src->mtime;
	if (!cfs_source_validator(src, f->validator))
		f->validator[0] = '\0';
	f->location = strdup(location);
	f->name = strdup(src->name);
	if (f->location == NULL || f->name == NULL ||
	    cfs_array_reserve((void **)&s->v, &s->cap, s->n + 1, sizeof(*s->v),
			      FILES_MAX) != CFS_OK) {
		rc = cfs_error_nomem(ctx.err);
		goto out;
	}
	*out = s->v[s->n++] = f;
	f = NULL;
out:
	cfs_source_close(src);
	file_free(f);
	return rc;
}

/* Finds a file, or adds it. */
static int file_at(struct cfs_local_copy *s, const char *location,
		   struct spool_file **out, struct cfs_ctx ctx)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i]->location, location) == 0) {
			*out = s->v[i];
			return CFS_OK;
		}
	return local_copy_add_file(s, location, out, ctx);
}

int cfs_local_copy_open(void *arg, const char *location,
			struct cfs_source **out, struct cfs_ctx ctx)
{
	struct cfs_local_copy *s = arg;
	struct spooled *src;
	struct spool_file *f = NULL;
	int rc;

	*out = NULL;
	if (!cfs_location_is_url(location))
		return cfs_location_open(out, location, ctx.err);
	rc = file_at(s, location, &f, ctx);
	if (rc != CFS_OK)
		return rc;
	src = calloc(1, sizeof(*src));
	if (src == NULL)
		return cfs_error_nomem(ctx.err);
	src->spool = s;
	src->file = f;
	src->base.mtime = f->mtime;
	return cfs_source_open(out, &src->base, &spooled_ops, f->size, f->name,
			       ctx.err);
}
