/*
 * down.c - takes a testbed down: see testbed.h. It looks at what is there, not at what was recorded, so
 * that it also works after a crash, and twice. A namespace takes its interfaces with it.
 */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/testbed/process.h"

#define SPACES "/run/netns"
#define PATIENCE_ROUNDS 3000u /* of 10 ms, for processes to be gone */

/* Whatever runs in the namespace; how many were asked to end. */
static uint32_t kill_inside(const struct stat *space)
{
    uint32_t killed = 0;
    DIR *processes = opendir("/proc");
    for (const struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
        char path[300];
        struct stat its;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        int pid = (int)strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%s/ns/net", entry->d_name);
        if (pid == getpid() || stat(path, &its) != 0 || its.st_ino != space->st_ino || its.st_dev != space->st_dev)
            continue;
        killed += kill(pid, SIGKILL) == 0;
    }
    if (processes != NULL)
        closedir(processes);
    return killed;
}

/* The name of a namespace is a file on which it is mounted. */
static bool remove_space(const char *path)
{
    struct stat space, here;
    bool mounted = stat(path, &space) == 0 && stat("/proc/self/ns/net", &here) == 0 && here.st_dev == space.st_dev;
    for (uint32_t round = 0; mounted && here.st_ino != space.st_ino && round < PATIENCE_ROUNDS; round++) {
        if (kill_inside(&space) == 0)
            break;
        testbed_pause(10);
    }
    if (umount2(path, MNT_DETACH) != 0 && errno != EINVAL && errno != ENOENT)
        return false;
    return unlink(path) == 0 || errno == ENOENT;
}

static bool remove_spaces(const char *name)
{
    bool removed = true;
    DIR *spaces = opendir(SPACES);
    for (const struct dirent *entry; spaces != NULL && (entry = readdir(spaces)) != NULL;) {
        char path[300], its[TESTBED_NAME_MAX];
        if (!testbed_of_space(entry->d_name, its) || strcmp(its, name) != 0)
            continue;
        snprintf(path, sizeof path, SPACES "/%s", entry->d_name);
        removed = remove_space(path) && removed;
    }
    if (spaces != NULL)
        closedir(spaces);
    return removed;
}

static bool remove_folder(const char *name)
{
    char folder[TESTBED_PATH_MAX];
    testbed_path(name, "", folder);
    DIR *files = opendir(folder);
    if (files == NULL)
        return errno == ENOENT;
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;)
        if (entry->d_type != DT_DIR)
            unlinkat(dirfd(files), entry->d_name, 0);
    closedir(files);
    return rmdir(folder) == 0 || errno == ENOENT;
}

bool testbed_down(const char *name)
{
    bool spaces = remove_spaces(name), folder = remove_folder(name);
    return spaces && folder;
}
