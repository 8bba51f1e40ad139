/* mount.c - runs a mount from its options to its end.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mount.h"

#include <errno.h>
#include <linux/fuse.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clamp.h"
#include "base/log.h"
#include "base/pool.h"
#include "crawl/file_info.h"
#include "crawl/handles.h"
#include "error_report.h"
#include "failures.h"
#include "listings.h"
#include "loads.h"
#include "net/location.h"
#include "ops.h"

/* Longer blocks return to the kernel when freed, and cost a fault for each of
 * their pages the next time; what is free at the end of a heap returns when it
 * is as long as HEAP_ENDS of them.  The length is a part of mem=, so that all
 * heaps keep less than is left for them (crawl/served.c). */
#define HEAP_BLOCK_PART 256u
#define HEAP_BLOCK_LEAST ((uint64_t)128 << 10)
#define HEAP_BLOCK_MOST ((uint64_t)1 << 20)
#define HEAP_ENDS 4

/* For all paths below .crawlfs/records that were asked for. */
#define RECORD_PATHS_BYTES ((size_t)64 << 20)

static void tune_heap(uint64_t mem)
{
#ifdef __GLIBC__
	uint64_t block = cfs_clamp_u64(mem / HEAP_BLOCK_PART, HEAP_BLOCK_LEAST,
				       HEAP_BLOCK_MOST);

	mallopt(M_MMAP_THRESHOLD, (int)block);
	mallopt(M_TRIM_THRESHOLD, (int)block * HEAP_ENDS);
#else
	(void)mem;
#endif
}

/* ---- the file system ---- */

/* Closes its crawls, too, in an order in which no part uses another that is
 * gone.  Accepts NULL. */
static void fs_free(struct cfs_fs *fs)
{
	if (fs == NULL)
		return;
	cfs_loads_free(fs->loads);
	cfs_strtab_free(fs->record_paths);
	cfs_served_rest(fs->ahead);
	cfs_handles_free(fs->handles);
	cfs_searches_free(fs->searches);
	cfs_served_close(fs->crawls, fs->names, fs->ahead);
	cfs_failures_free(fs->failures);
	cfs_listings_free(fs->listings);
	cfs_budget_free(fs->budget);
	free(fs);
}

/* A file system without sources; NULL: out of memory. */
static struct cfs_fs *fs_new(const struct cfs_mount_opts *opts)
{
	struct cfs_fs *fs = calloc(1, sizeof(*fs));

	if (fs == NULL)
		return NULL;
	fs->opts = opts->fs;
	fs->opts.view = opts->served.view;
	fs->opts.served = &opts->served;
	fs->opts.mountpoint = opts->mountpoint;
	fs->uid = getuid();
	fs->gid = getgid();
	fs->mounted_at = time(NULL);
	fs->budget = cfs_served_budget(opts->served.crawl.mem_bytes);
	fs->handles = cfs_handles_new(fs->crawls, fs->budget);
	fs->loads = cfs_loads_new(fs);
	fs->record_paths = cfs_strtab_new(RECORD_PATHS_BYTES);
	fs->n_crawls = cfs_served_count(&opts->served);
	fs->searches = cfs_searches_new(fs->crawls, fs->n_crawls, fs->budget);
	fs->failures = cfs_failures_new();
	fs->listings = cfs_listings_new();
	if (fs->budget == NULL || fs->handles == NULL || fs->loads == NULL ||
	    fs->record_paths == NULL || fs->searches == NULL ||
	    fs->failures == NULL || fs->listings == NULL) {
		fs_free(fs);
		return NULL;
	}
	return fs;
}

/* ---- its crawls ---- */

/* Does the index have the sizes of all, or nearly all, files that
 * are listed? */
static bool has_exact_sizes(const struct cfs_fs *fs)
{
	for (unsigned i = 0; i < fs->n_crawls; i++)
		if (!cfs_file_sizes_are_exact(fs->crawls[i], fs->opts.views))
			return false;
	return true;
}

static int open_crawls(struct cfs_fs *fs, const struct cfs_mount_opts *opts,
		       struct cfs_error *err)
{
	struct cfs_served_opts so = opts->served;
	int rc = cfs_http_configure(&so.http, err);

	so.is_mount = true;
	so.crawl.budget = fs->budget;
	so.handles = fs->handles;
	so.searches = fs->searches;
	if (rc == CFS_OK)
		rc = cfs_served_open(&so, fs->crawls, fs->names, fs->ahead,
				     &fs->timeout_ms, err);
	if (rc != CFS_OK)
		return rc;
	for (unsigned i = 0; i < fs->n_crawls; i++)
		cfs_error_report_note_index(fs, i, &fs->damage);
	fs->sizes_are_exact = fs->opts.size_exact || has_exact_sizes(fs);
	return CFS_OK;
}

