"""import docstring"""
# import comment
name = "__main__"
if name == "__main__":
    pass
importlib.import_module(variable)
import_module("not a module")

testing = 1
