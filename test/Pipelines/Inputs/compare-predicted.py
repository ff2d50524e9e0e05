"""compare-predicted.py preset.json default.json: which of two searches of a program found what is
predicted to take less."""
import json
import sys

preset, default = (json.load(open(name))["graphs"][0] for name in sys.argv[1:])
if default["predictedUs"] == preset["predictedUs"]:
    print("as long")
elif default["predictedUs"] < preset["predictedUs"]:
    print(f"the default less, {default['kernels']} kernels in place of {preset['kernels']}")
else:
    print(f"the preset less, {preset['predictedUs']} us in place of {default['predictedUs']}")
