/* fs.c - top-level names and the control files (see fs.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "fs.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[CFS_OP_COUNT] = {
	[CFS_OP_LOOKUP] = "lookup",	[CFS_OP_GETATTR] = "getattr",
	[CFS_OP_OPEN] = "open",		[CFS_OP_READ] = "read",
	[CFS_OP_READDIR] = "readdir",	[CFS_OP_READDIRPLUS] = "readdirplus",
	[CFS_OP_FORGET] = "forget",	[CFS_OP_XATTR] = "xattr",
	[CFS_OP_ERRORS] = "errors",	[CFS_OP_BYTES] = "bytes",
};

/* The last component of a source, without slashes behind it. */
static struct cfs_slice base_name(const char *source)
{
	static const char *const suffixes[] = {
		".gz", ".warc", ".arc", ".wat", ".wet", ".cfx", ".warc",
	};
	struct cfs_slice s = cfs_slice_str(source);
	ptrdiff_t slash;

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
			return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	}
	return CFS_OK;
}

static json_t *source_stats(const struct cfs_fs *fs, unsigned i)
{
	struct cfs_index_stats ix;
	struct cfs_store_stats st;
	json_t *o = json_object();

	cfs_index_get_stats(fs->crawls[i]->index, &ix);
	cfs_store_get_stats(fs->crawls[i]->store, &st);
	json_object_set_new(o, "source", json_string(fs->crawls[i]->source));
	json_object_set_new(o, "index", json_string(fs->crawls[i]->index->format));
	json_object_set_new(o, "captures", json_integer((json_int_t)ix.captures));
	json_object_set_new(o, "skipped", json_integer((json_int_t)ix.skipped));
	json_object_set_new(o, "block_reads",
			    json_integer((json_int_t)ix.block_reads));
	json_object_set_new(o, "record_hits", json_integer((json_int_t)st.hits));
	json_object_set_new(o, "record_misses",
			    json_integer((json_int_t)st.misses));
	json_object_set_new(o, "record_bytes",
			    json_integer((json_int_t)st.bytes));
	json_object_set_new(o, "inflated_bytes",
			    json_integer((json_int_t)st.inflated_bytes));
	json_object_set_new(o, "read_bytes",
			    json_integer((json_int_t)st.read_bytes));
	return o;
}

static int add_json(struct cfs_buf *out, json_t *o)
{
	char *text = json_dumps(o, JSON_INDENT(2) | JSON_PRESERVE_ORDER);

	json_decref(o);
	if (text == NULL)
		return CFS_ENOMEM;
	cfs_buf_adds(out, text);
	free(text);
	return cfs_buf_addc(out, '\n');
}

static int add_stats(struct cfs_fs *fs, struct cfs_buf *out)
{
	json_t *o = json_object(), *ops = json_object(), *sources = json_array();

	for (unsigned i = 0; i < CFS_OP_COUNT; i++)
		json_object_set_new(ops, op_names[i],
				    json_integer((json_int_t)fs->ops[i]));
	for (unsigned i = 0; i < fs->n_crawls; i++)
		json_array_append_new(sources, source_stats(fs, i));
	json_object_set_new(o, "operations", ops);
	json_object_set_new(o, "sources", sources);
	return add_json(out, o);
}

int cfs_fs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out)
{
	switch (ino) {
	case CFS_INO_STATS:
		return add_stats(fs, out);
	case CFS_INO_CONFIG:
		return cfs_buf_adds(out, fs->config ? fs->config : "{}\n");
	case CFS_INO_VERSION:
		return cfs_buf_adds(out, "crawlfs " PACKAGE_VERSION "\n");
	default:
		return CFS_ENOTFOUND;
	}
}
