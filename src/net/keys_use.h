/* keys_use.h - the credentials that requests are signed with: got when the
 * first one is needed, and again before they end, when the files that they
 * stand in change, and when a server refuses them.
 *
 * Getting them may take seconds: the thread that fetches never waits for that.
 * They are kept among the settings (http_settings.h), where requests find them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_KEYS_USE_H
#define CFS_NET_KEYS_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Gets them where there are none yet, or they have ended; from any thread but
 * the one that fetches.  They may be none: then requests are anonymous.  Errors
 * of the settings and of cfs_keys_get. */
int cfs_keys_ready(struct cfs_error *err);

/* Gets them again, behind the caller's back, where the files have changed.
 * From any thread but the one that fetches. */
void cfs_keys_check(void);

enum cfs_keys_word {
	CFS_KEYS_GO,		/* sign with those of the settings */
	CFS_KEYS_WAIT,		/* others are being got: ask again soon */
	CFS_KEYS_FAIL,		/* they have ended, and there are no others */
};

/* May a request be signed now?  Never waits.  err: why it may not. */
enum cfs_keys_word cfs_keys_poll(struct cfs_error *err);

/*
 * A server has refused those of that generation (struct cfs_s3_setup).
 * is_sure: it says that they are not valid, not only that access is.  True:
 * there are others, or they are being got, and the request may be sent once
 * more as cfs_keys_poll says.  Never waits.
 */
bool cfs_keys_refused(unsigned generation, bool is_sure);

/* The generation of those that are in use. */
unsigned cfs_keys_generation(void);

/* Forgets them: the settings have been replaced. */
void cfs_keys_reset(void);

#endif
