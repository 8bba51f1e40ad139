/* cmd_complete.c - crawlfs complete: prints the completions of a command line.
 *
 * The completion scripts of bash, zsh and fish call it with the words after
 * "crawlfs", the last of which is being typed.  The first line of the answer is
 * KIND TAB KEPT LF:
 *
 *     words    lines WORD TAB DESCRIPTION LF follow: whole words for the one
 *              being typed.  One that ends in `=` or `/` can be continued
 *     list     the same; any of them may be followed by more
 *     names    the same, of the tree: shells quote them
 *     files    names of files may follow KEPT, with which the word begins
 *     folders  names of folders may
 *
 * Nothing is fetched or indexed for it: completion must not take long.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "crawl/crawl.h"
#include "export/fields.h"
#include "index/language_codes.h"
#include "mounts.h"
#include "net/collections.h"
#include "output.h"
#include "signals.h"
#include "source_args.h"

/* Most names listed of one folder: more than anybody reads. */
#define NAMES_MAX 1000u

/* The command line up to the word being typed. */
struct line {
	const struct cfs_command *cmd;
	const struct cfs_option *pending;	/* the word is its value */
	bool options_end;		/* "--" was given */
	bool is_list;			/* the word is a list like that after
					 * -o */
	struct cfs_options o;		/* the words before; its values may
					 * decide which tree the SOURCE has */
	/* The word being typed: the prefix that stays, and the rest, which is
	 * completed. */
	struct cfs_slice kept, part;
};

/* ---- answers ------------------------------------------------------------ */

static void cmd_complete_begin(const char *kind, struct cfs_slice kept)
{
	cfs_out_f("%s\t", kind);
	cfs_out_bytes(kept);
	cfs_out_f("\n");
}

/* Prints a word if it begins with what is typed. */
static void cmd_complete_offer(const struct line *l, struct cfs_slice word,
			       const char *tail, const char *help)
{
	if (!cfs_slice_starts(word, l->part))
		return;
	cfs_out_bytes(l->kept);
	cfs_out_bytes(word);
	cfs_out_f("%s\t%s\n", tail, help);
}

/* Moves the start of the part behind its last `end`. */
static void keep_until(struct line *l, uint8_t end)
{
	size_t n = (size_t)(cfs_slice_rfind(l->part, end) + 1);

	l->kept = cfs_slice_of(l->kept.p, l->kept.n + n);
	l->part = cfs_slice_from(l->part, n);
}

static void offer_commands(const struct line *l)
{
	const struct cfs_command *cmd;

	cmd_complete_begin("words", l->kept);
	for (size_t i = 0; (cmd = cfs_command_at(i)) != NULL; i++)
		cmd_complete_offer(l, cfs_slice_str(cmd->name), "",
				   cmd->summary);
}

static void offer_row(const struct line *l, const char *word, const char *tail,
		      const struct cfs_option *row)
{
	CFS_BUF(help, 1 << 16);

	cfs_view_lists_expand(&help, row->help);
	cmd_complete_offer(l, cfs_slice_str(word), tail, cfs_buf_str(&help));
}

static void offer_options(const struct line *l)
{
	cmd_complete_begin("words", l->kept);
	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++) {
		char text[64];

		if ((row->by & l->cmd->by) == 0)
			continue;
		if (row->letter != 0) {
			snprintf(text, sizeof(text), "-%c", row->letter);
			offer_row(l, text, "", row);
		}
		if (row->name == NULL)
			continue;
		snprintf(text, sizeof(text), "--%s", row->name);
		offer_row(l, text, cfs_option_has_value(row) ||
			  row->value != NULL ? "=" : "", row);
	}
}

/* ---- values of options -------------------------------------------------- */

/* Offers the words after -o. */
static void offer_words(const struct line *l)
{
	const char *word;

	cmd_complete_begin("list", l->kept);
	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++) {
		char text[64];

		if ((row->by & CFS_BY_WORD) == 0)
			continue;
		snprintf(text, sizeof(text), "%s", row->name);
		for (char *c = text; *c != '\0'; c++)
			if (*c == '-')
				*c = '_';
		offer_row(l, text, cfs_option_has_value(row) ? "=" : "", row);
	}
	for (size_t i = 0; (word = cfs_kernel_word(i)) != NULL; i++)
		if (strchr(word, '*') == NULL)
			cmd_complete_offer(l, cfs_slice_str(word), "",
					   "for FUSE or the kernel");
}

