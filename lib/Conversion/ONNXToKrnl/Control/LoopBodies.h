//===- LoopBodies.h - Shared parts of Loop and Scan -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_LOOPBODIES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_LOOPBODIES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {

struct CarriedLoop {
  /// Null: only the condition ends the loop.
  mlir::Value tripCount;
  /// i1.
  mlir::Value condition;
  bool yieldsCondition;
  /// The loop ends after `tripCount` iterations and never earlier.
  bool isExact;
  /// Converted values before the first iteration, and their types in the graph.
  mlir::ValueRange carried;
  mlir::TypeRange initialTypes;
};

/// Types of loop-carried values, in the graph and converted: the joins of the
/// initial and the yielded types. Tensors of different ranks are boxed.
struct CarriedTypes {
  llvm::SmallVector<mlir::Type> graph, converted;
};

/// Fails if a row to be scanned is no tensor.
llvm::LogicalResult carriedTypes(mlir::Block &body, const CarriedLoop &plan,
                                 mlir::TypeRange arguments,
                                 CarriedTypes &types);

/// The loop; `arguments` makes the values that the body takes from the
/// counter, the condition and the loop-carried values.
mlir::scf::WhileOp
buildLoop(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
          const CarriedLoop &plan, const CarriedTypes &types, mlir::Block &body,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
              arguments);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_LOOPBODIES_H
