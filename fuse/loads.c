/* loads.c - loads each file once for all its users, corrects estimated sizes,
 * and parks requests that wait for long computations.
 *
 * If the kernel interrupts a parked request, the thread that received the
 * interrupt answers it at once; the computation is asked to stop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "loads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/sync.h"
#include "control.h"
#include "crawl/content.h"
#include "crawl/readahead.h"
#include "failures.h"
#include "records.h"

/* Contents up to this size are given to the kernel whole when an estimate is
 * corrected, of longer ones the last page; and may be stored while a reader
 * waits for the file before. */
#define STORE_WHOLE_MAX (128u * 1024)
#define PAGE_MASK_BYTES ((size_t)4095)
/* Files up to this size may be stored while the end of a listing is waited
 * for: that saves a request, whatever the file's length. */
#define STORE_LISTED_MAX (16u * 1024)
/* Files that are stored at a time, and without a READ: those are wasted if the
 * program lists on and reads no more. */
#define STORES_AT_ONCE 8u
#define STORES_MAX 32u

struct cfs_loads {
	struct cfs_fs *fs;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct cfs_load *parked;	/* by arrival; guarded by lock */
	struct cfs_pool pool;		/* guarded by lock until started */
	bool is_started;		/* guarded by lock */
	_Atomic bool is_ending;
	pthread_mutex_t storing;	/* held by the thread that stores */
	atomic_uint stored;		/* files, since the last READ */
};

/* ---- loading ---------------------------------------------------------- */

/*
 * The kernel has another size of the file, an estimate.  Invalidating the
 * attributes makes it ask again for every program that asks for the size, but
 * not for a read that fits into the wrong size, nor for sendfile(2) and
 * splice(2).  So pages read under the wrong size are dropped: past the true end
 * they hold zeros.  A program that reads them again sees that the file is
 * shorter; if it is longer, the bytes are stored in the kernel here, which
 * moves the end (and saves a READ).
 *
 * Invalidation waits for the file's pages, and a reader of a page waits for
 * h->lock; so nobody may be reading yet.  That holds in an open, before any
 * other open of the file has returned (then h->size_is_settled is set, or the
 * bytes are loaded).  The size is noted afterwards, and other opens wait for
 * h->lock until then.
 */
static void correct_estimate(struct cfs_fs *fs, struct cfs_handle *h)
{
	struct cfs_slice b = h->content.bytes;
	size_t off = b.n <= STORE_WHOLE_MAX ? 0 : (b.n - 1) & ~PAGE_MASK_BYTES;
	struct fuse_bufvec bv = FUSE_BUFVEC_INIT(b.n - off);

	bv.buf[0].mem = (void *)(uintptr_t)(b.p + off);	/* only read */
	fuse_lowlevel_notify_inval_inode(fs->session, h->ino, 0, 0);
	if (b.n > 0)
		fuse_lowlevel_notify_store(fs->session, h->ino, (off_t)off, &bv,
					   0);
	cfs_handles_note_size(fs->handles, h->ino, b.n);
	fuse_lowlevel_notify_inval_inode(fs->session, h->ino, -1, 0);
}

/* Checks that the bytes of h have the size that the kernel was given.  Where
 * all sizes are exact, that is never one kept by an earlier mount. */
static int check_size(struct cfs_fs *fs, struct cfs_handle *h,
		      struct cfs_error *err)
{
	uint64_t known, n = cfs_file_bytes_size(&h->content);
	bool is_known = cfs_handles_size(fs->handles, h->ino,
					 !fs->sizes_are_exact, &known);

	if (!is_known)
		known = h->estimate;
	if (known != n && known != CFS_SIZE_UNKNOWN)
		CFS_COUNT(fs, CFS_OP_SIZES_CORRECTED, 1);
	if (fs->sizes_are_exact)
		return !is_known || known == n ? CFS_OK :
		       cfs_error_set(err, CFS_EFORMAT, "a file of %" PRIu64
				     " bytes has %" PRIu64 " now: was the "
				     "archive changed?", known, n);
	if (h->size_is_settled)
		return CFS_OK;
	if (h->content.is_cut_off)	/* every open must load it */
		fuse_lowlevel_notify_inval_inode(fs->session, h->ino, 0, 0);
	else if (is_known && known == n)	/* the kept size is true */
		cfs_handles_note_size(fs->handles, h->ino, n);
	else
		correct_estimate(fs, h);
	return CFS_OK;
}

