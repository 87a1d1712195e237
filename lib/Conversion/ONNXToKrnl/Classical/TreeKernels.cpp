//===- TreeKernels.cpp - Tree ensembles by tables ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A traversal is a reduction over its steps: the carried value is the number of
// a node, each step reads the node's tables and moves on to a child. Rows are
// the lanes of a vector where there are many, trees where there are few.
//===----------------------------------------------------------------------===//

#include "Trees.h"

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Contractions/Contraction.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Rows from which on they are better in the lanes than trees are: as many as
/// there are lanes, or half of them where trees leave lanes empty, too, or each
/// row had to read the tables from memory again.
int64_t manyRows(const TreeTables &tables) {
  constexpr size_t lanes = 16, cachedWords = 128 * 1024;
  bool areTreesFine = tables.roots.size() >= lanes &&
                      tables.nodes.size() * NodeRecord::words <= cachedWords;
  return areTreesFine ? lanes : lanes / 2;
}

Value weightTable(OpBuilder &b, Location loc, std::vector<char> bytes,
                  ArrayRef<int64_t> shape, Type element) {
  return krnl::ConstantOp::create(
      b, loc,
      onnx::makeTensorAttr(RankedTensorType::get(shape, element),
                           std::move(bytes)),
      krnl::PackedLayoutAttr());
}

template <typename T, typename From>
std::vector<char> bytesOf(ArrayRef<From> values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  for (auto [i, value] : llvm::enumerate(values)) {
    T stored = T(value);
    std::memcpy(bytes.data() + i * sizeof(T), &stored, sizeof(T));
  }
  return bytes;
}

/// Records as integers of the width of a split, whose bits are one of them.
template <typename Int, typename Real>
std::vector<char> bytesOfRecords(ArrayRef<NodeRecord> nodes) {
  std::vector<Int> words;
  words.reserve(nodes.size() * NodeRecord::words);
  for (const NodeRecord &node : nodes)
    words.insert(words.end(),
                 {Int(node.feature), llvm::bit_cast<Int>(Real(node.split)),
                  Int(node.ifFalse), Int(node.ifTrue)});
  return bytesOf<Int>(ArrayRef<Int>(words));
}

/// Builds the kernels of one ensemble for one way to fill the lanes.
class TreeTraversal {
public:
  TreeTraversal(OpBuilder &b, Location loc, Value x, const TreeModel &model,
                const TreeTables &tables);

  /// The votes of all trees taken together, [n, targets].
  Value scores(OpBuilder &b, bool rowsInLanes) const;

private:
  Value votes(OpBuilder &b, bool rowsInLanes) const;
  Value step(KernelBuilder &kernel, OpBuilder &b, Location l, Value node,
             Value row, ArrayRef<Value> images) const;
  Value vote(OpBuilder &b, Location l, Value table, Value leaf) const;
  Value sumByTarget(OpBuilder &b, Value votes, bool rowsInLanes) const;
  Value aggregate(OpBuilder &b, Value votes, bool rowsInLanes) const;
  /// The positions [t, n] or [n, t].
  static SmallVector<AffineExpr> position(AffineExpr tree, AffineExpr row,
                                          bool rowsInLanes) {
    return rowsInLanes ? SmallVector<AffineExpr>{tree, row}
                       : SmallVector<AffineExpr>{row, tree};
  }
  Value table(OpBuilder &b, ArrayRef<double> values,
              ArrayRef<int64_t> shape) const {
    return weightTable(b, loc,
                       element.isF64() ? bytesOf<double>(values)
                                       : bytesOf<float>(values),
                       shape, element);
  }
  /// The number that a word of a record is the bits of.
  Value realOf(OpBuilder &b, Location l, Value bits) const {
    return arith::BitcastOp::create(b, l, element, bits);
  }
  /// A word of the record at `position`.
  static Value read(OpBuilder &b, Location l, Value table, Value position,
                    int64_t which) {
    Value at =
        addIndex(b, l, toIndex(b, l, position), indexConstant(b, l, which));
    return tensor::ExtractOp::create(b, l, table, at);
  }

  Location loc;
  Value x;
  const TreeModel &model;
  const TreeTables &tables;
  Type element;
  /// The type of the words of the records: as wide as the features.
  Type word;
  int64_t trees, rows;
  Value records, roots, weights;
};

} // namespace

