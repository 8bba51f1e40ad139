/* content.h - the `content` object of the metadata of an HTML page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CONTENT_H
#define CFS_VIEW_CONTENT_H

#include "base/cancel.h"
#include "base/error.h"
#include "json.h"

/*
 * Writes the value of "content" for an HTML document (FORMATS.md 7.4): type,
 * title, meta_tags, links, each but the first absent when empty.
 *
 * body_bytes  length of the document as archived, for the limits
 * url   of the document, for relative links
 * cut   becomes true if tags or links beyond a limit were left out
 * 0; CFS_ENOMEM; CFS_EINTR; failures of j->out stay there.
 */
int cfs_content_html(struct cfs_json *j, struct cfs_slice utf8,
		     size_t body_bytes, struct cfs_slice url, bool *cut,
		     const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
