/* fast_dump.c - the tokens of src/markup/tokenizer.c in the form of slow.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "slow.h"

static void end_text(struct cfs_buf *text, struct cfs_buf *out)
{
	if (text->n == 0)
		return;
	cfs_buf_addc(out, '"');
	cfs_buf_add(out, cfs_buf_slice(text));
	cfs_buf_append(out, "\0\n", 2);
	cfs_buf_reset(text);
}

static void dump_doctype(const struct cfs_html_doctype *d, struct cfs_buf *out)
{
	cfs_buf_addc(out, '!');
	if (d->has_name)
		cfs_html_name(d->name, out);
	cfs_buf_addc(out, d->has_public ? '|' : '-');
	cfs_html_plain(d->public_id, out);
	cfs_buf_addc(out, d->has_system ? '|' : '-');
	cfs_html_plain(d->system_id, out);
	cfs_buf_addc(out, d->force_quirks ? 'q' : 's');
}

static void dump_token(const struct cfs_html_token *k, struct cfs_buf *out)
{
	if (k->type == CFS_HTML_DOCTYPE) {
		dump_doctype(&k->doctype, out);
	} else if (k->type == CFS_HTML_COMMENT) {
		cfs_buf_addc(out, '{');
		cfs_html_plain(k->text, out);
		cfs_buf_addc(out, '}');
	} else {
		cfs_buf_adds(out, k->type == CFS_HTML_START ? "<" : "</");
		cfs_html_name(k->name, out);
		for (unsigned i = 0; i < k->n_attrs; i++) {
			cfs_buf_addc(out, ' ');
			cfs_html_name(k->attrs[i].name, out);
			cfs_buf_addc(out, '=');
			cfs_html_value(k->attrs[i].value, out);
		}
		cfs_buf_adds(out, k->is_self_closing ? "/>" : ">");
	}
	cfs_buf_append(out, "\0\n", 2);
}

void fast_dump(struct cfs_slice utf8, enum cfs_html_state state,
	       const char *last_start, bool allow_cdata, struct cfs_buf *out)
{
	struct cfs_html_tokenizer *t = malloc(sizeof(*t));
	const struct cfs_html_token *k;
	struct cfs_buf text;

	if (t == NULL)
		abort();
	cfs_buf_init(&text, SIZE_MAX / 2);
	cfs_html_begin(t, utf8);
	t->state = state;
	t->last_start = cfs_slice_str(last_start);
	t->allow_cdata = allow_cdata;
	while ((k = cfs_html_next(t))->type != CFS_HTML_EOF) {
		if (k->type == CFS_HTML_TEXT) {
			cfs_buf_add(&text, k->text);
			continue;
		}
		end_text(&text, out);
		dump_token(k, out);
		if (k->type == CFS_HTML_START)
			cfs_html_follow(t, k->tag);
	}
	end_text(&text, out);
	cfs_buf_release(&text);
	free(t);
}
