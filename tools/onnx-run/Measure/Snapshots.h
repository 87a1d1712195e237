//===- Snapshots.h - Runs that are kept -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_MEASURE_SNAPSHOTS_H
#define ONNXC_TOOLS_ONNX_RUN_MEASURE_SNAPSHOTS_H

#include "Options.h"

namespace onnxc::run {

/// Writes the inputs and outputs, taps among them, of the runs that --when
/// names: run-N/inputs and run-N/outputs, as --save does, and their names and
/// types by file as run-N/names.json.
class Snapshots {
public:
  /// Fails if the condition is none, or names no output.
  static llvm::Expected<Snapshots> prepare(const Artefact &artefact,
                                           const Options &options);

  /// Returns true if the condition holds for these outputs. They are empty if
  /// the run failed.
  bool isDue(llvm::ArrayRef<Value> outputs);
  /// Writes a run, unless all of them would be larger than the limit.
  llvm::Error write(int64_t run, llvm::ArrayRef<Value> inputs,
                    llvm::ArrayRef<Value> outputs);
  /// Reports how many there are, and how many did not fit.
  void summarise() const;

private:
  enum class When { Error, Signal, NotFinite, Above, Below };

  Snapshots(const Artefact &artefact, const Options &options)
      : artefact(artefact), options(options) {}
  llvm::Error parse(llvm::StringRef condition);

  const Artefact &artefact;
  const Options &options;
  When when = When::NotFinite;
  size_t output = 0; ///< that is compared
  double bound = 0;
  int64_t bytes = 0, written = 0, left = 0;
};

/// Writes values as files of a folder, which it makes: NAME.npy each, without
/// characters that file names lack. Names that are equal then get a number.
/// `names` takes the names and types of tensors by NAME.
llvm::Error writeValues(const std::string &folder,
                        llvm::ArrayRef<const OMArgument *> arguments,
                        llvm::ArrayRef<Value> values,
                        llvm::json::Object *names = nullptr);

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_MEASURE_SNAPSHOTS_H
