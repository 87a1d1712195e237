# ===- language.py - Exported models of text and speech ----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Models of text and speech: encoders, decoders with the keys and values of earlier tokens, recurrent networks."""

import torch
import torch.nn.functional as F
import transformers
from rows import DYNAMO, SCRIPT, Call, Row, integers, mask_of, normal
from torch import nn
from transformers import DynamicCache, EncoderDecoderCache

SMALL = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 96,
    "vocab_size": 200,
    "max_position_embeddings": 130,
}
TEXT = {"input_ids": {0: "batch", 1: "length"}, "attention_mask": {0: "batch", 1: "length"}}
TEXTS = [{"batch": 2, "length": 12}, {"batch": 1, "length": 33}, {"batch": 4, "length": 7}]


def tokens(batch, length):
    return {"input_ids": integers(200, batch, length, low=3), "attention_mask": mask_of(batch, length)}


def encoder(kind, config, head="Model", pick=lambda r: r.last_hidden_state, attention="sdpa", **more):
    """An encoder of transformers, called with identifiers and mask."""
    made = getattr(transformers, f"{kind}Config")(**(SMALL | config))
    if attention:
        made._attn_implementation = attention
    return Call(getattr(transformers, f"{kind}{head}")(made), ["input_ids", "attention_mask"], pick, return_dict=True, **more)


def logits(result):
    return result.logits


# --- decoders with a cache ---------------------------------------------------


class Cached(nn.Module):
    """A decoder that takes and gives keys and values as tensors: tokens, mask, then a pair for each layer."""

    def __init__(self, model, layers=2):
        super().__init__()
        self.model, self.layers = model, layers

    def forward(self, input_ids, attention_mask, *past):
        cache = DynamicCache([(past[2 * i], past[2 * i + 1]) for i in range(self.layers)])
        result = self.model(input_ids=input_ids, attention_mask=attention_mask, past_key_values=cache, use_cache=True, return_dict=True)
        return (result.logits, *(t for layer in result.past_key_values.layers for t in (layer.keys, layer.values)))


def cached(kind, head="ForCausalLM", **config):
    made = getattr(transformers, f"{kind}Config")(**(SMALL | config))
    made._attn_implementation = "eager"
    return Cached(getattr(transformers, f"{kind}{head}")(made))


def past_inputs(heads, width=16):
    def draw(batch, length, past):
        made = {"input_ids": integers(200, batch, length, low=3), "attention_mask": mask_of(batch, past + length)}
        for layer in range(2):
            made |= {f"past.{layer}.{what}": normal(batch, heads, past, width) for what in ("key", "value")}
        return made

    return draw


PAST = {"input_ids": {0: "batch", 1: "length"}, "attention_mask": {0: "batch", 1: "total"}} | {
    f"past.{layer}.{what}": {0: "batch", 2: "past"} for layer in range(2) for what in ("key", "value")
}
# A first call, with nothing in the cache, must not be what exporters see: they would take its size for a constant.
PASTS = [
    {"batch": 2, "length": 3, "past": 8},
    {"batch": 1, "length": 1, "past": 21},
    {"batch": 2, "length": 9, "past": 0},
    {"batch": 3, "length": 1, "past": 64},
]


def gpt2():
    return cached("GPT2", "LMHeadModel", n_embd=64, n_layer=2, n_head=4, n_positions=130, n_inner=96)


def decoder(kind, heads=4, make=None, exporters=(SCRIPT, DYNAMO), **config):
    return Row(kind.lower(), make or (lambda: cached(kind, **config)), past_inputs(heads), PASTS, PAST, exporters=exporters)


# --- encoders with decoders --------------------------------------------------


def t5_config(**more):
    return transformers.T5Config(
        vocab_size=200,
        d_model=64,
        d_kv=16,
        d_ff=96,
        num_layers=2,
        num_heads=4,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=20,
        decoder_start_token_id=0,
        **more,
    )


def t5_encoder():
    return Call(transformers.T5EncoderModel(t5_config()), ["input_ids", "attention_mask"], lambda r: r.last_hidden_state, return_dict=True)


class Decoder(nn.Module):
    """The decoder of an encoder-decoder: keys and values of the text so far, and of the encoder's result."""

    def __init__(self, model, layers=2):
        super().__init__()
        self.model, self.layers = model, layers

    def forward(self, decoder_input_ids, attention_mask, encoder_hidden_states, *past):
        own = DynamicCache([(past[4 * i], past[4 * i + 1]) for i in range(self.layers)])
        cross = DynamicCache([(past[4 * i + 2], past[4 * i + 3]) for i in range(self.layers)])
        cache = EncoderDecoderCache(own, cross)
        mask = {} if attention_mask is None else {"attention_mask": attention_mask}
        result = self.model(
            decoder_input_ids=decoder_input_ids,
            encoder_outputs=(encoder_hidden_states,),
            past_key_values=cache,
            use_cache=True,
            return_dict=True,
            **mask,
        )
        return (result.logits, *(t for layer in result.past_key_values.self_attention_cache.layers for t in (layer.keys, layer.values)))


