/* fuzz_report.c - any bytes as the report of a verification that was killed, and
 * as the file REPORT.ids beside it.
 *
 * A file of another kind stays as it is.  A report is kept up to its last part,
 * or begun afresh; the parts of a kept one have the results that jansson reads
 * in their lines.  What is then written is read again, by one run after another,
 * and a finished report is a first line, lines, and an end.
 *
 * The same bytes are read as a report that is finished, as serve reads it and as
 * it is filed.
 *
 * Byte 0 says whether the run is finished; byte 1 how many bytes at the end are
 * REPORT.ids (in eights); the bytes behind are results of a part that is added.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <jansson.h>

#include "fuzz.h"
#include "fuzz_folder.h"
#include "verify/verify_internal.h"

#define REPORT "report"
#define IDS REPORT ".ids"
#define FIRST "{\"crawlfs_verify\":"
#define DONE "{\"done\":"
#define END "{\"end\":"
#define FRESH FIRST "4,\"command\":\"a \\\"b\xef\xbf\xbd\"}\n"
#define COMMAND "a \"b\xff"	/* not UTF-8, as operands may be */
#define LINES "{\"archive\":\"x\"}\n"
#define NEW_ID UINT64_C(0xfedcba9876543210)
#define NEW_TO (UINT64_C(1) << 40)
#define HEAD_BYTES 8u
#define PARTS_MAX 200u

static const struct cfs_verify_opts opts_made = { .command = COMMAND,
						  .tmp_dir = "/tmp" };

/* ---- files ---- */

static void read_file(const char *name, struct cfs_buf *out)
{
	int fd = open(fuzz_path(name), O_RDONLY | O_CLOEXEC);
	struct stat st;

	must(fd >= 0 && fstat(fd, &st) == 0);
	cfs_buf_init(out, 1 << 24);
	must(cfs_buf_reserve(out, (size_t)st.st_size + 1) == CFS_OK);
	out->n = cfs_read_at(fd, out->p, (size_t)st.st_size, 0);
	must(out->n == (size_t)st.st_size);
	close(fd);
}

static void file_is(const char *name, struct cfs_slice wanted)
{
	struct cfs_buf got;

	read_file(name, &got);
	must(cfs_slice_eq(cfs_buf_slice(&got), wanted));
	cfs_buf_release(&got);
}

static bool begins(struct cfs_slice s, const char *with)
{
	return s.n >= strlen(with) && memcmp(s.p, with, strlen(with)) == 0;
}

/* ---- parts of the report, as another reader sees them ---- */

static uint64_t number(json_t *object, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(object, name));
}

static uint64_t id_of(json_t *line)
{
	const char *text = json_string_value(json_object_get(line, "id"));

	return text != NULL ? strtoull(text, NULL, 16) : 0;
}

static void check_tally(json_t *line, const struct cfs_verify_tally *t)
{
	static const char *const checks[CFS_VERIFY_CHECKS] = {
		"checksum", "length", "block", "payload", "index", "package" };

	must(t->records == number(line, "records"));
	must(t->bytes == number(line, "bytes"));
	must(t->damage == number(line, "damage"));
	must(t->listed_twice == number(line, "listed_twice"));
	must(t->unlisted == number(line, "unlisted"));
	must(t->cut == number(line, "bodies_cut"));
	for (unsigned i = 0; i < CFS_VERIFY_CHECKS; i++) {
		json_t *check = json_object_get(line, checks[i]);

		must(t->checks[i].matched == number(check, "matched"));
		must(t->checks[i].differed == number(check, "differed"));
		must(t->checks[i].absent == number(check, "absent"));
		must(t->checks[i].unknown == number(check, "unknown"));
	}
}

/* The line as jansson reads it.  NULL for what it does not read, or what the
 * report never has: escapes in names, numbers that are none. */
static json_t *read_line(struct cfs_slice line)
{
	static const char *const numbers[] = { "to", "ids", "records", "bytes",
		"damage", "listed_twice", "unlisted", "bodies_cut", NULL };
	json_t *out = json_loadb((const char *)line.p, line.n,
				 JSON_REJECT_DUPLICATES, NULL);
	bool is_usual = memchr(line.p, '\\', line.n) == NULL &&
			json_is_string(json_object_get(out, "done")) &&
			json_string_length(json_object_get(out, "id")) == 16;

	for (const char *const *p = numbers; *p != NULL; p++) {
		json_t *v = json_object_get(out, *p);

		is_usual = is_usual && json_is_integer(v) &&
			   json_integer_value(v) >= 0;
	}
	if (is_usual)
		return out;
	json_decref(out);
	return NULL;
}

