/*===- custom_ops.c - Operators of a user's for the tests ---------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * One operator for each thing that onnxc/CustomOp.h can say, and for each that
 * a library can get wrong.
 *
 *===----------------------------------------------------------------------===*/

#include "onnxc/CustomOp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(ARRAY) ((int64_t)(sizeof(ARRAY) / sizeof(*(ARRAY))))
#define DOMAIN "test.custom"

#define OP(NAME, FLAGS, INS, OUTS, ATTRS, NATTRS, INFER, COMPUTE)              \
  static const OMCustomOp NAME##Op = {sizeof(OMCustomOp),                      \
                                      DOMAIN,                                  \
                                      #NAME,                                   \
                                      1,                                       \
                                      FLAGS,                                   \
                                      INS,                                     \
                                      COUNT(INS),                              \
                                      OUTS,                                    \
                                      COUNT(OUTS),                             \
                                      ATTRS,                                   \
                                      NATTRS,                                  \
                                      INFER,                                   \
                                      COMPUTE,                                 \
                                      NULL,                                    \
                                      NULL};

static int same(OMCustomCall *call) { return omCustomSameAs(call, 0, 0); }

static const OMCustomParameter floatIn[] = {{"x", NULL, OM_TYPE_FLOAT, 0, 0}};
static const OMCustomParameter floatOut[] = {{"y", NULL, OM_TYPE_FLOAT, 0, 0}};

/* --- Scale: a default, the threads of the model, two element types ---------
 */

typedef struct {
  const OMCustomCall *call;
  double factor;
} ScaleWork;

static void scalePart(void *user, int64_t begin, int64_t end) {
  const ScaleWork *work = (const ScaleWork *)user;
  const OMCustomTensor *x = &work->call->inputs[0],
                       *y = &work->call->outputs[0];
  int64_t i;
  for (i = begin; i < end; ++i)
    if (x->type == ONNX_TYPE_FLOAT)
      ((float *)y->data)[i] = (float)(((float *)x->data)[i] * work->factor);
    else
      ((double *)y->data)[i] = ((double *)x->data)[i] * work->factor;
}

static int scale(OMCustomCall *call) {
  ScaleWork work;
  work.call = call;
  work.factor = omCustomFloat(call, "factor", -1);
  call->parallel(call, omCustomCount(&call->inputs[0]), scalePart, &work);
  return 0;
}

#define REAL (OM_TYPE_FLOAT | OM_TYPE_BIT(ONNX_TYPE_DOUBLE))
static const OMCustomParameter realIn[] = {{"x", "T", REAL, 0, 0}};
static const OMCustomParameter realOut[] = {{"y", "T", REAL, 0, 0}};
static const float two = 2;
static const OMCustomAttribute factor[] = {
    {"factor", OM_ATTRIBUTE_FLOAT, 1, &two}};
OP(Scale, OM_CUSTOM_PURE, realIn, realOut, factor, 1, same, scale)

/* --- Describe: every kind of attribute, as text ----------------------------
 */

static int describeInfer(OMCustomCall *call) {
  return call->setOutput(call, 0, ONNX_TYPE_STRING, 0, NULL);
}

static int describe(OMCustomCall *call) {
  char *text = (char *)call->memory(call, 1000), *at = text;
  int64_t i, k;
  if (!text)
    return -1;
  *at = 0;
  for (i = 0; i < call->numAttributes; ++i) {
    const OMCustomAttribute *a = &call->attributes[i];
    at += sprintf(at, "%s=", a->name);
    for (k = 0; k < a->count; ++k)
      switch (a->kind) {
      case OM_ATTRIBUTE_FLOAT:
      case OM_ATTRIBUTE_FLOATS:
        at += sprintf(at, "%g,", ((const float *)a->values)[k]);
        break;
      case OM_ATTRIBUTE_INT:
      case OM_ATTRIBUTE_INTS:
        at += sprintf(at, "%d,", (int)((const int64_t *)a->values)[k]);
        break;
      case OM_ATTRIBUTE_STRING:
      case OM_ATTRIBUTE_STRINGS:
        at += sprintf(at, "%s,", ((const char *const *)a->values)[k]);
        break;
      default: {
        const OMCustomTensor *t = (const OMCustomTensor *)a->values;
        int64_t e, n = omCustomCount(t);
        for (e = 0; e < n; ++e)
          at += sprintf(at, "%d/",
                        t->type == ONNX_TYPE_INT4
                            ? (int)((const signed char *)t->data)[e]
                            : (int)((const float *)t->data)[e]);
        at += sprintf(at, "%d:%d,", (int)t->rank,
                      t->rank ? (int)t->strides[0] : 0);
      }
      }
    at += sprintf(at, ";");
  }
  ((char **)call->outputs[0].data)[0] = text;
  return 0;
}

