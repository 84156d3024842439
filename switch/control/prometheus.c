/*
 * prometheus.c - see prometheus.h. Of HTTP it knows GET, Host, and where a head ends; a connection serves one request.
 */
#define _GNU_SOURCE 1
#include "switch/control/prometheus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "switch/control/metrics.h"
#include "switch/control/request.h"

/* A head is lines that end in CRLF, of letters, and an empty line. Where it ends; null: not yet, or *broken: it never
 * will. */
static const char *find_end(const char *bytes, size_t count, bool *broken)
{
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    size_t length = end != NULL ? (size_t)(end - bytes) + 4 : count;
    *broken = end == NULL && count >= SWITCH_HTTP_MAX;
    for (size_t i = 0; i < length && !*broken; i++) {
        bool lone_lf = bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r');
        bool lone_cr = bytes[i] == '\r' && i + 1 < length && bytes[i + 1] != '\n';
        *broken = lone_lf || lone_cr || bytes[i] == '\0';
    }
    return *broken ? NULL : end;
}

/* "127.0.0.1" or "localhost", perhaps with a port: a page of somewhere else whose name was made to mean this machine
 * sends its own name (DNS rebinding). */
static bool is_own_host(const char *host, size_t length)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t name = strlen(names[i]);
        if (length < name || strncasecmp(host, names[i], name) != 0)
            continue;
        if (length == name)
            return true;
        size_t digits = 0;
        while (name + 1 + digits < length && host[name + 1 + digits] >= '0' && host[name + 1 + digits] <= '9')
            digits++;
        return host[name] == ':' && digits > 0 && name + 1 + digits == length;
    }
    return false;
}

/* 200; 400: HTTP/1.1 without a host, or more than one; 421: for another host. */
static uint32_t look_at_host(const char *fields, const char *end, bool needed)
{
    static const char name[] = "Host:";
    uint32_t hosts = 0, status = 200;
    for (const char *line = fields; line < end;) {
        const char *next = memmem(line, (size_t)(end - line), "\r\n", 2);
        size_t length = (size_t)((next != NULL ? next : end) - line);
        if (length >= sizeof name - 1 && strncasecmp(line, name, sizeof name - 1) == 0) {
            const char *value = line + sizeof name - 1;
            size_t size = length - (sizeof name - 1);
            for (; size > 0 && (*value == ' ' || *value == '\t'); size--)
                value++;
            while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t'))
                size--;
            hosts++;
            status = is_own_host(value, size) ? status : 421;
        }
        line += length + 2;
    }
    return hosts > 1 || (needed && hosts == 0) ? 400 : status;
}

uint32_t switch_http_look(const char *bytes, size_t count)
{
    static const char method[] = "GET ", path[] = "/metrics", version[] = " HTTP/1.";
    bool broken;
    const char *end = find_end(bytes, count, &broken);
    if (end == NULL)
        return broken ? 400 : 0;
    const char *line = memchr(bytes, '\r', count);
    size_t length = (size_t)(line - bytes), at = sizeof method - 1;
    const char *space = memchr(bytes, ' ', length);
    const char *last = memrchr(bytes, ' ', length);
    if (space == NULL || last == space || length - (size_t)(last - bytes) != sizeof version ||
        memcmp(last, version, sizeof version - 1) != 0)
        return 400;
    uint32_t host = line < end ? look_at_host(line + 2, end, line[-1] != '0') : line[-1] != '0' ? 400 : 200;
    if (host != 200)
        return host;
    if (length < at || memcmp(bytes, method, at) != 0)
        return 405;
    size_t asked = (size_t)(last - bytes) - at;
    const char *query = memchr(bytes + at, '?', asked);
    if (query != NULL)
        asked = (size_t)(query - bytes) - at;
    return asked == sizeof path - 1 && memcmp(bytes + at, path, asked) == 0 ? 200 : 404;
}

static void put_head(FILE *out, const char *name, const char *help, bool counter)
{
    fprintf(out, "# HELP weir_%s %s\n# TYPE weir_%s %s\n", name, help, name, counter ? "counter" : "gauge");
}

/* The labels of the i-th of a kind of thing. */
typedef void put_labels(FILE *out, const struct switch_snapshot *s, uint32_t i);

static void put_port(FILE *out, const struct switch_snapshot *s, uint32_t i)
{
    (void)s;
    fprintf(out, "port=\"%u\"", i);
}

