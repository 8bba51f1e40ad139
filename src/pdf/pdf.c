/* pdf.c - keeps the helper processes, and speaks to them.
 *
 * A process that is kept ends with this one: its standard input ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "pdf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/spawn.h"
#include "base/sync.h"
#include "protocol.h"

/* Processes at a time. */
#define HELPERS_MAX 64u
/* A process is ended after so many documents: what poppler leaks goes. */
#define DOCUMENTS_MAX 2000u
/* Cancellation is noticed within that time. */
#define POLL_MS 50
/* A process that takes longer by the clock is ended: the limit of its processor
 * time may not do it on a machine with too much work. */
#define WALL_MS 300000

struct helper {
	pid_t pid;
	int in, out;		/* its standard input and output */
	unsigned documents;	/* that it was given */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t changed;
static struct helper idle[HELPERS_MAX];
static unsigned n_idle, n_busy;

/* ---- processes ---- */

static char program_path[PATH_MAX];

/* The program is where it was installed, or in the folder libexec beside that
 * of crawlfs itself: all of it may have been moved, as in a wheel. */
static void find_program(void)
{
	const char *path = getenv("CRAWLFS_PDF");
	char self[PATH_MAX], near[PATH_MAX + 32];
	ssize_t n;

	snprintf(program_path, sizeof(program_path), "%s",
		 path != NULL ? path : CFS_LIBEXECDIR "/crawlfs-pdf");
	if (path != NULL || access(program_path, X_OK) == 0)
		return;
	n = readlink("/proc/self/exe", self, sizeof(self));
	while (n > 0 && self[n - 1] != '/')
		n--;
	if (n <= 0)		/* without /proc: not the current folder */
		return;
	snprintf(near, sizeof(near), "%.*s../libexec/crawlfs-pdf", (int)n,
		 self);
	if (strlen(near) < sizeof(program_path) && access(near, X_OK) == 0)
		memcpy(program_path, near, strlen(near) + 1);
}

static const char *program(void)
{
	static pthread_once_t found = PTHREAD_ONCE_INIT;

	pthread_once(&found, find_program);
	return program_path;
}

static unsigned helpers_most(void)
{
	unsigned n = cfs_processors();

	return n < HELPERS_MAX ? n : HELPERS_MAX;
}

static void end(struct helper *h, int sig)
{
	close(h->in);
	close(h->out);
	if (sig != 0)
		kill(h->pid, sig);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int spawn(struct helper *h, int in, int out)
{
	char locale[] = "LC_ALL=C", path[PATH_MAX];
	char *argv[] = { path, NULL }, *env[] = { locale, NULL };
	const struct cfs_spawn how = {
		.argv = argv, .env = env, .in = in, .out = out
	};
	size_t n = strlen(program()) + 1;

	if (n > sizeof(path))
		return ENAMETOOLONG;
	memcpy(path, program(), n);
	return cfs_spawn(&h->pid, &how);
}

static int begin(struct helper *h, struct cfs_error *err)
{
	int in[2], out[2], rc;

	if (pipe2(in, O_CLOEXEC) != 0)
		return cfs_error_set(err, CFS_EIO, "no pipe: %s",
				     strerror(errno));
	if (pipe2(out, O_CLOEXEC) != 0) {
		close(in[0]);
		close(in[1]);
		return cfs_error_set(err, CFS_EIO, "no pipe: %s",
				     strerror(errno));
	}
	*h = (struct helper){ .in = in[1], .out = out[0] };
	rc = spawn(h, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	if (rc == 0)
		return CFS_OK;
	close(in[1]);
	close(out[0]);
	return cfs_error_set(err, CFS_EIO, "cannot run '%.200s': %s", program(),
			     strerror(rc));
}

static void begin_all(void)
{
	cfs_cond_init(&changed);
}

static void leave(void)
{
	pthread_mutex_lock(&lock);
	n_busy--;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

/* Takes a process that is idle, or begins one, as soon as there may be one
 * more. */
static int take(struct helper *h, struct cfs_ctx ctx)
{
	int rc = cfs_cancel_before_wait(ctx);

	pthread_once(&once, begin_all);
	pthread_mutex_lock(&lock);
	while (rc == CFS_OK && n_busy == helpers_most()) {
		cfs_cond_wait_ms(&changed, &lock, POLL_MS);
		if (cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	if (rc == CFS_OK)
		n_busy++;
	*h = (struct helper){ .pid = 0 };
	if (rc == CFS_OK && n_idle > 0)
		*h = idle[--n_idle];
	pthread_mutex_unlock(&lock);
	if (rc != CFS_OK || h->pid != 0)
		return rc;
	rc = begin(h, ctx.err);
	if (rc != CFS_OK)
		leave();
	return rc;
}

/* Gives back what take has taken; is_alive: it may have the next document. */
static void give(struct helper *h, bool is_alive)
{
	bool is_kept = is_alive && ++h->documents < DOCUMENTS_MAX;

	if (is_kept) {
		pthread_mutex_lock(&lock);
		idle[n_idle++] = *h;
		pthread_mutex_unlock(&lock);
	} else {
		end(h, is_alive ? 0 : SIGKILL);
	}
	leave();
}

/* ---- what is said ---- */

/* One exchange with a process. */
struct talk {
	struct helper *h;
	int64_t until_ms;
	struct cfs_ctx ctx;
};

/* Waits until a pipe is ready.  CFS_END: the process is ended, since it takes
 * too long. */
static int wait_for(const struct talk *t, int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	while (poll(&p, 1, POLL_MS) <= 0) {
		if (cfs_cancelled(t->ctx.cancel))
			return cfs_error_set(t->ctx.err, CFS_EINTR,
					     "interrupted");
		if (cfs_monotonic_ms() > t->until_ms)
			return CFS_END;
	}
	return CFS_OK;
}

/* CFS_END: the process has died. */
static int put(const struct talk *t, const void *p, size_t n)
{
	const uint8_t *at = p;

	while (n > 0) {
		int rc = wait_for(t, t->h->in, POLLOUT);
		ssize_t done;

		if (rc != CFS_OK)
			return rc;
		/* A pipe that is ready takes this much without waiting. */
		done = write(t->h->in, at, n < PIPE_BUF ? n : PIPE_BUF);
		if (done <= 0)
			return CFS_END;
		at += done;
		n -= (size_t)done;
	}
	return CFS_OK;
}

static int get(const struct talk *t, void *p, size_t n)
{
	uint8_t *at = p;

	while (n > 0) {
		int rc = wait_for(t, t->h->out, POLLIN);
		ssize_t done;

		if (rc != CFS_OK)
			return rc;
		done = read(t->h->out, at, n);
		if (done <= 0)
			return CFS_END;
		at += done;
		n -= (size_t)done;
	}
	return CFS_OK;
}

/* Appends n bytes that the process writes; out may be NULL. */
static int get_text(const struct talk *t, struct cfs_buf *out, size_t n)
{
	uint8_t part[16384];
	int rc = CFS_OK;

	while (rc == CFS_OK && n > 0) {
		size_t some = n < sizeof(part) ? n : sizeof(part);

		rc = get(t, part, some);
		if (rc == CFS_OK && out != NULL)
			cfs_buf_append(out, part, some);
		n -= some;
	}
	return rc;
}

/* Where the end mark of a document is looked for, which ISO 32000 has on its
 * last line; readers allow some bytes behind it. */
#define END_BYTES 2048u

static bool has_end(struct cfs_slice document)
{
	size_t n = document.n < END_BYTES ? document.n : END_BYTES;

	return cfs_slice_search(cfs_slice_from(document, document.n - n),
				CFS_SLICE_LIT("%%EOF")) >= 0;
}

static enum cfs_pdf_outcome outcome_of(const struct cfs_pdf_answer *a,
				       struct cfs_slice document)
{
	if (a->status == CFS_PDF_ENCRYPTED)
		return CFS_PDF_LOCKED;
	if (a->status != CFS_PDF_OK)
		return CFS_PDF_NOT_READABLE;
	return a->pages_read < a->pages || !has_end(document) ?
	       CFS_PDF_PARTIAL : CFS_PDF_WHOLE;
}

/* Which pages can be read is told of the text, unless main alone is wanted. */
static uint32_t wants(const struct cfs_buf *text, const struct cfs_buf *main)
{
	if (main == NULL)
		return CFS_PDF_WANTS_TEXT;
	return CFS_PDF_WANTS_MAIN | (text != NULL ? CFS_PDF_WANTS_TEXT : 0);
}

static int converse(const struct talk *t, struct cfs_slice document,
		    struct cfs_buf *title, struct cfs_buf *text,
		    struct cfs_buf *main, struct cfs_pdf_found *found)
{
	struct cfs_pdf_request q = {
		.magic = CFS_PDF_MAGIC,
		.wants = wants(text, main),
		.document_bytes = (uint32_t)document.n,
		.text_bytes_max = CFS_PDF_TEXT_MAX,
		.pages_max = CFS_PDF_PAGES_MAX,
		.cpu_ms = CFS_PDF_CPU_MS,
	};
	struct cfs_pdf_answer a;
	int rc = put(t, &q, sizeof(q));

	if (rc == CFS_OK)
		rc = put(t, document.p, document.n);
	if (rc == CFS_OK)
		rc = get(t, &a, sizeof(a));
	if (rc == CFS_OK && (a.magic != CFS_PDF_MAGIC ||
			     a.title_bytes > CFS_PDF_TEXT_MAX ||
			     a.text_bytes > CFS_PDF_TEXT_MAX ||
			     a.main_bytes > CFS_PDF_TEXT_MAX))
		rc = CFS_END;
	if (rc != CFS_OK)
		return rc;
	*found = (struct cfs_pdf_found){ outcome_of(&a, document), a.pages };
	rc = get_text(t, title, a.title_bytes);
	if (rc == CFS_OK)
		rc = get_text(t, text, a.text_bytes);
	if (rc == CFS_OK)
		rc = get_text(t, main, a.main_bytes);
	/* Some of it may have been appended. */
	return rc != CFS_END ? rc :
	       cfs_error_set(t->ctx.err, CFS_EIO, "%s ended in the middle of "
			     "an answer", program());
}

const char *cfs_pdf_outcome_name(enum cfs_pdf_outcome outcome)
{
	switch (outcome) {
	case CFS_PDF_WHOLE: return "whole";
	case CFS_PDF_PARTIAL: return "partial";
	case CFS_PDF_NOT_READABLE: return "not readable";
	case CFS_PDF_LOCKED: return "locked";
	case CFS_PDF_TOO_MUCH: return "too much";
	case CFS_PDF_NO_HELPER: break;
	}
	return "no helper";
}

bool cfs_pdf_is(struct cfs_slice body)
{
	return cfs_slice_search(cfs_slice_sub(body, 0, 1024),
				CFS_SLICE_LIT("%PDF-")) >= 0;
}

const char *cfs_pdf_version(void)
{
#ifdef CFS_POPPLER_VERSION
	if (access(program(), X_OK) == 0)
		return CFS_POPPLER_VERSION;
#endif
	return NULL;
}

/* Has a process read the document.  CFS_END: it has died of it, or before. */
static int read_once(struct cfs_slice document, struct cfs_buf *title,
		     struct cfs_buf *text, struct cfs_buf *main, bool *was_new,
		     struct cfs_pdf_found *found, struct cfs_ctx ctx)
{
	struct helper h;
	struct talk t = { &h, cfs_monotonic_ms() + WALL_MS, ctx };
	int rc = take(&h, ctx);

	if (rc != CFS_OK)
		return rc;
	*was_new = h.documents == 0;
	rc = converse(&t, document, title, text, main, found);
	give(&h, rc == CFS_OK);
	return rc;
}

static int read_document(struct cfs_slice document, struct cfs_buf *title,
			 struct cfs_buf *text, struct cfs_buf *main,
			 struct cfs_pdf_found *found, struct cfs_ctx ctx)
{
	bool was_new = false;
	int rc = CFS_END;

	*found = (struct cfs_pdf_found){ CFS_PDF_NO_HELPER, 0 };
	if (cfs_pdf_version() == NULL)
		return CFS_OK;
	found->outcome = CFS_PDF_TOO_MUCH;
	if (document.n > CFS_PDF_BYTES_MAX)
		return CFS_OK;
	/* One that has read others may have died of them, or been killed. */
	while (rc == CFS_END && !was_new)
		rc = read_once(document, title, text, main, &was_new, found,
			       ctx);
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- texts that are kept ------------------------------------------------- */

void cfs_pdf_texts_init(struct cfs_pdf_texts *t)
{
	*t = (struct cfs_pdf_texts){ .is_read = false };
	cfs_buf_init(&t->title, CFS_PDF_KEPT_MAX);
	cfs_buf_init(&t->text, CFS_PDF_KEPT_MAX);
	cfs_buf_init(&t->main, CFS_PDF_KEPT_MAX);
}

void cfs_pdf_texts_release(struct cfs_pdf_texts *t)
{
	t->is_read = false;
	cfs_buf_release(&t->title);
	cfs_buf_release(&t->text);
	cfs_buf_release(&t->main);
}

static int read_texts(struct cfs_pdf_texts *t, struct cfs_slice document,
		      struct cfs_ctx ctx)
{
	struct cfs_buf *text = NULL, *main = NULL;
	int rc;

	if (t->with_text)
		text = &t->text;
	if (t->with_main)
		main = &t->main;
	rc = read_document(document, &t->title, text, main, &t->found, ctx);
	t->is_read = rc == CFS_OK;
	t->are_kept = t->title.failed == CFS_OK && t->text.failed == CFS_OK &&
		      t->main.failed == CFS_OK;
	if (t->is_read && t->are_kept)
		return CFS_OK;
	cfs_buf_release(&t->title);
	cfs_buf_release(&t->text);
	cfs_buf_release(&t->main);
	return rc;
}

int cfs_pdf_texts_get(struct cfs_pdf_texts *t, struct cfs_slice document,
		      struct cfs_buf *title, struct cfs_buf *text,
		      struct cfs_buf *main, struct cfs_pdf_found *found,
		      struct cfs_ctx ctx)
{
	/* without both texts, that one is read which tells of the pages */
	bool needs_text = text != NULL || main == NULL;
	int rc = CFS_OK;

	if (t != NULL && ((needs_text && !t->with_text) ||
			  (main != NULL && !t->with_main))) {
		cfs_pdf_texts_release(t);
		t->with_text |= needs_text;
		t->with_main |= main != NULL;
	}
	if (t != NULL && !t->is_read)
		rc = read_texts(t, document, ctx);
	if (rc != CFS_OK)
		return rc;
	if (t == NULL || !t->are_kept)
		return read_document(document, title, text, main, found, ctx);
	*found = t->found;
	if (title != NULL)
		cfs_buf_add(title, cfs_buf_slice(&t->title));
	if (text != NULL)
		cfs_buf_add(text, cfs_buf_slice(&t->text));
	if (main != NULL)
		cfs_buf_add(main, cfs_buf_slice(&t->main));
	return CFS_OK;
}
