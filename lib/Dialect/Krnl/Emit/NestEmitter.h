//===- NestEmitter.h - Loops and tails of a nest ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Opens the loops of a replayed nest and knows the value of each at the point
// being emitted. It knows nothing of their bodies.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_NESTEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_NESTEMITTER_H

#include "LaneIndex.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/OpPlan.h"

#include <array>

namespace onnxc::krnl {

class KernelOp;

/// The state of a live loop at the point being emitted.
struct ActiveLoop {
  /// Index of the first element of the current strip: `base + offset`, a null
  /// base being 0.
  mlir::Value base;
  int64_t offset = 0;
  /// Unrolled instance, and elements of each instance.
  int64_t instances = 1;
  int64_t lanes = 1;
  /// Number of valid elements from `base` if fewer than instances * lanes:
  /// either static, or a value. Without a limit all are valid.
  int64_t staticLimit = -1;
  mlir::Value dynamicLimit;
  /// For a loop over blocks that are peeled: whether these are the full blocks,
  /// or the last, shorter one.
  enum class BlockKind { Any, Full, Last } part = BlockKind::Any;
};

/// One choice of instance for every register loop, by loop number (0
/// elsewhere).
using Instance = llvm::SmallVector<int64_t, 8>;

/// The instance with 0 for the loops that are not picked.
Instance restrictTo(const Instance &instance,
                    llvm::function_ref<bool(unsigned)> pick);

class NestEmitter {
public:
  NestEmitter(const LoopNest &nest, const RegisterLoops &registers,
              LaneMath &math, mlir::ImplicitLocOpBuilder &b)
      : active(nest.loops().size()), nest(nest), registers(registers),
        math(math), b(b) {}

  /// The state of each loop, by loop number.
  llvm::SmallVector<ActiveLoop> active;
  /// The extents of the axes, and how far these run: not at all where others
  /// are empty.
  llvm::SmallVector<LaneIndex> extents, tripCounts;
  /// The values of the function for scalars of the kernel.
  const mlir::IRMapping *uniform = nullptr;

  /// The iterations of these loops that are the calling thread's; without
  /// them, all are.
  void setThread(llvm::ArrayRef<unsigned> loops,
                 llvm::ArrayRef<mlir::Value> indices) {
    for (auto [loop, index] : llvm::zip(loops, indices))
      thread[loop] = index;
  }
  /// The thread has the same iteration of a loop as of another one.
  void setSameThread(unsigned loop, unsigned other) {
    mlir::Value index = thread.lookup(other);
    thread[loop] = index;
  }
  /// Lets each block of a cluster have one of the parts of a sum, and of the
  /// shares of its results.
  void setCluster(unsigned parts, unsigned shares) {
    cluster = {parts, shares};
    for (unsigned loop : *cluster)
      thread[loop] = {};
  }
  /// Returns true if the calling thread has at most one iteration of the loop.
  bool isOfThreads(unsigned loop) const { return thread.contains(loop); }
  /// The number of the block in its cluster, which has parts of a sum; null
  /// where none has.
  mlir::Value blockOfCluster() const {
    return cluster ? thread.lookup(cluster->front()) : mlir::Value();
  }

  /// The extents of the parallel loops, and of that of the parts.
  llvm::SmallVector<mlir::OpFoldResult> tileExtents();
  /// Lets these loops be at the indices of a tile.
  void enterTile(llvm::ArrayRef<mlir::OpFoldResult> indices);
  /// Lets a loop be at one iteration.
  void enterIteration(unsigned loop, LaneIndex at) {
    active[loop] = ActiveLoop();
    active[loop].base = at.base;
    active[loop].offset = at.offset;
  }
  enum class LoopSide { Before, After };
  /// Emits the tile: the fused outer loops, calling `onLoop` where the body of
  /// one begins and `onSide` before and after the loop, and the variants of the
  /// register tile, with `onPoint` in each.
  void emitTile(llvm::function_ref<void(unsigned)> onLoop,
                llvm::function_ref<void(unsigned, LoopSide)> onSide,
                llvm::function_ref<void()> onPoint);

  /// Emits the body of a loop; takes and returns the values that its
  /// iterations carry.
  using Body =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  /// Emits a loop of the op: whole steps, then its tail.
  llvm::SmallVector<mlir::Value> emitLoop(const LoopUse &use, unsigned op,
                                          mlir::ValueRange carried, Body body);
  /// Emits a loop of the op with an exit after each step that changed no
  /// carried value.
  llvm::SmallVector<mlir::Value> emitEarlyExitLoop(const LoopUse &use,
                                                   unsigned op,
                                                   mlir::ValueRange carried,
                                                   Body body);
  /// How many iterations the loop has at this point.
  LaneIndex boundOf(unsigned loop, unsigned op);
  /// Emits a plain loop over all iterations, or over each `step`th one.
  void emitPlainLoop(unsigned loop, unsigned op,
                     llvm::function_ref<void()> body, int64_t step = 1);

