//===- gnn-encode.cpp - Adds encodings to graph files -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Encodings.h"
#include "gnn/Runtime/Runner.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>

using namespace gnn::runner;

namespace {
/// An encoding that is asked for: `--option=COUNT[:NAME]`.
struct Request {
  int64_t count = 0; ///< 0: not asked for.
  std::string name;
};

struct EncodeOptions {
  std::string graph;
  std::string output;
  Request laplacian{0, "laplacian_eigenvector_pe"};
  Request randomWalk{0, "random_walk_pe"};
  Request distances{0, "shortest_path"};
  Request paths{0, "path_edges"};
  bool laplacianPairs = false;
  bool degrees = false;
  bool virtualNodes = false;
  /// An array of the graph file, and what it is called along paths.
  std::string edgeValues;
  std::string pathValues = "path_features";
};

/// The arrays of the graph file and those that are added.
class Encoder {
public:
  Encoder(const EncodeOptions &options, const char *program)
      : options(options), program(program) {}

  int run();

private:
  bool readGraph();
  bool countNodes(int64_t &count);
  bool readBatch();
  bool readPointers(const gnn_tensor &ptr);
  bool encode();
  bool write();
  bool encodeLaplacian(const gnn_tensor *nodes);
  bool encodePaths(const gnn_tensor *nodes);
  bool encodePathValues(const gnn_tensor &paths);
  bool add(const std::string &name, TensorHolder &tensor);
  bool check(gnn_status status);
  bool fail(const std::string &message) {
    printError(program, message);
    return false;
  }

  const EncodeOptions &options;
  const char *program;
  gnn_error error = {};
  ArchivePtr file;
  GraphPtr graph;
  TensorHolder weights, pointers;
  const gnn_tensor *edgeWeight = nullptr;
  std::vector<std::string> names;
  std::vector<TensorHolder> added;
};
} // namespace

static void printUsage(const char *program) {
  printf(
      "Usage: %s GRAPH -o OUT.npz [encodings]\n\n"
      "Writes the arrays of GRAPH (.npz, .mtx, .txt, .edges, .csv, .tsv) and "
      "encodings of\nits edges. Where it has a 'batch', each graph of the "
      "batch "
      "is encoded by itself.\n\n"
      "  --laplacian=K[:NAME]       K eigenvectors of the Laplacian for each "
      "node, and\n"
      "                             NAME_values, K eigenvalues for each "
      "graph\n"
      "                             (laplacian_eigenvector_pe)\n"
      "  --laplacian-pairs          with --laplacian, NAME_pairs: both for "
      "each "
      "node, side\n"
      "                             by side, NaN where a graph has fewer than "
      "K\n"
      "  --random-walk=K[:NAME]     probabilities of returning after 1 .. K "
      "steps\n"
      "                             (random_walk_pe)\n"
      "  --degrees                  in_degree and out_degree of each node\n"
      "  --shortest-paths=D[:NAME]  for each pair of nodes of one graph, the "
      "length of a\n"
      "                             shortest path, at most D, or D + 1 without "
      "a path\n"
      "                             (shortest_path)\n"
      "  --virtual-nodes            with --shortest-paths, D + 2 for pairs "
      "with "
      "the first\n"
      "                             node of each graph\n"
      "  --paths=L[:NAME]           for each pair, the first L edges of such a "
      "path, or -1\n"
      "                             (path_edges)\n"
      "  --path-features=ARRAY[:NAME]\n"
      "                             with --paths, what ARRAY has for these "
      "edges, or 0,\n"
      "                             and NAME_lengths, how many they are "
      "(path_features)\n"
      "  -o FILE, --output FILE     the file to write, an .npz\n"
      "  --help                     this text\n",
      program);
}

/// Reads COUNT[:NAME]. The name stays what it is where none is given.
static bool parseRequest(const char *text, Request &request) {
  constexpr long maxCount = 1000000;
  char *end;
  errno = 0;
  long count = strtol(text, &end, 10);
  if (errno || end == text || count < 1 || count > maxCount)
    return false;
  request.count = count;
  if (*end == 0)
    return true;
  request.name = end + 1;
  return *end == ':' && !request.name.empty();
}

