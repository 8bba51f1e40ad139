/* inflow.h - an archive file as one run of plain bytes that remembers
 * which member (of gzip, or a zstd frame) each came from.
 *
 * The bytes of all members, one after the other, have positions: 0 is the
 * first of them.  In an uncompressed file a position is a file offset.
 * Bytes come in by cfs_inflow_pull, go by cfs_inflow_drop; what is between
 * is in one block of memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_INFLOW_H
#define CFS_RECORD_INFLOW_H

#include "base/buf.h"
#include "members.h"

/* Members held at once; a record spread over more is damage. */
#define CFS_INFLOW_SEGS_MAX 65536u

/* A member, or a whole uncompressed file. */
struct cfs_inflow_seg {
	uint64_t file_off, file_end;	/* file_end: so far, while is_open */
	uint64_t start, end;		/* positions, as far as inflated */
	bool is_open;
};

enum cfs_inflow_result {	/* of pull, beside failures (negative) */
	CFS_INFLOW_SAME,	/* more bytes of the last segment */
	CFS_INFLOW_NEW,		/* a new segment, and bytes of it */
	CFS_INFLOW_END,		/* nothing more */
	CFS_INFLOW_BAD,		/* damage; see damage and resume */
};

struct cfs_inflow {
	struct cfs_source *src;		/* borrowed */
	const struct cfs_cancel *cancel;
	enum cfs_coding coding;		/* NONE: there are no members */
	struct cfs_zst_dict *dict;	/* as in codec/member.h */
	uint64_t file_pos;		/* next file byte to take in */
	/* Members begin before this file offset; the file's size, unless set.
	 * overshot: one of them went past it. */
	uint64_t end;
	bool overshot;
	/* What was taken in and not yet dropped: out.p[from .. out.n), where
	 * out.p[from] has position pos. */
	struct cfs_buf out;
	size_t from;
	uint64_t pos;
	uint64_t inflated;		/* bytes ever put in */
	uint64_t members;		/* that ended well */
	struct cfs_inflow_seg *segs;	/* those that have bytes in out */
	size_t n_segs, segs_cap;
	/* Damage: what and where; the search for a next member begins at
	 * resume.  is_cut: the file just ends inside a member, whose bytes
	 * so far are good.  (A member that was cut off before others were put
	 * behind it may inflate on through them to the end of the file.  That
	 * is damage.) */
	struct cfs_error damage;
	uint64_t resume;
	bool is_cut;
	/* private */
	unsigned looks_behind;
	struct cfs_member_stream *z;	/* a member that is taken in pieces */
	uint8_t *in;			/* compressed window */
	uint64_t in_off;
	size_t in_n;
};

/* Opens at file offset `at`, where a member of that coding begins, or what is
 * not compressed.  max_bytes: most to be held at once.  dict: of zstd frames;
 * NULL: there is none.  0 or CFS_ENOMEM. */
int cfs_inflow_init(struct cfs_inflow *s, struct cfs_source *src,
		    enum cfs_coding coding, uint64_t at,
		    struct cfs_zst_dict *dict, uint64_t max_bytes,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_inflow_release(struct cfs_inflow *s);

/* Takes more in: enum cfs_inflow_result, or CFS_EIO, CFS_ENOMEM, CFS_EINTR,
 * CFS_ELIMIT (max_bytes are held already). */
int cfs_inflow_pull(struct cfs_inflow *s, struct cfs_error *err);

/* Bytes held, and the position after them. */
struct cfs_slice cfs_inflow_bytes(const struct cfs_inflow *s);
static inline uint64_t cfs_inflow_end(const struct cfs_inflow *s)
{
	return s->pos + (s->out.n - s->from);
}

/* Drops all before position `to` (held, or the end of what is held). */
void cfs_inflow_drop(struct cfs_inflow *s, uint64_t to);
/* Uncompressed files only: goes to a position without reading. */
void cfs_inflow_skip(struct cfs_inflow *s, uint64_t to);

/* Inflates the member under way, whose bytes are held in part, to its end from
 * its beginning: CFS_INFLOW_BAD if it is damaged, with `damage` and `resume`
 * set, else CFS_INFLOW_SAME, also of one that is cut off.  Failures as in
 * pull. */
int cfs_inflow_check(struct cfs_inflow *s, struct cfs_error *err);

/* After CFS_INFLOW_BAD: takes back the damaged member's bytes, if others are
 * held before them (or if there was no member at all).  False if not. */
bool cfs_inflow_undo(struct cfs_inflow *s);

/* The segment that holds the byte at a position held (or, past the last
 * byte, the last segment).  NULL when nothing was ever pulled. */
struct cfs_inflow_seg *cfs_inflow_seg_at(const struct cfs_inflow *s,
					 uint64_t pos);

/*
 * After damage in a file of members: drops everything and finds the next member
 * at or after file offset `from` that inflates to the start of a record.
 * 0; CFS_END; failures.
 */
int cfs_inflow_resync(struct cfs_inflow *s, uint64_t from,
		      struct cfs_error *err);

#endif
