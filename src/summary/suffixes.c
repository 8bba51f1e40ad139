/* suffixes.c - reads the public suffix list, and finds registered domains (see
 * suffixes.h).  libpsl parses the list and knows its rules.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suffixes.h"

#include <errno.h>
#include <libpsl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/fileio.h"
#include "base/timestamp.h"
#include "url/surt.h"

/* Names of hosts have at most 253 bytes (RFC 1035, 2.3.4). */
#define NAME_MAX_BYTES 253u

struct cfs_suffixes {
	psl_ctx_t *psl;
	int64_t time;
};

/* ---- reading ------------------------------------------------------------- */

/* Finds the date in a comment "// VERSION: 2024-02-20_12-34-56_UTC". */
static void take_version(struct cfs_suffixes *s, struct cfs_slice text)
{
	static const struct cfs_slice mark = CFS_SLICE_LIT("// VERSION: ");
	ptrdiff_t at = cfs_slice_search(text, mark);
	int64_t time;

	if (at >= 0 && cfs_time_parse_iso(
			cfs_slice_sub(text, (size_t)at + mark.n, 10),
			&time) == CFS_OK)
		s->time = time;
}

/* libpsl takes any text for a list, so that its mark is looked for first. */
static int load_list(struct cfs_suffixes *s, struct cfs_slice text,
		     struct cfs_error *err)
{
	CFS_BUF(copy, CFS_SUFFIXES_BYTES_MAX);
	FILE *f;

	if (text.n > CFS_SUFFIXES_BYTES_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "the list is longer than %zu bytes",
				     CFS_SUFFIXES_BYTES_MAX);
	if (cfs_slice_search(text, CFS_SLICE_LIT("===BEGIN ICANN")) < 0)
		return cfs_error_set(err, CFS_EFORMAT, "this is not a public "
				     "suffix list: it has no '===BEGIN ICANN "
				     "DOMAINS==='");
	cfs_buf_add(&copy, text);
	f = copy.failed == CFS_OK ? fmemopen(copy.p, copy.n, "r") : NULL;
	if (f != NULL) {
		s->psl = psl_load_fp(f);
		fclose(f);
	}
	return s->psl != NULL ? CFS_OK : cfs_error_nomem(err);
}

int cfs_suffixes_parse(struct cfs_suffixes **out, struct cfs_slice text,
		       int64_t time, struct cfs_error *err)
{
	struct cfs_suffixes *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (s == NULL)
		return cfs_error_nomem(err);
	s->time = time;
	take_version(s, text);
	rc = load_list(s, text, err);
	if (rc == CFS_OK)
		*out = s;
	else
		cfs_suffixes_free(s);
	return rc;
}

int cfs_suffixes_open(struct cfs_suffixes **out, const char *path,
		      struct cfs_error *err)
{
	CFS_BUF(text, CFS_SUFFIXES_BYTES_MAX);
	struct stat st;
	int rc;

	*out = NULL;
	rc = cfs_file_read(path, &text);
	if (rc == CFS_ENOTFOUND || rc == CFS_EIO)
		cfs_error_set(err, rc, "'%.150s': %s", path, strerror(errno));
	else if (rc != CFS_OK)
		cfs_error_set(err, rc, "'%.150s' is too long for a public "
			      "suffix list", path);
	else
		rc = cfs_suffixes_parse(out, cfs_buf_slice(&text),
					stat(path, &st) == 0 ? st.st_mtime : 0,
					err);
	cfs_error_where(err, path, 0);
	return rc;
}

void cfs_suffixes_free(struct cfs_suffixes *s)
{
	if (s != NULL)
		psl_free(s->psl);
	free(s);
}

int64_t cfs_suffixes_time(const struct cfs_suffixes *s)
{
	return s->time;
}

bool cfs_suffixes_is_top(struct cfs_slice label)
{
	const psl_ctx_t *psl = psl_builtin();
	CFS_BUF(name, NAME_MAX_BYTES);
	bool is_top = true;

	if (psl != NULL && cfs_buf_add_lower(&name, label) == CFS_OK) {
		cfs_surt_ascii_host(&name);
		is_top = psl_is_public_suffix2(psl, cfs_buf_str(&name),
					       PSL_TYPE_ICANN |
					       PSL_TYPE_NO_STAR_RULE) == 1;
	}
	return is_top;
}

