"""Variants of attention whose edges have relations."""

from .common import ATTR, GRAPHS, X, variant
from .heterogeneous import NUMBERED, RELATIONS

KIND = {"name": "edge_type", "channels": [], "per": "edge", "dtype": "int64"}
PRODUCTS = {"attention_mode": "multiplicative-self-attention"}


def rgat(name, shows, inputs=(X,), **args):
    if ATTR in inputs:
        args |= {"edge_dim": 3, "edge_attr": "edge_attr"}
    variant(f"rgatconv{name}", shows,
            {"name": "y", "type": "RGATConv", "in_channels": 6, "out_channels": 4,
             "num_relations": RELATIONS, "edge_type": "edge_type", **args},
            inputs=(*inputs, KIND),
            graphs={f"relations-{g}": NUMBERED[f"relations-{g}"] for g in GRAPHS})


rgat("", "RGATConv with its defaults")
rgat("-heads", "RGATConv of several heads, with attributes", inputs=(X, ATTR),
     heads=3, negative_slope=0.1)
rgat("-mean", "RGATConv, the mean over heads", heads=2, concat=False)
rgat("-bases", "RGATConv whose matrices have bases", heads=2, num_bases=3,
     bias=False)
rgat("-blocks", "RGATConv whose matrices are blocks, which no head is as wide as",
     heads=3, num_blocks=2)
rgat("-within", "RGATConv with a softmax for each relation", heads=2,
     attention_mechanism="within-relation")
rgat("-products", "RGATConv with products for scores, of several dimensions",
     heads=2, dim=3, **PRODUCTS)
rgat("-products-edges", "Products with attributes, the mean over heads, within "
     "relations", inputs=(X, ATTR), heads=3, dim=2, concat=False,
     attention_mechanism="within-relation", **PRODUCTS)
for mod in ("additive", "scaled", "f-additive", "f-scaled"):
    rgat(f"-{mod}", f"RGATConv, mod {mod}", heads=2, mod=mod)
rgat("-products-scaled", "RGATConv with products, mod scaled", heads=2, dim=2,
     mod="scaled", **PRODUCTS)
rgat("-products-additive", "RGATConv with products, mod additive", heads=2, dim=2,
     mod="additive", **PRODUCTS)
