/* related_test.c - where the records of a page lie: coded and found again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "crawl/entry.h"
#include "index/related.h"

/* The capture's own record: bytes 1000-1499 of archive 3. */
#define ARCHIVE 3
#define OFFSET 1000
#define LENGTH 500

struct place {
	uint64_t offset, length;	/* length 0: there is no such record */
	bool is_one;
	uint64_t inner, archive;	/* archive 0: the capture's */
};
#define NONE { 0, 0, false, 0, 0 }
#define ONE(offset, length) { offset, length, true, 0, 0 }	/* member */
#define TWO(offset, length) { offset, length, false, 0, 0 }	/* members */
#define PART(offset, length) { offset, length, false, 7, 0 }
#define FAR(offset, length) { offset, length, true, 0, 9 }

static const struct near_case {
	const char *name;
	struct place request, metadata;
	unsigned adjacent;
	uint64_t request_bytes;
	size_t list_n;
} near_cases[] = {
	{ "nothing", NONE, NONE, CFS_ADJACENT_NOWHERE, 0, 0 },
	{ "around", ONE(700, 300), ONE(1500, 40), CFS_ADJACENT_AROUND, 300, 0 },
	{ "request before", ONE(700, 300), NONE, CFS_ADJACENT_REQUEST_BEFORE, 300, 0 },
	{ "request at the file's beginning", ONE(0, 1000), NONE,
	  CFS_ADJACENT_REQUEST_BEFORE, 1000, 0 },
	{ "request of two members before", TWO(700, 300), NONE,
	  CFS_ADJACENT_REQUEST_BEFORE, 300, 0 },
	{ "request behind", ONE(1500, 30), NONE, CFS_ADJACENT_REQUEST_BEHIND, 0, 0 },
	{ "request of two members behind", TWO(1500, 30), NONE,
	  CFS_ADJACENT_NOWHERE, 0, 2 },
	{ "both behind", ONE(1500, 30), ONE(1530, 40), CFS_ADJACENT_BOTH_BEHIND, 30, 0 },
	{ "both behind, request of two members", TWO(1500, 30),
	  ONE(1530, 40), CFS_ADJACENT_BOTH_BEHIND, 30, 0 },
	{ "metadata behind", NONE, ONE(1500, 40), CFS_ADJACENT_METADATA_BEHIND, 0, 0 },
	{ "metadata of two members", ONE(700, 300), TWO(1500, 40),
	  CFS_ADJACENT_REQUEST_BEFORE, 300, 2 },
	{ "metadata before the request", ONE(1540, 30), ONE(1500, 40),
	  CFS_ADJACENT_METADATA_BEHIND, 0, 8 },
	{ "metadata before", NONE, ONE(900, 100), CFS_ADJACENT_NOWHERE, 0, 2 },
	{ "a gap", ONE(699, 300), ONE(1501, 40), CFS_ADJACENT_NOWHERE, 0, 17 },
	{ "another archive", FAR(700, 300), FAR(1500, 40),
	  CFS_ADJACENT_NOWHERE, 0, 17 },
	{ "parts of a member", PART(700, 300), PART(1500, 40),
	  CFS_ADJACENT_NOWHERE, 0, 17 },
};

static struct cfs_companion side_at(const struct place *p)
{
	return (struct cfs_companion){ .kind = CFS_COMPANION_WARC, .bytes = 77,
		.is_one_member = p->is_one,
		.loc = { .file[0] = p->archive ? p->archive : ARCHIVE,
			 .offset = p->offset, .length = p->length,
			 .inner_offset = p->inner, .inner_length = p->inner } };
}

static void expect(const struct cfs_capture *cap, enum cfs_related what,
		   const struct place *p)
{
	struct cfs_companion want = side_at(p), got;

	assert_int_equal(cfs_related_find(cap, what, &got), p->length > 0);
	if (p->length == 0)
		return;
	assert_int_equal(got.kind, CFS_COMPANION_WARC);
	assert_int_equal(got.loc.file[0], want.loc.file[0]);
	assert_int_equal(got.loc.offset, want.loc.offset);
	assert_int_equal(got.loc.inner_length, want.loc.inner_length);
	if (got.loc.length > 0)		/* else its member has it */
		assert_int_equal(got.loc.length, want.loc.length);
	else
		assert_true(p->is_one);
	if (got.bytes != CFS_COMPANION_BYTES_UNKNOWN)
		assert_int_equal(got.bytes, want.bytes);
}

static void near_case(void **state)
{
	const struct near_case *tc = *state;
	struct cfs_capture cap = { .loc = { .file[0] = ARCHIVE,
		.offset = OFFSET, .length = LENGTH }, .related = CFS_SLICE_EMPTY };
	const struct place *places[2] = { &tc->request, &tc->metadata };
	struct cfs_related_near near = cfs_related_near(&cap.loc);
	struct cfs_companion sides[2], *given[2] = { NULL, NULL };
	struct cfs_buf list;
	unsigned taken;

	cfs_buf_init(&list, CFS_RELATED_LIST_MAX);
	for (unsigned i = 0; i < 2; i++) {
		sides[i] = side_at(places[i]);
		if (places[i]->length > 0)
			given[i] = &sides[i];
	}
	taken = cfs_related_next_to(&cap, given[0], given[1]);
	for (unsigned i = 0; i < 2; i++)
		if (given[i] != NULL && !(taken & 1u << i))
			cfs_related_put(&list, &near, i, given[i]);
	cap.related = cfs_buf_slice(&list);
	assert_int_equal(cap.adjacent, tc->adjacent);
	assert_int_equal(cap.request_bytes, tc->request_bytes);
	assert_int_equal(list.n, tc->list_n);
	expect(&cap, CFS_RELATED_REQUEST, &tc->request);
	expect(&cap, CFS_RELATED_METADATA, &tc->metadata);
	cfs_buf_release(&list);
}

