#!/bin/sh
# promises_test.sh - promises of doc/semantics.md that no other script holds the
# mount to.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
look() { python3 "$here/promises.py" "$@"; }
is_eio() { look raises EIO "$1"; }

# members: offset and length of the second record
read -r offset length <<END
$(look make "$T")
END

# ---- extended attributes, settings, statfs ----

try "mounted with attributes" start_mount attrs_mount -o xattr,views=raw:txt \
	"$T/attrs"
# Holds E14.
try "attributes are those of the capture" look attributes \
	"$T/attrs_mount/example/h/_/page?q=1" "$offset" "$length"
# Holds N15.
try ".crawlfs/config has the options" look config "$T/attrs_mount/.crawlfs/config" \
	"{\"sources\": [\"$T/attrs\"], \"mountpoint\": \"$T/attrs_mount\",
	  \"views\": [\"raw\", \"txt\"], \"xattr\": true}"
# Holds N15.
try ".crawlfs/version has the version" same \
	"$(cat "$T/attrs_mount/.crawlfs/version")" "$("$crawlfs" version | head -n 1)"
# Holds N16.
try "statfs: read-only, so many captures" look statfs "$T/attrs_mount" 2
try "a name of 256 bytes is too long" look raises ENAMETOOLONG \
	"$T/attrs_mount/example/$(printf %0256d 0)"
try "one of 255 bytes is not" look raises ENOENT \
	"$T/attrs_mount/example/$(printf %0255d 0)"

# ---- without /proc, and without a folder for temporary files ----

# bare COMMAND...: in a name space of its own, where there is no /proc
bare() {
	status 1 unshare -m sh -c 'umount -l /proc; exec "$@"' sh "$@"
}
if unshare -m true 2>/dev/null; then
	for command in umount url; do
		try "$command without /proc" bare "$crawlfs" $command \
			"$T/attrs_mount"
		try "$command without /proc: says so" complains \
			"there is no /proc/self/mountinfo"
	done
	try "which is mounted still" is_mounted "$T/attrs_mount"
	mkdir "$T/full"
	# no_temp COMMAND...: no folder can be written to
	no_temp() {
		unshare -m sh -c 'mount -t tmpfs -o ro none "$0/full" &&
			HOME=$0/full TMPDIR=$0/full XDG_CACHE_HOME=$0/full \
			exec "$@"' "$T" "$@"
	}
	try "ls without a temporary folder" status 0 no_temp "$crawlfs" ls -R \
		"$T/attrs"
	# Holds K6.
	try "it lists the same" same "$("$crawlfs" ls -R "$T/attrs")" \
		"$(cat "$T/out")"
else
	skip "without /proc: no name spaces here"
fi
try "unmounted" stop_mount attrs_mount

# What size_is_exact says is so, of indexed and of guessed sizes.
"$mkcrawl" --records 60 --page-bytes 2000 --warc "$T/agree" >/dev/null || exit 1
try "indexed without views" "$crawlfs" index -q --no-views -o "$T/agree/a.cfx" \
	"$T/agree"
"$crawlfs" lookup "$T/agree/a.cfx" / >"$T/agree/lines"
grep -h '^[a-z]' "$T/agree/lines" | sort >"$T/agree/a.cdxj"
for of in "$T/agree/a.cfx" "-o size=exact $T/agree/a.cfx" "$T/agree/a.cdxj"; do
	# shellcheck disable=SC2086	# words
	try "${of##*/}: mounted with attributes" start_mount agree_mount -o xattr $of
	# Holds E14.
	try "${of##*/}: size_is_exact agrees with stat" look agree "$T/agree_mount"
	try "${of##*/}: unmounted" stop_mount agree_mount
done