static void put_queue(FILE *out, const struct switch_snapshot *s, uint32_t i)
{
    fprintf(out, "port=\"%u\",class=\"%u\"", i / s->classes, i % s->classes);
}

static void put_group(FILE *out, const struct switch_snapshot *s, uint32_t i)
{
    uint32_t input = i / s->classes;
    fprintf(out, "memory=\"%u\",port=\"%u\",class=\"%u\"", input / s->ports, input % s->ports, i % s->classes);
}

static void put_input(FILE *out, const struct switch_snapshot *s, uint32_t i)
{
    fprintf(out, "memory=\"%u\",port=\"%u\"", i / s->ports, i % s->ports);
}

static void put_pool(FILE *out, const struct switch_snapshot *s, uint32_t i)
{
    (void)s;
    fprintf(out, "memory=\"%u\"", i);
}

/* `count` structs of `size` bytes, and the names of what is in them. */
struct things {
    const struct switch_metric *metrics;
    const void *first;
    size_t size;
    uint32_t count;
    uint32_t class_mask; /* of groups: the classes that have some; else 0 */
    put_labels *labels;
};

/* The values of one metric of one thing. */
static void put_values(FILE *out, const struct switch_snapshot *s, const struct things *things,
                       const struct switch_metric *metric, uint32_t i)
{
    const unsigned char *one = (const unsigned char *)things->first + i * things->size;
    uint32_t views = metric->kind == METRIC_WATERMARK ? WEIR_WM_COUNT : 1;
    for (uint32_t view = 0; view < views; view++) {
        fprintf(out, "weir_%s{", metric->prometheus);
        things->labels(out, s, i);
        if (views > 1)
            fprintf(out, ",view=\"%s\"", switch_view_name((enum weir_watermark_view)view));
        fprintf(out, "} %" PRIu64 "\n", switch_metric_value(metric, one, view));
    }
}

static void put_things(FILE *out, const struct switch_snapshot *s, const struct things *things)
{
    for (const struct switch_metric *metric = things->metrics; metric->name != NULL; metric++) {
        if (metric->prometheus == NULL)
            continue;
        put_head(out, metric->prometheus, metric->help, metric->kind == METRIC_COUNTER);
        for (uint32_t i = 0; i < things->count; i++)
            if (things->class_mask == 0 || things->class_mask >> (i % s->classes) & 1)
                put_values(out, s, things, metric, i);
    }
}

