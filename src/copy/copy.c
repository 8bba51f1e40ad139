/* copy.c - copies records of an index into one new archive, or a WACZ with one.
 *
 * The records are cut into stretches (copy_plan.c), which are jobs in order
 * (base/ordered.h): threads read and check them (copy_read.c), and their
 * results are written in the same order (copyfile.h).  The number of bytes in
 * flight is bounded, so a slow stretch delays only those after it.
 *
 * The index is built from what the threads see (copyindex.c); if that is
 * incomplete, from the finished file, and so it is for a WACZ: there the titles
 * of pages belong to it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "copy.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/ordered.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "copy_internal.h"
#include "copyfile.h"

/* Most bytes of stretches read but not yet written. */
#define AHEAD_BYTES ((uint64_t)64 << 20)
/* Disk space for the index and its sorting: for one record, for the fields that
 * a converted one gets, for its lines in a WACZ, and in addition. */
#define ROOM_RECORD 128u
#define ROOM_CONVERTED 512u
#define ROOM_WACZ 1024u
#define ROOM_MORE ((uint64_t)1 << 20)

struct cfs_copy {
	struct cfs_copy_opts opts;
	char index_path[PATH_MAX];
	struct cfs_copyfile *file;
	struct cfs_copyfile_mark mark;	/* where an earlier run stopped */
	struct cfs_copyindex *ix;	/* NULL: build the index from the
					 * finished file */
	uint64_t at;			/* bytes given to file */
	bool has_first;			/* the file's own first record is
					 * written */
	struct cfs_copy_dedup *dedup;	/* NULL: records stay as they are */
	struct cfs_zst_dict *dict;	/* the output's; NULL: none */
	struct stat old;		/* the file that force would replace */
	struct cfs_copy_reader reader;
	struct cfs_copy_plan plan;
	struct cfs_copy_leads leads;
	struct cfs_ordered run;
	uint64_t done_bytes, done_items, misnamed;
	struct cfs_copy_report report;
	/* The same for the thread that shows progress: */
	atomic_uint_least64_t shown_bytes, shown_records;
};

/* Adds what belongs to a capture, unless the output cannot hold it. */
static int add_related(struct cfs_copy *c, const struct cfs_capture *cap,
		       struct cfs_error *err)
{
	return c->opts.captures_only || c->opts.format != CFS_ARCHIVE_WARC ?
	       CFS_OK :
	       cfs_copy_plan_add_related(&c->plan, c->opts.index, cap, err);
}

/* CFS_ETOOLARGE for more bytes than the copy may have. */
static int check_bytes(const struct cfs_copy *c, uint64_t bytes,
		       struct cfs_error *err)
{
	char most[CFS_TEXT_SIZE_BYTES];

	if (c->opts.max_bytes == 0 || bytes <= c->opts.max_bytes)
		return CFS_OK;
	return cfs_error_set(err, CFS_ETOOLARGE, "the copy would have more "
			     "than %s", cfs_text_size((double)c->opts.max_bytes,
						      most));
}

int cfs_copy_add(struct cfs_copy *c, struct cfs_slice key,
		 const struct cfs_capture *cap, enum cfs_copy_role role,
		 struct cfs_error *err)
{
	bool is_arc = cap->kind == CFS_KIND_ARC;
	int rc;

	if (cap->kind == CFS_KIND_ANNEX)	/* it has no record */
		return add_related(c, cap, err);

	if (is_arc != (c->opts.format == CFS_ARCHIVE_ARC) &&
	    !c->opts.convert) {
		c->report.other++;
		return CFS_OK;
	}
	if (role == CFS_COPY_CAPTURE) {
		c->report.absent += cfs_capture_is_absent(cap);
		c->report.cut += cfs_capture_is_cut(cap) &&
				 !cfs_capture_is_absent(cap);
	}
	rc = cfs_copy_plan_add(&c->plan, c->opts.index, key, cap, role, err);
	if (rc == CFS_OK)
		rc = add_related(c, cap, err);
	return rc == CFS_OK ? check_bytes(c, c->plan.bytes, err) : rc;
}

/* ---- reading ---------------------------------------------------------- */

