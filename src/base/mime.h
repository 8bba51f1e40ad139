/* mime.h - finds the media type in a Content-Type, or in what archives and
 * indexes have in its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_MIME_H
#define CFS_BASE_MIME_H

#include "slice.h"

/*
 * "text/html" of "text/html; charset=utf-8"; of a list the last type, as
 * browsers do.  Borrows from the value, whose case it keeps.  Empty if there is
 * none, and for values that mean that it is not known.  Every type of a capture
 * is found by this.
 */
struct cfs_slice cfs_mime_type(struct cfs_slice value);

#endif
