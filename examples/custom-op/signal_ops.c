/*===- signal_ops.c - Two operators of one's own -------------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * A custom operator library for signals, which are the rows of a tensor:
 *
 *   Smooth  the mean of `window` elements around each value, on all threads
 *   Peaks   the positions where one row is higher than around it, of which
 * nobody knows the number beforehand
 *
 *   cc -O2 -fPIC -shared -I runtime/include signal_ops.c -o libsignal_ops.so
 *   onnx-compile signals.onnx --custom-op-lib=libsignal_ops.so
 *
 *===----------------------------------------------------------------------===*/

#include "onnxc/CustomOp.h"

#define DOMAIN "signal.example"

/* --- Smooth ----------------------------------------------------------------
 */

typedef struct {
  const float *x;
  float *y;
  int64_t length, reach; /* of a row; of the window, to both sides */
} Smoothing;

/* Rows [begin, end), which `parallel` gives to one thread. */
static void smoothRows(void *user, int64_t begin, int64_t end) {
  const Smoothing *s = (const Smoothing *)user;
  for (int64_t row = begin; row < end; ++row) {
    const float *x = s->x + row * s->length;
    float *y = s->y + row * s->length;
    for (int64_t i = 0; i < s->length; ++i) {
      int64_t first = i < s->reach ? 0 : i - s->reach;
      int64_t last = i + s->reach < s->length ? i + s->reach : s->length - 1;
      float sum = 0;
      for (int64_t k = first; k <= last; ++k)
        sum += x[k];
      y[i] = sum / (float)(last - first + 1);
    }
  }
}

static int smooth(OMCustomCall *call) {
  const OMCustomTensor *x = &call->inputs[0];
  Smoothing s = {(const float *)x->data, (float *)call->outputs[0].data, 0,
                 omCustomInt(call, "window", 3) / 2};
  s.length = x->dims[x->rank - 1];
  if (s.length > 0)
    call->parallel(call, omCustomCount(x) / s.length, smoothRows, &s);
  return 0;
}

/* The result is as large as the input: that is known even where the sizes are
 * not. Wrong attributes are found here, when the model is compiled. */
static int inferSmooth(OMCustomCall *call) {
  int64_t window = omCustomInt(call, "window", 3);
  if (window < 1 || window % 2 == 0)
    return call->fail(call, "window must be odd, but is %lld",
                      (long long)window);
  if (call->inputs[0].rank == 0)
    return call->fail(call, "a scalar is not a signal");
  return omCustomSameAs(call, 0, 0);
}

static const OMCustomParameter smoothIn[] = {{"x", NULL, OM_TYPE_FLOAT, 0, 0}};
static const OMCustomParameter smoothOut[] = {{"y", NULL, OM_TYPE_FLOAT, 0, 0}};
static const int64_t three = 3;
static const OMCustomAttribute smoothAttributes[] = {
    {"window", OM_ATTRIBUTE_INT, 1, &three}};
static const OMCustomOp smoothOp = {sizeof(OMCustomOp),
                                    DOMAIN,
                                    "Smooth",
                                    1,
                                    OM_CUSTOM_PURE,
                                    smoothIn,
                                    1,
                                    smoothOut,
                                    1,
                                    smoothAttributes,
                                    1,
                                    inferSmooth,
                                    smooth,
                                    NULL,
                                    NULL};

/* --- Peaks -----------------------------------------------------------------
 */

static int isPeak(const float *x, int64_t i, int64_t length) {
  return i > 0 && i + 1 < length && x[i] > x[i - 1] && x[i] > x[i + 1];
}

static int peaks(OMCustomCall *call) {
  const float *x = (const float *)call->inputs[0].data;
  int64_t length = call->inputs[0].dims[0], count = 0;
  for (int64_t i = 0; i < length; ++i)
    count += isPeak(x, i, length);
  /* `infer` could not tell: the memory is asked for once the size is known. */
  int64_t *positions = (int64_t *)call->allocate(call, 0, 1, &count);
  if (!positions)
    return -1;
  for (int64_t i = 0; i < length; ++i)
    if (isPeak(x, i, length))
      *positions++ = i;
  return 0;
}

static int inferPeaks(OMCustomCall *call) {
  int64_t unknown = -1;
  if (call->inputs[0].rank >= 0 && call->inputs[0].rank != 1)
    return call->fail(call, "expected one signal, but got rank %d",
                      (int)call->inputs[0].rank);
  return call->setOutput(call, 0, 0, 1, &unknown);
}

static const OMCustomParameter peaksIn[] = {{"x", NULL, OM_TYPE_FLOAT, 0, 0}};
static const OMCustomParameter peaksOut[] = {
    {"positions", NULL, OM_TYPE_INT64, 0, 0}};
static const OMCustomOp peaksOp = {sizeof(OMCustomOp),
                                   DOMAIN,
                                   "Peaks",
                                   1,
                                   OM_CUSTOM_PURE,
                                   peaksIn,
                                   1,
                                   peaksOut,
                                   1,
                                   NULL,
                                   0,
                                   inferPeaks,
                                   peaks,
                                   NULL,
                                   NULL};

/* --- The library -----------------------------------------------------------
 */

static const OMCustomOp *const ops[] = {&smoothOp, &peaksOp};
OM_CUSTOM_LIBRARY(signal_ops, ops)
