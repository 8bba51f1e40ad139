/* matcher.h - compiled patterns, and the lines and spans that match them.
 *
 * Lines are found by PCRE2's usual matcher, which is compiled to machine code
 * where that is possible.  Of patterns of POSIX the span of a match is the
 * longest of those that begin first, which PCRE2's other matcher finds
 * (pcre2_dfa_match); it also decides where the usual one would take too long.
 * The work of both is counted, and limited for each text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_GREP_MATCHER_H
#define CFS_GREP_MATCHER_H

#include <locale.h>

#include "base/buf.h"
#include "base/cancel.h"

/* ---- classes of characters (char_class.c) ---- */

#define CFS_CHAR_CLASSES 12u

/* The letters and classes of grep's locale, for all patterns. */
struct cfs_char_classes {
	locale_t locale;	/* C.UTF-8, or if that is missing, C */
	struct cfs_buf text[CFS_CHAR_CLASSES];	/* those used so far */
};

/* 0 or CFS_ENOMEM. */
int cfs_char_classes_init(struct cfs_char_classes *c, struct cfs_error *err);
void cfs_char_classes_release(struct cfs_char_classes *c);

/* Appends the class of POSIX with that name, for brackets of PCRE2: beyond
 * ASCII it has the characters that the C library counts among it.  False: none
 * has that name. */
bool cfs_char_class_add(struct cfs_char_classes *c, struct cfs_slice name,
			struct cfs_buf *out);

/* ---- expressions (expression.c) ---- */

enum cfs_expression_syntax {
	CFS_EXPRESSION_BASIC,		/* -G */
	CFS_EXPRESSION_EXTENDED,	/* -E */
	CFS_EXPRESSION_FIXED,		/* -F: the bytes themselves */
	CFS_EXPRESSION_PERL,		/* -P: as it is */
};

/* Bytes of a pattern, and groups inside each other. */
#define CFS_EXPRESSION_MAX ((size_t)32 << 10)
#define CFS_EXPRESSION_DEPTH 240u

#define CFS_EXPRESSION_MANY (UINT64_C(1) << 20)

struct cfs_expression_traits {
	bool refers_back;	/* it has back references; only then does it
				 * have groups that capture */
	bool scans;		/* it may read on from one place for long: a
				 * repetition has no end, or a distant one */
	uint64_t repeated;	/* characters that repetitions with an end
				 * stand for; at most CFS_EXPRESSION_MANY */
};

/* A class of the characters of words: letters, marks, digits and '_', which are
 * those of glibc's C.UTF-8. */
#define CFS_EXPRESSION_WORD "[A-Za-z0-9_\\p{Alphabetic}\\p{Nd}]"

/*
 * Appends the pattern, which has no line end, as one of PCRE2 with PCRE2_UTF
 * and PCRE2_MULTILINE.  It matches nothing that contains a line end.  In it a
 * character that may be repeated but not left out ends in "{1,})", and nothing
 * else does.
 *
 * ignores_case  it will be compiled with PCRE2_CASELESS
 * runs          for each of the alternatives that the pattern is, outside of
 *               groups, texts are appended that all its matches have, with -i
 *               in any case of letters: a line each, and an empty line behind
 *               the last one
 * traits        set to what it is like
 *
 * 0; CFS_EUSAGE with what is wrong with the pattern; CFS_ENOMEM.
 * Source: POSIX.1-2017, 9.3 to 9.5; grep 3.8, "Regular Expressions".
 */
int cfs_expression_translate(struct cfs_slice pattern,
			     enum cfs_expression_syntax syntax,
			     bool ignores_case,
			     struct cfs_char_classes *classes,
			     struct cfs_buf *out, struct cfs_buf *runs,
			     struct cfs_expression_traits *traits,
			     struct cfs_error *err);

/* ---- patterns (matcher.c) ---- */

/* Bytes of all patterns together. */
#define CFS_MATCHER_PATTERNS_MAX ((size_t)16 << 20)

struct cfs_matcher_opts {
	enum cfs_expression_syntax syntax;
	bool ignores_case;
	bool is_word, is_line;		/* only whole words, whole lines */
};

struct cfs_matcher;			/* immutable; threads share it */
struct cfs_matching;			/* the state of one thread */

/*
 * Compiles patterns, one a line; a line end behind the last one is not needed
 * (of "" that is no pattern, of "\n" an empty one).
 *
 * 0; CFS_EUSAGE: err says which pattern is wrong; CFS_ENOMEM.
 */
int cfs_matcher_new(struct cfs_matcher **out, struct cfs_slice patterns,
		    const struct cfs_matcher_opts *opts, struct cfs_error *err);
void cfs_matcher_free(struct cfs_matcher *m);	/* accepts NULL */

/* The runs of all its patterns (cfs_expression_translate): a text in which none
 * of the alternatives has all its runs has no match.  Lent. */
struct cfs_slice cfs_matcher_runs(const struct cfs_matcher *m);

/* Makes the state of a thread, which borrows m; NULL: out of memory. */
struct cfs_matching *cfs_matching_new(const struct cfs_matcher *m);
void cfs_matching_free(struct cfs_matching *g);	/* accepts NULL */

/* Begins with a text, which is borrowed and ends with a line end, or is
 * empty. */
void cfs_matching_begin(struct cfs_matching *g, struct cfs_slice text);

/*
 * Finds the first line with a match at or behind `from`, the beginning of a
 * line that is not before that of the last call.
 *
 * line  set to where it begins and ends, with its line end
 *
 * 0; CFS_END: there is none; CFS_ELIMIT: it would take too long; CFS_EINTR;
 * CFS_ENOMEM.
 */
int cfs_matching_line(struct cfs_matching *g, size_t from, size_t line[2],
		      struct cfs_ctx ctx);

/* The work that was counted since the text began: steps of the usual matcher
 * where they are counted, and bytes that the other one has read, times the
 * weight of the pattern. */
uint64_t cfs_matching_work(const struct cfs_matching *g);

/* Finds the first match in a line of the text, its longest one, that begins at
 * `from` or behind it; positions are those of the text.  Codes as
 * cfs_matching_line. */
int cfs_matching_span(struct cfs_matching *g, const size_t line[2], size_t from,
		      size_t span[2], struct cfs_ctx ctx);

#endif
