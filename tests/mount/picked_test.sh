#!/bin/sh
# picked_test.sh - mounts and commands with status=, mime=, language=, prefix=
# and dedup=, against the reference model and lines that are read here.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# CFS_SEEDS="1 2 3" sh tests/mount/picked_test.sh runs other lists of URLs.
TIME_LIMIT=1800
. "$CFS_SRCDIR/tests/mount/lib.sh"
mnt=$T/mnt
where=		# more words of -o, with a comma behind
cdx_model() { python3 "$model/cdx_model.py" "$@"; }
own_model() { python3 "$model/check_mount.py" "$@"; }
picked() { python3 "$here/picked_check.py" "$@"; }

# window: a mount with $words of -o beside one of the whole; all names, inodes
# and bodies are the model's.
window() {
	start_mount mnt -o "$where$words" "$source" || return 1
	set -- "$@" $(echo "$words" | tr , '\n' | sed '
		s/^at=/--to=/; s/^from=/--from=/
		/^status=/ { s/^/--/; s/:/,/g; }
		/^prefix=/ { s/^prefix=/--prefix=/; s/:/ --prefix=/g; }')
	$tree_of "$@" --dated 40 --whole "$T/whole" "$mnt" "$manifest"
	window_ended=$?
	stop_mount mnt && return $window_ended
}
# windows NAME MODEL SOURCE MANIFEST [OPTION...] -- WORDS...
windows() {
	windows_name=$1 tree_of=$2 source=$3 manifest=$4
	shift 4
	more=
	while [ "$1" != -- ]; do
		more="$more $1"
		shift
	done
	shift
	try "$windows_name: mount of the whole" start_mount whole \
		-o "${where}ro" "$source"
	for words; do
		# Holds T13, T14.
		try "$windows_name, $words: the model's tree" window $more
	done
	try "$windows_name: unmount" stop_mount whole
}

for seed in ${CFS_SEEDS:-3}; do
	rm -rf "$T/crawl"
	{
		python3 "$model/hostile_urls.py" --seed "$seed" --count 120 \
			--again 3
		for page in a a/b a/b/c 'a?q' 'a?q/r' ab a.txt a/ a#f b; do
			echo "http://www.example.com/$page"
			echo "https://example.com:8080/$page"
		done
	} >"$T/urls"
	try "URLs captured again, seed $seed" "$mkcrawl" --arc --warc --pbtree \
		--urls "$T/urls" --seed "$seed" --page-bytes 300 \
		--archive-bytes 40000 "$T/crawl"
	windows "archives, seed $seed" own_model "$T/crawl" \
		"$T/crawl/manifest.tsv" -- status=200 status=300-399:404 \
		status=200,from=2012,at=20121 prefix=com prefix=com.example \
		prefix=com.example.www/a prefix=com.example.www/a/ \
		prefix=com.example/a:com.example.www/b status=200,prefix=com \
		status=999
done
where=data=$T/crawl,
# a revisit of another page's capture is not found by a CDX
cdx_model make cdxj "$T/crawl/manifest.tsv" "$T/crawl/index.cdxj"
cdx_model make zipnum "$T/crawl/manifest.tsv" "$T/zip" --lines 7
windows CDXJ "cdx_model check" "$T/crawl/index.cdxj" "$T/crawl/manifest.tsv" \
	--no-revisits --inverse 10 --crawlfs "$crawlfs" --source \
	"$T/crawl/index.cdxj" -- status=200 status=301:302,from=2012 \
	prefix=com.example prefix=com.example/a,status=200
windows ZipNum "cdx_model check" "$T/zip/cluster.idx" "$T/crawl/manifest.tsv" \
	--no-revisits -- status=200 prefix=com:org
where=
windows PB-tree own_model "$(echo "$T"/crawl/parse-output/url-index.*)" \
	"$T/crawl/manifest.tsv" --pbtree -- prefix=com.example
try "crawlfs index" "$crawlfs" index -q -o "$T/crawl/all.cfx" "$T/crawl"
windows cfx own_model "$T/crawl/all.cfx" "$T/crawl/manifest.tsv" --inverse 20 \
	--crawlfs "$crawlfs" --source "$T/crawl/all.cfx" -- status=200 \
	prefix=com.example prefix=com,at=2013,status=200:404

# ---- a union ----

members= manifests=
for seed in 1 2 3; do
	python3 "$model/hostile_urls.py" --seed 9 --count 120 --again 1 >"$T/urls"
	awk -v seed=$seed 'BEGIN { srand(seed) } rand() < 0.6' "$T/urls" \
		>"$T/some"
	"$mkcrawl" --warc --bare --urls "$T/some" --seed $seed --page-bytes 200 \
		"$T/m$seed" >/dev/null &&
		"$crawlfs" index -q -o "$T/m$seed/i.cfx" "$T/m$seed" || exit 1
	members=${members:+$members,}$T/m$seed/i.cfx
	manifests=${manifests:+$manifests,}$T/m$seed/manifest.tsv
done
windows union own_model "$members" "$manifests" -- status=200 \
	status=200:404,from=2012 prefix=com prefix=org,status=300-599

# ---- parts of what is picked ----

parts() {
	start_mount whole -o "$1" "$T/crawl/all.cfx" || return 1
	for k in 1 2 3; do
		start_mount "$k" -o "$1,part=$k/3" "$T/crawl/all.cfx" ||
			return 1
	done
	for k in whole 1 2 3; do
		(cd "$T/$k" && find . -type f -printf '%p %i\n') >"$T/files.$k"
	done
	sort "$T/files.whole" >"$T/files"
	sort "$T"/files.[123] | cmp - "$T/files" && [ -s "$T/files" ]
	parts_ended=$?
	for k in whole 1 2 3; do
		stop_mount "$k" || return 1
	done
	return $parts_ended
}
try "parts of status=200 are the whole" parts status=200
# Holds T14.
try "parts below prefixes are the whole" parts prefix=com:org,status=200:404

# ---- commands beside a mount ----

commands() {
	python3 "$here/time_check.py" commands "$crawlfs" "$mnt" "$@"
}
start_mount mnt -o status=200,at=2013 "$T/crawl/all.cfx" || exit 1
try "commands with --status and --at" commands "$T/crawl/all.cfx" \
	--status=200 --at=2013
try "config has the words" grep -q '"status=200"' "$mnt/.crawlfs/config"
try "unmount" stop_mount mnt

# ---- lines ----

picked make "$T/x.cdxj" 1500 5 || exit 1
for options in --status=200 --status=3xx,404 --mime=pdf '--mime=image/*,text/html' \
	--language=deu --language=any:deu,zho --dedup=digest \
	"--status=200 --mime=html --language=eng" "--from=2015 --status=200" \
	"--to=2012 --dedup=digest" "--mime=html --dedup=digest --status=200" \
	--prefix=com.b "--prefix=*.b.com" "--prefix=com.b/d1 --mime=html" \
	"--prefix=com.a --dedup=digest" --mime=none/none; do
	try "lines: $options" picked lookup "$crawlfs" "$T/x.cdxj" $options
done
"$crawlfs" index -q --digests -o "$T/x.cfx" "$T/x.cdxj" || exit 1
"$crawlfs" index -q --digests -o "$T/again.cfx" "$T/x.cfx" || exit 1
for options in --dedup=digest "--to=2012 --dedup=digest" \
	"--prefix=com.a --dedup=digest"; do
	for index in x again; do
		# Holds T28.
		try "$index.cfx: $options" picked lookup "$crawlfs" \
			"$T/x.cdxj:$T/$index.cfx" $options
	done
done
for options in --status=200 "--mime=html --dedup=digest" --language=eng; do
	try "lines in parts: $options" picked parts "$crawlfs" "$T/x.cdxj" 3 \
		$options
done
# has N WORD...: the commands that work below prefixes have so many captures.
has() {
	n=$1
	shift
	for command in check summary; do
		same "$n" "$("$crawlfs" "$command" --json "$T/x.cfx" "$@" |
			jq .captures)" || return 1
	done
	same "$n" "$("$crawlfs" export -q --fields=url "$T/x.cfx" "$@" | wc -l)"
}
# prefixes PREFIX [OPTION...]: they have what lookup lists, by an option and as
# an operand, and of what another prefix covers, too.
prefixes() {
	prefix=$1
	shift
	listed=$("$crawlfs" lookup "$T/x.cfx" --prefix="$prefix" "$@" | wc -l)
	in_tree=$("$crawlfs" ls -R --views=raw "$T/x.cfx" --prefix="$prefix" \
		"$@" | grep -vc '/$')
	[ "$listed" -gt 0 ] && same "$listed" "$in_tree" &&
		has "$listed" --prefix="$prefix" "$@" &&
		has "$listed" "$prefix" "$@" &&
		has "$listed" com --prefix="$prefix" "$@" &&
		has "$listed" "$prefix" --prefix="*.com" "$@"
}
for prefix in com.a "com.b --dedup=digest" "com.b/d1 --mime=html" \
	"com.a --dedup=digest --mime=html"; do
	# Holds T14.
	try "each command has the same below $prefix" prefixes $prefix
