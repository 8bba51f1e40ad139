/* page_events.c - records the events of a page (page_events.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_events.h"

#include <stdlib.h>

#include "base/array.h"

/* Bytes of a page for each event that there is room for at first. */
#define BYTES_AN_EVENT 64u

void cfs_page_events_init(struct cfs_page_events *e, struct cfs_slice utf8)
{
	*e = (struct cfs_page_events){ .in = utf8 };
	cfs_buf_init(&e->decoded,
		     (size_t)CFS_PAGE_EVENTS_MAX * CFS_REFERENCE_BYTES);
}

void cfs_page_events_release(struct cfs_page_events *e)
{
	free(e->v);
	e->v = NULL;
	e->n = e->room = 0;
	cfs_buf_release(&e->decoded);
}

/* Keeps no event from here on. */
static void give_up(struct cfs_page_events *e)
{
	cfs_page_events_release(e);
	e->is_cut = true;
}

static void append_event(struct cfs_page_events *e, struct cfs_page_event v)
{
	size_t least = e->in.n / BYTES_AN_EVENT;

	if (e->is_cut)
		return;
	if (e->n >= least)
		least = e->n + 1;
	if (e->n == e->room &&
	    cfs_array_reserve((void **)&e->v, &e->room, least, sizeof(*e->v),
			      CFS_PAGE_EVENTS_MAX) != CFS_OK)
		give_up(e);
	else
		e->v[e->n++] = v;
}

/* Where bytes of the document are in it.  False if they are elsewhere. */
static bool find_in_page(const struct cfs_page_events *e, struct cfs_slice s,
			 uint32_t *at)
{
	uintptr_t from = (uintptr_t)e->in.p, p = (uintptr_t)s.p;

	if (p < from || p - from >= e->in.n)
		return false;
	*at = (uint32_t)(p - from);
	return true;
}

void cfs_page_events_start(struct cfs_page_events *e,
			   const struct cfs_html_el *el)
{
	struct cfs_page_event v = { .kind = CFS_PAGE_START,
				    .tag = (uint8_t)el->tag };

	(void)find_in_page(e, el->token->name, &v.at);
	append_event(e, v);
}

void cfs_page_events_end(struct cfs_page_events *e, enum cfs_html_tag tag)
{
	append_event(e, (struct cfs_page_event){ .kind = CFS_PAGE_END,
						 .tag = (uint8_t)tag });
}

void cfs_page_events_text(struct cfs_page_events *e, struct cfs_slice s)
{
	struct cfs_page_event v = { .kind = CFS_PAGE_TEXT,
				    .size = (uint32_t)s.n };

	if (e->is_cut)
		return;
	if (!find_in_page(e, s, &v.at)) {
		v.kind = CFS_PAGE_DECODED;
		v.at = (uint32_t)e->decoded.n;
		cfs_buf_add(&e->decoded, s);
	}
	if (e->decoded.failed != CFS_OK)
		give_up(e);
	append_event(e, v);
}

void cfs_page_events_formula(struct cfs_page_events *e, struct cfs_slice tex,
			     bool is_display)
{
	struct cfs_page_event v = { .kind = CFS_PAGE_FORMULA,
				    .tag = is_display,
				    .at = (uint32_t)e->decoded.n,
				    .size = (uint32_t)tex.n };

	e->has_formulas = true;
	if (e->is_cut)
		return;
	cfs_buf_add(&e->decoded, tex);
	if (e->decoded.failed != CFS_OK)
		give_up(e);
	append_event(e, v);
}

struct cfs_slice cfs_page_events_text_of(const struct cfs_page_events *e,
					 const struct cfs_page_event *v)
{
	return cfs_slice_sub(v->kind == CFS_PAGE_TEXT ? e->in :
			     cfs_buf_slice(&e->decoded), v->at, v->size);
}

const struct cfs_html_token *
cfs_page_events_tag(const struct cfs_page_events *e,
		    const struct cfs_page_event *v,
		    struct cfs_html_tokenizer *t)
{
	uint32_t before = v->at - 1;

	cfs_html_begin(t, e->in);
	if (e->in.p[before] == '/') {	/* </p> without <p> */
		t->token.n_attrs = 0;
		return &t->token;
	}
	t->at = before;
	return cfs_html_next(t);
}
