/*
 * trace_header.c - the head of a trace: which MMU this was.
 *
 * One table names every number of the configuration with its place and range, and drives both directions, so that
 * writer and reader cannot drift apart. After the numbers come the port rates and uplinks where they differ, and each
 * policy by name with its parameters by name: a build that has another set of parameters refuses the trace instead of
 * running something else.
 *
 * Ranges are those that keep the reader safe. Whether the numbers fit together is weir_mmu_config_check's to say.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "trace_internal.h"

#define NAME_MAX_BYTES 31u
#define VERSION_WITHOUT_TRIMS 2u
#define VERSION_WITHOUT_FLOWS 3u
#define OF(field) offsetof(struct weir_mmu_config, field)
#define STEP_OF(array) (sizeof((struct weir_mmu_config *)0)->array[0])

struct header_field {
    const char *name;
    size_t offset;
    size_t stride; /* between classes; 0: one for all */
    size_t bytes;  /* 1, 4 or 8 */
    uint64_t min, max;
};

/* `classes` comes before the first number per class. */
static const struct header_field header_fields[] = {
    {"ports", OF(ports), 0, 4, 1, WEIR_PORTS_MAX},
    {"inputs", OF(inputs), 0, 4, 0, WEIR_PORTS_MAX},
    {"classes", OF(classes), 0, 4, 1, WEIR_CLASSES_MAX},
    {"cell bytes", OF(cell_bytes), 0, 4, 1, UINT32_MAX},
    {"buffer cells", OF(buffer_cells), 0, 8, 1, WEIR_BUFFER_CELLS_MAX},
    {"headroom cells", OF(headroom_cells), 0, 8, 0, WEIR_BUFFER_CELLS_MAX},
    {"private cells", OF(private_cells), STEP_OF(private_cells), 8, 0, WEIR_BUFFER_CELLS_MAX},
    {"ingress private cells", OF(ingress_private_cells), STEP_OF(ingress_private_cells), 8, 0, WEIR_BUFFER_CELLS_MAX},
    {"descriptors", OF(packets_max), 0, 4, 1, UINT32_MAX},
    {"evictions", OF(evictions_max), 0, 4, 1, WEIR_TRACE_LOST_MAX},
    {"port rate", OF(rate_bps), 0, 8, 0, INT64_MAX},
    {"uplink headroom cells", OF(uplink.headroom_cells), 0, 8, 0, WEIR_BUFFER_CELLS_MAX},
    {"uplink delay", OF(uplink.delay_ps), 0, 8, 0, WEIR_TIME_MAX},
    {"uplink packet bytes", OF(uplink.mtu_bytes), 0, 4, 0, UINT32_MAX},
    {"uplink least packet bytes", OF(uplink.least_bytes), 0, 4, 0, UINT32_MAX},
    {"uplink gap bytes", OF(uplink.gap_bytes), 0, 4, 0, UINT32_MAX},
    {"uplink processing bytes", OF(uplink.processing_bytes), 0, 4, 0, UINT32_MAX},
    {"lossless mask", OF(lossless_mask), 0, 4, 0, UINT32_MAX},
    {"scheduler", OF(scheduler.kind), 0, 4, 0, WEIR_SCHED_COUNT - 1},
    {"quantum bytes", OF(scheduler.quantum_bytes), 0, 4, 0, UINT32_MAX},
    {"weight", OF(scheduler.weight), STEP_OF(scheduler.weight), 4, 0, UINT32_MAX},
    {"strict from", OF(scheduler.strict_from), 0, 4, 0, UINT32_MAX},
    {"marking", OF(marking[0].kind), STEP_OF(marking), 4, 0, WEIR_MARK_RED},
    {"low marking cells", OF(marking[0].low_cells), STEP_OF(marking), 8, 0, INT64_MAX},
    {"high marking cells", OF(marking[0].high_cells), STEP_OF(marking), 8, 0, INT64_MAX},
    {"marking chance", OF(marking[0].high_chance), STEP_OF(marking), 8, 0, WEIR_Q16_ONE},
    {"memory rate", OF(memory_bps), 0, 8, 0, INT64_MAX},
    {"memory cell bytes", OF(memory_cell_bytes), 0, 4, 1, UINT32_MAX},
    {"memory depth cells", OF(memory_depth_cells), 0, 4, 0, UINT32_MAX},
    {"seed", OF(seed), 0, 8, 0, UINT64_MAX},
};
static const size_t header_field_count = sizeof header_fields / sizeof header_fields[0];

