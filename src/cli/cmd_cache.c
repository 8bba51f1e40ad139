/* cmd_cache.c - crawlfs cache: shows what the cache folder holds, verifies its
 * contents, and empties it.
 *
 * The folder: crawlfs-cache(5).  Unfinished copies to S3 are kept there too;
 * they are not a cache, and are left alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "cache/disk.h"
#include "commands.h"
#include "format/cfx/cfx.h"
#include "output.h"
#include "record/inflated.h"
#include "signals.h"

#define NAMES_SHOWN 20u		/* unfinished copies to S3 */
#define INDEX_BLOCKS_BYTES ((size_t)4 << 20)	/* block cache of an index being
						 * verified */

struct cache_args {
	char dir[PATH_MAX];
	bool drop;
	struct cfs_json *json;		/* with --json: where members are
					 * written; NULL: text is printed */
};

/* ---- files beside the blocks -------------------------------------------- */

struct files {
	uint64_t n, bytes;
	time_t newest;
};

/* Calls `each` for the files of folder `name` below dirfd (AT_FDCWD: a path),
 * except hidden ones; links are not followed.  False: no such folder. */
static bool each_file(int dirfd, const char *name,
		      void (*each)(void *arg, int fd, const char *file,
				   const struct stat *st), void *arg)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
				     O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	struct stat st;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.' &&
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			each(arg, fd, e->d_name, &st);
	closedir(d);
	return true;
}

static void cmd_cache_add_file(void *arg, int fd, const char *file,
			       const struct stat *st)
{
	struct files *f = arg;

	(void)fd;
	(void)file;
	if (!S_ISREG(st->st_mode))
		return;
	f->n++;
	f->bytes += (uint64_t)st->st_size;
	f->newest = st->st_mtime > f->newest ? st->st_mtime : f->newest;
}

/* Deletes a kept index; an unfinished one has another suffix.  So do files of
 * sizes, which older versions kept, and nothing reads any more. */
static void delete_index(void *arg, int fd, const char *file,
			 const struct stat *st)
{
	struct cfs_slice name = cfs_slice_str(file);
	uint64_t *deleted = arg;

	if (S_ISREG(st->st_mode) &&
	    (cfs_slice_ends(name, CFS_SLICE_LIT(".cfx")) ||
	     cfs_slice_ends(name, CFS_SLICE_LIT(".sizes"))) &&
	    unlinkat(fd, file, 0) == 0)
		(*deleted)++;
}

/* Deletes an inflated file; an unfinished one has another name. */
static void delete_inflated(void *arg, int fd, const char *file,
			    const struct stat *st)
{
	uint64_t *deleted = arg;
	bool is_damaged;
	uint32_t crc;

	if (S_ISREG(st->st_mode) &&
	    cfs_inflated_crc(file, &crc, &is_damaged) &&
	    unlinkat(fd, file, 0) == 0)
		(*deleted)++;
}

/* Reports damage in a file: its name below the folder. */
static void report_damage(const struct cache_args *a, const char *file,
			  uint64_t offset, const char *what)
{
	struct cfs_json *j = a->json;

	if (j == NULL) {
		cfs_out_f("%s: offset %" PRIu64 ": %s\n", file, offset, what);
		return;
	}
	cfs_json_item(j);
	cfs_json_open(j, '{');
	cfs_json_put_ascii(j, "file", cfs_slice_str(file),
			   CFS_JSON_ODD_SURROGATE);
	cfs_json_put_uint(j, "offset", offset);
	cfs_json_put_ascii(j, "what", cfs_slice_str(what),
			   CFS_JSON_ODD_REPLACED);
	cfs_json_close(j, '}');
}

/* State of a check that reads all files of one folder. */
struct file_check {
	const struct cache_args *args;
	const char *folder;	/* its name in the cache folder */
	const char *dir;	/* its path */
	uint64_t files, bytes, damaged;
	const struct cfs_cancel *cancel;
	int rc;			/* CFS_EINTR: interrupted by the user */
};

/* Counts a file and reports its damage; rc: result of reading it. */
static void note_file(struct file_check *all, int fd, const char *file,
		      const struct stat *st, int rc, const struct cfs_error *e)
{
	char name[NAME_MAX + 32];

	if (rc == CFS_EINTR || rc == CFS_ENOMEM) {
		all->rc = rc;
		return;
	}
	all->files++;
	all->bytes += (uint64_t)st->st_size;
	if (rc == CFS_OK)
		return;
	all->damaged++;
	snprintf(name, sizeof(name), "%s/%s", all->folder, file);
	report_damage(all->args, name, e->offset, e->text);
	if (all->args->drop)
		unlinkat(fd, file, 0);
}

