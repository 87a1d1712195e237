//===- TensorMaps.h - Tensors that boxes are copied of ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What cuTensorMapEncodeTiled takes (CUDA driver API, "Tensor Map Object
// Management"), and the coordinates of cp.async.bulk.tensor.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_IR_TENSORMAPS_H
#define ONNXC_LIB_DIALECT_KRNL_IR_TENSORMAPS_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "onnxc/rt/device.h"

#include <string>

namespace onnxc::krnl {

/// Lines that are exchanged together: boxes consist of whole groups of them.
inline constexpr int64_t groupLines = 8;

/// The maximum number of tensor maps of the launch of a kernel.
inline constexpr size_t maxMaps = ONNXC_TENSOR_MAPS;

/// Why no tensor of this type has a map; empty if it has one.
std::string reasonAgainstMap(mlir::ShapedType type, int64_t elementBytes);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_IR_TENSORMAPS_H
