/* cdxlines.c - writes a CDX of many captures in no order, for huge50/.
 *
 *     cdxlines LINES
 *
 * Eleven columns, as crawlers write them; hosts of one page and of thousands,
 * the same lines each time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 20u
#define TOPS 8u
#define BASE32 "QWERTYUIOPASDFGHJKLZXCVBNM234567"
#define PAGES_A_HOST 40u
#define LINES_AN_ARCHIVE 40000u

static const char *const words[WORDS] = {
	"about", "news", "blog", "shop", "forum", "archive", "photo", "index",
	"item", "list", "view", "page", "user", "topic", "review", "story",
	"event", "guide", "help", "data" };
/* As a URL has them, and reversed. */
static const char *const tops[TOPS][2] = {
	{ "com", "com" }, { "com", "com" }, { "com", "com" }, { "org", "org" },
	{ "net", "net" }, { "de", "de" }, { "co.uk", "uk,co" }, { "jp", "jp" } };

static uint64_t state = 1;

/* xorshift64*, by Sebastiano Vigna */
static uint32_t below(uint32_t n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * UINT64_C(2685821657736338717) >> 32) * n >> 32);
}

static int write_line(uint64_t i, double hosts)
{
	double r = below(1u << 24) / (double)(1u << 24);
	uint32_t host = (uint32_t)(r * r * r * hosts), page = below(4000000);
	const char *const *top = tops[host % TOPS];
	char name[64], path[64];

	snprintf(name, sizeof(name), "%s%s%" PRIu32, words[host % WORDS],
		 words[host / WORDS % WORDS], host);
	snprintf(path, sizeof(path), "%s/%s-%" PRIu32 ".html",
		 words[page % WORDS], words[page / WORDS % WORDS], page);
	return printf("%s,%s)/%s 202402%02u%02u%02u%02u http://www.%s.%s/%s "
		      "text/html %u %.32s - - %u %" PRIu64
		      " CC-MAIN-20240220211055-20240221001055-%05" PRIu64
		      ".warc.gz\n", top[1], name, path, 1 + below(28), below(24),
		      below(60), below(60), name, top[0], path,
		      below(10) > 0 ? 200 : 404, BASE32 BASE32 + below(32),
		      3000 + below(30000), i % LINES_AN_ARCHIVE * 25000,
		      i / LINES_AN_ARCHIVE);
}

int main(int argc, char **argv)
{
	uint64_t lines = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;

	if (lines == 0) {
		fprintf(stderr, "usage: cdxlines LINES\n");
		return 2;
	}
	for (uint64_t i = 0; i < lines; i++)
		if (write_line(i, (double)lines / PAGES_A_HOST + 1) < 0)
			return 1;
	return fflush(stdout) == 0 ? 0 : 1;
}
