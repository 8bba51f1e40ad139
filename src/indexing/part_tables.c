/* part_tables.c - encodes and parses the tables of a part's file:
 *
 *     varints   number of its first input, and of the one after its last
 *     varint    flags: 1 no_lone_annexes, 2 drops_repeats
 *     texts     home, base, below
 *     varint    number of files; for each
 *         text      path
 *         varints   role, size, flags (1 a URL as it was typed), offset of the
 *                   name of a member in the path, 0: none
 *         8, 4      modification time, and its nanoseconds, little-endian
 *     varint    number of names; texts
 *     varints   struct cfs_part_counts
 *     for each file and each name
 *         varints   captures skipped, by enum cfs_skipped_kind
 *     the rest  damage (format/cfx/cfx_damage.h)
 *
 * A text is a varint, its bytes plus 1, and the bytes; 0 for NULL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"

#define NAMES_MAX ((size_t)256 << 20)
enum { NO_LONE_ANNEXES = 1, DROPS_REPEATS = 2 };

static void put_text(struct cfs_buf *out, const char *text)
{
	cfs_buf_varint(out, text == NULL ? 0 : strlen(text) + 1);
	if (text != NULL)
		cfs_buf_adds(out, text);
}

static void put_file(struct cfs_buf *out, const struct cfs_indexer_file *f)
{
	put_text(out, f->path);
	cfs_buf_varint(out, f->role);
	cfs_buf_varint(out, f->size);
	cfs_buf_varint(out, f->is_given);
	cfs_buf_varint(out, f->member == NULL ? 0 :
			    (uint64_t)(f->member - f->path));
	cfs_buf_le64(out, (uint64_t)f->mtime);
	cfs_buf_le32(out, f->mtime_nsec);
}

void cfs_part_tables_put(struct cfs_buf *out, const struct cfs_part_tables *t,
			  const struct cfs_indexer_files *files)
{
	uint32_t n_names = cfs_strtab_count(t->names);

	cfs_buf_varint(out, t->cut.from);
	cfs_buf_varint(out, t->cut.to);
	cfs_buf_varint(out, cfs_flag(t->no_lone_annexes, NO_LONE_ANNEXES) |
			    cfs_flag(t->drops_repeats, DROPS_REPEATS));
	put_text(out, t->home);
	put_text(out, t->base);
	put_text(out, t->below);
	cfs_buf_varint(out, files->n);
	for (size_t i = 0; i < files->n; i++)
		put_file(out, &files->v[i]);
	cfs_buf_varint(out, n_names);
	for (uint32_t i = 0; i < n_names; i++)
		put_text(out,
				      (const char *)cfs_strtab_get(t->names, i)
					      .p);
}

void cfs_part_counts_put(struct cfs_buf *out, const struct cfs_part_counts *c)
{
	cfs_buf_varint(out, c->sorted);
	cfs_buf_varint(out, c->repeated);
	cfs_buf_varint(out, c->related);
	cfs_buf_varint(out, c->unrelated);
}

static void take_counts(struct cfs_cursor *c, struct cfs_part_counts *out)
{
	out->sorted = cfs_cursor_varint(c);
	out->repeated = cfs_cursor_varint(c);
	out->related = cfs_cursor_varint(c);
	out->unrelated = cfs_cursor_varint(c);
}

/* Takes a text, malloced; NULL for none, without memory (*rc), or if c->bad. */
static char *take_text(struct cfs_cursor *c, int *rc)
{
	uint64_t n = cfs_cursor_varint(c);
	struct cfs_slice s;
	char *text;

	if (n == 0)
		return NULL;
	s = cfs_cursor_take(c, (size_t)(n - 1));
	if (cfs_slice_find(s, '\0') >= 0)
		c->bad = true;
	if (c->bad)
		return NULL;
	text = strndup((const char *)s.p, s.n);
	if (text == NULL)
		*rc = CFS_ENOMEM;
	return text;
}

/* Takes file number i; is_own: the part was made of it. */
static int take_file(struct cfs_cursor *c, size_t i, bool is_own,
				  struct cfs_indexer_files *files)
{
	struct cfs_indexer_file *f;
	int rc = CFS_OK;
	char *path = take_text(c, &rc);
	uint64_t role = cfs_cursor_varint(c), size = cfs_cursor_varint(c);
	uint64_t is_given = cfs_cursor_varint(c), member = cfs_cursor_varint(c);
	struct cfs_source as = { .size = size,
				 .mtime = (int64_t)cfs_cursor_le64(c),
				 .mtime_nsec = cfs_cursor_le32(c) };

