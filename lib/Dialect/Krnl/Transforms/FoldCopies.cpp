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
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLFOLDCOPIESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// A strip of the border: from where to where in each dimension.
using Strip = SmallVector<std::pair<int64_t, int64_t>>;

/// Folds the copies of one kernel.
class CopyFolder {
public:
  CopyFolder(RewriterBase &rewriter, KernelOp kernel)
      : rewriter(rewriter), kernel(kernel) {}

  /// Returns the number of copies folded; the kernel may be gone after that.
  unsigned run();

private:
  bool match();
  bool mayFold(PartCopy &copy);
  void fold(PartCopy &copy);
  linalg::GenericOp fillStrip(const Strip &strip, unsigned number, Value last,
                              SmallVectorImpl<Attribute> &loops);
  void fillAround(const Part &part);
  void finish();

  RewriterBase &rewriter;
  KernelOp kernel;
  /// The first op, if it fills the whole result.
  linalg::GenericOp fill;
  SmallVector<PartCopy> copies;
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
  for (linalg::LinalgOp structured : kernel.getStructuredOps()) {
    auto op = dyn_cast<linalg::GenericOp>(structured.getOperation());
    if (!op || op.getNumDpsInits() != 1 || op.getDpsInits()[0] != last)
      return false;
    last = op.getResult(0);
    if (!fill && copies.empty() && fillsAll(op)) {
      fill = op;
      continue;
    }
    std::optional<PartCopy> copy = PartCopy::read(kernel, op);
    if (!copy || (fill && !copies.empty()) ||
        llvm::any_of(copies, [&](const PartCopy &other) {
          return copy->part.overlaps(other.part);
        }))
      return false;
    copies.push_back(std::move(*copy));
  }
  return !copies.empty();
}

/// All uses are reads by structured ops.
static bool isReadByOpsOnly(Value argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    return op && !op.isDpsInit(&use);
  });
}

