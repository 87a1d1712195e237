//===- ControlFlow.cpp - Gradients of If, Scan and Loop ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A branch goes back in a branch. A loop goes back in a Scan from its last
// iteration to its first, which computes each iteration again from the states
// it began with: the loop itself puts them aside.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

/// The values that regions of `op` read from outside and that need a gradient.
static SmallVector<Value> capturedBy(Backward &back, Operation *op) {
  llvm::SetVector<Value> values;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (back.needs(operand) &&
            !op->isAncestor(operand.getParentRegion()->getParentOp()))
          values.insert(operand);
    });
  return values.takeVector();
}

/// A gradient as a body yields it: never left out, and of the type of `value`.
static Value yielded(NodeMaker &graph, Value gradient, Value value) {
  if (!gradient)
    gradient = graph.zerosLike(value);
  if (gradient.getType() == value.getType())
    return gradient;
  if (gradient.getDefiningOp() && gradient.use_empty())
    gradient.setType(value.getType());
  return gradient;
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// A branch that yields the gradients of `captured` instead.
static LogicalResult backInBranch(Backward &back, Operation *op, Block &branch,
                                  ArrayRef<Value> captured) {
  Operation *end = branch.getTerminator();
  SmallVector<unsigned> numbers;
  for (OpResult result : op->getResults())
    if (back.gradientOf(result))
      numbers.push_back(result.getResultNumber());
  auto seedOf = [&](Backward &, unsigned number) {
    return back.gradientOf(op->getResult(number));
  };
  FailureOr<SmallVector<Value>> gradients =
      differentiate(back.table, end, captured, numbers, seedOf);
  if (failed(gradients))
    return failure();
  OpBuilder builder(end);
  NodeMaker graph(builder, end->getLoc());
  SmallVector<Value> results;
  for (auto [gradient, value] : llvm::zip(*gradients, captured))
    results.push_back(yielded(graph, gradient, value));
  end->setOperands(results);
  return success();
}

static LogicalResult branches(Backward &back, Operation *op, Value) {
  SmallVector<Value> captured = capturedBy(back, op);
  SmallVector<Type> types;
  for (Value value : captured)
    types.push_back(value.getType());
  Operation *reverse = back.makeTyped("If", op->getOperands(), {}, types);
  for (auto [from, to] : llvm::zip(op->getRegions(), reverse->getRegions())) {
    IRMapping mapping;
    to.dropAllReferences();
    to.getBlocks().clear();
    from.cloneInto(&to, mapping);
    if (failed(backInBranch(back, op, to.front(), captured)))
      return failure();
  }
  for (auto [value, gradient] : llvm::zip(captured, reverse->getResults()))
    back.give(value, gradient);
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

/// Scan and Loop, seen as one: states that go from iteration to iteration,
/// slices of inputs that an iteration gets, slices of outputs that it makes.
class LoopBack {
public:
  LoopBack(Backward &back, Operation *op);

  LogicalResult run();

private:
  /// The arguments of the Scan's body, in the order of makeScan(): those of
  /// values of the loop's body are in `mapping`.
  struct BodyArguments {
    SmallVector<Value> stateGradients, sums, outputGradients;
    IRMapping mapping;
  };

  LogicalResult checkStates();
  void saveStates();
  void chooseCarried();
  Operation *makeScan();
  LogicalResult fillBody(Operation *scan);
  BodyArguments addBodyArguments(Block &body);
  void cloneBody(Block &body, IRMapping &mapping);
  LogicalResult goBackInBody(Block &body, ArrayRef<Value> from,
                             ArrayRef<Value> states, ArrayRef<Value> outputs);
  void giveResults(Operation *scan);

  int64_t arrayItem(StringRef name, size_t i) const {
    auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
    return list && i < size_t(list.size()) ? list[i] : 0;
  }
  bool isScan() const { return isa<ScanOp>(op); }
  Block &bodyOf(Operation *loop) const { return loop->getRegion(0).front(); }
  /// The number of the first state in the operands, in the arguments of the
  /// body and in the yielded values.
  unsigned firstOperand() const {
    return isScan() ? 0 : op->getNumOperands() - states;
  }
  unsigned firstArgument() const { return isScan() ? 0 : 2; }
  unsigned firstYielded() const { return isScan() ? 0 : 1; }

  Backward &back;
  Operation *op;
  unsigned states, inputs, outputs;
  /// Numbers of states, inputs and outputs that have gradients.
  SmallVector<unsigned> floatStates, floatInputs, floatOutputs;
  SmallVector<Value> captured;
  /// The arguments of the body in each iteration, beside the inputs: the
  /// states, and the number of the iteration in a Loop.
  SmallVector<Value> saved;
};

} // namespace

LoopBack::LoopBack(Backward &back, Operation *op) : back(back), op(op) {
  if (isScan()) {
    inputs = unsigned(integerOf(op, "num_scan_inputs", 0));
    states = op->getNumOperands() - inputs;
  } else {
    inputs = 0;
    states = bodyOf(op).getNumArguments() - 2;
  }
  outputs = op->getNumResults() - states;
}

/// The values saved for each iteration must be tensors.
LogicalResult LoopBack::checkStates() {
  for (BlockArgument argument : bodyOf(op).getArguments())
    if (!isa<RankedTensorType>(argument.getType()))
      return op->emitOpError("has a gradient where all loop-carried values are "
                             "tensors of known ranks only");
  return success();
}

static Type stackOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// The loop becomes one that also returns the states before each iteration.
void LoopBack::saveStates() {
  Block &old = bodyOf(op);
  SmallVector<BlockArgument> kept(
      old.getArguments().slice(firstArgument(), states));
  if (!isScan())
    kept.push_back(old.getArgument(0));
  SmallVector<Type> types(op->getResultTypes());
  for (BlockArgument argument : kept)
    types.push_back(stackOf(argument.getType()));
  OpBuilder builder(op);
  NodeMaker graph(builder, op->getLoc());
  SmallVector<NamedAttribute> attributes = attributesOf(op);
  if (isScan())
    for (NamedAttribute &attribute : attributes)
      if (attribute.getName() == "scan_output_axes" ||
          attribute.getName() == "scan_output_directions") {
        SmallVector<int64_t> list(
            cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef());
        list.resize(list.size() + kept.size(), 0);
        attribute = graph.list(attribute.getName(), list);
      }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(types);
  state.addAttributes(attributes);
  if (Attribute sizes = op->getAttr("operandSegmentSizes"))
    state.addAttribute("operandSegmentSizes", sizes);
  state.addRegion();
  Operation *saving = builder.create(state);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&saving->getRegion(0), mapping);
  Operation *end = bodyOf(saving).getTerminator();
  SmallVector<Value> yields(end->getOperands());
  for (BlockArgument argument : kept)
    yields.push_back(mapping.lookup(argument));
  end->setOperands(yields);
  llvm::append_range(saved,
                     saving->getResults().drop_front(op->getNumResults()));
  op->replaceAllUsesWith(saving->getResults().take_front(op->getNumResults()));
}

