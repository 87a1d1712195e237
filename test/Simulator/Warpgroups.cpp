//===- Warpgroups.cpp - Products of matrices of four warps ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// wgmma by the PTX ISA, "Asynchronous warpgroup-level matrix instructions". The
// factors are read as late as they may be, when the warpgroup waits for the
// results. Until then each sum is a number that is none, which says whose it
// is.
//
//   types           f16, bf16, tf32, s8 and u8, from 0 on; sums of bytes are
//                   i32, modulo 2^32, others f32
//   sums (64 x N)   warp w, lane 4 * g + t, word 4 * f + 2 * h + c:
//                   row 16 * w + 8 * h + g, column 8 * f + 2 * t + c
//   descriptor      address, leading and stride distance in units of 16 bytes
//                   in bits 0, 16 and 32; bits 62, 63: lines of 128, 64, 32
//                   bytes are 1, 2, 3
//   byte of (i, k)  lines along k, elements of b bytes: i / 8 * stride
//                   + i % 8 * line + b * k
//                   along i, n = line / 2: i / n * leading + k / 8 * stride
//                   + k % 8 * line + i % n * 2
//   then            bits 4 to 6 xor bits 7 to 9, as many as a line has
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

using namespace onnxc::simulator;

static constexpr int kRows = 64, kDepthBytes = 32, kWarpgroup = 128,
                     kMaxColumns = 256;
/// Of shared memory, the addresses that a descriptor can have.
static constexpr uintptr_t kAddresses = 1 << 18;

namespace {

enum class Type { Half, Brain, Tensor, Signed, Unsigned };
bool isByte(Type type) { return type >= Type::Signed; }
int bytesOf(Type type) {
  return isByte(type) ? 1 : type == Type::Tensor ? 4 : 2;
}

struct Product {
  uint64_t left, right;
  /// The words of the thread, where the rows are in registers.
  std::optional<std::array<uint32_t, 4>> words;
  int columns;
  Type leftType, rightType;
  bool isLeftTransposed, isRightTransposed;
  /// Of those of the thread.
  size_t group;

  int depth() const { return kDepthBytes / bytesOf(leftType); }
};
/// Sums of a thread, as words, and what is added to them.
struct Started {
  std::vector<uint32_t> sums;
  std::vector<Product> products;
};
struct ThreadProducts {
  std::vector<Started> started;
  bool isFenced, isOpen;
  /// That have been closed, and those of them that have ended or end now.
  size_t closed, ended;
};

/// The matrix of a descriptor: i is a row or a column.
class Matrix {
public:
  Matrix(uint64_t descriptor, Type type, bool isTransposed)
      : bytes(bytesOf(type)), leading(distanceAt(descriptor, 16)),
        stride(distanceAt(descriptor, 32)), line(256 >> (descriptor >> 62)),
        isTransposed(isTransposed) {
    if (descriptor >> 62 == 0)
      fail("a descriptor of a matrix whose lines are not swizzled");
    if (isTransposed && bytes != 2)
      fail("wgmma transposes elements of 16 bits only");
    const Span &shared = sharedMemory();
    uintptr_t address = distanceAt(descriptor, 0);
    base = shared.begin + ((address - shared.begin) & (kAddresses - 1));
  }

  const void *at(int i, int k) const {
    int n = line / 2;
    uintptr_t place =
        base + (isTransposed ? i / n * leading + k / 8 * stride + k % 8 * line +
                                   i % n * 2
                             : i / 8 * stride + i % 8 * line + bytes * k);
    place ^= (place >> 7 & (line / 16 - 1)) << 4;
    if (!sharedMemory().contains(place))
      fail("wgmma reads beyond shared memory");
    return reinterpret_cast<const void *>(place);
  }

  /// Notes that the threads of the warpgroup read it, 16 bytes each.
  void noteLoads(int extent, int thread) const {
    for (int chunk = thread; chunk < extent * 2; chunk += kWarpgroup)
      noteAsyncLoad(isTransposed
                        ? at(chunk * 8 % extent, chunk * 8 / extent)
                        : at(chunk % extent, chunk / extent * 16 / bytes),
                    16);
  }

private:
  static uintptr_t distanceAt(uint64_t descriptor, int bit) {
    return (descriptor >> bit & 0x3fff) << 4;
  }

  int bytes;
  uintptr_t base, leading, stride;
  int line;
  bool isTransposed;
};

} // namespace

/// Of each block of a cluster.
static std::vector<std::vector<ThreadProducts>> blocks;

/// The threads of the block that runs.
static std::vector<ThreadProducts> &ofBlock() {
  return blocks[currentPosition()->rank];
}
static ThreadProducts &ofThread() {
  return ofBlock()[currentPosition()->thread];
}

