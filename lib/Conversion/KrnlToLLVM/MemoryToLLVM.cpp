//===- MemoryToLLVM.cpp - Sizes and offsets of buffers ---------*- C++ -*-===//
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
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;

namespace onnxc {

static constexpr int64_t bufferAlignment = 64,
                         tooManyBytes = 2 * maxTensorBytes;

/// Returns the bytes by the arguments of the function, see bufferBytes().
static void computeBytes(OpBuilder &builder, Location loc, ValueRange args) {
  auto constant = [&](int64_t value) {
    return constant64(builder, loc, value);
  };
  auto compare = [&](LLVM::ICmpPredicate how, Value x, int64_t y) -> Value {
    return LLVM::ICmpOp::create(builder, loc, how, x, constant(y));
  };
  auto pair = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {builder.getI64Type(), builder.getI1Type()});
  Value bytes = args[0], minBytes = args[1], isBad;
  auto also = [&](Value bad) {
    isBad = isBad ? LLVM::OrOp::create(builder, loc, isBad, bad) : bad;
  };
  for (Value size : args.drop_front(2)) {
    Value factor = LLVM::SMaxOp::create(builder, loc, size, constant(1));
    Value both =
        LLVM::SMulWithOverflowOp::create(builder, loc, pair, bytes, factor);
    bytes = LLVM::ExtractValueOp::create(builder, loc, both, 0);
    also(LLVM::ExtractValueOp::create(builder, loc, both, 1));
    also(compare(LLVM::ICmpPredicate::slt, size, 0));
    minBytes = LLVM::SMinOp::create(builder, loc, minBytes, size);
  }
  also(compare(LLVM::ICmpPredicate::sgt, bytes, maxTensorBytes));
  Value needed = LLVM::SelectOp::create(
      builder, loc, compare(LLVM::ICmpPredicate::eq, minBytes, 0), constant(1),
      bytes);
  Value more =
      LLVM::AddOp::create(builder, loc, needed, constant(bufferAlignment - 1));
  Value rounded =
      LLVM::AndOp::create(builder, loc, more, constant(-bufferAlignment));
  Value result = LLVM::SelectOp::create(builder, loc, isBad,
                                        constant(tooManyBytes), rounded);
  LLVM::ReturnOp::create(builder, loc, result);
}

/// The function of the module for buffers of so many dynamic sizes.
static LLVM::LLVMFuncOp bytesFunction(OpBuilder &builder, Location loc,
                                      unsigned count) {
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  // No kernel or hook has a dot in its name.
  std::string name = ("buffer_bytes." + Twine(count)).str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  Type i64 = builder.getI64Type();
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(i64, SmallVector<Type>(count + 2, i64)),
      LLVM::Linkage::Internal);
  setPure(function);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  computeBytes(builder, loc, function.getArguments());
  return function;
}

Value bufferBytes(OpBuilder &builder, Location loc, MemRefType type,
                  ArrayRef<Value> sizes) {
  std::optional<int64_t> known = boundedBytes(type);
  if (!known)
    return constant64(builder, loc, tooManyBytes);
  int64_t minBytes = llvm::is_contained(type.getShape(), 0) ? 0 : 1;
  if (type.hasStaticShape())
    return constant64(builder, loc,
                      llvm::alignTo(minBytes ? *known : 1, bufferAlignment));
  SmallVector<Value> args{constant64(builder, loc, *known),
                          constant64(builder, loc, minBytes)};
  for (auto [size, extent] : llvm::zip_equal(sizes, type.getShape()))
    if (ShapedType::isDynamic(extent))
      args.push_back(size);
  return LLVM::CallOp::create(
             builder, loc,
             bytesFunction(builder, loc, unsigned(args.size() - 2)), args)
      .getResult();
}

namespace {

Value lowerBufferBytes(krnl::BufferBytesOp op,
                       krnl::BufferBytesOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  auto type = cast<MemRefType>(op.getBuffer());
  SmallVector<Value> sizes;
  unsigned dynamic = 0;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? adaptor.getSizes()[dynamic++]
                        : constant64(rewriter, op.getLoc(), size));
  return bufferBytes(rewriter, op.getLoc(), type, sizes);
}