/// Reads ARRAY[:NAME].
static bool parsePathValues(const std::string &text, EncodeOptions &result) {
  size_t colon = text.find(':');
  result.edgeValues = text.substr(0, colon);
  if (colon != std::string::npos)
    result.pathValues = text.substr(colon + 1);
  return !result.edgeValues.empty() && !result.pathValues.empty();
}

static std::optional<int> parse(int argumentCount, char **arguments,
                                EncodeOptions &result) {
  enum Flag {
    Laplacian = 256,
    LaplacianPairs,
    RandomWalk,
    Degrees,
    Distances,
    VirtualNodes,
    Paths,
    PathValues,
    Help
  };
  static const option flags[] = {
      {"laplacian", required_argument, nullptr, Laplacian},
      {"laplacian-pairs", no_argument, nullptr, LaplacianPairs},
      {"random-walk", required_argument, nullptr, RandomWalk},
      {"degrees", no_argument, nullptr, Degrees},
      {"shortest-paths", required_argument, nullptr, Distances},
      {"virtual-nodes", no_argument, nullptr, VirtualNodes},
      {"paths", required_argument, nullptr, Paths},
      {"path-features", required_argument, nullptr, PathValues},
      {"output", required_argument, nullptr, 'o'},
      {"help", no_argument, nullptr, Help},
      {nullptr, 0, nullptr, 0}};
  const char *program = arguments[0];
  opterr = 0;
  int index = 0;
  for (int flag; (flag = getopt_long(argumentCount, arguments, "-:o:", flags,
                                     &index)) != -1;) {
    Request *request = nullptr;
    switch (flag) {
    case 1: // Not an option.
      if (!result.graph.empty())
        return reportArgument(flag, arguments);
      result.graph = optarg;
      break;
    case Laplacian:
      request = &result.laplacian;
      break;
    case LaplacianPairs:
      result.laplacianPairs = true;
      break;
    case RandomWalk:
      request = &result.randomWalk;
      break;
    case Distances:
      request = &result.distances;
      break;
    case VirtualNodes:
      result.virtualNodes = true;
      break;
    case Paths:
      request = &result.paths;
      break;
    case PathValues:
      if (!parsePathValues(optarg, result))
        return reportUsage(program,
                           std::string("--path-features wants the name of an "
                                       "array of the graph, or two as in "
                                       "edge_attr:features, not '") +
                               optarg + "'");
      break;
    case Degrees:
      result.degrees = true;
      break;
    case 'o':
      result.output = optarg;
      break;
    case Help:
      printUsage(program);
      return finishOutput(program);
    default:
      return reportArgument(flag, arguments);
    }
    if (request && !parseRequest(optarg, *request))
      return reportUsage(program,
                         std::string("--") + flags[index].name +
                             " wants a whole number from 1 to 1000000, "
                             "or one and a name as in 8:pe, not '" +
                             optarg + "'");
  }
  if (result.graph.empty())
    return reportUsage(program, "name a graph");
  if (result.output.empty())
    return reportUsage(program, "name the file to write with -o");
  if (result.laplacianPairs && !result.laplacian.count)
    return reportUsage(program,
                       "--laplacian-pairs needs --laplacian, which says "
                       "how many pairs there are");
  if (result.virtualNodes && !result.distances.count)
    return reportUsage(program, "--virtual-nodes needs --shortest-paths, whose "
                                "distances it changes");
  if (!result.edgeValues.empty() && !result.paths.count)
    return reportUsage(program, "--path-features needs --paths, which says how "
                                "many edges of a path count");
  if (!result.laplacian.count && !result.randomWalk.count && !result.degrees &&
      !result.distances.count && !result.paths.count)
    return reportUsage(program, "ask for at least one encoding");
  return std::nullopt;
}

bool Encoder::check(gnn_status status) {
  if (status == GNN_OK)
    return true;
  std::string message = error.message;
  // The runtime only saw arrays.
  if (message.find(options.graph) == std::string::npos)
    message = "'" + options.graph + "': " + message;
  return fail(message);
}

