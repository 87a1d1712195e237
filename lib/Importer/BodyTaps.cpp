//===- BodyTaps.cpp - Tensors of bodies as outputs -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "BodyTaps.h"
#include "NodeCheck.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Schema/ProtoConversion.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

using Visitor = llvm::function_ref<void(const std::string &, const NodeProto &,
                                        const std::string &)>;

static void visitGraph(const GraphProto &graph, const std::string &path,
                       Visitor visit) {
  for (int index = 0; index < graph.node_size(); ++index) {
    const NodeProto &node = graph.node(index);
    std::string name =
        node.name().empty() ? unnamedNode(node, index, path) : node.name();
    for (const AttributeProto &attribute : node.attribute())
      if (attribute.type() == AttributeProto::GRAPH)
        visitGraph(attribute.g(), name + "/" + attribute.name() + "/", visit);
    for (const std::string &tensor : node.output())
      if (!path.empty() && !tensor.empty())
        visit(path, node, tensor);
  }
}

void onnxc::importer::forEachBodyTensor(const GraphProto &graph,
                                        Visitor visit) {
  visitGraph(graph, "", visit);
}

//===----------------------------------------------------------------------===//
// Operations around a value
//===----------------------------------------------------------------------===//

static bool isCalled(Operation *op, StringRef name) {
  return op->getName().getStringRef() == name;
}
static bool isIf(Operation *op) { return isCalled(op, "onnx.If"); }
static bool isLoop(Operation *op) { return isCalled(op, "onnx.Loop"); }
static bool isScan(Operation *op) { return isCalled(op, "onnx.Scan"); }

/// The operations whose branches and bodies `value` is in, the innermost first.
static SmallVector<Operation *> operationsAround(Value value) {
  SmallVector<Operation *> around;
  for (Operation *op = value.getParentRegion()->getParentOp();
       op->getName().getDialectNamespace() == "onnx"; op = op->getParentOp())
    around.push_back(op);
  return around;
}

bool onnxc::importer::canHandOut(Value value) {
  if (!isa<TensorType>(value.getType()))
    return false;
  SmallVector<Operation *> around = operationsAround(value);
  return !around.empty() &&
         llvm::all_of(ArrayRef(around).drop_while(isScan),
                      [](Operation *op) { return isIf(op) || isLoop(op); });
}

namespace {
/// What an operation is made of; operands that are left out are null.
struct Parts {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  NamedAttrList attributes;
};
} // namespace

static Parts partsOf(Operation *op) {
  Parts parts;
  parts.types.assign(op->result_type_begin(), op->result_type_end());
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().strref().ends_with("SegmentSizes"))
      parts.attributes.append(attribute);
  auto sizes = onnxc::onnx::getSegmentSizes(op, /*results=*/false);
  assert(succeeded(sizes) && "the importer has built it");
  unsigned next = 0;
  for (auto [size, parameter] : llvm::zip(
           *sizes, onnxc::onnx::OpSignature::find(op->getName().getStringRef())
                       ->getInputs())) {
    if (size == 0 && parameter.kind == onnxc::onnx::ParameterKind::Optional)
      parts.operands.push_back(Value());
    for (int32_t i = 0; i < size; ++i)
      parts.operands.push_back(op->getOperand(next++));
  }
  return parts;
}

/// Puts an operation of these parts in the place of `op`: with one more result,
/// at position `added`, which it returns.
static Value replace(Operation *op, const Parts &parts, unsigned added) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  onnxc::onnx::buildBySignature(state, parts.types, parts.operands,
                                parts.attributes.getAttrs());
  Operation *made = builder.create(state);
  for (auto [to, from] : llvm::zip_equal(made->getRegions(), op->getRegions()))
    to.takeBody(from);
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    result.replaceAllUsesWith(made->getResult(number + (number >= added)));
  op->erase();
  return made->getResult(added);
}

static Operation *yieldOf(Region &region) {
  return region.front().getTerminator();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// One tensor of a value of the body of a Scan: a scan output more.
static Value stack(Operation *scan, Value value) {
  Operation *yield = yieldOf(scan->getRegion(0));
  yield->insertOperands(yield->getNumOperands(), value);
  Parts parts = partsOf(scan);
  Type type = value.getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, tensor.getShape());
    type = RankedTensorType::get(shape, tensor.getElementType());
  }
  parts.types.push_back(type);
  for (StringRef name : {"scan_output_axes", "scan_output_directions"})
    if (auto list =
            dyn_cast_or_null<DenseI64ArrayAttr>(parts.attributes.get(name))) {
      SmallVector<int64_t> numbers(list.asArrayRef());
      numbers.push_back(0);
      parts.attributes.set(name,
                           DenseI64ArrayAttr::get(scan->getContext(), numbers));
    }
  return replace(scan, parts, scan->getNumResults());
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

static Value emptyList(OpBuilder &builder, Location loc, TensorType element) {
  OperationState state(loc, "onnx.SequenceEmpty");
  onnxc::onnx::buildBySignature(
      state,
      TypeRange(Type(onnxc::onnx::SeqType::get(builder.getContext(), element))),
      {},
      builder.getNamedAttr(
          "dtype", builder.getI64IntegerAttr(onnxc::onnx::getElementTypeNumber(
                       element.getElementType()))));
  return builder.create(state)->getResult(0);
}

static Value append(Operation *yield, Value list, Value element) {
  OpBuilder builder(yield);
  OperationState state(element.getLoc(), "onnx.SequenceInsert");
  onnxc::onnx::buildBySignature(state, TypeRange(list.getType()),
                                ValueRange{list, element}, {});
  return builder.create(state)->getResult(0);
}

/// Hands `list` through the operations around `value`, the outermost of which
/// is the last one; each run of its branch or body appends it.
static Value pass(Value list, Value value, ArrayRef<Operation *> around) {
  Operation *op = around.back();
  around = around.drop_back();
  Region *inside = value.getParentRegion();
  while (inside->getParentOp() != op)
    inside = inside->getParentOp()->getParentRegion();
  unsigned carried = isIf(op) ? 0 : inside->getNumArguments() - 2;
  Value taken =
      isIf(op) ? list
               : inside->front().addArgument(list.getType(), value.getLoc());
  Value given = around.empty() ? append(yieldOf(*inside), taken, value)
                               : pass(taken, value, around);
  Parts parts = partsOf(op);
  if (isIf(op)) {
    for (Region &branch : op->getRegions())
      yieldOf(branch)->insertOperands(yieldOf(branch)->getNumOperands(),
                                      &branch == inside ? given : list);
    parts.types.push_back(list.getType());
    return replace(op, parts, op->getNumResults());
  }
  // After the condition and what it carries, before what it stacks.
  yieldOf(*inside)->insertOperands(1 + carried, given);
  parts.operands.push_back(list);
  parts.types.insert(parts.types.begin() + carried, list.getType());
  return replace(op, parts, carried);
}

Value onnxc::importer::handOut(Value value) {
  SmallVector<Operation *> all = operationsAround(value);
  ArrayRef<Operation *> around = all;
  for (; !around.empty() && isScan(around.front());
       around = around.drop_front())
    value = stack(around.front(), value);
  if (around.empty())
    return value;
  OpBuilder builder(around.back());
  return pass(
      emptyList(builder, value.getLoc(), cast<TensorType>(value.getType())),
      value, around);
}
