/* request_loop.c - threads that take turns in receiving the kernel's requests
 * (see request_loop.h).
 *
 * The thread that runs the loop receives nothing.  While requests come, it
 * looks every few milliseconds which thread holds a turn and what it does: a
 * request that has taken as long as that loses its thread the turn, whatever it
 * waits for; and how often the turns are found at work says whether there are
 * too few of them.  So the threads themselves measure nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define FUSE_USE_VERSION 314
#include "request_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/sync.h"

/* How often turns are looked at.  A request that takes longer than one or two
 * of these does not delay others. */
#define LOOK_NS 4000000L
/* After so many looks it is decided how many turns there are, and whether
 * requests still come. */
#define LOOKS 16u
/* Per cent of the looks at which a turn is at work: above, there may be too few
 * turns; below, the others would do. */
#define BUSY_PERCENT 85u
#define IDLE_PERCENT 50u
/* Turns there are in any case.  With a single one the kernel wakes the same
 * thread for each request, on another processor than that of the program that
 * waits for it.  Where an idle processor is slow to wake, as in a virtual
 * machine, a walk through small folders takes 1.4 times as long
 * (doc/threads.md). */
#define LEAST_TURNS 3u
/* Another turn must find this much of one processor idle, in per cent. */
#define SPARE_PERCENT 40u

/* A thread that gets no memory for its buffer tries again so often, for 10
 * seconds, unless another thread has one. */
#define BUFFER_PAUSE_NS 10000000L
#define BUFFER_PAUSES 1000u
#define BUFFER_BYTES ((size_t)1088 << 10)	/* as of libfuse, and more */

/* Ends the waiting of threads that receive requests; others send it in vain, as
 * before. */
#define WAKE_SIGNAL SIGURG

struct receiver {
	struct request_loop *loop;
	struct receiver *next;		/* guarded by lock */
	pthread_t thread;
	struct fuse_buf buf;
	_Atomic bool has_turn;
	_Atomic bool is_answering;
	_Atomic bool has_buffer;	/* buf has its memory */
	unsigned pauses;		/* without one */
	_Atomic uint32_t answered;
	uint32_t seen;			/* `answered` at the last look */
	bool was_answering;		/* at the last look */
};

struct request_loop {
	struct fuse_session *se;
	struct cfs_request_loop_opts opts;
	unsigned least_turns, most_turns;
	int wake;			/* an eventfd: the looking thread */
	int stat;			/* /proc/stat, or -1 */
	_Atomic bool is_resting;	/* nobody looks until a request comes */

	pthread_mutex_t lock;		/* a leaf: taken with others held */
	pthread_cond_t change;
	struct receiver *receivers;	/* all; guarded by lock, as are the
					 * next six */
	struct receiver *ended;		/* to be joined */
	void *room;			/* for one buffer; freed if there is
					 * no other memory for it */
	unsigned n;			/* receivers */
	unsigned waiting;		/* of them, for a turn */
	unsigned free_turns;
	bool is_ending;
	_Atomic unsigned turns;		/* changed with the lock held */
	_Atomic unsigned wanted;	/* how many turns there should be */
	_Atomic int error;		/* negative errno */

	unsigned looks, busy;		/* since the last decision */
	uint32_t answered;		/* by all, at the last decision */
	uint64_t idle_ticks;
	struct timespec decided;
};

static void *receive_requests(void *arg);

static void wake_looker(struct request_loop *l)
{
	uint64_t one = 1;
	ssize_t n;

	do {
		n = write(l->wake, &one, sizeof(one));
	} while (n < 0 && errno == EINTR);
}

/* ---- turns ---- */

static bool receiver_start_locked(struct request_loop *l)
{
	struct receiver *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return false;
	r->loop = l;
	if (!cfs_thread_start(&r->thread, receive_requests, r)) {
		free(r);
		return false;
	}
	r->next = l->receivers;
	l->receivers = r;
	l->n++;
	return true;
}

