//===- OpEmitter.h - The ops at one point of the nest -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Emits structured ops at one point of the fused outer nest: each one's own
// loops, accumulators in registers, operands from registers or memory. A
// reduction keeps its accumulators across the reduction loops directly around
// its register loops. Only native 1-D vectors ever cross a loop.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_OPEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_OPEMITTER_H

#include "EmptyOperands.h"
#include "NestEmitter.h"
#include "PayloadEmitter.h"
#include "VectorAccess.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"

#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include <map>

namespace onnxc::krnl {

/// A result held in registers: by the instances of the loops it depends on.
struct RegisterValue {
  llvm::SmallVector<unsigned> loops;
  std::map<Instance, mlir::Value> values;
};

/// The values of the function being emitted for those of the kernel.
struct KernelValues {
  mlir::func::FuncOp func;
  /// Scalars and tensors of the kernel body -> values of the function.
  mlir::IRMapping uniform;
  /// Written by ops that meet an index out of range, which have numbers.
  mlir::Value errorWord;
  llvm::DenseMap<mlir::Operation *, int64_t> wrapNumbers;
};

/// Elements of an operand in an access of 16 bytes, 1 if they are in no vector.
int64_t elementsOfAccess(mlir::OpOperand &operand);

struct EarlyRead;

/// The parts that emit the ops of a kernel.
struct OpEmitterInputs {
  KernelOp kernel;
  const LoopNest &nest;
  const RegisterLoops &registerLoops;
  StoragePlan &storage;
  NestEmitter &loops;
  KernelValues &outside;
  EmptyOperands &empty;
  VectorAccess &access;
  mlir::ImplicitLocOpBuilder &b;
  LaneMath &math;
  const EmitOptions &options;
  const EmitPolicy &policy;
};

class OpEmitter : OpEmitterInputs {
public:
  explicit OpEmitter(const OpEmitterInputs &inputs)
      : OpEmitterInputs(inputs), active(loops.active) {}

  /// Emits all ops of the body at this point.
  void emitOps();

  /// Makes memory for the slices of operands that cache steps ask for.
  void allocateCaches();
  /// Copies slices where the body of `loop` begins: of a shared one, or of one
  /// of `op`.
  void fillCaches(unsigned loop, int op = -1);
  /// Begins to copy the slices of the first iterations of a loop of `op` that
  /// is a pipeline; nothing for others.
  void startPipeline(unsigned loop, unsigned op);
  /// Emits what follows such a loop.
  void endPipeline(unsigned loop, unsigned op);
  /// Emits what follows all ops of a tile.
  void endTile();

  /// Returns true if a warp of its own, the producer, copies the slices.
  bool hasProducer() const;
  /// Emits both parts of the threads, or all of them compute.
  void emitRoles(llvm::function_ref<void()> produce,
                 llvm::function_ref<void()> compute);
  /// Begins a tile; `before` emits how many the block has had.
  void enterTile(llvm::function_ref<mlir::Value()> before);
  /// Copies all slices of the tile.
  void produceTile();

private:
  /// The state of emitting one op at one point of the fused outer nest.
  struct OpState : OpPlan {
    explicit OpState(const OpPlan &plan) : OpPlan(plan) {}

    /// Which accumulators there are, for each result in this order.
    llvm::SmallVector<Instance> accumulatorInstances;
    /// The offsets, by result, of the point's element from its map's position.
    llvm::SmallVector<llvm::SmallVector<LaneIndex>> scatterOffsets;
    /// Reads shared by the instances of one point.
    std::map<std::pair<unsigned, Instance>, mlir::Value> reads;
    /// Vectors that wait for those whose elements lie beside or between theirs:
    /// by the memory, and the first instance of the loop that says which is
    /// which.
    llvm::DenseMap<mlir::Value,
                   std::map<Instance, llvm::SmallVector<mlir::Value>>>
        waiting;
  };
  struct Point;
  /// The copy that an op makes for a cache step: where, for which of its
  /// operands, and the loops inside `at` that index it.
  struct CachedSlice {
    unsigned at;
    unsigned op;
    mlir::OpOperand *use;
    bool isShared;
    llvm::SmallVector<unsigned> loops;
    /// The form that wgmma reads here.
    std::optional<SwizzledSlice> swizzle = {};
    /// Elements from one iteration of each to the next, and of all.
    llvm::SmallVector<int64_t> strides;
    int64_t size;
    /// Slices of iterations of `at` that follow each other, and how many
    /// iterations ahead they are copied.
    int64_t stages = 1, ahead = 0;
    mlir::Value memref;
    /// Where it is copied by boxes: these, and what counts the bytes of each
    /// stage.
    std::optional<TensorBoxes> boxes = {};
    mlir::Value barriers = {};
    /// The number of blocks of a cluster that copy some slices of the stage to
    /// each other, and the barrier that counts those that have read a stage;
    /// null unless there are several blocks or a producer.
    int64_t blocks = 1;
    mlir::Value readers = {};
    /// A warp of its own copies it.
    bool hasProducer = false;
  };
  /// A digit of the numbers of the parts that threads copy: so many steps of a
  /// loop, each of so many iterations.
  struct CopyDigit {
    unsigned loop;
    int64_t count, step;
  };
  struct Counter;
  using Values = llvm::SmallVector<mlir::Value>;

