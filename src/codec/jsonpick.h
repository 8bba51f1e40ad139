/* jsonpick.h - a few values out of a JSON text, without building it in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_JSONPICK_H
#define CFS_CODEC_JSONPICK_H

#include "base/slice.h"

/* Components of a path, and paths of one call. */
#define CFS_JSON_PATH_MAX 6u
#define CFS_JSON_PICKS_MAX 16u

/*
 * Finds strings, numbers and words in nested objects.  A path is the names on
 * the way, joined by '/'.  out[i] becomes the value of path i as written:
 * the inside of a string (escapes stay), a number, true, false or null; empty
 * if there is none.  Names are compared as written; of repeated ones the last
 * counts.  What else is in the text is passed over and not checked.
 * False if the text is not one object, or breaks off.
 */
bool cfs_json_pick(struct cfs_slice json, const char *const *paths, size_t n,
		   struct cfs_slice *out);

#endif
