//===- Loop.h - Loops, ops and packed operands of a nest ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The parts of a LoopNest that steps change or record.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOP_H
#define ONNXC_DIALECT_KRNL_IR_LOOP_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace onnxc::krnl {

/// Makes the diagnostic that a refused step reports; called at most once.
using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// How a block whose size does not divide the loop is finished.
enum class TailStrategy : uint32_t {
  Mask, ///< all blocks run the same code, under a bound known at run time
  Peel, ///< the last, shorter block is code of its own, others have no bound
  Pad   ///< all blocks are whole; iterations past the end store nothing
};
llvm::StringRef stringifyTail(TailStrategy tail);
std::optional<TailStrategy> symbolizeTail(llvm::StringRef text);

/// One loop that exists or existed: the axes of the kernel first, then the
/// loops that steps made. Loops are never removed, so numbers stay valid; a
/// loop that a step replaced is not live any more.
struct Loop {
  enum class Kind {
    Axis,       ///< named by the kernel
    BlockOuter, ///< over the blocks of parents[0]
    BlockInner, ///< inside one block of parents[0]
    Fused       ///< parents[0] and parents[1] (the inner one) run as one loop
  };

  std::string name;
  /// Trip count, ShapedType::kDynamic when known only at run time.
  int64_t extent = mlir::ShapedType::kDynamic;
  Kind kind = Kind::Axis;
  llvm::SmallVector<unsigned, 2> parents;
  /// Loops over blocks and fusions that were made of this one, for ops of their
  /// own or for all.
  llvm::SmallVector<unsigned, 2> children;
  /// The loop itself and all loops that it stems from, by number.
  llvm::SmallBitVector sources;
  /// BlockOuter, BlockInner: iterations of parents[0] per block.
  int64_t blockSize = 0;
  TailStrategy tail = TailStrategy::Mask;
  /// BlockOuter, BlockInner made by split_reduction: the inner loop indexes
  /// independent partial accumulators, combined after the outer loop.
  bool split = false;
  /// The body op the loop exists for, or -1 when it exists for all of them.
  int onlyOp = -1;
  bool live = true;
  bool fusedOuter = false;
  bool parallel = false;
  /// The tiles that differ in it alone are those of blocks that are one
  /// cluster.
  bool isCluster = false;
  /// Each iteration is that of a thread of its own, around all ops or inside
  /// each that has the loop, see map().
  bool mapped = false;
  /// The loop whose threads have its iterations, if it is mapped as another
  /// one; -1 if it has threads of its own.
  int threadsOf = -1;
  /// The ops of the loop are computed inside it one after the other, see
  /// computeAt().
  bool computeAt = false;

  bool isDynamic() const { return mlir::ShapedType::isDynamic(extent); }
};

/// The two loops of a register tile.
enum class RegisterRole {
  None,
  Row,   ///< fully unrolled; operands broadcast
  Column ///< in vectors, all of which are unrolled
};

/// How the unrolled copies of a loop and the lanes beside them are shuffled
/// before or after an access.
enum class Shuffle {
  Transpose, ///< lanes are rows, the copies their elements
  Interleave ///< the copies lie between the lanes
};
llvm::StringRef stringifyShuffle(Shuffle shuffle);
std::optional<Shuffle> symbolizeShuffle(llvm::StringRef text);

