// RUN: onnx-opt %s --krnl-choose-layouts | FileCheck %s
//
// The threads of a device read adjacent elements together, even where the index of the last ones is limited to the size:
// the mask of an attention whose keys are in parts keeps its order. Without adjacent elements lanes are along the rows.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// CHECK-LABEL: func @nearest(
// CHECK:         krnl.kernel "mask" loops [b = %{{.+}}, m = 96, k = %{{.+}}]
// CHECK:         krnl.kernel "scores" loops [b = %{{.+}}, m = 96, o = %{{.+}}, i = 64]
// CHECK-LABEL: func @apart(
// CHECK:         krnl.kernel "mask" loops [b = %{{.+}}, k = %{{.+}}, m = 96]
func.func @nearest(%b: index, %n: index, %parts: index, %x: tensor<?x?xf32>) -> tensor<?x96xf32> {
  %e = tensor.empty(%b, %n) : tensor<?x96x?xf32>
  %mask = krnl.kernel "mask" loops [b = %b, m = 96, k = %n] ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x96x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %o: tensor<?x96x?xf32>, %batch: index, %keys: index):
    %r = krnl.compute [b, m, k] (%a = %p[b, k]) -> (%_ = %o[b, m, k]) : (tensor<?x?xf32>) -> tensor<?x96x?xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<?x96x?xf32>
  } -> tensor<?x96x?xf32>
  %f = tensor.empty(%b, %parts) : tensor<?x96x?x64xf32>
  %scores = krnl.kernel "scores" loops [b = %b, m = 96, o = %parts, i = 64] ins(%mask, %n : tensor<?x96x?xf32>, index) outs(%f : tensor<?x96x?x64xf32>) {
  ^bb0(%p: tensor<?x96x?xf32>, %keys: index, %o: tensor<?x96x?x64xf32>, %batch: index, %extent: index):
    %one = arith.constant 1 : index
    %size = arith.constant 64 : index
    %r = krnl.compute [b, m, o, i] () -> (%_ = %o[b, m, o, i]) : () -> tensor<?x96x?x64xf32> {
      %image = krnl.index b
      %row = krnl.index m
      %part = krnl.index o
      %inside = krnl.index i
      %first = arith.muli %part, %size : index
      %key = arith.addi %first, %inside : index
      %last = arith.subi %keys, %one : index
      %at = arith.minsi %key, %last : index
      %v = tensor.extract %p[%image, %row, %at] : tensor<?x96x?xf32>
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x96x?x64xf32>
  } -> tensor<?x96x?x64xf32>
  %g = tensor.empty(%b) : tensor<?x96xf32>
  %sum = krnl.kernel "sum" loops [b = %b, m = 96, o = %parts, i = 64] ins(%scores : tensor<?x96x?x64xf32>) outs(%g : tensor<?x96xf32>) {
  ^bb0(%p: tensor<?x96x?x64xf32>, %o: tensor<?x96xf32>, %batch: index, %extent: index):
    %r = krnl.compute [b, m | o, i] (%a = %p[b, m, o, i]) -> (%s = %o[b, m]) : (tensor<?x96x?x64xf32>) -> tensor<?x96xf32> {
      %t = arith.addf %s, %a : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<?x96xf32>
  } -> tensor<?x96xf32>
  return %sum : tensor<?x96xf32>
}

func.func @apart(%b: index, %n: index, %parts: index, %x: tensor<?x?xf32>) -> tensor<?x96xf32> {
  %e = tensor.empty(%b, %n) : tensor<?x96x?xf32>
  %mask = krnl.kernel "mask" loops [b = %b, m = 96, k = %n] ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x96x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %o: tensor<?x96x?xf32>, %batch: index, %keys: index):
    %r = krnl.compute [b, m, k] (%a = %p[b, k]) -> (%_ = %o[b, m, k]) : (tensor<?x?xf32>) -> tensor<?x96x?xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<?x96x?xf32>
  } -> tensor<?x96x?xf32>
  %f = tensor.empty(%b, %parts) : tensor<?x96x?x64xf32>
  %scores = krnl.kernel "scores" loops [b = %b, m = 96, o = %parts, i = 64] ins(%mask, %n : tensor<?x96x?xf32>, index) outs(%f : tensor<?x96x?x64xf32>) {
  ^bb0(%p: tensor<?x96x?xf32>, %keys: index, %o: tensor<?x96x?x64xf32>, %batch: index, %extent: index):
    %size = arith.constant 64 : index
    %r = krnl.compute [b, m, o, i] () -> (%_ = %o[b, m, o, i]) : () -> tensor<?x96x?x64xf32> {
      %image = krnl.index b
      %row = krnl.index m
      %part = krnl.index o
      %inside = krnl.index i
      %first = arith.muli %inside, %size : index
      %key = arith.addi %first, %part : index
      %at = arith.remsi %key, %keys : index
      %v = tensor.extract %p[%image, %row, %at] : tensor<?x96x?xf32>
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x96x?x64xf32>
  } -> tensor<?x96x?x64xf32>
  %g = tensor.empty(%b) : tensor<?x96xf32>
  %sum = krnl.kernel "sum" loops [b = %b, m = 96, o = %parts, i = 64] ins(%scores : tensor<?x96x?x64xf32>) outs(%g : tensor<?x96xf32>) {
  ^bb0(%p: tensor<?x96x?x64xf32>, %o: tensor<?x96xf32>, %batch: index, %extent: index):
    %r = krnl.compute [b, m | o, i] (%a = %p[b, m, o, i]) -> (%s = %o[b, m]) : (tensor<?x96x?x64xf32>) -> tensor<?x96xf32> {
      %t = arith.addf %s, %a : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<?x96xf32>
  } -> tensor<?x96xf32>
  return %sum : tensor<?x96xf32>
}

}
