//===- Kernel.cpp - A compiled function to be timed -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "Clock.h"
#include "Graphs.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace gnn;
using namespace gnn::bench;

llvm::Error bench::toError(gnn_status status, const gnn_error &error) {
  if (status == GNN_OK)
    return llvm::Error::success();
  return llvm::createStringError(error.message);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// `text` with every $(NAME) replaced.
static std::string substitute(std::string text, const Shapes &shapes) {
  for (const auto &[name, value] : shapes) {
    std::string place = "$(" + name + ")";
    for (size_t at = text.find(place); at != std::string::npos;
         at = text.find(place, at + value.size()))
      text.replace(at, place.size(), value);
  }
  return text;
}

llvm::Expected<std::unique_ptr<Kernel>>
Kernel::create(llvm::StringRef path, const Shapes &shapes,
               CompilerOptions options) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      substitute((*buffer)->getBuffer().str(), shapes), &context, path);
  if (!module)
    return llvm::createStringError("'" + path + "' is no gnn IR, see above");

  llvm::Expected<TargetSpec> target = TargetSpec::get("native");
  if (!target)
    return target.takeError();
  options.target = std::move(*target);
  // Some graphs are dense enough to be taken for complete ones.
  options.topology = TopologyChoice::Sparse;
  llvm::FailureOr<TranslatedModel> model = translateModel(*module, options);
  if (failed(model))
    return llvm::createStringError("'" + path +
                                   "' cannot be compiled, see above");
  llvm::Expected<JITModel> code =
      JITModel::create(std::move(*model), options.target);
  if (!code)
    return code.takeError();
  std::unique_ptr<Kernel> kernel(new Kernel(std::move(*code)));
  gnn_error error = {};
  gnn_session_options sessionOptions = gnn_session_default_options();
  sessionOptions.all_threads = 1; // The row says how many.
  if (llvm::Error failure =
          toError(gnn_session_create_with(kernel->code.get(), &sessionOptions,
                                          &kernel->session, &error),
                  error))
    return failure;
  return kernel;
}

Kernel::~Kernel() {
  for (gnn_tensor &input : inputs)
    gnn_tensor_release(&input);
  gnn_session_destroy(session);
}

llvm::Error Kernel::addInput(llvm::ArrayRef<int64_t> shape, int64_t offset) {
  gnn_tensor tensor;
  gnn_error error = {};
  int64_t size = llvm::product_of(shape), allocated = offset + size;
  if (llvm::Error failure = toError(
          gnn_tensor_allocate(GNN_FLOAT32, 1, &allocated, &tensor, &error),
          error))
    return failure;
  auto *data = static_cast<float *>(tensor.data) + offset;
  tensor.data = data;
  tensor.rank = static_cast<int32_t>(shape.size());
  llvm::copy(shape, tensor.shape);
  uint32_t state = 12345 + inputs.size();
  for (int64_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    data[i] = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
  }
  inputs.push_back(tensor);
  return llvm::Error::success();
}

llvm::Expected<double> Kernel::time(int64_t runs, int32_t threads) {
  std::vector<gnn_tensor> outputs(code.get()->num_outputs);
  gnn_error error = {};
  double start = getSeconds(threads);
  for (int64_t run = 0; run < runs; ++run) {
    gnn_status status =
        gnn_session_run(session, graphs.data(), graphs.size(), inputs.data(),
                        inputs.size(), outputs.data(), outputs.size(), &error);
    if (llvm::Error failure = toError(status, error))
      return failure;
    for (gnn_tensor &output : outputs)
      gnn_tensor_release(&output);
  }
  return (getSeconds(threads) - start) / static_cast<double>(runs);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

GraphStore::~GraphStore() {
  for (auto &entry : graphs)
    gnn_graph_destroy(entry.second);
}

llvm::Expected<const gnn_graph *> GraphStore::get(llvm::StringRef name) {
  auto [place, isNew] = graphs.try_emplace(name, nullptr);
  if (!isNew && place->second)
    return place->second;
  gnn_error error = {};
  gnn_tensor edges = {};
  int64_t numNodes = 0;
  gnn_status status = gnn_bench_graph(name.str().c_str(), folder.c_str(),
                                      &numNodes, &edges, &error);
  if (status == GNN_OK)
    status =
        gnn_graph_from_coo(numNodes, numNodes, &edges, &place->second, &error);
  gnn_tensor_release(&edges);
  if (llvm::Error failure = toError(status, error))
    return failure;
  return place->second;
}
