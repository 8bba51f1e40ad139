/* words_dump.c - writes a list of words and asks it, as words_ref.py does.
 *
 *     words_dump TEXTS LIST <QUERIES
 *
 * TEXTS has texts, each with a NUL behind it.  For each line of QUERIES, prints
 * the documents that the list gives and whose text matches; "-": it is none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "base/fileio.h"
#include "words_fixture.h"

#define TEXTS_MAX 100000u

static struct cfs_slice texts[TEXTS_MAX];

static void answer(struct cfs_words *w, struct cfs_slice typed)
{
	struct cfs_hits hits = { 0 };
	struct cfs_word_query *q;
	const char *before = "";
	bool surely;

	if (cfs_word_query_parse(&q, typed, NULL) != CFS_OK) {
		printf("-\n");
		return;
	}
	if (cfs_words_find(w, q, &hits, &surely, CFS_CTX(NULL, NULL)) != CFS_OK)
		exit(1);
	for (size_t i = 0; i < hits.n; i++) {
		bool is = cfs_word_query_matches(q, texts[hits.v[i]]);

		if (surely && !is)
			exit(1);
		if (is)
			printf("%s%u", before, hits.v[i]);
		if (is)
			before = " ";
	}
	printf("\n");
	cfs_hits_release(&hits);
	cfs_word_query_free(q);
}

PROGRAM(argc, argv)
{
	struct cfs_buf all, out;
	struct cfs_slice rest;
	struct cfs_source *src;
	struct cfs_words *w;
	char line[8192];
	uint32_t n = 0;

	cfs_buf_init(&all, 1 << 30);
	cfs_buf_init(&out, 1 << 30);
	if (argc != 3 || cfs_file_read(argv[1], &all) != CFS_OK)
		return 2;
	for (rest = cfs_buf_slice(&all); rest.n > 0 && n < TEXTS_MAX; n++)
		texts[n] = cfs_slice_split(&rest, '\0');
	if (words_write(&out, texts, n) != CFS_OK ||
	    cfs_file_replace(argv[2], cfs_buf_slice(&out), 0666, NULL) !=
		    CFS_OK ||
	    cfs_source_open_file(&src, argv[2], NULL) != CFS_OK ||
	    cfs_words_open(&w, src, NULL, CFS_CTX(NULL, NULL)) != CFS_OK)
		return 1;
	while (fgets(line, sizeof(line), stdin) != NULL)
		answer(w, cfs_slice_of(line, strcspn(line, "\n")));
	cfs_words_close(w);
	cfs_buf_release(&all);
	cfs_buf_release(&out);
	return 0;
}