/// How one body op iterates over one of its live loops.
struct LoopUse {
  unsigned loop;
  /// Unrolled iterations per step; the extent means no loop is left.
  int64_t unroll = 1;
  /// Iterations unrolled per step in the rest that whole steps leave, for one
  /// loop after the other; what these leave is executed one iteration at a
  /// time.
  llvm::SmallVector<int64_t, 3> tail;
  /// The unrolled iterations are a group of bytes, multiplied and summed at
  /// once where there are vectors.
  bool dot = false;
  /// The sums of these products have 16 bits at first.
  bool shortSums = false;
  /// The unrolled iterations are the products of one step of an mma.
  bool mma = false;
  /// Vector lanes per step (a run-time tail is masked); 0 means scalar.
  int64_t lanes = 0;
  RegisterRole role = RegisterRole::None;
  /// The loop stems from an axis that the op reduces.
  bool reduced = false;
  /// A step asks for the shuffle.
  bool transpose = false, interleave = false;
  /// Lanes that are so many elements apart are accessed by vectors.
  llvm::SmallVector<int64_t, 2> strides;
  /// Transposed copies that are no whole vector are stored under a mask; of the
  /// columns of a register tile: so are all where only some rows are left.
  bool masked = false;
  /// The loop ends once a strip of it changes no accumulator.
  bool earlyExit = false;
  /// The loop ends where a mask hides the rest, see skipMasked().
  bool skipsMasked = false;

  /// Elements of each step.
  int64_t width() const { return std::max<int64_t>(lanes, 1); }
};

/// What a mask leaves of a loop in a tile.
struct VisibleIterations {
  /// Of the masked axis, counted from its first element; may be less than
  /// `minElements`. Over the fused outer loops, and the extents of axes.
  mlir::AffineExpr elements;
  /// Elements that are never left out: a row without any is NaN.
  int64_t minElements = 0;
  /// Elements that each iteration has; 0 for a loop along another axis, which
  /// has all of its iterations or none.
  int64_t each = 0;
};

/// A structured op of the kernel body, in body order.
struct BodyOp {
  /// The linalg op; null in nests that were built without IR.
  mlir::Operation *op = nullptr;
  /// Name of the op, else its number in the body.
  std::string name;
  /// Loop number (an Axis) for each iterator dimension of the op.
  llvm::SmallVector<unsigned, 4> axes;
  /// For each iterator dimension, whether the op reduces it.
  llvm::SmallVector<bool, 4> reduced;
  /// Live loops that stem from the axes, outermost first.
  llvm::SmallVector<LoopUse, 8> loops;
  /// The initial value of a reduction comes from another op of the body.
  bool initInside = false;
  /// A result is yielded by the kernel.
  bool yielded = false;
  /// The result of the op depends on the order of the reduced iterations.
  bool ordered = false;
  /// Partial results of the reduction can be combined, in any grouping.
  bool combinable = true;
  /// Sums up products of bytes, see byteProductOf().
  bool multipliesBytes = false;
  /// The results are in the arena of the run instead of on the stack.
  bool inArena = false;
  /// The results are in memory that the threads of a tile share.
  bool isShared = false;
  /// The fused outer loop outside of which the op runs, if it is not inside all
  /// of them, see hoist().
  std::optional<unsigned> hoistedFrom;

  const LoopUse *find(unsigned loop) const;
  LoopUse *find(unsigned loop);
};

/// pack(operand, [loops]): the operand is stored with these loops as its
/// dimensions, outermost first; loops of the operand that the step does not
/// list are put in front, in nest order.
struct Pack {
  unsigned operand;
  llvm::SmallVector<unsigned, 4> loops;
  /// The lanes of the vectors that packing at run time moves, and how these are
  /// shuffled in registers, if they are; 0 lanes: element by element.
  std::optional<Shuffle> shuffle;
  int64_t lanes = 0;
};

/// prefetch(operand, distance, line): the tiles that go by a panel of a packed
/// operand prefetch the panel `distance` further on, in lines of so many bytes.
struct Prefetch {
  unsigned operand;
  int64_t distance;
  int64_t lineBytes;
};

/// The dimensions of a packed operand, as loops: up to `panel` they say which
/// panel, from `columns` on they are its columns, perhaps as groups of bytes.
/// Those between are steps of the reduction.
struct PackedPanels {
  llvm::SmallVector<unsigned> loops;
  size_t panel, columns;

  llvm::ArrayRef<unsigned> steps() const {
    return llvm::ArrayRef(loops).slice(panel + 1, columns - panel - 1);
  }
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOP_H
