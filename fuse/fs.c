/* fs.c - makes and frees a file system, names its sources, and maps nodes to
 * inode numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "callers.h"
#include "crawl/names.h"
#include "crawl/tree.h"
#include "error_report.h"
#include "handles.h"
#include "loads.h"
#include "net/location.h"
#include "preload.h"
#include "readahead.h"
#include "reply.h"

/* For all paths below .crawlfs/records that were asked for. */
#define RECORD_PATHS_BYTES ((size_t)64 << 20)

/* For all names in the root. */
#define ROOT_NAMES_BYTES ((size_t)64 << 20)

struct cfs_fs *cfs_fs_new(const struct cfs_fs_opts *opts)
{
	struct cfs_fs *fs = calloc(1, sizeof(*fs));

	if (fs == NULL)
		return NULL;
	fs->opts = *opts;
	fs->uid = getuid();
	fs->gid = getgid();
	fs->mounted_at = time(NULL);
	fs->budget = cfs_budget_new(opts->mem_bytes);
	fs->handles = cfs_handles_new(fs->crawls, fs->budget);
	fs->loads = cfs_loads_new(fs);
	fs->callers = cfs_callers_new();
	fs->root_names = cfs_strtab_new(ROOT_NAMES_BYTES);
	fs->record_paths = cfs_strtab_new(RECORD_PATHS_BYTES);
	fs->errors = cfs_error_report_new();
	if (cfs_failure_memo_init(&fs->failures) != CFS_OK ||
	    cfs_dircache_init(&fs->listings) != CFS_OK ||
	    fs->budget == NULL || fs->handles == NULL || fs->loads == NULL ||
	    fs->callers == NULL || fs->root_names == NULL ||
	    fs->record_paths == NULL ||
	    fs->errors == NULL) {
		cfs_fs_free(fs);
		return NULL;
	}
	return fs;
}

void cfs_fs_free(struct cfs_fs *fs)
{
	if (fs == NULL)
		return;
	cfs_loads_free(fs->loads);
	cfs_strtab_free(fs->record_paths);
	for (unsigned i = 0; i < CFS_SOURCES_MAX; i++)
		cfs_preload_free(fs->prepare[i]);
	cfs_handles_free(fs->handles);
	for (unsigned i = 0; i < CFS_SOURCES_MAX; i++) {
		cfs_readahead_free(fs->ahead[i]);
		cfs_crawl_close(fs->crawls[i]);
		free(fs->names[i]);
	}
	free(fs->config);
	cfs_callers_free(fs->callers);
	cfs_strtab_free(fs->root_names);
	cfs_error_report_free(fs->errors);
	cfs_failure_memo_release(&fs->failures);
	cfs_dircache_release(&fs->listings);
	cfs_budget_free(fs->budget);
	free(fs);
}

/* ---- what the kernel knows ---------------------------------------------- */

void cfs_fs_note_root_name(struct cfs_fs *fs, struct cfs_slice name)
{
	uint32_t number;

	if (!fs->sizes_are_exact &&
	    cfs_strtab_add(fs->root_names, name, &number) != CFS_OK)
		cfs_callers_keep_none(fs->callers);
}

/* When the kernel drops a folder it drops everything below that is not in use;
 * open files have their true sizes. */
void cfs_fs_forget(void *arg)
{
	struct cfs_fs *fs = arg;
	uint32_t n = cfs_strtab_count(fs->root_names);

	/* This waits for LOOKUPs under way, which are no longer answered once
	 * the session has ended. */
	for (uint32_t i = 0; i < n && !fuse_session_exited(fs->session); i++) {
		struct cfs_slice s = cfs_strtab_get(fs->root_names, i);
		char name[CFS_NAME_MAX + 1];

		if (s.n > CFS_NAME_MAX)
			continue;
		memcpy(name, s.p, s.n);
		name[s.n] = '\0';
		fuse_lowlevel_notify_inval_entry(fs->session, CFS_INO_ROOT,
						 name, s.n);
	}
}

/* ---- names of sources ------------------------------------------------- */

/* The last component of a source, without trailing slashes or suffixes. */
static struct cfs_slice base_name(const char *source)
{
	static const char *const suffixes[] = {
		".gz", ".zst", ".warc", ".arc", ".wat", ".wet", ".cfx", ".warc",
		".wacz",
	};
	struct cfs_slice s = cfs_slice_str(source);
	ptrdiff_t slash;

