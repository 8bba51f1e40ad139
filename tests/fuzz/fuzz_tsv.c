/* fuzz_tsv.c - any bytes as a selection in TSV.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_selection.h"

FUZZ_TARGET(data, size)
{
	return fuzz_selection(CFS_TABLE_TSV, data, size);
}
