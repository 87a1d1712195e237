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
//   block(n, 384) -> (n.o, n.c), block(n.c, 48) -> (n.p, n.r),
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
#include "mlir/IR/Diagnostics.h"
#include "onnxc/Dialect/Krnl/IR/Loop.h"
#include "onnxc/Dialect/Krnl/IR/SharedSlices.h"
#include "onnxc/Target/IR/Processor.h"

namespace onnxc::krnl {

class Access;
class KernelOp;
class PackedLayoutAttr;
class TargetAttr;

/// Makes the diagnostic that a refused step reports; called at most once.
using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The steps after which a replay checks requirements between steps.
/// AfterLastStep is faster, for recipes that are compared; it does not find
/// errors that a later step corrects.
enum class NestChecks { AfterEachStep, AfterLastStep };

class LoopNest {
public:
  /// The nest of the kernel before its first step: every axis is a live loop,
  /// in the order the kernel lists them. Requires a kernel whose axes verified.
  static LoopNest get(KernelOp kernel);

  /// The nest after all steps of the kernel's recipe. The error names the
  /// number of the step, its text and the reason; with `findsCause` a note has
  /// the earlier step after which it is not legal any more, if there is one.
  static mlir::FailureOr<LoopNest>
  replay(KernelOp kernel, EmitErrorFn emitError, bool findsCause = false,
         NestChecks checks = NestChecks::AfterEachStep);
  /// The nest after all steps of the recipe of a kernel that verified: cannot
  /// fail.
  static LoopNest replay(KernelOp kernel);

  /// The nest after all steps of the kernel's recipe. Instead of a diagnostic,
  /// the message becomes `reason`.
  static mlir::FailureOr<LoopNest>
  tryReplay(KernelOp kernel, std::string &reason,
            NestChecks checks = NestChecks::AfterEachStep);

  /// An empty nest to be filled by addAxis/addOp (tests, cost model).
  explicit LoopNest(mlir::MLIRContext *context) : context(context) {}
  unsigned addAxis(llvm::StringRef name, int64_t extent);
  unsigned addOp(llvm::StringRef name, llvm::ArrayRef<unsigned> axes,
                 llvm::ArrayRef<bool> reduced);

  mlir::MLIRContext *getContext() const { return context; }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// All loops ever made; the first numAxes() are the kernel's own. Of a block
  /// the loop inside comes right after the loop over the blocks.
  llvm::ArrayRef<Loop> loops() const { return allLoops; }
  const Loop &loop(unsigned number) const { return allLoops[number]; }
  unsigned numAxes() const { return axes; }

  /// Live loops that exist for all ops, outermost first. The fused outer ones
  /// are a prefix of it, the parallel ones a prefix of those, and the mapped
  /// ones of them come next.
  llvm::ArrayRef<unsigned> order() const { return liveOrder; }
  llvm::SmallVector<unsigned> fusedOuterLoops() const;
  llvm::SmallVector<unsigned> parallelLoops() const;
  llvm::SmallVector<unsigned> mappedLoops() const;
  /// All mapped loops of order(): mappedLoops(), and the loops that are mapped
  /// as one of them.
  llvm::SmallVector<unsigned> loopsOfThreads() const;
  int64_t numThreads() const;
  /// The threads that have the iterations of a mapped loop.
  ThreadLoop threadsOf(unsigned loop) const;
  /// The parallel loop whose iterations are the blocks of a cluster.
  std::optional<unsigned> clusterLoop() const;
  /// The loop that some of the ops are computed at, and these ops, the last
  /// of which reduces it.
  std::optional<unsigned> computeAtLoop() const;
  llvm::SmallVector<unsigned> computeAtOps() const;
  /// Returns true if the loop already encloses the position where the op
  /// begins: it is a fused outer loop, or ops are computed at it and this one
  /// is not the last of them.
  bool isAround(unsigned loop, unsigned op) const;

  /// The live loop of that name: of all ops, or of op `onlyOp` when not -1.
  std::optional<unsigned> find(llvm::StringRef name, int onlyOp = -1) const;

  /// Returns true if the loop stems (through blocks and fusions) from the axis.
  bool stemsFrom(unsigned loop, unsigned axis) const;
  /// The axes the loop stems from, ascending.
  llvm::SmallVector<unsigned> axesOf(unsigned loop) const;