void LoopBack::chooseCarried() {
  captured = capturedBy(back, op);
  for (unsigned i = 0; i < states; ++i)
    if (mayHaveGradient(op->getResult(i)))
      floatStates.push_back(i);
  for (unsigned i = 0; i < inputs; ++i)
    if (back.needs(op->getOperand(states + i)))
      floatInputs.push_back(i);
  for (unsigned i = 0; i < outputs; ++i)
    if (back.gradientOf(op->getResult(states + i)))
      floatOutputs.push_back(i);
}

/// Operands: gradients of the states, sums of those of captured values; then
/// by slices the states before each iteration, its inputs, the gradients of its
/// outputs. Results: the first two at the end, and gradients of inputs.
Operation *LoopBack::makeScan() {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (unsigned i : floatStates)
    operands.push_back(back.gradientOrZeros(op->getResult(i)));
  for (Value value : captured)
    operands.push_back(back.zerosLike(value));
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Value like = i < floatStates.size()
                     ? op->getOperand(firstOperand() + floatStates[i])
                     : captured[i - floatStates.size()];
    types.push_back(like.getType());
  }
  SmallVector<int64_t> axes(saved.size(), 0), directions(saved.size(), 1);
  llvm::append_range(operands, saved);
  for (unsigned i = 0; i < inputs; ++i) {
    operands.push_back(op->getOperand(states + i));
    axes.push_back(arrayItem("scan_input_axes", i));
    directions.push_back(1 - arrayItem("scan_input_directions", i));
  }
  for (unsigned i : floatOutputs) {
    operands.push_back(back.gradientOf(op->getResult(states + i)));
    axes.push_back(arrayItem("scan_output_axes", i));
    directions.push_back(1 - arrayItem("scan_output_directions", i));
  }
  SmallVector<int64_t> outAxes, outDirections;
  for (unsigned i : floatInputs) {
    types.push_back(op->getOperand(states + i).getType());
    outAxes.push_back(arrayItem("scan_input_axes", i));
    outDirections.push_back(1 - arrayItem("scan_input_directions", i));
  }
  return back.makeTyped("Scan", operands,
                        {back.integer("num_scan_inputs", int64_t(axes.size())),
                         back.list("scan_input_axes", axes),
                         back.list("scan_input_directions", directions),
                         back.list("scan_output_axes", outAxes),
                         back.list("scan_output_directions", outDirections)},
                        types);
}

