/* listener.c - opens the socket that the server listens on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/slice.h"

/* Connections that wait to be accepted; the kernel has a limit of its own. */
#define BACKLOG 1024
/* The first descriptor that a service manager passes. */
#define PASSED_FD 3

/* Splits HOST:PORT.  False if it is not of that form. */
static bool split_address(const char *address, char host[256], char port[6])
{
	struct cfs_slice s = cfs_slice_str(address), h, p;
	ptrdiff_t colon = cfs_slice_rfind(s, ':');
	uint64_t number;

	if (colon < 0)
		return false;
	h = cfs_slice_sub(s, 0, (size_t)colon);
	p = cfs_slice_from(s, (size_t)colon + 1);
	if (h.n > 2 && h.p[0] == '[' && h.p[h.n - 1] == ']')
		h = cfs_slice_sub(h, 1, h.n - 2);
	else if (cfs_slice_find(h, ':') >= 0)
		return false;		/* IPv6 without its brackets */
	if (h.n > 255 || p.n > 5 ||
	    cfs_slice_parse_u64(p, 65535, &number) != CFS_OK)
		return false;
	snprintf(host, 256, "%.*s", (int)h.n, (const char *)h.p);
	snprintf(port, 6, "%u", (unsigned)number);
	return true;
}

static int listen_on(const struct addrinfo *a)
{
	int one = 1, fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC |
						       SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	one = errno;
	close(fd);
	errno = one;
	return -1;
}

static int listen_by_name(struct cfs_listener *l, const char *address,
			  const char *port, struct cfs_error *err)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	int rc = getaddrinfo(l->host[0] != '\0' ? l->host : NULL, port, &hints,
			     &found);

	if (rc != 0)
		return cfs_error_set(err, CFS_EUSAGE, "cannot listen on "
				     "'%.100s': %s", address, gai_strerror(rc));
	for (struct addrinfo *a = found; a != NULL && l->fd < 0; a = a->ai_next)
		l->fd = listen_on(a);
	rc = errno;
	freeaddrinfo(found);
	return l->fd >= 0 ? CFS_OK :
	       cfs_error_set(err, CFS_EUSAGE, "cannot listen on '%.100s': %s",
			     address, strerror(rc));
}

/* True if the service manager that started this process passed a socket. */
static bool was_passed_socket(void)
{
	const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");

	return pid != NULL && n != NULL && strcmp(n, "1") == 0 &&
	       strtol(pid, NULL, 10) == (long)getpid();
}

static int take_passed(struct cfs_listener *l, struct cfs_error *err)
{
	int flags = fcntl(PASSED_FD, F_GETFL), is_listening = 0;
	socklen_t n = sizeof(is_listening);

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	if (flags < 0 || getsockopt(PASSED_FD, SOL_SOCKET, SO_ACCEPTCONN,
				    &is_listening, &n) != 0 ||
	    !is_listening ||
	    fcntl(PASSED_FD, F_SETFL, flags | O_NONBLOCK) != 0 ||
	    fcntl(PASSED_FD, F_SETFD, FD_CLOEXEC) != 0)
		return cfs_error_set(err, CFS_EUSAGE, "what the service manager "
				     "passed is not a listening socket");
	l->fd = PASSED_FD;
	return CFS_OK;
}

/* Writes the URL of the address that the socket is bound to; all addresses are
 * reached by that of loopback. */
static void name_listener(struct cfs_listener *l)
{
	struct sockaddr_storage a = { 0 };
	char host[NI_MAXHOST], port[NI_MAXSERV];
	socklen_t n = sizeof(a);
	bool is_any;

	if (getsockname(l->fd, (struct sockaddr *)&a, &n) != 0 ||
	    getnameinfo((struct sockaddr *)&a, n, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
		snprintf(l->url, sizeof(l->url), "http://%s/", l->host);
		return;
	}
	is_any = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
	if (l->host[0] == '\0')
		snprintf(l->host, sizeof(l->host), "%.200s", host);
	if (is_any)
		snprintf(l->url, sizeof(l->url), "http://localhost:%s/", port);
	else if (a.ss_family == AF_INET6)
		snprintf(l->url, sizeof(l->url), "http://[%.200s]:%s/", host,
			 port);
	else
		snprintf(l->url, sizeof(l->url), "http://%.200s:%s/", host,
			 port);
}

int cfs_listener_open(struct cfs_listener *out, const char *address,
		      struct cfs_error *err)
{
	char port[6];
	int rc;

	*out = (struct cfs_listener){ .fd = -1 };
	if (address == NULL)
		address = CFS_LISTEN_DEFAULT;
	if (!split_address(address, out->host, port))
		return cfs_error_set(err, CFS_EUSAGE, "option '--listen': "
				     "'%.100s' is not HOST:PORT, nor :PORT "
				     "for all addresses of this machine, with "
				     "a port of at most 65535",
				     address);
	rc = was_passed_socket() ? take_passed(out, err) :
				   listen_by_name(out, address, port, err);
	if (rc == CFS_OK)
		name_listener(out);
	return rc;
}

void cfs_listener_close(struct cfs_listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