static void check_inflated(void *arg, int fd, const char *file,
			   const struct stat *st)
{
	struct file_check *all = arg;
	struct cfs_error e = CFS_ERROR_INIT;
	bool is_damaged;
	uint32_t crc;
	int rc, in;

	if (!S_ISREG(st->st_mode) || all->rc != CFS_OK ||
	    !cfs_inflated_crc(file, &crc, &is_damaged))
		return;
	in = openat(fd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (in < 0)
		rc = cfs_error_set(&e, CFS_EIO, "%s", strerror(errno));
	else if (is_damaged)
		rc = cfs_error_set(&e, CFS_EFORMAT,
				   "was found damaged, and is not used");
	else
		rc = cfs_inflated_check(in, file, (uint64_t)st->st_size, crc,
					CFS_CTX(all->cancel, &e));
	if (in >= 0)
		close(in);
	note_file(all, fd, file, st, rc, &e);
}

/* Verifies a kept index; an unfinished one has another suffix. */
static void check_index(void *arg, int fd, const char *file,
			const struct stat *st)
{
	struct file_check *all = arg;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_index *ix = NULL;
	struct cfs_source *src;
	char path[PATH_MAX + NAME_MAX + 32];
	uint64_t n;
	int rc;

	if (!S_ISREG(st->st_mode) || all->rc != CFS_OK ||
	    !cfs_slice_ends(cfs_slice_str(file), CFS_SLICE_LIT(".cfx")))
		return;
	snprintf(path, sizeof(path), "%s/%s", all->dir, file);
	rc = cfs_source_open_file(&src, path, &e);
	if (rc == CFS_OK)
		rc = cfs_cfx_open(&ix, src, INDEX_BLOCKS_BYTES, &e);
	if (rc == CFS_OK)
		rc = cfs_cfx_check(ix, &n, CFS_CTX(all->cancel, &e));
	cfs_index_close(ix);
	note_file(all, fd, file, st, rc, &e);
}

/* Unfinished copies to S3: upload/HASH/NAME and NAME.SUFFIX. */
struct copies {
	uint64_t n;
	struct files all;
	bool shows;		/* prints a line for each of the first */
	struct cfs_json *json;	/* not NULL: writes an object for each */
};

static void print_time(time_t t)
{
	char when[CFS_TIME_ISO_BYTES];

	cfs_out_f("%s", cfs_time_format_iso(t, when));
}

struct cache_copy {
	struct files files;
	char name[NAME_MAX + 1];	/* its shortest file name, that of the
					 * object */
};

static void add_of_copy(void *arg, int fd, const char *file,
			const struct stat *st)
{
	static const char *const ends[] = { ".part", ".journal", ".upload" };
	struct cache_copy *c = arg;
	size_t n = strlen(file);

	cmd_cache_add_file(&c->files, fd, file, st);
	if (c->name[0] != '\0' && n >= strlen(c->name))
		return;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (n > strlen(ends[i]) &&
		    strcmp(file + n - strlen(ends[i]), ends[i]) == 0)
			n -= strlen(ends[i]);
	snprintf(c->name, sizeof(c->name), "%.*s", (int)n, file);
}

static void put_copy(struct cfs_json *j, const struct cache_copy *c)
{
	cfs_json_item(j);
	cfs_json_open(j, '{');
	cfs_json_put_ascii(j, "name", cfs_slice_str(c->name),
			   CFS_JSON_ODD_SURROGATE);
	cfs_json_put_uint(j, "bytes", c->files.bytes);
	cfs_json_put_time(j, "last_written", c->files.newest);
	cfs_json_close(j, '}');
}

static void add_copy(void *arg, int fd, const char *name, const struct stat *st)
{
	struct copies *all = arg;
	struct cache_copy c = { .name = "" };

	if (!S_ISDIR(st->st_mode) || !each_file(fd, name, add_of_copy, &c) ||
	    c.files.n == 0)
		return;
	all->n++;
	all->all.n += c.files.n;
	all->all.bytes += c.files.bytes;
	if (all->json != NULL)
		put_copy(all->json, &c);
	if (!all->shows || all->n > NAMES_SHOWN)
		return;
	cfs_out_f("          ");
	cfs_out_text(cfs_slice_str(c.name));
	cfs_out_f(": %" PRIu64 " bytes, last written ", c.files.bytes);
	print_time(c.files.newest);
	cfs_out_f("\n");
}

/* Makes the path of something in the folder. */
static const char *cmd_cache_below(const struct cache_args *a, const char *name,
				   char out[PATH_MAX + 16])
{
	snprintf(out, PATH_MAX + 16, "%s/%s", a->dir, name);
	return out;
}

/* ---- the words of the command ------------------------------------------- */

static int open_disk(struct cfs_disk **out, const struct cache_args *a)
{
	struct cfs_error err = CFS_ERROR_INIT;
	char blocks[PATH_MAX + 16];
	struct stat st;
	int rc;

	*out = NULL;
	if (stat(cmd_cache_below(a, "blocks", blocks), &st) != 0)
		return CFS_EXIT_OK;	/* there is no block cache */
	rc = cfs_disk_open(out, a->dir, 0, &err);
	return cfs_cli_end(rc, &err);
}

static void show_files(const char *word, const struct files *f,
		       const char *what)
{
	char size[CFS_TEXT_SIZE_BYTES], files[CFS_TEXT_COUNT_BYTES];

	if (f->n > 0)
		cfs_out_f("%-9s %" PRIu64 " bytes (%s) in %s: %s\n", word,
			  f->bytes, cfs_text_size((double)f->bytes, size),
			  cfs_text_count(f->n, "file", files), what);
}

/* The files in the folder besides the blocks. */
struct others {
	struct files indexes, inflated, list;
};

static void find_others(const struct cache_args *a, struct others *o)
{
	char path[PATH_MAX + 16];
	struct stat st;

	*o = (struct others){ .list = { 0 } };
	each_file(AT_FDCWD, cmd_cache_below(a, "index", path),
		  cmd_cache_add_file, &o->indexes);
	each_file(AT_FDCWD, cmd_cache_below(a, CFS_INFLATED_FOLDER, path),
		  cmd_cache_add_file, &o->inflated);
	if (lstat(cmd_cache_below(a, "collinfo.json", path), &st) == 0)
		cmd_cache_add_file(&o->list, -1, path, &st);
}

static void show_others(const struct cache_args *a)
{
	struct copies copies = { 0 };
	char path[PATH_MAX + 16];
	struct others o;

	find_others(a, &o);
	show_files("indexes", &o.indexes, "of archives that had none");
	show_files("inflated", &o.inflated, "compressed in ZIP files");
	show_files("list", &o.list, "names of crawls");
	cmd_cache_below(a, "upload", path);
	each_file(AT_FDCWD, path, add_copy, &copies);
	show_files("uploads", &copies.all, "unfinished, "
		   "crawlfs copy resumes them");
	copies = (struct copies){ .shows = true };
	each_file(AT_FDCWD, path, add_copy, &copies);
}

static void show_text(const struct cache_args *a,
		      const struct cfs_disk_info *info)
{
	char size[CFS_TEXT_SIZE_BYTES], count[CFS_TEXT_COUNT_BYTES];

	cfs_out_f("folder    ");
	cfs_out_text(cfs_slice_str(a->dir));
	cfs_out_f("\nsize      %" PRIu64 " bytes (%s) in %s, %" PRIu64
		  " in use\n", info->bytes,
		  cfs_text_size((double)info->bytes, size),
		  cfs_text_count(info->segments, "file", count), info->in_use);
	cfs_out_f("holds     %" PRIu64 " bytes in %s\n", info->data_bytes,
		  cfs_text_count(info->records, "range", count));
	if (info->sizes > 0)
		cfs_out_f("sizes     %s of files that were opened\n",
			  cfs_text_count(info->sizes, "size", count));
	if (info->oldest_s != 0) {
		cfs_out_f("oldest    last used ");
		print_time((time_t)info->oldest_s);
		cfs_out_f("\n");
	}
	show_others(a);
}

static void put_files(struct cfs_json *j, const char *key,
		      const struct files *f)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_open(j, '{');
	cfs_json_put_uint(j, "files", f->n);
	cfs_json_put_uint(j, "bytes", f->bytes);
	cfs_json_close(j, '}');
}

