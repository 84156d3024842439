/*
 * numbers.c - what `dataplane` says in numbers: processors, the DSCP and priorities of each class, and addresses.
 */
#include <string.h>

#include "scenario/read/dataplane_settings.h"
#include "scenario/yaml/decimal.h"

static bool parse_number(const char *text, char end, uint32_t most, uint32_t *value, const char **rest)
{
    struct decimal number;
    if (!decimal_read(text, &number) || number.negative || number.one != 1 || *number.rest != end ||
        number.mantissa > most)
        return false;
    *value = (uint32_t)number.mantissa;
    *rest = number.rest;
    return true;
}

/* "3" or "0-7". */
static bool parse_stretch(const char *text, uint32_t most, uint32_t *first, uint32_t *last)
{
    const char *rest;
    if (parse_number(text, '\0', most, first, &rest)) {
        *last = *first;
        return true;
    }
    return parse_number(text, '-', most, first, &rest) && parse_number(rest + 1, '\0', most, last, &rest) &&
           *first <= *last;
}

static bool holds_number(const struct numbers *numbers, uint32_t number)
{
    for (uint32_t i = 0; i < numbers->count; i++)
        if (numbers->at[i] == number)
            return true;
    return false;
}

bool read_numbers(struct reader *reader, const struct read_numbers *what, const struct node *node,
                  struct numbers *numbers)
{
    const struct node *item = node->kind == NODE_LIST ? node->first : node;
    uint32_t first, last;
    numbers->count = 0;
    if (item == NULL)
        return reader_fail(reader, node, "%s: the list is empty (expected at least one number)", what->name);
    for (; item != NULL; item = node->kind == NODE_LIST ? item->next : NULL) {
        if (!reader_expect(reader, item, NODE_SCALAR, what->name))
            return false;
        if (!parse_stretch(item->text, what->most, &first, &last))
            return reader_fail(reader, item,
                               "%s: '%s' is not possible (expected 0 to %u: one, a range such as 2-5, or a list)",
                               what->name, error_text(item->text).text, what->most);
        for (uint32_t number = first; number <= last; number++) {
            if (holds_number(numbers, number))
                return reader_fail(reader, item, "%s: %u is here twice", what->name, number);
            if (numbers->count == NUMBERS_MAX)
                return reader_fail(reader, node, "%s: more than %u numbers", what->name, NUMBERS_MAX);
            numbers->at[numbers->count++] = number;
        }
    }
    return true;
}

struct node *numbers_show(struct reader *reader, const struct numbers *numbers)
{
    char text[32];
    struct node *list = node_collection(reader->arena, NODE_LIST);
    for (uint32_t i = 0, end; i < numbers->count; i = end) {
        for (end = i + 1; end < numbers->count && numbers->at[end] == numbers->at[end - 1] + 1; end++)
            continue;
        snprintf(text, sizeof text, end - i > 1 ? "%u-%u" : "%u", numbers->at[i], numbers->at[end - 1]);
        struct node *value = node_scalar(reader->arena, text);
        if (i == 0 && end == numbers->count)
            return value;
        if (node_add(list, value) == NULL)
            return NULL;
    }
    return list;
}

bool read_class_map(struct reader *reader, const struct read_numbers *what, const struct node *node, uint8_t *class_of)
{
    struct numbers all = {.count = 0}, some;
    uint32_t tc;
    const char *rest;
    if (!reader_expect(reader, node, NODE_MAP, what->name))
        return false;
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        uint32_t most = what->keys != NULL ? what->keys_most : reader->classes - 1;
        if (!parse_number(child->key, '\0', most, &tc, &rest))
            return error_at(reader->error, child->key_mark, "%s: '%s' is not a %s (expected 0 to %u%s)", what->name,
                            error_text(child->key).text, what->keys != NULL ? what->keys : "class", most,
                            what->keys != NULL ? "" : ", the classes of the switch");
        if (!read_numbers(reader, what, child, &some))
            return false;
        for (uint32_t i = 0; i < some.count; i++) {
            if (holds_number(&all, some.at[i]))
                return reader_fail(reader, child, "%s: %u is of %s %u already", what->name, some.at[i],
                                   what->keys != NULL ? what->keys : "class", class_of[some.at[i]]);
            all.at[all.count++] = some.at[i];
            class_of[some.at[i]] = (uint8_t)tc;
        }
    }
    return true;
}

