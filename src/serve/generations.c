/* generations.c - opens the crawls of a server again: when the user asks, and
 * when a file of an index has become another one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "generations.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/sync.h"
#include "crawl/sources.h"
#include "input/input.h"
#include "net/location.h"

/* Sites that are open at a time.  Clients that read slowly keep old ones, so
 * the next one has to wait for them. */
#define SITES_MAX 4u
/* How often the thread looks for something to do, and how often at the files.
 * What has changed is opened once two looks at the files were the same. */
#define POLL_MS 100
#define FILES_MS 2000

struct cfs_generations {
	const struct cfs_reopening *how;
	struct cfs_site_counters *counters;
	const struct cfs_cancel *cancel;
	struct cfs_turns looks;
	pthread_mutex_t lock;
	struct cfs_site *newest;	/* guarded by lock, as are the users of
					 * each site */
	/* Used by looks only: */
	struct cfs_site *before[SITES_MAX - 1];
	struct cfs_sources files;	/* those that are watched */
	uint64_t opened, seen;		/* states of these files */
	int64_t looked_ms;
	bool is_asked;			/* the user waits for it */
};

/* ---- the files that are watched ------------------------------------------ */

/* True if a file on this machine is an index. */
static bool is_index(const char *path)
{
	const struct cfs_input_look how = {
		.remote_bytes = CFS_INDEX_HEAD_BYTES };
	struct cfs_input in = { .location = path };
	struct cfs_source *src;
	bool is;

	if (cfs_location_open(&src, path, NULL) != CFS_OK)
		return false;
	is = cfs_input_recognise(&in, src, &how, CFS_CTX(NULL, NULL)) ==
		     CFS_OK &&
	     in.kind == CFS_INPUT_INDEX;
	cfs_input_close(&in);
	return is;
}

/* Adds what is to be watched of one source: names of what is there, which are
 * not split. */
static int watch_source(struct cfs_sources *files, const char *source,
			struct cfs_error *err)
{
	struct cfs_sources in = { .n = 0 };
	enum cfs_input_kind kind = cfs_input_of_name(source);
	int rc = CFS_OK;

	if (kind == CFS_INPUT_FILE && !cfs_location_is_url(source))
		return is_index(source) ?
			       cfs_sources_split(files, source, err) : CFS_OK;
	if (kind != CFS_INPUT_FOLDER)
		return CFS_OK;
	rc = cfs_sources_add(&in, source, NULL, err);
	/* a folder that holds indexes stands for these */
	if (rc == CFS_OK && in.n > 0 && strcmp(in.v[0], source) != 0) {
		rc = cfs_sources_split(files, source, err);
		for (size_t i = 0; rc == CFS_OK && i < in.n; i++)
			rc = cfs_sources_split(files, in.v[i], err);
	}
	cfs_sources_release(&in);
	return rc;
}

/* Finds the files to be watched.  One that cannot be found is not watched. */
static void find_files(const struct cfs_reopening *how,
		       struct cfs_sources *files)
{
	struct cfs_error err = CFS_ERROR_INIT;

	for (unsigned i = 0; i < how->n_sources; i++) {
		struct cfs_sources words = { .n = 0 };
		int rc = cfs_sources_split(&words, how->sources[i], &err);

		for (size_t k = 0; rc == CFS_OK && k < words.n; k++)
			rc = watch_source(files, words.v[k], &err);
		cfs_sources_release(&words);
	}
}

/* A number that differs once one of the files has become another one. */
static uint64_t state_of(const struct cfs_sources *files)
{
	uint64_t state = 0;
	struct stat st;

	for (size_t i = 0; i < files->n; i++) {
		int64_t facts[5] = { 0 };

		if (stat(files->v[i], &st) == 0) {
			facts[0] = (int64_t)st.st_dev;
			facts[1] = (int64_t)st.st_ino;
			facts[2] = S_ISDIR(st.st_mode) ? 0 : st.st_size;
			facts[3] = st.st_mtim.tv_sec;
			facts[4] = st.st_mtim.tv_nsec;
		}
		state = cfs_hash64(cfs_slice_of(facts, sizeof(facts)), state);
	}
	return state;
}

