"""The weights of the taggers: for each tier an ONNX file, and a manifest with its hash and its combination.

Made by scripts/names; docs/models describes what they were trained on.
"""