/* A file that is to be loaded for a request: it comes with the handle. */
struct kernel_loading {
	struct cfs_fs *fs;
	bool quickly;
};

static int load_page(void *arg, struct cfs_handle *h, struct cfs_ctx ctx)
{
	const struct kernel_loading *in = arg;
	struct cfs_fs *fs = in->fs;
	int64_t began_ms = cfs_monotonic_ms();
	struct cfs_node n;
	int rc;

	if (!cfs_fs_node(fs, h->ino, &n))
		return CFS_ENOTFOUND;
	rc = cfs_failures_recent(fs->failures, h->ino, NULL, began_ms);
	if (rc != CFS_OK)
		return rc;
	if (!cfs_readahead_take(fs->ahead[n.source], h, h->reader, &n))
		rc = (in->quickly ? cfs_content_load_quickly :
				    cfs_content_load)
			(fs->crawls[n.source], &n, &fs->opts.view, &h->content,
			 ctx);
	if (rc == CFS_OK)
		rc = check_size(fs, h, ctx.err);
	/* whenever a file that is cut off is loaded, the kernel must be told */
	h->can_reload = !h->content.is_cut_off;
	cfs_failures_ended(fs->failures, h->ino, NULL, rc, began_ms);
	return rc;
}

static int load_record(void *arg, struct cfs_handle *h, struct cfs_ctx ctx)
{
	const struct kernel_loading *in = arg;

	h->can_reload = true;
	return cfs_records_load(in->fs, h->ino, &h->content, ctx);
}

/* The text of .crawlfs/stats stays as it was when opened. */
static int load_control(void *arg, struct cfs_handle *h, struct cfs_ctx ctx)
{
	const struct kernel_loading *in = arg;
	int rc;

	(void)ctx;
	cfs_buf_init(&h->content.own, CFS_CONTROL_TEXT_MAX);
	rc = cfs_control_text(in->fs, h->ino, &h->content.own);
	h->content.bytes = cfs_buf_slice(&h->content.own);
	return rc;
}

/* With `quickly`, returns CFS_CONTENT_TAKES_LONG and loads nothing if loading
 * takes long.  After CFS_OK the bytes stay until cfs_handle_end_use. */
static int loads_load(struct cfs_fs *fs, struct cfs_handle *h, bool quickly,
		      struct cfs_ctx ctx)
{
	struct kernel_loading in = { fs, quickly };
	cfs_handle_loader *load = load_page;

	if (cfs_records_is_file(h->ino))
		load = load_record;
	else if (h->ino < CFS_INO_NODES)
		load = load_control;
	return cfs_handle_load(h, quickly, load, &in, ctx);
}

/* ---- ahead of requests ------------------------------------------------ */

/* The ready bytes of h, if these are what the kernel expects of the file, and
 * no more than max.  To be called within a use of h. */
static struct cfs_slice ready_bytes(struct cfs_fs *fs, struct cfs_handle *h,
				    size_t max)
{
	struct cfs_slice b = CFS_SLICE_EMPTY;
	struct cfs_file_info info;
	struct cfs_node n;

	if (pthread_mutex_trylock(&h->lock) != 0)
		return b;
	if (h->is_ready && !h->content.is_cut_off &&
	    h->content.bytes.n <= max && cfs_fs_node(fs, h->ino, &n) &&
	    cfs_file_info_get(fs->crawls[n.source], &n, &info,
			      CFS_CTX(NULL, NULL)) == CFS_OK &&
	    info.size == h->content.bytes.n)
		b = h->content.bytes;
	pthread_mutex_unlock(&h->lock);
	return b;
}

/* Stores the ready bytes of h for a process.  False: the kernel has no node of
 * it. */
