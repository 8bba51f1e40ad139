/* verify_part.c - reads a part of an archive and verifies all records in it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <stdlib.h>

#include "base/hash.h"
#include "record/members.h"
#include "record/parse.h"
#include "record/seqscan.h"
#include "record/sniff.h"
#include "record/zipped.h"

/* Most bytes of results kept in memory until it is the part's turn. */
#define KEPT_MAX ((size_t)4 << 20)
/* Bytes of a damaged record that are searched for its URL. */
#define PEEK_BYTES ((size_t)64 << 10)

struct part_reading {
	struct cfs_verify *v;
	struct cfs_verify_part *p;
	struct cfs_source *src;
	struct cfs_scan_counts counts;
	struct cfs_match match;		/* entries of an index or of lists */
	bool is_listed_only;		/* read only records at `wanted` */
	uint64_t wanted;
	/* src ends where the entry says that the record does.  If that fails,
	 * nothing is reported; the record is read again with all that
	 * follows. */
	bool is_trial, has_failed;
	bool is_found;			/* there is a record at `wanted` */
	struct cfs_zst_dict *dict;	/* the archive's, if src is not all of
					 * it */
	uint64_t shift;			/* offset of src in the archive */
	uint64_t bad_members;		/* value of counts.bad_members when
					 * damage was last reported */
	bool has_damage;		/* damage at damage_at was found since
					 * the last record */
	uint64_t damage_at;
};

/* ---- opening ------------------------------------------------------------- */

static int open_location(const struct cfs_verify *v, const char *path,
			 bool is_remote, bool by_part, struct cfs_source **out,
			 struct cfs_ctx ctx)
{
	struct cfs_opener opener = cfs_opener_or_plain(v->opts.opener);

	if (!is_remote)
		return cfs_source_open_file(out, path, ctx.err);
	return by_part ? opener.open(opener.arg, path, out, ctx) :
			 cfs_location_open_whole(out, path, ctx);
}

int cfs_verify_open(const struct cfs_verify *v,
		    const struct cfs_verify_unit *u, bool by_part,
		    struct cfs_source **out, struct cfs_ctx ctx)
{
	struct cfs_slice file = cfs_slice_str(u->location), member;
	bool is_member = cfs_zipped_split(file, &file, &member);
	struct cfs_source *src;
	char *path;
	int rc;

	*out = NULL;
	if (u->is_stored)
		return cfs_store_source(v->opts.store,
					cfs_slice_str(u->location), out, ctx);
	path = strndup((const char *)file.p, file.n);
	if (path == NULL)
		return cfs_error_nomem(ctx.err);
	rc = open_location(v, path, u->is_remote, by_part || is_member, &src,
			   ctx);
	free(path);
	if (rc == CFS_OK && is_member)
		rc = cfs_zipped_open(&src, src, member, v->opts.cache_dir,
				     ctx);
	if (rc == CFS_OK && is_member && !src->is_local && !by_part)
		rc = cfs_source_open_stream(&src, src, ctx);
	*out = rc == CFS_OK ? src : NULL;
	return rc;
}

uint64_t cfs_verify_state_of(struct cfs_source *src)
{
	char text[CFS_VALIDATOR_BYTES];

	return cfs_source_validator(src, text) ?
	       cfs_hash64(cfs_slice_str(text), 0) : 0;
}

/* ---- damage -------------------------------------------------------------- */

/* Reads the first bytes at an offset, inflated if it is a member. */
static size_t peek(const struct part_reading *g, uint64_t at, uint8_t *buf)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z = NULL;
	size_t got = 0, n = 0;

	if (cfs_source_read_some(g->src, buf, PEEK_BYTES, at, &n,
				 CFS_CTX(&g->v->run.cancel, NULL)) != CFS_OK)
		return 0;
	if (cfs_coding_of(cfs_slice_of(buf, n)) == CFS_CODING_NONE)
		return n;
	if (cfs_member_stream_new(&z, g->src, at, g->src->size, NULL, NULL) !=
	    CFS_OK)
		return 0;
	for (n = 0; n < PEEK_BYTES && state == CFS_MEMBER_MORE; n += got)
		if (cfs_member_stream_read(z, buf + n, PEEK_BYTES - n, &got,
					   &state,
					   CFS_CTX(&g->v->run.cancel, NULL)) !=
		    CFS_OK)
			break;
	cfs_member_stream_free(z);
	return n;
}

