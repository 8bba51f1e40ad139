/* tags.h - numbers for the names of HTML elements.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_TAGS_H
#define CFS_MARKUP_TAGS_H

#include "base/slice.h"

/* Elements that the tokenizer, the outline or a view treats specially, ordered
 * by name. */
#define CFS_HTML_TAGS(T) \
	T(A, "a") T(ADDRESS, "address") T(APPLET, "applet") T(AREA, "area") \
	T(ARTICLE, "article") T(ASIDE, "aside") T(AUDIO, "audio") T(B, "b") \
	T(BASE, "base") T(BASEFONT, "basefont") T(BGSOUND, "bgsound") \
	T(BIG, "big") T(BLOCKQUOTE, "blockquote") T(BODY, "body") T(BR, "br") \
	T(BUTTON, "button") T(CAPTION, "caption") T(CENTER, "center") \
	T(CODE, "code") T(COL, "col") T(COLGROUP, "colgroup") \
	T(DATALIST, "datalist") T(DD, "dd") T(DESC, "desc") \
	T(DETAILS, "details") T(DIALOG, "dialog") T(DIR, "dir") T(DIV, "div") \
	T(DL, "dl") T(DT, "dt") T(EM, "em") T(EMBED, "embed") \
	T(FIELDSET, "fieldset") T(FIGCAPTION, "figcaption") \
	T(FIGURE, "figure") T(FONT, "font") T(FOOTER, "footer") \
	T(FOREIGNOBJECT, "foreignobject") T(FORM, "form") T(FRAME, "frame") \
	T(FRAMESET, "frameset") T(H1, "h1") T(H2, "h2") T(H3, "h3") \
	T(H4, "h4") T(H5, "h5") T(H6, "h6") T(HEAD, "head") \
	T(HEADER, "header") T(HGROUP, "hgroup") T(HR, "hr") T(HTML, "html") \
	T(I, "i") T(IFRAME, "iframe") T(IMAGE, "image") T(IMG, "img") \
	T(INPUT, "input") T(ISINDEX, "isindex") T(KEYGEN, "keygen") \
	T(LABEL, "label") T(LEGEND, "legend") T(LI, "li") T(LINK, "link") \
	T(LISTING, "listing") T(MAIN, "main") T(MARQUEE, "marquee") \
	T(MATH, "math") T(MENU, "menu") T(META, "meta") T(NAV, "nav") \
	T(NOBR, "nobr") T(NOEMBED, "noembed") T(NOFRAMES, "noframes") \
	T(NOSCRIPT, "noscript") T(OBJECT, "object") T(OL, "ol") \
	T(OPTGROUP, "optgroup") T(OPTION, "option") T(P, "p") \
	T(PARAM, "param") T(PLAINTEXT, "plaintext") T(PRE, "pre") T(RB, "rb") \
	T(RP, "rp") T(RT, "rt") T(RTC, "rtc") T(RUBY, "ruby") T(S, "s") \
	T(SCRIPT, "script") T(SEARCH, "search") T(SECTION, "section") \
	T(SELECT, "select") T(SMALL, "small") T(SOURCE, "source") \
	T(SPAN, "span") T(STRIKE, "strike") T(STRONG, "strong") \
	T(STYLE, "style") T(SUB, "sub") T(SUMMARY, "summary") T(SUP, "sup") \
	T(SVG, "svg") T(TABLE, "table") T(TBODY, "tbody") T(TD, "td") \
	T(TEMPLATE, "template") T(TEXTAREA, "textarea") T(TFOOT, "tfoot") \
	T(TH, "th") T(THEAD, "thead") T(TIME, "time") T(TITLE, "title") \
	T(TR, "tr") T(TRACK, "track") T(TT, "tt") T(U, "u") T(UL, "ul") \
	T(VAR, "var") T(VIDEO, "video") T(WBR, "wbr") T(XMP, "xmp")

enum cfs_html_tag {
	CFS_TAG_OTHER = 0,	/* an element not listed above */
#define T(id, name) CFS_TAG_##id,
	CFS_HTML_TAGS(T)
#undef T
	CFS_TAG_COUNT,
};

/* The number of a name, without regard to case.  `readable` bytes may be read
 * from name.p on (0: only the name's); it is quicker if these are 16. */
enum cfs_html_tag cfs_html_tag_find(struct cfs_slice name, size_t readable);

/* The name in lower case; "" for CFS_TAG_OTHER. */
const char *cfs_html_tag_name(enum cfs_html_tag tag);

#endif
