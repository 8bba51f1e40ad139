/* no_catch.c - stands in for catch.cc where there is no compiler of C++: only
 * what is set aside keeps libraries from throwing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "guard.h"

void cfs_catch_begin(void)
{
}

bool cfs_catch(void (*fn)(void *arg), void *arg)
{
	fn(arg);
	return true;
}
