/* ops_xattr.c - GETXATTR and LISTXATTR: extended attributes of files.
 *
 * user.xdg.origin.url, user.mime_type and user.charset are names common on
 * desktops; the rest are ours (doc/tree.md, "Extended attributes").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/timestamp.h"
#include "crawl/content.h"
#include "crawl/entry.h"
#include "crawl/handles.h"
#include "crawl/list_max.h"

enum which {
	ORIGIN_URL, MIME_TYPE, CHARSET, TIMESTAMP, STATUS, DIGEST, ARCHIVE,
	OFFSET, LENGTH, SIZE_IS_EXACT, VIEW_FROM, COUNT
};

static const char *const names[COUNT] = {
	[ORIGIN_URL] = "user.xdg.origin.url",
	[MIME_TYPE] = "user.mime_type",
	[CHARSET] = "user.charset",
	[TIMESTAMP] = "user.crawlfs.timestamp",
	[STATUS] = "user.crawlfs.status",
	[DIGEST] = "user.crawlfs.digest",
	[ARCHIVE] = "user.crawlfs.archive",
	[OFFSET] = "user.crawlfs.offset",
	[LENGTH] = "user.crawlfs.length",
	[SIZE_IS_EXACT] = "user.crawlfs.size_is_exact",
	[VIEW_FROM] = "user.crawlfs.view_from",
};

static int from_record(const struct cfs_record *rec, enum which which,
		       struct cfs_buf *out)
{
	struct cfs_slice type, value = CFS_SLICE_EMPTY;
	ptrdiff_t at;

	switch (which) {
	case ORIGIN_URL:
		value = rec->url;
		break;
	case MIME_TYPE:
		value = rec->mime;
		break;
	case DIGEST:
		value = cfs_fields_get(&rec->warc, "WARC-Payload-Digest", NULL);
		break;
	case STATUS:
		if (rec->status == 0)
			return CFS_ENOTFOUND;
		return cfs_buf_addf(out, "%u", rec->status);
	case CHARSET:
		type = cfs_fields_get(&rec->http, "Content-Type", NULL);
		at = cfs_slice_search_nocase(type, CFS_SLICE_LIT("charset="));
		if (at >= 0)
			value = cfs_slice_from(type, (size_t)at + 8);
		at = cfs_slice_find(value, ';');
		if (at >= 0)
			value = cfs_slice_sub(value, 0, (size_t)at);
		break;
	default:
		break;
	}
	return value.n > 0 ? cfs_buf_add(out, value) : CFS_ENOTFOUND;
}

/* ---- views that are not the page itself ---- */

/* Does the attribute describe the view itself, not the page? */
static bool ops_xattr_is_of_view(const struct cfs_node *file, enum which which)
{
	return file->view != CFS_VIEW_RAW &&
	       (which == MIME_TYPE || which == CHARSET);
}

static bool has_of_view(const struct cfs_node *file, enum which which)
{
	const struct cfs_view_row *row = cfs_view_row(file->view);

	return (which == CHARSET ? row->charset : row->forms[0].type) != NULL;
}

static int from_view(struct cfs_req *r, const struct cfs_node *file,
		     enum which which, struct cfs_buf *out)
{
	struct cfs_crawl *c = r->fs->crawls[file->source];
	const struct cfs_view_row *row = cfs_view_row(file->view);
	struct cfs_suffix suffix;
	struct cfs_entry *e;
	int rc;

	if (!has_of_view(file, which))
		return CFS_ENOTFOUND;
	if (which == CHARSET)
		return cfs_buf_adds(out, row->charset);
	if (row->forms[1].type == NULL)		/* it has one form */
		return cfs_buf_adds(out, row->forms[0].type);
	e = cfs_entry_new(&r->err);
	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_read(c, file->pos, e, CFS_CTX(&r->cancel, &r->err));
	if (rc == CFS_OK)
		rc = cfs_entry_suffix(c, &e->cap, file->view, &suffix, &r->err);
	cfs_entry_free(e);
	return rc != CFS_OK ? rc :
	       cfs_buf_adds(out, row->forms[suffix.form].type);
}

/* ---- by attribute ---- */

