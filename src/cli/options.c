/* options.c - the table of options, and the parsing of their values.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "export/rows_out.h"
#include "grep/grep.h"
#include "index/similar.h"
#include "format/cdx/zipnum_write.h"
#include "summary/summary.h"

#define THREADS_MAX 1024u	/* threads are started as needed */
/* Less memory than this for blocks and records must be a typing error. */
#define MEM_MIN (UINT64_C(1) << 20)

/* ---- the table ---------------------------------------------------------- */

/* The offset of a field; a field of another type does not compile. */
#define AT(type, field) \
	.at = offsetof(struct cfs_options, field) + \
	      0 * sizeof((type *)NULL == &((struct cfs_options *)NULL)->field)
#define FLAG(field) .kind = CFS_OPTION_FLAG, AT(bool, field)
#define CONSTANT(field, n) \
	.kind = CFS_OPTION_CONSTANT, AT(unsigned, field), .max = n
#define COUNT(field, most) \
	.kind = CFS_OPTION_COUNT, AT(unsigned, field), \
	.min = 1, .max = most, .value = "N"
#define NUMBER(field) \
	.kind = CFS_OPTION_NUMBER, AT(uint64_t, field), \
	.min = 1, .max = UINT64_MAX, .value = "N"
#define SIZE(field, least) \
	.kind = CFS_OPTION_SIZE, AT(uint64_t, field), \
	.min = least, .value = "SIZE"
#define SIZE_OR_OFF(field) \
	.kind = CFS_OPTION_SIZE_OR_OFF, AT(uint64_t, field), \
	.min = 1, .value = "SIZE"
#define SECONDS(field, most_ms) \
	.kind = CFS_OPTION_SECONDS, AT(unsigned, field), \
	.min = 1000, .max = most_ms, .value = "SECONDS"
#define TEXT(field, shown) \
	.kind = CFS_OPTION_TEXT, AT(const char *, field), .value = shown
#define LINES(field, shown) \
	.kind = CFS_OPTION_LINES, AT(struct cfs_buf, field), .value = shown
#define FOLDER(field) \
	.kind = CFS_OPTION_FOLDER, AT(const char *, field), .value = "DIR"
#define CHOICE(field, choices) \
	.kind = CFS_OPTION_CHOICE, AT(unsigned, field), .value = choices
/* One of the kinds of struct cfs_conditions. */
#define CONDITION(of, shown) \
	.kind = CFS_OPTION_##of, AT(struct cfs_conditions, conditions), \
	.value = shown
#define VIEW(field) \
	.kind = CFS_OPTION_VIEW, AT(unsigned, field), .value = "VIEW"
#define VIEWS(field) \
	.kind = CFS_OPTION_VIEWS, AT(cfs_view_set, field), .value = "V:V..."
#define PART(field) \
	.kind = CFS_OPTION_PART, AT(struct cfs_part, field), .value = "K/N"
#define WHEN(field) \
	.kind = CFS_OPTION_WHEN, AT(const char *, field), .value = "WHEN"
#define WORDS .kind = CFS_OPTION_WORDS, .value = "LIST"
#define SEALED .seal = CFS_SEAL_YES
#define UNSEALED .seal = CFS_SEAL_NO

#define MOUNT (CFS_BY_MOUNT | CFS_BY_WORD)
#define HELPER CFS_BY_MOUNT_HELPER
#define INDEX CFS_BY_INDEX
#define LS CFS_BY_LS
#define CAT CFS_BY_CAT
#define COPY CFS_BY_COPY
#define VERIFY CFS_BY_VERIFY
#define EXPORT CFS_BY_EXPORT
#define SERVE CFS_BY_SERVE
#define GREP CFS_BY_GREP
#define SUMMARY CFS_BY_SUMMARY
#define MCP CFS_BY_MCP
/* All that open a crawl; and the one that asks servers besides. */
#define CRAWL \
	(MOUNT | LS | CAT | CFS_BY_LOOKUP | CFS_BY_PATH | CFS_BY_URL | \
	 CFS_BY_CHECK | VERIFY | COPY | EXPORT | SERVE | SUMMARY | MCP | GREP)
#define SOURCE (CRAWL | CFS_BY_COLLECTIONS)
/* All that pick captures. */
#define PICK (CRAWL | INDEX)

