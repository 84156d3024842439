/*
 * errors.h - errors of scenarios and of results files as one line and an exit code.
 */
#ifndef TABLES_ERRORS_H
#define TABLES_ERRORS_H

#include "results/store.h"

int run_report(const struct scenario_error *error);
int run_report_store(const struct store_status *status);

#endif
