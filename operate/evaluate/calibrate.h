/*
 * calibrate.h - measured packet counts beside what the model says of the same configuration, and which reading of the
 * configuration (pipes, xoff and minimums inside or outside of pools) explains them best.
 */
#ifndef OPERATE_EVALUATE_CALIBRATE_H
#define OPERATE_EVALUATE_CALIBRATE_H

#include "operate/model/plan.h"

enum calibrate_count { CALIBRATE_XOFF, CALIBRATE_INGRESS_DROP, CALIBRATE_EGRESS_DROP, CALIBRATE_COUNTS };

struct calibrate_row {
    char name[96]; /* "topo-any.100000_300m.xoff_1" */
    int64_t speed_mbps;
    double cable_m;
    enum calibrate_count count;
    int64_t packets; /* of one cell */
    int64_t cells;   /* of the model; SONIC_ABSENT: no port has this link */
};

/* Readings: what may be inside or outside, and the best of those with other cells. */
#define CALIBRATE_SIDES 96u
#define CALIBRATE_CELLS 7u
#define CALIBRATE_READINGS (CALIBRATE_SIDES + CALIBRATE_CELLS)
#define CALIBRATE_KEYS 7u
#define CALIBRATE_FEWEST 4u /* different counts, below which nothing is sure */

struct calibrate_reading {
    struct platform platform;
    uint32_t agree; /* rows within 4 cells or 1 % */
    double error;   /* mean, of the count */
    float *errors;  /* of each row, of the count; of those that are not judged 0 */
};

/* How sure a property of the best reading is: of many draws of as many different counts, with repeats, the share whose
 * best reading has the same value. Readings that are equally good count in equal parts. */
struct calibrate_property {
    const char *key; /* of a platform file */
    double sure;
    bool matters; /* no reading with another value explains the counts as well */
};

struct calibration {
    struct sonic_list rows;                                   /* of calibrate_row */
    uint32_t judged;                                          /* rows whose link a port has */
    struct calibrate_reading as_is, best[CALIBRATE_READINGS]; /* best first */
    uint32_t readings;
    uint32_t different; /* judged rows that are not the same count of the same link */
    struct calibrate_property property[CALIBRATE_KEYS];
};
#define CALIBRATE_ROWS(c) ((struct calibrate_row *)(c)->rows.at)

/* Whether a file has measured counts, by its name: .csv, .yaml or .yml. */
bool calibrate_is_measured(const char *path);

/* Rows of a qos_params file of sonic-mgmt whose path contains `part` (null: all), or of a CSV with the columns speed,
 * cable, count (xoff, ingress_drop or egress_drop) and packets. False with an error. */
bool calibrate_read(struct calibration *calibration, const char *name, const char *text, const char *part,
                    struct weir_error *error);

/* Compares, and tries all readings. Release with calibrate_free either way. */
bool calibrate_run(struct calibration *calibration, struct sonic_model *model, struct weir_error *error);
void calibrate_free(struct calibration *calibration);

const char *calibrate_count_name(enum calibrate_count count);

/* The reading as a file of platforms/. */
void calibrate_write(const struct calibration *calibration, const struct sonic_model *model, FILE *out);

#endif
