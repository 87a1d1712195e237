//===- KeptResults.cpp - Results of ops in registers ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KeptResults.h"

#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

void KeptResults::keep(const OpState &state, unsigned result,
                       const Instance &instance, Value value) {
  ComputeOp op = state.op;
  auto isKept = [&](unsigned loop) { return !isReduced(state, loop); };
  RegisterValue &kept = results[op->getResult(result)];
  if (kept.loops.empty())
    for (const LoopUse &use : nest.op(state.number).loops)
      if (isKept(use.loop))
        kept.loops.push_back(use.loop);
  kept.values[restrictTo(instance, isKept)] = value;
}

Value KeptResults::valueOf(const OpState &state, OpResult result,
                           const RegisterValue &kept,
                           const Instance &instance) const {
  Instance key = restrictTo(instance, [&](unsigned loop) {
    return llvm::is_contained(kept.loops, loop);
  });
  std::optional<unsigned> lane = laneLoop(state);
  unsigned producer = nest.indexOf(result.getDefiningOp());
  const LoopUse *use = lane ? nest.op(producer).find(*lane) : nullptr;
  if (!use || use->width() > 1 || active[*lane].lanes == 1)
    return kept.values.at(key);
  SmallVector<Value> elements;
  int64_t first = key[*lane] * active[*lane].lanes;
  for (int64_t i = 0; i < active[*lane].lanes; ++i) {
    key[*lane] = first + i;
    auto known = kept.values.find(key);
    elements.push_back(known != kept.values.end() ? known->second
                                                  : elements.front());
  }
  return vector::FromElementsOp::create(
      b, VectorType::get({active[*lane].lanes}, elements.front().getType()),
      elements);
}

Value KeptResults::find(const OpState &state, OpOperand &operand,
                        const Instance &instance) const {
  auto result = dyn_cast<OpResult>(operand.get());
  if (!result)
    return {};
  auto kept = results.find(result);
  return kept != results.end() && storage.canForward(result, operand)
             ? valueOf(state, result, kept->second, instance)
             : Value();
}

Value KeptResults::rowsOfMatrix(const Mma &mma, OpOperand &factor,
                                const RegisterFactor &form,
                                Instance instance) const {
  const RegisterValue &rows = results.find(factor.get())->second;
  int64_t tile = 0;
  for (auto [loop, step] : form.instructions)
    tile += instance[loop] * step / MatrixSums::columns;
  SmallVector<Value> elements;
  for (int64_t half : {0, 1})
    for (int64_t copy : {0, 1})
      for (int64_t column : {0, 1}) {
        instance[form.tiles] = tile + half;
        instance[mma.rowCopies] = copy;
        instance[form.copies] = column;
        auto isKept = [&](unsigned loop) {
          return llvm::is_contained(rows.loops, loop);
        };
        auto known = rows.values.find(restrictTo(instance, isKept));
        if (known != rows.values.end() &&
            !isa<VectorType>(known->second.getType())) {
          elements.push_back(known->second);
          continue;
        }
        // Both are lanes.
        instance[form.copies] = 0;
        elements.push_back(vector::ExtractOp::create(
            b, rows.values.at(restrictTo(instance, isKept)), column));
      }
  auto type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

} // namespace onnxc::krnl
