/*
 * data_folder.h - files that come with the program: scenarios, platforms.
 */
#ifndef CLI_DATA_FOLDER_H
#define CLI_DATA_FOLDER_H

/* The folder of this name beside the program, of an installation or of the tree that it was built in; to be freed.
 * Null: none is there, or memory is short (errno is ENOMEM). */
char *cli_data_folder(const char *name);

#endif
