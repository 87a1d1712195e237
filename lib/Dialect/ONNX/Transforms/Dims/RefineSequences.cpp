//===- RefineSequences.cpp - Element types of empty sequences ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Exporters start lists with SequenceEmpty, which has an element type but no
// rank, and append to them in loops; the elements read from such a list would
// have no rank either. The inserted elements have one.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"

#include "onnxc/Schema/TypeLattice.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// The values that hold a sequence, and the elements inserted into it.
class Flow {
public:
  /// Returns false if the sequence gets somewhere that is not understood.
  bool follow(Value start);

  /// The type of all elements; null if there is none.
  Type elementType() const { return element; }

private:
  bool visit(OpOperand &use);
  bool insert(Type type);
  void reach(Value value) {
    if (reached.insert(value).second)
      waiting.push_back(value);
  }

  Type element;
  SmallPtrSet<Value, 8> reached;
  SmallVector<Value> waiting;
};

} // namespace

bool Flow::insert(Type type) {
  if (!element) {
    element = type;
    return true;
  }
  FailureOr<Type> joined = onnxc::schema::joinTypes(element, type);
  if (succeeded(joined))
    element = *joined;
  return succeeded(joined);
}

/// Where the sequence goes from here.
bool Flow::visit(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (isa<SequenceInsertOp>(op) && !insert(op->getOperand(1).getType()))
    return false;
  if (isa<IdentityOp, SequenceEraseOp, SequenceInsertOp>(op)) {
    reach(op->getResult(0));
    return true;
  }
  if (auto loop = dyn_cast<LoopOp>(op)) {
    unsigned state = number - loop.getVInitial().getBeginOperandIndex();
    reach(loop.getBody().getArgument(state + 2));
    reach(loop->getResult(state));
    return true;
  }
  if (isa<YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (isa<IfOp>(parent)) {
      reach(parent->getResult(number));
      return true;
    }
    auto loop = dyn_cast<LoopOp>(parent);
    if (!loop || number == 0 || number > loop.getVInitial().size())
      return false;
    reach(loop.getBody().getArgument(number + 1));
    reach(loop->getResult(number - 1));
    return true;
  }
  // These only read it.
  return isa<ConcatFromSequenceOp, SequenceAtOp, SequenceLengthOp,
             SequenceMapOp>(op) ||
         !isa<ONNXDialect>(op->getDialect());
}

bool Flow::follow(Value start) {
  reach(start);
  while (!waiting.empty())
    for (OpOperand &use : waiting.pop_back_val().getUses())
      if (!visit(use))
        return false;
  return true;
}

bool onnxc::onnx::refineSequences(ModuleOp module) {
  bool changed = false;
  module.walk([&](SequenceEmptyOp op) {
    auto type = dyn_cast<SeqType>(op.getResult().getType());
    if (!type || !isa<UnrankedTensorType>(type.getElementType()))
      return;
    Flow flow;
    if (!flow.follow(op.getResult()) ||
        !isa_and_present<RankedTensorType>(flow.elementType()))
      return;
    op.getResult().setType(SeqType::get(op.getContext(), flow.elementType()));
    changed = true;
  });
  return changed;
}