done
mounted() {
	words=$1
	shift
	start_mount mnt -o "missing=ok,$words" "$T/x.cdxj" || return 1
	picked mount "$crawlfs" "$T/x.cdxj" "$mnt" "$@"
	mounted_ended=$?
	stop_mount mnt && return $mounted_ended
}
try "mounted: a type and a language" mounted mime=html,language=any:deu:zho \
	--mime=html --language=any:deu,zho
try "mounted: a copy once" mounted dedup=digest --dedup=digest
try "mounted: a copy once of some" mounted dedup=digest,status=200:301 \
	--dedup=digest --status=200,301

# ---- similar content ----

near_helper() { "$CFS_BUILDDIR/tests/mount/near_helper" "$@"; }
near_helper "$T/near.cfx" 2000 1 >"$T/near" || exit 1
for bits in 0 3 4 7; do
	# Holds T29.
	try "similar in $bits bits" picked near "$crawlfs" "$T/near.cfx" \
		"$T/near" $bits
done
# the same hashes, mostly of other URLs
near_helper "$T/more.cfx" 2600 1 >>"$T/near" || exit 1
# Holds T29.
try "similar in a union" picked near "$crawlfs" "$T/near.cfx,$T/more.cfx" \
	"$T/near" 3
# more are kept than are in memory at a time
near_helper "$T/many.cfx" 12000 1 all >"$T/near" || exit 1
for mem in 1M 1G; do
	"$crawlfs" lookup "$T/many.cfx" / --dedup=near --mem=$mem 2>"$T/said" |
		sha1sum >"$T/many.$mem"
	try "some are left out with $mem" grep -q "left out: [1-9]" "$T/said"
