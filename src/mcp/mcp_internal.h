/* mcp_internal.h - a call of a tool: its arguments, and its answer, which is
 * bounded.
 *
 * An answer has two forms: text, which people and models read, and an object of
 * JSON for programs (structuredContent).  The text has at most as many
 * characters as the caller allows (max_chars), the object twice as many, and
 * both say what was left out and with which arguments it comes.
 *
 * Text of the crawl is hostile.  In the text each of its lines begins with its
 * number, or with what the tool says of it, so that none can pass for a line of
 * the tool; characters that cannot be seen are shown as U+FFFD.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MCP_MCP_INTERNAL_H
#define CFS_MCP_MCP_INTERNAL_H

#include "codec/json.h"
#include "crawl/entry.h"
#include "crawl/target.h"
#include "index/dates.h"
#include "mcp.h"

/* The bounds of max_chars, and its default. */
#define CFS_MCP_CHARS_MIN 1000u
#define CFS_MCP_CHARS_DEFAULT 20000u
#define CFS_MCP_CHARS_MAX 200000u
/* The room for the line that says what was left out. */
#define CFS_MCP_TAIL_CHARS 300u
/* The longest URL that is shown in text. */
#define CFS_MCP_URL_CHARS 300u

/* The arguments of the tools (mcp_tools.c). */
enum cfs_mcp_arg {
	CFS_MCP_PATH, CFS_MCP_OLD, CFS_MCP_NEW, CFS_MCP_VIEW, CFS_MCP_TIME,
	CFS_MCP_START_LINE, CFS_MCP_END_LINE, CFS_MCP_START_BYTE,
	CFS_MCP_END_BYTE, CFS_MCP_QUERY, CFS_MCP_PATTERN,
	CFS_MCP_FIXED, CFS_MCP_IGNORE_CASE, CFS_MCP_HOST, CFS_MCP_FROM,
	CFS_MCP_TO, CFS_MCP_CURSOR, CFS_MCP_MAX_CHARS, CFS_MCP_ARGS
};

struct cfs_mcp_value {
	bool is_given;
	uint64_t number;		/* its default, if not given; a flag: 0
					 * or 1 */
	struct cfs_buf text;
};

struct cfs_mcp_call {
	const struct cfs_mcp *m;
	struct cfs_ctx ctx;
	struct cfs_mcp_value args[CFS_MCP_ARGS];
	/* The answer: */
	struct cfs_buf text, made;
	struct cfs_json j;		/* writes `made`, an open object */
	size_t chars;			/* of text */
	/* An item that is made: */
	struct cfs_buf line, item;
	struct cfs_json item_j;
	size_t items;			/* that were added */
	uint64_t skip, skipped;		/* items that earlier answers had */
	bool is_full;			/* there was no room for one */
};

static inline const char *cfs_mcp_text(struct cfs_mcp_call *c,
				       enum cfs_mcp_arg a)
{
	return cfs_buf_str(&c->args[a].text);
}

static inline uint64_t cfs_mcp_number(const struct cfs_mcp_call *c,
				      enum cfs_mcp_arg a)
{
	return c->args[a].number;
}

/* ---- the answer (mcp_answer.c) ---- */

/* Makes a call with no arguments; release it in any case. */
void cfs_mcp_call_init(struct cfs_mcp_call *c, const struct cfs_mcp *m,
		       struct cfs_ctx ctx);
void cfs_mcp_call_release(struct cfs_mcp_call *c);

