//===- Custom.cpp - Operators that a user's library computes ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Control/Containers.h"
#include "Lowering.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/CustomNodes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// On a call until the nodes are numbered: the description of its node for the
/// run.
constexpr StringLiteral nodeAttrName = "krnl.custom_node";

/// Numbers of the element types by slot, 0 where nothing is.
DenseI64ArrayAttr typeNumbers(Builder &b, ArrayRef<Value> slots) {
  SmallVector<int64_t> numbers;
  for (Value value : slots)
    numbers.push_back(value ? elementNumber(value.getType()) : 0);
  return b.getDenseI64ArrayAttr(numbers);
}

/// The run-time description of a node beside its operands.
DictionaryAttr describe(Builder &b, onnx::CustomOp op) {
  auto name = dyn_cast<NameLoc>(op.getLoc());
  NamedAttrList entry;
  entry.set("library", op.getLibraryAttr());
  entry.set("domain", op.getDomainAttr());
  entry.set("op_type", op.getOpTypeAttr());
  entry.set("version", op.getVersionAttr());
  entry.set("node", name ? name.getName() : b.getStringAttr(""));
  entry.set("attributes", op.getNodeAttributes());
  entry.set("inputs", typeNumbers(b, op.getInputs()));
  entry.set("outputs", typeNumbers(b, op.getOutputs()));
  return entry.getDictionary(b.getContext());
}

Lowered lowerCustom(onnx::CustomOp op, onnx::CustomOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  for (Value result : op.getResults())
    if (elementNumber(result.getType()) == 0)
      return rewriter.notifyMatchFailure(
          op, "the element type of a result is not known");
  auto types = llvm::map_to_vector(op.getResultTypes(), krnlType);
  auto call = krnl::CallOp::create(rewriter, op.getLoc(), types,
                                   "onnxc_call_custom", adaptor.getValues(),
                                   /*params=*/0, /*stateful=*/!op.getPure());
  call->setAttr(nodeAttrName, describe(rewriter, op));
  return call.getResults();
}

} // namespace

void numberCustomNodes(ModuleOp module) {
  Builder b(module.getContext());
  SmallVector<Attribute> nodes;
  module.walk([&](krnl::CallOp call) {
    Attribute node = call->removeAttr(nodeAttrName);
    if (!node)
      return;
    call.setParams(static_cast<int64_t>(nodes.size()));
    nodes.push_back(node);
  });
  if (!nodes.empty())
    module->setAttr(krnl::customNodesAttrName, b.getArrayAttr(nodes));
}

void populateONNXToKrnlCustomPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  addLowerings<Ranks::Any>(converter, patterns, lowerCustom);
}

} // namespace onnxc
