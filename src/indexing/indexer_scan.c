/* indexer_scan.c - scans one part of the inputs, and adds its records to the
 * builder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_scan.h"

#include <string.h>

#include "base/log.h"
#include "builder_lines.h"
#include "indexer_index.h"
#include "indexer_wacz.h"
#include "record/digest.h"
#include "record/seqscan.h"
#include "url/urlref.h"

/* The line ends after a WARC record. */
#define SEPARATOR_BYTES 4u

struct part_scan {
	struct cfs_indexer_scans *all;
	unsigned feeder;
	const struct cfs_indexer_file *file;
	const struct cfs_indexer_part *part;
	struct cfs_indexer_tally *tally;
	const struct cfs_cancel *cancel;
	struct cfs_seq_head seq;		/* of a SequenceFile */
	struct cfs_buf digest, redirect;	/* of the current record, for
						 * its line */
	struct cfs_languages languages;		/* of the current page */
	struct cfs_error error;			/* of the builder, or of
						 * measuring views */
};

/* ---- one record ---- */

/* Counts captures that are not picked. */
static bool is_picked(struct part_scan *s, bool yes)
{
	s->tally->not_picked += !yes;
	return yes;
}

static int add_annex(struct part_scan *s, const struct cfs_builder_annex *annex)
{
	if (s->all->opts->format != CFS_INDEX_CFX) {
		s->tally->not_in_tree++;
		return CFS_OK;
	}
	if (!is_picked(s, cfs_pick_takes_url(s->all->opts->pick, annex->url)))
		return CFS_OK;
	/* An archive with only requests and metadata has no captures. */
	if (!annex->is_related || cfs_related_may_be_page(annex->related.what))
		atomic_fetch_add_explicit(&s->all->annexes, 1,
					  memory_order_relaxed);
	return cfs_builder_add_annex(s->all->builder, s->feeder, annex,
				    &s->error);
}

/* Languages that were found, or that a line states, go into the index if it is
 * to have them. */
static int add_capture(struct part_scan *s, struct cfs_builder_capture *c)
{
	if (!cfs_builder_names_archive(s->all->builder, c->archive)) {
		s->tally->not_in_tree++;
		return CFS_OK;
	}
	if (!s->all->opts->keeps_languages)
		c->languages = CFS_SLICE_EMPTY;
	atomic_fetch_add_explicit(&s->all->captures, 1, memory_order_relaxed);
	return cfs_builder_add(s->all->builder, s->feeder, c, &s->error);
}

bool cfs_indexer_has_place(enum cfs_index_format format, struct cfs_slice url,
			   struct cfs_indexer_tally *tally)
{
	bool yes = format == CFS_INDEX_CFX ? cfs_url_has_place(url) :
					     cfs_url_is_web(url);

	if (!yes)
		cfs_schemes_note(&tally->schemes, url);
	return yes;
}

/* Only a crawlfs index can store that a record shares its member with others.
 * Lines describe what was archived, not conversions of it. */
static bool has_place(const struct part_scan *s,
		      const struct cfs_builder_capture *c)
{
	enum cfs_index_format format = s->all->opts->format;

	return format == CFS_INDEX_CFX ||
	       (c->span.inner_length == 0 && cfs_url_is_web(c->url) &&
		(c->kind != CFS_KIND_CONVERSION || !cfs_is_lines(format)));
}

/* Extracts a record of a WAT file, which describes another record. */
static bool is_wat(struct part_scan *s, const struct cfs_scan_item *item,
		   struct cfs_builder_annex *annex)
{
	if (s->all->opts->format != CFS_INDEX_CFX ||
	    !cfs_companion_of_wat(item->record, &s->redirect, annex) ||
	    !cfs_url_has_place(annex->url))
		return false;
	annex->archive = s->part->file;
	annex->span = item->span;
	return true;
}

