#!/usr/bin/env python3
"""damaged_index.py - damaged blocks of indexes, and what every reader of one
may then show.

    damaged_index.py make DIR           an archive and its indexes in each format
    damaged_index.py FORMAT DAMAGE CRAWLFS DIR READER...    mount: DIR/m

Which captures lie in which block is told from the undamaged bytes: the numbers
of entries in the heads of leaves, the lines of stretches, the members of a
cluster, the items of blocks of a PB-tree.  Right is, for each reader: all
captures but those of the damaged blocks, each once; the place named on standard
error; status 1.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import gzip
import hashlib
import http.client
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import urllib.error
import urllib.request

N, HOSTS, STRETCH, LINES = 2800, 20, 65536, 250


def page(i):
    """URL of capture i, and its key for sorting: that of its tree.  Names are
    long and hardly shrink, so that few captures fill a block."""
    name = base64.b32encode(hashlib.shake_128(b"%d" % i).digest(120))
    name = name.decode().lower()
    host = "h%02d.example.com" % (i % HOSTS)
    return "http://%s/%s" % (host, name), ("h%02d" % (i % HOSTS), name)


URLS = [u for u, _ in sorted((page(i) for i in range(N)), key=lambda x: x[1])]


def warc(urls):
    for url in urls:
        body = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" +
                url).encode()
        head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
                "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:"
                "%s>\r\nContent-Type: application/http; msgtype=response\r\n"
                "Content-Length: %d\r\n\r\n" %
                (url, record_id(url), len(body)))
        yield gzip.compress(head.encode() + body + b"\r\n\r\n", 1)


def record_id(url):
    return hashlib.md5(url.encode()).hexdigest()


def revisits(urls):
    """A revisit of each, under a URL of its own."""
    for url in urls:
        head = ("WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: %s?again\r\n"
                "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:"
                "%s>\r\nWARC-Refers-To: <urn:uuid:%s>\r\nContent-Type: "
                "application/http; msgtype=response\r\nContent-Length: 19\r\n"
                "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
                "identical-payload-digest\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" %
                (url, record_id(url + "again"), record_id(url)))
        yield gzip.compress(head.encode() + b"\r\n\r\n", 1)


def arc(urls):
    yield gzip.compress(b"filedesc://x.arc 0.0.0.0 20200102030405 text/plain 77"
                        b"\n1 0 InternetArchive\nURL IP-address Archive-date "
                        b"Content-type Archive-length\n\n", 1)
    for url in urls:
        body = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" +
                url).encode()
        yield gzip.compress(("%s 1.2.3.4 20200102030405 text/html %d\n" %
                             (url, len(body))).encode() + body + b"\n", 1)


def put(path, members):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        for m in members:
            f.write(m)


def index(crawlfs, d, *args):
    subprocess.run([crawlfs, "index", "-q", *args], cwd=d, check=True)


def cluster(d, lines):
    """A ZipNum cluster of blocks that have LINES lines."""
    blocks = [lines[i:i + LINES] for i in range(0, len(lines), LINES)]
    members = [gzip.compress(b"".join(b), 1) for b in blocks]
    put(d + "/cdx-00000.gz", members)
    at = [sum(map(len, members[:i])) for i in range(len(members))]
    put(d + "/cluster.idx", [
        b" ".join(b[0].split(b" ", 2)[:2]) + b"\tcdx-00000.gz\t%d\t%d\t%d\n" %
        (at[i], len(members[i]), i + 1) for i, b in enumerate(blocks)])


def make(crawlfs, d):
    put(d + "/a.warc.gz", warc(URLS))
    put(d + "/even.warc.gz", warc(URLS[::2]))
    put(d + "/odd.warc.gz", warc(URLS[1::2]))
    put(d + "/p/segment/1/2_3.arc.gz", arc(URLS))
    index(crawlfs, d, "-o", "cfx", "a.warc.gz")
    index(crawlfs, d, "--format=cdxj", "-o", "cdxj", "a.warc.gz")
    cluster(d + "/zipnum", open(d + "/cdxj", "rb").readlines())
    index(crawlfs, d, "-o", "even.cfx", "even.warc.gz")
    index(crawlfs, d, "-o", "odd.cfx", "odd.warc.gz")
    put(d + "/again.warc.gz", revisits(URLS))
    index(crawlfs, d, "-o", "again.cfx", "again.warc.gz")
    index(crawlfs, d, "--format=pbtree", "-o", "p/pbtree", "p/segment")


# ---- the blocks of undamaged bytes -------------------------------------------

def cfx_blocks(data, urls):
    """(offset, bytes, URLs) of each leaf, and an offset in the top block."""
    levels = struct.unpack_from("<I", data, 28)[0]
    off, n, last = struct.unpack_from("<QII", data, 240)
    out, k = [], 0
    for i in range(n):
        begin = off + i * STRETCH
        count = struct.unpack_from("<H", data, begin + 10)[0]
        out.append((begin, STRETCH if i < n - 1 else last, urls[k:k + count]))
        k += count
    assert k == len(urls), (k, len(urls))
    top = struct.unpack_from("<QII", data, 240 + 16 * (levels - 1))
    return out, top[0] + top[2] // 2 if levels > 1 else None


def urls_of(lines):
    return [json.loads(l.split(b" ", 2)[2])["url"] for l in lines if l]


def cdxj_blocks(data, _):
    out = []
    for i in range(0, len(data), STRETCH):
        begin = 0 if i == 0 else data.index(b"\n", i) + 1
        end = data.find(b"\n", min(i + STRETCH, len(data) - 1)) + 1
        out.append((begin, end - begin, urls_of(data[begin:end].split(b"\n"))))
    return out, None


def zipnum_blocks(d):
    out = []
    for l in open(d + "/cluster.idx"):
        f = l.rstrip("\n").split("\t")
        off, n = int(f[2]), int(f[3])
        shard = d + "/" + f[1] + ("" if f[1].endswith(".gz") else ".gz")
        with open(shard, "rb") as s:
            s.seek(off)
            lines = gzip.decompress(s.read(n)).split(b"\n")
        out.append((shard, off, n, urls_of(lines)))
    return out


def pbtree_blocks(data, urls):
    size, n = struct.unpack_from("<II", data)
    out, k = [], 0
    for begin in range(8 + n * size, len(data), size):
        at, count = begin, 0
        while at < begin + size and data[at] != 0:
            at = data.index(0, at) + 1 + 32
            count += 1
        out.append((begin, size, urls[k:k + count]))
        k += count
    assert k == len(urls)
    return out, 8 + size // 100


# ---- damage ------------------------------------------------------------------

def chosen(n, damage):
    assert n >= 4, "only %d blocks" % n
    return {"first": [0], "middle": [n // 2], "last": [n - 1],
            "two": [n // 2 - 1, n // 2], "inner": [], "head": [n // 2],
            "heads": [1, n // 2], "swapped": [n // 4, 3 * n // 4]}[damage]


def flip(data, at):
    data[at] ^= 0x55


def spoil(path, fmt, damage, blocks, top):
    """Damages the file; returns the URLs that cannot be read then."""
    data = bytearray(open(path, "rb").read())
    lost = []
    for i in chosen(len(blocks), damage):
        off, n, urls = blocks[i]
        lost += urls
        if damage == "swapped":     # with the other one
            continue
        if fmt == "cdxj":           # a key that is not in order
            at = data.index(b"\n", off + n // 2) + 1
            data[at] = ord("~")
        elif fmt == "pbtree":
            data[off] = 0xff
        elif damage in ("head", "heads"):   # its number of entries
            flip(data, off + 10)
        else:
            flip(data, off + n // 2)
    if damage == "inner":
        flip(data, top)
    if damage == "swapped":
        (a, n, _), (b, _, _) = [blocks[i] for i in chosen(len(blocks), damage)]
        data[a:a + n], data[b:b + n] = data[b:b + n], data[a:a + n]
    with open(path, "wb") as f:
        f.write(data)
    return lost


def remove(path):
    shutil.rmtree(path, ignore_errors=True)
    if os.path.exists(path):
        os.unlink(path)


def prepare(fmt, damage, d):
    """Copies an index, damaged, to d/x; returns the source, options, URLs that
    are right, and URLs that are lost."""
    base, all_urls, options = d, URLS, []
    if fmt == "zipnum":
        remove(d + "/x")
        shutil.copytree(d + "/zipnum", d + "/x")
        blocks, lost = zipnum_blocks(d + "/x"), []
        for i in chosen(len(blocks), damage):
            shard, off, n, urls = blocks[i]
            data = bytearray(open(shard, "rb").read())
            flip(data, off + n // 2)
            open(shard, "wb").write(data)
            lost += urls
        return d + "/x", ["--data=" + d], URLS, lost
    name = {"union": "even.cfx", "both": "even.cfx", "part": "cfx",
            "pick": "cfx", "pbtree": "p/pbtree"}.get(fmt, fmt)
    urls = URLS[::2] if fmt in ("union", "both") else URLS
    x = d + ("/p/x" if fmt == "pbtree" else "/x")
    remove(x)
    shutil.copyfile(d + "/" + name, x)
    data = open(x, "rb").read()
    how = {"cdxj": cdxj_blocks, "pbtree": pbtree_blocks}.get(fmt, cfx_blocks)
    lost = spoil(x, fmt, damage, *how(data, urls))
    if fmt == "union":
        return x + "," + d + "/odd.cfx", ["--data=" + d], URLS, lost
    if fmt == "both":       # members that are damaged alike
        shutil.copyfile(d + "/odd.cfx", d + "/y")
        blocks = cfx_blocks(open(d + "/y", "rb").read(), URLS[1::2])
        lost += spoil(d + "/y", fmt, damage, *blocks)
        return x + "," + d + "/y", ["--data=" + d], URLS, lost
    if fmt == "part":       # the first half, by its own word
        options = ["--part=1/2"]
    if fmt == "pick":
        options = ["--status=200", "--mime=text/html"]
    if fmt == "pbtree":
        base = d + "/p"
    return x, ["--data=" + base] + options, all_urls, lost


# ---- readers -----------------------------------------------------------------

class Case:
    def __init__(self, fmt, damage, crawlfs, d):
        self.fmt, self.damage, self.crawlfs, self.d = fmt, damage, crawlfs, d
        self.source, self.options, urls, lost = prepare(fmt, damage, d)
        self.lost = set(lost)
        if fmt == "part":
            urls = self.part_of(urls)
        self.all, self.good = urls, [u for u in urls if u not in self.lost]

    def part_of(self, urls):
        """A part ends at a key: the whole part, told from the undamaged
        index."""
        out = self.run("lookup", "--data=" + self.d, "--part=1/2",
                       self.d + "/cfx", "/").stdout
        last = urls_of(out.splitlines())[-1]
        return urls[:urls.index(last) + 1]

    def run(self, *args):
        return subprocess.run([self.crawlfs, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)

    def status(self, r, good=None, failed=1):
        """Nothing is lost where only a block above the leaves is damaged, or
        where the part that is read has no damaged block."""
        is_hit = len(good or self.good) < len(self.all)
        want = failed if is_hit else 0
        assert r.returncode == want, "status %d, right is %d: %s" % (
            r.returncode, want, r.stderr[-300:])
        if is_hit:
            err = r.stderr.decode()
            names = self.source.split(",")
            for name in names if self.fmt == "both" else names[:1]:
                # an offset of 0 is not written
                assert re.search(os.path.basename(name) +
                                 r"\S*: (offset \d+|gzip data)", err), err

    def same(self, got, r, good=None):
        self.status(r, good)
        good = good or self.good
        assert len(got) == len(set(got)), "something is there twice"
        assert set(got) == set(good), "%d, right is %d; e.g. %s" % (
            len(got), len(good), sorted(set(got) ^ set(good))[:3])

    def export(self, *more):
        r = self.run("export", "-q", "--fields=url,error", *self.options, *more,
                     self.source)
        rows = [json.loads(l) for l in r.stdout.splitlines()]
        self.same([x["url"] for x in rows if "error" not in x], r)
        bad = sum("error" in x for x in rows)
        blocks = {"inner": 0, "two": 2}.get(self.damage, 1)
        blocks *= 2 if self.fmt == "both" else 1
        assert bad == blocks or self.fmt == "part", "%d rows of damage" % bad

    def rows(self):
        self.export("--order=index")

    def sorted_rows(self):
        if self.fmt == "part":      # another part: rows are divided
            return
        self.export("--order=archive")

    def hosts(self):
        """Each host by its name, which may lie in the damaged block alone."""
        if self.fmt == "part":
            return
        names = ",".join("com.example.h%02d" % i for i in range(HOSTS))
        r = self.run("export", "-q", "--fields=url,error", *self.options,
                     self.source, names)
        rows = [json.loads(l) for l in r.stdout.splitlines()]
        self.same([x["url"] for x in rows if "error" not in x], r)

    def places(self):
        """Rows by the numbers of blocks: these know no wrong place."""
        r = self.run("export", "-q", "--fields=url", *self.options, self.source)
        got = [json.loads(l)["url"] for l in r.stdout.splitlines()]
        assert sorted(got) == sorted(self.all), len(got)

    def lookup(self):
        r = self.run("lookup", *self.options, self.source, "/")
        self.same(urls_of(r.stdout.splitlines()), r)

    def summary(self):
        r = self.run("summary", "--json", *self.options, self.source)
        n = json.loads(r.stdout)["captures"]
        self.status(r)
        assert n == len(self.good), "%d, right is %d" % (n, len(self.good))

    def grep(self):
        """The text of a page is its URL."""
        r = self.run("grep", "-h", "http", *self.options, self.source)
        got = r.stdout.decode().split()
        self.status(r, failed=2)
        assert sorted(got) == sorted(self.good), "%d, right is %d" % (
            len(got), len(self.good))

    def check(self):
        r = self.run("check", "--json", *self.options, self.source, "/")
        self.status(r)
        assert json.loads(r.stdout)["captures"] == len(self.good)

    def verify(self):
        self.status(self.run("verify", "-q", *self.options, self.source))

    def copy(self):
        kind = "arc" if self.fmt == "pbtree" else "warc"
        out = self.d + "/copy.%s.gz" % kind
        r = self.run("copy", "-q", "--force", "-o", out, *self.options,
                     self.source, "/")
        self.status(r)
        got = re.findall({"warc": r"^WARC-Target-URI: (http\S+)",
                          "arc": r"^(http://\S+) 1\.2"}[kind],
                         gzip.open(out, "rt").read(), re.M)
        os.unlink(out)
        assert sorted(got) == sorted(self.good), "%d records, right is %d" % (
            len(got), len(self.good))

    def index(self, *how):
        if self.fmt == "part":      # index has parts of its own
            return
        sources = [s + "/cluster.idx" if os.path.isdir(s) else s
                   for s in self.source.split(",")]
        out = self.d + "/new"
        options = [o for o in self.options if not o.startswith(("--data",
                                                                "--part"))]
        r = self.run("index", "-q", *how, *options, "-o", out, *sources)
        try:
            n = self.run("lookup", "--data=" + self.d, out, "/").stdout
            # an input is not sorted: its lines are in no wrong order
            self.same(urls_of(n.splitlines()), r,
                      self.all if self.fmt == "cdxj" else self.good)
        finally:
            remove(out)

    def cdxj(self):
        self.index("--format=cdxj")

    def zipnum(self):
        self.index("--format=zipnum")

    def pbtree(self):
        self.index("--format=pbtree")

    def cfx(self):
        self.index()

    def joined(self):
        """Revisits of another index have the pages that they refer to, behind
        the damage too; those of lost pages have an error."""
        out = self.d + "/new"
        self.status(self.run("index", "-q", "-o", out, self.source,
                             self.d + "/again.cfx"))
        r = self.run("export", "-q", "--fields=url,text,error", out)
        os.unlink(out)
        rows = [json.loads(l) for l in r.stdout.splitlines()]
        got = {x["url"]: None if "error" in x else x["text"].strip()
               for x in rows}
        want = {u: u for u in self.good}
        want.update((u + "?again", None if u in self.lost else u)
                    for u in self.all)
        wrong = [u for u in want if got.get(u, "") != want[u]]
        assert len(got) == len(want) and not wrong, "%d rows, right is %d; " \
            "%d are wrong, e.g. %s" % (len(got), len(want), len(wrong),
                                       [(u, got.get(u, "")) for u in wrong[:2]])

    def refused(self):
        """How many entries each of two blocks had is not known: what the ids
        behind them belong to is not, either."""
        out = self.d + "/new"
        r = self.run("index", "-q", "-o", out, self.source)
        assert r.returncode == 1 and not os.path.exists(out), r.stderr
        assert b"cannot be merged" in r.stderr, r.stderr

    def ls(self):
        r = self.run("ls", "-R", "--views=raw", *self.options, self.source)
        got = [l for l in r.stdout.decode().splitlines()
               if not l.endswith("/")]
        self.same([url_of(p) for p in got], r)

    def serve(self):
        """Answers are whole, or say what cannot be read, or break off; then
        they have what there is."""
        p = subprocess.Popen([self.crawlfs, "serve", "--listen=127.0.0.1:0",
                              *self.options, self.source], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            top = p.stdout.readline().split()[-1]
            hosts = sorted(set(map(host_of, self.all)))
            n_right = 0
            for host in hosts:
                want = {u for u in self.all if host_of(u) == host}
                right = want <= set(self.good)
                name = "/".join(reversed(host.split("."))) + "/_/"
                good = want & set(self.good)
                for path in ("cdx?url=http://%s/*" % host,
                             "search?q=http://%s/*" % host, "dav/" + name,
                             "tree/" + name, "view/" + name):
                    whole, text = fetch(top + path, "PROPFIND" if path[0] == "d"
                                        else "GET")
                    assert not whole or right, path + " looks whole"
                    n_right += whole
                    missing = [u for u in good if u[24:] not in text]
                    assert not missing, "%s lacks %d" % (path, len(missing))
                    if path[0] in "cs":
                        assert not any(u[24:] in text for u in want - good)
            assert n_right > len(hosts), "%d answers are whole" % n_right
            whole, text = fetch(top + "cdx?url=*.example.com")
            assert not whole
            assert text.count("\n") == len(self.good), text.count("\n")
        finally:
            p.terminate()
            p.communicate()

    def mount(self):
        """The listing of a mount on d/m: what find prints."""
        r = subprocess.run(["find", self.d + "/m", "-type", "f"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        got = [url_of(p[len(self.d) + 3:])
               for p in r.stdout.decode().splitlines()]
        assert len(got) == len(set(got)), "a name is there twice"
        assert set(got) <= set(self.all)
        missing = [u for u in self.good if u not in set(got)]
        assert not missing, "%d names are missing: %s" % (len(missing),
                                                          missing[:3])
        is_hit = len(self.good) < len(self.all)
        assert r.returncode == (1 if is_hit else 0), r.stderr[-300:]
        for u in self.good[::97]:   # what is listed is right, or EIO
            try:
                body = open(self.d + "/m/" + path_of(u), "rb").read()
                assert body == b"<p>" + u.encode(), u
            except OSError as e:
                assert e.errno == 5 and is_hit, e


def fetch(url, method="GET"):
    """Is the answer whole, and its text."""
    request = urllib.request.Request(url, method=method, headers={"Depth": "1"})
    try:
        with urllib.request.urlopen(request, timeout=60) as r:
            return True, r.read().decode()
    except urllib.error.HTTPError as e:
        text = e.read().decode()
        assert e.code == 502 and re.search("damaged|cannot be read|order",
                                           text), text
    except http.client.IncompleteRead as e:
        text = e.partial.decode()
    return False, text


def host_of(url):
    return url.split("/")[2]


def path_of(url):
    return "/".join(reversed(host_of(url).split("."))) + "/_/" + \
        url.split("/", 3)[3]


def url_of(path):
    host, name = path.split("/_/")
    return "http://%s/%s" % (".".join(reversed(host.split("/"))), name)


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3])
        return
    case = Case(*sys.argv[1:5])
    failed = 0
    for reader in sys.argv[5:]:
        try:
            getattr(case, reader)()
        except AssertionError as e:
            print("%s of %s, %s: %s" % (reader, case.fmt, case.damage, e))
            failed = 1
    put(sys.argv[4] + "/args", [("%s\n%s\n" % (case.source, ",".join(
        o[2:] for o in case.options))).encode()])
    sys.exit(failed)


main()
