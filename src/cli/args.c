/* args.c - parses a command's command line by the table of options, and prints
 * its help.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/trust.h"
#include "commands.h"
#include "net/reach.h"
#include "net/url_credentials.h"
#include "output.h"

#define ROWS_MAX 128		/* most that one command takes */
#define LONG_FIRST 256		/* getopt's number of row 0, for long names */

/* The options that a command takes, as getopt_long(3) needs them. */
struct parser {
	const struct cfs_command *cmd;
	const struct cfs_option *rows[ROWS_MAX];
	struct option longs[ROWS_MAX + 1];
	char shorts[2 * ROWS_MAX + 2];
	int n;
};

/* Whether an option has a value, as getopt_long(3) has it. */
static int argument_of(const struct cfs_option *row)
{
	if (cfs_option_has_value(row))
		return required_argument;
	return row->value != NULL ? optional_argument : no_argument;
}

static void parser_init(struct parser *p, const struct cfs_command *cmd)
{
	char *letter = p->shorts;
	int longs = 0;

	*p = (struct parser){ .cmd = cmd };
	*letter++ = ':';
	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++) {
		if ((row->by & cmd->by) == 0)
			continue;
		assert(p->n < ROWS_MAX);
		if (row->letter != 0)
			*letter++ = row->letter;
		if (row->letter != 0 && cfs_option_has_value(row))
			*letter++ = ':';
		if (row->name != NULL)
			p->longs[longs++] = (struct option){ row->name,
				argument_of(row), NULL, LONG_FIRST + p->n };
		p->rows[p->n++] = row;
	}
}

/* ---- help --------------------------------------------------------------- */

#define HELP_COLUMN 25
#define HELP_WIDTH 79

/* Appends text from a column on, broken at blanks. */
static void add_wrapped(struct cfs_buf *b, const char *text)
{
	int column = HELP_COLUMN;

	while (*text != '\0') {
		int n = (int)strcspn(text, " ");

		if (column > HELP_COLUMN && column + 1 + n > HELP_WIDTH) {
			cfs_buf_addf(b, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			cfs_buf_addc(b, ' ');
			column++;
		}
		cfs_buf_append(b, text, (size_t)n);
		column += n;
		text += n + (text[n] == ' ');
	}
	cfs_buf_addc(b, '\n');
}

static void add_option(struct cfs_buf *b, const struct cfs_option *row)
{
	size_t start = b->n, width;
	CFS_BUF(help, 1 << 16);

	if (row->letter != 0)
		cfs_buf_addf(b, "  -%c%s", row->letter, row->name ? ", " : " ");
	else
		cfs_buf_adds(b, "      ");
	if (row->name != NULL)
		cfs_buf_addf(b, "--%s%s", row->name, row->value ? "=" : "");
	if (row->value != NULL)
		cfs_buf_adds(b, row->value);
	width = b->n - start;
	if (width >= HELP_COLUMN - 1)
		cfs_buf_addf(b, "\n%*s", HELP_COLUMN, "");
	else
		cfs_buf_addf(b, "%*s", HELP_COLUMN - (int)width, "");
	cfs_view_lists_expand(&help, row->help);
	add_wrapped(b, cfs_buf_str(&help));
}

void cfs_args_help(const struct cfs_command *cmd)
{
	CFS_BUF(b, 1 << 16);

	cfs_buf_addf(&b, "usage: %s\n\n", cmd->usage);
	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++)
		if ((row->by & cmd->by) != 0)
			add_option(&b, row);
	cfs_buf_addf(&b, "\nExample:\n%s", cmd->example);
	cfs_buf_addf(&b, cmd->by == CFS_BY_MOUNT_HELPER ?
		     "\nSee %s(8).\n" : "\nSee crawlfs-%s(1).\n", cmd->name);
	cfs_out_bytes(cfs_buf_slice(&b));
}

/* ---- the command line --------------------------------------------------- */

