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

static Type integerType(MLIRContext *context, unsigned width, bool isUnsigned) {
  return IntegerType::get(context, width,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

Type onnxc::schema::elementTypeFromProto(int32_t dataType, MLIRContext *c) {
  switch (dataType) {
  case TensorProto::FLOAT:
    return Float32Type::get(c);
  case TensorProto::DOUBLE:
    return Float64Type::get(c);
  case TensorProto::FLOAT16:
    return Float16Type::get(c);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(c);
  case TensorProto::FLOAT8E4M3FN:
    return Float8E4M3FNType::get(c);
  case TensorProto::FLOAT8E4M3FNUZ:
    return Float8E4M3FNUZType::get(c);
  case TensorProto::FLOAT8E5M2:
    return Float8E5M2Type::get(c);
  case TensorProto::FLOAT8E5M2FNUZ:
    return Float8E5M2FNUZType::get(c);
  case TensorProto::FLOAT8E8M0:
    return Float8E8M0FNUType::get(c);
  case TensorProto::FLOAT6E2M3:
    return Float6E2M3FNType::get(c);
  case TensorProto::FLOAT6E3M2:
    return Float6E3M2FNType::get(c);
  case TensorProto::FLOAT4E2M1:
    return Float4E2M1FNType::get(c);
  case TensorProto::BOOL:
    return integerType(c, 1, false);
  case TensorProto::INT2:
  case TensorProto::UINT2:
    return integerType(c, 2, dataType == TensorProto::UINT2);
  case TensorProto::INT4:
  case TensorProto::UINT4:
    return integerType(c, 4, dataType == TensorProto::UINT4);
  case TensorProto::INT8:
  case TensorProto::UINT8:
    return integerType(c, 8, dataType == TensorProto::UINT8);
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return integerType(c, 16, dataType == TensorProto::UINT16);
  case TensorProto::INT32:
  case TensorProto::UINT32:
    return integerType(c, 32, dataType == TensorProto::UINT32);
  case TensorProto::INT64:
  case TensorProto::UINT64:
    return integerType(c, 64, dataType == TensorProto::UINT64);
  case TensorProto::COMPLEX64:
    return ComplexType::get(Float32Type::get(c));
  case TensorProto::COMPLEX128:
    return ComplexType::get(Float64Type::get(c));
  case TensorProto::STRING:
    return onnxc::onnx::StringType::get(c);
  default:
    return Type();
  }
}

static int32_t integerToProto(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return TensorProto::BOOL;
  case 2:
    return isUnsigned ? TensorProto::UINT2 : TensorProto::INT2;
  case 4:
    return isUnsigned ? TensorProto::UINT4 : TensorProto::INT4;
  case 8:
    return isUnsigned ? TensorProto::UINT8 : TensorProto::INT8;
  case 16:
    return isUnsigned ? TensorProto::UINT16 : TensorProto::INT16;
  case 32:
    return isUnsigned ? TensorProto::UINT32 : TensorProto::INT32;
  case 64:
    return isUnsigned ? TensorProto::UINT64 : TensorProto::INT64;
  default:
    return TensorProto::UNDEFINED;
  }
}

int32_t onnxc::schema::elementTypeToProto(Type type) {
  return llvm::TypeSwitch<Type, int32_t>(type)
      .Case([](IntegerType t) { return integerToProto(t); })
      .Case([](Float32Type) { return TensorProto::FLOAT; })
      .Case([](Float64Type) { return TensorProto::DOUBLE; })
      .Case([](Float16Type) { return TensorProto::FLOAT16; })
      .Case([](BFloat16Type) { return TensorProto::BFLOAT16; })
      .Case([](Float8E4M3FNType) { return TensorProto::FLOAT8E4M3FN; })
      .Case([](Float8E4M3FNUZType) { return TensorProto::FLOAT8E4M3FNUZ; })
      .Case([](Float8E5M2Type) { return TensorProto::FLOAT8E5M2; })
      .Case([](Float8E5M2FNUZType) { return TensorProto::FLOAT8E5M2FNUZ; })
      .Case([](Float8E8M0FNUType) { return TensorProto::FLOAT8E8M0; })
      .Case([](Float6E2M3FNType) { return TensorProto::FLOAT6E2M3; })
      .Case([](Float6E3M2FNType) { return TensorProto::FLOAT6E3M2; })
      .Case([](Float4E2M1FNType) { return TensorProto::FLOAT4E2M1; })
      .Case([](ComplexType t) {
        return t.getElementType().isF64() ? TensorProto::COMPLEX128
                                          : TensorProto::COMPLEX64;
      })
      .Case([](onnxc::onnx::StringType) { return TensorProto::STRING; })
      .Default([](Type) { return TensorProto::UNDEFINED; });
}

template <typename Tensor>
static void tensorToProto(TensorType type, Tensor &proto) {
  proto.set_elem_type(onnxc::schema::elementTypeToProto(type.getElementType()));
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
            elementTypeToProto(t.getKeyType()));
        toProto(t.getValueType(),
                *proto.mutable_map_type()->mutable_value_type());
      })
      .Default([](Type) {});
}

template <typename Tensor>
static TensorType tensorFromProto(const Tensor &proto, MLIRContext *context) {
  Type element =
      onnxc::schema::elementTypeFromProto(proto.elem_type(), context);
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
    Type key = elementTypeFromProto(proto.map_type().key_type(), context);
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
  proto.set_data_type(elementTypeToProto(type.getElementType()));
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
