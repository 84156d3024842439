/*
 * test_artifacts.c - options that follow the published code of a paper's authors, each against a plain statement of
 * what that code does, on random traffic. docs/policies/artifacts.md lists them.
 *
 * A statement knows lengths in bytes and the time, counts for itself and says whether an arrival is refused. Cells are
 * bytes, so that both see the same lengths. Statements that divide do so in doubles, as the authors' code, and the
 * policy in fixed point: `margin` bounds by how much the two thresholds may differ, and a verdict that close to the
 * threshold is not compared.
 */
#include <math.h>

#include "tests/support/fixture.h"

#include "weir/random.h"

#define PORTS 4u
#define CLASSES 2u
#define STEPS 40000u
#define RATE_BPS INT64_C(8000000000) /* a byte per nanosecond */
#define BUFFER 100000

/* What happens, and what the switch holds before it. */
struct scene {
    weir_ps now;
    uint32_t port, tc, bytes;
    bool unscheduled;
    double q[PORTS][CLASSES], used; /* bytes */
};

/* An author's rule. */
struct statement {
    double (*threshold)(const struct scene *s); /* an arrival is refused above it; asked once for each */
    void (*before)(const struct scene *s);      /* anything happens; null: does not matter */
    void (*entered)(const struct scene *s);     /* after an arrival */
    void (*refused)(const struct scene *s);
    void (*sent)(const struct scene *s, double left); /* `bytes` left the queue, which holds `left` */
    bool by_port;                                     /* lengths are those of ports */
    uint32_t arrivals;                                /* of a hundred things that happen in overload */
    double margin;                                    /* largest difference, part of the threshold; and 2 bytes */
};

static struct scene scene_next(const struct scene *last, struct weir_random *random, uint32_t classes, uint32_t bytes)
{
    struct scene s = *last;
    static const uint32_t first[] = {0, 0, 0, 2}, count[] = {2, 3, PORTS, 1}; /* busy ports change */
    uint32_t phase = (uint32_t)(last->now / (150 * WEIR_PS_PER_US) % 4);
    s.now += weir_random_below(random, 1000) * WEIR_PS_PER_NS;
    s.port = first[phase] + weir_random_below(random, count[phase]);
    s.tc = weir_random_below(random, classes);
    s.bytes = bytes ? bytes : 64 + weir_random_below(random, 1437);
    s.unscheduled = weir_random_below(random, 8) == 0;
    return s;
}

static void scene_arrive(struct fixture *f, struct scene *s, const struct statement *says, uint32_t compared[2])
{
    double held = s->q[s->port][s->tc], room = BUFFER - s->used;
    for (uint32_t tc = 0; says->by_port && tc < CLASSES; tc++)
        held += tc == s->tc ? 0 : s->q[s->port][tc];
    double limit = says->threshold(s), over = held + s->bytes - limit, blur = says->margin * limit;
    f->flags = s->unscheduled ? WEIR_FLAG_UNSCHEDULED : 0;
    bool accepted = fixture_accepts(f, s->port, s->tc, s->bytes, s->now);
    bool wanted = over <= 0 && s->bytes <= room;
    if (s->bytes > room || blur == 0 || fabs(over) > blur + 2) {
        if (accepted != wanted)
            fail_msg("at %lld ps, port %u, class %u: %s, held %.0f + %u over by %.2f", (long long)s->now, s->port,
                     s->tc, accepted ? "entered" : "refused", held, s->bytes, over);
        compared[accepted]++;
    }
    if (accepted) {
        s->q[s->port][s->tc] += s->bytes;
        s->used += s->bytes;
    }
    if (accepted ? says->entered != NULL : says->refused != NULL)
        (accepted ? says->entered : says->refused)(s);
}

static void scene_depart(struct fixture *f, struct scene *s, const struct statement *says)
{
    const struct weir_effects *fx = weir_mmu_depart(f->mmu, (weir_port){s->port}, s->now);
    if (!fx->departed)
        return;
    s->tc = weir_account_class(&weir_mmu_view(f->mmu)->geometry, fx->account).i;
    s->bytes = fx->bytes;
    s->q[s->port][s->tc] -= fx->bytes;
    s->used -= fx->bytes;
    if (says->sent)
        says->sent(s, s->q[s->port][s->tc]);
}

