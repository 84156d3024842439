/*
 * calibrate.c - see calibrate.h. A qos_params file is read line by line: what counts is a key with a number under keys
 * that are indented less, one of which is a link such as 100000_300m. Anchors and lists do not matter.
 */
#include "operate/evaluate/calibrate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/random.h"

#define DEPTH_MAX 16u
#define NEAR_CELLS 4
#define NEAR_SHARE 0.01
#define DRAWS 1000u
#define SAME 1e-9 /* of mean errors */

static const char *const counts[CALIBRATE_COUNTS] = {"xoff", "ingress_drop", "egress_drop"};
static const char *const keys[CALIBRATE_COUNTS] = {"pkts_num_trig_pfc", "pkts_num_trig_ingr_drp",
                                                   "pkts_num_trig_egr_drp"};

const char *calibrate_count_name(enum calibrate_count count)
{
    return counts[count];
}

static struct calibrate_row *add_row(struct calibration *calibration)
{
    return sonic_list_add(&calibration->rows, sizeof(struct calibrate_row));
}

/* "100000_300m" */
static bool read_link(const char *text, int64_t *speed_mbps, double *cable_m)
{
    char *end;
    int64_t speed = strtoll(text, &end, 10);
    if (end == text || *end != '_' || speed <= 0)
        return false;
    double cable = strtod(end + 1, &end);
    if (strcmp(end, "m") != 0)
        return false;
    *speed_mbps = speed;
    *cable_m = cable;
    return true;
}

