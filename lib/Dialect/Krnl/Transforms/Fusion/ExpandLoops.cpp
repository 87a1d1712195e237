//===- ExpandLoops.cpp - A loop becomes several -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %v = tensor.collapse_shape %y [[0, 1], [2]] : tensor<4x16x49xf32>
//   loops [c, p]     relu ins(%v : tensor<64x49xf32>)
// -> loops [c0, c1, p]  relu ins(%y : tensor<4x16x49xf32>)
//
// The inverse of CollapseLoops.cpp. The results of grouped convolutions have
// groups and channels of a group as dimensions of their own. An elementwise
// kernel that reads them as one dimension runs over both loops instead, so that
// it reads the tensor itself and can be fused with the convolution.
// expandLoop() does so for any kernel.
//
//   loops [k = %k]  %x[k]
// -> loops [k0 = (%k + 63) / 64, k1 = 64]  %x[k0 * 64 + k1 in 0 to ?]
//
// divideLoop() makes parts of a known size, the last of which may go on past
// the end of the loop.
//
//===----------------------------------------------------------------------===//

#include "PartCopies.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

/// The loop that covers the dimension of the kernel's operand in its ops.
static StringRef loopAlong(BlockArgument operand, unsigned dim) {
  for (OpOperand &use : operand.getUses())
    if (auto op = dyn_cast<ComputeOp>(use.getOwner()))
      return op.getLoopsAlong(use)[dim];
  return "";
}

namespace {
/// Checks one loop, and makes several of it.
class LoopExpander {
public:
  /// `extents` are those of the new loops, outer ones first, and `names` gets
  /// their names. One of them may be dynamic, where the extent of the loop is a
  /// multiple of the others.
  LoopExpander(RewriterBase &rewriter, KernelOp kernel, StringRef loop,
               ArrayRef<int64_t> extents, SmallVectorImpl<std::string> &names)
      : rewriter(rewriter), kernel(kernel), loop(loop), extents(extents),
        names(names) {}

  bool check();
  void expand();
  /// Expands the outer one of two loops that go on past the end; false, and
  /// nothing has changed, where a result has the loop.
  bool divide();
  /// The extent of the loop that was divided.
  Value getWhole() { return whole; }

private:
  bool hasExtents(LoopAttr known);
  bool checkLoops();
  bool checkOp(ComputeOp op);
  bool record(Value tensor, int position);
  bool checkBorder();

  int positionIn(Value tensor) {
    auto known = positions.find(tensor);
    return known == positions.end() ? -1 : known->second;
  }
  void computeDynamicPart();
  SmallVector<ReassociationIndices> groups(Value inside, int64_t rank);
  SmallVector<OpFoldResult> expandSizes(Value outside, BlockArgument inside);
  RankedTensorType expanded(Value tensor);
  Value expandOperand(Value outside, BlockArgument inside);
  /// Returns true if the dimensions of the tensor stay as before, and its
  /// indices become sums of both loops.
  bool isRead(Value tensor) { return whole && isa<BlockArgument>(tensor); }
  void passWhole(unsigned number);
  void declareLoops();
  void expandIndices(ComputeOp op);
  void expandAccess(Subscripts &access, Value tensor, unsigned split);
  void expandOp(ComputeOp op);
  void collapseResults(ArrayRef<Type> types);

  RewriterBase &rewriter;
  KernelOp kernel;
  StringRef loop;
  ArrayRef<int64_t> extents;
  SmallVectorImpl<std::string> &names;
  /// The dimension of each tensor that the loop covers, or -1.
  llvm::MapVector<Value, int> positions;
  /// The extent inside of a loop that is divided, and the number of its parts.
  Value whole, parts;
  /// The dynamic one of the new extents, if it is another one than before.
  Value dynamicPart;
};
} // namespace

/// Returns false if the loop covers another dimension in another op.
bool LoopExpander::record(Value tensor, int position) {
  return positions.insert({tensor, position}).first->second == position;
}

