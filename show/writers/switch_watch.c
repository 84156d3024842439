/*
 * switch_watch.c - see switch_watch.h.
 */
#include "show/writers/switch_watch.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "show/writers/write.h"

#define BAR_CELLS 40

/* What a queue did since the last look, or all of them did. */
enum { SENT, BYTES, REFUSED, PUSHED, EXPELLED, DROPPED, MARKED, CHANGES };

static const char *const causes[CHANGES] = {
    [REFUSED] = "refused", [PUSHED] = "pushout", [EXPELLED] = "expelled", [DROPPED] = "dequeue"};

struct changes {
    double of[CHANGES];
};

static double number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static struct changes queue_counters(const json_t *queue)
{
    const json_t *lost = json_object_get(queue, "lost_by_cause");
    struct changes c = {.of = {[SENT] = number(queue, "SAI_QUEUE_STAT_PACKETS"),
                               [BYTES] = number(queue, "SAI_QUEUE_STAT_BYTES"),
                               [MARKED] = number(queue, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS")}};
    for (int i = 0; i < CHANGES; i++)
        if (causes[i] != NULL)
            c.of[i] = number(lost, causes[i]);
    c.of[DROPPED] += number(lost, "flushed");
    return c;
}

/* Both looks have the queues in the same order; a switch that was started again has counters that begin at 0. */
static struct changes queue_changes(const struct switch_watch *watch, const json_t *queue, size_t i)
{
    struct changes now = queue_counters(queue);
    const json_t *before = json_array_get(json_object_get(watch->counters, "queues"), i);
    struct changes then = queue_counters(before);
    for (int k = 0; k < CHANGES; k++)
        now.of[k] -= then.of[k] <= now.of[k] ? then.of[k] : 0;
    return now;
}

static double pauses_of(const json_t *counters)
{
    const json_t *groups = json_object_get(counters, "groups");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(groups); i++)
        sum += number(json_array_get(groups, i), "pauses");
    return sum;
}

static const char *rate_text(double bps, char text[32])
{
    const char *unit = bps >= 1e9 ? "Gbps" : bps >= 1e6 ? "Mbps" : "kbps";
    snprintf(text, 32, "%.3g%s", bps / (bps >= 1e9 ? 1e9 : bps >= 1e6 ? 1e6 : 1e3), unit);
    return text;
}

/* "310KB of 410KB (76 %)" of all memories. */
static void buffer_text(const json_t *status, char text[96], double *share)
{
    const json_t *memories = json_object_get(status, "memories");
    double used = 0, size = 0;
    char used_text[32], size_text[32];
    for (size_t i = 0; i < json_array_size(memories); i++) {
        used += number(json_array_get(memories, i), "used_bytes");
        size += number(json_array_get(memories, i), "size_bytes");
    }
    *share = size > 0 ? used / size : 0;
    snprintf(text, 96, "%s of %s (%.0f %%)", output_size(used, used_text), output_size(size, size_text), 100 * *share);
}

static void put_line(const json_t *status, const struct changes *all, double pauses, double seconds)
{
    char buffer[96], up[32], rate[32];
    double share;
    buffer_text(status, buffer, &share);
    cli_print("up %s: buffer %s, sent %.0f/s, %s, refused %.0f/s, pushed out %.0f/s, expelled %.0f/s, dropped %.0f/s, "
              "marked %.0f/s, pauses %.0f/s",
              output_time(number(status, "up_s") * 1e12, up), buffer, all->of[SENT] / seconds,
              rate_text(8 * all->of[BYTES] / seconds, rate), all->of[REFUSED] / seconds, all->of[PUSHED] / seconds,
              all->of[EXPELLED] / seconds, all->of[DROPPED] / seconds, all->of[MARKED] / seconds, pauses / seconds);
}

/* Only queues that hold or did something. */
static int put_screen(const struct switch_watch *watch, const json_t *status, const json_t *queues, double seconds)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("port", "port", INTEGER),          DATA_COLUMN("class", "class", INTEGER),
        DATA_COLUMN("waiting_bytes", "waiting", SIZE), DATA_COLUMN("threshold_bytes", "limit", SIZE),
        DATA_COLUMN("rate_bps", "rate", RATE),         DATA_COLUMN("sent", "sent/s", COUNT),
        DATA_COLUMN("refused", "refused/s", COUNT),    DATA_COLUMN("pushout", "pushed out/s", COUNT),
        DATA_COLUMN("expelled", "expelled/s", COUNT),  DATA_COLUMN("dropped", "dropped/s", COUNT),
        DATA_COLUMN("marked", "marked/s", COUNT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    size_t idle = 0;
    for (size_t i = 0; i < json_array_size(queues); i++) {
        const json_t *queue = json_array_get(queues, i);
        struct changes c = queue_changes(watch, queue, i);
        double busy = number(queue, "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES");
        for (int k = 0; k < CHANGES; k++)
            busy += c.of[k];
        if (busy > 0) {
            static const int shown[] = {SENT, REFUSED, PUSHED, EXPELLED, DROPPED, MARKED};
            char rate[32];
            const json_t *limit = json_object_get(queue, "threshold_bytes");
            data_row(frame, cell_integer((int64_t)number(queue, "port")), cell_integer((int64_t)number(queue, "class")),
                     cell_number(number(queue, "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES")),
                     cell_if(json_is_number(limit), cell_number(json_number_value(limit))),
                     cell_shown(cell_number(8 * c.of[BYTES] / seconds), rate_text(8 * c.of[BYTES] / seconds, rate)));
            for (size_t j = 0; j < sizeof shown / sizeof shown[0]; j++)
                data_row(frame, cell_integer((int64_t)(c.of[shown[j]] / seconds + 0.5)));
        } else
            idle++;
    }
    int code = data_frame_check(frame);
    if (code == CLI_OK) {
        char up[32], buffer[96], bar[BAR_CELLS + 1];
        double share;
        const char *policy = json_string_value(json_object_get(json_object_get(status, "policy"), "name"));
        buffer_text(status, buffer, &share);
        for (int i = 0; i < BAR_CELLS; i++)
            bar[i] = i < (int)(share * BAR_CELLS + 0.5) ? '#' : '.';
        bar[BAR_CELLS] = '\0';
        const char *scenario = json_string_value(json_object_get(status, "scenario"));
        cli_print("%s: up %s, policy %s", scenario ? scenario : "?", output_time(number(status, "up_s") * 1e12, up),
                  policy ? policy : "?");
        cli_print("buffer [%s] %s", bar, buffer);
        write_text(frame);
        if (idle > 0)
            cli_print("%zu queue%s idle", idle, idle == 1 ? " is" : "s are");
    }
    data_frame_free(frame);
    return code;
}

int switch_watch_show(struct switch_watch *watch, json_t *status, json_t *counters, bool screen)
{
    const json_t *queues = json_object_get(counters, "queues");
    double up = number(status, "up_s");
    long long restarts = (long long)json_integer_value(json_object_get(status, "restarts"));
    if (up < watch->up_s || restarts != watch->restarts) { /* another switch, or the same one again */
        switch_watch_free(watch);
        watch->restarts = restarts;
    }
    double seconds = up > watch->up_s ? up - watch->up_s : 1e-9;
    struct changes all = {.of = {0}};
    for (size_t i = 0; i < json_array_size(queues); i++) {
        struct changes c = queue_changes(watch, json_array_get(queues, i), i);
        for (int k = 0; k < CHANGES; k++)
            all.of[k] += c.of[k];
    }
    int code = CLI_OK;
    if (screen)
        code = put_screen(watch, status, queues, seconds);
    else
        put_line(status, &all, pauses_of(counters) - pauses_of(watch->counters), seconds);
    json_decref(watch->counters);
    watch->counters = counters;
    watch->up_s = up;
    json_decref(status);
    return code;
}

void switch_watch_free(struct switch_watch *watch)
{
    json_decref(watch->counters);
    *watch = (struct switch_watch){.counters = NULL};
}
