/* s3_xml.c - parses S3's XML into trees.
 *
 * A tree is an array of elements in the order of their start tags.  Entities
 * that a document declares are not expanded, and nothing is fetched.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_xml.h"

#include <stdlib.h>
#include <string.h>

#include "markup/xml.h"
#include "markup/xml_reader.h"

#define ELEMENT_MIN 3u		/* bytes of the shortest element, "<a>" that
				 * the end of the document closes */
#define GROWTH_MAX 3u		/* U+FFFD for one byte */

/* An open element, and whether its first run of text has begun. */
struct open_node {
	size_t at;			/* in the array */
	enum { RUN_BEFORE, RUN_IN, RUN_OVER } run;
};

struct tree_maker {
	struct cfs_s3_xml *doc;
	struct cfs_xml_reader reader;
	struct open_node open[CFS_XML_DEPTH_MAX];
	unsigned n_open;
};

static struct cfs_s3_node *node_at(struct tree_maker *m, size_t at)
{
	return (struct cfs_s3_node *)(void *)m->doc->nodes.p + at;
}

static size_t s3_xml_count(const struct tree_maker *m)
{
	return m->doc->nodes.n / sizeof(struct cfs_s3_node);
}

/* The run of text of the innermost element is over, if it has begun. */
static void s3_xml_end_run(struct tree_maker *m)
{
	if (m->n_open > 0 && m->open[m->n_open - 1].run == RUN_IN)
		m->open[m->n_open - 1].run = RUN_OVER;
}

static void s3_xml_on_start(struct tree_maker *m)
{
	const struct cfs_xml_name *name = &m->reader.name;
	struct cfs_s3_node node = { name->local, CFS_SLICE_EMPTY, 0 };

	/* a prefix that is not declared is part of the name */
	if (name->prefix.n > 0 && name->uri.n == 0)
		node.name = cfs_slice_of(name->prefix.p,
					 name->prefix.n + 1 + name->local.n);
	s3_xml_end_run(m);
	m->open[m->n_open++] = (struct open_node){ s3_xml_count(m),
						   RUN_BEFORE };
	cfs_buf_append(&m->doc->nodes, &node, sizeof(node));
}

static void s3_xml_on_end(struct tree_maker *m)
{
	size_t at = m->open[--m->n_open].at;

	node_at(m, at)->n_inside = s3_xml_count(m) - at - 1;
}

/* The text of a run is one slice, since nothing comes between.  It is not
 * moved: there is room for all of it from the start. */
static void s3_xml_on_text(struct tree_maker *m)
{
	struct open_node *top = &m->open[m->n_open - 1];
	struct cfs_buf *text = &m->doc->text;
	struct cfs_s3_node *node = node_at(m, top->at);

	if (top->run == RUN_OVER)
		return;
	if (top->run == RUN_BEFORE)
		node->text = cfs_slice_of(text->p + text->n, 0);
	if (cfs_buf_add(text, m->reader.text) == CFS_OK)
		node->text.n += m->reader.text.n;
	top->run = RUN_IN;
}

static int s3_xml_read_all(struct tree_maker *m)
{
	for (;;) {
		switch (cfs_xml_next(&m->reader)) {
		case CFS_XML_START:
			s3_xml_on_start(m);
			break;
		case CFS_XML_END:
			s3_xml_on_end(m);
			break;
		case CFS_XML_TEXT:
			s3_xml_on_text(m);
			break;
		case CFS_XML_BREAK:
			s3_xml_end_run(m);
			break;
		case CFS_XML_EOF:
		default:
			return CFS_OK;
		}
		if (m->doc->nodes.failed != CFS_OK ||
		    m->doc->text.failed != CFS_OK)
			return CFS_ENOMEM;
	}
}

/* Makes the tree of utf8.  *is_sound: it is well-formed XML.  0 or
 * CFS_ENOMEM. */
