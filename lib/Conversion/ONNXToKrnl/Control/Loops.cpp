//===- Loops.cpp - Loop and Scan --------------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Loops become scf.while. A loop carries its counter, its condition, the values
// of the graph, and the rows scanned so far: for each scan output a tensor that
// grows by rows, or a sequence of them where their rank is unknown.
//===----------------------------------------------------------------------===//

#include "LoopBodies.h"

#include "Builders/HostValues.h"
#include "Control/Containers.h"
#include "Control/ControlFlow.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// The rows, put along `axis`, in their order or the other way round.
Value arrange(OpBuilder &b, Location loc, Value rows, int64_t axis,
              bool reverse) {
  RankedTensorType type = rankedType(rows);
  SmallVector<int64_t> order;
  for (int64_t d = 1; d < type.getRank(); ++d)
    order.push_back(d);
  order.insert(order.begin() + axis, 0);
  KernelBuilder kernel(b, loc, "arrange");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type), outAt;
  SmallVector<Value> sizes = sizesOf(b, loc, rows), outSizes;
  SmallVector<int64_t> shape;
  for (int64_t d : order) {
    outAt.push_back(loops[d]);
    outSizes.push_back(sizes[d]);
    shape.push_back(type.getDimSize(d));
  }
  Value last = subIndex(b, loc, sizes[0], indexConstant(b, loc, 1));
  Value in = kernel.input(rows), lastInside = kernel.input(last);
  auto outType = RankedTensorType::get(shape, type.getElementType());
  Value out = kernel.output(outType, outSizes);
  Value result =
      kernel.generic({{in, loops}}, {out, outAt}, {},
                     [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
                       if (!reverse)
                         return v[0];
                       SmallVector<Value> at;
                       for (AffineExpr loop : loops)
                         at.push_back(kernel.index(nb, l, loop));
                       at[0] = arith::SubIOp::create(nb, l, lastInside, at[0]);
                       return tensor::ExtractOp::create(nb, l, in, at);
                     });
  return kernel.finish({result}).front();
}

/// Position `i` of `tensor` along `axis`.
Value slice(OpBuilder &b, Location loc, Value tensor, int64_t axis, Value i) {
  RankedTensorType type = rankedType(tensor);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  SmallVector<Value> sizes = sizesOf(b, loc, tensor);
  sizes.erase(sizes.begin() + axis);
  auto outType = RankedTensorType::get(shape, type.getElementType());
  KernelBuilder kernel(b, loc, "slice");
  SmallVector<AffineExpr> loops;
  for (auto [d, size] : llvm::enumerate(sizes))
    loops.push_back(kernel.loop("d" + std::to_string(d), size));
  Value in = kernel.input(tensor), at = kernel.input(i);
  Value out = kernel.output(outType, sizes);
  Value result = kernel.generic(
      {}, {out, loops}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        SmallVector<Value> indices;
        for (AffineExpr loop : loops)
          indices.push_back(kernel.index(nb, l, loop));
        indices.insert(indices.begin() + axis, at);
        return tensor::ExtractOp::create(nb, l, in, indices).getResult();
      });
  return kernel.finish({result}).front();
}

/// The counter or the condition as the body takes it.
Value asArgument(OpBuilder &b, Location loc, Value scalar,
                 BlockArgument argument) {
  auto type = cast<TensorType>(krnlType(argument.getType()));
  Type element = type.getElementType();
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(b, loc, element, scalar);
  else if (scalar.getType() != element)
    scalar = arith::ExtUIOp::create(b, loc, element, scalar);
  SmallVector<int64_t> ones(type.getRank(), 1);
  Value tensor = tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get(ones, element), scalar);
  return convertValue(b, loc, tensor, type, type, type);
}

/// The loop-carried values as the arguments of the body.
SmallVector<Value> asArguments(OpBuilder &b, Location loc,
                               const CarriedTypes &types, ValueRange carried,
                               ArrayRef<BlockArgument> arguments) {
  SmallVector<Value> values;
  for (auto [value, graph, argument] :
       llvm::zip(carried, types.graph, arguments))
    values.push_back(convertValue(b, loc, value, graph, argument.getType(),
                                  krnlType(argument.getType())));
  return values;
}

/// The loop-carried values as the results of the op; the rows as they are.
SmallVector<Value> asResults(OpBuilder &b, Operation *op,
                             const CarriedTypes &types, scf::WhileOp loop) {
  SmallVector<Value> results(loop.getResults().drop_front(2));
  for (auto [value, graph, type] :
       llvm::zip(results, types.graph, op->getResultTypes()))
    value = convertValue(b, op->getLoc(), value, graph, type, krnlType(type));
  return results;
}

