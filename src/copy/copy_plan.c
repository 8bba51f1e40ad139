/* copy_plan.c - sorts the records to copy and cuts them into stretches.
 *
 * The key of the sort is the archive's name, a zero byte, offset and inner
 * offset (big-endian); the value is whether the length is unknown, the role,
 * whether it is an ARC record, length, inner length, and hashes of key and
 * URL.  So the first item of several with one place knows the most of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copy_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "index/related.h"

/* Records of archives here are read together if that reads at most twice as
 * much. */
static const struct cfs_near_rule join_here = {
	.gap = 64u << 10, .waste = 1
};
#define STRETCH_ITEMS 4096u
#define SORT_BYTES ((size_t)64 << 20)
#define PLACE_BYTES 16u		/* bytes in a key after the zero byte */
#define FLAGS_BYTES 3u		/* bytes in a value before the lengths */
#define VALUE_BYTES (FLAGS_BYTES + 32u)

int cfs_copy_plan_init(struct cfs_copy_plan *p, const char *tmp_dir,
		       bool is_remote, struct cfs_ctx ctx)
{
	struct cfs_extsort_opts so = { .memory_bytes = SORT_BYTES,
		.feeders = 1, .tmp_dir = tmp_dir, .cancel = ctx.cancel };

	p->rule = is_remote ? cfs_near_many : join_here;
	p->rule.most = CFS_COPY_STRETCH_BYTES;
	cfs_buf_init(&p->key, CFS_COPY_NAME_MAX);
	cfs_buf_init(&p->first_archive, CFS_COPY_NAME_MAX);
	cfs_buf_init(&p->item_archive, CFS_COPY_NAME_MAX);
	cfs_buf_init(&p->last_archive, CFS_COPY_NAME_MAX);
	return cfs_extsort_new(&p->sort, &so, ctx.err);
}

void cfs_copy_plan_release(struct cfs_copy_plan *p)
{
	cfs_extsort_free(p->sort);
	cfs_buf_release(&p->key);
	cfs_buf_release(&p->first_archive);
	cfs_buf_release(&p->item_archive);
	cfs_buf_release(&p->last_archive);
}

/* Sets the key to the archive's name and the place. */
static int make_key(struct cfs_copy_plan *p, struct cfs_index *index,
		    const struct cfs_span *span, struct cfs_error *err)
{
	uint8_t place[PLACE_BYTES];
	int rc;

	cfs_buf_reset(&p->key);
	rc = cfs_index_archive_name(index, span, &p->key, err);
	if (rc != CFS_OK)
		return rc;
	if (p->items == 0 || cfs_slice_cmp(cfs_buf_slice(&p->key),
				cfs_buf_slice(&p->first_archive)) < 0) {
		cfs_buf_reset(&p->first_archive);
		cfs_buf_add(&p->first_archive, cfs_buf_slice(&p->key));
	}
	cfs_be64_put(place, span->offset);
	cfs_be64_put(place + 8, span->inner_offset);
	cfs_buf_addc(&p->key, 0);
	cfs_buf_append(&p->key, place, sizeof(place));
	return p->key.failed == CFS_OK ? CFS_OK :
	       cfs_error_set(err, p->key.failed,
			     "name of an archive is too long");
}

static int add_record(struct cfs_copy_plan *p, struct cfs_index *index,
		      const struct cfs_copy_item *item, struct cfs_error *err)
{
	const struct cfs_span *span = &item->span;
	uint8_t value[VALUE_BYTES] = { span->length == 0, (uint8_t)item->role,
				       item->is_arc };
	struct cfs_slice v = cfs_slice_of(value, sizeof(value));
	int rc = make_key(p, index, span, err);

	if (rc != CFS_OK)
		return rc;
	cfs_le64_put(value + FLAGS_BYTES, span->length);
	cfs_le64_put(value + FLAGS_BYTES + 8, span->inner_length);
	cfs_le64_put(value + FLAGS_BYTES + 16, item->pages[0].key);
	cfs_le64_put(value + FLAGS_BYTES + 24, item->pages[0].url);
	p->items++;
	p->bytes += cfs_copy_span_bytes(span);
	p->sum += cfs_hash64(v, cfs_hash64(cfs_buf_slice(&p->key), 0));
	return cfs_extsort_add(p->sort, 0, cfs_buf_slice(&p->key), v, err);
}

uint64_t cfs_copy_url_hash(struct cfs_index *index, struct cfs_slice url)
{
	CFS_BUF(key, CFS_KEY_MAX);

	return cfs_index_url_key(index, url, &key) == CFS_OK ?
		       cfs_hash64(cfs_buf_slice(&key), 0) :
		       cfs_hash64(url, 0);
}

