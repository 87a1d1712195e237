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

#include "FillBorders.h"
#include "PartCopies.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLFOLDCOPIESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// Folds the copies of one kernel.
class CopyFolder {
public:
  CopyFolder(RewriterBase &rewriter, KernelOp kernel)
      : rewriter(rewriter), kernel(kernel) {}

  /// Returns true if copies were folded. The kernel may be erased then.
  bool run();

private:
  bool match();
  bool mayFold(PartCopy &copy);
  bool findSizes(PartCopy &copy, tensor::EmptyOp small);
  Value makeLarge(const PartCopy &copy);
  void fold(PartCopy &copy);
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

/// Returns true for the size of a known dimension.
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

/// Adds to `later` the ops after `position` that `value` is computed by.
/// False if they cannot move before it.
static bool findLater(Value value, Operation *position,
                      SetVector<Operation *> &later) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != position->getBlock() ||
      op->isBeforeInBlock(position) || later.contains(op))
    return true;
  if (op == position || !isPure(op) || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return findLater(operand, position, later);
      }))
    return false;
  later.insert(op);
  return true;
}

/// The sizes of both tensors, if they are known where the part is made.
bool CopyFolder::findSizes(PartCopy &copy, tensor::EmptyOp small) {
  auto large = kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>();
  copy.part.smallSizes = small.getMixedSizes();
  copy.part.largeSizes = large.getMixedSizes();
  SetVector<Operation *> later;
  return llvm::all_of(large.getDynamicSizes(), [&](Value size) {
    return findLater(size, copy.producer, later);
  });
}

/// Returns true if the maker of the tensor may write into the part. All users
/// of the tensor must be kernels that can be rewritten.
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
  SetVector<Operation *> later;
  for (Value size : large.getDynamicSizes())
    findLater(size, copy.producer, later);
  for (Operation *op : later)
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

  // The copy itself. One into a tensor with margins is part of the node that
  // reads them.
  if (!fill)
    producer->setLoc(fuseLocations(producer.getLoc(), copy.op.getLoc()));
  rewriter.replaceOp(copy.op, copy.op.getDpsInits()[0]);
  kernel.eraseInput(copy.input);
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
  dropUnusedLoops(kernel);
}

bool CopyFolder::run() {
  if (!match())
    return false;
  SmallVector<PartCopy *> inOrder;
  for (PartCopy &copy : copies)
    if (mayFold(copy))
      inOrder.push_back(&copy);
  llvm::sort(inOrder, [](PartCopy *a, PartCopy *b) {
    return a->producer->isBeforeInBlock(b->producer);
  });
  bool changed = false;
  for (PartCopy *copy : inOrder) {
    // Copies folded before may be in the way.
    if (!mayFold(*copy))
      continue;
    BorderFill border(rewriter, kernel);
    bool isBorder = fill && border.read(fill, copy->op);
    fold(*copy);
    if (isBorder)
      border.replaceFill();
    changed = true;
  }
  if (changed)
    finish();
  return changed;
}

/// Returns true if the kernel fills its result before it copies into a part.
static bool makesBorder(KernelOp kernel) {
  auto ops = kernel.getBody().getOps<ComputeOp>();
  return !ops.empty() && fillsAll(*ops.begin());
}

namespace {
struct KrnlFoldCopiesPass : impl::KrnlFoldCopiesPassBase<KrnlFoldCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels = kernelsOf(getOperation()), borders;
    // Readers on a device can do without a border (krnl-fold-padding), and a
    // tensor is a part of one other only.
    if (TargetAttr::processorOf(getOperation()).isDevice()) {
      llvm::copy_if(kernels, std::back_inserter(borders), makesBorder);
      llvm::erase_if(kernels, makesBorder);
      llvm::append_range(kernels, borders);
    }
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : kernels)
      if (!CopyFolder(rewriter, kernel).run())
        fillBorderAlone(rewriter, kernel);
  }
};
} // namespace

} // namespace onnxc::krnl
