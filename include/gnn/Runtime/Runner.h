//===- Runner.h - Runs a model on a graph file ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What gnn-run and the executables that gnn-compile makes have in common:
// command line, reading and binding a graph file, timing, checking, reporting.
// Independent of LLVM; C++ only, unlike Runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_RUNNER_H
#define GNN_RUNTIME_RUNNER_H

#include "gnn/Runtime/Runtime.h"
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gnn::runner {

struct GraphDeleter {
  void operator()(gnn_graph *graph) const { gnn_graph_destroy(graph); }
};
struct ArchiveDeleter {
  void operator()(gnn_archive *archive) const { gnn_archive_destroy(archive); }
};
using GraphPtr = std::unique_ptr<gnn_graph, GraphDeleter>;
using ArchivePtr = std::unique_ptr<gnn_archive, ArchiveDeleter>;

/// Owns a gnn_tensor.
class TensorHolder {
public:
  TensorHolder() = default;
  TensorHolder(TensorHolder &&other)
      : tensor(std::exchange(other.tensor, {})) {}
  TensorHolder &operator=(TensorHolder &&other) {
    std::swap(tensor, other.tensor);
    return *this;
  }
  ~TensorHolder() { gnn_tensor_release(&tensor); }

  gnn_tensor tensor = {};
};

struct Options {
  std::string model; ///< Empty for a program that is its own model.
  /// Files, or folders of them; several graphs are joined to one.
  std::vector<std::string> graphs;
  /// Names of arrays and the .npy files to map for them, or the .npz files of
  /// SciPy that have them as sparse matrices.
  std::vector<std::pair<std::string, std::string>> features;
  std::string output;
  std::string weights;
  std::string check;
  std::string checkPrefix;
  std::string json;
  double relativeTolerance = 1e-5;
  double absoluteTolerance = 1e-6;
  int repeat = 1;
  int threads = 0;         ///< 0: as many as OpenMP takes.
  bool allThreads = false; ///< Whether all run also where fewer are faster.
  int device = -1;        ///< The GPU to use; -1: what GNN_DEVICE says, else 0.
  bool replay = false;    ///< Whether launches of a GPU are captured.
  bool recompute = false; ///< Whether what graphs alone decide is not kept.
  std::string targetCPU;  ///< Whose code is to run; empty: any.
  /// Neighbours to sample at each hop; none: the model runs on the whole graph.
  std::vector<int64_t> fanOuts;
  std::string seeds = "all"; ///< Or "0,5,17", or "@FILE.npy".
  int batchSize = 1024;
  uint64_t randomSeed = 0;
  bool replace = false;
  int clusters = 0; ///< 0: none.
  std::string saveBatches;
  bool interpret = false;
  std::string factors = "f32"; ///< Of products, where they are interpreted.
  bool quiet = false;
};

/// Which models a program runs: its own, or those it is given.
enum class Models { Own, Libraries, Any };

/// Reads the command line. Returns an exit code if the program is to stop:
/// after --help, or after a mistake, which is printed.
std::optional<int> parseOptions(int argumentCount, char **arguments,
                                Models models, Options &result);

/// A model's inputs, taken from a graph file.
struct Inputs {
  std::vector<GraphPtr> graphs;
  std::vector<TensorHolder> tensors;
  /// The file's arrays that the tensors are made of, or the values of a sparse
  /// matrix, which are in `values`.
  std::vector<const gnn_tensor *> arrays;
  std::vector<std::unique_ptr<TensorHolder>> values;
  /// What the reader should know, such as edges that the model ignores.
  std::vector<std::string> notes;

  std::vector<const gnn_graph *> getGraphs() const;
  std::vector<gnn_tensor> getTensors() const;
};

/// Makes the inputs of `Model` from the arrays of `File`, which keep none of
/// the padding that it tells of; `Path` is for messages. Without `MakeTensors`
/// there are only graphs and arrays.
gnn_status bindInputs(const gnn_model &model, gnn_archive &file,
                      const std::string &path, bool makeTensors, Inputs &result,
                      gnn_error *error);

/// Runs the model once.
using Execute = std::function<gnn_status(
    const std::vector<const gnn_graph *> &graphs,
    const std::vector<gnn_tensor> &tensors, std::vector<TensorHolder> &outputs,
    gnn_error *error)>;

/// Refuses what gnn_session_run would, for engines that have no session.
gnn_status checkInputs(const gnn_model &model,
                       const std::vector<const gnn_graph *> &graphs,
                       const std::vector<gnn_tensor> &tensors,
                       gnn_error *error);

/// Something that runs a model.
struct Engine {
  const gnn_model *model = nullptr;
  Execute run;
  /// What `PrepareMs` was spent on: "compile", "load".
  std::string prepareName;
  double prepareMs = 0;
  /// What it runs on if that is no CPU.
  std::string device;
  /// What has become of Options::replay; empty if there is nothing to tell.
  std::function<std::string()> describeReplays;
  /// What was computed once for the graph.
  std::function<gnn_preparation_usage()> getPreparations;
  /// How many threads the last run was given.
  std::function<int32_t()> getThreads;
};

/// Runs `Engine` on the graph of `Options` and reports. Returns an exit code:
/// 0, or 1 after a mistake or a mismatch, which are printed.
int run(const Options &options, const Engine &engine, const char *program);

/// Time since it was made.
class Stopwatch {
public:
  double getMs() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start)
        .count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// How to open a session; keeps pointers to what `options` has.
gnn_session_options getSessionOptions(const Options &options);

/// An engine for a session, which must outlive it.
Engine makeEngine(gnn_session *session);

/// Makes sure that what was printed has arrived, which a full disk prevents.
/// Returns the exit code, after an error if it has not.
int finishOutput(const char *program);

/// For a main function: a file that grows past the process's limit cannot be
/// written, instead of ending the process.
void ignoreFileSizeSignal();

/// Prints "PROGRAM: error: ...".
void printError(const char *program, const std::string &message);

/// The same for a mistake on the command line; points to --help. Returns the
/// exit code.
int reportUsage(const char *program, const std::string &message);

/// Reports the argument that getopt_long, with opterr 0, has just returned
/// `flag` for: 1 (no option), ':' (its value is missing) or '?' (unknown).
/// Returns the exit code.
int reportArgument(int flag, char **arguments);

} // namespace gnn::runner

/// The main function of a program made by gnn-compile --emit=exe.
extern "C" int gnn_main(const gnn_model *model, int argumentCount,
                        char **arguments);

#endif // GNN_RUNTIME_RUNNER_H
