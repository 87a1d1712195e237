//===- DevicePass.h - Passes on the kernels of a device ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_DEVICEPASS_H
#define ONNXC_LIB_RECIPE_PASSES_DEVICEPASS_H

#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Target/IR/Target.h"

namespace onnxc {

/// A pass that rewrites each kernel of a device where the cost model expects
/// less time; on processors it does nothing. `PassBase` is the class that
/// TableGen makes for it.
template <typename PassBase>
class DevicePass : public PassBase {
public:
  using PassBase::PassBase;

  void runOnOperation() final {
    processor = krnl::TargetAttr::processorOf(this->getOperation());
    if (!processor.isDevice())
      return;
    chooser = &this->template getAnalysis<RecipeChooser>();
    begin();
    for (krnl::KernelOp kernel : krnl::kernelsOf(this->getOperation()))
      rewrite(kernel);
  }

protected:
  /// Forgets what is known of another module.
  virtual void begin() {}
  virtual void rewrite(krnl::KernelOp kernel) = 0;

  target::Processor processor;
  RecipeChooser *chooser = nullptr;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_DEVICEPASS_H
