/*
 * confine.c - see confine.h.
 *
 * The filter names what is refused and not what is allowed: which calls libc, SQLite or a driver of DPDK makes changes
 * with their versions, and a list of what is allowed would break then. What is refused are the calls by which a process
 * becomes another program, reaches others, or changes the system; opening files stays possible.
 */
#define _GNU_SOURCE 1
#include "cli/confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define OTHER_CALLS 0x40000000u /* of x32, under other numbers */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* at its end the sanitizer looks for leaks with ptrace */
#endif

static const unsigned system_calls[] = {
    SYS_execve,
    SYS_execveat,
#ifndef SANITIZED
    SYS_ptrace,
#endif
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
#ifdef SYS_move_mount
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
#endif
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_setns,
    SYS_unshare,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_open_by_handle_at,
    SYS_personality,
    SYS_syslog,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup, /* its own way to make any other call */
    SYS_io_uring_enter,
    SYS_io_uring_register,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

static const unsigned network_calls[] = {SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

#ifdef ARCHITECTURE
struct program {
    struct sock_filter step[8 + 2 * (COUNT(system_calls) + COUNT(network_calls))];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter step)
{
    program->step[program->count++] = step;
}

static void refuse(struct program *program, const unsigned *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1));
        add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
    }
}

/* The program is run at every call; without SPEC_ALLOW some kernels also slow down all the rest. */
static void install(enum confine_rights rights)
{
    struct program program;
    program.count = 0;
    add(&program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    add(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
    add(&program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
#ifdef OTHER_CALLS
    add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_CALLS, 0, 1));
    add(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
#endif
    refuse(&program, system_calls, COUNT(system_calls));
    if (rights == CONFINE_FILES)
        refuse(&program, network_calls, COUNT(network_calls));
    add(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const struct sock_fprog all = {.len = program.count, .filter = program.step};
    const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &all) != 0)
        (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &all);
}
#else
static void install(enum confine_rights rights)
{
    (void)rights;
}
#endif

void confine_calls(enum confine_rights rights)
{
    static bool done; /* a child of fork has its parent's filter */
    if (rights == CONFINE_NOTHING || done)
        return;
    done = true;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        install(rights);
}

bool confine_is_filtered(void)
{
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

bool confine_find_user(struct confine_user *user, const char *text, struct weir_error *error)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    bool numeric = text[0] >= '0' && text[0] <= '9' && *end == '\0' && number < (uid_t)-1;
    const struct passwd *known = numeric ? getpwuid((uid_t)number) : getpwnam(text);
    *user = (struct confine_user){.uid = (uid_t)number, .gid = (gid_t)number};
    if (known != NULL) {
        *user = (struct confine_user){.uid = known->pw_uid, .gid = known->pw_gid};
        snprintf(user->name, sizeof user->name, "%s", known->pw_name);
    }
    if (known == NULL && !numeric)
        return weir_fail(error, WEIR_ERROR_INPUT, "--user: this machine has no user '%.64s'", text);
    if (user->uid == 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "--user: root would give up nothing (expected another user)");
    return true;
}

bool confine_become(const struct confine_user *user, struct weir_error *error)
{
    bool groups = user->name[0] != '\0' ? initgroups(user->name, user->gid) == 0 : setgroups(0, NULL) == 0;
    if (!groups || setresgid(user->gid, user->gid, user->gid) != 0 || setresuid(user->uid, user->uid, user->uid) != 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "--user: cannot become user %u: %s (only root can)",
                         (unsigned)user->uid, strerror(errno));
    if (setresuid(0, 0, 0) == 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "--user: user %u can become root again", (unsigned)user->uid);
    return true;
}
