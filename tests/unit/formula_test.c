/* formula_test.c - formulas of pages: which elements are some, and their TeX.
 *
 * Expected TeX was written by hand, from what the elements of MathML 3 mean and
 * what the commands of LaTeX (amsmath, amssymb) do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "html/outline.h"
#include "html/tex.h"

/* ---- elements ----------------------------------------------------------- */

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	if (el->tag == CFS_TAG_P)
		cfs_buf_adds(arg, "<p>");
	return el->tag != CFS_TAG_SCRIPT;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	(void)arg;
	(void)el;
}

static void on_text(void *arg, struct cfs_slice s)
{
	cfs_buf_add(arg, s);
}

static void on_formula(void *arg, struct cfs_slice tex, bool is_display)
{
	cfs_buf_adds(arg, is_display ? "$$" : "$");
	cfs_buf_add(arg, tex);
	cfs_buf_adds(arg, is_display ? "$$" : "$");
}

#define TEX(t) "<annotation encoding=\"application/x-tex\">" t "</annotation>"
#define MATH(x) "<math><semantics><mrow>" x "</mrow>"
#define RENDERED "<span class=\"MathJax\"><nobr><span class=math>x2</span>" \
	"</nobr>"
#define ASSISTIVE "<span class=\"MJX_Assistive_MathML\"><math><msup>" \
	"<mi>y</mi><mn>2</mn></msup></math></span>"

static const struct formula_case {
	const char *name, *html, *want;
} element_cases[] = {
	{ "annotation", "a " MATH("<mi>x</mi>") TEX("x_1") "</semantics></math> b",
	  "a $x_1$ b" },
	{ "block", "<math display=block>" TEX("x") "</math>", "$$x$$" },
	{ "another annotation", MATH("<mi>x</mi>")
	  "<annotation encoding=\"Mathematica\">Sin[x]</annotation></math>",
	  "$x$" },
	{ "alttext", "<math alttext=\"x^{2}\"><mi>x</mi></math>", "$x^{2}$" },
	{ "alttext in words", "<math alttext=\"x over two\"><mi>x</mi></math>",
	  "$x$" },
	{ "KaTeX", "<span class=katex><span class=katex-mathml>" MATH("<mi>x</mi>")
	  TEX("x") "</semantics></math></span><span class=katex-html "
	  "aria-hidden=true>x</span></span>y", "$x$y" },
	{ "KaTeX, displayed", "<span class=katex-display><span class=katex>"
	  "<span class=katex-mathml>" MATH("<mi>x</mi>") TEX("x")
	  "</semantics></math></span></span></span>", "$$x$$" },
	{ "KaTeX without MathML", "<span class=katex><span class=katex-html "
	  "aria-hidden=true>ab</span></span>c", "abc" },
	{ "a script", "a<script type=\"math/tex\">x<y</script>b", "a$x<y$b" },
	{ "a displayed script", "<script type=\"math/tex; mode=display\">x"
	  "</script>", "$$x$$" },
	{ "preview and script", "<span class=MathJax_Preview>x2</span>"
	  "<script type=math/tex>x^2</script>.", "$x^2$." },
	{ "preview alone", "<span class=MathJax_Preview>x2</span><p>y",
	  "x2<p>y" },
	{ "preview, rendered and script", "<span class=MathJax_Preview>x2</span>"
	  RENDERED ASSISTIVE "</span> <script type=math/tex>y^2 </script>",
	  " $y^2$" },
	{ "rendered alone", "<p>" RENDERED ASSISTIVE "</span></p>z",
	  "<p>$y^{2}$z" },
	{ "two that are rendered", RENDERED ASSISTIVE "</span>" RENDERED
	  ASSISTIVE "</span>", "$y^{2}$$y^{2}$" },
	{ "two pairs", "<span class=MathJax_Preview>a</span><script "
	  "type=math/tex>a</script><span class=MathJax_Preview>b</span><script "
	  "type=math/tex>b</script>", "$a$$b$" },
	{ "MathJax 3", "<mjx-container class=MathJax display=true><mjx-math>"
	  "<mjx-c></mjx-c></mjx-math><mjx-assistive-mml><math><mi>x</mi></math>"
	  "</mjx-assistive-mml></mjx-container>", "$$x$$" },
	{ "MathJax 4", "<mjx-container class=MathJax data-latex=\"x_1\">"
	  "<svg><path/></svg></mjx-container>", "$x_1$" },
	{ "MediaWiki", "<span class=mwe-math-element><span style=\"display:none\">"
	  "<math>" TEX("{\\displaystyle x}") "</math></span><img alt=\"y\">"
	  "</span>", "$x$" },
	{ "MediaWiki without MathML", "<span class=mwe-math-element><img "
	  "class=mwe-math-fallback-image-inline alt=\"{\\displaystyle x_1}\">"
	  "</span>", "$x_1$" },
	{ "an image", "<img class=latex alt=\"x^2\">y", "$x^2$y" },
	{ "an image's alt", "<img alt=\"$x$\"><img alt=x><img alt=\"$5\">",
	  "$x$" },
	{ "a hidden one", "<math hidden><mi>x</mi></math>y", "xy" },
	{ "text", "$x$ \\(y\\)", "$x$ \\(y\\)" },
	{ "a paragraph ends one", "<math><mi>x</mi><p>y", "$x$<p>y" },
	{ "not ended", "<span class=katex>" MATH("<mi>x</mi>") TEX("x^2"),
	  "$x^2$" },
	{ "nothing", "<math></math><span class=katex></span>x", "x" },
};

