/* manifest.c - reads the JSON lists of WACZ files that make up a collection.
 *
 *     {"profile": "multi-wacz-package", "resources": [{"path": PATH}, ..], ..}
 *
 * PATH is a name below the list's folder, or a URL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "manifest.h"

#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/fileio.h"
#include "base/log.h"
#include "net/location.h"
#include "net/reach.h"
#include "record/wacz.h"

#define SAID_MS 60000	/* between opening a list and indexing its files */

struct list_walk {
	const char *location;
	struct cfs_buf file;
	int (*each)(void *arg, const char *file);
	void *arg;
	size_t refused;		/* URLs that the list may not lead to */
	bool is_said;		/* the first was logged a moment ago */
};

/* The folder of the list, with a '/' at its end. */
static struct cfs_slice folder_of(const char *location)
{
	struct cfs_slice s = cfs_slice_str(location);

	return cfs_location_is_url(location) ? cfs_location_folder(location) :
	       cfs_slice_sub(s, 0, (size_t)(cfs_slice_rfind(s, '/') + 1));
}

static struct cfs_slice without_query(struct cfs_slice path)
{
	return cfs_slice_sub(path, 0, cfs_slice_find_any(path, 0, "?#"));
}

/* Logs the first refused URL, but only once if the list is read twice; counts
 * the others. */
static bool may_lead_to(struct list_walk *w, const char *url)
{
	const char *why = cfs_reach_refusal(w->location, url);
	char line[320];

	if (why == NULL || w->refused++ > 0)
		return why == NULL;
	snprintf(line, sizeof(line), "%.150s: '%.100s' is left out",
		 w->location, url);
	w->is_said = cfs_log_has(line, cfs_monotonic_ms() - SAID_MS);
	if (!w->is_said)
		cfs_log(CFS_LOG_WARNING, "%s: %s", line, why);
	return false;
}

static int manifest_one_file(void *arg, const struct cfs_package_file *f)
{
	struct list_walk *w = arg;
	struct cfs_slice path = f->path;
	enum cfs_wacz_role role = cfs_wacz_role_of(without_query(path));
	const char *file;
	bool is_url;

	cfs_buf_reset(&w->file);
	cfs_buf_add(&w->file, path);
	is_url = memchr(path.p, '\0', path.n) == NULL &&
		 cfs_location_is_url(cfs_buf_str(&w->file));
	if (role != CFS_WACZ_INSIDE && role != CFS_WACZ_ARCHIVE &&
	    !(is_url && role == CFS_WACZ_NOTHING))
		return CFS_OK;
	if (!is_url && !cfs_name_stays_below(path)) {
		cfs_log(CFS_LOG_WARNING, "%s: '%.100s' is left out: it is "
			"neither a URL nor a name below this folder",
			w->location, cfs_buf_str(&w->file));
		return CFS_OK;
	}
	if (!is_url) {
		cfs_buf_reset(&w->file);
		cfs_buf_add(&w->file, folder_of(w->location));
		cfs_buf_add(&w->file, path);
	}
	file = cfs_buf_str(&w->file);
	if (is_url && w->file.failed == CFS_OK && !may_lead_to(w, file))
		return CFS_OK;
	return w->file.failed != CFS_OK ? w->file.failed :
					  w->each(w->arg, file);
}

int cfs_manifest_read(struct cfs_source *src, const char *location,
		      int (*each)(void *arg, const char *file), void *arg,
		      struct cfs_ctx ctx)
{
	struct list_walk w = { .location = location, .each = each, .arg = arg };
	CFS_BUF(text, CFS_PACKAGE_MAX + 1);
	int rc;

	cfs_buf_init(&w.file, 4 * CFS_LOCATION_MAX);
	rc = cfs_package_load(src, &text, ctx);
	if (rc == CFS_OK)
		rc = cfs_package_each(cfs_buf_slice(&text), manifest_one_file,
				      &w);
	if (w.refused > 1 && !w.is_said)
		cfs_log(CFS_LOG_WARNING,
			"%s: %zu files are left out that it may not lead to",
			location, w.refused);
	if (rc == CFS_EFORMAT)
		cfs_error_at(ctx.err, rc, location, 0, "JSON without a list of "
			     "files ('resources')");
	if (rc == CFS_ENOMEM)
		cfs_error_nomem(ctx.err);
	cfs_buf_release(&w.file);
	return rc;
}
