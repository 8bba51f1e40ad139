/* pick.c - parses conditions on captures, and checks captures against them.
 *
 * A place in the tree is a range of keys (url/urlkey.h): those that begin with
 * the bytes of the place and continue with something it allows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pick.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "url/lenient_url.h"
#include "url/urlkey.h"
#include "url/wildcard.h"

#define PREFIXES_MAX 1024u
/* Including their other readings. */
#define PLACES_MAX (8u * PREFIXES_MAX)

/* The bytes that may follow a place: nothing; a NUL, for what lies below; a
 * query or fragment; anything. */
enum { PLACE_END = 1, PLACE_BELOW = 2, PLACE_QUERY = 4, PLACE_ANY = 8 };

/* One reading of a prefix; the readings of a prefix are consecutive. */
struct pick_place {
	unsigned prefix;	/* number of the prefix */
	char *typed, *text;	/* the prefix as typed, and this reading;
				 * owned */
	struct cfs_buf key;	/* the beginning of its keys */
	unsigned next;
	atomic_bool is_found;	/* it has a capture */
};

struct cfs_pick {
	struct cfs_conditions conditions;
	struct pick_place *places;
	size_t n_places, room;
	unsigned n_prefixes;
};

/* ---- parsing prefixes -------------------------------------------------- */

/* Shortens the key of a text's URL to what represents the text; returns what
 * may follow it. */
static unsigned cut_key(enum cfs_lenient_kind kind, struct cfs_buf *key)
{
	switch (kind) {
	case CFS_LENIENT_PAGE:
		return PLACE_END;
	case CFS_LENIENT_BEGIN:
		key->n--;
		return PLACE_END | PLACE_ANY;
	case CFS_LENIENT_HOSTS:
		key->n -= 3;		/* NUL, marker and NUL: all its hosts */
		return PLACE_BELOW;
	case CFS_LENIENT_BELOW:
		return PLACE_END | PLACE_ANY;
	default:
		return PLACE_END | PLACE_BELOW | PLACE_QUERY;
	}
}

static void release_place(struct pick_place *place)
{
	cfs_buf_release(&place->key);
	free(place->typed);
	free(place->text);
}

/* Adds a reading.  CFS_ENOTFOUND or CFS_ELIMIT if there is no such place. */
static int add_place(struct cfs_pick *p, struct cfs_slice typed,
		     struct cfs_slice text)
{
	CFS_BUF(url, 2 * CFS_URL_MAX);
	struct pick_place *place;
	int rc = cfs_array_reserve((void **)&p->places, &p->room,
				   p->n_places + 1, sizeof(*p->places),
				   PLACES_MAX);

	if (rc != CFS_OK)
		return CFS_ENOMEM;
	place = &p->places[p->n_places];
	*place = (struct pick_place){
		.prefix = p->n_prefixes,
		.typed = strndup((const char *)typed.p, typed.n),
		.text = strndup((const char *)text.p, text.n) };
	cfs_buf_init(&place->key, CFS_KEY_MAX);
	if (place->typed == NULL || place->text == NULL) {
		rc = CFS_ENOMEM;
	} else {
		enum cfs_lenient_kind kind = cfs_lenient_read(text, &url);

		rc = url.failed;
		if (rc == CFS_OK)
			rc = cfs_urlkey_encode(cfs_buf_slice(&url),
					       &place->key);
		if (rc == CFS_OK)
			place->next = cut_key(kind, &place->key);
	}
	if (rc == CFS_OK)
		p->n_places++;
	else
		release_place(place);
	return rc;
}

static int read_prefix(struct cfs_pick *p, struct cfs_slice s,
		       struct cfs_error *err)
{
	size_t before = p->n_places;
	CFS_BUF(other, 4 * CFS_URL_MAX);
	int rc = CFS_ENOTFOUND;