	if (cfs_location_has_query(s))
		s = cfs_slice_sub(s, 0, (size_t)cfs_slice_find(s, '?'));
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	slash = cfs_slice_rfind(s, '/');
	if (slash >= 0 && s.n > 1)
		s = cfs_slice_from(s, (size_t)slash + 1);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		struct cfs_slice x = cfs_slice_str(suffixes[i]);

		if (s.n > x.n && cfs_slice_ends(s, x))
			s.n -= x.n;
	}
	if (s.n == 0 || cfs_slice_eq(s, CFS_SLICE_LIT("/")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT(".")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT("..")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT(".crawlfs")))
		s = CFS_SLICE_LIT("crawl");
	return s.n > 200 ? cfs_slice_sub(s, 0, 200) : s;
}

static bool name_is_used(const struct cfs_fs *fs, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(fs->names[i], name) == 0)
			return true;
	return false;
}

int cfs_fs_name_sources(struct cfs_fs *fs, const char *const *sources,
			struct cfs_error *err)
{
	for (unsigned i = 0; i < fs->n_crawls && fs->n_crawls > 1; i++) {
		struct cfs_slice base = base_name(sources[i]);
		char name[CFS_NAME_MAX];

		snprintf(name, sizeof(name), "%.*s", (int)base.n,
			 (const char *)base.p);
		for (unsigned k = 2; name_is_used(fs, i, name); k++)
			snprintf(name, sizeof(name), "%.*s~%u", (int)base.n,
				 (const char *)base.p, k);
		fs->names[i] = strdup(name);
		if (fs->names[i] == NULL)
			return cfs_error_nomem(err);
	}
	return CFS_OK;
}

/* ---- nodes ------------------------------------------------------------ */

#define POS_BITS 48
#define LEVEL_BITS 10
#define LEVEL_MASK ((1u << LEVEL_BITS) - 1)
#define DIR_SHIFT (POS_BITS + LEVEL_BITS)
#define SOURCE_SHIFT (DIR_SHIFT + 1)
#define POS_MASK ((UINT64_C(1) << POS_BITS) - 1)

uint64_t cfs_ino_of(const struct cfs_node *n)
{
	uint64_t is_dir = n->type == CFS_NODE_DIR;
	uint64_t level = is_dir ? n->depth : (unsigned)n->view;

	return n->pos | level << POS_BITS | is_dir << DIR_SHIFT |
	       (uint64_t)n->source << SOURCE_SHIFT;
}

bool cfs_ino_node(uint64_t ino, struct cfs_node *out)
{
	unsigned level = (unsigned)(ino >> POS_BITS) & LEVEL_MASK;

	*out = (struct cfs_node){
		.type = ino >> DIR_SHIFT & 1 ? CFS_NODE_DIR : CFS_NODE_FILE,
		.source = (unsigned)(ino >> SOURCE_SHIFT),
		.pos = ino & POS_MASK,
	};
	if (level == 0)
		return false;
	if (out->type == CFS_NODE_DIR)
		out->depth = level;
	else if (level >= CFS_VIEW_COUNT)
		return false;
	else
		out->view = (enum cfs_view)level;
	return true;
}

bool cfs_fs_node(const struct cfs_fs *fs, uint64_t ino, struct cfs_node *out)
{
	if (ino == CFS_INO_ROOT && fs->n_crawls == 1) {
		*out = cfs_tree_root(0);
		return true;
	}
	if (fs->n_crawls > 1 && ino >= CFS_INO_SOURCES &&
	    ino < CFS_INO_SOURCES + fs->n_crawls) {
		*out = cfs_tree_root((unsigned)ino - CFS_INO_SOURCES);
		return true;
	}
	return cfs_ino_node(ino, out) && out->source < fs->n_crawls;
}

uint64_t cfs_fs_ino(const struct cfs_fs *fs, const struct cfs_node *n)
{
	if (n->type == CFS_NODE_DIR && n->depth == 0)
		return fs->n_crawls == 1 ? CFS_INO_ROOT
					 : CFS_INO_SOURCES + n->source;
	return cfs_ino_of(n);
}
