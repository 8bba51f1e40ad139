/* tags.c - the elements of HTML by number (see tags.h).
 *
 * A table of 512 slots by a hash of the name's length and first eight bytes,
 * filled when it is first needed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tags.h"

#include <pthread.h>

#include "base/ascii.h"

#define SLOT_BITS 9
#define SLOTS (1u << SLOT_BITS)
#define NAME_MAX_BYTES 13u	/* "foreignobject" */

static const struct cfs_slice tag_names[CFS_TAG_COUNT] = {
	[CFS_TAG_OTHER] = { (const uint8_t *)"", 0 },
#define T(id, name) \
	[CFS_TAG_##id] = { (const uint8_t *)(name), sizeof(name) - 1 },
	CFS_HTML_TAGS(T)
#undef T
};

static uint8_t slots[SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Letters in lower case; digits and all else stay apart from them. */
static unsigned slot_of(struct cfs_slice name)
{
	uint64_t v = name.n;

	for (size_t i = 0; i < name.n; i++)
		v = v * 31 + (name.p[i] | 0x20);
	return (unsigned)(v * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS));
}

static void fill(void)
{
	for (unsigned tag = 1; tag < CFS_TAG_COUNT; tag++) {
		unsigned i = slot_of(tag_names[tag]);

		while (slots[i] != CFS_TAG_OTHER)
			i = (i + 1) & (SLOTS - 1);
		slots[i] = (uint8_t)tag;
	}
}

enum cfs_html_tag cfs_html_tag_find(struct cfs_slice name)
{
	unsigned i;

	if (name.n == 0 || name.n > NAME_MAX_BYTES)
		return CFS_TAG_OTHER;
	pthread_once(&once, fill);
	for (i = slot_of(name); slots[i] != CFS_TAG_OTHER;
	     i = (i + 1) & (SLOTS - 1))
		if (cfs_slice_eq_nocase(tag_names[slots[i]], name))
			return slots[i];
	return CFS_TAG_OTHER;
}

const char *cfs_html_tag_name(enum cfs_html_tag tag)
{
	return (const char *)tag_names[tag].p;
}
