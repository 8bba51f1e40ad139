# pdf.sh - part of bench.sh: the texts of PDF documents.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154	# variables of the other parts
#
# An archive of pdf_docs documents, which pdf_pages.py makes, and the same
# documents as files.  Rates are pages a second, by wall time:
#   crawlfs    crawlfs export --fields=text of the archive, on all processors
#   pdftotext  of poppler, run once for each file, one after the other
# pdf/pages has documents of 1 to 8 pages, pdf/long of 100.

# to_text FOLDER
to_text() {
	local file
	for file in "$1"/*.pdf; do
		pdftotext -enc UTF-8 "$file" - || return
	done
}
# pdf_row WORKLOAD DOCUMENTS MOST-PAGES
pdf_row() {
	local name=pdf/$1 d=$work/pdf-$1 pages i
	want "$name" || return 0
	command -v pdftotext >/dev/null || return 0
	once "pdf-$1" python3 "$here/pdf_pages.py" "$d" "$2" "$3"
	pages=$(cat "$d/pages")
	for ((i = 0; i < runs; i++)); do
		sample "$name" crawlfs "$(rate "$pages" "$(wall "$crawlfs" \
			export "$d/pdf.warc" -q --fields=text)")"
		sample "$name" pdftotext "$(rate "$pages" \
			"$(wall to_text "$d")")"
	done
	same_words "$d" || die "$name: other texts"
	row "$name" pages/s crawlfs pdftotext "aim 3; $2 documents, $pages pages"
}
# same_words FOLDER: both find as many words
same_words() {
	"$crawlfs" export "$1/pdf.warc" -q --fields=text >"$work/tmp/rows" &&
		to_text "$1" >"$work/tmp/texts" &&
		python3 "$here/pdf_pages.py" --compare "$work/tmp/rows" "$work/tmp/texts"
}

bench_pdf() {
	pdf_row pages "$pdf_docs" 8
	pdf_row long $((pdf_docs / 20)) 100
}
