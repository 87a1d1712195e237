//===- NonMaxSuppression.cpp - Boxes that do not overlap --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"

#include <string.h>

using namespace onnxc::rt;

namespace {

/// A box by its corners.
struct Box {
  float y0, x0, y1, x1;
  float area() const { return (y1 - y0) * (x1 - x0); }
};

struct Limits {
  int64_t outputs = 0;
  float overlap = 0, score = 0;
  bool hasScore = false;
};

struct Candidate {
  float score;
  int64_t index;
};

/// The result as it grows: three numbers for each box.
struct Selected {
  int64_t *triples = nullptr;
  int64_t count = 0, capacity = 0;

  bool add(OnnxcCall *call, int64_t batch, int64_t type, int64_t box) {
    if (count == capacity) {
      int64_t wanted = capacity ? 2 * capacity : 64;
      int64_t *more = allocate<int64_t>(call, wanted * 3);
      if (!more)
        return false;
      if (triples) {
        memcpy(more, triples, count * 3 * sizeof(int64_t));
        onnxc_rt_release(call, triples);
      }
      triples = more;
      capacity = wanted;
    }
    int64_t triple[3] = {batch, type, box};
    memcpy(triples + 3 * count++, triple, sizeof triple);
    return true;
  }
};

} // namespace

static float smaller(float a, float b) { return a < b ? a : b; }
static float larger(float a, float b) { return a > b ? a : b; }

static Box boxAt(const float *corners, bool isCentered) {
  float a = corners[0], b = corners[1], c = corners[2], d = corners[3];
  if (isCentered) // x, y of the centre, width, height
    return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};
  return {smaller(a, c), smaller(b, d), larger(a, c), larger(b, d)};
}

static bool overlaps(const Box &a, const Box &b, float limit) {
  float height = smaller(a.y1, b.y1) - larger(a.y0, b.y0);
  float width = smaller(a.x1, b.x1) - larger(a.x0, b.x0);
  if (!(height > 0) || !(width > 0))
    return false;
  float common = height * width, whole = a.area() + b.area() - common;
  if (!(common > 0) || !(a.area() > 0) || !(b.area() > 0) || !(whole > 0))
    return false;
  return common / whole > limit;
}

/// The boxes of one class, best first.
static int64_t rank(const float *scores, int64_t boxes, const Limits &limits,
                    Candidate *candidates, Candidate *scratch) {
  int64_t count = 0;
  for (int64_t i = 0; i < boxes; ++i)
    if (!limits.hasScore || scores[i] > limits.score)
      candidates[count++] = {scores[i], i};
  // A NaN is below everything; by bits all floats have an order.
  auto less = [](const Candidate &a, const Candidate &b) {
    if (a.score != a.score || b.score != b.score)
      return a.score == a.score && b.score != b.score;
    return a.score > b.score;
  };
  sortStably(candidates, scratch, count, less);
  return count;
}

/// The optional operand `number`, if it is there and has an element.
static bool readLimit(const OnnxcValue *ins, int32_t number, int64_t present,
                      void *to, size_t bytes) {
  if (number >= 2 && !(present >> (number - 2) & 1))
    return false;
  const OnnxcValue &value = ins[number];
  for (int32_t d = 0; d < value.rank; ++d)
    if (value.dims[d] == 0)
      return false;
  memcpy(to, value.data, bytes);
  return true;
}

static Limits readLimits(const OnnxcValue *ins, int64_t present) {
  Limits limits;
  readLimit(ins, 2, present, &limits.outputs, sizeof limits.outputs);
  readLimit(ins, 3, present, &limits.overlap, sizeof limits.overlap);
  limits.hasScore =
      readLimit(ins, 4, present, &limits.score, sizeof limits.score);
  return limits;
}

/// selected[count, 3] = non_max_suppression(boxes, scores, outputs, overlap,
/// score) params [which of the last three are given, bit by bit, centered]
extern "C" int32_t onnxc_call_non_max_suppression(OnnxcCall *call, int32_t,
                                                  OnnxcValue *outs, int32_t,
                                                  const OnnxcValue *ins,
                                                  const int64_t *params) {
  const int64_t *boxDims = ins[0].dims, *scoreDims = ins[1].dims;
  int64_t batches = boxDims[0], boxes = boxDims[1], classes = scoreDims[1];
  if (boxDims[2] != 4 || scoreDims[0] != batches || scoreDims[2] != boxes)
    return onnxc_rt_fail(call, ONNXC_ERR_VALUE,
                         "NonMaxSuppression: boxes and scores do not agree");
  Limits limits = readLimits(ins, params[0]);
  Candidate *candidates = allocate<Candidate>(call, boxes),
            *scratch = allocate<Candidate>(call, boxes);
  Box *kept = allocate<Box>(call, boxes);
  Selected selected;
  if (!candidates || !scratch || !kept)
    return onnxc_rt_status(call);
  for (int64_t pair = 0; limits.outputs > 0 && pair < batches * classes;
       ++pair) {
    auto *scores = static_cast<const float *>(ins[1].data) + pair * boxes;
    auto *corners =
        static_cast<const float *>(ins[0].data) + pair / classes * boxes * 4;
    int64_t count = rank(scores, boxes, limits, candidates, scratch), best = 0;
    for (int64_t i = 0; i < count && best < limits.outputs; ++i) {
      Box box = boxAt(corners + candidates[i].index * 4, params[1] != 0);
      bool isFree = true;
      for (int64_t k = 0; k < best && isFree; ++k)
        isFree = !overlaps(box, kept[k], limits.overlap);
      if (!isFree)
        continue;
      kept[best++] = box;
      if (!selected.add(call, pair / classes, pair % classes,
                        candidates[i].index))
        return onnxc_rt_status(call);
    }
  }
  if (!selected.triples)
    selected.triples = allocate<int64_t>(call, 0);
  outs[0].dims[0] = selected.count;
  outs[0].dims[1] = 3;
  outs[0].data = selected.triples;
  return onnxc_rt_status(call);
}
