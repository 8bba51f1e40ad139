/* attributes.c - reads the attributes of a tag (13.2.5.32 to 40), and decodes
 * names and values.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "tokenizer_internal.h"

/* Slots of the hash table that finds repeated names, twice as many as
 * attributes.  Up to FEW names are compared in pairs instead. */
#define NAME_SLOTS (2 * CFS_HTML_ATTRS_MAX)
#define FEW 8u

#define REPLACEMENT "\xef\xbf\xbd"

/* ---- reading ---- */

static inline size_t skip_space(struct cfs_slice in, size_t at)
{
	while (at < in.n && cfs_is_space(in.p[at]))
		at++;
	return at;
}

/* Takes the value behind the '=' at `at`.  Returns its end; in.n also if the
 * document ends in it. */
static size_t take_value(struct cfs_slice in, size_t at, struct cfs_slice *out)
{
	const uint8_t *p, *end;
	size_t from = skip_space(in, at + 1);

	if (from == in.n)
		return in.n;
	p = in.p + from;
	if (*p == '"' || *p == '\'') {
		end = memchr(p + 1, *p, in.n - from - 1);
		if (end == NULL)
			return in.n;
		*out = cfs_slice_of(p + 1, (size_t)(end - p) - 1);
		return from + (size_t)(end - p) + 1;
	}
	at = from;
	while (at < in.n && in.p[at] != '>' && !cfs_is_space(in.p[at]))
		at++;
	*out = cfs_slice_of(p, at - from);
	return at;
}

/* Takes the attribute at `at`.  Returns its end; in.n also if the document ends
 * in it. */
static inline size_t take_attr(struct cfs_slice in, size_t at,
			       struct cfs_html_attr *out)
{
	/* the first byte belongs to the name, even if it is '=' */
	size_t end = cfs_html_name_end(in, at + 1, true);

	out->name = cfs_slice_of(in.p + at, end - at);
	out->value = CFS_SLICE_EMPTY;
	at = skip_space(in, end);
	return at < in.n && in.p[at] == '=' ? take_value(in, at, &out->value)
					    : at;
}

static unsigned slot_of(struct cfs_slice name)
{
	uint32_t v = cfs_html_name_hash(name);

	return (v ^ v >> 15) & (NAME_SLOTS - 1);
}

/* The length of a NUL or U+FFFD, which are equal in names, at the start of s; 0
 * if there is none. */
static inline size_t nul_bytes(struct cfs_slice s)
{
	if (s.n == 0 || (s.p[0] != 0 && s.p[0] != 0xef))
		return 0;
	if (s.p[0] == 0)
		return 1;
	return cfs_slice_starts(s, CFS_SLICE_LIT(REPLACEMENT)) ? 3 : 0;
}

/* False if names, which are not empty, have different first characters. */
static inline bool begin_alike(struct cfs_slice a, struct cfs_slice b)
{
	return ((a.p[0] ^ b.p[0]) & ~0x20) == 0 || a.p[0] == 0 || b.p[0] == 0;
}

/* True if the decoded names are equal. */
static bool same_name(struct cfs_slice a, struct cfs_slice b)
{
	while (a.n > 0 && b.n > 0) {
		size_t i = nul_bytes(a), k = nul_bytes(b);

		if ((i == 0) != (k == 0) || (i == 0 && cfs_ascii_lower(a.p[0])
					     != cfs_ascii_lower(b.p[0])))
			return false;
		a = cfs_slice_from(a, i > 0 ? i : 1);
		b = cfs_slice_from(b, k > 0 ? k : 1);
	}
	return a.n == b.n;
}