/* At the end of a header of version 3 or 4. */
static const struct header_field trim_fields[] = {
    {"bytes of a copy", OF(trim[0].bytes), STEP_OF(trim), 4, 0, WEIR_PACKET_BYTES_MAX},
    {"class of copies", OF(trim[0].to), STEP_OF(trim), 4, 0, WEIR_CLASSES_MAX - 1},
    {"causes of copies", OF(trim[0].causes), STEP_OF(trim), 4, 0, WEIR_TRIM_CAUSES},
    {"ECN of copies", OF(trim[0].ecn), STEP_OF(trim), 4, 0, WEIR_TRIM_ECN_COUNT - 1},
    {"ingress of copies", OF(trim[0].skips_ingress), STEP_OF(trim), 1, 0, 1},
    {"chance of the newest", OF(trim[0].newest), STEP_OF(trim), 1, 0, WEIR_TRIM_CHANCES},
};
static const size_t trim_field_count = sizeof trim_fields / sizeof trim_fields[0];

/* And then of version 4. */
static const struct header_field gives_field = {
    "knowledge of flows", OF(gives), 0, 4, WEIR_GIVES_FLOWS, WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES};

_Static_assert(sizeof(enum weir_scheduler_kind) == 4 && sizeof(enum weir_marking_kind) == 4, "the table says 4 bytes");

static uint32_t field_repeats(const struct header_field *field, const struct weir_mmu_config *config)
{
    return field->stride != 0 ? config->classes : 1;
}

static void put_field(struct weir_trace *trace, const struct header_field *field, const struct weir_mmu_config *config)
{
    for (uint32_t c = 0; c < field_repeats(field, config); c++) {
        const char *at = (const char *)config + field->offset + c * field->stride;
        uint32_t narrow;
        uint64_t value;
        if (field->bytes == 1) {
            value = *(const unsigned char *)at;
        } else if (field->bytes == sizeof narrow) {
            memcpy(&narrow, at, sizeof narrow);
            value = narrow;
        } else {
            memcpy(&value, at, sizeof value);
        }
        weir_trace_put(trace, value);
    }
}

static void take_field(struct weir_trace_cursor *cursor, const struct header_field *field,
                       struct weir_mmu_config *config)
{
    for (uint32_t c = 0; c < field_repeats(field, config); c++) {
        char *at = (char *)config + field->offset + c * field->stride;
        uint64_t value = weir_trace_take(cursor, field->name, field->min, field->max);
        uint32_t narrow = (uint32_t)value;
        if (field->bytes == 1)
            *(unsigned char *)at = (unsigned char)value;
        else if (field->bytes == sizeof narrow)
            memcpy(at, &narrow, sizeof narrow);
        else
            memcpy(at, &value, sizeof value);
    }
}

/* Rates that are all the common one are not worth writing. */
static void put_rates(struct weir_trace *trace, const weir_bps *rates, uint32_t count, weir_bps common)
{
    bool differ = false;
    for (uint32_t i = 0; rates != NULL && i < count; i++)
        differ |= rates[i] != common;
    weir_trace_put(trace, differ);
    for (uint32_t i = 0; differ && i < count; i++)
        weir_trace_put(trace, (uint64_t)rates[i]);
}

