#!/usr/bin/env python3
"""duckdb_alone.py - DuckDB's library without crawlfs, to compare with.

    duckdb_alone.py LIBRARY SQL

Runs one statement, holding its result in memory, and prints its seconds.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import ctypes
import sys
import time


def main():
    lib = ctypes.CDLL(sys.argv[1])
    lib.duckdb_result_error.restype = ctypes.c_char_p
    database, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_uint64 * 6)()
    lib.duckdb_open(None, ctypes.byref(database))
    lib.duckdb_connect(database, ctypes.byref(connection))
    start = time.monotonic()
    if lib.duckdb_query(connection, sys.argv[2].encode(), result) != 0:
        sys.exit(lib.duckdb_result_error(result).decode())
    print("%.3f" % (time.monotonic() - start))


main()
