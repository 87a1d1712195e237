//===- PackWeights.cpp - Products with dequantised weights -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Weights that are dequantised just to be multiplied stay as few bits until
// they are: the product becomes a MatMulNBits, whose weights lie column after
// column in blocks, low bits first, and count from the middle of their range.
//
//===----------------------------------------------------------------------===//
#include "PackWeights.h"

#include "Simplify/ConstantFloats.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {

/// A constant matrix of integers of at most a byte, perhaps transposed.
struct Integers {
  TypedAttr attribute;
  unsigned bits = 0;
  bool isSigned = false;
  /// Indexed [column, depth] instead of [depth, column].
  bool columnsFirst = false;

  int64_t size(unsigned dim) const {
    return cast<RankedTensorType>(attribute.getType()).getDimSize(dim);
  }
  int64_t depth() const { return size(columnsFirst ? 1 : 0); }
  int64_t columns() const { return size(columnsFirst ? 0 : 1); }
};

/// Weights of a product, with the scales and zero points of their blocks along
/// the depth.
struct Weights {
  DequantizeLinearOp op;
  Integers numbers;
  /// The layout of the dequantised numbers and of the scales, see Integers.
  bool columnsFirst = false;
  int64_t blockSize = 0;
  /// One for all weights, one for each column, or one for each block.
  enum class Share { All, Column, Block } share = Share::All;

  int64_t blocks() const {
    return (numbers.depth() + blockSize - 1) / blockSize;
  }
};
} // namespace

/// The transposition of a matrix that defines the value; null for other values.
static TransposeOp matrixTranspose(Value value) {
  auto op = value.getDefiningOp<TransposeOp>();
  ArrayRef<int64_t> perm =
      op && op.getPerm() ? *op.getPerm() : ArrayRef<int64_t>();
  return perm == ArrayRef<int64_t>({1, 0}) ? op : TransposeOp();
}

/// The bits of each number in a constant of integers; 0 for other types.
static unsigned bitsOf(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  unsigned bits = integer && !element.isInteger(1) ? integer.getWidth() : 0;
  return bits == 2 || bits == 4 || bits == 8 ? bits : 0;
}