/// The loop covers one dimension of each tensor that it indexes.
bool LoopExpander::checkOp(ComputeOp op) {
  unsigned dim = dimOf(op, loop);
  for (unsigned number : llvm::seq<unsigned>(op.getNumDpsInits()))
    if (scatterStoreOf(op, number))
      return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    int position = -1;
    for (auto [number, at] : llvm::enumerate(op.getSubscripts(operand))) {
      if (!at.index.isFunctionOfDim(dim))
        continue;
      if (position >= 0 || at.getLoop() != dim)
        return false;
      position = int(number);
    }
    if (!record(operand.get(), position) ||
        (op.isDpsInit(&operand) &&
         !record(op.getTiedOpResult(&operand), position)))
      return false;
  }
  return true;
}

/// Tensors with the loop are used by structured ops only, at no computed
/// indices.
bool LoopExpander::checkBorder() {
  return llvm::all_of(positions, [&](auto known) {
    return known.second < 0 ||
           llvm::all_of(
               known.first.getUsers(),
               [](Operation *user) { return isa<ComputeOp, YieldOp>(user); });
  });
}

/// The known extents together, and how many others there are.
static std::pair<int64_t, unsigned> knownProduct(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  unsigned unknown = 0;
  for (int64_t extent : extents) {
    bool isUnknown = ShapedType::isDynamic(extent);
    unknown += isUnknown;
    product *= isUnknown ? 1 : extent;
  }
  return {product, unknown};
}

/// Returns true if an op computes with an index of the loop.
static bool usesIndex(KernelOp kernel, StringRef loop) {
  return llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
    return llvm::any_of(op.getBlock()->getOps<IndexOp>(),
                        [&](IndexOp index) { return index.getLoop() == loop; });
  });
}

/// Returns true if the loop has as many iterations as the new ones together.
bool LoopExpander::hasExtents(LoopAttr known) {
  auto [product, unknown] = knownProduct(extents);
  if (unknown == 0)
    return known.getExtent() == product;
  unsigned number = *kernel.findLoop(loop);
  if (unknown > 1 || !known.isDynamic() ||
      !cast<Value>(kernel.getExtentInside(number)).use_empty())
    return false;
  return product == 1 ||
         (product > 1 && !usesIndex(kernel, loop) &&
          splitFactor(kernel.getExtent(number)).factor % product == 0);
}

bool LoopExpander::check() {
  return hasExtents(kernel.getLoop(*kernel.findLoop(loop))) && checkLoops();
}

