/* outline_stack.c - keeps the stack of open elements, and sends the events of
 * their starts and ends (see outline_internal.h).
 *
 * Elements that a sink refused are pushed too, without events for it, so that
 * the same rules find their ends: which elements are open does not depend on
 * the sinks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "outline_internal.h"

#include <stdlib.h>
#include <string.h>

#include "formula.h"

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
	o->take_formulas = 0;
	for (unsigned i = 0; i < n; i++)
		if (sinks[i].formula != NULL)
			o->take_formulas |= (uint8_t)(1u << i);
	o->holds_formula = o->has_no_memory = false;
	o->formula = NULL;
	cfs_buf_init(&o->decoded, CFS_HTML_DECODED_MAX);
}

void cfs_outline_release(struct cfs_outline *o)
{
	if (o->formula != NULL)
		cfs_formula_release(o->formula);
	free(o->formula);
	cfs_buf_release(&o->decoded);
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

/* Sends a start event to the sinks that hear it, but for those of `except`.
 * Returns those that refuse the element, as bits. */
static uint8_t send_start(struct cfs_outline *o, const struct cfs_html_el *el,
			  unsigned except)
{
	unsigned refused = 0;

	cfs_outline_send_formula(o);
	except |= o->deaf;
	for (unsigned i = 0; i < o->n_sinks; i++)
		if ((except >> i & 1) == 0 &&
		    !o->sinks[i].start(o->sinks[i].arg, el))
			refused |= 1u << i;
	return (uint8_t)refused;
}

/* Sends an end event to all sinks but those of `except`. */
static void send_end(struct cfs_outline *o, enum cfs_html_tag tag, bool is_html,
		     unsigned except)
{
	struct cfs_html_el el = { tag, is_html, NULL, NULL };

	cfs_outline_send_formula(o);
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

/* ---- formulas ----------------------------------------------------------- */

void cfs_outline_send_formula(struct cfs_outline *o)
{
	struct cfs_formula *f = o->formula;
	bool is_formula;
	struct cfs_slice s;

	if (!o->holds_formula)
		return;
	o->holds_formula = false;
	is_formula = cfs_formula_finish(f);
	o->has_no_memory |= cfs_formula_has_failed(f);
	s = cfs_buf_slice(&f->out);
	for (unsigned i = 0; i < o->n_sinks && s.n > 0; i++) {
		const struct cfs_html_sink *to = &o->sinks[i];

		if ((f->takers >> i & 1) == 0)
			continue;
		if (is_formula)
			to->formula(to->arg, s, f->is_display);
		else
			to->text(to->arg, s);
	}
}

/* The structure for the formulas of the page; NULL: there is no memory. */
static struct cfs_formula *make_formula(struct cfs_outline *o)
{
	if (o->formula == NULL) {
		o->formula = malloc(sizeof(*o->formula));
		if (o->formula != NULL)
			cfs_formula_init(o->formula);
		o->has_no_memory |= o->formula == NULL;
	}
	return o->formula;
}

/* Begins a formula, if an element is one.  Returns the sinks that take it and
 * get no events of the element, as bits. */
static uint8_t begin_formula(struct cfs_outline *o,
			     const struct cfs_html_el *el)
{
	uint8_t takers = (uint8_t)(o->take_formulas & ~o->deaf);
	enum cfs_formula_kind kind;
	struct cfs_formula *f = o->formula;

	if (takers == 0 || o->n_open == CFS_HTML_DEPTH_MAX)
		return 0;
	kind = cfs_formula_find(el);
	if (kind == CFS_FORMULA_NONE)
		return 0;
	if (o->holds_formula && !cfs_formula_goes_on(f, kind))
		cfs_outline_send_formula(o);
	f = make_formula(o);
	if (f == NULL)
		return 0;
	o->holds_formula = false;
	f->takers = takers;
	cfs_formula_begin(f, kind, o->n_open);
	cfs_formula_start(f, el, o->n_open);
	return takers;
}

/* Ends an element, with so many open elements around it, for the formula that
 * it is or is in. */
static void end_in_formula(struct cfs_outline *o, unsigned depth)
{
	struct cfs_formula *f = o->formula;

	cfs_formula_end(f, depth);
	if (depth > f->depth)
		return;
	f->last = f->kind;
	f->kind = CFS_FORMULA_NONE;
	o->holds_formula = true;
	/* only some of MathJax 2 may go on */
	if (!cfs_formula_goes_on(f, CFS_FORMULA_SCRIPT))
		cfs_outline_send_formula(o);
}

/* ---- elements ----------------------------------------------------------- */

void cfs_outline_push(struct cfs_outline *o, enum cfs_html_tag tag,
		      bool is_html, bool is_point, bool has_content)
{
	struct cfs_html_el el = { tag, is_html, &o->tokens.token, &o->decoded };
	uint8_t silent_for = o->deaf, hidden_from = 0;

	if (cfs_formula_is_open(o->formula))
		cfs_formula_start(o->formula, &el, o->n_open);
	else if (o->take_formulas != 0 && cfs_formula_may_be(tag))
		hidden_from = begin_formula(o, &el);
	hidden_from |= send_start(o, &el, hidden_from);
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
	if (cfs_formula_is_open(o->formula))
		end_in_formula(o, o->n_open);
}

void cfs_outline_empty(struct cfs_outline *o, enum cfs_html_tag tag)
{
	o->tokens.token.n_attrs = 0;
	cfs_outline_push(o, tag, true, false, false);
}

/* Updates the counters for an element that ends, and sends its end event to the
 * sinks that have its start.  depth: its index. */
static void end_one(struct cfs_outline *o, const struct cfs_open_el *el,
		    unsigned depth)
{
	o->n_of[el->tag]--;
	unhide(o, el->hidden_from);
	send_end(o, el->tag, el->is_html, el->hidden_from | el->silent_for);
	if (cfs_formula_is_open(o->formula))
		end_in_formula(o, depth);
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
			end_one(o, el, o->n_open);
	}
	for (unsigned i = o->n_links; i > 0; i--)
		if (o->links[i - 1].depth > o->n_open)
			o->links[i - 1].depth = o->n_open;
}

void cfs_outline_remove(struct cfs_outline *o, unsigned at)
{
	end_one(o, &o->open[at], at);
	o->open[at].is_gone = true;
}

void cfs_outline_open_link(struct cfs_outline *o)
{
	struct cfs_html_el el = { CFS_TAG_A, true, &o->tokens.token,
				  &o->decoded };
	uint8_t silent_for, hidden_from;

	if (o->n_links == CFS_HTML_LINKS_MAX)
		cfs_outline_close_link(o);
	silent_for = o->deaf;
	hidden_from = send_start(o, &el, 0);
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
