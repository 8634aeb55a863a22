//===- Options.cpp - Command line of programs that run models ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runner.h"
#include "gnn/Support/Printable.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>

using namespace gnn::runner;

void gnn::runner::ignoreFileSizeSignal() { std::signal(SIGXFSZ, SIG_IGN); }

void gnn::runner::printError(const char *program, const std::string &message) {
  fprintf(stderr, "%s: error: %s\n", program,
          gnn::makePrintable(message).c_str());
}

int gnn::runner::finishOutput(const char *program) {
  int cause = fflush(stdout) != 0 ? errno : ferror(stdout) ? EIO : 0;
  if (!cause)
    return EXIT_SUCCESS;
  printError(program, std::string("cannot write to standard output: ") +
                          strerror(cause));
  return EXIT_FAILURE;
}

static void printUsage(const char *program, Models models) {
  printf("Usage: %s %s--graph FILE [options]\n\n", program,
         models == Models::Own ? "" : "MODEL ");
  if (models != Models::Own)
    printf("MODEL is a library made by gnn-compile%s.\n\n",
           models == Models::Any ? ", a model folder or a .mlir file" : "");
  printf(
      "  --graph FILE        graph and features: .npz, .mtx, .txt, .edges, "
      ".csv, .tsv;\n"
      "                      several files, or a folder of them, are joined "
      "to one\n"
      "                      graph of separate graphs\n"
      "  --features A=FILE   take array A from FILE, an .npy, which is "
      "mapped into\n"
      "                      memory, or a sparse matrix from SciPy's .npz\n"
      "  --output FILE       write the outputs to FILE, an .npz\n"
      "  --weights FILE      weights file (default: MODEL.weights)\n"
      "  --repeat N          run N times and report the median (default: "
      "1)\n"
      "  --threads N         threads to use (default: all)\n"
      "  --all-threads       run on all of them, also where runs before were "
      "faster on fewer\n"
      "  --device N          GPU to use, of models for GPUs (default: the "
      "environment's\n"
      "                      GNN_DEVICE, else 0)\n"
      "  --target-cpu NAME   run the code for this processor, of models "
      "that have it for\n"
      "                      several (default: the first that runs here)\n"
      "  --replay            capture the launches of a run on a GPU, and "
      "replay them in\n"
      "                      the following ones (with --repeat)\n"
      "  --recompute         compute in every run what depends on the "
      "graph alone\n"
      "  --check FILE        compare the outputs with the arrays of FILE\n"
      "  --check-prefix P    what the names in that file begin with\n"
      "  --rtol X            tolerance relative to the largest magnitude "
      "(default: 1e-5)\n"
      "  --atol X            absolute tolerance (default: 1e-6)\n"
      "  --json FILE         write the report as JSON as well\n"
      "  --quiet             print errors only\n"
      "\nGraphs too large to run on at once:\n"
      "  --sample N,N,...    sample N in-neighbours (-1: all) at each hop "
      "from the seeds\n"
      "  --seeds NODES       nodes to compute: 0,5,17 or @FILE.npy or all "
      "(default)\n"
      "  --batch-size N      seeds that are computed together (default: "
      "1024)\n"
      "  --seed S            of the random numbers (default: 0)\n"
      "  --replace           an edge may be sampled several times\n"
      "  --clusters K        divide the graph into K parts (METIS) and run "
      "on each\n"
      "  --save-batches DIR  write each batch, a graph file, into DIR\n\n");
  if (models == Models::Any)
    printf(
        "  --interpret[=bf16]  evaluate the specification in float64 instead "
        "of compiling; with\n"
        "                      bf16, f16 or tf32, factors of matrix products "
        "are rounded to that\n");
  printf("  --help              this text\n");
}

/// A mistake on the command line.
int gnn::runner::reportUsage(const char *program, const std::string &message) {
  printError(program, message + "; see --help");
  return EXIT_FAILURE;
}

