/* dav_internal.h - what a PROPFIND asks for, and texts of the answer
 * (dav_request.c).
 *
 * Spec: RFC 4918, 9.1, 10.2 and 14.20.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_DAV_INTERNAL_H
#define CFS_SERVE_DAV_INTERNAL_H

#include "exchange.h"
#include "summary/html_out.h"

/* The properties that files and folders here have. */
enum cfs_dav_prop {
	CFS_DAV_RESOURCETYPE, CFS_DAV_DISPLAYNAME, CFS_DAV_GETLASTMODIFIED,
	CFS_DAV_CREATIONDATE, CFS_DAV_GETCONTENTLENGTH, CFS_DAV_GETCONTENTTYPE,
	CFS_DAV_GETETAG, CFS_DAV_SUPPORTEDLOCK, CFS_DAV_PROPS
};
#define CFS_DAV_ALL ((1u << CFS_DAV_PROPS) - 1)
extern const char *const cfs_dav_prop_names[CFS_DAV_PROPS];

/* Names of properties that nothing here has are repeated for each file of a
 * folder: no more of them than this, as elements. */
#define CFS_DAV_UNKNOWN_MAX 4096u

struct cfs_dav_wanted {
	unsigned props;			/* bits 1 << enum cfs_dav_prop */
	bool names_only;
	/* Empty elements of the other properties that were asked for:
	 * "<x:a xmlns:x=\"urn:b\"/>". */
	struct cfs_buf unknown;
};

/*
 * Reads the body of a PROPFIND; an empty one asks for all properties.
 *
 * 0; CFS_EUSAGE if it is not well-formed or no propfind; CFS_ELIMIT if it asks
 * for too much; CFS_ENOMEM.  Release *out in any case.
 */
int cfs_dav_wanted_read(struct cfs_dav_wanted *out, struct cfs_slice body,
			struct cfs_error *err);
void cfs_dav_wanted_release(struct cfs_dav_wanted *w);

/* The field Depth: 0 or 1; 2 for "infinity", and if there is no field, which
 * means the same; -1 for anything else. */
int cfs_dav_depth(struct cfs_slice field);

/* Parts of XML: text, in which U+FFFD stands for what XML cannot have, and a
 * path with percent escapes. */
struct cfs_html_part cfs_dav_text(struct cfs_slice text);
struct cfs_html_part cfs_dav_href(struct cfs_slice path);

#endif
