"""Writes the checkpoints of these tests, and what Transformers makes of them.

    bench/setup-venv.sh --transformers .venv
    .venv/bin/python test/EndToEnd/Checkpoint/generate.py [--minilm FOLDER]
        [VARIANT...]

  Inputs/sentences.npz     numbers of words, of sentences of different lengths
  VARIANT/                 a folder as Transformers or Sentence Transformers
                           saves it, with random weights ...
  VARIANT/expected.npz     ... and its outputs, each sentence run alone
  MiniLM/                  the same of all-MiniLM-L6-v2, which --minilm names
                           and which is not part of the repository

Weights are drawn from numpy generators seeded by the variant's name, so a rerun
writes the same bytes. The script asserts that a padded batch of all sentences
gives the same rows.
"""

import argparse
import json
import pathlib
import zlib

import numpy as np
import safetensors.torch
import torch
import transformers

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
         "intermediate_size": 24, "vocab_size": 50,
         "max_position_embeddings": 20}
DISTILBERT = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24,
              "vocab_size": 50, "max_position_embeddings": 20}

# Class, config, and what Sentence Transformers does with the rows.
VARIANTS = {
    "bert": ("BertModel", {"hidden_size": 32, "intermediate_size": 40}, None),
    "bert-no-pooler": ("BertModel", {"hidden_act": "gelu_new"}, None),
    "bert-head": ("BertForMaskedLM", {"hidden_act": "relu",
                                      "layer_norm_eps": 0.01}, None),
    "bert-old-norms": ("BertModel", {"num_hidden_layers": 1}, None),
    "bert-one-type": ("BertModel", {"type_vocab_size": 1}, None),
    "roberta": ("RobertaModel", {"type_vocab_size": 1, "pad_token_id": 1},
                None),
    "xlm-roberta-head": ("XLMRobertaForMaskedLM",
                         {"pad_token_id": 3, "hidden_act": "silu"}, None),
    "distilbert": ("DistilBertModel", {}, None),
    "mpnet": ("MPNetModel", {"max_position_embeddings": 160}, None),
    "mpnet-head": ("MPNetForMaskedLM", {
        "num_hidden_layers": 1, "relative_attention_num_buckets": 40}, None),
    "sentence-mean": ("BertModel", {}, ["mean"]),
    "sentence-all": ("BertModel", {}, ["cls", "max", "mean"]),
    "sentence-list": ("BertModel", {"num_hidden_layers": 1},
                      ["lasttoken", "weightedmean", "mean_sqrt_len_tokens",
                       "cls"]),
}
NO_POOLER = {"bert-no-pooler"}
# The first versions had other names for the weights of norms.
OLD_NORMS = {"bert-old-norms"}
# Older versions gave the encoder a folder of its own.
OWN_FOLDER = {"sentence-all"}
NORMALIZED = {"sentence-mean"}
# Newer ones list the modes, in the order of their results.
LISTED = {"sentence-list"}
# Their own numbers of padding would move positions.
COUNT_PADDING = {"roberta", "xlm-roberta-head", "mpnet", "mpnet-head"}
# Farther apart than the distances that biases tell apart.
LONG = {"mpnet"}