/* Removes attributes whose name occurred before.  Returns how many are left. */
static unsigned drop_repeats(struct cfs_html_attr *v, unsigned n)
{
	uint16_t slots[NAME_SLOTS];
	unsigned kept = 0;

	if (n > FEW)
		memset(slots, 0, sizeof(slots));
	for (unsigned i = 0; i < n; i++) {
		bool found = false;

		if (n <= FEW) {
			for (unsigned k = 0; k < kept && !found; k++)
				found = begin_alike(v[k].name, v[i].name) &&
					same_name(v[k].name, v[i].name);
		} else {
			unsigned at = slot_of(v[i].name);

			while (slots[at] != 0 &&
			       !same_name(v[slots[at] - 1].name, v[i].name))
				at = (at + 1) & (NAME_SLOTS - 1);
			found = slots[at] != 0;
			if (!found)
				slots[at] = (uint16_t)(kept + 1);
		}
		if (!found)
			v[kept++] = v[i];
	}
	return kept;
}

bool cfs_html_attributes(struct cfs_html_tokenizer *t)
{
	struct cfs_html_token *k = &t->token;
	struct cfs_slice in = t->in;
	size_t at = t->at;
	unsigned n = 0;

	k->is_self_closing = false;
	while ((at = skip_space(in, at)) < in.n && in.p[at] != '>') {
		struct cfs_html_attr a;

		if (in.p[at] == '/') {
			at++;
			k->is_self_closing = at < in.n && in.p[at] == '>';
			continue;
		}
		at = take_attr(in, at, &a);
		if (n < CFS_HTML_ATTRS_MAX)
			t->attrs[n++] = a;
	}
	t->at = at < in.n ? at + 1 : at;
	k->n_attrs = n > 1 ? drop_repeats(t->attrs, n) : n;
	return at < in.n;
}

/* ---- what they stand for ---- */

void cfs_html_name(struct cfs_slice raw, struct cfs_buf *out)
{
	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] == 0)
			cfs_buf_adds(out, REPLACEMENT);
		else
			cfs_buf_addc(out, cfs_ascii_lower(raw.p[i]));
	}
}

static uint32_t mix(uint32_t v, uint8_t c)
{
	return (v ^ c) * UINT32_C(0x01000193);
}

uint32_t cfs_html_name_hash(struct cfs_slice raw)
{
	uint32_t v = 0;

	for (size_t i = 0; i < raw.n; i++)
		v = raw.p[i] == 0 ? mix(mix(mix(v, 0xef), 0xbf), 0xbd)
				  : mix(v, cfs_ascii_lower(raw.p[i]));
	return v;
}

/* Appends s with newlines and NUL decoded, and references if is_value. */
static void decode(struct cfs_slice s, bool is_value, struct cfs_buf *out)
{
	while (s.n > 0) {
		uint8_t ref[CFS_REFERENCE_BYTES];
		size_t n = 0, ref_n;

		while (n < s.n && s.p[n] != 0 && s.p[n] != '\r' &&
		       (s.p[n] != '&' || !is_value))
			n++;
		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = 1;
		if (s.p[0] == 0) {
			cfs_buf_adds(out, REPLACEMENT);
		} else if (s.p[0] == '\r') {
			cfs_buf_addc(out, '\n');
			n += s.n > 1 && s.p[1] == '\n';
		} else if ((n = cfs_reference_parse(s, CFS_REFERENCE_ATTR, ref,
						    &ref_n)) > 0) {
			cfs_buf_append(out, ref, ref_n);
		} else {
			cfs_buf_addc(out, '&');
			n = 1;
		}
		s = cfs_slice_from(s, n);
	}
}

void cfs_html_value(struct cfs_slice raw, struct cfs_buf *out)
{
	decode(raw, true, out);
}

void cfs_html_plain(struct cfs_slice raw, struct cfs_buf *out)
{
	decode(raw, false, out);
}

bool cfs_html_attr_find(const struct cfs_html_token *tag,
			struct cfs_slice name, struct cfs_slice *raw)
{
	for (unsigned i = 0; i < tag->n_attrs; i++) {
		if (cfs_slice_eq_nocase(tag->attrs[i].name, name)) {
			*raw = tag->attrs[i].value;
			return true;
		}
	}
	return false;
}
