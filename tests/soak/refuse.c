/* refuse.c - linked into crawlfs-soak: memory that is refused, and answers that
 * lie, while a test switches them on.
 *
 * The linker sends the program's calls of malloc and its like here (--wrap).
 * The file that CRAWLFS_SOAK_CONTROL names is mapped and holds, in the order of
 * this machine:
 *
 *     0  4  one in so many allocations fails; 0: none
 *     4  4  one in so many replies to reads has a wrong byte; 0: none
 *     8  8  allocations refused so far
 *    16  8  wrong replies so far
 *
 * Without the variable this is crawlfs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

struct control {
	_Atomic uint32_t refuse_in, lie_in;
	_Atomic uint64_t refused, lied;
};

static struct control *control;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
int __real_fuse_reply_buf(fuse_req_t req, const char *buf, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
int __wrap_fuse_reply_buf(fuse_req_t req, const char *buf, size_t n);

static void __attribute__((constructor)) map_control(void)
{
	const char *path = getenv("CRAWLFS_SOAK_CONTROL");
	int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = MAP_FAILED;

	if (fd >= 0) {
		p = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
		close(fd);
	}
	if (p != MAP_FAILED)
		control = p;
}

/* True once in `in` calls or so (xorshift64); 0: never. */
static bool happens(uint32_t in)
{
	static _Thread_local uint64_t state;

	if (in == 0)
		return false;
	if (state == 0)
		state = (uint64_t)(uintptr_t)&state | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % in == 0;
}

static bool is_refused(void)
{
	if (control == NULL || !happens(control->refuse_in))
		return false;
	control->refused++;
	errno = ENOMEM;		/* as the C library does */
	return true;
}

void *__wrap_malloc(size_t n)
{
	return is_refused() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return is_refused() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
	return is_refused() ? NULL : __real_strdup(s);
}

int __wrap_fuse_reply_buf(fuse_req_t req, const char *buf, size_t n)
{
	char *lie;
	int rc;

	if (control == NULL || n == 0 || !happens(control->lie_in))
		return __real_fuse_reply_buf(req, buf, n);
	lie = __real_malloc(n);
	if (lie == NULL)
		return fuse_reply_err(req, ENOMEM);
	memcpy(lie, buf, n);
	lie[n / 2] ^= 1;
	control->lied++;
	rc = __real_fuse_reply_buf(req, lie, n);
	free(lie);
	return rc;
}
