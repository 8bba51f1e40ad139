/* archives.c - open archives in a cache of a bounded number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archives.h"

#include <stdlib.h>

#include "sniff.h"

/* Open archives kept: far below any limit of open files. */
#define ARCHIVES_MAX 128u
#define ARCHIVE_COST ((size_t)1 << 20)	/* of a cache of ARCHIVES_MAX such */

/* What the loader needs to know. */
struct request {
	struct cfs_archives *archives;
	const struct cfs_archive_query *query;
};

static void free_archive(void *p)
{
	struct cfs_archive *a = p;

	cfs_parking_release(&a->streams);
	cfs_source_close(a->src);
	free(a);
}

static int load_archive(void *arg, struct cfs_lru_key key, void **obj,
			size_t *obj_bytes, const struct cfs_cancel *cancel,
			struct cfs_error *err)
{
	const struct request *q = arg;
	struct cfs_archive *a;
	int rc;

	(void)key;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return cfs_error_nomem(err);
	cfs_parking_init(&a->streams);
	atomic_init(&a->is_common_crawl, -1);
	rc = cfs_finder_open(&q->archives->finder, q->query, &a->src, cancel,
			     err); 
	if (rc != CFS_OK) {
		free_archive(a);
		return rc;
	}
	*obj = a;
	*obj_bytes = ARCHIVE_COST;
	return CFS_OK;
}

int cfs_archives_get(struct cfs_archives *a, const struct cfs_archive_query *q,
		     struct cfs_lru_ref **out, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	struct request request = { a, q };
	struct cfs_lru_key key = CFS_LRU_NAME(q->name);
	int rc = cfs_finder_check_name(q->name, err);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	if (a->finder.expects_base && !q->search_all_bases) {
		*out = cfs_lru_peek(a->open, key);
		key.a = q->expected_base + 1;	/* as yet unproved */
	}
	return *out != NULL ? CFS_OK : cfs_lru_get(a->open, key, load_archive,
						   &request, out, cancel, err);
}

int cfs_archive_is_common_crawl(struct cfs_archive *a, bool *yes,
				const struct cfs_cancel *cancel,
				struct cfs_error *err)
{
	int known = a->is_common_crawl, rc;

	*yes = known > 0;
	if (known >= 0)
		return CFS_OK;
	rc = cfs_sniff_common_crawl(a->src, yes, cancel, err);
	if (rc == CFS_OK)
		a->is_common_crawl = *yes;
	return rc;
}

int cfs_archives_init(struct cfs_archives *a, const char *const *bases,
		      size_t n_bases, const struct cfs_opener *opener)
{
	int rc = cfs_finder_init(&a->finder, bases, n_bases, opener);

	a->open = cfs_lru_new(ARCHIVES_MAX * ARCHIVE_COST, free_archive);
	return a->open == NULL ? CFS_ENOMEM : rc;
}

void cfs_archives_release(struct cfs_archives *a)
{
	cfs_lru_free(a->open);
	cfs_finder_release(&a->finder);
}
