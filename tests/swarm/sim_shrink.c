/*
 * sim_shrink.c - greedy shrinking over the numbers of a world: see sim_shrink.h. Large steps first: whole parts, then
 * single numbers to their simplest value, then as far towards it as goes.
 */
#include "sim_shrink.h"

#include <string.h>

struct shrink {
    struct sim_world *world; /* the smallest that fails so far */
    sim_property *property;
    void *context;
    char fault[256]; /* what fails */
    uint32_t left;   /* evaluations allowed */
};

/* Takes the candidate if it fails in the same way. */
static bool shrink_try(struct shrink *s, const struct sim_world *candidate)
{
    if (s->left == 0)
        return false;
    s->left--;
    const char *fault = s->property(s->context, candidate);
    if (fault == NULL || strcmp(fault, s->fault) != 0)
        return false;
    *s->world = *candidate;
    return true;
}

static bool shrink_parts(struct shrink *s, const struct world_group *group)
{
    bool smaller = false;
    for (uint32_t i = world_parts(s->world, group); group->stride != 0 && i-- > 0;) {
        uint32_t parts = world_parts(s->world, group);
        if (parts == group->least)
            break;
        struct sim_world candidate = *s->world;
        char *at = (char *)world_at(&candidate, group->at + i * group->stride);
        memmove(at, at + group->stride, (parts - 1 - i) * group->stride);
        --*world_at(&candidate, group->count);
        smaller |= shrink_try(s, &candidate);
    }
    return smaller;
}

static void shrink_to(struct shrink *s, size_t offset, int64_t value)
{
    struct sim_world candidate = *s->world;
    *world_at(&candidate, offset) = value;
    shrink_try(s, &candidate);
}

/* By ever smaller steps, so that a bound is found in as many tries as it has digits. */
static bool shrink_number(struct shrink *s, size_t offset, int64_t simplest)
{
    int64_t first = *world_at(s->world, offset);
    for (int64_t step = first - simplest; step != 0 && *world_at(s->world, offset) != simplest; step /= 2)
        shrink_to(s, offset, *world_at(s->world, offset) - step);
    return *world_at(s->world, offset) != first;
}

static bool shrink_numbers(struct shrink *s, const struct world_group *group)
{
    bool smaller = false;
    for (uint32_t i = 0; i < world_parts(s->world, group); i++)
        for (uint32_t k = 0; k < group->gene_count; k++)
            smaller |=
                shrink_number(s, group->at + i * group->stride + group->genes[k].offset, group->genes[k].simplest);
    return smaller;
}

uint32_t sim_shrink(struct sim_world *world, sim_property *property, void *context, uint32_t tries)
{
    struct shrink s = {.world = world, .property = property, .context = context, .left = tries};
    const char *fault = property(context, world);
    if (fault == NULL)
        return 1;
    snprintf(s.fault, sizeof s.fault, "%s", fault);
    for (bool smaller = true; smaller && s.left > 0;) {
        smaller = false;
        for (uint32_t g = 0; g < sim_world_group_count; g++)
            smaller |= shrink_parts(&s, &sim_world_groups[g]);
        for (uint32_t g = 0; g < sim_world_group_count; g++)
            smaller |= shrink_numbers(&s, &sim_world_groups[g]);
    }
    return tries - s.left + 1;
}
