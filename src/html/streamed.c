/* streamed.c - puts the segments of a streamed page where they belong.
 *
 * A server that renders with React sends what is ready late behind the page, in
 * hidden elements (segments), and a script that moves it to its place, at which
 * a <template> stands, with something to look at meanwhile.  This is what
 * react-dom's server writes (its functions $RC and $RS):
 *
 *     <!--$?--><template id="B:0"></template>Loading...<!--/$-->
 *     <template id="P:1"></template>
 *     <div hidden id="S:0">...</div><script>...$RC("B:0","S:0")</script>
 *     <div hidden id="S:1">...</div><script>...$RS("S:1","P:1")</script>
 *
 * $RC fills a boundary, which ends with the comment that belongs to the one
 * before it; $RS fills a place.  Segments may have boundaries and places.  What
 * belongs into a table is sent as one, hidden as a whole:
 *
 *     <table hidden><tbody id="S:2"><tr>...</tr></tbody></table>
 *
 * All ids may have a prefix that the site has chosen ("app-S:2").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "outline.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

/* The most templates, and the most segments, of a page; later ones stay. */
#define STREAMED_MAX 1024u
#define ID_BYTES 32u		/* longer names of segments are not looked at */

/* A stretch of the page that is not copied where it lies. */
struct streamed {
	size_t from, to;		/* all of it */
	size_t inner, inner_to;		/* of a segment: what it has */
	char id[ID_BYTES];
	size_t kind_at;			/* where the B, P or S is in it */
	enum cfs_html_tag tag;
	uint32_t segment;		/* of a place: its segment's number + 1;
					 * 0: none */
	bool is_segment;
	bool is_moved;			/* of a segment: it has a place */
};

struct streams {
	struct cfs_html_tokenizer t;
	struct streamed v[2 * STREAMED_MAX];	/* by `from` */
	uint32_t n;
	/* Segments that are open, one inside another. */
	uint32_t open[STREAMED_MAX];
	uint32_t open_depth[STREAMED_MAX];	/* of the same element inside */
	uint32_t n_open;
	/* Boundaries whose end has not come: the comments that are open, and
	 * at each depth the boundary + 1. */
	uint32_t boundary[STREAMED_MAX];
	uint32_t depth;
	uint32_t n_calls;	/* of the functions that move */
	uint32_t foreign;	/* open <svg> and <math>: no tag in them begins
				 * text of another kind */
};

/* The first element of that name, or NULL. */
static struct streamed *find(struct streams *s, struct cfs_slice id)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (cfs_slice_eq(cfs_slice_str(s->v[i].id), id))
			return &s->v[i];
	return NULL;
}

/* Where the letter of an id is that React makes: behind a prefix, and before a
 * colon and a number.  -1: it is none. */
static ptrdiff_t find_kind(struct cfs_slice id)
{
	size_t n = id.n;

	while (n > 0 && cfs_is_xdigit(id.p[n - 1]))
		n--;
	return n < 2 || n == id.n || id.p[n - 1] != ':' ? -1 : (ptrdiff_t)n - 2;
}

/* Adds what begins with the tag at `from`, if its id is one of React's with a
 * letter of `kinds`. */
static struct streamed *add(struct streams *s, const char *kinds, size_t from)
{
	struct streamed *x = &s->v[s->n];
	struct cfs_slice id;
	ptrdiff_t at;

	if (s->n == 2 * STREAMED_MAX ||
	    !cfs_html_attr_find(&s->t.token, CFS_SLICE_LIT("id"), &id) ||
	    id.n >= ID_BYTES)
		return NULL;
	at = find_kind(id);
	if (at < 0 || strchr(kinds, id.p[at]) == NULL)
		return NULL;
	*x = (struct streamed){ .from = from, .to = s->t.at,
				.inner = s->t.at, .tag = s->t.token.tag,
				.kind_at = (size_t)at };
	memcpy(x->id, id.p, id.n);
	s->n++;
	return x;
}

/* True of the start tag of an element that may have a segment: one that is
 * hidden itself, or a part of a table that is. */
static bool may_have_segment(const struct cfs_html_token *token)
{
	struct cfs_slice v;

	switch (token->tag) {
	case CFS_TAG_DIV: case CFS_TAG_TABLE:
		return cfs_html_attr_find(token, CFS_SLICE_LIT("hidden"), &v);
	case CFS_TAG_TBODY: case CFS_TAG_TR:
		return true;
	default:
		return false;
	}
}

/* The innermost open segment, or NULL. */
static struct streamed *innermost(struct streams *s)
{
	return s->n_open > 0 ? &s->v[s->open[s->n_open - 1]] : NULL;
}

static bool is_foreign(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_SVG || tag == CFS_TAG_MATH;
}