/* Finds the URL that the damaged record states, which may be damaged too. */
static void find_url(const struct part_reading *g, uint64_t at,
		     struct cfs_buf *out)
{
	uint8_t *buf = malloc(PEEK_BYTES);
	size_t n = buf != NULL ? peek(g, at, buf) : 0;
	struct cfs_slice s = cfs_slice_of(buf, n);
	struct cfs_record rec;

	if (n > 0 && cfs_record_is_start(s) &&
	    cfs_record_parse(&rec, s, CFS_PARSE_HEAD_ONLY, NULL, NULL, NULL) ==
	    CFS_OK) {
		cfs_buf_add(out, rec.url);
		cfs_record_release(&rec);
	}
	free(buf);
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct part_reading *g = arg;
	bool is_member = g->counts.bad_members > g->bad_members;
	struct cfs_verify_finding f = {
		.kind = is_member ? "member" : "record",
		.offset = g->shift + what->offset, .url = CFS_SLICE_EMPTY,
		.expected = CFS_SLICE_EMPTY,
		.found = cfs_slice_str(what->text) };
	CFS_BUF(url, CFS_URL_MAX);

	if (g->is_trial) {
		g->has_failed = true;
		return;
	}
	find_url(g, what->offset, &url);
	f.url = cfs_buf_slice(&url);
	cfs_verify_found(g->p, &f);
	g->bad_members = g->counts.bad_members;
	g->has_damage = true;
	g->damage_at = f.offset;
	cfs_match_damage(&g->match, f.offset);
}

/* ---- records ------------------------------------------------------------- */

int cfs_verify_make_room(struct cfs_verify *v, struct cfs_verify_part *p)
{
	bool is_turn;
	int rc;

	if (p->lines.failed != CFS_OK || p->ids.failed != CFS_OK)
		return cfs_error_nomem(&p->error);
	if (p->lines.n + p->ids.n < KEPT_MAX)
		return CFS_OK;
	rc = cfs_ordered_turn(&v->run, &p->job, true, &is_turn, &p->error);
	if (rc == CFS_OK)
		return cfs_verify_report_add(v->report, p, &p->error);
	if (rc != CFS_END)
		return rc;
	cfs_buf_reset(&p->lines);	/* the part is void */
	cfs_buf_reset(&p->ids);
	return CFS_OK;
}

/* True if more entries refer to records in the same member. */
static bool is_wanted_further(struct part_reading *g)
{
	const struct cfs_verify_row *e = cfs_match_peek(&g->match);

	return e != NULL && e->offset == g->wanted;
}

static int on_record(void *arg, const struct cfs_scan_item *found)
{
	struct part_reading *g = arg;
	struct cfs_scan_item item = *found;
	int rc;

	item.span.offset += g->shift;
	if (g->is_listed_only && item.span.offset != g->wanted)
		return CFS_END;
	if (g->is_trial &&
	    (g->has_failed || item.record->is_cut_off ||
	     item.record->block.n < item.record->declared_bytes)) {
		g->has_failed = true;
		return CFS_END;
	}
	g->is_found = true;
	cfs_verify_record(g->p, &item,
			  g->has_damage && g->damage_at == item.span.offset,
			  g->v->opts.is_strict);
	if (g->p->error.code != CFS_OK)
		return g->p->error.code;
	g->has_damage = false;
	atomic_fetch_add_explicit(&g->v->records, 1, memory_order_relaxed);
	cfs_match_record(&g->match, &item);
	rc = cfs_verify_make_room(g->v, g->p);
	return rc == CFS_OK && g->is_listed_only && !is_wanted_further(g) ?
	       CFS_END : rc;
}

static int on_pair(void *arg, const struct cfs_seq_item *item)
{
	struct part_reading *g = arg;

	(void)item;
	g->p->tally.records++;
	atomic_fetch_add_explicit(&g->v->records, 1, memory_order_relaxed);
	return cfs_verify_make_room(g->v, g->p);
}

static void on_advance(void *arg, uint64_t bytes)
{
	struct part_reading *g = arg;

	atomic_fetch_add_explicit(&g->v->bytes, bytes, memory_order_relaxed);
}

/* ---- a part -------------------------------------------------------------- */

bool cfs_verify_is_fatal(const struct cfs_verify_unit *u, int rc)
{
	return rc == CFS_ENOMEM || rc == CFS_EINTR ||
	       (u->is_remote && (rc == CFS_EIO || rc == CFS_ETIMEOUT ||
				 rc == CFS_ECHANGED));
}

