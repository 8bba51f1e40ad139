/* cdx_line.h - parses one line of a CDX, CDXJ or cluster.idx file.
 *
 * Spec: doc/formats.md, "CDX files", "CDXJ lines" and "ZipNum clusters".
 *     CDXJ    key SP time SP JSON object
 *     CDX     fields between separators, named by a first line such as
 *             " CDX N b a m s k r M S V g" (its first byte separates); without
 *             one, their number tells: 9, 10, 11 or 14
 *     JSON    an object with "urlkey" and "timestamp" too (index servers)
 *     cluster key SP time TAB shard TAB offset TAB length [TAB number]
 * "-" stands for a field whose value is not known.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_CDX_LINE_H
#define CFS_CDX_CDX_LINE_H

#include "base/buf.h"
#include "base/error.h"
#include "codec/json.h"

/* Longer lines are damaged: a URL has 8 KiB, escaped six times as much. */
#define CFS_CDX_LINE_MAX (256u << 10)
#define CFS_CDX_LONG_LINE "the line is too long"
#define CFS_CDX_NAME_MAX 4096u		/* bytes of an archive's name */
#define CFS_CDX_FIELDS_MAX 32u

enum cfs_cdx_field {
	CFS_CDX_NONE, CFS_CDX_KEY, CFS_CDX_TIME, CFS_CDX_URL, CFS_CDX_MIME,
	CFS_CDX_STATUS, CFS_CDX_DIGEST, CFS_CDX_LENGTH, CFS_CDX_OFFSET,
	CFS_CDX_NAME,
	CFS_CDX_PLAIN_OFFSET,	/* offset in the inflated archive */
	CFS_CDX_LANGUAGES,	/* only in JSON */
	CFS_CDX_FIELDS
};

/* The field in each column; n 0: the number of columns in a line decides. */
struct cfs_cdx_legend {
	unsigned n;
	uint8_t separator;
	uint8_t field[CFS_CDX_FIELDS_MAX];
};

/* The fields of a line; text as it stands there, escapes included. */
struct cfs_cdx_line {
	struct cfs_json_text key, url, mime, digest, name, languages;
	int64_t time;			/* Unix seconds */
	uint16_t status;		/* 0: not known */
	uint64_t offset, length;	/* length 0: not known */
};

/* Takes the next line of a text, without its end, from *rest.  False at the
 * end. */
bool cfs_line_take(struct cfs_slice *rest, struct cfs_slice *line);

/* True for the first line of a CDX that names the columns. */
bool cfs_cdx_is_legend(struct cfs_slice line);
/* 0, or CFS_EFORMAT if it names too many columns. */
int cfs_cdx_parse_legend(struct cfs_slice line, struct cfs_cdx_legend *out);
/* The first column without which no capture can be found, by its letter and
 * meaning ("g (the archive's name)"); NULL if the legend has all of them. */
const char *cfs_cdx_legend_lacks(const struct cfs_cdx_legend *legend);

/* Says what is wrong with a line at an offset; number: in what was inflated
 * there, from 1, or 0. */
void cfs_cdx_bad_line(struct cfs_error *out, const char *where, uint64_t off,
		      uint64_t number, const char *why);

/*
 * Splits a line (without its end) into fields that borrow from it.  If the
 * legend has no key, the URL serves as the key.
 * 0; CFS_END for a line that is not meant to be a capture (empty, a legend, a
 * comment beginning with '!' or '#'); CFS_EFORMAT: *why says what is wrong
 * (a static sentence; may be NULL).
 */
int cfs_cdx_parse(struct cfs_slice line, const struct cfs_cdx_legend *legend,
		  struct cfs_cdx_line *out, const char **why);

/* The archive's name as a path below a folder: a URL loses its scheme and host,
 * an absolute path its folders.  Empty if the name cannot be used. */
struct cfs_slice cfs_cdx_tidy_name(struct cfs_slice name);

/* The archive's name in a line, tidied and without escapes; made in `buf` if it
 * has any.  Empty if it cannot be used, or after a failure (buf->failed). */
struct cfs_slice cfs_cdx_name(const struct cfs_cdx_line *line,
			      struct cfs_buf *buf);

/* A line of cluster.idx; `time` is the text behind the key, not checked. */
struct cfs_cluster_line {
	struct cfs_slice key, time, shard;
	uint64_t offset, length;
	uint64_t stated;	/* the length in the line, if it reaches into
				 * the next member; `length` ends there.  0: it
				 * does not */
};
/* 0, or CFS_EFORMAT. */
int cfs_cluster_parse(struct cfs_slice line, struct cfs_cluster_line *out);

#endif
