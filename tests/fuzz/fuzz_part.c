/* fuzz_part.c - any bytes as a sealed part of an index that several tasks make,
 * and as indexes of which an index or lines are made.
 *
 * An input is one byte of flags and a part's file (cfx_mend.h), or a PB-tree.
 * What is made of it is good throughout, or it is one failure and nothing is
 * made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "cfx_mend.h"
#include "fuzz_made.h"

/* TWO: parts, which are the same but for their number.  INDEX: given as an
 * index.  TREE: the input is a PB-tree. */
enum { TWO = 1, NO_JOINS = 2, INDEX = 4, TREE = 8, LINES = 16 };

static void write_part(uint8_t *p, size_t n, uint32_t k, uint32_t of)
{
	char name[64];

	cfs_le32_put(p + CFS_CFX_OFF_PART, k);
	cfs_le32_put(p + CFS_CFX_OFF_PART + 4, of);
	cfx_mend_header(p);
	snprintf(name, sizeof(name), "parts/part-%05u-of-%05u.cfx", k, of);
	fuzz_write(name, p, n);
}

static void make(const char *input, unsigned flags)
{
	const char *inputs[1] = { fuzz_path(input) };
	struct cfs_indexer_opts o = {
		.inputs = inputs, .n_inputs = 1, .output = fuzz_path("all"),
		.threads = 1, .memory_bytes = 1 << 20,
		.no_joins = flags & NO_JOINS,
		.format = flags & LINES ? CFS_INDEX_CDX : CFS_INDEX_CFX };

	fuzz_make(&o);
}

static void as_part(const uint8_t *data, size_t size, unsigned flags)
{
	uint32_t of = flags & TWO ? 2 : 1;
	size_t n;
	uint8_t *p = cfx_expand(data, size, &n);

	if (p == NULL)
		return;
	cfx_mend(p, n);
	if (flags & INDEX) {
		fuzz_write("x.cfx", p, n);
		make("x.cfx", flags);
	} else {
		fuzz_remove(fuzz_path("parts"));
		fuzz_folder("parts");
		for (uint32_t k = 1; k <= of; k++)
			write_part(p, n, k, of);
		make("parts", flags & ~(unsigned)LINES);
	}
	free(p);
}

FUZZ_TARGET(data, size)
{
	if (size == 0)
		return 0;
	if (data[0] & TREE) {
		fuzz_write("x", data + 1, size - 1);
		make("x", data[0]);
	} else {
		as_part(data + 1, size - 1, data[0]);
	}
	return 0;
}
