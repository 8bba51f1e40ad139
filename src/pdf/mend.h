/* mend.h - the end of a PDF document that lacks it.
 *
 * A document that was cut off has no list of its objects, and often no list of
 * its pages.  poppler finds all objects of it, but neither which is the first,
 * nor pages that no list has.  An end that is appended says both.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PDF_MEND_H
#define CFS_PDF_MEND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the first object is found. */
enum cfs_pdf_mend {
	CFS_PDF_MEND_NOT,	/* there is no end to be appended */
	CFS_PDF_BY_CATALOGUE,	/* the last catalogue of the document */
	CFS_PDF_BY_PAGES	/* a new one, of all objects that are pages */
};

/* Pages that a new catalogue lists at most, and the bytes of an end with so
 * many. */
#define CFS_PDF_MEND_PAGES_MAX 10000u
#define CFS_PDF_END_BYTES_MAX ((size_t)CFS_PDF_MEND_PAGES_MAX * 19 + 1000)

/* Writes an end of the document to out, which has room for
 * CFS_PDF_END_BYTES_MAX, and returns its length: 0 if there is nothing to
 * append. */
size_t cfs_pdf_end(const char *document, size_t n, enum cfs_pdf_mend how,
		   char *out);

#ifdef __cplusplus
}
#endif

#endif
