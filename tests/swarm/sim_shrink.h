/*
 * sim_shrink.h - makes a failing world smaller while it still fails in the same way: parts are left out, numbers set to
 * their simplest value or moved towards it, until no single step is left that keeps the failure.
 */
#ifndef WEIR_TESTS_SIM_SHRINK_H
#define WEIR_TESTS_SIM_SHRINK_H

#include "sim_world.h"

/* The name of what fails, or null. Names are compared as text. */
typedef const char *sim_property(void *context, const struct sim_world *world);

/* At most `tries` evaluations of the property. Returns how many were made. */
uint32_t sim_shrink(struct sim_world *world, sim_property *property, void *context, uint32_t tries);

#endif
