/* clients.c - ends connections whose request does not come to its end.
 *
 * The library ends a connection that is silent.  One that sends a byte now and
 * then would hold a descriptor and memory for ever.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "server_internal.h"

#include <stdlib.h>
#include <sys/socket.h>

void cfs_clients_init(struct cfs_clients *all)
{
	pthread_mutex_init(&all->lock, NULL);
	all->first = NULL;
}

void cfs_clients_release(struct cfs_clients *all)
{
	pthread_mutex_destroy(&all->lock);
}

struct cfs_client *cfs_client_new(struct cfs_clients *all, int fd,
				  int64_t now_ms)
{
	struct cfs_client *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->fd = fd;
	c->since_ms = now_ms;
	pthread_mutex_lock(&all->lock);
	c->next = all->first;
	if (c->next != NULL)
		c->next->at = &c->next;
	c->at = &all->first;
	all->first = c;
	pthread_mutex_unlock(&all->lock);
	return c;
}

void cfs_client_free(struct cfs_clients *all, struct cfs_client *c)
{
	if (c == NULL)
		return;
	pthread_mutex_lock(&all->lock);
	*c->at = c->next;
	if (c->next != NULL)
		c->next->at = c->at;
	pthread_mutex_unlock(&all->lock);
	free(c);
}

void cfs_clients_end_late(struct cfs_clients *all, int64_t now_ms)
{
	pthread_mutex_lock(&all->lock);
	for (struct cfs_client *c = all->first; c != NULL; c = c->next) {
		int64_t since_ms = c->since_ms;

		if (since_ms != CFS_CLIENT_IS_SERVED &&
		    now_ms - since_ms > CFS_REQUEST_MS)
			shutdown(c->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&all->lock);
}
