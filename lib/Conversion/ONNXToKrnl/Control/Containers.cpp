//===- Containers.cpp - Sequences and optionals -----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Control/Containers.h"

#include "Builders/HostValues.h"
#include "Control/ControlFlow.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// The element number of the first operand that is a tensor.
int64_t firstNumber(TypeRange types) {
  for (Type type : types)
    if (int64_t number = elementNumber(type))
      return number;
  return 0;
}

/// A position in a sequence, as an index.
Value positionOf(OpBuilder &b, Location loc, Value tensor) {
  Value element =
      checkedElement(b, loc, tensor, "a position in a sequence is one number");
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
}

/// A count or truth of the host as a tensor of one element.
Value scalarTensor(OpBuilder &b, Location loc, Value scalar, Type element) {
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(b, loc, element, scalar);
  return tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get({}, element), scalar);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

Lowered lowerSequenceConstruct(onnx::SequenceConstructOp op,
                               onnx::SequenceConstructOp::Adaptor adaptor,
                               ConversionPatternRewriter &rewriter) {
  return callObject(rewriter, op.getLoc(), "onnxc_call_sequence_construct",
                    adaptor.getOperands(),
                    {firstNumber(op->getOperandTypes())});
}

Lowered lowerSequenceEmpty(onnx::SequenceEmptyOp op,
                           onnx::SequenceEmptyOp::Adaptor,
                           ConversionPatternRewriter &rewriter) {
  return callObject(rewriter, op.getLoc(), "onnxc_call_sequence_construct", {},
                    {0});
}

Lowered lowerSequenceInsert(onnx::SequenceInsertOp op,
                            onnx::SequenceInsertOp::Adaptor adaptor,
                            ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  SmallVector<Value> operands(adaptor.getOperands());
  if (operands.size() > 2)
    operands[2] = positionOf(rewriter, loc, operands[2]);
  return callObject(rewriter, loc, "onnxc_call_sequence_insert", operands,
                    {elementNumber(op->getOperand(1).getType())},
                    /*takes=*/{0});
}

Lowered lowerSequenceErase(onnx::SequenceEraseOp op,
                           onnx::SequenceEraseOp::Adaptor adaptor,
                           ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  SmallVector<Value> operands(adaptor.getOperands());
  if (operands.size() > 1)
    operands[1] = positionOf(rewriter, loc, operands[1]);
  return callObject(rewriter, loc, "onnxc_call_sequence_erase", operands,
                    /*params=*/{}, /*takes=*/{0});
}

Lowered lowerSequenceAt(onnx::SequenceAtOp op,
                        onnx::SequenceAtOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Type type = op->getResult(0).getType();
  Value position = positionOf(rewriter, loc, adaptor.getOperands()[1]);
  return callElement(rewriter, loc, "onnxc_call_sequence_at",
                     {adaptor.getOperands()[0], position}, type,
                     krnlType(type));
}

Value lengthOf(OpBuilder &b, Location loc, Value sequence) {
  return krnl::CallOp::create(b, loc, TypeRange(b.getIndexType()),
                              "onnxc_call_sequence_length", sequence)
      .getResult(0);
}

Lowered lowerSequenceLength(onnx::SequenceLengthOp op,
                            onnx::SequenceLengthOp::Adaptor adaptor,
                            ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value length = lengthOf(rewriter, loc, adaptor.getOperands()[0]);
  return scalarTensor(rewriter, loc, length, rewriter.getI64Type());
}

Lowered lowerConcatFromSequence(onnx::ConcatFromSequenceOp op,
                                onnx::ConcatFromSequenceOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) {
  Type type = op->getResult(0).getType();
  return callElement(rewriter, op.getLoc(), "onnxc_call_concat_from_sequence",
                     adaptor.getOperands(), type, krnlType(type),
                     {op.getAxis(), op.getNewAxis()});
}

Lowered lowerSplitToSequence(onnx::SplitToSequenceOp op,
                             onnx::SplitToSequenceOp::Adaptor adaptor,
                             ConversionPatternRewriter &rewriter) {
  ValueRange operands = adaptor.getOperands();
  auto split = operands.size() > 1
                   ? dyn_cast<RankedTensorType>(operands[1].getType())
                   : RankedTensorType();
  if (operands.size() > 1 && (!split || split.getRank() > 1))
    return rewriter.notifyMatchFailure(op, "split is not a scalar or vector");
  return callObject(rewriter, op.getLoc(), "onnxc_call_split_to_sequence",
                    operands,
                    {elementNumber(op->getOperand(0).getType()), op.getAxis(),
                     op.getKeepdims()});
}

Value checkLengths(OpBuilder &b, onnx::SequenceMapOp op, ValueRange operands) {
  Location loc = op.getLoc();
  Value length = lengthOf(b, loc, operands[0]);
  for (auto [type, operand] :
       llvm::drop_begin(llvm::zip_equal(op->getOperandTypes(), operands)))
    if (isa<onnx::SeqType>(type))
      checkEqualSizes(b, loc, length, lengthOf(b, loc, operand),
                      "SequenceMap: the sequences differ in length");
  return length;
}

/// The arguments of the body in iteration `i`.
SmallVector<Value> elementsAt(OpBuilder &b, onnx::SequenceMapOp op,
                              ValueRange operands, Value i) {
  SmallVector<Value> taken;
  for (auto [type, operand, argument] : llvm::zip_equal(
           op->getOperandTypes(), operands, op.getBody().getArgumentTypes())) {
    Type converted = krnlType(argument);
    if (isa<onnx::SeqType>(type))
      taken.push_back(callElement(b, op.getLoc(), "onnxc_call_sequence_at",
                                  {operand, i}, argument, converted));
    else
      taken.push_back(
          convertValue(b, op.getLoc(), operand, type, argument, converted));
  }
  return taken;
}

