/* outline_stack.c - keeps the stack of open elements, and sends the events of
 * their starts and ends (see outline_internal.h).
 *
 * Elements that the sink refused are pushed too, without events, so that the
 * same rules find their ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "outline_internal.h"

void cfs_outline_init(struct cfs_outline *o, const struct cfs_html_sink *sink)
{
	o->sink = sink;
	o->n_open = o->n_links = o->n_hidden = o->overflow = 0;
	o->drop_lf = false;
	memset(o->n_of, 0, sizeof(o->n_of));
	cfs_buf_init(&o->decoded, CFS_HTML_VALUE_MAX * 6 + 64);
}

bool cfs_outline_is_marked_off(const struct cfs_outline *o, unsigned depth)
{
	for (unsigned i = o->n_open; i > depth; i--)
		if (o->open[i - 1].is_html &&
		    (cfs_html_tag_flags(o->open[i - 1].tag) &
		     CFS_TAG_IS_MARKER))
			return true;
	return false;
}

/* Sends a start event.  False if the sink refuses the element. */
static bool send_start(struct cfs_outline *o, enum cfs_html_tag tag,
		       bool is_html)
{
	struct cfs_html_el el = { tag, is_html, &o->tokens.token, &o->decoded };

	return o->sink->start(o->sink->arg, &el);
}

static void send_end(struct cfs_outline *o, enum cfs_html_tag tag, bool is_html)
{
	struct cfs_html_el el = { tag, is_html, NULL, NULL };

	o->sink->end(o->sink->arg, &el);
}

void cfs_outline_push(struct cfs_outline *o, enum cfs_html_tag tag,
		      bool is_html, bool is_point, bool has_content)
{
	bool is_silent = o->n_hidden > 0;
	bool is_hidden = !is_silent && !send_start(o, tag, is_html);

	if (has_content && o->n_open < CFS_HTML_DEPTH_MAX) {
		o->open[o->n_open++] = (struct cfs_open_el){
			.tag = (uint8_t)tag,
			.is_html = is_html,
			.is_point = is_point,
			.is_hidden = is_hidden,
			.is_silent = is_silent,
			.name_hash = tag != CFS_TAG_OTHER ? 0 :
				cfs_html_name_hash(o->tokens.token.name),
		};
		o->n_of[tag]++;
		o->n_hidden += is_hidden;
		return;
	}
	o->overflow += has_content;
	if (!is_silent && !is_hidden)
		send_end(o, tag, is_html);
}

void cfs_outline_empty(struct cfs_outline *o, enum cfs_html_tag tag)
{
	o->tokens.token.n_attrs = 0;
	cfs_outline_push(o, tag, true, false, false);
}

/* Updates the counters for an element that ends, and sends its end event if it
 * has one. */
static void end_one(struct cfs_outline *o, const struct cfs_open_el *el)
{
	o->n_of[el->tag]--;
	if (el->is_hidden)
		o->n_hidden--;
	else if (!el->is_silent)
		send_end(o, el->tag, el->is_html);
}

void cfs_outline_pop_to(struct cfs_outline *o, unsigned from)
{
	while (o->n_open > from) {
		const struct cfs_open_el *el = &o->open[o->n_open - 1];

		if (el->is_html &&
		    (cfs_html_tag_flags(el->tag) & CFS_TAG_IS_MARKER))
			while (o->n_links > 0 && o->links[o->n_links - 1].depth
			       >= o->n_open)
				cfs_outline_close_link(o);
		o->n_open--;
		if (!el->is_gone)
			end_one(o, el);
	}
	for (unsigned i = o->n_links; i > 0; i--)
		if (o->links[i - 1].depth > o->n_open)
			o->links[i - 1].depth = o->n_open;
}

void cfs_outline_remove(struct cfs_outline *o, unsigned at)
{
	end_one(o, &o->open[at]);
	o->open[at].is_gone = true;
}

void cfs_outline_open_link(struct cfs_outline *o)
{
	bool is_silent, is_hidden;

	if (o->n_links == CFS_HTML_LINKS_MAX)
		cfs_outline_close_link(o);
	is_silent = o->n_hidden > 0;
	is_hidden = !is_silent && !send_start(o, CFS_TAG_A, true);
	o->links[o->n_links++] = (struct cfs_open_link){
		.depth = o->n_open, .is_hidden = is_hidden,
		.is_silent = is_silent,
	};
	o->n_hidden += is_hidden;
}

void cfs_outline_close_link(struct cfs_outline *o)
{
	const struct cfs_open_link *l = &o->links[--o->n_links];

	if (l->is_hidden)
		o->n_hidden--;
	else if (!l->is_silent)
		send_end(o, CFS_TAG_A, true);
}