/// As many as the file says, or as there are rows of nodes, or one more than
/// the largest index.
bool Encoder::countNodes(int64_t &count) {
  if (const gnn_tensor *number = gnn_archive_find(file.get(), "num_nodes")) {
    count = *static_cast<const int64_t *>(number->data);
    return true;
  }
  for (const char *name : {"batch", "x"})
    if (const gnn_tensor *rows = gnn_archive_find(file.get(), name);
        rows && rows->rank > 0) {
      count = rows->shape[0];
      return true;
    }
  const gnn_tensor *edges = gnn_archive_find(file.get(), "edge_index");
  const auto *indices = static_cast<const int64_t *>(edges->data);
  count = 0;
  // Larger ones are reported when the graph is made.
  for (int64_t i = 0, e = gnn_tensor_size(edges); i < e; ++i)
    if (indices[i] < INT32_MAX)
      count = std::max(count, indices[i] + 1);
  return true;
}

bool Encoder::readGraph() {
  gnn_archive *archive;
  if (!check(gnn_graph_file_read(options.graph.c_str(), &archive, &error)))
    return false;
  file.reset(archive);
  const gnn_tensor *edges = gnn_archive_find(archive, "edge_index");
  if (!edges)
    return fail("'" + options.graph +
                "' has no array 'edge_index', whose edges could be encoded");
  int64_t count;
  gnn_graph *made;
  if (!countNodes(count) ||
      !check(gnn_graph_from_coo(count, count, edges, &made, &error)))
    return false;
  graph.reset(made);
  const gnn_tensor *values = gnn_archive_find(archive, "edge_weight");
  if (!values)
    return true;
  if (!check(gnn_tensor_convert(values, GNN_FLOAT32, &weights.tensor, &error)))
    return false;
  edgeWeight = &weights.tensor;
  return true;
}

/// `ptr` says where the nodes of each graph begin.
bool Encoder::readPointers(const gnn_tensor &ptr) {
  if (!check(gnn_tensor_convert(&ptr, GNN_INT64, &pointers.tensor, &error)))
    return false;
  const auto *values = static_cast<const int64_t *>(pointers.tensor.data);
  int64_t count = gnn_tensor_size(&ptr);
  int64_t numNodes = gnn_graph_num_destinations(graph.get());
  if (ptr.rank == 1 && count > 0 && values[0] == 0 &&
      values[count - 1] == numNodes && std::is_sorted(values, values + count))
    return true;
  return fail("'" + options.graph +
              "': 'ptr' must be a list of integers that ascend from 0 to the "
              "number of nodes, " +
              std::to_string(numNodes));
}

bool Encoder::readBatch() {
  if (const gnn_tensor *ptr = gnn_archive_find(file.get(), "ptr"))
    return readPointers(*ptr);
  const gnn_tensor *batch = gnn_archive_find(file.get(), "batch");
  if (!batch)
    return true;
  int64_t numGraphs = -1;
  if (const gnn_tensor *number = gnn_archive_find(file.get(), "num_graphs");
      number && gnn_tensor_size(number) == 1 && number->dtype == GNN_INT64)
    numGraphs = *static_cast<const int64_t *>(number->data);
  return check(
      gnn_batch_to_pointers(batch, numGraphs, &pointers.tensor, &error));
}

bool Encoder::add(const std::string &name, TensorHolder &tensor) {
  if (gnn_archive_find(file.get(), name.c_str()) ||
      std::find(names.begin(), names.end(), name) != names.end())
    return fail("'" + options.graph + "' has an array '" + name +
                "' already; give the encoding another name, as in 8:pe");
  names.push_back(name);
  added.push_back(std::move(tensor));
  return true;
}

