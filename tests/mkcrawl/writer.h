/* writer.h - one capture into an archive: arc.c and warc.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_WRITER_H
#define MKCRAWL_WRITER_H

#include "archive.h"
#include "http.h"
#include "manifest.h"

struct mk_pbout;

struct mk_writer {
	const struct mk_config *cfg;
	const struct mk_words *words;
	const struct mk_urls *urls;
	struct mk_archive archive;
	struct mk_message msg, other;	/* this capture's; one it refers to */
	struct mk_plan target;		/* the capture it refers to */
	struct cfs_buf record;		/* the record before compression */
	struct mk_manifest *manifest;	/* not owned */
	struct mk_pbout *pb;		/* not owned; NULL: no PB-tree */
	uint64_t records;		/* of every type */
};

void mk_arc_capture(struct mk_writer *w, const struct mk_plan *p);
void mk_warc_capture(struct mk_writer *w, const struct mk_plan *p);

/* A made-up address for a host. */
void mk_ip_of(uint64_t host_id, char out[16]);

#endif
