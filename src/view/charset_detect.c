/* charset_detect.c - detects the charset from the bytes of a document.
 *
 * There are five tests, in this order:
 *
 *   wide    UTF-16 and UTF-32 (charset_wide.c); reported as ICU's (2)
 *   ASCII   without shifts to other sets: any set gives the same text, so no
 *           detector is asked, and the default applies (10).
 *   UTF-8   over the whole document: multibyte sequences, and at most one
 *           invalid byte per UTF8_PER_BAD of them.  ICU applies the same test
 *           to fewer bytes, so this is reported as ICU's (2).
 *   ICU     its best guess for the sample (charset_sample.c), if that is sure
 *           enough: see ICU_SURE below.
 *   Mozilla uchardet's guess for the same sample; if it has none and the text
 *           is not short, ICU's best guess after all.
 *
 * Sets that the two detectors confuse are distinguished by single bytes:
 * Windows sets have quotes and dashes where the ISO sets have nothing (0x80 to
 * 0x9f); some bytes are letters in one set and signs in the other.
 *
 * The thresholds were chosen on pages made of the message catalogues of 46
 * languages (60 to 9,000 bytes each) and checked on others; the scores on
 * known files are in tests/bench/charset_score.c.
 *
 * Threads: each call has its own handle of each library.  Memory and time of
 * the detectors are limited by the sample.  They are called by cfs_guarded,
 * since ICU 72 does not check its first allocation, and uchardet (C++) throws.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset_scan.h"
#include "charset_steps.h"

#include <uchardet/uchardet.h>
#include <unicode/ucsdet.h>

#include "base/guard.h"

/* The confidence (0 to 100) from which ICU's guess is accepted, depending on
 * its basis: letter triples of a language; triples in a text shorter than
 * ICU_SHORT_BYTES, where they mislead; multibyte characters, where lower values
 * mean that one East Asian set was taken for another. */
#define ICU_SURE 50
#define ICU_SURE_SHORT 65
#define ICU_SHORT_BYTES 256
#define ICU_SURE_MULTIBYTE 95

/* Valid UTF-8 sequences required per invalid byte. */
#define UTF8_PER_BAD 10

/* -- UTF-8 -- */

/* s without an incomplete sequence at its end: the body may be truncated. */
static struct cfs_slice whole_sequences(struct cfs_slice s)
{
	/* the lowest first byte of a sequence of more than [i] bytes */
	static const uint8_t longer[] = { [1] = 0xc2, [2] = 0xe0, [3] = 0xf0 };

	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		uint8_t c = s.p[s.n - back];

		if ((c & 0xc0) == 0x80)
			continue;
		if (c >= longer[back])
			s.n -= back;
		break;
	}
	return s;
}

static bool is_mostly_utf8(struct cfs_slice s, enum cfs_pages pages)
{
	size_t good = 0, bad = 0;
	const uint8_t *passed;

	s = whole_sequences(s);
	passed = s.p;
	for (;;) {
		size_t n = cfs_ascii_run(cfs_slice_sub(s, 0, CFS_SPILL_STEP));

		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		if ((size_t)(s.p - passed) >= CFS_SPILL_STEP) {
			cfs_pages_passed(pages,
				cfs_slice_of(passed, (size_t)(s.p - passed)));
			passed = s.p;
		}
		if (n == CFS_SPILL_STEP)
			continue;
		n = cfs_utf8_len(s);
		good += n > 0;
		bad += n == 0;
		if (bad > 100 && bad > good)
			return false;
		s = cfs_slice_from(s, n > 0 ? n : 1);
	}
	return good > 0 && bad <= good / UTF8_PER_BAD;
}

/* -- ICU and uchardet -- */

/* The guess of a detector.  `label` is empty if there is none. */
struct guess {
	char label[32];
	int confidence;
	bool is_multibyte;
	bool no_memory;
};

