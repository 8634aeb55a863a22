//===- gnn-bench.cpp - Kernels beside what bounds them ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Every iteration of a benchmark runs the calibrators of a kernel and then the
// kernel. Reported are medians over the iterations, and of their ratio the
// quartiles as well: time of the calibrators by time of the kernel, so that 1
// is the machine's limit.
//
//===----------------------------------------------------------------------===//

#include "Calibrators.h"
#include "Rows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <functional>

using namespace gnn;
using namespace gnn::bench;

namespace {
struct Options {
  int64_t samples = 11;
  /// Bytes from the beginning of a line to that of each input.
  int64_t inputOffset = 0;
  std::string data = GNN_BENCH_DATA, kernels = GNN_BENCH_KERNELS;
  CompilerOptions compiler;
};
} // namespace

/// Inputs that begin with a page later are where others begin.
static constexpr int64_t maxInputOffset = 4096;

/// The value below which the fraction `part` of the samples lies.
static double getQuantile(std::vector<double> samples, double part) {
  llvm::sort(samples);
  return samples[std::lround(part * static_cast<double>(samples.size() - 1))];
}

static double getMedian(const std::vector<double> &samples) {
  return getQuantile(samples, 0.5);
}

/// Runs the kernel and its calibrators in turns.
static llvm::Error measure(benchmark::State &state, const Row &row,
                           int32_t threads) {
  gnn_error error = {};
  if (llvm::Error failure =
          toError(gnn_set_num_threads(threads, &error), error))
    return failure;
  llvm::Expected<Case> made = row.make();
  if (!made)
    return made.takeError();
  // The first run is not counted. The second tells how many make a sample that
  // is long enough for the clock.
  llvm::Expected<double> estimate = 0.0;
  for (int run = 0; run < 2; ++run) {
    estimate = made->kernel->time(1, threads);
    if (!estimate)
      return estimate.takeError();
  }
  constexpr double sampleSeconds = 5e-3;
  int64_t runs = std::max<int64_t>(1, std::lround(sampleSeconds / *estimate));
  made->getBound(threads);

  std::vector<double> seconds, ratios, bounds, writtenRatios;
  while (state.KeepRunning()) {
    bounds.push_back(made->getBound(threads));
    llvm::Expected<double> time = made->kernel->time(runs, threads);
    if (!time)
      return time.takeError();
    seconds.push_back(*time);
    ratios.push_back(bounds.back() / *time);
    if (made->getWrittenBound)
      writtenRatios.push_back(made->getWrittenBound(threads) / *time);
    state.SetIterationTime(*time);
  }
  double median = getMedian(seconds);
  state.counters["ms"] = 1e3 * median;
  state.counters["fastest_ms"] =
      1e3 * *std::min_element(seconds.begin(), seconds.end());
  state.counters["bound_ms"] = 1e3 * getMedian(bounds);
  state.counters["ratio"] = getMedian(ratios);
  state.counters["ratio_q1"] = getQuantile(ratios, 0.25);
  state.counters["ratio_q3"] = getQuantile(ratios, 0.75);
  if (!writtenRatios.empty())
    state.counters["written_ratio"] = getMedian(writtenRatios);
  if (made->flops > 0)
    state.counters["gflops"] = made->flops / median / 1e9;
  if (made->bytes > 0)
    state.counters["gather_gbs"] = made->bytes / median / 1e9;
  return llvm::Error::success();
}

/// A benchmark of its own for each number of threads.
static void registerForThreads(
    const std::string &name, int64_t samples,
    const std::function<void(benchmark::State &, int32_t)> &run) {
  for (int32_t threads : {1, 2}) {
    std::string label = name + "/threads:" + std::to_string(threads);
    // The library owns it, which the analyzer takes for a leak.
#ifndef __clang_analyzer__
    benchmark::RegisterBenchmark(
        label.c_str(),
        [run, threads](benchmark::State &state) { run(state, threads); })
        ->Iterations(samples)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
#endif
  }
}

/// Whether a row could not be measured, which ends the program with status 1.
static bool hasFailed = false;

static void registerRow(const Row &row, int64_t samples) {
  registerForThreads(
      row.name, samples, [&row](benchmark::State &state, int32_t threads) {
        if (llvm::Error error = measure(state, row, threads)) {
          state.SkipWithError(llvm::toString(std::move(error)).c_str());
          hasFailed = true;
        }
      });
}

