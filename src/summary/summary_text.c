/* summary_text.c - a summary as text for a terminal (see summary_print.h).
 *
 *     columns   2 to 31 key, 34 to 47 captures, 49 to 54 share, 57 to 80 bar
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "summary_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "base/utf8.h"

#define KEY_COLUMNS 31u
#define BAR_COLUMNS 24u
#define URL_COLUMNS 66u
#define EIGHTHS 8u
/* An escaped key: bytes that are not text need four columns each. */
#define ESCAPED_MAX ((size_t)4 * CFS_KEY_MAX)

/* ---- columns ------------------------------------------------------------- */

/* The part of a text from its n-th character on, or before it. */
static struct cfs_slice text_cut(struct cfs_slice s, size_t n, bool from)
{
	size_t i = 0;

	for (size_t seen = 0; i < s.n; i++) {
		if ((s.p[i] & 0xc0) != 0x80 && seen++ == n)
			break;
	}
	return from ? cfs_slice_from(s, i) : cfs_slice_sub(s, 0, i);
}

/* Appends a text of at most n columns, with "..." for what is left out: at the
 * beginning, where the end says more, else at the end.  Fills them up if
 * `pads`. */
static void add_columns(struct cfs_buf *out, struct cfs_slice raw, size_t n,
			bool keeps_end, bool pads)
{
	CFS_BUF(text, ESCAPED_MAX);
	struct cfs_slice s;
	size_t columns;

	cfs_text_escape(&text, raw);
	s = cfs_buf_slice(&text);
	columns = cfs_utf8_chars(s);
	if (columns <= n) {
		cfs_buf_add(out, s);
	} else if (keeps_end) {
		cfs_buf_adds(out, "...");
		cfs_buf_add(out, text_cut(s, columns - (n - 3), true));
	} else {
		cfs_buf_add(out, text_cut(s, n - 3, false));
		cfs_buf_adds(out, "...");
	}
	for (; pads && columns < n; columns++)
		cfs_buf_addc(out, ' ');
}

static void text_bar(struct cfs_buf *out, double fraction, bool has_blocks)
{
	static const char *const parts[EIGHTHS] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a",
		"\u2589" };
	unsigned n = (unsigned)(fraction * BAR_COLUMNS * EIGHTHS + 0.5);

	if (n == 0)
		n = 1;			/* there is something */
	if (!has_blocks) {
		for (n = (n + EIGHTHS - 1) / EIGHTHS; n > 0; n--)
			cfs_buf_addc(out, '#');
		return;
	}
	for (; n >= EIGHTHS; n -= EIGHTHS)
		cfs_buf_adds(out, "\u2588");
	cfs_buf_adds(out, parts[n]);
}

/* ---- rows ---------------------------------------------------------------- */

static void text_row(struct cfs_buf *out, const struct cfs_summary *s,
		     const struct cfs_summary_row *row, uint64_t most,
		     bool keeps_end,
		     const struct cfs_summary_print_opts *opts)
{
	char figure[CFS_TEXT_FIGURE_BYTES];

	cfs_buf_adds(out, "  ");
	add_columns(out, row->key, KEY_COLUMNS, keeps_end, true);
	cfs_buf_addf(out, "%14s%c%5.1f%%  ",
		     cfs_text_figure(row->captures, figure),
		     row->lacks > 0 ? '+' : ' ',
		     100 * (double)row->captures / (double)s->captures);
	text_bar(out, (double)row->captures / (double)most, opts->has_blocks);
	cfs_buf_addc(out, '\n');
}

static void text_rest(struct cfs_buf *out, const struct cfs_summary_group *g,
		      size_t shown)
{
	char figure[CFS_TEXT_FIGURE_BYTES];

	if (g->keys > shown)
		cfs_buf_addf(out, "  and %s more\n",
			     cfs_text_figure(g->keys - shown, figure));
	if (g->lacks > 0)
		cfs_buf_addf(out, "  too many to count all: what has less than "
			     "%s captures may be missing,\n  and + are at "
			     "least so many\n",
			     cfs_text_figure(g->lacks + 1, figure));
}

static bool is_unknown(const struct cfs_summary_group *g)
{
	return g->keys == 1 && g->n == 1 &&
	       cfs_slice_eq(g->v[0].key, CFS_SUMMARY_UNKNOWN);
}

