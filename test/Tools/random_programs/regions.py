"""Regions of ops: random scalar functions."""

from .values import FLOATS, HALVES, LIMIT, Scalar, is_float


class Region:
    """Writes scalar ops."""

    def __init__(self, program, scalars):
        self.program = program
        self.random = program.random
        self.scalars = list(scalars)
        self.lines = []

    def op(self, text, element, bound, is_exact):
        name = self.program.new_name()
        self.lines.append(f"{name} = {text}")
        return Scalar(name, element, bound, is_exact)

    def index(self, text):
        return self.op(text, "index", 1, True)

    def constant(self, value, element):
        if is_float(element):
            value = float(value)
        elif element == "i1":
            value = "true" if value else "false"
            return self.op(f"arith.constant {value}", element, 1, True)
        return self.op(f"arith.constant {value} : {element}", element,
                       abs(float(value)), True)

    def cast(self, a, element):
        """`a` as another type; integers are made small before they become floats."""
        if a.element == element:
            return a
        old = a.element
        if is_float(old) and is_float(element):
            widths = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
            if widths[old] == widths[element]:
                return self.cast(self.cast(a, "f32"), element)
            name = "extf" if widths[old] < widths[element] else "truncf"
            if element in HALVES:
                self.program.use_halves()
            return self.op(f"arith.{name} {a.name} : {old} to {element}", element,
                           a.bound, a.is_exact)
        if is_float(old):
            if element == "i1":
                zero = self.constant(0.3, old)
                return self.op(f"arith.cmpf ogt, {a.name}, {zero.name} : {old}", "i1",
                               1, True)
            return self.op(f"arith.fptosi {a.name} : {old} to {element}", element,
                           a.bound, True)
        if is_float(element):
            if old == "i1":
                return self.op(f"arith.uitofp {a.name} : i1 to {element}", element, 1,
                               True)
            if old == "index":
                return self.cast(self.cast(a, "i32"), element)
            mask = self.constant(3, old)
            b = self.op(f"arith.andi {a.name}, {mask.name} : {old}", old, 3, True)
            return self.op(f"arith.sitofp {b.name} : {old} to {element}", element, 3,
                           True)
        widths = {"i1": 1, "i8": 8, "i32": 32, "i64": 64}
        if "index" in (old, element):
            if "i1" in (old, element):
                return self.cast(self.cast(a, "i32"), element)
            return self.op(f"arith.index_cast {a.name} : {old} to {element}", element,
                           a.bound, True)
        if widths[old] < widths[element]:
            name = "extui" if old == "i1" else self.random.choice(["extsi", "extui"])
        else:
            name = "trunci"
        return self.op(f"arith.{name} {a.name} : {old} to {element}", element,
                       a.bound if old != "i1" else 1, True)

    def can_cast(self, a, element):
        return is_float(a.element) <= (is_float(element) or a.is_exact)

    def pick(self, element):
        """Some scalar as this type."""
        fitting = [a for a in self.scalars if self.can_cast(a, element)]
        same = [a for a in fitting if a.element == element]
        if same and self.random.random() < 0.8:
            return self.random.choice(same)
        if fitting and self.random.random() < 0.9:
            return self.cast(self.random.choice(fitting), element)
        return self.constant(self.random.choice([0.5, 1, 0.25, 2])
                             if is_float(element) else self.random.randrange(3),
                             element)

    def condition(self):
        """A comparison of what is exact."""
        exact = [a for a in self.scalars if a.is_exact and a.element != "i1"]
        bools = [a for a in self.scalars if a.element == "i1"]
        if bools and (not exact or self.random.random() < 0.4):
            return self.random.choice(bools)
        if not exact:
            return self.constant(self.random.randrange(2), "i1")
        a = self.random.choice(exact)
        same = [b for b in exact if b.element == a.element]
        if self.random.random() < 0.5:
            b = self.random.choice(same)
        else:
            b = self.constant(self.random.choice([0, 0.25, 1])
                              if is_float(a.element) else self.random.randrange(4),
                              a.element)
        if is_float(a.element):
            kind = self.random.choice(["ogt", "olt", "oge", "ole", "ogt", "une", "oeq"])
            return self.op(f"arith.cmpf {kind}, {a.name}, {b.name} : {a.element}", "i1",
                           1, True)
        kind = self.random.choice(["sgt", "slt", "sge", "sle", "eq", "ne", "ult"])
        return self.op(f"arith.cmpi {kind}, {a.name}, {b.name} : {a.element}", "i1", 1,
                       True)

    def settle(self, a):
        """`a`, or less where it is large."""
        if not is_float(a.element) or a.bound <= LIMIT:
            return a
        if self.random.random() < 0.5:
            return self.op(f"math.tanh {a.name} : {a.element}", a.element, 1, False)
        scale = 1.0
        while a.bound * scale > LIMIT:
            scale /= 2
        b = self.constant(scale, a.element)
        return self.op(f"arith.mulf {a.name}, {b.name} : {a.element}", a.element,
                       a.bound * scale, a.is_exact and a.element not in HALVES)

    def float_step(self, element):
        e = element
        # Whole numbers become halves without rounding, but what follows rounds.
        if e in HALVES:
            self.program.use_halves()
        a = self.pick(e)

        def op(text, bound, is_exact=False):
            return self.op(f"{text} : {e}", e, bound, is_exact)

        def number(value):
            return self.constant(value, e).name

        kind = self.random.choice([
            "add", "add", "sub", "mul", "mul", "max", "min", "relu", "leaky", "select",
            "tanh", "sigmoid", "exp", "abs", "neg", "sqrt", "log", "sin", "erf",
            "rsqrt", "div", "fma", "scale", "expm1", "gelu", "cast", "clamp", "square"])
        if kind in ("add", "sub", "mul", "max", "min"):
            b = self.pick(e)
            name = {"max": self.random.choice(["maximumf", "maxnumf"]),
                    "min": self.random.choice(["minimumf", "minnumf"])}.get(
                        kind, kind + "f")
            bound = {"mul": a.bound * b.bound, "max": max(a.bound, b.bound),
                     "min": max(a.bound, b.bound)}.get(kind, a.bound + b.bound)
            return op(f"arith.{name} {a.name}, {b.name}", bound,
                      kind in ("max", "min") and a.is_exact and b.is_exact)
        if kind == "relu":
            return op(f"arith.maximumf {a.name}, {number(0)}", a.bound, a.is_exact)
        if kind == "leaky":
            zero = number(0)
            slope = number(self.random.choice([0.25, 0.2, 0.01]))
            low = op(f"arith.mulf {a.name}, {slope}", a.bound)
            condition = self.op(f"arith.cmpf ogt, {a.name}, {zero} : {e}", "i1", 1,
                                False)
            return op(f"arith.select {condition.name}, {a.name}, {low.name}", a.bound)
        if kind == "select":
            condition = self.condition()
            b = self.pick(e)
            return op(f"arith.select {condition.name}, {a.name}, {b.name}",
                      max(a.bound, b.bound), a.is_exact and b.is_exact)
        if kind in ("tanh", "sin", "erf"):
            return op(f"math.{kind} {a.name}", 1)
        if kind == "sigmoid":
            negative = op(f"arith.negf {a.name}", a.bound)
            power = op(f"math.exp {negative.name}", 1)
            one = number(1)
            total = op(f"arith.addf {one}, {power.name}", 1)
            return op(f"arith.divf {one}, {total.name}", 1)
        if kind in ("exp", "expm1"):
            least = op(f"arith.minimumf {a.name}, {number(1)}", a.bound)
            return op(f"math.{kind} {least.name}", 2.72)
        if kind == "abs":
            return op(f"math.absf {a.name}", a.bound, a.is_exact)
        if kind == "neg":
            return op(f"arith.negf {a.name}", a.bound, a.is_exact)
        if kind in ("sqrt", "log", "rsqrt", "div", "square"):
            square = op(f"arith.mulf {a.name}, {a.name}", a.bound**2)
            if kind == "square":
                return square
            more = op(f"arith.addf {square.name}, {number(1)}", a.bound**2 + 1)
            if kind == "div":
                return op(f"arith.divf {self.pick(e).name}, {more.name}", LIMIT)
            return op(f"math.{kind} {more.name}", a.bound + 1)
        if kind == "fma":
            b, c = self.pick(e), self.pick(e)
            return op(f"math.fma {a.name}, {b.name}, {c.name}",
                      a.bound * b.bound + c.bound)
        if kind == "scale":
            return op(f"arith.mulf {a.name}, "
                      f"{number(self.random.choice([0.5, -2, 0.1, 1, 0]))}",
                      2 * a.bound)
        if kind == "gelu":
            part = op(f"arith.mulf {a.name}, {number(0.7071)}", a.bound)
            error = op(f"math.erf {part.name}", 1)
            more = op(f"arith.addf {error.name}, {number(1)}", 2)
            half = op(f"arith.mulf {a.name}, {number(0.5)}", a.bound)
            return op(f"arith.mulf {half.name}, {more.name}", a.bound)
        if kind == "cast":
            other = self.random.choice(FLOATS if self.program.has_halves
                                       else ["f32", "f64"])
            return self.cast(self.cast(a, other), e)
        low = op(f"arith.maximumf {a.name}, {number(-1)}", a.bound, a.is_exact)
        return op(f"arith.minimumf {low.name}, {number(1)}", 1, a.is_exact)

    def int_step(self, element):
        e = element
        a = self.pick(e)
        if e == "i1":
            if self.random.random() < 0.5:
                return self.condition()
            name = self.random.choice(["andi", "ori", "xori"])
            return self.op(f"arith.{name} {a.name}, {self.pick(e).name} : i1", e, 1,
                           True)
        kind = self.random.choice(["addi", "subi", "muli", "maxsi", "minsi", "andi",
                                   "ori", "xori", "shift", "rem", "select", "maxui"])
        if kind == "shift":
            name = self.random.choice(["shli", "shrsi", "shrui"])
            b = self.constant(self.random.randrange(5), e)
        elif kind == "rem":
            name = self.random.choice(["remsi", "divsi", "remui"])
            b = self.constant(self.random.choice([1, 2, 3, 7]), e)
        elif kind == "select":
            condition = self.condition()
            return self.op(f"arith.select {condition.name}, {a.name}, "
                           f"{self.pick(e).name} : {e}", e, 1, True)
        else:
            name, b = kind, self.pick(e)
        return self.op(f"arith.{name} {a.name}, {b.name} : {e}", e, 1, True)

    def compute(self, element, steps):
        """A scalar of this type out of some steps, each added to what there is."""
        last = None
        for _ in range(steps):
            e = element if self.random.random() < 0.85 else self.program.any_element()
            last = self.settle(self.float_step(e) if is_float(e) else self.int_step(e))
            self.scalars.append(last)
        if last is None or not self.can_cast(last, element):
            last = self.pick(element)
        return self.settle(self.cast(last, element))
