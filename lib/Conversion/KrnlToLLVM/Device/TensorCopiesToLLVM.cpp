//===- TensorCopiesToLLVM.cpp - Copies of boxes of tensors ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// PTX ISA, "cp.async.bulk.tensor" and "mbarrier". The instruction reads a map
// of the tensor, 128 bytes that the driver makes of its address and sizes. It
// is a parameter that stays where launches put it (__grid_constant__).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "onnxc/Dialect/Krnl/IR/ClusterOps.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/rt/device.h"

using namespace mlir;

namespace onnxc {

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Bytes of all parameters of a kernel (CUDA C++ Programming Guide, "Function
/// Parameters").
static constexpr int64_t maxParameterBytes = 4096;

/// Fails if the kernel has more maps than launches make, or than parameters may
/// have. Parameters take 8 bytes at most, without maps.
static LogicalResult checkTensorMaps(func::FuncOp kernel, size_t numMaps,
                                     size_t numOthers) {
  if (numMaps > ONNXC_TENSOR_MAPS)
    return kernel.emitError("a kernel copies boxes of ")
           << ONNXC_TENSOR_MAPS << " tensors at most, but got " << numMaps;
  int64_t bytes = int64_t(llvm::alignTo(numOthers * sizeof(int64_t),
                                        ONNXC_TENSOR_MAP_ALIGNMENT)) +
                  int64_t(numMaps) * ONNXC_TENSOR_MAP_BYTES;
  if (bytes > maxParameterBytes)
    return kernel.emitError("the parameters of a kernel that copies boxes of "
                            "tensors take ")
           << maxParameterBytes << " bytes at most, but got " << bytes;
  return success();
}

/// The sizes of a buffer, ~n where one is parameter n of those that are left.
static SmallVector<int64_t> sizesOf(Value buffer, unsigned numOld) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> sizes(type.getShape());
  ValueRange dynamic = buffer.getDefiningOp<krnl::FromPointerOp>().getSizes();
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size)) {
      size = ~int64_t(cast<BlockArgument>(dynamic.front()).getArgNumber() -
                      numOld);
      dynamic = dynamic.drop_front();
    }
  return sizes;
}

LogicalResult addTensorMaps(func::FuncOp kernel, ArrayRef<Value> buffers,
                            unsigned numOld) {
  Block &entry = kernel.getBody().front();
  Builder builder(kernel.getContext());
  SmallVector<Attribute> maps;
  SmallVector<Value> parameters;
  kernel.walk([&](krnl::CopyTensorOp copy) {
    auto number = llvm::find(buffers, copy.getSource()) - buffers.begin();
    if (size_t(number) == buffers.size())
      return; // the conversion refuses it
    Attribute map = builder.getDictionaryAttr(
        {builder.getNamedAttr("pointer", builder.getI64IntegerAttr(number)),
         builder.getNamedAttr(
             "bytes", builder.getI64IntegerAttr(copy.getElementBytes())),
         builder.getNamedAttr("sizes", builder.getDenseI64ArrayAttr(
                                           sizesOf(copy.getSource(), numOld))),
         builder.getNamedAttr("box", copy.getBoxAttr()),
         builder.getNamedAttr("swizzle", copy.getSwizzleAttr())});
    auto known = llvm::find(maps, map) - maps.begin();
    if (size_t(known) == maps.size()) {
      maps.push_back(map);
      parameters.push_back(entry.addArgument(
          LLVM::LLVMPointerType::get(kernel.getContext()), copy.getLoc()));
    }
    copy.getMapMutable().assign(parameters[known]);
  });
  if (maps.empty())
    return success();
  kernel->setAttr(krnl::KrnlDialect::tensorMapsAttrName,
                  builder.getArrayAttr(maps));
  return checkTensorMaps(kernel, maps.size(),
                         entry.getNumArguments() - numOld - maps.size());
}

void markTensorMaps(LLVM::LLVMFuncOp kernel) {
  auto maps =
      kernel->getAttrOfType<ArrayAttr>(krnl::KrnlDialect::tensorMapsAttrName);
  if (!maps)
    return;
  Builder builder(kernel.getContext());
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  auto type =
      LLVM::LLVMArrayType::get(builder.getI8Type(), ONNXC_TENSOR_MAP_BYTES);
  for (unsigned i : llvm::seq<unsigned>(maps.size())) {
    unsigned argument = kernel.getNumArguments() - 1 - i;
    kernel.setArgAttr(argument, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(type));
    kernel.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(ONNXC_TENSOR_MAP_ALIGNMENT));
    kernel.setArgAttr(argument, NVVM::NVVMDialect::getGridConstantAttrName(),
                      builder.getUnitAttr());
  }
}

