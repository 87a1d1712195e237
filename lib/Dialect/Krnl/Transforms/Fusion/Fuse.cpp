//===- Fuse.cpp - krnl-fuse: which kernels belong together --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ForwardCopies.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Support/Budget.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLFUSEPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// The two kernels under consideration, their kinds and the mapping of loops.
struct Candidate {
  KernelOp producer, consumer;
  ReductionKind producerKind, consumerKind;
  LoopMapping plan;
};

struct Limits {
  unsigned maxOps, maxOperands;
  int64_t maxRow;
};
} // namespace

/// The kind of the op that needs most care in fusion.
static ReductionKind classify(KernelOp kernel) {
  auto kind = ReductionKind::None;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    kind = std::max(kind, reductionKindOf(op));
  return kind;
}

/// Names, in the merged kernel, of the loops of an op.
static SmallVector<StringRef> mergedAxes(const Candidate &pair, ComputeOp op) {
  SmallVector<StringRef> axes = op.getAxes();
  if (op->getParentOp() == pair.consumer)
    for (StringRef &axis : axes)
      axis = pair.plan.rename.find(axis)->second;
  return axes;
}

static SmallVector<ComputeOp> allOps(const Candidate &pair) {
  SmallVector<ComputeOp> ops;
  for (KernelOp kernel : {pair.producer, pair.consumer})
    llvm::append_range(ops, kernel.getBody().getOps<ComputeOp>());
  return ops;
}

/// Returns true if the producer's results span exactly the loops that the
/// kernels have in common, and all ops of the consumer run over just these.
static bool sameSpace(Candidate &pair) {
  auto isSpace = [&](ComputeOp op) {
    unsigned parallel = 0;
    for (auto [axis, kind] :
         llvm::zip_equal(mergedAxes(pair, op), op.getIteratorTypesArray())) {
      if (kind == utils::IteratorType::reduction)
        continue;
      ++parallel;
      if (!llvm::is_contained(pair.plan.common, axis))
        return false;
    }
    return parallel == pair.plan.common.size();
  };
  for (Value value : pair.producer.getYield().getValues())
    if (!isSpace(cast<ComputeOp>(value.getDefiningOp())))
      return false;
  return llvm::all_of(pair.consumer.getBody().getOps<ComputeOp>(), isSpace);
}

/// Loops that every op of both kernels runs over and none reduces.
static SmallVector<StringRef> loopsOfAll(const Candidate &pair) {
  SmallVector<StringRef> loops;
  for (const std::string &loop : pair.plan.common) {
    bool everywhere = llvm::all_of(allOps(pair), [&](ComputeOp op) {
      SmallVector<StringRef> axes = mergedAxes(pair, op);
      const auto *it = llvm::find(axes, loop);
      if (it == axes.end())
        return false;
      return op.getIteratorTypesArray()[it - axes.begin()] ==
             utils::IteratorType::parallel;
    });
    if (everywhere)
      loops.push_back(loop);
  }
  return loops;
}

/// Fails unless the loops `outer` are the outer ones of the kernel, so that the
/// inner ones access contiguous memory.
static LogicalResult checkOutermost(const Candidate &pair, KernelOp kernel,
                                    ArrayRef<StringRef> outer,
                                    std::string &reason) {
  bool inRow = false;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>()) {
    StringRef name = loop.getName();
    if (kernel == pair.consumer)
      name = pair.plan.rename.find(name)->second;
    bool common = llvm::is_contained(outer, name);
    if (common && inRow) {
      reason =
          ("loop '" + name + "' runs inside loops that not all ops have").str();
      return failure();
    }
    inRow |= !common;
  }
  return success();
}

/// A row-wise pair runs all ops on one row (the loops inside the common ones)
/// before the next. The row must be known to be small, and contiguous.
static LogicalResult checkRows(const Candidate &pair, const Limits &limits,
                               std::string &reason) {
  SmallVector<StringRef> outer = loopsOfAll(pair);
  if (outer.empty()) {
    reason = "no loop is common to all ops";
    return failure();
  }
  if (failed(checkOutermost(pair, pair.producer, outer, reason)) ||
      failed(checkOutermost(pair, pair.consumer, outer, reason)))
    return failure();
  int64_t row = 1;
  for (LoopAttr loop : pair.plan.loops) {
    if (llvm::is_contained(outer, loop.getName()))
      continue;
    if (loop.isDynamic()) {
      reason =
          ("loop '" + loop.getName() + "' inside a row has no known extent")
              .str();
      return failure();
    }
    row *= std::max<int64_t>(loop.getExtent(), 1);
    if (row > limits.maxRow) {
      reason = llvm::formatv("a row would have {0} elements or more", row);
      return failure();
    }
  }
  return success();
}

