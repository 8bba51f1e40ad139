#!/bin/sh
# cluster_test.sh - clusters whose cluster.idx is damaged, here and on a server.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

damage() {
	python3 "$net/cluster_damage.py" "$crawlfs" "$@" >"$T/report"
	damage_rc=$?
	sed 's/^/# /' "$T/report"
	return $damage_rc
}
try "on this machine" damage "$T/local"
mkdir "$T/www"
start_faultd faultd "$T/www" || skip_all "no server"
try "on a server" damage "$T/www/z" "$url/z"
finish
