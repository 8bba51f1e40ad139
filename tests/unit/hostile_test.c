/* hostile_test.c - what the views of pages made to break readers cost.
 *
 * The bounds: 10 times the body and 16 MiB of memory, the view itself
 * included; 200 ms of processor time for 1 MiB of HTML (on the machine where
 * that was measured; the test allows SLACK times as much, and more where
 * unit_slowness() says so).  Each view is made in a process of its own, in a thread
 * with a small stack, and the kernel says how much more memory was resident at
 * most.  Under a sanitizer the figures mean nothing: it only has to end, and a body
 * has a quarter of its size.
 *
 * HOSTILE_TIMES=1 prints the figures of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_fixture.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "view/charset.h"

#define MIB ((size_t)1 << 20)
#define TIME_MAX_MS 200
#define SLACK 4
#define STACK_BYTES (256 << 10)

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* deep, a thousand times, head, then unit until the body has its size, then tail.  '@' in unit is a
 * number that grows.  type NULL: text/html */
struct page {
	const char *name, *type, *deep, *head, *unit, *tail;
	size_t mib;		/* of the body; 0: 1 */
};

#define RSS "<rss version='2.0'><channel>"

static struct page pages[] = {
	{ .name = "divs", .unit = "<div>" },
	{ .name = "divs with text", .unit = "<div>x" },
	{ .name = "deep and closed", .head = "<div><div><div>", .unit = "<div></div>" },
	{ .name = "spans", .unit = "<span>" },
	{ .name = "paragraphs", .unit = "<p>" },
	{ .name = "list items", .unit = "<ul><li>" },
	{ .name = "definitions", .unit = "<dl><dt><dd>" },
	{ .name = "headings", .unit = "<h1><h2>" },
	{ .name = "buttons", .unit = "<button>" },
	{ .name = "forms", .unit = "<form><div>" },
	{ .name = "bold", .unit = "<b>" },
	{ .name = "formatting", .unit = "<b><i><u>" },
	{ .name = "fonts", .unit = "<p><font a=@>" },
	{ .name = "text in formatting", .unit = "x", .deep = "<i>" },
	{ .name = "texts in formatting", .unit = "xxxxxxxxxxxxxxxxxxxxxxxxxxxx<br>", .deep = "<i>" },
	{ .name = "short texts in formatting", .unit = "xxxxxxxxxxxxxxx<p>", .deep = "<i>" },
	{ .name = "blanks in formatting", .unit = " ", .deep = "</body><!-- --><i>" },
	{ .name = "text in many divs and a link", .unit = "x", .deep = "<div>", .head = "<a>" },
	{ .name = "nobr", .unit = "<nobr>" },
	{ .name = "ruby", .unit = "<ruby><rt><rp>" },
	{ .name = "adoption", .unit = "<b><div></b>" },
	{ .name = "adoption of links", .unit = "<a><b><div></a>" },
	{ .name = "adoption, deep", .unit = "<b><i><u><s><p></b>" },
	{ .name = "adoption and tables", .unit = "<i><table></i><b>" },
	{ .name = "formatting, reopened", .head = "<b><i><u><s><tt><em>", .unit = "<p>x</p>" },
	/* Holds L4. */
	{ .name = "formatting with attributes", .unit = "<b a=@ b=@>x</p>" },
	{ .name = "links in links", .unit = "<a href=@>x" },
	{ .name = "tables in tables", .unit = "<table><tr><td>" },
	{ .name = "tables", .unit = "<table>" },
	{ .name = "rows", .head = "<table>", .unit = "<tr>" },
	{ .name = "cells", .head = "<table><tr>", .unit = "<td>x" },
	{ .name = "captions", .head = "<table>", .unit = "<caption>" },
	{ .name = "columns", .head = "<table>", .unit = "<col><colgroup>" },
	{ .name = "foster parents", .head = "<table>", .unit = "<div>x" },
	{ .name = "foster text", .head = "<table>", .unit = "x<tr>" },
	{ .name = "foster formatting", .head = "<table>", .unit = "<b>x" },
	{ .name = "foster tables", .unit = "<table><b><tr>" },
	{ .name = "selects", .unit = "<select>" },
	{ .name = "options", .head = "<select>", .unit = "<option>" },
	{ .name = "options anywhere", .unit = "<option><div>" },
	{ .name = "groups", .head = "<select>", .unit = "<optgroup><option>x" },
	{ .name = "select in table", .unit = "<table><tr><td><select>" },
	{ .name = "plaintext", .head = "<plaintext>", .unit = "<div>" },
	{ .name = "textareas", .unit = "<textarea>" },
	{ .name = "pre", .unit = "<pre>\n \n" },
	{ .name = "svg", .head = "<svg>", .unit = "<g>" },
	{ .name = "svg and html", .unit = "<svg><foreignObject><div>" },
	{ .name = "svg and math", .unit = "<svg><desc><math><mtext>" },
	{ .name = "svg and ends", .unit = "<svg></p>" },
	{ .name = "svg, math and ends", .unit = "<!-- --></svg></i><math></html>" },
	{ .name = "deep svg and ends", .head = "<svg><font><svg><font><svg><font>", .unit = "<svg><font></td></table></head>" },
	{ .name = "unknown ends and comments", .unit = "</h1><mtext></style><!-- -->" },
	{ .name = "svg broken out of", .unit = "<svg><p>" },
	{ .name = "svg attributes", .head = "<svg>", .unit = "<g xlink:href=@ viewbox=1>" },
	{ .name = "math", .head = "<math>", .unit = "<mi><mo>" },
	{ .name = "cdata", .head = "<svg>", .unit = "<![CDATA[x]]>" },
	{ .name = "templates", .unit = "<template>" },
	{ .name = "templates in tables", .unit = "<table><template><tr>" },
	{ .name = "framesets", .unit = "<frameset><frame>" },
	{ .name = "attributes", .head = "<p ", .unit = "a@=1 " },
	{ .name = "short attributes", .head = "<p ", .unit = "a@ " },
	{ .name = "repeated attributes", .head = "<p ", .unit = "a=1 " },
	{ .name = "attributes of many", .unit = "<p a=1 b=2 c=3 d=4 e=5 f=6 g=7>" },
	{ .name = "attributes of html", .unit = "<html a@=1>" },
	{ .name = "attributes of body", .head = "<p>", .unit = "<body a@=1>" },
	{ .name = "a long attribute", .head = "<p a='", .unit = "xyz " },
	{ .name = "a long title attribute", .head = "<a title='", .unit = "&quot;", .tail = "'>x" },
	{ .name = "long names", .unit = "<a@b@c@d@e@f@g@>" },
	{ .name = "styles", .head = "<p style='", .unit = "display ", .tail = "'>x" },
	{ .name = "styles and blanks", .head = "<p style='", .unit = "displaydisplaydisplay                  " },
	{ .name = "many styles", .unit = "<p style='color:red;displa:x'>" },
	{ .name = "hidden divs", .unit = "<div style=display:none>x</div>" },
	{ .name = "hidden divs in hidden ones", .unit = "<div style=display:none>x" },
	{ .name = "hidden divs with half of the page", .unit = "<div style=visibility:hidden>x", .tail = "</div></div></div>" },
	{ .name = "tags that would hide, without end", .unit = "<div/a=display:none" },
	{ .name = "a style sheet that hides", .head = "<style>", .unit = "a{display:none}" },
	{ .name = "references", .unit = "&amp;" },
	{ .name = "ampersands", .unit = "&" },
	{ .name = "a long reference", .head = "&#x", .unit = "0" },
	{ .name = "a long name", .head = "&", .unit = "a" },
	{ .name = "references cut", .unit = "&notin" },
	{ .name = "references without end", .unit = "&#65" },
	{ .name = "comments", .unit = "<!---->" },
	{ .name = "comments with text", .unit = "x<!-- y -->" },
	{ .name = "open comments", .unit = "<!--" },
	{ .name = "declarations", .unit = "<!>" },
	{ .name = "instructions", .unit = "<?>" },
	{ .name = "doctypes", .unit = "<!doctype html>" },
	{ .name = "brackets", .unit = "<" },
	{ .name = "end tags", .head = "<span><span><span><span>", .unit = "</x>" },
	{ .name = "ends of paragraphs", .unit = "</p>" },
	{ .name = "ends of headings", .head = "<p a=1>", .unit = "</h1><div>" },
	{ .name = "ends of the body", .deep = "<rt><rt><rt>", .unit = "</body>" },
	{ .name = "ends of the head", .deep = "<desc><!-- --></select>", .unit = "</head>" },
	{ .name = "ends of breaks", .unit = "</br>" },
	{ .name = "breaks", .unit = "<br>" },
	{ .name = "images", .unit = "<img src=@>" },
	{ .name = "inputs", .unit = "<input>" },
	{ .name = "metas", .unit = "<meta name=@ content=@>" },
	{ .name = "meta descriptions", .unit = "<meta name=description content=''>" },
	{ .name = "titles", .unit = "<title>x</title>" },
	{ .name = "a long title", .head = "<title>", .unit = "x " },
	{ .name = "bases", .unit = "<base href=@/>" },
	{ .name = "relative links", .head = "<base href='http://a/b/c/d/e/f/g/h/i/j/'>", .unit = "<a href=../@>" },
	{ .name = "dots", .head = "<a href='", .unit = "../", .tail = "'>" },
	{ .name = "scripts", .unit = "<script>" },
	{ .name = "scripts closed", .unit = "<script></script>" },
	{ .name = "iframes", .unit = "<iframe src=@></iframe>" },
	{ .name = "words", .unit = "word " },
	{ .name = "blanks", .unit = "    " },
	{ .name = "no-break spaces", .unit = "&nbsp;" },
	{ .name = "bytes of no utf-8", .type = "text/html; charset=utf-8", .unit = "\xff\xfe\xc3" },
	{ .name = "euro signs", .type = "text/html; charset=windows-1252", .unit = "\x80" },
	{ .name = "euro tags", .type = "text/html; charset=windows-1252", .unit = "<\x80>" },
	{ .name = "cjk", .type = "text/html; charset=gbk", .unit = "\xd6\xd0" },
	{ .name = "plain", .type = "text/plain", .unit = "text\n" },
	{ .name = "plain euro signs", .type = "text/plain; charset=windows-1252", .unit = "\x80" },
	{ .name = "feed, items", .type = "text/xml", .head = RSS, .unit = "<item/>" },
	{ .name = "feed, titles", .type = "text/xml", .head = RSS, .unit = "<title>a&lt;b></title>" },
	{ .name = "feed, html", .type = "text/xml", .head = RSS, .unit = "<item><description>&lt;b></description></item>" },
	{ .name = "feed, attributes", .type = "text/xml", .head = RSS, .unit = "<link a='' b='' c='' d='' e='' f=''/>" },
	{ .name = "feed, depth", .type = "text/xml", .head = RSS "<description>", .unit = "<b>x" },
	{ .name = "feed, deep html", .type = "text/xml", .head = RSS "<description>", .unit = "&lt;b>x" },
	{ .name = "feed, entities", .type = "text/xml", .head = "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>" RSS "<title>", .unit = "&b;" },
	{ .name = "feed, euro signs", .type = "text/xml; charset=windows-1252", .head = RSS "<title>", .unit = "\x80" },
	/* larger */
	/* Holds L4. */
	{ .name = "8 MiB of divs", .unit = "<div>", .mib = 8 },
	{ .name = "8 MiB of paragraphs", .unit = "<p>x</p>", .mib = 8 },
	{ .name = "8 MiB of links", .unit = "<a href=@>x</a>", .mib = 8 },
	{ .name = "8 MiB of euro signs", .type = "text/html; charset=windows-1252", .unit = "\x80", .mib = 8 },
	{ .name = "a title of 8 MiB", .type = "text/html; charset=windows-1252", .head = "<title>&amp;", .unit = "\x80", .mib = 8 },
	{ .name = "a description of 8 MiB", .type = "text/html; charset=windows-1252", .head = "<meta name=description content='&amp;", .unit = "\x80", .tail = "'>", .mib = 8 },
	{ .name = "pre of 8 MiB", .type = "text/html; charset=windows-1252", .head = "<pre>&amp;", .unit = "\x80", .mib = 8 },
	{ .name = "feed of 8 MiB of euro signs", .type = "text/xml; charset=windows-1252", .head = RSS "<description>&amp;amp;", .unit = "\x80", .mib = 8 },
	{ .name = "20 MiB of words", .unit = "word ", .mib = 20 },
	{ .name = "8 MiB of items", .type = "text/xml", .head = RSS, .unit = "<item><title>a</title></item>", .mib = 8 },
};

