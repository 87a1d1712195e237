//===- TypeInference.cpp - Result types from the ONNX schemas --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/TypeInference.h"

#include "onnxc/Schema/TypeLattice.h"

#include "ArgumentChecks.h"
#include "NodeContext.h"
#include "WindowSizes.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Schema/CustomOps.h"
#include "onnxc/Support/Budget.h"

#include "onnx/shape_inference/implementation.h"

#include "llvm/ADT/StringExtras.h"

#include <exception>

using namespace mlir;
using namespace onnxc::schema;
using ::onnx::OpSchema;

static constexpr StringLiteral treeClassifier =
    "onnx.ml.TreeEnsembleClassifier";

Type ElementFacts::type(Value value) const {
  return dropShape(facts.type(value));
}

/// The type of result slot `index` by its type variable: that of an operand
/// bound to the same variable, or the only type it admits.
static Type bindTypeVariable(const OpSchema &schema, ArrayRef<Value> operands,
                             size_t index, const ValueFacts &facts,
                             MLIRContext *context) {
  const OpSchema::FormalParameter *result = formalOf(schema.outputs(), index);
  if (!result)
    return NoneType::get(context);
  for (auto [slot, value] : llvm::enumerate(operands)) {
    const OpSchema::FormalParameter *formal = formalOf(schema.inputs(), slot);
    if (value && formal && formal->GetTypeStr() == result->GetTypeStr())
      return dropShape(facts.type(value));
  }
  if (result->GetTypes().size() == 1) {
    Type only = fromProto(
        ::onnx::Utils::DataTypeUtils::ToTypeProto(*result->GetTypes().begin()),
        context);
    if (only)
      return dropShape(only);
  }
  return NoneType::get(context);
}

/// The inferred type with the elements of its type variable: some functions
/// take them from another operand.
static Type withVariable(Type inferred, Type variable) {
  auto tensor = dyn_cast<TensorType>(inferred);
  auto bound = dyn_cast<TensorType>(variable);
  if (!tensor || !bound || tensor.getElementType() == bound.getElementType())
    return inferred;
  return tensor.clone(bound.getElementType());
}

/// The error in the ranks of results.
static std::optional<std::string> checkRanks(Operation *op,
                                             ArrayRef<InferredValue> results) {
  int64_t maxRank = onnxc::Budget::limitsOf(op->getContext()).rank;
  for (const InferredValue &result : results)
    if (auto type = dyn_cast<RankedTensorType>(result.type);
        type && type.getRank() > maxRank)
      return "the result has rank " + std::to_string(type.getRank()) +
             ", but tensors have at most " + std::to_string(maxRank) +
             " dimensions";
  return std::nullopt;
}

/// TreeEnsembleClassifier gives labels of the kind that it lists; its schema,
/// deprecated, brings no function.
static Type labelType(Operation *op) {
  auto strings = op->getInherentAttr("classlabels_strings");
  auto array = strings ? dyn_cast_or_null<ArrayAttr>(*strings) : ArrayAttr();
  bool isText = array && !array.empty();
  MLIRContext *context = op->getContext();
  return UnrankedTensorType::get(
      isText ? Type(onnxc::onnx::StringType::get(context))
             : Type(IntegerType::get(context, 64)));
}

static void inferThroughBody(const ::onnx::FunctionProto &body,
                             NodeContext &context) {
  ::onnx::shape_inference::InferShapeForFunctionNode(
      body, ::onnx::OpSchemaRegistry::Instance(), context,
      ::onnx::ShapeInferenceOptions(/*check_type_val=*/false,
                                    /*strict_mode_val=*/1,
                                    /*data_prop_val=*/false));
}

/// The body that the schema builds for these operands; false without one.
static bool buildBody(Operation *op, const OpSchema &schema,
                      const NodeContext &context, ::onnx::FunctionProto &body) {
  ::onnx::NodeProto node;
  if (failed(onnxc::schema::toProto(op, schema, node)))
    return false;
  std::vector<::onnx::TypeProto> types(context.getNumInputs());
  for (auto [index, type] : llvm::enumerate(types))
    if (const ::onnx::TypeProto *known = context.getInputType(index))
      type = *known;
  ::onnx::FunctionBodyBuildContextImpl build(node, types);
  if (!schema.BuildContextDependentFunction(build, body))
    return false;
  while (body.output_size() > static_cast<int>(context.getNumOutputs()))
    body.mutable_output()->RemoveLast();
  return true;
}

