"""Mirage for models of torch. Imports torch.

mirage_backend, reports     torch.compile(model, backend="mirage"), and what it took of each model
from_torch, from_fx         the program that a module, or an FX graph of ATen operators, is
ModuleGraph, BoundProgram   what from_torch returns, and its programs with the module's parameters
register_operator           a program as an operator of torch"""

from .torch_compile import Part, Report, mirage_backend, reports
from .torch_graphs import BoundProgram, ModuleGraph, from_fx, from_torch
from .torch_library import register_operator

__all__ = ["BoundProgram", "ModuleGraph", "Part", "Report", "from_fx", "from_torch", "mirage_backend",
           "register_operator", "reports"]
