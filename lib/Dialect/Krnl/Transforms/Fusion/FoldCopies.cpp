//===- FoldCopies.cpp - Results written where they are wanted ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A border around a tensor and the concatenation of tensors are kernels that
// copy whole tensors into parts of a larger one. Where such a tensor is itself
// made by a kernel, that kernel writes into the part instead: the copy goes,
// and of a border only the filling is left.
//
//   %x = kernel "conv" outs(%e: 1x8x14x14)
//   %y = kernel "pad" ins(%x) { fill; copy to h + 1, w + 1 }
//     ->
//   %x = kernel "conv" outs(%e: 1x8x16x16) writes at [.., h + 1, w + 1]
//   %y = kernel "pad" outs(%x) { fill the four borders }
//
// Everybody else who reads the tensor reads the part.
//
//===----------------------------------------------------------------------===//

#include "PartCopies.h"
#include "onnxc/Dialect/Krnl/IR/PartialAccess.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLFOLDCOPIESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// The range of a dimension in a strip of the border.
struct Range {
  OpFoldResult from, size;
  bool isWhole;
};
using Strip = SmallVector<Range>;

/// Folds the copies of one kernel.
class CopyFolder {
public:
  CopyFolder(RewriterBase &rewriter, KernelOp kernel)
      : rewriter(rewriter), kernel(kernel) {}

  /// Returns the number of copies folded; the kernel may be gone after that.
  unsigned run();

private:
  /// Loops, by name, and where they write; the extents of those that are new.
  struct StripLoops {
    SmallVector<std::string> names;
    SmallVector<AffineExpr> at;
    SmallVector<std::pair<std::string, OpFoldResult>> extents;
  };

  bool match();
  bool mayFold(PartCopy &copy);
  bool findSizes(PartCopy &copy, tensor::EmptyOp small);
  Value makeLarge(const PartCopy &copy);
  void fold(PartCopy &copy);
  StripLoops loopsOver(const Strip &strip, StringRef name);
  ComputeOp fillStrip(const Strip &strip, const StripLoops &loops, Value last);
  void fillAround(const TensorPart &part);
  void finish();

  RewriterBase &rewriter;
  KernelOp kernel;
  /// The first op, if it fills the whole result.
  ComputeOp fill;
  SmallVector<PartCopy, 2> copies;
  /// The values that the large tensor has had so far, one writer each.
  SmallVector<Value> chain;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which copies can go
//===----------------------------------------------------------------------===//

/// The kernel must consist of a chain of copies into parts that do not touch
/// each other, or of a fill and one copy.
bool CopyFolder::match() {
  if (kernel.getOuts().size() != 1 || !kernel.getRecipe().empty() ||
      !kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>())
    return false;
  Value last = kernel.getOutArgument(0);
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (op.getNumDpsInits() != 1 || op.getDpsInits()[0] != last)
      return false;
    last = op.getResult(0);
    if (!fill && copies.empty() && fillsAll(op)) {
      fill = op;
      continue;
    }
    std::optional<PartCopy> copy = PartCopy::read(kernel, op);
    if (!copy || (fill && !copies.empty()) ||
        llvm::any_of(copies, [&](const PartCopy &other) {
          return !copy->part.isApart(other.part);
        }))
      return false;
    copies.push_back(std::move(*copy));
  }
  return !copies.empty();
}

/// Is it the size of a known dimension?
static bool isSize(Operation *op) {
  auto dim = dyn_cast<tensor::DimOp>(op);
  return dim && dim.getConstantIndex();
}

/// All uses are reads by structured ops, or sizes.
static bool isReadByOpsOnly(Value argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<ComputeOp>(use.getOwner());
    return (op && !op.isDpsInit(&use)) || isSize(use.getOwner());
  });
}

/// Adds to `behind` the ops behind `position` that `value` is computed by.
/// False if they cannot move before it.
static bool findBehind(Value value, Operation *position,
                       SetVector<Operation *> &behind) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != position->getBlock() ||
      op->isBeforeInBlock(position) || behind.contains(op))
    return true;
  if (op == position || !isPure(op) || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return findBehind(operand, position, behind);
      }))
    return false;
  behind.insert(op);
  return true;
}

