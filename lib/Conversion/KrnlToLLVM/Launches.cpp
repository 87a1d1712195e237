//===- Launches.cpp - Launches and their nodes -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Launches.h"

#include "Lowering.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/FunctionAttributes.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/rt/hooks.h"

#include <numeric>

using namespace mlir;

namespace onnxc {

/// The entry of the list for an operation that calls `function`.
static Attribute describeLaunch(Operation *op, FlatSymbolRefAttr function,
                                int64_t region, bool takesTimes) {
  Builder builder(op->getContext());
  SmallVector<StringRef> nodes;
  for (NodeName node : nodesOf(op->getLoc()))
    nodes.append({node.name, node.op});
  NamedAttrList entry;
  entry.set("function", function);
  entry.set("nodes", builder.getStrArrayAttr(nodes));
  if (region >= 0)
    entry.set("region", builder.getI64IntegerAttr(region));
  // Sizes are told with times only.
  auto work = op->getAttrOfType<DictionaryAttr>(krnl::workAttrName);
  if (work && (takesTimes || !work.contains("sizes")))
    entry.set("work", work);
  return entry.getDictionary(op->getContext());
}

void listLaunches(ModuleOp module, bool takesTimes) {
  Builder builder(module.getContext());
  SmallVector<Attribute> launches;
  int64_t regions = 0;
  auto list = [&](Operation *op, FlatSymbolRefAttr function) {
    bool inRegion = isa<krnl::ParallelRegionOp>(op->getParentOp());
    if (takesTimes)
      op->setAttr(krnl::launchNumberAttrName,
                  builder.getI32IntegerAttr(int32_t(launches.size())));
    launches.push_back(
        describeLaunch(op, function, inRegion ? regions - 1 : -1, takesTimes));
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    regions += isa<krnl::ParallelRegionOp>(op);
    if (auto launch = dyn_cast<krnl::LaunchOp>(op))
      list(op, launch.getKernelAttr());
    else if (auto call = dyn_cast<krnl::CallOp>(op))
      list(op, FlatSymbolRefAttr::get(op->getContext(), call.getCallee()));
  });
  if (!launches.empty())
    module->setAttr(krnl::launchesAttrName, builder.getArrayAttr(launches));
}

//===----------------------------------------------------------------------===//
// Arguments on devices
//===----------------------------------------------------------------------===//

/// The longest access of a thread. Arenas, weights and blocks of a device are
/// aligned for it, and so is each buffer within.
static constexpr int64_t deviceAlignment = 16;

/// Bytes that divide the address of a buffer of a device: one row among others
/// may lie anywhere.
static int64_t alignmentOf(Value buffer) {
  int64_t alignment = deviceAlignment;
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    auto type = cast<MemRefType>(buffer.getType());
    if (isa<krnl::RowViewOp>(view))
      alignment = std::gcd(
          alignment, elementBytes(type.getElementType()) *
                         (type.hasStaticShape() ? type.getNumElements() : 1));
    buffer = view.getViewSource();
  }
  return alignment;
}

static void alignArguments(krnl::LaunchOp launch, func::FuncOp kernel) {
  Builder builder(launch.getContext());
  StringRef name = LLVM::LLVMDialect::getAlignAttrName();
  unsigned passed = launch.getIns().size() + launch.getOuts().size();
  SmallVector<Attribute> alignments(passed);
  for (auto [i, operand] :
       llvm::enumerate(launch->getOperands().take_front(passed))) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    int64_t alignment = alignmentOf(operand);
    if (auto known = kernel.getArgAttrOfType<IntegerAttr>(i, name))
      alignment = std::min(alignment, known.getInt());
    alignments[i] = builder.getI64IntegerAttr(alignment);
  }
  setArgAttrs(kernel, name, alignments);
}

/// Returns true for constants and for the word of errors: no launch has to wait
/// for what others do with it.
static bool isUnordered(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto view = buffer.getDefiningOp<krnl::ArenaViewOp>();
  return buffer.getDefiningOp<krnl::ErrorWordOp>() ||
         (view && view.getArena() &&
          view.getArena().getDefiningOp<krnl::DeviceConstantsOp>());
}

