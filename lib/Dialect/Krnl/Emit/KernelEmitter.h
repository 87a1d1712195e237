//===- KernelEmitter.h - Obeys one kernel's recipe --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Turns the structured ops of a krnl.kernel into loops over memrefs, the way
// its replayed LoopNest says. The shape of the result:
//
//   for tile = begin to end            // parallel loops, flattened
//     for fused outer loops                 // every op of the kernel inside
//       if full tile ... else tail     // register tiles have no inner tests
//         op 0: for its own loops, registers innermost
//         op 1: ...                    // takes op 0's registers if it can
//
// Registers: the instances of unrolled loops and the lanes of vectorized ones
// are "register loops". A value computed at the same point of the nest by an
// earlier op is handed over as an SSA value; only what cannot be handed over
// goes through memory. A reduction keeps its accumulators in registers across
// the reduction loops directly around its register loops. Only native 1-D
// vectors ever cross a loop.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_KERNELEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_KERNELEMITTER_H

#include "LaneIndex.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/ScopeExit.h"

#include <map>

namespace onnxc::krnl {

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
  /// Of a loop over blocks that are peeled: are these the full ones, or is it
  /// the last, shorter one?
  enum class BlockKind { Any, Full, Last } part = BlockKind::Any;

  /// Instance and lanes are in use: the loop is a register loop here.
  bool inRegisters() const { return instances > 1 || lanes > 1; }
};

/// Lanes this many elements apart are loaded as vectors and shuffled, at most.
inline constexpr int64_t longestStep = 4;

/// One choice of copy for every register loop, by loop number (0 elsewhere).
using Instance = llvm::SmallVector<int64_t, 8>;

/// A result held in registers: by the instances of the loops it depends on.
struct RegisterValue {
  llvm::SmallVector<unsigned> loops;
  std::map<Instance, mlir::Value> values;
};

/// Where a tensor of the kernel lives.
struct Storage {
  /// The whole tensor, or the part of it that one visit of the fused outer
  /// loops touches (`local`), or the packed form of an operand.
  mlir::Value memref;
  bool local = false;
  llvm::SmallVector<int64_t> localShape;
  /// The memref is indexed by loops, outermost first: a packed operand or the
  /// cached slice of one.
  bool byLoops = false;
  llvm::SmallVector<unsigned> packed;
};

class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, LoopNest nest, const EmitOptions &options);

  mlir::FailureOr<EmittedKernel> emit(mlir::OpBuilder &at,
                                      llvm::StringRef name);

