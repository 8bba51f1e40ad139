#!/usr/bin/env python3
"""promises.py - what promises_test.sh needs: archives, and looks at mounts.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import ctypes
import errno
import gzip
import hashlib
import base64
import json
import os
import pickle
import sys

TIME = '2024-02-20T11:12:13Z'
EPOCH = 1708427533
BODY = b'<p>caf\xe9</p>\n'
DIGEST = 'sha1:' + base64.b32encode(hashlib.sha1(BODY).digest()).decode()


def warc(url, head, body, extra=''):
    block = head + b'\r\n\r\n' + body
    return ('WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n'
            'WARC-Date: %s\r\n%sContent-Type: application/http; msgtype=response'
            '\r\nContent-Length: %d\r\n\r\n'
            % (url, TIME, extra, len(block))).encode() + block + b'\r\n\r\n'


def page(url, body):
    return warc(url, b'HTTP/1.1 200 OK\r\nContent-Type: text/html; '
                b'charset=ISO-8859-1',
                body, 'WARC-Payload-Digest: %s\r\n' % DIGEST)


def make(folder):
    """Prints offset and length of the second member of attrs/a.warc.gz."""
    for name in ('attrs', 'shifted', 'large', 'dirs'):
        os.makedirs(os.path.join(folder, name))
    members = [gzip.compress(page(url, BODY), mtime=0)
               for url in ('http://h.example/first', 'http://h.example/page?q=1')]
    with open(os.path.join(folder, 'attrs/a.warc.gz'), 'wb') as f:
        f.write(b''.join(members))
    print(len(members[0]), len(members[1]))
    with open(os.path.join(folder, 'shifted/a.warc'), 'wb') as f:
        f.write(warc('http://h.example/moved', b'HTTP/1.1 200 OK\r\nX: y', BODY))
        f.write(warc('http://h.example/stays', b'HTTP/1.1 200 OK\r\nA: b', BODY))
    with open(os.path.join(folder, 'large/a.warc.gz'), 'wb') as f:
        for name, n in (('large', 200000), ('small', 100)):
            f.write(gzip.compress(page('http://h.example/' + name, b'x' * n)))
    with open(os.path.join(folder, 'dirs/a.warc.gz'), 'wb') as f:
        for i in range(40):
            f.write(gzip.compress(page('http://h%d.example/a/b/c' % i, BODY)))


def shift(path):
    """Moves the end of one HTTP head: the same length, a longer body."""
    stat = os.stat(path)
    with open(path, 'r+b') as f:
        data = f.read()
        at = data.index(b'\r\nX: y\r\n\r\n')
        f.seek(at)
        f.write(b'\r\n\r\nX: y\r\n')
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def attributes(path, offset, length):
    want = {
        'user.xdg.origin.url': 'http://h.example/page?q=1',
        'user.mime_type': 'text/html',
        'user.charset': 'ISO-8859-1',
        'user.crawlfs.timestamp': '20240220111213',
        'user.crawlfs.status': '200',
        'user.crawlfs.digest': DIGEST,
        'user.crawlfs.archive': 'a.warc.gz',
        'user.crawlfs.offset': offset,
        'user.crawlfs.length': length,
        'user.crawlfs.size_is_exact': '1',
    }
    got = {name: os.getxattr(path, name).decode() for name in os.listxattr(path)
           if name in want}
    check(got, want)
    for view, kind, charset in [
            ('.meta', 'application/json', 'utf-8'),
            ('.txt', 'text/plain', 'utf-8'),
            ('#.headers', 'message/http', None),
            ('#.warc.gz', 'application/gzip', None)]:
        names = os.listxattr(path + view)
        check([os.getxattr(path + view, 'user.mime_type').decode(),
               os.getxattr(path + view, 'user.charset').decode()
               if 'user.charset' in names else None], [kind, charset])
        if charset is None:
            try:
                os.getxattr(path + view, 'user.charset')
                sys.exit('%s has a charset' % view)
            except OSError as e:
                check(e.errno, errno.ENODATA)


def agree(mount):
    """An exact size is what there is to read; a guess is one before reading,
    and none while the file is open."""
    guesses = 0
    for folder, _, files in os.walk(mount):
        for name in files:
            path = os.path.join(folder, name)
            for view in ('', '#.headers', '#.warc.gz'):
                file = path + view if not path.endswith(
                    ('.meta', '.txt')) or view == '' else None
                if file is None or not os.path.exists(file):
                    continue
                exact = os.getxattr(file, 'user.crawlfs.size_is_exact')
                size = os.stat(file).st_size
                with open(file, 'rb') as f:
                    got = len(f.read())
                    check(os.fstat(f.fileno()).st_size, got)
                    check(os.getxattr(file, 'user.crawlfs.size_is_exact'),
                          b'1')
                if exact == b'1':
                    check(size, got)
                else:
                    guesses += 1
    print(guesses, 'guesses')


def check(got, want):
    if got != want:
        sys.exit('got  %r\nwant %r' % (got, want))


def raises(number, path):
    try:
        with open(path, 'rb') as f:
            f.read()
    except OSError as e:
        check(errno.errorcode[e.errno], number)
        return
    sys.exit('%s can be read' % path)


def statfs(path, captures):
    got = os.statvfs(path)
    check((bool(got.f_flag & os.ST_RDONLY), got.f_files, got.f_bfree,
           got.f_ffree), (True, int(captures), 0, 0))


LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100


class Handle(ctypes.Structure):
    _fields_ = [('n', ctypes.c_uint), ('type', ctypes.c_int),
                ('bytes', ctypes.c_ubyte * 128)]


def take_handles(top):
    """Of every directory and file: path, inode number and handle."""
    for where, _, names in os.walk(top):
        for path in [where] + [os.path.join(where, n) for n in names]:
            h, mount = Handle(n=128), ctypes.c_int()
            if LIBC.name_to_handle_at(AT_FDCWD, os.fsencode(path),
                                      ctypes.byref(h), ctypes.byref(mount),
                                      0) != 0:
                sys.exit('name_to_handle_at: %s' % os.strerror(ctypes.get_errno()))
            yield path, os.lstat(path).st_ino, h


def open_handles(top, kept):
    fd = os.open(top, os.O_RDONLY)
    for path, ino, h in kept:
        got = LIBC.open_by_handle_at(fd, ctypes.byref(h), os.O_RDONLY)
        if got < 0:
            sys.exit('%s: open_by_handle_at: %s'
                     % (path, os.strerror(ctypes.get_errno())))
        check(os.fstat(got).st_ino, ino)
        if os.path.isdir(path):     # found again by its parents
            check(os.readlink('/proc/self/fd/%d' % got), path)
        else:
            with open(got, 'rb', closefd=False) as f, open(path, 'rb') as g:
                check(f.read(), g.read())
        os.close(got)
    print(len(kept))


def handles(top):
    """As an NFS server has them, after the kernel has forgotten all: it then
    looks up '.' and '..'."""
    kept = list(take_handles(top))
    with open('/proc/sys/vm/drop_caches', 'w') as f:
        f.write('2\n')
    open_handles(top, kept)


def save_handles(top, file):
    kept = list(take_handles(top))
    with open(file, 'wb') as f:
        pickle.dump([(p, i, bytes(h)) for p, i, h in kept], f)


def saved_handles(top, file):
    """The same handles in another mount of the crawl."""
    with open(file, 'rb') as f:
        open_handles(top, [(p, i, Handle.from_buffer_copy(h))
                           for p, i, h in pickle.load(f)])


def recode(index):
    """Of the sizes of views in an index, another version computed them."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../model'))
    from tree_model import xxh64
    with open(index, 'r+b') as f:
        head = bytearray(f.read(4096))
        head[496] ^= 1          # crawlfs-index(5): code of views
        head[4088:] = xxh64(bytes(head[:4088])).to_bytes(8, 'little')
        f.seek(0)
        f.write(head)


def config(path, want):
    """The settings that `want` (JSON) names have its values."""
    with open(path) as f:
        got = json.load(f)
    want = json.loads(want)
    check({k: got.get(k) for k in want}, want)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
