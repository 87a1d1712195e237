//===- CollapseLoops.cpp - Adjacent loops become one --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   loops [n, h, w]  add ins(%x : tensor<8x7x7xf32>)
// -> loops [nhw]     add ins(collapse %x : tensor<392xf32>)
//
// Two loops can be one where every tensor that one of them indexes is indexed
// by both, in neighbouring dimensions: memory is row-major, so their product
// walks it in a line. Vectors then cross short rows. So it is with tensors that
// are read at an index of each of the two loops, if their inner dimension is as
// long as its loop.
//
//===----------------------------------------------------------------------===//

#include "Host/HostSizes.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
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
  bool onlyMakesPairs(Value size);
  bool checkSizes(tensor::DimOp dim);

  bool hasPair(Value tensor) {
    auto known = positions.find(tensor);
    return known != positions.end() && known->second >= 0;
  }
  RankedTensorType merged(Value tensor);
  SmallVector<ReassociationIndices> groups(RankedTensorType type, Value inside);
  OpFoldResult multiply(OpFoldResult x, OpFoldResult y);
  Value collapseOperand(Value outside, BlockArgument inside);
  LoopAttr declareLoop();
  void collapseEmpty(tensor::EmptyOp empty);
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
  for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
    if ((index.getDim() == a || index.getDim() == b) &&
        !llvm::all_of(index->getUsers(), llvm::IsaPred<tensor::ExtractOp>))
      return false;
  WalkResult result = op->walk([&](tensor::ExtractOp read) {
    SmallVector<Along> access =
        llvm::map_to_vector(read.getIndices(), [&](Value index) {
          auto loop = index.getDefiningOp<linalg::IndexOp>();
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

/// Tensors read outside of ops keep their shape, and so do constants; the sizes
/// of temporaries must be available.
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
        extent && !onlyMakesPairs(extent))
      return false;
  return found &&
         llvm::all_of(kernel.getBody().front().getOps<tensor::DimOp>(),
                      [&](tensor::DimOp dim) { return checkSizes(dim); });
}

bool LoopCollapser::check() {
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

OpFoldResult LoopCollapser::multiply(OpFoldResult x, OpFoldResult y) {
  if (isa<Attribute>(x) && isa<Attribute>(y))
    return rewriter.getIndexAttr(*getConstantIntValue(x) *
                                 *getConstantIntValue(y));
  auto value = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(rewriter, kernel.getLoc(), size);
  };
  return arith::MulIOp::create(rewriter, kernel.getLoc(), value(x), value(y))
      .getResult();
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
  sizes[position] = multiply(sizes[position], sizes[position + 1]);
  sizes.erase(sizes.begin() + position + 1);
  return tensor::EmptyOp::create(rewriter, kernel.getLoc(), sizes,
                                 type.getElementType());
}

/// Adds the loop that takes the place of the pair.
LoopAttr LoopCollapser::declareLoop() {
  OpFoldResult extent = multiply(kernel.getExtent(*kernel.findLoop(outer)),
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

void LoopCollapser::collapseEmpty(tensor::EmptyOp empty) {
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  int position = positions.lookup(empty.getResult());
  sizes.erase(sizes.begin() + position + 1);
  RankedTensorType type = merged(empty.getResult());
  rewriter.setInsertionPoint(empty);
  SmallVector<Value> dynamic;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(d))
      dynamic.push_back(
          int(d) == position
              ? getValueOrCreateConstantIndexOp(
                    rewriter, empty.getLoc(),
                    kernel.getExtentInside(kernel.getLoops().size() - 1))
              : cast<Value>(size));
  empty.getDynamicSizesMutable().assign(dynamic);
}

/// A size of the pair has only made temporaries.
void LoopCollapser::collapseDim(tensor::DimOp dim) {
  int64_t index = *dim.getConstantIndex(),
          position = positions.lookup(dim.getSource());
  if (index == position || index == position + 1)
    return rewriter.eraseOp(dim);
  if (index < position)
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
  for (auto empty : body.getOps<tensor::EmptyOp>())
    if (hasPair(empty.getResult()))
      collapseEmpty(empty);
  for (auto dim : llvm::make_early_inc_range(body.getOps<tensor::DimOp>()))
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
  followSizes(rewriter, kernel);
  dropUnused(rewriter, kernel);
  collapseLoops(rewriter, kernel, /*known=*/true);
  collapseLoops(rewriter, kernel, /*known=*/false);
}

} // namespace onnxc::krnl
