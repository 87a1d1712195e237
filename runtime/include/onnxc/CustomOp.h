/*===- CustomOp.h - Operators of your own, in C -------------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * A custom operator library says which operators it has and computes them:
 *
 *   onnx-compile model.onnx --custom-op-lib=libmine.so
 *
 * then takes nodes of its domains, checks them against the declarations of
 * the library, and the compiled model calls `compute` for each of them. The
 * library is C99 or anything that can be called like it and lets no exception
 * out, which would end the process. It links with nothing: all it needs of the
 * model comes with each call. The functions of OnnxMlirRuntime.h are a model's,
 * and not there for it.
 *
 *   static int compute(OMCustomCall *call) {
 *     const float *x = (const float *)call->inputs[0].data;
 *     float *y = (float *)call->outputs[0].data;
 *     for (int64_t i = 0; i < omCustomCount(&call->inputs[0]); ++i)
 *       y[i] = x[i] * omCustomFloat(call, "factor", 1);
 *     return 0;
 *   }
 *   static int infer(OMCustomCall *call) { return omCustomSameAs(call, 0, 0); }
 *
 *   static const OMCustomParameter x = {"x", NULL, OM_TYPE_FLOAT, 0, 0};
 *   static const OMCustomParameter y = {"y", NULL, OM_TYPE_FLOAT, 0, 0};
 *   static const float one = 1;
 *   static const OMCustomAttribute factor = {"factor", OM_ATTRIBUTE_FLOAT, 1,
 *                                            &one};
 *   static const OMCustomOp scale = {
 *       sizeof(OMCustomOp), "my.domain", "Scale", 1, OM_CUSTOM_PURE,
 *       &x, 1, &y, 1, &factor, 1, infer, compute, NULL, NULL};
 *   static const OMCustomOp *const ops[] = {&scale};
 *   OM_CUSTOM_LIBRARY(mine, ops)
 *
 * docs/HowTo/WriteACustomOperator.md explains it step by step.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_CUSTOMOP_H
#define ONNXC_CUSTOMOP_H

#include "OnnxMlirRuntime.h"

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface. It grows when something changes that a library sees;
 * members added after the last one of OMCustomOp or OMCustomCall do not change
 * it; their `size` says which there are. */
#define OM_CUSTOM_VERSION 1

/* --- Tensors --------------------------------------------------------------
 * Always contiguous and row-major. Every element of a type narrower than a byte
 * (bool, int4, float6, ...) takes one whole byte: bool is 0 or 1, the signed
 * integers are sign-extended, the others zero-extended. Strings are pointers to
 * characters that end with NUL. The memory is aligned for its elements. */
typedef struct OMCustomTensor {
  /* Inputs are never to be written to. NULL in `infer` where the elements are
   * not known yet, and for an output whose size is not known before it is
   * allocated. */
  void *data;
  const int64_t *dims;    /* `rank` sizes; in `infer` -1: not known yet */
  const int64_t *strides; /* `rank` numbers of elements; NULL in `infer` */
  int64_t rank;           /* -1 in `infer`: not known yet */
  int64_t type;           /* OM_DATA_TYPE; 0: the input or output is absent */
} OMCustomTensor;

/* --- Operands and results of an operator --------------------------------- */

/* A set of element types: OM_TYPE_BIT(ONNX_TYPE_FLOAT) |
 * OM_TYPE_BIT(ONNX_TYPE_DOUBLE); 0 is all of them. */
#define OM_TYPE_BIT(TYPE) ((uint64_t)1 << (TYPE))
#define OM_TYPE_FLOAT OM_TYPE_BIT(ONNX_TYPE_FLOAT)
#define OM_TYPE_INT64 OM_TYPE_BIT(ONNX_TYPE_INT64)
#define OM_TYPE_BOOL OM_TYPE_BIT(ONNX_TYPE_BOOL)
#define OM_TYPE_STRING OM_TYPE_BIT(ONNX_TYPE_STRING)

typedef enum OM_PARAMETER_KIND {
  OM_PARAMETER_SINGLE = 0,
  OM_PARAMETER_OPTIONAL = 1, /* a node may leave it out */
  OM_PARAMETER_VARIADIC = 2  /* any number of values; the last parameter only */
} OM_PARAMETER_KIND;

typedef struct OMCustomParameter {
  const char *name;
  const char *typeVariable; /* parameters with the same one have the same
                               element type; NULL: none */
  uint64_t types;
  int64_t kind;     /* OM_PARAMETER_KIND */
  int64_t minCount; /* at least so many values, if variadic */
} OMCustomParameter;

