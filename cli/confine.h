/*
 * confine.h - what a process gives up before it looks at what others wrote: files, frames, requests.
 *
 * A command says with its descriptor what it needs (command.h, `rights`). What it does not need is refused by the
 * kernel from its start: whoever takes over a reader of files by a mistake in it can start no program and reach no
 * network.
 */
#ifndef CLI_CONFINE_H
#define CLI_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "weir/error.h"

enum confine_rights {
    CONFINE_FILES,   /* files and processes of its own: no network, no program, nothing of the system */
    CONFINE_SOCKETS, /* the network too */
    CONFINE_NOTHING, /* all that its user may */
};

/* For all threads and for good: no new privileges, and calls that the rights leave out fail with EPERM. Where the
 * kernel knows no filters it goes on without; a process that has a filter keeps that one. */
void confine_calls(enum confine_rights rights);

/* Whether calls of this process are filtered. */
bool confine_is_filtered(void);

struct confine_user {
    uid_t uid;
    gid_t gid;
    char name[64]; /* "" where only a number is known */
};

/* A name or a number; false and one line in `error`: unknown, or root. */
bool confine_find_user(struct confine_user *user, const char *text, struct weir_error *error);

/* All threads become this user, with its groups and without capabilities. */
bool confine_become(const struct confine_user *user, struct weir_error *error);

#endif