static void noteBuffers(krnl::LaunchOp launch, func::FuncOp kernel) {
  Builder builder(launch.getContext());
  auto isBuffer = llvm::IsaPred<MemRefType>;
  SmallVector<int64_t> unordered;
  for (auto [i, operand] : llvm::enumerate(launch.getIns()))
    if (isBuffer(operand.getType()) && isUnordered(operand))
      unordered.push_back(int64_t(i));
  launch->setAttr(krnl::unorderedAttrName,
                  builder.getDenseI64ArrayAttr(unordered));
  kernel->setAttr(krnl::deviceBuffersAttrName,
                  builder.getDenseI64ArrayAttr(
                      {llvm::count_if(launch.getIns().getTypes(), isBuffer),
                       int64_t(launch.getOuts().size())}));
}

void describeDeviceArguments(ModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](krnl::LaunchOp launch) {
    auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
    if (!kernel || !kernel->hasAttr(krnl::KrnlDialect::threadsAttrName))
      return;
    alignArguments(launch, kernel);
    noteBuffers(launch, kernel);
  });
}

//===----------------------------------------------------------------------===//
// Numbers of launches
//===----------------------------------------------------------------------===//

/// Builds what only those runs do that observe `what` (ONNXC_OBSERVES_*).
static void whereObserved(ConversionPatternRewriter &rewriter, Location loc,
                          Value call, int32_t what,
                          function_ref<void()> build) {
  Value address =
      LLVM::GEPOp::create(rewriter, loc, call.getType(), rewriter.getI8Type(),
                          call, ArrayRef<LLVM::GEPArg>{ONNXC_OBSERVED_OFFSET});
  Value observed =
      LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(), address);
  Value bit = LLVM::AndOp::create(rewriter, loc, observed,
                                  constant32(rewriter, loc, what));
  Value isObserved =
      LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne, bit,
                           constant32(rewriter, loc, 0));
  auto [current, next] = splitBlock(rewriter);
  Block *telling = rewriter.createBlock(next);
  build();
  LLVM::BrOp::create(rewriter, loc, next);
  rewriter.setInsertionPointToEnd(current);
  LLVM::CondBrOp::create(rewriter, loc, isObserved, telling, ValueRange(), next,
                         ValueRange(), std::pair(1u, 2000u));
  rewriter.setInsertionPointToStart(next);
}

void noteLaunch(ConversionPatternRewriter &rewriter, Operation *launch,
                Value call, Value tid, bool isEnd) {
  auto number = launch->getAttrOfType<IntegerAttr>(krnl::launchNumberAttrName);
  if (!number)
    return;
  int64_t value = isEnd ? ~number.getInt() : number.getInt();
  Location loc = launch->getLoc();
  whereObserved(rewriter, loc, call, ONNXC_OBSERVES_LAUNCHES, [&] {
    callHook(rewriter, loc, Hook::Launch,
             {call, tid, constant32(rewriter, loc, value)});
  });
}

/// A scalar input of the launch, or the size of a buffer.
static Value sizeOf(ConversionPatternRewriter &rewriter, krnl::LaunchOp launch,
                    ArrayRef<int64_t> of) {
  Value operand =
      of[0] < 0 ? launch.getOuts()[-1 - of[0]] : launch.getIns()[of[0]];
  Value converted = rewriter.getRemappedValue(operand);
  if (of.size() == 1)
    return converted;
  return MemRefDescriptor(converted).size(rewriter, launch.getLoc(), of[1]);
}

void noteSizes(ConversionPatternRewriter &rewriter, Operation *launch) {
  auto number = launch->getAttrOfType<IntegerAttr>(krnl::launchNumberAttrName);
  auto work = launch->getAttrOfType<DictionaryAttr>(krnl::workAttrName);
  auto sizes = number && work ? work.getAs<ArrayAttr>("sizes") : ArrayAttr();
  if (!sizes)
    return;
  Location loc = launch->getLoc();
  Value call = currentCall(rewriter);
  auto tell = [&](size_t position, ArrayAttr entry) {
    SmallVector<int64_t, 2> of;
    for (auto part : entry.getAsRange<IntegerAttr>())
      of.push_back(part.getInt());
    callHook(rewriter, loc, Hook::LaunchSize,
             {call, constant32(rewriter, loc, int32_t(number.getInt())),
              constant32(rewriter, loc, int32_t(position)),
              sizeOf(rewriter, cast<krnl::LaunchOp>(launch), of)});
  };
  whereObserved(rewriter, loc, call, ONNXC_OBSERVES_SIZES, [&] {
    for (auto [position, entry] :
         llvm::enumerate(sizes.getAsRange<ArrayAttr>()))
      tell(position, entry);
  });
}

} // namespace onnxc
