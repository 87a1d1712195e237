//===- LowerKernels.cpp - Kernels become functions and launches -*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Dialect/Krnl/Emit/LaunchParts.h"
#include "onnxc/Dialect/Krnl/Emit/Passes.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"
#include "onnxc/Dialect/Krnl/IR/Polls.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Support/RegionHash.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLLOWERKERNELSPASS
#include "onnxc/Dialect/Krnl/Emit/Passes.h.inc"

namespace {

/// A kernel that has been emitted; equal kernels share its function.
struct Emitted {
  KernelOp kernel;
  EmittedKernel result;
};

class Lowering {
public:
  Lowering(Operation *module, const EmitOptions &options)
      : module(module), options(options),
        policy(makePolicy(options.processor, options.target)),
        rewriter(module->getContext()) {}

  LogicalResult lower(KernelOp kernel);
  /// Kernels stay until the end: later ones are compared with them.
  void eraseKernels() {
    for (KernelOp kernel : llvm::reverse(done))
      rewriter.eraseOp(kernel);
  }

private:
  FailureOr<Emitted *> emit(KernelOp kernel);
  std::string uniqueName(StringRef base);
  Value packed(KernelOp kernel, const LoopNest &nest, const Pack &step,
               ValueRange extents);
  Value longSums(KernelOp kernel, unsigned operand, PackedLayoutAttr layout);
  Value tilesOfPacking(KernelOp kernel, const LoopNest &nest,
                       ArrayRef<unsigned> loops, ValueRange sizes,
                       ValueRange extents);
  SmallVector<Value> hostExtents(KernelOp kernel);
  Value hostTripCount(KernelOp kernel, const LoopNest &nest, unsigned loop,
                      ValueRange extents);
  Value hostScalar(KernelOp kernel, Value value, ValueRange extents);
  Value hostSize(KernelOp kernel, Value tensor, int64_t dim,
                 ValueRange extents);
  Value temporary(KernelOp kernel, Value tensor, ValueRange extents);
  Value tilesOf(KernelOp kernel, const LoopNest &nest, ArrayRef<Value> extents);
  void addTemporaries(Emitted &emitted, KernelOp kernel,
                      ArrayRef<Value> extents, SmallVectorImpl<Value> &outs);
  Value errorWord(KernelOp kernel, const LoopNest &nest, ValueRange extents);
  void checkIndexed(KernelOp kernel, const LoopNest &nest, WrapIndexOp op,
                    ValueRange extents);

  Operation *module;
  const EmitOptions &options;
  std::unique_ptr<EmitPolicy> policy;
  IRRewriter rewriter;
  DenseMap<unsigned, SmallVector<std::unique_ptr<Emitted>>> byHash;
  SmallVector<KernelOp> done;
  llvm::StringMap<unsigned> names;
};

} // namespace

llvm::hash_code hashOf(KernelOp kernel) {
  llvm::hash_code hash =
      llvm::hash_combine(kernel.getLoops(), kernel.getRecipe());
  for (Type type : kernel.getOperandTypes())
    hash = llvm::hash_combine(hash, type);
  return llvm::hash_combine(hash, hashRegions(kernel));
}

bool areEqual(KernelOp x, KernelOp y) {
  return x.getLoops() == y.getLoops() && x.getRecipe() == y.getRecipe() &&
         x.getIns().size() == y.getIns().size() &&
         x.getOperandTypes() == y.getOperandTypes() &&
         OperationEquivalence::isRegionEquivalentTo(
             &x.getBody(), &y.getBody(), OperationEquivalence::IgnoreLocations);
}

/// The nodes that the operations of a kernel come from are those of its launch.
static Location launchLoc(KernelOp kernel) {
  SmallVector<Location> parts;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    parts.push_back(op->getLoc());
  return fuseLocations(kernel.getLoc(), parts);
}

/// Function names contain the kernel's name and stay legal in assembly.
std::string Lowering::uniqueName(StringRef base) {
  std::string name = "kernel_";
  for (char c : base.take_front(40))
    name += llvm::isAlnum(c) ? c : '_';
  unsigned &count = names[name];
  return name + "_" + std::to_string(count++);
}

FailureOr<Emitted *> Lowering::emit(KernelOp kernel) {
  auto &candidates = byHash[unsigned(hashOf(kernel))];
  for (auto &candidate : candidates)
    if (areEqual(candidate->kernel, kernel))
      return candidate.get();
  OpBuilder at = OpBuilder::atBlockEnd(&module->getRegion(0).front());
  auto result =
      emitKernel(kernel, at, uniqueName(kernel.getName()), options, *policy);
  if (failed(result))
    return failure();
  result->func->setLoc(launchLoc(kernel));
  candidates.push_back(std::make_unique<Emitted>(Emitted{kernel, *result}));
  return candidates.back().get();
}

