/* keys_use.c - the credentials in use, and their renewal.
 *
 * One thread at a time gets credentials: the first time that of a caller, else
 * one started for that purpose, which then ends.  Meanwhile the old ones are
 * used, unless they have expired.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "base/sync.h"
#include "http_settings.h"
#include "keys.h"
#include "profile.h"
#include "s3_answer.h"

/* Credentials are renewed this long before they expire, or when a fifth of
 * their time is left. */
#define MARGIN_S 300
/* Pause after an attempt that failed, or brought the same ones again. */
#define AGAIN_MS 1000
#define EARLY_AGAIN_MS 30000	/* while the old ones still work */
/* At the program's end, a thread that is getting credentials is told to give
 * up; libcurl notices that once a second. */
#define GIVE_UP_MS 3000

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* all guarded by lock */
	bool is_ready;		/* `changed` is initialised */
	bool is_set;
	bool is_busy;		/* some thread is getting credentials */
	bool is_awaited;	/* and requests wait for them */
	unsigned epoch;		/* changes with the settings */
	enum cfs_keys_kind kind;
	int64_t ends_s, renew_s;	/* Unix seconds; 0: never */
	int64_t vain_ms;	/* when an attempt last failed or brought the
				 * same ones; 0: the last one brought others */
	struct cfs_error failure;	/* the last attempt's */
} use = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_uint generation;
static atomic_bool is_over;

/* The files as last read.  The thread that fetches never takes this lock, as
 * the files may be on a server that does not answer. */
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cfs_profile files;	/* guarded by files_lock;
					 * without texts */
static bool has_files;			/* guarded by files_lock */

static int64_t keys_use_now_s(void)
{
	return (int64_t)time(NULL);
}

static void keys_use_get_ready_locked(void)
{
	if (!use.is_ready)
		cfs_cond_init(&use.changed);
	use.is_ready = true;
}

/* ---- getting credentials ---------------------------------------------- */

static bool keys_use_is_stopping(void *arg)
{
	(void)arg;
	return atomic_load(&is_over);
}

/* Credentials on their way to the settings. */
struct got {
	struct cfs_s3_setup setup;
	enum cfs_keys_kind kind;
};

static int get_from(struct got *g, const struct cfs_profile *p,
		    struct cfs_error *err)
{
	static const struct cfs_cancel cancel = {
		.asked = keys_use_is_stopping
	};
	const struct cfs_http_settings *s = cfs_http_settings_get(err);
	struct cfs_keys_how how = { .profile = p, .cancel = &cancel };
	bool is_anonymous;
	int rc;

	if (s == NULL)
		return CFS_EFORMAT;
	is_anonymous = s->no_sign_request;
	how.timeout_ms = s->timeout_ms;
	rc = cfs_s3_setup_init(&g->setup, p, s->endpoint, err);
	g->setup.request_payer = s->request_payer;
	cfs_http_settings_put();
	if (rc == CFS_OK && !is_anonymous)
		rc = cfs_keys_kind(p, &g->kind, err);
	how.region = g->setup.region;
	if (rc == CFS_OK)
		rc = cfs_keys_get(&g->setup.keys, g->kind, &how, err);
	return rc;
}

static void keep_files(const struct cfs_profile *p)
{
	pthread_mutex_lock(&files_lock);
	files = *p;
	cfs_buf_init(&files.credentials.text, 0);
	cfs_buf_init(&files.config.text, 0);
	has_files = true;
	pthread_mutex_unlock(&files_lock);
}

static int keys_use_get(struct got *g, struct cfs_error *err)
{
	struct cfs_profile *p = calloc(1, sizeof(*p));
	int rc;

	*g = (struct got){ .kind = CFS_KEYS_NONE };
	if (p == NULL)
		return cfs_error_nomem(err);
	rc = cfs_profile_read(p, err);
	keep_files(p);
	if (rc == CFS_OK)
		rc = get_from(g, p, err);
	cfs_profile_release(p);
	free(p);
	if (rc == CFS_OK)
		return CFS_OK;
	cfs_s3_setup_release(&g->setup);
	return rc;
}