class Whisper(nn.Module):
    """As Decoder, without a mask."""

    def __init__(self, model):
        super().__init__()
        self.decoder = Decoder(model)

    def forward(self, decoder_input_ids, encoder_hidden_states, *past):
        return self.decoder(decoder_input_ids, None, encoder_hidden_states, *past)


def decoder_inputs(batch, past, source, masked=True):
    made = {"decoder_input_ids": integers(200, batch, 1, low=3)}
    if masked:
        made["attention_mask"] = mask_of(batch, source)
    made["encoder_hidden_states"] = normal(batch, source, 64)
    for layer in range(2):
        made |= {f"past.{layer}.{what}": normal(batch, 4, past, 16) for what in ("key", "value")}
        made |= {f"cross.{layer}.{what}": normal(batch, 4, source, 16) for what in ("key", "value")}
    return made


DECODING = {
    "decoder_input_ids": {0: "batch"},
    "attention_mask": {0: "batch", 1: "source"},
    "encoder_hidden_states": {0: "batch", 1: "source"},
}
for _layer in range(2):
    DECODING |= {f"past.{_layer}.{what}": {0: "batch", 2: "past"} for what in ("key", "value")}
    DECODING |= {f"cross.{_layer}.{what}": {0: "batch", 2: "source"} for what in ("key", "value")}
STEPS = [{"batch": 2, "past": 5, "source": 12}, {"batch": 1, "past": 17, "source": 9}, {"batch": 3, "past": 2, "source": 30}]


def t5_decoder():
    return Decoder(transformers.T5ForConditionalGeneration(t5_config()))


LAYERS_OF_BOTH = {"vocab_size": 200, "d_model": 64} | {
    f"{side}_{what}": size
    for side in ("encoder", "decoder")
    for what, size in {"layers": 2, "attention_heads": 4, "ffn_dim": 96}.items()
}


def bart_config():
    return transformers.BartConfig(**LAYERS_OF_BOTH, max_position_embeddings=80)


def whisper_config():
    return transformers.WhisperConfig(
        **LAYERS_OF_BOTH,
        num_mel_bins=20,
        max_source_positions=50,
        max_target_positions=60,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )


def whisper_encoder():
    model = transformers.WhisperModel(whisper_config())
    return Call(model.encoder, ["input_features"], lambda r: r.last_hidden_state, return_dict=True)


def wav2vec():
    config = transformers.Wav2Vec2Config(
        vocab_size=40,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        conv_dim=(32, 32, 32),
        conv_stride=(5, 4, 2),
        conv_kernel=(10, 8, 4),
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
        apply_spec_augment=False,
    )
    return Call(transformers.Wav2Vec2ForCTC(config), ["input_values"], logits, return_dict=True)


def clip():
    text = {
        "vocab_size": 200,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": 40,
        "eos_token_id": 199,
        "bos_token_id": 0,
        "pad_token_id": 1,
    }
    sight = {
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": 32,
        "patch_size": 8,
    }
    model = transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=sight, projection_dim=48))
    return Call(
        model,
        ["input_ids", "attention_mask", "pixel_values"],
        lambda r: (r.logits_per_image, r.text_embeds, r.image_embeds),
        return_dict=True,
    )


def clip_inputs(texts, length, images):
    return tokens(texts, length) | {"pixel_values": torch.rand(images, 3, 32, 32)}


# --- recurrent networks ------------------------------------------------------


