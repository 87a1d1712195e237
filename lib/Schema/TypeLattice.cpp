//===- TypeLattice.cpp - Meet and join of ONNX value types -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/TypeLattice.h"

#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace onnxc::schema;

namespace {

/// Combines two types level by level; `meet` picks which of the two orders.
struct Combiner {
  bool meet;

  FailureOr<Type> run(Type a, Type b) const {
    if (a == b)
      return a;
    if (isa<NoneType>(a))
      return meet ? b : a;
    if (isa<NoneType>(b))
      return meet ? a : b;
    if (auto left = dyn_cast<TensorType>(a))
      if (auto right = dyn_cast<TensorType>(b))
        return tensors(left, right);
    return containers(a, b);
  }

  FailureOr<Type> tensors(TensorType a, TensorType b) const {
    if (a.getElementType() != b.getElementType())
      return failure();
    auto left = dyn_cast<RankedTensorType>(a);
    auto right = dyn_cast<RankedTensorType>(b);
    if (!left || !right) {
      if (!meet)
        return Type(UnrankedTensorType::get(a.getElementType()));
      return Type(left ? left : right);
    }
    if (left.getRank() != right.getRank()) {
      if (meet)
        return failure();
      return Type(UnrankedTensorType::get(a.getElementType()));
    }
    SmallVector<int64_t> shape;
    for (auto [l, r] : llvm::zip_equal(left.getShape(), right.getShape())) {
      if (l == r)
        shape.push_back(l);
      else if (ShapedType::isDynamic(l) || ShapedType::isDynamic(r))
        shape.push_back(!meet ? ShapedType::kDynamic
                              : (ShapedType::isDynamic(l) ? r : l));
      else if (meet)
        return failure();
      else
        shape.push_back(ShapedType::kDynamic);
    }
    return Type(RankedTensorType::get(shape, a.getElementType()));
  }

  FailureOr<Type> containers(Type a, Type b) const {
    if (auto left = dyn_cast<onnxc::onnx::SeqType>(a))
      if (auto right = dyn_cast<onnxc::onnx::SeqType>(b))
        return wrap<onnxc::onnx::SeqType>(left, right);
    if (auto left = dyn_cast<onnxc::onnx::MapType>(a))
      if (auto right = dyn_cast<onnxc::onnx::MapType>(b))
        return maps(left, right);
    auto left = dyn_cast<onnxc::onnx::OptType>(a);
    auto right = dyn_cast<onnxc::onnx::OptType>(b);
    if (left && right)
      return wrap<onnxc::onnx::OptType>(left, right);
    return failure();
  }

  FailureOr<Type> maps(onnxc::onnx::MapType a, onnxc::onnx::MapType b) const {
    FailureOr<Type> value = run(a.getValueType(), b.getValueType());
    if (failed(value) || a.getKeyType() != b.getKeyType())
      return failure();
    return Type(
        onnxc::onnx::MapType::get(a.getContext(), a.getKeyType(), *value));
  }

  template <typename Container>
  FailureOr<Type> wrap(Container a, Container b) const {
    FailureOr<Type> element = run(a.getElementType(), b.getElementType());
    if (failed(element))
      return failure();
    return Type(Container::get(a.getContext(), *element));
  }
};

} // namespace

FailureOr<Type> onnxc::schema::meetTypes(Type a, Type b) {
  return Combiner{/*meet=*/true}.run(a, b);
}

FailureOr<Type> onnxc::schema::joinTypes(Type a, Type b) {
  return Combiner{/*meet=*/false}.run(a, b);
}

Type onnxc::schema::dropShape(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type))
    return UnrankedTensorType::get(tensor.getElementType());
  return type;
}

bool onnxc::schema::isAtLeastAsSharp(Type type, Type general) {
  FailureOr<Type> met = meetTypes(type, general);
  return succeeded(met) && *met == type;
}
