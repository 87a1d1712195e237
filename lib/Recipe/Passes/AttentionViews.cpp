//===- AttentionViews.cpp - No views around an attention --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Heads that share keys are rows of one product, so that views stand before and
// after the products. Without these, scales and transpositions fold into the
// products.
//
//===----------------------------------------------------------------------===//

#include "Passes/AttentionViews.h"

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

static bool isElementwise(KernelOp kernel) {
  return kernel.getRecipe().empty() && kernel.getNumResults() == 1 &&
         llvm::all_of(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
           return op.getNumReductionLoops() == 0;
         });
}

/// Returns true if the tensors have as many dimensions of one element. Others
/// of one tensor would be a part of a dimension of the other.
static bool haveSameUnits(Value a, Value b) {
  return llvm::count(cast<RankedTensorType>(a.getType()).getShape(), 1) ==
         llvm::count(cast<RankedTensorType>(b.getType()).getShape(), 1);
}

void alignFactors(RewriterBase &rewriter, KernelOp product) {
  for (unsigned input : llvm::seq<unsigned>(product.getIns().size())) {
    Value read = product.getIns()[input], made = withoutViews(read);
    auto maker = made.getDefiningOp<KernelOp>();
    if (maker && made != read && made.hasOneUse() &&
        maker->getBlock() == product->getBlock() && isElementwise(maker) &&
        haveSameUnits(made, read))
      alignLoops(rewriter, maker, product, input);
  }
}

/// Returns true if the kernel runs over nothing but the dimensions of the
/// input.
static bool runsOver(KernelOp kernel, unsigned input) {
  return llvm::all_of(kernel.getInArgument(input).getUses(),
                      [&](OpOperand &use) {
                        auto op = dyn_cast<ComputeOp>(use.getOwner());
                        if (!op)
                          return false;
                        SmallVector<StringRef> along = op.getLoopsAlong(use);
                        llvm::erase(along, "");
                        return along.size() == kernel.getLoops().size();
                      });
}

/// The kernel that alone reads views of the only result, and by which input;
/// null if none does.
static std::pair<KernelOp, unsigned> onlyReader(KernelOp kernel) {
  Value result = kernel.getResult(0), value = result;
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (auto reader = dyn_cast<KernelOp>(user)) {
      bool isOfViews = value != result &&
                       use.getOperandNumber() < reader.getIns().size() &&
                       reader->getBlock() == kernel->getBlock();
      return {isOfViews ? reader : KernelOp(), use.getOperandNumber()};
    }
    if (user->getNumResults() != 1 ||
        withoutViews(user->getResult(0)) != result)
      break;
    value = user->getResult(0);
  }
  return {};
}

KernelOp joinReader(RewriterBase &rewriter, KernelOp product) {
  auto [reader, input] = onlyReader(product);
  if (!reader || !isElementwise(reader) || !runsOver(reader, input) ||
      product.getNumResults() != 1 ||
      !haveSameUnits(product.getResult(0), reader.getIns()[input]) ||
      !alignLoops(rewriter, product, reader, input))
    return nullptr;
  std::string reason;
  FailureOr<KernelOp> merged = mergeKernels(rewriter, product, reader, reason);
  if (failed(merged))
    return nullptr;
  foldElementwise(rewriter, *merged);
  return *merged;
}

} // namespace onnxc
