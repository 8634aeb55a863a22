// RUN: gnn-opt --gnn-balance-rows=row-cost=0 --verify-diagnostics %s

// expected-error@below {{a row must cost at least 1}}
module {
}