//===----------------------------------------------------------------------===//
// Copies and barriers
//===----------------------------------------------------------------------===//

namespace {

/// The type of a pointer to shared memory of any block of the cluster.
LLVM::LLVMPointerType clusterPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(
      context, unsigned(NVVM::NVVMMemorySpace::SharedCluster));
}

template <typename Op>
struct TensorCopyPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

protected:
  /// The address in shared memory.
  Value addressOf(OpBuilder &builder, Location loc, Value buffer, Value adapted,
                  ValueRange at) const {
    Value address = this->getStridedElementPtr(
        static_cast<ConversionPatternRewriter &>(builder), loc,
        cast<MemRefType>(buffer.getType()), adapted, at);
    return LLVM::AddrSpaceCastOp::create(
        builder, loc,
        LLVM::LLVMPointerType::get(builder.getContext(),
                                   krnl::sharedMemorySpace),
        address);
  }
  /// The barrier of a stage.
  template <typename Adaptor>
  Value barrierOf(OpBuilder &builder, Op op, Adaptor adaptor) const {
    return addressOf(builder, op.getLoc(), op.getBarriers(),
                     adaptor.getBarriers(), adaptor.getStage());
  }
  /// All barriers.
  template <typename Adaptor>
  SmallVector<Value> barriersOf(OpBuilder &builder, Op op,
                                Adaptor adaptor) const {
    SmallVector<Value> barriers;
    auto type = cast<MemRefType>(op.getBarriers().getType());
    for (int64_t i : llvm::seq(type.getDimSize(0))) {
      Value at = LLVM::ConstantOp::create(
          builder, op.getLoc(),
          builder.getIntegerAttr(this->getIndexType(), i));
      barriers.push_back(addressOf(builder, op.getLoc(), op.getBarriers(),
                                   adaptor.getBarriers(), at));
    }
    return barriers;
  }
  static Value word(OpBuilder &builder, Location loc, Value index) {
    Type type = builder.getI32Type();
    return index.getType() == type
               ? index
               : LLVM::TruncOp::create(builder, loc, type, index).getResult();
  }
};

struct CopyTensorLowering : TensorCopyPattern<krnl::CopyTensorOp> {
  using TensorCopyPattern::TensorCopyPattern;