const struct cfs_option cfs_option_table[] = {
	{ "listen", 0, SERVE, TEXT(listen, "ADDRESS"),
	  .help = "where to listen: HOST:PORT, [IPV6]:PORT, or :PORT for all addresses of "
		  "the machine; port 0 is one that is free (127.0.0.1:8080)" },
	{ "base-url", 0, SERVE, TEXT(base_url, "URL"),
	  .help = "the URL by which clients reach it, if another server is in front: its "
		  "host is answered to, and links begin with its path" },
	{ "replay-url", 0, SERVE, TEXT(replay_url, "URL"),
	  .help = "the URL of a replay of the crawl, to which TIME/URL is appended: pages "
		  "of captures lead there" },
	{ "download-size", 0, SERVE, SIZE_OR_OFF(download_bytes),
	  .help = "the most bytes of a folder or page that can be downloaded as an archive, "
		  "or off (1G)" },
	{ "foreground", 'f', CFS_BY_MOUNT, FLAG(foreground),
	  .help = "stay in the foreground until unmounted or interrupted" },
	{ "debug", 'd', CFS_BY_MOUNT, FLAG(debug),
	  .help = "stay in the foreground and report every request" },
	{ NULL, 's', HELPER, FLAG(is_sloppy),
	  .help = "leave out unknown mount options" },
	{ NULL, 'f', HELPER, FLAG(is_fake),
	  .help = "check the arguments and mount nothing" },
	{ NULL, 'n', HELPER, FLAG(ignored),
	  .help = "accepted, without effect" },
	{ NULL, 'v', HELPER, FLAG(ignored),
	  .help = "accepted, without effect" },
	{ NULL, 'r', HELPER, FLAG(ignored),
	  .help = "accepted, without effect" },
	{ NULL, 'w', HELPER, FLAG(ignored),
	  .help = "accepted, without effect" },
	{ NULL, 'N', HELPER, TEXT(ignored_text, "NAMESPACE"),
	  .help = "accepted, without effect" },
	{ NULL, 't', HELPER, TEXT(ignored_text, "TYPE"),
	  .help = "accepted, without effect" },
	{ NULL, 'o', HELPER, WORDS,
	  .help = "the long options of 'crawlfs mount --help' without -- and with _ "
		  "for -, and words for FUSE and the kernel: allow_other, "
		  "auto_unmount, nodev, nosuid, noexec, ..." },
	{ "options", 'o', CFS_BY_MOUNT, WORDS,
	  .help = "the long options below, without -- and with _ for -, and words for "
		  "FUSE and the kernel: allow_other, auto_unmount, nodev, nosuid, "
		  "noexec, ..." },
	{ "replace", 0, MOUNT, FLAG(replace),
	  .help = "take the place of the crawl that is mounted there, at a stroke, once "
		  "this one can be read; files that are open stay open" },
	{ "merge", 0, MOUNT | SERVE | MCP, FLAG(merge),
	  .help = "all SOURCEs are one tree; the captures of a page come from all of "
		  "them, in the order of time" },
	{ "missing", 0, MOUNT | SERVE | MCP, CHOICE(missing, "refuse|ok"),
	  .help = "open an index of which no archive is found, or do not look for them "
		  "(refuse)" },
	{ "absent", 0, MOUNT, CHOICE(absent_is_empty, "error|empty"),
	  .help = "what reading a page gives whose body is in no archive that is here: "
		  "an error, or an empty file (error)" },
	{ "names", 0, MOUNT, CHOICE(names_escaped, "bytes|escaped"),
	  .help = "names as the bytes of URLs, or as UTF-8 in which every other byte "
		  "is #%XX, for programs that read no other names (bytes)" },
	{ "log", 0, MOUNT, TEXT(log, "FILE"),
	  .help = "where failures are logged: a file that is appended to, stderr, syslog "
		  "or journal (syslog; stderr in the foreground)" },
	{ "cache-size", 0, MOUNT | SERVE | MCP, SIZE_OR_OFF(cache_size),
	  .help = "how much of remote crawls is kept on disk (10G); 0 or off: nothing" },
	{ "list-max", 0, MOUNT | SERVE | MCP | LS,
	  SIZE_OR_OFF(crawl.list_max_bytes),
	  .help = "how much of an index on a server the listing of one folder may "
		  "fetch (1G); off: all" },
	{ "readahead", 0, MOUNT | SERVE | MCP, CHOICE(readahead, "on|off"),
	  .help = "fetch what is likely to be read next (on)" },
	{ "size", 0, MOUNT, CHOICE(size, "lazy|exact"),
	  .help = "what stat reports of a file whose size the index does not know: an "
		  "estimate, or the size, for which it opens the file (lazy)" },
	{ "threads", 0, MOUNT | SERVE, COUNT(threads, THREADS_MAX),
	  .help = "requests served at a time (one more than processors; 64 with a "
		  "crawl on a server)" },
	{ "xattr", 0, MOUNT, FLAG(xattr),
	  .help = "offer extended attributes (URL, type, status, ...)" },

	{ "output", 'o', INDEX, TEXT(output, "FILE"), UNSEALED,
	  .help = "the index to write; - is standard output" },
	{ "format", 0, INDEX, CHOICE(format, "cfx|pbtree|zipnum|cdxj"),
	  UNSEALED,
	  .help = "crawlfs's own format, trivio's, a ZipNum cluster as Common Crawl "
		  "has them (FILE is then its folder), or sorted lines of CDXJ (what "
		  "FILE's name says, else cfx)" },
	{ "shards", 0, INDEX, COUNT(shards, CFS_ZIPNUM_SHARDS_MAX), SEALED,
	  .help = "cut a ZipNum cluster into so many files (one for each 512 MB)" },
	{ "memory", 0, INDEX, SIZE(sort_bytes, 1), UNSEALED,
	  .help = "memory for sorting (256M), and for a query (1G)" },
	{ "threads", 0, INDEX, COUNT(threads, THREADS_MAX), UNSEALED,
	  .help = "archives read at a time (one for each processor)" },
	{ "max-record", 0, INDEX, SIZE(crawl.max_record_bytes, 1), SEALED,
	  .help = "leave out records larger than this (1G)" },
	{ "base", 0, INDEX, TEXT(names_base, "DIR"), SEALED,
	  .help = "folder or URL that archive names are relative to (FILE's), and that "
		  "the names in lists and selections are below" },
	{ "views", 0, INDEX, CONSTANT(no_view_sizes, 0), SEALED,
	  .help = "make every page's .txt and .meta once, for their sizes: a mount "
		  "then knows them beforehand (the default)" },
	{ "no-views", 0, INDEX, CONSTANT(no_view_sizes, 1), SEALED,
	  .help = "leave these sizes out, which is faster" },
	{ "markdown", 0, INDEX, FLAG(markdown_sizes), SEALED,
	  .help = "make every page's .md and .main.txt, too, for their sizes: "
		  "for mounts with views=md or views=main" },
	{ "words", 0, INDEX | MOUNT | SERVE, FLAG(crawl.words), SEALED,
	  .help = "make a list of the words of all texts, by which they are searched: a "
		  "file .cfw beside the index" },
	{ "languages", 0, INDEX, FLAG(keeps_languages), SEALED,
	  .help = "find the languages of every page and keep them: --language then "
		  "picks pages by them" },
	{ "digests", 0, INDEX, FLAG(keeps_digests), SEALED,
	  .help = "keep the digest of every page's payload, which is computed where no "
		  "record states it: for --dedup=digest" },
	{ "simhash", 0, INDEX, FLAG(keeps_simhash), SEALED,
	  .help = "keep a similarity hash of every page's main content: for lookup "
		  "--near and --dedup=near" },
	{ "update", 0, INDEX, FLAG(is_update), SEALED,
	  .help = "read only archives that are new or have another size or time than "
		  "when FILE was made; what is gone is left out of it" },
	{ "final", 0, INDEX, FLAG(no_joins), UNSEALED,
	  .help = "leave out what archives that are added later are joined by: a "
		  "smaller index" },
	{ "sql", 0, INDEX, TEXT(sql, "SELECT"), SEALED,
	  .help = "the captures that a query of Parquet, CSV or JSON files finds, by "
		  "DuckDB" },
	{ "tables", 0, INDEX, LINES(sql_folders, "FOLDER"), SEALED,
	  .help = "the query may read files below this folder too, not only the current "
		  "one; may be given several times" },
	{ "part", 0, INDEX, PART(crawl.part), SEALED,
	  .help = "only the K-th of N parts of the index; FILE is a folder, of which "
		  "'crawlfs index -o INDEX FOLDER' makes one index once it has all parts" },
	{ "force", 0, INDEX, FLAG(force), UNSEALED,
	  .help = "replace FILE even if it is not an index" },

	{ "basic-regexp", 'G', GREP, CONSTANT(syntax, CFS_EXPRESSION_BASIC),
	  .help = "PATTERNs are basic regular expressions (the default)" },
	{ "extended-regexp", 'E', GREP,
	  CONSTANT(syntax, CFS_EXPRESSION_EXTENDED),
	  .help = "PATTERNs are extended regular expressions" },
	{ "fixed-strings", 'F', GREP, CONSTANT(syntax, CFS_EXPRESSION_FIXED),
	  .help = "PATTERNs are strings" },
	{ "perl-regexp", 'P', GREP, CONSTANT(syntax, CFS_EXPRESSION_PERL),
	  .help = "PATTERN is an expression of Perl" },
	{ "regexp", 'e', GREP, LINES(patterns, "PATTERN"),
	  .help = "search for PATTERN, one a line; may be given several times, and "
		  "then the first operand is SOURCE" },
	{ "file", 'f', GREP, LINES(pattern_files, "FILE"),
	  .help = "the same with the lines of FILE; - is standard input" },
	{ "ignore-case", 'i', GREP, FLAG(ignores_case),
	  .help = "upper and lower case are the same" },
	{ "word-regexp", 'w', GREP, FLAG(is_word),
	  .help = "match only whole words" },
	{ "line-regexp", 'x', GREP, FLAG(is_line),
	  .help = "match only whole lines" },
	{ "invert-match", 'v', GREP, FLAG(inverts),
	  .help = "select the lines that do not match" },
	{ "count", 'c', GREP, FLAG(counts),
	  .help = "print the number of lines for each file" },
	{ "files-with-matches", 'l', GREP, CONSTANT(list, CFS_GREP_LIST_WITH),
	  .help = "print only the names of files with a selected line" },
	{ "files-without-match", 'L', GREP,
	  CONSTANT(list, CFS_GREP_LIST_WITHOUT),
	  .help = "print only the names of files without one" },
	{ "max-count", 'm', GREP, TEXT(max_count, "NUM"),
	  .help = "stop after NUM selected lines of a file" },
	{ "only-matching", 'o', GREP, FLAG(only_matching),
	  .help = "print only what matches, each match on a line" },
	{ "quiet", 'q', GREP, FLAG(is_quiet),
	  .help = "print nothing, and end at the first match" },
	{ "silent", 0, GREP, FLAG(is_quiet), .help = "the same as --quiet" },
	{ "no-messages", 's', GREP, FLAG(hides_errors),
	  .help = "do not say what could not be read" },
	{ "line-number", 'n', GREP, FLAG(has_numbers),
	  .help = "print the number of each line" },
	{ "byte-offset", 'b', GREP, FLAG(has_offsets),
	  .help = "print where in the file each line begins, or with -o the match" },
	{ "with-filename", 'H', GREP, CONSTANT(no_names, 0),
	  .help = "print the name of the file with each line (the default)" },
	{ "no-filename", 'h', GREP, CONSTANT(no_names, 1),
	  .help = "print no names of files" },
	{ "null", 'Z', GREP, FLAG(nul_after_names),
	  .help = "print a byte 0 after names of files" },
	{ "after-context", 'A', GREP, TEXT(after, "NUM"),
	  .help = "print NUM lines after each selected one" },
	{ "before-context", 'B', GREP, TEXT(before, "NUM"),
	  .help = "print NUM lines before each selected one" },
	{ "context", 'C', GREP, TEXT(context, "NUM"),
	  .help = "print NUM lines before and after" },
	{ "group-separator", 0, GREP, TEXT(group_separator, "TEXT"),
	  .help = "what is printed between groups of lines (--)" },
	{ "no-group-separator", 0, GREP, FLAG(no_separator),
	  .help = "print nothing there" },
	{ "text", 'a', GREP, CONSTANT(binary, CFS_GREP_BINARY_TEXT),
	  .help = "treat binary files as text" },
	{ "skip-binary", 'I', GREP, CONSTANT(binary, CFS_GREP_BINARY_SKIP),
	  .help = "leave out binary files" },
	{ "recursive", 'r', GREP, FLAG(ignored),
	  .help = "accepted, as grep has it: all pages are searched" },
	{ "color", 0, GREP, WHEN(color),
	  .help = "mark what matches: always, never, or auto, on a terminal "
		  "(never)" },
	{ "colour", 0, GREP, WHEN(color), .help = "the same as --color" },
	{ "url", 0, GREP, FLAG(has_urls),
	  .help = "print URLs in place of names of files" },
	{ "json", 0, GREP, FLAG(is_json),
	  .help = "print JSON, an object for each line" },
	{ "threads", 0, GREP, COUNT(threads, CFS_POOL_MAX),
	  .help = "pages searched at a time (one for each processor; more if they are "
		  "on a server)" },
	{ "view", 0, GREP, VIEW(view),
	  .help = "the files that are searched: {all} (txt)" },

	{ "long", 'l', LS, FLAG(is_long),
	  .help = "print type, size (~ before an estimate) and time (UTC)" },
	{ "recursive", 'R', LS, FLAG(is_recursive),
	  .help = "list everything below, as paths from the root" },
	{ "all", 'a', LS, CONSTANT(views, CFS_VIEWS_ALL),
	  .help = "list all views" },
	{ "views", 0, MOUNT | LS | SERVE, VIEWS(views),
	  .help = "the views to list, of {all} (raw:meta:txt)" },

	{ "view", 0, CAT, VIEW(view),
	  .help = "{explained}, or a record of the page: {related}" },
	{ "meta", 0, MOUNT | CAT | SERVE, CHOICE(meta, "pretty|compact"),
	  .help = "metadata on several lines or on one (pretty)" },
	{ "closest", 0, CFS_BY_LOOKUP, TEXT(closest, "TIME"),
	  .help = "of one URL: its captures, the nearest to then first" },
	{ "format", 0, CFS_BY_LOOKUP, CHOICE(lines, "auto|cdxj|table"),
	  .help = "lines of CDXJ, or a table of time, status, type and URL (table on a "
		  "terminal, else cdxj)" },
	{ "near", 0, CFS_BY_LOOKUP, TEXT(near_url, "URL"),
	  .help = "captures whose main content is similar to that of URL, the "
		  "nearest first" },
	{ "near-bits", 0, CFS_BY_LOOKUP | EXPORT,
	  .kind = CFS_OPTION_COUNT, AT(unsigned, near_bits),
	  .max = CFS_SIMILAR_BITS_MAX, .value = "N",
	  .help = "similar is what has hashes that differ in so many bits or less: "
		  "for --near and the field cluster (3)" },
	{ "limit", 0, CFS_BY_LOOKUP, NUMBER(limit),
	  .help = "at most so many lines for each target" },

	{ "output", 'o', COPY, TEXT(output, "OUTPUT"),
	  .help = "the archive to write: a file, or s3://BUCKET/KEY, where it is sent "
		  "in parts when it is complete; - is standard output" },
	{ "parallel", 'p', COPY, COUNT(http.parallel, CFS_HTTP_PARALLEL_MAX),
	  .help = "requests at a time to one server, and stretches of archives read "
		  "at a time (64; 8 to Common Crawl's; of files one for each "
		  "processor, but 8 or more)" },
	{ "records", 0, COPY, CHOICE(copies_captures_only, "all|captures"),
	  .help = "what is copied: also what belongs to the captures (requests, "
		  "metadata, pictures, originals of revisits), or these alone "
		  "(all)" },
	{ "skip-other", 0, COPY, FLAG(skip_other),
	  .help = "leave out WARC records of an ARC file, or the reverse" },
	{ "convert", 0, COPY, FLAG(convert),
	  .help = "make WARC records of ARC records, so that one archive holds both" },
	{ "keep-going", 0, COPY, FLAG(keep_going),
	  .help = "also leave out records whose reading fails" },
	{ "force", 0, COPY, FLAG(force), .help = "replace OUTPUT" },
	{ "tmp", 0, COPY | EXPORT, TEXT(tmp, "DIR"),
	  .help = "where an output for S3 is made before it is sent (the cache)" },
	{ "abort", 0, COPY, FLAG(is_abort),
	  .help = "give up a copy to S3 that was stopped" },
	{ "output", 'o', EXPORT, TEXT(output, "OUT"),
	  .help = "the file to write, whose name says the format: .jsonl, .warc.wet "
		  "or .warc, with .gz or .zst behind it, or .parquet; with a / "
		  "behind it, a folder of such files; or s3://BUCKET/KEY (-: standard "
		  "output)" },
	{ "format", 0, EXPORT, TEXT(rows, "FORMAT"),
	  .help = "jsonl, wet or warc, with .gz or .zst behind it, or parquet "
		  "(what OUT's name says, else jsonl)" },
	{ "file-size", 0, EXPORT, SIZE(file_bytes, CFS_ROWS_OUT_FILE_MIN),
	  .help = "the most bytes of a file in a folder (256M)" },
	{ "fields", 0, EXPORT | CFS_BY_LOOKUP, TEXT(fields, "LIST"),
	  .help = "the fields of a row, with commas between them (the usual ones; "
		  "crawlfs-export(1) lists all)" },
	{ "text", 0, EXPORT, CHOICE(wet_text, "text|main"),
	  .help = "the field that the texts of a WET file are (text)" },
	{ "compression", 0, EXPORT,
	  CHOICE(compression, "zstd|snappy|gzip|none"),
	  .help = "how values of Parquet are compressed" },
	{ "nulls", 0, EXPORT, FLAG(nulls),
	  .help = "give every row of jsonl every field: null, where it is not "
		  "known" },
	{ "order", 0, EXPORT, CHOICE(order, "auto|archive|index"),
	  .help = "rows as they lie in the archives, without an index; or in the order "
		  "of the tree (archive, if all SOURCEs are archives)" },
	{ "threads", 0, EXPORT, COUNT(threads, CFS_POOL_MAX),
	  .help = "threads that make rows (one for each processor; more if records are "
		  "on a server)" },
	{ "errors", 0, INDEX, CHOICE(errors_are_ok, "fail|ok"), UNSEALED,
	  .help = "ok: finish FILE without archives that a server refuses (fail)" },
	{ "errors", 0, EXPORT, CHOICE(errors_are_ok, "fail|ok"),
	  .help = "what rows with an error are: a failure (status 1), or none, "
		  "since they are reported (fail)" },
	{ "skip-complete", 0, EXPORT, FLAG(skip_complete),
	  .help = "do nothing if OUT is the output of the same command already" },
	{ "force", 0, EXPORT | SUMMARY, FLAG(force),
	  .help = "replace OUT, or FILE of --html, whatever file it is" },
	{ "report", 0, VERIFY, TEXT(report, "FILE"),
	  .help = "write what is wrong to FILE, a line of JSON each; when the command "
		  "is stopped, the same command resumes it; - is standard output" },
	{ "strict", 0, VERIFY, FLAG(is_strict),
	  .help = "what breaks the standards is damage, too: fields that are missing, "
		  "dates, heads and lengths of HTTP, ids that are used again" },
	{ "threads", 0, VERIFY | SUMMARY, COUNT(threads, CFS_POOL_MAX),
	  .help = "stretches of archives or of the index read at a time (one for each "
		  "processor)" },
	{ "top", 0, SUMMARY, COUNT(top, CFS_SUMMARY_TOP_MAX),
	  .help = "rows of each kind (10; 50 in JSON and HTML)" },
	{ "html", 0, SUMMARY, TEXT(html, "FILE"),
	  .help = "write a page with charts to FILE; - is standard output" },
	{ "suffixes", 0, SUMMARY, TEXT(suffixes, "FILE"),
	  .help = "another public suffix list than the system's; none: a plain rule" },
	{ "quiet", 'q', INDEX | COPY | VERIFY | EXPORT | SUMMARY,
	  FLAG(is_quiet), UNSEALED,
	  .help = "print no progress and no summary" },
	{ "quiet", 'q', CFS_BY_MOUNT, FLAG(is_quiet),
	  .help = "do not say what is mounted, unless something is damaged" },

	{ "json", 0, LS | CFS_BY_LOOKUP, FLAG(is_json),
	  .help = "print JSON, an object on each line" },
	{ "json", 0, CFS_BY_CHECK | VERIFY | SUMMARY | CFS_BY_CACHE |
		     CFS_BY_COLLECTIONS | CFS_BY_VERSION | EXPORT | COPY,
	  FLAG(is_json),
	  .help = "print one JSON document" },

	{ "lazy", 'l', CFS_BY_UMOUNT, FLAG(is_lazy),
	  .help = "unmount now, even if it is in use, and clean up when no file is "
		  "open" },
	{ "cache", 0, CFS_BY_CACHE, FOLDER(crawl.cache_dir),
	  .help = "another folder than ~/.cache/crawlfs" },
	{ "drop", 0, CFS_BY_CACHE, FLAG(drop),
	  .help = "delete files with damage in them" },
	{ "collinfo", 0, CFS_BY_COLLECTIONS, TEXT(collinfo, "FILE"),
	  .help = "a list other than Common Crawl's (a file or a URL)" },

	{ "prefix", 0, PICK, LINES(prefixes, "LIST"), SEALED,
	  .help = "only what these prefixes cover: com.example, com.example/path, "
		  "*.example.com, a URL, a URL and *; may be given several times" },
	{ "at", 0, CRAWL, CONDITION(UNTIL, "DATE"),
	  .help = "the crawl as it stood then: later captures do not exist; 2012 is "
		  "its last second, 20120131 that day's, 2012-01-31T09:30:00Z one" },
	{ "from", 0, PICK, CONDITION(SINCE, "DATE"), SEALED,
	  .help = "only captures since then; 2012 is its first second" },
	{ "to", 0, PICK, CONDITION(UNTIL, "DATE"), SEALED,
	  .help = "only captures until then; 2012 is its last second" },
	{ "status", 0, PICK, CONDITION(STATUS, "LIST"), SEALED,
	  .help = "only captures with these statuses: 200, 2xx, 300-399" },
	{ "mime", 0, PICK, CONDITION(MIME, "LIST"), SEALED,
	  .help = "only captures declared to be of these types: application/pdf, "
		  "image/*, pdf" },
	{ "language", 0, PICK, CONDITION(LANGUAGE, "LIST"), SEALED,
	  .help = "only pages in these languages: eng, deu or de (ISO 639): "
		  "only the page's first language, unless 'any:' is given" },

	{ "dedup", 0, COPY,
	  CHOICE(crawl.dedup, "none|digest|near[:BITS]|revisit"),
	  .max = CFS_SIMILAR_BITS_MAX,
	  .help = "leave out captures with a payload digest that another one "
		  "has, or with similar main content, or write them as "
		  "revisits of the first (none)" },
	{ "dedup", 0, CRAWL & ~COPY,
	  CHOICE(crawl.dedup, "none|digest|near[:BITS]"),
	  .max = CFS_SIMILAR_BITS_MAX,
	  .help = "only the first capture of each payload digest, or of main "
		  "contents whose hashes differ in BITS (3) or less (none)" },
	{ "data", 0, CRAWL, FOLDER(crawl.data),
	  .help = "where the archives of an index are; of several SOURCEs that are one "
		  "tree, a folder for each of them, in their order, with commas" },
	{ "cache", 0, SOURCE, FOLDER(crawl.cache_dir),
	  .help = "where indexes made on first use, and what is read of remote crawls, "
		  "are kept" },
	{ "cache-group", 0, SOURCE | CFS_BY_CACHE, FLAG(cache_group),
	  .help = "use a cache folder that its group can write to: all of the group see "
		  "what each of them fetches, and could change it" },
	{ "part", 0, CRAWL, PART(crawl.part),
	  .help = "only the K-th of N parts of the crawl, which are about equal: each "
		  "page is in one of them" },
	{ "mem", 0, CRAWL, SIZE(crawl.mem_bytes, MEM_MIN),
	  .help = "memory of a mount: blocks, records, views, ranges (256M)" },
	{ "max-record", 0, CRAWL, SIZE(crawl.max_record_bytes, 1),
	  .help = "refuse records larger than this (1G)" },
	{ "base", 0, CRAWL, FOLDER(crawl.base),
	  .help = "folder or URL of a copy of Common Crawl's data, for crawls given by "
		  "name, lists of archives and selections" },
	{ "endpoint", 0, SOURCE | INDEX, TEXT(http.endpoint, "URL"), UNSEALED,
	  .help = "the server of s3: URLs (AWS_ENDPOINT_URL)" },
	{ "request-payer", 0, SOURCE | INDEX, FLAG(http.request_payer),
	  .value = "requester", UNSEALED,
	  .help = "pay for requests of s3: buckets whose reader pays" },
	{ "requester-pays", 0, SOURCE | INDEX, FLAG(http.request_payer),
	  UNSEALED,
	  .help = "the same as --request-payer" },
	{ "no-sign-request", 0, SOURCE | INDEX, FLAG(http.no_sign_request),
	  UNSEALED,
	  .help = "ask for s3: URLs without credentials" },
	{ "allow-host", 0, SOURCE | INDEX, TEXT(http.allow_hosts, "HOST,HOST"),
	  UNSEALED,
	  .help = "servers that lists, selections and indexes on other servers may lead "
		  "to: names, *.NAME or *; after -o with : between them" },
	{ "timeout", 0, SOURCE | INDEX,
	  SECONDS(http.timeout_ms, CFS_HTTP_TIMEOUT_MAX_MS), UNSEALED,
	  .help = "the longest that one read over the network takes (60)" },
	{ "parallel", 0, (SOURCE | INDEX) & ~COPY,
	  COUNT(http.parallel, CFS_HTTP_PARALLEL_MAX), UNSEALED,
	  .help = "requests at a time to one server (64; 8 to Common Crawl's)" },
	{ "help", 'h', CFS_BY_ANY & ~GREP, .kind = CFS_OPTION_HELP, UNSEALED,
	  .help = "print this text" },
	{ "help", 0, GREP, .kind = CFS_OPTION_HELP,
	  .help = "print this text" },
	{ .name = NULL }
};

