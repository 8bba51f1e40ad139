/* suffixes.c - reads the public suffix list, and finds registered domains (see
 * suffixes.h).
 *
 * Format (https://github.com/publicsuffix/list/wiki/Format): UTF-8, a rule a
 * line, up to the first blank.
 *
 *     // comment                ===BEGIN ICANN DOMAINS=== and ===END ICANN
 *                               DOMAINS=== are its first division
 *     co.uk                     is a suffix
 *     *.ck                      so is every name with one label more than ck
 *     !www.ck                   but not this one
 *
 * Rules are kept in a hash table by their labels in reverse order, "uk.co", and
 * so is the beginning of each of them ("uk"), so that a search ends as soon as
 * no rule begins with the labels that it has seen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suffixes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/timestamp.h"
#include "url/path.h"
#include "url/surt.h"

/* Names of hosts have at most 253 bytes (RFC 1035, 2.3.4). */
#define NAME_MAX_BYTES 253u
/* Every other byte of a list, in both forms, may end a name. */
#define NAMES_MAX CFS_SUFFIXES_BYTES_MAX

enum { IS_SUFFIX = 1, IS_PARENT_OF_ALL = 2, IS_EXCEPTION = 4 };

struct suffix_name {
	uint32_t at;			/* in text */
	uint8_t n, flags;
};

struct cfs_suffixes {
	struct cfs_buf text;
	struct suffix_name *v;
	size_t n, room;
	uint32_t *slots;		/* a number + 1 by hash; 0: free */
	size_t n_slots;			/* a power of two */
	int64_t time;
};

/* ---- the table ----------------------------------------------------------- */

static struct cfs_slice suffix_text(const struct cfs_suffixes *s, uint32_t i)
{
	return cfs_slice_of(s->text.p + s->v[i].at, s->v[i].n);
}

static uint32_t *suffix_slot(const struct cfs_suffixes *s,
			     struct cfs_slice name)
{
	size_t i = cfs_hash_fast(name, 0) & (s->n_slots - 1);

	while (s->slots[i] != 0 &&
	       !cfs_slice_eq(suffix_text(s, s->slots[i] - 1), name))
		i = (i + 1) & (s->n_slots - 1);
	return &s->slots[i];
}

/* Makes room for one name more. */
static int suffixes_grow(struct cfs_suffixes *s)
{
	size_t n_slots = s->n_slots == 0 ? 1024 : 2 * s->n_slots;
	uint32_t *slots;

	if (cfs_array_reserve((void **)&s->v, &s->room, s->n + 1,
			      sizeof(*s->v), NAMES_MAX) != CFS_OK)
		return CFS_ENOMEM;
	if (2 * (s->n + 1) <= s->n_slots)
		return CFS_OK;
	slots = calloc(n_slots, sizeof(*slots));
	if (slots == NULL)
		return CFS_ENOMEM;
	free(s->slots);
	s->slots = slots;
	s->n_slots = n_slots;
	for (size_t i = 0; i < s->n; i++)
		*suffix_slot(s, suffix_text(s, (uint32_t)i)) =
			(uint32_t)(i + 1);
	return CFS_OK;
}

/* Adds flags to those of a reversed name: n bytes of the text from `at` on. */
static int suffixes_mark(struct cfs_suffixes *s, size_t at, size_t n,
			 uint8_t flags)
{
	uint32_t *slot;

	if (suffixes_grow(s) != CFS_OK)
		return CFS_ENOMEM;
	slot = suffix_slot(s, cfs_slice_of(s->text.p + at, n));
	if (*slot == 0) {
		s->v[s->n++] = (struct suffix_name){ (uint32_t)at, (uint8_t)n,
						     0 };
		*slot = (uint32_t)s->n;
	}
	s->v[*slot - 1].flags |= flags;
	return CFS_OK;
}

