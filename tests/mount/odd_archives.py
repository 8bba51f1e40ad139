#!/usr/bin/env python3
"""odd_archives.py KIND FILE - makes an archive with what archives have and no
specification allows, and prints of each page that must be there: its path in
the tree, its time (YYYYMMDDhhmmss, UTC) and its body as JSON, a tab between.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import gzip
import hashlib
import json
import sys

V1 = "URL IP-address Archive-date Content-type Archive-length"
V2 = ("URL IP-address Archive-date Content-type Result-code Checksum "
      "Location Offset Filename Archive-length")
V2_REST = "text/html 200 12345678901234567890 - 12345678901234 x.arc"
EMPTY = gzip.compress(b"")
NONE = "19700101000000"
pages = []


def page(host, name, time, body):
    pages.append(("%s/_/%s" % ("/".join(reversed(host.split("."))), name),
                  time, body))


def http(body):
    return (b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def arc_record(line, body):
    block = http(body)
    return b"%s %d\n%s\n" % (line.encode(), len(block), block)


def arc_file(version, fields):
    content = ("%d 0 InternetArchive\n%s\n" % (version, fields)).encode()
    rest = "text/plain" if version == 1 else "text/plain 200 - - 0 x.arc"
    return b"filedesc://x.arc 0.0.0.0 20100812000000 %s %d\n%s\n" % (
        rest.encode(), len(content), content)


def arc_dates():
    """Dates of 10 to 18 digits, and dates that are none."""
    dates = [("2012010203", "20120102030000"), ("20120102034", "20120102034000"),
             ("201201020304", "20120102030400"),
             ("2012010203045", "20120102030450"),
             ("20120102030405", "20120102030405"),
             ("201201020304056", "20120102030405"),
             ("201201020304056789", "20120102030405"),
             ("4f8a1c2d", NONE), ("none", NONE), ("20129999999999", NONE)]
    yield arc_file(1, V1)
    for i, (date, time) in enumerate(dates):
        body = b"<html>%s</html>" % date.encode()
        page("dates.example.org", "p%d" % i, time, body)
        yield arc_record("http://dates.example.org/p%d 1.2.3.4 %s text/html"
                         % (i, date), body)


def arc_versions():
    """Version 1 records under a version 2 field line."""
    day = "20120102030405"
    lines = [("v1", "1.2.3.4 %s text/html" % day, day),
             ("v2", "1.2.3.4 %s %s" % (day, V2_REST), day),
             ("v1-short", "1.2.3.4 2012010203 text/html", "20120102030000"),
             ("v2-short", "1.2.3.4 2012010203 " + V2_REST, "20120102030000"),
             ("v2-none", "1.2.3.4 4f8a " + V2_REST, NONE)]
    yield arc_file(2, V2)
    for name, rest, time in lines:
        page("versions.example.org", name, time, name.encode())
        yield arc_record("http://versions.example.org/%s %s" % (name, rest),
                         name.encode())


def warc_record(kind, fields, block):
    head = ["WARC/1.0", "WARC-Type: " + kind,
            "WARC-Record-ID: <urn:uuid:%08d-0000-0000-0000-000000000000>"
            % len(block)] + fields
    return ("\r\n".join(head) + "\r\nContent-Length: %d\r\n\r\n"
            % len(block)).encode("latin-1") + block + b"\r\n\r\n"


def response(url, body, first=" "):
    return warc_record(
        "response", ["WARC-Target-URI:%s%s" % (first, url),
                     "WARC-Date: 2016-12-02T18:03:04Z",
                     "Content-Type: application/http; msgtype=response"],
        http(body))


def warc_dates():
    """Dates in many forms; those not read to their end; and none."""
    dates = [("2024-05-06T07:08:09Z", "20240506070809"),
             ("2024-05-06T07:08:09+02:00", "20240506050809"),
             ("2024-05-06T20:08:09.5-0730", "20240507033809"),
             ("2024-05-06t07:08:09z", "20240506070809"),
             ("2024-05-06 07:08:09", "20240506070809"),
             ("2024-05-06T24:00:00Z", "20240507000000"),
             ("2024-05-06T24:00:01Z", "20240506000000"),
             ("2024-127T07:08:09Z", "20240506070809"),
             ("2008-10-294T05:21:46-0700", "20081020122146"),
             ("20240506T070809Z", "20240506070809"),
             ("20240506070809", "20240506070809"),
             ("Mon, 06 May 2024 07:08:09 GMT", "20240506070809"),
             ("1715000000", "20240506125320"),
             ("2024-02-30T07:08:09Z", "20240201000000"),
             ("2024-05-06T07:99:09Z", "20240506070000"),
             ("2024-05-06Tnoon", "20240506000000"),
             ("2024-13-45T99:99:99Z", NONE), ("0000-00-00T00:00:00Z", NONE),
             ("24-05-06", NONE), ("", NONE), (None, NONE)]
    for i, (date, time) in enumerate(dates):
        body = b"<html>%s</html>" % str(date).encode()
        page("dates.example.org", "w%d" % i, time, body)
        yield warc_record(
            "response", ["WARC-Target-URI: http://dates.example.org/w%d" % i] +
            ([] if date is None else ["WARC-Date: " + date]), http(body))


def head_record(name, head, body, stored):
    page("heads.example.org", name, "20161202180304", body)
    return warc_record(
        "response", ["WARC-Target-URI: http://heads.example.org/" + name,
                     "WARC-Date: 2016-12-02T18:03:04Z",
                     "Content-Type: application/http; msgtype=response"],
        head.encode("latin-1") + stored)


def warc_heads():
    """Heads with lines that are no fields, and behind interim responses."""
    fields = ("HTTP/1.1 200 OK\r\n%sContent-Type: text/html\r\n"
              "%sContent-Encoding: gzip\r\n%s\r\n")
    for i, line in enumerate([
            '<strong class="x">h</strong>: y', "<!-- comment -->", "<br>",
            "<html>", "<!DOCTYPE html>", "nothing", ": no name", "\xff\xfe: z"]):
        for at in range(3):
            lines = [line + "\r\n" if k == at else "" for k in range(3)]
            body = b"<html>%d %d</html>" % (i, at)
            yield head_record("l%d%d" % (i, at), fields % tuple(lines), body,
                              gzip.compress(body))
    final = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    for i, before in enumerate([
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100\n\n",
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n",
            "HTTP/1.0 200 Connection established\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"]):
        body = b"<html>behind %d</html>" % i
        yield head_record("i%d" % i, before + final, body, body)
    for i, alone in enumerate(["HTTP/1.1 101 Switching Protocols\r\n\r\n",
                               "HTTP/1.1 200 OK\r\n\r\n"]):
        body = b"\x01\x05hello" if i == 0 else final.encode() + b"a response"
        yield head_record("a%d" % i, alone, body, body)


def with_length(record, change):
    """The record with another Content-Length of its own."""
    head, _, rest = record.partition(b"\r\nContent-Length: ")
    n, _, rest = rest.partition(b"\r\n")
    return b"%s\r\nContent-Length: %d\r\n%s" % (head, int(n) + change, rest)


def warc_lengths(shared=False):
    """Lengths that are too large; between them whole records."""
    records = []
    header = len(response("http://length.example.org/after0", b"").partition(
        b"\r\n\r\n")[0])
    for i, change in enumerate([5, 7, 11, 14, 25, 40, 300, 100000,
                                4 + header]):
        for name, wrong in ("long%d" % i, change), ("after%d" % i, 0):
            body = b"<html>%s</html>" % name.encode()
            page("length.example.org", name, "20161202180304", body)
            records.append(with_length(response(
                "http://length.example.org/" + name, body), wrong))
    inner = response("http://inner.example.org/", b"inner")
    page("length.example.org", "warc", "20161202180304", inner * 3)
    records.append(response("http://length.example.org/warc", inner * 3))
    page("length.example.org", "last", "20161202180304", b"last")
    records.append(with_length(
        response("http://length.example.org/last", b"last"), 9))
    return [b"".join(records)] if shared else records


def warc_lengths_shared():
    return warc_lengths(True)


def warc_counts_separator():
    """Lengths that count the line ends behind the block."""
    for i, n in enumerate((4, 1, 2, 3, 4)):
        body = b"<html>p%d</html>" % i
        page("length.example.org", "p%d" % i, "20161202180304", body)
        yield with_length(
            response("http://length.example.org/p%d" % i, body), n)


def warc_segments():
    """A record that is continued nowhere, and one in one segment."""
    for name, number, total in (("two", 1, None), ("one", 1, 5)):
        body = b"a" * 5
        page("segments.example.org", name, "20161202180304", body)
        yield warc_record(
            "resource", ["WARC-Target-URI: http://segments.example.org/" + name,
                         "WARC-Date: 2016-12-02T18:03:04Z",
                         "Content-Type: text/plain",
                         "WARC-Segment-Number: %d" % number] +
            ([] if total is None else
             ["WARC-Segment-Total-Length: %d" % total]), body)
    yield warc_record(
        "continuation", ["WARC-Target-URI: http://segments.example.org/two",
                         "WARC-Date: 2016-12-02T18:03:04Z",
                         "WARC-Segment-Origin-ID: <urn:uuid:of-another>",
                         "WARC-Segment-Number: 2",
                         "WARC-Segment-Total-Length: 10"], b"b" * 5)


def warc_empty():
    """Empty members in front of the records."""
    yield None
    for i in range(3):
        body = b"page %d" % i
        page("empty.example.org", "p%d" % i, "20161202180304", body)
        yield response("http://empty.example.org/p%d" % i, body)


def warc_folded():
    """Fields whose values begin on their second lines."""
    page("folded.example.org", "p", "20161202180304", b"folded")
    yield response("http://folded.example.org/p", b"folded", "\r\n  ")


def wet_part():
    """Text records without a warcinfo in front, one without a URI."""
    for i, uri in enumerate(["http://wet.example.org/0", None,
                             "http://wet.example.org/2"]):
        text = b"text of page %d\n" % i
        if uri is not None:
            page("wet.example.org", str(i), "20161202180304", text)
        yield warc_record(
            "conversion", (["WARC-Target-URI: " + uri] if uri else []) +
            ["WARC-Date: 2016-12-02T18:03:04Z", "Content-Type: text/plain",
             "WARC-Refers-To: <urn:uuid:9d502ef2-4888-442c-9ca9-%012d>" % i],
            text)


def dated(kind, url, date, fields, block):
    return warc_record(
        kind, ["WARC-Target-URI: " + url, "WARC-Date: " + date] + fields, block)


def warc_revisits():
    """Revisits as browsers' crawlers write them: dates with milliseconds,
    digests whose labels and values are written in another way."""
    host, first = "revisits.example.org", "2023-05-29T02:53:04.800Z"
    for name, has, told in [
            ("sha256", ("sha256:", hexadecimal), ("sha-256:", hexadecimal)),
            ("sha1", ("sha1:", base32), ("SHA-1:", hexadecimal)),
            ("sha1-hex", ("sha1:", hexadecimal), ("sha1:", small_base32))]:
        body = b"body of %s" % name.encode()
        url = "http://%s/%s" % (host, name)
        algorithm = name.split("-")[0]
        page(host, name, "20230529025304", body)
        yield dated("response", url, first, [
            "Content-Type: application/http; msgtype=response",
            "WARC-Payload-Digest: " + has[0] + has[1](algorithm, body)],
                    http(body))
        for how, more in [
                ("uri", ["WARC-Refers-To-Target-URI: " + url,
                         "WARC-Refers-To-Date: " + first]),
                ("digest", [])]:
            page(host, name + "-by-" + how, "20230529025319", body)
            yield dated("revisit", url + "-by-" + how,
                        "2023-05-29T02:53:19.775Z", [
                "Content-Type: application/http; msgtype=response",
                "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
                "identical-payload-digest",
                "WARC-Payload-Digest: " + told[0] + told[1](algorithm, body)]
                + more, b"HTTP/1.1 200 OK\r\n\r\n")
    # what contradicts is no target, whatever else agrees
    page(host, "other", "20230529025319", b"")
    yield dated("revisit", "http://%s/other" % host,
                "2023-05-29T02:53:19.775Z", [
        "Content-Type: application/http; msgtype=response",
        "WARC-Payload-Digest: sha-256:" + hexadecimal("sha256", b"else"),
        "WARC-Refers-To-Target-URI: http://%s/sha256" % host,
        "WARC-Refers-To-Date: " + first], b"HTTP/1.1 200 OK\r\n\r\n")


def typed_urls():
    """URLs as crawlers meet them and people do not type them."""
    for url in (b"http://pasted.example.org/plain",
                b"http://pasted.example.org/kept#part",
                b"http://pasted.example.org/kept",
                b"http://pasted.example.org/a%20b/%C3%A9t%C3%A9?q=%22x%22",
                b"http://pasted.example.org/latin\xe9",
                b"http://pasted.example.org/both\xe9\xc3\xa9",
                b"http://pasted.example.org/utf8\xc3\xa9",
                b"http://pasted.example.org/escaped%E9",
                b"http://*.stars.example.org/page",
                b"http://xn--bcher-kva.example/"):
        yield warc_record("response", [
            "WARC-Target-URI: " + url.decode("latin-1"),
            "WARC-Date: 2020-01-01T00:00:00Z",
            "Content-Type: application/http; msgtype=response"], http(url))


def times():
    """Captures of one page."""
    for date in "2020-01-01", "2010-01-01", "2012-06-15", "2012-06-17":
        yield dated("response", "http://times.example.org/p",
                    date + "T00:00:00Z", [
            "Content-Type: application/http; msgtype=response"],
                    http(date.encode()))


# Archives that end inside the record of a page, for which nothing is made but
# its beginning.

def cut_pages(arc=False):
    noise = hashlib.shake_128(b"odd").hexdigest(100000).encode()
    for name, body in ("whole", b"whole"), ("cut", noise):
        page("cut.example.org", name, "20200101000000", body)
        url = "http://cut.example.org/" + name
        yield arc_record(url + " 1.2.3.4 20200101000000 text/html", body) \
            if arc else dated("response", url, "2020-01-01T00:00:00Z", [
                "Content-Type: application/http; msgtype=response"],
                http(body))


def cut_member():
    return [CutFile(b"".join(map(gzip.compress, cut_pages()))[:-40000])]


def cut_trailer():
    return [CutFile(b"".join(map(gzip.compress, cut_pages()))[:-3])]


def cut_plain():
    return [CutFile(b"".join(cut_pages())[:-40000])]


def cut_plain_arc():
    return [CutFile(arc_file(1, V1) + b"".join(cut_pages(True))[:-40000])]


def cut_shared():
    return [CutFile(gzip.compress(b"".join(cut_pages()))[:-40000])]


def short():
    """A whole member, whose record declares more than it holds."""
    page("cut.example.org", "short", "20200101000000", b"short")
    whole = dated("response", "http://cut.example.org/short",
                  "2020-01-01T00:00:00Z", [
        "Content-Type: application/http; msgtype=response"], http(b"short"))
    head, _, rest = whole.partition(b"\r\nContent-Length: ")
    yield head + b"\r\nContent-Length: 5000" + rest[rest.index(b"\r"):-4]


def bad_checksum():
    """The second of two members has a wrong checksum."""
    whole, wrong = map(gzip.compress, cut_pages())
    del pages[1]
    return [CutFile(whole + wrong[:-8] + bytes([wrong[-8] ^ 1]) + wrong[-7:])]


class CutFile(bytes):
    """The bytes of a file as they are."""


def hexadecimal(name, body):
    return hashlib.new(name, body).hexdigest()


def base32(name, body):
    return base64.b32encode(hashlib.new(name, body).digest()).decode()


def small_base32(name, body):
    return base32(name, body).lower()


def shared_page(name, listed):
    """A page, which the mount is to have if it is listed."""
    body = hashlib.shake_128(name.encode()).hexdigest(20000).encode()
    if listed:
        page("shared.example.org", name, "20200101000000", body)
    return dated("response", "http://shared.example.org/" + name,
                 "2020-01-01T00:00:00Z", [
        "Content-Type: application/http; msgtype=response"], http(body))


def bad_shared(flip):
    """Three members: the middle one, with 40 pages, is damaged."""
    yield CutFile(gzip.compress(shared_page("first", True)))
    member = bytearray(gzip.compress(b"".join(
        shared_page("lost%d" % i, False) for i in range(40))))
    member[flip(len(member))] ^= 0x55
    yield CutFile(bytes(member))
    yield CutFile(gzip.compress(shared_page("last", True)))


def bad_shared_checksum():
    return bad_shared(lambda n: n - 6)


def holds_indexes():
    """Pages whose bodies are what a mount takes for an index or a selection if
    it is a file of its own."""
    lines = ["com,a%03d)/ 20140127171200 http://a%03d.com/ text/html 200 D - - "
             "9 %d d.warc\n" % (i, i, 9 * i) for i in range(200)]
    row = "http://a.com/,a.warc.gz,0,100\n"
    for name, body in (
            ("cdx", " CDX N b a m s k r M S V g\n" + "".join(lines)),
            ("csv", "url,warc_filename,warc_record_offset,warc_record_length\n"
             + row * 200)):
        page("holds.example.org", name, "20161202180304", body.encode())
        yield response("http://holds.example.org/" + name, body.encode())


def bad_shared_data():
    return bad_shared(lambda n: n * 3 // 4)


KINDS = {f.__name__: f for f in (
    arc_dates, arc_versions, warc_dates, warc_heads, warc_lengths,
    warc_lengths_shared, warc_counts_separator, warc_segments, warc_empty,
    warc_folded, wet_part, warc_revisits,
    cut_member, cut_trailer, cut_plain, cut_plain_arc, cut_shared, short,
    bad_checksum, bad_shared_checksum, bad_shared_data, typed_urls, times,
    holds_indexes)}


def main():
    kind, path = sys.argv[1:]
    with open(path, "wb") as f:
        for record in KINDS[kind]():
            if record is None:
                f.write(EMPTY * 3)
            elif isinstance(record, CutFile):
                f.write(record)
            else:
                f.write(gzip.compress(record) if path.endswith(".gz")
                        else record)
    for name, time, body in pages:
        print(name, time, json.dumps(body.decode()), sep="\t")


if __name__ == "__main__":
    main()
