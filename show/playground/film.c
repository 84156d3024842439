/*
 * film.c - see film.h. Two passes: the first learns what the oracle answered, which is not in a trace but shows in the
 * refusals; the second replays and writes down every step.
 */
#include "show/playground/film.h"

#include <stdlib.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/oracle.h"
#include "weir/random.h"

#define ALIGNMENT 64u

struct develop {
    struct play_film *film;
    struct weir_error *error;
    struct weir_trace_image image;
    struct weir_trace_reader reader;
    struct weir_record record;
    struct weir_table_oracle oracle;
    uint8_t *predicted; /* bit per arrival: refused as predicted */
    size_t predicted_bytes;
    void *memory;
    struct weir_mmu *mmu;
    bool short_of_memory;
};

static bool note_prediction(struct develop *d, uint64_t arrival)
{
    size_t byte = arrival / 8;
    if (byte >= d->predicted_bytes) {
        size_t bytes = byte < 4096 ? 8192 : 2 * byte;
        uint8_t *predicted = realloc(d->predicted, bytes);
        if (predicted == NULL)
            return weir_fail_memory(d->error);
        memset(predicted + d->predicted_bytes, 0, bytes - d->predicted_bytes);
        d->predicted = predicted;
        d->predicted_bytes = bytes;
    }
    d->predicted[byte] |= (uint8_t)(1u << arrival % 8);
    return true;
}

static bool survey(struct develop *d)
{
    uint64_t arrival = 0;
    enum weir_trace_status status;
    if (!weir_trace_open_image(&d->reader, &d->image, d->error))
        return false;
    while ((status = weir_trace_next(&d->reader, &d->record, d->error)) == WEIR_TRACE_RECORD) {
        const struct weir_record *record = &d->record;
        if (record->kind != WEIR_REC_ARRIVE)
            continue;
        if (!record->accepted && record->reason == WEIR_REASON_PREDICTED && !note_prediction(d, arrival))
            return false;
        arrival++;
        d->film->offered = weir_hash(d->film->offered, (uint64_t)record->now);
        d->film->offered =
            weir_hash(d->film->offered, (uint64_t)record->packet.output.i << 48 |
                                            (uint64_t)record->packet.input.i << 32 | record->packet.bytes);
    }
    return status == WEIR_TRACE_FINISHED;
}

static bool build(struct develop *d)
{
    struct play_film *film = d->film;
    if (!weir_trace_open_image(&d->reader, &d->image, d->error))
        return false;
    struct weir_mmu_config config = d->reader.config;
    weir_table_oracle_init(&d->oracle, d->predicted, 8 * (uint64_t)d->predicted_bytes, 0, 0);
    config.oracle = &d->oracle.base;
    if (!weir_mmu_config_check(&config, d->error))
        return false;
    d->memory = aligned_alloc(ALIGNMENT, weir_align(weir_mmu_size(&config)));
    if (d->memory == NULL)
        return weir_fail_memory(d->error);
    d->mmu = weir_mmu_init(d->memory, &config);
    const struct weir_geometry *geometry = &weir_mmu_view(d->mmu)->geometry;
    film->outputs = geometry->ports;
    film->lossless = config.lossless_mask != 0;
    film->inputs = film->lossless ? weir_mmu_inputs(&config) : 0;
    film->columns = PLAY_COLUMNS + PLAY_OUTPUT_COLUMNS * film->outputs + PLAY_INPUT_COLUMNS * film->inputs;
    film->cell_bytes = geometry->cell_bytes;
    film->buffer_cells = geometry->buffer_cells;
    film->headroom_cells = geometry->headroom_cells;
    return true;
}

static int32_t mode_number(struct play_film *film, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < film->mode_count; i++)
        if (strcmp(film->modes[i], name) == 0)
            return (int32_t)i;
    if (name == NULL || film->mode_count == PLAY_MODES_MAX)
        return PLAY_NONE;
    film->modes[film->mode_count] = name;
    return (int32_t)film->mode_count++;
}

