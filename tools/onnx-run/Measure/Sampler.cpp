//===- Sampler.cpp - Where a thread is, again and again ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/Sampler.h"

#include "onnxc/Values/Tensor.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ucontext.h>
#include <unistd.h>

using namespace llvm;
using namespace onnxc::run;

static constexpr long period = 250'000; // nanoseconds
/// Samples of more than four minutes.
static constexpr size_t capacity = size_t(1) << 20;

// A signal handler can reach static data only.
static std::vector<uintptr_t> notes;
static std::atomic<size_t> taken;

static uintptr_t instructionOf(const ucontext_t &context) {
#if defined(__x86_64__)
  return uintptr_t(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return uintptr_t(context.uc_mcontext.pc);
#else
#error "where is the address of the instruction?"
#endif
}

static void onTick(int, siginfo_t *, void *context) {
  size_t number = taken.load(std::memory_order_relaxed);
  if (number == capacity)
    return;
  notes[number] = instructionOf(*static_cast<ucontext_t *>(context));
  taken.store(number + 1, std::memory_order_relaxed);
}

static Error failed(const char *what) {
  return failure("cannot %s: %s", what, strerror(errno));
}

Expected<Sampler> Sampler::start() {
  notes.resize(capacity);
  taken = 0;
  struct sigaction action = {};
  action.sa_sigaction = onTick;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (sigaction(SIGPROF, &action, nullptr) != 0)
    return failed("handle SIGPROF");
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = gettid();
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
    return failed("make a timer");
  Sampler sampler(timer);
  itimerspec interval = {{0, period}, {0, period}};
  if (timer_settime(timer, 0, &interval, nullptr) != 0)
    return failed("start a timer");
  return sampler;
}

void Sampler::stop() {
  if (isRunning)
    timer_delete(timer);
  isRunning = false;
}

ArrayRef<uintptr_t> Sampler::addresses() {
  return ArrayRef(notes).take_front(taken);
}
