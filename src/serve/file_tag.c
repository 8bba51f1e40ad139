/* file_tag.c - strong entity tags of files.
 *
 * A tag is a hash of what the bytes are made of, so that it is known without
 * them: the places of the records, the state of the archives that these are in,
 * the view and how it is made.  Where that is not all, the bytes themselves are
 * hashed: a revisit has the body of a record that is not known before it is
 * read, and a divided record is in several archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "site.h"

#include "base/hash.h"
#include "base/hex.h"
#include "crawl/companions.h"

/* Bytes that are hashed before their pages are given back. */
#define TAG_STRETCH ((size_t)1 << 20)

/* Sixteen digits in quotes; printf(3) takes longer than all the rest of the
 * validators. */
static void write_tag(uint64_t hash, char tag[19])
{
	uint8_t bytes[8];

	tag[0] = tag[17] = '"';
	tag[18] = '\0';
	cfs_be64_put(bytes, hash);
	cfs_hex_put(bytes, sizeof(bytes), tag + 1);
}

struct archive_state {
	uint64_t hash;
	bool is_known;
};

static int note_state(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	struct archive_state *s = arg;

	(void)ctx;
	s->is_known = cfs_source_state(src, &s->hash);
	return CFS_OK;
}

bool cfs_archive_hash(struct cfs_crawl *c, struct cfs_slice archive,
		      uint64_t *hash)
{
	struct archive_state s = { .is_known = false };

	if (cfs_store_use(c->store, archive, note_state, &s,
			  CFS_CTX(NULL, NULL)) != CFS_OK || !s.is_known)
		return false;
	*hash = cfs_hash64(archive, *hash ^ s.hash);
	return true;
}

void cfs_tag_write(struct cfs_validators *v, uint64_t hash)
{
	const uint64_t parts[] = { hash, cfs_view_version() };

	write_tag(cfs_hash64(cfs_slice_of(parts, sizeof(parts)), 1), v->tag);
}

static uint64_t hash_span(const struct cfs_span *loc, uint64_t hash)
{
	const uint64_t parts[] = { loc->offset, loc->length, loc->inner_offset,
				   loc->inner_length };

	return cfs_hash64(cfs_slice_of(parts, sizeof(parts)), hash);
}

/* Adds the record that a view is, if it is not that of the capture. */
static bool hash_companion(struct cfs_crawl *c, const struct cfs_companion *own,
			   uint64_t *hash)
{
	CFS_BUF(name, CFS_URL_MAX);
	bool is_known;

	is_known = cfs_index_archive_name(c->index, &own->loc, &name, NULL) ==
			   CFS_OK &&
		   cfs_archive_hash(c, cfs_buf_slice(&name), hash);
	*hash = hash_span(&own->loc, *hash);
	return is_known;
}

static bool hash_notes(struct cfs_crawl *c, const struct cfs_entry *e,
		       uint64_t *hash, struct cfs_ctx ctx)
{
	CFS_BUF(notes, CFS_NOTES_MAX);
	bool is_known;

	is_known = cfs_index_notes(c->index, &e->cap, &notes,
				   CFS_CTX(ctx.cancel, NULL)) == CFS_OK;
	*hash = cfs_hash64(cfs_buf_slice(&notes), *hash);
	return is_known;
}

/* Adds all that a file is made of.  False: that is not known. */
static bool hash_origin(struct cfs_crawl *c, const struct cfs_node *file,
			const struct cfs_entry *e, uint64_t *hash,
			struct cfs_ctx ctx)
{
	struct cfs_companion own;
	enum cfs_view view = file->view;

	if (cfs_companion_of(&e->cap, view, &own) ||
	    (view == CFS_VIEW_RECORD &&
	     cfs_companion_of_page_record(&e->cap, &view, &own)))
		return hash_companion(c, &own, hash);
	if (e->cap.kind == CFS_KIND_REVISIT && view != CFS_VIEW_HEADERS &&
	    view != CFS_VIEW_RECORD)
		return false;
	if (cfs_related_listed(&e->cap, CFS_RELATED_SEGMENT, &own))
		return false;
	if (view == CFS_VIEW_META && !hash_notes(c, e, hash, ctx))
		return false;
	if (e->cap.kind == CFS_KIND_ANNEX) {	/* it says that there is none */
		*hash = cfs_hash64(e->it.key, *hash);
		return true;
	}
	*hash = hash_span(&e->cap.loc, *hash);
	return cfs_archive_hash(c, cfs_buf_slice(&e->archive), hash);
}

void cfs_file_validators(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e,
			 const struct cfs_file_bytes *b,
			 struct cfs_validators *out, struct cfs_ctx ctx)
{
	uint64_t hash = (uint64_t)file->view << 1 | c->view.meta_compact;

	*out = (struct cfs_validators){ .time = e->cap.time };
	if (hash_origin(c, file, e, &hash, ctx)) {
		cfs_tag_write(out, hash);
		return;
	}
	if (b == NULL)
		return;
	for (size_t at = 0; at < b->bytes.n; at += TAG_STRETCH) {
		struct cfs_slice part = cfs_slice_sub(b->bytes, at,
						      TAG_STRETCH);

		hash = cfs_hash_fast(part, hash);
		cfs_file_bytes_release_pages(b, part);
	}
	cfs_tag_write(out, hash);
}