static uint8_t *make_body(const struct page *p, size_t *n)
{
	size_t size = (p->mib ? p->mib : 1) * MIB / (SANITIZED ? 4 : 1);
	size_t at = 0, number = 0;
	size_t head = p->head ? strlen(p->head) : 0;
	size_t tail = p->tail ? strlen(p->tail) : 0;
	uint8_t *b = malloc(size + 256);

	assert_non_null(b);
	for (int i = 0; p->deep != NULL && i < 1000; i++) {
		memcpy(b + at, p->deep, strlen(p->deep));
		at += strlen(p->deep);
	}
	if (head > 0)
		memcpy(b + at, p->head, head);
	at += head;
	while (at + tail < size) {
		for (const char *u = p->unit; *u != '\0' && at < size; u++) {
			if (*u == '@')
				at += (size_t)snprintf((char *)b + at, 24, "%zx",
						       number);
			else
				b[at++] = (uint8_t)*u;
		}
		number++;
	}
	if (tail > 0)
		memcpy(b + at, p->tail, tail);
	*n = at + tail;
	return b;
}

/* The measurements of one view, by a process of its own. */
struct cost {
	double ms;
	size_t peak_bytes;
	bool is_utf8;
};

/* "VmHWM:" and "VmRSS:" of /proc/self/status, in bytes */
static size_t resident(const char *key)
{
	char line[256];
	size_t kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			kib = strtoul(line + strlen(key), NULL, 10);
	if (f != NULL)
		fclose(f);
	return kib << 10;
}

