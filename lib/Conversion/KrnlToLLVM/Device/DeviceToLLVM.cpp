//===- DeviceToLLVM.cpp - Launches and copies of a device ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A launch passes one word of 64 bits for each parameter of its kernel, which
// takes as many of the lower bytes as it has; a complex number has two. The
// bytes and parts of its buffers follow.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "onnxc/Dialect/Krnl/IR/BufferParts.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc {
namespace {

Value wordOf(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), i64 = builder.getI64Type();
  if (type == i64)
    return value;
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(builder, loc, i64, value);
  if (!type.isInteger())
    value = LLVM::BitcastOp::create(
        builder, loc, builder.getIntegerType(type.getIntOrFloatBitWidth()),
        value);
  return value.getType() == i64
             ? value
             : LLVM::ZExtOp::create(builder, loc, i64, value).getResult();
}

/// The bytes of a contiguous buffer, 0 if it is empty.
Value bytesOf(OpBuilder &builder, Location loc, Type buffer, Value adapted) {
  auto type = cast<MemRefType>(buffer);
  int64_t known = elementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  Value bytes = constant64(builder, loc, known);
  MemRefDescriptor descriptor(adapted);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      bytes = LLVM::MulOp::create(builder, loc, bytes,
                                  descriptor.size(builder, loc, i));
  return bytes;
}

/// For each buffer of a launch its bytes, 0 where it waits for no other launch,
/// and the part that is accessed: the bytes of a row, the first one in each,
/// and that after the last one.
SmallVector<Value> bytesOfBuffers(OpBuilder &builder, krnl::LaunchOp op,
                                  ValueRange ins, ValueRange outs) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> unordered;
  if (auto known =
          op->getAttrOfType<DenseI64ArrayAttr>(krnl::unorderedAttrName))
    unordered = known;
  SmallVector<Value> words;
  auto add = [&](int64_t number, Value all) {
    Value none = constant64(builder, loc, 0);
    words.push_back(all);
    if (std::optional<krnl::BufferPart> part = krnl::partOf(op, number))
      for (int64_t bytes : {part->pitch, part->begin, part->end})
        words.push_back(constant64(builder, loc, bytes));
    else
      llvm::append_values(words, all, none, all);
  };
  for (auto [i, buffer, adapted] : llvm::enumerate(op.getIns(), ins))
    if (isa<MemRefType>(buffer.getType()))
      add(int64_t(i), llvm::is_contained(unordered, int64_t(i))
                          ? constant64(builder, loc, 0)
                          : bytesOf(builder, loc, buffer.getType(), adapted));
  for (auto [i, buffer, adapted] : llvm::enumerate(op.getOuts(), outs))
    add(~int64_t(i), bytesOf(builder, loc, buffer.getType(), adapted));
  return words;
}

/// Stores the words one after the other on the stack; returns where.
Value storeWords(OpBuilder &builder, Location loc, ArrayRef<Value> words) {
  Type i64 = builder.getI64Type();
  Value frame = stackSlot(builder, loc, i64, words.size());
  for (auto [i, word] : llvm::enumerate(words)) {
    Value slot = LLVM::GEPOp::create(builder, loc, frame.getType(), i64, frame,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(builder, loc, word, slot);
  }
  return frame;
}

/// A launch of a kernel of the device.
struct DeviceLaunchLowering : ConvertOpToLLVMPattern<krnl::LaunchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::LaunchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto kernel =
        op->getAttrOfType<IntegerAttr>(krnl::KrnlDialect::deviceKernelAttrName);
    if (!kernel)
      return rewriter.notifyMatchFailure(op, "runs on the processor");
    Location loc = op.getLoc();
    BareOperands bare;
    for (auto [values, converted] :
         {std::pair(op.getIns(), adaptor.getIns()),
          std::pair(op.getOuts(), adaptor.getOuts())})
      for (auto [value, remapped] : llvm::zip_equal(values, converted))
        addBareOperand(bare, value.getType(), remapped, rewriter, loc,
                       *getTypeConverter());
    SmallVector<Value> words;
    for (Value value :
         llvm::concat<Value>(bare.pointers, bare.sizes, bare.scalars)) {
      auto parts = dyn_cast<LLVM::LLVMStructType>(value.getType());
      for (size_t i = 0; parts && i < parts.getBody().size(); ++i)
        words.push_back(wordOf(
            rewriter, loc,
            LLVM::ExtractValueOp::create(rewriter, loc, value, int64_t(i))));
      if (!parts)
        words.push_back(wordOf(rewriter, loc, value));
    }
    llvm::append_range(words, bytesOfBuffers(rewriter, op, adaptor.getIns(),
                                             adaptor.getOuts()));
    Value frame = storeWords(rewriter, loc, words);
    noteSizes(rewriter, op);
    auto number = op->getAttrOfType<IntegerAttr>(krnl::launchNumberAttrName);
    callHook(rewriter, loc, Hook::DeviceLaunch,
             {currentCall(rewriter),
              constant32(rewriter, loc, int32_t(kernel.getInt())),
              constant32(rewriter, loc, number ? number.getInt() : -1),
              adaptor.getTiles(), frame});
    rewriter.eraseOp(op);
    return success();
  }
};

Value pointerOf(Value word, ConversionPatternRewriter &rewriter, Location loc) {
  return LLVM::IntToPtrOp::create(
      rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()), word);
}

Value lowerAlloc(krnl::DeviceAllocOp op, krnl::DeviceAllocOp::Adaptor adaptor,
                 ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value memory = callHook(rewriter, loc, Hook::DeviceAlloc,
                          {currentCall(rewriter), adaptor.getBytes()})
                     .getResult();
  return pointerOf(memory, rewriter, loc);
}

