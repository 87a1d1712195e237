//===- Copies.cpp - Copies that threads do not wait for ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cp.async: the bytes come as late as they may, when the thread waits for the
// group of the copy. Until then they are not a number. A prefetch reads memory.
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <cstring>
#include <deque>

using namespace onnxc::simulator;

namespace {

struct Copy {
  void *to;
  const void *from;
  unsigned size;
  /// Of the source; zeros follow.
  unsigned read;
};
struct ThreadCopies {
  /// Of no group yet, and those of each group.
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
};

} // namespace

/// Of each block of a cluster.
static std::vector<std::vector<ThreadCopies>> copies;

static ThreadCopies &ofThread() {
  return copies[currentPosition()->rank][currentPosition()->thread];
}

void onnxc::simulator::beginCopies(unsigned blocks, unsigned threads) {
  copies.assign(blocks, std::vector<ThreadCopies>(threads));
}

void onnxc::simulator::checkCopiesEnded() {
  bool isUnderWay = !ofThread().open.empty();
  for (const std::vector<Copy> &group : ofThread().groups)
    isUnderWay |= !group.empty();
  if (isUnderWay)
    fail("the thread ends while its copies are under way");
}

static void begin(void *to, const void *from, unsigned size, unsigned read,
                  const void *code) {
  if (read > size)
    fail("a copy reads more bytes than it writes");
  noteCopyBegin(from, read, to, size, code);
  std::memset(to, 0xff, size);
  ofThread().open.push_back({to, from, size, read});
}

//===----------------------------------------------------------------------===//
// The intrinsics
//===----------------------------------------------------------------------===//

#define COPY(CACHE, SIZE)                                                      \
  void sim_cp_async_##CACHE##_shared_global_##SIZE(void *to,                   \
                                                   const void *from) {         \
    begin(to, from, SIZE, SIZE, __builtin_return_address(0));                  \
  }                                                                            \
  void sim_cp_async_##CACHE##_shared_global_##SIZE##_s(                        \
      void *to, const void *from, uint32_t read) {                             \
    begin(to, from, SIZE, read, __builtin_return_address(0));                  \
  }

#pragma GCC visibility push(default)
extern "C" {

COPY(ca, 4)
COPY(ca, 8)
COPY(ca, 16)
COPY(cg, 16)

/// Of at least one byte that there is.
void sim_prefetch_global_L1(const void *from) { noteLoad(from, 1); }

void sim_cp_async_commit_group() {
  ofThread().groups.push_back(std::move(ofThread().open));
  ofThread().open.clear();
}

void sim_cp_async_wait_group(int32_t others) {
  std::deque<std::vector<Copy>> &groups = ofThread().groups;
  for (; groups.size() > size_t(others); groups.pop_front())
    for (const Copy &copy : groups.front()) {
      std::memset(copy.to, 0, copy.size);
      std::memcpy(copy.to, copy.from, copy.read);
      noteCopyEnd(copy.to, copy.size);
    }
}

} // extern "C"
#pragma GCC visibility pop
