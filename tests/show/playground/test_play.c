/*
 * test_play.c - films beside what must hold of every buffer, the digest of the simulation, and what each policy has to
 * show: modes, expulsions, pauses, predictions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "run/foresee.h"
#include "show/playground/play.h"
#include "tests/support/scenario_text.h"

#define SCENARIO                                                                                                       \
    "{\"until\": \"700us\", \"topology\": {\"kind\": \"single\", \"hosts\": 8, \"rate\": \"10Gbps\"},"                 \
    "\"switch\": {\"buffer\": \"200KB\", %s},"                                                                         \
    "\"transports\": {\"udp\": {\"kind\": \"udp\", \"rate\": \"10Gbps\"}},"                                            \
    "\"traffic\": [{\"kind\": \"long\", \"transport\": \"udp\", \"sources\": \"h2-h3\", \"destinations\": \"h0\","     \
    "\"concurrency\": 2}, {\"kind\": \"incast\", \"transport\": \"udp\", \"sources\": \"h4-h7\","                      \
    "\"destination\": \"h1\", \"bytes\": \"60%% buffer\", \"from\": \"500us\"}]}"

static char text[2048];

static void film_of(struct play_film *film, const char *of_switch)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    snprintf(text, sizeof text, SCENARIO, of_switch);
    if (!play_scenario(film, text, strlen(text), &error))
        fail_msg("%s", ERROR_LINE(&error));
}

static const int32_t *row_at(const struct play_film *film, uint32_t row)
{
    return &film->rows[(size_t)row * film->columns];
}

static const int32_t *output_at(const int32_t *row, uint32_t port)
{
    return row + PLAY_COLUMNS + (size_t)port * PLAY_OUTPUT_COLUMNS;
}

static const int32_t *input_at(const struct play_film *film, const int32_t *row, uint32_t port)
{
    return output_at(row, film->outputs) + (size_t)port * PLAY_INPUT_COLUMNS;
}

static uint32_t count_of(const struct play_film *film, enum play_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < film->row_count; i++)
        count += row_at(film, i)[PLAY_KIND] == (int32_t)kind;
    return count;
}

/* Every row: time goes on, queues add up to the buffer, and a packet that enters or leaves changes its queue alone. */
static void check_rows(const struct play_film *film)
{
    int32_t before = 0;
    int64_t inside = 0;
    for (uint32_t i = 0; i < film->row_count; i++) {
        const int32_t *row = row_at(film, i);
        int32_t sum = 0;
        assert_true(row[PLAY_TIME_NS] >= before);
        before = row[PLAY_TIME_NS];
        for (uint32_t p = 0; p < film->outputs; p++)
            sum += output_at(row, p)[PLAY_HELD];
        assert_int_equal(sum, row[PLAY_USED]);
        assert_true(row[PLAY_USED] <= film->buffer_cells);
        inside += row[PLAY_KIND] == PLAY_ENTERED;
        inside -= row[PLAY_KIND] >= PLAY_SENT && row[PLAY_KIND] <= PLAY_DROPPED;
        assert_true(inside >= -1); /* who is pushed out is told before who enters */
    }
    assert_true(film->row_count > 500);
    assert_false(film->cut);
}

static uint64_t digest_of_text(void)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    scenario_from_text(&scenario, text);
    if (scenario_is_foreseen(&scenario))
        assert_int_equal(run_foresee(&scenario, NULL, NULL, &error), SIM_DONE);
    struct sim *sim = scenario_create(&scenario, &error);
    assert_non_null(sim);
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    uint64_t digest = sim_digest(sim);
    sim_free(sim);
    scenario_free(&scenario);
    return digest;
}

static const char *const every[] = {
    "\"policy\": \"cs\"",
    "\"policy\": {\"name\": \"dt\", \"alpha\": 2}",
    "\"policy\": \"edt\"",
    "\"policy\": \"tdt\"",
    "\"policy\": \"lqd\"",
    "\"policy\": \"occamy\"",
    "\"policy\": \"occamy-p4\"",
    "\"policy\": \"credence\", \"oracle\": {\"answers\": \"perfect\", \"flip\": \"5%\"}",
    "\"policy\": \"credence\", \"oracle\": {\"online\": {\"every\": 100, \"rows\": 1000}}",
    "\"policy\": \"dt\", \"lossless\": 0, \"headroom\": \"sih\"",
    "\"policy\": \"dt\", \"lossless\": 0, \"headroom\": \"dsh\"",
};

static void play_scenario__has_the_digest_of_the_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        struct play_film film;
        film_of(&film, every[i]);
        check_rows(&film);
        assert_int_equal(film.digest, digest_of_text());
        play_free(&film);
    }
}

static void play_scenario__same_packets_under_every_policy(void **state)
{
    struct play_film dt, tdt, paused;
    (void)state;
    film_of(&dt, every[1]);
    film_of(&tdt, every[3]);
    film_of(&paused, every[9]);
    assert_int_equal(dt.offered, tdt.offered);
    assert_int_not_equal(dt.offered, paused.offered); /* senders wait */
    assert_int_not_equal(dt.digest, tdt.digest);
    play_free(&dt);
    play_free(&tdt);
    play_free(&paused);
}

/* The first row at which a port is in the mode; UINT32_MAX: none. */
static uint32_t first_in(const struct play_film *film, uint32_t port, const char *mode)
{
    for (uint32_t i = 0; i < film->row_count; i++) {
        int32_t number = output_at(row_at(film, i), port)[PLAY_MODE];
        if (number >= 0 && strcmp(film->modes[number], mode) == 0)
            return i;
    }
    return UINT32_MAX;
}