/* Converts the place of a record in a member to the place in the file. */
static struct cfs_scan_item shifted(const struct part_scan *s,
				    const struct cfs_scan_item *item)
{
	struct cfs_scan_item out = *item;

	if (s->part->member != NULL)
		out.span.offset += s->part->member->at.offset;
	return out;
}

/* Extracts a related record: a request, metadata, a screenshot, ... */
static bool is_of_page(struct part_scan *s, const struct cfs_scan_item *item,
		       struct cfs_builder_annex *annex)
{
	if (s->all->opts->format != CFS_INDEX_CFX ||
	    !cfs_companion_of_page(item, annex))
		return false;
	annex->archive = s->part->file;
	return true;
}

/* Finds the languages of a page, of which a revisit has none here. */
static int find_languages(struct part_scan *s, const struct cfs_scan_item *item,
			  struct cfs_builder_capture *c)
{
	int rc;

	if (s->all->opts->languages == NULL || c->kind == CFS_KIND_REVISIT)
		return CFS_OK;
	rc = s->all->opts->languages(item, &s->languages,
				     CFS_CTX(s->cancel, &s->error));
	if (rc == CFS_ELIMIT)
		cfs_error_clear(&s->error);
	c->languages = cfs_languages_list(&s->languages);
	return rc == CFS_ELIMIT ? CFS_OK : rc;
}

/* Where the text of a record goes. */
struct text_place {
	struct part_scan *s;
	const struct cfs_span *loc;
};

static int add_text(struct part_scan *s, const struct cfs_span *loc,
		    struct cfs_slice text)
{
	return cfs_builder_add_text(s->all->builder, s->feeder, s->part->file,
				    loc, text, &s->error);
}

static int take_text(void *arg, struct cfs_slice text, struct cfs_error *err)
{
	const struct text_place *p = arg;

	(void)err;			/* it is that of the scan */
	return add_text(p->s, p->loc, text);
}

/* Makes the views of a page for their sizes, and finds its languages unless
 * they are known. */
static int measure_views(struct part_scan *s, const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c)
{
	struct text_place place = { s, &item->span };
	const struct cfs_text_taker taker = { take_text, &place };
	int rc;

	if (s->all->opts->view_bytes == NULL || c->kind == CFS_KIND_REVISIT)
		return c->languages.n == 0 && s->all->opts->keeps_languages ?
		       find_languages(s, item, c) : CFS_OK;
	rc = s->all->opts->view_bytes(item, s->file->name,
				      s->all->opts->view_slots,
				      cfs_builder_wants_texts(s->all->builder) ?
				      &taker : NULL, &c->views, &s->languages,
				      CFS_CTX(s->cancel, &s->error));
	if (rc != CFS_OK)
		c->views.known = 0;
	c->languages = cfs_languages_list(&s->languages);
	if (rc != CFS_ELIMIT)
		return rc;
	cfs_error_clear(&s->error);	/* a mount reports it, too */
	return CFS_OK;
}

/* Sets the digest that the index is to have, if it is to have one: the stated
 * one, else that of the record's payload; a revisit has only the former. */
static int keep_digest(struct part_scan *s, const struct cfs_scan_item *item,
		       struct cfs_builder_capture *c)
{
	bool is_stated;

	if (!s->all->opts->keeps_digests)
		return CFS_OK;
	cfs_buf_reset(&s->digest);
	if (item != NULL)
		cfs_record_add_digest(item->record, cfs_scan_pages(item),
				      &s->digest);
	else if (c->digest.n > 0)
		cfs_digest_add(&s->digest, c->digest);
	is_stated = item == NULL ||
		    cfs_record_warc_field(item->record,
					  "WARC-Payload-Digest").n > 0;
	s->tally->digests[is_stated] += s->digest.n > 0;
	if (s->digest.n <= CFS_DIGEST_TEXT_MAX)
		c->kept_digest = cfs_buf_slice(&s->digest);
	return s->digest.failed == CFS_ENOMEM ? cfs_error_nomem(&s->error) :
						CFS_OK;
}

