/*
 * fuzz_switch_request.c - any bytes at all as what a running switch is asked on its control socket: a request is
 * understood within its bounds or refused with a message of one line.
 */
#include <stdlib.h>
#include <string.h>

#include "switch/control/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static bool ends(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

static void check_request(const struct switch_request *r)
{
    check(r->command < SWITCH_COMMANDS && r->clear < WEIR_WM_COUNT);
    check(r->port <= UINT16_MAX && r->tc <= UINT16_MAX && r->memory <= UINT16_MAX);
    check(ends(r->key, sizeof r->key) && ends(r->value, sizeof r->value) && ends(r->path, sizeof r->path));
    check(r->command != SWITCH_SET || (r->key[0] != '\0' && r->value[0] != '\0'));
    check(r->command != SWITCH_TRACE || r->start == (r->path[0] == '/'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct switch_request request;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    memset(error.text, 'x', sizeof error.text);
    if (switch_request_parse((const char *)data, size, &request, &error))
        check_request(&request);
    else
        check(ends(error.text, sizeof error.text) && error.text[0] != '\0');
    return 0;
}