def rng(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def make_sentences(name, sizes):
    r = rng(name)
    return {
        "input_ids": r.integers(0, 50, sum(sizes)).astype(np.int64),
        "token_type_ids": r.integers(0, 2, sum(sizes)).astype(np.int64),
        "batch": np.repeat(np.arange(len(sizes)), sizes).astype(np.int64),
    }


def make_model(name, kind, config):
    model_class = getattr(transformers, kind)
    config_class = model_class.config_class
    sizes = DISTILBERT if "DistilBert" in kind else SIZES
    config = config_class(**{**sizes, **config})
    extra = {"add_pooling_layer": False} if name in NO_POOLER else {}
    model = model_class(config, **extra).eval()
    r = rng("weights " + name)
    for key, tensor in sorted(model.named_parameters()):
        value = r.standard_normal(tensor.shape)
        if "LayerNorm.weight" in key or "layer_norm.weight" in key:
            value = 1 + 0.3 * value
        elif tensor.dim() > 1 and "embeddings" not in key:
            value = 1.5 * value / tensor.shape[-1]**0.5
        else:
            value = 0.5 * value
        tensor.copy_(torch.from_numpy(np.asarray(value)))
    return model


def pool(rows, mode):
    weights = torch.arange(1, len(rows) + 1)[:, None]
    return {"cls": rows[0], "lasttoken": rows[-1], "max": rows.amax(0),
            "mean": rows.mean(0),
            "mean_sqrt_len_tokens": rows.sum(0) / len(rows)**0.5,
            "weightedmean": (weights * rows).sum(0) / weights.sum()}[mode]


def run(model, sentences, pools, normalizes):
    """The outputs of an encoder on all sentences, one after the other."""
    batch = sentences["batch"]
    takes_types = (not hasattr(model.config, "dim") and
                   getattr(model.config, "type_vocab_size", 1) > 1)
    names = ["input_ids"] + ["token_type_ids"] * takes_types
    rows, poolers = [], []
    for number in range(batch[-1] + 1):
        one = {name: torch.from_numpy(sentences[name][batch == number])[None]
               for name in names}
        result = model(**one)
        rows.append(result.last_hidden_state[0])
        if getattr(result, "pooler_output", None) is not None:
            poolers.append(result.pooler_output[0])
    check_padded(model, sentences, names, rows)
    if pools is None:
        arrays = {"last_hidden_state": torch.cat(rows)}
        if poolers:
            arrays["pooler_output"] = torch.stack(poolers)
        return arrays
    result = torch.stack([torch.cat([pool(r, mode) for mode in pools])
                          for r in rows])
    if normalizes:
        result = torch.nn.functional.normalize(result)
    return {"sentence_embedding": result}


def check_padded(model, sentences, names, rows):
    """As one would run it: all sentences as long as the longest, and a mask."""
    batch = sentences["batch"]
    sizes = np.bincount(batch)
    padding = getattr(model.config, "pad_token_id", 0) or 0
    mask = torch.zeros(len(sizes), sizes.max(), dtype=torch.int64)
    padded = {name: torch.full(mask.shape, padding if name == "input_ids" else
                               0) for name in names}
    for number, size in enumerate(sizes):
        mask[number, :size] = 1
        for name in names:
            padded[name][number, :size] = torch.from_numpy(
                sentences[name][batch == number])
    # Where words of a sentence have the number of padding, RoBERTa gives them
    # no position.
    position = {}
    if model.config.model_type in ("roberta", "xlm-roberta", "mpnet"):
        position["position_ids"] = (torch.arange(sizes.max()) + padding + 1
                                    ).expand(mask.shape)
    result = model(**padded, **position,
                   attention_mask=mask).last_hidden_state
    for number, one in enumerate(rows):
        difference = (result[number, :len(one)] - one).abs().max()
        assert difference < 1e-4 * one.abs().max(), difference


def describe_pooling(pools, lists_modes):
    if lists_modes:
        return {"embedding_dimension": 16, "pooling_mode": pools,
                "include_prompt": True}
    keys = {"cls": "cls_token", "mean": "mean_tokens", "max": "max_tokens"}
    return {"word_embedding_dimension": 16,
            **{f"pooling_mode_{key}": mode in pools
               for mode, key in keys.items()},
            "pooling_mode_mean_sqrt_len_tokens": False}


def write_modules(folder, pools, normalizes, lists_modes, encoder):
    """What Sentence Transformers adds to a folder."""
    module = "sentence_transformers.models."
    steps = [("", "Transformer"), ("1_Pooling", "Pooling")]
    steps += [("2_Normalize", "Normalize")] * normalizes
    (folder / "modules.json").write_text(json.dumps(
        [{"idx": i, "name": str(i), "path": path or encoder,
          "type": module + kind}
         for i, (path, kind) in enumerate(steps)], indent=2) + "\n")
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(
        describe_pooling(pools, lists_modes), indent=2) + "\n")