/* Holds B20. */
static void test_elements(void **state)
{
	const size_t n = sizeof(element_cases) / sizeof(element_cases[0]);
	struct cfs_buf b;
	struct cfs_html_sink sink = { on_start, on_end, on_text, &b,
				      on_formula };

	(void)state;
	cfs_buf_init(&b, 1 << 16);
	for (size_t i = 0; i < n; i++) {
		const struct formula_case *tc = &element_cases[i];

		cfs_buf_reset(&b);
		assert_int_equal(cfs_html_outline(cfs_slice_str(tc->html),
						  &sink, CFS_CTX(NULL, NULL)),
				 CFS_OK);
		cfs_buf_addc(&b, 0);
		if (strcmp((char *)b.p, tc->want) != 0)
			fail_msg("%s: '%s', not '%s'", tc->name, (char *)b.p,
				 tc->want);
	}
	cfs_buf_release(&b);
}

/* ---- MathML ------------------------------------------------------------- */

static const struct {
	const char *math, *want;
} math_cases[] = {
	{ "<mi>x</mi><mo>+</mo><mn>12.5</mn>", "x+12.5" },
	{ "<mi>\xce\xb1</mi><mi>x</mi>", "\\alpha x" },
	{ "<mi>sin</mi><mo>\xe2\x81\xa1</mo><mi>x</mi>", "\\sin x" },
	{ "<mi>speed</mi>", "\\mathrm{speed}" },
	{ "<mi mathvariant=bold>v</mi>", "\\mathbf{v}" },
	{ "<mi>\xf0\x9d\x94\xb8</mi><mi>\xf0\x9d\x91\xa5</mi>", "\\mathbb{A}x" },
	{ "<mfrac><mi>a</mi><mrow><mi>b</mi><mi>c</mi></mrow></mfrac>",
	  "\\frac{a}{bc}" },
	{ "<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>",
	  "\\genfrac{}{}{0pt}{}{n}{k}" },
	{ "<msup><mi>x</mi><mn>2</mn></msup>", "x^{2}" },
	{ "<msup><mrow><mi>x</mi><mi>y</mi></mrow><mn>2</mn></msup>",
	  "{xy}^{2}" },
	{ "<msub><mi>\xce\xb1</mi><mi>i</mi></msub>", "\\alpha_{i}" },
	{ "<msubsup><mo>\xe2\x88\xab</mo><mn>0</mn><mn>1</mn></msubsup><mi>x</mi>",
	  "\\int_{0}^{1}x" },
	{ "<msqrt><mi>x</mi><mi>y</mi></msqrt>", "\\sqrt{xy}" },
	{ "<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}" },
	{ "<munderover><mo>\xe2\x88\x91</mo><mi>i</mi><mi>n</mi></munderover>",
	  "\\sum_{i}^{n}" },
	{ "<munder><mi>lim</mi><mi>n</mi></munder><mi>x</mi>", "\\lim_{n}x" },
	{ "<mover><mi>x</mi><mo>\xc2\xaf</mo></mover>", "\\bar{x}" },
	{ "<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>\xe2\x86\x92</mo></mover>",
	  "\\overrightarrow{AB}" },
	{ "<mover><mo>=</mo><mtext>def</mtext></mover>",
	  "\\overset{\\text{def}}{=}" },
	{ "<munderover><mi>X</mi><mi>a</mi><mi>b</mi></munderover>",
	  "\\underset{a}{\\overset{b}{X}}" },
	{ "<mover><mover><mi>x</mi><mo>\xe2\x8f\x9e</mo></mover><mi>n</mi></mover>",
	  "\\overbrace{x}^{n}" },
	{ "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd>"
	  "<mi>c</mi></mtd></mtr></mtable>",
	  "\\begin{matrix}a&b\\\\ c\\end{matrix}" },
	{ "<mfenced><mi>x</mi><mi>y</mi></mfenced>", "(x,y)" },
	{ "<mfenced open='{' close='' separators=';|'><mi>x</mi><mi>y</mi>"
	  "<mi>z</mi></mfenced>", "\\{x;y|z" },
	{ "<mmultiscripts><mi>F</mi><mn>1</mn><none/><mprescripts/><mn>2</mn>"
	  "<mn>3</mn></mmultiscripts>", "{}_{2}^{3}F_{1}" },
	{ "<mtext>a &amp; b_c</mtext>", "\\text{a \\& b\\_c}" },
	{ "<mi>a</mi><mspace width=1em /><mi>b</mi>", "a\\quad b" },
	{ "<mphantom><mi>x</mi></mphantom>", "\\phantom{x}" },
	{ "<menclose notation=box><mi>x</mi></menclose>", "\\boxed{x}" },
	{ "<maction><mi>x</mi><mi>y</mi></maction>", "x" },
	{ "<mstyle displaystyle=true><mi>x</mi></mstyle>", "x" },
	{ "<mn>5</mn><mo>%</mo><mo>#</mo>", "5\\%\\#" },
	{ "<mo>&lt;</mo><mo>\xe2\x89\xa4</mo><mi>a</mi>", "<\\leq a" },
	/* nothing is lost of what must not be */
	{ "<mfrac><mi>a</mi></mfrac>", "\\frac{a}{}" },
	{ "<mfrac><mi>a</mi><mi>b</mi><mi>c</mi></mfrac>", "\\frac{a}{b}c" },
	{ "<msup></msup>", "{}^{}" },
	{ "<mfoo><mi>a</mi></mfoo>b", "ab" },
	{ "<munder></munder><mi>x</mi>", "x" },
};

