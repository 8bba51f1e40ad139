/* loads.c - loads files once for all that use them, corrects estimated sizes,
 * and parks requests that wait for long computations.
 *
 * A parked request that the kernel interrupts is answered at once, by the
 * thread that received the interrupt; its computation is asked to stop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "loads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/pool.h"
#include "control.h"
#include "crawl/content.h"
#include "preload.h"
#include "readahead.h"
#include "records.h"

/* Contents up to this size are handed over whole when an estimate is
 * corrected, of longer ones the last page. */
#define STORE_WHOLE_MAX (128u * 1024)
#define PAGE_MASK_BYTES ((size_t)4095)
/* Files up to this size are stored before they are read: what that saves is a
 * request, whatever its length. */
#define STORE_AHEAD_MAX ((size_t)16 << 10)
/* Files that are stored for one that a request wanted, and at most at a time
 * without any: so many are stored in vain for a program that lists on and
 * reads no more. */
#define STORES_PER_REQUEST 8
#define STORES_MAX 32

struct cfs_loads {
	struct cfs_fs *fs;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct cfs_load *parked;	/* guarded by lock, in order of
					 * arrival */
	struct cfs_pool pool;		/* guarded by lock until it has
					 * threads */
	bool is_started;		/* guarded by lock */
	_Atomic bool is_ending;
	pthread_mutex_t storing;	/* held by the one thread that stores */
	atomic_int stores_left;
};

/* ---- loading ---------------------------------------------------------- */

/*
 * The kernel holds another size of the file, from an estimate.  Taking it back
 * makes all programs that ask for the size ask us again; a read that the wrong
 * size has room for, sendfile(2) and splice(2) do not ask.  So pages are
 * dropped that were read while another size held: past the true end they are
 * zeros.  A program that reads them again sees a file that turns out shorter;
 * for one that is longer the bytes are handed over here, which moves the end
 * (and saves a READ).
 *
 * This waits for the file's pages, and a reader of one waits for h->lock: so
 * nobody may be reading yet.  It happens in an open, before any other open of
 * the file has returned (h->size_is_settled, or its bytes are loaded); the
 * size is noted after it, and until then another open waits for h->lock.
 */
static void correct_estimate(struct cfs_fs *fs, struct cfs_handle *h)
{
	struct cfs_slice b = h->content.bytes;
	size_t off = b.n <= STORE_WHOLE_MAX ? 0 : (b.n - 1) & ~PAGE_MASK_BYTES;
	struct fuse_bufvec bv = FUSE_BUFVEC_INIT(b.n - off);

	bv.buf[0].mem = (void *)(uintptr_t)(b.p + off);	/* is only read */
	fuse_lowlevel_notify_inval_inode(fs->session, h->ino, 0, 0);
	if (b.n > 0)
		fuse_lowlevel_notify_store(fs->session, h->ino, (off_t)off, &bv,
					   0);
	cfs_handles_note_size(fs->handles, h->ino, b.n);
	fuse_lowlevel_notify_inval_inode(fs->session, h->ino, -1, 0);
}

/* h has its bytes: do they have the size that the kernel was given?  One that
 * an earlier mount has kept was not given where all sizes are exact. */
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
	if (h->content.is_cut_off)	/* to be loaded by every open */
		fuse_lowlevel_notify_inval_inode(fs->session, h->ino, 0, 0);
	else if (is_known && known == n)	/* it was kept, and is true */
		cfs_handles_note_size(fs->handles, h->ino, n);
	else
		correct_estimate(fs, h);
	return CFS_OK;
}

static int load_node(struct cfs_fs *fs, struct cfs_handle *h,
		     const struct cfs_node *n, bool quickly,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	bool is_ready = h->is_ready;
	int rc = CFS_OK;

	h->is_ready = false;
	if (fs->ahead[n->source] != NULL)
		cfs_readahead_note(fs->ahead[n->source], n->pos, n->view);
	if (fs->prepare[n->source] != NULL)
		cfs_preload_note(fs->prepare[n->source], n->pos, n->view,
				 is_ready);
	if (!is_ready)
		rc = (quickly ? cfs_content_load_quickly : cfs_content_load)
			(fs->crawls[n->source], n, &fs->opts.view, &h->content,
			 cancel, err);
	if (rc == CFS_OK)
		rc = check_size(fs, h, err);
	if (rc < CFS_OK)
		cfs_file_bytes_release(&h->content);
	return rc;
}

static int load_locked(struct cfs_fs *fs, struct cfs_handle *h, bool quickly,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int64_t began_ms;
	struct cfs_node n;
	int rc;

	if (h->is_loaded)
		return CFS_OK;
	if (cfs_records_is_file(h->ino)) {
		rc = cfs_records_load(fs, h->ino, &h->content, cancel, err);
		if (rc != CFS_OK)
			cfs_file_bytes_release(&h->content);
	} else if (!cfs_fs_node(fs, h->ino, &n)) {
		cfs_buf_init(&h->content.own, CFS_CONTROL_TEXT_MAX);
		rc = cfs_control_text(fs, h->ino, &h->content.own);
		h->content.bytes = cfs_buf_slice(&h->content.own);
	} else {
		began_ms = cfs_monotonic_ms();
		rc = cfs_failure_memo_recent(&fs->failures, h->ino, began_ms);
		if (rc != CFS_OK)
			return rc;
		rc = load_node(fs, h, &n, quickly, cancel, err);
		cfs_failure_memo_note(&fs->failures, h->ino, began_ms, rc);
	}
	if (rc != CFS_OK)
		return rc;
	h->size = cfs_file_bytes_size(&h->content);
	/* .crawlfs/stats is as it was when it was opened; of one that is cut
	 * off the kernel is told whenever it is loaded */
	h->can_reload = !h->content.is_cut_off &&
			(cfs_records_is_file(h->ino) ||
			 cfs_fs_node(fs, h->ino, &n));
	h->is_loaded = true;
	return CFS_OK;
}

