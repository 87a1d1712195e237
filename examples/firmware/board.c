/*===- board.c - A board without an operating system --------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * The start-up code and the functions of a C library that a program for the
 * board of board.ld needs; those of a vendor are in their place elsewhere.
 * Semihosting, which QEMU and debuggers have, prints and ends the program.
 *
 *===----------------------------------------------------------------------===*/

#include "board.h"

#include <stddef.h>

int main(void);
extern uint32_t data_begin, data_end, data_source, bss_begin, bss_end,
    stack_top;

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

/* The names that the application binary interface of Arm has for these. */
void *__aeabi_memcpy(void *, const void *, size_t)
    __attribute__((alias("memcpy")));
void *__aeabi_memcpy4(void *, const void *, size_t)
    __attribute__((alias("memcpy")));
void *__aeabi_memcpy8(void *, const void *, size_t)
    __attribute__((alias("memcpy")));
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr4(void *, size_t) __attribute__((alias("__aeabi_memclr")));
void __aeabi_memclr8(void *, size_t) __attribute__((alias("__aeabi_memclr")));

static void ask(int operation, const void *argument) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void leave(int status) {
  const int reason[2] = {0x20026, status}; /* the program has ended */
  ask(0x20, reason);
}

void print(const char *text) { ask(0x04, text); }

void print_number(uint32_t number) {
  char text[11], *at = text + sizeof text;
  *--at = 0;
  do
    *--at = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  print(at);
}

/* The stack is the RAM that .bss leaves. */
#define PAINT 0xcccccccc

uint32_t stack_used(void) {
  const uint32_t *at = &bss_end;
  while (*at == PAINT)
    ++at;
  return (uint32_t)((const char *)&stack_top - (const char *)at);
}

void reset(void) {
  volatile uint32_t *coprocessors = (volatile uint32_t *)0xe000ed88;
  *coprocessors |= 0xf << 20; /* the floating-point unit */
  for (uint32_t *to = &data_begin, *from = &data_source; to < &data_end;)
    *to++ = *from++;
  for (uint32_t *to = &bss_begin; to < &bss_end;)
    *to++ = 0;
  for (uint32_t *to = &bss_end;
       to < (uint32_t *)__builtin_frame_address(0) - 16;)
    *to++ = PAINT;
  leave(main());
}

static void fault(void) {
  print("fault\n");
  leave(99);
}

__attribute__((section(".vectors"),
               used)) static const void *const vectors[] = {
    &stack_top,    (void *)reset, (void *)fault, (void *)fault,
    (void *)fault, (void *)fault, (void *)fault};