/* When to renew credentials: before they expire, but not at once again. */
static int64_t renewal_of(int64_t ends_s)
{
	int64_t left = ends_s - keys_use_now_s();
	int64_t margin = left / 5 < MARGIN_S ? left / 5 : MARGIN_S;

	return ends_s == 0 ? 0 : ends_s - margin;
}

/* Puts credentials into the settings.  If there are none now, the old ones
 * stay: the file may be about to be written.  True if they differ. */
static bool install_locked(struct got *g)
{
	bool had_keys = use.is_set && use.kind != CFS_KEYS_NONE;
	const struct cfs_keys *keys = &g->setup.keys;
	bool differs;

	if (keys->id == NULL && had_keys) {
		cfs_s3_setup_release(&g->setup);
		return false;
	}
	differs = !use.is_set;
	use.kind = keys->id != NULL ? g->kind : CFS_KEYS_NONE;
	use.ends_s = keys->ends;
	use.renew_s = renewal_of(keys->ends);
	use.is_set = true;
	if (cfs_http_settings_set_s3(&g->setup, atomic_load(&generation) + 1)) {
		atomic_fetch_add(&generation, 1);
		differs = true;
	}
	return differs;
}

/* Gets credentials and installs them.  is_busy is set before, and
 * cleared here. */
static int renew(struct cfs_error *err)
{
	struct cfs_error why = CFS_ERROR_INIT;
	bool differs = false;
	unsigned epoch;
	struct got g;
	int rc;

	pthread_mutex_lock(&use.lock);
	epoch = use.epoch;
	pthread_mutex_unlock(&use.lock);
	rc = keys_use_get(&g, &why);
	pthread_mutex_lock(&use.lock);
	if (rc == CFS_OK && epoch == use.epoch)
		differs = install_locked(&g);
	else if (rc == CFS_OK)
		cfs_s3_setup_release(&g.setup);
	use.failure = why;
	use.vain_ms = differs ? 0 : cfs_monotonic_ms();
	use.is_busy = use.is_awaited = false;
	pthread_cond_broadcast(&use.changed);
	pthread_mutex_unlock(&use.lock);
	return cfs_error_pass(err, &why, rc);
}

static void *keys_use_run(void *arg)
{
	struct cfs_error err = CFS_ERROR_INIT;

	(void)arg;
	if (renew(&err) != CFS_OK && !atomic_load(&is_over) &&
	    cfs_http_failures_are_logged())
		cfs_log(CFS_LOG_WARNING, "%s", err.text);
	return NULL;
}

/* Runs at the program's end, before libraries that libcurl uses are closed. */
static void keys_use_at_exit(void)
{
	int64_t until_ms = cfs_monotonic_ms() + GIVE_UP_MS;

	atomic_store(&is_over, true);
	pthread_mutex_lock(&use.lock);
	while (use.is_busy && cfs_monotonic_ms() < until_ms)
		cfs_cond_wait_until(&use.changed, &use.lock, until_ms);
	pthread_mutex_unlock(&use.lock);
}

/* Starts a thread that gets credentials, unless one is at it.  is_awaited:
 * requests wait for it.  False if none can be started. */
static bool keys_use_start_locked(bool is_awaited)
{
	static bool has_hook;		/* guarded by lock */
	pthread_t thread;

	keys_use_get_ready_locked();
	use.is_awaited = use.is_awaited || is_awaited;
	if (use.is_busy)
		return true;
	if (!has_hook && atexit(keys_use_at_exit) == 0)
		has_hook = true;
	use.is_busy = has_hook && !atomic_load(&is_over) &&
		      cfs_thread_start(&thread, keys_use_run, NULL);
	if (use.is_busy)
		pthread_detach(thread);
	use.is_awaited = use.is_awaited && use.is_busy;
	return use.is_busy;
}

