/* request_loop.c - receives requests on as many threads as are at work, and one
 * more.
 *
 * They are begun and ended as those of libfuse's loop, and the kernel chooses
 * which of them receives a request.  Unlike that loop, this one goes on when
 * there is no memory for a thread or for its buffer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/sync.h"

/* A thread that gets no memory for its buffer tries again so often, for 10
 * seconds, unless another thread has one. */
#define BUFFER_PAUSE_NS 10000000L
#define BUFFER_PAUSES 1000u
#define BUFFER_BYTES ((size_t)1088 << 10)	/* as of libfuse, and more */

/* Ends the waiting of threads that receive requests; others send it in vain, as
 * before.  It is sent again after a pause, since a thread that is about to wait
 * is not interrupted by it. */
#define WAKE_SIGNAL SIGURG
#define WAKE_PAUSE_NS 4000000L

struct receiver {
	struct request_loop *loop;
	struct receiver *next;		/* guarded by lock */
	pthread_t thread;
	struct fuse_buf buf;
	bool has_buffer, has_ended;	/* guarded by lock */
};

struct request_loop {
	struct fuse_session *se;
	unsigned threads, idle;
	int wake;			/* an eventfd: the calling thread */
	pthread_mutex_t lock;		/* a leaf; guards all below */
	struct receiver *receivers;
	void *room;			/* for one buffer; freed if there is
					 * no other memory for it */
	unsigned n, waiting;		/* receivers; those without a request */
	bool is_ending;			/* receivers stay, to be joined */
	int error;			/* negative errno */
};

static void *receive_requests(void *arg);

static bool start_receiver_locked(struct request_loop *l)
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
	l->waiting++;
	return true;
}

/* Another thread receives the next request. */
static void begin_request(struct receiver *r)
{
	struct request_loop *l = r->loop;

	pthread_mutex_lock(&l->lock);
	r->has_buffer = true;
	l->waiting--;
	if (l->waiting == 0 && l->n < l->threads && !l->is_ending)
		start_receiver_locked(l);
	pthread_mutex_unlock(&l->lock);
}

/* False: enough other threads wait for a request. */
static bool end_request(struct receiver *r)
{
	struct request_loop *l = r->loop;
	bool may_stay;

	pthread_mutex_lock(&l->lock);
	l->waiting++;
	may_stay = l->waiting <= l->idle;
	pthread_mutex_unlock(&l->lock);
	return may_stay;
}

/* There was no memory for the buffer of r.  Another thread that has one
 * receives instead, or memory may come back.  True: r is to end. */
static bool gives_up_buffer(struct receiver *r, unsigned pauses)
{
	const struct timespec pause = { .tv_nsec = BUFFER_PAUSE_NS };
	struct request_loop *l = r->loop;
	bool has_other = false;

	pthread_mutex_lock(&l->lock);
	free(l->room);
	l->room = NULL;
	for (struct receiver *o = l->receivers; o != NULL; o = o->next)
		has_other = has_other || o->has_buffer;
	if (pauses == BUFFER_PAUSES)
		l->error = -ENOMEM;
	pthread_mutex_unlock(&l->lock);
	if (!has_other && pauses < BUFFER_PAUSES)
		nanosleep(&pause, NULL);
	return has_other || pauses == BUFFER_PAUSES;
}

/* Receives a request.  False: r is to end. */
static bool receive_request(struct receiver *r)
{
	struct request_loop *l = r->loop;
	unsigned pauses = 0;
	int n;

	do {
		n = fuse_session_receive_buf(l->se, &r->buf);
		if (n == -ENOMEM && gives_up_buffer(r, pauses++))
			return false;
	} while (!fuse_session_exited(l->se) &&
		 (n == -ENOMEM || n == -EINTR || n == -EAGAIN));
	if (n > 0)
		return true;
	if (n < 0 && !fuse_session_exited(l->se)) {
		pthread_mutex_lock(&l->lock);
		l->error = n;
		pthread_mutex_unlock(&l->lock);
	}
	return false;
}

static void receiver_free(struct receiver *r)
{
	free(r->buf.mem);
	free(r);
}

/* Ends the calling thread, or leaves it to be joined. */
static void receiver_end(struct receiver *r)
{
	struct request_loop *l = r->loop;
	struct receiver **p = &l->receivers;
	const uint64_t one = 1;
	bool is_over;

	pthread_mutex_lock(&l->lock);
	is_over = l->error != 0 || fuse_session_exited(l->se);
	if (is_over)
		fuse_session_exit(l->se);
	if (is_over && write(l->wake, &one, sizeof(one)) < 0)
		l->error = -EIO;	/* cannot be: the count is small */
	r->has_ended = true;
	if (!is_over && !l->is_ending) {
		while (*p != r)
			p = &(*p)->next;
		*p = r->next;
		l->n--;
		l->waiting--;
		pthread_detach(r->thread);
		receiver_free(r);
	}
	pthread_mutex_unlock(&l->lock);
}

static void *receive_requests(void *arg)
{
	struct receiver *r = arg;
	bool may_stay = true;
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, WAKE_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
	while (may_stay && !fuse_session_exited(r->loop->se) &&
	       receive_request(r)) {
		begin_request(r);
		fuse_session_process_buf(r->loop->se, &r->buf);
		may_stay = end_request(r);
	}
	receiver_end(r);
	return NULL;
}

/* Waits for the end of the session.  Signals are delivered meanwhile. */
static void wait_until_exited(struct request_loop *l)
{
	struct pollfd p = { .fd = l->wake, .events = POLLIN };
	sigset_t every, before;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	while (!fuse_session_exited(l->se))
		ppoll(&p, 1, NULL, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Interrupts a read that waits for a request, and does nothing else. */
static void on_wake_signal(int number)
{
	(void)number;
}

/* Interrupts receivers that wait for a request.  False: all have ended. */
static bool wake_receivers(struct request_loop *l)
{
	bool any = false;

	pthread_mutex_lock(&l->lock);
	l->is_ending = true;
	for (struct receiver *r = l->receivers; r != NULL; r = r->next) {
		if (!r->has_ended)
			pthread_kill(r->thread, WAKE_SIGNAL);
		any = any || !r->has_ended;
	}
	pthread_mutex_unlock(&l->lock);
	return any;
}

static void end_receivers(struct request_loop *l)
{
	const struct timespec pause = { .tv_nsec = WAKE_PAUSE_NS };
	struct receiver *next;

	while (wake_receivers(l))
		nanosleep(&pause, NULL);
	for (struct receiver *r = l->receivers; r != NULL; r = next) {
		next = r->next;
		pthread_join(r->thread, NULL);
		receiver_free(r);
	}
}

int cfs_request_loop_run(struct fuse_session *se, unsigned threads,
			 unsigned idle)
{
	struct request_loop l = {
		.se = se, .threads = threads, .idle = idle,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.room = malloc(BUFFER_BYTES),
	};
	struct sigaction before, wake = { .sa_handler = on_wake_signal };

	sigaction(WAKE_SIGNAL, &wake, &before);
	pthread_mutex_init(&l.lock, NULL);
	pthread_mutex_lock(&l.lock);
	if (l.wake < 0)
		l.error = -EMFILE;
	else if (l.room == NULL || !start_receiver_locked(&l))
		l.error = -ENOMEM;
	pthread_mutex_unlock(&l.lock);
	if (l.error == 0) {
		wait_until_exited(&l);
		end_receivers(&l);
	}
	sigaction(WAKE_SIGNAL, &before, NULL);
	if (l.wake >= 0)
		close(l.wake);
	free(l.room);
	pthread_mutex_destroy(&l.lock);
	return l.error;
}