/* Both see the same packets; `bytes` 0: of any size. Each verdict must come up often. */
static void compare(const char *policy, const char *settings, const struct statement *says, uint32_t classes,
                    uint32_t bytes)
{
    struct fixture f;
    struct scene s = {0};
    struct weir_random random = weir_random_stream(7, policy);
    uint32_t compared[2] = {0, 0};
    fixture_config(&f, PORTS, classes, BUFFER);
    f.config.rate_bps = RATE_BPS;
    f.config.scheduler.kind = WEIR_SCHED_RR;
    fixture_build(&f, policy, settings);
    for (uint32_t i = 0; i < STEPS; i++) {
        bool relief = s.now / (400 * WEIR_PS_PER_US) % 2;
        bool arrives = weir_random_below(&random, 100) < (relief ? 40 : says->arrivals);
        s = scene_next(&s, &random, classes, bytes);
        if (says->before)
            says->before(&s);
        if (arrives)
            scene_arrive(&f, &s, says, compared);
        else
            scene_depart(&f, &s, says);
    }
    if (compared[0] < STEPS / 100 || compared[1] < STEPS / 10)
        fail_msg("%s: only %u refusals and %u entries were compared", policy, compared[0], compared[1]);
    fixture_free(&f);
}

/*
 * ABM's simulator: T = alpha (B - used) / n_p * mu, with n_p the sum of min(1, q / 28000 B) and at least 1, mu what the
 * queue sent over what its port could; outside [1 / queues, 1] it is 1. Both once per round trip. 1024 for packets of a
 * flow's first BDP. (There a queue's part of n_p is as of its last arrival.)
 */
#define ABM_WINDOW (80 * WEIR_PS_PER_US)
static struct {
    weir_ps sampled;
    double sent[PORTS][CLASSES], mu[PORTS][CLASSES], n[CLASSES];
    double first_alpha;
    bool clamp, share; /* Occamy's */
} abm;

static double abm_threshold(const struct scene *s)
{
    double alpha = s->unscheduled && abm.first_alpha > 0 ? abm.first_alpha : 0.5;
    return alpha * (BUFFER - s->used) / abm.n[s->tc] * abm.mu[s->port][s->tc];
}

static void abm_sample_mu(double could)
{
    for (uint32_t p = 0; p < PORTS; p++) {
        double port = abm.sent[p][0] + abm.sent[p][1];
        for (uint32_t c = 0; c < CLASSES; c++) {
            double mu = abm.share ? (port > 0 ? abm.sent[p][c] / port : 1) : abm.sent[p][c] / could;
            if (abm.clamp && mu < 1.0 / CLASSES)
                mu = 1.0 / CLASSES;
            abm.mu[p][c] = mu < 1.0 / CLASSES || mu > 1 ? 1 : mu;
            abm.sent[p][c] = 0;
        }
    }
}

static void abm_before(const struct scene *s)
{
    for (; abm.sampled + ABM_WINDOW <= s->now; abm.sampled += ABM_WINDOW) {
        double n[CLASSES] = {0, 0};
        abm_sample_mu((double)ABM_WINDOW / (double)WEIR_PS_PER_NS);
        for (uint32_t p = 0; p < PORTS; p++)
            for (uint32_t c = 0; c < CLASSES; c++)
                n[c] += s->q[p][c] < 28000 ? s->q[p][c] / 28000 : 1;
        for (uint32_t c = 0; c < CLASSES; c++)
            abm.n[c] = n[c] > 1 ? n[c] : 1;
    }
}

static void abm_sent(const struct scene *s, double left)
{
    (void)left;
    abm.sent[s->port][s->tc] += s->bytes;
}

/* mu and n_p have 16 bits after the point; n_p sums four, and both are above 1/2. */
static const struct statement abm_says = {
    .threshold = abm_threshold, .before = abm_before, .sent = abm_sent, .arrivals = 60, .margin = 8.0 / 65536};

static void abm_start(double first_alpha, bool share, bool clamp)
{
    memset(&abm, 0, sizeof abm);
    abm.first_alpha = first_alpha;
    abm.share = share;
    abm.clamp = clamp;
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t p = 0; p < PORTS; p++)
            abm.mu[p][c] = abm.n[c] = 1;
}

static void abm__as_its_simulator(void **unused)
{
    (void)unused;
    abm_start(1024, false, false);
    compare("abm", "alpha=0.5:unscheduled_alpha=1024:window=80us", &abm_says, CLASSES, 0);
}

/* Occamy's testbed: mu is the queue's part of what its port sent, clamped at 1 / queues; no first alpha. */
static void abm__as_on_occamys_testbed(void **unused)
{
    (void)unused;
    abm_start(0, true, true);
    compare("abm", "alpha=0.5:unscheduled_alpha=0:drain=share:low_drain=clamp:window=80us", &abm_says, CLASSES, 0);
}

/* And a queue is congested from 0.9 T on, counted with the new mu and the old n_p. Here from 7/8, which is exact in
 * fixed point, and in whole bytes: a queue more or less would double T. */
