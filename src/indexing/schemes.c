/* schemes.c - counts the schemes of URLs, of which there may be any number, in
 * a table of fixed size.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "schemes.h"

#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "url/url.h"

/* Room for ", others: " and a number of 20 digits. */
#define OTHERS_BYTES 32u

/* Finds or adds the row of a name; NULL if the table is full. */
static struct cfs_scheme_count *row_of(struct cfs_schemes *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (strcmp(s->v[i].name, name) == 0)
			return &s->v[i];
	if (s->n == CFS_SCHEMES_MAX)
		return NULL;
	memcpy(s->v[s->n].name, name, strlen(name) + 1);
	s->v[s->n].n = 0;
	return &s->v[s->n++];
}

static void schemes_count(struct cfs_schemes *s, const char *name, uint64_t n)
{
	struct cfs_scheme_count *row = row_of(s, name);

	if (row != NULL)
		row->n += n;
	else
		s->others += n;
}

void cfs_schemes_note(struct cfs_schemes *s, struct cfs_slice url)
{
	char name[CFS_SCHEMES_NAME_MAX + 1];
	struct cfs_slice scheme = cfs_url_scheme(url);

	if (scheme.n == 0) {
		s->without++;
		return;
	}
	if (scheme.n > CFS_SCHEMES_NAME_MAX) {
		s->others++;
		return;
	}
	for (size_t i = 0; i < scheme.n; i++)
		name[i] = (char)cfs_ascii_lower(scheme.p[i]);
	name[scheme.n] = '\0';
	schemes_count(s, name, 1);
}

void cfs_schemes_add(struct cfs_schemes *to, const struct cfs_schemes *from)
{
	for (unsigned i = 0; i < from->n; i++)
		schemes_count(to, from->v[i].name, from->v[i].n);
	to->others += from->others;
	to->without += from->without;
}

uint64_t cfs_schemes_total(const struct cfs_schemes *s)
{
	uint64_t n = s->others;

	for (unsigned i = 0; i < s->n; i++)
		n += s->v[i].n;
	return n;
}

/* Finds the next row: the largest count not taken; equal counts by name. */
static int schemes_next_row(const struct cfs_schemes *s, const bool *taken)
{
	int best = -1;

	for (unsigned i = 0; i < s->n; i++) {
		const struct cfs_scheme_count *a = &s->v[i], *b;

		if (taken[i])
			continue;
		b = best < 0 ? a : &s->v[best];
		if (best < 0 || a->n > b->n ||
		    (a->n == b->n && strcmp(a->name, b->name) < 0))
			best = (int)i;
	}
	return best;
}

void cfs_schemes_text(const struct cfs_schemes *s, size_t max,
		      struct cfs_buf *out)
{
	bool taken[CFS_SCHEMES_MAX] = { false };
	uint64_t others = s->others;
	size_t from = out->n;
	int i;

	while ((i = schemes_next_row(s, taken)) >= 0) {
		taken[i] = true;
		if (out->n - from + strlen(s->v[i].name) + 2 * OTHERS_BYTES >
		    max) {
			others += s->v[i].n;
			continue;
		}
		cfs_buf_addf(out, "%s%s: %" PRIu64, out->n > from ? ", " : "",
			     s->v[i].name, s->v[i].n);
	}
	if (others > 0)
		cfs_buf_addf(out, "%sothers: %" PRIu64,
			     out->n > from ? ", " : "", others);
}

void cfs_schemes_reason(const struct cfs_schemes *s, size_t max,
			struct cfs_buf *out)
{
	char some[CFS_TEXT_COUNT_BYTES];
	uint64_t n = cfs_schemes_total(s);
	size_t from = out->n;

	if (n > 0) {
		cfs_buf_addf(out, ": %s of other schemes (",
			     cfs_text_count(n, "record", some));
		cfs_schemes_text(s, max - 2 * OTHERS_BYTES, out);
		cfs_buf_addc(out, ')');
	}
	if (s->without > 0)
		cfs_buf_addf(out, "%s%s without a scheme in front",
			     out->n > from ? ", " : ": ",
			     cfs_text_count(s->without, "URL", some));
}