/* Finds whether a capture is picked, and its languages if they decide it. */
static int pick_capture(struct part_scan *s, const struct cfs_scan_item *item,
			struct cfs_builder_capture *c, bool *yes)
{
	const struct cfs_pick *pick = s->all->opts->pick;
	int rc = CFS_OK;

	s->languages = (struct cfs_languages){ .text = "" };
	if (cfs_pick_asks_languages(pick, c))
		rc = find_languages(s, item, c);
	*yes = is_picked(s, cfs_pick_takes(pick, c));
	return rc;
}

/* Counts; *at is set to the offset of the first. */
static void note(const struct cfs_scan_item *item, uint64_t *n, uint64_t *at)
{
	if ((*n)++ == 0)
		*at = item->span.offset;
}

static void note_date(struct part_scan *s, const struct cfs_scan_item *item)
{
	if (!item->record->has_time || item->record->time_is_odd)
		note(item, &s->tally->undated, &s->tally->undated_at);
}

static void note_length(struct part_scan *s, const struct cfs_scan_item *item)
{
	const struct cfs_record *r = item->record;

	if (r->format == CFS_ARCHIVE_WARC && r->declared_bytes > r->block.n &&
	    r->declared_bytes - r->block.n <= SEPARATOR_BYTES && !r->is_cut)
		note(item, &s->tally->long_lengths, &s->tally->long_lengths_at);
}

/* Counts a record that has no place in the index. */
static void leave_out(struct part_scan *s, const struct cfs_scan_item *item)
{
	const struct cfs_record *r = item->record;

	if (r->type == CFS_RECORD_CONTINUATION)
		s->tally->segments++;
	else if (!cfs_indexer_is_page(r))
		s->tally->not_in_tree++;
	else if (r->url.n == 0)
		note(item, &s->tally->nameless, &s->tally->nameless_at);
	else if (cfs_indexer_has_place(s->all->opts->format, r->url, s->tally))
		s->tally->not_in_tree++;
}

static int on_record(void *arg, const struct cfs_scan_item *found)
{
	struct part_scan *s = arg;
	const struct cfs_scan_item in_file = shifted(s, found);
	const struct cfs_scan_item *item = &in_file;
	struct cfs_builder_capture c;
	struct cfs_builder_annex annex;
	bool is_wanted;
	int rc;

	s->tally->records++;
	note_length(s, item);
	if (is_wat(s, item, &annex))
		return add_annex(s, &annex);
	if (is_of_page(s, item, &annex)) {
		note_date(s, item);
		return add_annex(s, &annex);
	}
	if (!cfs_indexer_capture(item, &c) || !has_place(s, &c)) {
		leave_out(s, item);
		return CFS_OK;
	}
	note_date(s, item);
	c.archive = s->part->file;
	rc = pick_capture(s, item, &c, &is_wanted);
	if (rc != CFS_OK || !is_wanted)
		return rc;
	c.notes = cfs_indexer_notes(s->all->files, s->file, s->part->member,
				    c.url, c.time);
	rc = measure_views(s, item, &c);
	if (rc == CFS_OK && cfs_is_lines(s->all->opts->format))
		rc = cfs_indexer_line(item, &c, &s->digest, &s->redirect);
	else if (rc == CFS_OK)
		rc = keep_digest(s, item, &c);
	return rc == CFS_OK ? add_capture(s, &c) : rc;
}

/* Counts damage, and adds it to the index.  That of a list of captures is not
 * found again by those who read archives. */
