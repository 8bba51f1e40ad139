#!/usr/bin/env python3
"""cli_tools.py - the program's answers against the manifest, for cli_test.sh.

    cli_tools.py inverse CRAWLFS SOURCE MANIFEST
    cli_tools.py lookup  CRAWLFS SOURCE MANIFEST
    cli_tools.py mounted CRAWLFS SOURCE MOUNT MANIFEST
    cli_tools.py tty     CRAWLFS ARGUMENT...
    cli_tools.py options CRAWLFS SOURCEFOLDER
    cli_tools.py completion CRAWLFS SOURCEFOLDER INDEX

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import pty
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import cdx_model                                                # noqa: E402


def run(args, data=b""):
    p = subprocess.run(args, input=data, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, check=False)
    if p.returncode != 0:
        sys.exit("%r: %d: %r" % (args, p.returncode, p.stderr[-500:]))
    return p.stdout


def unescape(text):
    return re.sub(rb"\\x([0-9a-fA-F]{2})",
                  lambda m: bytes([int(m.group(1), 16)]), text)


def manifest(path, source):
    """Rows that are in the source: a PB-tree holds the ARC ones."""
    arc_only = "url-index" in source
    with open(path, "rb") as f:
        for line in f:
            if line.startswith(b"#"):
                continue
            row = line.rstrip(b"\n").split(b"\t")
            if arc_only and row[1] != b"arc":
                continue
            yield [unescape(row[0])] + row[1:]


def in_tree(url):
    """What can be put into a line of input, and is kept by an index."""
    return (len(url) <= 8000 and b"\n" not in url and b"\0" not in url and
            url.count(b"/") < 900 and
            re.match(rb"(?i)(https?|ftp)://", url) is not None)


def known_urls(crawlfs, source, path):
    urls = sorted({r[0] for r in manifest(path, source) if in_tree(r[0])})
    if len(urls) < 50:
        sys.exit("only %d URLs" % len(urls))
    if "url-index" in source:
        # what a PB-tree's key keeps of a URL
        urls = [u for u in urls if b"#" not in u and not u.endswith(b"?") and
                re.match(rb"(https?|ftp)://[^/?\[:]*(:[^/?:]*)?([/?]|$)", u)]
    return urls


def inverse(crawlfs, source, path):
    urls = known_urls(crawlfs, source, path)
    paths = run([crawlfs, "path", source, "-"],
                b"".join(u + b"\n" for u in urls)).split(b"\n")[:-1]
    back = run([crawlfs, "url", source, "-"],
               b"".join(p + b"\n" for p in paths)).split(b"\n")[:-1]
    if len(paths) != len(urls) or len(back) != len(urls):
        sys.exit("%d URLs, %d paths, %d back" % (len(urls), len(paths), len(back)))
    bad = [(u, p, b) for u, p, b in zip(urls, paths, back) if u != b]
    for row in bad[:5]:
        print(*row, sep="\n    ")
    if len(set(paths)) != len(paths):
        sys.exit("two URLs share a path")
    if bad:
        sys.exit("%d of %d do not come back" % (len(bad), len(urls)))


def json_url(url):
    """As lookup writes it: bytes that are not UTF-8 are percent-escaped."""
    out, i = "", 0
    while i < len(url):
        for n in (1, 2, 3, 4):
            try:
                out += url[i:i + n].decode("utf-8")
                i += n
                break
            except UnicodeDecodeError:
                pass
        else:
            out += "%%%02X" % url[i]
            i += 1
    return out


def lookup(crawlfs, source, path):
    want = {}
    for r in manifest(path, source):
        want[r[4].decode(), int(r[5])] = r
    got = 0
    for line in run([crawlfs, "lookup", source, "/"]).split(b"\n")[:-1]:
        surt, time, text = line.split(b" ", 2)
        row = json.loads(text)
        name = row["filename"]
        if "url-index" in source:
            name = "parse-output/" + name
        r = want.get((name, int(row["offset"])))
        if r is None:
            sys.exit("no such capture: %r" % line)
        if int(row["length"]) != int(r[6]):
            sys.exit("another length: %r" % line)
        if in_tree(r[0]) and row["url"] != json_url(r[0]) and \
                "url-index" not in source:
            sys.exit("another URL: %r, %r" % (line, r[0]))
        if "url-index" not in source:
            if time != r[2]:
                sys.exit("another time: %r, %r" % (line, r[2]))
            if r[1] in (b"arc", b"response") and \
                    row.get("status", "0") != r[3].decode():
                sys.exit("another status: %r, %r" % (line, r[3]))
        if "url-index" not in source and \
                surt != (cdx_model.surt(r[0]) or b"-"):
            sys.exit("another SURT: %r, %r" % (line, cdx_model.surt(r[0])))
        if any(c <= 0x20 or c >= 0x7f for c in surt):
            sys.exit("a bad SURT: %r" % surt)
        got += 1
    if got < 0.95 * len(want):
        sys.exit("%d of %d captures" % (got, len(want)))


def mounted(crawlfs, source, mount, path):
    urls = known_urls(crawlfs, source, path)[::7]
    paths = run([crawlfs, "path", source, "-"],
                b"".join(u + b"\n" for u in urls)).split(b"\n")[:-1]
    for url, p in zip(urls, paths):
        got = run([crawlfs, "url", os.path.join(os.fsencode(mount), p)])
        if got != url + b"\n":
            sys.exit("%r: %r is not %r" % (p, got, url))


def tty(*args):
    os.environ["TERM"] = "xterm"
    sys.exit(os.waitstatus_to_exitcode(pty.spawn(list(args))))


# ---- options: what is taken, and help, manual and completion, agree ----

def helped(crawlfs, cmd):
    """{"-l": "", "--limit": "N", ...} as `cmd --help` tells"""
    out = {}
    for line in run([crawlfs, cmd, "--help"]).decode().split("\n"):
        m = re.match(r" {2,6}(-[a-zA-Z](?:, )?)?(--[a-z-]+(?:=\S+)?)?(?: |$)",
                     line)
        if m and m.group(0).strip():
            name, _, value = (m.group(2) or "").partition("=")
            if m.group(1):
                out[m.group(1).rstrip(", ")] = value
            if name:
                out[name] = value
    return out


def manual(folder):
    """the same of crawlfs(1), by command; "" are those of a SOURCE"""
    out, section, words = {}, None, {}
    with open(os.path.join(folder, "man/crawlfs.1"), encoding="utf-8") as f:
        lines = f.read().split("\n")
    for line in lines:
        if line.startswith(".Sh "):
            section = {"OPTIONS OF COMMANDS WITH A SOURCE": "",
                       "MOUNT OPTIONS": "words"}.get(line[4:])
        elif line.startswith(".Ss "):
            section = line[4:]
        elif section is not None and line.startswith(".It Fl "):
            for flag in re.split(r" , ", line[4:]):
                if flag.startswith("Fl "):
                    flag = flag[3:]
                out.setdefault(section, set()).add("-" + flag.split()[0])
        elif section == "words" and line.startswith(".It Cm "):
            for w in re.findall(r"(?:Cm|,) (xattr|[a-z_]+=)", line):
                words["--" + w.rstrip("=").replace("_", "-")] = 1
    out["mount"] |= set(words) - {"--max-read", "--fsname", "--context",
                                  "--comment"}
    return out


def completed(folder, line):
    """what is offered behind a line of words"""
    words = re.findall(r"[=:]+|[^=:\s]+", line)
    if line.endswith(" "):
        words.append("")
    script = ('. "$1"; shift; compopt() { :; }; COMP_WORDS=("$@"); '
              "COMP_CWORD=$(($# - 1)); _crawlfs; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return set(run(["bash", "-c", script, "bash", os.path.join(
        folder, "contrib/bash-completion/crawlfs")] +
        words).decode().split()) - {""}


def options(crawlfs, folder):
    with_source = "mount ls cat lookup path url check copy collections".split()
    man, bad = manual(folder), []
    for cmd in with_source + "umount index cache version help".split():
        told = helped(crawlfs, cmd)
        if "--help" not in told:
            bad.append("%s --help does not tell of --help" % cmd)
        for o, value in told.items():
            p = subprocess.run(
                [crawlfs, cmd] + ([o + "=1"] if value and o[1] == "-" else
                                  [o, "1"] if value else [o]) + ["--help"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            if re.search(rb": (unknown option '-|option '[^']*' (takes no value|"
                         rb"needs a value))", p.stderr):
                bad.append("%s %s: %r" % (cmd, o, p.stderr))
        documented = {"-h", "--help"} | man.get(cmd, set())
        if cmd in with_source:
            documented |= man[""]
        offered = {o.rstrip("=") for o in completed(folder, "crawlfs %s -" % cmd)}
        for name, got in (("crawlfs(1)", documented), ("completion", offered)):
            for o in sorted(set(told) ^ got):
                bad.append("%s %s: only in %s" % (
                    cmd, o, "--help" if o in told else name))
        valued = {o[:-1] for o in completed(folder, "crawlfs %s --" % cmd)
                  if o.endswith("=")}
        for o in sorted(valued ^ {o for o in told if told[o] and o[1] == "-"}):
            bad.append("%s %s: has a value?" % (cmd, o))
    words = {"--" + w.rstrip("=").replace("_", "-")
             for w in completed(folder, "crawlfs mount -o ") if
             w.endswith("=") or w in ("merge", "replace", "xattr")}
    if words != (man["mount"] | man[""]) - {
            "-f", "--foreground", "-d", "--debug", "-o", "--options"}:
        bad.append("words of -o in completion: %s" % sorted(words))
    for row in bad:
        print(row)
    sys.exit(len(bad) > 0)


def completion(crawlfs, folder, index):
    """operands are found behind options with values"""
    del crawlfs
    bad = []
    top = completed(folder, "crawlfs ls %s " % index)
    if not top:
        bad.append("nothing below a SOURCE")
    for line in ("copy -o x.warc.gz %s ", "copy %s -o x.warc.gz ",
                 "copy -p 3 --output=x.warc.gz %s ", "ls --data=/tmp %s ",
                 "ls --data /tmp %s ", "cat --base=http://h:80/ %s "):
        got = completed(folder, "crawlfs " + line % index)
        if got != top:
            bad.append("%s: %s, not %s" % (line, sorted(got), sorted(top)))
    for line, want in (("mount --size=e", {"exact"}),
                       ("mount --size ", {"exact", "lazy"}),
                       ("mount -o xattr,cache_", {"xattr,cache_size="}),
                       ("ls --views=raw:m", {"meta"}),
                       ("cache ", {"info", "verify", "clear"}),
                       ("cat --vi", {"--view="})):
        if completed(folder, "crawlfs " + line) != want:
            bad.append("%s: %s" % (line, completed(folder, "crawlfs " + line)))
    for row in bad:
        print(row)
    sys.exit(len(bad) > 0)


if __name__ == "__main__":
    {"inverse": inverse, "lookup": lookup, "mounted": mounted,
     "tty": tty, "options": options, "completion": completion}[sys.argv[1]](*sys.argv[2:])
