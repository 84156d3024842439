/*
 * claims.c - the claims with their verdicts, as a table. A word and a sign give the verdict; colour only
 * supports them. On a narrow screen each claim is a block, so every cell knows its heading.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "show/draw/escape.h"
#include "show/page/page.h"

static const struct {
    const char *class, *sign;
} looks[] = {
    [VERDICT_MET] = {"good", "&#10003;"},     [VERDICT_BEYOND] = {"part", "&#8599;"},
    [VERDICT_UNDECIDED] = {"part", "&#177;"}, [VERDICT_DIRECTION] = {"part", "&#8776;"},
    [VERDICT_FITTED] = {"part", "&#9998;"},   [VERDICT_VACUOUS] = {"none", "&#8709;"},
    [VERDICT_MISSED] = {"bad", "&#10007;"},   [VERDICT_HOLDS] = {"good", "&#10003;"},
    [VERDICT_NOT_HERE] = {"none", "&#8211;"}, [VERDICT_NO_DATA] = {"none", "?"},
};

/* The point that decides; where all points agree with a claim that is either true or not, none does. */
static void put_where(const struct report *report, const struct claim *claim, const struct judgement *judgement,
                      FILE *out)
{
    char where[256];
    judgement_where(&report->table->experiment, judgement, where);
    if (where[0] == '\0' || !judgement_has_place(claim, judgement))
        return;
    fputs("<small>at ", out);
    escape_markup(where, out);
    fputs("</small>", out);
}

static void put_small(const char *text, FILE *out)
{
    fputs("<small>", out);
    escape_markup(text, out);
    fputs("</small>", out);
}

static void put_margin(const struct claim *claim, const struct judgement *judgement, FILE *out)
{
    char text[MARGIN_TEXT_MAX];
    margin_text(claim, &judgement->truth.margin, judgement->truth.unit, text);
    if (text[0] != '\0')
        put_small(text, out);
}

static void put_ours(const struct report *report, const struct claim *claim, const struct judgement *judgement,
                     FILE *out)
{
    char text[64], interval[160], both[CENSORING_TEXT_MAX], marked[CENSORING_TEXT_MAX];
    if (judgement->verdict == VERDICT_NOT_HERE || judgement->verdict == VERDICT_NO_DATA ||
        !isfinite(judgement->ours.mean)) {
        fputs("<td data-heading=\"Here\">&#8211;", out);
        if (judgement->message[0] != '\0') {
            fputs("<small>", out);
            escape_markup(judgement->message, out);
            fputs("</small>", out);
        }
        fputs("</td>\n", out);
        return;
    }
    const char *unit = evaluate_unit(report->table, claim->value);
    claim_text(claim, judgement->ours.mean, unit, text);
    fputs("<td data-heading=\"Here\">", out);
    interval_text(claim, &judgement->ours, unit, interval);
    snprintf(both, sizeof both, "%.40s%.50s", text, interval);
    escape_markup(censoring_text(judgement->censoring, both, marked), out);
    put_where(report, claim, judgement, out);
    if (judgement->points > 1)
        fprintf(out, "<small>%" PRIu32 " of %" PRIu32 " points agree</small>", judgement->agreeing, judgement->points);
    if (judgement->points > 1 && judgement->open > 0)
        fprintf(out, "<small>%" PRIu32 " undecided</small>", judgement->open);
    put_margin(claim, judgement, out);
    if (judgement->censored > 0)
        fprintf(out, "<small>%s</small>", judgement_censored(judgement, text));
    fputs("</td>\n", out);
}

static void put_claim(const struct report *report, const struct claim *claim, const struct judgement *judgement,
                      FILE *out)
{
    fputs("<tr><th scope=\"row\">", out);
    escape_markup(claim->text, out);
    put_small(claim->id, out);
    if (claim->expected && report->table->experiment.paper != NULL)
        put_small("Ours: no paper states it.", out);
    if (claim->fitted != NULL) {
        fputs("<small>Fitted: ", out);
        escape_markup(claim->fitted, out);
        fputs("</small>", out);
    }
    if (claim->narrowed != NULL) {
        fputs("<small>Narrowed from ", out);
        escape_markup(report->table->experiment.claims[claim->of].id, out);
        fputs(": ", out);
        escape_markup(claim->narrowed, out);
        fputs("</small>", out);
    }
    fputs("</th>\n", out);
    enum verdict verdict = judgement->verdict;
    fprintf(out, "<td data-heading=\"Verdict\" class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> %s",
            looks[verdict].class, looks[verdict].sign, verdict_name(verdict));
    bool falls_short = verdict == VERDICT_MISSED || verdict == VERDICT_DIRECTION || verdict == VERDICT_UNDECIDED;
    if (claim->finding != NULL && falls_short)
        put_small(claim->finding, out);
    if (falls_short) {
        for (uint32_t i = 0; i < claim->trial_count; i++) {
            const struct claim_trial *trial = &claim->trials[i];
            fputs("<small>Tried: ", out);
            escape_markup(trial->idea, out);
            fputc(' ', out);
            escape_markup(trial->done, out);
            fputc(' ', out);
            escape_markup(trial->outcome, out);
            fputs("</small>", out);
        }
    }
    if (claim->reason != NULL && verdict == VERDICT_BEYOND)
        put_small(claim->reason, out);
    fputs("</td>\n", out);
    const char *source = claim_source(&report->table->experiment, claim);
    fprintf(out, "<td data-heading=\"%c%s\">%s ", toupper((unsigned char)source[0]), source + 1,
            claim_rule_name(claim->rule));
    escape_markup(claim->paper_text != NULL ? claim->paper_text : "", out);
    fputs("</td>\n", out);
    put_ours(report, claim, judgement, out);
    fputs("</tr>\n", out);
}

void page_put_claims(const struct report *report, FILE *out)
{
    const struct experiment *experiment = &report->table->experiment;
    if (experiment->claim_count == 0)
        return;
    uint32_t good = 0, checked = 0;
    for (uint32_t i = 0; i < experiment->claim_count; i++) {
        enum verdict verdict = report->judgements[i].verdict;
        good += verdict == VERDICT_MET || verdict == VERDICT_HOLDS;
        checked += verdict != VERDICT_NOT_HERE && verdict != VERDICT_NO_DATA;
    }
    fputs("<section id=\"claims\" aria-labelledby=\"claims-title\">\n<h2 id=\"claims-title\">Claims</h2>\n", out);
    fprintf(out, "<p>%" PRIu32 " of %" PRIu32 " checked claims %s.%s</p>\n", good, checked,
            experiment->quick ? "hold" : "are met",
            experiment->quick ? " At quick size only orderings are checked, not the paper's numbers." : "");
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"claims-title\">\n"
          "<table class=\"claims\">\n"
          "<thead><tr><th scope=\"col\">Claim</th><th scope=\"col\">Verdict</th><th scope=\"col\">",
          out);
    const char *sources = claim_sources(experiment);
    fprintf(out, "%c%s</th><th scope=\"col\">Here</th></tr></thead>\n<tbody>\n", toupper((unsigned char)sources[0]),
            sources + 1);
    for (uint32_t i = 0; i < experiment->claim_count; i++)
        put_claim(report, &experiment->claims[i], &report->judgements[i], out);
    fputs("</tbody></table></div>\n</section>\n", out);
}
