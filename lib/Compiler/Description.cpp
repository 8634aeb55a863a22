//===- Description.cpp - The gnn_model constant of a compiled model -------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Builds include/gnn/Runtime/Runtime.h's gnn_model and gnn_port in LLVM IR, and
// the function that unpacks the arguments a runtime passes. The struct types
// here and there must agree; GNN_ABI_VERSION counts the changes.
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Compiler.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Compression.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;
using namespace gnn;

namespace {
class DescriptionBuilder {
public:
  DescriptionBuilder(Module &module)
      : module(module), context(module.getContext()),
        pointer(PointerType::getUnqual(context)),
        i32(Type::getInt32Ty(context)), i64(Type::getInt64Ty(context)) {}

  void buildModel(const ModelFunctions &functions, const ModelInfo &info,
                  const gnn::TargetSpec &target, const DeviceCode &device,
                  ModelVersion version);

private:
  /// The C interface of a function.
  Function *getInterface(StringRef name);
  /// A function that takes arguments as gnn_model.invoke does.
  Function *createEntry(StringRef name);
  Value *loadSlot(IRBuilder<> &builder, Function *entry, int64_t number);
  /// Calls `callee` with what the slots for `inputs` say.
  Value *callInterface(IRBuilder<> &builder, Function *entry, Function *callee,
                       Value *results, ArrayRef<int64_t> inputs);
  Function *buildInvoke(StringRef name);
  Function *buildCompute(const PreparationInfo &preparation);
  Constant *preparations(ArrayRef<PreparationInfo> preparations,
                         const ModelInfo &info);
  Constant *string(StringRef text);
  Constant *port(const PortInfo &info);
  Constant *ports(ArrayRef<PortInfo> infos);
  Constant *bytes(ArrayRef<char> bytes);
  Constant *packed(StringRef image);
  Constant *deviceCode(const DeviceCode &device);
  Constant *number(Type *type, uint64_t value) {
    return ConstantInt::get(type, value);
  }
  GlobalVariable *constant(Constant *value, const Twine &name = "") {
    auto *global =
        new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                           GlobalValue::PrivateLinkage, value, name);
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return global;
  }

  Module &module;
  LLVMContext &context;
  PointerType *pointer;
  IntegerType *i32, *i64;
};
} // namespace

/// How many pointers of the argument array a port takes.
static int64_t getNumArguments(const PortInfo &port) {
  if (port.kind != GNN_PORT_GRAPH)
    return 1;
  return port.topology == GNN_TOPOLOGY_CSR ? 3 : 2;
}

/// Of the parts of a model's arguments, those that belong to graphs, with the
/// number of their graph, others with -1.
static SmallVector<int32_t> getGraphsOfArguments(const ModelInfo &info) {
  SmallVector<int32_t> graphs;
  int32_t numGraphs = 0;
  for (const PortInfo &port : info.inputs) {
    bool isGraph = port.kind == GNN_PORT_GRAPH;
    graphs.append(getNumArguments(port), isGraph ? numGraphs : -1);
    numGraphs += isGraph;
  }
  return graphs;
}

Function *DescriptionBuilder::getInterface(StringRef name) {
  return module.getFunction(("_mlir_ciface_" + name).str());
}

Function *DescriptionBuilder::createEntry(StringRef name) {
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer},
                                 /*isVarArg=*/false);
  Function *entry =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  BasicBlock::Create(context, "entry", entry);
  return entry;
}

Value *DescriptionBuilder::loadSlot(IRBuilder<> &builder, Function *entry,
                                    int64_t number) {
  Value *slot =
      builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), number);
  return builder.CreateLoad(pointer, slot);
}

Value *DescriptionBuilder::callInterface(IRBuilder<> &builder, Function *entry,
                                         Function *callee, Value *results,
                                         ArrayRef<int64_t> inputs) {
  SmallVector<Value *> arguments;
  if (results)
    arguments.push_back(results);
  for (int64_t input : inputs) {
    Value *value = loadSlot(builder, entry, input + 1);
    Type *type = callee->getFunctionType()->getParamType(arguments.size());
    arguments.push_back(type->isPointerTy() ? value
                                            : builder.CreateLoad(type, value));
  }
  arguments.push_back(entry->getArg(1));
  return builder.CreateCall(callee, arguments);
}

Function *DescriptionBuilder::buildInvoke(StringRef name) {
  Function *callee = getInterface(name);
  Function *invoke = createEntry("invoke");
  IRBuilder<> builder(&invoke->getEntryBlock());
  // Inputs and values of preparations: all but the results and the session's
  // memory.
  auto inputs = llvm::to_vector(llvm::seq<int64_t>(0, callee->arg_size() - 2));
  callInterface(builder, invoke, callee, loadSlot(builder, invoke, 0), inputs);
  builder.CreateRetVoid();
  return invoke;
}