Value lowerRelease(krnl::DeviceReleaseOp op,
                   krnl::DeviceReleaseOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  callHook(rewriter, loc, Hook::DeviceRelease,
           {currentCall(rewriter), wordOf(rewriter, loc, adaptor.getMemory())});
  return {};
}

Value lowerConstants(krnl::DeviceConstantsOp op,
                     krnl::DeviceConstantsOp::Adaptor,
                     ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value constants =
      callHook(rewriter, loc, Hook::DeviceConstants, currentCall(rewriter))
          .getResult();
  return pointerOf(constants, rewriter, loc);
}

struct DeviceErrorWordLowering : ConvertOpToLLVMPattern<krnl::ErrorWordOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::ErrorWordOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto first = op->getAttrOfType<IntegerAttr>(krnl::firstErrorAttrName);
    if (!first)
      return rewriter.notifyMatchFailure(op, "is on the processor");
    Location loc = op.getLoc();
    Value words =
        pointerOf(callHook(rewriter, loc, Hook::DeviceErrors,
                           {currentCall(rewriter),
                            constant32(rewriter, loc, int32_t(first.getInt()))})
                      .getResult(),
                  rewriter, loc);
    rewriter.replaceOp(op, {MemRefDescriptor::fromStaticShape(
                               rewriter, loc, *getTypeConverter(),
                               cast<MemRefType>(op.getType()), words)});
    return success();
  }
};

struct DeviceCopyLowering : ConvertOpToLLVMPattern<memref::CopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasAttr(krnl::onDeviceAttrName))
      return rewriter.notifyMatchFailure(op, "is on the processor");
    Location loc = op.getLoc();
    auto wordAt = [&](Value buffer, Value adapted) {
      return wordOf(rewriter, loc,
                    MemRefDescriptor(adapted).bufferPtr(
                        rewriter, loc, *getTypeConverter(),
                        cast<MemRefType>(buffer.getType())));
    };
    Value from = wordAt(op.getSource(), adaptor.getSource());
    Value to = wordAt(op.getTarget(), adaptor.getTarget());
    callHook(rewriter, loc, Hook::DeviceCopy,
             {currentCall(rewriter), to, from,
              bytesOf(rewriter, loc, op.getTarget().getType(),
                      adaptor.getTarget())});
    rewriter.eraseOp(op);
    return success();
  }
};

Value lowerCopyIn(krnl::CopyInOp op, krnl::CopyInOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value to = MemRefDescriptor(adaptor.getDevice()).alignedPtr(rewriter, loc);
  Value from = MemRefDescriptor(adaptor.getHost()).alignedPtr(rewriter, loc);
  callHook(rewriter, loc, Hook::DeviceCopyIn,
           {currentCall(rewriter), wordOf(rewriter, loc, to), from,
            bytesOf(rewriter, loc, op.getHost().getType(), adaptor.getHost())});
  return {};
}

Value lowerCopyOut(krnl::CopyOutOp op, krnl::CopyOutOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value to = MemRefDescriptor(adaptor.getHost()).alignedPtr(rewriter, loc);
  Value from = MemRefDescriptor(adaptor.getDevice()).alignedPtr(rewriter, loc);
  callHook(rewriter, loc, Hook::DeviceCopyOut,
           {currentCall(rewriter), to, wordOf(rewriter, loc, from),
            bytesOf(rewriter, loc, op.getHost().getType(), adaptor.getHost())});
  if (op.getWait()) {
    Value status =
        callHook(rewriter, loc, Hook::DeviceSynchronize, currentCall(rewriter))
            .getResult();
    checkStatus(rewriter, loc, status);
  }
  return {};
}

} // namespace

//===----------------------------------------------------------------------===//
// Vectors as records
//===----------------------------------------------------------------------===//

SmallVector<Value> elementsOf(OpBuilder &builder, Location loc, Value vector) {
  SmallVector<Value> elements;
  for (int64_t i : llvm::seq(cast<VectorType>(vector.getType()).getDimSize(0)))
    elements.push_back(LLVM::ExtractElementOp::create(
        builder, loc, vector, constant32(builder, loc, int32_t(i))));
  return elements;
}

Value vectorOf(OpBuilder &builder, Location loc, Value record, int64_t first,
               VectorType type) {
  Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (int64_t i : llvm::seq(type.getDimSize(0)))
    vector = LLVM::InsertElementOp::create(
        builder, loc, vector,
        LLVM::ExtractValueOp::create(builder, loc, record, first + i),
        constant32(builder, loc, int32_t(i)));
  return vector;
}

Value recordOf(OpBuilder &builder, Location loc, Value vector) {
  SmallVector<Value> elements = elementsOf(builder, loc, vector);
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(ValueRange(elements).getTypes()));
  Value record = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [number, element] : llvm::enumerate(elements))
    record = LLVM::InsertValueOp::create(builder, loc, record, element,
                                         int64_t(number));
  return record;
}

void populateDeviceToLLVMPatterns(const LLVMTypeConverter &types,
                                  RewritePatternSet &patterns) {
  // Rather than what the processor has.
  patterns.add<DeviceLaunchLowering, DeviceErrorWordLowering>(types,
                                                              /*benefit=*/2);
  patterns.add<DeviceCopyLowering>(types, /*benefit=*/3);
  addLowering(types, patterns, lowerAlloc);
  addLowering(types, patterns, lowerRelease);
  addLowering(types, patterns, lowerConstants);
  addLowering(types, patterns, lowerCopyIn);
  addLowering(types, patterns, lowerCopyOut);
}

} // namespace onnxc