/// The size of a tensor of the host, from the op that makes its memory: a use
/// of the tensor itself would keep the tensor from being overwritten.
static OpFoldResult sizeAtHost(OpBuilder &b, Location loc, Value tensor,
                               int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (auto launch = tensor.getDefiningOp<LaunchOp>())
    return sizeAtHost(
        b, loc, launch.getOuts()[cast<OpResult>(tensor).getResultNumber()],
        dim);
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSize(dim);
  if (auto view = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    return view.getMixedOutputShape()[dim];
  auto view = tensor.getDefiningOp<tensor::CollapseShapeOp>();
  if (!view)
    return tensor::getMixedSize(b, loc, tensor, dim);
  OpFoldResult product = b.getIndexAttr(1);
  for (int64_t part : view.getReassociationIndices()[dim])
    product = IndexBuilder(b, loc).mul(product,
                                       sizeAtHost(b, loc, view.getSrc(), part));
  return product;
}

/// Extents as parts of index arithmetic, which folds constants.
static SmallVector<LaneIndex> extentIndices(ValueRange extents) {
  return llvm::map_to_vector(getAsOpFoldResult(extents), toLaneIndex);
}

/// The run-time (or constant) extent of every axis, as host values.
SmallVector<Value> Lowering::hostExtents(KernelOp kernel) {
  SmallVector<Value> extents;
  for (unsigned loop : llvm::seq<unsigned>(kernel.getLoops().size()))
    extents.push_back(getValueOrCreateConstantIndexOp(rewriter, kernel.getLoc(),
                                                      kernel.getExtent(loop)));
  return extents;
}

/// How often the loop runs.
Value Lowering::hostTripCount(KernelOp kernel, const LoopNest &nest,
                              unsigned loop, ValueRange extents) {
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  LaneMath math(b);
  return math.scalar(
      math.eval(nest.extentExpr(loop), {}, extentIndices(extents)));
}

/// The iterations of the outermost loop over a packed form with these dynamic
/// sizes: none where the form has no element, or the kernel no result.
Value Lowering::tilesOfPacking(KernelOp kernel, const LoopNest &nest,
                               ArrayRef<unsigned> loops, ValueRange sizes,
                               ValueRange extents) {
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  SmallVector<unsigned> axes;
  for (unsigned loop : loops)
    llvm::append_range(axes, nest.axesOf(loop));
  bool isDynamic = nest.loop(loops.front()).isDynamic();
  Value tiles = isDynamic ? sizes.front()
                          : hostTripCount(kernel, nest, loops.front(), extents);
  Value none = arith::ConstantIndexOp::create(b, 0);
  for (Value size : sizes.drop_front(isDynamic)) {
    Value isEmpty =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, size, none);
    tiles = b.createOrFold<arith::SelectOp>(isEmpty, none, tiles);
  }
  return tilesForResults(kernel, nest, axes, extents, b, tiles);
}

/// A constant is packed once, when the artefact is written; anything else by a
/// loop over the packed form each time it is needed.
Value Lowering::packed(KernelOp kernel, const LoopNest &nest, const Pack &step,
                       ValueRange extents) {
  PackedOperand pack = packedOperand(kernel, nest, step);
  Value operand = kernel.getOperand(pack.operand);
  if (auto constant = operand.getDefiningOp<ConstantOp>();
      constant && !constant.getLayout() && pack.type.hasStaticShape())
    return ConstantOp::create(rewriter, constant.getLoc(), constant.getValue(),
                              pack.layout);
  SmallVector<Value> sizes;
  for (unsigned loop : pack.loops)
    if (nest.loop(loop).isDynamic())
      sizes.push_back(hostTripCount(kernel, nest, loop, extents));
  Value empty =
      tensor::EmptyOp::create(rewriter, kernel.getLoc(), pack.type, sizes);
  OpBuilder at = OpBuilder::atBlockEnd(&module->getRegion(0).front());
  func::FuncOp func =
      emitPacking(kernel.getLoc(), cast<RankedTensorType>(operand.getType()),
                  pack, at, uniqueName("pack"));
  Value tiles = tilesOfPacking(kernel, nest, pack.loops, sizes, extents);
  auto launch = LaunchOp::create(rewriter, kernel.getLoc(),
                                 TypeRange(pack.type), func.getName(),
                                 ValueRange(operand), ValueRange(empty), tiles);
  if (auto costs = kernel->getAttrOfType<DictionaryAttr>(packCostsAttrName))
    if (auto own = costs.getAs<DictionaryAttr>(std::to_string(step.operand)))
      launch->setDiscardableAttrs(own);
  return launch.getResult(0);
}

