#!/bin/sh
# python_test.sh - contrib/python without any engine: rows, parts, errors, and
# what becomes of the program.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"

make_rows 600
export CRAWLFS="$crawlfs" PYTHONPATH="$CFS_SRCDIR/contrib/python"
python() { python3 "$CFS_SRCDIR/tests/cluster/python_check.py" "$@"; }

try "rows are those of the program" python rows "$crawl" "$T/one.jsonl"
try "parts are disjoint, and together the whole" python parts "$crawl" 4
try "fields are those that the program has" python fields "$crawl"
try "the body is bytes" python body "$crawl"
try "only what is below prefixes" python prefix "$crawl"
try "the program's failure is an exception" python failure "$T" "$crawl"
manual python >"$T/manual.py"
by_manual() {
	python3 "$T/manual.py" >"$T/got"
	"$crawlfs" export -q --part=1/4 "$crawl" |
		jq -r '"\(.url) \(.title // "None")"' | cmp - "$T/got"
}
try "what crawlfs-cluster(7) has" by_manual
manual xargs >"$T/manual.sh"
by_xargs() {
	(PATH=$CFS_BUILDDIR:$PATH; . "$T/manual.sh") &&
		rows same "$T/one.jsonl" "$T"/shared/rows.?.jsonl.gz
}
try "and has for a shell" by_xargs
make_damaged
# Holds R5.
try "rows with an error are kept, skipped or raised" python errors "$T/bad"
cat >"$T/slow" <<END
#!/bin/sh
echo \$\$ >"$T/pid"
trap 'echo ended >"$T/ended"; exit 143' TERM
echo '{"url":"http://a.example/"}'
while :; do sleep 0.05; done
END
chmod +x "$T/slow"
CRAWLFS=$T/slow
try "the program ends when the reader has enough" python closed "$crawl" \
	"$T/ended"
cat >"$T/killed" <<END
#!/bin/sh
printf '{"url":"http://a.example/"}\n{"url":'
kill -9 \$\$
END
chmod +x "$T/killed"
CRAWLFS=$T/killed
try "a program that is killed is a failure" python killed "$crawl"
CRAWLFS=$T/none
try "so is one that is not there" python none "$crawl"
try "conditions of engines become options that pick no less" python pushed
finish
