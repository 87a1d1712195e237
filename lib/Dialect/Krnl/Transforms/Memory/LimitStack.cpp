//===- LimitStack.cpp - Intermediates that need another place ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/StackBytes.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLLIMITSTACKPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {
/// Results of an op that are intermediates on the stack.
struct Intermediates {
  unsigned op = 0;
  /// Bytes of one tile on the stack, and of the whole tensors in the arena.
  int64_t tileBytes = 0;
  double wholeBytes = 0;

  double multiple() const { return wholeBytes / double(tileBytes); }
};
} // namespace

/// Bytes of the whole tensor, which a dynamic size makes more than any other.
static double wholeBytes(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  double bytes = double(elementBytes(type.getElementType()));
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size)
                 ? std::numeric_limits<double>::infinity()
                 : double(std::max<int64_t>(size, 1));
  return bytes;
}

/// The intermediates on the stack, by the first op that writes them: those
/// first that the arena would have the largest multiple of.
static SmallVector<Intermediates> intermediatesOf(const StoragePlan &storage) {
  llvm::MapVector<unsigned, Intermediates> byOp;
  for (const auto &[root, slot] : storage.slots) {
    if (!slot.local || slot.isShared)
      continue;
    unsigned op = 0;
    while (!storage.writes(op, root))
      ++op;
    Intermediates &found = byOp[op];
    found.op = op;
    found.tileBytes +=
        int64_t(llvm::alignTo(storage.tileBytes.lookup(root), stackAlignment));
    found.wholeBytes += wholeBytes(root);
  }
  auto all = llvm::to_vector(llvm::make_second_range(byOp));
  llvm::sort(all, [](const Intermediates &a, const Intermediates &b) {
    return std::tuple(b.multiple(), a.op) < std::tuple(a.multiple(), b.op);
  });
  return all;
}

/// Adds the step `arena` for intermediates that do not fit the stack beside
/// those that the arena would have more bytes of.
static void limitStack(KernelOp kernel, int64_t maxBytes) {
  LoopNest nest = LoopNest::replay(kernel);
  StoragePlan storage(kernel, nest, forwardsOfTarget(kernel, nest));
  storage.assign();
  int64_t bytes = scratchSliceBytes(nest);
  SmallVector<unsigned> exceeding;
  for (const Intermediates &each : intermediatesOf(storage))
    if (bytes + each.tileBytes <= maxBytes)
      bytes += each.tileBytes;
    else
      exceeding.push_back(each.op);
  llvm::sort(exceeding);
  SmallVector<Attribute> steps(kernel.getRecipe().getValue());
  for (unsigned op : exceeding)
    steps.push_back(ArenaStepAttr::get(kernel.getContext(), nest.op(op).name));
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
