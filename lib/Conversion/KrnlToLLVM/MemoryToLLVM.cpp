//===- MemoryToLLVM.cpp - Sizes and places of buffers ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc {

Value bufferBytes(OpBuilder &builder, Location loc, MemRefType type,
                  ArrayRef<Value> sizes) {
  constexpr int64_t alignment = 64, most = int64_t(1) << 46;
  auto constant = [&](int64_t value) {
    return constant64(builder, loc, value);
  };
  Type i64 = builder.getI64Type(), i1 = builder.getI1Type();
  auto pair = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, i1});
  Value bytes = constant(elementBytes(type.getElementType())), isBad;
  auto also = [&](Value bad) {
    isBad = isBad ? LLVM::OrOp::create(builder, loc, isBad, bad) : bad;
  };
  for (auto [size, known] : llvm::zip_equal(sizes, type.getShape())) {
    Value both =
        LLVM::SMulWithOverflowOp::create(builder, loc, pair, bytes, size);
    bytes = LLVM::ExtractValueOp::create(builder, loc, both, 0);
    also(LLVM::ExtractValueOp::create(builder, loc, both, 1));
    if (ShapedType::isDynamic(known))
      also(LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, size,
                                constant(0)));
  }
  Value isLarge = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sgt,
                                       bytes, constant(most));
  also(isLarge);
  Value smallest = LLVM::SMaxOp::create(builder, loc, bytes, constant(1));
  Value more =
      LLVM::AddOp::create(builder, loc, smallest, constant(alignment - 1));
  Value rounded = LLVM::AndOp::create(builder, loc, more, constant(-alignment));
  return LLVM::SelectOp::create(builder, loc, isBad, constant(2 * most),
                                rounded);
}

namespace {

struct BufferBytesLowering : ConvertOpToLLVMPattern<krnl::BufferBytesOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::BufferBytesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getBuffer());
    SmallVector<Value> sizes;
    unsigned dynamic = 0;
    for (int64_t size : type.getShape())
      sizes.push_back(ShapedType::isDynamic(size)
                          ? adaptor.getSizes()[dynamic++]
                          : constant64(rewriter, op.getLoc(), size));
    rewriter.replaceOp(op, bufferBytes(rewriter, op.getLoc(), type, sizes));
    return success();
  }
};

struct ArenaReserveLowering : ConvertOpToLLVMPattern<krnl::ArenaReserveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::ArenaReserveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value arena = callHook(rewriter, op.getLoc(), Hook::ArenaReserve,
                           {currentCall(rewriter), adaptor.getBytes()})
                      .getResult();
    checkStatus(rewriter, op.getLoc());
    rewriter.replaceOp(op, arena);
    return success();
  }
};

/// A word on the stack of the call, 0 before anything runs.
struct ErrorWordLowering : ConvertOpToLLVMPattern<krnl::ErrorWordOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::ErrorWordOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value word = stackSlot(rewriter, loc, rewriter.getI32Type());
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(word);
      LLVM::StoreOp::create(rewriter, loc, constant32(rewriter, loc, 0), word);
    }
    auto type = cast<MemRefType>(op.getType());
    rewriter.replaceOp(
        op, {createMemRefDescriptor(loc, type, word, word, {}, {}, rewriter)});
    return success();
  }
};

/// The same buffer, so many rows further on.
struct RowViewLowering : ConvertOpToLLVMPattern<krnl::RowViewOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::RowViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    auto rowsType = cast<MemRefType>(op.getRows().getType());
    MemRefDescriptor rows(adaptor.getRows());
    SmallVector<Value> dynamic, sizes, strides;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        dynamic.push_back(rows.size(rewriter, loc, i + 1));
    Value count;
    getMemRefDescriptorSizes(loc, type, dynamic, rewriter, sizes, strides,
                             count, /*sizeInBytes=*/false);
    Value distance =
        LLVM::MulOp::create(rewriter, loc, adaptor.getRow(), count);
    Value memory = LLVM::GEPOp::create(
        rewriter, loc, getPtrType(),
        getTypeConverter()->convertType(type.getElementType()),
        rows.bufferPtr(rewriter, loc, *getTypeConverter(), rowsType),
        ArrayRef<LLVM::GEPArg>{distance});
    rewriter.replaceOp(op, {createMemRefDescriptor(loc, type, memory, memory,
                                                   sizes, strides, rewriter)});
    return success();
  }
};

/// Buffers of the host program are contiguous, also where a view's type has
/// strides that nobody knows.
struct CopyLowering : ConvertOpToLLVMPattern<memref::CopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = dyn_cast<MemRefType>(op.getSource().getType());
    auto to = dyn_cast<MemRefType>(op.getTarget().getType());
    if (!from || !to)
      return rewriter.notifyMatchFailure(op, "buffers without a rank");
    MemRefDescriptor source(adaptor.getSource()), target(adaptor.getTarget());
    Value bytes = constant64(rewriter, loc, elementBytes(to.getElementType()));
    for (int64_t d = 0; d < to.getRank(); ++d)
      bytes = LLVM::MulOp::create(rewriter, loc, bytes,
                                  target.size(rewriter, loc, d));
    LLVM::MemcpyOp::create(
        rewriter, loc, target.bufferPtr(rewriter, loc, *getTypeConverter(), to),
        source.bufferPtr(rewriter, loc, *getTypeConverter(), from), bytes,
        /*isVolatile=*/false);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateMemoryToLLVMPatterns(const LLVMTypeConverter &types,
                                  RewritePatternSet &patterns) {
  patterns.add<ArenaReserveLowering, BufferBytesLowering, ErrorWordLowering,
               RowViewLowering>(types);
  // Before MLIR's own, which calls a function for buffers with strides.
  patterns.add<CopyLowering>(types, /*benefit=*/2);
}

} // namespace onnxc
