/*
 * The outputs (monitors) that a Wayland compositor has at the moment. Nothing waits for the compositor and nothing
 * calls back into the caller. Only one thread at a time may use a list.
 */
#ifndef COUTPUTS_H
#define COUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct cout_list cout_list;

/* Connects to the display `name`: a path, or a name in XDG_RUNTIME_DIR. The outputs follow with the next updates.
   Returns NULL if no compositor accepts the connection. */
cout_list *_Nullable cout_open(const char *name);

void cout_close(cout_list *list);

/* Reads what the compositor has sent. Returns false if the connection is lost. */
bool cout_update(cout_list *list);

/* How many outputs there are. */
size_t cout_count(const cout_list *list);

/* The name of an output (`DP-1`), or "" if the compositor has not said it (wl_output, version 4). Valid until the next
   update. */
const char *cout_name(const cout_list *list, size_t index);

/* How often the compositor has described an output (wl_output.done, version 2). The first time counts. A scale that is
   no whole number changes nothing else in the description. */
uint32_t cout_changes(const cout_list *list, size_t index);

#pragma clang assume_nonnull end

#endif