static void abm_before_occamy(const struct scene *s)
{
    for (; abm.sampled + ABM_WINDOW <= s->now; abm.sampled += ABM_WINDOW) {
        double n = 0;
        abm_sample_mu(1);
        for (uint32_t p = 0; p < PORTS; p++)
            n += s->q[p][0] > 0 && s->q[p][0] >= floor(0.875 * floor(floor(0.5 * (BUFFER - s->used)) / abm.n[0]));
        abm.n[0] = n > 1 ? n : 1;
    }
}

static void abm__congestion_as_in_occamys_comparison(void **unused)
{
    const struct statement says = {.threshold = abm_threshold,
                                   .before = abm_before_occamy,
                                   .sent = abm_sent,
                                   .arrivals = 60,
                                   .margin = 8.0 / 65536};
    (void)unused;
    abm_start(0, true, true);
    compare("abm",
            "alpha=0.5:unscheduled_alpha=0:drain=share:low_drain=clamp:congestion=threshold:congested_ratio=0.875:"
            "window=80us",
            &says, 1, 0);
}

/*
 * TDT's simulator, in packets: an evacuating port is held to min(DT, B / n) and leaves when that is above twice its
 * queue; the counters are the paper's.
 */
#define TDT_PACKETS (BUFFER / 1000)
static struct tdt_port {
    enum { TDT_NORMAL, TDT_ABSORBS, TDT_EVACUATES } is;
    int nec, oc1, oc2, dc, dec;
} tdt[PORTS];

static uint32_t tdt_evacuations;
static double tdt_alpha;

static double tdt_threshold(const struct scene *s)
{
    double dt = tdt_alpha * (BUFFER - s->used), absorbing = 0;
    for (uint32_t p = 0; p < PORTS; p++)
        absorbing += tdt[p].is == TDT_ABSORBS;
    if (tdt[s->port].is == TDT_ABSORBS)
        return floor(BUFFER / absorbing);
    return tdt[s->port].is == TDT_EVACUATES && dt > BUFFER / PORTS ? BUFFER / PORTS : dt;
}

static void tdt_becomes(struct tdt_port *p, int state)
{
    p->is = state;
    p->nec = p->oc1 = p->oc2 = 0;
}

static void tdt_entered(const struct scene *s)
{
    struct tdt_port *p = &tdt[s->port];
    p->dec = 0;
    if (p->is == TDT_NORMAL && ++p->nec >= TDT_PACKETS / (int)PORTS)
        tdt_becomes(p, TDT_ABSORBS);
}

static void tdt_refused(const struct scene *s)
{
    struct tdt_port *p = &tdt[s->port];
    if (s->bytes > BUFFER - s->used && p->is == TDT_ABSORBS)
        tdt_becomes(p, TDT_NORMAL);
    p->nec = p->dec = 0;
    if (p->is != TDT_EVACUATES && ++p->dc >= TDT_PACKETS / 2) {
        p->dc = 0;
        tdt_becomes(p, TDT_EVACUATES);
        tdt_evacuations++;
    }
}

static void tdt_sent(const struct scene *s, double left)
{
    struct tdt_port *p = &tdt[s->port];
    if (++p->dec >= 3) {
        p->dc = p->dec = 0;
        tdt_becomes(p, TDT_NORMAL);
        return;
    }
    p->nec -= p->nec > 0;
    if (p->is == TDT_NORMAL && ++p->oc1 >= TDT_PACKETS / (int)PORTS)
        p->oc1 = p->nec = p->dec = 0;
    else if (p->is == TDT_ABSORBS && ++p->oc2 >= 2 * TDT_PACKETS)
        tdt_becomes(p, TDT_NORMAL);
    else if (p->is == TDT_EVACUATES && tdt_threshold(s) > 2 * left)
        tdt_becomes(p, TDT_NORMAL);
}

static void tdt__as_its_simulator(void **unused)
{
    const struct statement says = {
        .threshold = tdt_threshold, .entered = tdt_entered, .refused = tdt_refused, .sent = tdt_sent, .arrivals = 80};
    (void)unused;
    for (tdt_alpha = 1; tdt_alpha <= 4; tdt_alpha += 3) {
        memset(tdt, 0, sizeof tdt);
        tdt_evacuations = 0;
        compare("tdt",
                tdt_alpha == 1 ? "evacuation=min-dt:leave=twice-queue" : "alpha=4:evacuation=min-dt:leave=twice-queue",
                &says, 1, 1000);
        assert_true(tdt_evacuations > 20);
    }
}

/* Occamy's simulator: DT, but a packet for an empty queue needs only room. */
static double occamy_threshold(const struct scene *s)
{
    return s->q[s->port][s->tc] == 0 ? BUFFER : floor((BUFFER - s->used) / 64);
}

