//===- LimitStack.cpp - Intermediates that need another place ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLLIMITSTACKPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

/// Adds the step `arena` where a tile has too much of an intermediate.
static void limitStack(KernelOp kernel, int64_t maxBytes) {
  LoopNest nest = LoopNest::replay(kernel);
  StoragePlan storage(kernel, nest, forwardsOfTarget(kernel, nest));
  storage.assign();
  SmallVector<Attribute> steps(kernel.getRecipe().getValue());
  for (const auto &[root, slot] : storage.slots) {
    if (!slot.local || storage.tileBytes.lookup(root) <= maxBytes)
      continue;
    unsigned op = 0;
    while (!storage.writes(op, root))
      ++op;
    steps.push_back(ArenaStepAttr::get(kernel.getContext(), nest.op(op).name));
  }
  kernel.setRecipeAttr(ArrayAttr::get(kernel.getContext(), steps));
}

namespace {
struct KrnlLimitStackPass : impl::KrnlLimitStackPassBase<KrnlLimitStackPass> {
  void runOnOperation() override {
    int64_t maxBytes = TargetAttr::processorOf(getOperation()).stackBytes;
    if (maxBytes < maxTileBytes)
      getOperation()->walk(
          [&](KernelOp kernel) { limitStack(kernel, maxBytes); });
  }
};
} // namespace

} // namespace onnxc::krnl