class Tagger(nn.Module):
    """Bidirectional recurrent layers over sentences of several lengths."""

    def __init__(self, kind, packed=True):
        super().__init__()
        self.embed, self.packed = nn.Embedding(200, 32), packed
        self.layers = kind(32, 48, 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(96, 9)

    def forward(self, text, lengths):
        x = self.embed(text)
        if self.packed:
            x = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y, _ = self.layers(x)
        if self.packed:
            y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
        valid = torch.arange(y.shape[1])[None] < lengths[:, None]
        return F.log_softmax(self.out(y), -1) * valid[..., None]


class Generator(nn.Module):
    """One direction, with the state going in and out."""

    def __init__(self, kind):
        super().__init__()
        self.embed, self.layers, self.out = nn.Embedding(200, 32), kind(32, 64, 2), nn.Linear(64, 200)

    def forward(self, text, *state):
        y, after = self.layers(self.embed(text), state[0] if len(state) == 1 else state)
        return (self.out(y), *(after if isinstance(after, tuple) else (after,)))


def sentences(batch, length):
    return {"text": integers(200, batch, length), "lengths": torch.tensor([length - 2 * row for row in range(batch)])}


def generation(batch, length, states=2):
    return {"text": integers(200, length, batch)} | {f"state.{i}": normal(2, batch, 64) for i in range(states)}


def one_state(batch, length):
    return generation(batch, length, 1)


SENTENCES = [{"batch": 3, "length": 11}, {"batch": 1, "length": 20}, {"batch": 2, "length": 5}]
TAGGED = {"text": {0: "batch", 1: "length"}, "lengths": {0: "batch"}}
GENERATED = {"text": {0: "length", 1: "batch"}, "state.0": {1: "batch"}, "state.1": {1: "batch"}}
GENERATED_1 = {"text": {0: "length", 1: "batch"}, "state.0": {1: "batch"}}
AUDIO = [{"batch": 2, "length": 800}, {"batch": 1, "length": 1234}]


def audio(batch, length):
    return {"input_values": normal(batch, length)}


def spectrogram(batch):
    return {"input_features": normal(batch, 20, 100)}


def decoder_unmasked(batch, past, source):
    return decoder_inputs(batch, past, source, masked=False)


ROWS = [
    Row("bert", lambda: encoder("Bert", {}, pick=lambda r: (r.last_hidden_state, r.pooler_output)), tokens, TEXTS, TEXT, opset=14),
    Row(
        "bert-qa",
        lambda: encoder("Bert", {}, "ForQuestionAnswering", lambda r: (r.start_logits, r.end_logits), "eager"),
        tokens,
        TEXTS,
        TEXT,
        opset=13,
    ),
    Row("roberta", lambda: encoder("Roberta", {"pad_token_id": 1}, "ForSequenceClassification", logits), tokens, TEXTS, TEXT, opset=14),
    Row(
        "distilbert",
        lambda: encoder("DistilBert", {"dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 96}, "ForTokenClassification", logits),
        tokens,
        TEXTS,
        TEXT,
    ),
    Row("albert", lambda: encoder("Albert", {"embedding_size": 32}), tokens, TEXTS, TEXT),
    Row("electra", lambda: encoder("Electra", {"embedding_size": 32}, "ForMaskedLM", logits), tokens, TEXTS, TEXT),
    Row("mpnet", lambda: encoder("MPNet", {}, attention=None), tokens, TEXTS, TEXT),
    Row(
        "deberta",
        lambda: encoder(
            "DebertaV2",
            {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 16, "max_relative_positions": 32},
            attention=None,
        ),
        tokens,
        TEXTS,
        TEXT,
    ),
    Row(
        "modernbert",
        lambda: encoder(
            "ModernBert",
            {"local_attention": 8, "global_attn_every_n_layers": 2, "pad_token_id": 0, "cls_token_id": 1, "sep_token_id": 2},
            "ForMaskedLM",
            logits,
            "eager",
        ),
        tokens,
        TEXTS,
        TEXT,
    ),
    decoder("GPT2", make=gpt2),
    decoder("Llama", 2, num_key_value_heads=2),
    decoder("Qwen2", 2, num_key_value_heads=2, use_sliding_window=False),
    decoder("Qwen3", 2, num_key_value_heads=2, head_dim=16),
    decoder("Gemma", 1, num_key_value_heads=1, head_dim=16),
    decoder("Phi", 4, partial_rotary_factor=0.5),
    decoder("GPTNeoX", 4),
    decoder("OPT", 4, ffn_dim=96, word_embed_proj_dim=64),
    decoder("Falcon", 1, multi_query=True, new_decoder_architecture=False),
    decoder("Bloom", 4, n_layer=2, n_head=4),
    Row("t5-encoder", t5_encoder, tokens, TEXTS, TEXT, opset=14),
    Row("t5-decoder", t5_decoder, decoder_inputs, STEPS, DECODING, opset=14),
    Row(
        "bart-encoder",
        lambda: Call(
            transformers.BartModel(bart_config()).encoder, ["input_ids", "attention_mask"], lambda r: r.last_hidden_state, return_dict=True
        ),
        tokens,
        TEXTS,
        TEXT,
    ),
    Row("bart-decoder", lambda: Decoder(transformers.BartForConditionalGeneration(bart_config())), decoder_inputs, STEPS, DECODING),
    Row("whisper-encoder", whisper_encoder, spectrogram, [{"batch": 2}, {"batch": 1}], {"input_features": {0: "batch"}}),
    Row(
        "whisper-decoder",
        lambda: Whisper(transformers.WhisperForConditionalGeneration(whisper_config())),
        decoder_unmasked,
        STEPS,
        {k: v for k, v in DECODING.items() if k != "attention_mask"},
    ),
    Row("wav2vec2", wav2vec, audio, AUDIO, {"input_values": {0: "batch", 1: "length"}}),
    Row(
        "clip",
        clip,
        clip_inputs,
        [{"texts": 3, "length": 8, "images": 2}, {"texts": 1, "length": 13, "images": 4}],
        {"input_ids": {0: "texts", 1: "length"}, "attention_mask": {0: "texts", 1: "length"}, "pixel_values": {0: "images"}},
    ),
    Row("lstm-tagger", lambda: Tagger(nn.LSTM), sentences, SENTENCES, TAGGED, opset=13, exporters=("script",)),
    Row("gru-tagger", lambda: Tagger(nn.GRU, False), sentences, SENTENCES, TAGGED, opset=14),
    Row("lstm-generator", lambda: Generator(nn.LSTM), generation, SENTENCES, GENERATED, opset=13),
    Row("gru-generator", lambda: Generator(nn.GRU), one_state, SENTENCES, GENERATED_1, opset=13),
]
