//===- Encoders.cpp - LabelEncoder and CategoryMapper -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Strings are looked up by a call, numbers by the kernel in a table of their
// keys. Either way the result is an element of a table whose last entries are
// the default values.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/KeyTables.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc {
namespace {

/// Labels of one type: strings, or numbers as attributes.
struct Labels {
  SmallVector<StringRef> texts;
  SmallVector<Attribute> numbers;

  size_t size() const { return std::max(texts.size(), numbers.size()); }
  void append(const Labels &other, size_t i) {
    if (texts.empty() && other.texts.empty())
      numbers.push_back(other.numbers[i]);
    else
      texts.push_back(other.texts[i]);
  }
};

Labels textLabels(std::optional<ArrayAttr> texts) {
  return {textsOf(texts), {}};
}

Labels intLabels(std::optional<ArrayRef<int64_t>> ints, Type element) {
  Labels labels;
  for (int64_t value : ints.value_or(ArrayRef<int64_t>()))
    labels.numbers.push_back(IntegerAttr::get(element, value));
  return labels;
}

Labels floatLabels(std::optional<ArrayRef<float>> floats, Type element) {
  Labels labels;
  for (float value : floats.value_or(ArrayRef<float>()))
    labels.numbers.push_back(FloatAttr::get(element, value));
  return labels;
}

/// The elements of a tensor attribute of that element type; none otherwise.
Labels tensorLabels(Attribute tensor, Type element) {
  Labels labels;
  auto typed = dyn_cast_or_null<TypedAttr>(tensor);
  auto type = typed ? dyn_cast<RankedTensorType>(typed.getType()) : nullptr;
  if (!type || type.getElementType() != element)
    return labels;
  if (auto strings = dyn_cast<DenseStringElementsAttr>(tensor)) {
    llvm::append_range(labels.texts, strings.getValues<StringRef>());
    return labels;
  }
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(tensor, scratch);
  if (element.isInteger(1) || bytes.empty())
    return labels;
  auto dense = DenseElementsAttr::getFromRawBuffer(type, bytes);
  llvm::append_range(labels.numbers, dense.getValues<Attribute>());
  return labels;
}

/// The labels of the attribute that has the type.
Labels labelsOf(Type element, std::optional<ArrayAttr> texts,
                std::optional<ArrayRef<int64_t>> ints,
                std::optional<ArrayRef<float>> floats, Attribute tensor) {
  if (tensor)
    return tensorLabels(tensor, element);
  if (isString(element))
    return textLabels(texts);
  return isa<FloatType>(element) ? floatLabels(floats, element)
                                 : intLabels(ints, element);
}

/// The table as a tensor.
Value tableOf(OpBuilder &b, Location loc, const Labels &labels, Type element) {
  int64_t count = int64_t(labels.size());
  if (isString(element))
    return stringConstant(b, loc, labels.texts, count);
  return krnl::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get(count, element),
                             labels.numbers),
      krnl::PackedLayoutAttr());
}

//===----------------------------------------------------------------------===//
// Searching for numbers
//===----------------------------------------------------------------------===//

/// A number's key: integers extended, the bits of floats in the type that they
/// are computed in, one key for zeros of both signs. NaN, which equals nothing,
/// has none.
std::optional<uint64_t> keyOf(Attribute number, Type onnxType) {
  auto integer = dyn_cast<IntegerAttr>(number);
  if (integer)
    return onnxType.isUnsignedInteger()
               ? integer.getValue().getZExtValue()
               : uint64_t(integer.getValue().getSExtValue());
  APFloat real = cast<FloatAttr>(number).getValue();
  if (real.isNaN())
    return std::nullopt;
  bool isInexact;
  auto type = cast<FloatType>(ScalarBuilder::computeType(onnxType));
  real.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
               &isInexact);
  return real.isZero() ? 0 : real.bitcastToAPInt().getZExtValue();
}

/// The key, inside a kernel, of a number in the type that it is computed in.
Value keyOf(ScalarBuilder &s, Value x) {
  Type i64 = s.builder().getI64Type();
  if (s.isFloat()) {
    // A negative zero and zero make zero.
    Value sum = s.add(x, s.constant(0));
    Type bits = s.builder().getIntegerType(s.type().getIntOrFloatBitWidth());
    x = s.math<arith::BitcastOp>(bits, sum);
  }
  if (x.getType() == i64)
    return x;
  if (s.isFloat() || s.isUnsigned())
    return s.math<arith::ExtUIOp>(i64, x);
  return s.math<arith::ExtSIOp>(i64, x);
}

/// The keys and values of the operator.
struct Mapping {
  Labels keys, values, otherwise;
};

/// Takes the keys and their numbers, of equal keys the last one alone. Returns
/// the number of NaN, if there is one.
std::optional<size_t> takeKeys(const Labels &labels, Type onnxType,
                               SmallVector<uint64_t> &keys,
                               SmallVector<size_t> &numbers) {
  std::optional<size_t> nan;
  SmallVector<std::pair<uint64_t, size_t>> all;
  for (auto [i, number] : llvm::enumerate(labels.numbers))
    if (std::optional<uint64_t> key = keyOf(number, onnxType))
      all.push_back({*key, i});
    else
      nan = i;
  llvm::sort(all);
  for (auto [at, entry] : llvm::enumerate(all)) {
    if (at + 1 < all.size() && all[at + 1].first == entry.first)
      continue;
    keys.push_back(entry.first);
    numbers.push_back(entry.second);
  }
  return nan;
}