static bool is_check(json_t *line, const char *name)
{
	static const char *const counts[] = { "matched", "differed", "absent",
					      "unknown" };
	json_t *check = json_object_get(line, name);

	for (unsigned i = 0; i < 4; i++) {
		json_t *v = json_object_get(check, counts[i]);

		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return false;
	}
	return true;
}

static bool has_checks(json_t *line)
{
	return is_check(line, "checksum") && is_check(line, "length") &&
	       is_check(line, "block") && is_check(line, "payload") &&
	       is_check(line, "index") && is_check(line, "package");
}

/* The parts of a report that was kept can be used, once each.  Ids that several
 * lines have are left out. */
static void use_parts(struct cfs_verify_report *r, struct cfs_slice kept)
{
	json_t *parts[PARTS_MAX];
	size_t n = 0;

	while (kept.n > 0) {
		struct cfs_slice line = cfs_slice_split(&kept, '\n');

		if (!begins(line, DONE))
			continue;
		if (n == PARTS_MAX || (parts[n] = read_line(line)) == NULL)
			goto out;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		struct cfs_verify_tally tally;
		uint64_t to, id = id_of(parts[i]);
		unsigned same = 0;

		for (size_t j = 0; j < n; j++)
			same += id_of(parts[j]) == id;
		if (same > 1)
			continue;
		must(cfs_verify_report_use(r, id, &to, &tally));
		must(to == number(parts[i], "to"));
		if (has_checks(parts[i]))
			check_tally(parts[i], &tally);
		must(!cfs_verify_report_use(r, id, &to, &tally));
	}
out:
	while (n > 0)
		json_decref(parts[--n]);
}

/* ---- one run after another ---- */

static struct cfs_verify_report *open_report(struct cfs_verify_opts *opts)
{
	struct cfs_verify_report *r;

	*opts = opts_made;
	opts->report = fuzz_path(REPORT);
	must(cfs_verify_report_open(&r, opts, NULL) == CFS_OK);
	return r;
}

/* A kept report is of this command and version, its first line and all up to
 * the end of a part; or nothing is kept, and there is a first line alone. */
static void check_kept(struct cfs_slice text, struct cfs_slice kept)
{
	const uint8_t *last = NULL;

	if (cfs_slice_eq(kept, CFS_SLICE_LIT(FRESH)))
		return;
	must(kept.n <= text.n && memcmp(kept.p, text.p, kept.n) == 0);
	must(begins(kept, FRESH) && kept.p[kept.n - 1] == '\n');
	for (struct cfs_slice rest = kept; rest.n > 0;) {
		struct cfs_slice line = cfs_slice_split(&rest, '\n');

		last = line.p;
		must(!begins(line, END));
	}
	must(last == kept.p || begins(cfs_slice_sub(kept,
		(size_t)(last - kept.p), kept.n), DONE));
}

static void fill_tally(struct cfs_verify_tally *t, const uint8_t *data)
{
	uint64_t v = cfs_le32_get(data) | (uint64_t)cfs_le32_get(data + 2) << 31;

	*t = (struct cfs_verify_tally){
		.figures = { v, v / 3, v / 5, v / 7, v / 9, v / 11,
			     [CFS_VERIFY_TOTALS] = v, 1, 2, 0, 3, v, 4 },
	};
}

/* A run that adds a part, and half another, before it is killed.  *after: the
 * report as the next run has to find it. */
static void add_part(const struct cfs_verify_tally *tally,
		     struct cfs_buf *after)
{
	static char name[] = "x\n\"\xff";
	struct cfs_verify_unit unit = { .name = name };
	struct cfs_verify_part *p = cfs_verify_part_new(&unit,
		(struct cfs_scan_stretch){ 1, NEW_TO, NEW_TO });
	struct cfs_verify_opts opts;
	struct cfs_verify_report *r = open_report(&opts);

	must(p != NULL);
	p->id = NEW_ID;
	p->tally = *tally;
	cfs_buf_adds(&p->lines, LINES);
	cfs_buf_le64(&p->ids, 5);
	must(cfs_verify_report_add(r, p, NULL) == CFS_OK);
	must(cfs_verify_report_mark(r, p, NULL) == CFS_OK);
	read_file(REPORT, after);
	cfs_buf_adds(&p->lines, LINES LINES);
	cfs_buf_le64(&p->ids, 6);
	must(cfs_verify_report_add(r, p, NULL) == CFS_OK);
	cfs_verify_part_free(p);
	cfs_verify_report_free(r);
}

