//===- GraphImporter.cpp - Nodes of one graph or function ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "NodeCheck.h"
#include "NodeOrder.h"
#include "ProtoTypes.h"
#include "ScopeOracle.h"
#include "Tensors.h"
#include "Upgrade/UpgradeTable.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/NamedWeights.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Schema/ProtoConversion.h"
#include "onnxc/Schema/TypeLattice.h"
#include "onnxc/Support/NodeLocations.h"

using namespace mlir;
using namespace onnxc::importer;
using google::protobuf::RepeatedPtrField;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::OperatorSetIdProto;
using ::onnx::SparseTensorProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

std::string onnxc::importer::quote(StringRef text) {
  return "'" + shortName(text) + "'";
}

bool ImportState::takeNode(Location loc, bool isInlined) {
  if ((!isInlined || succeeded(budget.takeInlinedNode(loc))) &&
      succeeded(budget.check(loc)))
    return true;
  (void)budget.report(loc);
  errorCount = std::max(limits.errors, 1u);
  return false;
}

void onnxc::importer::importOpsets(ImportState &state,
                                   const OpsetImports &imports, Frame &frame,
                                   const llvm::StringSet<> *domains) {
  for (const OperatorSetIdProto &import : imports) {
    std::string domain = plainDomain(import.domain());
    if (domains && !domains->contains(domain))
      continue;
    int newest = newestOpset(domain);
    if (newest > 0 && (import.version() > newest || import.version() < 1))
      state.error(state.modelLoc)
          << "version " << import.version() << " of operator set "
          << quote(domain.empty() ? "ai.onnx" : domain)
          << " is not known; known are " << knownOpsets();
    auto [known, isNew] = frame.opsets.try_emplace(domain, import.version());
    if (!isNew && known->second != import.version())
      state.error(state.modelLoc)
          << "operator set " << quote(domain.empty() ? "ai.onnx" : domain)
          << " is imported twice, as versions " << known->second << " and "
          << import.version();
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void GraphImporter::define(StringRef name, Binding binding, Location loc) {
  if (name.empty())
    return;
  auto [first, isNew] = scope.values.try_emplace(name, binding);
  if (isNew || state.hasGivenUp() || (part && part->given.contains(name)))
    return;
  InFlightDiagnostic error = state.error(loc);
  error << "value " << quote(name) << " is defined twice";
  if (Value value = first->second.value)
    error.attachNote(value.getLoc()) << "the first definition is here";
}

FailureOr<Value>
GraphImporter::lookup(StringRef name,
                      function_ref<InFlightDiagnostic()> report) {
  if (const Binding *binding = scope.find(name)) {
    if (binding->isBroken)
      return failure();
    return binding->value;
  }
  report() << quote(name)
           << " is not defined by any node, input or initializer";
  return failure();
}

FailureOr<Value>
GraphImporter::lookupRequired(StringRef name,
                              function_ref<InFlightDiagnostic()> report) {
  FailureOr<Value> value = lookup(name, report);
  if (failed(value) || *value)
    return value;
  report() << quote(name) << absentText;
  return failure();
}

void GraphImporter::declareTypes(
    const RepeatedPtrField<ValueInfoProto> &infos) {
  for (const ValueInfoProto &info : infos)
    if (info.has_type())
      declared.try_emplace(info.name(), &info.type());
}

Type GraphImporter::declaredType(StringRef name, Location loc) {
  Type unknown = NoneType::get(state.context);
  const ::onnx::TypeProto *proto = declared.lookup(name);
  if (!proto)
    return unknown;
  std::string why;
  FailureOr<Type> type = importType(state, *proto, /*withSizes=*/false, why);
  if (succeeded(type))
    return ignoresShapes ? onnxc::schema::dropShape(*type) : *type;
  state.error(loc) << "the declared type of " << quote(name)
                   << " is wrong: " << why;
  return unknown;
}

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

static Value buildConstant(OpBuilder &builder, Location loc, TypedAttr attr) {
  OperationState op(loc, "onnx.Constant");
  onnxc::onnx::buildBySignature(op, attr.getType(), {},
                                builder.getNamedAttr("value", attr));
  return builder.create(op)->getResult(0);
}

/// Names that nodes read as sizes.
static llvm::StringSet<> namesOfSizes(const GraphProto &graph) {
  llvm::StringSet<> names;
  for (const NodeProto &node : graph.node())
    if (node.op_type() == "Resize" || node.op_type() == "Upsample")
      for (int i = 1; i < node.input_size(); ++i)
        names.insert(node.input(i));
  return names;
}

static bool canBeWeight(TypedAttr attr) {
  auto type = dyn_cast<RankedTensorType>(attr.getType());
  auto element =
      type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
  return element && element.getWidth() % 8 == 0 && type.getNumElements() > 1;
}

void GraphImporter::importInitializers(const GraphProto &graph) {
  bool makesWeights = state.options.refit && !scope.parent && !frame.function;
  llvm::StringSet<> sizes =
      makesWeights ? namesOfSizes(graph) : llvm::StringSet<>();
  auto import = [&](const std::string &name, auto convert, const auto &proto) {
    if (state.hasGivenUp() || (part && !part->read.contains(name)))
      return;
    Location loc = state.nameLoc(frame.prefix + name);
    std::string why;
    FailureOr<TypedAttr> attr = convert(state, proto, why);
    if (succeeded(attr) && makesWeights && canBeWeight(*attr) &&
        !sizes.contains(name))
      attr = cast<TypedAttr>(onnxc::onnx::NamedWeights::add(name, *attr));
    if (succeeded(attr))
      return define(name, {buildConstant(builder, loc, *attr)}, loc);
    state.error(loc) << "initializer " << quote(name)
                     << " (Constant) cannot be read: " << why;
    define(name, {Value(), /*isBroken=*/true}, loc);
  };
  for (const TensorProto &tensor : graph.initializer())
    import(tensor.name(), importTensor, tensor);
  for (const SparseTensorProto &tensor : graph.sparse_initializer())
    import(tensor.values().name(), importSparseTensor, tensor);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string GraphImporter::nodeName(const NodeProto &node, int index) const {
  if (!node.name().empty())
    return frame.prefix + node.name();
  return unnamedNode(node, index, path.empty() ? frame.prefix : path);
}

Location GraphImporter::nodeLoc(const NodeProto &node, int index) const {
  return nodeLocation(nodeName(node, index), operatorName(node),
                      state.modelLoc);
}

InFlightDiagnostic GraphImporter::error(const NodeProto &node, Location loc) {
  std::string name;
  if (auto named = dyn_cast<NameLoc>(loc))
    name = quote(named.getName()) + " ";
  return state.error(loc) << "node " << name << "(" << operatorName(node)
                          << "): ";
}

void GraphImporter::breakOutputs(const NodeProto &node) {
  for (const std::string &output : node.output()) {
    if (output.empty())
      continue;
    auto [binding, isNew] =
        scope.values.try_emplace(output, Binding{Value(), /*isBroken=*/true});
    if (isNew && state.keepsRest() && !scope.parent && !frame.function)
      binding->second = inputInPlaceOf(output);
  }
}

/// An argument of the entry function, if the type of the tensor is declared.
Binding GraphImporter::inputInPlaceOf(StringRef name) {
  const ::onnx::TypeProto *proto = declared.lookup(name);
  std::string why;
  FailureOr<Type> type =
      proto ? importType(state, *proto, true, why) : FailureOr<Type>(failure());
  if (failed(type) || isa<NoneType>(*type))
    return {Value(), /*isBroken=*/true};
  Block *entry = builder.getInsertionBlock();
  return {entry->addArgument(*type, state.nameLoc(name))};
}

void GraphImporter::reportCycle(const RepeatedPtrField<NodeProto> &nodes,
                                ArrayRef<int> cycle) {
  for (const NodeProto &node : nodes)
    breakOutputs(node);
  const NodeProto &first = nodes.Get(cycle.front());
  std::string names;
  for (int index : cycle.take_front(8))
    names += quote(nodeName(nodes.Get(index), index)) + " (" +
             operatorName(nodes.Get(index)) + ") -> ";
  names += cycle.size() > 8 ? "... -> " : "";
  error(first, nodeLoc(first, cycle.front()))
      << "its result depends on itself: " << names
      << quote(nodeName(first, cycle.front()));
}

void GraphImporter::importNodes(const RepeatedPtrField<NodeProto> &nodes,
                                llvm::StringSet<> &names) {
  auto isTaken = [&](int index) { return !part || part->nodes.test(index); };
  for (auto [index, node] : llvm::enumerate(nodes))
    if (isTaken(static_cast<int>(index)))
      forEachRead(node, [&](StringRef name) { names.insert(name); });
  readNames = &names;
  observeUnread();
  std::vector<int> cycle;
  std::vector<int> order = orderNodes(
      nodes, isTaken,
      [&](StringRef name) { return scope.values.contains(name); }, cycle);
  if (!cycle.empty())
    return reportCycle(nodes, cycle);
  for (int index : order) {
    if (state.hasGivenUp())
      return;
    const NodeProto &node = nodes.Get(index);
    if (!state.takeNode(nodeLoc(node, index), frame.function != nullptr))
      return;
    isUpgraded = false;
    importNode(node, index);
    observe(node, index);
  }
}

void GraphImporter::observe(const NodeProto &node, int index) {
  if (!state.observer)
    return;
  ImportedNode seen{nodeLoc(node, index),
                    operatorName(node),
                    versionOf(node),
                    isUpgraded,
                    {},
                    {},
                    {}};
  auto valueOf = [&](const std::string &name) {
    const Binding *binding = name.empty() ? nullptr : scope.find(name);
    return binding ? binding->value : Value();
  };
  for (const std::string &name : node.input()) {
    seen.inputs.push_back(name);
    seen.operands.push_back(valueOf(name));
  }
  for (const std::string &name : node.output()) {
    seen.outputs.push_back(name);
    seen.results.push_back(valueOf(name));
    if (!name.empty() && !readNames->contains(name))
      seen.unread.push_back(name);
  }
  state.observer->imported(seen);
  if (state.observer->wantsModel(nodeName(node, index)))
    state.observer->takeModel(modelOf(node, index));
}

/// Inputs and initializers of the main graph without a use.
void GraphImporter::observeUnread() {
  if (!state.observer || scope.parent || frame.function)
    return;
  for (const auto &[name, binding] : scope.values)
    if (binding.value && !readNames->contains(name))
      state.observer->unread(binding.value.getLoc(),
                             isa<BlockArgument>(binding.value));
}

/// Replaces references to attributes of the function around, and adds kinds
/// that old files leave out. Nothing if the node is fine as it is.
std::optional<NodeProto> GraphImporter::resolveAttributes(const NodeProto &node,
                                                          int64_t version) {
  bool isFine = llvm::all_of(node.attribute(), [](const AttributeProto &a) {
    return a.ref_attr_name().empty() && a.type() != AttributeProto::UNDEFINED;
  });
  if (isFine)
    return std::nullopt;
  NodeProto resolved = node;
  resolved.clear_attribute();
  for (const AttributeProto &attribute : node.attribute()) {
    const AttributeProto *source = &attribute;
    if (!attribute.ref_attr_name().empty())
      source = frame.attributes.lookup(attribute.ref_attr_name());
    // Left out by the caller: left out here.
    if (!source)
      continue;
    AttributeProto &copy = *resolved.add_attribute();
    copy = *source;
    copy.set_name(attribute.name());
    if (copy.type() == AttributeProto::UNDEFINED)
      copy.set_type(
          declaredKind(node, static_cast<int>(version), attribute.name()));
  }
  return resolved;
}

/// Later versions refuse some combinations of optional results, and every
/// result costs.
NodeProto GraphImporter::dropUnread(const NodeProto &node,
                                    int64_t version) const {
  NodeProto reduced = node;
  for (std::string &output : *reduced.mutable_output())
    if (!output.empty() && !readNames->contains(output))
      output.clear();
  restoreRequiredOutputs(node, static_cast<int>(version), reduced);
  return reduced;
}

/// The version that a node is written in: that of the operator set, unless an
/// upgrade rule made the node.
int64_t GraphImporter::versionOf(const NodeProto &node) const {
  for (const auto &entry : node.metadata_props())
    if (entry.key() == madeInVersionKey)
      return std::atoi(entry.value().c_str());
  std::string domain = plainDomain(node.domain());
  auto opset = frame.opsets.find(domain);
  if (opset != frame.opsets.end())
    return opset->second;
  // A domain of one version needs no import: tf2onnx writes none, and
  // onnxruntime asks for none.
  return newestOpset(domain) == 1 ? 1 : 0;
}

/// The errors in a node of no function: its attributes have values of their
/// own.
static std::vector<std::string> describeReferences(const NodeProto &node) {
  std::vector<std::string> problems;
  for (const AttributeProto &attribute : node.attribute())
    if (!attribute.ref_attr_name().empty())
      problems.push_back("attribute " + quote(attribute.name()) +
                         " refers to attribute " +
                         quote(attribute.ref_attr_name()) +
                         " of a function, but the node is in none");
  return problems;
}

/// Names the attributes of the function around that the node refers to and the
/// call does not give.
void GraphImporter::noteMissing(const NodeProto &node,
                                InFlightDiagnostic &diagnostic) const {
  for (const AttributeProto &attribute : node.attribute())
    if (const std::string &outer = attribute.ref_attr_name();
        frame.function && !outer.empty() && !frame.attributes.contains(outer))
      diagnostic.attachNote()
          << "attribute " << quote(attribute.name()) << " is attribute "
          << quote(outer) << " of the function "
          << quote(frame.function->name()) << ", which node "
          << quote(StringRef(frame.prefix).drop_back().str())
          << " does not give";
}

static NodeProto moveToOwnDomain(const NodeProto &node,
                                 const Misplaced &actual) {
  NodeProto moved = node;
  moved.set_domain(actual.domain);
  auto *version = moved.add_metadata_props();
  version->set_key(madeInVersionKey);
  version->set_value(std::to_string(actual.version));
  return moved;
}

void GraphImporter::importNode(const NodeProto &node, int index) {
  Location loc = nodeLoc(node, index);
  std::string domain = plainDomain(node.domain());
  auto function = state.functions.find(
      functionKey(domain, node.op_type(), node.overload()));
  int64_t version = versionOf(node);
  std::optional<NodeProto> resolved = resolveAttributes(node, version);
  const NodeProto &proto = resolved ? *resolved : node;
  const FunctionProto *body =
      function == state.functions.end() ? nullptr : function->second;
  const schema::CustomOp *custom =
      state.customOps ? state.customOps->find(domain, node.op_type(), version)
                      : nullptr;
  if (custom && (!body || custom->replacesFunction()))
    return importCustom(proto, *custom, body, loc);
  if (custom)
    warnOfFunction(proto, loc);
  if (body)
    return importCall(proto, *body, loc);
  if (const Misplaced *actual = findMisplaced(node, version))
    return importNode(moveToOwnDomain(node, *actual), index);
  std::vector<std::string> problems;
  if (newestOpset(domain) == 0)
    problems.push_back(describeUnknown(proto, domain, version));
  else if (version == 0)
    problems.push_back("the model does not import domain " +
                       quote(domain.empty() ? "ai.onnx" : domain));
  else
    problems = checkNode(proto, static_cast<int>(version));
  if (!frame.function)
    llvm::append_range(problems, describeReferences(node));
  for (const std::string &problem : problems)
    if (!state.hasGivenUp()) {
      InFlightDiagnostic diagnostic = error(proto, loc) << problem;
      noteMissing(node, diagnostic);
    }
  if (!problems.empty())
    return breakOutputs(proto);
  bool hasUnread = llvm::any_of(proto.output(), [&](const std::string &name) {
    return !name.empty() && !readNames->contains(name);
  });
  importVersioned(hasUnread ? dropUnread(proto, version) : proto, version, loc);
}

void GraphImporter::importVersioned(const NodeProto &proto, int64_t version,
                                    Location loc) {
  ScopeOracle oracle(scope);
  UpgradeResult upgraded = upgradeNode(proto, static_cast<int>(version), oracle,
                                       [this] { return state.freshName(); });
  if (!upgraded.error.empty()) {
    error(proto, loc) << "cannot be upgraded to the newest version of the "
                         "operator: "
                      << upgraded.error;
    return breakOutputs(proto);
  }
  if (upgraded.nodes.empty())
    return buildOperation(proto, loc);
  isUpgraded = true;
  // Every rule upgrades the version, so this ends.
  for (const VersionedNode &next : upgraded.nodes)
    importVersioned(next.node, next.version, loc);
}

bool GraphImporter::importOperands(const NodeProto &node, Location loc,
                                   SmallVectorImpl<Value> &operands) {
  bool isComplete = true;
  for (auto [index, name] : llvm::enumerate(node.input())) {
    if (name.empty()) {
      operands.push_back(Value());
      continue;
    }
    FailureOr<Value> value = lookup(name, [&, position = index] {
      return error(node, loc) << "input " << position << " ";
    });
    isComplete &= succeeded(value);
    operands.push_back(succeeded(value) ? *value : Value());
  }
  return isComplete;
}
