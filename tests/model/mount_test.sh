#!/bin/sh
# mount_test.sh - mounted trees of hostile crawls against the reference model:
# every name, inode, time and body; `crawlfs path` and `crawlfs url` inverse.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# CFS_SEEDS="1 2 3" sh tests/model/mount_test.sh runs other lists of URLs.
set -u
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
command -v fusermount3 >/dev/null || { echo "SKIP: no fusermount3"; exit 77; }
[ -w /dev/fuse ] || { echo "SKIP: no /dev/fuse"; exit 77; }
crawlfs=$CFS_BUILDDIR/crawlfs
mkcrawl=$CFS_BUILDDIR/crawlfs-mkcrawl
model=$CFS_SRCDIR/tests/model
dir=$(mktemp -d) || exit 1
mnt=$dir/mnt
mkdir "$mnt"
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME
failed=0

unmount() { "$crawlfs" umount "$mnt" || fusermount3 -u "$mnt"; }
finish() {
	mountpoint -q "$mnt" && fusermount3 -u "$mnt"
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

try() {
	name=$1
	shift
	if "$@" >"$dir/log" 2>&1; then
		echo "ok: $name"
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		tail -n 20 "$dir/log"
	fi
}

# same_tree SOURCE OPTION...: mounts it and compares.
same_tree() {
	source=$1
	shift
	"$crawlfs" mount "$source" "$mnt" || return 1
	python3 "$model/check_mount.py" --inverse 25 --crawlfs "$crawlfs" \
		--source "$source" "$@" "$mnt" "$dir/crawl/manifest.tsv"
	same=$?
	unmount && return $same
}

for seed in ${CFS_SEEDS:-1 2 10}; do
	rm -rf "$dir/crawl"
	python3 "$model/hostile_urls.py" --seed "$seed" --count 600 >"$dir/urls"
	try "hostile URLs, seed $seed" "$mkcrawl" --arc --warc --pbtree \
		--urls "$dir/urls" --seed "$seed" --page-bytes 300 \
		--archive-bytes 40000 "$dir/crawl"
	try "seed $seed: tree of the archives" same_tree "$dir/crawl"
	try "seed $seed: tree of the PB-tree" same_tree \
		"$dir/crawl/parse-output/url-index.1356128792" --pbtree
done

rm -rf "$dir/crawl"
try "a web of 1,500 captures" "$mkcrawl" --records 1500 --hostile 25 \
	--page-bytes 2000 --archive-bytes 300000 --pbtree --arc --warc "$dir/crawl"
try "web: tree of the archives" same_tree "$dir/crawl"
try "web: tree of the PB-tree" same_tree \
	"$dir/crawl/parse-output/url-index.1356128792" --pbtree
exit $((failed > 0))
