/* tex.c - formulas in TeX: characters, and sources as pages have them (tex.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tex.h"

#include "base/ascii.h"
#include "base/utf8.h"

/* The longest command that is looked for before a letter. */
#define COMMAND_MAX 24u
/* The most dollars, brackets and groups around a formula: each costs a look at
 * all of it. */
#define WRAPPERS_MAX 8u

/* ---- characters --------------------------------------------------------- */

struct tex_name {
	uint32_t c;
	const char *tex;
};

/* Characters and their commands in LaTeX with amsmath and amssymb, by code
 * point.  Invisible operators are nothing. */
static const struct tex_name names[] = {
	{ 0x23, "\\#" }, { 0x24, "\\$" }, { 0x25, "\\%" }, { 0x26, "\\&" },
	{ 0x5c, "\\backslash" }, { 0x5e, "\\wedge" }, { 0x5f, "\\_" },
	{ 0x7b, "\\{" }, { 0x7d, "\\}" }, { 0x7e, "\\sim" }, { 0xa0, "~" },
	{ 0xac, "\\neg" }, { 0xb0, "^{\\circ}" }, { 0xb1, "\\pm" },
	{ 0xb5, "\\mu" }, { 0xb7, "\\cdot" }, { 0xd7, "\\times" },
	{ 0xf7, "\\div" }, { 0x131, "\\imath" }, { 0x237, "\\jmath" },
	{ 0x391, "\\mathrm{A}" }, { 0x392, "\\mathrm{B}" },
	{ 0x393, "\\Gamma" }, { 0x394, "\\Delta" }, { 0x395, "\\mathrm{E}" },
	{ 0x396, "\\mathrm{Z}" }, { 0x397, "\\mathrm{H}" },
	{ 0x398, "\\Theta" }, { 0x399, "\\mathrm{I}" },
	{ 0x39a, "\\mathrm{K}" }, { 0x39b, "\\Lambda" },
	{ 0x39c, "\\mathrm{M}" }, { 0x39d, "\\mathrm{N}" }, { 0x39e, "\\Xi" },
	{ 0x39f, "\\mathrm{O}" }, { 0x3a0, "\\Pi" }, { 0x3a1, "\\mathrm{P}" },
	{ 0x3a3, "\\Sigma" }, { 0x3a4, "\\mathrm{T}" }, { 0x3a5, "\\Upsilon" },
	{ 0x3a6, "\\Phi" }, { 0x3a7, "\\mathrm{X}" }, { 0x3a8, "\\Psi" },
	{ 0x3a9, "\\Omega" }, { 0x3b1, "\\alpha" }, { 0x3b2, "\\beta" },
	{ 0x3b3, "\\gamma" }, { 0x3b4, "\\delta" }, { 0x3b5, "\\varepsilon" },
	{ 0x3b6, "\\zeta" }, { 0x3b7, "\\eta" }, { 0x3b8, "\\theta" },
	{ 0x3b9, "\\iota" }, { 0x3ba, "\\kappa" }, { 0x3bb, "\\lambda" },
	{ 0x3bc, "\\mu" }, { 0x3bd, "\\nu" }, { 0x3be, "\\xi" },
	{ 0x3bf, "o" }, { 0x3c0, "\\pi" }, { 0x3c1, "\\rho" },
	{ 0x3c2, "\\varsigma" }, { 0x3c3, "\\sigma" }, { 0x3c4, "\\tau" },
	{ 0x3c5, "\\upsilon" }, { 0x3c6, "\\varphi" }, { 0x3c7, "\\chi" },
	{ 0x3c8, "\\psi" }, { 0x3c9, "\\omega" }, { 0x3d1, "\\vartheta" },
	{ 0x3d5, "\\phi" }, { 0x3d6, "\\varpi" }, { 0x3f0, "\\varkappa" },
	{ 0x3f1, "\\varrho" }, { 0x3f5, "\\epsilon" }, { 0x2002, "\\enspace" },
	{ 0x2003, "\\quad" }, { 0x2004, "\\;" }, { 0x2005, "\\:" },
	{ 0x2006, "\\," }, { 0x2009, "\\," }, { 0x200a, "\\," },
	{ 0x200b, "" }, { 0x200c, "" }, { 0x200d, "" }, { 0x2010, "-" },
	{ 0x2013, "-" }, { 0x2014, "-" }, { 0x2016, "\\|" },
	{ 0x2020, "\\dagger" }, { 0x2021, "\\ddagger" },
	{ 0x2022, "\\bullet" }, { 0x2026, "\\ldots" }, { 0x2032, "\\prime" },
	{ 0x2033, "\\prime\\prime" }, { 0x2034, "\\prime\\prime\\prime" },
	{ 0x2035, "\\backprime" },
	{ 0x203e, "\\overline{\\ }" }, { 0x205f, "\\:" }, { 0x2060, "" },
	{ 0x2061, "" }, { 0x2062, "" }, { 0x2063, "" }, { 0x2064, "" },
	{ 0x2102, "\\mathbb{C}" }, { 0x210a, "\\mathcal{g}" },
	{ 0x210b, "\\mathcal{H}" }, { 0x210c, "\\mathfrak{H}" },
	{ 0x210d, "\\mathbb{H}" },
	{ 0x210e, "h" }, { 0x210f, "\\hbar" },
	{ 0x2110, "\\mathcal{I}" }, { 0x2111, "\\Im" },
	{ 0x2112, "\\mathcal{L}" }, { 0x2113, "\\ell" },
	{ 0x2115, "\\mathbb{N}" }, { 0x2118, "\\wp" },
	{ 0x2119, "\\mathbb{P}" }, { 0x211a, "\\mathbb{Q}" },
	{ 0x211b, "\\mathcal{R}" }, { 0x211c, "\\Re" },
	{ 0x211d, "\\mathbb{R}" }, { 0x2124, "\\mathbb{Z}" },
	{ 0x2127, "\\mho" }, { 0x2128, "\\mathfrak{Z}" },
	{ 0x212c, "\\mathcal{B}" }, { 0x212d, "\\mathfrak{C}" },
	{ 0x2130, "\\mathcal{E}" }, { 0x2131, "\\mathcal{F}" },
	{ 0x2133, "\\mathcal{M}" }, { 0x2134, "o" }, { 0x2135, "\\aleph" },
	{ 0x2136, "\\beth" }, { 0x2137, "\\gimel" }, { 0x2145, "D" },
	{ 0x2146, "d" }, { 0x2147, "e" }, { 0x2148, "i" }, { 0x2149, "j" },
	{ 0x2190, "\\leftarrow" }, { 0x2191, "\\uparrow" },
	{ 0x2192, "\\rightarrow" }, { 0x2193, "\\downarrow" },
	{ 0x2194, "\\leftrightarrow" }, { 0x2195, "\\updownarrow" },
	{ 0x2196, "\\nwarrow" }, { 0x2197, "\\nearrow" },
	{ 0x2198, "\\searrow" }, { 0x2199, "\\swarrow" },
	{ 0x21a0, "\\twoheadrightarrow" }, { 0x21a3, "\\rightarrowtail" },
	{ 0x21a6, "\\mapsto" }, { 0x21a9, "\\hookleftarrow" },
	{ 0x21aa, "\\hookrightarrow" }, { 0x21bc, "\\leftharpoonup" },
	{ 0x21c0, "\\rightharpoonup" }, { 0x21cb, "\\leftrightharpoons" },
	{ 0x21cc, "\\rightleftharpoons" }, { 0x21d0, "\\Leftarrow" },
	{ 0x21d1, "\\Uparrow" }, { 0x21d2, "\\Rightarrow" },
	{ 0x21d3, "\\Downarrow" }, { 0x21d4, "\\Leftrightarrow" },
	{ 0x2200, "\\forall" }, { 0x2201, "\\complement" },
	{ 0x2202, "\\partial" }, { 0x2203, "\\exists" },
	{ 0x2204, "\\nexists" }, { 0x2205, "\\emptyset" },
	{ 0x2206, "\\Delta" }, { 0x2207, "\\nabla" }, { 0x2208, "\\in" },
	{ 0x2209, "\\notin" }, { 0x220b, "\\ni" }, { 0x220f, "\\prod" },
	{ 0x2210, "\\coprod" }, { 0x2211, "\\sum" }, { 0x2212, "-" },
	{ 0x2213, "\\mp" }, { 0x2214, "\\dotplus" }, { 0x2215, "/" },
	{ 0x2216, "\\setminus" }, { 0x2217, "*" }, { 0x2218, "\\circ" },
	{ 0x2219, "\\bullet" }, { 0x221a, "\\surd" }, { 0x221d, "\\propto" },
	{ 0x221e, "\\infty" }, { 0x2220, "\\angle" },
	{ 0x2221, "\\measuredangle" }, { 0x2223, "\\mid" },
	{ 0x2224, "\\nmid" }, { 0x2225, "\\parallel" },
	{ 0x2226, "\\nparallel" }, { 0x2227, "\\wedge" }, { 0x2228, "\\vee" },
	{ 0x2229, "\\cap" }, { 0x222a, "\\cup" }, { 0x222b, "\\int" },
	{ 0x222c, "\\iint" }, { 0x222d, "\\iiint" }, { 0x222e, "\\oint" },
	{ 0x2234, "\\therefore" }, { 0x2235, "\\because" }, { 0x2236, ":" },
	{ 0x223c, "\\sim" }, { 0x223d, "\\backsim" }, { 0x2240, "\\wr" },
	{ 0x2241, "\\nsim" }, { 0x2243, "\\simeq" }, { 0x2245, "\\cong" },
	{ 0x2247, "\\ncong" }, { 0x2248, "\\approx" }, { 0x224d, "\\asymp" },
	{ 0x2250, "\\doteq" }, { 0x2254, ":=" }, { 0x225c, "\\triangleq" },
	{ 0x2260, "\\neq" }, { 0x2261, "\\equiv" }, { 0x2264, "\\leq" },
	{ 0x2265, "\\geq" }, { 0x2266, "\\leqq" }, { 0x2267, "\\geqq" },
	{ 0x226a, "\\ll" }, { 0x226b, "\\gg" }, { 0x226e, "\\nless" },
	{ 0x226f, "\\ngtr" }, { 0x2270, "\\nleq" }, { 0x2271, "\\ngeq" },
	{ 0x2272, "\\lesssim" }, { 0x2273, "\\gtrsim" }, { 0x227a, "\\prec" },
	{ 0x227b, "\\succ" }, { 0x227c, "\\preceq" }, { 0x227d, "\\succeq" },
	{ 0x2282, "\\subset" }, { 0x2283, "\\supset" },
	{ 0x2284, "\\not\\subset" }, { 0x2286, "\\subseteq" },
	{ 0x2287, "\\supseteq" }, { 0x2288, "\\nsubseteq" },
	{ 0x228a, "\\subsetneq" }, { 0x228b, "\\supsetneq" },
	{ 0x228e, "\\uplus" }, { 0x228f, "\\sqsubset" },
	{ 0x2291, "\\sqsubseteq" }, { 0x2293, "\\sqcap" },
	{ 0x2294, "\\sqcup" }, { 0x2295, "\\oplus" }, { 0x2296, "\\ominus" },
	{ 0x2297, "\\otimes" }, { 0x2298, "\\oslash" }, { 0x2299, "\\odot" },
	{ 0x22a2, "\\vdash" }, { 0x22a3, "\\dashv" }, { 0x22a4, "\\top" },
	{ 0x22a5, "\\bot" }, { 0x22a7, "\\models" }, { 0x22a8, "\\vDash" },
	{ 0x22c0, "\\bigwedge" }, { 0x22c1, "\\bigvee" },
	{ 0x22c2, "\\bigcap" }, { 0x22c3, "\\bigcup" },
	{ 0x22c4, "\\diamond" }, { 0x22c5, "\\cdot" }, { 0x22c6, "\\star" },
	{ 0x22c8, "\\bowtie" }, { 0x22c9, "\\ltimes" }, { 0x22ca, "\\rtimes" },
	{ 0x22ee, "\\vdots" }, { 0x22ef, "\\cdots" }, { 0x22f1, "\\ddots" },
	{ 0x2308, "\\lceil" }, { 0x2309, "\\rceil" }, { 0x230a, "\\lfloor" },
	{ 0x230b, "\\rfloor" }, { 0x2329, "\\langle" }, { 0x232a, "\\rangle" },
	{ 0x25a1, "\\square" }, { 0x25b3, "\\triangle" },
	{ 0x25b9, "\\triangleright" }, { 0x25c3, "\\triangleleft" },
	{ 0x25cb, "\\bigcirc" }, { 0x266d, "\\flat" }, { 0x266e, "\\natural" },
	{ 0x266f, "\\sharp" }, { 0x2713, "\\checkmark" }, { 0x27c2, "\\perp" },
	{ 0x27e8, "\\langle" }, { 0x27e9, "\\rangle" },
	{ 0x27f5, "\\longleftarrow" }, { 0x27f6, "\\longrightarrow" },
	{ 0x27f7, "\\longleftrightarrow" }, { 0x27f8, "\\Longleftarrow" },
	{ 0x27f9, "\\Longrightarrow" }, { 0x27fa, "\\Longleftrightarrow" },
	{ 0x27fc, "\\longmapsto" }, { 0x2a00, "\\bigodot" },
	{ 0x2a01, "\\bigoplus" }, { 0x2a02, "\\bigotimes" },
	{ 0x2a06, "\\bigsqcup" }, { 0x2a0c, "\\iiiint" },
	{ 0x2a2f, "\\times" }, { 0x2a7d, "\\leqslant" },
	{ 0x2a7e, "\\geqslant" }, { 0x2aaf, "\\preceq" },
	{ 0x2ab0, "\\succeq" }, { 0xfeff, "" },
};

