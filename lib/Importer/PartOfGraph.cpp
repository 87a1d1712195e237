//===- PartOfGraph.cpp - The part between named tensors --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "PartOfGraph.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc::importer;

void onnxc::importer::keepOnly(Block &block, ArrayRef<Value> results) {
  llvm::SmallDenseSet<Value> kept(results.begin(), results.end());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto isNeeded = [&](Value value) {
      return !value.use_empty() || kept.contains(value);
    };
    if (llvm::none_of(op.getResults(), isNeeded))
      op.erase();
  }
}

/// The shape that the user gives an input instead of the declared one.
static Type overrideShape(ImportState &state, const NamedValue &input) {
  Type type = input.value.getType();
  auto given = state.options.shapes.find(input.name);
  if (given == state.options.shapes.end())
    return type;
  SmallVector<int64_t> shape;
  for (int64_t size : given->second)
    shape.push_back(size < 0 ? ShapedType::kDynamic : size);
  auto tensor = dyn_cast<TensorType>(type);
  if (tensor && succeeded(verifyCompatibleShape(tensor.getShape(), shape)))
    return RankedTensorType::get(shape, tensor.getElementType());
  state.error(state.nameLoc(input.name))
      << "a shape is given for " << quote(input.name) << ", which is " << type
      << " in the model";
  return type;
}

void onnxc::importer::startAt(ImportState &state, func::FuncOp function,
                              ArrayRef<NamedValue> from,
                              SmallVectorImpl<Value> &results) {
  Block &block = function.front();
  unsigned oldCount = block.getNumArguments();
  for (const NamedValue &input : from) {
    BlockArgument argument = block.addArgument(overrideShape(state, input),
                                               state.nameLoc(input.name));
    Value value = input.value;
    value.replaceAllUsesWith(argument);
    llvm::replace(results, input.value, Value(argument));
  }
  keepOnly(block, results);
  for (BlockArgument old : block.getArguments().take_front(oldCount))
    if (!old.use_empty() || llvm::is_contained(results, old))
      state.error(old.getLoc())
          << "the part between --from and --to needs this input as well; name "
             "it in --from";
  if (state.errorCount == 0)
    block.eraseArguments(0, oldCount);
}
