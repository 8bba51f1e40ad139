/* control.c - makes the files of .crawlfs when they are read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "control.h"
#include "cache/cache.h"
#include "config.h"

#include "base/timestamp.h"
#include "codec/json.h"
#include "failures.h"
#include "net/hosts.h"
#include "net/location.h"
#include "crawl/handles.h"
#include "crawl/openmetrics.h"
#include "crawl/readahead.h"

static const char *const op_names[CFS_OP_COUNT] = {
	[CFS_OP_LOOKUP] = "lookup",	[CFS_OP_GETATTR] = "getattr",
	[CFS_OP_OPEN] = "open",		[CFS_OP_READ] = "read",
	[CFS_OP_READDIR] = "readdir",	[CFS_OP_READDIRPLUS] = "readdirplus",
	[CFS_OP_FORGET] = "forget",	[CFS_OP_XATTR] = "xattr",
	[CFS_OP_ERRORS] = "errors",	[CFS_OP_BYTES] = "bytes",
	[CFS_OP_STORED] = "stored",	[CFS_OP_LISTED_AHEAD] = "listed_ahead",
	[CFS_OP_SIZES_CORRECTED] = "sizes_corrected",
};

/* Writes members "from" and "to", as 14 digits, if the crawls are limited to a
 * range of time. */
static void put_dates(struct cfs_json *j, const struct cfs_dates *d)
{
	char text[CFS_TIME_14_BYTES];

	if (d->has_from) {
		cfs_time_format_14(d->from, text);
		cfs_json_put_str(j, "from", cfs_slice_str(text));
	}
	if (d->has_to) {
		cfs_time_format_14(d->to, text);
		cfs_json_put_str(j, "to", cfs_slice_str(text));
	}
}

/* Writes a SOURCE as a string, without the queries of its URLs. */
static void put_source_name(struct cfs_json *j, const char *source)
{
	CFS_BUF(b, SIZE_MAX / 2);

	cfs_location_show_list(&b, source);
	cfs_json_str(j, cfs_buf_slice(&b));
}

/* The counters of the block cache and of the read-ahead. */
static void put_cache(struct cfs_json *j, const struct cfs_crawl *c,
		      const struct cfs_readahead_stats *ra)
{
	const struct cfs_cache_counters *n = c->counters;
	struct cfs_cache_stats all;

	cfs_cache_get_stats(c->cache, &all);
	cfs_json_begin(j, "cache", '{');
	cfs_json_put_uint(j, "hits", n->hits);
	cfs_json_put_uint(j, "misses", n->misses);
	cfs_json_put_uint(j, "hit_bytes", n->hit_bytes);
	cfs_json_put_uint(j, "miss_bytes", n->miss_bytes);
	cfs_json_put_uint(j, "requests", n->fetches);
	cfs_json_put_uint(j, "request_bytes", n->fetch_bytes);
	cfs_json_put_uint(j, "failures", n->failures);
	cfs_json_put_uint(j, "ahead", n->ahead);
	cfs_json_put_uint(j, "ahead_bytes", n->ahead_bytes);
	cfs_json_put_uint(j, "ahead_used", n->ahead_used);
	cfs_json_put_uint(j, "ahead_wasted", n->ahead_wasted);
	cfs_json_put_uint(j, "ahead_wasted_bytes", n->ahead_wasted_bytes);
	cfs_json_put_uint(j, "ahead_unread", n->ahead_unread);
	cfs_json_put_uint(j, "ahead_unread_bytes", n->ahead_unread_bytes);
	cfs_json_put_uint(j, "ahead_streams", ra->streams);
	cfs_json_put_uint(j, "ahead_records", ra->records);
	cfs_json_put_uint(j, "ahead_left_out", ra->passed);
	cfs_json_put_uint(j, "disk_bytes", n->disk_bytes);
	cfs_json_put_uint(j, "damaged", n->damaged);
	cfs_json_put_uint(j, "mem_bytes", all.mem_bytes);
	cfs_json_put_uint(j, "in_flight", all.in_flight);
	cfs_json_close(j, '}');
}

