/* cmd_summary.c - crawlfs summary: counts what a crawl contains.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "commands.h"
#include "crawl/choices.h"
#include "crawl/search.h"
#include "net/location.h"
#include "output.h"
#include "progress_line.h"
#include "signals.h"
#include "source_args.h"
#include "summary/suffixes.h"
#include "summary/summary_print.h"

/* Rows of each kind: as many as a terminal has room for, or a page. */
#define TOP_TEXT 10u
#define TOP_DOCUMENT 50u
/* All rows, in HTML. */
#define TEXT_MAX ((size_t)64 << 20)

struct summary_job {
	const struct cfs_options *o;
	struct cfs_suffixes *suffixes;
	struct cfs_summary *summary;
	struct cfs_summary_print_opts print;
	struct cfs_buf name;		/* of the SOURCE, without queries */
	struct cfs_error err;
};

/* True if the environment says that the terminal shows UTF-8. */
static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return strcasestr(value, "utf-8") != NULL ||
			       strcasestr(value, "utf8") != NULL;
	}
	return false;
}

/* The list that is named must be there; that of the system need not. */
static int open_suffixes(struct summary_job *j)
{
	const char *named = j->o->suffixes;
	int rc;

	if (named != NULL && strcmp(named, "none") == 0)
		return CFS_OK;
	rc = cfs_suffixes_open(&j->suffixes, named != NULL ? named :
				   CFS_SUFFIXES_PATH, &j->err);

	if (named == NULL && rc == CFS_ENOTFOUND) {
		cfs_error_clear(&j->err);
		rc = CFS_OK;
	}
	return rc;
}

static int cmd_summary_count(struct summary_job *j, struct cfs_crawl *c)
{
	static char name[] = "counting";
	struct cfs_summary_opts opts = { .threads = j->o->threads,
		.top = j->print.top, .holes = &c->holes,
		.progress = cfs_progress_called, .arg = name };
	int rc = open_suffixes(j);

	opts.suffixes = j->suffixes;
	if (rc == CFS_OK)
		rc = cfs_summary_make(&j->summary, c->index, &opts,
				      CFS_CTX(cfs_cli_catch_signals(),
					      &j->err));
	cfs_progress_end();
	return rc;
}

/* Adds the words of the list beside the index, if that is shown as a whole: a
 * union has several lists, whose words are not the same ones. */
static int add_words(struct summary_job *j, struct cfs_crawl *c)
{
	const struct cfs_ctx ctx = CFS_CTX(cfs_cli_catch_signals(), &j->err);
	const struct cfs_word_lists *lists;
	int rc;

	if (c->n_members > 0 || cfs_index_unpicked(c->index) != c->index)
		return CFS_OK;
	rc = cfs_crawl_words(c, &lists, ctx);
	if (rc == CFS_OK)
		rc = cfs_summary_words(j->summary, lists->v[0], j->print.top,
				       ctx);
	if (rc != CFS_ENOWORDS)
		return rc;
	cfs_error_clear(&j->err);
	return CFS_OK;
}

static int cmd_summary_json(struct summary_job *j)
{
	struct cfs_out_document d;

	cfs_out_document_begin(&d);
	cfs_summary_json(j->summary, &j->print, &d.j);
	return cfs_out_document_end(&d, CFS_OK, &j->err);
}

/* True if a file can be replaced by a page: it is not there, is empty, or is
 * such a page; or, with `force`, is any file but a device, a pipe or a link. */
static bool may_be_replaced(const char *path, bool force)
{
	static const char mark[] = CFS_SUMMARY_HTML_MARK;
	char begin[sizeof(mark)];
	bool is_ours = false;
	struct stat st;
	int fd;

	if (lstat(path, &st) != 0)
		return true;
	if (!S_ISREG(st.st_mode) || force)
		return S_ISREG(st.st_mode);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		size_t n = cfs_read_at(fd, begin, sizeof(mark) - 1, 0);

		is_ours = st.st_size == 0 || (n == sizeof(mark) - 1 &&
					      memcmp(begin, mark, n) == 0);
		close(fd);
	}
	return is_ours;
}

/* Prints the text, or prints or writes the page. */
static int cmd_summary_print(struct summary_job *j)
{
	const char *html = j->o->html;
	CFS_BUF(text, TEXT_MAX);
	int rc = CFS_OK;

	if (html != NULL)
		cfs_summary_html(j->summary, &j->print, &text);
	else
		cfs_summary_text(j->summary, &j->print, &text);
	if (text.failed != CFS_OK)
		rc = cfs_error_nomem(&j->err);
	else if (html != NULL && strcmp(html, "-") != 0)
		rc = cfs_file_replace(html, cfs_buf_slice(&text), 0666,
				      &j->err);
	else
		cfs_out_bytes(cfs_buf_slice(&text));
	return rc;
}

/* Refuses what would overwrite something, before anything is counted.  0 or the
 * exit status. */
static int check_html(const struct cfs_options *o)
{
	if (o->html == NULL)
		return CFS_EXIT_OK;
	if (strcmp(o->html, "-") == 0)
		return !o->is_json ? CFS_EXIT_OK :
		       cfs_cli_usage(o->command, "--json and --html=- would "
				     "both be standard output");
	return may_be_replaced(o->html, o->force) ? CFS_EXIT_OK :
	       cfs_cli_usage(o->command, "--html: '%.150s' is there, and is no "
			     "page that crawlfs summary made", o->html);
}

static int cmd_summary_run(struct cfs_options *o)
{
	struct summary_job j = { .o = o };
	struct cfs_crawl *crawl;
	int rc, status;

	status = check_html(o);
	if (status != CFS_EXIT_OK)
		return status;
	j.print.top = o->top;
	if (o->top == 0)
		j.print.top = o->is_json || o->html != NULL ? TOP_DOCUMENT :
							      TOP_TEXT;
	j.print.has_blocks = locale_is_utf8();
	status = cfs_cli_open_prefixed(&crawl, o, true);
	if (status != CFS_EXIT_OK)
		return status;
	cfs_cli_warn_of_damage(crawl);
	cfs_buf_init(&j.name, TEXT_MAX);
	cfs_location_show_list(&j.name, o->operands[0]);
	j.print.name = cfs_buf_str(&j.name);
	rc = cmd_summary_count(&j, crawl);
	if (rc == CFS_OK)
		rc = add_words(&j, crawl);
	if (rc == CFS_OK && j.summary->captures == 0)
		cfs_choices_log_all(crawl, cfs_cli_catch_signals());
	if (rc == CFS_OK && (!o->is_json || o->html != NULL))
		rc = cmd_summary_print(&j);
	if (rc == CFS_OK && o->is_json)
		rc = cmd_summary_json(&j);
	status = cfs_cli_end(rc, &j.err);
	cfs_summary_free(j.summary);
	cfs_suffixes_free(j.suffixes);
	cfs_buf_release(&j.name);
	return cfs_cli_close(crawl, status);
}

const struct cfs_command cfs_cmd_summary = {
	.name = "summary",
	.by = CFS_BY_SUMMARY,
	.summary = "count what a crawl contains: hosts, types, years, ...",
	.usage =
		"crawlfs summary SOURCE [PREFIX...]\n\n"
		"Counts captures, pages, hosts and bytes, by domain, host, type, status, language\n"
		"and year, and names the largest records.  It reads the index once, on all\n"
		"processors, and no archive.",
	.example = "  crawlfs summary crawl.cfx\n"
		   "  crawlfs summary crawl.cfx org.gnu --json\n",
	.operands = { "SOURCE" },
	.run = cmd_summary_run,
};
