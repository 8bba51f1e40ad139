#!/bin/sh
# cdx_test.sh - mounts of CDX, CDXJ and ZipNum files against the reference
# model: every name, inode, time and body; the same after crawlfs index.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# CFS_SEEDS="1 2 3" sh tests/model/cdx_test.sh runs other lists of URLs.
NEED_MOUNT=user
. "$CFS_SRCDIR/tests/mount/lib.sh"
crawl=$T/crawl
manifest=$crawl/manifest.tsv
mnt=$T/mnt

make() { python3 "$model/cdx_model.py" make "$@"; }

# same_tree SOURCE DATA OPTION...: mounts it and compares.
same_tree() {
	source=$1
	data=$2
	shift 2
	start_mount mnt -o "data=$data" "$source" || return 1
	python3 "$model/cdx_model.py" check "$@" "$mnt" "$manifest"
	same=$?
	stop_mount mnt && return $same
}

# own_tree SOURCE: what crawlfs index makes of a CDX is the archives' tree.
own_tree() {
	start_mount mnt "$1" || return 1
	python3 "$model/cdx_model.py" check --own --sample 300 "$mnt" "$manifest"
	same=$?
	stop_mount mnt && return $same
}

for seed in ${CFS_SEEDS:-1 10}; do
	rm -rf "$crawl"
	python3 "$model/hostile_urls.py" --seed "$seed" --count 500 >"$T/urls"
	try "hostile URLs, seed $seed" "$mkcrawl" --arc --warc \
		--urls "$T/urls" --seed "$seed" --page-bytes 300 \
		--archive-bytes 40000 "$crawl"
	make cdxj "$manifest" "$crawl/index.cdxj"
	make cdx "$manifest" "$crawl/index.cdx"
	make json "$manifest" "$crawl/index.json"
	gzip -k "$crawl/index.cdxj"
	make zipnum "$manifest" "$T/zip" --lines 7
	# Holds N1.
	try "seed $seed: CDXJ" same_tree "$crawl/index.cdxj" "$crawl" \
		--inverse 10 --crawlfs "$crawlfs" --source "$crawl/index.cdxj"
	try "seed $seed: CDX of eleven columns" same_tree "$crawl/index.cdx" \
		"$crawl" --sample 100
	try "seed $seed: JSON lines" same_tree "$crawl/index.json" "$crawl" \
		--sample 100
	try "seed $seed: CDXJ, compressed" same_tree "$crawl/index.cdxj.gz" \
		"$crawl" --sample 100
	# Holds N1.
	try "seed $seed: ZipNum" same_tree "$T/zip/cluster.idx" "$crawl" \
		--sample 300
done

# Real files of others, with the archives they are of.
real() {
	start_mount mnt "$T/real/$1" || return 1
	python3 "$model/cdx_model.py" sample "$mnt" "$T/real/$2" "$T/real"
	same=$?
	stop_mount mnt && return $same
}
if [ -d "${CFS_DATA:-/nonexistent}/cdx/pywb" ]; then
	mkdir "$T/real"
	cp "$CFS_DATA"/cdx/pywb/* "$CFS_DATA"/zipnum/pywb/* \
		"$CFS_DATA"/warc/pywb/* "$CFS_DATA"/arc/pywb/* "$T/real"
	chmod u+w "$T"/real/*
	for name in example.cdx example.cdxj example-no-digest.cdxj \
		example-arc-test.cdx iana.cdx iana.cdxj dupes.cdx post-test.cdx \
		example-non-surt.cdx; do
		try "sample $name" real $name $name
	done
	try "sample zipnum-sample.idx" real zipnum-sample.idx zipnum-sample.cdx.gz
	# nine columns, as of old: without lengths
	awk '{ print $1, $2, $3, $4, $5, $6, $7, $10, $11 }' \
		"$T/real/iana.cdx" | sed 1d >"$T/real/short.cdx"
	try "sample iana.cdx without lengths" real short.cdx iana.cdx
else
	skip "no real samples in CFS_DATA"
fi

# A `www` that keys lack: not listed, and there.
www() {
	printf 'com,example)/ 20140127171200 {"url": "http://www.example.com/", %s' \
		'"length": "9", "offset": "0", "filename": "a.warc.gz"}' \
		>"$T/www.cdxj"
	start_mount mnt -o missing=ok "$T/www.cdxj" || return 1
	got="$(cd "$mnt/com/example" && echo * && readlink www www2 &&
		stat -c %F www && ls www/www/_ && ! ls -d wwwx && ! ls -d _/www &&
		cd ../.. && ! ls -d www)" 2>/dev/null
	stop_mount mnt
	test "$got" = "_
.
.
symbolic link
_index
_index.meta
_index.txt" && "$crawlfs" ls "$T/www.cdxj" com/example/www/_
}
# Holds N11.
try "www is a link to its host" www

# An index made of lines: URLs as they are, so that no key stands for two.
rm -rf "$crawl"
try "a web of 1,500 captures" "$mkcrawl" --records 1500 --hostile 0 \
	--page-bytes 2000 --archive-bytes 300000 --warc --bare "$crawl"
make unsorted "$manifest" "$crawl/unsorted.cdx"
make cdxj "$manifest" "$crawl/index.cdxj"
make zipnum "$manifest" "$crawl/zip" --lines 100
try "crawlfs index of a CDX" "$crawlfs" index -q -o "$crawl/cdx.cfx" \
	"$crawl/unsorted.cdx"
try "its tree" own_tree "$crawl/cdx.cfx"
try "an unsorted CDX mounts, by an index made of it" \
	own_tree "$crawl/unsorted.cdx"
try "crawlfs index of a cluster" "$crawlfs" index -q -o "$crawl/zip.cfx" \
	"$crawl/zip/cluster.idx"
"$crawlfs" lookup "$crawl/index.cdxj" com >"$T/a"
"$crawlfs" lookup "$crawl/zip/cluster.idx" com >"$T/b"
# that index has no digests, and paths of its own
sed 's/"filename": "/&zip\//; s/"digest": "[^"]*", //; s/"path[a-z_]*": "[^"]*", //g' \
	"$T/a" >"$T/c"
"$crawlfs" lookup "$crawl/zip.cfx" com | sed 's/"path[a-z_]*": "[^"]*", //g' |
	sort >"$T/d"
sort "$T/c" >"$T/e"
try "the same lines by CDXJ and by ZipNum" cmp "$T/a" "$T/b"
try "some lines" test "$(wc -l <"$T/a")" -gt 100
try "the same lines by an index of the cluster" cmp "$T/d" "$T/e"
finish
