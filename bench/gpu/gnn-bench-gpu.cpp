//===- gnn-bench-gpu.cpp - Times kernels on a GPU ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the libraries of a folder that rows.txt there names, on inputs that stay
// on the GPU, and takes the times between events of its stream. It is for
// machines without Python; bench/gpu.py compares with other libraries as well.
//
//===----------------------------------------------------------------------===//

#include "../Graphs.h"
#include "DeviceClock.h"
#include "RowFile.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <getopt.h>
#include <unistd.h>

using namespace gnn::bench;

namespace {
struct Options {
  std::string folder, rows, only, json;
  int device = 0, samples = 11;
  bool isEmulated = false;
  double sampleSeconds = 2e-3;
};

/// What was measured of a row, or why nothing was.
struct Times {
  double median = 0, first = 0, third = 0; ///< Seconds, and their quartiles.
  double work = 0;
  std::string replays;
  std::string absent;
};

/// Inputs of a model and a session, where kernels run.
class Case {
public:
  Case(DeviceClock &clock, const Options &options)
      : clock(clock), options(options) {}
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;
  ~Case();

  gnn_status open(const Row &row, gnn_error *error);
  gnn_status run(gnn_error *error);
  double getWork(const Row &row) const;
  gnn_replay_usage getReplays() const {
    return gnn_session_replay_usage(session);
  }

private:
  gnn_status makeGraph(const Row &row, gnn_error *error);
  gnn_status makeInput(const gnn_port &port, const Row &row, gnn_error *error);

  DeviceClock &clock;
  const Options &options;
  gnn_session *session = nullptr;
  gnn_graph *graph = nullptr;
  std::vector<gnn_tensor> tensors, outputs;
};
} // namespace

static gnn_status fail(gnn_error *error, gnn_status status,
                       const std::string &message) {
  error->status = status;
  snprintf(error->message, sizeof(error->message), "%s", message.c_str());
  return status;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Case::~Case() {
  gnn_session_destroy(session);
  gnn_graph_destroy(graph);
  for (gnn_tensor &tensor : tensors)
    clock.free(tensor.data);
}

/// Bytes of memory that the system could give; 0 if it does not say.
static double readAvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  double kilobytes = 0;
  while (file >> key >> kilobytes) {
    std::getline(file, unit);
    if (key == "MemAvailable:")
      return kilobytes * 1024;
  }
  return 0;
}

gnn_status Case::makeGraph(const Row &row, gnn_error *error) {
  if (row.graph == "none")
    return GNN_OK;
  if (row.graph == "complete")
    return gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, row.rows, row.rows, 0,
                             &graph, error);
  // Edges as 64-bit numbers, sorted, and as the graph has them.
  double needed =
      48.0 * static_cast<double>(gnn_bench_graph_edges(row.graph.c_str()));
  double available = readAvailableMemory();
  if (available && needed > available)
    return fail(error, GNN_OUT_OF_MEMORY,
                "to make graph '" + row.graph + "' takes " +
                    std::to_string(std::lround(needed / 1e6)) +
                    " MB of the host's memory, which has " +
                    std::to_string(std::lround(available / 1e6)) + " MB left");
  int64_t numNodes = 0;
  gnn_tensor edges = {};
  if (gnn_status status = gnn_bench_graph(
          row.graph.c_str(), options.folder.c_str(), &numNodes, &edges, error))
    return status;
  gnn_status status =
      gnn_graph_from_coo(numNodes, numNodes, &edges, &graph, error);
  gnn_tensor_release(&edges);
  return status;
}

/// Numbers in [-1, 1), the same every time.
static void fillValues(std::vector<float> &values) {
  uint32_t state = 1;
  for (float &value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1;
  }
}