bool LoopExpander::checkLoops() {
  if (!kernel.getRecipe().empty())
    return false;
  for (size_t part : llvm::seq(extents.size())) {
    names.push_back((loop + Twine(part)).str());
    if (kernel.findLoop(names.back()) || !isBareLoopName(names.back()))
      return false;
  }
  return llvm::all_of(kernel.getBody().getOps<ComputeOp>(),
                      [&](ComputeOp op) { return checkOp(op); }) &&
         checkBorder();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The dimensions of the expanded tensor, by those of the tensor of `rank`.
SmallVector<ReassociationIndices> LoopExpander::groups(Value inside,
                                                       int64_t rank) {
  SmallVector<ReassociationIndices> result(rank);
  int64_t next = 0;
  for (int64_t d : llvm::seq(rank))
    for (int64_t parts = d == positionIn(inside) ? extents.size() : 1;
         parts > 0; --parts)
      result[d].push_back(next++);
  return result;
}

/// The rest of the extent without the known ones.
void LoopExpander::computeDynamicPart() {
  auto [product, unknown] = knownProduct(extents);
  if (parts || unknown == 0 || product == 1)
    return;
  ScaledSize all = splitFactor(kernel.getExtent(*kernel.findLoop(loop)));
  IndexBuilder index(rewriter, kernel.getLoc());
  dynamicPart =
      index.value(index.mul(all.unknown, index.number(all.factor / product)));
}

/// The sizes of the host's tensor with the dimension as several: extents of
/// loops, as an op for a size would be a use of the tensor.
SmallVector<OpFoldResult> LoopExpander::expandSizes(Value outside,
                                                    BlockArgument inside) {
  auto sizeOf = [&](unsigned dim) -> OpFoldResult {
    StringRef covering = loopAlong(inside, dim);
    return covering.empty()
               ? tensor::getMixedSize(rewriter, kernel.getLoc(), outside, dim)
               : kernel.getExtent(*kernel.findLoop(covering));
  };
  SmallVector<OpFoldResult> sizes;
  auto rank = cast<RankedTensorType>(inside.getType()).getRank();
  for (int64_t dim : llvm::seq(rank)) {
    if (dim != positionIn(inside)) {
      sizes.push_back(sizeOf(dim));
      continue;
    }
    for (int64_t extent : extents)
      if (!ShapedType::isDynamic(extent))
        sizes.push_back(rewriter.getIndexAttr(extent));
      else
        sizes.push_back(dynamicPart ? OpFoldResult(dynamicPart) : sizeOf(dim));
  }
  return sizes;
}

RankedTensorType LoopExpander::expanded(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  int position = positionIn(tensor);
  shape.erase(shape.begin() + position);
  shape.insert(shape.begin() + position, extents.begin(), extents.end());
  return RankedTensorType::get(shape, type.getElementType());
}

/// The host's value with the dimension as several. A fresh destination is made
/// in that form.
Value LoopExpander::expandOperand(Value outside, BlockArgument inside) {
  Location loc = kernel.getLoc();
  RankedTensorType type = expanded(inside);
  SmallVector<OpFoldResult> sizes = expandSizes(outside, inside);
  if (outside.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  return rewriter.createOrFold<tensor::ExpandShapeOp>(
      loc, type, outside, groups(inside, type.getRank() + 1 - extents.size()),
      sizes);
}

void LoopExpander::declareLoops() {
  SmallVector<LoopAttr> loops;
  SmallVector<Value> added;
  Value extent = parts ? parts : dynamicPart;
  if (llvm::is_contained(extents, ShapedType::kDynamic))
    added.push_back(
        extent ? extent
               : cast<Value>(kernel.getExtent(*kernel.findLoop(loop))));
  for (auto known : kernel.getLoops().getAsRange<LoopAttr>()) {
    if (known.getName() != loop) {
      loops.push_back(known);
      continue;
    }
    for (auto [name, extent] : llvm::zip_equal(names, extents))
      loops.push_back(LoopAttr::get(kernel.getContext(), name, extent));
  }
  kernel.replaceLoops(loops, added);
}

/// Returns true if sums of the index are compared, and nothing else is done
/// with it.
static bool isComparedOnly(Value index) {
  return llvm::all_of(index.getUsers(), [](Operation *user) {
    return isa<arith::CmpIOp>(user) ||
           (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp,
                arith::ExtSIOp>(user) &&
            isComparedOnly(user->getResult(0)));
  });
}

/// An index of the loop is that of the outermost new one now: the others
/// follow. Past the end of a loop that is divided it is the last one, except in
/// comparisons, which stay those of sums of loops.
void LoopExpander::expandIndices(ComputeOp op) {
  for (auto index :
       llvm::make_early_inc_range(op.getBlock()->getOps<IndexOp>())) {
    if (index.getLoop() != names.front())
      continue;
    OpBuilder b(op.getContext());
    b.setInsertionPointAfter(index);
    Location loc = index.getLoc();
    Value all = index;
    bool isBounded = whole && !isComparedOnly(index);
    SmallPtrSet<Operation *, 4> made;
    for (auto [name, extent] : llvm::drop_begin(llvm::zip(names, extents))) {
      if (ShapedType::isDynamic(extent)) {
        all = IndexOp::create(b, loc, name);
        continue;
      }
      Value size = arith::ConstantIndexOp::create(b, loc, extent);
      Value scaled = arith::MulIOp::create(b, loc, all, size);
      made.insert(scaled.getDefiningOp());
      all =
          arith::AddIOp::create(b, loc, scaled, IndexOp::create(b, loc, name));
    }
    if (isBounded) {
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      Value last = arith::SubIOp::create(b, loc, whole, one);
      all = arith::MinSIOp::create(b, loc, all, last);
    }
    index.getIteration().replaceAllUsesExcept(all, made);
  }
}

void LoopExpander::expandAccess(Subscripts &access, Value tensor,
                                unsigned split) {
  int position = positionIn(tensor);
  if (position < 0)
    return;
  AffineExpr outer = rewriter.getAffineDimExpr(split);
  if (isRead(tensor)) {
    int64_t size =
        cast<RankedTensorType>(tensor.getType()).getDimSize(position);
    access[position] = {outer * extents.back() +
                            rewriter.getAffineDimExpr(split + 1),
                        false, std::pair(int64_t(0), size)};
    return;
  }
  for (unsigned part : llvm::seq<unsigned>(extents.size() - 1))
    access.insert(access.begin() + position + 1 + part,
                  {rewriter.getAffineDimExpr(split + 1 + part)});
}

void LoopExpander::expandOp(ComputeOp op) {
  SmallVector<StringRef> axes = op.getAxes();
  unsigned split = dimOf(op, loop), more = extents.size() - 1;
  if (split == axes.size())
    return;
  SmallVector<AffineExpr> dims;
  for (unsigned dim : llvm::seq<unsigned>(axes.size()))
    dims.push_back(rewriter.getAffineDimExpr(dim > split ? dim + more : dim));
  axes.erase(axes.begin() + split);
  axes.insert(axes.begin() + split, names.begin(), names.end());
  unsigned parallel = op.getNumParallelLoops();
  replaceAxes(op, dims, axes, split < parallel ? parallel + more : parallel);
  expandIndices(op);
  SmallVector<Subscripts> accesses = op.getSubscripts();
  for (auto [access, operand] : llvm::zip_equal(accesses, op->getOpOperands()))
    expandAccess(access, operand.get(), split);
  op.setSubscripts(accesses);
}

/// The results of the kernel in the types that they had.
void LoopExpander::collapseResults(ArrayRef<Type> types) {
  rewriter.setInsertionPointAfter(kernel);
  for (auto [number, type] : llvm::enumerate(types)) {
    BlockArgument argument = kernel.getOutArgument(number);
    if (positionIn(argument) < 0 || isRead(argument))
      continue;
    OpResult result = kernel->getResult(number);
    result.setType(argument.getType());
    if (result.use_empty())
      continue;
    auto whole = tensor::CollapseShapeOp::create(
        rewriter, kernel.getLoc(), cast<RankedTensorType>(type), result,
        groups(argument, cast<RankedTensorType>(type).getRank()));
    rewriter.replaceAllUsesExcept(result, whole, whole);
  }
}

void LoopExpander::expand() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  computeDynamicPart();
  SmallVector<Type> types(kernel.getResultTypes());
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (positionIn(argument) >= 0 && !isRead(argument)) {
      OpOperand &operand = kernel->getOpOperand(argument.getArgNumber());
      operand.set(expandOperand(operand.get(), argument));
    }
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    expandOp(op);
  for (auto [tensor, position] : positions)
    if (position >= 0 && !isRead(tensor))
      Value(tensor).setType(expanded(tensor));
  declareLoops();
  collapseResults(types);
}

/// The extent as a new input of the kernel; the host computes how many parts
/// these are.
void LoopExpander::passWhole(unsigned number) {
  rewriter.setInsertionPoint(kernel);
  Location loc = kernel.getLoc();
  auto extent = cast<Value>(kernel.getExtent(number));
  Value inside = cast<Value>(kernel.getExtentInside(number));
  Value size = arith::ConstantIndexOp::create(rewriter, loc, extents.back()),
        round =
            arith::ConstantIndexOp::create(rewriter, loc, extents.back() - 1);
  parts = arith::DivUIOp::create(
      rewriter, loc, arith::AddIOp::create(rewriter, loc, extent, round), size);
  whole = kernel.addInput(extent);
  inside.replaceAllUsesWith(whole);
}

bool LoopExpander::divide() {
  unsigned number = *kernel.findLoop(loop);
  if (!checkLoops())
    return false;
  for (unsigned result : llvm::seq<unsigned>(kernel.getOuts().size()))
    if (positionIn(kernel.getOutArgument(result)) >= 0)
      return false;
  OpBuilder::InsertionGuard guard(rewriter);
  LoopAttr known = kernel.getLoop(number);
  if (known.isDynamic()) {
    passWhole(number);
  } else {
    rewriter.setInsertionPointToStart(&kernel.getBody().front());
    whole = arith::ConstantIndexOp::create(rewriter, kernel.getLoc(),
                                           known.getExtent());
  }
  expand();
  return true;
}

Value divideLoop(RewriterBase &rewriter, KernelOp kernel, StringRef loop,
                 int64_t size, SmallVectorImpl<std::string> &names) {
  LoopAttr known = kernel.getLoop(*kernel.findLoop(loop));
  int64_t parts = known.isDynamic() ? ShapedType::kDynamic
                                    : llvm::divideCeil(known.getExtent(), size);
  int64_t extents[] = {parts, size};
  LoopExpander expander(rewriter, kernel, loop, extents, names);
  return expander.divide() ? expander.getWhole() : Value();
}

bool expandLoop(RewriterBase &rewriter, KernelOp kernel, StringRef loop,
                ArrayRef<int64_t> extents,
                SmallVectorImpl<std::string> &names) {
  LoopExpander expander(rewriter, kernel, loop, extents, names);
  if (!expander.check())
    return false;
  expander.expand();
  return true;
}

/// Returns true if no op reduces a loop, or computes with an index of this one.
static bool isElementwiseAlong(KernelOp kernel, StringRef loop) {
  return !usesIndex(kernel, loop) &&
         llvm::all_of(kernel.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
           return op.getNumReductionLoops() == 0;
         });
}

