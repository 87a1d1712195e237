//===- TypeTexts.h - Types with the sizes of the model ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_PIPELINE_TYPETEXTS_H
#define ONNXC_PIPELINE_TYPETEXTS_H

#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"

namespace onnxc {

/// "(h + 1) floordiv 2": the size in terms of names that the model gives to
/// sizes of its inputs; empty if it has none for it, or the text is long.
std::string dimText(onnx::DimAnalysis &analysis, mlir::AffineExpr size);

/// "f32[batch, 3, (h + 1) floordiv 2]", with "?" for sizes without a text.
std::string typeText(onnx::DimAnalysis &analysis, mlir::Value value);

} // namespace onnxc

#endif // ONNXC_PIPELINE_TYPETEXTS_H
