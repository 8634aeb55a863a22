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
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runner.h"

#include <cstdlib>

using namespace gnn;

int main(int argc, char **argv) {
  runner::ignoreFileSizeSignal();
  runner::Options options;
  if (std::optional<int> code =
          runner::parseOptions(argc, argv, runner::Models::Libraries, options))
    return *code;
  runner::Stopwatch loading;
  gnn_session *session = nullptr;
  gnn_error error = {};
  gnn_session_options sessionOptions = runner::getSessionOptions(options);
  if (gnn_session_open_with(options.model.c_str(), &sessionOptions, &session,
                            &error)) {
    runner::printError(argv[0], error.message);
    return EXIT_FAILURE;
  }
  runner::Engine engine = runner::makeEngine(session);
  engine.prepareName = "load";
  engine.prepareMs = loading.getMs();
  int code = runner::run(options, engine, argv[0]);
  gnn_session_destroy(session);
  return code;
}