/// Values come as LLVM lays out a struct of them, and leave as words.
Function *DescriptionBuilder::buildCompute(const PreparationInfo &preparation) {
  Function *callee = getInterface(preparation.function);
  Function *compute = createEntry("prepare");
  IRBuilder<> builder(&compute->getEntryBlock());
  Type *type = module.getFunction(preparation.function)->getReturnType();
  Value *results = builder.CreateAlloca(type);
  bool returnsNumber = !callee->getReturnType()->isVoidTy();
  Value *number =
      callInterface(builder, compute, callee, returnsNumber ? nullptr : results,
                    preparation.inputs);
  if (returnsNumber)
    builder.CreateStore(number, results);
  Value *words = loadSlot(builder, compute, 0);
  size_t numValues = preparation.ranks.size();
  int64_t offset = 0;
  for (auto [i, rank] : llvm::enumerate(preparation.ranks)) {
    Value *from =
        numValues == 1 ? results : builder.CreateStructGEP(type, results, i);
    Value *to =
        builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), words, offset);
    if (rank < 0) {
      Type *element =
          numValues == 1 ? type : cast<StructType>(type)->getElementType(i);
      builder.CreateStore(builder.getInt64(0), to);
      builder.CreateStore(builder.CreateLoad(element, from), to);
      ++offset;
      continue;
    }
    int64_t numWords = 3 + 2 * rank;
    builder.CreateMemCpy(to, Align(8), from, Align(8), 8 * numWords);
    offset += numWords;
  }
  builder.CreateRetVoid();
  return compute;
}

Constant *
DescriptionBuilder::preparations(ArrayRef<PreparationInfo> preparations,
                                 const ModelInfo &info) {
  Constant *null = ConstantPointerNull::get(pointer);
  if (preparations.empty())
    return null;
  SmallVector<int32_t> graphsOfArguments = getGraphsOfArguments(info);
  SmallVector<Constant *> elements;
  for (const PreparationInfo &preparation : preparations) {
    SmallVector<uint32_t> graphs;
    for (int64_t input : preparation.inputs)
      if (input < int64_t(graphsOfArguments.size()) &&
          graphsOfArguments[input] >= 0)
        graphs.push_back(graphsOfArguments[input]);
    llvm::sort(graphs);
    graphs.erase(llvm::unique(graphs), graphs.end());
    SmallVector<Constant *> values;
    for (auto [rank, bytes] : llvm::zip(preparation.ranks, preparation.bytes))
      values.push_back(
          ConstantStruct::getAnon({number(i32, rank), number(i32, bytes)}));
    Constant *table = constant(ConstantArray::get(
        ArrayType::get(values.front()->getType(), values.size()), values));
    Constant *numbers = graphs.empty()
                            ? null
                            : constant(ConstantDataArray::get(context, graphs));
    elements.push_back(ConstantStruct::getAnon(
        {numbers, number(i32, graphs.size()), number(i32, values.size()), table,
         buildCompute(preparation)}));
  }
  return constant(ConstantArray::get(
      ArrayType::get(elements.front()->getType(), elements.size()), elements));
}

Constant *DescriptionBuilder::string(StringRef text) {
  return constant(ConstantDataArray::getString(context, text));
}

Constant *DescriptionBuilder::port(const PortInfo &info) {
  SmallVector<uint64_t> shape(GNN_MAX_RANK, 0);
  llvm::copy(info.shape, shape.begin());
  Constant *null = ConstantPointerNull::get(pointer);
  SmallVector<Constant *> nodeTypes(2, null);
  for (auto [i, type] : llvm::enumerate(info.nodeTypes))
    nodeTypes[i] = string(type);
  auto numbers = [&](ArrayRef<int32_t> values) {
    return values.empty()
               ? null
               : constant(ConstantDataArray::get(
                     context,
                     ArrayRef(reinterpret_cast<const uint32_t *>(values.data()),
                              values.size())));
  };
  return ConstantStruct::getAnon(
      {string(info.name), number(i32, info.kind), number(i32, info.dtype),
       number(i32, info.topology), number(i32, info.shape.size()),
       number(i32, info.axis), number(i32, info.graph),
       number(i64, info.window), number(i64, info.offset),
       ConstantDataArray::get(context, shape), number(i32, info.isBipartite),
       number(i32, info.path.size()), numbers(info.path), nodeTypes[0],
       nodeTypes[1], number(i32, info.limit), number(i32, info.limits.size()),
       numbers(info.limits)});
}

Constant *DescriptionBuilder::ports(ArrayRef<PortInfo> infos) {
  if (infos.empty())
    return ConstantPointerNull::get(pointer);
  SmallVector<Constant *> elements;
  for (const PortInfo &info : infos)
    elements.push_back(port(info));
  return constant(ConstantArray::get(
      ArrayType::get(elements.front()->getType(), elements.size()), elements));
}

Constant *DescriptionBuilder::bytes(ArrayRef<char> bytes) {
  if (bytes.empty())
    return ConstantPointerNull::get(pointer);
  GlobalVariable *block = constant(ConstantDataArray::get(
      context,
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size())));
  block->setAlignment(Align(64));
  return block;
}

