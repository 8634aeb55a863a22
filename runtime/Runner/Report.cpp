//===- Report.cpp - What a run found out ------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "../Error.h"

#include "gnn/Support/Printable.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace gnn::runner;
using gnn::rt::fail;

double Report::getMedianRunMs() const {
  std::vector<double> sorted = runMs;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle]
                           : (sorted[middle - 1] + sorted[middle]) / 2;
}

static double toMegabytes(int64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

void gnn::runner::printTable(const Report &report) {
  printf("%-12s %s\n", "model", gnn::makePrintable(report.model).c_str());
  printf("%-12s %s\n", "graph", gnn::makePrintable(report.graph).c_str());
  for (const std::string &note : report.notes)
    printf("%-12s %s\n", "note", gnn::makePrintable(note).c_str());
  printf("%-12s %" PRId64 "\n", "nodes", report.nodes);
  printf("%-12s %" PRId64 "\n", "edges", report.edges);
  printf("%-12s %.2f ms\n", report.prepareName.c_str(), report.prepareMs);
  printf("%-12s %.2f ms\n", "read", report.readMs);
  printf("%-12s %.2f ms\n", "build graph", report.bindMs);
  if (report.batches) {
    printf("%-12s %" PRId64 "\n", "rows", report.seeds);
    printf("%-12s %" PRId64 ", the largest of %" PRId64 " nodes and %" PRId64
           " edges\n",
           "batches", report.batches, report.batchNodes, report.batchEdges);
    printf("%-12s %.2f ms\n", "make batches", report.sampleMs);
  }
  if (!report.targetCPU.empty())
    printf("%-12s for %s\n", "code", report.targetCPU.c_str());
  if (report.runMs.size() == 1)
    printf("%-12s %.3f ms", "run", report.runMs.front());
  else
    printf("%-12s %.3f ms median, %.3f min, %.3f max of %zu", "run",
           report.getMedianRunMs(),
           *std::min_element(report.runMs.begin(), report.runMs.end()),
           *std::max_element(report.runMs.begin(), report.runMs.end()),
           report.runMs.size());
  if (!report.device.empty())
    printf(" on %s\n", report.device.c_str());
  else if (report.threadsOfRun == report.threads)
    printf(" on %d thread%s\n", report.threads, report.threads == 1 ? "" : "s");
  else
    printf(" on %d of %d threads in the end\n", report.threadsOfRun,
           report.threads);
  if (report.preparations.computations)
    printf("%-12s %.3f ms in the first run, %.1f MB kept for others\n",
           "graph, once", report.preparations.seconds * 1e3,
           toMegabytes(report.preparations.bytes_held));
  if (!report.replays.empty())
    printf("%-12s %s\n", "replay", report.replays.c_str());
  printf("%-12s %.1f MB, of which %.1f MB for the run\n", "peak memory",
         toMegabytes(report.peakBytes), toMegabytes(report.runBytes));
  for (const auto &[name, value] : report.accuracies)
    printf("%-12s %.2f %% of %s %s\n", "accuracy", value * 100, name.c_str(),
           report.accuracyRows);
  if (report.isChecked)
    printf("%-12s %s, largest relative error %.2e%s%s\n", "check",
           report.comparison.matches ? "matches" : "DIFFERS",
           report.comparison.relativeError,
           report.comparison.worst.empty() ? "" : " at ",
           report.comparison.worst.c_str());
}

static std::string quote(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", c);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

gnn_status gnn::runner::writeJson(const Report &report, const std::string &path,
                                  gnn_error *error) {
  // Renaming a file to the path of a device would replace the device.
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return fail(error, GNN_IO_ERROR,
                "cannot write '%.400s': it is not a regular file",
                path.c_str());
  // A file of that name is the user's.
  std::string temporary = path + ".tmp";
  FILE *file = fopen(temporary.c_str(), "wx");
  for (int i = 1; !file && errno == EEXIST; ++i) {
    temporary = path + "." + std::to_string(i) + ".tmp";
    file = fopen(temporary.c_str(), "wx");
  }
  if (!file)
    return fail(error, GNN_IO_ERROR, "cannot write '%.400s': %s", path.c_str(),
                strerror(errno));
  fprintf(file,
          "{\n  \"model\": %s,\n  \"graph\": %s,\n  \"nodes\": %" PRId64
          ",\n  \"edges\": %" PRId64 ",\n",
          quote(report.model).c_str(), quote(report.graph).c_str(),
          report.nodes, report.edges);
  fprintf(file,
          "  \"%s_ms\": %.6f,\n  \"read_ms\": %.6f,\n  \"build_ms\": %.6f,\n",
          report.prepareName.c_str(), report.prepareMs, report.readMs,
          report.bindMs);
  fprintf(file, "  \"run_ms_median\": %.6f,\n  \"run_ms\": [",
          report.getMedianRunMs());
  for (size_t i = 0; i < report.runMs.size(); ++i)
    fprintf(file, "%s%.6f", i ? ", " : "", report.runMs[i]);
  fprintf(file,
          "],\n  \"threads\": %d,\n  \"threads_of_last_run\": %d,\n  "
          "\"input_bytes\": %" PRId64 ",\n  \"output_bytes\": %" PRId64
          ",\n  \"weight_bytes\": %" PRId64 ",\n  \"run_bytes\": %" PRId64
          ",\n  \"peak_memory_mb\": %.3f",
          report.threads, report.threadsOfRun, report.inputBytes,
          report.outputBytes, report.weightBytes, report.runBytes,
          toMegabytes(report.peakBytes));
  if (!report.device.empty())
    fprintf(file, ",\n  \"device\": %s", quote(report.device).c_str());
  if (!report.targetCPU.empty())
    fprintf(file, ",\n  \"target_cpu\": %s", quote(report.targetCPU).c_str());
  if (report.preparations.computations)
    fprintf(file, ",\n  \"graph_once_ms\": %.6f,\n  \"kept_bytes\": %" PRId64,
            report.preparations.seconds * 1e3, report.preparations.bytes_held);
  if (!report.replays.empty())
    fprintf(file, ",\n  \"replay\": %s", quote(report.replays).c_str());
  if (report.batches)
    fprintf(file,
            ",\n  \"rows\": %" PRId64 ",\n  \"batches\": %" PRId64
            ",\n  \"largest_batch_nodes\": %" PRId64
            ",\n  \"largest_batch_edges\": %" PRId64
            ",\n  \"batches_ms\": %.6f",
            report.seeds, report.batches, report.batchNodes, report.batchEdges,
            report.sampleMs);
  if (!report.accuracies.empty()) {
    fprintf(file, ",\n  \"accuracy\": {");
    for (size_t i = 0; i < report.accuracies.size(); ++i)
      fprintf(file, "%s%s: %.6f", i ? ", " : "",
              quote(report.accuracies[i].first).c_str(),
              report.accuracies[i].second);
    fprintf(file, "}");
  }
  if (report.isChecked) {
    fprintf(file, ",\n  \"matches\": %s,\n  \"relative_error\": ",
            report.comparison.matches ? "true" : "false");
    // JSON has no infinity, which a NaN is away from any number.
    if (std::isfinite(report.comparison.relativeError))
      fprintf(file, "%.6e", report.comparison.relativeError);
    else
      fprintf(file, "null");
  }
  fprintf(file, "\n}\n");
  bool failed = ferror(file);
  failed |= fclose(file) != 0;
  if (!failed && rename(temporary.c_str(), path.c_str()) == 0)
    return GNN_OK;
  int cause = errno;
  remove(temporary.c_str());
  return fail(error, GNN_IO_ERROR, "cannot write '%.400s': %s", path.c_str(),
              strerror(cause));
}
