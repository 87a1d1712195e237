//===- ControlFlow.cpp - If, and the ends of bodies -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Branches become scf.if. Bodies are converted in place: the terminator of one
// is converted last and makes the operands of the branch's or loop's end.
//===----------------------------------------------------------------------===//

#include "Control/ControlFlow.h"

#include "Builders/HostValues.h"
#include "Control/Containers.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {

Value isTrue(OpBuilder &b, Location loc, Value tensor, StringRef message) {
  Value stored = checkedElement(b, loc, tensor, message);
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(stored.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored, zero);
}

Type joinRanked(Type x, Type y) {
  auto a = dyn_cast_or_null<RankedTensorType>(x);
  auto b = dyn_cast_or_null<RankedTensorType>(y);
  if (!a || !b || a.getRank() != b.getRank())
    return {};
  SmallVector<int64_t> shape(a.getShape());
  for (auto [size, other] : llvm::zip(shape, b.getShape()))
    if (size != other)
      size = ShapedType::kDynamic;
  return RankedTensorType::get(shape, a.getElementType());
}

namespace {

//===----------------------------------------------------------------------===//
// The end of a body
//===----------------------------------------------------------------------===//

/// `values`, the operands of the terminator from `first` on, as values of the
/// types that its parent expects.
SmallVector<Value> converted(OpBuilder &b, onnx::YieldOp op, ValueRange values,
                             unsigned first, TypeRange types) {
  auto graph = op->getParentOp()
                   ->getAttrOfType<ArrayAttr>(graphTypesAttr)
                   .getAsValueRange<TypeAttr>();
  SmallVector<Value> results;
  for (auto [i, value, to, type] : llvm::enumerate(values, graph, types))
    results.push_back(convertValue(
        b, op.getLoc(), value, op->getOperand(first + i).getType(), to, type));
  return results;
}

/// The final number of rows, or 0 where it is unknown before the last
/// iteration.
Value expectedRows(OpBuilder &b, scf::WhileOp loop) {
  if (!loop->hasAttr(exactTripCountAttr))
    return indexConstant(b, loop.getLoc(), 0);
  auto condition =
      loop.getConditionOp().getCondition().getDefiningOp<arith::AndIOp>();
  return condition.getRhs().getDefiningOp<arith::CmpIOp>().getRhs();
}

/// All rows have the sizes of the first.
void checkRow(OpBuilder &b, Location loc, Value iteration, Value rows,
              Value row) {
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        iteration, indexConstant(b, loc, 0));
  for (auto [d, size] : llvm::enumerate(sizesOf(b, loc, row))) {
    Value older = sizeOf(b, loc, rows, int64_t(d) + 1);
    if (getConstantIntValue(older) && getConstantIntValue(size))
      continue;
    Value agrees =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, older, size);
    krnl::makeCheck(b, loc, arith::OrIOp::create(b, loc, isFirst, agrees),
                    "Loop: the rows of a scan output differ in shape",
                    ValueRange{older, size},
                    "{} and {} for dimension " + std::to_string(d));
  }
}

/// The rows scanned so far and `row`, which is of type `graph`. Rows of
/// unknown rank are collected in a sequence.
Value appendRow(OpBuilder &b, scf::WhileOp loop, Value rows, Value row,
                Type graph) {
  Location loc = loop.getLoc();
  if (isa<krnl::ObjType>(rows.getType()))
    return callObject(b, loc, "onnxc_call_sequence_insert", {rows, row},
                      {elementNumber(graph)}, /*takes=*/{0});
  Value iteration = loop.getAfterArguments()[0];
  checkRow(b, loc, iteration, rows, row);
  return krnl::AppendRowOp::create(b, loc, rows, iteration, row,
                                   expectedRows(b, loop));
}

SmallVector<Value> endOfLoop(OpBuilder &b, onnx::YieldOp op, scf::WhileOp loop,
                             ValueRange left) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> counts =
      loop->getAttrOfType<DenseI64ArrayAttr>(yieldedAttr);
  ValueRange arguments = loop.getAfterArguments();
  TypeRange types = loop->getResultTypes();
  if (counts[0]) // the length of a Scan is known
    krnl::CallOp::create(b, loc, TypeRange(), "onnxc_call_poll", ValueRange(),
                         ArrayRef<int64_t>(), /*stateful=*/true);
  SmallVector<Value> values{
      addIndex(b, loc, arguments[0], indexConstant(b, loc, 1)),
      counts[0] ? isTrue(b, loc, left[0], "Loop: a condition is one bool")
                : arguments[1]};
  left = left.drop_front(counts[0]);
  llvm::append_range(values, converted(b, op, left.take_front(counts[1]),
                                       counts[0], types.slice(2, counts[1])));
  for (Value row : left.drop_front(counts[1])) {
    unsigned at = values.size();
    Type graph = op->getOperand(at - 2 + counts[0]).getType();
    values.push_back(appendRow(b, loop, arguments[at], row, graph));
  }
  return values;
}