struct job {
	const struct page *page;
	enum cfs_view view;
	struct cost cost;
};

static void *run(void *arg)
{
	struct job *job = arg;
	const char *type = job->page->type ? job->page->type : "text/html";
	struct fixture f;
	size_t n, before;
	uint8_t *body = make_body(job->page, &n);
	char *warm, *got;
	int fd;

	/* tables of ICU, and the heap, are there once */
	fixture_page(&f, type, "<p>x&amp;\x80</p>", 14);
	warm = fixture_view(&f, job->view, false, NULL);
	free(warm);
	fixture_page(&f, type, body, n);
	fd = open("/proc/self/clear_refs", O_WRONLY);
	if (fd >= 0 && write(fd, "5", 1) != 1)	/* forgets the peak */
		perror("clear_refs");
	if (fd >= 0)
		close(fd);
	before = resident("VmRSS:");
	job->cost.ms = unit_cpu_ms();
	got = fixture_view(&f, job->view, false, &n);
	job->cost.ms = unit_cpu_ms() - job->cost.ms;
	job->cost.peak_bytes = resident("VmHWM:") - before;
	job->cost.is_utf8 = cfs_utf8_is_valid(cfs_slice_of(got, n));
	free(got);
	free(body);
	return NULL;
}

static void in_small_stack(struct job *job)
{
	pthread_attr_t attr;
	pthread_t t;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
	assert_int_equal(pthread_create(&t, &attr, run, job), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	pthread_attr_destroy(&attr);
}

static struct cost measure(const struct page *p, enum cfs_view view)
{
	struct job job = { p, view, { 0, 0, false } };
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		ssize_t n;

		in_small_stack(&job);
		n = write(ends[1], &job.cost, sizeof(job.cost));
		_exit(n == (ssize_t)sizeof(job.cost) ? 0 : 1);
	}
	close(ends[1]);
	if (read(ends[0], &job.cost, sizeof(job.cost)) !=
	    (ssize_t)sizeof(job.cost))
		job.cost.is_utf8 = false;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return job.cost;
}

