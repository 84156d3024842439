/*
 * redact.c - see redact.h.
 *
 * What is kept is known to be harmless; everything else goes. Of tables about buffers: numbers, lengths, words that the
 * field takes, and names made of the words of SONiC's own templates, such as pg_lossless_100000_300m_profile or
 * Ethernet0. Another name becomes name1, name2, ..., the same wherever it stands, and keeps "lossless", by which pools
 * and profiles are told apart. Fields that say nothing about buffers are left out; a field that the table does not have
 * stays without its value, since it is a finding. Of other tables only their name and how many entries they have is
 * left.
 */
#include "operate/redact.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/config/config_parts.h"

#define GONE "redacted"
#define WORD_MAX 24u
#define NUMBERS_MAX 3u /* in a name: four may be an address */
#define DIGITS_MAX 9u

struct redaction {
    struct sonic_list names; /* of char *: the i-th is name<i + 1> */
    bool is_short;           /* of memory */
};

/* Words of names in SONiC's templates, by which nobody can be told. */
static bool is_word(const char *word, size_t length)
{
    static const char *const words[] = {
        "Asic",    "AZURE",    "CPU",       "DWRR",     "ECN",    "Ethernet", "GLOBAL",  "LOSSLESS", "NULL",
        "STRICT",  "TC",       "WRED",      "WRR",      "alert",  "asic",     "both",    "bytes",    "default",
        "down",    "drop",     "dscp",      "dynamic",  "egress", "forward",  "from",    "global",   "green",
        "ingress", "llr",      "localhost", "lossless", "lossy",  "m",        "map",     "mtu",      "off",
        "on",      "packets",  "pfc",       "pg",       "pool",   "port",     "profile", "q",        "queue",
        "red",     "reserved", "scheduler", "shared",   "static", "tc",       "th",      "to",       "traditional",
        "trim",    "up",       "uplink",    "wred",     "yellow", "zero",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

/* Of known words, and of few numbers between them. */
static bool is_public(const char *text, size_t length)
{
    uint32_t words = 0, numbers = 0;
    for (size_t at = 0; at < length;) {
        size_t start = at;
        if (isdigit((unsigned char)text[at])) {
            while (at < length && isdigit((unsigned char)text[at]))
                at++;
            numbers += at - start <= DIGITS_MAX ? 1 : NUMBERS_MAX + 1;
        } else if (isalpha((unsigned char)text[at])) {
            while (at < length && isalpha((unsigned char)text[at]))
                at++;
            if (at - start > WORD_MAX || !is_word(text + start, at - start))
                return false;
            words++;
        } else if (strchr("_-.", text[at++]) == NULL) {
            return false;
        }
    }
    return words > 0 && numbers <= NUMBERS_MAX;
}

/* "3", "-8", "3-4". */
static bool is_number(const char *text, size_t length)
{
    size_t at = length > 1 && text[0] == '-' ? 1 : 0, digits = strspn(text + at, "0123456789");
    if (digits == 0 || at + digits > length)
        return false;
    at += digits;
    if (at < length && text[at] == '-' && digits < 3) {
        digits = strspn(text + at + 1, "0123456789");
        at += 1 + digits;
        return at == length && digits > 0 && digits < 3;
    }
    return at == length;
}

/* Which of the names it is, from 1; 0: out of memory. */
static uint32_t number_of(struct redaction *redaction, const char *name, size_t length)
{
    char **names = redaction->names.at;
    for (uint32_t i = 0; i < redaction->names.count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return i + 1;
    char *copy = strndup(name, length), **added = copy != NULL ? sonic_list_add(&redaction->names, sizeof copy) : NULL;
    if (added == NULL) {
        free(copy);
        redaction->is_short = true;
        return 0;
    }
    *added = copy;
    return redaction->names.count;
}

static bool contains(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(text + i, word, size) == 0)
            return true;
    return false;
}

static bool is_length(const char *text, size_t length)
{
    char copy[WORD_MAX];
    double metres;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return sonic_read_metres(copy, &metres);
}

/* One name of a key or value. */
static void put_token(struct redaction *redaction, FILE *out, const char *text, size_t length)
{
    if (length == 0)
        return;
    if (is_number(text, length) || is_length(text, length) || is_public(text, length)) {
        fwrite(text, 1, length, out);
        return;
    }
    const char *prefix = length >= 12 && memcmp(text, "pg_lossless_", 12) == 0 ? "pg_lossless_"
                         : contains(text, length, "lossless")                  ? "lossless_"
                                                                               : "";
    fprintf(out, "%sname%u", prefix, number_of(redaction, text, length));
}

/* Name by name: what separates them stays, and so does the table of an old reference. To be freed; null: no memory. */
static char *redact_text(struct redaction *redaction, const char *text)
{
    char *copy = NULL;
    size_t size;
    FILE *out = open_memstream(&copy, &size);
    if (out == NULL) {
        redaction->is_short = true;
        return NULL;
    }
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "[]|, ");
        bool is_table =
            at > text && at[-1] == '[' && at[length] == '|' && strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == length;
        if (is_table)
            fwrite(at, 1, length, out);
        else
            put_token(redaction, out, at, length);
        at += length;
        if (*at != '\0')
            fputc(*at++, out);
    }
    redaction->is_short |= ferror(out) != 0;
    redaction->is_short |= fclose(out) != 0;
    return copy;
}