/// Expands the loop along the first dimension of the view that is several of
/// the tensor's.
static bool expandAlong(RewriterBase &rewriter, KernelOp kernel, unsigned input,
                        tensor::CollapseShapeOp view) {
  for (auto [dim, parts] : llvm::enumerate(view.getReassociationIndices())) {
    if (parts.size() < 2)
      continue;
    SmallVector<int64_t> extents = llvm::map_to_vector(
        parts, [&](int64_t d) { return view.getSrcType().getDimSize(d); });
    StringRef loop = loopAlong(kernel.getInArgument(input), dim);
    if (loop.empty() || llvm::is_contained(extents, ShapedType::kDynamic))
      return false;
    std::string name = loop.str();
    SmallVector<std::string> names;
    if (!isElementwiseAlong(kernel, name) ||
        !expandLoop(rewriter, kernel, name, extents, names))
      return false;
    // A use that is left would make the tensor a result of a fused kernel.
    if (view->use_empty())
      rewriter.eraseOp(view);
    return true;
  }
  return false;
}

/// Returns true if the value is the result of a kernel in memory of its own.
/// Other values have no kernel fused with them.
static bool isMade(Value value) {
  auto producer = value.getDefiningOp<KernelOp>();
  return producer && producer.getOuts()[cast<OpResult>(value).getResultNumber()]
                         .getDefiningOp<tensor::EmptyOp>();
}

/// Returns true if a kernel copies a result into a part of a larger tensor. The
/// producer can write there itself as long as no view is between them.
static bool isCopiedIntoPart(KernelOp kernel) {
  return llvm::any_of(kernel->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<KernelOp>(use.getOwner());
    return user &&
           llvm::any_of(user.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
             auto copy = PartCopy::read(user, op);
             return copy && copy->input == use.getOperandNumber();
           });
  });
}

bool expandLoops(RewriterBase &rewriter, KernelOp kernel) {
  if (isCopiedIntoPart(kernel))
    return false;
  for (auto [number, in] : llvm::enumerate(kernel.getIns())) {
    auto view = in.getDefiningOp<tensor::CollapseShapeOp>();
    if (view && isMade(view.getSrc()) &&
        view->getBlock() == kernel->getBlock() &&
        expandAlong(rewriter, kernel, number, view))
      return true;
  }
  return false;
}

} // namespace onnxc::krnl
