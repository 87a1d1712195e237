//===- WgmmaToLLVM.cpp - Products of matrices of a warpgroup ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Instructions of PTX, "Asynchronous warpgroup-level matrix instructions". A
// descriptor has, in units of 16 bytes, the address in bits 0 to 13, the
// distance of blocks of lines in bits 16 to 29 and that of groups of lines in
// bits 32 to 45; bits 62 and 63 say how lines are exchanged.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/WarpgroupOps.h"

using namespace mlir;

namespace onnxc {
namespace {

constexpr int64_t unitBits = 4, addressBits = 14, leadingAt = 16, strideAt = 32,
                  swizzleAt = 62;

struct MatrixDescriptorLowering
    : ConvertOpToLLVMPattern<krnl::MatrixDescriptorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::MatrixDescriptorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getMemory().getType()),
        adaptor.getMemory(), adaptor.getAt());
    Value shared = LLVM::AddrSpaceCastOp::create(
        rewriter, loc,
        LLVM::LLVMPointerType::get(getContext(), krnl::sharedMemorySpace),
        address);
    Value number =
        LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI64Type(), shared);
    Value units = LLVM::AndOp::create(
        rewriter, loc,
        LLVM::LShrOp::create(rewriter, loc, number,
                             constant64(rewriter, loc, unitBits)),
        constant64(rewriter, loc, (1 << addressBits) - 1));
    rewriter.replaceOpWithNewOp<LLVM::OrOp>(
        op, units, constant64(rewriter, loc, int64_t(formOf(op))));
    return success();
  }

private:
  static uint64_t formOf(krnl::MatrixDescriptorOp op) {
    uint64_t lines = op.getSwizzle() == 128 ? 1 : op.getSwizzle() == 64 ? 2 : 3;
    return uint64_t(op.getLeading() >> unitBits) << leadingAt |
           uint64_t(op.getStride() >> unitBits) << strideAt |
           lines << swizzleAt;
  }
};

NVVM::WGMMATypes typeOf(Type element, bool isSigned) {
  if (element.isInteger())
    return isSigned ? NVVM::WGMMATypes::s8 : NVVM::WGMMATypes::u8;
  return element.isF16()    ? NVVM::WGMMATypes::f16
         : element.isBF16() ? NVVM::WGMMATypes::bf16
                            : NVVM::WGMMATypes::tf32;
}

struct WgmmaLowering : ConvertOpToLLVMPattern<krnl::WgmmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::WgmmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = getContext();
    auto type = cast<VectorType>(op.getType());
    Value sums = recordOf(rewriter, loc, adaptor.getAcc());
    Type element = op.getElement();
    auto typeAttr = [&](NVVM::WGMMATypes it) {
      return NVVM::WGMMATypesAttr::get(context, it);
    };
    auto one = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto layoutOf = [&](bool isRow) {
      return NVVM::MMALayoutAttr::get(context, isRow ? NVVM::MMALayout::row
                                                     : NVVM::MMALayout::col);
    };
    Value results = NVVM::WgmmaMmaAsyncOp::create(
        rewriter, loc, sums.getType(), sums, adaptor.getLhs(), adaptor.getRhs(),
        NVVM::MMAShapeAttr::get(context, krnl::MatrixSums::groupRows,
                                int(2 * type.getDimSize(0)),
                                int(krnl::MatrixProduct::depthOf(element))),
        typeAttr(typeOf(element, op.getLhsSigned())),
        typeAttr(typeOf(element, op.getRhsSigned())),
        typeAttr(element.isInteger() ? NVVM::WGMMATypes::s32
                                     : NVVM::WGMMATypes::f32),
        NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one), one,
        one, layoutOf(!op.getLhsTransposed()), layoutOf(op.getRhsTransposed()),
        NVVM::MMAIntOverflowAttr());
    rewriter.replaceOp(op, vectorOf(rewriter, loc, results, 0, type));
    return success();
  }
};

