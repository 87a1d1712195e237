//===- BlockedContraction.cpp - Products with packed weights ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// MatMulNBits: weights of 2, 4 or 8 bits in blocks of neighbours along K, each
// block with a scale and perhaps a zero point. One kernel reads the packed
// bytes, and makes numbers of them where they are multiplied:
//
//   y[m, n] += a[m, block, byte, part]
//              * ((w[n, block, byte] >> part * bits & mask) - z[n, block])
//              * s[n, block]
//
// At accuracy level 4 the data become bytes q with a scale r for each block,
// too, and a sum of products of bytes is scaled once for each block:
//
//   t[m, n, block] = -z[n, block] * sum(q[m, block])
//                    + q[m, block, part, byte]
//                      * (w[n, block, byte] >> part * bits & mask)
//   y[m, n] += t[m, n, block] * r[m, block] * s[n, block]
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/BlockedContraction.h"

#include "onnxc/Conversion/ONNXToKrnl/Accumulate.h"
#include "onnxc/Conversion/ONNXToKrnl/BlockQuantization.h"
#include "onnxc/Conversion/ONNXToKrnl/Contraction.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Padding.h"
#include "onnxc/Conversion/ONNXToKrnl/ScalarBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// Sizes of the weights.
struct Blocks {
  explicit Blocks(onnx::MicrosoftMatMulNBitsOp op)
      : bits(op.getBits()), columns(op.getN()), depth(op.getK()),
        size(op.getBlockSize()) {
    bool isWhole = (bits == 2 || bits == 4 || bits == 8) && columns > 0 &&
                   depth > 0 && size > 0 && size <= maxSize &&
                   columns <= maxSize && depth <= maxSize &&
                   size % (8 / bits) == 0;
    if (isWhole)
      count = (depth + size - 1) / size;
  }
  /// What the attributes say makes sense.
  explicit operator bool() const { return count > 0; }

  int64_t parts() const { return 8 / bits; }
  /// What a zero point is where there is none.
  int64_t middle() const { return int64_t(1) << (bits - 1); }
  int64_t bytes() const { return size / parts(); }
  /// Bytes of packed zero points of a column.
  int64_t zeroBytes() const { return (count * bits + 7) / 8; }

  static constexpr int64_t maxSize = int64_t(1) << 30;
  int64_t bits, columns, depth, size;
  /// Blocks of a column.
  int64_t count = 0;
};

/// Is it a constant of so many numbers, before or while constants are lowered?
bool isConstantOf(Value value, int64_t elements) {
  TypedAttr constant = onnx::constantValue(value);
  auto type = constant ? dyn_cast<RankedTensorType>(constant.getType())
                       : RankedTensorType();
  return isa_and_nonnull<DenseElementsAttr, onnx::BlobAttr>(constant) && type &&
         type.hasStaticShape() && type.getNumElements() == elements &&
         type.getElementType().isIntOrFloat();
}

bool isReal(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isF32() || element.isF16() || element.isBF16();
}

