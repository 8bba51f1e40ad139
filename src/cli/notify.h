/* notify.h - reports a mount's start and end to a service manager by the
 * protocol of sd_notify(3), for systemd units with Type=notify.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_NOTIFY_H
#define CFS_CLI_NOTIFY_H

/* Report that the mount is ready, and that it is ending.  Nothing happens if
 * the environment names no socket, or nobody listens there. */
void cfs_notify_ready(void);
void cfs_notify_stopping(void);

#endif