static void put_info(const struct cache_args *a,
		     const struct cfs_disk_info *info)
{
	struct cfs_json *j = a->json;
	struct copies copies = { .json = j };
	char path[PATH_MAX + 16];
	struct others o;

	find_others(a, &o);
	cfs_json_put_ascii(j, "folder", cfs_slice_str(a->dir),
			   CFS_JSON_ODD_SURROGATE);
	cfs_json_put_uint(j, "files", info->segments);
	cfs_json_put_uint(j, "files_in_use", info->in_use);
	cfs_json_put_uint(j, "bytes", info->bytes);
	cfs_json_put_uint(j, "ranges", info->records);
	cfs_json_put_uint(j, "range_bytes", info->data_bytes);
	if (info->oldest_s != 0)
		cfs_json_put_time(j, "oldest", info->oldest_s);
	put_files(j, "indexes", &o.indexes);
	put_files(j, "inflated", &o.inflated);
	cfs_json_put_uint(j, "sizes", info->sizes);
	put_files(j, "list", &o.list);
	cfs_json_key(j, CFS_SLICE_LIT("uploads"));
	cfs_json_open(j, '[');
	each_file(AT_FDCWD, cmd_cache_below(a, "upload", path), add_copy,
		  &copies);
	cfs_json_close(j, ']');
}

