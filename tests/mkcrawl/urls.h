/* urls.h - the URLs of a crawl, by number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_URLS_H
#define MKCRAWL_URLS_H

#include "mkcrawl.h"
#include "words.h"

/* Parts of a URL while it is made; the pieces are put together as
 * scheme://[userinfo@]host[:port]path. */
struct mk_url {
	const char *scheme;
	char userinfo[64], port[16];
	struct cfs_buf host, path;
	enum mk_type type;
	uint64_t host_id;		/* common to a host's pages */
};

struct mk_urls {
	const struct mk_config *cfg;
	const struct mk_words *words;
	struct mk_zipf hosts;
	/* --urls: the file, and where its lines begin. */
	struct cfs_slice file;
	uint64_t *line, n_lines;
};

/* Dies when the file of cfg->urls cannot be read. */
void mk_urls_init(struct mk_urls *u, const struct mk_config *cfg,
		  const struct mk_words *words);
void mk_urls_release(struct mk_urls *u);

void mk_url_init(struct mk_url *url);
void mk_url_release(struct mk_url *url);
void mk_url_reset(struct mk_url *url);
/* Appends the whole. */
void mk_url_join(const struct mk_url *url, struct cfs_buf *out);

/* URL number n before anything odd is done to it. */
void mk_urls_plain(const struct mk_urls *u, uint64_t n, struct mk_url *out);
/* URL number n: plain, or as hostile.c spoils it. */
void mk_urls_get(const struct mk_urls *u, uint64_t n, struct mk_url *out);
/* Line n of the file of --urls, without its end. */
struct cfs_slice mk_urls_line(const struct mk_urls *u, uint64_t n);

/* hostile.c: changes url, which is URL number n, into something odd. */
void mk_url_spoil(const struct mk_urls *u, uint64_t n, struct mk_url *url);

#endif