static unsigned elementBits(Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

/// Returns true if the consumer only makes elements wider, for a kernel that
/// can do this itself while it reads the narrow ones.
static bool waitsForReader(Candidate &pair) {
  KernelOp consumer = pair.consumer;
  if (pair.consumerKind != ReductionKind::None ||
      consumer.getNumResults() != 1 || !consumer->hasOneUse())
    return false;
  auto result = cast<RankedTensorType>(consumer.getResult(0).getType());
  bool widens = llvm::all_of(consumer.getIns(), [&](Value in) {
    // Scales are of a lower rank.
    auto type = dyn_cast<RankedTensorType>(in.getType());
    return !type || type.getRank() < result.getRank() ||
           elementBits(in) < elementBits(consumer.getResult(0));
  });
  auto reader = dyn_cast<KernelOp>(*consumer->user_begin());
  return widens && reader && reader->getBlock() == consumer->getBlock() &&
         classify(reader) != ReductionKind::Contraction;
}

/// Returns true if the producer reads at computed indices, adjacent elements
/// along its result's last dimension, which the consumer writes as another one.
/// Together they would read or write all elements one by one.
static bool transposesReads(Candidate &pair) {
  for (Value value : pair.producer.getYield().getValues()) {
    auto op = cast<ComputeOp>(value.getDefiningOp());
    Subscripts written =
        op.getSubscripts(*op.getTiedOpOperand(cast<OpResult>(value)));
    bool reads = llvm::any_of(
        pair.producer.getBody().getOps<ComputeOp>(), [](ComputeOp inner) {
          return !inner.getBlock()->getOps<tensor::ExtractOp>().empty();
        });
    if (!reads || written.empty() || !written.back().getLoop())
      return false;
  }
  for (auto op : pair.consumer.getBody().getOps<ComputeOp>())
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto argument = dyn_cast<BlockArgument>(input->get());
      if (!argument ||
          argument.getOwner() != &pair.consumer.getBody().front() ||
          argument.getArgNumber() >= pair.consumer.getIns().size() ||
          pair.consumer.getIns()[argument.getArgNumber()].getDefiningOp() !=
              pair.producer)
        continue;
      Subscripts from = op.getSubscripts(*input),
                 to = op.getSubscripts(*op.getDpsInitOperand(0));
      if (!from.empty() && from.size() == to.size() &&
          from.back() != to.back() && llvm::is_contained(to, from.back()))
        return true;
    }
  return false;
}

/// Returns true if all operands of the elementwise op have the order in memory
/// that its result has.
static bool keepsRows(ComputeOp op) {
  Access written(*op.getDpsInitOperand(0));
  return written.isOneToOne() &&
         llvm::all_of(llvm::seq<unsigned>(op.getNumLoops()), [&](unsigned dim) {
           return !written.hasUnitStride(dim) ||
                  llvm::all_of(readInputs(op), [&](OpOperand *input) {
                    Access read(*input);
                    return !read.dependsOn(dim) || read.hasUnitStride(dim);
                  });
         });
}

/// Returns true if the consumer reads each element of the producer's result
/// once. A product of a matrix with a vector reads the matrix so, and as the
/// elementwise op that makes it can fold into the product, it need not go
/// through memory.
static bool foldsIntoReader(Candidate &pair) {
  auto ops = pair.producer.getBody().getOps<ComputeOp>();
  if (pair.producerKind != ReductionKind::None ||
      !llvm::hasSingleElement(ops) || pair.producer->getNumResults() != 1 ||
      !pair.producer->hasOneUse())
    return false;
  auto isRead = [&](OpOperand *input) {
    int number = inputNumber(pair.consumer, input->get());
    return number >= 0 &&
           pair.consumer.getIns()[number].getDefiningOp() == pair.producer;
  };
  unsigned reads = 0;
  for (auto op : pair.consumer.getBody().getOps<ComputeOp>())
    for (OpOperand *input : readInputs(op)) {
      if (!isRead(input))
        continue;
      if (!Access(*input).isOneToOne() || op.getNumReductionLoops() == 0)
        return false;
      ++reads;
    }
  ComputeOp op = *ops.begin();
  return reads == 1 && op.getNumReductionLoops() == 0 && !op.getName() &&
         keepsRows(op);
}

