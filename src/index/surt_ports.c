/* surt_ports.c - finds the ports that a host has in an index with SURT keys, by
 * seeks, and the ranges of its keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "surt_ports.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "url/surt.h"

/* Hosts whose ports are remembered (log2), and most ports of such a host. */
#define PORTS_MEMO_BITS 8u
#define KNOWN_PORTS 2u
struct known_ports {
	uint64_t check;		/* a second hash of the host */
	uint8_t n, len[KNOWN_PORTS];
	uint8_t text[KNOWN_PORTS][CFS_SURT_PORT_BYTES];
};

/* Adds a port to the list.  False if it does not fit: then it is kept as the
 * `rest`. */
static bool surt_ports_add_port(struct cfs_surt_ports *p, struct cfs_slice port)
{
	if (port.n > CFS_SURT_PORT_BYTES || p->n == CFS_SURT_PORTS_MAX) {
		p->more = true;
		p->rest_len = (uint8_t)(port.n < CFS_SURT_PORT_BYTES ?
					port.n : CFS_SURT_PORT_BYTES);
		memcpy(p->rest, port.p, p->rest_len);
		return false;
	}
	p->len[p->n] = (uint8_t)port.n;
	memcpy(p->text[p->n++], port.p, port.n);
	return true;
}

/* Finds the ports under which a host has keys: a seek for each, and one
 * more. */
static int seek_ports(struct cfs_index *ix, struct cfs_slice host,
		      struct cfs_surt_ports *out, struct cfs_iter *it,
		      struct cfs_ctx ctx)
{
	CFS_BUF(key, 2 * CFS_KEY_MAX);
	int rc = CFS_OK;

	cfs_buf_add(&key, host);
	cfs_buf_adds(&key, ":0");
	while (rc == CFS_OK && (rc = key.failed) == CFS_OK) {
		struct cfs_slice rest;
		ptrdiff_t close;

		rc = cfs_index_seek(ix, cfs_buf_slice(&key), it, ctx);
		if (rc != CFS_OK || !cfs_slice_starts(it->key, host))
			break;
		rest = cfs_slice_from(it->key, host.n);
		if (rest.n < 2 || rest.p[0] != ':' || rest.p[1] > '9')
			break;
		rest = cfs_slice_from(rest, 1);
		close = cfs_slice_find(rest, ')');
		if (close >= 0)
			rest.n = (size_t)close;
		if (cfs_slice_find(rest, ':') < 0 && !surt_ports_add_port(out,
									  rest))
			break;
		cfs_buf_reset(&key);
		cfs_buf_add(&key, host);
		cfs_buf_addc(&key, ':');
		cfs_buf_add(&key, rest);
		cfs_buf_addc(&key, ')' + 1);	/* past all of that port */
	}
	return rc == CFS_END ? CFS_OK : rc;
}

static bool recall_ports(struct cfs_memo *memo, struct cfs_slice host,
			 struct cfs_surt_ports *out)
{
	struct known_ports known;

	if (!cfs_memo_get(memo, cfs_hash64(host, 1), &known) ||
	    known.check != cfs_hash64(host, 2))
		return false;
	for (unsigned i = 0; i < known.n; i++)
		surt_ports_add_port(out,
				    cfs_slice_of(known.text[i], known.len[i]));
	return true;
}

static void note_ports(struct cfs_memo *memo, struct cfs_slice host,
		       const struct cfs_surt_ports *p)
{
	struct known_ports known = { .check = cfs_hash64(host, 2),
				     .n = (uint8_t)p->n };

	if (p->more || p->n > KNOWN_PORTS)
		return;
	for (unsigned i = 0; i < p->n; i++) {
		known.len[i] = p->len[i];
		memcpy(known.text[i], p->text[i], sizeof(known.text[i]));
	}
	cfs_memo_put(memo, cfs_hash64(host, 1), &known);
}

static int find_ports(struct cfs_index *ix, struct cfs_memo *memo,
		      const struct cfs_path *path, struct cfs_surt_ports *out,
		      struct cfs_ranges *r)
{
	struct cfs_iter *it;
	CFS_BUF(host, CFS_KEY_MAX);
	int rc = cfs_path_add_host(&host, path, ',');

	*out = (struct cfs_surt_ports){ .n = 0 };
	if (rc == CFS_OK && !recall_ports(memo, cfs_buf_slice(&host), out)) {
		it = malloc(sizeof(*it));
		if (it == NULL)
			return CFS_ENOMEM;
		cfs_iter_init(it);
		rc = seek_ports(ix, cfs_buf_slice(&host), out, it, r->ctx);
		cfs_iter_release(it);
		free(it);
		if (rc == CFS_OK)
			note_ports(memo, cfs_buf_slice(&host), out);
	}
	return rc == CFS_ELIMIT ? CFS_ENOTFOUND : rc;
}

int cfs_surt_index_ranges(struct cfs_index *ix, struct cfs_memo *ports,
			  const struct cfs_path *path, enum cfs_below below,
			  struct cfs_ranges *out)
{
	struct cfs_surt_ports found;
	int rc;

	if (!cfs_surt_needs_ports(path))
		return cfs_surt_ranges(path, below, NULL, out);
	rc = find_ports(ix, ports, path, &found, out);
	return rc == CFS_OK ? cfs_surt_ranges(path, below, &found, out) : rc;
}

struct cfs_memo *cfs_surt_ports_memo_new(void)
{
	return cfs_memo_new(PORTS_MEMO_BITS, sizeof(struct known_ports));
}
