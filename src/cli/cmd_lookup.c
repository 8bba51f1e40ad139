/* cmd_lookup.c - crawlfs lookup: prints captures, one CDXJ line each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdxj.h"
#include "commands.h"
#include "output.h"
#include "sources.h"

#define LINE_MAX_BYTES (16u * CFS_KEY_MAX)	/* every byte \uXXXX, twice */
#define STOPPED 2

struct lookup {
	struct cfs_index *index;	/* of the crawl */
	struct cfs_error *err;
	uint64_t limit, found;		/* limit 0: none */
	struct cfs_buf url, archive, line;
};

static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct lookup *l = arg;
	int rc;

	cfs_buf_reset(&l->url);
	cfs_buf_reset(&l->archive);
	cfs_buf_reset(&l->line);
	rc = cfs_index_key_url(l->index, it->key, cap, &l->url);
	if (rc == CFS_OK)
		rc = cfs_index_archive_name(l->index, &cap->loc, &l->archive,
					    l->err);
	if (rc == CFS_OK)
		rc = cfs_cdxj_line(cfs_buf_slice(&l->url), cap,
				   cfs_buf_slice(&l->archive), &l->line);
	if (rc != CFS_OK)
		return rc;
	if (!cfs_out_bytes(cfs_buf_slice(&l->line)))
		return STOPPED;
	return ++l->found == l->limit ? STOPPED : CFS_OK;
}

static int look_up(void *arg, const struct cfs_target *t,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct lookup *l = arg;
	int rc;

	l->index = t->crawl->index;
	l->err = err;
	l->found = 0;
	rc = cfs_target_each(t, on_capture, l, cancel, err);
	if (rc == STOPPED)
		rc = CFS_OK;
	if (rc == CFS_OK && l->found == 0 && cfs_out_ok())
		rc = cfs_error_set(err, CFS_ENOTFOUND,
				   "'%s' is not in the index", t->text);
	return rc;
}

static int run(struct cfs_options *o)
{
	struct lookup l = { .limit = o->limit };
	int status;

	cfs_buf_init(&l.url, 4 * CFS_KEY_MAX);
	cfs_buf_init(&l.archive, 1 << 16);
	cfs_buf_init(&l.line, LINE_MAX_BYTES);
	status = cfs_cli_each_target(o, look_up, &l);
	cfs_buf_release(&l.url);
	cfs_buf_release(&l.archive);
	cfs_buf_release(&l.line);
	return status;
}

const struct cfs_command cfs_cmd_lookup = {
	.name = "lookup",
	.by = CFS_BY_LOOKUP,
	.summary = "list the captures of a URL or below a prefix",
	.usage =
	"crawlfs lookup SOURCE URL|PREFIX|TREEPATH...\n\n"
	"Lists captures in index order, one CDXJ line each: the SURT key, the\n"
	"time (UTC), and where the record is.",
	.example =
	"  crawlfs lookup crawl.cfx org.gnu.www/software --limit=10\n",
	.operands = { "SOURCE", "URL or PREFIX" },
	.run = run,
};
