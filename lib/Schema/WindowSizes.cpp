//===- WindowSizes.cpp - Sizes that windows give ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "WindowSizes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc::schema;

/// The operand whose shape ends with the sizes of the window, 0 if attributes
/// alone have them; nothing for other operators.
static std::optional<unsigned> weightOf(Operation *op) {
  return llvm::StringSwitch<std::optional<unsigned>>(
             op->getName().getStringRef())
      .Cases({"onnx.AveragePool", "onnx.LpPool", "onnx.MaxPool"}, 0)
      .Cases({"onnx.Conv", "onnx.ConvInteger", "onnx.DeformConv"}, 1)
      .Case("onnx.QLinearConv", 3)
      .Default(std::nullopt);
}

static ArrayRef<int64_t> numbersOf(Operation *op, StringRef attribute) {
  auto list = dyn_cast_or_null<DenseI64ArrayAttr>(
      op->getInherentAttr(attribute).value_or(Attribute()));
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

/// The sizes of the window; empty if they are not known.
static ArrayRef<int64_t> windowOf(Operation *op, unsigned weight,
                                  ArrayRef<Value> operands,
                                  const ValueFacts &facts) {
  ArrayRef<int64_t> given = numbersOf(op, "kernel_shape");
  if (!given.empty() || weight == 0 || weight >= operands.size())
    return given;
  auto type = dyn_cast<RankedTensorType>(facts.type(operands[weight]));
  return type ? type.getShape().drop_front(std::min<size_t>(2, type.getRank()))
              : ArrayRef<int64_t>();
}

void onnxc::schema::dropSizesOfLargeWindows(Operation *op,
                                            ArrayRef<Value> operands,
                                            const ValueFacts &facts,
                                            InferredValue &found) {
  std::optional<unsigned> weight = weightOf(op);
  auto type = dyn_cast<RankedTensorType>(found.type);
  if (!weight || !type)
    return;
  auto in = dyn_cast<RankedTensorType>(facts.type(operands.front()));
  auto autoPad = dyn_cast_or_null<StringAttr>(
      op->getInherentAttr("auto_pad").value_or(Attribute()));
  if (!in || in.getRank() != type.getRank() ||
      (autoPad && autoPad.getValue().starts_with("SAME")))
    return;
  ArrayRef<int64_t> window = windowOf(op, *weight, operands, facts),
                    pads = numbersOf(op, "pads"),
                    dilations = numbersOf(op, "dilations");
  if (autoPad && autoPad.getValue() == "VALID")
    pads = {};
  SmallVector<int64_t> shape(type.getShape());
  for (auto [d, kernel] : llvm::enumerate(window)) {
    if (d + 2 >= shape.size() || in.isDynamicDim(d + 2) ||
        ShapedType::isDynamic(kernel))
      continue;
    // Wide: sizes and numbers of a model may be any.
    double room = double(in.getDimSize(d + 2));
    if (d + window.size() < pads.size())
      room += double(pads[d]) + double(pads[d + window.size()]);
    double step = d < dilations.size() ? double(dilations[d]) : 1;
    if (double(kernel - 1) * step + 1 > room)
      shape[d + 2] = ShapedType::kDynamic;
  }
  found.type = RankedTensorType::get(shape, type.getElementType());
}
