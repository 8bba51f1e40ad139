#!/bin/sh
# stats_test.sh - .crawlfs/stats of crawls on two servers, next to what the
# servers have counted.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

"$mkcrawl" --warc --bare --records 600 --hostile 0 --page-bytes 4000 "$T/www" \
	>/dev/null || exit 1
"$crawlfs" index -q -o "$T/www/one.cfx" "$T/www/crawl-data" || exit 1
cp "$T/www/one.cfx" "$T/www/two.cfx"
start_faultd one "$T/www" --delay 40 || skip_all "no server"
one=$url one_port=$port
start_faultd two "$T/www" --delay 10 || skip_all "no server"
two=$url two_port=$port

# check TEXT: a Python expression about s, the stats; A and B, the sources'
# caches; C and D, their servers; m, .crawlfs/metrics by name; log(PORT), the lines of a server's log
check() {
	python3 - "$T/both/.crawlfs/stats" "$net/faultd.py" "$T" "$one" "$two" "$1" <<'EOF'
import json, os, subprocess, sys
stats, faultd, folder, one, two, text = sys.argv[1:]
s = json.load(open(stats))
m = dict(l.split() for l in open(os.path.join(os.path.dirname(stats), "metrics"))
         if l[0] != "#")
m = {k[len("crawlfs_"):].removesuffix("_total"): int(v) for k, v in m.items()}
A, B = [x["cache"] for x in s["sources"]]
C, D = [next(h for h in s["servers"] if h["name"] == u) for u in (one, two)]
def log(port):
    # each asking empties the server's, so it is gathered
    name = "%s/log.%s" % (folder, port)
    new = subprocess.run([sys.executable, faultd, "ctl", port, "log"],
                         capture_output=True, text=True, check=True).stdout
    with open(name, "a") as f:
        f.write(new)
    return [l.split() for l in open(name)]
L, M = (log(u.rsplit(":", 1)[1]) for u in (one, two))
def good(lines):
    return [l for l in lines if l[4] == "206"]
def sent(lines):
    return sum(int(l[5]) for l in good(lines))
print(A, B, C, D, len(L), len(M), sent(L), sent(M), sep="\n")
sys.exit(not eval(text))
EOF
}

try "mount both" start_mount both -o views=raw "$one/one.cfx" "$two/two.cfx"
# Holds N14.
try "opening is a request each" check 'len(L) == len(M) == 1 == A["requests"] == B["requests"]'
# one is read in order, of two three pages in no order; one fails three times
ctl "$one_port" rule fault=status value=503 match=warc.gz skip=20 count=3
find "$T/both/one" -type f >"$T/all"
pages=$(wc -l <"$T/all")
# Holds N14.
xargs -d '\n' cat <"$T/all" >"$T/bytes"
ctl "$one_port" clear
ctl "$one_port" delay value=40
pages_of both/two | sed -n '500p;20p;300p' | xargs -d '\n' cat >"$T/three"
# what was asked for ahead has come
wait_for check 'A["in_flight"] == B["in_flight"] == C["in_flight"] == C["queued"] == D["in_flight"] == D["queued"] == 0'
try "requests" check 'A["requests"] == len(good(L)) and B["requests"] == len(good(M)) == 4'
try "and tries, of each server" check 'C["requests"] == len(L) == len(good(L)) + 3 and D["requests"] == len(M)'
try "bytes" check 'C["bytes"] == sent(L) and D["bytes"] == sent(M)'
# asked for: the first request goes over the end of the index
try "bytes asked for" check 'A["request_bytes"] >= sent(L) and A["request_bytes"] - sent(L) < 65544'
# what crawlfs-network(7) says that it cost
costs() {
	from_manual crawlfs-network.7 costs | sed -e 's/^[$] //' -e "s,/mnt/shelf,$T/both," >"$T/costs"
	check "abs(sum(h['requests'] * 4e-7 + h['received_bytes'] * 9e-11 for h in (C, D)) - $(sh "$T/costs")) < 1e-12"
}
if has_program jq; then
	try "what it cost" costs