struct node *numbers_show_class_map(struct reader *reader, uint32_t most, const uint8_t *class_of)
{
    struct node *map = node_collection(reader->arena, NODE_MAP);
    char name[16];
    for (uint32_t tc = 0; tc < reader->classes; tc++) {
        struct numbers numbers = {.count = 0};
        for (uint32_t number = 0; number <= most; number++)
            if (class_of[number] == tc)
                numbers.at[numbers.count++] = number;
        if (numbers.count == 0)
            continue;
        snprintf(name, sizeof name, "%u", tc);
        const char *key = arena_text(reader->arena, name, strlen(name));
        if (key == NULL || node_add_key(map, key, numbers_show(reader, &numbers)) == NULL)
            return NULL;
    }
    return map;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

static bool read_address(struct build *build, const struct node *child, struct dataplane_config *config,
                         struct dataplane_address *addresses)
{
    struct reader *reader = &build->reader;
    struct dataplane_address *address = &addresses[config->address_count];
    const char *rest;
    /* "02:00:00:00:00:01": of one station. */
    const char *text = child->key;
    if (strlen(text) != 17)
        return error_at(reader->error, child->key_mark,
                        "addresses: '%s' is not a unicast address (expected six bytes such as 02:00:00:00:00:01)",
                        error_text(child->key).text);
    for (uint32_t i = 0; i < 6; i++) {
        int high = hex_digit(text[3 * i]), low = hex_digit(text[3 * i + 1]);
        if (high < 0 || low < 0 || (i < 5 && text[3 * i + 2] != ':'))
            return error_at(reader->error, child->key_mark,
                            "addresses: '%s' is not a unicast address (expected six bytes such as 02:00:00:00:00:01)",
                            error_text(child->key).text);
        address->mac[i] = (uint8_t)(high * 16 + low);
    }
    static const uint8_t zero[6] = {0};
    if (!(!(address->mac[0] & 1) && memcmp(address->mac, zero, sizeof zero) != 0))
        return error_at(reader->error, child->key_mark,
                        "addresses: '%s' is not a unicast address (expected six bytes such as 02:00:00:00:00:01)",
                        error_text(child->key).text);
    for (uint32_t i = 0; i < config->address_count; i++)
        if (memcmp(addresses[i].mac, address->mac, sizeof address->mac) == 0)
            return error_at(reader->error, child->key_mark, "addresses: %s is here twice", child->key);
    if (!reader_expect(reader, child, NODE_SCALAR, "addresses"))
        return false;
    if (!parse_number(child->text, '\0', build->scenario->topology.hosts - 1, &address->port, &rest))
        return reader_fail(reader, child, "addresses: '%s' is not a port (expected 0 to %u, one per host)",
                           error_text(child->text).text, build->scenario->topology.hosts - 1);
    config->address_count++;
    return true;
}

bool read_addresses(struct build *build, const struct node *node, struct dataplane_config *config)
{
    if (!reader_expect(&build->reader, node, NODE_MAP, "addresses"))
        return false;
    struct dataplane_address *addresses = arena_take_array(build->reader.arena, node->count, sizeof *addresses);
    if (addresses == NULL)
        return weir_fail_memory(build->reader.error);
    config->addresses = addresses;
    for (const struct node *child = node->first; child != NULL; child = child->next)
        if (!read_address(build, child, config, addresses))
            return false;
    return true;
}

struct node *numbers_show_addresses(struct reader *reader, const struct dataplane_config *config)
{
    struct node *map = node_collection(reader->arena, NODE_MAP);
    char text[32], port[16];
    for (uint32_t i = 0; i < config->address_count; i++) {
        const uint8_t *mac = config->addresses[i].mac;
        snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
        snprintf(port, sizeof port, "%u", config->addresses[i].port);
        const char *key = arena_text(reader->arena, text, strlen(text));
        if (key == NULL || node_add_key(map, key, node_scalar(reader->arena, port)) == NULL)
            return NULL;
    }
    return map;
}
