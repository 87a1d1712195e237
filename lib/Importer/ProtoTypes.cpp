//===- ProtoTypes.cpp - Declared types of models ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// lib/Schema converts types; this checks them first, as they come from a file,
// and puts the options' sizes in.
//
//===----------------------------------------------------------------------===//
#include "ProtoTypes.h"

#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Schema/ProtoConversion.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::TensorShapeProto;
using ::onnx::TypeProto;
using Dimension = ::onnx::TensorShapeProto_Dimension;

namespace {
/// Rewrites a type in place for the conversion, or returns the error.
struct TypeChecker {
  ImportState &state;
  bool withSizes;
  std::string &why;

  bool check(TypeProto &proto, int64_t depth) const;

private:
  bool checkElement(int32_t number) const;
  bool checkKey(int32_t number) const;
  bool checkDim(Dimension &dim) const;
  bool checkShape(TensorShapeProto &shape) const;
  template <typename Tensor>
  bool checkTensor(Tensor &tensor) const {
    return checkElement(tensor.elem_type()) &&
           (!tensor.has_shape() || checkShape(*tensor.mutable_shape()));
  }
};
} // namespace

bool TypeChecker::checkElement(int32_t number) const {
  if (onnxc::onnx::getElementTypeByNumber(state.context, number))
    return true;
  why = number == 0
            ? "the element type is missing"
            : "element type " + std::to_string(number) + " does not exist";
  return false;
}

bool TypeChecker::checkKey(int32_t number) const {
  if (!checkElement(number))
    return false;
  auto integer = dyn_cast<IntegerType>(
      onnxc::onnx::getElementTypeByNumber(state.context, number));
  if (number == ::onnx::TensorProto::STRING ||
      (integer && integer.getWidth() >= 8))
    return true;
  why = "the keys of a map are neither integers nor strings";
  return false;
}

bool TypeChecker::checkDim(Dimension &dim) const {
  if (dim.has_dim_param()) {
    auto given = state.options.dims.find(dim.dim_param());
    if (given != state.options.dims.end())
      dim.set_dim_value(given->second);
  }
  // Some exporters write -1 for an unknown size.
  int64_t size = dim.has_dim_value() ? dim.dim_value() : -1;
  if (size < -1 || size > state.limits.dimension) {
    why = "dimension " + std::to_string(size) + " is out of range";
    return false;
  }
  if (size == -1 || !withSizes)
    dim.clear_dim_value();
  return true;
}

bool TypeChecker::checkShape(TensorShapeProto &shape) const {
  if (shape.dim_size() > state.limits.rank) {
    why = "rank " + std::to_string(shape.dim_size()) + " exceeds " +
          std::to_string(state.limits.rank);
    return false;
  }
  for (Dimension &dim : *shape.mutable_dim())
    if (!checkDim(dim))
      return false;
  return true;
}

bool TypeChecker::check(TypeProto &proto, int64_t depth) const {
  if (depth > state.limits.nesting) {
    why = "types are nested more than " + std::to_string(state.limits.nesting) +
          " deep; --limit=nesting=N allows more";
    return false;
  }
  switch (proto.value_case()) {
  case TypeProto::kTensorType:
    return checkTensor(*proto.mutable_tensor_type());
  case TypeProto::kSparseTensorType:
    return checkTensor(*proto.mutable_sparse_tensor_type());
  case TypeProto::kSequenceType:
    return check(*proto.mutable_sequence_type()->mutable_elem_type(),
                 depth + 1);
  case TypeProto::kOptionalType:
    return check(*proto.mutable_optional_type()->mutable_elem_type(),
                 depth + 1);
  case TypeProto::kMapType:
    return checkKey(proto.map_type().key_type()) &&
           check(*proto.mutable_map_type()->mutable_value_type(), depth + 1);
  case TypeProto::VALUE_NOT_SET:
    why = "a type is missing";
    return false;
  default:
    why = "opaque types are not supported";
    return false;
  }
}

FailureOr<Type> onnxc::importer::importType(ImportState &state,
                                            const TypeProto &proto,
                                            bool withSizes, std::string &why) {
  if (proto.value_case() == TypeProto::VALUE_NOT_SET)
    return Type(NoneType::get(state.context));
  TypeProto checked = proto;
  if (!TypeChecker{state, withSizes, why}.check(checked, 0))
    return failure();
  Type type = schema::fromProto(checked, state.context);
  if (!type) {
    why = "it is not a type of ONNX";
    return failure();
  }
  return type;
}

/// Returns true for the forms of an unknown size that exporters write: no name,
/// and equal ones are not equal sizes. tf2onnx numbers them.
static bool isAnonymous(StringRef name) {
  name = name.trim();
  unsigned number;
  return name.empty() || name == "?" || name == "None" || name == "-1" ||
         (name.consume_front("unk__") && !name.getAsInteger(10, number));
}

SmallVector<std::string> onnxc::importer::dimNames(const ImportState &state,
                                                   const TypeProto &proto) {
  SmallVector<std::string> names;
  if (proto.value_case() != TypeProto::kTensorType)
    return names;
  for (const Dimension &dim : proto.tensor_type().shape().dim()) {
    bool isNamed = dim.has_dim_param() && !isAnonymous(dim.dim_param()) &&
                   !state.options.dims.contains(dim.dim_param());
    names.push_back(isNamed ? dim.dim_param() : "");
  }
  return names;
}
