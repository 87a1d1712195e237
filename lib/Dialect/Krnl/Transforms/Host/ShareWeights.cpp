//===- ShareWeights.cpp - One list of constants for all levels -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"

using namespace mlir;

namespace onnxc::krnl {

#define GEN_PASS_DEF_KRNLSHAREWEIGHTSPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

/// Adds the constants of `module` to the table and leads its views to them.
static void moveWeights(ModuleOp module, WeightTable &table) {
  auto weights = module->getAttrOfType<ArrayAttr>("krnl.weights");
  auto size = module->getAttrOfType<IntegerAttr>("krnl.weights_bytes");
  if (!weights || !size)
    return;
  auto entries = llvm::to_vector(weights.getAsRange<DictionaryAttr>());
  auto offsetOf = [&](size_t number) {
    return number == entries.size()
               ? size.getInt()
               : entries[number].getAs<IntegerAttr>("offset").getInt();
  };
  DenseMap<int64_t, int64_t> moved;
  for (auto [number, entry] : llvm::enumerate(entries))
    moved[offsetOf(number)] =
        table.add(entry.getAs<TypedAttr>("value"), entry.get("layout"),
                  offsetOf(number + 1) - offsetOf(number));
  module.walk([&](WeightViewOp view) {
    view.setOffset(moved.lookup(view.getOffset()));
  });
}

namespace {

struct ShareWeights : impl::KrnlShareWeightsPassBase<ShareWeights> {
  void runOnOperation() override {
    SmallVector<ModuleOp> levels(getOperation().getOps<ModuleOp>());
    if (levels.size() < 2)
      return;
    WeightTable table;
    for (ModuleOp level : levels)
      moveWeights(level, table);
    for (ModuleOp level : levels)
      table.record(level);
  }
};

} // namespace

} // namespace onnxc::krnl