done
try "in any memory the same ones" cmp "$T/many.1M" "$T/many.1G"

# ---- options ----

refused() {	# refused SAYS WORD...
	says=$1
	shift
	try "refused: $*" status 2 "$crawlfs" "$@"
	try "refused: $*: why" complains "$says"
}
x=$T/x.cdxj
refused "option 'status': 'good' is not a status" mount -o status=200:good \
	"$x" "$mnt"
refused "option '--mime': '' is not a type" ls "$x" --mime=
refused "option '--language': 'english' is not a language" lookup "$x" / \
	--language=english
refused "unknown value 'near:8'" mount -o dedup=near:8 "$x" "$mnt"
refused "'--near-bits': '8' is" lookup "$x" / --near-bits=8
refused "exclude each other" lookup "$x" / --near=a --closest=2012
refused "unknown value 'url'" mount -o dedup=url "$x" "$mnt"
try "no languages" status 1 "$crawlfs" ls "$T/crawl/all.cfx" --language=eng
# Holds T15.
try "says so" complains "has no languages to pick by"
try "no digests" status 1 "$crawlfs" ls "$T/crawl/all.cfx" --dedup=digest
try "says so, too" complains "has no digests.*'crawlfs index --digests'"
url=$(sed 's/.*"url": "\([^"]*\)".*/\1/; q' "$x")
for words in --dedup=near "--near=$url" --fields=cluster; do
	try "no hashes: $words" status 1 "$crawlfs" lookup "$x" com $words
	try "says what to do: $words" complains "'crawlfs index --simhash' keeps"
