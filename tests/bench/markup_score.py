#!/usr/bin/env python3
"""markup_score.py - formulas, code and tables of .md by WebMainBench's metrics.

    python3 -m venv FOLDER
    FOLDER/bin/pip install webmainbench==0.1.0 pygments latex2mathml
    FOLDER/bin/python markup_score.py CRAWLFS [SAMPLES.jsonl...]

Makes pages whose formulas, code and tables are known: each formula in the markup
of one library (MathML by latex2mathml, with and without its source, KaTeX,
MathJax 2 and 3, MediaWiki, images), code by Pygments with line numbers in a
table, within lines and without, and as Hexo, GitHub and Prism have it, tables
with headers, spans and blocks in cells.  What is right comes from here and never
from crawlfs.  SAMPLES are pages of the benchmark: its fields html and
groundtruth_content.

The metrics are those of the package: edit similarity of all formulas and of all
code of a page, and of tables the similarity of trees (TEDS); a mean over pages
that have any.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import html
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import types

import latex2mathml.converter
import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

PAGES = 60
TEXT = ("The text of this page, of which there is enough, goes on for some "
        "sentences, as the text of articles does. It has commas, and it ends "
        "with a full stop, which is how one knows it.")
PROSE = "<p>%s</p>" % TEXT
TEX = r"""a^{2}+b^{2}=c^{2}
E=mc^{2}
\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}
\sum_{i=1}^{n}i=\frac{n(n+1)}{2}
\int_{0}^{\infty}e^{-x^{2}}dx=\frac{\sqrt{\pi}}{2}
\lim_{n\to\infty}\left(1+\frac{1}{n}\right)^{n}
e^{i\pi}+1=0
\frac{\partial u}{\partial t}=\alpha\nabla^{2}u
\begin{matrix}a&b\\c&d\end{matrix}
\hat{y}=\beta_{0}+\beta_{1}x
\mathbf{A}\mathbf{x}=\lambda\mathbf{x}
P(A|B)=\frac{P(B|A)P(A)}{P(B)}
x\in\mathbb{R}
\sqrt[3]{x}\leq y
\forall\epsilon>0
\prod_{k=1}^{n}k
\sigma=\sqrt{\frac{1}{N}\sum_{i=1}^{N}(x_{i}-\mu)^{2}}
A\cup B\subset C
\log_{2}8=3
\overline{x}\neq 0""".splitlines()
CODE = {
    "python": "def f(x):\n    if x > 1:\n        return x * f(x - 1)\n\n    return 1",
    "c": "int main(void)\n{\n\tfor (int i = 0; i < 3; i++)\n\t\tputs(\"a\");\n}",
    "bash": "for f in *.txt; do\n  sed 's/a/b/' \"$f\"\ndone",
    "javascript": "const a = [1, 2];\na.map((x) => `${x}`);",
}
WORDS = "Apple Pear Plum 2012 2013 40 41 red blue north south 3.5 high low".split()


def formula(r, tex):
    """A formula as a library has it."""
    mathml = latex2mathml.converter.convert(tex)
    inner = mathml[mathml.index(">") + 1:mathml.rindex("<")]
    with_source = ("<math><semantics>%s<annotation encoding=\"application/x-tex\">%s"
                   "</annotation></semantics></math>" % (inner, html.escape(tex)))
    return r.choice([
        mathml, mathml, with_source,
        "<span class=\"katex\"><span class=\"katex-mathml\">%s</span><span class="
        "\"katex-html\" aria-hidden=\"true\">glyphs</span></span>" % with_source,
        "<span class=\"MathJax_Preview\">preview</span><script type=\"math/tex\">%s"
        "</script>" % tex,
        "<mjx-container class=\"MathJax\"><mjx-math aria-hidden=\"true\">glyphs"
        "</mjx-math><mjx-assistive-mml>%s</mjx-assistive-mml></mjx-container>" % mathml,
        "<span class=\"mwe-math-element\"><span style=\"display: none;\">%s</span><img "
        "class=\"mwe-math-fallback-image-inline\" alt=\"%s\"></span>" %
        (with_source, html.escape(tex)),
        "<img class=\"latex\" src=\"f.png\" alt=\"%s\">" % html.escape(tex),
    ])


def code(r, language, text):
    lines = text.split("\n")

    def pygmented(**options):
        return pygments.highlight(text, get_lexer_by_name(language),
                                  HtmlFormatter(**options))

    def gutter(before, row, between, after):
        return before + between.join(row % (i + 1, html.escape(s))
                                     for i, s in enumerate(lines)) + after
    return r.choice([
        pygmented(), pygmented(linenos="table"), pygmented(linenos="inline"),
        "<pre class=\"line-numbers\"><code class=\"language-%s\">%s<span class="
        "\"line-numbers-rows\">%s</span></code></pre>" %
        (language, html.escape(text), "<span>1</span>" * len(lines)),
        "<figure class=\"highlight %s\"><table><tr><td class=\"gutter\"><pre>%s</pre>"
        "</td><td class=\"code\"><pre>%s</pre></td></tr></table></figure>" %
        (language, "<br>".join(str(i + 1) for i in range(len(lines))),
         "<br>".join(map(html.escape, lines))),
        gutter("<table class=\"highlight\">", "<tr><td class=\"blob-num\">%d</td><td "
               "class=\"blob-code\">%s</td></tr>", "\n", "</table>"),
    ])


def table(r):
    """A table's HTML, and what a reader of Markdown has to see."""
    columns, rows = r.randint(2, 5), r.randint(3, 6)
    taken, out, right = set(), [], []
    for y in range(rows):
        cells, seen = "", []
        for x in range(columns):
            if (x, y) in taken:
                seen.append("")
                continue
            words = [r.choice(WORDS) for _ in range(r.randint(1, 2))]
            high = 2 if 0 < y < rows - 1 and r.random() < .1 else 1
            wide = 2 if x < columns - 1 and (x + 1, y) not in taken and \
                columns > 2 and r.random() < .1 else 1
            taken |= {(x + i, y + j) for i in range(wide) for j in range(high)}
            inner = r.choice(["%s", "<p>%s</p>", "<ul><li>%s</li></ul>"]) % \
                " ".join(words)
            tag = "th" if y == 0 else "td"
            cells += "<%s rowspan=%d colspan=%d>%s</%s>" % (tag, high, wide, inner, tag)
            seen.append(" ".join(words))
        out.append("<tr>%s</tr>" % cells)
        right.append("| %s |" % " | ".join(seen))
    right.insert(1, "|" + "---|" * columns)
    return "<table>%s</table>" % "".join(out), "\n".join(right)