static int show_info(const struct cache_args *a, struct cfs_disk *d,
		     struct cfs_error *err)
{
	struct cfs_disk_info info = { 0 };
	int rc = d != NULL ? cfs_disk_get_info(d, &info, err) : CFS_OK;

	if (rc == CFS_OK && a->json != NULL)
		put_info(a, &info);
	else if (rc == CFS_OK)
		show_text(a, &info);
	return rc;
}

static void print_damage(void *arg, const char *segment, uint32_t pos,
			 const char *why)
{
	report_damage(arg, segment, pos, why);
}

/* The results of verifying. */
struct cache_findings {
	struct cfs_disk_damage blocks;
	struct file_check indexes, inflated;
};

/* Prints nothing if there are no such files.  0, even if some are damaged;
 * CFS_EINTR, CFS_ENOMEM. */
static int verify_files(const struct cache_args *a, struct file_check *all,
			void (*each)(void *arg, int fd, const char *file,
				     const struct stat *st),
			const char *what)
{
	char path[PATH_MAX + 16], files[CFS_TEXT_COUNT_BYTES];

	all->args = a;
	all->dir = cmd_cache_below(a, all->folder, path);
	each_file(AT_FDCWD, path, each, all);
	all->dir = NULL;
	if (all->rc != CFS_OK || all->files == 0 || a->json != NULL)
		return all->rc;
	cfs_out_f("%s, %" PRIu64 " bytes checked: ",
		  cfs_text_count(all->files, what, files), all->bytes);
	if (all->damaged == 0)
		cfs_out_f("all are sound\n");
	else
		cfs_out_f("damage in %" PRIu64 "%s\n", all->damaged, a->drop ?
			  ", deleted" : "; what is damaged is not used");
	return CFS_OK;
}

static int verify_all(const struct cache_args *a, struct cfs_disk *d,
		      struct cache_findings *f, struct cfs_ctx ctx)
{
	struct cache_args args = *a;
	int rc = CFS_OK;

	f->indexes.cancel = f->inflated.cancel = ctx.cancel;
	if (d != NULL)
		rc = cfs_disk_verify(d, a->drop, print_damage, &args,
				     &f->blocks, ctx);
	if (rc != CFS_OK)
		return rc;
	rc = verify_files(a, &f->indexes, check_index, "kept index");
	if (rc == CFS_OK)
		rc = verify_files(a, &f->inflated, check_inflated,
				  "inflated archive");
	if (rc != CFS_OK)
		cfs_error_set(ctx.err, rc, rc == CFS_EINTR ?
			      "interrupted" : "out of memory");
	return rc;
}

static bool blocks_are_sound(const struct cache_findings *f)
{
	return f->blocks.bad_records + f->blocks.bad_indexes == 0;
}

static void print_blocks(const struct cache_args *a,
			 const struct cache_findings *f)
{
	char ranges[CFS_TEXT_COUNT_BYTES], indexes[CFS_TEXT_COUNT_BYTES];
	const struct cfs_disk_damage *n = &f->blocks;

	cfs_out_f("%s, %" PRIu64 " bytes checked: ",
		  cfs_text_count(n->records, "range", ranges), n->bytes);
	if (blocks_are_sound(f))
		cfs_out_f("all are sound\n");
	else
		cfs_out_f("damage in %s and %s%s\n",
			  cfs_text_count(n->bad_records, "range", ranges),
			  cfs_text_count(n->bad_indexes, "index", indexes),
			  a->drop ? "; the files that held them are deleted" :
			  "; what is damaged is not used, and is fetched again");
}

