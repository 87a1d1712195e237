//===- NonMaxSuppression.cpp - Boxes that do not overlap --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
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

/// The boxes of one class, best first and equal ones in order; a NaN is below
/// all numbers. Rounds sort a few of the best that are left, so that unused
/// boxes cost no more than a comparison. There are O(log boxes) rounds, each of
/// O(boxes), for all scores.
class BestFirst {
public:
  /// `items` and `scratch` have room for all boxes.
  BestFirst(Steps &steps, const float *scores, int64_t boxes,
            const Limits &limits, Keyed *items, Keyed *scratch)
      : steps(steps), scores(scores), boxes(boxes), items(items),
        scratch(scratch) {
    bool isPossible = !limits.hasScore || limits.score == limits.score;
    if (limits.hasScore)
      last = key(limits.score) - 1;
    left = isPossible ? count() : 0;
    // Some of the boxes overlap better ones.
    wanted = limits.outputs < left / 4 ? 2 * limits.outputs : left;
    wanted = wanted < minWanted ? minWanted : wanted;
  }

  /// The next box; -1 after the last one, and when the call is to end.
  int64_t next() {
    if (at == sortedCount && !sortMore())
      return -1;
    return sorted[at++].index;
  }

private:
  static constexpr int64_t minWanted = 256;

  /// Ascends from the best score to the worst.
  static uint32_t key(float score) {
    score += 0.0F; // no negative zero
    int32_t bits;
    memcpy(&bits, &score, sizeof bits);
    return score == score ? bits ^ (~(bits >> 31) & 0x7fffffff) : UINT32_MAX;
  }
  /// Returns true if the box of a key is left, and no worse than `bound`. In
  /// unsigned numbers one comparison checks both.
  bool isLeft(uint32_t key, uint32_t bound) const {
    return key - begin <= bound - begin;
  }

  int64_t count() const {
    int64_t number = 0;
    for (int64_t i = 0; i < boxes; ++i)
      number += isLeft(key(scores[i]), last);
    return number;
  }

  /// The key that about `wanted` of those that are left are no worse than.
  uint32_t estimateBound() {
    constexpr int64_t samples = 512;
    int64_t stride = boxes / samples + 1, number = 0;
    for (int64_t i = 0; i < boxes; i += stride)
      if (uint32_t k = key(scores[i]); isLeft(k, last))
        items[number++] = {k, i};
    if (number == 0)
      return last;
    double share = double(wanted) / double(left);
    int64_t rank = int64_t(share * double(number));
    return uint32_t(sortByKey(steps, items, scratch, number)[rank].key);
  }

  /// Blocks are compared at once: most have nothing.
  void collect(uint32_t bound) {
    constexpr int64_t block = 16;
    sortedCount = 0;
    for (int64_t i = 0; i < boxes; i += block) {
      bool isWhole = i + block <= boxes, any = !isWhole;
      for (int64_t j = i; isWhole && j < i + block; ++j)
        any |= isLeft(key(scores[j]), bound);
      for (int64_t j = i; any && j < i + block && j < boxes; ++j)
        if (uint32_t k = key(scores[j]); isLeft(k, bound))
          items[sortedCount++] = {k, j};
    }
  }

  bool sortMore() {
    if (left == 0 || !steps.goOn(boxes))
      return false;
    uint32_t bound = left <= 2 * wanted ? last : estimateBound();
    collect(bound);
    sorted = sortByKey(steps, items, scratch, sortedCount);
    at = 0;
    begin = bound + 1;
    left -= sortedCount;
    wanted *= 4;
    return true;
  }

  Steps &steps;
  const float *scores;
  int64_t boxes;
  Keyed *items, *scratch, *sorted = nullptr;
  int64_t at = 0, sortedCount = 0;
  /// The boxes that were not sorted yet: the first and the last key that they
  /// can have, how many there are, and about how many the next round sorts.
  uint32_t begin = 0, last = UINT32_MAX;
  int64_t left, wanted;
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

/// Fails unless boxes, [batches, boxes, 4], and scores, [batches, classes,
/// boxes], agree.
static bool haveEqualSizes(OnnxcCall *call, const int64_t *boxes,
                           const int64_t *scores) {
  if (boxes[2] == 4 && scores[0] == boxes[0] && scores[2] == boxes[1])
    return true;
  call->fail(ONNXC_ERR_VALUE,
             "NonMaxSuppression: boxes of sizes [%lld, %lld, %lld] and "
             "scores of sizes [%lld, %lld, %lld] do not agree",
             (long long)boxes[0], (long long)boxes[1], (long long)boxes[2],
             (long long)scores[0], (long long)scores[1], (long long)scores[2]);
  return false;
}

/// Returns true if `box` overlaps none of the `count` boxes that are kept.
static bool isFree(const Box &box, const Box *kept, int64_t count,
                   float limit) {
  for (int64_t k = 0; k < count; ++k)
    if (overlaps(box, kept[k], limit))
      return false;
  return true;
}

/// selected[count, 3] = non_max_suppression(boxes, scores, outputs, overlap,
/// score) params [which of the last three are given, bit by bit, centered]
ONNXC_CALL(onnxc_call_non_max_suppression) {
  if (!haveEqualSizes(call, ins[0].dims, ins[1].dims))
    return call->status;
  int64_t batches = ins[0].dims[0], boxes = ins[0].dims[1],
          classes = ins[1].dims[1];
  Limits limits = readLimits(ins, params[0]);
  Keyed *items = allocate<Keyed>(call, boxes),
        *scratch = allocate<Keyed>(call, boxes);
  int64_t maxKept = limits.outputs < boxes ? limits.outputs : boxes;
  Box *kept = allocate<Box>(call, maxKept > 0 ? maxKept : 0);
  Selected selected;
  if (!items || !scratch || !kept)
    return onnxc_rt_status(call);
  Steps steps(call);
  int64_t pairs = limits.outputs > 0 && boxes > 0 ? batches * classes : 0;
  for (int64_t pair = 0; pair < pairs && steps.goOn(boxes); ++pair) {
    auto *scores = static_cast<const float *>(ins[1].data) + pair * boxes;
    auto *corners =
        static_cast<const float *>(ins[0].data) + pair / classes * boxes * 4;
    BestFirst candidates(steps, scores, boxes, limits, items, scratch);
    for (int64_t best = 0; best < limits.outputs;) {
      int64_t index = candidates.next();
      if (index < 0)
        break;
      Box box = boxAt(corners + index * 4, params[1] != 0);
      bool isKept = isFree(box, kept, best, limits.overlap);
      if (!steps.goOn(best))
        break;
      if (!isKept)
        continue;
      kept[best++] = box;
      if (!selected.add(call, pair / classes, pair % classes, index))
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
