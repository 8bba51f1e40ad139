/* words.c - made-up words, and blocks of HTML made of them (see words.h).
 *
 * Words are strings of syllables (or of characters, for Chinese and
 * Japanese), drawn by Zipf's law; the commonest English ones are real, so
 * that a sample can be searched for "the".  A page is a string of blocks made
 * once, which is what lets the generator write tens of thousands of pages a
 * second.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#define POOL_MAX (16u * 1024 * 1024)
#define POOL_FIRST (4u * 1024 * 1024)	/* more than a pool ever takes */

struct tongue {
	const char *charset, *lang;
	const char *const *syllables;
	bool ideographs;	/* one character is a syllable, no blanks */
};

static const char *const english[] = {
	"ba", "ber", "bo", "cal", "con", "cor", "da", "del", "der", "en",
	"er", "fa", "fil", "for", "ga", "gen", "ho", "in", "ing", "ion",
	"ka", "lan", "le", "li", "lo", "ma", "men", "mi", "mon", "na",
	"ner", "no", "on", "or", "pa", "per", "po", "pro", "ra", "re",
	"ri", "ro", "sa", "sel", "ser", "si", "so", "sta", "ta", "ter",
	"ti", "to", "tra", "un", "ur", "va", "ver", "vi", "wa", "win", NULL
};
static const char *const western[] = {
	"an", "\303\244h", "be", "ch\303\251", "de", "der", "ei", "en", "er",
	"es", "fr\303\274", "ge", "gr\303\266", "heit", "in", "ka", "ke", "la",
	"le", "lich", "ma", "m\303\251", "na", "ne", "\303\266n", "par",
	"p\303\250", "que", "re", "sch", "se", "so", "sta", "te", "ti",
	"tr\303\251", "\303\274b", "un", "ver", "vi", "wa", "zu", "\303\237e",
	NULL
};
static const char *const russian[] = {
	"\320\260", "\320\261\320\260", "\320\262\320\276", "\320\263\320\265",
	"\320\264\320\260", "\320\265", "\320\267\320\260", "\320\270",
	"\320\272\320\276", "\320\273\320\260", "\320\273\320\270",
	"\320\274\320\260", "\320\275\320\260", "\320\275\320\276",
	"\320\276", "\320\277\320\276", "\321\200\320\260", "\321\200\320\276",
	"\321\201\321\202\320\260", "\321\201\320\272", "\321\202\320\270",
	"\321\202\320\276", "\321\203", "\321\204\320\270", "\321\205\320\276",
	"\321\206\320\270", "\321\207\320\265", "\321\210\320\265",
	"\321\214", "\321\213\320\271", NULL
};

/* Runs of characters that Shift_JIS and GB2312 have: hiragana (all of them),
 * and ideographs picked from the Unified block that are in both sets. */
static const unsigned ideographs[] = {
	0x4e00, 0x4e0a, 0x4e0b, 0x4e2d, 0x4eba, 0x4eca, 0x4f11, 0x4f53, 0x5148,
	0x5165, 0x516b, 0x516d, 0x51fa, 0x5206, 0x524d, 0x529b, 0x5341, 0x5343,
	0x53e3, 0x53f3, 0x540d, 0x56db, 0x571f, 0x5916, 0x591a, 0x5927, 0x5929,
	0x5973, 0x5b50, 0x5b57, 0x5c0f, 0x5c71, 0x5de6, 0x5e73, 0x5e74, 0x5f53,
	0x5fc3, 0x624b, 0x6587, 0x65b0, 0x65b9, 0x65e5, 0x660e, 0x6708, 0x6728,
	0x672c, 0x6765, 0x6797, 0x6821, 0x68ee, 0x6b63, 0x6bcd, 0x6c34, 0x706b,
	0x7236, 0x7530, 0x7537, 0x767d, 0x767e, 0x76ee, 0x77f3, 0x7acb, 0x7af9,
	0x7cf8, 0x8033, 0x8349, 0x884c, 0x897f, 0x8a00, 0x8d64, 0x8db3, 0x91cc,
	0x91d1, 0x957f, 0x96e8, 0x9752, 0x97f3, 0x98df, 0x9ad8,
};
#define IDEOGRAPHS (sizeof(ideographs) / sizeof(ideographs[0]))
#define HIRAGANA_FIRST 0x3042u
#define HIRAGANA_N 80u

