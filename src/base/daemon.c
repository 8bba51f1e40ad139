/* daemon.c - forks, and has the parent wait until the child is ready.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in src/cli/signals.c: one Ctrl-C can arrive twice. */
#define SIGNALS_MAX 3

const int cfs_ending_signals[CFS_ENDING_SIGNALS] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
	SIGVTALRM, SIGPROF, SIGIO, SIGPWR
};

static volatile sig_atomic_t behind;	/* the child; 0: not waiting for it */
static volatile sig_atomic_t signals, exit_interrupted;

/* Signals that the kernel sends for the terminal (si_code > 0) reach both
 * processes and are not forwarded. */
static void daemon_on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code > 0 || behind == 0)
		return;
	signals++;
	if (signals == 1)
		kill(behind, sig);
	if (signals < SIGNALS_MAX)
		return;
	kill(behind, SIGKILL);
	_exit(exit_interrupted);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_sigaction = daemon_on_signal,
				.sa_flags = SA_SIGINFO | SA_RESTART };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < CFS_ENDING_SIGNALS; i++) {
		int sig = cfs_ending_signals[i];
		struct sigaction old;

		/* signals that nohup or a shell ignored stay ignored */
		if (sigaction(sig, NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sig, &sa, NULL);
	}
}

int cfs_daemon_fill_standard(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -1;
	return 0;
}

/* Dies of a signal, without writing a second core file. */
static int die_of(int sig)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 128 + sig;
}

static int wait_for_ready(int report)
{
	ssize_t n;
	char byte;
	int ended;

	do
		n = read(report, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1) {
		behind = 0;
		return 0;
	}
	while (waitpid(behind, &ended, 0) < 0)
		if (errno != EINTR)
			return 1;
	behind = 0;
	return WIFSIGNALED(ended) ? die_of(WTERMSIG(ended)) :
				    WEXITSTATUS(ended);
}

int cfs_daemon_fork(struct cfs_daemon *d, int interrupted, int *status)
{
	pid_t front = getpid(), child;
	sigset_t all, old;
	int ends[2];

	if (cfs_daemon_fill_standard() != 0 || pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	fflush(NULL);
	signal(SIGCHLD, SIG_DFL);	/* if ignored, the status is lost */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		d->report = ends[1];
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (getppid() != front)
			raise(SIGTERM);
		return 0;
	}
	close(ends[1]);
	if (child > 0) {
		behind = child;
		exit_interrupted = interrupted;
		catch_signals();
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (child > 0)
		*status = wait_for_ready(ends[0]);
	close(ends[0]);
	return child > 0 ? 1 : -1;
}

void cfs_daemon_close_inherited(int keep)
{
	unsigned first = STDERR_FILENO + 1;

	if (keep < (int)first) {
		close_range(first, ~0u, 0);
		return;
	}
	if ((unsigned)keep > first)
		close_range(first, (unsigned)keep - 1, 0);
	close_range((unsigned)keep + 1, ~0u, 0);
}

int cfs_daemon_ready(struct cfs_daemon *d)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	ssize_t n;

	if (null < 0)
		return -1;
	prctl(PR_SET_PDEATHSIG, 0);
	if (setsid() < 0 || chdir("/") != 0) {
		close(null);
		return -1;
	}
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close(null);
	/* it does not matter if the parent has ended */
	do
		n = write(d->report, "", 1);
	while (n < 0 && errno == EINTR);
	close(d->report);
	d->report = -1;
	return 0;
}
