//===- CopyAsyncToLLVM.cpp - Asynchronous copies ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cp.async needs addresses that are multiples of the bytes. In shared memory
// they are; the rows of a buffer may lie anywhere. Nobody waits for a prefetch
// either.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;

namespace onnxc {

/// Bytes that all launches align the buffer by, as far as its kernel says so.
static int64_t knownAlignment(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto kernel = argument
                    ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                    : func::FuncOp();
  auto known = kernel ? kernel.getArgAttrOfType<IntegerAttr>(
                            argument.getArgNumber(),
                            LLVM::LLVMDialect::getAlignAttrName())
                      : IntegerAttr();
  return known ? known.getInt() : 1;
}

void expandUnalignedCopies(ModuleOp module) {
  module.walk([](krnl::CopyAsyncOp copy) {
    if (knownAlignment(copy.getSource()) % copy.getBytes() == 0)
      return;
    ImplicitLocOpBuilder b(copy.getLoc(), copy);
    auto type = VectorType::get(
        {int64_t(copy.getElements())},
        cast<MemRefType>(copy.getSource().getType()).getElementType());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type)), part;
    if (Value count = copy.getCount()) {
      Value mask = vector::CreateMaskOp::create(
          b, VectorType::get(type.getShape(), b.getI1Type()), count);
      part = vector::MaskedLoadOp::create(b, type, copy.getSource(),
                                          copy.getFrom(), mask, zero);
    } else {
      part = vector::LoadOp::create(b, type, copy.getSource(), copy.getFrom());
    }
    if (Value inside = copy.getInside())
      part = arith::SelectOp::create(b, inside, part, zero);
    vector::StoreOp::create(b, part, copy.getMemory(), copy.getAt());
    copy.erase();
  });
}

namespace {

struct CopyAsyncLowering : ConvertOpToLLVMPattern<krnl::CopyAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::CopyAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto addressOf = [&](Value buffer, Value adapted, ValueRange at,
                         unsigned space) -> Value {
      Value address =
          getStridedElementPtr(rewriter, op.getLoc(),
                               cast<MemRefType>(buffer.getType()), adapted, at);
      auto type = LLVM::LLVMPointerType::get(getContext(), space);
      return LLVM::AddrSpaceCastOp::create(rewriter, op.getLoc(), type,
                                           address);
    };
    Value from = addressOf(op.getSource(), adaptor.getSource(),
                           adaptor.getFrom(), krnl::globalMemorySpace);
    Value to = addressOf(op.getMemory(), adaptor.getMemory(), adaptor.getAt(),
                         krnl::sharedMemorySpace);
    // Only whole accesses can leave out the first cache.
    std::string name =
        op.getBytes() == 16 ? "llvm.nvvm.cp.async.cg" : "llvm.nvvm.cp.async.ca";
    name += ".shared.global." + std::to_string(op.getBytes());
    SmallVector<Value> arguments{to, from};
    if (Value read = bytesToRead(op, adaptor, rewriter)) {
      name += ".s";
      arguments.push_back(read);
    }
    LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(),
                                  rewriter.getStringAttr(name), arguments);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Only so many bytes are read, and the others are zero; null for all.
  static Value bytesToRead(krnl::CopyAsyncOp op, OpAdaptor adaptor,
                           ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc,
                                      rewriter.getI32IntegerAttr(value));
    };
    Value bytes;
    if (Value count = adaptor.getCount()) {
      if (!count.getType().isInteger(32))
        count =
            LLVM::TruncOp::create(rewriter, loc, rewriter.getI32Type(), count);
      bytes = LLVM::MulOp::create(
          rewriter, loc, count,
          constant(op.getBytes() / int64_t(op.getElements())));
    }
    if (Value inside = adaptor.getInside())
      bytes = LLVM::SelectOp::create(rewriter, loc, inside,
                                     bytes ? bytes : constant(op.getBytes()),
                                     constant(0));
    return bytes;
  }
};

/// PTX has the instruction for all GPUs, LLVM's intrinsic for sm_90 and later.
struct PrefetchLowering : ConvertOpToLLVMPattern<memref::PrefetchOp> {
  explicit PrefetchLowering(const LLVMTypeConverter &types)
      : ConvertOpToLLVMPattern(types, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(memref::PrefetchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!krnl::TargetAttr::processorOf(op).isDevice())
      return rewriter.notifyMatchFailure(op, "runs on the processor");
    Value address =
        getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(),
                             adaptor.getMemref(), adaptor.getIndices());
    auto type =
        LLVM::LLVMPointerType::get(getContext(), krnl::globalMemorySpace);
    Value global =
        LLVM::AddrSpaceCastOp::create(rewriter, op.getLoc(), type, address);
    LLVM::InlineAsmOp::create(
        rewriter, op.getLoc(), TypeRange(), ValueRange{global},
        "prefetch.global.L1 [$0];", "l", /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateCopyAsyncToLLVMPatterns(const LLVMTypeConverter &types,
                                     RewritePatternSet &patterns) {
  patterns.add<CopyAsyncLowering, PrefetchLowering>(types);
}

} // namespace onnxc
