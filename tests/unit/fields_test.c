/* fields_test.c - every field of the headers of an index, a part and a PB-tree
 * at the edges of its values, with checksums that are right, given to a merge.
 *
 * A field becomes 0, 1, its largest value and the one below, and one more and
 * one less than it was.  What comes of it is one failure and no index, or an
 * index that is good throughout.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include "format/cfx/cfx.h"
#include "format/pbtree/pbtree_format.h"
#include "format/pbtree/pbtree.h"
#include "tests/fuzz/cfx_mend.h"
#include "tests/fuzz/fuzz_folder.h"
#include "indexing/make_index.h"
#include "indexing/parts.h"

#define CAPTURES 60u
#define VALUES 6u

/* SUM: a checksum, which is not mended.  NEVER: no other value is accepted without a word. */
enum { NEVER = 1, SUM = 2 };

struct field {
	const char *name;
	size_t off;
	unsigned bytes, what;
};

/* A file of which the fields are changed. */
struct file {
	const char *name;	/* in the folder; an input of that name */
	void (*mend)(uint8_t *p, size_t n);
	bool may_all;		/* NEVER does not count */
	uint8_t *p;
	size_t n;
	uint64_t made, refused;
};

/* ---- merging ---- */

static struct cfs_indexer_opts opts_of(const char *const *inputs, size_t n,
				       enum cfs_index_format format)
{
	return (struct cfs_indexer_opts){
		.inputs = inputs, .n_inputs = n, .output = fuzz_path("all"),
		.threads = 1, .memory_bytes = 1 << 20, .format = format };
}

static void check_index(const char *path, const char *what)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;
	uint64_t n;

	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_OK);
	if (cfs_cfx_open(&ix, src, 1 << 20, &err) != CFS_OK)
		fail_msg("%s: the new index is refused: %s", what, err.text);
	if (cfs_cfx_check(ix, &n, CFS_CTX(NULL, &err)) != CFS_OK)
		fail_msg("%s: the new index is damaged: %s", what, err.text);
	assert_true(n > 0);
	cfs_index_close(ix);
}

/* True if an index was made, and not told to lack what a damaged block had. */
static bool merge(const struct cfs_indexer_opts *o, const char *what)
{
	struct cfs_indexer_report report;
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_make_index(o, &report, &err);

	if (rc != CFS_OK) {
		if (err.code != rc || err.text[0] == '\0' ||
		    access(o->output, F_OK) == 0)
			fail_msg("%s: failed with %d, '%s', code %d", what, rc,
				 err.text, err.code);
		return false;
	}
	if (o->format == CFS_INDEX_CFX)
		check_index(o->output, what);
	assert_int_equal(unlink(o->output), 0);
	return report.missing == 0;
}

/* ---- fields ---- */

static uint64_t get(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

static void put(uint8_t *p, unsigned bytes, uint64_t v)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void try_value(struct file *f, const struct field *field, uint64_t v,
		      const struct cfs_indexer_opts *o)
{
	uint8_t *p = malloc(f->n);
	char what[160];

	assert_non_null(p);
	memcpy(p, f->p, f->n);
	put(p + field->off, field->bytes, v);
	if (f->mend != NULL)
		f->mend(p, f->n);
	if (field->what & SUM) {
		put(p + field->off, field->bytes, v);
		cfx_mend_header(p);
	}
	fuzz_write(f->name, p, f->n);
	free(p);
	snprintf(what, sizeof(what), "%s: %s (byte %zu) is %llu", f->name,
		 field->name, field->off, (unsigned long long)v);
	if (!merge(o, what))
		f->refused++;
	else if ((field->what & NEVER) && !f->may_all)
		fail_msg("%s: an index was made", what);
	else
		f->made++;
}

/* A field of one file; each of the merges. */
static void try_field(struct file *f, const struct field *field,
		      const struct cfs_indexer_opts *o, size_t n)
{
	uint64_t max = UINT64_MAX >> (64 - 8 * field->bytes), was;
	uint64_t values[VALUES];

	assert_true(field->off + field->bytes <= f->n);
	was = get(f->p + field->off, field->bytes);
	memcpy(values, (uint64_t[]){ 0, 1, max, max - 1, (was + 1) & max,
				     (was - 1) & max }, sizeof(values));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < VALUES; k++)
			if (values[k] != was)
				try_value(f, field, values[k], &o[i]);
}

