/* mcp_pipe.c - messages on a pipe: one a line in, answers one a line out.
 *
 * Messages are answered one after the other.  While one is worked on, those
 * behind it are read as far as there is room, for one of them may cancel it:
 * whoever works asks whether to stop (base/cancel.h), which is when this looks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "mcp.h"

/* Bytes that are read ahead. */
#define AHEAD_MAX (2 * CFS_MCP_MESSAGE_MAX)
#define READ_BYTES ((size_t)64 << 10)
/* How often it is looked for messages, and for a signal while waiting. */
#define LOOK_MS 20
#define WAIT_MS 500
/* Cancelled requests that are remembered until they come. */
#define CANCELLED_MAX 64u

struct mcp_pipe {
	int in, out;
	const struct cfs_cancel *stop;
	struct cfs_buf got;		/* read; guarded by lock, as are: */
	size_t at;			/* bytes of it that were taken */
	size_t seen;			/* bytes of it that were looked at for
					 * what is cancelled */
	bool is_at_end;			/* there are no more */
	uint64_t cancelled[CANCELLED_MAX];	/* hashes of ids */
	unsigned n_cancelled;
	int64_t looked_ms;
	uint64_t running;		/* the hash of the id; 0: none */
	_Atomic bool is_cancelled;	/* the request that runs */
	pthread_mutex_t lock;
	bool is_too_long;		/* the line that is being read */
	struct cfs_buf line, answer;
};

/* ---- reading ------------------------------------------------------------- */

/* Notes the notification in a line, if it is one. */
static void note_line(struct mcp_pipe *p, struct cfs_slice line)
{
	struct cfs_slice id;
	uint64_t hash;

	if (cfs_slice_search(line, CFS_SLICE_LIT("notifications/cancelled")) <
		    0 || !cfs_mcp_cancels(line, &id))
		return;
	hash = cfs_hash64(id, 1);
	if (p->running != 0 && hash == p->running)
		p->is_cancelled = true;
	else
		p->cancelled[p->n_cancelled++ % CANCELLED_MAX] = hash;
}

static void look_at_lines(struct mcp_pipe *p)
{
	for (;;) {
		struct cfs_slice rest = cfs_slice_from(cfs_buf_slice(&p->got),
						       p->seen);
		ptrdiff_t end = cfs_slice_find(rest, '\n');

		if (end < 0)
			return;
		note_line(p, cfs_slice_sub(rest, 0, (size_t)end));
		p->seen += (size_t)end + 1;
	}
}

/* Reads what is there, once.  Waits for it up to wait_ms. */
static void read_some_locked(struct mcp_pipe *p, int wait_ms)
{
	struct pollfd f = { .fd = p->in, .events = POLLIN };
	ssize_t n;

	if (p->at > READ_BYTES) {
		memmove(p->got.p, p->got.p + p->at, p->got.n - p->at);
		p->got.n -= p->at;
		p->seen -= p->at;
		p->at = 0;
	}
	if (p->is_at_end || p->got.n + READ_BYTES > AHEAD_MAX ||
	    poll(&f, 1, wait_ms) <= 0)
		return;
	if (cfs_buf_reserve(&p->got, READ_BYTES) != CFS_OK) {
		p->is_at_end = true;
		return;
	}
	n = read(p->in, p->got.p + p->got.n, READ_BYTES);
	if (n > 0)
		p->got.n += (size_t)n;
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		p->is_at_end = true;
	look_at_lines(p);
}

/* True once nobody reads the answers any more. */
static bool is_reader_gone(const struct mcp_pipe *p)
{
	struct pollfd f = { .fd = p->out, .events = 0 };

	return poll(&f, 1, 0) > 0 && (f.revents & (POLLERR | POLLNVAL)) != 0;
}

/* As `asked` of a token, on any thread. */
static bool is_over(void *arg)
{
	struct mcp_pipe *p = arg;

	if (p->is_cancelled || cfs_cancelled(p->stop))
		return true;
	if (pthread_mutex_trylock(&p->lock) != 0)
		return false;
	if (cfs_monotonic_ms() - p->looked_ms >= LOOK_MS) {
		p->looked_ms = cfs_monotonic_ms();
		read_some_locked(p, 0);
		if (is_reader_gone(p))
			p->is_cancelled = true;
	}
	pthread_mutex_unlock(&p->lock);
	return p->is_cancelled;
}

/* Takes n bytes of what was read; and the end of the line behind them. */
static void take_bytes_locked(struct mcp_pipe *p, size_t n)
{
	p->at += n;
	if (p->at < p->got.n && p->got.p[p->at] == '\n')
		p->at++;
	if (p->seen < p->at)
		p->seen = p->at;
}

/* Takes the next line into p->line, without its end.  False: there is none
 * yet.  The beginning of one that is too long is dropped. */
