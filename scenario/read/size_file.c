/*
 * size_file.c - a size distribution from a file: rows of bytes and cumulative probability, as HPCC's traffic generator,
 * ns-3 scripts and htsim's users have them. Probabilities end with 1, or with 100 where they are per cent. It becomes
 * the list of points that a scenario could have written.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/read/columns.h"
#include "scenario/read/read.h"

enum { SIZE_BYTES, SIZE_PART, SIZE_COLUMNS };

static const struct column size_columns[SIZE_COLUMNS] = {
    [SIZE_BYTES] = {.names = {"bytes", "size", "flow_size", "flowsize", "length", "x"}, .unit = "B"},
    [SIZE_PART] = {.names = {"probability", "cumulative", "cdf", "cum_prob", "fraction", "p", "y"}},
};

static struct node *add_cell(struct reader *reader, const struct columns *in, struct node *point, unsigned column)
{
    struct node *cell = node_scalar(reader->arena, in->cell[column]);
    if (cell != NULL)
        cell->mark = in->cell_mark[column];
    return node_add(point, cell);
}

static bool add_point(struct reader *reader, const struct columns *in, struct node *points)
{
    struct node *point = node_collection(reader->arena, NODE_LIST);
    if (point != NULL)
        point->mark = in->mark;
    return node_add(points, point) != NULL && add_cell(reader, in, point, SIZE_BYTES) != NULL &&
           add_cell(reader, in, point, SIZE_PART) != NULL;
}

/* Where the last probability is 100, all are per cent. */
static bool find_percent(struct reader *reader, struct node *points)
{
    char *end = NULL;
    if (points->count == 0 || strtod(points->last->last->text, &end) != 100 || *end != '\0')
        return true;
    for (struct node *point = points->first; point != NULL; point = point->next) {
        char text[COLUMNS_FIELD_MAX + 1];
        size_t length = strlen(point->last->text);
        memcpy(text, point->last->text, length);
        text[length++] = '%';
        point->last->text = arena_text(reader->arena, text, length);
        if (point->last->text == NULL)
            return false;
    }
    return true;
}

const struct node *read_size_file(struct build *build, const struct node *at)
{
    struct reader *reader = &build->reader;
    const struct read_image_of what = {"sizes", at->text};
    struct read_image image = {NULL, 0};
    struct node *points = node_collection(reader->arena, NODE_LIST);
    const char *path = NULL;
    bool good = false;
    if (points == NULL)
        weir_fail_memory(reader->error);
    else if (read_image(build, at, &what, &path, &image)) {
        struct columns in = {.columns = size_columns,
                             .count = SIZE_COLUMNS,
                             .text = (const char *)image.bytes,
                             .size = image.size,
                             .mark = {.origin = path},
                             .error = reader->error};
        points->mark = (struct mark){.origin = path, .line = 1, .column = 1};
        good = true;
        while (good && columns_next(&in))
            good = add_point(reader, &in, points) || weir_fail_memory(reader->error);
        good = good && !in.failed && (find_percent(reader, points) || weir_fail_memory(reader->error));
    }
    free(image.bytes);
    return good ? points : NULL;
}
