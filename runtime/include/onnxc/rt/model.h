/*===- model.h - The descriptor generated code defines ------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * Generated code defines one hidden constant `onnxc_model` of type
 * `struct OnnxcModel`; the runtime reads everything it has to know about the
 * model from there. Only pointers and 64-bit integers, so that the layout has
 * no padding and an LLVM constant of { ptr, i64, ... } matches it. A
 * constructor of the model registers it, so that one runtime can serve several
 * models.
 *
 * How an artefact is linked: the model's objects, then onnxc_rt.o, then the
 * stub libm.so.6 and libc.so.6 that lie beside it; `-shared --gc-sections
 * -z now`, with a version script that exports the names of onnxc/rt/Exports.def
 * and nothing else, and a dynamic list of those that artefacts share. With a
 * tag the model defines run_main_graph_TAG and the other entry functions, which
 * call onnxc_rt_run_main_graph and the other entry functions. An object of a
 * model (--emit=obj) is the same in one file, in which all but these is local;
 * programs link it with libonnxc_rt.a.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_RT_MODEL_H
#define ONNXC_RT_MODEL_H

#include "onnxc/CustomOp.h"
#include "onnxc/rt/device.h"
#include "onnxc/rt/hooks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows whenever hooks.h, device.h or this file changes incompatibly. */
#define ONNXC_RT_ABI 13

/* Kinds of graph inputs and outputs; the numbers of OM_VALUE_KIND. */
enum {
  ONNXC_KIND_TENSOR = 1,
  ONNXC_KIND_SEQUENCE = 2,
  ONNXC_KIND_MAP = 3,
  ONNXC_KIND_OPTIONAL = 4
};

/* One graph input or output. */
typedef struct OnnxcArg {
  const char *name;
  int64_t kind;               /* ONNXC_KIND_* */
  int64_t type;               /* OM_DATA_TYPE of the (element) tensor */
  int64_t rank;               /* -1: any rank */
  const int64_t *dims;        /* rank entries, -1: any size; NULL if rank<1 */
  const char *const *symbols; /* NULL, or rank names, each NULL if unnamed */
  int64_t key;                /* OM_DATA_TYPE of a map's keys, else 0 */
  const struct OnnxcArg *element; /* of a sequence or optional, or the
                                     values of a map; NULL for a tensor. Has
                                     no name */
} OnnxcArg;

typedef int32_t (*OnnxcEntryFn)(OnnxcCall *call, const OnnxcValue *inputs);

/* One entry point: `run` is the generated host program. It is called with
 * checked, contiguous inputs; pointers need no particular alignment beyond
 * that of the element. Returns onnxc_rt_status(call). */
typedef struct OnnxcEntry {
  const char *name; /* "run_main_graph" */
  OnnxcEntryFn run;
  int64_t numInputs;
  const OnnxcArg *inputs;
  int64_t numOutputs;
  const OnnxcArg *outputs;
  const char *inputSignature;   /* JSON: [{"type": "f32", "dims": [1, -1, 3],
                                   "name": "x"}, ...]; dim_params beside dims
                                   where dimensions have names */
  const char *outputSignature;  /* the same for the outputs */
  int64_t arenaBytes;           /* size of the planned arena, 0 if none, -1
                                   if it follows from the inputs */
  int64_t scratchBytes;         /* largest scratch of one worker, 0 if none */
  int64_t numSharedSizes;       /* sizes that several dimensions of inputs have
                                   in every run */
  const int64_t *sharedSizes;   /* NULL without; else for each dimension of all
                                   inputs of known rank, in order, the number
                                   of its shared size, or -1 */
  const uint8_t *staysOnDevice; /* NULL, or numInputs + numOutputs bytes, not 0
                                   for tensors that `run` gives to hooks of
                                   device.h alone: their data may be addresses
                                   of the device */
} OnnxcEntry;

/* The state of a node of the user's library; zero at first. */
typedef struct OnnxcCustomState {
  const OMCustomOp *op; /* once its library has been asked for it */
  void *state;          /* the result of its `create`, never null then */
} OnnxcCustomState;