  // EmitCache.cpp: slices of operands copied to scratch memory.
  void placeSlice(CachedSlice &slice);
  void allocateCache(const Cache &cache, unsigned op, mlir::OpOperand &input);
  LaneIndex indexIn(const CachedSlice &slice, const Instance &instance);
  llvm::SmallVector<LaneIndex> indicesInSource(const CachedSlice &slice,
                                               OpState &state);
  void emitCacheCopy(const CachedSlice &slice, unsigned position);
  using Slices = llvm::SmallVector<const CachedSlice *>;
  Slices slicesAhead(unsigned loop, unsigned op);
  void copyAhead(const Slices &slices, unsigned loop, unsigned op);

  // EmitTensorCopies.cpp: the same by boxes of tensors.
  void allocateBoxes(const Cache &cache, CachedSlice &slice);
  Slices boxedSlices(const Slices &slices);
  void byThread(int64_t number, llvm::function_ref<void()> emit);
  LaneIndex iterationOf(const CachedSlice &slice);
  std::pair<LaneIndex, LaneIndex> stageOf(const CachedSlice &slice);
  void copyBoxes(const CachedSlice &slice);
  void startBoxes(const Slices &boxed);
  void copyBoxes(const Slices &slices);
  std::pair<LaneIndex, LaneIndex> firstOfPart(const CachedSlice &slice);
  void waitForReaders(const CachedSlice &slice);
  void makeBarriers(const Slices &slices);
  void showBarriers(const Slices &slices);
  bool waitsAfterTile(const CachedSlice &slice);
  void waitForBoxes(const Slices &slices);

  // EmitProducer.cpp: the same by a warp that computes nothing.
  Slices producedSlices();
  void releaseStage(const CachedSlice &slice, int64_t earlier);
  void releaseProducts(unsigned loop, unsigned op);
  void releaseLastProducts(const CachedSlice &slice);

  // CopyShared.cpp: the same by all threads of a tile.
  std::optional<unsigned> loopAlongMemory(const CachedSlice &slice);
  llvm::SmallVector<unsigned> loopsOfLine(const CachedSlice &slice,
                                          unsigned along, int64_t maxElements);
  int64_t lanesAlong(const CachedSlice &slice, llvm::ArrayRef<unsigned> line);
  int64_t paddingOf(const CachedSlice &slice, int64_t row);
  llvm::SmallVector<CopyDigit> copyDigits(const CachedSlice &slice,
                                          int64_t &lanes);
  void enterPart(const CachedSlice &slice, llvm::ArrayRef<CopyDigit> digits,
                 LaneIndex number, int64_t lanes);
  mlir::Value isInsideLoops(const CachedSlice &slice);
  bool isCopiedAhead(const CachedSlice &slice, mlir::Value source,
                     llvm::ArrayRef<LaneIndex> from, LaneIndex at,
                     int64_t lanes);
  void storePart(const CachedSlice &slice, LaneIndex at, mlir::Value part,
                 int64_t lanes);
  std::pair<LaneIndex, mlir::Value> loadPart(const CachedSlice &slice,
                                             OpState &state, mlir::Value source,
                                             int64_t lanes);
  void copyShared(const CachedSlice &slice);

