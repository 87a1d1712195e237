//===- KernelShape.h - Facts about kernels for recipes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_KERNELSHAPE_H
#define ONNXC_LIB_RECIPE_KERNELSHAPE_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/Processor.h"

#include <string>

namespace onnxc {

/// What an extent that only the run knows counts as where a contraction weighs
/// one tile, or one order, against another: long enough for whole tiles and for
/// operands to be packed. Loops that both operands
/// have, a batch or its heads, are not weighed: they run outside of all others.
constexpr int64_t guessedExtent = 512;

/// Extent of a loop by name; unknown ones count as `unknown`.
int64_t extentOf(krnl::KernelOp kernel, llvm::StringRef loop, int64_t unknown);

/// The product of two counts of iterations, elements or bytes, none negative,
/// that only choices depend on: at most 2^52, so that sums of them are exact.
int64_t estimatedProduct(int64_t a, int64_t b);

/// Is the extent known?
bool isStatic(krnl::KernelOp kernel, llvm::StringRef loop);

/// Names of all loops, in the order of the kernel.
llvm::SmallVector<std::string> loopNames(krnl::KernelOp kernel);

/// The loops of an access: the name where a dimension is indexed by just a
/// loop, else empty.
llvm::SmallVector<std::string> accessLoops(mlir::linalg::LinalgOp op,
                                           mlir::OpOperand &operand);

/// The same along memory: without the last dimensions that have one element
/// each, which do not part neighbours.
llvm::SmallVector<std::string> loopsAlongMemory(mlir::linalg::LinalgOp op,
                                                mlir::OpOperand &operand);

/// The indices of an access, without those last dimensions.
llvm::SmallVector<mlir::AffineExpr>
indicesAlongMemory(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

/// A window that moves over an operand along a dimension other than the last:
/// what one iteration of `loop` reads at one position of `window`, the next one
/// reads at the position before.
struct Slide {
  std::string loop, window;
};

/// The window of the op that moves by as much as its own positions are apart,
/// if there is one.
std::optional<Slide> findSlide(mlir::linalg::LinalgOp op);

/// Bytes from one iteration of the loop to the next in the operand's memory, or
/// 0 if that is not known.
int64_t pitchOf(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                llvm::StringRef loop);

/// Loops that the op reduces, in iterator order.
llvm::SmallVector<std::string> reducedLoops(mlir::linalg::LinalgOp op);

/// Bits of the widest element the op reads, writes or computes with; 0 if some
/// element is no number that fits a vector.
unsigned widestBits(mlir::linalg::LinalgOp op);

/// The same of what differs from lane to lane where `loop` runs across them.
/// Indices do not count: what they say are addresses.
unsigned vectorBits(mlir::linalg::LinalgOp op, llvm::StringRef loop);

/// Does every read at computed indices keep to a line in memory as `loop` moves
/// on: one position for all lanes, or positions that are sums and multiples of
/// the loop? Anything else would be read lane by lane.
bool readsInLine(mlir::linalg::LinalgOp op, llvm::StringRef loop);

/// Operations of the payload that lanes along the loop do each for itself, and
/// those that are done once for all of them.
struct PayloadSize {
  int64_t perLane = 0, once = 0;
};
PayloadSize payloadAlong(mlir::linalg::LinalgOp op, llvm::StringRef loop);

/// Do the vectors of all other arithmetic pay for reads that are made lane by
/// lane? True where there are no such reads.
bool gathersPay(mlir::linalg::LinalgOp op, llvm::StringRef loop,
                const target::Processor &target);

/// Work of one op, in bytes of traffic or what takes as long; unknown extents
/// count as `unknown`.
int64_t workBytesOf(krnl::KernelOp kernel, mlir::linalg::LinalgOp op,
                    int64_t unknown);

/// Bytes read and written if every loop runs once; unknown extents count as
/// `unknown`.
int64_t trafficBytes(krnl::KernelOp kernel, int64_t unknown);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_KERNELSHAPE_H
