//===- Fibre.h - Stacks that take turns on one thread -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_SIMULATOR_FIBRE_H
#define ONNXC_TEST_SIMULATOR_FIBRE_H

#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#include <cstddef>

namespace onnxc::simulator {

/// A stack and where its code continues. The one of the caller has no stack of
/// its own.
class Fibre {
public:
  /// Lets the fibre begin in `entry`, which never returns.
  void prepare(char *stack, size_t bytes, void (*entry)());
  /// Leaves this fibre, which is running, for another.
  void switchTo(Fibre &other);

private:
#if defined(__x86_64__)
  void *top = nullptr;
#else
  ucontext_t context;
#endif
};

} // namespace onnxc::simulator

#endif // ONNXC_TEST_SIMULATOR_FIBRE_H
