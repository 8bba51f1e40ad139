/* helper.cc - crawlfs-pdf: the texts of PDF documents, for crawlfs.
 *
 * The program does nothing but read documents from its standard input and write
 * their texts to its standard output (protocol.h).  Documents are hostile, and
 * poppler is large: after the start the program may read and write these two
 * pipes, take memory up to a limit, and end; every other system call fails, and
 * those that start programs or sockets kill it (seccomp).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <memory>

#include <fcntl.h>
#include <iconv.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>

#include "layout.h"
#include "mend.h"
#include "protocol.h"

/* Address space; poppler, its data and the pages it holds. */
static const rlim_t MEMORY_BYTES = (rlim_t)768 << 20;

/* A longer title is none. */
static const size_t TITLE_BYTES_MAX = 1000;

/* ---- the sandbox ---- */

static bool allow(scmp_filter_ctx f, int call)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 0) == 0;
}

static bool allow_fd(scmp_filter_ctx f, int call, int fd)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 1,
				SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)fd)) == 0;
}

/* Memory that cannot be executed. */
static bool allow_memory(scmp_filter_ctx f, int call)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC,
					0)) == 0;
}

static bool enter_sandbox()
{
	static const int calls[] = {
		SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap),
		SCMP_SYS(madvise), SCMP_SYS(futex), SCMP_SYS(exit),
		SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn),
		SCMP_SYS(rt_sigprocmask), SCMP_SYS(setitimer),
		SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
		SCMP_SYS(getrandom), SCMP_SYS(sched_yield)
	};
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool is_ok = f != NULL;

	for (int call : calls)
		is_ok = is_ok && allow(f, call);
	is_ok = is_ok && allow_memory(f, SCMP_SYS(mmap)) &&
		allow_memory(f, SCMP_SYS(mprotect)) &&
		allow_fd(f, SCMP_SYS(read), 0) &&
		allow_fd(f, SCMP_SYS(write), 1) && seccomp_load(f) == 0;
	seccomp_release(f);
	return is_ok;
}

static void set_limit(int what, rlim_t most)
{
	struct rlimit l = { most, most };

	if (setrlimit((__rlimit_resource_t)what, &l) != 0)
		_exit(2);
}

static void limit_all()
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 2) < 0 || close_range(3, ~0u, 0) != 0)
		_exit(2);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_AS, MEMORY_BYTES);
}

/* SIGPROF ends the program when a document has taken cpu_ms of the processor. */
static void limit_time(uint32_t cpu_ms)
{
	struct itimerval t = { { 0, 0 },
			       { cpu_ms / 1000, cpu_ms % 1000 * 1000 } };

	setitimer(ITIMER_PROF, &t, NULL);
}

/* ---- a document ---- */

struct result {
	cfs_pdf_answer answer;
	std::string title, text, main;
};

static std::string utf8_of(const poppler::ustring &s)
{
	poppler::byte_array b = s.to_utf8();

	return std::string(b.begin(), b.end());
}

/* Puts a title on one line: white space and control characters are one blank. */
static std::string clean_title(const std::string &s)
{
	std::string out;

	for (char c : s) {
		bool is_blank = (unsigned char)c <= ' ' || c == 0x7f;

		if (!is_blank)
			out += c;
		else if (!out.empty() && out.back() != ' ')
			out += ' ';
	}
	while (!out.empty() && out.back() == ' ')
		out.pop_back();
	if (out.size() > TITLE_BYTES_MAX)
		out.clear();
	return out;
}

static bool has_words(const std::string &s)
{
	for (char c : s)
		if ((unsigned char)c > ' ')
			return true;
	return false;
}

static bool on_one_line(const pdf_line &l, const poppler::rectf &r)
{
	double middle = (r.top() + r.bottom()) / 2;

	return middle > l.top && middle < l.bottom && r.left() >= l.left;
}

/* Puts the words of a page together to lines. */
static void take_lines(const poppler::page &page, pdf_page &out)
{
	bool has_space = false;

	out.height = page.page_rect().height();
	for (const poppler::text_box &b :
	     page.text_list(poppler::page::text_list_include_font)) {
		poppler::rectf r = b.bbox();
		double size = b.get_font_size();

		if (out.lines.empty() || !on_one_line(out.lines.back(), r)) {
			pdf_line l = { "", r.left(), r.top(), r.right(),
				       r.bottom(), size, 0, false };

			out.lines.push_back(l);
			has_space = false;
		}
		pdf_line &l = out.lines.back();

		if (has_space)
			l.text += ' ';
		l.text += utf8_of(b.text());
		l.right = std::max(l.right, r.right());
		l.top = std::min(l.top, r.top());
		l.bottom = std::max(l.bottom, r.bottom());
		has_space = true;
	}
}

/* The text of a page as pdftotext prints it, without the form feed that poppler
 * ends it with. */
static std::string text_of(const poppler::page &page)
{
	std::string text = utf8_of(page.text(
		poppler::rectf(), poppler::page::non_raw_non_physical_layout));

	while (!text.empty() && text.back() == '\f')
		text.pop_back();
	return text;
}

/* Appends a page to the text.  False: it would be too long. */
static bool add_text(const poppler::page &page, const cfs_pdf_request &q,
		     result &out)
{
	std::string text = text_of(page);

	if (out.text.size() + text.size() > q.text_bytes_max)
		return false;
	out.text += text;
	return true;
}

