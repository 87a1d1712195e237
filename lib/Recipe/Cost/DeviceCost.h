//===- DeviceCost.h - The time of a kernel on a device ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_COST_DEVICECOST_H
#define ONNXC_LIB_RECIPE_COST_DEVICECOST_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/CostModel.h"

namespace onnxc {

/// Cycles from the start of the kernel on a device to its end. Dynamic extents
/// count as `outerExtent`.
NestCost deviceCost(krnl::KernelOp kernel, const krnl::LoopNest &nest,
                    const target::Processor &target);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_COST_DEVICECOST_H