gnn_status Case::makeInput(const gnn_port &port, const Row &row,
                           gnn_error *error) {
  int64_t shape[GNN_MAX_RANK];
  std::copy(port.shape, port.shape + port.rank, shape);
  if (port.rank && shape[0] < 0)
    shape[0] = port.axis == GNN_AXIS_SOURCE ? gnn_graph_num_sources(graph)
               : port.axis == GNN_AXIS_DESTINATION
                   ? gnn_graph_num_destinations(graph)
               : port.axis == GNN_AXIS_EDGE ? gnn_graph_num_edges(graph)
               : row.rows                   ? row.rows
                                            : gnn_graph_num_sources(graph);
  gnn_tensor tensor = gnn_tensor_borrow(nullptr, GNN_FLOAT32, port.rank, shape);
  if (port.dtype != GNN_FLOAT32 || gnn_tensor_size(&tensor) < 0)
    return fail(error, GNN_UNSUPPORTED,
                std::string("input '") + port.name +
                    "' is no float32 tensor of known width");
  std::vector<float> values(static_cast<size_t>(gnn_tensor_size(&tensor)));
  fillValues(values);
  if (gnn_status status =
          clock.place(values.data(), 4 * values.size(), tensor.data, error))
    return status;
  tensor.place = clock.isOnHost() ? GNN_HOST : GNN_DEVICE;
  tensors.push_back(tensor);
  return GNN_OK;
}

gnn_status Case::open(const Row &row, gnn_error *error) {
  gnn_session_options sessionOptions = gnn_session_default_options();
  if (!options.isEmulated) {
    sessionOptions.device = options.device;
    sessionOptions.replay = row.replay;
  }
  sessionOptions.device_outputs = 1;
  sessionOptions.stream = clock.getStream();
  std::string path = options.folder + "/" + row.name + ".so";
  if (gnn_status status =
          gnn_session_open_with(path.c_str(), &sessionOptions, &session, error))
    return status;
  if (gnn_status status = makeGraph(row, error))
    return status;
  const gnn_model *model = gnn_session_model(session);
  for (uint32_t i = 0; i < model->num_inputs; ++i)
    if (model->inputs[i].kind == GNN_PORT_TENSOR)
      if (gnn_status status = makeInput(model->inputs[i], row, error))
        return status;
  outputs.resize(model->num_outputs);
  return GNN_OK;
}

gnn_status Case::run(gnn_error *error) {
  const gnn_graph *graphs[] = {graph};
  if (gnn_status status = gnn_session_run(
          session, graphs, graph ? 1 : 0, tensors.data(), tensors.size(),
          outputs.data(), outputs.size(), error))
    return status;
  for (gnn_tensor &output : outputs)
    gnn_tensor_release(&output);
  return GNN_OK;
}

double Case::getWork(const Row &row) const {
  int64_t rows = row.rows ? row.rows
                 : graph  ? gnn_graph_num_destinations(graph)
                          : 0;
  int64_t edges = graph ? gnn_graph_num_edges(graph) : 0;
  return row.workOfRow * static_cast<double>(rows) +
         row.workOfEdge * static_cast<double>(edges);
}

