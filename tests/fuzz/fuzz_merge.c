/* fuzz_merge.c - any bytes as a crawlfs index that goes into another one.
 *
 * An input is one byte of flags and an index (cfx_mend.h).  What is made of it
 * is to be an index that is good throughout, or no index and one failure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <utime.h>

#include "fuzz.h"
#include "cfx_mend.h"
#include "fuzz_made.h"

#define VIEW_CODE 7u			/* as of the corpus */

enum { TWICE = 1, NO_JOINS = 2, LINES = 4, PICK = 8, UPDATE = 16, VIEWS = 32 };

/* An archive that an update meets again, or finds changed. */
static const char archive[] =
	"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
	"WARC-Target-URI: http://a.org/b\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
	"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";

static int measure(const struct cfs_scan_item *item, const char *name,
		   uint32_t slots, const struct cfs_text_taker *taker,
		   struct cfs_view_bytes *out,
		   struct cfs_languages *languages, struct cfs_ctx ctx)
{
	(void)item;
	(void)name;
	(void)slots;
	cfs_view_bytes_set(out, CFS_SLOT_META, 100);
	cfs_view_bytes_set(out, CFS_SLOT_TEXT, 2);
	cfs_languages_take(languages, CFS_SLICE_LIT("isl,eng"));
	return taker == NULL ? CFS_OK :
	       taker->take(taker->arg, CFS_SLICE_LIT("hi"), ctx.err);
}

static void begin(void)
{
	static const struct utimbuf then = { 1700000000, 1700000000 };
	static bool has_begun;

	if (has_begun)
		return;
	has_begun = true;
	fuzz_folder("sub");
	fuzz_folder("data");
	fuzz_write("data/a.warc", archive, sizeof(archive) - 1);
	utime(fuzz_path("data/a.warc"), &then);
}

static void ask(struct cfs_pick **out)
{
	struct cfs_conditions c;

	cfs_conditions_init(&c);
	must(cfs_dates_since(&c.dates, "1970") == CFS_OK);
	must(cfs_dates_until(&c.dates, "2026") == CFS_OK);
	must(cfs_conditions_add_status(&c, "2xx,404", NULL) == CFS_OK);
	must(cfs_pick_new(out, &c, "com,org.a", NULL) == CFS_OK);
	cfs_conditions_release(&c);
}

static void merge(unsigned flags)
{
	const char *inputs[2] = { fuzz_path("x.cfx"), fuzz_path("sub/x.cfx") };
	struct cfs_indexer_opts o = {
		.inputs = inputs, .n_inputs = flags & TWICE ? 2 : 1,
		.output = fuzz_path("all"), .threads = 1,
		.memory_bytes = 1 << 20, .no_joins = flags & NO_JOINS,
		.format = flags & LINES ? CFS_INDEX_CDX : CFS_INDEX_CFX };

	if (flags & VIEWS) {
		o.view_bytes = measure;
		o.with_words = true;
		o.view_version = VIEW_CODE;
		o.keeps_languages = true;
	}
	if (flags & PICK)
		ask(&o.pick);
	if (flags & UPDATE) {
		o.update_of = inputs[0];
		inputs[0] = fuzz_path("data");
		o.n_inputs = 1;
		o.format = CFS_INDEX_CFX;
	}
	fuzz_make(&o);
	cfs_pick_free(o.pick);
}

FUZZ_TARGET(data, size)
{
	unsigned flags = size > 0 ? data[0] : 0;
	uint8_t *p;
	size_t n;

	if (size == 0 || (p = cfx_expand(data + 1, size - 1, &n)) == NULL)
		return 0;
	cfx_mend(p, n);
	begin();
	fuzz_write("x.cfx", p, n);
	if (flags & TWICE)
		fuzz_write("sub/x.cfx", p, n);
	free(p);
	merge(flags);
	return 0;
}
