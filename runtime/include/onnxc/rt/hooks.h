/*===- hooks.h - Functions that generated code calls -------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * The whole surface between generated host code and the runtime linked into
 * the same artefact. A real-time or microcontroller link supplies other
 * bodies for these names. All are hidden symbols of the artefact.
 *
 * Unless said otherwise a hook is called on the thread that called the model
 * (the leader), never from inside a kernel.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_RT_HOOKS_H
#define ONNXC_RT_HOOKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run: arena, pool objects, outputs, first error. Opaque to the code but
 * for its first eight bytes: the status, 0 (ONNXC_OK) or the first error, and
 * what is observed, a sum of ONNXC_OBSERVES_*. */
typedef struct OnnxcCall OnnxcCall;

#define ONNXC_OBSERVED_OFFSET 4
enum { ONNXC_OBSERVES_LAUNCHES = 1, ONNXC_OBSERVES_SIZES = 2 };

/* A tensor as the host program sees it: contiguous, row-major.
 * `type` is an OM_DATA_TYPE number. Every element of a type narrower than a
 * byte (bool, int4, float6, ...) takes one whole byte: bool is 0 or 1, the
 * signed integers are sign-extended, the others zero-extended. A string
 * element is a `char *` to a NUL-terminated string. A value that is no tensor
 * (sequence, map, optional), or a tensor of unknown rank, has type 0, rank 0
 * and its object in `data`. */
typedef struct OnnxcValue {
  void *data;
  int64_t *dims;
  int32_t rank;
  int32_t type;
} OnnxcValue;

/* Status codes; the same numbers as OM_STATUS_* of onnxc/Runtime.h. */
enum {
  ONNXC_OK = 0,
  ONNXC_ERR_INVALID = 1,     /* bad argument: null, count, rank, type, shape */
  ONNXC_ERR_VALUE = 2,       /* the data itself breaks a rule of the model */
  ONNXC_ERR_MEMORY = 3,      /* allocation failed or the size is excessive */
  ONNXC_ERR_TARGET = 4,      /* this processor lacks a feature */
  ONNXC_ERR_DEADLINE = 5,    /* the context's deadline has passed */
  ONNXC_ERR_UNSUPPORTED = 6, /* the runtime does not do this */
  ONNXC_ERR_INTERNAL = 7,    /* a promise between compiler and runtime broke */
  ONNXC_ERR_CANCELLED = 8    /* omContextCancel was called */
};

/* No tensor and no block of memory takes more bytes; the same number as
 * maxTensorBytes of the compiler. */
#define ONNXC_MAX_TENSOR_BYTES ((int64_t)1 << 46)

/* --- Memory --------------------------------------------------------------
 * Every block is 64-byte aligned (but for an output in a buffer of the caller,
 * which is aligned for its elements only) and uninitialised. On failure the
 * error is recorded in the call and a small guard is returned, never NULL: the
 * host tests the status before it uses the block. */

/* The arena of OnnxcEntry.arenaBytes bytes planned by the compiler. */
void *onnxc_rt_arena(OnnxcCall *call);

/* The same arena with at least `bytes` bytes, for plans whose size depends on
 * run-time dimensions. Called once, before any view of the arena is used. */
void *onnxc_rt_arena_reserve(OnnxcCall *call, int64_t bytes);

/* Base of the weights, embedded or mapped from the side file. */
const void *onnxc_rt_weights(OnnxcCall *call);

/* A pool object. Objects still live at the end of the call are released by
 * the runtime, so that error paths need no clean-up. */
void *onnxc_rt_alloc(OnnxcCall *call, int64_t bytes);
void onnxc_rt_release(OnnxcCall *call, void *object);

/* Objects: sequences, maps, optionals, tensors of unknown rank. The result of
 * a hook or a krnl.call is a reference that the code releases; those still live
 * at the end of the call are released by the runtime, too. */
void onnxc_rt_retain_object(OnnxcCall *call, void *object);
void onnxc_rt_release_object(OnnxcCall *call, void *object);

/* The object that graph input `index` is; never NULL. */
void *onnxc_rt_input_object(OnnxcCall *call, int32_t index);
/* Where the object that is graph output `index` is to be stored: a reference
 * given away. Never NULL, may be asked for once. */
void **onnxc_rt_output_object(OnnxcCall *call, int32_t index);

/* The destination of graph output `index`, whose type the signature knows.
 * The buffer is the caller's own where one was given and fits. May be asked
 * for once per output; `dims` is copied. A string output is filled with
 * pointers to strings that live until the end of the call; the runtime copies
 * the characters afterwards. */
