//===- CheckDeclaredRanks.cpp - Ranks that a file claims -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Dialect/ONNX/Transforms/UnknownRanks.h"

#include "mlir/IR/BuiltinOps.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_CHECKDECLAREDRANKS
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

namespace {

struct CheckDeclaredRanks final
    : public onnxc::onnx::impl::CheckDeclaredRanksBase<CheckDeclaredRanks> {
  using CheckDeclaredRanksBase::CheckDeclaredRanksBase;

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!mayVaryInRank(op))
        return;
      Value result = op->getResult(0);
      auto declared = dyn_cast<RankedTensorType>(result.getType());
      if (!declared)
        return;
      result.setType(UnrankedTensorType::get(declared.getElementType()));
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      auto cast = IdentityOp::create(builder, op->getLoc(), TypeRange(declared),
                                     ValueRange(result));
      result.replaceAllUsesExcept(cast.getResult(), cast);
    });
  }
};

} // namespace
