/*
 * formula.h - the headroom of a lossless group as SONiC computes it on Spectrum in its dynamic buffer model
 * (sonic-swss, cfgmgr/buffer_headroom_mellanox.lua), term by term.
 *
 *     occupancy = (100 - p + p * worst) / 100      cells for bytes, of which p per cent are small packets
 *     xoff      = lossless MTU + (port MTU + cable + 2 gearbox + MAC and PHY + peer + tiles) * occupancy
 *
 * in whole KiB. The script has changed: FORMULA_2020 (sonic-swss pull request 1338) takes the share of small packets as
 * one of bytes, KiB of 1024 on the cable and one response time of the peer at every speed; FORMULA_2021 (1930) counts
 * that in quanta, by speed; FORMULA_2024 (3235) takes the share as one of packets and rounds the worst case up;
 * FORMULA_2026 (4757) adds 2 KiB where there is no shared headroom pool and that is still below the case of small
 * packets only.
 */
#ifndef OPERATE_MODEL_FORMULA_H
#define OPERATE_MODEL_FORMULA_H

#include "operate/model/platform.h"

enum sonic_formula { FORMULA_2020, FORMULA_2021, FORMULA_2024, FORMULA_2026, FORMULAS };
extern const char *const formula_years[FORMULAS]; /* "2020", ... */

struct formula_link {
    int64_t speed_mbps;
    double cable_m;
    int64_t port_mtu, lossless_mtu, small_percent;
    uint32_t lanes;
    bool is_shared; /* there is a shared headroom pool */
};

enum formula_term {
    FORMULA_PORT_MTU,
    FORMULA_CABLE,
    FORMULA_GEARBOX,
    FORMULA_MAC_PHY,
    FORMULA_PEER,
    FORMULA_TILES,
    FORMULA_TERMS
};

struct formula_result {
    double bytes[FORMULA_TERMS]; /* of the wire */
    double small_share;          /* per cent of the bytes */
    double occupancy;
    int64_t compensation; /* bytes, in xoff */
    int64_t xon, xoff, size;
};

/* The platform's cell is known. */
struct formula_result formula_headroom(const struct platform *platform, const struct formula_link *link,
                                       enum sonic_formula formula);

const char *formula_term_name(enum formula_term term);

#endif
