"""memento_check.py - /web/ of crawlfs serve, by the rules of RFC 7089.

    memento_check.py make FILE...       WARCs that share the captures below
    memento_check.py rules URL [FOLDER] what RFC 7089 and the manual say; FOLDER/
                                        is the crawl of the last capture
    memento_check.py clients URL        clients of PyPI; the server has the
                                        --base-url https://web.archive.org/

SPDX-License-Identifier: GPL-3.0-or-later
"""
import datetime
import email.utils
import gzip
import http.client
import json
import re
import sys
import urllib.parse
import zlib

UTC = datetime.timezone.utc
GZIP = b"\x1f\x8b"
MANY = 10050
PAGE = 10000


def at(text):
    return datetime.datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


def stamp(time):
    return time.strftime("%Y%m%d%H%M%S")


# time, URL, status, body
HOME = [
    ("20190101000000", "http://example.com/", 200, b"first"),
    ("20200601120000", "https://www.example.com/", 200, b"second"),
    ("20210304050607", "http://example.com", 404, b"third, an error"),
    ("20210304050607", "https://example.com/", 200, b"of the same second"),
    ("20220304050607", "http://example.com/", 200, b"last"),
]
ODD = [
    ("20220101000000", "http://example.com/q?a=1&b=2", 200, b"a query"),
    ("20220101000000", "http://example.com/q?a=<x>%20\"y\"", 200, b"odd"),
    ("20220101000000", "http://example.com/\u00e9#part", 200, b"accent"),
    ("20220101000000", "http://example.com/web/2019/http://x.org/", 200,
     b"an address in an address"),
]
# (..., the field Location); what each leads to, and the times of that
MOVED = [
    ("20200101000000", "http://old.example/", 301, b"moved",
     "http://new.example/a?b=1#part"),
    ("20230101000000", "http://new.example/a?b=1", 200, b"where it is now"),
    ("20200101000000", "http://old.example/chain", 308, b"", "/"),
    ("20200101000000", "http://old.example/gone", 307, b"g",
     "//nowhere.example/\u00e9 <"),
    # to the same page: by https, and with a slash
    ("20200101000000", "http://same.example/s", 302, b"s",
     "https://same.example/s"),
    ("20200101000000", "http://same.example/dir", 301, b"", "/dir/"),
    ("20200101000007", "https://same.example/s", 200, b"by https"),
    ("20200101000007", "http://same.example/dir/", 200, b"a folder"),
    # with a cookie it is itself, in the same second
    ("20200101000000", "http://same.example/c", 302, b"c", "/c"),
    ("20200101000000", "http://same.example/c", 200, b"with a cookie"),
    # to nothing else, and to nothing that is an address
    ("20200101000000", "http://same.example/self", 302, b"self", "/self"),
    ("20200101000000", "http://same.example/js", 302, b"js",
     "javascript:alert(1)"),
    ("20200101000000", "http://same.example/no-host", 302, b"js", "http://"),
    ("20200101000000", "http://same.example/long", 302, b"js",
     "http://same.example/" + "<" * 4000),
    ("20200101000000", "http://same.example/none", 302, b"none", ""),
    ("20200101000000", "http://same.example/304", 304, b"kept", "/s"),
    ("20200101000000", "http://same.example/1", 302, b"circle", "/2"),
    ("20200101000000", "http://same.example/2", 302, b"circle", "/1"),
]
LEADS = {
    "old.example/": ("/web/20200101000000%s/http://new.example/a?b=1#part",
                     b"where it is now"),
    "old.example/chain": ("/web/20200101000000%s/http://old.example/",
                          b"where it is now"),
    "old.example/gone": ("/web/20200101000000%s/http%%3A%%2F%%2F"
                         "nowhere.example%%2F%%C3%%A9%%20%%3C", None),
    "same.example/s": ("/web/20200101000007%s/https://same.example/s",
                       b"by https"),
    "same.example/dir": ("/web/20200101000007%s/http://same.example/dir/",
                         b"a folder"),
    "same.example/1": ("/web/20200101000000%s/http://same.example/2", None),
    "same.example/2": ("/web/20200101000000%s/http://same.example/1", None),
}
# What they are captured with is cut off (the gzip coding of the body; the member
# of the last record of a file), and is sent as far as it goes.
CUT = [
    ("20200101000000", "http://cut.example/coding", 301, b"\x1f\x8b\x08\0\0",
     "http://new.example/a?b=1"),
    ("20200101000000", "http://cut.example/self", 302, b"\x1f\x8b\x08\0\0",
     "/self"),
    ("20200101000000", "http://cut.example/member", 308, bytes(range(256)) * 40,
     "http://new.example/a?b=1"),
]
LONG = [
    ("20220101000000", "http://example.com/" + "a" * 4000, 200, b"long"),
    ("20220101000000", "http://example.com/" + "<" * 1300, 200, b"escaped"),
]
ROWS = HOME + ODD + LONG + MOVED
TIMES = [stamp(at("20100101000000") + datetime.timedelta(minutes=i))
         for i in range(MANY)]