static void keep_damage(struct part_scan *s, const struct cfs_error *what)
{
	const bool is_of_list = s->file->role == CFS_FILE_CDX ||
				s->file->role == CFS_FILE_INDEX;
	struct cfs_error e = *what;
	char line[sizeof(e.where) + sizeof(e.text) + 32];
	const char *text = e.text;

	if (is_of_list) {
		cfs_error_hide_folder(&e);
		cfs_error_line(&e, line, sizeof(line));
		e.offset = CFS_DAMAGE_OF_LIST;
		text = line;
		/* else it is a shard's */
		if (strcmp(what->where, s->file->path) == 0)
			text += strlen(e.where) + strlen(": ");
	}
	s->tally->damages++;
	if (cfs_builder_damaged(s->all->builder, s->part->file, e.offset,
				text) != CFS_OK)
		cfs_error_nomem(&s->error);
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct part_scan *s = arg;

	keep_damage(s, what);
	if (cfs_log_has_room(&s->all->logged[s->part->file], s->file->path,
			     "more of it is damaged ('crawlfs verify "
			     "--report=FILE' lists all)"))
		cfs_log_error(CFS_LOG_WARNING, what);
}

/* Adds a text or metadata record of 2012; key and value are of class Text. */
static int on_pair(void *arg, const struct cfs_seq_item *item)
{
	struct part_scan *s = arg;
	struct cfs_builder_annex annex = {
		.container = CFS_COMPANION_SEQFILE, .archive = s->part->file,
		.span = item->span, .refers_to = CFS_SLICE_EMPTY };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_slice value;

	s->tally->records++;
	if (!cfs_seq_unwrap(s->seq.key_class, item->key, &annex.url) ||
	    !cfs_seq_unwrap(s->seq.value_class, item->value, &value)) {
		cfs_error_at(&e, CFS_EFORMAT, s->file->path, item->span.offset,
			     "pair %llu is not text",
			     (unsigned long long)item->span.inner_offset);
		on_damage(s, &e);
		return CFS_OK;
	}
	annex.bytes = value.n;
	if (s->file->role == CFS_FILE_TEXT) {
		annex.time = cfs_companion_file_time(s->file);
		annex.status = 200;	/* only such pages have a text */
	} else if (!cfs_companion_of_2012(value, &annex)) {
		s->tally->not_archived++;
		return CFS_OK;
	}
	if (!cfs_indexer_has_place(s->all->opts->format, annex.url, s->tally))
		return CFS_OK;
	if (s->file->role == CFS_FILE_TEXT &&
	    cfs_builder_wants_texts(s->all->builder) &&
	    add_text(s, &item->span, value) != CFS_OK)
		return s->error.code;
	return add_annex(s, &annex);
}

/* Adds a related record found in a CDX line, which does not state the block's
 * length. */
static int add_cdx_annex(struct part_scan *s,
			const struct cfs_builder_capture *c,
			const struct cfs_related_record *related)
{
	const struct cfs_builder_annex annex = {
		.url = related->url, .is_related = true, .related = *related,
		.container = CFS_COMPANION_WARC, .archive = c->archive,
		.span = c->span, .bytes = CFS_COMPANION_BYTES_UNKNOWN,
		.record_id = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
		.time = c->time };

	return add_annex(s, &annex);
}

/* Then a PB-tree keeps its order; else equal captures come together. */
static bool is_only_input(const struct part_scan *s)
{
	const struct cfs_indexer_files *f = s->all->files;

	return f->n == 1 && f->n_selections == 0 && s->all->opts->sql == NULL;
}

