/*
 * lossless.c - lossless classes: what `switch` says of them, and `pfc`, which says how hosts and switches pause
 * each other. Defaults of `pfc` are sim's (sim_config_init).
 */
#include <string.h>

#include "scenario/read/switch_settings.h"

struct pfc_settings {
    struct sim_pfc pfc;
    int64_t processing; /* bytes, or one of the words */
    uint32_t deadlock;  /* index into deadlock_choices */
};

#define PROCESSING_STANDARD INT64_C(-1)
#define PROCESSING_PAPER INT64_C(-2)

enum { DEADLOCK_VIOLATION, DEADLOCK_EXPECTED, DEADLOCK_STOP };

static const char *const loss_choices[] = {"violation", "expected", NULL};
static const char *const deadlock_choices[] = {"violation", "expected", "stop", NULL};
static const char *const action_choices[] = {"drop", "forward", "alert", NULL};
static const char *const watchdog_value[] = {"section pfc.watchdog", NULL};

#define FIELD(field) KEY_FIELD(struct pfc_settings, field)

static const struct key pfc_keys[] = {
    {.name = "quanta",
     .kind = KEY_COUNT,
     FIELD(pfc.quanta),
     .min = 1,
     .max = UINT16_MAX,
     .help = "Pause time in a frame, in units of 512 bit times. A pause that lasts is refreshed when half of it is "
             "over."},
    {.name = "processing",
     .kind = KEY_SPACE,
     FIELD(processing),
     .max = 1 << 20,
     .word = "paper",
     .word_value = PROCESSING_PAPER,
     .other_word = "standard",
     .other_value = PROCESSING_STANDARD,
     .help =
         "Time from the arrival of a frame to its effect, in bytes at the rate of the link. paper: 3840B at every "
         "rate, as in the DSH paper; standard: what IEEE 802.3 (31B.3.7) allows at the rate of each link, 25216B at "
         "100Gbps."},
    {.name = "loss",
     .kind = KEY_CHOICE,
     FIELD(pfc.loss_expected),
     .choices = loss_choices,
     .help = "What a lost packet of a lossless class is: violation: the run fails; expected: a measure like others."},
    {.name = "deadlock",
     .kind = KEY_CHOICE,
     FIELD(deadlock),
     .choices = deadlock_choices,
     .help = "What a deadlock is; stop: expected, and the run ends when one is found."},
    {.name = "look",
     .kind = KEY_TIME,
     FIELD(pfc.look_ps),
     .min = WEIR_PS_PER_NS,
     .max = KEY_TIME_MAX,
     .word = "never",
     .word_value = 0,
     .help = "Time between two looks for deadlocks."},
    {.name = "watchdog",
     .kind = KEY_OTHER,
     .of = &watchdog_section,
     .choices = watchdog_value,
     .help = "Off by default."},
};

static void pfc_defaults(void *target, uint32_t kind)
{
    struct sim_config config;
    (void)kind;
    sim_config_init(&config);
    *(struct pfc_settings *)target =
        (struct pfc_settings){.pfc = config.pfc, .processing = config.pfc.processing_bytes};
}

const struct section pfc_section = {
    .name = "pfc",
    SECTION_KEYS(struct pfc_settings, pfc_keys),
    .defaults = pfc_defaults,
    .place = "pfc",
    .help = "Priority flow control (IEEE 802.1Qbb) of every host and switch, where classes are lossless.",
};

static const struct key watchdog_keys[] = {
    {.name = "detect",
     .kind = KEY_TIME,
     .required = true,
     FIELD(pfc.watchdog_detect_ps),
     .min = WEIR_PS_PER_NS,
     .max = KEY_TIME_MAX,
     .word = "never",
     .word_value = 0,
     .help = "A queue paused this long with packets waiting is in a storm."},
    {.name = "restore",
     .kind = KEY_TIME,
     FIELD(pfc.watchdog_restore_ps),
     .min = WEIR_PS_PER_NS,
     .max = KEY_TIME_MAX,
     .help = "The storm is over after this long without a pause."},
    {.name = "action",
     .kind = KEY_CHOICE,
     FIELD(pfc.watchdog_action),
     .choices = action_choices,
     .help = "drop: the queue is emptied, and loses what arrives; forward: its pauses are ignored; alert: the storm is "
             "counted."},
};

