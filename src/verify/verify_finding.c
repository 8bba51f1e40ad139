/* verify_finding.c - writes a finding as a line of the report and of the log.
 *
 *     {"archive":"x.warc.gz","offset":1234,"length":567,
 *      "url":"http://example.com/","kind":"payload-digest",
 *      "expected":"sha1:...","found":"sha1:..."}
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "codec/json.h"
#include "net/location.h"

/* Most bytes shown in the log of a URL, or of an expected or found value. */
#define SHOWN_MAX 100
/* A part logs about so many bytes at most. */
#define KEPT_MAX ((size_t)64 << 10)

static atomic_uint logged;	/* table and report have all findings */

static int shown(struct cfs_slice s)
{
	return (int)(s.n < SHOWN_MAX ? s.n : SHOWN_MAX);
}

static const char *name_of(const struct cfs_verify_part *p,
			   const struct cfs_verify_finding *f)
{
	return f->archive != NULL ? f->archive : p->unit->name;
}

/* Keeps a line for the log. */
static void keep_line(struct cfs_verify_part *p,
		      const struct cfs_verify_finding *f)
{
	if (p->log.n > KEPT_MAX)
		return;
	cfs_buf_addf(&p->log, "%s: offset %" PRIu64 ": %s: ",
		     name_of(p, f), f->offset, f->kind);
	if (f->expected.n > 0)
		cfs_buf_addf(&p->log, "expected '%.*s', found '%.*s'",
			     shown(f->expected), (const char *)f->expected.p,
			     shown(f->found), (const char *)f->found.p);
	else
		cfs_buf_addf(&p->log, "%.*s", shown(f->found),
			     (const char *)f->found.p);
	if (f->url.n > 0)
		cfs_buf_addf(&p->log, ", %.*s", shown(f->url),
			     (const char *)f->url.p);
	cfs_buf_addc(&p->log, '\0');
}

void cfs_verify_log_findings(struct cfs_verify_part *p)
{
	struct cfs_slice rest = cfs_buf_slice(&p->log);

	while (rest.n > 0) {
		struct cfs_slice line = cfs_slice_split(&rest, '\0');

		if (cfs_log_has_room(&logged, NULL, "there is more damage, "
				     "which is only counted here "
				     "(--report=FILE lists all)"))
			cfs_log(CFS_LOG_WARNING, "%s", (const char *)line.p);
	}
	cfs_buf_reset(&p->log);
}

void cfs_verify_found(struct cfs_verify_part *p,
		      const struct cfs_verify_finding *f)
{
	struct cfs_json j;
	CFS_BUF(name, 2 * CFS_LOCATION_MAX);

	p->tally.damage++;
	cfs_json_line_begin(&j, &p->lines);
	cfs_location_show(&name, cfs_slice_str(name_of(p, f)));
	cfs_json_put_str(&j, "archive", cfs_buf_slice(&name));
	cfs_json_put_int(&j, "offset", (int64_t)f->offset);
	cfs_json_put_int(&j, "length", (int64_t)f->length);
	cfs_json_put_str(&j, "url", f->url);
	cfs_json_put_str(&j, "kind", cfs_slice_str(f->kind));
	cfs_json_put_str(&j, "expected", f->expected);
	cfs_json_put_str(&j, "found", f->found);
	cfs_json_line_end(&j);
	keep_line(p, f);
}

/* ---- units and parts ---------------------------------------------------- */

void cfs_verify_unit_release(struct cfs_verify_unit *u)
{
	free(u->name);
	free(u->location);
	free(u->bad);
}

struct cfs_verify_part *cfs_verify_part_new(struct cfs_verify_unit *u,
					    struct cfs_scan_stretch at)
{
	struct cfs_verify_part *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->unit = u;
	p->at = at;
	p->id = cfs_verify_part_id(u, at.from);
	p->rows_to = UINT64_MAX;
	cfs_buf_init(&p->lines, SIZE_MAX / 2);
	cfs_buf_init(&p->ids, SIZE_MAX / 2);
	cfs_buf_init(&p->log, SIZE_MAX / 2);
	return p;
}

void cfs_verify_part_free(struct cfs_verify_part *p)
{
	if (p == NULL)
		return;
	cfs_buf_release(&p->lines);
	cfs_buf_release(&p->ids);
	cfs_buf_release(&p->log);
	free(p);
}

uint64_t cfs_verify_part_id(const struct cfs_verify_unit *u, uint64_t from)
{
	uint8_t state[48];

	cfs_le64_put(state, u->size);
	cfs_le64_put(state + 8, u->mtime_ns);
	cfs_le64_put(state + 16, from);
	cfs_le64_put(state + 24, u->kind);
	cfs_le64_put(state + 32, u->rows_hash);
	cfs_le64_put(state + 40, u->state);
	return cfs_hash64(cfs_slice_of(state, sizeof(state)),
			  cfs_hash64(cfs_slice_str(u->name), 0));
}
