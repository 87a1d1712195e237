//===- CollapseLoops.cpp - Adjacent loops become one --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   loops [n, h, w]  add ins(%x : tensor<8x7x7xf32>)
// -> loops [nhw]     add ins(collapse %x : tensor<392xf32>)
//
// Two loops can be one where every tensor that one of them indexes is indexed
// by both, in neighbouring dimensions: memory is row-major, so their product
// walks it in a line. Vectors then cross short rows.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
/// Checks one pair of loops, and rebuilds the kernel with the two as one.
class LoopCollapser {
public:
  LoopCollapser(RewriterBase &rewriter, KernelOp kernel, StringRef outer,
                StringRef inner)
      : rewriter(rewriter), kernel(kernel), outer(outer), inner(inner) {}

  bool check();
  KernelOp rebuild();

private:
  bool checkOp(linalg::LinalgOp op);
  bool record(Value tensor, AffineMap map, unsigned a, unsigned b);
  bool checkBorder();
  bool onlyMakesPairs(Value size);
  bool checkSizes(tensor::DimOp dim);

  RankedTensorType merged(Value tensor);
  SmallVector<ReassociationIndices> groups(Value tensor);
  Value collapse(Value outside, BlockArgument inside);
  KernelOp createKernel();
  Value mergedSize(KernelOp target, Location loc);
  void mapArguments(KernelOp target);
  void cloneOp(Operation &op, KernelOp target);
  void cloneStructured(ComputeOp op);
  void replaceResults(KernelOp target);

  RewriterBase &rewriter;
  KernelOp kernel;
  StringRef outer, inner;
  /// The position of the outer loop's dimension in each tensor that has the
  /// pair; -1 for tensors that have neither.
  llvm::MapVector<Value, int> positions;
  IRMapping mapping;
};
} // namespace

/// Notes where the tensor has the pair; false if it has half of it, or has it
/// elsewhere in another op.
bool LoopCollapser::record(Value tensor, AffineMap map, unsigned a,
                           unsigned b) {
  int position = -1;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(a) && !expr.isFunctionOfDim(b))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return false;
    if (dim.getPosition() == a && position < 0)
      position = i;
    else if (dim.getPosition() != b || position < 0 || int(i) != position + 1)
      return false;
  }
  if (position >= 0 && (position + 1 >= int(map.getNumResults()) ||
                        !map.getResult(position + 1).isFunctionOfDim(b)))
    return false;
  return positions.insert({tensor, position}).first->second == position;
}

bool LoopCollapser::checkOp(linalg::LinalgOp op) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  size_t a = llvm::find(axes, outer) - axes.begin();
  size_t b = llvm::find(axes, inner) - axes.begin();
  bool hasOuter = a < axes.size(), hasInner = b < axes.size();
  if (hasOuter != hasInner)
    return false;
  if (hasOuter) {
    auto kinds = op.getIteratorTypesArray();
    if (kinds[a] != kinds[b])
      return false;
    for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
      if (index.getDim() == a || index.getDim() == b)
        return false;
  }
  unsigned none = op.getNumLoops();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !record(operand.get(), op.getMatchingIndexingMap(&operand),
                hasOuter ? a : none, hasOuter ? b : none))
      return false;
  for (OpResult result : op->getResults()) {
    if (!record(result, op.getIndexingMapMatchingResult(result),
                hasOuter ? a : none, hasOuter ? b : none))
      return false;
    // A scatter store has an index for each dimension.
    if (positions.lookup(result) >= 0 &&
        scatterStoreOf(op, result.getResultNumber()))
      return false;
  }
  return true;
}

/// A size of the pair may be used only to make a temporary that has the pair
/// too, at the position of the pair.
bool LoopCollapser::onlyMakesPairs(Value size) {
  return llvm::all_of(size.getUses(), [&](OpOperand &use) {
    auto empty = dyn_cast<tensor::EmptyOp>(use.getOwner());
    if (!empty)
      return false;
    auto known = positions.find(empty.getResult());
    if (known == positions.end() || known->second < 0)
      return false;
    unsigned dynamic = 0;
    for (auto [d, size] : llvm::enumerate(empty.getType().getShape()))
      if (ShapedType::isDynamic(size) && dynamic++ == use.getOperandNumber())
        return int(d) == known->second || int(d) == known->second + 1;
    return false;
  });
}

