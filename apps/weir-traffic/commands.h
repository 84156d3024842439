/*
 * commands.h - the commands of weir-traffic; conventions as in apps/weir/cli.h.
 */
#ifndef TRAFFIC_COMMANDS_H
#define TRAFFIC_COMMANDS_H

int traffic_cmd_run(int argc, char **argv); /* `run` and `serve` */
int traffic_cmd_dctcp(int argc, char **argv);

#endif
