/* charset_score.c - how often the charset of a document is found.
 *
 *     charset_score [-v] [FOLDER ...]
 *
 * Without folders: the sets of real files below $CFS_DATA, and a failure where
 * a score is below the one measured (`floors`).  Files and folders tell the
 * truth: a file is named CHARSET[-LANGUAGE]__ANYTHING, a case of html5lib's
 * .dat files has its #encoding.  -v names the files that were not found.
 *
 * Columns, all on the same bytes:
 *     all      the whole order: declarations, detectors, ISO-8859-1
 *     bytes    ours without declarations: detectors, then ISO-8859-1
 *     icu      the first guess of ucsdet by itself
 *     mozilla  that of uchardet by itself
 * Two charsets are equal where the Encoding Standard gives their labels one
 * decoder (ISO-8859-1, ASCII and windows-1252; GB2312, GBK and GB18030;
 * Shift_JIS and windows-31j; EUC-KR and CP949; ISO-8859-9 and windows-1254;
 * TIS-620 and windows-874), and where both give this file the same text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uchardet/uchardet.h>
#include <unicode/ucsdet.h>

#include "view/charset_steps.h"
#include "tests/program.h"

#define FILE_MAX_BYTES (4 << 20)
#define SKIP 77

enum column { ALL, BYTES, ICU, MOZILLA, COLUMNS };

static const char *const column_names[COLUMNS] = {
	"all", "bytes", "icu", "mozilla",
};

struct set {
	const char *name;
	unsigned files, right[COLUMNS];
	double seconds[COLUMNS];
};

/* Measured; a change that scores less has to say why. */
static const struct {
	const char *set;
	unsigned files, all, bytes;
} floors[] = {
	{ "chardet", 75, 74, 74 },
	{ "feedparser", 4, 4, 4 },
	{ "html5lib", 60, 60, 58 },
};

static bool verbose;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* `name` as a charset of ours.  Of UTF-16 and UTF-32 the mark says which. */
static bool resolve(const char *name, struct cfs_slice body,
		    struct cfs_charset *out)
{
	struct cfs_slice label = cfs_slice_str(name);

	if ((cfs_slice_eq_nocase(label, CFS_SLICE_LIT("utf-16")) ||
	     cfs_slice_eq_nocase(label, CFS_SLICE_LIT("utf-32"))) &&
	    cfs_charset_declared(body, false, out))
		return true;
	if (cfs_slice_starts_nocase(label, CFS_SLICE_LIT("utf-8-sig")))
		label.n = 5;
	return cfs_charset_by_label(label, out);
}

static bool same_text(const struct cfs_charset *a, const struct cfs_charset *b,
		      struct cfs_slice body)
{
	struct cfs_buf x, y;
	bool same;

	cfs_buf_init(&x, FILE_MAX_BYTES * 4);
	cfs_buf_init(&y, FILE_MAX_BYTES * 4);
	same = cfs_charset_to_utf8(a, body, CFS_PAGES_STAY, &x, NULL) ==
		       CFS_OK &&
	       cfs_charset_to_utf8(b, body, CFS_PAGES_STAY, &y, NULL) ==
		       CFS_OK &&
	       cfs_slice_eq(cfs_buf_slice(&x), cfs_buf_slice(&y));
	cfs_buf_release(&x);
	cfs_buf_release(&y);
	return same;
}

static bool ask(enum column c, struct cfs_slice body, struct cfs_charset *out)
{
	struct cfs_charset_input in = { CFS_SLICE_EMPTY, body, true,
					CFS_PAGES_STAY };
	UErrorCode code = U_ZERO_ERROR;
	const UCharsetMatch *match;
	UCharsetDetector *icu;
	uchardet_t mozilla;
	bool found = false;

	switch (c) {
	case ALL:
		cfs_charset_find(&in, out);
		return true;
	case BYTES:
		return cfs_charset_detect(body, CFS_PAGES_STAY, out) ||
		       cfs_charset_by_label(CFS_SLICE_LIT("latin1"), out);
	case ICU:
		icu = ucsdet_open(&code);
		ucsdet_setText(icu, (const char *)body.p, (int32_t)body.n, &code);
		match = ucsdet_detect(icu, &code);
		if (match != NULL && U_SUCCESS(code))
			found = resolve(ucsdet_getName(match, &code), body, out);
		ucsdet_close(icu);
		return found;
	default:
		mozilla = uchardet_new();
		uchardet_handle_data(mozilla, (const char *)body.p, body.n);
		uchardet_data_end(mozilla);
		found = resolve(uchardet_get_charset(mozilla), body, out);
		uchardet_delete(mozilla);
		return found;
	}
}

