//===- ImporterFuzzer.cpp - Model files from random bytes ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Any bytes give a module that verifies, or errors.
//
//===----------------------------------------------------------------------===//

#include "MutateProto.h"
#include "ReadingContext.h"

#include "onnxc/Importer/Importer.h"
#include "onnxc/Support/Budget.h"

#include "mlir/IR/Verifier.h"
#include "onnx/onnx_pb.h"

#include <cstdlib>

using namespace mlir;
using namespace onnxc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::ReadingContext context(/*maxRuns=*/500);
  Limits limits;
  limits.nodes = 2000;
  limits.seconds = 5;
  limits.foldedBytes = 64 << 20; // below the largest allocation of one input
  Budget::start(&context.get(), limits);
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  FailureOr<OwningOpRef<ModuleOp>> module = importer::importModel(
      context.get(), importer::ImportSource::memory(bytes, "fuzz.onnx", ""),
      {});
  if (failed(module) ? !context.hasErrors() : failed(verify(**module)))
    std::abort();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return fuzz::mutateProto<::onnx::ModelProto>(data, size, maxSize, seed);
}