/* Adds a rule's name, which is in the order of hosts, and its beginnings. */
static int suffixes_add(struct cfs_suffixes *s, struct cfs_slice name,
			uint8_t flags)
{
	size_t at = s->text.n;
	int rc;

	if (name.n == 0 || name.n > NAME_MAX_BYTES)
		return CFS_OK;
	cfs_path_reverse_labels(&s->text, name, '.', '.');
	rc = s->text.failed;
	for (size_t n = 0; rc == CFS_OK && n < name.n; n++)
		if (s->text.p[at + n] == '.')
			rc = suffixes_mark(s, at, n, 0);
	return rc == CFS_OK ? suffixes_mark(s, at, name.n, flags) : rc;
}

/* ---- reading ------------------------------------------------------------- */

static bool has_wide(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 0x80)
			return true;
	return false;
}

/* Adds a rule, in UTF-8 and in ASCII: keys of indexes have either. */
static int suffixes_add_rule(struct cfs_suffixes *s, struct cfs_slice rule)
{
	uint8_t flags = IS_SUFFIX;
	struct cfs_buf name;
	int rc;

	if (rule.p[0] == '!')
		flags = IS_EXCEPTION;
	else if (cfs_slice_starts(rule, CFS_SLICE_LIT("*.")))
		flags = IS_PARENT_OF_ALL;
	if (flags != IS_SUFFIX)
		rule = cfs_slice_from(rule, flags == IS_EXCEPTION ? 1 : 2);
	if (cfs_slice_find(rule, '*') >= 0)
		return CFS_OK;		/* no such rule was ever made */
	cfs_buf_init(&name, CFS_SUFFIXES_BYTES_MAX);
	cfs_buf_add_lower(&name, rule);
	rc = suffixes_add(s, cfs_buf_slice(&name), flags);
	if (rc == CFS_OK && rule.n <= NAME_MAX_BYTES && has_wide(rule)) {
		cfs_surt_ascii_host(&name);
		rc = suffixes_add(s, cfs_buf_slice(&name), flags);
	}
	if (name.failed != CFS_OK)
		rc = CFS_ENOMEM;
	cfs_buf_release(&name);
	return rc;
}

/* Reads the date out of a comment "// VERSION: 2024-02-20_12-34-56_UTC". */
static void suffixes_take_version(struct cfs_suffixes *s,
				  struct cfs_slice line)
{
	static const struct cfs_slice mark = CFS_SLICE_LIT("// VERSION: ");
	int64_t time;

	if (cfs_slice_starts(line, mark) &&
	    cfs_time_parse_iso(cfs_slice_sub(line, mark.n, 10), &time) ==
		    CFS_OK)
		s->time = time;
}

static int suffixes_read(struct cfs_suffixes *s, struct cfs_slice text,
			 struct cfs_error *err)
{
	bool is_in = false, was_in = false;
	int rc = CFS_OK;

	while (rc == CFS_OK && text.n > 0) {
		struct cfs_slice line = cfs_slice_split(&text, '\n');
		size_t end = 0;

		if (cfs_slice_starts(line, CFS_SLICE_LIT("//"))) {
			suffixes_take_version(s, line);
			if (cfs_slice_search(line, CFS_SLICE_LIT(
					"===BEGIN ICANN")) >= 0)
				is_in = was_in = true;
			else if (cfs_slice_search(line, CFS_SLICE_LIT(
					"===END ICANN")) >= 0)
				is_in = false;
			continue;
		}
		while (end < line.n && line.p[end] > ' ')
			end++;
		if (is_in && end > 0)
			rc = suffixes_add_rule(s, cfs_slice_sub(line, 0, end));
	}
	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	return was_in && s->n > 0 ? CFS_OK :
	       cfs_error_set(err, CFS_EFORMAT, "this is not a public suffix "
			     "list: nothing follows '===BEGIN ICANN "
			     "DOMAINS==='");
}