/* Reports why the part cannot be read.  A refusal says nothing of the archive:
 * what was found in the part so far is dropped, as the part is read again. */
static void unreadable(struct cfs_verify_part *p, const struct cfs_error *e)
{
	struct cfs_verify_finding f = {
		.kind = "archive", .offset = e->offset,
		.url = CFS_SLICE_EMPTY, .expected = CFS_SLICE_EMPTY,
		.found = cfs_slice_str(e->text) };

	if (p->unit->kind == CFS_VERIFY_BAD_INDEX ||
	    p->unit->kind == CFS_VERIFY_LIST) {
		f.kind = "index";
	} else if (e->code == CFS_EACCESS) {
		f.kind = "unread";
		p->is_unread = true;
		cfs_buf_reset(&p->lines);
		cfs_buf_reset(&p->ids);
	}
	cfs_verify_found(p, &f);
}

/* Extends the part to the end of its archive, in place of the later ones. */
static void on_wrong_cut(void *arg)
{
	struct part_reading *g = arg;
	struct cfs_verify_part *p = g->p;

	cfs_ordered_void(&g->v->run, &p->job);
	p->at.to = p->at.from > 0 ? p->at.rest : 0;
	p->tally.bytes = p->at.rest - p->at.from;
	g->match.to = UINT64_MAX;
}

static int scan(struct part_reading *g, struct cfs_scan_stretch at,
		struct cfs_error *err)
{
	struct cfs_verify_count *sums =
		&g->p->tally.checks[CFS_VERIFY_CHECKSUM];
	struct cfs_scan_opts opts = {
		.max_record_bytes = g->v->opts.max_record_bytes,
		.damaged = on_damage,
		.advanced = on_advance,
		.no_bodies = true,
		.memory_bytes = g->v->record_bytes,
		.spill_dir = g->v->opts.tmp_dir,
		.cancel = &g->v->run.cancel,
		.arg = g,
		.dict = g->dict,
		.is_place = g->is_listed_only,
		.at = at,
		.ran_on = on_wrong_cut
	};
	struct cfs_seq_head head;
	int rc;

	g->counts = (struct cfs_scan_counts){ 0 };
	g->bad_members = 0;
	if (g->p->unit->kind == CFS_VERIFY_PAIRS) {
		rc = cfs_seq_head_read(g->src, &head,
				       CFS_CTX(&g->v->run.cancel, err));
		if (rc == CFS_OK)
			rc = cfs_seq_scan(g->src, &opts, on_pair, &g->counts,
					  err);
	} else {
		rc = cfs_scan_archive(g->src, &opts, on_record, &g->counts,
				      err);
	}
	if (!g->is_trial || !g->has_failed) {
		sums->matched += g->counts.members;
		sums->differed += g->counts.bad_members;
	}
	return rc;
}

/* Reads all records of the part in order. */
static int read_whole(struct part_reading *g, struct cfs_error *err)
{
	struct cfs_verify_part *p = g->p;
	struct cfs_source *all = g->src;
	int rc = cfs_source_find_size(all, CFS_CTX(&g->v->run.cancel, err));

	if (rc != CFS_OK)
		return rc;
	cfs_source_ref(all);
	/* the store opens its sources for scattered reads */
	if (p->unit->is_stored && !all->is_local)
		rc = cfs_source_open_stream(&g->src, all,
					    CFS_CTX(&g->v->run.cancel, err));
	if (rc == CFS_OK) {
		p->tally.bytes = p->at.to > 0 ? p->at.to - p->at.from :
						g->src->size;
		rc = scan(g, p->at, err);
		cfs_source_close(g->src);
	}
	g->src = all;
	if (rc == CFS_OK)
		cfs_match_pass(&g->match, UINT64_MAX);
	return rc;
}

static int read_stretch(struct part_reading *g, const struct cfs_verify_row *e,
			uint64_t n, struct cfs_error *err)
{
	struct cfs_source *all = g->src;
	const struct cfs_scan_stretch at = {
		.to = e->length > 0 ? e->length : 1 };
	struct cfs_error own = CFS_ERROR_INIT;
	int rc = cfs_source_open_window(&g->src, cfs_source_ref(all), e->offset,
					n, all->name, err);

	if (rc == CFS_OK)
		rc = scan(g, at, &own);
	cfs_source_close(g->src);
	g->src = all;
	if (rc == CFS_END || rc == CFS_EFORMAT)	/* there is no record: its entry
						 * will be reported */
		return CFS_OK;
	return cfs_error_pass(err, &own, rc);
}

