/*
 * sheet.h - what a result is written on: the terminal, or a page of HTML that needs nothing else. The same lines and
 * tables go to either. Names of a configuration are escaped in both.
 */
#ifndef OPERATE_EVALUATE_SHEET_H
#define OPERATE_EVALUATE_SHEET_H

#include <stdint.h>

#include "cli/data_frame.h"
#include "cli/output.h"

struct sheet {
    FILE *html; /* null: the terminal */
    bool in_list;
    int code; /* an exit code: memory was short */
};

/* A page from its title to the first line, and its end. Nothing on the terminal. */
void sheet_begin(struct sheet *sheet, const char *title);
void sheet_end(struct sheet *sheet);

/* What comes first. `class`: of show/page/page.css, good, part or bad. */
void sheet_verdict(struct sheet *sheet, const char *name, const char *class, const char *verdict);

/* A heading, behind an empty line on the terminal. */
void sheet_heading(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same without a name on the terminal. */
void sheet_part(struct sheet *sheet, const char *name);

/* A paragraph, or an item of a list: lines of one after the other are one list. */
void sheet_line(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_item(struct sheet *sheet, const char *mark, const char *text);

/* Takes the frame. */
void sheet_table(struct sheet *sheet, struct data_frame *frame);

/* A bar of cells, on a page only: what it holds when it pauses, and when it drops, of so many. */
struct sheet_bar {
    const char *name;
    int64_t pause, drop, most; /* pause negative: it does not */
};
void sheet_bars(struct sheet *sheet, const struct sheet_bar *bars, uint32_t count);

/* A picture of points, on a page only: what one pays for what. Names may be null. */
struct sheet_dot {
    double x, y;
    const char *name;
    bool is_front; /* joined by a line */
};
void sheet_dots(struct sheet *sheet, const char *x_title, const char *y_title, const struct sheet_dot *dots,
                uint32_t count);

#endif
