//===- NodeContext.cpp - onnx's InferenceContext on an operation *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "NodeContext.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "onnx/defs/tensor_proto_util.h"

#include <stdexcept>

using namespace mlir;
using namespace onnxc::schema;

/// Constants of all types up to this size are shown to the library; integer
/// vectors (axes, shapes, pads) up to the second size.
static constexpr int64_t maxConstantBytes = 1024;
static constexpr int64_t maxVectorBytes = 64 * 1024;

NodeContext::NodeContext(Operation *op, const ::onnx::OpSchema &schema,
                         ArrayRef<Value> operands, ArrayRef<Value> results,
                         const ValueFacts &facts)
    : op(op), schema(schema), facts(facts), inputs(operands.size()),
      outputs(results.size()) {
  for (auto [slot, value] : llvm::zip_equal(inputs, operands))
    slot.value = value;
  for (auto [slot, value] : llvm::zip_equal(outputs, results))
    slot.value = value;
}

NodeContext::~NodeContext() = default;

NodeContext::Input &NodeContext::input(size_t index) const {
  if (index >= inputs.size())
    throw std::out_of_range("input " + std::to_string(index) + " is missing");
  return inputs[index];
}

/// An attribute that is absent has its default: bodies refer to it, and not
/// every inference function has it (that of STFT has another one).
const ::onnx::AttributeProto *
NodeContext::defaultOf(const std::string &name) const {
  auto declared = schema.attributes().find(name);
  if (declared == schema.attributes().end() ||
      declared->second.default_value.type() ==
          ::onnx::AttributeProto::UNDEFINED)
    return nullptr;
  return &declared->second.default_value;
}

const ::onnx::AttributeProto *
NodeContext::getAttribute(const std::string &name) const {
  auto [entry, isNew] = attributes.try_emplace(name);
  if (!isNew)
    return entry->second ? entry->second.get() : defaultOf(name);
  std::optional<Attribute> value = op->getInherentAttr(name);
  if (!value || !*value)
    value = op->getDiscardableAttr(name);
  if (!*value)
    return defaultOf(name);
  auto proto = std::make_unique<::onnx::AttributeProto>();
  if (failed(toProto(name, *value, *proto)))
    return nullptr;
  entry->second = std::move(proto);
  return entry->second.get();
}

/// Writes the names of `value`'s dynamic dimensions into `proto`.
static void nameDims(Value value, const ValueFacts &facts,
                     ::onnx::TypeProto &proto) {
  auto type = dyn_cast<RankedTensorType>(facts.type(value));
  if (!type)
    return;
  ::onnx::TensorShapeProto &shape =
      *proto.mutable_tensor_type()->mutable_shape();
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!type.isDynamicDim(i))
      continue;
    std::string symbol = facts.dimSymbol(value, i);
    if (!symbol.empty())
      shape.mutable_dim(static_cast<int>(i))->set_dim_param(symbol);
  }
}

const ::onnx::TypeProto *NodeContext::getInputType(size_t index) const {
  Input &slot = input(index);
  if (!slot.value || isa<NoneType>(facts.type(slot.value)))
    return nullptr;
  if (!slot.type) {
    slot.type = std::make_unique<::onnx::TypeProto>();
    toProto(facts.type(slot.value), *slot.type);
    nameDims(slot.value, facts, *slot.type);
  }
  return slot.type.get();
}

bool NodeContext::hasInput(size_t index) const {
  return index < inputs.size() && inputs[index].value;
}

/// The attribute of the constant that defines `value` if its payload is worth
/// copying; otherwise null.
static TypedAttr shownConstant(Value value) {
  TypedAttr typed = value ? onnxc::onnx::constantValue(value) : TypedAttr();
  auto type = typed ? dyn_cast<RankedTensorType>(typed.getType()) : nullptr;
  if (!type)
    return TypedAttr();
  if (isa<onnxc::onnx::StringType>(type.getElementType()))
    return type.getNumElements() <= 16 ? typed : TypedAttr();
  // Packed and bit-sized elements never describe shapes.
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return TypedAttr();
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  bool isVector = type.getRank() <= 1 && type.getElementType().isInteger();
  return bytes <= (isVector ? maxVectorBytes : maxConstantBytes) ? typed
                                                                 : TypedAttr();
}

