/* fuzz_pdfmend.c - the end that a cut PDF document is given, compared with one
 * that is made by looking backwards from each type.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "base/buf.h"
#include "pdf/mend.h"

static bool is_at(struct cfs_slice s, size_t at, const char *what)
{
	return cfs_slice_starts(cfs_slice_from(s, at), cfs_slice_str(what));
}

/* Is there a /Type with this name at `at`? */
static bool has_type(struct cfs_slice s, size_t at, const char *type)
{
	size_t name = at + 5;
	struct cfs_slice behind;

	if (!is_at(s, at, "/Type"))
		return false;
	while (is_at(s, name, " ") || is_at(s, name, "\r") ||
	       is_at(s, name, "\n"))
		name++;
	if (!is_at(s, name, type))
		return false;
	behind = cfs_slice_from(s, name + strlen(type));
	return behind.n == 0 || !((behind.p[0] | 0x20) >= 'a' &&
				  (behind.p[0] | 0x20) <= 'z');
}

/* Appends the references of all objects of a type, each with `behind`; of the
 * last one alone if only_last. */
static unsigned add_objects(struct cfs_buf *out, struct cfs_slice s,
			    const char *type, bool only_last)
{
	unsigned n = 0;

	for (size_t at = 0; at < s.n; at++) {
		size_t object = at, from;

		if (!has_type(s, at, type))
			continue;
		while (object > 0 && !is_at(s, object, " obj"))
			object--;
		if (!is_at(s, object, " obj"))
			continue;
		for (from = object; from > 0 && object - from < 16 &&
		     strchr("0123456789 ", s.p[from - 1]) != NULL &&
		     s.p[from - 1] != '\0'; from--)
			;
		if (from == object || n == CFS_PDF_MEND_PAGES_MAX)
			continue;
		if (only_last)
			cfs_buf_reset(out);
		cfs_buf_add(out, cfs_slice_sub(s, from, object - from));
		if (!only_last)
			cfs_buf_adds(out, " R ");
		n++;
	}
	return n;
}

/* The largest number in front of an " obj", and 100,000. */
static unsigned new_number(struct cfs_slice s)
{
	unsigned most = 0;

	for (size_t at = 1; at < s.n; at++) {
		size_t from = at;
		char digits[17] = "";

		if (!is_at(s, at, " obj"))
			continue;
		while (from > 0 && at - from < 16 && s.p[from - 1] != '\0' &&
		       strchr("0123456789 ", s.p[from - 1]) != NULL)
			from--;
		memcpy(digits, s.p + from, at - from);
		if (strtoull(digits, NULL, 10) < 1900000 &&
		    strtoul(digits, NULL, 10) > most)
			most = (unsigned)strtoul(digits, NULL, 10);
	}
	return most + 100000;
}

static void model(struct cfs_buf *out, struct cfs_slice s,
		  enum cfs_pdf_mend how)
{
	unsigned number = new_number(s), n;
	struct cfs_buf root, kids;
	bool is_empty = false;
	char count[64];

	cfs_buf_init(&root, 1 << 20);
	cfs_buf_init(&kids, 1 << 20);
	cfs_buf_adds(out, "\nendstream\nendobj\n");
	if (how == CFS_PDF_BY_PAGES) {
		n = add_objects(&kids, s, "/Page", false);
		snprintf(count, sizeof(count), "] /Count %u >>\nendobj\n", n);
		cfs_buf_addf(out, "%u 0 obj\n<< /Type /Catalog /Pages "
			     "%u 0 R >>\nendobj\n%u 0 obj\n"
			     "<< /Type /Pages /Kids [ ", number, number - 1,
			     number - 1);
		cfs_buf_add(out, cfs_buf_slice(&kids));
		cfs_buf_adds(out, count);
		is_empty = n == 0;
	}
	if (how == CFS_PDF_BY_PAGES ||
	    add_objects(&root, s, "/Catalog", true) == 0)
		cfs_buf_addf(&root, "%u 0", number);
	cfs_buf_adds(out, "trailer\n<< /Root ");
	cfs_buf_add(out, cfs_buf_slice(&root));
	cfs_buf_adds(out, " R >>\nstartxref\n0\n%%EOF\n");
	if (is_empty)
		cfs_buf_reset(out);
	cfs_buf_release(&root);
	cfs_buf_release(&kids);
}

FUZZ_TARGET(data, n)
{
	struct cfs_slice s = cfs_slice_of(data, n);
	char *end = malloc(CFS_PDF_END_BYTES_MAX);
	struct cfs_buf out;

	if (end == NULL || n > 100000) {
		free(end);
		return 0;
	}
	for (unsigned how = CFS_PDF_BY_CATALOGUE; how <= CFS_PDF_BY_PAGES;
	     how++) {
		size_t length = cfs_pdf_end((const char *)s.p, s.n,
					    (enum cfs_pdf_mend)how, end);

		cfs_buf_init(&out, 1 << 20);
		model(&out, s, (enum cfs_pdf_mend)how);
		if (!cfs_slice_eq(cfs_slice_of(end, length),
				  cfs_buf_slice(&out)))
			abort();
		cfs_buf_release(&out);
	}
	free(end);
	return 0;
}