TreeTraversal::TreeTraversal(OpBuilder &b, Location loc, Value x,
                             const TreeModel &model, const TreeTables &tables)
    : loc(loc), x(x), model(model), tables(tables),
      element(rankedType(x).getElementType()),
      word(b.getIntegerType(element.getIntOrFloatBitWidth())),
      trees(int64_t(tables.roots.size())), rows(rankedType(x).getDimSize(0)) {
  int64_t words = int64_t(tables.nodes.size()) * NodeRecord::words;
  ArrayRef<NodeRecord> nodes(tables.nodes);
  ArrayRef<int32_t> positions(tables.roots);
  bool isWide = element.isF64();
  records = weightTable(b, loc,
                        isWide ? bytesOfRecords<int64_t, double>(nodes)
                               : bytesOfRecords<int32_t, float>(nodes),
                        words, word);
  roots = weightTable(b, loc,
                      isWide ? bytesOf<int64_t>(positions)
                             : bytesOf<int32_t>(positions),
                      trees, word);
  if (tables.columns > 1)
    weights = table(b, tables.leafWeights, {tables.leaves(), tables.columns});
}

/// The node that `node` leads to for a row.
Value TreeTraversal::step(KernelBuilder &kernel, OpBuilder &b, Location l,
                          Value node, Value row, ArrayRef<Value> images) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, l, b.getIntegerAttr(word, value));
  };
  Value feature = read(b, l, images[1], node, NodeRecord::Feature);
  Value split = realOf(b, l, read(b, l, images[1], node, NodeRecord::Split));
  Value column = feature;
  if (tables.hasMissing)
    column = arith::AndIOp::create(b, l, feature,
                                   constant(TreeTables::missingBit - 1));
  Value number = tensor::ExtractOp::create(
      b, l, images[0], ValueRange{row, toIndex(b, l, column)});
  auto predicate =
      tables.isStrict ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OLE;
  Value isTrue = arith::CmpFOp::create(b, l, predicate, number, split);
  if (tables.hasMissing) {
    Value bit = arith::CmpIOp::create(b, l, arith::CmpIPredicate::sge, feature,
                                      constant(TreeTables::missingBit));
    Value isNaN =
        arith::CmpFOp::create(b, l, arith::CmpFPredicate::UNO, number, number);
    isTrue = arith::OrIOp::create(b, l, isTrue,
                                  arith::AndIOp::create(b, l, bit, isNaN));
  }
  Value side = arith::ExtUIOp::create(b, l, word, isTrue);
  return read(b, l, images[1], arith::AddIOp::create(b, l, node, side),
              NodeRecord::IfFalse);
}

/// The value of the leaf at a position: its only weight, or else the number of
/// its row of weights.
Value TreeTraversal::vote(OpBuilder &b, Location l, Value table,
                          Value leaf) const {
  if (tables.columns == 1)
    return realOf(b, l, read(b, l, table, leaf, NodeRecord::Split));
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, l, b.getIntegerAttr(word, value));
  };
  static_assert(NodeRecord::words == 4, "a shift by two divides by it");
  Value number = arith::ShRUIOp::create(b, l, leaf, constant(2));
  return arith::SubIOp::create(b, l, number, constant(tables.decisions));
}

/// The vote of each tree for each row: [t, n] or [n, t].
Value TreeTraversal::votes(OpBuilder &b, bool rowsInLanes) const {
  int64_t steps = std::max<int64_t>(tables.depth, 1);
  KernelBuilder kernel(b, loc, "TreeTraversal");
  AffineExpr tree = kernel.loop("tree", trees), row = kernel.loop("row", rows),
             depth = kernel.loop("step", steps);
  SmallVector<int64_t> shape{trees, rows};
  if (!rowsInLanes)
    std::swap(shape[0], shape[1]);
  SmallVector<AffineExpr> at = position(tree, row, rowsInLanes);
  SmallVector<Value> images{kernel.input(x), kernel.input(records)};
  Value first = kernel.input(roots);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(rows))
    sizes.push_back(sizeOf(b, loc, x, 0));
  Value out = kernel.output(
      RankedTensorType::get(shape, tables.columns == 1 ? element : word),
      sizes);
  Value start = kernel.generic(
      {{first, {tree}}},
      {kernel.temporary(RankedTensorType::get(shape, word)), at}, {},
      [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  Value leaf = kernel.generic(
      {}, {start, at}, {depth}, [&](OpBuilder &nb, Location l, ValueRange v) {
        return step(kernel, nb, l, v[0], kernel.index(nb, l, row), images);
      });
  // Here the leaf's record is loaded.
  Value leafVotes =
      kernel.generic({{leaf, at}}, {out, at}, {},
                     [&](OpBuilder &nb, Location l, ValueRange v) {
                       return vote(nb, l, images[1], v[0]);
                     });
  return kernel.finish({leafVotes}).front();
}

/// Each tree votes for one target: a product with the matrix of targets.
Value TreeTraversal::sumByTarget(OpBuilder &b, Value votes,
                                 bool rowsInLanes) const {
  std::vector<double> whose(size_t(trees * model.targets), 0.0);
  for (auto [t, target] : llvm::enumerate(tables.targetOfTree))
    whose[t * size_t(model.targets) + size_t(target)] = 1;
  Value matrix = table(b, whose, {trees, model.targets});
  KernelBuilder kernel(b, loc, "TreeScores");
  AffineExpr row = kernel.loop("row", rows),
             target = kernel.loop("target", model.targets),
             tree = kernel.loop("tree", trees);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(rows))
    sizes.push_back(sizeOf(b, loc, x, 0));
  Value out = kernel.output(
      RankedTensorType::get({rows, model.targets}, element), sizes);
  Value sum = buildContraction(
      kernel, element, {kernel.input(votes), position(tree, row, rowsInLanes)},
      {kernel.input(matrix), {tree, target}}, {out, {row, target}}, {tree});
  return kernel.finish({sum}).front();
}

