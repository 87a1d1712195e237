//===- ExpandFunctions.cpp - Replace operators by their bodies -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Importer/FunctionBodies.h"
#include "onnxc/Importer/Passes.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

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

  explicit ExpandFunctions(std::function<IsKeptFn(MLIRContext *)> makeIsKept)
      : makeIsKept(std::move(makeIsKept)) {}

  void runOnOperation() override {
    llvm::StringSet<> names;
    for (const std::string &name : keep)
      names.insert(name);
    IsKeptFn isLowered = makeIsKept ? makeIsKept(&getContext()) : IsKeptFn();
    auto isKept = [&](Operation *op) {
      return names.contains(op->getName().getStringRef()) ||
             (isLowered && isLowered(op));
    };
    // A body may hold operators that have one themselves.
    for (int round = 0; round < maxRounds; ++round) {
      SmallVector<Operation *> found = collect(isKept);
      if (found.empty())
        return;
      IRRewriter rewriter(&getContext());
      for (Operation *op : found) {
        remark::passed(
            op->getLoc(),
            remark::RemarkOpts::name("ExpandFunction").category(getArgument()))
            << remark::metric("From", op->getName().stripDialect())
            << remark::metric("Into", "the body that defines it");
        if (failed(expandFunction(op, rewriter)))
          return signalPassFailure();
      }
    }
  }

private:
  /// Bodies are not recursive; none is nested nearly as deep.
  static constexpr int maxRounds = 16;

  SmallVector<Operation *> collect(function_ref<bool(Operation *)> isKept) {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<onnxc::onnx::ONNXDialect>(op->getDialect()) &&
          hasFunctionBody(op) && !isKept(op))
        found.push_back(op);
    });
    return found;
  }

  std::function<IsKeptFn(MLIRContext *)> makeIsKept;
};
} // namespace

std::unique_ptr<Pass> onnxc::importer::createExpandFunctions(
    std::function<IsKeptFn(MLIRContext *)> makeIsKept) {
  return std::make_unique<ExpandFunctions>(std::move(makeIsKept));
}
