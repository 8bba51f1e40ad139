/* openmetrics.h - counters of crawls in the form of OpenMetrics, for whoever
 * serves them: the server's /metrics and the mount's .crawlfs/metrics.
 *
 * Spec: OpenMetrics 1.0.  A text is made of families, each with all its values;
 * it ends with cfs_metrics_end.  Names begin with "crawlfs_", which is added
 * here, as is the "_total" of counters.  No name of an archive, URL or client is
 * among them.  Failures are kept in out->failed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_OPENMETRICS_H
#define CFS_CRAWL_OPENMETRICS_H

#include "crawl.h"

enum cfs_metric_type {
	CFS_METRIC_GAUGE, CFS_METRIC_COUNTER, CFS_METRIC_INFO,
};

/* A family; its name and help are literals without quotes or backslashes. */
struct cfs_metric {
	enum cfs_metric_type type;
	const char *name, *help;
};

/* Begins a family. */
void cfs_metric_begin(struct cfs_buf *out, const struct cfs_metric *m);
/* Appends a value of the family begun last.  label: NULL, or the name of the
 * label whose value is `of`; both are literals. */
void cfs_metric_value(struct cfs_buf *out, const struct cfs_metric *m,
		      const char *label, const char *of, uint64_t value);

/* Families of one value. */
void cfs_metric_gauge(struct cfs_buf *out, const char *name, const char *help,
		      uint64_t value);
void cfs_metric_counter(struct cfs_buf *out, const char *name,
			const char *help, uint64_t value);

/*
 * Appends the families that do not depend on who serves the crawls: the
 * version, what was read, inflated, found in caches, fetched and fetched ahead,
 * what the servers of the crawls answered, and memory.
 *
 * crawls      all that are served, by this process
 * budget      their memory
 * started_at  seconds since 1970
 */
void cfs_metrics_of_crawls(struct cfs_buf *out, struct cfs_crawl *const *crawls,
			   unsigned n, struct cfs_budget *budget,
			   int64_t started_at);

/* Ends the text. */
void cfs_metrics_end(struct cfs_buf *out);

#endif
