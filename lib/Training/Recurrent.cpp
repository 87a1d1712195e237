//===- Recurrent.cpp - RNN, GRU and LSTM as scans ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The standard has no body for them. The terms of the inputs are one product
// for all steps; a Scan computes the rest, whose gradient is that of any Scan.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

namespace {

/// One layer, seen alike for the three operators. Gates are those of ONNX, in
/// its order, side by side in the last dimension.
class Layer {
public:
  Layer(NodeMaker &graph, Operation *op, Value x, Value w, Value r, Value b,
        ArrayRef<Value> initial, Value peepholes)
      : graph(graph), op(op), x(x), w(w), r(r), b(b), initial(initial),
        peepholes(peepholes) {}

  /// The results of all directions: Y, and the last states.
  LogicalResult write(SmallVectorImpl<Value> &results);

private:
  LogicalResult check(Value lengths);
  LogicalResult chooseActivations();
  /// Results of the Scan of one direction: last states, then all outputs.
  Value productsOfInputs(int64_t d);
  void fillScan(Operation *scan, Type state, int64_t d);
  SmallVector<Value> writeDirection(int64_t d, bool isReverse);
  /// The states after one step, the output first.
  SmallVector<Value> step(NodeMaker &body, Value fromInputs,
                          ArrayRef<Value> states, int64_t d);
  SmallVector<Value> stepOfRNN(NodeMaker &body, Value sum, int64_t d);
  SmallVector<Value> stepOfGRU(NodeMaker &body, Value fromInputs, Value h,
                               int64_t d);
  SmallVector<Value> stepOfLSTM(NodeMaker &body, Value sum, Value c, int64_t d);

  /// Part `d` of the first dimension, without it.
  Value direction(Value whole, int64_t d) {
    return graph.squeeze(part(graph, whole, 0, d, d + 1), 0);
  }
  static Value part(NodeMaker &to, Value x, int64_t axis, int64_t begin,
                    int64_t end) {
    return to.make("Slice",
                   {x, to.ints({begin}), to.ints({end}), to.ints({axis})});
  }
  /// Gate number `i` of a vector of gates.
  Value gate(NodeMaker &to, Value gates, int64_t i) {
    return part(to, gates, -1, i * hidden, (i + 1) * hidden);
  }
  Value activate(NodeMaker &to, unsigned i, int64_t d, Value value) {
    return to.make(activations[d * perDirection + i], value);
  }

  NodeMaker &graph;
  Operation *op;
  Value x, w, r, b;
  ArrayRef<Value> initial;
  Value peepholes;
  int64_t hidden = 0, gates = 0;
  unsigned perDirection = 0;
  SmallVector<StringRef> activations;
  /// The transposed recurrent weights, the bias of the recurrence in GRU, and
  /// the peepholes of one direction.
  Value weights, innerBias, ownPeepholes;
};

} // namespace

LogicalResult Layer::chooseActivations() {
  bool isLSTM = isa<LSTMOp>(op), isGRU = isa<GRUOp>(op);
  SmallVector<StringRef> names;
  if (isLSTM)
    names = {"Sigmoid", "Tanh", "Tanh"};
  else if (isGRU)
    names = {"Sigmoid", "Tanh"};
  else
    names = {"Tanh"};
  perDirection = names.size();
  activations = names;
  llvm::append_range(activations, names);
  auto given = op->getAttrOfType<ArrayAttr>("activations");
  if (!given)
    return success();
  for (auto [i, name] : llvm::enumerate(given.getAsRange<StringAttr>())) {
    if (i < activations.size())
      activations[i] = name.getValue();
    if (!llvm::is_contained({"Sigmoid", "Tanh", "Relu", "Softsign", "Softplus"},
                            name.getValue()))
      return op->emitOpError("has a gradient for activations without "
                             "parameters only");
  }
  return success();
}

LogicalResult Layer::check(Value lengths) {
  if (lengths || op->getAttr("clip") || integerOf(op, "layout", 0) ||
      integerOf(op, "input_forget", 0))
    return op->emitOpError("has a gradient without sequence_lens, clip, "
                           "input_forget and layout only");
  auto type = dyn_cast<RankedTensorType>(r.getType());
  bool hasSize = type && type.getRank() == 3 && !type.isDynamicDim(2);
  hidden = hasSize ? type.getDimSize(2) : integerOf(op, "hidden_size", 0);
  constexpr int64_t largest = int64_t(1) << 30;
  if (rankOf(x) != 3 || hidden < 1 || hidden > largest)
    return op->emitOpError("has a gradient for known ranks and hidden sizes "
                           "only");
  gates = isa<LSTMOp>(op) ? 4 : isa<GRUOp>(op) ? 3 : 1;
  return chooseActivations();
}