	if (p->n_prefixes == PREFIXES_MAX)
		return cfs_error_set(err, CFS_EUSAGE,
				     "option '--prefix': more than %u of them",
				     PREFIXES_MAX);
	if (!cfs_wildcard_is(s))
		rc = add_place(p, s, s);
	else if (cfs_wildcard_read(s, 0, &other))
		rc = add_place(p, cfs_buf_slice(&other), cfs_buf_slice(&other));
	cfs_buf_reset(&other);
	for (unsigned i = 0; rc != CFS_ENOMEM &&
			     cfs_lenient_other(s, i, &other); i++) {
		rc = add_place(p, s, cfs_buf_slice(&other));
		cfs_buf_reset(&other);
	}
	p->n_prefixes++;
	if (rc == CFS_ENOMEM || other.failed == CFS_ENOMEM)
		rc = cfs_error_nomem(err);
	else if (p->n_places == before)
		rc = cfs_error_set(err, CFS_EUSAGE, "option '--prefix': '%.*s' "
				   "is neither a reversed domain such as "
				   "com.example nor a URL",
				   (int)(s.n < 100 ? s.n : 100),
				   (const char *)s.p);
	else
		rc = CFS_OK;
	return rc;
}

/* Lines with a URL or a SURT key, which may contain commas, are not split. */
static int read_prefixes(struct cfs_pick *p, const char *text,
			 struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(text);
	int rc = CFS_OK;

	while (rc == CFS_OK && rest.n > 0) {
		struct cfs_slice line = cfs_slice_split(&rest, '\n');
		bool is_list =
			cfs_slice_search(line, CFS_SLICE_LIT("://")) < 0 &&
			cfs_slice_find(line, ')') < 0;

		while (rc == CFS_OK && line.n > 0) {
			struct cfs_slice s = is_list ?
				cfs_slice_split(&line, ',') : line;

			if (!is_list)
				line.n = 0;
			s = cfs_slice_trim(s);
			if (s.n > 0)
				rc = read_prefix(p, s, err);
		}
	}
	return rc;
}

int cfs_pick_new(struct cfs_pick **out, const struct cfs_conditions *conditions,
		 const char *prefixes, struct cfs_error *err)
{
	struct cfs_pick *p;
	int rc;

	*out = NULL;
	if (cfs_conditions_given(conditions) == 0 && prefixes == NULL)
		return CFS_OK;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return cfs_error_nomem(err);
	rc = cfs_conditions_copy(&p->conditions, conditions);
	if (rc != CFS_OK)
		cfs_error_nomem(err);
	if (rc == CFS_OK && prefixes != NULL)
		rc = read_prefixes(p, prefixes, err);
	if (rc != CFS_OK)
		cfs_pick_free(p);
	else
		*out = p;
	return rc;
}

void cfs_pick_free(struct cfs_pick *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_places; i++)
		release_place(&p->places[i]);
	free(p->places);
	cfs_conditions_release(&p->conditions);
	free(p);
}

/* ---- captures ---------------------------------------------------------- */

static bool pick_is_at(const struct pick_place *place, struct cfs_slice key)
{
	uint8_t c;

	if (!cfs_slice_starts(key, cfs_buf_slice(&place->key)))
		return false;
	if (key.n == place->key.n)
		return place->next & PLACE_END;
	c = key.p[place->key.n];
	return (place->next & PLACE_ANY) ||
	       (c == '\0' && (place->next & PLACE_BELOW)) ||
	       ((c == '?' || c == '#') && (place->next & PLACE_QUERY));
}

/* key: a key of url/urlkey.h */
static bool takes_key(const struct cfs_pick *p, struct cfs_slice key)
{
	bool yes = p->n_places == 0;

	for (size_t i = 0; i < p->n_places; i++) {
		struct pick_place *place = &p->places[i];
		bool is_found = atomic_load_explicit(&place->is_found,
						     memory_order_relaxed);

		if ((yes && is_found) || !pick_is_at(place, key))
			continue;
		yes = true;
		if (!is_found)
			atomic_store_explicit(&place->is_found, true,
					      memory_order_relaxed);
	}
	return yes;
}

