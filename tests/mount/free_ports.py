#!/usr/bin/env python3
"""free_ports.py - ports for servers that cannot say which one they took.

    free_ports.py N

Prints N ports on which nobody listens, chosen at random among those that the
system gives to no connection (ip_local_port_range): one that is free now would
else be taken by another test's client before the server is up.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import random
import socket
import sys

FIRST = 10000           # below are those of services
RANGE = "/proc/sys/net/ipv4/ip_local_port_range"


def candidates():
    with open(RANGE, encoding="ascii") as f:
        low, high = map(int, f.read().split())
    ports = list(range(FIRST, 65536))
    random.shuffle(ports)
    # the others come last, where the system gives nearly all to connections
    return sorted(ports, key=lambda port: low <= port <= high)


def is_free(port):
    try:
        with socket.socket() as s:
            s.bind(("", port))
            return True
    except OSError:
        return False


def main():
    wanted, found = int(sys.argv[1]), []
    for port in candidates():
        if len(found) == wanted:
            break
        if is_free(port):
            found.append(port)
    if len(found) < wanted:
        sys.exit("there are not so many free ports")
    print(*found)


if __name__ == "__main__":
    main()
