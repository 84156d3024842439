/*
 * transport.c - the table of transports and the settings a new one starts with. See transport.h.
 */
#include "sim/transport.h"

#include <string.h>

#include "sim/config.h"

const struct transport *const transport_table[] = {
    &transport_newreno, &transport_cubic, &transport_dctcp, &transport_udp, NULL,
};

const struct transport *transport_find(const char *name)
{
    for (const struct transport *const *at = transport_table; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

/*
 * What the transports of a datacenter usually have:
 * - initial window 10 (RFC 6928); the largest window of 4096 segments, 6 MB, is what receivers allow by default;
 * - timeouts of 10 ms at least, as datacenter studies have it, instead of RFC 6298's 1 s; the first one likewise,
 *   because a round trip is far shorter; 60 s at most (RFC 6298);
 * - SACK, slow start, no handshake, an ACK for each segment; delayed ones would wait 1 ms, well below the timeout;
 * - DCTCP: g 1/16 and alpha 1 at first (RFC 8257). CUBIC: C 0.4, beta 0.7, Reno-friendly (RFC 9438);
 * - UDP: full packets at 1 Gb/s and constant gaps, always on.
 */
void sim_transport_init(struct sim_transport *transport, const struct transport *kind)
{
    *transport = (struct sim_transport){
        .kind = kind,
        .initial_window_segments = 10,
        .max_window_segments = 4096,
        .min_rto_ps = 10 * WEIR_PS_PER_MS,
        .initial_rto_ps = 10 * WEIR_PS_PER_MS,
        .max_rto_ps = 60 * WEIR_PS_PER_S,
        .sack = true,
        .slow_start = true,
        .ack_every = 1,
        .ack_delay_ps = WEIR_PS_PER_MS,
        .dctcp_gain = WEIR_Q16_ONE / 16,
        .dctcp_initial = WEIR_Q16_ONE,
        .cubic_c = WEIR_Q16_ONE * 4 / 10,
        .cubic_beta = WEIR_Q16_ONE * 7 / 10,
        .cubic_friendly = true,
        .rate_bps = 1000000000,
    };
}
