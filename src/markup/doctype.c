/* doctype.c - reads doctypes (13.2.5.53 to 68).
 *
 *     <!DOCTYPE name PUBLIC "public" "system">
 *     <!DOCTYPE name SYSTEM "system">
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tokenizer_internal.h"

struct doctype_reader {
	struct cfs_slice in;
	size_t at;
	struct cfs_html_doctype *out;
	bool is_over;		/* the rest up to '>' is ignored */
};

static void skip_space(struct doctype_reader *r)
{
	while (r->at < r->in.n && cfs_is_space(r->in.p[r->at]))
		r->at++;
}

/* True, and the doctype is over, at '>' or the end of the document. */
static bool ends(struct doctype_reader *r)
{
	if (r->at < r->in.n && r->in.p[r->at] != '>')
		return false;
	r->is_over = true;
	return true;
}

static bool at_quote(const struct doctype_reader *r)
{
	return r->at < r->in.n &&
	       (r->in.p[r->at] == '"' || r->in.p[r->at] == '\'');
}

static void quirks(struct doctype_reader *r)
{
	r->out->force_quirks = true;
	r->is_over = true;
}

/* Reads an identifier in quotes; a '>' ends it and the doctype. */
static void identifier(struct doctype_reader *r, struct cfs_slice *out,
		       bool *has)
{
	uint8_t quote = r->in.p[r->at++];
	size_t from = r->at;

	while (r->at < r->in.n && r->in.p[r->at] != quote &&
	       r->in.p[r->at] != '>')
		r->at++;
	*has = true;
	*out = cfs_slice_of(r->in.p + from, r->at - from);
	if (r->at < r->in.n && r->in.p[r->at] == quote)
		r->at++;
	else
		quirks(r);
}

/* Reads what follows PUBLIC or SYSTEM: optional white space, and an identifier,
 * which is required. */
static void wanted(struct doctype_reader *r, struct cfs_slice *out, bool *has)
{
	skip_space(r);
	if (at_quote(r))
		identifier(r, out, has);
	else
		quirks(r);
}

static void read_name(struct doctype_reader *r)
{
	size_t from;

	skip_space(r);
	if (ends(r)) {
		r->out->force_quirks = true;
		return;
	}
	from = r->at++;
	while (r->at < r->in.n && r->in.p[r->at] != '>' &&
	       !cfs_is_space(r->in.p[r->at]))
		r->at++;
	r->out->has_name = true;
	r->out->name = cfs_slice_of(r->in.p + from, r->at - from);
}

static void read_identifiers(struct doctype_reader *r)
{
	struct cfs_html_doctype *d = r->out;
	struct cfs_slice s;

	skip_space(r);
	s = cfs_slice_from(r->in, r->at);
	if (ends(r)) {
		d->force_quirks |= s.n == 0;
		return;
	}
	r->at += 6;
	if (cfs_slice_starts_nocase(s, CFS_SLICE_LIT("public"))) {
		wanted(r, &d->public_id, &d->has_public);
		skip_space(r);
		if (r->is_over || (r->at < r->in.n && ends(r)))
			return;
		if (!at_quote(r)) {
			quirks(r);
			return;
		}
		identifier(r, &d->system_id, &d->has_system);
	} else if (cfs_slice_starts_nocase(s, CFS_SLICE_LIT("system"))) {
		wanted(r, &d->system_id, &d->has_system);
	} else {
		r->at -= 6;
		quirks(r);
	}
}

void cfs_html_doctype(struct cfs_html_tokenizer *t, size_t from)
{
	struct cfs_html_doctype *d = &t->token.doctype;
	struct doctype_reader r = { .in = t->in, .at = from, .out = d };

	*d = (struct cfs_html_doctype){
		.name = CFS_SLICE_EMPTY,
		.public_id = CFS_SLICE_EMPTY,
		.system_id = CFS_SLICE_EMPTY,
	};
	t->token.type = CFS_HTML_DOCTYPE;
	read_name(&r);
	if (!r.is_over)
		read_identifiers(&r);
	/* behind the last identifier only a missing '>' matters */
	if (!r.is_over) {
		skip_space(&r);
		if (r.at == r.in.n)
			d->force_quirks = true;
	}
	while (r.at < r.in.n && r.in.p[r.at] != '>')
		r.at++;
	t->at = r.at < r.in.n ? r.at + 1 : r.in.n;
}