/// May the maker of the tensor write into the part? All who know the tensor
/// must be kernels that can be told.
bool CopyFolder::mayFold(PartCopy &copy) {
  Value tensor = kernel.getIns()[copy.input];
  auto producer = tensor.getDefiningOp<KernelOp>();
  if (!producer || producer->getBlock() != kernel->getBlock() ||
      !producer.getRecipe().empty())
    return false;
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  if (!producer.getOuts()[number].getDefiningOp<tensor::EmptyOp>())
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
      if (auto op = dyn_cast<linalg::GenericOp>(use.getOwner())) {
        if (op.isDpsInit(&use))
          written.push_back(op.getTiedOpResult(&use));
      } else if (!isa<YieldOp>(use.getOwner())) {
        return false;
      }
  for (OpOperand &use : tensor.getUses()) {
    auto user = dyn_cast<KernelOp>(use.getOwner());
    if (!user || user->getBlock() != kernel->getBlock() ||
        !user.getRecipe().empty() ||
        use.getOperandNumber() >= user.getIns().size() ||
        !isReadByOpsOnly(user.getInArgument(use.getOperandNumber())))
      return false;
    // It would read what it writes.
    if (user == kernel && (use.getOperandNumber() != copy.input ||
                           !kernel.getInArgument(copy.input).hasOneUse()))
      return false;
  }
  copy.producer = producer;
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The copy's producer becomes the next writer of the large tensor.
void CopyFolder::fold(PartCopy &copy) {
  auto tensor = cast<OpResult>(kernel.getIns()[copy.input]);
  KernelOp producer = copy.producer;
  unsigned number = tensor.getResultNumber();
  rewriter.setInsertionPoint(producer);
  Value before = chain.empty()
                     ? tensor::EmptyOp::create(rewriter, kernel.getLoc(),
                                               copy.part.large.getShape(),
                                               copy.part.large.getElementType())
                           .getResult()
                     : chain.back();
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

/// What is outside the part: for each dimension what comes before and after it,
/// over the part in the dimensions before and all of those after.
static SmallVector<Strip> stripsAround(const Part &part) {
  SmallVector<Strip> strips;
  unsigned rank = part.offsets.size();
  Strip around;
  for (int64_t size : part.large.getShape())
    around.push_back({0, size});
  for (unsigned dim = 0; dim < rank; ++dim) {
    std::pair<int64_t, int64_t> inside{part.offsets[dim], part.end(dim)};
    for (std::pair<int64_t, int64_t> range :
         {std::pair(int64_t(0), inside.first),
          std::pair(inside.second, around[dim].second)}) {
      if (range.first == range.second)
        continue;
      strips.push_back(around);
      strips.back()[dim] = range;
    }
    around[dim] = inside;
  }
  return strips;
}

/// Fills a strip of `last`, which is number `number`, with what `fill` writes.
/// Adds the loops that are new.
linalg::GenericOp CopyFolder::fillStrip(const Strip &strip, unsigned number,
                                        Value last,
                                        SmallVectorImpl<Attribute> &loops) {
  AffineMap whole = fill.getMatchingIndexingMap(fill.getDpsInitOperand(0));
  SmallVector<StringRef> axes = KernelOp::getAxes(fill);
  auto type = cast<RankedTensorType>(last.getType());
  SmallVector<std::string> names;
  SmallVector<AffineExpr> at;
  for (auto [d, range] : llvm::enumerate(strip)) {
    auto [from, to] = range;
    auto plain = dyn_cast<AffineDimExpr>(whole.getResult(d));
    if (to - from == 1) {
      at.push_back(rewriter.getAffineConstantExpr(from));
      continue;
    }
    AffineExpr loop = rewriter.getAffineDimExpr(names.size());
    if (to - from == type.getDimSize(d)) {
      names.push_back(axes[plain.getPosition()].str());
      at.push_back(loop);
      continue;
    }
    names.push_back(llvm::formatv("b{0}_{1}", number, d).str());
    loops.push_back(
        LoopAttr::get(kernel.getContext(), names.back(), to - from));
    at.push_back(from ? loop + from : loop % beyondAnyLoop);
  }
  SmallVector<utils::IteratorType> kinds(names.size(),
                                         utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(
      rewriter, fill.getLoc(), TypeRange(type), ValueRange(), ValueRange(last),
      AffineMap::get(names.size(), 0, at, kernel.getContext()), kinds,
      [&](OpBuilder &b, Location loc, ValueRange) {
        linalg::YieldOp::create(b, loc,
                                fill.getBody()->getTerminator()->getOperand(0));
      });
  KernelOp::setAxes(made, llvm::to_vector_of<StringRef>(names));
  return made;
}

/// Fills what is outside the part instead of everything.
void CopyFolder::fillAround(const Part &part) {
  SmallVector<Attribute> loops(kernel.getLoops().begin(),
                               kernel.getLoops().end());
  Value last = kernel.getOutArgument(0);
  SmallVector<linalg::GenericOp> made;
  rewriter.setInsertionPoint(fill);
  for (const Strip &strip : stripsAround(part)) {
    made.push_back(fillStrip(strip, made.size(), last, loops));
    last = made.back().getResult(0);
  }
  kernel.setLoopsAttr(rewriter.getArrayAttr(loops));
  for (linalg::GenericOp op : made)
    addCarriers(rewriter, kernel, op);
  rewriter.replaceOp(fill, last);
}

/// Lets readers after each writer see what it has written, and drops what the
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
  if (kernel.getStructuredOps().empty()) {
    rewriter.replaceOp(kernel, kernel.getOuts()[0]);
    return;
  }
  SmallVector<Attribute> kept;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    if (llvm::any_of(kernel.getStructuredOps(), [&](linalg::LinalgOp op) {
          return llvm::is_contained(KernelOp::getAxes(op), loop.getName());
        }))
      kept.push_back(loop);
  kernel.setLoopsAttr(rewriter.getArrayAttr(kept));
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
    // What was folded before may stand in the way.
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
