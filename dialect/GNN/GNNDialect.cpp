//===- GNNDialect.cpp - The gnn dialect -------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Dialect/GNN/Preparation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

#include "gnn/Dialect/GNN/GNNDialect.cpp.inc"
#include "gnn/Dialect/GNN/GNNEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "gnn/Dialect/GNN/GNNAttributes.cpp.inc"

namespace {
/// Ops of the dialect are pure and may move between functions.
struct GNNInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
};
} // namespace

void GNNDialect::initialize() {
  registerTypes();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "gnn/Dialect/GNN/GNNAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "gnn/Dialect/GNN/GNNOps.cpp.inc"
      >();
  addInterfaces<GNNInlinerInterface>();
}

Operation *GNNDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// The attributes of modules with code for a GPU.
static LogicalResult verifyKernelAttribute(Operation *op,
                                           NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == GNNDialect::kEmulatedKernelAttr) {
    if (!isa<FunctionOpInterface>(op))
      return op->emitError() << "'" << name << "' belongs on a function";
    return success();
  }
  if (!isa<ModuleOp>(op))
    return op->emitError() << "'" << name << "' belongs on a module";
  if (name == GNNDialect::kDeviceImageAttr) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitError() << "'" << name << "' must be a string";
    return success();
  }
  auto kernels = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!kernels || !llvm::all_of(kernels, [](Attribute kernel) {
        auto fields = dyn_cast<DictionaryAttr>(kernel);
        return fields && fields.getAs<StringAttr>("name") &&
               fields.getAs<IntegerAttr>("shared_bytes");
      }))
    return op->emitError() << "'" << name
                           << "' must be an array of kernels, each with its "
                              "'name' and 'shared_bytes'";
  return success();
}

/// Of a function that was divided: those that compute values for it.
static LogicalResult verifyPreparations(Operation *op,
                                        NamedAttribute attribute) {
  auto preparations = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!preparations || !llvm::all_of(preparations, [](Attribute preparation) {
        auto fields = dyn_cast<DictionaryAttr>(preparation);
        return fields && fields.getAs<StringAttr>("function") &&
               llvm::all_of(ArrayRef({"inputs", "ranks", "bytes"}),
                            [&](StringRef name) {
                              return fields.getAs<DenseI64ArrayAttr>(name);
                            });
      }))
    return op->emitError()
           << "'" << kPreparationsAttr
           << "' must be an array of functions, each with its 'function', "
              "'inputs', 'ranks' and 'bytes'";
  return success();
}

LogicalResult GNNDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  // What an exponential, a maximum or a parallel loop becomes takes its
  // attributes along.
  if (name == kNeverPositiveAttr || name == kBoundedAttr ||
      name == kUnitIntervalAttr || name == kIgnoresNaNAttr ||
      name == kAnyRowOrderAttr || name == kByRowsAttr) {
    if ((name == kNeverPositiveAttr || name == kBoundedAttr) &&
        op->getName().getDialectNamespace() == "math" &&
        op->getName().getStringRef() != "math.exp" &&
        op->getName().getStringRef() != "math.exp2")
      return op->emitError()
             << "'" << name << "' belongs on math.exp or math.exp2";
    if (name == kUnitIntervalAttr &&
        op->getName().getDialectNamespace() == "math" &&
        op->getName().getStringRef() != "math.log1p")
      return op->emitError() << "'" << name << "' belongs on math.log1p";
    if (name == kByRowsAttr && !isa<AttentionOp>(op))
      return op->emitError() << "'" << name << "' belongs on gnn.attention";
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "'" << name << "' takes no value";
    return success();
  }
  if (llvm::is_contained({kKernelsAttr, kDeviceImageAttr, kEmulatedKernelAttr},
                         name))
    return verifyKernelAttribute(op, attribute);
  if (name == kPreparationsAttr)
    return verifyPreparations(op, attribute);
  if (name != kModelAttr && name != kLayersAttr)
    return op->emitError() << "unknown attribute '" << name
                           << "'; the gnn dialect knows '" << kModelAttr
                           << "' and '" << kLayersAttr << "' on functions";
  if (!isa<FunctionOpInterface>(op))
    return op->emitError() << "'" << name << "' belongs on a function";
  if (name == kModelAttr && !isa<StringAttr>(attribute.getValue()))
    return op->emitError() << "'" << name << "' must be a string";
  if (name == kLayersAttr) {
    auto layers = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!layers || !llvm::all_of(layers, llvm::IsaPred<StringAttr>))
      return op->emitError() << "'" << name << "' must be an array of strings";
  }
  return success();
}