/* The file as it is gives an index, and some of its changes are refused. */
static void try_fields(struct file *f, const struct field *fields, size_t n,
		       const struct cfs_indexer_opts *o, size_t n_opts)
{
	fuzz_write(f->name, f->p, f->n);
	for (size_t i = 0; i < n_opts; i++)
		assert_true(merge(&o[i], f->name));
	for (size_t i = 0; i < n; i++)
		try_field(f, &fields[i], o, n_opts);
	fuzz_write(f->name, f->p, f->n);
	print_message("%s: %zu fields, %llu changes: %llu made, %llu refused\n",
		      f->name, n, (unsigned long long)(f->made + f->refused),
		      (unsigned long long)f->made,
		      (unsigned long long)f->refused);
	assert_true(f->refused > 0);
	free(f->p);
}

/* ---- a crawlfs index ---- */

static const struct field header[] = {
	{ "magic", 0, 8, NEVER }, { "version", 8, 4, 0 },
	{ "bytes of the header", 12, 4, NEVER },
	{ "bytes of a block", 16, 4, NEVER },
	{ "key order", 20, 1, NEVER }, { "restart interval", 21, 1, 0 },
	{ "bits of an archive", 22, 1, 0 }, { "bits of an offset", 23, 1, 0 },
	{ "zeros", 24, 4, 0 },
	{ "levels", 28, 4, NEVER }, { "bytes of the file", 32, 8, NEVER },
	{ "captures", 40, 8, NEVER }, { "skipped: scheme", 48, 8, 0 },
	{ "skipped: long", 56, 8, 0 }, { "skipped: deep", 64, 8, 0 },
	{ "skipped: NUL", 72, 8, 0 },
	{ "symbols: offset", 80, 8, 0 }, { "symbols: bytes", 88, 8, 0 },
	{ "symbols: sum", 96, 8, SUM | NEVER }, { "symbols: items", 104, 8, 0 },
	{ "archives: offset", 112, 8, NEVER },
	{ "archives: bytes", 120, 8, NEVER },
	{ "archives: sum", 128, 8, SUM | NEVER },
	{ "archives: items", 136, 8, NEVER },
	{ "types: offset", 144, 8, 0 }, { "types: bytes", 152, 8, 0 },
	{ "types: sum", 160, 8, SUM | NEVER }, { "types: items", 168, 8, 0 },
	{ "classes: offset", 176, 8, 0 }, { "classes: bytes", 184, 8, 0 },
	{ "classes: sum", 192, 8, SUM | NEVER }, { "classes: items", 200, 8, 0 },
	{ "references: offset", 208, 8, 0 }, { "references: blocks", 216, 4, 0 },
	{ "references: last", 220, 4, 0 }, { "references: items", 224, 8, 0 },
	{ "references: zero", 232, 8, 0 },
	{ "leaves: offset", 240, 8, NEVER }, { "leaves: blocks", 248, 4, NEVER },
	{ "leaves: last", 252, 4, NEVER },
	{ "level 1: offset", 256, 8, 0 }, { "level 1: blocks", 264, 4, 0 },
	{ "level 1: last", 268, 4, 0 },
	{ "code of views", 496, 4, 0 }, { "counts are there", 500, 4, 0 },
	{ "without size of body", 504, 8, 0 },
	{ "without size of text", 512, 8, 0 },
	{ "without size of metadata", 520, 8, 0 },
	{ "notes: offset", 528, 8, NEVER }, { "notes: blocks", 536, 8, 0 },
	{ "home: bytes", 544, 2, 0 }, { "home", 546, 8, 0 },
	{ "zeros behind the home", 1570, 6, 0 },
	{ "joins", 1576, 4, 0 }, { "digests", 1580, 4, 0 },
	{ "ids: offset", 1584, 8, NEVER }, { "ids: bytes", 1592, 8, NEVER },
	{ "sides: offset", 1600, 8, 0 }, { "sides: bytes", 1608, 8, 0 },
	{ "archives' joins: offset", 1616, 8, 0 },
	{ "archives' joins: bytes", 1624, 8, 0 },
	{ "damage: offset", 1632, 8, 0 }, { "damage: bytes", 1640, 8, 0 },
	{ "damage: sum", 1648, 8, SUM | NEVER }, { "part", 4024, 8, 0 },
};