static void finish(struct cfs_verify_report *r)
{
	struct cfs_verify_result result = { .archives = 1 };
	struct cfs_buf text;
	struct cfs_slice rest, line = CFS_SLICE_EMPTY;

	must(cfs_verify_report_finish(r, &result, NULL) == CFS_OK);
	must(access(fuzz_path(IDS), F_OK) != 0);
	read_file(REPORT, &text);
	rest = cfs_buf_slice(&text);
	must(begins(rest, FIRST) && text.p[text.n - 1] == '\n');
	while (rest.n > 0)
		line = cfs_slice_split(&rest, '\n');
	must(begins(line, END));
	cfs_buf_release(&text);
}

/* The report of a killed run, that was `kept` when it was opened. */
static void go_on(struct cfs_slice kept, const uint8_t *data)
{
	struct cfs_verify_tally tally, got;
	struct cfs_verify_opts opts;
	struct cfs_verify_report *r;
	struct cfs_buf after;
	bool is_new = cfs_slice_search(kept,
				       CFS_SLICE_LIT("fedcba9876543210")) < 0;
	uint64_t to;

	fill_tally(&tally, data + 2);
	add_part(&tally, &after);
	r = open_report(&opts);
	file_is(REPORT, cfs_buf_slice(&after));
	if (is_new) {
		must(cfs_verify_report_use(r, NEW_ID, &to, &got));
		must(to == NEW_TO && memcmp(&got, &tally, sizeof(got)) == 0);
	}
	use_parts(r, kept);
	if ((data[0] & 1) != 0)
		finish(r);
	cfs_verify_report_free(r);
	cfs_buf_release(&after);
	if ((data[0] & 1) != 0) {
		cfs_verify_report_free(open_report(&opts));
		file_is(REPORT, CFS_SLICE_LIT(FRESH));
	}
}

/* ---- as a finished report ---- */

static int add_archive(void *arg, const struct cfs_verified *v)
{
	uint64_t *n = arg;

	must(v->archive.n > 0 && v->records <= INT64_MAX * UINT64_C(2));
	(*n)++;
	return CFS_OK;
}

/* Whoever reads it sees the same archives. */
static void read_finished(struct cfs_slice text)
{
	struct cfs_slice rest = text;
	uint64_t n = 0, lines = 0;
	struct cfs_buf csv;
	int rc = cfs_verify_read_report(fuzz_path(REPORT), add_archive, &n,
					CFS_CTX(NULL, NULL));

	must(rc == CFS_OK || rc == CFS_EUSAGE);
	must(rc == cfs_verify_file(fuzz_path(REPORT), fuzz_path("x.csv"),
				   CFS_FILED_CSV, NULL));
	for (; rest.n > 0; cfs_slice_split(&rest, '\n'))
		lines++;
	must(n <= lines);
	if (rc != CFS_OK) {
		must(access(fuzz_path("x.csv"), F_OK) != 0);
		return;
	}
	must(begins(text, FIRST));
	read_file("x.csv", &csv);
	must(begins(cfs_buf_slice(&csv), "archive,outcome,"));
	cfs_buf_release(&csv);
	unlink(fuzz_path("x.csv"));
}

FUZZ_TARGET(data, size)
{
	struct cfs_verify_opts opts = opts_made;
	struct cfs_verify_report *r;
	struct cfs_slice text;
	struct cfs_buf kept;
	size_t ids;
	int rc;

	if (size < HEAD_BYTES)
		return 0;
	ids = data[1] * 8u < size - HEAD_BYTES ? data[1] * 8u : 0;
	text = cfs_slice_of(data + HEAD_BYTES, size - HEAD_BYTES - ids);
	fuzz_write(REPORT, text.p, text.n);
	fuzz_write(IDS, text.p + text.n, ids);
	read_finished(text);
	opts.report = fuzz_path(REPORT);
	rc = cfs_verify_report_open(&r, &opts, NULL);
	if (rc != CFS_OK) {
		must(rc == CFS_EUSAGE && !begins(text, FIRST) && text.n > 0);
		cfs_verify_report_free(r);
		file_is(REPORT, text);
		file_is(IDS, cfs_slice_of(text.p + text.n, ids));
		return 0;
	}
	must(text.n == 0 || begins(text, FIRST) ||
	     (text.n < strlen(FIRST) && memcmp(text.p, FIRST, text.n) == 0));
	read_file(REPORT, &kept);
	check_kept(text, cfs_buf_slice(&kept));
	use_parts(r, cfs_buf_slice(&kept));
	cfs_verify_report_free(r);
	go_on(cfs_buf_slice(&kept), data);
	cfs_buf_release(&kept);
	return 0;
}
