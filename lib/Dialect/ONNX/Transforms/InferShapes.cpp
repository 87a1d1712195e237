//===- InferShapes.cpp - Write inferred types into the IR ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify/Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_INFERSHAPES
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

static bool setType(Value value, Type type) {
  if (value.getType() == type)
    return false;
  value.setType(type);
  return true;
}

/// The terminator's operands are the function's results.
static void updateResults(func::FuncOp function) {
  Operation *terminator = function.getBody().back().getTerminator();
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(),
                                             terminator->getOperandTypes()));
}

bool onnxc::onnx::writeTypes(ModuleOp module, DimAnalysis &analysis) {
  bool changed = false;
  module.walk([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    function.getBody().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          changed |= setType(argument, analysis.type(argument));
      for (Value result : op->getResults())
        changed |= setType(result, analysis.type(result));
    });
    updateResults(function);
  });
  return changed;
}

static bool isDynamic(Value value) {
  auto tensor = dyn_cast<TensorType>(value.getType());
  return tensor && !(tensor.hasRank() && tensor.hasStaticShape());
}

void onnxc::onnx::annotateDims(ModuleOp module, DimAnalysis &analysis) {
  module.walk([&](Operation *op) {
    if (!isa_and_present<ONNXDialect>(op->getDialect()))
      return;
    op->removeDiscardableAttr("onnx.dims");
    if (llvm::none_of(op->getResults(), isDynamic))
      return;
    Builder builder(op->getContext());
    SmallVector<Attribute> dims;
    for (Value result : op->getResults()) {
      if (!isa<RankedTensorType>(analysis.type(result))) {
        dims.push_back(builder.getUnitAttr());
        continue;
      }
      SmallVector<std::string> texts = analysis.texts(result);
      dims.push_back(builder.getStrArrayAttr(
          SmallVector<StringRef>(texts.begin(), texts.end())));
    }
    op->setDiscardableAttr("onnx.dims", builder.getArrayAttr(dims));
  });
}

namespace {

struct InferShapes final
    : public onnxc::onnx::impl::InferShapesBase<InferShapes> {
  using InferShapesBase::InferShapesBase;

  void runOnOperation() override {
    // Each repetition gives at least one more value a rank.
    while (true) {
      DimAnalysis analysis(getOperation(), /*warns=*/true);
      if (failed(analysis.reportRejected()))
        return signalPassFailure();
      writeTypes(getOperation(), analysis);
      if (refineOperands(getOperation()))
        continue;
      if (annotateOps)
        annotateDims(getOperation(), analysis);
      return;
    }
  }
};

} // namespace
