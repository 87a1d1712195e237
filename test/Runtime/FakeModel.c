/*===- FakeModel.c - A model written by hand, to test the runtime -*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * What code generation would emit, in C: entry points that use every hook.
 * run_main_graph is the first of them.
 *
 *===----------------------------------------------------------------------===*/

#include "onnxc/Runtime.h"
#include "onnxc/rt/model.h"

#include <string.h>

#define COUNT(ARRAY) ((int64_t)(sizeof(ARRAY) / sizeof((ARRAY)[0])))

static int64_t elements(const OnnxcValue *v) {
  int64_t n = 1;
  for (int32_t i = 0; i < v->rank; ++i)
    n *= v->dims[i];
  return n;
}

/* --- run_main_graph: y[n, 4] = (x[n, 4] + b[n]) * w[4], s = sum of y ------
 * A region of two kernels with a barrier between, an arena slot between them,
 * embedded weights. */

#ifdef ONNXC_SIDE_FILE
static const uint8_t digest[32] = "the digest of four real weights";
#define WEIGHTS 0, 16, ONNXC_SIDE_FILE, digest
#else
static const float weights[4] = {1, 2, 3, 4};
#define WEIGHTS weights, sizeof weights, 0, 0
#endif

struct AffineFrame {
  OnnxcCall *call;
  int64_t n;
  const float *x, *b, *w;
  float *sums; /* arena: one per row */
  float *y;
};

static void affineKernel(const struct AffineFrame *f, int64_t begin,
                         int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = 0; j < 4; ++j)
      f->y[i * 4 + j] = (f->x[i * 4 + j] + f->b[i]) * f->w[j];
}

static void sumKernel(const struct AffineFrame *f, int64_t begin, int64_t end) {
  /* Reads rows that another worker wrote. */
  for (int64_t i = begin; i < end; ++i) {
    int64_t row = f->n - 1 - i;
    f->sums[row] = 0;
    for (int64_t j = 0; j < 4; ++j)
      f->sums[row] += f->y[row * 4 + j];
  }
}

static void affineRegion(void *frame, int32_t tid, int32_t nthreads,
                         void *team) {
  struct AffineFrame *f = frame;
  int64_t begin = f->n * tid / nthreads, end = f->n * (tid + 1) / nthreads;
  if (!onnxc_rt_poll(f->call))
    affineKernel(f, begin, end);
  if (!onnxc_rt_barrier(f->call, team))
    sumKernel(f, begin, end);
}

static int32_t affine(OnnxcCall *call, const OnnxcValue *in) {
  int64_t n = in[0].dims[0];
  struct AffineFrame f = {call, n, in[0].data, in[1].data, 0, 0, 0};
  f.w = onnxc_rt_weights(call);
  f.sums = onnxc_rt_arena_reserve(call, n * (int64_t)sizeof(float));
  f.y = onnxc_rt_output(call, 0, 2, in[0].dims);
  float *s = onnxc_rt_output(call, 1, 0, 0);
  if (onnxc_rt_status(call) != ONNXC_OK)
    return onnxc_rt_status(call);
  if (onnxc_rt_parallel_region(call, affineRegion, &f, n) != ONNXC_OK)
    return onnxc_rt_status(call);
  *s = 0;
  for (int64_t i = 0; i < n; ++i)
    *s += f.sums[i];
  return onnxc_rt_status(call);
}

/* --- identity_TYPE: y = x, for every element type and any shape ----------- */

static int32_t identity(OnnxcCall *call, const OnnxcValue *in) {
  void *y = onnxc_rt_output(call, 0, in[0].rank, in[0].dims);
  int64_t bytes = in[0].type == ONNX_TYPE_STRING
                      ? (int64_t)sizeof(char *)
                      : OM_DATA_TYPE_SIZE[in[0].type];
  if (onnxc_rt_status(call) == ONNXC_OK && elements(&in[0]) > 0)
    memcpy(y, in[0].data, (size_t)(elements(&in[0]) * bytes));
  return onnxc_rt_status(call);
}

/* --- pool: sums the bytes of n pool objects of i + 1 bytes each ----------- */

