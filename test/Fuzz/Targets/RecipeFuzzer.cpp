//===- RecipeFuzzer.cpp - Recipe files from random bytes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Any text gives entries, or errors.
//
//===----------------------------------------------------------------------===//

#include "ReadingContext.h"

#include "onnxc/Recipe/RecipeFile.h"

#include <cstdlib>

using namespace mlir;
using namespace onnxc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::ReadingContext context(/*maxRuns=*/10000, [](MLIRContext &made) {
    made.loadDialect<krnl::KrnlDialect>();
  });
  StringRef text(reinterpret_cast<const char *>(data), size);
  if (failed(parseRecipes(text, "fuzz.recipes", &context.get())) !=
      context.hasErrors())
    std::abort();
  return 0;
}
