/* s3_xml.h - the XML documents that S3 answers with, read into a tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_XML_H
#define CFS_NET_S3_XML_H

#include <libxml/tree.h>

#include "base/error.h"
#include "base/slice.h"

/* Bytes.  1,000 parts of an upload take 300,000, 1,000 objects with the longest
 * keys 3,500,000. */
#define CFS_S3_ANSWER_MAX ((size_t)4 << 20)

/*
 * Reads a document.  Its root is an element; xmlFreeDoc frees it.  CFS_ELIMIT
 * past CFS_S3_ANSWER_MAX; CFS_EFORMAT for what is not XML, and for a document
 * with a type, which S3's never have.
 */
int cfs_s3_xml_parse(xmlDoc **out, struct cfs_slice xml, struct cfs_error *err);

/* The same for a document that may be cut or damaged: what there is of it.
 *  NULL where that is nothing. */
xmlDoc *cfs_s3_xml_recover(struct cfs_slice xml);

/* Is it an element of that name, in whichever name space? */
bool cfs_s3_xml_is(const xmlNode *n, const char *name);

/* The text of the first child of that name, as it stands; borrowed from the
 * document.  False, and an empty text: there is no such child. */
bool cfs_s3_xml_find(const xmlNode *n, const char *name, struct cfs_slice *out);

/* The same without blanks round it; empty without such a child. */
struct cfs_slice cfs_s3_xml_text(const xmlNode *n, const char *name);

#endif
