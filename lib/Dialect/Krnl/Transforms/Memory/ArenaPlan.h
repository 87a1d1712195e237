//===- ArenaPlan.h - Offsets in the arena ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Buffers that are needed at the same time get offsets that do not overlap. The
// plan is made with estimates where sizes are known only when a run begins, and
// holds for all sizes: a buffer above another one in the plan begins where that
// one ends.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ARENAPLAN_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ARENAPLAN_H

#include "LaunchGraph.h"

namespace onnxc::krnl {

/// A buffer with an offset in the arena.
struct ArenaSlot {
  /// The size of the slot in bytes, or an estimate of it; not 0.
  int64_t bytes;
  /// First and last op, by number, that need it.
  int64_t first, last;
  int64_t offset = 0;
  /// The launches of a device that access it, by number, in order.
  llvm::SmallVector<unsigned> users = {};
  /// The slots that it must begin after. Slots below these are left out.
  llvm::SmallVector<unsigned> below = {};

  bool overlapsInTime(const ArenaSlot &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Places each slot into the smallest gap that holds it: up to some thousands
/// of slots the largest first, more of them in time n log n in the order in
/// which they are needed. Returns the size of the arena.
int64_t assignOffsets(llvm::MutableArrayRef<ArenaSlot> slots);

/// Places the slots of launches that run at the same time unless `launches`
/// orders them, in an arena that is at most half as large again, or small.
/// Where slots share bytes, launches that need the later one wait for those
/// that need the other: slots share where they are ordered already, or where
/// the longest chain grows least by that. `launches` has the order of the plan
/// then. More than 1,024 slots are placed as above.
int64_t assignOffsets(llvm::MutableArrayRef<ArenaSlot> slots,
                      LaunchGraph &launches);

/// The slots in an order in which each comes after those below it, and fills in
/// `below`, at most three slots for each on average, in time n log n. Expects
/// them to be placed.
llvm::SmallVector<unsigned> orderSlots(llvm::MutableArrayRef<ArenaSlot> slots);

/// The slots in such an order, where slots whose launches run at the same time
/// are apart for other sizes, too. Expects them to be placed with `launches`.
llvm::SmallVector<unsigned> orderSlots(llvm::MutableArrayRef<ArenaSlot> slots,
                                       const LaunchGraph &launches);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ARENAPLAN_H
