//===- InputSizes.cpp - Sizes that are those of inputs ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The analysis of the graph knows results by the sizes of inputs, where their
// lowerings compute the size, or choose it from those of the operands:
//
//   Add(x : [sequence, 8], y : [min(sequence, 100), 8]) : [sequence, 8]
//
// The result takes the size of the input. All loops over it then have one
// extent, and later operators see that their operands have the same size.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "Builders/HostValues.h"
#include "Builders/InputSizes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc {

/// The result of a kernel that the tensor is; null if it is none.
static OpResult resultOfKernel(Value tensor) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  return tensor.getDefiningOp<krnl::KernelOp>() ? cast<OpResult>(tensor)
                                                : OpResult();
}

/// The fresh tensor that a kernel writes a result over; null if it is none.
static tensor::EmptyOp destinationOf(OpResult result) {
  auto kernel = cast<krnl::KernelOp>(result.getOwner());
  return kernel.getOuts()[result.getResultNumber()]
      .getDefiningOp<tensor::EmptyOp>();
}

/// The extent of the loop that covers a dimension of a result where it is
/// written; null if no loop does.
static Value extentAlong(OpResult result, int64_t dim) {
  auto kernel = cast<krnl::KernelOp>(result.getOwner());
  auto written = dyn_cast<OpResult>(
      kernel.getYield().getValues()[result.getResultNumber()]);
  auto op = written ? dyn_cast<krnl::ComputeOp>(written.getOwner())
                    : krnl::ComputeOp();
  if (!op)
    return {};
  StringRef loop = op.getLoopsAlong(*op.getTiedOpOperand(written))[dim];
  return loop.empty()
             ? Value()
             : dyn_cast<Value>(kernel.getExtent(*kernel.findLoop(loop)));
}

/// Follows the size of a result to that which it was made with.
static Value sourceOf(Value size) {
  while (auto dim = size.getDefiningOp<tensor::DimOp>()) {
    OpResult result = resultOfKernel(dim.getSource());
    auto empty = result ? destinationOf(result) : tensor::EmptyOp();
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!empty || !index || !empty.getType().isDynamicDim(*index))
      break;
    size = empty.getDynamicSize(*index);
  }
  return size;
}

namespace {
/// The sizes of the inputs of a function.
class InputSizes {
public:
  explicit InputSizes(func::FuncOp function) : function(function) {}

  /// Returns true if the value is the size of an input with this name.
  bool isNamed(Value size, StringRef name) {
    auto dim = size.getDefiningOp<tensor::DimOp>();
    auto argument = dim ? dyn_cast<BlockArgument>(dim.getSource()) : nullptr;
    return argument && argument.getOwner() == &function.getBody().front() &&
           dim.getConstantIndex() &&
           onnx::sizeName(function, argument.getArgNumber(),
                          unsigned(*dim.getConstantIndex())) == name;
  }

  /// The size of that name; null if no input has it.
  Value find(OpBuilder &b, Location loc, StringRef name) {
    for (BlockArgument argument : function.getArguments())
      if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
        for (int64_t dim : llvm::seq(type.getRank()))
          if (type.isDynamicDim(dim) &&
              onnx::sizeName(function, argument.getArgNumber(),
                             unsigned(dim)) == name)
            return sizeOf(b, loc, argument, dim);
    return {};
  }

private:
  func::FuncOp function;
};
} // namespace

/// The size of an input that has the name, for a size that is to be equal; null
/// if no input has it.
static Value namedSize(OpBuilder &b, Location loc, InputSizes inputs,
                       Value size, StringRef name) {
  Value named = sourceOf(size);
  if (inputs.isNamed(named, name))
    return named;
  named = inputs.find(b, loc, name);
  if (named)
    checkEqualSizes(b, loc, size, named, sizesDisagreeText);
  return named;
}

/// Uses the sizes of inputs in the destination of one result, whose dimensions
/// have these names.
static void useInputSizes(RewriterBase &rewriter, InputSizes inputs,
                          OpResult result, ArrayAttr names) {
  tensor::EmptyOp empty = destinationOf(result);
  if (!empty || int64_t(names.size()) != empty.getType().getRank())
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(empty);
  for (auto [dim, text] : llvm::enumerate(names)) {
    auto name = dyn_cast<StringAttr>(text);
    if (!name || !empty.getType().isDynamicDim(dim))
      continue;
    Value size = empty.getDynamicSize(dim);
    Value named = namedSize(rewriter, result.getLoc(), inputs, size, name);
    if (!named)
      continue;
    Value extent = extentAlong(result, dim);
    rewriter.modifyOpInPlace(empty,
                             [&] { empty->replaceUsesOfWith(size, named); });
    rewriter.modifyOpInPlace(result.getOwner(), [&] {
      result.getOwner()->replaceUsesOfWith(extent ? extent : size, named);
    });
  }
}

/// Uses them in a view, such as that of a padded tensor.
static void useInputSizes(RewriterBase &rewriter, InputSizes inputs,
                          tensor::ReshapeOp view, ArrayAttr names) {
  auto type = dyn_cast<RankedTensorType>(view.getType());
  auto shape = view.getShape().getDefiningOp<tensor::FromElementsOp>();
  if (!type || !shape || int64_t(names.size()) != type.getRank() ||
      !shape.getType().getElementType().isIndex())
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(view);
  SmallVector<Value> sizes(shape.getElements());
  for (auto [dim, text] : llvm::enumerate(names)) {
    auto name = dyn_cast<StringAttr>(text);
    if (!name || !type.isDynamicDim(dim))
      continue;
    if (Value named =
            namedSize(rewriter, view.getLoc(), inputs, sizes[dim], name))
      sizes[dim] = named;
  }
  Value named = tensor::FromElementsOp::create(rewriter, view.getLoc(), sizes);
  rewriter.modifyOpInPlace(view, [&] { view.getShapeMutable().assign(named); });
}

void useInputSizes(RewriterBase &rewriter, Operation *op, ValueRange values) {
  auto dims = op->getAttrOfType<ArrayAttr>("onnx.dims");
  auto function = op->getParentOfType<func::FuncOp>();
  if (!dims || !function)
    return;
  InputSizes inputs(function);
  for (auto [list, value] : llvm::zip(dims, values)) {
    auto names = dyn_cast<ArrayAttr>(list);
    if (!names)
      continue;
    if (OpResult result = resultOfKernel(value))
      useInputSizes(rewriter, inputs, result, names);
    else if (auto view = value.getDefiningOp<tensor::ReshapeOp>())
      useInputSizes(rewriter, inputs, view, names);
  }
}

} // namespace onnxc
