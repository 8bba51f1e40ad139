/* copy_first.c - the first record of a copy, which says what the copy is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "copy_first.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "codec/gzip.h"

static struct tm utc_of(int64_t t)
{
	time_t seconds = (time_t)t;
	struct tm out;

	if (gmtime_r(&seconds, &out) == NULL)
		memset(&out, 0, sizeof(out));
	return out;
}

/* Appends a name of any bytes as part of a line; those below `first` become
 * '_'. */
static void add_printable(struct cfs_buf *b, const char *s, unsigned char first)
{
	for (; *s != '\0'; s++)
		cfs_buf_addc(b, (unsigned char)*s < first || *s == 0x7f ? '_' :
			     (uint8_t)*s);
}

static void make_warcinfo(const struct cfs_copy_first *f, const char *name,
			  struct cfs_buf *body, struct cfs_buf *out)
{
	uint64_t id = cfs_hash64(cfs_slice_str(f->output),
				 f->sum ^ (uint64_t)f->time);
	uint64_t more = cfs_hash64(cfs_slice_of(&id, sizeof(id)), 1);
	struct tm t = utc_of(f->time);

	cfs_buf_adds(body, "software: crawlfs " PACKAGE_VERSION "\r\n"
		     "format: WARC File Format 1.0\r\n"
		     "description: records copied from ");
	add_printable(body, f->described, ' ');
	cfs_buf_adds(body, "\r\n");
	cfs_buf_addf(out, "WARC/1.0\r\nWARC-Type: warcinfo\r\n"
		"WARC-Record-ID: <urn:uuid:%08" PRIx32 "-%04x-4%03x-%04x-%012"
		PRIx64 ">\r\n"
		"WARC-Date: %04d-%02d-%02dT%02d:%02d:%02dZ\r\n"
		"WARC-Filename: %s\r\n"
		"Content-Type: application/warc-fields\r\n"
		"Content-Length: %zu\r\n\r\n",
		(uint32_t)(id >> 32), (unsigned)(id >> 16 & 0xffff),
		(unsigned)(id & 0xfff), (unsigned)(more >> 48 & 0x3fff) | 0x8000u,
		more & UINT64_C(0xffffffffffff),
		t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
		t.tm_sec, name, body->n);
	cfs_buf_add(out, cfs_buf_slice(body));
	cfs_buf_adds(out, "\r\n\r\n");
}

/* Heritrix's field lists, as everybody writes them. */
static void make_filedesc(const struct cfs_copy_first *f, const char *name,
			  struct cfs_buf *body, struct cfs_buf *out)
{
	struct tm t = utc_of(f->time);

	cfs_buf_adds(body, f->is_arc2 ?
		"2 0 crawlfs\nURL IP-address Archive-date Content-type Result-code "
		"Checksum Location Offset Filename Archive-length\n" :
		"1 0 crawlfs\nURL IP-address Archive-date Content-type "
		"Archive-length\n");
	cfs_buf_addf(out, "filedesc://%s 0.0.0.0 %04d%02d%02d%02d%02d%02d "
		     "text/plain ", name, t.tm_year + 1900, t.tm_mon + 1,
		     t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
	if (f->is_arc2)
		cfs_buf_addf(out, "200 - - 0 %s ", name);
	cfs_buf_addf(out, "%zu\n", body->n);
	cfs_buf_add(out, cfs_buf_slice(body));
	cfs_buf_addc(out, '\n');
}

int cfs_copy_first_write(const struct cfs_copy_first *f, struct cfs_buf *out,
			 struct cfs_error *err)
{
	const char *slash = strrchr(f->output, '/');
	struct cfs_buf name, body, plain;
	int rc;

	cfs_buf_init(&name, 1 << 13);
	cfs_buf_init(&body, 1 << 16);
	cfs_buf_init(&plain, 1 << 17);
	add_printable(&name, slash != NULL ? slash + 1 : f->output, '!');
	if (f->format == CFS_ARCHIVE_WARC)
		make_warcinfo(f, cfs_buf_str(&name), &body, &plain);
	else
		make_filedesc(f, cfs_buf_str(&name), &body, &plain);
	rc = name.failed != CFS_OK ? name.failed :
	     body.failed != CFS_OK ? body.failed : plain.failed;
	rc = rc != CFS_OK ? cfs_error_set(err, rc, "out of memory") :
	     cfs_gz_compress(cfs_buf_slice(&plain), out, err);
	cfs_buf_release(&name);
	cfs_buf_release(&body);
	cfs_buf_release(&plain);
	return rc;
}
