/* s3_xml.h - parses the XML documents that S3 answers with into a tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_XML_H
#define CFS_NET_S3_XML_H

#include "base/buf.h"
#include "base/error.h"

/* Most bytes of an answer. 1,000 parts of an upload take 300,000, 1,000 objects
 * with the longest keys 3,500,000. */
#define CFS_S3_ANSWER_MAX ((size_t)4 << 20)

/* An element; its slices are borrowed from the document. */
struct cfs_s3_node {
	struct cfs_slice name;		/* without a prefix that is declared */
	struct cfs_slice text;		/* its first run of text, unchanged */
	size_t n_inside;		/* elements in it, which follow it */
};

/* A document; root is NULL without one.  The buffers are private, and wiped
 * when they are released: answers may have credentials. */
struct cfs_s3_xml {
	const struct cfs_s3_node *root;
	struct cfs_buf utf8, nodes, text;
};

/*
 * Parses a document, which has a root element.  xml is borrowed until the
 * document is released.  CFS_ELIMIT past CFS_S3_ANSWER_MAX; CFS_EFORMAT for
 * what is not well-formed XML in UTF-8, UTF-16 or ISO-8859-1, and for a
 * document with a DTD, which S3's never have; CFS_ENOMEM.  Takes memory of at
 * most 20 times the document.  Release doc, also after a failure.
 */
int cfs_s3_xml_parse(struct cfs_s3_xml *doc, struct cfs_slice xml,
		     struct cfs_error *err);
void cfs_s3_xml_release(struct cfs_s3_xml *doc);

/* Parses as much as there is of a document that may be cut off or damaged.
 * doc->root is NULL if that is nothing.  Release doc. */
void cfs_s3_xml_recover(struct cfs_s3_xml *doc, struct cfs_slice xml);

/* Is it an element of that name, in any namespace? */
bool cfs_s3_xml_is(const struct cfs_s3_node *n, const char *name);

/* The first element in n, and the next one after its child c; NULL if there is
 * none. */
const struct cfs_s3_node *cfs_s3_xml_first(const struct cfs_s3_node *n);
const struct cfs_s3_node *cfs_s3_xml_next(const struct cfs_s3_node *n,
					  const struct cfs_s3_node *c);

/* The first child of that name; NULL if there is none. */
const struct cfs_s3_node *cfs_s3_xml_child(const struct cfs_s3_node *n,
					   const char *name);

/* The text of the first child of that name, unchanged.  False and an empty text
 * if there is no such child. */
bool cfs_s3_xml_find(const struct cfs_s3_node *n, const char *name,
		     struct cfs_slice *out);

/* The same without surrounding blanks; empty without such a child. */
struct cfs_slice cfs_s3_xml_text(const struct cfs_s3_node *n, const char *name);

#endif
