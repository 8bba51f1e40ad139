/* control_text.c - makes the files of .crawlfs when they are read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cache/cache.h"
#include "config.h"
#include "control_text.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/timestamp.h"
#include "failures.h"
#include "handles.h"
#include "net/hosts.h"
#include "net/location.h"
#include "preload.h"
#include "crawl/openmetrics.h"
#include "crawl/readahead.h"

/* Servers listed in .crawlfs/stats. */
#define HOSTS_MAX 64u

static const char *const op_names[CFS_OP_COUNT] = {
	[CFS_OP_LOOKUP] = "lookup",	[CFS_OP_GETATTR] = "getattr",
	[CFS_OP_OPEN] = "open",		[CFS_OP_READ] = "read",
	[CFS_OP_READDIR] = "readdir",	[CFS_OP_READDIRPLUS] = "readdirplus",
	[CFS_OP_FORGET] = "forget",	[CFS_OP_XATTR] = "xattr",
	[CFS_OP_ERRORS] = "errors",	[CFS_OP_BYTES] = "bytes",
	[CFS_OP_STORED] = "stored",	[CFS_OP_LISTED_AHEAD] = "listed_ahead",
	[CFS_OP_SIZES_CORRECTED] = "sizes_corrected",
};

static void set_count(json_t *o, const char *name, uint64_t n)
{
	json_object_set_new(o, name, json_integer((json_int_t)n));
}

void cfs_control_set_dates(const struct cfs_dates *d, struct json_t *o)
{
	char text[CFS_TIME_14_BYTES];

	if (d->has_from) {
		cfs_time_format_14(d->from, text);
		json_object_set_new(o, "from", json_string(text));
	}
	if (d->has_to) {
		cfs_time_format_14(d->to, text);
		json_object_set_new(o, "to", json_string(text));
	}
}

json_t *cfs_control_shown(const char *source)
{
	struct cfs_buf b;
	json_t *o;

	cfs_buf_init(&b, SIZE_MAX / 2);
	cfs_location_show_list(&b, source);
	o = json_string(cfs_buf_str(&b));
	cfs_buf_release(&b);
	return o;
}

/* The counters of the block cache and of the read-ahead. */
static json_t *cache_stats(const struct cfs_fs *fs, unsigned i)
{
	const struct cfs_cache_counters *n = fs->crawls[i]->counters;
	struct cfs_readahead_stats ra = { 0 };
	struct cfs_cache_stats all;
	json_t *o = json_object();

	if (fs->ahead[i] != NULL)
		cfs_readahead_get_stats(fs->ahead[i], &ra);
	cfs_cache_get_stats(fs->crawls[i]->cache, &all);
	set_count(o, "hits", n->hits);
	set_count(o, "misses", n->misses);
	set_count(o, "hit_bytes", n->hit_bytes);
	set_count(o, "miss_bytes", n->miss_bytes);
	set_count(o, "requests", n->fetches);
	set_count(o, "request_bytes", n->fetch_bytes);
	set_count(o, "failures", n->failures);
	set_count(o, "ahead", n->ahead);
	set_count(o, "ahead_bytes", n->ahead_bytes);
	set_count(o, "ahead_used", n->ahead_used);
	set_count(o, "ahead_wasted", n->ahead_wasted);
	set_count(o, "ahead_wasted_bytes", n->ahead_wasted_bytes);
	set_count(o, "ahead_unread", n->ahead_unread);
	set_count(o, "ahead_unread_bytes", n->ahead_unread_bytes);
	set_count(o, "ahead_streams", ra.streams);
	set_count(o, "ahead_records", ra.records);
	set_count(o, "ahead_left_out", ra.passed);
	set_count(o, "disk_bytes", n->disk_bytes);
	set_count(o, "damaged", n->damaged);
	set_count(o, "mem_bytes", all.mem_bytes);
	set_count(o, "in_flight", all.in_flight);
	return o;
}

static json_t *source_stats(const struct cfs_fs *fs, unsigned i)
{
	struct cfs_index_stats ix;
	struct cfs_preload_stats pr;
	struct cfs_store_stats st;
	json_t *o = json_object();

	cfs_index_get_stats(fs->crawls[i]->index, &ix);
	cfs_store_get_stats(fs->crawls[i]->store, &st);
	json_object_set_new(o, "source",
			    cfs_control_shown(fs->crawls[i]->source));
	json_object_set_new(o, "index",
			    json_string(fs->crawls[i]->index->format));
	set_count(o, "captures", ix.captures);
	set_count(o, "skipped", ix.skipped);
	set_count(o, "block_reads", ix.block_reads);
	set_count(o, "record_hits", st.hits);
	set_count(o, "record_misses", st.misses);
	set_count(o, "record_bytes", st.bytes);
	set_count(o, "inflated_bytes", st.inflated_bytes);
	set_count(o, "read_bytes", st.read_bytes);
	if (fs->prepare[i] != NULL) {
		cfs_preload_get_stats(fs->prepare[i], &pr);
		set_count(o, "prepared", pr.files);
		set_count(o, "prepared_used", pr.used);
	}
	if (fs->crawls[i]->cache != NULL)
		json_object_set_new(o, "cache", cache_stats(fs, i));
	return o;
}