void onnxc::simulator::beginProducts(unsigned count, unsigned threads) {
  blocks.assign(count, std::vector<ThreadProducts>(threads));
}

void onnxc::simulator::checkProductsEnded() {
  if (!ofThread().started.empty())
    fail("the thread ends while its wgmma are under way");
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static constexpr uint32_t kStarted = 0xffe50000, kNumber = 0xffff;

/// Integers may look like sums under way, but of none that there is.
static bool isStarted(uint32_t word) {
  return (word & ~kNumber) == kStarted &&
         (word & kNumber) < ofThread().started.size();
}

/// The number of the sums if they are under way, else -1.
static int numberOf(const uint32_t *sums, int count) {
  uint32_t first = sums[0];
  for (int i = 1; i < count; ++i)
    if (isStarted(first) ? sums[i] != first : isStarted(sums[i]))
      fail("sums are used while wgmma adds to them");
  return isStarted(first) ? int(first & kNumber) : -1;
}

template <typename T>
static T read(const void *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

static double valueOf(const void *at, Type type) {
  switch (type) {
  case Type::Half:
    return double(read<_Float16>(at));
  case Type::Brain: {
    uint32_t word = uint32_t(read<uint16_t>(at)) << 16;
    return read<float>(&word);
  }
  case Type::Tensor: {
    // The last bits are ignored.
    uint32_t word = read<uint32_t>(at) & 0xffffe000;
    return read<float>(&word);
  }
  case Type::Signed:
    return read<int8_t>(at);
  case Type::Unsigned:
    return read<uint8_t>(at);
  }
  fail("wgmma of elements that it has not");
}

/// The word of a sum and another one.
static uint32_t sumOf(uint32_t total, double sum, Type type) {
  if (isByte(type))
    return total + uint32_t(int64_t(sum));
  auto value = float(read<float>(&total) + sum);
  return read<uint32_t>(&value);
}

using Rows = double[kRows][kDepthBytes];

/// Reads what a thread of the warpgroup has in registers: in its warp lane
/// 4 * g + t has elements 8 * half + 2 * t + c of row 8 * h + g in word
/// 2 * half + h.
static void readWords(const Product &product, int thread, Rows &left) {
  int lane = thread % warpSize;
  for (int word = 0; word < 4; ++word)
    for (int c = 0; c < 2; ++c) {
      auto half = uint16_t((*product.words)[word] >> (16 * c));
      left[thread / warpSize * 16 + word % 2 * 8 + lane / 4]
          [word / 2 * 8 + lane % 4 * 2 + c] = valueOf(&half, product.leftType);
    }
}

/// Reads the rows of a product: product `index` of those of the other threads
/// that have not ended.
static void readRows(const Product &product, unsigned first, size_t number,
                     size_t index, Rows &left) {
  if (product.words) {
    readWords(product, 0, left);
    for (int thread = 1; thread < kWarpgroup; ++thread)
      readWords(ofBlock()[first + thread].started[number].products[index],
                thread, left);
    return;
  }
  Matrix rows(product.left, product.leftType, product.isLeftTransposed);
  for (int k = 0; k < product.depth(); ++k)
    for (int i = 0; i < kRows; ++i)
      left[i][k] = valueOf(rows.at(i, k), product.leftType);
}

/// Adds a product to the sums of all threads of the warpgroup.
static void add(const Product &product, unsigned first, size_t number,
                size_t index) {
  static double right[kMaxColumns][kDepthBytes];
  static Rows left;
  Matrix columns(product.right, product.rightType, product.isRightTransposed);
  readRows(product, first, number, index, left);
  for (int k = 0; k < product.depth(); ++k)
    for (int i = 0; i < product.columns; ++i)
      right[i][k] = valueOf(columns.at(i, k), product.rightType);
  for (int thread = 0; thread < kWarpgroup; ++thread)
    for (int word = 0; word < product.columns / 2; ++word) {
      int lane = thread % warpSize;
      int row = thread / warpSize * 16 + word / 2 % 2 * 8 + lane / 4;
      int column = word / 4 * 8 + lane % 4 * 2 + word % 2;
      double sum = 0;
      for (int k = 0; k < product.depth(); ++k)
        sum += left[row][k] * right[column][k];
      uint32_t &total = ofBlock()[first + thread].started[number].sums[word];
      total = sumOf(total, sum, product.leftType);
    }
}

/// Splits off the products of groups that end now.
static std::vector<Product> takeEnded(Started &started, size_t ended) {
  auto first = std::find_if(
      started.products.begin(), started.products.end(),
      [&](const Product &product) { return product.group >= ended; });
  std::vector<Product> taken(started.products.begin(), first);
  started.products.erase(started.products.begin(), first);
  return taken;
}

/// Ends the products of groups of the warpgroup, as its first thread has them.
static void finishGroups(const void *const *, void *const *) {
  unsigned first = currentPosition()->thread / kWarpgroup * kWarpgroup;
  for (size_t i = 0; i < ofBlock()[first].started.size(); ++i) {
    size_t index = 0;
    for (const Product &product :
         takeEnded(ofBlock()[first].started[i], ofBlock()[first].ended))
      add(product, first, i, index++);
  }
}

/// The same of all groups: the sums are results.
static void finish(const void *const *arguments, void *const *results) {
  unsigned first = currentPosition()->thread / kWarpgroup * kWarpgroup;
  finishGroups(arguments, results);
  for (int thread = 0; thread < kWarpgroup; ++thread) {
    auto *sums = static_cast<uint32_t *>(results[thread]);
    for (const Started &started : ofBlock()[first + thread].started)
      sums = std::copy(started.sums.begin(), started.sums.end(), sums);
    ofBlock()[first + thread] = {};
  }
}

/// Notes what the groups of the thread read that end now: all but the last
/// ones.
static void endGroups(size_t others) {
  ThreadProducts &mine = ofThread();
  if (mine.isOpen)
    fail("the thread waits for wgmma that are of no group");
  mine.ended =
      std::max(mine.ended, mine.closed - std::min(others, mine.closed));
  int thread = int(currentPosition()->thread % kWarpgroup);
  for (const Started &started : mine.started)
    for (const Product &product : started.products) {
      if (product.group >= mine.ended)
        continue;
      if (!product.words)
        Matrix(product.left, product.leftType, product.isLeftTransposed)
            .noteLoads(kRows, thread);
      Matrix(product.right, product.rightType, product.isRightTransposed)
          .noteLoads(product.columns, thread);
    }
}

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

/// Starts a product of the thread, which is of the open group.
static void start(uint32_t *sums, Product product) {
  ThreadProducts &mine = ofThread();
  int count = product.columns / 2, number = numberOf(sums, count);
  if (!mine.isFenced)
    fail("wgmma without wgmma.fence after what wrote its sums");
  if (number < 0) {
    number = int(mine.started.size());
    mine.started.push_back({{sums, sums + count}, {}});
  }
  product.group = mine.closed;
  mine.started[number].products.push_back(product);
  mine.isOpen = true;
  uint32_t word = kStarted | uint32_t(number);
  std::fill(sums, sums + count, word);
}

#pragma GCC visibility push(default)
extern "C" {

void sim_wgmma_fence_sync_aligned() { ofThread().isFenced = true; }

void sim_wgmma_mma_async(uint32_t *sums, uint64_t left, uint64_t right,
                         int columns, int leftType, int rightType,
                         int isLeftTransposed, int isRightTransposed) {
  start(sums, {left,
               right,
               {},
               columns,
               Type(leftType),
               Type(rightType),
               isLeftTransposed != 0,
               isRightTransposed != 0,
               0});
}

/// The rows are in registers: four words of each thread.
void sim_wgmma_mma_async_rows(uint32_t *sums, uint32_t a, uint32_t b,
                              uint32_t c, uint32_t d, uint64_t right, int count,
                              int type, int isRightTransposed) {
  start(sums, {0,
               right,
               {{a, b, c, d}},
               2 * count,
               Type(type),
               Type(type),
               false,
               isRightTransposed != 0,
               0});
}

void sim_wgmma_commit_group_sync_aligned() {
  ofThread().isOpen = false;
  ++ofThread().closed;
}

/// Waits for all groups but the last ones; all sums stay under way.
void sim_wgmma_wait_group_sync_aligned(int64_t others) {
  endGroups(size_t(others));
  runTogether(finishGroups, nullptr, nullptr, kWarpgroup);
  ThreadProducts &mine = ofThread();
  for (Started &started : mine.started)
    takeEnded(started, mine.ended);
}

/// The sums are those of all products, in the order in which they were started.
void sim_wgmma_wait_group(uint32_t *sums, int count) {
  ThreadProducts &mine = ofThread();
  int at = 0;
  for (size_t i = 0; i < mine.started.size(); ++i) {
    const Started &started = mine.started[i];
    if (at >= count || numberOf(sums + at, started.sums.size()) != int(i))
      fail("the sums of wgmma are not those that the thread waits for");
    at += int(started.sums.size());
  }
  endGroups(0);
  runTogether(finish, sums, sums, kWarpgroup);
}

void sim_fence_proxy_async_shared_cta() { noteProxyFence(); }

} // extern "C"
#pragma GCC visibility pop