int cfs_suffixes_parse(struct cfs_suffixes **out, struct cfs_slice text,
		       int64_t time, struct cfs_error *err)
{
	struct cfs_suffixes *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (s == NULL)
		return cfs_error_nomem(err);
	/* each name once more in ASCII, which is longer */
	cfs_buf_init(&s->text, UINT32_MAX);
	s->time = time;
	rc = text.n <= CFS_SUFFIXES_BYTES_MAX ? suffixes_read(s, text, err) :
	     cfs_error_set(err, CFS_ELIMIT, "the list is longer than %zu bytes",
			   CFS_SUFFIXES_BYTES_MAX);
	if (rc == CFS_OK)
		*out = s;
	else
		cfs_suffixes_free(s);
	return rc;
}

int cfs_suffixes_open(struct cfs_suffixes **out, const char *path,
		      struct cfs_error *err)
{
	struct cfs_buf text;
	struct stat st;
	int rc;

	*out = NULL;
	cfs_buf_init(&text, CFS_SUFFIXES_BYTES_MAX);
	rc = cfs_file_read(path, &text);
	if (rc == CFS_ENOTFOUND || rc == CFS_EIO)
		cfs_error_set(err, rc, "'%.150s': %s", path, strerror(errno));
	else if (rc != CFS_OK)
		cfs_error_set(err, rc, "'%.150s' is too long for a public "
			      "suffix list", path);
	else
		rc = cfs_suffixes_parse(out, cfs_buf_slice(&text),
					stat(path, &st) == 0 ? st.st_mtime : 0,
					err);
	cfs_error_where(err, path, 0);
	cfs_buf_release(&text);
	return rc;
}

void cfs_suffixes_free(struct cfs_suffixes *s)
{
	if (s == NULL)
		return;
	cfs_buf_release(&s->text);
	free(s->v);
	free(s->slots);
	free(s);
}

int64_t cfs_suffixes_time(const struct cfs_suffixes *s)
{
	return s->time;
}

/* ---- domains ------------------------------------------------------------- */

/* True for what no domain begins with: the number of an IPv4 address, an IPv6
 * address, either of them whole. */
static bool begins_address(struct cfs_slice label)
{
	size_t digits = 0;

	for (size_t i = 0; i < label.n; i++) {
		if (label.p[i] == ':' || label.p[i] == '[')
			return true;
		digits += (label.p[i] >= '0' && label.p[i] <= '9') ||
			  label.p[i] == '.';
	}
	return label.n > 0 && digits == label.n;
}

/* The labels of the suffix of a host by the plain rule. */
static unsigned plain_suffix(const struct cfs_slice *labels, unsigned n)
{
	return n > 1 && labels[0].n == 2 &&
	       cfs_slice_in_words(labels[1], "ac co com edu gob go gov gv mil "
				  "ne net nom or org sch") ? 2 : 1;
}

/* The same by the list. */
static unsigned listed_suffix(const struct cfs_suffixes *s,
			      const struct cfs_slice *labels, unsigned n)
{
	uint8_t name[NAME_MAX_BYTES];
	size_t bytes = 0;
	unsigned suffix = 1;		/* the rule for what no rule is for */

	for (unsigned i = 0; i < n && i < CFS_SUFFIXES_LABELS_MAX; i++) {
		uint32_t number;
		uint8_t flags;

		if (labels[i].n + (i > 0) > sizeof(name) - bytes)
			break;
		if (i > 0)
			name[bytes++] = '.';
		memcpy(name + bytes, labels[i].p, labels[i].n);
		bytes += labels[i].n;
		number = *suffix_slot(s, cfs_slice_of(name, bytes));
		if (number == 0)
			break;
		flags = s->v[number - 1].flags;
		if ((flags & IS_EXCEPTION) != 0)
			return i;
		if ((flags & IS_SUFFIX) != 0)
			suffix = i + 1;
		if ((flags & IS_PARENT_OF_ALL) != 0)
			suffix = i + 2;
	}
	return suffix;
}

unsigned cfs_suffixes_domain(const struct cfs_suffixes *s,
			     const struct cfs_slice *labels, unsigned n)
{
	unsigned suffix;

	if (begins_address(labels[0]))
		return n;
	suffix = s != NULL ? listed_suffix(s, labels, n) :
			     plain_suffix(labels, n);
	return suffix < n ? suffix + 1 : n;
}
