/* mcp_route.c - the Model Context Protocol by HTTP: a message is the body of a
 * request, and its answer that of the reply.
 *
 * Spec: MCP, "Transports", "Streamable HTTP".  There are no sessions and no
 * streams of events, which a server need not have.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mcp/mcp.h"
#include "routes.h"

#define JSON "application/json"

/* Refuses what is no message; a page could send such a body to any server
 * without being asked.  True: the reply is made. */
static bool is_refused(struct cfs_exchange *x)
{
	struct cfs_slice type = x->fields[CFS_FIELD_CONTENT_TYPE];
	struct cfs_slice version = x->fields[CFS_FIELD_MCP_VERSION];

	type = cfs_slice_trim(cfs_slice_split(&type, ';'));
	if (!cfs_slice_eq_nocase(type, CFS_SLICE_LIT(JSON))) {
		cfs_reply_message(x, 415, "a message is " JSON);
		return true;
	}
	if (version.n > 0 && !cfs_mcp_is_version(version)) {
		cfs_reply_message(x, 400, "that version of the protocol is not "
				  "spoken here");
		return true;
	}
	return false;
}

int cfs_answer_mcp(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	const struct cfs_mcp m = cfs_site_mcp(x->site);
	CFS_BUF(out, CFS_REPLY_BODY_MAX);
	int rc;

	if (is_refused(x))
		return CFS_OK;
	if (!x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	rc = cfs_mcp_answer(&m, x->body, &out, ctx);
	if (rc == CFS_OK && out.n == 0)
		x->status = 202;
	else if (rc == CFS_OK || rc == CFS_EFORMAT)
		rc = cfs_reply_text(x, rc == CFS_OK ? 200 : 400, JSON, &out);
	return rc;
}
