/* tokens.c - the tokens of HTML documents, as html5lib's tests write them.
 *
 * Reads documents from standard input until its end, each as a line
 *     STATE <tab> TAG <tab> BYTES
 * and as many bytes of UTF-8.  STATE is where it begins: "Data state", "RCDATA
 * state", "RAWTEXT state", "Script data state", "PLAINTEXT state" or "CDATA
 * section state".  TAG is the last start tag, whose end tag ends the text; it
 * may be empty.
 *
 * Prints a line for each, one JSON array: of ["DOCTYPE", name, public, system,
 * correct], ["StartTag", name, {attributes}], the same with true for "/>",
 * ["EndTag", name], ["Comment", text] and ["Character", text].  Errors are left
 * out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "markup/tokenizer.h"
#include "tests/program.h"

static const char *const states[] = {
	[CFS_HTML_DATA] = "Data state",
	[CFS_HTML_RCDATA] = "RCDATA state",
	[CFS_HTML_RAWTEXT] = "RAWTEXT state",
	[CFS_HTML_SCRIPT] = "Script data state",
	[CFS_HTML_PLAINTEXT] = "PLAINTEXT state",
	[CFS_HTML_CDATA] = "CDATA section state",
};

static void die(const char *what)
{
	fprintf(stderr, "tokens: %s\n", what);
	exit(2);
}

static void put_string(struct cfs_slice s)
{
	putchar('"');
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

typedef void decode_fn(struct cfs_slice raw, struct cfs_buf *out);

static void put(struct cfs_slice raw, decode_fn *decode)
{
	struct cfs_buf b;

	cfs_buf_init(&b, SIZE_MAX / 2);
	decode(raw, &b);
	put_string(cfs_buf_slice(&b));
	cfs_buf_release(&b);
}

static void put_or_null(bool has, struct cfs_slice raw, decode_fn *decode)
{
	if (has)
		put(raw, decode);
	else
		fputs("null", stdout);
}

static void put_tag(const struct cfs_html_token *k)
{
	printf("[\"%s\", ", k->type == CFS_HTML_START ? "StartTag" : "EndTag");
	put(k->name, cfs_html_name);
	if (k->type == CFS_HTML_START) {
		fputs(", {", stdout);
		for (unsigned i = 0; i < k->n_attrs; i++) {
			if (i > 0)
				fputs(", ", stdout);
			put(k->attrs[i].name, cfs_html_name);
			fputs(": ", stdout);
			put(k->attrs[i].value, cfs_html_value);
		}
		fputs(k->is_self_closing ? "}, true" : "}", stdout);
	}
	putchar(']');
}

static void put_token(const struct cfs_html_token *k)
{
	const struct cfs_html_doctype *d = &k->doctype;

	switch (k->type) {
	case CFS_HTML_DOCTYPE:
		fputs("[\"DOCTYPE\", ", stdout);
		put_or_null(d->has_name, d->name, cfs_html_name);
		fputs(", ", stdout);
		put_or_null(d->has_public, d->public_id, cfs_html_plain);
		fputs(", ", stdout);
		put_or_null(d->has_system, d->system_id, cfs_html_plain);
		printf(", %s]", d->force_quirks ? "false" : "true");
		break;
	case CFS_HTML_COMMENT:
		fputs("[\"Comment\", ", stdout);
		put(k->text, cfs_html_plain);
		putchar(']');
		break;
	default:
		put_tag(k);
		break;
	}
}

/* Runs of text are one token. */
static void put_tokens(struct cfs_html_tokenizer *t)
{
	const struct cfs_html_token *k;
	bool is_first = true;
	struct cfs_buf text;

	cfs_buf_init(&text, SIZE_MAX / 2);
	putchar('[');
	do {
		k = cfs_html_next(t);
		if (k->type == CFS_HTML_TEXT) {
			cfs_buf_add(&text, k->text);
			continue;
		}
		if (text.n > 0) {
			fputs(is_first ? "[\"Character\", " :
			      ", [\"Character\", ", stdout);
			put_string(cfs_buf_slice(&text));
			putchar(']');
			cfs_buf_reset(&text);
			is_first = false;
		}
		if (k->type == CFS_HTML_EOF)
			break;
		if (!is_first)
			fputs(", ", stdout);
		is_first = false;
		put_token(k);
	} while (k->type != CFS_HTML_EOF);
	puts("]");
	cfs_buf_release(&text);
}

static enum cfs_html_state state_by_name(const char *name)
{
	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(states[i], name) == 0)
			return i;
	die("unknown state");
	return CFS_HTML_DATA;
}

/* Prints the tokens of a document that is in a block of its very size, so that
 * a sanitizer sees a byte too many. */
static void put_document(const char *state, const char *last, size_t bytes)
{
	static struct cfs_html_tokenizer t;
	char *text = malloc(bytes > 0 ? bytes : 1);

	if (text == NULL || fread(text, 1, bytes, stdin) != bytes)
		die("cannot read a document");
	cfs_html_begin(&t, cfs_slice_of(text, bytes));
	t.state = state_by_name(state);
	t.last_start = cfs_slice_str(last);
	put_tokens(&t);
	free(text);
}

PROGRAM(argc, argv)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		char *last = strchr(line, '\t');
		char *bytes = last != NULL ? strchr(last + 1, '\t') : NULL;

		if (bytes == NULL)
			die("a line is not STATE, TAG and BYTES");
		*last++ = *bytes++ = '\0';
		put_document(line, last, strtoul(bytes, NULL, 10));
	}
	free(line);
	return fflush(stdout) != 0 || ferror(stdin);
}
