/*
 * test_dataplane_shaping.c - an emulated port sends at its rate: no frame begins before the one ahead of it has passed,
 * and a port that always has frames is never behind for good, however irregularly it is polled.
 */
#include "tests/support/dataplane_rig.h"

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "switch/dpdk/shaper.h"
#include "weir/random.h"

#define GAP 24u

static const weir_bps rates[] = {1000000, 100000000, 3000000000, 7000000001, 10000000000, 25000000000, 100000000000};
#define RATES (sizeof rates / sizeof rates[0])

/* floor(bytes * 8 / rate), in ps. */
static weir_ps exact_ps(uint64_t bytes, weir_bps rate)
{
    return (weir_ps)((weir_wide)bytes * (weir_wide)(8 * WEIR_PS_PER_S) / (weir_wide)rate);
}

static void shaper_pass__does_not_drift(void **state)
{
    struct weir_random draws = weir_random_stream(1, "sizes");
    (void)state;
    for (uint32_t r = 0; r < RATES; r++) {
        struct shaper shaper;
        uint64_t bytes = 0;
        shaper_init(&shaper, rates[r], GAP);
        for (uint32_t i = 0; i < 1000000; i++) {
            uint32_t frame = 60 + weir_random_below(&draws, 1455);
            bytes += frame + GAP;
            shaper_pass(&shaper, frame, 0);
        }
        weir_ps wrong = shaper.free_ps - exact_ps(bytes, rates[r]);
        assert_in_range(wrong + 1, 0, 2); /* a million frames, at most a picosecond off */
    }
}

/* The times at which frames begin depend on when they were ready, not on when somebody came to send them. */
static void shaper_pass__waits_for_the_frame(void **state)
{
    struct shaper shaper;
    (void)state;
    shaper_init(&shaper, 8000000000000, 0); /* a byte in a picosecond */
    assert_int_equal(shaper_begins(&shaper, 50), 50);
    assert_int_equal(shaper_pass(&shaper, 100, 50), 150);
    assert_int_equal(shaper_begins(&shaper, 60), 150);
    assert_int_equal(shaper_pass(&shaper, 100, 60), 250);
    assert_int_equal(shaper_begins(&shaper, 400), 400);
    assert_int_equal(shaper_pass(&shaper, 100, 400), 500);
    shaper_init(&shaper, 3000000000000, 0); /* 8/3 ps for a byte */
    assert_int_equal(shaper_pass(&shaper, 1, 0), 2);
    assert_int_equal(shaper_pass(&shaper, 1, 0), 5);
    assert_int_equal(shaper_pass(&shaper, 1, 0), 8);
    assert_int_equal(shaper_pass(&shaper, 1, 9), 11); /* idle in between: the fraction is gone */
}

struct departures {
    struct weir_trace trace;
    uint8_t buffer[WEIR_TRACE_BUFFER_MIN];
    uint8_t bytes[1 << 20];
    size_t size;
};

static bool departures_flush(void *context, const uint8_t *bytes, size_t count)
{
    struct departures *d = context;
    if (d->size + count > sizeof d->bytes)
        return false;
    memcpy(d->bytes + d->size, bytes, count);
    d->size += count;
    return true;
}

#define FRAMES 400u
#define FRAME_BYTES 1000u

/* When packets arrived and departed. */
struct times {
    weir_ps arrival[FRAMES], departure[FRAMES];
};

static void times_read(struct times *times, const struct departures *d)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_trace_reader *reader = calloc(1, sizeof *reader);
    struct weir_trace_ports *ports = calloc(1, sizeof *ports);
    struct weir_record *record = calloc(1, sizeof *record);
    uint32_t arrived = 0, departed = 0;
    assert_true(reader && ports && record);
    assert_true(weir_trace_open(reader, d->bytes, d->size, ports, &error));
    while (weir_trace_next(reader, record, &error) == WEIR_TRACE_RECORD) {
        if (record->kind == WEIR_REC_ARRIVE && arrived < FRAMES)
            times->arrival[arrived++] = record->now;
        if (record->kind == WEIR_REC_DEPART && record->departed && departed < FRAMES)
            times->departure[departed++] = record->now;
    }
    assert_int_equal(arrived, FRAMES);
    assert_int_equal(departed, FRAMES);
    free(reader);
    free(ports);
    free(record);
}

/* A frame begins when the one before it has passed, or when it arrives: counted from the last one that found the port
 * idle, so that nothing adds up that a single frame does not show. True when the port was not more than a frame behind
 * after half of them. */
static bool times_check(const struct times *times, weir_bps rate)
{
    weir_ps since = times->arrival[0], least_late = WEIR_NEVER;
    uint64_t frames = 0;
    for (uint32_t i = 0; i < FRAMES; i++) {
        weir_ps begins = since + exact_ps(frames * (FRAME_BYTES + GAP), rate);
        if (begins < times->arrival[i]) {
            begins = since = times->arrival[i];
            frames = 0;
        }
        frames++;
        assert_true(times->departure[i] >= begins);
        if (i >= FRAMES / 2 && times->departure[i] - begins < least_late)
            least_late = times->departure[i] - begins;
    }
    return least_late < exact_ps(FRAME_BYTES + GAP, rate);
}