static void put_checked(struct cfs_json *j, const char *key,
			const struct file_check *f)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_open(j, '{');
	cfs_json_put_uint(j, "files", f->files);
	cfs_json_put_uint(j, "bytes", f->bytes);
	cfs_json_put_uint(j, "damaged_files", f->damaged);
	cfs_json_close(j, '}');
}

static void put_findings(struct cfs_json *j, const struct cache_findings *f,
			 bool are_sound)
{
	cfs_json_put_bool(j, "sound", are_sound);
	cfs_json_put_uint(j, "ranges", f->blocks.records);
	cfs_json_put_uint(j, "range_bytes", f->blocks.bytes);
	cfs_json_put_uint(j, "damaged_ranges", f->blocks.bad_records);
	cfs_json_put_uint(j, "damaged_range_indexes", f->blocks.bad_indexes);
	put_checked(j, "indexes", &f->indexes);
	put_checked(j, "inflated", &f->inflated);
}

/* CFS_END if anything is damaged. */
static int verify(const struct cache_args *a, struct cfs_disk *d,
		  struct cfs_error *err)
{
	struct cache_findings f = { .indexes = { .folder = "index" },
			      .inflated = { .folder = CFS_INFLATED_FOLDER } };
	bool are_sound;
	int rc;

	if (a->json != NULL) {
		cfs_json_key(a->json, CFS_SLICE_LIT("damage"));
		cfs_json_open(a->json, '[');
	}
	rc = verify_all(a, d, &f, CFS_CTX(cfs_cli_catch_signals(), err));
	cfs_cli_release_signals();
	if (a->json != NULL)
		cfs_json_close(a->json, ']');
	if (rc != CFS_OK)
		return rc;
	are_sound = blocks_are_sound(&f) && f.indexes.damaged == 0 &&
		    f.inflated.damaged == 0;
	if (a->json != NULL)
		put_findings(a->json, &f, are_sound);
	else
		print_blocks(a, &f);
	return are_sound ? CFS_OK : CFS_END;
}

/* Says what was deleted, and what was left. */
static void report_cleared(const struct cache_args *a, uint64_t deleted,
			   uint64_t in_use, const struct copies *copies)
{
	char files[CFS_TEXT_COUNT_BYTES];

	if (a->json != NULL) {
		cfs_json_put_uint(a->json, "deleted_files", deleted);
		cfs_json_put_uint(a->json, "files_in_use", in_use);
		cfs_json_put_uint(a->json, "uploads_left", copies->n);
		cfs_json_put_uint(a->json, "upload_bytes", copies->all.bytes);
		return;
	}
	cfs_out_f("%s deleted", cfs_text_count(deleted, "file", files));
	if (in_use > 0)
		cfs_out_f(", %" PRIu64 " left in use by a mount", in_use);
	cfs_out_f("\n");
	if (copies->n > 0)
		cfs_out_f("%" PRIu64 " bytes of unfinished copies to S3 left "
			  "(%" PRIu64 "): crawlfs copy resumes them, or ends "
			  "them with --abort\n", copies->all.bytes, copies->n);
}

static int clear(const struct cache_args *a, struct cfs_disk *d,
		 struct cfs_error *err)
{
	uint64_t deleted = 0, in_use = 0;
	struct copies copies = { 0 };
	char path[PATH_MAX + 16];
	int rc = d == NULL ? CFS_OK :
		 cfs_disk_clear(d, &deleted, &in_use, err);

	if (rc != CFS_OK)
		return rc;
	each_file(AT_FDCWD, cmd_cache_below(a, "index",
					    path), delete_index, &deleted);
	each_file(AT_FDCWD, cmd_cache_below(a, "sizes",
					    path), delete_index, &deleted);
	each_file(AT_FDCWD, cmd_cache_below(a, CFS_INFLATED_FOLDER, path),
		  delete_inflated, &deleted);
	deleted += unlink(cmd_cache_below(a, "collinfo.json", path)) == 0;
	each_file(AT_FDCWD, cmd_cache_below(a, "upload",
					    path), add_copy, &copies);
	report_cleared(a, deleted, in_use, &copies);
	return CFS_OK;
}