def record(time, url, status, body, to=""):
    http_block = (b"HTTP/1.1 %d X\r\nContent-Type: text/html\r\n%s"
                  b"%sContent-Length: %d\r\n\r\n" % (
                      status, b"Location: %s\r\n" % to.encode() if to else b"",
                      b"Content-Encoding: gzip\r\n" * body.startswith(GZIP),
                      len(body))) + body
    when = at(time).strftime("%Y-%m-%dT%H:%M:%SZ")
    return gzip.compress(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: %s\r\n"
        b"WARC-Target-URI: %s\r\nWARC-Record-ID: <urn:x:%d>\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n" %
        (when.encode(), url.encode(), zlib.crc32((time + url + str(status)).encode()),
         len(http_block), http_block), 1)


def make(paths):
    rows = ROWS + [(t, "http://many.example/", 200, t.encode()) for t in TIMES]
    for i, path in enumerate(paths):
        with open(path, "wb") as f:
            for row in rows[i::len(paths)] + CUT[:-1] * (i == 0):
                f.write(record(*row))
            if i == 0:
                f.write(record(*CUT[-1])[:-300])


# ---- asking ---------------------------------------------------------------

class Reply:
    def __init__(self, base, target, fields=None, method="GET"):
        where = urllib.parse.urlsplit(base)
        c = http.client.HTTPConnection(where.netloc, timeout=60)
        c.request(method, target, headers=fields or {})
        r = c.getresponse()
        self.target, self.status, self.fields = target, r.status, r.headers
        self.body = r.read()
        c.close()

    def field(self, name):
        return ", ".join(self.fields.get_all(name) or [])

    def links(self):
        return parse_links(self.field("Link"))


def parse_links(text):
    """RFC 8288, for values without odd quotes: [(target, {name: value})]."""
    out = []
    for target, rest in re.findall(r'<([^>]*)>((?:\s*;\s*[a-z]+="[^"]*")*)',
                                   text):
        out.append((target, dict(re.findall(r'([a-z]+)="([^"]*)"', rest))))
    whole = re.sub(r'<[^>]*>(\s*;\s*[a-z]+="[^"]*")*', "", text)
    assert not whole.strip(", \n"), whole
    return out


def by_rel(links, rel):
    return [(t, p) for t, p in links if rel in p["rel"].split()]


def check(ok, *what):
    if not ok:
        sys.exit("memento_check: " + " ".join(map(repr, what)))


def path_of(address, base):
    check(address.startswith(base), address, "is not an address of", base)
    return "/" + address[len(base):]


def is_date_of(text, time):
    return email.utils.parsedate_to_datetime(text) == at(time)


# ---- the rules ------------------------------------------------------------

def nearest(rows, moment):
    """The earlier of two that are equally near."""
    return min(rows, key=lambda r: (abs(at(r[0]) - moment), r[0]))


