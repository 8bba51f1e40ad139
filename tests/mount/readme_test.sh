#!/bin/sh
# readme_test.sh - README's commands, run word for word; and the picture in it,
# which contrib/demo makes with the real program.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"
has_program jq || skip_all "there is no jq"
demo=$CFS_SRCDIR/contrib/demo

# ---- the picture ----

try "contrib/demo" sh "$demo" --program "$crawlfs" --text "$T/demo.txt" \
	--svg "$T/demo.svg"
try "shows what it showed" diff "$CFS_SRCDIR/doc/demo.txt" "$T/demo.txt"
try "draws what it drew" diff "$CFS_SRCDIR/doc/demo.svg" "$T/demo.svg"
try "in 80 columns" not grep -E '^.{77}' "$T/demo.txt"
as_drawn='import sys, xml.etree.ElementTree as tree
lines = [t.text.replace("\u00a0", " ") for t in tree.parse(sys.argv[1]).iter() if t.tag.endswith("}text")]
sys.exit(lines != open(sys.argv[2]).read().splitlines())'
try "and the picture has the text" python3 -c "$as_drawn" "$T/demo.svg" \
	"$T/demo.txt"

# A browser draws it: each line begins and ends in the columns of the text.  The
# page of README below it has all its pictures, and is no wider than a screen.
columns='<script>
window.onload = () => {
const lines = [...document.querySelectorAll("text")]
const cell = lines[0].getComputedTextLength() / lines[0].textContent.length
for (const line of lines) {
	const text = line.textContent
	const column = i =>
		Math.round((line.getStartPositionOfChar(i).x - 16) / cell)
	const out = document.createElement("p")
	out.textContent = column(text.length - text.trimStart().length) + " " +
		column(text.trimEnd().length - 1)
	document.body.append(out)
}
const wide = document.documentElement.scrollWidth > innerWidth
for (const image of document.images)
	if (image.naturalWidth < 300) missing.push(image.src)
document.body.append("PAGE " + document.images.length + " pictures, missing " +
	missing.join(" ") + (wide ? ", too wide" : "") + " END")
}
const missing = []
</script>'
want_columns='{ match($0, /[^ ]/); first = RSTART - 1; sub(/ +$/, "")
	print "<p>" first " " length($0) - 1 }'
draw_in_browser() {
	{
		cat "$T/demo.svg"
		echo "<base href='file://$CFS_SRCDIR/'>"
		! has_program cmark || cmark "$CFS_SRCDIR/README.md"
		echo "$columns"
	} >"$T/demo.html"
	timeout 120 chromium --window-size=1000,800 --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-quic --disable-background-networking --disable-sync \
		--disable-component-update --user-data-dir="$T/chromium" \
		--dump-dom "file://$T/demo.html" >"$T/dom" 2>"$T/chromium.log" ||
		{ tail -n 5 "$T/chromium.log"; return 1; }
	grep -o '<p>[0-9]* [0-9]*</p>' "$T/dom" | sed 's/<.p>//' >"$T/columns"
	awk "$want_columns" "$T/demo.txt" | diff - "$T/columns"
}
if has_program chromium; then
	try "a browser keeps its columns" draw_in_browser
	! has_program cmark || try "a browser shows README's pictures" grep -E \
		'^PAGE [2-9] pictures, missing  END|>PAGE [2-9] pictures, missing  END' \
		"$T/dom"
else
	skip "the picture in a browser: there is no chromium"
fi

# ---- the page ----

# What a code host renders is README.md; README leads there.
try "README is README.md" cmp "$CFS_SRCDIR/README" "$CFS_SRCDIR/README.md"
try "on 200 lines" test "$(wc -l <"$CFS_SRCDIR/README.md")" -le 200
try "in 80 columns, but for tables and links" not awk \
	'length > 80 && !/\]\(|\|/ { print FILENAME ":" FNR; long = 1 }
	END { exit !long }' "$CFS_SRCDIR/README.md"
if [ -e "$CFS_SRCDIR/.git" ]; then
	try "README is a symbolic link, in git, too" same "$(git -C \
		"$CFS_SRCDIR" ls-files -s README | cut -d ' ' -f 1)" 120000
fi
if has_program cmark; then
	render() {
		cmark "$CFS_SRCDIR/README.md" |
			python3 "$here/readme_page.py" "$CFS_SRCDIR"
	}
	try "a page with its pictures, headings and links" render
else
	skip "README.md as a page: there is no cmark"
fi

# ---- the commands ----

# A crawl of Common Crawl's on a server of ours, by --base.
www=$T/www crawl_name=CC-MAIN-2024-10
mkdir -p "$www/crawl-data"
python3 - "$here" "$www/crawl-data/gnu.warc.gz" <<'END' || exit 1
import gzip, sys
sys.path.insert(0, sys.argv[1])
import jobs_check
head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
with open(sys.argv[2], "wb") as f:
    for i, page in enumerate(("", "bash/", "emacs/", "emacs/manual/", "emacs/tour/")):
        text = head + jobs_check.page(page, "Written in Lisp" if "tour" in page else "")
        f.write(gzip.compress(jobs_check.warc_record(
            "response", "https://www.gnu.org/software/" + page, i,
            text.encode(), "application/http; msgtype=response")))
END
indexes=$www/cc-index/collections/$crawl_name/indexes
mkdir -p "${indexes%/*}"
try "an index as Common Crawl's" "$crawlfs" index -q --format=zipnum \
	--base="$www" -o "$indexes" "$www/crawl-data"
start_faultd faultd "$www" || skip_all "no server"

mkdir "$T/x"
crawlfs_below "$url" "*' $crawl_name '*"
export TZ=UTC
try "a crawl" sh "$demo" --sample "$T/x/crawl"
mkdir "$T/x/mnt"
PYTHONPATH=$CFS_SRCDIR/contrib/python python3 -B "$here/readme_check.py" \
	"$CFS_SRCDIR/README" "$T/x" >"$T/report"
readme_status=$?
cat "$T/report"
grep '^not run: ' "$T/report" | while IFS= read -r line; do
	echo "SKIP: ${line#not run: }"
done
try "README does what it says" same "$readme_status" 0
try "much was run" test "$(grep -c '^ran: ' "$T/report")" -ge 25
try "nothing is left mounted" not grep -F "$T/x" /proc/self/mounts
finish