static const char *find_name(uint32_t c)
{
	size_t from = 0, to = sizeof(names) / sizeof(names[0]);

	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (names[at].c == c)
			return names[at].tex;
		if (names[at].c < c)
			from = at + 1;
		else
			to = at;
	}
	return NULL;
}

/* The alphabets of U+1D400 to U+1D7FF: each begins where the one before it
 * ends. */
struct alphabet {
	uint16_t size;
	const char *command;
};

static const struct alphabet alphabets[] = {
	{ 52, "\\mathbf" }, { 52, "" }, { 52, "\\boldsymbol" },
	{ 52, "\\mathcal" }, { 52, "\\mathcal" }, { 52, "\\mathfrak" },
	{ 52, "\\mathbb" }, { 52, "\\mathfrak" }, { 52, "\\mathsf" },
	{ 52, "\\mathsf" }, { 52, "\\mathsf" }, { 52, "\\mathsf" },
	{ 52, "\\mathtt" }, { 4, "" },
	{ 58, "\\boldsymbol" }, { 58, "" }, { 58, "\\boldsymbol" },
	{ 58, "\\boldsymbol" }, { 58, "\\boldsymbol" }, { 4, "" },
	{ 10, "\\mathbf" }, { 10, "\\mathbb" }, { 10, "\\mathsf" },
	{ 10, "\\mathsf" }, { 10, "\\mathtt" },
};