/* The first rows of a group, as many as `top` says. */
static void text_group(struct cfs_buf *out, const struct cfs_summary *s,
		       const struct cfs_summary_group *g, const char *name,
		       size_t top, bool keeps_end,
		       const struct cfs_summary_print_opts *opts)
{
	size_t shown = g->n < top ? g->n : top;
	uint64_t most = 1;

	for (size_t i = 0; i < shown; i++)
		if (g->v[i].captures > most)
			most = g->v[i].captures;
	cfs_buf_addf(out, "\nBy %s\n", name);
	if (is_unknown(g)) {
		cfs_buf_addf(out, "  none is known%s\n",
			     g == &s->by[CFS_SUMMARY_LANGUAGE] ?
			     ": 'crawlfs index --languages' finds them" : "");
		return;
	}
	for (size_t i = 0; i < shown; i++)
		text_row(out, s, &g->v[i], most, keeps_end, opts);
	text_rest(out, g, shown);
}

static void text_groups(struct cfs_buf *out, const struct cfs_summary *s,
			const struct cfs_summary_print_opts *opts)
{
	for (unsigned by = 0; by < CFS_SUMMARY_BYS; by++)
		text_group(out, s, &s->by[by], cfs_summary_by_name(by),
			   by == CFS_SUMMARY_YEAR ? SIZE_MAX : opts->top,
			   by == CFS_SUMMARY_DOMAIN || by == CFS_SUMMARY_HOST,
			   opts);
	if (s->words.keys > 0)
		text_group(out, s, &s->words, "word", opts->top, false, opts);
}

static void text_largest(struct cfs_buf *out, const struct cfs_summary *s,
			 const struct cfs_summary_print_opts *opts)
{
	char size[CFS_TEXT_SIZE_BYTES];

	if (s->n_largest > 0)
		cfs_buf_adds(out, "\nLargest records\n");
	for (size_t i = 0; i < s->n_largest && i < opts->top; i++) {
		const struct cfs_summary_record *r = &s->largest[i];

		cfs_buf_addf(out, "  %9s  ", cfs_text_size((double)r->bytes,
							    size));
		add_columns(out, r->url, URL_COLUMNS, false, false);
		cfs_buf_addc(out, '\n');
	}
}

/* ---- totals -------------------------------------------------------------- */

static void text_total(struct cfs_buf *out, const char *name, uint64_t n,
		       const char *note)
{
	char figure[CFS_TEXT_FIGURE_BYTES];

	cfs_buf_addf(out, "  %-9s%20s%s%s\n", name, cfs_text_figure(n, figure),
		     note[0] != '\0' ? "  " : "", note);
}

static void text_bytes(struct cfs_buf *out, const char *name, uint64_t bytes,
		       uint64_t of, const char *note)
{
	char size[CFS_TEXT_SIZE_BYTES], figure[CFS_TEXT_FIGURE_BYTES];

	cfs_buf_addf(out, "  %-9s%20s", name, cfs_text_size((double)bytes,
							     size));
	if (of > 0)
		cfs_buf_addf(out, "  %s%s", cfs_text_figure(of, figure), note);
	cfs_buf_addc(out, '\n');
}

static void text_totals(struct cfs_buf *out, const struct cfs_summary *s)
{
	char times[64] = "", rule[80], date[CFS_TIME_ISO_BYTES];
	char last[CFS_TIME_ISO_BYTES];

	if (s->first != 0) {
		cfs_time_format_iso(s->first, date);
		cfs_time_format_iso(s->last, last);
		snprintf(times, sizeof(times), "%.10s to %.10s", date, last);
	}
	snprintf(rule, sizeof(rule), "by a plain rule: no public suffix "
		 "list");
	if (s->has_suffixes)
		snprintf(rule, sizeof(rule), "public suffix list of %.10s",
			 cfs_time_format_iso(s->suffixes_time, date));
	text_total(out, "captures", s->captures, times);
	text_total(out, "pages", s->pages, "");
	text_total(out, "hosts", s->hosts,
		   s->strips_www ? "without their 'www.'" : "");
	text_total(out, "domains", s->domains, rule);
	if (s->words.keys > 0)
		text_total(out, "words", s->words.keys, "of all texts");
	text_bytes(out, "stored", s->bytes, s->without_bytes,
		   " captures are of unknown length");
	if (s->bodies > 0)
		text_bytes(out, "served", s->body_bytes, s->bodies,
			   " captures have their size in the index");
}

void cfs_summary_text(const struct cfs_summary *s,
		      const struct cfs_summary_print_opts *opts,
		      struct cfs_buf *out)
{
	add_columns(out, cfs_slice_str(opts->name), 80, true, false);
	cfs_buf_addc(out, '\n');
	text_totals(out, s);
	if (s->captures > 0)
		text_groups(out, s, opts);
	text_largest(out, s, opts);
}