static void occamy__as_its_simulator(void **unused)
{
    const struct statement says = {.threshold = occamy_threshold, .arrivals = 60};
    (void)unused;
    compare("occamy", "alpha=0.015625:empty_exception=yes", &says, CLASSES, 0);
}

/*
 * Credence's simulator keeps a threshold per queue. A departure lowers its own by its size, and one that leaves the
 * queue empty clears it; nothing else does but arrivals. What an arrival does is LQD's rule, as in the paper: it takes
 * what it lacks from the longest, unless its own would then be as long. (There it takes steps of 1500 B, and on a tie
 * too.)
 */
static double credence[PORTS];

/* Raised before the decision. */
static double credence_threshold(const struct scene *s)
{
    double total = s->bytes;
    uint32_t longest = 0;
    for (uint32_t p = 0; p < PORTS; p++) {
        total += credence[p];
        longest = credence[p] > credence[longest] ? p : longest;
    }
    if (total > BUFFER && credence[longest] <= credence[s->port] + s->bytes)
        return credence[s->port];
    if (total > BUFFER)
        credence[longest] -= total - BUFFER;
    return credence[s->port] += s->bytes;
}

static void credence_sent(const struct scene *s, double left)
{
    credence[s->port] -= credence[s->port] >= s->bytes ? s->bytes : credence[s->port];
    if (left == 0)
        credence[s->port] = 0;
}

static void credence__departures_as_its_simulator(void **unused)
{
    const struct statement says = {.threshold = credence_threshold, .sent = credence_sent, .arrivals = 60};
    (void)unused;
    memset(credence, 0, sizeof credence);
    compare("followlqd", "drain=dequeue", &says, 1, 0);
}

/* Occamy's prototype: refuse if T < q + 20 cells, as both were one round ago; drop at dequeue if q > T + 40, as now. */
#define P4_CELL 80u
#define P4_CELLS 1000
static void occamy_p4__as_its_prototype(void **unused)
{
    struct fixture f;
    struct weir_random random = weir_random_stream(7, "p4");
    weir_cells q[PORTS] = {0}, used = 0, seen_q[2][PORTS] = {{0}, {0}}, seen_used[2] = {0, 0};
    weir_ps now = 0, round = 0;
    static weir_cells cells_of[STEPS + 1]; /* by handle */
    uint32_t refused = 0, dropped = 0;
    (void)unused;
    fixture_config(&f, PORTS, 1, P4_CELLS);
    f.config.cell_bytes = P4_CELL;
    fixture_build(&f, "occamy-p4", "alpha=1:sync=1us");
    for (uint32_t i = 0; i < STEPS; i++) {
        now += weir_random_below(&random, 200) * WEIR_PS_PER_NS;
        for (; round + WEIR_PS_PER_US <= now; round += WEIR_PS_PER_US) {
            memcpy(seen_q[1], seen_q[0], sizeof q);
            memcpy(seen_q[0], q, sizeof q);
            seen_used[1] = seen_used[0];
            seen_used[0] = used;
        }
        uint32_t port = weir_random_below(&random, now / (50 * WEIR_PS_PER_US) % 2 ? PORTS : 1);
        weir_cells cells = 1 + weir_random_below(&random, 19);
        if (weir_random_below(&random, 100) < 55) {
            bool wanted = P4_CELLS - seen_used[1] >= seen_q[1][port] + 20 && cells <= P4_CELLS - used;
            assert_int_equal(fixture_accepts(&f, port, 0, (uint32_t)cells * P4_CELL, now), wanted);
            cells_of[f.sent] = cells;
            q[port] += wanted ? cells : 0;
            used += wanted ? cells : 0;
            refused += !wanted;
            continue;
        }
        const struct weir_effects *fx = weir_mmu_depart(f.mmu, (weir_port){port}, now);
        for (uint32_t k = 0; k < fx->lost_count; k++) {
            assert_true(q[port] > P4_CELLS - used + 40);
            q[port] -= cells_of[fx->lost[k].handle];
            used -= cells_of[fx->lost[k].handle];
            dropped++;
        }
        assert_true(!fx->departed || q[port] <= P4_CELLS - used + 40);
        q[port] -= fx->departed ? fx->bytes / P4_CELL : 0;
        used -= fx->departed ? fx->bytes / P4_CELL : 0;
    }
    assert_true(refused > 1000 && dropped > 100);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abm__as_its_simulator),
        cmocka_unit_test(abm__as_on_occamys_testbed),
        cmocka_unit_test(abm__congestion_as_in_occamys_comparison),
        cmocka_unit_test(tdt__as_its_simulator),
        cmocka_unit_test(occamy__as_its_simulator),
        cmocka_unit_test(credence__departures_as_its_simulator),
        cmocka_unit_test(occamy_p4__as_its_prototype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
