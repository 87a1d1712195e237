//===- CustomCall.cpp - A call of a library while compiling ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "CustomCall.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"

#include <cstdarg>
#include <cstdio>

using namespace mlir;
using namespace onnxc::schema;

/// Elements of constants are shown up to this size, enough for shapes.
static constexpr int64_t maxShownBytes = 64 * 1024;
/// As in the runtime.
static constexpr int64_t maxRank = 64;

static Attribute attributeOf(Operation *op, StringRef name) {
  std::optional<Attribute> found = op->getInherentAttr(name);
  return found ? *found : Attribute();
}

/// The value of each slot, null where it is absent.
template <typename Range>
static SmallVector<Value> bySlot(Operation *op, StringRef name, Range present) {
  SmallVector<Value> values;
  auto slots = dyn_cast_or_null<DenseBoolArrayAttr>(attributeOf(op, name));
  auto next = present.begin();
  for (bool isPresent : slots ? slots.asArrayRef() : ArrayRef<bool>())
    values.push_back(isPresent && next != present.end() ? Value(*next++)
                                                        : Value());
  return values;
}

CustomCall::CustomCall(Operation *op, const ValueFacts &facts) {
  operands = bySlot(op, "input_slots", op->getOperands());
  for (Value operand : operands)
    addInput(operand, facts);
  for (Value result : bySlot(op, "output_slots", op->getResults())) {
    results.emplace_back().isPresent = result != nullptr;
    OMCustomTensor view = {};
    view.rank = -1;
    outputViews.push_back(view);
  }
  if (auto all =
          dyn_cast_or_null<DictionaryAttr>(attributeOf(op, "node_attributes")))
    for (NamedAttribute attribute : all)
      addAttribute(attribute.getName(), attribute.getValue());
  size = sizeof(OMCustomCall);
  auto name = dyn_cast<NameLoc>(op->getLoc());
  node = copy(name ? name.getName().getValue() : StringRef());
  state = nullptr;
  numInputs = static_cast<int64_t>(inputViews.size());
  numOutputs = static_cast<int64_t>(outputViews.size());
  numAttributes = static_cast<int64_t>(attributeViews.size());
  inputs = inputViews.data();
  outputs = outputViews.data();
  attributes = attributeViews.data();
  fail = onFail;
  setOutput = onSetOutput;
  allocate = onAllocate;
  OMCustomCall::memory = onMemory;
  parallel = onParallel;
}

//===----------------------------------------------------------------------===//
// Data passed to the library
//===----------------------------------------------------------------------===//

const char *CustomCall::copy(StringRef text) {
  char *characters = memory.Allocate<char>(text.size() + 1);
  llvm::copy(text, characters);
  characters[text.size()] = 0;
  return characters;
}

std::string CustomCall::symbolOf(int64_t size) const {
  return symbols.lookup(size);
}

/// A number for the name of a size, out of the range of arithmetic on sizes.
static int64_t symbolNumber(StringRef symbol) {
  constexpr int64_t bound = int64_t(1) << 40;
  uint64_t hash = llvm::xxh3_64bits(symbol) & ((uint64_t(1) << 61) - 1);
  return -bound - static_cast<int64_t>(hash);
}

/// Elements of a constant, each at its position as a run has them.
const void *CustomCall::constantElements(Attribute value) {
  auto type = cast<RankedTensorType>(cast<TypedAttr>(value).getType());
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value)) {
    SmallVector<const char *> texts;
    for (StringRef text : strings.getValues<StringRef>())
      texts.push_back(copy(text));
    return copy(ArrayRef<const char *>(texts));
  }
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnxc::onnx::constantBytes(value, scratch);
  unsigned width = onnxc::onnx::getRawBitWidth(type.getElementType());
  if (width < 8 ||
      bytes.size() != static_cast<uint64_t>(type.getNumElements()) * width / 8)
    return nullptr;
  char *elements =
      static_cast<char *>(memory.Allocate(bytes.size() + 1, llvm::Align(64)));
  llvm::copy(bytes, elements);
  return elements;
}

/// The elements of an input, if they are known and few.
const void *CustomCall::elementsOf(Value value, const ValueFacts &facts) {
  if (TypedAttr constant = onnxc::onnx::constantValue(value)) {
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    return type && type.getNumElements() <= maxShownBytes / 8
               ? constantElements(constant)
               : nullptr;
  }
  SmallVector<SymbolicInt> elements;
  auto type = dyn_cast<RankedTensorType>(facts.type(value));
  if (!type || !type.hasStaticShape() ||
      !type.getElementType().isSignlessInteger(64) ||
      !facts.contents(value, elements) ||
      static_cast<int64_t>(elements.size()) != type.getNumElements())
    return nullptr;
  SmallVector<int64_t> numbers;
  for (const SymbolicInt &element : elements) {
    if (!element.constant)
      return nullptr;
    numbers.push_back(*element.constant);
  }
  return copy(ArrayRef<int64_t>(numbers));
}

