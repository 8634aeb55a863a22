//===- Rows.cpp - What is measured, and what bounds it ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "Calibrators.h"
#include "Pairs.h"
#include "Random.h"

using namespace gnn;
using namespace gnn::bench;

namespace {
/// Rows of `features`, which must outlive it, at random places.
class GatherBound {
public:
  GatherBound(const gnn_graph *graph, const float *features, int64_t width)
      : features(features), width(width) {
    int64_t numNodes = gnn_graph_num_sources(graph);
    // Rows are independent: some millions of them tell the rate.
    constexpr int64_t enough = 4000000;
    indices.resize(std::min(gnn_graph_num_edges(graph), enough));
    Random random;
    for (int32_t &index : indices)
      index = static_cast<int32_t>(random.draw(numNodes));
  }

  double getRate(int32_t threads) const {
    return gnn_bench_gather_rate(features, width, indices.data(),
                                 static_cast<int64_t>(indices.size()), threads);
  }

  /// The rate of sums of `edges` rows each, which are written to `numResults`
  /// arrays.
  double getSumRate(int64_t edges, int32_t numResults, int32_t threads) {
    auto count = static_cast<int64_t>(indices.size());
    results.resize(numResults);
    std::vector<float *> pointers;
    for (std::vector<float> &result : results) {
      result.resize(count / edges * width);
      pointers.push_back(result.data());
    }
    return gnn_bench_sum_rate(features, width, indices.data(), count, edges,
                              pointers.data(), numResults, threads);
  }

private:
  const float *features;
  int64_t width;
  std::vector<int32_t> indices;
  /// Made when they are asked for.
  std::vector<std::vector<float>> results;
};

/// Makes the rows, family by family.
class Builder {
public:
  Builder(std::string folder, CompilerOptions options, int64_t inputOffset,
          GraphStore &graphs)
      : folder(std::move(folder)), options(std::move(options)),
        inputOffset(inputOffset), graphs(graphs) {}

  std::vector<Row> take() { return std::move(rows); }

  void addProducts();
  void addSparseProducts();
  void addAggregations();
  void addSparseAttention();
  void addDenseAttention();
  void addLayers();
  void addRounded();

private:
  using Inputs =
      std::function<std::vector<std::vector<int64_t>>(const gnn_graph *)>;

  /// The kernel on the inputs whose shapes `inputs` says.
  llvm::Expected<Case> make(const std::string &file, const Shapes &shapes,
                            const gnn_graph *graph, const Inputs &inputs,
                            Precision precision = Precision::Float32) const;
  void addProduct(int64_t m, int64_t n, int64_t k, Precision precision);
  void addPairs(const Pairs &pairs, int64_t h, int64_t d, Precision precision);
  void addGathering(const std::string &name, const std::string &file,
                    const Shapes &shapes, const std::string &graph,
                    int64_t width, int64_t rowsPerEdge, size_t gathered,
                    const Inputs &inputs, int32_t numResults = 0);

  std::string folder;
  CompilerOptions options;
  int64_t inputOffset;
  GraphStore &graphs;
  std::vector<Row> rows;
};
} // namespace

static std::string str(int64_t value) { return std::to_string(value); }

llvm::Expected<Case> Builder::make(const std::string &file,
                                   const Shapes &shapes, const gnn_graph *graph,
                                   const Inputs &inputs,
                                   Precision precision) const {
  CompilerOptions compiler = options;
  compiler.precision = precision;
  auto kernel = Kernel::create(folder + "/" + file + ".mlir", shapes, compiler);
  if (!kernel)
    return kernel.takeError();
  if (graph)
    (*kernel)->addGraph(graph);
  for (const std::vector<int64_t> &shape : inputs(graph))
    if (llvm::Error error = (*kernel)->addInput(shape, inputOffset))
      return error;
  Case result;
  result.kernel = std::move(*kernel);
  return result;
}

