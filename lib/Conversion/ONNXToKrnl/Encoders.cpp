//===- Encoders.cpp - LabelEncoder and CategoryMapper -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Strings are looked up by a call. Numbers are searched for in their sorted
// table by the kernel, whose payload is the search written out. Either way the
// result is an element of a table whose last entries are what is left over.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Elementwise.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Strings.h"
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

/// Those of the attributes that have the type.
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

bool isNaN(Attribute number) {
  auto real = dyn_cast<FloatAttr>(number);
  return real && real.getValue().isNaN();
}

bool isLess(Attribute x, Attribute y) {
  if (auto real = dyn_cast<FloatAttr>(x))
    return real.getValue() < cast<FloatAttr>(y).getValue();
  return cast<IntegerAttr>(x).getValue().slt(cast<IntegerAttr>(y).getValue());
}

/// Sorted keys, their values in that order, then what others get and what NaN
/// gets. Of equal keys the last counts.
struct SortedTable {
  SortedTable(const Labels &keyLabels, const Labels &valueLabels,
              const Labels &otherwise);
  Labels keys, values;
};

SortedTable::SortedTable(const Labels &keyLabels, const Labels &valueLabels,
                         const Labels &otherwise) {
  SmallVector<size_t> order;
  std::optional<size_t> nan;
  for (size_t i = 0; i < keyLabels.size(); ++i)
    if (isNaN(keyLabels.numbers[i]))
      nan = i;
    else
      order.push_back(i);
  llvm::sort(order, [&](size_t x, size_t y) {
    Attribute a = keyLabels.numbers[x], b = keyLabels.numbers[y];
    return isLess(a, b) || (!isLess(b, a) && x < y);
  });
  for (auto [at, i] : llvm::enumerate(order)) {
    bool isLast =
        at + 1 == order.size() ||
        isLess(keyLabels.numbers[i], keyLabels.numbers[order[at + 1]]);
    if (!isLast)
      continue;
    keys.append(keyLabels, i);
    values.append(valueLabels, i);
  }
  values.append(otherwise, 0);
  if (nan)
    values.append(valueLabels, *nan);
  else
    values.append(otherwise, 0);
}

/// The place of `x` among the `count` sorted keys; `count` if it is none of
/// them, one more for NaN.
Value searchSorted(ScalarBuilder &s, Value x, Value keys, int64_t count) {
  OpBuilder &b = s.builder();
  Location loc = s.getLoc();
  auto constant = [&](int64_t i) { return indexConstant(b, loc, i); };
  auto keyAt = [&](Value i) -> Value {
    return tensor::ExtractOp::create(b, loc, keys, i);
  };
  Value at = constant(0);
  for (int64_t step = int64_t(llvm::bit_floor(uint64_t(count))); step > 0;
       step /= 2) {
    Value next = addIndex(b, loc, at, constant(step));
    Value isThere = isInside(b, loc, next, constant(count));
    Value key = keyAt(minIndex(b, loc, next, constant(count - 1)));
    Value goes = s.math<arith::AndIOp>(isThere, s.le(key, x));
    at = s.select(goes, next, at);
  }
  at = s.select(s.eq(keyAt(at), x), at, constant(count));
  return s.isFloat() ? s.select(s.isNaN(x), constant(count + 1), at) : at;
}

/// What the operator maps to what.
struct Mapping {
  Labels keys, values, otherwise;
};