static int32_t pool(OnnxcCall *call, const OnnxcValue *in) {
  int64_t n = *(const int64_t *)in[0].data, sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    char *object = onnxc_rt_alloc(call, i + 1);
    if (onnxc_rt_status(call) != ONNXC_OK)
      return onnxc_rt_status(call);
    memset(object, 1, (size_t)(i + 1));
    sum += object[i];
    if (i % 2) /* the others are left to the runtime */
      onnxc_rt_release(call, object);
  }
  int64_t *y = onnxc_rt_output(call, 0, 0, 0);
  if (onnxc_rt_status(call) == ONNXC_OK)
    *y = sum;
  return onnxc_rt_status(call);
}

/* --- custom: x numbers from a library, doubled by its state ----------------
 */

static void fillNumbers(void *user, int64_t begin, int64_t end) {
  const OMCustomCall *call = user;
  int64_t *y = call->outputs[0].data;
  for (int64_t i = begin; i < end; ++i)
    y[i] = i * *(const int64_t *)call->state;
}

static int computeNumbers(OMCustomCall *call) {
  int64_t n = *(const int64_t *)call->inputs[0].data;
  char *message = call->memory(call, 16);
  if (!message)
    return -1;
  strcpy(message, "thirteen");
  if (n == 13)
    return call->fail(call, "%s is not wanted", message);
  if (n == 14)
    call->allocate(call, 1, 1, &n); /* absent */
  if (n == 15)
    return 15;
  if (call->allocate(call, 0, 1, &n))
    call->parallel(call, n, fillNumbers, call);
  return 0;
}

static int createNumbers(OMCustomCall *call, void **state) {
  static const int64_t two = 2, three = 3;
  *state = (void *)(omCustomInt(call, "factor", 3) == 2 ? &two : &three);
  return 0;
}

static const OMCustomParameter numbersIn[] = {
    {"n", 0, OM_TYPE_INT64, OM_PARAMETER_SINGLE, 0}};
static const OMCustomParameter numbersOut[] = {
    {"y", 0, OM_TYPE_INT64, OM_PARAMETER_SINGLE, 0},
    {"absent", 0, OM_TYPE_BOOL, OM_PARAMETER_OPTIONAL, 0}};
static const OMCustomOp numbers = {sizeof(OMCustomOp),
                                   "fake",
                                   "Numbers",
                                   1,
                                   0,
                                   numbersIn,
                                   1,
                                   numbersOut,
                                   2,
                                   0,
                                   0,
                                   0,
                                   computeNumbers,
                                   createNumbers,
                                   0};
static const OMCustomOp *const fakeOps[] = {&numbers};
OM_CUSTOM_LIBRARY(fake, fakeOps)

static const int64_t customTypes[] = {ONNX_TYPE_INT64, 0};
static const int64_t customFactor = 2;
static const OMCustomAttribute customAttribute = {"factor", OM_ATTRIBUTE_INT, 1,
                                                  &customFactor};
static OnnxcCustomState customState;
static const OnnxcCustomNode customNode = {onnxc_custom_ops_fake,
                                           "fake",
                                           "Numbers",
                                           1,
                                           "node",
                                           1,
                                           customTypes,
                                           2,
                                           customTypes,
                                           1,
                                           &customAttribute,
                                           &customState};

static int32_t custom(OnnxcCall *call, const OnnxcValue *in) {
  int64_t size = -1, number = 0;
  OnnxcValue made = {0, &size, 1, ONNX_TYPE_INT64};
  if (onnxc_call_custom(call, 1, &made, 1, in, &number) != ONNXC_OK)
    return onnxc_rt_locate_error(call, "node 'node'");
  int64_t *y = onnxc_rt_output(call, 0, 1, &size);
  if (onnxc_rt_status(call) == ONNXC_OK && size > 0)
    memcpy(y, made.data, (size_t)size * sizeof *y);
  onnxc_rt_release(call, made.data);
  return onnxc_rt_status(call);
}

/* --- huge: asks for x bytes ----------------------------------------------- */

static int32_t huge(OnnxcCall *call, const OnnxcValue *in) {
  char *object = onnxc_rt_alloc(call, *(const int64_t *)in[0].data);
  object[0] = 1; /* the guard may be written to */
  onnxc_rt_release(call, object);
  int64_t *y = onnxc_rt_output(call, 0, 0, 0);
  *y = 0;
  return onnxc_rt_status(call);
}

/* --- fails: the error of number x ----------------------------------------- */

