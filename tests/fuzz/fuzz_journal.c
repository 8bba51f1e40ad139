/* fuzz_journal.c - any lines as a journal, whole and with a damaged byte: what
 * is read from it is what was written, and nothing of a damaged line.
 *
 * The first byte chooses which byte is damaged, and how.  No byte is damaged if a
 * line contains the check of its own beginning: a single bit would make a line
 * end behind that, and no check can tell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fuzz.h"
#include "base/hash.h"
#include "base/journal.h"

#define SEED 7u
#define CHECK_BYTES 17u

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

static void make_check(struct cfs_slice words, char out[CHECK_BYTES + 1])
{
	snprintf(out, CHECK_BYTES + 1, " %016" PRIx64, cfs_hash64(words, SEED));
}

/* True if the words of a line begin with words and their check. */
static bool holds_check(struct cfs_slice line)
{
	char check[CHECK_BYTES + 1];

	for (size_t i = 0; i + CHECK_BYTES <= line.n; i++) {
		struct cfs_slice at = cfs_slice_sub(line, i, CHECK_BYTES);

		if (at.p[0] != ' ' || cfs_slice_rfind(at, ' ') > 0)
			continue;
		make_check(cfs_slice_sub(line, 0, i), check);
		if (cfs_slice_eq(at, cfs_slice_str(check)))
			return true;
	}
	return false;
}

/* Any bytes: a line that is accepted has the check of its words. */
static void read_any(struct cfs_slice s)
{
	struct cfs_slice words;
	char check[CHECK_BYTES + 1];
	int rc;

	for (;;) {
		struct cfs_slice before = s;

		rc = cfs_journal_next(&s, SEED, &words);
		if (rc == CFS_END)
			break;
		must(s.n < before.n && s.p == before.p + (before.n - s.n));
		if (rc != CFS_OK)
			continue;
		must(cfs_slice_find(words, '\n') < 0);
		make_check(words, check);
		must(words.p == before.p &&
		     words.n + CHECK_BYTES + 1 == before.n - s.n &&
		     memcmp(words.p + words.n, check, CHECK_BYTES) == 0);
	}
	must(s.n == 0 || cfs_slice_find(s, '\n') < 0);
}

/* The lines of `text` are in the journal, in their order; `damaged`: one of
 * them may be missing, or two that have become one. */
static void compare(struct cfs_slice journal, struct cfs_slice text,
		    bool is_damaged)
{
	struct cfs_slice words, line;
	unsigned missing = 0;
	int rc;

	while ((rc = cfs_journal_next(&journal, SEED, &words)) != CFS_END) {
		must(rc == CFS_OK || is_damaged);
		if (rc != CFS_OK)
			continue;
		do {
			must(text.n > 0);
			line = cfs_slice_split(&text, '\n');
			missing++;
		} while (!cfs_slice_eq(line, words));
		missing--;
	}
	while (text.n > 0) {
		cfs_slice_split(&text, '\n');
		missing++;
	}
	must(missing <= (is_damaged ? 2u : 0u));
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice text, rest, line;
	char check[CHECK_BYTES + 1];
	bool may_damage = true;
	struct cfs_buf b;

	if (size < 3 || size > 65536)
		return 0;
	text = rest = cfs_slice_of(data + 3, size - 3);
	read_any(text);
	cfs_buf_init(&b, 1 << 24);
	while (rest.n > 0) {
		line = cfs_slice_split(&rest, '\n');
		cfs_buf_add(&b, line);
		make_check(line, check);
		cfs_buf_addf(&b, "%s\n", check);
		may_damage = may_damage && !holds_check(line);
	}
	compare(cfs_buf_slice(&b), text, false);
	if (b.n > 0 && may_damage) {
		b.p[(data[1] << 8 | data[2]) % b.n] ^= (uint8_t)(data[0] | 1u);
		compare(cfs_buf_slice(&b), text, true);
		read_any(cfs_buf_slice(&b));
	}
	cfs_buf_release(&b);
	return 0;
}