static int from_entry(struct cfs_req *r, const struct cfs_node *file,
		      enum which which, struct cfs_buf *out)
{
	struct cfs_entry *e = cfs_entry_new(&r->err);
	char stamp[CFS_TIME_14_BYTES];
	int rc;

	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(r->fs->crawls[file->source], file->pos, e,
			    CFS_CTX(&r->cancel, &r->err));
	if (rc == CFS_OK && which == TIMESTAMP && e->cap.time == 0) {
		rc = CFS_ENOTFOUND;
	} else if (rc == CFS_OK && which == TIMESTAMP) {
		cfs_time_format_14(e->cap.time, stamp);
		rc = cfs_buf_adds(out, stamp);
	} else if (rc == CFS_OK && which == ARCHIVE) {
		rc = cfs_buf_adds(out, e->archive_text);
	} else if (rc == CFS_OK) {
		rc = cfs_buf_addf(out, "%" PRIu64, which == OFFSET ?
				  e->cap.loc.offset : e->cap.loc.length);
	}
	cfs_entry_free(e);
	return rc;
}

static int size_is_exact(struct cfs_req *r, const struct cfs_node *file,
			 struct cfs_buf *out)
{
	struct cfs_crawl *c = r->fs->crawls[file->source];
	bool exact, all = r->fs->sizes_are_exact;
	struct cfs_file_bytes bytes;
	struct cfs_file_info info;
	uint64_t size;
	int rc = cfs_file_info_get(c, file, &info,
				   CFS_CTX(&r->cancel, &r->err));

	exact = rc == CFS_OK &&
		(info.size_kind == CFS_SIZE_EXACT ||
		 cfs_handles_size(r->fs->handles, cfs_ino_of(file), !all,
				  &size));
	if (rc == CFS_OK && !exact && !all) {
		exact = info.size_kind == CFS_SIZE_LIKELY;
	} else if (rc == CFS_OK && !exact) {
		/* Load it, as stat does; if that fails the size stays
		 * an estimate. */
		exact = cfs_content_load(c, file, &r->fs->opts.view, &bytes,
					 CFS_CTX(&r->cancel, NULL)) == CFS_OK;
		if (exact)
			cfs_file_bytes_release(&bytes);
	}
	if (rc != CFS_OK)
		return rc;
	return cfs_buf_adds(out, exact ? "1" : "0");
}

/* Whether a view like .txt comes from the crawl or was computed here. */
static int view_from(struct cfs_req *r, const struct cfs_node *file,
		     struct cfs_buf *out)
{
	bool own = false;
	int rc;

	if (!cfs_view_row(file->view)->may_be_companion)
		return CFS_ENOTFOUND;
	rc = cfs_content_is_own(r->fs->crawls[file->source], file, &own,
				CFS_CTX(&r->cancel, &r->err));
	if (rc != CFS_OK)
		return rc;
	return cfs_buf_adds(out, own ? "crawl" : "computed");
}

static int get_one(struct cfs_req *r, const struct cfs_node *file,
		   const char *name, struct cfs_buf *out)
{
	struct cfs_stored *rec = NULL;
	unsigned which = 0;
	int rc;

	while (which < COUNT && strcmp(names[which], name) != 0)
		which++;
	switch (which) {
	case COUNT:
		return CFS_ENOTFOUND;
	case TIMESTAMP: case ARCHIVE: case OFFSET: case LENGTH:
		return from_entry(r, file, which, out);
	case SIZE_IS_EXACT:
		return size_is_exact(r, file, out);
	case VIEW_FROM:
		return view_from(r, file, out);
	default:
		if (ops_xattr_is_of_view(file, which))
			return from_view(r, file, which, out);
		rc = cfs_content_record(r->fs->crawls[file->source], file, &rec,
					CFS_CTX(&r->cancel, &r->err));
		if (rc == CFS_OK)
			rc = from_record(cfs_stored_record(rec), which, out);
		cfs_stored_put(rec);
		return rc;
	}
}

