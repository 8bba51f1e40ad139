/* sizes.c - a table of kept sizes in memory, and the thread that writes new
 * ones into the block cache.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memo.h"
#include "base/sync.h"
#include "disk.h"

#define SLOT_BITS_MIN 10u
#define SLOT_BITS_MAX 20u
/* Most sizes that are read at once, the newest ones: the table has room for
 * them and for some more. */
#define READ_MAX (UINT32_C(1) << 19)
/* So many pending sizes are written without waiting for more. */
#define WRITE_AT 512u
/* Set in the key of a slot that is in use. */
#define USED (UINT64_C(1) << 63)

struct slot {
	uint64_t key, size;
};

struct cfs_sizes {
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	struct slot *slots;		/* guarded by lock; NULL: none yet */
	unsigned slot_bits;		/* guarded by lock */
	size_t n;			/* guarded by lock; slots in use */
	struct cfs_sizes_entry pending[CFS_SIZES_BATCH_MAX];
	uint32_t n_pending;		/* both guarded by lock */
	bool stop, hurry, is_writing;	/* guarded by lock */
	bool has_writer;		/* guarded by lock */
	pthread_t writer;
	uint32_t code;
	struct cfs_disk *disk;
	struct cfs_cache_id id;
	/* Used by the writer only, once it runs: */
	struct cfs_sizes_entry batch[CFS_SIZES_BATCH_MAX];
	uint64_t generation;		/* the disk's, when it was read */
	uint64_t latest_ns;		/* time of the latest batch that was
					 * read or written */
	uint64_t written_ns;		/* time of the latest batch written */
};

/* ---- the table ---------------------------------------------------------- */

/* The slot of a key, or the free slot for it.  The table is never full. */
static struct slot *sizes_find_slot(struct slot *slots, unsigned bits,
				    uint64_t key)
{
	size_t i = cfs_memo_slot(key, bits), mask = ((size_t)1 << bits) - 1;

	while (slots[i].key != 0 && slots[i].key != (key | USED))
		i = (i + 1) & mask;
	return &slots[i];
}

/* Doubles the number of slots.  False: out of memory. */
static bool sizes_grow_locked(struct cfs_sizes *s)
{
	unsigned bits = s->slots == NULL ? SLOT_BITS_MIN : s->slot_bits + 1;
	struct slot *slots = calloc((size_t)1 << bits, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; s->n > 0 && i < (size_t)1 << s->slot_bits; i++)
		if (s->slots[i].key != 0)
			*sizes_find_slot(slots, bits, s->slots[i].key & ~USED) =
				s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->slot_bits = bits;
	return true;
}

/* Empties a full table: the next mount reads the newest sizes again. */
static bool has_room_locked(struct cfs_sizes *s)
{
	if (s->slots != NULL && s->n < ((size_t)1 << s->slot_bits) / 3 * 2)
		return true;
	if (s->slots == NULL || s->slot_bits < SLOT_BITS_MAX)
		return sizes_grow_locked(s);
	memset(s->slots, 0, sizeof(*s->slots) << s->slot_bits);
	s->n = 0;
	return true;
}

/* False if the size was there already. */
static bool sizes_insert_locked(struct cfs_sizes *s, uint64_t key,
				uint64_t size)
{
	struct slot *slot;

	if (!has_room_locked(s))
		return true;
	slot = sizes_find_slot(s->slots, s->slot_bits, key);
	if (slot->key != 0 && slot->size == size)
		return false;
	s->n += slot->key == 0;
	*slot = (struct slot){ key | USED, size };
	return true;
}

static void add_batch(struct cfs_sizes *s, const struct cfs_sizes_batch *b)
{
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < b->n; i++) {
		struct cfs_sizes_entry e = cfs_sizes_entry_at(b, i);

		if (b->code == s->code || e.holds_for_any_code)
			sizes_insert_locked(s, e.key, e.size);
	}
	pthread_mutex_unlock(&s->lock);
}

