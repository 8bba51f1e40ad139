/* selection_rows.c - stores the rows of selections.
 *
 * A row in the temporary file:
 *
 *      varints: table, line, archive, offset, length, time (zigzag), status
 *      varint and bytes: URL, MIME type, digest, notes
 *
 * Rows are in runs of some RUN_BYTES, each of which can be read by itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "selection_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/log.h"
#include "format/cdx/cdx_line.h"
#include "format/cfx/cfx_damage.h"
#include "net/location.h"
#include "net/reach.h"

#define RUN_BYTES ((size_t)1 << 20)
/* Bytes of one row: URL, notes and the other fields. */
#define ROW_MAX (CFS_URL_MAX + CFS_NOTES_MAX + 4096u)
/* Runs of 2^40 bytes, and more tables than a folder has files. */
#define RUNS_MAX ((size_t)1 << 20)
#define TABLES_MAX ((size_t)1 << 24)

struct row_run {
	uint64_t off;
	size_t n;
};

/* So many places of damage are kept of a table, of so many bytes. */
#define TOLD_MAX CFS_CFX_DAMAGE_PLACES
#define TOLD_BYTES 160u
#define TOLD_NAME_MAX 64	/* of them the table's name, so that the place
				 * is there, too */

struct row_table {
	char *name;			/* owned */
	const char *unit;		/* name of a row in messages */
	uint64_t damages;
	struct cfs_buf told;		/* the first ones, each with its NUL */
	uint32_t archive;		/* of the first row */
	bool has_row;
};

struct cfs_selection_rows {
	struct cfs_strtab *names;	/* borrowed, like the next one */
	const char *tmp_dir;
	struct cfs_buf base;		/* ends with one '/' */
	struct cfs_buf home;		/* the base without it, until
					 * is_elsewhere */
	bool is_elsewhere;		/* home is the root of another server */
	int fd;				/* -1: nothing was written */
	struct cfs_selection_scratch scratch;
	struct cfs_buf rows, name;	/* the run being filled; scratch */
	struct row_run *runs;
	struct row_table *tables;
	size_t n_runs, runs_room, tables_room;
	uint64_t bytes;			/* written */
	bool is_damaged;		/* the current table */
	atomic_uint logged;		/* damages of it */
	bool has_doubt;			/* a doubt about the current table was
					 * logged */
	struct cfs_selection_counts counts;
};

int cfs_selection_rows_new(struct cfs_selection_rows **out,
			   struct cfs_strtab *names, const char *base,
			   const char *tmp_dir, struct cfs_error *err)
{
	struct cfs_selection_rows *r = calloc(1, sizeof(*r));
	int rc;

	*out = NULL;
	if (r == NULL)
		return cfs_error_nomem(err);
	r->names = names;
	r->tmp_dir = tmp_dir;
	r->fd = -1;
	cfs_selection_scratch_init(&r->scratch);
	cfs_buf_init(&r->base, CFS_LOCATION_MAX);
	cfs_buf_init(&r->home, CFS_CFX_HOME_MAX);
	cfs_buf_init(&r->rows, RUN_BYTES + ROW_MAX);
	cfs_buf_init(&r->name, 4 * CFS_LOCATION_MAX);
	base = base != NULL ? base : CFS_COMMON_CRAWL_URL;
	rc = cfs_buf_adds(&r->home, base);
	while (r->home.n > 1 && r->home.p[r->home.n - 1] == '/')
		r->home.n--;
	cfs_buf_add(&r->base, cfs_buf_slice(&r->home));
	if (rc == CFS_OK)
		rc = cfs_buf_addc(&r->base, '/');
	if (rc == CFS_OK) {
		*out = r;
		return CFS_OK;
	}
	cfs_selection_rows_free(r);
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) :
	       cfs_error_set(err, rc, "'%.80s...' is too long", base);
}

void cfs_selection_rows_free(struct cfs_selection_rows *r)
{
	if (r == NULL)
		return;
	if (r->fd >= 0)
		close(r->fd);
	cfs_selection_scratch_release(&r->scratch);
	cfs_buf_release(&r->base);
	cfs_buf_release(&r->home);
	cfs_buf_release(&r->rows);
	cfs_buf_release(&r->name);
	for (size_t i = 0; i < r->counts.tables; i++) {
		free(r->tables[i].name);
		cfs_buf_release(&r->tables[i].told);
	}
	free(r->tables);
	free(r->runs);
	free(r);
}

/* ---- names ---- */

/* Passes on to the name that a buffer ran out of memory. */
static void note_memory(struct cfs_selection_rows *r, const struct cfs_buf *b)
{
	if (b->failed == CFS_ENOMEM)
		r->name.failed = CFS_ENOMEM;
}

