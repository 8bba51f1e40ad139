/* cfx_write.h - writes a crawlfs index from sorted captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_WRITE_H
#define CFS_CFX_CFX_WRITE_H

#include "cfx_format.h"
#include "codec/symbols.h"

struct cfs_cfx_writer;

/* Values that must be known before the first capture is added. */
struct cfs_cfx_params {
	int fd;				/* written with pwrite from byte 0 */
	struct cfs_buf *memory;		/* written instead of fd, unless NULL */
	const char *name;		/* of the file, for messages */
	const struct cfs_symbols *symbols;	/* borrowed until finish */
	const struct cfs_builder_archive *archives;	/* borrowed likewise */
	uint32_t n_archives;
	const struct cfs_cfx_clock *clocks;	/* by archive; borrowed */
	uint64_t offset_max;		/* the largest offset of any capture */
	uint32_t view_version;		/* of view sizes; 0: none are stored */
	bool has_languages;		/* captures may have some; an index has
					 * them too if one has */
	bool keeps_joins;		/* lists will be written */
	const char *tmp_dir;		/* for notes and lists until finish;
					 * borrowed */
	struct cfs_slice damage;	/* the table of cfx_damage.h, or empty;
					 * borrowed until finish */
	struct cfs_part part;		/* n 0: the index is no part */
	uint64_t part_seal;
	const char *home;		/* as in struct cfs_index, at most
					 * CFS_CFX_HOME_MAX bytes; borrowed */
};

/* params are copied.  0 or CFS_ENOMEM. */
int cfs_cfx_writer_new(struct cfs_cfx_writer **out,
		       const struct cfs_cfx_params *params,
		       struct cfs_error *err);

/* Appends a capture, which must not sort before the previous one; *pos is set
 * to its position.  loc.file[0] is the number of its archive; url is empty if
 * the key encodes it.  notes are a JSON object, or empty; then e->notes.bytes
 * is 0.  The size of the metadata includes the notes.  0, CFS_ENOMEM, CFS_EIO,
 * CFS_ELIMIT, CFS_EFORMAT. */
int cfs_cfx_writer_add(struct cfs_cfx_writer *w, struct cfs_slice key,
		       const struct cfs_capture *e, struct cfs_slice notes,
		       cfs_pos *pos, struct cfs_error *err);

/* Appends a reference, after the last capture; hashes ascend.  Failures as
 * above. */
int cfs_cfx_writer_ref(struct cfs_cfx_writer *w, uint64_t hash, cfs_pos pos,
		       struct cfs_error *err);

/* Appends an item to a list (cfx_joindata.h); it begins a new block if
 * cfs_cfx_writer_begins_block says so for its size.  Failures as above. */
int cfs_cfx_writer_joindata(struct cfs_cfx_writer *w,
			enum cfs_cfx_joindata_of which, struct cfs_slice item,
			struct cfs_error *err);
bool cfs_cfx_writer_begins_block(const struct cfs_cfx_writer *w,
				 enum cfs_cfx_joindata_of which, size_t n);

/* Writes the upper levels, the tables and the header, with the counts of
 * captures that were left out.  *captures and *file_bytes are those of the
 * index, and unchanged after a failure to write what goes before the header.
 * Does not sync.  Failures as above. */
int cfs_cfx_writer_finish(struct cfs_cfx_writer *w,
			  const uint64_t skipped[CFS_SKIPPED_KINDS],
			  uint64_t *captures, uint64_t *file_bytes,
			  struct cfs_error *err);
/* How many captures that were added have no body, and a part of it only
 * (cfs_capture_is_absent, cfs_capture_is_cut). */
void cfs_cfx_writer_bodies(const struct cfs_cfx_writer *w, uint64_t *absent,
			   uint64_t *cut);
void cfs_cfx_writer_free(struct cfs_cfx_writer *w);	/* accepts NULL */

#endif