static void offer_choices(const struct line *l, const char *choices)
{
	struct cfs_slice rest = cfs_slice_str(choices);

	cmd_complete_begin(l->is_list ? "list" : "words", l->kept);
	while (rest.n > 0) {
		struct cfs_slice word = cfs_slice_split(&rest, '|');

		cmd_complete_offer(l, cfs_slice_split(&word, '['), "", "");
	}
}

static void offer_views(const struct line *l)
{
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++)
		if (v != CFS_VIEW_URL)
			cmd_complete_offer(l,
					   cfs_slice_str(cfs_view_name(
						   (enum cfs_view)v)),
					   "", "");
}

/* Offers the fields of rows, a list with commas. */
static void offer_fields(struct line *l)
{
	keep_until(l, ',');
	cmd_complete_begin("list", l->kept);
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		if (cfs_export_fields[f].name != NULL)
			cmd_complete_offer(l, cfs_slice_str(
						   cfs_export_fields[f].name),
					   "", cfs_export_fields[f].about);
}

static void offer_language(void *arg, const char *code, const char *name)
{
	cmd_complete_offer(arg, cfs_slice_str(code), "", name);
}

/* Offers the codes of languages, a list with commas or colons. */
static void offer_languages(struct line *l)
{
	keep_until(l, ':');
	keep_until(l, ',');
	cmd_complete_begin("list", l->kept);
	cfs_language_each(offer_language, l);
}

/* Values that options which take others, too, often have, each with words that
 * are separated by bars. */
static const struct {
	enum cfs_option_kind kind;
	const char *placeholder;	/* struct cfs_option's value */
	const char *words;
} usual_values[] = {
	{ CFS_OPTION_MIME, "LIST",
	  "text/html|text/plain|text/css|text/javascript|"
	  "text/xml|application/pdf|application/json|application/xml|"
	  "application/xhtml+xml|application/rss+xml|application/atom+xml|"
	  "image/jpeg|image/png|image/gif|image/svg+xml|image/webp|text/*|"
	  "image/*|audio/*|video/*|font/*|html|pdf|json|xml" },
	{ CFS_OPTION_STATUS, "LIST",
	  "200|206|301|302|304|403|404|410|500|503|2xx|3xx|4xx|5xx" },
	{ CFS_OPTION_TEXT, "FORMAT",
	  "jsonl|jsonl.gz|jsonl.zst|wet|wet.gz|wet.zst|"
	  "warc|warc.gz|warc.zst|parquet" },
	{ CFS_OPTION_WHEN, "WHEN", "auto|always|never" },
	{ CFS_OPTION_TEXT, "ADDRESS", "127.0.0.1:8080|:8080" },
	{ CFS_OPTION_FLAG, "requester", "requester" },
};

/* Offers usual values, folders or files. */
static void offer_texts(struct line *l, const struct cfs_option *row)
{
	const char *shown = row->value != NULL ? row->value : "";
	const char *kind = "words";

	for (size_t i = 0; i < sizeof(usual_values) / sizeof(*usual_values);
	     i++) {
		if (usual_values[i].kind != row->kind ||
		    strcmp(usual_values[i].placeholder, shown) != 0)
			continue;
		if (strcmp(shown, "LIST") == 0) {
			keep_until(l, ':');
			keep_until(l, ',');
			l->is_list = true;
		}
		offer_choices(l, usual_values[i].words);
		return;
	}
	if (strcmp(shown, "DIR") == 0 || strcmp(shown, "FOLDER") == 0)
		kind = "folders";
	else if (strcmp(shown, "FILE") == 0 || strcmp(shown, "OUTPUT") == 0 ||
		 strcmp(shown, "OUT") == 0)
		kind = "files";
	cmd_complete_begin(kind, l->kept);
}

/* In a list like that after -o, finds the option whose value is being typed;
 * else offers words and returns NULL. */
static const struct cfs_option *value_in_list(struct line *l)
{
	const struct cfs_option *row;
	ptrdiff_t at;

	l->is_list = true;
	keep_until(l, ',');
	at = cfs_slice_find(l->part, '=');
	row = at < 0 ?
		      NULL :
		      cfs_option_of_word(cfs_slice_sub(l->part, 0, (size_t)at));
	if (row != NULL)
		keep_until(l, '=');
	else
		offer_words(l);
	return row;
}

