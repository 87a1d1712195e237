//===- LaunchCost.h - What a launch of a kernel costs -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_IR_LAUNCHCOST_H
#define ONNXC_DIALECT_KRNL_IR_LAUNCHCOST_H

#include "onnxc/Dialect/Krnl/IR/Processor.h"

namespace onnxc::target {

/// The products that a device computes while it starts a kernel; none on a
/// processor, which calls it.
inline double launchProducts(const Processor &target) {
  if (!target.isDevice())
    return 0;
  auto productsPerCycle =
      double(target.fmaPerCycle * target.warpThreads * target.cores);
  return double(target.launchNanoseconds * target.megahertz) / 1000 *
         productsPerCycle;
}

} // namespace onnxc::target

#endif // ONNXC_DIALECT_KRNL_IR_LAUNCHCOST_H
