/* log.c - passes log messages to the receiver of the process (see log.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cancel.h"
#include "text.h"

#define LINE_BYTES 1024u
/* Lines of one kind about one file, or of one run. */
#define SAME_KIND_MAX 100u
#define RECENT 16u
#define RECENT_BYTES 300u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cfs_log_fn *receiver;		/* guarded by lock */
static void *receiver_arg;		/* guarded by lock */
static enum cfs_log_level highest;	/* guarded by lock */
static struct {
	int64_t at_ms;
	char beginning[RECENT_BYTES];
} recent[RECENT];	/* guarded by lock; line N is at N % RECENT */
static unsigned n_delivered;		/* guarded by lock */

void cfs_log_to(cfs_log_fn *fn, void *arg, enum cfs_log_level up_to)
{
	pthread_mutex_lock(&lock);
	receiver = fn;
	receiver_arg = arg;
	highest = up_to;
	pthread_mutex_unlock(&lock);
}

/* Control bytes of hostile names must not reach a terminal. */
static void make_printable(char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

static void note_locked(const char *line)
{
	unsigned i = n_delivered++ % RECENT;

	recent[i].at_ms = cfs_monotonic_ms();
	snprintf(recent[i].beginning, RECENT_BYTES, "%.*s",
		 (int)RECENT_BYTES - 1, line);
}

/* Queries are hidden, because not only the user reads logs. */
static void log_deliver(enum cfs_log_level level, const char *text)
{
	char line[LINE_BYTES];

	cfs_text_hide_queries(line, sizeof(line), text);
	make_printable(line);
	pthread_mutex_lock(&lock);
	if (receiver != NULL && level <= highest) {
		receiver(level, line, receiver_arg);
		note_locked(line);
	}
	pthread_mutex_unlock(&lock);
}

void cfs_log(enum cfs_log_level level, const char *fmt, ...)
{
	char line[LINE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	log_deliver(level, line);
}

bool cfs_log_has_room(atomic_uint *lines, const char *where, const char *rest)
{
	unsigned before = atomic_load(lines);

	do {		/* which stays there, and does not wrap */
		if (before > SAME_KIND_MAX)
			return false;
	} while (!atomic_compare_exchange_weak(lines, &before, before + 1));
	if (before < SAME_KIND_MAX)
		return true;
	if (where == NULL)
		cfs_log(CFS_LOG_WARNING, "%s", rest);
	else
		cfs_log(CFS_LOG_WARNING, "%s: %s", where, rest);
	return false;
}

bool cfs_log_has(const char *beginning, int64_t since_ms)
{
	size_t n = strlen(beginning);
	bool has = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < RECENT && i < n_delivered; i++)
		has |= recent[i].at_ms >= since_ms &&
		       strncmp(recent[i].beginning, beginning, n) == 0;
	pthread_mutex_unlock(&lock);
	return has;
}

void cfs_error_line(const struct cfs_error *err, char *out, size_t out_bytes)
{
	if (err->where[0] == '\0')
		snprintf(out, out_bytes, "%s", err->text);
	else if (err->offset == 0)
		snprintf(out, out_bytes, "%s: %s", err->where, err->text);
	else
		snprintf(out, out_bytes, "%s: offset %" PRIu64 ": %s",
			 err->where, err->offset, err->text);
	if (out_bytes > 0)
		make_printable(out);
}

void cfs_log_error(enum cfs_log_level level, const struct cfs_error *err)
{
	char line[640];

	cfs_error_line(err, line, sizeof(line));
	log_deliver(level, line);
}
