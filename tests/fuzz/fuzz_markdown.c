/* fuzz_markdown.c - any bytes as a document: the .md and .main.txt views are
 * valid UTF-8, bounded by the document, the same each time and whether they are
 * made together; and .md of a page is without raw HTML.
 *
 * The first byte chooses the Content-Type.  The second look at what was written
 * knows of CommonMark no more than it needs to find HTML: code blocks and where
 * they end, code, escapes, and that autolinks of GFM (spec 6.9) go through both;
 * and of tables that no row has more cells than the head (spec 4.10).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "base/ascii.h"
#include "html/outline.h"
#include "view/doc.h"
#include "view/markdown.h"
#include "view/view.h"

/* Bytes that a page may become besides those that may be repeated: a character
 * of a single-byte set is three, and the shortest elements that become
 * something are <li> (999999999. and a blank) and <h6> ("###### " and an empty
 * line). */
#define GROWTH_MAX 12u
/* A title, an address, the first row of a table. */
#define FEW_BYTES ((size_t)64 << 10)

/* A code block that is open: the line that began it. */
struct fence {
	struct cfs_slice prefix;
	size_t ticks;		/* 0: none is open */
};

static void must(bool is_right)
{
	if (!is_right)
		abort();
}

static size_t ticks_at(struct cfs_slice s, size_t at)
{
	size_t n = at;

	while (n < s.n && s.p[n] == '`')
		n++;
	return n - at;
}

/* Bytes before the text of a line: of lists and quotes. */
static size_t prefix_of(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n && (s.p[n] == ' ' || s.p[n] == '>' || s.p[n] == '-' ||
			   s.p[n] == '*' || s.p[n] == '.' || s.p[n] == ')' ||
			   cfs_is_digit(s.p[n])))
		n++;
	return n;
}

/* A line in a code block: it must be in the lists and quotes that the block is
 * in.  Ends the block if the line does. */
static void look_at_code(struct fence *f, struct cfs_slice line)
{
	for (size_t i = 0; i < f->prefix.n; i++) {
		uint8_t want = f->prefix.p[i] == '>' ? '>' : ' ';

		/* blanks at the end of a line may be left out */
		must(i < line.n ? line.p[i] == want :
		     line.n < f->prefix.n && want == ' ');
	}
	line = cfs_slice_from(line, f->prefix.n);
	if (line.n == f->ticks && ticks_at(line, 0) == line.n)
		f->ticks = 0;
}

/* Do these bytes, up to the next white space, begin what GFM links? */
static bool is_address(struct cfs_slice s)
{
	return cfs_slice_starts_nocase(s, CFS_SLICE_LIT("http://")) ||
	       cfs_slice_starts_nocase(s, CFS_SLICE_LIT("https://")) ||
	       cfs_slice_starts_nocase(s, CFS_SLICE_LIT("ftp://")) ||
	       cfs_slice_starts_nocase(s, CFS_SLICE_LIT("www."));
}

/* The end of the code that begins at `at`. */
static size_t end_of_code(struct cfs_slice s, size_t at)
{
	size_t n = ticks_at(s, at), i = at + n;

	while (i < s.n && ticks_at(s, i) != n)
		i += ticks_at(s, i) + (s.p[i] != '`');
	must(i < s.n);
	return i + n;
}

static void look_at_text(struct cfs_slice s)
{
	bool is_linked = false;
	size_t end;

	for (size_t i = 0; i < s.n; i++) {
		is_linked = (is_linked && s.p[i] > ' ') ||
			    is_address(cfs_slice_from(s, i));
		switch (s.p[i]) {
		case '\\':
			i++;
			break;
		case '<':
			must(false);
			break;
		case '`':
			end = end_of_code(s, i);
			must(!is_linked || cfs_slice_find(cfs_slice_sub(s, i,
							  end - i), '<') < 0);
			i = end - 1;
			break;
		default:
			break;
		}
	}
}

/* True of a prefix in which a marker of a list is. */
static bool begins_item(struct cfs_slice prefix)
{
	for (size_t i = 0; i < prefix.n; i++)
		if (prefix.p[i] != ' ' && prefix.p[i] != '>')
			return true;
	return false;
}

/* The bars of a row that divide cells. */
static size_t bars_in(struct cfs_slice row)
{
	size_t n = 0;

	for (size_t i = 0; i < row.n; i++) {
		if (row.p[i] == '\\')
			i++;
		else
			n += row.p[i] == '|';
	}
	return n;
}