/// An iteration of SequenceMap adds one element to each result.
SmallVector<Value> endOfMap(OpBuilder &b, onnx::YieldOp op, scf::ForOp loop,
                            ValueRange elements) {
  SmallVector<Value> values;
  for (auto [type, sequence, element] : llvm::zip_equal(
           op->getOperandTypes(), loop.getRegionIterArgs(), elements))
    values.push_back(callObject(b, op.getLoc(), "onnxc_call_sequence_insert",
                                {sequence, element}, {elementNumber(type)},
                                /*takes=*/{0}));
  return values;
}

Lowered lowerYield(onnx::YieldOp op, onnx::YieldOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  SmallVector<Value> values;
  Operation *parent = op->getParentOp();
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    values = endOfLoop(rewriter, op, loop, adaptor.getOperands());
  else if (auto map = dyn_cast<scf::ForOp>(parent))
    values = endOfMap(rewriter, op, map, adaptor.getOperands());
  else if (isa<scf::IfOp>(parent))
    values = converted(rewriter, op, adaptor.getOperands(), 0,
                       parent->getResultTypes());
  else
    return rewriter.notifyMatchFailure(op, "the body is not converted");
  rewriter.replaceOpWithNewOp<scf::YieldOp>(op, values);
  return success();
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

Lowered lowerIf(onnx::IfOp op, onnx::IfOp::Adaptor adaptor,
                ConversionPatternRewriter &rewriter) {
  auto yielded = [](Region &branch) {
    return branch.front().getTerminator()->getOperandTypes();
  };
  SmallVector<Type> types;
  SmallVector<Attribute> graph;
  for (auto [x, y, result] :
       llvm::zip(yielded(op.getThenBranch()), yielded(op.getElseBranch()),
                 op.getResultTypes())) {
    // The types of the branches may be more precise than that of the result.
    // Where they differ in rank, the result's type is right.
    Type type = isa<RankedTensorType>(result) ? joinRanked(x, y) : Type();
    type = type ? type : result;
    graph.push_back(TypeAttr::get(type));
    types.push_back(krnlType(type));
  }
  Location loc = op.getLoc();
  Value condition = isTrue(rewriter, loc, adaptor.getOperands()[0],
                           "If: the condition is one bool");
  auto branch = scf::IfOp::create(rewriter, loc, types, condition,
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  branch->setAttr(graphTypesAttr, rewriter.getArrayAttr(graph));
  rewriter.inlineRegionBefore(op.getThenBranch(), branch.getThenRegion(),
                              branch.getThenRegion().end());
  rewriter.inlineRegionBefore(op.getElseBranch(), branch.getElseRegion(),
                              branch.getElseRegion().end());
  rewriter.setInsertionPointAfter(branch);
  SmallVector<Value> results;
  for (auto [value, from, to] :
       llvm::zip(branch.getResults(), graph, op.getResultTypes()))
    results.push_back(convertValue(rewriter, loc, value,
                                   cast<TypeAttr>(from).getValue(), to,
                                   krnlType(to)));
  return results;
}

//===----------------------------------------------------------------------===//
// Fail
//===----------------------------------------------------------------------===//

Lowered lowerFail(onnx::FailOp op, onnx::FailOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) {
  if (!op.getCondition())
    return neverMade(rewriter, op, op.getMessage());
  Location loc = op.getLoc();
  Value fails = isTrue(rewriter, loc, adaptor.getCondition(),
                       "If: the condition is one bool");
  Value holds = arith::XOrIOp::create(
      rewriter, loc, fails, arith::ConstantIntOp::create(rewriter, loc, 1, 1));
  krnl::CheckOp::create(rewriter, loc, holds, op.getMessage());
  return SmallVector<Value>();
}

} // namespace

void populateONNXToKrnlControlFlowPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  addLowerings<Ranks::Any>(converter, patterns, lowerIf, lowerYield, lowerFail);
}

} // namespace onnxc
