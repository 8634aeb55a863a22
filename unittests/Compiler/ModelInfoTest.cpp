//===- ModelInfoTest.cpp - Descriptions of models ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/ModelInfo.h"
#include "TestModule.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace gnn;

namespace {
class ModelInfoTest : public test::ModuleTest {
protected:
  /// The description of the model in `source`; a failed one if it has an error.
  FailureOr<ModelInfo> describe(StringRef source) {
    func::FuncOp entry = parse(source);
    return entry ? describeModel(entry) : FailureOr<ModelInfo>();
  }

  void expectError(StringRef source, StringRef expected) {
    message.clear();
    EXPECT_TRUE(failed(describe(source)));
    EXPECT_NE(message.find(expected.str()), std::string::npos) << message;
  }
};
} // namespace

TEST_F(ModelInfoTest, NamesAndLayers) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%x: tensor<?x6xf32>) -> tensor<?x6xf32> attributes {
        gnn.model = "two-layers", gnn.layers = ["a: ReLU()", "b: ELU()"]} {
      return %x : tensor<?x6xf32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->name, "two-layers");
  EXPECT_EQ(info->getSymbolName(), "two_layers");
  EXPECT_EQ(info->layers, "a: ReLU()\nb: ELU()\n");
  EXPECT_EQ(info->weightBytes, 0);
}

TEST_F(ModelInfoTest, NamesByDefault) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @"3d"(%x: tensor<?xf32>, %y: tensor<?xf32>)
        -> (tensor<?xf32>, tensor<?xf32> {gnn.name = "second"}) {
      return %x, %y : tensor<?xf32>, tensor<?xf32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->name, "3d");
  EXPECT_EQ(info->getSymbolName(), "model_3d");
  EXPECT_EQ(info->inputs[1].name, "arg1");
  EXPECT_EQ(info->outputs[0].name, "y0");
  EXPECT_EQ(info->outputs[1].name, "second");
}

TEST_F(ModelInfoTest, SourcesOfGraphs) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%g: !gnn.graph<csr>,
                 %b: !gnn.graph<csr, bipartite>
                   {gnn.axis = "destination", gnn.graph = 0 : i64},
                 %c: !gnn.graph<csr, bipartite>
                   {gnn.axis = "source", gnn.graph = 1 : i64},
                 %x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->inputs[0].axis, GNN_AXIS_ANY);
  EXPECT_EQ(info->inputs[1].axis, GNN_AXIS_DESTINATION);
  EXPECT_EQ(info->inputs[1].graph, 0);
  EXPECT_EQ(info->inputs[2].axis, GNN_AXIS_SOURCE);
  EXPECT_EQ(info->inputs[2].graph, 1);
  for (const char *attributes :
       {"gnn.axis = \"destination\", gnn.graph = 1 : i64",
        "gnn.axis = \"edge\", gnn.graph = 0 : i64"})
    expectError(std::string("func.func @f(%g: !gnn.graph<csr>, "
                            "%b: !gnn.graph<csr, bipartite> {") +
                    attributes +
                    "}, %x: tensor<?xf32>) -> tensor<?xf32> {\n"
                    "return %x : tensor<?xf32>\n}",
                "expected \"source\" or \"destination\" of a graph before it");
}