/* ---- for callers ------------------------------------------------------- */

/* Would an attempt now be too soon after one in vain? */
static bool is_early_locked(int64_t pause_ms)
{
	return use.vain_ms != 0 && cfs_monotonic_ms() - use.vain_ms < pause_ms;
}

static bool have_ended_locked(void)
{
	return use.ends_s != 0 && keys_use_now_s() >= use.ends_s;
}

int cfs_keys_ready(struct cfs_error *err)
{
	int rc = CFS_OK;

	pthread_mutex_lock(&use.lock);
	keys_use_get_ready_locked();
	while (use.is_busy && (!use.is_set || use.is_awaited ||
			       have_ended_locked()))
		cfs_cond_wait_ms(&use.changed, &use.lock, CFS_WAIT_SLICE_MS);
	if (use.is_set && !have_ended_locked()) {
		pthread_mutex_unlock(&use.lock);
		return CFS_OK;
	}
	use.is_busy = true;
	pthread_mutex_unlock(&use.lock);
	rc = renew(err);
	return rc;
}

void cfs_keys_check(void)
{
	bool has_changed;

	pthread_mutex_lock(&use.lock);
	has_changed = use.is_set && use.kind != CFS_KEYS_NONE &&
		      use.kind != CFS_KEYS_ENVIRONMENT && !use.is_busy;
	pthread_mutex_unlock(&use.lock);
	if (!has_changed)
		return;
	pthread_mutex_lock(&files_lock);
	has_changed = has_files && cfs_profile_changed(&files);
	pthread_mutex_unlock(&files_lock);
	if (!has_changed)
		return;
	pthread_mutex_lock(&use.lock);
	keys_use_start_locked(true);
	pthread_mutex_unlock(&use.lock);
}

enum cfs_keys_word cfs_keys_poll(struct cfs_error *err)
{
	enum cfs_keys_word word = CFS_KEYS_GO;
	bool has_ended;

	pthread_mutex_lock(&use.lock);
	has_ended = !use.is_set || have_ended_locked();
	if ((has_ended ||
	     (use.renew_s != 0 && keys_use_now_s() >= use.renew_s)) &&
	    !is_early_locked(has_ended ? AGAIN_MS : EARLY_AGAIN_MS))
		keys_use_start_locked(has_ended);
	if (use.is_busy && (use.is_awaited || has_ended))
		word = CFS_KEYS_WAIT;
	else if (has_ended)
		word = CFS_KEYS_FAIL;
	if (word == CFS_KEYS_FAIL && use.failure.code != CFS_OK)
		cfs_error_pass(err, &use.failure, use.failure.code);
	else if (word == CFS_KEYS_FAIL)
		cfs_error_set(err, CFS_EACCESS, "the credentials for S3 have "
			      "expired");
	pthread_mutex_unlock(&use.lock);
	return word;
}

bool cfs_keys_refused(unsigned refused, const char *code)
{
	bool is_sure = cfs_s3_error_of(code, "", false).kind ==
		       CFS_S3_ERROR_KEYS;
	bool may_help = false;

	pthread_mutex_lock(&use.lock);
	if (refused != atomic_load(&generation))
		may_help = true;
	else if (use.kind == CFS_KEYS_FILE ||
		 (is_sure && use.kind != CFS_KEYS_NONE &&
		  use.kind != CFS_KEYS_ENVIRONMENT))
		may_help = (use.is_busy || !is_early_locked(AGAIN_MS)) &&
			   keys_use_start_locked(true);
	pthread_mutex_unlock(&use.lock);
	return may_help;
}

unsigned cfs_keys_generation(void)
{
	return atomic_load(&generation);
}

void cfs_keys_reset(void)
{
	pthread_mutex_lock(&use.lock);
	use.epoch++;
	use.is_set = false;
	use.failure.code = CFS_OK;
	pthread_mutex_unlock(&use.lock);
}
