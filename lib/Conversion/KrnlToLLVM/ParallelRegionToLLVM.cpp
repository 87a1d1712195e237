//===- ParallelRegionToLLVM.cpp - Outline parallel regions -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The leader stores the pointers, sizes and tile counts that the launches need
// into a frame on its stack; the team runs a function that loads them. Tiles
// [tiles * tid / n, tiles * (tid + 1) / n) are worker tid's. A worker that
// finds that the run is to end goes on at the next barrier, which lets all know
// workers alike to leave; one without a team leaves at once, and passes no
// barriers. A region that is known to have one worker is no function: the
// leader makes its launches.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Polls.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc {
namespace {

/// One launch with its operands as LLVM values, scratch and tile range not yet
/// added.
struct BareLaunch {
  krnl::LaunchOp op;
  BareOperands operands;
  Value tiles;
  /// The values of inputs that are numbers, null for the others.
  SmallVector<Value> numbers;
};

} // namespace

namespace {

/// The value of each buffer or scalar of the host, so that launches of one
/// region share it.
using BareValues = DenseMap<Value, BareOperands>;

} // namespace

/// The values a launch passes, in the code of the leader. `rewriter` has the
/// converted operands.
static BareLaunch bareLaunch(krnl::LaunchOp op,
                             ConversionPatternRewriter &rewriter,
                             const LLVMTypeConverter &types,
                             BareValues &known) {
  BareLaunch result{op, {}, rewriter.getRemappedValue(op.getTiles()), {}};
  auto add = [&](Value value) {
    auto [it, isNew] = known.try_emplace(value);
    if (isNew)
      addBareOperand(it->second, value.getType(),
                     rewriter.getRemappedValue(value), rewriter, op.getLoc(),
                     types);
    llvm::append_range(result.operands.pointers, it->second.pointers);
    llvm::append_range(result.operands.sizes, it->second.sizes);
    llvm::append_range(result.operands.scalars, it->second.scalars);
    return it->second.scalars;
  };
  for (Value input : op.getIns()) {
    SmallVector<Value> scalars = add(input);
    result.numbers.push_back(scalars.empty() ? Value() : scalars.front());
  }
  llvm::for_each(op.getOuts(), add);
  return result;
}

/// Calls the kernel of `launch` on tiles [begin, end) for worker `tid`.
static void callKernel(OpBuilder &builder, const BareLaunch &launch, Value call,
                       Value tid, Value begin, Value end) {
  Location loc = launch.op->getLoc();
  const BareOperands &bare = launch.operands;
  SmallVector<Value> operands(bare.pointers);
  krnl::LaunchOp op = launch.op;
  if (op.getScratch() > 0)
    operands.push_back(
        callHook(builder, loc, Hook::Scratch, {call, tid}).getResult());
  llvm::append_range(operands, bare.sizes);
  if (op.getScratch() > 0)
    operands.push_back(
        LLVM::ConstantOp::create(builder, loc, end.getType(), op.getScratch()));
  llvm::append_range(operands, bare.scalars);
  operands.append({begin, end});
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()),
      llvm::to_vector(ValueRange(operands).getTypes()));
  LLVM::CallOp::create(builder, loc, type, op.getKernelAttr(), operands);
}

