/*
 * fuzz_edge_list.c - any bytes at all as a file of links, of any of its forms: a map, or a complaint with its place.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenario/read/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/weir-fuzz-edges-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct arena arena = {0};
    struct scenario scenario = {.origin = "f"};
    const struct scenario_files files = {"/", NULL};
    struct build build = {.reader = {.arena = &arena, .error = &error}, .scenario = &scenario, .files = &files};
    struct node at = {.kind = NODE_SCALAR, .text = path, .mark = {.origin = "f", .line = 1, .column = 1}};
    const struct node *map = read_edge_list(&build, &at);
    if (map == NULL && error.code == WEIR_ERROR_NONE)
        abort();
    unlink(path);
    arena_free(&arena);
    return 0;
}
