/*
 * slot.c - `slot`: the policy of the switch in the slotted model, beside the simulation.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>

#include "scenario/read/read.h"

#define SLOT_FILE 0u /* the first choice */
static const char *const traffic_choices[] = {
    "file", "bursts", "uniform", "onoff", "cs-adversary", "dt-adversary", "followlqd-adversary", "lqd-adversary", NULL};

static const struct key slot_keys[] = {
    {.name = "traffic",
     .kind = KEY_CHOICE,
     .required = true,
     KEY_FIELD(struct scenario_slot, traffic),
     .choices = traffic_choices,
     .help = "What arrives: `file`, or as `weir slot run --traffic` has it."},
    {.name = "file",
     .kind = KEY_TEXT,
     KEY_FIELD(struct scenario_slot, file),
     .min = 1,
     .max = 4096,
     .help = "Arrivals, beside the scenario: a line of port numbers for each slot, # for comments."},
    {.name = "slots",
     .kind = KEY_COUNT,
     KEY_FIELD(struct scenario_slot, slots),
     .min = 1,
     .max = (int64_t)SLOT_SLOTS_MAX,
     .help = "Length of a sequence that is made."},
    {.name = "cases",
     .kind = KEY_COUNT,
     KEY_FIELD(struct scenario_slot, cases),
     .min = 1,
     .max = 100000000,
     .help = "Sequences, each with draws of its own, and predictions too."},
    {.name = "interval",
     .kind = KEY_REAL,
     KEY_FIELD(struct scenario_slot, interval),
     .min = 1,
     .max = 1000000 * KEY_BILLION,
     .help = "bursts: mean slots between two of them, in buffers."},
    {.name = "load",
     .kind = KEY_REAL,
     KEY_FIELD(struct scenario_slot, load),
     .min = 1,
     .max = KEY_BILLION,
     .help = "uniform, onoff: packets per input port and slot."},
    {.name = "burst",
     .kind = KEY_COUNT,
     KEY_FIELD(struct scenario_slot, burst),
     .min = 1,
     .max = SLOT_BUFFER_MAX,
     .word = "usual",
     .word_value = 0,
     .help = "Packets of a burst; usual: the buffer, and of onoff the mean, buffer / ports."},
    {.name = "width",
     .kind = KEY_COUNT,
     KEY_FIELD(struct scenario_slot, width),
     .min = 1,
     .max = SLOT_PORTS_MAX,
     .word = "ports",
     .word_value = SCENARIO_SLOT_PORTS,
     .other_word = "none",
     .other_value = 0,
     .help = "Most arrivals per slot, of bursts and adversaries; ports: as many as there are; none: no limit."},
};

const struct section slot_section = {
    .name = "slot",
    SECTION_KEYS(struct scenario_slot, slot_keys),
    .initial =
        &(const struct scenario_slot){
            .slots = 1000, .cases = 1, .interval = 1.375, .load = 0.9, .width = SCENARIO_SLOT_PORTS},
    .place = "slot",
    .help =
        "What the policy of the switch does in the slotted model: unit packets, as many ports as the first switch has, "
        "its buffer in full packets. Measures `slot.*`; the simulation is made as well.",
};

static bool read_arrivals(struct build *build, const struct node *at)
{
    struct reader *reader = &build->reader;
    struct scenario_slot *slot = &build->scenario->slot;
    struct read_image image = {.bytes = NULL};
    const char *path;
    if (!read_image(build, at, &(struct read_image_of){"file", slot->file}, &path, &image))
        return false;
    FILE *in = image.size > 0 ? fmemopen(image.bytes, image.size, "r") : NULL;
    bool good = in != NULL || reader_fail(reader, at, "file: nothing in it");
    if (in != NULL) {
        slot_arrivals_init(&slot->arrivals, slot->ports);
        enum weir_error_code status = slot_arrivals_read(&slot->arrivals, in, path, reader->error);
        good = status == WEIR_ERROR_NONE || (status == WEIR_ERROR_MEMORY && weir_fail_memory(reader->error));
        fclose(in);
    }
    free(image.bytes);
    slot->file = path;
    return good;
}

bool read_slot(struct build *build)
{
    struct reader *reader = &build->reader;
    struct scenario_slot *slot = &build->scenario->slot;
    const struct node *map = node_find(build->root, "slot");
    section_defaults(&slot_section, slot, 0);
    if (map == NULL)
        return true;
    if (!section_read(reader, &slot_section, map, 0, slot) || build->broken)
        return false;
    const struct weir_mmu_config *mmu = &build->scenario->config.tiers[0].mmu;
    int64_t buffer = (int64_t)mmu->buffer_cells * mmu->cell_bytes / reader->scale.frame_bytes;
    const struct topology *t = &build->scenario->topology;
    for (uint32_t i = 0; i < t->link_count; i++)
        slot->ports += (t->links[i].a == t->hosts) + (t->links[i].b == t->hosts);
    if (buffer < 1 || buffer > SLOT_BUFFER_MAX || slot->ports < 2 || slot->ports > SLOT_PORTS_MAX)
        return reader_fail(reader, map, "slot: a buffer of %lld packets and %u ports (expected 1 to %u and 2 to %u)",
                           (long long)buffer, slot->ports, SLOT_BUFFER_MAX, SLOT_PORTS_MAX);
    slot->buffer = (uint32_t)buffer;
    slot->has = true;
    slot->generator = slot_generator_find(traffic_choices[slot->traffic]);
    if ((slot->traffic == SLOT_FILE) != (slot->file != NULL))
        return reader_fail(reader, map, "slot: 'traffic: file' and 'file' go together");
    if (slot->file != NULL && !read_arrivals(build, node_find(map, "file")))
        return false;
    uint32_t trimmed = 0;
    for (uint32_t tc = 0; tc < mmu->classes; tc++)
        trimmed |= mmu->trim[tc].bytes;
    if (trimmed > 0)
        return reader_fail(reader, map,
                           "slot: switch.trim: a copy of a packet of one cell is as large as the packet, and takes a "
                           "slot to send (expected no 'slot', or losses: none)");
    return section_put(reader, build->shown, "slot", section_show(reader, &slot_section, 0, slot));
}
