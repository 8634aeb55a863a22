//===- GNNTypes.td - Graph and edge types ------------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNTYPES_TD
#define GNN_DIALECT_GNN_GNNTYPES_TD

include "gnn/Dialect/GNN/GNNDialect.td"
include "mlir/IR/AttrTypeBase.td"

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def GNN_Topology : I32EnumAttr<"Topology", "which edges a graph has", [
    I32EnumAttrCase<"CSR", 0, "csr">,
    I32EnumAttrCase<"Complete", 1, "complete">,
    I32EnumAttrCase<"Causal", 2, "causal">,
    I32EnumAttrCase<"Window", 3, "window">,
    I32EnumAttrCase<"BlockDiagonal", 4, "block_diagonal">,
    I32EnumAttrCase<"COO", 5, "coo">
  ]> {
  let cppNamespace = "::gnn";
}

def GNN_Aggregator : I32EnumAttr<"Aggregator", "reduction over in-edges", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Mul", 4, "mul">,
    I32EnumAttrCase<"Var", 5, "var">,
    I32EnumAttrCase<"Std", 6, "std">,
    I32EnumAttrCase<"Softmax", 7, "softmax">
  ]> {
  let cppNamespace = "::gnn";
  let genSpecializedAttr = 0;
}

def GNN_AggregatorAttr : EnumAttr<GNN_Dialect, GNN_Aggregator, "aggregator"> {
  let assemblyFormat = "`<` $value `>`";
}

def GNN_AggregatorArrayAttr
    : TypedArrayAttrBase<GNN_AggregatorAttr, "list of aggregators">;

def GNN_NodeSide : I32EnumAttr<"NodeSide", "one end of the edges", [
    I32EnumAttrCase<"Destination", 0, "dst">,
    I32EnumAttrCase<"Source", 1, "src">
  ]> {
  let cppNamespace = "::gnn";
}

def GNN_SelfLoopMode : I32EnumAttr<"SelfLoopMode",
    "what becomes of the self loops a graph already has", [
    I32EnumAttrCase<"Keep", 0, "keep">,
    I32EnumAttrCase<"Replace", 1, "replace">,
    I32EnumAttrCase<"Reuse", 2, "reuse">
  ]> {
  let cppNamespace = "::gnn";
}

def GNN_Normalization : I32EnumAttr<"Normalization",
    "how the scores of a destination's in-edges become weights", [
    I32EnumAttrCase<"Softmax", 0, "softmax">,
    I32EnumAttrCase<"Sum", 1, "sum">
  ]> {
  let cppNamespace = "::gnn";
  let genSpecializedAttr = 0;
}

def GNN_NormalizationAttr
    : EnumAttr<GNN_Dialect, GNN_Normalization, "normalization"> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class GNN_Type<string name, string typeMnemonic>
    : TypeDef<GNN_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def GNN_GraphType : GNN_Type<"GNNGraph", "graph"> {
  let summary = "a graph; its topology is part of the type";
  let description = [{
    ```
    graph    ::= `!gnn.graph` `<` topology (`,` property)* `>`
    topology ::= `csr` | `coo` | `complete` | `causal` | `window` `<` int `>`
               | `block_diagonal`
    property ::= `bipartite` | `symmetric` | `self_loops` | `sorted` | `i32` | `i64`
    ```

    | topology | edges, and their order |
    |---|---|
    | `csr` | listed: row pointers per destination and a source per edge; CSR order |
    | `coo` | listed: a destination and a source per edge, in any order |
    | `complete` | every source to every destination, destination-major |
    | `causal` | sources `0..i` to destination `i` |
    | `window<w>` | sources `j` with `|i - j| <= w` to destination `i` |
    | `block_diagonal` | complete within each of a list of segments |

    Properties are promises the compiler may rely on: `symmetric` (as many edges
    `i -> j` as `j -> i`), `self_loops` (every node has exactly one), `sorted`
    (sources do not descend within a row). Without `bipartite` sources
    and destinations are the same nodes. `i32` (the default) or `i64` is the
    type of stored indices. Numbers of nodes and edges are dynamic.
  }];
  let parameters = (ins
    "Topology":$topology,
    "int64_t":$window,
    "bool":$bipartite,
    "bool":$symmetric,
    "bool":$selfLoops,
    "bool":$sorted,
    "unsigned":$indexWidth
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    TypeBuilder<(ins "Topology":$topology, CArg<"int64_t", "0">:$window,
                     CArg<"bool", "false">:$bipartite,
                     CArg<"bool", "false">:$symmetric,
                     CArg<"bool", "false">:$selfLoops,
                     CArg<"bool", "false">:$sorted,
                     CArg<"unsigned", "32">:$indexWidth), [{
      return $_get($_ctxt, topology, window, bipartite, symmetric, selfLoops,
                   sorted, indexWidth);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Edges are stored (csr, coo) rather than implied by the type.
    bool isListed() const {
      return getTopology() == Topology::CSR || getTopology() == Topology::COO;
    }
    /// The sources of a row are one range: everything but csr and coo.
    bool hasContiguousRows() const { return !isListed(); }
    /// Edge values have the layout tensor<destinations x sources x ...>.
    bool hasDenseEdges() const {
      return getTopology() == Topology::Complete ||
             getTopology() == Topology::Causal ||
             getTopology() == Topology::Window;
    }
    ::mlir::IntegerType getIndexType() const {
      return ::mlir::IntegerType::get(getContext(), getIndexWidth());
    }
    /// Types of the values a graph of this type is made of, see make_graph.
    ::llvm::SmallVector<::mlir::Type> getPartTypes() const;
    /// The same graph type with another promise about self loops.
    GNNGraphType withSelfLoops(bool selfLoops) const;
  }];
}

def GNN_EdgesType : GNN_Type<"Edges", "edges"> {
  let summary = "a value per edge whose layout is not decided yet";
  let description = [{
    `!gnn.edges<8x64xf32>` holds an `8x64` array of `f32` for every edge of some
    graph. It becomes `tensor<?x?x8x64xf32>` on a dense topology and
    `tensor<?x8x64xf32>` in edge order on a listed one, or disappears by fusion.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The tensor that holds these values for `graph`.
    ::mlir::RankedTensorType getTensorType(GNNGraphType graph) const;
  }];
}

#endif // GNN_DIALECT_GNN_GNNTYPES_TD
