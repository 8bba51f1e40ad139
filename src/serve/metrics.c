/* metrics.c - the counters of the server, and those of its crawls.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl/openmetrics.h"
#include "routes.h"

static void add_replies(struct cfs_buf *out, const struct cfs_site *s)
{
	static const struct cfs_metric m = {
		CFS_METRIC_COUNTER, "http_requests",
		"Requests that were answered, by status."
	};
	static const char *const classes[CFS_STATUS_CLASSES] = {
		NULL, NULL, "2xx", "3xx", "4xx", "5xx"
	};

	cfs_metric_begin(out, &m);
	for (unsigned i = 2; i < CFS_STATUS_CLASSES; i++)
		cfs_metric_value(out, &m, "status", classes[i],
				 s->counters->replies[i]);
}

int cfs_answer_metrics(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	const struct cfs_site *s = x->site;
	const _Atomic int64_t *counts = s->counters->counts;
	struct cfs_buf out;

	(void)ctx;
	cfs_buf_init(&out, CFS_REPLY_BODY_MAX);
	add_replies(&out, s);
	cfs_metric_gauge(&out, "http_requests_running", "Requests under way.",
			 (uint64_t)counts[CFS_SITE_RUNNING]);
	cfs_metric_gauge(&out, "http_connections", "Connections that are open.",
			 (uint64_t)counts[CFS_SITE_CONNECTIONS]);
	cfs_metric_counter(&out, "http_sent_bytes", "Bytes of bodies that were "
			   "sent.", (uint64_t)counts[CFS_SITE_BYTES]);
	cfs_metric_counter(&out, "http_failures", "Answers of 5xx, and bodies "
			   "that broke off.",
			   (uint64_t)counts[CFS_SITE_FAILURES]);
	cfs_metrics_of_crawls(&out, s->crawls, s->n_crawls, s->budget,
			      s->started_at);
	cfs_metrics_end(&out);
	return cfs_reply_text(x, 200, cfs_exchange_is_browser(x) ?
			      "text/plain; charset=utf-8" :
			      "application/openmetrics-text; version=1.0.0; "
			      "charset=utf-8", &out);
}
