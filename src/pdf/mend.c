/* mend.c - finds the objects of a type, and writes an end that names them.
 *
 * The document is read once from front to back, whatever is in it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mend.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/slice.h"

/* The longest reference "N G" to an object. */
#define REFERENCE_MAX 16u

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

/* Writes a list of all pages that are found, and a catalogue for it. */
static void add_pages(struct end *e, struct cfs_slice document)
{
	struct search q = search_for(document, CFS_SLICE_LIT("/Page"));
	struct cfs_slice page;
	unsigned n = 0;
	char count[64];
	int length;

	add(e, CFS_SLICE_LIT("1999999 0 obj\n<< /Type /Catalog /Pages "
			     "1999998 0 R >>\nendobj\n1999998 0 obj\n"
			     "<< /Type /Pages /Kids [ "));
	while (n < CFS_PDF_MEND_PAGES_MAX && find_next(&q, &page)) {
		add(e, page);
		add(e, CFS_SLICE_LIT(" R "));
		n++;
	}
	length = snprintf(count, sizeof(count), "] /Count %u >>\nendobj\n", n);
	add(e, cfs_slice_of(count, (size_t)length));
}

size_t cfs_pdf_end(const char *document, size_t n, enum cfs_pdf_mend how,
		   char *out)
{
	struct cfs_slice root = CFS_SLICE_LIT("1999999 0"), found;
	struct cfs_slice s = cfs_slice_of(document, n);
	struct search q = search_for(s, CFS_SLICE_LIT("/Catalog"));
	struct end e = { out, 0 };

	if (how == CFS_PDF_MEND_NOT)
		return 0;
	/* An object that was cut off ends here. */
	add(&e, CFS_SLICE_LIT("\nendstream\nendobj\n"));
	if (how == CFS_PDF_BY_PAGES)
		add_pages(&e, s);
	else
		while (find_next(&q, &found))
			root = found;
	add(&e, CFS_SLICE_LIT("trailer\n<< /Root "));
	add(&e, root);
	add(&e, CFS_SLICE_LIT(" R >>\nstartxref\n0\n%%EOF\n"));
	return e.n;
}