/* ---- domains ------------------------------------------------------------- */

/* True for what no domain begins with: the number of an IPv4 address, an IPv6
 * address, either of them whole. */
static bool begins_address(struct cfs_slice label)
{
	size_t digits = 0;

	for (size_t i = 0; i < label.n; i++) {
		if (label.p[i] == ':' || label.p[i] == '[')
			return true;
		digits += (label.p[i] >= '0' && label.p[i] <= '9') ||
			  label.p[i] == '.';
	}
	return label.n > 0 && digits == label.n;
}

/* True for what the names of hosts are made of, in lower case. */
static bool is_name(struct cfs_slice host)
{
	for (size_t i = 0; i < host.n; i++)
		if (host.p[i] < 0x80 && !cfs_is_alnum(host.p[i]) &&
		    host.p[i] != '-' && host.p[i] != '_' && host.p[i] != '.')
			return false;
	return host.n > 0 && host.n <= NAME_MAX_BYTES;
}

bool cfs_suffixes_registered(struct cfs_slice *host)
{
	const psl_ctx_t *psl = psl_builtin();
	char name[NAME_MAX_BYTES + 1];
	size_t suffix = host->n, at = host->n;	/* where they begin */
	struct cfs_slice last = cfs_slice_from(*host, (size_t)
				(cfs_slice_rfind(*host, '.') + 1));

	if (psl == NULL || !is_name(*host) || last.n == 0 ||
	    begins_address(last))
		return false;
	memcpy(name, host->p, host->n);
	name[host->n] = '\0';
	while (at > 0) {
		at = (size_t)(cfs_slice_rfind(cfs_slice_sub(*host, 0, at - 1),
					      '.') + 1);
		/* the last label is a suffix if no rule says more */
		if (suffix == host->n ||
		    psl_is_public_suffix2(psl, name + at, PSL_TYPE_ICANN |
					  PSL_TYPE_NO_STAR_RULE) == 1)
			suffix = at;
	}
	if (suffix == 0)
		return false;
	at = (size_t)(cfs_slice_rfind(cfs_slice_sub(*host, 0, suffix - 1),
				      '.') + 1);
	*host = cfs_slice_from(*host, at);
	return suffix - 1 > at;
}

/* The labels of the suffix of a host by the plain rule. */
static unsigned plain_suffix(const struct cfs_slice *labels, unsigned n)
{
	return n > 1 && labels[0].n == 2 &&
	       cfs_slice_in_words(labels[1], "ac co com edu gob go gov gv mil "
				  "ne net nom or org sch") ? 2 : 1;
}

/* The same by the list: the longest end of the name that is a suffix. */
static unsigned listed_suffix(const struct cfs_suffixes *s,
			      const struct cfs_slice *labels, unsigned n)
{
	char name[NAME_MAX_BYTES + 1];
	char *p = name + NAME_MAX_BYTES;
	unsigned suffix = 1;		/* the rule for what no rule is for */

	*p = '\0';
	for (unsigned i = 0; i < n && i < CFS_SUFFIXES_LABELS_MAX; i++) {
		if (labels[i].n + (i > 0) > (size_t)(p - name))
			break;
		if (i > 0)
			*--p = '.';
		p -= labels[i].n;
		memcpy(p, labels[i].p, labels[i].n);
		if (psl_is_public_suffix2(s->psl, p, PSL_TYPE_ICANN |
					  PSL_TYPE_NO_STAR_RULE) == 1)
			suffix = i + 1;
	}
	return suffix;
}

unsigned cfs_suffixes_domain(const struct cfs_suffixes *s,
			     const struct cfs_slice *labels, unsigned n)
{
	unsigned suffix;

	if (begins_address(labels[0]))
		return n;
	suffix = s != NULL ? listed_suffix(s, labels, n) :
			     plain_suffix(labels, n);
	return suffix < n ? suffix + 1 : n;
}