/// Runs the schema's inference function, or infers through its function body.
/// Returns the message of an exception.
static std::optional<std::string>
runSchema(Operation *op, const OpSchema &schema, NodeContext &context) {
  try {
    ::onnx::FunctionProto body;
    if (schema.has_type_and_shape_inference_function())
      schema.GetTypeAndShapeInferenceFunction()(context);
    else if (schema.HasFunction())
      inferThroughBody(*schema.GetFunction(), context);
    else if (schema.HasContextDependentFunction() &&
             buildBody(op, schema, context, body))
      inferThroughBody(body, context);
    return std::nullopt;
  } catch (const std::exception &error) {
    return error.what();
  }
}

static std::string plainMessage(StringRef message);

/// The message of the first node of a body that fails; others may fail because
/// of it. "(op_type:Add, node name: n): [..] Dims differ\n(op_type: .." -> "in
/// its Add: dims differ".
static std::string firstOfBody(StringRef messages) {
  StringRef first = messages.split('\n').first;
  if (!first.consume_front("(op_type:"))
    return plainMessage(first);
  auto [node, message] = first.split("): ");
  return "in its " + node.split(',').first.str() + ": " + plainMessage(message);
}

/// "[ShapeInferenceError] Dims differ.\n" -> "dims differ".
static std::string plainMessage(StringRef message) {
  if (message.consume_front("["))
    message = message.split("]").second;
  message = message.trim().rtrim(".");
  if (message.consume_front("Inference error(s): "))
    return firstOfBody(message);
  std::string plain = message.str();
  bool startsWord = plain.size() > 1 && !isupper(plain[1]);
  if (startsWord && !plain.empty())
    plain[0] = static_cast<char>(tolower(plain[0]));
  return plain;
}

/// float[batch, 3, ?]
static std::string describeType(Value value, const ValueFacts &facts) {
  auto tensor = dyn_cast<TensorType>(facts.type(value));
  if (!tensor)
    return onnxc::onnx::getONNXSpelling(facts.type(value));
  std::string spelling = onnxc::onnx::getONNXSpelling(tensor);
  StringRef element = spelling;
  element.consume_front("tensor(");
  element.consume_back(")");
  SmallVector<std::string> sizes;
  for (int64_t i = 0; tensor.hasRank() && i < tensor.getRank(); ++i) {
    std::string symbol = facts.dimSymbol(value, i);
    sizes.push_back(!tensor.isDynamicDim(i)
                        ? std::to_string(tensor.getDimSize(i))
                    : symbol.empty() ? "?"
                                     : symbol);
  }
  return element.str() + "[" +
         (tensor.hasRank() ? llvm::join(sizes, ", ") : "...") + "]";
}

/// " = [2, -1]" for a short list of integers that the model has: a shape, for
/// example.
static std::string describeList(Value value) {
  constexpr size_t maxLength = 8;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<SmallVector<int64_t>> list = onnxc::onnx::constantInts(value);
  if (!list || list->size() > maxLength || !type || type.getRank() != 1)
    return "";
  auto texts =
      llvm::map_range(*list, [](int64_t i) { return std::to_string(i); });
  return " = [" + llvm::join(texts, ", ") + "]";
}

/// "A is 'x', float[batch, 3]; B is of 'conv', float[4]": the operands in an
/// error about them, by the names of inputs, initializers and nodes.
static std::string describeOperands(const OpSchema &schema,
                                    ArrayRef<Value> operands,
                                    const ValueFacts &facts) {
  SmallVector<std::string> texts;
  for (auto [slot, value] : llvm::enumerate(operands.take_front(8))) {
    const OpSchema::FormalParameter *formal = formalOf(schema.inputs(), slot);
    if (!value || !formal)
      continue;
    std::string text = formal->GetName() + " is ";
    Operation *producer = value.getDefiningOp();
    bool isResult =
        producer && producer->getName().getStringRef() != "onnx.Constant";
    if (auto name = dyn_cast<NameLoc>(value.getLoc()))
      text += (isResult ? "of '" : "'") + name.getName().str() + "', ";
    texts.push_back(text + describeType(value, facts) + describeList(value));
  }
  return llvm::join(texts, "; ");
}

