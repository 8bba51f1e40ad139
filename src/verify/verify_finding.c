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

static atomic_uint logged;	/* table and report have all findings */

static int shown(struct cfs_slice s)
{
	return (int)(s.n < SHOWN_MAX ? s.n : SHOWN_MAX);
}

static const char *verify_finding_name_of(const struct cfs_verify_part *p,
					  const struct cfs_verify_finding *f)
{
	return f->archive != NULL ? f->archive : p->unit->name;
}

static void log_it(const struct cfs_verify_part *p,
		   const struct cfs_verify_finding *f)
{
	if (!cfs_log_has_room(&logged, NULL, "there is more damage, which is "
			      "only counted here"))
		return;
	if (f->expected.n > 0)
		cfs_log(CFS_LOG_WARNING,
			"%s: offset %" PRIu64 ": %s: expected "
			"'%.*s', found '%.*s'%s%.*s",
			verify_finding_name_of(p, f), f->offset, f->kind,
			shown(f->expected), (const char *)f->expected.p,
			shown(f->found), (const char *)f->found.p,
			f->url.n > 0 ? ", " : "", shown(f->url),
			(const char *)f->url.p);
	else
		cfs_log(CFS_LOG_WARNING, "%s: offset %" PRIu64 ": %s: %.*s"
			"%s%.*s", verify_finding_name_of(p,
							 f), f->offset, f->kind,
			shown(f->found), (const char *)f->found.p,
			f->url.n > 0 ? ", " : "", shown(f->url),
			(const char *)f->url.p);
}

void cfs_verify_found(struct cfs_verify_part *p,
		      const struct cfs_verify_finding *f)
{
	struct cfs_json j = { .out = &p->lines, .compact = true };
	struct cfs_buf name;

	p->tally.damage++;
	cfs_json_open(&j, '{');
	cfs_buf_init(&name, 2 * CFS_LOCATION_MAX);
	cfs_location_show(&name, cfs_slice_str(verify_finding_name_of(p, f)));
	cfs_json_put_str(&j, "archive", cfs_buf_slice(&name));
	cfs_buf_release(&name);
	cfs_json_put_int(&j, "offset", (int64_t)f->offset);
	cfs_json_put_int(&j, "length", (int64_t)f->length);
	cfs_json_put_str(&j, "url", f->url);
	cfs_json_put_str(&j, "kind", cfs_slice_str(f->kind));
	cfs_json_put_str(&j, "expected", f->expected);
	cfs_json_put_str(&j, "found", f->found);
	cfs_json_close(&j, '}');
	cfs_buf_addc(&p->lines, '\n');
	log_it(p, f);
}

/* ---- units and parts ---------------------------------------------------- */

void cfs_verify_unit_release(struct cfs_verify_unit *u)
{
	free(u->name);
	free(u->location);
	free(u->bad);
}

struct cfs_verify_part *cfs_verify_part_new(struct cfs_verify_unit *u,
					    uint64_t from, uint64_t to)
{
	struct cfs_verify_part *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->unit = u;
	p->from = from;
	p->to = to;
	p->id = cfs_verify_part_id(u, from);
	cfs_buf_init(&p->lines, SIZE_MAX / 2);
	cfs_buf_init(&p->ids, SIZE_MAX / 2);
	return p;
}

void cfs_verify_part_reset(struct cfs_verify_part *p)
{
	cfs_buf_reset(&p->lines);
	cfs_buf_reset(&p->ids);
	p->tally = (struct cfs_verify_tally){ 0 };
	p->missed_end = false;
	p->state = 0;
	p->rc = CFS_OK;
	cfs_error_clear(&p->error);
}

void cfs_verify_part_free(struct cfs_verify_part *p)
{
	if (p == NULL)
		return;
	cfs_buf_release(&p->lines);
	cfs_buf_release(&p->ids);
	free(p);
}

uint64_t cfs_verify_part_id(const struct cfs_verify_unit *u, uint64_t from)
{
	uint8_t state[48];

	cfs_le64_put(state, u->size);
	cfs_le64_put(state + 8, u->mtime_ns);
	cfs_le64_put(state + 16, from);
	cfs_le64_put(state + 24, u->kind);
	cfs_le64_put(state + 32, u->run.hash);
	cfs_le64_put(state + 40, u->state);
	return cfs_hash64(cfs_slice_of(state, sizeof(state)),
			  cfs_hash64(cfs_slice_str(u->name), 0));
}