/* A line that begins with a bar, below `rows` others.  These are a table: the
 * second line has as many cells as the head, and no row has more. */
static void look_at_row(struct cfs_slice row, size_t rows, size_t *head)
{
	size_t bars = bars_in(row);

	if (rows == 0)
		*head = bars;
	else if (rows > 1)
		must(bars <= *head);
	for (size_t i = 0; rows == 1 && i < row.n; i++)
		must(row.p[i] == '|' || row.p[i] == ' ' || row.p[i] == '-');
	must(rows != 1 || bars == *head);
}

static void look(struct cfs_slice md)
{
	struct fence f = { .ticks = 0 };
	size_t rows = 0, head = 0;

	while (md.n > 0) {
		struct cfs_slice line = cfs_slice_split(&md, '\n');
		size_t at = prefix_of(line), ticks = ticks_at(line, at);

		if (f.ticks > 0) {
			look_at_code(&f, line);
		} else if (ticks >= 3 &&
			   cfs_slice_find(cfs_slice_from(line, at + ticks),
					  '`') < 0) {
			f.ticks = ticks;
			f.prefix = cfs_slice_sub(line, 0, at);
		} else {
			look_at_text(line);
		}
		if (begins_item(cfs_slice_sub(line, 0, at)))
			rows = 0;
		line = cfs_slice_from(line, at);
		if (f.ticks == 0 && line.n > 0 && line.p[0] == '|')
			look_at_row(line, rows++, &head);
		else
			rows = 0;
	}
	must(f.ticks == 0);
}

static void render(enum cfs_view view, const struct cfs_view_input *in,
		   struct cfs_buf *out)
{
	static const struct cfs_view_opts opts = { 0 };

	cfs_buf_init(out, CFS_VIEW_MAX_BYTES);
	must(cfs_view_render(view, in, &opts, out, CFS_CTX(NULL, NULL)) ==
	     CFS_OK);
}

/* Makes both views alone and together. */
static void render_all(const struct cfs_view_input *in, struct cfs_buf *out,
		       struct cfs_buf *plain, size_t most)
{
	struct cfs_buf again[2];

	render(CFS_VIEW_MARKDOWN, in, out);
	render(CFS_VIEW_MAIN, in, plain);
	cfs_buf_init(&again[0], CFS_VIEW_MAX_BYTES);
	cfs_buf_init(&again[1], CFS_VIEW_MAX_BYTES);
	must(cfs_view_main_forms(in, &again[0], &again[1],
				 CFS_CTX(NULL, NULL)) == CFS_OK);
	must(cfs_slice_eq(cfs_buf_slice(out), cfs_buf_slice(&again[0])));
	must(cfs_slice_eq(cfs_buf_slice(plain), cfs_buf_slice(&again[1])));
	must(cfs_utf8_is_valid(cfs_buf_slice(out)));
	must(cfs_utf8_is_valid(cfs_buf_slice(plain)));
	must(out->n <= most && plain->n <= most);
	cfs_buf_release(&again[0]);
	cfs_buf_release(&again[1]);
}

FUZZ_TARGET(data, size)
{
	static const char *const types[] = {
		"text/html; charset=utf-8", "text/html", "text/plain",
		"text/html; charset=iso-2022-jp", "application/rss+xml",
		"application/xhtml+xml", "text/html; charset=utf-16",
	};
	struct cfs_field field = { CFS_SLICE_LIT("Content-Type"),
				   CFS_SLICE_EMPTY };
	struct cfs_record r = { .format = CFS_ARCHIVE_WARC,
				.type = CFS_RECORD_RESPONSE, .has_http = true,
				.http = { &field, 1 },
				.url = CFS_SLICE_LIT("http://host/dir/page") };
	struct cfs_view_input in = { .record = &r };
	struct cfs_buf out, plain;
	struct cfs_doc doc;

	if (size == 0)
		return 0;
	field.value = cfs_slice_str(types[data[0] % 7u]);
	r.body = cfs_slice_of(data + 1, size - 1);
	render_all(&in, &out, &plain, GROWTH_MAX * size +
		   CFS_MD_REPEATED_BYTES + FEW_BYTES);
	cfs_doc_find(&in, &doc);
	if (doc.kind == CFS_DOC_HTML || doc.kind == CFS_DOC_FEED)
		look(cfs_buf_slice(&out));
	cfs_buf_release(&out);
	cfs_buf_release(&plain);
	return 0;
}
