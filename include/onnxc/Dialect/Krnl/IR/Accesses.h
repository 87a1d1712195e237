//===- Accesses.h - How ops read and write along loops ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The one analysis of accesses: the elements that adjacent iterations of a
// loop access, gathers of a payload along it, and the kind of the sum of an op.
// Fusion, layouts, recipes and emission use it. For
//
//   y[h, w, c] += x[h + k, w, c] * f[c, k]      reduced: k
//
//   x   stepAt(0, h) = stepAt(0, k) = 1, hasUnitStride(c), isWindow()
//   f   loopAt(0) = c, hasUnitStride(k), isPlain(), !dependsOn(h)
//   op  reductionKindOf() = Contraction
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_ACCESSES_H
#define ONNXC_DIALECT_KRNL_IR_ACCESSES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::target {
struct Processor;
} // namespace onnxc::target

namespace onnxc::krnl {

/// The indices of one operand of a structured op as functions of loops.
class Access {
public:
  /// The loops are the iterator dimensions of the op.
  explicit Access(mlir::OpOperand &operand);
  /// The loops are those of a nest, whose body op number `op` this is.
  Access(const LoopNest &nest, unsigned op, mlir::OpOperand &operand);

  /// Returns true if both access the same positions and cover the same
  /// dimensions.
  bool operator==(const Access &other) const {
    return subscripts == other.subscripts;
  }
  unsigned getRank() const { return subscripts.size(); }
  unsigned getNumLoops() const { return numLoops; }
  /// The rank without the last dimensions of one element at a fixed index,
  /// which do not separate adjacent elements in memory.
  unsigned rankAlongMemory() const { return memoryRank; }
  mlir::AffineExpr getIndex(unsigned position) const {
    return subscripts[position].index;
  }
  /// The loop that runs over the whole dimension and indexes it alone.
  std::optional<unsigned> loopAt(unsigned position) const {
    return subscripts[position].getLoop();
  }
  /// The loop that the index at the position is, or is at a constant distance
  /// from; nothing for other indices.
  std::optional<unsigned> shiftedLoopAt(unsigned position) const;
  /// The first index that depends on the loop, if it depends on no other.
  std::optional<unsigned> positionOf(unsigned loop) const;
  /// The number by which the index grows with each iteration of the loop, if it
  /// is always the same; else nothing.
  std::optional<int64_t> stepAt(unsigned position, unsigned loop) const;

