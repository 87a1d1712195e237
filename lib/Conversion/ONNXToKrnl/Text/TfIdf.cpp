//===- TfIdf.cpp - TfIdfVectorizer ------------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Tokens become their numbers, the pool of n-grams a tree among the weights,
// and a call counts; the weighting is a kernel.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/KeyTables.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/BitVector.h"

#include <deque>
#include <map>

using namespace mlir;

namespace onnxc {
namespace {

/// All n-grams of the pool, by the numbers of their tokens.
struct Gram {
  std::map<int64_t, Gram> next;
  /// The column of the result; -1: none of the pool's n-grams ends here.
  int64_t column = -1;
};

/// The tree as the runtime reads it (runtime/lib/calls/TfIdf.cpp): by token the
/// node below the root, then the nodes; and the edges below those.
struct FlatTree {
  FlatTree(const Gram &root, int64_t tokens);
  int64_t tokens;
  SmallVector<int64_t> words;
  SmallVector<uint64_t> edges;
  SmallVector<int64_t> ends;
};

FlatTree::FlatTree(const Gram &root, int64_t tokens)
    : tokens(tokens), words(tokens, -1) {
  std::deque<const Gram *> waiting{&root};
  int64_t numbered = 1;
  for (int64_t node = 0; !waiting.empty(); ++node, waiting.pop_front()) {
    const Gram *gram = waiting.front();
    words.append({gram->column, !gram->next.empty()});
    for (const auto &[token, child] : gram->next) {
      int64_t end = numbered++;
      waiting.push_back(&child);
      if (node == 0) {
        words[token] = end;
        continue;
      }
      edges.push_back(uint64_t(node * tokens + token));
      ends.push_back(end);
    }
  }
}

/// Enters the n-grams of the given lengths; fails where the attributes do not
/// fit together.
LogicalResult enterGrams(onnx::TfIdfVectorizerOp op, ArrayRef<int64_t> pool,
                         Gram &root) {
  ArrayRef<int64_t> begins = op.getNgramCounts(),
                    columns = op.getNgramIndexes();
  size_t number = 0;
  for (auto [i, begin] : llvm::enumerate(begins)) {
    int64_t end = i + 1 < begins.size() ? begins[i + 1] : int64_t(pool.size());
    int64_t length = int64_t(i) + 1;
    if (begin < 0 || end < begin || end > int64_t(pool.size()))
      return failure();
    bool isWanted = length <= int64_t(pool.size()) &&
                    length >= op.getMinGramLength() &&
                    length <= op.getMaxGramLength();
    for (int64_t at = begin; at + length <= end; at += length, ++number) {
      if (number >= columns.size() || columns[number] < 0)
        return failure();
      if (!isWanted)
        continue;
      Gram *gram = &root;
      for (int64_t token : pool.slice(at, length))
        gram = &gram->next[token];
      gram->column = columns[number];
    }
  }
  return success();
}

/// The weight of each column, from those of the n-grams, which stand in the
/// order of the pool. Nothing if n-grams of one column differ in weight.
std::optional<std::vector<float>> weightColumns(ArrayRef<float> weights,
                                                ArrayRef<int64_t> columns,
                                                int64_t width) {
  constexpr int64_t maxColumns = int64_t(1) << 26;
  if (weights.size() != columns.size() || width > maxColumns)
    return std::nullopt;
  std::vector<float> byColumn(width, 0);
  llvm::BitVector isSet(static_cast<unsigned>(width));
  for (auto [weight, column] : llvm::zip_equal(weights, columns)) {
    if (isSet[unsigned(column)] && byColumn[column] != weight)
      return std::nullopt;
    byColumn[column] = weight;
    isSet.set(unsigned(column));
  }
  return byColumn;
}

/// Tokens of an n-gram: the tree is as deep.
constexpr int64_t longest = 1000;

/// Integers as their numbers in the pool, which becomes `pool`.
FailureOr<Value> numberIntegers(OpBuilder &b, Location loc,
                                onnx::TfIdfVectorizerOp op, Value x,
                                SmallVector<int64_t> &pool) {
  SmallVector<uint64_t> words;
  std::map<int64_t, int64_t> numbers;
  for (int64_t word : op.getPoolInt64s().value_or(ArrayRef<int64_t>())) {
    auto [entry, isNew] = numbers.try_emplace(word, int64_t(words.size()));
    if (isNew)
      words.push_back(uint64_t(word));
    pool.push_back(entry->second);
  }
  return keyPositions(b, loc, x, words);
}

/// Strings as their numbers in the pool, which becomes `pool`.
Value numberStrings(OpBuilder &b, Location loc, onnx::TfIdfVectorizerOp op,
                    Value x, SmallVector<int64_t> &pool) {
  SmallVector<StringRef> words;
  llvm::StringMap<int64_t> numbers;
  for (StringRef word : textsOf(op.getPoolStrings())) {
    auto [entry, isNew] = numbers.try_emplace(word, int64_t(words.size()));
    if (isNew)
      words.push_back(entry->first());
    pool.push_back(entry->second);
  }
  return stringIndex(b, loc, x, words);
}

Value count(OpBuilder &b, Location loc, onnx::TfIdfVectorizerOp op, Value x,
            const FlatTree &tree, Value edges, int64_t width) {
  RankedTensorType tokens = rankedType(x);
  SmallVector<int64_t> shape;
  if (tokens.getRank() == 2)
    shape.push_back(tokens.getDimSize(0));
  shape.push_back(width);
  return callTensor(b, loc, "onnxc_call_count_ngrams",
                    RankedTensorType::get(shape, b.getF32Type()),
                    {x, wordsConstant(b, loc, tree.words), edges},
                    {op.getMinGramLength(), op.getMaxGramLength(),
                     op.getMaxSkipCount(), width, tree.tokens});
}

/// TF: the counts; IDF: the weights of those found; TFIDF: both multiplied.
Value weigh(OpBuilder &b, Location loc, Value counts,
            const std::optional<std::vector<float>> &weights,
            bool onlyWhether) {
  bool weighted = weights.has_value();
  if (!weighted && !onlyWhether)
    return counts;
  SmallVector<Value> operands{counts};
  if (weighted) {
    int64_t width = rankedType(counts).getShape().back();
    operands.push_back(krnl::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get({width}, b.getF32Type()),
                               ArrayRef<float>(*weights)),
        krnl::PackedLayoutAttr()));
  }
  return buildElementwise(b, loc, "TfIdfVectorizer", operands, b.getF32Type(),
                          [&](OpBuilder &nb, Location l, ValueRange v) {
                            ScalarBuilder s(nb, l, nb.getF32Type());
                            Value weight = weighted ? v[1] : s.constant(1);
                            if (!onlyWhether)
                              return s.mul(v[0], weight);
                            Value zero = s.constant(0);
                            return s.select(s.lt(zero, v[0]), weight, zero);
                          });
}

