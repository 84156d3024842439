/*
 * uet_nscc.c - NSCC, the sender's window of Ultra Ethernet: the delay of a packet and its mark together say what to do.
 *
 * L is the largest round trip of the network, C the link's rate, D the target of queueing delay, R the round trip of
 * the flow's own path, m the payload of a full packet. A reference network of 100 Gb/s and 12 us scales the constants:
 *
 *   a = C L / 150,000 B, b = D / 12 us
 *   alpha = 4 m a b / D, fair = 5 m a, eta = 0.15 m a, fast = 0.25 a
 *
 *              delay >= D                           delay < D
 *   unmarked   increase += fair * bytes             increase += alpha * bytes * (D - delay); after a window of bytes
 *                                                   with less than 1 us instead window += fast * bytes
 *   marked     window *= 1 - 0.8 (avg - D) / avg,   nothing: the path changes, not the rate
 *              at least 1/2, once in R, if avg > D
 *
 *   every 8 packets, or L:  window += increase / window, and eta if L has passed
 *   a NACK:                 window -= bytes
 *   quick adapt, once in R + D:  after a loss or a delay above 4 D, if less than 1/8 of the largest window arrived in
 *                                that time, the window becomes what arrived; the marks of what is then under way are
 *                                ignored
 *
 * avg is the mean of delays with weight 1/80; an unmarked delay above D enters as R/4, a NACK as L. The window is
 * between one full packet and 1.5 C R.
 */
#include "sim/transport/uet.h"

#define UET_REFERENCE_PS (12 * WEIR_PS_PER_US)
#define UET_REFERENCE_BYTES 150000.0
#define UET_WEIGHT 0.0125
#define UET_GAMMA 0.8
#define UET_JUMP 0.5
#define UET_ADAPT_SHIFT 3
#define UET_ADJUST_PACKETS 8
#define UET_FAST_PS WEIR_PS_PER_US

static int64_t bytes_in(weir_bps rate_bps, weir_ps time_ps)
{
    return (int64_t)((double)rate_bps / 8 * ((double)time_ps / (double)WEIR_PS_PER_S));
}

int32_t uet_window_most(weir_bps rate_bps, weir_ps rtt_ps)
{
    double most = 1.5 * (double)bytes_in(rate_bps, rtt_ps);
    return most < INT32_MAX / 2 ? (int32_t)most : INT32_MAX / 2;
}

struct uet_scale uet_scale_of(const struct uet_params *params, const struct sim_wire *wire, weir_bps rate_bps,
                              weir_ps network_rtt_ps)
{
    weir_ps rtt = params->network_rtt_ps ? params->network_rtt_ps : network_rtt_ps;
    weir_ps target = params->target_ps ? params->target_ps : params->trimmed ? (weir_ps)(0.75 * (double)rtt) : rtt;
    double a = (double)bytes_in(rate_bps, rtt) / UET_REFERENCE_BYTES, b = (double)target / (double)UET_REFERENCE_PS;
    double mss = wire->mss_bytes;
    return (struct uet_scale){.rtt_ps = rtt,
                              .target_ps = target,
                              .alpha = 4.0 * mss * a * b / (double)target,
                              .fair = 5 * mss * a,
                              .eta = 0.15 * mss * a,
                              .fast = 0.25 * a,
                              .full = (int32_t)(wire->mss_bytes + wire->header_bytes)};
}

static void keep_within(struct uet_sender *s, const struct uet_scale *scale)
{
    s->window = s->window < s->window_most ? s->window : s->window_most;
    s->window = s->window > scale->full ? s->window : scale->full;
}

void uet_nscc_sample(struct uet_sender *s, const struct uet_scale *scale, weir_ps delay_ps, bool marked)
{
    double sample = !marked && delay_ps > scale->target_ps ? 0.25 * (double)s->base_ps : (double)delay_ps;
    s->delay_ps = (weir_ps)(UET_WEIGHT * sample + (1 - UET_WEIGHT) * (double)s->delay_ps);
}

/* True: it has set the window, or marks are still to be ignored. */
static bool quick_adapt(struct uet_sender *s, const struct uet_scale *scale, bool lost, bool marked, weir_ps delay_ps,
                        weir_ps now)
{
    bool done = s->ignored < s->to_ignore && marked;
    if (!done && now > s->adapt_ps) {
        bool late = s->triggered || lost || delay_ps > 4 * scale->target_ps;
        if (s->adapt_ps != 0 && late && (int64_t)s->achieved < s->window_most >> UET_ADAPT_SHIFT) {
            s->window = (int32_t)s->achieved > scale->full ? (int32_t)s->achieved : scale->full;
            s->to_ignore = s->in_flight > 0 ? (uint32_t)s->in_flight : 0;
            s->ignored = 0;
            s->triggered = false;
            done = true;
        }
        s->achieved = 0;
        s->adapt_ps = now + s->base_ps + scale->target_ps;
    }
    if (done) {
        s->increase = 0;
        s->grown = 0;
    }
    return done;
}

static void raise(struct uet_sender *s, const struct uet_scale *scale, uint32_t bytes, weir_ps delay_ps)
{
    if (delay_ps >= scale->target_ps) {
        s->increase = (int64_t)((double)s->increase + scale->fair * bytes);
        return;
    }
    if (delay_ps < UET_FAST_PS) {
        s->fast_bytes += bytes;
        if (s->fast || (int64_t)s->fast_bytes > s->window) {
            s->window = (int32_t)((double)s->window + bytes * scale->fast);
            s->fast = true;
            return;
        }
    } else {
        s->fast_bytes = 0;
    }
    s->fast = false;
    s->increase = (int64_t)((double)s->increase + scale->alpha * bytes * (double)(scale->target_ps - delay_ps));
}

static void lower(struct uet_sender *s, const struct uet_scale *scale, weir_ps now)
{
    s->fast = false;
    s->fast_bytes = 0;
    if (s->delay_ps <= scale->target_ps || now - s->decreased_ps <= s->base_ps)
        return;
    double factor = 1 - UET_GAMMA * (double)(s->delay_ps - scale->target_ps) / (double)s->delay_ps;
    s->window = (int32_t)(s->window * (factor > UET_JUMP ? factor : UET_JUMP));
    s->decreased_ps = now;
}

void uet_nscc_ack(struct uet_sender *s, const struct uet_scale *scale, uint32_t bytes, weir_ps delay_ps, bool marked,
                  weir_ps now)
{
    if (quick_adapt(s, scale, false, marked, delay_ps, now))
        return;
    if (!marked)
        raise(s, scale, bytes, delay_ps);
    else if (delay_ps >= scale->target_ps)
        lower(s, scale, now);
    keep_within(s, scale);
    if ((int64_t)s->grown > UET_ADJUST_PACKETS * (int64_t)scale->full || now - s->adjusted_ps > scale->rtt_ps) {
        int64_t window = s->window + s->increase / s->window;
        if (now - s->adjusted_ps >= scale->rtt_ps) {
            window = (int64_t)((double)window + scale->eta);
            s->adjusted_ps = now;
        }
        s->window = window < s->window_most ? (int32_t)window : s->window_most;
        s->increase = 0;
        s->grown = 0;
    }
    keep_within(s, scale);
}

void uet_nscc_nack(struct uet_sender *s, const struct uet_scale *scale, uint32_t bytes, bool kept, weir_ps now)
{
    s->ignored += bytes;
    uet_nscc_sample(s, scale, scale->rtt_ps, true);
    s->triggered = true;
    if (quick_adapt(s, scale, true, true, 0, now) || kept)
        return;
    s->window -= (int32_t)bytes;
    keep_within(s, scale);
}