bool LoopCollapser::checkSizes(tensor::DimOp dim) {
  auto it = positions.find(dim.getSource());
  std::optional<int64_t> index = dim.getConstantIndex();
  if (it == positions.end() || it->second < 0)
    return true;
  if (!index)
    return false;
  if (*index != it->second && *index != it->second + 1)
    return true;
  return onlyMakesPairs(dim.getResult());
}

/// Tensors read at computed indices keep their shape, and so do constants; the
/// sizes of temporaries must be available.
bool LoopCollapser::checkBorder() {
  bool found = false;
  for (auto [value, position] : positions) {
    if (position < 0)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      continue;
    found = true;
    for (Operation *user : argument.getUsers())
      if (!isa<linalg::LinalgOp, tensor::DimOp>(user))
        return false;
    if (matchPattern(kernel->getOperand(argument.getArgNumber()), m_Constant()))
      return false;
  }
  for (StringRef loop : {outer, inner})
    if (auto extent =
            dyn_cast<Value>(kernel.getExtentInside(*kernel.findLoop(loop)));
        extent && !onlyMakesPairs(extent))
      return false;
  return found &&
         llvm::all_of(kernel.getBody().front().getOps<tensor::DimOp>(),
                      [&](tensor::DimOp dim) { return checkSizes(dim); });
}

bool LoopCollapser::check() {
  std::string name = (outer + inner).str();
  return !kernel.findLoop(name) && isBareLoopName(name) &&
         llvm::all_of(kernel.getStructuredOps(),
                      [&](linalg::LinalgOp op) { return checkOp(op); }) &&
         checkBorder();
}

//===----------------------------------------------------------------------===//
// Rebuilding
//===----------------------------------------------------------------------===//

RankedTensorType LoopCollapser::merged(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto known = positions.find(tensor);
  if (known == positions.end() || known->second < 0)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  int64_t &size = shape[known->second];
  int64_t next = shape[known->second + 1];
  size = ShapedType::isDynamic(size) || ShapedType::isDynamic(next)
             ? ShapedType::kDynamic
             : size * next;
  shape.erase(shape.begin() + known->second + 1);
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<ReassociationIndices> LoopCollapser::groups(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<ReassociationIndices> result;
  for (int64_t d = 0; d < rank; ++d)
    if (d == positions.find(tensor)->second + 1)
      result.back().push_back(d);
    else
      result.push_back({d});
  return result;
}

/// The host's value with the pair of dimensions as one. A fresh destination is
/// made in that form.
Value LoopCollapser::collapse(Value outside, BlockArgument inside) {
  auto known = positions.find(inside);
  if (known == positions.end() || known->second < 0)
    return outside;
  auto empty = outside.getDefiningOp<tensor::EmptyOp>();
  Location loc = kernel.getLoc();
  if (!empty)
    return tensor::CollapseShapeOp::create(rewriter, loc, merged(inside),
                                           outside, groups(inside));
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  unsigned position = known->second;
  RankedTensorType type = merged(inside);
  if (type.isDynamicDim(position)) {
    auto value = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, size);
    };
    sizes[position] =
        arith::MulIOp::create(rewriter, loc, value(sizes[position]),
                              value(sizes[position + 1]))
            .getResult();
  } else {
    sizes[position] = rewriter.getIndexAttr(type.getDimSize(position));
  }
  sizes.erase(sizes.begin() + position + 1);
  return tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
}

KernelOp LoopCollapser::createKernel() {
  SmallVector<LoopAttr> loops;
  SmallVector<Value> extents;
  unsigned b = *kernel.findLoop(inner);
  auto extentOf = [&](unsigned number) {
    return getValueOrCreateConstantIndexOp(rewriter, kernel.getLoc(),
                                           kernel.getExtent(number));
  };
  for (unsigned number : llvm::seq<unsigned>(kernel.getLoops().size())) {
    LoopAttr loop = kernel.getLoop(number), innerLoop = kernel.getLoop(b);
    if (number == b)
      continue;
    if (loop.getName() != outer) {
      loops.push_back(loop);
      if (loop.isDynamic())
        extents.push_back(extentOf(number));
      continue;
    }
    bool dynamic = loop.isDynamic() || innerLoop.isDynamic();
    loops.push_back(
        LoopAttr::get(kernel.getContext(), (outer + inner).str(),
                      dynamic ? ShapedType::kDynamic
                              : loop.getExtent() * innerLoop.getExtent()));
    if (dynamic)
      extents.push_back(arith::MulIOp::create(rewriter, kernel.getLoc(),
                                              extentOf(number), extentOf(b)));
  }
  SmallVector<Value> ins, outs;
  for (auto [number, in] : llvm::enumerate(kernel.getIns()))
    ins.push_back(collapse(in, kernel.getInArgument(number)));
  for (auto [number, out] : llvm::enumerate(kernel.getOuts()))
    outs.push_back(collapse(out, kernel.getOutArgument(number)));
  return KernelOp::create(rewriter, kernel.getLoc(), kernel.getName(), loops,
                          extents, ins, outs);
}

