/* choices.c - counts statuses, types, languages and times of captures, and says
 * which there are.
 *
 * Limits: SHOWN_MAX values of each kind are shown, TYPES_MAX different types
 * and languages are counted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "choices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/log.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "index/picked.h"

#define SHOWN_MAX 8u
#define TYPES_MAX 256u
#define TYPE_BYTES 48u		/* of a type that are shown */
#define LINE_MAX_BYTES 1000u
#define STOPPED 2

struct choice {
	uint64_t n;
	char text[TYPE_BYTES + 1];
};

/* Values of one kind; those beyond TYPES_MAX are counted together. */
struct choice_list {
	struct choice v[TYPES_MAX];
	size_t n;
	uint64_t others;
};

struct choice_set {
	struct choice_list statuses, types, languages;
	bool has_time;
	int64_t first, last;
};

struct cfs_choices {
	const struct cfs_conditions *conditions;
	unsigned given;
	struct cfs_index *all;		/* with what is not picked */
	struct cfs_iter it;
	struct cfs_ctx ctx;
	uint64_t looks, max;
	bool is_cut, any_picked;
	struct choice_set left;		/* by what the other conditions leave */
	struct choice_set every;	/* by all captures */
};

/* ---- counting ----------------------------------------------------------- */

static void choice_add(struct choice_list *list, struct cfs_slice value)
{
	char text[TYPE_BYTES + 1];
	size_t n = 0;

	for (; n < value.n && n < TYPE_BYTES; n++)
		text[n] = value.p[n] > ' ' && value.p[n] < 0x7f ?
			  (char)cfs_ascii_lower(value.p[n]) : '?';
	text[n] = '\0';
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->v[i].text, text) == 0) {
			list->v[i].n++;
			return;
		}
	}
	if (list->n == TYPES_MAX) {
		list->others++;
		return;
	}
	list->v[list->n].n = 1;
	memcpy(list->v[list->n++].text, text, n + 1);
}

static void choice_add_status(struct choice_list *list, uint16_t status)
{
	CFS_BUF(text, 8);

	if (status != 0)
		cfs_buf_addf(&text, "%u", status);
	choice_add(list, cfs_buf_slice(&text));
}

static void choice_add_time(struct choice_set *c, int64_t time)
{
	if (time == 0)
		return;
	if (!c->has_time || time < c->first)
		c->first = time;
	if (!c->has_time || time > c->last)
		c->last = time;
	c->has_time = true;
}

/* Counts the value that each condition asks about, if the capture meets all
 * others. */
static void choices_count(struct choice_set *c, const struct cfs_traits *t,
			  unsigned failed)
{
	struct cfs_slice languages = t->languages;

	if ((failed & ~CFS_CONDITION_TIME) == 0)
		choice_add_time(c, t->time);
	if ((failed & ~CFS_CONDITION_STATUS) == 0)
		choice_add_status(&c->statuses, cfs_traits_status(t));
	if ((failed & ~CFS_CONDITION_MIME) == 0)
		choice_add(&c->types, cfs_traits_type(t));
	if ((failed & ~CFS_CONDITION_LANGUAGE) == 0)
		choice_add(&c->languages, cfs_slice_split(&languages, ','));
}

void cfs_choices_add(struct cfs_choices *c, const struct cfs_traits *t)
{
	unsigned failed = cfs_conditions_failed(c->conditions, t);

	c->looks++;
	c->any_picked |= failed == 0;
	choices_count(&c->left, t, failed);
	choices_count(&c->every, t, 0);
}

static int choices_on_entry(void *arg, const struct cfs_iter *it,
			    const struct cfs_capture *none)
{
	struct cfs_choices *c = arg;
	struct cfs_capture cap;
	struct cfs_traits t;
	int rc;

	(void)none;
	if (c->looks == c->max) {
		c->is_cut = true;
		return STOPPED;
	}
	rc = cfs_index_at(c->all, it->pos, &c->it, c->ctx);
	if (rc == CFS_OK)
		rc = cfs_index_capture(&c->it, &cap, NULL);
	if (rc == CFS_EFORMAT)
		return CFS_OK;
	if (rc != CFS_OK)
		return rc;
	t = cfs_traits_of(&cap);
	cfs_choices_add(c, &t);
	return c->any_picked ? STOPPED : CFS_OK;
}

/* ---- the line ----------------------------------------------------------- */

static int choice_more_first(const void *va, const void *vb)
{
	const struct choice *a = va, *b = vb;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return strcmp(a->text, b->text);
}

