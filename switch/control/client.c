/*
 * client.c - see client.h.
 */
#define _GNU_SOURCE 1
#include "switch/control/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "switch/control/socket.h"

#define REPLY_ROOM_FIRST 65536u
#define REPLY_MAX ((size_t)1 << 28)
#define PATIENCE_S 60

struct reply {
    char *text;
    size_t size, room;
    bool ended; /* the switch closed the connection */
};

static int open_socket(const char *path, int *code)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un address;
    if (!switch_socket_address(path, &address)) {
        *code = CLI_INPUT;
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience); /* also of connecting */
    }
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    *code = cli_error(CLI_INPUT, "switch: no switch answers at %s: %s (is weir-switch running? see --control)", path,
                      strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool send_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        text += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Reads until a line is whole, or the switch has gone. False: see errno; 0: the reply is too long. */
static bool receive(int fd, struct reply *reply, bool line)
{
    while (!reply->ended && !(line && reply->size > 0 && reply->text[reply->size - 1] == '\n')) {
        if (reply->size == reply->room) {
            size_t room = reply->room == 0 ? REPLY_ROOM_FIRST : 2 * reply->room;
            char *text = room <= REPLY_MAX ? realloc(reply->text, room) : NULL;
            errno = text == NULL && room <= REPLY_MAX ? ENOMEM : 0;
            if (text == NULL)
                return false;
            reply->text = text;
            reply->room = room;
        }
        ssize_t count = recv(fd, reply->text + reply->size, reply->room - reply->size, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        reply->ended = count == 0;
        reply->size += (size_t)count;
    }
    return true;
}

static json_t *read_reply(const struct reply *reply, int *code)
{
    json_error_t error = {.text = "out of memory"};
    json_t *object = reply->size > 0 ? json_loadb(reply->text, reply->size, 0, &error) : NULL;
    const char *why = json_string_value(json_object_get(object, "error"));
    if (json_is_true(json_object_get(object, "ok")))
        return object;
    if (why != NULL)
        *code = cli_error(CLI_INPUT, "switch: %s", why);
    else if (reply->size == 0)
        *code = cli_error(CLI_INTERNAL, "switch: it ended without an answer");
    else
        *code = cli_error(CLI_INTERNAL, "switch: its answer makes no sense: %s",
                          object == NULL ? error.text : "it says neither ok nor error");
    json_decref(object);
    return NULL;
}

static json_t *exchange(int fd, const json_t *request, bool until_gone, int *code)
{
    struct reply reply = {.text = NULL};
    char *line = json_dumps(request, JSON_COMPACT);
    json_t *object = NULL;
    bool good = line != NULL;
    errno = ENOMEM;
    good = good && send_all(fd, line, strlen(line)) && send_all(fd, "\n", 1) && receive(fd, &reply, true);
    if (!good)
        *code = errno == ENOMEM ? cli_error_memory()
                                : cli_error(CLI_INTERNAL, "switch: no answer: %s",
                                            errno == 0        ? "it is too long"
                                            : errno == EAGAIN ? "it takes too long"
                                                              : strerror(errno));
    else
        object = read_reply(&reply, code);
    if (object != NULL && until_gone && !receive(fd, &reply, false)) {
        *code = cli_error(CLI_INTERNAL, "switch: it does not end");
        json_decref(object);
        object = NULL;
    }
    free(line);
    free(reply.text);
    return object;
}

json_t *switch_ask(const char *control, json_t *request, bool until_gone, int *code)
{
    char *usual = control == NULL ? switch_socket_default() : NULL;
    json_t *reply = NULL;
    *code = CLI_OK;
    if (request == NULL)
        *code = cli_error_memory();
    else if (control == NULL && usual == NULL)
        *code = CLI_USAGE;
    int fd = *code == CLI_OK ? open_socket(control != NULL ? control : usual, code) : -1;
    if (fd >= 0) {
        reply = exchange(fd, request, until_gone, code);
        close(fd);
    }
    json_decref(request);
    free(usual);
    return reply;
}