	if (rc == CFS_OK &&
	    (c->bad || path == NULL || strchr(path, '/') == NULL ||
	     member > strlen(path) || role >= CFS_FILE_SELECTION))
		rc = CFS_EFORMAT;
	if (rc == CFS_OK && i < files->n) {
		f = &files->v[i];
		rc = strcmp(f->path, path) == 0 ? CFS_OK : CFS_EFORMAT;
		if (is_own) {
			f->size = size;
			f->mtime = as.mtime;
			f->mtime_nsec = as.mtime_nsec;
		}
	} else if (rc == CFS_OK) {
		rc = cfs_indexer_add_file(files, path, is_given != 0,
					  (enum cfs_file_role)role, &as);
		if (rc == CFS_OK && member > 0)
			files->v[i].member = path + member;
		path = NULL;
	}
	free(path);
	return rc;
}

static int take_names(struct cfs_cursor *c,
				   struct cfs_strtab *names)
{
	uint64_t n = cfs_cursor_varint(c);
	int rc = CFS_OK;

	for (uint64_t i = 0; rc == CFS_OK && i < n; i++) {
		uint32_t number;
		char *name = take_text(c, &rc);

		if (rc == CFS_OK)
			rc = name == NULL ? CFS_EFORMAT :
			     cfs_strtab_add(names, cfs_slice_of(name,
					    strlen(name) + 1), &number);
		if (rc == CFS_OK && number != i)
			rc = CFS_EFORMAT;
		free(name);
	}
	return rc;
}

static int take_skipped(struct cfs_cursor *c, struct cfs_part_tables *t,
			size_t n_files)
{
	t->n_skipped = n_files + cfs_strtab_count(t->names);
	t->skipped = calloc(t->n_skipped + 1, sizeof(*t->skipped));
	if (t->skipped == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; i < t->n_skipped; i++)
		for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
			t->skipped[i][k] = cfs_cursor_varint(c);
	return CFS_OK;
}

static int take_tables(struct cfs_cursor *c, struct cfs_part_tables *t,
			     struct cfs_indexer_files *files)
{
	bool is_first = files->n == 0;
	uint64_t flags, n;
	int rc = CFS_OK;

	t->cut.from = cfs_cursor_varint(c);
	t->cut.to = cfs_cursor_varint(c);
	flags = cfs_cursor_varint(c);
	t->no_lone_annexes = flags & NO_LONE_ANNEXES;
	t->drops_repeats = flags & DROPS_REPEATS;
	t->home = take_text(c, &rc);
	if (rc == CFS_OK)
		t->base = take_text(c, &rc);
	if (rc == CFS_OK)
		t->below = take_text(c, &rc);
	n = cfs_cursor_varint(c);
	if (rc == CFS_OK && (c->bad || (!is_first && n != files->n)))
		rc = CFS_EFORMAT;
	for (size_t i = 0; rc == CFS_OK && i < n; i++)
		rc = take_file(c, i, i >= t->cut.from &&
					    i < t->cut.to, files);
	if (rc == CFS_OK)
		rc = take_names(c, t->names);
	take_counts(c, &t->counts);
	if (rc == CFS_OK)
		rc = take_skipped(c, t, files->n);
	if (rc == CFS_OK)
		rc = cfs_buf_add(&t->damage, c->rest);
	return rc == CFS_OK && c->bad ? CFS_EFORMAT : rc;
}

int cfs_part_tables_take(struct cfs_slice in, struct cfs_part_tables *t,
			  struct cfs_indexer_files *files,
			  struct cfs_error *err)
{
	struct cfs_cursor c = { in, false };
	int rc;

	*t = (struct cfs_part_tables){ .names = cfs_strtab_new(NAMES_MAX) };
	cfs_buf_init(&t->damage, SIZE_MAX / 2);
	rc = t->names == NULL ? CFS_ENOMEM : take_tables(&c, t, files);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "tables are damaged");
}

void cfs_part_tables_release(struct cfs_part_tables *t)
{
	cfs_strtab_free(t->names);
	free(t->home);
	free(t->base);
	free(t->below);
	free(t->skipped);
	cfs_buf_release(&t->damage);
}
