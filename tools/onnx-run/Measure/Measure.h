//===- Measure.h - Runs that are timed --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_MEASURE_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_MEASURE_H

#include "Options.h"

#include "llvm/Support/JSON.h"

namespace onnxc::run {

/// The model with its inputs, ready to be run again and again.
class Measurement {
public:
  using Inputs = std::shared_ptr<const InputSet>;

  static llvm::Expected<Measurement> prepare(const Artefact &artefact,
                                             const Options &options);
  /// The two steps of that.
  static llvm::Expected<Inputs> makeInputs(const Artefact &artefact,
                                           const Options &options);
  static llvm::Expected<Measurement>
  make(const Artefact &artefact, const Options &options, Inputs inputs);
  /// Another with the same inputs, which another thread may run.
  llvm::Expected<Measurement> another() const;

  llvm::Error runOnce();
  /// The runs before the timed ones.
  llvm::Error warmUp();
  /// The timed runs; the seconds that each of them took.
  llvm::Expected<std::vector<double>>
  time(llvm::function_ref<void()> afterEach = nullptr);
  OMContext *getContext() const { return context.get(); }
  /// Bytes of memory that the runs need.
  int64_t memory() const;

private:
  using Context = std::unique_ptr<OMContext, void (*)(OMContext *)>;

  Measurement(const Artefact &artefact, const Options &options, Inputs inputs,
              Context context)
      : artefact(artefact), options(options), inputs(std::move(inputs)),
        context(std::move(context)), outputs(artefact.outputs().size()) {}

  const Artefact &artefact;
  const Options &options;
  Inputs inputs;
  Context context;
  std::vector<OMBuffer> outputs;
};

/// The processor's name and number.
llvm::json::Object describeMachine();

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_MEASURE_H
