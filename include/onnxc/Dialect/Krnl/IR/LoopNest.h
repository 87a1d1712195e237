//===- LoopNest.h - The simulated loops of a kernel ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A recipe is a list of steps; nothing is transformed while it is written.
// Every reader (verifier, merge, cost model, lowering) replays the steps on a
// LoopNest and then queries the loops of the nest.
//
// Worked example: loops [m = 128, n = 3072, k = 768], ops
//   #0 fill [m, n], #1 matmul [m, n, k] (reduces k), #2 relu [m, n]; recipe
//   block(n, 384) -> (n.o, n.cached), block(n.cached, 48) -> (n.p, n.r),
//   block(m, 8) -> (m.o, m.r), order(n.o, m.o, n.p, k, m.r, n.r),
//   fuse_outer(n.o, m.o, n.p), parallel(n.o, m.o), register_tile(m.r, n.r,
//   lanes=16)
// gives
//   order()          n.o(8, fuse_outer, parallel) m.o(16, fuse_outer, parallel)
//                    n.p(8, fuse_outer) k(768) m.r(8) n.r(48)
//   op #1 loops      n.o m.o n.p k m.r(Row) n.r(Column);  op #2 the same less k
//   axisExpr(1, n)   n.o * 384 + n.p * 48 + n.r
//   endsEarly(n.r)   false, as for all: 384 divides 3072, 48 384 and 8 128
//   numTiles         8 * 16, the parallel loops
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_H

#include "mlir/IR/AffineExpr.h"
#include "onnxc/Dialect/Krnl/IR/Loop.h"
#include "onnxc/Dialect/Krnl/IR/SharedSlices.h"
#include "onnxc/Target/IR/Processor.h"

#include <memory>

namespace onnxc::krnl {

class KernelOp;
class MaskedElements;

/// The steps after which a replay checks requirements between steps.
/// AfterLastStep is faster, for recipes that are compared; it does not find
/// errors that a later step corrects.
enum class NestChecks { AfterEachStep, AfterLastStep };

/// Starts the error of the step of a recipe that has this number, from 0.
using StepErrorFn = llvm::function_ref<mlir::InFlightDiagnostic(size_t step)>;

/// The loops after the steps of a recipe, as all readers query them. Questions
/// of one subject are functions in the headers of the folder LoopNest; steps
/// are those of a NestBuilder.
class LoopNest {
public:
  /// An operand of the kernel that pack and cache may name.
  struct Operand {
    /// A body op that reads it, and the axes that it depends on there.
    struct Reader {
      unsigned op;
      llvm::SmallVector<unsigned, 4> axes;
    };
    llvm::SmallVector<Reader, 1> readers;
    /// The axis that indexes each dimension, -1 for the index 0.
    llvm::SmallVector<int> dimAxes;
    /// All readers read it by `dimAxes`.
    bool plain = true;
    bool isStatic = true;
    int64_t elementBytes = 4;
  };

  /// The nest after all steps of the kernel's recipe. The error names the
  /// number of the step, its text and the reason; with `findsCause` a note has
  /// the earlier step after which it is not legal any more, if there is one.
  static mlir::FailureOr<LoopNest>
  replay(KernelOp kernel, StepErrorFn emitError, bool findsCause = false,
         NestChecks checks = NestChecks::AfterEachStep);
  /// The nest after all steps of the recipe of a kernel that verified: cannot
  /// fail.
  static LoopNest replay(KernelOp kernel);

  /// The nest after all steps of the kernel's recipe. Instead of a diagnostic,
  /// the message becomes `reason`.
  static mlir::FailureOr<LoopNest>
  tryReplay(KernelOp kernel, std::string &reason,
            NestChecks checks = NestChecks::AfterEachStep);

  mlir::MLIRContext *getContext() const { return context; }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// All loops ever made, by number; the first numAxes() are the kernel's own.
  /// Of a block the loop inside comes right after the loop over the blocks.
  llvm::ArrayRef<Loop> loops() const { return allLoops; }
  const Loop &loop(unsigned number) const { return allLoops[number]; }
  unsigned numAxes() const { return axes; }

  /// Live loops that exist for all ops, outermost first. The fused outer ones
  /// are a prefix of it, the parallel ones a prefix of those, and the mapped
  /// ones of them come next.
  llvm::ArrayRef<unsigned> order() const { return liveOrder; }
  llvm::SmallVector<unsigned> fusedOuterLoops() const;
  llvm::SmallVector<unsigned> parallelLoops() const;

  /// The loop that some of the ops are computed at, and these ops, the last
  /// of which reduces it.
  std::optional<unsigned> computeAtLoop() const;
  llvm::SmallVector<unsigned> computeAtOps() const;
  /// Returns true if the loop already encloses the position where the op
  /// begins: it is a fused outer loop, or ops are computed at it and this one
  /// is not the last of them.
  bool isAround(unsigned loop, unsigned op) const;
  /// How many fused outer loops enclose the op: all, unless it is hoisted.
  unsigned depthOf(unsigned op) const;

  /// The live loop of that name: of all ops, or of op `onlyOp` when not -1.
  std::optional<unsigned> find(llvm::StringRef name, int onlyOp = -1) const;

  /// Returns true if the loop stems (through blocks and fusions) from the axis.
  bool stemsFrom(unsigned loop, unsigned axis) const;
  /// The axes the loop stems from, ascending.
  llvm::SmallVector<unsigned> axesOf(unsigned loop) const;

  //===--------------------------------------------------------------------===//
  // Body ops
  //===--------------------------------------------------------------------===//

