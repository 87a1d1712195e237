//===- KernelVerifier.cpp - The rules of krnl.kernel --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace onnxc::krnl;

//===----------------------------------------------------------------------===//
// Operands and loops
//===----------------------------------------------------------------------===//

static LogicalResult verifyLoopNames(KernelOp kernel) {
  llvm::StringSet<> names;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>()) {
    if (!names.insert(loop.getName()).second)
      return kernel.emitOpError("has two loops '") << loop.getName() << "'";
    if (!isBareLoopName(loop.getName()))
      return kernel.emitOpError("loop '")
             << loop.getName()
             << "' must be named by an identifier that indices can use";
    if (loop.getExtent() < 0 && !loop.isDynamic())
      return kernel.emitOpError("loop '")
             << loop.getName() << "' has a negative extent";
    if (loop.getLimit() != 0 && (loop.getLimit() < 2 || !loop.isDynamic()))
      return kernel.emitOpError("limit ")
             << loop.getLimit() << " of loop '" << loop.getName()
             << "' must be more than 1 and of a dynamic extent";
    if (loop.getAtLeast() != 0 && (loop.getAtLeast() < 2 || !loop.isDynamic()))
      return kernel.emitOpError("minimum ")
             << loop.getAtLeast() << " of loop '" << loop.getName()
             << "' must be more than 1 and of a dynamic extent";
    if (loop.getLimit() != 0 && loop.getLimit() <= loop.getAtLeast())
      return kernel.emitOpError("limit ")
             << loop.getLimit() << " of loop '" << loop.getName()
             << "' must be more than its minimum " << loop.getAtLeast();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (getOuts().empty())
    return emitOpError("writes nothing: expected at least one of outs");
  if (TypeRange(getResults()) != TypeRange(getOuts()))
    return emitOpError("results must have the types of the outs");
  auto dynamic = llvm::count_if(getLoops().getAsRange<LoopAttr>(),
                                [](LoopAttr loop) { return loop.isDynamic(); });
  if (dynamic != int64_t(getExtents().size()))
    return emitOpError("has ") << getExtents().size() << " extents for "
                               << dynamic << " loops of dynamic extent";
  return verifyLoopNames(*this);
}