static bool store(struct cfs_loads *q, struct cfs_handle *h, pid_t reader)
{
	struct cfs_fs *fs = q->fs;
	struct fuse_bufvec bv = FUSE_BUFVEC_INIT(0);
	struct cfs_slice b;
	int rc = -EAGAIN;		/* not ready, or too many bytes */

	cfs_handle_use(h);
	b = ready_bytes(fs, h,
			reader != 0 ? STORE_WHOLE_MAX : STORE_LISTED_MAX);
	if (b.n > 0) {
		bv.buf[0].mem = (void *)(uintptr_t)b.p;	/* only read */
		bv.buf[0].size = b.n;
		rc = fuse_lowlevel_notify_store(fs->session, h->ino, 0, &bv, 0);
	}
	if (rc == 0) {
		h->reader = reader;
		cfs_handle_take_ready(h, load_page,
				      &(struct kernel_loading){ fs, true });
		q->stored++;
		CFS_COUNT(fs, CFS_OP_STORED, 1);
		CFS_COUNT(fs, CFS_OP_BYTES, b.n);
	}
	cfs_handle_end_use(h);
	return rc != -ENOENT;
}

/*
 * While the only reader waits for its READ it can read none of the files; so
 * storing waits for nothing.  A thread that waited for a READ when the mount is
 * killed would wait forever.
 *
 * Storing waits for any READ of the same file.  So only one thread stores at a
 * time, and none if it is the only thread: another must be left to answer the
 * READ.
 */
void cfs_loads_store_next(struct cfs_loads *q, uint64_t ino, pid_t reader)
{
	struct cfs_fs *fs = q->fs;
	bool has_nodes = true;
	struct cfs_node n;

	if (!fs->sizes_are_exact || !fs->can_store ||
	    !cfs_fs_node(fs, ino, &n) || fs->ahead[n.source] == NULL ||
	    q->stored >= STORES_MAX || pthread_mutex_trylock(&q->storing) != 0)
		return;
	for (unsigned i = 0; i < STORES_AT_ONCE && has_nodes &&
	     q->stored < STORES_MAX; i++) {
		struct cfs_handle *h =
			cfs_readahead_next(fs->ahead[n.source], reader);

		if (h == NULL)
			break;
		has_nodes = store(q, h, reader);
		cfs_handles_close(fs->handles, h);
	}
	pthread_mutex_unlock(&q->storing);
}

/* ---- computing -------------------------------------------------------- */

static bool is_cancelled(void *arg)
{
	struct cfs_load *l = arg;

	return l->is_interrupted || l->fs->loads->is_ending ||
	       fuse_session_exited(l->fs->session) != 0;
}

/* True for the caller that is to answer the request: exactly one. */
static bool take_answer(struct cfs_loads *q, struct cfs_load *l)
{
	bool mine;

	pthread_mutex_lock(&q->lock);
	mine = l->is_parked && !l->is_answered;
	l->is_answered = l->is_answered || mine;
	pthread_mutex_unlock(&q->lock);
	return mine;
}

/* libfuse calls this while the request is not answered.
 * fuse_req_interrupt_func(req, NULL, NULL) waits for a call to end, so l exists
 * until then. */
static void interrupted(fuse_req_t req, void *arg)
{
	struct cfs_load *l = arg;

	l->is_interrupted = true;
	if (take_answer(l->fs->loads, l))
		fuse_reply_err(req, EINTR);
}

static void run_parked(struct cfs_loads *q, struct cfs_load *l)
{
	struct cfs_cancel cancel = { .asked = is_cancelled, .arg = l };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_deadline until;
	int rc = CFS_EINTR;

	if (q->fs->timeout_ms > 0) {
		cfs_deadline_set(&until, q->fs->timeout_ms);
		cancel.until = &until;
	}
	if (!is_cancelled(l))
		rc = loads_load(q->fs, l->h, false, CFS_CTX(&cancel, &err));
	if (take_answer(q, l)) {
		fuse_req_interrupt_func(l->req, NULL, NULL);
		l->reply(l, rc, &err);
	}
	if (rc == CFS_OK)
		cfs_handle_end_use(l->h);
}

