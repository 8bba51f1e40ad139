/* banned.h - functions that have no safe use here become compile errors.
 * Included by the build before every file of ours (-include).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_BANNED_H
#define CFS_BASE_BANNED_H

/* System headers that use them themselves come first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets
#pragma GCC poison atoi atol atoll atof
#endif

#endif
