/* names.h - components of the tree and the names they have in directories.
 *
 * The rules are the table of doc/tree.md, "Names in the tree": stateless,
 * reversible.
 *
 *     NAME                 directory, page or (by its suffix) view of a page
 *     NAME#[N][.VIEW]      full form: capture N (none: the preferred one)
 *     NAME#@DATE[.VIEW]    the capture nearest to the beginning of DATE
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_NAMES_H
#define CFS_CRAWL_NAMES_H

#include "base/slice.h"
#include "view/view.h"

/* Linux's NAME_MAX: cp, rsync and tar to other file systems fail past it. */
#define CFS_NAME_MAX 255
/* Escaped components up to this length are written out; longer ones are cut
 * and carry a hash. */
#define CFS_NAME_WHOLE_MAX 220
#define CFS_NAME_CUT 180

enum cfs_zone {
	CFS_ZONE_HOST,	/* host labels; `_` is the way to the pages */
	CFS_ZONE_PATH,	/* path segments */
};

/* From now on, and in the whole process, names are UTF-8: each byte of a
 * component that is not part of UTF-8 is `#%XX` in its name, and other names
 * are not parsed.  To be called before there are threads. */
void cfs_names_escape_bytes(bool are_escaped);

/* Writes the name of a component (without `#` forms) and returns its length,
 * at most CFS_NAME_CUT + 18 or CFS_NAME_WHOLE_MAX; not NUL-terminated. */
size_t cfs_name_escape(struct cfs_slice comp, enum cfs_zone zone,
		       char out[CFS_NAME_MAX]);

/* A name taken apart. */
struct cfs_name {
	/* The component, or (is_cut) the beginning of it. */
	uint8_t comp[CFS_NAME_MAX];
	size_t comp_n;
	bool is_cut;
	uint64_t hash;		/* hash of the whole component, if is_cut */
	bool is_full;		/* had `#`: names page, capture and view */
	uint64_t capture;	/* its number; 0: the preferred one */
	bool is_dated;		/* the capture nearest to `date` instead */
	int64_t date;
	struct cfs_slice suffix;	/* ".meta" or empty; borrows from the
					 * name */
};

/* Parses a name.  False if it is not the canonical name of any component. */
bool cfs_name_parse(struct cfs_slice name, enum cfs_zone zone,
		    struct cfs_name *out);

/* True if the name of a component is cut, which sets *hash to its hash. */
bool cfs_name_is_cut(struct cfs_slice comp, enum cfs_zone zone, uint64_t *hash);

/* True if comp is the component a cut name stands for. */
bool cfs_name_is_of(const struct cfs_name *name, struct cfs_slice comp,
		    enum cfs_zone zone);

/*
 * Finds the component whose plain name equals the name of `comp` plus a suffix:
 * its page or directory takes that name from the view.  False if there can be
 * none (the name is cut).  Writes at most CFS_NAME_MAX + suffix bytes.
 */
#define CFS_NAME_CLASH_MAX (CFS_NAME_MAX + 16)
bool cfs_name_clash(struct cfs_slice comp, struct cfs_slice suffix,
		    uint8_t out[CFS_NAME_CLASH_MAX], size_t *out_n);

/* One suffix of file names. */
struct cfs_suffix {
	enum cfs_view view;
	unsigned form;		/* which form, if a view has several */
	unsigned number;	/* from 0, below CFS_SUFFIXES_MAX; unused for
				 * RAW */
	struct cfs_slice text;
};
#define CFS_SUFFIXES_MAX 32u

/* Finds the view that a whole suffix means (".meta"; "" is RAW's).  False if
 * there is none. */
bool cfs_suffix_parse(struct cfs_slice suffix, struct cfs_suffix *out);

/* Finds the suffix of a view in one form.  False if it has no such form. */
bool cfs_suffix_find(enum cfs_view view, unsigned form, struct cfs_suffix *out);

/* Steps to the next suffix that is not empty, ordered by view and form; from a
 * zeroed s to the first.  False past the last. */
bool cfs_suffix_next(struct cfs_suffix *s);

#endif
