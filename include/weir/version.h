/*
 * version.h - which libweir this is. WEIR_VERSION and WEIR_ABI are of the headers, weir_version() is of the library
 * that the program runs with.
 *
 * Versions follow semver.org. WEIR_ABI is the number in the library's SONAME and in the descriptor of a plug-in: it
 * grows when a program that was compiled before would no longer work, and then only.
 */
#ifndef WEIR_VERSION_H
#define WEIR_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_VERSION "0.2.0"
#define WEIR_ABI 2

/* WEIR_VERSION of the library that the program runs with. */
const char *weir_version(void);

#ifdef __cplusplus
}
#endif

#endif
