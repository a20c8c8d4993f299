"""The structures that ctypes has are the C compiler's.

    layout.py COMPILER HEADERS
"""

import ctypes
import os
import subprocess
import sys
import tempfile

from psg import _library


def lines():
    """What is printed for each structure and field: its name, place and size."""
    for name, structure in sorted(_library.STRUCTURES.items()):
        yield name, 0, ctypes.sizeof(structure), "sizeof(%s)" % name, "0"
        for field, *_ in structure._fields_:
            place = getattr(structure, field)
            yield ("%s.%s" % (name, field), place.offset, place.size, "sizeof(((%s *)0)->%s)" % (name, field),
                   "offsetof(%s, %s)" % (name, field))


def main():
    compiler, headers = sys.argv[1:]
    expected = "".join("%s %d %d\n" % (name, offset, size) for name, offset, size, _, _ in lines())
    body = "".join('    printf("%s %%zu %%zu\\n", (size_t)%s, %s);\n' % (name, offset, size)
                   for name, _, _, size, offset in lines())
    counts = 'printf("%d %d\\n", PSG_STAGE_COUNT, PSG_LINK_COUNT);'
    text = "#include <psg_observe.h>\n#include <stdio.h>\nint main(void) {\n%s    %s\n}\n" % (body, counts)
    expected += "%d %d\n" % (_library.STAGES, _library.LINKS)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([compiler, "-I", headers, "-o", program, source], check=True)
        found = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    for ours, theirs in zip(expected.splitlines(), found.splitlines()):
        if ours != theirs:
            sys.exit("ctypes: %s; C: %s" % (ours, theirs))
    if len(expected) != len(found) or len(found) < 1000:
        sys.exit("not all was compared")


main()
