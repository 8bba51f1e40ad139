/* pdf.h - the texts of PDF documents, by helper processes.
 *
 * Documents are read by crawlfs-pdf, a program of poppler's that may do nothing
 * but compute (helper.cc).  Up to one process for each processor is kept, and
 * begun again when it has died; all threads share them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PDF_PDF_H
#define CFS_PDF_PDF_H

#include "base/buf.h"
#include "base/cancel.h"

/* Longer documents have no text. */
#define CFS_PDF_BYTES_MAX ((size_t)256 << 20)
/* Longer texts end before the page that would be too much. */
#define CFS_PDF_TEXT_MAX ((size_t)64 << 20)
/* Later pages are left out. */
#define CFS_PDF_PAGES_MAX 10000u
/* A document that takes more of a processor has no text. */
#define CFS_PDF_CPU_MS 15000u

/* How much of a document its texts have. */
enum cfs_pdf_outcome {
	CFS_PDF_WHOLE,
	CFS_PDF_PARTIAL,	/* damage, an end that is missing, or a limit */
	CFS_PDF_NOT_READABLE,	/* no page can be read */
	CFS_PDF_LOCKED,		/* a password is needed */
	CFS_PDF_TOO_MUCH,	/* it exceeds memory, time or a limit */
	CFS_PDF_NO_HELPER	/* the program is not there */
};

struct cfs_pdf_found {
	enum cfs_pdf_outcome outcome;
	uint32_t pages;		/* that the document has; 0 if not known */
};

/* The outcome in a word or two, as .meta has it. */
const char *cfs_pdf_outcome_name(enum cfs_pdf_outcome outcome);

/* The version of poppler with which the helper was built, or NULL if
 * there is no helper: what views depend on. */
const char *cfs_pdf_version(void);

/* True if the bytes begin as a PDF document does: "%PDF-" in their first
 * 1,024. */
bool cfs_pdf_is(struct cfs_slice body);

/* Texts of one document that are asked for several times are read once, unless
 * one of them is longer than this. */
#define CFS_PDF_KEPT_MAX ((size_t)4 << 20)

struct cfs_pdf_texts {
	bool with_text, with_main;	/* that are read together; to be set if
					 * they will be asked for */
	bool is_read;
	bool are_kept;		/* they are not too long */
	struct cfs_pdf_found found;
	struct cfs_buf title, text, main;
};

/* Begins without texts; release them in any case. */
void cfs_pdf_texts_init(struct cfs_pdf_texts *t);
void cfs_pdf_texts_release(struct cfs_pdf_texts *t);
/*
 * Appends the texts of a document, all in UTF-8; those that are NULL are not
 * wanted.
 *
 * t      those of this document; NULL: it is read each time
 * title  the one that the document states, on one line
 * text   the pages one after the other, lines as they are printed
 * main   paragraphs, without running heads, an empty line between them
 *
 * 0, whatever the document is: *found tells.  CFS_EINTR: cancelled, or the
 * thread must not wait.  CFS_ENOMEM, CFS_EIO: no process can be started; limits
 * of the buffers as cfs_buf_append.
 */
int cfs_pdf_texts_get(struct cfs_pdf_texts *t, struct cfs_slice document,
		      struct cfs_buf *title, struct cfs_buf *text,
		      struct cfs_buf *main, struct cfs_pdf_found *found,
		      struct cfs_ctx ctx);

#endif