static int32_t fails(OnnxcCall *call, const OnnxcValue *in) {
  int64_t code = *(const int64_t *)in[0].data;
  onnxc_rt_output(call, 0, 0, 0);
  onnxc_rt_fail(call, (int32_t)code, "index 7 is out of range");
  return onnxc_rt_fail(call, ONNXC_ERR_INTERNAL, "a later error");
}

/* --- team: y[t] = scratch written by worker t of a team of up to x -------- */

struct TeamFrame {
  OnnxcCall *call;
  int64_t *y;
  int32_t nthreads;
};

static void teamRegion(void *frame, int32_t tid, int32_t nthreads, void *team) {
  struct TeamFrame *f = frame;
  int64_t *scratch = onnxc_rt_scratch(f->call, tid);
  for (int64_t i = 0; i < 100; ++i) {
    scratch[i] = tid + i;
    onnxc_rt_barrier(f->call, team);
  }
  if (tid == 0)
    f->nthreads = nthreads;
  f->y[tid] = scratch[0] + scratch[99] - 99;
}

static int32_t team(OnnxcCall *call, const OnnxcValue *in) {
  struct TeamFrame f = {call, 0, 0};
  int64_t limit = *(const int64_t *)in[0].data;
  f.y = onnxc_rt_alloc(call, limit * 8);
  if (onnxc_rt_status(call) == ONNXC_OK)
    onnxc_rt_parallel_region(call, teamRegion, &f, limit);
  int64_t n = f.nthreads;
  int64_t *y = onnxc_rt_output(call, 0, 1, &n);
  if (onnxc_rt_status(call) == ONNXC_OK)
    memcpy(y, f.y, (size_t)n * 8);
  return onnxc_rt_status(call);
}

/* --- sequence: the rows of x; length of a sequence; lost: no output ------- */

int32_t onnxc_call_split_to_sequence(OnnxcCall *, int32_t, OnnxcValue *,
                                     int32_t, const OnnxcValue *,
                                     const int64_t *);
int32_t onnxc_call_sequence_length(OnnxcCall *, int32_t, OnnxcValue *, int32_t,
                                   const OnnxcValue *, const int64_t *);

static int32_t sequence(OnnxcCall *call, const OnnxcValue *in) {
  static const int64_t params[3] = {ONNX_TYPE_FLOAT, 0, 0};
  OnnxcValue rows = {0, 0, 0, 0};
  if (onnxc_call_split_to_sequence(call, 1, &rows, 1, in, params) == ONNXC_OK)
    *onnxc_rt_output_object(call, 0) = rows.data;
  return onnxc_rt_status(call);
}

static int32_t length(OnnxcCall *call, const OnnxcValue *in) {
  int64_t *y = onnxc_rt_output(call, 0, 0, 0);
  OnnxcValue out = {y, 0, 0, ONNX_TYPE_INT64};
  (void)in;
  OnnxcValue rows = {onnxc_rt_input_object(call, 0), 0, 0, 0};
  if (onnxc_rt_status(call) == ONNXC_OK)
    onnxc_call_sequence_length(call, 1, &out, 1, &rows, 0);
  onnxc_rt_release_object(call, rows.data);
  return onnxc_rt_status(call);
}

/* --- same: y = x, whatever it is ------------------------------------------ */

static int32_t same(OnnxcCall *call, const OnnxcValue *in) {
  (void)in;
  *onnxc_rt_output_object(call, 0) = onnxc_rt_input_object(call, 0);
  return onnxc_rt_status(call);
}

static int32_t lost(OnnxcCall *call, const OnnxcValue *in) {
  (void)in;
  return onnxc_rt_status(call);
}

/* --- slow: enters empty regions until told to stop ------------------------ */

static void emptyRegion(void *frame, int32_t tid, int32_t n, void *team) {
  (void)tid, (void)n, (void)team;
  ++*(int64_t *)frame;
}

static int32_t slow(OnnxcCall *call, const OnnxcValue *in) {
  int64_t count = 0, limit = *(const int64_t *)in[0].data;
  while (count < limit && onnxc_rt_status(call) == ONNXC_OK)
    onnxc_rt_parallel_region(call, emptyRegion, &count, 1);
  int64_t *y = onnxc_rt_output(call, 0, 0, 0);
  if (onnxc_rt_status(call) == ONNXC_OK)
    *y = count;
  return onnxc_rt_status(call);
}

