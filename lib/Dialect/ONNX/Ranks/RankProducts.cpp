//===- RankProducts.cpp - Products that need no rank -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A product of matrices is one of any number of batch dimensions, and a vector
// a matrix of one row or one column. Two operands of unknown rank so cost one
// kernel, and not one for each pair of ranks.
//
//===----------------------------------------------------------------------===//
#include "RankAgnostic.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {
/// A letter for each slot: the left and the right operand, and operands with a
/// number for each row (m) or each column (n) of the product.
struct ProductSlots {
  llvm::StringLiteral op;
  llvm::StringLiteral parts;
};
} // namespace

static constexpr ProductSlots products[] = {
    {"onnx.MatMul", "lr"},
    {"onnx.MatMulInteger", "lrmn"},
    {"onnx.QLinearMatMul", "lmmrnnmm"},
    {"onnx.microsoft.DynamicQuantizeMatMul", "lrnnn"},
    {"onnx.microsoft.FusedMatMul", "lr"},
    {"onnx.microsoft.MatMulIntegerToFloat", "lrmnmnn"},
    {"onnx.microsoft.TransposeMatMul", "lr"},
};

static const ProductSlots *productSlots(Operation *op) {
  StringRef name = op->getName().getStringRef();
  const auto *row = llvm::find_if(
      products, [&](const ProductSlots &p) { return p.op == name; });
  return row == std::end(products) ? nullptr : row;
}

/// Whether FusedMatMul transposes its left or right operand before.
static bool isSet(Operation *op, StringRef flag) {
  return integerAttr(op, flag).value_or(0) != 0;
}

RankFreeForm onnxc::onnx::productForm(Operation *op) {
  // Where rows come before the batch, they are before no other dimensions.
  if (!productSlots(op) || isSet(op, "transBatchA") || isSet(op, "transBatchB"))
    return RankFreeForm::None;
  return countUnranked(op) > 1 ? RankFreeForm::Always : RankFreeForm::Costly;
}

namespace {

/// Writes one product.
class ProductWriter {
public:
  ProductWriter(Operation *op, const ProductSlots &slots)
      : op(op), slots(slots), builder(op), maker(builder, op->getLoc()) {}

  void write() {
    SmallVector<Value> operands(op->getOperands());
    for (auto [slot, part] : llvm::enumerate(slots.parts)) {
      OpOperand *operand = operandInSlot(op, slot);
      bool isMatrix = part == 'l' || part == 'r';
      if (!operand ||
          (!isMatrix && isa<RankedTensorType>(operand->get().getType())))
        continue;
      bool isColumn = part == 'r' || part == 'm';
      if (isMatrix)
        isColumn ^= isSet(op, part == 'l' ? "transA" : "transB");
      operands[operand->getOperandNumber()] =
          widen(operand->get(), /*isVectorColumn=*/isColumn,
                isMatrix ? &isVector[part == 'r'] : nullptr);
    }
    computeOn(op, operands, maxRank, maker, [&](OpResult y, Type type) {
      return maker.reshapeTo(y, sizesOfResult(y), type);
    });
  }

private:
  /// `x` on `maxRank` dimensions, a vector as a column if `isVectorColumn`,
  /// else as a row. Fills `isVectorOut` with whether it is one, as a list of
  /// one number.
  Value widen(Value x, bool isVectorColumn, Value *isVectorOut) {
    Value sizes = maker.sizesOf(x), rank = maker.make("Size", sizes);
    if (isVectorOut) {
      // There is no product of scalars: the run ends here.
      sizes = maker.joined({maker.cut(sizes, 0, -1),
                            maker.make("Gather", {sizes, maker.ints({-1})})});
      largest = largest ? maker.make("Max", {largest, rank}) : rank;
    }
    Value isOne = maker.reshape(
        maker.cast(maker.make("Equal", {rank, maker.integerScalar(1)}),
                   builder.getI64Type()),
        {1});
    if (isVectorOut)
      *isVectorOut = isOne;
    if (isVectorColumn)
      sizes = maker.joined(
          {sizes, maker.cut(maker.ints({1}), maker.ints({0}), isOne)});
    return maker.reshapeTo(x, maker.padded(sizes, maxRank), maxRank);
  }

  /// The sizes that the product has, of those on `maxRank` dimensions: no row
  /// where the left operand is a vector, no column where the right one is.
  Value sizesOfResult(Value y) {
    Value sizes = maker.shapeOf(y);
    Value minLength = maker.make("Max", {largest, maker.integerScalar(2)});
    Value batch = maker.cut(maker.last(sizes, maxRank, minLength), 0, -2);
    Value row = maker.add(maker.ints({maxRank - 2}), isVector[0]);
    Value column = maker.add(maker.ints({maxRank - 1}), isVector[1]);
    return maker.joined({batch,
                         maker.cut(sizes, row, maker.ints({maxRank - 1})),
                         maker.cut(sizes, column, maker.ints({maxRank}))});
  }

  Operation *op;
  const ProductSlots &slots;
  OpBuilder builder;
  SizeListMaker maker;
  /// Whether the left and the right operand are vectors.
  Value isVector[2];
  /// The larger of the ranks of both.
  Value largest;
};

} // namespace

void onnxc::onnx::rewriteProduct(Operation *op) {
  ProductWriter(op, *productSlots(op)).write();
}
