/*
 * test_run.c - the loop of the slotted model: what is sent, lost and drained on sequences worked out by hand, and
 * what else a run hands out (training rows, traces).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure.h"
#include "tests/support/error_line.h"
#include "traffic.h"

/* Slots separated by '|', one digit per arrival. */
static struct slot_arrivals sequence(uint32_t ports, const char *text)
{
    struct slot_arrivals arrivals;
    slot_arrivals_init(&arrivals, ports);
    for (; *text != '\0'; text++) {
        if (*text == '|')
            slot_arrivals_end_slot(&arrivals);
        else
            slot_arrivals_add(&arrivals, (uint32_t)(*text - '0'));
    }
    assert_false(arrivals.failed);
    return arrivals;
}

static void slot_run__by_hand(void **state)
{
    static const struct {
        const char *policy, *param, *value;
        uint32_t ports, buffer;
        const char *arrivals;
        const char *lost; /* one character per arrival: x lost */
        uint64_t refused, slots;
    } cases[] = {
        {"cs", NULL, NULL, 2, 2, "0011|1|", "..xx.", 2, 2},
        {"cs", NULL, NULL, 1, 3, "0000||0|", "...x.", 1, 4},
        {"lqd", "remove", "tail", 2, 2, "0011|1|", ".x.x.", 1, 2},
        {"lqd", "remove", "head", 2, 2, "0011|1|", "x..x.", 1, 2},
        {"lqd", "remove", "tail", 3, 3, "000|12|", "..x..", 0, 2},
        {"lqd", "remove", "tail", 3, 3, "00012|", ".xx..", 0, 1},
        {"dt", "alpha", "1", 2, 4, "0000|", "..xx", 2, 2},
        {"es", NULL, NULL, 2, 4, "0001111|", "..x..xx", 3, 2},
        {"followlqd", NULL, NULL, 2, 2, "00|01|00|", "...xx.", 2, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct slot_algorithm a = slot_algorithm_make("", cases[i].policy, cases[i].param, cases[i].value, 0);
        struct slot_arrivals arrivals = sequence(cases[i].ports, cases[i].arrivals);
        struct slot_switch sw = {cases[i].ports, cases[i].buffer, a.policy, &a.values, NULL, NULL};
        struct slot_result result;
        assert_int_equal(slot_run(&sw, &arrivals, NULL, &result, &error), WEIR_ERROR_NONE);
        char lost[32] = "";
        for (uint64_t k = 0; k < arrivals.count; k++)
            lost[k] = result.lost_bits[k / 8] >> k % 8 & 1 ? 'x' : '.';
        assert_string_equal(lost, cases[i].lost);
        assert_int_equal(result.arrived, arrivals.count);
        assert_int_equal(result.sent + result.lost, arrivals.count);
        assert_int_equal(result.refused, cases[i].refused);
        assert_int_equal(result.slots, cases[i].slots);
        slot_result_free(&result);
        slot_arrivals_free(&arrivals);
    }
}

static void slot_run__every_policy_accounts_for_every_packet(void **state)
{
    struct slot_traffic traffic;
    struct slot_arrivals arrivals;
    struct slot_case c;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    slot_traffic_init(&traffic, 6, 48, 3000);
    slot_arrivals_init(&arrivals, 6);
    assert_int_equal(slot_generate(slot_generator_find("bursts"), &traffic, &arrivals, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_case_open(&c, &arrivals, 48, true, &error), WEIR_ERROR_NONE);
    for (uint32_t i = 0; i < weir_policy_count; i++) {
        if (weir_policies[i]->needs & (WEIR_NEED_INGRESS | WEIR_NEED_FLOW))
            continue;
        struct slot_algorithm a = slot_algorithm_make("", weir_policies[i]->name, NULL, NULL, WEIR_Q16_ONE / 4);
        struct slot_result result;
        assert_int_equal(slot_case_run(&c, &a, NULL, &result, &error), WEIR_ERROR_NONE);
        uint64_t by_port = 0, by_bit = 0;
        for (uint32_t port = 0; port < 6; port++)
            by_port += result.port_sent[port];
        for (uint64_t k = 0; k < result.arrived; k++)
            by_bit += result.lost_bits[k / 8] >> k % 8 & 1;
        assert_int_equal(by_port, result.sent);
        assert_int_equal(by_bit, result.lost);
        assert_true(result.sent > 0 && result.sent <= c.optimum);
        slot_result_free(&result);
    }
    slot_case_close(&c);
    slot_arrivals_free(&arrivals);
}

static void slot_run__occamy_expels_within_the_slot(void **state)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_algorithm a = slot_algorithm_make("", "occamy", "alpha", "1", 0);
    struct slot_arrivals arrivals = sequence(4, "0000|1123|");
    struct slot_switch sw = {4, 8, a.policy, &a.values, NULL, NULL};
    struct slot_result result;
    (void)state;
    assert_int_equal(slot_run(&sw, &arrivals, NULL, &result, &error), WEIR_ERROR_NONE);
    assert_true(result.lost > result.refused);
    slot_result_free(&result);
    slot_arrivals_free(&arrivals);
}

static void slot_run__reports_what_cannot_be_built(void **state)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals arrivals = sequence(2, "0|");
    struct slot_switch sw = {2, 4, weir_policy_find("credence"), NULL, NULL, NULL};
    struct slot_result result;
    (void)state;
    assert_int_equal(slot_run(&sw, &arrivals, NULL, &result, &error), WEIR_ERROR_INPUT);
    assert_non_null(strstr(ERROR_LINE(&error), "oracle"));
    slot_arrivals_free(&arrivals);
}

