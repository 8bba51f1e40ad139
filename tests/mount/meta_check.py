#!/usr/bin/env python3
"""meta_check.py - every .meta of two mounts is one JSON object.

    meta_check.py PRETTY COMPACT [CRAWLFS SOURCE]

PRETTY and COMPACT are mounts of the same SOURCE, the second with
meta=compact.  Each file must be UTF-8 and one object without duplicate names;
the pretty form is what json.dumps(indent=2) makes of it (its order of names
and its numbers too; text_simhash is 20 bytes long), the compact form is one line that says the same.  With
CRAWLFS, `crawlfs cat` must give both forms of some of them.

Common Crawl's records of 2008 to 2010 carry x_commoncrawl_Signature, which is
the MD5 that the crawler computed: it must be ours.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import re
import subprocess
import sys


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), 'a name twice: %r' % names
    return dict(pairs)


def load(data):
    text = data.decode('utf-8')
    assert text.endswith('\n'), 'no line end'
    value = json.loads(text, object_pairs_hook=no_duplicates, strict=True)
    assert isinstance(value, dict)
    assert value['disposition'] in ('SUCCESS', 'FAILURE')
    assert value['crawlfs']['url']
    return text, value


def same(a, b, where):
    assert a == b, where


def json_of(value, **how):
    """As json writes it, with the control characters of C1 escaped."""
    return re.sub('[\x7f-\x9f]', lambda m: '\\u%04x' % ord(m[0]),
                  json.dumps(value, ensure_ascii=False, **how))


def pretty_of(value):
    """The same, with the simhash in 20 bytes."""
    return re.sub(r'^  "text_simhash": (-?[0-9]+)',
                  lambda m: '  "text_simhash": %20s' % m[1],
                  json_of(value, indent=2), count=1, flags=re.MULTILINE)


def cat(crawlfs, source, path, form):
    return subprocess.run([crawlfs, 'cat', '--meta=' + form, source, path],
                          stdout=subprocess.PIPE, check=True,
                          timeout=60).stdout


def main():
    pretty, compact = sys.argv[1:3]
    count = signed = 0
    for folder, _, names in os.walk(pretty):
        for name in sorted(names):
            if not name.endswith('.meta'):
                continue
            path = os.path.join(folder, name)
            rest = os.path.relpath(path, pretty)
            with open(path, 'rb') as f:
                one = f.read()
            with open(os.path.join(compact, rest), 'rb') as f:
                other = f.read()
            text, value = load(one)
            short, same_value = load(other)
            same(value, same_value, rest)
            same(short.count('\n'), 1, rest)
            same(text.lower(), (pretty_of(value)
                                + '\n').lower(), rest)
            same(short.lower(),
                 (json_of(value, separators=(',', ':')) + '\n').lower(), rest)
            signature = value.get('http_headers', {}).get(
                'x_commoncrawl_signature')
            if signature is not None and 'md5' in value:
                same(value['md5'], signature, rest)
                signed += 1
            if len(sys.argv) > 4 and count % 40 == 0:
                same(cat(sys.argv[3], sys.argv[4], rest, 'pretty'), one, rest)
                same(cat(sys.argv[3], sys.argv[4], rest, 'compact'), other,
                     rest)
            count += 1
    print('%d files, %d with the crawler\'s own MD5' % (count, signed))
    return 0 if count > 0 else 1


if __name__ == '__main__':
    sys.exit(main())
