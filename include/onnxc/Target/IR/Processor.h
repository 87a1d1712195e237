//===- Processor.h - Numbers that describe a processor ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_IR_PROCESSOR_H
#define ONNXC_TARGET_IR_PROCESSOR_H

#include "llvm/ADT/Hashing.h"

#include <algorithm>
#include <cstdint>

namespace onnxc::target {

/// The properties of a processor that passes use. Sizes are in bytes, costs in
/// cycles unless stated otherwise. The defaults are the baseline processor, and
/// the costs of all that have not been measured; ProcessorTable.cpp has the
/// others and states the sources of the numbers.
struct Processor {
  /// Width of a vector register, and how many there are.
  int64_t vectorBytes = 16;
  int64_t vectorRegs = 16;
  /// Iterations of a loop without vectors that fit the registers side by side;
  /// fewer wait for memory.
  int64_t scalarCopies = 16;
  /// A masked load or store takes no longer than a full one.
  bool freeMasks = false;
  /// Threads that may share a tile, one after the other: those of a block of a
  /// GPU, where there is one. 1: each tile is one thread's.
  int64_t tileThreads = 1;
  /// Largest memory that all threads of a tile share, and as much of it as any
  /// GPU has for a block whose launch does not ask for more. It is on the stack
  /// of a target whose tiles are one thread's.
  static constexpr int64_t freeSharedBytes = 48 * 1024;
  int64_t sharedBytes = freeSharedBytes;
  /// The number of bits of addresses and loop counters.
  int64_t indexBits = 64;
  /// Largest local buffer of a kernel on the stack.
  int64_t stackBytes = 64 * 1024;

  /// Full-width multiply-adds and vector loads that start in one cycle.
  int64_t fmaPerCycle = 2;
  int64_t loadsPerCycle = 2;
  /// Loads of one element, repeated in all lanes or not.
  int64_t scalarLoadsPerCycle = 2;
  /// Cycles from the operands of a multiply-add to its result.
  double fmaLatency = 4;
  /// Sums side by side of which none waits for the addition before it.
  int64_t independentSums = 4;
  /// A function such as exp takes as many operations, and as long as so many
  /// bytes of memory traffic; a division takes as many operations.
  int64_t functionOperations = 20;
  int64_t functionBytes = 16;
  int64_t divisionOperations = 5;
  /// Cycles to start and store a register tile, for each step of its reduction.
  double tileCycles = 1;
  /// Cycles to write one element of a vector whose others are elsewhere in
  /// memory, and to write one that a transposition in registers makes
  /// contiguous.
  double scatterCycles = 1.5;
  double transposeCycles = 0.5;
  /// Cycles to pack one element at run time.
  double packCycles = 3;
  /// Rows of a product from which on it is profitable to pack the operand of
  /// its columns in each run, and to pack bytes in groups.
  int64_t packRows = 16;
  int64_t groupRows = 8;
  /// Factor of vector loads that cross cache lines, from the first cache and
  /// from other memory.
  double unalignedFactor = 1.15;
  double farUnalignedFactor = 1.5;
  /// Lanes at most this many elements apart are loaded or stored as vectors of
  /// adjacent elements and shuffled.
  int64_t shuffledStep = 4;
  /// Lanes of the squares that packing at run time transposes, at most: more
  /// take too many steps.
  int64_t squareLanes = 16;
  /// Operations on floats that one element read by itself takes as long as.
  int64_t gatherOperations = 4;
  /// Operations on floats beside a gather from which on lanes are profitable.
  int64_t operationsBesideGather = 4;
  /// Elements that a transposition moves in the time of such a read.
  int64_t gatherMoves = 2;
  /// The number of elements that are reduced in the time to store a total that
  /// the next kernel loads again.
  double intermediateElements = 8;

  /// Data caches: of one core, of one core, of all cores.
  int64_t l1 = 32 * 1024;
  int64_t l2 = 512 * 1024;
  int64_t l3 = 32 * 1024 * 1024;
  /// Bytes in a cycle that one core moves from and to the other two caches, and
  /// memory.
  double l2BytesPerCycle = 24;
  double l3BytesPerCycle = 10;
  double memoryBytesPerCycle = 4;
  /// Parts of the second cache: for columns of a product that stay while rows
  /// pass by; for rows that stay while columns pass by in panels: rows of more
  /// bytes than the columns, of fewer, and where the columns come from memory,
  /// meanwhile rows may come from the third cache.
  double columnsShare = 0.75;
  double rowsShare = 0.25;
  double fewerRowsShare = 0.5;
  double streamedRowsShare = 2;
  /// Part of the second cache from which on a panel of columns is not kept
  /// there while rows pass by, and the part that a slice of one takes.
  double panelShare = 0.25;
  /// Part of the first cache from which on a matrix that is multiplied by one
  /// row is packed.
  double matrixShare = 0.5;
  /// Parts of the second cache: of a padded tensor from which on each kernel
  /// pads for itself, and of all that it pads at once.
  double unpaddedShare = 0.5;
  double paddedShare = 0.25;
  /// One way of the first cache, addresses that differ by it share a set: as
  /// large as a page, or it could not be looked up while the address is
  /// translated.
  int64_t wayBytes = 4096;
  /// A line of the caches.
  int64_t lineBytes = 64;
  /// Elements along memory from which on a tensor's layout suits vectors.
  int64_t layoutElements = 8;
  /// Elements of a row from which on what is done once for each row takes no
  /// time beside them, and a few rows are too much for the first cache.
  int64_t rowElements = 1024;
  /// Elements along memory from which on the borders of a tensor are written
  /// by loops of their own.
  int64_t borderElements = 64;
  /// Bytes that a kernel pads for itself, so that they stay in a core's cache.
  int64_t paddedBytes = 64 * 1024;
  /// Scores of an attention from which on it is profitable to keep them from
  /// memory.
  int64_t attentionBytes = 256 * 1024;

