/* json_write.c - writes JSON front to back into a buffer (RFC 8259).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "json_write.h"

#include <inttypes.h>

#include "base/utf8.h"

static void new_line(struct cfs_json *j)
{
	if (j->compact)
		return;
	cfs_buf_addc(j->out, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		cfs_buf_append(j->out, "  ", 2);
}

void cfs_json_item(struct cfs_json *j)
{
	if (!j->first)
		cfs_buf_addc(j->out, ',');
	j->first = false;
	new_line(j);
}

void cfs_json_key(struct cfs_json *j, struct cfs_slice name)
{
	cfs_json_item(j);
	cfs_json_str(j, name);
	cfs_buf_adds(j->out, j->compact ? ":" : ": ");
}

void cfs_json_open(struct cfs_json *j, char bracket)
{
	cfs_buf_addc(j->out, (uint8_t)bracket);
	j->depth++;
	j->first = true;
}

void cfs_json_close(struct cfs_json *j, char bracket)
{
	j->depth--;
	if (!j->first)
		new_line(j);
	cfs_buf_addc(j->out, (uint8_t)bracket);
	j->first = false;
}

static void add_control(struct cfs_buf *out, uint8_t c)
{
	static const char letters[] = "btn-fr";	/* of 8 to 13 */

	if (c >= 8 && c <= 13 && c != 11) {
		cfs_buf_addc(out, '\\');
		cfs_buf_addc(out, (uint8_t)letters[c - 8]);
	} else {
		cfs_buf_addf(out, "\\u%04X", c);
	}
}

/* Bytes at the start of s that need no care. */
static size_t plain_run(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= ' ' && s.p[n] < 0x80 && s.p[n] != '"' &&
	       s.p[n] != '\\')
		n++;
	return n;
}

void cfs_json_str(struct cfs_json *j, struct cfs_slice s)
{
	struct cfs_buf *out = j->out;

	cfs_buf_addc(out, '"');
	while (s.n > 0) {
		size_t n = plain_run(s);

		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = cfs_utf8_len(s);
		if (n == 0 || s.p[0] == 0) {
			cfs_buf_append(out, "\xef\xbf\xbd", 3);
			n = 1;
		} else if (n > 1) {
			cfs_buf_append(out, s.p, n);
		} else if (s.p[0] < ' ') {
			add_control(out, s.p[0]);
		} else {
			cfs_buf_addc(out, '\\');
			cfs_buf_addc(out, s.p[0]);
		}
		s = cfs_slice_from(s, n);
	}
	cfs_buf_addc(out, '"');
}

void cfs_json_int(struct cfs_json *j, int64_t v)
{
	cfs_buf_addf(j->out, "%" PRId64, v);
}

void cfs_json_true(struct cfs_json *j)
{
	cfs_buf_adds(j->out, "true");
}

void cfs_json_put_str(struct cfs_json *j, const char *key, struct cfs_slice s)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_str(j, s);
}

void cfs_json_put_int(struct cfs_json *j, const char *key, int64_t v)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_int(j, v);
}

void cfs_json_put_true(struct cfs_json *j, const char *key)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_true(j);
}
