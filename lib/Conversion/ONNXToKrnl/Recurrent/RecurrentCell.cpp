//===- RecurrentCell.cpp - Steps of LSTM, GRU and RNN -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Recurrent/Recurrent.h"

#include "Contractions/Contraction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

/// The weights of some gates of this direction, [gates * hidden, k], as a
/// tensor of their own: known ones can then be packed when the artefact is
/// written.
Value CellBuilder::part(Value weights, int64_t firstGate, int64_t gates) {
  auto type = cast<RankedTensorType>(weights.getType());
  int64_t rows = gates * cell.hidden, depth = type.getDimSize(2);
  int64_t first =
      direction * cell.gates * cell.hidden + firstGate * cell.hidden;
  auto partType = RankedTensorType::get({rows, depth}, cell.element);
  auto constant = weights.getDefiningOp<krnl::ConstantOp>();
  if (constant && !constant.getLayoutAttr()) {
    SmallVector<char> scratch;
    ArrayRef<char> all = onnx::constantBytes(constant.getValue(), scratch);
    int64_t rowBytes = depth * (cell.element.getIntOrFloatBitWidth() / 8);
    if (int64_t(all.size()) >= (first + rows) * rowBytes) {
      ArrayRef<char> bytes = all.slice(first * rowBytes, rows * rowBytes);
      onnx::BlobAttr blob =
          onnx::BlobStore::get(b.getContext())
              .add(std::vector<char>(bytes.begin(), bytes.end()), partType);
      if (blob)
        return krnl::ConstantOp::create(b, loc, blob, krnl::PackedLayoutAttr());
    }
  }
  KernelBuilder kernel(b, loc, "weights");
  AffineExpr n = kernel.loop("n", rows), k = kernel.loop("k", depth);
  Value in = kernel.input(weights);
  Value out =
      output(kernel, {indexConstant(b, loc, rows), sizeOf(b, loc, weights, 2)});
  Value result = kernel.generic(
      {{in, {kernel.constant(direction), gate(kernel, n, firstGate), k}}},
      {out, {n, k}}, {},
      [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  return kernel.finish({result}).front();
}

/// [steps, batch, gates * hidden].
Value CellBuilder::project() {
  auto xType = cast<RankedTensorType>(cell.x.getType());
  KernelBuilder kernel(b, loc, "project");
  AffineExpr t = kernel.loop("t", xType.getDimSize(cell.batchFirst ? 1 : 0));
  AffineExpr m = kernel.loop("m", xType.getDimSize(cell.batchFirst ? 0 : 1));
  AffineExpr n = kernel.loop("n", cell.gates * cell.hidden);
  AffineExpr k = kernel.loop("k", xType.getDimSize(2));
  SmallVector<AffineExpr> at{t, m, k};
  if (cell.batchFirst)
    std::swap(at[0], at[1]);
  Value x = kernel.input(cell.x);
  Value w = kernel.input(part(cell.w, 0, cell.gates));
  Value out = output(
      kernel, {steps, batch, indexConstant(b, loc, cell.gates * cell.hidden)});
  Value sum = buildContraction(kernel, cell.element, {x, at}, {w, {n, k}},
                               {out, {t, m, n}}, {k});
  return kernel.finish({sum}).front();
}

Value CellBuilder::initialState(Value given) {
  KernelBuilder kernel(b, loc, "state");
  AffineExpr m = kernel.loop("m", batch), n = kernel.loop("n", cell.hidden);
  Value in = given ? kernel.input(given) : Value();
  Value out = output(kernel, {batch, hiddenSize()});
  if (!given) {
    Value zero = kernel.constant(cast<TypedAttr>(b.getZeroAttr(cell.element)));
    return kernel.finish({kernel.fill(zero, {out, {m, n}})}).front();
  }
  SmallVector<AffineExpr> at{kernel.constant(direction), m, n};
  if (cell.batchFirst)
    std::swap(at[0], at[1]);
  Value result =
      kernel.generic({{in, at}}, {out, {m, n}}, {},
                     [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  return kernel.finish({result}).front();
}

/// State times recurrent weights.
Value CellBuilder::contractState(Value state, Value weights) {
  int64_t rows = cast<RankedTensorType>(weights.getType()).getDimSize(0);
  KernelBuilder kernel(b, loc, "recur");
  AffineExpr m =
      kernel.loop("m", cast<RankedTensorType>(state.getType()).getDimSize(0));
  AffineExpr n = kernel.loop("n", rows);
  AffineExpr k = kernel.loop("k", cell.hidden);
  Value h = kernel.input(state), r = kernel.input(weights);
  Value out = output(kernel, {batch, indexConstant(b, loc, rows)});
  Value sum = buildContraction(kernel, cell.element, {h, {m, k}}, {r, {n, k}},
                               {out, {m, n}}, {k});
  return kernel.finish({sum}).front();
}

Value CellBuilder::clipped(ScalarBuilder &s, Value x) {
  if (!cell.clip)
    return x;
  return s.min(s.max(x, s.constant(-*cell.clip)), s.constant(*cell.clip));
}

CellBuilder::GateOperands CellBuilder::gateOperands(KernelBuilder &kernel,
                                                    AffineExpr m, AffineExpr n,
                                                    Value contracted,
                                                    int64_t firstGate,
                                                    ArrayRef<Value> states) {
  AffineExpr d = kernel.constant(direction);
  GateOperands operands;
  SmallVector<Access> &ins = operands.ins;
  operands.given =
      cast<RankedTensorType>(contracted.getType()).getDimSize(1) / cell.hidden;
  operands.firstGate = firstGate;
  for (int64_t g = 0; g < operands.given; ++g)
    ins.push_back({kernel.input(contracted), {m, gate(kernel, n, g)}});
  if (cell.bias)
    for (int64_t g = 0; g < 2 * cell.gates; ++g)
      ins.push_back({kernel.input(cell.bias), {d, gate(kernel, n, g)}});
  operands.firstState = ins.size();
  for (Value state : states)
    ins.push_back({kernel.input(state), {m, n}});
  if (cell.peepholes)
    for (int64_t g = 0; g < 3; ++g)
      ins.push_back({kernel.input(cell.peepholes), {d, gate(kernel, n, g)}});
  operands.length = ins.size();
  if (cell.lengths)
    ins.push_back({kernel.input(cell.lengths), {m}});
  return operands;
}

/// The terms of the input and of the state of gate `g`, biases added.
/// `projected` is the input times weights, `v` the elements of the operands.
std::pair<Value, Value> CellBuilder::gateTerms(ScalarBuilder &s,
                                               const GateOperands &operands,
                                               ValueRange v, Value projected,
                                               int64_t g) {
  int64_t given = operands.given, first = operands.firstGate;
  bool isGiven = g >= first && g < first + given;
  Value z = isGiven ? v[g - first] : s.constant(0);
  if (!cell.bias)
    return {projected, z};
  Value x = s.add(projected, v[given + g]);
  return {x, s.add(z, v[given + cell.gates + g])};
}

/// A kernel over batch and hidden size. `fn` gets, for each gate, the term of
/// the input and that of the state, biases added; then states, peepholes, and
/// where there are lengths whether the sequence goes on (i1).
SmallVector<Value> CellBuilder::gateKernel(
    StringRef name, Value contracted, int64_t firstGate, ArrayRef<Value> states,
    Value t, unsigned outs,
    llvm::function_ref<SmallVector<Value>(ScalarBuilder &, ArrayRef<Value>,
                                          ArrayRef<Value>, ValueRange)>
        fn) {
  KernelBuilder kernel(b, loc, name);
  AffineExpr m = kernel.loop(
      "m", cast<RankedTensorType>(states[0].getType()).getDimSize(0));
  AffineExpr n = kernel.loop("n", cell.hidden);
  GateOperands operands =
      gateOperands(kernel, m, n, contracted, firstGate, states);
  Value x = kernel.input(projected), at = kernel.input(t);
  SmallVector<Access> outAccess;
  for (unsigned i = 0; i < outs; ++i)
    outAccess.push_back({output(kernel, {batch, hiddenSize()}), {m, n}});
  return kernel.finish(kernel.generic(
      operands.ins, outAccess, {},
      [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, cell.element);
        SmallVector<Value> fromInput, fromState;
        for (int64_t g = 0; g < cell.gates; ++g) {
          Value column = arith::AddIOp::create(
              nb, l, kernel.index(nb, l, n),
              arith::ConstantIndexOp::create(nb, l, g * cell.hidden));
          Value value = tensor::ExtractOp::create(
              nb, l, x, ValueRange{at, kernel.index(nb, l, m), column});
          auto [input, state] = gateTerms(s, operands, v, value, g);
          fromInput.push_back(input);
          fromState.push_back(state);
        }
        SmallVector<Value> rest(v.slice(operands.firstState,
                                        operands.length - operands.firstState));
        if (cell.lengths) {
          Value length = arith::IndexCastOp::create(nb, l, nb.getIndexType(),
                                                    v[operands.length]);
          rest.push_back(arith::CmpIOp::create(nb, l, arith::CmpIPredicate::slt,
                                               at, length));
        }
        return fn(s, fromInput, fromState, rest);
      }));
}

/// New state(s) and the row: h, c (LSTM only), y (with lengths only).
SmallVector<Value> CellBuilder::step(Value t, Value h, Value c) {
  if (cell.kind == CellKind::GRU)
    return stepGRU(t, h);
  Value z = contractState(h, recurrent[0]);
  SmallVector<Value> states{h};
  if (c)
    states.push_back(c);
  unsigned outs = states.size() + (cell.lengths ? 1 : 0);
  return gateKernel(
      "gates", z, 0, states, t, outs,
      [&](ScalarBuilder &s, ArrayRef<Value> x, ArrayRef<Value> r,
          ValueRange rest) {
        SmallVector<Value> results;
        if (!c) {
          results.push_back(activate(s, 0, s.add(x[0], r[0])));
        } else {
          auto gate = [&](unsigned which, int peephole, Value state) {
            Value sum = s.add(x[which], r[which]);
            if (cell.peepholes && peephole >= 0)
              sum = s.add(sum, s.mul(rest[2 + peephole], state));
            return sum;
          };
          Value i = activate(s, 0, gate(0, 0, rest[1]));
          Value f = cell.inputForget ? s.sub(s.constant(1), i)
                                     : activate(s, 0, gate(2, 2, rest[1]));
          Value candidate = activate(s, 1, gate(3, -1, {}));
          Value next = s.add(s.mul(f, rest[1]), s.mul(i, candidate));
          Value o = activate(s, 0, gate(1, 1, next));
          results = {s.mul(o, activate(s, 2, next)), next};
        }
        if (cell.lengths) {
          Value isInside = rest.back();
          Value y = s.select(isInside, results[0], s.constant(0));
          for (auto [k, value] : llvm::enumerate(results))
            value = s.select(isInside, value, rest[k]);
          results.push_back(y);
        }
        return results;
      });
}

SmallVector<Value> CellBuilder::stepGRU(Value t, Value h) {
  auto finish = [&](ScalarBuilder &s, Value z, Value candidate,
                    ValueRange rest) {
    Value next =
        s.add(s.mul(s.sub(s.constant(1), z), candidate), s.mul(z, rest[0]));
    SmallVector<Value> results{next};
    if (cell.lengths) {
      results[0] = s.select(rest.back(), next, rest[0]);
      results.push_back(s.select(rest.back(), next, s.constant(0)));
    }
    return results;
  };
  unsigned outs = cell.lengths ? 2 : 1;
  if (cell.linearBeforeReset)
    return gateKernel("gates", contractState(h, recurrent[0]), 0, {h}, t, outs,
                      [&](ScalarBuilder &s, ArrayRef<Value> x,
                          ArrayRef<Value> r, ValueRange rest) {
                        Value z = activate(s, 0, s.add(x[0], r[0]));
                        Value reset = activate(s, 0, s.add(x[1], r[1]));
                        Value sum = s.add(x[2], s.mul(reset, r[2]));
                        return finish(s, z, activate(s, 1, sum), rest);
                      });
  SmallVector<Value> first =
      gateKernel("reset", contractState(h, recurrent[0]), 0, {h}, t, 2,
                 [&](ScalarBuilder &s, ArrayRef<Value> x, ArrayRef<Value> r,
                     ValueRange rest) {
                   Value z = activate(s, 0, s.add(x[0], r[0]));
                   Value reset = activate(s, 0, s.add(x[1], r[1]));
                   return SmallVector<Value>{z, s.mul(reset, rest[0])};
                 });
  Value candidate = contractState(first[1], recurrent[1]);
  return gateKernel("gates", candidate, 2, {h, first[0]}, t, outs,
                    [&](ScalarBuilder &s, ArrayRef<Value> x, ArrayRef<Value> r,
                        ValueRange rest) {
                      Value sum = s.add(x[2], r[2]);
                      return finish(s, rest[1], activate(s, 1, sum), rest);
                    });
}

/// The values carried by the loop over the steps: state(s), the rows if they
/// are wanted, and the number of the step.
SmallVector<Value> CellBuilder::startOfLoop() {
  SmallVector<Value> carried{initialState(cell.initialH)};
  if (cell.kind == CellKind::LSTM)
    carried.push_back(initialState(cell.initialC));
  Value zero = indexConstant(b, loc, 0);
  if (cell.wantsRows) {
    auto row = cast<RankedTensorType>(carried[0].getType());
    // Of known sizes it has room for all rows from the beginning.
    std::optional<int64_t> known = getConstantIntValue(steps);
    bool isStatic = known && row.hasStaticShape();
    auto type = RankedTensorType::get({isStatic ? *known : ShapedType::kDynamic,
                                       row.getDimSize(0), row.getDimSize(1)},
                                      cell.element);
    SmallVector<Value> sizes{zero, batch, hiddenSize()};
    carried.push_back(
        tensor::EmptyOp::create(b, loc, type, dynamicSizes(type, sizes)));
  }
  carried.push_back(zero);
  return carried;
}

/// The carried values after one more step.
SmallVector<Value> CellBuilder::advance(ValueRange carried, bool backward) {
  Value i = carried.back(), one = indexConstant(b, loc, 1);
  carried = carried.drop_back();
  Value t = backward ? subIndex(b, loc, subIndex(b, loc, count, one), i) : i;
  bool isLSTM = cell.kind == CellKind::LSTM;
  SmallVector<Value> next = step(t, carried[0], isLSTM ? carried[1] : Value());
  Value row = next[0];
  if (cell.lengths)
    row = next.pop_back_val();
  if (cell.wantsRows)
    next.push_back(
        krnl::AppendRowOp::create(b, loc, carried.back(), i, row, steps));
  next.push_back(addIndex(b, loc, i, one));
  return next;
}

/// The steps in which a sequence of the batch goes on, but one at least, so
/// that there is a row. Without lengths all steps.
Value CellBuilder::stepsToRun() {
  if (!cell.lengths)
    return steps;
  auto type = cast<RankedTensorType>(cell.lengths.getType());
  KernelBuilder kernel(b, loc, "longest");
  AffineExpr m = kernel.loop("m", type.getDimSize(0));
  Value in = kernel.input(cell.lengths);
  Value out = kernel.output(RankedTensorType::get({}, type.getElementType()));
  Value one = kernel.constant(b.getIntegerAttr(type.getElementType(), 1));
  Value most =
      kernel.generic({{in, {m}}}, {kernel.fill(one, {out, {}}), {}}, {m},
                     [](OpBuilder &nb, Location l, ValueRange v) -> Value {
                       return arith::MaxSIOp::create(nb, l, v[0], v[1]);
                     });
  Value longest = elementAsIndex(b, loc, kernel.finish({most}).front(), 0);
  return minIndex(b, loc, longest, steps);
}

CellBuilder::Result CellBuilder::run(int64_t number, bool backward) {
  direction = number;
  projected = project();
  if (cell.kind == CellKind::GRU && !cell.linearBeforeReset)
    recurrent = {part(cell.r, 0, 2), part(cell.r, 2, 1)};
  else
    recurrent = {part(cell.r, 0, cell.gates)};
  SmallVector<Value> inits = startOfLoop();
  // Steps of no sequence have nothing to do, however many there are.
  Value zero = indexConstant(b, loc, 0);
  Value isEmpty = compareIndex(b, loc, arith::CmpIPredicate::eq, batch, zero);
  Value tripCount = selectValue(b, loc, isEmpty, zero, count);
  // Not scf.for: its rewrites use the sizes of the rows before the first step
  // for those after it.
  auto loop = scf::WhileOp::create(
      b, loc, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &, Location, ValueRange carried) {
        Value isInside = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::slt, carried.back(), tripCount);
        scf::ConditionOp::create(b, loc, isInside, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        scf::YieldOp::create(b, loc, advance(carried, backward));
      });
  ValueRange results = loop.getResults().drop_back();
  Value rows;
  if (cell.wantsRows &&
      cast<RankedTensorType>(results.back().getType()).hasStaticShape())
    rows = results.back();
  else if (cell.wantsRows)
    rows = krnl::FirstRowsOp::create(
        b, loc, results.back(),
        selectValue(b, loc, isEmpty, count, loop.getResults().back()));
  bool isLSTM = cell.kind == CellKind::LSTM;
  return {results[0], isLSTM ? results[1] : Value(), rows};
}

Value CellBuilder::joinStates(ArrayRef<Value> states) {
  KernelBuilder kernel(b, loc, "states");
  AffineExpr m = kernel.loop(
      "m", cast<RankedTensorType>(states[0].getType()).getDimSize(0));
  AffineExpr n = kernel.loop("n", cell.hidden);
  SmallVector<Value> ins =
      llvm::map_to_vector(states, [&](Value v) { return kernel.input(v); });
  Value count = indexConstant(b, loc, states.size());
  SmallVector<Value> sizes{count, batch, hiddenSize()};
  if (cell.batchFirst)
    std::swap(sizes[0], sizes[1]);
  Value out = output(kernel, sizes);
  for (auto [d, in] : llvm::enumerate(ins)) {
    SmallVector<AffineExpr> at{kernel.constant(d), m, n};
    if (cell.batchFirst)
      std::swap(at[0], at[1]);
    out = kernel.generic(
        {{in, {m, n}}}, {out, at}, {},
        [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  }
  return kernel.finish({out}).front();
}

/// The element of step `t` of a direction's rows, which are in the order of the
/// steps that were run; zero after those.
static Value rowElement(OpBuilder &b, Location loc, Value rows, Value last,
                        ValueRange at, bool backward, bool isPart) {
  SmallVector<Value> indices(at);
  if (backward)
    indices[0] = arith::SubIOp::create(b, loc, last, at[0]);
  if (!isPart)
    return tensor::ExtractOp::create(b, loc, rows, indices);
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  indices[0] =
      backward ? arith::MaxSIOp::create(b, loc, indices[0], first).getResult()
               : arith::MinSIOp::create(b, loc, at[0], last).getResult();
  Value element = tensor::ExtractOp::create(b, loc, rows, indices);
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(element.getType())));
  Value isRun =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, at[0], last);
  return arith::SelectOp::create(b, loc, isRun, element, zero);
}

Value CellBuilder::joinRows(ArrayRef<Value> rows, ArrayRef<bool> backward) {
  KernelBuilder kernel(b, loc, "rows");
  auto type = cast<RankedTensorType>(rows[0].getType());
  AffineExpr t = kernel.loop("t", ShapedType::kDynamic);
  AffineExpr m = kernel.loop("m", type.getDimSize(1));
  AffineExpr n = kernel.loop("n", cell.hidden);
  Value last = kernel.input(subIndex(b, loc, count, indexConstant(b, loc, 1)));
  SmallVector<Value> ins =
      llvm::map_to_vector(rows, [&](Value v) { return kernel.input(v); });
  SmallVector<Value> sizes{steps, indexConstant(b, loc, rows.size()), batch,
                           hiddenSize()};
  if (cell.batchFirst)
    sizes = {batch, steps, sizes[1], hiddenSize()};
  Value out = output(kernel, sizes);
  bool isPart = bool(cell.lengths);
  for (auto [d, in] : llvm::enumerate(ins)) {
    AffineExpr number = kernel.constant(d);
    SmallVector<AffineExpr> at{t, number, m, n};
    if (cell.batchFirst)
      at = {m, t, number, n};
    SmallVector<Access> read;
    if (!backward[d] && !isPart)
      read.push_back({in, {t, m, n}});
    out = kernel.generic(read, {out, at}, {},
                         [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
                           if (!read.empty())
                             return v[0];
                           return rowElement(nb, l, in, last,
                                             {kernel.index(nb, l, t),
                                              kernel.index(nb, l, m),
                                              kernel.index(nb, l, n)},
                                             backward[d], isPart);
                         });
  }
  return kernel.finish({out}).front();
}

} // namespace onnxc
