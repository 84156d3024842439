/*
 * lint.h - judges a configuration. A rule is a row of rules.def: a name, how bad it is, a sentence, the public incident
 * that shows why, and a check. A check walks the model and reports findings, each with its place, its numbers and,
 * where a machine can know it, the smallest change that mends it.
 */
#ifndef OPERATE_LINT_LINT_H
#define OPERATE_LINT_LINT_H

#include "operate/model/model.h"

enum lint_severity { LINT_NOTE, LINT_WARNING, LINT_ERROR, LINT_SEVERITIES };

struct lint;

struct lint_rule {
    const char *name;
    enum lint_severity severity;
    const char *sentence, *incident;
    void (*check)(struct lint *lint);
};
extern const struct lint_rule lint_rules[]; /* ends with a null name */

/* A field that gets a value; where the entry or its table is not there they are added. */
struct lint_change {
    const char *table, *key, *field;
    const char *value; /* null: the field goes */
    const char *old;   /* null: it has none */
};

struct lint_finding {
    const struct lint_rule *rule;
    enum lint_severity severity; /* the rule's, or less where a reading is ambiguous */
    struct sonic_place place;
    const char *table, *key, *field; /* the last two may be null */
    const char *text;                /* the numbers */
    const char *mend;                /* what to do, in words, where no change is known; null: see the changes */
    uint32_t first_change, changes;
};

/* What could not be checked. */
struct lint_skip {
    const struct lint_rule *rule;
    const char *needs;
};

struct lint {
    const struct sonic_model *model;
    struct arena *arena; /* of the configuration */
    const struct lint_rule *rule;
    struct sonic_list findings, changes, skips;
    bool is_short; /* of memory */
};

/* All rules. False: out of memory. Release with lint_free either way. */
bool lint_run(struct lint *lint, struct sonic_model *model);
void lint_free(struct lint *lint);

#define LINT_FINDINGS(lint) ((struct lint_finding *)(lint)->findings.at)
#define LINT_CHANGES(lint) ((struct lint_change *)(lint)->changes.at)
#define LINT_SKIPS(lint) ((struct lint_skip *)(lint)->skips.at)

uint32_t lint_count(const struct lint *lint, enum lint_severity severity);
const char *lint_severity_name(enum lint_severity severity); /* "error", ...; SARIF's levels too */

/* For checks. A finding at a field of an entry; null: out of memory, which is remembered. */
struct lint_finding *lint_report(struct lint *lint, const struct sonic_entry *entry, const char *field,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What mends the last finding: a field gets a number or a text, or with a null text goes; or words. */
void lint_mend_number(struct lint *lint, const struct sonic_entry *entry, const char *field, int64_t value);
void lint_mend_text(struct lint *lint, const struct sonic_entry *entry, const char *field, const char *value);
void lint_mend_entry(struct lint *lint, enum sonic_table_id table, const char *key, const char *field,
                     const char *value);
void lint_advise(struct lint *lint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The rule is not checked, or not for everything, without this. Said once. */
void lint_skip(struct lint *lint, const char *needs);

/* Cells that bytes are, rounded up; 0 where the cell is not known. */
int64_t lint_cells(const struct lint *lint, int64_t bytes);
int64_t lint_round_up(const struct lint *lint, int64_t bytes); /* to whole cells */
int64_t lint_round_down(const struct lint *lint, int64_t bytes);

/*
 * The configuration as one tree, with the changes of findings made until no finding has one; the changes as a JSON
 * patch (RFC 6902) from the tree as it was; how many findings were mended. Null with an error.
 */
struct lint_fix {
    json_t *tree, *patch;
    uint32_t changes;
};
bool lint_mend(struct lint_fix *fix, const struct sonic_model *model, struct weir_error *error);
void lint_fix_free(struct lint_fix *fix);

/* Pages: what is printed, and the two forms for programs. */
void lint_show(const struct lint *lint, bool verbose);
struct data_frame *lint_frame(const struct lint *lint);
json_t *lint_sarif(const struct lint *lint);

#endif