/* Adds the name that the table of mounts shows to everybody.  A comma would end
 * the option, and a backslash escapes. */
static void mount_add_name(struct cfs_buf *b, const char *source)
{
	CFS_BUF(shown, SIZE_MAX / 2);

	cfs_location_show_list(&shown, source);
	for (const char *s = cfs_buf_str(&shown); *s != '\0'; s++) {
		if (*s == ',' || *s == '\\')
			cfs_buf_addc(b, '\\');
		cfs_buf_addc(b, (uint8_t)*s);
	}
}

/* ---- INIT: the features agreed with the kernel ---- */

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	/* READDIRPLUS always: ops_dir.c decides which names get nodes, and
	 * knows more than the kernel would. */
	const unsigned off = FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
			     FUSE_CAP_SPLICE_MOVE | FUSE_CAP_AUTO_INVAL_DATA |
			     FUSE_CAP_READDIRPLUS_AUTO;
	const unsigned on = FUSE_CAP_READDIRPLUS |
			    FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ASYNC_READ |
			    FUSE_CAP_EXPLICIT_INVAL_DATA |
			    FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_CACHE_SYMLINKS;
	struct cfs_fs *fs = userdata;

	fs->can_skip_open = (conn->capable & FUSE_CAP_NO_OPEN_SUPPORT) != 0;
	fs->can_skip_opendir =
		(conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0;
	fs->can_look_up_together =
		(conn->capable & FUSE_CAP_PARALLEL_DIROPS) != 0;
	conn->want = (conn->want & ~off) | (conn->capable & on);
	conn->max_background = 64;
	conn->congestion_threshold = 48;
}

/* fuse_version() of libfuse 3.17. */
#define PASSES_PARALLEL_DIROPS 317

/*
 * libfuse before 3.17 does not pass FUSE_CAP_PARALLEL_DIROPS on
 * (libfuse/libfuse#861).  The kernel then takes a lock around look-ups in a
 * directory, and not even a killed process stops waiting for it.  So the flag
 * is set here, in the first reply, which is the one to INIT.
 */
static ssize_t write_reply(int fd, struct iovec *iov, int count, void *userdata)
{
	struct cfs_fs *fs = userdata;

	if (!atomic_load_explicit(&fs->has_replied, memory_order_relaxed)) {
		fs->has_replied = true;
		if (fs->can_look_up_together && count == 2 &&
		    iov[1].iov_len >= FUSE_COMPAT_22_INIT_OUT_SIZE)
			((struct fuse_init_out *)iov[1].iov_base)->flags |=
				FUSE_PARALLEL_DIROPS;
	}
	return writev(fd, iov, count);
}

static ssize_t read_request(int fd, void *buf, size_t n, void *userdata)
{
	(void)userdata;
	return read(fd, buf, n);
}

/* Passes the replies of a mounted session through write_reply, where that is
 * needed.  False: that cannot be done. */
static bool watch_first_reply(struct fuse_session *se)
{
	const struct fuse_custom_io io = { .writev = write_reply,
					   .read = read_request };

	return fuse_version() >= PASSES_PARALLEL_DIROPS ||
	       fuse_session_custom_io(se, &io, fuse_session_fd(se)) == 0;
}

/* The session's user data is a struct cfs_fs. */
static const struct fuse_lowlevel_ops session_ops = {
	.init = op_init,
	.lookup = cfs_op_lookup,
	.forget = cfs_op_forget,
	.forget_multi = cfs_op_forget_multi,
	.getattr = cfs_op_getattr,
	.readlink = cfs_op_readlink,
	.open = cfs_op_open,
	.read = cfs_op_read,
	.release = cfs_op_release,
	.opendir = cfs_op_opendir,
	.readdir = cfs_op_readdir,
	.readdirplus = cfs_op_readdirplus,
	.statfs = cfs_op_statfs,
	.getxattr = cfs_op_getxattr,
	.listxattr = cfs_op_listxattr,
};

/* ---- the session ---- */

