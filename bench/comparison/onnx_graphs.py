"""Graphs for ONNX Runtime, written op by op."""

import numpy as np


def session(nodes, inputs, outputs, threads, weights=(), domains=(),
            dtypes=None):
    """Makes a session of nodes; inputs and outputs are float32 unless `dtypes`
    says so. Where onnx or onnxruntime is not installed this raises, and the row
    says so."""
    from onnx import helper, numpy_helper

    def value(name, shape):
        dtype = np.dtype((dtypes or {}).get(name, np.float32))
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(dtype), shape)

    graph = helper.make_graph(
        nodes, "bench", [value(*i) for i in inputs], [value(*o) for o in outputs],
        [numpy_helper.from_array(array, name) for name, array in weights])
    opsets = [helper.make_opsetid("", 17)]
    opsets += [helper.make_opsetid(domain, 1) for domain in domains]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return open_session(model.SerializeToString(), threads)


def open_session(model, threads):
    """A session that does not keep a processor busy between runs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return onnxruntime.InferenceSession(model, options,
                                        providers=["CPUExecutionProvider"])


def matmul_session(weight, threads):
    from onnx import helper
    return session(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        [("x", [None, weight.shape[0]])], [("y", [None, weight.shape[1]])],
        threads, [("w", weight)])


def attention_session(heads, width, threads):
    """softmax(q k^T / sqrt(width)) v on [1, heads, nodes, width]; the keys
    come transposed."""
    from onnx import helper
    scale = np.array(width**-0.5, np.float32)
    nodes = [helper.make_node("Mul", ["q", "scale"], ["scaled"]),
             helper.make_node("MatMul", ["scaled", "k"], ["scores"]),
             helper.make_node("Softmax", ["scores"], ["weights"], axis=-1),
             helper.make_node("MatMul", ["weights", "v"], ["y"])]
    shape = [1, heads, None, width]
    return session(nodes, [("q", shape), ("k", [1, heads, width, None]),
                           ("v", shape)], [("y", shape)], threads,
                   [("scale", scale)])


def batched_attention_session(heads, width, threads):
    """The same op on [graphs, nodes, heads * width], of each graph the first
    `lengths` keys."""
    from onnx import helper
    shape = [None, None, heads * width]
    node = helper.make_node("MultiHeadAttention", ["q", "k", "v", "", "lengths"],
                            ["y"], domain="com.microsoft", num_heads=heads)
    return session([node], [*((name, shape) for name in "qkv"), ("lengths", [None])],
                   [("y", shape)], threads, domains=["com.microsoft"],
                   dtypes={"lengths": np.int32})


def fused_attention_session(heads, width, threads, causal=False, biased=False):
    """ONNX Runtime's own op, on [1, nodes, heads * width]; `bias`, which is added
    to scores, is [1, 1, nodes, nodes]."""
    from onnx import helper
    shape = [1, None, heads * width]
    inputs = [(name, shape) for name in "qkv"]
    names = ["q", "k", "v"]
    if biased:
        inputs.append(("bias", [1, 1, None, None]))
        names += ["", "", "bias"]  # of projections, and a mask of keys
    node = helper.make_node("MultiHeadAttention", names, ["y"],
                            domain="com.microsoft", num_heads=heads,
                            unidirectional=int(causal))
    return session([node], inputs, [("y", shape)], threads,
                   domains=["com.microsoft"])