def check_memento(base, address, row, rows):
    """4.2: a Memento, with its links (2.2)."""
    r = Reply(base, path_of(address, base))
    check(r.status == (row[2] if row[2] >= 400 else 200), address, r.status)
    check(r.body == row[3], address, r.body)
    check(is_date_of(r.field("Memento-Datetime"), row[0]), address)
    links = r.links()
    check(len(by_rel(links, "original")) == 1, address, links)
    check(by_rel(links, "timegate"), address, links)
    check(by_rel(links, "timemap"), address, links)
    for rel, want in (("first", rows[0]), ("last", rows[-1])):
        got = by_rel(links, rel)
        check(len(got) == 1 and is_date_of(got[0][1]["datetime"], want[0]),
              address, rel, got)
    i = rows.index(row)
    for rel, k in (("prev", i - 1), ("next", i + 1)):
        got = by_rel(links, rel)
        if not 0 <= k < len(rows):
            check(not got, address, rel, got)
        else:
            check(len(got) == 1, address, rel, got)
            one = Reply(base, path_of(got[0][0], base))
            check(one.body == rows[k][3], address, rel, one.body)
    policy = r.field("Content-Security-Policy")
    check(policy.startswith("sandbox;"), policy)
    return r


def check_gate(base, url, moment, row):
    fields = {}
    if moment is not None:
        fields["Accept-Datetime"] = email.utils.format_datetime(moment, True)
    r = Reply(base, "/web/" + url, fields)
    check(r.status == 302, url, r.status)
    check("accept-datetime" in r.field("Vary").lower(), r.field("Vary"))
    check(not r.field("Memento-Datetime"), "a TimeGate has a date")
    check(len(by_rel(r.links(), "original")) == 1, r.links())
    check(by_rel(r.links(), "timemap"), r.links())
    to = urllib.parse.urljoin(base, r.field("Location"))
    m = Reply(base, path_of(to, base))
    check(m.body == row[3], url, moment, m.body, row)
    check(is_date_of(m.field("Memento-Datetime"), row[0]), to)


def read_map(base, url, form="link", page=""):
    r = Reply(base, f"/web/timemap/{form}/{page}{url}")
    check(r.status == 200, url, r.status, r.body)
    if form == "json":
        return json.loads(r.body)
    check(r.field("Content-Type") == "application/link-format", r.fields)
    return parse_links(r.body.decode())


def check_map(base, url, rows):
    links = read_map(base, url)
    got = by_rel(links, "memento")
    check(len(got) == len(rows), url, got)
    for (target, p), row in zip(got, rows):
        check(is_date_of(p["datetime"], row[0]), target, p)
        check_memento(base, target, row, rows)
    check(by_rel(got, "first") == got[:1], got)
    check(by_rel(got, "last") == got[-1:], got)
    for rel in "original", "timegate", "self":
        check(len(by_rel(links, rel)) == 1, rel, links)
    j = read_map(base, url, "json")
    check([m["uri"] for m in j["mementos"]["list"]] == [t for t, _ in got], j)
    check(j["mementos"]["first"] == j["mementos"]["list"][0], j)
    check(j["mementos"]["last"] == j["mementos"]["list"][-1], j)
    check(all(m["datetime"] == at(r[0]).strftime("%Y-%m-%dT%H:%M:%SZ")
              for m, r in zip(j["mementos"]["list"], rows)), j)


