//===- Blocks.h - Blocks that run, and their threads ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_BLOCKS_H
#define ONNXC_TEST_SIMULATOR_BLOCKS_H

#include "Fibre.h"
#include "Simulator.h"

namespace onnxc::simulator {

enum class State { Ready, AtBarrier, AtShuffle, AtPhase, AtCluster, Finished };

struct Thread {
  Fibre fibre;
  State state;
  int barrier;
  // Of a shuffle: the lanes that take part, what is exchanged, and from where.
  uint32_t mask, value, result;
  int source;
  // Threads that wait for each other: those of a warp, or of several.
  unsigned width;
  // Of what they compute together: where its part is; null for a shuffle.
  WarpFunction function;
  const void *arguments;
  void *results;
  uint32_t warpEpoch;
  // Of copies of tensors.
  void *phaseOf;
  uint32_t parity;
  // It has arrived at the barrier of its cluster.
  bool hasArrivedInCluster;
};

constexpr size_t stackBytes = 64 << 10, guardBytes = 4096;

struct Block {
  Position position = {};
  std::vector<Thread> threads;
  /// Its shared memory while another one of the cluster runs.
  std::vector<char> shared;

  Thread &current() { return threads[position.thread]; }

  /// Lets the others run until this thread may go on.
  void wait(State state);

  void begin(unsigned block, unsigned rank);
  void runThread(unsigned thread);
  bool runReady();
  bool exchangeValues(unsigned leader);
  void computeTogether(unsigned first, unsigned count);
  bool releaseShuffles();
  bool releasePhases();
  bool hasArrived(unsigned thread, unsigned waiting) const;
  bool releaseBarrier();
  bool areAll(State state) const;
  bool isLastThread() const;
  void goOn();
  void reportMissing();
};

/// The blocks that run at the same time.
struct Cluster {
  const Launch *launch = nullptr;
  Random *random = nullptr;
  std::vector<Block> blocks;
  unsigned rank = 0;
  Fibre scheduler;
  std::string problem;
  bool isRunning = false;

  void run(unsigned firstBlock);
  void enter(unsigned next);
  std::vector<unsigned> inAnyOrder();
  bool advance();
  bool releaseAll();
};

extern Cluster theCluster;

/// The block whose thread runs.
inline Block &theBlock() { return theCluster.blocks[theCluster.rank]; }

} // namespace onnxc::simulator

#endif // ONNXC_TEST_SIMULATOR_BLOCKS_H