static void put_source(struct cfs_json *j, const struct cfs_fs *fs, unsigned i)
{
	struct cfs_index_stats ix;
	struct cfs_readahead_stats ra = { .loads = false };
	struct cfs_store_stats st;

	cfs_index_get_stats(fs->crawls[i]->index, &ix);
	cfs_store_get_stats(fs->crawls[i]->store, &st);
	cfs_json_open(j, '{');
	cfs_json_key(j, CFS_SLICE_LIT("source"));
	put_source_name(j, fs->crawls[i]->source);
	cfs_json_put_str(j, "index",
			 cfs_slice_str(fs->crawls[i]->index->format));
	cfs_json_put_uint(j, "captures", ix.captures);
	cfs_json_put_uint(j, "skipped", ix.skipped);
	cfs_json_put_uint(j, "block_reads", ix.block_reads);
	cfs_json_put_uint(j, "record_hits", st.hits);
	cfs_json_put_uint(j, "record_misses", st.misses);
	cfs_json_put_uint(j, "record_bytes", st.bytes);
	cfs_json_put_uint(j, "inflated_bytes", st.inflated_bytes);
	cfs_json_put_uint(j, "read_bytes", st.read_bytes);
	if (fs->ahead[i] != NULL)
		cfs_readahead_get_stats(fs->ahead[i], &ra);
	if (ra.loads) {
		cfs_json_put_uint(j, "prepared", ra.files);
		cfs_json_put_uint(j, "prepared_used", ra.files_used);
	}
	if (fs->crawls[i]->cache != NULL)
		put_cache(j, fs->crawls[i], &ra);
	cfs_json_close(j, '}');
}

/* The memory accounted for under -o mem=, by purpose. */
static void put_memory(struct cfs_json *j, const struct cfs_fs *fs)
{
	struct cfs_budget_stats s;

	cfs_budget_get_stats(fs->budget, &s);
	cfs_json_begin(j, "memory", '{');
	cfs_json_put_uint(j, "max", s.max);
	cfs_json_put_uint(j, "used", s.used);
	cfs_json_put_uint(j, "most", s.most);
	for (unsigned i = 0; i < CFS_MEM_KINDS; i++)
		cfs_json_put_uint(j, cfs_mem_names[i], s.by_kind[i]);
	cfs_json_put_uint(j, "loading", s.loading);
	cfs_json_put_uint(j, "waiting", s.waiting);
	cfs_json_put_uint(j, "waits", s.waits);
	cfs_json_close(j, '}');
}

static int add_stats(struct cfs_fs *fs, struct cfs_buf *out)
{
	struct cfs_json json = { .out = out }, *j = &json;

	cfs_json_open(j, '{');
	put_dates(j, &fs->opts.dates);
	cfs_json_begin(j, "operations", '{');
	for (unsigned i = 0; i < CFS_OP_COUNT; i++)
		cfs_json_put_uint(j, op_names[i], fs->ops[i]);
	cfs_json_close(j, '}');
	cfs_json_begin(j, "sources", '[');
	for (unsigned i = 0; i < fs->n_crawls; i++) {
		cfs_json_item(j);
		put_source(j, fs, i);
	}
	cfs_json_close(j, ']');
	put_memory(j, fs);
	cfs_hosts_put(j);
	cfs_json_close(j, '}');
	return cfs_buf_addc(out, '\n');
}

/* ---- in the form of OpenMetrics ---------------------------------------- */

static int add_metrics(struct cfs_fs *fs, struct cfs_buf *out)
{
	static const struct cfs_metric requests = {
		CFS_METRIC_COUNTER, "fuse_requests",
		"Requests of the kernel, by operation."
	};
	static const enum cfs_op ops[] = {
		CFS_OP_LOOKUP, CFS_OP_GETATTR, CFS_OP_OPEN, CFS_OP_READ,
		CFS_OP_READDIR, CFS_OP_READDIRPLUS, CFS_OP_FORGET, CFS_OP_XATTR
	};

	cfs_metric_begin(out, &requests);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		cfs_metric_value(out, &requests, "operation",
				 op_names[ops[i]], fs->ops[ops[i]]);
	cfs_metric_counter(out, "fuse_sent_bytes", "Bytes of pages that were "
			   "sent.", fs->ops[CFS_OP_BYTES]);
	cfs_metric_counter(out, "fuse_failures", "Requests that failed, other "
			   "than for names that do not exist.",
			   fs->ops[CFS_OP_ERRORS]);
	cfs_metric_counter(out, "fuse_files_stored", "Files put into the "
			   "kernel's page cache before they were read.",
			   fs->ops[CFS_OP_STORED]);
	cfs_metric_counter(out, "fuse_listed_ahead", "Parts of listings that "
			   "were made before the kernel asked for them.",
			   fs->ops[CFS_OP_LISTED_AHEAD]);
	cfs_metric_counter(out, "fuse_sizes_corrected", "Files that had "
			   "another size than was told before.",
			   fs->ops[CFS_OP_SIZES_CORRECTED]);
	cfs_metrics_of_crawls(out, fs->crawls, fs->n_crawls, fs->budget,
			      fs->mounted_at);
	cfs_metrics_end(out);
	return out->failed;
}

