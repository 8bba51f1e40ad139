/* protocol.h - what crawlfs and its helper crawlfs-pdf say to each other.
 *
 * crawlfs writes a request and the document to the helper's standard input, and
 * reads an answer, the title and the two texts from its standard output.  All
 * numbers are of the machine's own order: both are of one build.  The helper
 * ends where its input ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PDF_PROTOCOL_H
#define CFS_PDF_PROTOCOL_H

#include <stdint.h>

#define CFS_PDF_MAGIC 0x31664450u

/* The texts that are wanted; each costs as much as the other. */
#define CFS_PDF_WANTS_TEXT 1u
#define CFS_PDF_WANTS_MAIN 2u

struct cfs_pdf_request {
	uint32_t magic;
	uint32_t wants;
	uint32_t document_bytes;
	uint32_t text_bytes_max;	/* of each of the two texts */
	uint32_t pages_max;
	uint32_t cpu_ms;	/* the helper is killed after that */
};

enum cfs_pdf_status {
	CFS_PDF_OK,
	CFS_PDF_DAMAGED,	/* no page can be read */
	CFS_PDF_ENCRYPTED	/* a password is needed */
};

struct cfs_pdf_answer {
	uint32_t magic;
	uint32_t status;	/* enum cfs_pdf_status */
	uint32_t pages;		/* that the document has */
	uint32_t pages_read;	/* before a limit or damage; of the text, if it
				 * is wanted */
	uint32_t title_bytes;	/* all three are UTF-8 */
	uint32_t text_bytes;
	uint32_t main_bytes;
};

#endif
