# ===- hub.py - More exported models of transformers -------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""More models of transformers: images, sound, series, and texts with unusual attention."""

import torch
import transformers
from language import SMALL, TEXT, TEXTS, decoder, encoder, logits, tokens
from rows import DYNAMO, SCRIPT, Call, Row, image, normal

SIGHT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32, "patch_size": 8}
PIXELS = {"pixel_values": {0: "batch"}}
PIXELS_AND_SIZES = {"pixel_values": {0: "batch", 2: "height", 3: "width"}}
BATCHES = [{"batch": 2}, {"batch": 1}, {"batch": 5}]


def pixels(batch, height=32, width=32):
    return {"pixel_values": image(batch, height, width)["image"]}


def made(kind, head, config, names, pick, **more):
    settings = getattr(transformers, f"{kind}Config")(**config)
    return Call(getattr(transformers, f"{kind}{head}")(settings), names, pick, return_dict=True, **more)


def hidden(result):
    return result.last_hidden_state


def seeing(name, kind, head="Model", pick=hidden, sizes=None, **config):
    """A model of images; with `sizes` also height and width are open."""
    axes = PIXELS_AND_SIZES if sizes else PIXELS
    return Row(name, lambda: made(kind, head, SIGHT | config, ["pixel_values"], pick), pixels, sizes or BATCHES, axes)


def reading(name, kind, head="Model", pick=hidden, exporters=(SCRIPT, DYNAMO), sizes=TEXTS, **config):
    return Row(name, lambda: encoder(kind, config, head, pick, None), tokens, sizes, TEXT, exporters=exporters)


def series(batch, length=48):
    return {"past_values": normal(batch, length, 3)}


PATCHES = {"num_input_channels": 3, "context_length": 48, "patch_length": 8, "patch_stride": 4, "prediction_length": 6}


def forecasting(name, kind, **config):
    def make():
        return made(kind, "ForPrediction", PATCHES | config, ["past_values"], lambda r: r.prediction_outputs)

    return Row(name, make, series, BATCHES, {"past_values": {0: "batch"}}, exporters=(DYNAMO,))


def wave(batch, length):
    return {"input_values": normal(batch, length)}


def spectrum(batch, length):
    return {"spectrogram": normal(batch, length, 20)}


def vocoder():
    config = transformers.SpeechT5HifiGanConfig(
        model_in_dim=20,
        upsample_initial_channel=32,
        upsample_rates=[4, 4],
        upsample_kernel_sizes=[8, 7],
        resblock_kernel_sizes=[3, 5],
        resblock_dilation_sizes=[[1, 3], [1, 2]],
    )
    return Call(transformers.SpeechT5HifiGan(config), ["spectrogram"], lambda r: r)


IMAGES = [{"batch": 2, "height": 64, "width": 96}, {"batch": 1, "height": 96, "width": 64}]
SOUNDS = [{"batch": 2, "length": 800}, {"batch": 1, "length": 1234}]
SEGFORMER = {
    "hidden_sizes": [16, 32],
    "depths": [1, 1],
    "num_encoder_blocks": 2,
    "sr_ratios": [4, 2],
    "patch_sizes": [7, 3],
    "strides": [4, 2],
    "num_attention_heads": [1, 2],
    "mlp_ratios": [2, 2],
    "decoder_hidden_size": 32,
    "num_labels": 7,
}