/* CFS_CONTENT_TAKES_LONG, and nothing is loaded, if that is so and `quickly`
 * is asked for.  After CFS_OK the bytes stay until cfs_handle_end_use. */
static int load(struct cfs_fs *fs, struct cfs_handle *h, bool quickly,
		const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc;

	cfs_handle_use(h);
	if (h->is_loaded)
		return CFS_OK;
	rc = quickly && h->takes_long ? CFS_CONTENT_TAKES_LONG :
					cfs_handle_lock(h, cancel);
	if (rc == CFS_OK) {
		rc = load_locked(fs, h, quickly, cancel, err);
		h->takes_long = rc == CFS_CONTENT_TAKES_LONG;
		pthread_mutex_unlock(&h->lock);
	}
	if (rc != CFS_OK)
		cfs_handle_end_use(h);
	return rc;
}

/* ---- ahead of requests ------------------------------------------------ */

/* Takes the bytes of h if they are ready and few, as a request would, and
 * begins a use of them. */
static bool take_ready(struct cfs_fs *fs, struct cfs_handle *h)
{
	bool taken = false;

	cfs_handle_use(h);
	if (pthread_mutex_trylock(&h->lock) == 0) {
		taken = h->is_ready && !h->content.is_cut_off &&
			h->content.bytes.n <= STORE_AHEAD_MAX &&
			load_locked(fs, h, true, NULL, NULL) == CFS_OK;
		pthread_mutex_unlock(&h->lock);
	}
	if (!taken)
		cfs_handle_end_use(h);
	return taken;
}

static void store(struct cfs_loads *q, struct cfs_handle *h)
{
	struct cfs_slice b = h->content.bytes;
	struct fuse_bufvec bv = FUSE_BUFVEC_INIT(b.n);

	bv.buf[0].mem = (void *)(uintptr_t)b.p;	/* is only read */
	if (b.n == 0 || fuse_lowlevel_notify_store(q->fs->session, h->ino, 0,
						   &bv, 0) != 0)
		return;
	q->stores_left--;
	CFS_COUNT(q->fs, CFS_OP_STORED, 1);
	CFS_COUNT(q->fs, CFS_OP_BYTES, b.n);
}

/*
 * Storing waits for a READ of the same file that is under way.  Only one thread
 * does it at a time, and none if there is no other, so that a thread is left to
 * answer that READ.
 */
void cfs_loads_store_ready(struct cfs_loads *q, const uint64_t *ino, unsigned n)
{
	if (!q->fs->sizes_are_exact || !q->fs->can_store ||
	    pthread_mutex_trylock(&q->storing) != 0)
		return;
	for (unsigned i = 0; i < n && q->stores_left > 0; i++) {
		struct cfs_handle *h = cfs_handles_open_ready(q->fs->handles,
							      ino[i]);

		if (h == NULL)
			continue;
		if (take_ready(q->fs, h)) {
			store(q, h);
			cfs_handle_end_use(h);
		}
		cfs_handles_close(q->fs->handles, h);
	}
	pthread_mutex_unlock(&q->storing);
}

static void allow_stores(struct cfs_loads *q)
{
	if (q->stores_left <= STORES_MAX - STORES_PER_REQUEST)
		q->stores_left += STORES_PER_REQUEST;
}

/* ---- computing -------------------------------------------------------- */

static bool is_cancelled(void *arg)
{
	struct cfs_load *l = arg;

	return l->is_interrupted || l->fs->loads->is_ending ||
	       fuse_session_exited(l->fs->session) != 0;
}

/* True for the one that is to answer the request. */
static bool take_answer(struct cfs_loads *q, struct cfs_load *l)
{
	bool mine;

	pthread_mutex_lock(&q->lock);
	mine = l->is_parked && !l->is_answered;
	l->is_answered = l->is_answered || mine;
	pthread_mutex_unlock(&q->lock);
	return mine;
}

/* libfuse calls this while the request is not answered, which
 * fuse_req_interrupt_func(req, NULL, NULL) waits for; l is there until then. */
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
		rc = load(q->fs, l->h, false, &cancel, &err);
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

/* The first whose file is not being computed for another: that one would only
 * wait for it. */
static struct cfs_load *take_locked(struct cfs_loads *q)
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
		struct cfs_load *l = take_locked(q);

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
	/* by its own thread if there are no others, or to end it */
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
	int rc = load(q->fs, l.h, true, cancel, &err);

	if (rc == CFS_CONTENT_TAKES_LONG) {
		later = malloc(sizeof(*later));
		if (later != NULL) {
			*later = l;
			park(q, later);
			return;
		}
		rc = cfs_error_nomem(&err);
	}
	l.reply(&l, rc, &err);
	if (rc == CFS_OK)
		cfs_handle_end_use(l.h);
	cfs_handles_close(q->fs->handles, l.h);
	allow_stores(q);
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