def check_times(base):
    for text in ("2018", "201901", "20190916", "2019091606", "20200101",
                 "20210101", "99991231"):
        moment = at((text + "0101000000")[:14] if len(text) == 4 else
                    (text + "01000000")[:14] if len(text) == 6 else
                    (text + "000000")[:14])
        row = nearest(HOME, moment)
        for flag in "", "id_", "if_":
            r = Reply(base, f"/web/{text}{flag}/http://example.com/")
            check(r.status == 302, text, r.status)
            to = r.field("Location")
            check(to.startswith(f"/web/{row[0]}{flag}/"), text, to, row)
            check(Reply(base, to).status == (row[2] if row[2] >= 400 else 200),
                  to)
    for moment in (at("20000101000000"), at("20190916060000"),
                   at("20190916060001"), at("20300101000000")):
        check_gate(base, "http://example.com/", moment,
                   nearest(HOME, moment))
    check_gate(base, "http://example.com/", None, HOME[-1])
    check_gate(base, "example.com", None, HOME[-1])
    check_gate(base, "http%3A%2F%2Fexample.com%2F", None, HOME[-1])
    check_gate(base, "http:/example.com/", None, HOME[-1])


def check_many(base):
    links = read_map(base, "http://many.example/")
    first = by_rel(links, "memento")
    more = by_rel(links, "timemap")
    check(len(first) == PAGE and len(more) == 1, len(first), more)
    check(not by_rel(first, "last"), "the first page has the last one")
    r = Reply(base, path_of(more[0][0], base))
    links = parse_links(r.body.decode())
    rest = by_rel(links, "memento")
    check(not by_rel(links, "timemap") and not by_rel(rest, "first") and
          by_rel(rest, "last") == rest[-1:], rest[-1:])
    got = [re.search(r"/web/(\d+)/", t).group(1) for t, _ in first + rest]
    check(got == TIMES, len(got))
    j = read_map(base, "http://many.example/", "json")
    check(len(j["mementos"]["list"]) == PAGE and "last" not in j["mementos"],
          len(j["mementos"]["list"]))
    j = json.loads(Reply(base, path_of(j["pages"]["next"]["uri"], base)).body)
    check([m["uri"] for m in j["mementos"]["list"]] == [t for t, _ in rest],
          len(j["mementos"]["list"]))
    for i in 0, 1, 5000, MANY - 1:
        r = Reply(base, f"/web/{TIMES[i]}id_/http://many.example/")
        check(r.status == 200 and r.body == TIMES[i].encode(), i, r.body)


def follow(base, target):
    """What a client gets in the end; None: nothing, or no end."""
    for _ in range(8):
        r = Reply(base, target)
        if r.status not in (301, 302, 307, 308):
            return r.body if r.status == 200 else None
        target = r.field("Location").partition("#")[0]
    return None


def check_moved(base, folder):
    """4.5.4: a Memento of a redirection."""
    for row in MOVED:
        url = row[1].partition("//")[2]
        for flag in "", "id_":
            r = Reply(base, f"/web/{row[0]}{flag}/{row[1]}",
                      {"Range": "bytes=0-0", "If-None-Match": "*"}
                      if url in LEADS and len(row) > 4 else None)
            check(is_date_of(r.field("Memento-Datetime"), row[0]), row)
            if len(row) > 4 and url in LEADS:
                to, body = LEADS[url]
                check(r.status == row[2] and r.body == row[3], row, r.status)
                check(r.field("Location") == to % flag, r.field("Location"))
                check(r.field("X-Archive-Orig-Location").encode("latin-1") ==
                      row[4].encode(), row)
                check(follow(base, r.target) == body, row)
            else:
                body = b"with a cookie" if url.endswith("/c") else row[3]
                check(r.status == 200 and r.body == body, row, r.status)
                check(not r.field("Location"), row)
    # the page about a capture has a link to where it leads
    r = Reply(base, "/search?q=http://old.example/")
    page = Reply(base, r.field("Location")).body.decode()
    check('Leads to</dt><dd><a href="/search?q=http://new.example/a%3Fb%3D1'
          '%23part&amp;at=20200101000000">http://new.example/a?b=1#part</a>'
          in page, page)
    for row in CUT:
        r = Reply(base, f"/web/{row[0]}/{row[1]}")
        if row[1].endswith("/self"):
            check(r.status == 502 and not r.field("Location"), row, r.status)
        else:
            check(r.status == row[2] and r.field("Location") ==
                  f"/web/20200101000000/{row[4]}", row, r.status)
            check(row[3].startswith(r.body), row)
            check(follow(base, r.target) == b"where it is now", row)
    # pages in a frame
    for path, to in (("old.example/", "new/a%3Fb=1"),
                     ("old.example/chain", "new/a%3Fb=1"),
                     ("old.example/gone", None), ("same.example/1", None),
                     ("same.example/self", None)):
        host, _, name = path.partition(".example/")
        if folder:      # as make() deals them out
            folder = ("odd/", "even/")[[r[1] for r in ROWS].index(
                "http://" + path) % 2]
        r = Reply(base, f"/open/{folder}example/{host}/_/{name or '_index'}")
        if to is None:
            check(r.status == 200, path, r.status)
        else:
            host, _, name = to.partition("/")
            check(r.status == 302 and re.search(
                f"/open/([a-z]+/)?example/{host}/_/{re.escape(name)}$",
                r.field("Location")), path, r.status, r.field("Location"))


