"""A sentence encoder of MiniLM's shape: 6 layers, 12 heads of 32."""

import numpy as np
import torch

from .measure import OURS, Candidate, aligned, attempt
from .onnx_graphs import session

LAYERS, WIDTH, HEADS, INNER = 6, 384, 12, 1536
NAMES = [f"layer{i}" for i in range(LAYERS)]


def description(name, graph, names=NAMES):
    return {"name": name, "graph": graph,
            "inputs": [{"name": "x", "channels": WIDTH}],
            "layers": [{"name": layer, "type": "TransformerEncoderLayer",
                        "d_model": WIDTH, "nhead": HEADS,
                        "dim_feedforward": INNER, "activation": "gelu"}
                       for layer in names]}


class Encoder(torch.nn.Module):
    def __init__(self, names=NAMES):
        super().__init__()
        self.names = names
        for name in names:
            self.add_module(name, torch.nn.TransformerEncoderLayer(
                WIDTH, HEADS, INNER, activation="gelu", batch_first=True))

    def forward(self, x, padding=None):
        for name in self.names:
            x = getattr(self, name)(x, src_key_padding_mask=padding)
        return x


class Plain(torch.nn.Module):
    """The same, of ops that can be traced."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, x, bias):
        from torch.nn.functional import (gelu, linear,
                                         scaled_dot_product_attention)
        for name in self.encoder.names:
            layer = getattr(self.encoder, name)
            attention = layer.self_attn
            q, k, v = (part.unflatten(2, (HEADS, -1)).transpose(1, 2)
                       for part in linear(x, attention.in_proj_weight,
                                          attention.in_proj_bias).chunk(3, 2))
            y = scaled_dot_product_attention(q, k, v, attn_mask=bias)
            y = attention.out_proj(y.transpose(1, 2).flatten(2))
            x = layer.norm1(x + y)
            x = layer.norm2(x + layer.linear2(gelu(layer.linear1(x))))
        return x


def onnx_session(encoder, threads):
    """The same, of ONNX Runtime's fused ops."""
    from onnx import helper
    nodes, weights = [], []
    state = {key: value.numpy() for key, value in encoder.state_dict().items()}

    def node(op, inputs, output, domain="com.microsoft", **attributes):
        outputs = [output] if isinstance(output, str) else output
        nodes.append(helper.make_node(op, inputs, outputs, domain=domain,
                                      **attributes))

    def weight(name, array):
        weights.append((name, np.ascontiguousarray(array)))
        return name

    x = "x"
    for layer in NAMES:
        def get(key):
            return weight(f"{layer}.{key}", state[f"{layer}.{key}"])

        def product(value, key, array):
            node("MatMul", [value, weight(f"{layer}.{key}^T", array.T)],
                 f"{layer}.{key}.out", domain="")
            return f"{layer}.{key}.out"

        parts = np.split(state[f"{layer}.self_attn.in_proj_weight"], 3)
        qkv = [product(x, name, part) for name, part in zip("qkv", parts)]
        node("MultiHeadAttention",
             [*qkv, get("self_attn.in_proj_bias"), "mask"], f"{layer}.mha",
             num_heads=HEADS)
        y = product(f"{layer}.mha", "proj",
                    state[f"{layer}.self_attn.out_proj.weight"])
        node("SkipLayerNormalization",
             [x, y, get("norm1.weight"), get("norm1.bias"),
              get("self_attn.out_proj.bias")], f"{layer}.middle", epsilon=1e-5)
        y = product(f"{layer}.middle", "up", state[f"{layer}.linear1.weight"])
        node("BiasGelu", [y, get("linear1.bias")], f"{layer}.gelu")
        y = product(f"{layer}.gelu", "down", state[f"{layer}.linear2.weight"])
        x = f"{layer}.y"
        node("SkipLayerNormalization",
             [f"{layer}.middle", y, get("norm2.weight"), get("norm2.bias"),
              get("linear2.bias")], x, epsilon=1e-5)
    return session(nodes, [("x", [None, None, WIDTH]), ("mask", [None, None])],
                   [(x, [None, None, WIDTH])], threads, weights,
                   ["com.microsoft"], {"mask": np.int32}), x


