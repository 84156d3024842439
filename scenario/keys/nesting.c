/*
 * nesting.c - looks at the names of a whole file before any value is read: of two mistakes the misspelled name is told
 * first, since the other often follows from it.
 */
#include <string.h>

#include "scenario/keys/section.h"

/* The kind that a map says it has; false: a word that is not a kind. */
static bool find_kind(const struct section *section, const struct node *map, uint32_t *kind)
{
    const struct node *word = node_find(map, "kind");
    const struct section_kinds kinds = section_kinds(section);
    *kind = kinds.names[0] == NULL ? 0 : SECTION_ANY_KIND;
    if (kinds.names[0] == NULL || word == NULL)
        return true;
    for (*kind = 0; kinds.names[*kind] != NULL; ++*kind)
        if (word->kind == NODE_SCALAR && strcmp(kinds.names[*kind], word->text) == 0)
            return true;
    return false;
}

/* The key of that name which holds sections; false: none does. */
static bool find_nesting(const struct section *section, const char *name, struct key *key)
{
    for (uint32_t i = 0; section_key(section, i, key); i++)
        if (key->of != NULL && strcmp(key->name, name) == 0)
            return true;
    return false;
}

bool section_check_nested(struct reader *reader, const struct section *section, const struct node *map)
{
    uint32_t kind;
    if (section->keys_are_paths || map->kind != NODE_MAP || !find_kind(section, map, &kind))
        return true;
    bool good = section_check_known(reader, section, map, kind);
    if (!good && !reader_goes_on(reader))
        return false;
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        struct key key;
        if (!find_nesting(section, child->key, &key))
            continue;
        const struct node *item = key.nesting != KEY_ONE_SECTION ? child->first : child;
        for (; item != NULL; item = key.nesting != KEY_ONE_SECTION ? item->next : NULL) {
            if (section_check_nested(reader, key.of, item))
                continue;
            good = false;
            if (!reader_goes_on(reader))
                return false;
        }
    }
    return good;
}
