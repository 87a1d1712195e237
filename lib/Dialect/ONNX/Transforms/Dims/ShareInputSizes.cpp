//===- ShareInputSizes.cpp - Named sizes of inputs are equal ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_SHAREINPUTSIZES
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;

namespace {

/// A dimension of a function argument.
struct InputDim {
  BlockArgument argument;
  int64_t dim;
};

/// Replaces every use of the size of `from` by the size of `to`.
void replaceSize(InputDim from, InputDim to) {
  OpBuilder builder = OpBuilder::atBlockBegin(from.argument.getOwner());
  Value size;
  for (Operation *user : llvm::make_early_inc_range(from.argument.getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    if (!dim || dim.getConstantIndex() != from.dim)
      continue;
    if (!size)
      size = tensor::DimOp::create(builder, to.argument.getLoc(), to.argument,
                                   to.dim);
    dim.replaceAllUsesWith(size);
    dim.erase();
  }
}

struct ShareInputSizes final
    : public onnxc::onnx::impl::ShareInputSizesBase<ShareInputSizes> {
  using ShareInputSizesBase::ShareInputSizesBase;

  void runOnOperation() override {
    getOperation().walk([](func::FuncOp function) {
      if (!function.isExternal())
        share(function);
    });
  }

  static void share(func::FuncOp function) {
    llvm::StringMap<InputDim> first;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      for (int64_t i = 0; i < type.getRank(); ++i) {
        StringRef name = onnxc::onnx::givenSizeName(
            function, argument.getArgNumber(), unsigned(i));
        if (name.empty() || !type.isDynamicDim(i))
          continue;
        auto [entry, isNew] = first.try_emplace(name, InputDim{argument, i});
        if (!isNew)
          replaceSize({argument, i}, entry->second);
      }
    }
  }
};

} // namespace