SmallVector<Value> Layer::stepOfRNN(NodeMaker &body, Value sum, int64_t d) {
  return {activate(body, 0, d, sum)};
}

/// Gates z, r and h: the reset scales the state, or its product with the
/// weights.
SmallVector<Value> Layer::stepOfGRU(NodeMaker &body, Value fromInputs, Value h,
                                    int64_t d) {
  Value fromState = body.make("MatMul", {h, weights});
  if (innerBias)
    fromState = body.add(fromState, innerBias);
  auto sum = [&](int64_t i) {
    return body.add(gate(body, fromInputs, i), gate(body, fromState, i));
  };
  Value update = activate(body, 0, d, sum(0)),
        reset = activate(body, 0, d, sum(1));
  Value candidate;
  if (integerOf(op, "linear_before_reset", 0)) {
    candidate = body.mul(reset, gate(body, fromState, 2));
  } else {
    candidate =
        body.make("MatMul", {body.mul(reset, h), gate(body, weights, 2)});
    if (innerBias)
      candidate = body.add(candidate, gate(body, innerBias, 2));
  }
  candidate =
      activate(body, 1, d, body.add(gate(body, fromInputs, 2), candidate));
  Value kept = body.mul(update, h);
  Value rest = body.sub(body.number(1, h), update);
  return {body.add(body.mul(rest, candidate), kept)};
}

/// Gates i, o, f and c.
SmallVector<Value> Layer::stepOfLSTM(NodeMaker &body, Value sum, Value c,
                                     int64_t d) {
  auto withPeephole = [&](int64_t i, int64_t hole, Value seen) {
    Value value = gate(body, sum, i);
    if (!ownPeepholes)
      return value;
    return body.add(value, body.mul(gate(body, ownPeepholes, hole), seen));
  };
  Value in = activate(body, 0, d, withPeephole(0, 0, c));
  Value forget = activate(body, 0, d, withPeephole(2, 2, c));
  Value candidate = activate(body, 1, d, gate(body, sum, 3));
  Value cell = body.add(body.mul(forget, c), body.mul(in, candidate));
  Value out = activate(body, 0, d, withPeephole(1, 1, cell));
  return {body.mul(out, activate(body, 2, d, cell)), cell};
}

SmallVector<Value> Layer::step(NodeMaker &body, Value fromInputs,
                               ArrayRef<Value> states, int64_t d) {
  if (isa<GRUOp>(op))
    return stepOfGRU(body, fromInputs, states[0], d);
  Value sum = body.add(fromInputs, body.make("MatMul", {states[0], weights}));
  return isa<LSTMOp>(op) ? stepOfLSTM(body, sum, states[1], d)
                         : stepOfRNN(body, sum, d);
}

/// Takes the weights of a direction, and returns the products of its inputs
/// with them for all steps.
Value Layer::productsOfInputs(int64_t d) {
  Value fromInputs =
      graph.make("MatMul", {x, graph.transpose(direction(w, d), {1, 0})});
  weights = graph.transpose(direction(r, d), {1, 0});
  ownPeepholes = peepholes ? direction(peepholes, d) : Value();
  if (b) {
    Value both = direction(b, d);
    int64_t half = gates * hidden;
    fromInputs = graph.add(fromInputs, part(graph, both, 0, 0, half));
    innerBias = part(graph, both, 0, half, 2 * half);
    if (!isa<GRUOp>(op))
      fromInputs = graph.add(fromInputs, innerBias);
  }
  return fromInputs;
}

/// Fills the body of a Scan over the steps, whose states are of type `state`.
void Layer::fillScan(Operation *scan, Type state, int64_t d) {
  Region &region = scan->getRegion(0);
  Block &block = region.empty() ? region.emplaceBlock() : region.front();
  auto stateType = cast<RankedTensorType>(state);
  SmallVector<Value> states;
  for (int64_t i = 0, count = isa<LSTMOp>(op) ? 2 : 1; i < count; ++i)
    states.push_back(block.addArgument(state, graph.loc));
  Value slice = block.addArgument(
      RankedTensorType::get({stateType.getDimSize(0), gates * hidden},
                            stateType.getElementType()),
      graph.loc);
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  NodeMaker body(builder, graph.loc);
  SmallVector<Value> next = step(body, slice, states, d);
  for (Value value : next)
    value.setType(state);
  next.push_back(next.front());
  YieldOp::create(builder, graph.loc, next);
}

