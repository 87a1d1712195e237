/*===- Runtime.h - Contexts, status codes and caller-owned buffers -*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * The second C99 header of a compiled model, for programs that need more
 * than OnnxMlirRuntime.h: every failure as a status with a message, outputs
 * written to memory of the caller, no allocation per call (after the first
 * call, while shapes stay the same; strings, sequences, optionals and maps are
 * made anew, and image codecs and libraries of custom operators allocate as
 * they like), a thread count, a deadline, a log.
 *
 *   OMContext *c = omContextCreate(NULL);
 *   OMBuffer x = {data, sizeof data, shape, 2, ONNX_TYPE_FLOAT}, y = {0};
 *   if (omContextRun(c, &x, 1, &y, 1) != OM_STATUS_OK)
 *     puts(omContextGetMessage(c));
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_H
#define ONNXC_RUNTIME_H

#include "OnnxMlirRuntime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OM_STATUS {
  OM_STATUS_OK = 0,
  OM_STATUS_INVALID = 1,     /* bad argument: null, count, type, shape */
  OM_STATUS_VALUE = 2,       /* the data breaks a rule of the model */
  OM_STATUS_MEMORY = 3,      /* memory is short or a size is excessive */
  OM_STATUS_TARGET = 4,      /* this processor lacks a feature */
  OM_STATUS_DEADLINE = 5,    /* the deadline has passed */
  OM_STATUS_UNSUPPORTED = 6, /* the runtime does not do this */
  OM_STATUS_INTERNAL = 7,    /* a bug in the compiler or the runtime */
  OM_STATUS_CANCELLED = 8    /* omContextCancel ended the run */
} OM_STATUS;

/* "ok", "invalid argument", ... */
OM_EXTERNAL_VISIBILITY const char *omStatusName(OM_STATUS status);

/* A contiguous row-major tensor that is not the runtime's. */
typedef struct OMBuffer {
  void *data;     /* aligned for its elements; a bool is 0 or 1 */
  int64_t bytes;  /* size of the memory at data */
  int64_t *shape; /* rank entries */
  int64_t rank;
  OM_DATA_TYPE type;
} OMBuffer;

/* --- Inputs and outputs ---------------------------------------------------
 * entryPoint NULL is the first (and usually only) one, run_main_graph. */

typedef struct OMArgument {
  const char *name;
  int64_t kind;               /* OM_VALUE_KIND */
  int64_t type;               /* OM_DATA_TYPE of the (element) tensor */
  int64_t rank;               /* -1: any */
  const int64_t *shape;       /* -1: any size */
  const char *const *symbols; /* NULL, or rank names, NULL where unnamed */
  int64_t key;                /* OM_DATA_TYPE of a map's keys, else 0 */
  const struct OMArgument *element; /* of a sequence or optional, or the
                                       values of a map; NULL for a tensor */
} OMArgument;

/* -1 and NULL for an unknown entry point or index. */
OM_EXTERNAL_VISIBILITY int64_t omGetNumInputs(const char *entryPoint);
OM_EXTERNAL_VISIBILITY int64_t omGetNumOutputs(const char *entryPoint);
OM_EXTERNAL_VISIBILITY const OMArgument *omGetInput(const char *entryPoint,
                                                    int64_t index);
OM_EXTERNAL_VISIBILITY const OMArgument *omGetOutput(const char *entryPoint,
                                                     int64_t index);

/* The processor whose code runs here, as --cpu named it. An artefact may have
 * code for several: the last one in the order of their features that this
 * machine can run is taken when it is loaded, or the one that OM_CPU of the
 * environment names. NULL if it can run none, see omGetLastError: runs end with
 * OM_STATUS_TARGET then. */
OM_EXTERNAL_VISIBILITY const char *omGetCpu(const char *entryPoint);

/* --- Contexts -------------------------------------------------------------
 * A context holds all memory one run needs. One run at a time per context;
 * any number of contexts at the same time. */

typedef struct OMContext OMContext;

