//===- VectorAccess.h - Vectors in and out of memory ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Loads and stores of one element, or of one for each lane, at indices of which
// the distance from lane to lane is known:
//
//   1            a vector load
//   one of few   vector loads of all that lies between, and shuffles
//   any other    a gather, which takes as long as reads one by one
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_VECTORACCESS_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_VECTORACCESS_H

#include "LaneIndex.h"

#include "mlir/IR/BuiltinTypes.h"

namespace onnxc::krnl {

/// The value in all lanes; a vector, and the only lane, stay as they are.
mlir::Value broadcast(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      int64_t lanes);

/// The value of lanes and elements that nothing depends on: 1 for integers,
/// which no operation on them can trap on.
mlir::Value placeholder(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

/// The first `valid` of `lanes` bits are set.
mlir::Value firstLanesMask(mlir::ImplicitLocOpBuilder &b, int64_t lanes,
                           int64_t valid);

/// Rows become columns; there are a power of two of them, at most as many as
/// each has elements. Rows longer than that are squares side by side.
void transposeRows(mlir::ImplicitLocOpBuilder &b,
                   llvm::MutableArrayRef<mlir::Value> rows);

/// Rows of registers that become lines of memory.
struct Lines {
  mlir::Value memref;
  /// Where the first line begins; the steps lead from one to the next.
  llvm::SmallVector<LaneIndex> at;
  /// Elements of a line: as many as there are rows.
  int64_t length;
  /// A line that is shorter than a vector is stored under a mask.
  bool masked;
};

/// Vectors that read a row together: `instances` of `lanes` lanes, one after
/// the other, each in `copies` that begin an element further. Lanes are `step`
/// elements apart, at most as many as there are copies; there are `valid` ones
/// in all, at least one, or the first `left` of these if that is not null.
struct LaneWindow {
  int64_t lanes, instances, copies, step, valid;
  mlir::Value left;

  /// Elements from the first to the last one that is read.
  int64_t size() const { return step * (valid - 1) + copies; }
};

class VectorAccess {
public:
  VectorAccess(mlir::ImplicitLocOpBuilder &b, LaneMath &math)
      : b(b), math(math) {}

  /// Lanes outside of the mask, if there is one, are not touched. Where they
  /// are as many elements apart as one of `strides`, vectors are shuffled.
  mlir::Value load(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                   int64_t lanes, mlir::Value mask,
                   llvm::ArrayRef<int64_t> strides = {});
  void store(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
             mlir::Value value, int64_t lanes, mlir::Value mask,
             llvm::ArrayRef<int64_t> strides = {});

  /// The number of the element of the first lane, counted from the first one of
  /// the memory, and the number of all of them.
  LaneIndex numberOf(mlir::Value memref, llvm::ArrayRef<LaneIndex> at);
  LaneIndex countElements(mlir::Value memref);

  /// Elements from one lane to the next, if that is the same number everywhere.
  std::optional<int64_t> evenStep(mlir::Value memref,
                                  llvm::ArrayRef<LaneIndex> at);

  /// Stores vectors whose lanes lie between each other's: the first begins at
  /// `at`, the next an element further.
  void storeInterleaved(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                        llvm::ArrayRef<mlir::Value> parts, mlir::Value mask);

  /// Loads what lies between lanes a few elements apart once for all vectors of
  /// a window, and returns these: for each instance its copies.
  llvm::SmallVector<mlir::Value> loadInterleaved(mlir::Value memref,
                                                 llvm::ArrayRef<LaneIndex> at,
                                                 const LaneWindow &window);

  /// Loads the first `rows` of `lanes` rows of `count` elements, the lanes of
  /// `at`, and returns their columns. There is one row at least.
  llvm::SmallVector<mlir::Value>
  loadTransposed(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                 int64_t lanes, mlir::OpFoldResult rows, int64_t count);
  /// Transposes the rows and writes the first `valid` lines, at least one.
  void storeLines(llvm::ArrayRef<mlir::Value> rows, const Lines &lines,
                  mlir::OpFoldResult valid);
  /// Transposes and writes several columns of registers, in a loop, so that the
  /// code that transposes them is there once: they go through `tile`, memory
  /// for all of them.
  void storeColumns(llvm::ArrayRef<mlir::Value> rows, const Lines &lines,
                    mlir::Value tile);

private:
  /// A vector whose first `count` lanes hold elements of a row, `step` apart.
  struct Piece {
    mlir::Value vector;
    int64_t first, step, count;

    /// The lane that holds the element, if one does.
    std::optional<int64_t> laneOf(int64_t element) const;
  };

  LaneIndex strideOf(mlir::Value memref, unsigned dim);
  mlir::Value areAdjacent(mlir::Value memref, llvm::ArrayRef<LaneIndex> at);
  mlir::Value loadLine(mlir::Value memref, mlir::ValueRange base,
                       mlir::VectorType type, mlir::Value mask);
  void storeLine(mlir::Value memref, mlir::ValueRange base, mlir::Value value,
                 mlir::Value mask);
  mlir::Value gather(mlir::Value memref, mlir::ValueRange base,
                     mlir::Value offsets, mlir::VectorType type,
                     mlir::Value mask);
  mlir::Value laneOffsets(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                          int64_t lanes,
                          llvm::SmallVectorImpl<mlir::Value> &base);
  llvm::SmallVector<mlir::Value> firstLane(llvm::ArrayRef<LaneIndex> at,
                                           int64_t offset);
  mlir::Value loadStrided(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                          mlir::VectorType type, int64_t step,
                          mlir::Value mask);
  llvm::SmallVector<Piece> loadPieces(mlir::Value memref,
                                      llvm::ArrayRef<LaneIndex> at,
                                      const LaneWindow &window);
  mlir::Value maskOfElements(const LaneWindow &window, int64_t first);
  mlir::Value assemble(llvm::ArrayRef<Piece> pieces,
                       llvm::ArrayRef<int64_t> elements);
  void storeStrided(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                    mlir::Value value, int64_t step);
  void storeLine(mlir::Value vector, int64_t first, const Lines &lines,
                 LaneIndex number);
  LaneIndex upTo(mlir::Value last, int64_t number);

  mlir::ImplicitLocOpBuilder &b;
  LaneMath &math;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_VECTORACCESS_H
