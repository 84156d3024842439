/*
 * experiment.h - what a scenario file says beyond one simulation: the sweep, the seeds, the quick size, limits of a
 * run, the figures to draw and the claims to check. An experiment expands into runs; each run is a document without
 * these sections, which scenario_build reads.
 *
 *   document --experiment_read--> axes, seeds, figures, claims --experiment_run--> document of one run
 *
 * A point is one choice of a value on every axis, the last axis changing fastest; a run is a point with a seed. Runs
 * are numbered point * seed_count + (seed - first_seed).
 */
#ifndef SCENARIO_EXPERIMENT_EXPERIMENT_H
#define SCENARIO_EXPERIMENT_EXPERIMENT_H

#include "scenario/experiment/expression.h"
#include "scenario/yaml/document.h"
#include "weir/types.h"

#define EXPERIMENT_AXES_MAX 8u
#define EXPERIMENT_RUNS_MAX 1000000u

/* One value of an axis. */
struct axis_value {
    const char *label;               /* as tables, charts and claims name it; unique within the axis */
    double number;                   /* of a label such as "10us" or "80% buffer": in s, B, bit/s or plain (0.8) */
    bool numeric;                    /* it has a number */
    const struct node *const *nodes; /* [path_count]: what is set */
};

struct axis {
    const char *name;         /* one word */
    const char *title;        /* for charts; the name when none is given */
    const char *unit;         /* of the numbers: "s", "B", "bit/s" or ""; null: some value has none */
    const char *const *paths; /* what is set together: "switch.policy" */
    uint32_t path_count;
    const struct axis_value *values;
    uint32_t count;
    bool unread; /* it has a mistake and is not used; its labels are unknown */
};

/* Says that the axis has no such label, and which it has. Returns false. */
bool axis_refuse_label(const struct axis *axis, const char *label, struct mark mark, struct weir_error *error);

/* One axis held at one of its values. */
struct pin {
    uint32_t axis, value; /* value: EXPRESSION_NO_VALUE in a claim that needs one which the quick size leaves out */
};

/* What a figure or a claim does with flows and queries that did not finish: lab/store/unfinished.h. */
enum unfinished {
    UNFINISHED_MARK,      /* numbers that they make a lower bound, or that leave them out, are marked */
    UNFINISHED_LEAVE_OUT, /* numbers of the finished alone, without a mark */
    UNFINISHED_AS_BOUND,  /* like MARK, but in means too they count with their age at the end of the run */
    UNFINISHED_TREATMENTS
};

enum figure_kind {
    FIGURE_LINE, /* an expression over the x axis, a line per value of `lines` (and `dashes`), error bars over seeds */
    FIGURE_BAR,  /* the same as grouped bars: for axes without numbers */
    FIGURE_CDF,  /* a curve of the results that is a distribution, a line per value of `lines` */
    FIGURE_HEAT, /* an expression over two axes, as a table of colours */
    FIGURE_EVOLUTION, /* queue and threshold of probes over time, a small chart per value of `lines` */
    FIGURE_KINDS
};

#define FIGURE_NO_AXIS UINT32_MAX

/* Where the names of lines stand. */
enum figure_legend {
    FIGURE_LEGEND_BELOW,
    FIGURE_LEGEND_RIGHT,
    FIGURE_LEGEND_TOP_LEFT, /* this and the next three: within the axes */
    FIGURE_LEGEND_TOP_RIGHT,
    FIGURE_LEGEND_BOTTOM_LEFT,
    FIGURE_LEGEND_BOTTOM_RIGHT,
    FIGURE_LEGEND_NONE,
    FIGURE_LEGENDS
};

/* A place on an axis of a chart. */
struct figure_number {
    double number;    /* NaN: none is said */
    const char *unit; /* that it is in: "s", "B", "bit/s", "1"; null: in whatever unit the chart shows */
};
struct figure_ticks {
    const struct figure_number *at; /* growing */
    uint32_t count;                 /* 0: none are said */
};
#define FIGURE_TICKS_MAX 32u

struct figure {
    enum figure_kind kind;
    const char *title;
    const char *note;              /* a sentence below the chart; may be null */
    uint32_t x, lines, dashes;     /* axes, or FIGURE_NO_AXIS */
    const struct expression *y;    /* of LINE and BAR */
    const char *curve;             /* of CDF: the name of a curve; of EVOLUTION: what its curves begin with, or null */
    const char *x_title, *y_title; /* null: made from names and units */
    bool log_x, log_y;
    enum unfinished unfinished; /* of LINE, BAR and CDF */
    const struct pin *where;    /* other axes; those neither pinned nor shown are averaged over */
    uint32_t where_count;
    weir_ps from_ps, until_ps; /* of EVOLUTION: the part that is shown; until 0: to the end */
    struct figure_number y_range[2];
    struct figure_ticks x_ticks, y_ticks;
    enum figure_legend legend;
    struct mark value_mark; /* of y or curve */
};

/* How a claim is judged: lab/store/claims.h has the one table of rules. */
enum claim_rule { CLAIM_UP_TO, CLAIM_ABOUT, CLAIM_AT_LEAST, CLAIM_AT_MOST, CLAIM_HOLDS, CLAIM_INVARIANT, CLAIM_RULES };

/* An explanation of a claim that does not come out, and how it was tested. */
struct claim_trial {
    const char *idea, *done, *outcome; /* sentences */
    const char *set;                   /* what `weir run --set` repeats it with, "a=1 b=2"; may be null */
};

#define CLAIM_NOT_NARROWED UINT32_MAX

