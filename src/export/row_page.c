/* row_page.c - makes the values of a row that a page says of itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "row_internal.h"

#include "view/robots.h"

/* The fields, and the facts that they are. */
static const struct {
	enum cfs_export_field field;
	enum cfs_page_fact fact;
} facts_of[] = {
	{ CFS_EXPORT_HTML_LANG, CFS_FACT_LANG },
	{ CFS_EXPORT_CANONICAL, CFS_FACT_CANONICAL },
	{ CFS_EXPORT_AUTHOR, CFS_FACT_AUTHOR },
	{ CFS_EXPORT_PUBLISHED, CFS_FACT_PUBLISHED },
	{ CFS_EXPORT_DESCRIPTION, CFS_FACT_DESCRIPTION },
};
#define FACTS (sizeof(facts_of) / sizeof(facts_of[0]))

/* Appends what the head says, which held at the capture.  Where a server says
 * only that nothing was modified, what its answer lacks is as it was (RFC 9110,
 * section 15.4.5). */
static void add_head_robots(const struct cfs_row_input *i, struct cfs_buf *out)
{
	const struct cfs_record *own = i->r;

	if (own->has_http)
		cfs_robots_of_head(&own->http, out);
	if (!own->has_http || (out->n == 0 && own->status == 304))
		cfs_robots_of_head(&cfs_view_body_of(i->in)->http, out);
}

/* Sets the statements of head and page; none are known, too. */
static int put_robots(const struct cfs_row_input *i, struct cfs_slice of_page)
{
	struct cfs_buf *made = &i->row->made[CFS_EXPORT_ROBOTS];
	CFS_BUF(all, CFS_VIEW_MAX_BYTES);

	add_head_robots(i, &all);
	cfs_buf_add(&all, of_page);
	cfs_row_json_robots(made, cfs_buf_slice(&all));
	if (all.failed != CFS_OK)
		made->failed = all.failed;
	return cfs_row_take_made(i, CFS_EXPORT_ROBOTS);
}

int cfs_row_fill_page(const struct cfs_row_input *i, const struct cfs_doc *doc)
{
	struct cfs_buf *facts[CFS_FACTS] = { NULL };
	CFS_BUF(said, CFS_VIEW_MAX_BYTES);
	bool any = cfs_row_wants(i, CFS_EXPORT_ROBOTS);
	int rc = CFS_OK;

	if (any)
		facts[CFS_FACT_ROBOTS] = &said;
	for (size_t k = 0; k < FACTS; k++)
		if (cfs_row_wants(i, facts_of[k].field)) {
			facts[facts_of[k].fact] =
				&i->row->made[facts_of[k].field];
			any = true;
		}
	if (any && i->in->no_body_reason == NULL)
		rc = cfs_page_facts_read(doc, cfs_view_url_of(i->in), facts,
					 i->ctx);
	for (size_t k = 0; k < FACTS && rc == CFS_OK; k++)
		if (facts[facts_of[k].fact] != NULL)
			rc = cfs_row_take_made(i, facts_of[k].field);
	/* the base of a link may not be UTF-8 */
	if (i->row->has & CFS_EXPORT_BIT(CFS_EXPORT_CANONICAL))
		cfs_row_put_name(i->row, CFS_EXPORT_CANONICAL,
				 i->row->text[CFS_EXPORT_CANONICAL]);
	if (rc == CFS_OK && said.failed != CFS_OK)
		rc = cfs_error_set(i->ctx.err, said.failed, "robots: too long");
	if (rc == CFS_OK && cfs_row_wants(i, CFS_EXPORT_ROBOTS) &&
	    i->in->no_body_reason == NULL)
		rc = put_robots(i, cfs_buf_slice(&said));
	return rc;
}