static void on_start(struct streams *s, size_t from)
{
	const struct streamed *segment = innermost(s);

	if (s->t.token.tag == CFS_TAG_TEMPLATE) {
		struct streamed *x = add(s, "BP", from);

		if (x != NULL && x->id[x->kind_at] == 'B' && s->depth > 0 &&
		    s->depth <= STREAMED_MAX &&
		    s->boundary[s->depth - 1] == 0)
			s->boundary[s->depth - 1] = s->n;
	} else if (s->n_open < STREAMED_MAX && may_have_segment(&s->t.token) &&
		   add(s, "S", from) != NULL) {
		s->v[s->n - 1].is_segment = true;
		s->open[s->n_open] = s->n - 1;
		s->open_depth[s->n_open++] = 0;
	} else if (segment != NULL && segment->tag == s->t.token.tag) {
		s->open_depth[s->n_open - 1]++;
	}
	if (is_foreign(s->t.token.tag) && !s->t.token.is_self_closing)
		s->foreign++;
	s->t.allow_cdata = s->foreign > 0;
	if (s->foreign == 0)
		cfs_html_follow(&s->t, s->t.token.tag);
}

static void on_end(struct streams *s, size_t from)
{
	struct streamed *last = s->n > 0 ? &s->v[s->n - 1] : NULL;
	struct streamed *segment = innermost(s);

	if (is_foreign(s->t.token.tag) && s->foreign > 0)
		s->foreign--;
	s->t.allow_cdata = s->foreign > 0;
	if (s->t.token.tag == CFS_TAG_TEMPLATE && last != NULL &&
	    !last->is_segment && last->to == from)
		last->to = s->t.at;
	if (segment == NULL || segment->tag != s->t.token.tag)
		return;
	if (s->open_depth[s->n_open - 1] > 0) {
		s->open_depth[s->n_open - 1]--;
	} else {
		s->n_open--;
		segment->inner_to = from;
		segment->to = s->t.at;
	}
}

/* Comments of React: $, $?, $! and $~ begin a boundary, /$ ends it. */
static void on_comment(struct streams *s, size_t from)
{
	struct cfs_slice c = s->t.token.text;

	if (cfs_slice_eq(c, CFS_SLICE_LIT("/$")) && s->depth > 0) {
		s->depth--;
		if (s->depth < STREAMED_MAX && s->boundary[s->depth] > 0)
			s->v[s->boundary[s->depth] - 1].to = from;
	} else if (c.n > 0 && c.n <= 2 && c.p[0] == '$') {
		if (s->depth < STREAMED_MAX)
			s->boundary[s->depth] = 0;
		s->depth++;
	}
}

/* Takes a quoted name from the front of a script. */
static bool take_id(struct cfs_slice *script, struct cfs_slice *id)
{
	uint8_t quote = script->n > 0 ? script->p[0] : 0;
	ptrdiff_t end;

	if (quote != '"' && quote != '\'')
		return false;
	*script = cfs_slice_from(*script, 1);
	end = cfs_slice_find(*script, quote);
	if (end < 0 || end >= (ptrdiff_t)ID_BYTES)
		return false;
	*id = cfs_slice_sub(*script, 0, (size_t)end);
	*script = cfs_slice_from(*script, (size_t)end + 1);
	return true;
}

/* Gives the place a segment, if both are there and the segment has none. */
static void join(struct streams *s, struct cfs_slice place,
		 struct cfs_slice segment)
{
	struct streamed *to = find(s, place), *from = find(s, segment);

	if (to == NULL || from == NULL || to->is_segment ||
	    !from->is_segment || from->inner_to == 0 || from->is_moved ||
	    to->segment > 0)
		return;
	to->segment = (uint32_t)(from - s->v) + 1;
	from->is_moved = true;
}

/* $RC("B:0","S:0"); $RR is the same with style sheets; $RS("S:1","P:1"). */
static void on_script(struct streams *s, struct cfs_slice script)
{
	for (;;) {
		ptrdiff_t at = cfs_slice_find(script, '$');
		struct cfs_slice a, b;
		uint8_t kind;

		if (at < 0 || script.n - (size_t)at < 4 ||
		    s->n_calls == 2 * STREAMED_MAX)
			return;
		script = cfs_slice_from(script, (size_t)at + 1);
		kind = script.p[1];
		if (script.p[0] != 'R' || script.p[2] != '(')
			continue;
		script = cfs_slice_from(script, 3);
		if (!take_id(&script, &a) || script.n == 0 ||
		    script.p[0] != ',')
			continue;
		script = cfs_slice_from(script, 1);
		if (!take_id(&script, &b))
			continue;
		s->n_calls++;
		if (kind == 'C' || kind == 'R')
			join(s, a, b);
		else if (kind == 'S')
			join(s, b, a);
	}
}

/* A place and its segment have the same number: so they are found in a page
 * whose scripts were left out or are elsewhere. */
