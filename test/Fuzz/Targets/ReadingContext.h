//===- ReadingContext.h - A context to read many inputs into ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_FUZZ_TARGETS_READINGCONTEXT_H
#define ONNXC_TEST_FUZZ_TARGETS_READINGCONTEXT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace onnxc::fuzz {

/// The context of one execution, which counts the errors that are reported.
/// Types and attributes stay in a context: a new one is made for every
/// `maxRuns` executions, in which `load` loads dialects.
class ReadingContext {
public:
  ReadingContext(
      unsigned maxRuns,
      void (*load)(mlir::MLIRContext &) = [](mlir::MLIRContext &) {})
      : mlirContext(reuse(maxRuns, load)),
        handler(&mlirContext, [this](mlir::Diagnostic &diagnostic) {
          errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
          return mlir::success();
        }) {}

  mlir::MLIRContext &get() { return mlirContext; }
  bool hasErrors() const { return errors != 0; }

private:
  static mlir::MLIRContext &reuse(unsigned maxRuns,
                                  void (*load)(mlir::MLIRContext &)) {
    static std::unique_ptr<mlir::MLIRContext> context;
    static unsigned runs = 0;
    if (runs++ % maxRuns == 0) {
      context = std::make_unique<mlir::MLIRContext>(
          mlir::MLIRContext::Threading::DISABLED);
      load(*context);
    }
    return *context;
  }

  mlir::MLIRContext &mlirContext;
  unsigned errors = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace onnxc::fuzz

#endif // ONNXC_TEST_FUZZ_TARGETS_READINGCONTEXT_H
