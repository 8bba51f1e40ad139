/* hosts_report.c - says what the servers were asked for and how they bore it,
 * as JSON and in words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hosts.h"

#include <stdlib.h>

#include "base/text.h"
#include "codec/json.h"

#define LISTED_MAX 64u		/* servers that are reported */

/* The servers that are reported; free it. */
static struct cfs_host_stats *all_stats(size_t *n)
{
	struct cfs_host_stats *v = calloc(LISTED_MAX, sizeof(*v));

	*n = v != NULL ? cfs_host_stats_all(v, LISTED_MAX) : 0;
	if (*n > LISTED_MAX)
		*n = LISTED_MAX;
	return v;
}

/* Whether the server is up; if not, since when, and when it is tried again. */
static void put_state(struct cfs_json *j, const struct cfs_host_stats *h)
{
	const char *state = "up";

	if (h->is_down)
		state = "down";
	else if (h->failing_ms > 0)
		state = "failing";
	cfs_json_put_str(j, "state", cfs_slice_str(state));
	if (h->failing_ms > 0)
		cfs_json_put_uint(j, "failing_ms", (uint64_t)h->failing_ms);
	if (h->is_down)
		cfs_json_put_uint(j, "next_probe_ms", (uint64_t)h->probe_ms);
}

static void put_host(struct cfs_json *j, const struct cfs_host_stats *h)
{
	const struct {
		const char *name;
		uint64_t n;
	} figures[] = {
		{ "requests", h->requests },
		{ "bytes", h->bytes },
		{ "received_bytes", h->received },
		{ "retries", h->retries },
		{ "failures", h->failures },
		{ "refused", h->refused },
		{ "forbidden", h->forbidden },
		{ "slow_down", h->slow_down },
		{ "in_flight", h->in_flight },
		{ "queued", h->queued },
		{ "parallel", h->parallel },
		{ "parallel_least", h->parallel_least },
		{ "parallel_max", h->parallel_max },
	};

	cfs_json_begin(j, NULL, '{');
	cfs_json_put_str(j, "name", cfs_slice_str(h->name));
	put_state(j, h);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		cfs_json_put_uint(j, figures[i].name, figures[i].n);
	cfs_json_put_bool(j, "http2", h->is_http2);
	cfs_json_put_uint(j, "p50_us", h->p50_us);
	cfs_json_put_uint(j, "p90_us", h->p90_us);
	cfs_json_put_uint(j, "p99_us", h->p99_us);
	cfs_json_close(j, '}');
}

void cfs_hosts_put(struct cfs_json *j)
{
	size_t n;
	struct cfs_host_stats *v = all_stats(&n);

	cfs_json_begin(j, "servers", '[');
	for (size_t i = 0; i < n; i++)
		put_host(j, &v[i]);
	cfs_json_close(j, ']');
	free(v);
}

void cfs_hosts_text(struct cfs_buf *out)
{
	size_t n;
	struct cfs_host_stats *v = all_stats(&n);
	char requests[CFS_TEXT_COUNT_BYTES], bytes[CFS_TEXT_SIZE_BYTES];

	for (size_t i = 0; i < n; i++) {
		uint64_t refusals = v[i].forbidden + v[i].slow_down;

		if (v[i].requests == 0)
			continue;
		cfs_buf_addf(out, "  %s: %s, %s", v[i].name,
			     cfs_text_count(v[i].requests, "request", requests),
			     cfs_text_size((double)v[i].received, bytes));
		if (refusals > 0)
			cfs_buf_addf(out, ", %s",
				     cfs_text_count(refusals, "refusal",
						    requests));
		if (v[i].parallel_least < v[i].parallel_max)
			cfs_buf_addf(out, ", at least %u of %u at a time",
				     v[i].parallel_least, v[i].parallel_max);
		cfs_buf_addc(out, '\n');
	}
	free(v);
}
