#!/bin/sh
# completion_test.sh - completion in bash, zsh and fish: what is offered behind a
# line, and lines as they are after a Tab.  That options and commands are all
# there is seen by cli_test.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
command -v python3 >/dev/null || skip_all "no python3"
PATH=$CFS_BUILDDIR:$PATH
check=$here/completion_check.py
# where fish has a folder of its own, else /tmp
export XDG_RUNTIME_DIR="$T/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"

"$mkcrawl" --records 300 --hostile 40 --arc --warc "$T/crawl" >/dev/null &&
	"$crawlfs" index -q -o "$T/crawl.cfx" "$T/crawl" || exit 1
cat >"$T/urls" <<'END'
http://quoted.example/a?x=1&y=2
http://quoted.example/b(c)
http://quoted.example/d'e
http://quoted.example/f;g
http://quoted.example/h$HOME
http://quoted.example/i[j]*
http://quoted.example/k:l=m
END
"$mkcrawl" --urls "$T/urls" --warc "$T/odd" >/dev/null &&
	"$crawlfs" index -q -o "$T/odd.cfx" "$T/odd" || exit 1
"$crawlfs" ls "$T/crawl" >/dev/null	# its index is kept from here on
for shell in bash zsh fish; do
	command -v $shell >/dev/null || {
		skip "completion in $shell: it is not here"
		continue
	}
	try "$shell: what is offered" python3 "$check" answers $shell \
		"$CFS_SRCDIR" "$T/crawl.cfx" "$T/crawl"
	try "$shell: what a Tab makes of a line" python3 "$check" typed $shell \
		"$CFS_SRCDIR" "$T/crawl.cfx" "$T/odd.cfx"
done

# a folder that has changed is offered as it was, and a Tab indexes nothing
: >"$T/crawl/new.warc.gz"
n=$(ls "$XDG_CACHE_HOME/crawlfs/index" | wc -l)
try "a folder that has changed" test \
	"$("$crawlfs" complete -- ls "$T/crawl" com/ex)" = "names	com/
com/example/	"
try "nothing is indexed for it" test \
	"$(ls "$XDG_CACHE_HOME/crawlfs/index" | wc -l)" -eq "$n"
rm -rf "$XDG_CACHE_HOME"
try "a folder without an index" test \
	"$("$crawlfs" complete -- ls "$T/crawl" com/ex)" = "names	com/"
try "which makes no cache either" test ! -e "$XDG_CACHE_HOME"
finish