#define READ_ALL (-1)		/* other values are an exit status */

/* Finds the option of the command that was meant by one that it has not: of a
 * similar name, or the one that other programs call so.  NULL: none. */
static const char *option_meant(const struct parser *p, const char *word)
{
	static const char *const others[][2] = {
		{ "port", "listen" }, { "bind", "listen" },
		{ "since", "from" }, { "until", "to" }, { "type", "mime" },
		{ "jobs", "threads" },
	};
	struct cfs_slice name = cfs_slice_of(word, strcspn(word, "="));
	struct cfs_nearest near = CFS_NEAREST(name);

	for (int i = 0; i < p->n; i++)
		if (p->rows[i]->name != NULL)
			cfs_nearest_try(&near, p->rows[i]->name);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		for (int k = 0; k < p->n; k++)
			if (cfs_slice_eq(name, cfs_slice_str(others[i][0])) &&
			    p->rows[k]->name != NULL &&
			    strcmp(p->rows[k]->name, others[i][1]) == 0)
				near.word = others[i][1];
	return near.word;
}

/* Reports what getopt_long(3) found that is not in the table. */
static int args_refuse(const struct parser *p, const char *word,
		       bool wants_value)
{
	const char *meant;

	if (optopt != 0 && optopt < LONG_FIRST)
		return cfs_cli_usage(p->cmd->name, wants_value ?
				     "option '-%c' needs a value" :
				     "unknown option '-%c'", optopt);
	if (wants_value)
		return cfs_cli_usage(p->cmd->name, "option '%s' needs a value",
				     word);
	if (optopt != 0)
		return cfs_cli_usage(p->cmd->name,
				     "option '%s' takes no value", word);
	meant = option_meant(p, word + strspn(word, "-"));
	if (meant != NULL)
		return cfs_cli_usage(p->cmd->name,
				     "unknown option '%s' (did you mean "
				     "'--%s'?)", word, meant);
	return cfs_cli_usage(p->cmd->name, "unknown option '%s'", word);
}

static int no_memory(void)
{
	struct cfs_error err = CFS_ERROR_INIT;

	return cfs_cli_end(cfs_error_nomem(&err), &err);
}

/* Removes names and passwords from an argument, and hides queries from ps:
 * *text becomes the text to parse.  READ_ALL to go on. */
static int take_secrets(struct cfs_options *o, char **text)
{
	char *whole;

	if (cfs_credentials_take(*text) != CFS_OK ||
	    cfs_reach_name(*text) != CFS_OK ||
	    cfs_credentials_hide_queries(*text, &whole) != CFS_OK)
		return no_memory();
	if (whole == NULL)
		return READ_ALL;
	*text = whole;
	return cfs_options_keep(o, whole) != NULL ? READ_ALL : no_memory();
}

/* The row of what getopt_long(3) has returned. */
static const struct cfs_option *row_of(const struct parser *p, int found)
{
	int i = 0;

	while (found != LONG_FIRST + i && found != p->rows[i]->letter)
		i++;
	return p->rows[i];
}

/* Takes one option.  READ_ALL to go on. */
static int args_take(const struct parser *p, struct cfs_options *o, int found)
{
	char *text = optarg;
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_option *row = row_of(p, found);
	char typed[64];
	int rc;

	if (text != NULL && row->at != offsetof(struct cfs_options, patterns) &&
	    take_secrets(o, &text) != READ_ALL)
		return CFS_EXIT_FAILURE;
	if (row->kind == CFS_OPTION_HELP) {
		cfs_args_help(p->cmd);
		return CFS_EXIT_OK;
	}
	if (found < LONG_FIRST)
		snprintf(typed, sizeof(typed), "-%c", found);
	else
		snprintf(typed, sizeof(typed), "--%s", row->name);
	if (row->kind == CFS_OPTION_WORDS)
		rc = cfs_mount_words_take(o, text,
				p->cmd->by == CFS_BY_MOUNT_HELPER, &err);
	else
		rc = cfs_option_take(o, row, typed, text, &err);
	return rc == CFS_OK ? READ_ALL :
			      cfs_cli_usage(p->cmd->name, "%s", err.text);
}

