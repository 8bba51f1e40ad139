# parties.sh - part of bench.sh: crawlfs and what it is compared with.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts

find_programs() {
	local p
	for p in "$crawlfs" "$mkcrawl" "$clients" "$lookups" \
		"$views"; do
		[ -x "$p" ] || die "no '$p': run make bench"
	done
	can_mount=1
	if [ "$(id -u)" != 0 ] || [ ! -c /dev/fuse ]; then
		can_mount=
		say "not root, or no /dev/fuse: rows that need a mount are left out"
	fi
	find_images
	find_limit
}

find_limit() {
	limit=$work/tmp/nullfs
	if [ ! -f "$limit_src/nullfs.c" ]; then
		limit=
		say "no '$limit_src/nullfs.c': rows of the limit are left out"
		return
	fi
	mkdir -p "$work/tmp/limit"
	cp "$limit_src/nullfs.c" "$here/genhtml.h" "$work/tmp/limit"
	# shellcheck disable=SC2046	# words
	if ! cc -O2 "$work/tmp/limit/nullfs.c" -o "$limit" \
		$(pkg-config --cflags --libs fuse3) -lz -ldeflate -lpthread \
		2>"$work/tmp/log"; then
		limit=
		say "nullfs.c does not compile: rows of the limit are left out"
	fi
}

# wait_mounted: until the daemon just started has mounted
wait_mounted() {
	wait_for mounted_or_ended "$mnt" "$mount_pid"
	is_mounted "$mnt" && return 0
	mount_pid=
	cat "$work/tmp/daemon.log" >&2
	return 1
}

# start_daemon COMMAND...: it stays in the foreground of a job of ours
start_daemon() {
	"$@" >"$work/tmp/daemon.log" 2>&1 &
	mount_pid=$!
	wait_mounted || die "cannot mount: $*"
}

# start_crawlfs SET [OPTIONS]
start_crawlfs() {
	start_daemon "$crawlfs" mount "$work/$1.cfx" "$mnt" -f ${2:+-o "$2"}
}

# Options of nullfs for a set: names three times as many where all views are
# listed, and as long in the mean.
limit_options() {
	case $1 in
	dirs) echo "--dirs $dirs_n --files $files_n" ;;
	dirs3) echo "--dirs $dirs_n --files $((3 * files_n)) --namelen 16" ;;
	flat) echo "--dirs 1 --files $flat_n --namelen 14 --no-opendir-cache" ;;
	flat3)
		echo "--dirs 1 --files $((3 * flat_n)) --namelen 17" \
			"--no-opendir-cache"
		;;
	cat) echo "--dirs $cat_dirs --files $cat_files $(limit_inflates)" ;;
	huge) echo "--dirs 1 --files 1 --one $huge_bytes" ;;
	small | wild) limit_folders "$1" ;;
	esac
}
# As many folders of one level, of as many files each as in the mean.
limit_folders() {
	local dirs files names name_bytes
	read -r dirs files names name_bytes <"$work/$1.shape"
	echo "--dirs $dirs --files $(((files + dirs / 2) / dirs))" \
		"--namelen $name_bytes $(limit_inflates)"
}
limit_inflates() { echo "--inflate libdeflate --pool $limit_pool"; }
start_limit() {
	local bytes=$list_bytes
	case $1 in
	dirs*) bytes=$(mean_bytes dirs) ;;
	flat*) bytes=$(mean_bytes flat) ;;
	cat | small | wild) bytes=$(mean_bytes "$1") ;;
	esac
	# shellcheck disable=SC2046	# words
	BENCH_PAGES=$work/pages-$1 start_daemon "$limit" \
		--rdplus "${limit_rdplus:-adapt}" \
		--size "$bytes" $(limit_options "$1") "$mnt"
}

# parties SET: who can show that tree, and is asked for
parties() {
	local party
	echo crawlfs
	for party in $references; do
		case $party:$1 in
		*:flat3) [ "$party" = limit ] || continue ;; # three million
		*fuse:small | *fuse:wild) continue ;;
		esac
		case $party in
		squashfuse) [ -n "$squashfuse" ] || continue ;;
		erofsfuse) [ -n "$erofsfuse" ] || continue ;;
		limit) [ -n "$limit" ] || continue ;;
		esac
		echo "$party"
	done
}

# enter PARTY SET VIEWS: caches dropped, mounted; $root is where the pages are
enter() {
	sync
	echo "${drop:-2}" >/proc/sys/vm/drop_caches
	root=$mnt/$(inside "$2")
	case $1 in
	crawlfs) start_crawlfs "${2%3}" "$3" ;;
	native) root=$work/native-$2/$(inside "$2") ;;
	squashfuse) start_daemon "$squashfuse" -f "$work/$2.squashfs" "$mnt" ;;
	erofsfuse) start_daemon "$erofsfuse" -f "$work/$2.erofs" "$mnt" ;;
	limit)
		start_limit "$2"
		root=$mnt
		[ "${2%3}" != flat ] || root=$mnt/d000000
		;;
	esac
}
leave() { unmount; }
