//===- Kernel.h - A compiled function to be timed ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_KERNEL_H
#define GNN_BENCH_KERNEL_H

#include "gnn/Compiler/Compiler.h"
#include "gnn/Compiler/JIT.h"
#include "gnn/Runtime/Runtime.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace gnn::bench {

/// What stands for $(NAME) in a template of kernels/.
using Shapes = std::vector<std::pair<std::string, std::string>>;

/// An error for what the runtime reported, success if it did not.
llvm::Error toError(gnn_status status, const gnn_error &error);

/// A kernel with its inputs. It is compiled by the same passes as a model.
class Kernel {
public:
  /// Compiles `path`, a function of gnn IR with $(NAME) in it, for this
  /// machine; edges that are listed stay listed. Other options are those given.
  static llvm::Expected<std::unique_ptr<Kernel>>
  create(llvm::StringRef path, const Shapes &shapes, CompilerOptions options);
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// `graph` must outlive the kernel.
  void addGraph(const gnn_graph *graph) { graphs.push_back(graph); }
  /// Numbers between -0.5 and 0.5, the same for the same place and shape, which
  /// begin `offset` floats behind a line of the caches.
  llvm::Error addInput(llvm::ArrayRef<int64_t> shape, int64_t offset);
  const float *getInput(size_t index) const {
    return static_cast<const float *>(inputs[index].data);
  }

  /// Seconds of a run, as the mean of `runs` in a row (see Clock.h).
  llvm::Expected<double> time(int64_t runs, int32_t threads);

private:
  explicit Kernel(JITModel code) : code(std::move(code)) {}

  JITModel code;
  gnn_session *session = nullptr;
  std::vector<const gnn_graph *> graphs;
  std::vector<gnn_tensor> inputs;
};

/// The graphs of Graphs.h, each made when it is first asked for.
class GraphStore {
public:
  explicit GraphStore(std::string folder) : folder(std::move(folder)) {}
  ~GraphStore();
  GraphStore(const GraphStore &) = delete;
  GraphStore &operator=(const GraphStore &) = delete;

  llvm::Expected<const gnn_graph *> get(llvm::StringRef name);

private:
  std::string folder;
  llvm::StringMap<gnn_graph *> graphs;
};

} // namespace gnn::bench

#endif // GNN_BENCH_KERNEL_H
