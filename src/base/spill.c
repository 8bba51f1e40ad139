/* spill.c - buffers whose bytes are in a temporary file (see spill.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fileio.h"

/* The smallest capacity. */
#define CAP_MIN ((size_t)4 << 20)
/* A page fault also maps pages around it: 64 KiB, or a folio of up to 2 MiB. */
#define AROUND ((size_t)2 << 20)

struct cfs_spill {
	int fd;
	size_t settled;			/* bytes whose pages were released */
	struct cfs_slice made_of;
};

int cfs_spill_begin(struct cfs_buf *b, const char *dir, struct cfs_error *err)
{
	struct cfs_spill *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return cfs_error_nomem(err);
	s->made_of = CFS_SLICE_EMPTY;
	s->fd = cfs_temp_file(dir);
	if (s->fd < 0) {
		cfs_error_at(err, CFS_EIO, dir, 0,
			     "cannot make a temporary file: %s",
			     strerror(errno));
		free(s);
		return CFS_EIO;
	}
	b->spill = s;
	return CFS_OK;
}

int cfs_spill_resize(struct cfs_buf *b, size_t cap)
{
	void *p;
	int e;

	if (cap < CAP_MIN)
		cap = CAP_MIN < b->max ? CAP_MIN : b->max;
	e = posix_fallocate(b->spill->fd, 0, (off_t)cap);
	if (e != 0)
		return CFS_EIO;
	p = b->p == NULL ?
	    mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_SHARED, b->spill->fd,
		 0) :
	    mremap(b->p, b->cap, cap, MREMAP_MAYMOVE);
	if (p == MAP_FAILED)
		return CFS_ENOMEM;
	b->p = p;
	b->cap = cap;
	return CFS_OK;
}

void cfs_spill_end(struct cfs_buf *b)
{
	if (b->p != NULL)
		munmap(b->p, b->cap);
	close(b->spill->fd);
	free(b->spill);
}

void cfs_spill_finish(struct cfs_buf *b)
{
	cfs_spill_settle_now(b);
	b->spill->made_of = CFS_SLICE_EMPTY;
	if (b->n > 0 && b->n < b->cap &&
	    ftruncate(b->spill->fd, (off_t)b->n) == 0) {
		void *p = mremap(b->p, b->cap, b->n, MREMAP_MAYMOVE);

		if (p != MAP_FAILED) {
			b->p = p;
			b->cap = b->n;
		}
	}
}

void cfs_spill_made_of(struct cfs_buf *b, struct cfs_slice bytes)
{
	b->spill->made_of = bytes;
}

/* Also releases the pages at both ends as a whole: their other bytes belong to
 * the same file, or to none. */
void cfs_spill_out(struct cfs_slice bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)bytes.p & ~(page - 1);
	uintptr_t end = (uintptr_t)bytes.p + bytes.n;

	end = (end + page - 1) & ~(page - 1);
	if (bytes.n > 0)
		(void)madvise((void *)from, end - from, MADV_DONTNEED);
}

void cfs_spill_out_around(const struct cfs_buf *b, struct cfs_slice part)
{
	size_t off = (size_t)(part.p - b->p);
	size_t from = off > AROUND ? off - AROUND : 0;
	size_t left = b->n - off;
	size_t n = part.n > left ? left : part.n;

	n = left - n < AROUND ? left : n + AROUND;
	cfs_spill_out(cfs_slice_sub(cfs_buf_slice(b), from, off - from + n));
}

void cfs_spill_settle_now(struct cfs_buf *b)
{
	struct cfs_spill *s = b->spill;

	if (b->n - s->settled >= CFS_SPILL_STEP || s->settled > b->n) {
		size_t from = s->settled < b->n ? s->settled : 0;

		cfs_spill_out(cfs_slice_from(cfs_buf_slice(b), from));
		s->settled = b->n;
	}
	cfs_spill_out(s->made_of);
}