/// A loop over the first input, which appends to the results. Other sequences
/// are as long, tensors the same in every iteration.
Lowered lowerSequenceMap(onnx::SequenceMapOp op,
                         onnx::SequenceMapOp::Adaptor adaptor,
                         ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  Value length = checkLengths(rewriter, op, adaptor.getOperands());
  SmallVector<Value> empty;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    empty.push_back(
        callObject(rewriter, loc, "onnxc_call_sequence_construct", {}, {0}));
  auto loop =
      scf::ForOp::create(rewriter, loc, indexConstant(rewriter, loc, 0), length,
                         indexConstant(rewriter, loc, 1), empty,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  Block *iteration = loop.getBody();
  rewriter.setInsertionPointToEnd(iteration);
  SmallVector<Value> taken =
      elementsAt(rewriter, op, adaptor.getOperands(), loop.getInductionVar());
  rewriter.inlineBlockBefore(&body, iteration, iteration->end(), taken);
  return loop.getResults();
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

Lowered lowerOptional(onnx::OptionalOp op, onnx::OptionalOp::Adaptor adaptor,
                      ConversionPatternRewriter &rewriter) {
  return callObject(rewriter, op.getLoc(), "onnxc_call_optional",
                    adaptor.getOperands(),
                    {firstNumber(op->getOperandTypes())});
}

/// Lowers OptionalHasElement: true for types other than optional; false for an
/// absent operand.
Lowered lowerOptionalHasElement(onnx::OptionalHasElementOp op,
                                onnx::OptionalHasElementOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  ValueRange operands = adaptor.getOperands();
  Value has;
  if (!operands.empty() && isa<onnx::OptType>(op->getOperand(0).getType()))
    has =
        krnl::CallOp::create(rewriter, loc, TypeRange(rewriter.getIndexType()),
                             "onnxc_call_optional_has_element", operands)
            .getResult(0);
  else
    has = indexConstant(rewriter, loc, operands.size());
  return scalarTensor(rewriter, loc, has, rewriter.getI8Type());
}

Lowered lowerOptionalGetElement(onnx::OptionalGetElementOp op,
                                onnx::OptionalGetElementOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) {
  Type type = op->getResult(0).getType();
  return convertValue(rewriter, op.getLoc(), adaptor.getOperands()[0],
                      op->getOperand(0).getType(), type, krnlType(type));
}

//===----------------------------------------------------------------------===//
// Tensors of unknown rank
//===----------------------------------------------------------------------===//

Lowered lowerBoxedShape(onnx::ShapeOp op, onnx::ShapeOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  if (!isa<krnl::ObjType>(x.getType()))
    return rewriter.notifyMatchFailure(op, "the rank is known");
  int64_t end = op.getEnd().value_or(std::numeric_limits<int64_t>::max());
  Type type = op->getResult(0).getType();
  return callElement(rewriter, op.getLoc(), "onnxc_call_boxed_shape", x, type,
                     krnlType(type), {op.getStart(), end});
}

Lowered lowerBoxedSize(onnx::SizeOp op, onnx::SizeOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Value x = adaptor.getOperands()[0];
  if (!isa<krnl::ObjType>(x.getType()))
    return rewriter.notifyMatchFailure(op, "the rank is known");
  Location loc = op.getLoc();
  Value count =
      krnl::CallOp::create(rewriter, loc, TypeRange(rewriter.getIndexType()),
                           "onnxc_call_boxed_size", x)
          .getResult(0);
  return scalarTensor(rewriter, loc, count, rewriter.getI64Type());
}

/// Reshapes to or from tensors of unknown rank.
Lowered lowerBoxedReshape(onnx::ReshapeOp op, onnx::ReshapeOp::Adaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (isa<RankedTensorType>(from) && isa<RankedTensorType>(to))
    return rewriter.notifyMatchFailure(op, "the ranks are known");
  return callElement(rewriter, op.getLoc(), "onnxc_call_boxed_reshape",
                     adaptor.getOperands(), to, krnlType(to),
                     {op.getAllowzero()});
}

/// Lowers Squeeze without axes, whose result has as many dimensions as there
/// are sizes that are not 1.
Lowered lowerBoxedSqueeze(onnx::SqueezeOp op, onnx::SqueezeOp::Adaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
  Type to = op->getResult(0).getType();
  if (op.getAxes() || isa<RankedTensorType>(to))
    return rewriter.notifyMatchFailure(op, "the rank is known");
  return callElement(rewriter, op.getLoc(), "onnxc_call_boxed_squeeze",
                     adaptor.getOperands(), to, krnlType(to));
}

} // namespace

void populateONNXToKrnlContainersPatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  addLowerings<Ranks::Any>(
      converter, patterns, lowerBoxedReshape, lowerBoxedShape, lowerBoxedSize,
      lowerBoxedSqueeze, lowerConcatFromSequence, lowerOptionalGetElement,
      lowerOptionalHasElement, lowerOptional, lowerSequenceAt,
      lowerSequenceConstruct, lowerSequenceEmpty, lowerSequenceErase,
      lowerSequenceInsert, lowerSequenceLength, lowerSequenceMap,
      lowerSplitToSequence);
}

} // namespace onnxc
