/*
 * tcp_hystart.c - leaves slow start when the path seems full, before packets are lost.
 *
 * classic (S. Ha, I. Rhee, "Taming the elephants: New TCP slow start", Computer Networks 2011), from a window of 16 on:
 *   - ACKs of one round that follow each other within 2 ms are a train; when it is longer than half the least round
 *     trip, the window fills the way there;
 *   - when the least of the first eight round trips of a round is above the least ever by an eighth of it.
 *   Either ends slow start.
 * plusplus (RFC 9406), in the first slow start only:
 *   - when the least of at least eight round trips is above that of the round before by an eighth of it, conservative
 *     slow start begins: a quarter of the growth. A round trip below where it began ends it; five rounds of it end slow
 *     start. An ACK opens the window by at most eight segments.
 *
 * The eighth is at least `hystart_delay` and at most four times that (4 and 16 ms in Linux and the RFC).
 */
#include "sim/transport/tcp_more.h"

#define LOW_WINDOW 16.0
#define TRAIN_GAP_PS (2 * WEIR_PS_PER_MS)
#define SAMPLES 8u
#define CSS_ROUNDS 5u
#define CSS_DIVISOR 4u
#define GROWTH_MAX 8u

const char *const tcp_hystart_names[] = {"off", "classic", "plusplus", NULL};

static weir_ps rise_of(const struct tcp_params *params, weir_ps rtt_ps)
{
    weir_ps rise = rtt_ps / 8, least = params->hystart_delay_ps;
    rise = rise < 4 * least ? rise : 4 * least;
    return rise > least ? rise : least;
}

static bool round_begins(struct tcp_sender *s, weir_ps now)
{
    struct tcp_hystart *h = &s->more->hystart;
    if (s->una <= h->end)
        return false;
    h->end = s->next;
    h->start_ps = h->last_ps = now;
    h->least_last_ps = h->least_ps;
    h->least_ps = WEIR_NEVER;
    h->samples = 0;
    return true;
}

static void sample(struct tcp_hystart *h, weir_ps rtt_ps)
{
    h->least_ps = rtt_ps < h->least_ps ? rtt_ps : h->least_ps;
    h->samples += h->samples < SAMPLES;
}

static bool train_is_long(struct tcp_sender *s, weir_ps now)
{
    struct tcp_hystart *h = &s->more->hystart;
    if (now - h->last_ps > TRAIN_GAP_PS)
        return false;
    h->last_ps = now;
    return now - h->start_ps > s->more->min_rtt_ps / 2;
}

static void classic(struct tcp_sender *s, const struct tcp_params *params, weir_ps rtt_ps, weir_ps now)
{
    struct tcp_hystart *h = &s->more->hystart;
    weir_ps least = s->more->min_rtt_ps;
    round_begins(s, now);
    bool enough = h->samples == SAMPLES;
    sample(h, rtt_ps);
    if (s->window < LOW_WINDOW)
        return;
    if (train_is_long(s, now) || (enough && h->least_ps >= least + rise_of(params, least)))
        s->threshold = s->window;
}

static void plusplus(struct tcp_sender *s, const struct tcp_params *params, weir_ps rtt_ps, weir_ps now)
{
    struct tcp_hystart *h = &s->more->hystart;
    bool rounds = round_begins(s, now);
    if (rounds && h->phase == TCP_HYSTART_CSS && ++h->css_rounds == CSS_ROUNDS) {
        s->threshold = s->window;
        h->phase = TCP_HYSTART_DONE;
        return;
    }
    sample(h, rtt_ps);
    if (h->samples < SAMPLES)
        return;
    if (h->phase == TCP_HYSTART_CSS && h->least_ps < h->baseline_ps) {
        h->phase = TCP_HYSTART_SLOW_START;
    } else if (h->phase == TCP_HYSTART_SLOW_START && h->least_last_ps != WEIR_NEVER &&
               h->least_ps >= h->least_last_ps + rise_of(params, h->least_last_ps)) {
        h->phase = TCP_HYSTART_CSS;
        h->baseline_ps = h->least_ps;
        h->css_rounds = h->css_credit = 0;
    }
}

uint32_t tcp_hystart_ack(struct tcp_sender *s, const struct tcp_params *params, const struct tcp_acked *acked,
                         weir_ps rtt_ps)
{
    struct tcp_hystart *h = &s->more->hystart;
    if (params->hystart == TCP_HYSTART_CLASSIC) {
        classic(s, params, rtt_ps, acked->now);
        return acked->grow;
    }
    if (h->phase == TCP_HYSTART_DONE)
        return acked->grow;
    plusplus(s, params, rtt_ps, acked->now);
    uint32_t grow = acked->grow < GROWTH_MAX ? acked->grow : GROWTH_MAX;
    if (h->phase != TCP_HYSTART_CSS)
        return grow;
    grow += h->css_credit;
    h->css_credit = (uint8_t)(grow % CSS_DIVISOR);
    return grow / CSS_DIVISOR;
}
