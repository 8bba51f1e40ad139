/* meta_content_feed.c - writes the values of a feed and its items as JSON.
 *
 * Spec: doc/formats.md, "Content objects".  The members, in the order of the
 * published records:
 *
 *   feed       type, title, link, description, updated, categories, authors,
 *              generator, items
 *   RSS item   title, description, link, author, categories, comments,
 *              published, guid, content
 *   Atom entry title, description, link, self, replies, authors, categories,
 *              published, updated, guid, content
 *
 * title, items, and the description of RSS and of entries are always written;
 * other members are omitted if the feed lacks them.  Dates are milliseconds;
 * titles and descriptions lose their tags and keep their entities.  The author
 * of an RSS item is its <author>, not dc:creator, which the published records
 * ignore; categories may be dc:subject.  A link of Atom has all its attributes
 * in document order; several of a kind become an array.  The content of an item
 * is an html-doc.
 *
 * Unlike in 2012, the dates of an entry are written in the entry: then they
 * overwrote those of the feed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "feed.h"
#include "meta_content.h"

/* The most attributes of one link, since they are compared in pairs. */
#define LINK_ATTRS_MAX 32
/* The most bytes of one string. */
#define STRING_MAX ((size_t)64 << 10)

struct out {
	struct cfs_meta_content *c;
	struct cfs_json *j;
	const struct cfs_feed *feed;
	size_t item;		/* 0: the feed itself */
	struct cfs_buf clean;
	bool no_memory;		/* `clean` has failed; it is reset later */
	struct cfs_error *err;
};

static bool is_atom(const struct out *o)
{
	return o->feed->kind == CFS_FEED_ATOM;
}

/* Subtracts the cost of a member from the budget; false if that was used up. */
static bool pay(struct out *o, size_t bytes)
{
	size_t cost = bytes + CFS_META_CONTENT_MEMBER;

	if (o->c->budget == 0) {
		o->c->is_cut = true;
		return false;
	}
	o->c->budget -= cost < o->c->budget ? cost : o->c->budget;
	return true;
}

/* Finds the next value of a field from *at on, and moves *at past it. */
static bool next_value(const struct out *o, enum cfs_feed_field field,
		       size_t *at, struct cfs_feed_value *v)
{
	size_t n = cfs_feed_count(o->feed, o->item);

	while (*at < n) {
		*v = cfs_feed_at(o->feed, o->item, (*at)++);
		if (v->field == field)
			return true;
	}
	return false;
}

static bool first_value(const struct out *o, enum cfs_feed_field field,
			struct cfs_feed_value *v)
{
	size_t at = 0;

	return next_value(o, field, &at, v);
}

static struct cfs_slice shortened(const struct out *o, struct cfs_slice s)
{
	if (s.n > STRING_MAX)
		o->c->is_cut = true;
	return cfs_slice_sub(s, 0, STRING_MAX);
}

static void put_str(struct out *o, const char *key, struct cfs_slice s)
{
	s = shortened(o, s);
	if (s.n > 0 && pay(o, s.n))
		cfs_json_put_str(o->j, key, s);
}

static void put_text(struct out *o, const char *key, enum cfs_feed_field field)
{
	struct cfs_feed_value v;

	if (first_value(o, field, &v))
		put_str(o, key, v.text);
}

/* Appends s without the parts between < and >. */
static void strip_tags(struct cfs_slice s, struct cfs_buf *out)
{
	while (s.n > 0) {
		size_t n = (size_t)cfs_slice_find(s, '<');
		ptrdiff_t to;

		cfs_buf_add(out, cfs_slice_take(&s, n));
		to = cfs_slice_find(s, '>');
		if (to < 0) {
			cfs_buf_add(out, s);
			return;
		}
		s = cfs_slice_from(s, (size_t)to + 1);
	}
}

/* Writes a field without tags; even if it is empty, unless it is optional. */
static void put_clean(struct out *o, const char *key, enum cfs_feed_field field,
		      bool is_optional)
{
	struct cfs_feed_value v;
	struct cfs_slice s;

	cfs_buf_reset(&o->clean);
	if (first_value(o, field, &v))
		strip_tags(v.text, &o->clean);
	o->no_memory |= o->clean.failed != CFS_OK;
	s = shortened(o, cfs_slice_trim(cfs_buf_slice(&o->clean)));
	if ((s.n > 0 || !is_optional) && pay(o, s.n))
		cfs_json_put_str(o->j, key, s);
}

/* Finds the first value of a field that is a date. */
static bool find_date(const struct out *o, enum cfs_feed_field field,
		      int64_t *ms)
{
	struct cfs_feed_value v;
	size_t at = 0;

	while (next_value(o, field, &at, &v))
		if (cfs_feed_date(v.text, ms) == CFS_OK)
			return true;
	return false;
}

static void put_date(struct out *o, const char *key, enum cfs_feed_field field,
		     enum cfs_feed_field or_else)
{
	int64_t ms;