/// The tensor of `type` with these elements, if all are known and its elements
/// are 32- or 64-bit integers, the only ones that describe shapes.
static std::unique_ptr<::onnx::TensorProto>
knownTensor(Type type, ArrayRef<SymbolicInt> elements) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool allKnown = llvm::all_of(elements, [](const SymbolicInt &element) {
    return element.constant.has_value();
  });
  if (!tensor || !tensor.hasStaticShape() || !allKnown ||
      tensor.getNumElements() != static_cast<int64_t>(elements.size()))
    return nullptr;
  bool isWide = tensor.getElementType().isSignlessInteger(64);
  if (!isWide && !tensor.getElementType().isSignlessInteger(32))
    return nullptr;
  auto proto = std::make_unique<::onnx::TensorProto>();
  proto->set_data_type(
      onnxc::onnx::getElementTypeNumber(tensor.getElementType()));
  for (int64_t size : tensor.getShape())
    proto->add_dims(size);
  for (const SymbolicInt &element : elements) {
    if (isWide)
      proto->add_int64_data(*element.constant);
    else
      proto->add_int32_data(static_cast<int32_t>(*element.constant));
  }
  return proto;
}

static void widenToInt64(::onnx::TensorProto &data) {
  if (data.data_type() != ::onnx::TensorProto::INT32)
    return;
  std::vector<int32_t> elements = ::onnx::ParseData<int32_t>(&data);
  data.clear_raw_data();
  data.clear_int32_data();
  data.set_data_type(::onnx::TensorProto::INT64);
  for (int32_t element : elements)
    data.add_int64_data(element);
}

const ::onnx::TensorProto *NodeContext::getInputData(size_t index) const {
  Input &slot = input(index);
  if (slot.data || !slot.value)
    return slot.data.get();
  SmallVector<SymbolicInt> elements;
  if (TypedAttr attr =
          facts.hasConstants() ? shownConstant(slot.value) : TypedAttr()) {
    auto proto = std::make_unique<::onnx::TensorProto>();
    if (succeeded(toProto(attr, *proto)))
      slot.data = std::move(proto);
  } else if (facts.contents(slot.value, elements)) {
    slot.data = knownTensor(facts.type(slot.value), elements);
  }
  // Range takes scalars, but models give it vectors of one element, the
  // library's own function bodies among them.
  if (slot.data && op->getName().getStringRef() == "onnx.Range" &&
      slot.data->dims_size() == 1 && slot.data->dims(0) == 1)
    slot.data->clear_dims();
  // The function of Pad reads its axes of all types as int64.
  if (slot.data && op->getName().getStringRef() == "onnx.Pad" && index == 3)
    widenToInt64(*slot.data);
  return slot.data.get();
}

const ::onnx::TensorShapeProto *
NodeContext::getSymbolicInput(size_t index) const {
  Input &slot = input(index);
  SmallVector<SymbolicInt> elements;
  if (slot.contents || !slot.value || !facts.contents(slot.value, elements))
    return slot.contents.get();
  slot.contents = std::make_unique<::onnx::TensorShapeProto>();
  for (const SymbolicInt &element : elements) {
    ::onnx::TensorShapeProto_Dimension *dim = slot.contents->add_dim();
    if (element.constant)
      dim->set_dim_value(*element.constant);
    else if (!element.symbol.empty())
      dim->set_dim_param(element.symbol);
  }
  return slot.contents.get();
}

::onnx::TypeProto *NodeContext::getOutputType(size_t index) {
  if (index >= outputs.size())
    throw std::out_of_range("output " + std::to_string(index) + " is missing");
  return &outputs[index].type;
}

bool NodeContext::hasOutput(size_t index) {
  return index < outputs.size() && outputs[index].value;
}

::onnx::GraphInferencer *
NodeContext::getGraphAttributeInferencer(const std::string &name) {
  throw std::logic_error("body '" + name + "' is inferred by the caller");
}

std::string NodeContext::getDisplayName() const {
  return op->getName().getStringRef().str();
}
