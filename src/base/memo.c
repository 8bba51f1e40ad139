/* memo.c - lossy tables of recent values, in fixed memory (see memo.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "memo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cfs_memo {
	pthread_mutex_t lock;
	unsigned bits;
	size_t value_bytes;
	uint64_t *keys;		/* guarded by lock; key + 1, 0: free slot */
	unsigned char *values;	/* guarded by lock */
};

struct cfs_memo *cfs_memo_new(unsigned bits, size_t value_bytes)
{
	struct cfs_memo *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	pthread_mutex_init(&m->lock, NULL);
	m->bits = bits;
	m->value_bytes = value_bytes;
	m->keys = calloc((size_t)1 << bits, sizeof(*m->keys));
	m->values = calloc((size_t)1 << bits, value_bytes);
	if (m->keys == NULL || m->values == NULL) {
		cfs_memo_free(m);
		return NULL;
	}
	return m;
}

void cfs_memo_free(struct cfs_memo *m)
{
	if (m == NULL)
		return;
	pthread_mutex_destroy(&m->lock);
	free(m->keys);
	free(m->values);
	free(m);
}

bool cfs_memo_get(struct cfs_memo *m, uint64_t key, void *value)
{
	size_t i = cfs_memo_slot(key, m->bits);
	bool found;

	pthread_mutex_lock(&m->lock);
	found = m->keys[i] == key + 1 && key != UINT64_MAX;
	if (found)
		memcpy(value, m->values + i * m->value_bytes, m->value_bytes);
	pthread_mutex_unlock(&m->lock);
	return found;
}

void cfs_memo_put(struct cfs_memo *m, uint64_t key, const void *value)
{
	size_t i = cfs_memo_slot(key, m->bits);

	pthread_mutex_lock(&m->lock);
	m->keys[i] = key + 1;
	memcpy(m->values + i * m->value_bytes, value, m->value_bytes);
	pthread_mutex_unlock(&m->lock);
}
