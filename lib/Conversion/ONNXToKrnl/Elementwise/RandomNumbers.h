//===- RandomNumbers.h - Random numbers inside kernels ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A number depends on nothing but the key of its node, which draw of the
// process this is, and its position: results are the same for any number of
// threads. The generator is Philox 4x32-10 (Salmon, Moraes, Dror, Shaw:
// "Parallel random numbers: as easy as 1, 2, 3", 2011).
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_ELEMENTWISE_RANDOMNUMBERS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_ELEMENTWISE_RANDOMNUMBERS_H

#include "Builders/ScalarBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

#include <optional>

namespace onnxc {

/// The seeds of one run of a node: i64 scalars.
struct RandomDraw {
  mlir::Value key, number;

  /// Draws numbers on the host by the runtime, from the node's own seed if it
  /// has one.
  static RandomDraw get(mlir::OpBuilder &b, mlir::Location loc,
                        std::optional<float> seed);
  /// The seeds of this draw inside a kernel.
  RandomDraw inside(krnl::KernelBuilder &kernel) const;
};

/// The four words of 32 bits, as i64, that belong to `position` (i64), inside a
/// kernel.
llvm::SmallVector<mlir::Value> randomWords(mlir::OpBuilder &b,
                                           mlir::Location loc, RandomDraw draw,
                                           mlir::Value position);

/// A number of [0, 1) from two words, in the type that `s` computes with, each
/// value of the type's precision as likely as any other.
mlir::Value uniformNumber(ScalarBuilder &s, mlir::Value word,
                          mlir::Value moreBits);
/// A number inside of (0, 1), symmetric about one half.
mlir::Value openUniformNumber(ScalarBuilder &s, mlir::Value word,
                              mlir::Value moreBits);

/// Position of an element of a tensor of these sizes in memory order, as i64.
mlir::Value linearPosition(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::ValueRange sizes, mlir::ValueRange index);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_ELEMENTWISE_RANDOMNUMBERS_H
