/* prices.h - computes what requests to servers cost.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_PRICES_H
#define CFS_NET_PRICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* In any currency. */
struct cfs_prices {
	bool is_set;
	double request, gb;	/* price of a request, and of 10^9 bytes */
};

/* Parses "REQUEST:GB", two decimal numbers ("0.0000004:0.09").  CFS_EFORMAT
 * with a phrase that says what is wrong. */
int cfs_prices_parse(const char *text, struct cfs_prices *out,
		     struct cfs_error *err);

static inline double cfs_prices_cost(const struct cfs_prices *p,
				     uint64_t requests, uint64_t bytes)
{
	return p->request * (double)requests + p->gb * (double)bytes / 1e9;
}

#endif
