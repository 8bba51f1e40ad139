# sessions.py - the examples of a manual page or of README, as they are printed,
# and what becomes of them when they are run.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples are literal text: a command behind "$ ", over as many lines as the
shell needs, and what it prints below it.

    man_examples(path)      {name: [Command]} of the blocks behind a comment
                            "example: NAME"; and how many blocks there are in
                            the section EXAMPLES, or in a part "Examples" of
                            another one; none in a page without these
    readme_sessions(path)   [[Command]] of the indented blocks with commands
    run(commands, folder)   runs them in one shell, and fills in the outcomes
"""

import os
import re
import subprocess
import tempfile

INDENT = "    "
# What a mount, and an output that is made, say on standard error.
SAID = re.compile(
    r"crawlfs: (?:\S+|\d+ sources) on \S+: (?:(?:what is picked of )?"
    r"[\d,]+ captures?|an unknown number of captures)(?:; sizes are estimates "
    r"until a file is opened \(size=exact: for overlays, NFS, SMB\))?\n|"
    r"(?!crawlfs)\S+: [\d,]+ (?:rows?|records?|captures?)\b.*\n"
    r"(?:  .*\n|\S+[.]cfx: its index\n)*")


class Command:
    """text, shown (the lines below it); after run: status, out, err."""

    def __init__(self, text):
        self.text = text
        self.shown = []
        self.status = self.out = self.err = None

    def is_complete(self):
        if self.text.endswith("\\"):
            return False
        return subprocess.run(["sh", "-n", "-c", self.text], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0

    def faults(self):
        """What a user would not expect."""
        # that of diff says that there is a difference
        wanted = 1 if self.text.startswith("diff ") else 0
        if self.status != wanted:
            yield "status %s" % self.status
        err = SAID.sub("", self.err)
        if err:
            yield "standard error: " + err
        if self.shown and self.out.splitlines() != self.shown:
            yield "prints:\n" + self.out


def commands_of(lines):
    """The commands of one block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        elif not found:
            raise SystemExit("output without a command: " + line)
        elif not found[-1].shown and not found[-1].is_complete():
            found[-1].text += "\n" + line
        else:
            found[-1].shown.append(line)
    return found


def unescape(line):
    if re.search(r"\\[^e]", line):
        raise SystemExit("an escape that is not understood: " + line)
    return line.replace("\\e", "\\")


def man_examples(path):
    with open(path, encoding="utf-8") as f:
        section = "\n".join(re.findall(
            r"^\.S[hs] (?:EXAMPLES|Examples)\n(?:(?!\.S[hs] ).*\n)*", f.read(), re.M))
    blocks = re.findall(r'(?:^\.\\" example: (\w+)\n)?^\.Bd -literal.*\n'
                        r"((?:.*\n)*?)\.Ed$", section, re.M)
    return {name: commands_of(map(unescape, body.splitlines()))
            for name, body in blocks if name}, len(blocks)


def readme_sessions(path):
    with open(path, encoding="utf-8") as f:
        blocks = re.findall(r"(?:^    .*\n)+", f.read(), re.M)
    blocks = [[line[len(INDENT):] for line in block.splitlines()]
              for block in blocks]
    return [commands_of(block) for block in blocks
            if block[0].startswith("$ ")]


def run(commands, folder):
    """In one shell, so that variables and the current folder last."""
    with tempfile.TemporaryDirectory() as outcomes:
        script = ["ls() { command ls -C -T 0 -w 76 \"$@\"; }"]
        for i, command in enumerate(commands):
            there = "'%s/%d" % (outcomes, i)
            script.append("{\n%s\n} >%s.out' 2>%s.err' </dev/null\necho $? >%s.status'"
                          % (command.text, there, there, there))
        subprocess.run(["sh", "-c", "\n".join(script)], cwd=folder, check=False,
                       timeout=300)
        for i, command in enumerate(commands):
            def outcome(kind, i=i):
                name = os.path.join(outcomes, "%d.%s" % (i, kind))
                if not os.path.exists(name):
                    return "missing"
                with open(name, encoding="utf-8", errors="surrogateescape") as f:
                    return f.read()
            command.out, command.err = outcome("out"), outcome("err")
            status = outcome("status").strip()
            command.status = int(status) if status.isdigit() else status
