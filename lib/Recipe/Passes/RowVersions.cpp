//===- RowVersions.cpp - Versions of kernels by their rows ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/RowVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

void setBounds(KernelOp kernel, unsigned loop, int64_t limit, int64_t atLeast) {
  auto loops = llvm::to_vector(kernel.getLoops());
  LoopAttr known = kernel.getLoop(loop);
  loops[loop] = LoopAttr::get(known.getContext(), known.getName(),
                              known.getExtent(), limit, atLeast);
  kernel.setLoopsAttr(ArrayAttr::get(kernel.getContext(), loops));
}

static Value isFew(OpBuilder &b, Location loc, Value rows, int64_t limit) {
  Value maxRows = arith::ConstantIndexOp::create(b, loc, limit);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rows,
                               maxRows);
}

Value extentForMany(OpBuilder &b, Location loc, Value rows, int64_t limit,
                    Value extent) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return arith::SelectOp::create(b, loc, isFew(b, loc, rows, limit), zero,
                                 extent);
}

std::pair<Value, Value> splitExtent(OpBuilder &b, Location loc, Value extent,
                                    int64_t limit) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value few = isFew(b, loc, extent, limit);
  return {arith::SelectOp::create(b, loc, few, extent, zero),
          arith::SelectOp::create(b, loc, few, zero, extent)};
}

void limitRows(KernelOp kernel, Rows rows) {
  setBounds(kernel, rows.loop, rows.limit, /*atLeast=*/0);
}

void divideRows(KernelOp few, KernelOp many, Rows rows) {
  OpBuilder b(few);
  OpOperand &extent = many.getExtentMutable(rows.loop);
  auto [ofFew, ofMany] = splitExtent(b, few.getLoc(), extent.get(), rows.limit);
  few.getExtentMutable(rows.loop).set(ofFew);
  extent.set(ofMany);
  limitRows(few, rows);
  few.setName((many.getName() + " few").str());
  many.getOutsMutable().assign(few.getResults());
}

} // namespace onnxc
