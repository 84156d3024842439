/*
 * slurm.c - a sweep as a script for Slurm: an array of jobs, each of which makes a part (parts.h), and a job after them
 * that takes their results in and hands out what is missing by then, a few times at most.
 *
 * weir starts no programs: the script is for a shell. Whatever sbatch is to know besides is in its own variables
 * (SBATCH_PARTITION, SBATCH_TIMELIMIT, SBATCH_ACCOUNT, ...), which the jobs pass on.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/version.h"
#include "lab/spread/parts.h"
#include "lib/plugin/plugin.h"
#include "scenario/yaml/text_stream.h"

#define ROUNDS 3u

struct script {
    FILE *out;
    const struct plan *plan;
    const struct spread_choice *choice;
    char program[PATH_MAX], folder[PATH_MAX];
    uint32_t runs, parts;
};

/* `weir run` with what decides which runs there are, and where they go. */
static void put_command(const struct script *script)
{
    spread_put_word(script->out, script->program);
    fputs(" run", script->out);
    /* Policies from outside of weir, whichever way they were named. */
    const char *last = "";
    for (uint32_t i = 0; i < plugin_policy_count(); i++) {
        const struct plugin_policy *policy = plugin_of_policy(plugin_policy_at(i));
        if (policy == NULL || strcmp(policy->path, last) == 0)
            continue;
        fputs(" --policy-file", script->out);
        spread_put_word(script->out, policy->path);
        last = policy->path;
    }
    spread_put_changes(script->out, &script->choice->changes);
    if (script->choice->changes.threads > 0)
        fprintf(script->out, " --threads %llu", (unsigned long long)script->choice->changes.threads);
    fputs(" --output", script->out);
    spread_put_word(script->out, script->plan->database);
    spread_put_word(script->out, script->plan->file);
}

/* A file of the folder, as a word. */
static void put_file(const struct script *script, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s.runs/%s", script->plan->database, name) >= 0)
        spread_put_word(script->out, path);
    free(path);
}

/* A word of the script with a line break: the script hands itself on line by line, and one of its lines would end it.
 * Null: there is none. */
static const char *find_broken(const struct script *script)
{
    const struct spread_choice *choice = script->choice;
    const char *const words[] = {script->program, script->folder, script->plan->database, script->plan->file};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strpbrk(words[i], "\r\n") != NULL)
            return words[i];
    for (uint32_t i = 0; i < choice->changes.sets; i++)
        if (strpbrk(choice->changes.set[i], "\r\n") != NULL)
            return choice->changes.set[i];
    for (uint32_t i = 0; i < choice->only.count; i++)
        if (strpbrk(choice->only.word[i], "\r\n") != NULL)
            return choice->only.word[i];
    for (uint32_t i = 0; i < plugin_policy_count(); i++) {
        const struct plugin_policy *policy = plugin_of_policy(plugin_policy_at(i));
        if (policy != NULL && strpbrk(policy->path, "\r\n") != NULL)
            return policy->path;
    }
    return NULL;
}

/* Jobs that were lost with their machine have been queued again by then; those that failed or were out of time have
 * ended. Status 1 says that two results of one run differ: the rounds go on, and the job ends with it. Whatever ends
 * the rounds leaves a file that tells --collect. */
static void put_collector(const struct script *script)
{
    fputs("(\n"
          "    echo '#!/bin/sh'\n"
          "    echo \"rounds=$((rounds - 1))\"\n"
          "    cat <<'END'\n"
          "give_up() {\n"
          "    echo \"weir: the rounds are over, with status $1\" >&2\n"
          "    : >",
          script->out);
    put_file(script, PARTS_OVER);
    fputs("\n"
          "    exit \"$1\"\n"
          "}\n"
          "status=0\n"
          "script=$(",
          script->out);
    put_command(script);
    for (uint32_t i = 0; i < script->choice->only.count; i++) { /* the parts have the list */
        fputs(" --only", script->out);
        spread_put_word(script->out, script->choice->only.word[i]);
    }
    if (script->choice->jobs > 0)
        fprintf(script->out, " --jobs %llu", (unsigned long long)script->choice->jobs);
    fprintf(script->out,
            " --slurm %llu) || status=$?\n"
            "[ \"$status\" -le 1 ] || give_up \"$status\"\n"
            "printf '%%s\\n' \"$script\" | sh -s -- \"$rounds\" || give_up $?\n"
            "exit \"$status\"\n"
            "END\n"
            ") | sbatch --parsable --job-name weir --dependency \"afterany:${array%%%%;*}\" --output",
            (unsigned long long)script->choice->slurm);
    put_file(script, "slurm-%j.log");
    fputs(" >/dev/null\n", script->out);
}

int slurm_print(const struct plan *plan, const struct spread_choice *choice, uint32_t count)
{
    struct text_stream stream;
    struct script script = {.plan = plan,
                            .choice = choice,
                            .runs = count,
                            .parts = choice->slurm < count ? (uint32_t)choice->slurm : count};
    ssize_t size = readlink("/proc/self/exe", script.program, sizeof script.program - 1);
    if (size <= 0 || getcwd(script.folder, sizeof script.folder) == NULL)
        return cli_error(CLI_INTERNAL, "run: --slurm: cannot tell where weir is, or this folder: %s", strerror(errno));
    if (!text_stream_open(&stream))
        return cli_error_memory();
    script.out = stream.out;
    fprintf(script.out,
            "#!/bin/sh\n"
            "# %u runs as an array of %u jobs of Slurm, and a job after them that takes their results in and starts "
            "another\n"
            "# round if some are missing then: $1 rounds at most. For sh; sbatch reads SBATCH_TIMELIMIT, "
            "SBATCH_PARTITION,\n"
            "# SBATCH_ACCOUNT and the like. Written by weir %s.\n"
            "set -eu\n"
            "rounds=${1:-%u}\n"
            "if [ \"$rounds\" -lt 1 ]; then\n"
            "    echo 'weir: %u runs are missing after the last round' >&2\n"
            "    exit 1\n"
            "fi\n"
            "command -v sbatch >/dev/null || {\n"
            "    echo 'weir: sbatch is missing (expected Slurm here; without it, '\\''weir run --part K/N'\\'' makes a "
            "part)' >&2\n"
            "    exit 4\n"
            "}\n"
            "cd",
            script.runs, script.parts, version_text(), ROUNDS, script.runs);
    spread_put_word(script.out, script.folder);
    putc('\n', script.out);
    uint32_t jobs = script.choice->jobs > 0 ? (uint32_t)script.choice->jobs : 1;
    fprintf(script.out, "array=$(sbatch --parsable --job-name weir --array 1-%u --cpus-per-task %u --requeue \\\n   ",
            script.parts, jobs * script.plan->threads);
    fputs(" --open-mode append --output", script.out);
    put_file(&script, "slurm-%A_%a.log");
    fputs(" <<'END'\n#!/bin/sh\nexec", script.out);
    put_command(&script);
    fprintf(script.out, " --jobs %u --part \"$SLURM_ARRAY_TASK_ID/%u\"\nEND\n)\n", jobs, script.parts);
    fprintf(script.out, "echo \"weir: job ${array%%%%;*} makes %u runs in %u parts\"\n", script.runs, script.parts);
    put_collector(&script);
    char *text = text_stream_close(&stream);
    if (text == NULL)
        return cli_error_memory();
    const char *broken = find_broken(&script);
    if (broken != NULL) {
        free(text);
        return cli_error(CLI_INPUT,
                         "run: --slurm: '%s' has a line break, which cannot stand in the script (expected a name or a "
                         "value of one line)",
                         broken);
    }
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}
