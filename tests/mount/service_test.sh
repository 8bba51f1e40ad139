#!/bin/sh
# service_test.sh - what crawlfs-deploy(7) shows, run word for word with places of
# the test: lines of fstab, files of services, containers, Samba.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 60 --hostile 0 --page-bytes 1000 --archive-bytes 20000 --warc "$T/made" \
	>/dev/null || exit 1
data=$T/data
mkdir "$data" "$data/warcs" "$T/bin" "$T/m" "$T/out"
cp "$T"/made/crawl-data/*/*/*/*/*.warc.gz "$data/warcs/"
ln -s "$crawlfs" "$T/bin/crawlfs"
ln -s "$crawlfs" "$T/bin/mount.crawlfs"
PATH=$T/bin:$PATH

# shown: what the manual shows, with places of the test
shown() {
	sed -e 's/^[#$] //' -e "s,/data,$data,g" -e "s,/out/,$T/out/,g" \
		-e "s,/srv/crawl.cfx,$data/crawl.cfx,g" \
		-e "s,/mnt/crawl,$T/m,g" -e "s, /mnt\$, $T/m," \
		-e "s,:8080,127.0.0.1:$port,g"
}
port=$(free_port)
captures() { "$crawlfs" lookup "$1" --prefix=/ 2>"$T/err" | wc -l; }
# has_all: the mount has each capture's page
has_all() { same "$(cd "$T/m" && find . -name '*.meta' | wc -l)" "$(captures "$data/crawl.cfx")"; }
mounted_all() { wait_for is_mounted "$T/m" && note_mount m && has_all; }
ends() { umount "$T/m" && wait_for daemon_ended "$T/m" && rm -f "$T/mounts/m"; }

# ---- a new state of a crawl ----

last=$(find "$data/warcs" -type f | sort | tail -n 1)
mv "$last" "$T/later.warc.gz"
from_manual crawlfs-deploy.7 state | shown >"$T/state"
by_state() { timeout 100 sh -e "$T/state" 2>"$T/err" || { cat "$T/err"; return 1; }; }
try "an index and a mount" by_state
try "which has all pages" mounted_all
before=$(captures "$data/crawl.cfx")
mv "$T/later.warc.gz" "$last"
try "the same words for a new state" by_state
note_mount m
try "which is larger" test "$(captures "$data/crawl.cfx")" -gt "$before"
try "and there" mounted_all
try "unmount" ends

# ---- fstab ----

by_fstab() {	# as mount(8) calls the program
	# shellcheck disable=SC2046
	set -- $(from_manual crawlfs-deploy.7 fstab | shown)
	same crawlfs "$3" && mount.crawlfs "$1" "$2" -o "$4"
}
try "a line of fstab" by_fstab
try "mounts the crawl" mounted_all
try "for all users" grep -q "^$data/crawl.cfx $T/m .*nosuid,nodev.*allow_other" /proc/self/mounts
try "unmount" ends

# ---- services ----

units=$CFS_SRCDIR/contrib/systemd
# words_of UNIT: what it starts, where variables are systemd's and %i is x
words_of() {
	sed -n 's/^ExecStart=//p' "$units/$1" | sed -e "s,/srv/crawl/%i,$T/m,"
}
by_unit() {	# by_unit UNIT COMMAND...: becomes what it starts, by $T/conf
	unit=$1
	shift
	# shellcheck disable=SC1091
	. "$T/conf"
	eval "exec \"\$@\" $(words_of "$unit")"
}
from_manual crawlfs-deploy.7 conf | shown >"$T/conf"
(by_unit crawlfs@.service) >"$T/m.log" 2>&1 &
unit_pid=$!
try "a service mounts it" mounted_all
try "unmount" umount "$T/m"
try "the service ends" ended_with 0 $unit_pid
rm -f "$T/mounts/m"

# is_enabled UNIT COMMAND: by the command, for units in a folder
is_enabled() {
	# shellcheck disable=SC2086
	set -- "$1" ${2#\# systemctl }
	systemctl --root="$T/root" "$2" "${4%@*}@x${4#*@NAME}" >"$T/out/enabled" 2>&1 &&
		[ -L "$(find "$T/root" -name "$1")" ]
}
if has_program systemctl; then
	mkdir -p "$T/root/etc/systemd/system"
	cp "$units"/*@.* "$T/root/etc/systemd/system"
	try "enabled" is_enabled crawlfs@x.service \
		"$(from_manual crawlfs-deploy.7 enable)"
	try "a server is, too" is_enabled crawlfs-serve@x.socket \
		"$(from_manual crawlfs-deploy.7 serve_enable)"
else
	skip "enabling units: there is no systemctl"
fi

# the server's socket is systemd's
answers() {	# answers NAME: to one who asks for that host
	python3 -c 'import sys, urllib.request
ask = urllib.request.Request(sys.argv[1], headers={"Host": sys.argv[2]})
sys.exit(b"<title>" not in urllib.request.urlopen(ask, timeout=20).read())' \
		"http://127.0.0.1:$port/" "$1"
}
if has_program systemd-socket-activate; then
	from_manual crawlfs-deploy.7 serve_conf | shown >"$T/conf"
	(by_unit crawlfs-serve@.service systemd-socket-activate \
		-l "127.0.0.1:$port" -E PATH) >"$T/serve.log" 2>&1 &
	unit_pid=$!
	try "a service serves it" wait_for answers crawl.example
	kill $unit_pid
	try "and ends" ended_with 0 $unit_pid
else
	skip "a service of HTTP: there is no systemd-socket-activate"
fi

# ---- containers: the commands in them, without a container ----

cat >"$T/bin/docker" <<'END'
#!/bin/sh
# docker run OPTION... crawlfs WORD...
[ "$1" = run ] || exit 1
while [ "$1" != crawlfs ]; do shift; done
exec "$@"
END
chmod +x "$T/bin/docker"
ln -s warcs "$data/crawl"
find_duckdb
from_manual crawlfs-deploy.7 docker | shown >"$T/docker"
(. "$T/docker") >"$T/serve.log" 2>&1 &
docker_pid=$!
try "in a container: a server" wait_for answers 127.0.0.1
kill "$(cat "/proc/$docker_pid/task/$docker_pid/children")"
wait $docker_pid
if [ -n "${CRAWLFS_DUCKDB:-}" ]; then
	try "and rows" test -s "$T/out/pages.parquet"
else
	skip "rows as Parquet: $install_problem"
fi
from_manual crawlfs-deploy.7 privileged | shown >"$T/docker"
(. "$T/docker") >"$T/m.log" 2>&1 &
docker_pid=$!
try "a mount" mounted_all
try "unmount" umount "$T/m"
try "which ends" ended_with 0 $docker_pid
rm -f "$T/mounts/m"

# ---- NFS ----

exports_form() {	# a path, a client and options of exports(5)
	from_manual crawlfs-deploy.7 exports | shown |
		grep -qxE "$T/m +[*].example[(]ro,fsid=[0-9]+,no_subtree_check,all_squash[)]"
}
try "a line of exports" exports_form

# ---- Samba ----

mkdir "$T/smb"
smb_config() {
	echo "[global]"
	echo "interfaces = 127.0.0.1"
	echo "bind interfaces only = yes"
	echo "smb ports = $port"
	for one in private ncalrpc; do
		echo "$one dir = $T/smb"
	done
	for one in state cache lock pid; do
		echo "$one directory = $T/smb"
	done
	echo "map to guest = bad user"
	echo "usershare max shares = 0"
	from_manual crawlfs-deploy.7 samba | shown
	echo "guest ok = yes"
}
smb() { smbclient -s /dev/null -p "$port" -N //127.0.0.1/crawl -c "$1"; }
smb_pages() {	# as the mount has them, by names that Windows takes
	LC_ALL=C.UTF-8 smb 'recurse; ls' >"$T/out/smb" 2>"$T/err" &&
		same "$(grep -c '[.]meta  ' "$T/out/smb")" "$(captures "$data/crawl.cfx")" &&
		not grep -q '[?*|<>"].*  *N  ' "$T/out/smb"
}
if has_program smbd && has_program smbclient; then
	chmod 711 "$T"
	port=$(free_port)
	smb_config >"$T/smb.conf"
	try "mount" start_mount m -o allow_other "$data/crawl.cfx"
	start smbd -F -s "$T/smb.conf" >"$T/smb.log" 2>&1
	try "Samba starts" wait_for smb ls
	try "Samba has all pages, by names that Windows takes" smb_pages
	kill "$started"
	try "unmount" stop_mount m
else
	skip "Samba: it is not installed"
fi
finish
