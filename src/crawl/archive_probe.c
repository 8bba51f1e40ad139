/* archive_probe.c - samples the archives of an index and checks whether each is
 * in one of its folders.
 *
 * If the index has a table of archives, names are taken from that; otherwise
 * entries are read at equal distances.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archive_probe.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "index/union.h"
#include "net/location.h"
#include "record/archives.h"

struct archive_look {
	struct cfs_crawl *c;
	const struct cfs_cancel *cancel;
	struct cfs_archive_probe *out;
	struct cfs_buf name, key;
	uint64_t seen[CFS_MISSING_LOOKS];	/* hashes of names */
};

static bool is_seen(struct archive_look *l, struct cfs_slice name)
{
	uint64_t hash = cfs_hash64(name, 0);

	for (unsigned i = 0; i < l->out->looked; i++)
		if (l->seen[i] == hash)
			return true;
	l->seen[l->out->looked++] = hash;
	return false;
}

static void look_for(struct archive_look *l, const struct cfs_span *loc)
{
	struct cfs_archive_probe *m = l->out;
	struct cfs_slice name;
	CFS_BUF(shown, CFS_URL_MAX + 4);
	bool is_long;

	cfs_buf_reset(&l->name);
	if (cfs_index_archive_name(cfs_index_unpicked(l->c->index), loc,
				   &l->name, NULL) != CFS_OK)
		return;
	name = cfs_buf_slice(&l->name);
	if (is_seen(l, name) || !cfs_store_lacks(l->c->store, name))
		return;
	if (m->missing++ > 0)
		return;
	cfs_location_show(&shown, cfs_archive_plain(name));
	name = cfs_buf_slice(&shown);
	is_long = name.n >= sizeof(m->example);
	if (is_long)
		name = cfs_slice_from(name, name.n - sizeof(m->example) + 4);
	snprintf(m->example, sizeof(m->example), "%s%.*s", is_long ? "..." : "",
		 (int)name.n, (const char *)name.p);
}

/* Checks the archive of the entry at k/n of the index. */
static void look_at_entry(struct archive_look *l, struct cfs_iter *it,
			  uint64_t k, uint64_t n)
{
	struct cfs_index *ix = cfs_index_unpicked(l->c->index);
	struct cfs_capture cap;
	int rc = CFS_OK;

	cfs_buf_reset(&l->key);
	if (k > 0)
		rc = cfs_index_cut(ix, k, n, &l->key, CFS_CTX(l->cancel, NULL));
	if (rc == CFS_OK)
		rc = cfs_index_seek(ix, cfs_buf_slice(&l->key), it,
				    CFS_CTX(l->cancel, NULL));
	if (rc == CFS_OK && cfs_index_capture(it, &cap, NULL) == CFS_OK &&
	    cap.kind != CFS_KIND_ANNEX)
		look_for(l, &cap.loc);
}

static void look_at_entries(struct archive_look *l)
{
	struct cfs_iter *it = malloc(sizeof(*it));

	if (it == NULL)
		return;
	cfs_iter_init(it);
	for (unsigned i = 0; i < CFS_MISSING_LOOKS; i++)
		look_at_entry(l, it, i, CFS_MISSING_LOOKS);
	cfs_iter_release(it);
	free(it);
}

/* True if the name is that of a list of captures, which a crawlfs index numbers
 * like the archives it was made of. */
static bool archive_probe_is_list(struct archive_look *l,
				  const struct cfs_span *loc)
{
	static const char *const ends[] = { ".cdx", ".cdxj", ".idx", ".cfx" };
	struct cfs_slice name;
	bool yes = false;

	cfs_buf_reset(&l->name);
	if (cfs_index_archive_name(cfs_index_unpicked(l->c->index), loc,
				   &l->name, NULL) != CFS_OK)
		return false;
	name = cfs_buf_slice(&l->name);
	if (cfs_slice_ends(name, CFS_SLICE_LIT(".gz")))
		name.n -= 3;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		yes |= cfs_slice_ends(name, cfs_slice_str(ends[i]));
	return yes;
}

/* Checks at most `n` archives from the table of an index, or of a member of a
 * union. */
static void look_at_table(struct archive_look *l, unsigned member,
			  uint32_t archives, uint32_t n)
{
	if (n > archives)
		n = archives;
	for (uint32_t i = 0; i < n && l->out->looked < CFS_MISSING_LOOKS; i++) {
		struct cfs_span loc = {
			.file = { (uint64_t)i * archives / n, 0, 0, member },
		};

		if (!archive_probe_is_list(l, &loc))
			look_for(l, &loc);
	}
}

/* Checks archives from such tables, if the index, or each member of a union,
 * has one; else false. */
static bool look_at_tables(struct archive_look *l, const struct cfs_index *ix)
{
	unsigned n = (unsigned)l->c->n_members;

	if (n == 0)
		look_at_table(l, 0, ix->archives, CFS_MISSING_LOOKS);
	for (unsigned i = 0; i < n; i++)
		if (cfs_union_archives(ix, i) == 0)
			return false;
	for (unsigned i = 0; i < n; i++)
		look_at_table(l, i, cfs_union_archives(ix, i),
			      (CFS_MISSING_LOOKS + n - 1) / n);
	return n > 0 || ix->archives > 0;
}

void cfs_archive_probe_look(struct cfs_crawl *c, struct cfs_archive_probe *out,
			    const struct cfs_cancel *cancel)
{
	struct archive_look l = { .c = c, .cancel = cancel, .out = out };

	*out = (struct cfs_archive_probe){ .looked = 0 };
	if (c->cache != NULL)
		return;
	cfs_buf_init(&l.name, CFS_URL_MAX + 1);
	cfs_buf_init(&l.key, CFS_KEY_MAX);
	if (!look_at_tables(&l, cfs_index_unpicked(c->index)))
		look_at_entries(&l);
	cfs_buf_release(&l.name);
	cfs_buf_release(&l.key);
}

int cfs_archive_probe_check(struct cfs_crawl *c, const char *option,
			    struct cfs_ctx ctx)
{
	struct cfs_archive_probe m;

	cfs_archive_probe_look(c, &m, ctx.cancel);
	if (m.missing == 0)
		return CFS_OK;
	if (m.missing == m.looked)
		return cfs_error_at(ctx.err, CFS_ENOTFOUND, c->source, 0,
			"its archives are not there, '%s' for one: name their "
			"folder with %sdata=FOLDER, or open it without them "
			"with %smissing=ok", m.example, option, option);
	cfs_log(CFS_LOG_WARNING, "%s: %u of %u archives looked for are not "
		"there, '%s' for one: name their folder with %sdata=FOLDER",
		c->source, m.missing, m.looked, m.example, option);
	return CFS_OK;
}