  /// Returns true if each index grows by a constant with each iteration of the
  /// loop.
  bool isLinearAlong(unsigned loop) const;
  /// Returns true if an index depends on the loop, so that another iteration
  /// touches another element. Elements independent of the loop are reused.
  bool dependsOn(unsigned loop) const;
  /// Returns true if the index at one position depends on the loop.
  bool dependsOnAt(unsigned position, unsigned loop) const {
    return getIndex(position).isFunctionOfDim(loop);
  }
  /// Returns true if an index has a range outside of which no element is read;
  /// hasRangeAlong(): if such an index depends on the loop.
  bool hasRanges() const;
  /// The element outside of the ranges; null if it is zero.
  mlir::TypedAttr outside() const;
  bool hasRangeAlong(unsigned loop) const;
  /// Returns true if consecutive iterations of the loop access consecutive
  /// elements in memory.
  bool hasUnitStride(unsigned loop) const;
  /// The distance in elements from one iteration of the loop to the next, or 0
  /// if it is not known.
  int64_t stride(unsigned loop) const;
  /// The distance in bytes from one iteration of the loop to the next, or 0 if
  /// it is not known.
  int64_t pitch(unsigned loop) const;
  /// The largest divisor of `maxAlignment` that divides the place of each
  /// element that is accessed at the first iterations of these loops.
  int64_t alignment(llvm::ArrayRef<unsigned> first, int64_t maxAlignment) const;
  /// Returns true if each dimension is indexed by a loop that covers it, or at
  /// 0.
  bool isPlain() const;
  /// Returns true if each dimension is covered by a loop, or has one element.
  bool coversAll() const;
  /// Returns true if, apart from dimensions of one element, each loop covers
  /// exactly one dimension: each iteration has its own element, and each
  /// element an iteration.
  bool isOneToOne() const;
  /// Returns true if an index is neither a loop nor a constant, or has a range.
  bool isWindow() const;

private:
  Subscripts subscripts;
  mlir::ShapedType type;
  unsigned memoryRank, numLoops, numExtents = 0;
};

/// The least and the greatest value of an index, as it grows or falls along
/// each loop; nothing where a loop has a dynamic extent or no iteration.
std::optional<std::pair<int64_t, int64_t>>
valuesOf(mlir::AffineExpr index, llvm::ArrayRef<int64_t> extents);

/// Returns true if the op reads or writes the operand. Inputs that the payload
/// does not use are not read.
bool isAccessed(mlir::OpOperand &operand);

/// The inputs that the op reads.
llvm::SmallVector<mlir::OpOperand *> readInputs(ComputeOp op);

/// The number of the kernel's input that a tensor of its body is, or -1 for one
/// that is made inside or is a destination.
int inputNumber(KernelOp kernel, mlir::Value inside);

/// Returns true if the kernel only fills its result and copies into it.
bool isPadding(KernelOp kernel);

/// Returns true if the value of the host program is a constant or a view of one
/// in another shape.
bool isConstantView(mlir::Value value);

/// The iterator dimension of the op that runs over the loop of its kernel; the
/// number of dimensions, which no access depends on, if there is none.
unsigned dimOf(ComputeOp op, llvm::StringRef loop);

/// A window that moves over an operand along a dimension other than the last:
/// the element that one iteration of `loop` reads at one position of `window`,
/// the next one reads `stride` positions before.
struct Slide {
  unsigned loop, window;
  int64_t stride;
};

/// The window of the op that moves by a multiple of what its own positions are
/// apart, if there is one.
std::optional<Slide> findSlide(ComputeOp op);

/// The kind of the reduction of an op.
enum class ReductionKind {
  None,       ///< no loop is reduced
  Rows,       ///< whole dimensions of one tensor, or steps in order
  Contraction ///< a product of tensors, or a window
};
ReductionKind reductionKindOf(ComputeOp op);

/// The iterator dimensions of a contraction of two operands.
struct ContractionDims {
  /// Parallel dimensions of both operands, of one alone, and of neither.
  llvm::SmallVector<unsigned> batch, rows, columns, others;
  llvm::SmallVector<unsigned> reduced;
};
ContractionDims contractionDimsOf(ComputeOp op, mlir::OpOperand &columns,
                                  mlir::OpOperand &rows);

/// The payload of an op where one of its iterator dimensions runs across the
/// lanes of vectors.
class LaneAnalysis {
public:
  LaneAnalysis(ComputeOp op, unsigned dim);
  LaneAnalysis(ComputeOp op, llvm::StringRef loop)
      : LaneAnalysis(op, dimOf(op, loop)) {}

  /// Returns true if the value is the same in all lanes.
  bool isUniform(mlir::Value value) const {
    return strides.lookup(value) == Stride::None;
  }
  /// Returns true if the lanes read elements that are neither the same nor
  /// consecutive in memory.
  bool isGather(mlir::tensor::ExtractOp read) const;
  bool hasGathers() const;
  /// Returns true if there is enough vector arithmetic of floats to make up for
  /// the gathers, or there are no gathers. Returns false for gathers of
  /// elements of less than 32 bits.
  bool areGathersProfitable(const target::Processor &target) const;
  /// Bits of the widest element that lanes differ in; 0 if some element of the
  /// payload is no number that fits a vector. Indices become addresses, and do
  /// not count.
  unsigned vectorBits() const;

  /// Operations of the payload that each lane does for itself, and those that
  /// are done once for all of them.
  struct PayloadSize {
    int64_t perLane = 0, once = 0;
  };
  PayloadSize payloadSize() const;

private:
  /// How a value changes from one iteration to the next.
  enum class Stride { None, Even, Other };
  bool takesVector(mlir::Operation &inner) const;

  mlir::Block *body;
  /// Values not in the map are defined outside, once.
  llvm::DenseMap<mlir::Value, Stride> strides;
};

/// Returns true if all elements that the op reads, writes or computes with are
/// numbers that fit a vector.
bool fitsVectors(ComputeOp op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_ACCESSES_H
