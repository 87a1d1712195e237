//===- FormParallelRegions.cpp - Group launches ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Polls.h"
#include "onnxc/Dialect/Krnl/IR/RealTime.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLFORMPARALLELREGIONSPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

//===----------------------------------------------------------------------===//
// Bytes that ops touch
//===----------------------------------------------------------------------===//

namespace {

/// A piece of memory: bytes of the arena, or all of another buffer. Weights are
/// nowhere: nothing writes them.
struct Piece {
  Value base;
  int64_t begin = 0, end = 0;
  /// For a part of the arena at a computed offset: the view, and the numbers of
  /// the first and the last op that need it.
  ArenaViewOp view;
  int64_t first = 0, last = 0;

  bool isNowhere() const { return !base && begin == end; }
  bool overlaps(const Piece &other) const {
    if (isNowhere() || other.isNowhere() || base != other.base)
      return false;
    // Positions of buffers that are needed at the same time are apart.
    if (view && other.view && view != other.view && first <= other.last &&
        other.first <= last)
      return false;
    return base || (begin < other.end && other.begin < end);
  }
};

/// The reads and writes of a run of launches.
struct Accesses {
  SmallVector<Piece> reads, writes;

  static bool anyOverlap(ArrayRef<Piece> a, ArrayRef<Piece> b) {
    return llvm::any_of(a, [&](const Piece &x) {
      return llvm::any_of(b, [&](const Piece &y) { return x.overlaps(y); });
    });
  }
  bool conflictsWith(const Accesses &other) const {
    return anyOverlap(writes, other.writes) ||
           anyOverlap(writes, other.reads) || anyOverlap(reads, other.writes);
  }
  void add(const Accesses &other) {
    llvm::append_range(reads, other.reads);
    llvm::append_range(writes, other.writes);
  }
};

} // namespace

static Piece pieceOf(Value buffer) {
  Value base = viewBase(buffer);
  // Workers that note an error do not get in each other's way.
  if (isa_and_nonnull<WeightViewOp, ErrorWordOp>(base.getDefiningOp()))
    return {};
  // A loop-carried value may be in the arena, at one of two offsets.
  if (base.getDefiningOp<scf::WhileOp>())
    return {Value(), 0, std::numeric_limits<int64_t>::max(), {}};
  auto view = base.getDefiningOp<ArenaViewOp>();
  if (!view)
    return {base, 0, 0, {}};
  auto type = cast<MemRefType>(view.getType());
  if (auto lives = view.getLives())
    return {Value(), 0,           std::numeric_limits<int64_t>::max(),
            view,    (*lives)[0], (*lives)[1]};
  APInt offset;
  if (!matchPattern(view.getOffset(), m_ConstantInt(&offset)) ||
      !type.hasStaticShape())
    return {Value(), 0, std::numeric_limits<int64_t>::max(), {}};
  int64_t begin = offset.getSExtValue();
  return {Value(), begin, begin + std::max<int64_t>(staticBytes(type), 1), {}};
}

/// One piece, or those of both buffers of a choice.
static void addPieces(Value buffer, SmallVectorImpl<Piece> &pieces) {
  auto choice = viewBase(buffer).getDefiningOp<arith::SelectOp>();
  if (!choice) {
    pieces.push_back(pieceOf(buffer));
    return;
  }
  addPieces(choice.getTrueValue(), pieces);
  addPieces(choice.getFalseValue(), pieces);
}

static Accesses accessesOf(LaunchOp launch) {
  Accesses result;
  for (Value in : launch.getIns())
    if (isa<MemRefType>(in.getType()))
      addPieces(in, result.reads);
  for (Value out : launch.getOuts())
    addPieces(out, result.writes);
  return result;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// The most launches of a region: each is compared for conflicts with all since
/// the last barrier, and another region after so many costs little beside them.
static constexpr size_t maxLaunches = 1024;

/// Launches between two polls whose numbers of tiles are dynamic.
static constexpr int64_t launchesOfPoll = 8;

/// A number times cycles, as an integer: few cycles count in 64ths.
static OpFoldResult timesCycles(IndexBuilder &numbers, OpFoldResult count,
                                double cycles) {
  constexpr int64_t parts = 64;
  constexpr double largest = int64_t(1) << 40;
  auto whole = [&](double x) {
    return numbers.number(int64_t(std::min(std::ceil(x), largest)));
  };
  if (cycles >= parts || getConstantIntValue(count) == 1)
    return numbers.mul(count, whole(cycles));
  return numbers.div(numbers.mul(count, whole(cycles * parts)),
                     numbers.number(parts));
}

/// The cost of a launch that krnl-lower-kernels has attached; 0 if none is
/// known.
static OpFoldResult cyclesOf(IndexBuilder &numbers, LaunchOp launch) {
  auto terms = launch->getAttrOfType<ArrayAttr>(cyclesAttrName);
  if (!terms) {
    auto tile = launch->getAttrOfType<IntegerAttr>(tileCyclesAttrName);
    return numbers.mul(getAsOpFoldResult(launch.getTiles()),
                       numbers.number(tile ? tile.getInt() : 0));
  }
  OpFoldResult sum = numbers.number(0);
  for (Attribute attribute : terms) {
    ArrayRef<Attribute> term = cast<ArrayAttr>(attribute).getValue();
    OpFoldResult count = numbers.number(1);
    for (Attribute position : term.drop_front()) {
      Value extent = launch.getIns()[cast<IntegerAttr>(position).getInt()];
      count = numbers.mul(count, getAsOpFoldResult(extent));
    }
    double cycles = cast<FloatAttr>(term.front()).getValueAsDouble();
    sum = numbers.add(timesCycles(numbers, count, cycles), sum);
  }
  return sum;
}

static int64_t tileCyclesOf(LaunchOp launch) {
  auto cycles = launch->getAttrOfType<IntegerAttr>(tileCyclesAttrName);
  return cycles ? std::max<int64_t>(cycles.getInt(), 1) : 1;
}

/// Adds what a size is computed from to `sources`.
static void addSources(Value size, SmallPtrSetImpl<Value> &sources) {
  SmallVector<Value> left{size};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (sources.insert(value).second && op &&
        isa<arith::ArithDialect>(op->getDialect()))
      llvm::append_range(left, op->getOperands());
  }
}