/* With notes, joins, damage and references. */
static void build(const char *path)
{
	struct cfs_builder_opts o = { .path = path, .threads = 1,
		.memory_bytes = 1 << 20, .keeps_joins = true,
		.n_archives = FIX_ARCHIVES };
	struct cfs_builder_annex side = {
		.url = CFS_SLICE_LIT("http://example.com/side"),
		.container = CFS_COMPANION_WARC, .archive = 1,
		.span = { .offset = 5, .length = 90 }, .bytes = 7,
		.refers_to = CFS_SLICE_EMPTY, .record_id = CFS_SLICE_EMPTY };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct fix f;

	fix_open(&f);
	fix_make(&f, CAPTURES, 3, 9);
	o.archives = f.archives;
	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (size_t i = 0; i < f.n; i++) {
		f.caps[i].c.notes = i % 5 == 0 ? CFS_SLICE_LIT("{\"a\":1}") :
						 CFS_SLICE_EMPTY;
		assert_int_equal(cfs_builder_add(b, 0, &f.caps[i].c, NULL),
				 CFS_OK);
	}
	assert_int_equal(cfs_builder_add_annex(b, 0, &side, NULL), CFS_OK);
	assert_int_equal(cfs_builder_damaged(b, 2, 99, "is cut off"), CFS_OK);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
	fix_close(&f);
}

/* Is alone, and is the second of two. */
static size_t index_opts(struct cfs_indexer_opts o[2])
{
	static const char *inputs[2];

	fuzz_folder("sub");
	inputs[0] = strdup(fuzz_path("x.cfx"));
	inputs[1] = strdup(fuzz_path("sub/good.cfx"));
	o[0] = opts_of(inputs, 1, CFS_INDEX_CFX);
	o[1] = opts_of(inputs, 2, CFS_INDEX_CFX);
	o[0].output = o[1].output = strdup(o[0].output);
	return 2;
}

static void index_release(struct cfs_indexer_opts o[2])
{
	free((char *)(uintptr_t)o[0].inputs[0]);
	free((char *)(uintptr_t)o[0].inputs[1]);
	free((char *)(uintptr_t)o[0].output);
}

static void index_open(struct file *f)
{
	*f = (struct file){ .name = "x.cfx", .mend = cfx_mend_sums };
	build(fuzz_path("base"));
	f->p = fix_bytes(fuzz_path("base"), &f->n);
	fuzz_folder("sub");
	fuzz_write("sub/good.cfx", f->p, f->n);
	for (size_t i = 0; i < COUNT(header); i++)	/* it has all of them */
		if (strstr(header[i].name, ": offset") != NULL &&
		    strncmp(header[i].name, "level 1", 7) != 0)
			assert_true(get(f->p + header[i].off, 8) != 0);
}

static void test_header(void **state)
{
	struct cfs_indexer_opts o[2];
	struct file f;

	(void)state;
	index_open(&f);
	index_opts(o);
	try_fields(&f, header, COUNT(header), o, 2);
	index_release(o);
}

