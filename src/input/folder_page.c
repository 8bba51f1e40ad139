/* folder_page.c - parses the pages on which servers list the files of a folder,
 * in HTML or JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "folder_page.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "markup/tokenizer.h"
#include "net/location.h"
#include "url/urlref.h"

#define LINK_TEXT_MAX 4096u
#define ROW_TEXT_MAX 1024u	/* time, size and description */
#define CUT_NAME_MIN 3u		/* shortest accepted prefix of a cut name */
#define HREF_MAX (2 * CFS_LOCATION_MAX)
#define PATH_BYTES_MAX CFS_LOCATION_MAX

/* A page being parsed, and the receiver of its entries. */
struct listed_page {
	struct cfs_slice text;
	struct cfs_location loc;	/* of the page */
	struct cfs_url_base base;
	struct cfs_buf folder;		/* path of the page, decoded */
	struct cfs_buf target, path;	/* of the current link */
	cfs_folder_page_each *each;
	void *arg;
	struct cfs_error *err;
};

/* ---- where links lead ---- */

uint32_t cfs_folder_page_state(struct cfs_slice text)
{
	uint32_t state = (uint32_t)cfs_hash64(text, 0);

	return state != 0 ? state : 1;
}

bool cfs_folder_page_is_name(struct cfs_slice name)
{
	bool is_start = true;

	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = name.p[i];

		if (c < 0x20 || c == 0x7f || (is_start && c == '.'))
			return false;
		is_start = c == '/';
	}
	return cfs_name_stays_below(name);
}

/* True for encoded bytes that would become a '/' or NUL in the name. */
static bool hides_bytes(struct cfs_slice path)
{
	return cfs_slice_search_nocase(path, CFS_SLICE_LIT("%2f")) >= 0 ||
	       cfs_slice_search_nocase(path, CFS_SLICE_LIT("%00")) >= 0;
}

static bool is_same_port(const struct cfs_location *a,
			 const struct cfs_location *b)
{
	struct cfs_slice usual = a->scheme == CFS_LOC_HTTPS ?
				 CFS_SLICE_LIT("443") : CFS_SLICE_LIT("80");
	struct cfs_slice p = a->port.n > 0 ? a->port : usual;
	struct cfs_slice q = b->port.n > 0 ? b->port : usual;

	return cfs_slice_eq(p, q);
}

static bool is_same_server(const struct cfs_location *a,
			   const struct cfs_location *b)
{
	return a->scheme == b->scheme && is_same_port(a, b) &&
	       cfs_slice_eq_nocase(a->host, b->host);
}

/* Finds the name below the page's folder that a link leads to, borrowed until
 * the next call.  False: it leads elsewhere. */
static bool find_listed_name(struct listed_page *l, struct cfs_slice ref,
			     struct cfs_slice *name, bool *is_folder)
{
	struct cfs_location loc;
	struct cfs_slice folder = cfs_buf_slice(&l->folder);

	if (cfs_slice_find_any(ref, 0, "?#") < ref.n ||
	    memchr(ref.p, '\0', ref.n) != NULL ||
	    !cfs_url_resolve(&l->base, ref, &l->target) ||
	    cfs_location_parse(&loc, cfs_buf_str(&l->target), NULL) != CFS_OK ||
	    !is_same_server(&loc, &l->loc) || hides_bytes(loc.path))
		return false;
	cfs_buf_reset(&l->path);
	cfs_percent_decode(loc.path, false, &l->path);
	if (l->path.failed != CFS_OK ||
	    !cfs_slice_starts(cfs_buf_slice(&l->path), folder))
		return false;
	*name = cfs_slice_from(cfs_buf_slice(&l->path), folder.n);
	*is_folder = name->n > 0 && name->p[name->n - 1] == '/';
	name->n -= *is_folder;
	return cfs_folder_page_is_name(*name);
}

/* ---- HTML, as servers write it ----
 *
 * They have a link for each file and folder, and its time and size in the same
 * row, behind the link or (IIS) before it:
 *
 *     nginx, Apache     lines of <pre>
 *     IIS               <pre>, rows that end with <br>
 *     Apache HTMLTable, lighttpd, Caddy      rows of a table
 *     Python            <li>, without time and size
 *
 * nginx and Apache cut long names in the text of a link, and append "..>".
 * Apache's headings are links with a query; its icons may be links to the same
 * file as the name.
 */

