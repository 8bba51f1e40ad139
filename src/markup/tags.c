/* tags.c - numbers for the names of HTML elements (see tags.h).
 *
 * Names are found by a hash table of 512 slots, which is filled on first use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tags.h"

#include <pthread.h>
#include <string.h>

#include "base/swar.h"

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

/* A name in lower case, in two numbers: its first eight bytes; the others, with
 * its length in the highest byte. */
struct key {
	uint64_t first, rest;
};

static uint8_t slots[SLOTS];
static struct key keys[CFS_TAG_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The first n bytes of eight, the others as 0. */
static inline uint64_t first_bytes(const uint8_t *p, size_t n)
{
	uint64_t v = cfs_swar_in_order_at(p);

	return cfs_swar_lower(n < 8 ? v & ((UINT64_C(1) << 8 * n) - 1) : v);
}

/* name.n is 1 to NAME_MAX_BYTES.  Elements are many and their names short: no
 * loop over the bytes, whose end no processor foresees. */
static struct key tags_key_of(struct cfs_slice name, size_t readable)
{
	uint8_t copy[16] = { 0 };
	const uint8_t *p = name.p;
	struct key k;

	if (readable < sizeof(copy)) {
		memcpy(copy, name.p, name.n);
		p = copy;
	}
	k.first = first_bytes(p, name.n);
	k.rest = first_bytes(p + 8, name.n < 8 ? 0 : name.n - 8) |
		 (uint64_t)name.n << 56;
	return k;
}

static unsigned tags_slot_of(struct key k)
{
	uint64_t v = k.first ^ k.rest << 24;

	return (unsigned)(v * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS));
}

static void tags_fill(void)
{
	for (unsigned tag = 1; tag < CFS_TAG_COUNT; tag++) {
		unsigned i;

		keys[tag] = tags_key_of(tag_names[tag], 0);
		i = tags_slot_of(keys[tag]);
		while (slots[i] != CFS_TAG_OTHER)
			i = (i + 1) & (SLOTS - 1);
		slots[i] = (uint8_t)tag;
	}
}

enum cfs_html_tag cfs_html_tag_find(struct cfs_slice name, size_t readable)
{
	struct key k;

	if (name.n == 0 || name.n > NAME_MAX_BYTES)
		return CFS_TAG_OTHER;
	pthread_once(&once, tags_fill);
	k = tags_key_of(name, readable);
	for (unsigned i = tags_slot_of(k); slots[i] != CFS_TAG_OTHER;
	     i = (i + 1) & (SLOTS - 1))
		if (keys[slots[i]].first == k.first &&
		    keys[slots[i]].rest == k.rest)
			return slots[i];
	return CFS_TAG_OTHER;
}

const char *cfs_html_tag_name(enum cfs_html_tag tag)
{
	return (const char *)tag_names[tag].p;
}