const struct section watchdog_section = {
    .name = "watchdog",
    SECTION_KEYS(struct pfc_settings, watchdog_keys),
    .defaults = pfc_defaults,
    .place = "pfc.watchdog",
    .help = "What a switch does about output queues paused for too long.",
};

bool read_pfc(struct build *build)
{
    struct reader *reader = &build->reader;
    struct sim_config *config = &build->scenario->config;
    bool lossless = config->tiers[0].mmu.lossless_mask != 0;
    const struct node *written = node_find(build->root, "pfc"), *map = read_section(build, "pfc", NODE_MAP);
    struct pfc_settings settings;
    pfc_defaults(&settings, 0);
    bool good = map != NULL && section_read(reader, &pfc_section, map, 0, &settings);
    if (map == NULL || (!good && !reader_goes_on(reader)))
        return false;
    const struct node *watchdog = node_find(map, "watchdog");
    if ((watchdog != NULL && !section_read(reader, &watchdog_section, watchdog, 0, &settings)) || !good)
        return false;
    config->pfc = settings.pfc;
    config->pfc.processing_standard = settings.processing == PROCESSING_STANDARD;
    if (settings.processing >= 0)
        config->pfc.processing_bytes = (uint32_t)settings.processing;
    config->pfc.deadlock_expected = settings.deadlock != DEADLOCK_VIOLATION;
    config->pfc.deadlock_stops = settings.deadlock == DEADLOCK_STOP;
    if (!lossless)
        return written == NULL || read_warn(build, written, "pfc has no effect: no class is lossless");
    struct node *shown = section_show(reader, &pfc_section, 0, &settings);
    return section_put(reader, shown, "watchdog", section_show(reader, &watchdog_section, 0, &settings)) &&
           section_put(reader, build->shown, "pfc", shown);
}

const struct node *read_find_headroom(const struct node *map)
{
    const struct node *headroom = node_find(map, "headroom");
    bool none = headroom != NULL && headroom->kind == NODE_SCALAR && strcmp(headroom->text, "none") == 0;
    return none ? NULL : headroom;
}

bool read_lossless(struct build *build, const struct node *map, const struct settings *settings, uint32_t tier,
                   struct node *shown)
{
    struct reader *reader = &build->reader;
    struct sim_switch *sw = &build->scenario->config.tiers[tier];
    struct read_policy ingress = {.values = &build->scenario->headroom_values[tier]};
    /* Lossless classes and a scheme for their headroom need each other. */
    const struct node *headroom = read_find_headroom(map), *size = node_find(map, "headroom_size");
    if (settings->lossless != 0 && headroom == NULL)
        return reader_fail(reader, node_find(map, "lossless"),
                           "lossless: 'headroom' is missing (expected the name of a headroom scheme, such as sih)");
    if (settings->lossless == 0 && headroom != NULL)
        return error_at(reader->error, headroom->key_mark,
                        "'headroom' without 'lossless' (expected the lossless classes)");
    if (settings->lossless != 0 && settings->device_packets != 0)
        return error_at(reader->error, node_find(map, "device_queue")->key_mark,
                        "'device_queue' beside lossless classes: it would go on sending after a PAUSE, and delay PAUSE "
                        "frames, beyond what headroom covers");
    if (settings->lossless == 0 && settings->headroom_bytes != HEADROOM_SAFE)
        return error_at(reader->error, size->key_mark,
                        "'headroom_size' without 'lossless' (expected the lossless classes)");
    if (settings->lossless == 0)
        return true;
    if (!read_headroom(build, read_find_headroom(map), &ingress))
        return false;
    sw->mmu.lossless_mask = settings->lossless;
    sw->mmu.ingress = ingress.policy;
    sw->mmu.ingress_values = ingress.values;
    sw->headroom_size = settings->headroom_bytes == HEADROOM_SAFE       ? SIM_HEADROOM_SAFE
                        : settings->headroom_bytes == HEADROOM_EQUATION ? SIM_HEADROOM_EQUATION
                                                                        : SIM_HEADROOM_BYTES;
    sw->headroom_bytes = sw->headroom_size == SIM_HEADROOM_BYTES ? settings->headroom_bytes : 0;
    bool silent = settings->headroom_bytes == HEADROOM_SAFE; /* the default is shown too, where it matters */
    return section_put(reader, shown, "headroom", ingress.shown) &&
           (!silent || section_put(reader, shown, "headroom_size", node_scalar(reader->arena, "safe")));
}