/* --- planned: x, by way of scratch and an arena of known size ------------- */

struct PlannedFrame {
  OnnxcCall *call;
  int64_t x;
  int64_t *slots;
};

static void plannedRegion(void *frame, int32_t tid, int32_t n, void *team) {
  struct PlannedFrame *f = frame;
  int64_t *scratch = onnxc_rt_scratch(f->call, tid);
  scratch[0] = f->x;
  if (!onnxc_rt_barrier(f->call, team) && tid == n - 1)
    f->slots[31] = scratch[0];
}

static int32_t planned(OnnxcCall *call, const OnnxcValue *in) {
  struct PlannedFrame f = {call, *(const int64_t *)in[0].data, 0};
  f.slots = onnxc_rt_arena(call);
  int64_t *y = onnxc_rt_output(call, 0, 0, 0);
  if (onnxc_rt_status(call) == ONNXC_OK &&
      onnxc_rt_parallel_region(call, plannedRegion, &f, 8) == ONNXC_OK)
    *y = f.slots[31];
  return onnxc_rt_status(call);
}

/* --- The descriptor ------------------------------------------------------- */

static const int64_t xDims[] = {-1, 4};
static const int64_t anyDims[] = {-1, -1};
static const char *const xSymbols[] = {"batch", 0};
static const OnnxcArg affineInputs[] = {
    {"x", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 2, xDims, xSymbols, 0, 0},
    {"b", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 1, xDims, xSymbols, 0, 0}};
static const int64_t affineSharedSizes[] = {0, -1, 0};
static const OnnxcArg affineOutputs[] = {
    {"y", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 2, xDims, xSymbols, 0, 0},
    {"s", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 0, 0, 0, 0, 0}};

static const OnnxcArg scalar = {
    "x", ONNXC_KIND_TENSOR, ONNX_TYPE_INT64, 0, 0, 0, 0, 0};
static const OnnxcArg vector = {
    "y", ONNXC_KIND_TENSOR, ONNX_TYPE_INT64, 1, anyDims, 0, 0, 0};
static const OnnxcArg matrix = {
    "x", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 2, anyDims, 0, 0, 0};
static const OnnxcArg row = {
    "", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 1, anyDims, 0, 0, 0};
static const OnnxcArg rows = {
    "rows", ONNXC_KIND_SEQUENCE, ONNX_TYPE_FLOAT, -1, 0, 0, 0, &row};
static const OnnxcArg someRows = {
    "some", ONNXC_KIND_OPTIONAL, ONNX_TYPE_FLOAT, -1, 0, 0, 0, &rows};
static const OnnxcArg number = {
    "", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 0, 0, 0, 0, 0};
static const OnnxcArg words = {
    "words", ONNXC_KIND_MAP,   ONNX_TYPE_FLOAT, -1, 0,
    0,       ONNX_TYPE_STRING, &number};
static const OnnxcArg rowsByNumber = {
    "rows", ONNXC_KIND_MAP, ONNX_TYPE_FLOAT, -1, 0, 0, ONNX_TYPE_INT64, &row};
static const OnnxcArg text = {
    "", ONNXC_KIND_TENSOR, ONNX_TYPE_STRING, -1, 0, 0, 0, 0};
static const OnnxcArg texts = {
    "texts", ONNXC_KIND_SEQUENCE, ONNX_TYPE_STRING, -1, 0, 0, 0, &text};

#define OM_TYPE(NAME, NUMBER, SIZE, TEXT)                                      \
  static const OnnxcArg any_##NAME = {                                         \
      "x", ONNXC_KIND_TENSOR, NUMBER, -1, 0, 0, 0, 0};
#include "onnxc/rt/DataTypes.def"

#define SCALAR_SIGNATURE "[{\"type\": \"i64\", \"dims\": [], \"name\": \"x\"}]"