struct row_reader {
	struct listed_page *l;
	struct cfs_html_tokenizer tokens;
	/* The current link; is_ours: it leads to a listed file or folder. */
	bool in_link, is_ours, is_folder;
	struct cfs_buf href, name, link_text;
	/* The current row: its text outside links, and its file or folder. */
	struct cfs_buf row_text, row_name;
	bool has_file, row_is_folder;
	bool has_several;		/* several files are in the row */
	bool in_pre;
	enum cfs_html_tag raw;		/* inside this element, whose content is
					 * not shown */
	int rc;
};

/* ---- the text of a row ------------------------------------------------- */

/* Takes a word off the front; empty at the end. */
static struct cfs_slice folder_page_html_take_word(struct cfs_slice *s)
{
	size_t n = 0;

	while (s->n > 0 && (cfs_is_space(s->p[0]) || s->p[0] == 0xc2 ||
			    s->p[0] == 0xa0))	/* U+00A0 */
		*s = cfs_slice_from(*s, 1);
	while (n < s->n && !cfs_is_space(s->p[n]) && s->p[n] != 0xc2)
		n++;
	return cfs_slice_take(s, n);
}

/* 23-Nov-2026, 2026-11-23, 11/23/2026, 2026-11-23T02:53:00Z */
static bool folder_page_html_is_date(struct cfs_slice word)
{
	unsigned digits = 0, marks = 0;

	for (size_t i = 0; i < word.n; i++) {
		digits += cfs_is_digit(word.p[i]);
		marks += word.p[i] == '-' || word.p[i] == '/';
	}
	return digits >= 4 && marks >= 2;
}

static bool folder_page_html_is_number(struct cfs_slice word)
{
	for (size_t i = 0; i < word.n; i++)
		if (!cfs_is_digit(word.p[i]))
			return false;
	return word.n > 0;
}

/* True for 1.6M, 16K; false for dates and times. */
static bool is_rounded(struct cfs_slice word)
{
	return cfs_is_digit(word.p[0]) && cfs_is_alpha(word.p[word.n - 1]) &&
	       !folder_page_html_is_date(word) && cfs_slice_find(word, ':') < 0;
}

/* The size is exact if it is the only number in its row and no unit follows.
 * In a row with a rounded size, the number is something else. */
static void read_row(struct cfs_slice text, struct cfs_listed *out)
{
	struct cfs_slice word, number = CFS_SLICE_EMPTY;
	unsigned numbers = 0;
	bool has_date = false, follows = false, has_unit = false;
	CFS_BUF(words, 2 * ROW_TEXT_MAX);

	while ((word = folder_page_html_take_word(&text)).n > 0) {
		has_date = has_date || folder_page_html_is_date(word);
		has_unit = has_unit || is_rounded(word) ||
			   (follows && cfs_is_alpha(word.p[0]));
		follows = folder_page_html_is_number(word);
		if (follows) {
			number = word;
			numbers++;
		}
		cfs_buf_add(&words, word);
		cfs_buf_addc(&words, ' ');
	}
	if (has_date && words.failed == CFS_OK)
		out->state = cfs_folder_page_state(cfs_buf_slice(&words));
	if (numbers != 1 || has_unit ||
	    cfs_slice_parse_u64(number, INT64_MAX, &out->bytes) != CFS_OK)
		out->bytes = CFS_FOLDER_PAGE_SIZE_UNKNOWN;
}

/* ---- rows -------------------------------------------------------------- */

static void folder_page_html_emit(struct row_reader *r,
				  struct cfs_slice row_text)
{
	struct cfs_listed e = { .name = cfs_buf_slice(&r->row_name),
				.is_folder = r->row_is_folder,
				.bytes = CFS_FOLDER_PAGE_SIZE_UNKNOWN };

	read_row(row_text, &e);
	if (r->rc == CFS_OK)
		r->rc = r->l->each(r->l->arg, &e);
}

