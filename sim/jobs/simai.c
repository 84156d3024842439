/*
 * simai.c - see simai.h. The text is read whole; then each rank's part is written, layer by layer.
 */
#include "sim/jobs/simai.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WORD_MAX 63u
#define LAYERS_MAX 10000000u
#define IMAGE_MAX ((uint64_t)1 << 36) /* of all ranks */

enum policy { DATA, MODEL, MICRO, TRANSFORMER, TRANSFORMER_AGAIN, INFERENCE, POLICIES };
static const char *const policy_names[POLICIES] = {
    "DATA", "MODEL", "MICRO", "HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "DISTRIBUTED_INFERENCE"};
/* Those whose groups are dimensions of a logical network, which is not there. */
static const char *const refused_names[] = {"HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA",    "HYBRID_DLRM",
                                            "HYBRID_CUSTOMIZED", "HYBRID_DLRM_ENHANCED", NULL};

enum phase { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, PHASES };
static const char *const phase_names[PHASES] = {"forward", "input gradient", "weight gradient"};

enum group { GROUP_NONE, GROUP_TENSOR, GROUP_DATA, GROUP_EXPERTS, GROUP_SAME_EXPERT };

static const struct {
    const char *name;
    enum collective_operation operation;
} operations[] = {{"ALLREDUCE", COLLECTIVE_ALL_REDUCE},
                  {"ALLGATHER", COLLECTIVE_ALL_GATHER},
                  {"REDUCESCATTER", COLLECTIVE_REDUCE_SCATTER},
                  {"ALLTOALL", COLLECTIVE_ALL_TO_ALL}};
#define OPERATIONS (sizeof operations / sizeof operations[0])

struct layer {
    struct {
        uint64_t ns, bytes;
        enum group group; /* GROUP_NONE: no operation */
        enum collective_operation operation;
    } phase[PHASES];
    uint64_t noticed_ns;
    bool checkpoint, initiates;
};

struct workload {
    const char *at, *end;
    uint32_t line;
    char word[WORD_MAX + 1];
    struct weir_error *error;
    enum policy policy;
    uint64_t tensor, experts, stages, ranks, pipeline_bytes;
    uint32_t data; /* members of a group of data parallelism */
    struct layer *layers;
    uint32_t layer_count;
    uint64_t *marks; /* layers that are checkpoints, then those that initiate */
    uint32_t mark_count, checkpoint_count;
};

/* Reading. */

static bool fail(const struct workload *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const struct workload *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(in->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    return weir_fail_within(in->error, "line %" PRIu32 ": ", in->line);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; false: there is none. A word that is too long is cut, and nothing is called so. */
static bool next_word(struct workload *in)
{
    uint32_t length = 0;
    while (in->at < in->end && is_blank(*in->at))
        in->at++;
    for (; in->at < in->end && *in->at != '\n' && !is_blank(*in->at); in->at++)
        if (length < WORD_MAX)
            in->word[length++] = *in->at > ' ' && *in->at < 127 ? *in->at : '?';
    in->word[length] = '\0';
    return length > 0;
}

static bool next_line(struct workload *in)
{
    while (in->at < in->end && *in->at != '\n')
        in->at++;
    if (in->at == in->end)
        return false;
    in->at++;
    in->line++;
    return in->at < in->end;
}

static bool take_number(struct workload *in, const char *what, uint64_t most, uint64_t *value)
{
    bool good = next_word(in);
    *value = 0;
    for (const char *c = in->word; good && *c != '\0'; c++) {
        good = *c >= '0' && *c <= '9' && *value <= (most - (uint64_t)(*c - '0')) / 10;
        *value = 10 * *value + (uint64_t)(*c - '0');
    }
    return good || fail(in, "%s: '%s' (expected a whole number of at most %" PRIu64 ")", what, in->word, most);
}

/* "checkpoints: 2 3 7" */
static bool read_marks(struct workload *in, const char *what)
{
    uint64_t count;
    if (!take_number(in, what, LAYERS_MAX, &count))
        return false;
    uint64_t *marks = realloc(in->marks, (in->mark_count + count + 1) * sizeof *marks);
    if (!marks)
        return weir_fail_memory(in->error);
    in->marks = marks;
    for (uint64_t i = 0; i < count; i++)
        if (!take_number(in, what, LAYERS_MAX, &in->marks[in->mark_count++]))
            return false;
    return true;
}

static bool read_policy(struct workload *in)
{
    uint32_t policy = 0, refused = 0;
    in->line = 1;
    next_word(in);
    while (policy < POLICIES && strcmp(in->word, policy_names[policy]) != 0)
        policy++;
    while (refused_names[refused] && strcmp(in->word, refused_names[refused]) != 0)
        refused++;
    in->policy = (enum policy)policy;
    if (refused_names[refused])
        return fail(in,
                    "%s: its groups are dimensions of a logical network (expected DATA, MODEL, MICRO, "
                    "HYBRID_TRANSFORMER, HYBRID_TRANSFORMER_FWD_IN_BCKWD or DISTRIBUTED_INFERENCE)",
                    in->word);
    return policy < POLICIES || fail(in, "'%s' (expected a policy such as HYBRID_TRANSFORMER_FWD_IN_BCKWD)", in->word);
}

/* "model_parallel_NPU_group: 8 ep: 1 ..."; the colon may be missing, as behind pp_comm. */
static bool read_head(struct workload *in)
{
    const struct {
        const char *name;
        uint64_t *value, most;
    } heads[] = {{"model_parallel_NPU_group", &in->tensor, UINT32_MAX},
                 {"ep", &in->experts, UINT32_MAX},
                 {"pp", &in->stages, UINT32_MAX},
                 {"all_gpus", &in->ranks, UINT32_MAX},
                 {"pp_comm", &in->pipeline_bytes, INT64_MAX},
                 {"vpp", NULL, UINT32_MAX},
                 {"ga", NULL, UINT32_MAX}};
    uint64_t ignored;
    if (!read_policy(in))
        return false;
    while (next_word(in)) {
        char name[WORD_MAX + 1];
        size_t length = strlen(in->word);
        memcpy(name, in->word, length + 1);
        if (name[length - 1] == ':')
            name[length - 1] = '\0';
        if (strcmp(name, "checkpoints") == 0) {
            if (in->mark_count > 0)
                return fail(in, "checkpoints: stand behind others (expected them once, before checkpoint_initiates:)");
            if (!read_marks(in, name))
                return false;
            in->checkpoint_count = in->mark_count;
            continue;
        }
        if (strcmp(name, "checkpoint_initiates") == 0) {
            if (!read_marks(in, name))
                return false;
            continue;
        }
        uint32_t i = 0;
        while (i < sizeof heads / sizeof heads[0] && strcmp(name, heads[i].name) != 0)
            i++;
        if (i == sizeof heads / sizeof heads[0])
            return fail(in,
                        "'%s' (expected model_parallel_NPU_group:, ep:, pp:, vpp:, ga:, all_gpus:, checkpoints:, "
                        "checkpoint_initiates: or pp_comm)",
                        in->word);
        if (!take_number(in, heads[i].name, heads[i].most, heads[i].value ? heads[i].value : &ignored))
            return false;
    }
    return true;
}

/* "ALLTOALL_EP" */
static bool take_operation(struct workload *in, struct layer *layer, enum phase phase)
{
    static const struct {
        const char *suffix;
        enum group group;
    } suffixes[] = {{"", GROUP_NONE},
                    {"_TP", GROUP_TENSOR},
                    {"_DP", GROUP_DATA},
                    {"_EP", GROUP_EXPERTS},
                    {"_DP_EP", GROUP_SAME_EXPERT}};
    next_word(in);
    layer->phase[phase].group = GROUP_NONE;
    if (strcmp(in->word, "NONE") == 0)
        return true;
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        size_t length = strlen(operations[i].name);
        if (strncmp(in->word, operations[i].name, length) != 0)
            continue;
        for (uint32_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++)
            if (strcmp(in->word + length, suffixes[k].suffix) == 0) {
                layer->phase[phase].operation = operations[i].operation;
                layer->phase[phase].group = k > 0                      ? suffixes[k].group
                                            : phase == WEIGHT_GRADIENT ? GROUP_DATA
                                                                       : GROUP_TENSOR;
                return true;
            }
    }
    return fail(in,
                "operation of the %s: '%s' (expected NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, with _TP, "
                "_DP, _EP, _DP_EP or nothing behind it)",
                phase_names[phase], in->word);
}

static bool read_layer(struct workload *in, struct layer *layer)
{
    const uint64_t most_ns = (uint64_t)WEIR_TIME_MAX / 1000;
    while (!next_word(in))
        if (!next_line(in))
            return fail(in, "the text ends, and line 2 names %" PRIu32 " layers (expected a line for each)",
                        in->layer_count);
    if (!next_word(in))
        return fail(in, "ends behind the name (expected 12 fields: name, dependency, three times nanoseconds, "
                        "operation, bytes; nanoseconds)");
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        char what[48];
        snprintf(what, sizeof what, "nanoseconds of the %s", phase_names[phase]);
        if (!take_number(in, what, most_ns, &layer->phase[phase].ns) || !take_operation(in, layer, (enum phase)phase))
            return false;
        snprintf(what, sizeof what, "bytes of the %s", phase_names[phase]);
        if (!take_number(in, what, INT64_MAX / 2, &layer->phase[phase].bytes))
            return false;
    }
    if (!take_number(in, "nanoseconds at the end", most_ns, &layer->noticed_ns))
        return false;
    return !next_word(in) || fail(in, "'%s' behind the 12 fields of a layer (expected the end of the line)", in->word);
}

static bool read_layers(struct workload *in)
{
    uint64_t count;
    next_line(in);
    if (!take_number(in, "layers", LAYERS_MAX, &count))
        return false;
    if (count == 0)
        return fail(in, "no layers (expected at least 1)");
    in->layer_count = (uint32_t)count;
    in->layers = calloc(count, sizeof *in->layers);
    if (!in->layers)
        return weir_fail_memory(in->error);
    next_line(in);
    for (uint32_t i = 0; i < in->layer_count; i++, next_line(in))
        if (!read_layer(in, &in->layers[i]))
            return false;
    do
        if (next_word(in))
            return fail(in, "'%s' behind the last of %" PRIu32 " layers (expected as many as line 2 says)", in->word,
                        in->layer_count);
    while (next_line(in));
    return true;
}

static bool mark_layers(struct workload *in)
{
    in->line = 1;
    for (uint32_t i = 0; i < in->mark_count; i++) {
        if (in->marks[i] >= in->layer_count)
            return fail(in, "layer %" PRIu64 " (expected 0 to %" PRIu32 ")", in->marks[i], in->layer_count - 1);
        struct layer *layer = &in->layers[in->marks[i]];
        if (i < in->checkpoint_count)
            layer->checkpoint = true;
        else
            layer->initiates = true;
    }
    for (uint32_t i = 0, last = UINT32_MAX; i < in->layer_count; i++) {
        last = in->layers[i].checkpoint ? i : last;
        if (in->layers[i].initiates && last == UINT32_MAX)
            return fail(in, "layer %" PRIu32 " initiates, and no checkpoint is before it (expected one)", i);
    }
    return true;
}

/* How ranks are divided. */
static bool divide(struct workload *in, const struct simai_setup *setup)
{
    const bool whole = in->policy == MODEL || in->policy == INFERENCE;
    in->line = 1;
    in->ranks = setup->ranks > 0 ? setup->ranks : in->ranks > 0 ? in->ranks : setup->room;
    in->stages = in->stages > 0 ? in->stages : 1;
    in->experts = in->experts > 0 ? in->experts : 1;
    in->tensor = in->tensor > 0 ? in->tensor : whole ? in->ranks / in->stages : 1;
    if (in->ranks % in->stages != 0 || in->ranks / in->stages % in->tensor != 0 || in->ranks < in->stages * in->tensor)
        return fail(in,
                    "%" PRIu64 " ranks in groups of %" PRIu64 " and %" PRIu64
                    " stages (expected a multiple of model_parallel_NPU_group times pp; 'ranks' of the traffic "
                    "replaces all_gpus)",
                    in->ranks, in->tensor, in->stages);
    in->data = (uint32_t)(in->ranks / in->stages / in->tensor);
    return in->data % in->experts == 0 ||
           fail(in,
                "ep: %" PRIu64 " does not divide the %" PRIu32
                " groups of data parallelism (expected a divisor; 'ranks' of the traffic replaces all_gpus)",
                in->experts, in->data);
}

/* Writing. */

enum { CPU_COMPUTE, CPU_SEND, CPU_NOTICE, CPU_NOTICE_WEIGHTS, CPU_JOIN };

struct part {
    const struct workload *of;
    const struct collective_choice *choice;
    struct goal_writer *writer;
    uint32_t *members; /* [ranks] */
    uint32_t rank, tag;
    uint32_t last; /* operation that the next one waits for; GOAL_ANY: none */
    struct weir_error *error;
};

static struct collective_members members_of(const struct part *part, enum group group)
{
    const struct workload *of = part->of;
    const uint32_t tensor = (uint32_t)of->tensor, experts = (uint32_t)of->experts, data = of->data;
    const uint32_t place = part->rank % tensor, copy = part->rank / tensor % data;
    uint32_t first = part->rank - place - copy * tensor, step = tensor, count = data, own = copy;
    if (group == GROUP_TENSOR) {
        first += copy * tensor - place;
        step = 1;
        count = tensor;
        own = place;
    } else if (group == GROUP_EXPERTS) {
        first += copy / experts * experts * tensor;
        count = experts;
        own = copy % experts;
    } else if (group == GROUP_SAME_EXPERT) {
        first += copy % experts * tensor;
        step = experts * tensor;
        count = data / experts;
        own = copy / experts;
    }
    for (uint32_t i = 0; i < count; i++)
        part->members[i] = first + place + i * step;
    return (struct collective_members){part->members, count, own};
}

static uint32_t add_calc(const struct part *part, uint64_t ns, uint8_t cpu, uint32_t after)
{
    uint32_t op = goal_add(part->writer, &(struct goal_op){.type = GOAL_CALC, .size = ns, .cpu = cpu});
    if (after != GOAL_ANY)
        goal_after(part->writer, op, after, false);
    return op;
}

static void compute(struct part *part, uint32_t layer, enum phase phase)
{
    uint64_t ns = part->of->layers[layer].phase[phase].ns;
    if (ns > 0 || part->last == GOAL_ANY)
        part->last = add_calc(part, ns, CPU_COMPUTE, part->last);
}

/* An operation after `last`; with `waited` it becomes that. */
static bool communicate(struct part *part, uint32_t number, enum phase phase, bool waited)
{
    const struct layer *layer = &part->of->layers[number];
    if (layer->phase[phase].group == GROUP_NONE || layer->phase[phase].bytes == 0)
        return true;
    struct collective_members members = members_of(part, layer->phase[phase].group);
    struct collective collective = {.operation = layer->phase[phase].operation,
                                    .bytes = layer->phase[phase].bytes,
                                    .tag = part->tag,
                                    .cpu = CPU_SEND};
    if (members.count < 2)
        return true;
    if (!collective_choose(&collective, part->choice, &members, part->error))
        return weir_fail_within(part->error, "layer %" PRIu32 ", %s: ", number, phase_names[phase]);
    uint64_t tags = ((uint64_t)4 * members.count + 4) * collective.chunks;
    if (tags > UINT32_MAX - 1 - part->tag)
        return weir_fail(part->error, WEIR_ERROR_RANGE, "more operations than there are tags");
    part->tag += (uint32_t)tags;
    uint32_t ends = collective_add(part->writer, &collective, &members, part->last, true);
    if (layer->noticed_ns > 0)
        ends = add_calc(part, layer->noticed_ns, waited ? CPU_NOTICE : CPU_NOTICE_WEIGHTS, ends);
    if (waited)
        part->last = ends;
    return !part->writer->failed || weir_fail_memory(part->error);
}

static bool forward(struct part *part, uint32_t from, uint32_t after)
{
    for (uint32_t i = from; i < after; i++) {
        compute(part, i, FORWARD);
        if (part->of->policy != DATA && !communicate(part, i, FORWARD, true))
            return false;
    }
    return true;
}

static bool backward_layer(struct part *part, uint32_t i)
{
    const enum policy policy = part->of->policy;
    if (policy == DATA) {
        compute(part, i, WEIGHT_GRADIENT);
        if (!communicate(part, i, WEIGHT_GRADIENT, false))
            return false;
        if (i > 0)
            compute(part, i, INPUT_GRADIENT);
        return true;
    }
    if (policy == TRANSFORMER_AGAIN && part->of->layers[i].initiates) {
        uint32_t from = i;
        while (!part->of->layers[from].checkpoint)
            from--;
        if (!forward(part, from, i))
            return false;
    }
    compute(part, i, INPUT_GRADIENT);
    if (policy != MODEL) {
        if (!communicate(part, i, INPUT_GRADIENT, true))
            return false;
        compute(part, i, WEIGHT_GRADIENT);
        return communicate(part, i, WEIGHT_GRADIENT, false);
    }
    uint32_t before = part->last;
    if (i > 0 && !communicate(part, i, INPUT_GRADIENT, true))
        return false;
    uint32_t sent = part->last;
    part->last = before;
    compute(part, i, WEIGHT_GRADIENT);
    if (sent != before) { /* the next layer waits for both */
        uint32_t computed = part->last;
        part->last = add_calc(part, 0, CPU_JOIN, computed);
        goal_after(part->writer, part->last, sent, false);
    }
    return true;
}

static bool write_rank(struct part *part)
{
    const struct workload *of = part->of;
    part->last = GOAL_ANY;
    part->tag = 0;
    if (of->policy == MICRO)
        return communicate(part, 0, WEIGHT_GRADIENT, false);
    if (!forward(part, 0, of->layer_count))
        return false;
    for (uint32_t i = of->layer_count; i > 0 && of->policy != INFERENCE; i--)
        if (!backward_layer(part, i - 1))
            return false;
    return true;
}

static bool write_ranks(const struct workload *in, const struct simai_setup *setup, struct goal_writer *writer)
{
    struct part part = {.of = in, .choice = setup->choice, .writer = writer, .error = in->error};
    part.members = malloc(in->ranks * sizeof *part.members);
    bool good = part.members || weir_fail_memory(in->error);
    for (uint32_t r = 0; good && r < in->ranks; r++) {
        part.rank = r;
        good = write_rank(&part);
        goal_end_rank(writer);
        if (good && r == 0 && writer->size * in->ranks > IMAGE_MAX)
            good = weir_fail(in->error, WEIR_ERROR_RANGE,
                             "%" PRIu32 " layers on %" PRIu64 " ranks are more than %" PRIu64
                             " GiB of operations (expected fewer ranks, by 'ranks', or fewer layers)",
                             in->layer_count, in->ranks, IMAGE_MAX >> 30);
    }
    free(part.members);
    return good;
}

bool simai_is(const char *text, size_t size)
{
    struct workload in = {.at = text, .end = text + size};
    if (!next_word(&in))
        return false;
    for (uint32_t i = 0; i < POLICIES; i++)
        if (strcmp(in.word, policy_names[i]) == 0)
            return true;
    return strncmp(in.word, "HYBRID_", 7) == 0;
}

unsigned char *simai_to_goal(const char *text, size_t text_size, const struct simai_setup *setup, size_t *size,
                             struct simai_about *about, struct weir_error *error)
{
    struct workload in = {.at = text, .end = text + text_size, .error = error};
    struct goal_writer writer = {.image = NULL};
    bool good = read_head(&in) && read_layers(&in) && mark_layers(&in) && divide(&in, setup);
    if (good) {
        goal_begin(&writer, (uint32_t)in.ranks);
        good = write_ranks(&in, setup, &writer);
    }
    free(in.layers);
    free(in.marks);
    unsigned char *image = goal_finish(&writer, size);
    if (good && !image)
        weir_fail_memory(error);
    *about = (struct simai_about){(uint32_t)in.ranks, in.layer_count, (uint32_t)in.stages, in.pipeline_bytes > 0};
    if (good)
        return image;
    free(image);
    return NULL;
}