static void test_math(void **state)
{
	struct cfs_buf b, html;
	struct cfs_html_sink sink = { on_start, on_end, on_text, &b,
				      on_formula };

	(void)state;
	cfs_buf_init(&b, 1 << 16);
	cfs_buf_init(&html, 1 << 16);
	for (size_t i = 0; i < sizeof(math_cases) / sizeof(math_cases[0]); i++) {
		cfs_buf_reset(&html);
		cfs_buf_reset(&b);
		cfs_buf_addf(&html, "<math>%s</math>", math_cases[i].math);
		assert_int_equal(cfs_html_outline(cfs_buf_slice(&html), &sink,
						  CFS_CTX(NULL, NULL)), CFS_OK);
		cfs_buf_reset(&html);
		cfs_buf_addf(&html, "$%s$", math_cases[i].want);
		if (!cfs_slice_eq(cfs_buf_slice(&b), cfs_buf_slice(&html)))
			fail_msg("%s: '%.*s'", math_cases[i].math, (int)b.n,
				 (char *)b.p);
	}
	cfs_buf_release(&b);
	cfs_buf_release(&html);
}

/* An element too deep belongs to the innermost one; nothing is lost. */
static void test_deep(void **state)
{
	struct cfs_buf b, html;
	struct cfs_html_sink sink = { on_start, on_end, on_text, &b,
				      on_formula };
	size_t n = 0;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_init(&html, 1 << 20);
	cfs_buf_adds(&html, "<math>");
	for (unsigned i = 0; i < 1000; i++)
		cfs_buf_adds(&html, "<msup><mi>x</mi>");
	assert_int_equal(cfs_html_outline(cfs_buf_slice(&html), &sink,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	for (size_t i = 0; i < b.n; i++)
		n += b.p[i] == 'x';
	assert_int_equal(n, 1000);
	cfs_buf_release(&b);
	cfs_buf_release(&html);
}

/* ---- sources ------------------------------------------------------------ */

static const struct {
	const char *tex, *want;
	bool is_display;
} source_cases[] = {
	{ " x \n + y ", "x + y", false },
	{ "$x$", "x", false }, { "$$x$$", "x", true },
	{ "\\(x\\)", "x", false }, { "\\[ x \\]", "x", true },
	{ "$x$ and $y$", "\\(x\\) and \\(y\\)", false },
	{ "\\text{for $x$}", "\\text{for \\(x\\)}", false },
	{ "{\\displaystyle x^{2}}", "x^{2}", false },
	{ "{\\displaystyle x}+{y}", "{\\displaystyle x}+{y}", false },
	{ "\\$5", "\\$5", false },
	{ "a % comment\nb", "a b", false },
	{ "a % b % c\nd % e", "a d \\% e", false },
	{ "50%", "50\\%", false }, { "50\\%\nx", "50\\% x", false },
	{ "x\\\\\ny", "x\\\\ y", false },
	{ "x\\", "x", false }, { "x\\ ", "x", false }, { "x \\ \\", "x", false },
	{ "x\\\\", "x\\\\", false },
	{ "\\ x", "\\ x", false },
	{ "", "", false }, { "$", "\\(\\)", false }, { "\\", "", false },
	{ "$$", "\\(\\)", false }, { "$$$", "\\(\\)\\(\\)", false },
};

static void test_sources(void **state)
{
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 1 << 12);
	for (size_t i = 0; i < sizeof(source_cases) / sizeof(source_cases[0]);
	     i++) {
		bool is_display = false;

		cfs_buf_reset(&b);
		cfs_tex_add_source(&b, cfs_slice_str(source_cases[i].tex),
				   &is_display);
		if (!cfs_slice_eq(cfs_buf_slice(&b),
				  cfs_slice_str(source_cases[i].want)))
			fail_msg("%s: '%.*s'", source_cases[i].tex, (int)b.n,
				 (char *)b.p);
		assert_int_equal(is_display, source_cases[i].is_display);
	}
	cfs_buf_release(&b);
}

/* A sign of percent costs no look at all that follows. */
static void test_percents(void **state)
{
	size_t n = (size_t)1 << 22;
	bool is_display = false;
	struct cfs_buf b, tex;

	(void)state;
	cfs_buf_init(&b, 4 * n);
	cfs_buf_init(&tex, n);
	for (size_t i = 0; i < n; i++)
		cfs_buf_addc(&tex, '%');
	cfs_tex_add_source(&b, cfs_buf_slice(&tex), &is_display);
	assert_int_equal(b.n, 2 * n);
	cfs_buf_release(&b);
	cfs_buf_release(&tex);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_math),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_percents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
