//===- JoinSiblings.cpp - krnl-join-siblings --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels that read the same tensors over the same loops take a launch each,
// and read them each. One kernel does what both do, where a device then takes
// less time.
//
//   %a = kernel "ReduceMin" loops [d = 4096] ins(%x)
//   %b = kernel "ReduceMax" loops [d = 4096] ins(%x)
// -> %a, %b = kernel "ReduceMin+ReduceMax" loops [d = 4096] ins(%x)
//
//===----------------------------------------------------------------------===//

#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLJOINSIBLINGSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// What siblings have in common: the block of the host program, the numbers of
/// the kernels that make the tensors that they read, or of tensors that none
/// makes, and the extents of their loops.
struct Family {
  Block *block;
  std::vector<size_t> sources;
  std::vector<int64_t> extents;

  bool operator<(const Family &other) const {
    return std::tie(block, sources, extents) <
           std::tie(other.block, other.sources, other.extents);
  }
};

struct KrnlJoinSiblingsPass
    : DevicePass<impl::KrnlJoinSiblingsPassBase<KrnlJoinSiblingsPass>> {
  using DevicePass::DevicePass;

private:
  void begin() override {
    numbers.clear();
    last.clear();
  }
  void rewrite(KernelOp kernel) override;
  Family familyOf(KernelOp kernel);
  size_t numberOf(const void *source) {
    auto [at, isNew] = numbers.try_emplace(source, nextNumber);
    nextNumber += isNew;
    return at->second;
  }
  KernelOp joinIfCheaper(KernelOp first, KernelOp second);

  /// Of kernels and tensors, in the order in which they are met. A kernel that
  /// takes the place of two has the number of the first.
  DenseMap<const void *, size_t> numbers;
  size_t nextNumber = 0;
  /// The last kernel of each family.
  std::map<Family, KernelOp> last;
};

} // namespace

/// The tensor that a view shows.
static Value sourceOf(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (!isa<tensor::ReshapeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      break;
    view = op->getOperand(0);
  }
  return view;
}

/// Constants are no sources.
Family KrnlJoinSiblingsPass::familyOf(KernelOp kernel) {
  Family family{kernel->getBlock(), {}, {}};
  for (Value in : kernel.getIns()) {
    if (!isa<RankedTensorType>(in.getType()) || isConstantView(in))
      continue;
    Value source = sourceOf(in);
    auto maker = source.getDefiningOp<KernelOp>();
    family.sources.push_back(numberOf(maker ? maker.getAsOpaquePointer()
                                            : source.getAsOpaquePointer()));
  }
  llvm::sort(family.sources);
  family.sources.erase(llvm::unique(family.sources), family.sources.end());
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    family.extents.push_back(loop.isDynamic() ? ShapedType::kDynamic
                                              : loop.getExtent());
  return family;
}

/// The kernel that does what both do; null if it takes more time. Both could
/// run at the same time, so that it may not be much longer than one.
KernelOp KrnlJoinSiblingsPass::joinIfCheaper(KernelOp first, KernelOp second) {
  std::optional<NestCost> mine = chooser->costOf(first, {keepOrder}),
                          theirs = chooser->costOf(second, {keepOrder});
  if (!mine || !theirs ||
      first.getNumOperands() + second.getNumOperands() > maxJoinedOperands)
    return nullptr;
  IRRewriter rewriter(first.getContext());
  KernelOp joined = joinSiblings(rewriter, first, second);
  if (!joined)
    return nullptr;
  FormChoice choice(
      {"two kernels of the same loops", mine->cycles + theirs->cycles});
  choice.limitTo(maxSiblingGrowth * std::max(mine->cycles, theirs->cycles));
  choice.offer(
      {"one kernel of the same loops", chooser->cyclesOf(joined, {keepOrder})});
  if (!choice.report(second.getLoc(), getArgument())) {
    joined.erase();
    return nullptr;
  }
  size_t number = numberOf(first.getAsOpaquePointer());
  numbers.erase(first.getAsOpaquePointer());
  numbers.erase(second.getAsOpaquePointer());
  numbers[joined.getAsOpaquePointer()] = number;
  ResultRange results = joined.getResults();
  first.replaceAllUsesWith(results.take_front(first.getNumResults()));
  second.replaceAllUsesWith(results.drop_front(first.getNumResults()));
  first.erase();
  second.erase();
  return joined;
}

/// Joins the kernel with the last one of its family, so that the number of
/// tries is at most that of kernels.
void KrnlJoinSiblingsPass::rewrite(KernelOp kernel) {
  Family family = familyOf(kernel);
  if (family.sources.empty() || !kernel.getRecipe().empty())
    return;
  KernelOp &before = last[family];
  KernelOp joined = before ? joinIfCheaper(before, kernel) : KernelOp();
  before = joined ? joined : kernel;
}

} // namespace onnxc