Lowered lowerTfIdf(onnx::TfIdfVectorizerOp op,
                   onnx::TfIdfVectorizerOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX();
  RankedTensorType type = rankedType(x);
  if (type.getRank() > 2)
    return rewriter.notifyMatchFailure(op, "expects tokens in rows");
  if (op.getNgramIndexes().empty() || op.getMinGramLength() < 1 ||
      op.getMaxGramLength() < op.getMinGramLength() ||
      op.getMaxGramLength() > longest || op.getMaxSkipCount() < 0)
    return rewriter.notifyMatchFailure(op, "no n-grams to count");
  bool isText = isString(getElementTypeOrSelf(op.getX().getType()));
  SmallVector<int64_t> pool;
  FailureOr<Value> tokens = isText ? numberStrings(rewriter, loc, op, x, pool)
                                   : numberIntegers(rewriter, loc, op, x, pool);
  Gram root;
  int64_t width = *llvm::max_element(op.getNgramIndexes());
  if (failed(tokens) || pool.empty() ||
      width == std::numeric_limits<int64_t>::max() ||
      failed(enterGrams(op, pool, root)))
    return rewriter.notifyMatchFailure(
        op, "ngram_counts, ngram_indexes and the pool do not fit together");
  FlatTree tree(root, *llvm::max_element(pool) + 1);
  Value edges = keyWords(rewriter, loc, tree.edges, tree.ends);
  if (!edges)
    return rewriter.notifyMatchFailure(op, "the n-grams fit no table");
  std::optional<std::vector<float>> weights;
  ArrayRef<float> ofGrams = op.getWeights().value_or(ArrayRef<float>());
  if (!ofGrams.empty() && op.getMode() != "TF") {
    weights = weightColumns(ofGrams, op.getNgramIndexes(), width + 1);
    if (!weights)
      return rewriter.notifyMatchFailure(op, "expects a weight for each "
                                             "n-gram, one for each column");
  }
  Value y = count(rewriter, loc, op, *tokens, tree, edges, width + 1);
  return weigh(rewriter, loc, y, weights, op.getMode() == "IDF");
}

} // namespace

void populateONNXToKrnlTfIdfPatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerTfIdf);
}

} // namespace onnxc
