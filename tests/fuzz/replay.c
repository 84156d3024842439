/*
 * replay.c - a fuzz target without a fuzzer: the files of its corpus, among them every finding that was fixed, and
 * mutations of them that are the same each time. The arguments are folders. WEIR_TEST_ROUNDS multiplies the mutations.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/random.h"

#define FILES_MAX 512u
#define BYTES_MAX (1u << 18)
#define ROOM (2 * BYTES_MAX)
#ifndef MUTATIONS
#define MUTATIONS 1000u
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seed {
    uint8_t *bytes;
    size_t size;
};

static struct {
    struct seed seed[FILES_MAX];
    uint32_t seeds;
    uint64_t drawn, runs;
} all;

static uint64_t draw(uint64_t below)
{
    return below > 0 ? weir_hash(1, all.drawn++) % below : 0;
}

static void try_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *own = malloc(size > 0 ? size : 1); /* exactly as large, so that a sanitizer sees what is read beyond */
    if (own == NULL)
        abort();
    memcpy(own, bytes, size);
    LLVMFuzzerTestOneInput(own, size);
    free(own);
    all.runs++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void load(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        FILE *in = entries[i]->d_name[0] != '.' && all.seeds < FILES_MAX ? fopen(path, "rb") : NULL;
        struct seed *seed = &all.seed[all.seeds];
        if (in != NULL && (seed->bytes = malloc(BYTES_MAX)) != NULL) {
            seed->size = fread(seed->bytes, 1, BYTES_MAX, in);
            all.seeds++;
        }
        if (in != NULL)
            fclose(in);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* Where `count` bytes may begin. */
static size_t place(size_t size, size_t count)
{
    return (size_t)draw(size - count + 1);
}

static size_t mutate(uint8_t *bytes, size_t size)
{
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, '\n', '"', '{', '[', ':', '-', '9', ' ', '%'};
    const struct seed *other = &all.seed[draw(all.seeds)];
    size_t count = size > 0 ? 1 + (size_t)draw(size < 16 ? size : 16) : 0, at = place(size, count);
    switch (draw(7)) {
    case 0:
        if (size > 0)
            bytes[draw(size)] ^= (uint8_t)(1u << draw(8));
        return size;
    case 1:
        if (size > 0)
            bytes[draw(size)] = odd[draw(sizeof odd)];
        return size;
    case 2: /* cut */
        return (size_t)draw(size + 1);
    case 3: /* take out */
        memmove(bytes + at, bytes + at + count, size - at - count);
        return size - count;
    case 4: /* repeat */
        if (size + count > ROOM)
            return size;
        memmove(bytes + at + count, bytes + at, size - at);
        return size + count;
    case 5: /* from another file */
        count = count < other->size ? count : other->size;
        memcpy(bytes + place(size, count), other->bytes + place(other->size, count), count);
        return size;
    default: /* all bits of some bytes */
        memset(bytes + at, draw(2) == 0 ? 0 : 0xff, count);
        return size;
    }
}

static void mutate_all(uint64_t mutations)
{
    uint8_t *bytes = malloc(ROOM);
    if (bytes == NULL)
        abort();
    for (uint64_t i = 0; i < mutations; i++) {
        const struct seed *seed = &all.seed[i % all.seeds];
        size_t size = seed->size;
        memcpy(bytes, seed->bytes, size);
        for (uint64_t steps = 1 + draw(4); steps > 0; steps--)
            size = mutate(bytes, size);
        try_bytes(bytes, size);
    }
    free(bytes);
}

int main(int argc, char **argv)
{
    const char *rounds = getenv("WEIR_TEST_ROUNDS"), *name = strrchr(argv[0], '/');
    uint64_t times = rounds != NULL ? strtoull(rounds, NULL, 10) : 1;
    for (int i = 1; i < argc; i++)
        load(argv[i]);
    if (all.seeds == 0) {
        fprintf(stderr, "no file in the corpus\n");
        return 1;
    }
    for (uint32_t i = 0; i < all.seeds; i++)
        try_bytes(all.seed[i].bytes, all.seed[i].size);
    mutate_all(MUTATIONS * (times > 0 ? times : 1));
    printf("attack: %s: %" PRIu64 "\n", name != NULL ? name + 1 : argv[0], all.runs); /* "replay_http" */
    for (uint32_t i = 0; i < all.seeds; i++)
        free(all.seed[i].bytes);
    return 0;
}
