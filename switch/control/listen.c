/*
 * listen.c - the two sockets that a switch listens on. Only its own user may ask it to do something; numbers are
 * for everybody on this machine.
 */
#define _GNU_SOURCE 1
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "switch/control/app.h"
#include "switch/control/socket.h"

#define BACKLOG 128

static int fail(int fd, const char *what, const char *why)
{
    if (fd >= 0)
        close(fd);
    cli_error(CLI_INTERNAL, "%s: cannot listen: %s", what, why);
    return -1;
}

/* Remove a stale socket. Null, or why the path cannot be used. */
static const char *clear_path(const struct sockaddr_un *address)
{
    struct stat about;
    if (lstat(address->sun_path, &about) != 0)
        return errno == ENOENT ? NULL : strerror(errno);
    if (!S_ISSOCK(about.st_mode))
        return "there is a file of this name (expected none, or a socket)";
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return strerror(errno);
    /* Whoever listens and accepts nobody has a full backlog: EAGAIN. */
    bool alive = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 || errno != ECONNREFUSED;
    close(fd);
    if (alive)
        return "a switch is running there (expected another --control, or 'weir switch stop')";
    return unlink(address->sun_path) == 0 || errno == ENOENT ? NULL : strerror(errno);
}

int switch_listen_control(const char *path)
{
    struct sockaddr_un address;
    if (!switch_socket_address(path, &address))
        return -1;
    if (strncmp(path, SWITCH_SOCKET_FOLDER "/", sizeof SWITCH_SOCKET_FOLDER) == 0)
        (void)!mkdir(SWITCH_SOCKET_FOLDER, 0755); /* if it cannot be made, bind says why */
    const char *why = clear_path(&address);
    if (why != NULL)
        return fail(-1, path, why);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    mode_t mask = umask(0077);
    bool bound = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    int error = errno;
    umask(mask);
    if (!bound)
        return fail(fd, path, strerror(error));
    return listen(fd, BACKLOG) == 0 ? fd : fail(fd, path, strerror(errno));
}

bool switch_socket_own(const char *path, struct switch_socket_file *file)
{
    struct stat about;
    *file = (struct switch_socket_file){.inode = 0};
    if (lstat(path, &about) != 0)
        return false;
    *file = (struct switch_socket_file){.device = about.st_dev, .inode = about.st_ino};
    return true;
}

void switch_socket_remove(const char *path, const struct switch_socket_file *file)
{
    struct stat about;
    if (file->inode != 0 && lstat(path, &about) == 0 && about.st_dev == file->device && about.st_ino == file->inode)
        unlink(path);
}

int switch_listen_prometheus(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int yes = 1;
    char what[48];
    snprintf(what, sizeof what, "--prometheus: 127.0.0.1:%u", port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail(fd, what, strerror(errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0)
        return fail(fd, what, strerror(errno));
    return fd;
}
