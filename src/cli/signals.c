/* signals.c - turns signals into a token that long work asks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "messages.h"

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
/* One Ctrl-C can arrive twice (timeout(1) signals the process, then its group);
 * a user who sends a third does not want to wait for a clean end. */
#define SIGNALS_MAX 3
static atomic_uint signals;

static void on_signal(int sig)
{
	(void)sig;
	if (atomic_fetch_add(&signals, 1) + 1 >= SIGNALS_MAX)
		_exit(CFS_EXIT_INTERRUPTED);
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

/* Without SA_RESTART: a write to a full pipe must not outlast the signal. */
static void set_signals(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		/* what nohup or a shell has ignored stays ignored */
		if (!is_ignored(caught[i]))
			sigaction(caught[i], &sa, NULL);
	}
}

void cfs_cli_hear_interrupt(void)
{
	if (is_ignored(SIGINT) && is_ignored(SIGQUIT) && !is_ignored(SIGHUP))
		signal(SIGINT, SIG_DFL);
}

const struct cfs_cancel *cfs_cli_catch_signals(void)
{
	static const struct cfs_cancel cancel = { .asked = asked };

	set_signals(on_signal);
	return &cancel;
}

void cfs_cli_release_signals(void)
{
	set_signals(SIG_DFL);
}
