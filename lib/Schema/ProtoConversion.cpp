//===- ProtoConversion.cpp - MLIR to and from onnx's protobuf --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/ProtoConversion.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

template <typename Tensor>
static void tensorToProto(TensorType type, Tensor &proto) {
  proto.set_elem_type(onnxc::onnx::getElementTypeNumber(type.getElementType()));
  if (!type.hasRank())
    return;
  ::onnx::TensorShapeProto *shape = proto.mutable_shape();
  for (int64_t size : type.getShape()) {
    ::onnx::TensorShapeProto_Dimension *dim = shape->add_dim();
    if (!ShapedType::isDynamic(size))
      dim->set_dim_value(size);
  }
}

void onnxc::schema::toProto(Type type, TypeProto &proto) {
  proto.Clear();
  llvm::TypeSwitch<Type>(type)
      .Case(
          [&](TensorType t) { tensorToProto(t, *proto.mutable_tensor_type()); })
      .Case([&](onnxc::onnx::SparseType t) {
        tensorToProto(t.getTensorType(), *proto.mutable_sparse_tensor_type());
      })
      .Case([&](onnxc::onnx::SeqType t) {
        toProto(t.getElementType(),
                *proto.mutable_sequence_type()->mutable_elem_type());
      })
      .Case([&](onnxc::onnx::OptType t) {
        toProto(t.getElementType(),
                *proto.mutable_optional_type()->mutable_elem_type());
      })
      .Case([&](onnxc::onnx::MapType t) {
        proto.mutable_map_type()->set_key_type(
            onnxc::onnx::getElementTypeNumber(t.getKeyType()));
        toProto(t.getValueType(),
                *proto.mutable_map_type()->mutable_value_type());
      })
      .Default([](Type) {});
}

template <typename Tensor>
static TensorType tensorFromProto(const Tensor &proto, MLIRContext *context) {
  Type element =
      onnxc::onnx::getElementTypeByNumber(context, proto.elem_type());
  if (!element)
    return TensorType();
  if (!proto.has_shape())
    return UnrankedTensorType::get(element);
  SmallVector<int64_t> shape;
  for (const ::onnx::TensorShapeProto_Dimension &dim : proto.shape().dim())
    shape.push_back(dim.has_dim_value() && dim.dim_value() >= 0
                        ? dim.dim_value()
                        : ShapedType::kDynamic);
  return RankedTensorType::get(shape, element);
}

Type onnxc::schema::fromProto(const TypeProto &proto, MLIRContext *context) {
  switch (proto.value_case()) {
  case TypeProto::kTensorType:
    return tensorFromProto(proto.tensor_type(), context);
  case TypeProto::kSparseTensorType: {
    TensorType tensor = tensorFromProto(proto.sparse_tensor_type(), context);
    return tensor ? onnxc::onnx::SparseType::get(context, tensor) : Type();
  }
  case TypeProto::kSequenceType: {
    Type element = fromProto(proto.sequence_type().elem_type(), context);
    return element ? onnxc::onnx::SeqType::get(context, element) : Type();
  }
  case TypeProto::kOptionalType: {
    Type element = fromProto(proto.optional_type().elem_type(), context);
    return element ? onnxc::onnx::OptType::get(context, element) : Type();
  }
  case TypeProto::kMapType: {
    Type key = onnxc::onnx::getElementTypeByNumber(context,
                                                   proto.map_type().key_type());
    Type value = fromProto(proto.map_type().value_type(), context);
    return key && value ? onnxc::onnx::MapType::get(context, key, value)
                        : Type();
  }
  default:
    return Type();
  }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult onnxc::schema::toProto(Attribute value, TensorProto &proto) {
  auto typed = dyn_cast<TypedAttr>(value);
  auto type = typed ? dyn_cast<RankedTensorType>(typed.getType()) : nullptr;
  if (!type)
    return failure();
  proto.set_data_type(onnxc::onnx::getElementTypeNumber(type.getElementType()));
  for (int64_t size : type.getShape())
    proto.add_dims(size);
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value)) {
    for (StringRef text : strings.getValues<StringRef>())
      proto.add_string_data(text.str());
    return success();
  }
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnxc::onnx::constantBytes(value, scratch);
  if (bytes.empty() && type.getNumElements() != 0)
    return failure();
  proto.set_raw_data(bytes.data(), bytes.size());
  return success();
}

static LogicalResult arrayToProto(ArrayAttr array, AttributeProto &proto) {
  proto.set_type(AttributeProto::STRINGS);
  for (Attribute element : array) {
    auto text = dyn_cast<StringAttr>(element);
    if (!text)
      return failure();
    proto.add_strings(text.getValue().str());
  }
  return success();
}

LogicalResult onnxc::schema::toProto(StringRef name, Attribute value,
                                     AttributeProto &proto) {
  proto.set_name(name.str());
  return llvm::TypeSwitch<Attribute, LogicalResult>(value)
      .Case([&](IntegerAttr attr) {
        proto.set_type(AttributeProto::INT);
        proto.set_i(attr.getValue().getSExtValue());
        return success();
      })
      .Case([&](FloatAttr attr) {
        proto.set_type(AttributeProto::FLOAT);
        proto.set_f(static_cast<float>(attr.getValueAsDouble()));
        return success();
      })
      .Case([&](StringAttr attr) {
        proto.set_type(AttributeProto::STRING);
        proto.set_s(attr.getValue().str());
        return success();
      })
      .Case([&](DenseI64ArrayAttr attr) {
        proto.set_type(AttributeProto::INTS);
        for (int64_t element : attr.asArrayRef())
          proto.add_ints(element);
        return success();
      })
      .Case([&](DenseF32ArrayAttr attr) {
        proto.set_type(AttributeProto::FLOATS);
        for (float element : attr.asArrayRef())
          proto.add_floats(element);
        return success();
      })
      .Case([&](ArrayAttr attr) { return arrayToProto(attr, proto); })
      .Case([&](TypeAttr attr) {
        proto.set_type(AttributeProto::TYPE_PROTO);
        toProto(attr.getValue(), *proto.mutable_tp());
        return success();
      })
      .Default([&](Attribute attr) {
        proto.set_type(AttributeProto::TENSOR);
        return toProto(attr, *proto.mutable_t());
      });
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult onnxc::schema::toProto(Operation *op,
                                     const ::onnx::OpSchema &schema,
                                     NodeProto &node) {
  FailureOr<SmallVector<Value>> inputs = operandSlots(op, schema);
  FailureOr<SmallVector<Value>> outputs = resultSlots(op, schema);
  if (failed(inputs) || failed(outputs))
    return failure();
  std::tie(*node.mutable_domain(), *node.mutable_op_type()) =
      splitOpName(op->getName().getStringRef());
  for (auto [index, value] : llvm::enumerate(*inputs))
    node.add_input(value ? "i" + std::to_string(index) : "");
  for (auto [index, value] : llvm::enumerate(*outputs))
    node.add_output(value ? "o" + std::to_string(index) : "");
  for (const auto &[name, declared] : schema.attributes()) {
    std::optional<Attribute> value = op->getInherentAttr(name);
    if (value && *value && failed(toProto(name, *value, *node.add_attribute())))
      return failure();
  }
  return success();
}