Value encodeNumbers(OpBuilder &b, Location loc, Value x, Type from, Type to,
                    const Mapping &mapping) {
  SortedTable table(mapping.keys, mapping.values, mapping.otherwise);
  int64_t count = int64_t(table.keys.size());
  Value values = tableOf(b, loc, table.values, to);
  if (count == 0)
    table.keys.numbers.push_back(isa<FloatType>(from)
                                     ? Attribute(b.getFloatAttr(from, 0))
                                     : b.getIntegerAttr(from, 0));
  Value keys = tableOf(b, loc, table.keys, from);
  return generate(
      b, loc, "encode", rankedType(values).getElementType(), sizesOf(b, loc, x),
      {x, keys, values},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        ScalarBuilder s(nb, l, from);
        Value element = tensor::ExtractOp::create(nb, l, in[0], at);
        Value place = count == 0
                          ? indexConstant(nb, l, 0)
                          : searchSorted(s, s.widen(element), in[1], count);
        return tensor::ExtractOp::create(nb, l, in[2], place).getResult();
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
  Value place = stringIndex(b, loc, x, mapping.keys.texts);
  Value values = tableOf(b, loc, table, to);
  return generate(
      b, loc, "encode", rankedType(values).getElementType(), sizesOf(b, loc, x),
      {place, values},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value i = tensor::ExtractOp::create(nb, l, in[0], at);
        return tensor::ExtractOp::create(nb, l, in[1], toIndex(nb, l, i))
            .getResult();
      });
}

LogicalResult encode(Operation *op, Value x, const Mapping &mapping,
                     const TypeConverter &converter,
                     ConversionPatternRewriter &rewriter) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (!rankedType(x))
    return rewriter.notifyMatchFailure(op, "rank is not known");
  if (mapping.keys.size() == 0 ||
      mapping.keys.size() != mapping.values.size() ||
      mapping.otherwise.size() != 1)
    return rewriter.notifyMatchFailure(
        op, "keys, values and default are not as many as belong together, or "
            "of other types than operand and result");
  Location loc = op->getLoc();
  Value y = isString(from) ? encodeStrings(rewriter, loc, x, to, mapping)
                           : encodeNumbers(rewriter, loc, x, from, to, mapping);
  replaceWithCasts(rewriter, converter, op, y);
  return success();
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

struct LabelEncoderLowering
    : public OpConversionPattern<onnx::MlLabelEncoderOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MlLabelEncoderOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    Mapping mapping{labelsOf(from, op.getKeysStrings(), op.getKeysInt64s(),
                             op.getKeysFloats(), op.getKeysTensorAttr()),
                    labelsOf(to, op.getValuesStrings(), op.getValuesInt64s(),
                             op.getValuesFloats(), op.getValuesTensorAttr()),
                    otherwise(op, to)};
    return encode(op, adaptor.getOperands()[0], mapping, *getTypeConverter(),
                  rewriter);
  }

private:
  static Labels otherwise(onnx::MlLabelEncoderOp op, Type to) {
    if (Attribute tensor = op.getDefaultTensorAttr())
      return tensorLabels(tensor, to);
    if (isString(to))
      return {{op.getDefaultString()}, {}};
    float real = op.getDefaultFloat();
    int64_t number = op.getDefaultInt64();
    return isa<FloatType>(to) ? floatLabels(ArrayRef(real), to)
                              : intLabels(ArrayRef(number), to);
  }
};

struct CategoryMapperLowering
    : public OpConversionPattern<onnx::MlCategoryMapperOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MlCategoryMapperOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type i64 = rewriter.getI64Type();
    Labels texts = textLabels(op.getCatsStrings()),
           ints = intLabels(op.getCatsInt64s(), i64);
    int64_t number = op.getDefaultInt64();
    Labels otherText{{op.getDefaultString()}, {}},
        otherInt = intLabels(ArrayRef(number), i64);
    bool fromText = isString(getElementTypeOrSelf(op->getOperand(0).getType()));
    Mapping mapping = fromText ? Mapping{texts, ints, otherInt}
                               : Mapping{ints, texts, otherText};
    return encode(op, adaptor.getOperands()[0], mapping, *getTypeConverter(),
                  rewriter);
  }
};

} // namespace

void populateONNXToKrnlEncodersPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<CategoryMapperLowering, LabelEncoderLowering>(
      converter, patterns.getContext());
}

} // namespace onnxc