static gnn_status measure(const Row &row, DeviceClock &clock,
                          const Options &options, Times &times,
                          gnn_error *error) {
  Case measured(clock, options);
  if (gnn_status status = measured.open(row, error))
    return status;
  auto run = [&](gnn_error *error) { return measured.run(error); };
  double estimate = 0;
  // The first runs load kernels and capture.
  for (int i = 0; i < 3; ++i)
    if (gnn_status status = clock.time(run, 1, estimate, error))
      return status;
  int count = static_cast<int>(std::clamp(
      options.sampleSeconds / std::max(estimate, 1e-7), 1.0, 1000.0));
  std::vector<double> samples;
  for (int i = 0; i < options.samples; ++i) {
    double seconds = 0;
    if (gnn_status status = clock.time(run, count, seconds, error))
      return status;
    samples.push_back(seconds / count);
  }
  std::sort(samples.begin(), samples.end());
  auto at = [&](double part) {
    return samples[std::lround(part * static_cast<double>(samples.size() - 1))];
  };
  times = {at(0.5), at(0.25), at(0.75), measured.getWork(row), "", ""};
  if (row.replay && !options.isEmulated) {
    gnn_replay_usage usage = measured.getReplays();
    times.replays = usage.obstacle
                        ? usage.obstacle
                        : std::to_string(usage.replays) + " replayed";
  }
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static bool countsFlops(const Row &row) {
  return row.ceiling.compare(0, 4, "gemm") == 0;
}

/// "1.23 TFLOP/s", "0.98 TB/s", or nothing where there is no work.
static std::string printRate(const Row &row, const Times &times) {
  if (!times.work)
    return "";
  char text[40];
  snprintf(text, sizeof(text), "%.3g %s", times.work / times.median / 1e12,
           countsFlops(row) ? "TFLOP/s" : "TB/s");
  return text;
}

static void printRow(const Row &row, const Times &times, double copyRate) {
  if (!times.absent.empty()) {
    printf("| %s | %s | — | | | %s |\n", row.family.c_str(), row.name.c_str(),
           times.absent.c_str());
    return;
  }
  char share[20] = "";
  if (times.work && !countsFlops(row))
    snprintf(share, sizeof(share), "%.1f %%",
             100 * times.work / times.median / copyRate);
  printf("| %s | %s | %.4g (%.4g-%.4g) | %s | %s | %s |\n", row.family.c_str(),
         row.name.c_str(), 1e3 * times.median, 1e3 * times.first,
         1e3 * times.third, printRate(row, times).c_str(), share,
         times.replays.c_str());
}

static std::string quote(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

static bool writeJson(const Options &options, const DeviceClock &clock,
                      double copyRate,
                      const std::vector<std::pair<Row, Times>> &results) {
  FILE *file = fopen(options.json.c_str(), "w");
  if (!file)
    return false;
  fprintf(file,
          "{\n  \"device\": %s,\n  \"copy_bytes_per_second\": %.6g,\n"
          "  \"rows\": [",
          quote(clock.getName()).c_str(), copyRate);
  const char *separator = "\n";
  for (const auto &[row, times] : results) {
    fprintf(file, "%s    {\"family\": %s, \"name\": %s", separator,
            quote(row.family).c_str(), quote(row.name).c_str());
    if (times.absent.empty())
      fprintf(file,
              ", \"ms\": {\"median\": %.6g, \"q1\": %.6g, \"q3\": %.6g}, "
              "\"work\": %.6g}",
              1e3 * times.median, 1e3 * times.first, 1e3 * times.third,
              times.work);
    else
      fprintf(file, ", \"absent\": %s}", quote(times.absent).c_str());
    separator = ",\n";
  }
  fprintf(file, "\n  ]\n}\n");
  bool isWritten = !ferror(file);
  return fclose(file) == 0 && isWritten;
}

/// Why there is no library: what the compiler said, if that was kept.
static std::string findReason(const Options &options, const Row &row) {
  std::ifstream library(options.folder + "/" + row.name + ".so");
  if (library)
    return "";
  std::ifstream reason(options.folder + "/" + row.name + ".txt");
  std::string line;
  if (reason && std::getline(reason, line) && !line.empty())
    return line;
  return "there is no " + row.name + ".so";
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// The folder of libraries for the newest chip that is no newer than the GPU.
static std::string findFolder(const std::string &folder, int capability) {
  for (int chip = capability; chip >= 80; --chip)
    if (std::string path = folder + "/sm_" + std::to_string(chip);
        access(path.c_str(), X_OK) == 0)
      return path;
  return folder;
}

static int measureAll(Options options, const std::vector<Row> &rows) {
  DeviceClock clock;
  gnn_error error = {};
  if (options.isEmulated) {
    clock.openHost();
  } else if (clock.open(options.device, &error)) {
    // What to do about it follows, for other programs.
    std::string reason = error.message;
    printf("bench-gpu: skipped, because %s\n",
           reason.substr(0, reason.find(';')).c_str());
    return EXIT_SUCCESS;
  }
  options.folder = findFolder(options.folder, clock.getCapability());
  double copyRate = 0;
  if (clock.measureCopy(copyRate, &error)) {
    fprintf(stderr, "gnn-bench-gpu: error: %s\n", error.message);
    return EXIT_FAILURE;
  }
  printf("Device: %s; copying reads and writes %.3g TB/s.\n\n",
         clock.getName().c_str(), copyRate / 1e12);
  printf("| rows | row | ms (quartiles) | rate | share of copying | note |\n"
         "|---|---|--:|--:|--:|---|\n");
  std::vector<std::pair<Row, Times>> results;
  for (const Row &row : rows) {
    if (row.name.find(options.only) == std::string::npos)
      continue;
    Times times;
    times.absent = findReason(options, row);
    if (times.absent.empty() && measure(row, clock, options, times, &error))
      times.absent = error.message;
    printRow(row, times, copyRate);
    fflush(stdout);
    results.emplace_back(row, times);
  }
  if (!options.json.empty() && !writeJson(options, clock, copyRate, results)) {
    fprintf(stderr, "gnn-bench-gpu: error: cannot write '%s'\n",
            options.json.c_str());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

static void printUsage() {
  printf("Usage: gnn-bench-gpu FOLDER [options]\n\n"
         "FOLDER has the libraries of the rows, NAME.so, or folders sm_80, "
         "sm_90, ... with them.\n\n"
         "  --rows FILE     what to time (default: FOLDER/rows.txt)\n"
         "  --only TEXT     rows in whose name this is\n"
         "  --device N      GPU to use (default: 0)\n"
         "  --samples N     of which the median is taken (default: 11)\n"
         "  --emulated      libraries are for --target=gpu-emu\n"
         "  --json FILE     write the results as JSON as well\n");
}

/// A whole number from `minimum` to 1000.
static bool parseCount(const char *text, int64_t minimum, int &result) {
  char *end = nullptr;
  int64_t value = strtol(text, &end, 10);
  if (end == text || *end || value < minimum || value > 1000)
    return false;
  result = static_cast<int>(value);
  return true;
}

static int reportMistake(const std::string &message) {
  fprintf(stderr, "gnn-bench-gpu: error: %s\n", message.c_str());
  return EXIT_FAILURE;
}

int main(int argumentCount, char **arguments) {
  Options options;
  enum Flag { Rows = 256, Only, DeviceNumber, Samples, Emulated, Json, Help };
  static const option flags[] = {
      {"rows", required_argument, nullptr, Rows},
      {"only", required_argument, nullptr, Only},
      {"device", required_argument, nullptr, DeviceNumber},
      {"samples", required_argument, nullptr, Samples},
      {"emulated", no_argument, nullptr, Emulated},
      {"json", required_argument, nullptr, Json},
      {"help", no_argument, nullptr, Help},
      {nullptr, 0, nullptr, 0}};
  for (int flag; (flag = getopt_long(argumentCount, arguments, "", flags,
                                     nullptr)) != -1;) {
    switch (flag) {
    case Rows:
      options.rows = optarg;
      break;
    case Only:
      options.only = optarg;
      break;
    case DeviceNumber:
      if (!parseCount(optarg, 0, options.device))
        return reportMistake(std::string("--device wants the number of a GPU, "
                                         "not '") +
                             optarg + "'");
      break;
    case Samples:
      if (!parseCount(optarg, 1, options.samples))
        return reportMistake(std::string("--samples wants a number from 1 to "
                                         "1000, not '") +
                             optarg + "'");
      break;
    case Emulated:
      options.isEmulated = true;
      options.sampleSeconds = 0;
      break;
    case Json:
      options.json = optarg;
      break;
    case Help:
      printUsage();
      return EXIT_SUCCESS;
    default:
      return EXIT_FAILURE;
    }
  }
  if (optind + 1 != argumentCount)
    return reportMistake("name a folder; see --help");
  options.folder = arguments[optind];
  if (options.rows.empty())
    options.rows = options.folder + "/rows.txt";
  std::string mistake;
  std::vector<Row> rows = readRows(options.rows, mistake);
  if (!mistake.empty())
    return reportMistake(mistake);
  return measureAll(options, rows);
}