/* The plain character at a place of an alphabet. */
static uint32_t plain_char(unsigned size, uint32_t at)
{
	static const uint32_t more[] = { 0x2202, 0x3f5, 0x3d1, 0x3f0, 0x3d5,
					 0x3f1, 0x3d6 };

	switch (size) {
	case 52:
		return at < 26 ? 'A' + at : 'a' + at - 26;
	case 58:
		if (at == 25)
			return 0x2207;
		if (at < 25)
			return at == 17 ? 0x3f4 : 0x391 + at;
		return at < 51 ? 0x3b1 + at - 26 : more[at - 51];
	case 10:
		return '0' + at;
	default:
		return at == 0 ? 0x131 : 0x237;
	}
}

static void add_of_alphabet(struct cfs_buf *out, uint32_t at)
{
	size_t i = 0;

	while (at >= alphabets[i].size)
		at -= alphabets[i++].size;
	cfs_buf_adds(out, alphabets[i].command);
	if (alphabets[i].command[0] != 0)
		cfs_buf_addc(out, '{');
	cfs_tex_add_char(out, plain_char(alphabets[i].size, at));
	if (alphabets[i].command[0] != 0)
		cfs_buf_addc(out, '}');
}

/* True if a letter that follows would belong to a command. */
static bool ends_with_command(const struct cfs_buf *out)
{
	size_t n = out->n;

	while (n > 0 && out->n - n < COMMAND_MAX && cfs_is_alpha(out->p[n - 1]))
		n--;
	return n > 0 && n < out->n && out->p[n - 1] == '\\' &&
	       (n == 1 || out->p[n - 2] != '\\');
}