static int on_cdx_capture(void *arg, struct cfs_builder_capture *c)
{
	struct cfs_related_record related;
	struct part_scan *s = arg;
	bool is_related = s->all->opts->format == CFS_INDEX_CFX &&
			  cfs_related_resource(c->url, c->mime, &related);

	s->tally->records++;
	if (c->pb_key.n > 0) {	/* copied, whatever it is */
		if (!is_only_input(s))
			c->pb_order = 0;
	} else if (!is_related &&
		   !cfs_indexer_has_place(s->all->opts->format, c->url,
					  s->tally)) {
		return CFS_OK;
	} else if (!has_place(s, c)) {
		s->tally->not_in_tree++;
		return CFS_OK;
	}
	if (s->part->member != NULL) {	/* its archives are among the files */
		c->notes = cfs_indexer_notes(s->all->files, s->file,
					     s->part->member, c->url, c->time);
	} else if (c->archive >= s->all->n_names) {
		s->tally->damages++;	/* the file has changed meanwhile */
		return CFS_OK;
	} else {
		c->archive += (uint32_t)s->all->files->n;
	}
	if (is_related)
		return add_cdx_annex(s, c, &related);
	if (!is_picked(s, cfs_pick_takes(s->all->opts->pick, c)))
		return CFS_OK;
	cfs_languages_take(&s->languages, c->languages);
	c->languages = cfs_languages_list(&s->languages);
	if (keep_digest(s, NULL, c) != CFS_OK)
		return CFS_ENOMEM;
	return add_capture(s, c);
}

/* It was logged already. */
static void on_cdx_damage(void *arg, const struct cfs_error *what)
{
	keep_damage(arg, what);
}

static void on_cdx_missing(void *arg, const struct cfs_error *what)
{
	struct part_scan *s = arg;

	keep_damage(s, what);
	s->tally->missing++;
	s->tally->is_bad_list = s->part->member != NULL;
}

static void on_advance(void *arg, uint64_t bytes)
{
	struct part_scan *s = arg;

	atomic_fetch_add_explicit(&s->all->bytes, bytes, memory_order_relaxed);
}

/* The records of later stretches, which may be in the builder already, may be
 * none of this archive. */
static void on_wrong_cut(void *arg)
{
	struct part_scan *s = arg;

	atomic_store(&s->all->missed, true);
}

/* ---- one part ---- */

static int scan_cdx(struct part_scan *s, struct cfs_error *err)
{
	struct cfs_indexer_cdx job = {
		.files = s->all->files, .file = s->file,
		.member = s->part->member,
		.from = s->part->at.from, .to = s->part->at.to,
		.names = s->all->names, .pick = s->all->opts->pick,
		.keeps_lines = cfs_is_lines(s->all->opts->format),
		.keeps_keys = s->all->opts->format == CFS_INDEX_PBTREE,
		.logged = &s->all->logged[s->part->file], .cancel = s->cancel,
		.capture = on_cdx_capture, .damaged = on_cdx_damage,
		.missing = on_cdx_missing,
		.advanced = on_advance, .arg = s };

	return (s->file->role == CFS_FILE_INDEX ? cfs_indexer_index_run :
		cfs_indexer_cdx_run)(&job, err);
}

/* Once an archive of a WACZ was scanned to its end, compares its hash.  Some
 * writers compute wrong hashes, so a mismatch is only logged. */
static int check_hash(struct part_scan *s, struct cfs_source *src,
		      struct cfs_error *err)
{
	const struct cfs_wacz_member *m = s->part->member != NULL ?
					  s->part->member : s->file->of;
	bool is_last = s->part->at.to == 0 || s->part->at.to == src->size;
	bool is_same;
	int rc;

	if (m == NULL || !m->has_sha256 || !is_last || !src->is_local)
		return CFS_OK;
	rc = cfs_package_check(src, m->sha256, &is_same,
			       CFS_CTX(s->cancel, err));
	if (rc == CFS_OK && !is_same)
		cfs_log(CFS_LOG_WARNING, "%s: has another SHA-256 than its "
			"datapackage.json says", s->part->member != NULL ?
			src->name : s->file->path);
	return rc;
}

