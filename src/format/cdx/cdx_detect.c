/* cdx_detect.c - recognises files of lines by their first lines.
 *
 * More of the lines must fit a format than not; a legend alone makes a CDX.  If
 * the file is compressed, its start is inflated.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx.h"

#include <stdlib.h>

#include "base/timestamp.h"
#include "codec/gzip.h"
#include "url/surt.h"

/* Most lines that are examined. */
#define LINES 64u

struct findings {
	unsigned good, bad, clusters, surts;
	bool is_legend, unsorted;
	struct cfs_cdx_legend legend;
	struct cfs_slice last;
};

/* Other tables may have a name and two numbers in these columns, too: only a
 * key that is a SURT, followed by a time, or by the - of a crawl that has no
 * times, proves a cluster.idx. */
static bool is_cluster(const struct cfs_cluster_line *c)
{
	struct cfs_path path;
	int64_t time;

	return (cfs_slice_eq(c->time, CFS_SLICE_LIT("-")) ||
		(c->time.n >= 4 &&
		 cfs_time_parse_14(c->time, &time) == CFS_OK)) &&
	       cfs_surt_split(c->key, &path) == CFS_OK;
}

static void cdx_detect_add_line(struct findings *l, struct cfs_slice line)
{
	struct cfs_cluster_line cluster;
	struct cfs_cdx_line cdx;
	struct cfs_path path;
	int rc;

	if (cfs_cdx_is_legend(line) && !l->is_legend) {
		l->is_legend = cfs_cdx_parse_legend(line, &l->legend) == CFS_OK;
		return;
	}
	if (cfs_cluster_parse(line, &cluster) == CFS_OK) {
		l->clusters += is_cluster(&cluster);
		l->bad += !is_cluster(&cluster);
		return;
	}
	rc = cfs_cdx_parse(line, &l->legend, &cdx, NULL);
	if (rc == CFS_EFORMAT)
		l->bad++;
	if (rc != CFS_OK)
		return;
	l->good++;
	if (cfs_surt_split(cdx.key.s, &path) == CFS_OK)
		l->surts++;
	if (l->last.n > 0 && cfs_slice_cmp(l->last, cdx.key.s) > 0)
		l->unsorted = true;
	l->last = cdx.key.s;
}

static enum cfs_index_format detect_plain(struct cfs_slice head, bool is_all)
{
	struct findings l = { .last = CFS_SLICE_EMPTY };
	struct cfs_slice line;

	l.legend.n = 0;
	for (unsigned i = 0; i < LINES && cfs_line_take(&head, &line); i++)
		if (head.n > 0 || is_all)	/* else the line may be cut */
			cdx_detect_add_line(&l, line);
	if (l.clusters > 0 && l.good == 0 && l.clusters > l.bad)
		return CFS_INDEX_ZIPNUM;
	if (l.good == 0 && !(l.is_legend && l.bad == 0))
		return CFS_INDEX_UNKNOWN;
	if (!l.is_legend && l.good < l.bad)
		return CFS_INDEX_UNKNOWN;
	return l.unsorted || (l.good > 0 && l.surts == 0) ?
		       CFS_INDEX_CDX_OTHER : CFS_INDEX_CDX;
}

enum cfs_index_format cfs_cdx_detect(struct cfs_slice head)
{
	uint8_t *text;
	enum cfs_index_format format = CFS_INDEX_UNKNOWN;
	size_t n;

	if (head.n < 2 || head.p[0] != 0x1f || head.p[1] != 0x8b)
		return detect_plain(head, head.n < CFS_INDEX_HEAD_BYTES);
	text = malloc(CFS_INDEX_HEAD_BYTES);
	if (text == NULL)
		return format;
	n = cfs_gz_peek(head, text, CFS_INDEX_HEAD_BYTES);
	format = detect_plain(cfs_slice_of(text, n), n < CFS_INDEX_HEAD_BYTES);
	free(text);
	return format == CFS_INDEX_CDX || format == CFS_INDEX_CDX_OTHER ?
		       CFS_INDEX_CDX_GZ : CFS_INDEX_UNKNOWN;
}

int cfs_cdx_look_at(struct cfs_source *src, enum cfs_index_format *look,
		    struct cfs_cdx_legend *legend, struct cfs_ctx ctx)
{
	uint8_t *head = malloc(CFS_INDEX_HEAD_BYTES);
	struct cfs_slice rest, line;
	size_t got = 0;
	int rc;

	if (head == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read_some(src, head, CFS_INDEX_HEAD_BYTES, 0, &got,
				  ctx);
	if (rc != CFS_OK)
		goto out;
	rest = cfs_slice_of(head, got);
	*look = cfs_cdx_detect(rest);
	if (legend == NULL)
		goto out;
	legend->n = 0;
	if (cfs_line_take(&rest, &line) && cfs_cdx_is_legend(line) &&
	    cfs_cdx_parse_legend(line, legend) != CFS_OK)
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, src->name, 0,
				  "the first line names too many columns");
out:
	free(head);
	return rc;
}