static const struct tongue tongues[MK_TONGUES] = {
	[MK_ENGLISH_UTF8] = { "UTF-8", "en", english, false },
	[MK_WESTERN_LATIN1] = { "ISO-8859-1", "de", western, false },
	[MK_WESTERN_UTF8] = { "UTF-8", "fr", western, false },
	[MK_RUSSIAN_1251] = { "windows-1251", "ru", russian, false },
	[MK_RUSSIAN_UTF8] = { "UTF-8", "ru", russian, false },
	[MK_JAPANESE_SJIS] = { "Shift_JIS", "ja", NULL, true },
	[MK_CHINESE_GB2312] = { "GB2312", "zh", NULL, true },
	[MK_CHINESE_UTF8] = { "UTF-8", "zh", NULL, true },
};

static const char *const common[] = {
	"the", "of", "and", "to", "in", "a", "for", "is", "on", "that", "by",
	"this", "with", "you", "it", "not", "or", "be", "are", "from", "at",
	"as", "your", "all", "have", "new", "more", "an", "was", "we", "will",
	"home", "can", "us", "about", "if", "page", "my", "has", "search",
	"free", "but", "our", "one", "other", "do", "no", "information",
	"time", "they",
};
#define COMMON (sizeof(common) / sizeof(common[0]))

static void add_codepoint(struct cfs_buf *out, unsigned c)
{
	cfs_buf_addc(out, (uint8_t)(0xe0 | c >> 12));	/* all of U+0800-FFFF */
	cfs_buf_addc(out, (uint8_t)(0x80 | (c >> 6 & 63)));
	cfs_buf_addc(out, (uint8_t)(0x80 | (c & 63)));
}

static void make_ideographs(const struct tongue *t, struct mk_rng *r,
			    struct cfs_buf *out)
{
	unsigned n = 1 + (unsigned)mk_rng_below(r, 4);

	for (unsigned i = 0; i < n; i++) {
		bool kana = strcmp(t->lang, "ja") == 0 && mk_rng_chance(r, 65);

		if (kana)
			add_codepoint(out, HIRAGANA_FIRST +
				      (unsigned)mk_rng_below(r, HIRAGANA_N));
		else
			add_codepoint(out, ideographs[mk_rng_below(r, IDEOGRAPHS)]);
	}
}

/* Word number k in UTF-8. */
static void make_word(const struct tongue *t, struct mk_rng *r, unsigned k,
		      struct cfs_buf *out)
{
	unsigned n_syl = 0, n;

	if (t->ideographs) {
		make_ideographs(t, r, out);
		return;
	}
	if (t->syllables == english && k < COMMON) {
		cfs_buf_adds(out, common[k]);
		return;
	}
	while (t->syllables[n_syl] != NULL)
		n_syl++;
	n = 1 + (unsigned)mk_rng_below(r, 2) + (unsigned)mk_rng_below(r, 3);
	for (unsigned i = 0; i < n; i++)
		cfs_buf_adds(out, t->syllables[mk_rng_below(r, n_syl)]);
}

/* Appends `in` (UTF-8) in the encoding of cd to the pool; a character the
 * encoding lacks becomes '?'. */
static struct cfs_slice add_encoded(struct mk_pool *p, iconv_t cd,
				    struct cfs_slice in)
{
	char room[8192];
	char *to = room, *from = (char *)(uintptr_t)in.p;
	size_t left = in.n, space = sizeof(room), at = p->bytes.n;

	while (left > 0 && space > 0) {
		if (iconv(cd, &from, &left, &to, &space) != (size_t)-1)
			continue;
		if (errno == E2BIG)
			break;
		*to++ = '?';
		space--;
		do {
			from++;
			left--;
		} while (left > 0 && ((uint8_t)*from & 0xc0) == 0x80);
	}
	cfs_buf_append(&p->bytes, room, sizeof(room) - space);
	mk_check(&p->bytes);
	return cfs_slice_of(p->bytes.p + at, p->bytes.n - at);
}

static const char blank[] = " ";