static void end_row(struct row_reader *r)
{
	bool is_known = !r->has_several && r->row_text.failed == CFS_OK;

	if (r->has_file)
		folder_page_html_emit(r, is_known ?
						 cfs_buf_slice(&r->row_text) :
						 CFS_SLICE_EMPTY);
	r->has_file = r->has_several = false;
	cfs_buf_reset(&r->row_text);
}

/* ---- links ------------------------------------------------------------- */

/* Does the link's text name its target, as in listings? */
static bool is_called(struct cfs_slice text, struct cfs_slice name)
{
	static const char *const cuts[] = { "..>", "...", "\xe2\x80\xa6" };

	name = cfs_slice_last_part(name);
	text = cfs_slice_trim(text);
	if (text.n > 0 && text.p[text.n - 1] == '/')
		text.n--;
	if (cfs_slice_eq(text, name))
		return true;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		struct cfs_slice cut = cfs_slice_str(cuts[i]);

		if (cfs_slice_ends(text, cut) &&
		    text.n >= cut.n + CUT_NAME_MIN &&
		    cfs_slice_starts(name, cfs_slice_sub(text, 0,
							 text.n - cut.n)))
			return true;
	}
	return false;
}

static void end_link(struct row_reader *r)
{
	struct cfs_slice name = cfs_buf_slice(&r->name);
	bool counts = r->in_link && r->is_ours &&
		      (!r->is_folder ||
		       is_called(cfs_buf_slice(&r->link_text), name));

	r->in_link = false;
	if (!counts || (r->has_file && r->row_is_folder == r->is_folder &&
			cfs_slice_eq(cfs_buf_slice(&r->row_name), name)))
		return;
	if (r->has_file) {
		r->has_several = true;
		folder_page_html_emit(r, CFS_SLICE_EMPTY);
	}
	cfs_buf_reset(&r->row_name);
	if (cfs_buf_add(&r->row_name, name) != CFS_OK) {
		r->rc = cfs_error_nomem(r->l->err);
		return;
	}
	r->has_file = true;
	r->row_is_folder = r->is_folder;
}

static void folder_page_html_start_link(struct row_reader *r,
					const struct cfs_html_token *k)
{
	struct cfs_slice raw, name;

	end_link(r);
	r->in_link = true;
	r->is_ours = false;
	cfs_buf_reset(&r->link_text);
	cfs_buf_reset(&r->href);
	cfs_buf_reset(&r->name);
	if (!cfs_html_attr_find(k, CFS_SLICE_LIT("href"), &raw) ||
	    raw.n > HREF_MAX)
		return;
	cfs_html_value(raw, &r->href);
	r->is_ours = r->href.failed == CFS_OK &&
		     find_listed_name(r->l, cfs_buf_slice(&r->href), &name,
				      &r->is_folder) &&
		     cfs_buf_add(&r->name, name) == CFS_OK;
}

/* ---- the page ---------------------------------------------------------- */

/* Elements at which a row begins or ends. */
static bool is_row(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_TR || tag == CFS_TAG_LI || tag == CFS_TAG_BR ||
	       tag == CFS_TAG_HR || tag == CFS_TAG_P || tag == CFS_TAG_PRE ||
	       tag == CFS_TAG_TABLE || tag == CFS_TAG_UL;
}

static void folder_page_html_on_start(struct row_reader *r,
				      const struct cfs_html_token *k)
{
	enum cfs_html_tag tag = k->tag;

	if (tag == CFS_TAG_A)
		folder_page_html_start_link(r, k);
	if (is_row(tag)) {
		end_link(r);
		end_row(r);
	}
	if (tag == CFS_TAG_PRE)
		r->in_pre = true;
	if (tag == CFS_TAG_SCRIPT || tag == CFS_TAG_STYLE ||
	    tag == CFS_TAG_TITLE)
		r->raw = tag;
	cfs_html_follow(&r->tokens, tag);
}

static void folder_page_html_on_end(struct row_reader *r, enum cfs_html_tag tag)
{
	if (tag == CFS_TAG_A)
		end_link(r);
	if (is_row(tag)) {
		end_link(r);
		end_row(r);
	}
	if (tag == CFS_TAG_PRE)
		r->in_pre = false;
	if (tag == r->raw)
		r->raw = CFS_TAG_OTHER;
}

