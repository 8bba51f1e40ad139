/* fuzz_pathlist.c - any bytes as a list of archives: its names are its lines
 * up to the first that is no name below a folder, as they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/fileio.h"
#include "codec/gzip.h"
#include "fuzz_folder.h"
#include "input/pathlist.h"

#define WHERE "list.paths"

/* The list as it is still to be reported. */
struct expected {
	struct cfs_slice rest;
	size_t n, stop;		/* names so far; the one at which to stop,
				 * from 1 on, or 0 */
};

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Takes the next line that is not blank, without blanks around it.  False at
 * the end. */
static bool next_line(struct cfs_slice *rest, struct cfs_slice *line)
{
	while (rest->n > 0) {
		const uint8_t *lf = memchr(rest->p, '\n', rest->n);
		size_t n = lf != NULL ? (size_t)(lf - rest->p) : rest->n;

		*line = cfs_slice_of(rest->p, n);
		n += lf != NULL;
		*rest = cfs_slice_of(rest->p + n, rest->n - n);
		while (line->n > 0 && is_blank(line->p[0]))
			*line = cfs_slice_of(line->p + 1, line->n - 1);
		while (line->n > 0 && is_blank(line->p[line->n - 1]))
			line->n--;
		if (line->n > 0)
			return true;
	}
	return false;
}

/* A path that opens nothing outside the folder it is looked for in: it has no
 * empty component, so that it does not begin with a slash, and none that leads
 * up. */
static bool is_name(struct cfs_slice s)
{
	size_t start = 0;

	if (s.n > CFS_NAME_BYTES_MAX)
		return false;
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && (s.p[i] < 0x20 || s.p[i] == 0x7f))
			return false;
		if (i < s.n && s.p[i] != '/')
			continue;
		if (i == start || (i == start + 2 && s.p[start] == '.' &&
				   s.p[start + 1] == '.'))
			return false;
		start = i + 1;
	}
	return true;
}

static int each(void *arg, struct cfs_slice name)
{
	struct expected *e = arg;
	struct cfs_slice line;

	must(next_line(&e->rest, &line));
	must(is_name(line) && cfs_slice_eq(name, line));
	return ++e->n == e->stop ? CFS_END : CFS_OK;
}

/* The result of a list whose first names were reported. */
static void check_result(int rc, struct expected *e, struct cfs_slice text,
			 const struct cfs_error *err)
{
	struct cfs_slice line;

	if (rc == CFS_END) {
		must(e->stop > 0 && e->n == e->stop);
	} else if (rc == CFS_OK) {
		must(!next_line(&e->rest, &line));
	} else {
		must(rc == CFS_EFORMAT && err->text[0] != '\0');
		must(next_line(&e->rest, &line) && !is_name(line));
		must(err->offset <= (uint64_t)(line.p - text.p));
	}
}

static void check_text(struct cfs_slice text, size_t stop)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct expected e = { .rest = text, .stop = stop };
	int rc = cfs_pathlist_parse(text, WHERE, each, &e, &err);

	check_result(rc, &e, text, &err);
}

/* The same list in a file, plain or compressed, unless it looks like the other
 * kind by its first bytes. */
static void check_file(struct cfs_slice text, bool is_gzip)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct expected e = { .rest = text };
	struct cfs_buf file;

	if (!is_gzip && cfs_gz_is_start(text))
		return;
	cfs_buf_init(&file, 1 << 24);
	if (is_gzip)
		must(cfs_gz_compress(text, &file, NULL) == CFS_OK);
	else
		must(cfs_buf_add(&file, text) == CFS_OK);
	fuzz_write(WHERE, file.p, file.n);
	check_result(cfs_pathlist_read(fuzz_path(WHERE), each, &e,
				       CFS_CTX(NULL, &err)),
		     &e, text, &err);
	cfs_buf_release(&file);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice text;

	if (size == 0)
		return 0;
	text = cfs_slice_of(data + 1, size - 1);
	check_text(text, data[0] & 15u);
	if ((data[0] & 16u) != 0)
		check_file(text, (data[0] & 32u) != 0);
	return 0;
}
