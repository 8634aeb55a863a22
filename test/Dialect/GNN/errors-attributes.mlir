// RUN: gnn-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{unknown attribute 'gnn.color'; the gnn dialect knows 'gnn.model' and 'gnn.layers' on functions}}
func.func private @f() attributes {gnn.color = "red"}

// -----

// expected-error @+1 {{'gnn.model' belongs on a function}}
module attributes {gnn.model = "m"} {}

// -----

// expected-error @+1 {{'gnn.model' must be a string}}
func.func private @f() attributes {gnn.model = 1}

// -----

// expected-error @+1 {{'gnn.layers' must be an array of strings}}
func.func private @f() attributes {gnn.layers = "linear"}

// -----

// expected-error @+1 {{'gnn.layers' must be an array of strings}}
func.func private @f() attributes {gnn.layers = ["linear", 2]}

// -----

// expected-error @+1 {{'gnn.emulated_kernel' belongs on a function}}
module attributes {gnn.emulated_kernel} {}

// -----

// expected-error @+1 {{'gnn.kernels' belongs on a module}}
func.func private @f() attributes {gnn.kernels = []}

// -----

// expected-error @+1 {{'gnn.kernels' must be an array of kernels, each with its 'name' and 'shared_bytes'}}
module attributes {gnn.kernels = [{name = "k"}]} {}

// -----

// expected-error @+1 {{'gnn.device_image' must be a string}}
module attributes {gnn.device_image = 3} {}

// -----

// expected-error @+1 {{'gnn.name' must be a string}}
func.func private @f(tensor<?xf32> {gnn.name = 1})

// -----

// expected-error @+1 {{'gnn.axis' must be "source", "destination", "edge" or "any"}}
func.func private @f(tensor<?xf32> {gnn.axis = "row"})

// -----

// expected-error @+1 {{'gnn.axis' must be "source", "destination", "edge" or "any"}}
func.func private @f() -> (tensor<?xf32> {gnn.axis = 0})

// -----

// expected-error @+1 {{'gnn.graph' must be an integer}}
func.func private @f() -> (tensor<?xf32> {gnn.graph = "first"})

// -----

// expected-error @+1 {{'gnn.node_types' must be an array of one or two strings}}
func.func private @f(!gnn.graph<csr> {gnn.node_types = ["a", "b", "c"]})

// -----

// expected-error @+1 {{'gnn.path' must be an array of 32-bit integers}}
func.func private @f(!gnn.graph<csr> {gnn.path = [0, 1]})

// -----

// expected-error @+1 {{unknown attribute 'gnn.color'; arguments and results know 'gnn.name', 'gnn.axis', 'gnn.graph', 'gnn.node_types' and 'gnn.path'}}
func.func private @f(tensor<?xf32> {gnn.color = "red"})

// -----

// expected-error @+1 {{'gnn.weight' must be a constant of the argument's type}}
func.func private @f(tensor<2xf32> {gnn.weight = dense<1.0> : tensor<3xf32>})

// -----

// expected-error @+1 {{unknown attribute 'gnn.model'; arguments and results know 'gnn.name', 'gnn.axis', 'gnn.graph', 'gnn.node_types' and 'gnn.path'}}
func.func private @f() -> (tensor<?xf32> {gnn.model = "m"})

// -----

// expected-error @+1 {{'gnn.limit' must be an integer from 1 to 2147483647}}
func.func private @f(tensor<?xi32> {gnn.limit = 0 : i64})

// -----

// expected-error @+1 {{'gnn.limit' must be an integer from 1 to 2147483647}}
func.func private @f(tensor<?xi32> {gnn.limit = "many"})

// -----

// expected-error @+1 {{'gnn.limit' must have limits from 1 to 2147483647}}
func.func private @f(tensor<?x2xi32> {gnn.limit = array<i32: 3, 0>})

// -----

// expected-error @+1 {{'gnn.limit' with 2 limits belongs on a tensor of i32 or i64 with so many columns, but argument 0 is 'tensor<?x3xi32>'}}
func.func private @f(tensor<?x3xi32> {gnn.limit = array<i32: 3, 4>})

// -----