/* NULL on failure: see omGetLastError. */
OM_EXTERNAL_VISIBILITY OMContext *omContextCreate(const char *entryPoint);
OM_EXTERNAL_VISIBILITY void omContextDestroy(OMContext *context);

/* Runs the model once. An output buffer is one of two:
 * - all zero, or as an earlier run of this context filled it in. The runtime
 *   fills it in, with memory that lives until the context's next run or
 *   destruction (so it is refused as an input of that run).
 * - data, bytes and a shape array of `rank` entries of the caller. The output
 *   is written there; shape, rank and type are set. It is an error if either
 *   is too small, or if the memory that is written overlaps an input or
 *   another output.
 * Strings of string outputs live until the next run in both cases. A value
 * that is no tensor has type ONNX_TYPE_UNDEFINED and an OMValue in data.
 * Nobody wants the outputs: NULL, 0. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextRun(OMContext *context,
                                              const OMBuffer *inputs,
                                              int64_t numInputs,
                                              OMBuffer *outputs,
                                              int64_t numOutputs);
/* The same with tensors of DLPack 1, whose header a program includes itself.
 * They are of numbers, contiguous and row-major, and lie in memory of the host
 * or, if the model runs on a GPU, of the context's device (OM_STATUS_INVALID
 * for another): nothing is copied through the host then. One whose address is
 * no multiple of 16 is copied on the device. Inputs stay the caller's. An
 * output is written to the given tensor, which must have its type and shape,
 * or, where that is NULL, to a new one on the model's device that the caller
 * gives back by its deleter, before the artefact is unloaded. The work of a GPU
 * takes its place in the context's stream; outputs are complete when the
 * function has returned. */
struct DLManagedTensorVersioned;
OM_EXTERNAL_VISIBILITY OM_STATUS omContextRunDLPack(
    OMContext *context, struct DLManagedTensorVersioned *const *inputs,
    int64_t numInputs, struct DLManagedTensorVersioned **outputs,
    int64_t numOutputs);
/* The GPU of later runs, as CUDA numbers those of the process; 0 at first. Of
 * code for several GPUs the last that it takes runs there. Where it takes none,
 * later runs are on the processor, with OM_STATUS_UNSUPPORTED, if the model has
 * code for it; else OM_STATUS_OK, and they say what is missing. Code and status
 * depend on the number alone, not on the GPU before: a context that is told 0
 * runs what a new one runs. Another GPU than before gives up the stream of
 * omContextSetStream, and other code the arena of omContextSetArena.
 * OM_STATUS_INVALID, without effect, for a negative number and during a run. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetDevice(OMContext *context,
                                                    int64_t number);
/* That number; -1 if runs are on the processor. */
OM_EXTERNAL_VISIBILITY int64_t omContextGetDevice(const OMContext *context);
/* OM_STATUS_TARGET, with a message, if the driver, that GPU or code for it is
 * missing. Loads the driver, so that processes forked later cannot use it, but
 * not the model. OM_STATUS_OK for the processor. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextCheckDevice(OMContext *context);
/* The CUstream of that GPU whose order later runs take part in, until another
 * stream or GPU is set; NULL (the default): one of the context.
 * CU_STREAM_LEGACY is the default stream. OM_STATUS_UNSUPPORTED if runs are on
 * the processor, OM_STATUS_INVALID during one. A run ends with the latter if
 * the stream is being captured for a CUDA graph then. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetStream(OMContext *context,
                                                    void *stream);
/* At most that many bytes on the GPU are the context's: its arena there, and
 * copies of inputs and outputs; 0 (the default): no limit. A later run that
 * needs more fails with OM_STATUS_MEMORY before it asks the driver for them.
 * The model's weights and code, which all contexts share, and outputs that the
 * caller is given there (omContextRunDLPack) are not in it. OM_STATUS_INVALID
 * for a negative number and during a run. No effect on runs on the
 * processor. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetDeviceMemory(OMContext *context,
                                                          int64_t bytes);
/* Allocates the memory of the first run without running, as far as sizes are
 * known before inputs are: arena, scratch of all threads, outputs of static
 * sizes that the context is to hold; maps weights that are in a file of their
 * own, and starts worker threads. `outputs` as for omContextRun. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextPrepare(OMContext *context,
                                                  const OMBuffer *outputs,
                                                  int64_t numOutputs);
/* Bytes of arena and scratch that runs on the context's present number of
 * threads need; -1 if they depend on the inputs. */