static const int64_t oneTwo[] = {1, 2};
static const char *const words[] = {"a", "b"};
static const OMCustomAttribute everyKind[] = {
    {"f", OM_ATTRIBUTE_FLOAT, 1, &two},
    {"fs", OM_ATTRIBUTE_FLOATS, 0, NULL},
    {"i", OM_ATTRIBUTE_INT, OM_ATTRIBUTE_REQUIRED, NULL},
    {"is", OM_ATTRIBUTE_INTS, 2, oneTwo},
    {"s", OM_ATTRIBUTE_STRING, 1, words},
    {"ss", OM_ATTRIBUTE_STRINGS, 2, words},
    {"t", OM_ATTRIBUTE_TENSOR, 0, NULL},
};
static const OMCustomParameter textOut[] = {
    {"text", NULL, OM_TYPE_STRING, 0, 0}};
OP(Describe, 0, floatIn, textOut, everyKind, COUNT(everyKind), describeInfer,
   describe)

/* --- Split: several outputs, one of them optional --------------------------
 */

static int splitInfer(OMCustomCall *call) {
  return omCustomSameAs(call, 0, 0) || omCustomSameAs(call, 1, 0) ||
         call->setOutput(call, 2, 0, 0, NULL);
}

static int split(OMCustomCall *call) {
  const float *x = (const float *)call->inputs[0].data;
  float *above = (float *)call->outputs[0].data;
  float *below = (float *)call->outputs[1].data;
  int64_t i, n = omCustomCount(&call->inputs[0]), positive = 0;
  for (i = 0; i < n; ++i) {
    above[i] = x[i] > 0 ? x[i] : 0;
    below[i] = x[i] > 0 ? 0 : x[i];
    positive += x[i] > 0;
  }
  if (call->outputs[2].type != 0)
    *(int64_t *)call->outputs[2].data = positive;
  return 0;
}

static const OMCustomParameter splitOut[] = {
    {"above", NULL, OM_TYPE_FLOAT, 0, 0},
    {"below", NULL, OM_TYPE_FLOAT, 0, 0},
    {"count", NULL, OM_TYPE_INT64, OM_PARAMETER_OPTIONAL, 0}};
OP(Split, OM_CUSTOM_PURE, floatIn, splitOut, NULL, 0, splitInfer, split)

/* --- Limit: optional inputs ------------------------------------------------
 */

static int limit(OMCustomCall *call) {
  const float *x = (const float *)call->inputs[0].data;
  float *y = (float *)call->outputs[0].data;
  int64_t i, n = omCustomCount(&call->inputs[0]);
  for (i = 0; i < n; ++i) {
    y[i] = x[i];
    if (call->inputs[1].type && y[i] < *(float *)call->inputs[1].data)
      y[i] = *(float *)call->inputs[1].data;
    if (call->inputs[2].type && y[i] > *(float *)call->inputs[2].data)
      y[i] = *(float *)call->inputs[2].data;
  }
  return 0;
}

static const OMCustomParameter limitIn[] = {
    {"x", NULL, OM_TYPE_FLOAT, 0, 0},
    {"low", NULL, OM_TYPE_FLOAT, OM_PARAMETER_OPTIONAL, 0},
    {"high", NULL, OM_TYPE_FLOAT, OM_PARAMETER_OPTIONAL, 0}};
OP(Limit, OM_CUSTOM_PURE, limitIn, floatOut, NULL, 0, same, limit)

/* --- Total: a variadic input -----------------------------------------------
 */

static int total(OMCustomCall *call) {
  float *y = (float *)call->outputs[0].data;
  int64_t i, k, n = omCustomCount(&call->outputs[0]);
  for (i = 0; i < n; ++i) {
    y[i] = 0;
    for (k = 0; k < call->numInputs; ++k) {
      if (omCustomCount(&call->inputs[k]) != n)
        return call->fail(call, "input %d has %d elements, and the first %d",
                          (int)k, (int)omCustomCount(&call->inputs[k]), (int)n);
      y[i] += ((float *)call->inputs[k].data)[i];
    }
  }
  return 0;
}

static const OMCustomParameter totalIn[] = {
    {"x", "T", OM_TYPE_FLOAT, OM_PARAMETER_VARIADIC, 1}};
OP(Total, OM_CUSTOM_PURE, totalIn, floatOut, NULL, 0, same, total)

/* --- Positive: a size that the data decide ---------------------------------
 */

static int positiveInfer(OMCustomCall *call) {
  int64_t unknown = -1;
  return call->setOutput(call, 0, 0, 1, &unknown);
}

