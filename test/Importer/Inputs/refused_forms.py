#===- refused_forms.py - Models of refused com.microsoft forms -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#===------------------------------------------------------------------------===//
"""Compiles a model of each row of the table of refusals, and compares the message with the row's reason.

  refused_forms.py SOURCE-FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper

SOURCE = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(SOURCE / "test"), str(SOURCE / "test/Microsoft"), str(SOURCE / "utils")]

import cases
import coverage
from run import make_model

# (operator, form): (the case that has all but the form, attributes that differ, operands that differ, number of outputs)
FORMS = {
    ("Attention", "do_rotary"): ("attention", {"do_rotary": 1}, {}),
    ("CausalConvWithState", "channels_last"): ("causal_conv", {"channels_last": 1}, {}),
    ("CausalConvWithState", "dilation"): ("causal_conv", {"dilation": 2}, {}),
    ("CausalConvWithState", "ndim"): ("causal_conv", {"ndim": 2}, {}),
    ("CausalConvWithState", "state_window"): ("causal_conv", {"state_window": 4}, {}),
    ("DecoderMaskedMultiHeadAttention", "cache_indirection"): ("step_crossed", {}, {9: np.zeros((1, 1, 4), np.int32)}),
    ("DynamicQuantizeLSTM", "activations"): ("qlstm", {"activations": ["Tanh"]}, {}),
    ("GatedRelativePositionBias", "token_offset"): ("bias_gated", {}, {6: np.zeros((1, 4), np.int32)}),
    ("GroupQueryAttention", "k_quant_type"): ("groups_step", {"k_quant_type": "PER_TENSOR"}, {}),
    ("GroupQueryAttention", "sliding_window_cache"): ("groups_step", {"sliding_window_cache": 1}, {}),
    ("LinearAttention", "kv_num_heads"): ("linear_attention", {"q_num_heads": 1, "kv_num_heads": 2}, {}),
    ("LinearAttention", "state_window"): ("linear_attention", {"state_window": 4}, {}),
    ("MRotaryEmbedding", "is_packed_batching"): ("rotate_sections_joined", {"is_packed_batching": 1}, {}),
    ("MRotaryEmbedding", "scale"): ("rotate_sections_joined", {"scale": 0.5}, {}),
    ("RotaryEmbedding", "scale"): ("rotate", {"scale": 0.5}, {}),
    ("MatMulNBits", "g_idx"): ("bits_4", {}, {4: np.zeros(64, np.int32)}),
    ("MatMulNBits", "weight_prepacked"): ("bits_4", {"weight_prepacked": 1}, {}),
    ("MoE", "experts"): ("experts_one", {}, {2: np.zeros((257, 24, 16), np.float32)}),
    ("MoE", "use_sparse_mixer"): ("experts_one", {"use_sparse_mixer": 1}, {}),
    ("MultiHeadAttention", "qk"): ("heads", {}, {}, 4),
    ("QAttention", "do_rotary"): ("qattention", {"do_rotary": 1}, {}),
    ("QMoE", "experts"): ("experts_bits_4", {}, {2: np.zeros((257, 24, 8), np.uint8)}),
    ("QMoE", "quant_type"): ("experts_bits_4", {"quant_type": "fp4"}, {}),
    ("QMoE", "use_sparse_mixer"): ("experts_bits_4", {"use_sparse_mixer": 1}, {}),
    ("QMoE", "weights_prepacked"): ("experts_bits_4", {"weights_prepacked": 1}, {}),
    ("Rfft", "signal_ndim"): ("rfft", {"signal_ndim": 2}, {}),
    ("Irfft", "signal_ndim"): ("irfft", {"signal_ndim": 2}, {}),
}


def form_model(base, attributes, operands, outputs=1):
    inputs = list(base.inputs) + [None] * (max(operands, default=0) + 1 - len(base.inputs))
    for number, value in operands.items():
        inputs[number] = value
    return make_model(base._replace(inputs=inputs, outputs=max(outputs, base.outputs), attributes={**base.attributes, **attributes}), "static")


def operator_model(name, domain):
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph([helper.make_node(name, ["x"], ["y"], "node", domain=domain)], "g", [x], [onnx.ValueInfoProto(name="y")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(domain, 1)], ir_version=10)


def main():
    known = {case.name: case for case in cases.all_cases()}
    rows = coverage.refusals()
    wrong = 0
    for name, form, reason in rows:
        if form:
            model = form_model(known[FORMS[name, form][0]], *FORMS[name, form][1:])
        elif "." in name:
            model = operator_model("Conv", name)
        else:
            model = operator_model(name, "com.microsoft")
        onnx.save(model, "refused.onnx")
        done = subprocess.run(["onnx-compile", "-q", "refused.onnx"], capture_output=True, text=True)
        if done.returncode != 1 or reason not in done.stderr or '"node"' not in done.stderr:
            wrong += 1
            print(f"{name} {form}: status {done.returncode}, wanted '{reason}', but got: {done.stderr}")
    missing = set(FORMS) - {(name, form) for name, form, _ in rows}
    print(f"{len(rows) - wrong} of {len(rows)} rows refused, forms without a row: {sorted(missing)}")


main()
