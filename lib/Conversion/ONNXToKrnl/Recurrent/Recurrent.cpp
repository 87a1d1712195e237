//===- Recurrent.cpp - LSTM, GRU and RNN ------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// For each direction: one contraction of the input for all steps, then a loop
// over the steps with a contraction of the state and a kernel for the gates.
// Sequences that have ended keep their state and give zeros.
//===----------------------------------------------------------------------===//

#include "Recurrent/Recurrent.h"

#include "Lowering.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"

using namespace mlir;

namespace onnxc {
namespace {

void describe(onnx::RNNOp, onnx::RNNOp::Adaptor, Cell &cell) {
  cell.kind = CellKind::RNN;
  cell.gates = 1;
}

void describe(onnx::GRUOp op, onnx::GRUOp::Adaptor, Cell &cell) {
  cell.kind = CellKind::GRU;
  cell.gates = 3;
  cell.linearBeforeReset = op.getLinearBeforeReset() != 0;
}

void describe(onnx::LSTMOp op, onnx::LSTMOp::Adaptor adaptor, Cell &cell) {
  cell.kind = CellKind::LSTM;
  cell.gates = 4;
  cell.initialC = adaptor.getInitialC();
  cell.peepholes = adaptor.getP();
  cell.inputForget = op.getInputForget() != 0;
}

static constexpr StringLiteral wrongSize =
    "recurrent operator: a parameter has a wrong size";

/// Sizes of the parameters follow from the hidden size and the directions.
static void checkSizes(OpBuilder &b, Location loc, Cell &cell) {
  int64_t all = cell.gates * cell.hidden;
  auto demand = [&](Value &tensor, int64_t dim, int64_t size) {
    if (!tensor)
      return;
    checkEqualSizes(b, loc, sizeOf(b, loc, tensor, dim),
                    indexConstant(b, loc, size), wrongSize);
    tensor = withSize(b, loc, tensor, dim, size);
  };
  for (Value *tensor : {&cell.w, &cell.r, &cell.bias, &cell.peepholes})
    demand(*tensor, 0, cell.directions);
  demand(cell.w, 1, all);
  auto depth = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(2);
  };
  if (!ShapedType::isDynamic(depth(cell.w)))
    demand(cell.x, 2, depth(cell.w));
  else if (!ShapedType::isDynamic(depth(cell.x)))
    demand(cell.w, 2, depth(cell.x));
  else
    checkEqualSizes(b, loc, sizeOf(b, loc, cell.x, 2),
                    sizeOf(b, loc, cell.w, 2), wrongSize);
  demand(cell.r, 1, all);
  demand(cell.r, 2, cell.hidden);
  demand(cell.bias, 1, 2 * all);
  demand(cell.peepholes, 1, 3 * cell.hidden);
  int64_t batchDim = cell.batchFirst ? 0 : 1;
  Value batch = sizeOf(b, loc, cell.x, batchDim);
  if (cell.lengths)
    checkEqualSizes(b, loc, sizeOf(b, loc, cell.lengths, 0), batch,
                    "recurrent operator: expected a length for each of the "
                    "batch");
  for (Value *state : {&cell.initialH, &cell.initialC}) {
    demand(*state, 1 - batchDim, cell.directions);
    demand(*state, 2, cell.hidden);
    if (*state)
      checkEqualSizes(b, loc, sizeOf(b, loc, *state, batchDim), batch,
                      "recurrent operator: a state has another batch size");
  }
}

/// For a result without uses.
static Value emptyRows(OpBuilder &b, Location loc, Value unused) {
  auto type = cast<RankedTensorType>(unused.getType());
  SmallVector<Value> sizes(type.getNumDynamicDims(), indexConstant(b, loc, 0));
  return tensor::EmptyOp::create(b, loc, type, sizes);
}

template <typename OnnxOp>
SmallVector<Value> build(OpBuilder &b, OnnxOp op, Cell &cell) {
  CellBuilder builder(b, op.getLoc(), cell);
  SmallVector<Value> rows, hs, cs, results;
  SmallVector<bool> backward;
  for (int64_t d = 0; d < cell.directions; ++d) {
    backward.push_back(d == 1 || op.getDirection() == "reverse");
    CellBuilder::Result result = builder.run(d, backward.back());
    rows.push_back(result.rows);
    hs.push_back(result.h);
    cs.push_back(result.c);
  }
  for (Value result : op->getResults()) {
    if (result == op.getY())
      results.push_back(cell.wantsRows ? builder.joinRows(rows, backward)
                                       : emptyRows(b, op.getLoc(), result));
    else
      results.push_back(builder.joinStates(result == op.getYH() ? hs : cs));
  }
  return results;
}

template <typename OnnxOp>
Lowered lowerRecurrent(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Cell cell{};
  cell.x = adaptor.getX();
  cell.w = adaptor.getW();
  cell.r = adaptor.getR();
  cell.bias = adaptor.getB();
  cell.lengths = adaptor.getSequenceLens();
  cell.initialH = adaptor.getInitialH();
  describe(op, adaptor, cell);
  auto x = cast<RankedTensorType>(cell.x.getType());
  auto r = cast<RankedTensorType>(cell.r.getType());
  if (auto error = onnx::checkRanks(op, [](Value v) { return v.getType(); }))
    return rewriter.notifyMatchFailure(op, *error);
  auto hidden = op->template getAttrOfType<IntegerAttr>("hidden_size");
  cell.hidden = hidden ? hidden.getInt() : r.getDimSize(2);
  if (ShapedType::isDynamic(cell.hidden))
    return rewriter.notifyMatchFailure(op, "hidden size is not known");
  // Its products with the numbers of gates are sizes, too.
  if (cell.hidden < 1 || cell.hidden > INT32_MAX)
    return rewriter.notifyMatchFailure(op, "hidden size is out of range");
  cell.element = x.getElementType();
  if (!cell.element.isF32() && !cell.element.isF64())
    return rewriter.notifyMatchFailure(op, "element type is not f32 or f64");
  cell.batchFirst = op.getLayout() != 0;
  bool isBoth = op.getDirection() == "bidirectional";
  cell.directions = isBoth ? 2 : 1;
  if (auto clip = op->template getAttrOfType<FloatAttr>("clip"))
    cell.clip = clip.getValueAsDouble();
  if (failed(bindActivations(op, cell.kind, cell.directions, cell.activations)))
    return rewriter.notifyMatchFailure(
        op, "unknown activation, or another number of them "
            "than gates need");
  checkSizes(rewriter, op.getLoc(), cell);
  cell.wantsRows = op.getY() && !op.getY().use_empty();
  return build(rewriter, op, cell);
}

} // namespace

void populateONNXToKrnlRecurrentPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerRecurrent<onnx::GRUOp>,
               lowerRecurrent<onnx::LSTMOp>, lowerRecurrent<onnx::RNNOp>);
}

} // namespace onnxc