/* ---- values ------------------------------------------------------------- */

/* The option as typed, for messages. */
struct typed {
	const struct cfs_option *row;
	const char *name, *text;
	struct cfs_error *err;
};

static int options_refuse(const struct typed *t, const char *what)
{
	return cfs_error_set(t->err, CFS_EUSAGE, "option '%s': '%.100s' is %s",
			     t->name, t->text, what);
}

static int refuse_bound(const struct typed *t, const char *more_or_less,
			uint64_t bound)
{
	static const char units[] = "KMGT";
	char what[64], unit[2] = "";
	bool is_size = t->row->kind == CFS_OPTION_SIZE ||
		       t->row->kind == CFS_OPTION_SIZE_OR_OFF;

	if (t->row->kind == CFS_OPTION_SECONDS)
		bound /= 1000;
	for (const char *u = units; is_size && *u != '\0' && bound > 0 &&
				    bound % 1024 == 0; u++) {
		bound /= 1024;
		unit[0] = *u;
	}
	snprintf(what, sizeof(what), "%s than %" PRIu64 "%s", more_or_less,
		 bound, unit);
	return options_refuse(t, what);
}

/* Parses a whole number from min to max, each in units of `scale`. */
static int options_read_number(const struct typed *t, unsigned scale,
			       const char *what_else, uint64_t *out)
{
	uint64_t max = t->row->max / scale;
	int rc = cfs_slice_parse_u64(cfs_slice_str(t->text), max, out);

	if (rc == CFS_ELIMIT)
		return refuse_bound(t, "more", t->row->max);
	if (rc != CFS_OK)
		return options_refuse(t, what_else);
	*out *= scale;
	return *out < t->row->min ? refuse_bound(t, "less", t->row->min) :
				    CFS_OK;
}

