//===- FunctionBodies.cpp - Operators as the nodes they stand for ---------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Importer/FunctionBodies.h"

#include "GraphImporter.h"
#include "NodeCheck.h"
#include "onnxc/Schema/ProtoConversion.h"
#include "onnxc/Schema/TypeLattice.h"
#include "onnxc/Support/NodeLocations.h"

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

#include <exception>

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;
using ::onnx::TypeProto;

namespace {
/// A position of a body for a graph that the operator carries. The body is
/// built as if there were no graph, which leaves an Identity at that position.
struct GraphPosition {
  StringRef operation;
  unsigned region;
  /// The Identity's result in the body.
  const char *value;
};
} // namespace

static constexpr GraphPosition graphPositions[] = {
    {"onnx.preview.FlexAttention", 0, "ProbAfterProbMod"},
    {"onnx.preview.FlexAttention", 1, "ScoreAfterScoreMod"}};

static SmallVector<GraphPosition> graphPositionsOf(Operation *op) {
  SmallVector<GraphPosition> positions;
  for (const GraphPosition &position : graphPositions)
    if (op->getName().getStringRef() == position.operation)
      positions.push_back(position);
  return positions;
}

bool onnxc::importer::hasFunctionBody(Operation *op) {
  const OpSchema *schema =
      onnxc::schema::lookupSchema(op->getName().getStringRef());
  return schema &&
         (schema->HasFunction() || schema->HasContextDependentFunction()) &&
         op->getNumRegions() == graphPositionsOf(op).size();
}

//===----------------------------------------------------------------------===//
// Building the body
//===----------------------------------------------------------------------===//

/// SoftmaxCrossEntropyLoss along dimension 1. The standard's body views all
/// dimensions from the third on as one, which no batch of 0 has a size for.
static void buildCrossEntropy(const OpSchema &schema, const NodeProto &node,
                              FunctionProto &body) {
  bool hasWeights = node.input_size() > 2 && !node.input(2).empty();
  ::onnx::FunctionBuilder builder(body);
  builder.Add("logarithms = LogSoftmax <axis = 1> (scores)");
  if (node.output_size() > 1)
    builder.Add("log_prob = Identity (logarithms)");
  std::string loss = "output = NegativeLogLikelihoodLoss <reduction : string = "
                     "@reduction, ignore_index : int = @ignore_index> "
                     "(logarithms, labels";
  builder.Add((loss + (hasWeights ? ", weights)" : ")")).c_str());
  schema.BuildFunction(body);
}

namespace {
/// An operator that stands for other nodes than those of the standard.
struct OwnBody {
  StringRef operation;
  void (*build)(const OpSchema &, const NodeProto &, FunctionProto &);
};
} // namespace

static constexpr OwnBody ownBodies[] = {
    {"onnx.SoftmaxCrossEntropyLoss", buildCrossEntropy}};

/// Builds the body for operands of these types. Returns a message on failure.
static std::string buildContextDependent(const OpSchema &schema,
                                         const NodeProto &node,
                                         ArrayRef<Value> operands,
                                         FunctionProto &body) {
  std::vector<TypeProto> types(operands.size());
  for (auto [type, operand] : llvm::zip_equal(types, operands))
    if (operand)
      onnxc::schema::toProto(operand.getType(), type);
  try {
    ::onnx::FunctionBodyBuildContextImpl context(node, types);
    if (schema.BuildContextDependentFunction(context, body))
      return "";
    return "this form of its inputs, outputs and attributes is not supported";
  } catch (const std::exception &error) {
    return error.what();
  }
}

namespace {
/// Expands one operation.
struct Expansion {
  Operation *op;
  RewriterBase &rewriter;
  const OpSchema &schema;
  NodeProto node;
  SmallVector<Value> operands;
  SmallVector<Value> results;
  FunctionProto built;
  const FunctionProto *body = nullptr;

  LogicalResult prepare();
  Frame makeFrame(ImportState &state) const;
  FailureOr<SmallVector<Value>> inlineBody();
  LogicalResult inlineGraph(Region &graph, Value position);
  void replace(ArrayRef<Value> values);
  Value withType(Value value, Type type);
};
} // namespace

LogicalResult Expansion::prepare() {
  FailureOr<SmallVector<Value>> operandSlots =
      onnxc::schema::operandSlots(op, schema);
  FailureOr<SmallVector<Value>> resultSlots =
      onnxc::schema::resultSlots(op, schema);
  if (failed(operandSlots) || failed(resultSlots) ||
      failed(onnxc::schema::toProto(op, schema, node)))
    return op->emitOpError("does not fit its schema");
  operands = std::move(*operandSlots);
  results = std::move(*resultSlots);
  if (schema.HasFunction()) {
    body = schema.GetFunction();
    return success();
  }
  body = &built;
  auto own = llvm::find_if(ownBodies, [&](const OwnBody &row) {
    return row.operation == op->getName().getStringRef();
  });
  if (own != std::end(ownBodies)) {
    own->build(schema, node, built);
    return success();
  }
  std::string problem = buildContextDependent(schema, node, operands, built);
  if (!problem.empty())
    return op->emitOpError("cannot be expanded: ") << problem;
  return success();
}

