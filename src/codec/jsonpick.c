/* jsonpick.c - a few values out of a JSON text (RFC 8259).
 *
 * One pass, no recursion: objects on the way to a wanted value are entered,
 * at most CFS_JSON_PATH_MAX deep; all else is passed over by counting
 * brackets outside strings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "jsonpick.h"

#include <assert.h>

struct pick {
	struct cfs_slice in;
	size_t at;
	struct cfs_slice comp[CFS_JSON_PICKS_MAX][CFS_JSON_PATH_MAX];
	unsigned depth[CFS_JSON_PICKS_MAX];
	size_t n;
	struct cfs_slice *out;
};

static void split_path(struct pick *k, size_t i, const char *path)
{
	struct cfs_slice s = cfs_slice_str(path);

	for (;;) {
		ptrdiff_t slash = cfs_slice_find(s, '/');

		assert(k->depth[i] < CFS_JSON_PATH_MAX);
		k->comp[i][k->depth[i]++] = slash < 0 ? s :
			cfs_slice_sub(s, 0, (size_t)slash);
		if (slash < 0)
			return;
		s = cfs_slice_from(s, (size_t)slash + 1);
	}
}

/* The byte after blanks; 0 at the end (which no JSON text contains). */
static uint8_t peek(struct pick *k)
{
	while (k->at < k->in.n) {
		uint8_t c = k->in.p[k->at];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return c;
		k->at++;
	}
	return 0;
}

/* Takes a string; at stands on its opening quote. */
static bool take_string(struct pick *k, struct cfs_slice *out)
{
	size_t from = ++k->at;

	for (;;) {
		ptrdiff_t q = cfs_slice_find(cfs_slice_from(k->in, k->at), '"');
		size_t end, back = 0;

		if (q < 0)
			return false;
		end = k->at + (size_t)q;
		k->at = end + 1;
		while (end - back > from && k->in.p[end - back - 1] == '\\')
			back++;
		if (back % 2 == 0) {
			*out = cfs_slice_sub(k->in, from, end - from);
			return true;
		}
	}
}

static bool take_word(struct pick *k, struct cfs_slice *out)
{
	size_t from = k->at;

	while (k->at < k->in.n && strchr(",]} \t\r\n\"[{:", k->in.p[k->at]) == NULL)
		k->at++;
	*out = cfs_slice_sub(k->in, from, k->at - from);
	return k->at > from;
}

/* Passes over an object or array. */
static bool skip_nested(struct pick *k)
{
	struct cfs_slice s;
	size_t depth = 0;

	while (k->at < k->in.n) {
		uint8_t c = k->in.p[k->at];

		if (c == '"') {
			if (!take_string(k, &s))
				return false;
			continue;
		}
		k->at++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return true;
	}
	return false;
}

/* The paths of `set` that go on with this name. */
static unsigned narrow(const struct pick *k, unsigned set, unsigned depth,
		       struct cfs_slice name)
{
	unsigned out = 0;

	for (size_t i = 0; i < k->n; i++)
		if ((set & 1u << i) && depth < k->depth[i] &&
		    cfs_slice_eq(k->comp[i][depth], name))
			out |= 1u << i;
	return out;
}

/* A value that is no object to enter.  depth: components behind it. */
static bool take_value(struct pick *k, unsigned set, unsigned depth)
{
	uint8_t c = peek(k);
	struct cfs_slice s;

	if (c == '{' || c == '[')
		return skip_nested(k);
	if (!(c == '"' ? take_string(k, &s) : take_word(k, &s)))
		return false;
	for (size_t i = 0; i < k->n; i++)
		if ((set & 1u << i) && k->depth[i] == depth)
			k->out[i] = s;
	return true;
}

/* Does a path of the set lead further down? */
static bool goes_on(const struct pick *k, unsigned set, unsigned depth)
{
	for (size_t i = 0; i < k->n; i++)
		if ((set & 1u << i) && k->depth[i] > depth)
			return true;
	return false;
}

static bool take_name(struct pick *k, struct cfs_slice *name)
{
	if (peek(k) != '"' || !take_string(k, name) || peek(k) != ':')
		return false;
	k->at++;
	return true;
}

/* Walks through the object at the front. */
static bool walk(struct pick *k)
{
	unsigned sets[CFS_JSON_PATH_MAX + 1], depth = 0, set;
	struct cfs_slice name;

	sets[0] = (1u << k->n) - 1;
	k->at++;			/* { */
	for (;;) {
		uint8_t c = peek(k);

		if (c == '}') {
			k->at++;
			if (depth-- == 0)
				return true;
			continue;
		}
		if (c == ',') {
			k->at++;
			continue;
		}
		if (!take_name(k, &name))
			return false;
		set = narrow(k, sets[depth], depth, name);
		if (peek(k) == '{' && goes_on(k, set, depth + 1)) {
			k->at++;
			sets[++depth] = set;
		} else if (!take_value(k, set, depth + 1)) {
			return false;
		}
	}
}

bool cfs_json_pick(struct cfs_slice json, const char *const *paths, size_t n,
		   struct cfs_slice *out)
{
	struct pick k = { .in = json, .n = n, .out = out };

	assert(n <= CFS_JSON_PICKS_MAX);
	for (size_t i = 0; i < n; i++) {
		out[i] = CFS_SLICE_EMPTY;
		split_path(&k, i, paths[i]);
	}
	return peek(&k) == '{' && walk(&k);
}