static LogicalResult verifyArguments(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (body.getNumArguments() != kernel->getNumOperands())
    return kernel.emitOpError("body has ")
           << body.getNumArguments() << " arguments for "
           << kernel->getNumOperands() << " operands";
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    if (argument.getType() != kernel->getOperand(number).getType())
      return kernel.emitOpError("body argument ")
             << number << " has type " << argument.getType()
             << ", but the operand has type "
             << kernel->getOperand(number).getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Contents of a body
//===----------------------------------------------------------------------===//

/// Scatter stores are for the terminator and have an index for each dimension.
static LogicalResult verifyScatterStores(ComputeOp op) {
  auto hasRank = [&](unsigned number, size_t indices) {
    auto type = cast<ShapedType>(op.getDpsInitOperand(number)->get().getType());
    return type.getRank() == int64_t(indices);
  };
  Operation *yield = op.getBlock()->getTerminator();
  for (auto scatter : op.getBlock()->getOps<ScatterStoreOp>())
    for (OpOperand &use : scatter.getResult().getUses()) {
      if (use.getOwner() != yield)
        return scatter.emitOpError("may be used by the terminator only");
      if (!hasRank(use.getOperandNumber(), scatter.getAt().size()))
        return scatter.emitOpError(
                   "needs an index for each dimension of result ")
               << use.getOperandNumber();
    }
  for (auto current : op.getBlock()->getOps<ScatterLoadOp>()) {
    int64_t number = current.getNumber();
    if (number < 0 || number >= op.getNumDpsInits() ||
        !scatterStoreOf(op, number))
      return current.emitOpError("reads result ")
             << number << ", which goes to no computed index";
    if (!hasRank(number, current.getAt().size()))
      return current.emitOpError("needs an index for each dimension of result ")
             << number;
  }
  return success();
}

/// Scalar code: the payload of a structured op.
static LogicalResult verifyScalarCode(KernelOp kernel, ComputeOp op) {
  for (Operation &inner : *op.getBlock()) {
    if (isa<arith::ArithDialect, math::MathDialect, complex::ComplexDialect>(
            inner.getDialect()) ||
        isa<linalg::YieldOp, IndexOp, ScatterStoreOp, ScatterLoadOp,
            WrapIndexOp, LookupOp>(inner))
      continue;
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    if (!extract)
      return inner.emitOpError("is not allowed in a structured op of a kernel");
    if (inputNumber(kernel, extract.getTensor()) < 0)
      return inner.emitOpError("must read an input of the kernel");
  }
  return success();
}

static LogicalResult verifyAxes(KernelOp kernel, ComputeOp op) {
  for (StringRef axis : op.getAxes())
    if (!kernel.findLoop(axis))
      return op.emitOpError("names '")
             << axis << "', which is not a loop of the kernel";
  return success();
}

/// Elements of a result of the kernel outside of a range are not stored:
/// nothing else has them.
static bool isStoredOnly(KernelOp kernel, ComputeOp op, OpOperand &init) {
  OpResult result = op.getTiedOpResult(&init);
  return isa<BlockArgument>(init.get()) && op.getNumReductionLoops() == 0 &&
         !op.payloadUsesValueFromOperand(&init) &&
         !scatterStoreOf(op, result.getResultNumber()) &&
         llvm::all_of(result.getUsers(),
                      [](Operation *user) { return isa<YieldOp>(user); });
}

/// Elements outside of a range are those of inputs, or results that nothing
/// else has.
static LogicalResult verifyOutside(ComputeOp op, OpOperand &operand,
                                   const Subscript &subscript) {
  auto kernel = cast<KernelOp>(op->getParentOp());
  if (op.isDpsInit(&operand)) {
    if (!isStoredOnly(kernel, op, operand) || subscript.outside)
      return op.emitOpError("writes operand ")
             << operand.getOperandNumber()
             << ", which is more than stored, in a range";
    return success();
  }
  if (inputNumber(kernel, operand.get()) < 0)
    return op.emitOpError("reads operand ")
           << operand.getOperandNumber()
           << ", which is not an input of the kernel, in a range";
  Type element = getElementTypeOrSelf(operand.get().getType());
  if (subscript.outside && subscript.outside.getType() != element)
    return op.emitOpError("has an element of type ")
           << subscript.outside.getType() << " outside of a range of operand "
           << operand.getOperandNumber() << ", whose elements are of "
           << element;
  if (Access(operand).outside() != subscript.outside)
    return op.emitOpError("has different elements outside of the ranges of "
                          "operand ")
           << operand.getOperandNumber();
  return success();
}

static LogicalResult verifySubscript(ComputeOp op, OpOperand &operand,
                                     unsigned position,
                                     const Subscript &subscript,
                                     ArrayRef<int64_t> extents) {
  int64_t size =
      cast<RankedTensorType>(operand.get().getType()).getDimSize(position);
  if (auto inside = subscript.range) {
    if (failed(verifyOutside(op, operand, subscript)))
      return failure();
    if (ShapedType::isDynamic(inside->second)) {
      if (inside->first != 0 || !ShapedType::isDynamic(size))
        return op.emitOpError("reads dimension ")
               << position << " of operand " << operand.getOperandNumber()
               << " up to its end, which needs a range from 0 and a dynamic "
                  "size";
      return success();
    }
    if (inside->first < 0 || inside->first >= inside->second ||
        inside->second > size)
      return op.emitOpError("reads dimension ")
             << position << " of operand " << operand.getOperandNumber()
             << ", which has size " << size << ", in the range "
             << inside->first << " to " << inside->second;
    return success();
  }
  auto range = valuesOf(subscript.index, extents);
  if (ShapedType::isDynamic(size) || !range)
    return success();
  std::optional<unsigned> loop = subscript.getLoop();
  if (loop && extents[*loop] != size)
    return op.emitOpError("loop '")
           << op.getAxes()[*loop] << "' has extent " << extents[*loop]
           << ", but dimension " << position << " of operand "
           << operand.getOperandNumber() << " has size " << size;
  if (!loop && size != 0 && (range->first < 0 || range->second >= size))
    return op.emitOpError("accesses dimension ")
           << position << " of operand " << operand.getOperandNumber()
           << ", which has size " << size << ", at " << range->first << " to "
           << range->second;
  return success();
}

/// Accesses are inside of the tensors, as far as sizes are known.
static LogicalResult verifyAccesses(ComputeOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, subscript] :
         llvm::enumerate(op.getSubscripts(operand)))
      if (failed(verifySubscript(op, operand, position, subscript, extents)))
        return failure();
  return success();
}

