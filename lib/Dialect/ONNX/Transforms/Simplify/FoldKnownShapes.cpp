//===- FoldKnownShapes.cpp - Small integer shape arithmetic ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Writes the results of the dimension analysis into the graph: integer tensors
// with constant elements become constants, and operations that keep the shape
// are removed; a Reshape that copies sizes does so by zeros, an Expand by ones.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

#include "onnxc/Schema/TypeLattice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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

namespace {

/// A dimension of a value.
struct SizedDim {
  Value value;
  int64_t dim;
};

/// The first dimension of each size among the values of a function's body that
/// were there before.
class KnownSizes {
public:
  void add(Value value, DimAnalysis &analysis) {
    if (!isa<RankedTensorType>(analysis.type(value)))
      return;
    for (auto [i, dim] : llvm::enumerate(analysis.info(value).dims))
      first.try_emplace(dim, SizedDim{value, int64_t(i)});
  }

  /// Writes integers that are sizes as such: squeeze(gather(shape(x), [1])) ->
  /// squeeze(shape(x) {start = 1, end = 2}), always by the first value that has
  /// the size.
  bool fold(Operation *op, DimAnalysis &analysis, RewriterBase &rewriter);

private:
  bool isRepeated(Operation *op, DimAnalysis &analysis) const;

  DenseMap<AffineExpr, SizedDim> first;
};

} // namespace

/// Returns true if the op is a size that another dimension before it has.
bool KnownSizes::isRepeated(Operation *op, DimAnalysis &analysis) const {
  auto shape = dyn_cast<ShapeOp>(op);
  const ValueInfo &known = analysis.info(op->getResult(0));
  if (!shape || !known.contents || known.contents->size() != 1)
    return false;
  auto found = first.find(known.contents->front());
  return found != first.end() && found->second.value != shape.getData();
}

/// Returns true if the op lists sizes as they are, or is one of them.
static bool listsSizes(Operation *op) {
  auto isSize = [](Value value) {
    return isa_and_present<ShapeOp, ConstantOp>(value.getDefiningOp());
  };
  Value viewed = viewedData(op->getResult(0));
  return isa<ShapeOp, ConstantOp, SizeOp>(op) || (viewed && isSize(viewed)) ||
         (isa<ConcatOp>(op) && llvm::all_of(op->getOperands(), isSize));
}

bool KnownSizes::fold(Operation *op, DimAnalysis &analysis,
                      RewriterBase &rewriter) {
  if (op->getNumResults() != 1 || !isPure(op) ||
      (listsSizes(op) && !isRepeated(op, analysis)))
    return false;
  auto type = dyn_cast<RankedTensorType>(analysis.type(op->getResult(0)));
  const ValueInfo &known = analysis.info(op->getResult(0));
  if (!type || type.getRank() > 1 || !type.hasStaticShape() ||
      !type.getElementType().isSignlessInteger(64) || !known.contents ||
      type.getNumElements() != int64_t(known.contents->size()) ||
      known.contents->empty())
    return false;
  for (AffineExpr element : *known.contents)
    if (!element || (!constantValue(element) && !first.contains(element)))
      return false;
  rewriter.setInsertionPoint(op);
  NodeMaker make(rewriter, op->getLoc());
  SmallVector<Value> parts;
  for (AffineExpr element : *known.contents) {
    std::optional<int64_t> constant = constantValue(element);
    SizedDim from = first.lookup(element);
    parts.push_back(constant ? make.ints(*constant)
                             : make.sizeOf(from.value, from.dim));
  }
  Value list = parts.size() == 1 ? parts.front() : make.joined(parts);
  rewriter.replaceOp(op, type.getRank() == 1 ? list : make.squeeze(list, 0));
  return true;
}

static bool stepsAreOne(SliceOp op) {
  if (!op.getSteps())
    return true;
  std::optional<SmallVector<int64_t>> steps = constantInts(op.getSteps());
  return steps && llvm::all_of(*steps, [](int64_t step) { return step == 1; });
}

