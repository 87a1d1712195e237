//===- TfIdf.cpp - Counting n-grams -----------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Tokens are numbered from 0, those that no n-gram has with a number above all
// others. The n-grams of the pool are a tree that the compiler has laid out: by
// token the node of the n-grams that begin with it, then the nodes; and a table
// of the edges.
//
//===----------------------------------------------------------------------===//

#include "KeyTable.h"
#include "StringTable.h"

#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

namespace {

/// One node of the tree, as two words among the weights.
struct Node {
  int64_t column; ///< of the result, -1: no n-gram of the pool ends here
  int64_t hasChildren;
};

struct Settings {
  int64_t shortest, longest, maxSkips, columns, tokens;
};

/// By token the node below the root, or -1; the nodes; and by node * tokens +
/// token the node that the token leads to.
struct Tree {
  Tree(const OnnxcValue &words, const OnnxcValue &table, int64_t tokens)
      : tokens(tokens), first(static_cast<const int64_t *>(words.data)),
        nodes(reinterpret_cast<const Node *>(first + tokens)),
        edges(table.data) {}

  int64_t tokens;
  const int64_t *first;
  const Node *nodes;
  KeyTable edges;
};

} // namespace

/// Adds up the n-grams that begin at tokens[at].
static void countFrom(const Tree &tree, const int64_t *tokens, int64_t at,
                      int64_t end, int64_t step, int64_t shortest,
                      const Settings &settings, float *counts) {
  if (tokens[at] >= tree.tokens)
    return;
  int64_t node = tree.first[tokens[at]];
  for (int64_t length = 1; node >= 0; ++length) {
    const Node &here = tree.nodes[node];
    if (length >= shortest && here.column >= 0)
      counts[here.column] += 1;
    at += step;
    if (length == settings.longest || at >= end || !here.hasChildren ||
        tokens[at] >= tree.tokens)
      return;
    node = tree.edges.find(node * tree.tokens + tokens[at]);
  }
}

/// Single tokens are counted once: skipping does not change them.
static void countRow(const Tree &tree, const int64_t *tokens, int64_t begin,
                     int64_t end, const Settings &settings, float *counts) {
  int64_t shortest = settings.shortest;
  for (int64_t step = 1; step <= settings.maxSkips + 1; ++step) {
    if (shortest > 1 && step > (end - begin) / (shortest - 1))
      return;
    for (int64_t first = begin; first + step * (shortest - 1) < end; ++first)
      countFrom(tree, tokens, first, end, step, shortest, settings, counts);
    if (shortest == 1 && ++shortest > settings.longest)
      return;
  }
}

/// ins: tokens [c] or [b, c]; the words and the table of a Tree. outs: how
/// often each n-gram occurs, [n] or [b, n]. The parameters are those of
/// Settings.
ONNXC_CALL(onnxc_call_count_ngrams) {
  Settings settings{params[0], params[1], params[2], params[3], params[4]};
  int32_t rank = ins[0].rank;
  int64_t rows = rank == 2 ? ins[0].dims[0] : 1;
  int64_t length = rank == 0 ? 1 : ins[0].dims[rank - 1];
  int64_t dims[2] = {rows, settings.columns};
  if (!makeResult(call, outs[0], rank == 2 ? dims : dims + 1, sizeof(float)))
    return onnxc_rt_status(call);
  float *counts = static_cast<float *>(outs[0].data);
  memset(counts, 0, size_t(rows * settings.columns) * sizeof(float));
  Tree tree(ins[1], ins[2], settings.tokens);
  const int64_t *tokens = static_cast<const int64_t *>(ins[0].data);
  for (int64_t row = 0; row < rows; ++row)
    countRow(tree, tokens, row * length, (row + 1) * length, settings,
             counts + row * settings.columns);
  return ONNXC_OK;
}