static void offer_values(struct line *l, const struct cfs_option *row)
{
	if (row->kind == CFS_OPTION_WORDS)
		row = value_in_list(l);
	if (row == NULL)
		return;
	switch (row->kind) {
	case CFS_OPTION_CHOICE:
		offer_choices(l, row->value);
		break;
	case CFS_OPTION_VIEW:
		cmd_complete_begin("words", l->kept);
		offer_views(l);
		break;
	case CFS_OPTION_VIEWS:
		keep_until(l, ':');
		cmd_complete_begin("list", l->kept);
		offer_views(l);
		break;
	case CFS_OPTION_LANGUAGE:
		offer_languages(l);
		break;
	case CFS_OPTION_FOLDER:
		cmd_complete_begin("folders", l->kept);
		break;
	default:
		if (strcmp(row->name, "fields") == 0) {
			offer_fields(l);
			break;
		}
		offer_texts(l, row);
		break;
	}
}

/* ---- operands ----------------------------------------------------------- */

struct names {
	const struct line *l;
	unsigned n;
};

static int offer_name(void *arg, struct cfs_slice name,
		      const struct cfs_node *node, uint64_t cookie)
{
	struct names *names = arg;

	(void)cookie;
	for (size_t i = 0; i < name.n; i++)	/* they would break the lines */
		if (name.p[i] < 0x20 || name.p[i] == 0x7f)
			return 0;
	if (!cfs_slice_starts(name, names->l->part))
		return 0;
	cmd_complete_offer(names->l, name, node->type == CFS_NODE_DIR ? "/" : "", "");
	return ++names->n >= NAMES_MAX || !cfs_out_ok();
}

/* The views to list: a file's other names matter only to commands that take one
 * view. */
static cfs_view_set views_of(const struct line *l)
{
	return l->cmd->by & (CFS_BY_LS | CFS_BY_CAT | CFS_BY_URL) ?
	       l->o.views : 1u << CFS_VIEW_RAW;
}

static int cmd_complete_list_names(void *arg, const struct cfs_target *t,
				   struct cfs_ctx ctx)
{
	struct names *names = arg;
	struct cfs_node dir;
	int rc = cfs_target_dir(t, &dir, ctx);

	if (rc != CFS_OK)
		return rc;
	return cfs_tree_list(t->crawl, &dir, views_of(names->l), 0, 0,
			     offer_name, names, ctx);
}

/* Offers names in the SOURCE's tree, if it is local and has its index. */
static void offer_tree(struct line *l)
{
	const struct cfs_cancel *cancel = cfs_cli_catch_signals();
	struct names names = { .l = l };
	struct cfs_crawl *crawl = NULL;
	CFS_BUF(dir, 4 * CFS_KEY_MAX);
	struct cfs_slice path;

	keep_until(l, '/');
	cmd_complete_begin("names", l->kept);
	path = l->kept;
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	if (path.n == 0 || path.p[0] != '/')
		cfs_buf_addc(&dir, '/');
	cfs_buf_add(&dir, path);
	l->o.crawl.kept_only = true;
	l->o.crawl.cancel = cancel;
	if (cfs_buf_addc(&dir, '\0') == CFS_OK &&
	    access(l->o.operands[0], F_OK) == 0 &&
	    cfs_crawl_open(&crawl, l->o.operands[0], &l->o.crawl, NULL) ==
		    CFS_OK)
		cfs_target_with(crawl, (const char *)dir.p,
				    cmd_complete_list_names, &names,
				    CFS_CTX(cancel, NULL));
	cfs_crawl_close(crawl);
}

/* The folder that begins the name of a mount being typed. */
struct mounts_below {
	const struct line *l;
	struct cfs_slice folder;	/* resolved, without a / at its end */
};

static void offer_mount(void *arg, const char *point)
{
	const struct mounts_below *m = arg;
	struct cfs_slice rest = cfs_slice_str(point);

	if (cfs_slice_starts(rest, m->folder) && rest.n > m->folder.n &&
	    rest.p[m->folder.n] == '/')
		rest = cfs_slice_from(rest, m->folder.n + 1);
	else if (m->l->kept.n > 0)
		return;
	cmd_complete_offer(m->l, rest, "", "");
}

/* Offers the places of mounts: those below the folder that is typed, or below
 * the current one, relative to it. */
static void offer_mounts(struct line *l)
{
	char folder[PATH_MAX], typed[PATH_MAX];
	struct mounts_below m = { .l = l };

	keep_until(l, '/');
	cmd_complete_begin("names", l->kept);
	snprintf(typed, sizeof(typed), "%.*s", (int)l->kept.n,
		 (const char *)l->kept.p);
	if (realpath(typed[0] == '\0' ? "." : typed, folder) == NULL)
		return;
	m.folder = cfs_slice_str(strcmp(folder, "/") == 0 ? "" : folder);
	cfs_mounts_each(offer_mount, &m);
}