namespace {

/// A launch outside of any region: the leader runs all tiles.
struct LaunchLowering : ConvertOpToLLVMPattern<krnl::LaunchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::LaunchOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() != 0)
      return rewriter.notifyMatchFailure(op, "still on tensors");
    BareValues known;
    BareLaunch launch = bareLaunch(op, rewriter, *getTypeConverter(), known);
    Location loc = op.getLoc();
    Value zero =
        LLVM::ConstantOp::create(rewriter, loc, launch.tiles.getType(), 0);
    Value call = currentCall(rewriter), tid = constant32(rewriter, loc, 0);
    noteSizes(rewriter, op);
    noteLaunch(rewriter, op, call, tid, /*isEnd=*/false);
    callKernel(rewriter, launch, call, tid, zero, launch.tiles);
    noteLaunch(rewriter, op, call, tid, /*isEnd=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The frame of a region: which leader value is which field. Constants have
/// none.
class Frame {
public:
  void add(Value value) {
    if (!matchPattern(value, m_Constant()))
      fields.insert({value, unsigned(fields.size())});
  }

  /// Stores all fields and returns the frame's address. None is added after
  /// that.
  Value store(OpBuilder &builder, Location loc) {
    SmallVector<Type> types;
    for (const auto &entry : fields)
      types.push_back(entry.first.getType());
    structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
    Value frame = stackSlot(builder, loc, structType);
    for (const auto &[value, number] : fields)
      LLVM::StoreOp::create(builder, loc, value,
                            address(builder, loc, frame, number));
    return frame;
  }

  /// Loads the field of `value` from the frame at `base`.
  Value load(OpBuilder &builder, Location loc, Value base, Value value) const {
    if (!fields.contains(value))
      return builder.clone(*value.getDefiningOp())->getResult(0);
    unsigned number = fields.lookup(value);
    return LLVM::LoadOp::create(builder, loc, value.getType(),
                                address(builder, loc, base, number));
  }

private:
  Value address(OpBuilder &builder, Location loc, Value base,
                unsigned number) const {
    return LLVM::GEPOp::create(builder, loc, base.getType(), structType, base,
                               ArrayRef<LLVM::GEPArg>{0, int32_t(number)});
  }

  llvm::MapVector<Value, unsigned> fields;
  LLVM::LLVMStructType structType;
};

/// Costs are added up in so many parts of a cycle, and no term is more.
constexpr int64_t cycleParts = 64;
constexpr double maxParts = int64_t(1) << 46;

/// The function of a region, as each worker runs it.
class WorkerFunction {
public:
  WorkerFunction(ConversionPatternRewriter &rewriter, LLVM::LLVMFuncOp function,
                 const Frame &frame, Value leaderCall)
      : rewriter(rewriter), loc(function.getLoc()), frame(frame) {
    Block *body = function.addEntryBlock(rewriter);
    leave = rewriter.createBlock(&function.getBody());
    LLVM::ReturnOp::create(rewriter, loc, ValueRange());
    meeting = rewriter.createBlock(leave);
    rewriter.setInsertionPointToStart(body);
    base = body->getArgument(0);
    tid = body->getArgument(1);
    team = body->getArgument(3);
    hasTeam = LLVM::ICmpOp::create(
        rewriter, loc, LLVM::ICmpPredicate::ne, team,
        LLVM::ZeroOp::create(rewriter, loc, team.getType()));
    computeShare(body->getArgument(2));
    call = frame.load(rewriter, loc, base, leaderCall);
  }

  /// This worker's slice of the tiles.
  void launch(const BareLaunch &launch) {
    krnl::LaunchOp op = launch.op;
    if (op->hasAttr(krnl::pollFirstAttrName))
      poll();
    Value tiles = frame.load(rewriter, op.getLoc(), base, launch.tiles);
    Value begin = partOf(tiles, shareBegin), end = partOf(tiles, shareEnd);
    noteLaunch(rewriter, op, call, tid, /*isEnd=*/false);
    if (op->hasAttr(krnl::pollTilesAttrName))
      runPolling(launch, begin, end, tilesBetweenPolls(launch, tiles));
    else
      callOwnKernel(launch, begin, end);
    noteLaunch(rewriter, op, call, tid, /*isEnd=*/true);
  }

  /// Goes on if none of the workers has found that the run is to end.
  void meet(Location at) {
    Block *before = rewriter.getInsertionBlock(), *barrier = meeting;
    meeting = rewriter.createBlock(leave);
    Block *onward = rewriter.createBlock(meeting);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, hasTeam, barrier, onward);
    rewriter.setInsertionPointToEnd(barrier);
    branchIfNonzero(
        callHook(rewriter, at, Hook::Barrier, {call, team}).getResult(), leave,
        onward);
  }

  void finish() {
    LLVM::BrOp::create(rewriter, loc, leave);
    rewriter.setInsertionPointToEnd(meeting);
    LLVM::BrOp::create(rewriter, loc, leave);
  }

