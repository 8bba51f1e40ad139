/* page_lines.c - selects lines of a text and prints them as grep 3.8 does.
 *
 * Texts with a NUL are binary: of the lines behind it nothing is printed but
 * that they match, and each NUL ends a line.  grep reads 96 KiB at a time, and
 * prints the lines of what it read before the first NUL; so is it here, unless
 * a line before is so long that grep reads more at a time.  A line that is not
 * UTF-8 is not printed either.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "codec/json.h"

/* Bytes that grep reads at a time, and to which its buffer is aligned. */
#define READ_BYTES ((size_t)96 << 10)
#define READ_STEP ((size_t)4 << 10)
/* Output is passed on from so many bytes on. */
#define MORE_BYTES ((size_t)256 << 10)

#define COLOR_NAME "35"
#define COLOR_NUMBER "32"
#define COLOR_SEPARATOR "36"
#define COLOR_MATCH "01;31"

void cfs_page_lines_init(struct cfs_page_lines *p)
{
	cfs_buf_init(&p->copy, SIZE_MAX / 2);
	cfs_buf_init(&p->label, SIZE_MAX / 2);
}

void cfs_page_lines_release(struct cfs_page_lines *p)
{
	cfs_buf_release(&p->copy);
	cfs_buf_release(&p->label);
}

/* ---- the head of a line -------------------------------------------------- */

static void color_begin(struct cfs_page_lines *p, const char *color)
{
	if (p->opts->has_colors)
		cfs_buf_addf(p->out, "\33[%sm\33[K", color);
}

static void color_end(struct cfs_page_lines *p)
{
	if (p->opts->has_colors)
		cfs_buf_adds(p->out, "\33[m\33[K");
}

static void add_separator(struct cfs_page_lines *p, char c)
{
	color_begin(p, COLOR_SEPARATOR);
	cfs_buf_addc(p->out, (uint8_t)c);
	color_end(p);
}

/* Has the name of the text, or the members of JSON that stand for it. */
static int find_label(struct cfs_page_lines *p)
{
	int rc = CFS_OK;

	if (!p->has_label) {
		cfs_buf_reset(&p->label);
		rc = p->name(p->arg, &p->label, p->ctx.err);
		if (rc == CFS_OK && p->label.failed != CFS_OK)
			rc = cfs_error_nomem(p->ctx.err);
	}
	p->has_label = rc == CFS_OK;
	return rc;
}

static int add_name(struct cfs_page_lines *p)
{
	int rc = find_label(p);

	color_begin(p, COLOR_NAME);
	cfs_buf_add(p->out, cfs_buf_slice(&p->label));
	color_end(p);
	return rc;
}

/* Appends a number in front of a line. */
static void add_number(struct cfs_page_lines *p, uint64_t n, char separator)
{
	color_begin(p, COLOR_NUMBER);
	cfs_buf_addf(p->out, "%" PRIu64, n);
	color_end(p);
	add_separator(p, separator);
}

/* Counts the lines up to the one that begins at `at`. */
static void count_to(struct cfs_page_lines *p, size_t at)
{
	while (p->numbered < at) {
		const uint8_t *end = memchr(p->text.p + p->numbered, '\n',
					    at - p->numbered);

		if (end == NULL)
			break;
		p->numbered = (size_t)(end - p->text.p) + 1;
		p->number++;
	}
}

/* True, which is noted, if a part of the text must not be printed. */
static bool is_odd(struct cfs_page_lines *p, struct cfs_slice s)
{
	if (p->opts->binary == CFS_GREP_BINARY_TEXT || cfs_utf8_is_valid(s))
		return false;
	p->has_error_output = true;
	return true;
}

/* Appends what stands before a line, or a match in one, that begins at `at`. */
static int add_head(struct cfs_page_lines *p, size_t at, char separator)
{
	const struct cfs_page_lines_opts *o = p->opts;
	int rc = CFS_OK;

	if (!o->no_names) {
		rc = add_name(p);
		if (o->nul_after_names)
			cfs_buf_addc(p->out, 0);
		else
			add_separator(p, separator);
	}
	if (o->has_numbers) {
		count_to(p, at);
		add_number(p, p->number + 1, separator);
	}
	if (o->has_offsets)
		add_number(p, at, separator);
	return rc;
}

