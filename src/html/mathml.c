/* mathml.c - turns presentation MathML into TeX (formula.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formula.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "tex.h"

/* The TeX of a formula has at most so many bytes for each of the page. */
#define TEX_MAX (CFS_HTML_TEXT_MAX * 12)

enum node_kind {
	ROW,		/* its children in a row */
	ACTION,		/* the first child */
	FRAC, SQRT, ROOT,
	SUB, SUP, SUBSUP, MULTI,
	UNDER, OVER, UNDEROVER,
	TABLE, TR, TD,
	FENCED, ENCLOSE, PHANTOM, SPACE, PRESCRIPTS,
	IDENTIFIER, NUMBER, OPERATOR, TEXT,
};

static const struct {
	const char *name;
	enum node_kind kind;
} kinds[] = {
	{ "mi", IDENTIFIER }, { "mn", NUMBER }, { "mo", OPERATOR },
	{ "mtext", TEXT }, { "ms", TEXT }, { "mspace", SPACE },
	{ "mfrac", FRAC }, { "msqrt", SQRT }, { "mroot", ROOT },
	{ "msub", SUB }, { "msup", SUP }, { "msubsup", SUBSUP },
	{ "mmultiscripts", MULTI }, { "mprescripts", PRESCRIPTS },
	{ "munder", UNDER }, { "mover", OVER }, { "munderover", UNDEROVER },
	{ "mtable", TABLE }, { "mtr", TR }, { "mlabeledtr", TR },
	{ "mtd", TD }, { "mfenced", FENCED }, { "menclose", ENCLOSE },
	{ "mphantom", PHANTOM }, { "maction", ACTION },
};

void cfs_mathml_init(struct cfs_mathml *m)
{
	m->n_open = 0;
	cfs_buf_init(&m->out, TEX_MAX);
	cfs_buf_init(&m->token, CFS_HTML_TEXT_MAX);
	cfs_buf_init(&m->scratch, TEX_MAX);
}

void cfs_mathml_release(struct cfs_mathml *m)
{
	cfs_buf_release(&m->out);
	cfs_buf_release(&m->token);
	cfs_buf_release(&m->scratch);
}

void cfs_mathml_reset(struct cfs_mathml *m)
{
	m->n_open = 0;
	cfs_buf_empty(&m->out);
	cfs_buf_empty(&m->token);
}

static void add(struct cfs_mathml *m, const char *tex)
{
	cfs_tex_add(&m->out, cfs_slice_str(tex));
}

/* ---- tokens ------------------------------------------------------------- */

/* Alphabets of mathvariant; the last is `normal`. */
#define UPRIGHT 8u
static const char *const variants[] = {
	"", "\\mathbf", "\\boldsymbol", "\\mathbb", "\\mathfrak", "\\mathcal",
	"\\mathsf", "\\mathtt", "\\mathrm",
};

static uint8_t variant_of(struct cfs_slice v)
{
	static const char *const words[] = {
		"italic", "bold bold-upright", "bold-italic", "double-struck",
		"fraktur bold-fraktur", "script bold-script",
		"sans-serif bold-sans-serif sans-serif-italic "
		"sans-serif-bold-italic", "monospace", "normal",
	};

	for (uint8_t i = 1; i < sizeof(words) / sizeof(words[0]); i++)
		if (cfs_slice_in_words(v, words[i]))
			return i;
	return 0;
}

/* Appends the characters of a token, one by one. */
static void add_chars(struct cfs_buf *out, struct cfs_slice s)
{
	while (s.n > 0) {
		uint32_t c = ' ';
		size_t n = cfs_utf8_decode(s, &c);

		cfs_tex_add_char(out, c > ' ' ? c : '~');
		s = cfs_slice_from(s, n > 0 ? n : 1);
	}
}

