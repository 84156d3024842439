/*
 * completion.c - completions for bash and zsh, from the tables of command.h: see generate.h.
 *
 * Words that stand in a table are written out. Names that only the program knows when it runs (policies, figures,
 * chips) are asked from it: the first column of a table that it prints, down to an empty line.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/generate.h"

static const struct cli_operand no_operands = {.name = NULL};

static const struct cli_operand *operands_of(const struct cli_command *command)
{
    return command->operands != NULL ? command->operands : &no_operands;
}

/* "weir_slot_run" for "slot run" of weir: the name of a shell function, without its underscore. */
static void put_function(FILE *out, const char *program, const char *name)
{
    fprintf(out, "%s%s%s", "_", program, name[0] != '\0' ? "_" : "");
    for (; *name != '\0'; name++)
        fputc(*name == ' ' || *name == '-' ? '_' : *name, out);
}

/* An identifier of the program: "weir_switch". */
static const char *shell_name(const char *program, char name[32])
{
    snprintf(name, 32, "%s", program);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '-')
            *c = '_';
    return name;
}

/* The program itself, then its commands; null at the end. */
static const struct cli_command *command_at(const struct cli_program *all, uint32_t i)
{
    return i == 0 ? all->self : all->commands != NULL ? all->commands[i - 1] : NULL;
}

static bool offers(const struct cli_program *all, enum cli_offer_kind kind)
{
    const struct cli_command *command;
    for (uint32_t c = 0; (command = command_at(all, c)) != NULL; c++) {
        for (uint32_t i = 0; i < cli_option_count(command); i++)
            if (command->options[i].offer.kind == kind)
                return true;
        for (const struct cli_operand *o = operands_of(command); o->name != NULL; o++)
            if (o->offer.kind == kind)
                return true;
    }
    return false;
}

static void put_children(FILE *out, const struct cli_program *all, const struct cli_command *group)
{
    const char *blank = "";
    for (const struct cli_command *const *c = all->commands; c != NULL && *c != NULL; c++) {
        if (!cli_is_child(group, *c))
            continue;
        fprintf(out, "%s%s", blank, cli_last_word((*c)->name));
        blank = " ";
    }
}

/* bash */

static const char bash_list[] = "# The first column of a table that the program prints.\n"
                                "_%s_list() {\n"
                                "    \"${COMP_WORDS[0]}\" \"$@\" 2>/dev/null | sed -n '2,${/^$/q;s/ .*//p}'\n"
                                "}\n\n";

/* Readline splits words at ':' and '=', hence the whole line. */
static const char bash_policies[] =
    "# NAME or NAME:parameter=...; $1 is all of it.\n"
    "_%s_policy() {\n"
    "    if [[ $1 != *:* ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$(_%s_list policies)\" -- \"$1\")\n"
    "        return\n"
    "    fi\n"
    "    [[ ${1##*:} == *=* ]] && return\n"
    "    mapfile -t COMPREPLY < <(compgen -S = -W \"$(\"${COMP_WORDS[0]}\" policies \"${1%%%%:*}\" 2>/dev/null |\n"
    "        sed '1,/^parameter /d' | cut -d' ' -f1)\" -- \"${1##*:}\")\n"
    "    compopt -o nospace\n"
    "}\n\n";

/* Files of one kind, and the folders that may hold more of them. */
static const char bash_files[] =
    "_%s_files() {\n"
    "    local shown\n"
    "    shown=$(shopt -p extglob)\n"
    "    shopt -s extglob\n"
    "    mapfile -t COMPREPLY < <(compgen -f -X \"!$1\" -- \"$current\"; compgen -d -S / -- "
    "\"$current\")\n"
    "    eval \"$shown\"\n"
    "    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace\n"
    "}\n\n";

/* The paths of a printed configuration, one per line. */
#define PATHS_AWK                                                                                                      \
    "        { match($0, /^ */); depth = RLENGTH / 2; line = substr($0, RLENGTH + 1) }\n"                              \
    "        line ~ /^- / { item[depth]++; name[depth] = item[depth] - 1; depth++; line = substr(line, 3) }\n"         \
    "        line ~ /^[a-z_A-Z0-9-]+:/ {\n"                                                                            \
    "            key = line; sub(/:.*/, \"\", key); name[depth] = key; path = \"\"\n"                                  \
    "            for (i = 0; i <= depth; i++) path = path (i > 0 ? \".\" : \"\") name[i]\n"                            \
    "            delete item[depth + 1]; print path\n"                                                                 \
    "        }"

