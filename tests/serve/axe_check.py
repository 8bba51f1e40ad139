#!/usr/bin/env python3
"""axe_check.py - looks at pages with axe-core in headless Chromium.

    axe_check.py AXE CHROMIUM FOLDER URL PATH...
        AXE is axe.min.js; each page is saved in FOLDER with its style sheet and
        that script in it, and looked at light and wide, or dark and narrow, by
        turns (with AXE_ALL=1 in the environment, both), and at 200 % in forced
        colours.  Fails if axe finds anything, if a page is wider than its
        window, or if it was not shown so.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import html
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request

RUN = """
axe.run(document).then(function (r) {
  var out = r.violations.map(function (v) {
    return [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 200),
            v.nodes[0].failureSummary];
  });
  var page = document.documentElement;
  if (page.scrollWidth > page.clientWidth)
    out.push(["serious", "too wide", page.scrollWidth, "", ""]);
  out.push(matchMedia("(prefers-color-scheme: dark)").matches,
           matchMedia("(forced-colors: active)").matches, devicePixelRatio);
  var pre = document.createElement("pre");
  pre.id = "axe-found";
  pre.textContent = JSON.stringify([r.passes.length, out]);
  document.body.append(pre);
});
"""


def fetch(url):
    """Also the page of a failure."""
    try:
        with urllib.request.urlopen(url, timeout=120) as r:
            return r.read().decode("utf-8")
    except urllib.error.HTTPError as e:
        with e:
            return e.read().decode("utf-8")


# The width of the window in its own pixels, dark, in forced colours, zoom.  A
# window of 1280 pixels has 640 at 200 %.
WAYS = {"light": (1200, False, False, 1), "dark": (360, True, False, 1),
        "forced colours, 200 %": (640, False, True, 2)}


def look(chromium, path, width, is_dark, is_forced, zoom):
    command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
               "--hide-scrollbars", "--window-size=%d,900" % width,
               "--virtual-time-budget=30000", "--dump-dom",
               "--user-data-dir=" + path + ".profile"]
    if is_dark:
        command.append("--blink-settings=preferredColorScheme=0")
    if is_forced:
        command.append("--force-high-contrast")
    if zoom > 1:
        command.append("--force-device-scale-factor=%d" % zoom)
    out = subprocess.run(command + ["file://" + path], timeout=300,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=False).stdout.decode("utf-8")
    found = re.search('<pre id="axe-found">(.*?)</pre>', out, re.S)
    if found is None:
        return [["", "no answer of axe", 0, out[-300:], ""]]
    passes, bad = json.loads(html.unescape(found.group(1)))
    *bad, dark, forced, ratio = bad
    if not is_forced and (dark, forced, ratio) != (is_dark, False, zoom) or \
            is_forced and (forced, ratio) != (True, zoom):
        bad.append(["", "not shown so", dark, forced, ratio])
    return bad if passes > 10 else [["", "few checks", passes, "", ""]]


def main(axe, chromium, folder, url, *paths):
    with open(axe, encoding="utf-8") as f:
        script = "<script>%s\n%s</script>" % (f.read(), RUN)
    style = "<style>%s</style>" % fetch(url + "style.css")
    faults = 0
    for n, path in enumerate(paths):
        page = fetch(url.rstrip("/") + path)
        page = re.sub('<link rel="stylesheet"[^>]*>', lambda m: style, page)
        page = page.replace("</body>", script + "</body>")
        name = os.path.join(folder, "axe-%d.html" % n)
        with open(name, "w", encoding="utf-8") as f:
            f.write(page)
        for k, (way, how) in enumerate(WAYS.items()):
            if k == 1 - n % 2 and not os.environ.get("AXE_ALL"):
                continue
            for bad in look(chromium, name, *how):
                faults += 1
                print("%s, %s: %s" % (path, way, bad))
    return faults > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