/// The size of the pair inside the new kernel.
Value LoopCollapser::mergedSize(KernelOp target, Location loc) {
  unsigned loop = *target.findLoop((outer + inner).str());
  return getValueOrCreateConstantIndexOp(rewriter, loc,
                                         target.getExtentInside(loop));
}

/// The arguments of the new body; the extents of the pair have none.
void LoopCollapser::mapArguments(KernelOp target) {
  size_t operands = kernel.getIns().size() + kernel.getOuts().size();
  mapping.map(kernel.getBody().getArguments().take_front(operands),
              target.getBody().getArguments().take_front(operands));
  for (auto [number, loop] :
       llvm::enumerate(kernel.getLoops().getAsRange<LoopAttr>()))
    if (std::optional<unsigned> now = target.findLoop(loop.getName());
        now && loop.isDynamic())
      mapping.map(cast<Value>(kernel.getExtentInside(number)),
                  cast<Value>(target.getExtentInside(*now)));
}

/// Where the operands are accessed if loop `b` is part of another.
static SmallVector<AffineMap> mapsWithout(linalg::LinalgOp op, unsigned b) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned i : llvm::seq(op.getNumLoops()))
    dims.push_back(getAffineDimExpr(i < b ? i : i - 1, context));
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (!expr.isFunctionOfDim(b))
        results.push_back(expr.replaceDims(dims));
    maps.push_back(AffineMap::get(op.getNumLoops() - 1, 0, results, context));
  }
  return maps;
}

void LoopCollapser::cloneStructured(ComputeOp op) {
  SmallVector<StringRef> axes = op.getAxes();
  size_t b = llvm::find(axes, inner) - axes.begin();
  if (b == axes.size()) {
    rewriter.clone(*op, mapping);
    return;
  }
  size_t a = llvm::find(axes, outer) - axes.begin();
  std::string name = (outer + inner).str();
  axes[a] = name;
  axes.erase(axes.begin() + b);
  auto mapAll = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  unsigned parallel = op.getNumParallelLoops();
  auto result = ComputeOp::create(rewriter, op.getLoc(), mapAll(op.getInputs()),
                                  mapAll(op.getOutputs()), mapsWithout(op, b),
                                  axes, b < parallel ? parallel - 1 : parallel,
                                  op.getNameAttr());
  rewriter.cloneRegionBefore(op.getPayload(), result.getPayload(),
                             result.getPayload().begin(), mapping);
  for (auto index : result.getBody()->getOps<linalg::IndexOp>())
    if (index.getDim() > b)
      index.setDim(index.getDim() - 1);
  mapping.map(op->getResults(), result->getResults());
}

void LoopCollapser::cloneOp(Operation &op, KernelOp target) {
  if (auto structured = dyn_cast<ComputeOp>(op))
    return cloneStructured(structured);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto known = positions.find(dim.getSource());
    if (known != positions.end() && known->second >= 0) {
      int64_t index = *dim.getConstantIndex();
      if (index == known->second || index == known->second + 1)
        return;
      if (index > known->second)
        --index;
      mapping.map(dim.getResult(),
                  tensor::DimOp::create(rewriter, op.getLoc(),
                                        mapping.lookup(dim.getSource()), index)
                      .getResult());
      return;
    }
  }
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  auto known = empty ? positions.find(empty.getResult()) : positions.end();
  if (known == positions.end() || known->second < 0) {
    rewriter.clone(op, mapping);
    return;
  }
  RankedTensorType type = merged(empty.getResult());
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  sizes.erase(sizes.begin() + known->second + 1);
  for (auto [d, size] : llvm::enumerate(sizes))
    if (int(d) == known->second)
      size = type.isDynamicDim(d)
                 ? OpFoldResult(mergedSize(target, op.getLoc()))
                 : OpFoldResult(rewriter.getIndexAttr(type.getDimSize(d)));
    else if (auto value = dyn_cast<Value>(size))
      size = mapping.lookupOrDefault(value);
  mapping.map(empty.getResult(),
              tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                      type.getElementType())
                  .getResult());
}

