//===- LaunchGraph.h - Launches that wait for each other -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The launches of a host program on a device, in parts as the runtime makes
// CUDA graphs of them (runtime/lib/device/Launches.h). Parts come one after the
// other; within one, launches run at the same time unless one waits for the
// other.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_LAUNCHGRAPH_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_LAUNCHGRAPH_H

#include "mlir/Support/LLVM.h"
#include "onnxc/rt/device.h"

#include <bitset>

namespace onnxc::krnl {

class LaunchGraph {
public:
  /// Adds a launch after all others of the program, which waits for none of its
  /// part yet. Returns its number.
  unsigned add(double cycles);
  /// The next launch begins a part.
  void endPart() { isOpen = false; }

  /// The second launch waits for the first, which is earlier in the program.
  void order(unsigned first, unsigned second);
  /// Returns true if the second waits for the first, or for one that does.
  bool isBefore(unsigned first, unsigned second) const;

  unsigned size() const { return unsigned(launches.size()); }
  unsigned numParts() const { return unsigned(parts.size()); }
  unsigned partOf(unsigned launch) const { return launches[launch].part; }

  /// The cycles of the chain of launches that takes longest, of one chain for
  /// each part; longestChain(): its launches.
  double cycles() const;
  llvm::SmallVector<unsigned> longestChain() const;
  /// The cycles that the longest chain takes more if one launch of a part waits
  /// for another one. Since the last call of `measure`.
  double growth(unsigned first, unsigned second) const;
  /// Finds the longest chains that end and begin with each launch.
  void measure();

private:
  struct Launch {
    unsigned part = 0;
    double cycles = 0;
    /// The cycles of the longest chains that end and begin with the launch.
    double to = 0, from = 0;
    /// The launches that order all that this one waits for.
    llvm::SmallVector<unsigned, 2> waitsFor;
    /// The launches that this one waits for, by their numbers in the part.
    std::bitset<ONNXC_DEVICE_GRAPH_LAUNCHES> before;
  };
  struct Part {
    unsigned begin, end;
    /// The cycles of the longest chain of the part.
    double cycles = 0;
  };

  unsigned longest(llvm::ArrayRef<unsigned> ends) const;

  llvm::SmallVector<Launch, 0> launches;
  llvm::SmallVector<Part, 0> parts;
  bool isOpen = false;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_LAUNCHGRAPH_H
