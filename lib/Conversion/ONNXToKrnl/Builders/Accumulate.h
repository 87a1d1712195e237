//===- Accumulate.h - One value for many elements ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_ACCUMULATE_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_ACCUMULATE_H

#include "Builders/ScalarBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

#include <functional>

namespace onnxc {

/// Makes a result of a total; `others` are the other elements that are read.
using FinishTotal = std::function<mlir::Value(
    ScalarBuilder &s, mlir::Value total, mlir::ValueRange others)>;

/// Stores totals of `onnxElement`s in `out` and returns the result to yield.
/// `total` accumulates in the place that it is given, in the type that elements
/// are computed in: `out` itself, unless more is made of totals. `finish` may
/// be null: the total as it is.
mlir::Value storeTotals(
    krnl::KernelBuilder &kernel, mlir::Type onnxElement,
    const krnl::KernelBuilder::Access &out,
    llvm::function_ref<mlir::Value(const krnl::KernelBuilder::Access &)> total,
    const FinishTotal &finish = {},
    llvm::ArrayRef<krnl::KernelBuilder::Access> others = {});

/// prepare(x) is merged, starting from neutral, in the type that elements are
/// computed in; the total is finished. `prepare` and `finish` may be null: the
/// element, the total as they are.
struct Accumulation {
  /// An element at computed indices, in the compute type.
  using Read = std::function<mlir::Value(ScalarBuilder &s)>;

  mlir::Value (*neutral)(ScalarBuilder &s);
  std::function<mlir::Value(ScalarBuilder &s, mlir::Value x)> prepare;
  mlir::Value (*merge)(ScalarBuilder &s, mlir::Value total, mlir::Value x);
  FinishTotal finish;
  /// Reads elements of `in` in place of its access, if not null.
  Read read = {};
};

/// Adds the ops that accumulate `in`, elements of `onnxElement`, over the loops
/// `reduced` into `out`. Returns the result to yield.
mlir::Value accumulate(krnl::KernelBuilder &kernel, mlir::Location loc,
                       mlir::Type onnxElement, const Accumulation &steps,
                       const krnl::KernelBuilder::Access &in,
                       const krnl::KernelBuilder::Access &out,
                       llvm::ArrayRef<mlir::AffineExpr> reduced,
                       llvm::ArrayRef<krnl::KernelBuilder::Access> others = {});

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_ACCUMULATE_H
