//===- GraphAttributes.cpp - Graphs of nodes as regions --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "NodeCheck.h"
#include "ProtoTypes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Schema/TypeLattice.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::ValueInfoProto;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static const AttributeProto *findAttribute(const NodeProto &node,
                                           StringRef name) {
  for (const AttributeProto &attribute : node.attribute())
    if (name == attribute.name())
      return &attribute;
  return nullptr;
}

/// Element `index` of the INTS attribute `name`, 0 if there is none.
static int64_t listElement(const NodeProto &node, StringRef name, int index) {
  const AttributeProto *attribute = findAttribute(node, name);
  return attribute && index < attribute->ints_size() ? attribute->ints(index)
                                                     : 0;
}

/// One slice of `type` across `axis`.
static Type dropAxis(Type type, int64_t axis) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return onnxc::schema::dropShape(type);
  axis += axis < 0 ? tensor.getRank() : 0;
  if (axis < 0 || axis >= tensor.getRank())
    return onnxc::schema::dropShape(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// `size` slices of `type` stacked along `axis`.
static Type addAxis(Type type, int64_t axis, int64_t size) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return onnxc::schema::dropShape(type);
  SmallVector<int64_t> shape(tensor.getShape());
  axis += axis < 0 ? tensor.getRank() + 1 : 0;
  if (axis < 0 || axis > tensor.getRank())
    return onnxc::schema::dropShape(type);
  shape.insert(shape.begin() + axis, size);
  return RankedTensorType::get(shape, tensor.getElementType());
}

static Type elementOf(Type type) {
  auto sequence = dyn_cast<onnxc::onnx::SeqType>(type);
  return sequence ? sequence.getElementType() : type;
}

/// At most as many as there are inputs; the verifier refuses other numbers.
static int64_t countScanInputs(const NodeProto &node) {
  const AttributeProto *count = findAttribute(node, "num_scan_inputs");
  return count ? std::clamp<int64_t>(count->i(), 0, node.input_size()) : 0;
}

