/*===- board.h - Functions for a program on the board ---------------*- C
 * -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_EXAMPLES_FIRMWARE_BOARD_H
#define ONNXC_EXAMPLES_FIRMWARE_BOARD_H

#include <stdint.h>

void print(const char *text);
void print_number(uint32_t number);
/* Bytes of the stack that were written to since the start. */
uint32_t stack_used(void);

#endif /* ONNXC_EXAMPLES_FIRMWARE_BOARD_H */
