//===- gnn-run-library.cpp - gnn-run without the compiler -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs compiled libraries with gnn-run's options. It contains no LLVM, so that
// it is small enough to be carried to another machine with them.
//
//   gnn-run-library MODEL --graph FILE ...
//   gnn-run-library --commands FILE
//
// FILE has a command line on each line, words between spaces. They run one
// after the other, each after a line FILE:N: that says so, and those of one
// model that follow each other in one session: to open a GPU takes longer than
// most runs. The first failure ends it, because a GPU's failures last as long
// as the process.
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runner.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <tuple>

using namespace gnn;

namespace {
/// A session, and what it was opened for.
class OpenModel {
public:
  explicit OpenModel(const char *program) : program(program) {}
  OpenModel(const OpenModel &) = delete;
  OpenModel &operator=(const OpenModel &) = delete;
  ~OpenModel() { gnn_session_destroy(session); }

  /// Runs what the options say. Returns an exit code.
  int run(const runner::Options &options);

private:
  /// What sessions differ by.
  static auto identify(const runner::Options &options) {
    return std::tie(options.model, options.weights, options.device,
                    options.replay, options.recompute, options.targetCPU,
                    options.allThreads);
  }

  const char *program;
  runner::Options opened;
  gnn_session *session = nullptr;
};
} // namespace

int OpenModel::run(const runner::Options &options) {
  runner::Stopwatch loading;
  if (!session || identify(options) != identify(opened)) {
    gnn_session_destroy(std::exchange(session, nullptr));
    opened = options;
    gnn_error error = {};
    gnn_session_options sessionOptions = runner::getSessionOptions(opened);
    if (gnn_session_open_with(opened.model.c_str(), &sessionOptions, &session,
                              &error)) {
      runner::printError(program, error.message);
      return EXIT_FAILURE;
    }
  }
  runner::Engine engine = runner::makeEngine(session);
  engine.prepareName = "load";
  engine.prepareMs = loading.getMs();
  return runner::run(options, engine, program);
}

/// Runs the lines of the file until one fails. Returns an exit code.
static int runCommands(const char *path, char *program) {
  std::ifstream file(path);
  if (!file) {
    runner::printError(program, std::string("cannot read '") + path + "'");
    return EXIT_FAILURE;
  }
  OpenModel model(program);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;)
      words.push_back(word);
    if (words.empty())
      continue;
    std::vector<char *> arguments = {program};
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    printf("%s:%d: %s\n", path, number, line.c_str());
    fflush(stdout);
    runner::Options options;
    std::optional<int> code = runner::parseOptions(
        static_cast<int>(words.size() + 1), arguments.data(),
        runner::Models::Libraries, options);
    if (!code)
      code = model.run(options);
    if (*code)
      return *code;
  }
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  runner::ignoreFileSizeSignal();
  if (argc == 3 && !strcmp(argv[1], "--commands"))
    return runCommands(argv[2], argv[0]);
  runner::Options options;
  if (std::optional<int> code =
          runner::parseOptions(argc, argv, runner::Models::Libraries, options))
    return *code;
  return OpenModel(argv[0]).run(options);
}