/* Splits a URL outside Common Crawl into its server, "https://host:port", and
 * what follows its '/'. */
static void split_url(const struct cfs_location *l, struct cfs_buf *root,
		      struct cfs_slice *rest)
{
	static const char *const schemes[] = { "http", "https", "s3" };

	cfs_buf_reset(root);
	cfs_buf_addf(root, "%s://", schemes[l->scheme]);
	cfs_buf_add_lower(root, l->host);
	if (l->port.n > 0)
		cfs_buf_addc(root, ':');
	cfs_buf_add(root, l->port);
	*rest = cfs_slice_from(l->path, l->path.n > 0);
}

/* Makes the name of an archive on another server than Common Crawl's.  Relative
 * names lead to one place only, so all must be on the server of the first
 * row. */
static const char *name_elsewhere(struct cfs_selection_rows *r,
				  const struct cfs_location *l)
{
	struct cfs_slice rest;
	CFS_BUF(root, CFS_CFX_HOME_MAX);
	bool fits;

	split_url(l, &root, &rest);
	if (root.failed == CFS_OK && r->counts.rows == 0) {
		cfs_buf_reset(&r->home);
		cfs_buf_add(&r->home, cfs_buf_slice(&root));
		r->is_elsewhere = true;
	}
	fits = root.failed == CFS_OK && r->is_elsewhere &&
	       cfs_slice_eq(cfs_buf_slice(&root), cfs_buf_slice(&r->home));
	note_memory(r, &root);
	note_memory(r, &r->home);
	if (!fits)
		return "its archive is on another server than those before";
	if (l->scheme == CFS_LOC_S3)
		cfs_buf_add(&r->name, rest);
	else
		cfs_location_name(&r->name, rest);
	return NULL;
}

static const char *name_of_url(struct cfs_selection_rows *r,
			       struct cfs_slice url)
{
	struct cfs_slice base = cfs_buf_slice(&r->base);
	const char *table = r->counts.tables == 0 ? "" :
			    r->tables[r->counts.tables - 1].name;
	struct cfs_location l;
	CFS_BUF(key, 4 * CFS_LOCATION_MAX);
	CFS_BUF(text, CFS_LOCATION_MAX + 1);
	const char *why = NULL;

	/* The user gave the base, so it is not checked. */
	if (cfs_slice_starts(url, base) && !r->is_elsewhere) {
		cfs_location_name(&r->name, cfs_slice_from(url, base.n));
		return NULL;
	}
	cfs_buf_add(&text, url);
	if (text.failed != CFS_OK ||
	    cfs_location_parse(&l, cfs_buf_str(&text), NULL) != CFS_OK)
		why = "its archive's URL is not usable";
	else if (cfs_reach_refusal(table, cfs_buf_str(&text)) != NULL)
		why = "its archive is where the selection may not lead to "
		      "(--allow-host=HOST allows it)";
	else if (!cfs_location_common_crawl(&l, &key))
		why = name_elsewhere(r, &l);
	else if (r->is_elsewhere)
		why = "its archive is on another server than those before";
	else
		cfs_location_name(&r->name, cfs_buf_slice(&key));
	note_memory(r, &text);
	note_memory(r, &key);
	return why;
}

/* Makes the name of an archive relative to the home, with its NUL, in r->name.
 * NULL, or why that is not possible. */
static const char *selection_rows_name_of(struct cfs_selection_rows *r,
					  struct cfs_slice archive)
{
	const char *why = NULL;

	cfs_buf_reset(&r->name);
	r->name.failed = CFS_OK;
	if (cfs_slice_search(cfs_slice_sub(archive, 0, 16),
			     CFS_SLICE_LIT("://")) > 0)
		why = name_of_url(r, archive);
	else if (r->is_elsewhere)
		why = "its archive has a name, those before have URLs";
	else
		cfs_buf_add(&r->name, cfs_cdx_tidy_name(archive));
	if (why == NULL && (r->name.failed != CFS_OK ||
			    !cfs_name_stays_below(cfs_buf_slice(&r->name))))
		why = "its archive's name is not usable";
	cfs_buf_addc(&r->name, '\0');
	return why;
}

/* ---- storing ---- */

int cfs_selection_rows_begin(struct cfs_selection_rows *r, const char *where,
			     const char *unit, struct cfs_error *err)
{
	char *copy = strdup(where);

	if (copy == NULL ||
	    cfs_array_reserve((void **)&r->tables, &r->tables_room,
			      (size_t)r->counts.tables + 1,
			      sizeof(*r->tables), TABLES_MAX) != CFS_OK) {
		free(copy);
		return cfs_error_nomem(err);
	}
	r->tables[r->counts.tables] = (struct row_table){
		.name = copy, .unit = unit };
	cfs_buf_init(&r->tables[r->counts.tables++].told,
		     TOLD_MAX * TOLD_BYTES);
	r->is_damaged = false;
	atomic_store(&r->logged, 0);
	r->has_doubt = false;
	return CFS_OK;
}

