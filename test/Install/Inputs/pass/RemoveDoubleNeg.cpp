//===- RemoveDoubleNeg.cpp - A plug-in of onnx-opt: Neg(Neg(x)) -> x ---*- C++
//-*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
