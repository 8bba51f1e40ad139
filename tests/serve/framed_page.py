"""framed_page.py - an archived page in a frame of crawlfs serve, for
pages_check.py.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import html.parser
import re
from urllib.parse import quote

# A page with all that may load, run or lead to elsewhere.
FRAMED = """<!doctype html><html lang=en onload=alert(1)><head>
<title>Framed</title><base href="/a/"><base href="http://evil.example/">
<link rel=stylesheet href="../s.css"><link rel=preconnect href=//evil.example>
<link rel="alternate stylesheet" href=//evil.example/s>
<meta http-equiv=refresh content="0;url=http://evil.example/">
<style>p{background:url( 'b.png' )}q{src:URL(//evil.example/f)}</style>
<script src=//evil.example/s.js>document.title="<p>"</script></head>
<body background=b.png style="background:url(&quot;c.png&quot;)">
<h1 onclick=alert(1) class="x &lt;y&gt;" id=h>Here &lt;script&gt; &amp;</h1>
<img src=d.png srcset="//evil.example/e 2x" onerror=alert(1) alt=d>
<a href=more id=l1>more</a><a href=" http://site.example.com/story"id=l2>s</a>
<a href=nowhere title=mine id=l3>n</a><a href=javascript:alert(1) id=l4>j</a>
<a href="java&#10;script:alert(1)" id=l5>j</a><a href=data:text/html,x id=l6>d
</a><a href="#h" id=l7>h</a><a href='//nowhere.example/"><script>' id=l8>q</a>
<iframe src=//evil.example><p>in frame</p></iframe><embed src=//evil.example>
<object data=//evil.example><p>fallback</p></object><frame src=//evil.example>
<form action=//evil.example><input type=image src=e.png formaction=//evil.example
><button formaction=//evil.example>go</button></form><template><img src=//evil
></template><svg><a xlink:href=//evil.example><title><style></title><script>
alert(1)</script></a><svg></svg></svg><math href=//evil.example><mi>x</mi></math>
<video src=v.mp4 poster=p.png autoplay></video><x-y onload=alert(1)>own</x-y>
<noscript><p title="</noscript><img src=//evil.example>">no</p></noscript>
<textarea></title><script>alert(1)</script></textarea><xmp><b></xmp>
<style></sty</style><plaintext><b>&amp;</plaintext>"""


class Framed(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.all, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.all.append((tag, attrs))

    def handle_data(self, data):
        self.text += data


def check(client, top, need, same):
    """An archived page is shown below a bar, by what is known to be harmless:
    nothing runs, and every address is of this server."""
    place = "%scom/example/play/_/a/framed" % top
    r = client.page("/page/" + place)
    need([e for e in r.below("a", "capture")
          if e[1]["href"] == "/open/" + place], "no way there")
    need("not in this crawl" in "".join(e[2] for e in r.find(
        "li", class_="absent")), "absent links")
    r = client.page("/open/" + place)
    frame = r.find("iframe")[0][1]
    same("the frame", (frame["src"], "allow-scripts" in frame["sandbox"]),
         ("/shown/" + place, False))
    need([e for e in r.find("a") if e[1]["href"] == "/page/" + place], "back")
    answer, body = client.get("/shown/" + place)
    policy = answer.getheader("Content-Security-Policy")
    for part in ("sandbox", "default-src 'none'", "frame-ancestors 'self'",
                 "form-action 'none'", "base-uri 'none'"):
        need(part in policy, policy)
    need("allow-scripts" not in policy and "script-src" not in policy, policy)
    page_ = Framed()
    page_.feed(body.decode())
    page_.close()
    tags = [t for t, _ in page_.all]
    need(not {"script", "iframe", "object", "embed", "form", "svg", "math",
              "base", "meta", "template", "frame", "x-y"} & set(tags), tags)
    for tag, attrs in page_.all:
        for name, value in attrs:
            need(not name.startswith("on") and name not in (
                "srcset", "formaction", "action", "xlink:href", "autoplay",
                "data"), (tag, name))
            if name in ("href", "src", "poster", "background"):
                need(re.match("(/(web|search)|#)", value), (tag, value))
    at = "/web/20190603120000%s_/http://play.example.com/"
    links = {dict(a)["id"]: dict(a) for t, a in page_.all if t == "a"}
    same("of a base", links["l1"]["href"], "/search?open=1&q=http://play."
         "example.com/a/more&at=20190603120000")
    same("absent", [k for k in sorted(links) if "data-crawlfs" in links[k]],
         ["l1", "l3", "l8"])
    same("none", [k for k in sorted(links) if "href" not in links[k]],
         ["l4", "l5", "l6"])
    same("a place", links["l7"]["href"], "#h")
    same("resources", [v for _, a in page_.all for k, v in a
                       if k in ("src", "poster") or v and "s.css" in v], [
        at % "cs" + "s.css"] + [at % "im" + "a/" + v for v in (
            "d.png", "e.png", "v.mp4", "p.png")])
    text = body.decode()
    need('url("%sa/b.png")' % (at % "im") in text, "a picture of a style sheet")
    for part in ("fallback", "own", "Here <script> &", "<b>&amp;"):
        need(part in page_.text, part)
    for link in ("/open/%scom/example/site/_/pic.svg", "/open/%scom/example"):
        same(link, client.get(link % top)[0].status, 301)
    r, _ = client.get("/search?open=1&at=2020&q=" +
                      quote("http://site.example.com/story"))
    same("to another", r.getheader("Location"),
         "/open/%scom/example/site/_/story%%232" % top)
