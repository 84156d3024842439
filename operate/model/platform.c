/*
 * platform.c - reads and finds platforms: see platform.h.
 */
#include "operate/model/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/data_folder.h"
#include "scenario/keys/key.h"
#include "scenario/yaml/document.h"

#define PLATFORM_BYTES_MAX (1u << 20)
#define PATH_ROOM 4096u

static const char *const xoff_words[] = {"unknown", "inside", "outside", NULL};
static const char *const egress_words[] = {"own", "ingress", NULL};
static const char *const resume_words[] = {"limit", "drained", "xon", NULL};
static const char *const port_words[] = {"beside", "nested", "none", NULL};
static const char *const cap_words[] = {"group", "port", NULL};
static const char *const kind_words[] = {"shared", "voq", "unmodelled", NULL};

#define FIELD(of) KEY_FIELD(struct platform, of)
#define MEMORY_MAX (INT64_C(1) << 40)
#define KIB_MAX (1024 * KEY_BILLION)

/* The keys of a file, whose values are maps {value: ..., source: ...}. Names are those of SONiC's ASIC_TABLE. */
static const struct key keys[] = {
    {.name = "cell_size", .kind = KEY_SPACE, .min = 1, .max = 65535, FIELD(cell)},
    {.name = "mmu_size", .kind = KEY_SPACE, .min = 1, .max = MEMORY_MAX, FIELD(mmu)},
    {.name = "pipes", .kind = KEY_COUNT, .min = 1, .max = 64, FIELD(pipes)},
    {.name = "xoff", .kind = KEY_CHOICE, .choices = xoff_words, FIELD(xoff)},
    {.name = "headroom", .kind = KEY_CHOICE, .choices = xoff_words, FIELD(headroom)},
    {.name = "group_minimums", .kind = KEY_CHOICE, .choices = xoff_words, FIELD(group_minimums)},
    {.name = "queue_minimums", .kind = KEY_CHOICE, .choices = xoff_words, FIELD(queue_minimums)},
    {.name = "egress_minimums", .kind = KEY_CHOICE, .choices = xoff_words, FIELD(egress_minimums)},
    {.name = "egress_shared", .kind = KEY_CHOICE, .choices = egress_words, FIELD(egress_shared)},
    {.name = "resume", .kind = KEY_CHOICE, .choices = resume_words, FIELD(resume)},
    {.name = "port_alpha", .kind = KEY_CHOICE, .choices = port_words, FIELD(port_alpha)},
    {.name = "kind", .kind = KEY_CHOICE, .choices = kind_words, FIELD(kind)},
    {.name = "headroom_cap", .kind = KEY_CHOICE, .choices = cap_words, FIELD(headroom_cap)},
    {.name = "headroom_overhead", .kind = KEY_COUNT, .max = 65535, FIELD(headroom_overhead)},
    {.name = "headroom_overhead_wide", .kind = KEY_COUNT, .max = 65535, FIELD(headroom_overhead_wide)},
    {.name = "pipeline_latency", .kind = KEY_REAL, .max = KIB_MAX, FIELD(pipeline_latency)},
    {.name = "mac_phy_delay", .kind = KEY_REAL, .max = KIB_MAX, FIELD(mac_phy_delay)},
    {.name = "peer_response_time", .kind = KEY_REAL, .max = KIB_MAX, FIELD(peer_response_time)},
    {.name = "gearbox_delay", .kind = KEY_COUNT, .max = 1000000, FIELD(gearbox_delay)},
    {.name = "tile_delay", .kind = KEY_COUNT, .max = 1000000, FIELD(tile_delay)},
    {.name = "extra_xoff", .kind = KEY_SPACE, .max = MEMORY_MAX, FIELD(extra_xoff)},
    {.name = "port_max_shp", .kind = KEY_COUNT, .max = MEMORY_MAX, FIELD(port_max_shp)},
    {.name = "port_reserved_shp", .kind = KEY_COUNT, .max = MEMORY_MAX, FIELD(port_reserved_shp)},
    {.name = "max_headroom_size", .kind = KEY_SPACE, .max = MEMORY_MAX, FIELD(max_headroom)},
    {.name = "mirror_headroom", .kind = KEY_SPACE, .max = MEMORY_MAX, FIELD(mirror_headroom)},
    {.name = "descriptor_pool", .kind = KEY_SPACE, .max = MEMORY_MAX, FIELD(descriptor_pool)},
};
#define KEYS KEYS_COUNT(keys)

