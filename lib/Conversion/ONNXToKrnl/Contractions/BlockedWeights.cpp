//===- BlockedWeights.cpp - Weights packed in blocks ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "BlockedWeights.h"

#include "Builders/ScalarBuilder.h"
#include "Movement/Movement.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

using namespace mlir;

namespace onnxc {

/// Returns true for a constant of `elements` numbers, before or while constants
/// are lowered.
static bool isConstantOf(Value value, int64_t elements) {
  TypedAttr constant = onnx::constantValue(value);
  auto type = constant ? dyn_cast<RankedTensorType>(constant.getType())
                       : RankedTensorType();
  return isa_and_nonnull<DenseElementsAttr, onnx::BlobAttr>(constant) && type &&
         type.hasStaticShape() && type.getNumElements() == elements &&
         type.getElementType().isIntOrFloat();
}

static bool isReal(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isF32() || element.isF16() || element.isBF16();
}

/// Returns true if the zero points are constant, one for each block.
static bool hasZeroPoints(Value zeros, const BlockedWeights &blocks) {
  if (isReal(zeros))
    return isConstantOf(zeros, blocks.columns * blocks.count);
  // They are unpacked here, so that their bytes have to be known.
  int64_t bytes = blocks.columns * blocks.zeroBytes();
  SmallVector<char> scratch;
  return isConstantOf(zeros, bytes) &&
         int64_t(
             onnx::constantBytes(onnx::constantValue(zeros), scratch).size()) ==
             bytes;
}

StringRef whyNotBlocked(onnx::MicrosoftMatMulNBitsOp op,
                        onnx::MicrosoftMatMulNBitsOp::Adaptor operands) {
  BlockedWeights blocks(op);
  if (!blocks)
    return "bits, N, K and block_size do not fit together";
  RankedTensorType lhs = rankedType(operands.getA());
  if (!lhs || lhs.getRank() == 0 || !isReal(operands.getA()))
    return "A has no rank, rank 0, or f64 elements";
  int64_t depth = lhs.getShape().back();
  if (!ShapedType::isDynamic(depth) && depth != blocks.depth)
    return "the last size of A is not K";
  if (operands.getGIdx())
    return "blocks are not contiguous";
  int64_t all = blocks.columns * blocks.count;
  if (!isConstantOf(operands.getB(), all * blocks.bytes()) ||
      !isConstantOf(operands.getScales(), all))
    return "weights or scales are not constant";
  if (Value zeros = operands.getZeroPoints();
      zeros && !hasZeroPoints(zeros, blocks))
    return "zero points are not constant";
  Value bias = operands.getBias();
  RankedTensorType vector = bias ? rankedType(bias) : RankedTensorType();
  if (bias && (!vector || vector.getRank() != 1 ||
               vector.getDimSize(0) != blocks.columns))
    return "the bias is not a vector of N elements";
  return "";
}

bool takesBytes(onnx::MicrosoftMatMulNBitsOp op) {
  constexpr int64_t level = 4, longest = 1 << 15;
  BlockedWeights blocks(op);
  Value zeros = op.getZeroPoints();
  return op.getAccuracyLevel() == level && blocks.bytes() % 4 == 0 &&
         blocks.size <= longest && !(zeros && isReal(zeros));
}

Value unpackedZeroPoints(OpBuilder &b, Location loc, Value zeros,
                         const BlockedWeights &blocks) {
  SmallVector<char> scratch;
  ArrayRef<char> packed =
      onnx::constantBytes(onnx::constantValue(zeros), scratch);
  std::vector<char> bytes;
  bytes.reserve(blocks.columns * blocks.count);
  unsigned mask = (1U << blocks.bits) - 1;
  for (int64_t n = 0; n < blocks.columns; ++n)
    for (int64_t block = 0; block < blocks.count; ++block) {
      int64_t bit = block * blocks.bits;
      auto byte = uint8_t(packed[n * blocks.zeroBytes() + bit / 8]);
      bytes.push_back(char(byte >> bit % 8 & mask));
    }
  auto type =
      RankedTensorType::get({blocks.columns, blocks.count}, b.getI8Type());
  return krnl::ConstantOp::create(b, loc,
                                  onnx::makeTensorAttr(type, std::move(bytes)),
                                  krnl::PackedLayoutAttr());
}

Value WeightReader::read(OpBuilder &b, Location loc, Value byte, Value part,
                         Value factor, Value zeroPoint) const {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value number = arith::ExtUIOp::create(b, loc, i32, byte);
  number = unpack(b, loc, number, part);
  ScalarBuilder real(b, loc, f32);
  Value weight = arith::UIToFPOp::create(b, loc, f32, number);
  Value size = ScalarBuilder(b, loc, scale).widen(factor);
  // The term of the zero point is the same in all of the block, and multiplying
  // and subtracting are one operation.
  return real.sub(real.mul(weight, size),
                  real.mul(middle(b, loc, zeroPoint), size));
}

/// 1024 in f16, whose mantissa has 10 bits.
static constexpr int64_t thousandBits = 0x6400;
static constexpr double thousand = 1024;

/// 1024 + `number`, a byte, as f16: the number is the end of the mantissa.
static Value addThousand(OpBuilder &b, Location loc, Value number) {
  Type word = b.getI16Type();
  Value bits = arith::ExtUIOp::create(b, loc, word, number);
  bits = arith::OrIOp::create(
      b, loc, bits, arith::ConstantIntOp::create(b, loc, word, thousandBits));
  return arith::BitcastOp::create(b, loc, b.getF16Type(), bits);
}

Value WeightReader::readHalf(OpBuilder &b, Location loc, Value byte, Value part,
                             Value factor, Value zeroPoint) const {
  Value number = addThousand(b, loc, unpack(b, loc, byte, part));
  Value zero =
      zeroPoint
          ? addThousand(b, loc, zeroPoint)
          : arith::ConstantOp::create(
                b, loc,
                b.getF16FloatAttr(float(thousand + double(blocks.middle()))));
  number = arith::SubFOp::create(b, loc, number, zero);
  return arith::MulFOp::create(b, loc, number, factor);
}

Value WeightReader::unpack(OpBuilder &b, Location loc, Value bytes,
                           Value part) const {
  if (!part)
    return bytes;
  Type type = bytes.getType();
  Value by = arith::MulIOp::create(
      b, loc, part, arith::ConstantIndexOp::create(b, loc, blocks.bits));
  by = arith::IndexCastOp::create(b, loc, type, by);
  Value number = arith::ShRUIOp::create(b, loc, bytes, by);
  Value mask = arith::ConstantIntOp::create(b, loc, type,
                                            (int64_t(1) << blocks.bits) - 1);
  return arith::AndIOp::create(b, loc, number, mask);
}

Value WeightReader::middle(OpBuilder &b, Location loc, Value zeroPoint) const {
  ScalarBuilder real(b, loc, b.getF32Type());
  if (!zeroPoint)
    return real.constant(double(blocks.middle()));
  if (isa<FloatType>(zero))
    return ScalarBuilder(b, loc, zero).widen(zeroPoint);
  return arith::UIToFPOp::create(b, loc, real.type(), zeroPoint);
}

} // namespace onnxc