void *onnxc_rt_output(OnnxcCall *call, int32_t index, int32_t rank,
                      const int64_t *dims);

/* Scratch of OnnxcEntry.scratchBytes bytes that belongs to worker `tid`.
 * Callable by that worker inside a region, and with tid 0 by the leader
 * outside of one. Cannot fail: a region starts only with its scratch made. */
void *onnxc_rt_scratch(OnnxcCall *call, int32_t tid);

/* --- Work ----------------------------------------------------------------
 * Runs fn(frame, tid, nthreads, team) for every tid in [0, nthreads) at the
 * same time; tid 0 is the calling thread. nthreads is decided by the runtime
 * and is at most `tiles`: the compiler passes the largest team that is
 * profitable, 1 for work too small to share. `team` is NULL when nthreads is 1.
 * fn may be skipped altogether when the run is to end. Returns the status. */
typedef void (*OnnxcParallelRegionFn)(void *frame, int32_t tid,
                                      int32_t nthreads, void *team);
int32_t onnxc_rt_parallel_region(OnnxcCall *call, OnnxcParallelRegionFn fn,
                                 void *frame, int64_t tiles);

/* Inside a region: returns when all workers of the team have called it, with
 * all their stores visible; at once for a NULL team. Nonzero, for all workers
 * alike, if the run is to end: fn returns. */
int32_t onnxc_rt_barrier(OnnxcCall *call, void *team);

/* The status, which is an error if the run is to end: also when its deadline
 * has passed, or omContextCancel was called. A worker of a team goes to the
 * next barrier then without computing the tiles before it; all other code
 * returns. */
int32_t onnxc_rt_poll(OnnxcCall *call);

/* Of models compiled to be profiled, in runs that observe launches: worker
 * `tid` begins launch number `launch`, or ends launch ~launch. */
void onnxc_rt_launch(OnnxcCall *call, int32_t tid, int32_t launch);
/* In runs that observe sizes: launch number `launch` is about to run, and size
 * number `size` of those that its work depends on is `value`. */
void onnxc_rt_launch_size(OnnxcCall *call, int32_t launch, int32_t size,
                          int64_t value);

/* --- Errors --------------------------------------------------------------
 * Records the first error of the call (later ones are dropped) and returns
 * the status, so that host code can `return onnxc_rt_fail(...)`. The message
 * is copied. Callable from inside a region as well. */
int32_t onnxc_rt_fail(OnnxcCall *call, int32_t code, const char *message);
/* The same with the sizes that the message is about, an int64_t for each `{}`
 * of the format: "the sizes differ" and "{} and {}" are recorded as "the sizes
 * differ: 3 and 4". */
int32_t onnxc_rt_fail_sizes(OnnxcCall *call, int32_t code, const char *message,
                            const char *format, ...);
/* The same with an index and the size that it is out of range for, which is
 * that of the dimension; -1: of none. */
int32_t onnxc_rt_fail_index(OnnxcCall *call, int32_t code, const char *message,
                            int64_t index, int64_t size, int64_t dimension);
int32_t onnxc_rt_status(OnnxcCall *call);
/* Puts the nodes ("node 'a'") before the recorded message, which a
 * krnl.call or an allocation of theirs has just caused, and returns the status.
 */
int32_t onnxc_rt_locate_error(OnnxcCall *call, const char *nodes);

/* --- Target of krnl.call -------------------------------------------------
 * An output whose `data` is NULL on entry: the callee stores its dims (the
 * array has room for `rank` of them, and holds those that the compiler knows,
 * else -1) and memory from onnxc_rt_alloc, or an object.
 * Functions of this type live in runtime/lib/calls, one file per family. */
typedef int32_t (*OnnxcCallFn)(OnnxcCall *call, int32_t nout, OnnxcValue *outs,
                               int32_t nin, const OnnxcValue *ins,
                               const int64_t *params);

#ifdef __cplusplus
}

/* Begins the definition of such a function. */
#define ONNXC_CALL(NAME)                                                       \
  extern "C" int32_t NAME(                                                     \
      [[maybe_unused]] OnnxcCall *call, [[maybe_unused]] int32_t nout,         \
      [[maybe_unused]] OnnxcValue *outs, [[maybe_unused]] int32_t nin,         \
      [[maybe_unused]] const OnnxcValue *ins,                                  \
      [[maybe_unused]] const int64_t *params)
#endif

#endif /* ONNXC_RT_HOOKS_H */