static InferredValue readOutput(const ::onnx::TypeProto &proto,
                                MLIRContext *context) {
  InferredValue found;
  found.type = fromProto(proto, context);
  if (!found.type)
    found.type = NoneType::get(context);
  auto tensor = dyn_cast<RankedTensorType>(found.type);
  if (!tensor || proto.value_case() != ::onnx::TypeProto::kTensorType)
    return found;
  for (const auto &dim : proto.tensor_type().shape().dim())
    found.dimSymbols.push_back(dim.has_dim_param() ? dim.dim_param() : "");
  return found;
}

/// Returns true if a size of 0 is meant, as everything about the operands is
/// known. The functions also write 0 where they have computed with an unknown
/// size.
static bool mayBeEmpty(ArrayRef<Value> operands, const ValueFacts &facts) {
  return llvm::all_of(operands, [&](Value value) {
    auto type = value ? dyn_cast<TensorType>(facts.type(value)) : TensorType();
    return !type || type.hasStaticShape();
  });
}

/// Sizes of 0 that nothing proves are unknown.
static void dropZeroSizes(InferredValue &found) {
  auto type = dyn_cast<RankedTensorType>(found.type);
  if (!type || !llvm::is_contained(type.getShape(), 0))
    return;
  SmallVector<int64_t> shape(type.getShape());
  llvm::replace(shape, int64_t(0), ShapedType::kDynamic);
  found.type = RankedTensorType::get(shape, type.getElementType());
}

/// Returns true if the types of the results are those that a body yields.
static bool isInferredFromBody(StringRef name) {
  return name == "onnx.If" || name == "onnx.Loop" || name == "onnx.Scan" ||
         name == "onnx.SequenceMap";
}

/// Returns true if an error about `op` may only mean that sizes are unknown:
/// the functions of these operators take an unknown size or rank for a wrong
/// one.
static bool isUndecided(Operation *op, const ValueFacts &facts) {
  StringRef name = op->getName().getStringRef();
  if (name == "onnx.preview.FlexAttention")
    return llvm::any_of(op->getOperands(), [&](Value value) {
      return isa<UnrankedTensorType>(facts.type(value));
    });
  if (name != "onnx.Resize" && name != "onnx.StringNormalizer")
    return false;
  return llvm::any_of(op->getOperands(), [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(facts.type(value));
    return !type || !type.hasStaticShape();
  });
}

/// Attention writes some dimensions of its last result before it has all ranks
/// that the others depend on.
static bool isUnfinished(Operation *op, const ValueFacts &facts) {
  return op->getName().getStringRef() == "onnx.Attention" &&
         llvm::any_of(op->getOperands(), [&](Value value) {
           return isa<UnrankedTensorType>(facts.type(value));
         });
}

/// ConvTranspose writes the sizes before the first one in `output_shape` that
/// is less than the operand's, and then ends.
static void completeRank(Operation *op, const ValueFacts &facts,
                         InferredValue &found) {
  if (op->getName().getStringRef() != "onnx.ConvTranspose")
    return;
  auto in = dyn_cast<RankedTensorType>(facts.type(op->getOperand(0)));
  auto out = dyn_cast<RankedTensorType>(found.type);
  if (!in || !out || in.getRank() <= out.getRank())
    return;
  SmallVector<int64_t> shape(out.getShape());
  shape.resize(in.getRank(), ShapedType::kDynamic);
  found = {RankedTensorType::get(shape, out.getElementType()), {}};
}

/// Slice takes axes or steps of unknown rank for those that are left out.
static void dropSlicedSizes(Operation *op, ArrayRef<Value> operands,
                            const ValueFacts &facts, InferredValue &found) {
  auto type = dyn_cast<RankedTensorType>(found.type);
  if (op->getName().getStringRef() != "onnx.Slice" || !type)
    return;
  if (llvm::any_of(operands.drop_front(3), [&](Value list) {
        return list && isa<UnrankedTensorType>(facts.type(list));
      }))
    found = {RankedTensorType::get(
                 SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic),
                 type.getElementType()),
             {}};
}