// expected-error @+1 {{'gnn.limit' belongs on a graph or a tensor of i32 or i64, but argument 1 is 'tensor<?xf32>'}}
func.func private @f(tensor<?xi32>, tensor<?xf32> {gnn.limit = 3 : i64})

// -----

// expected-error @+1 {{'gnn.columns' must be an integer from 1 to 2147483647}}
func.func private @f(!gnn.graph<csr, bipartite> {gnn.columns = 0 : i64})

// -----

// expected-error @+1 {{'gnn.columns' must be an integer from 1 to 2147483647}}
func.func private @f(!gnn.graph<csr, bipartite> {gnn.columns = "x"})

// -----

// expected-error @+1 {{'gnn.columns' belongs on a bipartite csr graph, but argument 0 is '!gnn.graph<csr>'}}
func.func private @f(!gnn.graph<csr> {gnn.columns = 9 : i64})

// -----

// expected-error @+1 {{'gnn.columns' belongs on a bipartite csr graph, but argument 1 is 'tensor<?xf32>'}}
func.func private @f(!gnn.graph<csr>, tensor<?xf32> {gnn.columns = 9 : i64})

// -----

func.func @bounded_sum(%g: !gnn.graph<csr>, %v: tensor<?xf32>, %b: i1)
    -> tensor<?xf32> {
  // expected-error @+1 {{'gnn.attention' op 'bounded' belongs to a softmax}}
  %y = gnn.attention %g
    score src(%v : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    value src(%v : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    bounded(%b)
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>,
     normalization = #gnn.normalization<sum>}
    : !gnn.graph<csr> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @normalization(%g: !gnn.graph<csr>, %v: tensor<?xf32>)
    -> tensor<?xf32> {
  %y = gnn.attention %g
    score src(%v : tensor<?xf32>) {
    ^bb0(%s: f32):
      gnn.yield %s : f32
    }
    value src(%v : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    // expected-error @+1 {{'gnn.attention' op attribute 'normalization' failed to satisfy constraint}}
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>,
     normalization = "sum"}
    : !gnn.graph<csr> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @never_positive(%x: f32) -> f32 {
  // expected-error @+1 {{'gnn.never_positive' belongs on math.exp or math.exp2}}
  %0 = math.tanh %x {gnn.never_positive} : f32
  return %0 : f32
}

// -----

func.func @bounded(%x: f32) -> f32 {
  // expected-error @+1 {{'gnn.bounded' belongs on math.exp or math.exp2}}
  %0 = math.tanh %x {gnn.bounded} : f32
  return %0 : f32
}

// -----

func.func @by_rows(%x: f32) -> f32 {
  // expected-error @+1 {{'gnn.by_rows' belongs on gnn.attention}}
  %0 = math.log %x {gnn.by_rows} : f32
  return %0 : f32
}

// -----

func.func @unit_interval(%x: f32) -> f32 {
  // expected-error @+1 {{'gnn.unit_interval' belongs on math.log1p}}
  %0 = math.log %x {gnn.unit_interval} : f32
  return %0 : f32
}

// -----

func.func @never_positive_value(%x: f32) -> f32 {
  // expected-error @+1 {{'gnn.never_positive' takes no value}}
  %0 = math.exp %x {gnn.never_positive = true} : f32
  return %0 : f32
}

// -----

func.func @ignores_nan(%x: f32) -> f32 {
  // expected-error @+1 {{'gnn.ignores_nan' takes no value}}
  %0 = arith.maximumf %x, %x {gnn.ignores_nan = true} : f32
  return %0 : f32
}

// -----

func.func @any_row_order(%n: index) {
  // expected-error @+1 {{'gnn.any_row_order' takes no value}}
  scf.forall (%i) in (%n) {
  } {gnn.any_row_order = 1}
  return
}

// -----

// expected-error @+1 {{'gnn.fixed' must be "graph" or "weight"}}
func.func private @f(tensor<?xi32> {gnn.fixed = "input"})

// -----

// expected-error @+1 {{'gnn.fixed' must be "graph" or "weight"}}
func.func private @f(tensor<?xi32> {gnn.fixed})

// -----

// expected-error @+1 {{'gnn.preparations' must be an array of functions, each with its 'function', 'inputs', 'ranks' and 'bytes'}}
func.func private @f() attributes {gnn.preparations = [{function = "g"}]}