/// A kernel that reads `rowsPerEdge` rows of `width` floats for each edge,
/// those of the input `gathered` among them, and writes `numResults` rows of as
/// many for each destination, if that is known.
void Builder::addGathering(const std::string &name, const std::string &file,
                           const Shapes &shapes, const std::string &graphName,
                           int64_t width, int64_t rowsPerEdge, size_t gathered,
                           const Inputs &inputs, int32_t numResults) {
  // The analyzer loses track of copies of std::function.
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
  auto make = [=]() -> llvm::Expected<Case> {
    auto graph = graphs.get(graphName);
    if (!graph)
      return graph.takeError();
    llvm::Expected<Case> result = this->make(file, shapes, *graph, inputs);
    if (!result)
      return result.takeError();
    double bytes = 4.0 * static_cast<double>(gnn_graph_num_edges(*graph) *
                                             width * rowsPerEdge);
    result->bytes = bytes;
    const Kernel &kernel = *result->kernel;
    auto bound =
        std::make_shared<GatherBound>(*graph, kernel.getInput(gathered), width);
    result->getBound = [bound, bytes](int32_t threads) {
      return bytes / bound->getRate(threads);
    };
    if (numResults > 0) {
      int64_t numRows = gnn_graph_num_destinations(*graph);
      int64_t edges = std::max<int64_t>(
          1, (gnn_graph_num_edges(*graph) + numRows / 2) / numRows);
      result->getWrittenBound = [=](int32_t threads) {
        return bytes / bound->getSumRate(edges, numResults, threads);
      };
    }
    return result;
  };
  rows.push_back({name + "/" + graphName, std::move(make)});
}

//===----------------------------------------------------------------------===//
// The families
//===----------------------------------------------------------------------===//

/// Operations per second of the fastest products in registers of what factors
/// are rounded to.
static double getProductRate(Precision precision, int32_t threads) {
  double rate = gnn_bench_fma_rate(threads);
  if (precision == Precision::BFloat16)
    rate = std::max(
        {rate, gnn_bench_bf16_rate(threads), gnn_bench_amx_rate(threads)});
  return rate;
}

static std::string getPrefix(Precision precision) {
  return precision == Precision::BFloat16 ? "bf16/" : "";
}

void Builder::addProduct(int64_t m, int64_t n, int64_t k, Precision precision) {
  rows.push_back(
      {getPrefix(precision) + "gemm/" + str(m) + "x" + str(n) + "x" + str(k),
       [=]() -> llvm::Expected<Case> {
         llvm::Expected<Case> result = make(
             "gemm", {{"N", str(n)}, {"K", str(k)}}, nullptr,
             [=](const gnn_graph *) {
               return std::vector<std::vector<int64_t>>{{m, k}, {k, n}};
             },
             precision);
         if (!result)
           return result.takeError();
         double flops = 2.0 * static_cast<double>(m * n * k);
         result->flops = flops;
         result->getBound = [=](int32_t threads) {
           return flops / getProductRate(precision, threads);
         };
         return result;
       }});
}

