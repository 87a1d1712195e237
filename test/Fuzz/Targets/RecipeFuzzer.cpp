//===- RecipeFuzzer.cpp - Recipe files from random bytes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Any text gives entries, or errors.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <memory>

using namespace mlir;
using namespace onnxc;

/// Texts read into one context: attributes stay in it.
static constexpr unsigned runsPerContext = 10000;

static MLIRContext &freshContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % runsPerContext == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<krnl::KrnlDialect>();
  }
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = freshContext();
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  StringRef text(reinterpret_cast<const char *>(data), size);
  if (failed(parseRecipes(text, "fuzz.recipes", &context)) != (errors != 0))
    std::abort();
  return 0;
}
