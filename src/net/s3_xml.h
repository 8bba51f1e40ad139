/* s3_xml.h - parses the XML documents that S3 answers with into a tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_XML_H
#define CFS_NET_S3_XML_H

#include <libxml/tree.h>

#include "base/error.h"
#include "base/slice.h"

/* Most bytes of an answer. 1,000 parts of an upload take 300,000, 1,000 objects
 * with the longest keys 3,500,000. */
#define CFS_S3_ANSWER_MAX ((size_t)4 << 20)

/*
 * Parses a document, which has a root element; free it with xmlFreeDoc.
 * CFS_ELIMIT past CFS_S3_ANSWER_MAX; CFS_EFORMAT for what is not XML, and for a
 * document with a DTD, which S3's never have.
 */
int cfs_s3_xml_parse(xmlDoc **out, struct cfs_slice xml, struct cfs_error *err);

/* Parses as much as there is of a document that may be cut off or damaged.
 * NULL if that is nothing. */
xmlDoc *cfs_s3_xml_recover(struct cfs_slice xml);

/* Is it an element of that name, in any namespace? */
bool cfs_s3_xml_is(const xmlNode *n, const char *name);

/* The text of the first child of that name, unchanged; borrowed from the
 * document.  False and an empty text if there is no such child. */
bool cfs_s3_xml_find(const xmlNode *n, const char *name, struct cfs_slice *out);

/* The same without surrounding blanks; empty without such a child. */
struct cfs_slice cfs_s3_xml_text(const xmlNode *n, const char *name);

#endif
