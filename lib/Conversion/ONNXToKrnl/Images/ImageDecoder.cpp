//===- ImageDecoder.cpp - Images out of files -------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

Lowered lowerImageDecoder(onnx::ImageDecoderOp op,
                          onnx::ImageDecoderOp::Adaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
  Value bytes = adaptor.getOperands()[0];
  RankedTensorType type = rankedType(bytes);
  if (type.getRank() != 1)
    return rewriter.notifyMatchFailure(op, "the file is not one row");
  std::optional<int64_t> format =
      llvm::StringSwitch<std::optional<int64_t>>(op.getPixelFormat())
          .Case("RGB", 0)
          .Case("BGR", 1)
          .Case("Grayscale", 2)
          .Default(std::nullopt);
  if (!format)
    return rewriter.notifyMatchFailure(op, "unknown pixel_format");
  RankedTensorType wanted = rankedType(op->getResult(0));
  SmallVector<int64_t> shape(3, ShapedType::kDynamic);
  if (wanted && wanted.getRank() == 3)
    shape.assign(wanted.getShape().begin(), wanted.getShape().end());
  auto call = krnl::CallOp::create(
      rewriter, op.getLoc(),
      TypeRange(RankedTensorType::get(shape, type.getElementType())),
      "onnxc_call_image_decode", bytes, ArrayRef<int64_t>(*format));
  return call.getResults();
}

} // namespace

void populateONNXToKrnlImageDecoderPatterns(TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerImageDecoder);
}

} // namespace onnxc
