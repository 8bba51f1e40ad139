/* conditions.h - the conditions by which captures are picked: time, status,
 * type and language.
 *
 * They mean the same wherever captures are named: in mounts, commands and
 * indexes that are built.  crawlfs-pick(7) describes them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CONDITIONS_H
#define CFS_INDEX_CONDITIONS_H

#include "dates.h"
#include "language_codes.h"

/* The highest status that a condition can name. */
#define CFS_STATUS_MAX 999u
/* Compared bytes of a MIME type, and the most of a pattern. */
#define CFS_MIME_MAX 127u
/* Bytes of all patterns of types, and of all codes of languages. */
#define CFS_CONDITIONS_TEXT_MAX 65536u

/* Lists hold items separated by commas or, as after -o, by colons. */
struct cfs_conditions {
	struct cfs_dates dates;
	bool has_status;
	uint64_t status[CFS_STATUS_MAX / 64 + 1];	/* a bit for each */
	struct cfs_buf mimes;		/* patterns in lower case, each ended by
					 * NUL; empty: any type */
	struct cfs_buf languages;	/* codes without anything between them;
					 * empty: any language */
	bool any_language;		/* not only the first of a capture's
					 * languages counts */
};

void cfs_conditions_init(struct cfs_conditions *c);
void cfs_conditions_release(struct cfs_conditions *c);
/* Makes *out a copy; release it in any case.  0 or CFS_ENOMEM. */
int cfs_conditions_copy(struct cfs_conditions *out,
			const struct cfs_conditions *c);

/*
 * Add the items of a list to those that were given before: a capture must have
 * one of them.
 *
 *     status     200, 2xx, 300-399
 *     mime       application/pdf; image with a star for its subtype; pdf, for
 *                that subtype of any type
 *     languages  codes of ISO 639-3 or ISO 639-1; with "any:" in front of the
 *                list, each language of a capture counts, else its first one
 *
 * 0; CFS_EUSAGE with what is wrong; CFS_ENOMEM.
 */
int cfs_conditions_add_status(struct cfs_conditions *c, const char *list,
			      struct cfs_error *err);
int cfs_conditions_add_mime(struct cfs_conditions *c, const char *list,
			    struct cfs_error *err);
int cfs_conditions_add_languages(struct cfs_conditions *c, const char *list,
				 struct cfs_error *err);

/* The properties of a capture that conditions ask about, however it was
 * read. */
struct cfs_traits {
	enum cfs_kind kind;
	int64_t time;
	uint16_t status;
	struct cfs_slice mime;
	struct cfs_slice languages;	/* codes with commas; may be empty */
};

static inline struct cfs_traits cfs_traits_of(const struct cfs_capture *cap)
{
	return (struct cfs_traits){ cap->kind, cap->time, cap->status,
				    cap->mime, cap->languages };
}

/* The conditions, as bits. */
enum {
	CFS_CONDITION_TIME = 1 << 0,
	CFS_CONDITION_STATUS = 1 << 1,
	CFS_CONDITION_MIME = 1 << 2,
	CFS_CONDITION_LANGUAGE = 1 << 3,
	CFS_CONDITION_FIRST = 1 << 4,	/* not a copy of an earlier one; not in
					 * struct cfs_conditions */
	CFS_CONDITION_PREFIX = 1 << 5,	/* nor is this one */
	CFS_CONDITIONS = 4,		/* number of those that are */
};

/* The conditions that are given; 0: all captures are picked. */
unsigned cfs_conditions_given(const struct cfs_conditions *c);

/* The conditions that a capture does not meet; 0: it is picked.  An unknown
 * value meets no condition, but an unknown time is older than all others, and
 * records for which HTTP has no status, such as conversions, count as 200. */
unsigned cfs_conditions_failed(const struct cfs_conditions *c,
			       const struct cfs_traits *t);

/* The status that counts in conditions: 200 for records without one because
 * HTTP was not involved. */
static inline uint16_t cfs_traits_status(const struct cfs_traits *t)
{
	bool is_plain = t->kind == CFS_KIND_RESOURCE ||
			t->kind == CFS_KIND_CONVERSION;

	return t->status == 0 && is_plain ? 200 : t->status;
}

/* The type without parameters and outer blanks, as it counts in conditions but
 * for the case of its letters. */
struct cfs_slice cfs_traits_type(const struct cfs_traits *t);

#endif
