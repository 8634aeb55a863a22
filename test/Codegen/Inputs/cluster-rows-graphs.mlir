  // Graphs to prepare, as a part of the module that the pass has made.

  // Even and odd nodes, each with an edge from all others of its kind.
  func.func @even_and_odd() -> (index, index, tensor<?xi32>, index,
                                tensor<?xi32>, tensor<?xi32>) {
    %pointer = arith.constant dense<[0, 3, 6, 9, 12, 15, 18, 21, 24]> : tensor<9xi32>
    %columns = arith.constant dense<[2, 4, 6, 3, 5, 7, 0, 4, 6, 1, 5, 7,
                                     0, 2, 6, 1, 3, 7, 0, 2, 4, 1, 3, 5]> : tensor<24xi32>
    %p = tensor.cast %pointer : tensor<9xi32> to tensor<?xi32>
    %c = tensor.cast %columns : tensor<24xi32> to tensor<?xi32>
    %r:6 = func.call @sum.prepare_graphs(%p, %c) : (tensor<?xi32>, tensor<?xi32>)
      -> (index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>)
    return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>
  }

  // A ring: each node has edges from itself and the one before.
  func.func @ring() -> (index, index, tensor<?xi32>, index, tensor<?xi32>,
                        tensor<?xi32>) {
    %pointer = arith.constant dense<[0, 1, 3, 5, 7, 9]> : tensor<6xi32>
    %columns = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4]> : tensor<9xi32>
    %p = tensor.cast %pointer : tensor<6xi32> to tensor<?xi32>
    %c = tensor.cast %columns : tensor<9xi32> to tensor<?xi32>
    %r:6 = func.call @sum.prepare_graphs(%p, %c) : (tensor<?xi32>, tensor<?xi32>)
      -> (index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>)
    return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>
  }

  // More sources than destinations, each with three edges from anywhere.
  func.func @no_communities() -> (index, index, tensor<?xi32>, index,
                                  tensor<?xi32>, tensor<?xi32>) {
    %pointer = arith.constant dense<[0, 3, 6, 9, 12, 15, 18]> : tensor<7xi32>
    %columns = arith.constant dense<[6, 8, 0, 4, 7, 3, 4, 7, 2,
                                     3, 2, 7, 2, 1, 4, 4, 2, 7]> : tensor<18xi32>
    %p = tensor.cast %pointer : tensor<7xi32> to tensor<?xi32>
    %c = tensor.cast %columns : tensor<18xi32> to tensor<?xi32>
    %r:6 = func.call @sum.prepare_graphs(%p, %c) : (tensor<?xi32>, tensor<?xi32>)
      -> (index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>)
    return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>
  }

  // Nodes without an edge.
  func.func @no_edges() -> (index, index, tensor<?xi32>, index, tensor<?xi32>,
                            tensor<?xi32>) {
    %c0_i32 = arith.constant 0 : i32
    %none = arith.constant 0 : index
    %six = arith.constant 6 : index
    %empty = tensor.empty(%six) : tensor<?xi32>
    %p = linalg.fill ins(%c0_i32 : i32) outs(%empty : tensor<?xi32>) -> tensor<?xi32>
    %c = tensor.empty(%none) : tensor<?xi32>
    %r:6 = func.call @sum.prepare_graphs(%p, %c) : (tensor<?xi32>, tensor<?xi32>)
      -> (index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>)
    return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : index, index, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>
  }