int gnn::runner::reportArgument(int flag, char **arguments) {
  const char *program = arguments[0];
  if (flag == 1)
    return reportUsage(program,
                       std::string("unexpected argument '") + optarg + "'");
  // getopt_long has passed a wrong option, but not one dash before several
  // letters: each could be an option.
  const char *argument = arguments[optind - 1];
  bool isLetter = flag == '?' && optopt > 0 && optopt < 256;
  if (isLetter && argument != std::string({'-', static_cast<char>(optopt)}))
    argument = arguments[optind];
  std::string option = std::string("option '") + argument + "'";
  return reportUsage(program, flag == ':' ? option + " wants a value"
                                          : "unknown " + option);
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
  return reportUsage(program,
                     std::string(option) + " wants a whole number from 1 to " +
                         std::to_string(maxCount) + ", not '" + value + "'");
}

/// "10,-1,5": whole numbers of at least `Minimum`.
static bool parseList(const char *text, int minimum,
                      std::vector<int64_t> &result) {
  result.clear();
  for (std::string rest = text;;) {
    size_t comma = rest.find(',');
    int value;
    if (!parseCount(rest.substr(0, comma).c_str(), minimum, value))
      return false;
    result.push_back(value);
    if (comma == std::string::npos)
      return true;
    rest.erase(0, comma + 1);
  }
}

static bool parseSeed(const char *text, uint64_t &result) {
  char *end;
  errno = 0;
  result = strtoull(text, &end, 10);
  return !errno && end != text && !*end && *text >= '0' && *text <= '9';
}

/// "x=FILE.npy"
static bool parseFeature(const std::string &text, Options &result) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return false;
  result.features.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return true;
}

/// Options that need another one, or exclude it.
static std::string findConflict(const Options &options,
                                const char *samplingOption) {
  if (!options.fanOuts.empty() && options.clusters)
    return "--sample and --clusters exclude each other";
  if (options.fanOuts.empty() && samplingOption)
    return std::string(samplingOption) +
           " is for sampling; give --sample as well";
  if (!options.saveBatches.empty() && options.fanOuts.empty() &&
      !options.clusters)
    return "--save-batches is for --sample and --clusters";
  return "";
}

static bool parseTolerance(const char *text, double &result) {
  char *end;
  result = strtod(text, &end);
  return end != text && !*end && result >= 0;
}