/// Inline PTX with numbered registers: sums, which are results, and operands.
LLVM::InlineAsmOp inlineSums(OpBuilder &builder, Location loc,
                             ArrayRef<Value> sums, ArrayRef<Value> operands,
                             StringRef text,
                             ArrayRef<std::string> constraints) {
  Type sum = sums.front().getType();
  SmallVector<std::string> all(sums.size(), sum.isInteger() ? "=r" : "=f");
  for (size_t i = 0; i < sums.size(); ++i)
    all.push_back(std::to_string(i));
  llvm::append_range(all, constraints);
  SmallVector<Value> arguments(sums);
  llvm::append_range(arguments, operands);
  SmallVector<Type> parts(sums.size(), sum);
  return LLVM::InlineAsmOp::create(
      builder, loc,
      LLVM::LLVMStructType::getLiteral(builder.getContext(), parts), arguments,
      text, llvm::join(all, ","), /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
}

/// "{$2, $3}" for two registers from number 2 on.
std::string registers(size_t first, size_t count) {
  SmallVector<std::string> names;
  for (size_t i = first; i < first + count; ++i)
    names.push_back("$" + std::to_string(i));
  return "{" + llvm::join(names, ", ") + "}";
}

/// Rows in registers, which the operation of NVVM has no operands for.
struct WgmmaRowsLowering : ConvertOpToLLVMPattern<krnl::WgmmaRowsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::WgmmaRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getType()),
         rowsType = cast<VectorType>(op.getLhs().getType());
    SmallVector<Value> sums = elementsOf(rewriter, loc, adaptor.getAcc());
    constexpr int64_t words = 4;
    SmallVector<Value> operands = elementsOf(
        rewriter, loc,
        LLVM::BitcastOp::create(rewriter, loc,
                                VectorType::get(words, rewriter.getI32Type()),
                                adaptor.getLhs()));
    operands.push_back(adaptor.getRhs());
    std::string element = rowsType.getElementType().isF16() ? "f16" : "bf16";
    size_t rows = 2 * sums.size();
    std::string text = "{ .reg .pred p; setp.ne.b32 p, 1, 0; "
                       "wgmma.mma_async.sync.aligned.m64n" +
                       std::to_string(2 * sums.size()) + "k16.f32." + element +
                       "." + element + " " + registers(0, sums.size()) + ", " +
                       registers(rows, words) + ", $" +
                       std::to_string(rows + words) + ", p, 1, 1, " +
                       (op.getRhsTransposed() ? "1" : "0") + "; }";
    Value record = inlineSums(rewriter, loc, sums, operands, text,
                              {"r", "r", "r", "r", "l"})
                       .getResult(0);
    rewriter.replaceOp(op, vectorOf(rewriter, loc, record, 0, type));
    return success();
  }
};

/// The sums go through the instruction, so that nothing that uses them is
/// before it; the operation of NVVM has none.
struct WgmmaWaitLowering : ConvertOpToLLVMPattern<krnl::WgmmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::WgmmaWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (op.getInFlight() > 0) {
      rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(op,
                                                              op.getInFlight());
      return success();
    }
    SmallVector<Value> elements;
    for (Value sums : adaptor.getSums())
      llvm::append_range(elements, elementsOf(rewriter, loc, sums));
    Value record = inlineSums(rewriter, loc, elements, {},
                              "wgmma.wait_group.sync.aligned 0;", {})
                       .getResult(0);
    SmallVector<Value> results;
    int64_t first = 0;
    for (Type result : op.getResultTypes()) {
      auto vector = cast<VectorType>(result);
      results.push_back(vectorOf(rewriter, loc, record, first, vector));
      first += vector.getDimSize(0);
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void populateWgmmaToLLVMPatterns(const LLVMTypeConverter &types,
                                 RewritePatternSet &patterns) {
  patterns.add<MatrixDescriptorLowering, WgmmaLowering, WgmmaRowsLowering,
               WgmmaWaitLowering>(types);
}

} // namespace onnxc
