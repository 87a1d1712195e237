//===- CollapseLoops.cpp - Adjacent loops become one --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   loops [n, h, w]  add ins(%x : tensor<8x7x7xf32>)
// -> loops [nhw]     add ins(collapse %x : tensor<392xf32>)
//
// Two loops can be one where every tensor that one of them indexes is indexed
// by both, in adjacent dimensions: memory is row-major, so their product
// accesses it in order. Vectors then cross short rows. The same holds for
// tensors that are read at an index of each of the two loops, if their inner
// dimension is as long as its loop.
//
//===----------------------------------------------------------------------===//

#include "Host/HostSizes.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
/// Which loops of the pair a dimension of a tensor is indexed by.
enum class Along { Neither, Outer, Inner, Other };

/// Checks one pair of loops, and makes the two one.
class LoopCollapser {
public:
  LoopCollapser(RewriterBase &rewriter, KernelOp kernel, StringRef outer,
                StringRef inner)
      : rewriter(rewriter), kernel(kernel), outer(outer), inner(inner) {}

  bool check();
  void collapse();

private:
  bool checkOp(ComputeOp op);
  bool checkReads(ComputeOp op, unsigned a, unsigned b);
  bool isAsLongAsInner(Value tensor, unsigned dim);
  bool record(Value tensor, ArrayRef<Along> access);
  bool checkBorder();
  bool readsPair(tensor::DimOp dim);

  bool hasPair(Value tensor) {
    auto known = positions.find(tensor);
    return known != positions.end() && known->second >= 0;
  }
  RankedTensorType merged(Value tensor);
  SmallVector<ReassociationIndices> groups(RankedTensorType type, Value inside);
  Value collapseOperand(Value outside, BlockArgument inside);
  LoopAttr declareLoop();
  void collapseDim(tensor::DimOp dim);
  void collapseOp(ComputeOp op);
  void expandResults(ValueRange outs);

  RewriterBase &rewriter;
  KernelOp kernel;
  StringRef outer, inner;
  /// The position of the outer loop's dimension in each tensor that has the
  /// pair; -1 for tensors that have neither.
  llvm::MapVector<Value, int> positions;
};
} // namespace

/// Notes where the tensor has the pair; false if it has half of it, or has it
/// elsewhere in another op.
bool LoopCollapser::record(Value tensor, ArrayRef<Along> access) {
  const Along *first =
      llvm::find_if(access, [](Along at) { return at != Along::Neither; });
  int position = first == access.end() ? -1 : int(first - access.begin());
  if (position >= 0) {
    access = access.drop_front(position);
    if (access.size() < 2 || access[0] != Along::Outer ||
        access[1] != Along::Inner ||
        !llvm::all_of(access.drop_front(2),
                      [](Along at) { return at == Along::Neither; }))
      return false;
  }
  return positions.insert({tensor, position}).first->second == position;
}

static SmallVector<Along> alongPair(const Subscripts &access, unsigned a,
                                    unsigned b) {
  return llvm::map_to_vector(access, [&](const Subscript &at) {
    if (!at.index.isFunctionOfDim(a) && !at.index.isFunctionOfDim(b))
      return Along::Neither;
    std::optional<unsigned> loop = at.getLoop();
    return loop == a ? Along::Outer : loop == b ? Along::Inner : Along::Other;
  });
}

/// A read at an index of a loop need not reach the end of the dimension.
bool LoopCollapser::isAsLongAsInner(Value tensor, unsigned dim) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return false;
  HostSizes sizes;
  return sizes.of(kernel.getExtent(*kernel.findLoop(inner))) ==
         sizes.ofTensor(kernel->getOperand(argument.getArgNumber()), dim);
}