int cfs_copy_plan_add(struct cfs_copy_plan *p, struct cfs_index *index,
		      struct cfs_slice key, const struct cfs_capture *cap,
		      enum cfs_copy_role role, struct cfs_error *err)
{
	struct cfs_companion segments[CFS_SEGMENTS_MAX];
	struct cfs_copy_item item = { .span = cap->loc, .role = role,
				      .is_arc = cap->kind == CFS_KIND_ARC,
				      .pages[0].key = cfs_hash64(key, 0) };
	unsigned n = cfs_related_segments(cap, segments);
	int rc;

	if (cap->url.n > 0)
		item.pages[0].url = cfs_copy_url_hash(index, cap->url);
	rc = add_record(p, index, &item, err);
	item.is_arc = false;
	item.pages[0].key = 0;
	for (unsigned i = 0; i < n && rc == CFS_OK; i++) {
		item.span = segments[i].loc;
		rc = add_record(p, index, &item, err);
	}
	return rc;
}

static int add_companion(struct cfs_copy_plan *p, struct cfs_index *index,
			 const struct cfs_companion *c, struct cfs_error *err)
{
	struct cfs_copy_item item = { .span = c->loc,
				      .role = CFS_COPY_RELATED };

	if (c->kind == CFS_COMPANION_WARC)
		return add_record(p, index, &item, err);
	p->pairs += c->kind == CFS_COMPANION_SEQFILE;
	return CFS_OK;
}

int cfs_copy_plan_add_related(struct cfs_copy_plan *p, struct cfs_index *index,
			      const struct cfs_capture *cap,
			      struct cfs_error *err)
{
	struct cfs_companion c;
	int rc = add_companion(p, index, &cap->text, err);

	if (rc == CFS_OK)
		rc = add_companion(p, index, &cap->meta, err);
	for (unsigned what = 0; what < CFS_RELATED_COUNT && rc == CFS_OK;
	     what++)
		if (cfs_related_find(cap, (enum cfs_related)what, &c))
			rc = add_companion(p, index, &c, err);
	return rc;
}

static void take_value(struct cfs_copy_item *item, struct cfs_slice key,
		       const uint8_t *value)
{
	*item = (struct cfs_copy_item){ .role = (enum cfs_copy_role)value[1],
		.is_arc = value[2],
		.pages = { { cfs_le64_get(value + FLAGS_BYTES + 16),
			     cfs_le64_get(value + FLAGS_BYTES + 24) } },
		.span = {
			.offset = cfs_be64_get(key.p + key.n),
			.inner_offset = cfs_be64_get(key.p + key.n + 8),
			.length = cfs_le64_get(value + FLAGS_BYTES),
			.inner_length = cfs_le64_get(value + FLAGS_BYTES + 8),
		} };
	item->n_pages = item->pages[0].key != 0;
}

/* Adds the page of another item with the same place to an item.  False: it has
 * as many as it can have. */
static bool add_page(struct cfs_copy_item *to, const struct cfs_copy_page *page)
{
	for (unsigned i = 0; i < to->n_pages; i++)
		if (to->pages[i].key == page->key &&
		    to->pages[i].url == page->url)
			return true;
	if (to->n_pages == CFS_COPY_PAGES_MAX)
		return false;
	to->pages[to->n_pages++] = *page;
	return true;
}

/* True if the item begins where the last one does, which gets its page.  An
 * original that was asked for, too, counts as a capture. */
static bool is_repeated(struct cfs_copy_plan *p)
{
	if (p->item.is_first ||
	    p->item.span.offset != p->last.span.offset ||
	    p->item.span.inner_offset != p->last.span.inner_offset)
		return false;
	if (p->item.role == CFS_COPY_CAPTURE &&
	    p->last.role == CFS_COPY_ORIGINAL && !p->last_was_asked_for) {
		p->by_role[CFS_COPY_ORIGINAL]--;
		p->by_role[CFS_COPY_CAPTURE]++;
		p->last_was_asked_for = true;
	}
	return p->item.n_pages == 0 || p->last.n_pages == 0 ||
	       add_page(&p->last, &p->item.pages[0]);
}