static bool is_multibyte(const char *name)
{
	static const char *const names[] = {
		"Shift_JIS", "EUC-JP", "EUC-KR", "GB18030", "Big5",
		"ISO-2022", "UTF-16", "UTF-32",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void set_label(struct guess *g, const char *name)
{
	if (strlen(name) < sizeof(g->label))
		memcpy(g->label, name, strlen(name) + 1);
}

/* A question to a detector, and what it has open. */
struct asking {
	const struct cfs_charset_sample *sample;
	struct guess guess;
	UCharsetDetector *icu;
	uchardet_t uchardet;
};

static void asking_icu(void *arg)
{
	struct asking *a = arg;
	const struct cfs_charset_sample *s = a->sample;
	UErrorCode code = U_ZERO_ERROR;
	const UCharsetMatch **all;
	int32_t count = 0;

	a->icu = ucsdet_open(&code);
	if (a->icu == NULL)
		code = U_MEMORY_ALLOCATION_ERROR;
	ucsdet_setText(a->icu, (const char *)s->p, (int32_t)s->n, &code);
	all = ucsdet_detectAll(a->icu, &count, &code);
	for (int32_t i = 0; U_SUCCESS(code) && i < count; i++) {
		const char *name = ucsdet_getName(all[i], &code);

		/* UTF-8 was tested for before, in all the bytes */
		if (name == NULL || strcmp(name, "UTF-8") == 0)
			continue;
		set_label(&a->guess, name);
		a->guess.is_multibyte = is_multibyte(name);
		a->guess.confidence = ucsdet_getConfidence(all[i], &code);
		break;
	}
	a->guess.no_memory = code == U_MEMORY_ALLOCATION_ERROR;
}

/* True for sets that uchardet finds far more often than they were ever used on
 * the web, mostly in short texts. */
static bool is_unlikely(const char *name)
{
	return cfs_slice_in_words(cfs_slice_str(name),
		"ASCII UTF-8 MAC-CENTRALEUROPE IBM852 IBM865 VISCII "
		"GEORGIAN-ACADEMY GEORGIAN-PS ISO-8859-10 ISO-8859-14 "
		"ISO-8859-16");
}

static void asking_uchardet(void *arg)
{
	struct asking *a = arg;
	const struct cfs_charset_sample *s = a->sample;
	uchardet_t u = uchardet_new();

	a->uchardet = u;
	a->guess.no_memory = u == NULL ||
		uchardet_handle_data(u, (const char *)s->p, s->n) != 0;
	if (a->guess.no_memory)
		return;
	uchardet_data_end(u);
	if (!is_unlikely(uchardet_get_charset(u)))
		set_label(&a->guess, uchardet_get_charset(u));
}

static struct guess ask(void (*asking)(void *arg),
			const struct cfs_charset_sample *s)
{
	struct asking a = { .sample = s };

	if (!cfs_guarded(asking, &a))
		a.guess.no_memory = true;
	ucsdet_close(a.icu);
	if (a.uchardet != NULL)
		uchardet_delete(a.uchardet);
	return a.guess;
}

/* -- one charset or its sibling -- */

/* Groups sets that differ in few letters: ICU knows one of each group, uchardet
 * both.  0: none of these. */
static int family(const char *name)
{
	static const struct {
		const char *name;
		int family;
	} rows[] = {
		{ "ISO-8859-7", 1 }, { "windows-1253", 1 },
		{ "ISO-8859-2", 2 }, { "windows-1250", 2 },
		{ "ISO-8859-8", 3 }, { "windows-1255", 3 },
		{ "KOI8-R", 4 }, { "KOI8-U", 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(name, rows[i].name) == 0)
			return rows[i].family;
	return 0;
}

/* True if there are bytes 0x80 to 0x9f, which are quotes, dashes and some
 * letters in Windows sets. */
static bool has_c1(const struct cfs_charset_sample *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->p[i] >= 0x80 && s->p[i] <= 0x9f)
			return true;
	return false;
}

static bool is_letter(uint8_t c)
{
	return c >= 0xc0 || cfs_is_alpha(c);
}

/* True if one of `bytes` is next to a letter, and so is probably one itself. */
static bool has_inside_word(const struct cfs_charset_sample *s,
			    const char *bytes)
{
	size_t n = strlen(bytes);

	for (size_t i = 1; i + 1 < s->n; i++)
		if (memchr(bytes, s->p[i], n) != NULL &&
		    (is_letter(s->p[i - 1]) || is_letter(s->p[i + 1])))
			return true;
	return false;
}

static void refine(const struct cfs_charset_sample *s, struct cfs_charset *cs)
{
	static const struct {
		const char *from, *to;
		enum { WITH_C1, WITHOUT_C1, ANY } when;
		const char *inside;	/* bytes of which one must be in a
					 * word; NULL: no condition */
	} rows[] = {
		{ "ISO-8859-7", "windows-1253", WITH_C1, NULL },
		{ "ISO-8859-2", "windows-1250", WITH_C1, NULL },
		{ "ISO-8859-4", "windows-1257", WITH_C1, NULL },
		{ "ISO-8859-13", "windows-1257", WITH_C1, NULL },
		/* eight Ukrainian letters, or else box drawing */
		{ "KOI8-R", "KOI8-U", ANY,
		  "\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd" },
		/* letters, or else broken bar, not, plus-minus, pilcrow */
		{ "windows-1250", "ISO-8859-2", WITHOUT_C1,
		  "\xa6\xac\xb1\xb6" },
		{ "windows-1253", "ISO-8859-7", WITHOUT_C1, "\xb6" },
	};
	bool c1 = has_c1(s);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(cs->name, rows[i].from) != 0)
			continue;
		if ((rows[i].when == ANY || c1 == (rows[i].when == WITH_C1)) &&
		    (rows[i].inside == NULL ||
		     has_inside_word(s, rows[i].inside)))
			cfs_charset_by_label(cfs_slice_str(rows[i].to), cs);
		break;
	}
}