static int new_session(struct cfs_fs *fs, const struct cfs_mount_opts *opts,
		       struct fuse_session **out, struct cfs_error *err)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	CFS_BUF(o, 1 << 16);

	cfs_buf_adds(&o, "-oro,default_permissions,subtype=crawlfs,fsname=");
	mount_add_name(&o,
		       opts->served.merge ? fs->crawls[0]->source :
					    opts->served.sources[0]);
	if (opts->kernel != NULL && opts->kernel[0] != '\0') {
		cfs_buf_addc(&o, ',');
		cfs_buf_adds(&o, opts->kernel);
	}
	*out = NULL;
	if (fuse_opt_add_arg(&args, "crawlfs") == 0 &&
	    fuse_opt_add_arg(&args, cfs_buf_str(&o)) == 0 &&
	    (!opts->debug || fuse_opt_add_arg(&args, "-d") == 0))
		*out = fuse_session_new(&args, &session_ops,
					sizeof(session_ops), fs);
	fuse_opt_free_args(&args);
	if (*out == NULL)
		return cfs_error_set(err, CFS_EUSAGE, "unknown mount option");
	return CFS_OK;
}

/* False once the kernel has ended the connection: nothing is mounted any
 * more. */
static bool session_is_mounted(struct fuse_session *se)
{
	struct pollfd p = { .fd = fuse_session_fd(se) };

	return poll(&p, 1, 0) == 0;
}

static int serve(struct cfs_fs *fs, struct fuse_session *se,
		 const struct cfs_mount_opts *opts, struct cfs_error *err)
{
	unsigned threads = opts->threads, idle = cfs_request_threads(false);
	int rc;

	if (threads == 0)
		threads = cfs_request_threads(fs->timeout_ms > 0);
	if (idle > threads)
		idle = threads;
	fs->can_store = threads > 1;
	rc = cfs_request_loop_run(se, threads, idle);
	if (rc >= 0 && session_is_mounted(se) && opts->ending != NULL)
		opts->ending(opts->arg);	/* a signal */
	if (rc == -EPERM)	/* for a descriptor that was passed in */
		return cfs_error_set(err, CFS_EIO, "'%s' is not mounted: the "
			"program that passes it calls mount(2) first",
			opts->mountpoint);
	if (rc < 0)
		return cfs_error_set(err, CFS_EIO, "serving ended: %s",
				     strerror(-rc));
	return CFS_OK;		/* unmounted, or a signal */
}

static int report_ready(const struct cfs_fs *fs,
			const struct cfs_mount_opts *opts,
			struct cfs_error *err)
{
	struct cfs_mount_shown shown = {
		.sizes_are_exact = fs->sizes_are_exact,
		.damage = fs->damage,
	};
	bool is_known = true;

	for (unsigned i = 0; i < fs->n_crawls; i++) {
		struct cfs_index_stats stats;

		cfs_index_get_stats(fs->crawls[i]->index, &stats);
		is_known = is_known && (stats.captures > 0 ||
					fs->crawls[i]->has_no_page);
		shown.captures += stats.captures;
		shown.absent += fs->crawls[i]->index->absent;
		shown.cut += fs->crawls[i]->index->cut;
		shown.is_picked = shown.is_picked ||
				  fs->crawls[i]->picked_by != 0;
	}
	if (!is_known)
		shown.captures = 0;
	return opts->ready(opts->arg, &shown, err);
}

static int mount_and_serve(struct cfs_fs *fs, const struct cfs_mount_opts *opts,
			   struct cfs_error *err)
{
	struct fuse_session *se;
	int rc = new_session(fs, opts, &se, err);

	if (rc != CFS_OK)
		return rc;
	fs->session = se;
	if (fuse_set_signal_handlers(se) != 0) {
		rc = cfs_error_set(err, CFS_EIO, "cannot set signal handlers");
	} else if (fuse_session_mount(se, opts->mountpoint) != 0 ||
		   !watch_first_reply(se)) {
		rc = cfs_error_set(err, CFS_EIO, "cannot mount on '%s'",
				   opts->mountpoint);
	} else {
		if (opts->ready != NULL)
			rc = report_ready(fs, opts, err);
		if (rc == CFS_OK)
			rc = serve(fs, se, opts, err);
		cfs_loads_free(fs->loads);
		fs->loads = NULL;
		fuse_session_unmount(se);
	}
	fuse_remove_signal_handlers(se);
	fuse_session_destroy(se);
	return rc;
}

int cfs_mount_run(const struct cfs_mount_opts *opts, struct cfs_error *err)
{
	struct cfs_fs *fs = fs_new(opts);
	int rc;

	if (fs == NULL)
		return cfs_error_nomem(err);
	tune_heap(cfs_budget_max(fs->budget));
	rc = open_crawls(fs, opts, err);
	if (rc == CFS_OK) {
		if (opts->opened != NULL)
			opts->opened(opts->arg);
		rc = mount_and_serve(fs, opts, err);
	}
	fs_free(fs);
	return rc;
}
