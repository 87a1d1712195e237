//===- Context.h - The state of one run -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An OMContext is everything a run needs; its type for hooks is OnnxcCall.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CONTEXT_H
#define ONNXC_RUNTIME_LIB_CONTEXT_H

#include "DataTypes.h"
#include "MemoryPool.h"
#include "Registry.h"
#include "Team.h"

#include "onnxc/Profile.h"
#include "onnxc/rt/model.h"

#include <atomic>

namespace onnxc::rt {

struct DeviceContext;

/// Of the run of a context; one that is cancelled ends soon.
enum class RunProgress : uint32_t { None, Running, Cancelled };

/// Whose memory an output is written to.
enum class OutputMode {
  Context, ///< the context's: lives until the next run
  Caller,  ///< the caller's
  Owned    ///< fresh memory that the caller frees
};

/// One graph output of the run.
struct Output {
  OutputMode mode;
  bool asked; ///< onnxc_rt_output was called for it
  bool owned; ///< data is fresh memory of its own
  int32_t rank;
  void *data;   ///< where generated code writes; the value that is no tensor
  void *object; ///< the object that generated code returned instead
  int64_t bytes;
  OMBuffer given;   ///< the caller's buffer (mode Caller)
  int64_t capacity; ///< of data that the caller owns
  void *kept;       ///< the context's own buffer, reused
  int64_t keptBytes;
  char *characters; ///< of strings, reused
  int64_t characterBytes;
  int64_t dims[kMaxRank];
  /// The caller's tensor on the device, or one that `deviceOwner` keeps for
  /// the caller.
  bool onDevice;
  OnnxcDevicePointer deviceData;
  void *deviceOwner;
};

/// What a context has for omContextRunDLPack.
struct TensorArguments;

/// Room for one message.
struct Message {
  char text[512];
  /// printf style; cut off when too long.
  void set(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/// "[2, 3]"
Message shapeText(int64_t rank, const int64_t *dims);

} // namespace onnxc::rt

struct OMContext {
  std::atomic<int32_t> status; ///< first error of the run; generated code reads
  int32_t observed; ///< ONNXC_OBSERVES_*: which observers are set; likewise
  std::atomic<uint32_t> busy; ///< a run is going on
  const OnnxcModel *model;
  const OnnxcEntry *entry;
  onnxc::rt::Message message;

  void *arena;
  int64_t arenaBytes;
  void *scratch; ///< scratchStride() bytes for each of scratchWorkers
  int32_t scratchWorkers;
  bool borrowed; ///< arena and scratch are the caller's
  onnxc::rt::MemoryPool pool;

  int32_t threads; ///< limit of this context; 0: the artefact's
  onnxc::rt::Team *team;
  int64_t budget;   ///< nanoseconds per run; 0: any
  int64_t deadline; ///< of this run; 0: none
  std::atomic<onnxc::rt::RunProgress> progress;

  uint64_t seed;  ///< of random numbers without a seed; 0: not drawn yet
  uint64_t draws; ///< how often random numbers were started, over all runs

  const OnnxcDeviceCode *device; ///< of the entry point's level; may be null
  onnxc::rt::DeviceContext *deviceContext; ///< null before its first use
  int32_t deviceNumber;
  int64_t deviceLimit; ///< bytes of its blocks there; 0: any
  void *deviceStream;  ///< the caller's; null: the context's own
  onnxc::rt::TensorArguments *tensors; ///< null before its first use
  /// Whether an input is on the device in this run, by input; null: none is.
  bool *inputsOnDevice;

  OMLogFunction log;
  void *logUser;
  OMLaunchObserver observer; ///< of models compiled for it
  void *observerUser;
  OMSizeObserver sizeObserver;
  void *sizeObserverUser;

  const OMBuffer *given;      ///< inputs of this run as the caller's; or null
  OnnxcValue *inputs;         ///< numInputs
  onnxc::rt::Output *outputs; ///< numOutputs
  int64_t *sharedSizes;       ///< numSharedSizes; -1: not seen in this run

  OMDeviceObserver deviceObserver; ///< of models compiled for it
  void *deviceObserverUser;