/* Appends a line, or a match in one, as an object of JSON. */
static int add_object(struct cfs_page_lines *p, size_t at, struct cfs_slice s,
		      char separator)
{
	int rc = find_label(p);
	struct cfs_json j;

	count_to(p, at);
	cfs_json_line_begin(&j, p->out);
	j.first = p->label.n == 0;
	cfs_buf_add(p->out, cfs_buf_slice(&p->label));
	cfs_json_put_uint(&j, "line", p->number + 1);
	cfs_json_put_uint(&j, "offset", at);
	if (separator != ':')
		cfs_json_put_true(&j, "context");
	cfs_json_put_ascii(&j, "text", s, CFS_JSON_ODD_REPLACED);
	cfs_json_line_end(&j);
	return rc;
}

/* ---- lines --------------------------------------------------------------- */

/* Appends a match by itself, for -o. */
static int add_match(struct cfs_page_lines *p, const size_t span[2])
{
	struct cfs_slice s = cfs_slice_sub(p->text, span[0],
					   span[1] - span[0]);
	int rc;

	if (is_odd(p, s))
		return CFS_END;
	if (p->opts->is_json)
		return add_object(p, span[0], s, ':');
	rc = add_head(p, span[0], ':');
	color_begin(p, COLOR_MATCH);
	cfs_buf_add(p->out, s);
	color_end(p);
	cfs_buf_addc(p->out, '\n');
	return rc;
}

/* Appends the matches of a line: alone, or with what is between them.
 *
 * done  set to where that ends */