static void choices_say_list(struct cfs_buf *out, const char *what,
			     struct choice_list *list)
{
	if (list->n == 0)
		return;
	qsort(list->v, list->n, sizeof(list->v[0]), choice_more_first);
	cfs_buf_addf(out, "; %s: ", what);
	for (size_t i = 0; i < list->n && i < SHOWN_MAX; i++) {
		const char *text = list->v[i].text;

		if (text[0] == '\0')
			text = "unknown";
		cfs_buf_addf(out, "%s%s (%" PRIu64 ")", i > 0 ? ", " : "", text,
			     list->v[i].n);
	}
	if (list->n > SHOWN_MAX || list->others > 0)
		cfs_buf_adds(out, ", ...");
}

static void choices_say_times(struct cfs_buf *out, const struct choice_set *c)
{
	char first[CFS_TIME_14_BYTES], last[CFS_TIME_14_BYTES];

	if (!c->has_time)
		return;
	cfs_time_format_14(c->first, first);
	cfs_time_format_14(c->last, last);
	cfs_buf_addf(out, "; times: %s to %s", first, last);
}

static bool choices_has_any(const struct choice_set *c, unsigned given)
{
	return ((given & CFS_CONDITION_TIME) != 0 && c->has_time) ||
	       ((given & CFS_CONDITION_STATUS) != 0 && c->statuses.n > 0) ||
	       ((given & CFS_CONDITION_MIME) != 0 && c->types.n > 0) ||
	       ((given & CFS_CONDITION_LANGUAGE) != 0 && c->languages.n > 0);
}

void cfs_choices_say(struct cfs_choices *c)
{
	char count[CFS_TEXT_COUNT_BYTES];
	CFS_BUF(out, LINE_MAX_BYTES);
	bool is_one = (c->given & (c->given - 1)) == 0;
	bool has_left = choices_has_any(&c->left, c->given);
	struct choice_set *of = has_left ? &c->left : &c->every;

	if (c->looks == 0 || c->any_picked)
		return;
	cfs_buf_addf(&out, "nothing is picked of %s%s",
		     c->is_cut ? "the first " : "",
		     cfs_text_count(c->looks, "capture", count));
	if ((c->given & CFS_CONDITION_TIME) != 0)
		choices_say_times(&out, of);
	if ((c->given & CFS_CONDITION_STATUS) != 0)
		choices_say_list(&out, "statuses", &of->statuses);
	if ((c->given & CFS_CONDITION_MIME) != 0)
		choices_say_list(&out, "types", &of->types);
	if ((c->given & CFS_CONDITION_LANGUAGE) != 0)
		choices_say_list(&out, "languages", &of->languages);
	if (!is_one)
		cfs_buf_adds(&out, has_left ?
			     " (each of what the other conditions leave)" :
			     " (of all: each misses two conditions at least)");
	if (out.failed == CFS_OK)
		cfs_log(CFS_LOG_WARNING, "%s", cfs_buf_str(&out));
}

struct cfs_choices *cfs_choices_new(const struct cfs_conditions *conditions)
{
	struct cfs_choices *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->conditions = conditions;
	c->given = cfs_conditions_given(conditions);
	return c;
}

void cfs_choices_free(struct cfs_choices *c)
{
	free(c);
}

void cfs_choices_log(const struct cfs_target *t,
		     const struct cfs_cancel *cancel)
{
	struct cfs_index *ix = t->crawl->index;
	const struct cfs_conditions *conditions = cfs_picked_conditions(ix);
	struct cfs_choices *c;
	int rc;

	if (conditions == NULL || cfs_conditions_given(conditions) == 0)
		return;
	c = cfs_choices_new(conditions);
	if (c == NULL)
		return;
	c->all = cfs_index_unpicked(ix);
	c->ctx = CFS_CTX(cancel, NULL);
	c->max = t->crawl->cache != NULL ? CFS_CHOICES_LOOKS_REMOTE :
					   CFS_CHOICES_LOOKS;
	cfs_iter_init(&c->it);
	rc = cfs_target_each_entry(t, NULL, choices_on_entry, c, c->ctx);
	if (rc == CFS_OK || rc == STOPPED)
		cfs_choices_say(c);
	cfs_iter_release(&c->it);
	free(c);
}

static int log_target(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	(void)arg;
	cfs_choices_log(t, ctx.cancel);
	return CFS_OK;
}

void cfs_choices_log_all(struct cfs_crawl *c, const struct cfs_cancel *cancel)
{
	(void)cfs_target_with(c, NULL, log_target, NULL, CFS_CTX(cancel, NULL));
}