static int read_options(const struct parser *p, struct cfs_options *o, int argc,
			char **argv)
{
	int status = READ_ALL;

	opterr = 0;
	while (status == READ_ALL) {
		int found = getopt_long(argc, argv, p->shorts, p->longs, NULL);

		if (found == -1)
			break;
		char *odd = argv[optind - 1];

		if ((found == '?' || found == ':') &&
		    take_secrets(o, &odd) != READ_ALL)
			return CFS_EXIT_FAILURE;
		status = found == '?' || found == ':' ?
			 args_refuse(p, argv[optind - 1], found == ':') :
			 args_take(p, o, found);
	}
	return status;
}

/* Removes secrets from SOURCEs; those in URLs of pages are part of these. */
static int take_sources(const struct cfs_command *cmd, struct cfs_options *o)
{
	static const unsigned of_pages = CFS_BY_LS | CFS_BY_CAT |
		CFS_BY_LOOKUP | CFS_BY_PATH | CFS_BY_URL | CFS_BY_CHECK |
		CFS_BY_COPY | CFS_BY_EXPORT;
	int n = (cmd->by & of_pages) && o->n_operands > 1 ? 1 : o->n_operands;
	int first = 0, status = READ_ALL;

	if ((cmd->by & CFS_BY_GREP) != 0) {
		first = o->patterns.n + o->pattern_files.n == 0 ? 1 : 0;
		n = n > first ? first + 1 : first;
	}
	for (int i = first; i < n && status == READ_ALL; i++)
		status = take_secrets(o, &o->operands[i]);
	return status;
}

static int check_operands(const struct cfs_command *cmd, int n,
			  char **operands)
{
	for (int i = 0; i < 2 && cmd->operands[i] != NULL; i++)
		if (n <= i)
			return cfs_cli_usage(cmd->name, "no %s is given",
					     cmd->operands[i]);
	if (n > 0 && operands[0][0] == '\0' && cmd->operands[0] != NULL)
		return cfs_cli_usage(cmd->name, "%s '' has no name",
				     cmd->operands[0]);
	if (cmd->takes_none && n > 0)
		return cfs_cli_usage(cmd->name, "takes no operands");
	return READ_ALL;
}

/* ---- prefixes ----------------------------------------------------------- */

/* Appends a prefix to the operands, which have room for it. */
static void add_operand(struct cfs_options *o, char *text)
{
	text += strspn(text, " \t");
	if (text[0] != '\0')
		o->operands[o->n_operands++] = text;
	o->operands[o->n_operands] = NULL;
}

/* Copies the operands into an array with room for n more. */
static int grow_operands(struct cfs_options *o, size_t n)
{
	char **all = calloc((size_t)o->n_operands + n + 1, sizeof(*all));

	if (all == NULL)
		return no_memory();
	memcpy(all, o->operands, (size_t)o->n_operands * sizeof(*all));
	free(o->own_operands);
	o->operands = o->own_operands = all;
	return READ_ALL;
}

/* Is --prefix a condition, as others are?  Else it names what to work on: for
 * commands whose operands are prefixes, if there are no such operands. */
static bool is_condition(const struct cfs_command *cmd,
			 const struct cfs_options *o)
{
	if ((cmd->by & CFS_BY_PREFIXES) == 0 || (cmd->by & CFS_BY_LOOKUP) != 0)
		return true;
	return o->n_operands > 1 && (cmd->by & CFS_BY_EXPORT) == 0;
}

/* Commands that are given only a SOURCE, though they work on what is below
 * prefixes, work on all of it. */
