// RUN: %differential %s random hub isolated one-node empty
// RUN: %differential %s karate

// A softmax of each node's own features, whose rows are taken one by one (100) or
// several at a time (40, 23), with as many nodes as are left over. NaN and infinities
// are in some rows.

#row = affine_map<(i) -> (i)>
#column = affine_map<(i, f) -> (i)>
#element = affine_map<(i, f) -> (i, f)>

func.func @row_loops(%g: !gnn.graph<csr>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                         gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> (tensor<?x100xf32>, tensor<?x40xf32>, tensor<?x23xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %unit = arith.constant 1.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %numbers = tensor.empty(%n) : tensor<?xf32>
  %v = tensor.extract_slice %x[0, 1] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %empty100 = tensor.empty(%n) : tensor<?x100xf32>
  %rows100 = linalg.generic {indexing_maps = [#column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<?xf32>) outs(%empty100 : tensor<?x100xf32>) {
  ^bb0(%a: f32, %out: f32):
    %nan = arith.constant 0x7FC00000 : f32
    %inf = arith.constant 0x7F800000 : f32
    %neg = arith.constant 0xFF800000 : f32
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %five = arith.constant 5 : index
    %eleven = arith.constant 11 : index
    %i = linalg.index 0 : index
    %f = linalg.index 1 : index
    %whole = arith.index_cast %f : index to i32
    %number = arith.sitofp %whole : i32 to f32
    %turned = math.sin %number : f32
    %b = arith.mulf %a, %turned : f32
    %k = arith.remui %i, %eleven : index
    %isfifth = arith.cmpi eq, %f, %five : index
    %isrow1 = arith.cmpi eq, %k, %one : index
    %isrow2 = arith.cmpi eq, %k, %two : index
    %isrow3 = arith.cmpi eq, %k, %three : index
    %is1 = arith.andi %isrow1, %isfifth : i1
    %is2 = arith.andi %isrow2, %isfifth : i1
    %is3 = arith.andi %isrow3, %isfifth : i1
    %0 = arith.select %is1, %nan, %b : f32
    %1 = arith.select %is2, %inf, %0 : f32
    %2 = arith.select %is3, %neg, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x100xf32>
  %lowestp = linalg.fill ins(%low : f32) outs(%numbers : tensor<?xf32>) -> tensor<?xf32>
  %maxp = linalg.reduce {arith.maximumf} ins(%rows100 : tensor<?x100xf32>)
      outs(%lowestp : tensor<?xf32>) dimensions = [1]
  %weightsp = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows100, %maxp : tensor<?x100xf32>, tensor<?xf32>)
      outs(%empty100 : tensor<?x100xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x100xf32>
  %nonep = linalg.fill ins(%zero : f32) outs(%numbers : tensor<?xf32>) -> tensor<?xf32>
  %sump = linalg.reduce {arith.addf} ins(%weightsp : tensor<?x100xf32>)
      outs(%nonep : tensor<?xf32>) dimensions = [1]
  %factorp = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel"]}
      ins(%sump : tensor<?xf32>) outs(%numbers : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.divf %unit, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%weightsp, %factorp : tensor<?x100xf32>, tensor<?xf32>)
      outs(%empty100 : tensor<?x100xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x100xf32>
  %empty40 = tensor.empty(%n) : tensor<?x40xf32>
  %rows40 = linalg.generic {indexing_maps = [#column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<?xf32>) outs(%empty40 : tensor<?x40xf32>) {
  ^bb0(%a: f32, %out: f32):
    %nan = arith.constant 0x7FC00000 : f32
    %inf = arith.constant 0x7F800000 : f32
    %neg = arith.constant 0xFF800000 : f32
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %five = arith.constant 5 : index
    %eleven = arith.constant 11 : index
    %i = linalg.index 0 : index
    %f = linalg.index 1 : index
    %whole = arith.index_cast %f : index to i32
    %number = arith.sitofp %whole : i32 to f32
    %turned = math.sin %number : f32
    %b = arith.mulf %a, %turned : f32
    %k = arith.remui %i, %eleven : index
    %isfifth = arith.cmpi eq, %f, %five : index
    %isrow1 = arith.cmpi eq, %k, %one : index
    %isrow2 = arith.cmpi eq, %k, %two : index
    %isrow3 = arith.cmpi eq, %k, %three : index
    %is1 = arith.andi %isrow1, %isfifth : i1
    %is2 = arith.andi %isrow2, %isfifth : i1
    %is3 = arith.andi %isrow3, %isfifth : i1
    %0 = arith.select %is1, %nan, %b : f32
    %1 = arith.select %is2, %inf, %0 : f32
    %2 = arith.select %is3, %neg, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x40xf32>
  %lowestq = linalg.fill ins(%low : f32) outs(%numbers : tensor<?xf32>) -> tensor<?xf32>
  %maxq = linalg.reduce {arith.maximumf} ins(%rows40 : tensor<?x40xf32>)
      outs(%lowestq : tensor<?xf32>) dimensions = [1]
  %weightsq = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows40, %maxq : tensor<?x40xf32>, tensor<?xf32>)
      outs(%empty40 : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x40xf32>
  %noneq = linalg.fill ins(%zero : f32) outs(%numbers : tensor<?xf32>) -> tensor<?xf32>
  %sumq = linalg.reduce {arith.addf} ins(%weightsq : tensor<?x40xf32>)
      outs(%noneq : tensor<?xf32>) dimensions = [1]
  %factorq = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel"]}
      ins(%sumq : tensor<?xf32>) outs(%numbers : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.divf %unit, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%weightsq, %factorq : tensor<?x40xf32>, tensor<?xf32>)
      outs(%empty40 : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x40xf32>
  %empty23 = tensor.empty(%n) : tensor<?x23xf32>
  %rows23 = linalg.generic {indexing_maps = [#column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<?xf32>) outs(%empty23 : tensor<?x23xf32>) {
  ^bb0(%a: f32, %out: f32):
    %nan = arith.constant 0x7FC00000 : f32
    %inf = arith.constant 0x7F800000 : f32
    %neg = arith.constant 0xFF800000 : f32
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %five = arith.constant 5 : index
    %eleven = arith.constant 11 : index
    %i = linalg.index 0 : index
    %f = linalg.index 1 : index
    %whole = arith.index_cast %f : index to i32
    %number = arith.sitofp %whole : i32 to f32
    %turned = math.sin %number : f32
    %b = arith.mulf %a, %turned : f32
    %k = arith.remui %i, %eleven : index
    %isfifth = arith.cmpi eq, %f, %five : index
    %isrow1 = arith.cmpi eq, %k, %one : index
    %isrow2 = arith.cmpi eq, %k, %two : index
    %isrow3 = arith.cmpi eq, %k, %three : index
    %is1 = arith.andi %isrow1, %isfifth : i1
    %is2 = arith.andi %isrow2, %isfifth : i1
    %is3 = arith.andi %isrow3, %isfifth : i1
    %0 = arith.select %is1, %nan, %b : f32
    %1 = arith.select %is2, %inf, %0 : f32
    %2 = arith.select %is3, %neg, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x23xf32>
  %lowestr = linalg.fill ins(%low : f32) outs(%numbers : tensor<?xf32>) -> tensor<?xf32>
  %maxr = linalg.reduce {arith.maximumf} ins(%rows23 : tensor<?x23xf32>)
      outs(%lowestr : tensor<?xf32>) dimensions = [1]
  %weightsr = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows23, %maxr : tensor<?x23xf32>, tensor<?xf32>)
      outs(%empty23 : tensor<?x23xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x23xf32>
  %noner = linalg.fill ins(%zero : f32) outs(%numbers : tensor<?xf32>) -> tensor<?xf32>
  %sumr = linalg.reduce {arith.addf} ins(%weightsr : tensor<?x23xf32>)
      outs(%noner : tensor<?xf32>) dimensions = [1]
  %factorr = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel"]}
      ins(%sumr : tensor<?xf32>) outs(%numbers : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.divf %unit, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%weightsr, %factorr : tensor<?x23xf32>, tensor<?xf32>)
      outs(%empty23 : tensor<?x23xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x23xf32>
  return %p, %q, %r : tensor<?x100xf32>, tensor<?x40xf32>, tensor<?x23xf32>
}
