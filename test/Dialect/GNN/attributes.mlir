// RUN: gnn-opt %s | gnn-opt | FileCheck %s

// What a model function says about itself and its arguments.

// CHECK-LABEL: func.func @model(
// CHECK-SAME: %{{.*}}: !gnn.graph<csr> {gnn.name = "graph"},
// CHECK-SAME: %{{.*}}: tensor<?x4xf32> {gnn.axis = "source", gnn.graph = 0 : i64, gnn.name = "x"})
// CHECK-SAME: -> (tensor<?x4xf32> {gnn.axis = "destination", gnn.graph = 0 : i64, gnn.name = "y"})
// CHECK-SAME: attributes {gnn.layers = ["identity"], gnn.model = "example"}
func.func @model(%g: !gnn.graph<csr> {gnn.name = "graph"},
                 %x: tensor<?x4xf32>
                   {gnn.name = "x", gnn.axis = "source", gnn.graph = 0})
    -> (tensor<?x4xf32>
          {gnn.name = "y", gnn.axis = "destination", gnn.graph = 0})
    attributes {gnn.model = "example", gnn.layers = ["identity"]} {
  return %x : tensor<?x4xf32>
}

// A sparse matrix: its rows are the nodes of another graph.
// CHECK-LABEL: func.func private @matrix(
// CHECK-SAME: !gnn.graph<csr, bipartite> {gnn.axis = "destination", gnn.columns = 9 : i64, gnn.graph = 0 : i64}
func.func private @matrix(!gnn.graph<csr>,
    !gnn.graph<csr, bipartite>
      {gnn.columns = 9, gnn.axis = "destination", gnn.graph = 0})
