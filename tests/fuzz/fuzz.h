/* fuzz.h - how a fuzz target begins.
 *
 *     FUZZ_TARGET(data, size)	in fuzz_X.c; returns 0, or aborts
 *     {
 *             ...
 *     }
 *
 * With --enable-fuzzers that is libFuzzer's function, and each target is a
 * program; else all are programs of the file `replay` (tests/program.h), which
 * read the files of their corpus.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_FUZZ_H
#define CFS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "tests/program.h"

typedef int fuzz_one(const uint8_t *data, size_t size);

/* Runs a target over files, and those of folders: argv[1] and on; if there are
 * none, the corpus of the program that argv[0] is.  An empty one is a failure:
 * it would test nothing. */
int fuzz_replay(int argc, char **argv, fuzz_one *one);

#ifdef CFS_FUZZERS
#define FUZZ_TARGET(data, size)						\
	fuzz_one LLVMFuzzerTestOneInput;				\
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#else
#define FUZZ_TARGET(data, size)						\
	static int fuzz_target(const uint8_t *data, size_t size);	\
	PROGRAM(argc, argv)						\
	{								\
		return fuzz_replay(argc, argv, fuzz_target);		\
	}								\
	static int fuzz_target(const uint8_t *data, size_t size)
#endif

#endif
