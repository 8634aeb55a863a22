//===- Options.cpp - Command line of programs that run models ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runner.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>

using namespace gnn::runner;

void gnn::runner::printError(const char *program, const std::string &message) {
  fprintf(stderr, "%s: error: %s\n", program, message.c_str());
}

static void printUsage(const char *program, bool takesModel) {
  printf("Usage: %s %s--graph FILE [options]\n\n", program,
         takesModel ? "MODEL " : "");
  if (takesModel)
    printf("MODEL is a library made by gnn-compile, a model folder or a .mlir "
           "file.\n\n");
  printf("  --graph FILE        graph and features: .npz, .mtx, .txt, .edges, "
         ".csv, .tsv\n"
         "  --output FILE       write the outputs to FILE, an .npz\n"
         "  --weights FILE      weights file (default: MODEL.weights)\n"
         "  --repeat N          run N times and report the median (default: "
         "1)\n"
         "  --threads N         threads to use (default: all)\n"
         "  --check FILE        compare the outputs with the arrays of FILE\n"
         "  --check-prefix P    what the names in that file begin with\n"
         "  --rtol X            tolerance relative to the largest magnitude "
         "(default: 1e-5)\n"
         "  --atol X            absolute tolerance (default: 1e-6)\n"
         "  --json FILE         write the report as JSON as well\n"
         "  --quiet             print errors only\n");
  if (takesModel)
    printf(
        "  --interpret         evaluate the specification in float64 instead "
        "of compiling\n");
  printf("  --help              this text\n");
}

/// A mistake on the command line.
static int usageError(const char *program, const std::string &message) {
  printError(program, message + "; see --help");
  return EXIT_FAILURE;
}

static constexpr long maxCount = 1000000000;

static bool parseCount(const char *text, int minimum, int &result) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < minimum || value > maxCount)
    return false;
  result = static_cast<int>(value);
  return true;
}

static int countError(const char *program, const char *option,
                      const char *value) {
  return usageError(program,
                    std::string(option) + " wants a whole number from 1 to " +
                        std::to_string(maxCount) + ", not '" + value + "'");
}

static bool parseTolerance(const char *text, double &result) {
  char *end;
  result = strtod(text, &end);
  return end != text && !*end && result >= 0;
}

std::optional<int> gnn::runner::parseOptions(int argumentCount,
                                             char **arguments, bool takesModel,
                                             Options &result) {
  enum Flag {
    Graph = 256,
    Output,
    Weights,
    Check,
    CheckPrefix,
    Json,
    RelativeTolerance,
    AbsoluteTolerance,
    Repeat,
    Threads,
    Interpret,
    Quiet,
    Help
  };
  static const option flags[] = {
      {"graph", required_argument, nullptr, Graph},
      {"output", required_argument, nullptr, Output},
      {"weights", required_argument, nullptr, Weights},
      {"check", required_argument, nullptr, Check},
      {"check-prefix", required_argument, nullptr, CheckPrefix},
      {"json", required_argument, nullptr, Json},
      {"rtol", required_argument, nullptr, RelativeTolerance},
      {"atol", required_argument, nullptr, AbsoluteTolerance},
      {"repeat", required_argument, nullptr, Repeat},
      {"threads", required_argument, nullptr, Threads},
      {"quiet", no_argument, nullptr, Quiet},
      {"help", no_argument, nullptr, Help},
      {"interpret", no_argument, nullptr, Interpret},
      {nullptr, 0, nullptr, 0}};
  const char *program = arguments[0];
  opterr = 0;
  optind = 1;
  for (int flag; (flag = getopt_long(argumentCount, arguments, "-:", flags,
                                     nullptr)) != -1;) {
    switch (flag) {
    case 1: // Not an option.
      if (!takesModel || !result.model.empty())
        return usageError(program,
                          std::string("unexpected argument '") + optarg + "'");
      result.model = optarg;
      break;
    case Graph:
      result.graph = optarg;
      break;
    case Output:
      result.output = optarg;
      break;
    case Weights:
      result.weights = optarg;
      break;
    case Check:
      result.check = optarg;
      break;
    case CheckPrefix:
      result.checkPrefix = optarg;
      break;
    case Json:
      result.json = optarg;
      break;
    case RelativeTolerance:
      if (!parseTolerance(optarg, result.relativeTolerance))
        return usageError(program,
                          std::string("--rtol wants a number of at least 0, "
                                      "not '") +
                              optarg + "'");
      break;
    case AbsoluteTolerance:
      if (!parseTolerance(optarg, result.absoluteTolerance))
        return usageError(program,
                          std::string("--atol wants a number of at least 0, "
                                      "not '") +
                              optarg + "'");
      break;
    case Repeat:
      if (!parseCount(optarg, 1, result.repeat))
        return countError(program, "--repeat", optarg);
      break;
    case Threads:
      if (!parseCount(optarg, 1, result.threads))
        return countError(program, "--threads", optarg);
      break;
    case Interpret:
      if (!takesModel)
        return usageError(program, "a compiled model cannot be interpreted");
      result.interpret = true;
      break;
    case Quiet:
      result.quiet = true;
      break;
    case Help:
      printUsage(program, takesModel);
      return EXIT_SUCCESS;
    case ':':
      return usageError(program, std::string("option '") +
                                     arguments[optind - 1] + "' wants a value");
    default:
      return usageError(program, std::string("unknown option '") +
                                     arguments[optind - 1] + "'");
    }
  }
  if (takesModel && result.model.empty())
    return usageError(program, "name a model");
  if (result.graph.empty())
    return usageError(program, "name a graph with --graph");
  return std::nullopt;
}
