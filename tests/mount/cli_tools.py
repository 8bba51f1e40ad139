#!/usr/bin/env python3
"""cli_tools.py - the program's answers against the manifest, for cli_test.sh.

    cli_tools.py inverse CRAWLFS SOURCE MANIFEST
    cli_tools.py lookup  CRAWLFS SOURCE MANIFEST
    cli_tools.py mounted CRAWLFS SOURCE MOUNT MANIFEST
    cli_tools.py tty     CRAWLFS ARGUMENT...
    cli_tools.py options CRAWLFS SOURCEFOLDER

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import cdx_model                                                # noqa: E402
import completion_check                                         # noqa: E402


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


def manual(folder, cmd):
    """(options, words) of crawlfs-CMD(1): what begins with dashes, and what
    it has after -o where that is spelt in another way"""
    flags, words = set(), set()
    with open(os.path.join(folder, "man/crawlfs-%s.1" % cmd),
              encoding="utf-8") as f:
        text = f.read()
    link = re.fullmatch(r"\.so man1/crawlfs-(\w+)\.1\n", text)
    if link:
        return manual(folder, link.group(1))
    for line in re.findall(r"^\.It (Fl .*)", text, re.M):
        for item in line.split(" , "):
            word = re.match(r"Fl o Cm (\w+)", item)
            if word:
                words.add("--" + word.group(1).replace("_", "-"))
            else:
                flags.add("-" + re.match(r"(?:Fl )?(\S+)", item).group(1))
    return flags, words


FLAG_WORDS = ("merge", "replace", "words", "xattr", "no_sign_request",
              "request_payer", "requester_pays", "cache_group")
COMMANDS = ("mount umount index ls cat lookup path url check verify copy export "
            "grep serve mcp summary cache collections version help").split()


def taken(crawlfs, cmd, told):
    """What the command does not take of what its help tells."""
    for o, value in told.items():
        p = subprocess.run(
            [crawlfs, cmd] + ([o + "=1"] if value and o[1] == "-" else
                              [o, "1"] if value else [o]) + ["--help"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if re.search(rb": (unknown option '-|option '[^']*' (takes no value|"
                     rb"needs a value))", p.stderr):
            yield "%s %s: %r" % (cmd, o, p.stderr)


def compared(cmd, told, what, got):
    for o in sorted(set(told) ^ got):
        yield "%s %s: only in %s" % (cmd, o, "--help" if o in told else what)


def completed(told, folder, shell, words):
    """What completion in that shell has not as the help, or not as the
    manual: `words` are those of -o."""
    lines = (["crawlfs %s -" % c for c in COMMANDS] +
             ["crawlfs %s --" % c for c in COMMANDS] +
             ["crawlfs mount -o ", "crawlfs "])
    got = completion_check.offered(shell, folder, lines)
    for i, cmd in enumerate(COMMANDS):
        yield from compared(cmd, told[cmd], shell,
                            {o.rstrip("=") for o in got[i]})
        valued = {o[:-1] for o in got[len(COMMANDS) + i] if o.endswith("=")}
        for o in sorted(valued ^ {o for o, value in told[cmd].items()
                                  if value and o[1] == "-"}):
            yield "%s %s: has a value in %s?" % (cmd, o, shell)
    have = {"--" + w.rstrip("=").replace("_", "-") for w in got[-2]
            if w.endswith("=") or w in FLAG_WORDS}
    if have != words:
        yield "words of -o in %s: %s" % (shell, sorted(have ^ words))
    if got[-1] != set(COMMANDS):
        yield "commands in %s: %s" % (shell, sorted(got[-1] ^ set(COMMANDS)))


def documented(cmd, told, folder):
    """What the command's page has not as its help has it, or the reverse."""
    page = "crawlfs-%s(1)" % cmd
    flags, words = manual(folder, cmd)
    yield from compared(cmd, told, page, flags)
    if cmd == "mount":
        yield from compared("mount -o", {o for o in of_words(told)
                                         if "-" in o[2:]}, page, words)


def of_words(told):
    """Those options of mount that can be words after -o."""
    return set(told) - {"-f", "--foreground", "-d", "--debug", "-o",
                        "--options", "-h", "--help", "-q", "--quiet"}


def options(crawlfs, folder):
    pages = {re.sub(r"crawlfs-(\w+)\.1", r"\1", name)
             for name in os.listdir(os.path.join(folder, "man"))
             if re.fullmatch(r"crawlfs-\w+\.1", name)}
    bad = ["%s: a command without a page, or a page without a command" % cmd
           for cmd in pages ^ {*COMMANDS, "complete"}]
    told = {cmd: helped(crawlfs, cmd) for cmd in COMMANDS + ["complete"]}
    for cmd, its in told.items():
        if "--help" not in its:
            bad.append("%s --help does not tell of --help" % cmd)
        bad += taken(crawlfs, cmd, its)
        if cmd in pages:
            bad += documented(cmd, its, folder)
        if b"\nSee crawlfs-%s(1).\n" % cmd.encode() not in \
                run([crawlfs, cmd, "--help"]):
            bad.append("%s --help does not name the page" % cmd)
    for shell in completion_check.SCRIPTS:
        if shutil.which(shell):
            bad += completed(told, folder, shell, of_words(told["mount"]))
    for row in bad:
        print(row)
    sys.exit(len(bad) > 0)


if __name__ == "__main__":
    {"inverse": inverse, "lookup": lookup, "mounted": mounted,
     "tty": tty, "options": options}[sys.argv[1]](*sys.argv[2:])
