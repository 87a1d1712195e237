//===- CustomNodes.cpp - Nodes that a user's library computes --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "NodeCheck.h"
#include "onnxc/Schema/Microsoft.h"
#include "onnxc/Schema/ProtoConversion.h"
#include "onnxc/Schema/TypeLattice.h"

#include "onnx/defs/schema.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;
using onnxc::schema::CustomOp;

/// For a domain that neither the compiler nor the model defines: the possible
/// sources of its operators.
std::string GraphImporter::describeUnknown(const NodeProto &node,
                                           const std::string &domain,
                                           int64_t version) {
  std::string name = quote(domain);
  if (state.customOps && state.customOps->hasDomain(domain)) {
    if (version == 0)
      return "the model does not import domain " + name;
    return "no custom operator library has the operator " +
           quote(node.op_type()) + " in version " + std::to_string(version) +
           " of domain " + name;
  }
  if (std::string reason = schema::domainRefusalReason(domain); !reason.empty())
    return "the operators of domain " + name + " are not supported: " + reason;
  std::string text = "nothing is known of domain " + name +
                     ", and the model has no such function; a library that "
                     "computes its operators is given with --custom-op-lib";
  // The domain that PyTorch writes for operators without an ONNX equivalent.
  if (domain.rfind("org.pytorch.", 0) == 0)
    text += ". The exporter of PyTorch has left an operator of its own in the "
            "model: exporting with a newer opset, or with dynamo=True, may "
            "express it in ONNX";
  return text + "; known are " + knownOpsets();
}

