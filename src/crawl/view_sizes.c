/* view_sizes.c - the sizes of the views of a page, while it is indexed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_sizes.h"

#include "view/view.h"

static int measure(const struct cfs_scan_item *item, const char *archive,
		   uint64_t *meta_bytes, uint64_t *text_bytes,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_view_input in = {
		.record = item->record, .url = item->record->url,
		.archive_name = cfs_slice_str(archive),
		.loc = item->span,
	};

	return cfs_view_measure(&in, meta_bytes, text_bytes, cancel, err);
}

void cfs_view_sizes_ask(struct cfs_indexer_opts *opts)
{
	opts->view_bytes = measure;
	opts->view_code = cfs_view_code();
}
