/*
 * mpi.c - see mpi.h. Nothing blocks but `stop`: sends are kept until they are done, and receiving looks first.
 *
 * Errors come back instead of ending the program. A rank that is gone cannot be told from one that is slow, so that the
 * courier counts how long it has been silent.
 */
#include "lab/mpi/mpi.h"

#include <mpi.h>
#include <stdlib.h>

struct sending {
    struct sending *next;
    MPI_Request request;
    uint8_t *bytes;
};

struct receiving {
    struct receiving *next;
    MPI_Request request;
    struct cluster_mail mail;
};

static struct sending *first_sending;
static struct receiving *first_receiving; /* in the order in which they were announced */

static bool mpi_start(uint32_t *rank, uint32_t *size)
{
    int own, all;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    *rank = (uint32_t)own;
    *size = (uint32_t)all;
    return true;
}

/* Lets go of what has been sent. What cannot be is let go of too. */
static void look_after(void)
{
    for (struct sending **at = &first_sending; *at != NULL;) {
        struct sending *sending = *at;
        int done = 0;
        if (MPI_Test(&sending->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
            at = &sending->next;
            continue;
        }
        *at = sending->next;
        free(sending->bytes);
        free(sending);
    }
}

static bool mpi_send(struct cluster_mail *mail)
{
    struct sending *sending = malloc(sizeof *sending);
    if (sending == NULL)
        return false;
    *sending = (struct sending){.next = first_sending, .bytes = mail->bytes};
    if (MPI_Isend(mail->bytes, (int)mail->size, MPI_BYTE, (int)mail->rank, mail->tag, MPI_COMM_WORLD,
                  &sending->request) != MPI_SUCCESS) {
        free(sending);
        return false;
    }
    mail->bytes = NULL;
    first_sending = sending;
    return true;
}

/* Begins to receive what has been announced. A sender that dies half-way leaves a message that never comes. */
static void begin_receiving(void)
{
    MPI_Status status;
    MPI_Message message;
    for (int there = 0, size = 0;; there = 0) {
        struct receiving *receiving = malloc(sizeof *receiving);
        if (receiving == NULL ||
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status) != MPI_SUCCESS)
            there = 0;
        if (!there) {
            free(receiving);
            return;
        }
        MPI_Get_count(&status, MPI_BYTE, &size);
        *receiving = (struct receiving){
            .mail = {.rank = (uint32_t)status.MPI_SOURCE, .tag = status.MPI_TAG, .size = (size_t)size}};
        receiving->mail.bytes = malloc((size_t)size + 1);
        if (receiving->mail.bytes == NULL)
            MPI_Abort(MPI_COMM_WORLD, 4);
        MPI_Imrecv(receiving->mail.bytes, size, MPI_BYTE, &message, &receiving->request);
        struct receiving **end = &first_receiving;
        while (*end != NULL)
            end = &(*end)->next;
        *end = receiving;
    }
}

static bool mpi_receive(struct cluster_mail *mail)
{
    look_after();
    begin_receiving();
    for (struct receiving **at = &first_receiving; *at != NULL; at = &(*at)->next) {
        struct receiving *receiving = *at;
        int done = 0;
        if (MPI_Test(&receiving->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done)
            continue;
        *at = receiving->next;
        *mail = receiving->mail;
        free(receiving);
        return true;
    }
    return false;
}

static bool mpi_has_sent(void)
{
    look_after();
    return first_sending == NULL;
}

static void mpi_stop(void)
{
    MPI_Finalize();
}

static void mpi_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

const struct cluster_mpi weir_cluster_mpi = {
    .start = mpi_start,
    .send = mpi_send,
    .receive = mpi_receive,
    .has_sent = mpi_has_sent,
    .stop = mpi_stop,
    .abort = mpi_abort,
};