/// Types of the values that the node passes to its body; those of inputs that
/// are not known are NoneType. Nothing if the declared types are all there is.
static std::optional<SmallVector<Type>>
bodyArguments(const NodeProto &node, ArrayRef<Type> inputs, Builder &b) {
  SmallVector<Type> types;
  if (node.op_type() == "If")
    return types;
  if (node.op_type() == "Loop") {
    types = {RankedTensorType::get({}, b.getI64Type()),
             RankedTensorType::get({}, b.getI1Type())};
    for (Type type : inputs.drop_front(std::min<size_t>(2, inputs.size())))
      types.push_back(onnxc::schema::dropShape(type));
    return types;
  }
  if (node.op_type() == "SequenceMap") {
    for (Type type : inputs)
      types.push_back(elementOf(type));
    return types;
  }
  if (node.op_type() != "Scan")
    return std::nullopt;
  int64_t states = static_cast<int64_t>(inputs.size()) - countScanInputs(node);
  for (auto [index, type] : llvm::enumerate(inputs)) {
    int64_t slice = static_cast<int64_t>(index) - states;
    types.push_back(slice < 0
                        ? type
                        : dropAxis(type, listElement(node, "scan_input_axes",
                                                     static_cast<int>(slice))));
  }
  return types;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The number of the iteration or the condition of a Loop, as a list of one
/// element where the body declares it so: tf2onnx does, and cuts slices with
/// it.
static Value asDeclared(OpBuilder &b, BlockArgument scalar, Type declared) {
  Operation *parent = scalar.getOwner()->getParentOp();
  auto is = cast<RankedTensorType>(scalar.getType());
  auto wanted = dyn_cast<RankedTensorType>(declared);
  if (!parent || parent->getName().getStringRef() != "onnx.Loop" || !wanted ||
      wanted.getRank() != 1 || wanted.getElementType() != is.getElementType())
    return scalar;
  OperationState shape(scalar.getLoc(), "onnx.Constant");
  shape.addTypes(RankedTensorType::get({1}, b.getI64Type()));
  shape.addAttribute("value", b.getI64TensorAttr({1}));
  OperationState list(scalar.getLoc(), "onnx.Reshape");
  list.addTypes(RankedTensorType::get({1}, is.getElementType()));
  list.addOperands({scalar, b.create(shape)->getResult(0)});
  return b.create(list)->getResult(0);
}

void GraphImporter::importArguments(const GraphProto &graph, Block *block,
                                    Location loc, ArrayRef<Type> argumentTypes,
                                    bool dropsShapes) {
  for (auto [input, type] : llvm::zip_equal(graph.input(), argumentTypes)) {
    Type declared = declaredType(input.name(), loc);
    if (dropsShapes && block->getNumArguments() >= 2)
      declared = onnxc::schema::dropShape(declared);
    FailureOr<Type> both = schema::meetTypes(type, declared);
    BlockArgument argument =
        block->addArgument(succeeded(both) ? *both : type, loc);
    Value value = argument;
    if (failed(both) && argument.getArgNumber() < 2 &&
        isa<RankedTensorType>(type))
      value = asDeclared(builder, argument, declared);
    define(input.name(), {value}, loc);
  }
}

bool GraphImporter::importYield(const GraphProto &graph, Location loc) {
  SmallVector<Value> results;
  for (const ValueInfoProto &output : graph.output()) {
    FailureOr<Value> value = lookupRequired(output.name(), [&] {
      return state.error(loc)
             << "output of graph " << quote(graph.name()) << " ";
    });
    if (succeeded(value))
      results.push_back(*value);
  }
  OperationState yield(loc, "onnx.Yield");
  yield.addOperands(results);
  builder.create(yield);
  return results.size() == static_cast<size_t>(graph.output_size());
}

bool GraphImporter::importGraph(const GraphProto &graph, Region &region,
                                Location loc, StringRef attribute,
                                ArrayRef<Type> argumentTypes) {
  ++state.depth;
  llvm::scope_exit leave([&] { --state.depth; });
  if (state.depth > state.limits.nesting) {
    state.error(loc) << "graphs and functions are nested more than "
                     << state.limits.nesting
                     << " deep; --limit=nesting=N allows more";
    return false;
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region);
  Scope inner(&scope);
  GraphImporter body(state, builder, frame, inner);
  body.declareTypes(graph.input());
  body.declareTypes(graph.output());
  body.declareTypes(graph.value_info());
  unsigned errorsBefore = state.errorCount;
  body.importArguments(graph, block, loc, argumentTypes, ignoresShapes);
  body.ignoresShapes = ignoresShapes;
  if (auto named = dyn_cast<NameLoc>(loc))
    body.path = (named.getName().strref() + "/" + attribute + "/").str();
  body.importInitializers(graph);
  body.importNodes(graph.node(), graph.output());
  body.noteTaps(graph);
  bool hasOutputs = body.importYield(graph, loc);
  return hasOutputs && state.errorCount == errorsBefore;
}

/// Keeps the tensors of a branch or body that are to be outputs.
void GraphImporter::noteTaps(const GraphProto &graph) {
  if (state.wantedBodyTaps.empty() || frame.function)
    return;
  for (const NodeProto &node : graph.node())
    for (const std::string &tensor : node.output()) {
      auto found = scope.values.find(tensor);
      if (!tensor.empty() && found != scope.values.end() &&
          found->second.value && state.wantedBodyTaps.contains(path + tensor))
        state.bodyTaps.push_back({path + tensor,
                                  StringRef(path).drop_back().str(),
                                  found->second.value});
    }
}

/// Returns true if the body of a Loop is entered with, or returns, a tensor
/// that it carries with another rank than it declares. `inputs` are the node's.
static bool changesDeclaredRank(Operation *op, ArrayRef<Type> inputs) {
  if (op->getName().getStringRef() != "onnx.Loop")
    return false;
  Block &body = op->getRegion(0).front();
  // The number of the iteration is no result.
  for (auto [argument, yield] :
       llvm::zip(body.getArguments().drop_front(),
                 body.getTerminator()->getOperandTypes())) {
    auto taken = dyn_cast<RankedTensorType>(argument.getType());
    unsigned number = argument.getArgNumber();
    if (number < 2 || !taken)
      continue;
    for (Type type : {yield, number < inputs.size() ? inputs[number] : yield})
      if (auto given = dyn_cast<RankedTensorType>(type);
          given && given.getRank() != taken.getRank())
        return true;
  }
  return false;
}

/// Imports a body that contradicts its declarations without their shapes. Its
/// nodes count as those of functions do: bodies inside are imported again each
/// time.
bool GraphImporter::importAgain(const GraphProto &graph, Region &region,
                                Location loc, StringRef attribute,
                                ArrayRef<Type> argumentTypes) {
  for (int i = 0; i < graph.node_size(); ++i)
    if (!state.takeNode(loc, /*isInlined=*/true))
      return false;
  llvm::erase_if(state.bodyTaps, [&](BodyTap tap) {
    return region.isAncestor(tap.value.getParentRegion());
  });
  region.dropAllReferences();
  region.getBlocks().clear();
  llvm::SaveAndRestore ignore(ignoresShapes, true);
  return importGraph(graph, region, loc, attribute, argumentTypes);
}

bool GraphImporter::importGraphs(const NodeProto &node, Operation *op) {
  if (op->getNumRegions() == 0)
    return true;
  SmallVector<Type> inputs;
  for (const std::string &name : node.input()) {
    const Binding *binding = name.empty() ? nullptr : scope.find(name);
    inputs.push_back(binding && binding->value ? binding->value.getType()
                                               : builder.getNoneType());
  }
  std::optional<SmallVector<Type>> arguments =
      bodyArguments(node, inputs, builder);
  std::vector<std::string> names = graphAttributes(node);
  for (auto [name, region] : llvm::zip_equal(names, op->getRegions())) {
    const AttributeProto *attribute = findAttribute(node, name);
    if (!attribute)
      continue;
    const GraphProto &graph = attribute->g();
    SmallVector<Type> types = arguments.value_or(
        SmallVector<Type>(graph.input_size(), Type(builder.getNoneType())));
    if (static_cast<int>(types.size()) != graph.input_size()) {
      error(node, op->getLoc())
          << "its graph '" << name << "' has " << graph.input_size()
          << " inputs, but is given " << types.size();
      return false;
    }
    if (!importGraph(graph, region, op->getLoc(), name, types))
      return false;
    if (!ignoresShapes && changesDeclaredRank(op, inputs)) {
      contradicted.insert(op);
      if (!importAgain(graph, region, op->getLoc(), name, types))
        return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static SmallVector<Type> yieldedTypes(Region &region) {
  if (region.empty())
    return {};
  return llvm::to_vector(region.front().getTerminator()->getOperandTypes());
}

/// The types that one round, or no round, through the body leaves.
static SmallVector<Type> bodyResults(const NodeProto &node, Operation *op) {
  SmallVector<Type> yields = yieldedTypes(op->getRegion(0));
  if (node.op_type() == "Loop")
    yields.erase(yields.begin(), yields.begin() + !yields.empty());
  return yields;
}

/// The type of a loop-carried value, given its types before and after an
/// iteration. A round may fill an optional value: a value of the element's type
/// remains.
static FailureOr<Type> carriedType(Type initial, Type yield) {
  auto optional = dyn_cast<onnxc::onnx::OptType>(initial);
  if (optional && !isa<onnxc::onnx::OptType>(yield))
    initial = optional.getElementType();
  return onnxc::schema::joinTypes(initial, yield);
}

/// How often a Scan runs its body: the size of its last input along the axis
/// that is scanned.
static int64_t scanLength(const NodeProto &node, ArrayRef<Type> inputs) {
  auto last = inputs.empty() ? RankedTensorType()
                             : dyn_cast<RankedTensorType>(inputs.back());
  int64_t count = countScanInputs(node);
  if (!last || count < 1)
    return ShapedType::kDynamic;
  int64_t axis =
      listElement(node, "scan_input_axes", static_cast<int>(count - 1));
  axis += axis < 0 ? last.getRank() : 0;
  return axis >= 0 && axis < last.getRank() ? last.getDimSize(axis)
                                            : ShapedType::kDynamic;
}

/// Types of the results of a Loop or Scan that carries `initial` through its
/// body, `length` times.
static FailureOr<SmallVector<Type>> loopResults(const NodeProto &node,
                                                ArrayRef<Type> yields,
                                                ArrayRef<Type> initial,
                                                int64_t length) {
  SmallVector<Type> types;
  for (auto [index, yield] : llvm::enumerate(yields)) {
    if (index < initial.size()) {
      FailureOr<Type> both = carriedType(initial[index], yield);
      if (failed(both))
        return failure();
      types.push_back(*both);
      continue;
    }
    int slice = static_cast<int>(index - initial.size());
    types.push_back(
        addAxis(yield, listElement(node, "scan_output_axes", slice), length));
  }
  return types;
}

static FailureOr<SmallVector<Type>> branchResults(Operation *op) {
  SmallVector<Type> types = yieldedTypes(op->getRegion(0));
  SmallVector<Type> others = yieldedTypes(op->getRegion(1));
  if (types.size() != others.size())
    return failure();
  for (auto [type, other] : llvm::zip_equal(types, others)) {
    FailureOr<Type> both = onnxc::schema::joinTypes(type, other);
    if (failed(both))
      return failure();
    type = *both;
  }
  return types;
}

static FailureOr<SmallVector<Type>>
regionResults(const NodeProto &node, Operation *op, ArrayRef<Type> inputs) {
  if (node.op_type() == "If")
    return branchResults(op);
  SmallVector<Type> yields = bodyResults(node, op);
  if (node.op_type() == "Loop")
    return loopResults(node, yields,
                       inputs.drop_front(std::min<size_t>(2, inputs.size())),
                       ShapedType::kDynamic);
  if (node.op_type() == "Scan")
    return loopResults(
        node, yields,
        inputs.drop_back(std::min<size_t>(
            static_cast<size_t>(countScanInputs(node)), inputs.size())),
        scanLength(node, inputs));
  if (node.op_type() == "SequenceMap")
    for (Type &type : yields)
      type = isa<NoneType>(type)
                 ? type
                 : Type(onnxc::onnx::SeqType::get(op->getContext(), type));
  else
    yields.assign(op->getNumResults(), NoneType::get(op->getContext()));
  return yields;
}

/// "tensor(float), seq(tensor(int64))"
static std::string listTypes(TypeRange types) {
  return types.empty()
             ? "nothing"
             : llvm::join(llvm::map_range(types, onnxc::onnx::getONNXSpelling),
                          ", ");
}

void GraphImporter::reportResults(const NodeProto &node, Operation *op,
                                  TypeRange inputs) {
  bool isReported = !state.hasGivenUp(), isIf = node.op_type() == "If";
  InFlightDiagnostic failed = error(node, op->getLoc());
  failed << (isIf ? "its branches return different numbers of values, or "
                    "elements of different types"
                  : "its body returns other types than it is called with");
  if (!isReported)
    return;
  for (auto [number, region] : llvm::enumerate(op->getRegions())) {
    if (region.empty())
      continue;
    Operation *yield = region.front().getTerminator();
    // The node of a result: most branches and bodies have one.
    failed.attachNote(yield->getNumOperands()
                          ? yield->getOperands().back().getLoc()
                          : yield->getLoc())
        << (!isIf         ? "the body"
            : number == 0 ? "then_branch"
                          : "else_branch")
        << " returns " << listTypes(yield->getOperandTypes());
  }
  if (!isIf)
    failed.attachNote(op->getLoc())
        << "the operands of the node are " << listTypes(inputs);
}

bool GraphImporter::inferRegionTypes(const NodeProto &node, Operation *op) {
  SmallVector<Type> inputs;
  for (const std::string &name : node.input()) {
    const Binding *binding = name.empty() ? nullptr : scope.find(name);
    inputs.push_back(binding && binding->value ? binding->value.getType()
                                               : builder.getNoneType());
  }
  FailureOr<SmallVector<Type>> types = regionResults(node, op, inputs);
  if (failed(types)) {
    reportResults(node, op, inputs);
    return false;
  }
  if (types->size() != op->getNumResults()) {
    error(node, op->getLoc())
        << "it has " << node.output_size() << " outputs, but its graph returns "
        << types->size();
    return false;
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), *types))
    result.setType(type);
  return true;
}