void cfs_tex_add(struct cfs_buf *out, struct cfs_slice s)
{
	if (s.n > 0 && cfs_is_alpha(s.p[0]) && ends_with_command(out))
		cfs_buf_addc(out, ' ');
	cfs_buf_add(out, s);
}

void cfs_tex_add_char(struct cfs_buf *out, uint32_t c)
{
	const char *name = find_name(c);
	uint8_t utf8[4];

	if (name != NULL)
		cfs_tex_add(out, cfs_slice_str(name));
	else if (c >= 0x1d400 && c <= 0x1d7ff && (c < 0x1d7ca || c > 0x1d7cd))
		add_of_alphabet(out, c - 0x1d400);
	else
		cfs_tex_add(out, cfs_slice_of(utf8, cfs_utf8_put(utf8, c)));
}

bool cfs_tex_is_function(struct cfs_slice word)
{
	return cfs_slice_in_words(word,
		"arccos arcsin arctan arg cos cosh cot coth csc deg det dim "
		"exp gcd hom inf ker lg lim liminf limsup ln log max min Pr "
		"sec sin sinh sup tan tanh");
}

bool cfs_tex_is_group(struct cfs_slice s)
{
	size_t depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '{')
			depth++;
		else if (s.p[i] == '}' && --depth == 0)
			return i + 1 == s.n && s.p[0] == '{';
		if (depth == 0)
			return false;
	}
	return false;
}