/* What a scenario on the line has: its runs, and the paths of its values. */
static const char bash_scenario[] =
    "# The scenario on the line, if there is one.\n"
    "_%s_scenario() {\n"
    "    local word\n"
    "    for word in ${COMP_LINE}; do\n"
    "        [[ $word == *.y?(a)ml && -f $word ]] && echo \"$word\" && return\n"
    "    done\n"
    "    return 1\n"
    "}\n\n"
    "# KEY of KEY=VALUE: every path of the effective configuration; of an item of a list, by its number.\n"
    "_%s_paths() {\n"
    "    local file\n"
    "    [[ $1 == *=* ]] && return\n"
    "    file=$(_%s_scenario) || return\n"
    "    mapfile -t COMPREPLY < <(compgen -S = -W \"$(\"${COMP_WORDS[0]}\" run --print-config \"$file\" "
    "2>/dev/null | awk '\n" PATHS_AWK "')\" -- \"$1\")\n"
    "    compopt -o nospace\n"
    "}\n\n"
    "# RUN: ids of the sweep.\n"
    "_%s_runs() {\n"
    "    local file\n"
    "    file=$(_%s_scenario) || return\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$(_%s_list run --list \"$file\")\" -- \"$1\")\n"
    "}\n\n";

static void bash_offer(FILE *out, const char *shell, const struct cli_offer *offer)
{
    char word[64];
    switch (offer->kind) {
    case CLI_OFFER_NOTHING:
        fputs(":", out);
        break;
    case CLI_OFFER_WORDS:
        fprintf(out, "_%s_words '", shell);
        for (uint32_t i = 0; cli_offer_word(offer, i, word); i++)
            fprintf(out, "%s%s", i > 0 ? " " : "", word);
        fputs("'", out);
        break;
    case CLI_OFFER_LIST:
        fprintf(out, "_%s_words \"$(_%s_list %s)\"", shell, shell, offer->list);
        break;
    case CLI_OFFER_POLICIES:
        fprintf(out, "_%s_policy \"$current\"", shell);
        break;
    case CLI_OFFER_FOLDERS:
        fputs("mapfile -t COMPREPLY < <(compgen -d -- \"$current\")", out);
        break;
    case CLI_OFFER_SCENARIOS:
        fprintf(out, "_%s_files '*.@(yaml|yml)'", shell);
        break;
    case CLI_OFFER_RESULTS:
        fprintf(out, "_%s_files '*.db'", shell);
        break;
    case CLI_OFFER_PATHS:
        fprintf(out, "_%s_paths \"$current\"", shell);
        break;
    case CLI_OFFER_RUNS:
        fprintf(out, "_%s_runs \"$current\"", shell);
        break;
    default:
        fputs("mapfile -t COMPREPLY < <(compgen -f -- \"$current\")", out);
        break;
    }
}

/* "'run -o' | 'run --output'". */
static void bash_pattern(FILE *out, const struct cli_command *command, const struct cli_option *option)
{
    if (option->letter != 0)
        fprintf(out, "'%s -%c' | ", command->name, option->letter);
    fprintf(out, "'%s --%s'", command->name, option->name);
}

/* One arm of `case "$command $before"` for all options whose value is of this kind. */
static void bash_plain_values(FILE *out, const char *shell, const struct cli_program *all, enum cli_offer_kind kind)
{
    const struct cli_offer offer = {.kind = kind};
    bool any = false;
    const struct cli_command *command;
    for (uint32_t c = 0; (command = command_at(all, c)) != NULL; c++) {
        for (uint32_t i = 0; i < cli_option_count(command); i++) {
            const struct cli_option *option = &command->options[i];
            if (option->value == NULL || option->optional || option->offer.kind != kind)
                continue;
            fputs(any ? " | \\\n        " : "    ", out);
            bash_pattern(out, command, option);
            any = true;
        }
    }
    if (!any)
        return;
    fputs(")\n        ", out);
    bash_offer(out, shell, &offer);
    fputs("\n        return\n        ;;\n", out);
}

