# words.sh - part of bench.sh: what lists of words cost while indexes are made.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154	# variables of the other parts
#
#   words/build  processor seconds of `index --words` beside `index`
#   words/bytes  bytes of the list beside those of all texts
#   words/QUERY  what a search costs beside programs that search the texts as
#                files, and beside indexes (words_peers.py, which says which
#                ones are not here and left out); words/QUERY-cold, with nothing
#                in memory beside all; words/QUERY-candidates, the texts that the
#                list of words names beside those that match
#
#   words/rare-N what a word on N pages costs, of a million short pages, with
#                all in memory (words_rare.py)
#
# The crawl is that of crawlfs-mkcrawl, or the archives in the folder that
# BENCH_WORDS names: real pages have longer markup around their texts.

need_words() { once words make_words; }
make_words() {
	rm -rf "$work/words"
	"$mkcrawl" --warc --bare --records "$words_n" --hostile 0 "$work/words" \
		>"$work/tmp/log" && rm "$work/words/manifest.tsv"
}

# words_index [--words]: prints the processor seconds of making an index
words_index() {
	local TIMEFORMAT='%U %S'
	{
		time "$crawlfs" index -q --force "$@" --base="$words_from" \
			-o "$work/tmp/words.cfx" "$words_from" \
			>"$work/tmp/log" 2>&1
	} 2>&1 | awk '{ print $1 + $2 }'
}

# words_queries: rows of words_peers.py, of the index that was made last
words_queries() {
	local query subject hits cpu clock ms reference
	python3 "$here/words_peers.py" "$crawlfs" \
		"$CFS_BUILDDIR/tests/bench/candidates" "$work/tmp/words.cfx" \
		"$runs" "$work/tmp/peers" "$words_from" >"$work/tmp/rows" ||
		die "no searches"
	sed -n 's/^candidates\t//p' "$work/tmp/rows" >"$work/tmp/candidates"
	while IFS=$'\t' read -r query cpu hits; do
		query=words/${query// /-}-candidates
		sample "$query" candidates "$cpu"
		sample "$query" hits "$hits"
		row "$query" texts candidates hits "less is better"
	done <"$work/tmp/candidates"
	while IFS=$'\t' read -r query subject _ _ _ cpu clock; do
		[ -n "$clock" ] || continue
		query=words/${query// /-}
		for ms in ${cpu//,/ }; do
			sample "$query" "$subject" "$ms"
		done
		for ms in ${clock//,/ }; do
			sample "$query-cold" "$subject" "$ms"
		done
	done <"$work/tmp/rows"
	while IFS=$'\t' read -r query subject hits _ _ _ clock; do
		[ -n "$clock" ] && [ "$subject" = crawlfs ] || continue
		for reference in rg grep FTS5 tantivy; do
			row "words/${query// /-}" cpu-ms crawlfs "$reference" \
				"less is better; $hits pages"
		done
		row "words/${query// /-}-cold" ms crawlfs-cold crawlfs \
			"less is better; $hits pages"
	done <"$work/tmp/rows"
	rm -rf "$work/tmp/peers"
}

need_million() { once million make_million; }
make_million() {
	local d=$work/million
	rm -rf "$d" && "$mkcrawl" --warc --bare --records "$million_n" \
		--hostile 0 --page-bytes 1000 --level 1 "$d" \
		>"$work/tmp/log" &&
		rm "$d/manifest.tsv" &&
		"$crawlfs" index -q --words -o "$d.cfx" "$d"
}

bench_rare_words() {
	local pages hits word cpu clock ms
	want words/rare-1 || want words/rare-10 || want words/rare-100 ||
		want words/rare-1000 || return 0
	need_million
	python3 "$here/words_rare.py" "$crawlfs" "$work/million.cfx" "$runs" \
		>"$work/tmp/rare" || die "no rare words"
	while IFS=$'\t' read -r pages hits word cpu clock; do
		for ms in ${cpu//,/ }; do
			sample "words/rare-$pages" crawlfs "$ms"
			sample "words/rare-$pages" aim 50
		done
		row "words/rare-$pages" cpu-ms crawlfs aim \
			"less is better; '$word' on $hits of $million_n; \
$clock ms by the clock"
	done <"$work/tmp/rare"
}

bench_words() {
	local i texts w wanted='' words_from=${BENCH_WORDS:-$work/words}
	bench_rare_words
	for w in build bytes rare-word two-words phrase inside-words expression
	do
		want "words/$w" && wanted=yes
	done
	[ -n "$wanted" ] || return 0
	[ -n "${BENCH_WORDS:-}" ] || need_words
	for ((i = 0; i < runs; i++)); do
		sample words/build words "$(words_index --words)"
		sample words/build index "$(words_index)"
	done
	words_index --words >"$work/tmp/seconds"
	texts=$("$crawlfs" ls -lR "$work/tmp/words.cfx" |
		awk '/\.txt$/ { n += $2 } END { print n }')
	sample words/bytes words "$(stat -c %s "$work/tmp/words.cfw")"
	sample words/bytes texts "$texts"
	row words/build cpu-s words index "less is better; aim 1.3"
	row words/bytes bytes words texts "less is better; aim 0.12"
	words_queries
	rm -f "$work/tmp"/words.cf?
}
