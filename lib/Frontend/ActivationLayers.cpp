//===- ActivationLayers.cpp - Activations, by name or as layers -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An activation of single elements is a row of a table: a layer type, and a
// name that arguments of other layers give it.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// The table of activations
//===----------------------------------------------------------------------===//

struct gnn::frontend::ActivationSpec {
  /// The class of `torch.nn`.
  StringRef type;
  /// Its function.
  StringRef name;
  /// Parameters are those that are not ignored: numbers, or places in lists of
  /// choices.
  SmallVector<Argument> arguments;
  Value (*apply)(ScalarBuilder &s, Value a, ArrayRef<double> parameters);
  /// What it needs, where some numbers make no function.
  StringRef rule = "";
  bool (*isValid)(ArrayRef<double> parameters) = nullptr;

  SmallVector<Argument> getParameters() const {
    SmallVector<Argument> parameters;
    llvm::copy_if(arguments, std::back_inserter(parameters),
                  [](const Argument &argument) {
                    return argument.kind != ArgumentKind::Ignored;
                  });
    return parameters;
  }
};

static ArrayRef<ActivationSpec> getActivationSpecs() {
  using Kind = ArgumentKind;
  using S = ScalarBuilder;
  using Numbers = ArrayRef<double>;
  const Argument inplace{"inplace", Kind::Ignored, "false"};
  const Argument alpha{"alpha", Kind::Number, "1.0"};
  static const std::vector<ActivationSpec> specs{
      {"ReLU",
       "relu",
       {inplace},
       [](S &s, Value a, Numbers) { return s.relu(a); }},
      {"ReLU6",
       "relu6",
       {inplace},
       [](S &s, Value a, Numbers) { return s.clip(a, 0, 6); }},
      {"ELU",
       "elu",
       {alpha, inplace},
       [](S &s, Value a, Numbers p) { return s.elu(a, p[0]); }},
      {"CELU",
       "celu",
       {alpha, inplace},
       [](S &s, Value a, Numbers p) { return s.elu(a, p[0], p[0]); },
       "an 'alpha' that is not 0",
       [](Numbers p) { return p[0] != 0; }},
      {"SELU",
       "selu",
       {inplace},
       [](S &s, Value a, Numbers) {
         // Klambauer et al. 2017.
         return s.mul(s.constant(1.0507009873554804934),
                      s.elu(a, 1.6732632423543772848));
       }},
      {"LeakyReLU",
       "leaky_relu",
       {{"negative_slope", Kind::Number, "0.01"}, inplace},
       [](S &s, Value a, Numbers p) { return s.leakyReLU(a, p[0]); }},
      {"GELU",
       "gelu",
       {{"approximate", Kind::Choice, "none", {"none", "tanh"}}},
       [](S &s, Value a, Numbers p) {
         return p[0] == 0 ? s.gelu(a) : s.geluTanh(a);
       }},
      {"SiLU",
       "silu",
       {inplace},
       [](S &s, Value a, Numbers) { return s.silu(a); }},
      {"Mish",
       "mish",
       {inplace},
       [](S &s, Value a, Numbers) { return s.mish(a); }},
      {"Sigmoid",
       "sigmoid",
       {},
       [](S &s, Value a, Numbers) { return s.sigmoid(a); }},
      {"LogSigmoid",
       "logsigmoid",
       {},
       [](S &s, Value a, Numbers) { return s.logSigmoid(a); }},
      {"Hardsigmoid",
       "hardsigmoid",
       {inplace},
       [](S &s, Value a, Numbers) { return s.hardSigmoid(a); }},
      {"Hardswish",
       "hardswish",
       {inplace},
       [](S &s, Value a, Numbers) { return s.mul(a, s.hardSigmoid(a)); }},
      {"Tanh", "tanh", {}, [](S &s, Value a, Numbers) { return s.tanh(a); }},
      {"Tanhshrink",
       "tanhshrink",
       {},
       [](S &s, Value a, Numbers) { return s.sub(a, s.tanh(a)); }},
      {"Hardtanh",
       "hardtanh",
       {{"min_val", Kind::Number, "-1.0"},
        {"max_val", Kind::Number, "1.0"},
        inplace},
       [](S &s, Value a, Numbers p) { return s.clip(a, p[0], p[1]); },
       "a 'min_val' that is less than its 'max_val'",
       [](Numbers p) { return p[0] < p[1]; }},
      {"Softplus",
       "softplus",
       {{"beta", Kind::Number, "1.0"}, {"threshold", Kind::Number, "20.0"}},
       [](S &s, Value a, Numbers p) { return s.softplus(a, p[0], p[1]); },
       "a 'beta' that is not 0",
       [](Numbers p) { return p[0] != 0; }},
      {"Softsign",
       "softsign",
       {},
       [](S &s, Value a, Numbers) {
         return s.div(a, s.add(s.constant(1), s.abs(a)));
       }},
  };
  return specs;
}