else
	skip "what it cost: there is no jq"
fi
# all that the servers sent, also the bodies of errors
# Holds N14.
try "received bytes" check 'C["received_bytes"] == sum(int(l[5]) for l in L) > C["bytes"] and D["received_bytes"] == D["bytes"]'
try "retries" check 'C["retries"] == 3 and D["retries"] == 0'
try "failures: none in the end" check 'C["failures"] == A["failures"] == D["failures"] == B["failures"] == 0'
# Holds N14.
try "misses: the pages that were not ahead" check 'B["misses"] == 3 + 1 and A["misses"] <= 30'
# and some reads of the index
try "hits and misses are all pages ($pages)" check "$pages <= A['hits'] + A['misses'] <= $pages + 20"
try "read ahead, and all of it used" check 'A["ahead"] > 100 and A["ahead"] + A["misses"] == A["requests"] and 0.95 * A["ahead"] <= A["ahead_used"] <= A["ahead"] and A["ahead_wasted"] == 0'
try "not ahead of reads in no order" check 'B["ahead"] == B["ahead_used"] == B["ahead_records"] == 0'
try "latency percentiles" check '40000 <= C["p50_us"] <= C["p90_us"] <= C["p99_us"] < 4e7 and 10000 <= D["p50_us"] < 4e7'
try "each server gets what it can" check '1 <= C["parallel"] <= C["parallel_max"] == D["parallel_max"] == D["parallel"] == 64'
try "nothing is on its way" check 'A["in_flight"] == B["in_flight"] == C["in_flight"] == C["queued"] == 0'
# Holds N14.
try "the sums of both in .crawlfs/metrics" check 'm["server_requests"] == len(L) + len(M) and m["server_retries"] == 3 and m["server_received_bytes"] == sum(int(l[5]) for l in L + M) and m["fetches"] == len(good(L)) + len(good(M)) and m["server_failures"] == m["fetch_failures"] == m["server_requests_running"] == m["servers_down"] == 0'
try "and hits, misses and what was ahead" check 'all(m[k] == A[j] + B[j] for k, j in (("block_cache_hits", "hits"), ("block_cache_misses", "misses"), ("fetched_bytes", "request_bytes"), ("fetches_ahead", "ahead"), ("fetches_ahead_used", "ahead_used")))'
# but for the few texts in other charsets, whose sizes only opening shows: they
# are stored then
try "the bytes read" check '0 <= os.path.getsize(folder + "/bytes") + os.path.getsize(folder + "/three") - s["operations"]["bytes"] <= 16384'
misses=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["sources"][0]["cache"]["misses"])' "$T/both/.crawlfs/stats")
try "the end" stop_mount both

# Again, from the cache: hits only
try "mount both again" start_mount both -o views=raw "$one/one.cfx" "$two/two.cfx"
try "the same bytes" sh -c "find '$T/both/one' -type f | xargs -d '\n' cat | cmp - '$T/bytes'"
try "all hits" check "A['misses'] == 0 and A['hits'] >= $pages and $misses > 0"
try "the only request asks whether it holds" check 'A["requests"] == 1 and A["request_bytes"] == 0 and C["requests"] == 1 and C["bytes"] == 1'

# What fails
try "the end of that" stop_mount both
rm -rf "$T/cache/crawlfs/blocks"
try "a failing server" start_mount both -o timeout=2 "$one/one.cfx" "$two/two.cfx"
ctl "$one_port" rule fault=status value=404 match=warc.gz
try "a page that is not there" not cat "$(pages_of both/one | sed -n 9p)"
try "is a failure for each time the kernel asks" check 'A["failures"] == C["failures"] > 0'
try "but one request" check 'len([l for l in L if l[4] == "404"]) == 1'
try "the last end" stop_mount both
finish
