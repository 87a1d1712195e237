//===- NodeBuilder.cpp - Operations from nodes -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "NodeCheck.h"
#include "NodeOrder.h"
#include "ProtoTypes.h"
#include "Tensors.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Dialect/ONNX/IR/OperandNotes.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Schema/TypeInference.h"
#include "onnxc/Schema/TypeLattice.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using onnxc::onnx::OpParameter;
using onnxc::onnx::OpSignature;
using onnxc::onnx::ParameterKind;

/// "Conv" -> "onnx.Conv", ai.onnx.ml's "ZipMap" -> "onnx.ml.ZipMap".
static std::string operationName(const NodeProto &node) {
  StringRef domain = node.domain();
  if (domain.empty() || domain == "ai.onnx")
    return "onnx." + node.op_type();
  return ("onnx." + domain.rsplit('.').second + "." + node.op_type()).str();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute GraphImporter::importAttribute(const AttributeProto &attribute,
                                         std::string &why) {
  Builder &b = builder;
  switch (attribute.type()) {
  case AttributeProto::INT:
    return b.getI64IntegerAttr(attribute.i());
  case AttributeProto::FLOAT:
    return b.getF32FloatAttr(attribute.f());
  case AttributeProto::STRING:
    return b.getStringAttr(attribute.s());
  case AttributeProto::INTS:
    return b.getDenseI64ArrayAttr(
        SmallVector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
  case AttributeProto::FLOATS:
    return b.getDenseF32ArrayAttr(SmallVector<float>(attribute.floats().begin(),
                                                     attribute.floats().end()));
  case AttributeProto::STRINGS:
    return b.getStrArrayAttr(SmallVector<StringRef>(attribute.strings().begin(),
                                                    attribute.strings().end()));
  case AttributeProto::TENSOR:
    return importTensor(state, attribute.t(), why).value_or(TypedAttr());
  case AttributeProto::SPARSE_TENSOR:
    return importSparseTensor(state, attribute.sparse_tensor(), why)
        .value_or(TypedAttr());
  case AttributeProto::TYPE_PROTO: {
    FailureOr<Type> type = importType(state, attribute.tp(), true, why);
    return succeeded(type) ? TypeAttr::get(*type) : Attribute();
  }
  default:
    why = "attributes of its kind are not supported";
    return Attribute();
  }
}

/// The tensor that a Constant's attribute `name` stands for: it has one for
/// each kind, the operation has `value` only.
static TypedAttr constantTensor(StringRef name, const AttributeProto &proto,
                                Attribute attr) {
  if (name == "value" || name == "sparse_value")
    return dyn_cast<TypedAttr>(attr);
  MLIRContext *context = attr.getContext();
  Type i64 = IntegerType::get(context, 64), f32 = Float32Type::get(context);
  Type string = onnxc::onnx::StringType::get(context);
  auto vector = [](int64_t size, Type element) {
    return RankedTensorType::get({size}, element);
  };
  auto scalar = [](Type element) { return RankedTensorType::get({}, element); };
  auto bytes = [](const auto &values) {
    const char *start = reinterpret_cast<const char *>(values.data());
    return std::vector<char>(start,
                             start + values.size() * sizeof(*values.data()));
  };
  SmallVector<StringRef> strings(proto.strings().begin(),
                                 proto.strings().end());
  if (name == "value_int")
    return DenseElementsAttr::get(scalar(i64), proto.i());
  if (name == "value_float")
    return DenseElementsAttr::get(scalar(f32), proto.f());
  if (name == "value_ints")
    return onnxc::onnx::makeTensorAttr(vector(proto.ints_size(), i64),
                                       bytes(proto.ints()));
  if (name == "value_floats")
    return onnxc::onnx::makeTensorAttr(vector(proto.floats_size(), f32),
                                       bytes(proto.floats()));
  if (name == "value_string")
    return DenseStringElementsAttr::get(scalar(string), {StringRef(proto.s())});
  return DenseStringElementsAttr::get(
      vector(static_cast<int64_t>(strings.size()), string), strings);
}

bool GraphImporter::importAttributes(const NodeProto &node, Location loc,
                                     NamedAttrList &attributes) {
  bool isConstant = node.domain().empty() && node.op_type() == "Constant";
  if (isConstant && node.attribute_size() != 1) {
    error(node, loc) << "it has " << node.attribute_size()
                     << " values, but must have one";
    return false;
  }
  for (const AttributeProto &proto : node.attribute()) {
    if (proto.type() == AttributeProto::GRAPH)
      continue;
    std::string why;
    Attribute attr = importAttribute(proto, why);
    if (!attr) {
      error(node, loc) << "attribute " << quote(proto.name())
                       << " cannot be read: " << why;
      return false;
    }
    if (isConstant)
      attributes.set("value", constantTensor(proto.name(), proto, attr));
    else
      attributes.set(proto.name(), attr);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The first error that `check` reports, which is not shown.
static std::string firstError(MLIRContext *context,
                              function_ref<void()> check) {
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = onnxc::onnx::messageText(diagnostic);
    return success();
  });
  check();
  return message;
}

/// Checks `op` against its signature; the message if it does not fit.
static std::string checkSignature(Operation *op) {
  std::string message = firstError(
      op->getContext(), [&] { (void)onnxc::onnx::verifySignature(op); });
  StringRef plain = message;
  std::string prefix = "'" + op->getName().getStringRef().str() + "' op ";
  plain.consume_front(prefix);
  return plain.str();
}

/// Sets the types of results to the inferred ones; false on an error.
bool GraphImporter::inferTypes(const NodeProto &node, Operation *op) {
  if (op->getNumRegions() != 0)
    return inferRegionTypes(node, op);
  std::string problem = checkSignature(op);
  if (!problem.empty()) {
    error(node, op->getLoc()) << problem;
    return false;
  }
  if (op->getName().getStringRef() == "onnx.Constant")
    return true;
  FailureOr<SmallVector<schema::InferredValue>> inferred = failure();
  auto infer = [&](const schema::ValueFacts &facts) {
    inferred = schema::inferResults(op, facts,
                                    [op] { return emitError(op->getLoc()); });
  };
  problem = firstError(op->getContext(), [&] {
    infer(schema::ValueFacts());
    // Runs may leave out a body: the analysis decides about shapes in it.
    if (failed(inferred) && isa_and_present<onnxc::onnx::ONNXDialect>(
                                op->getParentOp()->getDialect()))
      infer(schema::ElementFacts(schema::ValueFacts()));
  });
  if (failed(inferred)) {
    // An operator that is expanded may stand in an alternative that the
    // analysis will find impossible; elsewhere it is an error.
    bool isExpansion = frame.function && state.functions.empty();
    if (!isExpansion) {
      InFlightDiagnostic failed = error(node, op->getLoc());
      failed << problem;
      onnxc::onnx::noteOperands(failed, op);
    }
    return isExpansion;
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *inferred))
    result.setType(value.type);
  return true;
}

/// The meet of the declared and the inferred type. A declared shape that
/// contradicts is a stale one: the inferred one is right.
static Type mergeDeclared(Type inferred, Type declared, StringRef name,
                          Location loc) {
  FailureOr<Type> both = onnxc::schema::meetTypes(inferred, declared);
  if (succeeded(both))
    return *both;
  if (onnxc::schema::isAtLeastAsSharp(inferred, declared))
    return inferred;
  emitWarning(loc) << "the model declares " << quote(name) << " as " << declared
                   << ", but it is " << inferred;
  return inferred;
}

static bool sameElements(Type a, Type b) {
  auto first = dyn_cast<TensorType>(a), second = dyn_cast<TensorType>(b);
  if (first && second)
    return first.getElementType() == second.getElementType();
  return isa<NoneType>(a) || isa<NoneType>(b) || a.getTypeID() == b.getTypeID();
}

void GraphImporter::defineResults(const NodeProto &node, Operation *op) {
  ArrayRef<OpParameter> parameters =
      OpSignature::find(op->getName().getStringRef())->getOutputs();
  unsigned next = 0;
  for (auto [index, name] : llvm::enumerate(node.output())) {
    size_t position = std::min(index, parameters.size() - 1);
    if (name.empty() && parameters[position].kind == ParameterKind::Optional)
      continue;
    defineResult(node, name, op->getResult(next++));
  }
}

void GraphImporter::defineResult(const NodeProto &node, StringRef name,
                                 Value result) {
  Location loc = result.getLoc();
  Type wanted = declaredType(name, loc);
  if (contradicted.contains(result.getDefiningOp()))
    wanted = onnxc::schema::dropShape(wanted);
  if (!sameElements(result.getType(), wanted))
    error(node, loc) << "output " << quote(name) << " is declared as " << wanted
                     << ", but is " << result.getType();
  else
    result.setType(mergeDeclared(result.getType(), wanted, name, loc));
  define(name, {result}, loc);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// How many results the graph of a node returns, 0 without one. A node need
/// not name them all.
static int graphResults(const NodeProto &node) {
  for (const AttributeProto &attribute : node.attribute())
    if (attribute.type() == AttributeProto::GRAPH)
      return attribute.g().output_size() - (node.op_type() == "Loop");
  return 0;
}

/// A type for every output that is there, null for those left out.
static SmallVector<Type> placeholderTypes(const NodeProto &node,
                                          const OpSignature &signature,
                                          MLIRContext *context) {
  SmallVector<Type> types;
  ArrayRef<OpParameter> parameters = signature.getOutputs();
  for (auto [index, name] : llvm::enumerate(node.output())) {
    size_t position = std::min(index, parameters.size() - 1);
    bool isAbsent =
        name.empty() && parameters[position].kind == ParameterKind::Optional;
    types.push_back(isAbsent ? Type() : NoneType::get(context));
  }
  for (int i = node.output_size(); i < graphResults(node); ++i)
    types.push_back(NoneType::get(context));
  return types;
}

/// Gradient names tensors of the graph in its attributes. An operation refers
/// to values, not names: they follow its operands, in this order.
bool GraphImporter::importNamedTensors(const NodeProto &node, Location loc,
                                       SmallVectorImpl<Value> &operands) {
  bool isComplete = true;
  forEachNamedTensor(node, [&](StringRef name) {
    FailureOr<Value> value = lookup(name, [&] {
      return error(node, loc) << "the attributes name a tensor: ";
    });
    isComplete &= succeeded(value);
    operands.push_back(succeeded(value) ? *value : Value());
  });
  return isComplete;
}

/// Exporters write the unbind of torch as SplitToSequence with keepdims=0 and
/// the number 1 as split. The standard ignores keepdims beside a split; they
/// and onnxruntime treat the node as without one.
static void dropUnitSplit(const NodeProto &node,
                          SmallVectorImpl<Value> &operands) {
  if (node.op_type() != "SplitToSequence" || !node.domain().empty() ||
      operands.size() < 2 || !operands[1])
    return;
  auto type = dyn_cast<RankedTensorType>(operands[1].getType());
  bool isOne =
      type && type.getRank() == 0 &&
      onnxc::onnx::constantInts(operands[1]) == SmallVector<int64_t>{1};
  for (const AttributeProto &attribute : node.attribute())
    if (isOne && attribute.name() == "keepdims" && attribute.i() == 0)
      operands.truncate(1);
}

bool GraphImporter::hasRequiredInputs(const NodeProto &node, Location loc,
                                      const OpSignature &signature,
                                      ArrayRef<Value> operands) {
  for (auto [index, parameter] : llvm::enumerate(signature.getInputs()))
    if (parameter.kind == ParameterKind::Single && index < operands.size() &&
        !operands[index]) {
      error(node, loc) << "input '" << parameter.name << "'" << absentText;
      return false;
    }
  return true;
}

void GraphImporter::buildOperation(const NodeProto &node, Location loc) {
  std::string name = operationName(node);
  const OpSignature *signature = OpSignature::find(name);
  if (!signature) {
    error(node, loc) << "the operator is not part of the dialect";
    return breakOutputs(node);
  }
  SmallVector<Value> operands;
  NamedAttrList attributes;
  if (!importOperands(node, loc, operands) ||
      !hasRequiredInputs(node, loc, *signature, operands) ||
      !importNamedTensors(node, loc, operands) ||
      !importAttributes(node, loc, attributes))
    return breakOutputs(node);
  dropUnitSplit(node, operands);
  OperationState op(loc, name);
  SmallVector<Type> types = placeholderTypes(node, *signature, state.context);
  if (auto value = dyn_cast_or_null<TypedAttr>(attributes.get("value"));
      value && name == "onnx.Constant")
    types[0] = value.getType();
  onnxc::onnx::buildBySignature(op, types, operands, attributes.getAttrs());
  Operation *created = builder.create(op);
  if (!importGraphs(node, created) || !inferTypes(node, created)) {
    created->erase();
    return breakOutputs(node);
  }
  defineResults(node, created);
}