/// The calibrators alone.
static void registerCalibrators(int64_t samples) {
  using Calibrator = double (*)(int32_t);
  const std::pair<const char *, Calibrator> calibrators[] = {
      {"calibrator/fma", gnn_bench_fma_rate},
      {"calibrator/exp", gnn_bench_exp_rate},
      {"calibrator/bf16", gnn_bench_bf16_rate},
      {"calibrator/amx", gnn_bench_amx_rate},
      {"calibrator/region", gnn_bench_region_rate},
      {"calibrator/barrier", gnn_bench_barrier_rate}};
  for (auto [name, calibrator] : calibrators) {
    // Not every machine has the unit.
    if (calibrator(1) == 0)
      continue;
    registerForThreads(
        name, samples,
        [calibrator = calibrator](benchmark::State &state, int32_t threads) {
          std::vector<double> rates;
          while (state.KeepRunning()) {
            rates.push_back(calibrator(threads));
            state.SetIterationTime(1 / rates.back());
          }
          state.counters["giga_per_s"] = getMedian(rates) / 1e9;
        });
  }
}

/// Turns the passes of a list of names on or off, which `option` has.
static bool turn(llvm::StringRef option, llvm::StringRef names, bool isOn,
                 CompilerOptions &compiler) {
  GNNToLLVMOptions pipeline;
  for (llvm::StringRef name : llvm::split(names, ',')) {
    if (!pipeline.findSwitch(name)) {
      llvm::errs() << "gnn-bench: " << option
                   << " takes names of passes as gnn-compile's options have "
                      "them, not '"
                   << name << "'\n";
      return false;
    }
    compiler.switches[name] = isOn;
  }
  return true;
}

/// Takes our options out of the arguments.
static bool parseOptions(int &argc, char **argv, Options &options) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument.consume_front("--samples=")) {
      if (argument.getAsInteger(10, options.samples) || options.samples < 1) {
        llvm::errs()
            << "gnn-bench: --samples takes a number of at least 1, not '"
            << argument << "'\n";
        return false;
      }
    } else if (argument.consume_front("--input-offset=")) {
      if (argument.getAsInteger(10, options.inputOffset) ||
          options.inputOffset < 0 || options.inputOffset > maxInputOffset ||
          options.inputOffset % sizeof(float) != 0) {
        llvm::errs()
            << "gnn-bench: --input-offset takes bytes of whole floats, "
            << "0 to " << maxInputOffset << ", not '" << argument << "'\n";
        return false;
      }
    } else if (argument.consume_front("--long-row-edges=")) {
      int64_t edges;
      if (argument.getAsInteger(10, edges) || edges < 0) {
        llvm::errs()
            << "gnn-bench: --long-row-edges takes a number of at least 0, not '"
            << argument << "'\n";
        return false;
      }
      options.compiler.longRowEdges = edges;
    } else if (argument.consume_front("--data=")) {
      options.data = argument;
    } else if (argument.consume_front("--kernels=")) {
      options.kernels = argument;
    } else if (argument.consume_front("--without=")) {
      if (!turn("--without", argument, /*isOn=*/false, options.compiler))
        return false;
    } else if (argument.consume_front("--with=")) {
      if (!turn("--with", argument, /*isOn=*/true, options.compiler))
        return false;
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return true;
}

static void printHelp() {
  printf(
      "gnn-bench [--samples=<of each row, default 11>]\n"
      "          [--data=<folder of cora.npz, citeseer.npz and facebook.npz>]\n"
      "          [--kernels=<folder of the kernels' templates>]\n"
      "          [--input-offset=<bytes from a line of the caches to inputs>]\n"
      "          [--long-row-edges=<of a part of a long row, 0 to leave rows "
      "whole>]\n"
      "          [--without=<switches of gnn-compile to turn off, with commas "
      "between>]\n"
      "          [--with=<switches to turn on that are off for this "
      "processor>]\n"
      "and the options of Google Benchmark:\n");
  benchmark::PrintDefaultHelp();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  if (const char *folder = getenv("GNN_DATA_DIR"))
    options.data = folder;
  if (!parseOptions(argc, argv, options))
    return EXIT_FAILURE;
  benchmark::Initialize(&argc, argv, printHelp);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return EXIT_FAILURE;
  GraphStore graphs(options.data);
  std::vector<Row> rows = makeRows(
      options.kernels, options.compiler,
      options.inputOffset / static_cast<int64_t>(sizeof(float)), graphs);
  registerCalibrators(options.samples);
  for (const Row &row : rows)
    registerRow(row, options.samples);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return hasFailed ? EXIT_FAILURE : EXIT_SUCCESS;
}
