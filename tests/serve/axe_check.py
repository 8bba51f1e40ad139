#!/usr/bin/env python3
"""axe_check.py - looks at pages in headless Chromium, with axe-core and a ruler.

    axe_check.py AXE FOLDER URL PATH...
        AXE is axe.min.js; FOLDER is for files of the browser.  Each page is
        opened once, from the server, and looked at light and wide, dark and
        narrow, and at 200 % in forced colours.  Fails if axe finds anything; if
        a page is wider than its window, or much higher than its rows need; if
        names have no room, words of headings are torn, tables are cut off, or
        texts of charts are cut off or lie on each other; if a page was not shown so; or if what
        is broken for one of the ways alone is not found by that one alone.  Of
        long lists, axe sees the first rows, as the others are of the same make.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import sys

from browser import Browser, BrowserFault

LOOK = """(async function () {
  const out = [], page = document.documentElement;
  const bad = (what, of, e) =>
    out.push([what, of, e ? e.outerHTML.slice(0, 200) : ""]);
  const box = e => e.getBoundingClientRect();
  const on = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
                       a.top < b.bottom - 1 && b.top < a.bottom - 1;
  if (page.scrollWidth > page.clientWidth)
    bad("too wide", page.scrollWidth);
  for (const form of document.querySelectorAll("form")) {
    const room = form.parentElement, its = getComputedStyle(room);
    if (box(form).right > box(room).right - parseFloat(its.paddingRight) + 1)
      bad("no room for a form", box(form).right, form);
  }
  for (const chart of document.querySelectorAll("svg")) {
    const all = [...chart.querySelectorAll("text")].filter(t => box(t).width);
    all.forEach((t, i) => {
      if (box(t).left < box(chart).left - 1 ||
          box(t).right > box(chart).right + 1)
        bad("cut off", t.textContent, t);
      if (all.some((u, k) => k < i && on(box(t), box(u))))
        bad("on each other", t.textContent, t);
    });
  }
  for (const th of document.querySelectorAll("thead th:not(:has(.quiet))")) {
    const words = document.createRange();
    words.selectNodeContents(th);
    const lines = new Set([...words.getClientRects()].map(r => r.top));
    if (lines.size > th.textContent.trim().split(/\\s+/).length)
      bad("a torn word", th.textContent, th);
  }
  for (const folded of document.querySelectorAll("details"))
    folded.open = true;
  for (const wide of document.querySelectorAll(".wide"))
    if (wide.scrollWidth > wide.clientWidth + 1)
      bad("a table that is cut off", wide.scrollWidth, wide);
  const rows = document.querySelectorAll("#entries tbody tr");
  for (const row of rows)
    if (box(row.querySelector("th")).width < 120)
      bad("no room for names", box(row.querySelector("th")).width, row);
  if (rows.length > 0 && page.scrollHeight > 130 * rows.length + 1500)
    bad("too high", page.scrollHeight);
  const found = await axe.run(
    {exclude: [["tbody tr:nth-child(n+12)"], ["li:nth-child(n+12)"]]},
    {iframes: false, rules: {"target-size": {enabled: true},
                             "color-contrast-enhanced": {enabled: true}}});
  for (const v of found.violations)
    out.push([v.id, v.nodes.length, v.nodes[0].html.slice(0, 200),
              v.nodes[0].failureSummary]);
  const is = what => matchMedia("(" + what + ")").matches;
  return [found.passes.length, out, [is("prefers-color-scheme: dark"),
          is("forced-colors: active"), devicePixelRatio]];
})()"""

# The width of the window in its own pixels, dark, in forced colours, zoom.  A
# window of 1280 pixels has 640 at 200 %.
WAYS = {"light": (1200, False, False, 1), "dark": (320, True, False, 1),
        "forced colours, 200 %": (640, False, True, 2)}


# What breaks a page for one way.
BROKEN = {
    "light": "@media (prefers-color-scheme: light) and (forced-colors: none) "
             "{ h1 { color: #ddd; } }",
    "dark": "@media (prefers-color-scheme: dark) { h1 { color: #333; } }",
    "forced colours, 200 %": "@media (forced-colors: active) { h1 { color: "
                             "#ddd; background: #fff; "
                             "forced-color-adjust: none; line-height: 2; } }",
}


def look(browser, width, is_dark, is_forced, zoom):
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=zoom, mobile=False)
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme",
         "value": "dark" if is_dark else "light"},
        {"name": "forced-colors",
         "value": "active" if is_forced else "none"}])
    got = browser.value(LOOK)
    if got is None:
        return [["no answer of axe"]]
    passes, bad, shown = got
    if shown != [is_dark, is_forced, zoom]:
        bad.append(["not shown so", shown])
    return bad if passes > 10 else bad + [["few checks", passes]]


def look_at_broken(browser):
    """Faults of this check: it sees the page that is open, and good, broken."""
    for way, style in BROKEN.items():
        browser.value("document.adoptedStyleSheets = [new CSSStyleSheet()];"
                      "document.adoptedStyleSheets[0].replaceSync('%s')" % style)
        seen = [w for w, how in WAYS.items() if look(browser, *how)]
        if seen != [way]:
            yield "broken for %s: seen by %s" % (way, seen)


def main(axe, folder, url, *paths):
    with open(axe, encoding="utf-8") as f:
        script = f.read()
    faults = 0
    with Browser(folder) as browser:
        for path in paths:
            browser.open_until(
                url.rstrip("/") + path,
                lambda: browser.value("document.readyState === 'complete' && "
                                      "!document.querySelector("
                                      "'meta[http-equiv=refresh]')"), path)
            browser.call("Runtime.evaluate", expression=script)
            for way, how in WAYS.items():
                for bad in look(browser, *how):
                    faults += 1
                    print("%s, %s: %s" % (path, way, bad))
        for bad in [] if faults else look_at_broken(browser):
            faults += 1
            print(bad)
    return faults > 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except BrowserFault as fault:
        sys.exit(str(fault))
