#!/bin/sh
# wacz_test.sh - WACZ files on a server, by few requests.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

make_wacz() { python3 "$CFS_SRCDIR/tests/make_wacz.py" "$@"; }
mkdir "$T/www" "$T/bodies"
start_nginx nginx "$T/www" || skip_all "no nginx"
requests() { grep -c "/$1" "$nginx_dir/access.log"; }
pages() { (cd "$1" && find . -type f ! -name '*.meta' ! -name '*.txt' | sort); }
# same_pages NAME HOST: all pages, and their bytes
same_pages() {
	same_root=$(echo "$2" | awk -F. '{print $2 "/" $1}')
	pages "$T/bodies/$same_root" >"$T/want"
	pages "$T/$1/$same_root" >"$T/got"
	cmp "$T/want" "$T/got" || return 1
	while read -r same_page; do
		cmp "$T/bodies/$same_root/$same_page" "$T/$1/$same_root/$same_page" ||
			return 1
	done <"$T/want"
}
same_page() { cmp "$T/bodies/$2" "$T/$1/$2"; }

# ---- a large one: where its bytes are, and no more, is read ----

# big NAME OPTION...: 8 requests for the mount and a page, 4 for another
big() {
	big_name=$1 big_host=$1.example
	shift
	make_wacz --bytes 1000000000 --host "$big_host" "$@" \
		"$T/www/$big_name.wacz" 3000 "$T/bodies" || return 1
	try "$big_name: 1 GB ($*)" start_mount m "$http_url/$big_name.wacz"
	try "$big_name: a page" same_page m "example/$big_name/www/_/Page/7"
	big_first=$(requests "$big_name")
	try "$big_name: $big_first requests for it" [ "$big_first" -le 8 ]
	try "$big_name: another" same_page m "example/$big_name/www/_/Page/2500"
	big_more=$(($(requests "$big_name") - big_first))
	try "$big_name: $big_more requests for it" [ "$big_more" -le 4 ]
	try "$big_name: all have names" same 3000 "$(find "$T/m" -path '*/Page/*' ! -name '*.meta' ! -name '*.txt' | wc -l)"
	try "$big_name: the daemon ends well" stop_mount m
	big_before=$(requests "$big_name")
	try "$big_name: again" start_mount m "$http_url/$big_name.wacz"
	big_more=$(($(requests "$big_name") - big_before))
	try "$big_name: $big_more requests, by the index that was kept" [ "$big_more" -le 2 ]
	try "$big_name: it ends, too" stop_mount m
	rm -f "$T/www/$big_name.wacz"
}
big one
big many --archives 12 --descriptors
big extra --archives 3 --extra --zip64

# ---- thousands of archives, each with a page ----

make_wacz --archives 3000 --host archives.many "$T/www/thousands.wacz" 3000 \
	"$T/bodies" || fail "a WACZ"
bytes_of() { (cd "$1/many/archives" && pages . | xargs cat | sha1sum); }
try "thousands of archives" start_mount m "$http_url/thousands.wacz"
try "all pages" same "$(pages "$T/m/many" | wc -l)" 3000
try "each has its own bytes" same "$(bytes_of "$T/m")" "$(bytes_of "$T/bodies")"
try "the daemon ends well" stop_mount m

# ---- small ones, whole ----

whole() {
	whole_name=$1 whole_host=$2
	try "$whole_name is mounted" start_mount m "$http_url/$whole_name"
	try "$whole_name: all pages" same_pages m "$whole_host"
	try "$whole_name: the daemon ends well" stop_mount m
}
make_wacz --host bad.keys --bad-keys "$T/www/keys.wacz" 400 "$T/bodies"
whole keys.wacz bad.keys
make_wacz --host no.index --no-index --archives 2 "$T/www/none.wacz" 20 "$T/bodies"
whole none.wacz no.index
make_wacz --host packed.up --deflate "$T/www/packed.wacz" 30 "$T/bodies"
whole packed.wacz packed.up
try "which says that it inflates" grep -q "1 of its archives is compressed" "$T/m.log"
try "into the cache folder" test -n "$(ls "$T/cache/crawlfs/inflated")"
make_wacz --host in.side --plain "$T/in.wacz" 30 "$T/bodies"
make_wacz "$T/www/outer.wacz" --wrap "$T/www/keys.wacz" "$T/in.wacz" "$T/www/packed.wacz"
whole outer.wacz in.side
whole outer.wacz bad.keys
whole outer.wacz packed.up
make_wacz --deflate "$T/www/zipped.zip" --wrap "$T/in.wacz"
whole zipped.zip in.side

cat >"$T/www/list.json" <<EOT
{"profile": "multi-wacz-package", "resources": [
 {"path": "keys.wacz?signature=a%20b"}, {"path": "$http_url/none.wacz"}]}