/// Returns true if no run can find a shape that does not broadcast with the
/// input, which the node would refuse.
static bool isAlwaysExpandable(ExpandOp expand, DimAnalysis &analysis) {
  const ValueInfo &shape = analysis.info(expand.getShape());
  if (!shape.contents ||
      !isa<RankedTensorType>(analysis.type(expand.getInput())))
    return false;
  auto from = analysis.info(expand.getInput()).dims;
  for (auto [size, element] :
       llvm::zip(llvm::reverse(from), llvm::reverse(*shape.contents)))
    if (!element || (element != size && constantValue(element) != 1 &&
                     constantValue(size) != 1))
      return false;
  return true;
}

/// The operand that `op` only enlarges or cuts: the result itself if
/// the shape stays the same.
static Value shapedOperand(Operation *op, DimAnalysis &analysis) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ExpandOp expand) {
        return isAlwaysExpandable(expand, analysis) ? expand.getInput()
                                                    : Value();
      })
      .Case([](TileOp tile) { return tile.getInput(); })
      .Case([](SliceOp slice) {
        return stepsAreOne(slice) ? slice.getData() : Value();
      })
      .Default([](Operation *) { return Value(); });
}

/// reshape(x[b, 8], [b, -1]) -> x; expand, tile and slice likewise, and the
/// last of a few views.
static bool foldSameShape(Operation *op, DimAnalysis &analysis,
                          RewriterBase &rewriter) {
  if (op->getNumResults() != 1)
    return false;
  constexpr unsigned maxViews = 8;
  Value view = viewedData(op->getResult(0));
  Value operand = view ? view : shapedOperand(op, analysis);
  for (unsigned views = 0; operand && views < maxViews;
       operand = view ? viewedData(operand) : Value(), ++views) {
    if (!analysis.haveSameShape(operand, op->getResult(0)) ||
        !onnxc::schema::isAtLeastAsSharp(analysis.type(operand),
                                         analysis.type(op->getResult(0))))
      continue;
    rewriter.replaceOp(op, operand);
    return true;
  }
  return false;
}

/// The value that `value` repeats along its dimensions; null if none.
static Value repeatedValue(Value value, DimAnalysis &analysis,
                           RewriterBase &rewriter) {
  if (auto expand = value.getDefiningOp<ExpandOp>())
    return isAlwaysExpandable(expand, analysis) ? expand.getInput() : Value();
  auto fill = value.getDefiningOp<ConstantOfShapeOp>();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!fill || !type || type.getRank() == 0)
    return Value();
  NodeMaker make(rewriter, fill.getLoc());
  TypedAttr number = fill.getValueAttr();
  return number ? make.constant(number) : make.number(0, value);
}

bool onnxc::onnx::alwaysBroadcasts(Value value, Value result,
                                   DimAnalysis &analysis) {
  if (!isa<RankedTensorType>(analysis.type(value)) ||
      !isa<RankedTensorType>(analysis.type(result)))
    return false;
  auto from = analysis.info(value).dims, to = analysis.info(result).dims;
  return from.size() <= to.size() &&
         llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)),
                      [](auto pair) {
                        auto [size, of] = pair;
                        return size == of || constantValue(size) == 1;
                      });
}

/// add(x[b, s, s], expand(y, [s, s])) -> add(x, y): beside an operand that has
/// the shape of the result the others need not be repeated.
static bool foldRepeatedOperands(Operation *op, DimAnalysis &analysis,
                                 RewriterBase &rewriter) {
  if (!isa<AddOp, AndOp, DivOp, EqualOp, GreaterOp, GreaterOrEqualOp, LessOp,
           LessOrEqualOp, MulOp, OrOp, PowOp, SubOp, WhereOp, XorOp>(op))
    return false;
  bool changed = false;
  rewriter.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    bool isShaped = llvm::any_of(op->getOpOperands(), [&](OpOperand &other) {
      return &other != &operand &&
             analysis.haveSameShape(other.get(), op->getResult(0));
    });
    isShaped &= alwaysBroadcasts(operand.get(), op->getResult(0), analysis);
    Value repeated =
        isShaped ? repeatedValue(operand.get(), analysis, rewriter) : Value();
    if (!repeated)
      continue;
    rewriter.modifyOpInPlace(op, [&] { operand.set(repeated); });
    changed = true;
  }
  return changed;
}

/// Returns true if dimension `index` of `to` is the size inferred for -1: all
/// elements of `from` over those of the other dimensions.
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
/// is the same, and the computation of the shape is dead.
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