static void add_words(const struct mk_words *w, const struct cfs_slice *word,
		      struct mk_rng *r, unsigned n, bool joined,
		      struct cfs_buf *out)
{
	for (unsigned i = 0; i < n; i++) {
		if (i > 0 && (!joined || i % 8 == 0))
			cfs_buf_adds(out, blank);
		cfs_buf_add(out, word[mk_zipf_draw(&w->word_zipf, r)]);
	}
}

void mk_words_add(const struct mk_words *w, enum mk_tongue t,
		  struct mk_rng *r, unsigned n, struct cfs_buf *out)
{
	add_words(w, w->pool[t].word, r, n, tongues[t].ideographs, out);
}

struct cfs_slice mk_words_ascii(const struct mk_words *w, uint64_t k)
{
	return w->pool[MK_ENGLISH_UTF8].word[COMMON + k % (MK_WORDS - COMMON)];
}

/* ---- blocks ---- */

struct block_ctx {
	const struct mk_words *w;
	const struct cfs_slice *word;	/* UTF-8 words */
	const struct cfs_slice *ascii;
	bool joined;
	struct mk_rng r;
	struct cfs_buf *out;
};

static void text(struct block_ctx *c, unsigned lo, unsigned more)
{
	unsigned n = lo + (unsigned)mk_rng_below(&c->r, more);

	add_words(c->w, c->word, &c->r, n, c->joined, c->out);
}

static void href(struct block_ctx *c)
{
	struct cfs_slice a = c->ascii[COMMON + mk_rng_below(&c->r, 400)];
	struct cfs_slice b = c->ascii[COMMON + mk_rng_below(&c->r, 400)];

	if (mk_rng_chance(&c->r, 20))
		cfs_buf_addf(c->out, "http://www.%.*s.com", (int)b.n,
			     (const char *)b.p);
	cfs_buf_addf(c->out, "/%.*s/%.*s.html", (int)a.n, (const char *)a.p,
		     (int)b.n, (const char *)b.p);
}

static void paragraph(struct block_ctx *c)
{
	unsigned sentences = 2 + (unsigned)mk_rng_below(&c->r, 5);

	cfs_buf_adds(c->out, "<p class=\"text\">");
	for (unsigned i = 0; i < sentences; i++) {
		text(c, 5, 14);
		if (mk_rng_chance(&c->r, 25)) {
			cfs_buf_adds(c->out, " <a href=\"");
			href(c);
			cfs_buf_adds(c->out, "\">");
			text(c, 1, 4);
			cfs_buf_adds(c->out, "</a>");
		}
		cfs_buf_adds(c->out, i % 3 == 2 ? "! " : ". ");
	}
	cfs_buf_adds(c->out, "</p>\n");
}

static void list(struct block_ctx *c)
{
	unsigned n = 4 + (unsigned)mk_rng_below(&c->r, 8);

	cfs_buf_adds(c->out, "<ul class=\"menu list-unstyled\">\n");
	for (unsigned i = 0; i < n; i++) {
		cfs_buf_addf(c->out, "\t<li class=\"menu-item menu-item-type-page\">"
			     "<a class=\"menu-link\" href=\"");
		href(c);
		cfs_buf_adds(c->out, "\"><span>");
		text(c, 1, 3);
		cfs_buf_adds(c->out, "</span></a></li>\n");
	}
	cfs_buf_adds(c->out, "</ul>\n");
}

static void table(struct block_ctx *c)
{
	unsigned n = 3 + (unsigned)mk_rng_below(&c->r, 5);

	cfs_buf_adds(c->out, "<table width=\"100%\" border=\"0\" "
		     "cellspacing=\"0\" cellpadding=\"2\">\n");
	for (unsigned i = 0; i < n; i++) {
		cfs_buf_adds(c->out, "\t<tr valign=\"top\"><td class=\"left\">");
		text(c, 1, 3);
		cfs_buf_addf(c->out, "</td><td align=\"right\">%u.%02u</td></tr>\n",
			     (unsigned)mk_rng_below(&c->r, 200),
			     (unsigned)mk_rng_below(&c->r, 100));
	}
	cfs_buf_adds(c->out, "</table>\n");
}

