/*===- DefaultOptions.c - Settings of the sanitizers ---------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * Read by the sanitizers' runtime libraries when a program starts;
 * ASAN_OPTIONS and UBSAN_OPTIONS override them.
 *
 * LLVM's allocators poison memory in functions of headers. libLLVM.so is not
 * instrumented and would never unpoison it: user poisoning is off. The
 * compiler does not free what lives as long as the process: leaks are off. 99
 * is the exit status of no tool.
 *===----------------------------------------------------------------------===*/

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allow_user_poisoning=0:detect_leaks=0:allocator_may_return_null=1:"
         "detect_stack_use_after_return=0:exitcode=99";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
  return "print_stacktrace=1:halt_on_error=1:exitcode=99";
}