struct claim {
    const char *id;   /* one word, unique in the file */
    const char *text; /* what the paper says, in our words */
    enum claim_rule rule;
    double paper;           /* the paper's number; NaN for CLAIM_HOLDS and CLAIM_INVARIANT */
    const char *paper_text; /* as written: "55%", "8x", "222us" */
    bool times;             /* written as a factor: "8x" */
    const struct expression *value;
    const struct expression *needs; /* a condition without which a point says nothing; may be null */
    enum unfinished unfinished;
    const struct pin *where; /* several of one axis: the values that the claim is about */
    uint32_t where_count;
    const char *finding;              /* why it does not come out, where that is known; may be null */
    const struct claim_trial *trials; /* explanations that were tested */
    uint32_t trial_count;
    const char *reason;   /* why we go beyond the paper's number; may be null */
    const char *narrowed; /* why it says less than the paper does, after a look at results; null: it does not */
    uint32_t of;          /* the claim that it narrows, as the paper has it; else CLAIM_NOT_NARROWED */
    const char *fitted;   /* what was chosen so that the number comes out; null: nothing was */
    const char *computed; /* how the paper's number follows from printed ones; null: it is printed */
    bool expected;        /* ours: no paper states it */
    bool quick;           /* also checked at quick size; else only at full size */
    struct mark mark, value_mark;
};

/* What one run may take; 0: no limit. */
struct run_limits {
    weir_ps time_ps;      /* of the wall clock */
    int64_t memory_bytes; /* resident */
};
#define RUN_MEMORY_AUTO (-1) /* what the machine has is shared */

struct experiment {
    struct arena arena;
    const char *name, *title; /* name: from the file's name when the document has none */
    const struct node *base;  /* the document without paper, sweep, seeds, threads, quick, limits, figures, claims */
    const struct node *whole; /* the document as it was used, which results keep beside their runs. At quick size its
                                 changes are made and `quick: used` is in their place: read again, it is the same
                                 experiment at the same size, whichever is asked for, so that claims are judged by the
                                 rules of that size. At full size without `quick` */
    bool quick;
    const char *paper, *figure;               /* "Occamy", "12": of a figure that is reproduced; may be null */
    double expected_quick_s, expected_full_s; /* time on two cores, as `paper` says; 0: not said */
    struct axis axes[EXPERIMENT_AXES_MAX];
    uint32_t axis_count;
    uint32_t point_count; /* product of the axes' counts; 1 without axes */
    uint64_t first_seed;
    uint32_t seed_count;
    uint32_t seed_least; /* those that every point gets: all, or in a sweep until decided the first */
    bool until_decided;  /* further seeds are added where a claim is open: lab/spread/decide.h */
    uint32_t threads;    /* of one run; no part of its results or its id */
    struct run_limits limits;
    const struct figure *figures; /* at quick size without those that need a value which its axes do not have */
    uint32_t figure_count;
    const struct claim *claims; /* at quick size such a value is EXPRESSION_NO_VALUE, in `where` or `value` */
    uint32_t claim_count;
};

/* Reads the sections; with `quick` after the changes of the section `quick`, which must be there then. The document is
 * left as it is and may be released afterwards. False after an error; release with experiment_free either way. */
bool experiment_read(struct experiment *experiment, const struct document *document, bool quick,
                     struct weir_error *error);
void experiment_free(struct experiment *experiment);

/* The name of an experiment without one, by its file: "runs/fig12.yaml" gives "fig12". Null: memory is short. */
const char *experiment_file_name(struct arena *arena, const char *origin);

/* The same at this size alone, but reads on after a mistake and adds all of them to `all`; true: none. What was read
 * after a mistake is good for runs and names that show more of them. */
bool experiment_read_all(struct experiment *experiment, const struct document *document, bool quick,
                         struct error_list *all);

static inline uint32_t experiment_runs(const struct experiment *experiment)
{
    return experiment->point_count * experiment->seed_count;
}

/* A name among the results that a figure or a claim uses, and where it says so. */
struct experiment_measure {
    const char *name;
    bool curve; /* of a curve, else of a measure */
    struct mark mark;
};
typedef bool experiment_visit(void *context, const struct experiment_measure *name);

/* Calls `visit` for each of them, one that is used twice twice, until it returns false: then false. What an evolution
 * shows is only the beginning of names and is left out. */
bool experiment_each_measure(const struct experiment *experiment, experiment_visit *visit, void *context);

/* The value of an axis at a point. */
uint32_t experiment_value_at(const struct experiment *experiment, uint32_t point, uint32_t axis);

/* The axis that chooses the policies of switches, by which charts choose colours; UINT32_MAX: none does. */
uint32_t experiment_policy_axis(const struct experiment *experiment);

/* "switch.policy", "switch.tiers.leaf.policy.name", "switch.headroom": the policy itself, not one of its parameters. */
bool experiment_path_is_policy(const char *path);

/* The document of one run, for scenario_build; an error names the value of the sweep that does not fit. Release with
 * document_free either way. */
bool experiment_run(const struct experiment *experiment, uint32_t run, struct document *document,
                    struct weir_error *error);

/* The same, but adds all mistakes to `all`, and makes what can be made of the document; null root: nothing. */
bool experiment_run_all(const struct experiment *experiment, uint32_t run, struct document *document,
                        struct error_list *all);

/* "policy=DT, load=0.4, seed 3": for messages. Cut when it does not fit. */
void experiment_run_name(const struct experiment *experiment, uint32_t run, char name[256]);

/* The id of a run: 16 hexadecimal digits, a hash of its effective configuration (names and titles apart, the seed is in
 * it), of what was read from the files that it names, and of the version of the results. False: it was not built. */
#define EXPERIMENT_ID_MAX 17u
struct scenario;
bool experiment_run_id(const struct scenario *scenario, const char *version, char id[EXPERIMENT_ID_MAX]);

/* The JSON Schema of scenario files, for editors; false: out of memory. */
bool experiment_schema(FILE *out);

#endif