TEST_F(ModelInfoTest, NumbersOfNodes) {
  auto reads = [&](StringRef graph, StringRef body) {
    FailureOr<ModelInfo> info = describe(
        (R"mlir(func.func @f(%g: !gnn.graph<)mlir" + graph +
         R"mlir(>, %x: tensor<?xf32>, %table: tensor<9xf32>) -> tensor<?xf32> {
           %y = gnn.message_aggregate [sum] %g src(%x : tensor<?xf32>)
               {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                iterator_types = []} : !gnn.graph<)mlir" +
         graph + R"mlir(> -> tensor<?xf32> {
           ^bb0(%a: f32):
             %i = gnn.index dst
             %j = gnn.index src
             %zero = arith.constant 0.0 : f32
             )mlir" +
         body + R"mlir(
             gnn.yield %r : f32
           }
           return %y : tensor<?xf32>
         })mlir")
            .str());
    EXPECT_TRUE(succeeded(info));
    return succeeded(info) && info->readsNodeNumbers;
  };
  EXPECT_FALSE(reads("csr", R"mlir(
    %loop = arith.cmpi eq, %i, %j : index
    %r = arith.select %loop, %zero, %a : f32)mlir"));
  EXPECT_FALSE(reads("csr", "%r = tensor.extract %x[%j] : tensor<?xf32>"));
  EXPECT_TRUE(reads("csr", "%r = tensor.extract %table[%j] : tensor<9xf32>"));
  EXPECT_TRUE(reads("csr", R"mlir(
    %later = arith.cmpi ugt, %j, %i : index
    %r = arith.select %later, %zero, %a : f32)mlir"));
  EXPECT_TRUE(reads("csr", R"mlir(
    %d = arith.subi %i, %j : index
    %k = arith.index_cast %d : index to i64
    %r = arith.sitofp %k : i64 to f32)mlir"));
  EXPECT_TRUE(reads("causal", "%r = arith.addf %a, %zero : f32"));
}

TEST_F(ModelInfoTest, PositionsAreNumbersOfNodes) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%g: !gnn.graph<csr>) -> tensor<?xi32> {
      %p = gnn.position %g : !gnn.graph<csr> -> tensor<?xi32>
      return %p : tensor<?xi32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_TRUE(info->readsNodeNumbers);
}

TEST_F(ModelInfoTest, OutEdges) {
  auto reads = [&](StringRef graph, StringRef body) {
    FailureOr<ModelInfo> info = describe(
        ("func.func @f(%g: !gnn.graph<" + graph + ">) -> tensor<?xf32> {\n" +
         body + "\nreturn %d : tensor<?xf32>\n}")
            .str());
    EXPECT_TRUE(succeeded(info));
    return succeeded(info) && info->readsOutEdges;
  };
  EXPECT_TRUE(reads(
      "csr", "%d = gnn.degree src %g : !gnn.graph<csr> -> tensor<?xf32>"));
  EXPECT_FALSE(reads(
      "csr", "%d = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xf32>"));
  EXPECT_TRUE(reads("csr", R"mlir(
    %r = gnn.reverse %g : !gnn.graph<csr> -> !gnn.graph<csr>
    %d = gnn.degree dst %r : !gnn.graph<csr> -> tensor<?xf32>)mlir"));
  // The type alone says which edges there are.
  EXPECT_FALSE(reads("complete", R"mlir(
    %r = gnn.reverse %g : !gnn.graph<complete> -> !gnn.graph<complete>
    %d = gnn.degree src %r : !gnn.graph<complete> -> tensor<?xf32>)mlir"));
}

TEST_F(ModelInfoTest, Limits) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%g: !gnn.graph<block_diagonal> {gnn.limit = 512 : i64},
                 %x: tensor<?xi64> {gnn.limit = 30522 : i64},
                 %y: tensor<?xi64>,
                 %z: tensor<?x2xi32> {gnn.limit = array<i32: 5, 6>})
        -> tensor<?xi64> {
      return %x : tensor<?xi64>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->inputs[3].limit, 0);
  EXPECT_EQ(info->inputs[3].limits, (SmallVector<int32_t>{5, 6}));
  EXPECT_EQ(info->inputs[0].limit, 512);
  EXPECT_EQ(info->inputs[1].limit, 30522);
  EXPECT_EQ(info->inputs[2].limit, 0);
}

TEST_F(ModelInfoTest, SparseMatrices) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%g: !gnn.graph<csr>,
                 %m: !gnn.graph<csr, bipartite>
                   {gnn.columns = 9 : i64, gnn.axis = "destination",
                    gnn.graph = 0 : i64},
                 %v: tensor<?xf32> {gnn.axis = "edge", gnn.graph = 1 : i64})
        -> tensor<?xf32> {
      return %v : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  const PortInfo &matrix = info->inputs[1];
  EXPECT_EQ(matrix.kind, GNN_PORT_GRAPH);
  EXPECT_EQ(ArrayRef<int64_t>(matrix.shape), ArrayRef<int64_t>({-1, 9}));
  EXPECT_EQ(matrix.axis, GNN_AXIS_DESTINATION);
  EXPECT_EQ(matrix.graph, 0);
  EXPECT_TRUE(info->inputs[0].shape.empty());
  EXPECT_EQ(info->inputs[2].axis, GNN_AXIS_EDGE);
  EXPECT_EQ(info->inputs[2].graph, 1);
}