/// The rows of scan output `result` of as many iterations as there were.
Value finishRows(OpBuilder &b, OpResult result, Value rows, Value tripCount,
                 int64_t axis = 0, bool reverse = false) {
  Location loc = result.getLoc();
  auto type = dyn_cast<RankedTensorType>(rows.getType());
  if (type && type.hasStaticShape())
    return rows; // as many as there were iterations
  if (!isa<krnl::ObjType>(rows.getType()))
    return krnl::FirstRowsOp::create(b, loc, rows, tripCount);
  return callElement(b, loc, "onnxc_call_stack_rows", rows, result.getType(),
                     krnlType(result.getType()), {axis, reverse});
}

/// The values with checks of the sizes that the graph states.
SmallVector<Value> checked(OpBuilder &b, Operation *op,
                           ArrayRef<Value> values) {
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip(values, op->getResultTypes()))
    results.push_back(
        convertValue(b, op->getLoc(), value, type, type, krnlType(type)));
  return results;
}

/// The only element of `tensor`, if it is a constant.
std::optional<int64_t> constantElement(Value tensor) {
  auto known = onnx::constantInts(tensor);
  return known && known->size() == 1 ? std::optional(known->front())
                                     : std::nullopt;
}

/// Returns true if the body passes its condition on unchanged, and nothing
/// makes it false. `condition` is the converted one before the first iteration.
bool hasExactTripCount(onnx::LoopOp op, Value condition) {
  Block &body = op.getBody().front();
  bool goesIn = !condition || constantElement(condition).value_or(false);
  return op.getM() && goesIn &&
         body.getTerminator()->getOperand(0) == body.getArgument(1);
}

/// The number of iterations at most, as an index; null without one.
Value tripCountOf(OpBuilder &b, Location loc, Value m) {
  if (!m)
    return {};
  if (std::optional<int64_t> known = constantElement(m))
    return indexConstant(b, loc, *known);
  return arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      checkedElement(b, loc, m, "Loop: M is one number"));
}

/// Whether there is a first iteration, as far as the condition decides it.
Value firstCondition(OpBuilder &b, Location loc, Value condition) {
  if (condition)
    return isTrue(b, loc, condition, "Loop: the condition is one bool");
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
}

Lowered lowerLoop(onnx::LoopOp op, onnx::LoopOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  ValueRange initial = adaptor.getVInitial();
  CarriedLoop plan{{},      {},
                   true,    hasExactTripCount(op, adaptor.getCond()),
                   initial, op.getVInitial().getTypes()};
  CarriedTypes types;
  if (!isa<RankedTensorType>(body.getArgument(0).getType()) ||
      !isa<RankedTensorType>(body.getArgument(1).getType()) ||
      failed(carriedTypes(
          body, plan, TypeRange(body.getArgumentTypes()).drop_front(2), types)))
    return rewriter.notifyMatchFailure(
        op,
        "the rank of the counter or condition is not known, or a row is not a "
        "tensor");
  plan.tripCount = tripCountOf(rewriter, loc, adaptor.getM());
  plan.condition = firstCondition(rewriter, loc, adaptor.getCond());
  scf::WhileOp loop =
      buildLoop(rewriter, loc, plan, types, body, [&](ValueRange arguments) {
        SmallVector<Value> values{
            asArgument(rewriter, loc, arguments[0], body.getArgument(0)),
            asArgument(rewriter, loc, arguments[1], body.getArgument(1))};
        llvm::append_range(
            values, asArguments(rewriter, loc, types, arguments.drop_front(2),
                                body.getArguments().drop_front(2)));
        return values;
      });
  SmallVector<Value> results = asResults(rewriter, op, types, loop);
  for (unsigned i = initial.size(); i < results.size(); ++i)
    results[i] =
        finishRows(rewriter, op->getResult(i), results[i], loop.getResult(0));
  return checked(rewriter, op, results);
}

/// Element `i` of an attribute that may be left out.
int64_t elementOf(std::optional<ArrayRef<int64_t>> list, unsigned i) {
  return list && i < list->size() ? (*list)[i] : 0;
}

/// The axes of the scanned inputs, counted from the front.
LogicalResult findInputAxes(onnx::ScanOp op, ValueRange scanned,
                            SmallVectorImpl<int64_t> &axes) {
  for (auto [i, value] : llvm::enumerate(scanned)) {
    std::optional<int64_t> axis = onnx::normalizeAxis(
        elementOf(op.getScanInputAxes(), i), rankedType(value).getRank());
    if (!axis)
      return failure();
    axes.push_back(*axis);
  }
  return success();
}

