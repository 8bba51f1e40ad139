/* robots.c - what a page says of its use (see robots.h).
 *
 * A field for search engines has rules with commas between them, in any case.
 * One with a colon begins with the agent that it and those behind it are for,
 * unless it is a rule with a value:
 *
 *     X-Robots-Tag: otherbot: noindex, max-snippet: 20, thisbot: none
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robots.h"

#include "base/ascii.h"

/* Rules that have a value behind a colon. */
#define VALUED "max-snippet max-image-preview max-video-preview " \
	"unavailable_after"
/* Agents whose names do not say that they are one. */
#define AGENTS "robots slurp teoma yandex baiduspider duckduckgo"

struct statement {
	struct cfs_buf *out;
	const char *source;
	struct cfs_slice name;
	bool is_open;		/* its agent is written */
};

static bool is_blank(uint8_t c)
{
	return c <= ' ' || c == 0x7f;
}

/* The text without blanks and control characters at its ends. */
static struct cfs_slice tidy(struct cfs_slice s)
{
	while (s.n > 0 && is_blank(s.p[0]))
		s = cfs_slice_from(s, 1);
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Appends a text without what divides statements: control characters and blanks
 * become one blank. */
static void put_text(struct cfs_buf *out, struct cfs_slice s, bool lower)
{
	bool is_apart = false;

	for (size_t i = 0; i < s.n; i++) {
		if (is_blank(s.p[i])) {
			is_apart = i > 0;
			continue;
		}
		if (is_apart)
			cfs_buf_addc(out, ' ');
		is_apart = false;
		cfs_buf_addc(out, lower ? cfs_ascii_lower(s.p[i]) : s.p[i]);
	}
}

static void end(struct statement *t)
{
	if (t->is_open)
		cfs_buf_addc(t->out, 0);
	t->is_open = false;
}

static void begin(struct statement *t, struct cfs_slice agent)
{
	end(t);
	cfs_buf_adds(t->out, t->source);
	cfs_buf_addc(t->out, 0);
	put_text(t->out, t->name, true);
	cfs_buf_addc(t->out, 0);
	put_text(t->out, agent, true);
	cfs_buf_addc(t->out, 0);
	t->is_open = true;
}

static void put_rule(struct statement *t, struct cfs_slice key,
		     struct cfs_slice value, bool lower)
{
	if (!t->is_open)
		begin(t, CFS_SLICE_LIT("*"));
	put_text(t->out, key, lower);
	if (value.n > 0)
		cfs_buf_addc(t->out, ':');
	put_text(t->out, value, lower);
	cfs_buf_addc(t->out, '\n');
}

/* True for what can be the name of a program: a word. */
static bool is_agent(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (is_blank(s.p[i]) || s.p[i] == '"' || s.p[i] == '=')
			return false;
	return s.n > 0;
}

/* The comma of "Wed, 25 Jun 2010" divides no rules: takes what is behind it,
 * too. */
static struct cfs_slice whole_date(struct cfs_slice day, struct cfs_slice *rest)
{
	struct cfs_slice more;

	for (size_t i = 0; i < day.n; i++)
		if (!cfs_is_alpha(day.p[i]))
			return day;
	if (day.n == 0 || rest->n == 0)
		return day;
	more = cfs_slice_split(rest, ',');
	day.n = (size_t)(more.p - day.p) + more.n;
	return day;
}

/* Divides a rule at its colon.  False: it has none. */
static bool divide(struct cfs_slice rule, struct cfs_slice *key,
		   struct cfs_slice *value)
{
	ptrdiff_t colon = cfs_slice_find(rule, ':');

	*key = rule;
	*value = CFS_SLICE_EMPTY;
	if (colon < 0)
		return false;
	*key = tidy(cfs_slice_sub(rule, 0, (size_t)colon));
	*value = tidy(cfs_slice_from(rule, (size_t)colon + 1));
	return true;
}

/* Takes a field or element for search engines apart; agents_named: its rules
 * may begin with agents. */
static void put_rules(struct statement *t, struct cfs_slice rest,
		      bool agents_named)
{
	while (rest.n > 0) {
		struct cfs_slice rule =
			tidy(cfs_slice_split(&rest, ','));
		struct cfs_slice key, value;

		if (divide(rule, &key, &value) && agents_named &&
		    is_agent(key) && !cfs_slice_in_words(key, VALUED)) {
			begin(t, key);
			rule = value;
			divide(rule, &key, &value);
		}
		if (cfs_slice_eq_nocase(key,
					CFS_SLICE_LIT("unavailable_after")))
			value = whole_date(value, &rest);
		if (key.n > 0 || value.n > 0)
			put_rule(t, key, value, true);
	}
}

/* Puts a dictionary of structured fields (RFC 9651), a rule a member. */
static void put_members(struct statement *t, struct cfs_slice rest)
{
	while (rest.n > 0) {
		struct cfs_slice rule =
			tidy(cfs_slice_split(&rest, ','));

		if (rule.n > 0)
			put_rule(t, rule, CFS_SLICE_EMPTY, false);
	}
}

static bool is_tdm(struct cfs_slice name)
{
	return cfs_slice_in_words(name, "tdm-reservation tdm-policy");
}

/* True for "robots" and the names of programs. */
static bool names_agent(struct cfs_slice name)
{
	static const char *const ends[] = { "bot", "spider", "crawler" };

	if (cfs_slice_in_words(name, AGENTS) ||
	    cfs_slice_starts_nocase(name, CFS_SLICE_LIT("googlebot-")))
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct cfs_slice e = cfs_slice_str(ends[i]);

		if (name.n > e.n && is_agent(name) && cfs_slice_eq_nocase(e,
				cfs_slice_from(name, name.n - e.n)))
			return true;
	}
	return false;
}

void cfs_robots_of_head(const struct cfs_fields *head, struct cfs_buf *out)
{
	for (size_t i = 0; i < head->n; i++) {
		struct cfs_slice value = tidy(head->v[i].value);
		struct statement t = { .out = out, .source = "header",
				       .name = head->v[i].name };

		if (value.n == 0)
			continue;
		if (cfs_slice_eq_nocase(t.name, CFS_SLICE_LIT("X-Robots-Tag")))
			put_rules(&t, value, true);
		else if (cfs_slice_eq_nocase(t.name,
					     CFS_SLICE_LIT("Content-Usage")))
			put_members(&t, value);
		else if (is_tdm(t.name))
			put_rule(&t, value, CFS_SLICE_EMPTY, false);
		end(&t);
	}
}

void cfs_robots_of_meta(struct cfs_slice name, struct cfs_slice content,
			struct cfs_buf *out)
{
	struct statement t = { .out = out, .source = "meta" };

	t.name = tidy(name);
	content = tidy(content);
	if (content.n == 0)
		return;
	if (is_tdm(t.name)) {
		put_rule(&t, content, CFS_SLICE_EMPTY, false);
	} else if (names_agent(t.name)) {
		if (!cfs_slice_eq_nocase(t.name, CFS_SLICE_LIT("robots")))
			begin(&t, t.name);
		put_rules(&t, content, false);
	}
	end(&t);
}

bool cfs_robots_next(struct cfs_slice *s, struct cfs_robots_item *out)
{
	if (s->n == 0)
		return false;
	out->source = cfs_slice_split(s, 0);
	out->name = cfs_slice_split(s, 0);
	out->agent = cfs_slice_split(s, 0);
	out->rules = cfs_slice_split(s, 0);
	return true;
}