static int make_tree(struct cfs_s3_xml *doc, struct cfs_slice utf8,
		     bool *is_sound)
{
	struct tree_maker *m = calloc(1, sizeof(*m));
	int rc = CFS_ENOMEM;

	if (m == NULL)
		return rc;
	m->doc = doc;
	cfs_xml_reader_init(&m->reader, utf8, CFS_REFERENCE_XML, NULL);
	cfs_buf_init(&doc->nodes, (utf8.n / ELEMENT_MIN + 1) *
				  sizeof(struct cfs_s3_node));
	cfs_buf_init(&doc->text, GROWTH_MAX * utf8.n + 1);
	if (cfs_buf_reserve(&doc->text, doc->text.max) == CFS_OK)
		rc = s3_xml_read_all(m);
	*is_sound = cfs_xml_is_sound(&m->reader);
	if (rc == CFS_OK && doc->nodes.n > 0 &&
	    !cfs_xml_has_doctype(&m->reader))
		doc->root = node_at(m, 0);
	if (m->reader.uris.failed != CFS_OK)
		rc = CFS_ENOMEM;
	cfs_xml_reader_release(&m->reader);
	free(m);
	return rc;
}

static void s3_xml_init(struct cfs_s3_xml *doc, size_t n)
{
	*doc = (struct cfs_s3_xml){ .root = NULL };
	cfs_buf_init(&doc->utf8, GROWTH_MAX * n + 1);
}

void cfs_s3_xml_recover(struct cfs_s3_xml *doc, struct cfs_slice xml)
{
	struct cfs_slice utf8;
	bool is_sound;

	s3_xml_init(doc, xml.n);
	if (xml.n > CFS_S3_ANSWER_MAX)
		return;
	cfs_xml_to_utf8(xml, &doc->utf8, &utf8);
	/* a page that merely has an element somewhere is none of S3's */
	if (doc->utf8.failed == CFS_OK &&
	    cfs_slice_starts(cfs_slice_trim(utf8), CFS_SLICE_LIT("<")))
		make_tree(doc, utf8, &is_sound);
}

int cfs_s3_xml_parse(struct cfs_s3_xml *doc, struct cfs_slice xml,
		     struct cfs_error *err)
{
	bool is_right, is_sound = false;
	struct cfs_slice utf8;
	int rc;

	s3_xml_init(doc, xml.n);
	if (xml.n > CFS_S3_ANSWER_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "the server's answer is too long");
	is_right = cfs_xml_to_utf8(xml, &doc->utf8, &utf8);
	rc = doc->utf8.failed != CFS_OK ? CFS_ENOMEM :
					  make_tree(doc, utf8, &is_sound);
	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	return is_right && is_sound && doc->root != NULL ? CFS_OK :
	       cfs_error_set(err, CFS_EFORMAT,
			     "the server's answer is not S3's XML");
}

static void s3_xml_wipe(struct cfs_buf *b)
{
	if (b->n > 0)
		explicit_bzero(b->p, b->n);
	cfs_buf_release(b);
}

void cfs_s3_xml_release(struct cfs_s3_xml *doc)
{
	s3_xml_wipe(&doc->utf8);
	s3_xml_wipe(&doc->text);
	cfs_buf_release(&doc->nodes);
	doc->root = NULL;
}

/* ---- access ---- */

bool cfs_s3_xml_is(const struct cfs_s3_node *n, const char *name)
{
	return cfs_slice_eq(n->name, cfs_slice_str(name));
}

const struct cfs_s3_node *cfs_s3_xml_first(const struct cfs_s3_node *n)
{
	return n->n_inside > 0 ? n + 1 : NULL;
}

const struct cfs_s3_node *cfs_s3_xml_next(const struct cfs_s3_node *n,
					  const struct cfs_s3_node *c)
{
	size_t at = (size_t)(c - n) + 1 + c->n_inside;

	return at <= n->n_inside ? n + at : NULL;
}

const struct cfs_s3_node *cfs_s3_xml_child(const struct cfs_s3_node *n,
					   const char *name)
{
	const struct cfs_s3_node *c = cfs_s3_xml_first(n);

	while (c != NULL && !cfs_s3_xml_is(c, name))
		c = cfs_s3_xml_next(n, c);
	return c;
}

bool cfs_s3_xml_find(const struct cfs_s3_node *n, const char *name,
		     struct cfs_slice *out)
{
	const struct cfs_s3_node *c = cfs_s3_xml_child(n, name);

	*out = c != NULL ? c->text : CFS_SLICE_EMPTY;
	return c != NULL;
}

struct cfs_slice cfs_s3_xml_text(const struct cfs_s3_node *n, const char *name)
{
	struct cfs_slice text;

	cfs_s3_xml_find(n, name, &text);
	return cfs_slice_trim(text);
}
