#!/usr/bin/env python3
# readme_check.py - runs the commands of README, session by session.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     readme_check.py README FOLDER PICTURE
#         in FOLDER; of the session that is in the file PICTURE (doc/demo.txt),
#         whose commands contrib/demo runs, only that it is there, word for word
"""Prints a line for each session; 1 if one is not what README says."""

import sys

import sessions

# What would change the machine, or takes as long as a whole build.
NOT_RUN = {
    "sh contrib/quickstart": "installs packages, and builds",
    "sh contrib/mkdeb": "builds all of it, and a package",
    "sudo apt install": "installs",
    "autoreconf -i": "builds once more",
    "sudo make install": "installs",
    "crawlfs serve": "serves until it is interrupted",
}


def reason(command):
    return next((why for begin, why in NOT_RUN.items()
                 if command.text.startswith(begin)), None)


def main(readme, folder, picture):
    with open(picture, encoding="utf-8") as f:
        shown = f.read().splitlines()
    failed, seen = 0, False
    for session in sessions.readme_sessions(readme):
        if [line for c in session for line in
                ("$ " + c.text).splitlines() + c.shown] == shown:
            seen = True
            continue
        for command in session:
            if reason(command):
                print("not run: %s: %s" % (command.text, reason(command)))
        session = [c for c in session if not reason(c)]
        sessions.run(session, folder)
        for command in session:
            faults = list(command.faults())
            print("%s: %s" % ("FAILED" if faults else "ran", command.text))
            print("".join("\t%s\n" % fault for fault in faults), end="")
            failed += len(faults)
    if not seen:
        print("FAILED: the picture of %s is not in README" % picture)
    return failed > 0 or not seen


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