  //===--------------------------------------------------------------------===//
  // Body ops
  //===--------------------------------------------------------------------===//

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

  /// Iterations of `ancestor`, a loop that blocks were made of, from one
  /// iteration of the loop to the next; nothing where loops were fused between.
  std::optional<int64_t> distanceIn(unsigned ancestor, unsigned loop) const;
  /// Returns true if unrolling and lanes cover all iterations of the loop.
  bool isInRegisters(const LoopUse &use) const;
  /// Returns true if this is the loop over or inside of blocks that are all
  /// executed as whole ones, even past the end (TailStrategy::Pad). Blocks of a
  /// loop that ends early are masked instead.
  bool pads(unsigned loop) const;
  /// Loops whose blocks are padded for the op: their values may be past their
  /// end. `reduced`: only loops that the op reduces.
  llvm::SmallVector<unsigned> paddedLoops(unsigned op,
                                          bool reduced = false) const;
  /// The padded loops that the element of an operand depends on, by an access
  /// over the loops of the op.
  llvm::SmallVector<unsigned> paddedLoops(unsigned op, const Access &access,
                                          bool reduced) const;
  /// The loop that replaced `loop` for the op: the loop over its blocks, whose
  /// inner loop has the next number, or the fused loop.
  unsigned childOf(unsigned op, unsigned loop) const;
  /// The live loops of the op that the value of `loop` is made from.
  llvm::SmallVector<unsigned> liveLoops(unsigned op, unsigned loop) const;

  //===--------------------------------------------------------------------===//
  // Records of steps that change no loop
  //===--------------------------------------------------------------------===//

  llvm::ArrayRef<Pack> packs() const { return allPacks; }
  const Pack *packOf(unsigned operand) const;
  /// Returns true if the operand of the kernel is packed.
  bool isPacked(mlir::OpOperand &operand) const;
  /// All loops that are dimensions of the packed array, outermost first: those
  /// in front that the step does not list, then the listed ones.
  llvm::SmallVector<unsigned> packedLoops(const Pack &pack) const;
  /// The stored form of a packed operand.
  PackedLayoutAttr packedLayout(const Pack &pack) const;
  /// The reason why an operand of this type cannot be packed in vectors; empty
  /// if it can.
  std::string reasonAgainst(const Pack &pack,
                            mlir::RankedTensorType type) const;
  const Prefetch *prefetchOf(unsigned operand) const;
  /// The panels of a packed operand that a fused outer loop goes over, and that
  /// end with the columns of a register tile.
  std::optional<PackedPanels> panelsOf(const Pack &pack) const;
  /// Iterations of the axis or the fusion that `loop` stems from, the first one
  /// of the pair, that pass with each iteration of the loop.
  std::pair<unsigned, int64_t> rootOf(unsigned loop) const;
  /// The fused outer loops inside the one over the panels: each of their
  /// iterations reads the panel.
  llvm::SmallVector<unsigned> passesOf(const PackedPanels &panels) const;
  /// The reason why the prefetch is impossible, or would never be executed;
  /// empty if it is legal.
  std::string reasonAgainst(const Prefetch &prefetch) const;
  llvm::ArrayRef<Cache> caches() const { return allCaches; }
  /// Body ops that copy the operand of a cache step.
  llvm::SmallVector<unsigned> cachingOps(const Cache &cache) const;
  /// The step that lets the op read an operand from memory that the threads of
  /// a tile share; null if there is none.
  const Cache *sharedCacheOf(mlir::OpOperand &operand, unsigned op) const;
  /// The loops that such a copy is indexed by: those of the op inside `at` that
  /// the operand depends on, outermost first. Of a shared one also the mapped
  /// loops, and those around `at` that are unrolled completely: reduced ones
  /// first, then those of each axis together; for an mma the reduced ones come
  /// last if it reads elements along them.
  llvm::SmallVector<unsigned> cachedLoops(const Cache &cache,
                                          unsigned op) const;

  /// The pipeline step of a loop; one stage if the loop has none.
  Pipeline pipelineAt(unsigned loop) const;
  /// The reason why copies cannot be pipelined so; empty if they can.
  std::string reasonAgainst(const Pipeline &pipeline) const;
  /// The step that has a producer; null if none has.
  const Pipeline *producingPipeline() const;
  /// Bytes of all slices of shared memory, with padding after and between their
  /// rows; more than any memory has where that is too many to count.
  int64_t sharedSliceBytes() const;