/// The sizes of both tensors, if they are known where the part is made.
bool CopyFolder::findSizes(PartCopy &copy, tensor::EmptyOp small) {
  auto large = kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>();
  copy.part.smallSizes = small.getMixedSizes();
  copy.part.largeSizes = large.getMixedSizes();
  SetVector<Operation *> behind;
  return llvm::all_of(large.getDynamicSizes(), [&](Value size) {
    return findBehind(size, copy.producer, behind);
  });
}

/// May the maker of the tensor write into the part? All users of the tensor
/// must be kernels that can be rewritten.
bool CopyFolder::mayFold(PartCopy &copy) {
  Value tensor = kernel.getIns()[copy.input];
  auto producer = tensor.getDefiningOp<KernelOp>();
  if (!producer || producer->getBlock() != kernel->getBlock() ||
      !producer.getRecipe().empty())
    return false;
  copy.producer = producer;
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  auto small = producer.getOuts()[number].getDefiningOp<tensor::EmptyOp>();
  if (!small || !findSizes(copy, small))
    return false;
  for (Value operand : producer->getOperands())
    if (llvm::is_contained(chain, operand))
      return false;
  // A kernel cannot write to the same tensor twice.
  for (Value made : chain)
    if (made.getDefiningOp() == producer)
      return false;
  SmallVector<Value> written{producer.getOutArgument(number)};
  while (!written.empty())
    for (OpOperand &use : written.pop_back_val().getUses())
      if (auto op = dyn_cast<ComputeOp>(use.getOwner())) {
        if (op.isDpsInit(&use))
          written.push_back(op.getTiedOpResult(&use));
      } else if (!isa<YieldOp>(use.getOwner()) && !isSize(use.getOwner())) {
        return false;
      }
  for (OpOperand &use : tensor.getUses()) {
    auto user = dyn_cast<KernelOp>(use.getOwner());
    if (!user || user->getBlock() != kernel->getBlock() ||
        !user.getRecipe().empty() ||
        use.getOperandNumber() >= user.getIns().size() ||
        !isReadByOpsOnly(user.getInArgument(use.getOperandNumber())))
      return false;
    // It would read elements that it writes.
    if (user == kernel && (use.getOperandNumber() != copy.input ||
                           !kernel.getInArgument(copy.input).hasOneUse()))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The large tensor, there before the copy's producer.
Value CopyFolder::makeLarge(const PartCopy &copy) {
  auto large = kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>();
  SetVector<Operation *> behind;
  for (Value size : large.getDynamicSizes())
    findBehind(size, copy.producer, behind);
  for (Operation *op : behind)
    rewriter.moveOpBefore(op, copy.producer);
  return tensor::EmptyOp::create(rewriter, kernel.getLoc(),
                                 large.getMixedSizes(),
                                 copy.part.large.getElementType());
}

/// The copy's producer becomes the next writer of the large tensor.
void CopyFolder::fold(PartCopy &copy) {
  auto tensor = cast<OpResult>(kernel.getIns()[copy.input]);
  KernelOp producer = copy.producer;
  unsigned number = tensor.getResultNumber();
  rewriter.setInsertionPoint(producer);
  Value before = chain.empty() ? makeLarge(copy) : chain.back();
  producer.getOutsMutable()[number].set(before);
  accessPart(rewriter, producer, producer.getOutArgument(number), copy.part);
  chain.push_back(tensor);

  // The copy itself.
  rewriter.replaceOp(copy.op, copy.op.getDpsInits()[0]);
  kernel.getBody().eraseArgument(copy.input);
  kernel.getInsMutable().erase(copy.input);
  for (PartCopy &other : copies)
    other.input -= other.input > copy.input;

  tensor.setType(copy.part.large);
  SetVector<Operation *> users(tensor.user_begin(), tensor.user_end());
  for (Operation *op : users) {
    auto user = cast<KernelOp>(op);
    for (unsigned i = 0; i < user.getIns().size(); ++i)
      if (user.getIns()[i] == tensor)
        accessPart(rewriter, user, user.getInArgument(i), copy.part);
  }
}

/// x - y, a number where the two have all but numbers in common.
static OpFoldResult difference(OpBuilder &b, Location loc, OpFoldResult x,
                               OpFoldResult y) {
  auto split = [](OpFoldResult size) -> std::pair<Value, int64_t> {
    if (auto number = getConstantIntValue(size))
      return {Value(), *number};
    auto value = cast<Value>(size);
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      if (auto number = getConstantIntValue(sum.getRhs()))
        return {sum.getLhs(), *number};
    return {value, 0};
  };
  auto [xBase, xNumber] = split(x);
  auto [yBase, yNumber] = split(y);
  if (xBase == yBase)
    return b.getIndexAttr(xNumber - yNumber);
  return b.createOrFold<arith::SubIOp>(
      loc, getValueOrCreateConstantIndexOp(b, loc, x),
      getValueOrCreateConstantIndexOp(b, loc, y));
}

/// Where the part ends in a dimension.
static OpFoldResult endOf(OpBuilder &b, Location loc, const TensorPart &part,
                          unsigned dim) {
  int64_t offset = part.offsets[dim];
  if (auto size = getConstantIntValue(part.smallSizes[dim]))
    return b.getIndexAttr(offset + *size);
  return b.createOrFold<arith::AddIOp>(
      loc, cast<Value>(part.smallSizes[dim]),
      arith::ConstantIndexOp::create(b, loc, offset));
}

/// The strips outside the part: for each dimension those before and after it,
/// over the part in the dimensions before and all of those after.
static SmallVector<Strip> stripsAround(OpBuilder &b, Location loc,
                                       const TensorPart &part) {
  SmallVector<Strip> strips;
  OpFoldResult zero = b.getIndexAttr(0);
  Strip around;
  for (OpFoldResult size : part.largeSizes)
    around.push_back({zero, size, /*isWhole=*/true});
  for (auto [dim, isWhole] : llvm::enumerate(part.whole)) {
    if (isWhole)
      continue;
    OpFoldResult offset = b.getIndexAttr(part.offsets[dim]),
                 end = endOf(b, loc, part, dim),
                 rest = difference(b, loc, part.largeSizes[dim], end);
    for (const Range &range :
         {Range{zero, offset, false}, Range{end, rest, false}}) {
      if (isZeroInteger(range.size))
        continue;
      strips.push_back(around);
      strips.back()[dim] = range;
    }
    around[dim] = {offset, part.smallSizes[dim], false};
  }
  return strips;
}

/// The loops over a strip, of which those of parts of a dimension are new.
/// Their names begin with `name`.
CopyFolder::StripLoops CopyFolder::loopsOver(const Strip &strip,
                                             StringRef name) {
  AffineMap whole = fill.getMatchingIndexingMap(fill.getDpsInitOperand(0));
  SmallVector<StringRef> axes = fill.getAxes();
  StripLoops loops;
  for (auto [d, range] : llvm::enumerate(strip)) {
    auto from = getConstantIntValue(range.from);
    auto size = getConstantIntValue(range.size);
    if (size == 1) {
      loops.at.push_back(rewriter.getAffineConstantExpr(from.value_or(0)));
      continue;
    }
    AffineExpr loop = rewriter.getAffineDimExpr(loops.names.size());
    if (range.isWhole) {
      auto plain = cast<AffineDimExpr>(whole.getResult(d));
      loops.names.push_back(axes[plain.getPosition()].str());
      loops.at.push_back(loop);
      continue;
    }
    loops.names.push_back(llvm::formatv("{0}_{1}", name, d).str());
    loops.extents.push_back({loops.names.back(), range.size});
    loops.at.push_back(from.value_or(0) ? loop + *from : loop % beyondAnyLoop);
  }
  return loops;
}

/// Fills a strip of `last` with the value of `fill`.
ComputeOp CopyFolder::fillStrip(const Strip &strip, const StripLoops &loops,
                                Value last) {
  // The begin of a strip may be dynamic.
  SmallVector<Value> position;
  if (llvm::any_of(strip, [](const Range &range) {
        return !getConstantIntValue(range.from);
      }))
    for (const Range &range : strip)
      position.push_back(indexInside(rewriter, kernel,
                                     getConstantIntValue(range.from)
                                         ? rewriter.getIndexAttr(0)
                                         : range.from));
  return ComputeOp::create(
      rewriter, fill.getLoc(), ValueRange(), ValueRange(last),
      AffineMap::get(loops.names.size(), 0, loops.at, kernel.getContext()),
      llvm::to_vector_of<StringRef>(loops.names), loops.names.size(),
      StringAttr(), [&](OpBuilder &b, Location loc, ValueRange) {
        Value element = fill.getBody()->getTerminator()->getOperand(0);
        if (!position.empty())
          element = ScatterStoreOp::create(b, loc, element.getType(), element,
                                           position);
        linalg::YieldOp::create(b, loc, element);
      });
}

/// Fills the elements outside the part instead of all.
void CopyFolder::fillAround(const TensorPart &part) {
  auto declared = llvm::to_vector(kernel.getLoops().getAsRange<LoopAttr>());
  SmallVector<Value> added;
  Value last = kernel.getOutArgument(0);
  rewriter.setInsertionPoint(kernel);
  SmallVector<Strip> strips = stripsAround(rewriter, kernel.getLoc(), part);
  rewriter.setInsertionPoint(fill);
  for (auto [number, strip] : llvm::enumerate(strips)) {
    StripLoops loops = loopsOver(strip, llvm::formatv("b{0}", number).str());
    for (auto &[name, extent] : loops.extents) {
      auto known = getConstantIntValue(extent);
      declared.push_back(LoopAttr::get(kernel.getContext(), name,
                                       known.value_or(ShapedType::kDynamic)));
      if (!known)
        added.push_back(cast<Value>(extent));
    }
    last = fillStrip(strip, loops, last).getResult(0);
  }
  kernel.replaceLoops(declared, added);
  rewriter.replaceOp(fill, last);
}

/// Makes readers after each writer use its result, and drops operands that the
/// kernel does not need any more.
void CopyFolder::finish() {
  kernel.getOutsMutable()[0].set(chain.back());
  chain.push_back(kernel.getResult(0));
  for (unsigned i = 0; i + 1 < chain.size(); ++i)
    for (OpOperand &use : llvm::make_early_inc_range(chain[i].getUses())) {
      auto user = cast<KernelOp>(use.getOwner());
      if (use.getOperandNumber() >= user.getIns().size())
        continue;
      for (Value later : ArrayRef(chain).drop_front(i + 1))
        if (later.getDefiningOp()->isBeforeInBlock(user))
          use.set(later);
    }
  if (kernel.getBody().getOps<ComputeOp>().empty()) {
    rewriter.replaceOp(kernel, kernel.getOuts()[0]);
    return;
  }
  SmallVector<LoopAttr> kept;
  for (auto [number, loop] :
       llvm::enumerate(kernel.getLoops().getAsRange<LoopAttr>())) {
    auto extent = dyn_cast<Value>(kernel.getExtentInside(number));
    if ((extent && !extent.use_empty()) ||
        llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
          return llvm::is_contained(op.getAxes(), loop.getName());
        }))
      kept.push_back(loop);
  }
  kernel.replaceLoops(kept);
}

unsigned CopyFolder::run() {
  if (!match())
    return 0;
  SmallVector<PartCopy *> inOrder;
  for (PartCopy &copy : copies)
    if (mayFold(copy))
      inOrder.push_back(&copy);
  llvm::sort(inOrder, [](PartCopy *a, PartCopy *b) {
    return a->producer->isBeforeInBlock(b->producer);
  });
  unsigned count = 0;
  for (PartCopy *copy : inOrder) {
    // Copies folded before may be in the way.
    if (!mayFold(*copy))
      continue;
    fold(*copy);
    if (fill)
      fillAround(copy->part);
    ++count;
  }
  if (count)
    finish();
  return count;
}

namespace {
struct KrnlFoldCopiesPass : impl::KrnlFoldCopiesPassBase<KrnlFoldCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : kernels)
      numFolded += CopyFolder(rewriter, kernel).run();
  }
};
} // namespace

} // namespace onnxc::krnl