std::optional<int> gnn::runner::parseOptions(int argumentCount,
                                             char **arguments, Models models,
                                             Options &result) {
  enum Flag {
    Graph = 256,
    Features,
    Output,
    Weights,
    Check,
    CheckPrefix,
    Json,
    RelativeTolerance,
    AbsoluteTolerance,
    Repeat,
    Threads,
    AllThreads,
    Interpret,
    Quiet,
    Help,
    Sample,
    Seeds,
    BatchSize,
    Seed,
    Replace,
    Clusters,
    SaveBatches,
    DeviceNumber,
    Replay,
    Recompute,
    TargetCPU
  };
  static const option flags[] = {
      {"graph", required_argument, nullptr, Graph},
      {"features", required_argument, nullptr, Features},
      {"output", required_argument, nullptr, Output},
      {"weights", required_argument, nullptr, Weights},
      {"check", required_argument, nullptr, Check},
      {"check-prefix", required_argument, nullptr, CheckPrefix},
      {"json", required_argument, nullptr, Json},
      {"rtol", required_argument, nullptr, RelativeTolerance},
      {"atol", required_argument, nullptr, AbsoluteTolerance},
      {"repeat", required_argument, nullptr, Repeat},
      {"threads", required_argument, nullptr, Threads},
      {"all-threads", no_argument, nullptr, AllThreads},
      {"device", required_argument, nullptr, DeviceNumber},
      {"replay", no_argument, nullptr, Replay},
      {"recompute", no_argument, nullptr, Recompute},
      {"target-cpu", required_argument, nullptr, TargetCPU},
      {"quiet", no_argument, nullptr, Quiet},
      {"help", no_argument, nullptr, Help},
      {"interpret", optional_argument, nullptr, Interpret},
      {"sample", required_argument, nullptr, Sample},
      {"seeds", required_argument, nullptr, Seeds},
      {"batch-size", required_argument, nullptr, BatchSize},
      {"seed", required_argument, nullptr, Seed},
      {"replace", no_argument, nullptr, Replace},
      {"clusters", required_argument, nullptr, Clusters},
      {"save-batches", required_argument, nullptr, SaveBatches},
      {nullptr, 0, nullptr, 0}};
  const char *program = arguments[0];
  const char *samplingOption = nullptr;
  opterr = 0;
  optind = 1;
  for (int flag; (flag = getopt_long(argumentCount, arguments, "-:", flags,
                                     nullptr)) != -1;) {
    switch (flag) {
    case 1: // Not an option.
      if (models == Models::Own || !result.model.empty())
        return reportArgument(flag, arguments);
      result.model = optarg;
      break;
    case Graph:
      result.graphs.emplace_back(optarg);
      break;
    case Features:
      if (!parseFeature(optarg, result))
        return reportUsage(program, std::string("--features wants NAME=FILE, "
                                                "not '") +
                                        optarg + "'");
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
        return reportUsage(program,
                           std::string("--rtol wants a number of at least 0, "
                                       "not '") +
                               optarg + "'");
      break;
    case AbsoluteTolerance:
      if (!parseTolerance(optarg, result.absoluteTolerance))
        return reportUsage(program,
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
    case AllThreads:
      result.allThreads = true;
      break;
    case DeviceNumber:
      if (!parseCount(optarg, 0, result.device))
        return reportUsage(program,
                           std::string("--device wants the number of a GPU, 0 "
                                       "or more, not '") +
                               optarg + "'");
      break;
    case TargetCPU:
      result.targetCPU = optarg;
      break;
    case Replay:
      result.replay = true;
      break;
    case Recompute:
      result.recompute = true;
      break;
    case Interpret:
      if (models != Models::Any)
        return reportUsage(program, "a compiled model cannot be interpreted");
      result.interpret = true;
      result.factors = optarg ? optarg : "f32";
      break;
    case Quiet:
      result.quiet = true;
      break;
    case Sample:
      if (!parseList(optarg, -1, result.fanOuts))
        return reportUsage(
            program, std::string("--sample wants the neighbours to sample "
                                 "at each hop, such as 10,10, -1 for all, "
                                 "not '") +
                         optarg + "'");
      break;
    case Seeds:
      result.seeds = optarg;
      samplingOption = "--seeds";
      break;
    case BatchSize:
      if (!parseCount(optarg, 1, result.batchSize))
        return countError(program, "--batch-size", optarg);
      samplingOption = "--batch-size";
      break;
    case Seed:
      if (!parseSeed(optarg, result.randomSeed))
        return reportUsage(program, std::string("--seed wants a whole number "
                                                "from 0 to 2^64 - 1, not '") +
                                        optarg + "'");
      samplingOption = "--seed";
      break;
    case Replace:
      result.replace = true;
      samplingOption = "--replace";
      break;
    case Clusters:
      if (!parseCount(optarg, 1, result.clusters))
        return countError(program, "--clusters", optarg);
      break;
    case SaveBatches:
      result.saveBatches = optarg;
      break;
    case Help:
      printUsage(program, models);
      return finishOutput(program);
    default:
      return reportArgument(flag, arguments);
    }
  }
  if (models != Models::Own && result.model.empty())
    return reportUsage(program, "name a model");
  if (result.graphs.empty())
    return reportUsage(program, "name a graph with --graph");
  if (std::string conflict = findConflict(result, samplingOption);
      !conflict.empty())
    return reportUsage(program, conflict);
  return std::nullopt;
}