void CustomCall::addInput(Value value, const ValueFacts &facts) {
  OMCustomTensor &view = inputViews.emplace_back();
  view = {};
  auto tensor = value ? dyn_cast<TensorType>(facts.type(value)) : TensorType();
  if (!tensor)
    return;
  view.type = onnxc::onnx::getElementTypeNumber(tensor.getElementType());
  view.rank = tensor.hasRank() ? tensor.getRank() : -1;
  if (!tensor.hasRank())
    return;
  SmallVector<int64_t> dims;
  for (auto [index, size] : llvm::enumerate(tensor.getShape())) {
    std::string symbol = ShapedType::isDynamic(size)
                             ? facts.dimSymbol(value, index)
                             : std::string();
    dims.push_back(!ShapedType::isDynamic(size) ? size
                   : symbol.empty()             ? -1
                                                : symbolNumber(symbol));
    if (!symbol.empty())
      symbols[dims.back()] = symbol;
  }
  view.dims = copy(ArrayRef<int64_t>(dims));
  view.data = const_cast<void *>(elementsOf(value, facts));
}

OMCustomTensor CustomCall::tensorOf(Attribute value) {
  auto type = cast<RankedTensorType>(cast<TypedAttr>(value).getType());
  OMCustomTensor view = {};
  view.type = onnxc::onnx::getElementTypeNumber(type.getElementType());
  view.rank = type.getRank();
  view.dims = copy(type.getShape());
  view.data = const_cast<void *>(constantElements(value));
  return view;
}

void CustomCall::addAttribute(StringRef name, Attribute value) {
  OMCustomAttribute view = {copy(name), 0, 1, nullptr};
  auto set = [&](int64_t kind, const void *values, size_t count) {
    view.kind = kind;
    view.values = values;
    view.count = static_cast<int64_t>(count);
  };
  llvm::TypeSwitch<Attribute>(value)
      .Case([&](IntegerAttr attr) {
        set(OM_ATTRIBUTE_INT, copy(ArrayRef<int64_t>(attr.getInt())), 1);
      })
      .Case([&](FloatAttr attr) {
        float number = attr.getValue().convertToFloat();
        set(OM_ATTRIBUTE_FLOAT, copy(ArrayRef<float>(number)), 1);
      })
      .Case([&](StringAttr attr) {
        set(OM_ATTRIBUTE_STRING,
            copy(ArrayRef<const char *>(copy(attr.getValue()))), 1);
      })
      .Case([&](DenseI64ArrayAttr attr) {
        set(OM_ATTRIBUTE_INTS, copy(attr.asArrayRef()), attr.size());
      })
      .Case([&](DenseF32ArrayAttr attr) {
        set(OM_ATTRIBUTE_FLOATS, copy(attr.asArrayRef()), attr.size());
      })
      .Case([&](ArrayAttr attr) {
        SmallVector<const char *> texts;
        for (auto text : attr.getAsRange<StringAttr>())
          texts.push_back(copy(text.getValue()));
        set(OM_ATTRIBUTE_STRINGS, copy(ArrayRef<const char *>(texts)),
            texts.size());
      })
      .Default([&](Attribute attr) {
        auto typed = dyn_cast<TypedAttr>(attr);
        if (typed && isa<RankedTensorType>(typed.getType()))
          set(OM_ATTRIBUTE_TENSOR,
              copy(ArrayRef<OMCustomTensor>(tensorOf(attr))), 1);
      });
  if (view.kind != 0)
    attributeViews.push_back(view);
}

//===----------------------------------------------------------------------===//
// Callbacks of the library
//===----------------------------------------------------------------------===//

int CustomCall::onFail(OMCustomCall *call, const char *format, ...) {
  auto *self = static_cast<CustomCall *>(call);
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (self->message.empty())
    self->message = *text ? text : "'infer' fails";
  return -1;
}

int CustomCall::onSetOutput(OMCustomCall *call, int64_t output, int64_t type,
                            int64_t rank, const int64_t *dims) {
  auto *self = static_cast<CustomCall *>(call);
  if (output < 0 || output >= self->numOutputs)
    return onFail(call, "'infer' sets output %lld of %lld", (long long)output,
                  (long long)self->numOutputs);
  if (rank < -1 || rank > maxRank || (rank > 0 && !dims))
    return onFail(call, "'infer' gives output %lld the rank %lld%s",
                  (long long)output, (long long)rank,
                  rank > 0 && !dims ? " without sizes" : "");
  if (type < 0 || type > ONNX_TYPE_FLOAT6E3M2)
    return onFail(call,
                  "'infer' gives output %lld the element type %lld, "
                  "which does not exist",
                  (long long)output, (long long)type);
  Output &result = self->results[output];
  result.type = type;
  result.rank = rank;
  result.dims.assign(dims, dims + std::max<int64_t>(rank, 0));
  return 0;
}

void *CustomCall::onAllocate(OMCustomCall *call, int64_t output, int64_t,
                             const int64_t *) {
  onFail(call, "'infer' allocates output %lld, which only 'compute' may",
         (long long)output);
  return nullptr;
}

void *CustomCall::onMemory(OMCustomCall *call, int64_t bytes) {
  constexpr int64_t maxBytes = int64_t(1) << 32;
  if (bytes < 0 || bytes > maxBytes) {
    onFail(call, "'infer' asks for %lld bytes of memory", (long long)bytes);
    return nullptr;
  }
  return static_cast<CustomCall *>(call)->memory.Allocate(
      static_cast<size_t>(bytes) + 1, llvm::Align(64));
}

void CustomCall::onParallel(OMCustomCall *, int64_t count,
                            void (*body)(void *, int64_t, int64_t),
                            void *user) {
  if (count > 0)
    body(user, 0, count);
}
