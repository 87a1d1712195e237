//===- ContainerHelpers.cpp - Objects of the runtime ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Control/Containers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

using namespace mlir;

namespace onnxc {

int64_t elementNumber(Type onnxType) {
  auto tensor = dyn_cast<TensorType>(onnxType);
  return tensor ? onnx::getElementTypeNumber(tensor.getElementType()) : 0;
}

Value callObject(OpBuilder &b, Location loc, StringRef callee,
                 ValueRange operands, ArrayRef<int64_t> params,
                 ArrayRef<int64_t> takes) {
  return krnl::CallOp::create(
             b, loc, TypeRange(krnl::ObjType::get(b.getContext())), callee,
             operands, params, /*stateful=*/false, takes)
      .getResult(0);
}

Value emptyValue(OpBuilder &b, Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return callObject(b, loc, "onnxc_call_sequence_construct", {}, {0});
  SmallVector<Value> none(tensor.getNumDynamicDims(), indexConstant(b, loc, 0));
  return tensor::EmptyOp::create(b, loc, tensor, none);
}

Value callElement(OpBuilder &b, Location loc, StringRef callee,
                  ValueRange operands, Type onnxType, Type converted,
                  ArrayRef<int64_t> params) {
  SmallVector<int64_t> all{elementNumber(onnxType)};
  llvm::append_range(all, params);
  return krnl::CallOp::create(b, loc, TypeRange(converted), callee, operands,
                              all, /*stateful=*/false, /*takes=*/{},
                              /*shared=*/true)
      .getResult(0);
}

/// "1, 2 or 3"
static std::string listed(ArrayRef<int64_t> numbers) {
  std::string text;
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i == 0                    ? ""
             : i + 1 == numbers.size() ? " or "
                                       : ", ") +
            std::to_string(number);
  return text;
}

/// Checks the sizes that are static in `type` and dynamic in the value's type.
static void checkSizes(OpBuilder &b, Location loc, Value value,
                       RankedTensorType type, ArrayRef<int64_t> choices) {
  std::string message =
      choices.empty() ? "a value has another size than declared in the graph"
                      : "a list has to be of length " + listed(choices);
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    Value actual = sizeOf(b, loc, value, int64_t(d));
    if (ShapedType::isDynamic(size) || getConstantIntValue(actual))
      continue;
    Value wanted = indexConstant(b, loc, size);
    Value agrees =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, actual, wanted);
    if (choices.empty())
      krnl::CheckOp::create(b, loc, agrees, message,
                            ValueRange{actual, wanted});
    else
      krnl::makeCheck(b, loc, agrees, message, actual, "{}");
  }
}

/// A tensor of another rank or size than in the graph is an error at run time.
static Value castToRank(OpBuilder &b, Location loc, Value value,
                        RankedTensorType type, ArrayRef<int64_t> choices) {
  if (cast<RankedTensorType>(value.getType()).getRank() == type.getRank()) {
    checkSizes(b, loc, value, type, choices);
    return tensor::CastOp::create(b, loc, type, value);
  }
  return neverMade(b, loc, type,
                   "a value has another rank than declared in the graph");
}

/// The numbers as bits of a word.
static int64_t bitsOf(ArrayRef<int64_t> numbers) {
  int64_t bits = 0;
  for (int64_t number : numbers)
    bits |= number >= 0 && number < 63 ? int64_t(1) << number : 0;
  return bits;
}

Value convertValue(OpBuilder &b, Location loc, Value value, Type from, Type to,
                   Type converted, ArrayRef<int64_t> choices) {
  if (isa<onnx::OptType>(to) && !isa<onnx::OptType>(from))
    return callObject(b, loc, "onnxc_call_optional", value,
                      {elementNumber(from)});
  if (isa<onnx::OptType>(from) && !isa<onnx::OptType>(to))
    return callElement(b, loc, "onnxc_call_optional_get_element", value, to,
                       converted);
  if (value.getType() == converted)
    return value;
  bool isBoxed = isa<krnl::ObjType>(value.getType());
  if (isa<krnl::ObjType>(converted))
    return callObject(b, loc, "onnxc_call_box", value, {elementNumber(from)});
  auto type = cast<RankedTensorType>(converted);
  if (isBoxed)
    return callElement(b, loc, "onnxc_call_unbox", value, to, type,
                       {bitsOf(choices)});
  return castToRank(b, loc, value, type, choices);
}

Value checkedElement(OpBuilder &b, Location loc, Value tensor,
                     StringRef message) {
  Value count = indexConstant(b, loc, 1);
  for (Value size : sizesOf(b, loc, tensor))
    count = mulIndex(b, loc, count, size);
  if (getConstantIntValue(count) != 1) {
    Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count,
                                        indexConstant(b, loc, 1));
    krnl::CheckOp::create(b, loc, isOne, message);
  }
  return onlyElement(b, loc, tensor);
}

} // namespace onnxc