private:
  /// Which part of all tiles is this worker's: from tid / n to (tid + 1) / n,
  /// in units of 2^-63. The only division of the region. It is rounded up: a
  /// product with fewer than 2^63 / n^2 tiles is exact to the whole tile.
  void computeShare(Value workers) {
    Type i64 = rewriter.getI64Type();
    Value n = LLVM::ZExtOp::create(rewriter, loc, i64, workers);
    Value sum = LLVM::AddOp::create(rewriter, loc, n,
                                    constant64(rewriter, loc, INT64_MAX));
    Value part = LLVM::UDivOp::create(rewriter, loc, sum, n);
    Value worker = LLVM::ZExtOp::create(rewriter, loc, i64, tid);
    shareBegin = LLVM::MulOp::create(rewriter, loc, worker, part);
    shareEnd = LLVM::AddOp::create(rewriter, loc, shareBegin, part);
  }

  Value partOf(Value tiles, Value share) {
    Type wide = rewriter.getIntegerType(128);
    Value product = LLVM::MulOp::create(
        rewriter, loc, LLVM::ZExtOp::create(rewriter, loc, wide, tiles),
        LLVM::ZExtOp::create(rewriter, loc, wide, share));
    Value bits = LLVM::ConstantOp::create(rewriter, loc, wide, 63);
    return LLVM::TruncOp::create(
        rewriter, loc, tiles.getType(),
        LLVM::LShrOp::create(rewriter, loc, product, bits));
  }

  /// Ends the block before `otherwise`, where building goes on.
  void branchIfNonzero(Value number, Block *target, Block *otherwise) {
    rewriter.setInsertionPointAfterValue(number);
    Value isNonzero =
        LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne, number,
                             constant32(rewriter, loc, 0));
    LLVM::CondBrOp::create(rewriter, loc, isNonzero, target, otherwise);
    rewriter.setInsertionPointToEnd(otherwise);
  }

  /// Goes on at the next barrier, or leaves, if the run is to end.
  void poll() {
    Block *before = rewriter.getInsertionBlock();
    Block *onward = rewriter.createBlock(meeting);
    Block *ending = rewriter.createBlock(meeting);
    LLVM::CondBrOp::create(rewriter, loc, hasTeam, meeting, leave);
    rewriter.setInsertionPointToEnd(before);
    branchIfNonzero(callHook(rewriter, loc, Hook::Poll, call).getResult(),
                    ending, onward);
  }

  /// The tiles that a worker runs before it polls, of `tiles`.
  Value tilesBetweenPolls(const BareLaunch &launch, Value tiles) {
    krnl::LaunchOp op = launch.op;
    auto numberOf = [&](StringRef attribute) -> int64_t {
      auto number = op->getAttrOfType<IntegerAttr>(attribute);
      return number ? std::max<int64_t>(number.getInt(), 1) : 1;
    };
    int64_t assumed = numberOf(krnl::pollTilesAttrName);
    if (!op->hasAttr(krnl::pollBySizesAttrName))
      return constant64(rewriter, loc, assumed);
    int64_t cycles = llvm::SaturatingMultiply<uint64_t>(
        assumed, numberOf(krnl::tileCyclesAttrName));
    cycles = std::min(cycles, INT64_MAX / cycleParts) * cycleParts;
    Value most = LLVM::MulOp::create(rewriter, loc, tiles,
                                     constant64(rewriter, loc, cycles));
    Value one = constant64(rewriter, loc, 1);
    Value all = LLVM::UMaxOp::create(rewriter, loc, cyclesOf(launch), one);
    return LLVM::SMaxOp::create(
        rewriter, loc, LLVM::UDivOp::create(rewriter, loc, most, all), one);
  }

  /// The cycles of all tiles, in parts of which a cycle has cycleParts.
  Value cyclesOf(const BareLaunch &launch) {
    krnl::LaunchOp op = launch.op;
    Value sum = constant64(rewriter, loc, 0);
    for (auto term : op->getAttrOfType<ArrayAttr>(krnl::cyclesAttrName)
                         .getAsRange<ArrayAttr>()) {
      double cycles = cast<FloatAttr>(term[0]).getValueAsDouble();
      Value product = constant64(
          rewriter, loc, int64_t(std::min(cycles * cycleParts, maxParts)));
      for (Attribute position : term.getValue().drop_front()) {
        Value extent =
            frame.load(rewriter, op.getLoc(), base,
                       launch.numbers[cast<IntegerAttr>(position).getInt()]);
        product = LLVM::MulOp::create(rewriter, loc, product, extent);
      }
      sum = LLVM::AddOp::create(rewriter, loc, sum, product);
    }
    return sum;
  }

  /// for (at = begin;; at = stop) {
  ///   stop = min(at + step, end);
  ///   kernel(at, stop);
  ///   if (stop >= end || poll(call))
  ///     break;
  /// }
  void runPolling(const BareLaunch &launch, Value begin, Value end,
                  Value step) {
    Block *before = rewriter.getInsertionBlock();
    Block *run = rewriter.createBlock(meeting, {begin.getType()}, {loc});
    Block *ask = rewriter.createBlock(meeting);
    Block *after = rewriter.createBlock(meeting);
    rewriter.setInsertionPointToEnd(before);
    LLVM::BrOp::create(rewriter, loc, begin, run);
    rewriter.setInsertionPointToEnd(run);
    Value at = run->getArgument(0);
    Value sum = LLVM::AddOp::create(rewriter, loc, at, step);
    Value stop = LLVM::SMinOp::create(rewriter, loc, sum, end);
    callOwnKernel(launch, at, stop);
    Value isMore = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::slt,
                                        stop, end);
    LLVM::CondBrOp::create(rewriter, loc, isMore, ask, after);
    rewriter.setInsertionPointToEnd(ask);
    poll();
    LLVM::BrOp::create(rewriter, loc, stop, run);
    rewriter.setInsertionPointToEnd(after);
  }

  /// Calls the kernel with values that are loaded where they are used: a loop
  /// around them keeps none in registers.
  void callOwnKernel(BareLaunch launch, Value begin, Value end) {
    krnl::LaunchOp op = launch.op;
    for (auto *values : {&launch.operands.pointers, &launch.operands.sizes,
                         &launch.operands.scalars})
      for (Value &value : *values)
        value = frame.load(rewriter, op.getLoc(), base, value);
    callKernel(rewriter, launch, call, tid, begin, end);
  }

  ConversionPatternRewriter &rewriter;
  Location loc;
  const Frame &frame;
  Value base, tid, team, hasTeam, call;
  Value shareBegin, shareEnd;
  Block *meeting; // the next barrier, or the end
  Block *leave;
};

