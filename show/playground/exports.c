/*
 * exports.c - what the page calls: two films, and texts. Numbers travel as 32 bits or as text, since JavaScript has no
 * 64 of them without asking; arrays are looked at where they lie.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/playground/play.h"

#define SIDES 2u

int page_run(uint32_t side, const char *text);
const char *page_said(void);
const char *page_about(uint32_t side);
const int32_t *page_rows(uint32_t side);
const char *page_catalogue(void);

static struct play_film films[SIDES];
static char said[WEIR_ERROR_LINE_MAX];
static char *written;

/* A text made by `write`, valid until the next one. */
static const char *text_of(void (*write)(FILE *out, const struct play_film *film), const struct play_film *film)
{
    size_t size;
    free(written);
    written = NULL;
    FILE *out = open_memstream(&written, &size);
    if (out == NULL)
        return "";
    write(out, film);
    return fclose(out) == 0 && written != NULL ? written : "";
}

/* Simulates; 0, or 1 after an error, see page_said. */
int page_run(uint32_t side, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    play_free(&films[side % SIDES]);
    said[0] = '\0';
    if (play_scenario(&films[side % SIDES], text, strlen(text), &error))
        return 0;
    weir_error_line(&error, said);
    return 1;
}

const char *page_said(void)
{
    return said;
}

static void write_about(FILE *out, const struct play_film *film)
{
    fprintf(out,
            "{\"digest\":\"%016" PRIx64 "\",\"offered\":\"%016" PRIx64 "\",\"outputs\":%" PRIu32 ",\"inputs\":%" PRIu32
            ",\"columns\":%" PRIu32 ",\"rows\":%" PRIu32 ",\"cellBytes\":%" PRIu32 ",\"buffer\":%" PRId64
            ",\"headroom\":%" PRId64 ",\"lossless\":%s,\"cut\":%s,\"modes\":[",
            film->digest, film->offered, film->outputs, film->inputs, film->columns, film->row_count, film->cell_bytes,
            film->buffer_cells, film->headroom_cells, film->lossless ? "true" : "false", film->cut ? "true" : "false");
    for (uint32_t i = 0; i < film->mode_count; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? "," : "", film->modes[i]);
    fputs("]}", out);
}

const char *page_about(uint32_t side)
{
    return text_of(write_about, &films[side % SIDES]);
}

const int32_t *page_rows(uint32_t side)
{
    return films[side % SIDES].rows;
}

static void write_catalogue(FILE *out, const struct play_film *film)
{
    (void)film;
    play_catalogue(out);
}

const char *page_catalogue(void)
{
    return text_of(write_catalogue, NULL);
}
