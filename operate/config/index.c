/*
 * index.c - entries by name, and by the ports of their keys: what thousands of ports are looked up in. See config.h.
 *
 * A word is the name of an entry or a port of its key; those of one hash are a chain, the latest first. Entries are
 * known by number, since their lists move as they grow.
 */
#include <stdlib.h>
#include <string.h>

#include "operate/config/config_parts.h"

#define BUCKETS_START 256u
#define NO_WORD UINT32_MAX

struct index_word {
    const char *text;
    uint32_t table, number; /* of the entry */
    uint32_t next;
    bool is_port; /* else the name of the entry */
};

static uint32_t bucket_of(const struct sonic_index *index, uint32_t table, bool is_port, const char *text)
{
    uint32_t hash = UINT32_C(2166136261) ^ (2 * table + is_port);
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT32_C(16777619);
    return (hash ^ hash >> 15) & (index->bucket_count - 1);
}

static uint32_t first_of(const struct sonic_index *index, uint32_t table, bool is_port, const char *text)
{
    return index->bucket_count > 0 ? index->buckets[bucket_of(index, table, is_port, text)] : NO_WORD;
}

static bool is_word(const struct index_word *word, uint32_t table, bool is_port, const char *text)
{
    return word->table == table && word->is_port == is_port && strcmp(word->text, text) == 0;
}

static bool grow(struct sonic_index *index)
{
    uint32_t count = index->bucket_count == 0 ? BUCKETS_START : 2 * index->bucket_count;
    uint32_t *buckets = realloc(index->buckets, count * sizeof *buckets);
    if (buckets == NULL)
        return false;
    struct index_word *words = index->words.at;
    index->buckets = buckets;
    index->bucket_count = count;
    memset(buckets, 0xff, count * sizeof *buckets);
    for (uint32_t i = 0; i < index->words.count; i++) {
        uint32_t *bucket = &buckets[bucket_of(index, words[i].table, words[i].is_port, words[i].text)];
        words[i].next = *bucket;
        *bucket = i;
    }
    return true;
}

bool sonic_index_add(struct sonic_config *config, enum sonic_table_id table, const char *text, bool is_port)
{
    struct sonic_index *index = &config->index;
    uint32_t number = config->of[table].count - 1;
    if (index->words.count >= index->bucket_count && !grow(index))
        return false;
    struct index_word *word = sonic_list_add(&index->words, sizeof *word);
    if (word == NULL)
        return false;
    uint32_t *bucket = &index->buckets[bucket_of(index, table, is_port, text)];
    *word = (struct index_word){.text = text, .table = table, .number = number, .next = *bucket, .is_port = is_port};
    *bucket = index->words.count - 1;
    return true;
}

void sonic_index_free(struct sonic_index *index)
{
    free(index->words.at);
    free(index->buckets);
}

static const struct sonic_entry *entry_at(const struct sonic_config *config, enum sonic_table_id table, uint32_t number)
{
    return (const void *)((const char *)config->of[table].at + number * sonic_tables[table].size);
}

const void *sonic_find(const struct sonic_config *config, enum sonic_table_id table, const char *name)
{
    const struct index_word *words = config->index.words.at;
    uint32_t found = NO_WORD;
    for (uint32_t i = name != NULL ? first_of(&config->index, table, false, name) : NO_WORD; i != NO_WORD;
         i = words[i].next)
        if (is_word(&words[i], table, false, name))
            found = i; /* the first of them all counts */
    return found != NO_WORD ? entry_at(config, table, words[found].number) : NULL;
}

const void *sonic_find_use(const struct sonic_config *config, enum sonic_table_id table, const char *port,
                           uint32_t group)
{
    const struct index_word *words = config->index.words.at;
    const struct sonic_entry *found = NULL;
    for (uint32_t i = first_of(&config->index, table, true, port); i != NO_WORD; i = words[i].next) {
        if (!is_word(&words[i], table, true, port))
            continue;
        const struct sonic_entry *entry = entry_at(config, table, words[i].number);
        const struct sonic_key *key = (const void *)((const char *)entry + sonic_tables[table].key_offset);
        if (group >= key->first && group <= key->last && !key->is_remote)
            found = entry;
    }
    return found;
}