/* The parts that the header leads to: heads of blocks, rows of tables. */
static void test_blocks(void **state)
{
	struct cfs_indexer_opts o[2];
	struct file f;
	size_t leaf, refs, archives, types, classes, rows, notes, note, join[3],
	       damage;

	(void)state;
	index_open(&f);
	leaf = get(f.p + CFS_CFX_OFF_LEVELS, 8);
	refs = get(f.p + CFS_CFX_OFF_REFS, 8);
	archives = get(f.p + 112, 8);
	types = get(f.p + 144, 8);
	classes = get(f.p + 176, 8);
	rows = classes + 4 + 8 * get(f.p + classes, 4);
	notes = get(f.p + CFS_CFX_OFF_NOTES, 8);
	note = get(f.p + notes, 8);
	damage = get(f.p + CFS_CFX_OFF_DAMAGE, 8);
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++)
		join[i] = get(f.p + CFS_CFX_OFF_JOINS + 8 + 16 * i, 8);
	index_opts(o);
	try_fields(&f, (const struct field[]){
		{ "leaf: level", leaf + 8, 1, SUM },
		{ "leaf: zero", leaf + 9, 1, 0 },
		{ "leaf: entries", leaf + 10, 2, NEVER },
		{ "leaf: first child", leaf + 12, 4, 0 },
		{ "leaf: shared", leaf + 16, 1, 0 },
		{ "leaf: bytes of the key", leaf + 17, 1, 0 },
		{ "references: entries", refs + 10, 2, 0 },
		{ "references: hash", refs + 16, 4, 0 },
		{ "references: position", refs + 20, 2, 0 },
		{ "archive: size", archives, 8, 0 },
		{ "archive: modified", archives + 8, 8, 0 },
		{ "archive: start of the clock", archives + 16, 8, 0 },
		{ "archive: slope of the clock", archives + 24, 4, 0 },
		{ "archive: name", archives + 28, 1, 0 },
		{ "type: bytes", types, 1, 0 },
		{ "heads: number", classes, 4, 0 },
		{ "head: kind", classes + 4, 1, 0 },
		{ "head: scheme", classes + 5, 1, 0 },
		{ "head: status", classes + 6, 2, 0 },
		{ "head: type", classes + 8, 2, 0 },
		{ "head: flags", classes + 10, 1, 0 },
		{ "head: high byte of the request", classes + 11, 1, 0 },
		{ "class: head", rows, 1, 0 },
		{ "class: widths", rows + 1, 3, 0 },
		{ "notes: offset of a block", notes, 8, 0 },
		{ "notes: end", notes + 8, 8, 0 },
		{ "notes: gzip", note + 8, 4, 0 },
		{ "ids: bytes", join[0], 4, NEVER },
		{ "ids: sum", join[0] + 4, 8, SUM | NEVER },
		{ "sides: bytes", join[1], 4, NEVER },
		{ "archives' joins: bytes", join[2], 4, NEVER },
		{ "damage: archive", damage, 1, 0 },
		{ "damage: bytes", damage + 1, 1, 0 },
		{ "damage: places", damage + 2, 1, 0 },
		{ "damage: places listed", damage + 3, 1, 0 } },
		33, o, 2);
	index_release(o);
}

/* Three pages, too few for symbols: the last byte of the last key becomes
 * another. */