def check_hostile(base):
    for target, status in (
            ("", 404), ("/", 404), ("//", 404), ("2019/", 404),
            ("*/", 404), ("20191399/http://example.com/", 400),
            ("20190230000000/http://example.com/", 400),
            ("201/http://example.com/", 400),
            ("9" * 400 + "/http://example.com/", 400),
            ("2019xx_/http://example.com/", 302),
            ("2019xxx_/http://example.com/", 404),
            ("2019/http://nothing.example/", 404),
            ("2019/mailto:a@example.com", 404),
            ("2019/http://", 404), ("2019/http://%00/", 404),
            ("2019/http%3A%2F%2Fexample.com%2F%00", 404),
            ("2019/http%3A%2F%2Fexample.com%2Fa%0D%0AX-Bad:%201", 404),
            ("timemap/", 400), ("timemap/link/", 404),
            ("timemap/cdxj/http://example.com/", 400),
            ("timemap/link/0/http://example.com/", 404),
            ("timemap/link/2/http://example.com/", 404),
            ("timemap/link/4294967295/http://example.com/", 404),
            ("timemap/link/99999999999999999999/http://example.com/", 404),
            ("timemap/json/http://nothing.example/", 404),
            ("2019/http://example.com/" + "a" * 4096, 400),
            ("timemap/link/http://example.com/" + "%3C" * 1300, 404)):
        r = Reply(base, "/web/" + target)
        check(r.status == status or status == 404 and r.status == 400,
              target[:80], r.status, r.body[:200])
        check("X-Bad" not in r.fields, target)
    for date in ("nonsense", "Thu, 99 Apr 2020 00:00:00 GMT", "-1", ","):
        r = Reply(base, "/web/http://example.com/", {"Accept-Datetime": date})
        check(r.status == 400, date, r.status)


def rules(base, folder=""):
    check_map(base, "http://example.com/", HOME)
    check_map(base, "www.example.com", HOME)
    for row in ODD:
        url = urllib.parse.quote(row[1], safe="")
        check_map(base, url, [row])
        check_gate(base, url, None, row)
    check_times(base)
    check_many(base)
    check_moved(base, folder)
    check_hostile(base)
    for row in LONG:
        r = Reply(base, "/web/2019id_/" + urllib.parse.quote(row[1], safe=""))
        check(r.status == 302, row[1][:40], r.status)
        r = Reply(base, r.field("Location"))
        check(r.status == 200 and r.body == row[3], row[1][:40], r.status)
    for route in "/view/", "/page/":
        path = route + folder + "com/example/_/_index"
        r = Reply(base, path)
        check(r.status == 200, path, r.status)
        check(r.field("Memento-Datetime"), path)
        for rel in "original", "timegate", "timemap", "memento":
            check(len(by_rel(r.links(), rel)) == 1, path, rel, r.links())
    r = Reply(base, "/web/http://example.com/", method="HEAD")
    check(r.status == 302 and not r.body, r.status)


# ---- clients --------------------------------------------------------------

