/*
 * version.c - see version.h. The build writes version_commit.h and code_digest.h, so that a new commit compiles this
 * file and no other.
 */
#include "cli/version.h"

#include <assert.h>
#include <string.h>

#include "code_digest.h"
#include "lib/plugin/plugin.h"
#include "version_commit.h"

const char *version_text(void)
{
    bool unknown = strcmp(VERSION_COMMIT, VERSION_NUMBER) == 0; /* what the build writes without a commit */
    return unknown ? VERSION_NUMBER : VERSION_NUMBER "+" VERSION_COMMIT;
}

bool version_is_dirty(const char *version)
{
    static const char mark[] = "-dirty";
    size_t length = strlen(version);
    return length >= sizeof mark - 1 && strcmp(version + length - (sizeof mark - 1), mark) == 0;
}

const char *version_of_code(bool real)
{
    return real ? CODE_REAL : CODE_SHARED;
}

#define CODE_POLICY(name, digest) extern const struct weir_policy weir_policy_##name;
CODE_POLICIES
#undef CODE_POLICY

const char *version_of_policy(const struct weir_policy *policy)
{
#define CODE_POLICY(name, digest) {&weir_policy_##name, digest},
    static const struct {
        const struct weir_policy *policy;
        const char *digest;
    } codes[] = {CODE_POLICIES};
#undef CODE_POLICY
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].policy == policy)
            return codes[i].digest;
    const struct plugin_policy *own = plugin_of_policy(policy);
    assert(own != NULL);
    return own->digest;
}
