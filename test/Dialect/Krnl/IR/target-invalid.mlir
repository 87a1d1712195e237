// RUN: onnx-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{a target has no 'vector_byte'}}
module attributes {krnl.target = #krnl.target<vector_byte = 32>} {}

// -----

// expected-error@below {{expected a value of another type for 'vector_bytes', but got "32"}}
module attributes {krnl.target = #krnl.target<vector_bytes = "32">} {}

// -----

// expected-error@below {{expected a value of another type for 'fma_latency', but got 4 : i64}}
module attributes {krnl.target = #krnl.target<fma_latency = 4>} {}

// -----

// expected-error@below {{expected 'fma_per_cycle' of a target to be positive and at most 2^40}}
module attributes {krnl.target = #krnl.target<fma_per_cycle = 0>} {}

// -----

// expected-error@below {{expected vectors of a power of two bytes, at most 1024, but got 48}}
module attributes {krnl.target = #krnl.target<vector_bytes = 48>} {}

// -----

// expected-error@below {{expected indices of 32 or 64 bits, but got 16}}
module attributes {krnl.target = #krnl.target<index_bits = 16>} {}

// -----

// expected-error@below {{expected the name of an intrinsic for 'dot_us_x4', but got 4 : i64}}
module attributes {krnl.target = #krnl.target<instructions = {dot_us_x4 = 4}>} {}
