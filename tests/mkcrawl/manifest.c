/* manifest.c - what a reader should find (see manifest.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define NAME "manifest.tsv"

void mk_manifest_open(struct mk_manifest *m, const struct mk_config *cfg)
{
	m->captures = 0;
	m->body_bytes = 0;
	cfs_buf_init(&m->line, MK_BUF_MAX);
	m->f = mk_create(cfg, NAME);
	setvbuf(m->f, NULL, _IOFBF, 1u << 20);
	fputs("#url\tkind\ttimestamp\tstatus\tarchive\toffset\tlength\tsha1\t"
	      "bytes\tflags\n", m->f);
}

void mk_manifest_close(struct mk_manifest *m)
{
	if (fflush(m->f) != 0 || ferror(m->f))
		mk_die("cannot write '%s': %s", NAME, strerror(errno));
	fclose(m->f);
	cfs_buf_release(&m->line);
}

static void add_escaped(struct cfs_buf *out, struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < 0x20 || s.p[i] == 0x7f || s.p[i] == '\\')
			cfs_buf_addf(out, "\\x%02x", s.p[i]);
		else
			cfs_buf_addc(out, s.p[i]);
	}
}

static void add_flags(struct cfs_buf *out, const struct mk_words *w,
		      const struct mk_plan *p, bool dangling)
{
	static const char *const types[] = {
		"html", "rss", "atom", "text", "jpeg", "pdf", "gzip-file",
	};
	static const char *const codings[] = {
		"", ",gzip", ",deflate", ",deflate",
	};
	bool named = p->coding != MK_CODING_NONE || p->chunked;

	cfs_buf_adds(out, types[p->type]);
	if (mk_type_is_text(p->type))
		cfs_buf_addf(out, ",charset:%s", w->pool[p->tongue].charset);
	if (p->is_applied) {
		cfs_buf_adds(out, codings[p->coding]);
		cfs_buf_adds(out, p->chunked ? ",chunked" : "");
	} else if (named) {
		cfs_buf_adds(out, ",kept");
	}
	cfs_buf_adds(out, p->is_cut ? ",cut" : "");
	cfs_buf_adds(out, dangling ? ",dangling" : "");
}

void mk_manifest_add(struct mk_manifest *m, const struct mk_words *w,
		     const struct mk_plan *p, const struct mk_place *at,
		     const uint8_t sha1[MK_SHA1_BYTES], uint64_t body_bytes,
		     bool dangling)
{
	bool has_status = p->kind != MK_KIND_RESOURCE &&
			  p->kind != MK_KIND_CONVERSION;
	char when[CFS_TIME_14_BYTES];
	struct cfs_buf *l = &m->line;

	cfs_time_format_14(p->time, when);
	cfs_buf_reset(l);
	add_escaped(l, cfs_buf_slice(&p->url));
	cfs_buf_addf(l, "\t%s\t%s\t", mk_kind_name(p->kind), when);
	if (has_status)
		cfs_buf_addf(l, "%u", p->status);
	else
		cfs_buf_addc(l, '-');
	cfs_buf_addf(l, "\t%s\t%" PRIu64 "\t%" PRIu64 "\t", at->archive,
		     at->offset, at->length);
	for (unsigned i = 0; i < MK_SHA1_BYTES; i++)
		cfs_buf_addf(l, "%02x", sha1[i]);
	cfs_buf_addf(l, "\t%" PRIu64 "\t", body_bytes);
	add_flags(l, w, p, dangling);
	cfs_buf_addc(l, '\n');
	mk_check(l);
	fwrite(l->p, 1, l->n, m->f);
	m->captures++;
	m->body_bytes += body_bytes;
}
