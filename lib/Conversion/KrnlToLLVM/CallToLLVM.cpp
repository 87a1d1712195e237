//===- CallToLLVM.cpp - Calls of the runtime -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

using namespace mlir;

namespace onnxc {
namespace {

/// Builds the OnnxcValue arrays of a call on the stack and reads the results.
struct CallLowering : ConvertOpToLLVMPattern<krnl::CallOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::CallOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value ins = valueArray(rewriter, loc, op.getNumOperands());
    for (auto [i, old] : llvm::enumerate(op.getOperands()))
      storeOperand(rewriter, loc, ins, i, old.getType(),
                   adaptor.getOperands()[i]);
    Value outs = valueArray(rewriter, loc, op.getNumResults());
    SmallVector<Value> dims;
    for (auto [i, type] : llvm::enumerate(op.getResultTypes()))
      dims.push_back(storeResultSlot(rewriter, loc, outs, i, type));
    Value call = currentCall(rewriter), leader = constant32(rewriter, loc, 0);
    noteLaunch(rewriter, op, call, leader, /*isEnd=*/false);
    Value status = callRuntime(op, outs, ins, rewriter);
    noteLaunch(rewriter, op, call, leader, /*isEnd=*/true);
    checkNode(rewriter, loc, status);
    SmallVector<Value> results;
    for (auto [i, type] : llvm::enumerate(op.getResultTypes()))
      results.push_back(loadResult(rewriter, loc, outs, i, type, dims[i]));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  Type valueType() const {
    Type i32 = IntegerType::get(getContext(), 32);
    return LLVM::LLVMStructType::getLiteral(
        getContext(), {getPtrType(), getPtrType(), i32, i32});
  }

  Value valueArray(OpBuilder &builder, Location loc, unsigned count) const {
    return stackSlot(builder, loc, valueType(), std::max(count, 1u));
  }

  Value field(OpBuilder &builder, Location loc, Value array, int32_t index,
              int32_t which) const {
    return LLVM::GEPOp::create(builder, loc, getPtrType(), valueType(), array,
                               ArrayRef<LLVM::GEPArg>{index, which});
  }

  void store(OpBuilder &builder, Location loc, Value array, unsigned index,
             Value data, Value dims, int64_t rank, int64_t type) const {
    Value parts[] = {data, dims, constant32(builder, loc, rank),
                     constant32(builder, loc, type)};
    for (auto [which, part] : llvm::enumerate(parts))
      LLVM::StoreOp::create(builder, loc, part,
                            field(builder, loc, array, index, which));
  }

  static int64_t typeNumber(Type element) {
    constexpr int64_t int64Number = 7, stringNumber = 8;
    if (isa<krnl::StrType>(element))
      return stringNumber;
    return element.isIndex() ? int64Number
                             : onnx::getElementTypeNumber(element);
  }

  Value null(OpBuilder &builder, Location loc) const {
    return LLVM::ZeroOp::create(builder, loc, getPtrType());
  }

  void storeOperand(OpBuilder &builder, Location loc, Value array,
                    unsigned index, Type type, Value value) const {
    if (isa<krnl::ObjType>(type))
      return store(builder, loc, array, index, value, null(builder, loc), 0, 0);
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      Value slot = stackSlot(builder, loc, value.getType());
      LLVM::StoreOp::create(builder, loc, value, slot);
      return store(builder, loc, array, index, slot, null(builder, loc), 0,
                   typeNumber(type));
    }
    MemRefDescriptor buffer(value);
    int64_t rank = memref.getRank();
    Type i64 = builder.getI64Type();
    Value dims = stackSlot(builder, loc, i64, std::max<int64_t>(rank, 1));
    for (int32_t i = 0; i < rank; ++i)
      LLVM::StoreOp::create(builder, loc, buffer.size(builder, loc, i),
                            LLVM::GEPOp::create(builder, loc, getPtrType(), i64,
                                                dims,
                                                ArrayRef<LLVM::GEPArg>{i}));
    store(builder, loc, array, index,
          buffer.bufferPtr(builder, loc, *getTypeConverter(), memref), dims,
          rank, typeNumber(memref.getElementType()));
  }

