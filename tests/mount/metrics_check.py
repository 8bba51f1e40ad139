#!/usr/bin/env python3
"""metrics_check.py - reads a text in the form of OpenMetrics strictly.

    metrics_check.py [--parser] FILE-OR-URL [EXPRESSION]

Without --parser by the small reader below, which knows what crawlfs makes of
that form: gauges, counters and info, with at most one label, none of them a
path or a URL.  With it by prometheus_client, which must find the same.  The
expression is one of Python about m, the values by name and label:
m['crawlfs_x_total{y="z"}'].  Exit status 0 if the text is right and the
expression true.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import re
import sys
import urllib.request

SUFFIX = {"gauge": "", "counter": "_total", "info": "_info"}
TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
# What a mount and a server both have.
SHARED = """build_info sources captures start_time_seconds
    record_cache_hits_total record_cache_misses_total archive_read_bytes_total
    inflated_bytes_total memory_bytes memory_limit_bytes memory_waits_total
    block_cache_hits_total block_cache_misses_total fetches_total
    fetched_bytes_total fetch_failures_total fetches_ahead_total
    server_requests_total server_failures_total""".split()
OWN = {False: "fuse_requests_total fuse_sent_bytes_total fuse_failures_total",
       True: "http_requests_total http_sent_bytes_total http_failures_total "
             "http_connections http_requests_running"}


def need(is_true, text):
    if not is_true:
        sys.exit("metrics: " + text)


def get(where):
    if not re.match("https?:", where):
        with open(where, "rb") as f:
            return f.read()
    with urllib.request.urlopen(where, timeout=120) as r:
        need(r.headers["Content-Type"] == TYPE, "a type")
        return r.read()


def strict(text):
    """{'name{label="value"}': number}"""
    need(text.endswith("\n# EOF\n"), "no end")
    values, families, name, kind, had_help = {}, set(), None, None, True
    for line in text[:-len("# EOF\n")].split("\n")[:-1]:
        begin = re.fullmatch(r"# TYPE (crawlfs_[a-z0-9_]+) (\w+)", line)
        told = re.fullmatch(r"# HELP (\w+) ([A-Z][ -~]*\.)", line)
        value = re.fullmatch(r'(\w+)((?:\{[a-z]+="[\w.-]+"\})?) (\d+)', line)
        if begin:
            need(had_help and (name is None or any(
                v.startswith(name) for v in values)), "%s is empty" % name)
            name, kind = begin.groups()
            need(kind in SUFFIX, "a type: %r" % line)
            need(name not in families, "%s twice" % name)
            need(not name.endswith(("_total", "_info", "_created", "_bucket",
                                    "_count", "_sum")), "a name: " + name)
            families.add(name)
            had_help = False
        elif told:
            need(told[1] == name and not had_help, "a help: %r" % line)
            need("\\" not in line and '"' not in line, line)
            had_help = True
        else:
            need(value and had_help and value[1] == name + SUFFIX[kind],
                 "a line: %r" % line)
            key = value[1] + value[2]
            need(key not in values, "%s twice" % key)
            need(kind != "info" or (value[3] == "1" and value[2]), line)
            values[key] = int(value[3])
    return values


def by_parser(text):
    from prometheus_client.openmetrics.parser import \
        text_string_to_metric_families
    values = {}
    for family in text_string_to_metric_families(text):
        need(family.documentation.endswith("."), family.name)
        for s in family.samples:
            labels = ",".join('%s="%s"' % i for i in s.labels.items())
            values[s.name + ("{%s}" % labels if labels else "")] = s.value
    return values


def main(args):
    parser = args[:1] == ["--parser"]
    args = args[parser:]
    text = get(args[0]).decode("ascii")
    m = strict(text)
    if parser:
        need(by_parser(text) == m, "prometheus_client finds something else")
    names = {k.partition("{")[0] for k in m}
    is_url = ":" in args[0]
    for n in SHARED + OWN[is_url].split():
        need("crawlfs_" + n in names, "no " + n)
    if len(args) > 1:
        print(text)
        need(eval(args[1]), "not so: " + args[1])


main(sys.argv[1:])
