/* mount_opts.c - the words after -o (see mount_opts.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mount_opts.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "net/http.h"
#include "net/location.h"

#define THREADS_MAX 1024u	/* libfuse starts them as they are needed */

void cfs_mount_words_init(struct cfs_mount_words *w)
{
	*w = (struct cfs_mount_words){ .is_helper = false };
	w->mount.fs.views = CFS_VIEWS_DEFAULT;
	cfs_buf_init(&w->kernel, 1 << 16);
}

void cfs_mount_words_release(struct cfs_mount_words *w)
{
	cfs_buf_release(&w->kernel);
	free(w->data);
	free(w->cache);
	free(w->base);
	free(w->endpoint);
}

/* For the kernel and libfuse; `=` at the end: with a value. */
static const char *const kernel_words[] = {
	"allow_other", "allow_root", "auto_unmount", "default_permissions",
	"max_read=", "fsname=", "nodev", "dev", "nosuid", "suid", "noexec",
	"exec", "noatime", "nodiratime", "norelatime", "nostrictatime", "sync",
	"async", "dirsync", "context=", "fscontext=", "defcontext=",
	"rootcontext=",
};

/* For others that read fstab: mount(8), systemd, udisks. */
static const char *const ignored_words[] = {
	"ro", "defaults", "auto", "noauto", "nofail", "user", "nouser", "users",
	"owner", "noowner", "group", "nogroup", "_netdev", "relatime", "atime",
	"diratime", "strictatime", "lazytime", "nolazytime", "silent", "loud",
	"iversion", "noiversion", "mand", "nomand", "x-*", "X-*", "comment=*",
	"uhelper=*", "helper=*",
};

static bool is_kernel_word(const char *word)
{
	for (size_t i = 0; i < sizeof(kernel_words) / sizeof(kernel_words[0]); i++) {
		const char *k = kernel_words[i];
		size_t n = strlen(k);

		if (k[n - 1] == '=' ? strncmp(word, k, n) == 0
				    : strcmp(word, k) == 0)
			return true;
	}
	return false;
}

static bool is_ignored_word(const char *word)
{
	for (size_t i = 0; i < sizeof(ignored_words) / sizeof(ignored_words[0]); i++)
		if (fnmatch(ignored_words[i], word, 0) == 0)
			return true;
	return false;
}

static int add_kernel_word(struct cfs_mount_words *w, const char *word,
			   struct cfs_error *err)
{
	if (w->kernel.n > 0)
		cfs_buf_addc(&w->kernel, ',');
	for (; *word != '\0'; word++) {
		if (*word == ',' || *word == '\\')
			cfs_buf_addc(&w->kernel, '\\');
		cfs_buf_addc(&w->kernel, (uint8_t)*word);
	}
	if (w->kernel.failed != CFS_OK)
		return cfs_error_set(err, CFS_EUSAGE, "too many mount options");
	return CFS_OK;
}

static int take_path(const char *name, char **out, const char *value,
		     struct cfs_error *err)
{
	if (value[0] == '\0')
		return cfs_error_set(err, CFS_EUSAGE,
				     "option '%s': no folder is named", name);
	free(*out);
	*out = cfs_location_is_url(value) ? strdup(value) :
					    cfs_cli_absolute(value);
	return *out ? CFS_OK : cfs_error_set(err, CFS_ENOMEM, "out of memory");
}

static int take_mem(struct cfs_crawl_opts *o, const char *value,
		    struct cfs_error *err)
{
	if (cfs_cli_parse_bytes(value, &o->mem_bytes) &&
	    o->mem_bytes >= CFS_CLI_MEM_MIN)
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE,
		"option 'mem': '%s' is no size such as 64M, from 1M on", value);
}

static int take_bytes(const char *name, const char *value, uint64_t *out,
		      struct cfs_error *err)
{
	if (cfs_cli_parse_bytes(value, out) && *out > 0)
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE,
		"option '%s': '%s' is no size such as 64M or 2G", name, value);
}

static int take_choice(const char *name, const char *value, const char *yes,
		       const char *no, bool *out, struct cfs_error *err)
{
	*out = strcmp(value, yes) == 0;
	if (*out || strcmp(value, no) == 0)
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE,
			     "option '%s': '%s' is neither '%s' nor '%s'", name,
			     value, yes, no);
}

/* Of the block cache; 0 and "off": none on disk. */
static int take_cache_size(struct cfs_crawl_opts *o, const char *value,
			   struct cfs_error *err)
{
	o->no_cache = strcmp(value, "0") == 0 || strcmp(value, "off") == 0;
	return o->no_cache ? CFS_OK :
	       take_bytes("cache_size", value, &o->cache_bytes, err);
}

static int take_parallel(struct cfs_mount_words *w, const char *value,
			 struct cfs_error *err)
{
	uint64_t n;

	if (!cfs_cli_parse_count(value, CFS_HTTP_PARALLEL_MAX, &n))
		return cfs_error_set(err, CFS_EUSAGE,
			"option 'parallel': '%s' is not between 1 and %u",
			value, CFS_HTTP_PARALLEL_MAX);
	w->mount.parallel = (unsigned)n;
	return CFS_OK;
}