static void join_by_number(struct streams *s)
{
	char segment[ID_BYTES];

	for (uint32_t i = 0; i < s->n; i++) {
		memcpy(segment, s->v[i].id, ID_BYTES);
		segment[s->v[i].kind_at] = 'S';
		if (!s->v[i].is_segment)
			join(s, cfs_slice_str(s->v[i].id),
			     cfs_slice_str(segment));
	}
}

static void read_page(struct streams *s, struct cfs_slice utf8)
{
	const struct cfs_html_token *token = &s->t.token;
	bool in_script = false;

	cfs_html_begin(&s->t, utf8);
	for (;;) {
		size_t from = s->t.at;

		cfs_html_next(&s->t);
		switch (token->type) {
		case CFS_HTML_EOF:
			return;
		case CFS_HTML_START:
			in_script = token->tag == CFS_TAG_SCRIPT;
			on_start(s, from);
			break;
		case CFS_HTML_END:
			in_script = false;
			on_end(s, from);
			break;
		case CFS_HTML_COMMENT:
			on_comment(s, from);
			break;
		case CFS_HTML_TEXT:
			if (in_script)
				on_script(s, token->text);
			break;
		default:
			break;
		}
	}
}

/* A stretch of the page that is being written. */
struct unwritten {
	size_t at, to;
	uint32_t next;		/* the first of `streamed` at or behind `at` */
};

/* The first of `streamed` at or behind a place. */
static uint32_t first_at(const struct streams *s, size_t at)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->v[middle].from < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Writes up to the next place or moved segment, and steps over it.  Returns
 * what is written in its place; `at` == `to`: nothing. */
static struct unwritten step(const struct streams *s, struct cfs_slice utf8,
			   struct unwritten *w, struct cfs_buf *out)
{
	struct unwritten inside = { 0, 0, 0 };
	const struct streamed *x;
	size_t end = w->to;

	while (w->next < s->n && !s->v[w->next].is_moved &&
	       s->v[w->next].segment == 0)
		w->next++;
	x = &s->v[w->next];
	if (w->next < s->n && x->from < w->to)
		end = x->from;
	if (end > w->at)
		cfs_buf_append(out, utf8.p + w->at, end - w->at);
	w->at = end;
	if (end == w->to || w->next >= s->n || x->from != end)
		return inside;
	w->at = x->to < w->to ? x->to : w->to;
	w->next = first_at(s, w->at);
	if (x->segment > 0) {
		const struct streamed *segment = &s->v[x->segment - 1];

		inside.at = segment->inner;
		inside.to = segment->inner_to;
		inside.next = first_at(s, inside.at);
	}
	return inside;
}

/* Each segment has one place at most, and so is written at most once. */
static int write_page(const struct streams *s, struct cfs_slice utf8,
		      struct cfs_buf *out, struct cfs_error *err)
{
	struct unwritten *stack = calloc((size_t)s->n + 1, sizeof(*stack));
	uint32_t n = 1;

	if (stack == NULL)
		return cfs_error_nomem(err);
	stack[0].to = utf8.n;
	while (n > 0) {
		struct unwritten *w = &stack[n - 1];
		struct unwritten inside;

		if (w->at >= w->to) {
			n--;
			continue;
		}
		inside = step(s, utf8, w, out);
		if (inside.at < inside.to && n <= s->n)
			stack[n++] = inside;
	}
	free(stack);
	return CFS_OK;
}

/* Looks for `S:`, a number, and `id=` not far before it.  Nearly all pages have
 * none, and few have many an S: to search for the letter alone costs a tenth of
 * a search for all of it. */
static bool has_segments(struct cfs_slice utf8)
{
	struct cfs_slice rest = utf8, before;
	ptrdiff_t at;

	while ((at = cfs_slice_find(rest, 'S')) >= 0) {
		size_t from = (size_t)(rest.p - utf8.p) + (size_t)at;

		rest = cfs_slice_from(rest, (size_t)at + 1);
		if (rest.n < 2 || rest.p[0] != ':' || !cfs_is_xdigit(rest.p[1]))
			continue;
		before = cfs_slice_sub(utf8, 0, from);
		if (from > ID_BYTES)
			before = cfs_slice_from(before, from - ID_BYTES);
		if (cfs_slice_search(before, CFS_SLICE_LIT("id=")) >= 0)
			return true;
	}
	return false;
}

int cfs_html_unstream(struct cfs_slice utf8, struct cfs_buf *out, bool *moved,
		      struct cfs_error *err)
{
	struct streams *s;
	int rc = CFS_OK;

	*moved = false;
	if (!has_segments(utf8))
		return CFS_OK;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return cfs_error_nomem(err);
	read_page(s, utf8);
	if (s->n_calls == 0)
		join_by_number(s);
	for (uint32_t i = 0; i < s->n; i++)
		*moved |= s->v[i].is_moved;
	if (*moved)
		rc = write_page(s, utf8, out, err);
	free(s);
	return rc;
}