struct ParallelRegionLowering : ConvertOpToLLVMPattern<krnl::ParallelRegionOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::ParallelRegionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    for (Operation &inner : op.getBody().front())
      if (!isa<krnl::LaunchOp, krnl::BarrierOp>(inner))
        return rewriter.notifyMatchFailure(op, "holds more than launches");
    if (matchPattern(adaptor.getTiles(), m_One()) && !polls(op)) {
      inlineLaunches(op, rewriter);
      return success();
    }
    Frame frame;
    frame.add(currentCall(rewriter));
    BareValues known;
    std::vector<BareLaunch> launches;
    for (krnl::LaunchOp launch : op.getBody().getOps<krnl::LaunchOp>()) {
      launches.push_back(
          bareLaunch(launch, rewriter, *getTypeConverter(), known));
      const BareLaunch &last = launches.back();
      for (const auto *values : {&last.operands.pointers, &last.operands.sizes,
                                 &last.operands.scalars})
        for (Value value : *values)
          frame.add(value);
      frame.add(last.tiles);
    }
    for (const BareLaunch &launch : launches)
      noteSizes(rewriter, launch.op);
    std::string name = nextName(op);
    Value address = frame.store(rewriter, loc);
    Value function =
        LLVM::AddressOfOp::create(rewriter, loc, getPtrType(), name);
    checkStatus(
        rewriter, loc,
        callHook(rewriter, loc, Hook::ParallelRegion,
                 {currentCall(rewriter), function, address, adaptor.getTiles()})
            .getResult());
    makeFunction(rewriter, op, name, frame, launches);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static bool polls(krnl::ParallelRegionOp op) {
    return llvm::any_of(op.getBody().front(), [](Operation &launch) {
      return launch.hasAttr(krnl::pollFirstAttrName) ||
             launch.hasAttr(krnl::pollTilesAttrName);
    });
  }

  /// For one worker that does not poll: the leader makes the launches.
  static void inlineLaunches(krnl::ParallelRegionOp op,
                             ConversionPatternRewriter &rewriter) {
    Block &body = op.getBody().front();
    for (auto barrier :
         llvm::make_early_inc_range(body.getOps<krnl::BarrierOp>()))
      rewriter.eraseOp(barrier);
    Value call = currentCall(rewriter);
    checkStatus(rewriter, op.getLoc(),
                callHook(rewriter, op.getLoc(), Hook::Poll, call).getResult());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.eraseOp(op);
  }

  /// "parallel_region.0", "parallel_region.1": no kernel or hook has a dot in
  /// its name. The newest is after all others.
  static std::string nextName(krnl::ParallelRegionOp op) {
    auto module = op->getParentOfType<ModuleOp>();
    for (Operation &other : llvm::reverse(*module.getBody())) {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(other);
      StringRef name = function ? function.getSymName() : StringRef();
      unsigned number;
      if (name.consume_front("parallel_region.") &&
          !name.getAsInteger(10, number))
        return ("parallel_region." + Twine(number + 1)).str();
    }
    return "parallel_region.0";
  }

  /// void name(void *frame, int32_t tid, int32_t nthreads, void *team)
  void makeFunction(ConversionPatternRewriter &rewriter,
                    krnl::ParallelRegionOp op, StringRef name,
                    const Frame &frame, ArrayRef<BareLaunch> launches) const {
    Location loc = op.getLoc();
    Value leaderCall = currentCall(rewriter);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(op->getParentOfType<ModuleOp>().getBody());
    Type i32 = rewriter.getI32Type();
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, loc, name,
        LLVM::LLVMFunctionType::get(getVoidType(),
                                    {getPtrType(), i32, i32, getPtrType()}),
        LLVM::Linkage::Internal);
    WorkerFunction worker(rewriter, function, frame, leaderCall);
    unsigned number = 0;
    for (Operation &inner : op.getBody().front()) {
      if (isa<krnl::BarrierOp>(inner))
        worker.meet(inner.getLoc());
      else
        worker.launch(launches[number++]);
    }
    worker.finish();
  }
};

} // namespace

void populateParallelRegionToLLVMPatterns(const LLVMTypeConverter &types,
                                          RewritePatternSet &patterns) {
  patterns.add<LaunchLowering, ParallelRegionLowering>(types);
}

} // namespace onnxc
