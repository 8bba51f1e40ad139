/* charset.c - the labels of character sets on the web.
 *
 * Labels and their meanings are those of the WHATWG Encoding Standard, section
 * 4.2, where "iso-8859-1" and "us-ascii" mean windows-1252, "gb2312" means GBK,
 * and so on, since browsers read pages that way.  The reported name stays close
 * to the label, as in the 2012 crawl (doc/formats.md, "Charsets": Java's
 * canonical names).
 *
 * Sets that the standard replaces by one U+FFFD (HZ, ISO-2022-KR, ISO-2022-CN)
 * or does not know (UTF-32, EUC-TW, DOS code pages) are decoded if ICU can:
 * here no scripts run that would have to be protected.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset.h"

struct label_row {
	const char *name;	/* the reported name */
	const char *icu;	/* the decoder */
	const char *labels;	/* in lower case, separated by one blank */
};

static const struct label_row rows[] = {
	{ "UTF-8", "UTF-8",
	  "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 "
	  "x-unicode20utf8" },
	{ "ISO-8859-1", "windows-1252",
	  "iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 "
	  "latin1 l1 cp819 ibm819 csisolatin1" },
	{ "windows-1252", "windows-1252", "windows-1252 cp1252 x-cp1252" },
	{ "US-ASCII", "windows-1252", "us-ascii ascii ansi_x3.4-1968" },
	{ "windows-1251", "windows-1251", "windows-1251 cp1251 x-cp1251" },
	{ "windows-1250", "windows-1250", "windows-1250 cp1250 x-cp1250" },
	{ "windows-1253", "windows-1253", "windows-1253 cp1253 x-cp1253" },
	{ "windows-1254", "windows-1254", "windows-1254 cp1254 x-cp1254" },
	{ "windows-1255", "windows-1255", "windows-1255 cp1255 x-cp1255" },
	{ "windows-1256", "windows-1256", "windows-1256 cp1256 x-cp1256" },
	{ "windows-1257", "windows-1257", "windows-1257 cp1257 x-cp1257" },
	{ "windows-1258", "windows-1258", "windows-1258 cp1258 x-cp1258" },
	{ "ISO-8859-2", "ISO-8859-2",
	  "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 "
	  "latin2 l2 csisolatin2" },
	{ "ISO-8859-3", "ISO-8859-3",
	  "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 "
	  "latin3 l3 csisolatin3" },
	{ "ISO-8859-4", "ISO-8859-4",
	  "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 "
	  "latin4 l4 csisolatin4" },
	{ "ISO-8859-5", "ISO-8859-5",
	  "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 "
	  "cyrillic csisolatincyrillic" },
	{ "ISO-8859-6", "ISO-8859-6",
	  "iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-ir-127 "
	  "iso-8859-6-e iso-8859-6-i csiso88596e csiso88596i arabic asmo-708 "
	  "ecma-114 csisolatinarabic" },
	{ "ISO-8859-7", "ISO-8859-7",
	  "iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 "
	  "greek greek8 ecma-118 elot_928 sun_eu_greek csisolatingreek" },
	{ "ISO-8859-8", "ISO-8859-8",
	  "iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-ir-138 "
	  "iso-8859-8-e iso-8859-8-i logical visual hebrew csiso88598e "
	  "csiso88598i csisolatinhebrew" },
	{ "ISO-8859-9", "windows-1254",
	  "iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 "
	  "latin5 l5 csisolatin5" },
	{ "ISO-8859-10", "ISO-8859-10",
	  "iso-8859-10 iso8859-10 iso885910 iso-ir-157 latin6 l6 csisolatin6" },
	{ "ISO-8859-13", "ISO-8859-13", "iso-8859-13 iso8859-13 iso885913" },
	{ "ISO-8859-14", "ISO-8859-14", "iso-8859-14 iso8859-14 iso885914" },
	{ "ISO-8859-15", "ISO-8859-15",
	  "iso-8859-15 iso8859-15 iso885915 iso_8859-15 latin-9 latin9 l9 "
	  "csisolatin9" },
	{ "ISO-8859-16", "ISO-8859-16", "iso-8859-16" },
	{ "TIS-620", "windows-874",
	  "tis-620 iso-8859-11 iso8859-11 iso885911" },
	{ "x-windows-874", "windows-874", "windows-874 dos-874" },
	{ "IBM866", "ibm-866", "ibm866 866 cp866 csibm866" },
	{ "IBM855", "ibm-855", "ibm855 855 cp855" },
	{ "IBM850", "ibm-850", "ibm850 850 cp850" },
	{ "IBM437", "ibm-437", "ibm437 437 cp437" },
	{ "IBM852", "ibm-852", "ibm852 852 cp852" },
	{ "KOI8-R", "KOI8-R", "koi8-r koi8 koi cskoi8r koi8_r" },
	{ "KOI8-U", "KOI8-U", "koi8-u koi8-ru" },
	{ "x-MacRoman", "macintosh", "macintosh mac x-mac-roman csmacintosh" },
	{ "x-MacCyrillic", "x-mac-cyrillic",
	  "x-mac-cyrillic x-mac-ukrainian maccyrillic mac-cyrillic" },
	{ "GB2312", "gb18030",
	  "gb2312 gb_2312 gb_2312-80 csgb2312 csiso58gb231280 iso-ir-58 "
	  "chinese euc-cn x-euc-cn" },
	{ "GBK", "gb18030", "gbk x-gbk cp936 ms936" },
	{ "GB18030", "gb18030", "gb18030" },
	{ "HZ-GB-2312", "HZ", "hz-gb-2312 hz" },
	{ "ISO-2022-CN", "ISO-2022-CN", "iso-2022-cn iso-2022-cn-ext" },
	{ "Big5", "Big5-HKSCS", "big5 cn-big5 csbig5 x-x-big5" },
	{ "Big5-HKSCS", "Big5-HKSCS", "big5-hkscs" },
	{ "x-EUC-TW", "EUC-TW", "euc-tw x-euc-tw" },
	{ "EUC-JP", "EUC-JP", "euc-jp x-euc-jp cseucpkdfmtjapanese" },
	{ "ISO-2022-JP", "ISO-2022-JP", "iso-2022-jp csiso2022jp" },
	{ "Shift_JIS", "ibm-943_P15A-2003",
	  "shift_jis shift-jis sjis ms_kanji x-sjis csshiftjis" },
	{ "windows-31j", "ibm-943_P15A-2003", "windows-31j ms932 cp932" },
	{ "EUC-KR", "windows-949",
	  "euc-kr cseuckr ksc5601 ksc_5601 ks_c_5601-1987 ks_c_5601-1989 "
	  "csksc56011987 iso-ir-149 korean" },
	{ "x-windows-949", "windows-949", "windows-949 cp949 ms949 uhc" },
	{ "ISO-2022-KR", "ISO-2022-KR", "iso-2022-kr csiso2022kr" },
	{ "UTF-16LE", "UTF-16LE",
	  "utf-16 utf-16le ucs-2 unicode iso-10646-ucs-2 csunicode "
	  "unicodefeff" },
	{ "UTF-16BE", "UTF-16BE", "utf-16be unicodefffe" },
	{ "UTF-32LE", "UTF-32LE", "utf-32le utf-32" },
	{ "UTF-32BE", "UTF-32BE", "utf-32be" },
	{ "x-user-defined", "x-user-defined", "x-user-defined" },
	{ "replacement", "replacement", "replacement" },
};

