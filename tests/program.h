/* program.h - many test programs in one file, so that one link makes them all.
 *
 * Each of them is a link to the file, named like its source:
 *
 *     PROGRAM(argc, argv)	in tests/net/fetch_helper.c, for main
 *     {
 *             ...
 *     }
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_PROGRAM_H
#define CFS_TESTS_PROGRAM_H

struct program {
	const char *file;	/* __FILE__ */
	int (*main)(int argc, char **argv);
	struct program *next;
};

/* Adds a program to those of this file, before main; p stays. */
void program_add(struct program *p);

#define PROGRAM(argc, argv)						\
	static int program_main(int argc, char **argv);		\
	static void __attribute__((constructor)) program_enter(void)	\
	{								\
		static struct program here = { __FILE__, program_main, 0 }; \
									\
		program_add(&here);					\
	}								\
	static int program_main(int argc __attribute__((unused)),	\
				char **argv __attribute__((unused)))

#endif