struct rows {
    uint64_t count;
    const struct slot_result *lqd;
    bool refuse; /* the sink breaks down */
};

static bool check_row(void *context, const struct weir_training_row *row)
{
    struct rows *rows = context;
    assert_int_equal(row->index, rows->count);
    assert_int_equal(row->lost, rows->lqd->lost_bits[row->index / 8] >> row->index % 8 & 1);
    rows->count++;
    return !rows->refuse;
}

/* The virtual LQD beside the policy labels packets exactly as LQD loses them in its own run. */
static void slot_run__rows_carry_the_losses_of_lqd(void **state)
{
    static const char *const policies[] = {"lqd", "dt", "cs", "occamy"};
    struct slot_traffic traffic;
    struct slot_arrivals arrivals;
    struct slot_case c;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    slot_traffic_init(&traffic, 4, 32, 2000);
    slot_arrivals_init(&arrivals, 4);
    assert_int_equal(slot_generate(slot_generator_find("bursts"), &traffic, &arrivals, &error), WEIR_ERROR_NONE);
    assert_int_equal(slot_case_open(&c, &arrivals, 32, false, &error), WEIR_ERROR_NONE);
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        struct slot_algorithm a = slot_algorithm_make("", policies[i], NULL, NULL, 0);
        struct rows rows = {.lqd = &c.lqd};
        struct slot_recording recording = {.take_row = check_row, .context = &rows};
        struct slot_result result;
        assert_int_equal(slot_case_run(&c, &a, &recording, &result, &error), WEIR_ERROR_NONE);
        assert_int_equal(rows.count, arrivals.count);
        slot_result_free(&result);
    }
    struct slot_algorithm lqd = slot_algorithm_make("", "lqd", NULL, NULL, 0);
    struct rows broken = {.lqd = &c.lqd, .refuse = true};
    struct slot_recording recording = {.take_row = check_row, .context = &broken};
    struct slot_result result;
    assert_int_equal(slot_case_run(&c, &lqd, &recording, &result, &error), WEIR_ERROR_WRITE);
    assert_null(result.lost_bits);
    slot_case_close(&c);
    slot_arrivals_free(&arrivals);
}

struct image {
    uint8_t bytes[1 << 20];
    size_t size;
    struct weir_trace trace;
};

static bool keep_bytes(void *context, const uint8_t *bytes, size_t count)
{
    struct image *image = context;
    if (image->size + count > sizeof image->bytes)
        return false;
    memcpy(image->bytes + image->size, bytes, count);
    image->size += count;
    return true;
}

static bool end_trace(void *context, const struct weir_mmu *mmu)
{
    struct image *image = context;
    return weir_trace_end(&image->trace, mmu);
}

static void slot_run__trace_holds_every_call(void **state)
{
    static uint8_t buffer[WEIR_TRACE_BUFFER_MIN];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct image *image = calloc(1, sizeof *image);
    struct weir_record *record = calloc(1, sizeof *record);
    struct slot_algorithm a = slot_algorithm_make("", "lqd", NULL, NULL, 0);
    struct slot_arrivals arrivals = sequence(3, "000|12|0|");
    struct slot_switch sw = {3, 3, a.policy, &a.values, NULL, NULL};
    struct weir_mmu_config config;
    struct slot_result result;
    (void)state;
    assert_true(image != NULL && record != NULL);
    slot_mmu_config(&config, &sw);
    image->trace = (struct weir_trace){.buffer = buffer, .size = sizeof buffer, .flush = keep_bytes, .context = image};
    weir_trace_begin(&image->trace, &config);
    struct slot_recording recording = {.trace = &image->trace, .end_trace = end_trace, .context = image};
    assert_int_equal(slot_run(&sw, &arrivals, &recording, &result, &error), WEIR_ERROR_NONE);

    struct weir_trace_reader reader;
    uint64_t arrived = 0, departed = 0, asked = 0;
    assert_true(weir_trace_open(&reader, image->bytes, image->size, NULL, &error));
    enum weir_trace_status status;
    while ((status = weir_trace_next(&reader, record, &error)) == WEIR_TRACE_RECORD) {
        arrived += record->kind == WEIR_REC_ARRIVE;
        asked += record->kind == WEIR_REC_DEPART;
        departed += record->kind == WEIR_REC_DEPART && record->departed;
    }
    assert_int_equal(status, WEIR_TRACE_FINISHED);
    assert_int_equal(arrived, arrivals.count);
    assert_int_equal(asked, 3 * result.slots);
    assert_int_equal(departed, result.sent);
    slot_result_free(&result);
    slot_arrivals_free(&arrivals);
    free(record);
    free(image);
}

static void slot_ratio__of_nothing(void **state)
{
    (void)state;
    assert_true(slot_ratio(6, 4) == 1.5);
    assert_true(slot_ratio(0, 0) == 1);
    assert_true(slot_ratio(1, 0) > 1e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_run__by_hand),
        cmocka_unit_test(slot_run__every_policy_accounts_for_every_packet),
        cmocka_unit_test(slot_run__occamy_expels_within_the_slot),
        cmocka_unit_test(slot_run__reports_what_cannot_be_built),
        cmocka_unit_test(slot_run__rows_carry_the_losses_of_lqd),
        cmocka_unit_test(slot_run__trace_holds_every_call),
        cmocka_unit_test(slot_ratio__of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
