//===- ONNXToKrnl.cpp - Operators become kernels ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"

#include "Refusals.h"

#include "Builders/ScalarBuilder.h"
#include "Contractions/BlockedContraction.h"
#include "Control/ControlFlow.h"
#include "Quantization/QuantizedSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/Passes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

using namespace mlir;

namespace onnxc {

#define GEN_PASS_DEF_CONVERTONNXTOKRNLPASS
#include "onnxc/Conversion/ONNXToKrnl/Passes.h.inc"

Type krnlType(Type type) {
  if (isa<onnx::SeqType, onnx::OptType, onnx::MapType, UnrankedTensorType>(
          type))
    return krnl::ObjType::get(type.getContext());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(),
                                 krnlType(tensor.getElementType()));
  return ScalarBuilder::storageType(type);
}

KrnlTypeConverter::KrnlTypeConverter() { addConversion(krnlType); }

void populateONNXToKrnlPatterns(TypeConverter &converter,
                                RewritePatternSet &patterns) {
#define ONNXC_FAMILY(NAME)                                                     \
  populateONNXToKrnl##NAME##Patterns(converter, patterns);
#include "onnxc/Conversion/ONNXToKrnl/Families.def"
}

llvm::StringSet<> directlyLoweredOps(MLIRContext *context) {
  KrnlTypeConverter converter;
  RewritePatternSet patterns(context);
  populateONNXToKrnlPatterns(converter, patterns);
  llvm::StringSet<> names;
  for (const auto &pattern : patterns.getNativePatterns())
    if (std::optional<OperationName> root = pattern->getRootKind())
      names.insert(root->getStringRef());
  return names;
}

std::function<bool(Operation *)> directlyLoweredForms(MLIRContext *context,
                                                      bool strict) {
  return [strict, names = directlyLoweredOps(context)](Operation *op) -> bool {
    if (isa<onnx::MicrosoftMatMulNBitsOp>(op))
      return !strict && hasBlockedForm(op);
    if (isa<onnx::MicrosoftQLinearAddOp>(op))
      return hasConstantScales(op);
    return names.contains(op->getName().getStringRef());
  };
}

namespace {
struct ConvertONNXToKrnl
    : public impl::ConvertONNXToKrnlPassBase<ConvertONNXToKrnl> {
  /// Values have a type unless nothing uses them, and an op has a result that
  /// has one.
  LogicalResult checkTypes() {
    bool allTyped = true;
    getOperation()->walk([&](Operation *op) {
      auto isTyped = [](Value value) {
        return !isa<NoneType>(value.getType()) || value.use_empty();
      };
      bool hasResult =
          op->getNumResults() == 0 ||
          !llvm::all_of(op->getResultTypes(), llvm::IsaPred<NoneType>);
      if (!isa_and_present<onnx::ONNXDialect>(op->getDialect()) ||
          (hasResult && llvm::all_of(op->getOperands(), isTyped) &&
           llvm::all_of(op->getResults(), isTyped)))
        return;
      op->emitOpError("has a value whose type has not been inferred");
      allTyped = false;
    });
    return success(allTyped);
  }

  /// A tensor of unknown rank is an object: only ops that move it or read its
  /// shape take it.
  LogicalResult checkRanks() {
    bool allKnown = true;
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<onnx::ONNXDialect>(op->getDialect()))
        return;
      for (OpOperand &operand : op->getOpOperands())
        if (isa<UnrankedTensorType>(operand.get().getType()) &&
            !onnx::takesUnknownRank(operand)) {
          InFlightDiagnostic error =
              op->emitOpError("needs to know the rank of ");
          error << onnx::inputName(operand);
          if (allKnown)
            error.attachNote(op->getLoc())
                << "it follows from values of a run; where these are sizes of "
                   "inputs, --shape or --dim can give them";
          allKnown = false;
        }
    });
    return success(allKnown);
  }

  void runOnOperation() override {
    if (failed(checkTypes()) || failed(checkRanks()))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    KrnlTypeConverter converter;
    RewritePatternSet patterns(context);
    populateONNXToKrnlPatterns(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    Refusals refusals(directlyLoweredOps(context));
    refusals.populate(patterns);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<onnx::ONNXDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp func) {
      return converter.isSignatureLegal(func.getFunctionType());
    });
    target.addDynamicallyLegalOp<func::ReturnOp>(
        [&](func::ReturnOp op) { return converter.isLegal(op); });
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns),
                                   config)) ||
        refusals.any())
      return signalPassFailure();
    getOperation()->walk([](Operation *op) {
      op->removeAttr(graphTypesAttr);
      op->removeAttr(yieldedAttr);
      op->removeAttr(exactTripCountAttr);
    });
    numberCustomNodes(getOperation());
  }
};
} // namespace

} // namespace onnxc