void platform_init(struct platform *platform)
{
    *platform = (struct platform){.name = NULL};
    for (uint32_t i = 0; i < KEYS; i++)
        *(int64_t *)((char *)platform + keys[i].offset) = keys[i].kind == KEY_CHOICE ? 0 : SONIC_ABSENT;
}

static const struct key *find_key(const char *name)
{
    for (uint32_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

const char *platform_text(const struct platform *platform, const char *name, char text[64])
{
    const struct key *key = find_key(name);
    int64_t value = *(const int64_t *)((const char *)platform + key->offset);
    if (value == SONIC_ABSENT)
        snprintf(text, 64, "unknown");
    else
        key_format(key, &(struct key_scale){.hosts = 0}, value, text);
    return text;
}

double platform_kib_bytes(int64_t billionths)
{
    return billionths == SONIC_ABSENT ? 0 : (double)billionths / (double)KEY_BILLION * 1024;
}

/* {value: 208B, source: "..."} */
static bool read_value(struct platform *platform, const struct node *node, struct weir_error *error)
{
    const struct key *key = find_key(node->key);
    const char *names[KEYS + 1];
    for (uint32_t i = 0; i < KEYS; i++)
        names[i] = keys[i].name;
    names[KEYS] = NULL;
    if (key == NULL)
        return error_at(error, node->key_mark, "unknown key '%s'%s", error_text(node->key).text,
                        error_hint(node->key, names).text);
    const struct node *value = node->kind == NODE_MAP ? node_find(node, "value") : NULL;
    const struct node *source = node->kind == NODE_MAP ? node_find(node, "source") : NULL;
    if (value == NULL || value->kind != NODE_SCALAR || source == NULL || source->kind != NODE_SCALAR ||
        node->count != 2)
        return error_at(error, node->mark, "%s: expected {value: ..., source: ...}", key->name);
    if (key_parse(key, &(struct key_scale){.hosts = 0}, value->text, (int64_t *)((char *)platform + key->offset),
                  error))
        return true;
    weir_fail_within(error, "%s: ", key->name);
    return weir_fail_at(error, value->mark.origin, value->mark.line, value->mark.column);
}

/* The texts of a list, blanks between them. */
static const char *join(struct arena *arena, const struct node *list)
{
    size_t length = 1;
    for (const struct node *item = list->first; item != NULL; item = item->next)
        length += (item->kind == NODE_SCALAR ? strlen(item->text) : 0) + 1;
    char *text = arena_take(arena, length);
    size_t used = 0;
    for (const struct node *item = list->first; text != NULL && item != NULL; item = item->next)
        if (item->kind == NODE_SCALAR)
            used += (size_t)snprintf(text + used, length - used, "%s%s", used > 0 ? " " : "", item->text);
    return text;
}

static bool read_root(struct platform *platform, struct arena *arena, const struct node *root, const char **patterns,
                      struct weir_error *error)
{
    *patterns = platform->port_alpha_off = "";
    for (const struct node *node = root->first; node != NULL; node = node->next) {
        bool is_name = strcmp(node->key, "platform") == 0, is_boards = strcmp(node->key, "boards") == 0;
        bool is_list = is_boards || strcmp(node->key, "port_alpha_off") == 0;
        if (is_name && node->kind == NODE_SCALAR) {
            platform->name = arena_text(arena, node->text, strlen(node->text));
        } else if (is_list && node->kind == NODE_LIST) {
            *(is_boards ? patterns : &platform->port_alpha_off) = join(arena, node);
        } else if (is_name || is_list) {
            return error_at(error, node->mark, "%s: expected %s", node->key, is_name ? "a name" : "a list");
        } else if (strcmp(node->key, "about") != 0 && !read_value(platform, node, error)) {
            return false;
        }
        if ((is_name && platform->name == NULL) || *patterns == NULL || platform->port_alpha_off == NULL)
            return weir_fail_memory(error);
    }
    return platform->name != NULL || error_at(error, root->mark, "key 'platform' is missing (expected a name)");
}

/* Reads the text of a file. `patterns`: the hwskus and boards that it is for, joined by blanks. */
static bool platform_read(struct platform *platform, struct arena *arena, const char *origin, const char *text,
                          size_t size, const char **patterns, struct weir_error *error)
{
    struct document document;
    platform_init(platform);
    bool good = document_read(&document, origin, text, size, error) &&
                read_root(platform, arena, document.root, patterns, error);
    document_free(&document);
    platform->file = good ? arena_text(arena, origin, strlen(origin)) : NULL;
    return good && (platform->file != NULL || weir_fail_memory(error));
}

static bool read_path(struct platform *platform, struct sonic_config *config, const char *path, const char **patterns,
                      struct weir_error *error)
{
    FILE *in = fopen(path, "rb");
    char *text = in != NULL ? malloc(PLATFORM_BYTES_MAX) : NULL;
    if (in == NULL && errno != ENOMEM) {
        weir_fail(error, WEIR_ERROR_READ, "cannot open: %s", strerror(errno));
        return weir_fail_at(error, path, 0, 0);
    }
    if (text == NULL) {
        if (in != NULL)
            fclose(in);
        return weir_fail_memory(error);
    }
    size_t size = fread(text, 1, PLATFORM_BYTES_MAX, in);
    fclose(in);
    bool good = platform_read(platform, &config->arena, path, text, size, patterns, error);
    free(text);
    return good;
}

static bool matches(const char *patterns, const char *name)
{
    char pattern[128];
    while (name != NULL && *patterns != '\0') {
        size_t length = strcspn(patterns, " ");
        if (length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0)
                return true;
        }
        patterns += length + (patterns[length] == ' ');
    }
    return false;
}

static int is_yaml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

/* What a file of the folder is asked: is it the one? */
struct search {
    const char *wanted, *board, *hwsku;
    const char *names[64]; /* of those that are there */
    uint32_t count;
    bool found, by_board; /* the board says more than the name of a hwsku */
};

static bool try_file(struct platform *platform, struct sonic_config *config, const char *path, struct search *search,
                     struct weir_error *error)
{
    struct platform one;
    const char *patterns;
    if (!read_path(&one, config, path, &patterns, error))
        return false;
    if (search->count + 1 < sizeof search->names / sizeof search->names[0])
        search->names[search->count++] = one.name;
    bool by_board = search->wanted == NULL && matches(patterns, search->board);
    if (search->wanted != NULL ? strcmp(one.name, search->wanted) == 0
                               : by_board || (!search->found && matches(patterns, search->hwsku))) {
        search->found = true;
        search->by_board = by_board || search->wanted != NULL;
        *platform = one;
        if (search->wanted == NULL && matches(one.port_alpha_off, search->hwsku))
            platform->port_alpha = PLATFORM_PORT_NONE;
    }
    return true;
}

bool platform_find(struct platform *platform, struct sonic_config *config, const char *wanted, struct weir_error *error)
{
    struct search search = {.wanted = wanted};
    const char *patterns;
    platform_init(platform);
    if (wanted != NULL && strchr(wanted, '.') != NULL)
        return read_path(platform, config, wanted, &patterns, error);
    for (uint32_t i = 0; i < SONIC_COUNT(config, SONIC_DEVICE_METADATA) && search.board == NULL; i++) {
        const struct sonic_device *device = SONIC_AT(config, sonic_device, SONIC_DEVICE_METADATA, i);
        search.board = device->platform;
        search.hwsku = device->hwsku;
    }
    if (wanted == NULL && search.board == NULL && search.hwsku == NULL)
        return true;
    const char *named = getenv("WEIR_PLATFORMS");
    errno = 0;
    char *folder = named != NULL && named[0] != '\0' ? strdup(named) : cli_data_folder("platforms");
    struct dirent **entries = NULL;
    int count = folder != NULL ? scandir(folder, &entries, is_yaml, alphasort) : 0;
    if ((folder == NULL || count < 0) && errno == ENOMEM) {
        free(folder);
        return weir_fail_memory(error);
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        char path[PATH_ROOM];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        good = good && (search.by_board || try_file(platform, config, path, &search, error));
        free(entries[i]);
    }
    free(entries);
    free(folder);
    if (!good)
        return false;
    if (wanted == NULL || search.found)
        return true;
    return weir_fail_unknown(error, wanted, "--platform: unknown platform '%s'%s", error_text(wanted).text,
                             error_hint(wanted, search.names).text);
}

const char *platform_unjudged(const struct platform *platform)
{
    return platform->kind == PLATFORM_VOQ ? "VOQ: packets wait at the ingress for their output, so that thresholds of "
                                            "output queues say nothing"
           : platform->kind == PLATFORM_UNMODELLED && platform->cell == SONIC_ABSENT
               ? "no public source says how its buffer is shared (--platform FILE, if you know)"
               : NULL;
}