/* An arm for each other option with a value. */
static void bash_values(FILE *out, const char *shell, const struct cli_command *command)
{
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        const struct cli_option *option = &command->options[i];
        enum cli_offer_kind kind = option->offer.kind;
        if (option->value == NULL || (kind != CLI_OFFER_WORDS && kind != CLI_OFFER_LIST && kind != CLI_OFFER_POLICIES))
            continue;
        fputs("    ", out);
        bash_pattern(out, command, option);
        fputs(")\n        ", out);
        bash_offer(out, shell, &option->offer);
        fputs("\n        return\n        ;;\n", out);
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void bash_options(FILE *out, const char *shell, const struct cli_command *command)
{
    const char *names[CLI_OPTIONS_MAX + 2];
    uint32_t count = cli_option_count(command);
    for (uint32_t i = 0; i < count; i++)
        names[i] = command->options[i].name;
    names[count++] = cli_help_option.name;
    if (command->name[0] == '\0')
        names[count++] = cli_version_option.name;
    qsort(names, count, sizeof names[0], compare_texts);
    fprintf(out, "        '%s') _%s_words '", command->name, shell);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s--%s", i > 0 ? " " : "", names[i]);
    fputs("' ;;\n", out);
}

static void bash_operands(FILE *out, const char *shell, const struct cli_program *all,
                          const struct cli_command *command)
{
    uint32_t place = 0;
    if (command->run == NULL) {
        fprintf(out, "    '%s:0') _%s_words '", command->name, shell);
        put_children(out, all, command);
        fprintf(out, " help --help%s' ;;\n", command->name[0] == '\0' ? " --version" : "");
        return;
    }
    for (const struct cli_operand *o = operands_of(command); o->name != NULL; o++) {
        bool last = o[1].name == NULL;
        if (o->after != NULL)
            fprintf(out, "    '%s:%u') [[ $before != %s ]] || ", command->name, place, o->after);
        else if (last)
            fprintf(out, "    '%s:'*) ", command->name);
        else
            fprintf(out, "    '%s:%u') ", command->name, place);
        bash_offer(out, shell, &o->offer);
        fputs(" ;;\n", out);
        place++;
    }
}

/* The longest words that name a command go to $command; $i is the first word behind them. */
static void bash_find(FILE *out, const struct cli_program *all)
{
    fputs("    [[ ${COMP_WORDS[1]} == help ]] && ((COMP_CWORD > 1)) && i=2\n"
          "    for (( ; i < COMP_CWORD; i++)); do\n"
          "        case \"$command${command:+ }${COMP_WORDS[i]}\" in\n        ",
          out);
    for (const struct cli_command *const *c = all->commands; *c != NULL; c++)
        fprintf(out, "%s'%s'", c != all->commands ? " | \\\n            " : "", (*c)->name);
    fputs(")\n            command+=\"${command:+ }${COMP_WORDS[i]}\"\n            ;;\n"
          "        *) break ;;\n"
          "        esac\n"
          "    done\n"
          "    if [[ ${COMP_WORDS[1]} == help ]] && ((COMP_CWORD > 1)); then\n"
          "        case $command in\n",
          out);
}

static void bash_help(FILE *out, const char *shell, const struct cli_program *all)
{
    bash_find(out, all);
    fprintf(out, "        '') _%s_words '", shell);
    put_children(out, all, all->self);
    fputs("' ;;\n", out);
    for (const struct cli_command *const *c = all->commands; *c != NULL; c++) {
        if ((*c)->run != NULL)
            continue;
        fprintf(out, "        '%s') _%s_words '", (*c)->name, shell);
        put_children(out, all, *c);
        fputs("' ;;\n", out);
    }
    fputs("        esac\n        return\n    fi\n", out);
}

/* `--policy NAME:parameter` is several words to readline. */
static void bash_policy_options(FILE *out, const char *shell, const struct cli_command *command)
{
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        const struct cli_option *option = &command->options[i];
        if (option->offer.kind == CLI_OFFER_POLICIES)
            fprintf(out,
                    "    if [[ $command == '%s' && ${COMP_LINE:0:COMP_POINT} =~ --%s[=[:space:]]+([^[:space:]]*)$ ]]\n"
                    "    then\n        _%s_policy \"${BASH_REMATCH[1]}\"\n        return\n    fi\n",
                    command->name, option->name, shell);
    }
}

