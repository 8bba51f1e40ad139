/* cmd_grep.c - crawlfs grep: searches the files of a crawl's tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "commands.h"
#include "crawl/choices.h"
#include "grep/grep.h"
#include "grep/matcher.h"
#include "output.h"
#include "progress_line.h"
#include "signals.h"
#include "source_args.h"

/* Exit statuses, those of grep. */
#define FOUND 0
#define NOT_FOUND 1
#define FAILED 2

struct grep_command {
	struct cfs_options *o;
	struct cfs_grep_opts opts;
	struct cfs_matcher *matcher;
	struct cfs_error err;
};

/* ---- the command line ---------------------------------------------------- */

/* Appends the lines of a file to the patterns. */
static int read_patterns(struct grep_command *g, const char *path)
{
	CFS_BUF(text, CFS_MATCHER_PATTERNS_MAX);
	int rc;

	rc = cfs_file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, &text);
	if (rc != CFS_OK)
		cfs_error_set(&g->err, rc, "'%.100s' cannot be read", path);
	cfs_buf_add(&g->o->patterns, cfs_buf_slice(&text));
	if (text.n > 0 && text.p[text.n - 1] != '\n')
		cfs_buf_addc(&g->o->patterns, '\n');
	return rc;
}

/* Gathers the patterns, and takes the first operand for one if no option gives
 * any. */
static int gather_patterns(struct grep_command *g)
{
	struct cfs_options *o = g->o;
	struct cfs_slice files = cfs_buf_slice(&o->pattern_files);
	int rc = CFS_OK;

	if (o->patterns.n == 0 && files.n == 0 && o->n_operands > 0) {
		cfs_buf_adds(&o->patterns, o->operands[0]);
		cfs_buf_addc(&o->patterns, '\n');
		o->operands++;
		o->n_operands--;
		o->n_typed--;
	}
	while (rc == CFS_OK && files.n > 0) {
		struct cfs_slice line = cfs_slice_split(&files, '\n');
		char *path = strndup((const char *)line.p, line.n);

		rc = path != NULL ? read_patterns(g, path) :
				    cfs_error_nomem(&g->err);
		free(path);
	}
	if (rc == CFS_OK && o->patterns.failed != CFS_OK)
		rc = cfs_error_nomem(&g->err);
	return rc;
}

/* Reads a number that may be large; `more` is what is more than any. */
static int grep_number(struct grep_command *g, const char *name,
		       const char *text, uint64_t more, uint64_t *out)
{
	int rc = cfs_slice_parse_u64(cfs_slice_str(text), more, out);

	if (rc == CFS_ELIMIT) {
		*out = more;
		rc = CFS_OK;
	}
	return rc == CFS_OK ? rc :
	       cfs_error_set(&g->err, CFS_EUSAGE, "option '--%s': '%.100s' is "
			     "not a number", name, text);
}

static int read_context(struct grep_command *g, const char *name,
			const char *text, int64_t *out)
{
	uint64_t n = 0;
	int rc;

	if (text == NULL)
		text = g->o->context;
	*out = -1;
	if (text == NULL)
		return CFS_OK;
	rc = grep_number(g, name, text, INT64_MAX, &n);
	*out = (int64_t)n;
	return rc;
}

static int read_max_count(struct grep_command *g, uint64_t *out)
{
	const char *text = g->o->max_count;

	*out = UINT64_MAX;
	if (text == NULL || text[0] == '-')
		return CFS_OK;
	return grep_number(g, "max-count", text, UINT64_MAX, out);
}

static int read_color(struct grep_command *g, bool *out)
{
	const char *when = g->o->color, *term = getenv("TERM");

	*out = false;
	if (when == NULL || strcmp(when, "never") == 0)
		return CFS_OK;
	*out = true;
	if (strcmp(when, "always") == 0)
		return CFS_OK;
	*out = isatty(STDOUT_FILENO) && term != NULL &&
	       strcmp(term, "dumb") != 0;
	return strcmp(when, "auto") == 0 ? CFS_OK :
	       cfs_error_set(&g->err, CFS_EUSAGE, "option '--color': unknown "
			     "value '%.100s' (always|never|auto)", when);
}

static int read_lines_options(struct grep_command *g)
{
	const struct cfs_options *o = g->o;
	struct cfs_page_lines_opts *l = &g->opts.lines;
	int rc;

	*l = (struct cfs_page_lines_opts){
		.inverts = o->inverts, .counts = o->counts,
		.list = (enum cfs_grep_list)o->list, .is_quiet = o->is_quiet,
		.only_matching = o->only_matching,
		.has_numbers = o->has_numbers, .has_offsets = o->has_offsets,
		.no_names = o->no_names, .nul_after_names = o->nul_after_names,
		.is_json = o->is_json,
		.binary = (enum cfs_grep_binary)o->binary,
		.separator = o->group_separator };
	if (l->separator == NULL)
		l->separator = "--";
	if (o->no_separator)
		l->separator = NULL;
	rc = read_context(g, "before-context", o->before, &l->before);
	if (rc == CFS_OK)
		rc = read_context(g, "after-context", o->after, &l->after);
	if (rc == CFS_OK)
		rc = read_max_count(g, &l->max_count);
	return rc == CFS_OK ? read_color(g, &l->has_colors) : rc;
}