TEST_F(ModelInfoTest, Graphs) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%a: !gnn.graph<csr> {gnn.name = "edges"}, %b: !gnn.graph<coo>,
                 %c: !gnn.graph<complete, bipartite>, %d: !gnn.graph<causal>,
                 %e: !gnn.graph<window<5>>, %g: !gnn.graph<block_diagonal>)
        -> tensor<?xi32> {
      %0 = gnn.degree dst %a : !gnn.graph<csr> -> tensor<?xi32>
      return %0 : tensor<?xi32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  gnn_topology expected[] = {
      GNN_TOPOLOGY_CSR,    GNN_TOPOLOGY_CSR,    GNN_TOPOLOGY_COMPLETE,
      GNN_TOPOLOGY_CAUSAL, GNN_TOPOLOGY_WINDOW, GNN_TOPOLOGY_BLOCK_DIAGONAL};
  ASSERT_EQ(info->inputs.size(), std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(info->inputs[i].kind, GNN_PORT_GRAPH);
    EXPECT_EQ(info->inputs[i].topology, expected[i]) << i;
    EXPECT_EQ(info->inputs[i].isBipartite, i == 2) << i;
    EXPECT_EQ(info->inputs[i].window, i == 4 ? 5 : 0) << i;
  }
  EXPECT_EQ(info->inputs[0].name, "edges");
  EXPECT_EQ(info->outputs[0].axis, GNN_AXIS_DESTINATION);
  EXPECT_EQ(info->outputs[0].graph, 0);
}

TEST_F(ModelInfoTest, Tensors) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%g: !gnn.graph<csr>, %a: tensor<?x?x3xf64>, %b: tensor<2x?xi64>,
                 %c: tensor<i1>, %d: tensor<?xi32> {gnn.axis = "edge"})
        -> tensor<?x?x3xf64> {
      return %a : tensor<?x?x3xf64>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->inputs[1].dtype, GNN_FLOAT64);
  EXPECT_EQ(info->inputs[1].shape, (SmallVector<int64_t>{-1, -1, 3}));
  EXPECT_EQ(info->inputs[1].axis, GNN_AXIS_ANY);
  EXPECT_EQ(info->inputs[2].dtype, GNN_INT64);
  EXPECT_EQ(info->inputs[2].axis, GNN_AXIS_FIXED);
  EXPECT_EQ(info->inputs[3].dtype, GNN_BOOL);
  EXPECT_TRUE(info->inputs[3].shape.empty());
  EXPECT_EQ(info->inputs[4].dtype, GNN_INT32);
  EXPECT_EQ(info->inputs[4].axis, GNN_AXIS_EDGE);
  EXPECT_EQ(info->inputs[4].graph, 0);
}

TEST_F(ModelInfoTest, AttributesWinOverWhatFollows) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%g: !gnn.graph<csr>, %h: !gnn.graph<csr>)
        -> (tensor<?xi32>, tensor<?xi32> {gnn.axis = "any"},
            tensor<?xi32> {gnn.axis = "source", gnn.graph = 1}) {
      %0 = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xi32>
      return %0, %0, %0 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->outputs[0].axis, GNN_AXIS_DESTINATION);
  EXPECT_EQ(info->outputs[1].axis, GNN_AXIS_ANY);
  EXPECT_EQ(info->outputs[2].axis, GNN_AXIS_SOURCE);
  EXPECT_EQ(info->outputs[2].graph, 1);
}

TEST_F(ModelInfoTest, NodeTypesAndPaths) {
  FailureOr<ModelInfo> info = describe(R"mlir(
    func.func @f(%g: !gnn.graph<csr, bipartite> {gnn.node_types = ["a", "b"]},
                 %h: !gnn.graph<csr, bipartite> {gnn.node_types = ["b", "a"]},
                 %p: !gnn.graph<csr> {gnn.node_types = ["a", "a"],
                                      gnn.path = array<i32: 0, 1>},
                 %x: tensor<?xf32> {gnn.node_types = ["a"]}) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->inputs[0].nodeTypes, (SmallVector<std::string>{"a", "b"}));
  EXPECT_EQ(info->inputs[2].path, (SmallVector<int32_t>{0, 1}));
  EXPECT_EQ(info->inputs[3].nodeTypes, (SmallVector<std::string>{"a"}));
  EXPECT_TRUE(info->outputs[0].nodeTypes.empty());
}