  /// The maximum number of blocks of a launch; 0 for one for each tile.
  int64_t maxBlocks() const { return gridBlocks; }

  /// The maximum size of the shared memory of a block, in bytes, for slices and
  /// shared intermediates together.
  int64_t maxSharedBytes() const { return sharedBytes; }
  /// The reason why some threads would not reach a barrier; empty if all do.
  std::string reasonAgainstWaiting() const;

  llvm::ArrayRef<Mma> mmas() const { return allMmas; }
  const Mma *mmaOf(unsigned op) const;
  /// The reason why a warp cannot compute so; empty if it can.
  std::string reasonAgainst(const Mma &mma) const;
  /// The layout of the slice of an op that has wgmma; nothing if no instruction
  /// can read the slice.
  std::optional<SwizzledSlice> swizzledSlice(const Cache &cache,
                                             unsigned op) const;
  /// The boxes that a slice is copied by; nothing, with the reason, if none are
  /// all of it.
  std::optional<TensorBoxes> tensorBoxes(const Cache &cache, unsigned op,
                                         std::string &reason) const;
  /// Returns true if the op has all steps that are needed to copy boxes of a
  /// tensor: `by=tma`, wgmma, and a pipeline of several stages.
  bool copiesBoxes(const Cache &cache, unsigned op) const;
  /// Returns true if the target copies boxes, to all blocks of a cluster if the
  /// nest has one. False if the target is null.
  bool mayCopyBoxes(TargetAttr target) const;
  /// Returns true if the elements of one sum are contiguous in the slice of an
  /// op that has mma or wgmma.
  bool endsWithSums(const Cache &cache, unsigned op) const;

  /// Returns true if a loop of its own indexes the last dimension of the
  /// operand, and copies of `loop` access consecutive elements along it.
  /// `along` is the access over the loops of the nest.
  static bool hasRows(const Access &along, mlir::OpOperand &operand,
                      unsigned loop);
  /// The factors by which the loop is unrolled: in whole steps, then in those
  /// that are left.
  llvm::SmallVector<int64_t> copiesOf(const LoopUse &use) const;
  /// Returns true if the lanes are at most `copies` elements apart, and copies
  /// of the loop `copied` access all elements between them.
  static bool liesBetween(const Access &along, unsigned lane, unsigned copied,
                          int64_t copies);
  /// Returns true if the op has inputs whose lanes are 2 to `maxStride`
  /// elements apart, and copies of the loop read the elements between them.
  bool readsBetween(unsigned op, const LoopUse &use,
                    int64_t maxStride = INT64_MAX) const;
  /// Returns true if the op has accesses that the copies of the loop are
  /// shuffled for. `masked`: only accesses whose copies are no whole vector
  /// when stored.
  bool canShuffle(unsigned op, const LoopUse &use, Shuffle shuffle,
                  bool masked = false) const;

  /// Returns true if the op has an access for which the lanes of the loop are
  /// `distance` elements apart. Packed operands and interleaved stores do not
  /// count.
  bool hasStride(unsigned op, const LoopUse &use, int64_t distance) const;

  /// Returns true if the iterations of the loop change nothing once one of them
  /// changes nothing.
  bool canExitEarly(unsigned op, const LoopUse &use) const;

  /// Returns how many iterations of the loop are not masked in a tile; nothing
  /// where none are left out.
  std::optional<VisibleIterations> visibleIterations(unsigned op,
                                                     unsigned loop) const;

  /// Returns true while every step so far keeps each reduction in its source
  /// order, so that results are bit-equal to those of the empty recipe.
  bool preservesOrder() const { return orderPreserved; }

  //===--------------------------------------------------------------------===//
  // Steps; called by RecipeStep::advance. Names are resolved among the loops of
  // the limiting op if there is one. Each failure is reported through
  // emitError.
  //===--------------------------------------------------------------------===//

  /// The op that steps are limited to until further notice, -1 for none.
  void limitTo(int op) { limit = op; }