  // EmitDot.cpp: products of groups of bytes.
  void writeOutColumns(unsigned number);
  mlir::Value keptValue(const OpState &state, mlir::OpResult result,
                        const RegisterValue &kept, const Instance &instance);
  std::optional<unsigned> dotLoop(const OpState &state);
  mlir::Value emitDot(OpState &state, const Instance &instance, unsigned group,
                      mlir::Value sum);
  bool isSameAlong(const OpState &state, const ByteFactor &factor,
                   unsigned loop);
  mlir::Value readFactor(OpState &state, const ByteFactor &factor,
                         const Instance &instance, unsigned group);
  mlir::Value readGroup(OpState &state, mlir::OpOperand &operand,
                        const Instance &instance, unsigned group);
  mlir::Value loadGroup(OpState &state, mlir::OpOperand &operand,
                        const Instance &instance, unsigned group);
  mlir::Value assembleWord(OpState &state, mlir::OpOperand &operand,
                           const Instance &instance, unsigned group,
                           int64_t first);
  mlir::Value assembleGroup(OpState &state, mlir::OpOperand &operand,
                            const Instance &instance, unsigned group);
  bool isPackedFor(const OpState &state, const Storage &slot, unsigned group);

  // EmitMma.cpp: products of matrices.
  const Mma *mmaHere(const OpState &state);
  struct SharedFactor;
  std::optional<SharedFactor> sharedFactor(const OpState &state,
                                           mlir::OpOperand &operand);
  void enterIteration(unsigned loop, LaneIndex at);
  void enterColumn(const Mma &mma, LaneIndex column);
  mlir::Value loadMatrices(OpState &state, const SharedFactor &factor,
                           const Mma &mma, const Instance &instance,
                           mlir::VectorType type, bool isRows,
                           bool isTransposed);
  mlir::Value loadFactor(OpState &state, const Mma &mma,
                         mlir::OpOperand &operand, const Instance &instance,
                         mlir::VectorType type, bool isRows);
  mlir::Value readFactor(OpState &state, const Mma &mma,
                         mlir::OpOperand &operand, const Instance &instance,
                         bool isRows);
  Values emitMma(OpState &state, const Mma &mma, mlir::ValueRange accumulators);

  // EmitWgmma.cpp: the same by warpgroups.
  bool isOfWarpgroup(unsigned op, const Mma &mma);
  LaneIndex swizzledIndex(const CachedSlice &slice, const Instance &instance,
                          bool isExchanged);
  mlir::Value descriptorOf(const CachedSlice &slice, const Mma &mma,
                           const Instance &instance);
  struct MatrixSumsOfPoint;
  MatrixSumsOfPoint gatherSums(OpState &state, const Mma &mma,
                               mlir::ValueRange accumulators);
  Values emitWgmma(OpState &state, const Mma &mma,
                   mlir::ValueRange accumulators);
  Values waitForProducts(OpState &state, unsigned loop, Values accumulators);

  // EmitPrefetch.cpp: prefetching the panels of a packed operand, and what is
  // read after a sum.
  void prefetchPanel(OpState &state, mlir::OpOperand &operand);
  void prefetchBefore(unsigned op);
  void prefetchLines(const EarlyRead &read, int64_t lineBytes);

  // OpEmitter.cpp: loops and points of one op.
  void emitOp(unsigned number);
  bool touchesShared(const OpState &state);
  Values emitOpLoops(OpState &state, unsigned position,
                     mlir::ValueRange accumulators);
  Values emitPoint(OpState &state, mlir::ValueRange accumulators);
  Values readArguments(OpState &state, const Instance &instance,
                       llvm::ArrayRef<int> at,
                       llvm::ArrayRef<mlir::Value> running);
  mlir::Value nextOf(OpState &state, const Instance &instance,
                     mlir::Value before, mlir::Value result);
  /// Returns true if a multiply and an add may be one operation. They may not
  /// where the model's order is to be kept.
  bool contracts(const OpState &state) {
    return state.accumulates && !options.strict;
  }
  Values emitInstance(OpState &state, const Instance &instance,
                      llvm::ArrayRef<mlir::Value> args);