	if ((find_date(o, field, &ms) || find_date(o, or_else, &ms)) && pay(o,
									    0))
		cfs_json_put_int(o->j, key, ms);
}

/* -- links and contents -- */

static bool has_attr_before(const struct out *o, const struct cfs_feed_value *v,
			    unsigned i)
{
	struct cfs_slice name = cfs_feed_attr_at(o->feed, v, i).name;

	while (i-- > 0)
		if (cfs_slice_eq(cfs_feed_attr_at(o->feed, v, i).name, name))
			return true;
	return false;
}

static void put_attrs(struct out *o, const struct cfs_feed_value *v)
{
	cfs_json_open(o->j, '{');
	for (unsigned i = 0; i < v->n_attrs && i < LINK_ATTRS_MAX; i++) {
		struct cfs_feed_attr a = cfs_feed_attr_at(o->feed, v, i);

		a.value = shortened(o, a.value);
		if (has_attr_before(o, v, i) ||
		    !pay(o, a.name.n + a.value.n))
			continue;
		cfs_json_key(o->j, a.name);
		cfs_json_str(o->j, a.value);
	}
	cfs_json_close(o->j, '}');
}

/* Finds the next link of Atom that has this relation, and a target. */
static bool next_link(const struct out *o, const char *rel, size_t *at,
		      struct cfs_feed_value *v)
{
	while (next_value(o, CFS_FEED_LINK, at, v)) {
		struct cfs_slice s;

		if (!cfs_feed_attr_get(o->feed, v, "href", &s) || s.n == 0)
			continue;
		if (!cfs_feed_attr_get(o->feed, v, "rel", &s))
			s = CFS_SLICE_LIT("alternate");
		if (cfs_slice_eq(s, cfs_slice_str(rel)))
			return true;
	}
	return false;
}

static int put_html(struct out *o, const struct cfs_feed_value *v)
{
	if (v->type == CFS_FEED_HTML && cfs_slice_find(v->text, '<') >= 0) {
		int rc = cfs_meta_content_read(o->c, v->text, NULL, o->err);

		return cfs_meta_content_put(o->c, rc, o->err);
	}
	cfs_json_open(o->j, '{');
	cfs_json_put_str(o->j, "type", CFS_SLICE_LIT("html-doc"));
	cfs_json_close(o->j, '}');
	return CFS_OK;
}

/* Finds the next content.  RSS has one, which is HTML; Atom may have several,
 * and declares their types. */
static bool next_content(const struct out *o, size_t *at,
			 struct cfs_feed_value *v)
{
	while (next_value(o, CFS_FEED_CONTENT, at, v))
		if (v->text.n > 0 && (!is_atom(o) || v->type == CFS_FEED_HTML))
			return true;
	return false;
}

/* Finds the next link of this relation, or the next content if rel is NULL. */
static bool next_of(const struct out *o, const char *rel, size_t *at,
		    struct cfs_feed_value *v)
{
	return rel != NULL ? next_link(o, rel, at, v) : next_content(o, at, v);
}

/* Writes the values that next_of finds: an array if Atom has several. */
static int put_several(struct out *o, const char *key, const char *rel)
{
	struct cfs_feed_value v;
	size_t at = 0, second;
	int rc = CFS_OK;
	bool more;

	if (!next_of(o, rel, &at, &v) || !pay(o, 0))
		return CFS_OK;
	second = at;
	more = is_atom(o) &&
	       next_of(o, rel, &second, &(struct cfs_feed_value){ 0 });
	cfs_json_key(o->j, cfs_slice_str(key));
	if (more)
		cfs_json_open(o->j, '[');
	do {
		if (more)
			cfs_json_item(o->j);
		if (rel != NULL)
			put_attrs(o, &v);
		else
			rc = put_html(o, &v);
	} while (rc == CFS_OK && more && next_of(o, rel, &at, &v) &&
		 pay(o, 0));
	if (more)
		cfs_json_close(o->j, ']');
	return rc;
}

static void put_link(struct out *o)
{
	struct cfs_feed_value v = { .text = CFS_SLICE_EMPTY };
	size_t at = 0;

	if (is_atom(o)) {
		put_several(o, "link", "alternate");
		return;
	}
	do		/* an <atom:link> has no text */
		if (!next_value(o, CFS_FEED_LINK, &at, &v))
			return;
	while (v.text.n == 0);
	if (v.text.n > STRING_MAX || !pay(o, v.text.n))
		return;
	cfs_json_begin(o->j, "link", '{');
	cfs_json_put_str(o->j, "href", v.text);
	cfs_json_close(o->j, '}');
}

/* -- authors and categories -- */

static void put_author(struct out *o)
{
	struct cfs_feed_value v;
	size_t at = 0;

	while (next_value(o, CFS_FEED_AUTHOR, &at, &v)) {
		if (!v.is_module && v.text.n > 0) {
			put_str(o, "author", v.text);
			return;
		}
	}
}