/* ---- sources ------------------------------------------------------------ */

/* Takes what is around s off, if it is that; the last character then is no
 * part of a command. */
static bool take_off(struct cfs_slice *s, struct cfs_slice before,
		     struct cfs_slice after)
{
	if (s->n < before.n + after.n || !cfs_slice_starts(*s, before) ||
	    !cfs_slice_ends(*s, after))
		return false;
	*s = cfs_slice_trim(cfs_slice_sub(*s, before.n,
					  s->n - before.n - after.n));
	return true;
}

/* Takes a group off that sets the style of the whole formula. */
static bool take_off_style(struct cfs_slice *s)
{
	static const struct cfs_slice styles[] = {
		CFS_SLICE_LIT("{\\displaystyle "),
		CFS_SLICE_LIT("{\\textstyle "),
		CFS_SLICE_LIT("{\\scriptstyle "),
	};

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (cfs_slice_starts(*s, styles[i]) && cfs_tex_is_group(*s))
			return take_off(s, styles[i], CFS_SLICE_LIT("}"));
	return take_off(s, CFS_SLICE_LIT("\\displaystyle "), CFS_SLICE_EMPTY);
}

/* True if a dollar at the end of s belongs to that at its beginning. */
static bool is_one_formula(struct cfs_slice s, size_t dollars)
{
	struct cfs_slice inner = cfs_slice_sub(s, dollars,
					       s.n - 2 * dollars);

	return s.n > 2 * dollars && inner.p[inner.n - 1] != '\\' &&
	       cfs_slice_find(inner, '$') < 0;
}