/// A zlib stream of the image; NULL if that is not smaller.
Constant *DescriptionBuilder::packed(StringRef image) {
  if (!compression::zlib::isAvailable())
    return nullptr;
  SmallVector<uint8_t> stream;
  compression::zlib::compress(arrayRefFromStringRef(image), stream,
                              compression::zlib::BestSizeCompression);
  if (stream.size() >= image.size())
    return nullptr;
  return ConstantDataArray::get(context, stream);
}

Constant *DescriptionBuilder::deviceCode(const DeviceCode &device) {
  Constant *null = ConstantPointerNull::get(pointer);
  if (device.target == GNN_TARGET_CPU)
    return null;
  SmallVector<Constant *> kernels;
  for (const DeviceCode::Kernel &kernel : device.kernels) {
    Constant *emulate = null;
    if (Function *function = module.getFunction(kernel.name))
      emulate = function;
    kernels.push_back(ConstantStruct::getAnon(
        {string(kernel.name), number(i64, kernel.sharedBytes), emulate}));
  }
  Constant *table = null;
  if (!kernels.empty())
    table = constant(ConstantArray::get(
        ArrayType::get(kernels.front()->getType(), kernels.size()), kernels));
  // PTX is text that ends in NUL, which its size does not count.
  Constant *image = device.image.empty() ? null : string(device.image);
  uint64_t packedBytes = 0;
  if (Constant *stream = device.isPacked ? packed(device.image) : nullptr) {
    image = constant(stream);
    // The module owns both.
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
    packedBytes = cast<ConstantDataArray>(stream)->getNumElements();
  }
  return constant(ConstantStruct::getAnon(
      {string(device.chip), image, number(i64, device.image.size()),
       number(i64, kernels.size()), table, number(i64, packedBytes)}));
}

std::string ModelVersion::getSymbol(const ModelInfo &info) const {
  std::string symbol = info.getSymbolName() + "_model";
  return number ? symbol + "." + std::to_string(number) : symbol;
}

void DescriptionBuilder::buildModel(const ModelFunctions &functions,
                                    const ModelInfo &info,
                                    const gnn::TargetSpec &target,
                                    const DeviceCode &device,
                                    ModelVersion version) {
  Constant *fallback = ConstantPointerNull::get(pointer);
  if (version.hasFallback)
    fallback = module.getOrInsertGlobal(
        ModelVersion{version.number + 1}.getSymbol(info), pointer);
  bool usesTiles = module.getFunction("llvm.x86.tdpbf16ps.internal");
  Constant *model =
      ConstantStruct::getAnon({number(i32, GNN_ABI_VERSION),
                               number(i32, info.inputs.size()),
                               number(i32, info.outputs.size()),
                               number(i32, info.readsNodeNumbers),
                               number(i32, info.readsOutEdges),
                               ports(info.inputs),
                               ports(info.outputs),
                               string(info.name),
                               string(info.layers),
                               string(target.getName()),
                               string(target.getCheckableFeatures(usesTiles)),
                               number(i64, info.weightBytes),
                               number(i64, info.weightHash),
                               buildInvoke(functions.forward),
                               number(i32, device.target),
                               number(i32, functions.preparations.size()),
                               deviceCode(device),
                               bytes(device.weights),
                               fallback,
                               preparations(functions.preparations, info)});
  GlobalVariable *global =
      module.getOrInsertGlobal(version.getSymbol(info), model->getType());
  global->setConstant(true);
  global->setInitializer(model);
  if (version.number)
    return;
  // Weak, so that two models can be linked into one program.
  GlobalVariable *entry = module.getOrInsertGlobal("gnn_model_entry", pointer);
  entry->setConstant(true);
  entry->setInitializer(global);
  entry->setLinkage(GlobalValue::WeakODRLinkage);
}

void gnn::addMain(Module &module, const ModelInfo &info) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *i32 = Type::getInt32Ty(context);
  FunctionCallee run = module.getOrInsertFunction(
      "gnn_main", FunctionType::get(i32, {pointer, i32, pointer},
                                    /*isVarArg=*/false));
  Function *main = Function::Create(
      FunctionType::get(i32, {i32, pointer}, /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, "main", module);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", main));
  GlobalVariable *model =
      module.getGlobalVariable(info.getSymbolName() + "_model");
  builder.CreateRet(
      builder.CreateCall(run, {model, main->getArg(0), main->getArg(1)}));
}

void gnn::addModelDescription(Module &module, const ModelFunctions &functions,
                              const ModelInfo &info,
                              const gnn::TargetSpec &target,
                              const DeviceCode &device, ModelVersion version) {
  DescriptionBuilder builder(module);
  builder.buildModel(functions, info, target, device, version);
  std::string symbol = version.getSymbol(info);
  internalizeModule(module, [&](const GlobalValue &value) {
    return value.getName() == symbol || value.getName() == "gnn_model_entry";
  });
  bool wide = target.getVectorWidth() == 16;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty() || version.number || version.hasFallback)
      function.addFnAttr("target-features", target.features);
    // Vectors of 512 bits are what the kernels were written for.
    if (wide)
      function.addFnAttr("prefer-vector-width", "512");
  }
}
