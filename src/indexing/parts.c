/* parts.c - divides the inputs of an index among tasks.
 *
 * The bytes of all inputs, one after the other, are cut into N equal stretches;
 * an input belongs to the part in which its middle lies.  So no part is more
 * than one input larger than an equal one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/hash.h"
#include "indexer_wacz.h"

#define DIGITS 5u

/* Bytes to read of an input; UINT64_MAX: not requested. */
static uint64_t known_bytes(const struct cfs_indexer_files *f, size_t i)
{
	const struct cfs_indexer_file *file = &f->v[i];

	if (i >= f->n)
		return f->selections[i - f->n].size;
	if (file->is_remote && file->size == 0 && file->wacz == NULL)
		return UINT64_MAX;
	return cfs_indexer_work_bytes(file);
}

/* The start of stretch k of n in `bytes`: floor(bytes * k / n). */
static uint64_t stretch_start(uint64_t bytes, uint32_t k, uint32_t n)
{
	return bytes / n * k + bytes % n * k / n;
}

static void hash_bytes(uint64_t *seal, struct cfs_slice s)
{
	*seal = cfs_hash64(s, *seal);
}

static void hash_number(uint64_t *seal, uint64_t v)
{
	uint8_t b[8];

	cfs_le64_put(b, v);
	hash_bytes(seal, cfs_slice_of(b, sizeof(b)));
}

/* Hashes NULL differently from "". */
static void hash_text(uint64_t *seal, const char *text)
{
	hash_number(seal, text == NULL ? UINT64_MAX : strlen(text));
	if (text != NULL)
		hash_bytes(seal, cfs_slice_str(text));
}

static uint64_t seal_options(const struct cfs_indexer_opts *o)
{
	uint64_t seal = CFS_INDEXER_VERSION;

	hash_number(&seal, o->part.n);
	hash_number(&seal, o->view_bytes != NULL ? o->view_version : 0);
	hash_number(&seal, o->part_options.n);
	if (o->part_options.n > 0)
		hash_bytes(&seal, o->part_options);
	return seal;
}

/* An archive that the index of its WACZ lists is in the part of that, which has
 * its captures: the first file from i on that is none. */
static size_t behind_listed(const struct cfs_indexer_files *f, size_t i)
{
	while (i < f->n && f->v[i].is_listed)
		i++;
	return i;
}

void cfs_parts_find(const struct cfs_indexer_files *f,
		    const struct cfs_indexer_opts *opts,
		    struct cfs_parts_cut *out)
{
	size_t n = f->n + f->n_selections, n_known = 0;
	uint64_t known = 0, average = 1, all = 0, at = 0, first, end;

	out->seal = seal_options(opts);
	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = known_bytes(f, i);

		hash_text(&out->seal, i < f->n ? f->v[i].path :
				      f->selections[i - f->n].location);
		hash_number(&out->seal, bytes);
		if (bytes != UINT64_MAX) {
			known += bytes;
			n_known++;
		}
	}
	if (n_known > 0 && known / n_known > 0)
		average = known / n_known;
	all = known + n_known + (average + 1) * (n - n_known);
	first = stretch_start(all, opts->part.k - 1, opts->part.n);
	end = stretch_start(all, opts->part.k, opts->part.n);
	out->from = out->to = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = known_bytes(f, i);
		uint64_t weight = (bytes != UINT64_MAX ? bytes : average) + 1;

		if (at + weight / 2 < first)
			out->from = i + 1;
		if (at + weight / 2 < end)
			out->to = i + 1;
		at += weight;
	}
	out->from = behind_listed(f, out->from);
	out->to = behind_listed(f, out->to);
}

char *cfs_parts_path(const char *folder, struct cfs_part part)
{
	size_t n = strlen(folder);
	char *path;

	while (n > 1 && folder[n - 1] == '/')
		n--;
	return asprintf(&path, "%.*s/part-%05u-of-%05u.cfx", (int)n, folder,
			part.k, part.n) < 0 ? NULL : path;
}

/* Removes the expected text from the front. */
static bool take_prefix(struct cfs_slice *s, struct cfs_slice text)
{
	bool yes = cfs_slice_starts(*s, text);

	if (yes)
		*s = cfs_slice_from(*s, text.n);
	return yes;
}

