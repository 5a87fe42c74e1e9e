"""Adapter for modelvet: a validator in C behind a binding in Python; it tells verdicts alone."""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "protocol"))
import modelvet, protocol


def read(path, stage):
    report = modelvet.verify_path(path, format="gguf")
    if report.accepted:
        return {"verdict": "accept"}
    return {"verdict": "reject", "message": f"{report.violation_name} at offset {report.offset}"}


protocol.serve({"name": "modelvet", "version": modelvet.library_version(), "language": "C", "reads": ["file", "verdict_only"]}, read)