SmallVector<Value> Layer::writeDirection(int64_t d, bool isReverse) {
  Value fromInputs = productsOfInputs(d);
  auto xType = cast<RankedTensorType>(x.getType());
  int64_t batch = xType.getDimSize(1), count = isa<LSTMOp>(op) ? 2 : 1;
  Type element = xType.getElementType();
  Type state = RankedTensorType::get({batch, hidden}, element);
  SmallVector<Value> operands;
  Value zeros = graph.make(
      "Expand", {graph.number(0, x),
                 graph.joined({graph.sizeOf(x, 1), graph.ints({hidden})})});
  for (int64_t i = 0; i < count; ++i)
    operands.push_back(initial[i] ? direction(initial[i], d) : zeros);
  operands.push_back(fromInputs);
  SmallVector<Type> types(count, state);
  types.push_back(
      RankedTensorType::get({xType.getDimSize(0), batch, hidden}, element));
  Operation *scan =
      graph.makeTyped("Scan", operands,
                      {graph.integer("num_scan_inputs", 1),
                       graph.list("scan_input_directions", {isReverse}),
                       graph.list("scan_output_directions", {isReverse})},
                      types);
  fillScan(scan, state, d);
  return llvm::to_vector_of<Value>(scan->getResults());
}

LogicalResult Layer::write(SmallVectorImpl<Value> &results) {
  Value lengths;
  if (auto lstm = dyn_cast<LSTMOp>(op))
    lengths = lstm.getSequenceLens();
  else if (auto gru = dyn_cast<GRUOp>(op))
    lengths = gru.getSequenceLens();
  else
    lengths = cast<RNNOp>(op).getSequenceLens();
  if (failed(check(lengths)))
    return failure();
  auto way = op->getAttrOfType<StringAttr>("direction");
  StringRef name = way ? way.getValue() : "forward";
  SmallVector<SmallVector<Value>> directions;
  directions.push_back(writeDirection(0, name == "reverse"));
  if (name == "bidirectional")
    directions.push_back(writeDirection(1, true));
  // Y is [steps, directions, batch, hidden], last states without the steps.
  size_t states = directions[0].size() - 1;
  auto concatenated = [&](size_t i, int64_t axis) {
    SmallVector<Value> parts;
    for (SmallVector<Value> &values : directions)
      parts.push_back(graph.unsqueeze(values[i], axis));
    return graph.make("Concat", parts, graph.integer("axis", axis));
  };
  results.push_back(concatenated(states, 1));
  for (size_t i = 0; i < states; ++i)
    results.push_back(concatenated(i, 0));
  return success();
}

/// Keeps the values of results that are there.
template <typename OnnxOp>
static LogicalResult
recurrent(NodeMaker &graph, OnnxOp op, ArrayRef<Value> initial, Value peepholes,
          ArrayRef<Value> present, SmallVectorImpl<Value> &results) {
  SmallVector<Value> all;
  Layer layer(graph, op, op.getX(), op.getW(), op.getR(), op.getB(), initial,
              peepholes);
  if (failed(layer.write(all)))
    return failure();
  for (auto [value, result] : llvm::zip(all, present))
    if (result)
      results.push_back(value);
  return success();
}

static LogicalResult lstm(NodeMaker &graph, Operation *op,
                          SmallVectorImpl<Value> &results) {
  auto layer = cast<LSTMOp>(op);
  return recurrent(graph, layer, {layer.getInitialH(), layer.getInitialC()},
                   layer.getP(), {layer.getY(), layer.getYH(), layer.getYC()},
                   results);
}

static LogicalResult gru(NodeMaker &graph, Operation *op,
                         SmallVectorImpl<Value> &results) {
  auto layer = cast<GRUOp>(op);
  return recurrent(graph, layer, {layer.getInitialH()}, {},
                   {layer.getY(), layer.getYH()}, results);
}

static LogicalResult rnn(NodeMaker &graph, Operation *op,
                         SmallVectorImpl<Value> &results) {
  auto layer = cast<RNNOp>(op);
  return recurrent(graph, layer, {layer.getInitialH()}, {},
                   {layer.getY(), layer.getYH()}, results);
}

ArrayRef<GradientRow> onnxc::training::recurrentGradients() {
  static constexpr GradientRow rows[] = {
      {"GRU", nullptr, false, gru},
      {"LSTM", nullptr, false, lstm},
      {"RNN", nullptr, false, rnn},
  };
  return rows;
}
