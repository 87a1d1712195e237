//===- FoldKnownShapes.cpp - Small integer shape arithmetic ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What the dimension analysis knows, written into the graph: integer tensors
// with constant elements become constants, and operations that turn out to
// keep the shape go away; a Reshape that copies sizes says so.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

#include "onnxc/Schema/TypeLattice.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;

/// The constant that `value` is in every run, if it is an integer tensor whose
/// elements are all known.
static DenseElementsAttr knownConstant(Value value, DimAnalysis &analysis) {
  auto type = dyn_cast<RankedTensorType>(analysis.type(value));
  auto element = type ? dyn_cast<IntegerType>(type.getElementType()) : nullptr;
  if (!element || !type.hasStaticShape())
    return nullptr;
  std::optional<SmallVector<int64_t>> numbers =
      analysis.constantContents(value);
  if (!numbers ||
      type.getNumElements() != static_cast<int64_t>(numbers->size()))
    return nullptr;
  SmallVector<APInt> elements;
  for (int64_t number : *numbers)
    elements.push_back(APInt(element.getWidth(), static_cast<uint64_t>(number),
                             /*isSigned=*/false, /*implicitTrunc=*/true));
  return DenseElementsAttr::get(type, elements);
}

/// shape(x : tensor<2x3xf32>) -> constant dense<[2, 3]>
static bool foldToConstants(Operation *op, DimAnalysis &analysis,
                            RewriterBase &rewriter) {
  if (isa<ConstantOp>(op) || !isPure(op))
    return false;
  bool changed = false;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    DenseElementsAttr known = knownConstant(result, analysis);
    if (!known)
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceAllUsesWith(
        result, NodeMaker(rewriter, op->getLoc()).constant(known));
    changed = true;
  }
  return changed;
}

static bool stepsAreOne(SliceOp op) {
  if (!op.getSteps())
    return true;
  std::optional<SmallVector<int64_t>> steps = constantInts(op.getSteps());
  return steps && llvm::all_of(*steps, [](int64_t step) { return step == 1; });
}

/// The operand that `op` only reshapes, enlarges or cuts: the result itself if
/// the shape stays the same.
static Value shapedOperand(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](ReshapeOp reshape) { return reshape.getData(); })
      .Case([](ExpandOp expand) { return expand.getInput(); })
      .Case([](TileOp tile) { return tile.getInput(); })
      .Case([](SliceOp slice) {
        return stepsAreOne(slice) ? slice.getData() : Value();
      })
      .Default([](Operation *) { return Value(); });
}

/// reshape(x[b, 8], [b, -1]) -> x; expand, tile and slice likewise.
static bool foldSameShape(Operation *op, DimAnalysis &analysis,
                          RewriterBase &rewriter) {
  Value operand = shapedOperand(op);
  if (!operand || !analysis.haveSameShape(operand, op->getResult(0)) ||
      !onnxc::schema::isAtLeastAsSharp(analysis.type(operand),
                                       analysis.type(op->getResult(0))))
    return false;
  rewriter.replaceOp(op, operand);
  return true;
}

/// True if dimension `index` of `to` is what -1 would come out as: all elements
/// of `from` over those of the other dimensions.
static bool isRemainder(ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> to,
                        size_t index, DimSpace &space) {
  AffineExpr before = space.constant(1), after = space.constant(1);
  for (AffineExpr dim : from)
    before = space.mul(before, dim);
  for (AffineExpr dim : to)
    after = space.mul(after, dim);
  return before && before == after && constantValue(to[index]) != 0;
}