static int read_count(const struct typed *t, unsigned scale,
		      const char *what_else, unsigned *out)
{
	uint64_t n = 0;
	int rc = options_read_number(t, scale, what_else, &n);

	*out = (unsigned)n;
	return rc;
}

/* Parses a count of bytes: 4096, 64K, 1.5G, 2GiB (powers of 1024). */
static bool parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	double v;
	char *end;

	if (text[0] < '0' || text[0] > '9' ||
	    strpbrk(text, "xXeEpPnN") != NULL)
		return false;
	errno = 0;
	v = strtod(text, &end);
	if (errno != 0)
		return false;
	if (*end != '\0') {
		unit = strchr(units, *end >= 'a' ? *end - 32 : *end);
		if (unit == NULL)
			return false;
		v *= (double)(UINT64_C(1024) << 10 * (unit - units));
		end++;
		end += *end == 'i';
		end += *end == 'B';
	}
	if (*end != '\0' || v > 1e18)
		return false;
	*out = (uint64_t)v;
	return true;
}

static int read_size(const struct typed *t, uint64_t *out)
{
	if (t->row->kind == CFS_OPTION_SIZE_OR_OFF &&
	    (strcmp(t->text, "0") == 0 || strcmp(t->text, "off") == 0)) {
		*out = CFS_SIZE_OFF;
		return CFS_OK;
	}
	if (!parse_size(t->text, out))
		return options_refuse(t, "not a size such as 64M or 2G");
	return *out < t->row->min ? refuse_bound(t, "less", t->row->min) :
				    CFS_OK;
}

