/* catch.cc - catches exceptions of libraries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <new>

#include "guard.h"

/* `new` calls it again, and again, until it has memory or this throws. */
static void on_no_memory()
{
	if (!cfs_guard_give())
		throw std::bad_alloc();
}

extern "C" void cfs_catch_begin(void)
{
	std::set_new_handler(on_no_memory);
}

extern "C" bool cfs_catch(void (*fn)(void *arg), void *arg)
{
	try {
		fn(arg);
	} catch (...) {
		return false;
	}
	return true;
}
