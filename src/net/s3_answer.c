/* s3_answer.c - parses S3's answers to multipart uploads, and errors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "s3_xml.h"

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

/* Copies a text for terminals: what cannot be shown is left out. */
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

static int s3_answer_take_part(struct cfs_s3_part *p,
			       const struct cfs_s3_node *n,
			       struct cfs_error *err)
{
	uint64_t number;

	if (cfs_slice_parse_u64(cfs_s3_xml_text(n, "PartNumber"),
				CFS_S3_PARTS_MAX, &number) != CFS_OK ||
	    number == 0 ||
	    cfs_slice_parse_u64(cfs_s3_xml_text(n, "Size"), INT64_MAX,
				&p->bytes) != CFS_OK ||
	    !cfs_s3_etag(cfs_s3_xml_text(n, "ETag"), p->etag))
		return cfs_error_set(err, CFS_EFORMAT,
				     "the server lists an invalid part");
	p->number = (unsigned)number;
	return CFS_OK;
}

static int take_parts(struct cfs_s3_answer *a, const struct cfs_s3_node *root,
		      struct cfs_error *err)
{
	const struct cfs_s3_node *p;
	uint64_t next = 0;
	size_t n = 0;

	for (p = cfs_s3_xml_first(root); p != NULL;
	     p = cfs_s3_xml_next(root, p))
		n += cfs_s3_xml_is(p, "Part");
	if (n > CFS_S3_PAGE_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "the server lists too many parts at once");
	a->part = calloc(n + 1, sizeof(*a->part));
	if (a->part == NULL)
		return cfs_error_nomem(err);
	for (p = cfs_s3_xml_first(root); p != NULL;
	     p = cfs_s3_xml_next(root, p)) {
		int rc = !cfs_s3_xml_is(p, "Part") ? CFS_END :
			 s3_answer_take_part(&a->part[a->n_parts], p, err);

		if (rc < 0)
			return rc;
		a->n_parts += rc == CFS_OK;
	}
	a->is_truncated = cfs_slice_eq(cfs_s3_xml_text(root, "IsTruncated"),
				       CFS_SLICE_LIT("true"));
	if (a->is_truncated &&
	    cfs_slice_parse_u64(cfs_s3_xml_text(root, "NextPartNumberMarker"),
				CFS_S3_PARTS_MAX, &next) != CFS_OK)
		return cfs_error_set(err, CFS_EFORMAT,
				     "the server's list of parts has no end");
	a->next = (unsigned)next;
	return CFS_OK;
}

static void take_error(struct cfs_s3_answer *a, const struct cfs_s3_node *error)
{
	a->kind = CFS_S3_ERROR;
	take_shown(a->code, sizeof(a->code), cfs_s3_xml_text(error, "Code"));
	take_shown(a->message, sizeof(a->message),
		   cfs_s3_xml_text(error, "Message"));
	take_shown(a->region, sizeof(a->region),
		   cfs_s3_xml_text(error, "Region"));
}

static int s3_answer_take_all(struct cfs_s3_answer *a,
			      const struct cfs_s3_node *root,
			      struct cfs_error *err)
{
	if (cfs_s3_xml_is(root, "Error")) {
		take_error(a, root);
	} else if (cfs_s3_xml_is(root, "InitiateMultipartUploadResult")) {
		a->kind = CFS_S3_INITIATED;
		if (!cfs_s3_id(cfs_s3_xml_text(root, "UploadId"), a->upload_id))
			return cfs_error_set(err, CFS_EFORMAT,
				"the server's answer has no UploadId");
	} else if (cfs_s3_xml_is(root, "CompleteMultipartUploadResult")) {
		a->kind = CFS_S3_COMPLETED;
		if (!cfs_s3_etag(cfs_s3_xml_text(root, "ETag"), a->etag))
			a->etag[0] = '\0';
	} else if (cfs_s3_xml_is(root, "ListPartsResult")) {
		a->kind = CFS_S3_PARTS;
		return take_parts(a, root, err);
	}
	return CFS_OK;
}

int cfs_s3_answer_parse(struct cfs_s3_answer *a, struct cfs_slice xml,
			struct cfs_error *err)
{
	struct cfs_s3_xml doc;
	int rc;

	*a = (struct cfs_s3_answer){ .kind = CFS_S3_OTHER };
	rc = cfs_s3_xml_parse(&doc, xml, err);
	if (rc == CFS_OK)
		rc = s3_answer_take_all(a, doc.root, err);
	cfs_s3_xml_release(&doc);
	if (rc != CFS_OK)
		cfs_s3_answer_release(a);
	return rc;
}

/* Finds the error; other services have it inside <ErrorResponse>. */
static const struct cfs_s3_node *find_error(const struct cfs_s3_node *root)
{
	if (cfs_s3_xml_is(root, "Error"))
		return root;
	if (!cfs_s3_xml_is(root, "ErrorResponse"))
		return NULL;
	return cfs_s3_xml_child(root, "Error");
}

void cfs_s3_answer_error(struct cfs_s3_answer *a, struct cfs_slice body)
{
	const struct cfs_s3_node *error;
	struct cfs_s3_xml doc;

	*a = (struct cfs_s3_answer){ .kind = CFS_S3_OTHER };
	cfs_s3_xml_recover(&doc, body);
	error = doc.root != NULL ? find_error(doc.root) : NULL;
	if (error != NULL)
		take_error(a, error);
	cfs_s3_xml_release(&doc);
}

void cfs_s3_answer_release(struct cfs_s3_answer *a)
{
	free(a->part);
	a->part = NULL;
	a->n_parts = 0;
}
