/* notify.h - tells a service manager how a mount gets on: the protocol of
 * sd_notify(3), so that a unit of systemd may say Type=notify.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_NOTIFY_H
#define CFS_CLI_NOTIFY_H

/* The mount stands; the mount is ending.  Nothing happens where the environment
 * names no socket, or where nobody listens there. */
void cfs_notify_ready(void);
void cfs_notify_stopping(void);

#endif