static int read_part(const struct typed *t, struct cfs_part *out)
{
	struct cfs_error e = CFS_ERROR_INIT;

	return cfs_part_parse(t->text, out, &e) == CFS_OK ? CFS_OK :
	       cfs_error_set(t->err, CFS_EUSAGE, "option '%s': %s", t->name,
			     e.text);
}

/* Reads a choice that is written WORD[:NUMBER], whose number plus 1, if it is
 * there, goes into the second byte of *out. */
static bool is_with_number(const struct typed *t, struct cfs_slice choice,
			   unsigned *out)
{
	struct cfs_slice text = cfs_slice_str(t->text);
	struct cfs_slice word = cfs_slice_split(&choice, '[');
	uint64_t number;

	if (choice.n == 0 || !cfs_slice_starts(text, word))
		return false;
	text = cfs_slice_from(text, word.n);
	if (text.n == 0)
		return true;
	if (text.p[0] != ':' ||
	    cfs_slice_parse_u64(cfs_slice_from(text, 1), t->row->max,
				&number) != CFS_OK)
		return false;
	*out |= ((unsigned)number + 1) << CFS_DEDUP_BYTE;
	return true;
}

static int read_choice(const struct typed *t, unsigned *out)
{
	struct cfs_slice rest = cfs_slice_str(t->row->value);
	struct cfs_slice text = cfs_slice_str(t->text), word;

	for (*out = 0; rest.n > 0; (*out)++) {
		word = cfs_slice_split(&rest, '|');
		if (cfs_slice_eq(word, text) || is_with_number(t, word, out))
			return CFS_OK;
	}
	return cfs_error_set(t->err, CFS_EUSAGE,
			     "option '%s': unknown value '%.100s' (%s)",
			     t->name, t->text, t->row->value);
}

