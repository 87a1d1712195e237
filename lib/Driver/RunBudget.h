//===- RunBudget.h - Limits on memory and time of a run --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DRIVER_RUNBUDGET_H
#define ONNXC_LIB_DRIVER_RUNBUDGET_H

#include "onnxc/Driver/Driver.h"

namespace onnxc {

/// The error of an artefact that needs more than the options allow; the
/// messages have been told.
class OverBudget : public llvm::ErrorInfo<OverBudget> {
public:
  static char ID;
  void log(llvm::raw_ostream &os) const override { os << "over budget"; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// Returns true if an option limits what a run needs.
bool hasRunBudget(const CompileOptions &options);

/// Refuses limits that cannot be checked: of a result that is no code, or a
/// time without a profile.
llvm::Error checkRunBudget(const CompileOptions &options);

/// Each says what is exceeded, with the nodes that need most. The first one is
/// for what is known once memory is planned.
llvm::Error checkMemoryAndTime(const CompileOptions &options,
                               const Events &events, const Report &report);
llvm::Error checkFlash(const CompileOptions &options, const Events &events,
                       const Report &report);

} // namespace onnxc

#endif // ONNXC_LIB_DRIVER_RUNBUDGET_H