static void make_unordered(struct file *f)
{
	static const char *const urls[] = { "http://a.org/b", "http://a.org/c",
					    "http://a.org/d" };
	static const struct cfs_builder_archive archive = { .name = "a.warc",
							    .size = 9 };
	struct cfs_builder_opts o = { .path = fuzz_path("base"), .threads = 1,
		.archives = &archive, .n_archives = 1 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	uint8_t *last;

	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (size_t i = 0; i < COUNT(urls); i++) {
		struct cfs_builder_capture c = {
			.url = cfs_slice_str(urls[i]), .span.length = 1 };

		assert_int_equal(cfs_builder_add(b, 0, &c, NULL), CFS_OK);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
	*f = (struct file){ .name = "x.cfx" };
	f->p = fix_bytes(fuzz_path("base"), &f->n);
	last = memmem(f->p + CFS_CFX_HEADER_BYTES, f->n - CFS_CFX_HEADER_BYTES,
		      "\xff" "d", 2);
	assert_non_null(last);
	last[1] = 'a';
	cfx_mend_sums(f->p, f->n);
	fuzz_write(f->name, f->p, f->n);
}

/* Searches miss such an entry, and all checksums are right. */
static void test_order(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_indexer_opts o[2];
	struct cfs_source *src;
	struct cfs_index *ix;
	struct file f;
	uint64_t n;

	(void)state;
	make_unordered(&f);
	index_opts(o);
	assert_int_equal(cfs_source_open_file(&src, fuzz_path("x.cfx"), NULL),
			 CFS_OK);
	assert_int_equal(cfs_cfx_open(&ix, src, 1 << 20, NULL), CFS_OK);
	assert_int_equal(cfs_cfx_check(ix, &n,
				       CFS_CTX(NULL, &err)), CFS_EFORMAT);
	assert_string_equal(err.text, "keys are out of order");
	cfs_index_close(ix);
	assert_false(merge(&o[0], "out of order"));
	assert_false(merge(&o[1], "out of order"));
	index_release(o);
	free(f.p);
}

/* The header says one capture more or less than there are. */
static void test_count(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;
	struct file f;
	uint64_t n;

	(void)state;
	index_open(&f);
	n = get(f.p + CFS_CFX_OFF_CAPTURES, 8);
	for (int d = -1; d <= 1; d++) {
		put(f.p + CFS_CFX_OFF_CAPTURES, 8, n + (uint64_t)d);
		cfx_mend_sums(f.p, f.n);
		assert_int_equal(cfs_source_open_memory(&src,
				 cfs_slice_of(f.p, f.n), "x", NULL), CFS_OK);
		assert_int_equal(cfs_cfx_open(&ix, src, 1 << 20, NULL), CFS_OK);
		assert_int_equal(cfs_cfx_check(ix, &(uint64_t){ 0 }, CFS_CTX(NULL, &err)),
				 d == 0 ? CFS_OK : CFS_EFORMAT);
		cfs_index_close(ix);
	}
	free(f.p);
}

/* ---- a part ---- */

#define PART "parts/part-00001-of-00001.cfx"

static const struct field part_head[] = {
	{ "magic", 0, 8, NEVER }, { "bytes of the file", 32, 8, NEVER },
	{ "skipped: scheme", 48, 8, 0 }, { "skipped: long", 56, 8, 0 },
	{ "skipped: deep", 64, 8, 0 }, { "skipped: NUL", 72, 8, 0 },
	{ "code of views", 496, 4, 0 }, { "part", 4024, 4, NEVER },
	{ "parts", 4028, 4, NEVER }, { "seal", 4032, 8, 0 },
	{ "of an earlier version", 4040, 8, NEVER },
	{ "of an earlier version, too", 4048, 8, NEVER },
	{ "and this", 4056, 8, NEVER }, { "this", 4064, 8, NEVER },
	{ "this", 4072, 8, NEVER }, { "and this, too", 4080, 8, NEVER },
};

static void make_part(struct file *f)
{
	static const char archive[] =
		"WARC/1.0\r\nWARC-Type: resource\r\n"
		"WARC-Record-ID: <urn:uuid:1>\r\n"
		"WARC-Target-URI: http://a.org/b\r\n"
		"WARC-Date: 2026-01-02T03:04:05Z\r\n"
		"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";
	const char *inputs[1];
	struct cfs_indexer_report report;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_indexer_opts o;

	fuzz_folder("data");
	fuzz_folder("parts");
	fuzz_write("data/a.warc", archive, sizeof(archive) - 1);
	inputs[0] = fuzz_path("data");
	o = opts_of(inputs, 1, CFS_INDEX_CFX);
	o.output = fuzz_path(PART);
	o.part = (struct cfs_part){ 1, 1 };
	assert_int_equal(cfs_make_index(&o, &report, &err), CFS_OK);
	*f = (struct file){ .name = PART, .mend = cfx_mend_sums };
	f->p = fix_bytes(fuzz_path(PART), &f->n);
}

/* Put together, of itself alone, and as an index that is merged. */
static void test_part(void **state)
{
	char input[256], output[256];
	const char *inputs[1] = { input };
	struct cfs_indexer_opts o;
	struct file f;

	(void)state;
	make_part(&f);
	snprintf(input, sizeof(input), "%s", fuzz_path("parts"));
	snprintf(output, sizeof(output), "%s", fuzz_path("all"));
	o = opts_of(inputs, 1, CFS_INDEX_CFX);
	o.output = output;
	try_fields(&f, part_head, COUNT(part_head), &o, 1);
}

static void test_part_as_index(void **state)
{
	char input[256], output[256];
	const char *inputs[1] = { input };
	struct cfs_indexer_opts o;
	struct file f;

	(void)state;
	make_part(&f);
	f.name = "y.cfx";
	f.mend = cfx_mend_sums;
	f.may_all = true;	/* the fields that make it a part are not read */
	snprintf(input, sizeof(input), "%s", fuzz_path("y.cfx"));
	snprintf(output, sizeof(output), "%s", fuzz_path("all"));
	o = opts_of(inputs, 1, CFS_INDEX_CFX);
	o.output = output;
	try_fields(&f, part_head, COUNT(part_head), &o, 1);
}

/* ---- a PB-tree ---- */

#define TREE_BLOCK 256u

/* Two levels of index, so that pointers of both kinds are there. */
static void make_tree(struct file *f)
{
	struct cfs_pbtree_writer *w;
	char path[256], key[64];
	uint8_t value[32] = { 1 };
	int fd;

	snprintf(path, sizeof(path), "%s", fuzz_path("base"));
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(cfs_pbtree_writer_new(&w, fd, TREE_BLOCK,
			 CFS_PBTREE_VALUE_BYTES, fuzz_top, NULL), CFS_OK);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(key, sizeof(key), "com.example%03u/a/b:http", i);
		assert_int_equal(cfs_pbtree_writer_add(w, cfs_slice_str(key),
			cfs_slice_of(value, CFS_PBTREE_VALUE_BYTES), NULL),
			CFS_OK);
	}
	assert_int_equal(cfs_pbtree_writer_finish(w, NULL, NULL), CFS_OK);
	cfs_pbtree_writer_free(w);
	close(fd);
	*f = (struct file){ .name = "tree" };
	f->p = fix_bytes(path, &f->n);
}

/* It goes into an index, and into lines. */
static void test_tree(void **state)
{
	char input[256], output[256];
	const char *inputs[1] = { input };
	struct cfs_indexer_opts o[2];
	struct file f;

	(void)state;
	make_tree(&f);
	snprintf(input, sizeof(input), "%s", fuzz_path("tree"));
	snprintf(output, sizeof(output), "%s", fuzz_path("all"));
	o[0] = opts_of(inputs, 1, CFS_INDEX_CFX);
	o[1] = opts_of(inputs, 1, CFS_INDEX_CDX);
	o[0].output = o[1].output = output;
	try_fields(&f, (const struct field[]){
		{ "bytes of a block", 0, 4, 0 },
		{ "blocks of the index", 4, 4, 0 },
		{ "first pointer", 8, 4, 0 },
		{ "a byte of the first separator", 12, 1, 0 } }, 4, o, 2);
}

UNIT_PROGRAM
{
	UNIT_TEST(test_header);
	UNIT_TEST(test_blocks);
	UNIT_TEST(test_order);
	UNIT_TEST(test_count);
	UNIT_TEST(test_part);
	UNIT_TEST(test_part_as_index);
	UNIT_TEST(test_tree);
	return unit_run("fields");
}