/// Warns once for each operator of a library that its nodes are compiled to
/// another definition.
void GraphImporter::warnOfFunction(const NodeProto &node, Location loc) {
  if (state.preferred.insert(operatorName(node)).second)
    emitWarning(loc) << "operator " << quote(operatorName(node))
                     << " is a function of the model, which is compiled, and "
                        "not that of the custom operator library: it is not "
                        "declared with OM_CUSTOM_REPLACES_FUNCTION";
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// Imports the attributes of the node, and the defaults of others.
bool GraphImporter::importCustomAttributes(const NodeProto &node,
                                           const CustomOp &custom, Location loc,
                                           NamedAttrList &attributes) {
  auto import = [&](const AttributeProto &proto) {
    std::string why;
    Attribute attr = importAttribute(proto, why);
    if (!attr)
      error(node, loc) << "attribute " << quote(proto.name())
                       << " cannot be read: " << why;
    else
      attributes.set(proto.name(), attr);
    return attr != nullptr;
  };
  for (const auto &[name, declared] : schema::schemaOf(custom).attributes())
    if (declared.default_value.type() != AttributeProto::UNDEFINED &&
        !import(declared.default_value))
      return false;
  return llvm::all_of(node.attribute(), import);
}

namespace {
/// Which positions of the parameters of an operator a node fills.
struct Slots {
  SmallVector<bool> present;

  /// `given` is true for each of the node's values that is present.
  Slots(const OMCustomParameter *parameters, int64_t count,
        ArrayRef<bool> given) {
    for (int64_t i = 0; i < count; ++i) {
      size_t position = static_cast<size_t>(i);
      if (parameters[i].kind != OM_PARAMETER_VARIADIC)
        present.push_back(position < given.size() && given[position]);
      else if (position < given.size())
        llvm::append_range(present, given.drop_front(position));
    }
  }
};
} // namespace

Operation *GraphImporter::buildCustom(const NodeProto &node,
                                      const CustomOp &custom, Location loc) {
  const OMCustomOp &declared = *custom.declared;
  SmallVector<Value> operands;
  NamedAttrList attributes;
  if (!importOperands(node, loc, operands) ||
      !importCustomAttributes(node, custom, loc, attributes))
    return nullptr;
  Slots inputs(declared.inputs, declared.numInputs,
               llvm::map_to_vector(
                   operands, [](Value value) { return value != nullptr; }));
  // Optional results that nothing reads need not be computed.
  SmallVector<bool> isWanted;
  for (auto [index, name] : llvm::enumerate(node.output())) {
    bool isOptional = index < static_cast<size_t>(declared.numOutputs) &&
                      declared.outputs[index].kind == OM_PARAMETER_OPTIONAL;
    isWanted.push_back(!isOptional || readNames->contains(name));
  }
  Slots outputs(declared.outputs, declared.numOutputs, isWanted);
  OperationState op(loc, "onnx.Custom");
  llvm::erase(operands, Value());
  op.addOperands(operands);
  op.types.assign(llvm::count(outputs.present, true),
                  NoneType::get(state.context));
  op.addAttribute("domain", builder.getStringAttr(declared.domain));
  op.addAttribute("op_type", builder.getStringAttr(declared.name));
  op.addAttribute("library", builder.getStringAttr(custom.entry));
  op.addAttribute("version", builder.getI64IntegerAttr(declared.sinceVersion));
  op.addAttribute("node_attributes", attributes.getDictionary(state.context));
  op.addAttribute("input_slots", builder.getDenseBoolArrayAttr(inputs.present));
  op.addAttribute("output_slots",
                  builder.getDenseBoolArrayAttr(outputs.present));
  if (custom.isPure())
    op.addAttribute("pure", builder.getUnitAttr());
  return builder.create(op);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The types that the function's body gives the outputs of a node, as far as it
/// can be read. The body itself is not kept.
SmallVector<Type> GraphImporter::typesFromBody(const NodeProto &node,
                                               const FunctionProto &function,
                                               Location loc) {
  SmallVector<Type> types(node.output_size(), NoneType::get(state.context));
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
  Scope trial(&scope);
  unsigned errors = state.errorCount;
  {
    ScopedDiagnosticHandler silence(state.context,
                                    [](Diagnostic &) { return success(); });
    GraphImporter body(state, builder, frame, trial);
    body.importCall(node, function, loc);
  }
  if (state.errorCount == errors)
    for (auto [type, name] : llvm::zip_equal(types, node.output()))
      if (const Binding binding = trial.values.lookup(name); binding.value)
        type = binding.value.getType();
  state.errorCount = errors;
  while (end != block->begin() && &*std::prev(end) != before)
    std::prev(end)->erase();
  return types;
}

void GraphImporter::importCustom(const NodeProto &node, const CustomOp &custom,
                                 const FunctionProto *function, Location loc) {
  std::vector<std::string> problems = checkNode(node, schema::schemaOf(custom));
  for (int i = static_cast<int>(custom.declared->numInputs);
       i < node.input_size(); ++i)
    if (node.input(i).empty())
      problems.push_back("input " + std::to_string(i) + " is missing");
  for (const std::string &problem : problems)
    if (!state.hasGivenUp())
      error(node, loc) << problem;
  SmallVector<Type> fromBody(node.output_size(), NoneType::get(state.context));
  if (problems.empty() && function && !custom.declared->infer)
    fromBody = typesFromBody(node, *function, loc);
  Operation *op = problems.empty() ? buildCustom(node, custom, loc) : nullptr;
  if (!op)
    return breakOutputs(node);
  auto inferred = schema::inferResults(op, schema::ValueFacts(),
                                       [&] { return error(node, loc); });
  if (failed(inferred)) {
    op->erase();
    return breakOutputs(node);
  }
  auto present = op->getAttrOfType<DenseBoolArrayAttr>("output_slots");
  unsigned next = 0;
  for (auto [index, name] : llvm::enumerate(node.output())) {
    if (index >= static_cast<size_t>(present.size()) || !present[index])
      continue;
    Value result = op->getResult(next);
    Type type = (*inferred)[next++].type;
    FailureOr<Type> both = schema::meetTypes(type, fromBody[index]);
    result.setType(succeeded(both) ? *both : type);
    defineResult(node, name, result);
  }
}