  /// A scalar result has its slot; buffers and objects come from the callee.
  /// Returns the array of sizes, or the slot.
  Value storeResultSlot(OpBuilder &builder, Location loc, Value array,
                        unsigned index, Type type) const {
    if (isa<krnl::ObjType>(type)) {
      store(builder, loc, array, index, null(builder, loc), null(builder, loc),
            0, 0);
      return {};
    }
    if (auto memref = dyn_cast<MemRefType>(type)) {
      int64_t rank = memref.getRank();
      Value dims = stackSlot(builder, loc, builder.getI64Type(),
                             std::max<int64_t>(rank, 1));
      storeStaticSizes(builder, loc, memref, dims);
      store(builder, loc, array, index, null(builder, loc), dims, rank,
            typeNumber(memref.getElementType()));
      return dims;
    }
    Value slot = stackSlot(builder, loc, getTypeConverter()->convertType(type));
    store(builder, loc, array, index, slot, null(builder, loc), 0,
          typeNumber(type));
    return slot;
  }

  /// The sizes passed to the callee: -1 where it decides.
  void storeStaticSizes(OpBuilder &builder, Location loc, MemRefType type,
                        Value dims) const {
    for (int32_t i = 0; i < type.getRank(); ++i) {
      int64_t size = type.isDynamicDim(i) ? -1 : type.getDimSize(i);
      LLVM::StoreOp::create(builder, loc, constant64(builder, loc, size),
                            LLVM::GEPOp::create(builder, loc, getPtrType(),
                                                builder.getI64Type(), dims,
                                                ArrayRef<LLVM::GEPArg>{i}));
    }
  }

  Value callRuntime(krnl::CallOp op, Value outs, Value ins,
                    ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type(), pointer = getPtrType();
    LLVM::LLVMFuncOp callee = *LLVM::lookupOrCreateFn(
        rewriter, op->getParentOfType<ModuleOp>(), op.getCallee(),
        {pointer, i32, pointer, i32, pointer, pointer}, i32);
    callee->setAttr("krnl.hidden", rewriter.getUnitAttr());
    Value params = null(rewriter, loc);
    if (ArrayRef<int64_t> values = op.getParams(); !values.empty())
      params = globalConstant(
          rewriter, loc, "params",
          LLVM::LLVMArrayType::get(rewriter.getI64Type(), values.size()),
          rewriter.getI64TensorAttr(values));
    return LLVM::CallOp::create(
               rewriter, loc, callee,
               ValueRange{currentCall(rewriter),
                          constant32(rewriter, loc, op.getNumResults()), outs,
                          constant32(rewriter, loc, op.getNumOperands()), ins,
                          params})
        .getResult();
  }

  Value loadResult(ConversionPatternRewriter &rewriter, Location loc,
                   Value array, unsigned index, Type type, Value dims) const {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref && !isa<krnl::ObjType>(type))
      return LLVM::LoadOp::create(rewriter, loc,
                                  getTypeConverter()->convertType(type), dims);
    Value data = LLVM::LoadOp::create(rewriter, loc, getPtrType(),
                                      field(rewriter, loc, array, index, 0));
    if (!memref)
      return data;
    SmallVector<Value> dynamic, sizes, strides;
    for (int32_t i = 0; i < memref.getRank(); ++i)
      if (memref.isDynamicDim(i))
        dynamic.push_back(LLVM::LoadOp::create(
            rewriter, loc, rewriter.getI64Type(),
            LLVM::GEPOp::create(rewriter, loc, getPtrType(),
                                rewriter.getI64Type(), dims,
                                ArrayRef<LLVM::GEPArg>{i})));
    Value count;
    getMemRefDescriptorSizes(loc, memref, dynamic, rewriter, sizes, strides,
                             count, /*sizeInBytes=*/false);
    return createMemRefDescriptor(loc, memref, data, data, sizes, strides,
                                  rewriter);
  }
};

} // namespace

void populateCallToLLVMPatterns(const LLVMTypeConverter &types,
                                RewritePatternSet &patterns) {
  patterns.add<CallLowering>(types);
}

} // namespace onnxc
