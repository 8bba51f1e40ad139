#!/bin/sh
# s3_keys_test.sh - credentials from everywhere that the AWS tools have them from,
# and again when they end, change or are refused.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir -p "$T/w/s3/b"
python3 -c "import random, sys; random.seed(5); sys.stdout.buffer.write(random.randbytes(5000))" >"$T/w/s3/b/x"
export HOME="$T/home"
mkdir -p "$HOME/.aws"
unset AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE
config=$HOME/.aws/config helper=$CFS_BUILDDIR/tests/net/fetch_helper
rules() { printf '%s\n' "$1" >"$T/w/rules" && : >"$T/w/log"; }
config() { cat >"$config"; }
gets_ms=9000
# gets RANGE...: those bytes of the object come.  A request that waits for
# credentials would be late if nothing woke it but the idle loop's 10 s.
gets() {
	fetch --timeout "$gets_ms" s3://b/x "$@" >"$T/got" 2>"$T/err" || { cat "$T/err"; return 1; }
	for range in "$@"; do
		tail -c +$((${range%:*} + 1)) "$T/w/s3/b/x" | head -c "${range#*:}"
	done | cmp - "$T/got"
}
# fails WORDS [VARIABLE=...]: nothing comes, and a line has these words.
fails() {
	fails_words=$1
	shift
	env "$@" "$helper" --timeout 3000 s3://b/x 0:10 >"$T/got" 2>"$T/err" && return 1
	cat "$T/err"
	[ ! -s "$T/got" ] && grep -q "$fails_words" "$T/err"
}
logged() { same "$1" "$(tr '\n' , <"$T/w/log")"; }
hides() { ! grep -e SECRET -e TOKEN "$T/err"; }

start_server keysd python3 "$net/s3_keysd.py" "$T/w" || skip_all "no server"
export AWS_ENDPOINT_URL_S3="$url"

# ---- where they come from ----

rules '{"accept": "K:SECRET"}'
config <<EOF
[profile default]
aws_access_key_id=K
aws_secret_access_key=SECRET
EOF
# Holds E53.
try "[profile default]" gets 0:100
config <<EOF
[default]
aws_access_key_id=K
aws_secret_access_key=SECRET
endpoint_url=$url
[profile p]
aws_access_key_id=K
aws_secret_access_key=SECRET
services=l
[services l]
s3 =
  endpoint_url = $url
EOF
try "the endpoint of a profile" env -u AWS_ENDPOINT_URL_S3 "$helper" s3://b/x 0:10
try "and of its services" env -u AWS_ENDPOINT_URL_S3 AWS_PROFILE=p "$helper" s3://b/x 0:10

rules '{"accept": "P:SECRET:TOKEN"}'
cat >"$T/a process" <<'EOF'
#!/bin/sh
[ "$*" = "-x a b" ] || exit 9
echo '{"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "SECRET",
  "SessionToken": "TOKEN", "Expiration": "2099-01-01T00:00:00+00:00"}'
EOF
chmod +x "$T/a process"
process() { printf '[default]\ncredential_process = %s\n' "$1" >"$config"; }
process "'$T/a process' -x \"a b\""
# Holds E53.
try "credential_process" gets 0:100 200:50
process "'$T/a process' -x"
try "a process that fails" fails "credential_process of profile 'default': the process ended with status 9"
process /nowhere/x
try "one that is not there" fails "cannot run '/nowhere/x'"
process '"a'
try "one that cannot be split" fails quote
process 'sh -c "echo SECRET"'
try "one that prints something else" fails "not the JSON"
# Holds E54.
try "which is not shown" hides
process 'yes SECRET'
try "one that prints without end" fails "more than credentials"
process 'sleep 3600'
try "one that does not end" fails "has not ended after 3 s"
process "echo '{\"Version\": 2, \"AccessKeyId\": \"P\", \"SecretAccessKey\": \"SECRET\"}'"
try "another version" fails Version
process "echo '{\"Version\": 1, \"AccessKeyId\": \"P\", \"SecretAccessKey\": \"SECRET\", \"Expiration\": \"2001-01-01T00:00:00Z\"}'"
try "what has expired already" fails "expired already"
printf '[profile p]\nregion=eu-west-1\nsso_session=x\n' >"$config"
# Holds E53.
try "a kind that is not known is named" fails "'p' .*sso_session" AWS_PROFILE=p
rm -f "$config"

