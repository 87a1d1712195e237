//===- ParallelRegionToLLVM.cpp - Outline parallel regions -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The leader stores the pointers, sizes and tile counts that the launches need
// into a frame on its stack; the team runs a function that loads them. Tiles
// [tiles * tid / n, tiles * (tid + 1) / n) are worker tid's.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace onnxc {
namespace {

/// One launch with its operands as LLVM values, scratch and tile range not yet
/// added.
struct BareLaunch {
  krnl::LaunchOp op;
  BareOperands operands;
  Value tiles;
};

} // namespace

namespace {

/// The value of each buffer or scalar of the host, so that launches of one
/// region share it.
using BareValues = DenseMap<Value, BareOperands>;

} // namespace

/// The values a launch passes, as seen by the leader. `rewriter` knows what the
/// operands were converted to.
static BareLaunch bareLaunch(krnl::LaunchOp op,
                             ConversionPatternRewriter &rewriter,
                             const LLVMTypeConverter &types,
                             BareValues &known) {
  BareLaunch result{op, {}, rewriter.getRemappedValue(op.getTiles())};
  auto add = [&](Value value) {
    auto [it, isNew] = known.try_emplace(value);
    if (isNew)
      addBareOperand(it->second, value.getType(),
                     rewriter.getRemappedValue(value), rewriter, op.getLoc(),
                     types);
    llvm::append_range(result.operands.pointers, it->second.pointers);
    llvm::append_range(result.operands.sizes, it->second.sizes);
    llvm::append_range(result.operands.scalars, it->second.scalars);
  };
  llvm::for_each(op.getIns(), add);
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
    operands.push_back(constant64(builder, loc, op.getScratch()));
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
    callKernel(rewriter, launch, currentCall(rewriter),
               constant32(rewriter, loc, 0), constant64(rewriter, loc, 0),
               launch.tiles);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The frame of a region: which leader value is which field.
class Frame {
public:
  /// Field number of `value`, added if it is new.
  unsigned field(Value value) {
    return fields.insert({value, unsigned(fields.size())}).first->second;
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

struct ParallelRegionLowering : ConvertOpToLLVMPattern<krnl::ParallelRegionOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::ParallelRegionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    for (Operation &inner : op.getBody().front())
      if (!isa<krnl::LaunchOp, krnl::BarrierOp>(inner))
        return rewriter.notifyMatchFailure(op, "holds more than launches");
    Frame frame;
    frame.field(currentCall(rewriter));
    BareValues known;
    SmallVector<BareLaunch> launches;
    for (krnl::LaunchOp launch : op.getBody().getOps<krnl::LaunchOp>()) {
      launches.push_back(
          bareLaunch(launch, rewriter, *getTypeConverter(), known));
      const BareLaunch &last = launches.back();
      for (const auto *values : {&last.operands.pointers, &last.operands.sizes,
                                 &last.operands.scalars})
        for (Value value : *values)
          frame.field(value);
      frame.field(last.tiles);
    }
    std::string name = nextName(op);
    Value address = frame.store(rewriter, loc);
    Value function =
        LLVM::AddressOfOp::create(rewriter, loc, getPtrType(), name);
    callHook(rewriter, loc, Hook::ParallelRegion,
             {currentCall(rewriter), function, address, adaptor.getTiles()});
    makeFunction(rewriter, op, name, frame, launches);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// "parallel_region.0", "parallel_region.1": no kernel or hook has a dot in
  /// its name. The newest is behind all others.
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
    Block *body = function.addEntryBlock(rewriter);
    rewriter.setInsertionPointToStart(body);
    Value base = body->getArgument(0), tid = body->getArgument(1);
    Type i64 = rewriter.getI64Type();
    Value worker = LLVM::SExtOp::create(rewriter, loc, i64, tid);
    Value team = LLVM::SExtOp::create(rewriter, loc, i64, body->getArgument(2));
    Value next = LLVM::AddOp::create(rewriter, loc, worker,
                                     constant64(rewriter, loc, 1));
    Value call = frame.load(rewriter, loc, base, leaderCall);
    unsigned number = 0;
    for (Operation &inner : op.getBody().front()) {
      if (isa<krnl::BarrierOp>(inner)) {
        callHook(rewriter, inner.getLoc(), Hook::Barrier, body->getArgument(3));
        continue;
      }
      BareLaunch launch = reload(rewriter, launches[number++], frame, base);
      auto slice = [&](Value share) -> Value {
        Value product = LLVM::MulOp::create(rewriter, loc, launch.tiles, share);
        return LLVM::SDivOp::create(rewriter, loc, product, team);
      };
      Value begin = slice(worker), end = slice(next);
      callKernel(rewriter, launch, call, tid, begin, end);
    }
    LLVM::ReturnOp::create(rewriter, loc, ValueRange());
  }

  /// The same launch with values of the region's function.
  static BareLaunch reload(OpBuilder &builder, const BareLaunch &launch,
                           const Frame &frame, Value base) {
    BareLaunch result = launch;
    krnl::LaunchOp op = launch.op;
    for (auto *values : {&result.operands.pointers, &result.operands.sizes,
                         &result.operands.scalars})
      for (Value &value : *values)
        value = frame.load(builder, op.getLoc(), base, value);
    result.tiles = frame.load(builder, op.getLoc(), base, launch.tiles);
    return result;
  }
};

} // namespace

void populateParallelRegionToLLVMPatterns(const LLVMTypeConverter &types,
                                          RewritePatternSet &patterns) {
  patterns.add<LaunchLowering, ParallelRegionLowering>(types);
}

} // namespace onnxc