/* Reads the record, or the records of one member, that entries refer to. */
static int read_place(struct part_reading *g,
		      const struct cfs_verify_row *first, struct cfs_error *err)
{
	struct cfs_verify_row e = *first;
	uint64_t left = g->src->size > e.offset ? g->src->size - e.offset : 0;
	int rc = CFS_OK;

	g->wanted = g->shift = e.offset;
	g->is_found = g->has_failed = false;
	g->p->tally.bytes += e.length;
	if (e.length > 0 && e.length < left) {
		g->is_trial = true;
		rc = read_stretch(g, &e, e.length, err);
		g->is_trial = false;
	}
	return rc == CFS_OK && !g->is_found && left > 0 ?
	       read_stretch(g, &e, left, err) : rc;
}

static int read_listed(struct part_reading *g, struct cfs_error *err)
{
	struct cfs_verify_part *p = g->p;
	const struct cfs_verify_row *e;
	int rc = cfs_source_find_size(g->src, CFS_CTX(&g->v->run.cancel, err));

	if (rc == CFS_OK)
		rc = cfs_sniff_dict(g->src, &g->dict,
				    CFS_CTX(&g->v->run.cancel, err));
	if (rc == CFS_OK)
		cfs_source_prefetch(g->src, p->at.from,
				    (size_t)(p->at.to - p->at.from));
	while (rc == CFS_OK && (e = cfs_match_peek(&g->match)) != NULL) {
		uint64_t offset = e->offset;

		rc = read_place(g, e, err);
		if (rc == CFS_OK)
			cfs_match_pass(&g->match, offset + 1);
	}
	cfs_zst_dict_put(g->dict);
	g->dict = NULL;
	return rc;
}

/* Reads an opened archive. */
static int use(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	struct part_reading *g = arg;
	int rc;

	g->src = src;
	rc = g->is_listed_only ? read_listed(g,
					     ctx.err) : read_whole(g, ctx.err);
	g->p->state = cfs_verify_state_of(src);
	return rc;
}

static int read_archive(struct part_reading *g, struct cfs_error *err)
{
	const struct cfs_verify_unit *u = g->p->unit;
	struct cfs_source *src;
	int rc;

	g->is_listed_only = g->v->opts.only_added;
	cfs_match_init(&g->match, g->v, g->p);
	if (u->is_stored) {
		rc = cfs_store_use(g->v->opts.store,
				   cfs_slice_str(u->location), use, g,
				   CFS_CTX(&g->v->run.cancel, err));
	} else {
		rc = cfs_verify_open(g->v, u, false, &src,
				     CFS_CTX(&g->v->run.cancel, err));
		if (rc == CFS_OK)
			rc = use(g, src, CFS_CTX(&g->v->run.cancel, err));
		cfs_source_close(src);
	}
	if (rc != CFS_OK)
		cfs_match_give_up(&g->match);
	return rc;
}

void cfs_verify_read(struct cfs_verify *v, struct cfs_verify_part *p)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct part_reading g = { .v = v, .p = p };
	int rc;

	switch (p->unit->kind) {
	case CFS_VERIFY_UNREADABLE:
	case CFS_VERIFY_BAD_INDEX:
		rc = CFS_OK;
		break;
	case CFS_VERIFY_LIST:
		rc = cfs_verify_list_report(v, p);
		break;
	case CFS_VERIFY_DATAPACKAGE:
		rc = cfs_verify_package(v, p, &e);
		break;
	default:
		rc = read_archive(&g, &e);
	}
	if (p->unit->bad != NULL)
		unreadable(p, p->unit->bad);
	if (p->error.code != CFS_OK) {		/* set by a callback */
		p->rc = p->error.code;
	} else if (g.counts.spill_failed || cfs_verify_is_fatal(p->unit, rc)) {
		p->rc = rc;
		p->error = e;
	} else if (rc != CFS_OK) {
		unreadable(p, &e);
	}
	if (p->rc == CFS_OK && (p->lines.failed != CFS_OK ||
				p->ids.failed != CFS_OK))
		p->rc = cfs_error_nomem(&p->error);
}