  LogicalResult
  matchAndRewrite(krnl::CopyTensorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getMap())
      return rewriter.notifyMatchFailure(op, "is of no operand of the kernel");
    Location loc = op.getLoc();
    Value to = addressOf(rewriter, loc, op.getMemory(), adaptor.getMemory(),
                         adaptor.getAt());
    // Memory of the own block is that of its cluster.
    Value inCluster = LLVM::AddrSpaceCastOp::create(
        rewriter, loc, clusterPointer(getContext()), to);
    // All blocks of the cluster, by a bit of each.
    Value blocks;
    if (op.getBlocks() > 1)
      blocks = LLVM::ConstantOp::create(
          rewriter, loc,
          rewriter.getI16IntegerAttr(int16_t((1 << op.getBlocks()) - 1)));
    // The last dimension is the first one of the map.
    SmallVector<Value> from;
    for (Value index : llvm::reverse(adaptor.getFrom()))
      from.push_back(word(rewriter, loc, index));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        rewriter, loc, inCluster, adaptor.getMap(), from,
        barrierOf(rewriter, op, adaptor), /*im2colOffsets=*/ValueRange(),
        /*multicastMask=*/blocks, /*l2CacheHint=*/Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
        /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierInitLowering : TensorCopyPattern<krnl::BarrierInitOp> {
  using TensorCopyPattern::TensorCopyPattern;

  LogicalResult
  matchAndRewrite(krnl::BarrierInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    for (Value barrier : barriersOf(rewriter, op, adaptor))
      NVVM::MBarrierInitOp::create(
          rewriter, loc, barrier,
          constant32(rewriter, loc, int32_t(op.getArrivals())),
          /*predicate=*/Value());
    // Copies arrive at them past the thread.
    NVVM::FenceProxyOp::create(
        rewriter, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(getContext(),
                                   NVVM::SharedSpace::shared_cta));
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierExpectLowering : TensorCopyPattern<krnl::BarrierExpectOp> {
  using TensorCopyPattern::TensorCopyPattern;

  LogicalResult
  matchAndRewrite(krnl::BarrierExpectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    NVVM::MBarrierArriveExpectTxOp::create(
        rewriter, loc, rewriter.getI64Type(), barrierOf(rewriter, op, adaptor),
        constant32(rewriter, loc, int32_t(op.getBytes())),
        NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

/// The scope is that of the block: with that of the cluster all stores of the
/// thread would have to be visible there before, but other blocks read none.
struct BarrierArriveLowering : TensorCopyPattern<krnl::BarrierArriveOp> {
  using TensorCopyPattern::TensorCopyPattern;

  LogicalResult
  matchAndRewrite(krnl::BarrierArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value own = barrierOf(rewriter, op, adaptor);
    if (op.getBlocks() == 1)
      NVVM::MBarrierArriveOp::create(rewriter, loc, rewriter.getI64Type(), own,
                                     /*count=*/Value(), NVVM::MemScopeKind::CTA,
                                     /*relaxed=*/false);
    for (int64_t block : llvm::seq(op.getBlocks() > 1 ? op.getBlocks() : 0)) {
      Value there =
          NVVM::MapaOp::create(rewriter, loc, clusterPointer(getContext()), own,
                               constant32(rewriter, loc, int32_t(block)));
      NVVM::MBarrierArriveOp::create(rewriter, loc, /*res=*/Type(), there,
                                     /*count=*/Value(), NVVM::MemScopeKind::CTA,
                                     /*relaxed=*/false);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// The instruction may give up; then it is tried again.
struct BarrierWaitLowering : TensorCopyPattern<krnl::BarrierWaitOp> {
  using TensorCopyPattern::TensorCopyPattern;

  LogicalResult
  matchAndRewrite(krnl::BarrierWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = barrierOf(rewriter, op, adaptor);
    Value parity = word(rewriter, loc, adaptor.getParity());
    auto [current, next] = splitBlock(rewriter);
    Block *trying = rewriter.createBlock(next);
    Value isOver = NVVM::MBarrierTryWaitOp::create(
        rewriter, loc, rewriter.getI1Type(), barrier, parity, /*ticks=*/Value(),
        NVVM::MemScopeKind::CTA, /*relaxed=*/false);
    LLVM::CondBrOp::create(rewriter, loc, isOver, next, trying);
    rewriter.setInsertionPointToEnd(current);
    LLVM::BrOp::create(rewriter, loc, trying);
    rewriter.setInsertionPointToStart(next);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadClusterLowering : TensorCopyPattern<krnl::LoadClusterOp> {
  using TensorCopyPattern::TensorCopyPattern;

  LogicalResult
  matchAndRewrite(krnl::LoadClusterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value own = addressOf(rewriter, loc, op.getMemory(), adaptor.getMemory(),
                          adaptor.getAt());
    Value there =
        NVVM::MapaOp::create(rewriter, loc, clusterPointer(getContext()), own,
                             constant32(rewriter, loc, int32_t(op.getBlock())));
    Type type = op.getValue().getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bytes = onnxc::elementBytes(getElementTypeOrSelf(type)) *
                    (vector ? vector.getNumElements() : 1);
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, there, unsigned(bytes));
    return success();
  }
};

struct BarrierEndLowering : TensorCopyPattern<krnl::BarrierEndOp> {
  using TensorCopyPattern::TensorCopyPattern;

  LogicalResult
  matchAndRewrite(krnl::BarrierEndOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    for (Value barrier : barriersOf(rewriter, op, adaptor))
      NVVM::MBarrierInvalOp::create(rewriter, op.getLoc(), barrier);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateTensorCopiesToLLVMPatterns(const LLVMTypeConverter &types,
                                        RewritePatternSet &patterns) {
  patterns.add<CopyTensorLowering, BarrierInitLowering, BarrierExpectLowering,
               BarrierArriveLowering, BarrierWaitLowering, BarrierEndLowering,
               LoadClusterLowering>(types);
}

} // namespace onnxc