ROWS = [
    seeing("dinov2", "Dinov2", sizes=IMAGES),
    seeing("beit", "Beit"),
    seeing("deit", "DeiT"),
    seeing("siglip", "SiglipVision", pick=lambda r: (r.last_hidden_state, r.pooler_output)),
    seeing("yolos", "Yolos", "ForObjectDetection", lambda r: (r.logits, r.pred_boxes), num_detection_tokens=6, image_size=[32, 32]),
    seeing(
        "mobilevit",
        "MobileViT",
        "ForImageClassification",
        logits,
        hidden_sizes=[24, 32, 40],
        neck_hidden_sizes=[8, 12, 16, 24, 32, 40, 48],
        image_size=64,
        patch_size=2,
    ),
    Row(
        "segformer",
        lambda: made("Segformer", "ForSemanticSegmentation", SEGFORMER, ["pixel_values"], logits),
        pixels,
        IMAGES,
        PIXELS_AND_SIZES,
    ),
    seeing(
        "poolformer", "PoolFormer", "ForImageClassification", logits, sizes=IMAGES, hidden_sizes=[16, 24, 32, 40], depths=[1, 1, 1, 1]
    ),
    seeing("mobilenet-v1", "MobileNetV1", "ForImageClassification", logits, sizes=IMAGES, depth_multiplier=0.25),
    seeing(
        "resnet-hub",
        "ResNet",
        "ForImageClassification",
        logits,
        sizes=IMAGES,
        embedding_size=16,
        hidden_sizes=[16, 32, 48, 64],
        depths=[1, 1, 1, 1],
    ),
    reading("fnet", "FNet", exporters=(DYNAMO,)),
    reading("convbert", "ConvBert", embedding_size=32),
    reading("squeezebert", "SqueezeBert", embedding_size=64),
    reading("mobilebert", "MobileBert", true_hidden_size=32, intra_bottleneck_size=32, embedding_size=32, num_attention_heads=4),
    reading("ibert", "IBert"),
    reading("xlm", "XLM", emb_dim=64, n_layers=2, n_heads=4),
    reading("mamba", "Mamba", exporters=(SCRIPT,), state_size=8, sizes=[{"batch": 2, "length": 6}, {"batch": 1, "length": 6}]),
    decoder("GPTJ", 4, n_embd=64, n_layer=2, n_head=4, rotary_dim=8, n_positions=130),
    decoder("GPTNeo", 4, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=16),
    decoder("CodeGen", 4, n_embd=64, n_layer=2, n_head=4, rotary_dim=8, n_positions=130),
    decoder("StableLm", 2, num_key_value_heads=2, partial_rotary_factor=0.5),
    decoder("Gemma2", 2, num_key_value_heads=2, head_dim=16, sliding_window=512),
    decoder("Phi3", 2, num_key_value_heads=2, pad_token_id=0),
    decoder("Cohere", 2, exporters=(DYNAMO,), num_key_value_heads=2),
    decoder("Granite", 2, num_key_value_heads=2),
    decoder("Starcoder2", 2, num_key_value_heads=2),
    decoder("Olmo2", 2, num_key_value_heads=2),
    decoder("Mistral", 2, num_key_value_heads=2, sliding_window=16),
    decoder("Glm", 2, exporters=(DYNAMO,), num_key_value_heads=2, head_dim=16, pad_token_id=0),
    decoder("SmolLM3", 2, num_key_value_heads=2, pad_token_id=0),
    forecasting("patch-tst", "PatchTST", d_model=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64),
    forecasting("patch-tsmixer", "PatchTSMixer", d_model=16, num_layers=2),
    Row(
        "hubert",
        lambda: made(
            "Hubert",
            "Model",
            SMALL
            | {
                "conv_dim": (32, 32),
                "conv_stride": (5, 4),
                "conv_kernel": (10, 8),
                "num_conv_pos_embeddings": 16,
                "num_conv_pos_embedding_groups": 4,
                "apply_spec_augment": False,
                "feat_extract_norm": "layer",
                "do_stable_layer_norm": True,
            },
            ["input_values"],
            hidden,
        ),
        wave,
        SOUNDS,
        {"input_values": {0: "batch", 1: "length"}},
    ),
    Row(
        "hifi-gan", vocoder, spectrum, [{"batch": 2, "length": 10}, {"batch": 1, "length": 33}], {"spectrogram": {0: "batch", 1: "length"}}
    ),
]
