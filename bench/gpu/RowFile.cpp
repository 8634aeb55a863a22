//===- RowFile.cpp - What is to be timed ------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowFile.h"

#include <fstream>
#include <sstream>

using namespace gnn::bench;

std::vector<Row> gnn::bench::readRows(const std::string &path,
                                      std::string &mistake) {
  std::vector<Row> result;
  std::ifstream file(path);
  if (!file) {
    mistake = "cannot read '" + path + "'";
    return result;
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream fields(line);
    Row row;
    std::string rest;
    fields >> row.family >> row.name >> row.kernel >> row.precision >>
        row.shapes >> row.graph >> row.rows >> row.replay >> row.ceiling >>
        row.workOfRow >> row.workOfEdge;
    if (!fields || fields >> rest) {
      mistake = path + ":" + std::to_string(number) +
                ": a row has 11 fields: family, name, kernel, precision, "
                "shapes, graph, rows, replay, ceiling, work of a row and of an "
                "edge";
      return {};
    }
    result.push_back(row);
  }
  return result;
}
