//===- RotaryEmbedding.cpp - Pairs rotated by angles ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One kernel that rotates the pairs (x1, x2) of each head by the angles of its
// position: x1 * cos - x2 * sin and x1 * sin + x2 * cos. The rows of the tables
// at the positions are gathered before, once for all that is rotated by them.
//===----------------------------------------------------------------------===//

#include "Builders/Broadcasting.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

constexpr StringLiteral unfitHeads =
    "RotaryEmbedding: the heads do not divide the input";
constexpr StringLiteral unfitTables =
    "RotaryEmbedding: the sizes of the tables are not those of the input";
constexpr StringLiteral unfitPairs = "RotaryEmbedding: expected an even number "
                                     "of rotated elements, no more than "
                                     "a head has";

/// Builds the kernel that rotates one tensor.
class Rotation {
public:
  Rotation(OpBuilder &b, onnx::RotaryEmbeddingOp op)
      : b(b), loc(op.getLoc()), kernel(b, loc, "RotaryEmbedding"), op(op),
        element(getElementTypeOrSelf(op->getOperand(0).getType())),
        interleaved(op.getInterleaved() != 0) {}

  /// `x` is [batch, heads, sequence, size] or [batch, sequence, heads * size],
  /// `cosines` and `sines` [batch, sequence, half]. Returns the message of a
  /// run where sizes are known not to fit, or nothing.
  StringRef read(Value x, Value cosines, Value sines);
  Value build();

private:
  bool readHeads(Value x);
  bool readRotatedPart(int64_t rotated);
  bool readAllPairs(int64_t tableHalf);
  void makePairDim(Value count);
  bool readPairs(int64_t tableHalf);
  Value fitTable(Value table);
  SmallVector<AffineExpr> pairAt(int64_t part);
  KernelBuilder::Access tableAt(Value table);
  Value rotate(Value in, Value out, int64_t part);
  Value copyRest(Value in, Value out);

  OpBuilder &b;
  Location loc;
  KernelBuilder kernel;
  onnx::RotaryEmbeddingOp op;
  Type element;
  bool interleaved;
  /// The sizes of the input, and of it with the heads, or, where `half` is not
  /// known, the pairs as dimensions.
  SmallVector<Value> given, sizes;
  int64_t sequenceDim = 2;
  Value view, tables[2];
  /// Half of the rotated elements of a head; dynamic if all of an unknown
  /// number are rotated.
  int64_t half = ShapedType::kDynamic;
  SmallVector<AffineExpr> outer;
  AffineExpr pair;
};

/// Makes a dimension of the heads.
bool Rotation::readHeads(Value x) {
  given = sizes = sizesOf(b, loc, x);
  if (sizes.size() == 4)
    return true;
  sequenceDim = 1;
  Value heads = indexConstant(b, loc, *op.getNumHeads());
  Value all = sizes.pop_back_val(), size = floorDivIndex(b, loc, all, heads);
  sizes.append({heads, size});
  Value used = mulIndex(b, loc, heads, size);
  checkEqualSizes(b, loc, used, all, unfitHeads);
  return !getConstantIntValue(all) ||
         getConstantIntValue(all) == getConstantIntValue(used);
}

/// The first elements of each head are rotated, as many as the node says.
bool Rotation::readRotatedPart(int64_t rotated) {
  half = rotated / 2;
  Value size = sizes.back();
  checkAtMost(b, loc, indexConstant(b, loc, rotated), size, unfitPairs);
  std::optional<int64_t> known = getConstantIntValue(size);
  return !known || rotated <= *known;
}

/// All elements of each head are rotated; those of an unknown size are as many
/// as the tables have.
bool Rotation::readAllPairs(int64_t tableHalf) {
  Value two = indexConstant(b, loc, 2), size = sizes.back(),
        count = floorDivIndex(b, loc, size, two),
        used = mulIndex(b, loc, count, two);
  checkEqualSizes(b, loc, used, size, unfitPairs);
  half = getConstantIntValue(count).value_or(tableHalf);
  if (ShapedType::isDynamic(half)) {
    makePairDim(count);
  } else if (!getConstantIntValue(size)) {
    sizes.back() = indexConstant(b, loc, 2 * half);
    checkEqualSizes(b, loc, sizes.back(), size, unfitTables);
  }
  return getConstantIntValue(used) == getConstantIntValue(size);
}

/// Makes a dimension of the pairs beside that of their two elements.
void Rotation::makePairDim(Value count) {
  Value two = indexConstant(b, loc, 2);
  sizes.back() = interleaved ? count : two;
  sizes.push_back(interleaved ? two : count);
}

/// Finds how many pairs a head has; of an unknown number it makes a dimension.
bool Rotation::readPairs(int64_t tableHalf) {
  int64_t rotated = op.getRotaryEmbeddingDim();
  if (rotated < 0 || rotated % 2 != 0)
    return false;
  return rotated > 0 ? readRotatedPart(rotated) : readAllPairs(tableHalf);
}