static bool is_on_time(weir_bps rate, uint32_t time_scale, bool pipeline)
{
    const weir_bps both[] = {rate, rate};
    struct departures *d = calloc(1, sizeof *d);
    struct times times;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct rig rig;
    assert_non_null(d);
    d->trace =
        (struct weir_trace){.buffer = d->buffer, .size = sizeof d->buffer, .flush = departures_flush, .context = d};
    rig_config(&rig, 2, 1, 2 * FRAMES * FRAME_BYTES);
    if (pipeline && !rig_pipeline(&rig)) {
        free(d);
        print_message("skipped: the pipeline needs two processors\n");
        skip();
    }
    rig.config.sw.rates_bps = both;
    rig.config.time_scale = time_scale;
    rig_build(&rig, "cs", NULL);
    assert_true(dataplane_trace_begin(rig.dp, 0, &d->trace, 0, &error));
    for (uint32_t i = 0; i < FRAMES; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = FRAME_BYTES});
    assert_true(dataplane_start(rig.dp, &error));
    rig_settle(&rig);
    assert_true(dataplane_trace_end(rig.dp, 0));
    times_read(&times, d);
    bool on_time = times_check(&times, rate);
    free(d);
    rig_end(&rig);
    return on_time;
}

/* A port that is behind for good is behind every time; one whose machine stood still until all was over is not. */
static void run_port(weir_bps rate, uint32_t time_scale, bool pipeline)
{
    uint32_t tries = 1;
    while (!is_on_time(rate, time_scale, pipeline))
        assert_true(tries++ < 20);
}

static void port__sends_at_its_rate(void **state)
{
    (void)state;
    run_port(10000000, 1, false);       /* 0.8 ms of the machine for a frame */
    run_port(10000000000, 1000, false); /* the same with another clock */
    run_port(3000000000, 300, false);
}

static void port__sends_at_its_rate_in_a_pipeline(void **state)
{
    (void)state;
    run_port(10000000000, 1000, true);
}

/* Two ports of 10 Mb/s, 0.82 ms for a frame or so many times more, and many frames for the second. */
static void start_slow(struct rig *rig, uint32_t time_scale)
{
    rig_config(rig, 2, 1, FRAMES * FRAME_BYTES);
    rig->config.time_scale = time_scale;
    rig->mmu.rate_bps = 10000000;
    rig_start(rig, "cs", NULL);
    for (uint32_t i = 0; i < FRAMES; i++)
        rig_send(&(struct rig_frame){.input = 0, .to = 2, .bytes = FRAME_BYTES});
}

/* Nobody comes at the very moment at which a frame could begin, and this is told also of a port that never rests. */
static void port__tells_that_it_is_late(void **state)
{
    struct dataplane_status status;
    struct rig rig;
    (void)state;
    start_slow(&rig, 100); /* half a minute for all of them */
    assert_true(rig_waits_for(1, 3));
    dataplane_status(rig.dp, &status);
    assert_true(rig_account(&rig, 1, 0).current_bytes > 0);
    assert_true(status.late_ps_max > 0);
    rig_stop(&rig, 0);
    rig_end(&rig);
}

/* What a device did not take for a while is not made good for: its port goes on at its rate. Of what had left the
 * buffer before, a burst comes at once. */
static void port__does_not_hurry_after_its_device_stood_still(void **state)
{
    const double frame_s = (FRAME_BYTES + GAP) * 8 / 1e7;
    struct rig rig;
    uint32_t out = 0;
    (void)state;
    rig_stall(1);
    start_slow(&rig, 1);
    rte_delay_us_sleep(200000); /* 244 frames */
    uint64_t start = rte_rdtsc();
    rig_go_on(1);
    for (uint32_t looks = 0; out < FRAMES / 2 && looks < RIG_PATIENCE_MS; looks++) {
        rte_delay_us_sleep(1000);
        out = rig_waiting(1);
        double passed_s = (double)(rte_rdtsc() - start) / (double)rte_get_tsc_hz();
        assert_true(out <= rig.config.burst + 1 + passed_s / frame_s);
    }
    assert_true(out >= FRAMES / 2);
    rig_stop(&rig, 0);
    rig_end(&rig);
}

int main(void)
{
    if (getenv("WEIR_VALGRIND") != NULL) {
        puts("skipped: valgrind has a clock of its own");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaper_pass__does_not_drift),
        cmocka_unit_test(shaper_pass__waits_for_the_frame),
        cmocka_unit_test(port__sends_at_its_rate),
        cmocka_unit_test(port__sends_at_its_rate_in_a_pipeline),
        cmocka_unit_test(port__tells_that_it_is_late),
        cmocka_unit_test(port__does_not_hurry_after_its_device_stood_still),
    };
    rig_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rig_finish(failed);
}