private:
  /// The state of emitting one op at one point of the fused outer nest.
  struct OpState {
    unsigned number;
    mlir::linalg::LinalgOp op;
    /// Loops still to be opened around the op, outermost first.
    llvm::SmallVector<LoopUse> loops;
    /// The op reads its destination; position in `loops` from which on all
    /// loops are reduced, so that accumulators stay in registers.
    bool accumulates = false;
    /// All reduced loops are among these: each result has one start.
    bool startsOnce = false;
    unsigned firstReduced = 0;
    /// Which accumulators there are, for each result in this order.
    llvm::SmallVector<Instance> accumulatorInstances;
    /// Results that are accumulated: all but traces and those that go to
    /// computed indices, which are written at every point.
    llvm::SmallVector<unsigned> accumulated;
    /// By result: how far from its map's position the point's element goes.
    llvm::SmallVector<llvm::SmallVector<LaneIndex>> scatterOffsets;
    /// Reads shared by the instances of one point.
    std::map<std::pair<unsigned, Instance>, mlir::Value> reads;
    /// Vectors that wait for those whose elements lie beside or between theirs:
    /// by the memory, and the first copy of the loop that says which is which.
    llvm::DenseMap<mlir::Value,
                   std::map<Instance, llvm::SmallVector<mlir::Value>>>
        waiting;
  };

  // EmitStorage.cpp: where the tensors of the body live.
  mlir::LogicalResult assignStorage(EmittedKernel &result);
  bool isShared(mlir::OpOperand &init);
  mlir::Value chainRoot(mlir::Value tensor);
  bool canForward(mlir::OpResult produced, mlir::OpOperand &use);
  bool handsOver(unsigned op);
  bool needsMemory(mlir::OpResult produced);
  llvm::SmallVector<mlir::Value> destinationAliases(mlir::OpResult produced);
  int64_t lastLocal(unsigned op, mlir::AffineExpr value);
  llvm::SmallVector<int64_t> localShape(mlir::OpResult value);
  bool hasFusedOuterLoop(unsigned op, unsigned dim);

  // KernelEmitter.cpp: function, fused outer loops, variants of register tiles.
  void createFunction(mlir::OpBuilder &at, llvm::StringRef name,
                      EmittedKernel &result);
  void emitExtents();
  mlir::Value emitSize(mlir::Value tensor, int64_t dim);
  void emitUniformOps();
  llvm::SmallVector<LaneIndex>
  splitTileNumber(mlir::Value tile, llvm::ArrayRef<LaneIndex> extents);
  llvm::SmallVector<mlir::Value> nextTile(mlir::ValueRange indices,
                                          llvm::ArrayRef<LaneIndex> extents);
  void emitTiles();
  void emitParallel(unsigned position);
  void emitFusedOuter(unsigned position);
  void emitTileVariants(unsigned position);
  void emitRowTail(unsigned loop, int64_t extent, LaneIndex bound,
                   llvm::function_ref<void()> body);
  void emitOps();

  // EmitLoops.cpp: bounds and strips of one loop.
  LaneIndex valueOf(unsigned op, unsigned loop);
  LaneIndex boundOf(unsigned loop, unsigned op);
  LaneIndex fullBlocks(unsigned loop, unsigned op);
  LaneIndex fullExtent(unsigned loop);
  mlir::Value minimum(LaneIndex x, int64_t y);
  bool isRegisterTile(unsigned loop);
  int64_t lanesOf(const LoopUse &use, unsigned op);
  using LoopBody =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> emitLoop(const LoopUse &use, unsigned op,
                                          mlir::ValueRange carried,
                                          LoopBody body);
  llvm::SmallVector<mlir::Value>
  emitSteps(const LoopUse &use, int64_t lanes, LaneIndex lower, LaneIndex upper,
            ActiveLoop state, mlir::ValueRange carried, LoopBody body);
  bool exitsEarly(const OpState &state, unsigned loop,
                  mlir::ValueRange accumulators);
  llvm::SmallVector<mlir::Value> emitEarlyExitLoop(const LoopUse &use,
                                                   unsigned op,
                                                   mlir::ValueRange carried,
                                                   LoopBody body);
  llvm::SmallVector<mlir::Value>
  emitStrip(unsigned loop, LaneIndex lower, LaneIndex upper, int64_t step,
            ActiveLoop state, mlir::ValueRange carried, LoopBody body);

  // EmitCache.cpp: slices of operands copied to scratch memory.
  struct CachedSlice;
  void planCaches();
  void allocateCaches();
  void fillCaches(unsigned loop, int op = -1);
  void emitCacheCopy(const CachedSlice &slice, unsigned position);

  // EmitDot.cpp: products of groups of bytes.
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
  mlir::Value assembleGroup(OpState &state, mlir::OpOperand &operand,
                            const Instance &instance, unsigned group);
  bool isPackedFor(const OpState &state, const Storage &slot, unsigned group);

  // EmitPrefetch.cpp: asking for the next panel of a packed operand.
  struct Counter;
  bool countPasses(unsigned panel, Counter &passes);
  void prefetchPanel(OpState &state, mlir::OpOperand &operand);

  // EmitOp.cpp: one structured op at one point of the fused outer nest.
  bool fitsRegisters(const LoopUse &use, unsigned op);
  void hoistRegisterLoops(OpState &state);
  OpState prepare(unsigned number);
  mlir::Value startOf(const OpState &state, unsigned result);
  bool isOnlyStart(unsigned number);
  bool isInside(unsigned number);
  void emitOp(unsigned number);
  llvm::SmallVector<mlir::Value> emitOpLoops(OpState &state, unsigned position,
                                             mlir::ValueRange accumulators);
  llvm::SmallVector<mlir::Value> emitPoint(OpState &state,
                                           mlir::ValueRange accumulators);
  int accumulatorAt(const OpState &state, const Instance &instance);
  bool isReduced(const OpState &state, unsigned loop);
  bool isSplit(const OpState &state, unsigned loop);
  bool splitsInstances(const OpState &state);
  /// Instance of all register loops of the op that satisfy `pick`.
  llvm::SmallVector<Instance>
  enumerate(const OpState &state, llvm::function_ref<bool(unsigned)> pick);
  Instance restrictTo(const Instance &instance,
                      llvm::function_ref<bool(unsigned)> pick);
  llvm::SmallVector<mlir::Value> initialAccumulators(OpState &state);
  void finishAccumulators(OpState &state, mlir::ValueRange accumulators);
  void recordResult(OpState &state, unsigned result, const Instance &instance,
                    mlir::Value value);

  // EmitAccess.cpp: reading and writing one element or vector.
  LaneIndex loopIndex(unsigned loop, const Instance &instance, bool local);
  llvm::SmallVector<LaneIndex> axisValues(const OpState &state,
                                          const Instance &instance, bool local);
  llvm::SmallVector<LaneIndex> indicesOf(OpState &state,
                                         mlir::OpOperand &operand,
                                         const Instance &instance, bool local);
  llvm::SmallVector<LaneIndex> movedBy(llvm::ArrayRef<LaneIndex> slot,
                                       llvm::ArrayRef<LaneIndex> at);
  bool dependsOn(const OpState &state, mlir::OpOperand &operand, unsigned loop);
  /// The loop of the op that has lanes here, if any.
  std::optional<unsigned> laneLoop(const OpState &state);
  int64_t lanesHere(const OpState &state);
  mlir::Value laneMask(const OpState &state, const Instance &instance);
  mlir::Value allLanes(int64_t lanes);
  mlir::Value readOperand(OpState &state, mlir::OpOperand &operand,
                          const Instance &instance);
  mlir::Value load(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                   int64_t lanes, mlir::Value mask);
  void store(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
             mlir::Value value, int64_t lanes, mlir::Value mask);
  LaneIndex strideOf(mlir::Value memref, unsigned dim);
  std::optional<int64_t> evenStep(mlir::Value memref,
                                  llvm::ArrayRef<LaneIndex> at);
  mlir::Value laneOffsets(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                          int64_t lanes,
                          llvm::SmallVectorImpl<mlir::Value> &base);

  // EmptyOperands.cpp: operands that may have no element.
  void emitTilesUnlessEmpty();
  mlir::Value hasElements(mlir::Value memref);
  mlir::Value loadUnlessEmpty(mlir::tensor::ExtractOp extract,
                              mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                              int64_t lanes, mlir::Value mask);

  // EmitShuffle.cpp: lanes that are no neighbours in memory.
  mlir::Value loadStrided(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                          mlir::VectorType type, int64_t step,
                          mlir::Value mask);
  void storeApart(mlir::Value memref, llvm::ArrayRef<LaneIndex> at,
                  mlir::Value value, int64_t step);
  bool storeInterleaved(OpState &state, unsigned result,
                        const Instance &instance, mlir::Value memref,
                        llvm::ArrayRef<LaneIndex> at, mlir::Value value,
                        mlir::Value mask);

  // EmitTranspose.cpp: rows of memory that become columns.
  std::optional<unsigned> instanceLoop(const OpState &state,
                                       mlir::OpOperand &operand, int64_t least,
                                       int64_t most);
  std::optional<unsigned> transposedLoop(const OpState &state,
                                         mlir::OpOperand &operand);
  bool loadTransposed(OpState &state, mlir::OpOperand &operand,
                      const Instance &instance, mlir::Value memref);
  bool storeTransposed(OpState &state, unsigned result,
                       const Instance &instance, mlir::Value memref,
                       llvm::ArrayRef<LaneIndex> at, mlir::Value value);

  // EmitPayload.cpp: the scalar body of an op, on scalars or vectors.
  llvm::SmallVector<mlir::Value> emitPayload(OpState &state,
                                             const Instance &instance,
                                             llvm::ArrayRef<mlir::Value> args);
  /// The payload of one instance: values so far, and those of index type whose
  /// lanes are evenly spaced, which become vectors only where they must.
  struct Payload {
    OpState &state;
    const Instance &instance;
    mlir::IRMapping map;
    llvm::DenseMap<mlir::Value, LaneIndex> indices;
  };
  mlir::Value valueIn(Payload &payload, mlir::Value original);
  LaneIndex indexIn(Payload &payload, mlir::Value original);
  bool emitIndexOp(Payload &payload, mlir::Operation *op);
  mlir::Value emitPayloadOp(Payload &payload, mlir::Operation *op);
  mlir::Value emitExtract(Payload &payload, mlir::Operation *op);
  llvm::SmallVector<LaneIndex> indicesIn(Payload &payload,
                                         mlir::ValueRange original);
  mlir::Value emitScatterLoad(Payload &payload, ScatterLoadOp op);
  mlir::Value broadcast(mlir::Value value, int64_t lanes);

  mlir::Value emitWrapIndex(Payload &payload, WrapIndexOp op);
  /// The function argument for an operand of the kernel.
  mlir::Value argumentFor(unsigned operand);

  KernelOp kernel;
  LoopNest nest;
  const EmitOptions &options;
  mlir::ImplicitLocOpBuilder b;
  mlir::func::FuncOp func;
  LaneMath math;

  llvm::SmallVector<mlir::linalg::LinalgOp> ops;
  /// Scalars and tensors of the kernel body -> values of the function.
  mlir::IRMapping uniform;
  /// By root of the destination chain.
  llvm::MapVector<mlir::Value, Storage> storage;
  /// Roots that are written straight into a destination of the kernel.
  llvm::DenseMap<mlir::Value, unsigned> outputOf;
  llvm::DenseMap<unsigned, PackedOperand> packs;
  /// The copy that an op makes for a cache step: where, for which of its
  /// operands, and the loops inside `at` that index it.
  struct CachedSlice {
    unsigned at;
    unsigned op;
    mlir::OpOperand *use;
    llvm::SmallVector<unsigned> loops;
    mlir::Value memref;
  };
  llvm::SmallVector<CachedSlice> caches;
  /// By loop number.
  llvm::SmallVector<ActiveLoop> active;
  llvm::SmallVector<LaneIndex> extents;
  /// How far the axes are walked: no step where there is nothing to do.
  llvm::SmallVector<LaneIndex> tripCounts;
  llvm::DenseMap<mlir::Value, RegisterValue> registers;
  /// Register-tile loops; each has a variant for full tiles and one for tails.
  llvm::SmallVector<LoopUse> tileLoops;
  /// Of operands that may have no element: whether they have one.
  llvm::DenseMap<mlir::Value, mlir::Value> nonEmpty;
  /// The code being emitted is for runs where one of them has none.
  bool someEmpty = false;
  /// Only some rows of a register tile are left.
  bool inRowTail = false;
  /// Set by ops that meet an index out of range to their numbers, from 1.
  mlir::Value errorWord;
  llvm::DenseMap<mlir::Operation *, int32_t> wrapNumbers;
};

/// The extents of the axes, but 0 for those along which there is nothing to do
/// because others are empty: of the axes that tiles stem from, or of all others
/// where there is a tile.
llvm::SmallVector<LaneIndex> extentsWithWork(KernelOp kernel,
                                             const LoopNest &nest, bool ofTiles,
                                             llvm::ArrayRef<LaneIndex> extents,
                                             mlir::ImplicitLocOpBuilder &b);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_KERNELEMITTER_H