static void play_scenario__shows_modes(void **state)
{
    struct play_film film;
    (void)state;
    film_of(&film, every[3]);
    uint32_t evacuation = first_in(&film, 0, "evacuation"), absorption = first_in(&film, 1, "absorption");
    assert_true(evacuation < absorption && absorption < film.row_count);
    assert_int_equal(row_at(&film, 0)[PLAY_KIND], PLAY_ENTERED);
    play_free(&film);
    film_of(&film, every[2]);
    assert_true(first_in(&film, 1, "uncontrolled") < film.row_count);
    play_free(&film);
    film_of(&film, every[1]);
    assert_int_equal(film.mode_count, 0);
    play_free(&film);
}

/* DT refuses where the queue and the packet are above the limit, which is alpha times what is free. */
static void play_scenario__shows_limits(void **state)
{
    struct play_film film;
    uint32_t refused = 0;
    (void)state;
    film_of(&film, every[1]);
    for (uint32_t i = 0; i < film.row_count; i++) {
        const int32_t *row = row_at(&film, i), *queue = output_at(row, 1);
        assert_int_equal(queue[PLAY_LIMIT], 2 * (film.buffer_cells - row[PLAY_USED]));
        if (row[PLAY_KIND] != PLAY_REFUSED)
            continue;
        const int32_t *full = output_at(row, (uint32_t)row[PLAY_OUTPUT]);
        assert_int_equal(row[PLAY_REASON], WEIR_REASON_OVER_THRESHOLD);
        assert_true(full[PLAY_HELD] + row[PLAY_CELLS] > full[PLAY_LIMIT]);
        refused++;
    }
    assert_true(refused > 100);
    play_free(&film);
    film_of(&film, every[0]);
    assert_int_equal(output_at(row_at(&film, 0), 0)[PLAY_LIMIT], PLAY_NONE);
    play_free(&film);
}

static void play_scenario__shows_who_makes_room(void **state)
{
    static const struct {
        uint32_t which;
        enum play_kind kind;
    } rows[] = {{4, PLAY_PUSHED_OUT}, {5, PLAY_EXPELLED}, {6, PLAY_DROPPED}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct play_film film;
        film_of(&film, every[rows[i].which]);
        for (int kind = PLAY_PUSHED_OUT; kind <= PLAY_DROPPED; kind++)
            assert_true((count_of(&film, (enum play_kind)kind) > 0) == (kind == (int)rows[i].kind));
        play_free(&film);
    }
}

static void play_scenario__shows_predictions(void **state)
{
    struct play_film film;
    uint32_t predicted = 0;
    (void)state;
    film_of(&film, every[7]);
    for (uint32_t i = 0; i < film.row_count; i++)
        predicted +=
            row_at(&film, i)[PLAY_KIND] == PLAY_REFUSED && row_at(&film, i)[PLAY_REASON] == WEIR_REASON_PREDICTED;
    assert_true(predicted > 0);
    play_free(&film);
}

/* An input is paused when what it holds of the shared pool reaches its limit, and the headroom takes what still comes.
 */
static void play_scenario__shows_pauses(void **state)
{
    (void)state;
    for (uint32_t which = 9; which <= 10; which++) {
        struct play_film film;
        film_of(&film, every[which]);
        int32_t most = 0;
        assert_true(film.lossless && film.inputs == 8 && film.headroom_cells > 0);
        assert_int_equal(count_of(&film, PLAY_REFUSED), 0);
        for (uint32_t i = 0; i < film.row_count; i++) {
            const int32_t *row = row_at(&film, i);
            most = row[PLAY_HEADROOM] > most ? row[PLAY_HEADROOM] : most;
            assert_int_equal(output_at(row, 0)[PLAY_LIMIT], PLAY_NONE);
            if (row[PLAY_KIND] == PLAY_PAUSED) {
                const int32_t *input = input_at(&film, row, (uint32_t)row[PLAY_INPUT]);
                assert_true(input[PLAY_INPUT_PAUSED] > 0);
                assert_true(input[PLAY_INPUT_HEADROOM] > 0 || input[PLAY_INPUT_HELD] >= input[PLAY_INPUT_LIMIT]);
            }
            if (row[PLAY_KIND] == PLAY_RESUMED)
                assert_true(input_at(&film, row, (uint32_t)row[PLAY_INPUT])[PLAY_INPUT_PAUSED] < 2);
        }
        assert_true(most > 0 || which == 10);
        assert_true(count_of(&film, PLAY_PAUSED) > 10 && count_of(&film, PLAY_RESUMED) > 10);
        play_free(&film);
    }
}

static void play_scenario__tells_mistakes(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\"until\": 1}", "scenario:1:1: the scenario: 'topology' is missing"},
        {"{\"until\": \"3s\", \"topology\": {\"kind\": \"single\", \"hosts\": 2}, \"switch\": {\"buffer\": \"1MB\","
         "\"policy\": \"dt\"}, \"transports\": {\"u\": {\"kind\": \"udp\"}}, \"traffic\": [{\"kind\": \"long\","
         "\"transport\": \"u\", \"concurrency\": 1}]}",
         "until: longer than a film can be"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct play_film film;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_false(play_scenario(&film, rows[i].text, strlen(rows[i].text), &error));
        if (strncmp(ERROR_LINE(&error), rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s", ERROR_LINE(&error));
        play_free(&film);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(play_scenario__has_the_digest_of_the_run),
        cmocka_unit_test(play_scenario__same_packets_under_every_policy),
        cmocka_unit_test(play_scenario__shows_modes),
        cmocka_unit_test(play_scenario__shows_limits),
        cmocka_unit_test(play_scenario__shows_who_makes_room),
        cmocka_unit_test(play_scenario__shows_predictions),
        cmocka_unit_test(play_scenario__shows_pauses),
        cmocka_unit_test(play_scenario__tells_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
