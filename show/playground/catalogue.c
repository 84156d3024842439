/*
 * catalogue.c - the policies as JSON, from their own descriptors: what the playground offers is what was compiled.
 */
#include "show/playground/play.h"
#include "weir/params.h"
#include "weir/policy.h"
#include "weir/version.h"

static const char *const unit_names[] = {
    [WEIR_UNIT_RATIO] = "ratio", [WEIR_UNIT_COUNT] = "count", [WEIR_UNIT_TIME] = "time",
    [WEIR_UNIT_SPACE] = "space", [WEIR_UNIT_FLAG] = "flag",   [WEIR_UNIT_CHOICE] = "choice",
};

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\":", key);
    if (text == NULL) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_value(FILE *out, const char *key, const struct weir_param *param, int64_t value)
{
    char text[64];
    weir_value_format(text, sizeof text, param, value);
    fputc(',', out);
    put_text(out, key, text);
}

static void put_policy(FILE *out, const struct weir_policy *policy)
{
    fputc('{', out);
    put_text(out, "name", policy->name);
    fputc(',', out);
    put_text(out, "title", policy->title);
    fputc(',', out);
    put_text(out, "source", policy->source);
    fputc(',', out);
    put_text(out, "headroom", policy->headroom);
    fprintf(out, ",\"ingress\":%s,\"oracle\":%s,\"expels\":%s,\"limits\":%s,\"params\":[",
            policy->needs & WEIR_NEED_INGRESS ? "true" : "false", policy->needs & WEIR_NEED_ORACLE ? "true" : "false",
            policy->needs & WEIR_NEED_EXPEL ? "true" : "false", policy->threshold != NULL ? "true" : "false");
    for (uint32_t i = 0; i < policy->param_count; i++) {
        fputs(i > 0 ? "," : "", out);
        const struct weir_param *param = &policy->params[i];
        fputc('{', out);
        put_text(out, "name", param->name);
        fprintf(out, ",\"unit\":\"%s\",\"perClass\":%s", unit_names[param->unit], param->per_class ? "true" : "false");
        put_value(out, "initial", param, param->initial);
        put_value(out, "min", param, param->min);
        put_value(out, "max", param, param->max);
        fputs(",\"choices\":[", out);
        for (uint32_t j = 0; param->choices != NULL && param->choices[j] != NULL; j++)
            fprintf(out, "%s\"%s\"", j > 0 ? "," : "", param->choices[j]);
        fputs("],", out);
        put_text(out, "help", param->help);
        fputc('}', out);
    }
    fputs("]}", out);
}

void play_catalogue(FILE *out)
{
    fputs("{\"version\":\"" WEIR_VERSION "\",\"policies\":[", out);
    for (uint32_t i = 0; i < weir_policy_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        put_policy(out, weir_policies[i]);
    }
    fputs("],\n\"reasons\":[", out);
    for (uint32_t i = 0; i < WEIR_REASON_COUNT; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? "," : "", weir_reason_name((enum weir_reason)i));
    fputs("]}\n", out);
}
