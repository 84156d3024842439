/*
 * score.h - how good a forest's predictions are on rows it was not trained on. "Lost" is the positive class.
 */
#ifndef FOREST_SCORE_H
#define FOREST_SCORE_H

#include "forest.h"
#include "rows.h"

#define FOREST_CALIBRATION_BINS 10u
#define FOREST_ROC_POINTS 101u

struct forest_confusion {
    uint64_t true_positive, false_positive; /* predicted lost */
    uint64_t true_negative, false_negative; /* predicted kept */
};

/* NaN where a ratio has no cases. */
struct forest_score {
    struct forest_confusion confusion;
    double accuracy, precision, recall, f1;
};

struct forest_calibration {
    uint64_t rows;
    double predicted; /* mean probability that the forest gave */
    double observed;  /* fraction that was lost */
};

struct forest_roc {
    double false_positive_rate, true_positive_rate;
};

struct forest_quality {
    struct forest_score score;
    struct forest_calibration calibration[FOREST_CALIBRATION_BINS]; /* by probability, equal widths */
    struct forest_roc roc[FOREST_ROC_POINTS]; /* [i]: "lost" from a probability of (100 - i) / 100 on */
    double area;                              /* under the ROC curve, of all probabilities; NaN without both classes */
};

void forest_count(struct forest_confusion *confusion, bool predicted, bool lost);
struct forest_score forest_score_of(const struct forest_confusion *confusion);

/*
 * Credence's 1 / eta as its authors compute it from the confusion matrix: (TN - min((N - 1) FN, TN)) / (TN + FP) with
 * N ports. 1: perfect; 0: no better than without predictions.
 */
double forest_error_score(const struct forest_confusion *confusion, uint32_t ports);

bool forest_judge(const struct forest *forest, const struct forest_rows *rows, struct forest_quality *quality,
                  struct weir_error *error);

#endif
