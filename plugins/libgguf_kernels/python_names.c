// The data of Python that libgguf's library refers to.
//
// The library is a Python module; its row functions are plain C beside it and call nothing of
// Python.  Opened lazily it wants functions only when they are called, but data at once: with
// these in the process it opens without Python.  Nobody reads them.
void *PyExc_OverflowError, *PyExc_RuntimeError, *PyExc_ValueError;
char _Py_FalseStruct[256], _Py_NoneStruct[256], _Py_TrueStruct[256];
