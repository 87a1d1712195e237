//===- BlockedContraction.cpp - Products with packed weights ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// MatMulNBits: weights of 2, 4 or 8 bits in blocks of adjacent elements along
// K, each block with a scale and perhaps a zero point. One kernel reads the
// packed bytes, and makes numbers of them where they are multiplied:
//
//   y[m, n] += a[m, block, byte, part]
//              * ((w[n, block, byte] >> part * bits & mask) - z[n, block])
//              * s[n, block]
// Where the target multiplies matrices of numbers of 16 bits, these are numbers
// of A's type, and the weights are rounded to it. Those of f16 are computed in
// f16.
//
// At accuracy level 4 the data become bytes q with a scale r for each block,
// too, and a sum of products of bytes is scaled once for each block:
//
//   t[m, n, block] = -z[n, block] * sum(q[m, block])
//                    + q[m, block, part, byte]
//                      * (w[n, block, byte] >> part * bits & mask)
//   y[m, n] += t[m, n, block] * r[m, block] * s[n, block]
//===----------------------------------------------------------------------===//

#include "Contractions/BlockedContraction.h"

#include "BlockedWeights.h"
#include "Builders/Accumulate.h"
#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Builders/ReshapedConstant.h"
#include "Builders/ScalarBuilder.h"
#include "Contractions/Contraction.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Quantization/BlockQuantization.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

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
  void addLoops(Value lhs);
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
  BlockedWeights blocks;
  Type element;
  KernelBuilder kernel;
  KernelBuilder::Access a;
  /// Replaces `a` where data are bytes.
  std::optional<QuantizedBlocks> data;
  AffineExpr n, block, byte, part;
  /// Where something of a row's block is.
  SmallVector<AffineExpr> rowBlock;
  /// The loops, sizes of the type and sizes of the result.
  SmallVector<AffineExpr> outAt;
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
};

/// A as [.., blocks, size], with elements of the factors; zeros fill up the
/// last block.
Value BlockedProduct::left() {
  Value lhs = operands.getA();
  int64_t last = rankedType(lhs).getRank() - 1;
  checkEqualSizes(b, loc, sizeOf(b, loc, lhs, last),
                  indexConstant(b, loc, blocks.depth),
                  "MatMulNBits: the last size of A is not K");
  lhs = withSize(b, loc, lhs, last, blocks.depth);
  lhs = takesBytes(op) ? widenHalves(b, loc, lhs)
                       : widenFactor(b, loc, lhs, operands.getScales());
  if (int64_t missing = blocks.count * blocks.size - blocks.depth) {
    SmallVector<Value> none(last + 1, indexConstant(b, loc, 0)), after = none;
    after.back() = indexConstant(b, loc, missing);
    Value zero = storedConstant(b, loc, rankedType(lhs).getElementType(), 0);
    lhs = padConstant(b, loc, lhs, none, after, zero);
  }
  return reshapeLast(b, loc, lhs, 1, {blocks.count, blocks.size});
}

/// Loops over the result, blocks and elements of blocks; the factors.
void BlockedProduct::addLoops(Value lhs) {
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
  Value weights = reshapedConstant(
      b, loc, operands.getB(), {blocks.columns, blocks.count, blocks.bytes()});
  return {kernel.input(weights), {n, block, byte}};
}

KernelBuilder::Access BlockedProduct::scales() {
  return column(reshapedConstant(b, loc, operands.getScales(),
                                 {blocks.columns, blocks.count}));
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
    ins.push_back(column(
        isa<FloatType>(zero)
            ? reshapedConstant(b, loc, zeros, {blocks.columns, blocks.count})
            : unpackedZeroPoints(b, loc, zeros, blocks)));
  }
  SmallVector<AffineExpr> reduced{block};
  llvm::append_range(reduced, inBlock());
  WeightReader reader(blocks, element, zero);
  Type factor = rankedType(a.tensor).getElementType();
  return kernel.generic(
      ins, start, reduced, [&](OpBuilder &nb, Location l, ValueRange x) {
        Value which = part ? kernel.index(nb, l, part) : Value();
        Value middle = zero ? x[3] : Value();
        ScalarBuilder real(nb, l, nb.getF32Type()), stored(nb, l, factor);
        Value weight =
            reader.areHalves(factor)
                ? reader.readHalf(nb, l, x[1], which, x[2], middle)
                : stored.narrow(reader.read(nb, l, x[1], which, x[2], middle));
        return real.add(x.back(),
                        real.mul(stored.widen(x[0]), stored.widen(weight)));
      });
}

/// The correction of the sums of blocks by the zero points.
KernelBuilder::Access BlockedProduct::startOfBlocks() {
  SmallVector<int64_t> perBlock = shape;
  perBlock.push_back(blocks.count);
  KernelBuilder::Access to{
      kernel.temporary(RankedTensorType::get(perBlock, b.getI32Type())), outAt};
  to.at.push_back(block);
  SmallVector<KernelBuilder::Access> ins{{kernel.input(data->sums), rowBlock}};
  if (Value zeros = operands.getZeroPoints())
    ins.push_back(column(unpackedZeroPoints(b, loc, zeros, blocks)));
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
  addLoops(left());
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

Lowered lowerMatMulNBits(onnx::MicrosoftMatMulNBitsOp op,
                         onnx::MicrosoftMatMulNBitsOp::Adaptor adaptor,
                         ConversionPatternRewriter &rewriter) {
  StringRef reason = whyNotBlocked(op, adaptor);
  if (!reason.empty())
    return rewriter.notifyMatchFailure(op, reason);
  return BlockedProduct(rewriter, op.getLoc(), op, adaptor).build();
}

} // namespace

bool hasBlockedForm(Operation *op) {
  auto product = cast<onnx::MicrosoftMatMulNBitsOp>(op);
  onnx::MicrosoftMatMulNBitsOp::Adaptor operands(op->getOperands(), product);
  return whyNotBlocked(product, operands).empty();
}

void populateONNXToKrnlBlockedContractionPatterns(TypeConverter &converter,
                                                  RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerMatMulNBits);
}

} // namespace onnxc
