/* banned.h - makes the use of unsafe C functions a compile error.
 * The build includes it before every source file (-include).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_BANNED_H
#define CFS_BASE_BANNED_H

/* Included first, because these headers mention the functions themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Headers of C++ mention them, too: there the compiler does not watch. */
#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets
#pragma GCC poison atoi atol atoll atof
#endif

#endif
