#!/usr/bin/env python3
"""make_html_corpus.py - the corpus of fuzz_html: make_html_corpus.py FOLDER

One file for each place where a document can begin (tests/fuzz/fuzz_html.c) and
each kind of token, in our own words.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import sys

DATA, RCDATA, RAWTEXT, SCRIPT, PLAINTEXT, CDATA = range(6)
NONE, TITLE, SCRIPT_TAG, X = range(4)


def begin(state, last=NONE, cdata=0):
    return bytes([state + 6 * last + 24 * cdata])


CASES = {
    'tags': begin(DATA) + b'<p a=1 B="x&amp;y" c=\'z\' d a=2/><br/></p x=1></3></>',
    'tags-odd': begin(DATA) + b'<a =b c= d=e/f "g\'h<i/j/><k\0l m\0=\0>',
    'text': begin(DATA) + b'a\r\nb\rc\0d < e <3 &amp &notit; &#65;&#x41;&#0;&#128;&',
    'comments': begin(DATA) + b'<!----><!--a--!><!--><!---><!--b<!--c--d--->e'
                b'<!f><?g><!--h--',
    'doctypes': begin(DATA) + b'<!DOCTYPE html><!doctype a PUBLIC "b" \'c\'>'
                b'<!DOCTYPEd SYSTEM "e"f><!DOCTYPE><!DOCTYPE g public>',
    'rcdata': begin(RCDATA, TITLE) + b'a&lt;b</tit</title c=d>e<textarea>f&amp;'
              b'\0</textarea>',
    'rawtext': begin(RAWTEXT, X) + b'a&lt;b</xy></x/>c<style>\0</style><xmp>d',
    'script': begin(SCRIPT, SCRIPT_TAG) + b'a<!--b<script>c</script>d--></script>'
              b'<script><!-->e</script>f',
    'script-deep': begin(SCRIPT, SCRIPT_TAG) + b'<!--<script >--><!--</scripty>'
                   b'</script/></script>--',
    'plaintext': begin(PLAINTEXT) + b'a</plaintext>\0\r\n<b>',
    'cdata': begin(CDATA, NONE, 1) + b'a]]b]]]>c<![CDATA[d\re]]><b>',
    'no-cdata': begin(DATA) + b'<![CDATA[a]]>b',
}


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, body in CASES.items():
        with open(os.path.join(sys.argv[1], name), 'wb') as f:
            f.write(body)


if __name__ == '__main__':
    main()
