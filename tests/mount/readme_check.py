#!/usr/bin/env python3
# readme_check.py - runs the commands of README, session by session.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     readme_check.py README FOLDER
#         in FOLDER, which has the crawl of contrib/demo
"""Prints a line for each session; 1 if one is not what README says."""

import sys

import sessions

# What does not end by itself.
NOT_RUN = {
    "crawlfs serve": "serves until it is interrupted",
}


def reason(command):
    return next((why for begin, why in NOT_RUN.items()
                 if command.text.startswith(begin)), None)


def main(readme, folder):
    failed = 0
    for session in sessions.readme_sessions(readme):
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
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
