/* openmetrics.c - makes texts in the form of OpenMetrics.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "openmetrics.h"

#include <inttypes.h>

#include "cache/counters.h"
#include "config.h"
#include "net/hosts.h"
#include "record/store.h"

void cfs_metric_begin(struct cfs_buf *out, const struct cfs_metric *m)
{
	static const char *const types[] = {
		[CFS_METRIC_GAUGE] = "gauge",
		[CFS_METRIC_COUNTER] = "counter",
		[CFS_METRIC_INFO] = "info",
	};

	cfs_buf_addf(out, "# TYPE crawlfs_%s %s\n# HELP crawlfs_%s %s\n",
		     m->name, types[m->type], m->name, m->help);
}

void cfs_metric_value(struct cfs_buf *out, const struct cfs_metric *m,
		      const char *label, const char *of, uint64_t value)
{
	static const char *const ends[] = {
		[CFS_METRIC_GAUGE] = "",
		[CFS_METRIC_COUNTER] = "_total",
		[CFS_METRIC_INFO] = "_info",
	};

	cfs_buf_addf(out, "crawlfs_%s%s", m->name, ends[m->type]);
	if (label != NULL)
		cfs_buf_addf(out, "{%s=\"%s\"}", label, of);
	cfs_buf_addf(out, " %" PRIu64 "\n", value);
}

static void add_single(struct cfs_buf *out, const struct cfs_metric *m,
		       uint64_t value)
{
	cfs_metric_begin(out, m);
	cfs_metric_value(out, m, NULL, NULL, value);
}

void cfs_metric_gauge(struct cfs_buf *out, const char *name, const char *help,
		      uint64_t value)
{
	add_single(out, &(struct cfs_metric){ CFS_METRIC_GAUGE, name, help },
		   value);
}

void cfs_metric_counter(struct cfs_buf *out, const char *name,
			const char *help, uint64_t value)
{
	add_single(out, &(struct cfs_metric){ CFS_METRIC_COUNTER, name, help },
		   value);
}

static void add_version(struct cfs_buf *out)
{
	static const struct cfs_metric m = {
		CFS_METRIC_INFO, "build", "The version of the program."
	};

	cfs_metric_begin(out, &m);
	cfs_metric_value(out, &m, "version", PACKAGE_VERSION, 1);
}

static void add_memory(struct cfs_buf *out, struct cfs_budget *budget)
{
	static const struct cfs_metric m = {
		CFS_METRIC_GAUGE, "memory_bytes",
		"Memory in use for blocks, records, views and ranges."
	};
	struct cfs_budget_stats b;

	cfs_budget_get_stats(budget, &b);
	cfs_metric_begin(out, &m);
	for (unsigned i = 0; i < CFS_MEM_KINDS; i++)
		cfs_metric_value(out, &m, "use", cfs_mem_names[i],
				 b.by_kind[i]);
	cfs_metric_gauge(out, "memory_limit_bytes", "The limit of that memory.",
			 b.max);
	cfs_metric_counter(out, "memory_waits", "Loads that waited for memory.",
			   b.waits);
}

/* The counts of inflated records, summed over all crawls. */
static void add_record_counts(struct cfs_buf *out,
			      struct cfs_crawl *const *crawls, unsigned n)
{
	struct cfs_store_stats all = { 0 };

	for (unsigned i = 0; i < n; i++) {
		struct cfs_store_stats one;

		cfs_store_get_stats(crawls[i]->store, &one);
		all.hits += one.hits;
		all.misses += one.misses;
		all.read_bytes += one.read_bytes;
		all.inflated_bytes += one.inflated_bytes;
	}
	cfs_metric_counter(out, "record_cache_hits",
			   "Records that were inflated already.", all.hits);
	cfs_metric_counter(out, "record_cache_misses",
			   "Records that were read and inflated.", all.misses);
	cfs_metric_counter(out, "archive_read_bytes", "Bytes read of archives.",
			   all.read_bytes);
	cfs_metric_counter(out, "inflated_bytes", "Bytes that these became.",
			   all.inflated_bytes);
}

