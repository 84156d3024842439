/*
 * fig14.c - see fig14.h.
 *
 * For each seed one sequence of bursts; LQD runs over it and its losses become Credence's predictions, each one flipped
 * with the given probability. The flips of a seed grow with the probability: what is false at 0.3 is false at 0.4 too.
 */
#include "fig14.h"

#include "measure.h"
#include "weir/random.h"

#define FIG14_CURVES (SLOT_FIG14_POINTS + SLOT_FIG14_OTHERS)

/* Sums over the seeds, per curve point. */
struct sums {
    double ratio[FIG14_CURVES];
    double square[FIG14_CURVES];
    double lqd_loss;
};

const char *slot_fig14_other_name(enum slot_fig14_other other)
{
    static const char *const names[SLOT_FIG14_OTHERS] = {"DT (alpha 0.5)", "DT (alpha 1)", "Complete Sharing"};
    return names[other];
}

void slot_fig14_config_init(struct slot_fig14_config *config, uint64_t slots)
{
    slot_traffic_init(&config->traffic, SLOT_FIG14_PORTS, SLOT_FIG14_BUFFER, slots);
    config->traffic.burst_interval = SLOT_FIG14_INTERVAL;
    config->seeds = 10;
}

static struct slot_algorithm curve_algorithm(uint32_t curve, uint64_t seed)
{
    if (curve == SLOT_FIG14_POINTS + SLOT_FIG14_DT_HALF)
        return slot_algorithm_make(NULL, "dt", "alpha", "0.5", 0);
    if (curve == SLOT_FIG14_POINTS + SLOT_FIG14_DT_ONE)
        return slot_algorithm_make(NULL, "dt", "alpha", "1", 0);
    if (curve == SLOT_FIG14_POINTS + SLOT_FIG14_CS)
        return slot_algorithm_make(NULL, "cs", NULL, NULL, 0);
    weir_q16 flip = curve * WEIR_Q16_ONE / (SLOT_FIG14_POINTS - 1);
    struct slot_algorithm credence = slot_algorithm_make(NULL, "credence", NULL, NULL, flip);
    credence.flip_seed = weir_random_stream(seed, "slot.flips").key;
    return credence;
}

static enum weir_error_code add_case(struct sums *sums, const struct slot_case *c, uint64_t seed,
                                     struct weir_error *error)
{
    for (uint32_t curve = 0; curve < FIG14_CURVES; curve++) {
        struct slot_algorithm algorithm = curve_algorithm(curve, seed);
        uint64_t sent;
        enum weir_error_code status = slot_case_sent(c, &algorithm, &sent, error);
        if (status != WEIR_ERROR_NONE)
            return status;
        double ratio = slot_ratio(c->lqd.sent, sent);
        sums->ratio[curve] += ratio;
        sums->square[curve] += ratio * ratio;
    }
    if (c->lqd.arrived > 0)
        sums->lqd_loss += (double)c->lqd.lost / (double)c->lqd.arrived;
    return WEIR_ERROR_NONE;
}

/* Student's t for a two-sided 95 % interval. */
static double student(uint32_t freedom)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                               2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return freedom <= sizeof t / sizeof t[0] ? t[freedom - 1] : 1.960 + 2.5 / freedom;
}

enum weir_error_code slot_fig14_run(const struct slot_fig14_config *config, struct slot_fig14 *figure,
                                    const struct slot_progress *progress, struct weir_error *error)
{
    struct sums sums = {0};
    struct slot_traffic traffic = config->traffic;
    for (uint32_t i = 0; i < config->seeds; i++, traffic.seed++) {
        struct slot_arrivals arrivals;
        struct slot_case c;
        slot_arrivals_init(&arrivals, traffic.ports);
        enum weir_error_code status = slot_generate(slot_generator_find("bursts"), &traffic, &arrivals, error);
        if (status == WEIR_ERROR_NONE)
            status = slot_case_open(&c, &arrivals, traffic.buffer, false, error);
        if (status == WEIR_ERROR_NONE) {
            status = add_case(&sums, &c, traffic.seed, error);
            slot_case_close(&c);
        }
        slot_arrivals_free(&arrivals);
        if (status != WEIR_ERROR_NONE)
            return status;
        slot_progress_report(progress, i + 1, config->seeds);
    }
    for (uint32_t curve = 0; curve < FIG14_CURVES; curve++) {
        double sum = sums.ratio[curve];
        double square = sums.square[curve];
        uint32_t n = config->seeds;
        struct slot_estimate e = {.mean = sum / n};
        double variance = n > 1 ? (square - sum * e.mean) / (n - 1) : 0;
        if (variance > 0)
            e.half = student(n - 1) * weir_exp(0.5 * weir_log(variance / n));
        if (curve < SLOT_FIG14_POINTS)
            figure->credence[curve] = e;
        else
            figure->other[curve - SLOT_FIG14_POINTS] = e;
    }
    figure->lqd_loss = sums.lqd_loss / config->seeds;
    return WEIR_ERROR_NONE;
}

int slot_fig14_ahead(const struct slot_fig14 *figure, enum slot_fig14_other other)
{
    int point = 0;
    while (point < (int)SLOT_FIG14_POINTS && figure->credence[point].mean <= figure->other[other].mean)
        point++;
    return point - 1;
}