/* A follower takes the turn; if all threads are at work, the first that has
 * done. */
static void free_turn_locked(struct request_loop *l)
{
	l->free_turns++;
	if (l->free_turns <= l->waiting)
		pthread_cond_signal(&l->change);
	else if (l->n < l->opts.threads)
		receiver_start_locked(l);
}

/* Hands the turn of r on, if it has one.  Runs before r waits. */
static void hand_turn_on(void *arg)
{
	struct receiver *r = arg;

	if (!atomic_load_explicit(&r->has_turn, memory_order_relaxed) ||
	    !atomic_exchange(&r->has_turn, false))
		return;
	pthread_mutex_lock(&r->loop->lock);
	free_turn_locked(r->loop);
	pthread_mutex_unlock(&r->loop->lock);
}

/* Waits for a turn.  False: the thread is to end. */
static bool take_turn(struct receiver *r)
{
	struct request_loop *l = r->loop;
	bool may_stay;

	pthread_mutex_lock(&l->lock);
	while (!l->is_ending && l->free_turns == 0 &&
	       l->waiting < l->opts.idle) {
		l->waiting++;
		pthread_cond_wait(&l->change, &l->lock);
		l->waiting--;
	}
	may_stay = !l->is_ending && l->free_turns > 0;
	if (may_stay) {
		l->free_turns--;
		r->has_turn = true;
	}
	pthread_mutex_unlock(&l->lock);
	return may_stay;
}

/* Gives the turn of r up where there are more than are needed. */
static void drop_turn(struct receiver *r)
{
	struct request_loop *l = r->loop;

	if (atomic_load_explicit(&l->turns, memory_order_relaxed) <=
	    atomic_load_explicit(&l->wanted, memory_order_relaxed))
		return;
	pthread_mutex_lock(&l->lock);
	if (l->turns > l->wanted && atomic_exchange(&r->has_turn, false))
		l->turns--;
	pthread_mutex_unlock(&l->lock);
}

/* ---- receiving ---- */

/* Interrupts a read that waits for a request, and does nothing else. */
static void on_wake_signal(int number)
{
	(void)number;
}

static void unblock_wake_signal(void)
{
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, WAKE_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
}

static void receiver_answer(struct receiver *r)
{
	r->is_answering = true;
	if (r->loop->is_resting && atomic_exchange(&r->loop->is_resting, false))
		wake_looker(r->loop);
	fuse_session_process_buf(r->loop->se, &r->buf);
	atomic_store_explicit(&r->answered, r->answered + 1,
			      memory_order_relaxed);
	atomic_store_explicit(&r->is_answering, false, memory_order_release);
}

static void receiver_end(struct receiver *r)
{
	struct request_loop *l = r->loop;
	struct receiver **p = &l->receivers;

	pthread_mutex_lock(&l->lock);
	while (*p != r)
		p = &(*p)->next;
	*p = r->next;
	r->next = l->ended;
	l->ended = r;
	l->n--;
	pthread_mutex_unlock(&l->lock);
}

/*
 * There was no memory for the buffer of r.  Another thread that has one
 * receives instead, or memory comes back; true: neither, for so long that
 * nothing will.
 */
static bool gives_up_buffer(struct receiver *r)
{
	const struct timespec pause = { .tv_nsec = BUFFER_PAUSE_NS };
	bool has_other = false;

	if (r->pauses++ > 0)
		nanosleep(&pause, NULL);
	hand_turn_on(r);
	pthread_mutex_lock(&r->loop->lock);
	free(r->loop->room);
	r->loop->room = NULL;
	for (struct receiver *o = r->loop->receivers; o != NULL; o = o->next)
		has_other = has_other || o->has_buffer;
	pthread_mutex_unlock(&r->loop->lock);
	return !has_other && r->pauses > BUFFER_PAUSES;
}

