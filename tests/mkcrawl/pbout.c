/* pbout.c - the PB-tree of an ARC crawl (see pbout.h).
 *
 * Keys are made here by the rule of the published index, not by the reader's
 * code.  Sorted runs of RUN_BYTES go to one unnamed file and are merged into
 * the writer; equal keys stay in the order of their records.
 *
 *     entry in a run = u16 key length, key, value of 32 bytes (little-endian)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbout.h"

#include <errno.h>
#include <string.h>

#include "format/pbtree/pbtree_format.h"
#include "format/pbtree/pbtree.h"

#define RUN_BYTES (32u << 20)
#define RUN_ENTRIES (RUN_BYTES / 48)	/* shorter ones are rare */
#define RUNS_MAX 1024u
#define READ_BYTES (128u << 10)		/* of a run, while merging */

struct run {
	uint64_t at, end;	/* file bytes not yet read */
	uint8_t *p;		/* READ_BYTES of them */
	size_t n, used;
};

struct mk_pbout {
	const struct mk_config *cfg;
	FILE *tmp;
	uint64_t tmp_bytes;
	struct run run[RUNS_MAX];
	unsigned n_runs;
	struct cfs_buf bytes, key;	/* the run being filled */
	uint32_t *entry;		/* where its entries begin */
	size_t n_entries;
};

/* ---- keys ---- */

static struct cfs_slice until(struct cfs_slice s, const char *stops)
{
	size_t n = 0;

	while (n < s.n && strchr(stops, s.p[n]) == NULL)
		n++;
	return cfs_slice_sub(s, 0, n);
}

static void add_reversed(struct cfs_slice host, struct cfs_buf *out)
{
	for (;;) {
		ptrdiff_t dot = cfs_slice_rfind(host, '.');

		if (dot < 0)
			break;
		cfs_buf_add(out, cfs_slice_from(host, (size_t)dot + 1));
		cfs_buf_addc(out, '.');
		host = cfs_slice_sub(host, 0, (size_t)dot);
	}
	cfs_buf_add(out, host);
}

void mk_pbout_key(struct cfs_slice url, struct cfs_buf *out)
{
	struct cfs_slice scheme = until(url, ":"), rest, net, host, path;
	size_t colons = 0;

	rest = cfs_slice_from(url, scheme.n + 3);	/* "://" */
	net = until(rest, "/?#");
	path = until(cfs_slice_from(rest, net.n), "#");
	if (path.n > 0 && path.p[path.n - 1] == '?' &&
	    cfs_slice_find(path, '?') == (ptrdiff_t)path.n - 1)
		path.n--;				/* an empty query */
	host = until(net, ":");
	for (size_t i = 0; i < net.n; i++)
		colons += net.p[i] == ':';

	add_reversed(host, out);
	cfs_buf_add(out, path);
	if (colons == 1) {
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, cfs_slice_from(net, host.n + 1));
	}
	cfs_buf_addc(out, ':');
	for (size_t i = 0; i < scheme.n; i++) {
		uint8_t c = scheme.p[i];

		cfs_buf_addc(out, c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c);
	}
}

/* ---- runs ---- */

static struct cfs_slice entry_key(const uint8_t *e)
{
	return cfs_slice_of(e + 2, cfs_le16_get(e));
}

static size_t entry_bytes(const uint8_t *e)
{
	return 2u + cfs_le16_get(e) + CFS_PBTREE_VALUE_BYTES;
}

static int by_key(const void *a, const void *b, void *arg)
{
	const uint8_t *base = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = cfs_slice_cmp(entry_key(base + x), entry_key(base + y));

	return c != 0 ? c : x < y ? -1 : x > y;
}

static void spill(struct mk_pbout *o)
{
	struct run *r = &o->run[o->n_runs];

	if (o->n_entries == 0)
		return;
	if (o->n_runs == RUNS_MAX)
		mk_die("too many keys for one PB-tree");
	o->n_runs++;
	qsort_r(o->entry, o->n_entries, sizeof(*o->entry), by_key, o->bytes.p);
	r->at = r->end = o->tmp_bytes;
	for (size_t i = 0; i < o->n_entries; i++) {
		const uint8_t *e = o->bytes.p + o->entry[i];
		size_t n = entry_bytes(e);

		if (fwrite(e, 1, n, o->tmp) != n)
			mk_die("cannot write keys: %s", strerror(errno));
		r->end += n;
	}
	o->tmp_bytes = r->end;
	o->n_entries = 0;
	cfs_buf_reset(&o->bytes);
}

struct mk_pbout *mk_pbout_new(const struct mk_config *cfg)
{
	static const char name[] = MK_PBTREE_NAME ".keys";
	struct mk_pbout *o = calloc(1, sizeof(*o));
	char full[4096];