static int refuse_view(const struct typed *t, struct cfs_slice name)
{
	CFS_BUF(known, sizeof(t->err->text));

	cfs_view_lists_expand(&known, "{own}");
	return cfs_error_set(t->err, CFS_EUSAGE, "option '%s': unknown view "
			     "'%.*s' (%s)", t->name,
			     (int)(name.n < 100 ? name.n : 100),
			     (const char *)name.p, cfs_buf_str(&known));
}

static int read_view(const struct typed *t, struct cfs_slice name,
		     unsigned *out)
{
	*out = cfs_view_by_name(name);
	return *out != CFS_VIEW_NONE ? CFS_OK : refuse_view(t, name);
}

static int read_views(const struct typed *t, cfs_view_set *out)
{
	struct cfs_slice rest = cfs_slice_str(t->text);
	cfs_view_set set = 0;
	int rc = CFS_OK;

	if (rest.n == 0)
		return cfs_error_set(t->err, CFS_EUSAGE,
				     "option '%s': no view is named", t->name);
	while (rc == CFS_OK && rest.n > 0) {
		unsigned view;

		rc = read_view(t, cfs_slice_split(&rest, ':'), &view);
		set |= 1u << view;
	}
	if (rc == CFS_OK)
		*out = set;
	return rc;
}