  /// The ops of the kernel, in the order of its body.
  llvm::ArrayRef<BodyOp> ops() const { return bodyOps; }
  const BodyOp &op(unsigned number) const { return bodyOps[number]; }
  /// The number of a linalg op of the kernel body.
  unsigned indexOf(mlir::Operation *op) const;
  /// Op by its name or by its number in decimal.
  std::optional<unsigned> findOp(llvm::StringRef nameOrNumber) const;

  //===--------------------------------------------------------------------===//
  // Expressions. Dimension i stands for the value of loop number i, symbol i
  // for the extent of axis number i. Where nothing is fused the result is a sum
  // of loop * stride; a fusion adds floordiv and mod (by a symbol if the inner
  // loop is dynamic, so expanders must handle semi-affine expressions).
  //===--------------------------------------------------------------------===//

  /// Value of a loop (an axis, or any replaced loop) for body op `op`.
  mlir::AffineExpr valueExpr(unsigned op, unsigned loop) const;
  /// Value of iterator dimension `dim` of body op `op`.
  mlir::AffineExpr axisExpr(unsigned op, unsigned dim) const;
  /// Trip count of any loop: a constant, or over the extents of the axes.
  mlir::AffineExpr extentExpr(unsigned loop) const;

  //===--------------------------------------------------------------------===//
  // Tails
  //===--------------------------------------------------------------------===//

  /// Returns true if the loop can end early, in the last block of a loop that
  /// it stems from.
  bool endsEarly(unsigned loop) const;
  /// Returns true if this is a loop over blocks whose last, shorter one is code
  /// of its own (TailStrategy::Peel).
  bool peels(unsigned loop) const;
  /// Returns true if steps of `factor` iterations may leave a rest: the extent
  /// is dynamic or no multiple of `factor`, or the loop ends early.
  bool leavesRest(unsigned loop, int64_t factor) const;
  /// The iterations of the last block of a loop, if it is shorter and they are
  /// known.
  std::optional<int64_t> knownRest(unsigned loop) const;
  /// Returns true if the loop can end early, in a block whose number of
  /// iterations is dynamic.
  bool leavesUnknownRest(unsigned loop) const {
    return endsEarly(loop) && !knownRest(loop);
  }
  /// A number that divides every trip count the loop can have.
  int64_t tripCountDivisor(unsigned loop) const;

  /// Returns true if unrolling and lanes cover all iterations of the loop.
  bool isInRegisters(const LoopUse &use) const;
  /// Returns true if this is the loop over or inside of blocks that are all
  /// executed as whole ones, even past the end (TailStrategy::Pad). Blocks of a
  /// loop that ends early are masked instead.
  bool pads(unsigned loop) const;
  /// The loop that replaced `loop` for the op: the loop over its blocks, whose
  /// inner loop has the next number, or the fused loop.
  unsigned childOf(unsigned op, unsigned loop) const;
  /// The live loops of the op that the value of `loop` is made from.
  llvm::SmallVector<unsigned> liveLoops(unsigned op, unsigned loop) const;

  //===--------------------------------------------------------------------===//
  // Records of steps that change no loop
  //===--------------------------------------------------------------------===//

  /// The operand of the kernel of that number; an op reads it.
  const Operand &operand(unsigned number) const { return operands[number]; }
  llvm::ArrayRef<Pack> packs() const { return allPacks; }
  /// The step that packs the operand; null if none does.
  const Pack *packOf(unsigned operand) const;
  llvm::ArrayRef<Prefetch> prefetches() const { return allPrefetches; }
  llvm::ArrayRef<Cache> caches() const { return allCaches; }
  llvm::ArrayRef<Pipeline> pipelines() const { return allPipelines; }
  llvm::ArrayRef<Mma> mmas() const { return allMmas; }
  /// The mask by which steps skip_masked end loops; null without such a step or
  /// such a mask.
  const MaskedElements *maskedElements() const { return masked.get(); }
  /// The maximum number of blocks of a launch; 0 for one for each tile.
  int64_t maxBlocks() const { return gridBlocks; }
  /// The maximum size of the shared memory of a block, in bytes, for slices and
  /// shared intermediates together.
  int64_t maxSharedBytes() const { return sharedBytes; }

  /// Returns true while every step so far keeps each reduction in its source
  /// order, so that results are bit-equal to those of the empty recipe.
  bool preservesOrder() const { return orderPreserved; }

  /// Writes a line for the order of all loops, and one for those of each op.
  void print(llvm::raw_ostream &os) const;

private:
  friend class NestBuilder;
  friend class LoopValues;
  explicit LoopNest(mlir::MLIRContext *context) : context(context) {}

  mlir::MLIRContext *context;
  unsigned axes = 0;
  llvm::SmallVector<Loop, 0> allLoops;
  llvm::SmallVector<unsigned> liveOrder;
  llvm::SmallVector<BodyOp, 0> bodyOps;
  llvm::SmallVector<Operand, 0> operands;
  llvm::SmallVector<Pack> allPacks;
  llvm::SmallVector<Prefetch> allPrefetches;
  llvm::SmallVector<Cache> allCaches;
  llvm::SmallVector<Pipeline> allPipelines;
  llvm::SmallVector<Mma> allMmas;
  std::shared_ptr<const MaskedElements> masked;
  /// The largest shared memory of a block of the target in bytes, see
  /// Processor.
  int64_t sharedBytes = target::Processor().sharedBytes;
  int64_t gridBlocks = 0;
  bool orderPreserved = true;
  /// The values of the loops by op, those that were asked for; none before the
  /// last step, as each step may alter them.
  mutable std::optional<
      llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr, 0>, 0>>
      knownValues;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_H