/// The indices of the pair are used only to read tensors that have it.
bool LoopCollapser::checkReads(ComputeOp op, unsigned a, unsigned b) {
  for (auto index : op.getBlock()->getOps<IndexOp>())
    if ((index.getDim() == a || index.getDim() == b) &&
        !llvm::all_of(index->getUsers(), llvm::IsaPred<tensor::ExtractOp>))
      return false;
  WalkResult result = op->walk([&](tensor::ExtractOp read) {
    SmallVector<Along> access =
        llvm::map_to_vector(read.getIndices(), [&](Value index) {
          auto loop = index.getDefiningOp<IndexOp>();
          return !loop                ? Along::Neither
                 : loop.getDim() == a ? Along::Outer
                 : loop.getDim() == b ? Along::Inner
                                      : Along::Neither;
        });
    bool isGood = record(read.getTensor(), access) &&
                  (!hasPair(read.getTensor()) ||
                   isAsLongAsInner(read.getTensor(),
                                   positions.lookup(read.getTensor()) + 1));
    return isGood ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool LoopCollapser::checkOp(ComputeOp op) {
  unsigned a = dimOf(op, outer), b = dimOf(op, inner), none = op.getNumLoops();
  if ((a == none) != (b == none))
    return false;
  if (a != none) {
    auto kinds = op.getIteratorTypesArray();
    if (kinds[a] != kinds[b])
      return false;
  }
  if (!checkReads(op, a, b))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    SmallVector<Along> access = alongPair(op.getSubscripts(operand), a, b);
    if (!record(operand.get(), access))
      return false;
    if (!op.isDpsInit(&operand))
      continue;
    OpResult result = op.getTiedOpResult(&operand);
    // A scatter store has an index for each dimension.
    if (!record(result, access) ||
        (hasPair(result) && scatterStoreOf(op, result.getResultNumber())))
      return false;
  }
  return true;
}

/// Tensors read outside of ops keep their shape, and so do constants and those
/// whose sizes are read.
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
      if (!isa<ComputeOp, tensor::DimOp>(user) &&
          !(isa<tensor::ExtractOp>(user) && user->getParentOfType<ComputeOp>()))
        return false;
    if (matchPattern(kernel->getOperand(argument.getArgNumber()), m_Constant()))
      return false;
  }
  for (StringRef loop : {outer, inner})
    if (auto extent =
            dyn_cast<Value>(kernel.getExtentInside(*kernel.findLoop(loop)));
        extent && !extent.use_empty())
      return false;
  return found &&
         llvm::none_of(kernel.getBody().getOps<tensor::DimOp>(),
                       [&](tensor::DimOp dim) { return readsPair(dim); });
}

bool LoopCollapser::readsPair(tensor::DimOp dim) {
  if (!hasPair(dim.getSource()))
    return false;
  std::optional<int64_t> index = dim.getConstantIndex();
  int64_t position = positions.lookup(dim.getSource());
  return !index || *index == position || *index == position + 1;
}

bool LoopCollapser::check() {
  // A product with 0 is known where the other size, and a type, are not.
  for (StringRef loop : {outer, inner})
    if (isConstantIntValue(kernel.getExtent(*kernel.findLoop(loop)), 0))
      return false;
  std::string name = (outer + inner).str();
  return !kernel.findLoop(name) && isBareLoopName(name) &&
         llvm::all_of(kernel.getBody().getOps<ComputeOp>(),
                      [&](ComputeOp op) { return checkOp(op); }) &&
         checkBorder();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The dimensions of the tensor, the pair as one group.
SmallVector<ReassociationIndices> LoopCollapser::groups(RankedTensorType type,
                                                        Value inside) {
  SmallVector<ReassociationIndices> result;
  for (int64_t d : llvm::seq(type.getRank()))
    if (d == positions.lookup(inside) + 1)
      result.back().push_back(d);
    else
      result.push_back({d});
  return result;
}

RankedTensorType LoopCollapser::merged(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::CollapseShapeOp::inferCollapsedType(type,
                                                     groups(type, tensor));
}

/// The host's value with the pair of dimensions as one. A fresh destination is
/// made in that form.
Value LoopCollapser::collapseOperand(Value outside, BlockArgument inside) {
  auto empty = outside.getDefiningOp<tensor::EmptyOp>();
  auto type = cast<RankedTensorType>(outside.getType());
  if (!empty)
    return tensor::CollapseShapeOp::create(rewriter, kernel.getLoc(), outside,
                                           groups(type, inside));
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  unsigned position = positions.lookup(inside);
  sizes[position] = IndexBuilder(rewriter, kernel.getLoc())
                        .mul(sizes[position], sizes[position + 1]);
  sizes.erase(sizes.begin() + position + 1);
  return tensor::EmptyOp::create(rewriter, kernel.getLoc(), sizes,
                                 type.getElementType());
}

/// Adds the loop that takes the place of the pair.
LoopAttr LoopCollapser::declareLoop() {
  OpFoldResult extent = IndexBuilder(rewriter, kernel.getLoc())
                            .mul(kernel.getExtent(*kernel.findLoop(outer)),
                                 kernel.getExtent(*kernel.findLoop(inner)));
  auto loops = llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>());
  SmallVector<Value> extents;
  if (auto value = dyn_cast<Value>(extent))
    extents.push_back(value);
  loops.push_back(LoopAttr::get(kernel.getContext(), (outer + inner).str(),
                                extents.empty() ? *getConstantIntValue(extent)
                                                : ShapedType::kDynamic));
  kernel.replaceLoops(loops, extents);
  return loops.back();
}