LoopBack::BodyArguments LoopBack::addBodyArguments(Block &body) {
  Block &old = bodyOf(op);
  BodyArguments made;
  auto argument = [&](Type type) {
    return body.addArgument(type, op->getLoc());
  };
  auto replacement = [&](BlockArgument of) {
    made.mapping.map(of, argument(of.getType()));
  };
  for (unsigned i : floatStates)
    made.stateGradients.push_back(
        argument(old.getArgument(firstArgument() + i).getType()));
  for (Value value : captured)
    made.sums.push_back(argument(value.getType()));
  for (unsigned i = 0; i < states; ++i)
    replacement(old.getArgument(firstArgument() + i));
  if (!isScan())
    replacement(old.getArgument(0));
  for (unsigned i = 0; i < inputs; ++i)
    replacement(old.getArgument(states + i));
  Operation *oldEnd = old.getTerminator();
  for (unsigned i : floatOutputs)
    made.outputGradients.push_back(
        argument(oldEnd->getOperand(firstYielded() + states + i).getType()));
  return made;
}

void LoopBack::cloneBody(Block &body, IRMapping &mapping) {
  Block &old = bodyOf(op);
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  if (!isScan()) {
    // An iteration takes place because this was true.
    auto type = RankedTensorType::get({}, builder.getI1Type());
    Value goes = NodeMaker(builder, op->getLoc())
                     .constant(DenseElementsAttr::get(type, true));
    mapping.map(old.getArgument(1), goes);
  }
  for (Operation &inner : old)
    builder.clone(inner, mapping);
}

LogicalResult LoopBack::fillBody(Operation *scan) {
  Region &region = scan->getRegion(0);
  region.dropAllReferences();
  region.getBlocks().clear();
  Block &body = region.emplaceBlock();
  auto [stateGradients, sums, outputGradients, mapping] =
      addBodyArguments(body);
  cloneBody(body, mapping);

  Block &old = bodyOf(op);
  SmallVector<Value> from;
  for (unsigned i : floatStates)
    from.push_back(mapping.lookup(old.getArgument(firstArgument() + i)));
  llvm::append_range(from, captured);
  for (unsigned i : floatInputs)
    from.push_back(mapping.lookup(old.getArgument(states + i)));
  llvm::append_range(stateGradients, outputGradients);
  return goBackInBody(body, from, sums, stateGradients);
}

/// Yields gradients of `from`, added to `sums` for captured values. `seeds` are
/// those of the yielded values of the loop's body.
LogicalResult LoopBack::goBackInBody(Block &body, ArrayRef<Value> from,
                                     ArrayRef<Value> sums,
                                     ArrayRef<Value> seeds) {
  Operation *end = body.getTerminator();
  SmallVector<unsigned> numbers;
  for (unsigned i : floatStates)
    numbers.push_back(firstYielded() + i);
  for (unsigned i : floatOutputs)
    numbers.push_back(firstYielded() + states + i);
  auto seedOf = [&](Backward &, unsigned number) {
    return seeds[llvm::find(numbers, number) - numbers.begin()];
  };
  FailureOr<SmallVector<Value>> gradients =
      differentiate(back.table, end, from, numbers, seedOf);
  if (failed(gradients))
    return failure();
  OpBuilder builder(end);
  NodeMaker graph(builder, end->getLoc());
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(from)) {
    Value gradient = yielded(graph, (*gradients)[i], value);
    size_t position = i - floatStates.size();
    if (i >= floatStates.size() && position < sums.size())
      gradient = yielded(graph, graph.add(sums[position], gradient), value);
    results.push_back(gradient);
  }
  end->setOperands(results);
  return success();
}

void LoopBack::giveResults(Operation *scan) {
  unsigned next = 0;
  for (unsigned i : floatStates)
    back.give(op->getOperand(firstOperand() + i), scan->getResult(next++));
  for (Value value : captured)
    back.give(value, scan->getResult(next++));
  for (unsigned i : floatInputs)
    back.give(op->getOperand(states + i), scan->getResult(next++));
}

LogicalResult LoopBack::run() {
  if (failed(checkStates()))
    return failure();
  chooseCarried();
  saveStates();
  Operation *scan = makeScan();
  if (failed(fillBody(scan)))
    return failure();
  giveResults(scan);
  return success();
}

static LogicalResult loop(Backward &back, Operation *op, Value) {
  return LoopBack(back, op).run();
}

ArrayRef<GradientRow> onnxc::training::controlFlowGradients() {
  static constexpr GradientRow rows[] = {
      {"If", branches, /*takesAllResults=*/true},
      {"Loop", loop, /*takesAllResults=*/true},
      {"Scan", loop, /*takesAllResults=*/true},
  };
  return rows;
}
