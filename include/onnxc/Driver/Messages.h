//===- Messages.h - Diagnostics as messages --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DRIVER_MESSAGES_H
#define ONNXC_DRIVER_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "onnxc/Driver/Driver.h"

namespace onnxc {

/// Hands the context's diagnostics to the message callback while it lives.
class MessageHandler : public mlir::ScopedDiagnosticHandler {
public:
  /// Notes that only show IR are left out unless `verbose`.
  MessageHandler(mlir::MLIRContext &context, const Events &events,
                 bool verbose);
};

/// A location in the user's words: model.onnx:"node".
std::string locationText(mlir::Location location);

/// Reports the time of each pass as a remark.
std::unique_ptr<mlir::PassInstrumentation> makePassTimer(const Events &events);

/// Fills in the recipes of the report once they are written.
std::unique_ptr<mlir::PassInstrumentation>
makeRecipeObserver(Report &report, const RecipeOptions &options);

/// Hands the module on after the pass that the observers name.
std::unique_ptr<mlir::PassInstrumentation>
makeAfterPass(const Observers &observers);

} // namespace onnxc

#endif // ONNXC_DRIVER_MESSAGES_H