/* Whether the server is up; if not, since when, and when it is tried again. */
static void control_text_set_state(json_t *o, const struct cfs_host_stats *h)
{
	const char *state = "up";

	if (h->is_down)
		state = "down";
	else if (h->failing_ms > 0)
		state = "failing";
	json_object_set_new(o, "state", json_string(state));
	if (h->failing_ms > 0)
		set_count(o, "failing_ms", (uint64_t)h->failing_ms);
	if (h->is_down)
		set_count(o, "next_probe_ms", (uint64_t)h->probe_ms);
}

/* One object for each server, with figures for the whole process. */
static json_t *host_stats(void)
{
	struct cfs_host_stats *v = calloc(HOSTS_MAX, sizeof(*v));
	size_t n = v != NULL ? cfs_host_stats_all(v, HOSTS_MAX) : 0;
	json_t *all = json_array();

	for (size_t i = 0; i < n && i < HOSTS_MAX; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(v[i].name));
		control_text_set_state(o, &v[i]);
		set_count(o, "requests", v[i].requests);
		set_count(o, "bytes", v[i].bytes);
		set_count(o, "received_bytes", v[i].received);
		set_count(o, "retries", v[i].retries);
		set_count(o, "failures", v[i].failures);
		set_count(o, "refused", v[i].refused);
		set_count(o, "forbidden", v[i].forbidden);
		set_count(o, "in_flight", v[i].in_flight);
		set_count(o, "queued", v[i].queued);
		set_count(o, "parallel", v[i].parallel);
		json_object_set_new(o, "http2", json_boolean(v[i].is_http2));
		set_count(o, "p50_us", v[i].p50_us);
		set_count(o, "p90_us", v[i].p90_us);
		set_count(o, "p99_us", v[i].p99_us);
		json_array_append_new(all, o);
	}
	free(v);
	return all;
}

/* The memory accounted for under -o mem=, by purpose. */
static json_t *memory_stats(const struct cfs_fs *fs)
{
	struct cfs_budget_stats s;
	json_t *o = json_object();

	cfs_budget_get_stats(fs->budget, &s);
	set_count(o, "max", s.max);
	set_count(o, "used", s.used);
	set_count(o, "most", s.most);
	for (unsigned i = 0; i < CFS_MEM_KINDS; i++)
		set_count(o, cfs_mem_names[i], s.by_kind[i]);
	set_count(o, "loading", s.loading);
	set_count(o, "waiting", s.waiting);
	set_count(o, "waits", s.waits);
	return o;
}

static int add_json(struct cfs_buf *out, json_t *o)
{
	char *text = json_dumps(o, JSON_INDENT(2) | JSON_PRESERVE_ORDER |
			     JSON_REAL_PRECISION(9));

	json_decref(o);
	if (text == NULL)
		return CFS_ENOMEM;
	cfs_buf_adds(out, text);
	free(text);
	return cfs_buf_addc(out, '\n');
}

static int add_stats(struct cfs_fs *fs, struct cfs_buf *out)
{
	json_t *o = json_object(), *ops = json_object(),
	       *sources = json_array();

	for (unsigned i = 0; i < CFS_OP_COUNT; i++)
		set_count(ops, op_names[i], fs->ops[i]);
	for (unsigned i = 0; i < fs->n_crawls; i++)
		json_array_append_new(sources, source_stats(fs, i));
	cfs_control_set_dates(&fs->opts.dates, o);
	json_object_set_new(o, "operations", ops);
	json_object_set_new(o, "sources", sources);
	json_object_set_new(o, "memory", memory_stats(fs));
	json_object_set_new(o, "servers", host_stats());
	return add_json(out, o);
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

/* The text of a file at this moment. */
static int add_snapshot(struct cfs_fs *fs, unsigned file, struct cfs_buf *out)
{
	switch (file) {
	case CFS_INO_STATS:
		return add_stats(fs, out);
	case CFS_INO_METRICS:
		return add_metrics(fs, out);
	default:
		return cfs_failures_text(fs->failures, out);
	}
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
	if (cfs_control_is_snapshot(ino))
		return add_snapshot(fs, ino & 0xff, out);
	switch (ino) {
	case CFS_INO_CONFIG:
		return cfs_buf_adds(out, fs->config ? fs->config : "{}\n");
	case CFS_INO_VERSION:
		return cfs_buf_adds(out, "crawlfs " PACKAGE_VERSION "\n");
	default:
		return CFS_ENOTFOUND;
	}
}