static int plan_stretch(void *arg, struct cfs_ordered_job **out,
			struct cfs_error *err)
{
	struct cfs_copy *c = arg;
	struct cfs_copy_stretch *s;
	int rc = cfs_copy_plan_next(&c->plan, &s, err);

	*out = NULL;
	if (rc == CFS_OK && s != NULL && !c->opts.captures_only)
		rc = cfs_copy_leads_set(&c->leads, s,
					CFS_CTX(c->opts.cancel, err));
	if (rc != CFS_OK) {
		cfs_copy_stretch_free(s);
	} else if (s != NULL) {
		s->job.held = s->to - s->from;
		*out = &s->job;
	}
	return rc;
}

static void *scratch_new(void *arg)
{
	struct cfs_copy *c = arg;
	struct cfs_buf *scratch = malloc(sizeof(*scratch));

	if (scratch != NULL)
		cfs_copy_scratch_init(&c->reader, scratch);
	return scratch;
}

static void scratch_free(void *worker)
{
	cfs_buf_release(worker);
	free(worker);
}

static void read_stretch(void *arg, struct cfs_ordered_job *job, void *worker)
{
	struct cfs_copy *c = arg;

	cfs_copy_read(&c->reader, (struct cfs_copy_stretch *)job, worker);
}

static void free_stretch(void *arg, struct cfs_ordered_job *job)
{
	(void)arg;
	cfs_copy_stretch_free((struct cfs_copy_stretch *)job);
}

/* ---- the first record ------------------------------------------------- */

/* Appends a name of any bytes to a line; bytes below `first` become '_'. */
static void add_printable(struct cfs_buf *b, const char *s, unsigned char first)
{
	for (; *s != '\0'; s++)
		cfs_buf_addc(b, (unsigned char)*s < first || *s == 0x7f ? '_' :
			     (uint8_t)*s);
}

static void make_warcinfo(const struct cfs_copy *c, const char *name,
			  struct cfs_buf *body, struct cfs_buf *out)
{
	uint64_t id = cfs_hash64(cfs_slice_str(c->opts.output),
				 c->plan.sum ^ (uint64_t)c->opts.time);
	uint64_t more = cfs_hash64(cfs_slice_of(&id, sizeof(id)), 1);
	char t[CFS_TIME_ISO_BYTES];

	cfs_buf_adds(body, "software: crawlfs " PACKAGE_VERSION "\r\n"
		     "format: WARC File Format 1.0\r\n"
		     "description: records copied from ");
	add_printable(body, c->opts.described, ' ');
	cfs_buf_adds(body, "\r\n");
	cfs_buf_addf(out,
		     "WARC/1.0\r\nWARC-Type: warcinfo\r\n"
		     "WARC-Record-ID: <urn:uuid:%08" PRIx32
		     "-%04x-4%03x-%04x-%012" PRIx64 ">\r\n"
		     "WARC-Date: %s\r\n"
		     "WARC-Filename: %s\r\n"
		     "Content-Type: application/warc-fields\r\n"
		     "Content-Length: %zu\r\n\r\n",
		     (uint32_t)(id >> 32), (unsigned)(id >> 16 & 0xffff),
		     (unsigned)(id & 0xfff),
		     (unsigned)(more >> 48 & 0x3fff) | 0x8000u,
		     more & UINT64_C(0xffffffffffff),
		     cfs_time_format_iso(c->opts.time, t), name, body->n);
	cfs_buf_add(out, cfs_buf_slice(body));
	cfs_buf_adds(out, "\r\n\r\n");
}

/* Heritrix's lists of fields, as all software writes them. */
static void make_filedesc(const struct cfs_copy *c, bool is_arc2,
			  const char *name, struct cfs_buf *body,
			  struct cfs_buf *out)
{
	char t[CFS_TIME_14_BYTES];

	cfs_time_format_14(c->opts.time, t);
	cfs_buf_adds(
		body,
		is_arc2 ?
			"2 0 crawlfs\nURL IP-address Archive-date Content-type Result-code "
			"Checksum Location Offset Filename Archive-length\n" :
			"1 0 crawlfs\nURL IP-address Archive-date Content-type "
			"Archive-length\n");
	cfs_buf_addf(out, "filedesc://%s 0.0.0.0 %s text/plain ", name, t);
	if (is_arc2)
		cfs_buf_addf(out, "200 - - 0 %s ", name);
	cfs_buf_addf(out, "%zu\n", body->n);
	cfs_buf_add(out, cfs_buf_slice(body));
	cfs_buf_addc(out, '\n');
}