static bool take_number(struct cfs_slice *s, uint32_t *out)
{
	uint64_t v;

	if (cfs_slice_parse_u64(cfs_slice_sub(*s, 0, DIGITS), CFS_PARTS_MAX,
				&v) != CFS_OK || s->n < DIGITS)
		return false;
	*out = (uint32_t)v;
	*s = cfs_slice_from(*s, DIGITS);
	return true;
}

bool cfs_parts_of_name(const char *name, struct cfs_part *out)
{
	struct cfs_slice s = cfs_slice_str(name);

	return take_prefix(&s, CFS_SLICE_LIT("part-")) && take_number(&s, &out->k) &&
	       take_prefix(&s,
			   CFS_SLICE_LIT("-of-")) && take_number(&s, &out->n) &&
	       cfs_slice_eq(s, CFS_SLICE_LIT(".cfx")) && out->k >= 1 &&
	       out->k <= out->n;
}

/* ---- the file of a part ---- */

enum { NO_LONE_ANNEXES = 1, DROPS_REPEATS = 2, IS_REMOTE = 4, HAS_BASE = 8,
       IS_OTHER_BASE = 16 };

void cfs_part_about_put(struct cfs_buf *out, const struct cfs_part_about *a)
{
	cfs_buf_text(out, cfs_slice_of(a->below, strlen(a->below) + 1));
	cfs_buf_varint(out, cfs_flag(a->no_lone_annexes, NO_LONE_ANNEXES) |
			    cfs_flag(a->drops_repeats, DROPS_REPEATS) |
			    cfs_flag(a->is_remote, IS_REMOTE) |
			    cfs_flag(a->has_base, HAS_BASE) |
			    cfs_flag(a->is_other_base, IS_OTHER_BASE));
	cfs_buf_varint(out, a->view_slots);
	cfs_buf_varint(out, a->counts.sorted);
	cfs_buf_varint(out, a->counts.repeated);
	cfs_buf_varint(out, a->counts.related);
	cfs_buf_varint(out, a->counts.unrelated);
}

/* False if it is damaged. */
static bool take_about(struct cfs_slice text, struct cfs_part_about *a)
{
	struct cfs_cursor c = { text, false };
	struct cfs_slice below = cfs_cursor_text(&c);
	uint64_t flags = cfs_cursor_varint(&c);

	a->below = (const char *)below.p;
	a->no_lone_annexes = flags & NO_LONE_ANNEXES;
	a->drops_repeats = flags & DROPS_REPEATS;
	a->is_remote = flags & IS_REMOTE;
	a->has_base = flags & HAS_BASE;
	a->is_other_base = flags & IS_OTHER_BASE;
	a->view_slots = (uint32_t)(cfs_cursor_varint(&c) &
				   ((UINT64_C(1) << CFS_VIEW_SLOTS) - 1));
	a->counts.sorted = cfs_cursor_varint(&c);
	a->counts.repeated = cfs_cursor_varint(&c);
	a->counts.related = cfs_cursor_varint(&c);
	a->counts.unrelated = cfs_cursor_varint(&c);
	return !c.bad && below.n > 0 &&
	       cfs_slice_find(below, '\0') == (ptrdiff_t)below.n - 1;
}

static int check_part(const struct cfs_merge_input *in,
		      struct cfs_part_about *about, struct cfs_error *err)
{
	bool is_new = cfs_cfx_part(in->ix, &about->part, &about->seal);
	const char *why = NULL;

	if (about->part.k < 1 || about->part.k > about->part.n)
		why = "is an index, but not a part of one";
	else if (!is_new)
		why = "was made by an earlier version";
	else if (!cfs_cfx_has_joins(in->ix))
		why = "has no joindata";
	return why == NULL ? CFS_OK :
	       cfs_error_at(err, CFS_EFORMAT, in->location, CFS_CFX_OFF_PART,
			    "%s", why);
}

int cfs_parts_open(struct cfs_merge_input *in, const char *path,
		  const char *folder, struct cfs_part_about *about,
		  struct cfs_ctx ctx)
{
	int rc = cfs_merge_input_open(in, path, ctx.err);

	if (rc == CFS_OK)
		rc = check_part(in, about, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_merge_input_archives(in, folder, ctx);
	if (rc == CFS_OK && !take_about(cfs_buf_slice(&in->about), about))
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, path, CFS_CFX_OFF_PART,
				  "is damaged");
	return rc;
}