static void put_metrics(FILE *out, const struct switch_snapshot *s)
{
    const struct things all[] = {
        {switch_port_metrics, s->port, sizeof *s->port, s->ports, 0, put_port},
        {switch_queue_metrics, s->queue, sizeof *s->queue, s->ports * s->classes, 0, put_queue},
        {switch_pool_metrics, s->pool, sizeof *s->pool, s->memories, 0, put_pool},
        {switch_group_metrics, s->group, sizeof *s->group, s->memories * s->ports * s->classes, s->lossless_mask,
         put_group},
        {switch_input_metrics, s->pause, sizeof *s->pause, s->memories * s->ports, 0, put_input},
    };
    const uint32_t count = sizeof all / sizeof all[0], of_lossless = 2; /* the last ones */
    for (uint32_t i = 0; i < (s->lossless_mask != 0 ? count : count - of_lossless); i++)
        put_things(out, s, &all[i]);
    put_head(out, "queue_dropped_packets_total", "Packets lost, by reason.", true);
    for (uint32_t queue = 0; queue < s->ports * s->classes; queue++) {
        /* Refused ones by their reason, others by how they were lost: each once. */
        for (uint32_t i = 1; i < WEIR_REASON_COUNT + WEIR_CAUSE_COUNT; i++) {
            uint32_t cause = i - WEIR_REASON_COUNT;
            bool refused = i < WEIR_REASON_COUNT;
            if (!refused && cause == WEIR_CAUSE_REFUSED)
                continue;
            fprintf(out, "weir_queue_dropped_packets_total{port=\"%u\",class=\"%u\",reason=\"%s\"} %" PRIu64 "\n",
                    queue / s->classes, queue % s->classes,
                    refused ? weir_reason_name((enum weir_reason)i) : weir_cause_name((enum weir_cause)cause),
                    refused ? s->queue[queue].refused_by_reason[i] : s->queue[queue].dropped_by_cause[cause]);
        }
    }
    if (s->lossless_mask != 0) {
        put_head(out, "lossless_lost_packets_total", "Packets of lossless classes lost: always a fault.", true);
        for (uint32_t i = 0; i < s->ports * s->classes; i++)
            if (s->lossless_mask >> (i % s->classes) & 1)
                fprintf(out, "weir_lossless_lost_packets_total{port=\"%u\",class=\"%u\"} %" PRIu64 "\n", i / s->classes,
                        i % s->classes, switch_snapshot_lossless_lost(s, i / s->classes, i % s->classes));
        put_head(out, "reaction_seconds", "The longest absence of a processor that headroom was sized for.", false);
        fprintf(out, "weir_reaction_seconds %.6f\n", (double)s->reaction_ps / (double)WEIR_PS_PER_S);
        put_head(out, "away_max_seconds", "The longest absence of a processor so far.", false);
        fprintf(out, "weir_away_max_seconds %.6f\n", (double)s->status.away_ps_max / (double)WEIR_PS_PER_S);
    }
    put_head(out, "port_discarded_packets_total", "Frames dropped without asking the buffer, by reason.", true);
    for (uint32_t port = 0; port < s->ports; port++)
        for (uint32_t why = 0; why < DATAPLANE_DISCARDS; why++)
            fprintf(out, "weir_port_discarded_packets_total{port=\"%u\",reason=\"%s\"} %" PRIu64 "\n", port,
                    dataplane_discard_name((enum dataplane_discard)why), s->port[port].discarded[why]);
    put_head(out, "queue_threshold_bytes", "The policy's limit of the queue now, if it has one.", false);
    for (uint32_t i = 0; i < s->ports * s->classes; i++)
        if (s->limited_mask >> (i % s->classes) & 1)
            fprintf(out, "weir_queue_threshold_bytes{port=\"%u\",class=\"%u\"} %" PRIu64 "\n", i / s->classes,
                    i % s->classes, s->threshold_bytes[i]);
    put_head(out, "port_link_up", "1: the link is up.", false);
    for (uint32_t port = 0; port < s->ports; port++)
        fprintf(out, "weir_port_link_up{port=\"%u\"} %d\n", port, s->port[port].link_up);
    put_head(out, "port_device_missed_counted", "0: nobody counts what the device loses before us.", false);
    for (uint32_t port = 0; port < s->ports; port++)
        fprintf(out, "weir_port_device_missed_counted{port=\"%u\"} %d\n", port, s->port[port].device_missed_seen);
    put_head(out, "mbufs_in_use", "Mbufs in use.", false);
    fprintf(out, "weir_mbufs_in_use %u\n", s->status.mbufs_in_use);
    put_head(out, "mbufs", "Mbufs in total.", false);
    fprintf(out, "weir_mbufs %u\n", s->status.mbufs);
    put_head(out, "addresses", "Known addresses.", false);
    fprintf(out, "weir_addresses %u\n", s->status.addresses);
    put_head(out, "restarts_total", "Times that the switch was started again after a crash.", true);
    fprintf(out, "weir_restarts_total %u\n", s->restarts);
    put_head(out, "up_seconds", "Time since the start.", false);
    fprintf(out, "weir_up_seconds %.3f\n", (double)s->status.up_ps / (double)WEIR_PS_PER_S);
}

static const char *status_text(uint32_t status)
{
    return status == 200   ? "OK"
           : status == 404 ? "Not Found"
           : status == 405 ? "Method Not Allowed"
           : status == 421 ? "Misdirected Request"
                           : "Bad Request";
}

/* The body: metrics, or one line. */
static char *make_body(uint32_t status, const struct switch_snapshot *snapshot, size_t *size)
{
    char *body = NULL;
    FILE *out = open_memstream(&body, size);
    if (out == NULL)
        return NULL;
    if (status == 200)
        put_metrics(out, snapshot);
    else
        fprintf(out, "%s (expected GET /metrics of localhost)\n", status_text(status));
    bool good = !ferror(out);
    if (fclose(out) == 0 && good)
        return body;
    free(body);
    return NULL;
}

char *switch_http_response(uint32_t status, const struct switch_snapshot *snapshot, size_t *size)
{
    char *response = NULL;
    size_t length = 0;
    char *body = make_body(status, snapshot, &length);
    if (body == NULL)
        return NULL;
    int written = asprintf(&response,
                           "HTTP/1.1 %u %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                           "%sContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                           status, status_text(status), status == 405 ? "Allow: GET\r\n" : "", length, body);
    free(body);
    *size = written > 0 ? (size_t)written : 0;
    return written > 0 ? response : NULL;
}