/// Which sums of the packed operand do not fit 16 bits: of a constant as its
/// bytes say, else all.
Value Lowering::longSums(KernelOp kernel, unsigned operand,
                         PackedLayoutAttr layout) {
  auto constant = kernel.getOperand(operand).getDefiningOp<ConstantOp>();
  if (constant && !constant.getLayout())
    return ConstantOp::create(rewriter, constant.getLoc(), constant.getValue(),
                              layout);
  auto type = RankedTensorType::get(layout.getStoredSizes(),
                                    rewriter.getIntegerType(8));
  return ConstantOp::create(
      rewriter, kernel.getLoc(),
      DenseElementsAttr::get(type,
                             rewriter.getIntegerAttr(type.getElementType(), 1)),
      PackedLayoutAttr());
}

/// A scalar of the kernel's body, computed by the host instead.
Value Lowering::hostScalar(KernelOp kernel, Value value, ValueRange extents) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return kernel.getOperand(arg.getArgNumber());
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    return hostSize(kernel, dim.getSource(),
                    *getConstantIntValue(dim.getIndex()), extents);
  IRMapping map;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    map.map(operand, hostScalar(kernel, operand, extents));
  return rewriter.clone(*op, map)->getResult(
      cast<OpResult>(value).getResultNumber());
}

/// Size of a dimension of a tensor of the kernel's body.
Value Lowering::hostSize(KernelOp kernel, Value tensor, int64_t dim,
                         ValueRange extents) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(rewriter, kernel.getLoc(),
                                          type.getDimSize(dim));
  auto [loop, argument] = kernel.findSize(tensor, dim);
  if (loop)
    return extents[*loop];
  Value operand = kernel.getOperand(argument.getArgNumber());
  return IndexBuilder(rewriter, kernel.getLoc())
      .value(sizeAtHost(rewriter, kernel.getLoc(), operand, dim));
}

/// Memory for an intermediate that is too large for the stack.
Value Lowering::temporary(KernelOp kernel, Value tensor, ValueRange extents) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(hostSize(kernel, tensor, dim, extents));
  return tensor::EmptyOp::create(rewriter, kernel.getLoc(), type, sizes);
}

/// Where there is nothing there is no index inside either: that is found out
/// before the kernel runs.
void Lowering::checkIndexed(KernelOp kernel, const LoopNest &nest,
                            WrapIndexOp op, ValueRange extents) {
  if (op.getCount())
    return; // there may be none
  auto structured = op->getParentOfType<ComputeOp>();
  Operation *maker = op.getSize().getDefiningOp();
  if (maker && structured->isProperAncestor(maker))
    return; // computed for each element
  Value size = hostScalar(kernel, op.getSize(), extents);
  if (std::optional<int64_t> known = getConstantIntValue(size);
      known && *known > 0)
    return;
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value isFine = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                                       size, zero);
  for (unsigned axis : nest.op(nest.indexOf(structured)).axes) {
    Value isEmpty = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, extents[axis], zero);
    isFine = arith::OrIOp::create(rewriter, loc, isFine, isEmpty);
  }
  std::string message = op.getMessage().str();
  if (std::optional<uint64_t> dimension = op.getDimension())
    message += ": dimension " + std::to_string(*dimension) + " has size 0";
  CheckOp::create(rewriter, loc, isFine, message);
}

/// The words that a launch of the kernel notes its errors in.
Value Lowering::errorWord(KernelOp kernel, const LoopNest &nest,
                          ValueRange extents) {
  SmallVector<Attribute> messages, locations;
  SmallVector<int64_t> dimensions;
  for (WrapIndexOp op : wrappedIndices(kernel)) {
    checkIndexed(kernel, nest, op, extents);
    messages.push_back(op.getMessageAttr());
    locations.push_back(LocationAttr(op.getLoc()));
    dimensions.push_back(int64_t(op.getDimension().value_or(-1)));
  }
  return ErrorWordOp::create(
      rewriter, kernel.getLoc(),
      errorWordType(rewriter.getContext(), messages.size()),
      rewriter.getArrayAttr(messages), rewriter.getArrayAttr(locations),
      dimensions);
}

/// A launch of the kernel itself has the costs that the kernel was annotated
/// with.
static void copyCosts(KernelOp kernel, LaunchOp launch) {
  for (StringRef name : {cyclesAttrName, tileCyclesAttrName,
                         rooflineCyclesAttrName, workAttrName})
    if (Attribute cost = kernel->getAttr(name))
      launch->setAttr(name, cost);
}