EOT
whole list.json bad.keys
cp "$T/www/list.json" "$T/here.json"
sed -i "s,\"keys,\"$http_url/keys," "$T/here.json"
try "a list on this machine" start_mount m "$T/here.json"
try "has the pages of its URLs" same_pages m no.index
try "of all of them" same_pages m bad.keys
try "the daemon ends well" stop_mount m

make_wacz --host a.liar --lie other- "$T/www/lie.wacz" 5 "$T/bodies"
whole lie.wacz a.liar
try "a line of an archive that is not there is told" grep -q "names archive 'other-0.warc.gz', which is not there" "$T/m.log"
head -c 3000 "$T/www/keys.wacz" >"$T/www/cut.wacz"
try "one that was cut off shows what is whole" status 0 "$crawlfs" ls -R "$http_url/cut.wacz"
try "pages" grep -q '/Page/1$' "$T/out"
try "and said why" complains "a ZIP file without its end"
# Holds E30: an index that is damaged is told, and the archives are read instead.
spoil() {	# spoil FILE HOW: the list of captures in a WACZ, anew
	python3 - "$@" <<-'EOT'
		import sys, zipfile
		path, how = sys.argv[1:]
		old = zipfile.ZipFile(path)
		files = {n: bytearray(old.read(n)) for n in old.namelist()}
		name = "indexes/index.cdx.gz"
		if how == "inside":	# the checksum of the ZIP file holds
		    files[name][len(files[name]) * 2 // 3] ^= 0x55
		with zipfile.ZipFile(path, "w") as new:
		    for n, data in files.items():
		        new.writestr(n, bytes(data),
		                     old.getinfo(n).compress_type)
		if how == "outside":
		    data = bytearray(open(path, "rb").read())
		    data[data.index(files[name]) + 100] ^= 0x55
		    open(path, "wb").write(data)
	EOT
}
for how in inside outside; do
	for form in '' --deflate; do
		name=spoilt-$how$form
		make_wacz --host spoilt.list --archives 3 $form "$T/www/$name.wacz" \
			40 "$T/bodies"
		try "a list that is spoilt $how" spoil "$T/www/$name.wacz" $how
		whole "$name.wacz" spoilt.list
		try "which is told" grep -q "$name.wacz: its index is damaged: its archives are read" "$T/m.log"
		try "by the name of the list" not grep "/proc/" "$T/m.log"
	done
done
# Parts of an index, which may end between a WACZ and archives in it.
make_wacz --host three.parts --archives 3 --deflate "$T/www/three.wacz" 40 "$T/bodies"
in_parts() {	# in_parts N URL...: they make the index of one call
	parts_n=$1
	shift
	rm -rf "$T/parts" "$T/put.cfx" "$T/once.cfx"
	for part in $(seq "$parts_n"); do
		"$crawlfs" index -q --part="$part/$parts_n" -o "$T/parts" "$@" || return 1
	done
	"$crawlfs" index -q -o "$T/put.cfx" "$T/parts" &&
		"$crawlfs" index -q -o "$T/once.cfx" "$@" &&
		cmp "$T/put.cfx" "$T/once.cfx"
}
for n in 2 3 5; do
	# Holds W6.
	try "in $n parts" in_parts $n "$http_url/three.wacz" \
		"$http_url/spoilt-inside--deflate.wacz"
done
try "crawlfs index of a URL" "$crawlfs" index -q -o "$T/url.cfx" --base="$http_url/" "$http_url/keys.wacz"
start_mount m -o data="$http_url/" "$T/url.cfx"
try "has all pages" same_pages m bad.keys
try "the daemon ends well" stop_mount m

# ---- rows: in the order of archives these are read, whatever index is there ----

rows_of() { "$crawlfs" export -q --fields=url,timestamp,text,archive,offset "$@" | sed 's,"archive":"[^"]*/,",'; }
same_rows() {	# same_rows OPTION...: of a WACZ here, there, and there in parts
	make_wacz "$@" --host rows.example "$T/www/rows.wacz" 60 "$T/bodies" &&
		rows_of "$T/www/rows.wacz" | sort >"$T/want" &&
		same 60 "$(wc -l <"$T/want")" &&
		rows_of "$http_url/rows.wacz" | sort | cmp "$T/want" - &&
		for part in 1/2 2/2; do
			rows_of --part=$part "$http_url/rows.wacz"
		done | sort | cmp "$T/want" -
}
for how in '' '--archives 3' '--archives 3 --deflate' --no-index; do
	# shellcheck disable=SC2086
	try "rows of a WACZ: $how" same_rows $how
done
finish
