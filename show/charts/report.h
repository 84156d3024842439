/*
 * report.h - a table of results as something to look at: one HTML page, or SVG and gnuplot files for papers. The table
 * is all it sees, so that a report can be made of results that came from another machine.
 *
 *   charts         figures -> charts: numbers, titles, units (one model for all formats)
 *   page           charts, claims, tables, configuration -> HTML with its data as JSON, drawn by uPlot
 *   draw           one chart -> one picture -> SVG, PDF, PNG, or a script for gnuplot or matplotlib
 */
#ifndef SHOW_CHARTS_REPORT_H
#define SHOW_CHARTS_REPORT_H

#include "lab/store/claims.h"

#define CHART_COLOURS 8u /* of the palette; each has its own marker too */
#define CHART_NO_COLOUR UINT32_MAX
#define CHART_PATTERNS 4u /* solid, dashed, short dashes, dash and dot; of bars: how full they are */

enum chart_kind { CHART_LINES, CHART_BARS, CHART_HEAT };

/* Which numbers of a chart are to be wished for. */
enum chart_better { CHART_BETTER_UNKNOWN, CHART_BETTER_LOWER, CHART_BETTER_HIGHER };

/* What the table of numbers beside a chart shows. */
enum chart_numbers {
    CHART_NUMBERS_POINTS,    /* every point, with its interval: the lines share their x */
    CHART_NUMBERS_QUANTILES, /* of distributions */
    CHART_NUMBERS_EXTREMES   /* of long series: mean, greatest and when */
};

struct chart_line {
    const char *label;
    uint32_t count;
    double *x, *y;      /* [count]; x grows; y NaN: a gap */
    double *low, *high; /* [count]: ends of the error bar, NaN: none there; null: none at all */
    uint8_t *censoring; /* [count], enum censoring: what a point says; null: all of them what they are */
    uint32_t colour;    /* below CHART_COLOURS: a queue and its threshold share one */
    uint32_t pattern;   /* below CHART_PATTERNS */
    double *seeds;      /* [count * chart->seeds]: y of each seed, NaN: none; null: not of a sweep */
    bool rule;          /* a level that is no result: the size of the buffer */
    bool markers;       /* the points are measurements: each gets a mark */
    bool steps;         /* holds its value until the next point */
};

/* Where the scenario wants ticks. */
struct chart_ticks {
    double at[FIGURE_TICKS_MAX];
    uint32_t count; /* 0: it does not say */
};

static inline enum censoring chart_censoring(const struct chart_line *line, uint32_t i)
{
    return line->censoring != NULL ? (enum censoring)line->censoring[i] : CENSORING_NONE;
}

struct chart {
    const struct figure *figure;
    const char *title;
    const char *finding;           /* one sentence: what it shows; null: nothing that a sentence could say */
    const char *note;              /* sentences below it: what is averaged, held, merged; may be null */
    const char *x_title, *y_title; /* with units */
    const char *measure;           /* the name of what y is; null: an expression, or a curve */
    const char *x_unit, *y_unit;   /* of the numbers: "ms", "KB"; empty: none */
    enum chart_kind kind;
    enum chart_numbers numbers;
    bool log_x, log_y;
    const char *const *x_labels; /* of bars and of axes without numbers: [x_label_count], x is their index; else null */
    uint32_t x_label_count;
    const uint32_t *x_colours; /* of bars: a colour for each place, as what stands there has elsewhere; null: by line */
    uint32_t colour;           /* of what the whole chart is about; CHART_NO_COLOUR: it is about several */
    uint32_t seeds;            /* behind each point; 0: not of a sweep */
    enum chart_better better;
    struct chart_line *lines; /* none: there is no data, and the note says why */
    uint32_t line_count;
    double x_min, x_max; /* of what is to be seen; NaN: all */
    double y_max;        /* likewise: charts that are to be compared share it */
    double y_from, y_to; /* where the scenario wants the axis to end; NaN: it does not say */
    struct chart_ticks x_ticks, y_ticks;
    enum figure_legend legend;
};

/* The least x that at least this part of a distribution is at or below; NaN: it does not get so far. */
double chart_quantile(const struct chart_line *line, double part);

/* True when some point says this. */
bool chart_has_censoring(const struct chart *chart, enum censoring censoring);

struct report_charts {
    struct arena arena;
    struct chart *charts;
    uint32_t count;
};

/* False after an error; release either way. An experiment without figures gets the usual ones. */
bool report_charts_make(struct report_charts *charts, const struct table *table, struct weir_error *status);

/* Divides every number of sweeps by that of one line, or of one bar, at the same place and seed. Charts without it are
 * left out. False: none has it, or out of memory. */
bool report_charts_relate(struct report_charts *charts, const char *label, struct weir_error *status);
void report_charts_free(struct report_charts *charts);

struct report {
    const struct table *table;
    const struct report_charts *charts;
    const struct judgement *judgements; /* [claim_count] */
    const char *version;                /* of weir, with its commit */
};

/* How a drawing for a paper looks. Lengths are in px of CSS: 96 of them are an inch, 72 pt. */
struct report_style {
    double width_px, height_px; /* height 0: by what is in it */
    double font_px;             /* of labels; everything else follows it */
    const char *family;         /* of the letters */
    double dpi;                 /* pixels of an inch, of PNG */
    bool no_title;
    bool light;       /* also on dark screens */
    uint32_t panels;  /* one figure of so many charts, which follow each other in memory; 0: a single one */
    uint32_t columns; /* of these side by side */
};
#define REPORT_STYLE ((struct report_style){.width_px = 720, .font_px = 12, .family = "sans-serif", .dpi = 192})

/* Each writes all of it; what went wrong shows in ferror(out). False: out of memory. */
bool report_page(const struct report *report, FILE *out);
bool report_svg(const struct chart *chart, const struct report_style *style, FILE *out);

/* The same drawing as a page of its size, with the letters that it uses, or as pixels. Always light. For builds with
 * cairo. */
enum report_print { REPORT_PDF, REPORT_PNG };
bool report_prints(void); /* this one can */
bool report_print(const struct chart *chart, const struct report_style *style, enum report_print as, FILE *out);

/* Scripts with their data inside: for gnuplot one that writes NAME.svg, or NAME.pdf with `gnuplot -e "format='pdf'"`;
 * for Python one that writes NAME.pdf with matplotlib. */
bool report_gnuplot(const struct chart *chart, const struct report_style *style, const char *name, FILE *out);
bool report_matplotlib(const struct chart *chart, const struct report_style *style, const char *name, FILE *out);

/* The numbers: a row per point, with x as a number and as a label, y, its interval, and y of every seed. */
bool report_csv(const struct chart *chart, FILE *out);

/* A number rounded to so many digits, without an exponent from 10^-4 to 10^7: "230", where %.2g gives "2.3e+02". */
#define ROUNDED_MAX 32u
const char *words_rounded(double number, int digits, char text[ROUNDED_MAX]);

#endif
