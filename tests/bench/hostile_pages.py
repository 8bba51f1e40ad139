#!/usr/bin/env python3
"""hostile_pages.py - what large hostile pages cost, kind by kind.

    hostile_pages.py pages FOLDER MIB
    hostile_pages.py cost VIEWS txt|meta|md FOLDER

pages writes one page of MIB MiB for each kind: those of
tests/fuzz/make_view_corpus.py and make_markdown_corpus.py and shorter ones,
repeated up to that size; of those that begin with `once-` only the last part is
repeated.  cost
runs `VIEWS dump` (tests/bench/views) on each page and on a small one, and
prints a line for each kind, worst last:

    SECONDS_A_MIB EXTRA_MIB KIND

SECONDS_A_MIB is processor time, EXTRA_MIB the peak of resident memory above the
small page's, without the page itself.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'fuzz'))
import make_markdown_corpus as markdown  # noqa: E402
import make_view_corpus as corpus  # noqa: E402

MIB = 1 << 20
REPEATED = {
    'open-a': b'<a ',
    'attribute-a': b'<a a ',
    'b-i': b'<b><i>',
    'ampersand': b'&',
    'comment': b'<!--',
    'table': b'<table>',
    'cdata-end': b']]>',
    'less-than': b'<',
    'svg-cdata': b'<svg><![CDATA[',
    'end-tags': b'</p></a></div>',
    'script': b'<script><!--<script>',
    'links': b'<a href=x>',
    'reference': b'&notit;&#x41;',
}
# What stands once, and what is repeated behind it.
ONCE = {
    'once-deep-lists': (b'<ol start=999999999><li>' * 11, b'<p>a'),
    'once-deep-code': (b'<ol start=999999999><li>' * 11 + b'<pre>', b'`\n'),
    'once-deep-breaks': (b'<blockquote>' * 12, b'a<br>'),
    'once-long-base': (b'<base href=http://h/' + b'b' * 8000 + b'/>',
                       b'<a href=x>y</a>'),
    'once-long-link': (b'<a href=' + b'c' * 8000 + b'>', b'<p>a'),
    'once-emphasis': (b'<b>(', b'<i>)</i>'),
    'once-figure': (b'<figure><img src=a>', b'<figcaption>b</figcaption>'),
    'once-table': (b'<table><tr><td>a<td>b', b'<tr><td>'),
    'once-terms': (b'<dl>', b'<dt>a<dd>b'),
}
SMALL = 'small.page'


def write_pages(folder, mib):
    os.makedirs(folder, exist_ok=True)
    kinds = dict(corpus.PAGES)
    kinds.update(corpus.FEEDS)
    kinds.update(('md-' + name, page)
                 for name, page in markdown.PAGES.items())
    kinds.update(REPEATED)
    for name, unit in kinds.items():
        n = mib * MIB // len(unit) + 1
        with open(os.path.join(folder, name + '.page'), 'wb') as f:
            f.write((unit * n)[:mib * MIB])
    for name, (first, unit) in ONCE.items():
        n = mib * MIB // len(unit) + 1
        with open(os.path.join(folder, name + '.page'), 'wb') as f:
            f.write((first + unit * n)[:mib * MIB])
    with open(os.path.join(folder, SMALL), 'wb') as f:
        f.write(b'<p>a</p>')


def run(command):
    """Processor seconds and peak resident bytes."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit('hostile_pages.py: %s ended with %d'
                 % (' '.join(command), child.returncode))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def print_costs(views, view, folder):
    small_seconds, small_bytes = run([views, 'dump', view,
                                      os.path.join(folder, SMALL)])
    rows = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        size = os.path.getsize(path)
        if name == SMALL or not name.endswith('.page'):
            continue
        seconds, peak = run([views, 'dump', view, path])
        rows.append(((seconds - small_seconds) * MIB / size,
                     (peak - small_bytes - size) / MIB, name[:-len('.page')]))
    for row in sorted(rows):
        print('%.4f %.1f %s' % row)


def main():
    if len(sys.argv) == 4 and sys.argv[1] == 'pages':
        write_pages(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) == 5 and sys.argv[1] == 'cost':
        print_costs(*sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