/* A folder named by the user must exist; if the usual one does not, nothing has
 * been kept yet. */
static int check_named(const struct cache_args *a)
{
	struct stat st;

	if (stat(a->dir, &st) == 0 && S_ISDIR(st.st_mode))
		return CFS_EXIT_OK;
	if (stat(a->dir, &st) == 0)
		errno = ENOTDIR;
	cfs_cli_error("%s: %s", a->dir, strerror(errno));
	return CFS_EXIT_FAILURE;
}

/* CFS_END: it is done, and found damage. */
typedef int cache_act(const struct cache_args *a, struct cfs_disk *d,
		      struct cfs_error *err);

static const struct {
	const char *text;
	cache_act *act;
} words[] = {
	{ "info", show_info }, { "verify", verify }, { "clear", clear },
};
#define WORDS (sizeof(words) / sizeof(words[0]))

/* Finds the named folder, which must exist, or the usual one. */
static int cmd_cache_find_dir(struct cache_args *a, const char *named)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int status = CFS_EXIT_OK, rc;

	if (named == NULL && cfs_crawl_cache_name(NULL, a->dir) == NULL)
		return cfs_cli_usage("cache", "no cache folder is known: give "
				     "--cache");
	if (named != NULL && snprintf(a->dir, sizeof(a->dir), "%s", named) >=
	    (int)sizeof(a->dir))
		return cfs_cli_usage("cache", "option '--cache': the name is "
				     "too long");
	if (named != NULL)
		status = check_named(a);
	if (status != CFS_EXIT_OK)
		return status;
	rc = cfs_crawl_judge_cache(a->dir, &err);
	return cfs_cli_end(rc, &err);
}

/* Does what a word says, and prints it.  Returns the exit status. */
static int act_on(struct cache_args *a, struct cfs_disk *d, cache_act *act,
		  bool is_json)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_out_document doc;
	bool is_damaged;
	int rc;

	if (is_json) {
		cfs_out_document_begin(&doc);
		a->json = &doc.j;
	}
	rc = act(a, d, &err);
	is_damaged = rc == CFS_END;
	if (is_damaged)
		rc = CFS_OK;
	if (is_json)
		rc = cfs_out_document_end(&doc, rc, &err);
	if (rc != CFS_OK)
		return cfs_cli_end(rc, &err);
	return is_damaged ? CFS_EXIT_FAILURE : CFS_EXIT_OK;
}

static int cmd_cache_run(struct cfs_options *o)
{
	struct cache_args a = { .drop = o->drop };
	const char *word = o->operands[0];
	struct cfs_disk *d = NULL;
	int status;
	size_t i = 0;

	if (o->n_operands != 1)
		return cfs_cli_usage(o->command,
				     "takes one of info, verify and clear");
	while (i < WORDS && strcmp(word, words[i].text) != 0)
		i++;
	if (i == WORDS)
		return cfs_cli_usage(o->command, "unknown word '%s' (info, "
				     "verify or clear)", word);
	if (a.drop && strcmp(word, "verify") != 0)
		return cfs_cli_usage(o->command, "--drop goes with verify");
	status = cmd_cache_find_dir(&a, o->crawl.cache_dir);
	if (status == CFS_EXIT_OK)
		status = open_disk(&d, &a);
	if (status == CFS_EXIT_OK)
		status = act_on(&a, d, words[i].act, o->is_json);
	cfs_disk_close(d);
	return status;
}

const struct cfs_command cfs_cmd_cache = {
	.name = "cache",
	.by = CFS_BY_CACHE,
	.summary = "look after what is kept of remote crawls",
	.usage =
		"crawlfs cache info [--json] [--cache=DIR] [--cache-group]\n"
		"       crawlfs cache verify [--drop] [--json] [--cache=DIR]\n"
		"                            [--cache-group]\n"
		"       crawlfs cache clear [--json] [--cache=DIR] [--cache-group]\n\n"
		"What is read of crawls on servers is kept in a folder, up to a bound.\n"
		"info prints how much there is; verify reads all of it and compares\n"
		"checksums; clear deletes it, except what a mount is writing to.\n"
		"The folder also holds indexes of archives that were mounted without one,\n"
		"sizes of files that opening them has shown, and the list of crawls, which\n"
		"clear deletes too, and unfinished copies to S3, which it leaves.",
	.example = "  crawlfs cache info\n",
	.run = cmd_cache_run,
};
