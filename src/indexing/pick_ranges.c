/* pick_ranges.c - finds the ranges of an index's keys for places in the tree.
 *
 * The range of a place is that of its folder, because a page's queries and what
 * lies below it may be spread over several ranges; what is too much is left out
 * later.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pick.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "url/lenient_url.h"

/* Spellings of one host, in upper and lower case. */
#define SPELLINGS_MAX 64u

static int add_runs(struct cfs_key_runs *r, const struct cfs_ranges *of)
{
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < of->n; i++)
		rc = cfs_key_runs_add(r, &of->v[i]);
	return rc;
}

/* Finds the folder of a place in the form of this index's keys, which may lack
 * "www." and have other letters.  CFS_ENOTFOUND if no key can be there. */
static int pick_ranges_find_folder(struct cfs_index *ix, struct cfs_slice text,
				   struct cfs_buf *key, struct cfs_path *out)
{
	enum cfs_lenient_kind kind;
	CFS_BUF(url, 2 * CFS_URL_MAX);
	int rc;

	cfs_buf_reset(key);
	kind = cfs_lenient_read(text, &url);
	rc = url.failed;
	if (rc == CFS_OK)
		rc = cfs_index_url_key(ix, cfs_buf_slice(&url), key);
	if (rc == CFS_OK)
		rc = cfs_index_split(ix, cfs_buf_slice(key), out);
	if (rc == CFS_OK && kind == CFS_LENIENT_HOSTS)
		out->n = out->host_n;
	else if (rc == CFS_OK)
		out->n--;
	return rc;
}

/* ---- hosts in upper case ---- */

struct spellings {
	struct cfs_index *ix;
	struct cfs_iter it;
	struct cfs_ctx ctx;
	struct cfs_buf host;		/* the host's labels as in keys */
	uint8_t *v;			/* SPELLINGS_MAX times host.n bytes, */
	unsigned n;			/* the first is the host itself */
};

/* Does a key begin with n bytes of spelling i, its last byte in the other case
 * if in_other? */
static int pick_ranges_has_keys(struct spellings *s, unsigned i, size_t n,
				bool in_other, bool *yes)
{
	uint8_t *p = s->v + i * s->host.n;
	int rc;

	p[n - 1] ^= in_other ? 0x20 : 0;
	rc = cfs_index_seek(s->ix, cfs_slice_of(p, n), &s->it, s->ctx);
	*yes = rc == CFS_OK && cfs_slice_starts(s->it.key, cfs_slice_of(p, n));
	p[n - 1] ^= in_other ? 0x20 : 0;
	return rc == CFS_END ? CFS_OK : rc;
}

/* Extends the spellings by their n-th byte, a letter: drops those without keys,
 * and adds those with the letter's other case that have keys. */
static int spell_letter(struct spellings *s, size_t n)
{
	unsigned known = s->n, left = 0;
	uint8_t *v = s->v;
	size_t size = s->host.n;

	for (unsigned i = 0; i < known; i++) {
		bool has_other, has_own = i == 0;
		int rc = pick_ranges_has_keys(s, i, n, true, &has_other);

		if (rc == CFS_OK && i > 0)
			rc = pick_ranges_has_keys(s, i, n, false, &has_own);
		if (rc != CFS_OK)
			return rc;
		if (has_other) {
			memcpy(v + s->n * size, v + i * size, size);
			v[s->n++ * size + n - 1] ^= 0x20;
		}
		if (has_own)
			memmove(v + left++ * size, v + i * size, size);
	}
	memmove(v + left * size, v + known * size, (s->n - known) * size);
	s->n -= known - left;
	return CFS_OK;
}

/* Adds the ranges of keys that begin with n bytes of each spelling; those of
 * the first one only if `all`. */
static int add_spellings(struct spellings *s, size_t n, bool all,
			 struct cfs_key_runs *out)
{
	int rc = CFS_OK;