/* Appends the beginning of the output: its dictionary, or the header of a
 * WACZ's archive, and as one member its own first record, which describes the
 * copy.  The same copy gets the same bytes. */
static int make_first(const struct cfs_copy *c, bool is_arc2,
		      struct cfs_buf *out, struct cfs_error *err)
{
	const char *slash = strrchr(c->opts.output, '/');
	const char *file = slash != NULL ? slash + 1 : c->opts.output;
	CFS_BUF(plain, 1 << 17);
	CFS_BUF(body, 1 << 16);
	CFS_BUF(name, 1 << 13);
	int rc;

	add_printable(&name, c->opts.is_wacz ? CFS_COPYWACZ_ARCHIVE : file,
		      '!');
	if (c->opts.format == CFS_ARCHIVE_WARC)
		make_warcinfo(c, cfs_buf_str(&name), &body, &plain);
	else
		make_filedesc(c, is_arc2, cfs_buf_str(&name), &body, &plain);
	rc = name.failed != CFS_OK ? name.failed : body.failed;
	if (rc == CFS_OK)
		rc = plain.failed;
	if (c->opts.is_wacz)
		cfs_copywacz_add_lead(out, c->opts.time);
	cfs_buf_add(out, cfs_zst_dict_frame(c->dict));
	rc = rc != CFS_OK ? cfs_error_set(err, rc, "out of memory") :
	     cfs_member_compress(c->opts.coding, cfs_buf_slice(&plain), c->dict,
				 out, err);
	return rc;
}

/* ---- writing ---------------------------------------------------------- */

static void copy_show(void *arg)
{
	struct cfs_copy *c = arg;
	struct cfs_progress p = {
		.bytes_done = atomic_load(&c->shown_bytes),
		.bytes_total = c->plan.bytes,
		.captures = atomic_load(&c->shown_records) };

	if (p.bytes_done > p.bytes_total)
		p.bytes_done = p.bytes_total;
	if (c->opts.progress != NULL)
		c->opts.progress(c->opts.arg, &p);
}

static int write_first(struct cfs_copy *c, bool is_arc2, struct cfs_error *err)
{
	CFS_BUF(member, (1 << 18) + 2 * CFS_ZST_DICT_MAX);
	int rc = make_first(c, is_arc2, &member, err);

	if (rc == CFS_OK)
		rc = cfs_copyfile_add(c->file, cfs_buf_slice(&member), 0, 0,
				      err);
	c->at += member.n;
	c->has_first = rc == CFS_OK;
	return rc;
}

/* Adds a stretch's captures to the index; an odd stretch makes that useless. */
static int index_stretch(struct cfs_copy *c, const struct cfs_copy_stretch *s,
			 struct cfs_error *err)
{
	if (s->is_odd) {
		cfs_copyindex_free(c->ix);
		c->ix = NULL;
	}
	return c->ix == NULL ? CFS_OK :
	       cfs_copyindex_add(c->ix, s, c->at, err);
}

static int write_stretch(void *arg, struct cfs_ordered_job *job, void *worker,
			 struct cfs_error *err)
{
	struct cfs_copy *c = arg;
	struct cfs_copy_stretch *s = (struct cfs_copy_stretch *)job;
	int rc = CFS_OK;