/// A loop that both ends of a def-use edge have must stand for the same
/// dimension of the tensor between them, or ops could not share it.
static LogicalResult verifyEdges(ComputeOp op) {
  SmallVector<StringRef> axes = op.getAxes();
  for (OpOperand &operand : op->getOpOperands()) {
    auto result = dyn_cast<OpResult>(operand.get());
    auto producer = operand.get().getDefiningOp<ComputeOp>();
    if (!producer)
      continue;
    for (auto [position, name, read] : llvm::enumerate(
             producer.getLoopsAlong(*producer.getTiedOpOperand(result)),
             op.getLoopsAlong(operand)))
      if (llvm::is_contained(axes, name) && read != name) {
        InFlightDiagnostic diagnostic = op.emitOpError("loop '")
                                        << name << "' is not dimension "
                                        << position << " of operand "
                                        << operand.getOperandNumber();
        diagnostic.attachNote(producer.getLoc())
            << "the operand is written along that loop here";
        return diagnostic;
      }
  }
  return success();
}

/// The op that writes a temporary; null where something else uses it, too.
static ComputeOp writerOf(TemporaryOp temporary) {
  if (!temporary.getTensor().hasOneUse())
    return {};
  OpOperand &use = *temporary.getTensor().use_begin();
  auto writer = dyn_cast<ComputeOp>(use.getOwner());
  return writer && writer.isDpsInit(&use) ? writer : ComputeOp();
}

/// Not a verifier of the op, as it depends on the op that writes.
static LogicalResult verifyTemporary(TemporaryOp temporary) {
  if (temporary.use_empty())
    return success();
  ComputeOp writer = writerOf(temporary);
  RankedTensorType type = temporary.getType();
  // No op writes a tensor without elements: a loop that covers it is empty.
  if (!writer && !llvm::is_contained(type.getShape(), 0))
    return temporary.emitOpError(
        "must be an output of one structured op and nothing else");
  if (!writer)
    return success();
  OpOperand &use = *temporary.getTensor().use_begin();
  for (auto [dim, at] : llvm::enumerate(writer.getSubscripts(use)))
    if (type.isDynamicDim(dim) && !at.getLoop())
      return temporary.emitOpError("has dynamic dimension ")
             << dim << ", which no loop covers";
  return success();
}

/// What a kernel computes beside its structured ops is scalar, and the same for
/// all of its tiles.
static LogicalResult verifyScalarOp(Operation &op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = cast<RankedTensorType>(dim.getSource().getType());
    if (!index || *index < 0 || *index >= type.getRank())
      return op.emitOpError("needs a constant dimension of its tensor");
    auto temporary = dim.getSource().getDefiningOp<TemporaryOp>();
    if (temporary && type.isDynamicDim(*index))
      return op.emitOpError("needs a tensor that an op has written");
    return success();
  }
  if (!isa<arith::ArithDialect, complex::ComplexDialect>(op.getDialect()) ||
      llvm::any_of(op.getResultTypes(), llvm::IsaPred<ShapedType>))
    return op.emitOpError("is not allowed in the body of a kernel");
  return success();
}

static LogicalResult verifyOps(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto structured = dyn_cast<ComputeOp>(op)) {
      if (failed(verifyAxes(kernel, structured)) ||
          failed(verifyScalarCode(kernel, structured)) ||
          failed(verifyScatterStores(structured)) ||
          failed(verifyAccesses(structured)) || failed(verifyEdges(structured)))
        return failure();
      continue;
    }
    if (!isa<TemporaryOp>(op) && failed(verifyScalarOp(op)))
      return failure();
  }
  return success();
}

static LogicalResult verifyBody(KernelOp kernel) {
  if (failed(verifyOps(kernel)))
    return failure();
  for (auto temporary : kernel.getBody().front().getOps<TemporaryOp>())
    if (failed(verifyTemporary(temporary)))
      return failure();
  return success();
}

/// Follows destinations from a yielded value back to where it is written.
static Value findDestination(Value value) {
  while (auto op = value.getDefiningOp<ComputeOp>())
    value = op.getDpsInits()[cast<OpResult>(value).getResultNumber()];
  return value;
}

static LogicalResult verifyYield(KernelOp kernel) {
  YieldOp yield = kernel.getYield();
  if (yield.getValues().size() != kernel.getOuts().size())
    return yield.emitOpError("yields ")
           << yield.getValues().size() << " values, but the kernel has "
           << kernel.getOuts().size() << " outs";
  for (auto [number, value] : llvm::enumerate(yield.getValues())) {
    if (!value.getDefiningOp<ComputeOp>() ||
        findDestination(value) != kernel.getOutArgument(number))
      return yield.emitOpError("value ")
             << number << " is not written into out " << number
             << " by a structured op";
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (!isa<YieldOp>(getBody().front().back()))
    return emitOpError("body must end with krnl.yield");
  if (failed(verifyArguments(*this)) || failed(verifyBody(*this)) ||
      failed(verifyYield(*this)))
    return failure();
  return LoopNest::replay(
      *this, [&](size_t) { return emitOpError(); }, /*findsCause=*/true);
}
