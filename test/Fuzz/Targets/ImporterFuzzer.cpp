//===- ImporterFuzzer.cpp - Model files from random bytes ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Any bytes give a module that verifies, or errors.
//
//===----------------------------------------------------------------------===//

#include "MutateProto.h"

#include "onnxc/Importer/Importer.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "onnx/onnx_pb.h"

#include <cstdlib>
#include <memory>

using namespace mlir;
using namespace onnxc;

/// Models read into one context: types and attributes stay in it.
static constexpr unsigned runsPerContext = 500;

static MLIRContext &freshContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % runsPerContext == 0)
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = freshContext();
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  importer::ImportOptions options;
  options.limits.nodes = 2000;
  options.limits.seconds = 5;
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  FailureOr<OwningOpRef<ModuleOp>> module = importer::importModel(
      context, importer::ImportSource::memory(bytes, "fuzz.onnx", ""), options);
  if (failed(module) ? errors == 0 : failed(verify(**module)))
    std::abort();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return fuzz::mutateProto<::onnx::ModelProto>(data, size, maxSize, seed);
}
