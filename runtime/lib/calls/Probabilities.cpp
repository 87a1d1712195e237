//===- Probabilities.cpp - Coupling of pairwise estimates -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StringTable.h"

#include <math.h>

using namespace onnxc;
using namespace onnxc::rt;

/// The probabilities of k classes from r[i][j], the probability of class i if
/// it is i or j: the second method of Wu, Lin and Weng, "Probability Estimates
/// for Multi-class Classification by Pairwise Coupling" (2004), as every
/// support vector machine library iterates it. `q` has room for k * k + k.
static void couple(int64_t k, const double *r, double *q, double *p) {
  double *qp = q + k * k;
  for (int64_t t = 0; t < k; ++t) {
    p[t] = 1.0 / double(k);
    q[t * k + t] = 0;
    for (int64_t j = 0; j < k; ++j) {
      if (j == t)
        continue;
      q[t * k + t] += r[j * k + t] * r[j * k + t];
      q[t * k + j] = -r[j * k + t] * r[t * k + j];
    }
  }
  double tolerance = 0.005 / double(k);
  int64_t rounds = k > 100 ? k : 100;
  for (int64_t round = 0; round < rounds; ++round) {
    double total = 0, worst = 0;
    for (int64_t t = 0; t < k; ++t) {
      qp[t] = 0;
      for (int64_t j = 0; j < k; ++j)
        qp[t] += q[t * k + j] * p[j];
      total += p[t] * qp[t];
    }
    for (int64_t t = 0; t < k; ++t)
      worst = fmax(worst, fabs(qp[t] - total));
    if (worst < tolerance)
      return;
    for (int64_t t = 0; t < k; ++t) {
      double change = (total - qp[t]) / q[t * k + t];
      p[t] += change;
      total = (total + change * (change * q[t * k + t] + 2 * qp[t])) /
              ((1 + change) * (1 + change));
      for (int64_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + change * q[t * k + j]) / (1 + change);
        p[j] /= 1 + change;
      }
    }
  }
}

/// ins: for each row the probability of the first class of each pair of
/// classes, f32 [n, k (k - 1) / 2]. outs: f32 [n, k]. The parameter is k.
ONNXC_CALL(onnxc_call_couple_pairs) {
  int64_t k = params[0], rows = ins[0].dims[0], pairs = k * (k - 1) / 2;
  int64_t dims[2] = {rows, k};
  if (!makeResult(call, outs[0], dims, sizeof(float)))
    return onnxc_rt_status(call);
  double *memory = static_cast<double *>(
      onnxc_rt_alloc(call, (2 * k * k + 2 * k) * int64_t(sizeof(double))));
  if (onnxc_rt_status(call) != ONNXC_OK)
    return onnxc_rt_status(call);
  double *r = memory, *q = r + k * k, *p = q + k * k + k;
  const float *from = static_cast<const float *>(ins[0].data);
  float *to = static_cast<float *>(outs[0].data);
  for (int64_t n = 0; n < rows; ++n, from += pairs, to += k) {
    int64_t pair = 0;
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = i + 1; j < k; ++j, ++pair) {
        r[i * k + j] = double(from[pair]);
        r[j * k + i] = 1 - double(from[pair]);
      }
    couple(k, r, q, p);
    for (int64_t t = 0; t < k; ++t)
      to[t] = float(p[t]);
  }
  return ONNXC_OK;
}
