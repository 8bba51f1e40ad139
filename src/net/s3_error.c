/* s3_error.c - what S3's error codes and statuses of temporary failures mean.
 *
 * Statuses: RFC 9110 section 15 (408, 500 to 504), RFC 8470 (425), RFC 6585
 * (429); 509, 520 to 530, 598 and 599 have no RFC, but are used by widespread
 * servers and proxies.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_answer.h"

#include <string.h>

#include "base/error.h"
#include "base/slice.h"

#define BUSY CFS_S3_ERROR_BUSY, CFS_EIO, ""
#define PASSING CFS_S3_ERROR_PASSING, CFS_EIO, ""
#define KEYS CFS_S3_ERROR_KEYS, CFS_EACCESS
#define REFUSED CFS_S3_ERROR_OTHER, CFS_EACCESS

static const struct {
	const char *word;
	struct cfs_s3_error means;
} codes[] = {
	{ "SlowDown", { BUSY } },
	{ "SlowDownRead", { BUSY } },
	{ "SlowDownWrite", { BUSY } },
	{ "ServiceUnavailable", { BUSY } },
	{ "Busy", { BUSY } },
	{ "Throttling", { BUSY } },
	{ "ThrottlingException", { BUSY } },
	{ "ThrottledException", { BUSY } },
	{ "RequestThrottled", { BUSY } },
	{ "RequestThrottledException", { BUSY } },
	{ "RequestLimitExceeded", { BUSY } },
	{ "BandwidthLimitExceeded", { BUSY } },
	{ "TooManyRequests", { BUSY } },
	{ "TooManyRequestsException", { BUSY } },
	{ "RequestTimeout", { PASSING } },
	{ "RequestTimeoutException", { PASSING } },
	{ "InternalError", { PASSING } },
	{ "InternalFailure", { PASSING } },
	{ "OperationAborted", { PASSING } },
	{ "PriorRequestNotComplete", { PASSING } },
	{ "ExpiredToken", { KEYS, "the session has expired: new credentials "
	  "are needed" } },
	{ "ExpiredTokenException", { KEYS, "the session has expired: new "
	  "credentials are needed" } },
	{ "RequestExpired", { KEYS, "new credentials are needed" } },
	{ "TokenRefreshRequired", { KEYS, "new credentials are needed" } },
	{ "InvalidToken", { KEYS, "the session token does not belong to the "
	  "credentials" } },
	{ "InvalidAccessKeyId", { KEYS, "the credentials are not of this "
	  "server" } },
	{ "InvalidClientTokenId", { KEYS, "the credentials are not of this "
	  "server" } },
	{ "SignatureDoesNotMatch", { KEYS, "the secret key may be wrong" } },
	{ "RequestTimeTooSkewed", { REFUSED, "the clock of this machine may be "
	  "wrong" } },
	{ "InvalidObjectState", { REFUSED, "it is archived: it must be "
	  "restored first" } },
	{ "AccessDenied", { REFUSED, "" } },
	{ "AllAccessDisabled", { REFUSED, "" } },
	{ "AccountProblem", { REFUSED, "" } },
	{ "NotSignedUp", { REFUSED, "" } },
	{ "NoSuchBucket", { CFS_S3_ERROR_OTHER, CFS_ENOTFOUND, "" } },
	{ "NoSuchKey", { CFS_S3_ERROR_OTHER, CFS_ENOTFOUND, "" } },
	{ "NoSuchVersion", { CFS_S3_ERROR_OTHER, CFS_ENOTFOUND, "" } },
};

struct cfs_s3_error cfs_s3_error_of(const char *code, const char *message,
				    bool is_anonymous)
{
	struct cfs_s3_error e = { CFS_S3_ERROR_OTHER, CFS_OK, "" };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(code, codes[i].word) == 0)
			e = codes[i].means;
	/* Several codes come with this sentence. */
	if (cfs_slice_search_nocase(cfs_slice_str(message),
				    CFS_SLICE_LIT("reduce your request rate"))
	    >= 0)
		e = (struct cfs_s3_error){ BUSY };
	if (is_anonymous && e.code == CFS_EACCESS && e.help[0] == '\0')
		e.help = "no credentials were used";
	return e;
}

bool cfs_status_is_passing(unsigned status)
{
	switch (status) {
	case 408:	/* Request Timeout */
	case 425:	/* Too Early */
	case 429:	/* Too Many Requests */
	case 500:
	case 502:
	case 503:
	case 504:
	case 509:	/* Bandwidth Limit Exceeded */
	case 520:	/* from a proxy: the server behind it has failed, */
	case 521:
	case 522:
	case 523:
	case 524:	/* cannot be reached or is late, */
	case 527:
	case 530:	/* or its name is not resolved */
	case 598:	/* from a proxy: no answer in time, */
	case 599:	/* no connection in time */
		return true;
	default:
		return false;
	}
}

bool cfs_status_is_timeout(unsigned status)
{
	return status == 408 || status == 504 || status == 522 ||
	       status == 524 || status == 598 || status == 599;
}