rules '{"accept": "C:SECRET:TOKEN", "give": "C:SECRET:TOKEN", "token": "Basic x"}'
printf 'Basic x\n' >"$T/token"
export AWS_CONTAINER_CREDENTIALS_FULL_URI="$url/container"
# Holds E53.
try "a container without its token" fails "AWS_CONTAINER_CREDENTIALS: its server answers 401"
export AWS_CONTAINER_AUTHORIZATION_TOKEN="Basic x"
try "a container" gets 0:100
busy() {
	rules '{"accept": "C:SECRET:TOKEN", "give": "C:SECRET:TOKEN", "token": "Basic x", "busy": '"$1"'}'
}
busy 2
try "one that is busy for a moment" gets 0:100
# Holds E50.
try "is asked three times" logged "GET /container -,GET /container -,GET /container -,GET /b/x C,"
busy 3
try "and no more often" fails "AWS_CONTAINER_CREDENTIALS: its server answers 503"
busy 0
export AWS_CONTAINER_AUTHORIZATION_TOKEN=wrong AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE="$T/token"
try "with its token in a file" gets 0:100
try "not on another machine without TLS" fails "without TLS on another machine" AWS_CONTAINER_CREDENTIALS_FULL_URI=http://192.0.2.1/x
unset AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_AUTHORIZATION_TOKEN AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE

unset AWS_EC2_METADATA_DISABLED
export AWS_EC2_METADATA_SERVICE_ENDPOINT="$url/"
rules '{"accept": "I:SECRET:TOKEN", "give": "I:SECRET:TOKEN", "role": "the-role"}'
# Holds E53.
try "an instance" gets 0:10
try "by its protocol" logged "PUT /latest/api/token -,GET /latest/meta-data/iam/security-credentials/ -,GET /latest/meta-data/iam/security-credentials/the-role -,GET /b/x I,"
rules '{"role": ""}'
try "an instance without a role: anonymous" gets 0:10
rules '{}'
try "an instance is not asked when that is disabled" env AWS_EC2_METADATA_DISABLED=true "$helper" s3://b/x 0:10
try "indeed not" logged "GET /b/x -,"
AWS_EC2_METADATA_SERVICE_ENDPOINT="http://127.0.0.1:$(free_port)"
try "an instance that does not answer: anonymous" gets 0:10
unset AWS_EC2_METADATA_SERVICE_ENDPOINT
export AWS_EC2_METADATA_DISABLED=true

rules '{"accept": "W:SECRET:TOKEN", "give": "W:SECRET:TOKEN", "form": {"WebIdentityToken": "a/b+c.d", "RoleArn": "arn:aws:iam::1:role/x", "RoleSessionName": "me"}}'
printf 'a/b+c.d\n' >"$T/token"
export AWS_WEB_IDENTITY_TOKEN_FILE="$T/token" AWS_ROLE_ARN=arn:aws:iam::1:role/x AWS_ROLE_SESSION_NAME=me AWS_ENDPOINT_URL_STS="$url"
# Holds E53.
try "a web identity" gets 0:10
try "asked for without a signature" logged "POST /?AssumeRoleWithWebIdentity -,GET /b/x W,"
try "one that is refused" fails "AWS_WEB_IDENTITY_TOKEN_FILE: its server answers 400 InvalidIdentityToken: No RoleArn" AWS_ROLE_ARN=x
try "without its file" fails "cannot read" AWS_WEB_IDENTITY_TOKEN_FILE=/nowhere
unset AWS_WEB_IDENTITY_TOKEN_FILE AWS_ROLE_ARN AWS_ROLE_SESSION_NAME
rules '{"accept": "R:SECRET:TOKEN", "give": "R:SECRET:TOKEN", "form": {"RoleArn": "arn:x", "ExternalId": "e"}}'
config <<EOF
[default]
role_arn=arn:x
external_id=e
source_profile=q
[profile q]
aws_access_key_id=Q
aws_secret_access_key=SECRET
[profile r]
role_arn=arn:x
source_profile=s
[profile s]
sso_session=s
EOF
# Holds E53.
try "a role" gets 0:10
try "asked for with the keys of its source" logged "POST /?AssumeRole Q,GET /b/x R,"
try "a role whose source is not known" fails "role_arn of profile 'r': its source" AWS_PROFILE=r

