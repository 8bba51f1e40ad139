/* archive.c - files of gzip members (see archive.h).
 *
 * A member's header is the one the crawls' Java writers made: no name, no
 * time, operating system 0; the first of an ARC file has an extra field
 * of 8 bytes (doc/formats.md, "ARC file header").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archive.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IO_BYTES (1u << 20)
#define FILES_PER_SEGMENT 16u

void mk_make_folders(const struct mk_config *cfg, const char *path)
{
	char full[4096];
	int n = snprintf(full, sizeof(full), "%s/%s", cfg->out, path);

	if (n < 0 || (size_t)n >= sizeof(full))
		mk_die("path too long");
	for (char *p = full + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(full, 0777) != 0 && errno != EEXIST)
			mk_die("cannot make '%s': %s", full, strerror(errno));
		*p = '/';
	}
}

FILE *mk_create(const struct mk_config *cfg, const char *path)
{
	char full[4096];
	FILE *f;

	mk_make_folders(cfg, path);
	snprintf(full, sizeof(full), "%s/%s", cfg->out, path);
	f = fopen(full, "w+be");
	if (f == NULL)
		mk_die("cannot write '%s': %s", full, strerror(errno));
	return f;
}

void mk_archive_init(struct mk_archive *a, const struct mk_config *cfg, bool arc)
{
	memset(a, 0, sizeof(*a));
	a->cfg = cfg;
	a->arc = arc;
	cfs_buf_init(&a->member, MK_BUF_MAX * 2);
	a->z = libdeflate_alloc_compressor((int)cfg->level);
	a->io = malloc(IO_BYTES);
	if (a->z == NULL || a->io == NULL)
		mk_die("out of memory");
}

static void end_file(struct mk_archive *a)
{
	if (a->f == NULL)
		return;
	if (fflush(a->f) != 0 || ferror(a->f))
		mk_die("cannot write '%s': %s", a->name, strerror(errno));
	fclose(a->f);
	a->f = NULL;
	a->bytes += a->offset;
}

void mk_archive_release(struct mk_archive *a)
{
	end_file(a);
	libdeflate_free_compressor(a->z);
	free(a->io);
	cfs_buf_release(&a->member);
}

bool mk_archive_is_full(const struct mk_archive *a)
{
	return a->f == NULL || a->offset >= a->cfg->archive_bytes;
}

/* The partition is unique in the segment; the date is not in the order of
 * writing, as it was not in the crawl. */
static void name_arc(struct mk_archive *a)
{
	uint64_t k = a->number - 1, seg = k / FILES_PER_SEGMENT;
	struct mk_rng r = mk_rng_at(a->cfg->seed, k, MK_SALT_ARCHIVE);

	a->segment = (uint64_t)a->cfg->start * 1000 + a->cfg->seed % 1000 +
		     seg * 10000019;
	a->date_ms = a->segment + 60000 + mk_rng_below(&r, 3600000);
	a->partition = (uint32_t)((k % FILES_PER_SEGMENT) * 37 +
				  mk_rng_below(&r, 37));
	snprintf(a->name, sizeof(a->name),
		 "parse-output/segment/%llu/%llu_%u.arc%s",
		 (unsigned long long)a->segment, (unsigned long long)a->date_ms,
		 (unsigned)a->partition, a->cfg->plain ? "" : ".gz");
}

static void name_warc(struct mk_archive *a)
{
	char from[CFS_TIME_14_BYTES], to[CFS_TIME_14_BYTES];
	uint64_t k = a->number - 1;

	cfs_time_format_14(a->cfg->start, from);
	cfs_time_format_14(a->cfg->start + 3 * 3600, to);
	snprintf(a->name, sizeof(a->name),
		 "crawl-data/CC-MAIN-%.4s-10/segments/%llu.%u/warc/"
		 "CC-MAIN-%s-%s-%05u.warc%s", from,
		 (unsigned long long)a->cfg->start * 1000 + a->cfg->seed % 1000,
		 (unsigned)(k / FILES_PER_SEGMENT), from, to, (unsigned)k,
		 a->cfg->plain ? "" : ".gz");
}

void mk_archive_begin(struct mk_archive *a)
{
	end_file(a);
	a->number++;
	a->offset = 0;
	if (a->arc)
		name_arc(a);
	else
		name_warc(a);
	a->f = mk_create(a->cfg, a->name);
	setvbuf(a->f, a->io, _IOFBF, IO_BYTES);
}

/* Fills a->member with record as a gzip member. */
static void make_member(struct mk_archive *a, struct cfs_slice record, bool extra)
{
	static const uint8_t plain[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t lx[] = { 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3,
				      8, 0, 'L', 'X', 4, 0, 0, 0, 0, 0 };
	size_t bound = libdeflate_deflate_compress_bound(a->z, record.n), n;

	cfs_buf_reset(&a->member);
	if (extra)
		cfs_buf_append(&a->member, lx, sizeof(lx));
	else
		cfs_buf_append(&a->member, plain, sizeof(plain));
	if (cfs_buf_reserve(&a->member, bound + 8) != CFS_OK)
		mk_die("out of memory");
	n = libdeflate_deflate_compress(a->z, record.p, record.n,
					a->member.p + a->member.n, bound);
	if (n == 0)
		mk_die("deflate failed");
	a->member.n += n;
	cfs_buf_le32(&a->member, libdeflate_crc32(0, record.p, record.n));
	cfs_buf_le32(&a->member, (uint32_t)record.n);
	mk_check(&a->member);
}

struct mk_place mk_archive_write(struct mk_archive *a, struct cfs_slice record,
				 bool extra)
{
	struct mk_place at = { a->name, a->offset, record.n };

	if (!a->cfg->plain) {
		make_member(a, record, extra);
		record = cfs_buf_slice(&a->member);
		at.length = record.n;
	}
	if (fwrite(record.p, 1, record.n, a->f) != record.n)
		mk_die("cannot write '%s': %s", a->name, strerror(errno));
	a->offset += record.n;
	return at;
}
