#!/usr/bin/env python3
"""make_markdown_corpus.py - writes the seeds of fuzz_markdown.

    make_markdown_corpus.py CORPUS      (tests/fuzz/corpus)

The pages and feeds of make_view_corpus.py, and some whose Markdown is hard to
write: what is repeated before lines and behind links, what would end a code
block or be HTML, tables, words side by side with marks.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_view_corpus as views  # noqa: E402

PROSE = (b'Some words of running text, which are many enough to count as such, '
         b'and which have a comma or two, as sentences do. ')

PAGES = {
    'article': b'<title>T</title><nav><a href=a>x</a></nav><h1>H</h1><p>' +
               PROSE * 4 + b'<p>' + PROSE * 5 + b'<ul><li><a href=b>c</a></ul>'
               b'<div class="share promo">s</div><footer>f</footer>',
    'comments': b'<div id=comments>' + (b'<div class=comment><p>' + PROSE +
                                        b'</div>') * 3 + b'</div>',
    'inline': b'<p><b>a</b><i>b<b>c</i>d</b> <code>e`f</code><tt>g</tt>'
              b'<a href="(x">h<em>i</a>j</em><img src=k alt="l]*">.<b>m.</b>n',
    'escapes': b'<p>&lt;b> &lt;/b> &lt;!-- `x` ``y *a* _b_ [c](d) [e]: f ~~g~~ '
               b'&amp;amp; \\* ![h<br># i<br>1. j<br>- k<br>=== l<br>&gt; m',
    # GFM's autolinks end at `<`, and at nothing that Markdown has
    'addresses': b'<p>http://a/&lt;b> www.a&lt;b> http://a/<code>&lt;b></code> '
                 b'ftp://a/<b><code>&lt;b></code></b> www.a <code>&lt;b></code>',
    'code': b'<ul><li><pre>a\n````\n<b>b\n\n  c</pre><li><blockquote><pre><code '
            b'class=language-c>~~~\n&lt;/p></pre></blockquote></ul>',
    'lists': b'<ol start=9><li>a<ul><li><ol start=2><li>b</ol><li><blockquote>c'
             b'</blockquote></ul><li></ol><ul><li>d</ul><li>e<dl><dt>f<dd>g</dl>',
    'spans': b'<table><tr><th colspan=9>a<tr><td rowspan=2>b<td colspan=2>c<tr>'
             b'<td><p>d<p>e<td><ul><li>f</ul><tbody><tr><td rowspan=0>g<td>h'
             b'<tr><td><pre>i|</pre></table>',
    'formula': b'<p>a<math alttext="x|`[y](z)"></math><a href=b><math><mfrac>'
               b'<mi>x</mi><mo>&lt;</mo></mfrac><msup><mi>y</mi></math></a>'
               b'<script type="math/tex; mode=display">x<y</script>',
    'table': b'<table><caption>a</caption><tr><th>b|c<th>d<tr><td>e<td><code>|'
             b'</code><br><a href=f>g</a></table><table><tr><td>h<table><tr><td>'
             b'i<td>j<tr><td>k</table></table>',
    'figure': b'<figure><img src=a alt=b><figcaption>c <i>d</i></figcaption>'
              b'</figure><dl><dt>e<dd><p>f<p>g<dd>h</dl>',
    # longer than a page may repeat
    'deep-code': b'<ol start=999999999><li>' * 11 + b'<pre>' + b'<b\n' * 5200,
    'deep-breaks': b'<ol start=999999999><li>' * 11 + b'<br>#'.join([b'x'] * 3200),
    'long-base': b'<base href=http://h/' + b'b' * 3000 + b'/><p>' +
                 b'<a href=x>y</a>' * 600,
    'long-link': b'<a href=' + b'c' * 4000 + b'>' + b'<p>d' * 600,
    'wide': b'<p>\xe3\x80\x8c<b>a\xe3\x80\x8d</b>b\xc2\xa0c<i>\xc2\xbb</i>'
            b'\xf0\x9f\x98\x80<b>\xf0\x9f\x98\x80</b>\xe2\x80\x83',
}


def write(folder, name, kind, page):
    with open(os.path.join(folder, '%s-%d' % (name, kind)), 'wb') as f:
        f.write(bytes([kind]) + page)


def main():
    folder = os.path.join(sys.argv[1], 'markdown')
    os.makedirs(folder, exist_ok=True)
    for name, page in views.PAGES.items():
        write(folder, name, {'jis': 3, 'bom16': 6, 'xhtml': 5}.get(name, 1),
              page)
    for name, page in PAGES.items():
        write(folder, name, 0, page)
    for name, feed in views.FEEDS.items():
        write(folder, 'feed-' + name, 4, feed)
    write(folder, 'plain', 2, b'<b>a\0\r\n\xff# b')


if __name__ == '__main__':
    main()
