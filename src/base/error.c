/* error.c - error reports (see error.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "error.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

static void error_fill(struct cfs_error *err, int code, const char *where,
		       uint64_t offset, const char *fmt, va_list ap)
{
	if (err == NULL || err->code != CFS_OK)
		return;
	err->code = code;
	err->offset = offset;
	cfs_text_hide_queries(err->where, sizeof(err->where), where);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int cfs_error_set(struct cfs_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_fill(err, code, "", 0, fmt, ap);
	va_end(ap);
	return code;
}

int cfs_error_at(struct cfs_error *err, int code, const char *where,
		 uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_fill(err, code, where, offset, fmt, ap);
	va_end(ap);
	return code;
}

void cfs_error_where(struct cfs_error *err, const char *where, uint64_t offset)
{
	if (err == NULL || err->code == CFS_OK || err->where[0] != '\0')
		return;
	cfs_text_hide_queries(err->where, sizeof(err->where), where);
	err->offset = offset;
}

void cfs_error_set_nomem(struct cfs_error *err)
{
	cfs_error_set(err, CFS_ENOMEM, "out of memory");
}

int cfs_error_pass(struct cfs_error *to, const struct cfs_error *from, int rc)
{
	if (rc < 0 && to != NULL && to->code == CFS_OK)
		*to = *from;
	return rc;
}

void cfs_error_clear(struct cfs_error *err)
{
	if (err != NULL)
		memset(err, 0, sizeof(*err));
}

bool cfs_code_is_trouble(int code)
{
	return code == CFS_EIO || code == CFS_ETIMEOUT ||
	       code == CFS_ECHANGED || code == CFS_EACCESS ||
	       code == CFS_ENOMEM || code == CFS_EINTR;
}

const char *cfs_code_name(int code)
{
	switch (code) {
	case CFS_OK: return "ok";
	case CFS_END: return "end";
	case CFS_EIO: return "io";
	case CFS_EFORMAT: return "format";
	case CFS_ELIMIT: return "limit";
	case CFS_ENOMEM: return "memory";
	case CFS_ENOTFOUND: return "not found";
	case CFS_ETIMEOUT: return "timeout";
	case CFS_ECHANGED: return "changed";
	case CFS_EABSENT: return "absent";
	case CFS_ENOWORDS: return "no words";
	case CFS_ETOOLARGE: return "too large";
	case CFS_EINTR: return "interrupted";
	case CFS_EUSAGE: return "usage";
	case CFS_EUNSUPPORTED: return "unsupported";
	case CFS_EACCESS: return "access";
	default: return "unknown";
	}
}

void cfs_error_hide_folder(struct cfs_error *err)
{
	const char *slash = err->where[0] == '/' ? strrchr(err->where, '/') :
						   NULL;

	if (slash != NULL)
		memmove(err->where, slash + 1, strlen(slash));
}