static void hostile(void **state)
{
	static const enum cfs_view views[] = { CFS_VIEW_TEXT, CFS_VIEW_META,
					       CFS_VIEW_MARKDOWN,
					       CFS_VIEW_MAIN };
	const struct page *p = *state;
	size_t mib = p->mib ? p->mib : 1;

	for (size_t i = 0; i < COUNT(views); i++) {
		struct cost c = measure(p, views[i]);

		if (getenv("HOSTILE_TIMES") != NULL)
			print_message("%6.0f ms %6.1f MiB %s %s\n",
				      c.ms / (double)mib,
				      (double)c.peak_bytes / (double)MIB,
				      cfs_view_name(views[i]), p->name);
		assert_true(c.is_utf8);
		if (SANITIZED)
			continue;
		/* .md and .main.txt have a paragraph in memory twice */
		if (c.peak_bytes > (10 * mib + 16 + 4 * (i >= 2)) * MIB)
			fail_msg("%s of '%s' took %zu bytes",
				 cfs_view_name(views[i]), p->name, c.peak_bytes);
		if (c.ms > (double)(TIME_MAX_MS * SLACK * mib) * unit_slowness())
			fail_msg("%s of '%s' took %.0f ms",
				 cfs_view_name(views[i]), p->name, c.ms);
	}
}

UNIT_PROGRAM
{
	/* As in a mount (fuse/mount.c): what is freed is given back. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	UNIT_ROWS(pages, hostile);
	return unit_run("hostile");
}
