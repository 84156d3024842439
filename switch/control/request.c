/*
 * request.c - see request.h. A request is read by a table of its members, so that each of them is known
 * to one place and a wrong one gets the nearest name.
 */
#include "switch/control/request.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 40 /* bytes of a foreign text in a message */

static const char *const command_names[] = {"status", "counters", "set", "trace", "stop", NULL};
static const char *const view_names[] = {"periodic", "user", "persistent", NULL};
static const char *const action_names[] = {"stop", "start", NULL};

const char *switch_view_name(enum weir_watermark_view view)
{
    return view_names[view];
}

static bool fail_name(struct weir_error *error, const char *what, const char *typed, const char *const *names)
{
    size_t count = 0;
    char all[128] = "";
    for (size_t used = 0; names[count] != NULL; count++)
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count > 0 ? ", " : "", names[count]);
    const char *nearest = weir_nearest_name(typed, names, count);
    if (nearest != NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "unknown %s '%.*s' (did you mean '%s'?)", what, SHOWN, typed,
                         nearest);
    return weir_fail(error, WEIR_ERROR_INPUT, "unknown %s '%.*s' (expected %s)", what, SHOWN, typed, all);
}

static bool take_word(const json_t *value, const char *member, const char *const *names, uint32_t *index,
                      struct weir_error *error)
{
    const char *word = json_string_value(value);
    if (word == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "%s: no text is here (expected %s, ...)", member, names[0]);
    for (*index = 0; names[*index] != NULL; ++*index)
        if (strcmp(names[*index], word) == 0)
            return true;
    return fail_name(error, member, word, names);
}

static bool take_number(const json_t *value, const char *member, uint32_t *number, struct weir_error *error)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT16_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "%s: no number is here (expected an integer from 0 to %u)", member,
                         UINT16_MAX);
    *number = (uint32_t)json_integer_value(value);
    return true;
}

static bool take_text(const json_t *value, const char *member, char *text, size_t room, struct weir_error *error)
{
    const char *given = json_string_value(value);
    if (given == NULL || given[0] == '\0')
        return weir_fail(error, WEIR_ERROR_INPUT, "%s: no text is here", member);
    if (strlen(given) >= room)
        return weir_fail(error, WEIR_ERROR_INPUT, "%s: too long (expected at most %zu bytes)", member, room - 1);
    memcpy(text, given, strlen(given) + 1);
    return true;
}

enum member { MEMBER_COMMAND, MEMBER_PORT, MEMBER_CLASS, MEMBER_CLEAR, MEMBER_KEY, MEMBER_VALUE };
enum { MEMBER_ACTION = MEMBER_VALUE + 1, MEMBER_MEMORY, MEMBER_PATH, MEMBERS };

static const struct {
    const char *name;
    uint32_t commands; /* bit c: command c may have it */
} members[MEMBERS] = {
    [MEMBER_COMMAND] = {"command", (1u << SWITCH_COMMANDS) - 1},
    [MEMBER_PORT] = {"port", 1u << SWITCH_COUNTERS},
    [MEMBER_CLASS] = {"class", 1u << SWITCH_COUNTERS},
    [MEMBER_CLEAR] = {"clear", 1u << SWITCH_COUNTERS},
    [MEMBER_KEY] = {"key", 1u << SWITCH_SET},
    [MEMBER_VALUE] = {"value", 1u << SWITCH_SET},
    [MEMBER_ACTION] = {"action", 1u << SWITCH_TRACE},
    [MEMBER_MEMORY] = {"memory", 1u << SWITCH_TRACE},
    [MEMBER_PATH] = {"path", 1u << SWITCH_TRACE},
};

static bool find_member(const struct switch_request *request, const char *name, uint32_t *member,
                        struct weir_error *error)
{
    const char *names[MEMBERS + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        if (!(members[i].commands >> request->command & 1))
            continue;
        names[count++] = members[i].name;
        if (strcmp(members[i].name, name) == 0) {
            *member = i;
            return true;
        }
    }
    names[count] = NULL;
    return fail_name(error, "member", name, names);
}

static bool take_member(struct switch_request *r, uint32_t member, const json_t *value, struct weir_error *error)
{
    const char *name = members[member].name;
    uint32_t word = 0;
    switch (member) {
    case MEMBER_PORT:
        r->has_port = true;
        return take_number(value, name, &r->port, error);
    case MEMBER_CLASS:
        r->has_class = true;
        return take_number(value, name, &r->tc, error);
    case MEMBER_CLEAR:
        r->has_clear = take_word(value, name, view_names, &word, error);
        r->clear = r->has_clear ? (enum weir_watermark_view)word : WEIR_WM_PERIODIC;
        return r->has_clear;
    case MEMBER_KEY:
        return take_text(value, name, r->key, sizeof r->key, error);
    case MEMBER_VALUE:
        return take_text(value, name, r->value, sizeof r->value, error);
    case MEMBER_ACTION:
        if (!take_word(value, name, action_names, &word, error))
            return false;
        r->start = word == 1;
        return true;
    case MEMBER_MEMORY:
        return take_number(value, name, &r->memory, error);
    case MEMBER_PATH:
        return take_text(value, name, r->path, sizeof r->path, error);
    default: /* the command itself has been read */
        return true;
    }
}

static bool read_object(json_t *object, struct switch_request *request, struct weir_error *error)
{
    const char *name;
    json_t *value;
    uint32_t command = 0, member = 0;
    if (!json_is_object(object))
        return weir_fail(error, WEIR_ERROR_INPUT, "no request (expected an object such as {\"command\":\"status\"})");
    value = json_object_get(object, "command");
    if (value == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "'command' is missing (expected status, counters, set, trace or stop)");
    if (!take_word(value, "command", command_names, &command, error))
        return false;
    request->command = (enum switch_command)command;
    json_object_foreach(object, name, value)
    {
        if (!find_member(request, name, &member, error) || !take_member(request, member, value, error))
            return false;
    }
    /* What a command cannot do without. */
    if (request->command == SWITCH_SET && (request->key[0] == '\0' || request->value[0] == '\0'))
        return weir_fail(error, WEIR_ERROR_INPUT, "set: 'key' or 'value' is missing (expected both)");
    if (request->command == SWITCH_TRACE && json_object_get(object, "action") == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "trace: 'action' is missing (expected start or stop)");
    if (request->command == SWITCH_TRACE && request->start && request->path[0] != '/')
        return weir_fail(error, WEIR_ERROR_INPUT, "trace: 'path' is missing or relative (expected one from the root)");
    if (request->command == SWITCH_TRACE && !request->start && request->path[0] != '\0')
        return weir_fail(error, WEIR_ERROR_INPUT, "trace: 'path' does not go with stop");
    return true;
}

bool switch_request_parse(const char *line, size_t length, struct switch_request *request, struct weir_error *error)
{
    json_error_t problem = {.text = "out of memory"};
    *request = (struct switch_request){.command = SWITCH_STATUS};
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &problem);
    if (object == NULL)
        return weir_fail(error, WEIR_ERROR_INPUT, "not JSON: column %d: %.150s", problem.column, problem.text);
    bool good = read_object(object, request, error);
    json_decref(object);
    return good;
}
