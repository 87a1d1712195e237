//===- CheckDeclaredRanks.cpp - Ranks that a file claims -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/Ranks/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_CHECKDECLAREDRANKS
#include "onnxc/Dialect/ONNX/Ranks/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

static bool isSqueezeWithoutAxes(Operation *op) {
  auto squeeze = dyn_cast<SqueezeOp>(op);
  return squeeze && !squeeze.getAxes();
}

/// The results of `op`, and values computed from them element by element.
static llvm::SetVector<Value> elementwiseUses(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert(op->result_begin(), op->result_end());
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers())
      if (isElementwise(user))
        values.insert(user->result_begin(), user->result_end());
  return values;
}

static void forgetRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type)
    value.setType(UnrankedTensorType::get(type.getElementType()));
}

/// Exporters squeeze the batch away, and declare the output that comes of one
/// sample: other implementations do not mind. True if `op` was of that kind.
static bool forgetOutputs(Operation *op) {
  if (!isSqueezeWithoutAxes(op))
    return false;
  llvm::SetVector<Value> values = elementwiseUses(op);
  bool reachesOutput = false;
  for (Value value : values)
    for (OpOperand &use : value.getUses()) {
      auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
      if (!function || !isa<func::ReturnOp>(use.getOwner()))
        continue;
      reachesOutput = true;
      SmallVector<Type> results(function.getResultTypes());
      results[use.getOperandNumber()] = UnrankedTensorType::get(
          cast<TensorType>(value.getType()).getElementType());
      function.setFunctionType(FunctionType::get(
          op->getContext(), function.getArgumentTypes(), results));
    }
  if (reachesOutput)
    llvm::for_each(values, forgetRank);
  return reachesOutput;
}

namespace {

struct CheckDeclaredRanks final
    : public onnxc::onnx::impl::CheckDeclaredRanksBase<CheckDeclaredRanks> {
  using CheckDeclaredRanksBase::CheckDeclaredRanksBase;

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!mayVaryInRank(op) || forgetOutputs(op))
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