static int take_whole(const struct cfs_command *cmd, struct cfs_options *o)
{
	static char all[] = "/";

	if ((cmd->by & (CFS_BY_LOOKUP | CFS_BY_CHECK)) == 0 ||
	    o->n_operands != 1)
		return READ_ALL;
	if (grow_operands(o, 1) != READ_ALL)
		return CFS_EXIT_FAILURE;
	add_operand(o, all);
	return READ_ALL;
}

/* Makes each --prefix an operand, unless it is a condition.  To ls it is both
 * where equal captures are left out: operands do not narrow which is the first
 * of them, and the option does. */
static int take_prefixes(const struct cfs_command *cmd, struct cfs_options *o)
{
	char *text, *rest;
	size_t most = 1;

	if (o->prefixes.n == 0 || o->n_operands == 0)
		return READ_ALL;
	if (is_condition(cmd, o)) {
		o->crawl.prefixes = cfs_buf_str(&o->prefixes);
		return READ_ALL;
	}
	if ((cmd->by & CFS_BY_LS) != 0 && o->crawl.dedup != CFS_DEDUP_NONE)
		o->crawl.prefixes = cfs_buf_str(&o->prefixes);
	rest = text = strdup(cfs_buf_str(&o->prefixes));
	if (cfs_options_keep(o, text) == NULL)
		return no_memory();
	for (const char *s = text; *s != '\0'; s++)
		most += *s == '\n' || *s == ',';
	if (grow_operands(o, most) != READ_ALL)
		return CFS_EXIT_FAILURE;
	while ((text = strsep(&rest, "\n")) != NULL) {
		bool is_list = strstr(text, "://") == NULL &&
			       strchr(text, ')') == NULL;
		char *item;

		while ((item = is_list ? strsep(&text, ",") : text) != NULL) {
			add_operand(o, item);
			if (!is_list)
				break;
		}
	}
	return READ_ALL;
}

/* ---- the words before one that is typed ---------------------------------- */

const struct cfs_option *cfs_args_scan(const struct cfs_command *cmd, int argc,
				       char **argv, struct cfs_options *o,
				       bool *options_end)
{
	const struct cfs_option *pending = NULL;
	struct parser p;
	int found;

	parser_init(&p, cmd);
	opterr = optind = 0;
	while ((found = getopt_long(argc, argv, p.shorts, p.longs, NULL)) !=
	       -1) {
		const struct cfs_option *row;

		if (found == '?')
			continue;
		row = row_of(&p, found == ':' ? optopt : found);
		if (found == ':')
			pending = row;
		else if (row->kind == CFS_OPTION_WORDS)
			cfs_mount_words_take(o, optarg, true, NULL);
		else if (cfs_option_has_value(row))
			cfs_option_take(o, row, "", optarg, NULL);
	}
	*options_end = optind > 1 && strcmp(argv[optind - 1], "--") == 0;
	o->operands = argv + optind;
	o->n_operands = argc - optind;
	return pending;
}

/* ---- running ------------------------------------------------------------ */

int cfs_args_run(const struct cfs_command *cmd, int argc, char **argv)
{
	struct cfs_options o;
	struct parser p;
	int status;

	parser_init(&p, cmd);
	cfs_options_init(&o);
	status = read_options(&p, &o, argc, argv);
	o.command = cmd->name;
	o.operands = argv + optind;
	o.n_operands = argc - optind;
	if (status == READ_ALL)
		status = take_sources(cmd, &o);
	o.n_typed = o.n_operands;
	if (status == READ_ALL)
		status = take_prefixes(cmd, &o);
	if (status == READ_ALL)
		status = take_whole(cmd, &o);
	if (status == READ_ALL)
		status = check_operands(cmd, o.n_operands, o.operands);
	if (status == READ_ALL && o.cache_group)
		cfs_trust_groups();
	if (status == READ_ALL)
		status = cmd->run(&o);
	cfs_options_release(&o);
	cfs_credentials_release();
	cfs_reach_release();
	return status;
}