static void bash_head(FILE *out, const char *program, const char *shell, const struct cli_program *all)
{
    fprintf(out, "# Completion of %s for bash, written by the build from the tables of its commands.\n\n", program);
    if (offers(all, CLI_OFFER_LIST) || offers(all, CLI_OFFER_POLICIES) || offers(all, CLI_OFFER_RUNS))
        fprintf(out, bash_list, shell);
    if (offers(all, CLI_OFFER_SCENARIOS) || offers(all, CLI_OFFER_RESULTS))
        fprintf(out, bash_files, shell);
    if (offers(all, CLI_OFFER_PATHS))
        fprintf(out, bash_scenario, shell, shell, shell, shell, shell, shell);
    if (offers(all, CLI_OFFER_POLICIES))
        fprintf(out, bash_policies, shell, shell);
    fprintf(out,
            "_%s_words() {\n"
            "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
            "}\n\n"
            "_%s() {\n"
            "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' i=1 place\n"
            "    COMPREPLY=()\n",
            shell, shell);
}

void cli_put_bash(FILE *out, const char *program, const struct cli_program *all)
{
    static const enum cli_offer_kind plain[] = {CLI_OFFER_NOTHING,   CLI_OFFER_FILES,   CLI_OFFER_FOLDERS,
                                                CLI_OFFER_SCENARIOS, CLI_OFFER_RESULTS, CLI_OFFER_PATHS,
                                                CLI_OFFER_RUNS};
    const struct cli_command *command;
    char shell[32];
    bash_head(out, program, shell_name(program, shell), all);
    if (all->commands != NULL)
        bash_help(out, shell, all);
    for (uint32_t i = 0; (command = command_at(all, i)) != NULL; i++)
        bash_policy_options(out, shell, command);
    fputs("    case \"$command $before\" in\n", out);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        bash_plain_values(out, shell, all, plain[i]);
    for (uint32_t i = 0; (command = command_at(all, i)) != NULL; i++)
        bash_values(out, shell, command);
    fputs("    esac\n    if [[ $current == -* ]]; then\n        case $command in\n", out);
    for (uint32_t i = 0; (command = command_at(all, i)) != NULL; i++)
        bash_options(out, shell, command);
    fputs("        esac\n        return\n    fi\n    place=$((COMP_CWORD - i))\n"
          "    case \"$command:$place\" in\n",
          out);
    for (uint32_t i = 0; (command = command_at(all, i)) != NULL; i++)
        bash_operands(out, shell, all, command);
    fprintf(out, "    esac\n}\n\ncomplete -o filenames -F _%s %s\n", shell, program);
}

/* zsh */

static const char zsh_list[] = "# The first column of a table that the program prints.\n"
                               "_%s_list() {\n"
                               "    local -a names\n"
                               "    names=(${(f)\"$(_call_program names %s \"$@\" 2>/dev/null | "
                               "sed -n '2,${/^$/q;s/ .*//p}')\"})\n"
                               "    _describe -t names name names\n"
                               "}\n\n";

static const char zsh_scenario[] =
    "# What the scenario on the line has: the paths of its values, and its runs.\n"
    "_%s_paths() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(_call_program paths %s run --print-config ${(M)words:#*.(yaml|yml)} "
    "2>/dev/null | awk '\n" PATHS_AWK "')\"})\n"
    "    compadd -S = -a names\n"
    "}\n\n"
    "_%s_runs() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(_call_program runs %s run --list ${(M)words:#*.(yaml|yml)} 2>/dev/null | sed -n "
    "'2,${/^$/q;s/ .*//p}')\"})\n"
    "    compadd -a names\n"
    "}\n\n";