static int add_matches(struct cfs_page_lines *p, const size_t line[2],
		       size_t *done)
{
	bool is_alone = p->opts->only_matching;
	size_t at = line[0], span[2], n;
	int rc = CFS_OK;

	*done = line[0];
	while (rc == CFS_OK && at < line[1]) {
		rc = cfs_matching_span(p->matching, line, at, span, p->ctx);
		if (rc != CFS_OK)
			break;
		at = span[1];
		if (span[1] == span[0]) {
			n = cfs_utf8_len(cfs_slice_from(p->text, at));
			at += n > 0 ? n : 1;
			continue;
		}
		if (is_alone) {
			rc = add_match(p, span);
			continue;
		}
		cfs_buf_add(p->out, cfs_slice_sub(p->text, *done,
						  span[0] - *done));
		color_begin(p, COLOR_MATCH);
		cfs_buf_add(p->out, cfs_slice_sub(p->text, span[0],
						  span[1] - span[0]));
		color_end(p);
		*done = span[1];
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* Prints a line; separator ':' if it is selected, '-' if it is context. */
static int print_line(struct cfs_page_lines *p, const size_t line[2],
		      char separator)
{
	const struct cfs_page_lines_opts *o = p->opts;
	struct cfs_slice s = cfs_slice_sub(p->text, line[0],
					   line[1] - line[0] - 1);
	bool is_match = (separator == ':') != o->inverts;
	size_t done = line[0];
	int rc = CFS_OK;

	if (!o->only_matching) {
		if (is_odd(p, s))
			return CFS_OK;
		rc = o->is_json ? add_object(p, line[0], s, separator) :
				  add_head(p, line[0], separator);
	}
	if (rc == CFS_OK && is_match &&
	    (o->only_matching || (o->has_colors && !o->is_json)))
		rc = add_matches(p, line, &done);
	if (!o->only_matching && !o->is_json)
		cfs_buf_add(p->out, cfs_slice_sub(p->text, done,
						  line[1] - done));
	p->last_out = line[1];
	p->has_last = true;
	if (rc == CFS_OK && p->out->failed != CFS_OK)
		rc = cfs_error_nomem(p->ctx.err);
	if (rc == CFS_OK && p->out->n > MORE_BYTES)
		rc = p->more(p->arg, p->ctx.err);
	return rc;
}

/* The end of the line that begins at `at`. */
static size_t line_end(const struct cfs_page_lines *p, size_t at)
{
	const uint8_t *end = memchr(p->text.p + at, '\n', p->text.n - at);

	return (size_t)(end - p->text.p) + 1;
}

/* Prints the lines behind the last group that belong to it, before `to`. */
static int print_pending(struct cfs_page_lines *p, size_t to)
{
	int rc = CFS_OK;

	if (!p->has_last) {
		p->last_out = p->begin;
		p->has_last = true;
	}
	for (; rc == CFS_OK && p->pending > 0 && p->last_out < to;
	     p->pending--) {
		size_t line[2] = { p->last_out, line_end(p, p->last_out) };

		rc = print_line(p, line, '-');
		if (p->last_out != line[1]) {
			p->pending = 0;	/* it was odd */
			break;
		}
	}
	return rc;
}

/* Prints the separator of groups, and the lines before a group that belong to
 * it; the group begins at `at`. */
static int print_before(struct cfs_page_lines *p, size_t at)
{
	const struct cfs_page_lines_opts *o = p->opts;
	size_t least = p->has_last ? p->last_out : p->begin;
	size_t from = at;
	int rc = CFS_OK;

	for (int64_t i = 0; i < o->before && from > least; i++) {
		const uint8_t *end = memrchr(p->text.p, '\n', from - 1);

		from = end == NULL ? 0 : (size_t)(end - p->text.p) + 1;
	}
	if ((o->before >= 0 || o->after >= 0) && o->separator != NULL &&
	    !o->is_json && (!p->has_last || from != p->last_out)) {
		if (!p->has_groups) {
			p->begins_group = true;
		} else {
			color_begin(p, COLOR_SEPARATOR);
			cfs_buf_adds(p->out, o->separator);
			color_end(p);
			cfs_buf_addc(p->out, '\n');
		}
	}
	while (rc == CFS_OK && from < at) {
		size_t line[2] = { from, line_end(p, from) };

		rc = print_line(p, line, '-');
		from = line[1];
	}
	return rc;
}

/* Prints the selected lines from one place to another. */
static int print_selected(struct cfs_page_lines *p, size_t from, size_t to)
{
	int rc = CFS_OK;

	if (!p->is_silent && p->pending > 0)
		rc = print_pending(p, from);
	if (rc == CFS_OK && !p->is_silent)
		rc = print_before(p, from);
	while (rc == CFS_OK && from < to && p->left > 0) {
		size_t line[2] = { from, line_end(p, from) };

		if (!p->is_silent)
			rc = print_line(p, line, ':');
		from = line[1];
		p->left--;
		p->lines++;
		if (p->stops_at_first)
			break;
	}
	p->pending = p->is_silent || p->opts->after < 0 ?
		     0 : (uint64_t)p->opts->after;
	p->has_groups = true;
	return rc;
}

/* ---- texts --------------------------------------------------------------- */

/* Searches p->text from p->begin on. */
static int search_part(struct cfs_page_lines *p)
{
	size_t at = p->begin, line[2] = { 0, 0 };
	int rc = CFS_OK;

	cfs_matching_begin(p->matching, p->text);
	while (rc == CFS_OK && at < p->text.n && p->left > 0 &&
	       !(p->stops_at_first && p->lines > 0)) {
		rc = cfs_matching_line(p->matching, at, line, p->ctx);
		if (rc == CFS_END) {
			line[0] = line[1] = p->text.n;
			rc = CFS_OK;
		}
		if (rc != CFS_OK)
			break;
		if (p->opts->inverts && at < line[0])
			rc = print_selected(p, at, line[0]);
		else if (!p->opts->inverts && line[0] < p->text.n)
			rc = print_selected(p, line[0], line[1]);
		at = line[1];
	}
	if (rc == CFS_OK && p->pending > 0)
		rc = print_pending(p, p->text.n);
	return rc;
}

/* Where the lines end that grep has searched before it reads the first NUL:
 * SIZE_MAX, if there is none. */
static size_t text_before_nul(struct cfs_slice text)
{
	size_t done = 0, read = 0;
	const uint8_t *nul = memchr(text.p, 0, text.n);

	if (nul == NULL)
		return SIZE_MAX;
	for (;;) {
		size_t room = READ_BYTES + READ_STEP, left = read - done + 1;
		const uint8_t *end;

		left += (READ_STEP - left % READ_STEP) % READ_STEP;
		while (room < left + READ_STEP)
			room += READ_BYTES;
		read += room - left;
		if ((size_t)(nul - text.p) < read)
			return done;
		end = memrchr(text.p + done, '\n', read - done);
		if (end != NULL)
			done = (size_t)(end - text.p) + 1;
	}
}

/* Makes p->text the text with a line end behind its last line, and line ends
 * for its NULs from `nuls` on. */
static int set_text(struct cfs_page_lines *p, struct cfs_slice text,
		    size_t nuls)
{
	p->text = text;
	if (nuls == SIZE_MAX && (text.n == 0 || text.p[text.n - 1] == '\n'))
		return CFS_OK;
	cfs_buf_reset(&p->copy);
	cfs_buf_add(&p->copy, text);
	if (text.p[text.n - 1] != '\n')
		cfs_buf_addc(&p->copy, '\n');
	if (p->copy.failed != CFS_OK)
		return cfs_error_nomem(p->ctx.err);
	for (size_t i = nuls; i < p->copy.n; i++)
		if (p->copy.p[i] == 0)
			p->copy.p[i] = '\n';
	p->text = cfs_buf_slice(&p->copy);
	return CFS_OK;
}

/* Searches what is before the first NUL, and then the rest. */
static int search_parts(struct cfs_page_lines *p, size_t nuls)
{
	size_t end = p->text.n;
	bool is_binary = nuls < end;
	uint64_t before;
	int rc;

	if (!is_binary)
		return search_part(p);
	p->text.n = nuls;
	rc = search_part(p);
	p->text.n = end;
	if (rc != CFS_OK || (p->stops_at_first && p->lines > 0) ||
	    p->opts->binary == CFS_GREP_BINARY_SKIP)
		return rc;
	p->begin = nuls;
	before = p->lines;
	p->lines = 0;
	p->pending = 0;
	if (!p->opts->counts)
		p->stops_at_first = p->is_silent = true;
	rc = search_part(p);
	p->is_binary = p->lines > 0;
	p->lines += before;
	return rc;
}

/* Prints the number of lines, or the name, for -c, -l and -L. */
static int print_result(struct cfs_page_lines *p)
{
	const struct cfs_page_lines_opts *o = p->opts;
	bool is_listed = o->list == (p->lines > 0 ? CFS_GREP_LIST_WITH :
						    CFS_GREP_LIST_WITHOUT);
	bool counts = o->counts && o->list == CFS_GREP_LIST_NONE;
	struct cfs_json j;
	int rc;

	if (o->is_quiet || (!counts && !is_listed))
		return CFS_OK;
	if (o->is_json) {
		rc = find_label(p);
		cfs_json_line_begin(&j, p->out);
		j.first = p->label.n == 0;
		cfs_buf_add(p->out, cfs_buf_slice(&p->label));
		if (counts)
			cfs_json_put_uint(&j, "count", p->lines);
		cfs_json_line_end(&j);
		return rc;
	}
	rc = counts && o->no_names ? CFS_OK : add_name(p);
	if (counts) {
		if (o->nul_after_names && !o->no_names)
			cfs_buf_addc(p->out, 0);
		else if (!o->no_names)
			add_separator(p, ':');
		cfs_buf_addf(p->out, "%" PRIu64, p->lines);
	}
	cfs_buf_addc(p->out, counts || !o->nul_after_names ? '\n' : 0);
	return rc;
}

int cfs_page_lines_search(struct cfs_page_lines *p, struct cfs_slice text,
			  struct cfs_ctx ctx)
{
	const struct cfs_page_lines_opts *o = p->opts;
	bool lists = o->list != CFS_GREP_LIST_NONE || o->is_quiet;
	size_t nuls = SIZE_MAX;
	int rc;

	p->ctx = ctx;
	p->lines = p->number = p->pending = 0;
	p->is_binary = p->begins_group = p->has_groups = false;
	p->has_label = p->has_last = p->has_error_output = false;
	p->begin = p->last_out = p->numbered = 0;
	p->left = o->max_count;
	p->stops_at_first = lists;
	p->is_silent = lists || o->counts;
	if (o->binary != CFS_GREP_BINARY_TEXT)
		nuls = text_before_nul(text);
	if (o->binary == CFS_GREP_BINARY_SKIP && nuls == 0)
		return print_result(p);
	rc = set_text(p, text, nuls);
	if (rc == CFS_OK)
		rc = search_parts(p, nuls);
	p->is_binary = !lists && !o->counts &&
		       o->binary != CFS_GREP_BINARY_SKIP &&
		       (p->is_binary || p->has_error_output);
	if (rc == CFS_OK)
		rc = print_result(p);
	if (rc == CFS_OK && p->out->failed != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	return rc;
}