bool areOutputAxesInside(onnx::ScanOp op, size_t carried) {
  ValueRange yielded = op.getBody().front().getTerminator()->getOperands();
  for (auto [i, row] : llvm::enumerate(yielded.drop_front(carried))) {
    auto type = dyn_cast<RankedTensorType>(row.getType());
    int64_t axis = elementOf(op.getScanOutputAxes(), i);
    if (type && (axis < -type.getRank() - 1 || axis > type.getRank()))
      return false;
  }
  return true;
}

/// The rows of one iteration, in the types that the body takes.
void addRows(ConversionPatternRewriter &rewriter, onnx::ScanOp op,
             ValueRange scanned, ArrayRef<int64_t> axes, Value tripCount,
             Value iteration, SmallVectorImpl<Value> &values) {
  Location loc = op.getLoc();
  Value last =
      subIndex(rewriter, loc, tripCount, indexConstant(rewriter, loc, 1));
  for (auto [i, value] : llvm::enumerate(scanned)) {
    Value at = iteration;
    if (elementOf(op.getScanInputDirections(), i))
      at = subIndex(rewriter, loc, last, at);
    Value row = slice(rewriter, loc, value, axes[i], at);
    Type wanted = op.getBody().front().getArgument(values.size()).getType();
    values.push_back(
        convertValue(rewriter, loc, row, wanted, wanted, krnlType(wanted)));
  }
}

/// Cuts the scanned outputs to the iterations that there were, and transposes
/// them by the attributes.
void finishOutputs(ConversionPatternRewriter &rewriter, onnx::ScanOp op,
                   Value tripCount, MutableArrayRef<Value> outputs) {
  Location loc = op.getLoc();
  size_t first = op->getNumResults() - outputs.size();
  for (auto [i, value] : llvm::enumerate(outputs)) {
    int64_t axis = elementOf(op.getScanOutputAxes(), i);
    bool reverse = elementOf(op.getScanOutputDirections(), i) != 0;
    RankedTensorType type = rankedType(value);
    value = finishRows(rewriter, op->getResult(first + i), value, tripCount,
                       axis, reverse);
    if (!type)
      continue;
    if (axis < 0)
      axis += type.getRank();
    if (axis != 0 || reverse)
      value = arrange(rewriter, loc, value, axis, reverse);
  }
}

Lowered lowerScan(onnx::ScanOp op, onnx::ScanOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  unsigned count = op.getNumScanInputs();
  ValueRange operands = adaptor.getOperands();
  ValueRange scanned = operands.take_back(count);
  CarriedLoop plan{{},
                   {},
                   false,
                   true,
                   operands.drop_back(count),
                   TypeRange(op->getOperandTypes()).drop_back(count)};
  CarriedTypes types;
  if (failed(carriedTypes(body, plan, body.getArgumentTypes(), types)))
    return rewriter.notifyMatchFailure(op, "a row is not a tensor");
  SmallVector<int64_t> axes;
  if (failed(findInputAxes(op, scanned, axes)) ||
      !areOutputAxesInside(op, plan.carried.size()))
    return rewriter.notifyMatchFailure(op, "axis is out of range");
  plan.tripCount = sizeOf(rewriter, loc, scanned[0], axes[0]);
  for (unsigned i = 1; i < count; ++i)
    checkEqualSizes(rewriter, loc, plan.tripCount,
                    sizeOf(rewriter, loc, scanned[i], axes[i]),
                    "Scan: scanned inputs differ in length");
  plan.condition =
      arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  scf::WhileOp loop =
      buildLoop(rewriter, loc, plan, types, body, [&](ValueRange arguments) {
        SmallVector<Value> values =
            asArguments(rewriter, loc, types, arguments.drop_front(2),
                        body.getArguments().take_front(plan.carried.size()));
        addRows(rewriter, op, scanned, axes, plan.tripCount, arguments[0],
                values);
        return values;
      });
  SmallVector<Value> results = asResults(rewriter, op, types, loop);
  finishOutputs(rewriter, op, loop.getResult(0),
                MutableArrayRef(results).drop_front(plan.carried.size()));
  return checked(rewriter, op, results);
}

} // namespace

void populateONNXToKrnlLoopsPatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  addLowerings<Ranks::Any>(converter, patterns, lowerLoop, lowerScan);
}

} // namespace onnxc
