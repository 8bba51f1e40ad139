/* s3_answer.c - parses the XML of S3's answers.
 *
 * Answers are small and flat: they are read into a tree.  One with a document
 * type is not S3's, and entities of its own are not expanded.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_answer.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

static bool is_named(const xmlNode *n, const char *name)
{
	return n->type == XML_ELEMENT_NODE && n->name != NULL &&
	       strcmp((const char *)n->name, name) == 0;
}

static const xmlNode *child(const xmlNode *n, const char *name)
{
	for (n = n->children; n != NULL; n = n->next)
		if (is_named(n, name))
			return n;
	return NULL;
}

/* The text of a child: its first run of it, which is all in such answers. */
static struct cfs_slice text_of(const xmlNode *n, const char *name)
{
	n = child(n, name);
	for (n = n != NULL ? n->children : NULL; n != NULL; n = n->next)
		if ((n->type == XML_TEXT_NODE ||
		     n->type == XML_CDATA_SECTION_NODE) && n->content != NULL)
			return cfs_slice_trim(cfs_slice_str(
					(const char *)n->content));
	return CFS_SLICE_EMPTY;
}

bool cfs_s3_etag(struct cfs_slice s, char out[CFS_S3_ETAG_BYTES])
{
	s = cfs_slice_trim(s);
	if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		s = cfs_slice_sub(s, 1, s.n - 2);
	if (s.n == 0 || s.n >= CFS_S3_ETAG_BYTES)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (!cfs_is_alnum(c) && (c == 0 || strchr("-_+/=.", c) == NULL))
			return false;
		out[i] = (char)c;
	}
	out[s.n] = '\0';
	return true;
}

/* The text goes to terminals: what cannot be shown is left out. */
static void take_shown(char *out, size_t out_bytes, struct cfs_slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n + 1 < out_bytes; i++)
		if (s.p[i] >= ' ' && s.p[i] < 0x7f)
			out[n++] = (char)s.p[i];
	out[n] = '\0';
}

bool cfs_s3_id(struct cfs_slice s, char out[CFS_S3_ID_BYTES])
{
	if (s.n == 0 || s.n >= CFS_S3_ID_BYTES)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f)
			return false;
	memcpy(out, s.p, s.n);
	out[s.n] = '\0';
	return true;
}

static int take_part(struct cfs_s3_part *p, const xmlNode *n,
		     struct cfs_error *err)
{
	uint64_t number;

	if (cfs_slice_parse_u64(text_of(n, "PartNumber"), CFS_S3_PARTS_MAX,
				&number) != CFS_OK || number == 0 ||
	    cfs_slice_parse_u64(text_of(n, "Size"), INT64_MAX, &p->bytes) !=
		    CFS_OK ||
	    !cfs_s3_etag(text_of(n, "ETag"), p->etag))
		return cfs_error_set(err, CFS_EFORMAT,
				     "the server lists an invalid part");
	p->number = (unsigned)number;
	return CFS_OK;
}

static int take_parts(struct cfs_s3_answer *a, const xmlNode *root,
		      struct cfs_error *err)
{
	uint64_t next = 0;
	size_t n = 0;

	for (const xmlNode *p = root->children; p != NULL; p = p->next)
		n += is_named(p, "Part");
	if (n > CFS_S3_PAGE_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "the server lists too many parts at once");
	a->part = calloc(n + 1, sizeof(*a->part));
	if (a->part == NULL)
		return cfs_error_nomem(err);
	for (const xmlNode *p = root->children; p != NULL; p = p->next) {
		int rc = !is_named(p, "Part") ? CFS_END :
			 take_part(&a->part[a->n_parts], p, err);

		if (rc < 0)
			return rc;
		a->n_parts += rc == CFS_OK;
	}
	a->is_truncated = cfs_slice_eq(text_of(root, "IsTruncated"),
				       CFS_SLICE_LIT("true"));
	if (a->is_truncated &&
	    cfs_slice_parse_u64(text_of(root, "NextPartNumberMarker"),
				CFS_S3_PARTS_MAX, &next) != CFS_OK)
		return cfs_error_set(err, CFS_EFORMAT,
				     "the server's list of parts has no end");
	a->next = (unsigned)next;
	return CFS_OK;
}

static int take_all(struct cfs_s3_answer *a, const xmlNode *root,
		    struct cfs_error *err)
{
	if (is_named(root, "Error")) {
		a->kind = CFS_S3_ERROR;
		take_shown(a->code, sizeof(a->code), text_of(root, "Code"));
		take_shown(a->message, sizeof(a->message),
			   text_of(root, "Message"));
		take_shown(a->region, sizeof(a->region),
			   text_of(root, "Region"));
	} else if (is_named(root, "InitiateMultipartUploadResult")) {
		a->kind = CFS_S3_INITIATED;
		if (!cfs_s3_id(text_of(root, "UploadId"), a->upload_id))
			return cfs_error_set(err, CFS_EFORMAT,
				"the server's answer has no UploadId");
	} else if (is_named(root, "CompleteMultipartUploadResult")) {
		a->kind = CFS_S3_COMPLETED;
		if (!cfs_s3_etag(text_of(root, "ETag"), a->etag))
			a->etag[0] = '\0';
	} else if (is_named(root, "ListPartsResult")) {
		a->kind = CFS_S3_PARTS;
		return take_parts(a, root, err);
	}
	return CFS_OK;
}

int cfs_s3_answer_parse(struct cfs_s3_answer *a, struct cfs_slice xml,
			struct cfs_error *err)
{
	const xmlNode *root;
	xmlDoc *doc;
	int rc;

	*a = (struct cfs_s3_answer){ .kind = CFS_S3_OTHER };
	if (xml.n > CFS_S3_ANSWER_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "the server's answer is too long");
	doc = xmlReadMemory((const char *)xml.p, (int)xml.n, NULL, NULL,
			    XML_PARSE_NONET | XML_PARSE_NOERROR |
			    XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
	root = doc != NULL ? xmlDocGetRootElement(doc) : NULL;
	if (root == NULL || doc->intSubset != NULL)
		rc = cfs_error_set(err, CFS_EFORMAT,
				   "the server's answer is not S3's XML");
	else
		rc = take_all(a, root, err);
	xmlFreeDoc(doc);
	if (rc != CFS_OK)
		cfs_s3_answer_release(a);
	return rc;
}

void cfs_s3_answer_release(struct cfs_s3_answer *a)
{
	free(a->part);
	a->part = NULL;
	a->n_parts = 0;
}
