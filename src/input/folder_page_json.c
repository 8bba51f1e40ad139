/* folder_page_json.c - parses folder listings in JSON, of nginx and of Caddy.
 *
 *     nginx   [{"name": NAME, "type": "file"|"directory"|"other",
 *               "mtime": HTTP-DATE, "size": BYTES}, ...]
 *     Caddy   [{"name": NAME, "size": BYTES, "url": "./NAME",
 *               "mod_time": RFC-3339, "mode": N, "is_dir": BOOLEAN,
 *               "is_symlink": BOOLEAN}, ...]
 *
 * NAME is not encoded; Caddy ends a folder's with a '/'.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "folder_page.h"

#include "base/fileio.h"
#include "codec/json.h"

enum { NAME, TYPE, MTIME, SIZE, MOD_TIME, IS_DIR, FIELDS };

static bool folder_page_json_is_folder(const struct cfs_slice v[FIELDS])
{
	return cfs_slice_eq(v[TYPE], CFS_SLICE_LIT("directory")) ||
	       cfs_slice_eq(v[IS_DIR], CFS_SLICE_LIT("true"));
}

/* Reports one file or folder, whose decoded name is in `name`. */
static int folder_page_json_take(struct cfs_folder_page *l,
				 const struct cfs_slice v[FIELDS],
				 struct cfs_buf *name, struct cfs_buf *state)
{
	struct cfs_slice time = v[MTIME].n > 0 ? v[MTIME] : v[MOD_TIME];
	struct cfs_listed e = { .bytes = CFS_FOLDER_PAGE_SIZE_UNKNOWN };

	e.is_folder = folder_page_json_is_folder(v);
	e.name = cfs_buf_slice(name);
	if (e.is_folder && e.name.n > 0 && e.name.p[e.name.n - 1] == '/')
		e.name.n--;
	if (!cfs_folder_page_is_name(e.name))
		return CFS_OK;
	if (cfs_slice_parse_u64(v[SIZE], INT64_MAX, &e.bytes) != CFS_OK)
		e.bytes = CFS_FOLDER_PAGE_SIZE_UNKNOWN;
	if (time.n > 0) {
		cfs_buf_reset(state);
		cfs_buf_add(state, time);
		cfs_buf_addc(state, ' ');
		cfs_buf_add(state, v[SIZE]);
		e.state = cfs_folder_page_state(cfs_buf_slice(state));
	}
	return l->each(l->arg, &e);
}

static int folder_page_json_take_object(struct cfs_folder_page *l,
					struct cfs_slice object,
					struct cfs_buf *name,
					struct cfs_buf *state)
{
	static const char *const paths[FIELDS] = { "name", "type", "mtime",
						   "size", "mod_time",
						   "is_dir" };
	struct cfs_slice v[FIELDS];
	struct cfs_json_text text;

	if (!cfs_json_pick(object, paths, FIELDS, v))
		return CFS_OK;
	text = (struct cfs_json_text){ v[NAME], cfs_slice_find(v[NAME], '\\') >=
						0 };
	cfs_buf_reset(name);
	if (v[NAME].n > CFS_NAME_BYTES_MAX ||
	    cfs_json_add_text(name, text) != CFS_OK)
		return name->failed == CFS_ENOMEM ? cfs_error_nomem(l->err) :
						    CFS_OK;
	return folder_page_json_take(l, v, name, state);
}

/* Reads the objects of the array.  False: it breaks off. */
static bool read_objects(struct cfs_folder_page *l, struct cfs_slice s,
			 struct cfs_buf *name, struct cfs_buf *state, int *rc)
{
	struct cfs_json_text text;

	for (;;) {
		struct cfs_slice object;

		cfs_json_skip_blanks(&s);
		if (s.n > 0 && s.p[0] == ']')
			return true;
		object = s;
		if (s.n == 0 || s.p[0] != '{' ||
		    !cfs_json_take_value(&s, &text))
			return false;
		object.n -= s.n;
		*rc = folder_page_json_take_object(l, object, name, state);
		if (*rc != CFS_OK)
			return true;
		cfs_json_skip_blanks(&s);
		if (s.n > 0 && s.p[0] == ',')
			s = cfs_slice_from(s, 1);
	}
}

int cfs_folder_page_read_json(struct cfs_folder_page *l)
{
	size_t at = (size_t)(cfs_slice_find(l->text, '[') + 1);
	struct cfs_buf name, state;
	int rc = CFS_OK;

	cfs_buf_init(&name, 4 * CFS_NAME_BYTES_MAX);
	cfs_buf_init(&state, l->text.n + 1);
	if (!read_objects(l, cfs_slice_from(l->text, at), &name, &state, &rc))
		rc = cfs_error_set(l->err, CFS_EFORMAT, "its listing in JSON "
				   "breaks off, or is none");
	cfs_buf_release(&state);
	cfs_buf_release(&name);
	return rc;
}