void LoopCollapser::collapseDim(tensor::DimOp dim) {
  int64_t index = *dim.getConstantIndex();
  if (index < positions.lookup(dim.getSource()))
    return;
  rewriter.setInsertionPoint(dim);
  dim.getIndexMutable().assign(
      arith::ConstantIndexOp::create(rewriter, dim.getLoc(), index - 1));
}

void LoopCollapser::collapseOp(ComputeOp op) {
  SmallVector<StringRef> axes = op.getAxes();
  unsigned a = dimOf(op, outer), b = dimOf(op, inner);
  if (b == axes.size())
    return;
  SmallVector<Subscripts> accesses = op.getSubscripts();
  for (Subscripts &access : accesses)
    llvm::erase_if(access, [&](const Subscript &at) {
      return at.index.isFunctionOfDim(b);
    });
  op.setSubscripts(accesses);
  op->walk([&](tensor::ExtractOp read) {
    if (hasPair(read.getTensor()))
      read.getIndicesMutable().erase(positions.lookup(read.getTensor()) + 1);
  });
  SmallVector<AffineExpr> dims;
  for (size_t dim : llvm::seq(axes.size()))
    dims.push_back(rewriter.getAffineDimExpr(dim < b ? dim : dim - 1));
  dims[b] = dims[a];
  std::string name = (outer + inner).str();
  axes[a] = name;
  axes.erase(axes.begin() + b);
  unsigned parallel = op.getNumParallelLoops();
  replaceAxes(op, dims, axes, b < parallel ? parallel - 1 : parallel);
}

/// The results of the kernel in the shapes of `outs`.
void LoopCollapser::expandResults(ValueRange outs) {
  rewriter.setInsertionPointAfter(kernel);
  for (auto [number, out] : llvm::enumerate(outs)) {
    BlockArgument argument = kernel.getOutArgument(number);
    if (!hasPair(argument))
      continue;
    OpResult result = kernel->getResult(number);
    result.setType(cast<RankedTensorType>(argument.getType()));
    auto expanded = tensor::ExpandShapeOp::create(
        rewriter, kernel.getLoc(), out.getType(), result,
        groups(cast<RankedTensorType>(out.getType()), argument),
        tensor::getMixedSizes(rewriter, kernel.getLoc(), out));
    rewriter.replaceAllUsesExcept(result, expanded, expanded);
  }
}

void LoopCollapser::collapse() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  LoopAttr both = declareLoop();
  SmallVector<Value> outs(kernel.getOuts());
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (hasPair(argument)) {
      OpOperand &operand = kernel->getOpOperand(argument.getArgNumber());
      operand.set(collapseOperand(operand.get(), argument));
    }
  Block &body = kernel.getBody().front();
  for (auto dim : body.getOps<tensor::DimOp>())
    if (hasPair(dim.getSource()))
      collapseDim(dim);
  for (auto op : body.getOps<ComputeOp>())
    collapseOp(op);
  for (auto [tensor, position] : positions)
    if (position >= 0)
      Value(tensor).setType(merged(tensor));
  SmallVector<LoopAttr> loops;
  for (auto loop : llvm::drop_end(kernel.getLoops().getAsRange<LoopAttr>()))
    if (loop.getName() == outer)
      loops.push_back(both);
    else if (loop.getName() != inner)
      loops.push_back(loop);
  kernel.replaceLoops(loops);
  expandResults(outs);
}

/// Drops sizes that fusion has left without a use.
static void dropUnused(RewriterBase &rewriter, KernelOp kernel) {
  for (auto dim :
       llvm::make_early_inc_range(kernel.getBody().getOps<tensor::DimOp>()))
    if (dim->use_empty())
      rewriter.eraseOp(dim);
}

/// Rows that fill several register tiles of any target: they need none of other
/// images, whose number is dynamic, and a static extent leaves no tail. With
/// them apart, MobileNet v2 of a dynamic batch took 0.97 of the time of its
/// static twin instead of 1.05, on one thread.
static constexpr int64_t enoughRows = 64;

static bool hasEnough(KernelOp kernel, LoopAttr outer, LoopAttr inner) {
  return outer.isDynamic() && inner.getExtent() >= enoughRows &&
         llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
           return op.getNumReductionLoops() > 0;
         });
}

/// Loops of known length come first, to be known as one.
static void collapseLoops(RewriterBase &rewriter, KernelOp kernel, bool known) {
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
      collapser.collapse();
      changed = true;
    }
  }
}

void collapseLoops(RewriterBase &rewriter, KernelOp kernel) {
  dropUnused(rewriter, kernel);
  collapseLoops(rewriter, kernel, /*known=*/true);
  collapseLoops(rewriter, kernel, /*known=*/false);
}

} // namespace onnxc::krnl