static const OnnxcEntry entries[] = {
    {"run_main_graph", affine, 2, affineInputs, 2, affineOutputs,
     "[{\"type\": \"f32\", \"dims\": [-1, 4], \"name\": \"x\"}, "
     "{\"type\": \"f32\", \"dims\": [-1], \"name\": \"b\"}]",
     "[{\"type\": \"f32\", \"dims\": [-1, 4], \"name\": \"y\"}, "
     "{\"type\": \"f32\", \"dims\": [], \"name\": \"s\"}]",
     -1, 0, 1, affineSharedSizes, NULL},
    {"pool", pool, 1, &scalar, 1, &scalar, SCALAR_SIGNATURE, SCALAR_SIGNATURE,
     0, 0, 0, NULL, NULL},
    {"huge", huge, 1, &scalar, 1, &scalar, SCALAR_SIGNATURE, SCALAR_SIGNATURE,
     0, 0, 0, NULL, NULL},
    {"fails", fails, 1, &scalar, 1, &scalar, SCALAR_SIGNATURE, SCALAR_SIGNATURE,
     0, 0, 0, NULL, NULL},
    {"team", team, 1, &scalar, 1, &vector, SCALAR_SIGNATURE, "[]", 0, 800, 0,
     NULL, NULL},
    {"custom", custom, 1, &scalar, 1, &vector, SCALAR_SIGNATURE, "[]", 0, 0, 0,
     NULL, NULL},
    {"sequence", sequence, 1, &matrix, 1, &rows, "[]", "[]", 0, 0, 0, NULL,
     NULL},
    {"length", length, 1, &rows, 1, &scalar, "[]", SCALAR_SIGNATURE, 0, 0, 0,
     NULL, NULL},
    {"same_rows", same, 1, &rows, 1, &rows, "[]", "[]", 0, 0, 0, NULL, NULL},
    {"same_some", same, 1, &someRows, 1, &someRows, "[]", "[]", 0, 0, 0, NULL,
     NULL},
    {"same_words", same, 1, &words, 1, &words, "[]", "[]", 0, 0, 0, NULL, NULL},
    {"same_map", same, 1, &rowsByNumber, 1, &rowsByNumber, "[]", "[]", 0, 0, 0,
     NULL, NULL},
    {"same_texts", same, 1, &texts, 1, &texts, "[]", "[]", 0, 0, 0, NULL, NULL},
    {"same_tensor", same, 1, &any_FLOAT, 1, &any_FLOAT, "[]", "[]", 0, 0, 0,
     NULL, NULL},
    {"same_string", same, 1, &any_STRING, 1, &any_STRING, "[]", "[]", 0, 0, 0,
     NULL, NULL},
    {"lost", lost, 1, &scalar, 1, &scalar, SCALAR_SIGNATURE, SCALAR_SIGNATURE,
     0, 0, 0, NULL, NULL},
    {"slow", slow, 1, &scalar, 1, &scalar, SCALAR_SIGNATURE, SCALAR_SIGNATURE,
     0, 0, 0, NULL, NULL},
    {"planned", planned, 1, &scalar, 1, &scalar, SCALAR_SIGNATURE,
     SCALAR_SIGNATURE, 256, 100, 0, NULL, NULL},
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT)                                      \
  {"identity_" #NAME,                                                          \
   identity,                                                                   \
   1,                                                                          \
   &any_##NAME,                                                                \
   1,                                                                          \
   &any_##NAME,                                                                \
   "[{\"type\": \"" TEXT "\", \"name\": \"x\"}]",                              \
   "[{\"type\": \"" TEXT "\", \"name\": \"x\"}]",                              \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   NULL,                                                                       \
   NULL},
#include "onnxc/rt/DataTypes.def"
};

static const OnnxcLevel level = {"by hand", "+sse3", entries, NULL};

static int64_t modelState[ONNXC_MODEL_STATE_BYTES / 8];

__attribute__((visibility("hidden")))
const OnnxcModel onnxc_model = {ONNXC_RT_ABI,
                                COUNT(entries),
                                1,
                                &level,
                                "{\"compiler\": \"by hand\", \"hash\": \"0\"}",
                                WEIGHTS,
                                1,
                                &customNode,
                                onnxc_custom_unload,
                                modelState};

__attribute__((constructor)) static void registerModel(void) {
  onnxc_rt_register(&onnxc_model);
}

OM_EXTERNAL_VISIBILITY OMTensorList *run_main_graph_tag(OMTensorList *inputs);
OMTensorList *run_main_graph_tag(OMTensorList *inputs) {
  return onnxc_rt_run_main_graph(&onnxc_model, inputs);
}