/* Appends words of the tool to the text. */
void cfs_mcp_say(struct cfs_mcp_call *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Characters that the text has room for, besides the line for what was left
 * out. */
size_t cfs_mcp_room(const struct cfs_mcp_call *c);

/* Appends at most `most` characters of a text of the crawl as they may be
 * shown, on one line.  Returns the bytes of s that they stand for. */
size_t cfs_mcp_show(struct cfs_buf *out, struct cfs_slice s, size_t most);
/* The same in the text of the answer. */
size_t cfs_mcp_say_text(struct cfs_mcp_call *c, struct cfs_slice s,
			size_t most);

/* Writes a member whose value is JSON. */
void cfs_mcp_put_raw(struct cfs_json *j, const char *key, struct cfs_slice v);

/* Begin an item: c->line, one or more lines without the end of the last, and
 * c->item_j, an open object, are to be filled.  The second adds it to the text
 * and to the array that is open in c->j.  False, and c->is_full: there is no
 * room for it.  The first item is cut to fit: each call gets further. */
struct cfs_json *cfs_mcp_item_begin(struct cfs_mcp_call *c);
bool cfs_mcp_item_end(struct cfs_mcp_call *c);
/* True, which is counted, if earlier answers had the item that comes now. */
bool cfs_mcp_item_skips(struct cfs_mcp_call *c);
/* Fills an item that is a line of a text: its beginning, behind what c->line
 * has, and how many bytes of it are left out. */
void cfs_mcp_item_text(struct cfs_mcp_call *c, struct cfs_slice line);

/* Say that more is left, which the same call gives with another value of an
 * argument: a text, or a number. */
void cfs_mcp_more(struct cfs_mcp_call *c, const char *what, const char *arg,
		  uint64_t value, bool is_text);
/* The same of items, if there was no room: the cursor is their number. */
void cfs_mcp_more_items(struct cfs_mcp_call *c, const char *what);

/* Reads the cursor, a number that an answer gave; 0 without one.  CFS_EUSAGE
 * for what is none. */
int cfs_mcp_cursor(struct cfs_mcp_call *c, uint64_t *out);

/* Reads the times that limit captures, `from` and `to`.  CFS_EUSAGE. */
int cfs_mcp_dates(struct cfs_mcp_call *c, struct cfs_dates *out);

/* ---- places (mcp_place.c) ---- */

/* Called with what an argument means in a crawl. */
typedef int cfs_mcp_target_fn(struct cfs_mcp_call *c, unsigned source,
			      const struct cfs_target *t, void *arg);

/*
 * Calls fn with what an argument means: a path, a URL, a prefix.  With several
 * crawls, paths begin with the name of one; what begins with no such name is
 * looked for in each, until fn does not return CFS_ENOTFOUND.  The result is
 * that of fn; CFS_EUSAGE; failures to look.
 */
int cfs_mcp_with(struct cfs_mcp_call *c, enum cfs_mcp_arg a,
		 cfs_mcp_target_fn *fn, void *arg);

/* True if an argument means the folder of several crawls. */
bool cfs_mcp_is_top(struct cfs_mcp_call *c, enum cfs_mcp_arg a);

/* Appends a path of the tree as an argument takes it: as it is, or if it is not
 * text that can be shown, as a URI, crawlfs:///, with escapes. */
void cfs_mcp_add_ref(struct cfs_buf *out, struct cfs_slice path);

/* Appends the name of the crawl that paths begin with, if there are several. */
void cfs_mcp_begin_path(const struct cfs_mcp *m, unsigned source,
			struct cfs_buf *out);

/* A file of the tree with its entry, and what is said of it. */
struct cfs_mcp_file {
	unsigned source;
	struct cfs_crawl *crawl;
	struct cfs_node node;
	struct cfs_entry *entry;
	struct cfs_buf url, path;
};
void cfs_mcp_file_init(struct cfs_mcp_file *f);
void cfs_mcp_file_release(struct cfs_mcp_file *f);

/* Finds the file that an argument means: a capture's, in the view asked for,
 * nearest to the time asked for.  Release it in any case. */
int cfs_mcp_file_find(struct cfs_mcp_call *c, enum cfs_mcp_arg a,
		      struct cfs_mcp_file *out);
/* Loads the rest of a file whose source, crawl and node are set. */
int cfs_mcp_file_load(struct cfs_mcp_call *c, struct cfs_mcp_file *f);
/* Writes what is known of its capture: path, url, time, status, mime. */
void cfs_mcp_file_put(struct cfs_json *j, const struct cfs_mcp_file *f);

/* ---- tools (mcp_tools.c) ---- */

typedef int cfs_mcp_tool_fn(struct cfs_mcp_call *c);

cfs_mcp_tool_fn cfs_mcp_list;			/* mcp_list.c */
cfs_mcp_tool_fn cfs_mcp_read;			/* mcp_read.c */
cfs_mcp_tool_fn cfs_mcp_captures;		/* mcp_captures.c */
cfs_mcp_tool_fn cfs_mcp_compare;		/* mcp_compare.c */
cfs_mcp_tool_fn cfs_mcp_search;			/* mcp_search.c */
cfs_mcp_tool_fn cfs_mcp_grep;			/* mcp_grep.c */

/* Writes the result of tools/list, of tools/call and of resources/read for an
 * object of parameters.  0; CFS_EUSAGE: the parameters are wrong, as err says;
 * CFS_EINTR, CFS_ENOMEM. */
void cfs_mcp_put_tools(struct cfs_json *j);
int cfs_mcp_call_tool(const struct cfs_mcp *m, struct cfs_slice params,
		      struct cfs_json *j, struct cfs_ctx ctx);
int cfs_mcp_read_resource(const struct cfs_mcp *m, struct cfs_slice params,
			  struct cfs_json *j, struct cfs_ctx ctx);

#endif
