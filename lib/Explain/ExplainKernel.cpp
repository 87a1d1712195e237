//===- ExplainKernel.cpp - One kernel of a node ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ExplainKernel.h"

#include "FindNode.h"
#include "PrintLoops.h"
#include "Remarks.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeSpace.h"
#include "onnxc/Recipe/VectorizationReport.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// Bytes of a tensor, or of a scalar; unknown sizes count as `outerExtent`.
static double bytesOf(Type type) {
  double elements = 1;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t size : tensor.getShape())
      elements *= double(ShapedType::isDynamic(size) ? outerExtent : size);
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat()
             ? elements * std::ceil(element.getIntOrFloatBitWidth() / 8.0)
             : 0;
}

/// The constant that a view is made of, or the node that makes the value.
static std::string sourceOf(Value value) {
  Operation *maker = value.getDefiningOp();
  while (maker && maker->getNumOperands() > 0 && isConstantView(value)) {
    value = maker->getOperand(0);
    maker = value.getDefiningOp();
  }
  return nameOf(value.getLoc()).str();
}

static void addPacking(const LoopNest &nest, const Pack &pack,
                       ExplainedOperand &operand) {
  double elements = 1;
  std::vector<std::string> loops;
  for (unsigned number : packedLoops(nest, pack)) {
    const Loop &loop = nest.loop(number);
    elements *= double(loop.isDynamic() ? outerExtent : loop.extent);
    loops.push_back(loop.name);
  }
  operand.packedLoops = llvm::join(loops, ", ");
  operand.packedBytes = elements;
}

static void addOperands(KernelOp kernel, const LoopNest &nest,
                        ExplainedKernel &explained) {
  unsigned inputs = kernel.getIns().size();
  for (auto [number, value] : llvm::enumerate(
           llvm::concat<Value>(kernel.getIns(), kernel.getOuts()))) {
    ExplainedOperand operand;
    operand.name = operandName(kernel, number);
    operand.type = onnx::typeText(value.getType());
    bool isInput = number < inputs;
    operand.isConstant = isInput && isConstantView(value);
    operand.source = isInput ? sourceOf(value) : nameOf(kernel.getLoc()).str();
    if (const Pack *pack = isInput ? nest.packOf(number) : nullptr) {
      addPacking(nest, *pack, operand);
      operand.packedBytes *= bytesOf(getElementTypeOrSelf(value.getType()));
    }
    (isInput ? explained.bytesRead : explained.bytesWritten) +=
        bytesOf(value.getType());
    explained.operands.push_back(std::move(operand));
  }
}

ExplainedKernel explainKernel(KernelOp kernel) {
  ExplainedKernel explained;
  LoopNest nest = LoopNest::replay(kernel);
  explained.name = kernel.getName().str();
  explained.nodes = explainedNodes(kernel.getLoc());
  addOperands(kernel, nest, explained);
  explained.work = workOf(kernel, outerExtent);
  explained.cycles =
      nestCost(kernel, nest, TargetAttr::processorOf(kernel)).cycles;
  explained.isDynamic =
      llvm::any_of(kernel.getLoops().getAsRange<LoopAttr>(),
                   [](LoopAttr loop) { return loop.isDynamic(); });
  for (const BodyOp &op : nest.ops())
    for (const LoopUse &use : op.loops)
      explained.lanes = std::max(explained.lanes, use.width());
  for (const ScalarLoop &part : findScalarLoops(kernel, outerExtent)) {
    ExplainedChoice found{nameOf(part.loc).str(), part.reason};
    if (!llvm::is_contained(explained.scalarParts, found))
      explained.scalarParts.push_back(std::move(found));
  }
  for (Attribute step : kernel.getRecipe())
    explained.steps.push_back(stepText(step));
  llvm::raw_string_ostream os(explained.loops);
  printLoops(kernel, nest, os);
  return explained;
}

} // namespace onnxc
