"""busy_helper.py - a mount whose processors are busy with hostile pages.

    busy_helper.py make FOLDER MIB
    busy_helper.py read MOUNT VIEW
    busy_helper.py start MOUNT VIEW

make writes an archive of twenty hostile pages of MIB MiB each and twenty
small ones.  read lets twenty processes read .VIEW of the hostile pages at once, kills
one of them, and reads small pages and their text meanwhile.  All of these, and
the death of the killed one, must come before the last hostile page is done: so
nothing here depends on how fast the machine is.  Prints how long small pages
took.  start starts the twenty and leaves them.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import os
import signal
import statistics
import subprocess
import sys
import time

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
sys.path.insert(0, os.path.join(TESTS, 'bench'))
sys.path.insert(0, os.path.join(TESTS, 'fuzz'))
import hostile_pages  # noqa: E402
import make_view_corpus as corpus  # noqa: E402

HOSTILE = 20
SMALL = 20
HTTP = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'


def write_page(out, name, body):
    record = corpus.warc(b'response',
                         b'Content-Type: application/http; msgtype=response\r\n',
                         HTTP + body, b'http://h/' + name)
    out.write(gzip.compress(record, 1))


def make(folder, mib):
    units = list(hostile_pages.REPEATED.values()) + list(corpus.PAGES.values())
    with open(os.path.join(folder, 'busy.warc.gz'), 'wb') as out:
        for i in range(HOSTILE):
            n = mib << 20
            write_page(out, b'hostile/%d' % i,
                       (units[i] * (n // len(units[i]) + 1))[:n])
        for i in range(SMALL):
            write_page(out, b'small/%d' % i, b'<p>small page %d</p>' % i)


def read_small(top, i):
    """Seconds for a page and its text, by a reader that opens files."""
    began = time.monotonic()
    for suffix, text in ('', b'<p>small page %d</p>'), ('.txt', b'small page %d\n'):
        with open(os.path.join(top, 'small', str(i)) + suffix, 'rb') as f:
            got = f.read()
        assert got == text % i, got
    return time.monotonic() - began


def start(mount, view):
    folder = os.path.join(mount, 'h', '_', 'hostile')
    return [subprocess.Popen(['cat', os.path.join(folder, f'{i}.{view}')],
                             stdout=subprocess.DEVNULL) for i in range(HOSTILE)]


def read(mount, view):
    top = os.path.join(mount, 'h', '_')
    readers = start(mount, view)
    victim = readers.pop()
    took = [read_small(top, 0)]
    victim.kill()
    began = time.monotonic()
    status = victim.wait()
    killed = time.monotonic() - began
    took += [read_small(top, i) for i in range(1, SMALL)]
    busy = sum(r.poll() is None for r in readers)
    took.sort()
    print(f'.{view}: small pages in {statistics.median(took) * 1000:.1f} ms, nine '
          f'of ten in {took[len(took) * 9 // 10] * 1000:.1f} ms; the killed reader '
          f'ended in {killed * 1000:.1f} ms; {busy} hostile pages were left')
    assert [r.wait() for r in readers] == [0] * len(readers), 'a reader failed'
    assert status == -signal.SIGKILL, 'the one to be killed had ended'
    assert busy > 0, 'small pages waited for hostile ones'


if sys.argv[1] == 'make':
    make(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1] == 'start':
    start(sys.argv[2], sys.argv[3])
else:
    read(sys.argv[2], sys.argv[3])