/// Returns true if an op reduces elements at computed indices. In a kernel with
/// ops over other rows it would pass over each row once for each element.
static bool reducesComputedRows(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
    return op.getNumReductionLoops() > 0 &&
           !op.getBlock()->getOps<tensor::ExtractOp>().empty();
  });
}

/// Fails, with the reason, if by the heuristics it is not profitable to fuse
/// these kernels.
static LogicalResult checkWorth(Candidate &pair, const Limits &limits,
                                std::string &reason) {
  auto refuse = [&](const char *why) {
    reason = why;
    return failure();
  };
  if (pair.consumerKind == ReductionKind::Contraction && !foldsIntoReader(pair))
    return refuse("the producer of a contraction's operand would be computed "
                  "again for each result");
  if (pair.consumerKind == ReductionKind::Contraction)
    return success();
  if (waitsForReader(pair))
    return refuse("what the consumer makes wider is read by the next kernel");
  if (transposesReads(pair))
    return refuse("the consumer transposes what the producer reads in order");
  if (pair.consumerKind == ReductionKind::None && sameSpace(pair))
    return success();
  if (pair.producerKind == ReductionKind::Contraction)
    return refuse("the consumer does not run over just the results of the "
                  "contraction");
  if (pair.producerKind == ReductionKind::None &&
      pair.consumerKind == ReductionKind::Rows) {
    // The producer folds into the reduction if nothing else reads it.
    bool single = llvm::all_of(pair.producer->getUsers(), [&](Operation *user) {
      return user == pair.consumer;
    });
    if (single &&
        llvm::hasNItemsOrLess(pair.consumer.getBody().getOps<ComputeOp>(), 2) &&
        llvm::all_of(pair.plan.loops, [&](LoopAttr loop) {
          return llvm::is_contained(pair.plan.common, loop.getName());
        }))
      return success();
  }
  if (reducesComputedRows(pair.producer) && isPadding(pair.consumer))
    return refuse("the producer can write into what the consumer pads");
  return checkRows(pair, limits, reason);
}

static LogicalResult checkLimits(KernelOp producer, KernelOp consumer,
                                 const Limits &limits, std::string &reason) {
  if (failed(checkOps(producer, consumer, limits.maxOps, reason)))
    return failure();
  SmallPtrSet<Value, 16> operands;
  for (KernelOp kernel : {producer, consumer})
    for (Value operand : llvm::concat<Value>(kernel.getIns(), kernel.getOuts()))
      if (operand.getDefiningOp() != producer &&
          operands.insert(operand).second &&
          operands.size() > limits.maxOperands) {
        reason = llvm::formatv("the kernel would have more than {0} operands",
                               limits.maxOperands);
        return failure();
      }
  return success();
}

/// Returns true if another version of the kernel has the iterations of some
/// runs.
static bool isVersion(KernelOp kernel) {
  return llvm::any_of(kernel.getLoops().getAsRange<LoopAttr>(),
                      [](LoopAttr loop) { return loop.getAtLeast() != 0; });
}

namespace {
struct KrnlFusePass : impl::KrnlFusePassBase<KrnlFusePass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (collapse)
      for (KernelOp kernel : kernelsOf(getOperation()))
        forwardCopy(rewriter, kernel);
    // The last one comes first: a copy then has readers that write parts.
    SmallVector<KernelOp> kernels = kernelsOf(getOperation());
    for (KernelOp kernel : llvm::reverse(kernels))
      composeCopies(rewriter, kernel, /*early=*/true);
    for (KernelOp consumer : kernelsOf(getOperation())) {
      if (KernelOp merged = fuseAttention(rewriter, consumer))
        consumer = merged;
      do
        while (KernelOp merged = fuseOneProducer(rewriter, consumer))
          consumer = merged;
      while (expandLoops(rewriter, consumer));
    }
    // Those of the others that belong to the makers of their inputs are gone.
    for (KernelOp kernel : kernelsOf(getOperation()))
      composeCopies(rewriter, kernel);
    for (KernelOp kernel : kernelsOf(getOperation())) {
      if (!kernel.getRecipe().empty())
        continue;
      inlineConstants(rewriter, kernel);
      reuseDestinations(rewriter, kernel);
      dropUnusedInputs(rewriter, kernel);
      if (!kernel.getKeepUnitLoops())
        dropUnitLoops(kernel);
      if (!collapse)
        continue;
      // The loops of a producer have the order of its own result.
      if (classify(kernel) == ReductionKind::None &&
          llvm::hasSingleElement(kernel.getBody().getOps<ComputeOp>()))
        orderLoops(kernel);
      collapseLoops(rewriter, kernel);
    }
  }