static void folder_page_html_on_text(struct row_reader *r, struct cfs_slice s)
{
	if (r->raw != CFS_TAG_OTHER)
		return;
	if (r->in_link) {
		cfs_buf_add(&r->link_text, s);
		return;
	}
	while (r->in_pre && cfs_slice_find(s, '\n') >= 0) {
		cfs_buf_add(&r->row_text, cfs_slice_split(&s, '\n'));
		end_row(r);
	}
	cfs_buf_add(&r->row_text, s);
}

static int read_tokens(struct row_reader *r, struct cfs_slice utf8)
{
	cfs_html_begin(&r->tokens, utf8);
	for (;;) {
		const struct cfs_html_token *k = cfs_html_next(&r->tokens);

		if (k->type == CFS_HTML_START)
			folder_page_html_on_start(r, k);
		else if (k->type == CFS_HTML_END)
			folder_page_html_on_end(r, k->tag);
		else if (k->type == CFS_HTML_TEXT)
			folder_page_html_on_text(r, k->text);
		if (k->type == CFS_HTML_EOF || r->rc != CFS_OK)
			break;
	}
	end_link(r);
	end_row(r);
	return r->rc;
}

static int folder_page_read_html(struct listed_page *l)
{
	struct row_reader *r = calloc(1, sizeof(*r));
	struct cfs_buf utf8;
	int rc;

	if (r == NULL)
		return cfs_error_nomem(l->err);
	r->l = l;
	cfs_buf_init(&utf8, 3 * l->text.n + 1);
	cfs_buf_init(&r->href, HREF_MAX);
	cfs_buf_init(&r->name, HREF_MAX);
	cfs_buf_init(&r->row_name, HREF_MAX);
	cfs_buf_init(&r->link_text, LINK_TEXT_MAX);
	cfs_buf_init(&r->row_text, ROW_TEXT_MAX);
	if (cfs_utf8_is_valid(l->text)) {
		rc = read_tokens(r, l->text);
	} else {
		cfs_utf8_add_mended(&utf8, l->text);
		rc = utf8.failed != CFS_OK ? cfs_error_nomem(l->err) :
		     read_tokens(r, cfs_buf_slice(&utf8));
	}
	cfs_buf_release(&utf8);
	cfs_buf_release(&r->href);
	cfs_buf_release(&r->name);
	cfs_buf_release(&r->row_name);
	cfs_buf_release(&r->link_text);
	cfs_buf_release(&r->row_text);
	free(r);
	return rc;
}

/* ---- JSON, of nginx and of Caddy ----
 *
 *     nginx   [{"name": NAME, "type": "file"|"directory"|"other",
 *               "mtime": HTTP-DATE, "size": BYTES}, ...]
 *     Caddy   [{"name": NAME, "size": BYTES, "url": "./NAME",
 *               "mod_time": RFC-3339, "mode": N, "is_dir": BOOLEAN,
 *               "is_symlink": BOOLEAN}, ...]
 *
 * NAME is not encoded; Caddy ends a folder's with a '/'.
 */

enum { NAME, TYPE, MTIME, SIZE, MOD_TIME, IS_DIR, FIELDS };

static bool folder_page_json_is_folder(const struct cfs_slice v[FIELDS])
{
	return cfs_slice_eq(v[TYPE], CFS_SLICE_LIT("directory")) ||
	       cfs_slice_eq(v[IS_DIR], CFS_SLICE_LIT("true"));
}

/* Reports one file or folder, whose decoded name is in `name`. */
static int folder_page_json_take(struct listed_page *l,
				 const struct cfs_slice v[FIELDS],
				 struct cfs_buf *name, struct cfs_buf *state)
{
	struct cfs_slice time = v[MTIME].n > 0 ? v[MTIME] : v[MOD_TIME];
	struct cfs_listed e = { .bytes = CFS_FOLDER_PAGE_SIZE_UNKNOWN };