/* One node that a custom operator library computes (onnxc/CustomOp.h). */
typedef struct OnnxcCustomNode {
  OMCustomEntry library;
  const char *domain;
  const char *name;
  int64_t version;
  const char *node;
  int64_t numInputs;         /* slots of the operator, absent ones too */
  const int64_t *inputTypes; /* OM_DATA_TYPE by slot, 0: absent */
  int64_t numOutputs;
  const int64_t *outputTypes;
  int64_t numAttributes;
  const OMCustomAttribute *attributes;
  OnnxcCustomState *state;
} OnnxcCustomNode;

/* The operands and results are those slots that are not absent, in order;
 * params[0] is the number of the node. */
int32_t onnxc_call_custom(OnnxcCall *call, int32_t nout, OnnxcValue *outs,
                          int32_t nin, const OnnxcValue *ins,
                          const int64_t *params);
/* Destroys the states of libraries; no run is going on. */
struct OnnxcModel;
void onnxc_custom_unload(const struct OnnxcModel *model);

/* The last bytes of a side file of weights. The artefact has the same digest,
 * so that it takes no other file; the digest is BLAKE3's of all bytes
 * before the footer, computed when the file was written. */
#define ONNXC_WEIGHTS_MAGIC "onnxc weights 1\n"
typedef struct OnnxcWeightsFooter {
  char magic[16]; /* ONNXC_WEIGHTS_MAGIC */
  int64_t bytes;  /* before the footer */
  int64_t zero;
  uint8_t digest[32];
} OnnxcWeightsFooter;

/* The code for one processor and those that have all of its features. */
typedef struct OnnxcLevel {
  const char *cpu;           /* as --cpu names it */
  const char *features;      /* "+avx2,+fma,..."; NULL or "": runs on the base
                                processor */
  const OnnxcEntry *entries; /* numEntries of the model; levels differ in the
                                functions and their memory only */
  const OnnxcDeviceCode *device; /* NULL, or what its entry points run on a
                                    GPU; a level without takes its place where
                                    there is none */
} OnnxcLevel;

typedef struct OnnxcModel {
  int64_t abi; /* ONNXC_RT_ABI */
  int64_t numEntries;
  int64_t numLevels;           /* at least 1 */
  const OnnxcLevel *levels;    /* a level after those whose features it has; the
                                  last one that can run does, which is decided
                                  when the model is registered */
  const char *compilationInfo; /* JSON object: compiler, options, target,
                                  model name, hash and metadata */
  const void *weights;         /* embedded weights, or NULL */
  int64_t weightsBytes;
  const char *weightsFile;      /* NULL, or the name of the side file in the
                                   artefact's folder, mapped on first use */
  const uint8_t *weightsDigest; /* of the side file: 32 bytes, or NULL */
  int64_t numCustomNodes;
  const OnnxcCustomNode *customNodes;
  /* onnxc_custom_unload, NULL without such nodes: other artefacts do without
     its code */
  void (*unloadCustom)(const struct OnnxcModel *model);
  void *state; /* ONNXC_MODEL_STATE_BYTES of the runtime's, all zero at first */
} OnnxcModel;

/* The runtime's facts about a model. */
#define ONNXC_MODEL_STATE_BYTES 768

extern const OnnxcModel onnxc_model;

/* Called once for each model, before main or when it is loaded. */
void onnxc_rt_register(const OnnxcModel *model);

/* The functions of OnnxMlirRuntime.h for one of several models. */
struct OMTensorList;
struct OMTensorList *onnxc_rt_run_main_graph(const OnnxcModel *model,
                                             struct OMTensorList *inputs);
const char *const *onnxc_rt_query_entry_points(const OnnxcModel *model,
                                               int64_t *count);
const char *onnxc_rt_input_signature(const OnnxcModel *model,
                                     const char *entryPoint);
const char *onnxc_rt_output_signature(const OnnxcModel *model,
                                      const char *entryPoint);
const char *onnxc_rt_compilation_info(const OnnxcModel *model);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RT_MODEL_H */