  /// The value of one loop in an instance; `local`: counted from the current
  /// iteration on of loops that are around a part of so many fused outer loops.
  LaneIndex loopIndex(unsigned loop, const Instance &instance,
                      std::optional<unsigned> local = {}) const;
  /// The values of the iterator dimensions of the op.
  llvm::SmallVector<LaneIndex> axisValues(unsigned op, const Instance &instance,
                                          std::optional<unsigned> local = {});
  /// Emits an i1 that is true if the values of these loops of the op, which
  /// have padded blocks, are before their end in an instance; null if `padded`
  /// is empty.
  mlir::Value isInside(unsigned op, llvm::ArrayRef<unsigned> padded,
                       const Instance &instance);
  /// The loop of the op that has lanes here, if any, and how many.
  std::optional<unsigned> laneLoop(unsigned op) const;
  int64_t lanesOf(unsigned op) const;
  /// Which lanes of this instance are inside the loop's bound; null if all are.
  mlir::Value laneMask(unsigned op, const Instance &instance);
  /// Instances of all register loops of the op that satisfy `pick`.
  llvm::SmallVector<Instance>
  enumerate(unsigned op, llvm::function_ref<bool(unsigned)> pick) const;
  mlir::Value minimum(LaneIndex x, int64_t y);

  /// The values that one of two branches makes of the carried ones.
  llvm::SmallVector<mlir::Value>
  emitIf(mlir::Value condition, mlir::ValueRange carried,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> then,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> otherwise);

private:
  LaneIndex valueOf(unsigned op, unsigned loop);
  bool staysWithin(unsigned op, unsigned number, int64_t divisor) const;
  LaneIndex insideValue(unsigned op, unsigned loop,
                        llvm::ArrayRef<LaneIndex> values);
  LaneIndex visibleOf(unsigned loop, unsigned op, LaneIndex bound);
  LaneIndex endOf(unsigned loop, unsigned op);
  LaneIndex fullBlocks(unsigned loop, unsigned op);
  LaneIndex fullExtent(unsigned loop);
  void emitParallel(unsigned position);
  void emitFusedOuter(unsigned position);
  llvm::SmallVector<mlir::Value> emitMapped(unsigned loop, unsigned op,
                                            mlir::Value index,
                                            mlir::ValueRange carried,
                                            Body body);
  void emitTileVariants(unsigned position);
  void emitColumnTail(LaneIndex bound, int64_t vectors, int64_t lanes,
                      llvm::function_ref<void(int64_t)> emitMasked);
  void emitRowTail(const LoopUse &use, LaneIndex bound,
                   llvm::function_ref<void()> body);
  llvm::SmallVector<mlir::Value> emitSteps(const LoopUse &use, int64_t lanes,
                                           LaneIndex lower, LaneIndex upper,
                                           ActiveLoop state,
                                           mlir::ValueRange carried, Body body);
  llvm::SmallVector<mlir::Value> emitOnce(unsigned loop, LaneIndex lower,
                                          LaneIndex upper, ActiveLoop state,
                                          mlir::ValueRange carried, Body body);
  llvm::SmallVector<mlir::Value> emitBlock(const LoopUse &use, LaneIndex upper,
                                           ActiveLoop state,
                                           mlir::ValueRange carried, Body body);
  llvm::SmallVector<mlir::Value> emitRest(const LoopUse &use, LaneIndex rest,
                                          LaneIndex lower, LaneIndex upper,
                                          ActiveLoop state,
                                          mlir::ValueRange carried, Body body);
  llvm::SmallVector<mlir::Value> emitStrip(unsigned loop, LaneIndex lower,
                                           LaneIndex upper, int64_t step,
                                           ActiveLoop state,
                                           mlir::ValueRange carried, Body body);

  const LoopNest &nest;
  const RegisterLoops &registers;
  LaneMath &math;
  mlir::ImplicitLocOpBuilder &b;
  llvm::DenseMap<unsigned, mlir::Value> thread;
  /// The loops of the parts and of the shares.
  std::optional<std::array<unsigned, 2>> cluster;
  /// Only some rows of a register tile are left.
  bool inRowTail = false;
  /// The callbacks of emitTile(), while it runs.
  llvm::function_ref<void(unsigned)> onLoop;
  llvm::function_ref<void(unsigned, LoopSide)> onSide;
  llvm::function_ref<void()> onPoint;
};

/// The number of tiles, but 0 where one of the dynamic axes that all results
/// have, but those in `except`, is empty. `extents` has all axes.
mlir::Value tilesForResults(KernelOp kernel, const LoopNest &nest,
                            llvm::ArrayRef<unsigned> except,
                            mlir::ValueRange extents, mlir::OpBuilder &b,
                            mlir::Value tiles);

/// The extents of the axes, but 0 for those along which there is nothing to do
/// because others are empty: of the axes that tiles stem from, or of all others
/// where there is a tile.
llvm::SmallVector<LaneIndex> extentsWithWork(KernelOp kernel,
                                             const LoopNest &nest, bool ofTiles,
                                             llvm::ArrayRef<LaneIndex> extents,
                                             mlir::ImplicitLocOpBuilder &b);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_NESTEMITTER_H