static const char zsh_policies[] =
    "# NAME or NAME:parameter=...\n"
    "_%s_policy() {\n"
    "    setopt localoptions extendedglob\n"
    "    local -a names\n"
    "    if compset -P 1 '(#b)([^:]#):'; then\n"
    "        local policy=$match[1]\n"
    "        compset -P '*:'\n"
    "        names=(${(f)\"$(_call_program parameters %s policies $policy 2>/dev/null |\n"
    "            sed '1,/^parameter /d' | cut -d' ' -f1)\"})\n"
    "        _describe -t parameters parameter names -S =\n"
    "    else\n"
    "        names=(${(f)\"$(_call_program policies %s policies 2>/dev/null | sed -n '2,${/^$/q;s/ .*//p}')\"})\n"
    "        _describe -t policies policy names -S ''\n"
    "    fi\n"
    "}\n\n";

/* The start of a help text, to its first stop, quoted for a specification of _arguments. In an action a colon would end
 * a part of it. */
static void zsh_text(FILE *out, const char *text, bool in_action)
{
    size_t length = strcspn(text, ";\n");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && (text[i + 1] == ' ' || text[i + 1] == '\0'))
            break;
        if (text[i] == '\'')
            fputs("'\\''", out);
        else if (strchr("[]\\", text[i]) != NULL || (in_action && text[i] == ':'))
            fprintf(out, "\\%c", text[i]);
        else if (text[i] != '"' && text[i] != '`')
            fputc(text[i], out);
    }
}

static void zsh_offer(FILE *out, const char *shell, const struct cli_offer *offer)
{
    char word[64];
    switch (offer->kind) {
    case CLI_OFFER_NOTHING:
        break;
    case CLI_OFFER_FILES:
        fputs("_files", out);
        break;
    case CLI_OFFER_FOLDERS:
        fputs("_files -/", out);
        break;
    case CLI_OFFER_SCENARIOS:
        fputs("_files -g \"*.(yaml|yml)\"", out);
        break;
    case CLI_OFFER_RESULTS:
        fputs("_files -g \"*.db\"", out);
        break;
    case CLI_OFFER_PATHS:
        fprintf(out, "_%s_paths", shell);
        break;
    case CLI_OFFER_RUNS:
        fprintf(out, "_%s_runs", shell);
        break;
    case CLI_OFFER_LIST:
        fprintf(out, " _%s_list %s", shell, offer->list); /* the blank: no arguments of zsh in between */
        break;
    case CLI_OFFER_POLICIES:
        fprintf(out, "_%s_policy", shell);
        break;
    case CLI_OFFER_WORDS:
        fputs(offer->meaning != NULL ? "((" : "(", out);
        for (uint32_t i = 0; cli_offer_word(offer, i, word); i++) {
            fprintf(out, "%s%s", i > 0 ? " " : "", word);
            if (offer->meaning == NULL)
                continue;
            fputs("\\:\"", out);
            zsh_text(out, offer->meaning[i].help, true);
            fputc('"', out);
        }
        fputs(offer->meaning != NULL ? "))" : ")", out);
        break;
    }
}

/* Lower case and without what _arguments would take for its own. */
static void zsh_value(FILE *out, const char *value)
{
    for (; *value != '\0' && *value != '['; value++)
        if (strchr(":.,'", *value) == NULL)
            fputc(*value >= 'A' && *value <= 'Z' ? *value - 'A' + 'a' : *value, out);
}

static void zsh_option(FILE *out, const char *shell, const struct cli_option *option, bool last)
{
    bool repeats = option->store == CLI_STORE_LIST || option->repeats;
    fputs("        ", out);
    if (last || option->alone)
        fputs("'(- *)'", out);
    else if (option->not_with != NULL)
        fprintf(out, "'(--%s)'", option->not_with);
    else if (option->letter != 0)
        fprintf(out, "'(-%c --%s)'", option->letter, option->name);
    if (option->letter != 0)
        fprintf(out, "{-%c,--%s}'[", option->letter, option->name);
    else
        fprintf(out, "'%s--%s[", repeats ? "*" : "", option->name);
    zsh_text(out, option->help, false);
    fputc(']', out);
    if (option->value != NULL) {
        fputs(option->optional ? "::" : ":", out);
        zsh_value(out, option->optional ? option->name : option->value);
        fputc(':', out);
        zsh_offer(out, shell, &option->offer);
    }
    fputc('\'', out);
}