static struct row_table *last_table(const struct cfs_selection_rows *r)
{
	return &r->tables[r->counts.tables - 1];
}

/* Keeps a place of damage of the table, without its folder, and without the
 * query of a URL, which may be secret. */
static void keep_told(struct row_table *t, uint64_t line, const char *why)
{
	struct cfs_slice name = cfs_slice_str(t->name);
	const char *slash = strrchr(t->name, '/');
	char text[TOLD_BYTES];

	if (cfs_location_is_url(t->name))
		name = cfs_slice_split(&name, '?');
	if (slash != NULL && slash < t->name + name.n)
		name = cfs_slice_from(name, (size_t)(slash + 1 - t->name));
	name = cfs_slice_sub(name, 0, TOLD_NAME_MAX);
	if (line == 0)
		snprintf(text, sizeof(text), "%.*s: %s", (int)name.n,
			 (const char *)name.p, why);
	else
		snprintf(text, sizeof(text), "%.*s: %s %" PRIu64 ": %s",
			 (int)name.n, (const char *)name.p, t->unit, line, why);
	if (t->damages++ < TOLD_MAX)
		cfs_buf_append(&t->told, text, strlen(text) + 1);
}

int cfs_selection_rows_tell(const struct cfs_selection_rows *r,
			    cfs_selection_tell *each, void *arg)
{
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < r->counts.tables; i++) {
		const struct row_table *t = &r->tables[i];
		struct cfs_slice rest = cfs_buf_slice(&t->told);
		uint64_t left = t->damages;
		uint32_t archive = t->has_row ? t->archive :
						CFS_SELECTION_NO_ARCHIVE;

		rc = t->told.failed;
		for (; rc == CFS_OK && rest.n > 0; left--)
			rc = each(arg, archive, (const char *)
				  cfs_slice_split(&rest, 0).p, 1);
		if (rc == CFS_OK && left > 0)
			rc = each(arg, archive, NULL, left);
	}
	return rc;
}

void cfs_selection_rows_damaged(struct cfs_selection_rows *r, uint64_t line,
				const char *why)
{
	struct row_table *t = last_table(r);

	keep_told(t, line, why);
	r->counts.damages++;
	r->counts.tables_damaged += !r->is_damaged;
	r->is_damaged = true;
	if (line == 0)
		cfs_log(CFS_LOG_WARNING, "%s: %s", t->name, why);
	else if (cfs_log_has_room(&r->logged, t->name, "more of it is damaged"))
		cfs_log(CFS_LOG_WARNING, "%s: %s %" PRIu64 ": %s", t->name,
			t->unit, line, why);
}

static int write_run(struct cfs_selection_rows *r, struct cfs_error *err)
{
	if (r->rows.n == 0)
		return CFS_OK;
	if (r->fd < 0)
		r->fd = cfs_temp_file(r->tmp_dir);
	if (r->fd < 0 || cfs_write_at(r->fd, r->rows.p, r->rows.n, r->bytes) <
				 r->rows.n)
		return cfs_error_at(err, CFS_EIO, r->tmp_dir, 0,
				    "temporary file: %s", strerror(errno));
	if (cfs_array_reserve((void **)&r->runs, &r->runs_room, r->n_runs + 1,
			      sizeof(*r->runs), RUNS_MAX) != CFS_OK)
		return cfs_error_set(err, CFS_ELIMIT, "too many rows");
	r->runs[r->n_runs++] = (struct row_run){ r->bytes, r->rows.n };
	r->bytes += r->rows.n;
	cfs_buf_reset(&r->rows);
	return CFS_OK;
}

static void put_row(struct cfs_selection_rows *r, uint32_t archive,
		    const struct cfs_selection_row *row, uint64_t line)
{
	struct cfs_buf *b = &r->rows;

	cfs_buf_varint(b, r->counts.tables - 1);
	cfs_buf_varint(b, line);
	cfs_buf_varint(b, archive);
	cfs_buf_varint(b, row->offset);
	cfs_buf_varint(b, row->length);
	cfs_buf_varint(b, (uint64_t)row->time << 1 ^
			  (uint64_t)(row->time >> 63));
	cfs_buf_varint(b, row->status);
	/* longer URLs stay too long */
	cfs_buf_text(b, cfs_slice_sub(row->url, 0, CFS_URL_MAX + 1));
	cfs_buf_text(b, cfs_slice_sub(row->mime, 0, CFS_CFX_MIME_MAX));
	cfs_buf_text(b, cfs_slice_sub(row->digest, 0, CFS_CFX_MIME_MAX));
	cfs_buf_text(b, cfs_slice_sub(row->notes, 0, CFS_NOTES_MAX));
}

