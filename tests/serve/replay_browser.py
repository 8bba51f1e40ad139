#!/usr/bin/env python3
"""replay_browser.py - replayed pages, seen in headless Chromium.

    replay_browser.py FOLDER pywb URL FILES,OTHER... SITE...
        URL is one of pywb with these collections of the same captures.  Pages
        of each must give the same pictures, and must have loaded the same:
        addresses, statuses, types, bytes.  SITE is made (replay_site.py) or
        iana (a sample of pywb's); what the former shows is known.
    replay_browser.py FOLDER replayweb URL OTHER SECOND...
        URL is a page of replayweb.page's viewer with the site of
        replay_site.py in it.  Its scripts cannot read OTHER, a URL of another
        origin that is there.  Each SECOND is such a page, too, with the same
        picture.

Pictures are left in FOLDER.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import hashlib
import http.client
import os
import re
import sys
import urllib.parse

import browser
import replay_site

# Whether the page of replay_site.py, in whatever frames, has loaded all.
SAYS_DONE = """(function done(root) {
  var e = root.documentElement;
  return (e && e.dataset.done == "yes") ||
    Array.from(root.querySelectorAll("*")).some(function (e) {
      try {
        return (e.shadowRoot && done(e.shadowRoot)) ||
          (e.contentDocument && done(e.contentDocument));
      } catch (error) {
        return false;
      }
    });
})(document)"""
# Whether it and its frames are complete, of which pywb's has a page.
IS_COMPLETE = """(function complete(w) {
  return w.document.readyState == "complete" && w.location != "about:blank" &&
    w.document.fonts.status == "loaded" &&
    Array.from(w.frames).every(complete);
})(window) && window.frames.length > 0"""

# How often a page is looked at before its pictures count as different.
LOOKS = 4

PAGES = {
    "made": [("old", "2020", replay_site.PAGE),
             ("new", "2022", replay_site.PAGE),
             ("again", "2022", replay_site.PAGE + "again.html")],
    "iana": [("home", "2014", "http://www.iana.org/"),
             ("domains", "2014", "http://www.iana.org/domains")],
}


def need(is_so, what):
    if not is_so:
        sys.exit(what)


def need_colours(png):
    """Each thing that the made page loads is seen."""
    seen = browser.colours(png)
    for what, colour in replay_site.COLOURS.items():
        n = seen.get(bytes(colour), 0)
        need(n >= replay_site.SQUARE, "%s: %d pixels" % (what, n))


class Look:
    """A page of a collection: its picture, and what it has loaded of the
    archive, by address without the collection's name."""

    def __init__(self, b, folder, site, page, base):
        name, when, target = page
        self.base, self.b = base + "/", b
        self.collection = base.rpartition("/")[2]
        is_done = SAYS_DONE if site == "made" else IS_COMPLETE
        b.open_until("%s/%s/%s" % (base, when, target),
                     lambda: b.value(is_done) and not b.unanswered(self.base),
                     "%s of %s" % (target, self.collection))
        self.png = b.picture()
        with open(os.path.join(folder, "%s-%s-%s.png" % (
                site, name, self.collection)), "wb") as f:
            f.write(self.png)
        # not those to Chromium itself, which looks for an icon at times
        self.parts = {
            self.address(url): self.part(status, mime, b.body(request))
            for url, request, status, mime in b.answers()
            if url.startswith(self.base) and
            re.match("[0-9]+[a-z][a-z]_/", url[len(self.base):])}

    def address(self, url):
        return url.replace(self.collection, "NAME")

    def part(self, status, mime, body):
        body = body.replace(self.collection.encode(), b"NAME")
        return status, mime, len(body), hashlib.sha1(body).hexdigest()

    def ask(self, address):
        """The same without the browser."""
        at = urllib.parse.urlsplit(address.replace("NAME", self.collection))
        con = http.client.HTTPConnection(at.netloc, timeout=60)
        con.request("GET", at.path + ("?" + at.query if at.query else ""))
        r = con.getresponse()
        out = self.part(r.status, r.getheader("Content-Type"), r.read())
        con.close()
        return out


def compare(page, one, other):
    """What they have loaded must be equal; how many pixels are not."""
    for address in sorted(set(one.parts) | set(other.parts)):
        pair = [look.parts.get(address) for look in (one, other)]
        if None in pair:
            # what a page does not need at once, a browser begins to load and
            # leaves, as it likes
            pair = [look.ask(address) for look in (one, other)]
        need(pair[0] == pair[1], "%s: %s: %s" % (page, address, pair))
    need(len(set(one.parts) & set(other.parts)) > 6,
         "%s: only %s" % (page, one.parts))
    return browser.differing(one.png, other.png)


def pywb(folder, url, collections, *sites):
    with browser.Browser(folder) as b:
        for site, page in [(s, p) for s in sites for p in PAGES[s]]:
            # on a busy machine a picture may be taken before the last stroke
            for _ in range(LOOKS):
                one, *others = [Look(b, folder, site, page, url + collection)
                                for collection in collections.split(",")]
                n = [compare(page, one, other) for other in others]
                if not any(n):
                    break
            need(not any(n), "%s: %s pixels differ" % (page, n))
            if site == "made":
                need_colours(one.png)
            print("%s, %s: %d answers" % (site, page[0], len(one.parts)))


def replayweb(folder, url, other, *seconds):
    pictures = []
    with browser.Browser(folder, width=1000, height=700) as b:
        for at in (url,) + seconds:
            b.open_until(at, lambda: b.value(SAYS_DONE), "the page in its viewer")
            pictures.append(b.picture())
            with open(os.path.join(folder, "replayweb-%d.png" %
                                   len(pictures)), "wb") as f:
                f.write(pictures[-1])
            need_colours(pictures[-1])
        for where, wanted in (url, "read"), (other, "refused"):
            got = b.value("fetch(%r).then(() => 'read', () => 'refused')" %
                          where)
            need(got == wanted, "%s is %s" % (where, got))
    n = [browser.differing(pictures[0], picture) for picture in pictures[1:]]
    need(not any(n), "%s pixels differ" % n)


if __name__ == "__main__":
    {"pywb": pywb, "replayweb": replayweb}[sys.argv[2]](sys.argv[1],
                                                        *sys.argv[3:])
