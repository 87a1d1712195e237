/*===- riscv32.c - A program of RISC-V without a library -----------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * The functions of examples/firmware/board.h for RISC-V of 32 bits. QEMU runs
 * the program in user mode, where system calls of Linux print and end it.
 *
 *===----------------------------------------------------------------------===*/

#include "board.h"

#include <stddef.h>

enum { WRITE = 64, EXIT = 93, STACK_WORDS = 32768 };

int main(void);
static uint32_t stack[STACK_WORDS] __attribute__((aligned(16), used));

void *memcpy(void *to, const void *from, size_t count) {
  char *t = to;
  for (const char *f = from; count > 0; --count)
    *t++ = *f++;
  return to;
}

void *memset(void *to, int byte, size_t count) {
  for (char *t = to; count > 0; --count)
    *t++ = (char)byte;
  return to;
}

static void ask(int number, int a, const void *b, size_t c) {
  register int a0 __asm__("a0") = a;
  register const void *a1 __asm__("a1") = b;
  register size_t a2 __asm__("a2") = c;
  register int a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
}

void print(const char *text) {
  size_t size = 0;
  while (text[size])
    ++size;
  ask(WRITE, 1, text, size);
}

void print_number(uint32_t number) {
  char text[11], *at = text + sizeof text;
  *--at = 0;
  do
    *--at = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  print(at);
}

#define PAINT 0xcccccccc

uint32_t stack_used(void) {
  const uint32_t *at = stack;
  while (*at == PAINT)
    ++at;
  return (uint32_t)((const char *)(stack + STACK_WORDS) - (const char *)at);
}

__attribute__((used)) static void begin(void) {
  for (uint32_t *to = stack; to < (uint32_t *)__builtin_frame_address(0) - 16;)
    *to++ = PAINT;
  ask(EXIT, main(), NULL, 0);
}

__attribute__((naked)) void _start(void) {
  __asm__("la sp, stack\n"
          "li t0, %0\n"
          "add sp, sp, t0\n"
          "call begin\n" ::"i"(4 * STACK_WORDS));
}
