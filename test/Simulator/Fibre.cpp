//===- Fibre.cpp - Stacks that take turns on one thread ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Fibre.h"

using namespace onnxc::simulator;

#if defined(__x86_64__)

// swapcontext asks the kernel for the mask of signals at every switch. Only
// registers that a callee preserves are saved.
asm(R"(
.type onnxc_simulator_switch, @function
onnxc_simulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
extern "C" void onnxc_simulator_switch(void **from, void *to);

void Fibre::prepare(char *stack, size_t bytes, void (*entry)()) {
  auto **at = reinterpret_cast<void **>(stack + bytes / 16 * 16);
  *--at = nullptr; // where entry would return to
  *--at = reinterpret_cast<void *>(entry);
  for (int i = 0; i < 6; ++i)
    *--at = nullptr;
  top = at;
}

void Fibre::switchTo(Fibre &other) { onnxc_simulator_switch(&top, other.top); }

#else

void Fibre::prepare(char *stack, size_t bytes, void (*entry)()) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = bytes;
  context.uc_link = nullptr;
  makecontext(&context, entry, 0);
}

void Fibre::switchTo(Fibre &other) { swapcontext(&context, &other.context); }

#endif
