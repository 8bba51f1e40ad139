/* framing.h - the fields of a request, and whether all readers of it see the
 * same request.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_FRAMING_H
#define CFS_SERVE_FRAMING_H

#include "exchange.h"

struct MHD_Connection;

/*
 * Reads the fields of a request whose header has come.
 *
 * version  as the library has it
 * target   the target of the request; sent: where the library has it
 * fields   CFS_FIELD_COUNT of them are set, borrowed from the connection or
 *          from lists
 * lists    empty; holds lists that were sent in several fields
 *
 * False: the frame is not sound.  The request must be refused, and its
 * connection closed.
 */
bool cfs_framing_read(struct MHD_Connection *connection, const char *version,
		      struct cfs_slice target, const char *sent,
		      struct cfs_slice *fields, struct cfs_buf *lists);

#endif