bool cfs_charset_by_label(struct cfs_slice label, struct cfs_charset *out)
{
	label = cfs_slice_trim(label);
	if (label.n == 0)
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (cfs_slice_in_words(label, rows[i].labels)) {
			out->name = rows[i].name;
			out->icu = rows[i].icu;
			out->no_memory = false;
			return true;
		}
	}
	return false;
}

/* -- charset= of a header value -- */

struct cfs_slice cfs_charset_quoted(struct cfs_slice s)
{
	ptrdiff_t end = -1;

	if (s.n > 0 && (s.p[0] == '"' || s.p[0] == '\''))
		end = cfs_slice_find(cfs_slice_from(s, 1), s.p[0]);
	return cfs_slice_sub(s, 1, end < 0 ? 0 : (size_t)end);
}

struct cfs_slice cfs_charset_param(struct cfs_slice s)
{
	ptrdiff_t at;
	size_t n = 0;

	do {
		at = cfs_slice_search_nocase(s, CFS_SLICE_LIT("charset"));
		if (at < 0)
			return CFS_SLICE_EMPTY;
		s = cfs_skip_spaces(cfs_slice_from(s, (size_t)at + 7));
	} while (s.n == 0 || s.p[0] != '=');
	s = cfs_skip_spaces(cfs_slice_from(s, 1));
	if (s.n == 0)
		return CFS_SLICE_EMPTY;
	if (s.p[0] == '"' || s.p[0] == '\'')
		return cfs_charset_quoted(s);
	while (n < s.n && !cfs_is_space(s.p[n]) && s.p[n] != ';' &&
	       s.p[n] != ',')
		n++;
	return cfs_slice_sub(s, 0, n);
}