/* Appends a text: what TeX takes for something else is escaped. */
static void add_text(struct cfs_mathml *m, struct cfs_slice s)
{
	add(m, "\\text{");
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (c == '\\')
			cfs_buf_adds(&m->out, "\\char92 ");
		else if (c == '~' || c == '^')
			cfs_buf_addf(&m->out, "\\%c{}", c);
		else if (c == 0xc2 && i + 1 < s.n && s.p[i + 1] == 0xa0)
			cfs_buf_addc(&m->out, ' ');
		else if (c == 0xa0 && i > 0 && s.p[i - 1] == 0xc2)
			continue;	/* the no-break space, above */
		else if (memchr("#$%&_{}", c, 7) != NULL)
			cfs_buf_addf(&m->out, "\\%c", c);
		else
			cfs_buf_addc(&m->out, c < ' ' ? ' ' : c);
	}
	cfs_buf_addc(&m->out, '}');
}

/* True of several letters, a name. */
static bool is_name(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!cfs_is_alpha(s.p[i]))
			return false;
	return s.n > 1;
}

/* The character of a token that has only one; else 0. */
static uint32_t only_char(struct cfs_slice s)
{
	uint32_t c;

	return s.n > 0 && cfs_utf8_decode(s, &c) == s.n ? c : 0;
}

/* Letters of one identifier are not italic; those of a function are a
 * command. */
static void add_word(struct cfs_mathml *m, const struct cfs_mathml_node *k,
		     struct cfs_slice s)
{
	const char *variant = variants[k->variant];

	if (cfs_tex_is_function(s)) {
		cfs_buf_addc(&m->out, '\\');
		cfs_buf_add(&m->out, s);
		return;
	}
	/* only letters of the alphabet are italic */
	if (k->variant == UPRIGHT && !(s.n == 1 && cfs_is_alpha(s.p[0])))
		variant = "";
	if (variant[0] == 0 && is_name(s))
		variant = k->kind == OPERATOR ? "\\operatorname" : "\\mathrm";
	if (variant[0] == 0 || k->kind == NUMBER) {
		add_chars(&m->out, s);
		return;
	}
	add(m, variant);
	cfs_buf_addc(&m->out, '{');
	add_chars(&m->out, s);
	cfs_buf_addc(&m->out, '}');
}

/* Takes invisible operators (U+2061 to U+2064) out of a token. */
static void drop_invisible(struct cfs_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (b->n - i >= 3 && b->p[i] == 0xe2 && b->p[i + 1] == 0x81 &&
		    b->p[i + 2] >= 0xa1 && b->p[i + 2] <= 0xa4)
			i += 2;
		else
			b->p[n++] = b->p[i];
	}
	b->n = n;
}

static void end_token(struct cfs_mathml *m, const struct cfs_mathml_node *k)
{
	struct cfs_slice s = cfs_buf_slice(&m->token);

	if (k->kind == TEXT) {
		if (cfs_slice_trim(s).n > 0)
			add_text(m, s);
		else if (s.n > 0)
			cfs_buf_adds(&m->out, "\\ ");
	} else {
		s = cfs_slice_trim(s);
		if (s.n > 0)
			add_word(m, k, s);
	}
	cfs_buf_empty(&m->token);
}

/* ---- nodes -------------------------------------------------------------- */

/* Child i of a node, in m->scratch, which has what the node has; without the
 * blank that divided it from a command before it. */
static struct cfs_slice child(const struct cfs_mathml *m,
			      const struct cfs_mathml_node *k, unsigned i)
{
	size_t from = i == 0 ? k->start : k->ends[i - 1];
	struct cfs_slice s;

	if (i >= k->n || i >= CFS_MATHML_CHILDREN_MAX)
		return CFS_SLICE_EMPTY;
	s = cfs_slice_sub(cfs_buf_slice(&m->scratch), from - k->start,
			  k->ends[i] - from);
	return s.n > 0 && s.p[0] == ' ' ? cfs_slice_from(s, 1) : s;
}

/* True of a command without arguments. */
static bool is_command(struct cfs_slice s)
{
	return s.n > 1 && s.p[0] == '\\' && is_name(cfs_slice_from(s, 1));
}

