#!/usr/bin/env python3
"""simhash_ref.py - the text_simhash of files, bit by bit as doc/formats.md,
"Simhash", describes it.

    simhash_ref.py latin1|utf8|bom FILE     prints the signed number

Written from the description alone, in the slow and plain way.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import sys

P = 0xD74307D3FD3382DB


def fingerprint(data):
    state = P
    for byte in data:
        state ^= byte
        for _ in range(8):
            out = state & 1
            state >>= 1
            if out:
                state ^= P
    return state


def simhash(text):
    units = text.encode('utf-16-be', 'surrogatepass')
    windows = {units[i:i + 8] for i in range(0, len(units) - 7, 2)}
    prints = [fingerprint(w) for w in windows]
    value = 0
    for bit in range(64):
        ones = sum(p >> bit & 1 for p in prints)
        if ones > len(prints) - ones:
            value |= 1 << bit
    return value - (1 << 64) if value >> 63 else value


def main():
    data = open(sys.argv[2], 'rb').read()
    if sys.argv[1] == 'latin1':
        text = data.decode('latin-1')
    else:
        text = data.decode('utf-8')
    if sys.argv[1] == 'bom':
        text = '\ufeff' + text
    print(simhash(text))


if __name__ == '__main__':
    main()
