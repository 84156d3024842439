/*
 * page.h - the parts of the HTML page, in the order in which they stand there. Every text of others goes through
 * escape.h; there are no style attributes and no handlers in the markup, which the content security policy forbids.
 */
#ifndef SHOW_PAGE_PAGE_H
#define SHOW_PAGE_PAGE_H

#include "cli/data_frame.h"
#include "show/charts/report.h"

void page_put_violations(const struct report *report, FILE *out); /* only if there are any */
bool page_put_mix(const struct report *report, FILE *out);        /* the same; false: out of memory */
void page_put_abstract(const struct report *report, FILE *out);   /* what the charts show, a sentence each */
bool page_put_what(const struct report *report, FILE *out);       /* false: out of memory */
void page_put_claims(const struct report *report, FILE *out);
bool page_put_charts(const struct report_charts *charts, FILE *out); /* false: out of memory */
bool page_put_summary(const struct report *report, FILE *out);       /* these three: false: out of memory */
bool page_put_runs(const struct report *report, FILE *out);
bool page_put_numbers(const struct chart *chart, FILE *out); /* of a chart, as a table */

/* A frame as a table in a box that scrolls; the caption may be null. Frees the frame. False: out of memory. */
bool page_put_frame(struct data_frame *frame, const char *caption, FILE *out);

/* The charts as JSON, for the script. False: out of memory. */
bool page_put_data(const struct report_charts *charts, FILE *out);

/* The frame of any page: up to the body; who wrote it; the script, which comes behind the data, and the end. */
void page_put_head(const char *title, FILE *out);
void page_put_foot(const char *version, FILE *out);
void page_put_script(FILE *out);

/* <TAG>text</TAG>, escaped. */
void page_put_element(const char *tag, const char *text, FILE *out);

#endif