/* Appends the first child; in braces, if it is more than a token. */
static void add_base(struct cfs_mathml *m, const struct cfs_mathml_node *k)
{
	struct cfs_slice s = child(m, k, 0);

	if ((k->first_is_token && s.n > 0) || is_command(s)) {
		cfs_tex_add(&m->out, s);
		return;
	}
	cfs_buf_addc(&m->out, '{');
	cfs_buf_add(&m->out, s);
	cfs_buf_addc(&m->out, '}');
}

/* Replaces what a node has by a pattern in which 1, 2 and 3 stand for its
 * children, and # for the first one as a base. */
static void compose(struct cfs_mathml *m, const struct cfs_mathml_node *k,
		    const char *pattern)
{
	unsigned used = k->kind == SUBSUP || k->kind == UNDEROVER ? 3 : 2;

	cfs_buf_empty(&m->scratch);
	cfs_buf_add(&m->scratch,
		    cfs_slice_from(cfs_buf_slice(&m->out), k->start));
	m->out.n = k->start;
	if (m->scratch.failed != CFS_OK)
		return;
	for (; *pattern != 0; pattern++) {
		unsigned i = (unsigned)(*pattern - '1');

		if (*pattern == '#')
			add_base(m, k);
		else if (i < 3)
			cfs_tex_add(&m->out, child(m, k, i));
		else
			cfs_buf_addc(&m->out, (uint8_t)*pattern);
	}
	/* children that it must not have */
	if (k->n > used && k->kind != MULTI)
		cfs_tex_add(&m->out,
			    cfs_slice_from(cfs_buf_slice(&m->scratch),
					   k->ends[used - 1] - k->start));
}