bool calibrate_is_measured(const char *path)
{
    static const char *const ends[] = {".csv", ".yaml", ".yml"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (length > strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

struct level {
    size_t indent;
    char key[48];
};

static bool read_yaml_line(struct calibration *calibration, const char *line, size_t length, struct level *levels,
                           uint32_t *depth, const char *part)
{
    size_t indent = strspn(line, " ");
    const char *colon = memchr(line, ':', length);
    if (indent >= length || line[indent] == '#' || line[indent] == '-' || colon == NULL)
        return true;
    while (*depth > 0 && levels[*depth - 1].indent >= indent)
        (*depth)--;
    if (*depth == DEPTH_MAX)
        return true;
    struct level *own = &levels[(*depth)++];
    own->indent = indent;
    snprintf(own->key, sizeof own->key, "%.*s", (int)(colon - line - (ptrdiff_t)indent), line + indent);
    struct calibrate_row row = {.name = "", .cells = SONIC_ABSENT};
    bool has_link = false;
    for (uint32_t i = 1; i + 1 < *depth; i++) {
        size_t used = strlen(row.name);
        snprintf(row.name + used, sizeof row.name - used, "%s%s", used > 0 ? "." : "", levels[i].key);
        has_link |= read_link(levels[i].key, &row.speed_mbps, &row.cable_m);
    }
    for (uint32_t count = 0; has_link && count < CALIBRATE_COUNTS; count++) {
        if (strcmp(own->key, keys[count]) != 0 || strstr(row.name, "hdrm_pool") != NULL ||
            (part != NULL && strstr(row.name, part) == NULL))
            continue;
        row.count = (enum calibrate_count)count;
        row.packets = strtoll(colon + 1, NULL, 10);
        struct calibrate_row *added = row.packets > 0 ? add_row(calibration) : NULL;
        if (added == NULL)
            return row.packets <= 0;
        *added = row;
    }
    return true;
}

/* "100000,300m,xoff,6542" */
static bool read_csv_line(struct calibration *calibration, const char *name, const char *line, size_t length,
                          uint32_t number, struct weir_error *error)
{
    char copy[128], count[32], link[64];
    long long packets, speed;
    double cable;
    snprintf(copy, sizeof copy, "%.*s", (int)length, line);
    if (length == 0 || copy[0] == '#' || (number == 1 && strncmp(copy, "speed", 5) == 0))
        return true;
    struct calibrate_row row = {.cells = SONIC_ABSENT, .count = CALIBRATE_COUNTS};
    if (sscanf(copy, "%lld,%lfm,%31[a-z_],%lld", &speed, &cable, count, &packets) == 4)
        for (uint32_t i = 0; i < CALIBRATE_COUNTS; i++)
            if (strcmp(count, counts[i]) == 0)
                row.count = (enum calibrate_count)i;
    if (row.count == CALIBRATE_COUNTS || speed <= 0 || packets <= 0) {
        weir_fail(error, WEIR_ERROR_MALFORMED,
                  "'%.60s' is no measurement (expected speed,cable,count,packets such as 100000,300m,xoff,6542; counts "
                  "are xoff, ingress_drop and egress_drop)",
                  copy);
        return weir_fail_at(error, name, number, 1);
    }
    row.speed_mbps = speed;
    row.cable_m = cable;
    row.packets = packets;
    snprintf(link, sizeof link, "%lld_%gm", speed, cable);
    snprintf(row.name, sizeof row.name, "%s", link);
    struct calibrate_row *added = add_row(calibration);
    if (added == NULL)
        return weir_fail_memory(error);
    *added = row;
    return true;
}

bool calibrate_read(struct calibration *calibration, const char *name, const char *text, const char *part,
                    struct weir_error *error)
{
    struct level levels[DEPTH_MAX];
    uint32_t depth = 0, number = 1;
    bool is_yaml = strstr(text, "qos_params:") != NULL;
    for (; *text != '\0'; number++) {
        size_t length = strcspn(text, "\r\n");
        if (is_yaml ? !read_yaml_line(calibration, text, length, levels, &depth, part)
                    : !read_csv_line(calibration, name, text, length, number, error))
            return is_yaml ? weir_fail_memory(error) : false;
        text += length;
        text += *text == '\r';
        text += *text == '\n';
    }
    if (calibration->rows.count > 0)
        return true;
    weir_fail(error, WEIR_ERROR_INPUT,
              "has no count that can be compared (expected a qos_params file of sonic-mgmt, or CSV with "
              "speed,cable,count,packets)");
    return weir_fail_at(error, name, 0, 0);
}

/* What the model says of a link, by its formulas; SONIC_ABSENT: no lossless port has it. */
struct expected {
    int64_t speed_mbps;
    double cable_m;
    int64_t cells[CALIBRATE_COUNTS];
};

static void expect(struct expected *expected, const struct sonic_model *model)
{
    struct weir_error error;
    for (uint32_t i = 0; i < CALIBRATE_COUNTS; i++)
        expected->cells[i] = SONIC_ABSENT;
    for (uint32_t i = 0; i < model->groups.count; i++) {
        const struct sonic_group *group = &MODEL_GROUPS(model)[i];
        struct sonic_plan plan;
        if (model_speed(model, group->port) != expected->speed_mbps || !model_is_paused(model, group) ||
            fabs(model_cable(model, group->port) - expected->cable_m) > 0.001)
            continue;
        if (sonic_plan_make(&plan, model, group->port, 0, &error) && plan.lossless != 0) {
            uint32_t tc = (uint32_t)__builtin_ctz(plan.lossless);
            expected->cells[CALIBRATE_XOFF] = llround(plan_alone(&plan, PLAN_INGRESS, tc));
            expected->cells[CALIBRATE_INGRESS_DROP] =
                expected->cells[CALIBRATE_XOFF] + plan_cells_up(&plan, plan.profile[PLAN_INGRESS][tc].cap) + 1;
            for (uint32_t lossy = PLAN_CLASSES; lossy-- > 0;)
                if (!(plan.lossless >> lossy & 1) && plan.profile[PLAN_EGRESS][lossy].name != NULL)
                    expected->cells[CALIBRATE_EGRESS_DROP] =
                        (int64_t)fmin(plan_alone(&plan, PLAN_INGRESS, lossy), plan_alone(&plan, PLAN_EGRESS, lossy)) +
                        1;
        }
        sonic_plan_free(&plan);
        return;
    }
}

static bool agrees(int64_t cells, int64_t packets)
{
    return llabs(cells - packets) <= NEAR_CELLS || (double)llabs(cells - packets) <= NEAR_SHARE * (double)packets;
}

/* Of one reading; fills in the cells of rows too. */
static void judge(struct calibration *calibration, struct calibrate_reading *reading, const struct sonic_model *model)
{
    struct expected expected = {.speed_mbps = -1};
    double sum = 0;
    reading->agree = calibration->judged = 0;
    for (uint32_t i = 0; i < calibration->rows.count; i++) {
        struct calibrate_row *row = &CALIBRATE_ROWS(calibration)[i];
        if (row->speed_mbps != expected.speed_mbps || fabs(row->cable_m - expected.cable_m) > 0) {
            expected.speed_mbps = row->speed_mbps;
            expected.cable_m = row->cable_m;
            expect(&expected, model);
        }
        row->cells = expected.cells[row->count];
        if (row->cells == SONIC_ABSENT)
            continue;
        calibration->judged++;
        double error = fabs((double)(row->cells - row->packets)) / (double)row->packets;
        reading->agree += agrees(row->cells, row->packets);
        if (reading->errors != NULL)
            reading->errors[i] = (float)error;
        sum += error;
    }
    reading->error = calibration->judged > 0 ? sum / calibration->judged : 0;
}

static int better_first(const void *a, const void *b)
{
    const struct calibrate_reading *one = a, *two = b;
    if (one->agree != two->agree)
        return one->agree > two->agree ? -1 : 1;
    return (one->error > two->error) - (one->error < two->error);
}

/* The n-th reading: digits of n. */
static struct platform reading_of(const struct platform *as, uint32_t n)
{
    static const int64_t pipes[] = {1, 2, 4};
    struct platform platform = *as;
    platform.pipes = pipes[n % 3];
    platform.xoff = n / 3 % 2 ? PLATFORM_XOFF_INSIDE : PLATFORM_XOFF_OUTSIDE;
    platform.headroom = n / 6 % 2 ? PLATFORM_XOFF_INSIDE : PLATFORM_XOFF_OUTSIDE;
    platform.group_minimums = n / 12 % 2 ? PLATFORM_XOFF_INSIDE : PLATFORM_XOFF_OUTSIDE;
    platform.queue_minimums = n / 24 % 2 ? PLATFORM_XOFF_INSIDE : PLATFORM_XOFF_OUTSIDE;
    platform.egress_shared = n / 48 % 2 ? PLATFORM_EGRESS_INGRESS : PLATFORM_EGRESS_OWN;
    return platform;
}

/* Judges one more reading, with its errors by row. */
static bool add_reading(struct calibration *calibration, const struct sonic_model *model, struct platform platform,
                        struct weir_error *error)
{
    struct calibrate_reading *reading = &calibration->best[calibration->readings];
    struct sonic_given given = model->given;
    struct sonic_model other;
    *reading = (struct calibrate_reading){.platform = platform,
                                          .errors = calloc(calibration->rows.count, sizeof *reading->errors)};
    if (reading->errors == NULL)
        return weir_fail_memory(error);
    calibration->readings++;
    given.as = &reading->platform;
    given.pipes = given.xoff = given.cell = SONIC_ABSENT;
    bool good = sonic_model_make(&other, model->config, &given, error);
    if (good)
        judge(calibration, reading, &other);
    sonic_model_free(&other);
    return good;
}

/* A row that an earlier one repeats, as topologies with one configuration do. */
static bool is_again(const struct calibration *calibration, uint32_t which)
{
    const struct calibrate_row *rows = CALIBRATE_ROWS(calibration), *own = &rows[which];
    for (uint32_t i = 0; i < which; i++)
        if (rows[i].speed_mbps == own->speed_mbps && fabs(rows[i].cable_m - own->cable_m) < 0.001 &&
            rows[i].count == own->count && rows[i].packets == own->packets)
            return true;
    return false;
}

static int64_t property_of(const struct platform *platform, uint32_t which)
{
    const int64_t values[CALIBRATE_KEYS] = {platform->cell,         platform->pipes,          platform->xoff,
                                            platform->headroom,     platform->group_minimums, platform->queue_minimums,
                                            platform->egress_shared};
    return values[which];
}

/* The error of a draw of rows for each reading: how many do not agree, and then the mean error. */
static void weigh(const struct calibration *calibration, const uint32_t *rows, uint32_t count,
                  double score[CALIBRATE_READINGS])
{
    for (uint32_t r = 0; r < calibration->readings; r++) {
        score[r] = 0;
        for (uint32_t i = 0; i < count; i++) {
            double error = (double)calibration->best[r].errors[rows[i]];
            double cells = error * (double)CALIBRATE_ROWS(calibration)[rows[i]].packets;
            bool agreed = error <= NEAR_SHARE || cells <= NEAR_CELLS + 0.5;
            score[r] += (agreed ? 0 : 1) + fmin(error, 1) / (2 * count);
        }
    }
}

static void add_draw(struct calibration *calibration, const double score[CALIBRATE_READINGS])
{
    double least = score[0];
    uint32_t alike = 0, same[CALIBRATE_KEYS] = {0};
    for (uint32_t r = 1; r < calibration->readings; r++)
        least = fmin(least, score[r]);
    for (uint32_t r = 0; r < calibration->readings; r++) {
        if (score[r] > least + SAME)
            continue;
        alike++;
        for (uint32_t k = 0; k < CALIBRATE_KEYS; k++)
            same[k] += property_of(&calibration->best[r].platform, k) == property_of(&calibration->best[0].platform, k);
    }
    for (uint32_t k = 0; k < CALIBRATE_KEYS; k++)
        calibration->property[k].sure += (double)same[k] / alike / DRAWS;
}

/* Bootstrap over different counts. */
static bool find_sureness(struct calibration *calibration, struct weir_error *error)
{
    static const char *const names[CALIBRATE_KEYS] = {"cell_size",      "pipes",          "xoff",         "headroom",
                                                      "group_minimums", "queue_minimums", "egress_shared"};
    struct weir_random random = weir_random_stream(1, "calibrate");
    uint32_t *rows = calloc(2 * (size_t)calibration->rows.count + 1, sizeof *rows);
    uint32_t *drawn = rows + calibration->rows.count;
    double score[CALIBRATE_READINGS];
    if (rows == NULL)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < calibration->rows.count; i++)
        if (CALIBRATE_ROWS(calibration)[i].cells != SONIC_ABSENT && !is_again(calibration, i))
            rows[calibration->different++] = i;
    for (uint32_t k = 0; k < CALIBRATE_KEYS; k++) {
        calibration->property[k] = (struct calibrate_property){.key = names[k], .matters = true};
        for (uint32_t r = 1; r < calibration->readings; r++) {
            const struct calibrate_reading *best = &calibration->best[0], *other = &calibration->best[r];
            bool is_alike = other->agree == best->agree && other->error - best->error < SAME;
            calibration->property[k].matters &=
                !is_alike || property_of(&other->platform, k) == property_of(&best->platform, k);
        }
    }
    for (uint32_t d = 0; calibration->different > 0 && d < DRAWS; d++) {
        for (uint32_t i = 0; i < calibration->different; i++)
            drawn[i] = rows[weir_random_below(&random, calibration->different)];
        weigh(calibration, drawn, calibration->different, score);
        add_draw(calibration, score);
    }
    free(rows);
    return true;
}

bool calibrate_run(struct calibration *calibration, struct sonic_model *model, struct weir_error *error)
{
    static const int64_t cells[CALIBRATE_CELLS] = {96, 144, 192, 208, 254, 256, 420};
    for (uint32_t n = 0; n < CALIBRATE_SIDES; n++)
        if (!add_reading(calibration, model, reading_of(&model->platform, n), error))
            return false;
    qsort(calibration->best, calibration->readings, sizeof calibration->best[0], better_first);
    struct platform best = calibration->best[0].platform;
    for (uint32_t c = 0; c < CALIBRATE_CELLS; c++) {
        struct platform platform = best;
        platform.cell = cells[c];
        if (cells[c] != best.cell && !add_reading(calibration, model, platform, error))
            return false;
    }
    qsort(calibration->best, calibration->readings, sizeof calibration->best[0], better_first);
    calibration->as_is.platform = model->platform;
    judge(calibration, &calibration->as_is, model);
    if (calibration->judged == 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "no lossless port of the configuration has a link that was measured (speed and cable)");
    return find_sureness(calibration, error);
}

void calibrate_free(struct calibration *calibration)
{
    for (uint32_t i = 0; i < calibration->readings; i++)
        free(calibration->best[i].errors);
    calibration->readings = 0;
    free(calibration->rows.at);
    calibration->rows = (struct sonic_list){.at = NULL};
}

void calibrate_write(const struct calibration *calibration, const struct sonic_model *model, FILE *out)
{
    static const char *const written[] = {"cell_size",      "mmu_size",       "pipes",         "xoff",  "headroom",
                                          "group_minimums", "queue_minimums", "egress_shared", "resume"};
    const struct calibrate_reading *best = &calibration->best[0];
    fprintf(out, "platform: calibrated\nboards: []\n");
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        char text[64];
        const char *value = platform_text(&best->platform, written[i], text);
        if (strcmp(value, "unknown") != 0)
            fprintf(out, "%s: {value: %s, source: \"measured: %u of %u counts agree; as of %s %u do\"}\n", written[i],
                    value, best->agree, calibration->judged,
                    model->platform.name != NULL ? model->platform.name : "an unknown chip", calibration->as_is.agree);
    }
}
