/* suffixes.h - the public suffix list: how many labels of a host's name are its
 * registered domain.
 *
 * A registered domain is one label more than a suffix below which anybody can
 * register names: example.co.uk, since co.uk is such a suffix.  The list is a
 * data file (public_suffix_list.dat of publicsuffix.org, in Debian's package
 * publicsuffix) that is read at run time.  Only its first division counts,
 * suffixes of registries, and not those that companies give to their customers:
 * so has Common Crawl's index its column url_host_registered_domain.
 *
 * Without a list, a plain rule counts: two labels, or three where the first one
 * is a country's and the second one a usual word (com, co, ac, ...).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_SUFFIXES_H
#define CFS_SUMMARY_SUFFIXES_H

#include "base/buf.h"

/* Where distributions have the list. */
#define CFS_SUFFIXES_PATH "/usr/share/publicsuffix/public_suffix_list.dat"
/* The list had 250 KB in 2023; a file that is much longer is another one. */
#define CFS_SUFFIXES_BYTES_MAX ((size_t)4 << 20)
/* Names of hosts have at most 127 labels. */
#define CFS_SUFFIXES_LABELS_MAX 127u

struct cfs_suffixes;		/* immutable; threads share it */

/* Reads a list.  0; CFS_ENOTFOUND if there is no such file; CFS_EIO,
 * CFS_EFORMAT if it is no such list, CFS_ENOMEM. */
int cfs_suffixes_open(struct cfs_suffixes **out, const char *path,
		      struct cfs_error *err);
/* The same of a list's bytes; `time` is its date if it does not state one. */
int cfs_suffixes_parse(struct cfs_suffixes **out, struct cfs_slice text,
		       int64_t time, struct cfs_error *err);
void cfs_suffixes_free(struct cfs_suffixes *s);		/* accepts NULL */

/* The date of the list, Unix seconds. */
int64_t cfs_suffixes_time(const struct cfs_suffixes *s);

/* True for a top-level domain of the list that libpsl has, and for any label if
 * it has none. */
bool cfs_suffixes_is_top(struct cfs_slice label);

/* Cuts a host, in lower case and UTF-8, down to its registered domain by the
 * list that libpsl has.  False if it has none: it is a suffix itself, an
 * address, or no name. */
bool cfs_suffixes_registered(struct cfs_slice *host);

/*
 * The number of labels of the registered domain of a host; all of them, if the
 * host is a suffix itself or an address.
 *
 * s        the list; NULL: the plain rule
 * labels   of the host, outermost first ("uk", "co", "example"), in lower case
 * n        at least 1; of more than CFS_SUFFIXES_LABELS_MAX, the rest is not
 *          looked at
 */
unsigned cfs_suffixes_domain(const struct cfs_suffixes *s,
			     const struct cfs_slice *labels, unsigned n);

#endif