  /// Channels from which on Winograd's algorithm fills the vectors.
  int64_t winogradChannels = 16;
  /// The costs of Winograd's algorithm, in the time of one product: to read an
  /// element of the filters, and to transform a tile of one channel that is in
  /// a cache or not.
  double filterProducts = 20;
  double transformProducts = 700;
  double farTransformProducts = 2000;

  /// Traffic of a kernel below which other threads are not profitable, and
  /// products of a contraction.
  int64_t parallelBytes = 32 * 1024;
  int64_t parallelProducts = 64 * 1024;
  /// Cycles of work that a thread must have to make up for being woken, which
  /// takes ten microseconds and more, and far more where other processes use
  /// the processors; the same in a loop of the host, where threads wait without
  /// sleeping; and the cost of each barrier.
  int64_t wakeCycles = 60000;
  int64_t loopWakeCycles = 4000;
  int64_t barrierCycles = 1500;
  /// Cycles between two questions whether a run is to end: some tens of
  /// microseconds, beside which a question costs nothing.
  int64_t pollCycles = 100000;

  /// Threads that run the same instruction at once, those of a warp of a GPU.
  /// Processors have the number of GPUs, because recipes are legal for all.
  int64_t warpThreads = 32;
  /// The number of cores, and their clock in MHz. This and the following
  /// numbers are for devices: a core is a multiprocessor there, fmaPerCycle and
  /// loadsPerCycle count instructions of warps, l1 is that of a core and l3
  /// that of all.
  int64_t cores = 1;
  int64_t megahertz = 1000;
  /// Instructions of warps that a core issues in a cycle.
  int64_t issuesPerCycle = 1;
  /// Multiply-adds of 16-bit floats that its units for matrices start in one.
  int64_t matrixProducts = 1;
  /// Part of that rate which instructions of one warp reach.
  double warpMatrixShare = 1;
  /// Threads of a tile, and of one where there are fewer than `busyThreads` in
  /// all, so that there are more tiles.
  int64_t blockThreads = 256;
  int64_t smallBlockThreads = 64;
  int64_t busyThreads = 64 * 1024;
  /// Registers that a thread may have, and those of them that hold addresses
  /// and counters.
  int64_t threadRegisters = 255;
  int64_t addressRegisters = 20;
  /// The maximum numbers for all tiles that a core runs at once: threads,
  /// registers of 32 bits, bytes of shared memory, and tiles.
  int64_t coreThreads = 1024;
  int64_t coreRegisters = 64 * 1024;
  int64_t coreSharedBytes = 64 * 1024;
  int64_t coreTiles = 16;
  /// Registers of a warp, and bytes of shared memory, are given out in
  /// multiples of these; the system has some of the bytes for each tile.
  int64_t registerUnit = 256;
  int64_t sharedUnit = 128;
  int64_t tileSharedBytes = 1;
  /// Bytes in a cycle that one core takes from the second cache, which all of
  /// them together get less of: what comes once for several cores.
  double coreBytesPerCycle = 64;
  /// The same from shared memory of the other cores of a cluster.
  double clusterBytesPerCycle = 10;
  /// The cores are so many groups; clusters of more tiles than `pairedCores`
  /// are in a group each.
  int64_t coreGroups = 1;
  static constexpr int64_t pairedCores = 2;
  /// Cycles from a load to its value, from memory and from the first cache, and
  /// until another tile of a cluster sees that one has arrived at a barrier.
  double memoryLatency = 400;
  double cacheLatency = 30;
  double clusterLatency = 200;
  /// The nanoseconds to start a kernel after another one.
  int64_t launchNanoseconds = 1000;

  bool isDevice() const { return tileThreads > 1; }

  /// The cores that clusters of so many tiles use at once.
  int64_t coresOfClusters(int64_t size) const {
    if (size <= pairedCores)
      return cores;
    return std::max(coreGroups * (cores / coreGroups / size) * size, size);
  }

  /// Cycles to start a kernel.
  double launchCycles() const {
    return double(launchNanoseconds * megahertz) / 1000;
  }

  /// Products that a device computes while it starts a kernel; none on a
  /// processor, which calls it.
  double launchProducts() const {
    return isDevice()
               ? launchCycles() * double(fmaPerCycle * warpThreads * cores)
               : 0;
  }

  /// Operations that start in one cycle: half of them are multiply-adds.
  int64_t operationsPerCycle() const { return 2 * fmaPerCycle; }

  /// Bytes of what one arithmetic operation computes; a thread of a device has
  /// an operation for each lane.
  int64_t operationBytes() const { return isDevice() ? 4 : vectorBytes; }

  /// Elements of `bits` bits in a vector register, at least 1.
  int64_t lanes(unsigned bits) const {
    return std::max<int64_t>(vectorBytes * 8 / std::max(bits, 8u), 1);
  }

  bool operator==(const Processor &) const = default;
};

llvm::hash_code hash_value(const Processor &processor);

} // namespace onnxc::target

#endif // ONNXC_TARGET_IR_PROCESSOR_H
