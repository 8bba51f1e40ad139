/* rows_box.c - rows that go to S3.
 *
 * An object has a field that says of which work it is (CFS_S3_MARK_FIELD).
 * A folder gets objects as export/out_folder.c names them: files of the whole
 * or of parts, a mark for each part that is complete, and _SUCCESS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "outbox.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "export/drives.h"
#include "net/open_location.h"
#include "net/s3.h"

/* Bytes of a mark that are compared: its first line, which has a hash of the
 * work. */
#define MARK_BYTES 96u

/* The objects that are there before an output is begun. */
struct objects {
	const struct cfs_rows_box *b;
	size_t key_n;			/* bytes of the folder's own key */
	uint32_t marks;			/* of parts that are complete */
	struct cfs_error *err;
};

int cfs_rows_box_check(const struct cfs_options *o, struct cfs_error *err)
{
	size_t n = o->output != NULL ? strlen(o->output) : 0;
	bool is_folder = n > 0 && o->output[n - 1] == '/';

	if (!cfs_outbox_is_s3(o->output))
		return o->tmp == NULL ? CFS_OK :
		       cfs_error_set(err, CFS_EUSAGE,
				     "--tmp goes with -o s3://...");
	if (o->force && is_folder)
		return cfs_error_set(err, CFS_EUSAGE, "-o s3://.../: no object "
				     "is removed there: leave --force out, and "
				     "choose another prefix");
	return CFS_OK;
}

/* ---- objects that are there ---------------------------------------------- */

/* Gets what the names of all files and marks of parts have. */
static void part_words(const struct cfs_rows_box *b, char out[32])
{
	snprintf(out, 32, "-of-%05" PRIu32, b->part.n);
}

/* Counts marks of parts; refuses an object that no process with another part
 * of the same folder has sent. */
static int on_object(void *arg, const struct cfs_s3_object *object)
{
	struct objects *o = arg;
	struct cfs_slice name = cfs_slice_from(object->key, o->key_n);
	char words[32];
	bool is_of_part;

	if (name.n == 0 || name.p[name.n - 1] == '/')
		return CFS_OK;		/* a folder, as some programs make */
	part_words(o->b, words);
	is_of_part = o->b->part.n > 0 &&
		     memmem(name.p, name.n, words, strlen(words)) != NULL;
	if (is_of_part && cfs_slice_starts(name, CFS_SLICE_LIT(CFS_ROWS_OUT_SUCCESS "-"))) {
		o->marks++;
		return CFS_OK;
	}
	if (is_of_part && cfs_slice_starts(name, CFS_SLICE_LIT("part-")))
		return CFS_OK;
	return cfs_error_set(o->err, CFS_EIO, "'%.180s' has objects already: "
			     "choose another prefix", o->b->url);
}

/* Lists the objects of the folder whose names begin with `start`. */
static int list(const struct cfs_rows_box *b, const char *start,
		uint32_t *marks, struct cfs_error *err)
{
	struct objects o = { .b = b, .err = err };
	struct cfs_location loc;
	char url[PATH_MAX];
	int rc;

	snprintf(url, sizeof(url), "%.3900s%s", b->url, start);
	rc = cfs_location_parse(&loc, url, err);
	if (rc != CFS_OK)
		return rc;
	o.key_n = loc.path.n - 1 - strlen(start);
	rc = cfs_s3_list(loc.host, cfs_slice_from(loc.path, 1), on_object, &o,
			 CFS_CTX(b->box.cancel, err));
	*marks = o.marks;
	return rc;
}

/* Fetches the mark of an output that is complete to where it would be on this
 * machine, which is then judged as any other.  CFS_ENOTFOUND: there is none. */
static int fetch_mark(const struct cfs_rows_box *b, struct cfs_ctx ctx)
{
	char url[PATH_MAX], path[PATH_MAX], text[MARK_BYTES];
	char name[CFS_ROWS_OUT_NAME_BYTES];
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_ctx asked = CFS_CTX(ctx.cancel, &e);
	struct cfs_source *src;
	size_t n = 0;
	int rc;

	cfs_rows_out_name(CFS_ROWS_OUT_SUCCESS, b->part, name);
	snprintf(url, sizeof(url), "%.3900s%s", b->url, name);
	snprintf(path, sizeof(path), "%.3900s/%s", b->local, name);
	rc = cfs_location_open(&src, url, ctx.err);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_source_find_size(src, asked);
	if (rc == CFS_OK) {
		n = src->size < sizeof(text) ? (size_t)src->size : sizeof(text);
		rc = cfs_source_read(src, text, n, 0, asked);
	}
	cfs_source_close(src);
	if (rc == CFS_ENOTFOUND)
		return rc;
	if (rc != CFS_OK)
		return cfs_error_pass(ctx.err, &e, rc);
	if (cfs_make_folders(b->local, 0700) != 0)
		return cfs_error_at(ctx.err, CFS_EIO, b->local, 0,
				    "cannot make this folder");
	return cfs_file_replace(path, cfs_slice_of(text, n), 0600, ctx.err);
}

/* ---- the box ------------------------------------------------------------- */

/* Refuses a folder that has objects, unless this machine began it, or they are
 * those of the same work and are to be skipped. */
static int check_folder(const struct cfs_rows_box *b,
			const struct cfs_options *o, struct cfs_ctx ctx)
{
	uint32_t marks;
	int rc = CFS_ENOTFOUND;

	if (o->skip_complete)
		rc = fetch_mark(b, ctx);
	if (rc != CFS_ENOTFOUND || b->is_begun)
		return rc == CFS_ENOTFOUND ? CFS_OK : rc;
	return list(b, "", &marks, ctx.err);
}