  /// Records the first error and returns the status.
  int32_t fail(int32_t code, const char *format, ...)
      __attribute__((format(printf, 3, 4)));
  void info(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/// Hooks receive the context itself.
struct OnnxcCall : OMContext {};
static_assert(offsetof(OMContext, status) == 0 &&
              offsetof(OMContext, observed) == ONNXC_OBSERVED_OFFSET);

namespace onnxc::rt {

/// Records that there is no memory for `what`.
void failToAllocate(OMContext &context, const char *what, int64_t bytes);

/// Bytes of one thread's scratch.
inline int64_t scratchStride(const OMContext &context) {
  return (context.entry->scratchBytes + 63) / 64 * 64;
}
/// Scratch for `workers` threads, made before they start. False, after
/// recording the error, without memory.
bool reserveScratch(OMContext &context, int32_t workers);
/// The most threads that a region may run on.
int maxThreads(const OMContext &context);
/// Frees arena and scratch, unless they are the caller's.
void freeArena(OMContext &context);

/// The level that contexts begin with: the last one whose code the processor
/// and the first device take.
const OnnxcLevel &levelOf(const OnnxcModel &model);
/// Makes the context run the code of a level; `entry` is that of any level.
void setLevel(OMContext &context, const OnnxcLevel &level);

/// Compares the inputs with the signature and fills context.inputs.
int32_t checkInputs(OMContext &context, const OMBuffer *inputs,
                    int64_t numInputs);

/// One run; outputs are in context.outputs afterwards.
int32_t run(OMContext &context, const OMBuffer *inputs, int64_t numInputs,
            OMBuffer *outputs, int64_t numOutputs, bool callerOwns);

/// One run with tensors of DLPack (omContextRunDLPack).
int32_t runTensors(OMContext &context, DLManagedTensorVersioned *const *inputs,
                   int64_t numInputs, DLManagedTensorVersioned **outputs,
                   int64_t numOutputs);

/// Returns true if the host program takes an input (or, after them, an output)
/// of the caller as an address of the device.
inline bool staysOnDevice(const OMContext &context, int64_t argument) {
  const uint8_t *stays = context.entry->staysOnDevice;
  return stays && stays[argument] != 0;
}

/// Allocates the known part of the next run's memory (omContextPrepare).
int32_t prepare(OMContext &context, const OMBuffer *outputs,
                int64_t numOutputs);

/// Finishes the outputs after the code has run: an output that was never
/// allocated is an error, and strings are copied to memory that outlives the
/// run.
int32_t finishOutputs(OMContext &context);
/// Copies strings with their characters, those after `at`.
void copyStrings(char *const *from, char **to, int64_t count, char *at);
void freeOutputs(OMContext &context);
/// Allocates the context's own buffer of a tensor output whose size the
/// signature knows, or looks whether the caller's is as large.
void prepareOutput(OMContext &context, int64_t index);

/// The steps of a run that are common to all forms of tensors. Not begun if
/// another one is going on; end() gives the status.
bool beginRun(OMContext &context);
void runEntry(OMContext &context, const OMBuffer *inputs, int64_t numInputs,
              OMBuffer *outputs, int64_t numOutputs, bool callerOwns);
/// Releases the outputs made so far, after an error.
void dropOutputs(OMContext &context);
int32_t endRun(OMContext &context);

/// Null without memory.
OMContext *createContext(const OnnxcModel &model, const OnnxcEntry &entry);

/// The number of the model's last level whose features this processor has, or
/// of the one that OM_CPU names, where there are several. -1 if there is none;
/// then `reason`, unless null, says why.
/// Of the levels before `end` alone; negative: of all.
int chooseLevel(const OnnxcModel &model, Message *reason, int64_t end = -1);

/// Embedded or mapped weights, null without any. On failure null and the error
/// in the side file.
const void *modelWeights(const OnnxcModel &model, const char *&problem);
void unmapWeights(const OnnxcModel &model);

/// Keeps the message for omGetLastError on this thread.
void setLastError(const char *message);
/// Frees the messages of all threads, when no thread can fail any more.
void freeLastErrors();

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CONTEXT_H
