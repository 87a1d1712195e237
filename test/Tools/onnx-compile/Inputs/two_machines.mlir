module {
module attributes {krnl.target = #krnl.target<triple = "x86_64-linux-gnu", cpu = "x86-64-v3">} {}
module attributes {krnl.target = #krnl.target<triple = "aarch64-linux-gnu", cpu = "cortex-a76">} {}
}