Frame Expansion::makeFrame(ImportState &state) const {
  Frame frame;
  frame.function = body;
  // Rewrites may have given it the nodes after it as well.
  if (StringRef name = onnxc::nameOf(op->getLoc()); !name.empty())
    frame.prefix = name.str() + "/";
  importOpsets(state, body->opset_import(), frame);
  // Bodies of other domains lack the version of the common operators: it is
  // that of the library they come with.
  if (!frame.opsets.contains(""))
    frame.opsets[""] = newestOpset("");
  for (const auto &[name, declared] : schema.attributes())
    if (declared.default_value.type() != AttributeProto::UNDEFINED)
      frame.attributes[name] = &declared.default_value;
  for (const AttributeProto &attribute : body->attribute_proto())
    frame.attributes[attribute.name()] = &attribute;
  for (const AttributeProto &attribute : node.attribute())
    frame.attributes[attribute.name()] = &attribute;
  return frame;
}

/// The Identity that makes `position` becomes the graph, of one operand and one
/// result.
LogicalResult Expansion::inlineGraph(Region &graph, Value position) {
  Operation *identity = position.getDefiningOp();
  Block &block = graph.front();
  Operation *terminator = block.getTerminator();
  if (!identity || identity->getName().getStringRef() != "onnx.Identity" ||
      block.getNumArguments() != 1 || terminator->getNumOperands() != 1)
    return op->emitOpError("carries a graph that does not fit its body: "
                           "expected one operand and one result");
  rewriter.setInsertionPoint(identity);
  Value operand =
      withType(identity->getOperand(0), block.getArgument(0).getType());
  rewriter.inlineBlockBefore(&block, identity, operand);
  rewriter.replaceOp(identity,
                     withType(terminator->getOperand(0), position.getType()));
  rewriter.eraseOp(terminator);
  return success();
}

FailureOr<SmallVector<Value>> Expansion::inlineBody() {
  ImportOptions options;
  ImportState state(op->getContext(), options, op->getLoc());
  Frame frame = makeFrame(state);
  Scope scope;
  rewriter.setInsertionPoint(op);
  GraphImporter importer(state, rewriter, frame, scope);
  for (auto [index, name] : llvm::enumerate(body->input()))
    importer.define(name, {index < operands.size() ? operands[index] : Value()},
                    op->getLoc());
  importer.importNodes(body->node(), body->output());
  for (const GraphPosition &position : graphPositionsOf(op)) {
    Region &graph = op->getRegion(position.region);
    if (graph.empty())
      continue;
    FailureOr<Value> value = importer.lookupRequired(
        position.value, [&] { return state.error(op->getLoc()) << "value "; });
    if (failed(value) || failed(inlineGraph(graph, *value)))
      return failure();
  }
  SmallVector<Value> values;
  for (auto [index, result] : llvm::enumerate(results)) {
    if (!result)
      continue;
    assert(static_cast<int>(index) < body->output_size() &&
           "a schema and its body have the same results");
    FailureOr<Value> value =
        importer.lookupRequired(body->output(static_cast<int>(index)), [&] {
          return state.error(op->getLoc()) << "output ";
        });
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  if (state.errorCount != 0)
    return failure();
  return values;
}

/// Users rely on the type that they see: even a more precise one would not fit
/// where terminators are. Type inference finds the more precise one again.
Value Expansion::withType(Value value, Type type) {
  if (value.getType() == type)
    return value;
  bool isOwn = value.getDefiningOp() && value.use_empty();
  if (isOwn && succeeded(onnxc::schema::meetTypes(value.getType(), type))) {
    value.setType(type);
    return value;
  }
  OperationState identity(op->getLoc(), "onnx.Identity");
  identity.addOperands(value);
  identity.addTypes(type);
  return rewriter.create(identity)->getResult(0);
}

void Expansion::replace(ArrayRef<Value> values) {
  SmallVector<Value> replacements;
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    replacements.push_back(withType(value, result.getType()));
  rewriter.replaceOp(op, replacements);
}

LogicalResult onnxc::importer::expandFunction(Operation *op,
                                              RewriterBase &rewriter) {
  const OpSchema *schema =
      onnxc::schema::lookupSchema(op->getName().getStringRef());
  assert(schema && hasFunctionBody(op) && "an operator that a body defines");
  Expansion expansion{op, rewriter, *schema, {}, {}, {}, {}};
  if (failed(expansion.prepare()))
    return failure();
  FailureOr<SmallVector<Value>> values = expansion.inlineBody();
  if (failed(values))
    return failure();
  expansion.replace(*values);
  return success();
}