/// Are the zero points constant, one for each block?
bool hasZeroPoints(Value zeros, const Blocks &blocks) {
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

/// What keeps the operator from becoming one kernel; nothing if it does. The
/// operands may be those of the operator, or lowered ones.
StringRef whyNotBlocked(onnx::MicrosoftMatMulNBitsOp op,
                        onnx::MicrosoftMatMulNBitsOp::Adaptor operands) {
  Blocks blocks(op);
  if (!blocks)
    return "bits, N, K and block_size do not fit together";
  RankedTensorType lhs = rankedType(operands.getA());
  if (!lhs || lhs.getRank() == 0 || !isReal(operands.getA()))
    return "A has no rank, rank 0, or f64 elements";
  int64_t depth = lhs.getShape().back();
  if (!ShapedType::isDynamic(depth) && depth != blocks.depth)
    return "the last size of A is not K";
  if (operands.getGIdx())
    return "blocks are not of neighbours";
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

/// May the data become bytes, and do they suit the weights? Bytes are
/// multiplied in groups of four, and their sums must not overflow.
bool takesBytes(onnx::MicrosoftMatMulNBitsOp op) {
  constexpr int64_t level = 4, longest = 1 << 15;
  Blocks blocks(op);
  Value zeros = op.getZeroPoints();
  return op.getAccuracyLevel() == level && blocks.bytes() % 4 == 0 &&
         blocks.size <= longest && !(zeros && isReal(zeros));
}

/// The constant with another shape of as many elements.
Value reshaped(OpBuilder &b, Location loc, Value constant,
               ArrayRef<int64_t> shape) {
  TypedAttr value = onnx::constantValue(constant);
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  if (auto blob = dyn_cast<onnx::BlobAttr>(value))
    value =
        onnx::BlobAttr::get(b.getContext(), type, blob.getFile(),
                            blob.getOffset(), blob.getSize(), blob.getHash());
  else
    value = cast<DenseElementsAttr>(value).reshape(type);
  return krnl::ConstantOp::create(b, loc, value, krnl::PackedLayoutAttr());
}

/// Packed zero points, with a byte for each.
Value unpackedZeros(OpBuilder &b, Location loc, Value zeros,
                    const Blocks &blocks) {
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

/// One number of the weights, and what makes a real of it.
class WeightReader {
public:
  WeightReader(const Blocks &blocks, Type scale, Type zero)
      : blocks(blocks), scale(scale), zero(zero) {}

  /// `zeroPoint` is null where it is the middle. `part` is null where a byte
  /// holds one number.
  Value read(OpBuilder &b, Location loc, Value byte, Value part, Value factor,
             Value zeroPoint) const {
    Type i32 = b.getI32Type(), f32 = b.getF32Type();
    Value number = arith::ExtUIOp::create(b, loc, i32, byte);
    number = unpack(b, loc, number, part);
    ScalarBuilder real(b, loc, f32);
    Value weight = arith::UIToFPOp::create(b, loc, f32, number);
    Value size = ScalarBuilder(b, loc, scale).widen(factor);
    // What the zero point takes away is the same in all of the block, and
    // multiplying and subtracting are one operation.
    return real.sub(real.mul(weight, size),
                    real.mul(middle(b, loc, zeroPoint), size));
  }

  /// The number in an integer as wide as `bytes`, which holds it as `part`.
  Value unpack(OpBuilder &b, Location loc, Value bytes, Value part) const {
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

private:
  /// The zero point as a real.
  Value middle(OpBuilder &b, Location loc, Value zeroPoint) const {
    ScalarBuilder real(b, loc, b.getF32Type());
    if (!zeroPoint)
      return real.constant(double(blocks.middle()));
    if (isa<FloatType>(zero))
      return ScalarBuilder(b, loc, zero).widen(zeroPoint);
    return arith::UIToFPOp::create(b, loc, real.type(), zeroPoint);
  }

  const Blocks &blocks;
  Type scale, zero;
};

/// Builds the kernel of one product.
class BlockedProduct {
public:
  BlockedProduct(OpBuilder &b, Location loc, onnx::MicrosoftMatMulNBitsOp op,
                 onnx::MicrosoftMatMulNBitsOp::Adaptor operands)
      : b(b), loc(loc), op(op), operands(operands), blocks(op),
        element(getElementTypeOrSelf(op->getOperand(0).getType())),
        kernel(b, loc, "MatMulNBits") {}

  Value build();

private:
  Value left();
  void openLoops(Value lhs);
  KernelBuilder::Access packedWeights();
  KernelBuilder::Access scales();
  KernelBuilder::Access startOfBlocks();
  SmallVector<AffineExpr> inBlock();
  Value sum(const KernelBuilder::Access &out);
  Value sumOfReals(const KernelBuilder::Access &start);
  Value sumOfBytes(const KernelBuilder::Access &start);
  KernelBuilder::Access column(Value constant) {
    return {kernel.input(constant), {n, block}};
  }

  OpBuilder &b;
  Location loc;
  onnx::MicrosoftMatMulNBitsOp op;
  onnx::MicrosoftMatMulNBitsOp::Adaptor operands;
  Blocks blocks;
  Type element;
  KernelBuilder kernel;
  KernelBuilder::Access a;
  /// What there is instead of `a` where data are bytes.
  std::optional<QuantizedBlocks> data;
  AffineExpr n, block, byte, part;
  /// Where something of a row's block is.
  SmallVector<AffineExpr> rowBlock;
  /// Of the result: loops, types and sizes.
  SmallVector<AffineExpr> outAt;
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  SmallVector<std::pair<Value, int64_t>> dynamicLike;
};

/// A as [.., blocks, size], in f32; zeros fill up the last block.
Value BlockedProduct::left() {
  Value lhs = operands.getA();
  int64_t last = rankedType(lhs).getRank() - 1;
  checkEqualSizes(b, loc, sizeOf(b, loc, lhs, last),
                  indexConstant(b, loc, blocks.depth),
                  "MatMulNBits: the last size of A is not K");
  lhs = withSize(b, loc, lhs, last, blocks.depth);
  lhs = widenHalves(b, loc, lhs);
  if (int64_t missing = blocks.count * blocks.size - blocks.depth) {
    SmallVector<Value> none(last + 1, indexConstant(b, loc, 0)), after = none;
    after.back() = indexConstant(b, loc, missing);
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    lhs = padConstant(b, loc, lhs, none, after, zero);
  }
  return reshapeLast(b, loc, lhs, 1, {blocks.count, blocks.size});
}

/// Loops over the result, blocks and what is in them; what is multiplied.
void BlockedProduct::openLoops(Value lhs) {
  int64_t leading = rankedType(lhs).getRank() - 2;
  if (takesBytes(op)) {
    // Without zero points numbers count from the middle.
    data = quantizeBlocks(b, loc, lhs, blocks.parts(),
                          operands.getZeroPoints() ? -1 : -blocks.middle());
    a.tensor = kernel.input(data->numbers);
  } else {
    SmallVector<int64_t> inner{blocks.count, blocks.bytes()};
    if (blocks.parts() > 1)
      inner.push_back(blocks.parts());
    a.tensor = kernel.input(reshapeLast(b, loc, lhs, 2, inner));
  }
  for (int64_t d = 0; d < leading; ++d) {
    int64_t size = rankedType(lhs).getDimSize(d);
    bool isLast = d + 1 == leading;
    outAt.push_back(kernel.loop(isLast ? "m" : "b" + std::to_string(d), size));
    shape.push_back(size);
    sizes.push_back(sizeOf(b, loc, lhs, d));
    if (ShapedType::isDynamic(size))
      dynamicLike.push_back({a.tensor, d});
  }
  a.at = outAt;
  rowBlock = outAt;
  n = kernel.loop("n", blocks.columns);
  outAt.push_back(n);
  shape.push_back(blocks.columns);
  sizes.push_back(indexConstant(b, loc, blocks.columns));
  block = kernel.loop("block", blocks.count);
  byte = kernel.loop("byte", blocks.bytes());
  rowBlock.push_back(block);
  a.at.append({block, byte});
  if (blocks.parts() > 1) {
    part = kernel.loop("part", blocks.parts());
    a.at.push_back(part);
  }
  if (data) {
    a.at = rowBlock;
    a.at.append({part ? part : kernel.zero(), byte});
  }
}

KernelBuilder::Access BlockedProduct::packedWeights() {
  Value weights = reshaped(b, loc, operands.getB(),
                           {blocks.columns, blocks.count, blocks.bytes()});
  return {kernel.input(weights), {n, block, byte}};
}

KernelBuilder::Access BlockedProduct::scales() {
  return column(
      reshaped(b, loc, operands.getScales(), {blocks.columns, blocks.count}));
}

SmallVector<AffineExpr> BlockedProduct::inBlock() {
  SmallVector<AffineExpr> loops{byte};
  if (part)
    loops.push_back(part);
  return loops;
}

Value BlockedProduct::sum(const KernelBuilder::Access &out) {
  Value start = kernel.fill(kernel.constant(b.getF32FloatAttr(0)), out);
  return data ? sumOfBytes({start, out.at}) : sumOfReals({start, out.at});
}

Value BlockedProduct::sumOfReals(const KernelBuilder::Access &start) {
  SmallVector<KernelBuilder::Access> ins{a, packedWeights(), scales()};
  Type zero;
  if (Value zeros = operands.getZeroPoints()) {
    zero = getElementTypeOrSelf(op.getZeroPoints().getType());
    ins.push_back(
        column(isa<FloatType>(zero)
                   ? reshaped(b, loc, zeros, {blocks.columns, blocks.count})
                   : unpackedZeros(b, loc, zeros, blocks)));
  }
  SmallVector<AffineExpr> reduced{block};
  llvm::append_range(reduced, inBlock());
  WeightReader reader(blocks, element, zero);
  return kernel.generic(
      ins, start, reduced, [&](OpBuilder &nb, Location l, ValueRange x) {
        Value which = part ? kernel.index(nb, l, part) : Value();
        Value weight =
            reader.read(nb, l, x[1], which, x[2], zero ? x[3] : Value());
        ScalarBuilder real(nb, l, nb.getF32Type());
        return real.add(x.back(), real.mul(x[0], weight));
      });
}

/// What the zero points take away from the sums of blocks.
KernelBuilder::Access BlockedProduct::startOfBlocks() {
  SmallVector<int64_t> perBlock = shape;
  perBlock.push_back(blocks.count);
  KernelBuilder::Access to{
      kernel.temporary(RankedTensorType::get(perBlock, b.getI32Type()),
                       dynamicLike),
      outAt};
  to.at.push_back(block);
  SmallVector<KernelBuilder::Access> ins{{kernel.input(data->sums), rowBlock}};
  if (Value zeros = operands.getZeroPoints())
    ins.push_back(column(unpackedZeros(b, loc, zeros, blocks)));
  to.tensor = kernel.generic(
      ins, to, {}, [&](OpBuilder &nb, Location l, ValueRange x) -> Value {
        if (ins.size() == 1)
          return x[0];
        Value zero = arith::ExtUIOp::create(nb, l, nb.getI32Type(), x[1]);
        return arith::MulIOp::create(nb, l, x[0], zero);
      });
  return to;
}

Value BlockedProduct::sumOfBytes(const KernelBuilder::Access &start) {
  WeightReader reader(blocks, element, Type());
  KernelBuilder::Access inBlocks = startOfBlocks();
  inBlocks.tensor =
      kernel.generic({a, packedWeights()}, inBlocks, inBlock(),
                     [&](OpBuilder &nb, Location l, ValueRange x) -> Value {
                       Type i32 = nb.getI32Type();
                       Value which = part ? kernel.index(nb, l, part) : Value();
                       Value weight = reader.unpack(nb, l, x[1], which);
                       Value product = arith::MulIOp::create(
                           nb, l, arith::ExtSIOp::create(nb, l, i32, x[0]),
                           arith::ExtUIOp::create(nb, l, i32, weight));
                       return arith::AddIOp::create(nb, l, x.back(), product);
                     });
  return kernel.generic(
      {inBlocks, {kernel.input(data->scales), rowBlock}, scales()}, start,
      {block}, [&](OpBuilder &nb, Location l, ValueRange x) {
        ScalarBuilder real(nb, l, nb.getF32Type());
        Value sum = arith::SIToFPOp::create(nb, l, real.type(), x[0]);
        Value factor =
            real.mul(x[1], ScalarBuilder(nb, l, element).widen(x[2]));
        return real.add(x.back(), real.mul(sum, factor));
      });
}

Value BlockedProduct::build() {
  openLoops(left());
  auto type = RankedTensorType::get(shape, ScalarBuilder::storageType(element));
  Value out = kernel.output(type, sizes);
  SmallVector<KernelBuilder::Access> bias;
  FinishTotal finish;
  if (Value vector = operands.getBias()) {
    bias.push_back({kernel.input(vector), {n}});
    finish = [](ScalarBuilder &s, Value total, ValueRange others) {
      return s.add(total, s.widen(others[0]));
    };
  }
  Value y = storeTotals(
      kernel, element, {out, outAt},
      [&](const KernelBuilder::Access &to) { return sum(to); }, finish, bias);
  return kernel.finish({y}).front();
}

struct MatMulNBitsLowering
    : public OpConversionPattern<onnx::MicrosoftMatMulNBitsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MicrosoftMatMulNBitsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef reason = whyNotBlocked(op, adaptor);
    if (!reason.empty())
      return rewriter.notifyMatchFailure(op, reason);
    Value y = BlockedProduct(rewriter, op.getLoc(), op, adaptor).build();
    replaceWithCasts(rewriter, *getTypeConverter(), op, y);
    return success();
  }
};

} // namespace

bool hasBlockedForm(Operation *op) {
  auto product = cast<onnx::MicrosoftMatMulNBitsOp>(op);
  onnx::MicrosoftMatMulNBitsOp::Adaptor operands(op->getOperands(), product);
  return whyNotBlocked(product, operands).empty();
}

void populateONNXToKrnlBlockedContractionPatterns(TypeConverter &converter,
                                                  RewritePatternSet &patterns) {
  patterns.add<MatMulNBitsLowering>(converter, patterns.getContext());
}

} // namespace onnxc