/// Shared by arguments and results: the attributes mean the same on both.
static LogicalResult verifyPortAttribute(Operation *op,
                                         NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == GNNDialect::kNameAttr) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitError() << "'" << name << "' must be a string";
    return success();
  }
  if (name == GNNDialect::kAxisAttr) {
    auto axis = dyn_cast<StringAttr>(attribute.getValue());
    if (!axis || !llvm::is_contained({"source", "destination", "edge", "any"},
                                     axis.getValue()))
      return op->emitError() << "'" << name
                             << "' must be \"source\", \"destination\", "
                                "\"edge\" or \"any\"";
    return success();
  }
  if (name == GNNDialect::kGraphAttr) {
    if (!isa<IntegerAttr>(attribute.getValue()))
      return op->emitError() << "'" << name << "' must be an integer";
    return success();
  }
  if (name == GNNDialect::kNodeTypesAttr) {
    auto types = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!types || types.empty() || types.size() > 2 ||
        !llvm::all_of(types, llvm::IsaPred<StringAttr>))
      return op->emitError()
             << "'" << name << "' must be an array of one or two strings";
    return success();
  }
  if (name == GNNDialect::kPathAttr) {
    if (!isa<DenseI32ArrayAttr>(attribute.getValue()))
      return op->emitError()
             << "'" << name << "' must be an array of 32-bit integers";
    return success();
  }
  return op->emitError() << "unknown attribute '" << name
                         << "'; arguments and results know '"
                         << GNNDialect::kNameAttr << "', '"
                         << GNNDialect::kAxisAttr << "', '"
                         << GNNDialect::kGraphAttr << "', '"
                         << GNNDialect::kNodeTypesAttr << "' and '"
                         << GNNDialect::kPathAttr << "'";
}

/// Limits of columns are as many as these.
static LogicalResult verifyLimits(Operation *op, unsigned argument,
                                  ArrayRef<int32_t> limits) {
  if (llvm::any_of(limits, [](int32_t limit) { return limit < 1; }))
    return op->emitError() << "'" << GNNDialect::kLimitAttr
                           << "' must have limits from 1 to " << INT32_MAX;
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argument]);
  bool hasIntegers = type && (type.getElementType().isInteger(32) ||
                              type.getElementType().isInteger(64));
  if (!hasIntegers || type.getRank() == 0 ||
      type.getShape().back() != int64_t(limits.size()))
    return op->emitError() << "'" << GNNDialect::kLimitAttr << "' with "
                           << limits.size()
                           << " limits belongs on a tensor of i32 or i64 with "
                              "so many columns, but argument "
                           << argument << " is "
                           << function.getArgumentTypes()[argument];
  return success();
}

/// A limit is of whole numbers, and has room in the C interface.
static LogicalResult verifyLimit(Operation *op, unsigned argument,
                                 Attribute attribute) {
  if (auto limits = dyn_cast<DenseI32ArrayAttr>(attribute))
    return verifyLimits(op, argument, limits.asArrayRef());
  auto limit = dyn_cast<IntegerAttr>(attribute);
  if (!limit || limit.getInt() < 1 || limit.getInt() > INT32_MAX)
    return op->emitError() << "'" << GNNDialect::kLimitAttr
                           << "' must be an integer from 1 to " << INT32_MAX;
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  Type type = function.getArgumentTypes()[argument];
  // A buffer stands for a tensor once it was lowered.
  auto values = dyn_cast<ShapedType>(type);
  bool hasIntegers = values && (values.getElementType().isInteger(32) ||
                                values.getElementType().isInteger(64));
  if (!hasIntegers && !isa<GNNGraphType>(type))
    return op->emitError() << "'" << GNNDialect::kLimitAttr
                           << "' belongs on a graph or a tensor of i32 or i64, "
                              "but argument "
                           << argument << " is " << type;
  return success();
}

/// Columns of a sparse matrix, which is a graph from these to its rows.
static LogicalResult verifyColumns(Operation *op, unsigned argument,
                                   Attribute attribute) {
  auto columns = dyn_cast<IntegerAttr>(attribute);
  if (!columns || columns.getInt() < 1 || columns.getInt() > INT32_MAX)
    return op->emitError() << "'" << GNNDialect::kColumnsAttr
                           << "' must be an integer from 1 to " << INT32_MAX;
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  Type type = function.getArgumentTypes()[argument];
  auto graph = dyn_cast<GNNGraphType>(type);
  if (!graph || graph.getTopology() != Topology::CSR || !graph.getBipartite())
    return op->emitError()
           << "'" << GNNDialect::kColumnsAttr
           << "' belongs on a bipartite csr graph, but argument " << argument
           << " is " << type;
  return success();
}

static LogicalResult verifyFixed(Operation *op, Attribute attribute) {
  auto kind = dyn_cast<StringAttr>(attribute);
  if (!kind || (kind != kGraphPart && kind != kWeightPart))
    return op->emitError() << "'" << kFixedAttr << "' must be \"" << kGraphPart
                           << "\" or \"" << kWeightPart << "\"";
  return success();
}

LogicalResult GNNDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kLimitAttr)
    return verifyLimit(op, argument, attribute.getValue());
  if (attribute.getName() == kColumnsAttr)
    return verifyColumns(op, argument, attribute.getValue());
  if (attribute.getName() == kFixedAttr)
    return verifyFixed(op, attribute.getValue());
  if (attribute.getName() != kWeightAttr)
    return verifyPortAttribute(op, attribute);
  auto value = dyn_cast<ElementsAttr>(attribute.getValue());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!value ||
      (function && value.getType() != function.getArgumentTypes()[argument]))
    return op->emitError() << "'" << kWeightAttr
                           << "' must be a constant of the argument's type";
  return success();
}

LogicalResult
GNNDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return verifyPortAttribute(op, attribute);
}
