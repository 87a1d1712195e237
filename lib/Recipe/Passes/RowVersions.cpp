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

void limitRows(KernelOp kernel, Rows rows) {
  auto loops = llvm::to_vector(kernel.getLoops());
  LoopAttr loop = kernel.getLoop(rows.loop);
  loops[rows.loop] = LoopAttr::get(loop.getContext(), loop.getName(),
                                   loop.getExtent(), rows.limit);
  kernel.setLoopsAttr(ArrayAttr::get(kernel.getContext(), loops));
}

void divideRows(KernelOp few, KernelOp many, Rows rows) {
  OpBuilder b(few);
  Location loc = few.getLoc();
  OpOperand &extent = many.getExtentMutable(rows.loop);
  Value limit = arith::ConstantIndexOp::create(b, loc, rows.limit),
        zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFew = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      extent.get(), limit);
  few.getExtentMutable(rows.loop).set(
      arith::SelectOp::create(b, loc, isFew, extent.get(), zero));
  extent.set(arith::SelectOp::create(b, loc, isFew, zero, extent.get()));
  limitRows(few, rows);
  few.setName((many.getName() + " few").str());
  many.getOutsMutable().assign(few.getResults());
}

} // namespace onnxc