/* Rates into the caller's memory, of which `room` entries are left; null when all ports have the common one. */
static const weir_bps *take_rates(struct weir_trace_cursor *cursor, weir_bps *rates, uint32_t room, uint32_t count)
{
    size_t start = cursor->at;
    if (weir_trace_take(cursor, "presence of rates", 0, 1) == 0)
        return NULL;
    if (rates == NULL || count > room) {
        weir_trace_break(cursor, start, "unequal port rates, and no memory for %u of them", count);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        rates[i] = (weir_bps)weir_trace_take(cursor, "port rate", 1, INT64_MAX);
    return rates;
}

static bool uplinks_differ(const struct weir_uplink *a, const struct weir_uplink *b)
{
    return a->headroom_cells != b->headroom_cells || a->delay_ps != b->delay_ps || a->mtu_bytes != b->mtu_bytes ||
           a->least_bytes != b->least_bytes || a->gap_bytes != b->gap_bytes ||
           a->processing_bytes != b->processing_bytes;
}

static void put_uplinks(struct weir_trace *trace, const struct weir_mmu_config *config)
{
    bool differ = false;
    for (uint32_t i = 0; config->uplinks != NULL && i < weir_mmu_inputs(config); i++)
        differ |= uplinks_differ(&config->uplinks[i], &config->uplink);
    weir_trace_put(trace, differ);
    for (uint32_t i = 0; differ && i < weir_mmu_inputs(config); i++) {
        weir_trace_put(trace, (uint64_t)config->uplinks[i].headroom_cells);
        weir_trace_put(trace, (uint64_t)config->uplinks[i].delay_ps);
        weir_trace_put(trace, config->uplinks[i].mtu_bytes);
        weir_trace_put(trace, config->uplinks[i].least_bytes);
        weir_trace_put(trace, config->uplinks[i].gap_bytes);
        weir_trace_put(trace, config->uplinks[i].processing_bytes);
    }
}

/* Into the caller's memory; null when all inputs have the common one. */
static const struct weir_uplink *take_uplinks(struct weir_trace_cursor *cursor, struct weir_uplink *uplinks,
                                              uint32_t count)
{
    size_t start = cursor->at;
    if (weir_trace_take(cursor, "presence of uplinks", 0, 1) == 0)
        return NULL;
    if (uplinks == NULL) {
        weir_trace_break(cursor, start, "different uplinks, and no memory for %u of them", count);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        uplinks[i].headroom_cells =
            (weir_cells)weir_trace_take(cursor, "uplink headroom cells", 0, WEIR_BUFFER_CELLS_MAX);
        uplinks[i].delay_ps = (weir_ps)weir_trace_take(cursor, "uplink delay", 0, WEIR_TIME_MAX);
        uplinks[i].mtu_bytes = (uint32_t)weir_trace_take(cursor, "uplink packet bytes", 0, UINT32_MAX);
        uplinks[i].least_bytes = (uint32_t)weir_trace_take(cursor, "uplink least packet bytes", 0, UINT32_MAX);
        uplinks[i].gap_bytes = (uint32_t)weir_trace_take(cursor, "uplink gap bytes", 0, UINT32_MAX);
        uplinks[i].processing_bytes = (uint32_t)weir_trace_take(cursor, "uplink processing bytes", 0, UINT32_MAX);
    }
    return uplinks;
}

static void put_name(struct weir_trace *trace, const char *name)
{
    size_t length = strlen(name);
    assert(length <= NAME_MAX_BYTES);
    weir_trace_put(trace, length);
    weir_trace_put_bytes(trace, name, length);
}

/* Bytes that no name has become question marks, so that a message about a damaged name stays printable. */
static void take_name(struct weir_trace_cursor *cursor, char name[NAME_MAX_BYTES + 1])
{
    size_t length = (size_t)weir_trace_take(cursor, "length of a name", 0, NAME_MAX_BYTES);
    const uint8_t *bytes = weir_trace_take_bytes(cursor, length);
    for (size_t i = 0; bytes != NULL && i < length; i++)
        name[i] = bytes[i] > ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '?';
    name[bytes != NULL ? length : 0] = '\0';
}

static void put_policy(struct weir_trace *trace, const struct weir_policy *policy, const struct weir_values *values,
                       uint32_t classes)
{
    struct weir_values defaults;
    if (policy == NULL) {
        put_name(trace, "");
        return;
    }
    if (values == NULL) {
        weir_values_init(&defaults, policy);
        values = &defaults;
    }
    put_name(trace, policy->name);
    weir_trace_put(trace, policy->param_count);
    for (uint32_t p = 0; p < policy->param_count; p++)
        put_name(trace, policy->params[p].name);
    weir_trace_put_values(trace, policy, values, classes);
}

/* The policy of a side with its values, or null: none was there, or the cursor is broken now. */
static const struct weir_policy *take_policy(struct weir_trace_cursor *cursor, const struct weir_trace_image *image,
                                             struct weir_values *values, uint32_t classes)
{
    char name[NAME_MAX_BYTES + 1];
    size_t start = cursor->at;
    take_name(cursor, name);
    if (name[0] == '\0')
        return NULL;
    const struct weir_policy *policy = image->find(name);
    if (policy == NULL && !cursor->broken) {
        weir_trace_break(cursor, start, "policy '%s' is unknown to this build", name);
        cursor->error->code = WEIR_ERROR_UNKNOWN;
        snprintf(cursor->error->name, sizeof cursor->error->name, "%s", name);
    }
    if (policy == NULL)
        return NULL;
    weir_trace_take(cursor, "number of parameters", policy->param_count, policy->param_count);
    for (uint32_t p = 0; p < policy->param_count && !cursor->broken; p++) {
        start = cursor->at;
        take_name(cursor, name);
        if (strcmp(name, policy->params[p].name) != 0)
            weir_trace_break(cursor, start, "parameter '%s' of policy %s, where this build has '%s'", name,
                             policy->name, policy->params[p].name);
    }
    weir_values_init(values, policy);
    weir_trace_take_values(cursor, policy, values, classes);
    return policy;
}

enum header_oracle { ORACLE_NONE, ORACLE_UNNAMED, ORACLE_OF_MODEL };

/* Answers of a model can be had again from the model, if it is the same. */
static void put_oracle(struct weir_trace *trace, const struct weir_oracle *oracle)
{
    enum header_oracle kind = oracle == NULL              ? ORACLE_NONE
                              : oracle->about.digest == 0 ? ORACLE_UNNAMED
                                                          : ORACLE_OF_MODEL;
    weir_trace_put(trace, kind);
    if (kind != ORACLE_OF_MODEL)
        return;
    weir_trace_put(trace, oracle->about.digest);
    weir_trace_put(trace, (uint64_t)oracle->about.flip);
    weir_trace_put(trace, oracle->about.seed);
}

static void take_oracle(struct weir_trace_cursor *cursor, struct weir_trace_reader *reader)
{
    uint64_t kind = weir_trace_take(cursor, "presence of an oracle", ORACLE_NONE, ORACLE_OF_MODEL);
    reader->oracle = kind != ORACLE_NONE;
    if (kind != ORACLE_OF_MODEL)
        return;
    reader->oracle_about.digest = weir_trace_take(cursor, "digest of a model", 1, UINT64_MAX);
    reader->oracle_about.flip = (weir_q16)weir_trace_take(cursor, "probability of a flip", 0, WEIR_Q16_ONE);
    reader->oracle_about.seed = weir_trace_take(cursor, "seed of flips", 0, UINT64_MAX);
}

bool weir_trace_trims(const struct weir_mmu_config *config)
{
    bool trims = false;
    for (uint32_t tc = 0; tc < config->classes; tc++)
        trims |= config->trim[tc].bytes > 0;
    return trims;
}

bool weir_trace_flows(const struct weir_mmu_config *config)
{
    return config->egress && config->egress->needs & WEIR_NEED_FLOW;
}

void weir_trace_put_header(struct weir_trace *trace, const struct weir_mmu_config *config)
{
    uint32_t inputs = weir_mmu_inputs(config);
    const bool flows = weir_trace_flows(config), trims = flows || weir_trace_trims(config);
    weir_trace_put_bytes(trace, WEIR_TRACE_MAGIC, strlen(WEIR_TRACE_MAGIC));
    weir_trace_put(trace, flows ? WEIR_TRACE_VERSION : trims ? VERSION_WITHOUT_FLOWS : VERSION_WITHOUT_TRIMS);
    for (size_t i = 0; i < header_field_count; i++)
        put_field(trace, &header_fields[i], config);
    put_rates(trace, config->rates_bps, config->ports, config->rate_bps);
    put_rates(trace, config->input_rates_bps, inputs, config->rate_bps);
    put_uplinks(trace, config);
    put_policy(trace, config->egress, config->egress_values, config->classes);
    put_policy(trace, config->ingress, config->ingress_values, config->classes);
    put_oracle(trace, config->oracle);
    for (size_t i = 0; trims && i < trim_field_count; i++)
        put_field(trace, &trim_fields[i], config);
    if (flows)
        put_field(trace, &gives_field, config);
}

/* What the header says of each port. */
static void take_ports(struct weir_trace_cursor *cursor, struct weir_trace_ports *ports, struct weir_mmu_config *config)
{
    weir_bps *rates = ports != NULL ? ports->rates_bps : NULL;
    uint32_t inputs = weir_mmu_inputs(config);
    config->rates_bps = take_rates(cursor, rates, WEIR_PORTS_MAX, config->ports);
    uint32_t taken = config->rates_bps != NULL ? config->ports : 0;
    config->input_rates_bps = take_rates(cursor, rates != NULL ? rates + taken : NULL, WEIR_PORTS_MAX - taken, inputs);
    config->uplinks = take_uplinks(cursor, ports != NULL ? ports->uplinks : NULL, inputs);
}

bool weir_trace_open_image(struct weir_trace_reader *reader, const struct weir_trace_image *image,
                           struct weir_error *error)
{
    struct weir_trace_cursor cursor = {.bytes = image->bytes, .size = image->size, .error = error};
    struct weir_mmu_config *config = &reader->config;
    memset(reader, 0, sizeof *reader);
    size_t length = strlen(WEIR_TRACE_MAGIC);
    const uint8_t *bytes = weir_trace_take_bytes(&cursor, length);
    if (bytes != NULL && memcmp(bytes, WEIR_TRACE_MAGIC, length) != 0)
        weir_trace_break(&cursor, 0, "this is not a trace");
    uint64_t version = weir_trace_take(&cursor, "format version", VERSION_WITHOUT_TRIMS, WEIR_TRACE_VERSION);
    for (size_t i = 0; i < header_field_count; i++)
        take_field(&cursor, &header_fields[i], config);
    take_ports(&cursor, image->ports, config);
    size_t egress_at = cursor.at;
    config->egress = take_policy(&cursor, image, &reader->egress_values, config->classes);
    if (config->egress == NULL)
        weir_trace_break(&cursor, egress_at, "there is no egress policy");
    config->ingress = take_policy(&cursor, image, &reader->ingress_values, config->classes);
    take_oracle(&cursor, reader);
    size_t trims_at = cursor.at;
    for (size_t i = 0; version >= VERSION_WITHOUT_FLOWS && i < trim_field_count; i++)
        take_field(&cursor, &trim_fields[i], config);
    if (version == VERSION_WITHOUT_FLOWS && !cursor.broken && !weir_trace_trims(config))
        weir_trace_break(&cursor, trims_at, "version 3 is for MMUs that trim, and this one trims no class");
    if (version == WEIR_TRACE_VERSION)
        take_field(&cursor, &gives_field, config);
    if (!cursor.broken && (version == WEIR_TRACE_VERSION) != weir_trace_flows(config))
        weir_trace_break(&cursor, egress_at, "policy %s %s flows, and traces of version %u are for those that %s",
                         config->egress->name, weir_trace_flows(config) ? "looks at" : "does not look at",
                         (unsigned)version, version == WEIR_TRACE_VERSION ? "do" : "do not");
    config->egress_values = &reader->egress_values;
    config->ingress_values = config->ingress != NULL ? &reader->ingress_values : NULL;
    reader->bytes = image->bytes;
    reader->size = image->size;
    reader->ports = config->ports;
    reader->classes = config->classes;
    reader->next = cursor.at;
    reader->checksum = weir_trace_checksum(WEIR_CHECKSUM_START, image->bytes, cursor.at);
    reader->at = cursor.broken ? cursor.broken_at : 0;
    return !cursor.broken;
}

bool weir_trace_open(struct weir_trace_reader *reader, const uint8_t *bytes, size_t size,
                     struct weir_trace_ports *ports, struct weir_error *error)
{
    const struct weir_trace_image image = {bytes, size, ports, weir_policy_find};
    return weir_trace_open_image(reader, &image, error);
}
