/* s3_xml.c - parses S3's XML into trees.
 *
 * Answers are small and flat.  Entities that a document declares are not
 * expanded, and nothing is fetched.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_xml.h"

#include <libxml/parser.h>

#define FLAGS (XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | \
	       XML_PARSE_NOCDATA)

/* NULL also for a document without a root, or with a DTD. */
static xmlDoc *parse(struct cfs_slice xml, int flags)
{
	xmlDoc *doc = xml.n > CFS_S3_ANSWER_MAX ? NULL :
		      xmlReadMemory((const char *)xml.p, (int)xml.n, NULL, NULL,
				    flags);

	if (doc == NULL || (xmlDocGetRootElement(doc) != NULL &&
			    doc->intSubset == NULL))
		return doc;
	xmlFreeDoc(doc);
	return NULL;
}

xmlDoc *cfs_s3_xml_recover(struct cfs_slice xml)
{
	return parse(xml, FLAGS | XML_PARSE_RECOVER);
}

int cfs_s3_xml_parse(xmlDoc **out, struct cfs_slice xml, struct cfs_error *err)
{
	*out = NULL;
	if (xml.n > CFS_S3_ANSWER_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "the server's answer is too long");
	*out = parse(xml, FLAGS);
	return *out != NULL ? CFS_OK :
	       cfs_error_set(err, CFS_EFORMAT,
			     "the server's answer is not S3's XML");
}

bool cfs_s3_xml_is(const xmlNode *n, const char *name)
{
	return n->type == XML_ELEMENT_NODE && n->name != NULL &&
	       strcmp((const char *)n->name, name) == 0;
}

bool cfs_s3_xml_find(const xmlNode *n, const char *name, struct cfs_slice *out)
{
	*out = CFS_SLICE_EMPTY;
	for (n = n->children; n != NULL; n = n->next)
		if (cfs_s3_xml_is(n, name))
			break;
	if (n == NULL)
		return false;
	/* The first run of text, which is all there is in such answers. */
	for (n = n->children; n != NULL; n = n->next)
		if ((n->type == XML_TEXT_NODE ||
		     n->type == XML_CDATA_SECTION_NODE) && n->content != NULL) {
			*out = cfs_slice_str((const char *)n->content);
			break;
		}
	return true;
}

struct cfs_slice cfs_s3_xml_text(const xmlNode *n, const char *name)
{
	struct cfs_slice text;

	cfs_s3_xml_find(n, name, &text);
	return cfs_slice_trim(text);
}