/* Scans an archive, or a stretch of one, or a SequenceFile. */
static int scan_archive(struct part_scan *s, struct cfs_error *err)
{
	struct cfs_scan_opts opts = {
		.max_record_bytes = s->all->opts->max_record_bytes,
		.damaged = on_damage,
		.advanced = on_advance,
		.memory_bytes = s->all->record_bytes,
		.spill_dir = s->all->spill_dir,
		.cancel = s->cancel,
		.arg = s,
		.at = s->part->at,
		.ran_on = on_wrong_cut
	};
	struct cfs_scan_counts counts = { 0 };
	struct cfs_source *src;
	int rc = cfs_indexer_open_part(&src, s->all->files, s->file,
				       s->part->member,
				       CFS_CTX(s->cancel, err));

	if (rc != CFS_OK)
		return rc;
	if (s->file->role == CFS_FILE_ARCHIVE || s->part->member != NULL) {
		rc = cfs_scan_archive(src, &opts, on_record, &counts, err);
	} else {
		rc = cfs_seq_head_read(src, &s->seq, CFS_CTX(s->cancel, err));
		if (rc == CFS_OK)
			rc = cfs_seq_scan(src, &opts, on_pair, &counts, err);
	}
	if (counts.spill_failed)	/* as when the builder has no room */
		cfs_error_pass(&s->error, err, rc);
	s->tally->inflated = counts.inflated_bytes;
	if (counts.one_big_member)
		cfs_log(CFS_LOG_WARNING, "%s: many records share a member: "
			"reading one inflates all before it", src->name);
	if (rc == CFS_OK)
		rc = check_hash(s, src, err);
	cfs_source_close(src);
	return rc;
}

/* Trouble with a server ends the build, since else part of an archive would be
 * taken for all of it; not that of an index which is not finished. */
static bool is_trouble(const struct part_scan *s, int rc)
{
	const struct cfs_indexer_opts *o = s->all->opts;

	if (!s->file->is_remote || (o->unfinished != NULL &&
				    s->file->role != CFS_FILE_CDX &&
				    s->file->role != CFS_FILE_INDEX))
		return false;
	return rc == CFS_EIO || rc == CFS_ETIMEOUT || rc == CFS_ECHANGED ||
	       (rc == CFS_EACCESS && o->needs_all);
}

/* Failures of the builder end the build, but damage of a file does not. */
static bool is_fatal(const struct part_scan *s, int rc)
{
	return rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_EUSAGE ||
	       s->error.code != CFS_OK || is_trouble(s, rc);
}

int cfs_indexer_scan(struct cfs_indexer_scans *all, unsigned feeder,
		     const struct cfs_indexer_part *part,
		     struct cfs_indexer_tally *tally, struct cfs_ctx ctx)
{
	struct part_scan s = { .all = all, .feeder = feeder, .part = part,
			  .file = &all->files->v[part->file], .tally = tally,
			  .cancel = ctx.cancel };
	struct cfs_error e = CFS_ERROR_INIT;
	bool is_list = part->member != NULL &&
		       part->member->role == CFS_WACZ_INDEX;
	int rc;

	*tally = (struct cfs_indexer_tally){ 0 };
	cfs_buf_init(&s.digest, 2 * CFS_DIGEST_TEXT_MAX);
	cfs_buf_init(&s.redirect, CFS_URLREF_MAX);
	rc = s.file->role == CFS_FILE_CDX || s.file->role == CFS_FILE_INDEX ||
	     is_list ? scan_cdx(&s, &e) : scan_archive(&s, &e);
	cfs_buf_release(&s.digest);
	cfs_buf_release(&s.redirect);
	if (rc == CFS_OK)
		return CFS_OK;
	if (is_fatal(&s, rc))
		return cfs_error_pass(ctx.err, s.error.code != CFS_OK ?
				      &s.error : &e, rc);
	keep_damage(&s, &e);
	tally->is_unread = cfs_indexer_may_pass(rc) || rc == CFS_ECHANGED;
	tally->is_gone = rc == CFS_ENOTFOUND;
	tally->is_bad_list = is_list && rc == CFS_EFORMAT;
	cfs_error_where(&e, s.file->path, 0);
	if (!s.file->is_told)
		cfs_log_error(CFS_LOG_WARNING, &e);
	return CFS_OK;
}
