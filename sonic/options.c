/*
 * options.c - see options.h.
 */
#include "sonic/options.h"

#include <string.h>

#include "sonic/config_parts.h"

#define MBPS 1000000
#define PIPES_MAX 64

const struct weir_param sonic_cell_range = {.unit = WEIR_UNIT_SPACE, .min = 1, .max = UINT16_MAX};
const struct weir_param sonic_memory_range = {.unit = WEIR_UNIT_SPACE, .min = 1, .max = INT64_C(1) << 40};
const struct weir_param sonic_pipes_range = {.unit = WEIR_UNIT_COUNT, .min = 1, .max = PIPES_MAX};

int sonic_read_xoff(void *target, const struct cli_option *option, const char *text)
{
    bool inside = strcmp(text, "inside") == 0;
    if (!inside && strcmp(text, "outside") != 0)
        return cli_error(CLI_USAGE, "--%s: '%s' is no place (expected inside or outside)", option->name, text);
    *(int64_t *)target = inside ? PLATFORM_XOFF_INSIDE : PLATFORM_XOFF_OUTSIDE;
    return CLI_OK;
}

int sonic_read_rate(void *target, const struct cli_option *option, const char *text)
{
    char number[24];
    int64_t value;
    size_t digits = strspn(text, "0123456789");
    bool giga = strcmp(text + digits, "Gbps") == 0;
    if (digits == 0 || digits >= sizeof number || (!giga && strcmp(text + digits, "Mbps") != 0))
        return cli_error(CLI_USAGE, "--%s: '%s' is no rate (expected whole Gbps or Mbps, such as 100Gbps)",
                         option->name, text);
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!sonic_read_number(number, &value) || value < 1 || value > SONIC_SPEED_MAX / (giga ? 1000 : 1))
        return cli_error(CLI_INPUT, "--%s: '%s' is out of range (1Mbps to 10000Gbps)", option->name, text);
    *(int64_t *)target = giga ? value * 1000 : value;
    return CLI_OK;
}

int sonic_read_cable(void *target, const struct cli_option *option, const char *text)
{
    if (sonic_read_metres(text, target))
        return CLI_OK;
    return cli_error(CLI_USAGE, "--%s: '%s' is no length (expected metres, such as 300m)", option->name, text);
}

int sonic_read_formula(void *target, const struct cli_option *option, const char *text)
{
    static const char *const years[FORMULAS] = {"2020", "2024", "2026"};
    for (uint32_t i = 0; i < FORMULAS; i++)
        if (strcmp(years[i], text) == 0) {
            *(uint32_t *)target = i;
            return CLI_OK;
        }
    return cli_error(CLI_USAGE, "--%s: '%s' is no year of it (expected 2020, 2024 or 2026)", option->name, text);
}

int sonic_open(struct sonic_config *config, struct sonic_model *model, const char *path, const char *lookup,
               const struct sonic_given *given)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    sonic_config_init(config);
    *model = (struct sonic_model){.config = NULL};
    bool good = sonic_config_add_path(config, path, &error) &&
                (lookup == NULL || sonic_config_add_path(config, lookup, &error)) &&
                sonic_config_finish(config, &error) && sonic_model_make(model, config, given, &error);
    return good ? CLI_OK : cli_report(&error);
}