static void set_value(struct redaction *redaction, json_t *into, const char *name, json_t *value)
{
    redaction->is_short |= value == NULL || json_object_set_new(into, name, value) != 0;
}

static json_t *redact_value(struct redaction *redaction, json_t *value)
{
    if (!json_is_string(value))
        return json_is_integer(value) ? json_incref(value) : json_null();
    char *text = redact_text(redaction, json_string_value(value));
    json_t *copy = text != NULL ? json_string(text) : NULL;
    free(text);
    return copy;
}

/* Whether it is all of these characters, and not long: a word of a schema, not somebody's. */
static bool is_plain(const char *name, const char *characters)
{
    size_t length = strlen(name);
    return length > 0 && length < 48 && strspn(name, characters) == length;
}

/* A name that is no reference, in room for it unless it is plain. */
static const char *plain_name(struct redaction *redaction, const char *name, const char *characters, char other[32])
{
    if (is_plain(name, characters))
        return name;
    snprintf(other, 32, "name%u", number_of(redaction, name, strlen(name)));
    return other;
}

static void redact_field(struct redaction *redaction, const struct sonic_table *table, json_t *into, const char *name,
                         json_t *value)
{
    if (table->fields == NULL) { /* a map, or cables of ports */
        char *key = redact_text(redaction, name);
        if (key != NULL)
            set_value(redaction, into, key, redact_value(redaction, value));
        free(key);
        return;
    }
    for (const struct sonic_field *field = table->fields; field->name != NULL; field++)
        if (strcmp(field->name, name) == 0) {
            bool is_word = json_is_string(value) && sonic_find_word(field, json_string_value(value)) > 0;
            if (field->kind != SONIC_FIELD_IGNORED)
                set_value(redaction, into, name, is_word ? json_incref(value) : redact_value(redaction, value));
            return;
        }
    char other[32];
    if (!table->has_others) /* it may be misspelt */
        set_value(redaction, into, plain_name(redaction, name, "abcdefghijklmnopqrstuvwxyz_", other),
                  json_string(GONE));
}

static json_t *redact_entry(struct redaction *redaction, const struct sonic_table *table, json_t *entry)
{
    json_t *copy = json_object(), *value;
    const char *name;
    if (!json_is_object(entry)) {
        json_decref(copy);
        return json_string(GONE);
    }
    json_object_foreach(entry, name, value) redact_field(redaction, table, copy, name, value);
    return copy;
}

static json_t *redact_table(struct redaction *redaction, const struct sonic_table *table, json_t *entries)
{
    json_t *copy = json_object(), *entry;
    const char *key;
    uint32_t count = 0;
    if (!json_is_object(entries)) {
        json_decref(copy);
        return json_string(GONE);
    }
    json_object_foreach(entries, key, entry)
    {
        char number[16], *name = NULL;
        snprintf(number, sizeof number, "%u", ++count);
        if (table != NULL)
            name = redact_text(redaction, key);
        set_value(redaction, copy, name != NULL ? name : number,
                  table != NULL ? redact_entry(redaction, table, entry) : json_object());
        free(name);
    }
    return copy;
}

json_t *sonic_redact(const struct sonic_model *model)
{
    struct redaction redaction = {.is_short = false};
    json_t *tree = sonic_config_tree(model->config), *copy = json_object(), *entries;
    const char *name;
    redaction.is_short = tree == NULL || copy == NULL;
    json_object_foreach(tree, name, entries)
    {
        const struct sonic_table *table = NULL;
        char other[32];
        for (uint32_t id = 0; id < SONIC_TABLES; id++)
            if (strcmp(sonic_tables[id].name, name) == 0)
                table = &sonic_tables[id];
        set_value(&redaction, copy, plain_name(&redaction, name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_", other),
                  redact_table(&redaction, table, entries));
    }
    /* The chip is found by these; of a board that nothing knows they say only who made it. */
    json_t *entry, *device = json_object_get(copy, sonic_table_name(SONIC_DEVICE_METADATA));
    const char *key;
    json_object_foreach(device, key, entry)
    {
        const struct sonic_device *own = SONIC_COUNT(model->config, SONIC_DEVICE_METADATA) > 0
                                             ? SONIC_AT(model->config, sonic_device, SONIC_DEVICE_METADATA, 0)
                                             : NULL;
        if (own == NULL || model->platform.name == NULL || model->given.platform != NULL || !json_is_object(entry))
            continue;
        if (own->hwsku != NULL)
            json_object_set_new(entry, "hwsku", json_string(own->hwsku));
        if (own->platform != NULL)
            json_object_set_new(entry, "platform", json_string(own->platform));
    }
    for (uint32_t i = 0; i < redaction.names.count; i++)
        free(((char **)redaction.names.at)[i]);
    free(redaction.names.at);
    json_decref(tree);
    if (redaction.is_short) {
        json_decref(copy);
        return NULL;
    }
    return copy;
}