static int narrow_dates(const struct typed *t, struct cfs_conditions *c)
{
	struct cfs_dates *d = &c->dates;
	int rc = t->row->kind == CFS_OPTION_SINCE ?
		 cfs_dates_since(d, t->text) : cfs_dates_until(d, t->text);

	if (rc != CFS_OK)
		return options_refuse(t, CFS_DATES_REFUSAL);
	if (cfs_dates_are_none(d))
		return cfs_error_set(t->err, CFS_EUSAGE,
				     "option '%s': '%.100s' "
				     "leaves no time, as the end is before the "
				     "beginning",
				     t->name, t->text);
	return CFS_OK;
}

/* Adds the items of a list to a condition. */
static int add_condition(const struct typed *t, struct cfs_conditions *c)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (t->row->kind == CFS_OPTION_STATUS)
		rc = cfs_conditions_add_status(c, t->text, &e);
	else if (t->row->kind == CFS_OPTION_MIME)
		rc = cfs_conditions_add_mime(c, t->text, &e);
	else
		rc = cfs_conditions_add_languages(c, t->text, &e);
	if (rc == CFS_EUSAGE)
		return cfs_error_set(t->err, rc, "option '%s': %s", t->name,
				     e.text);
	return cfs_error_pass(t->err, &e, rc);
}

