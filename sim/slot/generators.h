/*
 * generators.h - the generators behind traffic.h, one table entry each.
 */
#ifndef SLOT_GENERATORS_H
#define SLOT_GENERATORS_H

#include "traffic.h"

extern const struct slot_generator slot_bursts, slot_uniform, slot_onoff;
extern const struct slot_generator slot_cs_adversary, slot_dt_adversary, slot_followlqd_adversary, slot_lqd_adversary;

#endif