/// reshape(x[b, s, 768], concat(shape(x)[0], shape(x)[1], 12, 64))
///   -> reshape(x, [0, 0, 12, 64]): a constant that copies sizes from its data
/// says the same, and what computed the shape is dead.
static bool foldCopiedSizes(Operation *op, DimAnalysis &analysis,
                            RewriterBase &rewriter) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape || constantInts(reshape.getShape()) ||
      !isa<RankedTensorType>(analysis.type(reshape.getData())) ||
      !isa<RankedTensorType>(analysis.type(reshape.getReshaped())))
    return false;
  auto from = analysis.info(reshape.getData()).dims;
  auto to = analysis.info(reshape.getReshaped()).dims;
  SmallVector<int64_t> shape;
  for (auto [i, dim] : llvm::enumerate(to)) {
    if (std::optional<int64_t> size = constantValue(dim))
      shape.push_back(*size);
    else
      shape.push_back(i < from.size() && from[i] == dim ? 0 : -1);
    if (constantValue(dim) == 0)
      return false;
  }
  auto rest = llvm::find(shape, -1);
  if (rest != shape.end() &&
      (llvm::count(shape, -1) > 1 ||
       !isRemainder(from, to, rest - shape.begin(), analysis.getSpace())))
    return false;
  rewriter.setInsertionPoint(op);
  reshape.getShapeMutable().assign(
      NodeMaker(rewriter, op->getLoc()).ints(shape));
  reshape.removeAllowzeroAttr();
  return true;
}

/// The axes that a Resize gives sizes for; nothing if it is not known which
/// they are, or if one that keeps its size may change in another way.
static std::optional<SmallVector<int64_t>> axesBySizes(ResizeOp resize,
                                                       DimAnalysis &analysis) {
  StringRef coordinates = resize.getCoordinateTransformationMode();
  if (!resize.getSizes() || resize.getKeepAspectRatioPolicy() != "stretch" ||
      coordinates == "tf_crop_and_resize" ||
      coordinates == "tf_half_pixel_for_nn" ||
      !isa<RankedTensorType>(analysis.type(resize.getX())) ||
      !isa<RankedTensorType>(analysis.type(resize->getResult(0))))
    return std::nullopt;
  int64_t rank = analysis.info(resize.getX()).dims.size();
  SmallVector<int64_t> axes;
  if (auto given = resize.getAxes())
    for (int64_t axis : *given)
      axes.push_back(axis < 0 ? axis + rank : axis);
  else
    llvm::append_range(axes, llvm::seq(rank));
  auto sizes = dyn_cast<RankedTensorType>(analysis.type(resize.getSizes()));
  bool areAxes = llvm::all_of(
      axes, [&](int64_t axis) { return axis >= 0 && axis < rank; });
  if (!areAxes || !sizes || sizes.getRank() != 1 ||
      analysis.constantDim(resize.getSizes(), 0) != int64_t(axes.size()))
    return std::nullopt;
  return axes;
}

/// resize(x[b, c, h, w], sizes = concat(shape(x)[0:2], s))
///   -> resize(x, axes = [2, 3], sizes = s): sizes that stay cost no pass.
static bool foldKeptSizes(Operation *op, DimAnalysis &analysis,
                          RewriterBase &rewriter) {
  auto resize = dyn_cast<ResizeOp>(op);
  auto axes = resize ? axesBySizes(resize, analysis) : std::nullopt;
  if (!axes)
    return false;
  SmallVector<int64_t> changing, places;
  for (auto [place, axis] : llvm::enumerate(*axes))
    if (!analysis.areEqual(resize.getX(), axis, op->getResult(0), axis)) {
      changing.push_back(axis);
      places.push_back(place);
    }
  if (changing.size() == axes->size())
    return false;
  if (changing.empty()) {
    if (!onnxc::schema::isAtLeastAsSharp(analysis.type(resize.getX()),
                                         analysis.type(op->getResult(0))))
      return false;
    rewriter.replaceOp(op, resize.getX());
    return true;
  }
  rewriter.setInsertionPoint(op);
  NodeMaker make(rewriter, op->getLoc());
  resize.getSizesMutable().assign(
      make.make("Gather", {resize.getSizes(), make.ints(places)}));
  resize.setAxes(changing);
  return true;
}

bool onnxc::onnx::foldKnownShapes(ModuleOp module, DimAnalysis &analysis,
                                  RewriterBase &rewriter) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_present<ONNXDialect>(op->getDialect()) &&
        op->getNumRegions() == 0)
      ops.push_back(op);
  });
  bool changed = false;
  for (Operation *op : ops)
    changed |= foldToConstants(op, analysis, rewriter) ||
               foldSameShape(op, analysis, rewriter) ||
               foldCopiedSizes(op, analysis, rewriter) ||
               foldKeptSizes(op, analysis, rewriter);
  return changed;
}