  // EmitAccumulators.cpp: running values of reductions.
  bool isReduced(const OpState &state, unsigned loop);
  bool isSplit(const OpState &state, unsigned loop);
  bool splitsInstances(const OpState &state);
  int accumulatorAt(const OpState &state, const Instance &instance);
  Values initialAccumulators(OpState &state);
  mlir::Value combineInThread(OpState &state, mlir::ValueRange accumulators,
                              const Instance &instance,
                              mlir::Operation *combiner);
  void combineInBlock(OpState &state, llvm::MutableArrayRef<mlir::Value> totals,
                      mlir::Operation *combiner);
  void exchangeParts(OpState &state, llvm::SmallVectorImpl<Instance> &kept,
                     llvm::SmallVectorImpl<mlir::Value> &totals,
                     mlir::Operation *combiner);
  void finishAccumulators(OpState &state, mlir::ValueRange accumulators);

  // EmitOperands.cpp: operands and results, in registers and in memory.
  std::optional<unsigned> laneLoop(const OpState &state) {
    return loops.laneLoop(state.number);
  }
  /// How far apart lanes are that are shuffled.
  llvm::ArrayRef<int64_t> stridesHere(const OpState &state) {
    std::optional<unsigned> lane = laneLoop(state);
    return lane ? nest.op(state.number).find(*lane)->strides
                : llvm::ArrayRef<int64_t>();
  }
  int64_t lanesHere(const OpState &state) {
    return loops.lanesOf(state.number);
  }
  llvm::SmallVector<LaneIndex> indicesOf(OpState &state,
                                         mlir::OpOperand &operand,
                                         const Instance &instance, bool local);
  llvm::SmallVector<LaneIndex> movedBy(llvm::ArrayRef<LaneIndex> slot,
                                       llvm::ArrayRef<LaneIndex> at);
  mlir::Value readOperand(OpState &state, mlir::OpOperand &operand,
                          const Instance &instance);
  std::pair<unsigned, Instance> readKey(const OpState &state,
                                        mlir::OpOperand &operand,
                                        const Instance &instance);
  mlir::Value loadOperand(OpState &state, mlir::OpOperand &operand,
                          const Instance &instance);
  mlir::Value isInRange(mlir::OpOperand &operand, unsigned position,
                        const Subscript &subscript, LaneIndex index);
  mlir::Value andInRanges(unsigned op, mlir::OpOperand &operand,
                          const Instance &instance, mlir::Value all);
  mlir::Value hasElement(unsigned op, mlir::OpOperand &operand,
                         const Instance &instance);
  mlir::Value zeroOutside(unsigned op, mlir::OpOperand &operand,
                          const Instance &instance, mlir::Value value);
  void recordResult(OpState &state, unsigned result, const Instance &instance,
                    mlir::Value value);
  void storeResult(OpState &state, unsigned result, const Instance &instance,
                   mlir::Value value, llvm::ArrayRef<mlir::Value> aliases);

  // Accesses whose neighbours are in other instances.
  std::optional<unsigned> instanceLoop(const OpState &state,
                                       mlir::OpOperand &operand,
                                       bool LoopUse::*shuffle,
                                       int64_t minInstances,
                                       int64_t maxInstances);
  std::optional<unsigned> transposedLoop(const OpState &state,
                                         mlir::OpOperand &operand);
  bool loadTransposed(OpState &state, mlir::OpOperand &operand,
                      const Instance &instance, mlir::Value memref);
  bool loadInterleaved(OpState &state, mlir::OpOperand &operand,
                       const Instance &instance, mlir::Value memref);
  bool storeTransposed(OpState &state, unsigned result,
                       const Instance &instance, mlir::Value memref,
                       llvm::ArrayRef<LaneIndex> at, mlir::Value value);
  bool storeInterleaved(OpState &state, unsigned result,
                        const Instance &instance, mlir::Value memref,
                        llvm::ArrayRef<LaneIndex> at, mlir::Value value,
                        mlir::Value mask);
  mlir::Value allocateTile(mlir::Value like, int64_t rows, int64_t columns);

  llvm::SmallVector<ActiveLoop> &active;
  llvm::SmallVector<CachedSlice, 2> caches;
  /// The number of slices of the tiles that the block has had before, where a
  /// producer copies.
  LaneIndex slicesBefore;
  llvm::DenseMap<mlir::Value, RegisterValue> registers;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_OPEMITTER_H
