"""Writes the references of models compiled with --precision=bf16.

    generate.py

For models of ../Layers, FOLDER/expected.npz has what they compute if the factors
of every matrix product are rounded to bfloat16 and all else is exact: products
and everything between them in float64. Attention rounds the exponentials of
differences to the largest score of a destination, which holds for graphs of
which one tile sees all sources, as those below. Needs NumPy, safetensors.
"""

import pathlib

import numpy as np
import safetensors.numpy

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = HERE.parent / "Layers"
GRAPHS = HERE.parent / "Inputs" / "graphs"
NAMES = ("karate", "hub", "random", "isolated", "one-node", "empty")


def rounded(x):
    """To bfloat16, to nearest, ties to even, as float64."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def linear(x, weights, name):
    product = rounded(x) @ rounded(weights[f"{name}.weight"]).T
    return product + weights[f"{name}.bias"]


def attention(x, weights, name, heads):
    """torch.nn.MultiheadAttention of all nodes."""
    width = x.shape[1] // heads
    projected = rounded(x) @ rounded(weights[f"{name}.in_proj_weight"]).T
    projected += weights[f"{name}.in_proj_bias"]
    q, k, v = (part.reshape(len(x), heads, width)
               for part in np.split(projected, 3, axis=1))
    if not len(x):
        return linear(x, weights, f"{name}.out_proj")
    scores = np.einsum("ihd,jhd->hij", rounded(q), rounded(k)) / np.sqrt(width)
    weight = np.exp(scores - scores.max(-1, keepdims=True))
    total = np.einsum("hij,jhd->ihd", rounded(weight), rounded(v))
    mean = total / weight.sum(-1).T[..., None]
    return linear(mean.reshape(x.shape), weights, f"{name}.out_proj")


def norm(x, weights, name):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear_wide(x, w):
    return linear(np.maximum(linear(x, w, "hidden"), 0), w, "y")


def multihead_attention(x, w):
    return attention(linear(x, w, "proj"), w, "y", heads=4)


def encoder(x, w):
    x = linear(x, w, "proj")
    x = norm(x + attention(x, w, "y.self_attn", heads=4), w, "y.norm1")
    hidden = np.maximum(linear(x, w, "y.linear1"), 0)
    return norm(x + linear(hidden, w, "y.linear2"), w, "y.norm2")


def main():
    for name, model in (("linear-wide", linear_wide),
                        ("multiheadattention", multihead_attention),
                        ("encoder", encoder)):
        weights = safetensors.numpy.load_file(
            LAYERS / name / "model.safetensors")
        expected = {}
        for graph in NAMES:
            x = np.load(GRAPHS / f"{graph}.npz")["x"]
            expected[f"{graph}/y"] = model(x, weights).astype(np.float32)
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        np.savez(folder / "expected.npz", **expected)


if __name__ == "__main__":
    main()