static struct cfs_slice inner_source(struct cfs_slice s, bool *display)
{
	bool is_display = false, goes_on = true;

	s = cfs_slice_trim(s);
	for (unsigned i = 0; goes_on && i < WRAPPERS_MAX; i++) {
		if (take_off(&s, CFS_SLICE_LIT("\\["), CFS_SLICE_LIT("\\]")))
			is_display = true;
		else if (is_one_formula(s, 2) &&
			 take_off(&s, CFS_SLICE_LIT("$$"), CFS_SLICE_LIT("$$")))
			is_display = true;
		else
			goes_on = (is_one_formula(s, 1) &&
				   take_off(&s, CFS_SLICE_LIT("$"),
					    CFS_SLICE_LIT("$"))) ||
				  take_off(&s, CFS_SLICE_LIT("\\("),
					   CFS_SLICE_LIT("\\)")) ||
				  take_off_style(&s);
	}
	*display |= is_display;
	return s;
}

/* The bytes up to the end of the last line that has one: a sign of percent
 * behind them begins no comment. */
static size_t bytes_of_lines(struct cfs_slice s)
{
	while (s.n > 0 && s.p[s.n - 1] != '\n')
		s.n--;
	return s.n;
}

/* A dollar in a formula begins, or ends, one within its text. */
static void add_dollar(struct cfs_buf *out, bool *in_formula)
{
	cfs_buf_adds(out, *in_formula ? "\\)" : "\\(");
	*in_formula = !*in_formula;
}

/* Cuts blanks off the end of a formula, and a backslash that would escape the
 * dollar behind it. */
static void cut_end(struct cfs_buf *out, size_t start)
{
	size_t run;

	do {
		while (out->n > start && out->p[out->n - 1] == ' ')
			out->n--;
		run = 0;
		while (out->n - run > start &&
		       out->p[out->n - 1 - run] == '\\')
			run++;
		out->n -= run % 2;
	} while (run % 2 == 1);
}

void cfs_tex_add_source(struct cfs_buf *out, struct cfs_slice tex,
			bool *display)
{
	struct cfs_slice s = inner_source(tex, display);
	bool in_formula = false, blank = false;
	size_t start = out->n, lines = bytes_of_lines(s), end = s.n;

	while (s.n > 0) {
		size_t n = s.p[0] == '\\' && s.n > 1 ? 2 : 1;

		size_t skipped = 0;

		if (s.p[0] == '%' && end - s.n < lines)
			skipped = (size_t)cfs_slice_find(s, '\n') + 1;
		if (s.p[0] <= ' ' || s.p[0] == 0x7f) {
			blank = true;
			skipped = 1;
		}
		if (skipped > 0) {
			s = cfs_slice_from(s, skipped);
			continue;
		}
		if (n == 2 && s.p[1] <= ' ')
			n = 1;	/* a blank, which is added before the next */
		if (blank && out->n > start)
			cfs_buf_addc(out, ' ');
		blank = false;
		if (s.p[0] == '$')
			add_dollar(out, &in_formula);
		else if (s.p[0] == '%')
			cfs_buf_adds(out, "\\%");
		else
			cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
	}
	if (in_formula)
		cfs_buf_adds(out, "\\)");
	cut_end(out, start);
}
