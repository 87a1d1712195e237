//===- LoopParts.h - Ops over parts of a loop -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel that has parts of the sums of another one has its ops with one more
// loop, over the parts, and its tensors with one more dimension:
//
//   sum[m] += x[m, k]                k = 4096
//   sum[m, k.part] += x[m, k.part * 512 + k]
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_LOOPPARTS_H
#define ONNXC_LIB_RECIPE_PASSES_LOOPPARTS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/LoopNames.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// How a loop is divided into parts.
class LoopParts {
public:
  /// Where tensors have the dimension of the parts, and ops the loop: before
  /// all others, or after the dimensions and directly around the divided loop.
  enum class Place { First, Last };

  /// Parts of `size` iterations of the loop.
  LoopParts(llvm::StringRef loop, int64_t size, Place place)
      : loop(loop), part(axisBeside(loop, suffix::parts)),
        turn(axisBeside(loop, suffix::turns)), size(size), place(place) {}

  /// The divided loop, which runs over the iterations of one part; the loop
  /// over the parts, and that over the turns of each.
  std::string loop, part, turn;
  /// Iterations of a part in one turn.
  int64_t size;
  Place place;
  /// Iterations from one turn of a part to the next; 0 where each part has
  /// one turn.
  int64_t turnSize = 0;
  /// The last part may go on past the end of the loop, where reads give zero.
  bool isRagged = false;

  bool takesTurns() const { return turnSize > 0; }

  /// The type of so many parts of a tensor.
  mlir::RankedTensorType typeOf(mlir::Type type, int64_t parts) const;
  /// The access to the element of a part, whose number is given.
  krnl::Subscripts ofPart(krnl::Subscripts access, mlir::AffineExpr part) const;
  /// The loops of an op over the parts: those that `op` has in parallel, and
  /// the parts.
  llvm::SmallVector<llvm::StringRef> parallelAxes(krnl::ComputeOp op) const;
  /// The position of the loop over the parts in the op that clone() makes.
  unsigned dimIn(krnl::ComputeOp op) const;
  /// The access of that op to an operand of `op`, which has parts itself or has
  /// the elements of all.
  krnl::Subscripts accessOf(krnl::ComputeOp op, mlir::OpOperand &operand,
                            bool hasParts) const;
  /// Emits the number of the iteration of the whole loop.
  mlir::Value iteration(mlir::OpBuilder &b, mlir::Location loc) const;

  /// The op for each part, with its result in `to`; `mapping` has its operands
  /// and the values that its payload takes from outside.
  krnl::ComputeOp
  clone(mlir::RewriterBase &rewriter, krnl::ComputeOp op, mlir::Value to,
        const mlir::IRMapping &mapping,
        llvm::function_ref<bool(mlir::OpOperand &)> hasParts) const;
  /// An op that gives each part of the result of `op` a constant to start from.
  krnl::ComputeOp start(mlir::OpBuilder &b, mlir::Location loc,
                        krnl::ComputeOp op, mlir::TypedAttr neutral,
                        mlir::Value to) const;
};

/// Emits what the operation makes of the sum so far and a term.
mlir::Value applyCombiner(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Operation *combiner, mlir::Value sum,
                          mlir::Value term);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_LOOPPARTS_H
