#!/bin/sh
# ahead_test.sh - reading ahead in crawls whose index is a ZipNum cluster or a
# PB-tree, on a server that takes 50 ms for each answer.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

# What a crawl looks like: the pages of a folder are in many archives.
pages=2000 www=$T/www
"$mkcrawl" --warc --bare --records $pages --hostile 0 --page-bytes 4000 \
	--archive-bytes 100000 "$www" >/dev/null || exit 1
"$mkcrawl" --arc --pbtree --records $pages --hostile 0 --page-bytes 4000 \
	--archive-bytes 100000 "$www/2012" >/dev/null || exit 1
mkdir "$www/zip"
python3 "$model/cdx_model.py" make zipnum "$www/manifest.tsv" "$www/zip" \
	--lines 100 --shards 3 || exit 1
zip=zip/cluster.idx tree=2012/parse-output/url-index.1356128792
start_faultd slow "$www" --delay 50 || skip_all "no server"

cache_of() { stat_of far "cache.$1"; }
mount_cold() {	# mount_cold INDEX [OPTION...]
	rm -rf "$T/cache/crawlfs/blocks"
	mount_warm "$@"
}
mount_warm() {
	index=$1
	shift
	case $index in
	zip/*) start_mount far -o "data=$url" "$@" "$url/$index" ;;
	*) start_mount far "$@" "$url/$index" ;;
	esac
}

# page_time INDEX: sets page_us, what a page costs without reading ahead
page_time() {
	mount_cold "$1" -o readahead=off || return 1
	pages_of far | head -60 >"$T/some"
	counts >/dev/null
	ms_of xargs -a "$T/some" cat >/dev/null || return 1
	page_us=$((ms * 1000 / 60))
	counts | tee "$T/counts"
	grep -q 'parallel 1 ' "$T/counts" && stop_mount far
}

# in_time INDEX COMMAND: it reads all pages, and waits for the server for a
# twentieth of that time
reads() { (cd "$T/far" && eval "$1") >"$T/out"; }
in_time() {
	mount_cold "$1" || return 1
	counts >/dev/null
	ms_of reads "$2" || return 1
	cold_ms=$ms
	counts | tee "$T/counts"
	read -r _ n _ _ _ most _ <"$T/counts"
	# no page twice, hardly any not ahead, and what was ahead was read
	[ "$n" -le $((pages + 40)) ] && [ "$most" -ge 32 ] &&
		[ "$(cache_of misses)" -le $((pages / 20)) ] &&
		[ "$(cache_of ahead_used)" -ge $(($(cache_of ahead) * 9 / 10)) ] &&
		stop_mount far && mount_warm "$1" && ms_of reads "$2" &&
		hidden $((page_us * pages / 1000)) 20 "$cold_ms" "$ms" &&
		stop_mount far
}

for index in $zip $tree; do
	try "$index: without, pages come one by one" page_time $index
	echo "# $page_us us a page"
	# Holds K9.
	try "grep -r over the pages" in_time $index \
		"grep -r nosuchword --include='*[!ta]' .; [ \$? -eq 1 ]"
	echo "# $cold_ms ms for $pages, $(cat "$T/counts")"
	try "grep -r over pages, text and metadata" in_time $index \
		"grep -r nosuchword .; [ \$? -eq 1 ]"
	echo "# $cold_ms ms for $pages, $(cat "$T/counts")"
	try "tar" in_time $index "tar c . | cat"
	echo "# $cold_ms ms for $pages, $(cat "$T/counts")"
done

# ls -lR and find read the index, and no page
only_index() {
	mount_cold "$1" && ctl "$port" log >/dev/null &&
		[ "$(ls -lR "$T/far" | grep -c '^-')" -gt $((3 * pages - 300)) ] &&
		ctl "$port" log >"$T/log" && ! grep 'arc.gz' "$T/log" &&
		stop_mount far
}
# Holds S7.
try "ls -lR of a ZipNum crawl reads no archive" only_index $zip
# Holds S7.
try "ls -lR of a PB-tree crawl reads no archive" only_index $tree

# exact sizes are those of pages that are fetched, ahead as well
sizes() {
	mount_cold "$1" -o size=exact,views=raw || return 1
	counts >/dev/null
	ms_of reads "find . -type f -size +0"
	cold_ms=$ms
	counts | tee "$T/counts"
	[ "$(wc -l <"$T/out")" -gt $((pages - 100)) ] &&
		grep -q 'parallel [3-9][0-9]' "$T/counts" && stop_mount far &&
		mount_warm "$1" -o size=exact,views=raw &&
		ms_of reads "find . -type f -size +0" &&
		hidden $((page_us * pages / 1000)) 20 "$cold_ms" "$ms" &&
		stop_mount far
}
# Holds S5.
try "find -size with exact sizes" sizes $tree
echo "# $cold_ms ms for $pages, $(cat "$T/counts")"

# What has come is inflated before it is read, and asked for once.
made_ready() {
	mount_cold $zip -o views=raw && counts >/dev/null &&
		reads "grep -r nosuchword .; [ \$? -eq 1 ]" || return 1
	read -r _ n _ <<-END
		$(counts)
	END
	ready=$(stat_of far prepared_used)
	echo "$ready of $pages pages were ready, $n requests"
	[ "$n" -le $((pages + 40)) ] && [ "$ready" -ge 100 ] && stop_mount far &&
		mount_warm $zip -o views=raw &&
		reads "grep -r nosuchword .; [ \$? -eq 1 ]" && counts &&
		[ "$(stat_of far prepared_used)" -ge 100 ] && stop_mount far
}
if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ]; then
	# Holds K9.
	try "pages that have come are ready when they are read" made_ready
else
	skip "pages that have come are ready when they are read: one processor"
fi

# lists_and_reads N: a program that lists N folders of some pages, far from each
# other, and reads the first page of each
lists_and_reads() {
	python3 -c 'import os, sys
n, listed = int(sys.argv[2]), 0
for folder, _, files in os.walk(sys.argv[1]):
    listed += len(files)
    if n > 0 and len(files) > 5 and listed > 50:
        n, listed = n - 1, 0
        with os.scandir(folder) as entries:
            first = next(e.path for e in entries if e.is_file())
        open(first, "rb").read()
sys.exit(n > 0)' "$T/far" "$1"
}
# A reader that has listed what it reads is believed at once, four times.
believed() {
	mount_cold $zip -o views=raw && lists_and_reads "$1" &&
		wait_for settled far && ahead=$(cache_of ahead_records) &&
		stop_mount far && echo "$ahead pages were requested ahead" &&
		[ "$ahead" -ge 1 ] && [ "$ahead" -le "$2" ]
}
# Holds K9.
try "who has listed a folder is taken to read its pages" believed 1 4
# Holds K9.
try "but not when it did not before" believed 12 16

# random reads cost no more than without, in requests and in bytes
cost() {	# cost INDEX [OPTION...]: of reading $T/some
	mount_cold "$@" || return 1
	pages_of far >/dev/null
	counts >/dev/null
	xargs cat <"$T/some" >/dev/null || return 1
	wait_for settled far
	counts | cut -d' ' -f1-4 | tee "$T/cost"
	stop_mount far
}
random_costs_nothing() {
	mount_cold "$1" && pages_of far |
		shuf -n 100 --random-source="$www/manifest.tsv" >"$T/some" &&
		stop_mount far && cost "$1" -o readahead=off &&
		mv "$T/cost" "$T/cost.off" && cost "$1" &&
		cmp "$T/cost.off" "$T/cost"
}
# Holds K8.
try "random reads of a ZipNum crawl cost nothing more" random_costs_nothing $zip
try "random reads of a PB-tree crawl cost nothing more" random_costs_nothing $tree

# ---- an index of many blocks ----

# Three shards of 120 members, 30 captures in each; cluster.idx is longer than
# what is read of it at a time.
python3 - "$www/many" <<'EOF' || exit 1
import gzip, os, sys
folder = sys.argv[1]
os.mkdir(folder)
cluster, n = open(folder + "/cluster.idx", "w"), 0
for shard in range(3):
    with open("%s/cdx-%05d.gz" % (folder, shard), "wb") as out:
        for block in range(120):
            lines = []
            for _ in range(30):
                host, page = "h%03d" % (n // 100), "%05d-%s" % (n, "x" * 190)
                lines.append('com,example,%s)/%s 20240220211055 '
                             '{"url": "http://%s.example.com/%s", '
                             '"status": "200", "length": "1000", "offset": "0", '
                             '"filename": "none.warc.gz"}\n' % (host, page, host, page))
                n += 1
            data = gzip.compress("".join(lines).encode(), 6, mtime=0)
            cluster.write("%s 20240220211055\tcdx-%05d.gz\t%d\t%d\n" % (
                lines[0].split()[0], shard, out.tell(), len(data)))
            out.write(data)
EOF
cluster_bytes=$(wc -c <"$www/many/cluster.idx")
listed() {
	mount_cold many/cluster.idx || return 1
	counts >/dev/null
	[ "$(find "$T/far" -type f -name '*xx' | wc -l)" -eq 10800 ] || return 1
	counts | tee "$T/counts"
	read -r _ n _ bytes _ most _ <"$T/counts"
	all=$(cat "$www"/many/* | wc -c)
	echo "$(cache_of misses) of $n not ahead; $bytes of $all bytes"
	# each stretch of cluster.idx is read a little over its end; of 360
	# blocks several come by one request, and the next ones meanwhile
	[ "$most" -ge 2 ] && [ "$n" -le 80 ] &&
		[ "$bytes" -le $((all + all / 20)) ] &&
		[ "$(cache_of misses)" -le 20 ]
}
try "find asks for the blocks of a ZipNum index ahead ($cluster_bytes bytes of cluster.idx)" listed
echo "# $(cat "$T/counts")"
nothing_wasted() {
	[ "$(cache_of ahead)" -gt 10 ] &&
		[ "$(cache_of ahead_used)" -eq "$(cache_of ahead)" ]
}
try "and for nothing in vain" nothing_wasted
try "the end" stop_mount far

# with_dates INDEX: half of the captures exist; the others are neither fetched
# nor in the way of those
middle=$(cut -f3 "$www/manifest.tsv" | grep '^[0-9]' | sort |
	sed -n "$((pages / 2))p")
with_dates() {
	mount_cold "$1" -o "views=raw,at=$middle" || return 1
	reads "find . -type f | xargs -d '\\n' cat" || return 1
	there=$(find "$T/far" -type f | wc -l)
	echo "$there pages, $(cache_of misses) not ahead," \
		"$(cache_of ahead_used) of $(cache_of ahead) ahead used"
	[ "$there" -ge $((pages / 3)) ] && [ "$there" -le $((pages * 2 / 3)) ] &&
		[ "$(cache_of misses)" -le $((there / 20 + 20)) ] &&
		[ "$(cache_of ahead_used)" -ge $(($(cache_of ahead) * 9 / 10)) ] &&
		stop_mount far
}
try "captures of some time of a ZipNum crawl are ahead" with_dates $zip
finish