/// The table that a kernel reads values from: an entry for each slot, then
/// the value of all others, then that of NaN. Strings, which each call makes
/// anew, are positions in a table without gaps.
SmallVector<Value> valueTables(OpBuilder &b, Location loc, Type to,
                               const Mapping &mapping,
                               SmallVector<size_t> bySlot) {
  Labels all = mapping.values, values;
  all.append(mapping.otherwise, 0);
  if (isString(to))
    return {tableOf(b, loc, all, to),
            wordsConstant(b, loc, llvm::to_vector_of<int64_t>(bySlot))};
  for (size_t i : bySlot)
    values.append(all, i);
  return {tableOf(b, loc, values, to)};
}

FailureOr<Value> encodeNumbers(OpBuilder &b, Location loc, Value x, Type from,
                               Type to, const Mapping &mapping) {
  SmallVector<uint64_t> keys;
  SmallVector<size_t> numbers;
  std::optional<size_t> nan = takeKeys(mapping.keys, from, keys, numbers);
  std::optional<KeyTable> table = KeyTable::make(keys);
  if (!table)
    return failure();
  size_t otherwise = mapping.values.size();
  SmallVector<size_t> bySlot = table->arrange<size_t>(numbers, otherwise);
  bySlot.push_back(nan.value_or(otherwise));
  SmallVector<Value> inputs = valueTables(b, loc, to, mapping, bySlot);
  size_t numTables = inputs.size();
  llvm::append_range(inputs, table->constants(b, loc));
  inputs.push_back(x);
  return generate(
      b, loc, "encode", rankedType(inputs[0]).getElementType(),
      sizesOf(b, loc, x), inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder s(nb, l, from);
        auto extract = [&](Value tensor, ValueRange position) -> Value {
          return tensor::ExtractOp::create(nb, l, tensor, position);
        };
        Value element = s.widen(extract(in.back(), at));
        Value slot =
            table->find(nb, l, keyOf(s, element), in.drop_front(numTables));
        if (s.isFloat())
          slot = s.select(s.isNaN(element),
                          indexConstant(nb, l, table->numSlots() + 1), slot);
        if (numTables > 1)
          slot = toIndex(nb, l, extract(in[1], slot));
        return extract(in[0], slot);
      });
}

Value encodeStrings(OpBuilder &b, Location loc, Value x, Type to,
                    Mapping mapping) {
  // Of equal keys the last counts.
  llvm::StringMap<size_t> last;
  for (auto [i, key] : llvm::enumerate(mapping.keys.texts))
    last[key] = i;
  Labels table;
  for (StringRef key : mapping.keys.texts)
    table.append(mapping.values, last[key]);
  table.append(mapping.otherwise, 0);
  Value position = stringIndex(b, loc, x, mapping.keys.texts);
  Value values = tableOf(b, loc, table, to);
  return generate(
      b, loc, "encode", rankedType(values).getElementType(), sizesOf(b, loc, x),
      {position, values},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value i = tensor::ExtractOp::create(nb, l, in[0], at);
        return tensor::ExtractOp::create(nb, l, in[1], toIndex(nb, l, i))
            .getResult();
      });
}

Lowered encode(Operation *op, Value x, const Mapping &mapping,
               ConversionPatternRewriter &rewriter) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (mapping.keys.size() == 0 ||
      mapping.keys.size() != mapping.values.size() ||
      mapping.otherwise.size() != 1)
    return rewriter.notifyMatchFailure(
        op, "keys, values and default are not as many as belong together, or "
            "of other types than operand and result");
  Location loc = op->getLoc();
  FailureOr<Value> y = isString(from)
                           ? encodeStrings(rewriter, loc, x, to, mapping)
                           : encodeNumbers(rewriter, loc, x, from, to, mapping);
  if (failed(y))
    return rewriter.notifyMatchFailure(op, "the keys fit no table");
  return *y;
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

Labels otherwise(onnx::MlLabelEncoderOp op, Type to) {
  if (Attribute tensor = op.getDefaultTensorAttr())
    return tensorLabels(tensor, to);
  if (isString(to))
    return {{op.getDefaultString()}, {}};
  float real = op.getDefaultFloat();
  int64_t number = op.getDefaultInt64();
  return isa<FloatType>(to) ? floatLabels(ArrayRef(real), to)
                            : intLabels(ArrayRef(number), to);
}

Lowered lowerLabelEncoder(onnx::MlLabelEncoderOp op,
                          onnx::MlLabelEncoderOp::Adaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  Mapping mapping{labelsOf(from, op.getKeysStrings(), op.getKeysInt64s(),
                           op.getKeysFloats(), op.getKeysTensorAttr()),
                  labelsOf(to, op.getValuesStrings(), op.getValuesInt64s(),
                           op.getValuesFloats(), op.getValuesTensorAttr()),
                  otherwise(op, to)};
  return encode(op, adaptor.getOperands()[0], mapping, rewriter);
}

Lowered lowerCategoryMapper(onnx::MlCategoryMapperOp op,
                            onnx::MlCategoryMapperOp::Adaptor adaptor,
                            ConversionPatternRewriter &rewriter) {
  Type i64 = rewriter.getI64Type();
  Labels texts = textLabels(op.getCatsStrings()),
         ints = intLabels(op.getCatsInt64s(), i64);
  int64_t number = op.getDefaultInt64();
  Labels otherText{{op.getDefaultString()}, {}},
      otherInt = intLabels(ArrayRef(number), i64);
  bool fromText = isString(getElementTypeOrSelf(op->getOperand(0).getType()));
  Mapping mapping = fromText ? Mapping{texts, ints, otherInt}
                             : Mapping{ints, texts, otherText};
  return encode(op, adaptor.getOperands()[0], mapping, rewriter);
}

} // namespace

void populateONNXToKrnlEncodersPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerCategoryMapper, lowerLabelEncoder);
}

} // namespace onnxc