/* The numbers of ONNX's AttributeProto.AttributeType. */
typedef enum OM_ATTRIBUTE_KIND {
  OM_ATTRIBUTE_FLOAT = 1,
  OM_ATTRIBUTE_INT = 2,
  OM_ATTRIBUTE_STRING = 3,
  OM_ATTRIBUTE_TENSOR = 4,
  OM_ATTRIBUTE_FLOATS = 6,
  OM_ATTRIBUTE_INTS = 7,
  OM_ATTRIBUTE_STRINGS = 8
} OM_ATTRIBUTE_KIND;

/* An attribute of a node, or in the declaration of an operator its default.
 * `values` are `count` of float, int64_t or const char * by its kind; one
 * OMCustomTensor for a tensor. In a declaration
 *   count OM_ATTRIBUTE_REQUIRED: every node must have it;
 *   values NULL: there is no default, nodes without it have none. */
typedef struct OMCustomAttribute {
  const char *name;
  int64_t kind; /* OM_ATTRIBUTE_KIND */
  int64_t count;
  const void *values;
} OMCustomAttribute;

#define OM_ATTRIBUTE_REQUIRED (-1)

/* --- A call ---------------------------------------------------------------
 * The argument of the functions of an operator. Everything it points to lives
 * until they return; strings and memory from `memory` until the run ends. */
typedef struct OMCustomCall OMCustomCall;
struct OMCustomCall {
  size_t size;      /* sizeof(OMCustomCall) as the caller knows it */
  const char *node; /* name of the node */
  void *state;      /* the result of `create`, in `compute` only */

  /* In the order of the declaration, each optional parameter having its
   * position whether it is there or not (type 0 if not), the values of a
   * variadic one one after the other. */
  int64_t numInputs, numOutputs;
  const OMCustomTensor *inputs, *outputs;
  /* Those that the node has, and defaults. */
  int64_t numAttributes;
  const OMCustomAttribute *attributes;

  /* Ends the compilation or the run with a message, as printf would print it,
   * after the name of the node. The first one counts. Returns -1, to be
   * returned. May be called from inside of `parallel`. */
  int (*fail)(OMCustomCall *call, const char *format, ...);

  /* In `infer` only: gives the type of an output. `type` 0: as declared; `rank`
   * -1 and sizes -1: not known. Returns 0, or -1 after an error. */
  int (*setOutput)(OMCustomCall *call, int64_t output, int64_t type,
                   int64_t rank, const int64_t *dims);

  /* In `compute` only: the memory of an output, for one whose size `infer` has
   * not said. At the most once for each output. NULL after an error. */
  void *(*allocate)(OMCustomCall *call, int64_t output, int64_t rank,
                    const int64_t *dims);

  /* Memory, aligned to 64 bytes and uninitialised, that lives until the run
   * ends; the characters of strings go there. NULL after an error. */
  void *(*memory)(OMCustomCall *call, int64_t bytes);

  /* In `compute` only: calls body(user, begin, end) for parts of [0, count) on
   * the threads of the model, and returns when all are done. */
  void (*parallel)(OMCustomCall *call, int64_t count,
                   void (*body)(void *user, int64_t begin, int64_t end),
                   void *user);
};

/* --- An operator ----------------------------------------------------------
 * The functions may be called on several threads at the same time, for
 * different runs of a model: data that they share is const or guarded. */

enum {
  /* The same inputs give the same outputs, and nothing else happens: the
   * compiler may compute it once for equal inputs, when a model is compiled if
   * all inputs are constant, or never if nothing looks at the outputs. */
  OM_CUSTOM_PURE = 1,
  /* Computes nodes in place of a function of that name in the model. Without
   * this the function of the model computes the nodes. */
  OM_CUSTOM_REPLACES_FUNCTION = 2
};

typedef struct OMCustomOp {
  size_t size; /* sizeof(OMCustomOp) */
  const char *domain;
  const char *name;
  int64_t sinceVersion; /* of the domain's operator set, at least 1 */
  uint64_t flags;
  const OMCustomParameter *inputs;
  int64_t numInputs;
  const OMCustomParameter *outputs;
  int64_t numOutputs;
  const OMCustomAttribute *attributes;
  int64_t numAttributes;

  /* Calls setOutput for each output. Called when a model is compiled, with the
   * facts known then, as often as more become known; and in each run with
   * everything, which has to give the same ranks, types and sizes where they
   * were known. Returns 0, or another number after `fail`. May be NULL: then
   * `compute` allocates all outputs, whose ranks the model has to say, unless
   * an operator that replaces a function has them from its body. */
  int (*infer)(OMCustomCall *call);

  /* Computes the outputs; absent ones have type 0. Returns as `infer`. */
  int (*compute)(OMCustomCall *call);

  /* May be NULL. Makes the state of one node when it runs for the first time,
   * from the attributes and the types of inputs; their sizes and elements may
   * differ in the next run. All runs share it. When two first runs meet, each
   * makes one, and one is destroyed. Others are when the model is unloaded. */
  int (*create)(OMCustomCall *call, void **state);
  void (*destroy)(void *state);
} OMCustomOp;

