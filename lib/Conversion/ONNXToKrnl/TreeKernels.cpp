//===- TreeKernels.cpp - Walking trees by tables ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A walk is a reduction over its steps: what is carried is the number of a
// node, each step reads the node's tables and moves on to a child. Rows are the
// lanes of a vector where there are many, trees where there are few.
//===----------------------------------------------------------------------===//

#include "Trees.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/Contraction.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Rows from which on they fill the lanes better than trees do.
constexpr int64_t manyRows = 8;

template <typename T, typename From>
Value weightTable(OpBuilder &b, Location loc, ArrayRef<From> values,
                  ArrayRef<int64_t> shape, Type element) {
  std::vector<char> bytes(values.size() * sizeof(T));
  for (auto [i, value] : llvm::enumerate(values)) {
    T stored = T(value);
    std::memcpy(bytes.data() + i * sizeof(T), &stored, sizeof(T));
  }
  return krnl::ConstantOp::create(
      b, loc,
      onnx::makeTensorAttr(RankedTensorType::get(shape, element),
                           std::move(bytes)),
      krnl::PackedLayoutAttr());
}

/// Builds the kernels of one ensemble for one way to fill the lanes.
class TreeWalk {
public:
  TreeWalk(OpBuilder &b, Location loc, Value x, const TreeModel &model,
           const TreeTables &tables);

  /// The votes of all trees taken together, [n, targets].
  Value scores(OpBuilder &b, bool rowsInLanes) const;

private:
  Value leaves(OpBuilder &b, bool rowsInLanes) const;
  Value step(KernelBuilder &kernel, OpBuilder &b, Location l, Value node,
             Value row, ArrayRef<Value> images) const;
  Value sumByTarget(OpBuilder &b, Value leaf, bool rowsInLanes) const;
  Value aggregate(OpBuilder &b, Value leaf, bool rowsInLanes) const;
  Value votes(OpBuilder &b, Value leaf) const;
  /// The positions [t, n] or [n, t].
  static SmallVector<AffineExpr> place(AffineExpr tree, AffineExpr row,
                                       bool rowsInLanes) {
    return rowsInLanes ? SmallVector<AffineExpr>{tree, row}
                       : SmallVector<AffineExpr>{row, tree};
  }
  Value table(OpBuilder &b, ArrayRef<int32_t> values) const {
    return weightTable<int32_t>(b, loc, values, int64_t(values.size()),
                                b.getI32Type());
  }
  Value table(OpBuilder &b, ArrayRef<double> values,
              ArrayRef<int64_t> shape) const {
    return element.isF64() ? weightTable<double>(b, loc, values, shape, element)
                           : weightTable<float>(b, loc, values, shape, element);
  }

  Location loc;
  Value x;
  const TreeModel &model;
  const TreeTables &tables;
  Type element;
  int64_t trees, rows;
  Value features, splits, children, roots, weights;
};

} // namespace

TreeWalk::TreeWalk(OpBuilder &b, Location loc, Value x, const TreeModel &model,
                   const TreeTables &tables)
    : loc(loc), x(x), model(model), tables(tables),
      element(rankedType(x).getElementType()),
      trees(int64_t(tables.roots.size())), rows(rankedType(x).getDimSize(0)) {
  features = table(b, tables.features);
  splits = table(b, tables.splits, int64_t(tables.splits.size()));
  children = table(b, tables.children);
  roots = table(b, tables.roots);
  weights = table(b, tables.leafWeights, {tables.leaves(), tables.columns});
}

/// The node that `node` leads to for a row.
Value TreeWalk::step(KernelBuilder &kernel, OpBuilder &b, Location l,
                     Value node, Value row, ArrayRef<Value> images) const {
  auto read = [&](Value image, Value i) -> Value {
    return tensor::ExtractOp::create(b, l, image, toIndex(b, l, i));
  };
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantIntOp::create(b, l, value, 32);
  };
  Value feature = read(images[1], node), split = read(images[2], node);
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
  Value side = arith::ExtUIOp::create(b, l, b.getI32Type(), isTrue);
  Value twice = arith::AddIOp::create(b, l, node, node);
  return read(images[3], arith::AddIOp::create(b, l, twice, side));
}