static std::optional<Integers> readIntegers(Value value) {
  Integers result;
  while (TransposeOp transpose = matrixTranspose(value)) {
    value = transpose->getOperand(0);
    result.columnsFirst = !result.columnsFirst;
  }
  result.attribute = constantValue(value);
  auto type = result.attribute
                  ? dyn_cast<RankedTensorType>(result.attribute.getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  result.bits = bitsOf(type.getElementType());
  result.isSigned = !type.getElementType().isUnsignedInteger();
  return result.bits ? std::optional(result) : std::nullopt;
}

/// How the scales are shared, if in a way that a product can use.
static std::optional<Weights::Share> shareOf(const Weights &weights) {
  DequantizeLinearOp op = weights.op;
  auto scale = dyn_cast<RankedTensorType>(op.getXScale().getType());
  if (!scale || !scale.hasStaticShape())
    return std::nullopt;
  int64_t axis = op.getAxis() < 0 ? op.getAxis() + 2 : op.getAxis();
  int64_t depthDim = weights.columnsFirst ? 1 : 0;
  if (op.getBlockSize() == 0) {
    if (scale.getNumElements() == 1)
      return Weights::Share::All;
    bool isVector = scale.getRank() == 1 && axis != depthDim &&
                    scale.getDimSize(0) == weights.numbers.columns();
    return isVector ? std::optional(Weights::Share::Column) : std::nullopt;
  }
  bool fits = scale.getRank() == 2 && axis == depthDim &&
              scale.getDimSize(depthDim) == weights.blocks() &&
              scale.getDimSize(1 - depthDim) == weights.numbers.columns();
  return fits ? std::optional(Weights::Share::Block) : std::nullopt;
}

/// The weights of a product; its columns come first if `columnsFirst`.
static std::optional<Weights> readWeights(Value value, bool columnsFirst) {
  while (TransposeOp transpose = matrixTranspose(value)) {
    value = transpose->getOperand(0);
    columnsFirst = !columnsFirst;
  }
  Weights weights;
  weights.op = value.getDefiningOp<DequantizeLinearOp>();
  if (!weights.op || rankOf(weights.op.getX()) != 2)
    return std::nullopt;
  std::optional<Integers> numbers = readIntegers(weights.op.getX());
  if (!numbers)
    return std::nullopt;
  weights.numbers = *numbers;
  weights.columnsFirst = columnsFirst;
  weights.numbers.columnsFirst = numbers->columnsFirst != columnsFirst;
  int64_t parts = 8 / numbers->bits, depth = weights.numbers.depth();
  if (depth < 1 || weights.numbers.columns() < 1 ||
      weights.op.getBlockSize() < 0)
    return std::nullopt;
  // One block may be longer than there are weights.
  int64_t whole = llvm::divideCeil(depth, parts) * parts;
  int64_t given = weights.op.getBlockSize();
  weights.blockSize = given == 0 || given > depth ? whole : given;
  std::optional<Weights::Share> share = shareOf(weights);
  if (!share || weights.blockSize % parts != 0)
    return std::nullopt;
  weights.share = *share;
  return weights;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

namespace {
/// Reads integers of a constant, moved so that they are not negative.
class IntegerReader {
public:
  explicit IntegerReader(TypedAttr attribute)
      : bytes(constantBytes(attribute, scratch)),
        bits(bitsOf(getElementTypeOrSelf(attribute.getType()))),
        flip(getElementTypeOrSelf(attribute.getType()).isUnsignedInteger()
                 ? 0
                 : 1U << (bits - 1)) {}

  bool holds(int64_t elements) const {
    return int64_t(bytes.size()) >= (elements * bits + 7) / 8;
  }
  unsigned operator[](int64_t element) const {
    int64_t bit = element * bits;
    return ((uint8_t(bytes[bit / 8]) >> bit % 8) & ((1U << bits) - 1)) ^ flip;
  }

private:
  SmallVector<char> scratch;
  ArrayRef<char> bytes;
  unsigned bits, flip;
};
} // namespace

/// Numbers of `bits` bits, `row` of them in each row of whole bytes.
static std::vector<char> packed(int64_t rows, int64_t row, unsigned bits,
                                function_ref<unsigned(int64_t, int64_t)> at) {
  int64_t rowBytes = (row * bits + 7) / 8;
  std::vector<char> bytes(rows * rowBytes, 0);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < row; ++i)
      bytes[r * rowBytes + i * bits / 8] |= char(at(r, i) << (i * bits % 8));
  return bytes;
}

static Value byteConstant(NodeMaker &maker, ArrayRef<int64_t> shape,
                          std::vector<char> bytes) {
  MLIRContext *context = maker.builder.getContext();
  Type element = IntegerType::get(context, 8, IntegerType::Unsigned);
  TypedAttr value =
      makeTensorAttr(RankedTensorType::get(shape, element), std::move(bytes));
  return value ? maker.constant(value) : Value();
}

/// [columns, blocks, bytes]; null where the constant's bytes are not known.
static Value packedNumbers(NodeMaker &maker, const Weights &weights) {
  const Integers &numbers = weights.numbers;
  IntegerReader reader(numbers.attribute);
  int64_t depth = numbers.depth(), columns = numbers.columns();
  if (!reader.holds(depth * columns))
    return {};
  int64_t padded = weights.blocks() * weights.blockSize;
  std::vector<char> bytes =
      packed(columns, padded, numbers.bits,
             [&](int64_t column, int64_t k) -> unsigned {
               if (k >= depth)
                 return 0;
               return reader[numbers.columnsFirst ? column * depth + k
                                                  : k * columns + column];
             });
  int64_t blockBytes = weights.blockSize * numbers.bits / 8;
  return byteConstant(maker, {columns, weights.blocks(), blockBytes},
                      std::move(bytes));
}

/// Where the parameter of a block is in the parameter's tensor.
static int64_t positionOf(const Weights &weights, int64_t column,
                          int64_t block) {
  switch (weights.share) {
  case Weights::Share::All:
    return 0;
  case Weights::Share::Column:
    return column;
  case Weights::Share::Block:
    return weights.columnsFirst ? column * weights.blocks() + block
                                : block * weights.numbers.columns() + column;
  }
  llvm_unreachable("all ways to share handled");
}

/// One scale for each block; null for a type that constants are not read of.
static Value blockScales(NodeMaker &maker, const Weights &weights) {
  DequantizeLinearOp op = weights.op;
  auto scales = ConstantFloats::read(op.getXScale());
  if (!scales)
    return {};
  int64_t columns = weights.numbers.columns();
  ConstantFloats result{RankedTensorType::get({columns * weights.blocks()},
                                              scales->type.getElementType()),
                        {}};
  for (int64_t n = 0; n < columns; ++n)
    for (int64_t block = 0; block < weights.blocks(); ++block)
      result.values.push_back(scales->values[positionOf(weights, n, block)]);
  return result.create(maker.builder, maker.loc);
}

/// Packed zero points; the middle counts as none, as it does for MatMulNBits.
/// Fails where they are no constant like the scales.
static FailureOr<Value> blockZeros(NodeMaker &maker, const Weights &weights) {
  DequantizeLinearOp op = weights.op;
  unsigned bits = weights.numbers.bits, middle = 1U << (bits - 1);
  Value zeros = op.getXZeroPoint();
  if (!zeros && weights.numbers.isSigned)
    return Value();
  TypedAttr attribute = zeros ? constantValue(zeros) : TypedAttr();
  if (zeros && (!attribute || attribute.getType() != zeros.getType() ||
                bitsOf(getElementTypeOrSelf(zeros.getType())) != bits))
    return failure();
  std::optional<IntegerReader> reader;
  if (zeros) {
    auto type = cast<ShapedType>(attribute.getType());
    auto scale = cast<ShapedType>(op.getXScale().getType());
    reader.emplace(attribute);
    if (type.getNumElements() != scale.getNumElements() ||
        !reader->holds(type.getNumElements()))
      return failure();
  }
  int64_t columns = weights.numbers.columns(), blocks = weights.blocks();
  bool allMiddle = true;
  std::vector<char> bytes =
      packed(columns, blocks, bits, [&](int64_t n, int64_t block) {
        unsigned zero = reader ? (*reader)[positionOf(weights, n, block)] : 0;
        allMiddle &= zero == middle;
        return zero;
      });
  if (allMiddle)
    return Value();
  int64_t size = int64_t(bytes.size());
  return byteConstant(maker, {size}, std::move(bytes));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Bytes by bytes are multiplied as they are.
static bool isProductOfBytes(Value x, const Weights &weights) {
  return weights.numbers.bits == 8 && x.getDefiningOp<DequantizeLinearOp>();
}

/// x times the weights, of type `type`; null where they have no such form.
static Value makeProduct(PatternRewriter &rewriter, Operation *op, Value x,
                         Value w, bool columnsFirst, Value bias) {
  std::optional<Weights> weights = readWeights(w, columnsFirst);
  Type element = getElementTypeOrSelf(x.getType());
  if (!weights || rankOf(x) < 1 || isProductOfBytes(x, *weights) ||
      !(element.isF32() || element.isF16() || element.isBF16()) ||
      getElementTypeOrSelf(weights->op.getXScale().getType()) != element ||
      getElementTypeOrSelf(weights->op.getY().getType()) != element)
    return {};
  NodeMaker maker(rewriter, op->getLoc());
  Value scales = blockScales(maker, *weights);
  FailureOr<Value> zeros = blockZeros(maker, *weights);
  if (!scales || failed(zeros))
    return {};
  Value numbers = packedNumbers(maker, *weights);
  if (!numbers)
    return {};
  const Integers &integers = weights->numbers;
  SmallVector<NamedAttribute> attributes{
      maker.integer("K", integers.depth()),
      maker.integer("N", integers.columns()),
      maker.integer("bits", integers.bits),
      maker.integer("block_size", weights->blockSize)};
  return maker
      .makeTyped("microsoft.MatMulNBits",
                 {x, numbers, scales, *zeros, Value(), bias}, attributes,
                 op->getResult(0).getType())
      ->getResult(0);
}

namespace {

LogicalResult packMatMul(MatMulOp op, PatternRewriter &rewriter) {
  Value y = makeProduct(rewriter, op, op.getA(), op.getB(),
                        /*columnsFirst=*/false, Value());
  if (!y)
    return rewriter.notifyMatchFailure(op, "no constant weights of few bits");
  rewriter.replaceOp(op, y);
  return success();
}

LogicalResult packGemm(GemmOp op, PatternRewriter &rewriter) {
  auto result = dyn_cast<RankedTensorType>(op.getY().getType());
  if (op.getTransA() || op.getAlpha() != 1 || !result || rankOf(op.getA()) != 2)
    return rewriter.notifyMatchFailure(op, "A is scaled or transposed");
  Value c = op.getC();
  auto added = c ? dyn_cast<RankedTensorType>(c.getType()) : RankedTensorType();
  bool isBias = added && added.getRank() == 1 && added.hasStaticShape() &&
                added.getDimSize(0) == result.getDimSize(1);
  if (c && (!isBias || op.getBeta() != 1))
    return rewriter.notifyMatchFailure(op, "the addend is not a bias");
  Value y = makeProduct(rewriter, op, op.getA(), op.getB(),
                        /*columnsFirst=*/op.getTransB() != 0, c);
  if (!y)
    return rewriter.notifyMatchFailure(op, "no constant weights of few bits");
  rewriter.replaceOp(op, y);
  return success();
}

} // namespace

void onnxc::onnx::populatePackWeightsPatterns(RewritePatternSet &patterns) {
  addRewrites<packGemm, packMatMul>(patterns);
}