static void score(struct set *set, const char *name, const char *truth_name,
		  struct cfs_slice body)
{
	struct cfs_charset truth = { 0 };
	bool known = resolve(truth_name, body, &truth);

	set->files++;
	for (int c = 0; c < COLUMNS; c++) {
		struct cfs_charset got = { 0 };
		double start = now();
		bool right = ask((enum column)c, body, &got);

		set->seconds[c] += now() - start;
		right = right && known && (strcmp(got.icu, truth.icu) == 0 ||
					   same_text(&got, &truth, body));
		set->right[c] += right;
		if (verbose && !right)
			printf("%-8s %-12s %-40.40s %s (by %d), not %s\n",
			       column_names[c], set->name, name,
			       got.name ? got.name : "nothing", (int)got.by,
			       truth_name);
	}
}

/* -- the sets -- */

static bool read_file(const char *path, struct cfs_buf *out)
{
	FILE *f = fopen(path, "rb");
	uint8_t piece[65536];
	size_t n;

	cfs_buf_reset(out);
	if (f == NULL)
		return false;
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		cfs_buf_append(out, piece, n);
	fclose(f);
	return out->failed == CFS_OK;
}

/* The charset in a file's name: "windows-1250-czech__x.txt", and in
 * feedparser's "illformed__chardet__koi8r.xml". */
static bool truth_of(const char *name, char *out, size_t size)
{
	static const char *const languages[] = {
		"-bulgarian", "-croatian", "-czech", "-greek", "-hebrew",
		"-hungarian", "-polish", "-romanian", "-russian", "-slovak",
		"-slovene", "-turkish", "-arabic",
	};
	static const char *const feeds[][2] = {
		{ "illformed__chardet__eucjp.xml", "EUC-JP" },
		{ "illformed__chardet__koi8r.xml", "KOI8-R" },
		{ "illformed__chardet__shiftjis.xml", "Shift_JIS" },
		{ "illformed__chardet__windows1255.xml", "windows-1255" },
	};
	const char *end = strstr(name, "__");
	size_t n;

	for (size_t i = 0; i < sizeof(feeds) / sizeof(feeds[0]); i++) {
		if (strcmp(name, feeds[i][0]) == 0) {
			snprintf(out, size, "%s", feeds[i][1]);
			return true;
		}
	}
	if (end == NULL || name[0] == '.')
		return false;
	n = (size_t)(end - name);
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++) {
		size_t m = strlen(languages[i]);

		if (n > m && memcmp(end - m, languages[i], m) == 0)
			n -= m;
	}
	snprintf(out, size, "%.*s", (int)n, name);
	return true;
}

/* Files whose names begin with `prefix`. */
static void score_folder(struct set *set, const char *path, const char *prefix)
{
	DIR *d = opendir(path);
	struct dirent *e;
	struct cfs_buf body;

	cfs_buf_init(&body, FILE_MAX_BYTES);
	while (d != NULL && (e = readdir(d)) != NULL) {
		char truth[256], sub[4096];

		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 ||
		    !truth_of(e->d_name, truth, sizeof(truth)))
			continue;
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		if (read_file(sub, &body))
			score(set, e->d_name, truth, cfs_buf_slice(&body));
	}
	if (d != NULL)
		closedir(d);
	cfs_buf_release(&body);
}

