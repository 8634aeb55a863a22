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

  Function *buildInvoke(Function *forward, const ModelInfo &info);
  void buildModel(Function *invoke, const ModelInfo &info,
                  const gnn::TargetSpec &target, const DeviceCode &device,
                  ModelVersion version);

private:
  Constant *string(StringRef text);
  Constant *port(const PortInfo &info);
  Constant *ports(ArrayRef<PortInfo> infos);
  Constant *bytes(ArrayRef<char> bytes);
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
static unsigned getNumArguments(const PortInfo &port) {
  if (port.kind != GNN_PORT_GRAPH)
    return 1;
  return port.topology == GNN_TOPOLOGY_CSR ? 3 : 2;
}

/// Which of a graph's arguments are numbers rather than descriptors.
static bool isNumber(const PortInfo &port, unsigned argument) {
  if (port.kind != GNN_PORT_GRAPH)
    return false;
  switch (port.topology) {
  case GNN_TOPOLOGY_CSR:
    return argument == 2;
  case GNN_TOPOLOGY_BLOCK_DIAGONAL:
    return false;
  default:
    return true;
  }
}

Function *DescriptionBuilder::buildInvoke(Function *forward,
                                          const ModelInfo &info) {
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer},
                                 /*isVarArg=*/false);
  Function *invoke =
      Function::Create(type, GlobalValue::InternalLinkage, "invoke", module);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", invoke));
  SmallVector<Value *> arguments;
  auto loadNext = [&] {
    Value *slot = builder.CreateConstInBoundsGEP1_64(pointer, invoke->getArg(0),
                                                     arguments.size());
    return builder.CreateLoad(pointer, slot);
  };
  arguments.push_back(loadNext());
  for (const PortInfo &port : info.inputs)
    for (unsigned i = 0, e = getNumArguments(port); i < e; ++i) {
      Value *value = loadNext();
      arguments.push_back(isNumber(port, i) ? builder.CreateLoad(i64, value)
                                            : value);
    }
  arguments.push_back(invoke->getArg(1));
  builder.CreateCall(forward, arguments);
  builder.CreateRetVoid();
  return invoke;
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
  Constant *path = null;
  if (!info.path.empty())
    path = constant(ConstantDataArray::get(
        context, ArrayRef(reinterpret_cast<const uint32_t *>(info.path.data()),
                          info.path.size())));
  return ConstantStruct::getAnon(
      {string(info.name), number(i32, info.kind), number(i32, info.dtype),
       number(i32, info.topology), number(i32, info.shape.size()),
       number(i32, info.axis), number(i32, info.graph),
       number(i64, info.window), number(i64, info.offset),
       ConstantDataArray::get(context, shape), number(i32, info.isBipartite),
       number(i32, info.path.size()), path, nodeTypes[0], nodeTypes[1],
       number(i32, info.limit), number(i32, 0)});
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
  return constant(ConstantStruct::getAnon(
      {string(device.chip), image, number(i64, device.image.size()),
       number(i64, kernels.size()), table}));
}

std::string ModelVersion::getSymbol(const ModelInfo &info) const {
  std::string symbol = info.getSymbolName() + "_model";
  return number ? symbol + "." + std::to_string(number) : symbol;
}

void DescriptionBuilder::buildModel(Function *invoke, const ModelInfo &info,
                                    const gnn::TargetSpec &target,
                                    const DeviceCode &device,
                                    ModelVersion version) {
  Constant *fallback = ConstantPointerNull::get(pointer);
  if (version.hasFallback)
    fallback = module.getOrInsertGlobal(
        ModelVersion{version.number + 1}.getSymbol(info), pointer);
  bool usesTiles = module.getFunction("llvm.x86.tdpbf16ps.internal");
  Constant *model = ConstantStruct::getAnon(
      {number(i32, GNN_ABI_VERSION), number(i32, info.inputs.size()),
       number(i32, info.outputs.size()), number(i32, info.readsNodeNumbers),
       ports(info.inputs), ports(info.outputs), string(info.name),
       string(info.layers), string(target.cpu),
       string(target.getCheckableFeatures(usesTiles)),
       number(i64, info.weightBytes), number(i64, info.weightHash), invoke,
       number(i32, device.target), number(i32, 0), deviceCode(device),
       bytes(device.weights), fallback});
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

void gnn::addModelDescription(Module &module, Function *forward,
                              const ModelInfo &info,
                              const gnn::TargetSpec &target,
                              const DeviceCode &device, ModelVersion version) {
  DescriptionBuilder builder(module);
  builder.buildModel(builder.buildInvoke(forward, info), info, target, device,
                     version);
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