/* Offers the crawls of Common Crawl that are known here. */
static void offer_crawls(const struct line *l)
{
	struct cfs_collection *v = NULL;
	size_t n = 0;

	cmd_complete_begin("words", l->kept);
	cfs_collections_built_in(&v, &n, NULL);
	for (size_t i = 0; i < n; i++)
		cmd_complete_offer(l, cfs_slice_str(v[i].id), "", "");
	free(v);
}

/* True if the command's usage has tree paths after a SOURCE. */
static bool takes_tree(const struct cfs_command *cmd)
{
	const char *end = strstr(cmd->usage, "\n\n");
	struct cfs_slice usage = cfs_slice_str(cmd->usage);

	if (end != NULL)
		usage.n = (size_t)(end - cmd->usage);
	return cfs_slice_search(usage, CFS_SLICE_LIT("SOURCE ")) >= 0 &&
	       (cfs_slice_search(usage, CFS_SLICE_LIT("TREEPATH")) >= 0 ||
		cfs_slice_search(usage, CFS_SLICE_LIT("PREFIX")) >= 0);
}

static void offer_operands(struct line *l)
{
	if (l->cmd->by == CFS_BY_HELP && l->o.n_operands == 0) {
		offer_commands(l);
	} else if (l->cmd->by == CFS_BY_CACHE && l->o.n_operands == 0) {
		offer_choices(l, "info|verify|clear");
	} else if (l->cmd->by == CFS_BY_UMOUNT) {
		offer_mounts(l);
	} else if (l->cmd->takes_none ||
		   l->cmd->by & (CFS_BY_HELP | CFS_BY_CACHE) ||
		   (l->o.n_operands > 0 && l->cmd->by == CFS_BY_PATH)) {
		cmd_complete_begin("words", l->kept);
	} else if (l->o.n_operands > 0 && takes_tree(l->cmd)) {
		offer_tree(l);
	} else if (cfs_slice_starts(l->part, CFS_SLICE_LIT("CC-"))) {
		offer_crawls(l);
	} else {
		cmd_complete_begin("files", l->kept);
	}
}

/* ---- the command -------------------------------------------------------- */

/* Finds the option of that name. */
static const struct cfs_option *find_option(const struct line *l,
					    struct cfs_slice name)
{
	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++)
		if ((row->by & l->cmd->by) != 0 && row->name != NULL &&
		    cfs_slice_eq(cfs_slice_str(row->name), name))
			return row;
	return NULL;
}

static void cmd_complete_complete(struct line *l, const char *typed)
{
	const struct cfs_option *row = NULL;

	if (l->pending != NULL) {
		offer_values(l, l->pending);
		return;
	}
	if (!l->options_end && typed[0] == '-' && typed[1] == '-' &&
	    strchr(typed, '=') != NULL) {
		size_t n = strcspn(typed, "=");

		row = find_option(l, cfs_slice_of(typed + 2, n - 2));
		l->kept = cfs_slice_of(typed, n + 1);
		l->part = cfs_slice_str(typed + n + 1);
		if (row != NULL && row->value != NULL)
			offer_values(l, row);
		else
			cmd_complete_begin("words", l->kept);
	} else if (!l->options_end && typed[0] == '-') {
		offer_options(l);
	} else {
		offer_operands(l);
	}
}

static int cmd_complete_run(struct cfs_options *o)
{
	const char *typed = o->n_operands > 0 ?
			    o->operands[o->n_operands - 1] : "";
	struct line l = { .kept = cfs_slice_of(typed, 0),
			  .part = cfs_slice_str(typed) };

	if (o->n_operands <= 1) {
		offer_commands(&l);
		return CFS_EXIT_OK;
	}
	l.cmd = cfs_command_find(o->operands[0]);
	if (l.cmd == NULL) {
		cmd_complete_begin("words", l.kept);
		return CFS_EXIT_OK;
	}
	cfs_options_init(&l.o);
	l.pending = cfs_args_scan(l.cmd, o->n_operands - 1, o->operands, &l.o,
				  &l.options_end);
	cmd_complete_complete(&l, typed);
	cfs_options_release(&l.o);
	return CFS_EXIT_OK;
}

const struct cfs_command cfs_cmd_complete = {
	.name = "complete",
	.by = CFS_BY_COMPLETE,
	.usage =
		"crawlfs complete -- [WORD]...\n\n"
		"Prints what may stand in place of the last WORD of a command line, for the\n"
		"completion of shells: KIND TAB KEPT, then lines WORD TAB DESCRIPTION.",
	.example = "  crawlfs complete -- mount --size=\n",
	.run = cmd_complete_run,
};