bool Encoder::encodeLaplacian(const gnn_tensor *nodes) {
  const Request &laplacian = options.laplacian;
  TensorHolder vectors, values, pairs;
  if (!check(gnn_encode_laplacian(graph.get(), edgeWeight, nodes,
                                  laplacian.count, &vectors.tensor,
                                  &values.tensor, &error)) ||
      (options.laplacianPairs && !check(gnn_encode_laplacian_pairs(
                                     graph.get(), nodes, &vectors.tensor,
                                     &values.tensor, &pairs.tensor, &error))))
    return false;
  return add(laplacian.name, vectors) &&
         add(laplacian.name + "_values", values) &&
         (!options.laplacianPairs || add(laplacian.name + "_pairs", pairs));
}

bool Encoder::encode() {
  const gnn_tensor *nodes = pointers.tensor.data ? &pointers.tensor : nullptr;
  if (options.laplacian.count && !encodeLaplacian(nodes))
    return false;
  if (const Request &walk = options.randomWalk; walk.count) {
    TensorHolder probabilities;
    if (!check(gnn_encode_random_walk(graph.get(), edgeWeight, walk.count,
                                      &probabilities.tensor, &error)) ||
        !add(walk.name, probabilities))
      return false;
  }
  if (options.degrees) {
    TensorHolder in, out;
    if (!check(
            gnn_encode_degrees(graph.get(), &in.tensor, &out.tensor, &error)) ||
        !add("in_degree", in) || !add("out_degree", out))
      return false;
  }
  return encodePaths(nodes);
}

bool Encoder::encodePaths(const gnn_tensor *nodes) {
  const Request &distances = options.distances, &paths = options.paths;
  if (!distances.count && !paths.count)
    return true;
  TensorHolder lengths, edges;
  int64_t farthest = distances.count ? distances.count : 1;
  return check(gnn_encode_shortest_paths(
             graph.get(), nodes, farthest, paths.count, &lengths.tensor,
             paths.count ? &edges.tensor : nullptr, &error)) &&
         (!options.virtualNodes ||
          check(gnn_encode_virtual_nodes(graph.get(), nodes, farthest + 2,
                                         &lengths.tensor, &error))) &&
         (!distances.count || add(distances.name, lengths)) &&
         (options.edgeValues.empty() || encodePathValues(edges.tensor)) &&
         (!paths.count || add(paths.name, edges));
}

bool Encoder::encodePathValues(const gnn_tensor &paths) {
  const std::string &name = options.edgeValues;
  const gnn_tensor *array = gnn_archive_find(file.get(), name.c_str());
  if (!array)
    return fail("'" + options.graph + "' has no array '" + name +
                "', whose rows --path-features could take");
  int64_t numEdges = gnn_graph_num_edges(graph.get());
  if (array->rank < 1 || array->rank > 2 || array->shape[0] != numEdges)
    return fail("'" + options.graph + "': '" + name +
                "' must have one or two dimensions and a row for each of the " +
                std::to_string(numEdges) + " edges");
  TensorHolder converted, values, lengths;
  return check(gnn_tensor_convert(array, GNN_FLOAT32, &converted.tensor,
                                  &error)) &&
         check(gnn_encode_path_values(&paths, &converted.tensor, &values.tensor,
                                      &lengths.tensor, &error)) &&
         add(options.pathValues, values) &&
         add(options.pathValues + "_lengths", lengths);
}

bool Encoder::write() {
  std::vector<const char *> allNames;
  std::vector<gnn_tensor> tensors;
  for (size_t i = 0, e = gnn_archive_size(file.get()); i < e; ++i) {
    allNames.push_back(gnn_archive_name(file.get(), i));
    tensors.push_back(*gnn_archive_find(file.get(), allNames.back()));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    allNames.push_back(names[i].c_str());
    tensors.push_back(added[i].tensor);
  }
  if (gnn_archive_write(options.output.c_str(), allNames.data(), tensors.data(),
                        tensors.size(), &error))
    return fail(error.message);
  return true;
}

int Encoder::run() {
  bool succeeded = readGraph() && readBatch() && encode() && write();
  return succeeded ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  gnn::runner::ignoreFileSizeSignal();
  EncodeOptions options;
  if (std::optional<int> code = parse(argc, argv, options))
    return *code;
  return Encoder(options, argv[0]).run();
}