OM_EXTERNAL_VISIBILITY int64_t omContextGetArenaBytes(const OMContext *context);
/* Memory of the caller for arena and scratch, aligned to 64 bytes, until
 * another is given, NULL for the context's own again, or the context is
 * destroyed. Later runs take no more threads than fit. A run that needs more,
 * where this depends on the inputs, fails with OM_STATUS_MEMORY. Outputs and
 * the memory of operators that are no kernels are not in it. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetArena(OMContext *context,
                                                   void *memory, int64_t bytes);
/* Takes over the memory of an output that the runtime filled in, after a run
 * that succeeded: it lives until the caller passes it to free() or
 * omReturnOutput. NULL if there is nothing to take (the caller's buffer,
 * strings, a value that is no tensor, taken already). */
OM_EXTERNAL_VISIBILITY void *omContextTakeOutput(OMContext *context,
                                                 int64_t index);
/* Instead of free(): keeps memory that omContextTakeOutput gave, `bytes` bytes
 * of it as OMBuffer says, for outputs of later runs, whose pages then need not
 * be asked of the system. omTensorDestroy does so for outputs of
 * run_main_graph. At most eight blocks, of at most 256 MiB together, are kept
 * by all models of a library or program, until it is unloaded. Any thread may
 * call it. */
OM_EXTERNAL_VISIBILITY void omReturnOutput(void *memory, int64_t bytes);
/* The error of the last run, "" if there was none. */
OM_EXTERNAL_VISIBILITY const char *omContextGetMessage(const OMContext *);
/* At most n threads per run; 0: as omGetThreads() says. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetThreads(OMContext *, int64_t n);
/* A run that takes longer fails; 0: no limit. All threads look at the clock
 * before kernels and between tiles of long ones, after some tens of
 * microseconds of work; the caller's looks at it in every iteration of a Loop,
 * in rows of images, in sorts, NonMaxSuppression, CastMap and SplitToSequence
 * and at the end as well. Other operators that are no kernels (strings, custom
 * ones) run to their end, and so do up to 256 launches on a device. After a
 * deadline the contents of outputs are unspecified. OM_STATUS_INVALID for a
 * negative number. */
OM_EXTERNAL_VISIBILITY OM_STATUS omContextSetDeadline(OMContext *,
                                                      int64_t nanoseconds);
/* Ends the run that is going on, as soon as a deadline would, with
 * OM_STATUS_CANCELLED, unless it is over first. Returns 1 if a run is going on;
 * else 0: one that begins afterwards is not affected. Any thread may call it,
 * and a signal handler. */
OM_EXTERNAL_VISIBILITY int omContextCancel(OMContext *context);
/* Bytes the context holds: arena, scratch, pool, outputs, and blocks on a
 * device. */
OM_EXTERNAL_VISIBILITY int64_t omContextGetMemory(const OMContext *context);

typedef enum OM_LOG_LEVEL { OM_LOG_ERROR = 1, OM_LOG_INFO = 2 } OM_LOG_LEVEL;
typedef void (*OMLogFunction)(void *user, OM_LOG_LEVEL level,
                              const char *message);
/* Called on the running thread, and raises no exception; NULL (the default):
 * silent. */
OM_EXTERNAL_VISIBILITY void omContextSetLog(OMContext *, OMLogFunction,
                                            void *user);

/* --- Threads --------------------------------------------------------------
 * The most threads a run of this model uses, the caller's included. At first
 * OM_NUM_THREADS of the environment, else all processors this process may
 * use; never more than those. n = 0 returns to that. */
OM_EXTERNAL_VISIBILITY OM_STATUS omSetThreads(int64_t n);
OM_EXTERNAL_VISIBILITY int64_t omGetThreads(void);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_H */