static int take_value(struct cfs_options *o, const struct cfs_option *row,
		      const char *name, const char *text, struct cfs_error *err)
{
	const struct typed t = { row, name, text, err };
	void *at = (char *)o + row->at;

	switch (row->kind) {
	case CFS_OPTION_FLAG:
		if (text != NULL && strcmp(text, row->value) != 0)
			return options_refuse(&t, "no such choice");
		*(bool *)at = true;
		return CFS_OK;
	case CFS_OPTION_CONSTANT:
		*(unsigned *)at = (unsigned)row->max;
		return CFS_OK;
	case CFS_OPTION_COUNT:
		return read_count(&t, 1, "not a number", at);
	case CFS_OPTION_SECONDS:
		return read_count(&t, 1000, "not a number of seconds", at);
	case CFS_OPTION_NUMBER:
		return options_read_number(&t, 1, "not a number", at);
	case CFS_OPTION_SIZE:
	case CFS_OPTION_SIZE_OR_OFF:
		return read_size(&t, at);
	case CFS_OPTION_FOLDER:
		if (text[0] == '\0')
			return cfs_error_set(err, CFS_EUSAGE,
				"option '%s': no folder is named", name);
		*(const char **)at = text;
		return CFS_OK;
	case CFS_OPTION_LINES:
		cfs_buf_adds(at, text);
		return cfs_buf_addc(at, '\n');
	case CFS_OPTION_TEXT:
		*(const char **)at = text;
		return CFS_OK;
	case CFS_OPTION_WHEN:
		*(const char **)at = text != NULL ? text : "auto";
		return CFS_OK;
	case CFS_OPTION_PART:
		return read_part(&t, at);
	case CFS_OPTION_CHOICE:
		return read_choice(&t, at);
	case CFS_OPTION_SINCE:
	case CFS_OPTION_UNTIL:
		return narrow_dates(&t, at);
	case CFS_OPTION_STATUS:
	case CFS_OPTION_MIME:
	case CFS_OPTION_LANGUAGE:
		return add_condition(&t, at);
	case CFS_OPTION_VIEW:
		return read_view(&t, cfs_slice_str(text), at);
	case CFS_OPTION_VIEWS:
		return read_views(&t, at);
	case CFS_OPTION_HELP:
	case CFS_OPTION_WORDS:
		break;			/* left to the caller */
	}
	return CFS_OK;
}

/* True if an option decides which rows there are, and what is in them. */
static bool decides_rows(const struct cfs_option *row)
{
	static const size_t fields[] = {
		offsetof(struct cfs_options, prefixes),
		offsetof(struct cfs_options, fields),
		offsetof(struct cfs_options, order),
		offsetof(struct cfs_options, near_bits),
		offsetof(struct cfs_options, conditions),
		offsetof(struct cfs_options, crawl.part),
		offsetof(struct cfs_options, crawl.dedup),
		offsetof(struct cfs_options, crawl.max_record_bytes) };

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (row->at == fields[i] && row->name != NULL)
			return true;
	return false;
}

int cfs_option_take(struct cfs_options *o, const struct cfs_option *row,
		    const char *name, const char *text, struct cfs_error *err)
{
	int rc = take_value(o, row, name, text, err);

	if (rc == CFS_OK && text != NULL && decides_rows(row))
		cfs_buf_addf(&o->picked, "%s--%s=%s",
			     o->picked.n > 0 ? " " : "", row->name, text);
	return rc;
}

/* ---- the structure ------------------------------------------------------ */

struct cfs_kept {
	struct cfs_kept *next;
	char *text;
};

void cfs_options_init(struct cfs_options *o)
{
	*o = (struct cfs_options){ .views = CFS_VIEWS_DEFAULT,
				   .format = CFS_INDEX_UNKNOWN,
				   .near_bits = CFS_SIMILAR_BITS };
	cfs_conditions_init(&o->conditions);
	o->crawl.conditions = &o->conditions;
	cfs_buf_init(&o->kernel, 1 << 16);
	cfs_buf_init(&o->picked, 1 << 16);
	cfs_buf_init(&o->own_words, 1 << 20);
	cfs_buf_init(&o->prefixes, 1 << 20);
	cfs_buf_init(&o->sql_folders, 1 << 20);
	cfs_buf_init(&o->patterns, CFS_MATCHER_PATTERNS_MAX);
	cfs_buf_init(&o->pattern_files, 1 << 20);
}

void cfs_options_release(struct cfs_options *o)
{
	while (o->kept != NULL) {
		struct cfs_kept *k = o->kept;

		o->kept = k->next;
		free(k->text);
		free(k);
	}
	cfs_conditions_release(&o->conditions);
	free(o->own_operands);
	cfs_buf_release(&o->own_words);
	cfs_buf_release(&o->prefixes);
	cfs_buf_release(&o->sql_folders);
	cfs_buf_release(&o->patterns);
	cfs_buf_release(&o->pattern_files);
	cfs_buf_release(&o->kernel);
	cfs_buf_release(&o->picked);
}

const char *cfs_options_keep(struct cfs_options *o, char *text)
{
	struct cfs_kept *k = malloc(sizeof(*k));

	if (k == NULL || text == NULL) {
		free(k);
		free(text);
		return NULL;
	}
	*k = (struct cfs_kept){ o->kept, text };
	o->kept = k;
	return text;
}