bool cfs_pick_takes_url(const struct cfs_pick *p, struct cfs_slice url)
{
	CFS_BUF(key, CFS_KEY_MAX);
	bool yes;

	if (p == NULL || p->n_places == 0)
		return true;
	/* URLs without a place in the tree are counted elsewhere. */
	yes = cfs_urlkey_encode(url, &key) != CFS_OK ||
	      takes_key(p, cfs_buf_slice(&key));
	return yes;
}

static bool meets(const struct cfs_pick *p, const struct cfs_traits *t)
{
	return cfs_conditions_failed(&p->conditions, t) == 0;
}

bool cfs_pick_takes(const struct cfs_pick *p,
		    const struct cfs_builder_capture *c)
{
	const struct cfs_traits t = { c->kind, c->time, c->status, c->mime,
				      c->languages };

	/* First the prefix, so that it counts as found even if the capture is
	 * not picked. */
	return p == NULL || (cfs_pick_takes_url(p, c->url) && meets(p, &t));
}

bool cfs_pick_asks_languages(const struct cfs_pick *p,
			     const struct cfs_builder_capture *c)
{
	const struct cfs_traits t = { c->kind, c->time, c->status, c->mime,
				      c->languages };

	return p != NULL && p->conditions.languages.n > 0 &&
	       c->languages.n == 0 &&
	       cfs_conditions_failed(&p->conditions, &t) ==
		       CFS_CONDITION_LANGUAGE;
}

bool cfs_pick_takes_entry(const struct cfs_pick *p, struct cfs_slice key,
			  const struct cfs_capture *c)
{
	const struct cfs_traits t = cfs_traits_of(c);

	return p == NULL || (takes_key(p, key) && meets(p, &t));
}

bool cfs_pick_takes_key(const struct cfs_pick *p, struct cfs_slice key)
{
	return p == NULL || takes_key(p, key);
}

/* ---- places ------------------------------------------------------------ */

size_t cfs_pick_places(const struct cfs_pick *p)
{
	return p != NULL ? p->n_places : 0;
}

struct cfs_slice cfs_pick_place(const struct cfs_pick *p, size_t i)
{
	return cfs_slice_str(p->places[i].text);
}

/* ---- readings ---------------------------------------------------------- */

bool cfs_pick_settle(struct cfs_pick *p)
{
	bool is_found = false, again = false;
	size_t n = 0;

	for (size_t i = 0; p != NULL && i < p->n_places; i++) {
		struct pick_place *place = &p->places[i];

		if (n == 0 || p->places[n - 1].prefix != place->prefix)
			is_found = false;
		if (is_found) {
			again |= place->is_found;
			release_place(place);
			continue;
		}
		is_found = place->is_found;
		if (n != i)
			memcpy(&p->places[n], place, sizeof(*place));
		n++;
	}
	if (p != NULL)
		p->n_places = n;
	return again;
}

void cfs_pick_log_readings(const struct cfs_pick *p)
{
	for (size_t i = 0; i < cfs_pick_places(p); i++) {
		const struct pick_place *place = &p->places[i];

		if (place->is_found && strcmp(place->typed, place->text) != 0 &&
		    !cfs_url_is_typed(cfs_slice_str(place->typed)))
			cfs_log(CFS_LOG_WARNING, "'%s' is not in the inputs: "
				"taken for the prefix '%s'", place->typed,
				place->text);
	}
}

void cfs_pick_log_missing(const struct cfs_pick *p)
{
	bool is_found = false;

	for (size_t i = 0; i < cfs_pick_places(p); i++) {
		const struct pick_place *place = &p->places[i];
		bool is_last = i + 1 == p->n_places ||
			       p->places[i + 1].prefix != place->prefix;

		is_found |= place->is_found;
		if (is_last && !is_found)
			cfs_log(CFS_LOG_WARNING, "'%s': no page is there",
				place->typed);
		is_found = is_found && !is_last;
	}
}
