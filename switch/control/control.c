/*
 * control.c - answers to requests: newline-delimited JSON on the control socket, and GET /metrics on the
 * loopback. Both run in the main thread, between two looks at traces and drops.
 */
#include <string.h>

#include "cli/output.h"
#include "switch/control/app.h"
#include "switch/control/counters.h"
#include "switch/control/prometheus.h"

_Static_assert(SWITCH_REQUEST_MAX == LOOP_INPUT_MAX && SWITCH_HTTP_MAX == LOOP_INPUT_MAX,
               "a request that fills the input is too long");

/* A message may end in the middle of a letter, where a text of the request was cut, and JSON takes whole ones only. */
static json_t *error_json(const struct weir_error *error)
{
    char line[WEIR_ERROR_LINE_MAX];
    json_t *text = json_string(weir_error_line(error, line));
    for (char *c = line; text == NULL && *c != '\0'; c++)
        *c = (unsigned char)*c < 0x80 ? *c : '?';
    return json_pack("{s:b, s:o}", "ok", 0, "error", text != NULL ? text : json_string(line));
}

static json_t *answer_counters(struct switch_app *app, const struct switch_request *request, struct weir_error *error)
{
    const struct switch_snapshot *s = &app->snapshot;
    if (request->has_port && request->port >= s->ports) {
        weir_fail(error, WEIR_ERROR_INPUT, "no port %u (expected 0 to %u)", request->port, s->ports - 1);
        return error_json(error);
    }
    if (request->has_class && request->tc >= s->classes) {
        weir_fail(error, WEIR_ERROR_INPUT, "no class %u (expected 0 to %u)", request->tc, s->classes - 1);
        return error_json(error);
    }
    switch_snapshot_take(&app->snapshot, app->dataplane);
    if (request->has_clear)
        dataplane_clear_watermarks(app->dataplane, request->clear);
    return switch_counters_json(s, request);
}

static json_t *answer(struct switch_app *app, const struct switch_request *request)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    json_t *reply = NULL;
    switch (request->command) {
    case SWITCH_COUNTERS:
        return answer_counters(app, request, &error);
    case SWITCH_SET:
        return switch_set(app, request->key, request->value, &reply, &error) ? reply : error_json(&error);
    case SWITCH_TRACE: {
        bool good = request->start
                        ? switch_trace_start(&app->trace, app->dataplane, request->memory, request->path, &error)
                        : switch_trace_stop(&app->trace, app->dataplane, &error);
        if (!good)
            return error_json(&error);
        return json_pack("{s:b, s:o, s:I}", "ok", 1, "path", output_json_string(app->trace.path), "bytes",
                         (json_int_t)atomic_load(&app->trace.taken));
    }
    case SWITCH_STOP:
        app->stop = true;
        return json_pack("{s:b}", "ok", 1);
    default:
        return switch_status_json(app);
    }
}

/* The reply as a line, given to the connection. */
static void send_line(struct loop_connection *connection, json_t *reply, bool close)
{
    char *text = reply != NULL ? json_dumps(reply, JSON_COMPACT) : NULL;
    size_t size = text != NULL ? strlen(text) : 0;
    if (text != NULL)
        text[size] = '\n'; /* takes the place of the terminator */
    json_decref(reply);
    loop_reply(connection, text, size + 1, close);
}

size_t switch_take_request(void *context, struct loop_connection *connection, const char *bytes, size_t count)
{
    struct switch_app *app = context;
    struct switch_request request;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const char *end = memchr(bytes, '\n', count);
    if (end == NULL && count < SWITCH_REQUEST_MAX)
        return 0;
    if (end == NULL) {
        weir_fail(&error, WEIR_ERROR_INPUT, "a request of more than %u bytes (expected one line)", SWITCH_REQUEST_MAX);
        send_line(connection, error_json(&error), true);
        return count;
    }
    size_t length = (size_t)(end - bytes);
    bool good = switch_request_parse(bytes, length, &request, &error);
    send_line(connection, good ? answer(app, &request) : error_json(&error), false);
    return length + 1;
}

size_t switch_take_http(void *context, struct loop_connection *connection, const char *bytes, size_t count)
{
    struct switch_app *app = context;
    uint32_t status = switch_http_look(bytes, count);
    size_t size = 0;
    if (status == 0)
        return 0;
    if (status == 200)
        switch_snapshot_take(&app->snapshot, app->dataplane);
    app->snapshot.restarts = app->supervised != NULL ? app->supervised->restarts : 0;
    char *response = switch_http_response(status, &app->snapshot, &size);
    loop_reply(connection, response, size, true);
    return count;
}
