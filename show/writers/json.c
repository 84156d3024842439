/*
 * json.c - data frames as JSON: see write.h.
 */
#include "cli/cli.h"
#include "cli/output.h"
#include "show/writers/write.h"

static json_t *cell_json(const struct data_cell *cell)
{
    switch (cell->type) {
    case CELL_TEXT:
        return output_json_string(cell->text);
    case CELL_INTEGER:
        return json_integer((json_int_t)cell->integer);
    case CELL_NUMBER:
        return isfinite(cell->number) ? json_real(cell->number) : json_null();
    case CELL_FLAG:
        return json_boolean(cell->flag);
    case CELL_FRAME:
        return write_json(cell->frame);
    default:
        return json_null();
    }
}

static json_t *row_json(const struct data_frame *frame, size_t row)
{
    bool sparse = data_frame_shape(frame) == DATA_SPARSE || data_frame_shape(frame) == DATA_SPARSE_ROWS;
    json_t *object = json_object();
    for (size_t c = 0; c < data_frame_columns(frame) && data_frame_rows(frame) > row; c++) {
        const struct data_cell *cell = data_frame_cell(frame, row, c);
        const char *name = data_frame_column(frame, c)->name;
        if (name != NULL && !(sparse && cell->type == CELL_NONE))
            object = output_json_set(object, name, cell_json(cell));
    }
    return object;
}

json_t *write_json(const struct data_frame *frame)
{
    enum data_shape shape = data_frame_shape(frame);
    if (shape == DATA_OBJECT || shape == DATA_SPARSE)
        return row_json(frame, 0);
    json_t *array = json_array();
    for (size_t row = 0; row < data_frame_rows(frame) && array != NULL; row++)
        array = output_json_append(array, shape == DATA_VALUES ? cell_json(data_frame_cell(frame, row, 0))
                                                               : row_json(frame, row));
    return array;
}

int write_result(struct data_frame *frame, bool json)
{
    int code = data_frame_check(frame);
    if (code == CLI_OK && json)
        code = output_json(write_json(frame));
    else if (code == CLI_OK)
        write_text(frame);
    data_frame_free(frame);
    return code;
}