def write_variant(name):
    kind, settings, pools = VARIANTS[name]
    graph, sizes = (("sentences-long", [150, 2]) if name in LONG else
                    ("sentences", [6, 1, 14, 3]))
    sentences = make_sentences(graph, sizes)
    if name in COUNT_PADDING:
        sentences["input_ids"] = np.maximum(sentences["input_ids"], 5)
        graph += "" if name in LONG else "-roberta"
    model = make_model(name, kind, settings)
    folder = HERE / name
    encoder = "0_Transformer" if name in OWN_FOLDER else ""
    (folder / encoder).mkdir(parents=True, exist_ok=True)
    config = json.loads(model.config.to_json_string())
    drop = ("transformers_version", "dtype", "torch_dtype")
    (folder / encoder / "config.json").write_text(json.dumps(
        {k: v for k, v in config.items() if k not in drop}, indent=2) + "\n")
    # One name for weights that are the same: that of the encoder, not its head.
    seen, state = set(), {}
    for key, tensor in sorted(model.state_dict().items(),
                              key=lambda item: "embeddings" not in item[0]):
        if tensor.data_ptr() not in seen:
            state[key] = tensor.contiguous()
        seen.add(tensor.data_ptr())
    if name in OLD_NORMS:
        state = {key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"): tensor
            for key, tensor in state.items()}
    safetensors.torch.save_file(state, folder / encoder / "model.safetensors",
                                metadata={"format": "pt"})
    read = type(model).from_pretrained(folder / encoder).state_dict()
    assert all(torch.equal(read[key], tensor)
               for key, tensor in model.state_dict().items())
    if pools:
        write_modules(folder, pools, name in NORMALIZED, name in LISTED,
                      encoder)
    base = getattr(model, "base_model", model)
    arrays = run(base, sentences, pools, name in NORMALIZED)
    assert all(torch.isfinite(v).all() for v in arrays.values())
    np.savez_compressed(HERE / "Inputs" / f"{graph}.npz", **sentences)
    np.savez_compressed(folder / "expected.npz",
                        **{f"{graph}/{k}": v.numpy()
                           for k, v in arrays.items()})
    (folder / "run.test").write_text(
        f"// RUN: %check-model --graphs %S/../Inputs %S\n// {kind}"
        f"{', pooled by ' + ', '.join(pools) if pools else ''}, against "
        "Transformers.\n")


MINILM = [
    "A graph is a set of nodes and a set of edges between them.",
    "Networks of points, and of the lines that connect these points.",
    "Bake the bread for forty minutes.",
    "Hello",
    "The baker says that the loaf has to stay in the oven for most of an hour, "
    "until its crust is dark and it sounds hollow when one knocks on it.",
]


def write_minilm(path):
    path = pathlib.Path(path)
    import tokenizers
    tokenizer = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
    tokenizer.no_padding()
    encoded = [tokenizer.encode(text) for text in MINILM]
    sentences = {
        "input_ids": np.concatenate([e.ids for e in encoded]).astype(np.int64),
        "token_type_ids": np.concatenate([e.type_ids for e in encoded]
                                         ).astype(np.int64),
        "batch": np.repeat(np.arange(len(encoded)),
                           [len(e.ids) for e in encoded]).astype(np.int64),
    }
    model = transformers.BertModel.from_pretrained(path).eval()
    arrays = run(model, sentences, ["mean"], True)
    folder = HERE / "MiniLM"
    folder.mkdir(exist_ok=True)
    np.savez_compressed(folder / "sentences.npz", **sentences)
    np.savez_compressed(folder / "expected.npz",
                        **{k: v.numpy() for k, v in arrays.items()})


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minilm", help="folder of all-MiniLM-L6-v2")
    parser.add_argument("variants", nargs="*", default=list(VARIANTS),
                        help="what to write (default: all)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    (HERE / "Inputs").mkdir(exist_ok=True)
    for name in arguments.variants:
        write_variant(name)
    if arguments.minilm:
        write_minilm(arguments.minilm)


if __name__ == "__main__":
    main()