static bool is_confident(const struct guess *icu, size_t sample_bytes)
{
	if (icu->is_multibyte)
		return icu->confidence >= ICU_SURE_MULTIBYTE;
	return icu->confidence >= (sample_bytes < ICU_SHORT_BYTES
					   ? ICU_SURE_SHORT : ICU_SURE);
}

static bool detect(const struct cfs_charset_sample *s, struct cfs_charset *out)
{
	struct guess icu = ask(asking_icu, s), mozilla;
	struct cfs_charset other = { 0 };
	bool by_icu = cfs_charset_by_label(cfs_slice_str(icu.label), out);
	bool sure = by_icu && is_confident(&icu, s->n);

	out->by = CFS_CHARSET_BY_ICU;
	if (sure && family(out->name) == 0)
		return true;
	mozilla = ask(asking_uchardet, s);
	out->no_memory = icu.no_memory || mozilla.no_memory;
	if (out->no_memory)
		return false;
	if (!cfs_charset_by_label(cfs_slice_str(mozilla.label), &other))
		return by_icu && (sure || (s->n >= ICU_SHORT_BYTES &&
					   !icu.is_multibyte));
	if (!sure) {
		*out = other;
		out->by = CFS_CHARSET_BY_MOZILLA;
	} else if (family(other.name) == family(out->name)) {
		out->name = other.name;
		out->icu = other.icu;
	}
	return true;
}

/* True if ASCII shifts to another set: ISO-2022 by ESC or SO, HZ by "~{". */
static bool has_shifts(struct cfs_slice s, enum cfs_pages pages)
{
	return cfs_charset_scan_holds(s, pages, CFS_SLICE_LIT("\x1b")) ||
	       cfs_charset_scan_holds(s, pages, CFS_SLICE_LIT("\x0e")) ||
	       cfs_charset_scan_holds(s, pages, CFS_SLICE_LIT("~{"));
}

bool cfs_charset_detect(struct cfs_slice body, enum cfs_pages pages,
			struct cfs_charset *out)
{
	struct cfs_charset_sample s;
	bool is_ascii = cfs_charset_scan_ascii(body, pages);

	if (cfs_charset_wide(body, out)) {
		out->by = CFS_CHARSET_BY_ICU;
		return true;
	}
	if (is_ascii && !has_shifts(body, pages))
		return false;
	if (!is_ascii && is_mostly_utf8(body, pages)) {
		out->by = CFS_CHARSET_BY_ICU;
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-8"), out);
	}
	cfs_charset_sample(body, &s);
	if (s.n == 0 || !detect(&s, out))
		return false;
	refine(&s, out);
	return true;
}