done
try "no statuses" status 1 "$crawlfs" ls --status=200 \
	"$(echo "$T"/crawl/parse-output/url-index.*)"
# Holds T15.
try "says what to do" complains "'crawlfs index'"
printf 'com,a)/1 20200101000000 {"url": "http://a.com/1", "offset": "1", "filename": "a.warc.gz"}\n' \
	>"$T/bare.cdxj"
try "lines without digests" status 1 "$crawlfs" ls "$T/bare.cdxj" --dedup=digest
try "says so of lines" complains "has no digests"

# ---- nothing is left ----

try "nothing is left" status 1 "$crawlfs" lookup "$x" com --status=999
# Holds T15.
try "which statuses there are" complains \
	"nothing is picked of 1500 captures; statuses: 200 ([0-9]*), "
try "of two conditions" status 1 "$crawlfs" lookup "$x" com --status=404 \
	--mime=none
try "each of the rest" complains "statuses: 200 .*types: text/html .*of all\|types: text/html"
try "check says so" status 1 "$crawlfs" check "$x" com --from=2030
try "which times" complains "times: 2010[0-9]* to 2024"
# Holds T15.
try "an empty mount says so" start_mount mnt -o status=999,missing=ok "$x"
try "in its log" grep -q "nothing is picked of 1500 captures" "$T/mnt.log"
try "unmount an empty one" stop_mount mnt
try "a prefix of nothing" start_mount mnt -o prefix=zz.none,missing=ok "$x"
try "says which" grep -q "'zz.none': no page is there" "$T/mnt.log"
try "and is empty" same "$(ls "$mnt")" ""
try "unmount that" stop_mount mnt

# ---- prefixes as people type them ----

# same_as OPERAND PREFIX: both have the same lines
same_as() {
	"$crawlfs" lookup "$x" "$1" >"$T/got" && "$crawlfs" lookup "$x" "$2" \
		>"$T/want" && cmp "$T/got" "$T/want" && [ -s "$T/got" ]
}
try "*.DOMAIN" same_as '*.b.com' com.b
try "http://*.DOMAIN/" same_as 'http://*.b.com/' com.b
try "*.DOMAIN/*" same_as '*.b.com/*' com.b
try "HOST/*" same_as 'b.com/*' 'http://b.com/*'
try "HOST/PATH*" same_as 'b.com/d1/*' 'http://b.com/d1/*'
try "reversed HOST/*" same_as 'com.b/*' 'http://b.com/*'
try "a pattern that is no prefix" status 1 "$crawlfs" lookup "$x" '*.b.com/d1/*'
try "says how" complains "neither a URL nor a prefix"
try "--prefix is an operand" same \
	"$("$crawlfs" lookup "$x" --prefix=com.a,com.b | wc -l)" \
	"$("$crawlfs" lookup "$x" com.a com.b | wc -l)"
try "--prefix narrows operands" same \
	"$("$crawlfs" lookup "$x" / com.b --prefix=com.a --prefix=com.a/d1 |
		wc -l) $("$crawlfs" export -q "$x" com --prefix=com.a | wc -l)" \
	"$("$crawlfs" lookup "$x" com.a | wc -l) $("$crawlfs" lookup "$x" com.a |
		wc -l)"
try "check --prefix alone" status 0 "$crawlfs" check "$x" --prefix='*.b.com' -h
try "cat of what a prefix leaves out" status 1 "$crawlfs" cat "$x" \
	--prefix=com.a http://b.com/p1
try "URLs in a list after -o" start_mount mnt -o \
	"missing=ok,prefix=http\\://b.com/d1/*:http://b.com/d2/*:com.a/d3" "$x"
try "has these" same "$(cd "$mnt" && echo com/*/_/*)" \
	"com/a/_/d3 com/b/_/d1 com/b/_/d2"
try "unmount these" stop_mount mnt
finish
