//===- Launches.h - Launches of a run, replayed by graphs -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A part of a run is the launches between two points where the stream is copied
// from or waited for. The first run of a part launches its kernels one by one,
// and notes them. As long as the launches of a later run are those of a noted
// part, with the same numbers of blocks, they wait; at the end of the part they
// become one CUDA graph, whose nodes get the arguments that have changed. A
// node waits for those whose buffers conflict with its own, so that branches of
// a model run at the same time.
//
// Where an observer wants times, the launches of each part are a graph with an
// event before each and one after the last, so that the host's time to
// launch is not in between. The run waits for the part and reads them.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_DEVICE_LAUNCHES_H
#define ONNXC_RUNTIME_LIB_DEVICE_LAUNCHES_H

#include "device/Code.h"
#include "device/LaunchOrder.h"

namespace onnxc::rt::device {

/// One launch, or a copy on the device, whose kernel is kCopy. Its arguments
/// and the parts of its buffers are words of the sequence.
struct Step {
  int32_t kernel;
  int32_t number; ///< in the list of the artefact; -1: none
  uint32_t blocks;
  int64_t firstWord;
};

inline constexpr int32_t kCopy = -1;

/// The kernel of a step; a copy has the words of one that reads a buffer and
/// writes another one.
const OnnxcDeviceKernel &kernelOf(const OnnxcDeviceCode &code,
                                  const Step &step);

/// The words of a step of the kernel.
inline int64_t numWordsOf(const OnnxcDeviceKernel &kernel) {
  return kernel.numArguments +
         kPartWords * (kernel.numInputs + kernel.numOutputs);
}

struct Sequence {
  Step *steps;
  int64_t numSteps, stepCapacity;
  uint64_t *words;
  int64_t numWords, wordCapacity;

  /// Returns false without memory.
  bool add(int32_t kernel, int32_t number, uint32_t blocks,
           const uint64_t *arguments, int64_t numArguments);
  LaunchBuffers buffersOf(const OnnxcDeviceCode &code, int64_t step) const {
    return {kernelOf(code, steps[step]), words + steps[step].firstWord};
  }
  void clear() { numSteps = numWords = 0; }
  void destroy();
};

/// A part of an earlier run, and its graph, if it has come again.
struct Replay {
  Replay *next; ///< used less recently
  int64_t part;
  bool isTimed;
  Sequence sequence;
  Graph graph;
  GraphExec executable;
  GraphNode *nodes;  ///< of the launches
  LaunchOrder order; ///< of the nodes; those that are timed have none
  Event *events;     ///< where it is timed: one more than launches
  int64_t numEvents;
};

/// The launches of a context's runs.
class Launches {
public:
  /// How many forms of a part are kept, such as those of dynamic sizes, and how
  /// many of all parts; launches of a part. What the stream has runs to its
  /// end, so that deadlines are obeyed in between.
  static constexpr int64_t kForms = 8, kReplays = 64,
                           kMaxSteps = ONNXC_DEVICE_GRAPH_LAUNCHES;

  /// Launches, now or with the rest of the part.
  void add(OnnxcCall *call, DeviceContext &device, int32_t kernel,
           int32_t number, uint32_t blocks, const uint64_t *arguments);
  /// Copies between two parts of device memory, in the same way.
  void addCopy(OnnxcCall *call, DeviceContext &device, OnnxcDevicePointer to,
               OnnxcDevicePointer from, int64_t bytes);
  /// Ends the part: all launches are in the stream.
  void finishPart(OnnxcCall *call, DeviceContext &device);
  /// Returns true if a launch of the part has a buffer in this memory.
  bool uses(const OnnxcDeviceCode &code, OnnxcDevicePointer memory,
            int64_t bytes) const;
  /// The next part is the first one of a run. Launches that wait are dropped.
  void startRun();
  /// The CUDA context is current.
  void destroy(const Driver &driver);

private:
  bool append(OnnxcCall *call, DeviceContext &device, const Step &step,
              const uint64_t *words);
  void go(OnnxcCall *call, DeviceContext &device);
  bool launch(OnnxcCall *call, DeviceContext &device, const Step &step);
  void launchAll(OnnxcCall *call, DeviceContext &device);
  void findCandidates(bool isTimed);
  void narrow();
  Replay *addForm(const Driver &driver, bool isTimed);
  void moveToFront(Replay &replay);
  bool addNode(OnnxcCall *call, DeviceContext &device, Replay &replay,
               int64_t step, const GraphNode *before, int64_t numBefore);
  bool addBranches(OnnxcCall *call, DeviceContext &device, Replay &replay);
  bool addTimed(OnnxcCall *call, DeviceContext &device, Replay &replay);
  bool isAllowed(OnnxcCall *call, const Replay &replay) const;
  bool build(OnnxcCall *call, DeviceContext &device, Replay &replay);
  bool updateNode(OnnxcCall *call, DeviceContext &device, Replay &replay,
                  int64_t step);
  bool update(OnnxcCall *call, DeviceContext &device, Replay &replay);
  bool run(OnnxcCall *call, DeviceContext &device, Replay &replay);
  void runPart(OnnxcCall *call, DeviceContext &device, Replay *same);
  bool beginTimes(OnnxcCall *call, DeviceContext &device);
  void runTimed(OnnxcCall *call, DeviceContext &device, Replay *same);
  void tellTimes(OnnxcCall *call, DeviceContext &device, Replay &replay);

  Sequence current;
  int64_t part; ///< of the run
  bool waits;   ///< the launches of `current`
  int64_t numCandidates;
  Replay *candidates[kForms]; ///< that begin like `current`
  Replay *replays;            ///< the last one used is the first
  Event origin;   ///< of the times of a run; null before its first use
  bool hasOrigin; ///< it is in the stream of the run
};

} // namespace onnxc::rt::device

#endif // ONNXC_RUNTIME_LIB_DEVICE_LAUNCHES_H