ArrayRef<StringRef> gnn::frontend::getActivationNames() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> all;
    for (const ActivationSpec &spec : getActivationSpecs())
      all.push_back(spec.name);
    return all;
  }();
  return names;
}

Value Activation::apply(ScalarBuilder &s, Value value) const {
  return spec ? spec->apply(s, value, parameters) : value;
}

/// The value of a parameter. None if it is no number or choice of it.
static std::optional<double> readParameter(const Argument &argument,
                                           const Node &value) {
  if (argument.kind == ArgumentKind::Number)
    return value.getNumber();
  const auto *choice = llvm::find(argument.choices, StringRef(value.text));
  if (!value.isScalar() || choice == argument.choices.end())
    return std::nullopt;
  return choice - argument.choices.begin();
}

static void checkParameters(LayerBuilder &layer, const Activation &activation) {
  const ActivationSpec *spec = activation.spec;
  if (spec && spec->isValid && !spec->isValid(activation.parameters))
    (void)layer.error(layer.describe() + " needs " + spec->rule);
}

//===----------------------------------------------------------------------===//
// As an argument
//===----------------------------------------------------------------------===//

/// What `act_kwargs` of an activation may hold, for messages.
static std::string describeParameters(ArrayRef<Argument> parameters) {
  std::string text;
  for (const Argument &parameter : parameters)
    text += (text.empty() ? "'" : ", and '") + parameter.name.str() + "', " +
            (parameter.kind == ArgumentKind::Number
                 ? "a number"
                 : formatChoices(parameter.choices));
  return text.empty() ? "nothing" : text;
}

Activation gnn::frontend::getActivation(LayerBuilder &layer, StringRef argument,
                                        StringRef kwargs) {
  Activation result;
  if (!layer.isNull(argument))
    result.spec =
        llvm::find_if(getActivationSpecs(), [&](const ActivationSpec &spec) {
          return spec.name == layer.getChoice(argument);
        });
  SmallVector<Argument> parameters;
  if (result.spec)
    parameters = result.spec->getParameters();
  for (const Argument &parameter : parameters) {
    Node value;
    value.text = parameter.defaultValue;
    result.parameters.push_back(*readParameter(parameter, value));
  }
  if (kwargs.empty() || layer.isNull(kwargs))
    return result;
  for (const auto &[key, value] : layer.getArgument(kwargs).entries) {
    const auto *parameter =
        llvm::find_if(parameters, [&key = key](const Argument &one) {
          return one.name == key.text;
        });
    std::optional<double> number;
    if (parameter != parameters.end())
      number = readParameter(*parameter, value);
    if (!number) {
      (void)layer.argumentError(kwargs, "'" + kwargs + "' of " +
                                            layer.describe() + " has '" +
                                            key.text + ": " + value.format() +
                                            "'; this activation takes " +
                                            describeParameters(parameters));
      return result;
    }
    result.parameters[parameter - parameters.begin()] = *number;
  }
  checkParameters(layer, result);
  return result;
}

//===----------------------------------------------------------------------===//
// As a layer
//===----------------------------------------------------------------------===//

static Value buildActivation(LayerBuilder &layer) {
  Activation activation;
  activation.spec =
      llvm::find_if(getActivationSpecs(), [&](const ActivationSpec &spec) {
        return spec.type == layer.getType();
      });
  for (const Argument &parameter : activation.spec->getParameters())
    activation.parameters.push_back(
        *readParameter(parameter, layer.getArgument(parameter.name)));
  checkParameters(layer, activation);
  return layer.elementwise(layer.getInput(),
                           [&](ScalarBuilder &s, ValueRange v) {
                             return activation.apply(s, v[0]);
                           });
}

