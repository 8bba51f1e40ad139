/* fuzz_csv.c - any bytes as a selection in CSV.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_selection.h"

FUZZ_TARGET(data, size)
{
	return fuzz_selection(CFS_TABLE_CSV, data, size);
}