/// The iterations of all parallel loops together; of a device, the blocks that
/// take them in turn.
Value Lowering::tilesOf(KernelOp kernel, const LoopNest &nest,
                        ArrayRef<Value> extents) {
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  LaneMath math(b);
  SmallVector<LaneIndex> symbols = extentsWithWork(
      kernel, nest, /*ofTiles=*/true, extentIndices(extents), b);
  LaneIndex tiles{{}, 1, 0, {}};
  for (unsigned loop : nest.parallelLoops()) {
    LaneIndex extent = math.eval(nest.extentExpr(loop), {}, symbols);
    tiles = extent.isConstant() ? math.scale(tiles, extent.offset)
                                : math.scale(tiles, math.scalar(extent));
  }
  if (std::optional<unsigned> parts = clusterParts(nest);
      parts && policy->tileThreads() && policy->tileThreads()->formsClusters())
    tiles = math.scale(tiles, nest.loop(*parts).extent);
  Value count = math.scalar(tiles);
  // Ops outside of empty loops would have no use.
  if (llvm::any_of(nest.ops(),
                   [](const BodyOp &op) { return op.hoistedFrom.has_value(); }))
    count = tilesForResults(kernel, nest, {}, extents, b, count);
  if (policy->tileThreads() && nest.maxBlocks() > 0)
    count = b.createOrFold<arith::MinUIOp>(
        count, math.scalar({{}, nest.maxBlocks(), 0, {}}));
  rewriter.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
  return count;
}

/// Kernels that share a function have corresponding temporaries.
void Lowering::addTemporaries(Emitted &emitted, KernelOp kernel,
                              ArrayRef<Value> extents,
                              SmallVectorImpl<Value> &outs) {
  Block &like = emitted.kernel.getBody().front();
  for (Value tensor : emitted.result.temporaries) {
    auto result = cast<OpResult>(tensor);
    int64_t position =
        std::distance(like.begin(), Block::iterator(result.getOwner()));
    Operation &own = *std::next(kernel.getBody().front().begin(), position);
    outs.push_back(
        temporary(kernel, own.getResult(result.getResultNumber()), extents));
  }
}

LogicalResult Lowering::lower(KernelOp kernel) {
  FailureOr<Emitted *> emitted = emit(kernel);
  if (failed(emitted))
    return failure();
  LoopNest nest = LoopNest::replay(kernel);
  rewriter.setInsertionPoint(kernel);
  SmallVector<Value> ins(kernel.getIns()), outs(kernel.getOuts());
  SmallVector<Value> extents = hostExtents(kernel);
  for (const Pack &pack : nest.packs()) {
    ins[pack.operand] = packed(kernel, nest, pack, extents);
    if (!policy->packsInRuns() && ins[pack.operand].getDefiningOp<LaunchOp>())
      return kernel.emitOpError("packs operand ")
             << pack.operand
             << " in each run, which no device does: take the step out of the "
                "recipe";
  }
  Value tileCount = tilesOf(kernel, nest, extents);
  addTemporaries(**emitted, kernel, extents, outs);
  llvm::append_range(ins, kernel.getExtents());
  if ((*emitted)->result.hasErrorWord)
    ins.push_back(errorWord(kernel, nest, extents));
  for (const Pack &pack : nest.packs())
    if (PackedLayoutAttr layout = longSumsLayout(nest, pack))
      ins.push_back(longSums(kernel, pack.operand, layout));
  auto launch =
      LaunchOp::create(rewriter, launchLoc(kernel), ValueRange(outs).getTypes(),
                       (*emitted)->result.func.getName(), ins, outs, tileCount);
  copyCosts(kernel, launch);
  if (policy->tileThreads())
    setParts(launch, kernel,
             [&](unsigned operand) { return nest.packOf(operand) != nullptr; });
  rewriter.replaceAllUsesWith(
      kernel.getResults(),
      launch.getResults().take_front(kernel.getNumResults()));
  done.push_back(kernel);
  return success();
}

namespace {
struct KrnlLowerKernels
    : public impl::KrnlLowerKernelsPassBase<KrnlLowerKernels> {
  using KrnlLowerKernelsPassBase::KrnlLowerKernelsPassBase;

  void runOnOperation() override {
    EmitOptions options;
    options.strict = strict;
    options.processor = TargetAttr::processorOf(getOperation());
    options.target = TargetAttr::of(getOperation());
    SmallVector<KernelOp> kernels = kernelsOf(getOperation());
    Lowering lowering(getOperation(), options);
    for (KernelOp kernel : kernels)
      if (failed(lowering.lower(kernel)))
        signalPassFailure();
    lowering.eraseKernels();
    shareSizes(getOperation());
  }
};
} // namespace

} // namespace onnxc::krnl
