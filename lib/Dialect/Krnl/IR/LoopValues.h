//===- LoopValues.h - Values of the loops of an op --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_IR_LOOPVALUES_H
#define ONNXC_LIB_DIALECT_KRNL_IR_LOOPVALUES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The values of loops for one op, see LoopNest::valueExpr(). Those that others
/// are made of are found once. The nest has to outlive it and to stay as it is.
class LoopValues {
public:
  LoopValues(const LoopNest &nest, unsigned op)
      : nest(nest), op(op), known(nest.loops().size()) {}

  mlir::AffineExpr of(unsigned loop);

private:
  mlir::AffineExpr find(unsigned loop);

  const LoopNest &nest;
  unsigned op;
  /// By loop; null before it is asked for.
  llvm::SmallVector<mlir::AffineExpr, 32> known;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_IR_LOOPVALUES_H
