#!/usr/bin/env python3
"""html5lib.py - runs html5lib's tokenizer tests through tests/html/tokens.

usage: html5lib.py TOKENS FOLDER

FOLDER holds html5lib's *.test files. Prints one line a file and counts; exit
status 1 if any case fails. Left out, by name:
  * a case whose input or output has a lone surrogate: it is not Unicode text,
    and cannot be written in UTF-8;
  * a case whose input begins with a byte order mark: that is the decoder's;
  * xmlViolation.test: how to make XML of the tokens, not the tokens.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import glob
import json
import os
import subprocess
import sys


def unescaped(value):
    """The strings of a doubleEscaped case, escaped once more."""
    if isinstance(value, str):
        return json.loads('"%s"' % value.replace('"', '\\"'))
    if isinstance(value, list):
        return [unescaped(v) for v in value]
    if isinstance(value, dict):
        return {unescaped(k): unescaped(v) for k, v in value.items()}
    return value


def is_text(value):
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        return True
    except UnicodeEncodeError:
        return False


def joined(tokens):
    out = []
    for t in tokens:
        if t[0] == "Character" and out and out[-1][0] == "Character":
            out[-1] = ["Character", out[-1][1] + t[1]]
        else:
            out.append(t)
    return out


def tokens_of(program, cases):
    """What the program makes of (text, state, last start tag), in order."""
    asked = []
    for text, state, last in cases:
        data = text.encode("utf-8")
        asked.append(b"%s\t%s\t%d\n%s" % (state.encode(), last.encode(),
                                          len(data), data))
    p = subprocess.run([program], input=b"".join(asked), capture_output=True)
    lines = p.stdout.decode("utf-8").split("\n")[:-1]
    if p.returncode != 0 or len(lines) != len(cases):
        sys.exit("FAILED: exit status %d after %d of %d documents: %s" % (
            p.returncode, len(lines), len(cases), p.stderr.decode()))
    return [joined(json.loads(line)) for line in lines]


def check_file(program, path):
    with open(path, encoding="utf-8") as f:
        cases = json.load(f).get("tests", [])
    asked, wanted, left_out = [], [], []
    for c in cases:
        text, want = c["input"], c["output"]
        if c.get("doubleEscaped"):
            text, want = unescaped(text), unescaped(want)
        if not is_text([text, want]):
            left_out.append(c["description"] + " (a lone surrogate)")
            continue
        if text.startswith("\ufeff"):
            left_out.append(c["description"] + " (a byte order mark)")
            continue
        for state in c.get("initialStates", ["Data state"]):
            asked.append((text, state, c.get("lastStartTag", "")))
            wanted.append((c["description"], joined([list(t) for t in want])))
    name = os.path.basename(path)
    failed = 0
    for case, (what, want), got in zip(asked, wanted,
                                       tokens_of(program, asked)):
        if got != want:
            failed += 1
            print("FAILED: %s: %s (%s)\n  input %r\n  want  %s\n  got   %s" % (
                name, what, case[1], case[0], want, got))
    print("ok: %s: %d cases" % (name, len(asked) - failed))
    for d in left_out:
        print("left out: %s: %s" % (name, d))
    return failed


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    failed = 0
    for path in sorted(glob.glob(os.path.join(sys.argv[2], "*.test"))):
        if os.path.basename(path) != "xmlViolation.test":
            failed += check_file(sys.argv[1], path)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
