/* outline_stack.c - keeps the stack of open elements, and sends the events of
 * their starts and ends (see outline_internal.h).
 *
 * Elements that a sink refused are pushed too, without events for it, so that
 * the same rules find their ends: which elements are open does not depend on
 * the sinks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "outline_internal.h"

void cfs_outline_init(struct cfs_outline *o, const struct cfs_html_sink *sinks,
		      unsigned n)
{
	o->sinks = sinks;
	o->n_sinks = n;
	o->n_open = o->n_links = o->overflow = 0;
	o->drop_lf = false;
	o->deaf = 0;
	memset(o->n_hidden, 0, sizeof(o->n_hidden));
	memset(o->n_of, 0, sizeof(o->n_of));
	cfs_buf_init(&o->decoded, CFS_HTML_DECODED_MAX);
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

/* Sends a start event to the sinks that hear it.  Returns those that refuse the
 * element, as bits. */
static uint8_t send_start(struct cfs_outline *o, enum cfs_html_tag tag,
			  bool is_html)
{
	struct cfs_html_el el = { tag, is_html, &o->tokens.token, &o->decoded };
	unsigned refused = 0;

	for (unsigned i = 0; i < o->n_sinks; i++)
		if ((o->deaf >> i & 1) == 0 &&
		    !o->sinks[i].start(o->sinks[i].arg, &el))
			refused |= 1u << i;
	return (uint8_t)refused;
}

/* Sends an end event to all sinks but those of `except`. */
static void send_end(struct cfs_outline *o, enum cfs_html_tag tag, bool is_html,
		     unsigned except)
{
	struct cfs_html_el el = { tag, is_html, NULL, NULL };

	for (unsigned i = 0; i < o->n_sinks; i++)
		if ((except >> i & 1) == 0)
			o->sinks[i].end(o->sinks[i].arg, &el);
}

/* Counts an element that is hidden from these sinks. */
static void hide(struct cfs_outline *o, unsigned from)
{
	for (unsigned i = 0; from >> i != 0; i++)
		o->n_hidden[i] += from >> i & 1;
	o->deaf |= (uint8_t)from;
}

/* Takes it from the counters where it ends. */
static void unhide(struct cfs_outline *o, unsigned from)
{
	for (unsigned i = 0; from >> i != 0; i++)
		if ((from >> i & 1) != 0 && --o->n_hidden[i] == 0)
			o->deaf &= (uint8_t)~(1u << i);
}

void cfs_outline_push(struct cfs_outline *o, enum cfs_html_tag tag,
		      bool is_html, bool is_point, bool has_content)
{
	uint8_t silent_for = o->deaf;
	uint8_t hidden_from = send_start(o, tag, is_html);

	if (has_content && o->n_open < CFS_HTML_DEPTH_MAX) {
		o->open[o->n_open++] = (struct cfs_open_el){
			.tag = (uint8_t)tag,
			.is_html = is_html,
			.is_point = is_point,
			.hidden_from = hidden_from,
			.silent_for = silent_for,
			.name_hash = tag != CFS_TAG_OTHER ? 0 :
				cfs_html_name_hash(o->tokens.token.name),
		};
		o->n_of[tag]++;
		hide(o, hidden_from);
		return;
	}
	o->overflow += has_content;
	send_end(o, tag, is_html, silent_for | hidden_from);
}

void cfs_outline_empty(struct cfs_outline *o, enum cfs_html_tag tag)
{
	o->tokens.token.n_attrs = 0;
	cfs_outline_push(o, tag, true, false, false);
}

/* Updates the counters for an element that ends, and sends its end event to the
 * sinks that have its start. */
static void end_one(struct cfs_outline *o, const struct cfs_open_el *el)
{
	o->n_of[el->tag]--;
	unhide(o, el->hidden_from);
	send_end(o, el->tag, el->is_html, el->hidden_from | el->silent_for);
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
	uint8_t silent_for, hidden_from;

	if (o->n_links == CFS_HTML_LINKS_MAX)
		cfs_outline_close_link(o);
	silent_for = o->deaf;
	hidden_from = send_start(o, CFS_TAG_A, true);
	o->links[o->n_links++] = (struct cfs_open_link){
		.depth = o->n_open, .hidden_from = hidden_from,
		.silent_for = silent_for,
	};
	hide(o, hidden_from);
}

void cfs_outline_close_link(struct cfs_outline *o)
{
	const struct cfs_open_link *l = &o->links[--o->n_links];

	unhide(o, l->hidden_from);
	send_end(o, CFS_TAG_A, true, l->hidden_from | l->silent_for);
}
