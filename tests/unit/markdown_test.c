/* markdown_test.c - the .md view: its form, and what of a page it shows.
 *
 * Expected Markdown was written by hand from the CommonMark specification.  A
 * page without running text shows all its text, so that small fragments can be
 * tested.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alloc_fail.h"
#include "view_fixture.h"

#include "view/class_words.h"
#include "view/markdown.h"
#include "view/page_blocks.h"

#define HTML "text/html; charset=utf-8"
/* Running text, for pages that are to be articles. */
#define PROSE "Some words of running text, which are many enough to count as " \
	"such, and which have a comma or two, as sentences do."
#define LONG PROSE " " PROSE " " PROSE
/* A pointer to another page, with some of its text. */
#define POINTER "<a href=a>the first words of another</a> " PROSE
/* An article that is most of its page. */
#define ARTICLE "<div class=text><p>b. " PROSE "<p>c. " PROSE "<p>d. " PROSE \
	"<p>e. " PROSE "<p>f. " PROSE "<p>g. " PROSE "<p>h. " PROSE "</div>"
#define TEXT "\n\nb. " PROSE "\n\nc. " PROSE "\n\nd. " PROSE "\n\ne. " \
	PROSE "\n\nf. " PROSE "\n\ng. " PROSE "\n\nh. " PROSE "\n"
/* Five short texts, each in a block of its own. */
#define MORE(i) "<div><p>" i PROSE "</div>"
#define FIVE MORE("1: ") MORE("2: ") MORE("3: ") MORE("4: ") MORE("5: ")
/* Four things to be had, in a list of such. */
#define THING "<div><a href=a>A good thing</a><div>20 of them are here</div></div>"
#define GOODS THING THING THING THING
#define WARE "\n\n[A good thing](http://host/dir/a)\n\n20 of them are here"
#define WARES WARE WARE WARE WARE
/* Six comments, each with a block of its own, and what they look like. */
#define COMMENT(i) "<div class=comment><p>" i PROSE PROSE "</div>"
#define COMMENTS COMMENT("1: ") COMMENT("2: ") COMMENT("3: ") COMMENT("4: ") \
	COMMENT("5: ") COMMENT("6: ")
#define SHOWN(i) "\n\n" i PROSE PROSE
#define COMMENTED SHOWN("1: ") SHOWN("2: ") SHOWN("3: ") SHOWN("4: ") \
	SHOWN("5: ") SHOWN("6: ")
/* Pointers to pages, with headings and dates. */
#define ITEM "<div><h3><a href=a>The heading of what is new on a page of this site" \
	"</a></h3><div class=date>12 May</div><p>Few words about it</div>"
#define FRONT ITEM ITEM ITEM ITEM
#define NEWS "\n\n### [The heading of what is new on a page of this site]" \
	"(http://host/dir/a)\n\nFew words about it"

