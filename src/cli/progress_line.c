/* progress_line.c - draws a progress line on a terminal, or prints lines
 * elsewhere.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "progress_line.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/clamp.h"
#include "base/text.h"
#include "net/hosts.h"

#define REDRAW_MS 100
#define LOG_MS 30000		/* between lines, if stderr is not a terminal */
#define WIDTH_MIN 40
#define WIDTH_MAX 200
#define BAR_MAX 30
#define HOSTS_MAX 4u		/* servers whose rate is looked at */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {			/* guarded by lock */
	bool is_started, is_quiet, is_tty, is_drawn;
	enum phase { READING, NAMES, QUERYING, SORTING } phase;
	int64_t started_ms, phase_ms, drawn_ms;
} state;

static bool is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term != NULL &&
	       strcmp(term, "dumb") != 0;
}

static int width(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
		return 80;
	return (int)cfs_clamp_u64(w.ws_col, WIDTH_MIN, WIDTH_MAX);
}

static void add_time(struct cfs_buf *b, double seconds)
{
	uint64_t s = seconds < 0 ? 0 : (uint64_t)(seconds + 0.5);

	if (s >= 3600)
		cfs_buf_addf(b, "%" PRIu64 ":%02u:%02u", s / 3600,
			     (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	else
		cfs_buf_addf(b, "%u:%02u", (unsigned)(s / 60),
			     (unsigned)(s % 60));
}

/* "1.2 GB of 3.4 GB, 134 MB/s, 56789 captures, 0:12 left" */
static void add_figures(struct cfs_buf *b, const struct cfs_progress *p,
			double fraction, double seconds)
{
	char done[CFS_TEXT_SIZE_BYTES], total[CFS_TEXT_SIZE_BYTES],
		rate[CFS_TEXT_SIZE_BYTES];
	char captures[CFS_TEXT_COUNT_BYTES];

	cfs_text_count(state.phase == SORTING ? p->merge_total : p->captures,
		       "capture", captures);
	if (state.phase == SORTING)
		cfs_buf_addf(b, "%" PRIu64 " of %s", p->merged, captures);
	else if (state.phase == READING && p->bytes_total == 0)
		cfs_buf_adds(b, captures);
	else if (state.phase != QUERYING)
		cfs_buf_addf(b, "%s of %s, %s/s",
			     cfs_text_size((double)p->bytes_done, done),
			     cfs_text_size((double)p->bytes_total, total),
			     cfs_text_size(seconds > 0 ?
				(double)p->bytes_done / seconds : 0, rate));
	if (state.phase == READING && p->bytes_total > 0)
		cfs_buf_addf(b, ", %s", captures);
	if (fraction > 0.005 && fraction < 1 && seconds > 1) {
		cfs_buf_adds(b, b->n > 0 ? ", " : "");
		add_time(b, seconds / fraction * (1 - fraction));
		cfs_buf_adds(b, " left");
	}
}

/* Says that a server has refused requests, and gets fewer at a time. */
static void add_slowness(struct cfs_buf *b)
{
	struct cfs_host_stats host[HOSTS_MAX];
	size_t n = cfs_host_stats_all(host, HOSTS_MAX);

	for (size_t i = 0; i < n && i < HOSTS_MAX; i++) {
		if (host[i].parallel >= host[i].parallel_max)
			continue;
		cfs_buf_addf(b, "%s%u of %u requests at a time",
			     b->n > 0 ? ", " : "", host[i].parallel,
			     host[i].parallel_max);
		return;
	}
}

static void add_bar(struct cfs_buf *b, double fraction, int cells)
{
	int full = (int)(fraction * cells);

	cfs_buf_addc(b, '[');
	for (int i = 0; i < cells; i++) {
		if (i < full)
			cfs_buf_addc(b, '=');
		else
			cfs_buf_addc(b, i == full ? '>' : ' ');
	}
	cfs_buf_adds(b, "] ");
}

/* The part of the phase that is done, 0 to 1. */
static double fraction_done(const struct cfs_progress *p, uint64_t done,
			 uint64_t total)
{
	double fraction = p->fraction;

	if (state.phase != QUERYING && total > 0)
		fraction = (double)done / (double)total;
	return fraction > 1 ? 1 : fraction;
}

static void draw(const char *what, const struct cfs_progress *p,
		 int64_t now)
{
	static const char *const names[] = { "reading", "names of archives",
					     "querying", "sorting" };
	uint64_t done = state.phase == SORTING ? p->merged : p->bytes_done;
	uint64_t total = state.phase == SORTING ? p->merge_total :
						  p->bytes_total;
	double fraction = fraction_done(p, done, total);
	CFS_BUF(figures, 4096);
	CFS_BUF(line, 4096);
	int room;

	add_figures(&figures, p, fraction,
		    (double)(now - state.phase_ms) / 1000);
	add_slowness(&figures);
	cfs_buf_addf(&line, "%s %3.0f%% ", names[state.phase], fraction * 100);
	if (!state.is_tty) {
		fprintf(stderr, "crawlfs: %s: %s%s\n", what, cfs_buf_str(&line),
			cfs_buf_str(&figures));
	} else {
		room = width() - 1 - (int)line.n - 3 - (int)figures.n;
		if (room > BAR_MAX)
			room = BAR_MAX;
		if (room >= 5)
			add_bar(&line, fraction, room);
		cfs_buf_add(&line, cfs_buf_slice(&figures));
		fprintf(stderr, "\r%.*s\033[K", width() - 1,
			cfs_buf_str(&line));
		state.is_drawn = true;
	}
	fflush(stderr);
}

void cfs_progress_quiet(bool quiet)
{
	pthread_mutex_lock(&lock);
	state.is_quiet = quiet;
	pthread_mutex_unlock(&lock);
}

static void progress_start(int64_t now)
{
	if (state.is_started)
		return;
	state.is_started = true;
	state.phase = READING;
	state.is_tty = is_terminal();
	state.started_ms = state.phase_ms = now;
	state.drawn_ms = now;
}

static bool is_due(int64_t now)
{
	return !state.is_quiet &&
	       now - state.drawn_ms >= (state.is_tty ? REDRAW_MS : LOG_MS);
}

void cfs_progress_count(const char *what, uint64_t done, uint64_t total)
{
	int64_t now = cfs_monotonic_ms();

	pthread_mutex_lock(&lock);
	progress_start(now);
	if (is_due(now)) {
		fprintf(stderr, state.is_tty ?
			"\r%s: %" PRIu64 " of %" PRIu64 "\033[K" :
			"crawlfs: %s: %" PRIu64 " of %" PRIu64 "\n",
			what, done, total);
		fflush(stderr);
		state.is_drawn = state.is_tty;
		state.drawn_ms = now;
	}
	pthread_mutex_unlock(&lock);
}

static enum phase phase_of(const struct cfs_progress *p)
{
	if (p->merge_total > 0)
		return SORTING;
	if (p->is_query)
		return QUERYING;
	return p->is_names ? NAMES : READING;
}

static void show(const char *what, const struct cfs_progress *p)
{
	enum phase phase = phase_of(p);
	int64_t now = cfs_monotonic_ms();

	pthread_mutex_lock(&lock);
	progress_start(now);
	if (phase != state.phase && state.phase != SORTING) {
		state.phase = phase;
		state.phase_ms = now;
	}
	if (is_due(now)) {
		draw(what, p, now);
		state.drawn_ms = now;
	}
	pthread_mutex_unlock(&lock);
}

void cfs_progress_called(void *what, const struct cfs_progress *p)
{
	show(what, p);
}

void cfs_progress_building(void *arg, const char *source,
			   const struct cfs_progress *p)
{
	(void)arg;
	if (p != NULL)
		show(source, p);
	else
		cfs_progress_end();
}

static void progress_wipe(void)
{
	if (state.is_drawn)
		fputs("\r\033[K", stderr);
	state.is_drawn = false;
}

void cfs_progress_interrupt(void)
{
	pthread_mutex_lock(&lock);
	progress_wipe();
	pthread_mutex_unlock(&lock);
}

void cfs_progress_end(void)
{
	pthread_mutex_lock(&lock);
	progress_wipe();
	state.is_started = false;
	pthread_mutex_unlock(&lock);
}