/// Returns true if tiles take more cycles the larger some sizes are: the cost
/// grows with a size that the number of tiles does not grow with, or with its
/// square.
static bool haveTilesDynamicCosts(LaunchOp launch) {
  auto terms = launch->getAttrOfType<ArrayAttr>(cyclesAttrName);
  if (!terms)
    return false;
  SmallPtrSet<Value, 8> sources;
  addSources(launch.getTiles(), sources);
  return llvm::any_of(terms.getAsRange<ArrayAttr>(), [&](ArrayAttr term) {
    SmallPtrSet<Value, 4> extents;
    return llvm::any_of(term.getValue().drop_front(), [&](Attribute position) {
      Value extent = launch.getIns()[cast<IntegerAttr>(position).getInt()];
      return !sources.contains(extent) || !extents.insert(extent).second;
    });
  });
}

namespace {

class ParallelRegionFormer {
public:
  ParallelRegionFormer(ModuleOp module)
      : target(TargetAttr::processorOf(module)) {}

  void formIn(Block &block);

private:
  /// Launches since the last op that could not move before them.
  struct Run {
    SmallVector<LaunchOp> launches;
    Accesses accesses;
  };

  bool movesBefore(Operation *op, const Run &run);
  void close(Run &run, Operation *at);
  Value teamTiles(OpBuilder &builder, Run &run, int64_t barriers);
  void setPolls(OpBuilder &builder, Run &run);

  target::Processor target;
};

} // namespace

/// The largest team that the launches can keep busy: as many as have tiles, and
/// have enough of the region's whole work. The work of a single tile cannot be
/// divided.
Value ParallelRegionFormer::teamTiles(OpBuilder &builder, Run &run,
                                      int64_t barriers) {
  IndexBuilder numbers(builder, run.launches.front().getLoc());
  OpFoldResult work = numbers.number(0), maxTiles = numbers.number(1);
  for (LaunchOp launch : run.launches) {
    OpFoldResult tiles = getAsOpFoldResult(launch.getTiles());
    if (getConstantIntValue(tiles) == 1)
      continue;
    work = numbers.add(cyclesOf(numbers, launch), work);
    maxTiles = numbers.max(tiles, maxTiles);
  }
  bool isInLoop =
      run.launches.front()->getParentOfType<LoopLikeOpInterface>() != nullptr;
  OpFoldResult perWorker =
      numbers.number((isInLoop ? target.loopWakeCycles : target.wakeCycles) +
                     barriers * target.barrierCycles);
  OpFoldResult profitable = numbers.div(work, perWorker);
  return numbers.value(
      numbers.min(numbers.max(profitable, numbers.number(1)), maxTiles));
}

/// Lets workers poll between tiles of launches of much work, and before the
/// next launch when those since the last poll have amounted to as much.
void ParallelRegionFormer::setPolls(OpBuilder &builder, Run &run) {
  int64_t sincePoll = 0;
  for (LaunchOp launch : run.launches) {
    if (sincePoll >= target.pollCycles) {
      launch->setAttr(pollFirstAttrName, builder.getUnitAttr());
      sincePoll = 0;
    }
    int64_t cost = tileCyclesOf(launch);
    int64_t pollTiles = std::max<int64_t>(target.pollCycles / cost, 1);
    std::optional<int64_t> tiles =
        getConstantIntValue(getAsOpFoldResult(launch.getTiles()));
    bool isDynamic = tiles != 1 && haveTilesDynamicCosts(launch);
    if (isDynamic)
      launch->setAttr(pollBySizesAttrName, builder.getUnitAttr());
    if (!tiles || *tiles > pollTiles || isDynamic)
      launch->setAttr(pollTilesAttrName, builder.getI64IntegerAttr(pollTiles));
    sincePoll += tiles ? std::min(*tiles, pollTiles) * cost
                       : target.pollCycles / launchesOfPoll;
  }
}

