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


def run(program, text, state, last):
    args = [program, "--state=" + state]
    if last:
        args.append("--last-start-tag=" + last)
    p = subprocess.run(args, input=text.encode("utf-8"), capture_output=True)
    if p.returncode != 0:
        return "exit status %d: %s" % (p.returncode, p.stderr.decode())
    return joined(json.loads(p.stdout.decode("utf-8")))


def check_file(program, path):
    with open(path, encoding="utf-8") as f:
        cases = json.load(f).get("tests", [])
    passed = failed = 0
    left_out = []
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
            got = run(program, text, state, c.get("lastStartTag"))
            if got == joined([list(t) for t in want]):
                passed += 1
                continue
            failed += 1
            print("FAILED: %s: %s (%s)\n  input %r\n  want  %s\n  got   %s" % (
                os.path.basename(path), c["description"], state, text, want,
                got))
    name = os.path.basename(path)
    print("ok: %s: %d cases" % (name, passed))
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
