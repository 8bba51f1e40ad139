/* near.c - joins ranges.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "near.h"

const struct cfs_near_rule cfs_near_many = { .gap = 256u << 10,
					     .most = 2u << 20, .waste = 7 };

bool cfs_near_add(struct cfs_near *j, uint64_t offset, uint64_t length,
		  const struct cfs_near_rule *rule)
{
	uint64_t to = length > UINT64_MAX - offset ? UINT64_MAX :
						     offset + length;
	uint64_t wanted = j->wanted + length;

	if (!j->has_any) {
		*j = (struct cfs_near){ offset, to, length, true };
		return true;
	}
	if (offset < j->from ||
	    (offset > j->to && offset - j->to > rule->gap))
		return false;
	if (to < j->to)
		to = j->to;
	if (to - j->from > rule->most ||
	    (rule->waste > 0 && (to - j->from) / (rule->waste + 1) > wanted))
		return false;
	j->to = to;
	j->wanted = wanted;
	return true;
}