static void *receive_requests(void *arg)
{
	struct receiver *r = arg;
	struct request_loop *l = r->loop;
	int n = -EINTR;

	unblock_wake_signal();
	cfs_thread_before_waits(hand_turn_on, r);
	while (!fuse_session_exited(l->se) && (r->has_turn || take_turn(r))) {
		n = fuse_session_receive_buf(l->se, &r->buf);
		if (n == -ENOMEM && !gives_up_buffer(r))
			n = -EINTR;
		if (n == -EINTR || n == -EAGAIN)
			continue;
		if (n <= 0)
			break;
		r->has_buffer = true;
		receiver_answer(r);
		drop_turn(r);
	}
	if (n < 0 && n != -EINTR && n != -EAGAIN) {
		l->error = n;
		fuse_session_exit(l->se);
	}
	receiver_end(r);
	if (fuse_session_exited(l->se))
		wake_looker(l);
	return NULL;
}

/* ---- looking ---- */

/* Ticks that all processors were idle; false if the system does not say.
 * Format: proc(5), /proc/stat. */
static bool idle_ticks(const struct request_loop *l, uint64_t *ticks)
{
	char text[256];
	ssize_t n = l->stat < 0 ? -1 :
				  pread(l->stat, text, sizeof(text) - 1, 0);
	uint64_t idle, wait;

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (sscanf(text, "cpu %*u %*u %*u %" SCNu64 " %" SCNu64, &idle,
		   &wait) != 2)
		return false;
	*ticks = idle + wait;
	return true;
}

/* Was enough of a processor idle since the last decision? */
static bool has_spare_processor(struct request_loop *l)
{
	uint64_t before = l->idle_ticks, us;
	struct timespec now, then = l->decided;

	clock_gettime(CLOCK_MONOTONIC, &now);
	l->decided = now;
	if (!idle_ticks(l, &l->idle_ticks))
		return false;
	us = (uint64_t)((now.tv_sec - then.tv_sec) * 1000000 +
			(now.tv_nsec - then.tv_nsec) / 1000);
	return (l->idle_ticks - before) * 1000000 * 100 /
		       (uint64_t)sysconf(_SC_CLK_TCK) >= us * SPARE_PERCENT;
}

static void decide_turns_locked(struct request_loop *l)
{
	bool has_spare = has_spare_processor(l);

	if (l->busy * 100 >= l->looks * l->turns * BUSY_PERCENT &&
	    has_spare && l->turns == l->wanted && l->turns < l->most_turns) {
		l->wanted++;
		l->turns++;
		free_turn_locked(l);
	} else if (l->wanted > l->least_turns &&
		   l->busy * 100 < l->looks * (l->wanted - 1) * IDLE_PERCENT) {
		l->wanted--;
	}
	l->looks = l->busy = 0;
}

/* Takes the turn from a thread that is at the same request as at the last
 * look. */
static void look_at_locked(struct request_loop *l, struct receiver *r)
{
	bool is_answering = r->is_answering;
	uint32_t answered = r->answered;

	if (is_answering && r->has_turn) {
		l->busy++;
		if (r->was_answering && r->seen == answered &&
		    atomic_exchange(&r->has_turn, false))
			free_turn_locked(l);
	}
	r->was_answering = is_answering;
	r->seen = answered;
}

static void join_ended(struct request_loop *l)
{
	struct receiver *r, *next;

	pthread_mutex_lock(&l->lock);
	r = l->ended;
	l->ended = NULL;
	pthread_mutex_unlock(&l->lock);
	for (; r != NULL; r = next) {
		next = r->next;
		pthread_join(r->thread, NULL);
		free(r->buf.mem);
		free(r);
	}
}

/* One look.  False if nothing has come lately and nothing is being answered. */
static bool look(struct request_loop *l)
{
	uint32_t answered = 0;
	bool is_quiet = false, is_answering = false;

	pthread_mutex_lock(&l->lock);
	for (struct receiver *r = l->receivers; r != NULL; r = r->next) {
		look_at_locked(l, r);
		answered += r->seen;
		is_answering = is_answering || r->was_answering;
	}
	if (++l->looks == LOOKS) {
		is_quiet = !is_answering && answered == l->answered;
		l->answered = answered;
		decide_turns_locked(l);
	}
	pthread_mutex_unlock(&l->lock);
	join_ended(l);
	return !is_quiet;
}

