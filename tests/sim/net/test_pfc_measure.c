/*
 * test_pfc_measure.c - what is measured of lossless classes, in a network small enough to follow by hand, and the term
 * of the headroom in which a lost packet began.
 *
 * Links of 8 Gb/s without delay, packets of 100 bytes: one takes 100 ns. Hosts 0 and 1 send to host 2 at full rate. A
 * PAUSE takes 64 ns and is obeyed at once: the packet that its host has just begun is the only one that arrives after
 * the decision, and goes to headroom. In the 1000 ns in which a link fills the 1000 bytes of headroom, that is a rate
 * of 0.8 Gb/s, and each of the two queues sends 5 packets, which is 4 Gb/s.
 */
#include "show/writers/run_violations.h"
#include "sim/net/network.h"
#include "sim/sim.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/measured_run.h"

#define SMALL(buffer, pfc, size) CLASSES(buffer, "lossless: 0", pfc, size)
#define CLASSES(buffer, classes, pfc, size)                                                                            \
    "until: 6us\n"                                                                                                     \
    "topology: {kind: single, hosts: 3, rate: 8Gbps, delay: 0ps}\n"                                                    \
    "wire: {mss: 90B, header: 10B, ack: 10B, gap: 0B}\n"                                                               \
    "switch: {buffer: " buffer ", " classes ", policy: dt, headroom: {name: sih, alpha: 1/2, delta: 1500B}, "          \
    "headroom_size: " size "}\n"                                                                                       \
    "pfc: {processing: 0B" pfc "}\n"                                                                                   \
    "transports: {u: {kind: udp, rate: 8Gbps}}\n"                                                                      \
    "traffic:\n"                                                                                                       \
    "- {kind: long, transport: u, tag: a, sources: h0, destinations: h2, bytes: 9000B}\n"                              \
    "- {kind: long, transport: u, tag: b, sources: h1, destinations: h2, bytes: 9000B, from: 1ps}\n"

static const struct measure_value *find(const struct run *r, const char *name)
{
    for (uint32_t i = 0; i < r->measures.value_count; i++)
        if (strcmp(r->measures.values[i].name, name) == 0)
            return &r->measures.values[i];
    return NULL;
}

static double value(const struct run *r, const char *name)
{
    const struct measure_value *found = find(r, name);
    if (found == NULL)
        fail_msg("%s is not there", name);
    return found->value;
}

