/*
 * formula.c - see formula.h. Double precision and the order of operations are those of the script, so that the bytes
 * are too.
 */
#include "operate/model/formula.h"

#include <assert.h>
#include <math.h>

#include "weir/headroom.h"

#define KIB 1024.0
#define LIGHT_M_PER_S 198000000.0 /* in the cable */
#define SMALLEST 64.0             /* bytes of a packet */
#define PEER_10G 67               /* quanta; IEEE 802.3 allows 10GBASE-T more */
#define LANES_DOUBLE 8u           /* such ports have two pipelines' worth */
#define SPEED_DOUBLE 400000       /* Mb/s: before lanes were counted */
#define COMPENSATION 2048

static double ceil_kib(double bytes)
{
    return ceil(bytes / KIB) * KIB;
}

const char *const formula_years[FORMULAS] = {"2020", "2021", "2024", "2026"};

/* Speeds without a row, and all of them at first, take what the platform says, as in the script. */
static double peer_bytes(const struct platform *platform, int64_t speed_mbps, enum sonic_formula formula)
{
    int64_t rate_bps = speed_mbps * 1000000;
    if (formula == FORMULA_2020 && platform->peer_response_time != SONIC_ABSENT)
        return platform_kib_bytes(platform->peer_response_time);
    for (const struct weir_pfc_response *row = weir_pfc_responses; row->rate_bps > 0; row++)
        if (row->rate_bps == rate_bps)
            return (speed_mbps == 10000 ? PEER_10G : row->quanta) * (double)WEIR_PFC_QUANTUM_BYTES;
    if (platform->peer_response_time != SONIC_ABSENT)
        return platform_kib_bytes(platform->peer_response_time);
    return weir_pfc_response_bytes(rate_bps);
}

static double occupancy(const struct platform *platform, double share, enum sonic_formula formula)
{
    double cell = (double)platform->cell;
    double worst = cell > 2 * SMALLEST ? cell / SMALLEST : 2 * cell / (1 + cell);
    if (formula >= FORMULA_2024)
        worst = ceil(worst);
    return (100 - share + share * worst) / 100;
}

static double small_share(const struct formula_link *link, int64_t percent, enum sonic_formula formula)
{
    double small = (double)percent;
    if (formula < FORMULA_2024)
        return small;
    return 100 * SMALLEST / ((small * SMALLEST + (100 - small) * (double)link->lossless_mtu) / 100);
}

static double value_or_0(int64_t value)
{
    return value == SONIC_ABSENT ? 0 : (double)value;
}

/* Rounded up to KiB. */
static double find_xoff(const struct formula_link *link, const double bytes[FORMULA_TERMS], double per_byte)
{
    double sum = 0;
    for (uint32_t term = 0; term < FORMULA_TERMS; term++)
        sum += bytes[term];
    return ceil_kib((double)link->lossless_mtu + sum * per_byte);
}

struct formula_result formula_headroom(const struct platform *platform, const struct formula_link *link,
                                       enum sonic_formula formula)
{
    struct formula_result result = {.small_share = small_share(link, link->small_percent, formula)};
    assert(platform->cell > 0 && link->speed_mbps > 0);
    double speed = (double)link->speed_mbps;
    result.bytes[FORMULA_PORT_MTU] = (double)link->port_mtu;
    result.bytes[FORMULA_CABLE] =
        2 * link->cable_m * speed * 1000000000 / LIGHT_M_PER_S / (formula < FORMULA_2024 ? 8 * KIB : 8 * 1000);
    result.bytes[FORMULA_GEARBOX] = 2 * (speed * value_or_0(platform->gearbox_delay) / (8 * KIB));
    result.bytes[FORMULA_MAC_PHY] = platform_kib_bytes(platform->mac_phy_delay);
    result.bytes[FORMULA_PEER] = peer_bytes(platform, link->speed_mbps, formula);
    result.bytes[FORMULA_TILES] = formula < FORMULA_2024 ? 0 : speed / 1000 * value_or_0(platform->tile_delay) / 8;
    result.occupancy = occupancy(platform, result.small_share, formula);
    double xoff = find_xoff(link, result.bytes, result.occupancy);
    if (formula == FORMULA_2026 && platform->extra_xoff != SONIC_ABSENT)
        result.compensation = platform->extra_xoff;
    if (formula == FORMULA_2026 && !link->is_shared && link->small_percent < 100 &&
        xoff + (double)result.compensation + COMPENSATION <
            find_xoff(link, result.bytes, occupancy(platform, small_share(link, 100, formula), formula)))
        result.compensation += COMPENSATION;
    bool is_double = formula == FORMULA_2020 ? link->speed_mbps == SPEED_DOUBLE : link->lanes == LANES_DOUBLE;
    double pipeline = platform_kib_bytes(platform->pipeline_latency);
    double xon = ceil_kib(is_double ? 2 * pipeline - (formula < FORMULA_2024 && pipeline > 0 ? KIB : 0) : pipeline);
    result.xoff = (int64_t)xoff + result.compensation;
    result.xon = (int64_t)xon;
    double overhead = is_double ? (double)link->port_mtu : 0;
    result.size = (int64_t)(link->is_shared ? xon : ceil_kib((double)result.xoff + xon + overhead));
    return result;
}

const char *formula_term_name(enum formula_term term)
{
    static const char *const names[FORMULA_TERMS] = {
        [FORMULA_PORT_MTU] = "port MTU",   [FORMULA_CABLE] = "cable, both ways", [FORMULA_GEARBOX] = "gearboxes",
        [FORMULA_MAC_PHY] = "MAC and PHY", [FORMULA_PEER] = "peer response",     [FORMULA_TILES] = "tiles",
    };
    return names[term];
}