void Builder::addProducts() {
  const int64_t shapes[][3] = {
      {512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
      {19717, 128, 128},  {2708, 16, 1433},   {3327, 16, 3703},
      {169343, 128, 128}, {22470, 64, 128},   {128, 384, 384},
      {22470, 41, 602},   {22470, 41, 300},   {22470, 7, 16},
      {2708, 128, 32},    {2708, 128, 64}};
  for (const auto &[m, n, k] : shapes)
    addProduct(m, n, k, Precision::Float32);
}

/// Products of factors that are rounded, and attention.
void Builder::addRounded() {
  const int64_t shapes[][3] = {{512, 512, 512},
                               {1024, 1024, 1024},
                               {2048, 2048, 2048},
                               {19717, 128, 128},
                               {128, 384, 384}};
  for (const auto &[m, n, k] : shapes)
    addProduct(m, n, k, Precision::BFloat16);
  const std::pair<int64_t, int64_t> sizes[] = {{8, 64}, {12, 32}};
  for (auto [h, d] : sizes)
    for (int64_t nodes : {512, 1024, 2048})
      addPairs(Pairs::getComplete(nodes), h, d, Precision::BFloat16);
}

/// A matrix of `count` elements at random places in compressed rows, as a graph
/// from columns to rows.
static llvm::Expected<std::shared_ptr<gnn_graph>>
drawMatrix(int64_t numRows, int64_t numColumns, int64_t count) {
  Random random;
  std::vector<int64_t> pointers(numRows + 1), columns(count);
  for (int64_t i = 0; i < count; ++i) {
    ++pointers[random.draw(numRows) + 1];
    columns[i] = random.draw(numColumns);
  }
  for (int64_t row = 0; row < numRows; ++row)
    pointers[row + 1] += pointers[row];
  const int64_t numPointers = numRows + 1;
  gnn_tensor rows =
      gnn_tensor_borrow(pointers.data(), GNN_INT64, 1, &numPointers);
  gnn_tensor indices = gnn_tensor_borrow(columns.data(), GNN_INT64, 1, &count);
  gnn_graph *graph = nullptr;
  gnn_error error = {};
  gnn_status status =
      gnn_graph_from_csr(numColumns, &rows, &indices, &graph, &error);
  if (llvm::Error failure = toError(status, error))
    return failure;
  return std::shared_ptr<gnn_graph>(graph, gnn_graph_destroy);
}

/// Of the shapes and densities of Cora's and Citeseer's features. The bound
/// reads a row of the weights for each element.
void Builder::addSparseProducts() {
  const std::tuple<const char *, int64_t, int64_t, int64_t> matrices[] = {
      {"cora", 2708, 1433, 49216}, {"citeseer", 3327, 3703, 105165}};
  for (auto [name, m, k, count] : matrices)
    for (int64_t n : {16, 64})
      rows.push_back(
          {"sparse-linear/" + std::string(name) + "/d:" + str(n),
           [this, m = m, k = k, count = count, n]() -> llvm::Expected<Case> {
             auto matrix = drawMatrix(m, k, count);
             if (!matrix)
               return matrix.takeError();
             llvm::Expected<Case> result = make(
                 "sparse-linear", {{"N", str(n)}, {"K", str(k)}}, matrix->get(),
                 [=](const gnn_graph *) {
                   return std::vector<std::vector<int64_t>>{{k, n}, {count}};
                 });
             if (!result)
               return result.takeError();
             double bytes = 4.0 * static_cast<double>(count * n);
             result->flops = 2.0 * static_cast<double>(count * n);
             result->bytes = bytes;
             auto bound = std::make_shared<GatherBound>(
                 matrix->get(), result->kernel->getInput(0), n);
             result->getBound = [bound, bytes,
                                 owner = *matrix](int32_t threads) {
               return bytes / bound->getRate(threads);
             };
             return result;
           }});
}

void Builder::addAggregations() {
  for (const char *graph : {"cora", "citeseer", "facebook", "uniform", "hub",
                            "star", "rmat", "web", "arxiv", "molecules"})
    for (int64_t d : {16, 32, 48, 64, 100, 128, 256, 300}) {
      auto node = [d](const gnn_graph *g) {
        return std::vector<std::vector<int64_t>>{{gnn_graph_num_sources(g), d}};
      };
      for (const char *kind : {"sum", "mean", "max"})
        addGathering("spmm/" + std::string(kind) + "/d:" + str(d), "aggregate",
                     {{"D", str(d)}, {"KIND", kind}}, graph, d, 1, 0, node, 1);
      addGathering("spmm/weighted/d:" + str(d), "weighted-sum", {{"D", str(d)}},
                   graph, d, 1, 0, [d](const gnn_graph *g) {
                     return std::vector<std::vector<int64_t>>{
                         {gnn_graph_num_sources(g), d},
                         {gnn_graph_num_edges(g)}};
                   });
      addGathering("spmm/multi/d:" + str(d), "multi-aggregate", {{"D", str(d)}},
                   graph, d, 1, 0, node, 3);
    }
  for (int64_t d : {16, 64, 128})
    addGathering("spmm/sum/d:" + str(d), "aggregate",
                 {{"D", str(d)}, {"KIND", "sum"}}, "large", d, 1, 0,
                 [d](const gnn_graph *g) {
                   return std::vector<std::vector<int64_t>>{
                       {gnn_graph_num_sources(g), d}};
                 });
}

void Builder::addSparseAttention() {
  const std::pair<int64_t, int64_t> sizes[] = {
      {1, 7}, {1, 32}, {8, 8}, {8, 10}, {3, 20}, {4, 32}, {8, 64}};
  auto addGAT = [&](const char *graph, int64_t h, int64_t d) {
    addGathering("attention/gat/" + str(h) + "x" + str(d), "gat-attention",
                 {{"H", str(h)}, {"D", str(d)}, {"TOPOLOGY", "csr"}}, graph,
                 h * d, 1, 2, [h, d](const gnn_graph *g) {
                   int64_t n = gnn_graph_num_sources(g);
                   return std::vector<std::vector<int64_t>>{
                       {n, h}, {n, h}, {n, h, d}};
                 });
  };
  for (const char *graph :
       {"cora", "facebook", "uniform", "hub", "star", "arxiv"})
    for (auto [h, d] : sizes) {
      std::string at = "/" + str(h) + "x" + str(d);
      Shapes shapes = {{"H", str(h)}, {"D", str(d)}, {"TOPOLOGY", "csr"}};
      auto row = [h = h, d = d](const gnn_graph *g) {
        return std::vector<int64_t>{gnn_graph_num_sources(g), h, d};
      };
      addGAT(graph, h, d);
      addGathering("attention/gatv2" + at, "gatv2-attention", shapes, graph,
                   h * d, 1, 1, [=, h = h, d = d](const gnn_graph *g) {
                     return std::vector<std::vector<int64_t>>{
                         row(g), row(g), {h, d}};
                   });
      addGathering("attention/transformer" + at, "dot-attention", shapes, graph,
                   h * d, 2, 1, [=](const gnn_graph *g) {
                     return std::vector<std::vector<int64_t>>{row(g), row(g),
                                                              row(g)};
                   });
    }
  addGAT("large", 8, 8);
}

/// Pairs that are edges: products of queries and keys and of weights and
/// values, and an exponential each.
void Builder::addPairs(const Pairs &pairs, int64_t h, int64_t d,
                       Precision precision) {
  rows.push_back(
      {getPrefix(precision) + pairs.getFamily() + "/" + str(h) + "x" + str(d) +
           pairs.getSize(),
       [=]() -> llvm::Expected<Case> {
         auto graph = pairs.makeGraph();
         if (!graph)
           return graph.takeError();
         llvm::Expected<Case> result = make(
             "dot-attention",
             {{"H", str(h)}, {"D", str(d)}, {"TOPOLOGY", pairs.getType()}},
             graph->get(),
             [=](const gnn_graph *) {
               return std::vector<std::vector<int64_t>>(
                   3, {pairs.getNumNodes(), h, d});
             },
             precision);
         if (!result)
           return result.takeError();
         double scores = static_cast<double>(h * pairs.getNumPairs());
         double flops = 4 * scores * static_cast<double>(d);
         result->flops = flops;
         result->getBound = [=, owner = *graph](int32_t threads) {
           (void)owner;
           return flops / getProductRate(precision, threads) +
                  scores / gnn_bench_exp_rate(threads);
         };
         return result;
       }});
}

void Builder::addDenseAttention() {
  const std::pair<int64_t, int64_t> sizes[] = {{8, 64}, {12, 32}, {8, 16}};
  for (auto [h, d] : sizes)
    for (int64_t nodes : {128, 512, 2048, 8192})
      addPairs(Pairs::getComplete(nodes), h, d, Precision::Float32);
  for (auto [h, d] : sizes)
    for (int64_t nodes : {512, 2048, 8192}) {
      addPairs(Pairs::getCausal(nodes), h, d, Precision::Float32);
      for (int64_t window : {64, 256})
        addPairs(Pairs::getWindow(nodes, window), h, d, Precision::Float32);
    }
  const std::pair<int64_t, int64_t> batches[] = {
      {8, 8}, {4, 16}, {12, 32}, {8, 64}};
  for (auto [h, d] : batches)
    for (int64_t nodes : {12, 24, 48, 96})
      addPairs(Pairs::getBatch(nodes), h, d, Precision::Float32);
}

void Builder::addLayers() {
  const std::tuple<const char *, int64_t, int64_t> sizes[] = {
      {"cora", 1433, 16}, {"facebook", 128, 64}, {"arxiv", 128, 128}};
  for (auto [graphName, k, d] : sizes)
    rows.push_back(
        {"layer/mean/" + str(k) + "x" + str(d) + "/" + graphName,
         [this, graphName = graphName, k = k, d = d]() -> llvm::Expected<Case> {
           auto graph = graphs.get(graphName);
           if (!graph)
             return graph.takeError();
           int64_t nodes = gnn_graph_num_sources(*graph);
           llvm::Expected<Case> result =
               make("layer", {{"K", str(k)}, {"D", str(d)}}, *graph,
                    [=](const gnn_graph *) {
                      return std::vector<std::vector<int64_t>>{
                          {nodes, k}, {k, d}, {d}};
                    });
           if (!result)
             return result.takeError();
           double flops = 2.0 * static_cast<double>(nodes * k * d);
           double bytes =
               4.0 * static_cast<double>(gnn_graph_num_edges(*graph) * d);
           result->flops = flops;
           result->bytes = bytes;
           // Rows as wide as those of the product, which only the kernel has.
           auto rows = std::make_shared<std::vector<float>>(nodes * d, 1);
           auto bound = std::make_shared<GatherBound>(*graph, rows->data(), d);
           result->getBound = [=](int32_t threads) {
             (void)rows;
             return flops / gnn_bench_fma_rate(threads) +
                    bytes / bound->getRate(threads);
           };
           return result;
         }});
}

std::vector<Row> bench::makeRows(std::string kernels, CompilerOptions options,
                                 int64_t inputOffset, GraphStore &graphs) {
  // The rows refer to it.
  auto builder = std::make_shared<Builder>(
      std::move(kernels), std::move(options), inputOffset, graphs);
  builder->addProducts();
  builder->addSparseProducts();
  builder->addAggregations();
  builder->addSparseAttention();
  builder->addDenseAttention();
  builder->addLayers();
  builder->addRounded();
  std::vector<Row> rows = builder->take();
  for (Row &row : rows)
    row.make = [builder, make = std::move(row.make)] { return make(); };
  return rows;
}
