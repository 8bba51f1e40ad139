#!/bin/sh
# relative_env_test.sh - relative paths in the environment and in AWS's files mean
# the folder where the command was given, also for a mount in the background.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir "$T/here" "$T/www" "$T/www/bkt" "$T/m"
"$mkcrawl" --records 40 --hostile 0 --page-bytes 3000 --warc "$T/w" >/dev/null || exit 1
(cd "$T/w" && find . -name '*.warc.gz' -exec mv {} "$T/www/bkt/a.warc.gz" \; &&
	cd "$T/www/bkt" && "$crawlfs" index -q -o a.cfx a.warc.gz) || exit 1
start_faultd faultd "$T/www" || skip_all "no server"
cd "$T/here" || exit 1

# in_background [VARIABLE=VALUE...]: a mount of the archive, as people give it.
in_background() {
	env "$@" "$crawlfs" mount -o "cache=$T/c,timeout=60,readahead=off,endpoint=$url" s3://bkt/a.cfx "$T/m"
}
reads() { find "$T/m" -path "$T/m/.crawlfs" -prune -o -type f ! -name '*.txt' ! -name '*.meta' -print0 | xargs -0 -n 1 cat >/dev/null; }
credentials() { printf '[default]\naws_access_key_id = %s\naws_secret_access_key = s\n' "$1"; }
by() {	# by WHAT [VARIABLE=VALUE...]: credentials are found, and found again
	by_what=$1
	shift
	rm -rf "$T/c"
	rule fault=signed value=ONE:s
	credentials ONE >cred
	try "$by_what: mounts" in_background "$@"
	credentials TWO >cred
	rule fault=signed value=TWO:s
	try "$by_what: has the new keys, too" reads
	try "$by_what: unmounts" "$crawlfs" umount "$T/m"
}
cat >keys <<'END'
#!/bin/sh
id=$(sed -n 's/aws_access_key_id = //p' cred)
echo "{\"Version\": 1, \"AccessKeyId\": \"$id\", \"SecretAccessKey\": \"s\"}"
END
chmod +x keys
printf '[default]\ncredential_process = ./keys\n' >config
by "the file's absolute path" AWS_SHARED_CREDENTIALS_FILE="$T/here/cred"
# Holds E62.
by "a relative one" AWS_SHARED_CREDENTIALS_FILE=cred
# Holds E62.
by "a process in a relative file" AWS_CONFIG_FILE=config AWS_SHARED_CREDENTIALS_FILE=none
finish