/* True once the files have changed, and do not change any more. */
static bool have_files_changed(struct cfs_generations *g)
{
	int64_t now = cfs_monotonic_ms();
	uint64_t state;
	bool is_steady;

	if (now - g->looked_ms < FILES_MS)
		return false;
	g->looked_ms = now;
	state = state_of(&g->files);
	is_steady = state == g->seen;
	g->seen = state;
	return is_steady && state != g->opened;
}

/* ---- sites --------------------------------------------------------------- */

/* Closes what nobody uses any more.  Returns a free place; NULL: all are in
 * use. */
static struct cfs_site **close_unused(struct cfs_generations *g)
{
	struct cfs_site **room = NULL;

	for (unsigned i = 0; i < SITES_MAX - 1; i++) {
		bool is_used = false;

		if (g->before[i] != NULL) {
			pthread_mutex_lock(&g->lock);
			is_used = g->before[i]->users > 0;
			pthread_mutex_unlock(&g->lock);
			if (!is_used)
				cfs_site_close(g->before[i]);
		}
		if (is_used)
			continue;
		g->before[i] = NULL;
		room = &g->before[i];
	}
	return room;
}

/* Opens the crawls again.  `room` gets the site before. */
static void open_again(struct cfs_generations *g, struct cfs_site **room)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_sources files = { .n = 0 };
	struct cfs_site *site = NULL;
	uint64_t state;
	int rc;

	find_files(g->how, &files);
	/* before they are opened: what changes meanwhile is seen later */
	state = state_of(&files);
	g->opened = g->seen = state_of(&g->files);
	rc = g->how->open(g->how->arg, &site, CFS_CTX(g->cancel, &err));
	if (rc != CFS_OK) {
		cfs_log(CFS_LOG_WARNING, "not opened again: requests go on "
			"with what was open");
		cfs_log_error(CFS_LOG_WARNING, &err);
		cfs_site_close(site);
		cfs_sources_release(&files);
		return;
	}
	cfs_sources_release(&g->files);
	g->files = files;
	g->opened = g->seen = state;
	site->counters = g->counters;
	pthread_mutex_lock(&g->lock);
	*room = g->newest;
	g->newest = site;
	pthread_mutex_unlock(&g->lock);
	g->how->done(g->how->arg);
}

static int64_t look_for_news(void *arg)
{
	struct cfs_generations *g = arg;
	struct cfs_site **room = close_unused(g);

	g->is_asked |= g->how->is_asked(g->how->arg);
	if (room != NULL && (g->is_asked || have_files_changed(g))) {
		g->is_asked = false;
		open_again(g, room);
	}
	return POLL_MS;
}

struct cfs_site *cfs_generations_use(struct cfs_generations *g)
{
	struct cfs_site *site;

	pthread_mutex_lock(&g->lock);
	site = g->newest;
	site->users++;
	pthread_mutex_unlock(&g->lock);
	return site;
}

void cfs_generations_leave(struct cfs_generations *g, struct cfs_site *site)
{
	pthread_mutex_lock(&g->lock);
	site->users--;
	pthread_mutex_unlock(&g->lock);
}

int cfs_generations_begin(struct cfs_generations **out, struct cfs_site *site,
			  struct cfs_site_counters *counters,
			  const struct cfs_reopening *how, struct cfs_ctx ctx)
{
	struct cfs_generations *g = calloc(1, sizeof(*g));

	*out = g;
	if (g == NULL) {
		cfs_site_close(site);
		return cfs_error_nomem(ctx.err);
	}
	g->how = how;
	g->counters = counters;
	g->cancel = ctx.cancel;
	g->newest = site;
	site->counters = counters;
	pthread_mutex_init(&g->lock, NULL);
	cfs_turns_init(&g->looks, look_for_news, g);
	find_files(how, &g->files);
	g->opened = g->seen = state_of(&g->files);
	return cfs_turns_want(&g->looks) ? CFS_OK : cfs_error_nomem(ctx.err);
}

void cfs_generations_end(struct cfs_generations *g)
{
	if (g == NULL)
		return;
	cfs_turns_end(&g->looks);
	for (unsigned i = 0; i < SITES_MAX - 1; i++)
		cfs_site_close(g->before[i]);
	cfs_site_close(g->newest);
	cfs_sources_release(&g->files);
	pthread_mutex_destroy(&g->lock);
	free(g);
}
