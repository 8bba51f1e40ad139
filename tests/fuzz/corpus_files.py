# corpus_files.py - writes the files of a corpus, for make_*_corpus.py.
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of corpora is the first argument of the program."""

import os
import sys


def put(folder, name, data):
    """Writes a file of the corpus in that folder."""
    d = os.path.join(sys.argv[1], folder)
    os.makedirs(d, exist_ok=True)
    with open(os.path.join(d, name), "wb") as f:
        f.write(data)