static void end_parked(struct cfs_loads *q, struct cfs_load *l)
{
	cfs_handles_close(q->fs->handles, l->h);
	free(l);
}

/* Takes the first request whose file is not being computed already: another one
 * would only wait for that. */
static struct cfs_load *loads_take_locked(struct cfs_loads *q)
{
	struct cfs_load **p = &q->parked, *l;

	while (*p != NULL && (*p)->h->is_computed_now)
		p = &(*p)->next;
	l = *p;
	if (l != NULL) {
		*p = l->next;
		l->h->is_computed_now = true;
	}
	return l;
}

static void compute(void *arg)
{
	struct cfs_loads *q = arg;

	pthread_mutex_lock(&q->lock);
	while (!q->is_ending || q->parked != NULL) {
		struct cfs_load *l = loads_take_locked(q);

		if (l == NULL) {
			pthread_cond_wait(&q->change, &q->lock);
			continue;
		}
		pthread_mutex_unlock(&q->lock);
		run_parked(q, l);
		pthread_mutex_lock(&q->lock);
		l->h->is_computed_now = false;
		pthread_cond_broadcast(&q->change);
		pthread_mutex_unlock(&q->lock);
		end_parked(q, l);
		pthread_mutex_lock(&q->lock);
	}
	pthread_mutex_unlock(&q->lock);
}

static void park(struct cfs_loads *q, struct cfs_load *l)
{
	struct cfs_load **end = &q->parked;
	bool now;

	l->fs = q->fs;
	fuse_req_interrupt_func(l->req, interrupted, l);
	pthread_mutex_lock(&q->lock);
	if (!q->is_started)
		cfs_pool_start(&q->pool, cfs_processors(), compute, q);
	q->is_started = true;
	l->is_parked = true;
	/* run here if there are no threads, or if it was interrupted */
	now = q->pool.n == 0 || l->is_interrupted;
	while (!now && *end != NULL)
		end = &(*end)->next;
	if (!now)
		*end = l;
	pthread_cond_signal(&q->change);
	pthread_mutex_unlock(&q->lock);
	if (now) {
		run_parked(q, l);
		end_parked(q, l);
	}
}

/* ---- requests --------------------------------------------------------- */

void cfs_loads_run(struct cfs_loads *q, const struct cfs_load *request,
		   const struct cfs_cancel *cancel)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_load l = *request, *later;
	int rc;

	l.h->reader = fuse_req_ctx(l.req)->pid;
	rc = loads_load(q->fs, l.h, true, CFS_CTX(cancel, &err));
	if (rc == CFS_CONTENT_TAKES_LONG) {
		later = malloc(sizeof(*later));
		if (later != NULL) {
			*later = l;
			park(q, later);
			return;
		}
		rc = cfs_error_nomem(&err);
	}
	if (rc == CFS_OK && l.size > 0 && l.off == 0) {
		q->stored = 0;
		cfs_loads_store_next(q, l.h->ino, l.h->reader);
	}
	l.reply(&l, rc, &err);
	if (rc == CFS_OK)
		cfs_handle_end_use(l.h);
	cfs_handles_close(q->fs->handles, l.h);
}

struct cfs_loads *cfs_loads_new(struct cfs_fs *fs)
{
	struct cfs_loads *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return NULL;
	q->fs = fs;
	pthread_mutex_init(&q->lock, NULL);
	pthread_mutex_init(&q->storing, NULL);
	pthread_cond_init(&q->change, NULL);
	return q;
}

void cfs_loads_free(struct cfs_loads *q)
{
	if (q == NULL)
		return;
	pthread_mutex_lock(&q->lock);
	q->is_ending = true;
	pthread_cond_broadcast(&q->change);
	pthread_mutex_unlock(&q->lock);
	if (q->pool.n > 0)
		cfs_pool_join(&q->pool);
	pthread_cond_destroy(&q->change);
	pthread_mutex_destroy(&q->lock);
	pthread_mutex_destroy(&q->storing);
	free(q);
}