/// What no argument of a layer names.
static Value buildShiftedSoftplus(LayerBuilder &layer) {
  return shiftedSoftplus(layer, layer.getInput());
}

//===----------------------------------------------------------------------===//
// With weights
//===----------------------------------------------------------------------===//

static Value buildPReLU(LayerBuilder &layer) {
  int64_t count = layer.getSize("num_parameters");
  if (count > 1) {
    if (failed(layer.checkChannels("num_parameters")))
      return {};
    return layer.update(
        layer.getInput(), layer.weight("weight", {count}), "f, f -> f",
        [](ScalarBuilder &s, ValueRange v) { return s.leakyReLU(v[0], v[1]); });
  }
  double slope = layer.readNumber("weight");
  return layer.elementwise(
      layer.getInput(),
      [&](ScalarBuilder &s, ValueRange v) { return s.leakyReLU(v[0], slope); });
}

//===----------------------------------------------------------------------===//
// Of whole rows
//===----------------------------------------------------------------------===//

/// Rows minus their maximum, so that no exponential of them overflows.
static Value subtractMaximum(LayerBuilder &layer, Value rows) {
  return layer.update(
      {rows, layer.maxOverChannels(rows)}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[0], v[1]); });
}

Value gnn::frontend::softmax(LayerBuilder &layer, Value rows) {
  Value exponentials = layer.update(
      subtractMaximum(layer, rows), {}, "f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.expOfNegative(v[0]); });
  Value sum = layer.update(exponentials, {}, "f ->",
                           [](ScalarBuilder &, ValueRange v) { return v[0]; });
  // One division for a row.
  Value factor = layer.elementwise(
      sum, [](ScalarBuilder &s, ValueRange v) { return s.inverse(v[0]); });
  return scaleRows(layer, exponentials, factor);
}

static Value buildSoftmax(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  return softmax(layer, layer.getInput());
}

static Value buildLogSoftmax(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value shifted = subtractMaximum(layer, layer.getInput());
  Value sum =
      layer.update(shifted, {}, "f ->", [](ScalarBuilder &s, ValueRange v) {
        return s.expOfNegative(v[0]);
      });
  // One logarithm for a row.
  Value logarithm = layer.elementwise(
      sum, [](ScalarBuilder &s, ValueRange v) { return s.log(v[0]); });
  return layer.update(
      {shifted, logarithm}, {}, "f, -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.sub(v[0], v[1]); });
}

static Value buildGLU(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Value rows = layer.getInput();
  int64_t channels = getNumChannels(rows), half = channels / 2;
  if (channels % 2 != 0)
    return layer.error(layer.describe() +
                       " halves rows and needs an even number of channels, "
                       "got " +
                       Twine(channels));
  Value content = layer.slice(rows, 0, half);
  Value gate = layer.slice(rows, half, half);
  return layer.elementwise({content, gate}, [](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], s.sigmoid(v[1]));
  });
}

//===----------------------------------------------------------------------===//
// The table of layers
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getActivationLayers() {
  using Kind = ArgumentKind;
  std::vector<LayerSpec> layers;
  for (const ActivationSpec &spec : getActivationSpecs())
    layers.push_back({spec.type, buildActivation, Reads::Rows, EdgeInput::None,
                      spec.arguments});
  layers.push_back({"ShiftedSoftplus", buildShiftedSoftplus});
  layers.push_back(
      {"PReLU",
       buildPReLU,
       Reads::Rows,
       EdgeInput::None,
       {{"num_parameters", Kind::Size, "1"}, {"init", Kind::Ignored, "0.25"}}});
  const Argument dim{"dim", Kind::Choice, "-1", {"-1", "1"}};
  layers.push_back(
      {"Softmax", buildSoftmax, Reads::Rows, EdgeInput::None, {dim}});
  layers.push_back(
      {"LogSoftmax", buildLogSoftmax, Reads::Rows, EdgeInput::None, {dim}});
  layers.push_back({"GLU", buildGLU, Reads::Rows, EdgeInput::None, {dim}});
  return layers;
}