/// The sizes of buffers that `total` is a maximum of sums of.
SmallVector<Value> partsOf(Value total) {
  SmallVector<Value> parts;
  SetVector<Value> open;
  open.insert(total);
  for (size_t i = 0; i < open.size(); ++i) {
    Operation *op = open[i].getDefiningOp();
    if (isa_and_nonnull<LLVM::AddOp, LLVM::SMaxOp, LLVM::SMinOp>(op))
      open.insert(op->operand_begin(), op->operand_end());
    else if (op && !isa<LLVM::ConstantOp>(op))
      parts.push_back(open[i]);
  }
  return parts;
}

/// The name of the node with the largest buffer; null if none has a name.
Value largestNode(Value total, ConversionPatternRewriter &rewriter) {
  Value largest, node;
  for (Value bytes : partsOf(total)) {
    Location loc = bytes.getLoc();
    std::string text = nodesText(loc);
    if (text.empty())
      continue;
    Value name = globalText(rewriter, loc, text);
    if (node) {
      Value isLarger = LLVM::ICmpOp::create(
          rewriter, loc, LLVM::ICmpPredicate::sgt, bytes, largest);
      bytes = LLVM::SelectOp::create(rewriter, loc, isLarger, bytes, largest);
      name = LLVM::SelectOp::create(rewriter, loc, isLarger, name, node);
    }
    largest = bytes;
    node = name;
  }
  return node;
}

Value lowerArenaReserve(krnl::ArenaReserveOp op,
                        krnl::ArenaReserveOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Value arena = callHook(rewriter, op.getLoc(), Hook::ArenaReserve,
                         {currentCall(rewriter), adaptor.getBytes()})
                    .getResult();
  Value status = loadStatus(rewriter, op.getLoc());
  Value ok =
      LLVM::ICmpOp::create(rewriter, op.getLoc(), LLVM::ICmpPredicate::eq,
                           status, constant32(rewriter, op.getLoc(), 0));
  continueIf(rewriter, op.getLoc(), ok, [&]() -> Value {
    Value node = largestNode(adaptor.getBytes(), rewriter);
    return node ? callHook(rewriter, op.getLoc(), Hook::LocateError,
                           {currentCall(rewriter), node})
                      .getResult()
                : status;
  });
  return arena;
}

/// Words on the stack of the call, -1 before anything runs.
struct ErrorWordLowering : ConvertOpToLLVMPattern<krnl::ErrorWordOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::ErrorWordOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    int64_t count = type.getNumElements();
    Value words = stackSlot(rewriter, loc, rewriter.getI64Type(), count);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(words);
      Value bytes = constant64(rewriter, loc, count * sizeof(int64_t)),
            ones = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI8Type(),
                                            rewriter.getI8IntegerAttr(-1));
      LLVM::MemsetOp::create(rewriter, loc, words, ones, bytes,
                             /*isVolatile=*/false);
    }
    rewriter.replaceOp(op,
                       {MemRefDescriptor::fromStaticShape(
                           rewriter, loc, *getTypeConverter(), type, words)});
    return success();
  }
};

/// A view of a row of the buffer: the same memory from this row on.
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

/// A size by its known number. The conversion replaces constants before their
/// uses, and MLIR's own pattern then takes the number for an unknown one: it
/// looks the size up in a slot of the stack, of which a loop would take another
/// in each iteration.
struct DimLowering : ConvertOpToLLVMPattern<memref::DimOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    APInt dim;
    if (!type || !matchPattern(adaptor.getIndex(), m_ConstantInt(&dim)) ||
        dim.uge(type.getRank()))
      return rewriter.notifyMatchFailure(op, "dimension is not known");
    rewriter.replaceOp(
        op, MemRefDescriptor(adaptor.getSource())
                .size(rewriter, op.getLoc(), unsigned(dim.getZExtValue())));
    return success();
  }
};

/// Buffers of the host program are contiguous, also where a view's type has
/// dynamic strides.
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
    Value bytes = createIndexAttrConstant(rewriter, loc, getIndexType(),
                                          elementBytes(to.getElementType()));
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
  addLowering(types, patterns, lowerArenaReserve);
  addLowering(types, patterns, lowerBufferBytes);
  patterns.add<ErrorWordLowering, RowViewLowering>(types);
  // Before MLIR's own, which calls a function to copy buffers with strides.
  patterns.add<CopyLowering, DimLowering>(types, /*benefit=*/2);
}

} // namespace onnxc