void LoopCollapser::replaceResults(KernelOp target) {
  SmallVector<Value> replacements;
  for (auto [number, result] : llvm::enumerate(target.getResults())) {
    BlockArgument argument = kernel.getOutArgument(number);
    Value value = result;
    if (positions.find(argument)->second >= 0)
      value = tensor::ExpandShapeOp::create(
          rewriter, kernel.getLoc(), kernel.getResult(number).getType(), result,
          groups(argument),
          tensor::getMixedSizes(rewriter, kernel.getLoc(),
                                kernel.getOuts()[number]));
    replacements.push_back(value);
  }
  rewriter.replaceOp(kernel, replacements);
}

KernelOp LoopCollapser::rebuild() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  KernelOp target = createKernel();
  mapArguments(target);
  rewriter.setInsertionPointToStart(&target.getBody().front());
  for (Operation &op : kernel.getBody().front().without_terminator())
    cloneOp(op, target);
  YieldOp::create(
      rewriter, kernel.getYield().getLoc(),
      llvm::map_to_vector(kernel.getYield().getValues(),
                          [&](Value value) { return mapping.lookup(value); }));
  rewriter.setInsertionPointAfter(target);
  replaceResults(target);
  return target;
}

/// Lets sizes of temporaries come from where the temporaries have them: these
/// may have no other use by now, and a size read for them alone prevents the
/// collapse.
static void followSizes(RewriterBase &rewriter, KernelOp kernel) {
  for (auto dim : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<tensor::DimOp>())) {
    auto empty = dim.getSource().getDefiningOp<tensor::EmptyOp>();
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!empty || !index || !empty.getType().isDynamicDim(*index))
      continue;
    rewriter.replaceOp(dim, empty.getDynamicSize(*index));
    if (empty->use_empty())
      rewriter.eraseOp(empty);
  }
}

/// Drops temporaries that fusion has left without a use, and their sizes.
static void dropUnused(RewriterBase &rewriter, KernelOp kernel) {
  SmallVector<Operation *> sizes;
  for (Operation &op : kernel.getBody().front())
    if (isa<tensor::EmptyOp, tensor::DimOp>(op))
      sizes.push_back(&op);
  for (Operation *op : llvm::reverse(sizes))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

/// Are there enough rows for register tiles without those of more images,
/// whose number is dynamic? Then a static extent is worth more.
static bool hasEnough(KernelOp kernel, LoopAttr outer, LoopAttr inner) {
  constexpr int64_t enough = 64;
  return outer.isDynamic() && inner.getExtent() >= enough &&
         llvm::any_of(kernel.getStructuredOps(), [](linalg::LinalgOp op) {
           return op.getNumReductionLoops() > 0;
         });
}

/// Loops of known length come first, to be known as one.
static KernelOp collapseLoops(RewriterBase &rewriter, KernelOp kernel,
                              bool known) {
  for (bool changed = true; changed;) {
    changed = false;
    auto loops = llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>());
    for (size_t i = 0; i + 1 < loops.size() && !changed; ++i) {
      LoopAttr outer = loops[i], inner = loops[i + 1];
      if (known ? outer.isDynamic() || inner.isDynamic()
                : hasEnough(kernel, outer, inner))
        continue;
      LoopCollapser collapser(rewriter, kernel, outer.getName(),
                              inner.getName());
      if (!collapser.check())
        continue;
      kernel = collapser.rebuild();
      changed = true;
    }
  }
  return kernel;
}

KernelOp collapseLoops(RewriterBase &rewriter, KernelOp kernel) {
  followSizes(rewriter, kernel);
  dropUnused(rewriter, kernel);
  kernel = collapseLoops(rewriter, kernel, /*known=*/true);
  return collapseLoops(rewriter, kernel, /*known=*/false);
}

} // namespace onnxc::krnl
