/* fault.c - a source that fails on purpose, for tests of its readers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fault.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct fault_source {
	struct cfs_source base;
	struct cfs_source *inner;
	struct cfs_fault plan;
	atomic_uint_fast64_t reads, bytes;
};

static int fault_code(const struct cfs_fault *plan)
{
	return plan->code != 0 ? plan->code : CFS_EIO;
}

/* Reads at most n bytes at off, as far as the planned size; zeros
 * beyond inner's. */
static int inner_read(struct fault_source *f, uint8_t *buf, size_t n,
		      uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	uint64_t size = f->plan.size_set ? f->plan.size : f->inner->size;
	int rc;

	*got = 0;
	if (off >= size)
		return CFS_OK;
	if (n > size - off)
		n = (size_t)(size - off);
	rc = cfs_source_read_some(f->inner, buf, n, off, got, ctx);
	if (rc != CFS_OK)
		return rc;
	memset(buf + *got, 0, n - *got);
	*got = n;
	return CFS_OK;
}

static int fault_read_at(struct cfs_source *src, void *buf, size_t n,
			 uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct fault_source *f = (struct fault_source *)src;
	const struct cfs_fault *plan = &f->plan;
	struct cfs_error *err = plan->is_silent ? NULL : ctx.err;
	uint64_t number = atomic_fetch_add(&f->reads, 1) + 1;

	atomic_fetch_add(&f->bytes, n);
	*got = 0;
	if (plan->fail_read == number)
		return cfs_error_at(err, fault_code(plan), src->name, off,
				    "read %" PRIu64 " fails as planned",
				    number);
	if (plan->max_read > 0 && n > plan->max_read)
		n = plan->max_read;
	if (plan->fail_byte_set) {
		if (off >= plan->fail_byte)
			return cfs_error_at(err, fault_code(plan), src->name,
					    off, "byte %" PRIu64 " fails as "
					    "planned", off);
		if (n > plan->fail_byte - off)
			n = (size_t)(plan->fail_byte - off);
	}
	return inner_read(f, buf, n, off, got, ctx);
}

static void fault_close(struct cfs_source *src)
{
	struct fault_source *f = (struct fault_source *)src;

	cfs_source_close(f->inner);
	free(f);
}

static const struct cfs_source_ops fault_ops = {
	.read_at = fault_read_at, .close = fault_close,
};

int cfs_source_open_fault(struct cfs_source **out, struct cfs_source *inner,
			  const struct cfs_fault *fault, struct cfs_error *err)
{
	struct fault_source *f = calloc(1, sizeof(*f));

	*out = NULL;
	if (f == NULL) {
		cfs_source_close(inner);
		return cfs_error_nomem(err);
	}
	f->inner = inner;
	if (fault != NULL)
		f->plan = *fault;
	f->base.is_local = inner->is_local;
	f->base.mtime = inner->mtime;
	return cfs_source_open(out, &f->base, &fault_ops, inner->size,
			       inner->name, err);
}

struct cfs_fault *cfs_source_fault_plan(struct cfs_source *src)
{
	assert(src->ops == &fault_ops);
	return &((struct fault_source *)src)->plan;
}

uint64_t cfs_source_fault_reads(const struct cfs_source *src)
{
	assert(src->ops == &fault_ops);
	return atomic_load(&((const struct fault_source *)src)->reads);
}

uint64_t cfs_source_fault_bytes(const struct cfs_source *src)
{
	assert(src->ops == &fault_ops);
	return atomic_load(&((const struct fault_source *)src)->bytes);
}