static void zsh_operands(FILE *out, const char *shell, const struct cli_command *command)
{
    uint32_t place = 1;
    for (const struct cli_operand *o = operands_of(command); o->name != NULL; o++, place++) {
        char number[16];
        snprintf(number, sizeof number, "%u", place);
        fprintf(out, " \\\n        '%s:", o->repeats ? "*" : number);
        zsh_value(out, o->name);
        fputc(':', out);
        if (o->after != NULL)
            fprintf(out, "{ [[ $line[%u] == %s ]] && compadd %s || _files }", place - 1, o->after, o->offer.words);
        else
            zsh_offer(out, shell, &o->offer);
        fputc('\'', out);
    }
}

static void zsh_arguments(FILE *out, const char *shell, const struct cli_command *command)
{
    fputs("    _arguments -s -S \\\n", out);
    for (uint32_t i = 0; i < cli_option_count(command); i++) {
        zsh_option(out, shell, &command->options[i], false);
        fputs(" \\\n", out);
    }
    if (command->name[0] == '\0') {
        zsh_option(out, shell, &cli_version_option, true);
        fputs(" \\\n", out);
    }
    zsh_option(out, shell, &cli_help_option, true);
    zsh_operands(out, shell, command);
    fputc('\n', out);
}

static void zsh_group(FILE *out, const char *shell, const struct cli_program *all, const struct cli_command *group)
{
    fputs("    local context state state_descr line\n"
          "    typeset -A opt_args\n"
          "    local -a commands=(",
          out);
    for (const struct cli_command *const *c = all->commands; *c != NULL; c++) {
        if (!cli_is_child(group, *c))
            continue;
        fprintf(out, "\n        '%s:", cli_last_word((*c)->name));
        zsh_text(out, (*c)->summary, false);
        fputc('\'', out);
    }
    fputs("\n        'help:show the help of a command')\n    _arguments -C \\\n", out);
    if (group->name[0] == '\0') {
        zsh_option(out, shell, &cli_version_option, true);
        fputs(" \\\n", out);
    }
    zsh_option(out, shell, &cli_help_option, true);
    fputs(" \\\n        '1:command:->command' '*::argument:->arguments'\n"
          "    [[ $state == command ]] && _describe -t commands command commands\n"
          "    [[ $state == arguments ]] || return\n"
          "    case $line[1] in\n",
          out);
    for (const struct cli_command *const *c = all->commands; *c != NULL; c++) {
        if (!cli_is_child(group, *c))
            continue;
        fprintf(out, "    %s) ", cli_last_word((*c)->name));
        put_function(out, shell, (*c)->name);
        fputs(" ;;\n", out);
    }
    fputs("    help) _describe -t commands command commands ;;\n    esac\n", out);
}

void cli_put_zsh(FILE *out, const char *program, const struct cli_program *all)
{
    static const struct cli_command *const none[] = {NULL};
    char shell[32];
    shell_name(program, shell);
    fprintf(out, "#compdef %s\n# Completion of %s for zsh, written by the build from the tables of its commands.\n\n",
            program, program);
    if (offers(all, CLI_OFFER_LIST))
        fprintf(out, zsh_list, shell, program);
    if (offers(all, CLI_OFFER_PATHS))
        fprintf(out, zsh_scenario, shell, program, shell, program);
    if (offers(all, CLI_OFFER_POLICIES))
        fprintf(out, zsh_policies, shell, program, program);
    for (const struct cli_command *const *c = all->commands != NULL ? all->commands : none; *c != NULL; c++) {
        put_function(out, shell, (*c)->name);
        fputs("() {\n", out);
        if ((*c)->run != NULL)
            zsh_arguments(out, shell, *c);
        else
            zsh_group(out, shell, all, *c);
        fputs("}\n\n", out);
    }
    put_function(out, shell, "");
    fputs("() {\n", out);
    if (all->commands != NULL)
        zsh_group(out, shell, all, all->self);
    else
        zsh_arguments(out, shell, all->self);
    fprintf(out, "}\n\n_%s \"$@\"\n", shell);
}
