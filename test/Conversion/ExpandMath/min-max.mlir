// RUN: onnx-opt %s --pass-pipeline='builtin.module(func.func(krnl-expand-math))' --split-input-file | FileCheck %s

// One comparison and a select do for a maximum with a constant: NaN compares
// false and stays. In general the zeros are not told apart.
// CHECK-LABEL: func @maximum
// CHECK-SAME:      (%[[X:.+]]: vector<16xf32>, %[[Y:.+]]: vector<16xf32>)
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00>
// CHECK:         %[[LESS:.+]] = arith.cmpf olt, %[[X]], %[[ZERO]]
// CHECK-NEXT:    %[[RELU:.+]] = arith.select %[[LESS]], %[[ZERO]], %[[X]]
// CHECK-NEXT:    arith.minimumf %[[RELU]], %[[Y]] fastmath<nsz>
func.func @maximum(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = arith.maximumf %zero, %x : vector<16xf32>
  %b = arith.minimumf %a, %y : vector<16xf32>
  return %b : vector<16xf32>
}

// A constant NaN is not a bound that a comparison could keep.
// CHECK-LABEL: func @with_nan
// CHECK:         arith.maximumf %{{.+}}, %{{.+}} fastmath<nsz>
func.func @with_nan(%x: vector<16xf32>) -> vector<16xf32> {
  %nan = arith.constant dense<0x7FC00000> : vector<16xf32>
  %0 = arith.maximumf %x, %nan : vector<16xf32>
  return %0 : vector<16xf32>
}

// A number beside a NaN wins: what is compared with a number is one.
// CHECK-LABEL: func @numbers
// CHECK-SAME:      (%[[X:.+]]: vector<16xf32>, %[[Y:.+]]: vector<16xf32>)
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00>
// CHECK:         %[[MORE:.+]] = arith.cmpf ogt, %[[X]], %[[ZERO]]
// CHECK-NEXT:    %[[A:.+]] = arith.select %[[MORE]], %[[X]], %[[ZERO]]
// CHECK-NEXT:    %[[LESS:.+]] = arith.cmpf olt, %[[Y]], %[[A]]
// CHECK-NEXT:    %[[B:.+]] = arith.select %[[LESS]], %[[Y]], %[[A]]
// CHECK-NEXT:    vector.reduction <maxnumf>, %[[B]] fastmath<nnan,nsz>
// CHECK-NEXT:    arith.maxnumf %[[X]], %[[Y]] fastmath<nsz>
func.func @numbers(%x: vector<16xf32>, %y: vector<16xf32>) -> (f32, vector<16xf32>) {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = arith.maxnumf %zero, %x : vector<16xf32>
  %b = arith.minnumf %y, %a : vector<16xf32>
  %c = vector.reduction <maxnumf>, %b : vector<16xf32> into f32
  %d = arith.maxnumf %x, %y : vector<16xf32>
  return %c, %d : f32, vector<16xf32>
}

// Loops that begin with a number and go on with one forward one, those inside of
// others too; a maximum that returns NaN is none.
// CHECK-LABEL: func @loops
// CHECK:         scf.for
// CHECK:           scf.for {{.+}} iter_args(%[[LARGEST:.+]] = %{{.+}}, %[[ANY:.+]] = %{{.+}})
// CHECK-NEXT:        %[[X:.+]] = vector.load
// CHECK-NEXT:        %[[MORE:.+]] = arith.cmpf ogt, %[[X]], %[[LARGEST]]
// CHECK-NEXT:        arith.select %[[MORE]], %[[X]], %[[LARGEST]]
// CHECK-NEXT:        arith.maxnumf %[[ANY]], %[[X]] fastmath<nsz>
// CHECK:         vector.reduction <maxnumf>, %{{.+}} fastmath<nnan,nsz>
// CHECK-NEXT:    vector.reduction <maxnumf>, %{{.+}} fastmath<nsz>
func.func @loops(%x: memref<64x16xf32>, %start: vector<16xf32>, %n: index) -> (f32, f32) {
  %lowest = arith.constant dense<0xFF800000> : vector<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %lowest, %b = %start)
      -> (vector<16xf32>, vector<16xf32>) {
    %1:2 = scf.for %j = %c0 to %n step %c1 iter_args(%c = %a, %d = %b)
        -> (vector<16xf32>, vector<16xf32>) {
      %e = vector.load %x[%j, %c0] : memref<64x16xf32>, vector<16xf32>
      %f = arith.maxnumf %c, %e : vector<16xf32>
      %g = arith.maxnumf %d, %e : vector<16xf32>
      scf.yield %f, %g : vector<16xf32>, vector<16xf32>
    }
    scf.yield %1#0, %1#1 : vector<16xf32>, vector<16xf32>
  }
  %2 = vector.reduction <maxnumf>, %0#0 : vector<16xf32> into f32
  %3 = vector.reduction <maxnumf>, %0#1 : vector<16xf32> into f32
  return %2, %3 : f32, f32
}