/// The number of the leaf that each tree leads each row to, counted from the
/// first leaf on: i32 [t, n] or [n, t].
Value TreeWalk::leaves(OpBuilder &b, bool rowsInLanes) const {
  KernelBuilder kernel(b, loc, "TreeWalk");
  AffineExpr tree = kernel.loop("tree", trees), row = kernel.loop("row", rows),
             depth = kernel.loop("step", std::max<int64_t>(tables.depth, 1));
  SmallVector<int64_t> shape{trees, rows};
  if (!rowsInLanes)
    std::swap(shape[0], shape[1]);
  auto type = RankedTensorType::get(shape, b.getI32Type());
  SmallVector<Value> images{kernel.input(x), kernel.input(features),
                            kernel.input(splits), kernel.input(children)};
  Value first = kernel.input(roots);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(rows))
    sizes.push_back(sizeOf(b, loc, x, 0));
  Value out = kernel.output(type, sizes);
  KernelBuilder::Access at{out, place(tree, row, rowsInLanes)};
  Value start =
      kernel.generic({{first, {tree}}}, at, {},
                     [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  Value node = kernel.generic({}, {start, at.at}, {depth},
                              [&](OpBuilder &nb, Location l, ValueRange v) {
                                return step(kernel, nb, l, v[0],
                                            kernel.index(nb, l, row), images);
                              });
  return kernel.finish({node}).front();
}

/// One number for each tree and row, as many as `leaf` has: the weight in the
/// only column.
Value TreeWalk::votes(OpBuilder &b, Value leaf) const {
  return generate(
      b, loc, "TreeVotes", element, sizesOf(b, loc, leaf), {leaf, weights},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value node = tensor::ExtractOp::create(nb, l, in[0], at);
        Value first =
            arith::ConstantIntOp::create(nb, l, int64_t(tables.decisions), 32);
        Value number = arith::SubIOp::create(nb, l, node, first);
        return tensor::ExtractOp::create(
                   nb, l, in[1],
                   ValueRange{toIndex(nb, l, number), indexConstant(nb, l, 0)})
            .getResult();
      });
}

/// Each tree votes for one target: a product with the matrix that says which.
Value TreeWalk::sumByTarget(OpBuilder &b, Value leaf, bool rowsInLanes) const {
  Value vote = votes(b, leaf);
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
      kernel, element, {kernel.input(vote), place(tree, row, rowsInLanes)},
      {kernel.input(matrix), {tree, target}}, {out, {row, target}}, {tree});
  return kernel.finish({sum}).front();
}

/// Each leaf has a weight for each target.
Value TreeWalk::aggregate(OpBuilder &b, Value leaf, bool rowsInLanes) const {
  KernelBuilder kernel(b, loc, "TreeScores");
  AffineExpr row = kernel.loop("row", rows),
             target = kernel.loop("target", model.targets),
             tree = kernel.loop("tree", trees);
  Value in = kernel.input(leaf), table = kernel.input(weights);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(rows))
    sizes.push_back(sizeOf(b, loc, x, 0));
  Value out = kernel.output(
      RankedTensorType::get({rows, model.targets}, element), sizes);
  bool isMin = model.aggregate == Aggregate::Min,
       isMax = model.aggregate == Aggregate::Max;
  double most = element.isF64() ? std::numeric_limits<double>::max()
                                : double(std::numeric_limits<float>::max());
  Value start = kernel.constant(b.getFloatAttr(element, isMin   ? most
                                                        : isMax ? -most
                                                                : 0.0));
  Value init = kernel.fill(start, {out, {row, target}});
  Value y = kernel.generic(
      {{in, place(tree, row, rowsInLanes)}}, {init, {row, target}}, {tree},
      [&](OpBuilder &nb, Location l, ValueRange v) {
        Value first =
            arith::ConstantIntOp::create(nb, l, int64_t(tables.decisions), 32);
        Value number = arith::SubIOp::create(nb, l, v[0], first);
        Value weight = tensor::ExtractOp::create(
            nb, l, table,
            ValueRange{toIndex(nb, l, number), kernel.index(nb, l, target)});
        ScalarBuilder s(nb, l, element);
        return isMin   ? s.min(v[1], weight)
               : isMax ? s.max(v[1], weight)
                       : s.add(v[1], weight);
      });
  return kernel.finish({y}).front();
}

Value TreeWalk::scores(OpBuilder &b, bool rowsInLanes) const {
  Value leaf = leaves(b, rowsInLanes);
  return tables.targetOfTree.empty() ? aggregate(b, leaf, rowsInLanes)
                                     : sumByTarget(b, leaf, rowsInLanes);
}

Value evaluateTrees(GraphBuilder &graph, Value x, const TreeModel &model,
                    const TreeTables &tables) {
  ConversionPatternRewriter &b = graph.rewriter;
  Location loc = graph.loc;
  // Leaves look at feature 0 and do not care.
  Value least = indexConstant(b, loc, std::max<int64_t>(tables.mostFeature, 0));
  Value columns = sizeOf(b, loc, x, 1);
  krnl::CheckOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, least, columns),
      "a tree looks at a feature that the rows do not have");
  TreeWalk walk(b, loc, x, model, tables);
  int64_t rows = rankedType(x).getDimSize(0);
  Value scores;
  if (!ShapedType::isDynamic(rows)) {
    scores = walk.scores(b, rows >= manyRows);
  } else {
    Value isMany = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         sizeOf(b, loc, x, 0),
                                         indexConstant(b, loc, manyRows));
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