int cfs_selection_rows_take(struct cfs_selection_rows *r,
			    const struct cfs_selection_cell *cells, size_t n,
			    uint64_t line, struct cfs_error *err)
{
	struct cfs_selection_row row;
	const char *why = NULL;
	uint32_t archive;
	int rc = cfs_selection_row_make(cells, n, &r->scratch, &row, &why);

	if (rc == CFS_OK)
		why = selection_rows_name_of(r, row.archive);
	if (r->name.failed == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (why != NULL) {
		cfs_selection_rows_damaged(r, line, why);
		return CFS_OK;
	}
	if (rc == CFS_OK)
		rc = cfs_strtab_add(r->names, cfs_buf_slice(&r->name),
				    &archive);
	if (rc != CFS_OK)
		return cfs_error_set(err, rc, rc == CFS_ELIMIT ?
				     "too many names of archives" :
				     "out of memory");
	if (row.doubt != NULL && !r->has_doubt)
		cfs_log(CFS_LOG_WARNING, "%s: %s %" PRIu64 ": %s; perhaps "
			"in more %ss", last_table(r)->name,
			last_table(r)->unit, line, row.doubt,
			last_table(r)->unit);
	r->has_doubt |= row.doubt != NULL;
	if (!last_table(r)->has_row)
		last_table(r)->archive = archive;
	last_table(r)->has_row = true;
	put_row(r, archive, &row, line);
	r->counts.rows++;
	r->counts.without_url += row.url.n == 0;
	if (r->rows.failed != CFS_OK)
		return cfs_error_nomem(err);
	return r->rows.n < RUN_BYTES ? CFS_OK : write_run(r, err);
}

int cfs_selection_rows_end(struct cfs_selection_rows *r, struct cfs_error *err)
{
	return write_run(r, err);
}

/* ---- reading ---- */

const struct cfs_selection_counts *
cfs_selection_rows_counts(const struct cfs_selection_rows *r)
{
	return &r->counts;
}

const char *cfs_selection_rows_home(struct cfs_selection_rows *r)
{
	return cfs_buf_str(&r->home);
}

size_t cfs_selection_rows_runs(const struct cfs_selection_rows *r)
{
	return r->n_runs;
}

static int selection_rows_read_rows(
	const struct cfs_selection_rows *r, struct cfs_slice run,
	int (*each)(void *arg, const struct cfs_selection_item *item),
	void *arg)
{
	struct cfs_cursor c = { run, false };
	int rc = CFS_OK;

	while (rc == CFS_OK && c.rest.n > 0) {
		struct cfs_selection_item item = { .line = 0 };
		struct cfs_selection_row *row = &item.row;
		uint64_t table = cfs_cursor_varint(&c), time;

		item.line = cfs_cursor_varint(&c);
		item.archive = (uint32_t)cfs_cursor_varint(&c);
		row->offset = cfs_cursor_varint(&c);
		row->length = cfs_cursor_varint(&c);
		time = cfs_cursor_varint(&c);
		row->time = (int64_t)(time >> 1 ^ (0 - (time & 1)));
		row->status = (uint16_t)cfs_cursor_varint(&c);
		row->url = cfs_cursor_text(&c);
		row->mime = cfs_cursor_text(&c);
		row->digest = cfs_cursor_text(&c);
		row->notes = cfs_cursor_text(&c);
		if (c.bad || table >= r->counts.tables)
			return CFS_EFORMAT;
		item.where = r->tables[table].name;
		item.unit = r->tables[table].unit;
		rc = each(arg, &item);
	}
	return rc;
}

int cfs_selection_rows_read(const struct cfs_selection_rows *r, size_t run,
			    int (*each)(void *arg,
					const struct cfs_selection_item *item),
			    void *arg, struct cfs_error *err)
{
	const struct row_run *at = &r->runs[run];
	uint8_t *p = malloc(at->n);
	int rc;

	if (p == NULL)
		return cfs_error_nomem(err);
	if (cfs_read_at(r->fd, p, at->n, at->off) < at->n)
		rc = cfs_error_at(err, CFS_EIO, r->tmp_dir, 0,
				  "temporary file is damaged");
	else
		rc = selection_rows_read_rows(r, cfs_slice_of(p, at->n), each,
					      arg);
	free(p);
	return rc;
}