/* The name of a category: in Atom its label, otherwise its term. */
static struct cfs_slice category_of(const struct out *o,
				    const struct cfs_feed_value *v)
{
	struct cfs_slice s;

	if (v->text.n > 0 && !is_atom(o))
		return v->text;
	if (cfs_feed_attr_get(o->feed, v, "label", &s) && s.n > 0)
		return s;
	if (cfs_feed_attr_get(o->feed, v, "term", &s) && s.n > 0)
		return s;
	return v->text;
}

static void put_author_object(struct out *o, const struct cfs_feed_value *v,
			      struct cfs_slice name)
{
	struct cfs_slice url;

	cfs_json_open(o->j, '{');
	cfs_json_put_str(o->j, "name", name);
	if (cfs_feed_attr_get(o->feed, v, "uri", &url))
		put_str(o, "url", url);
	cfs_json_close(o->j, '}');
}

/* Writes the array of all authors or categories that have a name. */
static void put_list(struct out *o, const char *key, enum cfs_feed_field field)
{
	struct cfs_feed_value v;
	size_t at = 0, n = 0;

	while (next_value(o, field, &at, &v)) {
		bool is_author = field == CFS_FEED_AUTHOR;
		struct cfs_slice s = is_author ? v.text : category_of(o, &v);

		s = shortened(o, s);
		if (s.n == 0 || !pay(o, s.n))
			continue;
		if (n++ == 0) {
			cfs_json_begin(o->j, key, '[');
		}
		cfs_json_item(o->j);
		if (is_author)
			put_author_object(o, &v, s);
		else
			cfs_json_str(o->j, s);
	}
	if (n > 0)
		cfs_json_close(o->j, ']');
}

/* -- items -- */

static int put_item(struct out *o)
{
	int rc;

	cfs_json_begin(o->j, NULL, '{');
	put_clean(o, "title", CFS_FEED_TITLE, false);
	put_clean(o, "description", CFS_FEED_DESCRIPTION, false);
	put_link(o);
	if (is_atom(o)) {
		put_several(o, "self", "self");
		put_several(o, "replies", "replies");
		put_list(o, "authors", CFS_FEED_AUTHOR);
	} else {
		put_author(o);
	}
	put_list(o, "categories", CFS_FEED_CATEGORY);
	put_text(o, "comments", CFS_FEED_COMMENTS);
	put_date(o, "published", CFS_FEED_PUBLISHED, CFS_FEED_PUBLISHED);
	if (is_atom(o))
		put_date(o, "updated", CFS_FEED_UPDATED, CFS_FEED_UPDATED);
	put_text(o, "guid", CFS_FEED_ID);
	rc = put_several(o, "content", NULL);
	cfs_json_close(o->j, '}');
	return rc;
}

static int put_items(struct out *o)
{
	int rc = CFS_OK;

	cfs_json_begin(o->j, "items", '[');
	for (size_t i = 1; i <= o->feed->n_items && rc == CFS_OK &&
			   pay(o, 0);
	     i++) {
		o->item = i;
		rc = put_item(o);
		if (i % 64 == 0 && cfs_cancelled(o->c->cancel))
			rc = cfs_error_set(o->err, CFS_EINTR, "interrupted");
	}
	cfs_json_close(o->j, ']');
	return rc;
}

static int put_feed(struct out *o)
{
	cfs_json_put_str(o->j, "parsed_as", CFS_SLICE_LIT("feed"));
	cfs_json_begin(o->j, "content", '{');
	cfs_json_put_str(o->j, "type", is_atom(o) ? CFS_SLICE_LIT("atom-feed")
						  : CFS_SLICE_LIT("rss-feed"));
	put_clean(o, "title", CFS_FEED_TITLE, false);
	put_link(o);
	put_clean(o, "description", CFS_FEED_DESCRIPTION, is_atom(o));
	put_date(o, "updated", CFS_FEED_UPDATED,
		 is_atom(o) ? CFS_FEED_UPDATED : CFS_FEED_PUBLISHED);
	put_list(o, "categories", CFS_FEED_CATEGORY);
	if (is_atom(o))
		put_list(o, "authors", CFS_FEED_AUTHOR);
	put_text(o, "generator", CFS_FEED_GENERATOR);
	return put_items(o);
}

int cfs_meta_content_feed(struct cfs_meta_content *c, struct cfs_slice utf8,
		     bool *is_feed, struct cfs_error *err)
{
	struct cfs_feed feed;
	struct out o = { .c = c, .j = c->j, .feed = &feed, .err = err };
	int rc = cfs_feed_parse(utf8, &feed, CFS_CTX(c->cancel, err));

	*is_feed = rc == CFS_OK && feed.kind != CFS_FEED_NONE;
	cfs_buf_init(&o.clean, CFS_FEED_BYTES_MAX * 2);
	if (*is_feed) {
		c->is_cut |= feed.is_cut;
		rc = put_feed(&o);
		cfs_json_close(c->j, '}');
		if (rc == CFS_OK && o.no_memory)
			rc = cfs_error_nomem(err);
	}
	cfs_buf_release(&o.clean);
	cfs_feed_release(&feed);
	return rc;
}
