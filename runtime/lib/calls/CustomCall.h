//===- CustomCall.h - A call of a user's operator ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_CUSTOMCALL_H
#define ONNXC_RUNTIME_LIB_CALLS_CUSTOMCALL_H

#include "Context.h"
#include "Objects.h"

namespace onnxc::rt {

/// Facts about one output.
struct CustomResult {
  OnnxcValue *value; ///< where it goes; null if it is absent
  bool isSized;      ///< `infer` has set all sizes
  bool isAllocated;
  TensorObject *object; ///< of unknown rank: its destination
  int64_t rank;
  int64_t dims[kMaxRank], strides[kMaxRank];
};

enum class CustomPhase { Create, Infer, Compute };

/// One call: the library's view, then the runtime's state. Outputs and
/// callbacks are in CustomCall.cpp.
struct CustomCall : OMCustomCall {
  OnnxcCall *run;
  const OnnxcCustomNode *custom;
  CustomPhase phase;
  OMCustomTensor *outputViews;
  CustomResult *results;

  /// The functions that the library may call.
  void setCallbacks();
};

/// Row-major, in elements. Where some size is 0 the others may be anything.
void fillStrides(int64_t rank, const int64_t *dims, int64_t *strides);

/// Ends the run with a message after the operator's name.
__attribute__((format(printf, 2, 3))) int32_t fail(CustomCall &call,
                                                   const char *format, ...);

/// Makes the memory of an output whose sizes have been checked.
bool allocateOutput(CustomCall &call, int64_t index, int64_t rank,
                    const int64_t *dims);

/// Hands the outputs over to the model.
int32_t giveOutputs(CustomCall &call);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_CUSTOMCALL_H
