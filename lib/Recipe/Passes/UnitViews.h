//===- UnitViews.h - Views with dimensions of one element -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_UNITVIEWS_H
#define ONNXC_LIB_RECIPE_PASSES_UNITVIEWS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace onnxc {

/// For each dimension of the viewed tensor the one of the view that it is, or
/// nothing if it has one element. Nothing at all where the view changes other
/// dimensions than those of one element.
std::optional<llvm::SmallVector<std::optional<unsigned>>>
dimensionsOfView(mlir::Value view, mlir::Value viewed);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_UNITVIEWS_H
