// RUN: gnn-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{unknown topology 'ring'; expected csr, coo, complete, causal, window<W> or block_diagonal}}
func.func private @f(!gnn.graph<ring>)

// -----

// expected-error @+1 {{unknown graph property 'directed'; expected bipartite, symmetric, self_loops, sorted, i32 or i64}}
func.func private @f(!gnn.graph<csr, directed>)

// -----

// expected-error @+1 {{the window must be at least 0 and at most 2147483647, got -1}}
func.func private @f(!gnn.graph<window<-1>>)

// -----

// expected-error @+1 {{the window must be at least 0 and at most 2147483647, got 2147483648}}
func.func private @f(!gnn.graph<window<2147483648>>)

// -----

// A window graph says how wide.
// expected-error @+1 {{expected '<'}}
func.func private @f(!gnn.graph<window>)

// -----

// expected-error @+1 {{a bipartite graph cannot be symmetric}}
func.func private @f(!gnn.graph<csr, bipartite, symmetric>)

// -----

// expected-error @+1 {{a bipartite graph has no self loops}}
func.func private @f(!gnn.graph<complete, bipartite, self_loops>)

// -----

// expected-error @+1 {{a causal graph compares positions of the same nodes and cannot be bipartite}}
func.func private @f(!gnn.graph<causal, bipartite>)

// -----

// expected-error @+1 {{a window graph compares positions of the same nodes and cannot be bipartite}}
func.func private @f(!gnn.graph<window<1>, bipartite>)

// -----

// expected-error @+1 {{a causal graph cannot be symmetric}}
func.func private @f(!gnn.graph<causal, symmetric>)

// -----

// expected-error @+1 {{an edge holds floats or signless integers, got 'index'}}
func.func private @f(!gnn.edges<2xindex>)

// -----

// expected-error @+1 {{expected static shape}}
func.func private @f(!gnn.edges<?xf32>)
