//===- CustomNodes.cpp - Nodes of the user's libraries ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DescriptorConstants.h"

#include "onnxc/CustomOp.h"
#include "onnxc/Dialect/Krnl/IR/CustomNodes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Target/Artefact/Weights.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace onnxc::target {

static llvm::Constant *numbers(Constants &make, ArrayRef<int64_t> values) {
  SmallVector<llvm::Constant *> elements;
  for (int64_t value : values)
    elements.push_back(make.number(value));
  return make.array(elements);
}

static llvm::Constant *texts(Constants &make, ArrayRef<StringRef> values) {
  SmallVector<llvm::Constant *> elements;
  for (StringRef value : values)
    elements.push_back(make.text(value));
  return make.array(elements);
}

//===----------------------------------------------------------------------===//
// Attributes: OMCustomAttribute
//===----------------------------------------------------------------------===//

/// Elements as a run has them, each at its own byte.
static llvm::Constant *elements(Constants &make, TypedAttr value,
                                RankedTensorType type) {
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value))
    return texts(make, SmallVector<StringRef>(strings.getValues<StringRef>()));
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(value, scratch);
  Type element = type.getElementType();
  unsigned width = onnx::getRawBitWidth(element);
  if (width >= 8)
    return make.bytes(bytes);
  auto integer = dyn_cast<IntegerType>(element);
  return make.bytes(spreadNarrow(bytes, type.getNumElements(), width,
                                 integer && !integer.isUnsigned()));
}

static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  uint64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;
       stride *= static_cast<uint64_t>(shape[d]))
    strides[d] = static_cast<int64_t>(stride);
  return strides;
}

/// The address of an OMCustomTensor.
static llvm::Constant *tensor(Constants &make, TypedAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  return make.array(make.record(
      {elements(make, value, type), numbers(make, type.getShape()),
       numbers(make, stridesOf(type.getShape())), make.number(type.getRank()),
       make.number(onnx::getElementTypeNumber(type.getElementType()))}));
}

static llvm::Constant *floats(Constants &make, ArrayRef<float> values) {
  return make.bytes({reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(float)});
}

static llvm::Constant *attribute(Constants &make, StringRef name,
                                 Attribute value) {
  int64_t kind = 0, count = 1;
  llvm::Constant *values = make.null();
  auto set = [&](int64_t newKind, size_t newCount, llvm::Constant *newValues) {
    kind = newKind;
    count = static_cast<int64_t>(newCount);
    values = newValues;
  };
  llvm::TypeSwitch<Attribute>(value)
      .Case([&](IntegerAttr attr) {
        set(OM_ATTRIBUTE_INT, 1, numbers(make, attr.getInt()));
      })
      .Case([&](FloatAttr attr) {
        set(OM_ATTRIBUTE_FLOAT, 1,
            floats(make, attr.getValue().convertToFloat()));
      })
      .Case([&](StringAttr attr) {
        set(OM_ATTRIBUTE_STRING, 1, texts(make, attr.getValue()));
      })
      .Case([&](DenseI64ArrayAttr attr) {
        set(OM_ATTRIBUTE_INTS, attr.size(), numbers(make, attr.asArrayRef()));
      })
      .Case([&](DenseF32ArrayAttr attr) {
        set(OM_ATTRIBUTE_FLOATS, attr.size(), floats(make, attr.asArrayRef()));
      })
      .Case([&](ArrayAttr attr) {
        SmallVector<StringRef> all;
        for (auto text : attr.getAsRange<StringAttr>())
          all.push_back(text.getValue());
        set(OM_ATTRIBUTE_STRINGS, all.size(), texts(make, all));
      })
      .Default([&](Attribute attr) {
        if (auto typed = dyn_cast<TypedAttr>(attr))
          set(OM_ATTRIBUTE_TENSOR, 1, tensor(make, typed));
      });
  return make.record(
      {make.text(name), make.number(kind), make.number(count), values});
}

//===----------------------------------------------------------------------===//
// Nodes: OnnxcCustomNode
//===----------------------------------------------------------------------===//

static llvm::Constant *node(Constants &make, DictionaryAttr entry) {
  auto text = [&](StringRef name) {
    return make.text(entry.getAs<StringAttr>(name).getValue());
  };
  SmallVector<llvm::Constant *> attributes;
  for (NamedAttribute each : entry.getAs<DictionaryAttr>("attributes"))
    attributes.push_back(attribute(make, each.getName(), each.getValue()));
  auto inputs = entry.getAs<DenseI64ArrayAttr>("inputs");
  auto outputs = entry.getAs<DenseI64ArrayAttr>("outputs");
  auto *entryType = llvm::FunctionType::get(make.pointerType(), false);
  return make.record(
      {make.function(entry.getAs<StringAttr>("library").getValue(), entryType,
                     /*isHidden=*/false),
       text("domain"), text("op_type"),
       make.number(entry.getAs<IntegerAttr>("version").getInt()), text("node"),
       make.number(inputs.size()), numbers(make, inputs.asArrayRef()),
       make.number(outputs.size()), numbers(make, outputs.asArrayRef()),
       make.number(static_cast<int64_t>(attributes.size())),
       make.array(attributes), make.zeroWords(2)});
}

SmallVector<llvm::Constant *> customNodes(Constants &make, ModuleOp module) {
  SmallVector<llvm::Constant *> nodes;
  if (auto all = module->getAttrOfType<ArrayAttr>(krnl::customNodesAttrName))
    for (auto entry : all.getAsRange<DictionaryAttr>())
      nodes.push_back(node(make, entry));
  if (nodes.empty())
    return {make.number(0), make.null(), make.null()};
  auto *unloadType =
      llvm::FunctionType::get(llvm::Type::getVoidTy(make.getContext()), false);
  return {make.number(static_cast<int64_t>(nodes.size())), make.array(nodes),
          make.function("onnxc_custom_unload", unloadType, /*isHidden=*/true)};
}

} // namespace onnxc::target
