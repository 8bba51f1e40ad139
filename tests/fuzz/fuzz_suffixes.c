/* fuzz_suffixes.c - any bytes as a public suffix list, and then as hosts, a line
 * each; and as text of a page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "summary/html_out.h"
#include "summary/suffixes.h"

#define LABELS_MAX 200u

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_host(const struct cfs_suffixes *s, struct cfs_slice host)
{
	struct cfs_slice labels[LABELS_MAX], registered = host;
	unsigned n = 0, domain;

	if (cfs_suffixes_registered(&registered))
		must(registered.n > 0 && cfs_slice_ends(host, registered) &&
		     (registered.n == host.n || registered.p[-1] == '.'));
	do
		labels[n++] = cfs_slice_split(&host, '.');
	while (host.n > 0 && n < LABELS_MAX);
	domain = cfs_suffixes_domain(s, labels, n);
	must(domain >= 1 && domain <= n);
}

static void check_text(struct cfs_slice text)
{
	struct cfs_buf out;

	cfs_buf_init(&out, 8 * text.n + 8);
	cfs_html_text(&out, text);
	must(out.failed == CFS_OK);
	for (size_t i = 0; i < out.n; i++)
		must(out.p[i] != '<' && out.p[i] != '>' && out.p[i] != '"' &&
		     out.p[i] != '\'' && out.p[i] != 0x7f &&
		     (out.p[i] >= 0x20 || out.p[i] == '\n' ||
		      out.p[i] == '\t'));
	cfs_buf_release(&out);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice rest = cfs_slice_of(data, size);
	struct cfs_suffixes *s;
	int rc = cfs_suffixes_parse(&s, rest, 0, NULL);

	must((rc == CFS_OK) == (s != NULL));
	check_text(rest);
	while (rest.n > 0) {
		struct cfs_slice line = cfs_slice_split(&rest, '\n');

		check_host(s, line);
		check_host(NULL, line);
	}
	cfs_suffixes_free(s);
	return 0;
}
