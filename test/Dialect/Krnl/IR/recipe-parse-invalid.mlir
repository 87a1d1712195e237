// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// What cannot be read as a recipe.

// expected-error @+1 {{unknown recipe step 'blok'}}
func.func private @unknown_step() attributes {r = #krnl.recipe<[blok(m, 8) -> (a, b)]>}

// -----

// expected-error @+2 {{failed to parse Krnl_BlockStep parameter 'tail'}}
// expected-error @+1 {{expected tail to be mask, peel or pad, but got 'cut'}}
func.func private @unknown_tail() attributes {r = #krnl.recipe<[block(m, 8, tail=cut) -> (a, b)]>}

// -----

// expected-error @+1 {{expected lanes, transpose or interleave, but got 'rotate'}}
func.func private @unknown_shuffle() attributes {r = #krnl.recipe<[pack(0, [a], rotate=16)]>}

// -----

// expected-error @+1 {{expected '->'}}
func.func private @no_names() attributes {r = #krnl.recipe<[block(m, 8)]>}

// -----

// expected-error @+1 {{expected ':'}}
func.func private @number_without_step() attributes {r = #krnl.recipe<[3 block(m, 8)]>}

// -----

// expected-error @+1 {{unknown recipe step 'exp'}}
func.func private @two_prefixes() attributes {r = #krnl.recipe<[0: exp: unroll(m, 8)]>}

// -----

// expected-error @+1 {{unknown krnl attribute 'loops'}}
func.func private @unknown_attribute() attributes {r = #krnl.loops<m>}

// -----

// expected-error @+1 {{expected a step to limit to op 'exp'}}
func.func private @only_no_step() attributes {r = #krnl.only<exp, 7>}
