/* signals.c - turns signals into a token that long-running work checks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/daemon.h"
#include "messages.h"

/* One Ctrl-C can arrive twice (timeout(1) signals the process, then its group);
 * a user who sends a third does not want to wait for a clean end. */
#define SIGNALS_MAX 3
static atomic_uint signals;
static atomic_bool has_hangup;
static bool hears_hangup;

static void signals_on_signal(int sig)
{
	unsigned n = atomic_load(&signals);

	/* SIGXCPU comes every second once the limit is reached */
	if (sig == SIGXCPU && n > 0)
		return;
	if (atomic_fetch_add(&signals, 1) + 1 >= SIGNALS_MAX)
		_exit(CFS_EXIT_INTERRUPTED);
}

/* Only the thread that waits for a mount's end handles SIGTERM; this signal
 * must interrupt its wait too if it arrives there (no SA_RESTART). */
static void make_sigterm(int sig)
{
	int before = errno;

	(void)sig;
	kill(getpid(), SIGTERM);
	errno = before;
}

static bool asked(void *arg)
{
	(void)arg;
	return atomic_load_explicit(&signals, memory_order_relaxed) > 0;
}

static bool is_ignored(int sig)
{
	struct sigaction sa;

	return sigaction(sig, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN;
}

/* Signals ignored by nohup or a shell stay ignored. */
static void set_signal(int sig, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigemptyset(&sa.sa_mask);
	if (!is_ignored(sig))
		sigaction(sig, &sa, NULL);
}

void cfs_cli_fail_writes(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void cfs_cli_hear_interrupt(void)
{
	if (is_ignored(SIGINT) && is_ignored(SIGQUIT) && !is_ignored(SIGHUP))
		signal(SIGINT, SIG_DFL);
}

const struct cfs_cancel *cfs_cli_catch_signals(void)
{
	static const struct cfs_cancel cancel = { .asked = asked };

	/* Without SA_RESTART: a write to a full pipe must end when a signal
	 * comes. */
	for (size_t i = 0; i < CFS_ENDING_SIGNALS; i++)
		if (!hears_hangup || cfs_ending_signals[i] != SIGHUP)
			set_signal(cfs_ending_signals[i], signals_on_signal);
	return &cancel;
}

static void on_hangup(int sig)
{
	(void)sig;
	atomic_store(&has_hangup, true);
}

void cfs_cli_hear_hangup(void)
{
	hears_hangup = true;
	set_signal(SIGHUP, on_hangup);
}

bool cfs_cli_take_hangup(void)
{
	return atomic_exchange(&has_hangup, false);
}

void cfs_cli_release_signals(void)
{
	for (size_t i = 0; i < CFS_ENDING_SIGNALS; i++)
		set_signal(cfs_ending_signals[i], SIG_DFL);
}

static bool is_of_libfuse(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP;
}

void cfs_cli_hand_signals_over(void)
{
	for (size_t i = 0; i < CFS_ENDING_SIGNALS; i++) {
		int sig = cfs_ending_signals[i];

		set_signal(sig, is_of_libfuse(sig) ? SIG_DFL : make_sigterm);
	}
}