static void put_outputs(struct develop *d, int32_t *to)
{
    const struct weir_view *view = weir_mmu_view(d->mmu);
    const struct weir_geometry *geometry = &view->geometry;
    bool limited = geometry->classes == 1 && !d->film->lossless && weir_mmu_policy(d->mmu)->threshold != NULL;
    for (uint32_t i = 0; i < d->film->outputs; i++, to += PLAY_OUTPUT_COLUMNS) {
        weir_account account = {i}; /* of class 0 */
        weir_cells limit = limited ? weir_mmu_threshold(d->mmu, account) : PLAY_NONE;
        to[PLAY_HELD] = (int32_t)weir_view_port(view, (weir_port){i})->cells;
        to[PLAY_LIMIT] = limit > INT32_MAX ? INT32_MAX : (int32_t)limit;
        to[PLAY_MODE] = mode_number(d->film, weir_mmu_mode(d->mmu, account));
    }
}

static void put_inputs(const struct develop *d, int32_t *to)
{
    const struct weir_view *view = weir_mmu_ingress_view(d->mmu);
    for (uint32_t i = 0; i < d->film->inputs; i++, to += PLAY_INPUT_COLUMNS) {
        weir_port port = {i};
        const struct weir_port_state *state = weir_view_port(view, port);
        /* Of the lossless queues of an input port, the longest. */
        weir_account longest = WEIR_NO_ACCOUNT;
        for (uint32_t left = view->geometry.lossless_mask; left; left &= left - 1) {
            weir_account queue = weir_account_of(&view->geometry, port, (weir_class){(uint32_t)__builtin_ctz(left)});
            if (weir_account_is(longest, WEIR_NO_ACCOUNT) ||
                weir_view_length(view, queue) > weir_view_length(view, longest))
                longest = queue;
        }
        weir_cells limit = weir_mmu_ingress_threshold(d->mmu, longest);
        to[PLAY_INPUT_HELD] = (int32_t)state->cells;
        to[PLAY_INPUT_HEADROOM] = state->headroom_cells;
        to[PLAY_INPUT_LIMIT] = (int32_t)limit;
        to[PLAY_INPUT_PAUSED] = state->paused ? 2 : state->paused_mask != 0;
    }
}

/* One step more; null: the film is full, or memory is short. */
static int32_t *add_row(struct develop *d, enum play_kind kind)
{
    struct play_film *film = d->film;
    if (film->row_count == PLAY_ROWS_MAX) {
        film->cut = true;
        return NULL;
    }
    if (film->row_count == film->row_room) {
        uint32_t room = film->row_room == 0 ? 4096 : 2 * film->row_room;
        int32_t *rows = realloc(film->rows, (size_t)room * film->columns * sizeof *rows);
        if (rows == NULL) {
            d->short_of_memory = true;
            return NULL;
        }
        film->rows = rows;
        film->row_room = room;
    }
    const struct weir_view *view = weir_mmu_view(d->mmu);
    int32_t *row = &film->rows[(size_t)film->row_count++ * film->columns];
    row[PLAY_TIME_NS] = (int32_t)(d->record.now / WEIR_PS_PER_NS);
    row[PLAY_KIND] = (int32_t)kind;
    row[PLAY_OUTPUT] = row[PLAY_INPUT] = PLAY_NONE;
    row[PLAY_CELLS] = row[PLAY_REASON] = 0;
    row[PLAY_USED] = (int32_t)weir_view_used(view);
    row[PLAY_HEADROOM] = (int32_t)weir_view_headroom_used(view);
    put_outputs(d, row + PLAY_COLUMNS);
    put_inputs(d, row + PLAY_COLUMNS + PLAY_OUTPUT_COLUMNS * film->outputs);
    return row;
}

static int32_t output_of(const struct develop *d, weir_account account)
{
    return (int32_t)weir_account_port(&weir_mmu_view(d->mmu)->geometry, account).i;
}

static void add_arrival(struct develop *d, const struct weir_effects *effects)
{
    const struct weir_packet *packet = &d->record.packet;
    const struct weir_geometry *geometry = &weir_mmu_view(d->mmu)->geometry;
    int32_t *row = add_row(d, effects->accepted ? PLAY_ENTERED : PLAY_REFUSED);
    if (row == NULL)
        return;
    row[PLAY_OUTPUT] = (int32_t)packet->output.i;
    row[PLAY_INPUT] = (int32_t)packet->input.i;
    row[PLAY_CELLS] = (int32_t)weir_cells_for_bytes(packet->bytes, geometry->cell_bytes);
    row[PLAY_REASON] = (int32_t)effects->reason;
}