def openvino_request(encoder, x, bias, threads, precision="f32"):
    import openvino
    model = openvino.convert_model(Plain(encoder), example_input=(x, bias))
    compiled = openvino.Core().compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision,
        "NUM_STREAMS": 1})
    request = compiled.create_infer_request()
    inputs = [x.numpy(), bias.numpy()]
    return lambda: request.infer(inputs)[compiled.output(0)]


class Sentences:
    """An encoder and sentences of these lengths, as rows and padded."""

    def __init__(self, measurement, lengths):
        torch.manual_seed(0)
        self.encoder = Encoder().eval()
        self.lengths = lengths
        self.is_alone = len(lengths) == 1
        self.library = measurement.library
        longest, total = max(lengths), sum(lengths)
        self.x = aligned(np.random.default_rng(0).standard_normal(
            (total, WIDTH), np.float32))
        self.there = np.arange(longest) < np.asarray(lengths)[:, None]
        self.padded = aligned(np.zeros((len(lengths), longest, WIDTH),
                                       np.float32))
        self.padded[self.there] = self.x
        self.tensor = torch.from_numpy(self.padded)
        self.padding = torch.from_numpy(~self.there)
        self.bias = torch.zeros(len(lengths), 1, 1, longest).masked_fill(
            self.padding[:, None, None, :], -1e9)

    def ours(self, precision="f32"):
        model = self.library.model(
            description(f"encoder-{len(self.lengths)}-{precision}",
                        "complete" if self.is_alone else "block_diagonal"),
            self.encoder.state_dict(), [f"--precision={precision}"])
        graph = (self.library.complete(len(self.x)) if self.is_alone
                 else self.library.blocks(self.lengths))
        return Candidate(*model.bind([graph], [self.x]))

    def of(self, run):
        """A candidate that computes padded rows, of which those are compared
        that are there."""
        return Candidate(run, lambda: np.asarray(run())[self.there])


def candidates(measurement, lengths):
    threads = measurement.threads
    batch = Sentences(measurement, lengths)
    encoder, tensor, bias, of = batch.encoder, batch.tensor, batch.bias, batch.of

    def onnx():
        run, name = onnx_session(encoder, threads)
        feed = {"x": batch.padded, "mask": batch.there.astype(np.int32)}
        return of(lambda: run.run([name], feed)[0])

    def onnx_one_by_one():
        run, name = onnx_session(encoder, threads)
        feeds = [{"x": part[None], "mask": np.ones((1, len(part)), np.int32)}
                 for part in np.split(batch.x, np.cumsum(lengths)[:-1])]
        return Candidate(
            lambda: [run.run([name], feed)[0] for feed in feeds],
            lambda: np.concatenate(
                [run.run([name], feed)[0][0] for feed in feeds]))

    def compiled():
        torch._dynamo.reset()
        run = torch.compile(Plain(encoder))
        return of(lambda: run(tensor, bias))

    result = {
        OURS: batch.ours(),
        "PyTorch eager": of(lambda: encoder(
            tensor, None if batch.is_alone else batch.padding)),
        "ONNX Runtime": attempt(onnx),
        "OpenVINO": attempt(
            lambda: of(openvino_request(encoder, tensor, bias, threads))),
        "torch.compile": attempt(compiled),
    }
    if not batch.is_alone:
        result["ONNX Runtime, one by one"] = attempt(onnx_one_by_one)
    return result


def mixed_lengths():
    return [int(n) for n in np.random.default_rng(0).integers(8, 129, 32)]


@torch.inference_mode()
def rows(measurement, quick):
    mixed = mixed_lengths()
    for count in [128] if quick else [8, 16, 32, 64, 128, 512]:
        yield measurement.row("encoder", f"1 x {count}",
                              lambda count=count: candidates(measurement, [count]))
    if not quick:
        yield measurement.row(
            "encoder", f"32 of 8 to 128 ({sum(mixed)} tokens)",
            lambda: candidates(measurement, mixed))
