//===- OpSlots.cpp - Operations against their schemas ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds the schema of an operation by its name, and which operand or result
// stands for which formal parameter.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/CustomOps.h"
#include "onnxc/Schema/Microsoft.h"
#include "onnxc/Schema/ProtoConversion.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc::schema;
using Option = ::onnx::OpSchema::FormalParameterOption;

std::pair<std::string, std::string> onnxc::schema::splitOpName(StringRef name) {
  static constexpr std::pair<const char *, const char *> domains[] = {
      {"ml.", "ai.onnx.ml"},
      {"preview.", "ai.onnx.preview"},
      {"training.", "ai.onnx.preview.training"},
      {"microsoft.", "com.microsoft"}};
  name.consume_front("onnx.");
  for (auto [prefix, domain] : domains)
    if (name.consume_front(prefix))
      return {domain, name.str()};
  return {"", name.str()};
}

const ::onnx::OpSchema *onnxc::schema::lookupSchema(StringRef name) {
  registerMicrosoftOperators();
  auto [domain, opType] = splitOpName(name);
  return ::onnx::OpSchemaRegistry::Schema(opType, domain);
}

static std::string textOf(Operation *op, StringRef name) {
  auto text = dyn_cast_or_null<StringAttr>(
      op->getInherentAttr(name).value_or(Attribute()));
  return text ? text.str() : "";
}

const CustomOp *onnxc::schema::customOpOf(Operation *op) {
  const CustomOps *libraries = CustomOps::find(op->getContext());
  if (!libraries || op->getName().getStringRef() != "onnx.Custom")
    return nullptr;
  auto version = dyn_cast_or_null<IntegerAttr>(
      op->getInherentAttr("version").value_or(Attribute()));
  return libraries->find(textOf(op, "domain"), textOf(op, "op_type"),
                         version ? version.getInt() : 0);
}

const ::onnx::OpSchema &onnxc::schema::schemaOf(const CustomOp &op) {
  return *static_cast<const ::onnx::OpSchema *>(op.schema.get());
}

const ::onnx::OpSchema *onnxc::schema::lookupSchema(Operation *op) {
  if (const CustomOp *custom = customOpOf(op))
    return &schemaOf(*custom);
  return lookupSchema(op->getName().getStringRef());
}

/// How many of `count` values each formal parameter takes when the operation
/// carries no segment sizes: at most one parameter is not exactly one value.
static FailureOr<SmallVector<int32_t>>
deduceSegments(const std::vector<::onnx::OpSchema::FormalParameter> &formals,
               int64_t count) {
  SmallVector<int32_t> sizes(formals.size(), 1);
  int64_t flexible = -1;
  for (auto [index, formal] : llvm::enumerate(formals))
    if (formal.GetOption() != Option::Single)
      flexible = flexible < 0 ? static_cast<int64_t>(index) : flexible;
  if (flexible >= 0)
    sizes[flexible] = 0;
  int64_t fixed = 0;
  for (int32_t size : sizes)
    fixed += size;
  int64_t rest = count - fixed;
  if (rest < 0 || (flexible < 0 && rest != 0))
    return failure();
  if (flexible >= 0) {
    if (formals[flexible].GetOption() == Option::Optional && rest > 1)
      return failure();
    sizes[flexible] = static_cast<int32_t>(rest);
  }
  return sizes;
}

template <typename Range>
static FailureOr<SmallVector<Value>>
distribute(const std::vector<::onnx::OpSchema::FormalParameter> &formals,
           Range values, Attribute segments) {
  SmallVector<int32_t> sizes;
  if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(segments)) {
    sizes.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  } else {
    FailureOr<SmallVector<int32_t>> deduced =
        deduceSegments(formals, static_cast<int64_t>(values.size()));
    if (failed(deduced))
      return failure();
    sizes = *deduced;
  }
  if (sizes.size() != formals.size())
    return failure();
  SmallVector<Value> slots;
  auto next = values.begin();
  for (int32_t size : sizes) {
    if (size > values.end() - next)
      return failure();
    if (size == 0)
      slots.push_back(Value());
    for (int32_t i = 0; i < size; ++i)
      slots.push_back(*next++);
  }
  while (!slots.empty() && !slots.back())
    slots.pop_back();
  return slots;
}

static Attribute findInherent(Operation *op, StringRef name) {
  std::optional<Attribute> found = op->getInherentAttr(name);
  return found && *found ? *found : op->getDiscardableAttr(name);
}

/// The slots of an onnx.Custom, whose attributes list the present ones.
template <typename Range>
static SmallVector<Value> customSlots(DenseBoolArrayAttr present,
                                      Range values) {
  SmallVector<Value> slots;
  auto next = values.begin();
  for (bool isPresent : present.asArrayRef())
    slots.push_back(isPresent ? Value(*next++) : Value());
  while (!slots.empty() && !slots.back())
    slots.pop_back();
  return slots;
}

FailureOr<SmallVector<Value>>
onnxc::schema::operandSlots(Operation *op, const ::onnx::OpSchema &schema) {
  if (auto present =
          dyn_cast_or_null<DenseBoolArrayAttr>(findInherent(op, "input_slots")))
    return customSlots(present, op->getOperands());
  return distribute(schema.inputs(), op->getOperands(),
                    findInherent(op, "operandSegmentSizes"));
}

FailureOr<SmallVector<Value>>
onnxc::schema::resultSlots(Operation *op, const ::onnx::OpSchema &schema) {
  if (auto present = dyn_cast_or_null<DenseBoolArrayAttr>(
          findInherent(op, "output_slots")))
    return customSlots(present, op->getResults());
  return distribute(schema.outputs(), op->getResults(),
                    findInherent(op, "resultSegmentSizes"));
}

std::vector<std::string>
onnxc::schema::graphAttributes(const ::onnx::OpSchema &schema) {
  std::vector<std::string> names;
  for (const auto &[name, attribute] : schema.attributes())
    if (attribute.type == ::onnx::AttributeProto::GRAPH)
      names.push_back(name);
  std::sort(names.begin(), names.end());
  // The only pair whose reading order is not the alphabet's.
  auto first = std::find(names.begin(), names.end(), "then_branch");
  if (first != names.end())
    std::rotate(names.begin(), first, first + 1);
  return names;
}
