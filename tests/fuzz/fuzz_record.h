/* fuzz_record.h - what must hold of every record that parses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUZZ_RECORD_H
#define CFS_FUZZ_RECORD_H

#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "record/parse.h"

#define FUZZ_MAX_BODY (1u << 20)

/* Reads a byte at each end, for ASan to judge, and maybe demands that the
 * slice lies in another. */
static inline void fuzz_slice(struct cfs_slice s, struct cfs_slice within,
			      bool must_be_within)
{
	volatile uint8_t sink;

	if (s.p == NULL)
		abort();
	if (s.n == 0)
		return;
	sink = s.p[0];
	sink = s.p[s.n - 1];
	(void)sink;
	if (must_be_within && (s.p < within.p ||
			       s.p + s.n > within.p + within.n))
		abort();
}

static inline void fuzz_fields(const struct cfs_fields *f,
			       struct cfs_slice all)
{
	for (size_t i = 0; i < f->n; i++) {
		fuzz_slice(f->v[i].name, all, true);
		fuzz_slice(f->v[i].value, all, false);
	}
}

static inline void fuzz_record(struct cfs_slice in, unsigned flags)
{
	struct cfs_record_limits limits = { FUZZ_MAX_BODY, NULL };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_record_shape shape;
	struct cfs_record r;
	uint64_t used = 0;
	int rc = cfs_record_parse(&r, in, flags, &limits, &used, &err);

	cfs_record_is_start(in);
	cfs_record_measure(in, &shape, NULL);
	if (rc != CFS_OK) {
		if (r.warc.v != NULL || err.text[0] == '\0' || used != 0)
			abort();
		return;
	}
	if (used > in.n || r.all.n != used)
		abort();
	fuzz_slice(r.all, in, true);
	fuzz_slice(r.head, in, true);
	fuzz_slice(r.block, in, true);
	fuzz_slice(r.http_head, r.block, true);
	fuzz_slice(r.stored_body, r.block, true);
	fuzz_slice(r.url, in, false);
	fuzz_slice(r.ip, in, false);
	fuzz_slice(r.mime, in, false);
	fuzz_slice(r.status_line, r.http_head, true);
	fuzz_slice(r.body, in, !r.body_was_decoded);
	fuzz_fields(&r.warc, in);
	fuzz_fields(&r.http, in);
	if (r.body.n > FUZZ_MAX_BODY && r.body_was_decoded)
		abort();
	if (r.status != 0 && (r.status < 100 || r.status > 999))
		abort();
	fuzz_slice(cfs_record_warc_field(&r, "WARC-Record-ID"), in, false);
	fuzz_slice(cfs_record_warc_uri(&r, "WARC-Refers-To-Target-URI"), in, false);
	cfs_record_release(&r);
	cfs_record_release(&r);		/* may be said twice */
}

#endif