/* "#data" LF bytes LF "#encoding" LF label LF, again and again. */
static void score_cases(struct set *set, const char *path)
{
	struct cfs_buf file;
	struct cfs_slice s;

	cfs_buf_init(&file, FILE_MAX_BYTES);
	read_file(path, &file);
	s = cfs_buf_slice(&file);
	for (;;) {
		struct cfs_slice label;
		char truth[64], name[64];
		ptrdiff_t at, end;

		at = cfs_slice_search(s, CFS_SLICE_LIT("#data\n"));
		if (at < 0)
			break;
		s = cfs_slice_from(s, (size_t)at + 6);
		end = cfs_slice_search(s, CFS_SLICE_LIT("\n#encoding\n"));
		if (end < 0)
			break;
		label = cfs_slice_from(s, (size_t)end + 11);
		at = cfs_slice_find(label, '\n');
		if (at >= 0)
			label.n = (size_t)at;
		label = cfs_slice_trim(label);
		snprintf(truth, sizeof(truth), "%.*s", (int)label.n,
			 (const char *)label.p);
		snprintf(name, sizeof(name), "case %u", set->files);
		score(set, name, truth, cfs_slice_sub(s, 0, (size_t)end));
	}
	cfs_buf_release(&file);
}

/* -- the table -- */

static void print_head(void)
{
	printf("%-12s %5s", "set", "files");
	for (int c = 0; c < COLUMNS; c++)
		printf(" %8s       us", column_names[c]);
	printf("\n");
}

static void print_set(const struct set *set)
{
	double n = set->files ? set->files : 1;

	printf("%-12s %5u", set->name, set->files);
	for (int c = 0; c < COLUMNS; c++)
		printf(" %4u %3.0f%% %7.0f", set->right[c],
		       100.0 * set->right[c] / n, set->seconds[c] * 1e6 / n);
	printf("\n");
}

static int check_floor(const struct set *set)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(floors) / sizeof(floors[0]); i++) {
		if (strcmp(floors[i].set, set->name) != 0)
			continue;
		if (set->files != floors[i].files)
			printf("%s: %u files where %u were\n", set->name,
			       set->files, floors[i].files);
		else if (set->right[ALL] < floors[i].all ||
			 set->right[BYTES] < floors[i].bytes)
			rc = 1;
		if (rc != 0)
			printf("%s: below %u and %u right\n", set->name,
			       floors[i].all, floors[i].bytes);
	}
	return rc;
}

static int score_data(const char *data)
{
	struct set chardet = { .name = "chardet" };
	struct set feeds = { .name = "feedparser" };
	struct set html5 = { .name = "html5lib" };
	char path[4096];

	snprintf(path, sizeof(path), "%s/charset/chardet", data);
	score_folder(&chardet, path, "");
	snprintf(path, sizeof(path), "%s/feeds/feedparser", data);
	score_folder(&feeds, path, "illformed__chardet__");
	snprintf(path, sizeof(path), "%s/charset/html5lib-tests/tests1.dat", data);
	score_cases(&html5, path);
	snprintf(path, sizeof(path), "%s/charset/html5lib-tests/test-yahoo-jp.dat",
		 data);
	score_cases(&html5, path);
	if (chardet.files + html5.files == 0) {
		printf("SKIPPED: no files below '%s/charset'\n", data);
		return SKIP;
	}
	print_head();
	print_set(&chardet);
	print_set(&feeds);
	print_set(&html5);
	return check_floor(&chardet) | check_floor(&feeds) | check_floor(&html5);
}

PROGRAM(argc, argv)
{
	const char *data = getenv("CFS_DATA");
	int first = 1;

	if (argc > 1 && strcmp(argv[1], "-v") == 0) {
		verbose = true;
		first = 2;
	}
	if (argc == first && data == NULL) {
		printf("SKIPPED: CFS_DATA names no folder of samples\n");
		return SKIP;
	}
	if (argc == first)
		return score_data(data);
	print_head();
	for (int i = first; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		struct set set = { .name = slash ? slash + 1 : argv[i] };

		score_folder(&set, argv[i], "");
		print_set(&set);
	}
	return 0;
}
