/*
 * setting.c - see setting.h.
 */
#include "lib/settings/setting.h"

#include <inttypes.h>
#include <string.h>

static bool is_list(const struct setting *setting)
{
    return setting->unit == SETTING_RATES || setting->unit == SETTING_LINKS;
}

int64_t field_load(const void *field, uint32_t size, bool is_real)
{
    uint8_t narrow;
    uint32_t middle;
    int64_t value;
    double real;
    if (is_real) {
        memcpy(&real, field, sizeof real);
        return (int64_t)(real * (double)SETTING_BILLION + 0.5);
    }
    if (size == sizeof narrow) {
        memcpy(&narrow, field, sizeof narrow);
        return narrow;
    }
    if (size == sizeof middle) {
        memcpy(&middle, field, sizeof middle);
        return middle;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

void field_store(void *field, uint32_t size, bool is_real, int64_t value)
{
    uint8_t narrow = (uint8_t)value;
    uint32_t middle = (uint32_t)value;
    double real = (double)value / (double)SETTING_BILLION;
    if (is_real)
        memcpy(field, &real, sizeof real);
    else if (size == sizeof narrow)
        memcpy(field, &narrow, sizeof narrow);
    else if (size == sizeof middle)
        memcpy(field, &middle, sizeof middle);
    else
        memcpy(field, &value, sizeof value);
}

int64_t setting_load(const struct setting *setting, const void *target)
{
    return field_load((const unsigned char *)target + setting->offset, setting->size, setting->unit == SETTING_REAL);
}

void setting_store(const struct setting *setting, void *target, int64_t value)
{
    field_store((unsigned char *)target + setting->offset, setting->size, setting->unit == SETTING_REAL, value);
}

void settings_init(const struct setting_table *table, void *target)
{
    memset(target, 0, table->size);
    for (uint32_t i = 0; i < table->count; i++)
        if (!is_list(&table->at[i]))
            setting_store(&table->at[i], target, table->at[i].initial);
}

bool settings_init_kernel(const struct setting_table *table, void *target)
{
    bool any = false;
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->at[i].kernel_differs)
            setting_store(&table->at[i], target, table->at[i].kernel);
        any |= table->at[i].kernel_differs;
    }
    return any;
}

static bool check_one(const struct setting *setting, const void *target, struct weir_error *error)
{
    if (is_list(setting))
        return true;
    if (setting->unit == SETTING_REAL) {
        /* Written so that a NaN fails. */
        double value, least = (double)setting->min / (double)SETTING_BILLION;
        double most = (double)setting->max / (double)SETTING_BILLION;
        memcpy(&value, (const unsigned char *)target + setting->offset, sizeof value);
        if (value >= least && value <= most)
            return true;
        return weir_fail(error, WEIR_ERROR_RANGE, "%s: %g is not within %g to %g", setting->name, value, least, most);
    }
    int64_t value = setting_load(setting, target);
    if ((value >= setting->min && value <= setting->max) || (setting->word && value == setting->word_value) ||
        (setting->or_zero && value == 0))
        return true;
    return weir_fail(error, WEIR_ERROR_RANGE, "%s: %" PRId64 " is not within %" PRId64 " to %" PRId64, setting->name,
                     value, setting->min, setting->max);
}

bool settings_check(const struct setting_table *table, const void *target, struct weir_error *error)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!check_one(&table->at[i], target, error))
            return false;
    return true;
}

const struct setting *settings_find(const struct setting_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (strcmp(table->at[i].name, name) == 0)
            return &table->at[i];
    return NULL;
}
