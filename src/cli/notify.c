/* notify.c - sends datagrams to the socket named by NOTIFY_SOCKET.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "messages.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Sends a message.  A name that begins with '@' is an abstract socket of
 * Linux. */
static void tell(const char *text)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *name = getenv("NOTIFY_SOCKET");
	size_t n = name != NULL ? strlen(name) : 0;
	int fd;

	if (n == 0 || n >= sizeof(to.sun_path) ||
	    (name[0] != '/' && name[0] != '@'))
		return;
	memcpy(to.sun_path, name, n);
	if (name[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
		     (struct sockaddr *)&to,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

/* The process number is needed if the mount went to the background. */
void cfs_notify_ready(void)
{
	char text[64];

	snprintf(text, sizeof(text), "READY=1\nMAINPID=%ld", (long)getpid());
	tell(text);
}

void cfs_notify_stopping(void)
{
	tell("STOPPING=1");
}