/* Does the file have this attribute?  rec: its record, or NULL. */
static bool ops_xattr_has(const struct cfs_node *file,
			  const struct cfs_record *rec, enum which which)
{
	struct cfs_buf value;
	bool yes;

	switch (which) {
	case TIMESTAMP:
		return rec == NULL || rec->has_time;
	case ARCHIVE: case OFFSET: case LENGTH:
	case SIZE_IS_EXACT:
		return true;
	case VIEW_FROM:
		return cfs_view_row(file->view)->may_be_companion;
	default:
		if (ops_xattr_is_of_view(file, which))
			return has_of_view(file, which);
		cfs_buf_init(&value, 1 << 16);
		yes = rec != NULL && from_record(rec, which, &value) == CFS_OK;
		cfs_buf_release(&value);
		return yes;
	}
}

/* ---- of folders ---- */

#define NAMES_ATTRIBUTE "user.crawlfs.names"

/* Gets the one attribute of a folder, or its name for name NULL. */
static int of_folder(struct cfs_req *r, const struct cfs_node *dir,
		     const char *name, struct cfs_buf *out)
{
	struct cfs_folder_size size;
	int rc;

	if (name == NULL)	/* with its NUL */
		return cfs_buf_append(out, NAMES_ATTRIBUTE,
				      sizeof(NAMES_ATTRIBUTE));
	if (strcmp(name, NAMES_ATTRIBUTE) != 0)
		return CFS_ENOTFOUND;
	rc = cfs_folder_size(r->fs->crawls[dir->source], dir, &size,
			     CFS_CTX(&r->cancel, &r->err));
	if (rc == CFS_OK && size.names == 0)
		return CFS_ENOTFOUND;
	return rc != CFS_OK ? rc :
	       cfs_buf_addf(out, "%" PRIu64, size.names);
}

/* ---- of files ---- */

/* Appends the names of all attributes, each with its NUL, as listxattr(2)
 * gives them. */
static int list_all(struct cfs_req *r, const struct cfs_node *file,
		    struct cfs_buf *out)
{
	struct cfs_stored *stored = NULL;
	const struct cfs_record *rec = NULL;
	int rc = cfs_content_record(r->fs->crawls[file->source], file, &stored,
				    CFS_CTX(&r->cancel, &r->err));

	if (rc != CFS_OK && rc != CFS_ENOTFOUND)
		return rc;
	if (rc == CFS_OK)
		rec = cfs_stored_record(stored);
	for (unsigned i = 0; i < COUNT; i++)
		if (ops_xattr_has(file, rec, i))
			cfs_buf_append(out, names[i], strlen(names[i]) + 1);
	cfs_stored_put(stored);
	return out->failed;
}

/* Replies as getxattr(2) and listxattr(2) do for a buffer of `size` bytes. */
static void reply_xattr(fuse_req_t req, fuse_ino_t ino, int rc,
			struct cfs_slice value, size_t size,
			const struct cfs_error *err)
{
	if (rc == CFS_ENOTFOUND)
		fuse_reply_err(req, ENODATA);
	else if (rc != CFS_OK)
		cfs_reply_failure(req, ino, NULL, rc, err);
	else if (size == 0)
		fuse_reply_xattr(req, value.n);
	else if (size < value.n)
		fuse_reply_err(req, ERANGE);
	else
		fuse_reply_buf(req, (const char *)value.p, value.n);
}

/* Answers with one attribute or, if name is NULL, with the names of all. */
static void answer_xattr(fuse_req_t req, fuse_ino_t ino, const char *name,
			 size_t size)
{
	int rc = name != NULL ? CFS_ENOTFOUND : CFS_OK;
	struct cfs_node n;
	CFS_BUF(out, 1 << 16);
	struct cfs_req r;

	cfs_req_begin(&r, req, CFS_OP_XATTR);
	if (!r.fs->opts.xattr) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	if (cfs_fs_node(r.fs, ino, &n) && n.type == CFS_NODE_DIR)
		rc = of_folder(&r, &n, name, &out);
	else if (cfs_fs_node(r.fs, ino, &n) && n.type == CFS_NODE_FILE)
		rc = name != NULL ? get_one(&r, &n, name, &out) :
				    list_all(&r, &n, &out);
	reply_xattr(req, ino, rc, cfs_buf_slice(&out), size, &r.err);
}

void cfs_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     size_t size)
{
	answer_xattr(req, ino, name, size);
}

void cfs_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	answer_xattr(req, ino, NULL, size);
}
