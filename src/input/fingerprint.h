/* fingerprint.h - a number that differs once a file, or any below a folder, has
 * changed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_FINGERPRINT_H
#define CFS_INPUT_FINGERPRINT_H

#include <stdint.h>

/* Hashes the name, size and modification time of a file, or of all files below
 * a folder. */
uint64_t cfs_input_fingerprint(const char *path);

#endif
