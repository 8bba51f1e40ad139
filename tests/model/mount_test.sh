#!/bin/sh
# mount_test.sh - mounted trees of hostile crawls against the reference model:
# every name, inode, time and body; `crawlfs path` and `crawlfs url` inverse.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# CFS_SEEDS="1 2 3" sh tests/model/mount_test.sh runs other lists of URLs.
NEED_MOUNT=user
. "$CFS_SRCDIR/tests/mount/lib.sh"
mnt=$T/mnt

# same_tree SOURCE OPTION...: mounts it and compares.
same_tree() {
	source=$1
	shift
	start_mount mnt "$source" || return 1
	python3 "$model/check_mount.py" --inverse 25 --crawlfs "$crawlfs" \
		--source "$source" "$@" "$mnt" "$T/crawl/manifest.tsv"
	same=$?
	stop_mount mnt && return $same
}

for seed in ${CFS_SEEDS:-1 2 10}; do
	rm -rf "$T/crawl"
	python3 "$model/hostile_urls.py" --seed "$seed" --count 600 >"$T/urls"
	try "hostile URLs, seed $seed" "$mkcrawl" --arc --warc --pbtree \
		--urls "$T/urls" --seed "$seed" --page-bytes 300 \
		--archive-bytes 40000 "$T/crawl"
	# Holds N1, S1.
	try "seed $seed: tree of the archives" same_tree "$T/crawl"
	# Holds N1.
	try "seed $seed: tree of the PB-tree" same_tree \
		"$T/crawl/parse-output/url-index.1356128792" --pbtree
done

rm -rf "$T/crawl"
try "a web of 1,500 captures" "$mkcrawl" --records 1500 --hostile 25 \
	--page-bytes 2000 --archive-bytes 300000 --pbtree --arc --warc "$T/crawl"
try "web: tree of the archives" same_tree "$T/crawl"
try "web: tree of the PB-tree" same_tree \
	"$T/crawl/parse-output/url-index.1356128792" --pbtree
finish
