/* fuzz_made.h - what is made of inputs that nobody vouches for: an index that
 * is good throughout, or one failure that says what is wrong, and no index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_FUZZ_MADE_H
#define CFS_TESTS_FUZZ_MADE_H

#include "fuzz_folder.h"

#include "format/cfx/cfx.h"
#include "indexing/make_index.h"

/* Says why before it ends the program. */
static inline void fuzz_refused(const char *what, const struct cfs_error *err)
{
	fprintf(stderr, "%s: %s (offset %llu of '%s', code %d)\n", what,
		err->text, (unsigned long long)err->offset, err->where,
		err->code);
	abort();
}

/* An index that was just written. */
static inline void fuzz_check_index(const char *path)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;
	uint64_t n;

	must(cfs_source_open_file(&src, path, NULL) == CFS_OK);
	if (cfs_cfx_open(&ix, src, 1 << 20, &err) != CFS_OK)
		fuzz_refused("the new index is not opened", &err);
	if (cfs_cfx_check(ix, &n, CFS_CTX(NULL, &err)) != CFS_OK)
		fuzz_refused("the new index is damaged", &err);
	cfs_index_close(ix);
}

/* Makes it, checks what became of it and removes it. */
static inline void fuzz_make(const struct cfs_indexer_opts *opts)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_indexer_report report;
	int rc = cfs_make_index(opts, &report, &err);

	if (rc != CFS_OK) {
		must(rc < 0 && rc != CFS_END && err.text[0] != '\0');
		must(access(opts->output, F_OK) != 0);
		return;
	}
	if (opts->format == CFS_INDEX_CFX)
		fuzz_check_index(opts->output);
	unlink(opts->output);
}

#endif
