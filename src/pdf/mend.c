/* mend.c - finds the objects of a type, and writes an end that names them.
 *
 * The document is read once from front to back, whatever is in it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mend.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/slice.h"

/* The longest reference "N G" to an object. */
#define REFERENCE_MAX 16u
/* Objects with larger numbers are taken for noise. */
#define NUMBERS_MAX 1900000u
#define NUMBERS_APART 100000u
#define TEXT_MAX 200u

/* Looks for objects of a type. */
struct search {
	struct cfs_slice s;		/* the document */
	struct cfs_slice type;
	size_t at;			/* where to look on */
	size_t object, next;		/* where the object at `at`, and the
					 * next one, are begun; s.n: nowhere */
};

static size_t find(struct cfs_slice s, size_t from, struct cfs_slice what)
{
	struct cfs_slice rest = cfs_slice_from(s, from);
	const uint8_t *found = memmem(rest.p, rest.n, what.p, what.n);

	return found != NULL ? (size_t)(found - s.p) : s.n;
}

static bool is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is the name behind the /Type at `at` the one looked for? */
static bool is_of_type(const struct search *q, size_t at)
{
	struct cfs_slice name = cfs_slice_from(q->s, at + 5);

	while (name.n > 0 && (name.p[0] == ' ' || name.p[0] == '\r' ||
			      name.p[0] == '\n'))
		name = cfs_slice_from(name, 1);
	return cfs_slice_starts(name, q->type) &&
	       (name.n == q->type.n || !is_letter(name.p[q->type.n]));
}

/* The reference "N G" of the object that is begun last before `at`, or
 * nothing. */
static struct cfs_slice reference_before(struct search *q, size_t at)
{
	size_t from;

	while (q->next < at) {
		q->object = q->next;
		q->next = find(q->s, q->next + 1, CFS_SLICE_LIT(" obj"));
	}
	if (q->object == q->s.n)
		return CFS_SLICE_EMPTY;
	from = q->object;
	while (from > 0 && q->object - from < REFERENCE_MAX &&
	       (q->s.p[from - 1] == ' ' ||
		(q->s.p[from - 1] >= '0' && q->s.p[from - 1] <= '9')))
		from--;
	return cfs_slice_sub(q->s, from, q->object - from);
}

static struct search search_for(struct cfs_slice document,
				struct cfs_slice type)
{
	return (struct search){
		.s = document, .type = type, .object = document.n,
		.next = find(document, 0, CFS_SLICE_LIT(" obj")),
	};
}

/* Finds the next object of the type.  False: there is none. */
static bool find_next(struct search *q, struct cfs_slice *reference)
{
	*reference = CFS_SLICE_EMPTY;
	while (reference->n == 0) {
		size_t at = find(q->s, q->at, CFS_SLICE_LIT("/Type"));

		if (at == q->s.n)
			return false;
		q->at = at + 1;
		if (is_of_type(q, at))
			*reference = reference_before(q, at);
	}
	return true;
}

/* The end that is being written; there is always room for all of it. */
struct end {
	char *p;
	size_t n;
};

static void add(struct end *e, struct cfs_slice s)
{
	memcpy(e->p + e->n, s.p, s.n);
	e->n += s.n;
}

/* Appends at most TEXT_MAX bytes. */
__attribute__((format(printf, 2, 3)))
static void add_text(struct end *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	e->n += (size_t)vsnprintf(e->p + e->n, TEXT_MAX, format, args);
	va_end(args);
}

/* A number that no object has: far above those that are seen, since streams may
 * hold more.  poppler takes memory for all numbers below. */
static unsigned free_number(struct cfs_slice document)
{
	struct search q = search_for(document, CFS_SLICE_EMPTY);
	unsigned most = 0;

	while (q.next < document.n) {
		struct cfs_slice r = reference_before(&q, q.next + 1);
		unsigned long n = 0;

		while (r.n > 0 && r.p[0] == ' ')
			r = cfs_slice_from(r, 1);
		for (; r.n > 0 && r.p[0] != ' '; r = cfs_slice_from(r, 1))
			n = n * 10 + (r.p[0] - '0');
		if (n < NUMBERS_MAX && n > most)
			most = (unsigned)n;
	}
	return most + NUMBERS_APART;
}

/* Writes a list of all pages that are found, and a catalogue for it, which is
 * object `number`.  False: there are none. */
static bool add_pages(struct end *e, struct cfs_slice document, unsigned number)
{
	struct search q = search_for(document, CFS_SLICE_LIT("/Page"));
	struct cfs_slice page;
	unsigned n = 0;

	add_text(e, "%u 0 obj\n<< /Type /Catalog /Pages %u 0 R >>\nendobj\n"
		 "%u 0 obj\n<< /Type /Pages /Kids [ ", number, number - 1,
		 number - 1);
	while (n < CFS_PDF_MEND_PAGES_MAX && find_next(&q, &page)) {
		add(e, page);
		add(e, CFS_SLICE_LIT(" R "));
		n++;
	}
	add_text(e, "] /Count %u >>\nendobj\n", n);
	return n > 0;
}

size_t cfs_pdf_end(const char *document, size_t n, enum cfs_pdf_mend how,
		   char *out)
{
	struct cfs_slice s = cfs_slice_of(document, n), root, found;
	struct end e = { out, 0 };
	struct search q;
	unsigned number;
	char new_root[32];

	if (how == CFS_PDF_MEND_NOT)
		return 0;
	q = search_for(s, CFS_SLICE_LIT("/Catalog"));
	number = free_number(s);
	snprintf(new_root, sizeof(new_root), "%u 0", number);
	root = cfs_slice_str(new_root);
	/* An object that was cut off ends here. */
	add(&e, CFS_SLICE_LIT("\nendstream\nendobj\n"));
	if (how == CFS_PDF_BY_PAGES && !add_pages(&e, s, number))
		return 0;
	while (how == CFS_PDF_BY_CATALOGUE && find_next(&q, &found))
		root = found;
	add(&e, CFS_SLICE_LIT("trailer\n<< /Root "));
	add(&e, root);
	add(&e, CFS_SLICE_LIT(" R >>\nstartxref\n0\n%%EOF\n"));
	return e.n;
}