# An estimate says so: the archive that the CDX file names is not there.
mkdir "$T/away"
printf '%s\n' "example,h)/p 20240220111213 {\"url\": \"http://h.example/p\", \
\"status\": \"200\", \"filename\": \"a.warc.gz\", \"offset\": \"0\", \
\"length\": \"258\"}" >"$T/away/index.cdxj"
is_estimate() {
	same 0 "$(python3 -c 'import os, sys
print(os.getxattr(sys.argv[1], "user.crawlfs.size_is_exact").decode())' "$1")"
}
try "mounted without its archive" start_mount away_mount -o xattr,missing=ok \
	"$T/away/index.cdxj"
# Holds E14.
try "an estimate is no exact size" is_estimate "$T/away_mount/example/h/_/p"
try "and its archive is away" stop_mount away_mount

# ---- times ----

mkdir "$T/undated"
sed 's/^WARC-Date: .*Z/WARC-Date: some day/' "$T/shifted/a.warc" \
	>"$T/undated/a.warc"
try "mounted, with unknown times" start_mount undated_mount "$T/undated"
# Holds T5.
try "an unknown time is 1970-01-01" same 0 \
	"$(stat -c %Y "$T/undated_mount/example/h/_/moved")"
try "a known time is the capture's" stop_mount undated_mount

# ---- what contradicts the index, or is too large ----

try "indexed" "$crawlfs" index -q -o "$T/shifted/a.cfx" "$T/shifted/a.warc"
look shift "$T/shifted/a.warc"
try "mounted, with another body" start_mount shifted_mount "$T/shifted/a.cfx"
# Holds E12.
try "a body of another size is EIO" is_eio "$T/shifted_mount/example/h/_/moved"
try "its neighbour is served" grep -q caf "$T/shifted_mount/example/h/_/stays"
try "which is said" grep -q "a.warc: body has 18 bytes, the index says 12" \
	"$T/shifted_mount.log"
try "unmounted after that" stop_mount shifted_mount

try "indexed, large records too" "$crawlfs" index -q -o "$T/large/a.cfx" \
	"$T/large/a.warc.gz"
try "mounted with max_record" start_mount large_mount -o max_record=64k \
	"$T/large/a.cfx"
# Holds L9.
try "a record over max_record is EIO" is_eio "$T/large_mount/example/h/_/large"
try "a smaller one is served" same 100 \
	"$(wc -c <"$T/large_mount/example/h/_/small")"
try "unmounted then" stop_mount large_mount

# Sizes of views that another version has computed are none.
text_is_exact() {	# text_is_exact 0|1: of every .txt
	texts=$(find "$T/code_mount" -name '*.txt' -type f \
		-exec getfattr --only-values -n user.crawlfs.size_is_exact {} + |
		sort -u)
	case $texts in *"$1"*) ;; *) echo "$texts"; return 1 ;; esac
	case $texts in *$((1 - $1))*) echo "$texts"; return 1 ;; esac
}
if has_program getfattr; then
	rm "$T/agree/a.cfx"
	try "indexed with views" "$crawlfs" index -q -o "$T/agree/a.cfx" "$T/agree"
	try "views: mounted" start_mount code_mount -o xattr,views=txt \
		"$T/agree/a.cfx"
	try "sizes of views by this version are exact" text_is_exact 1
	try "views: unmounted" stop_mount code_mount
	look recode "$T/agree/a.cfx"
	try "views: mounted again" start_mount code_mount -o xattr,views=txt \
		"$T/agree/a.cfx"
	# Holds S10.
	try "sizes of views by another version are not used" text_is_exact 0
	try "views: unmounted again" stop_mount code_mount
else
	skip "sizes of views by another version: there is no getfattr"
fi

# ---- sources ----

many=
for i in $(seq 33); do many="$many $T/attrs"; done
mkdir "$T/many"
# shellcheck disable=SC2086
# Holds E13.
try "more than 32 sources are refused" status 2 "$crawlfs" mount $many "$T/many"
try "with the number" complains "32"

# ---- by handle, as NFS servers do ----

try "mounted for handles" start_mount handles_mount "$T/dirs"
# Holds N17.
try "files by handle, after all is forgotten" look handles "$T/handles_mount"
try "unmounted at last" stop_mount handles_mount
finish