/// Returns true if `op` may run before all launches of `run`.
bool ParallelRegionFormer::movesBefore(Operation *op, const Run &run) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (isa<AllocOp, OutputOp, CheckOp, ErrorWordOp>(op) ||
      isa<ViewLikeOpInterface>(op) || isa<memref::DimOp>(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Accesses access;
    addPieces(load.getMemRef(), access.reads);
    return !run.accesses.conflictsWith(access);
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Accesses access;
    addPieces(store.getMemRef(), access.writes);
    return !run.accesses.conflictsWith(access);
  }
  return op->getNumRegions() == 0 && isPure(op);
}

/// Before which launches of a run the team has to meet.
static SmallVector<bool> barriersOf(ArrayRef<LaunchOp> launches) {
  SmallVector<bool> waits;
  Accesses sinceBarrier;
  for (LaunchOp launch : launches) {
    Accesses accesses = accessesOf(launch);
    waits.push_back(sinceBarrier.conflictsWith(accesses));
    if (waits.back())
      sinceBarrier = {};
    sinceBarrier.add(accesses);
  }
  return waits;
}

/// Ends the run if the words of a message are no longer -1.
static void checkWord(OpBuilder &builder, ErrorWordOp word, int64_t number) {
  Location loc = cast<LocationAttr>(word.getLocations()[number]);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> found;
  for (int64_t i : {0, 1})
    found.push_back(memref::LoadOp::create(
        builder, loc, word, ValueRange{index(number), index(i)}));
  Value none = arith::ConstantIntOp::create(builder, loc, -1, 64);
  Value isFine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       found[1], none);
  for (Value &value : found)
    value =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
  auto check = CheckOp::create(builder, loc, isFine,
                               cast<StringAttr>(word.getMessages()[number]),
                               ValueRange(found));
  if (int64_t dimension = word.getDimensions()[number]; dimension >= 0)
    check.setDimension(dimension);
}

/// Ends the run after a region if one of its launches met an error.
static void checkWords(OpBuilder &builder, ArrayRef<LaunchOp> launches) {
  for (LaunchOp launch : launches)
    for (Value in : launch.getIns())
      if (auto word = in.getDefiningOp<ErrorWordOp>())
        for (size_t i : llvm::seq(word.getMessages().size()))
          checkWord(builder, word, int64_t(i));
}

/// On the caller's thread alone, launches stay as they are.
static void checkEach(ModuleOp module) {
  module.walk([](LaunchOp launch) {
    OpBuilder builder(launch->getContext());
    builder.setInsertionPointAfter(launch);
    checkWords(builder, launch);
  });
}

/// Moves the launches of a run into a region before `at`.
void ParallelRegionFormer::close(Run &run, Operation *at) {
  if (run.launches.empty())
    return;
  OpBuilder builder(at);
  Location loc = run.launches.front().getLoc();
  SmallVector<bool> waits = barriersOf(run.launches);
  Value tiles = teamTiles(builder, run, llvm::count(waits, true));
  setPolls(builder, run);
  auto region = ParallelRegionOp::create(builder, loc, tiles);
  Block &body = region.getBody().emplaceBlock();
  for (auto [launch, wait] : llvm::zip_equal(run.launches, waits)) {
    builder.setInsertionPointToEnd(&body);
    if (wait)
      BarrierOp::create(builder, launch.getLoc());
    launch->moveBefore(&body, body.end());
  }
  builder.setInsertionPoint(at);
  checkWords(builder, run.launches);
  run = {};
}

void ParallelRegionFormer::formIn(Block &block) {
  Run run;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (run.launches.size() == maxLaunches)
        close(run, &op);
      run.accesses.add(accessesOf(launch));
      run.launches.push_back(launch);
      continue;
    }
    if (movesBefore(&op, run))
      continue;
    close(run, &op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        formIn(inner);
  }
}

namespace {

struct FormParallelRegions
    : krnl::impl::KrnlFormParallelRegionsPassBase<FormParallelRegions> {
  using KrnlFormParallelRegionsPassBase::KrnlFormParallelRegionsPassBase;

  void runOnOperation() override {
    if (getOperation()->hasAttr(realTimeAttrName))
      return checkEach(getOperation());
    if (getOperation()->hasAttr(TargetAttr::hostAttrName))
      return; // launches run on a device
    ParallelRegionFormer former(getOperation());
    for (func::FuncOp host : hostFunctions(getOperation()))
      for (Block &block : host.getBody())
        former.formIn(block);
  }
};

} // namespace
