/* hidden.h - which elements a browser does not show.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_HIDDEN_H
#define CFS_HTML_HIDDEN_H

#include "outline.h"

/* True if the attributes of a start tag hide the element with all that is in
 * it: hidden (but not "until-found"), aria-hidden="true", or a style that does
 * not display it.  Style sheets are not read. */
bool cfs_html_is_hidden(const struct cfs_html_el *el);

/* True if a start tag is that of a panel, which its heading or tab shows and
 * hides: role="tabpanel" or "region", or aria-labelledby without a role (the
 * accordion and the tabs of WAI-ARIA's Authoring Practices); or that of a slide
 * (<li aria-hidden>), or of a link that only screen readers pass over.  What is
 * in it belongs to the page also while it is hidden. */
bool cfs_html_is_panel(const struct cfs_html_el *el);

/*
 * Appends a page that hides itself until its scripts run, as they show it: a
 * <div>, <main> or <section> that has three quarters of its text or more, and
 * whose style does not display it.  The style is blanked.
 *
 * utf8   the page, well-formed
 * shown  set to false if nothing hides it: then nothing is appended
 *
 * The result is as long as the page, and time is linear in it.  0; CFS_ENOMEM;
 * out may have failed.
 */
int cfs_html_unhide(struct cfs_slice utf8, struct cfs_buf *out, bool *shown,
		    struct cfs_error *err);

#endif
