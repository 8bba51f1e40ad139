/* arc.c - ARC 1.0 records in the layout of the 2012 crawl (see writer.h).
 *
 *     file   = member(file header) *member(record)
 *     record = URL SP IP SP YYYYMMDDhhmmss SP mime SP length LF head body LF
 *
 * The length counts what follows the first LF, the last LF included
 * (September 2012), less cfg->arc_short bytes (3: July 2012; 1: 2009).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "pbout.h"
#include "writer.h"

/* The same in all eras: the bytes of the two lines and the blank one. */
#define FILE_HEADER_LENGTH 73

void mk_ip_of(uint64_t host_id, char out[16])
{
	uint64_t v = mk_mix(host_id + 1);

	snprintf(out, 16, "%u.%u.%u.%u", 60 + (unsigned)(v % 130),
		 (unsigned)(v >> 8 & 255), (unsigned)(v >> 16 & 255),
		 1 + (unsigned)(v >> 24) % 254);
}

static void begin_file(struct mk_writer *w)
{
	const char *base;
	char when[CFS_TIME_14_BYTES];

	mk_archive_begin(&w->archive);
	base = strrchr(w->archive.name, '/') + 1;
	cfs_time_format_14((int64_t)(w->archive.date_ms / 1000), when);
	cfs_buf_reset(&w->record);
	cfs_buf_addf(&w->record, "filedesc://%s 0.0.0.0 %s text/plain %d\n"
		     "1 0 CommonCrawl\n"
		     "URL IP-address Archive-date Content-type Archive-length\n"
		     "\n", base, when, FILE_HEADER_LENGTH);
	mk_check(&w->record);
	mk_archive_write(&w->archive, cfs_buf_slice(&w->record), true);
	w->records++;
}

void mk_arc_capture(struct mk_writer *w, const struct mk_plan *p)
{
	struct mk_message *m = &w->msg;
	char when[CFS_TIME_14_BYTES], ip[16];
	struct mk_place at;

	if (mk_archive_is_full(&w->archive))
		begin_file(w);
	mk_message_make(m, w->words, w->cfg, p, true);
	cfs_time_format_14(p->time, when);
	mk_ip_of(p->host_id, ip);
	cfs_buf_reset(&w->record);
	cfs_buf_add(&w->record, cfs_buf_slice(&p->url));
	cfs_buf_addf(&w->record, " %s %s %s %zu\n", ip, when,
		     mk_page_mime(p->type),
		     m->head.n + m->stored.n + 1 - w->cfg->arc_short);
	cfs_buf_add(&w->record, cfs_buf_slice(&m->head));
	cfs_buf_add(&w->record, cfs_buf_slice(&m->stored));
	cfs_buf_addc(&w->record, '\n');
	mk_check(&w->record);
	at = mk_archive_write(&w->archive, cfs_buf_slice(&w->record), false);
	w->records++;
	mk_manifest_add(w->manifest, w->words, p, &at, m->body_sha1, m->body.n,
			false);
	if (w->pb != NULL)
		mk_pbout_add(w->pb, cfs_buf_slice(&p->url), &w->archive, &at);
}