static const struct {
	const char *name, *body, *want;
} cases[] = {
	{ "paragraphs", "<p>one<p>two", "one\n\ntwo\n" },
	{ "title", "<title>T &amp; t</title><p>x", "# T & t\n\nx\n" },
	{ "heading as title", "<title>T</title><h1>H</h1><p>x", "# H\n\nx\n" },
	{ "second heading", "<h1>H</h1><p>x<h1>I</h1>y<h3>J</h3>",
	  "# H\n\nx\n\n## I\n\ny\n\n### J\n" },
	{ "white space", " a \n b&nbsp; c\xe3\x80\x80 d ", "a b c d\n" },
	{ "line break", "<p>a<br>b", "a\\\nb\n" },
	{ "soft hyphens", "<p>so&shy;ft<b>&shy;er</b><code>a&shy;b</code>",
	  "soft**er**`a\xc2\xad" "b`\n" },
	{ "two line breaks", "<p>a<br><br>b", "a\n\nb\n" },
	{ "line break in a heading", "<p>x<h2>a<br>b</h2>", "x\n\n## a b\n" },
	{ "end of a heading", "<p>x<h2>C#</h2>", "x\n\n## C\\#\n" },
	{ "emphasis", "<p>a <b>b</b> <i>c</i> <em><strong>d</strong> e</em>",
	  "a **b** *c* ***d** e*\n" },
	{ "emphasis and blanks", "<p>a<b> b </b>c<i>  </i>d", "a **b** c d\n" },
	{ "empty emphasis", "<p>a<b></b>b<i><b></b></i>", "ab\n" },
	{ "emphasis that goes on", "<p><b>a</b><b>b</b> <b>c</b>",
	  "**ab** **c**\n" },
	{ "nested emphasis of one kind", "<p><b>a<strong>b</strong>c</b>",
	  "**abc**\n" },
	{ "emphasis within a word", "<p>a<b>b</b>c", "a**b**c\n" },
	/* section 6.2: neither would be recognised */
	{ "punctuation at the end", "<p><b>a.</b>b", "a.b\n" },
	{ "punctuation at the beginning", "<p>a<b>(b</b> c", "a(b c\n" },
	{ "marks side by side", "<p><b>a</b><i>b</i>", "**a**b\n" },
	/* the second * would end the run of three */
	{ "punctuation on both sides", "<p><b><i>a</i> (<i>(b)</i> c</b>",
	  "***a* ((*b)* c**\n" },
	/* the marks between the two characters are gone */
	/* Holds B21. */
	{ "escapes where marks are taken back at their end",
	  "<p>a<b>!&lt;</b>b c<i>(&amp;</i>lt; d<b>)!</b>[e", "a!&lt;b c(\\&lt; d)\\![e\n" },
	{ "escapes where marks are taken back", "<p><b>x&lt;</b>b> &lt;<i>b.</i>c>"
	  " <b>x&lt;</b><b>b</b> \\&lt;<i>b.</i>c> &amp;<i>b;.</i>c",
	  "x&lt;b> &lt;b.c> **x&lt;b** \\\\&lt;b.c> \\&b;.c\n" },
	/* Holds B21. */
	{ "code behind an address", "<p>See http://a/<code>&lt;img src=x></code> www.b<b>"
	  "<code>&lt;i></code></b> www.c <code>&lt;i></code> www.d/<code>e</code>",
	  "See http://a/&lt;img src=x> www.b&lt;i> www.c `<i>` www.d/`e`\n" },
	{ "link", "<p><a href=b>x</a> <a href='/c?d=1&amp;e'>y</a>",
	  "[x](http://host/dir/b) [y](http://host/c?d=1&e)\n" },
	{ "base", "<base href=//h/x/><p><a href=a>t</a>", "[t](http://h/x/a)\n" },
	{ "no link", "<p><a href=#f>a</a><a href='javascript:x'>b</a><a>c</a>"
	  "<a href='data:,'>d</a>", "abcd\n" },
	{ "empty link", "<p>a<a href=b> </a>c", "a c\n" },
	{ "destination", "<p><a href='a b(c'>x</a><a href='d(e)'>y</a>"
	  "<a href='f\\g<h>|'>z</a>",
	  "[x](http://host/dir/a%20b\\(c)[y](http://host/dir/d(e))"
	  "[z](http://host/dir/f%5Cg%3Ch%3E%7C)\n" },
	{ "code in a destination", "<p><a href='a`b'>c</a>`",
	  "[c](http://host/dir/a%60b)\\`\n" },
	{ "reference in a destination", "<p><a href='?a&amp;copy;b&amp;c'>x</a>",
	  "[x](http://host/dir/page?a\\&copy;b&c)\n" },
	{ "brackets", "<p><a href=b>x [1] ]</a> [2]",
	  "[x \\[1\\] \\]](http://host/dir/b) [2]\n" },
	{ "link in emphasis", "<p><i>a <a href=b>c</a> d</i>",
	  "*a* [*c*](http://host/dir/b) *d*\n" },
	{ "link around blocks", "<a href=b><p>c<p>d</a>",
	  "[c](http://host/dir/b)\n\n[d](http://host/dir/b)\n" },
	{ "image", "<p><img src=p.png alt='A [b] *c*'><img alt=x>"
	  "<img src='data:,x' data-src=q.png>",
	  "![A \\[b\\] \\*c\\*](http://host/dir/p.png)![](http://host/dir/q.png)\n" },
	{ "image in a link", "<p><a href=b><img src=c alt=d></a>",
	  "[![d](http://host/dir/c)](http://host/dir/b)\n" },
	{ "a formula", "<p>a<b> <math alttext='x_1&lt;*y*'></math>b</b><h2><math "
	  "display=block alttext='x|y'></math></h2>",
	  "a **$x_1\\lt *y*$b**\n\n## $x|y$\n" },
	{ "dollars", "<p>$a$", "$a$\n" },
	{ "dollars beside a formula", "<p>$5 <math alttext=x></math>, $6 $<img "
	  "src=p alt=$><code>$</code>",
	  "\\$5 $x$, \\$6 \\$![\\$](http://host/dir/p)`$`\n" },
	{ "a formula on a line of its own", "<p>a<math display=block "
	  "alttext='[x](y)'></math>b", "a\n\n$$[x] (y)$$\n\nb\n" },
	{ "a formula in a cell", "<table><tr><td>a<td>b<tr><td><math "
	  "alttext='|x|+\\|y\\|' display=block></math><td>c</table>",
	  "| a | b |\n| --- | --- |\n| $\\|x\\|+\\Vert y\\Vert $ | c |\n" },
	{ "a formula in a link", "<a href=b><math alttext='x[1]'></math> <math "
	  "alttext='\\left[x'></math></a>",
	  "[$x[1]$ $\\left\\lbrack x$](http://host/dir/b)\n" },
	{ "code", "<p><code>a*b</code> <code>c`d</code> <code>`</code> <code></code>",
	  "`a*b` ``c`d`` `` ` ``\n" },
	{ "escapes", "<p>*a* _b_ c_d `e` &lt;f> &amp;amp; [g](h) ~~i~~ \\* k\\l",
	  "\\*a\\* \\_b\\_ c_d \\`e\\` &lt;f> \\&amp; [g]\\(h) \\~\\~i\\~\\~ "
	  "\\\\\\* k\\l\n" },
	{ "no table", "<p>|a|b<br>|-|-<br>:-|-:<br>c: |",
	  "|a|b\\\n\\|-|-\\\n\\:-|-:\\\nc: |\n" },
	{ "no escapes", "<p>5 &lt; 6 * 7 - 8 + 9 = 1 # 2 &amp; AT&amp;T 3. 4) a|b",
	  "5 &lt; 6 * 7 - 8 + 9 = 1 # 2 & AT&T 3. 4) a|b\n" },
	{ "escapes at the beginning of a line",
	  "<p># a<br>- b<br>+ c<br>> d<br>1. e<br>2) f<br>=== g<br>~~~ h<br>* i",
	  "\\# a\\\n\\- b\\\n\\+ c\\\n\\> d\\\n1\\. e\\\n2\\) f\\\n\\=== g\\\n"
	  "\\~\\~\\~ h\\\n\\* i\n" },
	{ "no escapes at the beginning of a line", "<p>#a<p>-b<p>1.5 c<p>1234567890. d",
	  "#a\n\n-b\n\n1.5 c\n\n1234567890. d\n" },
	{ "reference definition", "<p>[a]: b", "[a]\\: b\n" },
	{ "list", "<ul><li>a<li>b</ul>", "- a\n- b\n" },
	{ "numbered list", "<ol start=9><li>a<li>b</ol>", "9. a\n10. b\n" },
	{ "nested lists", "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>",
	  "- a\n  - b\n  - c\n- d\n" },
	{ "a nested list that does not begin with 1",
	  "<ul><li>a<ol start=2><li>b</ol></ul>", "- a\n\n  2. b\n" },
	{ "lists side by side", "<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>",
	  "- a\n\n* b\n\n- c\n" },
	{ "paragraphs of an item", "<ul><li><p>a<p>b<li>c</ul>",
	  "- a\n\n  b\n- c\n" },
	{ "item without a list", "<li>a<li>b", "a\n\nb\n" },
	{ "empty item", "<ul><li><li>a</ul>", "- a\n" },
	{ "lists in items without text",
	  "<ol start=3><li><ol start=4><li>a<li>b</ol><li>c</ol>",
	  "3. \n   4. a\n   5. b\n4. c\n" },
	/* Holds B20. */
	{ "definition list", "<dl><dt>a<dd>b<dd>c<dt>d<dt>e<dd><ul><li>f</ul></dl>",
	  "- **a**\n\n  b\n\n  c\n- **d**\n- **e**\n\n  - f\n" },
	{ "definition without a term", "<dl><dd>a<dt><b>b</b></dl>c",
	  "- a\n- **b**\n\nc\n" },
	{ "definition list in a definition", "<dl><dt>a<dd><dl><dt>b<dd>c</dl></dl>",
	  "- **a**\n\n  - **b**\n\n    c\n" },
	{ "term without a list", "<dt>a<dd>b", "**a**\n\nb\n" },
	{ "quote", "<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc\n" },
	{ "quotes side by side", "<blockquote>a</blockquote><blockquote>b</blockquote>",
	  "> a\n\n> b\n" },
	{ "list in a quote", "<blockquote>a<ul><li>b</ul></blockquote>",
	  "> a\n>\n> - b\n" },
	{ "quote in an item", "<ul><li>a<blockquote>b</blockquote></ul>",
	  "- a\n\n  > b\n" },
	{ "code block", "<pre>\n  a\n\n\tb  \n</pre>", "```\n  a\n\n\tb\n```\n" },
	{ "language", "<pre><code class='x language-c++'>a</code></pre>",
	  "```c++\na\n```\n" },
	{ "fence in a code block", "<pre>a\n````\nb</pre>",
	  "`````\na\n````\nb\n`````\n" },
	{ "line breaks in a code block", "<pre>a<br>b<i>*c*</i></pre>",
	  "```\na\nb*c*\n```\n" },
	{ "code block in an item", "<ul><li>a<pre>b\n\nc</pre></ul>",
	  "- a\n\n  ```\n  b\n\n  c\n  ```\n" },
	{ "table", "<table><tr><th>a|b<th>c<tr><td>d<td><b>e</b><br>f</table>",
	  "| a\\|b | c |\n| --- | --- |\n| d | **e** f |\n" },
	{ "ragged table", "<table><tr><td>a<tr><td>b<td>c<tr><td>d</table>",
	  "| a | |\n| --- | --- |\n| b | c |\n| d |\n" },
	/* Holds B20. */
	{ "caption of a table", "<table><caption>C <i>c</i></caption><tr><td>a<td>b"
	  "<tr><td>c<td>d</table>",
	  "C *c*\n\n| a | b |\n| --- | --- |\n| c | d |\n" },
	{ "caption within a table", "<table><tr><td>a<td>b<caption>C</caption>"
	  "<tr><td>c<td>d</table>e",
	  "| a | b |\n| --- | --- |\n\nC\n\n| c | d |\n| --- | --- |\n\ne\n" },
	{ "text outside of the cells of a table", "<table># a<tr><td>b</td>c<td>d"
	  "</td>e</tr>f|<tr><td>g<td>h</tr>i</table>",
	  "\\# a\n\n| b c | d e |\n| --- | --- |\n\nf|\n\n| g | h |\n| --- | --- |"
	  "\n\ni\n" },
	{ "marks and a link that are open before the first cell",
	  "<table><tr>%<tr>a<b>!xyz<td>c<td>d<tr><a href=e>f<i>!</i><td>g<td>h"
	  "</table>",
	  "%\n\na!xyz\n\n| **c** | **d** |\n| --- | --- |\n\n"
	  "[f!](http://host/dir/e)\n\n"
	  "| [g](http://host/dir/e) | [h](http://host/dir/e) |\n"
	  "| --- | --- |\n" },
	{ "cells that span", "<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>c"
	  "<td>d<td>e<tr><td>f<td>g</table>",
	  "| a | b |  |\n| --- | --- | --- |\n| c | d | e |\n|  | f | g |\n" },
	{ "a row that spans more than there is", "<table><tr><td colspan=9>a"
	  "<tr><td>b<td>c<tr><td rowspan=9 colspan=9>d<tr></table>",
	  "| a |  |\n| --- | --- |\n| b | c |\n| d |  |\n" },
	{ "a group of rows ends spans", "<table><tr><td>a<td>b<tr><td rowspan=0>c"
	  "<td>d<tr><td>e<tbody><tr><td>f<td>g</table>",
	  "| a | b |\n| --- | --- |\n| c | d |\n|  | e |\n| f | g |\n" },
	{ "blocks in a cell", "<table><tr><th>a<th>b<tr><td><p>c<p>d<td><ul><li>e"
	  "<li>f</ul><tr><td><pre>g\n|</pre><td><table><tr><td>h<td>i</table>j"
	  "</table>",
	  "| a | b |\n| --- | --- |\n| c d | e f |\n| `g \\|` | h i j |\n" },
	{ "a table that says that it is none", "<table role=presentation><tr><td>"
	  "a<td>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd\n" },
	{ "lines of code that are blocks", "<pre><div>a</div>\n<div></div>\n<div>"
	  " b</div></pre><p>c", "```\na\n\n b\n```\n\nc\n" },
	{ "lines of code that are items", "<pre><ol><li>a\n<li>b<li><li>c</ol>"
	  "</pre>", "```\na\nb\n\nc\n```\n" },
	{ "lines of code that are spans", "<pre><span style='display:block'>a"
	  "</span><span style='display:block'>b</span></pre>",
	  "```\na\nb\n```\n" },
	{ "line numbers in a cell", "<table><tr><td class=gutter><pre>1\n2</pre>"
	  "<td class=code><pre>a\nb</pre></table>", "```\na\nb\n```\n" },
	{ "line numbers within lines", "<pre><span class=linenos>1</span>a\n"
	  "<span class='ln'>2</span>b</pre><p><span class=ln>3</span>",
	  "```\na\nb\n```\n\n3\n" },
	{ "a table of lines of code", "<table class=highlight><tr><td "
	  "class=blob-num>1<td>a<tr><td class=blob-num>2<td> b<tr><td "
	  "class=blob-num>3<td><tr><td class=blob-num>4<td>c</table>",
	  "```\na\n b\n\nc\n```\n" },
	{ "no table of lines", "<table class=highlight><tr><th>a<th>b<tr><td>c<td>d"
	  "</table>", "| a | b |\n| --- | --- |\n| c | d |\n" },
	{ "an editor's lines", "<div class=CodeMirror-code><div><div "
	  "class=CodeMirror-gutter-wrapper>1</div><pre>a</pre></div>\n <div><pre>"
	  " b</pre></div></div>", "```\na\n b\n```\n" },
	{ "a language around code", "<figure class='highlight c'><table><tr><td "
	  "class=gutter><pre>1</pre><td class=code><pre>a</pre></table></figure>",
	  "```c\na\n```\n" },
	{ "a language in code", "<div class=language-c><pre class='x'><code "
	  "class='language-C++ y'>a</code></pre></div>", "```c++\na\n```\n" },
	{ "a language of something else", "<div class=lang-en><p>a<pre>b</pre></div>",
	  "a\n\n```\nb\n```\n" },
	{ "layout table", "<table><tr><td>a<td>b</table>", "a\n\nb\n" },
	{ "nested table", "<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>d<td>e"
	  "<tr><td>f<td>g</table></table>",
	  "a\n\nb\n\nc\n\n| d | e |\n| --- | --- |\n| f | g |\n" },
	{ "hidden", "<p hidden>x<p>a<span style='display:none'>x</span>b", "ab\n" },
	{ "panels that a heading or tab shows",
	  "<div hidden aria-labelledby=h><p>a</div>"
	  "<div aria-hidden=true role=region><p>b</div>"
	  "<div role=tabpanel style='display: none'><p>c</div>"
	  "<div class=tab-pane style=display:none><p>d</div>"
	  "<div id=faqAnswer hidden><p>e</div>", "a\n\nb\n\nc\n\nd\n\ne\n" },
	{ "slides, and links that repeat others",
	  "<ul><li>a<li aria-hidden=true>b</ul><p>c <a aria-hidden=true href=d>"
	  "e</a><i aria-hidden=true>x</i><a hidden href=d>x</a>",
	  "- a\n- b\n\nc [e](http://host/dir/d)\n" },
	{ "hidden, and no panels",
	  "<div hidden role=dialog aria-labelledby=h>x</div>"
	  "<div hidden aria-labelledby=''>x</div>"
	  "<ul class='tabs menu' style=display:none><li>x</ul>"
	  "<span class=tab hidden>x</span>a", "a\n" },
	{ "left out", "a<script>x</script><style>x</style><svg><text>x</svg>"
	  "<button>x</button><select><option>x</select><template>x</template>b",
	  "ab\n" },
	{ "nothing", "", "" },
	{ "title only", "<title>T</title>", "" },
	{ "title and a heading", "<title>T</title><h1>H</h1>", "# H\n" },
	{ "title and an image", "<title>T</title><img src=x>",
	  "# T\n\n![](http://host/dir/x)\n" },
};