/// Einsum takes a size of 1 or an unknown size of the first operand that has
/// the dimension for that of the result, but it broadcasts with those of
/// others.
static void dropBroadcastSizes(Operation *op, InferredValue &found) {
  auto type = dyn_cast<RankedTensorType>(found.type);
  if (op->getName().getStringRef() != "onnx.Einsum" || !type)
    return;
  SmallVector<int64_t> shape(type.getShape());
  llvm::replace(shape, int64_t(1), ShapedType::kDynamic);
  found.type = RankedTensorType::get(shape, type.getElementType());
  found.dimSymbols.assign(shape.size(), "");
}

/// The type of result `index` by the schema's function, completed and
/// corrected.
static InferredValue readResult(Operation *op, NodeContext &node,
                                const OpSchema &schema,
                                ArrayRef<Value> operands, size_t index,
                                const ValueFacts &facts) {
  MLIRContext *context = op->getContext();
  InferredValue found = readOutput(*node.getOutputType(index), context);
  if (!mayBeEmpty(operands, facts))
    dropZeroSizes(found);
  completeRank(op, facts, found);
  dropSlicedSizes(op, operands, facts, found);
  dropBroadcastSizes(op, found);
  dropSizesOfLargeWindows(op, operands, facts, found);
  if (index == 3 && isUnfinished(op, facts))
    found = {dropShape(found.type), {}};
  Type variable = bindTypeVariable(schema, operands, index, facts, context);
  if (isa<NoneType>(found.type))
    found.type = op->getName().getStringRef() == treeClassifier && index == 0
                     ? labelType(op)
                     : variable;
  found.type = withVariable(found.type, variable);
  return found;
}

/// Runs the schema's function on `node`; returns what is wrong with the model
/// by it. The library takes an operand without type, too, for an error of the
/// model.
static std::optional<std::string>
checkSchema(Operation *op, const OpSchema &schema, ArrayRef<Value> operands,
            const ValueFacts &facts, NodeContext &node) {
  bool allKnown = llvm::none_of(operands, [&](Value value) {
    return value && isa<NoneType>(facts.type(value));
  });
  std::optional<std::string> error = runSchema(op, schema, node);
  if (!error || !allKnown || isUndecided(op, facts))
    return std::nullopt;
  return plainMessage(*error) + ": " +
         describeOperands(schema, operands, facts);
}

FailureOr<SmallVector<InferredValue>>
onnxc::schema::inferResults(Operation *op, const ValueFacts &facts,
                            function_ref<InFlightDiagnostic()> emitError) {
  if (const CustomOp *custom = customOpOf(op))
    return inferCustom(op, *custom, facts, emitError);
  const OpSchema *schema = lookupSchema(op->getName().getStringRef());
  if (!schema || isInferredFromBody(op->getName().getStringRef()))
    return SmallVector<InferredValue>(
        op->getNumResults(),
        InferredValue{NoneType::get(op->getContext()), {}});
  FailureOr<SmallVector<Value>> operands = operandSlots(op, *schema);
  FailureOr<SmallVector<Value>> results = resultSlots(op, *schema);
  assert(succeeded(operands) && succeeded(results) &&
         "the verifier counts the values");
  auto fail = [&](const std::string &error) {
    emitError() << error;
    return failure();
  };
  if (std::optional<std::string> error =
          checkArguments(op, *schema, *operands, facts))
    return fail(*error);
  NodeContext node(op, *schema, *operands, *results, facts);
  if (std::optional<std::string> error =
          checkSchema(op, *schema, *operands, facts, node))
    return fail(*error);
  SmallVector<InferredValue> inferred;
  for (auto [index, value] : llvm::enumerate(*results))
    if (value)
      inferred.push_back(
          readResult(op, node, *schema, *operands, index, facts));
  // Trailing slots are trimmed only where no result stands.
  assert(inferred.size() == op->getNumResults());
  if (std::optional<std::string> error = checkRanks(op, inferred))
    return fail(*error);
  return inferred;
}

FailureOr<SmallVector<Type>> onnxc::schema::inferResultTypes(Operation *op) {
  FailureOr<SmallVector<InferredValue>> inferred =
      inferResults(op, ValueFacts(), [op] { return op->emitOpError(); });
  if (failed(inferred))
    return failure();
  return llvm::map_to_vector(
      *inferred, [](const InferredValue &value) { return value.type; });
}

int32_t onnxc::schema::dataTypeNumber(Type elementType) {
  return onnxc::onnx::getElementTypeNumber(elementType);
}