/* --- A library ------------------------------------------------------------ */

typedef struct OMCustomLibrary {
  size_t size;     /* sizeof(OMCustomLibrary) */
  int64_t version; /* OM_CUSTOM_VERSION */
  const char *name;
  int64_t numOps;
  const OMCustomOp *const *ops;
} OMCustomLibrary;

/* The one symbol by which the compiler and compiled models find the operators
 * of a library, made by OM_CUSTOM_LIBRARY(name, ops): `ops` is an array of
 * const OMCustomOp *. Names tell libraries apart that one model uses. */
typedef const OMCustomLibrary *(*OMCustomEntry)(void);

#define OM_CUSTOM_ENTRY_PREFIX "onnxc_custom_ops_"

#ifdef __cplusplus
#define OM_CUSTOM_EXTERN extern "C"
#else
#define OM_CUSTOM_EXTERN
#endif

#define OM_CUSTOM_LIBRARY(NAME, OPS)                                           \
  OM_CUSTOM_EXTERN OM_EXTERNAL_VISIBILITY const OMCustomLibrary *              \
  onnxc_custom_ops_##NAME(void);                                               \
  const OMCustomLibrary *onnxc_custom_ops_##NAME(void) {                       \
    static const OMCustomLibrary library = {                                   \
        sizeof(OMCustomLibrary), OM_CUSTOM_VERSION, #NAME,                     \
        (int64_t)(sizeof(OPS) / sizeof(*(OPS))), OPS};                         \
    return &library;                                                           \
  }

/* --- For short ------------------------------------------------------------ */

/* Bytes of an element of an OM_DATA_TYPE; 0 for a number that is none. */
static inline int64_t omCustomElementBytes(int64_t type) {
  switch (type) {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT)                                      \
  case NUMBER:                                                                 \
    return NUMBER == ONNX_TYPE_STRING ? (int64_t)sizeof(char *) : SIZE;
#include "onnxc/rt/DataTypes.def"
  default:
    return 0;
  }
}

/* Elements of a tensor; -1 if that is not known. */
static inline int64_t omCustomCount(const OMCustomTensor *tensor) {
  int64_t count = 1, i;
  if (tensor->rank < 0)
    return -1;
  for (i = 0; i < tensor->rank; ++i) {
    if (tensor->dims[i] < 0)
      return -1;
    count *= tensor->dims[i];
  }
  return count;
}

/* The attribute of that name, NULL if the node has none. */
static inline const OMCustomAttribute *
omCustomAttribute(const OMCustomCall *call, const char *name) {
  int64_t i;
  for (i = 0; i < call->numAttributes; ++i)
    if (strcmp(call->attributes[i].name, name) == 0)
      return &call->attributes[i];
  return NULL;
}

/* The value of an attribute, `other` if the node has none of this kind. */
static inline int64_t omCustomInt(const OMCustomCall *call, const char *name,
                                  int64_t other) {
  const OMCustomAttribute *found = omCustomAttribute(call, name);
  return found && found->kind == OM_ATTRIBUTE_INT
             ? *(const int64_t *)found->values
             : other;
}

static inline float omCustomFloat(const OMCustomCall *call, const char *name,
                                  float other) {
  const OMCustomAttribute *found = omCustomAttribute(call, name);
  return found && found->kind == OM_ATTRIBUTE_FLOAT
             ? *(const float *)found->values
             : other;
}

static inline const char *omCustomString(const OMCustomCall *call,
                                         const char *name, const char *other) {
  const OMCustomAttribute *found = omCustomAttribute(call, name);
  return found && found->kind == OM_ATTRIBUTE_STRING
             ? *(const char *const *)found->values
             : other;
}

/* For `infer`: the output has the rank and sizes of the input. */
static inline int omCustomSameAs(OMCustomCall *call, int64_t output,
                                 int64_t input) {
  return call->setOutput(call, output, 0, call->inputs[input].rank,
                         call->inputs[input].dims);
}

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_CUSTOMOP_H */
