#!/usr/bin/env python3
"""languages_check.py - the languages of pages, as they are found and kept.

    make FILE [HALF]    a WARC file of pages whose languages are known; HALF: of
                        the first or the second half of them
    expect [LIST]       their URLs and languages, a line each; LIST: those that
                        --language=LIST picks
    rows [URLS]         lines of an export (standard input) as expect has them
    lines               the same of lookup or a CDXJ file
    select FILE         a selection of the pages of FILE, by its languages
    common FILE         rows of an export of FILE (standard input) have the first
                        languages that Common Crawl's metadata records there say

SPDX-License-Identifier: GPL-3.0-or-later
"""
import csv
import gzip
import json
import re
import sys

TEXTS = {
    "isl": "Í gær fór ég út að ganga með hundinum mínum og við sáum marga fugla á "
           "tjörninni. Veðrið var gott þótt það væri svolítið kalt, og þegar við "
           "komum heim aftur fengum við okkur heitt kakó.",
    "deu": "Gestern bin ich mit meinem Hund spazieren gegangen, und wir haben "
           "viele Vögel auf dem Teich gesehen. Das Wetter war schön, obwohl es ein "
           "wenig kalt war, und danach haben wir heiße Schokolade getrunken.",
    "eng": "Yesterday I went for a walk with my dog, and we saw many birds on the "
           "pond. The weather was fine although it was a little cold, and when we "
           "came home again we had a cup of hot chocolate.",
    "fra": "Hier je suis allé me promener avec mon chien et nous avons vu beaucoup "
           "d'oiseaux sur l'étang. Il faisait beau, même s'il faisait un peu froid, "
           "et quand nous sommes rentrés, nous avons bu un chocolat chaud.",
    "rus": "Вчера я гулял со своей собакой, и мы видели много птиц на пруду. Погода "
           "была хорошая, хотя было немного холодно, а когда мы вернулись домой, мы "
           "выпили горячего шоколада.",
    "ell": "Χθες πήγα βόλτα με τον σκύλο μου και είδαμε πολλά πουλιά στη λίμνη. Ο "
           "καιρός ήταν καλός, αν και έκανε λίγο κρύο, και όταν γυρίσαμε στο σπίτι "
           "ήπιαμε ζεστή σοκολάτα.",
    "zho": "昨天我和我的狗出去散步，我们在池塘里看到了很多鸟。天气很好，虽然有点冷。"
           "回家以后，我们喝了热巧克力。明天我们要去看望住在海边小村庄里的奶奶。",
}
HOST = "http://languages.example/"
HTML = "text/html; charset=utf-8"


def html(*codes, head="<html>"):
    return ("<!doctype html>%s<title>x</title>" % head + "".join(
        "<p>%s\n" % TEXTS[c] for c in codes)).encode()


def pages():
    """name, languages, type, body"""
    for code in TEXTS:
        yield code, code, HTML, html(code, code)
    yield "wrong-lang", "isl", HTML, html("isl", "isl", head="<html lang=en>")
    yield "two", "rus,deu", HTML, html("rus", "rus", "rus", "deu")
    yield "plain", "fra", "text/plain; charset=utf-8", TEXTS["fra"].encode()
    yield "latin1", "deu", "text/html; charset=iso-8859-1", \
        TEXTS["deu"].encode("latin-1")
    yield "long", "ell,eng", HTML, html(*["eng"] * 30, *["ell"] * 300)
    yield "style.css", "", "text/css", html("eng")
    yield "picture", "", "image/png", html("eng")
    yield "empty", "", HTML, b""


# Of the same bytes as the page isl; pages that are not found.
REVISIT, MISSING = "again", "missing"


def record(kind, name, block, *fields):
    head = ["WARC/1.0", "WARC-Type: " + kind, "WARC-Target-URI: " + HOST + name,
            "WARC-Record-ID: <urn:test:%s>" % name,
            "WARC-Date: 2024-03-05T10:20:30Z",
            "Content-Type: application/http; msgtype=response", *fields,
            "Content-Length: %d" % len(block)]
    return gzip.compress("\r\n".join(head).encode() + b"\r\n\r\n" + block +
                         b"\r\n\r\n", mtime=0)


def answer(status, mime, body):
    return b"HTTP/1.1 %s\r\nContent-Type: %s\r\n\r\n%s" % (
        status.encode(), mime.encode(), body)


def records():
    for name, _, mime, body in pages():
        yield record("response", name, answer("200 OK", mime, body))
    yield record("response", MISSING, answer("404 Not Found", HTML, html("fra")))
    yield record("revisit", REVISIT, answer("200 OK", HTML, b""),
                 "WARC-Refers-To: <urn:test:isl>", "WARC-Profile: http://netpreserve"
                 ".org/warc/1.0/revisit/identical-payload-digest")


def make(path, half=None):
    all_of_them = list(records())
    middle = len(all_of_them) // 2
    part = {None: all_of_them, "1": all_of_them[:middle],
            "2": all_of_them[middle:]}[half]
    with open(path, "wb") as f:
        f.write(b"".join(part))


def expected():
    found = {HOST + name: languages for name, languages, _, _ in pages()}
    found[HOST + MISSING] = "fra"
    found[HOST + REVISIT] = "isl"
    return found


def picks(spec, languages):
    every = spec.startswith("any:")
    wanted = spec.removeprefix("any:").split(",")
    have = languages.split(",")
    return any(code in wanted for code in (have if every else have[:1]))


def expect(spec=None):
    for url, languages in sorted(expected().items()):
        if spec is None or picks(spec, languages):
            print(url, languages)


def rows(lines, urls=None):
    for url, languages in sorted((r["url"], r.get("languages", []))
                                 for r in map(json.loads, lines)):
        if urls is None or re.search(urls, url):
            print(url, ",".join(languages))


def cdx_lines(lines):
    fields = [json.loads(line[line.index("{"):]) for line in lines]
    for url, languages in sorted((f["url"], f.get("languages", ""))
                                 for f in fields):
        print(url, languages)


def select(lines, archive):
    """a selection of lines of CDXJ, with other languages than there are"""
    out = csv.writer(sys.stdout)
    out.writerow(["url", "warc_filename", "warc_record_offset",
                  "warc_record_length", "content_languages"])
    for line in lines:
        f = json.loads(line[line.index("{"):])
        out.writerow([f["url"], archive, f["offset"], f["length"],
                      {"isl": "kal,dan", "deu": "gsw"}.get(
                          f.get("languages", ""), "")])


def common(path, lines):
    with gzip.open(path) as f:
        data = f.read()
    want = {}
    for head, found in re.findall(
            rb"WARC-Type: metadata\r\n(.*?)\r\n\r\n.*?languages-cld2: (\{.*?\})\r\n",
            data, re.S):
        url = re.search(rb"WARC-Target-URI: (\S+)", head)[1].decode()
        want[url] = json.loads(found)["languages"][0]["code-iso-639-3"]
    got = {r["url"]: r.get("languages", ["-"])[0] for r in map(json.loads, lines)}
    wrong = {url: (code, got.get(url)) for url, code in want.items()
             if got.get(url) != code}
    print(len(want), "pages, wrong:", wrong)
    sys.exit(bool(wrong) or not want)


def main():
    what, *args = sys.argv[1:]
    if what == "make":
        make(*args)
    elif what == "expect":
        expect(*args)
    elif what == "rows":
        rows(sys.stdin, *args)
    elif what == "lines":
        cdx_lines(sys.stdin)
    elif what == "select":
        select(sys.stdin, *args)
    elif what == "common":
        common(args[0], sys.stdin)
    else:
        sys.exit(__doc__)


main()
