//===- ExpandFunctions.cpp - Replace operators by their bodies -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Importer/FunctionBodies.h"
#include "onnxc/Importer/Passes.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace onnxc::importer {
#define GEN_PASS_DEF_EXPANDFUNCTIONS
#include "onnxc/Importer/Passes.h.inc"
} // namespace onnxc::importer

using namespace onnxc::importer;

namespace {
class ExpandFunctions
    : public onnxc::importer::impl::ExpandFunctionsBase<ExpandFunctions> {
public:
  using ExpandFunctionsBase::ExpandFunctionsBase;

  explicit ExpandFunctions(
      std::function<llvm::StringSet<>(MLIRContext *)> keptOps)
      : keptOps(std::move(keptOps)) {}

  void runOnOperation() override {
    llvm::StringSet<> kept;
    if (keptOps)
      kept = keptOps(&getContext());
    for (const std::string &name : keep)
      kept.insert(name);
    // A body may hold operators that have one themselves.
    for (int round = 0; round < maxRounds; ++round) {
      SmallVector<Operation *> found = collect(kept);
      if (found.empty())
        return;
      IRRewriter rewriter(&getContext());
      for (Operation *op : found)
        if (failed(expandFunction(op, rewriter)))
          return signalPassFailure();
    }
  }

private:
  /// Bodies are not recursive; none is nested nearly as deep.
  static constexpr int maxRounds = 16;

  SmallVector<Operation *> collect(const llvm::StringSet<> &kept) {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (isa_and_nonnull<onnxc::onnx::ONNXDialect>(op->getDialect()) &&
          !kept.contains(name) && hasFunctionBody(op))
        found.push_back(op);
    });
    return found;
  }

  std::function<llvm::StringSet<>(MLIRContext *)> keptOps;
};
} // namespace

std::unique_ptr<Pass> onnxc::importer::createExpandFunctions(
    std::function<llvm::StringSet<>(MLIRContext *)> keptOps) {
  return std::make_unique<ExpandFunctions>(std::move(keptOps));
}