private:
  /// Merges the three parts of an attention, of which `consumer` may be the
  /// last; null if it is not.
  KernelOp fuseAttention(RewriterBase &rewriter, KernelOp consumer) {
    std::string reason;
    Limits limits{maxOps, maxOperands, maxRow};
    // krnl-join-attention queries the cost model of a device.
    if (!attention || TargetAttr::processorOf(consumer).isDevice())
      return nullptr;
    FailureOr<AttentionParts> parts = findAttention(consumer, reason);
    if (failed(parts) || consumer.getNumResults() != 1)
      return nullptr;
    SmallVector<KernelOp> copies;
    rewriter.setInsertionPoint(consumer);
    for (KernelOp part : parts->all())
      copies.push_back(cast<KernelOp>(rewriter.clone(*part)));
    copies.push_back(cast<KernelOp>(rewriter.clone(*consumer)));
    KernelOp merged =
        mergeAttention(rewriter, *parts, consumer, std::move(copies),
                       [&](KernelOp producer, KernelOp reader) {
                         return checkLimits(producer, reader, limits, reason);
                       });
    if (!merged)
      return nullptr;
    Value result =
        viewAs(rewriter, merged.getResult(0),
               cast<RankedTensorType>(consumer.getResult(0).getType()));
    if (!result) {
      eraseWithOperands(rewriter, merged);
      return nullptr;
    }
    rewriter.replaceAllUsesWith(consumer.getResult(0), result);
    eraseWithOperands(rewriter, consumer);
    for (KernelOp part : llvm::reverse(parts->all()))
      eraseWithOperands(rewriter, part);
    return merged;
  }

  /// Merges the nearest producer that belongs to the consumer; null if none
  /// does.
  KernelOp fuseOneProducer(RewriterBase &rewriter, KernelOp consumer) {
    if (!consumer.getRecipe().empty() || failed(checkBudget(consumer.getLoc())))
      return nullptr;
    SetVector<Operation *> producers;
    for (Value in : consumer.getIns())
      if (auto producer = in.getDefiningOp<KernelOp>();
          producer && producer->getBlock() == consumer->getBlock())
        producers.insert(producer);
    SmallVector<Operation *> nearest(producers.begin(), producers.end());
    llvm::sort(nearest, [](Operation *a, Operation *b) {
      return b->isBeforeInBlock(a);
    });
    for (Operation *op : nearest) {
      auto producer = cast<KernelOp>(op);
      std::string reason;
      FailureOr<KernelOp> merged =
          tryFuse(rewriter, producer, consumer, reason);
      if (succeeded(merged)) {
        foldElementwise(rewriter, *merged);
        return *merged;
      }
      reportApart(producer, consumer, "NotFused", getArgument(), reason);
    }
    return nullptr;
  }

  FailureOr<KernelOp> tryFuse(RewriterBase &rewriter, KernelOp producer,
                              KernelOp consumer, std::string &reason) {
    Limits limits{maxOps, maxOperands, maxRow};
    if (!producer.getRecipe().empty()) {
      reason = producer.getName().str() + " already has a recipe";
      return failure();
    }
    if (isVersion(producer)) {
      reason = producer.getName().str() + " does not have all iterations";
      return failure();
    }
    if (failed(checkLimits(producer, consumer, limits, reason)))
      return failure();
    FailureOr<LoopMapping> plan = mapLoops(producer, consumer, reason);
    if (failed(plan))
      return failure();
    Candidate pair{producer, consumer, classify(producer), classify(consumer),
                   std::move(*plan)};
    if (failed(checkWorth(pair, limits, reason)))
      return failure();
    return mergeKernels(rewriter, producer, consumer, reason);
  }
};
} // namespace
} // namespace onnxc::krnl
