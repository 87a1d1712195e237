//===- Order.cpp - Which accesses of warps come before others ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Vector clocks (Lamport, "Time, Clocks, and the Ordering of Events"; Mattern,
// "Virtual Time and Global States"): each warp of a cluster has a time of its
// own, which goes on when it releases its accesses, and knows up to which
// time those of the others come before its own. So do the copies of tensors to
// each block, which are a party by themselves. Threads of a warp are one party:
// where one of them arrives at a barrier, all accesses of the warp come before.
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <algorithm>

using namespace onnxc::simulator;

/// Warps of a block, and its copies after them.
static unsigned partiesOfBlock;
/// What each party knows, itself among them.
static std::vector<Clock> known;

static unsigned partyOf(unsigned rank, unsigned thread) {
  return rank * partiesOfBlock +
         std::min(thread / warpSize, partiesOfBlock - 1);
}
static unsigned currentParty() {
  const Position &at = *currentPosition();
  return partyOf(at.rank, at.thread);
}

void onnxc::simulator::beginOrder(unsigned blocks, unsigned threads) {
  partiesOfBlock = (threads + warpSize - 1) / warpSize + 1;
  unsigned parties = blocks * partiesOfBlock;
  known.assign(parties, Clock(parties));
  for (unsigned party = 0; party < parties; ++party)
    known[party][party] = 1;
}

void onnxc::simulator::join(Clock &clock, const Clock &other) {
  clock.resize(std::max(clock.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

uint32_t onnxc::simulator::timeOf(unsigned rank, unsigned thread) {
  unsigned party = partyOf(rank, thread);
  return known[party][party];
}

bool onnxc::simulator::isOrdered(unsigned rank, unsigned thread,
                                 uint32_t time) {
  return known[currentParty()][partyOf(rank, thread)] >= time;
}

static void release(unsigned party, Clock &to) {
  join(to, known[party]);
  ++known[party][party];
}

void onnxc::simulator::releaseTo(Clock &clock) {
  release(currentParty(), clock);
}

void onnxc::simulator::releaseCopies(unsigned rank, Clock &clock) {
  release(partyOf(rank, maxThreads), clock);
}

void onnxc::simulator::acquireFrom(const Clock &clock) {
  join(known[currentParty()], clock);
}

void onnxc::simulator::orderBlocks(unsigned first, unsigned count) {
  // Copies go on meanwhile.
  Clock all;
  for (unsigned rank = first; rank < first + count; ++rank)
    for (unsigned warp = 0; warp + 1 < partiesOfBlock; ++warp)
      release(partyOf(rank, warp * warpSize), all);
  for (unsigned rank = first; rank < first + count; ++rank)
    for (unsigned warp = 0; warp + 1 < partiesOfBlock; ++warp)
      join(known[partyOf(rank, warp * warpSize)], all);
}