int cfs_rows_box_open(struct cfs_rows_box *b, const struct cfs_options *o,
		      const struct cfs_export_opts *x, struct cfs_part part,
		      struct cfs_ctx ctx)
{
	char journal[PATH_MAX], k[32] = "", name_of[CFS_ROWS_OUT_NAME_BYTES];
	const char *name;
	int rc;

	if (!cfs_outbox_is_s3(o->output))
		return CFS_OK;
	rc = cfs_outbox_open(&b->box, o->output, o, ctx);
	b->box.is_quiet = true;
	b->url = o->output;
	b->is_folder = x->file_bytes > 0;
	b->force = o->force;
	b->part = part;
	name = strrchr(o->output, '/') + 1;
	if (rc == CFS_OK && strlen(name) > CFS_OUTBOX_NAME_MAX)
		rc = cfs_error_set(ctx.err, CFS_EUSAGE, "'%.80s...' is too "
				   "long for a name", name);
	if (rc != CFS_OK)
		return rc;
	/* parts on one machine do not see one another's marks */
	if (part.n > 0)
		snprintf(k, sizeof(k), "-%" PRIu32 "-%" PRIu32, part.k, part.n);
	snprintf(b->local, sizeof(b->local), "%.3800s/%.200s%s", b->box.dir,
		 b->is_folder ? "rows" : name, k);
	if (b->is_folder)
		snprintf(journal, sizeof(journal), "%.4000s/%s", b->local,
			 cfs_rows_out_name(CFS_ROWS_OUT_JOURNAL, part,
					   name_of));
	else
		snprintf(journal, sizeof(journal), "%.4060s%s", b->local,
			 x->format->convert != NULL ? ".rows.journal" :
						      ".journal");
	b->is_begun = access(journal, F_OK) == 0;
	if (b->is_folder)
		return check_folder(b, o, ctx);
	return o->skip_complete ? CFS_OK :	/* see cfs_rows_box_mark */
	       cfs_outbox_check(&b->box, b->url, journal, ctx.err);
}

int cfs_rows_box_mark(struct cfs_rows_box *b, uint64_t state,
		      struct cfs_error *err)
{
	char found[CFS_S3_MARK_BYTES] = "";
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (b->is_folder)
		return CFS_OK;		/* its marks are files */
	snprintf(b->mark, sizeof(b->mark), "%016" PRIx64, state);
	if (!b->box.options->skip_complete)
		return CFS_OK;
	rc = cfs_s3_object_mark(b->url, found, CFS_CTX(b->box.cancel, &e));
	if (rc == CFS_OK && strcmp(found, b->mark) == 0)
		return CFS_END;
	if (rc == CFS_ENOTFOUND || (rc == CFS_EACCESS && b->force) ||
	    (rc == CFS_OK && (b->force || b->is_begun)))
		return CFS_OK;
	if (rc != CFS_OK)
		return cfs_error_pass(err, &e, rc);
	return cfs_error_set(err, CFS_EIO, "'%.180s' exists, and %s (--force "
			     "replaces it)", b->url, found[0] == '\0' ?
			     "nothing says which command has made it" :
			     "another command has made it");
}

/* Marks the folder as complete once all parts are; of two processes that are
 * the last at a time both may. */
static int send_whole(const struct cfs_rows_box *b, struct cfs_error *err)
{
	char path[PATH_MAX], url[PATH_MAX];
	uint32_t marks;
	int rc = list(b, CFS_ROWS_OUT_SUCCESS "-", &marks, err);

	if (rc != CFS_OK || marks < b->part.n)
		return rc;
	snprintf(path, sizeof(path), "%.4000s/_all", b->local);
	snprintf(url, sizeof(url), "%.4000s" CFS_ROWS_OUT_SUCCESS, b->url);
	rc = cfs_file_replace(path, CFS_SLICE_LIT(CFS_ROWS_OUT_ALL_PARTS),
			      0600, err);
	if (rc == CFS_OK)
		rc = cfs_outbox_send(&b->box, path, url, true, NULL, err);
	unlink(path);
	return rc;
}

int cfs_rows_box_send(void *arg, const char *path, const char *name,
		      struct cfs_error *err)
{
	const struct cfs_rows_box *b = arg;
	char url[PATH_MAX];
	int rc;

	if (snprintf(url, sizeof(url), "%s%s", b->url,
		     b->is_folder ? name : "") >= (int)sizeof(url))
		return cfs_error_set(err, CFS_EUSAGE, "the URL is too long");
	/* of a folder, only its own objects have such names */
	rc = cfs_outbox_send(&b->box, path, url, b->is_folder || b->force,
			     b->is_folder ? NULL : b->mark, err);
	if (rc == CFS_OK && b->part.n > 0 &&
	    strncmp(name, CFS_ROWS_OUT_SUCCESS,
		    sizeof(CFS_ROWS_OUT_SUCCESS) - 1) == 0)
		rc = send_whole(b, err);
	return rc;
}

void cfs_rows_box_close(struct cfs_rows_box *b)
{
	char path[PATH_MAX], name[CFS_ROWS_OUT_NAME_BYTES];

	if (b->local[0] == '\0')
		return;
	snprintf(path, sizeof(path), "%.3900s/%s", b->local,
		 cfs_rows_out_name(CFS_ROWS_OUT_SUCCESS, b->part, name));
	if (b->is_folder && unlink(path) == 0)
		rmdir(b->local);
	rmdir(b->box.dir);
}
