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
/// are made of are found once; after the last step the nest keeps them. The
/// nest has to outlive it and to stay as it is.
class LoopValues {
public:
  LoopValues(const LoopNest &nest, unsigned op);

  mlir::AffineExpr of(unsigned loop) {
    return known[loop] ? known[loop] : known[loop] = find(loop);
  }

private:
  mlir::AffineExpr find(unsigned loop);

  const LoopNest &nest;
  unsigned op;
  llvm::SmallVector<mlir::AffineExpr, 32> own;
  /// By loop; null before it is asked for.
  llvm::MutableArrayRef<mlir::AffineExpr> known;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_IR_LOOPVALUES_H
