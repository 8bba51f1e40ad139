/* fuzz_jsonl.c - any bytes as a selection in JSON: lines, and an array.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_selection.h"

FUZZ_TARGET(data, size)
{
	fuzz_selection(CFS_TABLE_ARRAY, data, size);
	return fuzz_selection(CFS_TABLE_JSONL, data, size);
}
