// RUN: gnn-opt %s --gnn-serialize-small-loops="minimum-work=1000 awake-work=150 move-work=1" | FileCheck %s

// Two ops and the yield in the body: 334 iterations reach 1000.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[N:.*]]: index
func.func @rows(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[RANGE:.*]] = arith.subi %[[N]], %{{.*}} : index
  // CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[RANGE]], %{{.*}} : index
  // CHECK: %[[TRIPS:.*]] = arith.muli %{{.*}}, %[[COUNT]] : index
  // CHECK: %[[ENOUGH:.*]] = arith.constant 334 : index
  // CHECK: %[[IF:.*]] = arith.cmpi sge, %[[TRIPS]], %[[ENOUGH]] : index
  // CHECK: omp.parallel if(%[[IF]])
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A loop in the body counts as often as it runs, a vector of 32 as two.
// CHECK-LABEL: func.func @nested(
func.func @nested(%n: index, %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %zero = arith.constant 0.0 : f32
  // 50 * (2 + 1 + 1) + 1 = 201
  // CHECK: arith.constant 5 : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.for %j = %c0 to %c50 step %c1 {
          %v = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// All blocks but the last have 64 rows, of which 32 are taken at a time.
// CHECK-LABEL: func.func @row_blocks(
func.func @row_blocks(%n: index, %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // 4 + 2 * (1 + 2 + 1 + 1) + 1 = 15
  // CHECK: arith.constant 67 : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c64) {
        %left = arith.subi %n, %i : index
        %size = arith.minsi %left, %c64 : index
        %tiles = arith.divui %size, %c32 : index
        %whole = arith.muli %tiles, %c32 : index
        scf.for %j = %c0 to %whole step %c32 {
          %row = arith.addi %i, %j : index
          %v = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          vector.transfer_write %v, %x[%row, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Bounds that are computed inside cannot be asked before.
// CHECK-LABEL: func.func @inner_bound(
func.func @inner_bound(%x: memref<?xf32>) {
  // CHECK: omp.parallel {
  omp.parallel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The bound of the loop over tiles is known before: it runs at run time's count.
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: index, %[[M:[a-z0-9]+]]: index
func.func @tiles(%n: index, %m: index, %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[TRIPS:.*]] = arith.muli %{{.*}}, %{{.*}} : index
  // CHECK: %[[ONCE:.*]] = arith.constant 1 : index
  // CHECK: %[[BODY:.*]] = arith.constant 4 : index
  // CHECK: %[[TILE:.*]] = arith.constant 64 : index
  // CHECK: %[[TILES:.*]] = arith.ceildivsi %[[M]], %[[TILE]] : index
  // CHECK: %[[ALLTILES:.*]] = arith.muli %[[BODY]], %[[TILES]] : index
  // CHECK: %[[STEP:.*]] = arith.addi %[[ONCE]], %[[ALLTILES]] : index
  // CHECK: %[[ALL:.*]] = arith.muli %[[TRIPS]], %[[STEP]] : index
  // CHECK: %[[LEAST:.*]] = arith.constant 1000 : index
  // CHECK: %[[IF:.*]] = arith.cmpi sge, %[[ALL]], %[[LEAST]] : index
  // CHECK: omp.parallel if(%[[IF]])
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.for %j = %c0 to %m step %c64 {
          %v = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A step has as many rows as is known before, which a loop goes over by tiles:
// counted from zero, or from the first row.
// CHECK-LABEL: func.func @rows_of_step(
// CHECK-SAME: index, %[[ROWS:[a-z0-9]+]]: index
func.func @rows_of_step(%n: index, %rows: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[BODY:.*]] = arith.constant 3 : index
  // CHECK: arith.ceildivsi %[[ROWS]], %c16{{.*}} : index
  // CHECK: %[[BODY:.*]] = arith.constant 3 : index
  // CHECK: arith.ceildivsi %[[ROWS]], %c16{{.*}} : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%rows) {
        %next = arith.addi %i, %rows : index
        %end = arith.minsi %n, %next : index
        %size = arith.subi %end, %i : index
        scf.for %j = %c0 to %size step %c16 {
          %v = memref.load %x[%j] : memref<?xf32>
          memref.store %v, %x[%j] : memref<?xf32>
        }
        scf.for %j = %i to %end step %c16 {
          %v = memref.load %x[%j] : memref<?xf32>
          memref.store %v, %x[%j] : memref<?xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// In a loop along edges, one whose length is known before counts eight times.
// CHECK-LABEL: func.func @edges_of_known_loops(
func.func @edges_of_known_loops(%n: index, %m: index, %pointers: memref<?xindex>,
                                %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // 8 * (1 + 1 + 1) + 1 = 25
  // CHECK: %[[OFEDGE:.*]] = arith.constant 25 : index
  // CHECK: arith.muli %{{.*}}, %[[OFEDGE]]
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %next = arith.addi %i, %c1 : index
        %begin = memref.load %pointers[%i] : memref<?xindex>
        %end = memref.load %pointers[%next] : memref<?xindex>
        scf.for %e = %begin to %end step %c1 {
          scf.for %j = %c0 to %m step %c1 {
            %v = memref.load %x[%j] : memref<?xf32>
            memref.store %v, %x[%e] : memref<?xf32>
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The sources of a segment that a destination looks up: as many as on average.
// CHECK-LABEL: func.func @segments(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: memref<?xindex>, %[[POINTERS:[a-z0-9]+]]: memref<?xi32>
func.func @segments(%n: index, %segments: memref<?xindex>,
                    %pointers: memref<?xi32>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[LENGTH:.*]] = memref.dim %[[POINTERS]]
  // CHECK: %[[SEGMENTS:.*]] = arith.subi %[[LENGTH]]
  // CHECK: memref.load %[[POINTERS]][%[[SEGMENTS]]]
  // CHECK: %[[SOURCES:.*]] = arith.subi
  // CHECK: %[[DIVISOR:.*]] = arith.maxui %[[SEGMENTS]]
  // CHECK: %[[AVERAGE:.*]] = arith.ceildivui %[[SOURCES]], %[[DIVISOR]]
  // 1 + 1 + 1 for each
  // CHECK: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: %[[TRIPS:.*]] = arith.ceildivsi %[[AVERAGE]]
  // CHECK: arith.muli %[[C3]], %[[TRIPS]]
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %segment = memref.load %segments[%i] : memref<?xindex>
        %next = arith.addi %segment, %c1 : index
        %first = memref.load %pointers[%segment] : memref<?xi32>
        %last = memref.load %pointers[%next] : memref<?xi32>
        %begin = arith.index_cast %first : i32 to index
        %end = arith.index_cast %last : i32 to index
        scf.for %e = %begin to %end step %c1 {
          %v = memref.load %x[%e] : memref<?xf32>
          memref.store %v, %x[%i] : memref<?xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Each destination of a segment with each of its sources, for each head.
// CHECK-LABEL: func.func @pairs(
// CHECK-SAME: index, %[[HEADS:[a-z0-9]+]]: index, %[[ROWS:[a-z0-9]+]]: memref<?xindex>, %[[COLUMNS:[a-z0-9]+]]: memref<?xindex>
func.func @pairs(%n: index, %heads: index, %rows: memref<?xindex>,
                 %columns: memref<?xindex>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // CHECK: memref.dim %[[COLUMNS]]
  // CHECK: %[[SOURCES:.*]] = arith.ceildivui
  // CHECK: memref.dim %[[ROWS]]
  // CHECK: %[[DESTINATIONS:.*]] = arith.ceildivui
  // CHECK: %[[TRIPS:.*]] = arith.ceildivsi %[[SOURCES]]
  // CHECK: %[[EACH:.*]] = arith.muli %{{.*}}, %[[TRIPS]]
  // CHECK: %[[TILES:.*]] = arith.ceildivsi %[[DESTINATIONS]], %c16
  // CHECK: arith.muli %[[EACH]], %[[TILES]]
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i, %h) : index = (%c0, %c0) to (%n, %heads) step (%c1, %c1) {
        %next = arith.addi %i, %c1 : index
        %row = memref.load %rows[%i] : memref<?xindex>
        %last_row = memref.load %rows[%next] : memref<?xindex>
        %column = memref.load %columns[%i] : memref<?xindex>
        %last_column = memref.load %columns[%next] : memref<?xindex>
        scf.for %d = %row to %last_row step %c16 {
          scf.for %s = %column to %last_column step %c1 {
            %v = memref.load %x[%s] : memref<?xf32>
            memref.store %v, %x[%d] : memref<?xf32>
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A loop over tiles whose end is not known before makes as many fewer trips than
// is assumed as a tile is large: one here.
// CHECK-LABEL: func.func @unknown(
func.func @unknown(%n: index, %ends: memref<?xindex>, %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // 1 * (2 + 1 + 1) + 2 = 6
  // CHECK: arith.constant 167 : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %m = memref.load %ends[%i] : memref<?xindex>
        scf.for %j = %c0 to %m step %c64 {
          %v = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A part of a row has as many edges as parts have, or none.
// CHECK-LABEL: func.func @parts(
func.func @parts(%n: index, %ends: memref<?xindex>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // 64 * 3 + 6 = 198
  // CHECK: arith.constant 6 : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %first = arith.muli %i, %c64 : index
        %last = arith.addi %first, %c64 : index
        %end = memref.load %ends[%i] : memref<?xindex>
        %isWhole = arith.cmpi ule, %last, %end : index
        %stop = arith.select %isWhole, %last, %first : index
        scf.for %j = %first to %stop step %c1 {
          %v = memref.load %x[%j] : memref<?xf32>
          memref.store %v, %x[%j] : memref<?xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Four rows in each step, taken by one of two loops, and their edges: 4 * 4 + 1
// ops of a step, (1 + 1 + 1) / 2 of an edge.
// CHECK-LABEL: func.func @edges(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %[[POINTERS:[a-z0-9]+]]: memref<?xindex>
func.func @edges(%n: index, %middle: index, %pointers: memref<?xindex>,
                 %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[STEPS:.*]] = arith.muli %{{.*}}, %{{.*}} : index
  // CHECK: %[[OFSTEP:.*]] = arith.constant 17 : index
  // CHECK: %[[A:.*]] = arith.muli %[[STEPS]], %[[OFSTEP]]
  // CHECK: %[[END:.*]] = memref.load %[[POINTERS]][%[[N]]]
  // CHECK: %[[BEGIN:.*]] = memref.load %[[POINTERS]][%{{.*}}]
  // CHECK: %[[EDGES:.*]] = arith.subi %[[END]], %[[BEGIN]]
  // CHECK: %[[OFEDGE:.*]] = arith.constant 2 : index
  // CHECK: %[[B:.*]] = arith.muli %[[EDGES]], %[[OFEDGE]]
  // CHECK: %[[WORK:.*]] = arith.addi %[[A]], %[[B]]
  // CHECK: %[[LEAST:.*]] = arith.constant 1000 : index
  // CHECK: %[[IF:.*]] = arith.cmpi sge, %[[WORK]], %[[LEAST]]
  // CHECK: omp.parallel if(%[[IF]])
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c4) {
        scf.for %row = %i to %middle step %c1 {
          %next = arith.addi %row, %c1 : index
          %begin = memref.load %pointers[%row] : memref<?xindex>
          %end = memref.load %pointers[%next] : memref<?xindex>
          scf.for %p = %begin to %end step %c2 {
            %v = memref.load %x[%p] : memref<?xf32>
            memref.store %v, %x[%p] : memref<?xf32>
          }
        }
        scf.for %row = %middle to %n step %c1 {
          %next = arith.addi %row, %c1 : index
          %begin = memref.load %pointers[%row] : memref<?xindex>
          %end = memref.load %pointers[%next] : memref<?xindex>
          scf.for %p = %begin to %end step %c2 {
            memref.store %begin, %pointers[%p] : memref<?xindex>
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The second loop starts threads for 334 iterations or more. So the others have
// some for as many of the second one, and 50 of their own: the first, which is
// just before it, and the third.
// CHECK-LABEL: func.func @neighbours(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
func.func @neighbours(%n: index, %m: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[FIRST:.*]] = arith.cmpi sge, %[[TRIPS:.*]], %{{.*}} : index
  // CHECK: arith.subi %[[M]],
  // CHECK: %[[SECOND:.*]] = arith.cmpi sge,
  // CHECK: %[[C50:.*]] = arith.constant 50 : index
  // CHECK: %[[SOME:.*]] = arith.cmpi sge, %[[TRIPS]], %[[C50]] : index
  // CHECK: %[[JOINS:.*]] = arith.andi %[[SOME]], %[[SECOND]] : i1
  // CHECK: %[[IF:.*]] = arith.ori %[[FIRST]], %[[JOINS]] : i1
  // CHECK: omp.parallel if(%[[IF]])
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  %offset = arith.addi %n, %c1 : index
  // CHECK: %[[BEFORE:.*]] = arith.ori %[[FIRST]], %[[SECOND]] : i1
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%m) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %x[%offset] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  %0 = memref.load %x[%n] : memref<?xf32>
  %1 = arith.fptosi %0 : f32 to i64
  %k = arith.index_cast %1 : i64 to index
  // What the third one's size depends on is known too late for the second one.
  // CHECK: %[[K:.*]] = arith.index_cast
  // CHECK: %[[THIRD:.*]] = arith.cmpi sge, %[[OFTHIRD:.*]], %{{.*}} : index
  // CHECK: %[[SOME:.*]] = arith.cmpi sge, %[[OFTHIRD]],
  // CHECK: %[[JOINS:.*]] = arith.andi %[[SOME]], %[[BEFORE]] : i1
  // CHECK: %[[IF:.*]] = arith.ori %[[THIRD]], %[[JOINS]] : i1
  // CHECK: omp.parallel if(%[[IF]])
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%k) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
