//===- Memory.cpp - Device memory that the host cannot read -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace onnxc::simulator;

static constexpr size_t kPage = 4096, kAlignment = 256;

static size_t pagesOf(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

/// The pages of an allocation, which ends where they end, up to its alignment.
static Span pagesOf(const Span &span) {
  uintptr_t begin = span.begin / kPage * kPage;
  return {begin, begin + pagesOf(span.end - begin)};
}

static void insert(Allocations &spans, const Span &span) {
  auto isBefore = [](const Span &a, const Span &b) {
    return a.begin < b.begin;
  };
  spans.insert(std::upper_bound(spans.begin(), spans.end(), span, isBefore),
               span);
}

uintptr_t DeviceMemory::allocate(size_t bytes) {
  size_t inPages = pagesOf(bytes);
  if (inPages < bytes)
    return 0;
  // A page that nothing may touch is left on each side.
  void *pages = mmap(nullptr, inPages + 2 * kPage, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return 0;
  uintptr_t first = reinterpret_cast<uintptr_t>(pages) + kPage;
  uintptr_t begin = (first + inPages - bytes) / kAlignment * kAlignment;
  Span span = {begin, begin + bytes};
  insert(spans, span);
  Opened opened(*this);
  std::memset(reinterpret_cast<void *>(begin), 0xff, bytes);
  return begin;
}

bool DeviceMemory::release(uintptr_t address) {
  auto at = std::find_if(spans.begin(), spans.end(), [&](const Span &span) {
    return span.begin == address;
  });
  if (at == spans.end())
    return false;
  // The addresses stay, so that no later memory has them.
  Span pages = pagesOf(*at);
  mmap(reinterpret_cast<void *>(pages.begin), pages.end - pages.begin,
       PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
       0);
  insert(releasedSpans, *at);
  spans.erase(at);
  return true;
}

bool DeviceMemory::contains(uintptr_t address, size_t bytes) const {
  return std::any_of(spans.begin(), spans.end(), [&](const Span &span) {
    return span.contains(address) && bytes <= span.end - address;
  });
}

void DeviceMemory::protect(bool isAccessible) const {
  for (const Span &span : spans) {
    Span pages = pagesOf(span);
    mprotect(reinterpret_cast<void *>(pages.begin), pages.end - pages.begin,
             isAccessible ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}
