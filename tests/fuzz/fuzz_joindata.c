/* fuzz_joindata.c - any bytes as what an index keeps for archives that are added
 * later: its lists, read by themselves and with the entries they belong to.
 *
 * An input is the lengths of the first two lists, 2 bytes each, and the three
 * lists, behind an index of a few captures that is always the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "cfx_mend.h"
#include "fuzz_folder.h"

#include "indexing/builder.h"
#include "indexing/merge_input.h"

#define ARCHIVES 3u

/* The index, and where its file ends. */
static struct cfs_buf base;

static void add(struct cfs_builder *b, const char *url, enum cfs_kind kind,
		uint32_t archive, uint64_t offset)
{
	struct cfs_builder_capture c = {
		.url = cfs_slice_str(url), .kind = kind, .time = 1000,
		.status = 200, .mime = CFS_SLICE_LIT("text/html"),
		.archive = archive,
		.span = { .offset = offset, .length = 100 },
		.body_is_exact = true, .body_bytes = 9,
		.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY };

	must(cfs_builder_add(b, 0, &c, NULL) == CFS_OK);
}

static void make_base(void)
{
	static const struct cfs_builder_archive archives[ARCHIVES] = {
		{ .name = "a.warc.gz", .size = 9000, .mtime = 1 },
		{ .name = "b.warc.wet.gz", .size = 9000, .mtime = 2 },
		{ .name = "c/d.arc", .size = 9000, .mtime = 3 } };
	struct cfs_builder_opts o = {
		.path = fuzz_path("base"), .format = CFS_INDEX_CFX,
		.memory_bytes = 1 << 20, .threads = 1, .archives = archives,
		.n_archives = ARCHIVES };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;

	must(cfs_builder_new(&b, &o, NULL) == CFS_OK);
	add(b, "http://a.org/", CFS_KIND_RESPONSE, 0, 100);
	add(b, "http://a.org/b", CFS_KIND_REVISIT, 0, 200);
	add(b, "http://a.org/b", CFS_KIND_CONVERSION, 1, 100);
	add(b, "http://a.org/c", CFS_KIND_ARC, 2, 100);
	must(cfs_builder_finish(b, &counts, NULL) == CFS_OK);
	cfs_builder_free(b);
	cfs_buf_init(&base, 1 << 20);
	must(cfs_file_read(fuzz_path("base"), &base) == CFS_OK);
}

/* Puts them behind the index. */
static void write_index(const uint8_t *data, size_t size)
{
	size_t n = base.n + size, at = base.n, left = size - 4;
	uint8_t *p = malloc(n), *q;

	must(p != NULL);
	memcpy(p, base.p, base.n);
	memcpy(p + base.n, data + 4, left);
	q = p + CFS_CFX_OFF_JOINS;
	cfs_le32_put(q, CFS_CFX_JOINS);
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++) {
		size_t bytes = i == 2 ? left : (size_t)data[2 * i] |
			(size_t)data[2 * i + 1] << 8;

		bytes = bytes < left ? bytes : left;
		cfs_le64_put(q + 8 + 16 * i, at);
		cfs_le64_put(q + 16 + 16 * i, bytes);
		at += bytes;
		left -= bytes;
	}
	cfx_mend(p, at);
	fuzz_write("x.cfx", p, at);
	free(p);
}

static void read_alone(struct cfs_index *ix)
{
	struct cfs_cfx_joindata t;
	size_t inflated = 0;

	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++) {
		cfs_cfx_joindata_init(&t, ix, (enum cfs_cfx_joindata_of)i);
		while (cfs_cfx_joindata_fill(&t, NULL,
					     CFS_CTX(NULL, NULL)) == CFS_OK) {
			must(t.in.rest.n > 0 &&
			     t.in.rest.n <= CFS_CFX_JOINDATA_BLOCK_BYTES);
			inflated += t.in.rest.n;
			t.in.rest.n = 0;
		}
		cfs_cfx_joindata_release(&t);
	}
	must(inflated <= ix->src->size * 2000);
}

static void read_pages(struct cfs_merge_reader *r, bool with_value)
{
	while (cfs_merge_reader_page(r, with_value, NULL) == CFS_OK) {
		struct cfs_join_item t = { .what = CFS_JOIN_PAGE };

		must(r->page.e.loc.file[0] < ARCHIVES);
		if (with_value)
			must(cfs_builder_value_decode(
				cfs_buf_slice(&r->page_value), &t));
	}
}

static void read_annexes(struct cfs_merge_reader *r)
{
	while (cfs_merge_reader_annex(r, NULL) == CFS_OK)
		must(r->annex_key.n <= CFS_KEY_MAX &&
		     r->annex.e.loc.file[0] < ARCHIVES);
}

/* With the entries that they belong to, below a folder or not. */
static void read_joined(const char *folder)
{
	struct cfs_extsort_opts refs = { .memory_bytes = 1 << 20, .feeders = 1,
					 .tmp_dir = fuzz_top };
	struct cfs_merge_input in;
	struct cfs_merge_reader r;
	struct cfs_holes holes;

	cfs_holes_init(&holes);
	if (cfs_merge_input_open(&in, fuzz_path("x.cfx"), NULL) == CFS_OK) {
		read_alone(in.ix);
		if (cfs_merge_input_archives(&in, folder, CFS_CTX(NULL, NULL)) ==
		    CFS_OK) {
			if (*folder != '\0')	/* over damaged blocks */
				in.holes = &holes;
			for (uint32_t i = 0; i < in.ix->archives; i++)
				in.numbers[i] = i;
			for (unsigned i = 0; i < 2; i++) {
				if (cfs_merge_reader_open(&r, &in, 0, NULL, 0,
							  &refs, CFS_CTX(NULL, NULL)) ==
				    CFS_OK) {
					read_pages(&r, i);
					read_annexes(&r);
				}
				cfs_merge_reader_close(&r);
			}
		}
	}
	cfs_merge_input_close(&in);
	cfs_holes_release(&holes);
}

FUZZ_TARGET(data, size)
{
	if (size < 4)
		return 0;
	if (base.n == 0)
		make_base();
	write_index(data, size);
	read_joined("");
	read_joined("sub \"x\"/");
	return 0;
}
