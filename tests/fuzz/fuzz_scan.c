/* fuzz_scan.c - whole files of any bytes: the walk ends, every record lies in
 * the file, and reading it by its place gives the same record; so with hardly
 * any record in memory; and it can be cut into parts anywhere.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_record.h"
#include "base/hash.h"
#include "record/members.h"
#include "record/scan.h"
#include "record/sniff.h"

#define MAX_RECORD (64u << 10)
#define MAX_ALL (4u << 20)
#define CUTS 5u			/* places where a file is cut */
#define MEMORY 64u		/* longer records go into files */
#define SPILLED_PART 4u		/* of so many inputs, one: files are slow */

struct walk {
	struct cfs_source *src;
	struct cfs_zst_dict *dict;
	struct cfs_slice in;
	uint64_t advanced, last_offset, last_inner, records;
};

/* All that inflates from the range of an item, at most MAX_ALL. */
static struct cfs_slice inflate_range(const struct walk *w,
				      const struct cfs_scan_item *item)
{
	static uint8_t out[MAX_ALL];
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z;
	size_t n = 0, got;
	int rc = CFS_OK;

	if (cfs_member_stream_new(&z, w->src, item->span.offset,
				  item->span.offset + item->span.length,
				  w->dict, NULL) != CFS_OK)
		abort();
	while (rc == CFS_OK && n < MAX_ALL) {
		if (cfs_member_stream_read(z, out + n, MAX_ALL - n, &got,
					   &state,
					   CFS_CTX(NULL, NULL)) != CFS_OK)
			abort();
		n += got;
		if (state == CFS_MEMBER_END)
			rc = cfs_member_stream_next(z, CFS_CTX(NULL, NULL));
		else if (state != CFS_MEMBER_MORE)
			break;
	}
	cfs_member_stream_free(z);
	return cfs_slice_of(out, n);
}

static int on_record(void *arg, const struct cfs_scan_item *item)
{
	struct walk *w = arg;
	struct cfs_record_limits limits = { MAX_RECORD, NULL };
	struct cfs_slice bytes;
	struct cfs_record r;

	w->records++;
	if (item->span.length == 0 || item->span.offset >= w->in.n ||
	    item->span.length > w->in.n - item->span.offset)
		abort();
	if (w->records > 1 && (item->span.offset < w->last_offset ||
			       (item->span.offset == w->last_offset &&
				item->span.inner_offset <= w->last_inner)))
		abort();
	w->last_offset = item->span.offset;
	w->last_inner = item->span.inner_offset;
	bytes = cfs_slice_sub(w->in, (size_t)item->span.offset,
			      (size_t)item->span.length);
	if (cfs_coding_of(bytes) != CFS_CODING_NONE)
		bytes = inflate_range(w, item);
	if (bytes.n == MAX_ALL)
		return 0;
	if (item->span.inner_length > 0) {
		if (item->span.inner_offset + item->span.inner_length > bytes.n)
			abort();
		bytes = cfs_slice_sub(bytes, (size_t)item->span.inner_offset,
				      (size_t)item->span.inner_length);
	}
	if (!cfs_record_is_start(bytes) ||
	    cfs_record_parse(&r, bytes, 0, &limits, NULL, NULL) != CFS_OK)
		abort();
	if (!cfs_slice_eq(r.url, item->record->url) ||
	    !cfs_slice_eq(r.body, item->record->body))
		abort();
	cfs_record_release(&r);
	return 0;
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	(void)arg;
	if (what->text[0] == '\0' || what->where[0] == '\0')
		abort();
}

static void on_advance(void *arg, uint64_t bytes)
{
	((struct walk *)arg)->advanced += bytes;
}

/* The walk once more, with records in files. */
static void walk_spilled(const struct walk *before,
			 const struct cfs_scan_counts *want)
{
	struct walk w = { .src = before->src, .dict = before->dict,
			  .in = before->in };
	struct cfs_scan_opts opts = { .max_record_bytes = MAX_RECORD,
		.damaged = on_damage, .memory_bytes = MEMORY,
		.spill_dir = "/tmp", .arg = &w };
	struct cfs_scan_counts counts;
	int rc = cfs_scan_archive(w.src, &opts, on_record, &counts, NULL);

	if (rc != CFS_OK && rc != CFS_EFORMAT && rc != CFS_ELIMIT)
		abort();
	if (counts.records != want->records || counts.damaged != want->damaged ||
	    counts.inflated_bytes != want->inflated_bytes)
		abort();
}

/* Where parts of the file begin: at a record, in the order of the places that
 * were asked for, so that each record is in one part. */
static void cut_everywhere(struct cfs_source *src, struct cfs_slice in)
{
	uint64_t last = 0;

	for (unsigned i = 0; i <= CUTS; i++) {
		uint64_t at = in.n * i / CUTS, out = 0;
		int rc = cfs_scan_cut(src, at, &out, CFS_CTX(NULL, NULL));

		if (rc == CFS_END)
			out = in.n;
		else if (rc != CFS_OK)
			return;
		else if (out >= in.n)
			abort();
		if (out < at || out < last)
			abort();
		last = out;
	}
}

FUZZ_TARGET(data, size)
{
	struct walk w = { .in = cfs_slice_of(size > 0 ? data :
					     (const uint8_t *)"", size) };
	struct cfs_scan_opts opts = { .max_record_bytes = MAX_RECORD,
		.damaged = on_damage, .advanced = on_advance, .arg = &w };
	struct cfs_scan_counts counts;
	enum cfs_file_kind look;
	int rc;

	if (cfs_source_open_memory(&w.src, w.in, "fuzz.warc.gz", NULL) != CFS_OK)
		abort();
	if (cfs_sniff_dict(w.src, &w.dict, CFS_CTX(NULL, NULL)) == CFS_ENOMEM)
		abort();
	rc = cfs_scan_archive(w.src, &opts, on_record, &counts, NULL);
	if (rc != CFS_OK && rc != CFS_EFORMAT && rc != CFS_ELIMIT)
		abort();
	if (counts.records != w.records || w.advanced > size ||
	    (rc == CFS_OK && w.advanced != size))
		abort();
	if (cfs_hash64(w.in, 0) % SPILLED_PART == 0)
		walk_spilled(&w, &counts);
	cut_everywhere(w.src, w.in);
	cfs_sniff(w.src, CFS_SNIFF_START, &look, NULL);
	cfs_zst_dict_put(w.dict);
	cfs_source_close(w.src);
	return 0;
}