/* The command for a character above (below) a base; NULL: there is none. */
static const char *accent(uint32_t c, bool is_over, bool is_wide)
{
	static const struct {
		uint32_t c;
		const char *over, *wide, *under;
	} accents[] = {
		{ '^', "\\hat{1}", "\\widehat{1}", NULL },
		{ 0x2c6, "\\hat{1}", "\\widehat{1}", NULL },
		{ 0x302, "\\hat{1}", "\\widehat{1}", NULL },
		{ '~', "\\tilde{1}", "\\widetilde{1}", NULL },
		{ 0x2dc, "\\tilde{1}", "\\widetilde{1}", NULL },
		{ 0x303, "\\tilde{1}", "\\widetilde{1}", NULL },
		{ 0x223c, "\\tilde{1}", "\\widetilde{1}", NULL },
		{ 0xaf, "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ 0x2c9, "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ 0x304, "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ 0x305, "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ 0x203e, "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ '_', "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ '-', "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ 0x2212, "\\bar{1}", "\\overline{1}", "\\underline{1}" },
		{ 0x2192, "\\vec{1}", "\\overrightarrow{1}", NULL },
		{ 0x20d7, "\\vec{1}", "\\overrightarrow{1}", NULL },
		{ 0x2190, "\\overleftarrow{1}", "\\overleftarrow{1}", NULL },
		{ '.', "\\dot{1}", "\\dot{1}", NULL },
		{ 0x2d9, "\\dot{1}", "\\dot{1}", NULL },
		{ 0x307, "\\dot{1}", "\\dot{1}", NULL },
		{ 0xa8, "\\ddot{1}", "\\ddot{1}", NULL },
		{ 0x308, "\\ddot{1}", "\\ddot{1}", NULL },
		{ 0x2c7, "\\check{1}", "\\check{1}", NULL },
		{ 0x2d8, "\\breve{1}", "\\breve{1}", NULL },
		{ 0xb4, "\\acute{1}", "\\acute{1}", NULL },
		{ '`', "\\grave{1}", "\\grave{1}", NULL },
		{ 0x2da, "\\mathring{1}", "\\mathring{1}", NULL },
		{ 0x23de, "\\overbrace{1}", "\\overbrace{1}", NULL },
		{ 0x23df, NULL, NULL, "\\underbrace{1}" },
	};

	for (size_t i = 0; i < sizeof(accents) / sizeof(accents[0]); i++) {
		if (accents[i].c != c)
			continue;
		if (!is_over)
			return accents[i].under;
		return is_wide ? accents[i].wide : accents[i].over;
	}
	return NULL;
}

/* True of a base that has its limits as scripts: a large operator, a name, a
 * brace. */
static bool has_limits(struct cfs_slice base)
{
	struct cfs_slice name, group = cfs_slice_from(base, 1);

	if (group.n == 0 || base.p[0] != '\\')
		return false;
	name = cfs_slice_take(&group, cfs_slice_run(group, cfs_is_alpha));
	if (group.n > 0)
		return cfs_slice_in_words(name, "overbrace underbrace "
					  "operatorname") &&
		       cfs_tex_is_group(group);
	return cfs_tex_is_function(name) ||
	       cfs_slice_in_words(name, "sum prod coprod int iint iiint oint "
		"bigcup bigcap bigvee bigwedge bigoplus bigotimes bigodot "
		"bigsqcup");
}

/* How an element with something above or below its base is written. */
static const char *limits_pattern(const struct cfs_mathml *m,
				  const struct cfs_mathml_node *k)
{
	struct cfs_slice base = cfs_slice_sub(cfs_buf_slice(&m->out), k->start,
					      k->ends[0] - k->start);
	const char *tex = NULL;

	if (k->kind != UNDEROVER && k->n == 2 && k->last_char != 0)
		tex = accent(k->last_char, k->kind == OVER,
			     !k->first_is_token);
	if (tex != NULL)
		return tex;
	if (has_limits(base)) {
		if (k->kind == UNDEROVER)
			return "1_{2}^{3}";
		return k->kind == UNDER ? "1_{2}" : "1^{2}";
	}
	if (k->kind == UNDEROVER)
		return "\\underset{2}{\\overset{3}{1}}";
	return k->kind == UNDER ? "\\underset{2}{1}" : "\\overset{2}{1}";
}

static void add_script(struct cfs_mathml *m, const char *mark,
		       struct cfs_slice s)
{
	if (s.n == 0)
		return;
	cfs_buf_adds(&m->out, mark);
	cfs_buf_add(&m->out, s);
	cfs_buf_addc(&m->out, '}');
}

/* Ends <mmultiscripts>: a base, pairs of scripts behind it and, after
 * <mprescripts>, those before it. */
static void end_multi(struct cfs_mathml *m, const struct cfs_mathml_node *k)
{
	uint32_t pre = k->script_at > 0 ? k->script_at - 1 : k->n;
	uint32_t kept = CFS_MATHML_CHILDREN_MAX;

	compose(m, k, "");
	for (uint32_t i = pre; i < k->n; i += 2) {
		cfs_buf_adds(&m->out, "{}");
		add_script(m, "_{", child(m, k, i));
		add_script(m, "^{", child(m, k, i + 1));
	}
	add_base(m, k);
	for (uint32_t i = 1; i < pre; i += 2) {
		add_script(m, "_{", child(m, k, i));
		if (i + 1 < pre)
			add_script(m, "^{", child(m, k, i + 1));
	}
	if (k->n > kept)
		cfs_tex_add(&m->out,
			    cfs_slice_from(cfs_buf_slice(&m->scratch),
					   k->ends[kept - 1] - k->start));
}

static void end_fenced(struct cfs_mathml *m, const struct cfs_mathml_node *k)
{
	add_chars(&m->out, cfs_slice_str((const char *)k->after));
}

/* Replaces a node by its TeX. */
static void end_node(struct cfs_mathml *m, const struct cfs_mathml_node *k)
{
	switch ((enum node_kind)k->kind) {
	case IDENTIFIER: case NUMBER: case OPERATOR: case TEXT:
		end_token(m, k);
		break;
	case FRAC:
		compose(m, k, k->is_other ? "\\genfrac{}{}{0pt}{}{1}{2}" :
			"\\frac{1}{2}");
		break;
	case SUB:
		compose(m, k, "#_{2}");
		break;
	case SUP:
		compose(m, k, "#^{2}");
		break;
	case SUBSUP:
		compose(m, k, "#_{2}^{3}");
		break;
	case ROOT:
		compose(m, k, "\\sqrt[2]{1}");
		break;
	case UNDER: case OVER: case UNDEROVER:
		if (k->n > 0)
			compose(m, k, limits_pattern(m, k));
		break;
	case MULTI:
		end_multi(m, k);
		break;
	case ACTION:
		if (k->n > 1)
			m->out.n = k->ends[0];
		break;
	case SQRT: case PHANTOM: case ENCLOSE:
		cfs_buf_addc(&m->out, '}');
		break;
	case TABLE:
		cfs_buf_adds(&m->out, k->is_other ? "\\end{aligned}" :
			     "\\end{matrix}");
		break;
	case FENCED:
		end_fenced(m, k);
		break;
	case ROW: case TR: case TD: case SPACE: case PRESCRIPTS:
		break;
	}
}

static bool is_token(unsigned kind)
{
	return kind == IDENTIFIER || kind == NUMBER || kind == OPERATOR;
}

/* ---- starts ------------------------------------------------------------- */

static enum node_kind kind_of(struct cfs_slice name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (cfs_slice_eq_nocase(name, cfs_slice_str(kinds[i].name)))
			return kinds[i].kind;
	return ROW;
}

/* Copies the first bytes of an attribute, with a 0 behind them; without it,
 * those of `otherwise`. */
static void take_mark(const struct cfs_html_el *el, const char *name,
		      const char *otherwise, uint8_t mark[8])
{
	struct cfs_slice v = cfs_slice_str(otherwise);

	(void)cfs_html_el_get(el, cfs_slice_str(name), &v);
	v = cfs_slice_trim(v);
	while (v.n > 0 && (v.n > 7 || cfs_utf8_len(v) == 0))
		v.n--;
	if (!cfs_utf8_is_valid(v))
		v.n = 0;
	memcpy(mark, v.p, v.n);
	mark[v.n] = 0;
}

static bool attr_has(const struct cfs_html_el *el, const char *name,
		     const char *part)
{
	struct cfs_slice v;

	return cfs_html_el_get(el, cfs_slice_str(name), &v) &&
	       cfs_slice_search_nocase(v, cfs_slice_str(part)) >= 0;
}

/* A space as wide as a letter or more is written. */
static void add_space(struct cfs_mathml *m, const struct cfs_html_el *el)
{
	struct cfs_slice v;

	if (attr_has(el, "linebreak", "newline")) {
		add(m, "\\\\ ");
		return;
	}
	if (!cfs_html_el_get(el, CFS_SLICE_LIT("width"), &v))
		return;
	v = cfs_slice_trim(v);
	if (v.n == 0 || v.p[0] == '-' || v.p[0] == 'n')
		return;
	if (v.p[0] >= '1' && v.p[0] <= '9')
		add(m, v.p[0] == '1' ? "\\quad" : "\\qquad");
	else
		add(m, "\\,");
}

/* Writes what precedes a child of a table, a row or a fence. */
static void begin_child(struct cfs_mathml *m)
{
	const struct cfs_mathml_node *k;
	struct cfs_slice s;
	size_t at;

	if (m->n_open == 0)
		return;
	k = &m->open[m->n_open - 1];
	if (k->n == 0)
		return;
	if (k->kind == TABLE)
		cfs_buf_adds(&m->out, "\\\\ ");
	else if (k->kind == TR)
		cfs_buf_adds(&m->out, "&");
	if (k->kind != FENCED)
		return;
	s = cfs_slice_str((const char *)k->between);
	at = k->n - 1;
	if (at >= s.n)
		at = s.n - 1;	/* the last one is repeated */
	if (s.n > 0)
		add_chars(&m->out, cfs_slice_sub(s, at, 1));
}

/* Writes what begins with a node. */
static void begin_node(struct cfs_mathml *m, struct cfs_mathml_node *k,
		       const struct cfs_html_el *el)
{
	struct cfs_slice v;

	switch ((enum node_kind)k->kind) {
	case IDENTIFIER: case NUMBER: case OPERATOR:
		if (cfs_html_el_get(el, CFS_SLICE_LIT("mathvariant"), &v))
			k->variant = variant_of(cfs_slice_trim(v));
		break;
	case FRAC:
		k->is_other = cfs_html_el_get(el,
					CFS_SLICE_LIT("linethickness"), &v) &&
			      v.n > 0 && v.p[0] == '0';
		break;
	case SQRT:
		cfs_buf_adds(&m->out, "\\sqrt{");
		break;
	case PHANTOM:
		cfs_buf_adds(&m->out, "\\phantom{");
		break;
	case ENCLOSE:
		if (attr_has(el, "notation", "strike"))
			cfs_buf_adds(&m->out, "\\cancel{");
		else if (attr_has(el, "notation", "box"))
			cfs_buf_adds(&m->out, "\\boxed{");
		else
			cfs_buf_adds(&m->out, attr_has(el, "notation",
						       "radical") ?
				     "\\sqrt{" : "{");
		break;
	case TABLE:
		k->is_other = attr_has(el, "columnalign", "right left");
		cfs_buf_adds(&m->out, k->is_other ? "\\begin{aligned}" :
			     "\\begin{matrix}");
		break;
	case FENCED:
		take_mark(el, "open", "(", k->before);
		take_mark(el, "close", ")", k->after);
		take_mark(el, "separators", ",", k->between);
		add_chars(&m->out, cfs_slice_str((const char *)k->before));
		break;
	case SPACE:
		add_space(m, el);
		break;
	default:
		break;
	}
}

/* A token in which elements are is none. */
static void open_token(struct cfs_mathml *m, struct cfs_mathml_node *k)
{
	if (!is_token(k->kind) && k->kind != TEXT)
		return;
	end_token(m, k);
	k->kind = ROW;
}

void cfs_mathml_start(struct cfs_mathml *m, const struct cfs_html_el *el,
		      unsigned depth)
{
	struct cfs_mathml_node *k;

	if (m->n_open == CFS_MATHML_DEPTH_MAX)
		return;
	if (m->n_open > 0)
		open_token(m, &m->open[m->n_open - 1]);
	begin_child(m);
	k = &m->open[m->n_open++];
	*k = (struct cfs_mathml_node){
		.kind = (uint8_t)kind_of(el->token->name), .depth = depth };
	k->start = m->out.n;
	begin_node(m, k, el);
}

/* Counts a child that has ended; c: its only character, else 0. */
static void end_child(struct cfs_mathml *m, enum node_kind kind, uint32_t c)
{
	struct cfs_mathml_node *k;

	if (m->n_open == 0)
		return;
	k = &m->open[m->n_open - 1];
	if (kind == PRESCRIPTS) {
		k->script_at = k->n + 1;
		return;
	}
	if (k->n == 0)
		k->first_is_token = is_token(kind);
	k->last_char = c;
	if (k->n < CFS_MATHML_CHILDREN_MAX)
		k->ends[k->n] = m->out.n;
	k->n++;
}

void cfs_mathml_end(struct cfs_mathml *m, unsigned depth)
{
	struct cfs_mathml_node *k;
	uint32_t c = 0;

	if (m->n_open == 0 || m->open[m->n_open - 1].depth != depth)
		return;
	k = &m->open[--m->n_open];
	drop_invisible(&m->token);
	if (is_token(k->kind))
		c = only_char(cfs_slice_trim(cfs_buf_slice(&m->token)));
	else if (k->n == 1)
		c = k->last_char;
	end_node(m, k);
	end_child(m, (enum node_kind)k->kind, c);
}

void cfs_mathml_text(struct cfs_mathml *m, struct cfs_slice s)
{
	const struct cfs_mathml_node *k;

	if (m->n_open == 0)
		return;
	k = &m->open[m->n_open - 1];
	if (is_token(k->kind) || k->kind == TEXT) {
		cfs_buf_add(&m->token, s);
	} else if (cfs_slice_trim(s).n > 0) {	/* must be in a token */
		cfs_tex_add(&m->out, cfs_slice_trim(s));
		end_child(m, ROW, 0);
	}
}
