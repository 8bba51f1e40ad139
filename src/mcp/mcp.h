/* mcp.h - the Model Context Protocol: answers to the messages by which programs
 * that talk to language models list, read, search and compare what crawls have.
 *
 * Spec: modelcontextprotocol.io, versions 2024-11-05, 2025-03-26, 2025-06-18
 * and 2025-11-25; JSON-RPC 2.0.  No state is kept between messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MCP_MCP_H
#define CFS_MCP_MCP_H

#include "crawl/crawl.h"

/* The longest message that is read: arguments are short. */
#define CFS_MCP_MESSAGE_MAX ((size_t)1 << 20)
/* The longest answer: CFS_MCP_CHARS_MAX characters and what goes with them. */
#define CFS_MCP_ANSWER_MAX ((size_t)32 << 20)

/* The crawls that messages are about.  Borrowed; threads share it. */
struct cfs_mcp {
	struct cfs_crawl *const *crawls;
	char *const *names;	/* of the folders of several crawls */
	unsigned n;
};

/*
 * Answers a message, or a batch of them.  `out` gets the answer, in ASCII and
 * on one line, without its end; nothing if none is due, as for a notification.
 *
 * 0; CFS_EFORMAT: the message is none, and the answer says so; CFS_EINTR: it
 * was cancelled, and there is no answer; CFS_ENOMEM.
 */
int cfs_mcp_answer(const struct cfs_mcp *m, struct cfs_slice message,
		   struct cfs_buf *out, struct cfs_ctx ctx);

/* True if a version is one of those above. */
bool cfs_mcp_is_version(struct cfs_slice version);

/* If a message is a notification that a request is cancelled, sets *id to the
 * id of that request, as written. */
bool cfs_mcp_cancels(struct cfs_slice message, struct cfs_slice *id);
/* The id of a request, as written; empty if there is none. */
struct cfs_slice cfs_mcp_id(struct cfs_slice message);

/*
 * Reads messages, one a line, from one descriptor and writes answers to
 * another, until there are no more, the reader of the answers has gone, or
 * ctx.cancel is raised, which is then no failure.  A request that is cancelled
 * while it is worked on ends.
 *
 * timeout_ms  for each message; 0: none
 *
 * 0; CFS_EIO, CFS_ENOMEM.
 */
int cfs_mcp_serve(const struct cfs_mcp *m, int in, int out,
		  unsigned timeout_ms, struct cfs_ctx ctx);

#endif
