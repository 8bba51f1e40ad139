/* keys_use.h - the credentials that requests are signed with.
 *
 * They are fetched when the first one is needed, and again before they expire,
 * when the files they come from change, and when a server refuses them.
 * Fetching may take seconds; the thread that fetches ranges never waits for it.
 * They are kept among the settings (http_settings.h), where requests find them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_KEYS_USE_H
#define CFS_NET_KEYS_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Gets the credentials if there are none yet, or they have expired.  From any
 * thread but the one that fetches.  There may be none: requests are then
 * anonymous.  Errors of the settings and of cfs_keys_get. */
int cfs_keys_ready(struct cfs_error *err);

/* Gets them again in the background if the files have changed.  From any thread
 * but the one that fetches. */
void cfs_keys_check(void);

enum cfs_keys_word {
	CFS_KEYS_GO,		/* sign with those in the settings */
	CFS_KEYS_WAIT,		/* new ones are being got: poll again soon */
	CFS_KEYS_FAIL,		/* they have expired, and there are no others */
};

/* May a request be signed now?  Never waits.  err: why it cannot. */
enum cfs_keys_word cfs_keys_poll(struct cfs_error *err);

/*
 * Notes that a server has refused the credentials of that generation (struct
 * cfs_s3_setup).  code: of S3's error, or "": it may say that they are invalid,
 * not just without access.
 * True if there are others, or they are being got: the request may be sent once
 * more when cfs_keys_poll allows it.  Never waits.
 */
bool cfs_keys_refused(unsigned generation, const char *code);

/* The generation of the credentials in use. */
unsigned cfs_keys_generation(void);

/* Forgets the credentials, as the settings have been replaced. */
void cfs_keys_reset(void);

#endif
