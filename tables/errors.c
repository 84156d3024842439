/*
 * errors.c - see errors.h.
 */
#include "tables/errors.h"

#include "cli/cli.h"

int run_report(const struct scenario_error *error)
{
    return error->memory ? cli_error_memory() : cli_error(CLI_INPUT, "%s", error->message);
}

int run_report_store(const struct store_status *status)
{
    if (status->error == STORE_NO_MEMORY)
        return cli_error_memory();
    return cli_error(status->error == STORE_INPUT ? CLI_INPUT : CLI_INTERNAL, "%s", status->message);
}