/* Adds a page to those that the paragraphs are made of, which have n bytes. */
static bool add_lines(const poppler::page &page, const cfs_pdf_request &q,
		      std::vector<pdf_page> &pages, size_t &n)
{
	pages.emplace_back();
	take_lines(page, pages.back());
	for (const pdf_line &l : pages.back().lines)
		n += l.text.size();
	if (n <= q.text_bytes_max)
		return true;
	pages.pop_back();
	return false;
}

/* Neither text depends on whether the other one is wanted. */
static void read_pages(poppler::document &doc, const cfs_pdf_request &q,
		       result &out)
{
	bool in_text = q.wants & CFS_PDF_WANTS_TEXT;
	bool in_main = q.wants & CFS_PDF_WANTS_MAIN, counts_text = in_text;
	std::vector<pdf_page> pages;
	size_t n = 0;

	out.answer.pages = (uint32_t)doc.pages();
	for (int i = 0; i < doc.pages() && (uint32_t)i < q.pages_max &&
			(in_text || in_main); i++) {
		std::unique_ptr<poppler::page> p(doc.create_page(i));

		if (p == nullptr)
			continue;
		in_text = in_text && add_text(*p, q, out);
		in_main = in_main && add_lines(*p, q, pages, n);
		out.answer.pages_read += counts_text ? in_text : in_main;
	}
	if (!has_words(out.text))
		out.text.clear();
	pdf_find_margins(pages);
	out.main = pdf_paragraphs(pages);
	if (out.main.size() > q.text_bytes_max)
		out.main.clear();
}

static std::string end_of(const std::string &document, cfs_pdf_mend how)
{
	std::string end(CFS_PDF_END_BYTES_MAX, '\0');

	end.resize(cfs_pdf_end(document.data(), document.size(), how, &end[0]));
	return end;
}

static void read_document(std::string &bytes, const cfs_pdf_request &q,
			  result &out)
{
	out.answer.status = CFS_PDF_DAMAGED;
	for (cfs_pdf_mend how : { CFS_PDF_MEND_NOT, CFS_PDF_BY_CATALOGUE,
				  CFS_PDF_BY_PAGES }) {
		bytes.resize(q.document_bytes);
		std::string end = end_of(bytes, how);

		if (end.empty() && how != CFS_PDF_MEND_NOT)
			continue;
		bytes += end;
		std::unique_ptr<poppler::document> doc(
			poppler::document::load_from_raw_data(
				bytes.data(), (int)bytes.size()));

		if (doc != nullptr && doc->is_locked()) {
			out.answer.status = CFS_PDF_ENCRYPTED;
			return;
		}
		if (doc == nullptr)
			continue;
		out.title = clean_title(utf8_of(doc->get_title()));
		read_pages(*doc, q, out);
		if (out.answer.pages_read > 0) {
			out.answer.status = CFS_PDF_OK;
			return;
		}
	}
}

/* ---- requests ---- */

static bool read_all(void *p, size_t n)
{
	for (char *at = (char *)p; n > 0;) {
		ssize_t got = read(0, at, n);

		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static bool write_all(const void *p, size_t n)
{
	for (const char *at = (const char *)p; n > 0;) {
		ssize_t put = write(1, at, n);

		if (put <= 0)
			return false;
		at += put;
		n -= (size_t)put;
	}
	return true;
}

static bool answer(result &r)
{
	r.answer.magic = CFS_PDF_MAGIC;
	r.answer.title_bytes = (uint32_t)r.title.size();
	r.answer.text_bytes = (uint32_t)r.text.size();
	r.answer.main_bytes = (uint32_t)r.main.size();
	return write_all(&r.answer, sizeof(r.answer)) &&
	       write_all(r.title.data(), r.title.size()) &&
	       write_all(r.text.data(), r.text.size()) &&
	       write_all(r.main.data(), r.main.size());
}

static bool serve_one()
{
	cfs_pdf_request q;

	if (!read_all(&q, sizeof(q)) || q.magic != CFS_PDF_MAGIC)
		return false;
	std::string bytes(q.document_bytes, '\0');
	result r = {};

	if (!read_all(&bytes[0], bytes.size()))
		return false;
	limit_time(q.cpu_ms);
	read_document(bytes, q, r);
	limit_time(0);
	return answer(r);
}

/* Loads what the libraries load of files when they are first used, which the
 * sandbox does not allow: poppler's tables, and iconv's modules, which stay as
 * long as they are open. */
static bool load_libraries()
{
	std::vector<char> nothing(1);

	delete poppler::document::load_from_raw_data(nothing.data(), 1);
	return iconv_open("UTF-8", "UTF-16") != (iconv_t)-1 &&
	       iconv_open("UTF-16", "UTF-8") != (iconv_t)-1;
}

static void ignore_message(const std::string &, void *) {}

int main()
{
	limit_all();
	poppler::set_debug_error_function(ignore_message, nullptr);
	if (!load_libraries() || !enter_sandbox())
		return 2;
	try {
		while (serve_one())
			;
	} catch (...) {
		return 3;	/* memory, which the sandbox limits */
	}
	return 0;
}