def make(r):
    """A page, and its Markdown."""
    page, right = "<h1>A page</h1>" + PROSE, "# A page\n\n%s\n\n" % TEXT
    for tex in r.sample(TEX, 6):
        page += "<p>The formula %s is one.</p>" % formula(r, tex)
        right += "The formula $%s$ is one.\n\n" % tex
    for language in r.sample(sorted(CODE), 2):
        page += PROSE + code(r, language, CODE[language])
        right += "%s\n\n```%s\n%s\n```\n\n" % (TEXT, language, CODE[language])
    cells, rows = table(r)
    return ("<!DOCTYPE html><meta charset=utf-8><title>A page</title><article>%s%s%s"
            "</article>" % (page, cells, PROSE), "%s%s\n\n%s\n" % (right, rows, TEXT))


def calculator():
    """The package's metrics; its extractors need what is not installed."""
    spec = importlib.util.find_spec("webmainbench")
    package = types.ModuleType("webmainbench")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["webmainbench"] = package
    client = types.ModuleType("openai")
    client.OpenAI = None
    sys.modules["openai"] = client
    from webmainbench.metrics.calculator import MetricCalculator
    return MetricCalculator()


def markdown(crawlfs, pages):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "pages.warc")
        with open(name, "wb") as f:
            for i, page in enumerate(pages):
                block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8" \
                    b"\r\n\r\n" + page.encode("utf-8", "replace")
                f.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "
                        b"http://h.test/%06d\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
                        b"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
                        b"Content-Type: application/http; msgtype=response\r\n"
                        b"Content-Length: %d\r\n\r\n%s\r\n\r\n" %
                        (i, i, len(block), block))
        out = subprocess.run([crawlfs, "export", "--fields=url,markdown", name],
                             check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    return [r["markdown"] for r in sorted(rows, key=lambda r: r["url"])]


def judge(what, metrics, crawlfs, pages):
    scores = {}
    silent = open(os.devnull, "w", encoding="utf-8")
    for got, (_, right) in zip(markdown(crawlfs, [p for p, _ in pages]), pages):
        shown, sys.stdout = sys.stdout, silent
        try:
            results = metrics.calculate_all(got, right)
            parts = metrics.metrics["formula_edit"].split_content(right)
        finally:
            sys.stdout = shown
        for name, part in (("formula_edit", "formula"), ("code_edit", "code"),
                           ("table_TEDS", "table"), ("text_edit", "text")):
            if parts[part] and results[name].success:
                scores.setdefault(name, []).append(results[name].score)
    for name, values in sorted(scores.items()):
        print("%-16s %-13s n %3d  %.3f" % (what, name, len(values),
                                          sum(values) / len(values)))


def main():
    r = random.Random(18)
    metrics = calculator()
    judge("made", metrics, sys.argv[1], [make(r) for _ in range(PAGES)])
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as f:
            rows = [json.loads(line) for line in f]
        judge(os.path.basename(name)[:16], metrics, sys.argv[1],
              [(row["html"], row["groundtruth_content"]) for row in rows
               if row.get("groundtruth_content")])


if __name__ == "__main__":
    main()
