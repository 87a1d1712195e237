//===- SmallFloats.h - Values of floats below 32 bits -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_SMALLFLOATS_H
#define ONNXC_RUNTIME_LIB_SMALLFLOATS_H

#include "OnnxMlirRuntime.h"

namespace onnxc::rt {

/// The value of a float16, bfloat16, float8, float6 or float4 bit pattern.
/// Zero for other types.
double smallFloatToDouble(OM_DATA_TYPE type, uint32_t bits);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_SMALLFLOATS_H