static void teaser(struct block_ctx *c)
{
	cfs_buf_addf(c->out, "<div class=\"teaser clearfix\" id=\"post-%u\">\n"
		     "\t<h2 class=\"entry-title\"><a href=\"",
		     (unsigned)mk_rng_below(&c->r, 10000));
	href(c);
	cfs_buf_adds(c->out, "\" rel=\"bookmark\">");
	text(c, 2, 6);
	cfs_buf_addf(c->out, "</a></h2>\n\t<img src=\"/images/%u.jpg\" width=\"120\" "
		     "height=\"90\" alt=\"",
		     (unsigned)mk_rng_below(&c->r, 1000));
	text(c, 1, 2);
	cfs_buf_adds(c->out, "\" />\n\t<div class=\"entry-summary\">");
	text(c, 8, 20);
	cfs_buf_adds(c->out, "</div>\n</div><!-- .teaser -->\n");
}

static void make_block(struct block_ctx *c)
{
	static void (*const kinds[])(struct block_ctx *) = {
		paragraph, list, paragraph, table, teaser, list, teaser,
	};

	kinds[mk_rng_below(&c->r, sizeof(kinds) / sizeof(kinds[0]))](c);
}

/* ---- pools ---- */

/* utf8 gets the words before encoding; their storage is `store`. */
static void fill_words(struct mk_pool *p, const struct tongue *t, iconv_t cd,
		       struct mk_rng *r, struct cfs_slice *utf8,
		       struct cfs_buf *store)
{
	for (unsigned k = 0; k < MK_WORDS; k++) {
		size_t at = store->n;

		make_word(t, r, k, store);
		mk_check(store);
		utf8[k] = cfs_slice_of(store->p + at, store->n - at);
		p->word[k] = add_encoded(p, cd, utf8[k]);
	}
}

static void fill_pool(struct mk_words *w, enum mk_tongue which, uint64_t seed)
{
	const struct tongue *t = &tongues[which];
	struct mk_pool *p = &w->pool[which];
	struct cfs_slice utf8[MK_WORDS];
	struct cfs_buf store, block;
	struct block_ctx c;
	iconv_t cd;

	p->charset = t->charset;
	p->lang = t->lang;
	cd = iconv_open(t->charset, "UTF-8");
	if (cd == (iconv_t)-1) {	/* a system without that table */
		p->charset = "UTF-8";
		cd = iconv_open("UTF-8", "UTF-8");
	}
	if (cd == (iconv_t)-1)
		mk_die("iconv does not know UTF-8");
	/* Slices point into these: they must not move while filled. */
	cfs_buf_init(&p->bytes, POOL_MAX);
	cfs_buf_init(&store, POOL_MAX);
	cfs_buf_init(&block, POOL_MAX);
	if (cfs_buf_reserve(&p->bytes, POOL_FIRST) != CFS_OK ||
	    cfs_buf_reserve(&store, POOL_FIRST) != CFS_OK)
		mk_die("out of memory");

	c = (struct block_ctx){ w, utf8, w->pool[0].word, t->ideographs,
				mk_rng_at(seed, which, MK_SALT_WORDS), &block };
	fill_words(p, t, cd, &c.r, utf8, &store);
	for (unsigned k = 0; k < MK_BLOCKS; k++) {
		cfs_buf_reset(&block);
		make_block(&c);
		mk_check(&block);
		p->block[k] = add_encoded(p, cd, cfs_buf_slice(&block));
	}
	if (p->bytes.n > POOL_FIRST || store.n > POOL_FIRST)
		mk_die("pool of words too small");
	cfs_buf_release(&block);
	cfs_buf_release(&store);
	iconv_close(cd);
}

struct mk_words *mk_words_new(uint64_t seed)
{
	struct mk_words *w = calloc(1, sizeof(*w));

	if (w == NULL || mk_zipf_init(&w->word_zipf, MK_WORDS) != 0 ||
	    mk_zipf_init(&w->block_zipf, MK_BLOCKS) != 0)
		mk_die("out of memory");
	for (unsigned t = 0; t < MK_TONGUES; t++)
		fill_pool(w, t, seed);
	return w;
}

void mk_words_free(struct mk_words *w)
{
	for (unsigned t = 0; t < MK_TONGUES; t++)
		cfs_buf_release(&w->pool[t].bytes);
	mk_zipf_release(&w->word_zipf);
	mk_zipf_release(&w->block_zipf);
	free(w);
}