	(void)worker;
	if (s->rc != CFS_OK)
		return cfs_error_pass(err, &s->error, s->rc);
	if (cfs_cancelled(c->opts.cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	if (s->n_ends > 0 && !c->has_first)
		rc = write_first(c, s->is_arc2, err);
	if (rc == CFS_OK && c->dedup != NULL)
		rc = cfs_copy_dedup_replace(c->dedup, &c->reader, s,
					    &c->report.revisits, err);
	if (rc == CFS_OK)
		rc = check_bytes(c, c->at + s->out.n, err);
	if (rc == CFS_OK)
		rc = index_stretch(c, s, err);
	if (rc == CFS_OK)
		rc = cfs_copyfile_add(c->file, cfs_buf_slice(&s->out), s->n,
				      s->written, err);
	if (rc != CFS_OK)
		return rc;
	c->at += s->out.n;
	for (size_t i = 0; i < s->n; i++)
		c->done_bytes += cfs_copy_span_bytes(&s->items[i].span);
	c->done_items += s->n;
	c->report.records += s->written;
	c->misnamed += s->misnamed;
	atomic_store(&c->shown_bytes, c->done_bytes);
	atomic_store(&c->shown_records, c->report.records);
	return CFS_OK;
}

static const struct cfs_ordered_ops copy_ops = {
	.plan = plan_stretch, .work = read_stretch,
	.settle = write_stretch, .free_job = free_stretch,
	.worker_new = scratch_new, .worker_free = scratch_free,
	.show = copy_show
};

/* ---- the index beside it, so that it can be mounted at once ------------ */

static void on_merged(void *arg, uint64_t done, uint64_t total)
{
	const struct cfs_copy *c = arg;
	struct cfs_progress p = {
		.bytes_done = c->plan.bytes, .bytes_total = c->plan.bytes,
		.captures = c->report.records,
		.merged = done, .merge_total = total };

	if (c->opts.progress != NULL)
		c->opts.progress(c->opts.arg, &p);
}

/* Builds the index by reading the whole copy, if there is to be one. */
static int index_file(struct cfs_copy *c, struct cfs_error *err)
{
	struct cfs_indexer_report report = { .files = 0 };
	struct cfs_indexer_opts io = {
		.inputs = &c->opts.output, .n_inputs = 1,
		.output = c->index_path, .format = CFS_INDEX_CFX,
		.max_record_bytes = c->opts.max_record_bytes,
		.no_joins = true,	/* like an index built while copying */
		.cancel = c->opts.cancel, .progress = c->opts.progress,
		.arg = c->opts.arg,
	};
	struct stat st;

	if (stat(c->opts.output, &st) == 0)
		c->report.bytes = (uint64_t)st.st_size;
	return c->opts.no_index ? CFS_OK : cfs_indexer_run(&io, &report, err);
}

/* ---- the whole copy --------------------------------------------------- */

static int check_work(const struct cfs_copy *c, struct cfs_error *err)
{
	bool to_warc = c->opts.format == CFS_ARCHIVE_WARC;
	const char *kind = to_warc ? "WARC record" : "ARC record";
	const char *other = to_warc ? "ARC record" : "WARC record";
	const char *way = to_warc ? ", and --convert makes WARC records of all" :
				    "";
	char fit[CFS_TEXT_COUNT_BYTES], misfit[CFS_TEXT_COUNT_BYTES];

	cfs_text_count(c->plan.items, kind, fit);
	cfs_text_count(c->report.other, other, misfit);
	if (c->plan.items == 0 && c->report.other == 0)
		return cfs_error_set(err, CFS_ENOTFOUND,
				     "there is nothing to copy");
	if (c->plan.items == 0)
		return cfs_error_set(err, CFS_EUNSUPPORTED,
			"nothing but %s: copy to a name ending in %s%s", misfit,
			to_warc ? ".arc.gz" : ".warc.gz", way);
	if (c->report.other > 0 && !c->opts.skip_other)
		return cfs_error_set(
			err, CFS_EUNSUPPORTED,
			"%s and %s: one archive cannot hold both (--skip-other leaves out those that do not fit its name%s)",
			fit, misfit, way);
	return CFS_OK;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* CFS_EUSAGE if the copy or its index would replace the source's file; archives
 * are checked when they are read. */
static int guard_source(struct cfs_copy *c, struct cfs_error *err)
{
	if (snprintf(c->index_path, PATH_MAX, "%s.cfx", c->opts.output) >=
	    PATH_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "'%s' is too long for a "
				     "name", c->opts.output);
	if (stat(c->opts.output, &c->old) == 0)
		c->reader.replaced = &c->old;
	return c->opts.source != NULL &&
	       (is_same_file(c->opts.source, c->opts.output) ||
		is_same_file(c->opts.source, c->index_path)) ?
	       cfs_error_set(err, CFS_EUSAGE, "'%s' would be replaced, and is "
			     "what is copied", c->opts.source) : CFS_OK;
}

static uint64_t left(uint64_t all, uint64_t done)
{
	return done < all ? all - done : 0;
}

/* CFS_EIO or a warning if there is no room for the rest.  Another process may
 * use it up later; the check only avoids wasting hours. */
static int check_room(struct cfs_copy *c, struct cfs_error *err)
{
	uint64_t items = left(c->plan.items, c->mark.items);
	uint64_t need = left(c->plan.bytes, c->mark.bytes);
	char path[PATH_MAX], text[200];
	const char *dir;
	struct statvfs v;
	double has;

	if (c->opts.convert)
		need += items * ROOM_CONVERTED;
	if (c->opts.is_wacz)
		need += items * ROOM_WACZ;
	need += items * ROOM_RECORD + ROOM_MORE;
	snprintf(path, sizeof(path), "%s", c->opts.output);
	dir = dirname(path);
	if (statvfs(dir, &v) != 0 || v.f_blocks == 0)
		return CFS_OK;
	has = (double)v.f_bavail * (double)v.f_frsize;
	if (has >= (double)need)
		return CFS_OK;
	snprintf(text, sizeof(text), "'%.100s' has room for %.1f MB, the copy "
		 "needs %.1f MB", dir, has / 1e6, (double)need / 1e6);
	if (c->opts.must_have_room) {
		c->report.has_no_room = true;
		return cfs_error_set(err, CFS_EIO, "%s", text);
	}
	cfs_log(CFS_LOG_WARNING, "%s", text);
	return CFS_OK;
}

/* Reports progress of the work, in whatever unit, as that of records. */
static void on_completed(void *arg, uint64_t done, uint64_t total)
{
	const struct cfs_copy *c = arg;
	double fraction = total > 0 ? (double)done / (double)total : 1;

	on_merged(arg, (uint64_t)(fraction * (double)c->report.records),
		  c->report.records);
}

/* Writes what comes behind the archive of a WACZ. */
static int complete_wacz(struct cfs_copy *c, struct cfs_error *err)
{
	struct cfs_copywacz_part part;
	char path[PATH_MAX];
	uint64_t bytes;
	int rc = cfs_copyfile_lend(c->file, &part.fd, &part.path, &part.end,
				   err);

	snprintf(path, sizeof(path), "%s", c->opts.output);
	part.tmp_dir = dirname(path);
	if (rc == CFS_OK)
		rc = cfs_copywacz_complete(&c->opts, &part, on_completed, c,
					   &bytes, err);
	return rc == CFS_OK ? cfs_copyfile_seal(c->file, bytes, err) : rc;
}

struct learning {
	struct cfs_copy_dedup *dedup;
	struct cfs_buf list;		/* of one record */
	struct cfs_error *err;
};

static int learn_record(void *arg, const struct cfs_scan_item *item)
{
	struct learning *l = arg;
	int rc;

	cfs_buf_reset(&l->list);
	rc = cfs_copy_payload_note(&l->list, item, 0, false, l->err);
	return rc != CFS_OK ? rc :
	       cfs_copy_dedup_learn(l->dedup, cfs_buf_slice(&l->list), l->err);
}

/* Learns the payloads that an earlier run has written. */
static int learn_written(struct cfs_copy *c, const char *path,
			 struct cfs_error *err)
{
	struct learning l = { .dedup = c->dedup, .err = err };
	struct cfs_scan_opts so = { .cancel = c->opts.cancel, .arg = &l,
		.dict = c->dict,
		.max_record_bytes = c->opts.max_record_bytes };
	size_t lead = c->opts.is_wacz ? cfs_copywacz_lead_bytes() : 0;
	struct cfs_scan_counts counts;
	struct cfs_source *src;
	int rc = cfs_source_open_file(&src, path, err);

	cfs_buf_init(&l.list, SIZE_MAX / 2);
	if (rc == CFS_OK)
		rc = cfs_source_open_window(&src, src, lead,
					    c->mark.bytes - lead, path, err);
	if (rc == CFS_OK) {
		rc = cfs_scan_archive(src, &so, learn_record, &counts, err);
		cfs_source_close(src);
	}
	cfs_buf_release(&l.list);
	return rc;
}

/* Makes the table of payloads, if equal records become revisits. */
static int begin_dedup(struct cfs_copy *c, struct cfs_error *err)
{
	char dir[PATH_MAX];
	const char *path;
	uint64_t bytes;
	int fd, rc;

	if (!c->opts.dedup_revisit)
		return CFS_OK;
	snprintf(dir, sizeof(dir), "%s", c->opts.output);
	rc = cfs_copy_dedup_new(&c->dedup, dirname(dir), err);
	if (rc == CFS_OK && c->mark.bytes > 0)
		rc = cfs_copyfile_lend(c->file, &fd, &path, &bytes, err);
	return rc == CFS_OK && c->mark.bytes > 0 ?
	       learn_written(c, path, err) : rc;
}

static int copy_records(struct cfs_copy *c, struct cfs_error *err)
{
	int rc = check_room(c, err);

	/* only if begun with the first record: the index needs all captures,
	 * and of those written by an earlier run only the bytes are known */
	if (rc == CFS_OK)
		rc = begin_dedup(c, err);
	if (rc == CFS_OK && c->mark.items == 0 && !c->opts.is_wacz &&
	    !c->opts.dedup_revisit && !c->opts.no_index)
		rc = cfs_copyindex_new(&c->ix, &c->opts, c->index_path,
				       on_merged, c, err);
	if (rc != CFS_OK)
		return rc;
	c->done_items = c->mark.items;
	c->report.records = c->report.resumed = c->mark.written;
	c->has_first = c->mark.bytes > 0;
	c->at = c->mark.bytes;
	rc = cfs_copy_plan_begin(&c->plan, c->mark.items, &c->done_bytes,
				 CFS_CTX(c->opts.cancel, err));
	if (rc != CFS_OK)
		return rc;
	rc = cfs_ordered_run(&c->run, err);
	if (c->misnamed > 0)
		cfs_log(CFS_LOG_WARNING, "%" PRIu64 " captures are left out: "
			"the record at their place is another page's",
			c->misnamed);
	c->report.damaged = c->done_items - c->report.records + c->misnamed;
	if (rc == CFS_EUSAGE) {		/* repeating it would fail, too */
		cfs_copyfile_forget(c->file);
		c->report.records = 0;
	}
	if (rc != CFS_OK)
		return rc;
	if (c->report.records == 0) {
		cfs_copyfile_forget(c->file);
		return cfs_error_set(err, CFS_ENOTFOUND,
			"not one record could be read, of %" PRIu64,
			c->done_items);
	}
	return c->opts.is_wacz ? complete_wacz(c, err) : CFS_OK;
}

/* Gets the dictionary for the output.  An unreadable archive has none: its
 * records will be reported. */
static int find_dict(struct cfs_copy *c, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (c->opts.coding != CFS_CODING_ZSTD)
		return CFS_OK;
	rc = cfs_store_dict(c->opts.store,
			    cfs_buf_slice(&c->plan.first_archive), &c->dict,
			    CFS_CTX(c->opts.cancel, &e));
	c->reader.dict = c->dict;
	return rc == CFS_EFORMAT || rc == CFS_ELIMIT || rc == CFS_ENOTFOUND ||
	       rc == CFS_EACCESS ? CFS_OK : cfs_error_pass(err, &e, rc);
}

/* Fills in what the plan knows once all of it was planned. */
static void report_plan(struct cfs_copy *c)
{
	memcpy(c->report.by_role, c->plan.by_role, sizeof(c->plan.by_role));
	c->report.pairs = c->plan.pairs;
}

/* Differs for copies that this command line must not resume. */
static uint64_t fingerprint(const struct cfs_copy *c)
{
	uint64_t parts[7] = { c->plan.sum, c->plan.items,
		(uint64_t)c->opts.format | (uint64_t)c->opts.coding << 8 |
			(uint64_t)c->opts.convert << 16 |
			(uint64_t)c->opts.is_wacz << 17 |
			(uint64_t)c->opts.captures_only << 18 |
			(uint64_t)c->opts.dedup_revisit << 19,
		c->report.other, c->opts.keep_going, c->opts.place,
		cfs_hash64(cfs_zst_dict_frame(c->dict), 0) };

	return cfs_hash64(cfs_slice_of(parts, sizeof(parts)), 0);
}

int cfs_copy_run(struct cfs_copy *c, struct cfs_copy_report *report,
		 struct cfs_error *err)
{
	struct cfs_copyfile_opts fo = {
		.path = c->opts.output, .force = c->opts.force,
		.lead_bytes = c->opts.is_wacz ? cfs_copywacz_lead_bytes() : 0,
		.cancel = c->opts.cancel };
	int64_t from_ms = cfs_monotonic_ms();
	bool is_whole = false, is_done;
	int rc = check_work(c, err);

	if (rc == CFS_OK)
		rc = find_dict(c, err);
	fo.fingerprint = fingerprint(c);
	if (rc == CFS_OK)
		rc = guard_source(c, err);
	if (rc == CFS_OK)
		rc = cfs_copyfile_open(&c->file, &fo, &c->mark, &is_whole, err);
	is_done = is_whole || c->mark.is_sealed;
	if (rc == CFS_OK && !is_done)
		rc = copy_records(c, err);
	if (rc == CFS_OK && !is_whole)
		rc = cfs_copyfile_finish(c->file, err);
	if (rc == CFS_OK && is_done)
		rc = cfs_copy_plan_begin(&c->plan, c->mark.items,
					 &c->done_bytes,
					 CFS_CTX(c->opts.cancel, err));
	if (rc == CFS_OK && is_done) {
		c->report.records = c->report.resumed = c->mark.written;
		c->report.damaged = c->mark.items - c->mark.written;
	}
	if (rc == CFS_OK)
		rc = c->ix == NULL ? index_file(c, err) :
		     cfs_copyindex_finish(c->ix, &c->report.bytes, err);
	if (rc == CFS_OK && c->opts.deliver != NULL)
		rc = c->opts.deliver(c->opts.deliver_arg, err);
	if (rc == CFS_OK)
		cfs_copyfile_forget(c->file);
	report_plan(c);
	c->report.seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	if (rc != CFS_OK && !cfs_copyfile_leave(c->file))
		c->report.records = 0;
	*report = c->report;
	cfs_copyfile_close(c->file);
	c->file = NULL;
	cfs_copyindex_free(c->ix);
	c->ix = NULL;
	return rc;
}

int cfs_copy_new(struct cfs_copy **out, const struct cfs_copy_opts *opts,
		 struct cfs_error *err)
{
	struct cfs_copy *c = calloc(1, sizeof(*c));
	char path[PATH_MAX];
	int rc;

	*out = NULL;
	if (c == NULL)
		return cfs_error_nomem(err);
	c->opts = *opts;
	if (c->opts.parallel == 0 || c->opts.parallel > CFS_COPY_PARALLEL_MAX)
		c->opts.parallel = opts->parallel ? CFS_COPY_PARALLEL_MAX : 1;
	c->run = (struct cfs_ordered){ .ops = &copy_ops, .arg = c,
		.threads = c->opts.parallel, .bytes_max = AHEAD_BYTES,
		.outer = c->opts.cancel };
	cfs_ordered_init(&c->run);
	cfs_copy_leads_init(&c->leads, c->opts.store);
	cfs_copy_reader_init(&c->reader, &c->opts, &c->run.cancel);
	snprintf(path, sizeof(path), "%s", opts->output);
	rc = cfs_copy_plan_init(&c->plan, dirname(path), c->opts.is_remote,
				CFS_CTX(opts->cancel, err));
	if (rc != CFS_OK) {
		cfs_copy_free(c);
		return rc;
	}
	*out = c;
	return CFS_OK;
}

void cfs_copy_free(struct cfs_copy *c)
{
	if (c == NULL)
		return;
	cfs_copyfile_close(c->file);
	cfs_copyindex_free(c->ix);
	cfs_copy_dedup_free(c->dedup);
	cfs_zst_dict_put(c->dict);
	cfs_copy_plan_release(&c->plan);
	cfs_copy_leads_release(&c->leads);
	cfs_copy_reader_release(&c->reader);
	cfs_ordered_release(&c->run);
	free(c);
}
