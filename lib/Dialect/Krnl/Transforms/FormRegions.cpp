//===- FormRegions.cpp - Launches that the team runs together --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLFORMREGIONSPASS
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
  /// Of the arena, at a place that is computed: the view, and the ops by whose
  /// numbers it is needed.
  ArenaViewOp view;
  int64_t first = 0, last = 0;

  bool isNowhere() const { return !base && begin == end; }
  bool overlaps(const Piece &other) const {
    if (isNowhere() || other.isNowhere() || base != other.base)
      return false;
    // Places of buffers that are needed at the same time are apart.
    if (view && other.view && view != other.view && first <= other.last &&
        other.first <= last)
      return false;
    return base || (begin < other.end && other.begin < end);
  }
};

/// What a run of launches has read and written.
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
  // What a loop has carried may be in the arena, at one of two places.
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

static Accesses accessesOf(LaunchOp launch) {
  Accesses result;
  for (Value in : launch.getIns())
    if (isa<MemRefType>(in.getType()))
      result.reads.push_back(pieceOf(in));
  for (Value out : launch.getOuts())
    result.writes.push_back(pieceOf(out));
  return result;
}

//===----------------------------------------------------------------------===//
// What work pays for
//===----------------------------------------------------------------------===//

/// Operations that a worker should have before waking it pays, about ten
/// microseconds, and what each barrier of the region adds to them.
static constexpr int64_t grain = 60000;
/// The same in a loop of the host: since its last iteration workers wait
/// without sleeping.
static constexpr int64_t grainInLoop = 16000;
static constexpr int64_t grainPerBarrier = 6000;
/// Assumed for loops of unknown length.
static constexpr int64_t unknownTrips = 16;
static constexpr int64_t costOfFunction = 10;
/// Sums and products of costs stay below the end of the numbers.
static constexpr int64_t mostCost = int64_t(1) << 40;

static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? std::numeric_limits<int64_t>::max()
                                         : result;
}

/// Operations of a block, loops counted by their trips; the loop over the
/// function's own tile range counts once.
static int64_t costOf(Block &block) {
  int64_t cost = 0;
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool isTileLoop = isa<BlockArgument>(loop.getUpperBound()) &&
                        isa<BlockArgument>(loop.getLowerBound());
      int64_t trips = unknownTrips;
      if (std::optional<APInt> count = loop.getStaticTripCount())
        trips = count->getSExtValue();
      cost += saturatingMul(isTileLoop ? 1 : trips, costOf(*loop.getBody()));
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          cost += costOf(inner);
      cost += isa<math::MathDialect>(op.getDialect()) ? costOfFunction : 1;
    }
    if (cost > mostCost)
      return mostCost;
  }
  return cost;
}

namespace {

class RegionFormer {
public:
  RegionFormer(ModuleOp module) : symbols(module) {}

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
  int64_t costPerTile(LaunchOp launch);

  SymbolTable symbols;
  llvm::StringMap<int64_t> costs;
};

} // namespace

int64_t RegionFormer::costPerTile(LaunchOp launch) {
  auto [place, isNew] = costs.try_emplace(launch.getKernel(), mostCost);
  auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (isNew && kernel && !kernel.isDeclaration())
    place->second = std::max<int64_t>(costOf(kernel.getBody().front()), 1);
  return place->second;
}

/// The largest team that the launches can keep busy: as many as have tiles, and
/// have enough of the region's whole work.
Value RegionFormer::teamTiles(OpBuilder &builder, Run &run, int64_t barriers) {
  Location loc = run.launches.front().getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // What is known beforehand, then what each dynamic number of tiles adds.
  int64_t work = 0, most = 1;
  SmallVector<LaunchOp> dynamic;
  for (LaunchOp launch : run.launches) {
    APInt count;
    if (!matchPattern(launch.getTiles(), m_ConstantInt(&count))) {
      dynamic.push_back(launch);
      continue;
    }
    work += std::min(saturatingMul(count.getSExtValue(), costPerTile(launch)),
                     mostCost);
    most = std::max(most, count.getSExtValue());
  }
  bool isInLoop =
      run.launches.front()->getParentOfType<LoopLikeOpInterface>() != nullptr;
  int64_t perWorker =
      (isInLoop ? grainInLoop : grain) + barriers * grainPerBarrier;
  if (dynamic.empty())
    return constant(std::clamp<int64_t>(work / perWorker, 1, most));
  Value tiles = constant(most), sum = constant(work);
  for (LaunchOp launch : dynamic) {
    Value count = launch.getTiles();
    Value cost = constant(costPerTile(launch));
    Value product = builder.createOrFold<arith::MulIOp>(loc, count, cost);
    sum = builder.createOrFold<arith::AddIOp>(loc, sum, product);
    tiles = builder.createOrFold<arith::MaxUIOp>(loc, tiles, count);
  }
  Value pays = arith::DivUIOp::create(builder, loc, sum, constant(perWorker));
  pays = arith::MaxUIOp::create(builder, loc, pays, constant(1));
  return arith::MinUIOp::create(builder, loc, pays, tiles);
}

/// True if `op` may run before all launches of `run`.
bool RegionFormer::movesBefore(Operation *op, const Run &run) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (isa<AllocOp, OutputOp, CheckOp, ErrorWordOp>(op) ||
      isa<ViewLikeOpInterface>(op) || isa<memref::DimOp>(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Accesses access{{pieceOf(load.getMemRef())}, {}};
    return !run.accesses.conflictsWith(access);
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Accesses access{{}, {pieceOf(store.getMemRef())}};
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

/// Ends the run after a region if one of its launches met an error.
static void checkWords(OpBuilder &builder, ArrayRef<LaunchOp> launches) {
  for (LaunchOp launch : launches)
    for (Value in : launch.getIns()) {
      auto word = in.getDefiningOp<ErrorWordOp>();
      if (!word)
        continue;
      Value found =
          memref::LoadOp::create(builder, word.getLoc(), word, ValueRange());
      for (auto [i, message] :
           llvm::enumerate(word.getMessages().getAsRange<StringAttr>())) {
        Location loc = cast<LocationAttr>(word.getPlaces()[i]);
        Value number = arith::ConstantIntOp::create(builder, loc, i + 1, 32);
        Value isOther = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, found, number);
        CheckOp::create(builder, loc, isOther, message);
      }
    }
}

/// Moves the launches of a run into a region before `at`.
void RegionFormer::close(Run &run, Operation *at) {
  if (run.launches.empty())
    return;
  OpBuilder builder(at);
  Location loc = run.launches.front().getLoc();
  SmallVector<bool> waits = barriersOf(run.launches);
  Value tiles = teamTiles(builder, run, llvm::count(waits, true));
  auto region = RegionOp::create(builder, loc, tiles);
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

void RegionFormer::formIn(Block &block) {
  Run run;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
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

struct FormRegions : krnl::impl::KrnlFormRegionsPassBase<FormRegions> {
  using KrnlFormRegionsPassBase::KrnlFormRegionsPassBase;

  void runOnOperation() override {
    RegionFormer former(getOperation());
    for (func::FuncOp host : hostFunctions(getOperation()))
      for (Block &block : host.getBody())
        former.formIn(block);
  }
};

} // namespace
