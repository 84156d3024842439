/*
 * bench_play.c - the films of scenarios, natively: what bench/play.js does in WebAssembly.
 *
 *   weir-bench-play ROUNDS SCENARIO...    a line each: digest, offered packets, rows, and the least processor time in
 * ms
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "show/playground/play.h"

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    *size = 0;
    if (file == NULL)
        return NULL;
    for (size_t room = 65536, got; (text = realloc(text, room)) != NULL; room *= 2) {
        got = fread(text + *size, 1, room - *size, file);
        *size += got;
        if (*size < room)
            break;
    }
    fclose(file);
    return text;
}

static int measure(const char *path, unsigned long rounds)
{
    size_t size;
    char *text = read_file(path, &size);
    double best = 0;
    for (unsigned long i = 0; text != NULL && i < rounds; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct play_film film;
        double from = now_ms();
        if (!play_scenario(&film, text, size, &error)) {
            char line[WEIR_ERROR_LINE_MAX];
            fprintf(stderr, "weir-bench-play: %s: %s\n", path, weir_error_line(&error, line));
            free(text);
            return 1;
        }
        double took = now_ms() - from;
        best = i == 0 || took < best ? took : best;
        if (i + 1 == rounds)
            printf("%s %016" PRIx64 " %016" PRIx64 " %" PRIu32 " %.3f\n", path, film.digest, film.offered,
                   film.row_count, best);
        play_free(&film);
    }
    free(text);
    return text == NULL;
}

int main(int argc, char **argv)
{
    int failed = argc < 3;
    if (failed)
        fprintf(stderr, "usage: weir-bench-play ROUNDS SCENARIO...\n");
    for (int i = 2; i < argc; i++)
        failed |= measure(argv[i], strtoul(argv[1], NULL, 10));
    return failed;
}