static void add_index(struct cfs_buf *out, struct cfs_crawl *const *crawls,
		      unsigned n)
{
	uint64_t captures = 0, reads = 0;

	for (unsigned i = 0; i < n; i++) {
		struct cfs_index_stats one;

		cfs_index_get_stats(crawls[i]->index, &one);
		captures += one.captures;
		reads += one.block_reads;
	}
	cfs_metric_gauge(out, "sources", "Crawls that are served.", n);
	cfs_metric_gauge(out, "captures", "Captures in their indexes, as far "
			 "as these tell it.", captures);
	cfs_metric_counter(out, "index_block_reads", "Blocks of indexes that "
			   "were read.", reads);
}

/* The cache of what is on servers, of all crawls. */
static void add_block_cache(struct cfs_buf *out,
			    struct cfs_crawl *const *crawls, unsigned n)
{
	static const struct {
		const char *name, *help;
		size_t at;
	} all[] = {
#define FIELD(f) offsetof(struct cfs_cache_counters, f)
		{ "block_cache_hits", "Reads of remote data that the cache "
		  "answered.", FIELD(hits) },
		{ "block_cache_misses", "Reads of remote data that sent a "
		  "request.", FIELD(misses) },
		{ "block_cache_hit_bytes", "Bytes of the former.",
		  FIELD(hit_bytes) },
		{ "block_cache_miss_bytes", "Bytes of the latter.",
		  FIELD(miss_bytes) },
		{ "block_cache_disk_bytes", "Bytes that the cache wrote to "
		  "disk.", FIELD(disk_bytes) },
		{ "block_cache_damaged", "Entries of the cache with a wrong "
		  "checksum.", FIELD(damaged) },
		{ "fetches", "Requests for ranges of remote data.",
		  FIELD(fetches) },
		{ "fetched_bytes", "Bytes that these asked for.",
		  FIELD(fetch_bytes) },
		{ "fetch_failures", "Those that failed.", FIELD(failures) },
		{ "fetches_ahead", "Those made ahead of a reader.",
		  FIELD(ahead) },
		{ "fetches_ahead_used", "Those made ahead that were read.",
		  FIELD(ahead_used) },
		{ "fetches_ahead_wasted", "Those made ahead that were dropped "
		  "unread.", FIELD(ahead_wasted) },
#undef FIELD
	};

	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < n; i++) {
			const char *c = (const char *)crawls[i]->counters;

			if (c != NULL)
				sum += *(const _Atomic uint64_t *)
					(const void *)(c + all[k].at);
		}
		cfs_metric_counter(out, all[k].name, all[k].help, sum);
	}
}

/* All servers together: their names are nobody else's business. */
static void add_servers(struct cfs_buf *out)
{
	uint64_t requests = 0, bytes = 0, retries = 0, failures = 0;
	uint64_t running = 0, down = 0;

	for (const struct cfs_host *h = cfs_host_first(); h != NULL;
	     h = h->next) {
		requests += h->requests;
		bytes += h->received;
		retries += h->retries;
		failures += h->failures;
		running += h->in_flight;
		down += h->probe_ms != 0;
	}
	cfs_metric_counter(out, "server_requests", "Requests sent to servers "
			   "of crawls.", requests);
	cfs_metric_counter(out, "server_received_bytes", "Bytes of bodies that "
			   "they sent.", bytes);
	cfs_metric_counter(out, "server_retries", "Requests that were repeated.",
			   retries);
	cfs_metric_counter(out, "server_failures", "Requests that failed, after "
			   "all repetitions.", failures);
	cfs_metric_gauge(out, "server_requests_running", "Requests to servers "
			 "under way.", running);
	cfs_metric_gauge(out, "servers_down", "Servers that do not answer.",
			 down);
}

void cfs_metrics_of_crawls(struct cfs_buf *out, struct cfs_crawl *const *crawls,
			   unsigned n, struct cfs_budget *budget,
			   int64_t started_at)
{
	add_version(out);
	cfs_metric_gauge(out, "start_time_seconds", "When it was started.",
			 (uint64_t)started_at);
	add_index(out, crawls, n);
	add_record_counts(out, crawls, n);
	add_memory(out, budget);
	add_block_cache(out, crawls, n);
	add_servers(out);
}

void cfs_metrics_end(struct cfs_buf *out)
{
	cfs_buf_adds(out, "# EOF\n");
}