static const struct {
	const char *name, *body, *want;
} pages[] = {
	{ "an article",
	  "<body><header>site</header><nav><a href=a>x</a></nav><h1>T</h1>"
	  "<div class=byline>By A</div><p>" PROSE "<p>" PROSE
	  "<div class='social share'>y</div><p>" PROSE
	  "<div><ul><li><a href=a>b</a><li><a href=c>d</a></ul></div>"
	  "<footer>" PROSE "</footer>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n" },
	{ "notes at the end, and beside the text",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "<aside class=footnote-list>"
	  "<aside class='footnote brackets'><p>x</aside></aside><aside><p>y"
	  "</aside></div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\nx\n" },
	{ "comments",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "</div>"
	  "<div id=comments><p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "an id made of a heading",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "</div>"
	  "<div id=respond-to-review-comments><p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n" },
	{ "a thread of comments",
	  "<h1>T</h1><div class=comment><p>" PROSE "</div>"
	  "<div class=comment><p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "more comments than text",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "</div>"
	  "<div id=comments><p>" PROSE "<p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "a discussion, by schema.org",
	  "<h1>T</h1><div itemscope itemtype='http://schema.org/"
	  "DiscussionForumPosting'><p>" PROSE "<div itemprop=comment><p>" PROSE
	  "</div></div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "more footer than text",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "</div>"
	  "<div class=site-footer><p>" PROSE PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "most of the text in comments, of what says that it is an article",
	  "<meta property='og:type' content=article><h1>T</h1><div><p>" PROSE
	  "<p>b. " PROSE "</div><div class=comments>" COMMENTS COMMENTS COMMENTS
	  "</div>",
	  "# T\n\n" PROSE "\n\nb. " PROSE "\n" },
	{ "most of the text in comments, of a long article",
	  "<h1>T</h1><div><p>" LONG LONG "<p>b. " LONG LONG "<p>c. " LONG LONG
	  "</div><div class=comments>" COMMENTS COMMENTS COMMENTS COMMENTS
	  COMMENTS COMMENTS COMMENTS COMMENTS "</div>",
	  "# T\n\n" LONG LONG "\n\nb. " LONG LONG "\n\nc. " LONG LONG "\n" },
	{ "a long comment among others",
	  "<h1>T</h1><p>" PROSE "<div class=comments>" COMMENTS "<div "
	  "class=comment><p>" LONG LONG "<p>b. " LONG LONG "<p>c. " LONG LONG
	  "</div></div>",
	  "# T\n\n" PROSE COMMENTED "\n\n" LONG LONG "\n\nb. " LONG LONG
	  "\n\nc. " LONG LONG "\n" },
	{ "a discussion, by JSON-LD",
	  "<script type=application/ld+json>{'@type': 'QAPage'}</script><h1>T"
	  "</h1><p>" PROSE "<p>" PROSE "<div class=comment><p>b. " PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\nb. " PROSE "\n" },
	{ "a script that is none",
	  "<script>{'@type': 'QAPage'}</script><h1>T</h1><p>" PROSE "<p>" PROSE
	  "<div class=comment><p>b. " PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "a discussion, by the class of the page",
	  "<body class=template-thread_view><h1>T</h1><p>" PROSE "<p>" PROSE
	  "<div class=comment><p>b. " PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\nb. " PROSE "\n" },
	{ "goods, and a footer with all running text",
	  "<h1>T</h1><div>" GOODS GOODS "</div><footer><p>" PROSE "<p>" PROSE
	  "</footer>", "# T" WARES WARES "\n" },
	{ "who wrote what",
	  "<h1>T</h1><div><div class=user-info>Joined 2020</div><p>" PROSE
	  "<p>" PROSE "</div>", "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "sections whose headings point to other pages, and some that do not",
	  "<h1>T</h1><div><section><h2>Related work</h2><p>" PROSE "</section>"
	  "<h2>Similar things</h2><p>b. " PROSE "<p>c. " PROSE "<div><div><h2>"
	  "You may also like</h2></div><ul><li>A pen<li>A pot</ul></div></div>",
	  "# T\n\n## Related work\n\n" PROSE "\n\n## Similar things\n\nb. "
	  PROSE "\n\nc. " PROSE "\n" },
	{ "a section of pointers, in one with another heading",
	  "<h1>T</h1><div><p>" PROSE "<p>b. " PROSE "<div><div><h2>Related</h2>"
	  "<ul><li>A pen<li>A pot</ul></div><h2>I</h2><ul><li>c</ul></div></div>",
	  "# T\n\n" PROSE "\n\nb. " PROSE "\n\n## I\n\n- c\n" },
	{ "what is before the title",
	  "<div><div>Free delivery</div><p>Today only.</div><h1>T</h1><div>" GOODS
	  "</div>", "# T" WARES "\n" },
	{ "most of the text before the title, in what is named as pointers",
	  "<div class=promo><p>" LONG "</div><h1>T</h1><div><p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n" },
	{ "an introduction of a list, and what is before the title",
	  "<div><p>b. " PROSE "</div><h1>T</h1><div><p>" PROSE "</div><div>"
	  GOODS GOODS GOODS GOODS GOODS GOODS GOODS GOODS GOODS GOODS GOODS
	  GOODS "</div>",
	  "# T\n\n" PROSE WARES WARES WARES WARES WARES WARES WARES WARES
	  WARES WARES WARES WARES "\n" },
	{ "five short texts behind a long one",
	  "<h1>T</h1>" ARTICLE FIVE, "# T" TEXT },
	{ "six short texts behind a long one",
	  "<h1>T</h1>" ARTICLE FIVE MORE("6: "),
	  "# T" TEXT "\n1: " PROSE "\n\n2: " PROSE "\n\n3: " PROSE
	  "\n\n4: " PROSE "\n\n5: " PROSE "\n\n6: " PROSE "\n" },
	{ "a title at the end",
	  "<div><p>x</p>" GOODS "<h1>T</h1><p>y</div>",
	  "x" WARES "\n\n## T\n\ny\n" },
	{ "running text before the title",
	  "<div><div><p>" PROSE "</div><h1>T</h1><p>b. " PROSE "<p>c. " PROSE
	  "</div>", PROSE "\n\n## T\n\nb. " PROSE "\n\nc. " PROSE "\n" },
	{ "a paragraph that occurs again, and code that does",
	  "<h1>T</h1><div><div><p>" PROSE PROSE "</div><div><p>" PROSE PROSE
	  "</div><div>"
	  "<pre>" LONG "</pre></div><section><pre>" LONG "</pre></section></div>",
	  "# T\n\n" PROSE PROSE "\n\n```\n" LONG "\n```\n\n```\n" LONG
	  "\n```\n" },
	{ "a list of pointers before a shorter article",
	  "<ul><li>" POINTER "<li>" POINTER "<li>" POINTER "<li>" POINTER "</ul>"
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "<p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n" },
	{ "all of it is called a menu",
	  "<h1>T</h1><div class=menu><p>" PROSE "<p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "menus and footers alone, as of a page that a script makes",
	  "<title>T</title><nav><a href=a>b</a></nav><div id=app></div>"
	  "<div class=footer-links><p>c<p>e, f.</div>", "" },
	{ "the same, and images",
	  "<title>T</title><nav><a href=a>b</a></nav><img src=x><div>"
	  "<div class=footer-links>c</div></div>",
	  "# T\n\n![](http://host/dir/x)\n" },
	{ "nothing but a menu and what is named so",
	  "<nav><a href=a>b</a></nav><form><ul><li>A pen<li>A pot</ul></form>",
	  "- A pen\n- A pot\n" },
	{ "titles of cards, in their pictures and below them",
	  "<h1>T</h1><div><div><p><a href=a>A pen</a></div><h3>A pen</h3><p>$32"
	  "</div><div><h3>A pot</h3><div><p>A pot</div><div><p>$32</div></div>"
	  "<div><p>$32</div>",
	  "# T\n\n### A pen\n\n$32\n\n### A pot\n\n$32\n\n$32\n" },
	{ "an introduction",
	  "<h1>T</h1><p>" PROSE "<div class=text><p>" PROSE "<p>" PROSE "<p>"
	  PROSE "<p>" PROSE "<p>" PROSE "<p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE
	  "\n\n" PROSE "\n\n" PROSE "\n" },
	{ "a summary in the header, and who wrote it",
	  "<body><header class=entry-header><h1>T</h1><p>" PROSE "</header>"
	  "<div class=author-box><p>A wrote this. " PROSE "</div>" ARTICLE,
	  "# T\n\n" PROSE TEXT },
	{ "an introduction beside pictures",
	  "<h1>T</h1><div><div>5 pictures</div><div><p>" PROSE "</div><p>" PROSE
	  "</div>" ARTICLE,
	  "# T\n\n" PROSE "\n\n" PROSE TEXT },
	{ "short lines at the beginning",
	  "<h1>T</h1><div><p>Monday<p>It was a long day, they said.<p>" PROSE
	  "<p>" PROSE "</div>",
	  "# T\n\nMonday\n\nIt was a long day, they said.\n\n" PROSE "\n\n" PROSE
	  "\n" },
	{ "lines of a list, and a paragraph, with many links",
	  "<h1>T</h1><p>" PROSE "<ul><li>" PROSE "<li><a href=a>b</a></ul>"
	  "<p><a href=a>" PROSE " More.</a> " PROSE "<p>" PROSE,
	  "# T\n\n" PROSE "\n\n- " PROSE "\n- [b](http://host/dir/a)\n\n"
	  "[" PROSE " More.](http://host/dir/a) " PROSE "\n\n" PROSE "\n" },
	{ "headings that link to the page of the text below them",
	  "<h1>T</h1><div><h3><a href=a>b</a></h3><p>" PROSE "</div>"
	  "<div><div><h3><a href=c>d</a></h3></div><p>" PROSE "</div>",
	  "# T\n\n### [b](http://host/dir/a)\n\n" PROSE
	  "\n\n### [d](http://host/dir/c)\n\n" PROSE "\n" },
	{ "the header of a section",
	  "<body><header>site</header><main><header>A</header><h1>T</h1><section>"
	  "<header><h2>S</h2></header><p>" PROSE "<p>" PROSE "</section></main>",
	  "# T\n\n## S\n\n" PROSE "\n\n" PROSE "\n" },
	{ "more pointers than text, but not side by side",
	  "<h1>T</h1><div><p>b. " PROSE "<p>c. " PROSE "<p>d. " PROSE "</div>"
	  "<div class=related><div><p>" PROSE "</div><div><p>" PROSE "</div><div>"
	  "<p>" PROSE "</div><div><p>" PROSE "</div></div>",
	  "# T\n\nb. " PROSE "\n\nc. " PROSE "\n\nd. " PROSE "\n" },
	{ "more footer than text, in a theme",
	  "<h1>T</h1><div><p>b. " PROSE "<p>c. " PROSE "<p>d. " PROSE "<p>e. "
	  PROSE "</div><footer><div><p>" PROSE PROSE PROSE PROSE PROSE "</div>"
	  "<div><p>" PROSE PROSE PROSE PROSE PROSE "</div></footer>",
	  "# T\n\nb. " PROSE "\n\nc. " PROSE "\n\nd. " PROSE "\n\ne. "
	  PROSE "\n" },
	{ "the classes of all that is on a page",
	  "<body class='category-news comments related'><h1>T</h1><div><p>" PROSE
	  "<p>" PROSE "</div><div class=comments><p>" PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "a paragraph for narrow screens, and for wide ones",
	  "<h1>T</h1><div><p>" PROSE PROSE PROSE "<p>b. " PROSE "</div>"
	  "<div><p>" PROSE PROSE PROSE "<p>c. " PROSE "</div>",
	  "# T\n\n" PROSE PROSE PROSE "\n\nb. " PROSE "\n\nc. " PROSE
	  "\n" },
	{ "a gallery",
	  "<h1>T</h1><p>" PROSE "<figure><img src=a><figcaption>b. " PROSE PROSE
	  "</figcaption></figure><figure><img src=c><figcaption>d. " PROSE PROSE
	  "</figcaption></figure><figure><img src=e><figcaption>f. " PROSE PROSE
	  "</figcaption></figure>",
	  "# T\n\n" PROSE "\n\n![](http://host/dir/a)\n\nb. " PROSE PROSE
	  "\n\n![](http://host/dir/c)\n\nd. " PROSE PROSE
	  "\n\n![](http://host/dir/e)\n\nf. " PROSE PROSE "\n" },
	{ "goods under a description",
	  "<h1>T</h1><p>" PROSE "<p>" PROSE "<div>" GOODS GOODS GOODS GOODS GOODS
	  "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE WARES WARES WARES WARES WARES "\n" },
	{ "a front page",
	  "<h1>T</h1><p>" PROSE FRONT,
	  "# T\n\n" PROSE NEWS NEWS NEWS NEWS "\n" },
	{ "links beside an article that says that it is one",
	  "<meta property='og:type' content=article><h1>T</h1><p>" PROSE "<p>"
	  PROSE "<p>" PROSE "<p>" PROSE "<div>" FRONT "</div><div>" FRONT
	  "</div><div>" FRONT "</div><div>" FRONT "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n" },
	{ "what is beside the text and as long, but in several places",
	  "<h1>T</h1><div><div class=text><p>" PROSE "<p>" PROSE "<p>" PROSE
	  "<p>" PROSE "<p>" PROSE "</div><div class=a><div><p>b. " PROSE "</div>"
	  "<div class=b><p>c. " PROSE "</div></div></div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE
	  "\n\nb. " PROSE "\n\nc. " PROSE "\n" },
	{ "much that is named as captions are: it is set in such letters",
	  "<h1>T</h1><p>" PROSE "<p>" PROSE "<p class=text-caption>b. " PROSE,
	  "# T\n\n" PROSE "\n\n" PROSE "\n\nb. " PROSE "\n" },
	{ "a list in the element for what is main, with headers of its items",
	  "<div>Deals<div>More</div></div><main>"
	  "<article><header><h2>b</h2></header><p>Few words</article>"
	  "<article><header><h2>c</h2></header><p>Other words</article></main>",
	  "## b\n\nFew words\n\n## c\n\nOther words\n" },
	{ "a form that is for input, and one that has a post",
	  "<h1>T</h1><div><p>" PROSE "</div><form><input>Your name, please."
	  "</form><form><p>" PROSE "</form>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	{ "a panel that is called hidden, and a signature",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "</div>"
	  "<div class='accordion-content hidden'><p>" PROSE "</div>"
	  "<div class=signature>Sent from a telephone</div><p>" PROSE,
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n" },
	{ "results of a search, and what is hidden by a name",
	  "<h1>T</h1><div class=search-results><p>" PROSE "<p>" PROSE "</div>"
	  "<div class=lazy-hidden><p>" PROSE "</div><div class=hidden-xs><p>x. "
	  PROSE "</div><div class='a hidden-1kx8z'><p>b. " PROSE "</div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\nb. " PROSE "\n" },
	{ "headings whose ids are made of their words, and code with a toolbar",
	  "<h1>T</h1><div><p>" PROSE "<h2 id=related-work>Related</h2><p>b. "
	  PROSE "<h3 id=share>Share</h3><div class=code-toolbar><pre>c</pre>"
	  "<div class=toolbar>x</div></div></div>",
	  "# T\n\n" PROSE "\n\n## Related\n\nb. " PROSE
	  "\n\n### Share\n\n```\nc\n```\n" },
	{ "what follows the text of an article, in a place of its own",
	  "<article><h1>T</h1>" ARTICLE "<div><h2>I</h2><pre>j</pre><p>k"
	  "<dl><dt>l<dd>m</dl><blockquote>n</blockquote><table><tr><th>o<th>p"
	  "<tr><td>q<td>r</table><h2>s</h2><table><tr><td><a href=a>t</a>"
	  "</table></div></article><div><pre>u</pre></div>",
	  "# T" TEXT "\n## I\n\n```\nj\n```\n\n- **l**\n\n  m\n\n> n\n\n"
	  "| o | p |\n| --- | --- |\n| q | r |\n" },
	{ "a notice of cookies, by a long id, and a heading with such an id",
	  "<h1>T</h1><div><p>" PROSE "<h2 id=what-we-do-cookies>I</h2><p>b. "
	  PROSE "</div><div id=cookie-law-info-bar>x. " PROSE "</div>",
	  "# T\n\n" PROSE "\n\n## I\n\nb. " PROSE "\n" },
	{ "a block of paragraphs, the same again, and code that is repeated",
	  "<h1>T</h1><div><div><p>b. " PROSE "<p>c. " PROSE "<p>d. " PROSE "</div>"
	  "<div><pre>make</pre></div><section><pre>make</pre></section></div>"
	  "<div><div><p>b. " PROSE "<p>c. " PROSE "<p>d. " PROSE "</div></div>",
	  "# T\n\nb. " PROSE "\n\nc. " PROSE "\n\nd. " PROSE
	  "\n\n```\nmake\n```\n\n```\nmake\n```\n" },
	{ "an end tag after all that is shown",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "</p></p><nav>x</nav></div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n" },
	/* Holds B20. */
	{ "caption of a figure",
	  "<h1>T</h1><p>" PROSE "<figure><a href=a><img src=b alt=c></a><figcaption>"
	  "d \"e\"<br><i>f</i> &amp;amp;</figcaption></figure><p>" PROSE
	  "<figure><figcaption>g</figcaption><div><img src=h>i</div></figure>"
	  "<figure><figcaption>j</figcaption></figure><p>" PROSE,
	  "# T\n\n" PROSE "\n\n[![c](http://host/dir/b \"d \\\"e\\\" f \\&amp;\")]"
	  "(http://host/dir/a)\n\n" PROSE "\n\n![](http://host/dir/h \"g\")i\n\n"
	  PROSE "\n" },
	{ "a text for narrow screens, the same for wide ones, and another",
	  "<h1>T</h1><div><p>" LONG " 12 May</div><div><p>\n\t" PROSE "\n" PROSE
	  "\t" PROSE " 12 May\r\n</div><div><p>" LONG " 21 May</div>",
	  "# T\n\n" LONG " 12 May\n\n" LONG " 21 May\n" },
	{ "code at the end, with its heading",
	  "<h1>T</h1><div><p>" PROSE "<h2>I</h2><pre>make</pre><h2>More</h2>"
	  "<div class=signup>Sign up</div></div>",
	  "# T\n\n" PROSE "\n\n## I\n\n```\nmake\n```\n\n## More\n" },
	{ "a short paragraph, a quotation and a table at the end",
	  "<h1>T</h1><div><p>" PROSE "<p>Let it be.<blockquote>x</blockquote>"
	  "<table><tr><th>a<th>b<tr><td>c<td>d</table><div>The end</div></div>",
	  "# T\n\n" PROSE "\n\nLet it be.\n\n> x\n\n| a | b |\n| --- | --- |\n"
	  "| c | d |\n\nThe end\n" },
	{ "links that are announced, beside the text, and others",
	  "<h1>T</h1><div><p>" PROSE "<p>" PROSE "<div><p>See these:&nbsp; <ul><li>"
	  "<a href=a>x</a></ul><ul><li><a href=b>y</a></ul></div><p>" PROSE
	  "<ul><li><a href=c>z</a></ul></div>",
	  "# T\n\n" PROSE "\n\n" PROSE "\n\nSee these:\n\n"
	  "- [x](http://host/dir/a)\n\n" PROSE "\n\n- [z](http://host/dir/c)\n" },
	{ "only navigation", "<nav><a href=a>x</a></nav>", "" },
	{ "pages for those without scripts",
	  "<div>Loading</div><noscript><p>" PROSE "</noscript>", PROSE "\n" },
};

static void check_page(const char *name, struct cfs_slice body,
		       const char *want)
{
	struct fixture f;
	char *got;

	fixture_page(&f, HTML, body.p, body.n);
	got = fixture_view(&f, CFS_VIEW_MARKDOWN, false, NULL);
	if (strcmp(got, want) != 0)
		fail_msg("%s: got\n%s\nin place of\n%s", name, got, want);
	free(got);
}

/* Bytes of a comment behind a page: the record of its events has room for some
 * in proportion to the page, and is then its largest block. */
#define COMMENT_BYTES ((size_t)1 << 20)

/* Checks a page, then the same without a record of its events, so that it is
 * parsed twice: there is too little memory for it, or there are, behind every
 * sixteenth page, elements that become nothing, with two events each. */
static void check(size_t i, const char *name, const char *body,
		  const char *want)
{
	struct cfs_buf b;

	check_page(name, cfs_slice_str(body), want);
	cfs_buf_init(&b, SIZE_MAX);
	cfs_buf_adds(&b, body);
	if (i % 16 == 0) {
		for (size_t k = 0; k < CFS_PAGE_EVENTS_MAX / 2; k++)
			cfs_buf_adds(&b, "<wbr>");
	} else {
		cfs_buf_adds(&b, "<!--");
		for (size_t k = 0; k < COMMENT_BYTES; k++)
			cfs_buf_addc(&b, 'x');
		cfs_buf_adds(&b, "-->");
		too_large = COMMENT_BYTES / 16;
	}
	check_page(name, cfs_buf_slice(&b), want);
	too_large = 0;
	cfs_buf_release(&b);
}

static void test_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(i, cases[i].name, cases[i].body, cases[i].want);
}

static void test_choice(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		check(i, pages[i].name, pages[i].body, pages[i].want);
}

static void test_feed(void **state)
{
	static const char body[] =
		"<rss version='2.0'><channel><title>F &amp; f</title>"
		"<description>All *of* it</description>"
		"<item><title>One</title><link>http://e/1</link>"
		"<description>&lt;p&gt;a &lt;b&gt;b&lt;/b&gt;&lt;p&gt;c</description></item>"
		"<item><title>Two</title></item></channel></rss>";
	struct fixture f;
	char *got;

	(void)state;
	fixture_page(&f, "application/rss+xml", body, sizeof(body) - 1);
	got = fixture_view(&f, CFS_VIEW_MARKDOWN, false, NULL);
	assert_string_equal(got, "# F & f\n\nAll \\*of\\* it\n\n"
			    "- [One](http://e/1)\n\n  a **b**\n\n  c\n- Two\n");
	free(got);
}

static void test_plain(void **state)
{
	struct fixture f;
	char *got;

	(void)state;
	fixture_page(&f, "text/plain", "# a\n*b*\xe9\n", 9);
	got = fixture_view(&f, CFS_VIEW_MARKDOWN, false, NULL);
	assert_string_equal(got, "# a\n*b*\xc3\xa9\n");
	free(got);
	fixture_page(&f, "image/png", "abc", 3);
	got = fixture_view(&f, CFS_VIEW_MARKDOWN, false, NULL);
	assert_string_equal(got, "");
	free(got);
}

static void check_bytes(struct cfs_buf *body, size_t least, size_t most)
{
	struct fixture f;
	size_t n;

	fixture_page(&f, HTML, body->p, body->n);
	free(fixture_view(&f, CFS_VIEW_MARKDOWN, false, &n));
	assert_int_in_range(n, least, most);
	cfs_buf_release(body);
}

/* Text repeated before each line and behind each block of a link is bounded by
 * the page. */
/* Holds B21. */
static void test_bounds(void **state)
{
	struct cfs_buf b;
	size_t n;

	(void)state;
	cfs_buf_init(&b, SIZE_MAX);
	for (int i = 0; i < 10; i++)
		cfs_buf_adds(&b, "<ol start=999999999><li>");
	cfs_buf_adds(&b, "<a href='");
	for (int i = 0; i < 60000; i++)
		cfs_buf_addc(&b, 'h');
	cfs_buf_adds(&b, "'>");
	for (int i = 0; i < 200000; i++)
		cfs_buf_adds(&b, "<p>x");
	n = b.n;
	check_bytes(&b, 200000, 4 * n + CFS_MD_REPEATED_BYTES);
}

/* The base is bounded, too: such a page is not too long to be shown. */
/* Holds B21. */
static void test_long_base(void **state)
{
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, SIZE_MAX);
	cfs_buf_adds(&b, "<base href='http://h/");
	for (int i = 0; i < 8000; i++)
		cfs_buf_addc(&b, 'h');
	cfs_buf_adds(&b, "/'><p>");
	for (int i = 0; i < 200000; i++)
		cfs_buf_adds(&b, "<a href=a>b</a> <img src=c>");
	check_bytes(&b, 200000, 2 * b.n + CFS_MD_REPEATED_BYTES);
}

/* Code that is too long to have the prefix of its list in each line leaves the
 * list: a part of it would be HTML. */
/* Holds B21. */
static void test_long_code(void **state)
{
	size_t lines = 40000;
	struct cfs_slice line;
	struct fixture f;
	struct cfs_buf b;
	char *got;

	(void)state;
	cfs_buf_init(&b, SIZE_MAX);
	for (int i = 0; i < 6; i++)
		cfs_buf_adds(&b, "<ol start=999999999><li>");
	cfs_buf_adds(&b, "a<pre>");
	for (size_t i = 0; i < lines; i++)
		cfs_buf_adds(&b, "&lt;b\n");
	fixture_page(&f, HTML, b.p, b.n);
	got = fixture_view(&f, CFS_VIEW_MARKDOWN, false, NULL);
	line = cfs_slice_str(got);
	for (int i = 0; i < 7; i++)
		cfs_slice_split(&line, '\n');
	assert_true(cfs_slice_eq(cfs_slice_split(&line, '\n'),
				 CFS_SLICE_LIT("```")));
	for (size_t i = 0; i < lines; i++)
		assert_true(cfs_slice_eq(cfs_slice_split(&line, '\n'),
					 CFS_SLICE_LIT("<b")));
	assert_true(cfs_slice_eq(line, CFS_SLICE_LIT("```\n")));
	free(got);
	cfs_buf_release(&b);
}

/* A title that is too long is cut between two characters. */
static void test_long_title(void **state)
{
	struct fixture f;
	struct cfs_buf b;
	size_t n;
	char *got;

	(void)state;
	cfs_buf_init(&b, SIZE_MAX);
	cfs_buf_adds(&b, "<title>x");
	for (int i = 0; i < 9000; i++)
		cfs_buf_adds(&b, "\xe2\x82\xac");
	cfs_buf_adds(&b, "</title>y");
	fixture_page(&f, HTML, b.p, b.n);
	got = fixture_view(&f, CFS_VIEW_MARKDOWN, false, &n);
	assert_int_equal(n, strlen("# x\n\ny\n") + 4095 / 3 * 3);
	assert_memory_equal(got + n - 7, "\xe2\x82\xac\n\ny\n", 7);
	free(got);
	cfs_buf_release(&b);
}

/* More blocks than are numbered. */
static void test_many_blocks(void **state)
{
	size_t blocks = CFS_PAGE_BLOCKS_MAX + 1000;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, SIZE_MAX);
	for (size_t i = 0; i < blocks; i++)
		cfs_buf_adds(&b, "<p>a");
	check_bytes(&b, blocks, 4 * blocks);
}

static void test_class_words(void **state)
{
	static const struct {
		const char *value;
		unsigned hints;
	} values[] = {
		{ "entry-content", CFS_HINT_CONTENT },
		{ "siteFooter", CFS_HINT_FRAME },
		{ "SIDEBAR", CFS_HINT_CHROME },
		{ "comment_list related1", CFS_HINT_COMMENTS | CFS_HINT_BLURB },
		{ "navigate adds x menus", 0 },
		{ "wp-caption author", CFS_HINT_CAPTION | CFS_HINT_BYLINE },
		{ "with-sidebar no-ads hasComments", 0 },
		{ "category-reviews overflow-hidden card-footer", 0 },
		{ "with sidebar", CFS_HINT_CHROME },
		{ "product-review", 0 },
		{ "contact-form recentPosts", CFS_HINT_BLURB },
		{ "sr-only player__controls sr2x", CFS_HINT_CHROME },
		{ "container-de4e8c2ad6 ad6f1b x3nav css-1ad", 0 },
		{ "ad2 nav-1 box2-ads", CFS_HINT_CHROME },
		{ "level2menu", CFS_HINT_CHROME },
		{ "top-[var(--nav-height)] h-[menu x]", 0 },
		{ "w-[menu] nav", CFS_HINT_CHROME },
		{ "a[b footer", CFS_HINT_FRAME },
		{ "tab-pane", CFS_HINT_PANEL },
		{ "text-teaser", CFS_HINT_CONTENT | CFS_HINT_BLURB |
				 CFS_HINT_LEAD },
		{ "hidden-xs", CFS_HINT_BLURB },
		{ "hidden-1kx8z lazy-hidden hidden-abc-2", 0 },
		{ "hidden-x a2", CFS_HINT_BLURB },
		{ "", 0 },
	};
	char long_value[CFS_CLASS_BYTES_MAX + 16];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(cfs_class_hints(cfs_slice_str(values[i].value)),
				 values[i].hints);
	memset(long_value, 'a', sizeof(long_value));
	memcpy(long_value + CFS_CLASS_BYTES_MAX, " menu ", 6);
	assert_int_equal(cfs_class_hints(cfs_slice_of(long_value,
						      sizeof(long_value))), 0);
}

static void test_languages(void **state)
{
	static const struct {
		const char *attributes, *language;
	} names[] = {
		{ "class=language-python", "python" },
		{ "class='a lang-C# b'", "c#" },
		{ "class='brush: js; toolbar: false;'", "js" },
		{ "class=brush:c++", "c++" },
		{ "class='highlight-source-shell x'", "shell" },
		{ "class='highlight-python3 notranslate'", "python3" },
		{ "class='highlight-box x'", "" },
		{ "class='sourceCode numberSource haskell numberLines'",
		  "haskell" },
		{ "class='hljs bash'", "bash" },
		{ "class='prettyprint lang-js linenums'", "js" },
		{ "class='mw-highlight mw-highlight-lang-c mw-content'", "c" },
		{ "class='src src-C++'", "c++" },
		{ "class=hljs data-lang=Go", "go" },
		{ "data-language=objective_c", "objective-c" },
		{ "class=language-none", "" },
		{ "class='language-a`b'", "a" },
		{ "class='language-&#10;x'", "" },
		{ "class=language-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
	};
	struct cfs_buf html, want;
	struct fixture f;
	char *got;
	size_t n;

	(void)state;
	cfs_buf_init(&html, 1 << 12);
	cfs_buf_init(&want, 1 << 12);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cfs_buf_reset(&html);
		cfs_buf_reset(&want);
		cfs_buf_addf(&html, "<pre %s>x</pre>", names[i].attributes);
		cfs_buf_addf(&want, "```%s\nx\n```\n", names[i].language);
		fixture_page(&f, HTML, html.p, html.n);
		got = fixture_view(&f, CFS_VIEW_MARKDOWN, false, &n);
		if (!cfs_slice_eq(cfs_slice_of(got, n), cfs_buf_slice(&want)))
			fail_msg("%s: %s", names[i].attributes, got);
		free(got);
	}
	cfs_buf_release(&html);
	cfs_buf_release(&want);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_feed),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_long_base),
		cmocka_unit_test(test_long_code),
		cmocka_unit_test(test_long_title),
		cmocka_unit_test(test_many_blocks),
		cmocka_unit_test(test_class_words),
		cmocka_unit_test(test_languages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