/// The table with the sizes of the input, or with sizes that are known as 1.
Value Rotation::fitTable(Value table) {
  SmallVector<Value> wanted{sizes[0], sizes[sequenceDim]};
  for (auto [d, size] : llvm::enumerate(wanted))
    checkBroadcasts(b, loc, sizeOf(b, loc, table, d), size, unfitTables);
  Value count = ShapedType::isDynamic(half) ? sizes[interleaved ? 3 : 4]
                                            : indexConstant(b, loc, half);
  checkEqualSizes(b, loc, sizeOf(b, loc, table, 2), count, unfitTables);
  wanted.push_back(Value());
  return expandTo(b, loc, table, wanted);
}

StringRef Rotation::read(Value x, Value cosines, Value sines) {
  if (!readHeads(x))
    return unfitHeads;
  if (!readPairs(rankedType(cosines).getDimSize(2)))
    return unfitPairs;
  Type stored = rankedType(x).getElementType();
  view = reshapeTo(b, loc, x, typeOfSizes(sizes, stored), sizes);
  tables[0] = fitTable(cosines);
  tables[1] = fitTable(sines);
  return {};
}

/// The position of the first or second element of the pairs.
SmallVector<AffineExpr> Rotation::pairAt(int64_t part) {
  SmallVector<AffineExpr> at(outer);
  if (ShapedType::isDynamic(half)) {
    at.append({pair, kernel.constant(part)});
    if (!interleaved)
      std::swap(at[3], at[4]);
  } else if (interleaved) {
    at.push_back(pair * 2 + part);
  } else {
    at.push_back(part ? pair + half : kernel.partOf(pair));
  }
  return at;
}

KernelBuilder::Access Rotation::tableAt(Value table) {
  return broadcastAccess(kernel, table, {outer[0], outer[sequenceDim], pair});
}

Value Rotation::rotate(Value in, Value out, int64_t part) {
  return kernel.generic(
      {{in, pairAt(0)},
       {in, pairAt(1)},
       tableAt(tables[0]),
       tableAt(tables[1])},
      {out, pairAt(part)}, {}, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, element);
        Value x1 = s.widen(v[0]), x2 = s.widen(v[1]);
        Value cosine = s.widen(v[2]), sine = s.widen(v[3]);
        return s.narrow(part ? s.add(s.mul(sine, x1), s.mul(cosine, x2))
                             : s.sub(s.mul(cosine, x1), s.mul(sine, x2)));
      });
}

/// The elements of each head after those that are rotated.
Value Rotation::copyRest(Value in, Value out) {
  Value size = sizes.back();
  Value rest = subIndex(b, loc, size, indexConstant(b, loc, 2 * half));
  if (getConstantIntValue(rest) == 0)
    return out;
  SmallVector<AffineExpr> at(outer);
  at.push_back(kernel.loop("rest", rest) + 2 * half);
  return kernel.generic(
      {{in, at}}, {out, at}, {},
      [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

Value Rotation::build() {
  RankedTensorType type = rankedType(view);
  for (int64_t d = 0; d < 3; ++d)
    outer.push_back(kernel.loop("d" + std::to_string(d), type.getDimSize(d)));
  pair = kernel.loop("pair", half);
  Value in = kernel.input(view), out = kernel.output(type, sizes);
  out = rotate(in, rotate(in, out, 0), 1);
  if (!ShapedType::isDynamic(half))
    out = copyRest(in, out);
  Value y = kernel.finish({out}).front();
  return reshapeTo(b, loc, y, typeOfSizes(given, type.getElementType()), given);
}

Lowered lowerRotaryEmbedding(onnx::RotaryEmbeddingOp op,
                             onnx::RotaryEmbeddingOp::Adaptor adaptor,
                             ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0], positions = adaptor.getPositionIds();
  int64_t rank = rankedType(x).getRank(), tableRank = positions ? 2 : 3;
  SmallVector<Value> tables(adaptor.getOperands().slice(1, 2));
  for (Value &table : tables) {
    if (rankedType(table).getRank() != tableRank)
      return rewriter.notifyMatchFailure(op, "a table is of another rank");
    if (positions)
      table = gatherOf(rewriter, loc, table, positions, 0);
    if (rankedType(table).getRank() != 3)
      return rewriter.notifyMatchFailure(op, "the positions are no matrix");
  }
  if (rank != 3 && rank != 4)
    return rewriter.notifyMatchFailure(op, "the rank is neither 3 nor 4");
  if (rank == 3 && op.getNumHeads().value_or(0) <= 0)
    return rewriter.notifyMatchFailure(op, "num_heads is not given");
  Rotation rotation(rewriter, op);
  StringRef problem = rotation.read(x, tables[0], tables[1]);
  if (!problem.empty())
    return neverMade(rewriter, op, problem);
  return {rotation.build()};
}

} // namespace

void populateONNXToKrnlRotaryEmbeddingPatterns(TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerRotaryEmbedding);
}

} // namespace onnxc
