#!/bin/sh
# servers_test.sh - what was reported of servers like S3, against what is right:
# the cases of CFS_DATA/reports3-servers that need no mount.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

cases=${CFS_DATA:-/nonexistent}/reports3-servers
[ -d "$cases" ] || skip_all "there are no samples in CFS_DATA"
unset AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE	# they have a home
is_right() { CRAWLFS=$crawlfs sh "$cases/$1.sh" 2>&1 | tee "$T/out" && grep -qx RIGHT "$T/out"; }
for name in aws-chunked creds-endpoint creds-silent requester-pays s3-key-dots; do
	if [ -e "$cases/$name.sh" ]; then
		try "$name" is_right $name
	else
		skip "$name: there is no such sample"
	fi
done
finish