static int positive(OMCustomCall *call) {
  const float *x = (const float *)call->inputs[0].data;
  int64_t i, n = omCustomCount(&call->inputs[0]), found = 0;
  float *y;
  for (i = 0; i < n; ++i)
    found += x[i] > 0;
  y = (float *)call->allocate(call, 0, 1, &found);
  for (i = 0; y && i < n; ++i)
    if (x[i] > 0)
      *y++ = x[i];
  return 0;
}
OP(Positive, OM_CUSTOM_PURE, floatIn, floatOut, NULL, 0, positiveInfer,
   positive)

/* --- Ones: a shape that an input holds -------------------------------------
 */

static int onesInfer(OMCustomCall *call) {
  const OMCustomTensor *shape = &call->inputs[0];
  if (shape->data)
    return call->setOutput(call, 0, 0, omCustomCount(shape),
                           (const int64_t *)shape->data);
  if (shape->rank == 1 && shape->dims[0] >= 0 && shape->dims[0] <= 4) {
    const int64_t unknown[] = {-1, -1, -1, -1};
    return call->setOutput(call, 0, 0, shape->dims[0], unknown);
  }
  return 0;
}

static int ones(OMCustomCall *call) {
  int64_t i, n = omCustomCount(&call->outputs[0]);
  for (i = 0; i < n; ++i)
    ((float *)call->outputs[0].data)[i] = 1;
  return 0;
}

static const OMCustomParameter shapeIn[] = {
    {"shape", NULL, OM_TYPE_INT64, 0, 0}};
OP(Ones, OM_CUSTOM_PURE, shapeIn, floatOut, NULL, 0, onesInfer, ones)

/* --- Shout: strings --------------------------------------------------------
 */

static int shout(OMCustomCall *call) {
  char *const *x = (char *const *)call->inputs[0].data;
  char **y = (char **)call->outputs[0].data;
  int64_t i, n = omCustomCount(&call->inputs[0]);
  for (i = 0; i < n; ++i) {
    size_t length = strlen(x[i]);
    if (length == 0)
      continue; /* stays empty */
    y[i] = (char *)call->memory(call, (int64_t)length + 2);
    if (!y[i])
      return -1;
    memcpy(y[i], x[i], length);
    strcpy(y[i] + length, "!");
  }
  return 0;
}

static const OMCustomParameter textIn[] = {{"x", NULL, OM_TYPE_STRING, 0, 0}};
OP(Shout, OM_CUSTOM_PURE, textIn, textOut, NULL, 0, same, shout)

/* --- Copy: elements of every type -------------------------------------------
 */

static int copy(OMCustomCall *call) {
  const OMCustomTensor *x = &call->inputs[0];
  int64_t bytes = omCustomCount(x) * omCustomElementBytes(x->type);
  if (x->type != call->outputs[0].type)
    return call->fail(call, "types differ");
  if (bytes > 0)
    memcpy(call->outputs[0].data, x->data, (size_t)bytes);
  return 0;
}

static const OMCustomParameter anyIn[] = {{"x", "T", 0, 0, 0}};
static const OMCustomParameter anyOut[] = {{"y", "T", 0, 0, 0}};
OP(Copy, OM_CUSTOM_PURE, anyIn, anyOut, NULL, 0, same, copy)

/* --- Check: an error of the data -------------------------------------------
 */

static int check(OMCustomCall *call) {
  const float *x = (const float *)call->inputs[0].data;
  int64_t i, n = omCustomCount(&call->inputs[0]);
  for (i = 0; i < n; ++i) {
    if (x[i] > 100)
      return call->fail(call, "%g is more than 100", x[i]);
    ((float *)call->outputs[0].data)[i] = x[i];
  }
  return 0;
}
OP(Check, 0, floatIn, floatOut, NULL, 0, same, check)

/* --- Mask: booleans that are neither 0 nor 1 -------------------------------
 */

static int mask(OMCustomCall *call) {
  int64_t i, n = omCustomCount(&call->inputs[0]);
  for (i = 0; i < n; ++i)
    ((unsigned char *)call->outputs[0].data)[i] =
        ((float *)call->inputs[0].data)[i] > 0 ? 0x42 : 0;
  return 0;
}

static const OMCustomParameter boolOut[] = {{"y", NULL, OM_TYPE_BOOL, 0, 0}};
OP(Mask, OM_CUSTOM_PURE, floatIn, boolOut, NULL, 0, same, mask)

/* --- Count: a state, and no purity -----------------------------------------
 */

static int makeCounter(OMCustomCall *call, void **state) {
  int64_t *counter = (int64_t *)malloc(sizeof(int64_t));
  *counter = omCustomInt(call, "from", 0);
  *state = counter;
  return 0;
}