bool cfs_sizes_get(struct cfs_sizes *s, uint64_t key, uint64_t *size)
{
	const struct slot *slot;
	bool found = false;

	pthread_mutex_lock(&s->lock);
	if (s->slots != NULL) {
		slot = sizes_find_slot(s->slots, s->slot_bits, key);
		found = slot->key != 0;
		*size = slot->size;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

/* ---- reading ------------------------------------------------------------ */

static int older_first(const void *va, const void *vb)
{
	const struct cfs_disk_record *a = va, *b = vb;

	return a->e.off < b->e.off ? -1 : a->e.off > b->e.off;
}

/* True for a batch of another process that was written since batches were read.
 * One from centuries ahead would outdate all that follow. */
static bool is_news(const struct cfs_sizes *s, const struct cfs_cache_entry *e)
{
	return e->kind == CFS_CACHE_SIZES && e->off > s->latest_ns &&
	       e->off != s->written_ns && e->off <= INT64_MAX;
}

/* Moves the records of interest to the front, the oldest first.  Returns how
 * many there are. */
static size_t select_news(const struct cfs_sizes *s, struct cfs_disk_record *v,
			  size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (is_news(s, &v[i].e))
			v[kept++] = v[i];
	if (kept > 1)
		qsort(v, kept, sizeof(*v), older_first);
	return kept;
}

static void sizes_read_batch(struct cfs_sizes *s,
			     const struct cfs_disk_record *r, uint8_t *buf)
{
	struct cfs_sizes_batch b;

	if (cfs_disk_read(r, buf) != CFS_OK)
		cfs_disk_forget(s->disk, r);
	else if (cfs_sizes_batch_parse(cfs_slice_of(buf, r->e.n), &b) == CFS_OK)
		add_batch(s, &b);
}

/* Reads the sizes that were kept since it was called last.  What is out of
 * memory or damaged is not known. */
static void sizes_read(struct cfs_sizes *s)
{
	uint8_t *buf = malloc(CFS_SEG_DATA_MAX);
	uint32_t room = READ_MAX;
	struct cfs_disk_record *v;
	size_t n, i;

	if (buf == NULL || cfs_disk_find(s->disk, &s->id, &v, &n) != CFS_OK) {
		free(buf);
		return;
	}
	n = select_news(s, v, n);
	for (i = n; i > 0 && cfs_sizes_batch_count(v[i - 1].e.n) <= room; i--)
		room -= cfs_sizes_batch_count(v[i - 1].e.n);
	for (; i < n; i++)
		sizes_read_batch(s, &v[i], buf);
	if (n > 0)
		s->latest_ns = v[n - 1].e.off;
	free(v);
	free(buf);
}

/* ---- the writer --------------------------------------------------------- */

/* Writes a batch, whose time is later than those of all batches that are known,
 * and reads what other processes have kept. */
static void write_batch(struct cfs_sizes *s, uint32_t n)
{
	uint64_t now_ns = cfs_segment_now_ns(), generation;
	CFS_BUF(b, CFS_SEG_DATA_MAX);

	s->written_ns = now_ns > s->latest_ns ? now_ns : s->latest_ns + 1;
	if (cfs_sizes_batch_encode(s->code, s->batch, n, &b) == CFS_OK)
		cfs_disk_put_sizes(s->disk, &s->id, s->written_ns,
				   cfs_buf_slice(&b));
	generation = cfs_disk_refresh(s->disk);
	if (generation != s->generation)
		sizes_read(s);
	s->generation = generation;
	if (s->latest_ns < s->written_ns)
		s->latest_ns = s->written_ns;
}

/* Waits for something to write, then a while for more. */
static void sizes_wait_locked(struct cfs_sizes *s)
{
	int64_t until_ms;

	while (s->n_pending == 0 && !s->stop)
		pthread_cond_wait(&s->work, &s->lock);
	until_ms = cfs_monotonic_ms() + CFS_SIZES_WRITE_MS;
	while (s->n_pending < WRITE_AT && !s->stop && !s->hurry &&
	       !cfs_cond_wait_until(&s->work, &s->lock, until_ms))
		continue;
}

static void *sizes_writer(void *arg)
{
	struct cfs_sizes *s = arg;
	uint32_t n;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		sizes_wait_locked(s);
		n = s->n_pending;
		if (n == 0)
			break;
		memcpy(s->batch, s->pending, n * sizeof(*s->batch));
		s->n_pending = 0;
		s->is_writing = true;
		pthread_mutex_unlock(&s->lock);
		write_batch(s, n);
		pthread_mutex_lock(&s->lock);
		s->is_writing = false;
		pthread_cond_broadcast(&s->idle);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

void cfs_sizes_put(struct cfs_sizes *s, const struct cfs_sizes_entry *e)
{
	if (e->size > CFS_SIZES_SIZE_MAX || e->key > CFS_SIZES_KEY_MAX)
		return;
	pthread_mutex_lock(&s->lock);
	if (sizes_insert_locked(s, e->key, e->size) &&
	    s->n_pending < CFS_SIZES_BATCH_MAX) {
		s->pending[s->n_pending++] = *e;
		if (!s->has_writer)
			s->has_writer = cfs_thread_start(&s->writer,
							 sizes_writer, s);
		if (s->n_pending == 1 || s->n_pending == WRITE_AT)
			pthread_cond_signal(&s->work);
	}
	pthread_mutex_unlock(&s->lock);
}

void cfs_sizes_flush(struct cfs_sizes *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->has_writer && (s->n_pending > 0 || s->is_writing)) {
		s->hurry = true;
		pthread_cond_signal(&s->work);
		cfs_cond_wait_ms(&s->idle, &s->lock, CFS_WAIT_SLICE_MS);
	}
	s->hurry = false;
	pthread_mutex_unlock(&s->lock);
}

/* ---- opening and closing ------------------------------------------------ */

int cfs_sizes_open(struct cfs_sizes **out, struct cfs_disk *disk,
		   const struct cfs_sizes_id *id, uint32_t code,
		   struct cfs_error *err)
{
	struct cfs_sizes *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (s == NULL)
		return cfs_error_nomem(err);
	s->disk = disk;
	s->code = code;
	cfs_cache_id_of_sizes(id, &s->id);
	pthread_mutex_init(&s->lock, NULL);
	cfs_cond_init(&s->work);
	cfs_cond_init(&s->idle);
	s->generation = cfs_disk_refresh(disk);
	sizes_read(s);
	*out = s;
	return CFS_OK;
}

void cfs_sizes_close(struct cfs_sizes *s)
{
	if (s == NULL)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
	if (s->has_writer)
		pthread_join(s->writer, NULL);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->idle);
	pthread_mutex_destroy(&s->lock);
	free(s->slots);
	free(s);
}