/// Each leaf has a weight for each target, or there is one target.
Value TreeTraversal::aggregate(OpBuilder &b, Value votes,
                               bool rowsInLanes) const {
  KernelBuilder kernel(b, loc, "TreeScores");
  AffineExpr row = kernel.loop("row", rows),
             target = kernel.loop("target", model.targets),
             tree = kernel.loop("tree", trees);
  bool isWeight = tables.columns == 1;
  Value in = kernel.input(votes);
  Value table = isWeight ? Value() : kernel.input(weights);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(rows))
    sizes.push_back(sizeOf(b, loc, x, 0));
  Value out = kernel.output(
      RankedTensorType::get({rows, model.targets}, element), sizes);
  bool isMin = model.aggregate == Aggregate::Min,
       isMax = model.aggregate == Aggregate::Max;
  double largest = element.isF64() ? std::numeric_limits<double>::max()
                                   : double(std::numeric_limits<float>::max());
  Value start = kernel.constant(b.getFloatAttr(element, isMin   ? largest
                                                        : isMax ? -largest
                                                                : 0.0));
  Value init = kernel.fill(start, {out, {row, target}});
  Value y = kernel.generic(
      {{in, position(tree, row, rowsInLanes)}}, {init, {row, target}}, {tree},
      [&](OpBuilder &nb, Location l, ValueRange v) {
        Value weight = v[0];
        if (!isWeight)
          weight = tensor::ExtractOp::create(
              nb, l, table,
              ValueRange{toIndex(nb, l, v[0]), kernel.index(nb, l, target)});
        ScalarBuilder s(nb, l, element);
        return isMin   ? s.min(v[1], weight)
               : isMax ? s.max(v[1], weight)
                       : s.add(v[1], weight);
      });
  return kernel.finish({y}).front();
}

Value TreeTraversal::scores(OpBuilder &b, bool rowsInLanes) const {
  Value leafVotes = votes(b, rowsInLanes);
  return tables.targetOfTree.empty() ? aggregate(b, leafVotes, rowsInLanes)
                                     : sumByTarget(b, leafVotes, rowsInLanes);
}

Value evaluateTrees(GraphBuilder &graph, Value x, const TreeModel &model,
                    const TreeTables &tables) {
  ConversionPatternRewriter &b = graph.rewriter;
  Location loc = graph.loc;
  // Leaves read feature 0, which has no effect.
  Value lastFeature =
      indexConstant(b, loc, std::max<int64_t>(tables.maxFeature, 0));
  Value columns = sizeOf(b, loc, x, 1);
  krnl::makeCheck(b, loc,
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        lastFeature, columns),
                  "a tree looks at a feature that the rows do not have",
                  ValueRange{lastFeature, columns}, "{} for rows of size {}");
  TreeTraversal walk(b, loc, x, model, tables);
  int64_t rows = rankedType(x).getDimSize(0);
  Value scores;
  if (!ShapedType::isDynamic(rows)) {
    scores = walk.scores(b, rows >= manyRows(tables));
  } else {
    Value isMany = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sge, sizeOf(b, loc, x, 0),
        indexConstant(b, loc, manyRows(tables)));
    scores = scf::IfOp::create(
                 b, loc, isMany,
                 [&](OpBuilder &nb, Location l) {
                   scf::YieldOp::create(nb, l, walk.scores(nb, true));
                 },
                 [&](OpBuilder &nb, Location l) {
                   scf::YieldOp::create(nb, l, walk.scores(nb, false));
                 })
                 .getResult(0);
  }
  if (model.aggregate != Aggregate::Average)
    return scores;
  double part = 1.0 / double(model.roots.size());
  return graph.map<onnx::MulOp>(
      scores, graph.scalar(part, rankedType(x).getElementType()));
}

} // namespace onnxc