static bool take_line_locked(struct mcp_pipe *p)
{
	struct cfs_slice got = cfs_slice_from(cfs_buf_slice(&p->got), p->at);
	ptrdiff_t end = cfs_slice_find(got, '\n');

	if (end >= 0)
		got.n = (size_t)end;
	if (got.n > CFS_MCP_MESSAGE_MAX) {
		p->is_too_long = true;
		take_bytes_locked(p, end >= 0 ? got.n - 1 : got.n);
		return false;
	}
	if (end < 0 && (!p->is_at_end || got.n == 0))
		return false;
	cfs_buf_reset(&p->line);
	cfs_buf_add(&p->line, got);
	take_bytes_locked(p, got.n);
	return true;
}

/* Waits for the next line.  False: there is no more. */
static bool next_line(struct mcp_pipe *p)
{
	bool is_over = false, is_line = false;

	while (!is_line && !is_over) {
		pthread_mutex_lock(&p->lock);
		is_line = take_line_locked(p);
		is_over = p->is_at_end && p->at == p->got.n;
		if (!is_line && !is_over)
			read_some_locked(p, WAIT_MS);
		pthread_mutex_unlock(&p->lock);
		is_over |= cfs_cancelled(p->stop) || is_reader_gone(p);
	}
	return is_line;
}

/* ---- answering ----------------------------------------------------------- */

static int write_answer(struct mcp_pipe *p, struct cfs_error *err)
{
	struct cfs_slice s;

	if (p->answer.n == 0)
		return CFS_OK;
	cfs_buf_addc(&p->answer, '\n');
	if (p->answer.failed != CFS_OK)
		return cfs_error_nomem(err);
	s = cfs_buf_slice(&p->answer);
	while (s.n > 0) {
		ssize_t n = write(p->out, s.p, s.n);

		if (n < 0 && errno == EINTR && !cfs_cancelled(p->stop))
			continue;
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			return CFS_END;
		if (n < 0)
			return cfs_error_set(err, CFS_EIO, "cannot write an "
					     "answer: %s", strerror(errno));
		s = cfs_slice_from(s, (size_t)n);
	}
	return CFS_OK;
}

/* Makes the request of that id the one that may be cancelled; empty: none is.
 * False: it has been cancelled before it came. */
static bool begin_running(struct mcp_pipe *p, struct cfs_slice id)
{
	bool may_run = true;

	pthread_mutex_lock(&p->lock);
	p->is_cancelled = false;
	p->running = id.n > 0 ? cfs_hash64(id, 1) : 0;
	for (unsigned i = 0; p->running != 0 && i < CANCELLED_MAX; i++) {
		if (p->cancelled[i] != p->running)
			continue;
		p->cancelled[i] = 0;
		may_run = false;
	}
	pthread_mutex_unlock(&p->lock);
	return may_run;
}

static int answer_line(struct mcp_pipe *p, const struct cfs_mcp *m,
		       unsigned timeout_ms, struct cfs_error *err)
{
	struct cfs_slice line = cfs_slice_trim(cfs_buf_slice(&p->line));
	struct cfs_slice id = cfs_mcp_id(line);
	struct cfs_cancel cancel = { .asked = is_over, .arg = p };
	struct cfs_deadline until;
	int rc;

	cfs_buf_reset(&p->answer);
	if (timeout_ms > 0) {
		cfs_deadline_set(&until, timeout_ms);
		cancel.until = &until;
	}
	if (p->is_too_long)
		line = id = CFS_SLICE_EMPTY;
	else if (line.n == 0)
		return CFS_OK;
	p->is_too_long = false;
	if (!begin_running(p, id))
		return CFS_OK;
	rc = cfs_mcp_answer(m, line, &p->answer, CFS_CTX(&cancel, err));
	begin_running(p, CFS_SLICE_EMPTY);
	if (rc == CFS_ENOMEM)
		return rc;
	if (rc != CFS_EINTR)
		return write_answer(p, err);
	cfs_error_clear(err);
	return CFS_OK;
}

int cfs_mcp_serve(const struct cfs_mcp *m, int in, int out,
		  unsigned timeout_ms, struct cfs_ctx ctx)
{
	struct mcp_pipe p = { .in = in, .out = out, .stop = ctx.cancel };
	int rc = CFS_OK;

	pthread_mutex_init(&p.lock, NULL);
	cfs_buf_init(&p.got, AHEAD_MAX + READ_BYTES);
	cfs_buf_init(&p.line, AHEAD_MAX + READ_BYTES);
	cfs_buf_init(&p.answer, 6 * CFS_MCP_ANSWER_MAX);
	while (rc == CFS_OK && next_line(&p))
		rc = answer_line(&p, m, timeout_ms, ctx.err);
	cfs_buf_release(&p.got);
	cfs_buf_release(&p.line);
	cfs_buf_release(&p.answer);
	pthread_mutex_destroy(&p.lock);
	return rc == CFS_END ? CFS_OK : rc;
}