  mlir::LogicalResult block(llvm::StringRef loop, int64_t size,
                            TailStrategy tail, llvm::StringRef outer,
                            llvm::StringRef inner, EmitErrorFn emitError);
  mlir::LogicalResult fuse(llvm::StringRef outer, llvm::StringRef inner,
                           llvm::StringRef result, EmitErrorFn emitError);
  mlir::LogicalResult reorder(llvm::ArrayRef<llvm::StringRef> names,
                              EmitErrorFn emitError);
  mlir::LogicalResult fuseOuter(llvm::ArrayRef<llvm::StringRef> names,
                                EmitErrorFn emitError);
  mlir::LogicalResult parallel(llvm::ArrayRef<llvm::StringRef> names,
                               EmitErrorFn emitError);
  mlir::LogicalResult grid(int64_t blocks, EmitErrorFn emitError);
  mlir::LogicalResult map(llvm::StringRef loop, bool cluster,
                          llvm::StringRef as, EmitErrorFn emitError);
  mlir::LogicalResult computeAt(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult unroll(llvm::StringRef loop, int64_t factor,
                             llvm::ArrayRef<int64_t> tail,
                             EmitErrorFn emitError);
  mlir::LogicalResult dot(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult mma(llvm::ArrayRef<llvm::StringRef> names,
                          EmitErrorFn emitError);
  mlir::LogicalResult wgmma(llvm::ArrayRef<llvm::StringRef> names,
                            EmitErrorFn emitError);
  mlir::LogicalResult vectorize(llvm::StringRef loop, int64_t lanes,
                                EmitErrorFn emitError);
  mlir::LogicalResult registerTile(llvm::StringRef rows,
                                   llvm::StringRef columns, int64_t lanes,
                                   llvm::ArrayRef<int64_t> tail, bool masked,
                                   EmitErrorFn emitError);
  mlir::LogicalResult arena(llvm::StringRef op, EmitErrorFn emitError);
  mlir::LogicalResult shared(llvm::StringRef op, EmitErrorFn emitError);
  mlir::LogicalResult cache(unsigned operand, llvm::StringRef at, bool shared,
                            bool byTma, EmitErrorFn emitError);
  mlir::LogicalResult pipeline(llvm::StringRef loop, int64_t stages,
                               int64_t inFlight, bool producer,
                               EmitErrorFn emitError);
  mlir::LogicalResult pack(unsigned operand,
                           llvm::ArrayRef<llvm::StringRef> names,
                           Shuffle shuffle, int64_t lanes,
                           EmitErrorFn emitError);
  mlir::LogicalResult shuffle(llvm::StringRef loop, Shuffle shuffle,
                              bool masked, EmitErrorFn emitError);
  mlir::LogicalResult strided(llvm::StringRef loop, int64_t distance,
                              EmitErrorFn emitError);
  mlir::LogicalResult earlyExit(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult skipMasked(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult prefetch(const Prefetch &prefetch, EmitErrorFn emitError);
  mlir::LogicalResult splitReduction(llvm::StringRef loop, int64_t parts,
                                     llvm::StringRef outer,
                                     llvm::StringRef inner,
                                     EmitErrorFn emitError);

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
    /// all readers read it by `dimAxes`.
    bool plain = true;
    bool isStatic = true;
    int64_t elementBytes = 4;
  };
  Operand &operandInfo(unsigned operand);

  /// Declares that `op` reads the operand with these axes for its dimensions.
  void addReader(unsigned operand, unsigned op, llvm::ArrayRef<int> dimAxes);

  void print(llvm::raw_ostream &os) const;

private:
  mlir::LogicalResult check(EmitErrorFn emitError) const;
  bool accepts(mlir::Attribute step) const;
  static std::optional<size_t> stepContradictedBy(KernelOp kernel,
                                                  size_t number);
  mlir::LogicalResult checkConcernsAll(EmitErrorFn emitError) const;
  mlir::FailureOr<unsigned> resolve(llvm::StringRef name,
                                    EmitErrorFn emitError) const;
  mlir::FailureOr<llvm::SmallVector<unsigned>>
  resolveAll(llvm::ArrayRef<llvm::StringRef> names,
             EmitErrorFn emitError) const;
  mlir::LogicalResult checkFree(llvm::StringRef name,
                                EmitErrorFn emitError) const;
  mlir::LogicalResult checkPlain(unsigned loop, llvm::StringRef verb,
                                 EmitErrorFn emitError) const;
  bool concerns(unsigned op) const {
    return limit < 0 || unsigned(limit) == op;
  }
  unsigned addLoop(Loop loop);
  void replace(llvm::ArrayRef<unsigned> old, llvm::ArrayRef<unsigned> fresh);
  mlir::LogicalResult checkMapped(EmitErrorFn emitError) const;
  mlir::LogicalResult mapCluster(unsigned loop, llvm::StringRef as,
                                 EmitErrorFn emitError);
  mlir::LogicalResult checkCluster(EmitErrorFn emitError) const;
  mlir::LogicalResult checkSameThreads(unsigned loop, unsigned other,
                                       EmitErrorFn emitError) const;
  mlir::LogicalResult checkComputeAt(EmitErrorFn emitError) const;
  mlir::LogicalResult checkInnermost(const BodyOp &op,
                                     EmitErrorFn emitError) const;
  mlir::LogicalResult checkPartial(const BodyOp &op, const LoopUse &use,
                                   EmitErrorFn emitError) const;
  mlir::LogicalResult reorderOp(BodyOp &op, llvm::ArrayRef<unsigned> order,
                                EmitErrorFn emitError);
  mlir::LogicalResult checkTail(llvm::ArrayRef<int64_t> tail, int64_t factor,
                                unsigned loop, bool leavesRest,
                                EmitErrorFn emitError) const;
  bool unrollsInOrder(const BodyOp &op, const LoopUse &use) const;
  mlir::LogicalResult checkTail(const BodyOp &op, const LoopUse &use,
                                unsigned number, EmitErrorFn emitError) const;
  mlir::LogicalResult checkSize(const BodyOp &op, EmitErrorFn emitError) const;
  mlir::LogicalResult checkPack(const Pack &pack, EmitErrorFn emitError) const;
  int64_t sliceBytes(const Cache &cache, unsigned op) const;
  mlir::LogicalResult checkCache(const Cache &cache, unsigned op,
                                 int64_t &bytes, EmitErrorFn emitError) const;
  mlir::LogicalResult checkCaches(EmitErrorFn emitError) const;
  std::string reasonAgainstSkipping(unsigned op, const LoopUse &use) const;
  mlir::AffineExpr edgeOfTile(unsigned op, unsigned axis, bool last) const;
  std::string reasonAgainstFlight(unsigned loop) const;
  std::string reasonAgainstProducer(const Pipeline &pipeline) const;
  mlir::LogicalResult addMma(Mma mma, EmitErrorFn emitError);
  int64_t strideInSlice(const Cache &cache, unsigned op, unsigned loop) const;
  std::string reasonAgainstBoxes(const Cache &cache, unsigned op,
                                 TensorBoxes &boxes) const;
  std::string divideBoxes(const Cache &cache, unsigned op,
                          const SwizzledSlice &slice, TensorBoxes &boxes) const;
  std::string reasonAgainstSlices(const Mma &mma, mlir::OpOperand &rows,
                                  mlir::OpOperand &columns) const;
  bool indexes(const BodyOp &op, mlir::OpOperand &operand, unsigned loop) const;
  bool dependsOnThread(unsigned op, unsigned loop) const;
  std::string reasonAgainst(const PackedPanels &panels, unsigned op) const;
  const Operand *findOperand(unsigned operand, EmitErrorFn emitError) const;
  llvm::SmallVector<unsigned>
  indexingLoops(const Operand::Reader &reader) const;
  bool isIndexedBy(const Operand::Reader &reader, unsigned loop) const;
  bool stemsFromFusion(unsigned loop) const;
  mlir::LogicalResult splitLoop(unsigned loop, int64_t size, TailStrategy tail,
                                bool split, llvm::StringRef outer,
                                llvm::StringRef inner, EmitErrorFn emitError);
  void addPadded(unsigned op, unsigned loop,
                 llvm::SmallVectorImpl<unsigned> &padded) const;
  std::string reasonAgainstPadding(unsigned op) const;
  std::string reasonAgainstRanges(unsigned op) const;

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
  /// The largest shared memory of a block of the target in bytes, see
  /// Processor.
  int64_t sharedBytes = target::Processor().sharedBytes;
  int64_t gridBlocks = 0;
  bool orderPreserved = true;
  int limit = -1;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_H