static int take_timeout(struct cfs_mount_words *w, const char *value,
			struct cfs_error *err)
{
	if (cfs_cli_parse_seconds(value, &w->mount.http.timeout_ms))
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE,
		"option 'timeout': '%s' is no number of seconds", value);
}

static int take_endpoint(struct cfs_mount_words *w, const char *value,
			 struct cfs_error *err)
{
	free(w->endpoint);
	w->endpoint = strdup(value);
	w->mount.http.endpoint = w->endpoint;
	return w->endpoint ? CFS_OK :
	       cfs_error_set(err, CFS_ENOMEM, "out of memory");
}

static int take_threads(struct cfs_mount_words *w, const char *value,
			struct cfs_error *err)
{
	uint64_t n;

	if (!cfs_cli_parse_count(value, THREADS_MAX, &n))
		return cfs_error_set(err, CFS_EUSAGE,
			"option 'threads': '%s' is not between 1 and %u", value,
			THREADS_MAX);
	w->mount.threads = (unsigned)n;
	return CFS_OK;
}

static int take_value(struct cfs_mount_words *w, const char *name,
		      const char *value, bool *known, struct cfs_error *err)
{
	struct cfs_mount_opts *m = &w->mount;
	int rc;

	*known = true;
	if (strcmp(name, "data") == 0) {
		rc = take_path(name, &w->data, value, err);
		m->crawl.data = w->data;
		return rc;
	}
	if (strcmp(name, "cache") == 0) {
		rc = take_path(name, &w->cache, value, err);
		m->crawl.cache_dir = w->cache;
		return rc;
	}
	if (strcmp(name, "base") == 0) {
		rc = take_path(name, &w->base, value, err);
		m->crawl.base = w->base;
		return rc;
	}
	if (strcmp(name, "endpoint") == 0)
		return take_endpoint(w, value, err);
	if (strcmp(name, "timeout") == 0)
		return take_timeout(w, value, err);
	if (strcmp(name, "cache_size") == 0)
		return take_cache_size(&m->crawl, value, err);
	if (strcmp(name, "parallel") == 0)
		return take_parallel(w, value, err);
	if (strcmp(name, "readahead") == 0)
		return take_choice(name, value, "off", "on",
				   &m->no_readahead, err);
	if (strcmp(name, "mem") == 0)
		return take_mem(&m->crawl, value, err);
	if (strcmp(name, "max_record") == 0)
		return take_bytes(name, value, &m->crawl.max_record_bytes, err);
	if (strcmp(name, "views") == 0)
		return cfs_view_set_parse(value, &m->fs.views, err);
	if (strcmp(name, "size") == 0)
		return take_choice(name, value, "exact", "lazy",
				   &m->fs.size_exact, err);
	if (strcmp(name, "meta") == 0)
		return take_choice(name, value, "compact", "pretty",
				   &m->fs.view.meta_compact, err);
	if (strcmp(name, "threads") == 0)
		return take_threads(w, value, err);
	*known = false;
	return CFS_OK;
}

int cfs_mount_words_set(struct cfs_mount_words *w, const char *name,
			const char *value, struct cfs_error *err)
{
	bool known;
	int rc = take_value(w, name, value, &known, err);

	return known ? rc : cfs_error_set(err, CFS_EUSAGE,
				"mount option '%s' is not known", name);
}

/* `word` may be changed. */
static int take_word(struct cfs_mount_words *w, char *word,
		     struct cfs_error *err)
{
	char *value = strchr(word, '=');
	bool known = false;
	int rc = CFS_OK;

	if (word[0] == '\0')
		return CFS_OK;
	if (strcmp(word, "xattr") == 0) {
		w->mount.fs.xattr = true;
		return CFS_OK;
	}
	if (strcmp(word, "rw") == 0 && !w->is_helper)
		return cfs_error_set(err, CFS_EUSAGE,
			"option 'rw': a crawl is read-only and cannot be written to");
	if (strcmp(word, "rw") == 0 || is_ignored_word(word))
		return CFS_OK;
	if (is_kernel_word(word))
		return add_kernel_word(w, word, err);
	if (value != NULL) {
		*value = '\0';
		rc = take_value(w, word, value + 1, &known, err);
		*value = '=';
	}
	if (!known && !w->is_sloppy)
		return cfs_error_set(err, CFS_EUSAGE,
				     "mount option '%s' is not known", word);
	return rc;
}

int cfs_mount_words_take(struct cfs_mount_words *w, const char *list,
			 struct cfs_error *err)
{
	char *word = malloc(strlen(list) + 1);
	int rc = CFS_OK;

	if (word == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	while (rc == CFS_OK && *list != '\0') {
		size_t n = 0;

		for (; *list != '\0' && *list != ','; list++) {
			if (list[0] == '\\' && (list[1] == ',' || list[1] == '\\'))
				list++;
			word[n++] = *list;
		}
		word[n] = '\0';
		if (*list == ',')
			list++;
		rc = take_word(w, word, err);
	}
	free(word);
	return rc;
}