def clients(base):
    import requests

    class ToServer(requests.adapters.HTTPAdapter):
        """Sends what is for the Wayback Machine to the server under test."""

        def send(self, request, **kw):
            sent = request.copy()
            where = urllib.parse.urlsplit(request.url)
            sent.headers["Host"] = where.netloc
            sent.url = request.url.replace(
                f"{where.scheme}://{where.netloc}/", base, 1).replace(
                "/cdx/search/cdx?", "/cdx?output=cdx&fl=urlkey,timestamp,"
                "original,mimetype,statuscode,digest,length&", 1)
            r = super().send(sent, **kw)
            r.url, r.request = request.url, request
            return r

    class Original(requests.adapters.HTTPAdapter):
        """Is the site itself, which knows nothing of Memento."""

        def send(self, request, **kw):
            sent = request.copy()
            sent.url = base + "metrics"
            r = super().send(sent, **kw)
            r.url, r.request = request.url, request
            return r

    plain = requests.Session.__init__

    def init(self, *a, **kw):
        plain(self, *a, **kw)
        self.mount("https://web.archive.org/", ToServer())
        self.mount("http://example.com/", Original())
    requests.Session.__init__ = init

    from wayback import Mode, WaybackClient, WaybackSession
    c = WaybackClient(WaybackSession(retries=0))
    c.session.mount("https://web.archive.org/", ToServer())
    found = list(c.search("http://example.com/"))
    check([stamp(r.timestamp) for r in found] == [r[0] for r in HOME], found)
    for record_, row in zip(found, HOME):
        m = c.get_memento(record_, mode=Mode.original)
        check(m.content == row[3] and stamp(m.timestamp) == row[0], row,
              m.content)
        check(m.status_code == row[2], row, m.status_code)
        check(m.url == row[1], row, m.url)
        check(len(m.links) >= 6, row, m.links)
    m = c.get_memento("http://example.com/", timestamp="20200101000000",
                      mode=Mode.original, exact=False,
                      target_window=86400 * 1000)
    check(m.content == HOME[1][3], m.content)

    # redirections, which it follows
    m = c.get_memento("http://old.example/chain", timestamp=MOVED[0][0],
                      mode=Mode.original, exact_redirects=False,
                      target_window=86400 * 2000)
    check(m.content == b"where it is now" and m.url == MOVED[1][1], m.url,
          m.content)
    check([h.url for h in m.history] ==
          ["http://old.example/chain", "http://old.example/"], m.history)
    m = c.get_memento("http://old.example/", timestamp=MOVED[0][0],
                      mode=Mode.original, follow_redirects=False)
    check(m.status_code == 301 and m.content == b"moved", m.status_code)

    from waybackpy import WaybackMachineCDXServerAPI
    a = WaybackMachineCDXServerAPI("http://example.com/", "crawlfs's test")
    got = [s.archive_url for s in a.snapshots()]
    check(got == [f"https://web.archive.org/web/{r[0]}/{r[1]}" for r in HOME],
          got)
    check(a.near(year=2020, month=5).timestamp == HOME[1][0], "near")
    check(a.oldest().timestamp == HOME[0][0], "oldest")
    check(a.newest().timestamp == HOME[-1][0], "newest")

    # asks the original for its TimeGate first, then this one
    from memento_client import MementoClient
    gate = MementoClient(timegate_uri="https://web.archive.org/web/",
                         check_native_timegate=False,
                         session=requests.Session())
    info = gate.get_memento_info("http://example.com/",
                                 datetime.datetime(2020, 5, 1))
    check(info["mementos"]["closest"]["datetime"] ==
          at("20200601120000").replace(tzinfo=None), info)
    check(info["mementos"]["closest"]["http_status_code"] == 200, info)
    check(set(info["mementos"]) >= {"first", "last", "closest"}, info)


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2:])
    elif sys.argv[1] == "rules":
        rules(*sys.argv[2:])
    else:
        clients(sys.argv[2])


main()
