/*
 * folder.h - a fresh folder to work in for a group of tests, which must leave it empty.
 */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include <stdlib.h>
#include <unistd.h>

static char test_folder[] = "/tmp/weir-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(test_folder) == NULL || chdir(test_folder) != 0;
}

/* Fails when a test left a file behind. */
static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") != 0 || rmdir(test_folder) != 0;
}

#endif