/* ---- the texts ----------------------------------------------------------- */

static void put_lists(struct cfs_json *j, const struct cfs_fs_opts *opts)
{
	cfs_json_begin(j, "sources", '[');
	for (unsigned i = 0; i < opts->served->n_sources; i++) {
		cfs_json_item(j);
		put_source_name(j, opts->served->sources[i]);
	}
	cfs_json_close(j, ']');
	cfs_json_put_str(j, "mountpoint", cfs_slice_str(opts->mountpoint));
	cfs_json_begin(j, "views", '[');
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++)
		if (opts->views & 1u << v) {
			cfs_json_item(j);
			cfs_json_str(j, cfs_slice_str(
				cfs_view_name((enum cfs_view)v)));
		}
	cfs_json_close(j, ']');
}

static int add_config(struct cfs_fs *fs, struct cfs_buf *out)
{
	const struct cfs_fs_opts *opts = &fs->opts;
	const char *words = opts->words != NULL ? opts->words : "";
	const char *size = opts->size_exact ? "exact" : "lazy";
	const struct cfs_part *part = &opts->served->crawl.part;
	struct cfs_json j = { .out = out };
	char text[32];

	cfs_json_open(&j, '{');
	put_lists(&j, opts);
	snprintf(text, sizeof(text), "%u/%u", part->k, part->n);
	if (part->n > 0)
		cfs_json_put_str(&j, "part", cfs_slice_str(text));
	cfs_json_put_bool(&j, "xattr", opts->xattr);
	cfs_json_put_str(&j, "size", cfs_slice_str(size));
	cfs_json_put_words(&j, "options", cfs_slice_str(words), '\n');
	put_dates(&j, &opts->dates);
	cfs_json_close(&j, '}');
	return cfs_buf_addc(out, '\n');
}

static int add_version(struct cfs_fs *fs, struct cfs_buf *out)
{
	(void)fs;
	return cfs_buf_adds(out, "crawlfs " PACKAGE_VERSION "\n");
}

static int add_readme(struct cfs_fs *fs, struct cfs_buf *out)
{
	(void)fs;
	return cfs_buf_adds(out, cfs_tree_readme);
}

static int add_errors(struct cfs_fs *fs, struct cfs_buf *out)
{
	return cfs_failures_text(fs->failures, out);
}

const struct cfs_control_file cfs_control_files[CFS_CONTROL_FILES] = {
	{ "README.md", CFS_INO_README, add_readme, false },
	{ "config", CFS_INO_CONFIG, add_config, false },
	{ "errors", CFS_INO_ERRORS, add_errors, true },
	{ "metrics", CFS_INO_METRICS, add_metrics, true },
	{ "records", CFS_INO_RECORDS, NULL, false },
	{ "search", CFS_INO_SEARCH, NULL, false },
	{ "stats", CFS_INO_STATS, add_stats, true },
	{ "url", CFS_INO_URL_DIR, NULL, false },
	{ "version", CFS_INO_VERSION, add_version, false },
};

const struct cfs_control_file *cfs_control_file_of(uint64_t ino)
{
	if (ino >= CFS_INO_NODES)
		return NULL;
	for (unsigned i = 0; i < CFS_CONTROL_FILES; i++) {
		const struct cfs_control_file *f = &cfs_control_files[i];

		if (f->ino == (f->is_snapshot ? ino & 0xff : ino))
			return f;
	}
	return NULL;
}

bool cfs_control_is_snapshot(uint64_t ino)
{
	const struct cfs_control_file *f = cfs_control_file_of(ino);

	return f != NULL && f->is_snapshot;
}

uint64_t cfs_control_snapshot_ino(struct cfs_fs *fs, uint64_t file)
{
	uint64_t n = atomic_fetch_add(&fs->snapshot_count, 1) + 1;
	uint64_t ino = n << 8 | file;
	struct cfs_handle *h = cfs_handles_open(fs->handles, ino);

	h = atomic_exchange(&fs->snapshots[n % CFS_SNAPSHOTS_KEPT], h);
	if (h != NULL)
		cfs_handles_close(fs->handles, h);
	return ino;
}

int cfs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out)
{
	const struct cfs_control_file *f = cfs_control_file_of(ino);

	return f != NULL && f->text != NULL ? f->text(fs, out) : CFS_ENOTFOUND;
}