// So do branches and selects: the rest of a row is a masked vector.
// CHECK-LABEL: func @branches
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:         %[[SELECT:.+]] = arith.select
// CHECK-NEXT:    arith.cmpf ogt, %{{.+}}, %[[SELECT]]
// CHECK:         vector.reduction <maxnumf>, %{{.+}} fastmath<nnan,nsz>
// CHECK-NEXT:    vector.reduction <maxnumf>, %{{.+}} fastmath<nsz>
func.func @branches(%x: vector<16xf32>, %mask: vector<16xi1>, %full: i1) -> (f32, f32) {
  %lowest = arith.constant dense<0xFF800000> : vector<16xf32>
  %0:2 = scf.if %full -> (vector<16xf32>, vector<16xf32>) {
    %a = arith.maxnumf %lowest, %x : vector<16xf32>
    scf.yield %a, %a : vector<16xf32>, vector<16xf32>
  } else {
    scf.yield %lowest, %x : vector<16xf32>, vector<16xf32>
  }
  %1 = arith.select %mask, %lowest, %0#0 : vector<16xi1>, vector<16xf32>
  %2 = arith.maxnumf %1, %x : vector<16xf32>
  %3 = vector.reduction <maxnumf>, %2 : vector<16xf32> into f32
  %4 = vector.reduction <maxnumf>, %0#1 : vector<16xf32> into f32
  return %3, %4 : f32, f32
}

// A NaN of any lane is the result; the lanes are compared as if there were none.
// CHECK-LABEL: func @lanes
// CHECK-SAME:      (%[[X:.+]]: vector<16xf32>)
// CHECK:         %[[IS:.+]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK-NEXT:    %[[ANY:.+]] = vector.reduction <or>, %[[IS]]
// CHECK-NEXT:    %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
// CHECK-NEXT:         %[[NUMBER:.+]] = vector.reduction <minnumf>, %[[X]] fastmath<nnan,nsz>
// CHECK-NEXT:    arith.select %[[ANY]], %[[NAN]], %[[NUMBER]]
func.func @lanes(%x: vector<16xf32>) -> f32 {
  %0 = vector.reduction <minimumf>, %x : vector<16xf32> into f32
  return %0 : f32
}

// Sums of numbers may be none, and a reduction that begins with something stays as it is.
// CHECK-LABEL: func @sums
// CHECK:         %[[SUM:.+]] = vector.reduction <add>
// CHECK:         arith.maximumf %[[SUM]], %{{.+}} fastmath<nsz>
// CHECK-NEXT:    vector.reduction <maximumf>, %{{.+}}, %{{.+}} : vector<16xf32> into f32
func.func @sums(%x: vector<16xf32>, %y: f32) -> (f32, f32) {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = arith.minnumf %x, %zero : vector<16xf32>
  %b = vector.reduction <add>, %a : vector<16xf32> into f32
  %c = arith.maximumf %b, %y : f32
  %d = vector.reduction <maximumf>, %x, %y : vector<16xf32> into f32
  return %c, %d : f32, f32
}

// -----

// One instruction each does for processors that have it.
// CHECK-LABEL: module attributes
// CHECK:         arith.maximumf %{{.+}}, %{{.+}} fastmath<nsz>
// CHECK-NEXT:    arith.maxnumf %{{.+}}, %{{.+}} fastmath<nsz>
// CHECK-NEXT:    vector.reduction <maximumf>, %{{.+}} fastmath<nsz>
module attributes {krnl.target = #krnl.target<triple = "aarch64-linux-gnu", instructions = {maximum = ""}>} {
  func.func @one_instruction(%x: vector<4xf32>) -> (f32, vector<4xf32>) {
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %a = arith.maximumf %zero, %x : vector<4xf32>
    %b = arith.maxnumf %a, %zero : vector<4xf32>
    %c = vector.reduction <maximumf>, %b : vector<4xf32> into f32
    return %c, %b : f32, vector<4xf32>
  }
}
