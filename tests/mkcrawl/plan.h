/* plan.h - what capture n is, before a byte of it is made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_PLAN_H
#define MKCRAWL_PLAN_H

#include "urls.h"

enum mk_kind {		/* names in the manifest: see mk_kind_name */
	MK_KIND_ARC, MK_KIND_RESPONSE, MK_KIND_RESOURCE, MK_KIND_REVISIT,
	MK_KIND_CONVERSION
};
const char *mk_kind_name(enum mk_kind k);

/* How a page tells its encoding. */
enum mk_declared {
	MK_DECLARED_HEADER, MK_DECLARED_META, MK_DECLARED_BOTH,
	MK_DECLARED_WRONG, MK_DECLARED_NOT
};

/* The transfer and content encoding that the head declares, and the real
 * one. */
enum mk_coding {
	MK_CODING_NONE, MK_CODING_GZIP, MK_CODING_DEFLATE,
	MK_CODING_RAW_DEFLATE
};

#define MK_NO_CAPTURE UINT64_MAX

struct mk_plan {
	uint64_t n;			/* capture number */
	struct cfs_buf url;		/* the whole URL */
	uint64_t host_id;
	enum mk_kind kind;
	int64_t time;			/* Unix seconds */
	unsigned status;
	enum mk_type type;
	enum mk_tongue tongue;
	enum mk_declared declared;
	uint64_t body_bytes;		/* about; before encoding */
	uint64_t body_seed;		/* captures of one value have one body */
	enum mk_coding coding;		/* named in the head */
	bool chunked;			/* named in the head */
	bool is_applied;		/* and the bytes are so */
	bool crawler_names;		/* X-Crawler-Content-Encoding: ... */
	bool bare_lf;			/* the head's line ends */
	bool is_cut;			/* the body breaks off */
	uint64_t refers_to;		/* capture a revisit names, or none */
};

void mk_plan_init(struct mk_plan *p);
void mk_plan_release(struct mk_plan *p);

/* Fills p for capture n, in ARC or WARC.  False when the URL cannot be
 * written in that format (a line feed in it). */
bool mk_plan_make(struct mk_plan *p, const struct mk_urls *u, uint64_t n,
		  bool warc);

#endif
