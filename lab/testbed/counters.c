/*
 * counters.c - what weir-switch counted, asked for at its control socket: see point.h.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "lab/testbed/point.h"

#define ANSWER_S 10 /* at most, for the switch to answer */

static bool fail(struct weir_error *error, const char *text)
{
    return weir_fail(error, WEIR_ERROR_SYSTEM, "weir-switch: %s", text);
}

/* One request, one line of answer; null after one line in `error`. */
static json_t *ask(const char *control, const char *request, struct weir_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval limit = {.tv_sec = ANSWER_S};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", control);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool sent = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
                setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
                connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
                send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request);
    json_t *answer = sent ? json_loadfd(fd, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    if (answer == NULL)
        fail(error, sent ? "no answer at its control socket" : strerror(errno));
    if (fd >= 0)
        close(fd);
    if (answer != NULL && !json_is_true(json_object_get(answer, "ok"))) {
        const char *why = json_string_value(json_object_get(answer, "error"));
        fail(error, why != NULL ? why : "a malformed answer");
        json_decref(answer);
        answer = NULL;
    }
    return answer;
}

/* What was read of the answers; `missing` names what was not there, so that nothing unknown is taken for 0. */
struct reading {
    struct testbed_counters *counters;
    const char *missing;
};

static uint64_t number(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        reading->missing = key;
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static void read_queue(struct reading *reading, const json_t *queue)
{
    struct summary_losses *losses = &reading->counters->losses;
    const json_t *refused = json_object_get(queue, "refused_by_reason");
    const json_t *lost = json_object_get(queue, "lost_by_cause");
    for (uint32_t i = WEIR_REASON_NONE + 1; i < WEIR_REASON_COUNT; i++)
        losses->refused[i] += number(reading, refused, weir_reason_name((enum weir_reason)i));
    for (uint32_t i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
        losses->lost[i] += number(reading, lost, weir_cause_name((enum weir_cause)i));
    losses->marked += number(reading, queue, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS");
}

static void read_port(struct reading *reading, const json_t *port)
{
    struct testbed_counters *counters = reading->counters;
    const json_t *discarded = json_object_get(port, "discarded");
    uint64_t taken = number(reading, port, "SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS");
    counters->taken += taken;
    counters->hops += taken + number(reading, port, "SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS");
    counters->unroutable +=
        number(reading, discarded, "unknown-destination") + number(reading, discarded, "output-down");
    counters->emulation.behind += number(reading, discarded, "behind") + number(reading, discarded, "no-mbuf");
}

/* Of several MMUs, the fullest. */
static void read_pool(struct reading *reading, const json_t *pool)
{
    struct testbed_counters *counters = reading->counters;
    uint64_t size = number(reading, pool, "size_bytes");
    uint64_t peak = number(reading, json_object_get(pool, "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES"), "persistent");
    if (peak >= counters->peak_bytes) {
        counters->peak_bytes = peak;
        counters->buffer_bytes = size;
    }
}

static void read_each(struct reading *reading, const json_t *answer, const char *key,
                      void (*read)(struct reading *reading, const json_t *object))
{
    const json_t *list = json_object_get(answer, key);
    if (json_array_size(list) == 0)
        reading->missing = key;
    for (size_t i = 0; i < json_array_size(list); i++)
        read(reading, json_array_get(list, i));
}

bool testbed_frames_arrived(const char *path, uint64_t *frames)
{
    char line[512];
    uint32_t ports = 0;
    FILE *in = fopen(path, "re");
    *frames = 0;
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        uint64_t packets;
        if (sscanf(line, " port%*u: %*u %" SCNu64, &packets) != 1)
            continue;
        *frames += packets;
        ports++;
    }
    if (in != NULL)
        fclose(in);
    return ports > 0;
}

bool testbed_counters_ask(struct testbed_counters *counters, const char *control, struct weir_error *error)
{
    struct reading reading = {.counters = counters};
    json_t *answer = ask(control, "{\"command\":\"counters\"}\n", error);
    json_t *status = answer != NULL ? ask(control, "{\"command\":\"status\"}\n", error) : NULL;
    bool answered = status != NULL;
    *counters = (struct testbed_counters){.hops = 0};
    if (answered) {
        read_each(&reading, answer, "queues", read_queue);
        read_each(&reading, answer, "ports", read_port);
        read_each(&reading, answer, "pools", read_pool);
        const json_t *late = json_object_get(status, "late_max_s");
        if (!json_is_number(late))
            reading.missing = "late_max_s";
        reading.counters->emulation.late_ps = (weir_ps)(json_number_value(late) * (double)WEIR_PS_PER_S);
    }
    json_decref(answer);
    json_decref(status);
    if (reading.missing != NULL)
        weir_fail(error, WEIR_ERROR_SYSTEM, "weir-switch: its counters have no %s", reading.missing);
    return answered && reading.missing == NULL;
}