static void add_departure(struct develop *d, const struct weir_effects *effects)
{
    int32_t *row = effects->departed ? add_row(d, PLAY_SENT) : NULL;
    if (row == NULL)
        return;
    row[PLAY_OUTPUT] = output_of(d, effects->account);
    row[PLAY_CELLS] = (int32_t)weir_cells_for_bytes(effects->bytes, d->film->cell_bytes);
}

/* The MMU does once more what was recorded; null: the record is no call. */
static const struct weir_effects *repeat(struct develop *d)
{
    const struct weir_record *record = &d->record;
    switch (record->kind) {
    case WEIR_REC_ARRIVE:
        return weir_mmu_arrive(d->mmu, &record->packet, record->now);
    case WEIR_REC_DEPART:
        return weir_mmu_depart(d->mmu, record->port, record->now);
    case WEIR_REC_EXPEL:
        return weir_mmu_offer_expel(d->mmu, record->now);
    case WEIR_REC_PAUSE:
        return weir_mmu_pause_received(d->mmu, record->port, record->class_mask, record->until, record->now);
    case WEIR_REC_FLUSH:
        return weir_mmu_flush_classes(d->mmu, record->port, record->class_mask, record->now);
    case WEIR_REC_ADVANCE:
        return weir_mmu_advance(d->mmu, record->now);
    default:
        return NULL;
    }
}

static bool agrees(const struct develop *d, const struct weir_effects *effects)
{
    const struct weir_record *record = &d->record;
    return effects->lost_count == record->lost_count &&
           (record->kind != WEIR_REC_ARRIVE ||
            (effects->accepted == record->accepted && (record->accepted || effects->reason == record->reason))) &&
           (record->kind != WEIR_REC_DEPART || effects->departed == record->departed);
}

static bool replay(struct develop *d)
{
    enum weir_trace_status status;
    while ((status = weir_trace_next(&d->reader, &d->record, d->error)) == WEIR_TRACE_RECORD) {
        const struct weir_record *record = &d->record;
        const struct weir_effects *effects = repeat(d);
        bool good = effects != NULL ? agrees(d, effects)
                                    : record->kind == WEIR_REC_END && record->hash == weir_mmu_hash(d->mmu);
        if (!good)
            return weir_fail(d->error, WEIR_ERROR_VIOLATION, "the replay does not agree with the simulation");
        if (effects == NULL)
            continue;
        for (uint32_t i = 0; i < effects->lost_count; i++) {
            enum weir_cause cause = effects->lost[i].cause;
            int32_t *row = add_row(d, cause == WEIR_CAUSE_PUSHOUT    ? PLAY_PUSHED_OUT
                                      : cause == WEIR_CAUSE_EXPELLED ? PLAY_EXPELLED
                                                                     : PLAY_DROPPED);
            if (row != NULL)
                row[PLAY_OUTPUT] = output_of(d, effects->lost[i].account);
        }
        if (record->kind == WEIR_REC_ARRIVE)
            add_arrival(d, effects);
        if (record->kind == WEIR_REC_DEPART)
            add_departure(d, effects);
        for (uint32_t i = 0; i < effects->edge_count; i++) {
            const struct weir_pause_edge *edge = &effects->edges[i];
            for (int resumes = 0; resumes < 2; resumes++) {
                if (resumes ? !edge->resume_mask && !edge->port_resume : !edge->pause_mask && !edge->port_pause)
                    continue;
                int32_t *row = add_row(d, resumes ? PLAY_RESUMED : PLAY_PAUSED);
                if (row != NULL)
                    row[PLAY_INPUT] = (int32_t)edge->port.i;
            }
        }
        if (d->short_of_memory)
            return weir_fail_memory(d->error);
    }
    return status == WEIR_TRACE_FINISHED;
}

bool film_develop(struct play_film *film, const uint8_t *bytes, size_t size, struct weir_error *error)
{
    struct develop *d = calloc(1, sizeof *d); /* a record is large */
    struct weir_trace_ports *ports = malloc(sizeof *ports);
    bool good = d != NULL && ports != NULL;
    if (good) {
        d->film = film;
        d->error = error;
        d->image = (struct weir_trace_image){.bytes = bytes, .size = size, .ports = ports, .find = weir_policy_find};
        good = survey(d) && build(d) && replay(d);
        free(d->memory);
        free(d->predicted);
    } else {
        weir_fail_memory(error);
    }
    free(ports);
    free(d);
    return good;
}
