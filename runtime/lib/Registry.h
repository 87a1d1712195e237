//===- Registry.h - The models of a program and a process -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An artefact has one model. A program that is linked with objects of models
// has several, and one runtime for them: they are the registered models.
// Artefacts whose symbols are global in a process find each other's models as
// well, each with a runtime of its own.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_REGISTRY_H
#define ONNXC_RUNTIME_LIB_REGISTRY_H

#include "onnxc/Runtime.h"
#include "onnxc/rt/model.h"

#include <atomic>

namespace onnxc::rt {

struct MappedWeights;
struct LastError;

/// The runtime's state of a model, in the descriptor's memory. Its layout
/// and that of OMContext belong to ONNXC_RT_ABI: other artefacts of the process
/// read them.
struct ModelState {
  const OnnxcModel *model;
  ModelState *next;                     ///< in this runtime, as linked
  std::atomic<ModelState *> nextShared; ///< in the process
  /// The functions of the runtime that has registered the model, whose teams
  /// and pools a run uses.
  OMContext *(*createContext)(const OnnxcModel &model, const OnnxcEntry &entry);
  int32_t (*run)(OMContext &context, const OMBuffer *inputs, int64_t numInputs,
                 OMBuffer *outputs, int64_t numOutputs, bool callerOwns);
  int32_t (*runTensors)(OMContext &context,
                        DLManagedTensorVersioned *const *inputs,
                        int64_t numInputs, DLManagedTensorVersioned **outputs,
                        int64_t numOutputs);
  int32_t (*prepare)(OMContext &context, const OMBuffer *outputs,
                     int64_t numOutputs);

  std::atomic<OMContext *> idleContexts[64];
  std::atomic<const char **> entryNames;
  std::atomic<MappedWeights *> weights;
  /// Whose code runs here; -1: that of none can. Another one after the first
  /// context was created, if it has device code and there is no device.
  std::atomic<int> level;
  /// Runs that are going on, of a model with libraries or a file of its own:
  /// these stay while there are any.
  std::atomic<int64_t> runs;
};
static_assert(sizeof(ModelState) <= ONNXC_MODEL_STATE_BYTES);

/// State shared by artefacts whose symbols are global. Grows incompatibly under
/// another name only, which has the number of ONNXC_RT_ABI.
struct Process {
  std::atomic<ModelState *> models;
  std::atomic<LastError *> lastErrors;
};

/// The dynamic linker decides which artefact's it is. Not defined where it is
/// used, or the compiler would take the one beside it.
Process &process();

inline ModelState &stateOf(const OnnxcModel &model) {
  return *static_cast<ModelState *>(model.state);
}

/// The entry points of the level that runs here; any level's where none does.
inline const OnnxcEntry *entriesOf(const OnnxcModel &model) {
  int level = stateOf(model).level;
  return model.levels[level < 0 ? 0 : level].entries;
}

/// Returns true if the model was compiled for this runtime; else the reason is
/// kept for omGetLastError. An object may be linked with a runtime of another
/// version.
bool isForThisRuntime(const OnnxcModel &model);

/// The first model that was linked in; null if there is none. The others follow
/// by ModelState::next.
ModelState *firstModel();

/// An entry point and its model; both null if there is none, with the reason
/// kept for omGetLastError.
struct FoundEntry {
  const OnnxcModel *model = nullptr;
  const OnnxcEntry *entry = nullptr;
};
/// Null and "run_main_graph" are the first entry of the program's only model.
/// Other names may be those of other artefacts of the process.
FoundEntry findEntry(const char *name);
/// Finds an entry in this model only.
const OnnxcEntry *findEntry(const OnnxcModel &model, const char *name);

/// Takes this runtime's models from the process when there is no run any more,
/// and frees the messages of its threads with the last of them.
void unregisterModels();

} // namespace onnxc::rt

extern "C" OM_EXTERNAL_VISIBILITY onnxc::rt::Process onnxc_process_13;
static_assert(ONNXC_RT_ABI == 13, "rename onnxc_process_13");

#endif // ONNXC_RUNTIME_LIB_REGISTRY_H