	if (o == NULL)
		mk_die("out of memory");
	o->cfg = cfg;
	cfs_buf_init(&o->bytes, RUN_BYTES + MK_URL_BYTES * 2);
	cfs_buf_init(&o->key, MK_URL_BYTES);
	o->entry = calloc(RUN_ENTRIES, sizeof(*o->entry));
	if (o->entry == NULL)
		mk_die("out of memory");
	o->tmp = mk_create(cfg, name);
	snprintf(full, sizeof(full), "%s/%s", cfg->out, name);
	remove(full);		/* it lives until it is closed */
	return o;
}

void mk_pbout_add(struct mk_pbout *o, struct cfs_slice url,
		  const struct mk_archive *a, const struct mk_place *at)
{
	struct cfs_pbtree_value v = { a->segment, a->date_ms, a->partition,
				      at->offset, (uint32_t)at->length };
	uint8_t value[CFS_PBTREE_VALUE_BYTES];

	cfs_buf_reset(&o->key);
	mk_pbout_key(url, &o->key);
	mk_check(&o->key);
	if (o->key.n + CFS_PBTREE_VALUE_BYTES + 1 > MK_PBTREE_BLOCK - 64 ||
	    cfs_slice_find(cfs_buf_slice(&o->key), 0) >= 0)
		return;		/* fits in no block */
	cfs_pbtree_value_encode(&v, value);
	o->entry[o->n_entries++] = (uint32_t)o->bytes.n;
	cfs_buf_le16(&o->bytes, (uint16_t)o->key.n);
	cfs_buf_add(&o->bytes, cfs_buf_slice(&o->key));
	cfs_buf_append(&o->bytes, value, sizeof(value));
	mk_check(&o->bytes);
	if (o->bytes.n >= RUN_BYTES || o->n_entries == RUN_ENTRIES)
		spill(o);
}

/* ---- merging ---- */

/* Makes the next entry of r whole in its buffer; false at the end. */
static bool fill(struct mk_pbout *o, struct run *r)
{
	size_t have = r->n - r->used, want;

	if (have >= 2 && have >= entry_bytes(r->p + r->used))
		return true;
	if (have == 0 && r->at == r->end)
		return false;
	memmove(r->p, r->p + r->used, have);
	want = READ_BYTES - have;
	if (want > r->end - r->at)
		want = (size_t)(r->end - r->at);
	if (fseeko(o->tmp, (off_t)r->at, SEEK_SET) != 0 ||
	    fread(r->p + have, 1, want, o->tmp) != want)
		mk_die("cannot read keys: %s", strerror(errno));
	r->at += want;
	r->n = have + want;
	r->used = 0;
	return true;
}

static void merge(struct mk_pbout *o, struct cfs_pbtree_writer *writer)
{
	struct cfs_error err = CFS_ERROR_INIT;

	for (;;) {
		struct run *best = NULL;
		const uint8_t *e;

		for (unsigned i = 0; i < o->n_runs; i++) {
			struct run *r = &o->run[i];

			if (fill(o, r) && (best == NULL ||
			    cfs_slice_cmp(entry_key(r->p + r->used),
					  entry_key(best->p + best->used)) < 0))
				best = r;
		}
		if (best == NULL)
			break;
		e = best->p + best->used;
		if (cfs_pbtree_writer_add(writer, entry_key(e),
				cfs_slice_of(e + 2 + entry_key(e).n,
					     CFS_PBTREE_VALUE_BYTES),
				&err) != CFS_OK)
			mk_die("%s", err.text);
		best->used += entry_bytes(e);
	}
}

void mk_pbout_finish(struct mk_pbout *o)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_pbtree_writer *writer = NULL;
	FILE *out = mk_create(o->cfg, MK_PBTREE_NAME);
	uint64_t bytes;

	spill(o);
	free(o->entry);
	cfs_buf_release(&o->bytes);
	for (unsigned i = 0; i < o->n_runs; i++) {
		o->run[i].p = malloc(READ_BYTES);
		if (o->run[i].p == NULL)
			mk_die("out of memory");
	}
	if (cfs_pbtree_writer_new(&writer, fileno(out), MK_PBTREE_BLOCK,
				  CFS_PBTREE_VALUE_BYTES, o->cfg->out, &err) != CFS_OK)
		mk_die("%s", err.text);
	merge(o, writer);
	if (cfs_pbtree_writer_finish(writer, &bytes, &err) != CFS_OK)
		mk_die("%s", err.text);
	cfs_pbtree_writer_free(writer);
	fclose(out);
	fclose(o->tmp);
	for (unsigned i = 0; i < o->n_runs; i++)
		free(o->run[i].p);
	cfs_buf_release(&o->key);
	free(o);
}