static int read_command(struct grep_command *g)
{
	const struct cfs_options *o = g->o;
	struct cfs_matcher_opts m = {
		.syntax = (enum cfs_expression_syntax)o->syntax,
		.ignores_case = o->ignores_case, .is_word = o->is_word,
		.is_line = o->is_line };
	int rc = gather_patterns(g);

	if (rc == CFS_OK)
		rc = read_lines_options(g);
	if (rc == CFS_OK)
		rc = cfs_matcher_new(&g->matcher, cfs_buf_slice(&o->patterns),
				     &m, &g->err);
	g->opts.matcher = g->matcher;
	g->opts.view = o->view == CFS_VIEW_NONE ? CFS_VIEW_TEXT :
						  (enum cfs_view)o->view;
	g->opts.has_urls = o->has_urls;
	g->opts.hides_errors = o->hides_errors;
	g->opts.threads = o->threads;
	return rc;
}

/* ---- the search ---------------------------------------------------------- */

static int grep_write(void *write_arg, struct cfs_slice bytes)
{
	static int is_tty = -1;

	(void)write_arg;
	if (is_tty < 0)
		is_tty = isatty(STDOUT_FILENO);
	if (is_tty)
		cfs_progress_interrupt();
	return cfs_out_bytes(bytes) ? CFS_OK : CFS_END;
}

/* True if no line can be selected, so that grep opens no file: at most 0 are
 * wanted, or those that the empty pattern does not match. */
static bool selects_nothing(const struct grep_command *g)
{
	const struct cfs_options *o = g->o;
	bool is_empty = o->patterns.n == 1 && o->patterns.p[0] == '\n';

	return g->opts.lines.list != CFS_GREP_LIST_WITHOUT &&
	       (g->opts.lines.max_count == 0 ||
		(is_empty && o->inverts && !o->is_word && !o->is_line));
}

static int search_crawl(struct grep_command *g)
{
	static char name[] = "searching";
	struct cfs_grep_report report = { .errors = 0 };
	struct cfs_crawl *crawl = NULL;
	int rc, status;

	status = cfs_cli_open_prefixed(&crawl, g->o, true);
	if (status != CFS_EXIT_OK)
		return status == CFS_EXIT_FAILURE ? FAILED : status;
	g->opts.write = grep_write;
	g->opts.progress = cfs_progress_called;
	g->opts.arg = name;
	rc = selects_nothing(g) ? CFS_OK :
	     cfs_grep_run(crawl, &g->opts, &report,
			  CFS_CTX(cfs_cli_catch_signals(), &g->err));
	cfs_progress_end();
	status = cfs_cli_end(rc, &g->err);
	status = g->opts.hides_errors ? cfs_cli_close_quietly(crawl, status) :
					cfs_cli_close(crawl, status);
	if (status == CFS_EXIT_INTERRUPTED)
		return status;
	if (report.matched > 0 && g->o->is_quiet)
		return FOUND;
	if (status != CFS_EXIT_OK || report.errors > 0)
		return FAILED;
	return report.matched > 0 ? FOUND : NOT_FOUND;
}

static int cmd_grep_run(struct cfs_options *o)
{
	struct grep_command g = { .o = o };
	int rc = read_command(&g), status;

	if (rc == CFS_OK && o->n_operands == 0) {
		status = cfs_cli_usage(o->command, "no %s is given",
				       o->patterns.n == 0 ? "PATTERN" :
							    "SOURCE");
	} else if (rc == CFS_OK) {
		status = search_crawl(&g);
	} else {
		cfs_cli_end(rc, &g.err);
		status = FAILED;
	}
	cfs_matcher_free(g.matcher);
	return status;
}

const struct cfs_command cfs_cmd_grep = {
	.name = "grep",
	.by = CFS_BY_GREP,
	.summary = "search the texts of pages, as grep -r does in a mount",
	.usage =
	"crawlfs grep [OPTION]... PATTERN SOURCE [PREFIX...]\n\n"
	"Prints what 'grep -r PATTERN' prints in a mount of the crawl that has only\n"
	"the pages' texts (.txt), without a mount and on all processors.  Options and\n"
	"the exit status are those of GNU grep: 0 if a line is selected, 1 if none is,\n"
	"2 after an error.",
	.example =
	"  crawlfs grep -i 'free software' crawl.warc.gz\n"
	"  crawlfs grep -E -l --url 'gnu|linux' crawl.cfx org.gnu\n",
	.run = cmd_grep_run,
};
