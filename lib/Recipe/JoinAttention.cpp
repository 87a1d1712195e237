//===- JoinAttention.cpp - krnl-join-attention ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Copies of the three kernels are merged to predict the time that one kernel
// would take, and two that have the keys in parts. Those that are slower vanish
// again.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"
#include "SplitAttention.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

#define GEN_PASS_DEF_KRNLJOINATTENTIONPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {
/// The kernels of an attention, and in how many parts of the keys these become
/// one kernel, and one that combines the parts; none if they stay.
struct Attention {
  KernelOp sums;
  AttentionParts parts;
  std::optional<int64_t> number;
  /// Predicted, of the three kernels and of these.
  double apart = 0, cycles = 0;

  bool isLike(const Attention &other) const {
    return areAlike(sums, other.sums) &&
           areAlike(parts.rows, other.parts.rows) &&
           areAlike(parts.scores, other.parts.scores);
  }
};

struct KrnlJoinAttentionPass
    : impl::KrnlJoinAttentionPassBase<KrnlJoinAttentionPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  void choose(IRRewriter &rewriter, Attention &attention);

  Processor processor;
};
} // namespace

/// The kernel reads the result of the other one by this input, or views of it.
static unsigned inputOf(KernelOp producer, KernelOp consumer) {
  return llvm::find_if(consumer.getIns(),
                       [&](Value in) {
                         return withoutViews(in).getDefiningOp() == producer;
                       }) -
         consumer.getIns().begin();
}

/// A copy of the three kernels in front of the last one, made one; null if they
/// cannot be. Its result may have more dimensions.
static KernelOp joinCopies(IRRewriter &rewriter, const AttentionParts &parts,
                           KernelOp sums) {
  // Copies use the views as well.
  unsigned inputs[] = {inputOf(parts.scores, parts.rows),
                       inputOf(parts.rows, sums)};
  rewriter.setInsertionPoint(sums);
  SmallVector<KernelOp> copies;
  for (KernelOp part : {parts.scores, parts.rows, sums})
    copies.push_back(cast<KernelOp>(rewriter.clone(*part)));
  bool isPossible = true;
  for (auto [producer, input] : llvm::enumerate(inputs))
    isPossible &=
        alignLoops(rewriter, copies[producer], copies[producer + 1], input);
  std::string reason;
  for (unsigned part : {1, 0}) {
    FailureOr<KernelOp> larger = failure();
    if (isPossible)
      larger = mergeKernels(rewriter, copies[part], copies.back(), reason);
    isPossible = succeeded(larger);
    if (!isPossible)
      break;
    copies.truncate(part);
    copies.push_back(*larger);
  }
  if (isPossible)
    return copies.front();
  for (KernelOp copy : llvm::reverse(copies))
    eraseWithOperands(rewriter, copy);
  return nullptr;
}

/// The kernels that an attention of one kernel becomes.
static SmallVector<KernelOp> divide(IRRewriter &rewriter, KernelOp joined,
                                    int64_t parts) {
  if (parts == 1)
    return {joined};
  FailureOr<AttentionSplit> split = splitAttention(rewriter, joined, parts);
  if (failed(split))
    return {};
  return {split->parts, split->total};
}

static void eraseAll(IRRewriter &rewriter, ArrayRef<KernelOp> kernels) {
  for (KernelOp kernel : llvm::reverse(kernels))
    eraseWithOperands(rewriter, kernel);
}

/// Finds the number of parts that takes the least time.
void KrnlJoinAttentionPass::choose(IRRewriter &rewriter, Attention &attention) {
  std::optional<double> apart = chosenCycles(
      {attention.parts.scores, attention.parts.rows, attention.sums},
      processor);
  if (!apart)
    return;
  double best = attention.apart = *apart;
  KernelOp joined = joinCopies(rewriter, attention.parts, attention.sums);
  if (!joined)
    return;
  std::optional<NestCost> together = chosenCost(joined, processor);
  bool isCheaper = together && together->cycles < best;
  if (isCheaper) {
    attention.cycles = together->cycles;
    attention.number = 1;
    // As for parts of other sums, another launch has to pay.
    best = minGainOfKind * together->cycles;
  }
  bool mayPay = !isCheaper || mayPayInParts(*together, processor);
  int64_t keys = mayPay ? splittableKeys(rewriter, joined) : 0, parts = 1;
  for (int64_t most = 2; most <= maxSumParts; most *= 2) {
    int64_t before = std::exchange(parts, largestDivisor(keys, most));
    if (parts == before || keys / parts < minTermsOfPart)
      continue;
    SmallVector<KernelOp> kernels = divide(rewriter, joined, parts);
    std::optional<double> cycles = chosenCycles(kernels, processor);
    eraseAll(rewriter, kernels);
    if (!cycles || *cycles >= best)
      continue;
    best = attention.cycles = *cycles;
    attention.number = parts;
  }
  eraseWithOperands(rewriter, joined);
}

/// The tensor with dimensions of which it has the parts.
static Value viewAs(IRRewriter &rewriter, Value tensor, RankedTensorType type) {
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from.getRank() == type.getRank())
    return tensor;
  rewriter.setInsertionPointAfterValue(tensor);
  return tensor::CollapseShapeOp::create(
      rewriter, tensor.getLoc(), type, tensor,
      *getReassociationIndicesForReshape(from, type));
}

/// Replaces the three kernels, if they are still there.
static void replace(IRRewriter &rewriter, const Attention &attention,
                    StringRef pass) {
  std::string reason;
  KernelOp sums = attention.sums;
  FailureOr<AttentionParts> parts = findAttention(sums, reason);
  KernelOp joined =
      succeeded(parts) ? joinCopies(rewriter, *parts, sums) : KernelOp();
  if (!joined)
    return;
  SmallVector<KernelOp> kernels = divide(rewriter, joined, *attention.number);
  if (!llvm::is_contained(kernels, joined))
    eraseWithOperands(rewriter, joined);
  if (kernels.empty())
    return;
  KernelOp last = kernels.back();
  remark::passed(sums.getLoc(), remark::RemarkOpts::name("Join").category(pass))
      << remark::add("{0}", last.getName().str())
      << remark::add("keys in {0} parts", *attention.number)
      << remark::add("{0} cycles instead of {1}", int64_t(attention.cycles),
                     int64_t(attention.apart));
  rewriter.replaceAllUsesWith(
      sums.getResult(0),
      viewAs(rewriter, last.getResult(0),
             cast<RankedTensorType>(sums.getResult(0).getType())));
  for (KernelOp part : {sums, parts->rows, parts->scores})
    eraseWithOperands(rewriter, part);
}

void KrnlJoinAttentionPass::runOnOperation() {
  processor = TargetAttr::processorOf(getOperation());
  if (!processor.isDevice())
    return;
  IRRewriter rewriter(&getContext());
  SmallVector<Attention> found;
  std::string reason;
  for (KernelOp kernel : kernelsOf(getOperation())) {
    FailureOr<AttentionParts> parts = findAttention(kernel, reason);
    if (succeeded(parts) && kernel.getNumResults() == 1)
      found.push_back({kernel, *parts, std::nullopt});
  }
  // Layers of a model have the same attention.
  for (Attention &attention : found) {
    auto *like = llvm::find_if(
        found, [&](const Attention &a) { return a.isLike(attention); });
    if (like == &attention) {
      choose(rewriter, attention);
      continue;
    }
    attention.number = like->number;
    attention.apart = like->apart;
    attention.cycles = like->cycles;
  }
  for (const Attention &attention : found)
    if (attention.number)
      replace(rewriter, attention, getArgument());
}

} // namespace onnxc