/// expand(x[b, 1, s], concat([1, 4], shape(x)[2])) -> expand(x, [1, 4, 1]): a
/// size of 1 keeps that of x.
static bool foldExpandedSizes(Operation *op, DimAnalysis &analysis,
                              RewriterBase &rewriter) {
  auto expand = dyn_cast<ExpandOp>(op);
  if (!expand || constantInts(expand.getShape()) ||
      !isAlwaysExpandable(expand, analysis) ||
      !isa<RankedTensorType>(analysis.type(expand.getOutput())))
    return false;
  auto from = analysis.info(expand.getInput()).dims;
  auto to = analysis.info(expand.getOutput()).dims;
  if (from.size() > to.size())
    return false;
  SmallVector<int64_t> shape;
  size_t more = to.size() - from.size();
  for (auto [i, dim] : llvm::enumerate(to)) {
    std::optional<int64_t> size = constantValue(dim);
    if (!size && (i < more || from[i - more] != dim))
      return false;
    shape.push_back(size.value_or(1));
  }
  rewriter.setInsertionPoint(op);
  expand.getShapeMutable().assign(
      NodeMaker(rewriter, op->getLoc()).ints(shape));
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
      axes.push_back(normalizeAxis(axis, rank).value_or(rank));
  else
    llvm::append_range(axes, llvm::seq(rank));
  auto sizes = dyn_cast<RankedTensorType>(analysis.type(resize.getSizes()));
  if (llvm::is_contained(axes, rank) || !sizes || sizes.getRank() != 1 ||
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
  SmallVector<int64_t> changing, positions;
  for (auto [position, axis] : llvm::enumerate(*axes))
    if (!analysis.areEqual(resize.getX(), axis, op->getResult(0), axis)) {
      changing.push_back(axis);
      positions.push_back(position);
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
      make.make("Gather", {resize.getSizes(), make.ints(positions)}));
  resize.setAxes(changing);
  return true;
}

namespace {

/// Erases operations from their blocks, and frees their memory at the end only:
/// the analysis knows values by their addresses, which those of new operations
/// would have again.
class RetainingRewriter final : public IRRewriter {
public:
  using IRRewriter::IRRewriter;
  ~RetainingRewriter() override {
    for (Operation *op : erased)
      op->destroy();
  }

  void eraseOp(Operation *op) override {
    assert(op->use_empty() && op->getNumRegions() == 0);
    if (auto *rewrites = dyn_cast_if_present<Listener>(listener))
      rewrites->notifyOperationErased(op);
    op->dropAllReferences();
    op->remove();
    erased.push_back(op);
  }

private:
  SmallVector<Operation *> erased;
};

} // namespace

bool onnxc::onnx::foldKnownShapes(ModuleOp module, DimAnalysis &analysis,
                                  OpBuilder::Listener *listener) {
  RetainingRewriter rewriter(module.getContext(), listener);
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_present<ONNXDialect>(op->getDialect()) &&
        op->getNumRegions() == 0)
      ops.push_back(op);
  });
  bool changed = false;
  DenseMap<Block *, KnownSizes> sizesOf;
  for (Operation *op : ops) {
    auto function = op->getParentOfType<func::FuncOp>();
    Block *body = function ? &function.getBody().front() : op->getBlock();
    auto [entry, isNew] = sizesOf.try_emplace(body);
    KnownSizes &sizes = entry->second;
    for (Value argument :
         isNew ? body->getArguments() : ArrayRef<BlockArgument>())
      sizes.add(argument, analysis);
    bool isFolded = foldToConstants(op, analysis, rewriter) ||
                    foldSameShape(op, analysis, rewriter) ||
                    foldCopiedSizes(op, analysis, rewriter) ||
                    foldExpandedSizes(op, analysis, rewriter) ||
                    foldRepeatedOperands(op, analysis, rewriter) ||
                    foldCondition(op, analysis, rewriter) ||
                    foldKeptSizes(op, analysis, rewriter) ||
                    sizes.fold(op, analysis, rewriter);
    changed |= isFolded;
    if (!isFolded && op->getBlock() == body)
      for (Value result : op->getResults())
        sizes.add(result, analysis);
  }
  return changed;
}