/* All kinds elsewhere; every beginning of the list holds what it holds. */
static void prefixes(void **state)
{
	struct cfs_capture cap = { .loc.length = 9 };
	struct cfs_related_near near = cfs_related_near(&cap.loc);
	size_t ends[CFS_RELATED_COUNT];
	struct cfs_buf list;

	(void)state;
	cfs_buf_init(&list, CFS_RELATED_LIST_MAX);
	for (unsigned i = 0; i < CFS_RELATED_COUNT; i++) {
		struct cfs_companion s = { .form = CFS_RELATED_PDF,
			.bytes = i == 2 ? CFS_COMPANION_BYTES_UNKNOWN :
					  (uint64_t)i << 60,
			.loc = { .file[0] = UINT64_MAX, .offset = UINT64_MAX,
				 .length = UINT64_MAX } };

		assert_int_equal(cfs_related_put(&list, &near, i, &s), CFS_OK);
		ends[i] = list.n;
	}
	for (size_t n = 0; n <= list.n; n++) {
		uint8_t *exact = malloc(n > 0 ? n : 1);

		memcpy(exact, list.p, n);
		cap.related = cfs_slice_of(exact, n);
		for (unsigned i = 0; i < CFS_RELATED_COUNT; i++) {
			struct cfs_companion got;

			assert_int_equal(cfs_related_find(&cap, i, &got),
					 n >= ends[i]);
			if (n < ends[i])
				continue;
			assert_int_equal(got.form, CFS_RELATED_PDF);
			assert_int_equal(got.loc.offset, UINT64_MAX);
			assert_int_equal(got.bytes,
				i == 2 ? CFS_COMPANION_BYTES_UNKNOWN :
					 (uint64_t)i << 60);
		}
		free(exact);
	}
	cfs_buf_release(&list);
}

static const struct false_list {
	const char *name;
	uint8_t list[12];
	size_t n;
	unsigned adjacent;
	uint64_t offset, length, request_bytes;
} false_lists[] = {
	{ "longer than what is before", { 0xf0, 0x7f }, 2, 0, 100, 9, 0 },
	{ "no length", { 0x00 }, 1, 0, 100, 9, 0 },
	{ "past the last offset", { 0x21 }, 1, 0, UINT64_MAX - 1, 1, 0 },
	{ "a record that has no length itself", { 0x10 }, 1, 0, 100, 0, 0 },
	{ "request before the file", { 0 }, 0, CFS_ADJACENT_AROUND, 100, 9, 101 },
	{ "request of no bytes", { 0 }, 0, CFS_ADJACENT_REQUEST_BEFORE, 100, 9, 0 },
	{ "request past the last offset", { 0 }, 0, CFS_ADJACENT_BOTH_BEHIND, 100, 9,
	  UINT64_MAX },
	{ "a place that is none", { 0 }, 0, 7, 100, 9, 1 },
	{ "a later code", { 0x0f, 1, 2, 3, 4, 5, 6 }, 7, 0, 100, 9, 0 },
};

/* None of them is found, and nothing is read past its end. */
static void false_list_case(void **state)
{
	const struct false_list *tc = *state;
	struct cfs_capture cap = { .loc = { .offset = tc->offset,
		.length = tc->length }, .adjacent = (uint8_t)tc->adjacent,
		.request_bytes = tc->request_bytes,
		.related = cfs_slice_of(tc->list, tc->n) };
	struct cfs_companion got;

	assert_false(cfs_related_find(&cap, CFS_RELATED_REQUEST, &got));
	assert_false(cfs_related_find(&cap, CFS_RELATED_VIEW, &got));
}

/* A list claims that the request is a picture: there is no such name. */
static void form_of_no_picture(void **state)
{
	struct cfs_capture cap = { .loc = { .file = { ARCHIVE },
					    .offset = OFFSET,
					    .length = LENGTH } };
	struct cfs_companion side = { .kind = CFS_COMPANION_WARC,
		.form = CFS_RELATED_WEBP, .loc = { .file = { 9 },
						   .length = 5 } };
	struct cfs_related_near near = cfs_related_near(&cap.loc);
	struct cfs_buf list;
	struct cfs_suffix suffix;

	(void)state;
	cfs_buf_init(&list, CFS_RELATED_LIST_MAX);
	assert_int_equal(cfs_related_put(&list, &near, CFS_RELATED_REQUEST,
					 &side), CFS_OK);
	assert_int_equal(cfs_related_put(&list, &near, CFS_RELATED_VIEW,
					 &side), CFS_OK);
	cap.related = cfs_buf_slice(&list);
	assert_int_equal(cfs_entry_suffix(NULL, &cap, CFS_VIEW_REQUEST, &suffix,
					  NULL), CFS_OK);
	assert_int_equal(suffix.form, 0);
	assert_int_equal(cfs_entry_suffix(NULL, &cap, CFS_VIEW_VIEW, &suffix,
					  NULL), CFS_OK);
	assert_int_equal(suffix.form, CFS_RELATED_WEBP);
	cfs_buf_release(&list);
}

UNIT_PROGRAM
{
	UNIT_TEST(form_of_no_picture);
	UNIT_ROWS(near_cases, near_case);
	UNIT_TEST(prefixes);
	UNIT_ROWS(false_lists, false_list_case);
	return unit_run("related");
}
