//===- Refusals.cpp - Why an operator was not lowered -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Refusals.h"

#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"

using namespace mlir;

namespace onnxc {

/// Stands between a rewriter and its own listener: a conversion keeps the
/// reasons of its patterns to itself.
struct Refusals::Listener final : RewriterBase::ForwardingListener {
  Listener(OpBuilder::Listener *inner, Refusals &refusals)
      : ForwardingListener(inner), refusals(refusals) {}

  void notifyMatchFailure(Location loc,
                          function_ref<void(Diagnostic &)> reason) override {
    Diagnostic text(loc, DiagnosticSeverity::Note);
    reason(text);
    std::string message = onnx::messageText(text);
    if (!llvm::is_contained(refusals.reasons, message))
      refusals.reasons.push_back(std::move(message));
  }

  Refusals &refusals;
};

Refusals::Refusals(llvm::StringSet<> lowered) : lowered(std::move(lowered)) {}
Refusals::~Refusals() = default;

void Refusals::begin(OpBuilder &builder) {
  reasons.clear();
  if (listener && builder.getListener() == listener.get())
    return;
  listener = std::make_unique<Listener>(builder.getListener(), *this);
  builder.setListener(listener.get());
}

void Refusals::refuse(Operation *op) {
  hasRefused = true;
  StringRef name = op->getName().getStringRef();
  InFlightDiagnostic error = op->emitError("the operator ")
                             << name.drop_front(strlen("onnx."));
  if (!lowered.contains(name)) {
    error << " has no lowering yet";
    return;
  }
  error << " is not supported for (" << op->getOperandTypes() << ") -> ("
        << op->getResultTypes() << ")";
  for (const std::string &reason : reasons)
    error.attachNote() << reason;
}

/// Comes before all others, and takes nothing.
struct BeginOperator : public ConversionPattern {
  BeginOperator(Refusals &refusals, MLIRContext *context)
      : ConversionPattern(MatchAnyOpTypeTag(), /*benefit=*/1000, context),
        refusals(refusals) {}

  LogicalResult
  matchAndRewrite(Operation *, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    refusals.begin(rewriter);
    return failure();
  }

  Refusals &refusals;
};

/// Matches the operations that no other pattern has matched.
struct RefuseOperator : public ConversionPattern {
  RefuseOperator(Refusals &refusals, MLIRContext *context)
      : ConversionPattern(MatchAnyOpTypeTag(), /*benefit=*/0, context),
        refusals(refusals) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_present<onnx::ONNXDialect>(op->getDialect()) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return failure();
    refusals.refuse(op);
    // Something in place of the results, for the operators that follow.
    SmallVector<Value> results;
    for (Type type : op->getResultTypes())
      results.push_back(
          UnrealizedConversionCastOp::create(rewriter, op->getLoc(),
                                             krnlType(type), ValueRange())
              .getResult(0));
    rewriter.replaceOp(op, results);
    return success();
  }

  Refusals &refusals;
};

void Refusals::populate(RewritePatternSet &patterns) {
  patterns.add<BeginOperator, RefuseOperator>(*this, patterns.getContext());
}

} // namespace onnxc