/* After is_resting was set: has a request come that was not seen? */
static bool has_missed_one(struct request_loop *l)
{
	bool missed = false;

	pthread_mutex_lock(&l->lock);
	for (struct receiver *r = l->receivers; r != NULL; r = r->next)
		missed = missed || r->is_answering || r->answered != r->seen;
	pthread_mutex_unlock(&l->lock);
	return missed;
}

/* Waits for the time of the next look, or, if `rests`, until a request comes.
 * Signals are delivered meanwhile. */
static void wait_for_look(struct request_loop *l, bool rests,
			  const sigset_t *signals)
{
	const struct timespec step = { .tv_nsec = LOOK_NS };
	struct pollfd p = { .fd = l->wake, .events = POLLIN };
	uint64_t count;

	if (rests) {
		l->is_resting = true;
		rests = !has_missed_one(l);
	}
	if (ppoll(&p, 1, rests ? NULL : &step, signals) > 0 &&
	    read(l->wake, &count, sizeof(count)) < 0)
		rests = false;		/* nothing to read: look again */
	l->is_resting = false;
}

static void look_until_exited(struct request_loop *l)
{
	sigset_t every, before;
	bool rests = false;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	while (!fuse_session_exited(l->se)) {
		wait_for_look(l, rests, &before);
		rests = !look(l);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the loop ---- */

/* A thread that is about to wait for a request when the signal comes is not
 * interrupted, so the signal is sent until all have ended. */
static void end_receivers(struct request_loop *l)
{
	bool any = true;

	while (any) {
		pthread_mutex_lock(&l->lock);
		l->is_ending = true;
		pthread_cond_broadcast(&l->change);
		for (struct receiver *r = l->receivers; r != NULL; r = r->next)
			pthread_kill(r->thread, WAKE_SIGNAL);
		any = l->receivers != NULL;
		pthread_mutex_unlock(&l->lock);
		join_ended(l);
		if (any)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS },
				  NULL);
	}
}

static void close_loop(struct request_loop *l)
{
	if (l->wake >= 0)
		close(l->wake);
	if (l->stat >= 0)
		close(l->stat);
	free(l->room);
	pthread_cond_destroy(&l->change);
	pthread_mutex_destroy(&l->lock);
}

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

int cfs_request_loop_run(struct fuse_session *se,
			 const struct cfs_request_loop_opts *opts)
{
	unsigned least = lesser(LEAST_TURNS, opts->threads);
	unsigned processors = lesser(cfs_processors(), opts->threads);
	struct request_loop l = {
		.se = se, .opts = *opts, .turns = least, .wanted = least,
		.least_turns = least,
		.most_turns = processors < least ? least : processors,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC),
		.room = malloc(BUFFER_BYTES),
	};
	struct sigaction before, wake = { .sa_handler = on_wake_signal };
	int rc = l.room == NULL ? -ENOMEM : 0;

	if (l.wake < 0)
		rc = -EMFILE;
	pthread_mutex_init(&l.lock, NULL);
	pthread_cond_init(&l.change, NULL);
	if (rc == 0) {
		pthread_mutex_lock(&l.lock);
		for (unsigned i = 0; i < least; i++)
			free_turn_locked(&l);
		rc = l.n > 0 ? 0 : -EAGAIN;
		pthread_mutex_unlock(&l.lock);
	}
	if (rc == 0) {
		sigaction(WAKE_SIGNAL, &wake, &before);
		look_until_exited(&l);
		end_receivers(&l);
		sigaction(WAKE_SIGNAL, &before, NULL);
		rc = l.error;
	}
	close_loop(&l);
	return rc;
}
