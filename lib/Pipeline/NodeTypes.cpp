//===- NodeTypes.cpp - Types of the nodes of a model -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipeline/NodeTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

/// Has the model a name for the symbol, or for all that define it?
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

std::string onnxc::typeText(onnx::DimAnalysis &analysis, Value value) {
  constexpr size_t maxLength = 48;
  Type type = analysis.type(value);
  if (!isa<RankedTensorType>(type))
    return onnx::typeText(type);
  SmallVector<std::string> sizes;
  SmallVector<AffineExpr, 4> dims = analysis.info(value).dims;
  for (AffineExpr dim : dims) {
    std::string size =
        isNamed(analysis.getSpace(), dim) ? analysis.getSpace().text(dim) : "?";
    sizes.push_back(size.size() <= maxLength ? size : "?");
  }
  return onnx::typeText(type, "[" + llvm::join(sizes, ", ") + "]");
}

void NodeTypes::add(const importer::ImportedNode &node) {
  auto texts = [](ArrayRef<Type> types) {
    std::vector<std::string> texts;
    for (Type type : types)
      texts.push_back(type && !isa<NoneType>(type) ? onnx::typeText(type) : "");
    return texts;
  };
  byNode[cast<NameLoc>(node.loc).getName()] = {texts(node.operands),
                                               texts(node.results)};
}

/// Replaces those that are there, if they are as many.
static void refineTexts(std::vector<std::string> &texts, ValueRange values,
                        onnx::DimAnalysis &analysis) {
  auto isThere = [](const std::string &text) { return !text.empty(); };
  if (size_t(llvm::count_if(texts, isThere)) != values.size())
    return;
  auto next = values.begin();
  for (std::string &text : texts)
    if (isThere(text))
      text = typeText(analysis, *next++);
}

void NodeTypes::refine(ModuleOp model) {
  onnx::DimAnalysis analysis(model);
  // Upgrade rules make several operations of one node.
  llvm::MapVector<StringRef, SmallVector<Operation *, 1>> operations;
  model.walk([&](Operation *op) {
    auto named = dyn_cast<NameLoc>(op->getLoc());
    if (named && byNode.contains(named.getName()) &&
        op->getName().getStringRef() != "onnx.Yield")
      operations[named.getName().strref()].push_back(op);
  });
  for (auto &[name, ops] : operations) {
    if (ops.size() != 1)
      continue;
    Types &types = byNode[name];
    refineTexts(types.operands, ops.front()->getOperands(), analysis);
    refineTexts(types.results, ops.front()->getResults(), analysis);
  }
}

const NodeTypes::Types *NodeTypes::find(StringRef node) const {
  auto found = byNode.find(node);
  return found == byNode.end() ? nullptr : &found->second;
}
