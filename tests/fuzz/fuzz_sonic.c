/*
 * fuzz_sonic.c - any bytes at all through the reader of switch configurations, the rules, the mending, the
 * redaction and the plan of a switch: what can be read is judged, and its mended form can be read again. The first byte
 * says whether the rest is JSON or a lookup table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/evaluate/scenario.h"
#include "operate/lint/lint.h"
#include "operate/redact.h"
#include "show/writers/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(struct sonic_config *config, struct sonic_model *model)
{
    struct lint lint;
    struct lint_fix fix;
    struct weir_error error;
    if (!lint_run(&lint, model))
        abort();
    struct data_frame *page = lint_frame(&lint);
    if (data_frame_failed(page))
        abort();
    json_t *pages[] = {write_json(page), lint_sarif(&lint)};
    data_frame_free(page);
    for (uint32_t i = 0; i < 2; i++) {
        if (pages[i] == NULL)
            abort();
        json_decref(pages[i]);
    }
    for (uint32_t i = 0; i < lint.findings.count; i++)
        if (LINT_FINDINGS(&lint)[i].place.file == NULL)
            abort();
    lint_free(&lint);
    if (config->file_count > 0 && !lint_mend(&fix, model, &error))
        abort();
    if (config->file_count > 0)
        lint_fix_free(&fix);
    json_t *shown = sonic_redact(model);
    if (config->file_count > 0 && shown == NULL)
        abort();
    json_decref(shown);
    FILE *out = fopen("/dev/null", "w");
    if (out == NULL)
        abort();
    sonic_write_scenario(model, &(struct sonic_traffic){.until_us = 1, .incast_bytes = 1}, out, &error);
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char ports[] = "{\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}}";
    struct sonic_config config;
    struct sonic_model model = {.config = NULL};
    struct sonic_given given;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const char *text = (const char *)data + 1;
    if (size < 1)
        return 0;
    sonic_given_init(&given);
    given.cell = 208;
    given.mmu = 1 << 24;
    given.speed_mbps = 100000;
    given.cable_m = 40;
    sonic_config_init(&config);
    bool good = data[0] % 2 == 0 ? sonic_config_add_json(&config, "c.json", text, size - 1, &error)
                                 : sonic_config_add_lookup(&config, "l.ini", text, size - 1, &error) &&
                                       sonic_config_add_json(&config, "c.json", ports, strlen(ports), &error);
    if (!good && error.code == WEIR_ERROR_NONE)
        abort();
    if (good && sonic_config_finish(&config, &error) && sonic_model_make(&model, &config, &given, &error))
        judge(&config, &model);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return 0;
}
