/* urlkey.h - keys of crawlfs indexes: from URLs, to tree components and back to
 * URLs.
 *
 * The key is the path in the tree itself: components joined by NUL, so that
 * byte order is tree order and a page comes directly before all that is below
 * it.
 *
 *     http://www.gnu.org/software/emacs/
 *     org NUL gnu NUL www NUL _ NUL software NUL emacs NUL
 *
 * Host labels are reversed and lower-cased, and trailing dots dropped; a label
 * that begins with '_' gets another one in front.  An IPv6 host is one label
 * with its brackets, an IPv4 host is reversed like any other.  A segment "." is
 * "%2E" and ".." is "%2E%2E" (doc/tree.md, "Names in the tree").  For schemes
 * other than http, https and ftp, the scheme is an additional first label:
 *
 *     gemini://example.org/a     gemini: NUL org NUL example NUL _ NUL a
 *     file:///var/a              file: NUL _ NUL var NUL a
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_URLKEY_H
#define CFS_URL_URLKEY_H

#include "path.h"
#include "url.h"

/* Appends the crawlfs key of a URL.  Errors as cfs_url_parse_any, or CFS_ELIMIT
 * beyond CFS_DEPTH_MAX levels. */
int cfs_urlkey_encode(struct cfs_slice url, struct cfs_buf *out);

/* Splits a crawlfs key into components.  0 or CFS_ENOTFOUND. */
int cfs_urlkey_split(struct cfs_slice key, struct cfs_path *out);

/* Splits a key that begins with `below`, which is what cfs_urlkey_ranges gives
 * for all below dir, a directory of path segments.  CFS_ENOTFOUND: as
 * cfs_urlkey_split, which has to be asked, or it is not known. */
int cfs_urlkey_split_below(struct cfs_slice key, const struct cfs_path *dir,
			   struct cfs_slice below, struct cfs_path *out);

/* Finds the range of keys below (or of) a path: always exactly one. */
int cfs_urlkey_ranges(const struct cfs_path *path, enum cfs_below below,
		      struct cfs_ranges *out);

/* Appends scheme://host/path for a key.  This is the original URL if its host
 * was in lower case, without port and user info, and it had a path.  `scheme`
 * is used if the key contains none. */
int cfs_urlkey_url(struct cfs_slice key, enum cfs_scheme scheme,
		   struct cfs_buf *out);

#endif
