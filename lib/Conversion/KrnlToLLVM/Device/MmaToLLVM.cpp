//===- MmaToLLVM.cpp - Products of matrices of a warp -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Instructions of PTX, whose registers have four bytes each.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;

namespace onnxc {
namespace {

/// The elements of a record as a vector of this type, which has as many bytes.
Value vectorOfWords(OpBuilder &builder, Location loc, Value record,
                    VectorType type) {
  auto parts = cast<LLVM::LLVMStructType>(record.getType()).getBody();
  auto words = VectorType::get({int64_t(parts.size())}, parts.front());
  Value vector = vectorOf(builder, loc, record, /*first=*/0, words);
  return words == type
             ? vector
             : LLVM::BitcastOp::create(builder, loc, type, vector).getResult();
}

struct LoadMatrixLowering : ConvertOpToLLVMPattern<krnl::LoadMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::LoadMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getType());
    Value row = getStridedElementPtr(rewriter, loc,
                                     cast<MemRefType>(op.getMemory().getType()),
                                     adaptor.getMemory(), adaptor.getAt());
    Value shared = LLVM::AddrSpaceCastOp::create(
        rewriter, loc,
        LLVM::LLVMPointerType::get(getContext(), krnl::sharedMemorySpace), row);
    int64_t words = type.getDimSize(0) * type.getElementTypeBitWidth() / 32;
    std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" +
                       std::to_string(words) +
                       (op.getTransposed() ? ".trans.b16" : ".b16");
    SmallVector<Type> parts(words, rewriter.getI32Type());
    Value record = LLVM::CallIntrinsicOp::create(
                       rewriter, loc,
                       LLVM::LLVMStructType::getLiteral(getContext(), parts),
                       rewriter.getStringAttr(name), ValueRange{shared})
                       .getResults();
    rewriter.replaceOp(op, vectorOfWords(rewriter, loc, record, type));
    return success();
  }
};

struct MmaLowering : ConvertOpToLLVMPattern<krnl::MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(krnl::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    krnl::MatrixProduct product;
    product.element = cast<VectorType>(op.getLhs().getType()).getElementType();
    std::string name = krnl::TargetAttr::of(op)
                           .getInstruction(product.operation(), product.depth())
                           .str();
    if (name.empty())
      return rewriter.notifyMatchFailure(op, "the target has no instruction");
    if (product.element.isInteger())
      name += signsOf(op);
    SmallVector<Value> arguments = wordsOf(rewriter, loc, adaptor.getLhs());
    llvm::append_range(arguments, wordsOf(rewriter, loc, adaptor.getRhs()));
    llvm::append_range(arguments, elementsOf(rewriter, loc, adaptor.getAcc()));
    auto type = cast<VectorType>(op.getType());
    SmallVector<Type> parts(type.getDimSize(0), type.getElementType());
    Value record = LLVM::CallIntrinsicOp::create(
                       rewriter, loc,
                       LLVM::LLVMStructType::getLiteral(getContext(), parts),
                       rewriter.getStringAttr(name), arguments)
                       .getResults();
    rewriter.replaceOp(op, vectorOfWords(rewriter, loc, record, type));
    return success();
  }

private:
  static StringRef signsOf(krnl::MmaOp op) {
    if (op.getLhsSigned())
      return op.getRhsSigned() ? ".s8" : ".s8.u8";
    return op.getRhsSigned() ? ".u8.s8" : ".u8";
  }

  /// The registers of a factor: pairs of f16, or words.
  static SmallVector<Value> wordsOf(OpBuilder &builder, Location loc,
                                    Value factor) {
    auto type = cast<VectorType>(factor.getType());
    Type element = type.getElementType(), word = builder.getI32Type();
    if (element.isF32())
      return llvm::map_to_vector(
          elementsOf(builder, loc, factor), [&](Value value) -> Value {
            return LLVM::CallIntrinsicOp::create(
                       builder, loc, word,
                       builder.getStringAttr("llvm.nvvm.f2tf32.rna"),
                       ValueRange{value})
                .getResults();
          });
    int64_t count = type.getDimSize(0) * type.getElementTypeBitWidth() / 32;
    SmallVector<Value> words =
        elementsOf(builder, loc,
                   LLVM::BitcastOp::create(
                       builder, loc, VectorType::get({count}, word), factor));
    if (element.isF16())
      for (Value &pair : words)
        pair = LLVM::BitcastOp::create(builder, loc,
                                       VectorType::get({2}, element), pair);
    return words;
  }
};

} // namespace

void populateMmaToLLVMPatterns(const LLVMTypeConverter &types,
                               RewritePatternSet &patterns) {
  patterns.add<LoadMatrixLowering, MmaLowering>(types);
}

} // namespace onnxc