TEST_F(ModelInfoTest, WeightsAreAlignedAndHashed) {
  func::FuncOp entry = parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %a: tensor<3xf32>, %b: tensor<2x2xi32>)
        -> tensor<?xf32> {
      return %x : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(entry);
  Builder builder(&context);
  auto setWeight = [&](unsigned index, DenseElementsAttr value) {
    entry.setArgAttr(index, GNNDialect::kWeightAttr, value);
  };
  setWeight(
      1, DenseElementsAttr::get(cast<ShapedType>(entry.getArgumentTypes()[1]),
                                ArrayRef<float>{1, 2, 3}));
  // A splat, which is stored as one element.
  setWeight(2, DenseElementsAttr::get(
                   cast<ShapedType>(entry.getArgumentTypes()[2]), int32_t(7)));
  FailureOr<ModelInfo> info = describeModel(entry);
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->inputs[0].kind, GNN_PORT_TENSOR);
  EXPECT_EQ(info->inputs[1].kind, GNN_PORT_WEIGHT);
  EXPECT_EQ(info->inputs[1].offset, 0);
  EXPECT_EQ(info->inputs[2].offset, 64);
  EXPECT_EQ(info->weightBytes, 64 + 16);

  std::vector<char> bytes = serializeWeights(*info);
  ASSERT_EQ(bytes.size(), 80u);
  float floats[3];
  int32_t integers[4];
  memcpy(floats, bytes.data(), sizeof(floats));
  memcpy(integers, bytes.data() + 64, sizeof(integers));
  EXPECT_EQ(floats[2], 3);
  for (int32_t integer : integers)
    EXPECT_EQ(integer, 7);
  for (size_t i = sizeof(floats); i < 64; ++i)
    EXPECT_EQ(bytes[i], 0);
  // LLVM's own implementation of XXH3.
  EXPECT_EQ(info->weightHash,
            llvm::xxh3_64bits(
                ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), 80)));

  setWeight(
      1, DenseElementsAttr::get(cast<ShapedType>(entry.getArgumentTypes()[1]),
                                ArrayRef<float>{1, 2, 4}));
  FailureOr<ModelInfo> changed = describeModel(entry);
  ASSERT_TRUE(succeeded(changed));
  EXPECT_NE(changed->weightHash, info->weightHash);
}

TEST_F(ModelInfoTest, Entry) {
  EXPECT_TRUE(parse(R"mlir(
    func.func private @helper(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    }
    func.func @model(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    })mlir"));
  EXPECT_FALSE(parse(""));
  EXPECT_EQ(message, "a model needs a public function");
}

TEST_F(ModelInfoTest, Errors) {
  expectError("func.func @f(%x: tensor<?xf16>) -> tensor<?xf16> {"
              "  return %x : tensor<?xf16>}",
              "argument 0 has element type 'f16', expected f32, f64, i32, i64 "
              "or i1");
  expectError("func.func @f(%x: tensor<?xf32>) -> f32 {"
              "  %0 = arith.constant 0.0 : f32\n"
              "  return %0 : f32}",
              "result 0 has type 'f32', but a model takes and returns ranked "
              "tensors");
  expectError("func.func @f(%x: tensor<?xf32>) {return}",
              "a model returns at least one tensor");
  expectError("func.func @f(%g: !gnn.graph<csr>,"
              "             %x: tensor<?xf32> {gnn.axis = \"edge\","
              "                                gnn.graph = 1})"
              "    -> tensor<?xf32> {return %x : tensor<?xf32>}",
              "argument 1 has gnn.graph = 1, but the function takes 1 graph");
  expectError(
      "func.func @f(%g: !gnn.graph<csr>,"
      "             %x: tensor<?xf32> {gnn.node_types = [\"a\", \"b\"]})"
      "    -> tensor<?xf32> {return %x : tensor<?xf32>}",
      "expected that of its rows");
  expectError("func.func @f(%g: !gnn.graph<csr> {gnn.node_types = [\"a\"]},"
              "             %x: tensor<?xf32>)"
              "    -> tensor<?xf32> {return %x : tensor<?xf32>}",
              "expected those of sources and destinations");
  expectError("func.func @f(%g: !gnn.graph<csr>,"
              "             %h: !gnn.graph<csr> {gnn.path = array<i32: 0, 1>},"
              "             %x: tensor<?xf32>)"
              "    -> tensor<?xf32> {return %x : tensor<?xf32>}",
              "expected a graph's two or more graphs before it");
  expectError("func.func @f(%g: !gnn.graph<csr, i64>, %x: tensor<?xf32>)"
              "    -> tensor<?xf32> {return %x : tensor<?xf32>}",
              "graphs enter a model with indices of type i32");
}