	for (unsigned i = all ? 0 : 1; rc == CFS_OK && i < s->n; i++) {
		uint8_t *p = s->v + i * s->host.n;
		struct cfs_range run = { .lo = cfs_slice_of(p, n) };
		CFS_BUF(hi, CFS_KEY_MAX);

		cfs_buf_add(&hi, run.lo);
		while (hi.n > 0 && hi.p[hi.n - 1] == 0xff)
			hi.n--;
		run.hi_open = hi.n == 0;
		if (hi.n > 0)
			hi.p[hi.n - 1]++;
		run.hi = cfs_buf_slice(&hi);
		rc = hi.failed != CFS_OK ? hi.failed :
					   cfs_key_runs_add(out, &run);
	}
	return rc;
}

/* Adds the ranges of the path's host in other upper and lower case.  They are
 * searched letter by letter, which reads about a block for each. */
static int add_other_cases(struct cfs_key_runs *out, struct cfs_index *ix,
			   const struct cfs_path *path, struct cfs_ctx ctx)
{
	struct cfs_path host = *path;
	struct spellings *s = malloc(sizeof(*s));
	int rc = CFS_ENOMEM;
	size_t n = 0;

	if (s == NULL)
		return CFS_ENOMEM;
	*s = (struct spellings){ .ix = ix,
				 .ctx = ctx };
	cfs_iter_init(&s->it);
	cfs_buf_init(&s->host, CFS_KEY_MAX);
	host.n = host.host_n;
	if (cfs_path_add_host(&s->host, &host, '.') == CFS_OK)
		s->v = calloc(SPELLINGS_MAX, s->host.n + 1);
	if (s->v != NULL) {
		memcpy(s->v, s->host.p, s->host.n);
		s->n = 1;
		rc = CFS_OK;
	}
	for (; rc == CFS_OK && n < s->host.n && 2 * s->n <= SPELLINGS_MAX; n++)
		if (cfs_is_alpha(s->host.p[n]))
			rc = spell_letter(s, n + 1);
	if (rc == CFS_OK && n > 0)
		rc = add_spellings(s, n, n < s->host.n, out);
	cfs_iter_release(&s->it);
	cfs_buf_release(&s->host);
	free(s->v);
	free(s);
	return rc;
}

/* ---- all places ---- */

int cfs_pick_ranges_find(struct cfs_key_runs *out, const struct cfs_pick *p,
			 struct cfs_index *ix, struct cfs_ctx ctx)
{
	struct cfs_path *path = malloc(sizeof(*path));
	struct cfs_ranges *runs = malloc(sizeof(*runs));
	size_t n = cfs_pick_places(p);
	CFS_BUF(key, CFS_KEY_MAX);
	int rc = CFS_OK;

	cfs_key_runs_init(out);
	if (path == NULL || runs == NULL)
		rc = cfs_error_nomem(ctx.err);
	else
		cfs_ranges_init(runs);
	for (size_t i = 0; rc == CFS_OK && i < (n > 0 ? n : 1); i++) {
		path->n = path->host_n = 0;	/* the root */
		if (n > 0)
			rc = pick_ranges_find_folder(ix, cfs_pick_place(p, i),
						     &key, path);
		runs->ctx = ctx;
		if (rc == CFS_OK)
			rc = cfs_index_ranges(ix, path, CFS_BELOW_DIR, runs);
		if (rc == CFS_OK)
			rc = add_runs(out, runs);
		if (rc == CFS_OK && n > 0 && ix->keeps_host_case)
			rc = add_other_cases(out, ix, path, ctx);
		if (rc == CFS_ENOMEM)
			cfs_error_nomem(ctx.err);
		if (rc == CFS_ENOTFOUND)	/* no key can be there */
			rc = CFS_OK;
	}
	if (rc == CFS_OK)
		cfs_key_runs_settle(out);
	if (runs != NULL && path != NULL)
		cfs_ranges_release(runs);
	free(runs);
	free(path);
	return rc;
}
