/* layout.cc - the paragraphs of a document, from the lines of its pages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "layout.h"

#include <algorithm>
#include <cmath>
#include <map>

/* Lines that are looked at at each end of a page. */
static const size_t EDGE_LINES = 3;
/* The part of a page's height in which running heads lie, at each end: an inch. */
static const double EDGE_HEIGHT = 0.09;
/* A line is a running head if it is on so many pages... */
static const unsigned HEAD_PAGES = 3;
/* ... and places of heads differ by less than this, in points. */
static const double HEAD_SLACK = 4;
/* A gap of more than this many lines' heights divides paragraphs. */
static const double GAP = 0.75;
/* A column narrower than this many lines' heights has no running text: its lines
 * are cells or labels, and stay lines. */
static const double NARROW = 10;
/* A line that fills less than this part of its column is the last of its
 * paragraph. */
static const double FULL = 0.65;
/* Lines belong to one column if their left edges differ by at most so many
 * heights. */
static const double EDGE_SLACK = 3;
/* Sizes of letters that differ by more than this part are another paragraph. */
static const double SIZE_SLACK = 0.12;
/* A first line is indented by this many letters' heights. */
static const double INDENT = 0.8;

/* ---- running heads ---- */

static bool is_ascii_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The text with each run of digits as one '#'. */
static std::string without_numbers(const std::string &s)
{
	std::string out;

	for (char c : s)
		if (!is_ascii_digit(c))
			out += c;
		else if (out.empty() || out.back() != '#')
			out += '#';
	return out;
}

static bool is_number(const std::string &s)
{
	size_t digits = 0, others = 0;

	for (char c : s)
		if (is_ascii_digit(c))
			digits++;
		else if (c != ' ' && c != '-' && c != '.' && c != '/')
			others++;
	return digits > 0 && digits <= 5 && others == 0;
}

/* The place of a head: its text and its row on the page. */
typedef std::pair<std::string, long> head_key;

static head_key key_of(const pdf_line &l, long shift)
{
	return head_key(without_numbers(l.text),
			std::lround(l.top / (2 * HEAD_SLACK)) + shift);
}

/* The lines near one end of a page, by their places. */
static std::vector<pdf_line *> edge_of(pdf_page &p, bool is_top)
{
	std::vector<pdf_line *> v;
	double edge = p.height * EDGE_HEIGHT;

	for (pdf_line &l : p.lines)
		if (is_top ? l.bottom <= edge : l.top >= p.height - edge)
			v.push_back(&l);
	std::sort(v.begin(), v.end(),
		  [is_top](const pdf_line *a, const pdf_line *b) {
			  return is_top ? a->top < b->top : a->top > b->top;
		  });
	if (v.size() > EDGE_LINES)
		v.resize(EDGE_LINES);
	return v;
}

static void find_margins_at(std::vector<pdf_page> &pages, bool is_top)
{
	std::map<head_key, unsigned> seen;

	for (pdf_page &p : pages)
		for (pdf_line *l : edge_of(p, is_top))
			seen[key_of(*l, 0)]++;
	for (pdf_page &p : pages) {
		for (pdf_line *l : edge_of(p, is_top)) {
			unsigned n = 0;

			for (long shift = -1; shift <= 1; shift++) {
				auto at = seen.find(key_of(*l, shift));

				if (at != seen.end())
					n += at->second;
			}
			if (n >= HEAD_PAGES || is_number(l->text))
				l->is_margin = true;
		}
	}
}

void pdf_find_margins(std::vector<pdf_page> &pages)
{
	find_margins_at(pages, true);
	find_margins_at(pages, false);
}

/* ---- paragraphs ---- */

static bool ends_sentence(const std::string &s)
{
	return !s.empty() && std::string(".!?:;\"").find(s.back()) !=
				     std::string::npos;
}

static bool begins_list(const std::string &s)
{
	static const char *const bullets[] = {
		"\u2022", "\u25cf", "\u25aa", "\u2013 ", "- ", "* ", "\u00b7"
	};

	for (const char *b : bullets)
		if (s.compare(0, std::string(b).size(), b) == 0)
			return true;
	return false;
}

/* Whether b goes on with the paragraph that began at `left` and ends with a. */
static bool goes_on(const pdf_line &a, const pdf_line &b, double left)
{
	double height = std::max(a.bottom - a.top, 1.0);
	double width = a.column - a.left;

	if (std::fabs(a.size - b.size) > SIZE_SLACK * std::max(a.size, b.size) ||
	    begins_list(b.text) || width < NARROW * height ||
	    a.right - a.left < FULL * width)
		return false;
	if (b.top < a.top)	/* the next column or page */
		return !ends_sentence(a.text);
	return b.top - a.bottom <= GAP * height &&
	       (b.left <= left + INDENT * height || b.left <= a.left ||
		!ends_sentence(a.text));
}

/* Finds the right edge of each line's column: the furthest of the lines that
 * begin near it on the page. */
static void find_columns(pdf_page &p)
{
	std::vector<pdf_line *> v;
	double reach = 0;
	size_t first = 0;

	for (pdf_line &l : p.lines)
		v.push_back(&l);
	std::sort(v.begin(), v.end(), [](const pdf_line *a, const pdf_line *b) {
		return a->left < b->left;
	});
	for (size_t i = 0; i <= v.size(); i++) {
		double slack = i == 0 ? 0 :
			EDGE_SLACK * (v[i - 1]->bottom - v[i - 1]->top);

		if (i == v.size() ||
		    (i > 0 && v[i]->left - v[i - 1]->left > slack)) {
			for (; first < i; first++)
				v[first]->column = reach;
			reach = 0;
		}
		if (i < v.size())
			reach = std::max(reach, v[i]->right);
	}
}

static bool is_lower_ascii(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Appends a line to a paragraph; a hyphen between small letters goes. */
static void append_line(std::string &out, const std::string &text)
{
	size_t n = out.size();

	if (n >= 2 && out[n - 1] == '-' && is_lower_ascii(out[n - 2]) &&
	    !text.empty() && is_lower_ascii(text[0]))
		out.resize(n - 1);
	else if (n >= 2 && out.compare(n - 2, 2, "\u00ad") == 0)
		out.resize(n - 2);
	else if (n > 0)
		out += ' ';
	out += text;
}

std::string pdf_paragraphs(std::vector<pdf_page> &pages)
{
	std::string out, paragraph;
	const pdf_line *last = NULL;
	double left = 0;

	for (pdf_page &p : pages) {
		find_columns(p);
		for (const pdf_line &l : p.lines) {
			if (l.is_margin || l.text.empty())
				continue;
			if (last == NULL || !goes_on(*last, l, left)) {
				if (!paragraph.empty())
					out += paragraph + "\n\n";
				paragraph.clear();
				left = l.left;
			} else if (l.top < last->top) {
				left = l.left;
			} else {
				left = std::min(left, l.left);
			}
			append_line(paragraph, l.text);
			last = &l;
		}
	}
	if (!paragraph.empty())
		out += paragraph + "\n";
	return out;
}