	e.is_folder = folder_page_json_is_folder(v);
	e.name = cfs_buf_slice(name);
	if (e.is_folder && e.name.n > 0 && e.name.p[e.name.n - 1] == '/')
		e.name.n--;
	if (!cfs_folder_page_is_name(e.name))
		return CFS_OK;
	if (cfs_slice_parse_u64(v[SIZE], INT64_MAX, &e.bytes) != CFS_OK)
		e.bytes = CFS_FOLDER_PAGE_SIZE_UNKNOWN;
	if (time.n > 0) {
		cfs_buf_reset(state);
		cfs_buf_add(state, time);
		cfs_buf_addc(state, ' ');
		cfs_buf_add(state, v[SIZE]);
		e.state = cfs_folder_page_state(cfs_buf_slice(state));
	}
	return l->each(l->arg, &e);
}

static int folder_page_json_take_object(struct listed_page *l,
					struct cfs_slice object,
					struct cfs_buf *name,
					struct cfs_buf *state)
{
	static const char *const paths[FIELDS] = { "name", "type", "mtime",
						   "size", "mod_time",
						   "is_dir" };
	struct cfs_slice v[FIELDS];
	struct cfs_json_text text;

	if (!cfs_json_pick(object, paths, FIELDS, v))
		return CFS_OK;
	text = (struct cfs_json_text){ v[NAME], cfs_slice_find(v[NAME], '\\') >=
						0 };
	cfs_buf_reset(name);
	if (v[NAME].n > CFS_NAME_BYTES_MAX ||
	    cfs_json_add_text(name, text) != CFS_OK)
		return name->failed == CFS_ENOMEM ? cfs_error_nomem(l->err) :
						    CFS_OK;
	return folder_page_json_take(l, v, name, state);
}

/* Reads the objects of the array.  False: it breaks off. */
static bool read_objects(struct listed_page *l, struct cfs_slice s,
			 struct cfs_buf *name, struct cfs_buf *state, int *rc)
{
	struct cfs_json_member item;
	int word;

	while ((word = cfs_json_next(&s, '[', &item)) == CFS_OK) {
		if (item.written.p[0] != '{')
			return false;
		*rc = folder_page_json_take_object(l, item.written, name,
						   state);
		if (*rc != CFS_OK)
			return true;
	}
	return word == CFS_END;
}

static int folder_page_read_json(struct listed_page *l)
{
	ptrdiff_t at = cfs_slice_find(l->text, '[');
	struct cfs_slice list = CFS_SLICE_EMPTY;
	CFS_BUF(state, l->text.n + 1);
	CFS_BUF(name, 4 * CFS_NAME_BYTES_MAX);
	int rc = CFS_OK;

	if (at >= 0)
		list = cfs_slice_from(l->text, (size_t)at);
	if (!read_objects(l, list, &name, &state, &rc))
		rc = cfs_error_set(l->err, CFS_EFORMAT, "its listing in JSON "
				   "breaks off, or is none");
	return rc;
}

/* ---- which of both ---- */

/* Detects the kind by the first byte. */
static int read_listing(struct listed_page *l)
{
	struct cfs_slice s = l->text;

	if (cfs_slice_starts(s, CFS_SLICE_LIT("\xef\xbb\xbf")))
		s = cfs_slice_from(s, 3);
	s = cfs_slice_trim(s);
	if (s.n > 0 && s.p[0] == '[')
		return folder_page_read_json(l);
	if (s.n > 0 && s.p[0] == '<')
		return folder_page_read_html(l);
	return cfs_error_set(l->err, CFS_EFORMAT,
			     "the server does not list the "
			     "folder: its answer is neither HTML nor JSON");
}

int cfs_folder_page_parse(const char *url, struct cfs_slice page,
			  cfs_folder_page_each *each, void *arg,
			  struct cfs_error *err)
{
	struct listed_page l = { .text = page, .each = each, .arg = arg,
				 .err = err };
	int rc = cfs_location_parse(&l.loc, url, err);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&l.folder, PATH_BYTES_MAX);
	cfs_buf_init(&l.target, 2 * PATH_BYTES_MAX);
	cfs_buf_init(&l.path, PATH_BYTES_MAX);
	cfs_url_base_init(&l.base, cfs_slice_str(url));
	cfs_percent_decode(l.loc.path, false, &l.folder);
	rc = l.folder.failed != CFS_OK ? cfs_error_nomem(err) :
					 read_listing(&l);
	cfs_buf_release(&l.path);
	cfs_buf_release(&l.target);
	cfs_buf_release(&l.folder);
	return rc;
}
