#!/usr/bin/env python3
"""make_charset_corpus.py - writes tests/fuzz/corpus/charset.

Usage: make_charset_corpus.py FOLDER
The two bytes in front are fuzz_charset.c's: HTML or not, and a label's number.
"""
import os
import sys

RU = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 3
JA = "いろはにほへと ちりぬるを わかよたれそ つねならむ。日本語。" * 3
ZH = "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。中文。" * 3
KO = "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. " * 3

CASES = {
    "ascii": (0, 0, b"<p>plain"),
    "russian": (0, 1, RU.encode("windows-1251")),
    "russian-koi8": (0, 22, RU.encode("koi8-r")),
    "japanese-sjis": (0, 7, JA.encode("shift_jis")),
    "japanese-euc": (0, 5, JA.encode("euc-jp")),
    "japanese-2022": (0, 6, JA.encode("iso2022_jp")),
    "japanese-2022-cut": (0, 6, JA.encode("iso2022_jp")[:-5]),
    "escapes": (0, 6, b"\x1b$B\x1b(J\x1b$@\x1b$(D\x1b(I\x1b\x1b$\x1b("),
    "escapes-kr": (0, 9, b"\x1b$)C\x0eGQ\x0f\x0e\x1b$)C\x0f\x0e"),
    "escapes-cn": (0, 11, b"\x1b$)A\x0eVP\x1b$*H\x1bN!!\x0f\x1b$+I\x1bO"),
    "chinese": (0, 2, ZH.encode("gbk")),
    "chinese-4-bytes": (0, 3, "\u0080\U00020000\U0010ffff".encode("gb18030")
                        + b"\x84\x31\xa4\x39\xe3\x32\x9a\x36\xff\x30"),
    "chinese-hz": (0, 10, ZH.encode("hz", "replace") + b"~{~\n~~~}~"),
    "korean": (0, 8, KO.encode("cp949")),
    "utf-8": (0, 0, RU.encode()),
    "utf-8-cut": (0, 0, JA.encode()[:-1]),
    "utf-8-mark": (0, 0, b"\xef\xbb\xbf\xef\xbb\xbf" + b"x"),
    "utf-8-wrong": (0, 0, b"\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xfe\xe2\x82"),
    "utf-16": (1, 13, "\ufeff<x>\U0001f600".encode("utf-16le") + b"\x3d\xd8"),
    "utf-16-xml": (1, 14, "<?xml version='1.0'?>".encode("utf-16be")),
    "utf-32": (1, 16, b"\0\0\xfe\xff\0\0\0a\0\x11\0\0\xff\xff"),
    "utf-16-no-mark": (1, 13, "<p>caf\u00e9 \U0001f600".encode("utf-16le")),
    "utf-16-no-mark-be": (1, 14, "<p>x\0".encode("utf-16be")),
    "utf-32-no-mark": (0, 15, "<p>caf\u00e9".encode("utf-32le") + b"\0\0"),
    "meta": (0, 1, b"<!doctype html><html><head><meta charset='gbk'>\xd6\xd0"),
    "meta-pragma": (0, 1, b"<META HTTP-EQUIV=Content-Type CONTENT=\"text/html;"
                    b" charset=windows-1251\">\xcf"),
    "meta-late": (0, 1, b"<head><style>" + b" " * 2100 +
                  b"</style><meta charset=big5></head>\xa4\xa4"),
    "meta-cut": (0, 1, b"<meta charset=\"utf-8"),
    "markup": (0, 1, b"<!--><!x><?y></3></a b=c/d='e'f=\"g><meta =a b = c>"
               b"<script>\xe9</script><style>\xe9<p\xe9"),
    "xml": (1, 1, b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1"),
    "header": (1, 1, b"text/html; charset=\"charset='utf-8"),
    "noise": (0, 12, bytes((i * 167 + i * i * 13) & 255 for i in range(700))),
    "user-defined": (1, 23, bytes(range(256))),
    "latin-10": (1, 21, bytes(range(256))),
}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, (html, label, body) in CASES.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(bytes([html, label]) + body)


main()