static void dropCounter(void *state) {
  fprintf(stderr, "counted to %d\n", (int)*(int64_t *)state);
  free(state);
}

static int countInfer(OMCustomCall *call) {
  return call->setOutput(call, 0, ONNX_TYPE_INT64, 0, NULL);
}

static int count(OMCustomCall *call) {
  *(int64_t *)call->outputs[0].data = ++*(int64_t *)call->state;
  return 0;
}

static const OMCustomParameter openOut[] = {{"n", NULL, 0, 0, 0}};
static const OMCustomAttribute from[] = {{"from", OM_ATTRIBUTE_INT, 0, NULL}};
static const OMCustomOp CountOp = {sizeof(OMCustomOp),
                                   DOMAIN,
                                   "Count",
                                   1,
                                   0,
                                   floatIn,
                                   1,
                                   openOut,
                                   1,
                                   from,
                                   1,
                                   countInfer,
                                   count,
                                   makeCounter,
                                   dropCounter};

/* --- Twice: in place of a function of the model -----------------------------
 */

static int twice(OMCustomCall *call) {
  int64_t i, n = omCustomCount(&call->inputs[0]);
  float *y = (float *)call->allocate(call, 0, call->inputs[0].rank,
                                     call->inputs[0].dims);
  for (i = 0; y && i < n; ++i)
    y[i] = 2 * ((float *)call->inputs[0].data)[i] + 1000; /* who computed it? */
  return 0;
}
OP(Twice, OM_CUSTOM_PURE | OM_CUSTOM_REPLACES_FUNCTION, floatIn, floatOut, NULL,
   0, NULL, twice)
/* The same without saying that it replaces one. */
OP(Thrice, OM_CUSTOM_PURE, floatIn, floatOut, NULL, 0, NULL, twice)

/* --- Wrong: what a library can get wrong ------------------------------------
 */

static int wrongInfer(OMCustomCall *call) {
  const char *how = omCustomString(call, "how", "");
  const OMCustomTensor *x = &call->inputs[0];
  int64_t dims[2] = {-1, -1};
  int isRun = x->data != NULL;
  if (strcmp(how, "rank") == 0)
    return call->setOutput(call, 0, 0, 65, dims);
  if (strcmp(how, "size") == 0) {
    dims[0] = -17;
    return call->setOutput(call, 0, 0, 1, dims);
  }
  if (strcmp(how, "type") == 0)
    return call->setOutput(call, 0, ONNX_TYPE_INT64, x->rank, x->dims);
  if (strcmp(how, "output") == 0)
    return call->setOutput(call, 7, 0, x->rank, x->dims);
  if (strcmp(how, "infer") == 0)
    return call->fail(call, "it does not want to");
  if (strcmp(how, "code") == 0)
    return 3;
  if (strcmp(how, "late") == 0 && x->rank == 2)
    return call->fail(call, "rank 2 is too much");
  if (strcmp(how, "other rank") == 0)
    return call->setOutput(call, 0, 0, isRun ? 2 : 1, isRun ? oneTwo : dims);
  if (strcmp(how, "other size") == 0) {
    dims[0] = isRun ? 5 : 4;
    return call->setOutput(call, 0, 0, 1, dims);
  }
  if (strcmp(how, "huge") == 0) {
    dims[0] = isRun ? (int64_t)1 << 62 : -1;
    return call->setOutput(call, 0, 0, 1, dims);
  }
  return call->setOutput(call, 0, 0, 1, dims);
}

static int wrong(OMCustomCall *call) {
  const char *how = omCustomString(call, "how", "");
  int64_t one = 1, many = (int64_t)1 << 61;
  if (strcmp(how, "twice") == 0) {
    call->allocate(call, 0, 1, &one);
    call->allocate(call, 0, 1, &one);
  } else if (strcmp(how, "allocate rank") == 0) {
    call->allocate(call, 0, 0, NULL);
  } else if (strcmp(how, "allocate much") == 0) {
    call->allocate(call, 0, 1, &many);
  } else if (strcmp(how, "compute") == 0) {
    return 9;
  }
  return 0;
}

static const OMCustomAttribute how[] = {
    {"how", OM_ATTRIBUTE_STRING, OM_ATTRIBUTE_REQUIRED, NULL}};
OP(Wrong, 0, floatIn, floatOut, how, 1, wrongInfer, wrong)

static const OMCustomOp *const ops[] = {
    &CopyOp,  &ScaleOp,    &DescribeOp, &SplitOp,  &LimitOp,
    &TotalOp, &PositiveOp, &OnesOp,     &ShoutOp,  &CheckOp,
    &MaskOp,  &CountOp,    &TwiceOp,    &ThriceOp, &WrongOp};
OM_CUSTOM_LIBRARY(test, ops)
