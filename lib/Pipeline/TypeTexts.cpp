//===- TypeTexts.cpp - Types with the sizes of the model -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipeline/TypeTexts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

/// Returns true if the model has a name for the symbol, or for all that define
/// it.
static bool isNamed(const onnx::DimSpace &space, const onnx::DimSymbol &symbol);

static bool isNamed(const onnx::DimSpace &space, AffineExpr expr) {
  WalkResult result = expr.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    return !symbol || isNamed(space, space.symbol(symbol.getPosition()))
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

static bool isNamed(const onnx::DimSpace &space,
                    const onnx::DimSymbol &symbol) {
  if (symbol.kind != onnx::DimSymbol::Kind::Input)
    return !symbol.args.empty() &&
           llvm::all_of(symbol.args, [&](AffineExpr argument) {
             return isNamed(space, argument);
           });
  auto argument = dyn_cast_or_null<BlockArgument>(symbol.value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  return function && onnx::givenSizeName(function, argument.getArgNumber(),
                                         symbol.dim) == symbol.name;
}

std::string onnxc::dimText(onnx::DimAnalysis &analysis, AffineExpr size) {
  constexpr size_t maxLength = 48;
  onnx::DimSpace &space = analysis.getSpace();
  std::string text = isNamed(space, size) ? space.text(size) : "";
  return text.size() <= maxLength ? text : "";
}

std::string onnxc::typeText(onnx::DimAnalysis &analysis, Value value) {
  Type type = analysis.type(value);
  if (!isa<RankedTensorType>(type))
    return onnx::typeText(type);
  SmallVector<std::string> sizes;
  SmallVector<AffineExpr, 4> dims = analysis.info(value).dims;
  for (AffineExpr dim : dims) {
    std::string size = dimText(analysis, dim);
    sizes.push_back(size.empty() ? "?" : size);
  }
  return onnx::typeText(type, "[" + llvm::join(sizes, ", ") + "]");
}