# ---- again ----

rm -f "$config"
printf '[default]\naws_access_key_id=A\naws_secret_access_key=SECRET\n' >"$T/w/credentials"
export AWS_SHARED_CREDENTIALS_FILE="$T/w/credentials"
new='[default]\naws_access_key_id=B\naws_secret_access_key=SECRET2\n'
rules "{\"accept\": \"B:SECRET2\", \"refusal\": \"400 ExpiredToken\", \"then\": {\"credentials\": \"$new\"}}"
# Holds E55.
try "refused, and the file has others by then" gets 0:10 20:10
# Holds E55.
try "by one request more" logged "GET /b/x A,GET /b/x B,GET /b/x B,"
rules '{"accept": "C:x", "refusal": "400 ExpiredToken"}'
try "refused, and the file has not" fails "ExpiredToken: text of ExpiredToken"
rules '{"accept": "C:x", "refusal": "403 AccessDenied"}'
try "access is denied" fails AccessDenied
# Holds E55.
try "once, where the file is the same" logged "GET /b/x B,"
unset AWS_SHARED_CREDENTIALS_FILE

# A process that gives P1, P2, ... out, all but the first after a second; the
# first of them end after $1 seconds.
counting() {
	rm -f "$T/runs"
	cat >"$T/counting" <<EOF
#!/bin/sh
echo x >>"$T/runs"
n=\$(grep -c . "$T/runs") end=2099-01-01T00:00:00Z
[ \$n = 1 ] || sleep 1
[ \$n != 1 ] || [ $1 = 0 ] || end=\$(date -u -d "$1 seconds" +%Y-%m-%dT%H:%M:%SZ)
echo '{"Version": 1, "SecretAccessKey": "SECRET",' "\"AccessKeyId\": \"P\$n\", \"Expiration\": \"\$end\"}"
EOF
	chmod +x "$T/counting"
	process "'$T/counting'"
}
runs() { grep -c . "$T/runs"; }
rules '{"accept": "P2:SECRET", "refusal": "403 InvalidAccessKeyId"}'
counting 0
# Holds E55.
try "refused, and the process gives others" gets 0:10 20:10
try "which is run once more" same 2 "$(runs)"
rules '{"accept": "P9:SECRET", "refusal": "403 AccessDenied"}'
counting 0
try "access is denied to a process" fails AccessDenied
try "which is not run again for that" same 1 "$(runs)"
# the first answer comes when they have ended
rules '{"late_ms": 3100}'
counting 2
gets_ms=20000
try "credentials that have ended are got again" gets 0:10 20:10
# Holds E55.
try "before they are used" logged "GET /b/x P1,GET /b/x P2,"
rm -f "$config"

# ---- who pays ----

config <<EOF
[default]
aws_access_key_id=K
aws_secret_access_key=SECRET
EOF
printf '%b' 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example/\r\n' 'WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n' 'Content-Type: application/http\r\nContent-Length: 24\r\n\r\n' 'HTTP/1.1 200 OK\r\n\r\nhello\r\n\r\n' >"$T/w/s3/b/one.warc"
pays() { "$crawlfs" ls --cache="$T/c" "$@" s3://b/one.warc >"$T/got" 2>"$T/err" || { cat "$T/err"; return 1; }; }
rules '{"accept": "K:SECRET", "payer": "requester"}'
for option in --request-payer=requester --request-payer --requester-pays; do
	rm -rf "$T/c"
	# Holds E56.
	try "$option: signed with the rest" pays $option
done
rm -rf "$T/c"
try "by the environment" env AWS_REQUEST_PAYER=requester "$crawlfs" ls --cache="$T/c" s3://b/one.warc
rm -rf "$T/c"
# Holds E56.
try "never without it" fails AccessDenied
try "another word is refused" status 2 "$crawlfs" ls --request-payer=me s3://b/one.warc
rules '{"accept": "K:SECRET", "payer": ""}'
# Holds E56.
try "where nobody pays" pays
rm -f "$config"

# ---- none ----

printf '[default]\naws_access_key_id=A\naws_secret_access_key=SECRET\n' >"$HOME/.aws/credentials"
rules '{}'
try "anonymous by wish" env AWS_NO_SIGN_REQUEST=true "$helper" s3://b/x 0:10
try "without a signature" logged "GET /b/x -,"
finish