static void make__small_network(void **state)
{
    static const struct {
        const char *name, *unit;
        double value;
    } rows[] = {
        {"headroom.size", "B", 1000},
        {"headroom.reserved", "B", 3000}, /* of three ports */
        {"headroom.share", "1", 3.0 / 7},
        {"buffer.per_capacity", "s", 7000 * 8 / 24e9},
        {"headroom.peak", "1", 0.1},
        {"headroom.use.min", "1", 0.1},
        {"headroom.use.max", "1", 0.1},
        {"headroom.port_use.min", "1", 0.1}, /* one class: the port has what the queue has */
        {"headroom.port_use.max", "1", 0.1},
        {"headroom.pool_use.max", "1", 0.033},
        {"headroom.queues.mean", "1", 1}, /* the only class */
        {"headroom.below_half", "1", 0},
        {"pause.arrival_rate.min", "bit/s", 0.8e9},
        {"pause.arrival_rate.max", "bit/s", 0.8e9},
        {"pause.departure_rate.min", "bit/s", 4e9},
        {"pause.departure_rate.max", "bit/s", 4e9},
        {"pause.pauses", "1", 4},
        {"pause.resumes", "1", 2},
        {"pause.refreshes", "1", 0},
        {"pause.frames", "1", 6},
        {"pause.port_level", "1", 0},
        {"pause.time.switches", "s", 0},
        {"lossless.lost", "1", 0},
        {"deadlock.found", "1", 0},
        {"watchdog.storms", "1", 0},
        {"watchdog.dropped", "1", 0},
        {"violations", "1", 0},
    };
    struct run r;
    (void)state;
    run(&r, SMALL("7000B", "", "1000B"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double is = value(&r, rows[i].name), wanted = rows[i].value;
        assert_string_equal(find(&r, rows[i].name)->unit, rows[i].unit);
        if (is > wanted * (1 + 1e-12) || is < wanted * (1 - 1e-12))
            fail_msg("%s is %.17g, not %.17g", rows[i].name, is, wanted);
    }
    assert_true(value(&r, "pause.time") == value(&r, "pause.time.hosts"));
    assert_true(value(&r, "pause.time") > 4e-6 &&
                value(&r, "pause.time") < 6e-6); /* two twice, the second to the end */
    assert_null(find(&r, "deadlock.onset"));
    done(&r);
}

/* The small network with more classes, of which one is used and paused: half of two is not fewer than half. */
static void make__below_half(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {CLASSES("10KB", "classes: 2, lossless: 0-1", "", "1000B"), 0},
        {CLASSES("13KB", "classes: 3, lossless: 0-2", "", "1000B"), 1},
        {CLASSES("10KB", "classes: 3, lossless: 0-1", "", "1000B"), 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run r;
        run(&r, rows[i].text);
        assert_true(value(&r, "headroom.below_half") == rows[i].value);
        done(&r);
    }
}

static const struct measure_curve *find_curve(const struct run *r, const char *name)
{
    for (uint32_t i = 0; i < r->measures.curve_count; i++)
        if (strcmp(r->measures.curves[i].name, name) == 0)
            return &r->measures.curves[i];
    return NULL;
}

/*
 * One host, and a receiver that takes a packet each 1000 ns. A PAUSE is processed for 400 ns, so that five packets
 * arrive after the decision: 4 Gb/s in 1000 ns, while one leaves. A packet that leaves in between takes from headroom:
 * what is there falls from 100 B and rises again, or it is after the last and falls from 400 B.
 */
static void make__local_maxima(void **state)
{
    static const double maxima[] = {0.1, 0.4, 0.4, 1};
    struct run r;
    (void)state;
    run(&r, "until: 40us\n"
            "topology: {kind: single, hosts: 2, rates: [8Gbps, 800Mbps], delay: 0ps}\n"
            "wire: {mss: 90B, header: 10B, ack: 10B, gap: 0B}\n"
            "switch: {buffer: 6000B, lossless: 0, policy: dt, headroom: {name: sih, alpha: 1/2, delta: 500B}, "
            "headroom_size: 1000B}\n"
            "pfc: {processing: 400B}\n"
            "transports: {u: {kind: udp, rate: 8Gbps}}\n"
            "traffic: [{kind: long, transport: u, tag: a, sources: h0, destinations: h1, bytes: 90KB}]\n");
    assert_true(value(&r, "pause.arrival_rate.min") == 4e9 && value(&r, "pause.arrival_rate.max") == 4e9);
    assert_true(value(&r, "pause.departure_rate.min") == 0.8e9 && value(&r, "pause.departure_rate.max") == 0.8e9);
    const struct measure_curve *use = find_curve(&r, "headroom.use.cdf");
    assert_non_null(use);
    const struct measure_curve *by = find_curve(&r, "deadlock.by"); /* none until the end of the run */
    assert_non_null(by);
    assert_int_equal(by->count, 1);
    assert_true(by->points[0] == (double)sim_totals(r.sim).now / (double)WEIR_PS_PER_S && by->points[1] == 0);
    assert_int_equal(use->count, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(use->points[i] == maxima[i]);
    done(&r);
}

static void make__nothing_without_lossless_classes(void **state)
{
    struct run r;
    (void)state;
    run(&r, NETWORK TWO_SENDERS);
    static const char *const absent[] = {"pause.time", "headroom.size", "lossless.lost", "violations",
                                         "deadlock.found"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        assert_null(find(&r, absent[i]));
    assert_null(sim_measure(r.sim)->sw[0].pfc);
    done(&r);
}

/* With the same shared pool and no headroom, the packet that was on its way is lost. */
static void make__losses(void **state)
{
    struct run r;
    (void)state;
    run(&r, SMALL("4000B", "", "0B"));
    assert_true(value(&r, "lossless.lost") > 0);
    assert_true(value(&r, "lossless.lost") == value(&r, "lost.total"));
    assert_true(value(&r, "violations") == 1);
    const struct pfc_loss *first = &r.result->pfc.first;
    assert_int_equal(first->tc, 0);
    assert_int_equal(first->bytes, 100);
    assert_int_equal(first->queue_limit, 0);
    assert_true(first->when == first->decided_ps + 100000);
    assert_true(first->sent_ps == first->decided_ps);
    assert_int_equal(first->term, WEIR_HEADROOM_RESPONSE);
    done(&r);
    run(&r, SMALL("4000B", ", loss: expected", "0B"));
    assert_true(value(&r, "lossless.lost") > 0);
    assert_true(value(&r, "violations") == 0);
    done(&r);
}

/* What a scheme gives a queue is not what the link would need. */
static void make__headroom_of_the_scheme(void **state)
{
    static const struct {
        const char *scheme;
        double size, reserved;
    } rows[] = {
        {"sih", 1000, 3000},
        {"{name: oversubscribed, ratio: 1/2}", 500, 1500},
        {"{name: oversubscribed, ratio: 1/2, pool: yes}", 1000, 1500},
        {"adaptive", 4040, 12120}, /* equation 1: two packets and 3840 B */
        {"dsh", 1000, 3000},
        {"{name: dsh, insurance: no}", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run r;
        char text[2048];
        snprintf(text, sizeof text,
                 "until: 6us\n"
                 "topology: {kind: single, hosts: 3, rate: 8Gbps, delay: 0ps}\n"
                 "wire: {mss: 90B, header: 10B, ack: 10B, gap: 0B}\n"
                 "switch: {buffer: 14000B, lossless: 0, policy: dt, headroom: %s, headroom_size: 1000B}\n"
                 "transports: {u: {kind: udp, rate: 8Gbps}}\n" TWO_SENDERS,
                 rows[i].scheme);
        run(&r, text);
        if (value(&r, "headroom.size") != rows[i].size || value(&r, "headroom.reserved") != rows[i].reserved)
            fail_msg("%s: %g B of %g B", rows[i].scheme, value(&r, "headroom.size"), value(&r, "headroom.reserved"));
        done(&r);
    }
}

/* A loss says of how much headroom it found nothing left, and the peak is 1 then. */
static void make__losses_of_half_the_headroom(void **state)
{
    struct run r;
    (void)state;
    run(&r, "until: 40us\n"
            "topology: {kind: single, hosts: 2, rates: [8Gbps, 800Mbps], delay: 0ps}\n"
            "wire: {mss: 90B, header: 10B, ack: 10B, gap: 0B}\n"
            "switch: {buffer: 4000B, lossless: 0, policy: dt, headroom: {name: oversubscribed, ratio: 1/2, alpha: 1/2, "
            "delta: 500B}, headroom_size: 400B}\n"
            "pfc: {processing: 400B}\n"
            "transports: {u: {kind: udp, rate: 8Gbps}}\n"
            "traffic: [{kind: long, transport: u, tag: a, sources: h0, destinations: h1, bytes: 90KB}]\n");
    assert_true(value(&r, "lossless.lost") > 0);
    assert_true(value(&r, "headroom.peak") == 1);
    assert_int_equal(r.result->pfc.first.headroom_cells, 200);
    assert_int_equal(r.result->pfc.first.queue_limit, 200);
    done(&r);
}

/* By port and class: what all of them say together is the summary, and only who took part has a row. */
static void queue__small_network(void **state)
{
    static const struct {
        uint32_t node, peer, port;
        uint64_t told, heard, headroom;
    } rows[] = {{0, 3, 0, 0, 2, 0}, {1, 3, 0, 0, 2, 0}, {3, 0, 0, 2, 0, 100}, {3, 1, 1, 2, 0, 100}};
    struct run r;
    struct pfc_queue queue;
    weir_ps held = 0;
    (void)state;
    run(&r, SMALL("7000B", "", "1000B"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(pfc_summary_queue(r.sim, rows[i].node, rows[i].port, 0, &queue));
        assert_int_equal(queue.peer, rows[i].peer);
        assert_int_equal(queue.counters.pauses, rows[i].told);
        assert_int_equal(queue.counters.resumes, rows[i].told / 2);
        assert_int_equal(queue.counters.pauses_received, rows[i].heard);
        assert_int_equal(queue.headroom_peak_bytes, rows[i].headroom);
        assert_int_equal(queue.headroom_limit_bytes, rows[i].told ? 1000 : 0);
        assert_int_equal(queue.held_ps > 0, rows[i].heard > 0);
        assert_false(pfc_summary_queue(r.sim, rows[i].node, rows[i].port, 1, &queue));
        pfc_summary_queue(r.sim, rows[i].node, rows[i].port, 0, &queue);
        held += queue.held_ps;
    }
    assert_true(held == r.result->pfc.held_hosts_ps);
    assert_false(pfc_summary_queue(r.sim, 2, 0, 0, &queue));
    assert_false(pfc_summary_queue(r.sim, 3, 2, 0, &queue)); /* the way to host 2 is never paused */
    done(&r);
}

/* Host 0 sends by two switches to a slow host; the first switch is paused and its watchdog acts. */
static void make__losses_by_the_watchdog(void **state)
{
    struct run r;
    (void)state;
    run(&r, "until: 1ms\n"
            "topology: {kind: explicit, hosts: 2, switches: 2, links: [{a: h0, b: s0, rate: 10Gbps, delay: 1us}, "
            "{a: s0, b: s1, rate: 10Gbps, delay: 1us}, {a: s1, b: h1, rate: 10Mbps, delay: 1us}]}\n"
            "switch: {buffer: 100KB, lossless: 0, policy: dt, headroom: sih}\n"
            "pfc: {watchdog: {detect: 100us, restore: 50us}}\n"
            "transports: {u: {kind: udp, rate: 10Gbps}}\n"
            "traffic: [{kind: long, transport: u, tag: a, sources: h0, destinations: h1, bytes: 100MB}]\n");
    assert_true(value(&r, "lost.watchdog") > 100);
    assert_true(value(&r, "lost.watchdog") == value(&r, "watchdog.dropped"));
    assert_true(value(&r, "lost.total") == value(&r, "lost.watchdog"));
    assert_true(value(&r, "lost.total") == value(&r, "a.lost"));
    assert_true(value(&r, "lost.after_acceptance") == 0 && value(&r, "lost.flushed") == 0);
    assert_true(value(&r, "lossless.lost") == 0 && value(&r, "violations") == 0);
    assert_int_equal(r.result->lossy_places, 1);
    assert_int_equal(r.result->places[0].losses.total, r.result->lost.total);
    assert_int_equal(r.result->places[0].losses.watchdog, r.result->lost.total);
    done(&r);
}

/* Links of 10 Gb/s and 1 us, packets of 1500 bytes without gap, frames of 64 bytes that take 1 us to be processed. A
 * packet takes 1200 ns and arrives 2200 ns after it began; a frame takes 51.2 ns and arrives after 1051.2 ns. */
#define TERMS                                                                                                          \
    "until: 1ms\n"                                                                                                     \
    "topology: {kind: single, hosts: 2, rate: 10Gbps, delay: 1us}\n"                                                   \
    "wire: {mss: 1490B, header: 10B, ack: 10B, gap: 0B}\n"                                                             \
    "switch: {buffer: 100KB, lossless: 0, policy: dt, headroom: sih}\n"                                                \
    "pfc: {processing: 1250B}\n"                                                                                       \
    "transports: {u: {kind: udp, rate: 8Gbps}}\n"                                                                      \
    "traffic: [{kind: long, transport: u, tag: a, sources: h0, destinations: h1, bytes: 9000B}]\n"

static void loss__term(void **state)
{
    /* Decided at 10 us; sent 500 ns later: it arrives at 11,551.2 ns and is obeyed at 12,551.2 ns. */
    static const struct {
        weir_ps began_ps;
        uint32_t term;
    } rows[] = {
        {7800000, WEIR_HEADROOM_TRIGGER}, /* it arrives at 10 us */
        {7800001, WEIR_HEADROOM_DATA},      {9999999, WEIR_HEADROOM_DATA},
        {10000000, WEIR_HEADROOM_WAITING},  {10499999, WEIR_HEADROOM_WAITING},
        {10500000, WEIR_HEADROOM_PAUSE},    {11351200, WEIR_HEADROOM_PAUSE}, /* it is sent when the PAUSE is obeyed */
        {11351201, WEIR_HEADROOM_RESPONSE}, {12551199, WEIR_HEADROOM_RESPONSE},
        {12551200, PFC_NOT_OBEYED},         {20000000, PFC_NOT_OBEYED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run r;
        run(&r, TERMS);
        struct switch_node *node = &r.sim->switches[0];
        struct packet packet = {.bytes = 1500};
        pfc_measure_pause(node, 0, 1, 10000000);
        pfc_measure_sent(node, 0, 1, 10500000);
        pfc_measure_loss(node, 0, &packet, rows[i].began_ps + 2200000);
        const struct pfc_loss *first = &node->pfc_measure->first;
        if (first->term != rows[i].term)
            fail_msg("begun at %lld ps: %s", (long long)rows[i].began_ps, run_loss_term(first));
        done(&r);
    }
}

/* A PAUSE that is processed for long: a packet can begin and end in that time. */
static void loss__term_of_processing(void **state)
{
    struct run r;
    (void)state;
    run(&r, TERMS);
    struct switch_node *node = &r.sim->switches[0];
    struct packet packet = {.bytes = 100}; /* 80 ns */
    pfc_measure_pause(node, 0, 1, 10000000);
    pfc_measure_sent(node, 0, 1, 10000000);
    pfc_measure_loss(node, 0, &packet, 11100000 + 1080000); /* between 11,051.2 and 12,051.2 ns */
    assert_int_equal(node->pfc_measure->first.term, WEIR_HEADROOM_PROCESSING);
    pfc_measure_loss(node, 1, &packet, 99000000); /* only counted */
    assert_int_equal(node->pfc_measure->lost, 2);
    assert_int_equal(node->pfc_measure->first.input, 0);
    assert_int_equal(node->pfc_measure->queue[1 * PFC_CLASSES].lost, 1);
    done(&r);
}

/* A pause ends and begins again: the second one has a PAUSE of its own. */
static void sent__belongs_to_its_pause(void **state)
{
    struct run r;
    (void)state;
    run(&r, TERMS);
    struct switch_node *node = &r.sim->switches[0];
    const struct pfc_measure_queue *queue = &node->pfc_measure->queue[0];
    pfc_measure_pause(node, 0, 1, 1000);
    pfc_measure_sent(node, 0, 1, 2000);
    pfc_measure_sent(node, 0, 1, 3000); /* a refresh */
    assert_int_equal(queue->sent_ps, 2000);
    pfc_measure_resume(node, 0, 1, 4000);
    assert_true(queue->decided_ps == WEIR_NEVER);
    pfc_measure_pause(node, 0, 1, 5000);
    assert_int_equal(queue->decided_ps, 5000);
    assert_true(queue->sent_ps == WEIR_NEVER);
    done(&r);
}

/* Building a simulation, with the n-th allocation refused; true when it came to that. */
static bool create_short(const struct run *r, uint64_t number)
{
    struct weir_error error;
    failing_alloc_start(number);
    struct sim *sim = scenario_create(&r->scenario, &error);
    bool failed = failing_alloc_stop();
    assert_int_equal(sim == NULL, failed);
    sim_free(sim);
    assert_int_equal(failing_alloc_held(), 0);
    return failed;
}

static void create__survives_a_lack_of_memory(void **state)
{
    struct run r;
    uint64_t allocations = 1;
    (void)state;
    run(&r, TERMS);
    while (create_short(&r, allocations))
        allocations++;
    assert_true(allocations > 30);
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make__small_network),
        cmocka_unit_test(make__below_half),
        cmocka_unit_test(make__local_maxima),
        cmocka_unit_test(make__nothing_without_lossless_classes),
        cmocka_unit_test(make__losses),
        cmocka_unit_test(make__headroom_of_the_scheme),
        cmocka_unit_test(make__losses_of_half_the_headroom),
        cmocka_unit_test(queue__small_network),
        cmocka_unit_test(make__losses_by_the_watchdog),
        cmocka_unit_test(loss__term),
        cmocka_unit_test(loss__term_of_processing),
        cmocka_unit_test(sent__belongs_to_its_pause),
        cmocka_unit_test(create__survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
