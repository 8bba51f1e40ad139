/* fields.h - the fields of a row: their names, order and types, and what of a
 * capture each of them needs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_FIELDS_H
#define CFS_EXPORT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "index/conditions.h"

/* In the order in which rows have them. */
enum cfs_export_field {
	CFS_EXPORT_URL,
	CFS_EXPORT_SURT,
	CFS_EXPORT_HOST,
	CFS_EXPORT_DOMAIN,
	CFS_EXPORT_TIMESTAMP,
	CFS_EXPORT_RECORD_TYPE,
	CFS_EXPORT_RECORD_ID,
	CFS_EXPORT_REVISIT_OF,
	CFS_EXPORT_IP,
	CFS_EXPORT_STATUS,
	CFS_EXPORT_REDIRECT,
	CFS_EXPORT_MIME,
	CFS_EXPORT_MIME_DETECTED,
	CFS_EXPORT_CHARSET,
	CFS_EXPORT_HTML_LANG,
	CFS_EXPORT_LANGUAGES,
	CFS_EXPORT_LANGUAGE_SCORE,
	CFS_EXPORT_DIGEST,
	CFS_EXPORT_ARCHIVE,
	CFS_EXPORT_OFFSET,
	CFS_EXPORT_LENGTH,
	CFS_EXPORT_PATH,
	CFS_EXPORT_CANONICAL,
	CFS_EXPORT_TITLE,
	CFS_EXPORT_AUTHOR,
	CFS_EXPORT_PUBLISHED,
	CFS_EXPORT_DESCRIPTION,
	CFS_EXPORT_ROBOTS,
	CFS_EXPORT_TEXT,
	CFS_EXPORT_MARKDOWN,
	CFS_EXPORT_MAIN,
	CFS_EXPORT_HTML,
	CFS_EXPORT_BODY,
	CFS_EXPORT_HEADERS,
	CFS_EXPORT_LINKS,
	CFS_EXPORT_META,
	CFS_EXPORT_REQUEST,
	CFS_EXPORT_SIMHASH,
	CFS_EXPORT_CLUSTER,
	CFS_EXPORT_TRUNCATED,
	CFS_EXPORT_SELECTION,
	CFS_EXPORT_ERROR,
	CFS_EXPORT_RECORD,	/* the whole record, for formats that are made
				 * of it: users cannot name it */
	CFS_EXPORT_LANGUAGES_FOUND,	/* in the text, where the index has
				 * none: users ask for it by naming
				 * LANGUAGES */
	CFS_EXPORT_FIELDS
};

/* A set of fields: bit f for field f. */
typedef uint64_t cfs_export_set;
#define CFS_EXPORT_BIT(field) ((cfs_export_set)1 << (field))

/* The fields that are made of the URL alone. */
#define CFS_EXPORT_OF_URL \
	(CFS_EXPORT_BIT(CFS_EXPORT_URL) | CFS_EXPORT_BIT(CFS_EXPORT_SURT) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_HOST) | CFS_EXPORT_BIT(CFS_EXPORT_DOMAIN))

/* The fields that a page, or its server, says of itself. */
#define CFS_EXPORT_OF_PAGE \
	(CFS_EXPORT_BIT(CFS_EXPORT_HTML_LANG) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_CANONICAL) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_AUTHOR) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_PUBLISHED) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_DESCRIPTION) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_ROBOTS))

/* The fields that are made of a page's main content. */
#define CFS_EXPORT_OF_MAIN \
	(CFS_EXPORT_BIT(CFS_EXPORT_MARKDOWN) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_MAIN) | CFS_EXPORT_BIT(CFS_EXPORT_SIMHASH))

/* The types of values. */
enum cfs_export_kind {
	CFS_EXPORT_TEXTUAL,	/* text, UTF-8 unless the archive's is not */
	CFS_EXPORT_NUMBER,	/* a whole number, not negative */
	CFS_EXPORT_SIGNED,	/* a whole number of 64 bits with a sign */
	CFS_EXPORT_PERCENT,	/* a number from 0 to 1 in hundredths */
	CFS_EXPORT_WORDS,	/* several words, with commas between them */
	CFS_EXPORT_BYTES,	/* any bytes */
	CFS_EXPORT_PAIRS,	/* names with values */
	CFS_EXPORT_JSON,	/* a JSON value, on one line */
};

/* The parts of a record that a field is made of, as bits.  Without any, the
 * index suffices. */
#define CFS_EXPORT_OF_RECORD 1u		/* the record, at least its head */
#define CFS_EXPORT_OF_BODY 2u		/* its body, encodings undone */

struct cfs_export_field_row {
	const char *name;		/* NULL: it has none */
	enum cfs_export_kind kind;
	unsigned made_of;
	bool is_default;	/* a row has it if no fields are named */
	const char *about;	/* a phrase for help texts and manuals */
};

/* True for kinds whose values are numbers. */
static inline bool cfs_export_is_number(enum cfs_export_kind kind)
{
	return kind == CFS_EXPORT_NUMBER || kind == CFS_EXPORT_SIGNED ||
	       kind == CFS_EXPORT_PERCENT;
}

/* By number. */
extern const struct cfs_export_field_row cfs_export_fields[CFS_EXPORT_FIELDS];

/* Finds a field that users can name.  False: there is none. */
bool cfs_export_field_find(struct cfs_slice name, unsigned *out);

/* The fields of rows for which none are named. */
cfs_export_set cfs_export_default_fields(void);

/* Parses a list of names with commas.  Rows always may have `error`, so it is
 * in every set.  0, or CFS_EUSAGE with the name that is unknown. */
int cfs_export_fields_parse(const char *list, cfs_export_set *out,
			    struct cfs_error *err);

/* The parts of a record that the fields of a set are made of. */
unsigned cfs_export_made_of(cfs_export_set set);

/* The same, and what tells whether a record in an archive meets conditions. */
unsigned cfs_export_demands(cfs_export_set set,
			    const struct cfs_conditions *conditions);

#endif
