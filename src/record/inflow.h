/* inflow.h - reads an archive file as one sequence of plain bytes that
 * remembers from which member (of gzip, or a zstd frame) each byte came.
 *
 * The bytes of all members, in order, have positions from 0 on.  In an
 * uncompressed file a position is a file offset.  cfs_inflow_pull takes bytes
 * in, cfs_inflow_drop drops them; the bytes between are held in one block of
 * memory or, if they are more than wanted there, in a temporary file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_INFLOW_H
#define CFS_RECORD_INFLOW_H

#include "base/buf.h"
#include "base/spill.h"
#include "members.h"

/* Most members held at once; a record spread over more is damaged. */
#define CFS_INFLOW_SEGS_MAX 65536u

/* A member, or a whole uncompressed file. */
struct cfs_inflow_seg {
	uint64_t file_off, file_end;	/* file_end: so far, while is_open */
	uint64_t start, end;		/* positions, as far as inflated */
	bool is_open;
};

enum cfs_inflow_result {	/* of pull, besides failures (negative) */
	CFS_INFLOW_SAME,	/* more bytes of the last segment */
	CFS_INFLOW_NEW,		/* a new segment, and bytes of it */
	CFS_INFLOW_END,		/* no more bytes */
	CFS_INFLOW_BAD,		/* damage; see `damage` and `resume` */
};

struct cfs_inflow {
	struct cfs_source *src;		/* borrowed */
	const struct cfs_cancel *cancel;
	enum cfs_coding coding;		/* NONE: there are no members */
	struct cfs_zst_dict *dict;	/* as in codec/member.h */
	uint64_t file_pos;		/* next file byte to take in */
	/* Members must begin before this file offset; by default the file's
	 * size. */
	uint64_t end;
	/* Bytes taken in and not dropped: out.p[from .. out.n), where
	 * out.p[from] has position pos. */
	struct cfs_buf out;
	size_t from;
	size_t hold_max;		/* cfs_inflow_spill; 0: not called */
	const char *spill_dir;
	bool spill_failed;		/* the last failure was that of a file
					 * there */
	uint64_t pos;
	uint64_t inflated;		/* all bytes ever taken in */
	uint64_t members;		/* members that ended well */
	struct cfs_inflow_seg *segs;	/* n_segs from segs_from on have bytes
					 * in out */
	size_t segs_from, n_segs, segs_cap;
	/* Damage: what and where; a search for the next member begins at
	 * resume.  is_cut: the file just ends inside a member, whose bytes so
	 * far are good.  (If a member was cut off and others were appended, it
	 * may inflate on through them to the end of the file.  That is
	 * damage.) */
	struct cfs_error damage;
	uint64_t resume;
	bool is_cut;
	/* private */
	unsigned looks_behind;
	struct cfs_member_stream *z;	/* a member read in steps, or NULL */
	uint8_t *in;			/* compressed window */
	uint64_t in_off;
	size_t in_n;
};

/* Begins at file offset `at`: at a member of that coding, or at uncompressed
 * bytes.  max_bytes: most bytes held at once.  dict: for zstd frames; NULL:
 * none.  0 or CFS_ENOMEM. */
int cfs_inflow_init(struct cfs_inflow *s, struct cfs_source *src,
		    enum cfs_coding coding, uint64_t at,
		    struct cfs_zst_dict *dict, uint64_t max_bytes,
		    struct cfs_ctx ctx);
void cfs_inflow_release(struct cfs_inflow *s);

/* Has more than hold_max bytes be held in a file in `dir`, which is borrowed,
 * and not in memory (base/spill.h).  To be called before the first pull. */
void cfs_inflow_spill(struct cfs_inflow *s, size_t hold_max, const char *dir);
/* Moves what is held there at once, until it is dropped.  0; CFS_EIO,
 * CFS_ENOMEM. */
int cfs_inflow_move_to_file(struct cfs_inflow *s, struct cfs_error *err);
static inline bool cfs_inflow_is_spilled(const struct cfs_inflow *s)
{
	return s->out.spill != NULL;
}

/* Takes in more bytes: enum cfs_inflow_result, or CFS_EIO (of the temporary
 * file, too), CFS_ENOMEM,
 * CFS_EINTR, CFS_ELIMIT (max_bytes are held already). */
int cfs_inflow_pull(struct cfs_inflow *s, struct cfs_error *err);

/* The bytes held, and the position after them. */
struct cfs_slice cfs_inflow_bytes(const struct cfs_inflow *s);
static inline uint64_t cfs_inflow_end(const struct cfs_inflow *s)
{
	return s->pos + (s->out.n - s->from);
}

/* Drops all bytes before position `to` (held, or the end of what is held). */
void cfs_inflow_drop(struct cfs_inflow *s, uint64_t to);
/* Uncompressed files only: goes to a position without reading. */
void cfs_inflow_skip(struct cfs_inflow *s, uint64_t to);

/* Inflates the unfinished last member from its beginning to its end, without
 * holding its bytes: CFS_INFLOW_BAD if it is damaged, with `damage` and
 * `resume` set, else CFS_INFLOW_SAME, even if it is cut off.  Failures as in
 * pull. */
int cfs_inflow_check(struct cfs_inflow *s, struct cfs_error *err);

/* After CFS_INFLOW_BAD: removes the damaged member's bytes, if any came of it.
 * False, without removing any, if no bytes are held before them. */
bool cfs_inflow_undo(struct cfs_inflow *s);

/* The segment with the byte at a position held (past the last byte, the last
 * segment).  NULL if nothing was ever pulled. */
struct cfs_inflow_seg *cfs_inflow_seg_at(const struct cfs_inflow *s,
					 uint64_t pos);

/*
 * After damage in a file of members: drops everything, and finds the next
 * member at or behind file offset `from` that inflates to the start of a
 * record.  0; CFS_END; failures.
 */
int cfs_inflow_resync(struct cfs_inflow *s, uint64_t from,
		      struct cfs_error *err);

#endif
