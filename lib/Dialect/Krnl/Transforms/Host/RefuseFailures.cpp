//===- RefuseFailures.cpp - Models that can only fail -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLREFUSEFAILURESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// Reports the message of the run, with the sizes that are known.
void report(CheckOp check) {
  InFlightDiagnostic error = emitError(check.getLoc(), check.getMessage());
  if (check.getSizes().empty())
    return;
  error << ": ";
  StringRef rest = formatOf(check);
  for (Value size : check.getSizes()) {
    auto [text, after] = rest.split("{}");
    error << text;
    if (std::optional<int64_t> known = getConstantIntValue(size))
      error << *known;
    else
      error << "?";
    rest = after;
  }
  error << rest;
}

/// Refuses a tensor that no memory holds, for all dynamic sizes.
bool refuseTooLarge(Type type, Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || boundedBytes(tensor))
    return false;
  emitError(loc, "a tensor of type ")
      << type << " is too large: at most " << maxTensorBytes << " bytes";
  return true;
}

bool refuseTooLarge(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (refuseTooLarge(argument.getType(), argument.getLoc()))
          return true;
  return llvm::any_of(op->getResultTypes(), [&](Type type) {
    return refuseTooLarge(type, op->getLoc());
  });
}

struct KrnlRefuseFailures
    : public impl::KrnlRefuseFailuresPassBase<KrnlRefuseFailures> {
  void runOnOperation() override {
    WalkResult sizes =
        getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
          return refuseTooLarge(op) ? WalkResult::interrupt()
                                    : WalkResult::advance();
        });
    if (sizes.wasInterrupted())
      return signalPassFailure();
    getOperation()->walk<WalkOrder::PreOrder>([&](FunctionOpInterface host) {
      if (host.isExternal())
        return;
      for (auto check : host.front().getOps<CheckOp>())
        if (matchPattern(check.getCondition(), m_Zero())) {
          report(check);
          return signalPassFailure();
        }
    });
  }
};
} // namespace

} // namespace onnxc::krnl
