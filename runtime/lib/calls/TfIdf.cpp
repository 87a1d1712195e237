//===- TfIdf.cpp - Counting n-grams -----------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The n-grams of the pool are a tree that the compiler has laid out: node 0 is
// the root; the children of a node stand one after the other, sorted by their
// token. Tokens are numbers of strings of the pool, or integers themselves.
//
//===----------------------------------------------------------------------===//

#include "StringTable.h"

#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

namespace {

/// One node of the tree, as four words among the weights.
struct Node {
  int64_t token;
  int64_t firstChild;
  int64_t numChildren;
  int64_t column; ///< of the result, -1: no n-gram of the pool ends here
};

struct Settings {
  int64_t shortest, longest, mostSkips, columns;
};

/// Reads a token of either integer type.
struct Tokens {
  const void *data;
  bool isWide;
  int64_t operator[](int64_t i) const {
    return isWide ? static_cast<const int64_t *>(data)[i]
                  : static_cast<const int32_t *>(data)[i];
  }
};

} // namespace

static const Node *findChild(const Node *tree, const Node *node,
                             int64_t token) {
  int64_t low = node->firstChild, high = low + node->numChildren;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (tree[middle].token == token)
      return &tree[middle];
    if (tree[middle].token < token)
      low = middle + 1;
    else
      high = middle;
  }
  return nullptr;
}

/// Adds up the n-grams that begin at tokens[first].
static void countFrom(const Node *tree, const Tokens &tokens, int64_t first,
                      int64_t end, int64_t step, int64_t shortest,
                      const Settings &settings, float *counts) {
  const Node *node = tree;
  int64_t length = 1;
  for (int64_t at = first; at < end && length <= settings.longest;
       at += step, ++length) {
    node = findChild(tree, node, tokens[at]);
    if (!node)
      return;
    if (length >= shortest && node->column >= 0)
      counts[node->column] += 1;
  }
}

/// Single tokens are counted once: skipping does not change them.
static void countRow(const Node *tree, const Tokens &tokens, int64_t begin,
                     int64_t end, const Settings &settings, float *counts) {
  int64_t shortest = settings.shortest;
  for (int64_t step = 1; step <= settings.mostSkips + 1; ++step) {
    if (shortest > 1 && step > (end - begin) / (shortest - 1))
      return;
    for (int64_t first = begin; first + step * (shortest - 1) < end; ++first)
      countFrom(tree, tokens, first, end, step, shortest, settings, counts);
    if (shortest == 1 && ++shortest > settings.longest)
      return;
  }
}

/// ins: tokens [c] or [b, c], the tree. outs: how often each n-gram occurs,
/// [n] or [b, n]. The parameters are those of Settings.
extern "C" int32_t onnxc_call_count_ngrams(OnnxcCall *call, int32_t,
                                           OnnxcValue *outs, int32_t,
                                           const OnnxcValue *ins,
                                           const int64_t *iattrs) {
  constexpr int32_t int64Number = 7;
  Settings settings{iattrs[0], iattrs[1], iattrs[2], iattrs[3]};
  int32_t rank = ins[0].rank;
  int64_t rows = rank == 2 ? ins[0].dims[0] : 1;
  int64_t length = rank == 0 ? 1 : ins[0].dims[rank - 1];
  int64_t dims[2] = {rows, settings.columns};
  if (!makeResult(call, outs[0], rank == 2 ? dims : dims + 1, sizeof(float)))
    return onnxc_rt_status(call);
  float *counts = static_cast<float *>(outs[0].data);
  memset(counts, 0, size_t(rows * settings.columns) * sizeof(float));
  const Node *tree = static_cast<const Node *>(ins[1].data);
  Tokens tokens{ins[0].data, ins[0].type == int64Number};
  for (int64_t row = 0; row < rows; ++row)
    countRow(tree, tokens, row * length, (row + 1) * length, settings,
             counts + row * settings.columns);
  return ONNXC_OK;
}