/* Takes the next item that differs from the one before. */
static int next_item(struct cfs_copy_plan *p, struct cfs_error *err)
{
	struct cfs_slice key, value;
	int rc;

	do {
		rc = cfs_extsort_next(p->sort, &key, &value, err);
		if (rc == CFS_END)
			p->previous = p->last;
		if (rc != CFS_OK)
			return rc;
		key.n -= PLACE_BYTES;
		take_value(&p->item, key, value.p);
		cfs_buf_reset(&p->item_archive);
		cfs_buf_add(&p->item_archive, key);
		if (p->item_archive.failed != CFS_OK)
			return cfs_error_nomem(err);
		p->item.is_first = p->planned == 0 ||
			!cfs_slice_eq(cfs_buf_slice(&p->item_archive),
				      cfs_buf_slice(&p->last_archive));
	} while (is_repeated(p));
	p->previous = p->last;
	p->item.before = p->last.span.offset;
	p->last = p->item;
	p->last_was_asked_for = false;
	p->by_role[p->item.role]++;
	cfs_buf_reset(&p->last_archive);
	cfs_buf_add(&p->last_archive, cfs_buf_slice(&p->item_archive));
	p->planned++;
	return p->last_archive.failed == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

int cfs_copy_plan_begin(struct cfs_copy_plan *p, uint64_t done,
			uint64_t *done_bytes, struct cfs_ctx ctx)
{
	int rc = cfs_extsort_merge(p->sort, ctx.err);

	if (rc == CFS_OK)
		rc = next_item(p, ctx.err);
	for (uint64_t i = 0; i < done && rc == CFS_OK; i++) {
		*done_bytes += cfs_copy_span_bytes(&p->item.span);
		rc = cfs_cancelled(ctx.cancel) ?
		     cfs_error_set(ctx.err, CFS_EINTR, "interrupted") :
		     next_item(p, ctx.err);
	}
	p->has_item = rc == CFS_OK;
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- stretches -------------------------------------------------------- */

struct cfs_copy_stretch *cfs_copy_stretch_new(const char *archive)
{
	struct cfs_copy_stretch *s = calloc(1, sizeof(*s));

	if (s == NULL || (s->archive = strdup(archive)) == NULL) {
		free(s);
		return NULL;
	}
	cfs_buf_init(&s->out, SIZE_MAX / 2);
	cfs_buf_init(&s->captures, SIZE_MAX / 2);
	cfs_buf_init(&s->payloads, SIZE_MAX / 2);
	return s;
}

void cfs_copy_stretch_free(struct cfs_copy_stretch *s)
{
	if (s == NULL)
		return;
	cfs_buf_release(&s->out);
	cfs_buf_release(&s->captures);
	cfs_buf_release(&s->payloads);
	free(s->of);
	cfs_zst_dict_put(s->dict);
	free(s->ends);
	free(s->items);
	free(s->archive);
	free(s);
}

/* Adds the item to the range of s, unless it is to be read by itself. */
static bool joins(const struct cfs_copy_stretch *s,
		  const struct cfs_copy_plan *p, struct cfs_near *range)
{
	const struct cfs_span *i = &p->item.span;

	if (s->n == 0)
		return cfs_near_add(range, i->offset, i->length, &p->rule);
	return strcmp(s->archive, (const char *)p->item_archive.p) == 0 &&
	       s->n < STRETCH_ITEMS && s->items[0].span.inner_length == 0 &&
	       i->inner_length == 0 && i->offset >= s->to &&
	       cfs_near_add(range, i->offset, i->length, &p->rule);
}

static int append_item(struct cfs_copy_stretch *s,
		       const struct cfs_copy_item *item)
{
	const struct cfs_span *i = &item->span;
	int rc = cfs_array_reserve((void **)&s->items, &s->room, s->n + 1,
				   sizeof(*s->items), STRETCH_ITEMS);

	if (rc != CFS_OK)
		return rc;
	s->items[s->n++] = *item;
	s->to = i->length > UINT64_MAX - i->offset ? UINT64_MAX :
						     i->offset + i->length;
	/* a record that belongs to a page is short, unlike a page */
	s->guessed_to = s->to;
	if (i->length == 0 && item->role == CFS_COPY_RELATED &&
	    s->to <= UINT64_MAX - CFS_COPY_GUESS)
		s->guessed_to += CFS_COPY_GUESS;
	return CFS_OK;
}

int cfs_copy_plan_next(struct cfs_copy_plan *p, struct cfs_copy_stretch **out,
		       struct cfs_error *err)
{
	struct cfs_near range = { .to = 0 };
	struct cfs_copy_stretch *s;
	int rc = CFS_OK;

	*out = NULL;
	if (!p->has_item)
		return CFS_OK;
	s = cfs_copy_stretch_new((const char *)p->item_archive.p);
	if (s == NULL)
		rc = cfs_error_nomem(err);
	else
		s->from = p->item.span.offset;
	while (rc == CFS_OK && joins(s, p, &range)) {
		rc = append_item(s, &p->item) == CFS_OK ?
		     next_item(p, err) : cfs_error_nomem(err);
		if (rc == CFS_OK || rc == CFS_END)
			s->items[s->n - 1] = p->previous;
	}
	p->has_item = rc == CFS_OK;
	if (rc != CFS_OK && rc != CFS_END) {
		cfs_copy_stretch_free(s);
		return rc;
	}
	*out = s;
	return CFS_OK;
}
