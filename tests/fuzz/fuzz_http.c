/*
 * fuzz_http.c - any bytes at all as a request to /metrics, as they come in, piece by piece: an answer, once there is
 * one, is the same whatever follows, and it comes before the input is full.
 */
#include <stdlib.h>
#include <string.h>

#include "switch/control/prometheus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t answer = 0;
    size = size > SWITCH_HTTP_MAX ? SWITCH_HTTP_MAX : size;
    for (size_t count = 0; count <= size; count += count < 128 ? 1 : 509) {
        char *came = malloc(count > 0 ? count : 1); /* exactly as large, so that reading beyond is seen */
        if (came == NULL)
            abort();
        memcpy(came, data, count);
        uint32_t status = switch_http_look(came, count);
        free(came);
        bool known = status == 0 || status == 200 || status == 400 || status == 404 || status == 405 || status == 421;
        if (!known || (answer != 0 && status != answer))
            abort();
        answer = status;
    }
    if (size == SWITCH_HTTP_MAX && switch_http_look((const char *)data, size) == 0)
        abort();
    if (answer != 0 && answer != 200) {
        size_t length = 0;
        char *response = switch_http_response(answer, NULL, &length);
        if (response == NULL || length != strlen(response))
            abort();
        free(response);
    }
    return 0;
}
