/*
 * reference.h - the table of measures as Markdown: headings and tables, to which docs/reference/measures.md adds prose.
 */
#ifndef MEASURES_REFERENCE_H
#define MEASURES_REFERENCE_H

#include <stdio.h>

void measures_reference(FILE *out);

#endif
